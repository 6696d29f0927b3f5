"""Links that do not touch: neighbors, bases at rest, links that always overlap, and those of SRDF files."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.overlaps import always_overlapping, overlap_depths
from linkwright.errors import ArgumentError, FormatError, FormatWarning, LinkwrightWarning, MissingFileError, ModelError
from linkwright.formats.lookup.installed_robots import example_robots, robot_file
from linkwright.formats.srdf import disabled_collisions
from linkwright.model.transformations.contact_pairs import neighbors


def arm(radius=0.05, base="fixed", mount=True):
    """Base, three links 0.2 m apart, and a tool welded to the last one; a sphere on each."""
    builder = lw.Builder("arm").body("base", 1.0, inertia=0.1).joint("mount", base, "world", "base")
    if mount:
        builder.body("foot", 1.0, inertia=0.1).joint("bolt", "fixed", "base", "foot", xyz=(0.2, 0, 0))
    for k, above in enumerate(("base", "link0", "link1")):
        builder.body(f"link{k}", 1.0, inertia=0.1)
        builder.joint(f"joint{k}", "revolute", above, f"link{k}", axis=(0, 1, 0), xyz=(0, 0, 0.2 * (k > 0)))
    builder.body("tool", 1.0, inertia=0.1).joint("flange", "fixed", "link2", "tool", xyz=(0, 0, 0.1))
    for name in (
        ("base", "foot", "link0", "link1", "link2", "tool") if mount else ("base", "link0", "link1", "link2", "tool")
    ):
        builder.shape(name, "sphere", radius=radius)
    return builder.build()


def links(model):
    return {frozenset((model.shapes[p.first].body, model.shapes[p.second].body)) for p in model.pairs}


def pairs(*names):
    return {frozenset(name.split()) for name in names}


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_the_first_link_does_not_touch_its_base_whether_it_is_welded_or_not(base):
    found = links(arm(base=base).with_contact())
    apart = pairs(
        "base link1", "base link2", "base tool", "foot link1", "foot link2", "foot tool", "link0 link2", "link0 tool"
    )
    assert found == apart, "link0 touches neither the base nor what is welded to the base"


def test_other_things_at_rest_touch_the_first_link():
    model = lw.Builder(arm(mount=False)).body("post").joint("post", "fixed", "world", "post", xyz=(0.1, 0, 0))
    model = (
        model.shape("post", "sphere", radius=0.02).shape("world", "box", size=(0.1, 0.1, 0.1), xyz=(0, 1, 0)).build()
    )
    assert pairs("post link0", "world link0", "post tool") <= links(model.with_contact())
    assert frozenset(("base", "link0")) not in links(model.with_contact())


def test_grounds_on_the_base_and_floating_bodies_on_it_stay():
    builder = lw.Builder("stage").body("stage").joint("s", "fixed", "world", "stage").shape("stage", "plane")
    builder.body("ball", 1.0, inertia=0.1).joint("b", "free", "stage", "ball").shape("ball", "sphere", radius=0.1)
    builder.shape("stage", "box", size=(1, 1, 0.1)).body("cart", 1.0).joint("c", "prismatic", "stage", "cart")
    model = builder.shape("cart", "sphere", radius=0.1).build().with_contact()
    shapes = [(model.shapes[pair.first], model.shapes[pair.second]) for pair in model.pairs]
    found = {(frozenset((first.body, second.body)), second.kind) for first, second in shapes}
    ball, cart = frozenset(("ball", "stage")), frozenset(("cart", "stage"))
    assert found == {(ball, "plane"), (ball, "box"), (cart, "plane"), (frozenset(("ball", "cart")), "sphere")}


def test_locked_links_belong_to_the_base():
    locked = arm().lock({"joint0": 0.0})
    assert not {pair for pair in links(locked.with_contact()) if "link1" in pair and pair & {"base", "foot", "link0"}}


def test_links_that_always_overlap_are_left_out_and_reported():
    """Spheres of 0.25 m: each link overlaps the next but one in every posture, since these are 0.2 m apart."""
    model = arm(radius=0.25, mount=False)
    with pytest.warns(
        LinkwrightWarning, match="left out of contact, since they overlap in all configurations"
    ) as caught:
        touching = model.with_contact()
    text = str(caught[0].message)
    for pair in ("base ─ link1", "link0 ─ link2"):
        assert pair in text or " ─ ".join(reversed(pair.split(" ─ "))) in text
    assert pairs("base link1", "link0 link2") <= {frozenset(pair) for pair in touching.excluded}
    assert not links(touching) & {frozenset(pair) for pair in touching.excluded}
    q = model.random(50, seed=3)
    candidates = model.with_contact(exclude_overlapping=False).pairs
    always = {id(pair) for pair in always_overlapping(model, candidates)}
    depth = np.array([overlap_depths(model, candidates, one) for one in q])
    for k, pair in enumerate(candidates):
        if id(pair) in always:
            assert (depth[:, k] > 0.0).all(), "these overlap in further configurations, too"
    again = touching.with_contact()  # without a warning: they are excluded
    assert again.pairs == touching.pairs
    everything = model.with_contact(exclude_overlapping=False)
    assert len(everything.pairs) == len(touching.pairs) + len(touching.excluded)
    assert everything.excluded == ()


def test_links_that_overlap_in_the_neutral_posture_only_stay():
    builder = lw.Builder("folded").body("a", 1.0).joint("a", "fixed", "world", "a").body("b", 1.0, inertia=0.1)
    builder.joint("slide", "prismatic", "a", "b", axis=(1, 0, 0), limits=(0.0, 1.0)).body("c", 1.0, inertia=0.1)
    builder.joint("turn", "revolute", "b", "c").shape("a", "sphere", radius=0.1).shape("c", "sphere", radius=0.1)
    folded = builder.build()
    touching = folded.with_contact()
    assert overlap_depths(touching, touching.pairs, np.zeros(2)) == [pytest.approx(0.2)]
    assert links(touching) == pairs("a c")
    assert folded.with_contact().excluded == ()


def test_a_wheel_on_a_plane_that_it_always_touches_stays():
    builder = lw.Builder("roller").body("rack").joint("r", "fixed", "world", "rack").body("wheel", 1.0, inertia=0.1)
    builder.joint("axle", "revolute", "rack", "wheel", axis=(0, 1, 0), xyz=(0, 0, 0.09)).shape("world", "plane")
    assert len(builder.shape("wheel", "sphere", radius=0.1).build().with_contact().pairs) == 1


@pytest.mark.parametrize("joint", ["free", "planar", "prismatic"])
def test_bodies_that_can_move_apart_stay_however_large_they_are(joint):
    builder = lw.Builder("two")
    for name in "ab":
        builder.body(name, 1.0, inertia=0.1).joint(name, joint, "world", name).shape(name, "sphere", radius=50.0)
    assert len(builder.build().with_contact().pairs) == 1


SRDF = """<?xml version="1.0"?>
<robot name="arm">
  <group name="all"><chain base_link="base" tip_link="tool"/></group>
  <disable_collisions link1="base" link2="link1" reason="Never"/>
  <disable_collisions link1="tool" link2="link0" reason="User"/>
