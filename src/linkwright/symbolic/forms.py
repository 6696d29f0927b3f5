"""The exact forms of a mechanism's equations, and the names in them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.dynamics.frames.manipulability import NAMES as DIRECTIONS
from linkwright.dynamics.frames.manipulability import rows_of
from linkwright.dynamics.kinematics import ReferenceFrame, check_reference_frame
from linkwright.errors import InputError, TooLargeError, warn
from linkwright.expression.polynomials.factors import Factored
from linkwright.expression.polynomials.polynomial import TERM_LIMIT, Polynomial
from linkwright.model.tree import Model
from linkwright.symbolic.derivation.coordinate_change import change_of
from linkwright.symbolic.derivation.coordinates import Coordinates, coordinates_of
from linkwright.symbolic.derivation.equations_of_motion import Derivation, Forms, LagrangianMechanism
from linkwright.symbolic.derivation.exact_rotations import POWERS_OF_PI
from linkwright.symbolic.derivation.given.expression_parser import SyntaxNode
from linkwright.symbolic.derivation.grouping import Grouping, grouping_of
from linkwright.symbolic.derivation.model_symbols import plan_of, with_frame
from linkwright.symbolic.derivation.passive_forces import PassiveForces
from linkwright.symbolic.derivation.plan import DerivationPlan, Entry
from linkwright.symbolic.derivation.quantities import NAMES, QUANTITIES, Quantity, check_frame, chosen
from linkwright.symbolic.derivation.realization import realized
from linkwright.symbolic.derivation.singularity import columns_amid, factors_of_determinant
from linkwright.symbolic.interpretation.phrases import listed
from linkwright.symbolic.output.code import Programmer
from linkwright.symbolic.output.notation import Order, Sum, divisor_of, grouped, text_of

ROUTES = ("recursive", "lagrange")


class ExactForms:
    """M(q) v̇ + h(q, v) + g(q) = τ of a mechanism as polynomials with named parameters; computed on demand."""

    def __init__(
        self,
        model: Model,
        parameters: str | Mapping[str, Any] = "symbols",
        angle_tolerance: float = 1e-5,
        method: str = "recursive",
        term_limit: int = TERM_LIMIT,
        base_parameters: bool = False,
        coordinates: tuple[tuple[str, SyntaxNode], ...] = (),
    ):
        if method not in ROUTES:
            raise InputError(f"method is {method!r}; it may be {', '.join(map(repr, ROUTES))}")
        self._plan = plan = plan_of(model, parameters, angle_tolerance, linear=base_parameters)
        self._of = (
            plan.source or plan.model,
            {} if plan.formulas else plan.choice,
            plan.formulas.given if plan.formulas else plan.given,
            plan.angle_tolerance,
            method,
            term_limit,
            bool(base_parameters),
            coordinates,
        )
        self.grouping: Grouping | None = None
        if base_parameters:
            self.grouping = grouping_of(self._plan, coordinates_of(self._plan.model), term_limit)
            self._plan = self.grouping.plan
        own = coordinates_of(self._plan.model)
        self._change = change_of(own, self._plan, coordinates) if coordinates else None
        self._mechanism = LagrangianMechanism(self._plan, term_limit, change=self._change)
        self._method = method
        self._order = self._order_of(self._mechanism)
        self._with_frame: dict[str, LagrangianMechanism] = {}
        self._forms: dict[tuple[str, str | None, ReferenceFrame], np.ndarray] = {}
        self._programmers: dict[tuple[str | None, bool], Programmer] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the derived forms without the programs of code, which are quickly derived from them."""
        return {name: x for name, x in vars(self).items() if name != "_codes"} | {"_programmers": {}}

    @property
    def coordinates(self) -> Coordinates:
        """The names of q, v and v̇."""
        return self._mechanism.coordinates

    @property
    def has_mass_properties(self) -> bool:
        """Whether center of mass and momentum are available: with mass, and without base parameters."""
        return not self.grouping and bool(self._mechanism.mass)

    @property
    def own_coordinates(self) -> Coordinates:
        """Those of the mechanism, which :attr:`coordinates` are unless others were put in."""
        return self._change.own if self._change else self.coordinates

    @property
    def substituted(self) -> list[tuple[str, Polynomial]]:
        """The mechanism's own coordinates that were replaced, and by what."""
        return self._mechanism.replaced()

    @property
    def substitution(self) -> tuple[str, ...]:
        """The mechanism's own coordinates by those of :meth:`Equations.in_coordinates`, "theta2 = phi2 - phi1"."""
        return tuple(f"{name} = {text_of(self.grouped(p))}" for name, p in self.substituted)

    @property
    def parameters(self) -> dict[str, float]:
        """The named parameters of the equations, with their values in the model; NaN for symbols of the model.

        For a group "all" also those that nothing depends on.
        """
        values = self._values_of(self._plan)
        return {name: values[name] for name in self._listed}

    @staticmethod
    def _values_of(plan: DerivationPlan) -> dict[str, float]:
        """Return the values of the named parameters: NaN for symbols of the model."""
        return plan.values if plan.source is None else dict.fromkeys(plan.values, math.nan)

    @property
    def has_symbols(self) -> bool:
        """Whether the named parameters are symbols of the model, which have no values."""
        return self._plan.source is not None

    @property
    def meanings(self) -> dict[str, str]:
        """The meaning of each letter, also of those that nothing depends on."""
        return {name: self._plan.meanings[name] for name in self._plan.values}

    @cached_property
    def _listed(self) -> list[str]:
        """Return the parameters of the existing terms; all, if these are too large."""
        try:
            found = self._programmer(None).occurring([QUANTITIES[letter] for letter in self.letters])
        except TooLargeError:
            return list(self._plan.values)
        if self._plan.model.springs:  # the right-hand side has them, their joints' and the lengths between them
            lengths = {name for name in self._plan.values if name.startswith(("l", "pitch", "alpha"))}
            found |= self._plan.passive_names | lengths
        return [name for name in self._plan.values if name in found or name in self._plan.kept_names]

    @property
    def snapped(self) -> tuple[str, ...]:
        """Angles rounded to multiples of π/12; for frames the requested ones."""
        plans = [self._plan, *(mechanism.plan for mechanism in self._with_frame.values())]
        return tuple(dict.fromkeys(note for plan in plans for note in plan.snapped))

    def frame_parameters(self, frame: str) -> dict[str, float]:
        """Return the named parameters, followed by those of the position of a frame.

        Parameters
        ----------
        frame : str
            Name of the frame.

        Returns
        -------
        dict of float
            Values by name.
        """
        self._plan.model.frame(frame)
        values = self._values_of(self._framed(frame).plan)
        return {name: values[name] for name in self._listed_with(frame)}

    def frame_meanings(self, frame: str) -> dict[str, str]:
        """Return the meanings of :meth:`frame_parameters`.

        Parameters
        ----------
        frame : str
            Name of the frame.

        Returns
        -------
        dict of str
            Meanings by name.
        """
        self._plan.model.frame(frame)
        meanings = self._framed(frame).plan.meanings
        return {name: meanings[name] for name in self._listed_with(frame)}

    def _listed_with(self, frame: str | None, whole: bool = False) -> list[str]:
        """Return the parameters of the equations, followed by those of the pose of a frame or of the whole."""
        if frame is None and not whole:
            return self._listed
        wanted = [QUANTITIES["T"]] * (frame is not None)
        wanted += [
            one for one in QUANTITIES.values() if whole and one.whole and not (one.needs_masses and self.grouping)
        ]
        found = self._programmer(frame).occurring(wanted, frame or "")
        return [*self._listed, *(name for name in self._framed(frame).plan.values if name in found - {*self._listed})]

    def named_in(self, polynomials: Iterable[Polynomial], frame: str | None = None) -> dict[str, tuple[float, str]]:
        """Return the named parameters that occur in polynomials.

        Parameters
        ----------
        polynomials : iterable of Polynomial
            Polynomials of the equations, or of a frame's quantities.
        frame : str, optional
            Name of the frame.

        Returns
        -------
        dict of tuple
            Value and meaning by name.
        """
        plan = self._framed(frame).plan
        used: set[str] = set().union(*(p.used() for p in polynomials))
        bare = {name[4:-1] if name.startswith(("cos(", "sin(")) else name for name in used}
        return {name: (value, plan.meanings[name]) for name, value in plan.values.items() if name in bare}

    @cached_property
    def model(self) -> Model:
        """The model of numbers that these are the equations of: the given one, angles snapped."""
        return _in_numbers(self._plan)

    @cached_property
    def canonical(self) -> Forms:
        """M, h and g as arrays of polynomials in normal form: ``==`` decides whether two are the same.

        Also those of two mechanisms: then they have the same equations, in the same letters.
        """
        try:
            return self._mechanism.recursive if self._method == "recursive" else self._mechanism.lagrange.forms
        except TooLargeError as failure:
            raise self._too_large(failure) from None

    @cached_property
    def derivation(self) -> Derivation:
        """Return the Lagrangian derivation with its intermediate results."""
        return self._mechanism.lagrange

    @property
    def planar(self) -> bool:
        """Whether the motion is planar, with inertias about the centers of mass."""
        return self._plan.planar

    def grouped(self, p: Polynomial, form: str = "products", frame: str | None = None) -> Sum:
        """Return the terms of a polynomial as they are printed.

        Parameters
        ----------
        p : Polynomial
            Polynomial of the equations, or of a frame's quantities.
        form : str, optional
            Form, as for :meth:`~Equations.text`.
        frame : str, optional
            Name of the frame.

        Returns
        -------
        Sum
            Terms.
        """
        return grouped(p, self._order_of(self._framed(frame)), form)

    def definitions(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the expressions that are named e1, e2, …: those of the model's symbols that are no polynomials.

        Parameters
        ----------
        names : iterable of str
            Names in equations; only those of such expressions are returned.

        Returns
        -------
        dict
            SymPy expressions of the model's symbols, by name.
        """
        formulas, wanted = self._plan.formulas, set(names)
        if formulas is None:
            return {}
        return {name: formulas.symbols[name] for name in formulas.constants.values() if name in wanted}

    @cached_property
    def spelled(self) -> dict[str, str]:
        """LaTeX of the symbols of the model, by their names in text."""
        formulas = self._plan.formulas
        if formulas is None:
            return {}
        import sympy

        symbols = {name: formulas.symbols[name] for name in formulas.names.values()}
        own = [name for name, x in symbols.items() if isinstance(x, sympy.Symbol) and "[" in x.name]  # p[0] of ours
        return {name: sympy.latex(x) for name, x in symbols.items() if name not in own}

    def _definition_text(self, expression: Any) -> str:
        """Return an expression of :meth:`definitions` as text, in the names of the equations."""
        import sympy

        formulas = self._plan.formulas
        known = {} if formulas is None else formulas.names.values()
        own = {formulas.symbols[name]: sympy.Symbol(name) for name in known}  # type: ignore[union-attr]
        return str(expression.xreplace(own)).replace("**", "^").replace("Abs(", "abs(")

    def vanishes(self, what: str) -> bool:
        """Return whether a quantity is identically zero: a proof, not a sample.

        Parameters
        ----------
        what : str
            Name of the quantity, as for :meth:`~Equations.sympy`.

        Returns
        -------
        bool
            Whether it is zero.
        """
        return not any(bool(p) for p in self.polynomials(what).flat)

    def polynomials(
        self, what: str, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> np.ndarray:
        """Return a quantity as an array of polynomials.

        Parameters
        ----------
        what : str
            Name or letter of the quantity, as for :meth:`~Equations.sympy`.
        frame : str, optional
            Name of the frame.
        reference_frame : str, optional
            Axes of a frame's quantities.

        Returns
        -------
        ndarray of Polynomial
            Polynomials.

        Raises
        ------
        InputError
            If there is no such quantity.
        """
        quantity = (NAMES.get(what) or QUANTITIES.get(what)) if isinstance(what, str) else None
        if quantity is None:
            known = ", ".join(f"{one.name} ({letter})" for letter, one in QUANTITIES.items())
            raise InputError(f"there is no {what!r}; there are {known}")
        check_frame([quantity], frame)
        check_reference_frame(reference_frame)
        if quantity.needs_masses and self.grouping:
            raise InputError(
                f"{quantity.letter} is not determined by base parameters: the motion shows these, not the masses; "
                "equations without base_parameters=True have it"
            )
        if quantity.passive:
            passive: np.ndarray = getattr(self._passive, quantity.name)
            return passive
        if quantity.name in Forms._fields:
            form: np.ndarray = getattr(self.canonical, quantity.name)
            return form
        self._require_loops([quantity])
        key = quantity.name, frame, reference_frame
        if key not in self._forms:
            try:
                self._forms[key] = self._framed(frame).form(quantity, frame or "", reference_frame)
            except TooLargeError as failure:
                raise self._too_large(failure) from None
        return self._forms[key]

    def determinant_factors(self, frame: str, directions: str | Sequence[str] = "all") -> Factored:
        """Return the determinant of a frame's Jacobian, in world axes, as a product of polynomials.

        Parameters
        ----------
        frame : str
            Name of the frame.
        directions : str or sequence of str, optional
            Directions, as for :func:`linkwright.manipulability`, as many as velocities; those in which the frame never
            moves are omitted if there are more.

        Returns
        -------
        Factored
            Coefficient and factors.

        Raises
        ------
        InputError
            If the Jacobian is not square.
        """
        rows, n = rows_of(directions), self._mechanism.model.nv
        mechanism = self._framed(frame)
        body = mechanism.model.frame(frame).body
        try:
            if rows == list(range(6)) and n == 6 and body >= 0 and not self._change:
                seen = columns_amid(mechanism.model, mechanism.q, body)
                mechanism.ring.check()
                return factors_of_determinant(mechanism, mechanism.ring.array(seen))
            J = self.polynomials("jacobian", frame)
            if len(rows) > n:
                rows = [row for row in rows if any(bool(p) for p in J[row])]
            if len(rows) != n:
                raise InputError(
                    f"the Jacobian of {frame!r} in directions {directions!r} has {len(rows)} rows that are not zero "
                    f"and {n} columns; name {n} of {', '.join(map(repr, DIRECTIONS))} for a determinant"
                )
            return factors_of_determinant(mechanism, J[rows])
        except TooLargeError as failure:
            raise self._too_large(failure) from None

    def _framed(self, frame: str | None) -> LagrangianMechanism:
        """The mechanism with that frame in it."""
        if frame is None:
            return self._mechanism
        self._plan.model.frame(frame)  # raises for unknown names
        if frame not in self._with_frame:
            limit = self._mechanism.ring.term_limit
            self._with_frame[frame] = LagrangianMechanism(with_frame(self._plan, frame), limit, change=self._change)
        return self._with_frame[frame]

    def _too_large(self, failure: TooLargeError) -> TooLargeError:
        return TooLargeError(
            f"the equations of {self._plan.model.name!r} are too large to be written out: {failure}. Their "
            "factored form is the code, in which subexpressions are shared: c(), python(), octave(), fortran(), "
            "or --format c on the command line"
        )

    @property
    def passive_names(self) -> tuple[str, ...]:
        """The names of dampers, friction and springs, whether or not something depends on them."""
        return tuple(name for name in self._plan.values if name in self._plan.passive_names)

    @property
    def constraint_rows(self) -> tuple[str, ...]:
        """The meaning of each row of A: loop by loop, along (x, y, z) and about (rx, ry, rz) of the second frame."""
        return self._mechanism.closure.rows

    @property
    def left_out(self) -> tuple[str, ...]:
        """The rows of closed loops that vanish identically, and that A and b are without."""
        return self._mechanism.closure.left_out

    @cached_property
    def _passive(self) -> PassiveForces:
        return PassiveForces(self._plan, self.coordinates, self._change)

    @property
    def inexact_springs(self) -> tuple[str, ...]:
        """The joints with springs on quaternions, and the springs between bodies, whose forces are no polynomials."""
        joints = (joint for joint in self._plan.model.joints if np.any(joint.stiffness))
        turned = (joint.name for joint in joints if joint.motion.quaternions)
        return (*turned, *(spring.name for spring in self._plan.model.springs))

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The available terms: M, h and g; D with friction, K with springs of exact form; A and b with loops."""
        joints = self._plan.model.joints
        between = self._plan.model.springs  # whose lengths are no polynomials
        damped = any(joint.damping.any() or joint.friction.any() for joint in joints)
        damped = damped and not any(spring.damping for spring in between)
        springs = [joint.motion for joint in joints if joint.stiffness.any()]
        exact = bool(springs) and not any(motion.quaternions for motion in springs)
        exact = exact and not any(spring.stiffness for spring in between)
        return ("M", "h", "g", *["D"] * damped, *["K"] * exact, *["A", "b"] * bool(self._plan.loops))

    def _chosen(self, what: str, frame: str | None) -> list[Quantity]:
        """The quantities of the letters, or of "all" terms of the equation of motion; warn of terms without a form."""
        if isinstance(what, str) and what == "all" and self.inexact_springs:
            warn(
                f"what='all' of {self._plan.model.name!r} is without the forces of {listed(self.inexact_springs)}: "
                "springs between bodies and on quaternions have no exact form, and D or K that contains them is left "
                "out. lw.passive_forces and the code of what='rhs' include them"
            )
        found = chosen(",".join(self.letters) if isinstance(what, str) and what == "all" else what, frame)
        self._require_loops(found)
        return found

    def _require_loops(self, quantities: Sequence[Quantity]) -> None:
        looped = [quantity.letter for quantity in quantities if quantity.looped]
        if looped and not self._plan.loops:
            raise InputError(f"{self._plan.model.name!r} has no closed loops, so no {looped[0]}")

    def total_mass(self, array: np.ndarray) -> Sum:
        """Return the total mass if an entry of an array is divided by it; it is represented by a letter there.

        Parameters
        ----------
        array : ndarray of Polynomial
            Quantity.

        Returns
        -------
        Sum
            Terms of the total mass, or none.
        """
        divided = any(divisor_of(name) for p in array.flat for name in p.used())
        return grouped(self._mechanism.mass, self._order) if divided else ()

    @property
    def mass_letter(self) -> str:
        """The letter of the total mass: m, unless it is a symbol of the model."""
        return self._plan.mass_letter

    @staticmethod
    def _order_of(mechanism: LagrangianMechanism) -> Order:
        plan = mechanism.plan
        return Order(plan.values, mechanism.coordinates.v, mechanism.ring.angles, plan.inertial_names)

    def _programmer(self, frame: str | None, whole: bool = False) -> Programmer:
        """Return the code generator with the parameters of the equations, and of the ``whole``, as arguments."""
        if (frame, whole) not in self._programmers:
            mechanism = self._framed(frame)
            model = _in_numbers(mechanism.plan)
            self._programmers[frame, whole] = Programmer(
                mechanism, self._passive, model, lambda: self._listed_with(frame, whole)
            )
        return self._programmers[frame, whole]


def _in_numbers(plan: DerivationPlan) -> Model:
    """Return the numerical model of a plan."""
    known = {**plan.values, **POWERS_OF_PI}

    def make(coefficient: Any, name: str) -> float:
        return float(coefficient) * (known[name] if name else 1.0)

    def values(entries: Sequence[Entry]) -> np.ndarray:
        return np.array([float(plan.value(one, make)) for one in entries])

    made = realized(plan, make)
    joints = tuple(
        replace(
            joint,
            damping=values(one.damping),
            friction=values(one.friction),
            stiffness=values(one.stiffness),
            rest=values(one.rest) if joint.stiffness.any() and not joint.motion.quaternions else joint.rest,
        )
        for joint, one in zip(made.joints, plan.passive, strict=True)
    )
    return replace(made, joints=joints)
