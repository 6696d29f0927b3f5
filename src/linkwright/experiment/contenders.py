"""The methods that are compared: functions of (q, v, tau) that give accelerations, each compiled for a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.kernel import Kernel, compile
from linkwright.dynamics.assembly.method import by_assembly
from linkwright.dynamics.assembly.subassembly import LeafInertia, leaf_inertia
from linkwright.equations import equations
from linkwright.equations.result import Equations
from linkwright.errors import TooLargeError
from linkwright.expression.harmonics import Wave, terms_of
from linkwright.expression.polynomial import Polynomial
from linkwright.model.tree import Link, Model
from linkwright.spatial.arrays import Array, mirror
from linkwright.spatial.linalg import solve_symmetric

MOST_TERMS = 20_000
"""Terms of M, h and g up to which they are written out; more make programs of more than a megabyte."""


class Contender(NamedTuple):
    """A method, compiled for a mechanism."""

    kernel: Kernel
    constants: tuple[Array, ...] = ()
    """what it is given after (q, v, tau)"""

    def __call__(self, q: Array, v: Array, tau: Array) -> Array:
        """The accelerations of one row or a batch."""
        result: Array = self.kernel(q, v, tau, *self.constants)
        return result


def lagrange(model: Model) -> Contender:
    """M(q) v̇ = τ − h − g with every entry written out as a sum of products of sines and cosines, solved densely.

    In the form, sums of products or multiple angles, that takes fewer operations. Raises :class:`TooLargeError`
    above MOST_TERMS terms.
    """
    made = equations(model, "numbers")
    terms = made.canonical.terms
    if terms > MOST_TERMS:
        raise TooLargeError(f"M, h and g of {model.name!r} have {terms} terms written out, more than {MOST_TERMS}")
    kernels = [compile(_written(made, form), q=model.nq, v=model.nv, tau=model.nv) for form in ("products", "angles")]
    return Contender(min(kernels, key=lambda kernel: kernel.operations.total + 30 * kernel.operations.sincos))


def _written(made: Equations, form: str) -> Callable[[Any, Any, Any], Any]:
    names = made.coordinates

    def accelerations(q: Any, v: Any, tau: Any) -> Any:
        values = dict(zip((*names.q, *names.v), (*q, *v), strict=True))

        def value(p: Polynomial) -> Any:
            return sum(_product(term.coefficient, term.factors, values) for term in terms_of(p, form))

        M, h, g = made.canonical
        upper = np.array([[value(p) if i <= j else 0.0 for j, p in enumerate(row)] for i, row in enumerate(M)])
        full = np.array([[upper[min(i, j), max(i, j)] for j in range(len(M))] for i in range(len(M))])
        bias = np.array([value(a) + value(b) for a, b in zip(h, g, strict=True)])
        return solve_symmetric(full, tau - bias)

    return accelerations


def _product(coefficient: Any, factors: Any, values: dict[str, Any]) -> Any:
    x: Any = float(coefficient)
    for atom, power in factors:
        if isinstance(atom, Wave):
            angle = sum(n * values[name] for name, n in atom.angles)
            factor = np.cos(angle) if atom.function == "cos" else np.sin(angle)
        else:
            factor = {"sqrt2": 2.0**0.5, "sqrt3": 3.0**0.5, "1/pi": 1.0 / np.pi}.get(atom) or values[atom]
        for _ in range(power):
            x = x * factor
    return x


def method(model: Model, name: str, **options: Any) -> Contender:
    """A method of ``forward_dynamics``, compiled for the mechanism: what is zero or one in it folds away."""
    return Contender(compile(dynamics.forward_dynamics, model, method=name, **options))


def general_assembly(model: Model) -> Contender:
    """Assembly–disassembly compiled for any bodies and placements, which are given with every call.

    What a program does that is no generator of code: nothing of the mechanism but its joints and gravity is known.
    """

    def accelerations(q: Any, v: Any, tau: Any, bodies: Any) -> Any:
        links = tuple(_placed(link, x) for link, x in zip(model.links, bodies, strict=True))
        inertias = [_inertia(x) for x in bodies]
        return by_assembly(replace(model, links=links), q, v, tau, inertias=inertias)

    constants = np.array([_numbers(link) for link in model.links])
    kernel = compile(accelerations, q=model.nq, v=model.nv, tau=model.nv, bodies=constants.shape)
    return Contender(kernel, (constants,))


def _numbers(link: Link) -> Array:
    """What differs between bodies with equal joints: the pose of the joint, centre of mass, moments, compliance."""
    compliance, c, J = leaf_inertia(link)
    return np.concatenate([link.placement[:3].ravel(), c, J[np.triu_indices(3)], compliance[np.triu_indices(6)]])


def _placed(link: Link, x: Any) -> Link:
    return replace(link, placement=np.concatenate([x[:12].reshape(3, 4), np.array([[0.0, 0.0, 0.0, 1.0]])]))


def _inertia(x: Any) -> LeafInertia:
    return LeafInertia(_symmetric(x[21:], 6), x[12:15], _symmetric(x[15:21], 3))


def _symmetric(entries: Any, n: int) -> Any:
    """A matrix (n, n) from its upper triangle, row by row."""
    places = np.zeros((n, n), dtype=int)
    places[np.triu_indices(n)] = range(n * (n + 1) // 2)
    return entries[mirror(places)]
