"""From PD to impedance: each law of control moves an arm, and a picture shows what it does.

Writes one picture for each law into the folder that is named, or into the one where it is run.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

import linkwright as lw
from linkwright import control
from linkwright.visual.palette import COLORS

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
INK = COLORS[:4]

arm = lw.load("two_link")  # two links of 1 m and 1 kg, gravity along −y
rest = np.zeros(2)
hanging, target = np.radians([-90.0, 0.0]), np.radians([30.0, 60.0])
stiffness, damping = np.array([80.0, 30.0]), np.array([25.0, 8.0])


def figure(panels: int) -> tuple[Figure, Any]:
    """A row of pictures of one size."""
    made, axes = plt.subplots(1, panels, figsize=(4.4 * panels, 3.0), layout="constrained")
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlabel("time (s)")
    return made, axes


def pd_without_gravity(model: lw.Model, t: Any, q: Any, v: Any, target: Any, stiffness: Any, damping: Any) -> Any:
    """Springs and dampers alone: the arm's weight pulls them away from the target."""
    return stiffness * lw.difference(model, q, target) - damping * v


def proportional_and_derivative() -> None:
    """PD + gravity: every motion ends at the target, for V never grows."""
    gains = dict(target=target, stiffness=stiffness, damping=damping)
    moved = lw.simulate(arm, hanging, rest, 4.0, controller=partial(control.pd, **gains))
    sagged = lw.simulate(arm, hanging, rest, 4.0, controller=partial(pd_without_gravity, **gains))
    made, (angles, lyapunov) = figure(2)
    for motion, style, word in ((moved, "-", "PD + gravity"), (sagged, "--", "PD without gravity term")):
        for i in range(2):
            angles.plot(motion.t, np.degrees(motion.q[:, i]), style, color=INK[i], label=f"joint {i + 1}, {word}")
    for goal in np.degrees(target):
        angles.axhline(goal, color="0.7", lw=0.8, zorder=0)
    angles.set_ylabel("angle (°)")
    angles.legend(fontsize=7)
    e = lw.difference(arm, moved.q, target)
    V = lw.kinetic_energy(arm, moved.q, moved.v) + 0.5 * (e * stiffness * e).sum(axis=1)
    lost = np.concatenate([[0.0], np.cumsum((moved.v[1:] ** 2 + moved.v[:-1] ** 2) / 2 @ damping * np.diff(moved.t))])
    lyapunov.plot(moved.t, V, color=INK[0], label="V")
    lyapunov.plot(moved.t, V[0] - lost, "--", color=INK[1], label="V(0) − ∫ vᵀ K_d v dt")
    lyapunov.set_ylabel("V (J)")
    lyapunov.legend(fontsize=8)
    made.savefig(FOLDER / "control_pd.png", dpi=110)
    print(
        f"PD + gravity: {np.degrees(np.abs(e[-1]).max()):.1e}° from the target after 4 s, "
        f"without gravity term {np.round(np.degrees(sagged.q[-1] - target), 1)}°; V rises by {np.diff(V).max():.1e} J"
    )


def integral() -> None:
    """The integral term of PID compensates gravity, and winds up where efforts have limits."""
    gains = dict(target=target, stiffness=stiffness, damping=damping, integral=stiffness, step=1e-3)
    made, (angle, sums) = figure(2)
    limit = np.array([30.0, 12.0])
    for anti_windup, word, ink in ((0.1, "anti-windup", INK[0]), (1e9, "without", INK[1])):
        law = partial(control.pid, **gains, limit=limit, anti_windup=anti_windup)
        motion = lw.simulate(arm, hanging, rest, 8.0, controller=law, actuation=lw.Actuation(initial_state=np.zeros(2)))
        angle.plot(motion.t, np.degrees(motion.q[:, 0]), color=ink, label=word)
        sums.plot(motion.t, motion.state[:, 0], color=ink, label=word)
        over = np.degrees(motion.q[:, 0].max() - target[0])
        print(f"PID, {word}: overshoot {over:.1f}°, {np.degrees(np.abs(motion.q[-1] - target).max()):.3f}° after 8 s")
    angle.axhline(np.degrees(target[0]), color="0.7", lw=0.8, zorder=0)
    sums.axhline(lw.gravity_forces(arm, target)[0], color="0.7", lw=0.8, zorder=0)
    angle.set_ylabel("angle of joint 1 (°)")
    sums.set_ylabel("integral z of joint 1 (N m)")
    angle.legend(fontsize=8)
    made.savefig(FOLDER / "control_pid.png", dpi=110)


