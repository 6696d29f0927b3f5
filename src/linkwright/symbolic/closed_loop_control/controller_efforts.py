"""A controller on exact polynomials: its efforts, with names for the bound numbers.

The controller's code runs on the polynomials of the mechanism, as in the simulation on numbers. The result are its
efforts for all states, parameters and gains. Controllers with roots, logarithms or conditions have no polynomials.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from linkwright import control
from linkwright.errors import LinkwrightError
from linkwright.expression.polynomials.polynomial import Polynomial, Ring, evaluate
from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import LawController, law_controller, unflatten_state
from linkwright.spatial.arrays import Array
from linkwright.symbolic.derivation.equations_of_motion import LagrangianMechanism
from linkwright.symbolic.derivation.plan import DerivationPlan

LETTERS = {
    **{"stiffness": "K", "damping": "D", "integral": "Ki", "target": "qd", "reference": "qd"},
    **{"convergence": "L", "rate": "G"},
}
"""Names in formulas of the numbers bound to a control law; others keep their names."""

AGREE = 1e-4
"""Relative: models whose angles were snapped differ by as much"""

NAMED_UP_TO = 8
"""Velocities up to which matrices of gains have names; of more, and where names are of no use, they are numbers."""


def bare(model: Model) -> Model:
    """The mechanism without the passive forces of its joints and springs."""
    joints = tuple(
        replace(one, damping=0.0 * one.damping, friction=0.0 * one.friction, stiffness=0.0 * one.stiffness)
        for one in model.joints
    )
    return replace(model, joints=joints, springs=())


@dataclass
class Law:
    """A controller and its bound values."""

    model: Model
    """in numbers"""
    law: Callable[..., Any]
    initial_state: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the controller without its traced formula, which is derived again when it is used."""
        return {name: x for name, x in vars(self).items() if name != "rule"}

    @cached_property
    def rule(self) -> LawController:
        """Return the controller of a simulation; raise its errors for a wrong one."""
        return law_controller(
            self.model, self.law, self.initial_state, (), (), sound=False
        )  # what is wrong is explained

    @property
    def function(self) -> Callable[..., Any]:
        """Without what is bound."""
        return self.law.func if isinstance(self.law, partial) and not self.law.args else self.law

    @property
    def bound(self) -> dict[str, Any]:
        """Values by name."""
        return dict(self.law.keywords) if isinstance(self.law, partial) and not self.law.args else {}

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.rule.name

    @property
    def known(self) -> str:
        """Return the name of a controller of this library, or ""."""
        return next((name for name in control.__all__ if getattr(control, name) is self.function), "")

    def value(self, key: str, default: Any = 0.0) -> Any:
        """Return the bound value, or the default."""
        return self.bound.get(key, default)

    def gain(self, key: str) -> Array:
        """A bound gain as the matrix (nv, nv) that it is: of numbers or (nv,) a diagonal."""
        x, n = np.asarray(self.value(key), dtype=float), self.model.nv
        return x if x.ndim == 2 else np.diag(np.broadcast_to(x, (n,)))

    @cached_property
    def passive(self) -> str:
        """Return how the controller treats the mechanism's dampers, friction and springs.

        "none": there are none; "remain": they act in addition; "cancelled": they are compensated; otherwise "mixed".
        Determined at random states, by their effect on the controller's efforts.
        """
        from linkwright.dynamics import passive_forces

        model, rng, differences = self.model, np.random.default_rng(3), []
        if not any(np.any([*j.damping, *j.friction, *j.stiffness]) for j in model.joints) and not (
            model.springs or model.compensated_weights
        ):
            return "none"
        without = law_controller(bare(model), self.law, self.initial_state, (), (), sound=False)
        for q in model.random(3, seed=4):
            v = rng.normal(size=model.nv)
            own = passive_forces(model, q, v)
            differences.append([self.rule(0.0, q, v) - without(0.0, q, v), own])
        made, own = np.array(differences).swapaxes(0, 1)
        size = 1e-9 * (1.0 + np.abs(own).max())
        if np.abs(made).max() < size:
            return "remain"
        return "cancelled" if np.abs(made + own).max() < size else "mixed"


@dataclass
class LawPolynomials:
    """Efforts of a controller as polynomials."""

    mechanism: LagrangianMechanism
    efforts: np.ndarray
    """τ (nv,)"""
    bound: Mapping[str, Any]
    """what was bound: arrays of polynomials where it has names"""
    values: Mapping[str, float]
    """of the names, and of the mechanism's parameters"""
    state: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """the controller's next state"""

    def number(self, x: np.ndarray) -> Array:
        """Polynomials without coordinates, in numbers."""
        flat = evaluate(x.ravel().tolist(), {**dict.fromkeys(self.mechanism.ring.angles, 0.0), **self.values})
        return flat.reshape(x.shape)

    @property
    def free(self) -> set[str]:
        """The variables that are no constants: coordinates with their cosines and sines, velocities and the time."""
        names = self.mechanism.coordinates
        turns = {f"{f}({name})" for name in (*names.angles, "t") for f in ("cos", "sin")}
        return {*names.q, *names.v, "t", *turns}

    def constant(self, x: np.ndarray) -> bool:
        """Return whether the polynomials are independent of coordinates, velocities and time."""
        return not any(p.used() & self.free for p in x.flat)


