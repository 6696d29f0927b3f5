"""Rotations, quaternions and poses in public: group axioms, SciPy's Rotation, derivatives, symbols and kernels."""

from __future__ import annotations

import inspect
import pickle
from contextlib import nullcontext
from functools import cache

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation, Slerp

import linkwright as lw
from linkwright import quaternion, rotation, transform
from linkwright.compiler.rows import annotated_shape
from linkwright.errors import (
    ArgumentError,
    InputError,
    LinkwrightError,
    LinkwrightWarning,
    ShapeError,
    UnknownNameError,
)
from linkwright.spatial.euler import AXES, ORDERS

laws = settings(max_examples=100, deadline=None)
numbers = st.floats(-2.0, 2.0, allow_nan=False)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
SIZES = [0.0, 1e-160, 1e-9, 1e-4, 0.3, 3.0, np.pi - 1e-3, np.pi - 1e-8, np.pi - 1e-15, np.pi]
"""Turns: none, hardly any, some, half a one and nearly so."""


@st.composite
def turns(draw):
    """Rotation vectors of all directions, also along axes, no longer than half a turn."""
    direction = draw(st.one_of(vectors, st.sampled_from([*np.eye(3)])))
    length = np.linalg.norm(direction)
    direction = direction / length if length > 1e-3 else np.array([0.6, 0.0, 0.8])
    return draw(st.one_of(st.sampled_from(SIZES), st.floats(0.0, 3.1))) * direction


@st.composite
def poses(draw):
    return transform.make(rotation.exp(draw(turns())), draw(vectors))


def same_turn(a, b):
    """How far two rotation vectors are from each other, both ways of half a turn counted as one."""
    return min(np.abs(a - b).max(), np.abs(a + b).max() if np.linalg.norm(a) > np.pi - 1e-7 else np.inf)


def scipys(order, axes):
    return order.upper() if axes == "moving" else order


@laws
@given(turns())
def test_log_undoes_exp(r):
    for log, exp in ((rotation.log, rotation.exp), (quaternion.log, quaternion.exp)):
        found = log(exp(r))
        assert np.linalg.norm(found) <= np.pi + 1e-15
        assert same_turn(found, r) < 2e-15
    R = rotation.exp(r)
    assert np.abs(R @ R.T - np.eye(3)).max() < 2e-15
    assert np.abs(R - Rotation.from_rotvec(r).as_matrix()).max() < 2e-15
    assert np.abs(rotation.from_quaternion(rotation.to_quaternion(R)) - R).max() < 2e-15


@laws
@given(turns(), vectors)
def test_poses_and_twists(r, v):
    xi = np.concatenate([v, r])
    T = transform.exp(xi)
    K = np.zeros((4, 4))
    K[:3, :3], K[:3, 3] = rotation.skew(r), v
    assert np.abs(T - expm(K)).max() < 2e-14
    again = transform.log(T)
    assert np.abs(transform.exp(again) - T).max() < 4e-15
    if np.linalg.norm(r) < 3.0:
        assert np.abs(again - xi).max() < 4e-15
    ad = np.block([[rotation.skew(r), rotation.skew(v)], [np.zeros((3, 3)), rotation.skew(r)]])
    assert np.abs(transform.adjoint(T) - expm(ad)).max() < 1e-13


@laws
@given(poses(), poses(), poses(), vectors)
def test_the_group_of_poses(A, B, C, p):
    assert np.abs((A @ B) @ C - A @ (B @ C)).max() < 1e-14
    assert np.abs(transform.inverse(A) @ A - np.eye(4)).max() < 1e-14
    assert np.abs(transform.apply(A @ B, p) - transform.apply(A, transform.apply(B, p))).max() < 1e-14
    assert np.abs(transform.adjoint(A @ B) - transform.adjoint(A) @ transform.adjoint(B)).max() < 1e-13
    assert np.abs(transform.wrench_adjoint(A).T @ transform.adjoint(A) - np.eye(6)).max() < 1e-13
    for t, expected in ((0.0, A), (1.0, B)):
        assert np.abs(transform.interpolate(A, B, t) - expected).max() < 1e-14
    R, q = transform.split(A)
    assert np.array_equal(transform.make(R, q), A)


