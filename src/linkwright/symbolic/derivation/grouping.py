"""Base parameters: the smallest set of inertial parameters that determines the equations of motion, exactly.

M, h and g are linear in the m, m c and I at the joint of every body and in rotor inertias, and the coefficient of one
parameter may be a constant combination of those of others (Gautier & Khalil, IEEE Trans. RA 6(3), 1990). This is
decided by the terms of the equations: Y_j = Σ β_jk Y_k, with β_jk polynomials in the lengths, makes of parameter k the
base parameter k + Σ β_jk j and eliminates j. Bodies are processed from the root, so that parameters of outer bodies are
eliminated, as in the rules of Khalil & Dombre (2002, ch. 9); near the ground and with mimic joints more parameters are
eliminated than by those.

Dependent columns are found at a random point modulo a prime; β is then solved exactly and every Y_j = Σ β_jk Y_k
verified as polynomials. Columns independent at one point are independent in general: the remaining parameters are
proved to be minimal.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import flint

from linkwright.errors import InputError, ModelError, TooLargeError
from linkwright.expression.polynomials.polynomial import SQUARE_ROOTS, Polynomial, Ring, evaluate
from linkwright.symbolic.derivation.coordinates import Coordinates
from linkwright.symbolic.derivation.equations_of_motion import Forms, LagrangianMechanism
from linkwright.symbolic.derivation.exact_rotations import ONE, ZERO, number
from linkwright.symbolic.derivation.plan import DerivationPlan, Entry, LinkPlan, sorted_names
from linkwright.symbolic.output.notation import Order, grouped, text_of

PRIME = 2**62 - 1001
"""Modulo which 2 and 3 have square roots (it is 23 modulo 24), of 62 bits."""

KEPT_FIRST = ("Izz", "Ixx", "Ixy", "Ixz", "Iyz", "mcx", "mcy", "Iyy", "mcz", "m", "Ia")
"""Preferred order of the remaining parameters of a body."""

Key = tuple[int, tuple[int, ...]]
"""an entry of M, h or g, and a monomial of coordinates and velocities"""


class Grouping(NamedTuple):
    """Result of the grouping."""

    plan: DerivationPlan
    """of the base parameters alone"""
    definitions: dict[str, Polynomial]
    """of those that stand for more than one parameter, in the ring of ``ungrouped``"""
    ungrouped: Forms
    """M, h and g as they were"""


def grouping_of(plan: DerivationPlan, coordinates: Coordinates, term_limit: int) -> Grouping:
    """The base parameters of a plan whose inertial parameters are names; raises :class:`InputError` if they are not,
    and :class:`ModelError` where a combination is no polynomial in the lengths."""
    names = _inertial_names(plan)
    mechanism = LagrangianMechanism(plan, term_limit)
    try:
        ring, forms = mechanism.ring, mechanism.recursive
    except TooLargeError as failure:
        raise TooLargeError(
            f"base parameters of {plan.model.name!r} would be found from its equations written out, which are too "
            f"large: {failure}"
        ) from None
    columns = _ParameterCoefficients(ring, forms, names, _constants(plan))
    depends = columns.relations()
    shares: dict[str, Polynomial] = {name: ring[name] for name in names if name not in depends}
    for gone, combination in depends.items():
        for kept, beta in combination.items():
            shares[kept] = shares[kept] + beta * ring[gone]
    new_names = {kept: kept if share == ring[kept] else _grouped_name(kept) for kept, share in shares.items()}
    definitions = {new_names[kept]: share for kept, share in shares.items() if new_names[kept] != kept}
    order = Order(plan.values, coordinates.v, (*coordinates.angles, *plan.angle_names))
    values = {name: x for name, x in plan.values.items() if name not in names}
    meanings = dict(plan.meanings)
    for kept, name in new_names.items():
        values[name] = plan.values[kept] if name == kept else float(number(evaluate([shares[kept]], plan.values)[0]))
        if name != kept:
            meanings[name] = text_of(grouped(shares[kept], order))
    links = [_renamed(link, set(names), new_names) for link in plan.links]
    made = replace(plan, links=links, values=sorted_names(values), meanings=meanings)
    return Grouping(made, definitions, forms)


def _inertial_names(plan: DerivationPlan) -> list[str]:
    """In the order in which they are kept: from the root outward."""
    found: list[str] = []
    for link in plan.links:
        own = [link.mass, *link.center, *(x for row in link.inertia for x in row), *link.armature]
        if any(entry.coefficient != ZERO and not entry.name for entry in own):
            raise InputError(
                "base parameters are combinations of named inertial parameters; some of these are numbers. Take "
                "'symbols' or 'all' for the group inertial, and numbers for others"
            )
        rank = {start: k for k, start in enumerate(KEPT_FIRST)}
        starts = {entry.name: re.match("[A-Za-z]+", entry.name) for entry in own if entry.name}
        found += sorted(starts, key=lambda name: rank[str(starts[name][0])])  # type: ignore[index]
    return found


def _constants(plan: DerivationPlan) -> list[str]:
    """The variables that β may hold: lengths and the like, cosines and sines of named angles, roots and 1/π."""
    lengths = [name for name in plan.rigid_names if re.match(r"l|pitch", name)]
    turns = [f"{function}({name})" for name in plan.angle_names for function in ("cos", "sin")]
    return [*SQUARE_ROOTS, "1/pi", *lengths, *turns]


def _grouped_name(name: str) -> str:
    """IzzR1 of Izz1."""
    return re.sub(r"^([A-Za-z]+)", r"\1R", name)


def _renamed(link: LinkPlan, names: set[str], new: Mapping[str, str]) -> LinkPlan:
    """A body with base parameters for its parameters."""

    def entry(one: Entry) -> Entry:
        return one if one.name not in names else Entry(ONE, new[one.name]) if one.name in new else Entry()

    return link._replace(
        mass=entry(link.mass),
        center=[entry(x) for x in link.center],
        inertia=[[entry(x) for x in row] for row in link.inertia],
        armature=[entry(x) for x in link.armature],
    )


class _ParameterCoefficients:
    """Coefficients of every inertial parameter in M, h and g."""

    def __init__(self, ring: Ring, forms: Forms, names: Sequence[str], constants: Sequence[str]):
        self.ring, self.names = ring, names
        self.entries = [p for p in _different_entries(forms) if p]
        self.columns = {name: [ring.derivative(p, name) for p in self.entries] for name in names}
        places = [ring.index[name] for name in constants]
        self.rows: dict[Key, dict[str, dict[tuple[int, ...], Any]]] = {}
        for name, column in self.columns.items():
            for k, p in enumerate(column):
                for exponents, c in p.terms.terms():
                    powers = list(exponents)
                    own = tuple(int(powers[i]) for i in places)
                    for i in places:
                        powers[i] = 0
                    row = self.rows.setdefault((k, tuple(map(int, powers))), {})
                    row.setdefault(name, {})[own] = c
        self.constants = constants

    def relations(self) -> dict[str, dict[str, Polynomial]]:
        """{parameter that can vanish: {parameter that remains: β}}."""
        matrix = self._modulo()
        echelon, rank = matrix.rref()
        table = [[int(x) for x in row] for row in echelon.tolist()[:rank]]
        pivots = [next(j for j, x in enumerate(row) if x) for row in table]
        found = {}
        for j, name in enumerate(self.names):
            if j not in pivots:
                kept = [self.names[pivot] for pivot, row in zip(pivots, table, strict=True) if row[j]]
                found[name] = self._combination(name, kept)
        return found

    def _modulo(self) -> Any:
        """The coefficients at a random point, modulo the prime; equal rows once."""
        at = random.Random(1)
        point = {name: at.randrange(1, PRIME) for name in self.constants}
        # of a prime that is 3 modulo 4, a root of x is x^((p + 1)/4)
        point |= {name: pow(square, (PRIME + 1) // 4, PRIME) for name, square in SQUARE_ROOTS.items()}
        for name in self.ring.angles:
            t = at.randrange(1, PRIME)
            both = pow(1 + t * t, -1, PRIME)
            point |= {f"cos({name})": (1 - t * t) * both % PRIME, f"sin({name})": 2 * t * both % PRIME}
        x = [point[name] for name in self.constants]
        value: dict[Any, int] = {}

        def residue(powers: tuple[int, ...], c: Any) -> int:
            if (powers, c) not in value:
                total = int(c.p) * pow(int(c.q), -1, PRIME)
                for base, e in zip(x, powers, strict=True):
                    total = total * pow(base, e, PRIME) % PRIME
                value[powers, c] = total % PRIME
            return value[powers, c]

        rows = {
            tuple(
                sum(residue(powers, c) for powers, c in row[name].items()) % PRIME if name in row else 0
                for name in self.names
            )
            for row in self.rows.values()
        }
        flat = [x for row in rows for x in row]
        return flint.nmod_mat(len(rows), len(self.names), flat, PRIME)

    def _combination(self, name: str, kept: list[str]) -> dict[str, Polynomial]:
        """The β with Y_name = Σ β Y_kept, proved."""
        unknown = set(kept)
        rows = [row for row in self.rows.values() if not unknown.isdisjoint(row)]
        rows.sort(key=lambda row: sum(len(row.get(one, ())) for one in (name, *kept)))
        system = ([self._coefficient(row.get(one, {})) for one in (*kept, name)] for row in rows)
        beta = _solved(self.ring, system, len(kept))
        if beta is None:
            raise ModelError(
                f"what {name} multiplies is a combination of what {', '.join(kept)} multiply, but with fractions of "
                "lengths or of cosines. With {'inertial': 'all'}, which names vanishing parameters too, or with "
                "geometry as numbers there may be none"
            )
        for k, own in enumerate(self.columns[name]):
            total = sum((b * self.columns[one][k] for b, one in zip(beta, kept, strict=True)), self.ring.zero)
            self.ring.check()
            if total != own:
                raise ModelError(f"the combination found for {name} does not hold")
        return dict(zip(kept, beta, strict=True))

    def _coefficient(self, terms: Mapping[tuple[int, ...], Any]) -> Polynomial:
        total = self.ring.zero
        for powers, c in terms.items():
            product = self.ring.constant(Fraction(int(c.p), int(c.q)))
            for name, e in zip(self.constants, powers, strict=True):
                product = product * self.ring[name] ** e
            total = total + product
        return total


def _solved(ring: Ring, rows: Iterable[list[Polynomial]], n: int) -> list[Polynomial] | None:
    """The solution of n equations among the rows [coefficients (n), right side]; None if it is no polynomial.

    Rows are taken as they come, reduced without division by those before, and passed over if nothing is left.
    """
    reduced: list[tuple[int, list[Polynomial]]] = []
    for row in rows:
        if len(reduced) == n:
            break
        for place, pivot in reduced:
            if row[place]:
                a, b = pivot[place], row[place]
                row = [x * a - y * b for x, y in zip(row, pivot, strict=True)]
        places = [k for k in range(n) if row[k]]
        if places:
            reduced.append((min(places, key=lambda k: len(row[k])), row))
    ring.check()
    solution = [ring.zero] * n
    for place, row in reversed(reduced):
        rest = row[-1] - sum((row[k] * solution[k] for k in range(n) if k != place), ring.zero)
        quotient = ring.quotient(rest, row[place])
        if quotient is None:
            return None
        solution[place] = quotient
    return solution


def _different_entries(forms: Forms) -> list[Polynomial]:
    """Return one half of the entries of a symmetric matrix."""
    M, n = forms.mass_matrix, len(forms.mass_matrix)
    return [*(M[i, j] for i in range(n) for j in range(i, n)), *forms.velocity_forces, *forms.gravity_forces]
