"""The part of an explanation that is about inertia, rest and what becomes of small disturbances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import public
from linkwright.expression.polynomials.polynomial import Polynomial
from linkwright.spatial.arrays import Array
from linkwright.symbolic.interpretation.equilibria import Equilibria, Equilibrium
from linkwright.symbolic.interpretation.explanation import Paragraph, Piece, Symbol, Token, variable
from linkwright.symbolic.interpretation.extremal_inertia import Extreme, at_quarters, largest, series_of, value_of
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
from linkwright.symbolic.interpretation.structure import determinant, quasi, sign_of

SAMPLES = 1_000
_mass = public(dynamics.mass_matrix)


@dataclass
class MotionWords(FormulaWriter):
    """Paragraphs about how the mechanism moves, rests and returns to rest."""

    rest: Equilibria

    @property
    def _units(self) -> list[str]:
        """Return the units of the coordinates whose rates are the velocities: "m" or "rad"."""
        return [unit for joint in self.rest.model.joints if joint.nv for unit in joint.motion.units]

    # inertia

    def definite(self) -> Iterable[Paragraph]:
        """Positive definite: by the minors where they show it, and by the eigenvalues met."""
        M, n = self.structure.forms.mass_matrix, len(self.structure.forms.mass_matrix)
        if n <= 3:  # any chain of principal minors will do: from the last joint on they are simplest
            minors = [determinant([row[n - k :] for row in M[n - k :].tolist()]) for k in range(1, n + 1)]
            if all(sign_of(minor, self.rest.values) > 0 for minor in minors):
                shown: Paragraph = ()
                if all(len(minor) <= SHOWN_TERMS for minor in minors):
                    shown = (": ", *joined([(self.formula(minor, " > 0"),) for minor in minors], ", "))
                yield (
                    "The same is seen from its principal minors of the last rows, whose terms are all positive where "
                    "parameters have the model's signs",
                    *shown,
                    ".",
                )
        values = np.linalg.eigvalsh(_mass(self.rest.model, self.rest.model.random(SAMPLES, seed=0)))
        low, high = float(values.min()), float(values.max())
        if low <= 1e-12 * high:
            yield ("In numbers it is not: some motions move no mass, and their accelerations are undetermined.",)
        else:
            span = f"lie from {number(low, 3)} to {number(high, 3)}" if n > 1 or low < high else f"are {number(low, 3)}"
            yield (f"Over {SAMPLES} random configurations its eigenvalues {span}.",)

    def inertia(self) -> Iterable[Paragraph]:
        """The configurations with the largest and the smallest M_ii."""
        M, names = self.structure.forms.mass_matrix, self.structure.mechanism.coordinates
        if len(M) > LISTED:
            yield (f"With {len(M)} joints' coordinates, the extremes of each inertia are not looked for here.",)
            return
        numeric = False
        for i in range(len(M)):
            p, unit = M[i, i], "kg m²" if self._units[i] == "rad" else "kg"
            seen = self.formula(Symbol("M", f"{i + 1},{i + 1}"))
            head: Paragraph = (f"The inertia that {self.structure.joints[i].name} sees, ", seen, ", ")
            if quasi(self.structure.joints[i]):
                head = ("The inertia along ", self.formula(variable(self.rate(i))), ", ", seen, ", ")
            used = self.structure.coordinates_in([p])
            series = series_of(p, self.rest.values)
            if not used:
                shown: Paragraph = (self.formula(p), ", ") if len(p) <= SHOWN_TERMS and p.used() else ()
                value = number(largest(series).value) if series else ""
                yield (*head, "is the same in all configurations: ", *shown, f"{value} {unit}.")
            elif series is None or any(name not in names.angles for name in used):
                yield (*head, *self._sampled(i, used, unit))
            elif not series.angles:
                yield (*head, f"is {number(series.constant)} {unit} in all configurations with the model's values.")
            else:
                high, low = largest(series), largest(series, -1)
                numeric = numeric or not (high.exact and low.exact)
                yield (*head, "is largest ", *self._extreme(p, high, unit), ", and smallest ",
                       *self._extreme(p, low, unit), ".")  # fmt: skip
        if numeric:
            yield ("Values marked ≈ were found numerically, from several starts; the others are proved: there every "
                   "cosine of the Fourier series has its largest, or its smallest, value.",)  # fmt: skip

    def _extreme(self, p: Polynomial, extreme: Extreme, unit: str) -> Paragraph:
        sign = "=" if extreme.exact else "≈"
        if extreme.quarters is not None:
            exact = at_quarters(p, extreme.quarters)
            if exact.used() and not self.structure.coordinates_in([exact]) and len(exact) <= SHOWN_TERMS:
                value = self.formula(exact, " = ", number(extreme.value))
            else:
                value = self.formula(number(extreme.value))
        else:
            value = self.formula(f"{sign} ", number(extreme.value))
        return ("at ", *self.place(extreme.quarters, extreme.at), ": ", value, f" {unit}")

    def _sampled(self, i: int, used: tuple[str, ...], unit: str) -> Paragraph:
        """Return where displacements or quaternions occur."""
        model, names = self.rest.model, self.structure.mechanism.coordinates
        places = {name: k for k, name in enumerate(names.q)}
        turning = {name for four in names.quaternions for name in four}
        slides = [name for name in used if name not in names.angles and name not in turning]
        endless = [n for n in slides if not np.isfinite(model.upper[places[n]] - model.lower[places[n]])]
        if endless:
            return ("depends on ", *self.names(used), ", and grows without bound with ", *self.names(endless), ".")
        values = _mass(model, model.random(SAMPLES, seed=1))[:, i, i]
        span = f"from {number(float(values.min()))} to {number(float(values.max()))} {unit}"
        return ("depends on ", *self.names(used), f"; over {SAMPLES} random configurations it lies {span}.")

    # rest

    def equilibria(self) -> Iterable[Paragraph]:
        """Return paragraphs on the equilibria."""
        rest, g = self.rest, self.structure.forms.gravity_forces
        condition = self.formula(*self._pull("(", Symbol("q"), ")"), " = 0")
        if rest.springs:
            stiff = [joint.name for joint in rest.model.joints if np.any(joint.stiffness)]
            between = [spring.name for spring in rest.model.springs if spring.stiffness]
            names = " and ".join(filter(None, [listed(stiff), f"{listed(between)} between bodies" if between else ""]))
            yield (f"The springs of {names} act in addition to gravity: their forces ", self.formula(Symbol("K"), "(",
                   Symbol("q"), ")"), " and their energy are included here.")  # fmt: skip
        if rest.everywhere:
            yield (self.formula(Symbol("g"), " ≡ 0"), ": without efforts the mechanism rests in every configuration.")
            return
        if rest.obstacle:
            rows = rest.obstacle
            total = sum((g[i] * g[i] for i in rows[1:]), g[rows[0]] * g[rows[0]])
            why: Paragraph
            if len(rows) == 1:
                why = (self.formula(Symbol("g", str(rows[0] + 1)), " = ", g[rows[0]]), " is the same everywhere, and ",
                       "not zero")  # fmt: skip
            else:
                sum_of = [Symbol("g", str(i + 1), "2") for i in rows]
                tokens = [x for k, one in enumerate(sum_of) for x in ((" + ", one) if k else (one,))]
                size = total if len(total) <= SHOWN_TERMS else number(value_of(total, rest.values))
                why = (self.formula(*tokens, " = ", size), " in all configurations, not zero: the weight has "
                       "nothing to rest on")  # fmt: skip
            yield ("There is no equilibrium without efforts: ", *why, ".")
            return
        found = rest.found
        exact = sum(one.exact for one in found)
        if not found:
            yield (
                "No solution of ",
                condition,
                " was found from 256 random starts; that is no proof there is none.",
            )
            return
        how = (
            "all proved by substitution" if exact == len(found) else f"{exact} proved by substitution, the others "
            "numerical, by Newton's method from random starts" if exact else "all numerical, by Newton's method "
            "from random starts, each to 1e-10 of the largest force"
        )  # fmt: skip
        yield (
            "Without efforts the mechanism rests where ", condition,
            f": {counted(len(found), 'equilibrium', 'equilibria')} found, {how}.",
        )  # fmt: skip
        if rest.complete:
            yield ("There are no others, up to whole turns, since ", self.formula(Symbol("g")), " is a "
                   "regular matrix times as many cosines as there are angles, and vanishes where all do.",)  # fmt: skip
        else:
            yield ("There may be others: that the list is complete is not proved.",)
        for k, one in enumerate(found[:LISTED], start=1):
            yield (f"{k}. ", *self._where(one), f"; potential energy {number(one.energy)} J.")
        if len(found) > LISTED:
            yield (f"… and {len(found) - LISTED} more, of higher energy: explanation().equilibria.found has them all.",)
        outside = sum(not self._within_limits(one.q) for one in found)
        if outside:
            yield (f"The limits of joints were left aside: {counted(outside, 'of them lies', 'of them lie')} outside.",)

    def _pull(self, *argument: Token) -> tuple[Token, ...]:
        """g, or g + K where there are springs."""
        weight = (Symbol("g"), *argument)
        return (*weight, " + ", Symbol("K"), *argument) if self.rest.springs else weight

    def _within_limits(self, q: Array) -> bool:
        model = self.rest.model
        return bool(np.all(q >= model.lower - 1e-9) and np.all(q <= model.upper + 1e-9))

    def _where(self, one: Equilibrium) -> Paragraph:
        names = self.structure.mechanism.coordinates.q
        idle = [name for name in names if name not in self.rest.active]
        at = {name: x for name, x in zip(names, one.q, strict=True) if name in self.rest.active}
        at = {name: x for name, x in at.items() if name not in one.free}
        pieces: list[Piece] = [*self.place(one.quarters, at)]
        if any_value := [*one.free, *idle]:
            pieces += [", ", *self.names(any_value), " anywhere"]
        proved = self._proved_directions(one)
        if one.family and one.family != proved:
            pieces.append(f", one of a continuous family of {counted(one.family, 'dimension')} (found numerically)")
        return tuple(pieces)

    def _proved_directions(self, one: Equilibrium) -> int:
        return sum(own[0] not in self.rest.active or own[0] in one.free for own in self.structure.coordinates)

    # small disturbances

    def stability(self) -> Iterable[Paragraph]:
        """By the energy where it has a strict minimum, else by the linearized motion."""
        rest = self.rest
        if any(np.isnan(one.squares).any() for one in rest.found):
            yield ("Some motions move no mass: what becomes of small disturbances is undetermined.",)
            return
        if rest.everywhere:
            yield (
                "No configuration is preferred: pushed, the mechanism does not return, and nothing drives it away at "
                "an increasing rate from rest. Rest is neither asymptotically stable nor unstable by linearization: ",
                self.formula(Symbol("S"), " = 0"),
                ".",
            )
            return
        if not rest.found:
            yield ("Without equilibria there is nothing to be stable.",)
            return
        delta = Symbol("δ")
        yield (
            "Near an equilibrium, with ", self.formula(delta), " the displacement from it, ",
            self.formula(Symbol("M"), " ", Symbol("δ", accent="ddot"), " + ", Symbol("S"), " ", delta, " = 0, ",
                         Symbol("S"), " = ∂", *(("(", *self._pull(), ")") if rest.springs else self._pull()), "/∂",
                         Symbol("q")),
            ". The eigenvalues ", self.formula(Symbol("ω", power="2")), " of ",
            self.formula(Symbol("M", power="-1"), Symbol("S")),
            " decide: positive ones are oscillations, a negative one is a saddle, which motions leave as ",
            self.formula("exp(", Symbol("σ"), Symbol("t"), "), ", Symbol("σ", power="2"), " = −",
                         Symbol("ω", power="2")),
            ", and zero leaves it undecided.",
        )  # fmt: skip
        if any(one.kind == "stable" and not one.nullity for one in rest.found):
            yield (
                "Where S is positive definite, the potential energy has a strict minimum; the energy, which is "
                "constant or falls, is then a Lyapunov function, and the equilibrium is stable (Lagrange, Dirichlet) "
                "for the whole equations, not only the linearized ones.",
            )
        for k, one in enumerate(rest.found[:LISTED], start=1):
            yield (f"{k}. ", *self._verdict(one))
        if len(rest.found) > LISTED:
            kinds = Counter(one.kind for one in rest.found)
            options = {"stable": "stable", "unstable": "unstable", "valley": "in a valley"}
            counts = [f"{n} {options.get(kind, kind)}" for kind, n in kinds.most_common()]
            yield (f"Of all {len(rest.found)}: {listed(counts)}.",)

    def _verdict(self, one: Equilibrium) -> Paragraph:
        squares = one.squares[::-1] if one.kind == "unstable" else one.squares
        pieces: list[Piece] = []
        frequencies = [number(x) for x in one.frequencies]
        rates = [number(float(np.sqrt(-x))) for x in squares if x < 0.0]
        oscillating = f"oscillations at ω = {listed(frequencies)} rad/s" if frequencies else ""
        if one.leading is not None and not one.unstable_directions:
            pieces += [by_higher_order(one.leading, one.kind), f", with {oscillating} across. " if frequencies
                       else ". "]  # fmt: skip
        elif one.kind == "stable":
            pieces += [f"Stable, a center of the linearized motion: {oscillating}. "]
        elif one.kind == "unstable":
            flat = "A ridge" if one.nullity else "A maximum"
            what = "A saddle" if frequencies else f"{flat} of the potential energy"
            pieces += [f"Unstable. {what}: motions leave it in {counted(one.unstable_directions, 'direction')}, at "
                       f"{'the rate' if len(rates) == 1 else 'rates'} of {listed(rates)} /s"]  # fmt: skip
            pieces += [f"; across them {oscillating}. " if frequencies else ". "]
        elif one.kind == "valley":
            pieces += [
                f"The floor of a valley: {oscillating} across it, and along its {counted(one.family, 'dimension')} of "
                "equilibria nothing pulls back, so a push drifts on. "
            ]
        else:
            pieces += [f"Undecided by linearization: ω² = 0 in {counted(one.nullity, 'direction')}"]
            pieces += [f", {oscillating} in others. " if frequencies else ". "]
            pieces += [f"Higher derivatives do not decide either: {one.why_undecided}. "] if one.why_undecided else []
        if one.signs and len(self.structure.joints) == 1 and one.kind == "stable":
            M = self.structure.forms.mass_matrix[0, 0]
            if len(M) + len(one.minors[0]) <= SHOWN_TERMS:
                pieces += [self.formula(Symbol("ω", power="2"), " = (", one.minors[0], ")/(", M, ")"), ". "]
        pieces += self._proof(one)
        return tuple(pieces)

    def _proof(self, one: Equilibrium) -> list[Piece]:
        """The conclusions from the leading minors of S, for all parameters."""
        if not one.signs:
            return []
        changes = sum(a != b for a, b in zip((1, *one.signs), one.signs, strict=False))
        shown: Paragraph = ()
        if all(len(minor) <= SHOWN_TERMS for minor in one.minors) and self.rest.values:
            relation = {1: " > 0", -1: " < 0"}
            shown = joined([(self.formula(p, relation[s]),) for p, s in zip(one.minors, one.signs, strict=True)], ", ")
        of = " on the coordinates that g depends on" if len(one.signs) < len(self.structure.joints) else ""
        what = "positive definite" if not changes else (
            "negative definite" if changes == len(one.signs) else f"of {counted(changes, 'negative eigenvalue')}"
        )  # fmt: skip
        if not self.rest.values:
            return [f"S is {what}{of}: proved by its leading minors."]
        if not shown:
            shown = (f"all {len(one.signs)}",)
        return [f"S is {what}{of} for all values of the parameters with the model's signs, by its leading minors: ",
                *shown, "."]  # fmt: skip

    # friction

    def friction(self) -> Iterable[Paragraph]:
        """LaSalle's invariant set."""
        rest, names = self.rest, self.structure.mechanism.coordinates.v
        D, v = rest.damping, Symbol("v")
        damped, free = np.flatnonzero(D > 0.0).tolist(), np.flatnonzero(D <= 0.0).tolist()
        energy = (
            "the energy falls by ", self.formula(Symbol("v", power="T"), " ", Symbol("D"), "(", v, ")"),
            ", and a motion that stays bounded tends to the largest set in which it does not fall (LaSalle)",
        )  # fmt: skip
        everywhere: Paragraph = (
            ". With friction at every coordinate that is rest, and rest is possible only at equilibria: ",
            self.formula("{", v, " = 0, ", *self._pull("(", Symbol("q"), ")"), " = 0}"),
            ". " + ("There are none, so every motion goes on without bound" if rest.obstacle else
                    "So every bounded motion tends to the equilibria"),
        )  # fmt: skip
        stable = [k for k, one in enumerate(rest.found, start=1) if one.kind == "stable"]
        if dampers := [spring.name for spring in rest.model.springs if spring.damping]:
            several = len(dampers) > 1
            what = "The dampers of {} between bodies dissipate energy while their lengths change"
            one = "The damper of {} between bodies dissipates energy while its length changes"
            yield ((what if several else one).format(listed(dampers))
                   + ": it is not decided here whether every motion decays.",)  # fmt: skip
            return
        if not damped:
            yield ("The model's joints have no friction: unforced motions keep their energy"
                   + (", and no equilibrium is asymptotically stable." if rest.found else "."),)  # fmt: skip
            if rest.everywhere:
                yield ("With viscous friction at every joint each motion would come to rest somewhere.",)
                return
            yield (
                "With viscous friction ",
                self.formula(Symbol("D"), "(", v, ")"),
                " at every joint, ",
                *energy,
                *everywhere,
                *self._isolated(stable),
                ".",
            )
            yield from self._one_damper(stable)
            return
        yield (f"The model has friction at {listed([names[i] for i in damped])}: ", *energy,
               *(everywhere if not free else ()), *(self._isolated(stable) if not free else ()), ".")  # fmt: skip
        dry = [joint.name for joint in rest.model.joints if np.any(joint.friction)]
        if dry:
            yield (f"The dry friction of {listed(dry)} can hold the mechanism wherever it is pulled by less; smoothed "
                   "as in passive_forces and in simulations, it lets it creep on.",)  # fmt: skip
        if not free:
            return
        yield (f"There is none at {listed([names[i] for i in free])}, where motion might go on for ever.",)
        for k in stable[:LISTED]:
            silent = rest.silent_modes(rest.found[k - 1], D)
            if rest.found[k - 1].nullity:
                yield (f"At equilibrium {k} the linearization does not decide whether motions die out.",)
            elif silent:
                yield (
                    f"At equilibrium {k}, {counted(silent, 'oscillation')} of the linearized motion "
                    f"{'moves' if silent == 1 else 'move'} no joint that has friction: the linearization "
                    "does not decide whether motions die out.",
                )
            else:
                yield (
                    f"At equilibrium {k}, every oscillation of the linearized motion moves a joint that has friction "
                    "(a rank test, mode by mode): the largest invariant set near it is the equilibrium itself, "
                    "which is asymptotically stable.",
                )

    @staticmethod
    def _isolated(stable: list[int]) -> Paragraph:
        if not stable:
            return ()
        which = f"equilibri{'um' if len(stable) == 1 else 'a'} {listed([str(k) for k in stable])}"
        return (f", and {which}, isolated and of least energy nearby, {'is' if len(stable) == 1 else 'are'} "
                "asymptotically stable",)  # fmt: skip

    def _one_damper(self, stable: list[int]) -> Iterable[Paragraph]:
        """Which single damper would be enough."""
        n = len(self.structure.joints)
        if n == 1 or n > LISTED:
            return
        for k in [k for k in stable if not self.rest.found[k - 1].nullity][:1]:
            enough = [
                self.structure.mechanism.coordinates.v[i]
                for i in range(n)
                if not self.rest.silent_modes(self.rest.found[k - 1], np.eye(n)[i])
            ]
            if enough:
                yield (
                    f"At equilibrium {k} a single damper would do, at {listed(enough, ' or ')}: every oscillation of "
                    "the linearized motion moves it.",
                )
