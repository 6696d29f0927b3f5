"""Quantities that can be written out: forces and inertias of a mechanism, and the kinematics of its frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.dynamics.configuration import configuration_rate
from linkwright.errors import ArgumentError, InputError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

Algorithm = Callable[..., Array]


class Quantity(NamedTuple):
    """An array of the equations, and the algorithm that gives it on any kind of number."""

    letter: str
    name: str
    meaning: str
    arguments: str
    """of q, v and p, those it depends on"""
    algorithm: Algorithm
    """of the model, those of q and v and, of a frame, its name and the reference frame; ``passive`` only in numbers"""
    symmetric: bool = False
    framed: bool = False
    """whether it is of a frame"""
    sparse: bool = False
    """whether zeros are left out of what is printed"""
    passive: bool = False
    """whether it consists of dampers, friction or springs, which have separate polynomials"""
    looped: bool = False
    """whether it is of closed loops: of those rows that do not vanish"""
    regrouped: str = ""
    """the form of regrouped inertias that gives it with fewest operations"""
    whole: bool = False
    """whether it is of all that moves: it may depend on parameters that the motion does not depend on"""
    needs_masses: bool = False
    """whether base parameters do not determine it"""

    def value(self, model: Model, q: Array, v: Array, frame: str, reference_frame: str) -> Array:
        """The array at a state."""
        state = [x for name, x in (("q", q), ("v", v)) if name in self.arguments]
        return self.algorithm(model, *state, *(frame, reference_frame) * self.framed)

    @property
    def latex(self) -> str:
        r"""The letter in LaTeX: J_dot as \\dot{J}, J_c as J_{c}."""
        base, _, index = self.letter.partition("_")
        base = r"\mathcal{R}" if base == "R" else base
        return rf"\dot{{{base}}}" if index == "dot" else base + (f"_{{{index}}}" if index else "")


def weightless(model: Model) -> Model:
    """Return the model without gravity; symbolic numbers are kept."""
    return replace(model, gravity=np.zeros(3))


def _velocity_forces(model: Model, q: Array, v: Array) -> Array:
    return dynamics.inverse_dynamics(weightless(model), q, v, np.zeros(model.nv))


def _friction_forces(model: Model, v: Array) -> Array:
    joints = zip(model.joints, model.rates(v), strict=True)
    return model.assemble([joint.damping * rate + joint.friction * np.sign(rate) for joint, rate in joints])


def _dissipation(model: Model, v: Array) -> Array:
    joints = zip(model.joints, model.rates(v), strict=True)
    return sum(
        (0.5 * joint.damping @ (rate * rate) + joint.friction @ np.abs(rate) for joint, rate in joints), np.zeros(())
    )


def _spring_forces(model: Model, q: Array) -> Array:
    return -dynamics.passive_forces(model, q, np.zeros(model.nv))


def rate_matrix(model: Model, q: Array) -> Array:
    """G (nq, nv) with q̇ = G v."""
    columns = [configuration_rate(model, q, unit) for unit in np.eye(model.nv)]
    return np.stack(columns, axis=1) if columns else np.zeros((model.nq, 0))


def _of_loops(letter: str, name: str, meaning: str, arguments: str, algorithm: Algorithm) -> Quantity:
    return Quantity(letter, name, meaning, arguments, algorithm, looped=True)


def _of_masses(
    letter: str, name: str, meaning: str, arguments: str, algorithm: Algorithm, sparse: bool = False
) -> Quantity:
    return Quantity(letter, name, meaning, arguments, algorithm, sparse=sparse, whole=True, needs_masses=True)


def _of_frame(letter: str, name: str, meaning: str, arguments: str, algorithm: Algorithm) -> Quantity:
    return Quantity(letter, name, meaning, arguments, algorithm, framed=True, sparse=True)


_TABLE = (
    Quantity("M", "mass_matrix", "mass matrix", "qp", dynamics.mass_matrix, symmetric=True, regrouped="inertia"),
    Quantity(
        "h", "velocity_forces", "centrifugal and Coriolis forces", "qvp", _velocity_forces, regrouped="second moment"
    ),
    Quantity(
        "C",
        "coriolis_matrix",
        "Christoffel's matrix: h is C v, and the rate of M less 2 C is skew-symmetric",
        "qvp",
        dynamics.coriolis_matrix,
    ),
    Quantity("g", "gravity_forces", "gravity forces", "qp", dynamics.gravity_forces, regrouped="second moment"),
    Quantity("D", "friction_forces", "viscous damping and Coulomb friction", "vp", _friction_forces, passive=True),
    Quantity(
        "R",
        "dissipation",
        "Rayleigh's dissipation function, whose slopes along v are D",
        "vp",
        _dissipation,
        passive=True,
    ),
    Quantity("K", "spring_forces", "forces of springs", "qp", _spring_forces, passive=True),
    _of_loops("A", "constraint_jacobian", "how fast closed loops open is A v", "qp", dynamics.constraint_jacobian),
    _of_loops("b", "constraint_bias", "rate of A times v", "qvp", dynamics.constraint_bias),
    Quantity("E", "kinetic_energy", "kinetic energy, of rotors too", "qvp", dynamics.kinetic_energy, whole=True),
    Quantity("U", "potential_energy", "potential energy of gravity", "qp", dynamics.potential_energy, whole=True),
    _of_masses("c", "center_of_mass", "center of mass of all that moves, in the world", "qp", dynamics.center_of_mass),
    _of_masses(
        "J_c",
        "center_of_mass_jacobian",
        "Jacobian of the center of mass: its velocity is J_c v",
        "qp",
        dynamics.center_of_mass_jacobian,
        sparse=True,
    ),
    _of_masses(
        "P",
        "linear_momentum",
        "linear momentum of all that moves, in the axes of the world",
        "qvp",
        lambda *state: np.asarray(dynamics.momentum(*state))[:3],
    ),
    _of_masses(
        "L",
        "angular_momentum",
        "angular momentum of all that moves about its center of mass, rotors aside",
        "qvp",
        lambda *state: np.asarray(dynamics.momentum(*state))[3:],
    ),
    _of_masses(
        "A_G",
        "momentum_matrix",
        "centroidal momentum matrix: P and L are A_G v",
        "qp",
        dynamics.momentum_matrix,
        sparse=True,
    ),
    Quantity("G", "rate_matrix", "the rate of q is G v", "q", rate_matrix, sparse=True),
    _of_frame(
        "T", "pose", "pose of {frame} in the world", "qp", lambda model, q, frame, _: dynamics.pose(model, q, frame)
    ),
    _of_frame(
        "J", "jacobian", "Jacobian of {frame}, {reference_frame}: its twist [v; w] is J v", "qp", dynamics.jacobian
    ),
    _of_frame(
        "J_dot", "jacobian_dot", "rate of the Jacobian of {frame}, {reference_frame}", "qvp", dynamics.jacobian_dot
    ),
    _of_frame("V", "velocity", "twist [v; w] of {frame}, {reference_frame}", "qvp", dynamics.velocity),
)
QUANTITIES = {quantity.letter: quantity for quantity in _TABLE}
NAMES = {quantity.name: quantity for quantity in QUANTITIES.values()}
MAIN = "M,h,g"

EQUATION = ("M", "h", "C", "g", "D", "K", "A", "b")
"""Terms of M(q) v̇ + h(q, v) + g(q) + D(v) + K(q) = τ + A(q)ᵀ λ, A(q) v̇ + b(q, v) = 0; h = C(q, v) v."""


def equation_text(letters: Sequence[str]) -> str:
    """Return the equations of motion with M, h, g and those of the other terms that are among the letters."""
    velocity = "C(q, v) v" if "C" in letters else "h(q, v)"
    terms = {"M": "M(q) a", "h": velocity, "g": "g(q)", "D": "D(v)", "K": "K(q)"}
    shown = " + ".join(term for letter, term in terms.items() if letter in MAIN or letter in letters)
    closed = " + A(q)^T lambda, A(q) a + b(q, v) = 0" if {"A", "b"} & {*letters} else ""
    return f"{shown} = tau{closed}"


def chosen(what: str, frame: str | None = None) -> list[Quantity]:
    """The quantities that ``what`` lists by their letters, in the order of the table.

    Raises :class:`InputError` where there is no such letter, or what is of a frame has none.
    """
    if not isinstance(what, str):
        raise ArgumentError(f"what lists letters, as 'M,h,g'; got {what!r}")
    letters = [letter.strip() for letter in what.split(",")]
    if unknown := [letter for letter in letters if letter not in QUANTITIES]:
        raise InputError(f"there is no {unknown[0]!r}; there are {', '.join(QUANTITIES)}")
    found = [quantity for letter, quantity in QUANTITIES.items() if letter in letters]
    check_frame(found, frame)
    return found


def check_frame(quantities: list[Quantity], frame: str | None) -> None:
    """Raise :class:`InputError` where a frame is missing, or given and of no use."""
    if frame is not None and not isinstance(frame, str):
        raise ArgumentError(f"a frame is given by its name, a str; got {frame!r}")
    framed = [quantity.letter for quantity in quantities if quantity.framed]
    if framed and frame is None:
        raise InputError(f"{framed[0]} is of a frame: give its name, frame=…")
    if frame is not None and not framed:
        raise InputError(f"frame is {frame!r}, but {', '.join(q.letter for q in quantities)} are of no frame")
