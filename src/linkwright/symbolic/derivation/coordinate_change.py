"""Other coordinates: q = f(y), and what that makes of equations (Goldstein, Poole & Safko 2002, §1.4).

With v = J(y) ẏ the mass matrix becomes Jᵀ M J, the velocity forces Jᵀ (h + M J̇ ẏ), forces Jᵀ g, and Christoffel's
matrix Jᵀ (C J + M J̇), so that Ṁ − 2C stays skew-symmetric. Angles are sums of whole multiples of the new ones, and of
π/12, so that their sines stay polynomials; displacements are any polynomials in lengths, sines and cosines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import ArgumentError, ExpressionError, InputError
from linkwright.expression.polynomials.factors import determinant
from linkwright.expression.polynomials.polynomial import Polynomial, Ring
from linkwright.symbolic.derivation.coordinates import Coordinates
from linkwright.symbolic.derivation.given.expression_parser import Evaluation, Ratio, SyntaxNode, names_in, trees, whole
from linkwright.symbolic.derivation.plan import DerivationPlan


class LocalCoordinateChange(NamedTuple):
    """A change of coordinates at a state: numbers, polynomials or expressions."""

    q: np.ndarray
    """the mechanism's own coordinates (nq,)"""
    v: np.ndarray
    """and velocities (nv,)"""
    J: np.ndarray
    """(nv, nv): v = J ẏ"""
    J_dot: np.ndarray
    """its rate"""
    rates: np.ndarray
    """ẏ (nv,)"""

    def changed(self, letter: str, value: Callable[[str], Any]) -> Any:
        """A quantity in the new coordinates, from the values of those in the mechanism's own."""
        J, X = self.J, value(letter)
        if letter == "M":
            return J.T @ X @ J
        if letter == "h":
            return J.T @ (X + value("M") @ (self.J_dot @ self.rates))
        if letter == "C":
            return J.T @ (X @ J + value("M") @ self.J_dot)
        if letter in ("g", "D", "K"):
            return J.T @ X
        if letter in ("A", "J", "J_c", "A_G"):
            return X @ J
        if letter == "b":
            return X + value("A") @ (self.J_dot @ self.rates)
        if letter == "J_dot":
            return X @ J + value("J") @ self.J_dot
        return (
            X  # energies, places, twists, momentum; and G, for coordinates that change have their rates as velocities
        )


@dataclass(frozen=True)
class CoordinateChange:
    """Coordinates of a mechanism as functions of others."""

    own: Coordinates
    coordinates: Coordinates
    """the new ones, those that stay among them"""
    functions: tuple[tuple[str, SyntaxNode], ...]
    """of each coordinate that changes"""
    constants: tuple[str, ...]
    """the parameters in them"""

    def values(self, ring: Ring) -> np.ndarray:
        """The mechanism's own coordinates (nq,), as elements of a ring that has the new ones."""
        functions, evaluation = dict(self.functions), Evaluation(ring, lambda name: whole(ring[name]))
        made = np.empty(len(self.own.q), dtype=object)
        for k, name in enumerate(self.own.q):
            made[k] = evaluation.value(functions[name]).numerator if name in functions else ring[name]
        return made

    def local(self, ring: Ring) -> LocalCoordinateChange:
        """The change on polynomials."""
        q, n = self.values(ring), len(self.own.v)
        rates = np.array([ring[name] for name in self.coordinates.v], dtype=object)
        J, J_dot = np.empty((n, n), dtype=object), np.empty((n, n), dtype=object)
        J[:], J_dot[:] = ring.zero, ring.zero
        J[np.diag_indices(n)] = ring.one
        moving = [(j, name) for j, name in enumerate(self.coordinates.v) if name.removesuffix("_dot") in self._scalars]
        in_time = {name.removesuffix("_dot"): rates[j] for j, name in moving}
        for name, _ in self.functions:
            i, p = self.own.v.index(f"{name}_dot"), q[self.own.q.index(name)]
            for j, rate in moving:
                J[i, j] = ring.derivative(p, rate.removesuffix("_dot"))
                J_dot[i, j] = ring.rate(J[i, j], in_time)
        ring.check()
        return LocalCoordinateChange(q, ring.array(J @ rates), J, J_dot, rates)

    @property
    def _scalars(self) -> set[str]:
        """The new coordinates whose velocities are their rates."""
        return {name for name in self.coordinates.q if f"{name}_dot" in self.coordinates.v}

    def determinant(self, ring: Ring) -> Polynomial:
        """det J: where it is zero the new coordinates are singular."""
        return determinant(ring, self.local(ring).J)


