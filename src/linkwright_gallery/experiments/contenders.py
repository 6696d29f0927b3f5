"""The methods that are compared: functions of (q, v, tau) that give accelerations, each compiled for a mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import SINCOS_COST
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.schedules.selection import program
from linkwright.dynamics.assembly.method import assemble, by_assembly
from linkwright.dynamics.assembly.partition import partition_of
from linkwright.dynamics.assembly.schedule import Schedule, schedule_of
from linkwright.dynamics.assembly.subassembly import (
    JointTerms,
    LeafInertia,
    LoopTerms,
    Subassembly,
    angular_velocity,
    ground,
    joint_terms,
    leaf,
    leaf_inertia,
)
from linkwright.model.elements import Link
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_zero, mirror
from linkwright.spatial.linalg import factorize, solve_above, solve_below
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import pose_of_rows
from linkwright_gallery.experiments.written import WrittenBlock, written_out


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
    """M(q) v̇ = τ − h − g with every entry written out as a sum of products of sines and cosines, solved densely.

    In the form, products or multiple angles, that takes fewer operations. Raises :class:`TooLargeError` where that is
    too long.
    """
    return written_blocks(model, len(model.links))


def written_blocks(model: Model, block: int) -> CompiledMethod:
    """Return the paper's method: written-out blocks of ``block`` links, joined by *numeric* assembly.

    The numbers of the blocks are constants of the code, as with :func:`lagrange`; the joins depend on the types of
    joints only, as with :func:`general_assembly`: placements, single bodies and zeros of the blocks' interfaces are
    given with every call.
    """
    made = schedule_of(model, "serial", partition_of(model, block))
    of_blocks: dict[int, WrittenBlock] = {}
    for number, members in enumerate(made.blocks):
        if len(members) > 1 or members[0] not in made.joined:
            of_blocks[number] = written_out(model, members, made.handles[number], _floats(model, made, number))
    constants = np.array([_numbers(link) for link in model.links])

    def traced(form: str) -> Any:
        def accelerations(q: Any, v: Any, tau: Any, bodies: Any, zero: Any) -> Any:
            links = tuple(_placed(link, x) for link, x in zip(model.links, bodies, strict=True))
            leaf_inertias = [_inertia(x) for x in bodies]
            return _joined(model, links, leaf_inertias, made, of_blocks, form, (q, v, tau), zero[0])

        shapes = {"q": model.nq, "v": model.nv, "tau": model.nv, "bodies": constants.shape, "zero": 1}
        return program(bind(accelerations, None, shapes))

    forms = dict.fromkeys(form for one in of_blocks.values() for form in one.forms)
    shortest = min(map(traced, forms), key=_cost)
    return CompiledMethod(Kernel(shortest), (constants, np.zeros(1)))


def _cost(one: Any) -> int:
    """Operations, a sine and cosine counted as the instructions they take."""
    total: int = one.operations.total + SINCOS_COST * one.operations.sincos
    return total


def _floats(model: Model, made: Schedule, number: int) -> bool:
    first = made.blocks[number][0]
    return first in made.joined or model.joints[first].motion.floating


class _Solved(NamedTuple):
    """Data of a block for its disassembly, as :class:`~linkwright.dynamics.assembly.block.ByComposite`."""

    L: Array
    inverses: Array
    Z: Array
    z: Array


def _joined(
    model: Model,
    links: Sequence[Link],
    inertias: Sequence[LeafInertia],
    made: Schedule,
    of_blocks: Mapping[int, WrittenBlock],
    form: str,
    state: tuple[Array, Array, Array],
    zero: Any,
) -> Array:
    """v̇ (nv,): Φ = J M⁻¹ Jᵀ and b of every block from what is written out, assembled, then v̇ = M⁻¹(r + Jᵀ f).

    ``links`` and ``inertias``: as the joins and the single bodies see them; ``zero``: what to them is any number.
    """
    q, v, tau = model.coordinates(state[0]), model.rates(state[1]), model.rates(state[2])
    turning: dict[int, Array] = {-1: np.zeros(3)}  # of handles, by body
    leaves: list[Subassembly] = []
    solved: dict[int, _Solved] = {}
    terms: dict[int, JointTerms | LoopTerms] = {}
    for number, members in enumerate(made.blocks):
        base, link = members[0], links[members[0]]
        w = np.zeros(3)
        if base in made.joined:
            T, w_parent = link.transform(q[base]), turning[link.parent]
            terms[base] = joint_terms(link, T, q[base], v[base], tau[base], w_parent)
            w = angular_velocity(link, w_parent, T, q[base], v[base])
        elif model.joints[base].motion.floating:
            w = v[base][3:]
        if number not in of_blocks:
            turning[base] = w
            leaves.append(leaf(inertias[base], w, np.zeros(6)))
            continue
        floats = _floats(model, made, number)
        hinges = members[1:] if floats else members
        rates = [*(w if floats else ()), *(v[k][0] for k in hinges)]
        known = of_blocks[number].at([q[k][0] for k in hinges], rates, form)
        on_base = () if not floats else np.zeros(6) if base in made.joined else tau[base]
        efforts = np.concatenate([on_base, *(tau[k] for k in hinges)])
        L, inverses = factorize(known.mass)
        Z, z = solve_above(L, known.jacobians.T), solve_above(L, efforts - known.bias)
        solved[number] = _Solved(L, inverses, Z, z)
        ZD = Z.T * inverses
        leaf_made = mirror(ZD @ Z), known.drifts + ZD @ z
        leaves.append(Subassembly(*(_numeric(x, zero) for x in leaf_made)))
        for body, w_body in zip(made.handles[number], _numeric(known.turning, zero).reshape(-1, 3), strict=True):
            turning[body] = w_body
    found = assemble(made, leaves, ground(model.gravity), terms)
    accelerations = dict(found.accelerations)
    for number, kept in solved.items():
        members = made.blocks[number]
        x = solve_below(kept.L, kept.inverses * (kept.z + kept.Z @ found.leaf_forces.get(number, np.zeros(0))))
        if _floats(model, made, number):
            if members[0] not in made.joined:
                accelerations[members[0]] = _of_base(model, members[0], q[members[0]], v[members[0]], x[:6])
            members, x = members[1:], x[6:]
        accelerations.update((k, x[place : place + 1]) for place, k in enumerate(members))
    return model.assemble([accelerations[k] for k in range(len(model.links))])


def _of_base(model: Model, base: int, q: Array, v: Array, apparent: Array) -> Array:
    """The rate (6,) of a free base's twist, from its origin's acceleration seen from a ground that falls."""
    R = model.links[base].transform(q)[:3, :3]
    linear = apparent[:3] + R.T @ model.gravity - skew(v[3:]) @ v[:3]
    return np.concatenate([linear, apparent[3:]])


def _numeric(x: Array, zero: Any) -> Array:
    """Entries that are known to vanish, as a number that is given: what follows must not profit from them."""
    return np.array([zero if is_zero(entry) else entry for entry in np.ravel(x)]).reshape(np.shape(x))


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
