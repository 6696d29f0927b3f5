"""Directions lost and free, and wrenches from efforts: by their definitions, at singularities, of any size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.kinematics import REFERENCE_FRAMES
from linkwright.errors import ArgumentError, InputError, LinkwrightError, ShapeError
from mechanisms import relative_error, state, trees

laws = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def test_a_straight_arm():
    """Efforts (1, 0.5, 0.2) N m of three links of 1 m in a line."""
    model = lw.load("planar:3")
    tau = np.array([1.0, 0.5, 0.2])
    found = lw.static_wrench(model, np.zeros(3), "tip", tau)
    assert np.abs(found.wrench - [0.0, 0.4, 0.0, 0.0, 0.0, -0.7 / 3.0]).max() < 1e-14
    assert found.rank == 2
    assert np.abs(found.residual - np.array([1.0, -2.0, 1.0]) / 30.0).max() < 1e-14
    assert np.array_equal(found.unproduced, np.eye(6)[:, [0, 2, 3, 4]])  # along the arm, and out of the plane
    assert np.array_equal(lw.singular_directions(model, np.zeros(3), "tip", ("x", "y", "rz")), [[1.0], [0.0], [0.0]])
    free = lw.null_space(model, np.zeros(3), "tip")
    assert np.abs(np.abs(free[:, 0]) - np.array([1.0, 2.0, 1.0]) / np.sqrt(6.0)).max() < 1e-14
    assert np.abs(found.residual @ free[:, 0]) == pytest.approx(np.linalg.norm(found.residual))  # all of it moves
    bent = lw.static_wrench(model, [0.2, 0.7, -0.4], "tip", tau)
    assert bent.rank == 3
    assert np.abs(bent.residual).max() < 1e-14
    assert bent.unproduced.shape == (6, 3)


@laws
@given(trees(), st.integers(0, 2**32 - 1), st.integers(0, 10**6))
def test_wrenches_from_efforts_and_back(model, seed, pick):
    q, v, _ = state(model, seed)
    frame = sorted(model.frames)[pick % len(model.frames)]
    J = dynamics.jacobian(model, q, frame)
    efforts = dynamics.joint_forces(model, q, frame, np.arange(1.0, 7.0))
    found = lw.static_wrench(model, q, frame, efforts)
    assert relative_error(J.T @ found.wrench, efforts) < 1e-9
    assert np.abs(found.residual).max(initial=0.0) < 1e-9 * (1.0 + np.abs(efforts).max(initial=0.0))
    # wrenches that take no efforts, and motions that move nothing
    assert found.unproduced.shape == (6, 6 - found.rank)
    assert np.abs(J.T @ found.unproduced).max(initial=0.0) < 1e-8 * (1.0 + np.abs(J).max(initial=0.0))
    assert np.array_equal(found.unproduced, lw.singular_directions(model, q, frame))
    free = lw.null_space(model, q, frame)
    assert free.shape == (model.nv, model.nv - found.rank)
    assert np.abs(J @ free).max(initial=0.0) < 1e-8 * (1.0 + np.abs(J).max(initial=0.0))
    assert np.linalg.matrix_rank(free) == free.shape[1] if free.size else True
    # what is left of any efforts is what no wrench can do anything about
    any_efforts = lw.static_wrench(model, q, frame, v)
    assert np.abs(J @ any_efforts.residual).max(initial=0.0) < 1e-7 * (1.0 + np.abs(J).max(initial=0.0) ** 2)


def test_batches_of_different_ranks():
    model = lw.load("planar:3")
    q = np.array([[0.0, 0.0, 0.0], [0.2, 0.7, -0.4]])
    found = lw.static_wrench(model, q[:, None], "tip", np.ones((4, 3)))
    assert found.wrench.shape == (2, 4, 6)
    assert found.rank.tolist() == [[2], [3]]
    assert found.unproduced.shape == (2, 1, 6, 4)
    assert np.array_equal(found.unproduced[1, 0, :, 3], np.zeros(6))
    assert lw.null_space(model, q, "tip").shape == (2, 3, 1)
    assert np.array_equal(lw.null_space(model, q, "tip")[1], np.zeros((3, 1)))
    assert lw.null_space(model, q[1], "tip").shape == (3, 0)
    assert lw.null_space(model, q[:0], "tip").shape[:2] == (0, 3)
    for row, one in zip(q, found.wrench[:, 0], strict=True):
        assert relative_error(lw.static_wrench(model, row, "tip", np.ones(3)).wrench, one) < 1e-15


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_any_size(size):
    """A watch's arm and a crane's have the same ranks."""
    builder = lw.Builder("arm")
    parent = "world"
    for k in range(4):
        kind, axis = ("prismatic", [0.0, 1.0, 0.0]) if k == 3 else ("revolute", [0.0, 0.0, 1.0])
        builder.body(f"b{k}", 1.0)
        builder.joint(f"j{k}", kind, parent, f"b{k}", axis=axis, xyz=[size * (k > 0), 0.0, 0.0])
        parent = f"b{k}"
    builder.frame("tip", parent, xyz=[size, 0.0, 0.0])
    model = builder.build()
    for bend, rank in ((0.4, 3), (1e-7, 3), (1e-10, 2), (0.0, 2)):
        q = [0.1, bend, 0.0, 0.0]
        assert lw.static_wrench(model, q, "tip", np.zeros(4)).rank == rank, bend
        assert lw.null_space(model, q, "tip").shape == (4, 4 - rank), bend


def test_free_motion_of_seven_joints():
    model = lw.load("arm7")
    frame = model.bodies[-1].name
    q = model.random(10, seed=0)
    free = lw.null_space(model, q, frame)
    assert free.shape == (10, 7, 1)
    assert np.abs(lw.jacobian(model, q, frame) @ free).max() < 1e-13
    minors = np.stack(
        [(-1) ** k * np.linalg.det(np.delete(lw.jacobian(model, q, frame), k, axis=2)) for k in range(7)], 1
    )
    assert relative_error(np.linalg.norm(minors, axis=1), lw.manipulability(model, q, frame)) < 1e-12
    minors /= np.linalg.norm(minors, axis=1, keepdims=True)
    assert np.abs(np.abs((minors * free[..., 0]).sum(axis=1)) - 1.0).max() < 1e-12
    assert lw.null_space(model, q, frame, "linear").shape == (10, 7, 4)


def test_mistakes_are_reported():
    model = lw.load("planar:3")
    with pytest.raises(ArgumentError, match="need numbers"):
        lw.null_space(model, lw.symbols("q", 3), "tip")
    with pytest.raises(ArgumentError, match="first argument is a Model"):
        lw.null_space("planar:3", np.zeros(3), "tip")
    with pytest.raises(InputError, match="not finite"):
        lw.singular_directions(model, [np.nan, 0.0, 0.0], "tip")
    with pytest.raises(ShapeError, match=r"tau has shape \(2,\); expected \(…, 3\) for 'planar:3'"):
        lw.static_wrench(model, np.zeros(3), "tip", [1.0, 2.0])
    with pytest.raises(ShapeError, match="do not broadcast"):
        lw.static_wrench(model, np.zeros((2, 3)), "tip", np.zeros((5, 3)))
    with pytest.raises(LinkwrightError, match="unknown frame 'top'"):
        lw.null_space(model, np.zeros(3), "top")
    with pytest.raises(InputError, match="directions are"):
        lw.null_space(model, np.zeros(3), "tip", "up")
    with pytest.raises(ArgumentError, match="static_wrench lacks 'tau'"):
        lw.static_wrench(model, np.zeros(3), "tip")


@laws
@given(trees(), seeds, st.sampled_from(REFERENCE_FRAMES), st.integers(0, 10**6))
def test_efforts_of_a_wrench_between_two_frames(model, seed, reference, pick):
    q, v, _ = state(model, seed)
    names = sorted(model.frames)
    frame, base = names[pick % len(names)], names[(pick // len(names)) % len(names)]
    wrench = np.arange(1.0, 7.0)
    efforts = dynamics.joint_forces(model, q, frame, wrench, reference, base)
    power = wrench @ dynamics.velocity(model, q, v, frame, reference, base)  # what the wrench does, the joints do
    assert efforts @ v == pytest.approx(power, rel=1e-10, abs=1e-10)
    # the same pair of wrenches on both frames, as the world sees it
    in_world = dynamics.joint_forces(model, q, frame, wrench, reference)
    assert relative_error(dynamics.joint_forces(model, q, frame, wrench, reference, "world"), in_world) == 0.0
    if reference == "world_aligned":
        T_frame, T_base = (dynamics.pose(model, q, name) for name in (frame, base))
        f, n = T_base[:3, :3] @ wrench[:3], T_base[:3, :3] @ wrench[3:]
        back = np.concatenate([f, n + np.cross(T_frame[:3, 3] - T_base[:3, 3], f)])
        both = dynamics.joint_forces(model, q, frame, np.concatenate([f, n]))
        both = both - dynamics.joint_forces(model, q, base, back)
        assert relative_error(efforts, both) < 1e-11
