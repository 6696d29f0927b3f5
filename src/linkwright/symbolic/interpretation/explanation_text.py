"""Explanations of a mechanism in words and formulas, all computed from its equations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.errors import TooLargeError
from linkwright.expression.polynomials.polynomial import Polynomial
from linkwright.model.tree import Model
from linkwright.status import with_status_message
from linkwright.symbolic.derivation.equations_of_motion import Forms, LagrangianMechanism
from linkwright.symbolic.interpretation.equilibria import Equilibria
from linkwright.symbolic.interpretation.explanation import (
    ExplanationSection,
    ExplanationText,
    Paragraph,
    Piece,
    Symbol,
    variable,
)
from linkwright.symbolic.interpretation.linear_parameters import LinearForm, PropertyWords, order_of
from linkwright.symbolic.interpretation.phrases import LISTED, SHOWN_TERMS, FormulaWriter, counted, joined, listed
from linkwright.symbolic.interpretation.stability import MotionWords
from linkwright.symbolic.interpretation.structure import ConservedMomentum, EquationTerms, Structure, quasi
from linkwright.symbolic.output.notation import Order


class Explanation(ExplanationText):
    """Sections of words and formulas about a mechanism's equations, with their findings."""

    def __init__(
        self, structure: Structure, order: Order, model: Model, values: Mapping[str, float], too_large: str = ""
    ):
        self.structure, self.model, self.too_large = structure, model, too_large
        self.equilibria = Equilibria(structure, model, values)
        self._terms, self._motions = (
            _StructureParagraphs(structure, order),
            MotionWords(structure, order, self.equilibria),
        )

    @cached_property
    def sections(self) -> tuple[ExplanationSection, ...]:
        """Titles and paragraphs; a paragraph is a tuple of words (str) and :class:`Formula`."""
        terms, motions = self._terms, self._motions
        if not self.structure.joints:
            still: Paragraph = ("Nothing can move: there are no coordinates and no equations.",)
            return (ExplanationSection("The terms", (still,)),)
        rest = (
            ExplanationSection("Equilibria", tuple(motions.equilibria())),
            ExplanationSection("Stability", tuple(motions.stability())),
            ExplanationSection("With friction", tuple(motions.friction())),
        )
        if self.too_large:
            why = f"M and h are too large to be analyzed ({self.too_large}): the following uses g and numbers."
            return (ExplanationSection("The terms", ((why,),)), *rest)
        return (
            ExplanationSection("The terms", tuple(terms.terms())),
            ExplanationSection("The mass matrix", (*terms.mass_matrix(), *motions.definite(), *motions.inertia())),
            ExplanationSection("Vanishing terms", tuple(terms.vanishing())),
            ExplanationSection("Conserved quantities", tuple(terms.conserved())),
            ExplanationSection("Properties for control", tuple(self._properties())),
            *rest,
        )

    def _properties(self) -> Iterable[Paragraph]:
        mechanism = self.structure.mechanism
        words = PropertyWords(self.structure, order_of(mechanism))
        yield from words.skew()
        yield from words.linear(LinearForm(mechanism.plan, mechanism.ring.term_limit))


@with_status_message(lambda mechanism: f"explaining the equations of {mechanism.model.name!r}")
def explanation_of(
    mechanism: LagrangianMechanism, forms: Callable[[], Forms], order: Order, model: Model
) -> Explanation:
    """The explanation of canonical forms, or of gravity alone where they are too large; ``model`` is in numbers.

    Raises :class:`TooLargeError` where even that is.
    """
    values, too_large = mechanism.plan.values, ""
    try:
        whole = forms()
    except TooLargeError as failure:
        too_large = str(failure).partition(". Their factored form")[0]
        whole = Forms(np.empty((0, 0), dtype=object), np.empty(0, dtype=object), mechanism.gravity_forces)
    return Explanation(Structure(mechanism, whole), order, model, values, too_large)