def waving(t: Any) -> Any:
    """A motion to be followed: both joints swing, not together."""
    w = np.array([3.0, 5.0])
    middle, wide = np.array([-0.5, 1.0]), np.array([0.8, 0.6])
    return middle + wide * np.cos(w * t), -wide * w * np.sin(w * t), -wide * w**2 * np.cos(w * t)


def following_pd(model: lw.Model, t: Any, q: Any, v: Any, stiffness: Any, damping: Any) -> Any:
    """PD + gravity about a target that moves: it knows nothing of inertia."""
    posture, velocity, _ = waving(t)
    e = lw.difference(model, q, posture)
    return lw.gravity_forces(model, q) + stiffness * e + damping * (velocity - v)


def computed() -> None:
    """Computed torque tracks exactly if its masses are correct."""
    q0, v0, _ = waving(0.0)
    q0 = q0 + np.radians([20.0, -20.0])
    law = partial(control.computed_torque, reference=waving, stiffness=100.0, damping=20.0)
    heavy = arm.with_payload("link2", 0.05, [1.0, 0.0, 0.0], np.zeros((3, 3)))
    made, (whole, late) = figure(2)
    for model, which, word, ink in (
        (arm, law, "computed torque", INK[0]),
        (heavy, law_of(law, arm), "computed torque, 50 g not modeled", INK[2]),
        (arm, partial(following_pd, stiffness=stiffness, damping=damping), "PD + gravity", INK[1]),
    ):
        motion = lw.simulate(model, q0, v0, 6.0, controller=which)
        wanted = np.array([waving(t)[0] for t in motion.t])
        error = np.degrees(np.linalg.norm(motion.q - wanted, axis=1))
        whole.plot(motion.t, error, color=ink, label=word)
        late.semilogy(motion.t, error + 1e-12, color=ink)
        print(f"{word}: {error[motion.t > 4].max():.1e}° at most after 4 s")
    whole.set_ylabel("error (°)")
    late.set_ylabel("error (°), logarithmic")
    whole.set_ylim(0.0, 1.45 * whole.get_ylim()[1])  # room for the legend above the peak
    whole.legend(fontsize=7, loc="upper right")
    made.savefig(FOLDER / "control_computed_torque.png", dpi=110)


def law_of(law: Any, known: lw.Model) -> Any:
    """A law that takes the mechanism for another one: what it does not know disturbs it."""

    def mistaken(model: lw.Model, t: Any, q: Any, v: Any) -> Any:
        return law(known, t, q, v)

    return mistaken


def friction() -> None:
    """Coulomb friction made up for by the velocity that is wanted."""
    rough = (
        lw.Builder("rough")
        .body("rod", mass=1.0, center_of_mass=[0.5, 0, 0], inertia=[0.001, 0.1, 0.1])
        .joint("hinge", "revolute", "world", "rod", axis=[0, 0, 1], friction=2.0)
        .build()
    )

    def swing(t: Any) -> Any:
        turns = lw.stack([2 * t])
        return np.sin(turns), 2 * np.cos(turns), -4 * np.sin(turns)

    def follow(model: lw.Model, t: Any, q: Any, v: Any) -> Any:
        posture, velocity, acceleration = swing(t)
        wanted = acceleration + 20 * (velocity - v) + 100 * (posture - q)
        return lw.inverse_dynamics(model, q, v, wanted)

    def follow_and_compensate(model: lw.Model, t: Any, q: Any, v: Any) -> Any:
        return follow(model, t, q, v) + control.friction_compensation(
            model, t, q, v, velocity=lambda t: swing(t)[1], friction=2.0
        )

    made, (angle, error) = figure(2)
    for law, word, ink in (
        (follow, "friction left alone", INK[1]),
        (follow_and_compensate, "friction made up for", INK[0]),
    ):
        motion = lw.simulate(rough, np.zeros(1), np.array([2.0]), 5.0, controller=law)
        angle.plot(motion.t, np.degrees(motion.q[:, 0]), color=ink, label=word)
        wrong = np.degrees(motion.q[:, 0] - np.sin(2 * motion.t))
        error.plot(motion.t, wrong, color=ink)
        print(f"{word}: {np.sqrt(np.mean(wrong**2)):.3f}° rms")
    angle.set_ylabel("angle (°)")
    error.set_ylabel("error (°)")
    angle.legend(fontsize=8)
    made.savefig(FOLDER / "control_friction.png", dpi=110)


seven = lw.load("arm7")
start = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1])
home = lw.pose(seven, start, "tool")