def agrees(made: LawPolynomials, law: Law) -> bool:
    """Return whether the polynomials give the controller's efforts at random states.

    A controller that compares numbers may take another branch for polynomials.
    """
    model, names, rng = bare(law.model), made.mechanism.coordinates, np.random.default_rng(21)
    for q in law.model.random(3, seed=22):
        v, t = rng.normal(size=law.model.nv), float(rng.uniform(0.1, 2.0))
        at = {**made.values, **dict(zip(names.q, q, strict=True)), **dict(zip(names.v, v, strict=True)), "t": t}
        expected = np.broadcast_to(np.asarray(law.law(model, t, q.copy(), v.copy()), dtype=float), v.shape)
        found = evaluate(made.efforts.tolist(), at)
        if not np.abs(found - expected).max(initial=0.0) <= AGREE * (1.0 + np.abs(expected).max(initial=0.0)):
            return False
    return True


def names_of(law: Law, taken: set[str], angular: list[bool]) -> tuple[dict[str, list[str]], dict[str, float], set[str]]:
    """The names of bound numbers, entry by entry, their values, and those whose cosine may be taken."""
    made: dict[str, list[str]] = {}
    values: dict[str, float] = {}
    angles: set[str] = set()
    n, nq = law.model.nv, law.model.nq
    for key, x in law.bound.items():
        try:
            given = np.asarray(x, dtype=float)
        except (TypeError, ValueError):
            continue
        if isinstance(x, (bool, str)) or given.shape not in ((), (n,), (nq,), (n, n)) or key in ("step", "limit"):
            continue
        letters = LETTERS.get(key) or re.sub("[^A-Za-z]", "", key) or "c"
        while any(f"{letters}{k}" in taken for k in ("", *range(1, n + 1))):
            letters += "o"
        if given.ndim < 2:
            made[key] = [letters] if not given.ndim else [f"{letters}{k + 1}" for k in range(given.size)]
        elif n <= NAMED_UP_TO:  # what is zero stays zero, and equal halves have equal names
            even = np.array_equal(given, given.T)
            places = [(min(i, j), max(i, j)) if even else (i, j) for i, j in np.ndindex(n, n)]
            made[key] = [f"{letters}{i + 1}_{j + 1}" if given[i, j] else "" for i, j in places]
        else:
            continue
        taken |= {*made[key]}
        values |= {name: x for name, x in zip(made[key], given.ravel().tolist(), strict=True) if name}
        if given.shape == (nq,) == (len(angular),):
            angles |= {name for name, turns in zip(made[key], angular, strict=True) if turns}
    return made, values, angles


def run(
    plan: DerivationPlan,
    law: Law,
    term_limit: int,
    named: bool = True,
    more: tuple[str, ...] = (),
    bind: Callable[[Ring], dict[str, Any]] | None = None,
) -> LawPolynomials | str:
    """Return the controller's polynomials, with ``more`` variables; or the reason why there are none.

    ``bind`` replaces the bound values.
    """
    plain = LagrangianMechanism(plan, term_limit)
    coordinates = plain.coordinates
    angular = [name in coordinates.angles for name in coordinates.q]
    taken = {*plain.ring.names, *more, "t"}
    made, values, angles = names_of(law, taken, angular) if named else ({}, {}, set[str]())
    state = [f"z{k + 1}" for k in range(law.rule.effort_function.state)]
    others = dict.fromkeys(name for names in made.values() for name in names if name and name not in angles)
    mechanism = LagrangianMechanism(plan, term_limit, (*others, *state, *more), (*sorted(angles), "t"))
    ring, bound = mechanism.ring, dict(law.bound)
    for key, names in made.items():
        array = np.array([ring[name] if name else ring.zero for name in names], dtype=object)
        bound[key] = array.reshape(np.shape(law.bound[key])) if np.ndim(law.bound[key]) else array[0]
    bound |= bind(ring) if bind else {}
    own = [unflatten_state(law.rule.shapes, np.array([ring[name] for name in state], dtype=object))] if state else []
    try:
        results = law.function(bare(mechanism.model), ring["t"], mechanism.q.copy(), mechanism.v.copy(), *own, **bound)
        ring.check()
        tau, after = results if state else (results, np.zeros(0))
        efforts = ring.array(np.broadcast_to(tau, (law.model.nv,)))
        following = ring.array(np.concatenate([np.ravel(x) for x in _arrays(after)])) if state else after
    except Exception as failure:  # a controller is any function: on polynomials it may fail in any way
        ring.failure = None
        cause = failure.__cause__ if isinstance(failure, LinkwrightError) else failure
        if isinstance(cause, (AttributeError, TypeError)):
            return "it uses a function that polynomials do not have, such as clip, minimum, tanh or a comparison"
        return f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__
    return LawPolynomials(mechanism, efforts, bound, {**plan.values, **values}, following)


def _arrays(state: Any) -> list[Any]:
    """The arrays of a state, as they lie one after the other."""
    if isinstance(state, (dict, tuple, list)):
        return [x for part in (state.values() if isinstance(state, dict) else state) for x in _arrays(part)]
    return [state]


def quadratic(A: np.ndarray, x: np.ndarray) -> Polynomial:
    """xᵀ A x."""
    total = x[0].ring.zero
    for place in np.ndindex(*A.shape):
        total = total + A[place] * x[place[0]] * x[place[1]]
    return total
