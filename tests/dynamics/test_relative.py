"""Motion as seen from another frame: laws on random trees, and what is left where frames share their joints."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.kinematics import REFERENCE_FRAMES
from linkwright.errors import LinkwrightError
from linkwright.model.joints.joint import JOINT_TYPES
from linkwright.spatial.transform import inverse_pose, motion_transform
from mechanisms import one_of_each, random_tree, relative_error, state, trees

laws = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def derivative(f, h=1e-3):
    """d/dt f at 0 by central differences of order six."""
    return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h)


@laws
@given(trees(), seeds, st.sampled_from(REFERENCE_FRAMES), st.integers(0, 10**6))
def test_what_is_seen_from_another_frame(model, seed, reference_frame, pick):
    q, v, a = state(model, seed)
    names = sorted(model.frames)
    frame, base = names[pick % len(names)], names[(pick // len(names)) % len(names)]

    def along(h):
        return dynamics.integrate(model, q, h * v)

    T = dynamics.pose(model, q, frame, base)
    assert relative_error(T, inverse_pose(dynamics.pose(model, q, base)) @ dynamics.pose(model, q, frame)) < 1e-13
    twist = dynamics.velocity(model, q, v, frame, reference_frame, base)
    J = dynamics.jacobian(model, q, frame, reference_frame, base)
    J_dot = dynamics.jacobian_dot(model, q, v, frame, reference_frame, base)
    bias = dynamics.jacobian_dot_times_v(model, q, v, frame, reference_frame, base)
    assert relative_error(J @ v, twist) < 1e-12
    assert relative_error(J_dot @ v, bias) < 1e-12
    assert relative_error(dynamics.acceleration(model, q, v, a, frame, reference_frame, base), J @ a + bias) < 1e-12
    assert (
        relative_error(J_dot, derivative(lambda h: dynamics.jacobian(model, along(h), frame, reference_frame, base)))
        < 1e-8
    )
    # the twist is that of the pose
    T_dot = derivative(lambda h: dynamics.pose(model, along(h), frame, base))
    R, p = T[:3, :3], T[:3, 3]
    spin = T_dot[:3, :3] @ R.T
    basic = np.concatenate([T_dot[:3, 3], [spin[2, 1], spin[0, 2], spin[1, 0]]])
    v_o, w = basic[:3], basic[3:]
    expected = {
        "world_aligned": basic,
        "body": np.concatenate([R.T @ v_o, R.T @ w]),
        "world": np.concatenate([v_o - np.cross(w, p), w]),
    }[reference_frame]
    assert relative_error(twist, expected) < 1e-8


@laws
@given(trees(), seeds)
def test_twists_of_a_chain_of_frames_add_up(model, seed):
    q, v, _ = state(model, seed)
    first, last = model.bodies[0].name, "tip"
    T = dynamics.pose(model, q, last, first)
    to_last = motion_transform(inverse_pose(T))
    whole = dynamics.velocity(model, q, v, last, "body")
    parts = dynamics.velocity(model, q, v, last, "body", first) + to_last @ dynamics.velocity(
        model, q, v, first, "body"
    )
    assert relative_error(whole, parts) < 1e-12


def test_only_joints_between_two_frames_count():
    model = lw.load("arm7")
    q = lw.symbols("q", model.nq)
    bodies = [body.name for body in model.bodies]
    T = lw.pose(model, q, bodies[5], bodies[2])
    J = lw.jacobian(model, q, bodies[5], relative_to=bodies[2])
    result = {str(x) for entry in [*T.flat, *J.flat] for x in [entry]}
    assert not any(f"q[{k}]" in text for text in result for k in (0, 1, 2, 6))
    assert all(
        x == 0.0 for k in (0, 1, 2, 6) for x in lw.jacobian(model, np.ones(7), bodies[5], relative_to=bodies[2])[:, k]
    )
    hand = lw.compile(lw.pose, model, frame=bodies[5], relative_to=bodies[2]).operations
    assert hand.total < lw.compile(lw.pose, model, frame=bodies[5]).operations.total


def test_frames_of_one_body_do_not_move_in_each_other():
    model = random_tree([type(one_of_each(0).joints[0].motion)], 3)
    q, v, a = state(model, 0)
    body = model.bodies[-1].name
    assert np.all(lw.jacobian(model, q, "tip", relative_to=body) == 0.0)
    assert np.all(lw.acceleration(model, q, v, a, "tip", relative_to=body) == 0.0)
    assert relative_error(lw.pose(model, q, body, body), np.eye(4)) < 1e-15


def test_several_frames_in_one_call():
    model = lw.load("humanoid")
    q = model.random(4, seed=0).reshape(2, 2, -1)
    frames = [body.name for body in model.bodies[:5]]
    found = lw.pose(model, q, frames, relative_to=frames[2])
    assert found.shape == (2, 2, 5, 4, 4)
    for k, frame in enumerate(frames):
        assert relative_error(found[..., k, :, :], lw.pose(model, q, frame, relative_to=frames[2])) < 1e-14
    assert np.array_equal(found, lw.pose(model, q, tuple(frames), relative_to=frames[2]))
    with pytest.raises(LinkwrightError, match="one or more names"):
        lw.pose(model, q, [])
    with pytest.raises(LinkwrightError, match="unknown frame 'nobody'"):
        lw.pose(model, q, frames[0], relative_to="nobody")


SPATIAL = ["arm7", "puma560", "humanoid", "quadruped", "chain3d:12", "all types"]


@pytest.mark.parametrize(
    ("name", "reference_frame"),
    [*((name, x) for name in SPATIAL for x in REFERENCE_FRAMES), ("planar:5", "world_aligned"), ("planar:5", "body")],
)
def test_the_bias_takes_fewer_operations_than_the_matrix(name, reference_frame):
    model = one_of_each(0) if name == "all types" else lw.load(name)
    frame = "tip" if name == "all types" else model.bodies[-1].name
    between = model.bodies[len(model.bodies) // 2 - 1].name
    for base in ("world",) if name == "planar:5" else ("world", between):
        bias, matrix = (
            lw.compile(f, model, frame=frame, reference_frame=reference_frame, relative_to=base).operations.total
            for f in (lw.jacobian_dot_times_v, lw.jacobian_dot)
        )
        assert bias < matrix


def test_large_mechanisms_too():
    model = random_tree([JOINT_TYPES[k % len(JOINT_TYPES)] for k in range(120)], seed=5)
    q, v, a = state(model, 0)
    deepest = max(range(120), key=lambda k: len(model.path(k)))
    base, frame = model.bodies[model.path(deepest)[2]].name, model.bodies[deepest].name
    for name, arrays in (
        ("pose", (q,)),
        ("velocity", (q, v)),
        ("acceleration", (q, v, a)),
        ("jacobian", (q,)),
        ("jacobian_dot", (q, v)),
        ("jacobian_dot_times_v", (q, v)),
    ):
        for around in (base, "world"):
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # that it runs row by row
                found = getattr(lw, name)(model, *arrays, frame, relative_to=around)
            assert relative_error(found, getattr(dynamics, name)(model, *arrays, frame, relative_to=around)) < 1e-10, (
                name
            )
