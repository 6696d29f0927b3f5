"""Algorithms of large mechanisms that are made of several kernels: the same as the book's, of all rows at once."""

from __future__ import annotations

import inspect
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright import dynamics
from linkwright.compiler import public
from linkwright.compiler.front.bind import bind
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.schedules import selection
from linkwright.compiler.schedules.composed.algorithms import COMPOSED
from linkwright.compiler.schedules.composed.constraints import LoopConstraints
from linkwright.dynamics.closed_loops.rows import branches
from linkwright.dynamics.forces.joint_reactions import borne_forces, efforts_of, partly_prescribed
from linkwright.errors import LinkwrightError
from linkwright.model.joints.joint import JOINT_TYPES, Prismatic, Revolute, Spherical
from linkwright.spatial.linear_algebra.linalg import semidefinite_factors
from linkwright.spatial.linear_algebra.stacked import semidefinite
from mechanisms import one_of_each, random_tree, relative_error, state, with_loops

EXACT = 1e-9

OF_ARRAYS = [book for book in COMPOSED if book is not dynamics.prescribed_dynamics]


@cache  # kernels of their parts, of which several algorithms are made, stay with them
def mechanism(name):
    """A mechanism and a configuration in which its loops are closed."""
    if name == "tree":
        model = random_tree([JOINT_TYPES[k] for k in (0, 5, 7, 8, 2)], 3)
        return model, model.random(seed=1)
    if name == "followers":
        return with_loops(
            random_tree([Revolute, Prismatic, *JOINT_TYPES, Revolute], 5, mimics=True), ["ball", "joint"], 2
        )
    if name == "ties":
        return with_loops(random_tree([JOINT_TYPES[k] for k in (0, 1, 6, 3, 0)], 4), ["joint", "revolute"], 3)
    if name == "loops":
        return with_loops(random_tree([JOINT_TYPES[k] for k in (0, 6, 1, 3, 0, 2)], 8), ["ball", "distance"], 4)
    model = lw.load(name)
    return model, lw.close_loops(model, model.neutral() + 0.1 * np.arange(model.nq))


def options(book, model):
    """Options of the algorithm."""
    leading = [joint.name for joint in model.joints if joint.coupling is None]
    values = {"actuated": tuple(leading[::2]), "prescribed": tuple(leading[:1])}
    found = {name: x for name, x in values.items() if name in inspect.signature(book).parameters}
    if "wrenches" in inspect.signature(book).parameters:
        found["wrenches"] = [[name for name, frame in model.frames.items() if frame.body >= 0][-1]]
    if "frame" in inspect.signature(book).parameters:
        found["frame"] = [name for name, frame in model.frames.items() if frame.body >= 0][-1]
    if book is dynamics.constraint_forces:
        found["stabilization"] = (3.0, 5.0)
    return found


def arrays_of(bound, q, rng):
    """Two rows; velocities and accelerations keep the loops closed."""
    model, found = bound.model, {}
    for name, shape in bound.shapes.items():
        x = rng.normal(size=(2, *shape))
        if name == "v" and model.loops:
            x = np.array([dynamics.impulse(model, q, row)[0] for row in x])
        if name == "a" and model.loops:
            x = np.array([dynamics.forward_dynamics(model, q, v, row) for v, row in zip(found["v"], x, strict=True)])
        found[name] = np.tile(q, (2, 1)) if name == "q" else x
    return list(found.values())


def by_the_book(bound, arrays):
    return [tuples(bound.on_model(bound.model, *(x[row] for x in arrays))) for row in range(2)]


def what_comes_of(function, *arguments):
    """Return the result of a function, or the error that it raises."""
    try:
        return function(*arguments)
    except LinkwrightError as error:
        return error


def tuples(x):
    return x if isinstance(x, tuple) else (x,)


def apart(x, y):
    """How far two results are apart; where both are infinite (what cannot be moved bears any force), they agree."""
    same = np.isinf(y) & (x == y)
    return relative_error(np.where(same, 0.0, x), np.where(same, 0.0, y))


