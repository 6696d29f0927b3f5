"""Sliders for the joints: one per coordinate; quaternions have three angles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from linkwright.browser.posture import Newest, Posture
from linkwright.dynamics import close_loops, constraint_jacobian, mobility
from linkwright.errors import ClosureError
from linkwright.geometry import rotation
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.linkage import skeleton

Unit = Literal["degrees", "radians"]

STEPS = 1000
"""Approximate number of steps of a slider."""
LONGEST = 32
"""Largest number of characters of a shown name."""
MANY = 10
"""Largest number of sliders without folders for limbs."""
STRIDE = 0.1
"""Largest step between two closures of loops, rad or relative to the length of the mechanism."""
TURNS = ("roll", "pitch", "yaw")


@dataclass(frozen=True)
class Knob:
    """The variable of a slider: a coordinate, or a roll, pitch or yaw angle of a quaternion."""

    joint: str
    name: str
    body: int
    angle: bool
    """rad, else m"""
    low: float
    high: float
    place: int
    """index in q of the coordinate, or of the first one of the quaternion"""
    turn: int | None = None
    """index of the angle of a quaternion"""
    endless: bool = False
    """an angle without limits"""

    def read(self, q: Array) -> float:
        """Return its value, rad or m, in a configuration (nq,)."""
        if self.turn is not None:
            R = rotation.from_quaternion(q[self.place : self.place + 4])
            return float(rotation.to_rpy(R)[self.turn])
        value = float(q[self.place])
        return float(np.arctan2(np.sin(value), np.cos(value))) if self.endless else value


def knobs_of(model: Model, start: Array | None = None) -> list[Knob]:
    """Return the knobs of a model in the order of its coordinates, without mimic joints.

    The range of a coordinate without limits contains zero and its value in ``start`` (nq,).
    """
    length = scale_of(model).length
    knobs = []
    for body, joint in enumerate(model.joints):
        if not joint.nq:
            continue
        where = model.slice(joint.name)
        place, units = where.q.start, list(joint.motion.units)
        quaternions = {start for start in model.quaternion_starts if where.q.start <= start < where.q.stop}
        while units:
            if place in quaternions:
                for k, turn in enumerate(TURNS):
                    knobs.append(Knob(joint.name, f"{joint.name} {turn}", body, True, -np.pi, np.pi, place, k))
                place, units = place + 4, units[3:]
                continue
            angle = units.pop(0) != "m"
            low, high = float(model.lower[place]), float(model.upper[place])
            span = np.pi if angle else _rounded(length * (6.0 if joint.motion.floating else 1.0))
            endless = angle and not np.isfinite(low) and not np.isfinite(high)
            about = 0.0 if start is None or angle else float(start[place])
            low = (
                low if np.isfinite(low) else min(-span, about - span, high - 2.0 * span if np.isfinite(high) else -span)
            )
            high = high if np.isfinite(high) else max(span, about + span, low + 2.0 * span)
            own = model.coordinate_names[place].removeprefix(joint.name).removeprefix(".")
            name = f"{joint.name} {own}".rstrip()
            knobs.append(Knob(joint.name, name, body, angle, low, high, place, None, endless))
            place += 1
    return knobs


def free_velocities(model: Model, q: Array) -> Array:
    """Return a basis (nv, n) of the velocities that the loop constraints allow in a configuration (nq,)."""
    scale = scale_of(model)
    K = np.asarray(constraint_jacobian(model, q)) * scale.velocities / scale.rows[:, None]
    free = mobility(model, q).at_configuration
    N: Array = np.linalg.svd(K)[2][model.nv - free :].T
    return N * scale.velocities[:, None]


def drivers(model: Model, q: Array) -> tuple[str, ...]:
    """Return independent joints of one coordinate each that determine the motion of a mechanism with closed loops.

    They are selected one after the other: the first joint that is nearly independent of the selected ones. They are
    fewer than the degrees of freedom if joints of one coordinate do not suffice.
    """
    rows = free_velocities(model, q) / scale_of(model).velocities[:, None]  # share of each joint in each free motion
    free = rows.shape[1]
    single = [(joint.name, model.slice(joint.name).v.start) for joint in model.joints if joint.nv == 1]
    chosen: list[str] = []
    while len(chosen) < free:
        left = [(name, float(np.linalg.norm(rows[at])), at) for name, at in single if name not in chosen]
        most = max((size for _, size, _ in left), default=0.0)
        if most < 1e-6:
            break
        name, size, at = next(one for one in left if one[1] >= 0.3 * most)
        along = rows[at] / size
        rows -= np.outer(rows @ along, along)
        chosen.append(name)
    return tuple(chosen)


class Sliders:
    """The sliders of a posture in the panel.

    ``gui``: GUI of a viser server, in an open folder or tab. ``unit``: unit of angles. In a mechanism with closed loops
    the other driving joints keep their values, and the passive joints follow.
    """

    def __init__(self, gui: Any, posture: Posture, unit: Unit = "degrees", show_message: Any = None):
        self.gui, self.posture, self.model = gui, posture, posture.model
        self.knobs = knobs_of(self.model, posture.start)
        self.drivers = drivers(self.model, posture.q) if self.model.loops else ()
        self.unit: Unit = unit
        self.handles: dict[str, Any] = {}
        """the sliders by the names of their knobs"""
        self._values: dict[str, float] = {}
        """exact values of all knobs, rad or m"""
        self._show_message = show_message if show_message is not None else lambda text: None
        self._newest = Newest()
        self._folders: list[Any] = []
        self._add()
        posture.listen(self.show, self)

    def show(self, q: Array) -> None:
        """Set all sliders to a configuration (nq,)."""
        for knob in self.knobs:
            self._put(knob, knob.read(q))

    def in_unit(self, unit: Unit) -> None:
        """Change the unit of angles."""
        if unit != self.unit:
            self.unit = unit
            for folder in self._folders:
                folder.remove()
            self._add()

    def set(self, name: str, value: float) -> None:
        """Set one coordinate, rad or m, as its slider does."""
        knob = next(knob for knob in self.knobs if knob.name == name)
        q, text = self._moved(knob, value)
        self.posture.move(q, by=self)
        self.show(q) if self.model.loops else self._put(knob, knob.read(q) if knob.turn is None else value)
        self._show_message(text)

    def _add(self) -> None:
        self._folders, self.handles = [], {}
        q = self.posture.q
        for title, knobs in self._grouped():
            folder = self.gui.add_folder(title, expand_by_default=len(self._folders) < 2)
            self._folders.append(folder)
            with folder:
                for knob in knobs:
                    self._slider(knob, q)

    def _grouped(self) -> list[tuple[str, list[Knob]]]:
        """Return the titles of the folders and their knobs."""
        if self.model.loops:
            first = [knob for knob in self.knobs if knob.joint in self.drivers]
            rest = [knob for knob in self.knobs if knob.joint not in self.drivers]
            groups = [(f"Driving joints ({self._units(first)})", first), ("Passive joints", rest)]
        elif len(self.knobs) <= MANY:
            groups = [(f"Joints ({self._units(self.knobs)})", self.knobs)]
        else:
            bones = skeleton(self.model)
            limbs: dict[int, list[Knob]] = {}
            for knob in self.knobs:
                floats = bool(bones.floats[knob.body])
                limbs.setdefault(-1 - knob.body if floats else int(bones.limbs[knob.body]), []).append(knob)
            groups = [
                (self._limb(knobs) + f" ({self._units(knobs)})" * (k == 0), knobs)
                for k, knobs in enumerate(limbs.values())
            ]
        return [(title, knobs) for title, knobs in groups if knobs]

    def _units(self, knobs: list[Knob]) -> str:
        return ", ".join(dict.fromkeys(str(self.unit) if knob.angle else "meters" for knob in knobs))

    @staticmethod
    def _limb(knobs: list[Knob]) -> str:
        first, last = knobs[0].joint, knobs[-1].joint
        return shortened(first) if first == last else f"{shortened(first)} … {shortened(last)}"

    def _slider(self, knob: Knob, q: Array) -> None:
        low, high, digits = self._ends(knob)
        self._values[knob.name] = knob.read(q)
        handle = self.gui.add_slider(
            shortened(knob.name), low, high, 10.0**-digits, self._shown(knob, knob.read(q)), hint=knob.name
        )
        self.handles[knob.name] = handle

        def moved(event: Any) -> None:
            if event.client is not None:  # else the program moved it
                self._newest.run(lambda: self.set(knob.name, self._meant(knob, float(handle.value))))

        handle.on_update(moved)

    def _ends(self, knob: Knob) -> tuple[float, float, int]:
        """Return the limits of a slider in its unit, and the number of decimals of its steps."""
        low, high = self._written(knob, knob.low), self._written(knob, knob.high)
        digits = int(np.clip(-np.floor(np.log10(max(high - low, 1e-9) / STEPS)), 0, 9))
        unit = 10.0 ** -(digits + 1)
        low, high = (
            round(np.ceil(low / unit - 1e-6) * unit, digits + 1),
            round(np.floor(high / unit + 1e-6) * unit, digits + 1),
        )
        return low, max(high, low + 10.0**-digits), digits

    def _written(self, knob: Knob, value: float) -> float:
        return float(np.degrees(value)) if knob.angle and self.unit == "degrees" else value

    def _meant(self, knob: Knob, value: float) -> float:
        value = float(np.radians(value)) if knob.angle and self.unit == "degrees" else value
        return float(np.clip(value, knob.low, knob.high))

    def _shown(self, knob: Knob, value: float) -> float:
        """Return a value in the unit of its slider, rounded to its steps."""
        low, high, digits = self._ends(knob)
        return float(np.clip(round(self._written(knob, value), digits), low, high))

    def _put(self, knob: Knob, value: float) -> None:
        self._values[knob.name] = value
        self.handles[knob.name].value = self._shown(knob, value)

    def _moved(self, knob: Knob, value: float) -> tuple[Array, str]:
        """Return the configuration (nq,) with a new value of one knob, and a message."""
        q = self.posture.q
        if knob.turn is None:
            if not self.model.loops:
                q[knob.place] = value
                return q, ""
            return self._driven(knob, q, value)
        angles = [self._values[one.name] for one in self._turns(knob)]
        angles[knob.turn] = value
        wanted = q.copy()
        wanted[knob.place : knob.place + 4] = rotation.to_quaternion(rotation.from_rpy(np.array(angles)))
        if not self.model.loops:
            return wanted, ""
        try:
            return close_loops(self.model, wanted), ""
        except ClosureError:
            return q, "The loops cannot be closed at this value."

    def _turns(self, knob: Knob) -> list[Knob]:
        return [one for one in self.knobs if one.place == knob.place and one.turn is not None]

    def _driven(self, knob: Knob, q: Array, value: float) -> tuple[Array, str]:
        """Move a driving joint towards a value as far as the loops can be closed."""
        held = self.drivers if knob.joint in self.drivers else (knob.joint,)
        way = value - float(q[knob.place])
        if knob.endless:
            way = float(np.arctan2(np.sin(way), np.cos(way)))
        stride = STRIDE * (1.0 if knob.angle else scale_of(self.model).length)
        steps = max(1, int(np.ceil(abs(way) / stride)))
        for _ in range(steps):
            try:
                q = self._step(knob, q, way / steps, held)
            except ClosureError:
                return q, "The loops cannot be closed beyond this value."
        return q, ""

    def _step(self, knob: Knob, q: Array, by: float, held: tuple[str, ...]) -> Array:
        guess = q.copy()
        guess[knob.place] += by
        return close_loops(self.model, guess, fixed=held)


def _rounded(length: float) -> float:
    """Return a length rounded up to two digits."""
    unit = 10.0 ** (np.floor(np.log10(length)) - 1)
    return float(np.ceil(length / unit - 1e-9) * unit)


def shortened(name: str) -> str:
    """Return a name short enough for a slider, without its middle."""
    if len(name) <= LONGEST:
        return name
    half = LONGEST // 2
    return f"{name[: half - 1]}…{name[-half:]}"
