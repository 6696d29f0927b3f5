"""How near and far apart points can be: laws on random postures, and messages on targets beyond."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics, tasks
from linkwright.compiler.native.native import Native
from linkwright.ik_solvers.search.distances import distances
from linkwright.model.joints.joint import Prismatic, Revolute, Spherical, Universal
from mechanisms import one_of_each, random_tree

ARMS = {"arm7": ["tool"], "puma560": ["tool"], "planar:3": ["tip"], "humanoid": ["left_hand", "right_foot"]}


def places_of(model, bounds, q):
    """Where all points are (n, 3), in a posture."""
    poses = dynamics.kinematics.body_poses(model, q)
    found = np.zeros((len(bounds.least), 3))
    for body, of in bounds.places.items():
        T = poses[body] if body >= 0 else np.eye(4)
        for number, place in of.items():
            found[number] = T[:3, :3] @ place + T[:3, 3]
    return found


def assert_between(model, ends, limits, postures):
    result = distances(model, ends, limits)
    assert np.array_equal(result.most, result.most.T)
    assert np.allclose(result.least, result.least.T)
    for q in postures:
        p = places_of(model, result, q)
        away = np.linalg.norm(p[:, None] - p[None], axis=-1)
        assert (away <= result.most + 1e-9).all()
        assert (away >= result.least - 1e-9).all()
    return result


@pytest.mark.variants("limits")
@pytest.mark.parametrize("limits", [True, False])
@pytest.mark.parametrize("name", ARMS)
def test_no_posture_is_beyond(name, limits):
    model = lw.load(name)
    frames = [model.frame(one) for one in ARMS[name]]
    postures = model.random(60, seed=1)
    if not limits and name != "humanoid":  # whose base has a quaternion
        postures = np.random.default_rng(1).uniform(-9.0, 9.0, postures.shape)
    assert_between(model, [(one.body, one.placement[:3, 3]) for one in frames], limits, postures)


@pytest.mark.parametrize("seed", range(6))
def test_no_posture_of_any_joint_type_is_beyond(seed):
    kinds = [Revolute, Spherical, Prismatic, Universal, Revolute, Revolute, Prismatic]
    model = one_of_each(seed) if seed % 2 else random_tree(kinds, seed, mimics=seed > 3)
    ends = [(body, np.array([0.1, -0.2, 0.3])) for body in (len(model.links) - 1, len(model.links) // 2)]
    assert_between(model, ends, True, model.random(60, seed=seed))


def test_the_reach_of_an_arm_is_found():
    arm = lw.load("arm7")
    frame = arm.frame("tool")
    result = assert_between(arm, [(frame.body, frame.placement[:3, 3])], True, arm.random(20, seed=0))
    p = lw.pose(arm, arm.random(20_000, seed=2), "tool")[:, :3, 3]
    shoulder = next(place for place in result.places[-1].values() if np.ptp(np.linalg.norm(p - place, axis=1)) < 0.7)
    number = next(k for k, place in result.places[-1].items() if place is shoulder)
    away = np.linalg.norm(p - shoulder, axis=1)
    assert result.most[0, number] == pytest.approx(away.max(), abs=0.01)
    assert result.least[0, number] == pytest.approx(away.min(), abs=0.03)


def test_slides_reach_as_far_as_they_go():
    builder = lw.Builder("gantry").body("x", 1.0).body("y", 1.0)
    builder.joint("a", "prismatic", "world", "x", axis=[1, 0, 0], limits=(0.0, 2.0))
    builder.joint("b", "prismatic", "x", "y", axis=[0, 1, 0], limits=(0.5, 1.0))
    model = builder.frame("tip", "y", xyz=(0.0, 0.0, 0.3)).build()
    frame = model.frame("tip")
    result = assert_between(model, [(frame.body, frame.placement[:3, 3])], True, model.random(50, seed=0))
    assert np.isfinite(result.most).all()
    reached = lw.inverse_kinematics(model, {"tip": [4.0, 0.7, 0.3]})
    assert (reached.reason, reached.attempts) == ("limits", 0)
    assert np.allclose(reached.q, [2.0, 0.7])


def test_what_is_beyond_is_not_looked_for():
    arm = lw.load("arm7")
    T = lw.pose(arm, arm.random(40, seed=3), "tool")
    T[:, :3, 3] *= 5.0
    reached = lw.inverse_kinematics(arm, {"tool": T})
    assert not reached.converged.any()
    assert set(reached.reason) == {"out of reach"}
    assert (reached.attempts == 0).all()
    best = lw.inverse_kinematics(arm, {tasks.Position("tool"): T[:, :3, 3]})
    assert (reached.error >= best.error - 1e-6).all()
    assert ((reached.q >= arm.lower) & (reached.q <= arm.upper)).all()


def test_feet_that_stand_hold_the_hands_back():
    humanoid = lw.load("humanoid")
    start = humanoid.neutral()
    start[7:] = 0.1
    foot, hand = (lw.pose(humanoid, start, name) for name in ("left_foot", "left_hand"))
    far = hand[:3, 3] + [3.0, 0.0, 0.0]
    reached = lw.inverse_kinematics(humanoid, {"left_foot": foot, "left_hand": far}, initial_guess=start)
    assert reached.reason == "out of reach"
    assert reached.attempts == 0
    assert lw.inverse_kinematics(humanoid, {"left_hand": far}, initial_guess=start).converged  # it may walk there
    seen = {tasks.Position("left_hand", relative_to="left_foot"): [3.0, 0.0, 0.0]}
    assert lw.inverse_kinematics(humanoid, seen, initial_guess=start).attempts == 0


def test_what_limits_exclude_is_no_matter_of_reach():
    arm = lw.load("arm7")
    near = lw.pose(arm, np.array([0.0, 0.5, 0.0, 2.6, 0.0, 0.5, 0.0]), "tool")  # folded further than the elbow goes
    reached = lw.inverse_kinematics(arm, {"tool": near})
    assert reached.reason == "limits"
    assert reached.attempts == 0


@pytest.mark.parametrize("started", [False, True])
def test_a_target_that_is_wrong_needs_no_further_code(started, monkeypatch):
    arm = lw.load("arm7").with_gravity([0.0, 0.0, -1.62])
    start = arm.neutral() + 0.1 if started else None
    T = lw.pose(arm, arm.random(seed=3), "tool")
    assert lw.inverse_kinematics(arm, {"tool": T}, initial_guess=start).converged
    far, turned = T.copy(), T.copy()
    far[:3, 3] *= 4.0
    turned[:3, 3] = [0.0, 0.0, 0.36 + 0.9]
    turned[:3, :3] = lw.rotation.about([1.0, 0.0, 0.0], 2.0)
    made, make = [], Native._made
    monkeypatch.setattr(Native, "_made", lambda native, part, soon: made.append(part) or make(native, part, soon))
    assert lw.inverse_kinematics(arm, {"tool": far}, initial_guess=start).reason == "out of reach"
    assert not lw.inverse_kinematics(arm, {"tool": turned}, initial_guess=start).converged
    assert not made