def hand_stays_elbow_moves() -> None:
    """Operational space: the hand draws a circle while the elbow goes where a posture pulls it."""

    def circle(t: Any) -> Any:
        r, w, zero = 0.12, 2.0, 0.0 * t
        moved = np.stack([zero, r * np.sin(w * t), r * (np.cos(w * t) - 1)])
        velocity = np.stack([zero, r * w * np.cos(w * t), -r * w * np.sin(w * t), zero, zero, zero])
        acceleration = np.stack([zero, -r * w**2 * np.sin(w * t), -r * w**2 * np.cos(w * t), zero, zero, zero])
        return lw.transform.make(home[:3, :3], home[:3, 3] + moved), velocity, acceleration

    posture = start + np.array([0.0, 0.0, 1.2, 0.0, -1.0, 0.0, 0.0])
    law = partial(
        control.operational_space, frame="tool", reference=circle, stiffness=400.0, damping=40.0,
        posture=posture, posture_stiffness=9.0, posture_damping=6.0,
    )  # fmt: skip
    v0 = np.linalg.pinv(lw.jacobian(seven, start, "tool")) @ circle(0.0)[1]
    motion = lw.simulate(seven, start, v0, 4.0, controller=law)
    hand, elbow = (lw.pose(seven, motion.q, frame)[:, :3, 3] for frame in ("tool", seven.bodies[3].name))
    wanted = np.array([circle(t)[0][:3, 3] for t in motion.t])
    error = 1e3 * np.linalg.norm(hand - wanted, axis=1)
    made, (view, off) = figure(2)
    view.plot(hand[:, 1], hand[:, 2], color=INK[0], label="hand")
    view.plot(elbow[:, 1], elbow[:, 2], color=INK[1], label="elbow")
    view.set_xlabel("y (m)")
    view.set_ylabel("z (m)")
    view.set_aspect("equal")
    view.legend(fontsize=8)
    off.plot(motion.t, error, color=INK[0])
    off.set_ylabel("path error of the hand (mm)", color=INK[0])
    far = off.twinx()
    far.spines["top"].set_visible(False)
    far.plot(motion.t, 10 * np.linalg.norm(elbow - elbow[0], axis=1), color=INK[1])
    far.set_ylabel("displacement of the elbow (dm)", color=INK[1])
    made.savefig(FOLDER / "control_operational_space.png", dpi=110)
    print(f"operational space: the hand is off by {error.max():.1e} mm at most, the elbow goes its own way")


def springy_hand() -> None:
    """Impedance: a hand that is pushed gives way as a spring does."""
    K = np.array([400.0, 400.0, 1600.0, 20.0, 20.0, 20.0])
    D = np.array([60.0, 60.0, 100.0, 0.6, 0.6, 0.6])

    def pushed(model: lw.Model, t: Any, q: Any, v: Any, push: Any, stiffness: Any, damping: Any) -> Any:
        law = partial(control.impedance, frame="tool", target=home, joint_damping=0.3)
        efforts = law(model, t, q, v, stiffness=stiffness, damping=damping)
        return efforts + lw.jacobian(model, q, "tool").T[:, :3] @ push  # somebody pushes the hand

    made, (way, slope) = figure(2)
    pushes = np.linspace(0.0, 20.0, 6)
    for axis, ink in ((0, INK[0]), (2, INK[1])):
        given = np.zeros((len(pushes), 3))
        given[:, axis] = pushes
        law = partial(pushed, push=given, stiffness=K, damping=D)
        zero = np.zeros((len(pushes), 7))
        motions = lw.simulate(seven, zero + start, zero, 3.0, controller=law, actuation=lw.Actuation(each=["push"]))
        moved = 1e3 * (lw.pose(seven, motions.q, "tool")[..., axis, 3] - home[axis, 3])
        way.plot(motions.t, moved[:, -1], color=ink, label=f"along {'xyz'[axis]}, {pushes[-1]:.0f} N")
        slope.plot(moved[-1], pushes, "o", color=ink, label=f"along {'xyz'[axis]}")
        slope.plot(1e3 * pushes / K[axis], pushes, "-", color=ink, lw=0.8, label=f"{K[axis]:.0f} N/m")
        print(f"impedance along {'xyz'[axis]}: {1e3 * pushes[-1] / moved[-1, -1]:.1f} N/m, programmed {K[axis]:.0f}")
    way.set_ylabel("displacement of the hand (mm)")
    slope.set_xlabel("displacement of the hand (mm)")
    slope.set_ylabel("push (N)")
    way.legend(fontsize=8)
    slope.legend(fontsize=8)
    made.savefig(FOLDER / "control_impedance.png", dpi=110)


if __name__ == "__main__":
    proportional_and_derivative()
    integral()
    computed()
    friction()
    hand_stays_elbow_moves()
    springy_hand()