@pytest.fixture
def few(monkeypatch):
    """Mechanisms are large from three bodies on."""
    monkeypatch.setattr(selection, "BODIES_IN_LOOPS", 3)


def require_book(book, name):
    """What is composed of kernels, for two rows, one and none, is the book's, or the book's error."""
    model, q = mechanism(name)
    bound = bind(book, model, {}, values=options(book, model))
    arrays = arrays_of(bound, q, np.random.default_rng(0))
    expected = what_comes_of(by_the_book, bound, arrays)
    if isinstance(expected, LinkwrightError):
        refused = what_comes_of(public._compiled_or_not, bound)
        assert (type(refused), str(refused)) == (type(expected), str(expected))
        return
    kernel = public._compiled_or_not(bound)
    assert type(kernel) in (public.AllRows, Kernel)
    for found, *rows in zip(tuples(kernel(*arrays)), *expected, strict=True):
        assert apart(found, np.array(rows)) < EXACT
    for found, row in zip(tuples(kernel(*(x[0] for x in arrays))), expected[0], strict=True):
        assert apart(found, row) < EXACT
    for found, row in zip(tuples(kernel(*(x[:0] for x in arrays))), expected[0], strict=True):
        assert found.shape == (0, *np.shape(row))


@pytest.mark.parametrize("book", OF_ARRAYS, ids=lambda book: book.__name__)
def test_what_kernels_compose_is_what_the_book_says(book, few):
    require_book(book, "loops")


@pytest.mark.variants("name")
@pytest.mark.parametrize("name", ["tree", "followers", "bricard", "ties", "four_bars:2"])
@pytest.mark.parametrize("book", OF_ARRAYS, ids=lambda book: book.__name__)
def test_on_other_mechanisms(book, name, few):
    require_book(book, name)


@pytest.mark.parametrize("method", ["articulated", "assembly", "hybrid"])
@pytest.mark.parametrize("name", ["planar:4", "four_bars:1"])
def test_wrenches_are_not_ignored(name, method, few):
    """Where kernels take none, they are efforts of the joints."""
    model = lw.load(name)
    q, v, tau = state(model, 1)
    if model.loops:
        q = lw.close_loops(model, q)
        v = dynamics.impulse(model, q, v)[0]
    frame = model.bodies[-1].name
    push = np.arange(1.0, 7.0)
    a = lw.forward_dynamics(model, q, v, tau, wrenches={frame: push}, method=method)
    assert relative_error(a, dynamics.forward_dynamics(model, q, v, tau, {frame: push})) < EXACT
    assert relative_error(a, lw.forward_dynamics(model, q, v, tau, method=method)) > 1e-3


def test_a_large_batch_is_taken_in_parts(few, monkeypatch):
    model, q = mechanism("four_bars:2")
    v = np.random.default_rng(0).normal(size=(3, 4, model.nv))
    bound = bind(dynamics.impulse, model, {})
    kernel = public._compiled_or_not(bound)
    whole = kernel(q, v)
    kernel.at_once = 5
    for parts, all_at_once in zip(kernel(q, v), whole, strict=True):
        np.testing.assert_array_equal(parts, all_at_once)


def test_one_row_that_is_no_number_leaves_the_others_alone(few):
    model, q = mechanism("four_bars:2")
    rows = np.array([q, np.full(model.nq, np.nan), q])
    found = lw.constraint_forces(model, rows, np.zeros(model.nv), np.ones(model.nv))
    assert np.isnan(found[1]).any()
    np.testing.assert_array_equal(found[0], found[2])
    assert np.isfinite(found[0]).all()


