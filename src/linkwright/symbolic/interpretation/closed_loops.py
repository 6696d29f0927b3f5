"""Explanations of closed loops: constraints, rest, small disturbances."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from linkwright.dynamics import potential_energy, spring_energy
from linkwright.errors import TooLargeError
from linkwright.model.tree import Model
from linkwright.status import with_status_message
from linkwright.symbolic.closed_loop_control.equilibria import Rest, RestingPlace
from linkwright.symbolic.derivation.equations_of_motion import Forms, LagrangianMechanism
from linkwright.symbolic.derivation.loops import Closure
from linkwright.symbolic.interpretation.explanation import (
    ExplanationSection,
    ExplanationText,
    Paragraph,
    Symbol,
    Token,
    sections_of,
    variable,
)
from linkwright.symbolic.interpretation.linear_parameters import PropertyWords, order_of
from linkwright.symbolic.interpretation.phrases import (
    LISTED,
    SHOWN_TERMS,
    FormulaWriter,
    by_higher_order,
    counted,
    joined,
    listed,
    number,
)
from linkwright.symbolic.interpretation.structure import Structure

A, LAMBDA, V_ = Symbol("A"), Symbol("λ"), Symbol("v")


class ClosedExplanation(ExplanationText):
    """Sections of words and formulas about a mechanism with closed loops, with their findings."""

    def __init__(self, mechanism: LagrangianMechanism, model: Model):
        self.model, self._mechanism = model, mechanism

    @cached_property
    def structure(self) -> Structure:
        """The structure of the tree's equations."""
        return Structure(self._mechanism, self._mechanism.recursive)

    @cached_property
    def equilibria(self) -> Rest:
        """Equilibria with closed loops, ``.found``, each with λ and the eigenvalues of the allowed motions."""
        return Rest(self.model)

    @cached_property
    def sections(self) -> tuple[ExplanationSection, ...]:
        """Titles and paragraphs; a paragraph is a tuple of words (str) and formulas."""
        words = _ClosedLoopParagraphs(self)
        made = [
            ("The loops", words.loops()),
            ("Properties", words.properties()),
            ("Equilibria", words.rest()),
            ("Stability", words.stability()),
        ]
        return sections_of(made)


@with_status_message(lambda mechanism: f"explaining the equations of {mechanism.model.name!r}")
def closed_explanation(mechanism: LagrangianMechanism, model: Model) -> ClosedExplanation:
    """The explanation of a mechanism whose loops are closed; ``model`` is in numbers."""
    return ClosedExplanation(mechanism, model)


