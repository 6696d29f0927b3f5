"""Model of a mechanism: an immutable tree of moving bodies, parents first."""

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
from linkwright.model.equality import ByValue
from linkwright.model.joint import Compound, JointPart
from linkwright.model.joint_type import JointType, generator, samples
from linkwright.model.loop import CoordinateLoop, Loop
from linkwright.model.memo import derived
from linkwright.model.pair import Pair, pairs_problems
from linkwright.model.shape import Shape
from linkwright.model.spring import Spring
from linkwright.model.sweeps import TreeSweeps
from linkwright.model.transformations.methods import Editing
from linkwright.provided import save_model
from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import RigidInertia, about_center_of_mass


@dataclass(frozen=True)
class Coupling:
    """Coupling of a mimic joint: coordinate = multiplier · (leader's coordinate) + offset."""

    leader: int
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Joint(ByValue):
    """Moving joint of a model. Arrays per coordinate have the lengths nq and nv of the joint type."""

    name: str
    motion: JointType
    parent: str
    """name of the parent body, or "world\""""
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
        """Name of the joint type: "revolute", "free", …"""
        return self.motion.type

    @property
    def nq(self) -> int:
        """Number of independent position coordinates; 0 for a mimic joint."""
        return 0 if self.coupling else self.motion.nq

    @property
    def nv(self) -> int:
        """Number of independent velocity coordinates; 0 for a mimic joint."""
        return 0 if self.coupling else self.motion.nv

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the nq coordinates."""
        return tuple(f"{self.name}.{n}" if n else self.name for n in self.motion.coordinate_names) if self.nq else ()


@dataclass(frozen=True, eq=False)
class Body(ByValue):
    """Moving body with all welded links, in the axes of the file."""

    name: str
    mass: float
    center_of_mass: Array
    """(3,), m"""
    inertia: Array
    """(3, 3), about the center of mass, kg m²"""
    links: tuple[str, ...] = ()
    """names of the merged links, its own first"""


@dataclass(frozen=True, eq=False)
class Link(ByValue):
    """Body and joint in a step of an algorithm: values in canonical axes."""

    parent: int
    """index of the parent body, -1 for the world"""
    motion: JointType
    placement: Array
    """(4, 4), pose of the joint's parent-side frame in the parent body's frame"""
    rigid_inertia: RigidInertia
    armature: Array
    """(nv,)"""

    def transform(self, q: Array) -> Array:
        """Return the pose (4, 4) of the body's frame in its parent's."""
        return self.placement @ self.motion.transform(q)

    def motion_subspace(self, q: Array) -> Array:
        """Return S (6, nv) in body axes."""
        return self.motion.motion_subspace(q)

    def motion_subspace_rate(self, q: Array, v: Array) -> Array:
        """Return Ṡ (6, nv) in body axes."""
        return self.motion.motion_subspace_rate(q, v)

    def velocity_product(self, q: Array, v: Array) -> Array:
        """Return Ṡ v (6,) in body axes."""
        return self.motion.velocity_product(q, v)


def transform(link: Link, q: Array) -> Array:
    """Return the pose (4, 4) of a body's frame in its parent's: a step."""
    return link.transform(q)


def motion_subspace(link: Link, q: Array) -> Array:
    """Return a body's motion subspace (6, nv): a step."""
    return link.motion_subspace(q)


@dataclass(frozen=True, eq=False)
class Frame(ByValue):
    """Named frame on a body."""

    body: int
    """index of the body, -1 for the world"""
    placement: Array
    """(4, 4), pose in the body's (canonical) frame"""


Step = Callable[..., Any]

PER_COORDINATE = ("lower", "upper", "rest")
"""Parameters of a joint per position coordinate, also of the :class:`JointSpec` from which it was made."""

PER_VELOCITY = ("velocity_limit", "effort_limit", "stiffness", "damping", "friction", "armature")
"""Parameters of a joint per velocity coordinate."""


class Places(NamedTuple):
    """Indices of the coordinates of a joint."""

    q: slice
    v: slice


