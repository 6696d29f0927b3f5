"""H5.5 and H5.6: one leg, by S3 and S4."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright.visual.palette import COLORS
from linkwright_gallery.drawing import BLUE, CYCLE, curves, figure, inset, written
from linkwright_gallery.exhibit import Exhibit, Remark, derived, measured
from linkwright_gallery.humanoid_h5.robot import (
    ENDS,
    LEG,
    batch,
    costs,
    humanoid,
    left_leg,
    squat,
    standing,
    state,
)
from linkwright_gallery.published import count_listing, path_to_hand, rate_by_listing

# H5.5 The leg

BENT = np.array([0.15, -0.1, 0.6, 1.0, 0.4, 0.05])
"""of the leg"""
GAIN, RATE_GAIN = 100.0, 20.0
"""1/s² and 1/s of computed torque: the error dies away as (1 + 10 t) e^(−10 t)"""


@cache
def bending() -> lw.Motion:
    """The leg bends by computed torque: 1 s."""
    leg = left_leg()
    controller = partial(lw.control.computed_torque, reference=BENT, stiffness=GAIN, damping=RATE_GAIN)
    return lw.simulate(leg, leg.neutral(), np.zeros(6), 1.0, 1e-4, controller=controller, every=10)


def h5_leg() -> Iterator[Remark]:
    """S3: equations of one leg, inverse kinematics, statics and control."""
    robot, leg = humanoid(), left_leg()
    q = robot.neutral()
    q[7:13] = BENT
    rates = np.zeros(robot.nv)
    rates[6:12] = np.arange(1.0, 7.0)
    made = lw.equations(leg, "numbers")
    scope: dict[str, Any] = {}
    exec(made.python(), scope)  # code written by the library
    M, h, g = scope["H5_equations"](BENT, rates[6:12])
    yield derived("M of the leg's equations, and the leg's block of H", M, lw.mass_matrix(robot, q)[6:12, 6:12])
    yield derived("h + g of the leg's equations, and of H5", np.add(h, g), lw.bias_forces(robot, q, rates)[6:12])
    yield measured("operations of the equations, M, h and g", "not printed", made.operations.total, 0)
    numeric = [lw.compile(function, leg).operations.total for function in (lw.mass_matrix, lw.bias_forces)]
    yield measured("operations of H and b by recursion", "not printed", sum(numeric), 0)
    posture = squat(0.15)
    for foot in ENDS[:2]:
        name = foot.replace("_", " ")
        given = lw.pose(robot, robot.neutral(), foot)
        yield derived(f"squat by inverse kinematics: the {name} stays", given, lw.pose(robot, posture, foot), 6, 1e-6)
    lower = lw.pose(robot, posture, "torso")[2, 3] - lw.pose(robot, robot.neutral(), "torso")[2, 3]
    yield derived("the torso is lower (m)", -0.15, lower, 6, 1e-6)
    lift = sum(float(wrench[2]) for wrench in standing()[2].values())
    yield derived("statics: the feet carry the weight (N)", lw.total_mass(robot) * 9.81, lift, 3)
    F = np.array([30.0, -20.0, 250.0, 1.0, 2.0, 3.0])
    held = lw.static_wrench(leg, BENT, "hand", lw.jacobian(leg, BENT, "hand").T @ F)
    yield derived("F = J⁻ᵀ τ of the bent leg", F, held.wrench, 3)
    motion = bending()
    t = motion.t[:, None]
    error = (BENT - leg.neutral()) * (1.0 + 10.0 * t) * np.exp(-10.0 * t)
    yield derived("computed torque: the error is (1 + 10 t) e^(−10 t)", error, BENT - motion.q, 3, 1e-3)


def draw_h5_leg(path: Path) -> Path:
    """Efforts of the squat, and the bending of the leg."""
    efforts, motion = standing()[1], bending()
    made = figure(10.5, 4.2)
    left, middle, right = made.subplots(1, 3, width_ratios=[0.7, 1.0, 1.0])
    inset(left, lw.draw(left_leg(), BENT, title=""), "the left leg, bent")
    names = [name.replace("_", " ") for name in LEG]
    middle.barh(names, efforts[6:12], color=BLUE)
    middle.invert_yaxis()
    middle.set_title("efforts of the left leg in the squat", fontsize=10)
    middle.set_xlabel("N m")
    for k, name in enumerate(names):
        right.plot(motion.t, motion.q[:, k], color=COLORS[k], label=name)
    curves(right, "the leg bends by computed torque", "time (s)", "rad")
    right.set_ylim(top=1.4)
    right.legend(fontsize=8, ncols=2)
    return written(path, made)


# H5.6 Rate of the Jacobian


@cache
def rate_kernels() -> dict[str, lw.Kernel]:
    """J and J̇ of the left foot relative to the torso by recursion and by S4's listing, and of H5 with its base."""
    path = path_to_hand(left_leg())

    def by_recursion(model: lw.Model, q: Array, v: Array) -> tuple[Array, Array]:
        return lw.jacobian(model, q, "hand"), lw.jacobian_dot(model, q, v, "hand")

    return {
        "leg, by recursion": lw.compile(by_recursion, left_leg(), unroll=True),
        "leg, by the listing": lw.compile(lambda q, v: rate_by_listing(path, q, v), q=6, v=6),
    }


