"""Sensors: measured quantities of joints, actuators, frames and subtrees, by name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from linkwright.errors import InputError, UnknownNameError, explained, is_choice
from linkwright.spatial.arrays import is_finite_number

OF_JOINTS = {"jointpos": 1, "jointvel": 1, "jointactuatorfrc": 1, "ballquat": 4, "ballangvel": 3}

OF_ACTUATORS = {"actuatorpos": 1, "actuatorvel": 1, "actuatorfrc": 1}

OF_FRAMES = {
    "accelerometer": 3,
    "velocimeter": 3,
    "gyro": 3,
    "framepos": 3,
    "framequat": 4,
    "framexaxis": 3,
    "frameyaxis": 3,
    "framezaxis": 3,
    "framelinvel": 3,
    "frameangvel": 3,
    "framelinacc": 3,
    "frameangacc": 3,
}

OF_SUBTREES = {"subtreecom": 3, "subtreelinvel": 3, "subtreeangmom": 3}

OF_SURROUNDINGS = {"touch": 1, "force": 3, "torque": 3, "rangefinder": 1}

SIZES = {**OF_JOINTS, **OF_ACTUATORS, **OF_FRAMES, **OF_SUBTREES, **OF_SURROUNDINGS}
"""Number of entries of each type of sensor."""

OF_ACCELERATIONS = ("accelerometer", "framelinacc", "frameangacc", "force", "torque")
"""Types that need the acceleration."""

OF_CONTACTS = ("touch", "force", "torque")
"""Types that need the contacts."""

ZONES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
"""Number of parameters of each kind of zone of a touch sensor."""


@explained
@dataclass(frozen=True)
class Sensor:
    """Sensor of a model, with the meaning of MuJoCo's.

    Parameters
    ----------
    name : str
        Name of the sensor.
    type : str
        "jointpos", "jointvel", "jointactuatorfrc", "ballquat" or "ballangvel" of a joint; "actuatorpos", "actuatorvel"
        or "actuatorfrc" of an actuator; "accelerometer", "velocimeter" or "gyro" in the axes of a frame; "framepos",
        "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel", "framelinacc" or
        "frameangacc" of a frame in world axes; "subtreecom", "subtreelinvel" or "subtreeangmom" of a body with its
        descendants. Linear accelerations contain −g, as those of accelerometers. "force" and "torque" in the axes of a
        frame, about its origin: the wrench of the parent on the link of the frame. "touch": the sum of the normal
        contact forces on the link of the frame in ``zone``. "rangefinder": the distance along the z axis of the frame
        to the nearest shape of another link; −1 if there is none.
    target : str
        Name of the joint, actuator, frame or body.
    reference : str, optional
        Frame that replaces the world in position, orientation and velocity of a frame.
    cutoff : float, optional
        Largest absolute value of an entry; 0: no limit.
    zone : tuple of str and tuple of float, optional
        Shape about the origin of the frame of a touch sensor, in its axes, with sizes as those of :class:`Shape`:
        ("sphere", (radius,)), ("capsule", (radius, length)), ("cylinder", (radius, length)), ("box", (x, y, z)) or
        ("ellipsoid", (x, y, z)). A contact counts if the ray from its point out of the link, along the normal, meets
        the zone.

    Examples
    --------
    >>> import linkwright as lw
    >>> sensor = lw.Sensor("imu", "gyro", "tool")
    >>> sensor.size
    3
    """

    name: str
    type: str
    target: str
    reference: str = ""
    cutoff: float = 0.0
    zone: tuple[str, tuple[float, ...]] | None = None

    def __post_init__(self) -> None:
        if self.type not in SIZES:
            raise UnknownNameError("sensor type", self.type, SIZES)
        if not 0.0 <= self.cutoff < float("inf"):
            raise InputError(f"sensor {self.name!r}: cutoff is not negative; got {self.cutoff!r}")
        if (self.type == "touch") != (self.zone is not None):
            needs = "needs" if self.type == "touch" else "of this type has no"
            raise InputError(f"sensor {self.name!r} {needs} zone, such as ('sphere', (radius,)); got {self.zone!r}")
        if self.zone is not None and not _is_zone(self.zone):
            kinds = ", ".join(f"({kind!r}, {count} numbers)" for kind, count in ZONES.items())
            raise InputError(f"sensor {self.name!r}: a zone is one of {kinds}, in m; got {self.zone!r}")

    @property
    def size(self) -> int:
        """Number of entries of a reading."""
        return SIZES[self.type]

    def renamed(self, name: Callable[[str], str], frame: Callable[[str], str]) -> Sensor:
        """Change the names.

        Parameters
        ----------
        name, frame : callable
            Functions of the name of a sensor, joint or actuator, and of a frame or body.

        Returns
        -------
        Sensor
            Sensor with other names.
        """
        of_joint = self.type in OF_JOINTS or self.type in OF_ACTUATORS
        target = name(self.target) if of_joint else frame(self.target)
        return replace(self, name=name(self.name), target=target, reference=self.reference and frame(self.reference))

    def fits(self, joints: Collection[str], actuators: Collection[str], frames: Collection[str]) -> bool:
        """Check that target and reference exist.

        Parameters
        ----------
        joints, actuators, frames : collection of str
            Names of a model.

        Returns
        -------
        bool
            Whether they exist.
        """
        places = joints if self.type in OF_JOINTS else actuators if self.type in OF_ACTUATORS else frames
        return self.target in places and (not self.reference or self.reference in frames)


def _is_zone(zone: Any) -> bool:
    if not isinstance(zone, tuple) or len(zone) != 2 or not is_choice(zone[0], ZONES):
        return False
    kind, size = zone
    right = isinstance(size, tuple) and len(size) == ZONES[kind]
    return right and all(is_finite_number(x) and x > 0.0 for x in size)