</robot>
"""


def test_an_srdf_file_excludes_pairs_of_links(tmp_path):
    model = arm(mount=False)
    (tmp_path / "arm.srdf").write_text(SRDF)
    everything = links(model.with_contact())
    for srdf in (SRDF, tmp_path / "arm.srdf", str(tmp_path / "arm.srdf"), "\n" + SRDF):
        found = model.with_contact(srdf=srdf)
        assert links(found) == everything - pairs("base link1", "tool link0")
        assert set(map(frozenset, found.excluded)) == pairs("base link1", "tool link0")


def test_disabled_defaults_leave_enabled_pairs(tmp_path):
    text = '<robot><disable_default_collisions link="link1"/><enable_collisions link1="base" link2="link1"/></robot>'
    found = links(arm(mount=False).with_contact(srdf=text))
    assert frozenset(("base", "link1")) in found
    assert sum("link1" in pair for pair in found) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<sdf/>", r"<text>:1:1: the root element is <sdf>; SRDF has <robot>"),
        (
            '<robot>\n<disable_collisions link1="base"/>\n</robot>',
            r"<text>:2:1: <disable_collisions> names two different",
        ),
        ('<robot>\n<disable_collisions link1="base" link2="base"/></robot>', r"<text>:2:1: .*two different links"),
        ("<robot><disable_default_collisions/></robot>", r"names a link: link"),
        ("<robot", r"<text>:1:1: not well-formed XML"),
        ('<robot><link name="a"/><joint name="j" type="fixed"/></robot>', r"it has joints, as URDF has; expected SRDF"),
        (
            '<robot><disable_collisions link1="palm" link2="thumb"/></robot>',
            r"none of its pairs is of links of this robot: palm, thumb",
        ),
    ],
)
def test_broken_srdf_is_explained(text, message):
    with pytest.raises(FormatError, match=message):
        arm().with_contact(srdf=text)


def test_links_that_the_robot_does_not_have_are_remarked():
    text = SRDF.replace("</robot>", '<disable_collisions link1="gripper" link2="tool"/></robot>')
    with pytest.warns(FormatWarning, match=r"<text>:6:3?.*the robot has no link 'gripper'; its pairs are ignored"):
        model = arm(mount=False).with_contact(srdf=text)
    assert len(model.excluded) == 2


def test_an_srdf_is_given_by_a_path_or_a_text(tmp_path):
    for wrong in (3, b"robot", ["a"]):
        with pytest.raises(ArgumentError, match="srdf is the path of an SRDF file, or its text"):
            arm().with_contact(srdf=wrong)
    with pytest.raises(MissingFileError):
        arm().with_contact(srdf=tmp_path / "no.srdf")
    (tmp_path / "arm.srdf").write_text(SRDF)
    with pytest.raises(FormatError, match=r"SRDF has no links: load the URDF file, and give this one to with_contact"):
        lw.load(tmp_path / "arm.srdf")


def test_a_written_srdf_excludes_what_does_not_touch(tmp_path):
    with pytest.warns(LinkwrightWarning, match="overlap in all configurations"):
        model = arm(radius=0.25).with_contact(exclude=[("foot", "tool")])
    path = model.save(tmp_path / "arm.srdf")
    text = path.read_text()
    assert '<disable_collisions link1="base" link2="link0" reason="Adjacent"/>' in text
    assert '<disable_collisions link1="link2" link2="tool" reason="Adjacent"/>' in text, "MoveIt merges no links"
    assert text.count("reason=") == len(neighbors(model)) + len(model.excluded)
    again = arm(radius=0.25).with_contact(srdf=path, exclude=[("foot", "tool")])  # without a warning
    assert links(again) == links(model)


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
def test_a_real_arm_has_no_contact_at_rest_that_never_ends(tmp_path):
    panda = lw.load("panda_collision")
    with pytest.warns(LinkwrightWarning, match="panda_link1 ─ panda_link3"):
        touching = panda.with_contact()
    assert not {pair for pair in links(touching) if pair == {"panda_link0", "panda_link1"}}
    q = touching.random(200, seed=1)
    depth = np.array([overlap_depths(touching, touching.pairs, one) for one in q[:40]])
    assert (depth == 0.0).any(axis=0).all(), "every pair is apart in some configuration"
    path = touching.save(tmp_path / "panda.srdf")
    assert panda.with_contact(srdf=path).pairs == touching.pairs


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")
@pytest.mark.filterwarnings("ignore::linkwright.errors.LinkwrightWarning")
@pytest.mark.parametrize(("name", "srdf"), [("panda_collision", "panda"), ("talos_reduced", "talos")])
def test_links_of_real_robots_that_overlap_are_disabled_in_their_srdf(name, srdf):
    model = lw.load(name)
    (file,) = robot_file(name, ()).parents[1].rglob(f"{srdf}.srdf")
    disabled = {frozenset(pair) for pair in disabled_collisions(file, model.frames)}
    everything = links(model.with_contact(exclude_overlapping=False))
    touching = links(model.with_contact())
    assert everything - touching <= disabled
    assert links(model.with_contact(srdf=file)) == touching - disabled


@pytest.mark.skipif(not example_robots(), reason="example-robot-data is not installed (the extra robots)")
@pytest.mark.filterwarnings("ignore::linkwright.errors.LinkwrightWarning")
def test_pairs_of_a_real_robot_are_saved(tmp_path):
    model = lw.load("panda_collision")
    (file,) = robot_file("panda_collision", ()).parents[1].rglob("panda.srdf")
    found = model.with_contact(srdf=file)
    assert model.with_contact(srdf=found.save(tmp_path / "robot.srdf")).pairs == found.pairs


def test_a_robot_whose_links_all_overlap_has_no_pairs():
    builder = lw.Builder("knot").body("a", 1.0, inertia=0.1).joint("a", "revolute", "world", "a")
    builder.body("b", 1.0, inertia=0.1).joint("b", "revolute", "a", "b").body("c", 1.0, inertia=0.1)
    builder.joint("c", "revolute", "b", "c")
    for name in "ac":
        builder.shape(name, "sphere", radius=0.1)
    with pytest.raises(ModelError, match="no two shapes of 'knot' may touch"):
        builder.build().with_contact()