def test_loops_that_share_joints_are_requested_together():
    """K x and Kᵀλ of groups are those of the whole K; P, λ and x are what the pseudo-inverse gives."""
    model, q = with_loops(random_tree([Revolute] * 6, 3), ["weld", "ball", "revolute"], 5)
    K = dynamics.constraint_jacobian(model, q)
    asked, rng = LoopConstraints(model, q), np.random.default_rng(0)
    x, k, h = rng.normal(size=model.nv), rng.normal(size=len(K)), rng.normal(size=model.nv)
    np.testing.assert_allclose(asked.matrix(), K, atol=1e-14)
    np.testing.assert_allclose(asked.rates(x), K @ x, atol=1e-13)
    np.testing.assert_allclose(asked.efforts(k), K.T @ k, atol=1e-13)
    inverse = np.linalg.pinv(K, rcond=1e-9)
    np.testing.assert_allclose(asked.within(k), K @ inverse @ k, atol=1e-9)
    np.testing.assert_allclose(asked.multipliers(K.T @ k), inverse.T @ (K.T @ k), atol=1e-8)
    for places in ([0, 1], [], list(range(model.nv))):
        for found, expected in zip(
            asked.least_efforts(h, places), dynamics.forces.actuation.least_efforts(model, q, h, places), strict=True
        ):
            np.testing.assert_allclose(found, expected, atol=1e-8)


def test_stacks_choose_the_rows_that_single_matrices_do():
    rng = np.random.default_rng(1)
    B = rng.normal(size=(20, 6, 4))
    B[::3, 2] = 2.0 * B[::3, 0]
    B[::4, :, 1] = 0.0
    B[5] = 0.0
    A = B @ np.swapaxes(B, 1, 2)
    stack = semidefinite(A, np.ones(6))
    X = rng.normal(size=(20, 6))
    weights = rng.uniform(0.5, 2.0, (20, 6))
    for k, one in enumerate(A):
        factors = semidefinite_factors(one, scales=np.ones(6))
        assert sorted(np.flatnonzero(stack.kept[k])) == sorted(factors.rows)
        b = one @ X[k]
        np.testing.assert_allclose(stack.solve(np.tile(b, (20, 1)))[k], factors.solve(b), atol=1e-9)
        np.testing.assert_allclose(stack.least_norm(X)[k], factors.least_norm(X[k]), atol=1e-10)
        np.testing.assert_allclose(
            stack.least_norm(X, weights)[k], factors.least_norm(X[k], weights=weights[k]), atol=1e-10
        )


def test_what_joints_bear_and_motions_given_in_part_are_the_books():
    model = one_of_each(seed=2)
    q, v, tau = state(model, 4)
    _, _, a = state(model, 5)
    push, rng = {"tip": np.arange(6.0)}, np.random.default_rng(0)
    names = [joint.name for joint in model.joints][1::3]
    rates, _ = dynamics.prescribed_dynamics(model, q, v, tau, a, names, push)
    assert relative_error(partly_prescribed(model, q, v, tau, a, names, push), rates) < 1e-11
    a = dynamics.forward_dynamics(model, q, v, tau, push)
    forces = np.zeros((len(model.links), 6))
    borne = np.array(borne_forces(model, q, v, a, forces, push))
    assert relative_error(borne, dynamics.joint_reactions(model, q, v, tau, push)) < 1e-10
    forces = rng.normal(size=forces.shape)
    less = np.array(borne_forces(model, q, v, a, forces, push)) - borne
    S = [link.motion_subspace(x) for link, x in zip(model.links, model.coordinates(q), strict=True)]
    in_body = [
        lw.spatial.transform.force_to_parent(model.frames[b.name].placement, f)
        for b, f in zip(model.bodies, less, strict=True)
    ]
    lost = np.concatenate([s.T @ f for s, f in zip(S, in_body, strict=True)])
    assert relative_error(efforts_of(model, q, forces), -lost) < 1e-11


def test_branches_meet_at_the_nearest_common_ancestor():
    model = random_tree([Revolute] * 12, 7)
    for first in range(-1, 12):
        for second in range(-1, 12):
            ways = model.path(first), model.path(second)
            common = sum(1 for a, b in zip(*ways, strict=False) if a == b)
            assert branches(model, first, second) == (ways[0][common:], ways[1][common:])


# at their real size


