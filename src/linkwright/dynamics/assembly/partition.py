"""Partitions of the bodies into blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from linkwright.dynamics.inertias.massless import is_definite
from linkwright.errors import ArgumentError, InputError, ModelError, UnknownNameError
from linkwright.model.memo import kept
from linkwright.model.scale import some_configuration
from linkwright.model.tree import Model
from linkwright.spatial.arrays import is_symbolic
from linkwright.spatial.inertia import congruence

FLAT = 1e-14
"""A mass or moment of inertia below this fraction of the average is zero."""

NONE = 1e-100
"""kg, kg m²: smaller values cannot be inverted, since their products underflow."""

Partition = tuple[tuple[int, ...], ...]
"""bodies by block; in each block the body nearest the ground is first"""


def blocks_of(parents: Sequence[int], size: int, first: Collection[int] = ()) -> Partition:
    """Return blocks of at most ``size`` bodies, filled from the ground outward, depth first.

    ``parents`` are those of the bodies, parents first; -1 is the ground. The bodies ``first`` are the first of a block.
    """
    blocks: list[list[int]] = []
    block_of: list[int] = []
    for k, parent in enumerate(parents):
        if parent < 0 or k in first or len(blocks[block_of[parent]]) >= size:
            block_of.append(len(blocks))
            blocks.append([k])
        else:
            block_of.append(block_of[parent])
            blocks[block_of[k]].append(k)
    return tuple(map(tuple, blocks))


def partition_of(model: Model, partition: Any) -> Partition:
    """Return a partition from a largest block size, or from blocks as lists of bodies (or of the joints that move
    them).

    Bodies and joints are given by name or number. In a block every body but the first has its parent in the block, or
    all others are on the ground.
    """
    parents = [link.parent for link in model.links]
    if isinstance(partition, (int, np.integer)) and not isinstance(partition, bool):
        if partition < 1:
            raise InputError(f"a block has at least one body; got partition={partition}")
        return blocks_of(parents, int(partition))
    if isinstance(partition, str) or not isinstance(partition, Iterable):
        raise ArgumentError(f"partition is a number of bodies, or a list of lists of bodies; got {partition!r}")
    names = {joint.name: k for k, joint in enumerate(model.joints)}
    names |= {body.name: k for k, body in enumerate(model.bodies)}
    blocks = [tuple(sorted(_number(entry, names, len(parents)) for entry in _listed(block))) for block in partition]
    places: list[list[int]] = [[] for _ in parents]
    for number, block in enumerate(blocks):
        for body in block:
            places[body].append(number)
    wrong = [k for k, found in enumerate(places) if len(found) != 1]
    if wrong:
        texts = []
        for k in wrong[:4]:
            count = {0: "none", 2: "two"}.get(len(places[k]), str(len(places[k])))
            where = f" (numbers {', '.join(map(str, places[k]))})" if places[k] else ""
            texts.append(f"{model.bodies[k].name!r} is in {count}{where}")
        what = ", ".join([*texts, *["…"] * (len(wrong) > 4)])
        raise InputError(f"a partition has each of the {len(parents)} bodies of {model.name!r} in one block; {what}")
    blocks = [block for block in blocks if block]
    for block in blocks:
        tops = [k for k in block if parents[k] not in block]
        if len(tops) > 1 and any(parents[k] >= 0 for k in tops):
            apart = ", ".join(repr(model.bodies[k].name) for k in tops)
            raise InputError(f"the bodies of a block hang together; {apart} do not")
    return tuple(sorted(blocks))


def _listed(block: Any) -> Iterable[Any]:
    if isinstance(block, str) or not isinstance(block, Iterable):
        raise ArgumentError(f"partition is a list of lists of bodies; got {block!r} in it")
    return block


def _number(entry: Any, names: dict[str, int], count: int) -> int:
    if isinstance(entry, str):
        if entry not in names:
            raise UnknownNameError("body or joint", entry, names)
        return names[entry]
    if not isinstance(entry, (int, np.integer)) or isinstance(entry, bool) or not 0 <= entry < count:
        raise ArgumentError(f"a body is given by its name or its number below {count}; got {entry!r}")
    return int(entry)


def require_inertia(model: Model, blocks: Partition | None = None, joined: Collection[int] = ()) -> None:
    """Raise :class:`ModelError` for a leaf whose inertia cannot be inverted: a body, or a block at its base.

    ``joined`` are the joints between blocks.
    """
    weak = flat_bodies(model) if blocks is None else weak_blocks(model, blocks, joined)
    if weak:
        names = ", ".join(repr(model.bodies[k].name) for k in weak[:8]) + (", …" if len(weak) > 8 else "")
        raise ModelError(
            f"assembly inverts the inertia of every body; in {model.name!r} {names} lacks mass or inertia about some "
            'axis: use method "hybrid" with that body in a block, "articulated" or "composite"'
        )


@kept
def flat_bodies(model: Model) -> list[int]:
    """Return the bodies without inertia along or about some axis; none for symbols."""
    return [k for k, link in enumerate(model.links) if _flat(link.rigid_inertia.matrix())]


def weak_blocks(model: Model, blocks: Partition, joined: Collection[int]) -> list[int]:
    """Return bases of blocks without inertia along some axis.

    The test is at a random configuration; only mechanisms with a flat body have such bases.
    """
    if not flat_bodies(model) or any(is_symbolic(link.placement, link.armature) for link in model.links):
        return []
    x = model.coordinates(some_configuration(model))
    weak = []
    for block in blocks:
        received = {k: np.zeros((6, 6)) for k in block}
        for k in reversed(block):
            link, S = model.links[k], model.links[k].motion_subspace(x[k])
            I = link.rigid_inertia.matrix() + received[k]
            if k in joined:
                if _flat(I):
                    weak.append(k)
                continue
            D = S.T @ I @ S + np.diag(link.armature)
            could_be = np.trace(I[:3, :3]) * (S[:3] ** 2).sum(axis=0) + np.trace(I[3:, 3:]) * (S[3:] ** 2).sum(axis=0)
            if not is_definite(D, could_be + link.armature):
                weak.append(k)
            elif link.parent >= 0:
                I_a = I - I @ S @ np.linalg.solve(D, S.T @ I)
                received[link.parent] = received[link.parent] + congruence(I_a, link.transform(x[k]))
    return weak


def _flat(I: Any) -> bool:
    """Return whether an inertia (6, 6) of numbers is singular, by its mass and its moments about the center of mass."""
    if is_symbolic(I):
        return False
    M, H, J = I[:3, :3], I[3:, :3], I[3:, 3:]
    if np.linalg.eigvalsh(M)[0] <= max(FLAT * np.trace(M), NONE):
        return True
    return bool(np.linalg.eigvalsh(J - H @ np.linalg.solve(M, H.T))[0] <= max(FLAT * np.trace(J), NONE))
