"""Humanoid of human proportions: 29 joints and a floating base."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.model.build.builder import Builder
from linkwright.model.build.description import WORLD
from linkwright.model.library.bodies import ACCENT, DARK, BodyShapes
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

STATURE = 1.741
"""m, of the men of de Leva"""
MASS = 73.0
"""kg, of the men of de Leva"""

# P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29(9), 1996,
# table 4, men: mass as a fraction of the body's, length in m, center of mass as a fraction of it from the
# upper (of feet: rear) end, radii of gyration as fractions of it about the sagittal, transverse and long axes
SEGMENTS: dict[str, tuple[float, float, float, tuple[float, float, float]]] = {
    "head": (0.0694, 0.2429, 0.5002, (0.303, 0.315, 0.261)),  # vertex to seventh cervical vertebra
    "upper_trunk": (0.1596, 0.1707, 0.2999, (0.716, 0.454, 0.659)),  # upper to lower end of the breastbone
    "middle_trunk": (0.1633, 0.2155, 0.4502, (0.482, 0.383, 0.468)),  # to the navel
    "lower_trunk": (0.1117, 0.1457, 0.6115, (0.615, 0.551, 0.587)),  # to between the hips
    "upper_arm": (0.0271, 0.2817, 0.5772, (0.285, 0.269, 0.158)),
    "forearm": (0.0162, 0.2689, 0.4574, (0.276, 0.265, 0.121)),
    "hand": (0.0061, 0.0862, 0.7900, (0.628, 0.513, 0.401)),  # wrist to third knuckle
    "thigh": (0.1416, 0.4222, 0.4095, (0.329, 0.329, 0.149)),
    "shank": (0.0433, 0.4340, 0.4459, (0.255, 0.249, 0.103)),  # knee to ankle
    "foot": (0.0137, 0.2581, 0.4415, (0.257, 0.245, 0.124)),  # heel to toe
}

# fractions of stature of R. Drillis & R. Contini (1966), in D. Winter, "Biomechanics and Motor Control of
# Human Movement", 4th ed. 2009, figure 4.1
ANKLE_HEIGHT, SHOULDER_HEIGHT, SHOULDER_OFFSET = 0.039 * STATURE, 0.818 * STATURE, 0.129 * STATURE
# of a pelvis of 0.24 m; A. Bell, R. Brand & D. Pedersen, Human Movement Science 8, 1989
HIP_OFFSET = 0.36 * 0.24
HIP_HEIGHT = SEGMENTS["thigh"][1] + SEGMENTS["shank"][1] + ANKLE_HEIGHT
HEEL = 0.25
"""distance of the heel behind the ankle, as a fraction of the foot's length"""
FOOT_WIDTH = 0.055 * STATURE
"""from the same figure"""

BALL = 0.05
"""fraction of a segment's mass in each ball between the axes of its joint"""

AXES = {"roll": (1, 0, 0), "pitch": (0, 1, 0), "yaw": (0, 0, 1)}
Hinges = Sequence[tuple[str, float, float]]
"""(roll, pitch or yaw; lower and upper limit in degrees), from the parent outward"""


def humanoid() -> Model:
    """Return a man of 1.741 m and 73 kg as a robot: 29 joints and a free base, nq 36, nv 35; x forward, y left, z up.

    Segments have the measured masses and proportions of de Leva (1996, men); shoulders and ankles are
    placed after Winter (2009), hips after Bell et al. (1989). Every joint moves a body with mass: joints
    with several axes (hip, shoulder, waist, …) have small balls at their center, each with 5 % of the mass of the
    segment that they carry, which is reduced by this mass. At q = 0 it stands upright with hanging arms. The
    base is the pelvis, whose frame is between the hips at the world's origin, 0.924 m above the soles.

    Every link is a frame ("left_hand" at the wrist, "right_foot" at the ankle, "head" at the neck); further frames are
    "left_knuckles", "left_sole" (on the ground under the ankle), their right counterparts and "head_top".
    On both sides "…_roll" rotates about x, "…_pitch" about y and "…_yaw" about z, so that knees bend positively,
    elbows negatively. Limits are common ranges of motion (American Academy of Orthopaedic Surgeons), rounded.
    Each foot is a box of the length and width of a man's foot, from the sole to the ankle; only the feet are collision
    shapes (:meth:`Model.with_ground`). All other shapes are visual only.
    """
    builder = Builder("humanoid")
    builder.body("pelvis", *_inertia("lower_trunk")).joint("root", "free", WORLD, "pelvis")
    trunk = [("yaw", -45, 45), ("roll", -35, 35), ("pitch", -25, 80)]
    _segment(builder, "waist", trunk, "pelvis", (0, 0, SEGMENTS["lower_trunk"][1]), "torso", "middle_trunk", 0.08)
    builder.body("chest", *_inertia("upper_trunk"))
    builder.joint("torso_to_chest", "fixed", "torso", "chest", xyz=(0, 0, SEGMENTS["middle_trunk"][1]))
    chest = HIP_HEIGHT + SEGMENTS["lower_trunk"][1] + SEGMENTS["middle_trunk"][1]
    neck = STATURE - SEGMENTS["head"][1] - chest
    _segment(builder, "neck", [("yaw", -80, 80), ("pitch", -45, 45)], "chest", (0, 0, neck), "head", "head", 0.045)
    builder.frame("head_top", "head", xyz=(0, 0, SEGMENTS["head"][1]))
    for side in ("left", "right"):
        _arm(builder, side, SHOULDER_HEIGHT - chest)
        _leg(builder, side)
    _add_shapes(BodyShapes(builder), neck)
    return builder.build()


