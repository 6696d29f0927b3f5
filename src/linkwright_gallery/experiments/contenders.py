"""The methods that are compared: functions of (q, v, tau) that give accelerations, each compiled for a mechanism."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.kernel import Kernel, compile
from linkwright.dynamics.assembly.method import by_assembly
from linkwright.dynamics.assembly.subassembly import LeafInertia, leaf_inertia
from linkwright.model.elements import Link
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, mirror
from linkwright.spatial.transform import pose_of_rows


class CompiledMethod(NamedTuple):
    """A method, compiled for a mechanism."""

    kernel: Kernel
    constants: tuple[Array, ...] = ()
    """what it is given after (q, v, tau)"""

    def __call__(self, q: Array, v: Array, tau: Array) -> Array:
        """The accelerations of one row or a batch."""
        result: Array = self.kernel(q, v, tau, *self.constants)
        return result


def lagrange(model: Model) -> CompiledMethod:
    """M(q) v̇ = τ − h − g with every entry written out in sines and cosines, solved densely; all numbers are known.

    Raises :class:`TooLargeError` where that is too long.
    """
    return method(model, "hybrid", partition=[range(len(model.links))], blocks="lagrange")


def written_blocks(model: Model, block: int) -> CompiledMethod:
    """Return the paper's method: written-out blocks of ``block`` links, joined by numeric assembly.

    Masses and lengths are given with every call, as with :func:`general_assembly`: the program serves every mechanism
    of the structure.
    """
    kernel = compile(
        dynamics.forward_dynamics,
        model,
        method="hybrid",
        partition=block,
        blocks="lagrange",
        parameters=["structure"],
    )
    return CompiledMethod(kernel, (dynamics.structure_parameters(model, block),))


def method(model: Model, name: str, **options: Any) -> CompiledMethod:
    """A method of ``forward_dynamics``, compiled for the mechanism: what is zero or one in it folds away."""
    return CompiledMethod(compile(dynamics.forward_dynamics, model, method=name, **options))


def general_assembly(model: Model) -> CompiledMethod:
    """Return assembly–disassembly compiled for arbitrary bodies and placements, which are given with every call.

    This is the work of a program without code generation: only joint types and gravity are constants.
    """

    def accelerations(q: Any, v: Any, tau: Any, bodies: Any) -> Any:
        links = tuple(_placed(link, x) for link, x in zip(model.links, bodies, strict=True))
        inertias = [_inertia(x) for x in bodies]
        return by_assembly(replace(model, links=links), q, v, tau, inertias=inertias)

    constants = np.array([_numbers(link) for link in model.links])
    kernel = compile(accelerations, q=model.nq, v=model.nv, tau=model.nv, bodies=constants.shape)
    return CompiledMethod(kernel, (constants,))


def _numbers(link: Link) -> Array:
    """Return the numbers in which bodies with equal joints differ: joint pose, center of mass, moments, compliance."""
    compliance, c, J = leaf_inertia(link)
    return np.concatenate([link.placement[:3].ravel(), c, J[np.triu_indices(3)], compliance[np.triu_indices(6)]])


def _placed(link: Link, x: Any) -> Link:
    return replace(link, placement=pose_of_rows(x[:12]))


def _inertia(x: Any) -> LeafInertia:
    return LeafInertia(_symmetric(x[21:], 6), x[12:15], _symmetric(x[15:21], 3))


def _symmetric(entries: Any, n: int) -> Any:
    """A matrix (n, n) from its upper triangle, row by row."""
    places = np.zeros((n, n), dtype=int)
    places[np.triu_indices(n)] = range(n * (n + 1) // 2)
    return entries[mirror(places)]
