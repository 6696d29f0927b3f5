"""Every public algorithm at every size: straight lines, loops over bodies, at the limit between them and beyond.

The nightly run has mechanisms of three hundred bodies.

What is compiled is held against the book; that anything runs row by row in Python is an error here.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.frames.manipulability import Ellipsoid
from linkwright.errors import LinkwrightError
from linkwright.model.joints.joint import JOINT_TYPES, Free, Planar, Prismatic, Revolute
from linkwright.model.tree import Model
from mechanisms import random_tree, relative_error, state
from shortened import long_form

SIZES = (2, 101)
NIGHTLY = [("chain", 10), ("chain", 30), ("chain", 200), ("mixed", 300), ("followers", 300)]
"""Sizes of which the book's evaluation takes long."""
LONGEST_STRAIGHT = 99
"""Bodies of the longest straight lines, which take long to compile: here of the two that are used most."""
ALGORITHMS = {name: face for name in dir(lw) if hasattr(face := getattr(lw, name), "book")}
OF_FORCES = ("forward_dynamics", "forward_dynamics_derivatives", "prescribed_dynamics", "impulse", "project")
"""Algorithms that divide by the mass matrix, whose condition limits the digits for long chains."""
OF_LOOPS = (
    "actuated_efforts",
    "constraint_bias",
    "constraint_forces",
    "constraint_jacobian",
    "constraint_residual",
    "constraint_wrenches",
    "joint_reactions",
    "plastic_impact",
    "prescribed_dynamics",
    "impulse",
    "project",
)
"""Of closed loops, or joint by joint: `test_composed.py`."""
OF_HANDLES = ("operational_inertia", "operational_space_dynamics", "frame_responses")
"""Made of forward dynamics and accelerations, many times over: these two are gone through at every size, of every type
of joint; here are loops of few types, and straight lines that are soon compiled."""
OF_FREE_JOINTS = ("articulated_inertia", *OF_HANDLES)
OF_TREES = [name for name in ALGORITHMS if name not in (*OF_LOOPS, "forward_dynamics_derivatives")]


@lru_cache(1)  # tests go from one to the next, and all that was compiled for one goes with it
def mechanism(kind: str, bodies: int) -> Model:
    """A chain, or a tree, not as deep as it is large: of joints of all types, of few, of some that follow others."""
    rng = np.random.default_rng(bodies)
    if kind == "chain":
        return lw.load(f"chain3d:{bodies}")
    if kind == "few":
        return random_tree([(Revolute, Planar, Free)[i] for i in rng.integers(0, 3, bodies)], seed=bodies)
    if kind == "followers":
        kinds = [(Revolute, Prismatic)[i] for i in rng.integers(0, 2, bodies)]
        return random_tree(kinds, seed=7, mimics=True)
    return random_tree([JOINT_TYPES[i] for i in rng.integers(0, len(JOINT_TYPES), bodies)], seed=bodies)


def call(name: str, model: Model, book: bool):
    """The algorithm at some state, with forces on a frame where it takes them."""
    face, frame = ALGORITHMS[name], "tip" if "tip" in model.frames else model.bodies[-1].name
    q, v, a = state(model, 1)
    given = {
        "q": q,
        "v": 0.1 * v,
        "a": a,
        "tau": a,
        "v_r": 0.2 * a,
        "a_r": v,
        "q0": q,
        "q1": model.random(seed=2),
        "frame": frame,
    }
    given |= {"frames": (model.bodies[0].name, frame), "order": "zyx"}
    given |= {"body": frame, "point": np.arange(3.0)}
    given |= {"wrench": np.arange(6.0), "wrenches": {frame: np.arange(6.0)}}
    names = inspect.signature(face.book).parameters
    arguments = {n: x for n, x in given.items() if n in names}
    return (face.book if book else face)(model, **arguments)


def as_tuple(result):
    if isinstance(result, Ellipsoid):
        return result.axes, result.semi_axes
    return result if isinstance(result, tuple) else (result,)


def cases_of(sizes: Iterable[tuple[str, int]], names: Iterable[str]) -> list[tuple[str, int, str]]:
    return [(*size, name) for size in sizes for name in names]


OF_ALL = [name for name in OF_TREES if name not in OF_HANDLES]
CASES = [
    *cases_of([*(("chain", n) for n in SIZES), ("mixed", 120), ("followers", 120)], OF_ALL),
    *cases_of([("chain", LONGEST_STRAIGHT)], ("forward_dynamics", "inverse_dynamics")),
    *cases_of([("chain", 2), ("few", 101), ("followers", 120)], OF_HANDLES),
    *long_form(*cases_of(NIGHTLY, OF_ALL), *cases_of([("chain", 100), ("followers", 300)], OF_HANDLES)),
]