class _ClosedLoopParagraphs(FormulaWriter):
    """Paragraphs."""

    def __init__(self, of: ClosedExplanation):
        mechanism = of._mechanism
        # of constraints alone nothing of M and h is needed
        nothing = Forms(np.empty((0, 0), dtype=object), np.empty(0, dtype=object), np.empty(0, dtype=object))
        super().__init__(Structure(mechanism, nothing), order_of(mechanism))
        self.of, self.rest_ = of, of.equilibria

    @property
    def _found(self) -> tuple[RestingPlace, ...]:
        return self.rest_.found

    def loops(self) -> Iterable[Paragraph]:
        """Rows, rank and what is left free."""
        try:
            closure: Closure = self.of._mechanism.closure
        except TooLargeError as failure:
            yield (f"The rows of the loops are too large to be analyzed ({failure}): the following is numerical.",)
            return
        n, m = self.of.model.nv, len(closure.rows)
        yield (
            f"{counted(len(self.of.model.loops), 'closed loop').capitalize()} "
            f"{'ties' if len(self.of.model.loops) == 1 else 'tie'} the {counted(n, 'velocity', 'velocities')} of "
                f"the tree "
            f"by {counted(m, 'row')}: ",
            self.formula(A, "(", Symbol("q"), ") ", V_, " = 0"), ", and their forces ", self.formula(LAMBDA),
                " act in ",
            self.formula(Symbol("M"), " ", Symbol("v", accent="dot"), " + ", Symbol("h"), " + ", Symbol("g"), " = ",
                         Symbol("τ"), " + ", Symbol("A", power="T"), " ", LAMBDA, display=True),
        )  # fmt: skip
        if closure.left_out:
            yield (f"Rows that vanish identically are left out: {listed(closure.left_out)}.",)
        free = {one.basis.shape[1] for one in self._found}
        if len(free) == 1:
            d = free.pop()
            more = m - (n - d)
            yield (
                f"At the configurations of rest the rows have rank {n - d}"
                + (f", {counted(more, 'row')} less than there are: those hold nothing that others do "
                    f"not" if more else "")
                + f". {counted(d, 'degree').capitalize()} of freedom {'is' if d == 1 else 'are'} left: the "
                    f"columns of Z span the "
                "velocities with A v = 0, and ", self.formula(V_, " = ", Symbol("Z"), " ", Symbol("y", accent="dot")),
                " with as many independent ", self.formula(Symbol("y")), ".",
            )  # fmt: skip
        elif free:
            yield ("The rank of A is not the same at all configurations of rest: some are singular, where the loops "
                   "leave more free.",)  # fmt: skip
        rows = closure.constraint_jacobian.tolist()
        shown = [(i, j, p) for i, row in enumerate(rows) for j, p in enumerate(row) if p]
        if len(shown) <= LISTED and all(len(p) <= SHOWN_TERMS for _, _, p in shown):
            for i, j, p in shown:
                yield (self.formula(Symbol("A", f"{i + 1},{j + 1}"), " = ", p, display=True),)

    def properties(self) -> Iterable[Paragraph]:
        """Skewness, and energy: the loops do no work."""
        try:
            structure = self.of.structure
            yield from PropertyWords(structure, self.order).skew()
            keeps = structure.keeps_energy
        except TooLargeError as failure:
            yield (f"M and h are too large to be analyzed ({failure}).",)
            return
        if keeps:
            yield (
                "The loops do no work: ",
                self.formula(Symbol("v", power="T"), " ", Symbol("A", power="T"), " ", LAMBDA, " = (", A, " ",
                    V_, ") · ",
                             LAMBDA, " = 0"),
                ". So ", self.formula("½ ", Symbol("v", power="T"), " ", Symbol("M"), " ", V_, " + ", Symbol("U")),
                " changes by the power of efforts and friction only, as that of the tree does (proved as an "
                    "identity of "
                "polynomials).",
            )  # fmt: skip

    def rest(self) -> Iterable[Paragraph]:
        """Where, and what the loops carry."""
        model = self.of.model
        if self.rest_.nothing_pulls:
            yield ("Nothing pulls: without weight and springs the mechanism rests in every configuration.",)
            return
        springs = any(np.any(joint.stiffness) for joint in model.joints) or bool(model.springs)
        weight: tuple[Token, ...] = (Symbol("g"), " + ", Symbol("K")) if springs else (Symbol("g"),)
        pulled: tuple[Token, ...] = ("(", Symbol("g"), " + ", Symbol("K"), ")") if springs else (Symbol("g"),)
        yield (
            "It rests where what pulls is carried by the loops, ",
            self.formula(Symbol("g"), *weight[1:], " = ", Symbol("A", power="T"), " ", LAMBDA),
            ", or ",
            self.formula(Symbol("Z", power="T"), " ", *pulled, " = 0"),
            ". Found by Newton's method on the closed configurations, from random starts: ",
            f"{counted(len(self._found), 'equilibrium', 'equilibria')}, numerically. There may be others.",
        )
        for k, one in enumerate(self._found[:LISTED], start=1):
            energy = float(potential_energy(model, one.q) + spring_energy(model, one.q))
            strongest = number(float(np.abs(one.multipliers).max(initial=0.0)), 4)
            yield (f"{k}. ", *self._where(k - 1), f"; potential energy {number(energy)} J; the loops carry up to "
                f"{strongest} "
                   "N or N m.")  # fmt: skip
        if len(self._found) > LISTED:
            yield (f"… and {len(self._found) - LISTED} more: explanation().equilibria.found has them all.",)

    def _where(self, k: int) -> Paragraph:
        names = self.of._mechanism.coordinates.q
        if len(names) > LISTED:
            return (f"at q = explanation().equilibria.found[{k}].q",)
        parts: list[Paragraph] = []
        for name, x in zip(names, self._found[k].q, strict=True):
            parts.append((self.formula(variable(name), " ≈ ", number(0.0 if abs(x) < 5e-7 else float(x))),))
        return joined(parts, ", ")

    def stability(self) -> Iterable[Paragraph]:
        """By the reduced Hessian."""
        if self.rest_.nothing_pulls or not self._found:
            return
        M, S, Z, Zt = Symbol("M"), Symbol("S"), Symbol("Z"), Symbol("Z", power="T")
        y = Symbol("y")
        yield (
            "For small deviations y from an equilibrium, ",
            self.formula(Zt, " ", M, " ", Z, " ", Symbol("y", accent="ddot"), " + ", Zt, " ", S, " ", Z, " ", y,
                " = 0, ",
                         S, " = ∂(", Symbol("g"), " − ", Symbol("A", power="T"), " ", LAMBDA, ")/∂", Symbol("q"),
                         display=True),
            "with λ held: Zᵀ S Z is the Hessian of the potential energy on what the loops allow, and not that of "
                "the tree "
            "alone. The eigenvalues ω² of the two decide. Where all are positive the potential energy has a strict "
            "minimum among closed configurations, and the equilibrium is stable (Lagrange, Dirichlet), for the whole "
            "equations; where one is negative it is not.",
        )  # fmt: skip
        damped = any(np.any(joint.damping > 0.0) or np.any(joint.friction > 0.0) for joint in self.of.model.joints)
        for k, one in enumerate(self._found[:LISTED], start=1):
            oscillating = f"oscillations at ω = {listed([number(float(x)) for x in one.frequencies])} rad/s"
            rates = [number(float(np.sqrt(-x))) for x in one.squares if x < 0.0 and one.kind == "unstable"]
            if one.leading is not None:
                across = f", with {oscillating} across" if len(one.frequencies) else ""
                yield (f"{k}. {by_higher_order(one.leading, one.kind)}{across}.",)
            elif one.kind in ("stable", "asymptotically stable"):
                dying = " With the model's friction motions die out." if one.kind == "asymptotically stable" else ""
                yield (f"{k}. Stable: {oscillating}.{dying}",)
            elif one.kind == "unstable":
                across = f"; across that {oscillating}" if len(one.frequencies) else ""
                leaving = f", at {'the rate' if len(rates) == 1 else 'rates'} of {listed(rates)} /s without friction"
                yield (f"{k}. Unstable: motions leave it in {counted(len(rates), 'direction')}{leaving}{across}.",)
            else:
                why = f" Higher derivatives do not decide either: {one.why_undecided}." * bool(one.why_undecided)
                yield (
                    f"{k}. Undecided by linearization: some ω² is zero within the accuracy of the configuration.{why}",
                )
        if not damped:
            yield ("The model's joints have no friction, so that no equilibrium is asymptotically stable.",)
