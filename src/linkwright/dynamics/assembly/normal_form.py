"""Normal form of a mechanism and the structures of its blocks (`equations.md` §8).

The frame of a body on a hinge or slider may be turned about and moved along the joint's axis; the coordinate then has
an offset. With x along the common normal to the first next axis in the block, as in modified Denavit–Hartenberg
parameters (Khalil & Dombre 2002, ch. 3), the placement of a joint within a block is

    Rz(β) Tz(b) Tx(a) Rx(α) Tz(d) Rz(γ),

where β and b are needed only by the second and later joints of a body and on a base whose frame may not be turned. γ
of a hinge and d of a slider are offsets of its coordinate. The *structure* of a block is the shape of its tree, its
joint types, the twists α up to their class, and which of the lengths and angles occur. Mechanisms that differ in masses
and lengths only have the same structures.

Inertial parameters without separate effect are moved to the parent within a block, as by :meth:`Model.minimal`, in a
form that does not depend on their values: ten of a base, seven of a hinge (h_x, h_y, I_xx − I_yy, I_xy, I_xz, I_yz,
I_zz), four of a slider (m, h).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.assembly.block import block_shape
from linkwright.dynamics.assembly.schedule import GROUND, Schedule
from linkwright.dynamics.assembly.subassembly import LeafInertia
from linkwright.errors import InputError
from linkwright.model.elements import Link
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.inertia import RigidInertia
from linkwright.spatial.transform import inverse_pose, pose_matrix, split_pose

ANGLE = 1e-9
"""rad: axes are parallel or perpendicular up to this angle."""

LENGTH = 1e-12
"""Lengths below this fraction of the mechanism's are zero."""

ALMOST_PARALLEL = 1e-4
"""rad: the common normal of axes that are parallel up to such an angle is arbitrarily far away."""

TWISTS = {"parallel": (1.0, 0.0), "antiparallel": (-1.0, 0.0), "perpendicular": (0.0, 1.0)}
"""cos α and sin α of the twists that are constants of a structure; any other is "oblique"."""

OCCURRING = {"hinge": [1, 2, 4, 5, 7, 8, 9], "slider": [0, 1, 2, 3]}
"""Inertial parameters (of :meth:`RigidInertia.parameters`) that a joint in a block leaves to its body."""


INERTIA = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""Variables of the inertial parameters, before the number of the body in its block."""


def letter_names(letter: str, k: int) -> tuple[str, ...]:
    """Return the variables of a letter of body k in its block: of an angle its cosine and sine."""
    return (f"cos({letter}{k})", f"sin({letter}{k})") if letter in ("beta", "alpha", "gamma") else (f"{letter}{k}",)


class JointStructure(NamedTuple):
    """Structure of the placement of a joint within a block."""

    joint: str
    """ "hinge" or "slider\""""
    twist: str = "parallel"
    """class of α: "parallel", "antiparallel", "perpendicular" or "oblique\""""
    letters: tuple[str, ...] = ()
    """those of β, b, a, d (hinge) or γ (slider) that may differ from zero"""


class BlockStructure(NamedTuple):
    """Structure of a block, on which its equations depend in addition to masses and lengths."""

    parents: tuple[int, ...]
    floating: bool
    """whether the first body is a base that moves freely"""
    handles: tuple[int, ...]
    joints: tuple[JointStructure | None, ...]
    """of every body; None for a floating base"""

    @property
    def summed(self) -> frozenset[int]:
        """Hinges on an axis parallel to that of the hinge before them: their variable is the sum of both angles.

        Distances between parallel axes depend on differences of two such sums only, so that a planar chain of n links
        has of the order of n⁴ terms, not 2ⁿ.
        """
        hinges = {k for k, joint in enumerate(self.joints) if joint is not None and joint.joint == "hinge"}
        return frozenset(
            k
            for k, joint in enumerate(self.joints)
            if k in hinges and self.parents[k] in hinges and joint is not None and joint.twist == "parallel"
        )


