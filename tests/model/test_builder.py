"""Errors of the builder and of methods of a model name the mistake of the caller."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError
from mechanisms import one_of_each

SHAPE_3 = r"must be finite numbers of shape \(3,\)"


def builder():
    made = lw.Builder("two").body("a", mass=1.0, inertia=1.0).body("b", mass=1.0, inertia=1.0)
    return made.joint("first", "revolute", "world", "a")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mass": [1.0]}, "mass of body 'c' must be a finite number"),
        ({"mass": None}, "mass of body 'c' must be an array of real numbers; got None"),
        ({"mass": "heavy"}, "mass of body 'c'.*'heavy'"),
        ({"center_of_mass": (1.0, 2.0)}, f"center of mass of body 'c' {SHAPE_3}"),
        ({"inertia": [1.0, 2.0]}, r"inertia of body 'c' must be a finite number or .*\(3,\) or .*\(3, 3\)"),
        ({"inertia": np.nan}, "inertia of body 'c'"),
    ],
)
def test_bodies(options, message):
    with pytest.raises(LinkwrightError, match=message):
        builder().body("c", **options)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        *(("hooke", "universal"), ("cardan", "universal"), ("ball", "spherical"), ("float", "free"), ("6dof", "free")),
        *(("hinge", "revolute"), ("rotational", "revolute"), ("slide", "prismatic"), ("linear", "prismatic")),
        *((("screw", 0.01), ("helical", 0.01)), ("weld", "fixed")),
    ],
)
def test_names_of_joints_in_other_libraries(theirs, ours):
    """Of RoKi (hooke, float), EusLisp (rotational, linear, 6dof), MuJoCo (hinge, slide, ball) and textbooks."""
    one, other = (builder().joint("second", name, "a", "b", xyz=(1, 0, 0)).build() for name in (theirs, ours))
    assert one == other
    assert str(one) == str(other)


def test_names_of_loops_and_of_bases_in_other_libraries():
    def closed(name):
        made = builder().joint("second", "revolute", "world", "b", xyz=(1, 0, 0))
        return made.loop("loop", name, "a", "b", xyz=(0.5, 0, 0)).build()

    for theirs, ours in (("spherical", "ball"), ("fixed", "weld"), ("hinge", "revolute"), ("hooke", "universal")):
        assert closed(theirs).loops == closed(ours).loops
    assert lw.load("arm7", root="float").joints[0].type == "free"


@pytest.mark.parametrize(
    ("type", "options", "message"),
    [
        ("revolute", {"axis": "y"}, "a joint axis must be"),
        ("revolute", {"axis": [0, "x", 1]}, "a joint axis must be"),
        ("revolute", {"axis": 1}, f"a joint axis {SHAPE_3}"),
        ("revolute", {"axis": [0, 0, 0]}, "not all zero"),
        ("universal", {"axis": [[0, 0, 1], "y"]}, "a joint axis must be"),
        (["revolute"], {}, "type is a name, or"),
        ("helical", {}, "needs a pitch"),
        (("helical", np.nan), {}, "pitch.*must be a finite number"),
        (("helical", np.inf), {}, "pitch.*must be a finite number"),
        (("helical", "0.1"), {}, "pitch.*must be an array of real numbers"),
        (("helical", [0.1]), {}, "pitch.*must be a finite number"),
        (("revolute", 0.1), {}, "has no pitch"),
        ("revolute", {"xyz": "abc"}, "joint 'second': xyz must be"),
        ("revolute", {"rpy": (0.0, 1.0)}, f"joint 'second': rpy {SHAPE_3}"),
        ("revolute", {"placement": "here"}, "a placement must be"),
        ("revolute", {"placement": [[1], [1, 2]]}, "a placement must be"),
        ("revolute", {"placement": np.eye(4), "xyz": (0, 0, 0)}, "not both"),
        ("revolute", {"limits": (-1, 0, 1)}, r"limits is \(lower, upper\) or lw.JointLimits"),
    ],
)
def test_joints(type, options, message):
    with pytest.raises(LinkwrightError, match=message):
        builder().joint("second", type, "a", "b", **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda made: made.mimic("second", 3), "the joint it mimics is given by its name"),
        (lambda made: made.mimic("second", "first", "x"), "joint 'second': the multiplier"),
        (lambda made: made.mimic("second", "first", offset=[1, 2]), "joint 'second': the offset"),
        (lambda made: made.mimic("third", "first").build(), "unknown joint 'third'; there are first, second"),
        (lambda made: made.joint_spring("third", 1.0).build(), "unknown joint 'third'; there are first, second"),
    ],
)
def test_springs_and_couplings_of_joints(change, message):
    with pytest.raises(LinkwrightError, match=message):
        change(builder().joint("second", "revolute", "a", "b"))


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: builder().body(["c"]),
        lambda: builder().joint(None, "revolute", "a", "b"),
        lambda: builder().joint(["second"], "revolute", "a", "b"),
        lambda: builder().joint("second", "revolute", ["a"], "b"),
        lambda: builder().joint("second", "revolute", "a", {"b"}),
        lambda: builder().frame("tool", ["a"]),
        lambda: builder().frame(3, "a"),
        lambda: builder().loop(None, "ball", "a", "b"),
        lambda: builder().loop("closure", "ball", ["a"], "b"),
    ],
)
def test_names_are_text(attempt):
    with pytest.raises(LinkwrightError, match="is given by its name, a str"):
        attempt()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"placement": np.eye(4), "xyz": (0, 0, 1)}, "not both"),
        ({"placement": np.eye(4), "rpy": (0, 0, 1)}, "not both"),
        ({"xyz": (0, 1)}, f"frame 'tool': xyz {SHAPE_3}"),
        ({"rpy": [np.nan, 0, 0]}, f"frame 'tool': rpy {SHAPE_3}"),
    ],
)
def test_frames(options, message):
    with pytest.raises(LinkwrightError, match=message):
        builder().frame("tool", "a", **options)


@pytest.mark.parametrize(
    ("type", "options"),
    [(("helical", "x"), {}), (("distance", [1.0]), {}), (("mask", 3), {}), (["ball"], {})],
)
def test_loops(type, options):
    with pytest.raises(LinkwrightError):
        builder().joint("second", "revolute", "a", "b").loop("closure", type, "b", "world", **options)


@pytest.mark.parametrize("gravity", ["down", None, 9.81, (0, 0, np.nan), (0, -9.81)])
def test_gravity(gravity):
    with pytest.raises(LinkwrightError, match="gravity must be"):
        lw.Builder("space", gravity=gravity)
    with pytest.raises(LinkwrightError, match="gravity must be"):
        lw.load("two_link").with_gravity(gravity)


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        (None, "a dict"),
        ("joint1", "a dict"),
        (["joint1"], "a dict"),
        ({"joint1": "x"}, "'joint1'.*real numbers; got 'x'"),
        ({"joint1": 1j}, "'joint1'.*real numbers"),
        ({"joint1": None}, "'joint1'.*real numbers"),
        ({"joint1": np.nan}, "cannot be locked at nan"),
        ({"joint1": [0.0, 1.0]}, "1 coordinate"),
        ({"elbow": 0.0}, "unknown joint 'elbow'"),
    ],
)
def test_locks(positions, message):
    with pytest.raises(LinkwrightError, match=message):
        lw.load("two_link").lock(positions)


@pytest.mark.parametrize("arguments", [(-1,), ("a",), (1.5,), (True,), (None, "x"), (None, -1), (2, 1.5)])
def test_random_configurations_are_counted(arguments):
    with pytest.raises(LinkwrightError, match="whole number from 0 on"):
        lw.load("two_link").random(*arguments)


def test_random_configurations_of_none():
    model = one_of_each(0)
    assert model.random(0).shape == (0, model.nq)
    assert model.random(np.int64(2), seed=np.random.default_rng(0)).shape == (2, model.nq)


def test_limits_cannot_be_written():
    for model in (lw.load("arm7"), one_of_each(0), lw.Builder("nothing").build()):
        for limits in (model.lower, model.upper):
            assert limits.shape == (model.nq,)
            assert not limits.flags.writeable
