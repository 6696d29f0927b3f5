"""Explanations of a mechanism under a control law, in words and formulas: proofs, or else eigenvalues."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler.public import derivative
from linkwright.dynamics import gravity_forces, mass_matrix
from linkwright.errors import TooLargeError
from linkwright.expression.polynomials.polynomial import Polynomial
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.status import with_status_message
from linkwright.symbolic.closed_loop_control.controller_efforts import Law
from linkwright.symbolic.closed_loop_control.equilibria import Rest, RestingPlace
from linkwright.symbolic.closed_loop_control.lyapunov import Proof, smallest
from linkwright.symbolic.closed_loop_control.proofs import by_theorem, proof_of, with_loops
from linkwright.symbolic.derivation.equations_of_motion import LagrangianMechanism
from linkwright.symbolic.interpretation.explanation import (
    ExplanationSection,
    ExplanationText,
    Formula,
    Paragraph,
    Symbol,
    Token,
    sections_of,
    variable,
)
from linkwright.symbolic.interpretation.linear_parameters import LinearForm, PropertyWords, order_of
from linkwright.symbolic.interpretation.phrases import (
    LISTED,
    SHOWN_TERMS,
    by_higher_order,
    counted,
    joined,
    listed,
    number,
)
from linkwright.symbolic.interpretation.structure import Structure
from linkwright.symbolic.output.notation import grouped

V, M, K, e, v, q, tau = (Symbol(letter) for letter in "VMKevqτ")
RATE, DAMPING = Symbol("V", accent="dot"), Symbol("K", "d")
E_T, V_T = Symbol("e", power="T"), Symbol("v", power="T")


class ControlledExplanation(ExplanationText):
    """Sections of words and formulas about a mechanism and the control law that moves it, with their findings."""

    def __init__(self, mechanism: LagrangianMechanism, model: Model, law: Law):
        self.model, self.law, self._mechanism = model, law, mechanism

    @cached_property
    def proof(self) -> Proof:
        """The proof of the control law: ``.proved``, ``.lyapunov`` and ``.rate`` as polynomials, ``.why_not``."""
        plan, limit = self._mechanism.plan, self._mechanism.ring.term_limit
        try:
            found = proof_of(plan, self.law, limit)
        except TooLargeError as failure:
            found = by_theorem(self.law, str(failure).partition(". Their factored form")[0])
        return with_loops(found) if self.model.loops else found

    @property
    def proved(self) -> bool:
        """Whether V has its minimum at the target, V̇ is proved, and V decreases during every motion.

        False for PID control, for which no Lyapunov function is known. ``proof.why_not`` has the reason.
        """
        return self.proof.proved

    @cached_property
    def equilibria(self) -> Rest:
        """Equilibria of the controlled mechanism, ``.found``, each with its eigenvalues."""
        near = tuple(
            np.asarray(x, dtype=float)
            for x in self.law.bound.values()
            if not callable(x) and not isinstance(x, str) and np.shape(x) == (self.model.nq,)
        )
        return Rest(self.law.model, self.law, near)

    @cached_property
    def sections(self) -> tuple[ExplanationSection, ...]:
        """Titles and paragraphs; a paragraph is a tuple of words (str) and formulas."""
        words = _ControlParagraphs(self)
        made = [
            ("Two properties of the mechanism", words.properties()),
            ("The law", words.law()),
            ("Lyapunov's function", words.lyapunov()),
            ("LaSalle's largest invariant set", words.lasalle()),
            ("Rest and small disturbances", words.rest()),
        ]
        return sections_of(made)

    def __repr__(self) -> str:
        text = "proved" if self.proved else "not proved"
        return f"<Explanation of {self.model.name!r} under {self.law.name}: {text}>"


@with_status_message(lambda mechanism: f"explaining {mechanism.model.name!r} with its controller")
def controlled_explanation(
    mechanism: LagrangianMechanism, model: Model, given: Model, law: Callable[..., Any], initial_state: Any
) -> ControlledExplanation:
    """Return the explanation of a controlled mechanism; raise the errors of simulations for a wrong controller."""
    made = Law(given, law, initial_state)
    _ = made.rule
    return ControlledExplanation(mechanism, model, made)


class _ControlParagraphs:
    """Paragraphs."""

    def __init__(self, of: ControlledExplanation):
        self.of, self.proof, self.law_ = of, of.proof, of.law
        mechanism = self.proof.run.mechanism if self.proof.run else of._mechanism
        self.mechanism = mechanism
        n = len(mechanism.v)
        constants = [*(self.proof.run.values if self.proof.run else ()), "K", "D"]
        rates = [f"e{k + 1}_dot" for k in range(n)]
        self.order = order_of(mechanism, constants, rates)

    def formula(self, *tokens: Token | Polynomial, display: bool = False) -> Formula:
        """Tokens and polynomials, one after the other."""
        made = [grouped(token, self.order) if isinstance(token, Polynomial) else token for token in tokens]
        return Formula(tuple(made), display)

    # the mechanism

    def properties(self) -> Iterable[Paragraph]:
        plain, words = self.of._mechanism, None
        try:
            words = PropertyWords(Structure(plain, plain.recursive), order_of(plain))
            yield from words.skew()
        except TooLargeError as failure:
            yield (f"M and h are too large to be analyzed ({failure}).",)
        if words is not None:
            yield from words.linear(LinearForm(plain.plan, plain.ring.term_limit))

    # the controller

    def law(self) -> Iterable[Paragraph]:
        proof, name = self.proof, self.law_.name
        forms: dict[str, tuple[str, tuple[Token, ...]]] = {
            "pd": ("PD control with gravity compensation",
                   (tau, " = ", Symbol("g"), "(", q, ") + ", K, " ", e, " − ", DAMPING, " ", v)),
            "constant": ("PD control with constant efforts",
                         (tau, " = ", Symbol("c"), " − ", K, " ", q, " − ", DAMPING, " ", v)),
            "linear": ("computed torque", (tau, " = ", M, " ", Symbol("u"), " + ", Symbol("h"), " + ", Symbol("g"),
                                           ", ", Symbol("u"), " = ", Symbol("v", "d", accent="dot"), " + ", DAMPING,
                                           " ", Symbol("e", accent="dot"), " + ", K, " ", e)),
            "potential": ("the force of a potential W, and dampers",
                          (tau, " = −∂", Symbol("W"), "/∂", q, " − ", DAMPING, " ", v)),
            "pid": ("PID control", (tau, " = ", K, " ", e, " − ", DAMPING, " ", v, " + ", Symbol("z"), ", ",
                                    Symbol("z", accent="dot"), " = ", Symbol("K", "i"), " ", e)),
            "impedance": ("an impedance at the hand",
                          (tau, " = ", Symbol("g"), " − ", Symbol("J", power="T"), "(", Symbol("F"), " + ",
                           Symbol("D"), " ", Symbol("x", accent="dot"), ") − ", Symbol("K", "0"), " ", v)),
            "adaptive": ("adaptive control (Slotine and Li)",
                         (tau, " = ", Symbol("Y"), " ", "(", Symbol("π"), " + ", Symbol("δ"), ") − ", DAMPING, " ",
                          Symbol("s"))),
        }  # fmt: skip
        if proof.kind not in forms:
            yield (f"No proof is known for the controller {name}: {proof.why_not}. The following is numerical.",)
            if proof.run is None:
                return
        else:
            what, tokens = forms[proof.kind]
            how = (
                "it is a controller of this library, represented by its formula, since its errors are no "
                "polynomials, or too large ones"
                if proof.structural
                else "computed on the polynomials of the mechanism, its efforts have exactly this form, for all states"
            )
            yield (f"The controller {name} is {what}, ", self.formula(*tokens), f": {how}.")
            if proof.kind in ("pd", "linear"):
                yield (self.formula(e, " = ", Symbol("q", "d"), " − ", q), " is the error, ",
                       "difference(q, target)", " for spherical joints.")  # fmt: skip
        if proof.kind == "adaptive":
            lag, wanted = Symbol("s"), Symbol("v", "r")
            yield (
                "Here ", self.formula(lag, " = ", v, " − ", wanted), " is the deviation of the velocity from ",
                self.formula(wanted, " = ", Symbol("v", "d"), " + Λ ", e), ", which leads back to the reference; ",
                self.formula(Symbol("Y"), " ", Symbol("π"), " = ", M, " ", Symbol("v", "r", accent="dot"), " + ",
                             Symbol("C"), " ", wanted, " + ", Symbol("g")),
                " for the true parameters π; δ is the error of their estimates, which are updated by ",
                self.formula(Symbol("δ", accent="dot"), " = −Γ ", Symbol("Y", power="T"), " ", lag),
                ", for a small step of the controller.",
            )  # fmt: skip
        if proof.run is not None and not proof.structural and len(proof.run.efforts) <= LISTED:
            for k, one in enumerate(proof.run.efforts):
                if len(one) <= SHOWN_TERMS:
                    yield (self.formula(Symbol("τ", str(k + 1)), " = ", one, display=True),)
        if proof.run is not None:
            values = {name: x for name, x in proof.run.values.items() if name not in self.mechanism.plan.values}
            if 0 < len(values) <= 2 * LISTED:
                yield (
                    "Here ",
                    *joined([(self.formula(variable(name), f" = {number(x)}"),) for name, x in values.items()]),
                    ".",
                )
        passive = self.law_.passive
        if passive == "cancelled":
            yield ("The controller compensates the mechanism's dampers, friction and springs: they cancel.",)
        elif passive == "remain":
            yield ("The mechanism's dampers, friction and springs act in addition to the controller.",)

    # Lyapunov

    def lyapunov(self) -> Iterable[Paragraph]:
        proof = self.proof
        if not proof.kind:
            return
        if proof.kind == "pid":
            yield from self._routh()
            return
        if proof.kind == "linear":
            yield from self._error_equation()
            if proof.lyapunov is None:
                yield (f"No function is shown: {proof.why_not}.",)
                return
        general: dict[str, tuple[Token, ...]] = {
            "pd": ("½ ", V_T, " ", M, " ", v, " + ½ ", E_T, " ", K, " ", e),
            "constant": ("½ ", V_T, " ", M, " ", v, " + ", Symbol("U"), "(", q, ") + ½ ", Symbol("q", power="T"), " ",
                         K, " ", q, " − ", Symbol("c", power="T"), " ", q, " + const"),
            "linear": ("½ ", Symbol("e", power="T", accent="dot"), " ", Symbol("e", accent="dot"), " + ½ ", E_T, " (",
                       K, " + ε ", DAMPING, ") ", e, " + ε ", E_T, " ", Symbol("e", accent="dot")),
            "potential": ("½ ", V_T, " ", M, " ", v, " + ", Symbol("U"), "(", q, ") + ", Symbol("W"), "(", q, ")"),
            "impedance": ("½ ", V_T, " ", M, " ", v, " + ", Symbol("U"), "(", Symbol("x"), ")"),
            "adaptive": ("½ ", Symbol("s", power="T"), " ", M, " ", Symbol("s"), " + ½ ", Symbol("δ", power="T"), " ",
                         Symbol("Γ", power="-1"), " ", Symbol("δ")),
        }  # fmt: skip
        claim: dict[str, tuple[Token, ...]] = {
            "linear": ("−", Symbol("e", power="T", accent="dot"), " (", DAMPING, " − ε) ", Symbol("e", accent="dot"),
                       " − ε ", E_T, " ", K, " ", e),
            "impedance": ("−", Symbol("x", power="T", accent="dot"), " ", Symbol("D"), " ", Symbol("x", accent="dot"),
                          " − ", V_T, " ", Symbol("K", "0"), " ", v),
            "adaptive": ("−", Symbol("s", power="T"), " ", DAMPING, " ", Symbol("s")),
        }  # fmt: skip
        claimed = claim.get(proof.kind, ("−", V_T, " ", DAMPING, " ", v))
        yield (
            "A function that is positive away from the target and decreases along every motion shows that motions end "
            f"there. {'Such a function is' if proof.identity and proof.definite else 'A candidate is'} ",
            self.formula(V, " = ", *general[proof.kind], display=True),
            *(("that is", self._shown(V, proof.lyapunov)) if proof.lyapunov is not None else ()),
        )
        if proof.kind == "potential":
            yield ("W is the potential of the controller's force, which exists since ",
                   self.formula("∂", Symbol("τ", "i"), "/∂", Symbol("q", "j"), " = ∂", Symbol("τ", "j"), "/∂",
                       Symbol("q", "i")),
                   " identically.")  # fmt: skip
        if proof.kind == "impedance":
            yield ("U is the energy of the spring, whose gradient is the force F: U̇ = Fᵀ ẋ. The proof uses only this.",)
        if proof.identity:
            yield (
                "Its rate, with v̇ from the closed loop, is ",
                self.formula(RATE, " = ", *claimed, display=True),
                *(("that is", self._shown(RATE, proof.rate)) if proof.rate is not None else ()),
            )
            if proof.run is None and proof.kind == "pd":
                yield ("It is ", self.formula(V_T, "(½", Symbol("M", accent="dot"), " − ", Symbol("C"), ") ", v, " − ",
                       V_T, " ", DAMPING, " ", v), ", whose first part vanishes where Ṁ − 2C is skew.")  # fmt: skip
            elif proof.run is None and proof.kind == "linear":
                yield ("It follows from the errors' equation alone.",)
            elif proof.run is None:
                yield ("For any s it is ", self.formula(Symbol("s", power="T"), "(½", Symbol("M", accent="dot"), " − ",
                       Symbol("C"), ") ", Symbol("s"), " − ", Symbol("s", power="T"), " ", DAMPING, " ", Symbol("s")),
                       ", whose first part vanishes, since Ṁ − 2C is skew.")  # fmt: skip
            else:
                yield (
                    "This is proved: the difference of the two sides, in which Ṁ and h are written out, is zero as a "
                    "polynomial, for all states, gains and parameters. No samples are used.",
                )
            if proof.remark:
                yield (proof.remark,)
        else:
            left = proof.left
            shown: Paragraph = (self._shown(None, left),) if left is not None and len(left) <= SHOWN_TERMS else ()
            over: Paragraph = (" The remainder is ", *shown) if shown and left else ()
            yield ("But V̇ is not ", self.formula(*claimed), f": {proof.why_not}.", *over)
        if proof.kind == "linear" and proof.epsilon > 0.0:
            yield (f"Any ε between 0 and the least eigenvalue of K_d, {number(smallest_of(proof.damping))}, will do.",)
        yield from self._signs()

    def _shown(self, letter: Symbol | None, p: Polynomial | None) -> Formula:
        assert p is not None
        head: tuple[Token, ...] = (letter, " = ") if letter else ()
        if len(p) > 3 * SHOWN_TERMS:
            return self.formula(*head, f"{len(p)} terms", display=True)
        return self.formula(*head, p, display=True)

    def _signs(self) -> Iterable[Paragraph]:
        proof = self.proof
        if proof.stiffness is not None:
            low, letter = smallest(proof.stiffness), "Λ" if proof.kind == "adaptive" else "K"
            if proof.kind == "constant":
                verdict = "larger: V has its only minimum at the only equilibrium" if proof.definite else (
                    "not larger: there may be other equilibria, and V need not be positive")  # fmt: skip
                if proof.definite and not proof.sampled:
                    norm = f"The norm of ∂g/∂q is at most {number(proof.steepness_bound)} in all configurations"
                else:
                    norm = f"Over random configurations ∂g/∂q is at most {number(proof.steepest)} (sampled, not proved)"
                yield (f"The least eigenvalue of K is {number(low)}. {norm}. The first is {verdict}.",)
            else:
                sign = (
                    "positive, so that V is positive definite"
                    if proof.definite
                    else "not positive: V has no strict minimum at the target"
                )
                if proof.kind == "impedance":
                    sign = (
                        "positive: U has its minimum at the target only"
                        if proof.definite
                        else "not positive: U may have its minimum elsewhere too"
                    )
                if letter == "Λ":
                    sign = "positive: for s = 0 errors decay" if low > 0.0 else "not positive: errors may grow"
                yield (f"The least eigenvalue of {letter} is {number(low)}, {sign}.",)
        if proof.adaptation is not None:
            low = smallest(proof.adaptation)
            verdict = f"not positive. Nothing is proved: {proof.why_not}" if low <= 0.0 else "positive"
            yield (f"The least eigenvalue of Γ is {number(low)}, {verdict}.",)
        if proof.damping is not None and proof.identity:
            low = smallest(proof.damping)
            if low > 0.0:
                moving = {"adaptive": "s is not zero", "impedance": "the hand moves"}.get(proof.kind, "anything moves")
                yield (f"The least eigenvalue of K_d is {number(low)}, positive: V decreases while {moving}.",)
            elif low == 0.0:
                stable = proof.identity and proof.definite and proof.kind in ("pd", "linear", "constant")
                so = " Since V has its minimum there, rest at the target is stable." if stable else ""
                yield (f"The least eigenvalue of K_d is zero: V never increases.{so} Only the eigenvalues below "
                       "show whether motions decay.",)  # fmt: skip
            else:
                yield (f"The least eigenvalue of K_d is {number(low)}, negative: V can increase. Nothing is proved.",)
        if self.law_.passive == "remain" and proof.identity:
            yield ("The mechanism's dampers and friction dissipate further energy, which decreases V̇.",)

    def _error_equation(self) -> Iterable[Paragraph]:
        yield (
            "Since M is regular, the closed loop is linear: ",
            self.formula(Symbol("e", accent="ddot"), " + ", DAMPING, " ", Symbol("e", accent="dot"), " + ", K, " ", e,
                         " = 0"),
            ", for every mechanism. It is proved as an identity of polynomials that the controller contains M u, h "
            "and g of this mechanism.",
        )  # fmt: skip

    def _routh(self) -> Iterable[Paragraph]:
        """The local condition of PID."""
        proof, model = self.proof, self.of.model
        assert proof.run is not None
        assert proof.stiffness is not None
        assert proof.damping is not None
        assert proof.target is not None
        Ki = self.law_.gain("integral")
        slope = _steepness(model, proof.target)
        mass = _mass(model, proof.target)
        factors = smallest(proof.damping), smallest(proof.stiffness + slope)
        left = factors[0] * factors[1]
        right = float(np.linalg.eigvalsh(0.5 * (Ki + Ki.T)).max() * np.linalg.eigvalsh(mass).max())
        yield (
            "At rest e = 0 and the integral equals gravity, z = g(q_d). Near it, ",
            self.formula(M, " ", Symbol("δ", accent="ddot"), " + ", DAMPING, " ", Symbol("δ", accent="dot"), " + (", K,
                         " + ∂", Symbol("g"), "/∂", q, ") ", Symbol("δ"), " + ", Symbol("K", "i"), " ∫", Symbol("δ"),
                         " dt = 0"),
            ". For symmetric matrices it is enough that ",
            self.formula("λ_min(", DAMPING, ") λ_min(", K, " + ∂", Symbol("g"), "/∂", q, ") > λ_max(", Symbol("K", "i"),
                         ") λ_max(", M, ")", display=True),
            "(Routh's criterion for x*(·)x, x any eigenvector: each cubic has stable roots. "
            "Symmetric matrices make its coefficients real, and ", self.formula(Symbol("K", "i")),
            " and both factors to the left have to be positive.)",
        )  # fmt: skip
        if len(mass) == 1:
            ring, names = self.mechanism.ring, self.mechanism.coordinates
            g = self.mechanism.gravity_forces[0]
            curve = ring.derivative(g, names.q[0])
            gains = [proof.run.bound[key] for key in ("damping", "stiffness", "integral")]
            D1, K1, I1 = (np.ravel(np.asarray(x, dtype=object))[0] for x in gains)
            inertia = self.mechanism.recursive.mass_matrix[0, 0]
            yield (
                "For one joint it is Routh's criterion, which is exact: ",
                self.formula(ring.coerce(D1), " (", ring.coerce(K1 + curve), ") > ", ring.coerce(I1), " (", inertia,
                             ") at the target", display=True),
            )  # fmt: skip
        lacking = (
            f"the least eigenvalue of K_i is {number(smallest(Ki))}" if smallest(Ki) <= 0.0
            else f"the factors to the left are {listed([number(x) for x in factors])}" if min(factors) <= 0.0
            else f"numerically {number(left)} ≤ {number(right)}" if left <= right
            else ""
        )  # fmt: skip
        yield (f"The criterion does not hold: {lacking}. It is sufficient, not necessary: the eigenvalues below "
               "decide." if lacking
               else f"Numerically {number(left)} > {number(right)}: it holds, and the target is asymptotically stable, "
               "locally.",)  # fmt: skip

    # LaSalle

    def lasalle(self) -> Iterable[Paragraph]:
        proof = self.proof
        if not proof.identity or proof.kind == "pid" or not proof.kind:
            return
        if proof.kind == "adaptive":
            yield ("V̇ = 0 implies s = 0, and then the errors decay. Since the reference moves, s → 0 follows from "
                   "Barbalat's lemma, not from LaSalle's theorem. Parameters converge only where the motion excites "
                   "them.",)  # fmt: skip
            return
        if proof.kind == "linear":
            if proof.proved:
                yield ("V̇ is negative wherever e or ė is not zero: LaSalle's theorem is not needed. "
                       "Errors decay exponentially, from every initial state.",)  # fmt: skip
            return
        if proof.kind == "impedance":
            yield from self._behind_the_hand()
            return
        if not proof.damped or (proof.kind == "pd" and not proof.definite):
            return
        head: Paragraph = (
            "V̇ = 0 only where v = 0. A motion that stays there has ", self.formula(v, " ≡ 0"), ", so ",
            self.formula(Symbol("v", accent="dot"), " ≡ 0"), ", and the closed loop reduces to ",
        )  # fmt: skip
        if proof.friction is not None:
            yield from self._held_by_friction()
            return
        if proof.kind == "pd" and proof.looped:
            yield (*head, self.formula(K, " ", e, " = ", Symbol("A", power="T"), " ", Symbol("λ")),
                   ": the target, if its loops are closed, and configurations where loop forces balance the springs. "
                   "Every motion tends to one of these.")  # fmt: skip
            return
        if proof.kind == "pd":
            angle = " (rotations by less than π)" if proof.structural else ""
            yield (*head, self.formula(K, " ", e, " = 0"), ". K is regular, so ", self.formula(e, " = 0"),
                   ": the largest invariant set is the target alone, and there are no other "
                       "equilibria" + angle + ".")  # fmt: skip
            if proof.proved:
                yield ("V tends to infinity with v and e, so every motion is bounded. By LaSalle's theorem "
                       f"every motion tends to the target: it is asymptotically "
                           f"stable{angle or ', globally'}.",)  # fmt: skip
            return
        yield (*head, self.formula(tau, "(", q, ", 0) = ", Symbol("g"), "(", q, ")"),
               ": the largest invariant set are the equilibria, listed below. Every bounded motion tends to "
                   "them.")  # fmt: skip
        if proof.kind == "constant" and proof.definite:
            so_far = " (as far as the sampled bound holds)" if proof.sampled else ""
            yield ("There is only one, and all motions are bounded, since V tends to infinity: it is globally "
                   f"asymptotically stable{so_far}.",)  # fmt: skip

    def _behind_the_hand(self) -> Iterable[Paragraph]:
        """Return paragraphs on the null space of impedance control, where V̇ = 0."""
        proof, n = self.proof, len(self.mechanism.v)
        if smallest_of(proof.damping) <= 0.0:
            return
        held, J, F = proof.epsilon > 0.0, Symbol("J", power="T"), Symbol("F")
        if n > 6 and not held:
            yield ("V̇ = 0 implies ẋ = 0: the hand is at rest. A redundant arm may still move, since nothing damps "
                   "this motion (joint_damping is not positive); the spring's force is then unknown.",)  # fmt: skip
            return
        still = "v = 0" if held else "ẋ = 0 and, where the columns of J are independent, v = 0"
        yield (f"V̇ = 0 implies {still}. The closed loop then reduces to ", self.formula(J, " ", F, " = 0"), ".")
        if n < 6:
            yield (f"F need not be zero: with {n} {'joint' if n == 1 else 'joints'} J has less than six "
                   "independent rows, and the hand can rest where the spring acts in directions in which it cannot "
                   "move. These configurations are listed below.",)  # fmt: skip
        elif proof.definite:
            yield ("Where J has six independent rows, F = 0, and the hand is at the target (rotations below π).",)
        else:
            yield ("Where J has six independent rows, F = 0: the spring exerts no force, which its zero stiffnesses "
                   "allow away from the target.",)  # fmt: skip

    def _held_by_friction(self) -> Iterable[Paragraph]:
        """Return paragraphs on configurations held by Coulomb friction."""
        proof = self.proof
        assert proof.friction is not None
        pull = (K, " ", e) if proof.kind == "pd" else (tau, "(", q, ", 0) − ", Symbol("g"), "(", q, ")")
        limits = [number(float(x)) for x in proof.friction]
        yield ("V̇ = 0 only where v = 0. But Coulomb friction holds the mechanism wherever each entry of ",
               self.formula(*pull), " is no larger than the friction of its joint, ",
               f"{listed(limits)}{' and loop forces' if proof.looped else ''}: every bounded motion "
               "tends to the set of these configurations. It is not proved that motions end at the "
               "target.",)  # fmt: skip
        yield ("Simulations use the friction −F v/√(v² + v₀²) with v₀ = 0.01 m/s or rad/s, without sticking: joints "
               "that would stick creep to the equilibria listed below.",)  # fmt: skip

    # rest

    def rest(self) -> Iterable[Paragraph]:
        proof, of = self.proof, self.of
        if proof.kind == "pid":
            yield from self._pid_eigenvalues()
            return
        if of.law.rule.effort_function.state:
            yield ("The controller has a state: equilibria with that state are not computed.",)
            return
        if of.equilibria.varying:
            yield (
                "The controller depends on time, so that there is no equilibrium; eigenvalues would decide nothing.",
            )
            return
        found = of.equilibria.found
        if of.equilibria.nothing_pulls:
            yield ("Every configuration is an equilibrium: at rest the controller's efforts balance gravity "
                   "exactly.",)  # fmt: skip
            return
        if not found:
            yield ("No equilibrium was found from random starts; this is no proof that there is none.",)
            return
        only = proof.proved and proof.kind in ("pd", "linear") and not proof.looped and not proof.structural
        yield (
            f"{'The' if only else 'Numerically,'} {counted(len(found), 'equilibrium', 'equilibria')} "
            f"{'is' if len(found) == 1 else 'are'} found by Newton's method from random starts, with the "
                f"eigenvalues of "
            "the closed loop, linear about it (those of A + B ∂τ/∂(q, v), A and B of linearize)"
            + ("." if only else "; there may be others."),
        )  # fmt: skip
        for k, one in enumerate(found[:LISTED], start=1):
            why = f" {by_higher_order(one.leading, one.kind)}." if one.leading is not None else ""
            if one.kind == "undecided" and one.why_undecided:
                why = f" Higher derivatives do not decide either: {one.why_undecided}."
            yield (f"{k}. ", *place_of(self, one), f": {one.kind}; {eigenvalues(one.eigenvalues)}.{why}")
        if len(found) > LISTED:
            yield (f"… and {len(found) - LISTED} more: explanation(controller=…).equilibria.found has them all.",)

    def _pid_eigenvalues(self) -> Iterable[Paragraph]:
        values = pid_eigenvalues(self.law_, self.proof)
        largest, size = float(values.real.max()), float(np.abs(values).max())
        if abs(largest) <= 1e-9 * size:
            stable = "not asymptotically stable: the largest real part is zero, and it decides nothing of the target"
        else:
            stable = "unstable" if largest > 0.0 else "asymptotically stable"
        yield (f"At the target the linear closed loop, integral and all, is {stable}; {eigenvalues(values)}.",)
        if any(np.any(joint.friction) for joint in self.of.model.joints):
            yield ("Coulomb's friction, taken for smooth here as in simulations, can hold a real mechanism elsewhere "
                   "until the integral has grown enough.",)  # fmt: skip


_steepness, _mass = derivative(gravity_forces, "q"), mass_matrix


def pid_eigenvalues(law: Law, proof: Proof) -> Array:
    """Return the eigenvalues of δq, v and z (3 nv,), the slowest first."""
    assert proof.stiffness is not None
    assert proof.damping is not None
    assert proof.target is not None
    model, n = law.model, law.model.nv
    free = Rest(model)
    own, damping = free.slopes(proof.target)
    inverse = np.linalg.inv(_mass(model, proof.target))
    zero, eye = np.zeros((n, n)), np.eye(n)
    A = np.block([
        [zero, eye, zero],
        [-inverse @ (own + proof.stiffness), -inverse @ (damping + proof.damping), inverse],
        [-law.gain("integral"), zero, zero],
    ])  # fmt: skip
    values = np.linalg.eigvals(A)
    return values[np.lexsort((values.imag, -values.real))]


def smallest_of(A: Array | None) -> float:
    """The least eigenvalue of the symmetric part; zero of nothing."""
    return smallest(A) if A is not None else 0.0


def eigenvalues(values: Array) -> str:
    """Eigenvalues in words, each pair once."""
    shown: list[str] = []
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    for x in values:
        if x.imag < -1e-9 * size:
            continue
        real = "0" if abs(x.real) < 1e-9 * size else number(float(x.real), 4)
        shown.append(f"{real} ± {number(float(x.imag), 4)}i" if x.imag > 1e-9 * size else real)
    return f"eigenvalues {listed(shown)} /s"


def place_of(words: Any, one: RestingPlace) -> Paragraph:
    """θ1 ≈ 0.3, θ2 ≈ 0."""
    names = words.mechanism.coordinates.q
    parts: list[Paragraph] = []
    for name, x in zip(names, one.q, strict=True):
        close = 0.0 if abs(x) < 5e-7 else float(x)
        parts.append((words.formula(variable(name), " ≈ ", number(close)),))
    return joined(parts, ", ")
