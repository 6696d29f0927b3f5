"""Every public function and method that accepts our symbols accepts SymPy's, with the same results.

Arguments are made by the names of the parameters (`SAMPLES`). Each function is called with symbols of Linkwright, and
if it accepts them, with symbols of SymPy. A parameter with a new name needs a sample.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
import sympy as sp

import linkwright as lw
from linkwright.errors import ExpressionError, LinkwrightError
from linkwright.expression.graph import Expr
from linkwright.expression.sympy.conversion import finished

BASE = (
    lw.Builder("hammer")
    .body("arm", 1.2, [0.3, 0.1, 0.0], [0.1, 0.2, 0.3])
    .joint("hinge", "revolute", "world", "arm", axis=[0, 1, 0], damping=0.1)
    .frame("tip", "arm", xyz=[0.5, 0.0, 0.1])
    .shape("arm", "sphere", radius=0.1, name="head")
    .build()
)
PLAIN = BASE.with_ground(-1.0)
ROTATION = lw.rotation.from_rpy([0.3, -0.4, 0.5])
POSE = lw.transform.make(ROTATION, [0.1, 0.2, 0.3])
UNIT = lw.rotation.to_quaternion(ROTATION)

SAMPLES: dict[str, Any] = {
    **{name: np.array([0.3 + 0.1 * k]) for k, name in enumerate("q v a tau q0 q1 u v_r a_r posture effort".split())},
    **{name: np.array(0.4 + 0.1 * k) for k, name in enumerate("x y s angle factor mass height friction".split())},
    **{name: np.array([0.2, 0.3 + 0.1 * k, 0.5]) for k, name in enumerate("r rpy angles p axis gravity xyz".split())},
    **{"center_of_mass": np.array([0.1, 0.2, 0.3]), "inertia": np.array([0.2, 0.3, 0.4])},
    **{"R": ROTATION, "T": POSE, "placement": POSE, "twist": np.arange(1.0, 7.0) / 10, "wrench": np.arange(1.0, 7.0)},
    **{"frame": "tip", "body": "arm", "frames": ["tip"], "order": "zyx", "model": PLAIN, "actuated": ["hinge"]},
    **{"damping": np.array(0.7), "stiffness": np.array(0.8), "low": np.array(-0.1), "high": np.array(0.35)},
    **{"condition": True, "A": np.array([[2.0, 0.3], [0.3, 1.5]]), "b": np.array([0.4, 0.6]), "joint": "hinge"},
    **{"table": np.array([0.5, 0.7, 0.9]), "k": np.array(1.0), "name": "point", "t": np.array(0.3)},
    **{"armature": np.array(0.05), "rest": np.array(0.1), "velocity": np.array(0.3), "gain": np.array([[0.3, 0.4]])},
}
"""Arguments by the name of the parameter; arrays are replaced by symbols."""

OWN: dict[str, dict[str, Any]] = {
    "rotation.skew": {"a": np.array([0.1, 0.2, 0.3])},
    "mass_matrix": {"model": lw.load("two_link"), "q": np.array([0.3, -0.4])},
    **{name: {"q": np.array([0.3])} for name in ("articulated_inertia", "composite_inertia")},
    "control.hand_wrench": {"regularization": 0.1},
    "inverse_kinematics": {"targets": {"tip": np.array([0.4, 0.0, 0.1])}},
    "control.operational_space": {"reference": np.eye(4), "stiffness": np.ones(6), "damping": np.ones(6)},
    "control.pid": {"state": np.array([0.0]), "target": np.array([0.3]), "integral": np.array(0.3), "step": 0.1},
    "Builder.joint": {
        "name": "second",
        "type": "revolute",
        "parent": "arm",
        "child": "hand",
        "axis": [0.0, 1.0, 0.0],
        "friction": None,
        "placement": None,
    },
    "Builder.shape": {"kind": "sphere", "radius": np.array(0.2), "size": None, "length": None},
    "Builder.spring": {"a": "tip", "b": "world"},
    "quaternion.product": {"a": UNIT, "b": UNIT[::-1]},
    "quaternion.slerp": {"a": UNIT, "b": UNIT[::-1]},
    **{f"quaternion.{name}": {"u": UNIT} for name in ("inverse", "log", "rotate", "unit")},
    "rotation.from_quaternion": {"u": UNIT},
    "transform.interpolate": {"a": POSE, "b": np.eye(4)},
    "norm": {"x": np.array([0.3, 0.4, 1.2])},
    "prescribed_dynamics": {"prescribed": ["hinge"]},
    "mean_configuration": {"q": np.array([[0.1], [0.2]])},
    "solve": {"damping": np.array(0.3)},
    "repeat": {"count": 2, "step": lambda k, x: x * x + k, "state": np.array(0.3)},
    "until": {"condition": lambda x: x > 2.0, "step": lambda x: 2.0 * x, "state": np.array(0.3), "limit": 5},
    "stack": {"entries": np.array([0.1, 0.2])},
    "add_mass_properties": {"bodies": [(1.0, np.array([0.1, 0.2, 0.3]), np.eye(3)), (2.0, np.zeros(3), np.eye(3))]},
    "resolved_rate": {"rates": {"tip": np.array([0.1, 0.2, 0.3])}},
    "plastic_impact": {"twists": {}},
    "analytical_jacobian": {"order": "zyx"},
    "control.pd": {"target": np.array([0.3])},
    "control.computed_torque": {"reference": tuple(np.array([x]) for x in (0.1, 0.2, 0.3))},
    "control.impedance": {"target": POSE, "stiffness": np.ones(6), "damping": np.ones(6)},
    "control.compliance": {"stiffness": np.array([2.0])},
    "Model.with_parameters": {"parameters": lw.inertial_parameters(BASE), "armature": None, "friction": None},
    "Model.lock": {"positions": {"hinge": np.array(0.3)}},
    "Model.with_geometry": {"values": {"tip.position": np.array([0.1, 0.2, 0.3]), "head.radius": np.array(0.2)}},
    "Model.with_ground": {"self": BASE, "only": None, "contact": None},
    "Model.with_body": {"name": "arm"},
    "Model.with_link": {"name": "arm"},
    "Model.with_joint": {"name": "hinge"},
    "Model.with_frame": {"placement": None},
    "Builder.frame": {"placement": None},
    "Builder.joint_spring": {"rest": np.array(0.2)},
}
"""Arguments of a function, next to those of `SAMPLES`; optional ones, too."""


def public() -> Iterator[tuple[str, Any]]:
    """Yield every public function and every method of models and builders, by name."""
    for name in lw.__all__:
        found = getattr(lw, name)
        if inspect.ismodule(found):
            own = getattr(found, "__all__", [one for one in vars(found) if not one.startswith("_")])
            parts = ((f"{name}.{one}", getattr(found, one)) for one in own)
        else:
            parts = iter([(name, found)])
        yield from ((one, x) for one, x in parts if callable(x) and not inspect.isclass(x))
    for owner in (lw.Model, lw.Builder):
        for name, x in inspect.getmembers(owner, callable):
            if not name.startswith("_"):
                yield f"{owner.__name__}.{name}", x


FUNCTIONS = {name: x for name, x in public() if not name.startswith("dynamics.") or not hasattr(lw, name[9:])}

WITHOUT_ARRAYS = """
    bridges.jax bridges.pufferlib bridges.rsl_rl bridges.stable_baselines3 bridges.torch compile control.compiled
    control.encoders control.filtered_velocity control.initial_state_of control.kalman_velocity
    control.momentum_observer control.with_model control.with_policy derivative symbols load read_measurements study
    Model.each Model.inward
    Model.inward_columns Model.outward Model.full_name Model.require_numbers Model.require_physical Model.save
    Model.append Model.with_actuators Model.with_sensors structure.transfer_state from_dh samples.choice samples.grid
    samples.normal samples.random samples.saltelli samples.sobol samples.table