def h5_jacobian_rate() -> Iterator[Remark]:
    """S4: J and J̇ by recursion and by listing."""
    robot, leg, (q, v, tau) = humanoid(), left_leg(), state()
    kernels = rate_kernels()
    (J, J_rate), listed = (kernel(q[7:13], v[6:12]) for kernel in kernels.values())
    yield derived("J of the left foot: listing and recursion", listed[0], J)
    yield derived("J̇ of the left foot: listing and recursion", listed[1], J_rate)
    fixed, moving = robot.neutral(), np.zeros(robot.nv)
    fixed[7:13], moving[6:12] = q[7:13], v[6:12]
    yield derived("the leg's columns of J̇ of H5", J_rate, lw.jacobian_dot(robot, fixed, moving, "left_foot")[:, 6:12])
    whole = lw.jacobian_dot(robot, q, v, "left_foot")
    a = lw.forward_dynamics(robot, q, v, tau)
    given = lw.jacobian(robot, q, "left_foot") @ a + whole @ v
    yield derived(
        "H5 with its base: J q̈ + J̇ q̇ of the left foot", given, lw.acceleration(robot, q, v, a, "left_foot"), 3
    )
    yield derived("H5 with its base: (∂J/∂q) q̇ = J̇", lw.kinematic_hessian(robot, q, "left_foot") @ v, whole)
    written_out = count_listing(leg).total
    yield measured("leg, the listing as written: operations", "not printed", written_out, 0)
    _, rates, _ = batch()
    yield from costs(kernels, batch()[0][:, 7:13], rates[:, 6:12])


def draw_h5_jacobian_rate(path: Path) -> Path:
    """Entries of J̇ while the leg bends, and operations."""
    motion = bending()
    some = slice(0, 500, 25)
    by_recursion, by_listing = rate_kernels().values()
    made = figure(9.5, 3.8)
    left, right = made.subplots(1, 2, width_ratios=[1.3, 1.0])
    lines = by_recursion(motion.q[:500], motion.v[:500])[1]
    dots = by_listing(motion.q[some], motion.v[some])[1]
    for k, (axis, color) in enumerate(zip("xyz", CYCLE, strict=False)):
        left.plot(motion.t[:500], lines[:, k, 2], color=color, label=f"{axis}, recursion")
        left.plot(motion.t[some], dots[:, k, 2], "o", mfc="white", color=color, label=f"{axis}, listing")
    curves(left, "J̇ of the left foot, column of the hip's flexion", "time (s)", "m/s per rad")
    left.legend(fontsize=8, ncols=2)
    counts = {name: kernel.operations.total for name, kernel in rate_kernels().items()}
    counts["leg, listing as written"] = count_listing(left_leg()).total
    right.bar([name.replace(", ", ",\n") for name in counts], list(counts.values()), color=CYCLE[:3])
    for k, count in enumerate(counts.values()):
        right.text(k, count, str(count), ha="center", va="bottom", fontsize=9)
    right.set_title("J and J̇: multiplications and additions", fontsize=10)
    return written(path, made)


EXHIBITS = (
    Exhibit(
        "H5.5",
        "h5_leg",
        "S3: equations of a leg, inverse kinematics, statics, control",
        "the chapters of S3 on these subjects, there of a planar arm",
        "The equations of the left leg, with six joints, in Python; a squat of the whole robot by inverse kinematics; "
        "the forces on its feet; and computed torque, one of the headings of chapter 12.",
        h5_leg,
        draw_h5_leg,
        "Left: the leg at its target. Middle: efforts of the squat of H5.1. Right: the errors of all joints decay "
        "equally.",
        """import numpy as np
import linkwright as lw
from linkwright_gallery.humanoid_h5.leg import BENT, left_leg

equations = lw.equations(left_leg(), "numbers")
scope = {}
exec(equations.python(), scope)
of_leg = scope["H5_equations"]
M, h, g = of_leg(BENT, np.zeros(6))
assert np.allclose(M, lw.mass_matrix(left_leg(), BENT))""",
        (("symbolic equations", "topics/mechanisms/equations.md"),),
    ),
    Exhibit(
        "H5.6",
        "h5_jacobian_rate",
        "S4: the Jacobian and its rate, by recursion and by listing",
        "the listing of S4, which is of a chain of revolute joints",
        "The leg is a chain of six revolute joints, as the listing requires: the columns of the left foot, relative to "
        "the torso, by both. With the floating base, J̇ is compared with accelerations and with ∂J/∂q.",
        h5_jacobian_rate,
        draw_h5_jacobian_rate,
        "Left: entries of J̇ while the leg bends (H5.5). Right: operations; the listing as written includes products by "
        "zeros and ones.",
        """import numpy as np
import linkwright as lw
from linkwright_gallery.humanoid_h5.robot import humanoid

robot = humanoid()
q, v = robot.random(seed=0), np.ones(34)
J_dot = lw.jacobian_dot(robot, q, v, "left_foot")
assert np.allclose(lw.kinematic_hessian(robot, q, "left_foot") @ v, J_dot)""",
        (("kinematics", "topics/mechanisms/kinematics.md"),),
    ),
)
