"""Blocks of bodies as leaves of the assembly, on lanes: each structure of a block is traced once.

Blocks are alike if their bodies are connected in the same way, by joints of the same kinds, with the same handles.
Numbers that are equal in all alike blocks are constants of their program, so that equal blocks cost as much as a single
one that is compiled separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkwright.compiler.front.kinds import JointKind, coordinates, groups_of, kind_of_each
from linkwright.compiler.ir.staged import Write
from linkwright.compiler.schedules.assembly.rematerialization import RATES
from linkwright.compiler.schedules.assembly.sides import expressions, response_of, symbols
from linkwright.dynamics.assembly.block import FORMS, BlockShape, BodyTerms, base_terms, block_shape, body_terms
from linkwright.dynamics.assembly.cost import cheapest_form, profile
from linkwright.dynamics.assembly.schedule import Schedule
from linkwright.dynamics.assembly.subassembly import angular_velocity, ground
from linkwright.expression.graph import Expr
from linkwright.model.tree import Model


class BlockVariant(NamedTuple):
    """Blocks that are the same program."""

    shape: BlockShape
    kinds: tuple[int, ...]
    """of each body's joint"""


def blocks_by_variant(model: Model, schedule: Schedule, chosen: Sequence[int]) -> dict[BlockVariant, list[int]]:
    """Return some of a schedule's blocks by variant."""
    kind_of = kind_of_each(groups_of(model)) if chosen else {}
    found: dict[BlockVariant, list[int]] = {}
    for number in chosen:
        variant = BlockVariant(block_shape(schedule, number), tuple(kind_of[k] for k in schedule.blocks[number]))
        found.setdefault(variant, []).append(number)
    return found


class TracedBlock:
    """A block's assembly and disassembly as expressions."""

    def __init__(self, model: Model, schedule: Schedule, still: bool, variant: BlockVariant, blocks: Sequence[int]):
        shape, widths = variant.shape, [link.motion.nv for link in model.links]
        self.handles = len(shape.handles)
        self.kinds: list[JointKind] = []
        """of each body of a block, all in one graph"""
        for number, alike in enumerate(zip(*(schedule.blocks[block] for block in blocks), strict=True)):
            (group,) = groups_of(model, alike, by_zeros=False)
            self.kinds.append(group.kind(self.kinds[0] if self.kinds else None, number))
        self.graph = self.kinds[0].graph
        bodies: list[BodyTerms] = []
        for number, (parent, kind) in enumerate(zip(shape.parents, self.kinds, strict=True)):
            link, (q, v, tau) = kind.link, coordinates(kind, number, still)
            T = link.transform(q)
            w_parent = bodies[parent].w if parent >= 0 else np.zeros(3)
            if shape.floating and number == 0:
                w = np.zeros(3) if still else symbols(kind, "own", 3)
                bodies.append(base_terms(body_terms(link, T, q, v, tau, w_parent, w, np.zeros(6))))
            else:
                w = angular_velocity(link, w_parent, T, q, v)
                bodies.append(body_terms(link, T, q, v, tau, w_parent, w, np.zeros(6)))
        form = FORMS[cheapest_form(profile(schedule, blocks[0], widths), self.handles)]
        base = np.zeros(6) if still else ground(model.gravity).bias
        made, kept = form.assemble(shape, tuple(bodies), base)
        outer = symbols(self.kinds[0], "outer", 6 * self.handles)
        self.result = response_of(self.graph, made)
        self.torn: list[tuple[Write, Expr]] = []
        """the accelerations of its joints; a base's own joint is joined later"""
        for number, a in enumerate(form.split(shape, tuple(bodies), base, kept, outer)):
            if not (shape.floating and number == 0):
                self.torn += [(Write(RATES, k, number), x) for k, x in enumerate(expressions(self.graph, a))]