""".split()
"""Functions of functions, models, files and names."""

OF_NUMBERS = """
    calibrate close_loops control.ilqr convex_hull identify_payload inverse_kinematics_derivatives mass_properties
    rollout rollout_derivatives simulate structure.add_loop structure.grasp structure.lock_joints
    structure.unlock_joints trajectories.arc trajectories.circle trajectories.follow trajectories.polynomial
    trajectories.s_curve
    trajectories.s_curves trajectories.spline trajectories.straight trajectories.time_optimal trajectories.trapezoid
    Builder.height_field Builder.mimic Model.with_loop Builder.loop
""".split()
"""Functions that take numbers only: searches, simulations and plans decide by the values of their arguments."""

PIECES = """
    Model.assemble Model.block_diagonal Model.on_bodies Model.positions Model.square Model.total Model.velocities
    control.adaptive control.admittance control.feedback control.hybrid control.shaped_impedance
""".split()
"""Parts of algorithms, which are evaluated in functions that are compiled, on any kind of number."""


def built(add):
    def call(**given: Any) -> lw.Model:
        builder = lw.Builder(BASE)
        add(builder, **given)
        return builder.build()

    return call


CALLS = {
    "Builder.body": built(lambda b, **given: b.body("hand", **given).joint("weld", "fixed", "arm", "hand")),
    "Builder.joint": built(lambda b, **given: b.body("hand", 1.0, [0.1, 0.0, 0.0], 0.1).joint(**given)),
    **{f"Builder.{name}": built(getattr(lw.Builder, name)) for name in "frame joint_spring shape spring".split()},
}
"""Calls of methods that change their object."""


def arguments(name: str) -> dict[str, Any] | str:
    """Return the arguments of a function; the name of a parameter without a sample."""
    made, own = {}, OWN.get(name, {})
    for p in inspect.signature(FUNCTIONS[name]).parameters.values():
        if p.name in own:
            made[p.name] = own[p.name]
        elif p.name == "self":
            if name.startswith("Model."):
                made["self"] = PLAIN
        elif p.default is p.empty or (p.name in SAMPLES and name.startswith(("Model.with", "Builder."))):
            if p.name not in SAMPLES:
                return p.name
            made[p.name] = SAMPLES[p.name]
    return {n: x for n, x in made.items() if x is not None}


def call(name: str, given: dict[str, Any]) -> Any:
    """Call a function; positional parameters that have no keyword by position."""
    function = CALLS.get(name, FUNCTIONS[name])
    several = [p.name for p in inspect.signature(FUNCTIONS[name]).parameters.values() if p.kind is p.VAR_POSITIONAL]
    if several and several[0] in given:
        given = dict(given)
        last = given.pop(several[0])
        before = [given.pop(n) for n in list(given) if n in ("count", "condition", "step")]
        return function(*before, last, **given)
    return function(**given)


def is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray)


def arrays_in(x: Any) -> list[np.ndarray]:
    """Return the arrays of an argument, in order."""
    if is_array(x):
        return [x]
    if isinstance(x, dict):
        return [a for one in x.values() for a in arrays_in(one)]
    return [a for one in x for a in arrays_in(one)] if isinstance(x, (list, tuple)) else []


def replaced(x: Any, of: Iterator[Any]) -> Any:
    """Return an argument with other arrays, in order."""
    if is_array(x):
        return next(of)
    if isinstance(x, dict):
        return {n: replaced(one, of) for n, one in x.items()}
    return type(x)(replaced(one, of) for one in x) if isinstance(x, (list, tuple)) else x


def scalars(x: Any) -> list[Any]:
    """Return the numbers and expressions in a result."""
    if isinstance(x, lw.Model):
        q, v = [0.3] * x.nq, [0.4] * x.nv
        frames = list(x.frames)
        placed = [shape.placement for shape in x.shapes] + [shape.radius for shape in x.shapes]
        of_model = lw.bias_forces(x, q, v), lw.mass_matrix(x, q), lw.passive_forces(x, q, v), lw.spring_energy(x, q)
        return scalars([*of_model, *(lw.pose(x, q, frame) for frame in frames), *map(finished, placed)])
    if is_dataclass(x):
        x = [getattr(x, field.name) for field in fields(x)]
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, (list, tuple)):
        return [s for one in x for s in scalars(one)]
    if isinstance(x, np.ndarray):
        return list(x.flat)
    return [] if x is None or isinstance(x, (str, bool)) else [x]


def evaluated(found: list[Any], symbols: Any, values: np.ndarray) -> np.ndarray:
    """Return the values of numbers and expressions."""
    symbolic = [x for x in found if isinstance(x, (Expr, sp.Basic))]
    assert symbolic
    at = iter(np.atleast_1d(lw.compile(symbolic, {"x": symbols})(values)))
    return np.array([next(at) if isinstance(x, (Expr, sp.Basic)) else float(x) for x in found])


def symbolic_results(name: str, given: dict[str, Any], chosen: list[str]) -> tuple[Any, Any, np.ndarray]:
    """Return the results of our symbols and of SymPy's for these arguments, and the values of the symbols."""
    numbers = [a for n in chosen for a in arrays_in(given[n])]
    values = np.concatenate([a.ravel() for a in numbers])
    both = []
    for symbols in (lw.symbols("x", len(values)), np.array(sp.symbols(f"x:{len(values)}", real=True), dtype=object)):
        at, parts = 0, []
        for a in numbers:
            part = symbols[at : at + a.size].reshape(a.shape)
            parts.append(part if a.ndim else part[()])
            at += a.size
        of = iter(parts)
        theirs = {n: replaced(given[n], of) for n in chosen}
        both.append((symbols, lambda theirs=theirs: call(name, {**given, **theirs})))
    return both[0], both[1], values