def ring_of(
    own: Coordinates, plan: DerivationPlan, more_angles: Iterable[str], more: Iterable[str], names: Iterable[str]
) -> Ring:
    """Return a ring for a change of coordinates: with parameters, coordinates and velocities."""
    fours = sum(own.quaternions, ())
    angles = list(dict.fromkeys([*plan.angle_names, *more_angles]))
    others = [name for name in (*plan.values, *more, *names) if name not in angles and name not in fours]
    return Ring(angles, own.quaternions, list(dict.fromkeys(others)))


def change_of(own: Coordinates, plan: DerivationPlan, given: Sequence[tuple[str, SyntaxNode]]) -> CoordinateChange:
    """The change that is given: the mechanism's coordinates by new ones, or new ones by the mechanism's (affine).

    Raises :class:`InputError` where there is none: singular, not to be inverted, or no polynomial.
    """
    functions = dict(given)
    inside = [name for name in functions if name in own.q]
    if inside and len(inside) < len(functions):
        raise InputError(
            "other coordinates are given either as functions of the mechanism's, {'phi': 'theta1 + theta2', …}, or the "
            f"mechanism's as functions of them, {{'theta1': 'phi', …}}; {', '.join(functions)} are of both kinds"
        )
    new: list[str] = []
    if not inside:
        _check_known(own, plan, functions)
        new, functions = list(functions), _inverted(own, plan, functions)
    for name in functions:
        if f"{name}_dot" not in own.v:
            raise InputError(
                f"{name} cannot be replaced: its rate is no velocity of {plan.model.name!r} (v is not its rate)"
            )
    functions = {name: functions[name] for name in own.q if name in functions}
    stay = [name for name in own.q if name not in functions]
    used = dict.fromkeys(name for node in functions.values() for name in names_in(node))
    found = new or [name for name in used if name not in plan.values and name not in stay and name != "pi"]
    if fixed := [name for name in used if name in stay and f"{name}_dot" not in own.v]:
        raise InputError(f"{fixed[0]} is no coordinate whose rate is a velocity; others cannot be functions of it")
    _check_names(own, plan, found, stay)
    if len(found) != len(functions):
        raise InputError(
            f"{len(functions)} coordinates ({', '.join(functions)}) are given by {len(found)} others "
            f"({', '.join(found) or 'none'}); there must be as many"
        )
    follow = dict(zip(functions, found, strict=True))
    q = tuple(follow.get(name, name) for name in own.q)
    v = tuple(f"{follow[name[:-4]]}_dot" if name[:-4] in follow and name.endswith("_dot") else name for name in own.v)
    a = tuple(f"{one.removesuffix('_dot')}_ddot" if one.endswith("_dot") else f"{one}_dot" for one in v)
    turned = {name for one, node in functions.items() for name in _turned(node, one in own.angles)}
    angles = tuple(name for name in q if name in turned or (name in stay and name in own.angles))
    coordinates = Coordinates(q, v, a, angles, own.quaternions)
    constants = tuple(name for name in used if name in plan.values)
    if other := [name for name in constants if name not in plan.rigid_names]:
        raise InputError(f"coordinates are functions of others and of lengths and the like, not of {other[0]}")
    change = CoordinateChange(own, coordinates, tuple(functions.items()), constants)
    ring = ring_of(own, plan, angles, q, v)
    _check_functions(change, plan, ring)
    if not change.determinant(ring):
        raise InputError(
            "the new coordinates are singular everywhere: "
            f"{', '.join(found)} do not determine how {', '.join(functions)} move (their Jacobian has no inverse)"
        )
    return change


def given_of(coordinates: Mapping[str, Any]) -> tuple[tuple[str, SyntaxNode], ...]:
    """Return given coordinates, text or SymPy expressions, as syntax trees."""
    if not isinstance(coordinates, Mapping) or not coordinates:
        raise ArgumentError(f"coordinates is a dict, such as {{'phi1': 'theta1', …}}; got {coordinates!r}")
    found = []
    for name, typed in coordinates.items():
        node, right = trees(typed)
        if not isinstance(name, str) or right is not None:
            raise InputError(f"coordinates maps names to expressions; got {name!r}: {typed!r}")
        found.append((name, node))
    return tuple(found)


def _turned(node: SyntaxNode, turns: bool) -> set[str]:
    """Return the names in a tree that are angles: terms of angles, and arguments of sines and cosines."""
    if node.operation == "name":
        return {str(node.of[0])} if turns else set()
    if node.operation == "number":
        return set()
    inner = turns or node.operation in ("sin", "cos", "tan")
    return {name for one in node.of for name in _turned(one, inner)}


