"""Elements of a model: joints, bodies and frames, and the links of the algorithms."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright.model.equality import ByValue
from linkwright.model.joints.joint_type import JointType
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
    neutral: Array
    """coordinates in the neutral configuration; those of a mimic joint are not used"""
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
class CompensatedWeight(ByValue):
    """Part of the weight of a link that a passive force, −m g at its center of mass, compensates."""

    frame: str
    """name of the link"""
    mass: float
    """compensated mass in kg"""
    first_moment: Array
    """(3,), compensated mass times center of mass, in the axes of the link, in kg m"""

    @classmethod
    def of(cls, frame: str, fraction: float, inertia: RigidInertia) -> CompensatedWeight:
        """Return this fraction of the weight of a link."""
        return cls(frame, fraction * inertia.mass, fraction * inertia.first_moment)


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


PER_COORDINATE = ("lower", "upper", "rest", "neutral")
"""Parameters of a joint per position coordinate, also of the :class:`JointSpec` from which it was made."""

PER_VELOCITY = ("velocity_limit", "effort_limit", "stiffness", "damping", "friction", "armature")
"""Parameters of a joint per velocity coordinate."""


def public_body(name: str, rigid: RigidInertia, links: tuple[str, ...]) -> Body:
    """Return a body in the axes of its file from its inertia."""
    mass, center, inertia = about_center_of_mass(rigid)
    for array in (center, inertia):
        array.setflags(write=False)
    return Body(name, mass, center, inertia, links)
