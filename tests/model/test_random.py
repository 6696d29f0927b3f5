"""Random configurations: where they lie, that seeds repeat them, and that a million rows take no loop of Python's."""

import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatWarning, InputError
from linkwright.model.joints.joint import JOINT_TYPES
from mechanisms import one_of_each


def calls(function) -> int:
    """How many functions are called, Python's and C's."""
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", ["arm7", "humanoid"])
def test_rows_take_no_loop(name):
    model = lw.load(name)
    model.random(2)
    assert calls(lambda: model.random(2000)) == calls(lambda: model.random(2))


def test_limits_of_every_kind():
    builder = lw.Builder("limited")
    limits = {"both": (0.2, 0.7), "low": (1.0, None), "high": (None, 2.0), "none": (None, None), "one": (0.1, 0.1)}
    limits["wide"] = (-1.5e308, 1.5e308)  # beyond a million turns: no limits
    parent = "world"
    for name, (lower, upper) in limits.items():
        builder.body(name, 1.0, inertia=0.1).joint(f"{name}_joint", "revolute", parent, name, limits=(lower, upper))
        parent = name
    builder.body("slider", 1.0, inertia=0.1)
    builder.joint("slide", "prismatic", parent, "slider")
    q = builder.build().random(4000, seed=3)
    expected = [(0.2, 0.7), (1.0, 1.0 + 2 * np.pi), (2.0 - 2 * np.pi, 2.0), (-np.pi, np.pi), (0.1, 0.1)]
    for column, (low, high) in zip(q.T, [*expected, (-np.pi, np.pi), (-1.0, 1.0)], strict=True):
        assert low <= column.min()
        assert column.max() <= high
        fractions = (column / 2 - low / 2) / max(high / 2 - low / 2, 1e-300)
        if low < high:  # uniform: mean ½ and variance 1/12, by five standard deviations
            assert abs(fractions.mean() - 0.5) < 5 / np.sqrt(12 * 4000)
            assert abs(fractions.var() - 1 / 12) < 5 / np.sqrt(180 * 4000)


def test_rotations_are_uniform():
    model = lw.Builder("ball").body("a", 1.0, inertia=0.1).joint("ball", "spherical", "world", "a").build()
    q = model.random(4000, seed=1)
    assert np.abs(np.linalg.norm(q, axis=1) - 1.0).max() < 1e-15
    R = lw.pose(model, q, "a")[:, :3, :3]
    assert np.abs(R.mean(axis=0)).max() < 5 / np.sqrt(3 * 4000)  # every axis points everywhere alike
    assert np.abs((R**2).mean(axis=0) - 1 / 3).max() < 5 * np.sqrt(4 / 45 / 4000)


def test_shapes_seeds_and_refusals():
    model = one_of_each()
    assert model.random().shape == (model.nq,)
    assert model.random(0).shape == (0, model.nq)
    assert model.random(np.int64(3)).shape == (3, model.nq)
    assert np.array_equal(model.random(5, seed=7), model.random(5, seed=7))
    assert np.array_equal(model.random(seed=7), model.random(1, seed=7)[0])
    generator = np.random.default_rng(7)
    first, second = model.random(5, seed=generator), model.random(5, seed=generator)
    assert np.array_equal(first, model.random(5, seed=7))
    assert not np.array_equal(first, second)
    lw.check(model, model.random(50))
    for wrong in (-1, True, 2.0, "3"):
        with pytest.raises(InputError, match="whole number"):
            model.random(wrong)
    with pytest.raises(InputError, match="more than memory holds"):
        model.random(10**30)


def test_followers_have_no_coordinates():
    builder = lw.Builder("followed").body("a", 1.0, inertia=0.1).body("b", 1.0, inertia=0.1).body("c", 1.0, inertia=0.1)
    builder.joint("lead", "revolute", "world", "a", limits=(0.0, 0.5))
    builder.joint("follow", "revolute", "a", "b", limits=(-9.0, -8.0)).mimic("follow", "lead", 2.0, 0.1)
    builder.joint("last", "spherical", "b", "c")
    with pytest.warns(FormatWarning, match="'follow': its limits and those of 'lead', which it mimics, have no range"):
        model = builder.build()
    q = model.random(100, seed=0)
    assert q.shape == (100, 5)
    assert ((q[:, 0] >= 0.0) & (q[:, 0] <= 0.5)).all()
    assert np.abs(np.linalg.norm(q[:, 1:], axis=1) - 1.0).max() < 1e-15


@pytest.mark.parametrize(("multiplier", "offset"), [(-1.0, 0.2), (2.0, 0.0), (-0.25, 3.0)])
def test_followers_keep_their_own_limits(multiplier, offset):
    builder = lw.Builder("followed").body("a", 1.0, inertia=0.1).body("b", 1.0, inertia=0.1).body("c", 1.0, inertia=0.1)
    builder.joint("lead", "revolute", "world", "a", limits=(-2.0, 2.0))
    builder.joint("half", "revolute", "a", "b", limits=(-3.0, 3.0)).mimic("half", "lead", 2.0)
    builder.joint("follow", "revolute", "b", "c", limits=(-1.0, 3.0)).mimic("follow", "lead", multiplier, offset)
    model = builder.build()
    ends = np.sort((np.array([-1.0, 3.0]) - offset) / multiplier)
    assert model.lower == pytest.approx(max(-1.5, ends[0]))
    assert model.upper == pytest.approx(min(1.5, ends[1]))
    q = model.random(200, seed=0)
    assert ((q >= model.lower) & (q <= model.upper)).all()
    assert model.joint("lead").upper == 2.0


def test_limits_that_contradict_each_other_are_reported_once():
    builder = lw.Builder("gripper").body("a", 1.0, inertia=0.1).body("b", 1.0, inertia=0.1)
    builder.joint("left", "revolute", "world", "a", limits=(0.0, 0.8))
    builder.joint("right", "revolute", "world", "b", limits=(0.0, 0.8)).mimic("right", "left", -1.0)
    with pytest.warns(FormatWarning, match="'right': its limits and those of 'left'"):
        model = builder.build()
    assert (model.lower, model.upper) == (0.0, 0.8)
    assert model.with_payload("a", 1.0, inertia=0.0).upper == 0.8  # with no further warning


@pytest.mark.parametrize(
    "motion", [kind for kind in JOINT_TYPES if kind.type != "compound"], ids=lambda kind: kind.type
)
def test_a_joint_by_itself(motion):
    joint = motion()
    unlimited = np.full(joint.nq, np.inf)
    q = joint.sample(np.random.default_rng(0), -unlimited, unlimited)
    assert q.shape == joint.reach.shape == (joint.nq,)
    for start in joint.quaternions:
        assert abs(np.linalg.norm(q[start : start + 4]) - 1.0) < 1e-15
