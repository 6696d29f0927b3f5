"""Inertias of several bodies as one, momentum about points and its rate, and how handles answer forces."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright import dynamics
from linkwright.errors import ArgumentError, InputError, LinkwrightError, ModelError, ShapeError
from linkwright.model.joints.joint import JOINT_TYPES, Free, Revolute
from linkwright.spatial.rotation import skew
from mechanisms import one_of_each, random_tree, relative_error, state, trees

loaded = cache(lw.load)
"""One mechanism of each name, whose kernels are shared."""
some = settings(max_examples=20, deadline=None)
seeds = st.integers(0, 2**32 - 1)
KINDS = st.lists(st.sampled_from(JOINT_TYPES), max_size=4)


def floating(kinds, seed: int) -> lw.Model:
    return random_tree([Free, *kinds], seed, floating=True)


def along(f, model, q, v, a, h=1e-4):
    """d/dt f(q, v) by central differences of order four."""

    def at(t):
        return f(dynamics.integrate(model, q, t * v + 0.5 * t * t * a), v + t * a)

    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def test_mass_properties_of_two_points_are_a_dumbbell():
    m, c, I = lw.add_mass_properties([(1.0, [0, 0, 0], np.zeros((3, 3))), (1.0, [2, 0, 0], np.zeros((3, 3)))])
    assert (m, c.tolist(), np.diag(I).tolist()) == (2.0, [1, 0, 0], [0, 2, 2])


@some
@given(trees(), seeds)
def test_mass_properties_of_all_bodies_are_the_composite_inertia(model, seed):
    q = model.random(seed=seed)
    T = [dynamics.pose(model, q, body.name) for body in model.bodies]
    bodies = [
        (body.mass, T_k[:3, :3] @ body.center_of_mass + T_k[:3, 3], T_k[:3, :3] @ body.inertia @ T_k[:3, :3].T)
        for body, T_k in zip(model.bodies, T, strict=True)
    ]
    for x, y in zip(dynamics.composite_inertia(model, q, "world"), lw.add_mass_properties(bodies), strict=True):
        assert relative_error(x, y) < 1e-12
    assert relative_error(dynamics.whole_body_inertia(model, q), lw.add_mass_properties(bodies)[2]) < 1e-12
    assert relative_error(dynamics.subtree_center_of_mass(model, q, "world"), dynamics.center_of_mass(model, q)) < 1e-12


@some
@given(trees(), seeds)
def test_jacobians_of_the_centers_of_mass_of_bodies_give_the_mass_matrix(model, seed):
    q, v, a = state(model, seed)
    M, P = np.diag(model.armature), 0.0
    for body in model.bodies:
        if body.mass == 0.0:
            continue
        J_G, J_A = dynamics.center_of_mass_jacobian(model, q, body.name), dynamics.jacobian(model, q, body.name)[3:]
        R = dynamics.pose(model, q, body.name)[:3, :3]
        M = M + body.mass * J_G.T @ J_G + J_A.T @ R @ body.inertia @ R.T @ J_A
        P = P + body.mass * J_G @ v
        moved = along(lambda q, v, name=body.name: dynamics.center_of_mass(model, q, name), model, q, v, a)
        assert relative_error(J_G @ v, moved) < 1e-8
    assert relative_error(dynamics.mass_matrix(model, q), M) < 1e-12
    assert relative_error(dynamics.momentum(model, q, v)[:3], P) < 1e-12


def test_centers_of_mass_of_bodies_take_rows_and_symbols():
    arm = loaded("arm7")
    q = np.stack([arm.random(seed=k) for k in range(3)])
    rows = lw.center_of_mass_jacobian(arm, q, "link4")
    assert rows.shape == (3, 3, 7)
    assert relative_error(rows[1], lw.compile(dynamics.center_of_mass_jacobian, arm, body="link4")(q[1])) < 1e-13
    frame = arm.with_frame("center", "link4", xyz=next(b.center_of_mass for b in arm.bodies if b.name == "link4"))
    assert relative_error(rows, lw.jacobian(frame, q, "center")[:, :3]) < 1e-13
    for body, said in (("world", "fixed in the world"), ("link9", "unknown frame 'link9'")):
        with pytest.raises(LinkwrightError, match=said):
            lw.center_of_mass_jacobian(arm, q[0], body)
    light = lw.Builder("light").body("a", 1.0, inertia=1.0).body("b").joint("j", "revolute", "world", "a")
    with pytest.raises(ModelError, match="'b' has no center of mass"):
        lw.center_of_mass(light.joint("k", "revolute", "a", "b").build(), [0.0, 0.0], "b")


def test_mass_properties_take_rows_and_symbols():
    rng = np.random.default_rng(0)
    m, c, I = rng.uniform(1, 2, (2, 4)), rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 4, 3, 3))
    found = lw.add_mass_properties(list(zip(m, c, I, strict=True)))
    for k in range(4):
        alone = lw.add_mass_properties([(m[j, k], c[j, k], I[j, k]) for j in range(2)])
        for x, y in zip(found, alone, strict=True):
            assert relative_error(x[k], y) < 1e-14
    mass = lw.symbols("m")
    total, _, _ = lw.add_mass_properties([(mass, np.zeros(3), np.eye(3)), (1.0, np.ones(3), np.eye(3))])
    assert "m" in str(total)
    for wrong in ([], [(1.0, [0, 0], np.eye(3))], 3, [(1.0, [0, 0, 0])]):
        with pytest.raises(LinkwrightError, match="mass properties are"):
            lw.add_mass_properties(wrong)
    one = (1, [0, 0, 0], np.eye(3))
    whole, c, _ = lw.add_mass_properties([one, (0, [1, 2, 3], np.eye(3))])
    assert isinstance(whole, np.float64)
    assert (whole, c.tolist()) == (1.0, [0.0, 0.0, 0.0])
    for wrong, message in (
        ([one, (-1, [0, 0, 0], np.eye(3))], "a mass is not negative; that of body 1 of 2 is -1"),
        ([(0, [0, 0, 0], np.eye(3))], "total mass of these bodies is zero"),
        ([(np.nan, [0, 0, 0], np.eye(3))], "the mass of body 0 of 1 is not finite"),
        ([one, (1, [0, np.inf, 0], np.eye(3))], "the center of mass of body 1 of 2 is not finite"),
        ([([1, -1], np.zeros((2, 3)), np.zeros((2, 3, 3)))], "a mass is not negative"),
    ):
        with pytest.raises(InputError, match=message):
            lw.add_mass_properties(wrong)


@some
@given(KINDS, seeds)
def test_composite_and_articulated_inertia_are_blocks_of_the_mass_matrix(kinds, seed):
    model = floating(kinds, seed)
    q = model.random(seed=seed)
    M, name = dynamics.mass_matrix(model, q), model.bodies[0].name
    armature = np.diag(model.armature)[:6, :6]
    assert relative_error(dynamics.locked_inertia(model, q, name), M[:6, :6] - armature) < 1e-11
    schur = M[:6, :6] - armature - M[:6, 6:] @ np.linalg.solve(M[6:, 6:], M[6:, :6])
    assert relative_error(dynamics.articulated_inertia(model, q, name), schur) < 1e-9


@some
@given(trees(), seeds)
def test_locked_inertia_at_a_frame_is_that_of_another_seen_from_it(model, seed):
    q = model.random(seed=seed)
    m, c, I = dynamics.composite_inertia(model, q, "tip")
    carrier = model.frames["tip"].body
    if carrier < 0:
        return
    L, T = dynamics.locked_inertia(model, q, "tip"), dynamics.pose(model, q, "tip")
    C = skew(c)
    expected = np.block([[m * np.eye(3), -m * C], [m * C, I - m * C @ C]])
    assert relative_error(L, expected) < 1e-12
    assert relative_error(dynamics.subtree_center_of_mass(model, q, "tip"), T[:3, :3] @ c + T[:3, 3]) < 1e-12
    name = model.bodies[carrier].name
    of_body = dynamics.composite_inertia(model, q, name)[2]
    R = dynamics.pose(model, q, name)[:3, :3].T @ T[:3, :3]
    assert relative_error(I, R.T @ of_body @ R) < 1e-11


@some
@given(trees(), seeds)
def test_momentum_about_a_point_and_its_rate(model, seed):
    q, v, a = state(model, seed)
    h, c = dynamics.momentum(model, q, v), dynamics.center_of_mass(model, q)
    assert relative_error(dynamics.momentum(model, q, v, c), h) < 1e-12
    point = np.array([0.3, -1.0, 2.0])
    L = h[3:] + np.cross(c - point, h[:3])
    assert relative_error(dynamics.momentum(model, q, v, point)[3:], L) < 1e-12
    rate = along(lambda q, v: dynamics.momentum(model, q, v), model, q, v, a)
    found = dynamics.momentum_rate(model, q, v, a)
    assert relative_error(found, rate) < 1e-7
    A, A_dot = dynamics.momentum_matrix(model, q), dynamics.momentum_matrix_dot(model, q, v)
    assert relative_error(A @ a + A_dot @ v, found) < 1e-11


@some
@given(trees(), seeds, st.sampled_from(["body", "world"]))
def test_the_rate_of_the_momentum_matrix(model, seed, base):
    q, v, _ = state(model, seed)
    rate = along(lambda q, v: dynamics.momentum_matrix(model, q, base), model, q, v, 0 * v)
    assert relative_error(dynamics.momentum_matrix_dot(model, q, v, base), rate) < 1e-7


@some
@given(KINDS, seeds)
def test_the_base_in_world_axes(kinds, seed):
    model = floating(kinds, seed)
    q, v, _ = state(model, seed)
    name, turned = model.bodies[0].name, v.copy()
    turned[:6] = dynamics.velocity(model, q, v, name)
    assert relative_error(dynamics.momentum_matrix(model, q, "world") @ turned, dynamics.momentum(model, q, v)) < 1e-11
    m, p = dynamics.total_mass(model), dynamics.pose(model, q, name)[:3, 3]
    c = dynamics.center_of_mass(model, q)
    expected = np.block([[m * np.eye(3), -m * skew(c - p)], [np.zeros((3, 3)), dynamics.whole_body_inertia(model, q)]])
    assert relative_error(dynamics.momentum_matrix(model, q, "world")[:, :6], expected) < 1e-11


@some
@given(trees(), seeds)
def test_the_centroidal_velocity_has_the_momentum(model, seed):
    q, v, _ = state(model, seed)
    found, h = dynamics.centroidal_velocity(model, q, v), dynamics.momentum(model, q, v)
    assert relative_error(dynamics.total_mass(model) * found[:3], h[:3]) < 1e-12
    assert relative_error(dynamics.whole_body_inertia(model, q) @ found[3:], h[3:]) < 1e-10


def test_the_zero_moment_point():
    humanoid = lw.load("humanoid")
    q, still = humanoid.neutral(), np.zeros(humanoid.nv)
    c = lw.center_of_mass(humanoid, q)
    np.testing.assert_allclose(lw.zero_moment_point(humanoid, q, still, still), [c[0], c[1], 0.0], atol=1e-12)
    q, v, a = state(humanoid, 0)
    point = lw.zero_moment_point(humanoid, q, v, a, height=0.4)
    rate = lw.momentum_rate(humanoid, q, v, a)
    force = rate[:3] - lw.total_mass(humanoid) * humanoid.gravity
    moment = rate[3:] + np.cross(lw.center_of_mass(humanoid, q) - point, force)
    assert point[2] == 0.4
    assert np.abs(moment[:2]).max() < 1e-10 * np.abs(moment).max() + 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_in_flight_there_is_no_zero_moment_point(seed):
    humanoid = lw.load("humanoid")
    q, v, _ = state(humanoid, seed)
    for speed in (0.0, 1.0, 30.0):
        a = lw.forward_dynamics(humanoid, q, speed * v, np.zeros(humanoid.nv))
        assert np.isnan(lw.zero_moment_point(humanoid, q, speed * v, a)).all()
        assert np.isnan(dynamics.zero_moment_point(humanoid, q, speed * v, a)).all()
        some = lw.zero_moment_point(humanoid, q, speed * v, a + np.eye(humanoid.nv)[2] * 1e-3)
        assert np.isfinite(some).all()


@some
@given(trees(mimics=False), seeds)
def test_handles_answer_forces(model, seed):
    q, v, tau = state(model, seed)
    frames = ("tip", "body0")
    phi, b = dynamics.frame_responses(model, q, v, tau, frames)
    f = np.random.default_rng(seed).normal(size=(2, 6))
    a = dynamics.forward_dynamics(model, q, v, tau, dict(zip(frames, f, strict=True)), loops="ignore")
    expected = np.concatenate([dynamics.acceleration(model, q, v, a, frame) for frame in frames])
    condition = np.linalg.cond(dynamics.mass_matrix(model, q))
    assert relative_error(phi @ f.ravel() + b, expected) < 1e-13 * max(condition, 1e3)
    J = np.concatenate([dynamics.jacobian(model, q, frame) for frame in frames])
    assert relative_error(phi, J @ np.linalg.solve(dynamics.mass_matrix(model, q), J.T)) < 1e-13 * max(condition, 1e3)


def test_the_operational_inertia():
    arm = lw.load("arm7")
    q = arm.random(seed=0)
    J, M = lw.jacobian(arm, q, "tool"), lw.mass_matrix(arm, q)
    expected = np.linalg.inv(J @ np.linalg.solve(M, J.T))
    assert relative_error(lw.operational_inertia(arm, q, "tool"), expected) < 1e-9
    planar = lw.load("two_link")
    q, frame = np.array([0.3, 0.7]), list(planar.frames)[-1]
    J, M = lw.jacobian(planar, q, frame)[:2], lw.mass_matrix(planar, q)
    found = lw.operational_inertia(planar, q, frame, directions=("x", "y"))
    assert relative_error(found, np.linalg.inv(J @ np.linalg.solve(M, J.T))) < 1e-9


@pytest.mark.parametrize(
    ("name", "q", "frame", "directions"),
    [
        ("arm7", [0.3, 0.4, 0.0, 0.0, 0.0, 0.2, 0.1], "tool", "all"),
        ("arm7", [0.0] * 7, "tool", "all"),
        ("puma560", [0.0, 0.1, -1.6, 0.4, 0.0, 0.3], "tool", "all"),
        ("two_link", [0.1, 0.0], "tip", ("x", "y")),
        ("two_link", [0.1, 0.7], "tip", "all"),
        ("two_link", [0.1, 0.7], "tip", "angular"),
    ],
)
def test_where_a_direction_is_lost_the_operational_inertia_is_not_a_number(name, q, frame, directions):
    model = loaded(name)
    assert np.isinf(lw.force_ellipsoid(model, q, frame, directions).semi_axes).any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(lw.operational_inertia(model, q, frame, directions)).all()
        assert np.isnan(dynamics.operational_inertia(model, np.array(q), frame, directions)).all()


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("bend", [1e-5, 1e-2])
def test_near_singular_configurations_the_operational_inertia_is_positive(size, bend):
    """Of a watch as of a crane."""
    build = lw.Builder("arm", gravity=(0, 0, 0))
    for k in range(2):
        part = {"center_of_mass": (size / 2, 0, 0), "inertia": np.eye(3) * 0.1 * size**5}
        build.body(f"link{k}", mass=size**3, **part)
        parent, xyz = (f"link{k - 1}", (size, 0, 0)) if k else ("world", (0, 0, 0))
        build.joint(f"j{k}", "revolute", parent, f"link{k}", xyz=xyz, axis=(0, 0, 1))
    model = build.frame("hand", "link1", xyz=(size, 0, 0)).build()
    found = lw.operational_inertia(model, [0.1, bend], "hand", ("x", "y"))
    assert (np.linalg.eigvalsh(found) > 0.0).all()


def test_batches():
    model = one_of_each(0)
    rng = np.random.default_rng(0)
    q, v = model.random(4, 0), rng.normal(size=(4, model.nv))
    for name, arrays in (("composite_inertia", (q, "tip")), ("momentum_matrix_dot", (q, v)), ("locked_inertia", (q,))):
        found = getattr(lw, name)(model, *arrays)
        row = getattr(dynamics, name)(model, *(x[1] if isinstance(x, np.ndarray) else x for x in arrays))
        pairs = zip(found, row, strict=True) if isinstance(row, tuple) else [(found, row)]
        for x, y in pairs:
            assert relative_error(x[1], y) < 1e-12


def test_momentum_about_points():
    """One function, with a kernel for the center of mass and one for points: in batches, symbols and derivatives."""
    model = one_of_each(0)
    rng = np.random.default_rng(0)
    q, v, points = model.random(seed=0), rng.normal(size=model.nv), rng.normal(size=(4, 3))
    about = lw.momentum(model, q, v, points)
    assert about.shape == (4, 6)
    assert relative_error(about[1], lw.momentum(model, q, v, point=points[1].tolist())) < 1e-14
    assert relative_error(lw.momentum(model, q, v, lw.center_of_mass(model, q)), lw.momentum(model, q, v, None)) < 1e-12
    assert lw.compile(lw.momentum, model)(q, v).tolist() == lw.momentum(model, q, v).tolist()
    assert lw.compile(lw.momentum, model, point=(3,))(q, v, points).tolist() == about.tolist()
    P = about[1, :3]
    by_point = lw.derivative(lw.momentum, "point")(model, q, v, points[1])
    assert relative_error(by_point[3:], [[0.0, -P[2], P[1]], [P[2], 0.0, -P[0]], [-P[1], P[0], 0.0]]) < 1e-14
    with pytest.raises(ArgumentError, match="no array 'point' to differentiate by; it has q, v"):
        lw.derivative(lw.momentum, "point")(model, q, v)
    arm = lw.load("two_link")
    x = lw.symbols("x", 3)
    assert str(lw.momentum(arm, [0.0, 0.0], [1.0, 0.0], x)[5]) != str(lw.momentum(arm, [0.0, 0.0], [1.0, 0.0])[5])
    with pytest.raises(ShapeError, match="point"):
        lw.momentum(model, q, v, [0.0, 0.0])


def test_what_does_not_exist_is_reported():
    model, followed = lw.load("arm7"), random_tree([Revolute] * 6, 1, mimics=True)
    q = model.neutral()
    for wrong, kind in (
        (lambda: lw.composite_inertia(model, q, "nothing"), LinkwrightError),
        (lambda: lw.articulated_inertia(model, q, "world"), ModelError),
        (lambda: lw.articulated_inertia(followed, followed.neutral(), "tip"), ModelError),
        (lambda: lw.locked_inertia(model.minimal(), q), ModelError),
        (lambda: lw.momentum_matrix(model, q, base="hand"), InputError),
        (lambda: lw.operational_inertia(model, q, "tool", ("x", "x")), InputError),
        (lambda: lw.operational_inertia(model, q, "tool", ["w"]), InputError),
        (lambda: lw.frame_responses(model, q, q, q, "tool"), ArgumentError),
    ):
        with pytest.raises(kind):
            wrong()
