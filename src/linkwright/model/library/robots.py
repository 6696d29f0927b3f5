"""Built-in robots from tables of published parameters: arms and a quadruped."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.model.build.builder import Builder
from linkwright.model.build.description import WORLD
from linkwright.model.build.options import JointLimits
from linkwright.model.library.bodies import ACCENT, DARK, SHELL, BodyShapes
from linkwright.model.library.dh import DHRow, from_dh
from linkwright.model.tree import Model

QUARTER = np.pi / 2
DEGREE = np.pi / 180
FOOT = 0.02
"""m, radius of the quadruped's feet"""


def puma560() -> Model:
    """Return the Unimation PUMA 560 with six joints; the frame "tool" is the last frame of its DH table.

    Standard DH parameters, masses, centers of mass, inertias, motor inertias Jm, gear ratios G, viscous
    and Coulomb friction: P. Corke & B. Armstrong-Hélouvry, "A search for consensus among model parameters
    reported for the PUMA 560 robot", ICRA 1994, after B. Armstrong, O. Khatib & J. Burdick, "The explicit
    dynamic model and inertial parameters of the PUMA 560 arm", ICRA 1986, also for the maximal torques.
    Joint limits: Wang & Chen, IEEE Trans. RA 7(4), 1991. Armature is G² Jm; friction is reflected in the
    same way, with the mean Coulomb friction of both directions. Conventions: z up, the shoulder at the
    origin, at q = 0 the upper arm along x and the forearm upward. All shapes are visual only.

    Two entries differ from the papers. For link 1, of which only the moment about its axis was identified,
    12.95 kg (Tarn et al. 1985) are placed on that axis with equal moments; neither affects any
    motion about a vertical axis. The moment 0.066 of link 3 across the forearm is increased to 0.074,
    since no rigid body has the measured 0.066, 0.0125 and 0.086 kg m².
    """

    def row(
        a: float,
        alpha: float,
        d: float,
        link: tuple[float, tuple[float, float, float], tuple[float, float, float]],
        motor: tuple[float, float, float, float, float],
        limits: tuple[float, float],
        torque: float,
    ) -> DHRow:
        inertia, ratio, viscous, forward, backward = motor
        joint: dict[str, Any] = {
            "lower": limits[0] * DEGREE,
            "upper": limits[1] * DEGREE,
            "effort_limit": torque,
            "armature": ratio**2 * inertia,
            "damping": ratio**2 * viscous,
            "friction": ratio * (forward + backward) / 2,
        }
        return DHRow(a, alpha, d, mass=link[0], center_of_mass=link[1], inertia=link[2], joint=joint)

    # link: kg, m, kg m²; motor, before the gear: Jm kg m², G, B N m s, Coulomb friction in both directions N m
    rows = (
        row(
            0.0,
            QUARTER,
            0.0,
            (12.95, (0.0, 0.0, 0.0), (0.35, 0.35, 0.35)),
            (200e-6, 62.6111, 1.48e-3, 0.395, 0.435),
            (-160, 160),
            97.6,
        ),
        row(
            0.4318,
            0.0,
            0.0,
            (17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
            (200e-6, 107.815, 0.817e-3, 0.126, 0.071),
            (-45, 225),
            186.4,
        ),
        row(
            0.0203,
            -QUARTER,
            0.15005,
            (4.8, (-0.0203, -0.0141, 0.070), (0.074, 0.086, 0.0125)),
            (200e-6, 53.7063, 1.38e-3, 0.132, 0.105),
            (-225, 45),
            89.4,
        ),
        row(
            0.0,
            QUARTER,
            0.4318,
            (0.82, (0.0, 0.019, 0.0), (1.8e-3, 1.3e-3, 1.8e-3)),
            (33e-6, 76.0364, 71.2e-6, 11.2e-3, 16.9e-3),
            (-110, 170),
            24.2,
        ),
        row(
            0.0,
            -QUARTER,
            0.0,
            (0.34, (0.0, 0.0, 0.0), (0.3e-3, 0.4e-3, 0.3e-3)),
            (33e-6, 71.923, 82.6e-6, 9.26e-3, 14.5e-3),
            (-100, 100),
            20.1,
        ),
        row(
            0.0,
            0.0,
            0.0,
            (0.09, (0.0, 0.0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
            (33e-6, 76.686, 36.7e-6, 3.96e-3, 10.5e-3),
            (-266, 266),
            21.3,
        ),
    )
    builder = Builder(from_dh("puma560", rows, "standard")).body("base").joint("mount", "fixed", WORLD, "base")
    _add_puma560_shapes(BodyShapes(builder))
    return builder.build()


def _add_puma560_shapes(add: BodyShapes) -> None:
    """Add a column, the upper arm at its side, the forearm between both, and the wrist.

    The shoulder is 0.672 m above the floor, as of the robot; the upper arm is where its center of mass was measured.
    """
    add.drum("base", (0, 0, -0.672), (0, 0, -0.65), 0.16)
    add.drum("base", (0, 0, -0.65), (0, 0, -0.11), 0.09, SHELL)
    add.drum("link1", (0, 0, -0.108), (0, 0, -0.09), 0.094, ACCENT)
    add.drum("link1", (0, 0, -0.09), (0, 0, 0), 0.088, SHELL)
    add.drum("link1", (0, 0.1, 0), (0, -0.16, 0), 0.098, SHELL)
    add.drum("link1", (0, -0.16, 0), (0, -0.178, 0), 0.075)
    add.drum("link2", (0, 0, 0.178), (0, 0, 0.278), 0.105, SHELL)
    add.drum("link2", (0, 0, 0.278), (0, 0, 0.286), 0.06, ACCENT)
    add.slab("link2", (0.2, 0, 0.228), (0.5, 0.14, 0.09))
    add.drum("link2", (0.4318, 0, 0.19), (0.4318, 0, 0.278), 0.075)
    add.drum("link3", (0, 0, -0.045), (0, 0, 0.04), 0.07)
    add.slab("link3", (0.012, 0.1, 0), (0.1, 0.3, 0.08))
    add.drum("link3", (0.0203, 0.2, 0), (0.0203, 0.33, 0), 0.039, SHELL)
    add.drum("link4", (0, 0, -0.1), (0, 0, -0.09), 0.042, ACCENT)
    add.drum("link4", (0, 0, -0.09), (0, 0, 0), 0.037, SHELL)
    add.drum("link4", (0, -0.045, 0), (0, 0.045, 0), 0.036)
    add.ball("link5", (0, 0, 0), 0.039, SHELL)
    add.drum("link5", (0, 0, 0), (0, 0.046, 0), 0.028, SHELL)
    add.drum("link6", (0, 0, 0.046), (0, 0, 0.056), 0.032)


def arm7() -> Model:
    """Return a KUKA LBR iiwa 14 R820, seven joints; at q = 0 upright, 1.306 m to the flange, frame "tool".

    Geometry, limits of position, speed and torque: KUKA's data sheet of the LBR iiwa 14 R820. Masses,
    centers of mass and inertias: those of the iiwa description in common use (first in the iiwa_stack of
    C. Hennersperger et al., ICRA 2017), link by link in its frames.
    """
    forth, back = (QUARTER, 0.0, np.pi), (QUARTER, 0.0, 0.0)
    again = (-QUARTER, np.pi, 0.0)
    # position of the joint on the parent link (m, rpy); mass, center, principal moments; ± limit °, °/s, N m
    table: tuple[tuple[Any, ...], ...] = (
        ((0, 0, 0.1575), (0.0, 0.0, 0.0), 5.76, (0, -0.03, 0.12), (0.033, 0.0333, 0.0123), 170, 85, 320),
        ((0, 0, 0.2025), forth, 6.35, (0.0003, 0.059, 0.042), (0.0305, 0.0304, 0.011), 120, 85, 320),
        ((0, 0.2045, 0), forth, 3.5, (0, 0.03, 0.13), (0.025, 0.0238, 0.0076), 170, 100, 176),
        ((0, 0, 0.2155), back, 3.5, (0, 0.067, 0.034), (0.017, 0.0164, 0.006), 120, 75, 176),
        ((0, 0.1845, 0), again, 3.5, (0.0001, 0.021, 0.076), (0.01, 0.0087, 0.00449), 170, 130, 110),
        ((0, 0, 0.2155), back, 1.8, (0, 0.0006, 0.0004), (0.0049, 0.0047, 0.0036), 120, 135, 40),
        ((0, 0.081, 0), again, 1.2, (0, 0, 0.02), (0.001, 0.001, 0.001), 175, 135, 40),
    )
    builder = Builder("arm7").body("base", 5.0, (-0.1, 0.0, 0.07), (0.05, 0.06, 0.03))
    builder.joint("mount", "fixed", WORLD, "base")
    parent = "base"
    for k, (xyz, rpy, mass, center, inertia, limit, speed, torque) in enumerate(table, start=1):
        builder.body(f"link{k}", mass, center, inertia)
        builder.joint(
            f"joint{k}",
            "revolute",
            parent,
            f"link{k}",
            xyz=xyz,
            rpy=rpy,
            limits=JointLimits(-limit * DEGREE, limit * DEGREE, velocity=speed * DEGREE, effort=torque),
        )
        parent = f"link{k}"
    _add_arm7_shapes(BodyShapes(builder))
    return builder.frame("tool", parent, xyz=(0, 0, 0.045)).build()


def _add_arm7_shapes(add: BodyShapes) -> None:
    """Add tubes along the links of arm7, and a drum about the axis of each joint that bends it."""
    add.drum("base", (0, 0, 0), (0, 0, 0.03), 0.13)
    add.drum("base", (0, 0, 0.03), (0, 0, 0.152), 0.095, SHELL)
    # radius of the tube, of the drum at its end, and half the length of that
    for link, along, tube, drum, half in (
        ("link1", (0, 0, 0.2025), 0.083, 0.088, 0.088),
        ("link3", (0, 0, 0.2155), 0.074, 0.08, 0.08),
        ("link5", (0, 0, 0.2155), 0.062, 0.068, 0.066),
    ):
        add.drum(link, (0, 0, 0.004), (0, 0, 0.016), tube + 0.004, ACCENT)
        add.drum(link, (0, 0, 0.016), (0, 0, along[2]), tube, SHELL)
        x, y, z = along
        add.drum(link, (x, y - half, z), (x, y + half, z), drum)
    for link, end, radius in (("link2", 0.2, 0.079), ("link4", 0.18, 0.07)):
        add.rod(link, (0, 0, 0), (0, 0.08, 0), radius)
        add.drum(link, (0, 0.05, 0), (0, end, 0), radius, SHELL)
    add.ball("link6", (0, 0, 0), 0.066, SHELL)
    add.drum("link6", (0, 0.02, 0), (0, 0.075, 0), 0.05, SHELL)
    add.drum("link7", (0, 0, -0.004), (0, 0, 0.03), 0.047)
    add.drum("link7", (0, 0, 0.03), (0, 0, 0.045), 0.032, SHELL)


def quadruped() -> Model:
    """Return a four-legged robot of 8.6 kg, floating base, twelve joints; frames "front_left_foot", ….

    x forward, y left, z up. Link lengths, masses, gear ratios, peak torques and speeds are those published
    of the Mini Cheetah (B. Katz, J. Di Carlo & S. Kim, "Mini Cheetah: a platform for pushing the limits of
    dynamic quadruped control", ICRA 2019; B. Katz, thesis, MIT 2018), rounded; centers of mass and inertias
    are those of uniform solids of the links' size. At q = 0 the legs are straight down, the trunk's
    center (frame "trunk") is at the world's origin and the feet 0.404 m below it; knees bend
    backward at positive hip and negative knee angles. Each foot is a sphere of 0.02 m about its frame; only the feet
    are collision shapes (:meth:`Model.with_ground`). All other shapes are visual only.
    """
    thigh, shank, offset = 0.209, 0.195, 0.062
    rotor, ratio, knee_ratio = 63e-6, 6.0, 9.33
    torque, speed = 17.0, 40.0  # peak, N m and rad/s, at the ratio of hips
    builder = Builder("quadruped")
    builder.body("trunk", 3.3, inertia=_box(3.3, 0.38, 0.10, 0.10)).joint("root", "free", WORLD, "trunk")
    for end, forward in (("front", 1.0), ("hind", -1.0)):
        for side, left in (("left", 1.0), ("right", -1.0)):
            leg = f"{end}_{side}"
            builder.body(f"{leg}_hip", 0.54, (0.0, 0.6 * offset * left, 0.0), _box(0.54, 0.08, 0.08, 0.08))
            builder.body(f"{leg}_thigh", 0.634, (0.0, 0.0, -0.1 * thigh), _box(0.634, 0.06, 0.05, 0.18))
            builder.body(f"{leg}_shank", 0.15, (0.0, 0.0, -0.4 * shank), _box(0.15, 0.02, 0.02, shank))
            drive = {"velocity": speed, "effort": torque}
            knee_drive = {"velocity": speed * ratio / knee_ratio, "effort": torque * knee_ratio / ratio}
            builder.joint(
                f"{leg}_hip_roll",
                "revolute",
                "trunk",
                f"{leg}_hip",
                xyz=(0.19 * forward, 0.049 * left, 0.0),
                axis=(1, 0, 0),
                limits=JointLimits(-60 * DEGREE, 60 * DEGREE, **drive),
                armature=ratio**2 * rotor,
            )
            builder.joint(
                f"{leg}_hip_pitch",
                "revolute",
                f"{leg}_hip",
                f"{leg}_thigh",
                xyz=(0.0, offset * left, 0.0),
                axis=(0, 1, 0),
                limits=JointLimits(-120 * DEGREE, 120 * DEGREE, **drive),
                armature=ratio**2 * rotor,
            )
            builder.joint(
                f"{leg}_knee",
                "revolute",
                f"{leg}_thigh",
                f"{leg}_shank",
                xyz=(0.0, 0.0, -thigh),
                axis=(0, 1, 0),
                limits=JointLimits(-155 * DEGREE, 155 * DEGREE, **knee_drive),
                armature=knee_ratio**2 * rotor,
            )
            foot = (0.0, 0.0, -shank)
            builder.frame(f"{leg}_foot", f"{leg}_shank", xyz=foot)
            builder.shape(f"{leg}_shank", "sphere", radius=FOOT, use="collision", name=f"{leg}_foot", xyz=foot)
            _add_leg_shapes(BodyShapes(builder), leg, forward, left)
    add = BodyShapes(builder)
    add.slab("trunk", (0.0, 0.0, 0.0), (0.3, 0.2, 0.11))
    add.slab("trunk", (0.0, 0.0, 0.02), (0.36, 0.13, 0.09), ACCENT)
    add.slab("trunk", (0.2, 0.0, 0.02), (0.1, 0.11, 0.08), DARK)
    return builder.build()


def _add_leg_shapes(add: BodyShapes, leg: str, forward: float, left: float) -> None:
    """Add the motors of hip and knee, the bars of thigh and shank, and the foot."""
    hip, thigh, shank = f"{leg}_hip", f"{leg}_thigh", f"{leg}_shank"
    add.drum(hip, (-0.045 * forward, 0.0, 0.0), (0.035 * forward, 0.0, 0.0), 0.046)
    add.drum(hip, (0.0, 0.0, 0.0), (0.0, 0.035 * left, 0.0), 0.044, SHELL)
    add.drum(thigh, (0.0, -0.024 * left, 0.0), (0.0, 0.03 * left, 0.0), 0.05)
    add.drum(thigh, (0.0, 0.03 * left, 0.0), (0.0, 0.036 * left, 0.0), 0.034, ACCENT)
    add.rod(thigh, (0.0, 0.0, -0.03), (0.0, 0.0, -0.209), 0.023)
    add.drum(shank, (0.0, -0.027, 0.0), (0.0, 0.027, 0.0), 0.026)
    add.rod(shank, (0.0, 0.0, 0.0), (0.0, 0.0, -0.195), 0.014)
    add.ball(shank, (0.0, 0.0, -0.195), FOOT)


def _box(mass: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return the principal moments of a uniform box."""
    return mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12