def _check_names(own: Coordinates, plan: DerivationPlan, found: Sequence[str], stay: Sequence[str]) -> None:
    for name in found:
        taken = name in plan.values or name in stay or name in (plan.mass_letter, "pi", "tau")
        if taken or name in (*own.v, *own.a) or not re.fullmatch(r"[A-Za-z]+\d*", name):
            why = "is a letter of the equations already" if taken else "is no name for it"
            raise InputError(f"a coordinate has letters and a number for its name, such as phi1; {name!r} {why}")


def _check_known(own: Coordinates, plan: DerivationPlan, functions: Mapping[str, SyntaxNode]) -> None:
    for name, node in functions.items():
        for one in names_in(node):
            if one not in own.q and one not in plan.values and one != "pi":
                raise InputError(
                    f"{name} is given by {one!r}, which is no coordinate of {plan.model.name!r}; there are "
                    f"{', '.join(own.q)} (and the parameters)"
                )


def _check_functions(change: CoordinateChange, plan: DerivationPlan, ring: Ring) -> None:
    """That each is a polynomial, and those of angles sums that have polynomials as sines."""
    evaluation = Evaluation(ring, lambda name: whole(ring[name]))
    helical = {f"theta{k}" for k, joint in enumerate(plan.model.joints, start=1) if joint.motion.pitch}
    for name, node in change.functions:
        made = evaluation.value(node)
        if made.denominator != ring.one:
            raise InputError(f"{name} would be a fraction of the new coordinates, and no polynomial")
        if name in change.own.angles:
            try:
                made.numerator.cos()
            except ExpressionError:
                raise InputError(
                    f"the angle {name} would be {made.numerator!r}, which is no sum of whole multiples of the new "
                    "coordinates and of pi/12; its sine would be no polynomial"
                ) from None
            if name in helical and "pi" in made.numerator.used():
                raise InputError(f"{name} is the angle of a screw, which a shift by pi would move, too")


def _inverted(own: Coordinates, plan: DerivationPlan, functions: Mapping[str, SyntaxNode]) -> dict[str, SyntaxNode]:
    """The mechanism's coordinates as functions of new ones that are affine in them."""
    used = {name for node in functions.values() for name in names_in(node)}
    moved = [name for name in own.q if name in used]
    if len(moved) != len(functions):
        raise InputError(
            f"{len(functions)} new coordinates ({', '.join(functions)}) are given by {len(moved)} of the mechanism's "
            f"({', '.join(moved) or 'none'}); there must be as many"
        )
    ring = ring_of(own, plan, [name for name in own.q if name in own.angles], own.q, ())
    evaluation = Evaluation(ring, lambda name: whole(ring[name]))
    n = len(moved)
    rows: list[list[Fraction]] = []
    for k, (name, node) in enumerate(functions.items()):
        made: Ratio = evaluation.value(node)
        slopes = [ring.derivative(made.numerator, one) for one in moved]
        if made.denominator != ring.one or any(slope.used() for slope in slopes):
            raise InputError(
                f"{name} is no sum of multiples of {', '.join(moved)}, which could be solved for them; give the "
                "mechanism's coordinates as functions of the new ones: {'" + moved[0] + "': …}"
            )
        unit = [Fraction(int(j == k)) for j in range(n)]
        rows.append([*(next((c for _, c in slope), Fraction(0)) for slope in slopes), *unit])
    for k in range(n):  # Gauss and Jordan
        pivot = next((j for j in range(k, n) if rows[j][k]), None)
        if pivot is None:
            raise InputError(
                f"the new coordinates are singular: {', '.join(functions)} are not independent functions of "
                f"{', '.join(moved)}"
            )
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for j in range(n):
            if j != k:
                rows[j] = [x - rows[j][k] * y for x, y in zip(rows[j], rows[k], strict=True)]
    none = dict.fromkeys(moved, SyntaxNode("number", (Fraction(0),)))
    shifted = [
        SyntaxNode("+", (SyntaxNode("name", (name,)), SyntaxNode("-", (_put(node, none),))))
        for name, node in functions.items()
    ]
    return {
        name: SyntaxNode(
            "+",
            tuple(SyntaxNode("*", (SyntaxNode("number", (x,)), one)) for x, one in zip(row[n:], shifted, strict=True)),
        )
        for name, row in zip(moved, rows, strict=True)
    }


def _put(node: SyntaxNode, known: Mapping[str, SyntaxNode]) -> SyntaxNode:
    """A tree with others in place of names."""
    if node.operation == "name":
        return known.get(str(node.of[0]), node)
    if node.operation == "number":
        return node
    return SyntaxNode(node.operation, tuple(_put(one, known) for one in node.of))