@pytest.mark.parametrize(("kind", "bodies", "name"), CASES)
def test_the_same_as_the_book(kind, bodies, name):
    model = mechanism(kind, bodies)
    if kind == "followers" and name == "forward_dynamics":
        pytest.skip("a dense matrix of so many joints is held against itself in test_composed.py")
    if kind == "followers" and name in OF_FREE_JOINTS:
        pytest.skip(
            "joints that follow others have no articulated bodies; by a dense matrix it is for small mechanisms"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = as_tuple(call(name, model, book=False))
    if name in OF_FORCES:  # the efforts of what was found are those that were given
        q, v, tau = state(model, 1)
        frame = "tip" if "tip" in model.frames else model.bodies[-1].name
        efforts = lw.inverse_dynamics(model, q, 0.1 * v, found[0], wrenches={frame: np.arange(6.0)})
        scale = np.abs(lw.inverse_dynamics(model, q, 0.1 * v, np.abs(found[0]))).max()
        assert np.abs(efforts - tau).max() < 1e-9 * scale
        return
    for x, expected in zip(found, as_tuple(call(name, model, book=True)), strict=True):
        assert relative_error(x, expected) < 1e-10


def test_no_algorithm_is_forgotten():
    assert set(OF_TREES) | set(OF_LOOPS) | {"forward_dynamics_derivatives"} == set(ALGORITHMS)


def test_functions_of_users_run_as_loops_too():
    model = mechanism("mixed", 120)
    q, v, tau = state(model, 3)

    def step(model, q, v, tau, gain):
        """A law and a step of Euler's."""
        a = lw.forward_dynamics(model, q, v, tau - gain[0] * v + lw.passive_forces(model, q, v))
        power = v @ tau
        v = v + 0.001 * a
        return lw.integrate(model, q, 0.001 * v), v, power, lw.pose(model, q, "tip")[:3, 3] * gain[1]

    gain = np.array([0.3, 2.0])
    kernel = lw.compile(step, model, gain=(2,))
    assert "loops" in kernel.program.form
    found, expected = kernel(q, v, tau, gain), step(model, q, v, tau, gain)
    for x, y in zip(found, expected, strict=True):
        assert relative_error(x, y) < 1e-9
    rows = [np.stack([x] * 9) for x in (q, v, tau, gain)]
    for x, one in zip(kernel(*rows), found, strict=True):
        assert np.array_equal(x[8], one)


def test_arrays_of_all_joints_may_have_any_name():
    model = mechanism("mixed", 120)
    q, v, target = *state(model, 2)[:2], model.random(seed=9)

    def law(model, q, v, target, stiffness, weight):
        """A posture held, its gains joint by joint; and the work of a force."""
        tau = stiffness * lw.difference(model, q, target) + lw.gravity_forces(model, q)
        return tau, (stiffness * v) @ v, weight @ lw.center_of_mass(model, q)

    stiffness, weight = np.linspace(1.0, 2.0, model.nv), np.arange(3.0)
    kernel = lw.compile(law, model, target=model.nq, stiffness=model.nv, weight=3)
    assert "loops" in kernel.program.form
    found, expected = kernel(q, v, target, stiffness, weight), law(model, q, v, target, stiffness, weight)
    for x, y in zip(found, expected, strict=True):
        assert relative_error(x, y) < 1e-12


def test_derivatives_of_large_mechanisms_are_those_that_algorithms_give():
    model = mechanism("chain", 101)
    q, v, a = state(model, 0)
    by_q, by_v, by_a = lw.inverse_dynamics_derivatives(model, q, v, a)
    for wrt, expected in (("q", by_q), ("v", by_v), ("a", by_a)):
        assert np.array_equal(lw.derivative(lw.inverse_dynamics, wrt)(model, q, v, a), expected)
    still = lw.inverse_dynamics_derivatives(model, q, 0 * v, 0 * a)[0]
    assert relative_error(lw.derivative(lw.gravity_forces, "q")(model, q), still) < 1e-12
    with pytest.raises(LinkwrightError, match="forward_dynamics_derivatives gives it"):
        lw.derivative(lw.forward_dynamics, "q")(model, q, v, a)
    kernel = lw.compile(lw.potential_energy, model)
    with pytest.raises(LinkwrightError, match="unroll=True"):
        kernel.derivative("q")


def test_matrices_of_followers_are_their_leaders():
    model = mechanism("followers", 120)
    q, v, a = state(model, 0)
    M, b = lw.mass_matrix(model, q), lw.bias_forces(model, q, v)
    assert relative_error(M @ a + b, lw.inverse_dynamics(model, q, v, a)) < 1e-12
    assert np.array_equal(M, M.T)
    C, g = lw.coriolis_matrix(model, q, v), lw.gravity_forces(model, q)
    assert relative_error(C @ v + g, b) < 1e-12