@dataclass(frozen=True, eq=False)
class Model(Editing, TreeSweeps, ByValue):
    """Immutable model of a mechanism.

    Bodies are numbered depth first, parents first; joint k moves body k. Two models are equal if all their values are,
    exactly, for any form of their description. Models are made by :func:`load`, :class:`Builder` and the methods that
    return a changed model.

    Parameters
    ----------
    name : str
        Name of the mechanism.
    joints : tuple of Joint
        Moving joints.
    bodies : tuple of Body
        Moving bodies, with all welded links.
    links : tuple of Link
        Bodies and joints in canonical axes, for algorithms.
    frames : dict of str to Frame
        Frames by name; every link is a frame, and "world".
    gravity : ndarray, shape (3,)
        Gravity in the world in m/s².
    welded : RigidInertia
        Inertia of all links that are welded to the world, about its origin.
    loops : tuple of Loop or CoordinateLoop
        Closed loops.
    description : Description
        Description from which the model was made.
    springs : tuple of Spring, optional
        Springs between points of bodies; those of joints are in `joints`.
    shapes : tuple of Shape, optional
        Shapes of the links for drawing and contact.
    pairs : tuple of Pair, optional
        Pairs of shapes in contact.
    listed_pairs : tuple of Pair, optional
        Pairs that a file lists explicitly, which :meth:`with_contact` keeps.
    excluded : tuple of tuple of str, optional
        Pairs of links whose shapes never touch, which :meth:`with_contact` omits.
    physical : Model, optional
        For a minimal model: the model from which it was made.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> arm.nq, arm.nv, [joint.name for joint in arm.joints]
    (2, 2, ['joint1', 'joint2'])
    """

    name: str
    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]
    links: tuple[Link, ...]
    frames: Mapping[str, Frame]
    gravity: Array
    welded: RigidInertia
    loops: tuple[Loop | CoordinateLoop, ...]
    description: Description = field(compare=False)
    springs: tuple[Spring, ...] = ()
    shapes: tuple[Shape, ...] = ()
    pairs: tuple[Pair, ...] = ()
    listed_pairs: tuple[Pair, ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()
    physical: Model | None = None
    memo: dict[Any, Any] = field(init=False, default_factory=dict, repr=False, compare=False)
    """results derived from this model, such as its compiled kernels: see :func:`~linkwright.model.memo.derived`"""
    earlier: dict[Any, Any] = field(init=False, default_factory=dict, repr=False, compare=False)
    """results of the previous memo that have not been used since"""

    sweeps_are_recorded: ClassVar[bool] = False
    """whether this is a recorder, whose sweeps become loops over the bodies"""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "memo": {}, "earlier": {}, "frames": dict(self.frames)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        super().__setstate__({**state, "frames": MappingProxyType(state["frames"])})

    def __hash__(self) -> int:
        return hash((self.name, self.nq, self.nv, len(self.frames), len(self.loops)))

    # sizes

    def __post_init__(self) -> None:
        """Check the pairs, which users may replace."""
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
        """Whether there are mimic joints."""
        return any(joint.coupling for joint in self.joints)

    @cached_property
    def holds_symbols(self) -> bool:
        """Whether a parameter of the model is a symbol."""
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
        """Index after the last body of the subtree of each body (bodies are numbered depth first)."""
        end = list(range(1, len(self.links) + 1))
        for k in reversed(range(len(self.links))):
            parent = self.links[k].parent
            if parent >= 0:
                end[parent] = max(end[parent], end[k])
        return tuple(end)

    def path(self, body: int) -> list[int]:
        """Return the bodies from the root to a body.

        Parameters
        ----------
        body : int
            Index of the body.

        Returns
        -------
        list of int
            Indices of the bodies on the path, including `body`.
        """
        path = []
        while body >= 0:
            path.append(body)
            body = self.links[body].parent
        return path[::-1]

    def outermost(self, body: int) -> str:
        """Return the outermost frame on a body: a tip or a tool.

        Parameters
        ----------
        body : int
            Index of the body.

        Returns
        -------
        str
            Name of the frame.
        """
        on_body = {name: frame.placement[:3, 3] for name, frame in self.frames.items() if frame.body == body}
        return max(on_body, key=lambda name: float(np.linalg.norm(on_body[name])))

    # coordinates of single joints: the only code that depends on couplings

    def coordinates(self, q: Array) -> list[Array]:
        """Return the position coordinates of every joint, including mimic joints.

        Parameters
        ----------
        q : ndarray, shape (nq,)
            Configuration.

        Returns
        -------
        list of ndarray
            Coordinates of each joint.
        """
        return self._split(q, "nq", followers_offset=True)

    def rates(self, v: Array) -> list[Array]:
        """Return the velocity coordinates of every joint, including mimic joints.

        Parameters
        ----------
        v : ndarray, shape (nv,)
            Velocity or acceleration.

        Returns
        -------
        list of ndarray
            Velocities of each joint.
        """
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
        """Assemble efforts or columns of all joints; those of mimic joints are added to their leaders.

        Parameters
        ----------
        pieces : sequence of ndarray, shape (..., nv of the joint)
            Values of each joint.
        rows : tuple of int, optional
            Leading dimensions of a column, for a mechanism without joints.

        Returns
        -------
        ndarray, shape (..., nv)
            Values of the mechanism.
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
        """Indices of the joints with independent velocity coordinates."""
        return tuple(k for k, joint in enumerate(self.joints) if joint.nv)

    def positions(self, pieces: Sequence[Array]) -> Array:
        """Assemble position coordinates of all joints; those of mimic joints are omitted.

        Parameters
        ----------
        pieces : sequence of ndarray
            Coordinates of each joint.

        Returns
        -------
        ndarray, shape (nq,)
            Configuration.
        """
        own = [x for x, joint in zip(pieces, self.joints, strict=True) if joint.nq]
        return np.concatenate(own) if own else np.zeros(0)

    def velocities(self, pieces: Sequence[Array]) -> Array:
        """Assemble velocity coordinates of all joints; those of mimic joints are omitted.

        Parameters
        ----------
        pieces : sequence of ndarray
            Velocities of each joint.

        Returns
        -------
        ndarray, shape (nv,)
            Velocity.
        """
        return self.positions(pieces)

    @cached_property
    def coupling_matrix(self) -> Array:
        """Matrix G (number of all joints' velocities, nv): v_full = G v."""
        widths = [joint.motion.nv for joint in self.joints]
        full = np.eye(sum(widths))
        return self.assemble(np.split(full, np.cumsum(widths)[:-1], axis=1)) if widths else np.zeros((0, 0))

    @cached_property
    def armature(self) -> Array:
        """Diagonal (nv,) of reflected rotor inertias in the mass matrix."""
        own = [joint.armature for joint in self.joints]
        for joint in self.joints:
            if (c := joint.coupling) is not None:
                own[c.leader] = own[c.leader] + c.multiplier**2 * joint.armature
        return np.concatenate([np.zeros(0), *(x for x, joint in zip(own, self.joints, strict=True) if joint.nv)])

    # configurations

    def neutral(self) -> Array:
        """Return the neutral configuration: zeros and unit quaternions.

        Returns
        -------
        ndarray, shape (nq,)
            Configuration.

        Examples
        --------
        >>> import linkwright as lw
        >>> lw.load("two_link").neutral()
        array([0., 0.])
        """
        return np.concatenate([np.zeros(0), *(joint.motion.neutral for joint in self.joints if joint.nq)])

    @cached_property
    def lower(self) -> Array:
        """Lower limits (nq,); -inf without a limit. Those of leaders include the limits of mimic joints."""
        return self._limits[0]

    @cached_property
    def upper(self) -> Array:
        """Upper limits (nq,); inf without a limit. Those of leaders include the limits of mimic joints."""
        return self._limits[1]

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Names of mimic joints whose limits are ignored, since they leave their leader no range."""
        return self._limits[2]

    @cached_property
    def _limits(self) -> tuple[Array, Array, tuple[str, ...]]:
        """Limits of leaders, intersected with those of their mimic joints."""
        low, high = [joint.lower for joint in self.joints], [joint.upper for joint in self.joints]
        contradictions = []
        for joint in self.joints:
            if (c := joint.coupling) is not None and c.multiplier:
                with np.errstate(over="ignore"):  # a tiny multiplier: no limit for the leader
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
        """Draw random configurations: uniform within limits, else within ±π and ±1 m, and over rotations.

        Parameters
        ----------
        n : int, optional
            Number of configurations; by default one without a batch dimension.
        seed : int or numpy.random.Generator, optional
            Seed; the same seed gives the same rows.

        Returns
        -------
        ndarray, shape (nq,) or (n, nq)
            Configurations within the limits of all joints, including mimic joints.

        Examples
        --------
        >>> import linkwright as lw
        >>> lw.load("two_link").random(100, seed=0).shape
        (100, 2)
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
        """Names of the entries of q."""
        return tuple(name for joint in self.joints for name in joint.coordinate_names)

    @cached_property
    def plain_coordinates(self) -> dict[str, tuple[int, int, int]]:
        """Coordinates whose rates are velocities, by name: index of the joint, indices in its q and v."""
        return {
            joint.coordinate_names[at_q]: (k, at_q, at_v)
            for k, joint in enumerate(self.joints)
            if joint.nq
            for at_q, at_v in joint.motion.plain
        }

    @cached_property
    def quaternion_starts(self) -> tuple[int, ...]:
        """Indices in q at which quaternions start."""
        starts, at = [], 0
        for joint in self.joints:
            if joint.nq:
                starts += [at + k for k in joint.motion.quaternions]
                at += joint.nq
        return tuple(starts)

    # names

    def frame(self, name: str) -> Frame:
        """Return the frame of a name; every link is a frame, and "world".

        Parameters
        ----------
        name : str
            Name of the frame.

        Returns
        -------
        Frame
            Frame.

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        """
        if not isinstance(name, str):
            raise ArgumentError(f"a frame is given by its name, a str; got {name!r}")
        try:
            return self.frames[name]
        except KeyError:
            raise UnknownNameError("frame", name, self.frames) from None

    def joint(self, name: str) -> Joint:
        """Return the joint of a name, or a part of a compound joint.

        Parameters
        ----------
        name : str
            Name of the joint. Joints that were merged into a compound joint, as those of a body with several joints in
            MJCF, keep their names; "compound.part" is a name too.

        Returns
        -------
        Joint
            Joint, or the part of a compound joint.

        Raises
        ------
        UnknownNameError
            If there is no such joint.
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
        """Return the indices of a joint's coordinates in q and in v: ``q[model.slice("hip").q]``.

        Parameters
        ----------
        joint : str
            Name of the joint, or of a part of a compound joint.

        Returns
        -------
        Places
            Slices ``q`` and ``v``, which are empty for a mimic joint.

        Examples
        --------
        >>> import linkwright as lw
        >>> lw.load("two_link").slice("joint2").q
        slice(1, 2, None)
        """
        number, part = self._find(joint)
        places = self._places[number]
        if part is None:
            return places
        own = self._part(self.joints[number].motion, part)[1]
        return Places(*(_shifted(inner, outer.start) for inner, outer in zip(own, places, strict=True)))

    def share(self, joint: str) -> tuple[Joint, Places]:
        """Return a joint and the slices of a part in its arrays.

        Parameters
        ----------
        joint : str
            Name of the joint, or of a part of a compound joint.

        Returns
        -------
        joint : Joint
            Joint, or the compound joint that contains it.
        places : Places
            Slices of its coordinates in those of the joint.
        """
        number, part = self._find(joint)
        whole = self.joints[number]
        if part is None:
            return whole, Places(slice(0, whole.motion.nq), slice(0, whole.motion.nv))
        return whole, self._part(whole.motion, part)[1]

    def full_name(self, coordinate: str) -> str:
        """Return the name in ``coordinate_names`` of a coordinate.

        Parameters
        ----------
        coordinate : str
            Name of the coordinate, or of a merged joint; other names are returned unchanged.

        Returns
        -------
        str
            Full name.
        """
        for name, (number, _) in self._members.items():
            own = self.joints[number].name
            if (coordinate == name or coordinate.startswith(f"{name}.")) and not name.startswith(f"{own}."):
                return f"{own}.{coordinate}"
        return coordinate

    def _find(self, name: str) -> tuple[int, int | None]:
        """Return the index of the joint of a name and, for a part of a compound joint, the index of the part."""
        if isinstance(name, str):
            if name in self._numbers:
                return self._numbers[name], None
            if name in self._members:
                return self._members[name]
        called = {place: member for member, place in self._members.items()}  # the shorter name comes last
        raise UnknownNameError("joint", name, [*self._numbers, *called.values()])

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {joint.name: k for k, joint in enumerate(self.joints)}

    @cached_property
    def _members(self) -> dict[str, tuple[int, int]]:
        """Parts of compound joints by "joint.part", and by their own names where these are unique."""
        found: dict[str, tuple[int, int]] = {}
        own: list[str] = []
        for k, joint in enumerate(self.joints):
            for i, part in enumerate(joint.motion.parts):
                found[f"{joint.name}.{part.name or i}"] = k, i
                if part.name and joint.type == Compound.type:  # those of all universal joints have the same names
                    own.append(part.name)
                    found.setdefault(part.name, (k, i))
        twice = {name for name, count in Counter(own).items() if count > 1}
        return {name: place for name, place in found.items() if name not in twice and name not in self._numbers}

    @cached_property
    def _places(self) -> tuple[Places, ...]:
        """Slices of all joints."""
        q = np.cumsum([0, *(joint.nq for joint in self.joints)]).tolist()
        v = np.cumsum([0, *(joint.nv for joint in self.joints)]).tolist()
        return tuple(map(Places, map(slice, q, q[1:]), map(slice, v, v[1:])))

    @staticmethod
    def _part(motion: JointType, number: int) -> tuple[JointPart, Places]:
        """Return a part of a compound joint type, and its indices in the compound's coordinates."""
        before = [part.motion for part in motion.parts[:number]]
        one = motion.parts[number]
        q, v = sum(m.nq for m in before), sum(m.nv for m in before)
        return one, Places(slice(q, q + one.motion.nq), slice(v, v + one.motion.nv))

    # regrouping; other transformations: `methods.py`

    def snapped(self, angle: float = 1e-5) -> Model:
        """Return the model with corrected right angles, which files give with few digits: 1.5708 becomes π/2.

        Parameters
        ----------
        angle : float, optional
            Largest correction of a rotation in rad.

        Returns
        -------
        Model
            Mechanism in which rotations of joints and frames are replaced by simpler ones, with more zeros after
            rotations by multiples of π/12. Positions change by `angle` times the size of the mechanism, so that results
            differ in about the sixth digit; compiled functions have fewer operations.
        """
        from linkwright.model.build.assembly import assemble
        from linkwright.model.transformations.right_angles import snapped

        model = assemble(snapped(self, angle))
        return model if self.physical is None else model.minimal()

    def minimal(self, form: str = "inertia") -> Model:
        """Return a model with the same motion and regrouped inertial parameters, as many as possible zero.

        Parameters
        ----------
        form : {"inertia", "second moment"}, optional
            Parameters with zeros: the inertia I, for algorithms that transform inertias (mass matrix, forward
            dynamics), or the second moment Σ = ½ tr(I) 1 − I, for inverse dynamics.

        Returns
        -------
        Model
            Mechanism with the same joint-space dynamics (inverse and forward dynamics, mass and Coriolis matrices, bias
            and gravity forces) and kinematics. The inertias in ``links`` are not those of rigid bodies, so that a
            minimal model has no energy, momentum, mass or center of mass.

        References
        ----------
        Khalil & Dombre, *Modeling, Identification and Control of Robots* (2002), chapter 9.
        """
        from linkwright.model.transformations.minimal import minimal

        if self.physical is not None:
            return self
        made: Model = derived(self, minimal, form)
        return made

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the model to a file: URDF (.urdf), MJCF (.xml, .mjcf), SDF (.sdf) or ZTK (.ztk).

        Parameters
        ----------
        path : str or path-like
            Path; its ending selects the format.

        Returns
        -------
        Path
            Path.

        Raises
        ------
        ArgumentError
            If the ending is unknown.
        InputError
            If writing fails.
        ModelError
            If the model is minimal.

        Notes
        -----
        Elements that the format cannot represent are listed in one :class:`FormatWarning`.
        """
        written: Path = save_model(self, path)
        return written

    def require_physical(self, what: str) -> None:
        """Check that the model is not minimal, whose inertias are not those of bodies.

        Parameters
        ----------
        what : str
            Quantity that needs inertias of bodies, for the message.

        Raises
        ------
        ModelError
            If the model is minimal.
        """
        if self.physical is not None:
            raise ModelError(
                f"{what} cannot be computed from a minimal model: regrouped inertias are not those of the bodies of "
                f"{self.name!r}; use the model on which minimal() was called"
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
    """Return a body in the axes of its file from its inertia."""
    mass, center, inertia = about_center_of_mass(rigid)
    for array in (center, inertia):
        array.setflags(write=False)
    return Body(name, mass, center, inertia, links)