SKIPPED = {*WITHOUT_ARRAYS, *OF_NUMBERS, *PIECES}


def test_every_function_has_arguments():
    lacking = {n: found for n in FUNCTIONS if n not in SKIPPED and isinstance(found := arguments(n), str)}
    assert not lacking, f"give samples of these parameters, or add the functions to the lists: {lacking}"
    assert not SKIPPED - set(FUNCTIONS), "these functions no longer exist"


WITHOUT_FORM = """
    repeat until take quaternion.log quaternion.slerp rotation.log rotation.to_euler rotation.to_quaternion
    rotation.to_rpy
    transform.log transform.interpolate transform.left_jacobian transform.left_jacobian_inverse transform.right_jacobian
    transform.right_jacobian_inverse force_ellipsoid velocity_ellipsoid control.impedance control.operational_space
    inverse_kinematics
""".split()
"""Loops, selections by size, and results that are too long for SymPy: an error names linkwright.symbols."""

FEWEST = 115
"""Number of functions that accept symbols: fewer would mean that the samples no longer fit."""


def difference(name: str) -> str | None:
    """Return how SymPy's symbols differ from ours, "" if they do not, None if ours are not accepted either."""
    given = arguments(name)
    assert isinstance(given, dict)
    every = [n for n in given if arrays_in(given[n])]
    for chosen in [every, *([n] for n in every if len(every) > 1)] if every else []:
        (ours, call_ours), (theirs, call_theirs), values = symbolic_results(name, given, chosen)
        try:
            found = scalars(call_ours())
        except (LinkwrightError, AttributeError, IndexError, TypeError):  # of numbers only
            continue
        if not any(isinstance(x, Expr) for x in found):
            continue
        try:
            other = scalars(call_theirs())
        except ExpressionError as error:
            explained = name in WITHOUT_FORM and "linkwright.symbols" in str(error)
            return "" if explained else f"{type(error).__name__}: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if name in WITHOUT_FORM:
            return "has a form in SymPy: remove it from WITHOUT_FORM"
        one, another = evaluated(found, ours, values), evaluated(other, theirs, values)
        return "" if np.allclose(one, another, rtol=1e-11, atol=1e-11, equal_nan=True) else f"{one} and {another}"
    return None


