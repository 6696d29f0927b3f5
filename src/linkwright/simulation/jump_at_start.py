"""Warning of starts that contact or joint limits correct by a fast motion, which adds energy."""

from __future__ import annotations

import numpy as np

from linkwright.dynamics.contact.placed_shapes import bounding_sphere
from linkwright.dynamics.contact.points import pair_name
from linkwright.dynamics.impulses.impulse_solver import SHIFT_SPEED
from linkwright.dynamics.overlaps import overlap_depths
from linkwright.errors import warn
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model, floating_bases
from linkwright.simulation.recording.recorder import MotionRecorder
from linkwright.spatial.arrays import Array

DEEP = 0.02
"""Overlap at the start, relative to the length of the mechanism, that advice on a diverged motion mentions; and the
displacement of a base or a slide, by which it jumps."""

TURNED = 0.1
"""rad: angle by which a hinge jumps"""


def warn_of_jump_at_start(model: Model, record: MotionRecorder, limits: bool) -> None:
    """Warn if contact moved a robot out of a deep overlap at the start, or joint limits a joint that was far beyond
    them; ``limits``: whether they act.

    The overlap is deep if it is larger than the radius of the bounding sphere of the smaller shape, so that the center
    of the shape is inside the other one. Both are computed only where a base or a joint moves farther than by its
    velocity.
    """
    if not (model.pairs or limits) or record.count < 2:
        return
    margins = _margins(model)
    jumped = _jumped(model, record, margins)
    beyond = np.maximum(model.lower - record.q[0], record.q[0] - model.upper) if limits else -np.inf
    far = jumped & (beyond > margins)
    if far.any():
        excess = np.where(far, beyond, -np.inf).reshape(-1, model.nq).max(axis=0)
        worst = int(excess.argmax())
        warn(_beyond_limits(model, worst, float(excess[worst])))
    rows = jumped.any(axis=-1)
    if model.pairs and rows.any() and (text := _deep_overlap(model, record.q[0][rows][0])):
        warn(text)


def _margins(model: Model) -> Array:
    """Return the displacement (nq,) from which each coordinate jumps."""
    margins = np.full(model.nq, DEEP * scale_of(model).length)
    for joint in model.joints:
        if not joint.coupling:
            start = model.slice(joint.name).q.start
            margins[[start + i for i, j in joint.motion.plain if joint.motion.units[j] == "rad"]] = TURNED
    return margins


def _jumped(model: Model, record: MotionRecorder, margins: Array) -> Array:
    """Return which coordinates (…, nq) moved farther than by their velocities before the second sample."""
    (q0, q1), (v0, v1), interval = record.q[:2], record.v[:2], record.h * record.every
    margins = np.minimum(margins, 0.5 * SHIFT_SPEED * interval)  # a shift moves nothing faster
    moved, speed = np.abs(q1 - q0), np.maximum(np.abs(v0), np.abs(v1))
    jumped = np.zeros(q0.shape, dtype=bool)
    for k in floating_bases(model):
        at, rate = model.slice(model.joints[k].name)
        distance, fastest = (np.linalg.norm(x[..., :3], axis=-1) for x in (moved[..., at], speed[..., rate]))
        jumped[..., at.start] = distance > interval * fastest + margins[at.start]
    for joint in model.joints:
        if joint.coupling or joint.motion.floating:
            continue
        at, rate = model.slice(joint.name)
        for i, j in joint.motion.plain:
            n = at.start + i
            jumped[..., n] |= moved[..., n] > interval * speed[..., rate.start + j] + margins[n]
    return jumped


def _beyond_limits(model: Model, coordinate: int, excess: float) -> str:
    name = model.coordinate_names[coordinate]
    low, high = model.lower[coordinate], model.upper[coordinate]
    return (
        f"at the start, {name!r} is {excess:.3g} beyond its limits, {low:.6g} to {high:.6g}: joint limits move it back "
        f"at up to {SHIFT_SPEED:g} m/s or rad/s. Start within the limits: np.clip(q0, model.lower, model.upper)"
    )


def _deep_overlap(model: Model, q: Array) -> str:
    """Return the warning of the deepest overlap at q (nq,) that is larger than a shape; "" for none."""
    found = []
    for pair, depth in zip(model.pairs, overlap_depths(model, model.pairs, q), strict=True):
        if not depth > 0.0:
            continue
        radii = [bounding_sphere(model.shapes[number])[1] for number in (pair.first, pair.second)]
        radius = min((r for r in radii if r > 0.0), default=np.inf)
        if depth > radius:
            found.append((depth, radius, pair_name(model, pair)))
    if not found:
        return ""
    depth, radius, name = max(found)
    return (
        f"at the start, {name} overlap by {depth:.3g} m, more than the radius of the smaller shape, {radius:.3g} m: "
        f"contact moves it out at up to {SHIFT_SPEED:g} m/s, which adds energy. Start without overlap, such as at "
        "lw.standing_configuration(model, q0)"
    )
