"""What ``equations(model)`` gives: exact forms, and every way to write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from linkwright.compiler.ir.program import Operations
from linkwright.dynamics.kinematics import ReferenceFrame, check_reference_frame
from linkwright.errors import ArgumentError, InputError, ModelError, TooLargeError, counted, explained
from linkwright.expression.polynomial import TERM_LIMIT, Polynomial
from linkwright.files import file_at, replacing_together, write_figure, write_text
from linkwright.model.equality import same
from linkwright.model.tree import Model
from linkwright.symbolic.controlled.explain import ControlledExplanation, controlled_explanation
from linkwright.symbolic.derive.change import given_of
from linkwright.symbolic.derive.compared import Comparison, compare
from linkwright.symbolic.derive.quantities import MAIN, QUANTITIES
from linkwright.symbolic.derive.whole import MASS
from linkwright.symbolic.forms import ExactForms
from linkwright.symbolic.read.closed import ClosedExplanation, closed_explanation
from linkwright.symbolic.read.explain import Explanation, explanation_of
from linkwright.symbolic.write.c import c_header, c_source, test_program
from linkwright.symbolic.write.code import RIGHT_HAND_SIDE, GeneratedFunction
from linkwright.symbolic.write.document import Equation, display, names_table
from linkwright.symbolic.write.document import document as document_of
from linkwright.symbolic.write.document import figure as figure_of
from linkwright.symbolic.write.languages import fortran_source, octave_source, python_source
from linkwright.symbolic.write.mathml import mathml_letter, mathml_of, mathml_otherwise, mathml_table
from linkwright.symbolic.write.notation import Sum, checked_form, grouped, latex_name, latex_of, sympy_of, text_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS_SHOWN, MOST_LETTERS_SHOWN = 4, 20_000
"""in a notebook"""

_OTHERWISE = {"[i]": " otherwise", "[i,j]": " otherwise"}
"""After the line that tells of all entries without one of their own."""


def _letter_latex(letter: str, indices: str) -> str:
    """A quantity's letter with indices; J_c has one of its own."""
    base, _, own = (QUANTITIES[letter].latex if letter in QUANTITIES else letter).partition("_")
    own = own.strip("{}")
    both = f"{own}\\,{indices}" if own and indices else own + indices
    return base + (f"_{{{both}}}" if both else "")


class _SymPyMatrix(cached_property[Any]):
    """The quantity that is called as the attribute, made when first asked for."""

    def __init__(self, what: str):
        super().__init__(lambda equations: equations.sympy(self.attrname))
        self.__doc__ = f"{what}; a SymPy matrix."


