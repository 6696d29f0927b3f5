"""What ``equations(model)`` gives: exact forms, and every way to write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.equations import code as codes
from linkwright.equations.derive import Coordinates, Derivation, Forms, Mechanism, coordinates_of
from linkwright.equations.explain import Explanation, explanation_of
from linkwright.equations.grouping import Grouping, grouping_of
from linkwright.equations.passive import PassiveForces
from linkwright.equations.plan import plan_of, realised
from linkwright.equations.writing import Order, Sum, grouped, latex_name, latex_of, sympy_of, text_of
from linkwright.errors import InputError, ModelError, TooLargeError
from linkwright.expression.polynomial import TERM_LIMIT, Polynomial
from linkwright.files import file_at
from linkwright.model.tree import Model

ROUTES = ("recursive", "lagrange")

LETTERS = {
    "mass_matrix": "M",
    "velocity_forces": "h",
    "gravity_forces": "g",
    "friction_forces": "D",
    "spring_forces": "K",
    "constraint_jacobian": "A",
    "constraint_bias": "b",
}
"""What there is to be shown. M v̇ + h + g + D + K = τ + Aᵀ λ, with A v̇ + b = 0 where loops are closed."""


MAIN = "M,h,g"


class Equations:
    """M(q) v̇ + h(q, v) + g(q) = τ of a mechanism, exactly. Made by :func:`equations`; all is made when asked for."""

    def __init__(
        self,
        model: Model,
        parameters: str | Mapping[str, Any] = "symbols",
        snap: float = 1e-5,
        route: str = "recursive",
        term_limit: int = TERM_LIMIT,
        base_parameters: bool = False,
    ):
        if route not in ROUTES:
            raise InputError(f"route is {route!r}; it may be {', '.join(map(repr, ROUTES))}")
        self._plan = plan_of(model, parameters, snap, linear=base_parameters)
        self.grouping: Grouping | None = None
        if base_parameters:
            self.grouping = grouping_of(self._plan, coordinates_of(self._plan.model), term_limit)
            self._plan = self.grouping.plan
        self._mechanism = Mechanism(self._plan, term_limit)
        self._route = route
        names = self._mechanism.coordinates
        self._order = Order(self._plan.values, names.v, (*names.angles, *self._plan.angle_names))
        self._codes: dict[tuple[str, ...], codes.Code] = {}

    @property
    def coordinates(self) -> Coordinates:
        """The names of q, v and v̇."""
        return self._mechanism.coordinates

    @property
    def parameters(self) -> dict[str, float]:
        """The named parameters with the model's values of them."""
        return dict(self._plan.values)

    @property
    def meanings(self) -> dict[str, str]:
        """What each named parameter is."""
        return {name: self._plan.meanings[name] for name in self._plan.values}

    @property
    def snapped(self) -> tuple[str, ...]:
        """What was taken to multiples of π/12 that was not there before."""
        return tuple(self._plan.snapped)

    @cached_property
    def model(self) -> Model:
        """The model of numbers that these are the equations of: the given one, angles snapped."""

        def make(coefficient: Any, name: str) -> float:
            return float(coefficient) * (self._plan.values[name] if name else 1.0)

        return realised(self._plan, make)

    @cached_property
    def canonical(self) -> Forms:
        """M, h and g as arrays of polynomials in normal form: ``==`` decides whether two are the same."""
        try:
            return self._mechanism.recursive if self._route == "recursive" else self._mechanism.lagrange.forms
        except TooLargeError as failure:
            raise TooLargeError(
                f"the equations of {self._plan.model.name!r} are too large to be written out: {failure}. Their "
                "factored form is the code, in which subexpressions are shared: c(), python(), octave(), fortran()"
            ) from None

    @cached_property
    def derivation(self) -> Derivation:
        """The route after Lagrange with what it finds on the way."""
        return self._mechanism.lagrange

    @property
    def planar(self) -> bool:
        """Whether it moves in a plane and its inertia is that about the centres of mass."""
        return self._plan.planar

    def grouped(self, p: Polynomial, form: str = "products") -> Sum:
        """The terms of an expression as they are printed."""
        return grouped(p, self._order, form)

    def vanishes(self, what: str) -> bool:
        """Whether "mass_matrix", "velocity_forces", … is zero identically: a proof, not a sample."""
        return not any(bool(p) for p in self.polynomials(what).flat)

    def polynomials(self, what: str) -> np.ndarray:
        """What :attr:`canonical` has, and the other terms likewise, as arrays of polynomials: "friction_forces", …"""
        if what not in LETTERS:
            raise InputError(f"there is no {what!r}; there are {', '.join(map(repr, LETTERS))}")
        if LETTERS[what] in ("A", "b"):
            if not self._plan.loops:
                raise InputError(f"{self._plan.model.name!r} has no closed loops, so no {LETTERS[what]}")
            place: Any = self._mechanism.closure
        else:
            place = self._passive if LETTERS[what] in ("D", "K") else self.canonical
        form: np.ndarray = getattr(place, what)
        return form

    @property
    def constraint_rows(self) -> tuple[str, ...]:
        """What each row of A holds: loop by loop, along (x, y, z) and about (rx, ry, rz) the second frame's axes."""
        return self._mechanism.closure.rows

    @property
    def left_out(self) -> tuple[str, ...]:
        """The rows of closed loops that vanish identically, and that A and b are without."""
        return self._mechanism.closure.left_out

    @cached_property
    def _passive(self) -> PassiveForces:
        return PassiveForces(self._plan, self.coordinates)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """What there is: M, h and g; D with friction, K with springs that have an exact form; A and b with loops."""
        joints = self._plan.model.joints
        damped = any(joint.damping.any() or joint.friction.any() for joint in joints)
        springs = [joint.motion for joint in joints if joint.stiffness.any()]
        exact = bool(springs) and not any(motion.quaternions for motion in springs)
        return (*codes.MAIN, *["D"] * damped, *["K"] * exact, *["A", "b"] * bool(self._plan.loops))

    def _wanted(self, what: str) -> dict[str, str]:
        """{letter: name} of what is asked for by letters, "M,h,g" or "all", in the order of LETTERS."""
        wanted = self.letters if what == "all" else [letter.strip() for letter in what.split(",")]
        if unknown := set(wanted) - set(LETTERS.values()):
            raise InputError(f"there is no {min(unknown)!r}; there are {', '.join(LETTERS.values())}")
        return {letter: name for name, letter in LETTERS.items() if letter in wanted}

    # SymPy

    @cached_property
    def symbols(self) -> dict[str, Any]:
        """SymPy's symbols by name, as far as they occur in what was converted."""
        return {}

    def sympy(self, what: str, form: str = "products") -> Any:
        """One of what there is as a SymPy matrix, in the form "products" or "angles" (multiple angles)."""
        import sympy

        array = self.polynomials(what)
        rows, columns = array.shape if array.ndim == 2 else (len(array), 1)
        entries = [sympy_of(grouped(p, self._order, form), self.symbols) for p in array.flat]
        return sympy.ImmutableMatrix(rows, columns, entries)

    @cached_property
    def mass_matrix(self) -> Any:
        """M (nv, nv), a SymPy matrix."""
        return self.sympy("mass_matrix")

    @cached_property
    def velocity_forces(self) -> Any:
        """h (nv, 1), centrifugal and Coriolis, a SymPy matrix."""
        return self.sympy("velocity_forces")

    @cached_property
    def gravity_forces(self) -> Any:
        """g (nv, 1), a SymPy matrix."""
        return self.sympy("gravity_forces")

    @cached_property
    def friction_forces(self) -> Any:
        """D (nv, 1), viscous damping and Coulomb friction, a SymPy matrix; the ideal law, sign(0) = 0."""
        return self.sympy("friction_forces")

    @cached_property
    def spring_forces(self) -> Any:
        """K (nv, 1), a SymPy matrix."""
        return self.sympy("spring_forces")

    @cached_property
    def constraint_jacobian(self) -> Any:
        """A (m, nv) of closed loops, a SymPy matrix: A v = 0."""
        return self.sympy("constraint_jacobian")

    @cached_property
    def constraint_bias(self) -> Any:
        """b = Ȧ v (m, 1), a SymPy matrix: A v̇ + b = 0."""
        return self.sympy("constraint_bias")

    # text

    def text(self, form: str = "products", what: str = MAIN) -> str:
        """Every entry on a line: M[1,1] = …; what is zero is said once. ``what``: some of M,h,g,D,K,A,b or all."""
        lines = []
        for letter, place, terms in self._entries(form, what):
            lines.append(f"{letter}{place} = {text_of(terms)}")
        return "\n".join(lines)

    def latex(self, form: str = "products", what: str = MAIN) -> str:
        """The equations in LaTeX, for display mathematics (amsmath's aligned). ``what``: as in :meth:`text`."""
        lines = []
        for letter, place, terms in self._entries(form, what):
            indices = place.strip("[]")
            left = f"{letter}_{{{indices}}}" if indices else letter
            lines.append(rf"{left} &= {latex_of(terms)} \\")
        return "\n".join([r"\begin{aligned}", *lines, r"\end{aligned}"])

    def _entries(self, form: str, what: str) -> Iterator[tuple[str, str, Sum]]:
        for letter, name in self._wanted(what).items():
            array = self.polynomials(name)
            if self.vanishes(name):
                yield letter, "", ()
                continue
            for place in np.ndindex(*array.shape):
                if name != "mass_matrix" or place[0] <= place[1]:
                    indices = ",".join(str(k + 1) for k in place)
                    yield letter, f"[{indices}]", grouped(array.item(*place), self._order, form)

    def derivation_text(self) -> str:
        """Lagrange's equations step by step: positions, velocities, K, U, L, ∂L/∂v, its rate, ∂L/∂q."""
        found = self.derivation

        def shown(p: Polynomial) -> str:
            return text_of(grouped(p, self._order))

        lines: list[str] = []
        point = "centre of mass" if self._plan.planar else "joint"
        for body in found.bodies:
            for words, vector in (
                (f"position of its {point}", body.position),
                ("its velocity", body.velocity),
                ("angular velocity in its axes", body.angular_velocity),
            ):
                lines.append(f"{body.name}, {words}: ({', '.join(map(shown, vector))})")
            lines.append(f"{body.name}, kinetic energy: {shown(body.kinetic_energy)}")
            lines.append(f"{body.name}, potential energy: {shown(body.potential_energy)}")
        lines += [f"K = {shown(found.kinetic_energy)}", f"U = {shown(found.potential_energy)}"]
        lines.append(f"L = K - U = {shown(found.lagrangian)}")
        rates = [f"dL/d{name}" for name in self.coordinates.v]
        lines += [f"{name} = {shown(p)}" for name, p in zip(rates, found.momenta, strict=True)]
        accelerated = found.forms.mass_matrix
        for name, p, row in zip(rates, found.momentum_rates, accelerated, strict=True):
            parts = [f"({shown(m)})*{a}" for m, a in zip(row, self.coordinates.a, strict=True) if m]
            rest = [f"({shown(p)})"] if p else []
            lines.append(f"d/dt {name} = {' + '.join([*parts, *rest]) or '0'}")
        lines += [
            f"slope of L along {name} = {shown(p)}" for name, p in zip(self.coordinates.v, found.slopes, strict=True)
        ]
        if any(bool(p) for p in found.turning):
            lines += [
                f"of the turning axes of {name} = {shown(p)}"
                for name, p in zip(self.coordinates.v, found.turning, strict=True)
            ]
        return "\n".join(lines)

    def explanation(self) -> Explanation:
        """What these equations say, in words and formulas: ``.sections``, ``.text()``, ``.latex()``.

        Kinds of terms, what M depends on, what vanishes and why, what is conserved, equilibria and their stability.
        Raises :class:`ModelError` where loops are closed: what holds of the tree need not hold then.
        """
        if self._plan.loops:
            raise ModelError(
                f"{self._plan.model.name!r} has closed loops, whose forces an explanation of its tree's equations "
                "would leave out"
            )
        return self._explanation

    @cached_property
    def _explanation(self) -> Explanation:
        return explanation_of(self._mechanism, lambda: self.canonical, self._order, self.model)

    def html(self, path: str | Path) -> Path:
        """Write a page to read in a browser: equations, derivation, code and a drawing; it needs no network."""
        from linkwright.equations.page import page

        path = file_at(path)
        try:
            path.write_text(page(self), encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
        return path

    # code

    @cached_property
    def _short_forms(self) -> Forms | None:
        """M, h and g unless they are too long to be code, and need not be found whole then."""
        try:
            return Mechanism(self._plan, codes.PRINTED_LIMIT).recursive
        except TooLargeError:
            return None

    def _code(self, what: str) -> codes.Code:
        wanted = self._wanted(what)

        def exact(letter: str) -> np.ndarray | None:
            if letter in codes.MAIN:
                found: np.ndarray | None = getattr(self._short_forms, wanted[letter], None)
                return found
            return self.polynomials(wanted[letter])

        letters = tuple(wanted)
        if letters not in self._codes:
            kept = self._mechanism.closure.kept if {"A", "b"} & {*letters} else ()
            self._codes[letters] = codes.code_of(self._plan, self.coordinates, self._order, letters, exact, kept)
        return self._codes[letters]

    @property
    def operations(self) -> Any:
        """How many operations the code of M, h and g takes."""
        return self._code(MAIN).program.operations

    def c(self, what: str = MAIN) -> str:
        """C99: ``void NAME(q, v, p, M, h, g)``, arrays of doubles; what is asked for is written to."""
        return codes.c_source(self._code(what))

    def python(self, what: str = MAIN) -> str:
        """Python without other packages: ``NAME(q, v, p=PARAMETERS) -> M, h, g``, or what is asked for."""
        return codes.python_source(self._code(what))

    def octave(self, what: str = MAIN) -> str:
        """Octave or MATLAB: ``[M, h, g] = NAME(q, v, p)``, or what is asked for."""
        return codes.octave_source(self._code(what))

    def fortran(self, what: str = MAIN) -> str:
        """Fortran: ``subroutine NAME(q, v, p, M, h, g)``, or what is asked for."""
        return codes.fortran_source(self._code(what))

    def latex_symbols(self) -> dict[str, str]:
        """How names are written in LaTeX."""
        names = (*self._plan.values, *self.coordinates.q, *self.coordinates.v)
        return {name: latex_name(name) for name in names}

    def __repr__(self) -> str:
        return f"<Equations of {self._plan.model.name!r}: {len(self.coordinates.v)} rows, {len(self.parameters)} names>"


def equations(
    model: Model,
    parameters: str | Mapping[str, Any] = "symbols",
    snap: float = 1e-5,
    route: str = "recursive",
    term_limit: int = TERM_LIMIT,
    base_parameters: bool = False,
) -> Equations:
    """The equations of motion of a mechanism, exact and readable: M(q) v̇ + h(q, v) + g(q) = τ.

    ``parameters``: "symbols" gives names to what the mechanism is made of (masses m1, lengths l1, centres of
    mass lg1, inertias I1 about them where all moves in a plane; else m1, mcx1 …, Ixx1 … at the joint),
    "numbers" takes decimals at their word, and a dict chooses: ``{"geometry": "numbers", "inertial": "all",
    "gravity": 9.81}``-like, by group (geometry, inertial, gravity; passive for friction and springs) or by name
    ({"l1": 0.5}); "all" names vanishing parameters too, which otherwise stay zero. ``snap``: how far, in
    radians, the turns of placements may be from multiples of π/12, to which they are taken. ``route``: "recursive"
    (composite bodies, Newton–Euler) or "lagrange"; both give the same. Raises :class:`ModelError` where a number
    has no exact form, and :class:`TooLargeError` where an entry would have more than ``term_limit`` terms; the
    code does not need them. ``base_parameters``: combinations of inertial parameters, as few as determine the
    motion, stand for them (IzzR1 with the meaning "Izz1 + m2*l1^2"; raises :class:`ModelError` where one
    is no polynomial in the lengths).

    >>> import linkwright as lw
    >>> print(lw.equations(lw.load("pendulum")).text())
    M[1,1] = m1*lg1^2 + I1
    h = 0
    g[1] = m1*g*lg1*sin(theta1)
    """
    return Equations(model, parameters, snap, route, term_limit, base_parameters)