class _StructureParagraphs(FormulaWriter):
    """Paragraphs about the structure."""

    # the kinds of terms

    def terms(self) -> Iterable[Paragraph]:
        structure, names = self.structure, self.structure.mechanism.coordinates
        forms, n = structure.forms, len(names.v)
        equation = (Symbol("M"), " ", Symbol("v", accent="dot"), " + ", Symbol("h"), " + ", Symbol("g"), " = ")
        kinds = [self._count(row) for row in structure.rows]
        inertial, squares, products, gyroscopic, gravity = (sum(column) for column in zip(*kinds, strict=True))
        yield (
            f"The {counted(n, 'equation')} ",
            self.formula(*equation, Symbol("τ")),
            f" {'has' if n == 1 else 'have'} {forms.terms} terms in normal form. Of them, {inertial} are inertial "
            f"(they multiply accelerations), {squares} centrifugal (the square of one velocity), {products} Coriolis "
            f"(the product of two different ones), {gravity} gravitational"
            + (f", and {gyroscopic} gyroscopic (from axes that turn with a body)." if gyroscopic else "."),
        )
        if turning := [joint.name for joint in structure.mechanism.model.joints if joint.nv and quasi(joint)]:
            yield (
                f"The velocities of {' and '.join(turning)} are measured in axes of the moving body and are not rates "
                "of coordinates. Beside the terms that come of a changing inertia, their rows have gyroscopic ones: ",
                self.formula("−", Symbol("p"), " · [", Symbol("v"), ", ", Symbol("e", "i"), "]"),
                " with the momentum ",
                self.formula(Symbol("p"), " = ", Symbol("M"), " ", Symbol("v")),
                ". They do no work, since ",
                self.formula("[", Symbol("v"), ", ", Symbol("v"), "] = 0"),
                ".",
            )
        if springs := [spring.name for spring in structure.mechanism.plan.model.springs]:
            yield (
                f"The forces of {listed(springs)} between points of two bodies are not among them: their length is "
                "the square root of a polynomial. passive_forces, simulations and the equilibria below include them.",
            )
        if lifted := [one.frame for one in structure.mechanism.plan.model.compensated_weights]:
            yield (
                f"The gravity compensation of {listed(lifted)} is not among them. passive_forces, simulations and the "
                "equilibria below include it.",
            )
        if n > LISTED:
            yield (f"With {n} rows, they are not analyzed one by one.",)
            return
        for i, row in enumerate(structure.rows):
            yield self._row(i, row)

    @staticmethod
    def _count(row: EquationTerms) -> tuple[int, int, int, int, int]:
        return (
            sum(map(len, row.inertia.values())),
            sum(map(len, row.centrifugal.values())),
            sum(map(len, row.coriolis.values())),
            len(row.gyroscopic),
            len(row.gravity),
        )

    def _row(self, i: int, row: EquationTerms) -> Paragraph:
        ring, names = self.structure.mechanism.ring, self.structure.mechanism.coordinates
        v = [ring[name] for name in names.v]
        pieces: list[Piece] = [f"Row {i + 1}, of joint {self.structure.joints[i].name}. "]
        pieces += [
            "Inertial: ",
            self.formula(Symbol("M", f"{i + 1},{i + 1}"), " ", variable(names.a[i])),
            " of its own",
        ]
        if others := [j for j in row.inertia if j != i]:
            coupling = [(self.formula(Symbol("M", f"{i + 1},{j + 1}"), " ", variable(names.a[j])),) for j in others]
            pieces += [", ", *joined(coupling), " of coupling"]
        squares = {j: p * v[j] * v[j] for j, p in row.centrifugal.items()}
        products = {(j, k): p * v[j] * v[k] for (j, k), p in row.coriolis.items()}
        pieces += [". "]
        pieces += self._kind("Centrifugal", squares.values(), [v[j] * v[j] for j in squares])
        pieces += self._kind("Coriolis", products.values(), [v[j] * v[k] for j, k in products])
        pieces += self._kind("Gyroscopic", [row.gyroscopic] if row.gyroscopic else [], [])
        pieces += self._kind("Gravitational", [row.gravity] if row.gravity else [], [])
        missing = [
            word
            for word, there in (("centrifugal", squares), ("Coriolis", products), ("gravitational", row.gravity))
            if not there
        ]
        if missing:
            pieces.append(f"There is no {' and no '.join(missing)} term.")
        return tuple(pieces)

    def _kind(self, title: str, polynomials: Iterable[Polynomial], of: Sequence[Polynomial]) -> list[Piece]:
        parts = list(polynomials)
        if not parts:
            return []
        total = sum(parts[1:], parts[0])
        if len(total) <= SHOWN_TERMS:
            return [f"{title}: ", self.formula(total), ". "]
        pieces: list[Piece] = [f"{title}: {counted(len(total), 'term')}"]
        if 0 < len(of) <= 6:
            pieces += [", of ", *joined([(self.formula(one),) for one in of])]
        elif of:
            pieces += [f", of {len(of)} products of velocities"]
        return [*pieces, ". "]

    # the mass matrix

    def mass_matrix(self) -> Iterable[Paragraph]:
        structure = self.structure
        M = structure.forms.mass_matrix
        energy = self.formula("½ ", Symbol("v", power="T"), " ", Symbol("M"), " ", Symbol("v"))
        if structure.is_hessian_of_kinetic_energy:
            yield (
                "M is symmetric, and ", energy, " is the kinetic energy of the bodies: both proved, as polynomials. So "
                "M is positive definite wherever every motion of the joints moves some mass: no motion has negative "
                "energy, and none but rest has none.",
            )  # fmt: skip
        used = structure.coordinates_in(M.flat)
        if not used:
            yield ("M depends on no coordinate: it is the same in all configurations.",)
            return
        rest = [name for name in structure.mechanism.coordinates.q if name not in used]
        outside: Paragraph = (", and not on ", *self.names(rest)) if rest else ()
        yield ("M depends on ", *self.names(used), *outside, ".")

    # zeros

    def vanishing(self) -> Iterable[Paragraph]:
        structure = self.structure
        forms, n = structure.forms, len(structure.joints)
        h, g = forms.velocity_forces, forms.gravity_forces
        if not any(h):
            constant = not structure.coordinates_in(forms.mass_matrix.flat)
            slides = all(joint.motion.slide for joint in structure.joints)
            yield (
                self.formula(Symbol("h"), " ≡ 0"),
                ": there are neither centrifugal nor Coriolis terms, "
                + ("since all joints slide and " if slides else "since " if constant else "which the ring proves")
                + ("M is the same in all configurations." if constant else "."),
            )
        else:
            if rows := [i for i in range(n) if not h[i]]:
                yield (
                    "No velocity acts on ",
                    *joined([(self.formula(variable(self.rate(i))),) for i in rows]),
                    ": there ",
                    self.formula(Symbol("h", "i"), " ≡ 0"),
                    ".",
                )
            else:
                yield ("No row of h vanishes identically.",)
        yield from self._weightless(g, n)
        M = forms.mass_matrix
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if not M[i, j]]
        if pairs:
            shown = [(self.formula(Symbol("M", f"{i + 1},{j + 1}")),) for i, j in pairs[:LISTED]]
            more = f" and {len(pairs) - LISTED} more" if len(pairs) > LISTED else ""
            yield (*joined(shown, ", "), f"{more} vanish{'es' if len(pairs) == 1 else ''} identically: ",
                   "accelerating along one of the two does not push the other.")  # fmt: skip
        if len(structure.groups) > 1:
            parts = [("{", *self.names(self.rate(i) for i in group), "}") for group in structure.groups[:LISTED]]
            yield ("The equations fall apart into ", counted(len(structure.groups), "independent part"), ": ",
                   *joined(parts), ".")  # fmt: skip

    def _weightless(self, g: Any, n: int) -> Iterable[Paragraph]:
        if not any(g):
            reasons = {self.structure.why_weightless(i) for i in range(n)}
            why = "there is no gravity" if reasons == {"gravity"} else "no joint moves a weight up or down"
            yield (self.formula(Symbol("g"), " ≡ 0"), f": {why}.")
            if reasons == {"gravity"}:
                return
        because = {
            "parallel": "its axis is parallel to gravity in all configurations",
            "perpendicular": "it slides perpendicular to gravity in all configurations",
            "balanced": "what it carries has its center of mass where moving it does no work",
        }
        for i in range(n):
            if not g[i]:
                yield (
                    self.formula(Symbol("g", str(i + 1)), " ≡ 0"),
                    f" ({self.structure.joints[i].name}): {because[self.structure.why_weightless(i)]}.",
                )

    # momenta

    def conserved(self) -> Iterable[Paragraph]:
        structure = self.structure
        if structure.keeps_energy:
            yield (
                "The energy ",
                self.formula("½ ", Symbol("v", power="T"), " ", Symbol("M"), " ", Symbol("v"), " + ", Symbol("U")),
                " changes by the power of the efforts only, ",
                self.formula(Symbol("v", power="T"), " ", Symbol("τ")),
                ": this is proved as an identity of polynomials. With no efforts, springs or friction it is constant.",
            )
        if not structure.conserved and not structure.sprung:
            yield ("No momentum of a coordinate is conserved: none is cyclic.",)
        for momentum in structure.conserved:
            yield self._momentum(momentum)
        for momentum in structure.sprung:
            yield self._sprung(momentum)

    def _momentum(self, momentum: ConservedMomentum) -> Paragraph:
        size = len(momentum.polynomial)
        value: Paragraph = (
            (self.formula(momentum.polynomial),) if size <= SHOWN_TERMS else (f"a sum of {counted(size, 'term')}",)
        )
        if momentum.row is None:
            what = f"The {momentum.name}, of all that hangs on it"
            return (f"{what}, is constant while no effort and no friction acts on it: ", *value, ".")
        rate = self.rate(momentum.row)
        (own,) = self.structure.coordinates[momentum.row][:1]
        slope = self.formula("∂", Symbol("L"), "/∂", variable(rate))
        if not quasi(self.structure.joints[momentum.row]):
            return (
                self.formula(variable(own)),
                " is cyclic (it does not occur in the Lagrangian), so its momentum ",
                slope,
                " is constant while no effort and no friction acts on it: ",
                *value,
                ".",
            )
        return ("The momentum ", slope, " is constant while no effort and no friction acts on it: ", *value, ".")

    def _sprung(self, momentum: ConservedMomentum) -> Paragraph:
        assert momentum.row is not None
        rate = self.rate(momentum.row)
        slope = self.formula("∂", Symbol("L"), "/∂", variable(rate))
        return (
            "The momentum ",
            slope,
            f" along {self.structure.joints[momentum.row].name} would be constant but for the springs: they act along "
            "it, so it is not conserved.",
        )
