"""Measures and ellipsoids of Jacobians: against NumPy's singular values, by their definitions, at singularities."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.dynamics.frames.manipulability import MEASURES
from linkwright.errors import InputError, ModelError
from linkwright.model.scale import scale_of
from linkwright.spatial.linear_algebra.singular import singular_values, triangle
from mechanisms import relative_error

PLANE = ("x", "y", "rz")


@pytest.mark.parametrize(("m", "n"), [(1, 4), (2, 5), (3, 2), (6, 7), (6, 3), (6, 6)])
def test_singular_values_by_rotations(m, n):
    """Of general matrices, dependent rows, rows of very different lengths, rows of zeros."""
    rng = np.random.default_rng(m)
    A = rng.normal(size=(200, m, n))
    A[:50, -1] = A[:50, 0] * (1.0 + 1e-9 * rng.normal(size=(50, 1)))
    A[50:100] *= 10.0 ** rng.uniform(-6.0, 6.0, (50, m, 1))
    A[100:110], A[110:120, 1:], A[120:130, :, 0] = 0.0, 0.0, 0.0
    U, s = lw.compile(lambda A: singular_values(A), A=(m, n))(A)
    theirs = np.linalg.svd(A, compute_uv=False)
    theirs = np.concatenate([theirs, np.zeros((200, m - theirs.shape[1]))], axis=1)
    largest = theirs[:, :1] + 1e-150
    assert (np.abs(s - theirs) / largest).max() < 4e-15
    assert np.abs(np.swapaxes(U, 1, 2) @ U - np.eye(m)).max() < 1e-14
    again = (U * s[:, None, :] ** 2) @ np.swapaxes(U, 1, 2)
    assert (np.abs(again - A @ np.swapaxes(A, 1, 2)) / largest[..., None] ** 2).max() < 1e-14
    for row, expected in zip(A, theirs, strict=True):
        _, lengths = singular_values(row)
        assert np.abs(lengths - expected).max() <= 4e-15 * expected[0]
        L = triangle(row)
        assert np.abs(L @ L.T - row @ row.T).max() <= 1e-14 * expected[0] ** 2


@pytest.mark.parametrize("name", ["arm7", "puma560", "humanoid"])
def test_measures_by_their_definitions(name):
    model = lw.load(name)
    frame = model.bodies[-1].name
    q = model.random(20, seed=0)
    J, L = lw.jacobian(model, q, frame), scale_of(model).length
    s = np.linalg.svd(J, compute_uv=False)
    assert relative_error(lw.manipulability(model, q, frame), s.prod(axis=-1)) < 1e-13
    linear = np.linalg.svd(J[:, :3], compute_uv=False)
    assert relative_error(lw.manipulability(model, q, frame, directions="linear"), linear.prod(axis=-1)) < 1e-13
    own = J / np.array([L] * 3 + [1.0] * 3)[:, None]
    inverse = np.linalg.eigvalsh(own @ np.linalg.solve(lw.mass_matrix(model, q), np.swapaxes(own, 1, 2)))
    asada = inverse[:, 0] / inverse[:, -1]
    assert relative_error(lw.manipulability(model, q, frame, "asada"), asada) < 1e-9
    s = np.linalg.svd(own * scale_of(model).velocities, compute_uv=False)
    assert relative_error(lw.manipulability(model, q, frame, "condition"), s[:, -1] / s[:, 0]) < 1e-13


def test_the_gradient_of_manipulability():
    """∂μ/∂q_i = μ tr(J⁺ ∂J/∂q_i) (Yoshikawa 1985)."""
    model = lw.load("arm7")
    frame = model.bodies[-1].name
    gradient = lw.derivative(lw.manipulability, "q")
    for q in model.random(5, seed=1):
        J, H = lw.jacobian(model, q, frame), lw.kinematic_hessian(model, q, frame)
        expected = lw.manipulability(model, q, frame) * np.einsum("jk,kji->i", np.linalg.pinv(J), H)
        assert relative_error(gradient(model, q, frame), expected) < 1e-12
    assert np.isfinite(gradient(model, np.zeros(7), frame)).all()  # singular


def test_a_straight_arm_is_singular():
    model = lw.load("planar:3")
    bent, straight = [0.3, 0.8, -0.4], [0.3, 0.0, 0.0]
    for measure in MEASURES:
        assert lw.manipulability(model, bent, "tip", measure, PLANE) > 1e-3
        assert lw.manipulability(model, straight, "tip", measure, PLANE) < 1e-14
        assert lw.manipulability(model, bent, "tip", measure) == 0.0  # it moves in a plane only
    assert lw.manipulability(model, bent, "tip", directions=PLANE) == pytest.approx(np.sin(0.8))  # l1 l2 sin q2


@pytest.mark.parametrize("directions", ["linear", "angular", ("x", "z")])
def test_ellipsoids(directions):
    model = lw.load("arm7")
    frame = model.bodies[-1].name
    rows = {"linear": [0, 1, 2], "angular": [3, 4, 5], ("x", "z"): [0, 2]}[directions]
    q = model.random(6, seed=3)
    J = lw.jacobian(model, q, frame)[:, rows]
    velocities = lw.velocity_ellipsoid(model, q, frame, directions)
    axes, lengths = velocities.axes, velocities.semi_axes
    assert relative_error((axes * lengths[:, None, :] ** 2) @ np.swapaxes(axes, 1, 2), J @ np.swapaxes(J, 1, 2)) < 1e-14
    assert (np.diff(lengths) <= 0.0).all()
    balanced = lw.force_ellipsoid(model, q, frame, directions)
    forces = balanced.semi_axes
    ends = balanced.axes * forces[:, None, :]  # forces at the ends take efforts of length one
    efforts = np.swapaxes(J, 1, 2) @ ends
    assert np.abs(np.linalg.norm(efforts, axis=1) - 1.0).max() < 1e-9
    assert (np.diff(forces) <= 0.0).all()


def test_what_cannot_be_moved_in_is_held_by_any_force():
    model = lw.load("planar:3")
    forces = lw.force_ellipsoid(model, [0.5, 0.0, 0.0], "tip", ("x", "y"))
    assert np.isinf(forces.semi_axes[0])
    assert np.abs(np.abs(forces.axes[:, 0]) - [np.cos(0.5), np.sin(0.5)]).max() < 1e-14


@pytest.mark.parametrize(("name", "frame"), [("pendulum", "tip"), ("planar:3", "tip"), ("arm7", "tool")])
@pytest.mark.parametrize("directions", ["linear", "angular", "all", ("x", "y", "rz")])
def test_forces_without_bound_are_as_many_as_the_rank_leaves(name, frame, directions):
    """And no more, however rounding falls: straight at any angle, of a watch and of a crane, in every way it is run."""
    model = lw.load(name)
    q = np.linspace(-2.0, 2.0, 40)[:, None] * (np.arange(model.nq) == 0)
    forces = lw.force_ellipsoid(model, q, frame, directions).semi_axes
    lost = [lw.singular_directions(model, row, frame, directions).shape[-1] for row in q]
    assert np.isinf(forces).sum(axis=-1).tolist() == lost
    assert max(lost) > 0
    assert np.isinf(dynamics.force_ellipsoid(model, q[3], frame, directions).semi_axes).sum() == lost[3]


@pytest.mark.parametrize("length", [1e-5, 1.0, 1e5])
def test_no_force_is_without_bound_because_a_mechanism_is_small(length):
    rows = [lw.DHRow(a=length), lw.DHRow(a=length), lw.DHRow(alpha=np.pi, type="prismatic")]
    model = lw.from_dh("scara", rows, "standard")
    forces = lw.force_ellipsoid(model, [0.3, 0.8, 0.1 * length], "tool", ("x", "y", "z", "rz")).semi_axes
    assert np.isfinite(forces).tolist() == [False, True, True, True]


def test_nan_stays_nan():
    """Of the measure of a configuration that is none it is not said that a direction is lost."""
    for model in (lw.load("arm7"), lw.load("chain3d:101")):
        frame = model.bodies[-1].name
        q = model.random(3, seed=0)
        q[1, 2] = np.nan
        for measure in MEASURES:
            found = lw.manipulability(model, q, frame, measure)
            assert np.isnan(found).tolist() == [False, True, False]
            assert np.isnan(dynamics.manipulability(model, q[1], frame, measure)) or model.nq > 100
        for ellipsoid in (lw.velocity_ellipsoid, lw.force_ellipsoid):
            found = ellipsoid(model, q, frame)
            assert np.isnan(found.axes).all(axis=(-1, -2)).tolist() == [False, True, False]
            assert np.isnan(found.semi_axes).all(axis=-1).tolist() == [False, True, False]


def test_a_frame_that_nothing_moves():
    model = lw.load("arm7")
    for function in (lw.manipulability, lw.velocity_ellipsoid, lw.force_ellipsoid):
        with pytest.raises(InputError, match="no joint of 'arm7' moves 'world' relative to 'world'"):
            function(model, np.zeros(7), "world")
        with pytest.raises(InputError, match="no joint of 'arm7' moves 'tool' relative to 'link7'"):
            function(model, np.zeros(7), "tool", relative_to="link7")
    chain = lw.load("chain3d:150")
    with pytest.raises(InputError, match="moves 'world'"):
        lw.manipulability(chain, chain.random(seed=0), "world")
    for measure in MEASURES:  # it moves, but not there
        assert lw.manipulability(lw.load("planar:3"), np.ones(3), "tip", measure, ("z",)) == 0.0


def test_accelerations_need_masses():
    model = lw.from_dh("bare", [lw.DHRow(a=1.0), lw.DHRow(a=1.0)], "standard")
    with pytest.raises(ModelError, match="the measure 'asada' of 'bare' is undefined: its mass matrix is singular"):
        lw.manipulability(model, [0.1, 0.2], "tool", "asada", ("x", "y"))
    assert lw.manipulability(model, [0.1, 0.2], "tool", directions=("x", "y")) == pytest.approx(np.sin(0.2))


def test_mistakes_are_reported():
    model = lw.load("planar:3")
    with pytest.raises(InputError, match="measure is 'best'; it may be 'yoshikawa', 'condition', 'asada'"):
        lw.manipulability(model, np.zeros(3), "tip", "best")
    for wrong in ("diagonal", ("x", "x"), (), ("x", "roll")):
        with pytest.raises(InputError, match="directions are 'all', 'linear', 'angular', or some of 'x', 'y'"):
            lw.velocity_ellipsoid(model, np.zeros(3), "tip", wrong)


def test_large_mechanisms_too():
    model = lw.load("chain3d:150")
    q, frame = model.random(2, seed=0), model.bodies[-1].name
    for measure in MEASURES:
        found = lw.manipulability(model, q, frame, measure)
        assert relative_error(found, [dynamics.manipulability(model, row, frame, measure) for row in q]) < 1e-9
    with pytest.raises(InputError, match="measure is 'best'"):
        lw.manipulability(model, q, frame, "best")
