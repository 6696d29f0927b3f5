"""Linear in the parameters: M v̇ + h + g = Y(q, v, v̇) π with the inertial parameters π, proved and shown.

On it stand identification and adaptive control (Slotine & Li 1991, §9.2). The parameters are masses, first moments
m c and moments of inertia about the joint's origin: in centers of mass and inertias about them it is not linear.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from linkwright.errors import TooLargeError
from linkwright.symbolic.derivation.coordinates import coordinates_of
from linkwright.symbolic.derivation.equations_of_motion import LagrangianMechanism
from linkwright.symbolic.derivation.plan import DerivationPlan, plan_of
from linkwright.symbolic.interpretation.explanation import Paragraph, Symbol
from linkwright.symbolic.interpretation.phrases import LISTED, SHOWN_TERMS, FormulaWriter, counted
from linkwright.symbolic.interpretation.structure import Structure
from linkwright.symbolic.output.notation import Order


def inertial_plan(plan: DerivationPlan) -> DerivationPlan:
    """The plan with names for inertial parameters about the joints, in which the equations are linear."""
    choice = {"geometry": plan.choice["geometry"], "gravity": plan.choice["gravity"], "passive": "numbers"}
    return plan_of(plan.model, {**choice, "inertial": "symbols"}, plan.angle_tolerance, linear=True)


class LinearForm:
    """Y and π of a mechanism, in inertial parameters that have names whatever the equations have."""

    def __init__(self, plan: DerivationPlan, term_limit: int):
        self.plan = inertial_plan(plan)
        self.mechanism = LagrangianMechanism(self.plan, term_limit, coordinates_of(plan.model).a)

    @cached_property
    def efforts(self) -> np.ndarray:
        """M v̇ + h + g (nv,)."""
        ring = self.mechanism.ring
        M, h, g = self.mechanism.recursive
        a = np.array([ring[name] for name in self.mechanism.coordinates.a], dtype=object)
        made = ring.array(M @ a + h + g)
        ring.check()
        return made

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """π (p,), those that there are in the equations."""
        used: set[str] = set().union(*(p.used() for p in self.efforts))
        return tuple(name for name in self.plan.rigid_names if name[0] in "mI" and name in used)

    @cached_property
    def regressor(self) -> np.ndarray:
        """Y (nv, p)."""
        ring = self.mechanism.ring
        made = np.empty((len(self.efforts), len(self.parameters)), dtype=object)
        for i, k in np.ndindex(*made.shape):
            made[i, k] = ring.derivative(self.efforts.item(i), self.parameters[k])
        return made

    @cached_property
    def holds(self) -> bool:
        """Whether Y contains no parameter of π, and Y π is M v̇ + h + g: identities of polynomials."""
        ring, Y = self.mechanism.ring, self.regressor
        if any(p.used() & {*self.parameters} for p in Y.flat):
            return False
        for row, whole in zip(Y, self.efforts, strict=True):
            total = sum((y * ring[name] for y, name in zip(row, self.parameters, strict=True)), ring.zero)
            if total != whole:
                return False
        return True


class PropertyWords(FormulaWriter):
    """Paragraphs about the two properties on which proofs of control stand."""

    def skew(self) -> Iterable[Paragraph]:
        """Ṁ − 2 C."""
        structure = self.structure
        C, v = Symbol("C"), Symbol("v")
        if not structure.is_skew:
            return
        yield (
            "Ṁ − 2C is skew. ",
            self.formula(C, "(", Symbol("q"), ", ", v, ")"), " is the matrix with ", self.formula(C, " ", v,
                " = ", Symbol("h")),
            " that coriolis_matrix computes, and ",
            self.formula(Symbol("M", accent="dot"), " = ", C, " + ", Symbol("C", power="T")),
            ": both proved, as identities of polynomials. So ",
            self.formula(Symbol("x", power="T"), "(", Symbol("M", accent="dot"), " − 2", C, ")", Symbol("x"), " = 0"),
            " for every ", self.formula(Symbol("x")), ": the forces C v do no work, and proofs about laws of "
                "control take no more.",
        )  # fmt: skip
        rows = structure.coriolis.tolist()
        entries = [(i, j, p) for i, row in enumerate(rows) for j, p in enumerate(row) if p]
        if not entries:
            yield ("Here C ≡ 0.",)
        elif len(entries) <= LISTED and all(len(p) <= SHOWN_TERMS for _, _, p in entries):
            for i, j, p in entries:
                yield (self.formula(Symbol("C", f"{i + 1},{j + 1}"), " = ", p, display=True),)

    def linear(self, form: LinearForm) -> Iterable[Paragraph]:
        """Y π."""
        try:
            holds, p = form.holds, len(form.parameters)
        except TooLargeError:
            yield ("Linearity in the parameters is not shown here: its polynomials are too large.",)
            return
        if not holds or not p:
            return
        M, dotted, pi = Symbol("M"), Symbol("v", accent="dot"), Symbol("π")
        own = FormulaWriter(Structure(form.mechanism, form.mechanism.recursive), order_of(form.mechanism))
        yield (
            "The equations are linear in the inertial parameters: ",
            self.formula(M, " ", dotted, " + ", Symbol("h"), " + ", Symbol("g"), " = ", Symbol("Y"), "(", Symbol("q"),
                         ", ", Symbol("v"), ", ", dotted, ") ", pi),
            f" with {counted(p, 'parameter')} ", self.formula(pi),
            ", masses, first moments and moments of inertia about the joints: proved, since Y = ∂τ/∂π does not "
            "depend on them, and Y π equals the left side.",
        )  # fmt: skip
        if p > LISTED:
            return
        yield (self.formula(pi, " = "), "(", *own.names(form.parameters), ").")
        shown = [(i, k, y) for i, row in enumerate(form.regressor.tolist()) for k, y in enumerate(row) if y]
        if len(shown) <= 2 * LISTED and all(len(y) <= SHOWN_TERMS for _, _, y in shown):
            for i, k, y in shown:
                yield (own.formula(Symbol("Y", f"{i + 1},{k + 1}"), " = ", y, display=True),)


def order_of(mechanism: LagrangianMechanism, more: Iterable[str] = (), rates: Iterable[str] = ()) -> Order:
    """Ranks of the variables of a ring: ``more`` constants, ``rates`` in addition to velocities and accelerations."""
    names = mechanism.coordinates
    velocities = (*names.v, *names.a, *rates)
    return Order((*mechanism.plan.values, *more), velocities, mechanism.ring.angles)
