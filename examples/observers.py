"""What a mechanism does not know, found while it moves: a payload, a push, and velocities of encoders.

Writes one picture for each into the folder that is named, or into the one where it is run.
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
STEP = 1e-3

arm = lw.load("arm7")
home, rest = np.array([0.3, 0.6, -0.2, 1.2, 0.4, 0.8, 0.1]), np.zeros(7)
width, speed = np.array([0.5, 0.4, 0.5, 0.5, 0.6, 0.6, 0.6]), np.array([1.0, 1.3, 1.7, 1.1, 2.3, 1.9, 2.7])


def swing(t: Any) -> Any:
    """Return a motion from rest with a different frequency for every joint, which excites most inertial parameters."""
    x = speed * t
    return home + width * (1.0 - np.cos(x)), width * speed * np.sin(x), width * speed**2 * np.cos(x)


def figure() -> tuple[Figure, Any]:
    """Draw two pictures side by side."""
    made, axes = plt.subplots(1, 2, figsize=(8.8, 3.0), layout="constrained")
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlabel("time (s)")
    return made, axes


def a_payload_is_found() -> None:
    """Adaptive control: the hand holds 2 kg of which the law does not know."""
    loaded = arm.with_payload("tool", mass=2.0, center_of_mass=[0.02, -0.03, 0.1], inertia=0.01)
    true, unsure = lw.inertial_parameters(loaded)[-10:], np.array([2.0, *[0.2] * 9])
    adaptive = partial(
        control.adaptive,
        bodies=["link7"],
        reference=swing,
        convergence=10.0,
        damping=np.array([20, 20, 15, 10, 2, 2, 0.3]),
        step=STEP,
    )
    laws = {
        "nothing is learned": partial(adaptive, rate=0.0),
        "by the error alone": partial(adaptive, rate=3.0 * unsure**2),
        "by the efforts, too": partial(adaptive, rate=0.1 * unsure**2, prediction=100.0),
    }
    made, (mass, error) = figure()
    mass.axhspan(1.96, 2.04, color="0.9", label="2 kg ± 2 %")
    for (word, law), color in zip(laws.items(), INK[1::-1] + INK[2:], strict=False):
        mistaken = partial(control.with_model, controller=law, mechanism=arm)
        motion = lw.simulate(loaded, home, rest, 5.0, controller=mistaken)
        found = motion.state["parameters"]
        wanted = np.array([swing(t)[0] for t in motion.t])
        off = np.degrees(np.abs(motion.q - wanted).max(axis=1))
        error.semilogy(motion.t, off + 1e-3, color=color, label=word)
        if word != "nothing is learned":
            mass.plot(motion.t, found[:, 0] - lw.inertial_parameters(arm)[-10], color=color, label=word)
        late = motion.t >= 2.0
        moment = np.linalg.norm(found[:, 1:4] - true[1:4], axis=1)[late].max() / np.linalg.norm(true[1:4])
        print(
            f"{word}: from 2 s on the mass is off by {np.abs(found[late, 0] - true[0]).max() / 2.0:.1%}, the first "
            f"moment by {moment:.1%}, the joints by {off[late].max():.2g}°"
        )
    mass.set_ylabel("estimated mass (kg)")
    mass.set_ylim(0.0, 3.0)
    error.set_ylabel("largest joint error (°)")
    error.set_ylim(0.05, 60.0)
    mass.legend(fontsize=7)
    error.legend(fontsize=7)
    made.savefig(FOLDER / "observer_payload.png", dpi=110)


def a_push_is_found() -> None:
    """The momentum observer: 5 N at the hand, with right masses and with wrong ones, noise and delay."""
    push, begin = np.array([3.0, 0, 4.0, 0, 0, 0]), 0.1
    pushed = lambda t: {"tool": lw.where(t >= begin, 1.0, 0.0) * push}  # noqa: E731
    holding = partial(
        control.pd,
        target=home,
        stiffness=np.array([400, 400, 300, 200, 60, 60, 10.0]),
        damping=np.array([40, 40, 30, 15, 3, 3, 0.3]),
    )
    ten = lw.inertial_parameters(arm).reshape(-1, 10)
    wrong = arm.with_parameters((ten * (1.0 + 0.05 * np.array([1, 1, -1, -1, -1, -1, -1]))[:, None]).ravel())
    made, axes = figure()
    for ax, known, real, late in (
        (axes[0], arm, {}, 0),
        (axes[1], wrong, {"delay": STEP, "noise": {"q": 1e-5, "v": 2e-4}}, 1),
    ):
        for gain, color in zip((250.0, 50.0), INK, strict=False):
            law = partial(control.momentum_observer, controller=holding, gain=gain, step=STEP, delay_steps=late)
            law = partial(control.with_model, controller=law, mechanism=known)
            actuation, around = lw.Actuation(**real), lw.Surroundings(wrenches=pushed)
            motion = lw.simulate(arm, home, rest, 0.25, controller=law, actuation=actuation, surroundings=around)
            along = control.hand_wrench(known, motion.q, "tool", motion.state["external"]) @ push / 5.0
            ax.plot(motion.t, along, color=color, label=f"K_O = {gain:g}/s")
            if known is arm:
                print(f"K_O = {gain:g}/s: {along[round(begin / STEP) + 20] / 5.0:.1%} of the push after 20 ms")
            else:
                grown = along[-50:].mean() - along[50:100].mean()
                print(f"K_O = {gain:g}/s: {along[50:100].mean():.2g} N before the push, {grown:.3g} N more after it")
        ax.plot(motion.t, np.where(motion.t >= begin, 5.0, 0.0), color="0.6", lw=0.8, zorder=0, label="external force")
        ax.set_ylabel("estimated force (N)")
        ax.legend(fontsize=7)
    axes[0].set_title("correct masses", fontsize=9)
    axes[1].set_title("5 % wrong masses, noise, 1 ms of delay", fontsize=9)
    made.savefig(FOLDER / "observer_push.png", dpi=110)


def velocities_are_found() -> None:
    """Encoders of 4096 steps a turn: differences, a filter, a Kalman filter, in the arm's loop."""
    turn = 2.0 * np.pi / 4096
    follow = partial(control.computed_torque, reference=swing, stiffness=100.0, damping=20.0)
    ways = {
        "differences": partial(control.filtered_velocity, cutoff=1e5),
        "filter": partial(control.filtered_velocity, cutoff=200.0, order=2),
        "Kalman filter": partial(control.kalman_velocity, noise=turn / np.sqrt(12.0), jerk=50.0),
    }
    made, axes = figure()
    for (word, way), color in zip(ways.items(), ("0.75", *INK), strict=False):
        law = partial(control.encoders, controller=partial(way, controller=follow, step=STEP), resolution=turn)
        motion = lw.simulate(arm, home, rest, 3.0, controller=law)
        estimate = motion.state["controller"]["velocity"]
        seen, true = (estimate[:, -1] if estimate.ndim == 3 else estimate)[1:], motion.v[:-1]
        off = np.sqrt(np.mean((seen - true)[500:] ** 2))
        print(f"{word}: {off:.2g} rad/s off")
        some = slice(1500, 2000)
        axes[0].plot(motion.t[some], seen[some, 2], color=color, label=word)
        if word != "differences":
            axes[1].plot(motion.t[some], (seen - true)[some, 2], color=color, label=word)
    axes[0].plot(motion.t[some], true[some, 2], "k", lw=0.8, label="true")
    axes[0].set_ylabel("velocity of joint 3 (rad/s)")
    axes[0].set_ylim(-0.8, 1.2)
    axes[1].set_ylabel("velocity error (rad/s)")
    for ax in axes:
        ax.legend(fontsize=7)
    made.savefig(FOLDER / "observer_velocity.png", dpi=110)


a_payload_is_found()
a_push_is_found()
velocities_are_found()