class AxisPlacement(NamedTuple):
    """Numbers or symbols of Rz(β) Tz(b) Tx(a) Rx(α) Tz(d) Rz(γ); angles as cosine and sine."""

    beta: tuple[float, float] = (1.0, 0.0)
    b: float = 0.0
    a: float = 0.0
    alpha: tuple[float, float] = (1.0, 0.0)
    d: float = 0.0
    gamma: tuple[float, float] = (1.0, 0.0)

    def pose(self) -> Array:
        """Return the pose (4, 4)."""
        (c, s), (k, t) = self.beta, self.alpha
        turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        twisted = np.array([[1.0, 0.0, 0.0], [0.0, k, -t], [0.0, t, k]])
        (c, s) = self.gamma
        last = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        p = turned @ (np.array([self.a, 0.0, self.b]) + self.d * twisted[:, 2])
        return pose_matrix(turned @ twisted @ last, p)


def common_normal(T: Array, tiny: float = 0.0) -> AxisPlacement:
    """Return β, b, a, α, d, γ of a pose (4, 4) with sin α ≥ 0; along parallel axes a ≥ 0 and b = 0, with β = 0 up to a
    distance ``tiny``.
    """
    R, p = split_pose(T)
    x, y, z = R[:, 2]
    if (sine := float(np.hypot(x, y))) <= ANGLE:
        a = float(np.hypot(p[0], p[1]))
        a = 0.0 if a <= tiny else a
        beta = (float(p[0]) / a, float(p[1]) / a) if a > 0.0 else (1.0, 0.0)
        alpha = (1.0 if z > 0.0 else -1.0, 0.0)
        b, d = 0.0, float(p[2]) * alpha[0]
    else:
        beta = (-float(y) / sine, float(x) / sine)
        alpha = (0.0, 1.0) if abs(z) <= ANGLE else (float(z), sine)
        across = beta[0] * p[1] - beta[1] * p[0]
        a, d = float(beta[0] * p[0] + beta[1] * p[1]), -float(across) / sine
        b = float(p[2] - d * z)
    placed = AxisPlacement(beta, b, a, alpha)
    rest = placed.pose()[:3, :3].T @ R
    return placed._replace(d=d, gamma=_unit(rest[0, 0], rest[1, 0]))


def _unit(c: float, s: float) -> tuple[float, float]:
    length = float(np.hypot(c, s))
    return float(c) / length, float(s) / length