@laws
@given(turns(), turns(), vectors)
def test_the_group_of_quaternions(a, b, p):
    u, w = quaternion.exp(a), quaternion.exp(b)
    R, S = rotation.from_quaternion(u), rotation.from_quaternion(w)
    product = quaternion.product(u, w)
    assert np.abs(rotation.from_quaternion(product) - R @ S).max() < 4e-15
    assert np.abs(quaternion.product(u, quaternion.inverse(u)) - [1.0, 0.0, 0.0, 0.0]).max() < 1e-15
    assert np.abs(quaternion.rotate(u, p) - R @ p).max() < 4e-15
    assert np.abs(quaternion.unit(3.0 * u) - u).max() < 1e-15


@laws
@given(turns(), vectors, st.sampled_from([1e-9, 1e-3, 1.0]))
def test_jacobians_of_exp_and_log(r, v, size):
    """By differences, which are taken in 50 digits: of the exponential of the matrix."""
    xi = np.concatenate([size * v, r])
    d = np.array([0.3, -0.2, 0.5, 0.4, 0.1, -0.6])

    def exact(xi):
        x = [mpmath.mpf(float(e)) if not isinstance(e, mpmath.mpf) else e for e in xi]
        K = mpmath.matrix([[0, -x[5], x[4], x[0]], [x[5], 0, -x[3], x[1]], [-x[4], x[3], 0, x[2]], [0, 0, 0, 0]])
        return mpmath.expm(K)

    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -20
        x = [mpmath.mpf(float(e)) for e in xi]
        ahead = exact([e + h * mpmath.mpf(float(k)) for e, k in zip(x, d, strict=True)])
        behind = exact([e - h * mpmath.mpf(float(k)) for e, k in zip(x, d, strict=True)])
        rate = (ahead - behind) / (2 * h)
        here = mpmath.inverse(exact(x))
        left, right = rate * here, here * rate

    def vee(K):
        return np.array([float(e) for e in (K[0, 3], K[1, 3], K[2, 3], K[2, 1], K[0, 2], K[1, 0])])

    assert np.abs(transform.left_jacobian(xi) @ d - vee(left)).max() < 4e-15
    assert np.abs(transform.right_jacobian(xi) @ d - vee(right)).max() < 4e-15
    assert np.abs(rotation.left_jacobian(r) @ d[3:] - vee(left)[3:]).max() < 4e-15
    assert np.abs(rotation.right_jacobian(r) @ d[3:] - vee(right)[3:]).max() < 4e-15
    for space, at in ((transform, xi), (rotation, r)):
        for side in ("left", "right"):
            J, inverse = getattr(space, side + "_jacobian")(at), getattr(space, side + "_jacobian_inverse")(at)
            assert np.abs(J @ inverse - np.eye(len(at))).max() < 1e-13


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_of_every_order(order, axes):
    rng = np.random.default_rng(0)
    angles = rng.uniform(-np.pi, np.pi, (200, 3))
    R = rotation.from_euler(angles, order, axes)
    theirs = Rotation.from_euler(scipys(order, axes), angles)
    assert np.abs(R - theirs.as_matrix()).max() < 2e-15
    found = rotation.to_euler(R, order, axes)
    gap = found - theirs.as_euler(scipys(order, axes))
    assert np.abs((gap + np.pi) % (2 * np.pi) - np.pi).max() < 1e-12
    assert np.abs(found).max() <= np.pi
    # angular velocity, by the rotation's rate
    rates, h = rng.normal(size=(200, 3)), 1e-6
    ahead, behind = (rotation.from_euler(angles + side * rates, order, axes) for side in (h, -h))
    spin = (ahead - behind) / (2 * h) @ np.swapaxes(R, -1, -2)
    w = (rotation.euler_axes(angles, order, axes) @ rates[..., None])[..., 0]
    assert np.abs(rotation.skew(w) - spin).max() < 1e-8


@pytest.mark.variants("off", "axes")
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-7, 1e-4])
def test_at_gimbal_lock_the_angles_make_the_same_rotation(order, axes, off):
    rng = np.random.default_rng(1)
    for end in (0.0, np.pi) if order[0] == order[2] else (-np.pi / 2, np.pi / 2):
        angles = rng.uniform(-np.pi, np.pi, (50, 3))
        angles[:, 1] = end - np.sign(end - 0.5 * np.pi * (order[0] == order[2])) * off
        R = rotation.from_euler(angles, order, axes)
        with pytest.warns(LinkwrightWarning, match="gimbal lock") if off < 1e-8 else nullcontext():
            found = rotation.to_euler(R, order, axes)
        assert np.isfinite(found).all()
        assert np.abs(rotation.from_euler(found, order, axes) - R).max() < 4e-15
        determinant = np.linalg.det(rotation.euler_axes(found, order, axes))
        assert np.abs(determinant).max() < 2 * off + 1e-7


