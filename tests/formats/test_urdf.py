"""The URDF reader: what it reads, what it refuses, what it mends, and that it survives anything."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from linkwright.dynamics.kinematics import body_poses
from linkwright.errors import ArgumentError, FormatError, FormatWarning, InputError, UnknownNameError
from linkwright.formats.load import load
from linkwright.formats.urdf import parse_urdf

ROBOTS = Path(__file__).parent / "robots"

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def link(name, inertial=INERTIAL):
    return f'<link name="{name}">{inertial}</link>\n'


def joint(name, parent, child, inside='<axis xyz="0 0 1"/>', type="continuous"):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{type}">{ends}{inside}</joint>\n'


def robot(*parts):
    """Line 1 is <robot>; every part takes a line."""
    return '<robot name="r">\n' + "".join(parts) + "</robot>"


def problems(text, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        with pytest.raises(FormatError) as error:
            parse_urdf(text, place="r.urdf", **options)
    return error.value.problems


def remarks(text):
    with pytest.warns(FormatWarning) as caught:
        model = parse_urdf(text, place="r.urdf")
    assert len(caught) == 1  # all remarks in one warning
    return model, str(caught[0].message)


# what is read


def test_arm():
    arm = load(ROBOTS / "arm.urdf")
    assert arm.name == "arm"
    assert [joint.name for joint in arm.joints] == ["shoulder", "elbow", "grip", "follow"]
    assert [joint.type for joint in arm.joints] == ["revolute", "revolute", "prismatic", "prismatic"]
    assert [body.name for body in arm.bodies] == ["upper", "fore", "left", "right"]
    assert (arm.nq, arm.nv) == (3, 3)
    assert set(arm.frames) == {"world", "base", "upper", "fore", "flange", "hand", "left", "right"}
    np.testing.assert_array_equal(arm.lower, [-2.0, -np.inf, 0.0])
    np.testing.assert_array_equal(arm.upper, [1.5, np.inf, 0.039])  # where "follow" is at its own limit
    shoulder, _, grip, follow = arm.joints
    assert (shoulder.damping, shoulder.friction, shoulder.effort_limit, shoulder.velocity_limit) == (0.7, 0.1, 80, 3)
    assert (grip.upper, grip.velocity_limit) == (0.04, np.inf)
    assert (follow.coupling.leader, follow.coupling.multiplier, follow.coupling.offset) == (2, 1.0, 0.001)


def test_inertial_origin_turns_the_inertia():
    upper = load(ROBOTS / "arm.urdf").bodies[0]
    np.testing.assert_allclose(upper.center_of_mass, [0, 0, 0.2], atol=1e-15)
    # a quarter turn about z: x to y, y to -x
    expected = [[0.02, 0, 0], [0, 0.03, 0.001], [0, 0.001, 0.012]]
    np.testing.assert_allclose(upper.inertia, expected, atol=1e-15)


def test_links_behind_fixed_joints_keep_mass_and_frame_and_cost_nothing():
    arm = load(ROBOTS / "arm.urdf")
    fore = arm.bodies[1]
    assert fore.links == ("fore", "flange", "hand")
    assert fore.mass == 2.0
    np.testing.assert_allclose(fore.center_of_mass, [(1.5 * 0.15 + 0.5 * 0.37) / 2, 0, 0], atol=1e-15)
    assert len(arm.links) == 4
    assert arm.welded.mass == 4.0  # the base
    hand = np.diag([1.0, -1.0, -1.0, 1.0])
    hand[0, 3] = 0.32
    turn = np.linalg.inv(arm.frames["fore"].placement)
    np.testing.assert_allclose(turn @ arm.frames["hand"].placement, hand, atol=1e-15)


def test_pose_of_a_frame_at_neutral():
    arm = load(ROBOTS / "arm.urdf")
    frame = arm.frames["flange"]
    T = body_poses(arm, arm.neutral())[frame.body] @ frame.placement
    c, s = np.cos(0.5), np.sin(0.5)
    np.testing.assert_allclose(T[:3, 3], [0.3 * c, 0, 0.7 - 0.3 * s], atol=1e-15)
    np.testing.assert_allclose(T[:3, :3], [[c, 0, s], [0, 1, 0], [-s, 0, c]], atol=1e-15)


def test_every_joint_type():
    model = load(ROBOTS / "every_joint.urdf")
    assert [j.type for j in model.joints] == ["free", "planar", "spherical", "prismatic", "revolute"]
    assert (model.nq, model.nv) == (7 + 3 + 4 + 1 + 1, 6 + 3 + 3 + 1 + 1)
    assert "f" in model.frames
    # the axis of a planar joint is the normal of its plane: here y and z move, x does not
    columns = model.links[1].motion_subspace(np.zeros(3))
    turn = np.linalg.inv(model.frames["b"].placement)[:3, :3]
    np.testing.assert_allclose((turn @ columns[:3])[0], 0.0, atol=1e-15)
    np.testing.assert_allclose(turn @ columns[3:, 2], [1, 0, 0], atol=1e-15)
    # quat_xyzw: a quarter turn about z
    T = np.linalg.inv(body_poses(model, model.neutral())[1]) @ body_poses(model, model.neutral())[2]
    T = np.linalg.inv(model.frames["b"].placement) @ T
    np.testing.assert_allclose(T[:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    # without <axis> it is x
    np.testing.assert_allclose(model.frames["d"].placement[:3, :3].T @ [0, 0, 1], [1, 0, 0], atol=1e-15)
    assert model.joints[3].lower == -1.0
    assert model.joints[3].upper == np.inf


@pytest.mark.parametrize("name", ["arm.urdf", "arm.urdf.xacro"])
def test_root_free(name):
    pytest.importorskip("xacrodoc", reason="xacro files need the extra xacro")
    fixed, free = load(ROBOTS / name), load(str(ROBOTS / name), root="free")
    assert (free.nq, free.nv) == (fixed.nq + 7, fixed.nv + 6)
    assert free.joints[0].type == "free"
    assert free.joints[0].name == "root"
    assert free.bodies[0].name == "base"
    assert sum(b.mass for b in free.bodies) == pytest.approx(sum(b.mass for b in fixed.bodies) + fixed.welded.mass)


def test_root_free_of_a_robot_on_a_link_named_world():
    text = robot(link("world", ""), link("a"), link("b"), joint("j", "a", "b"))
    fixed_to = joint("w", "world", "a", '<origin xyz="0 0 1"/>', "fixed")
    text = text.replace("</robot>", fixed_to + "</robot>")
    assert parse_urdf(text).nv == 1
    free = parse_urdf(text, "free")
    assert (free.nv, free.joints[0].name) == (7, "root")
    assert body_poses(free, free.neutral())[0][2, 3] == 1.0
    with pytest.raises(InputError, match="root='free' needs one base"):
        parse_urdf(text.replace('"w" type="fixed"', '"w" type="continuous"'), "free")


def test_root_free_beside_a_joint_named_root():
    text = robot(link("a"), link("b"), joint("root", "a", "b"))
    assert [j.name for j in parse_urdf(text, "free").joints] == ["root_", "root"]


def test_xacro():
    pytest.importorskip("xacrodoc", reason="xacro files need the extra xacro")
    model = load(ROBOTS / "arm.urdf.xacro")
    assert model.name == "segments"
    assert [body.mass for body in model.bodies] == [2.0, 4.0]
    assert body_poses(model, model.neutral())[1][0, 3] == 1.0


def test_xacro_that_fails(tmp_path):
    pytest.importorskip("xacrodoc", reason="xacro files need the extra xacro")
    path = tmp_path / "r.xacro"
    for inside in ("${1/0}", "$(find no_such_package)", "${", "<xacro:no_such_macro/>", "<open>"):
        path.write_text(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="{inside}"/></robot>')
        with pytest.raises(FormatError, match=r"r\.xacro"):
            load(path, trusted=True)


def test_load_finds_the_kind(tmp_path):
    text = (ROBOTS / "arm.urdf").read_text()
    (tmp_path / "arm.xml").write_text(text)
    (tmp_path / "arm").write_text(text)
    (tmp_path / "arm.URDF").write_text(text)
    for name in ("arm.xml", "arm", "arm.URDF"):
        assert load(str(tmp_path / name)).nq == 3
    (tmp_path / "r.xml").write_text("<collada/>")
    with pytest.raises(
        FormatError, match=r"r\.xml: the root element is <collada>; expected <robot> \(URDF\), <mujoco>"
    ):
        load(tmp_path / "r.xml")
    (tmp_path / "m.urdf").write_text("<mujoco/>")
    with pytest.raises(FormatError, match=r"m\.urdf:1:1: the root element is <mujoco>; .* suffix \.xml"):
        load(tmp_path / "m.urdf")


def test_load_refuses():
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load("no/such/robot.urdf")
    with pytest.raises(UnknownNameError, match=r"unknown file or built-in mechanism 'puma56'.*puma560"):
        load("puma56")
    for wrong in (3, None, b"arm.urdf", ["arm.urdf"]):
        with pytest.raises(ArgumentError, match="load takes a path or the name"):
            load(wrong)
    with pytest.raises(InputError, match="root is 'loose'; it may be 'free', 'fixed' or None"):
        load("puma560", root="loose")
    for wrong in ("a\0b", "x" * 100_000):
        with pytest.raises(UnknownNameError):
            load(wrong)
    with pytest.raises(InputError, match="the name that is given is empty"):
        load("")


# what is refused: one clear message each, at its place

TWO = link("a"), link("b")
J = joint("j", "a", "b")


def two(*inside, type="continuous"):
    return (*TWO, joint("j", "a", "b", "".join(inside), type))


def one(was, is_):
    return (link("a", INERTIAL.replace(was, is_, 1)),)


FAULTS = {
    "cycle": (
        (*TWO, link("c"), link("d"), J, joint("k", "c", "d"), joint("l", "d", "c")),
        [r"r.urdf:[78]:1: these bodies are joined in a cycle: (c → d → c|d → c → d)"],
    ),
    "cycle_of_all": (
        (*TWO, J, joint("k", "b", "a")),
        [r"r.urdf:[45]:1: these bodies are joined in a cycle"],
    ),
    "own_parent": ((*TWO, J, link("c"), joint("k", "c", "c")), [r"r.urdf:6:1: .*cycle: c → c"]),
    "two_roots": ((*TWO, link("c"), J), [r"r.urdf:4:.*2 bodies have no parent joint, only one root may: 'a', 'c'"]),
    "two_roots_with_world": (
        (link("world", ""), *TWO, J),
        [r"r.urdf:3:.*links 'world' and 'a' both have no parent joint"],
    ),
    "world_moves": (
        (*TWO, link("world", ""), J, joint("k", "b", "world")),
        [r"r.urdf:6:1: joint 'k': its child is 'world', the ground"],
    ),
    "world_not_declared": (
        (link("a"), joint("j", "world", "a")),
        [r"r.urdf:3:1: joint 'j': unknown parent link 'world'"],
    ),
    "two_worlds": (
        (link("world", ""), link("world", ""), link("a"), joint("j", "world", "a")),
        [r"r.urdf:3:1: a second link is named 'world' \(first at r.urdf:2:1\)"],
    ),
    "two_parents": (
        (*TWO, link("c"), J, joint("k", "a", "c"), joint("l", "c", "b")),
        [r"r.urdf:7:1: body 'b' has two parents: joint 'j' joins it to 'a', joint 'l' to 'c'"],
    ),
    "unknown_parent": (
        (*TWO, joint("j", "aa", "b")),
        [r"r.urdf:4:1: joint 'j': unknown parent body 'aa'; there are a, b"],
    ),
    "unknown_child": (
        (*TWO, J, joint("k", "b", "c")),
        [r"r.urdf:5:1: joint 'k': unknown child body 'c'; there are a, b"],
    ),
    "two_links_of_a_name": (
        (*TWO, link("a"), J),
        [r"r.urdf:4:1: a second body or frame is named 'a' \(first at r.urdf:2:1\)"],
    ),
    "two_joints_of_a_name": (
        (*TWO, link("c"), J, joint("j", "b", "c")),
        [r"r.urdf:6:1: a second joint is named 'j' \(first at r.urdf:5:1\)"],
    ),
    "zero_axis": (
        two('<axis xyz="0 0 0"/>'),
        [r"r.urdf:4:\d+: joint 'j': the axis is '0 0 0'; expected a direction, not zero"],
    ),
    "axis_without_xyz": (two("<axis/>"), [r"the xyz of <axis> is missing"]),
    "nan": (
        two('<origin xyz="0 nan 0"/>'),
        [r"r.urdf:4:\d+: joint 'j': the xyz of <origin> has 'nan'; expected 3 numbers .*, finite"],
    ),
    "commas": (two('<axis xyz="0, 0, 1"/>'), [r"xyz of <axis> has '0,'; expected 3 numbers .* \(no commas\)"]),
    "count": (two('<axis xyz="0 1"/>'), [r"xyz of <axis> is '0 1'; expected 3 numbers"]),
    "empty_vector": (two('<origin rpy=""/>'), [r"rpy of <origin> is ''; expected 3 numbers"]),
    "unknown_type": (
        two(type="revolut"),
        [r"r.urdf:4:1: joint 'j': unknown type 'revolut' \(did you mean 'revolute'\?\); there are fixed, revolute"],
    ),
    "no_type": (
        (*TWO, J.replace(' type="continuous"', "")),
        [r"r.urdf:4:1: joint 'j': the type of <joint> is missing"],
    ),
    "no_parent": (
        (*TWO, J.replace('<parent link="a"/>', "")),
        [r"r.urdf:4:1: joint 'j': <joint> has no <parent link=\"…\">"],
    ),
    "no_child": (
        (*TWO, J.replace('<child link="b"/>', "")),
        [r"joint 'j': <joint> has no <child", "have no parent joint"],
    ),
    "nameless_joint": ((*TWO, J.replace(' name="j"', "")), [r"r.urdf:4:1: the name of <joint> is missing"]),
    "nameless_link": ((link("a"), link("")), [r"r.urdf:3:1: the name of <link> is empty"]),
    "two_origins": (
        two('<origin xyz="0 0 1"/><origin xyz="0 0 2"/>'),
        [r"r.urdf:4:\d+: joint 'j': a second <origin> \(the first is in line 4\); expected one"],
    ),
    "reversed_limits": (
        two('<limit lower="1" upper="-1"/>', type="revolute"),
        [r"r.urdf:4:1: joint 'j': the lower limit 1.0 exceeds the upper limit -1.0"],
    ),
    "negative_effort": (
        two('<limit lower="0" upper="1" effort="-5"/>', type="revolute"),
        [r"r.urdf:4:1: joint 'j': effort_limit must not be negative; got -5.0"],
    ),
    "negative_damping": (
        two('<dynamics damping="-1"/>'),
        [r"r.urdf:4:1: joint 'j': damping must be finite and not negative; got -1.0"],
    ),
    "mimic_loop": (
        (*TWO, link("c"), joint("j", "a", "b", '<mimic joint="k"/>'), joint("k", "a", "c", '<mimic joint="j"/>')),
        [r"r.urdf:5:1: joint 'j' mimics itself: j → k → j"],
    ),
    "mimic_itself": (two('<mimic joint="j"/>'), [r"joint 'j' mimics itself: j → j"]),
    "mimic_nothing": (two("<mimic/>"), [r"joint 'j': the joint of <mimic> is missing"]),
    "mimic_of_a_ball": (
        (*TWO, link("c"), joint("j", "a", "b", "", "spherical"), joint("k", "a", "c", '<mimic joint="j"/>')),
        [r"r.urdf:6:1: joint 'k' mimics 'j', which has 4 coordinates, not one"],
    ),
    "negative_mass": (
        one('"1"', '"-2"'),
        [r"r.urdf:2:\d+: body 'a': the mass is -2; it cannot be negative"],
    ),
    "no_mass": (one('<mass value="1"/>', ""), [r"link 'a': <inertial> has no <mass>"]),
    "mass_without_value": (one('value="1"', ""), [r"link 'a': the value of <mass> is missing"]),
    "no_inertia": ((link("a", '<inertial><mass value="1"/></inertial>'),), [r"link 'a': <inertial> has no <inertia>"]),
    "no_moment": (one(' iyy="1"', ""), [r"link 'a': <inertia> has no iyy"]),
    "unit_quaternion": (
        two('<origin quat_xyzw="0 0 0 2"/>'),
        [r"quat_xyzw of <origin> has length 2; expected a unit quaternion"],
    ),
    "two_rotations": (
        two('<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'),
        [r"<origin> has both rpy and quat_xyzw"],
    ),
    "xacro": (('<xacro:macro name="m"/>\n', link("a")), [r"r.urdf:2:1: <xacro:macro> is xacro: expand"]),
    "xacro_value": (one('"1"', '"${m}"'), [r"'\${m}'; expected one number \(this looks like xacro"]),
    "no_links": ((), [r"r.urdf:1:1: the robot has no links"]),
    "other_root": (("</robot><robot>",), [r"r.urdf:2:9: something follows the end"]),
    "huge_number": (one('"1"', '"1e300"'), [r"'1e300'; no number may exceed 1e\+50"]),
    "long_name": ((link("a" * 1001),), [r"the name of <link> has 1001 characters: aaaa"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_refused(fault):
    parts, expected = FAULTS[fault]
    found = problems(robot(*parts))
    assert len(found) == len(expected), found
    for pattern in expected:
        assert any(re.search(pattern, problem) for problem in found), (pattern, found)


@pytest.mark.parametrize(
    "value",
    [
        "1_0",
        "0x10",
        "0x1p3",
        "١",
        "1,5",
        "1.5f",
        "1e",
        ".",
        "-",
        "+-1",
        "1 2",
        "",
        "one",
        "nan",
        "inf",
        "1e999",
        "1\u00a0",
    ],
)
def test_numbers_that_are_none(value):
    (messages,) = problems(robot(link("a", INERTIAL.replace('"1"', f'"{value}"', 1))))
    assert messages.startswith("r.urdf:2:")
    assert "link 'a': the value of <mass> is" in messages


@pytest.mark.parametrize(
    ("value", "mass"), [("1", 1), ("+1.", 1), (".5", 0.5), ("1e-3", 1e-3), ("1E+2", 100), (" \n2 ", 2), ("1e-999", 0)]
)
def test_numbers(value, mass):
    assert parse_urdf(robot(link("a", INERTIAL.replace('"1"', f'"{value}"', 1)))).welded.mass == mass


def test_all_problems_are_reported_together():
    found = problems(
        robot(
            link("a", INERTIAL.replace('"1"', '"-1"', 1)),
            link("b", INERTIAL.replace('"1"', '"one"', 1)),
            link("c"),
            joint("j", "a", "b", '<axis xyz="0 0 0"/><limit lower="2" upper="1"/>', "revolute"),
            joint("j", "b", "d", '<axis xyz="0,0,1"/>', type="hinge"),
        )
    )
    for expected in (
        "-1",
        "'one'",
        "the axis is '0 0 0'",
        "2.0 exceeds",
        "'hinge'",
        "'0,0,1'",
        "second joint",
        "body 'd'",
    ):
        assert any(expected in problem for problem in found), (expected, found)


def test_problems_with_root_free_are_the_file_s():
    assert "cycle" in problems(robot(*FAULTS["cycle_of_all"][0]), root="free")[0]


# corrections and ignored elements, with messages


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (two('<axis xyz="0 0 2"/>'), "r.urdf:4:70: joint 'j': the axis has length 2, not 1"),
        (
            ("<jiont/>\n", "<jiont/>\n", link("a")),
            "r.urdf:2:1: <jiont> in <robot> is not an element of URDF (did you mean 'joint'?); it is ignored (2 times)",
        ),
        ((link("a", "<mass/>"),), "<mass> in <link> is not an element of URDF"),
        (two('<dynamics dampin="1"/>'), "<dynamics> has no attribute 'dampin' in URDF (did you mean 'damping'?)"),
        (
            (link("a"), link("b", "<visual><geometry><sphere radius='1'/></geometry></visual>"), joint("j", "a", "b")),
            "r.urdf:3:1: link 'b': no <inertial>, so its mass is 0",
        ),
        (two(type="revolute"), "r.urdf:4:1: joint 'j': revolute without <limit>; taken as unlimited"),
        (two('<limit effort="1" velocity="1"/>', type="prismatic"), "joint 'j': <limit> has neither lower nor upper"),
        (two('<limit lower="-1" upper="1"/>'), "joint 'j': continuous: its lower and upper limits are ignored"),
        (two('<limit lower="0" upper="0"/>', type="revolute"), "joint 'j': lower and upper are both 0"),
        (one('ixy="0" ', ""), "link 'a': <inertia> has no ixy; taken as 0"),
        (
            one('izz="1"', 'izz="2.5"'),
            "body 'a': the principal moments of inertia (1, 1, 2.5) violate the triangle inequality: "
            "the largest exceeds the sum of the others by 0.5 (20.00%)",
        ),
        (one('izz="1"', 'izz="-1"'), "body 'a': no rigid body has a negative principal moment"),
        ((link("world"), link("a"), joint("j", "world", "a")), "the link 'world' is the ground; its mass is ignored"),
        (
            two('<mimic joint="jj"/>'),
            "r.urdf:4:1: joint 'j' mimics an unknown joint 'jj'; there is j; its mimic is ignored",
        ),
        (two('<mimic joint="k"/>', type="fixed"), "joint 'j': the joint is fixed; its <mimic> is ignored"),
    ],
)
def test_what_is_reported(parts, expected):
    _, messages = remarks(robot(*parts))
    assert expected in messages


def test_a_file_is_named_once():
    parts = two('<mimic joint="jj"/>', "<rebot/>", type="continuous")
    with pytest.warns(FormatWarning) as caught:
        parse_urdf(robot(*parts), place="/a folder/that is long/r.urdf")
    heading, *lines = str(caught[0].message).splitlines()
    assert re.fullmatch(r"[23] remarks in /a folder/that is long/r\.urdf:", heading)
    assert all(re.match(r"  \d+:\d+: ", line) for line in lines)
    with pytest.raises(FormatError) as error:
        parse_urdf(robot(link("a"), link("a"), joint("j", "x", "y")), place="far/r.urdf")
    assert str(error.value).count("far/r.urdf:") == 1 + str(error.value).count("(first at far/r.urdf:")
    assert all(problem.startswith("far/r.urdf:") for problem in error.value.problems)


def test_remarks_of_one_kind_are_one():
    n = 10
    parts = [link("base"), *(link(f"l{k}") for k in range(n))]
    parts += [joint(f"j{k}", "base", f"l{k}", type="revolute") for k in range(n)]
    _, messages = remarks(robot(*parts))
    assert "joint 'j0', 'j1', 'j2', 'j3', 'j4', 'j5', … (10 in all): revolute without <limit>" in messages
    assert "\n" not in messages


def test_what_mending_does():
    model, _ = remarks(robot(*two('<axis xyz="0 3 4"/>', type="revolute")))
    np.testing.assert_allclose(model.frames["b"].placement[:3, :3].T @ [0, 0, 1], [0, 0.6, 0.8], atol=1e-15)
    assert model.lower == -np.inf
    model, _ = remarks(robot(*two('<limit lower="-1" upper="1"/>')))
    assert (model.lower, model.upper) == (-np.inf, np.inf)
    model, _ = remarks(robot('<robot/><link name="x"/>\n'.replace("<robot/>", "<rebot/>")))
    assert "x" in model.frames


def test_a_nameless_robot_is_called_after_its_file(tmp_path):
    (tmp_path / "crane.urdf").write_text('<robot><link name="a"/></robot>')
    with pytest.warns(FormatWarning, match="has no name; it is called 'crane'"):
        assert load(tmp_path / "crane.urdf").name == "crane"


def test_one_limit_that_is_missing_is_zero():
    model = parse_urdf(robot(*two('<limit upper="1"/>', type="revolute")))
    assert (model.lower, model.upper) == (0.0, 1.0)
