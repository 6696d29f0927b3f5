"""Equations of a block written out for its structure, with letters for masses and lengths (`equations.md` §8).

The equations are those of :func:`linkwright.dynamics.assembly.block.block_equations`, computed once for each structure
on polynomials in sines, cosines, rates, lengths and inertial parameters. They are stored in nested form (Horner): rates
outside, then the sines and cosines of the hinges from the base outward, then lengths, and masses innermost. Equal
polynomials in it are computed once, also if they differ in a factor. The innermost ones depend on masses and lengths
only: Σ m l² and the like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from linkwright.dynamics.assembly.block import (
    BlockEquations,
    BlockShape,
    BodyTerms,
    base_terms,
    block_equations,
    body_terms,
)
from linkwright.dynamics.assembly.normal_form import (
    INERTIA,
    OCCURRING,
    TWISTS,
    AxisPlacement,
    BlockStructure,
    letter_names,
)
from linkwright.dynamics.assembly.subassembly import angular_velocity
from linkwright.errors import TooLargeError
from linkwright.expression.polynomials.polynomial import Polynomial, Ring
from linkwright.model.elements import Link
from linkwright.model.joints.joint import Prismatic, Revolute
from linkwright.spatial.arrays import Array, mirror
from linkwright.spatial.inertia import of_parameters

TERM_LIMIT = 20_000
"""Largest number of terms of one polynomial; more make programs of more than a megabyte."""

END = 1 << 30
"""The end of a monomial, above all variables."""

Terms = dict[tuple[int, ...], Fraction]
"""Coefficients by monomials: the variables in the order of nesting, each as often as its exponent, and the end.