def test_gimbal_lock_is_reported():
    locked = rotation.from_euler([0.3, np.pi / 2, 0.2], "zyx")
    with pytest.warns(
        LinkwrightWarning, match=r"angles 'zyx' are at gimbal lock: .* only their sum .*; use '\w+' there"
    ) as caught:
        rotation.to_euler(locked, "zyx")
    assert caught[0].filename == __file__
    with pytest.warns(LinkwrightWarning, match="'xyz' of 1 of 2 rotations are at gimbal lock"):
        rotation.to_rpy([locked, np.eye(3)])
    with pytest.warns(UserWarning, match="Gimbal lock"):  # as SciPy does
        Rotation.from_matrix(locked).as_euler("ZYX")


def test_roll_pitch_and_yaw_are_those_of_files():
    rpy = np.array([0.3, -0.5, 1.2])
    x, y, z = (rotation.about(axis, angle) for axis, angle in zip("xyz", rpy, strict=True))
    assert np.abs(rotation.from_rpy(rpy) - z @ y @ x).max() < 1e-15
    assert np.abs(rotation.to_rpy(z @ y @ x) - rpy).max() < 1e-15
    builder = lw.Builder("b")
    builder.body("a", 1.0).joint("j", "revolute", "world", "a", rpy=rpy)
    assert np.abs(lw.pose(builder.build(), [0.0], "a")[:3, :3] - rotation.from_rpy(rpy)).max() < 1e-15


@laws
@given(turns(), turns(), st.floats(0.0, 1.0))
def test_slerp(a, b, t):
    u, w = quaternion.exp(a), quaternion.exp(b)
    found = quaternion.slerp(u, w, t)
    assert abs(found @ found - 1.0) < 1e-15
    if abs(u @ w) > 1e-6:  # else both ways round are as short
        expected = Slerp([0.0, 1.0], Rotation.from_quat(np.roll([u, w], -1, axis=-1)))(t).as_matrix()
        assert np.abs(rotation.from_quaternion(found) - expected).max() < 1e-14
    assert np.abs(quaternion.slerp(u, -w, t) - found).max() < 1e-14 or abs(u @ w) < 1e-6


def test_axes_by_name_and_by_any_length():
    for k, name in enumerate("xyz"):
        unit = np.eye(3)[k]
        assert np.abs(rotation.about(name, 0.7) - Rotation.from_rotvec(0.7 * unit).as_matrix()).max() < 1e-15
        assert np.abs(rotation.about(5.0 * unit, 0.7) - rotation.about(name, 0.7)).max() < 1e-15
        assert np.abs(quaternion.about(name, 0.7) - quaternion.exp(0.7 * unit)).max() < 1e-15
    assert np.isnan(rotation.about([0.0, 0.0, 0.0], 0.7)).any()
    assert np.array_equal(rotation.about("z", [0.0, np.pi]).shape, (2, 3, 3))


FACES = [
    f
    for space in (rotation, quaternion, transform)
    for name in space.__all__
    if hasattr(f := getattr(space, name), "book")
]
TWIST = np.array([0.1, 0.2, 0.3, 0.4, 0.5, -0.6])
VALUES = {(): np.array(0.4), (3,): TWIST[3:], (4,): np.array([0.5, -0.5, 0.5, 0.5]), (6,): TWIST}
VALUES |= {(3, 3): rotation.exp(TWIST[:3]), (4, 4): transform.exp(TWIST)}
OPTIONS = {"order": "zyx", "axes": "fixed"}


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