def _add_shapes(add: BodyShapes, neck: float) -> None:
    """Add the visual shapes, with the neck so high above the origin of the chest."""
    add.slab("pelvis", (0.0, 0.0, 0.035), (0.16, 0.29, 0.15))
    add.rod("torso", (0.0, -0.055, 0.05), (0.0, 0.055, 0.05), 0.078, DARK)
    add.slab("torso", (0.0, 0.0, 0.135), (0.165, 0.27, 0.17))
    add.slab("chest", (0.0, 0.0, 0.07), (0.2, 0.35, 0.25))
    add.slab("chest", (0.06, 0.0, 0.09), (0.1, 0.17, 0.13), ACCENT)
    add.drum("chest", (0.0, 0.0, 0.15), (0.0, 0.0, neck), 0.05)
    add.drum("head", (0.0, 0.0, -0.01), (0.0, 0.0, 0.08), 0.045)
    top = SEGMENTS["head"][1]
    add.rod("head", (0.012, 0.0, 0.105), (0.012, 0.0, top - 0.088), 0.088)
    add.rod("head", (0.062, -0.032, 0.14), (0.062, 0.032, 0.14), 0.043, DARK)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        upper_arm, forearm, hand = (f"{side}_{name}" for name in ("upper_arm", "forearm", "hand"))
        thigh, shank, foot = (f"{side}_{name}" for name in ("thigh", "shank", "foot"))
        add.ball(upper_arm, (0.0, 0.0, 0.0), 0.066)
        _limb(add, upper_arm, "upper_arm", 0.07, 0.047)
        add.ball(forearm, (0.0, 0.0, 0.0), 0.045)
        _limb(add, forearm, "forearm", 0.05, 0.039)
        add.ball(hand, (0.0, 0.0, 0.0), 0.034)
        add.slab(hand, (0.0, 0.0, -0.09), (0.08, 0.034, 0.14))
        add.rod(hand, (0.035, -0.012 * sign, -0.045), (0.058, -0.018 * sign, -0.085), 0.013, DARK)
        add.ball(thigh, (0.0, 0.0, 0.0), 0.074)
        _limb(add, thigh, "thigh", 0.09, 0.068)
        add.ball(shank, (0.0, 0.0, 0.0), 0.058)
        _limb(add, shank, "shank", 0.08, 0.052)
        add.ball(foot, (0.0, 0.0, 0.0), 0.042)
        length = SEGMENTS["foot"][1]
        height = 0.055
        middle = (0.5 - HEEL) * length, 0.0, 0.5 * height - ANKLE_HEIGHT
        add.slab(foot, middle, (length, FOOT_WIDTH, height))


def _limb(add: BodyShapes, body: str, segment: str, gap: float, radius: float) -> None:
    """Add a capsule along a hanging segment, its centers so far from both ends."""
    length = SEGMENTS[segment][1]
    add.rod(body, (0.0, 0.0, -gap), (0.0, 0.0, gap - length), radius)