def _added(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return cosine and sine of a sum of angles."""
    (c, s), (k, t) = one, other
    return _unit(c * k - s * t, s * k + c * t)


class NormalForm(NamedTuple):
    """A mechanism in normal form."""

    model: Model
    """with frames turned and moved along joint axes, and inertias regrouped within blocks"""
    schedule: Schedule
    offsets: tuple[Array, ...]
    """of every joint's coordinates, added to those of the original model"""
    placements: tuple[AxisPlacement | None, ...]
    """of every joint within a block that is not on the ground"""
    structures: tuple[BlockStructure | None, ...]
    """of every block; None for a single body between joints that are joined"""
    leaves: Mapping[int, LeafInertia] = MappingProxyType({})
    """of single bodies by number, if they are symbols"""
    grounds: Mapping[int, Array] = MappingProxyType({})
    """acceleration (6,) of the ground in the axes of the first joint of blocks by number, if it is a symbol"""

    def coordinates(self, q: Array) -> Array:
        """Return the configuration (nq,) of the normal form."""
        return self.model.positions([x + o for x, o in zip(self.model.coordinates(q), self.offsets, strict=True)])

    def letters(self, number: int, q: Sequence[Array], v: Sequence[Array], w: Array, base: Array) -> dict[str, Any]:
        """Return the values of the variables of a block's written equations.

        ``q`` and ``v`` are those of all joints, ``w`` (3,) is the angular velocity of the first body and ``base`` (3,)
        the acceleration of the ground in the axes of the first joint.
        """
        structure = self.structures[number]
        assert structure is not None
        values = {f"w{k}": x for k, x in enumerate(w)} | {f"g{k}": x for k, x in enumerate(base)}
        angles: dict[int, Array] = {}
        for k, (body, joint) in enumerate(zip(self.schedule.blocks[number], structure.joints, strict=True)):
            ten = self.model.links[body].rigid_inertia.parameters()
            values |= {f"{name}{k}": x for name, x in zip(INERTIA, ten, strict=True)}
            if joint is None:
                continue
            values[f"v{k}"] = v[body][0]
            if joint.joint == "hinge":
                angles[k] = q[body] + angles[structure.parents[k]] if k in structure.summed else q[body]
                values |= {f"cos(q{k})": np.cos(angles[k])[0], f"sin(q{k})": np.sin(angles[k])[0]}
            else:
                values[f"x{k}"] = q[body][0]
            placed = self.placements[body]
            if placed is not None:
                for letter in AxisPlacement._fields:
                    x = getattr(placed, letter)
                    values |= zip(letter_names(letter, k), x if isinstance(x, tuple) else (x,), strict=True)
        return values


def normal_form(model: Model, schedule: Schedule) -> NormalForm:
    """Return the normal form of a mechanism for blocks of hinges and sliders, each a tree.

    Raises :class:`InputError` for a joint of another type within a block.
    """
    if any(is_symbolic(link.placement) for link in model.links):
        raise InputError(f"blocks are written out for placements of numbers; those of {model.name!r} are symbols")
    inner = _joints_within(model, schedule)
    first_child: dict[int, int] = {}
    for k in sorted(inner):
        first_child.setdefault(model.links[k].parent, k)
    turns = [np.eye(4)] * (len(model.links) + 1)  # C of every body; the last is that of the world
    placements: list[AxisPlacement | None] = []
    offsets = []
    links: list[Link] = []
    tiny = LENGTH * scale_of(model).length
    for k, link in enumerate(model.links):
        given = inverse_pose(turns[link.parent]) @ link.placement
        placed = _cleaned(common_normal(given, tiny), tiny) if k in inner else None
        if placed is not None and 0.0 < abs(placed.alpha[1]) < ALMOST_PARALLEL:
            raise InputError(
                f"the axes of {model.joints[k].name!r} and of the joint before it in {model.name!r} are parallel up to "
                f"{placed.alpha[1]:.1e} rad, so that equations of their block would lose digits: correct the file, "
                "model.snapped(), or blocks='recursive'"
            )
        turned, moved = (1.0, 0.0), 0.0
        if link.motion.axial:
            turned, moved = _frame_of(model, k, placed, first_child, tiny)
            turns[k] = AxisPlacement(beta=turned, b=moved).pose()
        offset = np.zeros(link.motion.nq)
        if placed is None:
            links.append(replace(link, placement=given @ turns[k]))
        else:
            placed = placed._replace(d=placed.d + moved, gamma=_added(placed.gamma, turned))
            placed = _cleaned(placed, tiny)
            if link.motion.hinge:
                offset = np.array([np.arctan2(placed.gamma[1], placed.gamma[0])])
                placed = placed._replace(gamma=(1.0, 0.0))
            else:
                offset, placed = np.array([placed.d]), placed._replace(d=0.0)
            links.append(replace(link, placement=placed.pose()))
        placements.append(placed)
        offsets.append(offset)
    back = [inverse_pose(T) for T in turns]
    links = [replace(link, rigid_inertia=link.rigid_inertia.moved(back[k])) for k, link in enumerate(links)]
    frames = {name: replace(f, placement=back[f.body] @ f.placement) for name, f in model.frames.items()}
    made = replace(model, links=tuple(_regrouped(links, schedule)), frames=MappingProxyType(frames))
    structures = tuple(_structure(made, schedule, number, placements) for number in range(len(schedule.blocks)))
    return NormalForm(made, schedule, tuple(offsets), tuple(placements), structures)


def separate_trees(parents: Sequence[int], blocks: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the blocks, with those of several trees on the ground divided into their trees."""
    made: list[list[int]] = []
    for block in blocks:
        tree_of: dict[int, list[int]] = {}
        for k in block:
            if parents[k] not in tree_of:
                made.append([])
            tree_of[k] = tree_of.get(parents[k], made[-1])
            tree_of[k].append(k)
    return made


def kind_of(link: Link) -> str | None:
    """Return "hinge" or "slider"; None for another joint."""
    return "hinge" if link.motion.hinge else "slider" if link.motion.slide else None


def _joints_within(model: Model, schedule: Schedule) -> set[int]:
    """Return the bodies whose joints are within a block and not on the ground."""
    inner = {k for block in schedule.blocks for k in block[1:]}
    for k in inner:
        if kind_of(model.links[k]) is None:
            joint = model.joints[k]
            raise InputError(
                f"blocks are written out of hinges and sliders; {joint.name!r} of {model.name!r} is {joint.type}: "
                "another partition, or blocks='recursive'"
            )
    return inner


def _frame_of(
    model: Model, k: int, placed: AxisPlacement | None, first_child: Mapping[int, int], tiny: float
) -> tuple[tuple[float, float], float]:
    """Return how far body k's frame is turned (cosine, sine) and moved along its axis."""
    turned, moved = ((1.0, 0.0), 0.0) if placed is None else ((placed.gamma[0], -placed.gamma[1]), -placed.d)
    if k not in first_child:
        return turned, moved
    onward = common_normal(model.links[first_child[k]].placement, tiny)
    if onward.alpha[1] != 0.0 or onward.a > 0.0:  # else the axes coincide
        turned = onward.beta
    return turned, _foot(model, k, first_child, moved, tiny)


def _foot(model: Model, k: int, first_child: Mapping[int, int], otherwise: float, tiny: float) -> float:
    """Return the position on body k's axis of the next common normal of axes that are not parallel.

    All parallel axes before it have their frames there.
    """
    T = np.eye(4)
    while k in first_child:
        k = first_child[k]
        onward = common_normal(model.links[k].placement, tiny)
        if onward.alpha[1] != 0.0:
            return float(T[2, 3] + T[2, 2] * onward.b)
        T = T @ model.links[k].placement
    return otherwise


def _cleaned(placed: AxisPlacement, tiny: float) -> AxisPlacement:
    """Return a placement without lengths and sines that are rounding."""

    def angle(x: tuple[float, float]) -> tuple[float, float]:
        return (np.sign(x[0]), 0.0) if abs(x[1]) <= ANGLE else x

    b, a, d = (0.0 if abs(x) <= tiny else x for x in (placed.b, placed.a, placed.d))
    return AxisPlacement(angle(placed.beta), b, a, placed.alpha, d, angle(placed.gamma))


def _regrouped(links: Sequence[Link], schedule: Schedule) -> list[Link]:
    """Return the links with inertial parameters moved inward within blocks."""
    made = list(links)
    for block in schedule.blocks:
        for k in reversed(block):
            link = made[k]
            kind = kind_of(link)
            if kind is None or k in schedule.joined:
                continue
            stays, moved = divided(link.rigid_inertia, kind)
            made[k] = replace(link, rigid_inertia=stays)
            if link.parent != GROUND:
                onward = made[link.parent]
                total = onward.rigid_inertia + moved.moved(link.placement)
                made[link.parent] = replace(onward, rigid_inertia=total)
    return made


def divided(inertia: RigidInertia, kind: str) -> tuple[RigidInertia, RigidInertia]:
    """Return the inertia that a hinge or slider leaves to its body, and that which acts like inertia of the parent."""
    m, h, I = inertia
    if kind == "slider":
        return RigidInertia(m, h, np.zeros((3, 3))), RigidInertia(0.0, np.zeros(3), I)
    x, y, z = np.eye(3)
    moved = RigidInertia(m, h * z, I[1, 1] * np.diag(x + y))
    return RigidInertia(0.0, h * (x + y), _without(I)), moved


def _without(I: Array) -> Array:
    """Return I (3, 3) with I_xx − I_yy, 0 instead of I_xx, I_yy."""
    zero = 0.0
    return np.array([[I[0, 0] - I[1, 1], I[0, 1], I[0, 2]], [I[0, 1], zero, I[1, 2]], [I[0, 2], I[1, 2], I[2, 2]]])


def _structure(
    model: Model, schedule: Schedule, number: int, placements: Sequence[AxisPlacement | None]
) -> BlockStructure | None:
    """Return the structure of a block; None for a single body that is joined."""
    members = schedule.blocks[number]
    if len(members) == 1 and members[0] in schedule.joined:
        return None
    shape = block_shape(schedule, number)
    floating = shape.floating or kind_of(model.links[members[0]]) is None
    joints = tuple(None if k == 0 and floating else _of_joint(model, j, placements[j]) for k, j in enumerate(members))
    return BlockStructure(shape.parents, floating, shape.handles, joints)


def _of_joint(model: Model, k: int, placed: AxisPlacement | None) -> JointStructure:
    kind = kind_of(model.links[k])
    assert kind is not None
    if placed is None:  # on the ground, whose frame is the joint's
        return JointStructure(kind)
    twist = next((name for name, angle in TWISTS.items() if angle == placed.alpha), "oblique")
    zero, still = (1.0, 0.0), AxisPlacement()
    letters = [name for name in ("beta", "b", "a", "d", "gamma") if getattr(placed, name) != getattr(still, name)]
    assert placed.gamma == zero or kind == "slider"
    return JointStructure(kind, twist, tuple(letters))
