"""The model: a frozen tree of moving bodies, parents first, and the sweeps over it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwright.bounds import whole_number
from linkwright.errors import ArgumentError, InputError, ModelError, ShapeError, UnknownNameError, counted
from linkwright.model.build.description import Description
from linkwright.model.change.editing import Editing
from linkwright.model.derived import derived
from linkwright.model.equality import ByValue
from linkwright.model.joint import Compound, JointPart
from linkwright.model.joint_type import JointType, generator, samples
from linkwright.model.loop import CoordinateLoop, Loop
from linkwright.model.pair import Pair, pairs_problems
from linkwright.model.shape import Shape
from linkwright.model.spring import Spring
from linkwright.model.sweeps import TreeSweeps
from linkwright.provided import save_model
from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import RigidInertia, about_center_of_mass


@dataclass(frozen=True)
class Coupling:
    """A joint follows another: coordinate = multiplier · (the leader's) + offset."""

    leader: int
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Joint(ByValue):
    """A moving joint of a model. Per-coordinate arrays have the lengths of the joint type's own nq and nv."""

    name: str
    motion: JointType
    parent: str
    """name of the moving body, or "world", it hangs on"""
    child: str
    lower: Array
    upper: Array
    velocity_limit: Array
    effort_limit: Array
    stiffness: Array
    rest: Array
    damping: Array
    friction: Array
    armature: Array
    coupling: Coupling | None = None

    @property
    def type(self) -> str:
        """The name of the joint type: "revolute", "free", …"""
        return self.motion.type

    @property
    def nq(self) -> int:
        """Its own position coordinates; 0 where it follows another joint."""
        return 0 if self.coupling else self.motion.nq

    @property
    def nv(self) -> int:
        """Its own velocity coordinates; 0 where it follows another joint."""
        return 0 if self.coupling else self.motion.nv

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for each of the nq coordinates."""
        return tuple(f"{self.name}.{n}" if n else self.name for n in self.motion.coordinate_names) if self.nq else ()


@dataclass(frozen=True, eq=False)
class Body(ByValue):
    """A moving body, with all that is welded to it; in the axes of the file."""

    name: str
    mass: float
    center_of_mass: Array
    """(3,), m"""
    inertia: Array
    """(3, 3), about the center of mass, kg m²"""
    links: tuple[str, ...] = ()
    """the names merged in it, its own first"""


@dataclass(frozen=True, eq=False)
class Link(ByValue):
    """What a step of an algorithm sees of one body and its joint: values in canonical axes."""

    parent: int
    """number of the parent body, -1 for the world"""
    motion: JointType
    placement: Array
    """(4, 4), the joint's parent-side frame in the parent body's frame"""
    rigid_inertia: RigidInertia
    armature: Array
    """(nv,)"""

    def transform(self, q: Array) -> Array:
        """The pose (4, 4) of the body's frame in its parent's."""
        return self.placement @ self.motion.transform(q)

    def motion_subspace(self, q: Array) -> Array:
        """S (6, nv), in body axes."""
        return self.motion.motion_subspace(q)

    def motion_subspace_rate(self, q: Array, v: Array) -> Array:
        """Ṡ (6, nv), in body axes."""
        return self.motion.motion_subspace_rate(q, v)

    def velocity_product(self, q: Array, v: Array) -> Array:
        """Ṡ v (6,), in body axes."""
        return self.motion.velocity_product(q, v)


def transform(link: Link, q: Array) -> Array:
    """A step: the pose (4, 4) of a body's frame in its parent's."""
    return link.transform(q)


def motion_subspace(link: Link, q: Array) -> Array:
    """A step: a body's motion subspace (6, nv)."""
    return link.motion_subspace(q)


@dataclass(frozen=True, eq=False)
class Frame(ByValue):
    """A named place on a body."""

    body: int
    """number of the body, -1 for the world"""
    placement: Array
    """(4, 4), its pose in the body's (canonical) frame"""


Step = Callable[..., Any]

PER_COORDINATE = ("lower", "upper", "rest")
"""What a joint has for each of its own position coordinates, and so has the :class:`JointSpec` it came from."""

PER_VELOCITY = ("velocity_limit", "effort_limit", "stiffness", "damping", "friction", "armature")
"""The same for each velocity coordinate."""


class Places(NamedTuple):
    """Where the coordinates of a joint stand."""

    q: slice
    v: slice


@dataclass(frozen=True, eq=False)
class Model(Editing, TreeSweeps, ByValue):
    """A mechanism, frozen. Bodies are numbered parents first, depth first; joint k moves body k.

    Models are equal where all they tell is, numbers exactly; however they were described.
    """

    name: str
    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]
    links: tuple[Link, ...]
    frames: Mapping[str, Frame]
    gravity: Array
    welded: RigidInertia
    """of everything welded to the world, about the world's origin"""
    loops: tuple[Loop | CoordinateLoop, ...]
    description: Description = field(compare=False)
    springs: tuple[Spring, ...] = ()
    """between points of bodies; those of joints are the joints' own"""
    shapes: tuple[Shape, ...] = ()
    """what links look like and what of them touches others"""
    pairs: tuple[Pair, ...] = ()
    """of shapes that may touch, by their places in ``shapes``: contact acts between these and no others"""
    listed_pairs: tuple[Pair, ...] = ()
    """those that a file gives one by one: :meth:`with_contact` takes them as they are"""
    excluded: tuple[tuple[str, str], ...] = ()
    """links whose shapes never touch each other: :meth:`with_contact` leaves them out"""
    physical: Model | None = None
    """of a minimal model: the one it was made from"""
    memo: dict[Any, Any] = field(init=False, default_factory=dict, repr=False, compare=False)
    """what is derived from this model, such as its compiled kernels: see :func:`~linkwright.model.derived.derived`"""
    earlier: dict[Any, Any] = field(init=False, default_factory=dict, repr=False, compare=False)
    """what the memo kept before it was full, and is not asked for since"""

    sweeps_are_recorded: ClassVar[bool] = False
    """whether this stands for a model whose sweeps become loops over the bodies"""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "memo": {}, "earlier": {}, "frames": dict(self.frames)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        super().__setstate__({**state, "frames": MappingProxyType(state["frames"])})

    def __hash__(self) -> int:
        return hash((self.name, self.nq, self.nv, len(self.frames), len(self.loops)))

    # sizes

    def __post_init__(self) -> None:
        """Check the pairs: the other fields come from builders, but pairs are replaced by users, too."""
        if problems := [*pairs_problems(self.pairs, self.shapes), *pairs_problems(self.listed_pairs, self.shapes)]:
            raise ModelError(problems)

    @cached_property
    def nq(self) -> int:
        """Number of position coordinates."""
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """Number of velocity coordinates: degrees of freedom."""
        return sum(joint.nv for joint in self.joints)

    @cached_property
    def has_couplings(self) -> bool:
        """Whether a joint follows another."""
        return any(joint.coupling for joint in self.joints)

    @cached_property
    def holds_symbols(self) -> bool:
        """Whether some of what it is made of are symbols, not numbers."""
        bodies = ((link.placement, link.armature, *link.rigid_inertia) for link in self.links)
        joints = ((joint.stiffness, joint.damping, joint.friction, joint.rest) for joint in self.joints)
        frames = ((frame.placement,) for frame in self.frames.values())
        return any(pair.holds_symbols for pair in self.pairs) or any(
            x.dtype.hasobject if isinstance(x, np.ndarray) else not isinstance(x, (float, int))
            for values in chain(((self.gravity,),), bodies, joints, frames)
            for x in values
        )

    @cached_property
    def subtree_end(self) -> tuple[int, ...]:
        """For each body, one past the last body of its subtree (bodies are numbered depth first)."""
        end = list(range(1, len(self.links) + 1))
        for k in reversed(range(len(self.links))):
            parent = self.links[k].parent
            if parent >= 0:
                end[parent] = max(end[parent], end[k])
        return tuple(end)

    def path(self, body: int) -> list[int]:
        """The bodies from the root to this one."""
        path = []
        while body >= 0:
            path.append(body)
            body = self.links[body].parent
        return path[::-1]

    def outermost(self, body: int) -> str:
        """The frame farthest out on a body: a tip, a tool."""
        on_body = {name: frame.placement[:3, 3] for name, frame in self.frames.items() if frame.body == body}
        return max(on_body, key=lambda name: float(np.linalg.norm(on_body[name])))

    # coordinates of single joints: the one place that knows of couplings

    def coordinates(self, q: Array) -> list[Array]:
        """The position coordinates of every joint, followers included, from q (nq,)."""
        return self._split(q, "nq", followers_offset=True)

    def rates(self, v: Array) -> list[Array]:
        """The velocity coordinates of every joint, followers included, from v (nv,) (or accelerations)."""
        return self._split(v, "nv", followers_offset=False)

    def _split(self, x: Array, width: str, followers_offset: bool) -> list[Array]:
        total = getattr(self, width)
        if np.shape(x) != (total,):
            raise ShapeError(
                f"expected shape ({total},) for {self.name!r}, whose {width} is {total}; got {np.shape(x)}"
            )
        pieces: list[Array] = [np.zeros(0)] * len(self.joints)
        at = 0
        for k, joint in enumerate(self.joints):
            n = getattr(joint, width)
            pieces[k] = x[at : at + n]
            at += n
        for k, joint in enumerate(self.joints):
            if (c := joint.coupling) is not None:
                follows = c.multiplier * pieces[c.leader]
                pieces[k] = follows + c.offset if followers_offset else follows
        return pieces

    def assemble(self, pieces: Sequence[Array], rows: tuple[int, ...] = ()) -> Array:
        """(…, nv) from each joint's (…, its nv): efforts or columns; followers' go to their leaders.

        ``rows``: what a column is like, where there are no joints to tell.
        """
        gathered = list(pieces)
        for k, c in self._followers:
            gathered[c.leader] = gathered[c.leader] + c.multiplier * gathered[k]
        own = [gathered[k] for k in self._moving]
        if not own:
            return np.zeros((*(np.shape(pieces[0])[:-1] if pieces else rows), 0))
        return np.concatenate(own, axis=-1)

    @cached_property
    def _followers(self) -> tuple[tuple[int, Coupling], ...]:
        return tuple((k, c) for k, joint in enumerate(self.joints) if (c := joint.coupling) is not None)

    @cached_property
    def _moving(self) -> tuple[int, ...]:
        """The joints with velocity coordinates of their own."""
        return tuple(k for k, joint in enumerate(self.joints) if joint.nv)

    def positions(self, pieces: Sequence[Array]) -> Array:
        """(nq,) from each joint's own coordinates; what followers have is left out."""
        own = [x for x, joint in zip(pieces, self.joints, strict=True) if joint.nq]
        return np.concatenate(own) if own else np.zeros(0)

    def velocities(self, pieces: Sequence[Array]) -> Array:
        """(nv,) from each joint's own; what followers have is left out."""
        return self.positions(pieces)

    @cached_property
    def coupling_matrix(self) -> Array:
        """G (number of all joints' velocities, nv): v_full = G v."""
        widths = [joint.motion.nv for joint in self.joints]
        full = np.eye(sum(widths))
        return self.assemble(np.split(full, np.cumsum(widths)[:-1], axis=1)) if widths else np.zeros((0, 0))

    @cached_property
    def armature(self) -> Array:
        """(nv,): the diagonal that reflected rotor inertias add to the mass matrix."""
        own = [joint.armature for joint in self.joints]
        for joint in self.joints:
            if (c := joint.coupling) is not None:
                own[c.leader] = own[c.leader] + c.multiplier**2 * joint.armature
        return np.concatenate([np.zeros(0), *(x for x, joint in zip(own, self.joints, strict=True) if joint.nv)])

    # configurations

    def neutral(self) -> Array:
        """The configuration (nq,) of zeros and unit quaternions."""
        return np.concatenate([np.zeros(0), *(joint.motion.neutral for joint in self.joints if joint.nq)])

    @cached_property
    def lower(self) -> Array:
        """Lower limits (nq,); -inf where unlimited. Of a joint that others follow, so that they keep theirs too."""
        return self._limits[0]

    @cached_property
    def upper(self) -> Array:
        """Upper limits (nq,); inf where unlimited. Of a joint that others follow, so that they keep theirs too."""
        return self._limits[1]

    @property
    def contradictions(self) -> tuple[str, ...]:
        """The joints that follow another and whose limits count for nothing: they would leave that one no room."""
        return self._limits[2]

    @cached_property
    def _limits(self) -> tuple[Array, Array, tuple[str, ...]]:
        """Of leaders, what is common to their limits and to the images of their followers'."""
        low, high = [joint.lower for joint in self.joints], [joint.upper for joint in self.joints]
        contradictions = []
        for joint in self.joints:
            if (c := joint.coupling) is not None and c.multiplier:
                with np.errstate(over="ignore"):  # of a tiny multiplier: such a limit is none for the leader
                    ends = [(x - c.offset) / c.multiplier for x in (joint.lower, joint.upper)]
                lower, upper = np.maximum(low[c.leader], min(*ends)), np.minimum(high[c.leader], max(*ends))
                if (lower < upper).all():
                    low[c.leader], high[c.leader] = lower, upper
                elif (low[c.leader] < high[c.leader]).all():
                    contradictions.append(joint.name)
        limits = [
            np.concatenate([np.zeros(0), *(x for x, joint in zip(side, self.joints, strict=True) if joint.nq)])
            for side in (low, high)
        ]
        for side in limits:
            side.setflags(write=False)
        return limits[0], limits[1], tuple(contradictions)

    def random(self, n: int | None = None, seed: int | np.random.Generator | None = None) -> Array:
        """Random configurations: (nq,), or (n, nq); uniform in the limits, else in ±π, ±1 m, over rotations.

        The same ``seed`` gives the same rows. Joints that follow others keep their own limits.
        """
        if n is not None:
            whole_number("the number of random configurations", n, 0)
        chosen = generator(seed)
        rows = () if n is None else (int(n),)
        try:
            return samples(chosen, self.lower, self.upper, self._reach, self.quaternion_starts, rows)
        except (MemoryError, ValueError, OverflowError):
            raise InputError(f"{n} configurations of {self.nq} numbers each are more than memory holds") from None

    @cached_property
    def _reach(self) -> Array:
        return np.concatenate([np.zeros(0), *(joint.motion.reach for joint in self.joints if joint.nq)])

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for each entry of q."""
        return tuple(name for joint in self.joints for name in joint.coordinate_names)

    @cached_property
    def plain_coordinates(self) -> dict[str, tuple[int, int, int]]:
        """By name, the coordinates whose rates are velocities: number of the joint, places in its own q and v."""
        return {
            joint.coordinate_names[at_q]: (k, at_q, at_v)
            for k, joint in enumerate(self.joints)
            if joint.nq
            for at_q, at_v in joint.motion.plain
        }

    @cached_property
    def quaternion_starts(self) -> tuple[int, ...]:
        """Where in q the quaternions start."""
        starts, at = [], 0
        for joint in self.joints:
            if joint.nq:
                starts += [at + k for k in joint.motion.quaternions]
                at += joint.nq
        return tuple(starts)

    # names

    def frame(self, name: str) -> Frame:
        """The frame of that name; every link name is one, and "world"."""
        if not isinstance(name, str):
            raise ArgumentError(f"a frame is given by its name, a str; got {name!r}")
        try:
            return self.frames[name]
        except KeyError:
            raise UnknownNameError("frame", name, self.frames) from None

    def joint(self, name: str) -> Joint:
        """The joint of that name; of one that merged with others into a compound joint, its share of that.

        The joints of a body with several, as MJCF has them, keep their names so; also "compound.part" is one.
        """
        number, part = self._find(name)
        joint = self.joints[number]
        if part is None:
            return joint
        own, (at_q, at_v) = self._part(joint.motion, part)
        shares = {of: getattr(joint, of)[at_q] for of in PER_COORDINATE}
        shares |= {of: getattr(joint, of)[at_v] for of in PER_VELOCITY}
        return replace(joint, name=own.name or name, motion=own.motion, **shares)

    def slice(self, joint: str) -> Places:
        """Where in q and in v the coordinates of a joint are, by its name: ``q[model.slice("hip").q]``.

        Of a joint that merged with others, where its share is; of one that follows another, nowhere: empty slices.
        """
        number, part = self._find(joint)
        places = self._places[number]
        if part is None:
            return places
        own = self._part(self.joints[number].motion, part)[1]
        return Places(*(_shifted(inner, outer.start) for inner, outer in zip(own, places, strict=True)))

    def share(self, joint: str) -> tuple[Joint, Places]:
        """The joint of that name, or the one that it merged into, and where in that one's own arrays its share is."""
        number, part = self._find(joint)
        whole = self.joints[number]
        if part is None:
            return whole, Places(slice(0, whole.motion.nq), slice(0, whole.motion.nv))
        return whole, self._part(whole.motion, part)[1]

    def full_name(self, coordinate: str) -> str:
        """The name among ``coordinate_names`` of a coordinate called by a merged joint alone; others are unchanged."""
        for name, (number, _) in self._members.items():
            own = self.joints[number].name
            if (coordinate == name or coordinate.startswith(f"{name}.")) and not name.startswith(f"{own}."):
                return f"{own}.{coordinate}"
        return coordinate

    def _find(self, name: str) -> tuple[int, int | None]:
        """The number of the joint of that name and, of one merged into a compound, of its part."""
        if isinstance(name, str):
            if name in self._numbers:
                return self._numbers[name], None
            if name in self._members:
                return self._members[name]
        called = {place: member for member, place in self._members.items()}  # the shorter name is the later one
        raise UnknownNameError("joint", name, [*self._numbers, *called.values()])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {joint.name: k for k, joint in enumerate(self.joints)}

    @cached_property
    def _members(self) -> dict[str, tuple[int, int]]:
        """The parts of compound joints by "joint.part", and by their own names where these tell them apart."""
        found: dict[str, tuple[int, int]] = {}
        own: list[str] = []
        for k, joint in enumerate(self.joints):
            for i, part in enumerate(joint.motion.parts):
                found[f"{joint.name}.{part.name or i}"] = k, i
                if part.name and joint.type == Compound.type:  # those of universal joints are all called alike
                    own.append(part.name)
                    found.setdefault(part.name, (k, i))
        twice = {name for name, count in Counter(own).items() if count > 1}
        return {name: place for name, place in found.items() if name not in twice and name not in self._numbers}

    @cached_property
    def _places(self) -> tuple[Places, ...]:
        """Of every joint."""
        q = np.cumsum([0, *(joint.nq for joint in self.joints)]).tolist()
        v = np.cumsum([0, *(joint.nv for joint in self.joints)]).tolist()
        return tuple(map(Places, map(slice, q, q[1:]), map(slice, v, v[1:])))

    @staticmethod
    def _part(motion: JointType, number: int) -> tuple[JointPart, Places]:
        """A part of a compound joint type, and where its coordinates are among the compound's."""
        before = [part.motion for part in motion.parts[:number]]
        one = motion.parts[number]
        q, v = sum(m.nq for m in before), sum(m.nv for m in before)
        return one, Places(slice(q, q + one.motion.nq), slice(v, v + one.motion.nv))

    # regrouping; other transformations: `editing.py`

    def snapped(self, angle: float = 1e-5) -> Model:
        """The mechanism as it was meant where a file gives right angles with few digits: 1.5708 is π/2.

        Turns of joints and frames that differ by at most ``angle``, rad, from simpler ones (whose matrices have more
        zeros, after turns by multiples of π/12) become these. Places move by that much times the size of the
        mechanism, so results differ from those of the file as it stands in the sixth digit or so; what is compiled of
        it takes fewer operations.
        """
        from linkwright.model.build.assembly import assemble
        from linkwright.model.change.snapping import snapped

        model = assemble(snapped(self, angle))
        return model if self.physical is None else model.minimal()

    def minimal(self, form: str = "inertia") -> Model:
        """The same motion with fewer numbers: inertial parameters regrouped, as many as possible made zero.

        Dynamics in joint space (inverse and forward dynamics, mass and Coriolis matrices, bias and gravity
        forces) and kinematics are unchanged. The regrouped inertias are in ``links``; they are no longer
        those of rigid bodies, so a minimal model has no energy, momentum, mass or center of mass.

        ``form``: whether zeros are made in the "inertia" I, for what moves inertias (mass matrix, forward
        dynamics), or in the "second moment" Σ = ½ tr(I) 1 − I, for inverse dynamics.
        """
        from linkwright.model.change.minimal import minimal

        if self.physical is not None:
            return self
        made: Model = derived(self, minimal, form)
        return made

    def save(self, path: str | PathLike[str]) -> Path:
        """Write a file: URDF (.urdf), MJCF (.xml, .mjcf), SDF (.sdf) or ZTK (.ztk), by the ending of the path, which
        is returned.

        What the format cannot say is told in one :class:`FormatWarning`. Raises :class:`ArgumentError` for another
        ending, :class:`InputError` where writing fails, and :class:`ModelError` for a minimal model.
        """
        written: Path = save_model(self, path)
        return written

    def require_physical(self, what: str) -> None:
        """Raise :class:`ModelError` on a minimal model, whose inertias tell nothing of ``what``."""
        if self.physical is not None:
            raise ModelError(
                f"{what} cannot be told from a minimal model: regrouping the inertias of {self.name!r} kept its "
                "dynamics in joint space only; ask the model that minimal() was called on"
            )

    def __str__(self) -> str:
        from linkwright.model.printing import tree_text

        return tree_text(self)

    def _repr_html_(self) -> str:
        from linkwright.model.printing import table_html

        return table_html(self)

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {counted(len(self.bodies), 'body', 'bodies')}, nq {self.nq}, nv {self.nv}>"


def _shifted(places: slice, start: int) -> slice:
    return slice(places.start + start, places.stop + start)


def public_body(name: str, rigid: RigidInertia, links: tuple[str, ...]) -> Body:
    """A body as users see it, from its inertia in the axes of its file."""
    mass, center, inertia = about_center_of_mass(rigid)
    for array in (center, inertia):
        array.setflags(write=False)
    return Body(name, mass, center, inertia, links)
