"""Contact in files: rules, pairs and friction of MJCF and SDF, written and read again."""

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatWarning
from linkwright.formats.sdf import parse_sdf
from linkwright.formats.urdf import parse_urdf
from linkwright.model.parts.shape import SURFACE

pytestmark = pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")


def read(tmp_path, text, name="r.xml"):
    pytest.importorskip("mujoco")
    (tmp_path / name).write_text(text)
    return lw.load(tmp_path / name, trusted=True)


CROWD = """<mujoco><option {option}>{flag}</option>
<default><geom type="sphere" size="0.1"/></default>
<worldbody>
  <geom name="floor" type="plane" size="1 1 1" friction="0.9 0.01 0.002" margin="0.002"/>
  <geom name="pillar" condim="4"/>
  <body name="a"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom name="a1" condim="1"/><geom name="a2" condim="1" contype="2" conaffinity="2"/>
    <body name="b"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom name="b1" friction="0.4 0.1 0.01" condim="6"/>
      <body name="c"><geom name="c1" priority="1" friction="0.2"/>
        <body name="d"><joint axis="1 0 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
          <geom name="d1" condim="4" margin="0.01"/></body></body></body></body>
  <body name="e"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom name="e1" condim="1"/><geom name="e2" contype="0" conaffinity="2"/>
    <geom name="e3" contype="0" conaffinity="0"/></body>
  <body name="f"><joint type="slide"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom name="f1"/></body>
</worldbody>
<contact><exclude body1="d" body2="e"/><exclude body1="world" body2="f"/>
  <pair geom1="e3" geom2="floor" condim="6" friction="0.5 0.5 0.03 0.004 0.004" margin="0.003"/>
  <pair geom1="d1" geom2="e1" condim="1"/>
</contact></mujoco>"""


@pytest.mark.parametrize("flag", ["", '<flag filterparent="disable"/>'])
def test_the_pairs_of_a_file_are_those_that_mujoco_finds(flag, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    text = CROWD.format(option="", flag=flag)
    model = read(tmp_path, text).with_contact(exclude_overlapping=False)
    m = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)  # where all lie within each other
    expected = {}
    for contact in data.contact:
        names = frozenset(m.geom(g).name for g in contact.geom)
        condim, (slide, _, spin, roll, _) = contact.dim, contact.friction
        friction = (slide if condim >= 3 else 0.0, spin if condim >= 4 else 0.0, roll if condim >= 6 else 0.0)
        expected[names] = (*friction, contact.includemargin)
    found = {
        frozenset((model.shapes[pair.first].name, model.shapes[pair.second].name)): (
            pair.friction,
            pair.torsional_friction,
            pair.rolling_friction,
            pair.margin,
        )
        for pair in model.pairs
    }
    assert found.keys() == expected.keys()
    assert len(found) > 20
    for names, numbers in expected.items():
        np.testing.assert_allclose(found[names], numbers, atol=1e-15, err_msg=str(names))


def test_a_file_gives_shapes_and_no_pairs_and_tells_how_to_find_them(tmp_path):
    with pytest.warns(FormatWarning, match=r"contact of 11 geoms acts once its pairs are found: model.with_contact()"):
        model = read(tmp_path, CROWD.format(option="", flag=""))
    assert model.pairs == ()
    assert set(model.excluded) == {("d", "e"), ("world", "f")}


def test_a_file_may_be_changed_before_its_pairs_are_found(tmp_path):
    model = read(tmp_path, CROWD.format(option="", flag=""))

    def named(model):
        return {
            (frozenset(model.shapes[k].name for k in (pair.first, pair.second)), pair.friction)
            for pair in model.with_contact(exclude_overlapping=False).pairs
        }

    other = (
        lw.Builder("o").body("o", 1.0, inertia=1.0).joint("o", "free", "world", "o").shape("o", "sphere", radius=1.0)
    )
    twice = other.build().append(model, prefix="x_")
    assert named(model) <= named(twice)
    assert named(model.with_gravity([0, 0, 0]).with_payload("f", 1.0)) == named(model)
    fewer = model.lock({"f_joint": 0.0})
    assert {pair for pair, _ in named(fewer)} == {pair for pair, _ in named(model)} - {
        frozenset(("f1", "pillar")),
        frozenset(("f1", "floor")),
    }


