"""S3, chapter 12: what the tutorial leaves for later, by its headings: stability, control, redundancy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright_gallery.drawing import BLUE, GRAY, GREEN, RED, curves, figure, inset, written
from linkwright_gallery.exhibit import Exhibit, OpenPoint, Remark, derived, found, known

TARGET = np.radians([30.0, 60.0])
HANGING = np.radians([-90.0, 0.0])
STIFFNESS, DAMPING = np.array([80.0, 30.0]), np.array([25.0, 8.0])
GAIN, RATE_GAIN = 100.0, 20.0
"""1/s² and 1/s of computed torque: the error dies away as (1 + 10 t) e^(−10 t)"""
TICK = 1e-4
"""s: efforts are held for a tick, with a delay of half a tick; the proofs are for continuous controllers"""


@cache
def held(name: str) -> lw.Motion:
    """The two-link arm from hanging, by "pd", "pid" or "computed_torque"."""
    arm = lw.load("two_link")
    gains: dict[str, Any] = {"target": TARGET, "stiffness": STIFFNESS, "damping": DAMPING}
    controller: Any
    if name == "pd":
        return lw.simulate(arm, HANGING, np.zeros(2), 4.0, TICK, controller=partial(lw.control.pd, **gains), every=10)
    if name == "pid":
        controller = partial(lw.control.pid, **gains, integral=STIFFNESS, step=1e-3)
        return lw.simulate(arm, HANGING, np.zeros(2), 10.0, controller=controller)
    controller = partial(lw.control.computed_torque, reference=TARGET, stiffness=GAIN, damping=RATE_GAIN)
    return lw.simulate(arm, HANGING, np.zeros(2), 1.0, TICK, controller=controller, every=10)


def lyapunov(motion: lw.Motion) -> Array:
    """V = ½ vᵀ M v + ½ eᵀ K e along a motion, J."""
    e = motion.q - TARGET
    V: Array = lw.kinetic_energy(motion.model, motion.q, motion.v) + 0.5 * (e * STIFFNESS * e).sum(axis=1)
    return V


POSTURE = np.array([0.3, 0.8, -0.2, -1.6, -2.9, -0.8, 0.0])
"""of the arm of seven joints"""


@cache
def pressed() -> lw.Motion:
    """A hand that presses on a plane with 10 N: hybrid control of force and position."""
    arm = lw.load("arm7")
    touching = lw.transform.make(np.diag([1.0, -1.0, -1.0]), np.array([0.55, 0.1, 0.25]))
    start = lw.inverse_kinematics(arm, {"tool": touching}, initial_guess=POSTURE).q
    tip, contact = 0.01, lw.ContactProperties(stiffness=1e5, friction=0.0, damping=200.0)
    place = arm.frames["tool"].placement[:3, 3] - [0.0, 0.0, tip]
    on_plane = lw.Builder(arm).shape("link7", "sphere", radius=tip, xyz=place, contact=contact).build()
    on_plane = on_plane.with_ground(touching[2, 3])
    gains: dict[str, Any] = {"stiffness": 3600.0, "damping": 108.0}
    loop = lw.control.ForceLoop("z", integral=60.0, damping=1200.0, proportional=0.5)
    wanted = np.array([0.0, 0.0, -10.0, 0.0, 0.0, 0.0])
    still: dict[str, Any] = {"posture": start, "posture_stiffness": 25.0, "posture_damping": 10.0}
    touch: dict[str, Any] = {"force": wanted, "force_loop": loop, "step": 1e-3}
    controller = partial(lw.control.hybrid, frame="tool", reference=touching, **touch, **gains, **still)
    sensed = lw.Surroundings(sensor="tool")
    return lw.simulate(on_plane, start, np.zeros(7), 0.8, method="midpoint", controller=controller, surroundings=sensed)


def further() -> Iterator[Remark]:
    """One finding or two for each heading."""
    pd = held("pd")
    yield found("Lyapunov: V of PD with gravity never grows", bool(np.diff(lyapunov(pd)).max() < 1e-9))
    yield derived("LaSalle: it stays only at the target (30°, 60°)", TARGET, pd.q[-1], 4, 1e-5)
    computed = held("computed_torque")
    given = TARGET + (HANGING - TARGET) * ((1.0 + 10.0 * computed.t) * np.exp(-10.0 * computed.t))[:, None]
    half = len(given) // 2
    yield derived("computed torque: ë + 20 ė + 100 e = 0, after 0.5 s", given[half], computed.q[half], 3, 5e-4)
    pid = held("pid")
    yield derived("PID: the target, without knowing the arm", TARGET, pid.q[-1], 3, 1e-2)
    gravity = lw.gravity_forces(lw.load("two_link"), TARGET)
    yield derived("its integral has learned the weight, N m", gravity, pid.state[-1], 1, 0.5)
    arm = lw.load("two_link")
    s = 0.3
    q = lw.trajectories.polynomial(arm, HANGING, TARGET, 2.0)(s * 2.0)[0]
    yield derived(
        "trajectories: 10 s³ − 15 s⁴ + 6 s⁵", HANGING + (10 * s**3 - 15 * s**4 + 6 * s**5) * (TARGET - HANGING), q
    )
    yield derived("hybrid control: the force on a plane, N", 10.0, pressed().wrenches["link7"][-1, 2], 2, 0.05)
    robot = lw.load("arm7")
    q, springs = robot.random(seed=1), np.array([200.0, 200.0, 150.0, 100.0, 20.0, 20.0, 10.0])
    J = lw.jacobian(robot, q, "tool")
    given = J @ np.diag(1.0 / springs) @ J.T
    yield derived("compliance: J K⁻¹ Jᵀ", given, lw.control.compliance(robot, q, "tool", springs))
    T = lw.pose(robot, q, "tool")
    away = T.copy()
    away[:3, 3] += [0.01, -0.02, 0.03]
    K = np.array([400.0, 400.0, 400.0, 20.0, 20.0, 20.0])
    tau = lw.control.impedance(robot, 0.0, q, np.zeros(7), frame="tool", target=away, stiffness=K, damping=K / 10.0)
    pull = np.array([4.0, -8.0, 12.0, 0.0, 0.0, 0.0])
    yield derived("impedance: the hand pulls with K x̃ = (4, −8, 12) N", J.T @ pull, tau - lw.gravity_forces(robot, q))
    free = lw.null_space(robot, q, "tool")
    yield known("redundancy: motions of seven joints that the hand does not feel", 1, free.shape[1], digits=0)
    yield derived("the hand's velocity in them", np.zeros(6), J @ free[:, 0], 3)
    c1, c12 = np.cos(np.pi / 6), np.cos(np.pi / 3)
    holding = [9.8 * (0.5 * c12 + c1) + 9.8 * 0.5 * c1, 9.8 * 0.5 * c12]
    still = lw.inverse_dynamics(arm, np.radians([30.0, 30.0]), np.zeros(2), np.zeros(2))
    yield derived("inverse dynamics at rest at (30°, 30°): the weight, N m", holding, still, digits=4)
    yield OpenPoint(
        "inverse dynamics",
        "a matter of words",
        "an aside in brackets: the torque with which an arm reaches a posture; it goes on that control helps",
        "the efforts of a given motion q, q̇, q̈. Reaching a posture is called control on these pages",
        "inverse dynamics of the two-link arm at rest at (30°, 30°), N m",
        still,
        digits=4,
    )


def draw_further(path: Path) -> Path:
    """Six headings, a picture each."""
    made = figure(11.0, 6.4)
    panels = made.subplots(2, 3)
    pd, pid, computed = held("pd"), held("pid"), held("computed_torque")
    axes = panels[0, 0]
    axes.semilogy(pd.t, np.maximum(lyapunov(pd), 1e-12), color=BLUE)
    curves(axes, "Lyapunov: V of PD with gravity", "time (s)", "V (J)")
    axes = panels[0, 1]
    axes.plot(pid.t, np.degrees(pid.q), color=BLUE, label="angles")
    for goal in np.degrees(TARGET):
        axes.axhline(goal, color=GRAY, linestyle=":")
    curves(axes, "PID finds the target", "time (s)", "angle (°)")
    axes = panels[0, 2]
    error = np.abs(computed.q[:, 0] - TARGET[0])
    axes.semilogy(computed.t, error, color=BLUE, linewidth=3, label="computed torque")
    axes.semilogy(
        computed.t,
        error[0] * (1 + 10 * computed.t) * np.exp(-10 * computed.t),
        "--",
        color=RED,
        label="(1 + 10 t) e⁻¹⁰ᵗ",
    )
    curves(axes, "computed torque: the error", "time (s)", "error of joint 1 (rad)")
    axes.legend(fontsize=8)
    axes = panels[1, 0]
    s = np.linspace(0.0, 1.0, 101)
    plan = lw.trajectories.polynomial(lw.load("two_link"), HANGING, TARGET, 2.0)
    q, v, _ = plan(2.0 * s)
    axes.plot(2.0 * s, q[:, 0], color=BLUE, label="angle (rad)")
    axes.plot(2.0 * s, v[:, 0], color=GREEN, label="rate (rad/s)")
    curves(axes, "a planned motion", "time (s)", "joint 1")
    axes.legend(fontsize=8)
    axes = panels[1, 1]
    run = pressed()
    axes.plot(run.t, run.wrenches["link7"][:, 2], color=BLUE)
    axes.axhline(10.0, color=GRAY, linestyle=":")
    curves(axes, "hybrid control: the force on a plane", "time (s)", "force (N)")
    robot, postures = lw.load("arm7"), [POSTURE]
    for _ in range(40):
        n = lw.null_space(robot, postures[-1], "tool")[:, 0]
        way = n if len(postures) == 1 or n @ (postures[-1] - postures[-2]) > 0 else -n
        hand = lw.pose(robot, POSTURE, "tool")
        now = postures[-1] + 0.04 * way
        postures.append(lw.inverse_kinematics(robot, {"tool": hand}, initial_guess=now).q)
    inset(panels[1, 2], lw.draw(robot, np.array(postures[::13]), title=""), "redundancy: one hand, many elbows")
    return written(path, made)


EXHIBITS = (
    Exhibit(
        "S3.12",
        "further",
        "Further topics",
        "chapter 12",
        "Headings without text: further properties; Lyapunov; LaSalle; computed torque, PID, trajectories; hybrid "
        "control of force and position; compliance and impedance; redundancy. Each has a page in this documentation; "
        "this exhibit has one result for each.",
        further,
        draw_further,
        "Six of the headings.",
        """from functools import partial

import numpy as np
import linkwright as lw

arm, target = lw.load("two_link"), np.radians([30.0, 60.0])
controller = partial(lw.control.pd, target=target, stiffness=np.array([80.0, 30.0]), damping=np.array([25.0, 8.0]))
motion = lw.simulate(arm, np.radians([-90.0, 0.0]), np.zeros(2), 4.0, controller=controller)
assert np.abs(motion.q[-1] - target).max() < 1e-5""",
        (
            ("from PD to impedance", "topics/control/pd_to_impedance.md"),
            ("stability", "topics/control/stability.md"),
            ("force control", "topics/control/force_control.md"),
            ("trajectories", "topics/motion/trajectories.md"),
            ("redundancy", "topics/mechanisms/kinematics.md"),
        ),
    ),
)