def test_symbols_of_sympy_are_accepted_wherever_ours_are():
    found = {name: difference(name) for name in FUNCTIONS if name not in SKIPPED}
    accepted = {name: how for name, how in found.items() if how is not None}
    assert not {name: how for name, how in accepted.items() if how}
    assert len(accepted) >= FEWEST, sorted(set(found) - set(accepted))


def test_conditions_and_mixtures():
    x, y = sp.symbols("x y")
    assert lw.where(x < y, x, 2.0) == sp.Piecewise((x, x < y), (2, True))
    assert lw.norm([x, y]) == lw.norm(sp.Matrix([x, y])) == lw.norm(sp.Array([x, y])) == sp.sqrt(x**2 + y**2)
    assert lw.solve(sp.Matrix([[x, 0], [0, y]]), sp.ImmutableMatrix([1, 2])).tolist() == [1 / x, 2 / y]
    assert lw.maximum([x, 2.0], [1.0, 3.0]).tolist() == [sp.Max(1, x), 3]
    assert lw.cholesky([[4, 2 * x], [2 * x, x**2 + y**2]])[1, 0] == x
    for function in (lw.minimum, lw.atan2, lambda a, b: lw.norm([a, b])):
        with pytest.raises(lw.errors.ArgumentError, match=r"of SymPy and of linkwright\.symbols cannot be mixed"):
            function(x, lw.symbols("a"))