The leading monomial is the least.
"""


class NestedPolynomials:
    """Polynomials in nested form, with common parts computed once.

    Variables are in the order of nesting, outermost first.
    """

    def __init__(self, variables: Sequence[str]):
        self.variables = tuple(variables)
        self._steps: list[tuple[int, Fraction, int, int]] = []
        """(i, f, j, k): node j times variable k, plus f times node i; −1 is the number 1, −2 is zero"""
        self._known: dict[frozenset[tuple[tuple[int, ...], int, int]], int] = {}

    def node(self, p: Polynomial) -> tuple[Fraction, int]:
        """Return a polynomial as a factor and a node."""
        place = {name: k for k, name in enumerate(self.variables)}
        terms: Terms = {}
        for factors, coefficient in p:
            variables = sorted(place[name] for name, exponent in factors for _ in range(exponent))
            terms[(*variables, END)] = coefficient
        return self._node(terms)

    def _node(self, terms: Terms) -> tuple[Fraction, int]:
        if not terms:
            return Fraction(0), -2
        first = min(terms)
        leading, outer = terms[first], first[0]
        if outer == END:
            return leading, -1
        if leading != 1:
            terms = {monomial: c / leading for monomial, c in terms.items()}
        key = frozenset((monomial, c.numerator, c.denominator) for monomial, c in terms.items())
        if (known := self._known.get(key)) is not None:
            return leading, known
        within: Terms = {}
        rest: Terms = {}
        for monomial, c in terms.items():
            if monomial[0] == outer:
                within[monomial[1:]] = c
            else:
                rest[monomial] = c
        _, inner = self._node(within)  # its leading coefficient is 1
        factor, added = self._node(rest)
        self._steps.append((added, factor, inner, outer))
        self._known[key] = len(self._steps) - 1
        return leading, self._known[key]

    def values(self, values: Mapping[str, Any]) -> list[Any]:
        """Return the values of all nodes; the last two are zero and 1."""
        given: list[Any] = [values.get(name) for name in self.variables]
        found: list[Any] = []
        for added, factor, inner, outer in self._steps:
            x: Any = given[outer] if inner == -1 else given[outer] * found[inner]
            if added == -1:
                x = x + float(factor)
            elif added >= 0 and factor == -1:
                x = x - found[added]
            elif added >= 0:
                x = x + (found[added] if factor == 1 else float(factor) * found[added])
            found.append(x)
        return [*found, 0.0, 1.0]

    def __len__(self) -> int:
        return len(self._steps)


class WrittenEquations:
    """Equations of all blocks of one structure."""

    def __init__(self, structure: BlockStructure, ring: Ring, equations: BlockEquations):
        self.structure = structure
        n = len(structure.parents)
        rates = [*(f"w{k}" for k in range(3)), *(f"v{k}" for k in range(n)), *(f"g{k}" for k in range(3))]
        angles = [name for k in range(n) for name in (f"cos(q{k})", f"sin(q{k})", f"x{k}")]
        lengths = [name for k in range(n) for name in (*letter_names("beta", k), f"b{k}", f"a{k}")]
        lengths += [name for k in range(n) for name in (*letter_names("alpha", k), f"d{k}", *letter_names("gamma", k))]
        order = [*rates, *angles, *lengths]
        self.nested = NestedPolynomials([*order, *(name for name in ring.names if name not in order)])
        self._parts = [self._nodes(ring.array(x)) for x in equations]

    def _nodes(self, x: Array) -> tuple[tuple[int, ...], list[tuple[float, int]]]:
        return x.shape, [(float(factor), node) for factor, node in map(self.nested.node, np.ravel(x))]

    def at(self, values: Mapping[str, Any]) -> BlockEquations:
        """Return the equations at values of the variables, numbers or symbols (:func:`letter_names`).

        ``cos(qk)`` and ``sin(qk)`` of hinge k (``xk`` of a slider), rates ``vk``, the angular velocity w0, w1, w2 of a
        floating base, the acceleration g0, g1, g2 of the ground, and the letters.
        """
        found = self.nested.values(values)

        def filled(shape: tuple[int, ...], nodes: list[tuple[float, int]]) -> Array:
            entries = [found[node] if factor == 1.0 else factor * found[node] for factor, node in nodes]
            return np.array(entries).reshape(shape)

        M, r, J, a_0 = (filled(*part) for part in self._parts)
        return BlockEquations(mirror(M), r, J, a_0)


@lru_cache(maxsize=256)
def written_equations(structure: BlockStructure) -> WrittenEquations:
    """Derive the equations of a structure; :class:`TooLargeError` if they are too long."""
    n = len(structure.parents)
    numbered = {name: [f"{name}{k}" for k in range(n)] for name in ("q", "beta", "alpha", "gamma")}
    others = [f"{name}{k}" for name in ("x", "v", "b", "a", "d") for k in range(n)]
    others += [f"{name}{k}" for name in ("w", "g") for k in range(3)]
    others += [f"{name}{k}" for k in range(n) for name in INERTIA]
    ring = Ring([name for names in numbered.values() for name in names], (), others, TERM_LIMIT)
    shape = BlockShape(structure.parents, structure.floating, structure.handles)
    bodies: list[BodyTerms] = []
    sums = structure.summed
    for k, (parent, joint) in enumerate(zip(structure.parents, structure.joints, strict=True)):
        kind = "base" if joint is None else joint.joint
        slides = kind == "slider"
        occurring = OCCURRING.get(kind, range(10))
        inertia = np.array([ring[f"{name}{k}"] if at in occurring else ring.zero for at, name in enumerate(INERTIA)])
        placement = np.eye(4) if joint is None else _placement(ring, k, joint.twist, joint.letters).pose()
        link = Link(parent, Prismatic() if slides else Revolute(), placement, of_parameters(inertia), np.zeros(1))
        w = np.array([ring[f"w{at}"] for at in range(3)])
        q, v = np.array([ring[f"{'x' if slides else 'q'}{k}"]]), np.array([ring[f"v{k}"]])
        if k in sums:
            q = q - ring[f"q{parent}"]
        T = placement if joint is None else link.transform(q)
        w_parent = bodies[parent].w if parent >= 0 else np.zeros(3)
        if joint is not None:
            w = angular_velocity(link, w_parent, T, q, v)
        terms = body_terms(link, T, q, v, np.zeros(1), w_parent, w, np.zeros(6))
        bodies.append(base_terms(terms) if joint is None else terms)
    g = np.concatenate([np.array([ring[f"g{at}"] for at in range(3)]), np.zeros(3)])
    found = block_equations(shape, tuple(bodies), g)
    try:
        return WrittenEquations(structure, ring, found)
    except TooLargeError as error:
        raise TooLargeError(
            f"the equations of a block of {n} bodies are too long to be written out ({error}): a smaller partition, or "
            "blocks='recursive'"
        ) from None


def _placement(ring: Ring, k: int, twist: str, letters: Sequence[str]) -> AxisPlacement:
    """Return the placement of a joint with generators of the ring for its letters."""
    values: dict[str, Any] = {"alpha": TWISTS.get(twist)}
    for letter in (*letters, *(("alpha",) if twist == "oblique" else ())):
        generators = tuple(ring[name] for name in letter_names(letter, k))
        values[letter] = generators if len(generators) == 2 else generators[0]
    return AxisPlacement(**values)