FOOT = """<mujoco><option cone="{cone}"/><default><geom {soft} friction="0.8" condim="{condim}"/></default>
<worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><freejoint/><inertial pos="0 0 0.05" mass="8"
diaginertia="0.1 0.1 0.1"/>{feet}</body></worldbody></mujoco>"""
FEET = "".join(f'<geom size="0.02" pos="{x} {y} -0.08"/>' for x in (-0.3, 0.3) for y in (-0.3, 0.3))


@pytest.mark.variants("condim", "cone")
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("condim", [1, 3, 6])
@pytest.mark.parametrize(
    "soft",
    ['solimp="0.015 1 0.036"', 'solref="0.08 1"', 'solref="-400 -60"', 'solref="0.05 0.7" solimp="0.2 0.9 0.01"'],
)
def test_soft_contact_of_mjcf_sinks_in_as_deep_as_in_mujoco(soft, condim, cone, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    text = FOOT.format(soft=soft, condim=condim, cone=cone, feet=FEET)
    with pytest.warns(FormatWarning, match=r"contact of [45] geoms or pairs is softer than by default"):
        model = read(tmp_path, text).with_contact()
    m = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(m)
    mujoco.mj_step(m, data, 5000)
    end = lw.rollout(model, [0, 0, 0.1, 1, 0, 0, 0], np.zeros(6), 5000, 2e-3).q[-1]
    assert 0.1 - data.qpos[2] > 1e-4, "feet sink in"
    assert end[2] - 0.1 == pytest.approx(data.qpos[2] - 0.1, rel=1e-3)


@pytest.mark.parametrize("soft", ["", 'solref="0.005 1"', 'solimp="0.95 0.99 0.001"'])
def test_contact_of_mjcf_that_is_no_softer_than_by_default_is_rigid(soft, tmp_path):
    model = read(tmp_path, FOOT.format(soft=soft, condim=3, cone="elliptic", feet=FEET)).with_contact()
    assert all(pair.stiffness is None for pair in model.pairs)


def test_compliance_of_pairs_of_mjcf_is_that_of_both_geoms(tmp_path):
    """By priority, by the average of solmix, and by <pair>; all weights of bodies count."""
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><option cone="elliptic"/><worldbody><geom name="p" type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 1"><freejoint/><geom name="a1" size="0.1" solref="0.1 1" priority="{priority}"/></body>
    <body name="b" pos="0 0 1.15"><freejoint/>
    <geom name="b1" size="0.1" density="300" solref="0.05 1" solmix="3"/></body>
    </worldbody><contact>{pair}</contact></mujoco>"""
    for priority, pair, time in (
        (0, "", 0.0625),
        (1, "", 0.1),
        (0, '<pair geom1="a1" geom2="b1" solref="0.2 1"/>', 0.2),
    ):
        model = read(tmp_path, text.format(priority=priority, pair=pair)).with_contact()
        (found,) = (p for p in model.pairs if "plane" not in (model.shapes[p.first].kind, model.shapes[p.second].kind))
        m = mujoco.MjModel.from_xml_string(text.format(priority=priority, pair=pair))
        assert found.stiffness is not None
        ratio = found.damping / found.stiffness  # b/(k d)
        k, b = 1.0 / (0.95 * time) ** 2, 2.0 / (0.95 * time)
        d = b / (k * ratio)
        assert 0.9 <= d <= 0.95 + 1e-9
        w = m.body_invweight0[1:, 0].sum()
        assert found.stiffness * w == pytest.approx(k * d**2 / (1.0 - d))


HEIGHTS = np.array([[0.0, 0.1, 0.3], [0.05, 0.2, 0.25]])


def test_height_fields_of_mjcf(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><asset><hfield name="h" nrow="2" ncol="3" size="3 2 0.3 0.1" elevation="{data}"/></asset>
    <worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>"""
    data = " ".join(map(str, HEIGHTS.ravel()))
    model = read(
        tmp_path,
        text.format(data=data).replace(
            "</worldbody>", '<body name="a"><freejoint/><geom size="0.1"/></body></worldbody>'
        ),
    )
    field = model.shapes[0]
    assert (field.kind, field.size) == ("height_field", (6.0, 4.0, 0.1))
    m = mujoco.MjModel.from_xml_string(text.format(data=data))
    state = mujoco.MjData(m)
    mujoco.mj_forward(m, state)
    for row, y in enumerate((-1.999, 1.999)):  # by a ray from above onto each corner
        for column, x in enumerate((-2.999, 0.0, 2.999)):
            hit = mujoco.mj_ray(
                m,
                state,
                np.array([x, y, 5.0]),
                np.array([0.0, 0.0, -1.0]),
                None,
                1,
                -1,
                np.zeros(1, np.int32),
                np.zeros(3),
            )
            assert 5.0 - hit == pytest.approx(field.heights[row, column], abs=1e-3)


def as_told(model):
    """The pairs by names, with their numbers."""
    return sorted(
        (
            model.shapes[pair.first].name,
            model.shapes[pair.second].name,
            pair.friction,
            pair.torsional_friction,
            pair.rolling_friction,
            pair.margin,
        )
        for pair in model.pairs
    )


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_a_robot_on_its_ground_goes_through_mjcf(name, tmp_path):
    pytest.importorskip("mujoco")
    model = lw.load(name).with_ground(
        -1.0, contact=lw.ContactProperties(friction=0.4, torsional_friction=0.01, rolling_friction=0.001, margin=0.01)
    )
    back = lw.load(model.save(tmp_path / "r.xml"), trusted=True).with_contact(
        between=[s.name for s in model.shapes if s.name]
    )
    ours = as_told(model)
    assert [pair for pair in as_told(back) if "ground" in pair] == ours


def test_a_ground_of_heights_goes_through_mjcf(tmp_path):
    pytest.importorskip("mujoco")
    z = HEIGHTS - 0.2
    model = lw.load("quadruped").with_ground(0.5, heights=z, size=(4.0, 2.0))
    back = lw.load(model.save(tmp_path / "r.xml"), trusted=True)
    field = next(shape for shape in back.shapes if shape.name == "ground")
    np.testing.assert_allclose(field.heights + field.placement[2, 3], z + 0.5, atol=1e-6)  # of single precision
    np.testing.assert_allclose(field.size[:2], (4.0, 2.0))
    between = ["front_left_shank", "hind_left_shank", "ground"]
    assert len(back.with_contact(between=between).pairs) == 3


def test_all_that_contact_has_in_a_file_comes_back(tmp_path):
    model = read(tmp_path, CROWD.format(option="", flag="")).with_contact(exclude_overlapping=False)
    back = lw.load(model.save(tmp_path / "s.xml"), trusted=True).with_contact(exclude_overlapping=False)
    assert as_told(back) == as_told(model)
    assert back.excluded == model.excluded


def test_what_mjcf_cannot_say_of_contact_is_reported(tmp_path):
    model = lw.load("quadruped").with_ground(contact=lw.ContactProperties(restitution=0.5, stiffness=1e5, damping=1e3))
    with pytest.warns(FormatWarning) as caught:
        model.save(tmp_path / "r.xml")
    text = str(caught[0].message)
    for what in ("restitution is lost", "stiffness and damping of contact are lost", "further shapes collide"):
        assert what in text


def ball(**options):
    builder = lw.Builder("ball").body("a", 1.0, [0, 0, 0.1], 0.01).joint("j", "revolute", "world", "a")
    return builder.shape(
        "a", "sphere", radius=0.1, name="ball", use="collision", contact=lw.ContactProperties(**options)
    )


TOLD = {
    "friction": 0.3,
    "torsional_friction": 0.02,
    "rolling_friction": 0.001,
    "restitution": 0.4,
    "stiffness": 1e5,
    "damping": 300.0,
    "margin": 0.01,
    "contype": 2,
    "conaffinity": 5,
}
SAID = {
    ".sdf": TOLD.keys() - {"margin"},
    ".urdf": {"friction", "stiffness", "damping"},
    ".xml": {"friction", "torsional_friction", "rolling_friction", "margin", "contype", "conaffinity"},
    ".ztk": set(),
}


@pytest.mark.parametrize("ending", SAID)
def test_what_a_shape_has_for_contact_comes_back_or_is_reported(ending, tmp_path):
    if ending == ".xml":
        pytest.importorskip("mujoco")
    model = (
        ball(**TOLD).shape("a", "box", size=(1, 1, 1), use="collision", contact=lw.ContactProperties(**TOLD)).build()
    )
    with pytest.warns(FormatWarning) as caught:
        model.save(tmp_path / f"r{ending}")
    text = " ".join(str(one.message) for one in caught)
    back = lw.load(tmp_path / f"r{ending}", trusted=True).shapes
    for what in (*SURFACE, "contype", "conaffinity"):
        if what not in SAID[ending]:
            assert f"{what.replace('_', ' ')} of shapes is lost" in text or what in (
                "restitution",
                "stiffness",
                "damping",
            )
        else:
            assert [getattr(shape, what) for shape in back] == pytest.approx([TOLD[what]] * 2, rel=1e-14)
    if ending == ".xml":
        assert "restitution is lost" in text
        assert "stiffness and damping of contact are lost" in text


@pytest.mark.parametrize("ending", [".sdf", ".urdf", ".xml"])
def test_what_is_not_reported_of_contact_stays_so(ending, tmp_path):
    if ending == ".xml":
        pytest.importorskip("mujoco")
    (shape,) = lw.load(ball().build().save(tmp_path / f"r{ending}"), trusted=True).shapes
    (plain,) = ball().build().shapes
    for what in (*SURFACE, "contype", "conaffinity"):
        if (ending, what) != (".xml", "friction"):  # MuJoCo has always one
            assert getattr(shape, what) == getattr(plain, what)


@pytest.mark.parametrize("ending", [".sdf", ".urdf", ".ztk"])
def test_pairs_that_a_format_has_not_are_reported(ending, tmp_path):
    with pytest.warns(FormatWarning, match="which shapes may touch is lost"):
        lw.load("quadruped").with_ground().save(tmp_path / f"r{ending}")


SDF = """<sdf version="1.10"><model name="r"><link name="a"><inertial><mass>1</mass></inertial>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry><surface>{surface}</surface></collision>
<collision name="d"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link></model></sdf>"""


def test_bits_of_sdf_are_those_of_mjcf_and_what_has_none_meets_all():
    c, d = parse_sdf(SDF.format(surface="<contact><collide_bitmask>4</collide_bitmask></contact>")).shapes
    assert (c.contype, c.conaffinity, d.contype, d.conaffinity) == (4, 4, 65535, 65535)
    bits = "<category_bitmask>4</category_bitmask><collide_bitmask>2</collide_bitmask>"
    c, d = parse_sdf(SDF.format(surface=f"<contact>{bits}</contact>")).shapes
    assert (c.contype, c.conaffinity) == (4, 2)


def test_friction_against_turning_of_sdf_is_that_of_its_patch():
    text = "<torsional><coefficient>0.5</coefficient><patch_radius>0.2</patch_radius></torsional>"
    c, _ = parse_sdf(SDF.format(surface=f"<friction>{text}</friction>")).shapes
    assert c.torsional_friction == pytest.approx(0.5 * 3.0 * np.pi * 0.2 / 16.0)


def test_contact_that_is_as_good_as_rigid_is_rigid():
    for kp, expected in ((1e12, None), (1e6, 1e6)):
        c, _ = parse_sdf(SDF.format(surface=f"<contact><ode><kp>{kp}</kp><kd>10</kd></ode></contact>")).shapes
        assert c.stiffness == expected
        assert c.damping == (10.0 if expected else 0.0)


@pytest.mark.parametrize(("message", "expected"), [("<kp>-1e5</kp>", None), ("<kp>1e5</kp><kd>-1</kd>", 1e5)])
def test_what_is_negative_is_ignored_with_a_remark(message, expected):
    with pytest.warns(FormatWarning, match="> is -.*; expected a number, not negative: it is ignored"):
        c, _ = parse_sdf(SDF.format(surface=f"<contact><ode>{message}</ode></contact>")).shapes
    assert c.stiffness == expected
    assert c.damping == (1.0 if expected else 0.0)


URDF = """<robot name="r"><link name="a"><collision><geometry><sphere radius="0.1"/></geometry></collision>
<visual><geometry><sphere radius="0.1"/></geometry></visual></link><link name="b"/>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>{more}</robot>"""


def test_what_gazebo_says_of_the_links_of_a_urdf_is_read():
    more = '<gazebo reference="a"><mu1>0.4</mu1><mu2>0.2</mu2><kp value="1e5"/><kd>10</kd></gazebo>'
    more += "<gazebo><mu1>9</mu1></gazebo>"
    touching, seen = parse_urdf(URDF.format(more=more)).shapes
    assert (touching.friction, touching.stiffness, touching.damping) == (0.4, 1e5, 10.0)
    assert seen.friction is None
    with pytest.warns(FormatWarning, match="<mu1> is 'much'; expected a number"):
        touching, _ = parse_urdf(URDF.format(more='<gazebo reference="a"><mu1>much</mu1></gazebo>')).shapes
    assert touching.friction is None


def test_friction_that_nobody_gives_is_ours_and_one_that_is_left_to_others_is_reported(tmp_path):
    pytest.importorskip("mujoco")
    alone = ball().build()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone.save(tmp_path / "r.xml")
    assert lw.load(tmp_path / "r.xml", trusted=True).shapes[0].friction == 0.7
    other = lw.Builder(alone).shape("world", "plane", contact=lw.ContactProperties(friction=0.2)).build()
    with pytest.warns(FormatWarning, match="friction that depends on the other shape is written as 0.7: 'ball"):
        other.save(tmp_path / "r.xml")


@pytest.mark.parametrize("kd", ["1e12", "1e13"])
def test_a_damper_as_good_as_rigid_is_rigid(kd):
    surface = f"<contact><ode><kp>1e5</kp><kd>{kd}</kd></ode></contact>"
    shape, *_ = parse_sdf(SDF.format(surface=surface)).shapes
    assert shape.stiffness is None
    assert shape.damping == 0.0


@pytest.mark.parametrize("reference", ["-10000 -30", "0.02 0.1"])
def test_stiff_contact_with_little_damping_rebounds_as_in_mujoco(tmp_path, reference):
    mujoco = pytest.importorskip("mujoco")
    text = f"""<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="5 5 .1"/><body pos="0 0 1">
      <freejoint/><geom type="sphere" size="0.15" mass="1" priority="1" solref="{reference}"/></body>
      </worldbody></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(text)
    data, heights = mujoco.MjData(theirs), []
    for _ in range(1200):
        mujoco.mj_step(theirs, data)
        heights.append(data.qpos[2])
    ball = read(tmp_path, text).with_contact()
    motion = lw.simulate(ball, [0, 0, 1, 1, 0, 0, 0], np.zeros(6), 1.2)
    assert motion.q[450:, 2].max() == pytest.approx(max(heights[450:]), rel=0.05)


@pytest.mark.parametrize("reference", ["-1000 1", "0.02 0", "0.02 -1"])
def test_numbers_of_different_signs_are_the_default_reference_as_in_mujoco(tmp_path, reference):
    text = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/><body pos="0 0 1"><freejoint/>
      <geom type="sphere" size="0.15" {}/></body></worldbody></mujoco>"""
    ball = read(tmp_path, text.format(f'priority="1" solref="{reference}"')).with_contact()
    assert ball.pairs == read(tmp_path, text.format("")).with_contact().pairs


def test_unused_options_of_contact_and_actuators_are_reported(tmp_path):
    text = """<mujoco><option actuatorgroupdisable="2"><flag contact="disable" override="enable"/></option><worldbody>
      <geom name="floor" type="plane" size="5 5 .1"/><body><joint name="hinge"/><geom size="0.1"/></body></worldbody>
      <actuator><motor name="off" joint="hinge" group="2"/><motor name="on" joint="hinge" group="1"/></actuator>
      </mujoco>"""
    with pytest.warns(FormatWarning) as found:
        read(tmp_path, text)
    said = " ".join(str(one.message) for one in found)
    assert 'the flag contact="disable"' in said
    assert 'the flag override="enable"' in said
    assert "disabled groups of actuators, which act (1: off)" in said
    assert "with_contact()" not in said


@pytest.mark.parametrize(("shape", "size"), [("sphere", "0.1"), ("capsule", "0.1 0.2"), ("box", "0.1 0.1 0.1")])
def test_soft_bodies_rest_as_deep_as_in_mujoco(shape, size):
    mujoco = pytest.importorskip("mujoco")
    soft = 'solref="0.02 1" solimp="0 0.95 0.01 0.5 2"'
    text = f"""<mujoco><option timestep="0.002" cone="elliptic"/><worldbody><geom type="plane" size="5 5 .1" {soft}/>
      <body pos="0 0 0.095" quat="1 1 0 0"><freejoint/><geom type="{shape}" size="{size}" mass="2" {soft}/></body>
      </worldbody></mujoco>"""
    m = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(m)
    for _ in range(1500):
        mujoco.mj_step(m, data)
    model = lw.load(text).with_contact()
    motion = lw.simulate(model, model.neutral(), np.zeros(6), 3.0, 0.002)
    assert 0.1 - motion.q[-1, 2] == pytest.approx(0.1 - data.qpos[2], rel=0.01)
