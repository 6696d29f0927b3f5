"""A motion as a log of Foxglove (MCAP) or Rerun: poses and solids of links, signals of joints, contact forces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

import numpy as np

from linkwright.browser.view.robot import body_poses
from linkwright.browser.view.solids import Solids, Strut, solids_of
from linkwright.errors import InputError, MissingExtraError
from linkwright.geometry import rotation
from linkwright.model.build.description import WORLD
from linkwright.model.coordinates import velocity_names
from linkwright.model.memo import derived
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.simulation.recording.motion import Motion
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose
from linkwright.visual.palette import FORCE

LOGS = {
    ".mcap": ("foxglove_log", "mcap", "foxglove"),
    ".rrd": ("rerun_log", "rerun-sdk", "rerun"),
}
"""Module of the writer, package and extra, by the ending of the file."""

FORCE_COLOR = (int(FORCE[1:3], 16), int(FORCE[3:5], 16), int(FORCE[5:], 16))
"""red, green and blue of the arrows of forces, 0 to 255"""


@dataclass(frozen=True)
class JointSignal:
    """One coordinate of a joint over time, or a velocity of a joint with other velocities than rates."""

    name: str
    values: dict[str, Array]
    """(n,) by "position", "velocity" and "effort\""""
    of_base: bool = False
    """whether the joint is a floating base, whose pose is that of its link"""


@dataclass(frozen=True)
class WeldedLink:
    """Link that is welded to a moving link, or to the world."""

    name: str
    parent: str
    position: Array
    """(3,), m, in the axes of the parent"""
    quaternion: Array
    """(4,), w x y z"""


@dataclass(frozen=True)
class ContactArrows:
    """Contact forces on the first shape of each pair, at the center of pressure, in world axes."""

    pairs: tuple[str, ...]
    centers: Array
    """(n, pairs, 3), m"""
    forces: Array
    """(n, pairs, 3), N"""
    scale: float
    """length of an arrow, m/N"""
    thickness: float
    """of an arrow, m"""

    def acting(self, k: int) -> Array:
        """Return the pairs (m,) with a force at the sample k."""
        return np.flatnonzero(self.forces[k].any(axis=-1))


@dataclass(frozen=True)
class MotionLog:
    """Contents of a log, independent of its format."""

    name: str
    times: Array
    """(n,), s"""
    links: tuple[str, ...]
    positions: Array
    """(n, links, 3), m"""
    quaternions: Array
    """(n, links, 4), w x y z"""
    solids: Solids
    """in the axes of the links"""
    joints: tuple[JointSignal, ...]
    welded: tuple[WeldedLink, ...]
    contacts: ContactArrows | None
    """None without pairs of shapes that may touch"""

    def strut_ends(self, strut: Strut) -> Array:
        """The ends (n, 2, 3) of a strut in the world, m."""
        ends = []
        for body, end in zip(strut.bodies, strut.ends, strict=True):
            if body < 0:
                ends.append(np.broadcast_to(end, (len(self.times), 3)))
            else:
                R = rotation.from_quaternion(self.quaternions[:, body])
                ends.append(R @ end + self.positions[:, body])
        return np.stack(ends, axis=1)


def log_of(motion: Motion) -> MotionLog:
    """The contents of the log of a motion, which is no batch."""
    model = motion.model
    times, q = motion.playing
    if not len(times):
        raise InputError("the motion has no samples")
    if times[0] < 0.0:
        raise InputError(f"logs begin at t = 0 s or later; the motion begins at t = {times[0]:g} s")
    poses = body_poses(model, q) if model.bodies else np.empty((len(times), 0, 4, 4))
    last = np.append(np.diff(motion.t) > 0.0, True)
    v, tau = motion.v[last], motion.tau[last]
    joints = []
    names = velocity_names(model)
    for joint in model.joints:
        if joint.coupling is not None:
            continue
        place = model.slice(joint.name)
        own = [
            JointSignal(model.coordinate_names[k], {"position": q[:, k]}) for k in range(place.q.start, place.q.stop)
        ]
        rates = [
            JointSignal(names[k], {"velocity": v[:, k], "effort": tau[:, k]})
            for k in range(place.v.start, place.v.stop)
        ]
        if [one.name for one in own] == [one.name for one in rates]:
            own = [JointSignal(a.name, a.values | b.values) for a, b in zip(own, rates, strict=True)]
        else:
            own += rates
        joints += [replace(one, of_base=joint.motion.floating) for one in own]
    return MotionLog(
        model.name,
        times,
        tuple(body.name for body in model.bodies),
        poses[..., :3, 3],
        rotation.to_quaternion(poses[..., :3, :3]),
        derived(model, solids_of),
        tuple(joints),
        tuple(_welded_links(model)),
        _contact_arrows(motion),
    )


def _contact_arrows(motion: Motion) -> ContactArrows | None:
    found = motion.contact_arrows
    if found is None:
        return None
    centers, forces = (np.nan_to_num(x) for x in found)
    model, size = motion.model, scale_of(motion.model).length
    weight = sum(float(body.mass) for body in model.bodies) * float(np.linalg.norm(model.gravity))
    return ContactArrows(tuple(motion.contacts.names), centers, forces, 0.35 * size / (weight or 1.0), 0.015 * size)


def _welded_links(model: Model) -> Iterator[WeldedLink]:
    """Yield the links that do not move relative to a moving link or the world."""
    moving = [body.name for body in model.bodies]
    for spec in model.description.bodies:
        if spec.name in moving:
            continue
        frame = model.frames[spec.name]
        parent = moving[frame.body] if frame.body >= 0 else WORLD
        T = inverse_pose(model.frames[parent].placement) @ frame.placement
        yield WeldedLink(spec.name, parent, T[:3, 3], rotation.to_quaternion(T[:3, :3]))


def save_log(motion: Motion, path: Path) -> None:
    """Write the log of a motion in the format of the path's ending."""
    module, package, extra = LOGS[path.suffix.lower()]
    try:
        write = import_module(f"linkwright.browser.recorded.{module}").write
    except ImportError as error:
        message = f'logs {path.suffix} require {package}: pip install "linkwright[{extra}]" ({error})'
        raise MissingExtraError(message) from None
    write(log_of(motion), path)
