"""A plane through the states of a mechanism, the motions that start on it, and the energy-like function V there."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.kernel import compile
from linkwright.compiler.public import public
from linkwright.errors import (
    ArgumentError,
    InputError,
    LinkwrightError,
    LinkwrightWarning,
    ModelError,
    UnknownNameError,
)
from linkwright.expression.polynomials.polynomial import TERM_LIMIT
from linkwright.files import file_at, write_figure
from linkwright.model.tree import Model
from linkwright.simulation import Actuation, simulate
from linkwright.simulation.actuation.actuator_model import actuator_model
from linkwright.spatial.arrays import Array, as_numbers, clip
from linkwright.symbolic.closed_loop_control.controller_efforts import Law
from linkwright.symbolic.closed_loop_control.equilibria import Rest, RestingPlace
from linkwright.symbolic.closed_loop_control.lyapunov import Proof
from linkwright.symbolic.closed_loop_control.proofs import proof_of
from linkwright.symbolic.derivation.coordinates import Coordinates, coordinates_of
from linkwright.symbolic.derivation.plan import plan_of
from linkwright.symbolic.output.notation import latex_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 24
"""of Gauss and Legendre, at which the pull is computed along a straight line"""
QUICK = 41
"""Motions from rest whose speeds set the range of the plane."""
WIDER = 1.3
HELD = 1e-6
"""Tolerance of the forces at an equilibrium, relative to 1 and the efforts"""

_kinetic, _difference = public(dynamics.kinetic_energy), public(dynamics.difference)


@dataclass
class Controlled:
    """A mechanism and its controller, if any, for phase portraits."""

    model: Model
    law: Callable[..., Any] | None
    actuation: Actuation
    step: float

    def __post_init__(self) -> None:
        if self.model.loops:
            raise ModelError(
                f"the loops of {self.model.name!r} are closed: its states fill no plane of coordinates. "
                "equations(model).explanation() has its equilibria"
            )
        given = self.actuation
        if others := [x for x in given.own_path if x != "effort_limits"]:
            raise ArgumentError(
                f"pictures of motions take initial_state and effort_limits of Actuation; got {others[0]}"
            )
        if self.law is None and given.own_path:
            raise ArgumentError("effort_limits are those of a controller, and none is given: controller=…")
        _ = self.rest

    @cached_property
    def given(self) -> Law | None:
        """Return the controller with its bound values."""
        return None if self.law is None else Law(self.model, self.law, self.actuation.initial_state)

    @cached_property
    def limits(self) -> Array | None:
        """(nv,), what efforts are cut to."""
        found = actuator_model(self.model, self.step, self.actuation)
        return None if found is None else found.limit

    @cached_property
    def rest(self) -> Rest:
        """Return the equilibria."""
        if self.given is None:
            return Rest(self.model)
        near = tuple(
            np.asarray(x, dtype=float)
            for x in self.given.bound.values()
            if not callable(x) and not isinstance(x, str) and np.shape(x) == (self.model.nq,)
        )
        return Rest(self.model, self.given, near, self.limits)

    @property
    def stateful(self) -> bool:
        """Return whether the controller has a state."""
        return self.given is not None and self.given.rule.effort_function.state > 0

    @cached_property
    def proof(self) -> Proof:
        """The proof of the control law; without one, that the energy falls with friction."""
        if self.given is None:
            return Proof("potential", True)
        try:
            return proof_of(plan_of(self.model, "numbers", 1e-5), self.given, TERM_LIMIT)
        except LinkwrightError as failure:
            return Proof("", why_not=str(failure))

    @cached_property
    def names(self) -> Coordinates:
        """As the equations name coordinates and velocities."""
        return coordinates_of(self.model)

    def target(self, q: Any = None) -> Array:
        """A configuration of rest (nq,): the one given, or the first that is found to be stable."""
        if q is not None:
            q = as_numbers("target", q)
            dynamics.check(self.model, q)
            if q.shape != (self.model.nq,):
                raise InputError(f"target is one configuration ({self.model.nq},); got shape {q.shape}")
            return q
        if self.stateful:
            raise ArgumentError("the controller has a state: give the equilibrium, target=…")
        own = self.proof.target if self.proof.kind in ("pd", "linear") else None
        if own is not None:
            if np.abs(self.rest.pull(own)).max(initial=0.0) <= HELD * (1.0 + np.abs(self.rest.efforts(own)).max()):
                return np.asarray(own)
            if self.limits is not None:
                raise InputError(
                    f"the controller's target {np.round(own, 6).tolist()} is no equilibrium: within "
                    "effort_limits its efforts do not hold the mechanism there. Name another one, target=…"
                )
        order = {"asymptotically stable": 0, "stable": 1, "undecided": 2, "unstable": 3}
        found = sorted(self.rest.found, key=lambda one: order[one.kind])
        if not found:
            raise InputError("no equilibrium was found: give it, target=…")
        return found[0].q

    def motions(self, q: Array, v: Array, duration: float, samples: int = 1) -> tuple[Array, Array, Array]:
        """t (s,), q (s, …, nq) and v (s, …, nv) of motions, the start and ``samples`` after it; NaN after an end."""
        steps = max(samples, round(duration / self.step))
        steps = samples * math.ceil(steps / samples)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LinkwrightWarning)  # motions that diverge are part of the result
            motion = simulate(
                self.model,
                q,
                v,
                steps * self.step,
                self.step,
                controller=self.law,
                actuation=self.actuation,
                every=steps // samples,
            )
        return motion.t, motion.q, motion.v

    def distance(self, q: Array, target: Array) -> Array:
        """Return the distance of configurations (…, nq) from one (nq,), modulo whole turns that change nothing."""
        difference = np.array(_difference(self.model, np.broadcast_to(target, q.shape), q))
        for k in self.rest.rounds:
            place = self._velocity_of(k)
            turn = difference[..., place]
            difference[..., place] = turn - 2.0 * math.pi * np.round(turn / (2.0 * math.pi))
        found: Array = np.abs(difference).max(axis=-1)
        return found

    def _velocity_of(self, k: int) -> int:
        """The velocity of an angle's place in q."""
        at = place = 0
        for joint in self.model.joints:
            if joint.nq and at == k:
                return place
            at, place = at + joint.nq, place + joint.nv
        raise AssertionError(k)

    # V

    def function(self, target: Array) -> Callable[[Array, Array], Array] | None:
        """Return V (…,) of q (…, nq) and v (…, nv), zero at the target; None if no V is proved.

        ½ vᵀMv and the work against the force along the straight line from the target (the force has a potential); for
        computed torque the quadratic function of its errors. For one joint with a limited effort the force is limited
        too: v (cut(p − K_d v) − cut(p)) ≤ 0.
        """
        proof = self.proof
        if self.limits is not None and (self.model.nv > 1 or proof.kind == "linear"):
            return None  # a force that is cut has no potential
        if not proof.identity or self.stateful or any(joint.nq != joint.nv for joint in self.model.joints):
            return None
        if proof.kind == "linear":
            return self._of_errors(target)
        if proof.kind not in ("pd", "constant", "potential"):
            return None
        at, weights = np.polynomial.legendre.leggauss(POINTS)
        at, weights = 0.5 * (at + 1.0), 0.5 * weights

        def value(q: Array, v: Array) -> Array:
            way = q - target
            work = np.zeros(way.shape[:-1])
            for part in range(PARTS):
                for s, w in zip(at, weights, strict=True):
                    pull = self.rest.pull(target + (part + s) / PARTS * way)
                    work = work + w / PARTS * (pull * way).sum(axis=-1)
            return np.asarray(_kinetic(self.model, q, v) + work)

        return value

    def _of_errors(self, target: Array) -> Callable[[Array, Array], Array] | None:
        proof = self.proof
        if proof.target is None or proof.stiffness is None or proof.damping is None:
            return None
        K, D, epsilon = proof.stiffness, proof.damping, proof.epsilon

        def value(q: Array, v: Array) -> Array:
            e = target - q
            own = 0.5 * np.einsum("...i,ij,...j->...", e, K + epsilon * D, e)
            return np.asarray(own + 0.5 * (v * v).sum(axis=-1) - epsilon * (e * v).sum(axis=-1))

        return value

    # the flow of one degree of freedom

    @cached_property
    def acceleration(self) -> Callable[[Array, Array], Array]:
        """v̇ (…, nv) of q and v at time 0, efforts cut to their limits."""
        rule, limits = (self.given.rule if self.given else None), self.limits
        inputs = self.rest.packed_values

        def rate(model: Model, q: Array, v: Array, inputs: Array) -> Any:
            tau: Any = np.zeros(model.nv)
            if rule is not None:
                tau = rule.effort_function.efforts(model, 0.0, q, v, inputs)
                if limits is not None:
                    tau = clip(tau, -limits, limits)
            return dynamics.forward_dynamics(model, q, v, tau + dynamics.passive_forces(model, q, v))

        kernel = compile(rate, self.model, inputs=(inputs.size,))
        return lambda q, v: kernel(q, v, inputs)


