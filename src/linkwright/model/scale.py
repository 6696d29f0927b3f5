"""Characteristic length and mass of a mechanism: the units of all thresholds.

Results for a watch and a crane are comparable: whether a configuration is closed or singular, and whether a motion is
possible, depends on numbers in units of the mechanism's length L and its mass.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwright.model.joints.joint_type import samples
from linkwright.model.joints.loop import CoordinateLoop
from linkwright.model.memo import kept
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic

SMALLEST = float(np.finfo(float).tiny)
"""Masses and moments (kg, kg m²) below this, 2.2e-308, lose digits, and their inverses are infinite."""


class Scale(NamedTuple):
    """Units of a mechanism in SI units; its unit of time is the second."""

    length: float
    """L, m"""
    mass: float
    """kg"""
    velocities: Array
    """(nv,), of every velocity coordinate and its displacement: L, or 1 rad"""
    rows: Array
    """(m,), of every row of the loops' residuals: L, or 1 rad"""

    @property
    def efforts(self) -> Array:
        """Units (nv,) of the efforts of all velocity coordinates, N or N m."""
        return self.mass * self.length**2 / self.velocities


@kept
def scale_of(model: Model) -> Scale:
    """Return the scale of a model; ones for symbols."""
    model = model.physical or model  # regrouped inertias have no scale
    length, mass = size_of(model)
    return Scale(length, mass, _velocities(model, length), _rows(model, length))


def size_of(model: Model) -> tuple[float, float]:
    """Return a model's length in m and mass in kg; ones where it has none."""
    return _length(model), max((_number(link.rigid_inertia.mass) for link in model.links), default=0.0) or 1.0


def _velocities(model: Model, length: float) -> Array:
    units = [unit for joint in model.joints if joint.nv for unit in joint.motion.units]
    return np.array([length if unit == "m" else 1.0 for unit in units])


def _rows(model: Model, length: float) -> Array:
    rows = [np.zeros(0)]
    for loop in model.loops:
        if isinstance(loop, CoordinateLoop):
            rows.append(np.array([_of_tie(model, loop, length)]))
        else:
            rows.append(np.array([length if unit == "m" else 1.0 for unit in loop.kind.units]))
    return np.concatenate(rows)


def _of_tie(model: Model, loop: CoordinateLoop, length: float) -> float:
    """Return the unit of the first coordinate; for a locked one, the change of the coupling per unit of the second."""

    def unit(name: str) -> float:
        k, _, at_v = model.plain_coordinates[name]
        return length if model.joints[k].motion.units[at_v] == "m" else 1.0

    if loop.first:
        return unit(loop.first)
    second = unit(loop.second) if loop.second else 1.0
    return max((abs(c) * second**k for k, c in enumerate(loop.coefficients) if k), default=0.0) or 1.0


def _length(model: Model) -> float:
    """Return the longest of the offsets between bodies, of centers of mass, radii of gyration, pitches and loops."""
    if any(is_symbolic(link.placement, *link.rigid_inertia) for link in model.links):
        return 1.0
    offsets = [link.placement[:3, 3] for link in model.links if link.parent >= 0]
    offsets += [model.frames[end].placement[:3, 3] for x in model.loops for end in _ends(x) if end in model.frames]
    lengths = [float(np.abs(offsets).max(initial=0.0)) if offsets else 0.0]
    lengths += [abs(link.motion.pitch) for link in model.links]
    m = np.array([link.rigid_inertia.mass for link in model.links])
    heavy = m > 0.0
    if heavy.any():
        h = np.array([link.rigid_inertia.first_moment for link in model.links])[heavy]
        I = np.array([np.trace(link.rigid_inertia.inertia) for link in model.links])[heavy]
        lengths += [float((np.abs(h) / m[heavy, None]).max()), float(np.sqrt(np.abs(I) / m[heavy]).max())]
    if not any(lengths):  # for prismatic joints only, that of the ground
        lengths += [float(np.abs(link.placement[:3, 3]).max()) for link in model.links]
    longest = max(lengths)
    return longest if 0.0 < longest < math.inf else 1.0


def _ends(loop: object) -> tuple[str, ...]:
    return () if isinstance(loop, CoordinateLoop) else (loop.first, loop.second)  # type: ignore[attr-defined]


def _number(x: object) -> float:
    return 0.0 if is_symbolic(x) else float(x)  # type: ignore[arg-type]


def some_configuration(model: Model) -> Array:
    """Return a fixed random configuration (nq,): uniform within limits, else within ±π and ±L, and over rotations."""
    reach = np.concatenate([np.zeros(0), *(joint.motion.reach for joint in model.joints if joint.nq)])
    reach = np.where(reach == 1.0, scale_of(model).length, reach)  # not for quaternions
    return samples(np.random.default_rng(0), model.lower, model.upper, reach, model.quaternion_starts)
