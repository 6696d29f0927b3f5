"""Equations as text, LaTeX, MathML, figures and pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.bounds import between
from linkwright.dynamics.kinematics import ReferenceFrame
from linkwright.errors import InputError, TooLargeError
from linkwright.expression.polynomials.polynomial import Polynomial
from linkwright.files import file_at, write_figure
from linkwright.symbolic.derivation.quantities import MAIN, QUANTITIES
from linkwright.symbolic.derivation.unreduced import UnreducedForms, harmonic_terms, unreduced_forms
from linkwright.symbolic.forms import ExactForms
from linkwright.symbolic.output.document import Equation, display, names_table
from linkwright.symbolic.output.document import document as document_of
from linkwright.symbolic.output.document import figure as figure_of
from linkwright.symbolic.output.mathml import mathml_letter, mathml_name, mathml_of, mathml_otherwise, mathml_table
from linkwright.symbolic.output.notation import (
    UNREDUCED,
    Sum,
    checked_form,
    grouped,
    latex_name,
    latex_of,
    names_in,
    sum_of,
    text_of,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS_SHOWN, MOST_LETTERS_SHOWN = 4, 20_000
"""in a notebook"""

_OTHERWISE = {"[i]": " otherwise", "[i,j]": " otherwise"}
"""Text after a line for all entries without a separate line."""


def _letter_latex(letter: str, indices: str) -> str:
    """Return a quantity's letter with indices; J_c has an index of its letter."""
    base, _, own = (QUANTITIES[letter].latex if letter in QUANTITIES else letter).partition("_")
    own = own.strip("{}")
    both = f"{own}\\,{indices}" if own and indices else own + indices
    return base + (f"_{{{both}}}" if both else "")