def _arm(builder: Builder, side: str, shoulder_height: float) -> None:
    upper_arm, forearm, hand = f"{side}_upper_arm", f"{side}_forearm", f"{side}_hand"
    turns = [("pitch", -180, 60), _sided("roll", side, -30, 180), _sided("yaw", side, -70, 90)]
    place = (0, SHOULDER_OFFSET if side == "left" else -SHOULDER_OFFSET, shoulder_height)
    _segment(builder, f"{side}_shoulder", turns, "chest", place, upper_arm, "upper_arm", 0.04)
    _segment(builder, f"{side}_elbow", [("pitch", -150, 0)], upper_arm, _end("upper_arm"), forearm, "forearm")
    turns = [("yaw", -80, 80), _sided("roll", side, -80, 70)]
    _segment(builder, f"{side}_wrist", turns, forearm, _end("forearm"), hand, "hand", 0.025)
    builder.frame(f"{side}_knuckles", hand, xyz=_end("hand"))


def _leg(builder: Builder, side: str) -> None:
    thigh, shank, foot = f"{side}_thigh", f"{side}_shank", f"{side}_foot"
    turns = [_sided("yaw", side, -45, 45), _sided("roll", side, -30, 45), ("pitch", -120, 30)]
    place = (0, HIP_OFFSET if side == "left" else -HIP_OFFSET, 0)
    _segment(builder, f"{side}_hip", turns, "pelvis", place, thigh, "thigh", 0.05)
    _segment(builder, f"{side}_knee", [("pitch", 0, 135)], thigh, _end("thigh"), shank, "shank")
    turns = [("pitch", -20, 50), _sided("roll", side, -35, 15)]
    _segment(builder, f"{side}_ankle", turns, shank, _end("shank"), foot, "foot", 0.03)
    builder.frame(f"{side}_sole", foot, xyz=(0, 0, -ANKLE_HEIGHT))
    length = SEGMENTS["foot"][1]
    size, middle = (length, FOOT_WIDTH, ANKLE_HEIGHT), ((0.5 - HEEL) * length, 0.0, -0.5 * ANKLE_HEIGHT)
    builder.shape(foot, "box", size=size, xyz=middle, use="collision", name=foot)


def _sided(axis: str, side: str, lower: float, upper: float) -> tuple[str, float, float]:
    """Return the limits of a side from those of the left; rotations out of the symmetry plane change their sign."""
    return (axis, lower, upper) if side == "left" else (axis, -upper, -lower)


def _end(segment: str) -> tuple[float, float, float]:
    """Return the lower end of a hanging segment, from its upper end."""
    return 0.0, 0.0, -SEGMENTS[segment][1]


def _segment(
    builder: Builder,
    joint: str,
    hinges: Hinges,
    parent: str,
    place: tuple[float, float, float],
    name: str,
    segment: str,
    radius: float = 0.0,
) -> None:
    """Add a segment behind its hinges, with a ball of ``radius`` (m) between each two of them."""
    mass, center, inertia = _inertia(segment)
    for k, (axis, lower, upper) in enumerate(hinges, start=1):
        last = k == len(hinges)
        child = name if last else f"{joint}_{axis}_ball"
        if last:
            rest = 1.0 - BALL * (len(hinges) - 1)
            builder.body(child, rest * mass, center, rest * inertia)
        else:
            builder.body(child, BALL * mass, inertia=0.4 * BALL * mass * radius**2)
        limits = (np.radians(lower), np.radians(upper))
        builder.joint(f"{joint}_{axis}", "revolute", parent, child, xyz=place, axis=AXES[axis], limits=limits)
        parent, place = child, (0.0, 0.0, 0.0)


def _inertia(segment: str) -> tuple[float, Array, Array]:
    """Return mass, center of mass (3,) and principal moments (3,) of a segment in its frame, at its proximal end."""
    fraction, length, center, radii = SEGMENTS[segment]
    mass = fraction * MASS
    sagittal, transverse, long = mass * (length * np.array(radii)) ** 2
    if segment == "foot":  # its long axis is x; the frame is at the ankle
        forward = np.array([(center - HEEL) * length, 0.0, -0.5 * ANKLE_HEIGHT])
        return mass, forward, np.array([long, transverse, sagittal])
    if segment == "hand":  # measured with palms forward; here they face inward
        sagittal, transverse = transverse, sagittal
    upwards = segment.endswith("trunk") or segment == "head"
    z = (1.0 - center) * length if upwards else -center * length
    return mass, np.array([0.0, 0.0, z]), np.array([sagittal, transverse, long])