@pytest.mark.parametrize("face", FACES, ids=lambda f: f"{f.__module__.rpartition('.')[2]}.{f.__name__}")
def test_numbers_batches_symbols_and_kernels_agree(face):
    options = {n: annotated_shape(a) for n, a in face.book.__annotations__.items() if n != "return"}
    fixed = {n: OPTIONS[n] for n, shape in options.items() if shape is None}
    one = {n: VALUES[shape] for n, shape in options.items() if shape is not None}
    expected = as_tuple(face.book(**one, **fixed))

    def agree(found, lead=()):
        for x, y in zip(as_tuple(found), expected, strict=True):
            assert np.shape(x) == (*lead, *np.shape(y))
            assert not np.size(x) or np.abs(x - y).max() < 2e-15

    agree(face(**one, **fixed))
    agree(face(**{n: x.tolist() for n, x in one.items()}, **fixed))
    agree(lw.compile(face, **{n: x.shape for n, x in one.items()}, **fixed)(*one.values()))
    first, *others = one
    for count in (2, 0):  # batches that broadcast, of no rows too
        rows = {first: np.broadcast_to(one[first], (count, 1, *one[first].shape))}
        rows |= {n: np.broadcast_to(one[n], (3, *one[n].shape)) for n in others}
        agree(face(**rows, **fixed), (count, 3 if others else 1))

    def of_symbols(x):  # rows in a function that is compiled
        given = one | {first: lw.stack([x, x])}
        return face(**given, **fixed)

    agree(lw.compile(of_symbols, x=one[first].shape)(one[first]), (2,))
    if one[first].ndim:
        with pytest.raises(ShapeError, match=first):
            face(**one | {first: np.zeros(5)}, **fixed)
        with pytest.raises(ShapeError, match=first):
            face(**one | {first: lw.symbols("x", 5)}, **fixed)


@cache
def with_derivatives(face, name, shape):
    """The kernel, its derivative and that of its derivative."""
    kernel = lw.compile(face, **{name: shape})
    gradient = kernel.derivative(name)
    return kernel, gradient, gradient.derivative(name)


@pytest.mark.parametrize("r", [np.zeros(3), [1e-9, 0.0, 0.0], [0.0, 0.4, 0.2], [3.1, 0.0, 0.3]])
def test_derivatives_have_no_holes(r):
    """Of exp, log and what follows from it, by every branch of `where`, at no turn too, twice."""
    xi = np.array([0.3, -0.4, 0.2, *r])
    T, u = transform.exp(xi), quaternion.exp(r)
    d = np.linspace(-1.0, 1.0, 6)
    for face, name, at, ahead in (
        (transform.exp, "twist", xi, lambda h: xi + h * d),
        (transform.log, "T", T, lambda h: T @ transform.exp(h * d)),
        (rotation.log, "R", T[:3, :3], lambda h: T[:3, :3] @ rotation.exp(h * d[3:])),
        (quaternion.log, "u", u, lambda h: quaternion.product(u, quaternion.exp(h * d[3:]))),
        (transform.right_jacobian_inverse, "twist", xi, lambda h: xi + h * d),
        (rotation.to_quaternion, "R", T[:3, :3], lambda h: T[:3, :3] @ rotation.exp(h * d[3:])),
    ):
        kernel, gradient, second = with_derivatives(face, name, np.shape(at))
        h = 1e-5
        assert np.isfinite(second(at)).all()
        direction = (ahead(h) - ahead(-h)) / (2 * h)
        along = (gradient(at) * direction).reshape(*np.shape(kernel(at)), -1).sum(axis=-1)
        assert np.abs(along - (kernel(ahead(h)) - kernel(ahead(-h))) / (2 * h)).max() < 1e-8


def test_functions_that_are_compiled_for_a_mechanism():
    arm = lw.load("arm7")
    q, target = arm.random(5, seed=0), transform.exp(TWIST)
    frame = arm.bodies[-1].name

    def error(model, q, target):
        return lw.transform.log(lw.transform.inverse(lw.pose(model, q, frame)) @ target)

    found = lw.compile(error, arm, target=(4, 4))(q, target)
    assert np.abs(found - transform.log(np.linalg.inv(lw.pose(arm, q, frame)) @ target)).max() < 1e-13


def test_nan_stays_nan_and_mistakes_are_reported():
    assert np.isnan(rotation.log(np.full((3, 3), np.nan))).all()
    assert np.isnan(rotation.exp([[np.nan, 0.0, 0.0], [0.0, 0.0, 0.0]])).any(axis=(-1, -2)).tolist() == [True, False]
    with pytest.raises(UnknownNameError, match="unknown axis 'w'; there are x, y, z"):
        rotation.about("w", 1.0)
    with pytest.raises(InputError, match=r"one of xyx, .* in small letters, with axes='moving' or 'fixed'; got 'ZYX'"):
        rotation.from_euler(np.zeros(3), "ZYX")
    with pytest.raises(InputError, match="axes are 'moving' or 'fixed'; got 'intrinsic'"):
        rotation.to_euler(np.eye(3), "zyx", "intrinsic")
    with pytest.raises(ArgumentError, match=r"from_euler lacks 'order'; it takes \(angles, order, axes='moving'\)"):
        rotation.from_euler([0.1, 0.2, 0.3])
    with pytest.raises(LinkwrightError, match="real numbers"):
        rotation.exp([1j, 0.0, 0.0])