class Equations(ExactForms):
    """M(q) v̇ + h(q, v) + g(q) = τ of a mechanism, exactly. Made by :func:`equations`; all is made when asked for.

    Equal where model and options are; whether two models have the same equations, :attr:`canonical` tells.
    """

    # SymPy

    @cached_property
    def symbols(self) -> dict[str, Any]:
        """SymPy's symbols by name, as far as they occur in what was converted."""
        return {}

    def sympy(
        self,
        what: str,
        form: str = "products",
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
    ) -> Any:
        """A quantity as a SymPy matrix, an energy as an expression; ``form`` as in :meth:`text`.

        ``what``: "mass_matrix", "velocity_forces", "coriolis_matrix", "gravity_forces", "friction_forces",
        "dissipation", "spring_forces", "constraint_jacobian", "constraint_bias", "rate_matrix", "kinetic_energy",
        "potential_energy", "center_of_mass", "center_of_mass_jacobian", "linear_momentum", "angular_momentum", and
        of a frame "pose", "jacobian", "jacobian_dot", "velocity".
        """
        import sympy

        array, order = self.polynomials(what, frame, reference_frame), self._order_of(self._framed(frame))
        entries = [sympy_of(grouped(p, order, form), self.symbols) for p in array.flat]
        if mass := self.total_mass(array):
            entries = [one.subs(self.symbols[MASS], sympy_of(mass, self.symbols)) for one in entries]
        if not array.ndim:
            return entries[0]
        rows, columns = array.shape if array.ndim == 2 else (len(array), 1)
        return sympy.ImmutableMatrix(rows, columns, entries)

    mass_matrix = _SymPyMatrix("M (nv, nv)")
    velocity_forces = _SymPyMatrix("h (nv, 1), centrifugal and Coriolis")
    coriolis_matrix = _SymPyMatrix("C (nv, nv), Christoffel's: h = C v, and Ṁ − 2 C is skew-symmetric")
    gravity_forces = _SymPyMatrix("g (nv, 1)")
    friction_forces = _SymPyMatrix("D (nv, 1), viscous damping and Coulomb friction, the ideal law with sign(0) = 0")
    spring_forces = _SymPyMatrix("K (nv, 1)")
    constraint_jacobian = _SymPyMatrix("A (m, nv) of closed loops, A v = 0")
    constraint_bias = _SymPyMatrix("b = Ȧ v (m, 1) of closed loops, A v̇ + b = 0")
    rate_matrix = _SymPyMatrix("G (nq, nv) with q̇ = G(q) v, the identity where v is q̇")

    def pose(self, frame: str) -> Any:
        """The pose (4, 4) of a frame in the world, a SymPy matrix; as the others of frames made when asked for.

        The lengths from its body's joint to the frame have names as those between joints
        (:meth:`frame_parameters`); its turn must be exact as theirs.
        """
        return self.sympy("pose", frame=frame)

    def jacobian(self, frame: str, reference_frame: ReferenceFrame = "world_aligned") -> Any:
        """J (6, nv) with the frame's twist [v; ω] = J v, a SymPy matrix; references as of the library's jacobian."""
        return self.sympy("jacobian", frame=frame, reference_frame=reference_frame)

    def jacobian_determinant(self, frame: str, directions: str | Sequence[str] = "all", form: str = "products") -> Any:
        """det J of a frame, a SymPy product of its factors: where one is zero the configuration is singular.

        ``directions`` are "all", "linear", "angular" or a list of "x", "y", "z", "rx", "ry", "rz", as many as joints;
        those in which the frame never moves are left out where there are more. In all six the determinant is the same
        in all axes.

        >>> import linkwright as lw
        >>> lw.equations(lw.load("planar:3")).jacobian_determinant("tip")
        l1*l2*sin(theta2)
        """
        import sympy

        found = self.determinant_factors(frame, directions)
        order = self._order_of(self._framed(frame))
        parts = [sympy_of(grouped(p, order, form), self.symbols) ** power for p, power in found.factors]
        return sympy.Mul(sympy.Rational(found.coefficient.numerator, found.coefficient.denominator), *parts)

    def jacobian_dot(self, frame: str, reference_frame: ReferenceFrame = "world_aligned") -> Any:
        """The time derivative (6, nv) of the Jacobian, a SymPy matrix."""
        return self.sympy("jacobian_dot", frame=frame, reference_frame=reference_frame)

    def velocity(self, frame: str, reference_frame: ReferenceFrame = "world_aligned") -> Any:
        """The twist (6, 1) [v; ω] of a frame, a SymPy matrix."""
        return self.sympy("velocity", frame=frame, reference_frame=reference_frame)

    # comparison

    def same_as(
        self,
        typed: Any,
        what: str | None = None,
        terms: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
        names: Mapping[str, Any] | None = None,
    ) -> Comparison:
        """Whether what somebody typed is the same as ours: true or false, with what differs. A proof, not a sample.

        ``typed`` is text, or SymPy's: an equation of a row ("tau1 = m1*lg1^2*qdd1 + …", also a multiple of it, or
        solved for something), or with ``what`` an entry ("M[1,2]", "g[1]", "c[1]") or all entries ("M", a matrix).
        Of several lines each is compared; a line may begin with the entry it is ("M[1,2] = …").
        An equation without an effort is one of motion without efforts: that row with tau = 0.
        Nothing of the text is run. Letters are those of the equations; q1, qd1, qdd1 and the like mean coordinates
        and their rates; ``names`` tells of others: {"a1": "l1", "J": "I1 + m1*lg1^2"}. ``terms``: what a row is made
        of, M,h,g and, where wanted, D and K. Numbers of 11 digits or more are read as rounded, as printed ones are.
        Raises :class:`InputError` for what cannot be read, :class:`UnknownNameError` for an unknown letter.

        >>> import linkwright as lw
        >>> print(lw.equations(lw.load("pendulum")).same_as("tau = (m*lg^2 + I)*qdd - m*g*lg*sin(q)"))
        tau[1]: typed less ours is -2*m1*g*lg1*sin(theta1)
        """
        return compare(self, typed, what, terms, frame, reference_frame, {} if names is None else names)

    def in_coordinates(self, coordinates: Mapping[str, Any]) -> Equations:
        """The same equations in other coordinates y, whose efforts are Jᵀ τ where v = J ẏ.

        Either new ones by the mechanism's, {"phi1": "theta1", "phi2": "theta1 + theta2"}, which are solved for these,
        or the mechanism's by new ones, {"d1": "r*cos(phi)", "d2": "r*sin(phi)"}: angles by sums of whole multiples and
        of pi/12, displacements by any polynomials in lengths, sines and cosines. Others stay. Text or SymPy's.
        The result prints, compares and generates code as these do; ``.substitution`` tells what was put in, and
        ``.singular_where()`` where it is singular. Raises :class:`InputError` where it is so everywhere, or cannot be.

        >>> import linkwright as lw
        >>> arm = lw.equations(lw.load("two_link")).in_coordinates({"phi1": "theta1", "phi2": "theta1 + theta2"})
        >>> print(arm.text(what="g"))
        g[1] = m1*g*lg1*cos(phi1) + m2*g*l1*cos(phi1)
        g[2] = m2*g*lg2*cos(phi2)
        """
        if self._change:
            raise InputError(
                "these equations are in other coordinates already; go there from the mechanism's own in one step"
            )
        model, choice, given, angle_tolerance, method, limit, base, _ = self._of
        return Equations(model, {**choice, **given}, angle_tolerance, method, limit, base, given_of(coordinates))

    def singular_where(self, form: str = "factored") -> str:
        """The determinant of J, v = J ẏ: where it is zero these coordinates are singular; "1" without others."""
        if not self._change:
            return "1"
        return text_of(grouped(self._change.determinant(self._mechanism.ring), self._order, form))

    # text

    def text(
        self,
        form: str = "products",
        what: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
    ) -> str:
        """Every entry on a line: M[1,1] = …; what is zero is said once.

        ``what``: some of M, h, g, D (friction), K (springs), A and b (of closed loops), or "all" of these that
        there are; C (h = C v), R (Rayleigh's function, D = ∂R/∂v), G (q̇ = G v); E and U (kinetic and potential
        energy), c and J_c (center of mass and its Jacobian), P and L (momentum, and angular about c), where m is the
        total mass; and of a ``frame`` T (pose), J (Jacobian), J_dot (its rate) and V (twist), by ``reference_frame``.
        Of M the upper triangle is shown.

        ``form``: "products" (with brackets, and as few products of sines and cosines as are found) or "angles"
        (multiple angles, none), the same without brackets as "expanded" and "expanded angles", and "factored"
        (a product of factors where there are several).
        """
        lines = []
        for letter, place, terms in self.entries(form, what, frame, reference_frame):
            lines.append(f"{letter}{place} = {text_of(terms)}{_OTHERWISE.get(place, '')}")
        return "\n".join(lines)

    def latex(
        self,
        form: str = "products",
        what: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
        document: bool = False,
    ) -> str:
        """The equations in LaTeX, for display mathematics (amsmath's aligned). ``what`` as in :meth:`text`.

        ``document`` makes it a whole document, long lines broken, with the names and their values beneath.
        """
        typeset = list(self._typeset(form, what, frame, reference_frame))
        if document:
            arrays = [
                self.polynomials(quantity.name, frame if quantity.framed else None, reference_frame)
                for quantity in self._chosen(what, frame)
            ]
            return self._document(typeset, frame, self.named_in((p for array in arrays for p in array.flat), frame))
        lines = [rf"{equation.left} &= {equation.right} \\" for _, equation in typeset]
        return "\n".join([r"\begin{aligned}", *lines, r"\end{aligned}"])

    def _typeset(
        self, form: str, what: str, frame: str | None, reference_frame: ReferenceFrame
    ) -> Iterator[tuple[str, Equation]]:
        """The letter and the equation in LaTeX of every line."""
        for letter, place, terms in self.entries(form, what, frame, reference_frame):
            left = _letter_latex(letter, place.strip("[]"))
            rest = r" \quad \mathrm{otherwise}" if place in _OTHERWISE else ""
            yield letter, Equation(left, latex_of(terms) + rest)

    def _document(
        self, typeset: Sequence[tuple[str, Equation]], frame: str | None, named: Mapping[str, tuple[float, str]]
    ) -> str:
        names = self.coordinates
        tuples = {"q": names.q, "v": names.v}
        listed = [f"{letter} = ({', '.join(map(latex_name, own))})" for letter, own in tuples.items()]
        law = r"M(q)\,\dot v + h(q, v) + g(q) = \tau"
        if self._plan.loops:
            law += r" + A(q)^T \lambda,\quad A(q)\,\dot v + b(q, v) = 0"
        for name, p in self.substituted:
            listed.append(f"{latex_name(name)} = {latex_of(self.grouped(p))}")
        if names.v != tuple(f"{name}_dot" for name in names.q):
            law += r",\quad \dot q = G(q)\,v"
        introduction = "\n".join([rf"\[ {law} \]", *(rf"${one}$\par" for one in listed)])
        title = f"Equations of {self._plan.model.name}" + ("" if frame is None else f", frame {frame}")
        return document_of(title, typeset, introduction, names_table(named))

    def figure(
        self,
        form: str = "products",
        what: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
        width: float = 90.0,
    ) -> Figure:
        """The equations as a matplotlib figure, in lines of about ``width`` letters. ``what`` as in :meth:`text`.

        Raises :class:`TooLargeError` where that takes more than a few hundred lines.
        """
        if not 20.0 <= width <= 1000.0:
            raise InputError(f"width is a number of letters, from 20 to 1000; got {width!r}")
        return figure_of([equation for _, equation in self._typeset(form, what, frame, reference_frame)], width)

    def picture(self, path: str | Path, **options: Any) -> Path:
        """Write the equations as a picture (.png, .svg or .pdf); options as of :meth:`figure`. Return its path."""
        path = file_at(path, "pictures", ".png", ".svg", ".pdf")  # refused before the work of drawing
        return write_figure(path, self.figure(**options), dpi=200)

    def entries(
        self, form: str, what: str, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> Iterator[tuple[str, str, Sum]]:
        """Letter, indices and terms of every line; indices [i] or [i,j] mean all that had no line of its own."""
        checked_form(form)
        told = False
        for quantity in self._chosen(what, frame):
            own = frame if quantity.framed else None
            array, order = self.polynomials(quantity.name, own, reference_frame), self._order_of(self._framed(own))
            if not told and (mass := self.total_mass(array)):
                told = True
                yield MASS, "", mass
            if not any(bool(p) for p in array.flat):
                yield quantity.letter, "", ()
                continue
            for place in np.ndindex(*array.shape):
                if (quantity.symmetric and place[0] > place[1]) or (quantity.sparse and not array[place]):
                    continue
                indices = ",".join(str(k + 1) for k in place)
                yield quantity.letter, f"[{indices}]" * bool(indices), grouped(array.item(*place), order, form)
            if quantity.sparse and not all(bool(p) for p in array.flat):
                yield quantity.letter, "[i,j]" if array.ndim == 2 else "[i]", ()

    def mathml(
        self,
        form: str = "products",
        what: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
    ) -> str:
        """The equations as one MathML element, a table of lines, which browsers set. ``what`` as in :meth:`text`."""
        rows = []
        for letter, place, terms in self.entries(form, what, frame, reference_frame):
            indices = () if place in _OTHERWISE else place.strip("[]").split(",")
            rows.append((mathml_letter(letter, *indices), mathml_of(terms) + mathml_otherwise(place in _OTHERWISE)))
        return mathml_table(rows)

    def derivation_text(self) -> str:
        """Lagrange's equations step by step: positions, velocities, K, U, L, ∂L/∂v, its rate, ∂L/∂q.

        Where joints have dampers or friction, Rayleigh's function R and its slopes ∂R/∂v too.
        """
        found = self.derivation

        def shown(p: Polynomial) -> str:
            return text_of(grouped(p, self._order))

        lines: list[str] = []
        point = "center of mass" if self._plan.planar else "joint"
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
        if "D" in self.letters:  # ∂R/∂v, the signs of v taken as they are
            lines.append(f"R = {shown(self.polynomials('dissipation').item())}")
            slopes = zip(self.coordinates.v, self.polynomials("friction_forces"), strict=True)
            lines += [f"dR/d{name} = {shown(p)}" for name, p in slopes]
        turns = "".join(f" - {part}" for part in ["turning"] * any(bool(p) for p in found.turning))
        lost, sprung = (f" + {part}" * (letter in self.letters) for letter, part in (("D", "dR/dv"), ("K", "K")))
        lines.append(f"d/dt dL/dv - slopes of L{turns}{lost}{sprung} = tau")
        return "\n".join(lines)

    @overload
    def explanation(self) -> Any: ...

    @overload
    def explanation(self, controller: Callable[..., Any], initial_state: Any = None) -> ControlledExplanation: ...

    def explanation(
        self, controller: Callable[..., Any] | None = None, initial_state: Any = None
    ) -> Explanation | ClosedExplanation | ControlledExplanation:
        """What these equations say, in words and formulas: ``.sections``, ``.text()``, ``.latex()``.

        Kinds of terms, what M depends on, what vanishes and why, what is conserved, equilibria and their stability. Of
        closed loops: where they can rest, what they carry there, and the stability of what they leave free.

        With a ``controller``, as of ``simulate`` (and its ``initial_state``), the closed control loop: a Lyapunov
        function with its rate, proved as an identity of polynomials where a proof is known; else why there is none;
        and equilibria with the eigenvalues of the closed loop. ``.proved`` tells, ``.proof`` has the polynomials.
        """
        if self._change:
            raise InputError(
                "explanations are of the mechanism's own coordinates: ask the equations that in_coordinates() was "
                "called on"
            )
        if controller is not None:
            return controlled_explanation(self._mechanism, self.model, self._plan.model, controller, initial_state)
        return self._explanation

    @cached_property
    def _explanation(self) -> Explanation | ClosedExplanation:
        if self._plan.loops:
            return closed_explanation(self._mechanism, self._plan.model)
        return explanation_of(self._mechanism, lambda: self.canonical, self._order, self.model)

    def html(self, path: str | Path, frame: str | None = None) -> Path:
        """Write a page to read in a browser: equations, derivation, code and a drawing; it needs no network.

        With pose and Jacobian of ``frame``; of the last frame of a mechanism that is one chain unless named.
        """
        from linkwright.symbolic.write.page import page

        return write_text(file_at(path), page(self, frame))

    # code

    @cached_property
    def _codes(self) -> dict[tuple[str, str | None, ReferenceFrame], GeneratedFunction]:
        return {}

    def _code(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> GeneratedFunction:
        check_reference_frame(reference_frame)
        right_hand_side = isinstance(what, str) and what == RIGHT_HAND_SIDE
        if right_hand_side and frame is not None:
            raise InputError(f"frame is {frame!r}, but the right-hand side is of no frame")
        wanted = [] if right_hand_side else self._chosen(what, frame)
        key = what, frame, reference_frame
        if key not in self._codes:
            programmer = self._programmer(frame, any(one.whole for one in wanted))
            self._codes[key] = (
                programmer.right_hand_side()
                if right_hand_side
                else programmer.quantities(wanted, frame, reference_frame)
            )
        return self._codes[key]

    @property
    def operations(self) -> Operations:
        """How many operations the code of M, h and g takes."""
        return self._code().program.operations

    def c(
        self,
        what: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
        test_main: bool = False,
    ) -> str:
        """C99 that allocates nothing: ``void NAME(q, v, p, M, h, g)``, arrays of doubles, the results written to.

        ``what``: some of the letters that :meth:`text` knows, or "rhs" (see :meth:`python`). ``test_main`` adds a
        ``main`` that compares with numbers of the library at three states, prints the largest differences and
        exits with 0 if all are below 1e-12 (relative to 1 + the largest number of the array), else with 1.
        """
        code = self._code(what, frame, reference_frame)
        return c_source([code]) + (self._test_main([(what, frame, reference_frame)]) if test_main else "")

    def c_header(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> str:
        """The header, for C and C++, of what :meth:`c` writes."""
        code = self._code(what, frame, reference_frame)
        return c_header([code], code.name)

    def _test_main(self, wanted: Sequence[tuple[str, str | None, ReferenceFrame]]) -> str:
        codes, samples = [self._code(*one) for one in wanted], []
        for (what, frame, reference_frame), code in zip(wanted, codes, strict=True):
            quantities = [] if what == RIGHT_HAND_SIDE else self._chosen(what, frame)
            programmer = self._programmer(frame, any(one.whole for one in quantities))
            samples.append(programmer.samples(code, quantities, frame, reference_frame))
        return test_program(codes, samples)

    def python(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> str:
        """Python without other packages: ``NAME(q, v, p=PARAMETERS) -> M, h, g``.

        ``what="rhs"`` gives the right-hand side for integrators such as SciPy's ``solve_ivp``:
        ``NAME_rhs(t, y, tau=None, p=PARAMETERS)`` is d/dt of y = [q, v] under the efforts tau.
        """
        return python_source([self._code(what, frame, reference_frame)])

    def octave(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> str:
        """Octave or MATLAB: ``[M, h, g] = NAME(q, v, p)``; ``what`` as in :meth:`python`."""
        return octave_source(self._code(what, frame, reference_frame))

    def fortran(
        self, what: str = MAIN, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> str:
        """Fortran: ``subroutine NAME(q, v, p, M, h, g)``; ``what`` as in :meth:`python`."""
        return fortran_source([self._code(what, frame, reference_frame)])

    def save(self, folder: str | Path, frames: Sequence[str] = ()) -> list[Path]:
        """Write everything in a folder: code in all languages, a C header and test, LaTeX; return the files.

        With the equations goes the right-hand side, where forward dynamics has an answer; ``frames`` adds pose,
        Jacobian and its rate of each. LaTeX is left out where the equations are too large to be written out.
        """
        if isinstance(frames, str) or not isinstance(frames, Sequence):
            raise ArgumentError(f"frames is a list of names; got {frames!r}")
        wanted: list[tuple[str, str | None, ReferenceFrame]] = [(MAIN, None, "world_aligned")]
        with suppress(ModelError):  # joints that move nothing with mass
            self._code(RIGHT_HAND_SIDE)
            wanted.append((RIGHT_HAND_SIDE, None, "world_aligned"))
        wanted += [("T,J,J_dot", frame, "world_aligned") for frame in frames]
        codes, name = [self._code(*one) for one in wanted], self._programmer(None).name
        files = {
            f"{name}.c": f'#include "{name}.h"\n\n' + c_source(codes),
            f"{name}.h": c_header(codes, name),
            f"{name}_test.c": f'#include "{name}.h"\n' + self._test_main(wanted),
            f"{name}.py": python_source(codes),
            f"{name}.f90": fortran_source(codes),
            **{f"{code.name}.m": octave_source(code) for code in codes},
        }
        with suppress(TooLargeError):
            files[f"{name}.tex"] = self.latex(document=True)
        with replacing_together(folder) as place:
            for file, text in files.items():
                write_text(place / file, text)
        return [Path(folder) / file for file in files]

    def latex_symbols(self) -> dict[str, str]:
        """How names are written in LaTeX."""
        names = (*self._plan.values, *self.coordinates.q, *self.coordinates.v)
        return {name: latex_name(name) for name in names}

    def _repr_latex_(self) -> str | None:
        """What a notebook shows, where that is not pages."""
        if len(self.coordinates.v) > MOST_ROWS_SHOWN:
            return None
        with suppress(TooLargeError):
            shown = display(self._typeset("products", MAIN, None, "world_aligned"))
            return f"$\\displaystyle {shown}$" if len(shown) < MOST_LETTERS_SHOWN else None
        return None

    def __eq__(self, other: object) -> bool:
        return same(self._of, other._of) if isinstance(other, Equations) else NotImplemented

    def __hash__(self) -> int:
        model, _, _, *options = self._of
        return hash((model, *options))

    def __repr__(self) -> str:
        return f"<Equations of {self._plan.model.name!r}: {counted(len(self.coordinates.v), 'row')}>"


@explained
def equations(
    model: Model,
    parameters: str | Mapping[str, Any] = "symbols",
    angle_tolerance: float = 1e-5,
    method: str = "recursive",
    term_limit: int = TERM_LIMIT,
    base_parameters: bool = False,
) -> Equations:
    """The equations of motion of a mechanism, exact and readable: M(q) v̇ + h(q, v) + g(q) = τ.

    ``parameters``: "symbols" gives names to what the mechanism is made of (masses m1, lengths l1, centers of
    mass lg1, inertias I1 about them where all moves in a plane; else m1, mcx1 …, Ixx1 … at the joint),
    "numbers" takes decimals at their word, and a dict chooses: ``{"geometry": "numbers", "inertial": "all",
    "gravity": 9.81}``-like, by group (geometry, inertial, gravity; passive for friction and springs) or by name
    ({"l1": 0.5}); "all" names vanishing parameters too, which otherwise stay zero. ``angle_tolerance``: how far, in
    radians, the turns of placements may be from multiples of π/12, to which they are taken. ``method``: "recursive"
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
    return Equations(model, parameters, angle_tolerance, method, term_limit, base_parameters)