HALF, TWO_LINK = sp.Rational(1, 2), lw.load("two_link")
KERNEL = lw.compile(lw.kinetic_energy, TWO_LINK)


@pytest.mark.parametrize(
    "of",
    [
        lambda q, x: lw.kinetic_energy(TWO_LINK, q, q),
        lambda q, x: KERNEL(q, q),
        lambda q, x: lw.norm(q),
        lambda q, x: lw.inverse_kinematics(TWO_LINK, {"tip": [x, 1, 0]}, q).q,
        lambda q, x: lw.simulate(TWO_LINK, q, q, x, x / 10).q[-1],
        lambda q, x: lw.trajectories.polynomial(TWO_LINK, q, [x, x], x).duration,
        lambda q, x: lw.static_wrench(TWO_LINK, q, "tip", q).wrench,
        lambda q, x: lw.linearize(TWO_LINK, q, q, q)[0],
        lambda q, x: lw.total_mass(lw.from_dh("arm", [lw.DHRow(a=x, alpha=x, mass=x)])),
        lambda q, x: lw.Builder(BASE).shape("arm", "sphere", radius=x).build().shapes[-1].radius,
        lambda q, x: lw.ContactProperties(friction=x).friction,
        lambda q, x: TWO_LINK.with_joint("joint1", upper=x).upper,
        lambda q, x: len(lw.equations(lw.load("pendulum"), parameters={"m1": x}).text()),
        lambda q, x: lw.maximum(x, 0.25),
    ],
)
def test_exact_numbers_of_sympy_are_numbers(of):
    found = [of(q, x) for q, x in ((sp.Matrix([HALF, sp.sqrt(2)]), HALF), ([0.5, 2**0.5], 0.5))]
    assert np.allclose(*(np.asarray(x, dtype=float) for x in found), rtol=1e-12, atol=1e-12)


def test_symbols_where_numbers_are_required_are_explained():
    x = sp.Symbol("x")
    for symbol in (x, lw.symbols("x")):
        with pytest.raises(LinkwrightError, match="It contains symbols: give their values"):
            lw.simulate(TWO_LINK, [symbol, 0.0], [0.0, 0.0], 0.1)
        builder = lw.Builder("arm").body("a", 1.0).joint("j", "revolute", "world", "a", limits=(-symbol, symbol))
        with pytest.raises(lw.errors.ModelError, match="lower must be numbers, not symbols"):
            builder.build()