TURN = rotation.about("z", 0.3)
NO_ROTATIONS = [(1.5 * TURN, "differs from 1 by 1.2"), (-TURN, "reflection"), (TURN + 1e-4, "differs from 1 by")]
OF_ROTATIONS = [rotation.log, rotation.to_quaternion, rotation.to_rpy, transform.make]
OF_POSES = [transform.split, transform.inverse, transform.log, transform.adjoint, transform.wrench_adjoint]


@pytest.mark.parametrize(("wrong", "why"), NO_ROTATIONS)
def test_what_is_no_rotation_is_reported(wrong, why):
    for function in (*OF_ROTATIONS, lambda R: rotation.to_euler(R, "zyx")):
        with pytest.raises(InputError, match=rf"R is not a rotation, since .*{why}"):
            function(wrong)
        with pytest.raises(InputError, match=r"R\[1, 2\] is not a rotation"):
            function(np.stack([[TURN, TURN, TURN], [TURN, TURN, wrong]]))
        for allowed in (np.full((3, 3), np.nan), TURN + 1e-7, TURN.astype(np.float32), np.zeros((0, 3, 3))):
            function(allowed)
    T = transform.make(TURN, [1.0, 2.0, 3.0])
    flawed = T.copy()
    flawed[:3, :3] = wrong
    for function in OF_POSES:
        for bad, expected in (
            (flawed, f"its rotation is not a rotation, since .*{why}"),
            (2.0 * T, "last row is not 0 0 0 1"),
        ):
            with pytest.raises(InputError, match=f"T is not a pose.*{expected}"):
                function(bad)
    with pytest.raises(InputError, match="apply: T is not a pose"):
        transform.apply(flawed, np.zeros((5, 3)))
    with pytest.raises(InputError, match="interpolate: b is not a pose"):
        transform.interpolate(T, flawed, 0.5)


def test_what_is_no_unit_quaternion_is_reported():
    wrong, right = [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    for call in (
        lambda u: rotation.from_quaternion(u),
        lambda u: quaternion.inverse(u),
        lambda u: quaternion.log(u),
        lambda u: quaternion.rotate(u, np.ones((4, 3))),
        lambda u: quaternion.slerp(right, u, 0.5),
    ):
        with pytest.raises(InputError, match=r"has length 1.41421, but a unit quaternion is expected"):
            call(wrong)
        call(quaternion.unit(wrong))
    assert np.array_equal(quaternion.product(wrong, right), wrong)


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1.0, 1e200, 1e308])
def test_lengths_of_any_size(size):
    axis = np.array([1.0, -1.0, 0.0])
    assert np.abs(rotation.about(size * axis, 0.1) - rotation.about(axis, 0.1)).max() < 1e-15
    assert np.abs(quaternion.about(size * axis, 0.1) - quaternion.about(axis, 0.1)).max() < 1e-15
    for u in (np.array([1.0, 0.0, 1.0, 0.0]), np.array([-0.5, 0.5, 1e-3, 1.0])):
        found = quaternion.unit(np.stack([size * u, size * u]))
        assert np.abs(found - u / np.linalg.norm(u)).max() < 1e-15
    assert np.isnan(quaternion.unit(np.zeros(4))).all()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: rotation.from_euler("abc", "xyz"), "from_euler: angles"),
        (lambda: rotation.about("x", "0.1"), "about: angle"),
        (lambda: rotation.log("abc"), "log: R"),
        (lambda: transform.make(p="here"), "make: p"),
    ],
)
def test_text_is_no_number(call, name):
    with pytest.raises(ArgumentError, match=f"{name} must be an array of real numbers"):
        call()


def test_what_is_there_is_shown():
    for space in (rotation, quaternion, transform):
        assert dir(space) == sorted(space.__all__)
        assert all(getattr(space, name).__doc__ for name in space.__all__)
        for name in space.__all__:
            assert pickle.loads(pickle.dumps(getattr(space, name))) is getattr(space, name)
    assert "(…, 3, 3)" in str(inspect.signature(rotation.log))