class TypesetEquations(ExactForms):
    """Equations that can be written as text, LaTeX, MathML, figures and pages."""

    def entries(
        self, form: str, what: str, frame: str | None = None, reference_frame: ReferenceFrame = "world_aligned"
    ) -> Iterator[tuple[str, str, Sum]]:
        """Iterate over the entries, as lines of :meth:`text`.

        Parameters
        ----------
        form, what, frame, reference_frame : str, optional
            As for :meth:`text`.

        Yields
        ------
        letter : str
            Letter of the quantity.
        indices : str
            Indices; [i] or [i,j] for all entries without a separate line.
        terms : Sum
            Terms of the entry.
        """
        if form == UNREDUCED:
            yield from self._unreduced(what, frame)
            return
        checked_form(form)
        has_mass = False
        for quantity in self._chosen(what, frame):
            own = frame if quantity.framed else None
            array, order = self.polynomials(quantity.name, own, reference_frame), self._order_of(self._framed(own))
            if not has_mass and (mass := self.total_mass(array)):
                has_mass = True
                yield self.mass_letter, "", mass
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

    def _unreduced(self, what: str, frame: str | None) -> Iterator[tuple[str, str, Sum]]:
        """Iterate over the entries as they are differentiated."""
        quantities = self._chosen(what, frame)
        if wrong := [one.letter for one in quantities if one.letter not in UnreducedForms._fields]:
            raise InputError(f"the unreduced form is of {', '.join(UnreducedForms._fields)}; got {wrong[0]}")
        forms = unreduced_forms(self._mechanism)
        for quantity in quantities:
            array = np.array(getattr(forms, quantity.letter), dtype=object)
            for place in np.ndindex(*array.shape):
                if quantity.symmetric and place[0] > place[1]:
                    continue
                indices = ",".join(str(k + 1) for k in place)
                terms = sum_of(harmonic_terms(array.item(*place)), self._order)
                yield quantity.letter, f"[{indices}]" * bool(indices), terms

    def text(
        self,
        form: str = "products",
        what: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
    ) -> str:
        """Return the equations as text, one line for each entry: M[1,1] = …; zeros are stated once.

        Parameters
        ----------
        form : {"products", "angles", "expanded", "expanded angles", "factored", "unreduced"}, optional
            "products": with brackets, and as few products of sines and cosines as found; "angles": multiple angles
            instead of products; both without brackets: "expanded" and "expanded angles"; "factored": a product of
            factors if there are several; "unreduced": M, h, g, E and U of mechanisms in a plane as they are
            differentiated, expanded without trigonometric identities (``ratsimp`` of Maxima).
        what : str, optional
            Some of M (upper triangle), h, g, D (friction), K (springs), A and b (closed loops), or "all" of these
            terms of the equation of motion that the mechanism has. Further quantities: C (h = C v), R (Rayleigh's
            function, D = ∂R/∂v), G (q̇ = G v); E and U (kinetic and potential energy), c and J_c (center of mass and
            its Jacobian), P and L (momentum, and angular momentum about c), A_G (both are A_G v), with the total mass
            m; and of a frame T (pose), J (Jacobian), J_dot (its derivative) and V (twist).
        frame : str, optional
            Name of the frame.
        reference_frame : str, optional
            Axes of a frame's quantities.

        Returns
        -------
        str
            Text.
        """
        entries = list(self.entries(form, what, frame, reference_frame))
        lines = [f"{name} = {self._definition_text(x)}" for name, x in self._defined(entries).items()]
        for letter, place, terms in entries:
            lines.append(f"{letter}{place} = {text_of(terms)}{_OTHERWISE.get(place, '')}")
        return "\n".join(lines)

    def _defined(self, entries: Sequence[tuple[str, str, Sum]]) -> dict[str, Any]:
        """Return the definitions of the names in entries."""
        return self.definitions(set().union(*(names_in(terms) for _, _, terms in entries)))

    def latex(
        self,
        form: str = "products",
        what: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
        document: bool = False,
    ) -> str:
        """Return the equations in LaTeX, for display mathematics (``aligned`` of amsmath).

        Parameters
        ----------
        form, what, frame, reference_frame : str, optional
            As for :meth:`text`.
        document : bool, optional
            Whether the result is a complete document, with long lines broken and a table of names and values.

        Returns
        -------
        str
            LaTeX.
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
        """Iterate over the lines: letter and equation in LaTeX."""
        entries = list(self.entries(form, what, frame, reference_frame))
        for name, expression in self._defined(entries).items():
            import sympy

            yield "", Equation(latex_name(name), sympy.latex(expression))
        for letter, place, terms in entries:
            left = _letter_latex(letter, place.strip("[]"))
            rest = r" \quad \mathrm{otherwise}" if place in _OTHERWISE else ""
            yield letter, Equation(left, latex_of(terms, self.spelled) + rest)

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
            listed.append(f"{latex_name(name)} = {latex_of(self.grouped(p), self.spelled)}")
        if names.v != tuple(f"{name}_dot" for name in names.q):
            law += r",\quad \dot q = G(q)\,v"
        introduction = "\n".join([rf"\[ {law} \]", *(rf"${one}$\par" for one in listed)])
        title = f"Equations of {self._plan.model.name}" + ("" if frame is None else f", frame {frame}")
        return document_of(title, typeset, introduction, names_table(named, self.spelled))

    def mathml(
        self,
        form: str = "products",
        what: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
    ) -> str:
        """Return the equations as one MathML element, a table of lines, which browsers typeset.

        Parameters
        ----------
        form, what, frame, reference_frame : str, optional
            As for :meth:`text`.

        Returns
        -------
        str
            MathML.
        """
        entries, rows = list(self.entries(form, what, frame, reference_frame)), []
        for name, expression in self._defined(entries).items():
            from sympy.printing.mathml import mathml

            rows.append((mathml_name(name), mathml(expression, printer="presentation")))
        for letter, place, terms in entries:
            indices = () if place in _OTHERWISE else place.strip("[]").split(",")
            rows.append((mathml_letter(letter, *indices), mathml_of(terms) + mathml_otherwise(place in _OTHERWISE)))
        return mathml_table(rows)

    def figure(
        self,
        form: str = "products",
        what: str = MAIN,
        frame: str | None = None,
        reference_frame: ReferenceFrame = "world_aligned",
        width: float = 90.0,
    ) -> Figure:
        """Draw the equations.

        Parameters
        ----------
        form, what, frame, reference_frame : str, optional
            As for :meth:`text`.
        width : float, optional
            Approximate length of lines in letters.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        TooLargeError
            If there are more than a few hundred lines.
        """
        between("width", width, 20, 1000, "letters")
        return figure_of([equation for _, equation in self._typeset(form, what, frame, reference_frame)], width)

    def picture(self, path: str | Path, **options: Any) -> Path:
        """Write the equations as a picture.

        Parameters
        ----------
        path : str or Path
            File ``.png``, ``.svg`` or ``.pdf``.
        **options
            Options of :meth:`figure`.

        Returns
        -------
        Path
            The file.
        """
        path = file_at(path, "pictures", ".png", ".svg", ".pdf")  # refused before the work of drawing
        return write_figure(path, self.figure(**options), dpi=200)

    def derivation_text(self) -> str:
        """Return Lagrange's equations step by step: positions, velocities, K, U, L, ∂L/∂v, its derivative, ∂L/∂q.

        For joints with dampers or friction also Rayleigh's function R and ∂R/∂v.

        Returns
        -------
        str
            Text.
        """
        found = self.derivation
        names: set[str] = set()

        def shown(p: Polynomial) -> str:
            terms = grouped(p, self._order)
            names.update(names_in(terms))
            return text_of(terms)

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
        definitions = [f"{name} = {self._definition_text(x)}" for name, x in self.definitions(names).items()]
        return "\n".join([*definitions, *lines])

    def _repr_latex_(self) -> str | None:
        """Return the representation in notebooks without HTML; None for large equations."""
        if len(self.coordinates.v) > MOST_ROWS_SHOWN:
            return None
        with suppress(TooLargeError):
            shown = display(self._typeset("products", MAIN, None, "world_aligned"))
            return f"$\\displaystyle {shown}$" if len(shown) < MOST_LETTERS_SHOWN else None
        return None