def test_a_chain_of_loops_at_its_real_size():
    """The equations of motion hold, the loops stay closed, bodies and loops bear what there is."""
    model = lw.load("four_bars:34")
    rng = np.random.default_rng(0)
    q = model.neutral()
    v, shock = lw.impulse(model, q, rng.normal(size=model.nv))
    K = lw.constraint_jacobian(model, q)
    assert np.abs(K @ v).max() < 1e-10
    assert shock.shape == lw.constraint_residual(model, q).shape == (len(K),)
    tau, push = rng.normal(size=model.nv), {model.bodies[50].name: rng.normal(size=6)}
    a = lw.forward_dynamics(model, q, v, tau, wrenches=push)
    forces = lw.constraint_forces(model, q, v, tau, wrenches=push)
    lacking = lw.inverse_dynamics(model, q, v, a, wrenches=push) - tau - K.T @ forces
    assert np.abs(lacking).max() < 1e-8 * (1.0 + np.abs(forces).max())
    assert np.abs(K @ a + lw.constraint_bias(model, q, v)).max() < 1e-8 * (1.0 + np.abs(a).max())
    borne = lw.joint_reactions(model, q, v, tau, wrenches=push)
    result = [S.T @ f for S, f in zip([link.motion_subspace(q[:1]) for link in model.links], borne, strict=True)]
    assert relative_error(np.concatenate(result), tau - model.armature * a) < 1e-8
    drives = [joint.name for joint in model.joints][::3]
    efforts = lw.inverse_dynamics(model, q, v, a, wrenches=push, actuated=drives)
    again = lw.forward_dynamics(model, q, v, efforts, wrenches=push)
    assert relative_error(again, a) < 1e-7
    acting = lw.constraint_wrenches(model, q, v, tau, wrenches=push)
    assert acting.shape == (34, 6)


@pytest.mark.filterwarnings("error")
def test_trees_at_their_real_size():
    model = random_tree([Revolute, Prismatic, Spherical] * 34, 1)
    q, v, tau = state(model, 0)
    a, twists = tau[::-1].copy(), np.random.default_rng(0).normal(size=(len(model.bodies), 6))
    push, messages = {"tip": np.ones(6)}, [joint.name for joint in model.joints[::4]]
    for name, arrays in (
        ("joint_reactions", (q, v, tau)),
        ("impulse", (q, v)),
        ("prescribed_dynamics", (q, v, tau, a, messages)),
        ("plastic_impact", (q, v, twists)),
        ("project", (q, v)),
        ("forward_dynamics_derivatives", (q, v, tau)),
        ("constraint_wrenches", (q, v, tau)),
    ):
        pushed = {"wrenches": push} if name not in ("plastic_impact", "project") else {}
        found, expected = (tuples(of(model, *arrays, **pushed)) for of in (getattr(lw, name), getattr(dynamics, name)))
        for x, y in zip(found, expected, strict=True):
            assert relative_error(x, y) < 1e-8, name


def test_followers_at_their_real_size():
    model = random_tree([Revolute, Prismatic] * 50, 1, mimics=True)
    assert model.has_couplings
    q, v, tau = state(model, 0)
    push = {"tip": np.ones(6)}
    a = lw.forward_dynamics(model, q, v, tau, wrenches=push)
    largest = 1.0 + np.abs(lw.bias_forces(model, q, v)).max()
    assert np.abs(lw.inverse_dynamics(model, q, v, a, wrenches=push) - tau).max() < 1e-9 * largest
    by_q, by_v, by_tau = lw.forward_dynamics_derivatives(model, q, v, tau, wrenches=push)
    assert relative_error(by_tau @ lw.mass_matrix(model, q), np.eye(model.nv)) < 1e-9
    step = 1e-6 * np.random.default_rng(1).normal(size=model.nv)
    there, back = (
        lw.forward_dynamics(model, lw.integrate(model, q, sign * step), v + sign * step, tau, wrenches=push)
        for sign in (1.0, -1.0)
    )
    assert relative_error(0.5e6 * (there - back), 1e6 * (by_q + by_v) @ step) < 1e-5
    assert lw.constraint_forces(model, q, v, tau).shape == (0,)