PARTS = 4
"""Pieces of the line, each with its quadrature points."""


@dataclass
class PhasePlane:
    """Two of the coordinates and velocities, the others as at rest at the target."""

    controlled: Controlled
    target: Array
    axes: tuple[str, str]
    spans: tuple[tuple[float, float], tuple[float, float]]

    def states(self, x: Array, y: Array) -> tuple[Array, Array]:
        """q (…, nq) and v (…, nv) at places (…,) of the plane."""
        model, names = self.controlled.model, self.controlled.names
        shape = np.broadcast_shapes(x.shape, y.shape)
        q = np.broadcast_to(self.target, (*shape, model.nq)).copy()
        v = np.zeros((*shape, model.nv))
        for name, values in zip(self.axes, (x, y), strict=True):
            if name in names.q:
                q[..., names.q.index(name)] = values
            else:
                v[..., names.v.index(name)] = values
        return q, v

    def place(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return the coordinates of states on the plane."""
        names = self.controlled.names
        x, y = (q[..., names.q.index(name)] if name in names.q else v[..., names.v.index(name)] for name in self.axes)
        return x, y

    @property
    def held(self) -> tuple[str, ...]:
        """The coordinates and velocities that are not its own, as equations in LaTeX; velocities are all zero."""
        names = self.controlled.names
        rest = [
            f"${latex_name(name)} = {x:.3g}$"
            for name, x in zip(names.q, self.target, strict=True)
            if name not in self.axes
        ]
        still = [name for name in names.v if name not in self.axes]
        return (*rest, *([f"${' = '.join(map(latex_name, still))} = 0$"] if still else []))

    def places(self, one: RestingPlace) -> list[tuple[float, float]]:
        """Return the positions of an equilibrium on the plane, at every whole turn; empty if it is outside."""
        model, names = self.controlled.model, self.controlled.names
        found = []
        turned = [k for k in self.controlled.rest.rounds if names.q[k] in self.axes]
        ways = [(-2, -1, 0, 1, 2) if k in turned else (0,) for k in range(model.nq)]
        for turns in np.array(np.meshgrid(*(ways[k] for k in turned))).reshape(len(turned), -1).T if turned else [()]:
            q = one.q.copy()
            for k, n in zip(turned, turns, strict=True):
                q[k] += 2.0 * math.pi * n
            others = [k for k, name in enumerate(names.q) if name not in self.axes]
            if others and self._beside(q, others):
                continue
            x, y = self.place(q, np.zeros(model.nv))
            if all(low - 1e-9 <= z <= high + 1e-9 for z, (low, high) in zip((x, y), self.spans, strict=True)):
                found.append((float(x), float(y)))
        return found

    def _beside(self, q: Array, others: list[int]) -> bool:
        moved = self.target.copy()
        moved[others] = q[others]
        return bool(self.controlled.distance(moved, self.target) > 1e-4)


class PlanePicture(ABC):
    """Results on a plane of states that can be drawn."""

    plane: PhasePlane
    """plane of states"""

    @property
    def axes(self) -> tuple[str, str]:
        """The coordinates or velocities along x and y, as the equations name them; all others are as at the target."""
        return self.plane.axes

    @abstractmethod
    def _figure(self) -> Figure:
        """Draw the plane."""

    def plot(self, path: str | Path | None = None) -> Figure:
        """Plot the plane of states.

        Parameters
        ----------
        path : str or Path, optional
            File ``.png``, ``.svg`` or ``.pdf`` to write.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        figure = self._figure()
        if path is not None:
            write_figure(file_at(path, "pictures", ".png", ".svg", ".pdf"), figure, dpi=150)
        return figure


def plane_of(controlled: Controlled, target: Array, axes: Any, spans: Any) -> PhasePlane:
    """The requested plane, or the one that shows most: a coordinate and its velocity, or two coordinates."""
    model, names = controlled.model, controlled.names
    plain = [name for name in (*names.q, *names.v) if not any(name in four for four in names.quaternions)]
    if axes is None:
        own = [name for name in names.q if name in plain]
        if not own:
            raise ArgumentError("axes names two of the coordinates and velocities: " + ", ".join(plain))
        axes = (own[0], names.v[names.q.index(own[0])]) if model.nv == 1 else tuple(own[:2])
    if isinstance(axes, str) or not isinstance(axes, (tuple, list)) or len(axes) != 2 or axes[0] == axes[1]:
        raise ArgumentError(f"axes names two of the coordinates and velocities; got {axes!r}")
    for name in axes:
        if name not in plain:
            raise UnknownNameError("coordinate or velocity", str(name), plain)
    chosen = (str(axes[0]), str(axes[1]))
    if spans is None:
        spans = _spans(controlled, target, chosen)
    spans = np.asarray(as_numbers("spans", spans))
    if spans.shape != (2, 2) or not np.isfinite(spans).all() or not (spans[:, 0] < spans[:, 1]).all():
        raise InputError(f"spans are ((from, to), (from, to)) of the two axes; got {spans.tolist()!r}")
    (a, b), (c, d) = spans.tolist()
    return PhasePlane(controlled, target, chosen, ((a, b), (c, d)))


def _spans(controlled: Controlled, target: Array, axes: tuple[str, str]) -> tuple[tuple[float, float], ...]:
    """Return default ranges: ±π for angles, ±1 m for displacements, the largest velocities of motions from rest."""
    names, model = controlled.names, controlled.model
    found: list[tuple[float, float] | None] = []
    for name in axes:
        if name in names.q:
            x, reach = float(target[names.q.index(name)]), math.pi if name in names.angles else 1.0
            found.append((x - reach, x + reach))
        else:
            found.append(None)
    if None in found:
        q = np.broadcast_to(target, (QUICK, model.nq)).copy()
        for name, span in zip(axes, found, strict=True):
            if span is not None:
                q[:, names.q.index(name)] = np.linspace(*span, QUICK)
        if found[0] is None and found[1] is None:
            q = controlled.rest.scattered(QUICK)
        _, _, v = controlled.motions(q, np.zeros((QUICK, model.nv)), 3.0, 100)
        for k, name in enumerate(axes):
            if found[k] is None:
                seen = np.abs(v[..., names.v.index(name)])
                reach = WIDER * float(np.nanmax(seen, initial=1e-3))
                found[k] = (-reach, reach)
    return tuple(span for span in found if span is not None)
