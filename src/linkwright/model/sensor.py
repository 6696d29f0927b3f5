"""Sensors: measured quantities of joints, actuators, frames and subtrees, by name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from linkwright.errors import InputError, UnknownNameError

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

SIZES = {**OF_JOINTS, **OF_ACTUATORS, **OF_FRAMES, **OF_SUBTREES}
"""Number of entries of each type of sensor."""

OF_ACCELERATIONS = ("accelerometer", "framelinacc", "frameangacc")
"""Types that need the acceleration."""


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
        descendants. Linear accelerations contain −g, as those of accelerometers.
    target : str
        Name of the joint, actuator, frame or body.
    reference : str, optional
        Frame that replaces the world in position, orientation and velocity of a frame.
    cutoff : float, optional
        Largest absolute value of an entry; 0: no limit.

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

    def __post_init__(self) -> None:
        if self.type not in SIZES:
            raise UnknownNameError("type of sensor", self.type, SIZES)
        if not 0.0 <= self.cutoff < float("inf"):
            raise InputError(f"sensor {self.name!r}: cutoff is not negative; got {self.cutoff!r}")

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
        of_frame = self.type in OF_FRAMES or self.type in OF_SUBTREES
        target = frame(self.target) if of_frame else name(self.target)
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
