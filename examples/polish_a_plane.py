"""An arm polishes a plane: it keeps a force across the plane and follows a circle along it. Then its hand is pushed.

Writes two pictures into the folder that is named, or into the one where it is run.
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

import linkwright as lw
from linkwright.visual.palette import COLORS

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
INK = COLORS[:5]
STEP, LATE = 1e-3, 2e-3  # s: control period, and the delay of the efforts
RADIUS, PERIOD = 0.05, 2.8  # m, s
PLANES = {1e4: 50.0, 3e4: 100.0, 1e5: 200.0, 2e5: 300.0, 4e5: 400.0}  # N/m: N s/m, stiffness and damping of the planes
TIP = 0.01  # m, radius of the sphere in contact
NOISE = {"q": 2e-6, "v": 2e-4, "wrench": np.repeat([0.05, 0.002], 3)}  # rad, rad/s, N and N m

arm = lw.load("arm7")
believed = arm.with_parameters(1.05 * lw.inertial_parameters(arm))  # who takes all masses for 5 % more
touching = lw.transform.make(np.diag([1.0, -1.0, -1.0]), np.array([0.55, 0.1, 0.25]))  # the hand points down
start = lw.inverse_kinematics(arm, {"tool": touching}, initial_guess=[0.3, 0.8, -0.2, -1.6, -2.9, -0.8, 0.0]).q
posture = {"posture": start, "posture_stiffness": 25.0, "posture_damping": 10.0}


def circle(t: Any, home: Any) -> tuple[Any, Any, Any]:
    """Where the hand should be, its velocity and acceleration: from rest, within 0.4 s, to a turn each period."""
    ramp, w, zero = 0.4, 2.0 * np.pi / PERIOD, 0.0 * t
    x = lw.clip(t / ramp, 0.0, 1.0)
    angle = w * (ramp * x * x * x * (1.0 - 0.5 * x) + lw.maximum(t - ramp, 0.0))
    rate, slope = w * x * x * (3.0 - 2.0 * x), w * 6.0 * x * (1.0 - x) / ramp
    c, s = np.cos(angle), np.sin(angle)
    place = home[:3, 3] + RADIUS * np.stack([c - 1.0, s, zero])
    velocity = RADIUS * np.stack([-rate * s, rate * c, zero, zero, zero, zero])
    acceleration = RADIUS * np.stack([-slope * s - rate * rate * c, slope * c - rate * rate * s, *[zero] * 4])
    return lw.transform.make(home[:3, :3], place), velocity, acceleration


def mistaken(model: lw.Model, t: Any, q: Any, v: Any, *state: Any, controller: Any, **options: Any) -> Any:
    """A controller whose masses are wrong."""
    return controller(believed, t, q, v, *state, **options)


gains: dict[str, Any] = {
    "frame": "tool",
    "reference": partial(circle, home=touching),
    "force": np.array([0.0, 0.0, -10.0, 0.0, 0.0, 0.0]),
    "stiffness": 60.0**2,
    "damping": 2.0 * 0.9 * 60.0,
    "force_loop": lw.control.ForceLoop("z", integral=60.0, damping=1200.0, proportional=0.5),
    "step": STEP,
    **posture,
}


def on_plane(stiffness: float, damping: float) -> lw.Model:
    """Return the arm with a small sphere at its tool, on a compliant plane."""
    place = arm.frames["tool"].placement[:3, 3] - [0.0, 0.0, TIP]
    contact = lw.ContactProperties(stiffness=stiffness, damping=damping, friction=0.2)
    made = lw.Builder(arm).shape("link7", "sphere", radius=TIP, xyz=place, contact=contact).build()
    return made.with_ground(touching[2, 3])


def polished(law: Any, **options: Any) -> tuple[Any, Any, Any]:
    """Return times (n,), forces on the planes (n, planes), N, and distances from the circle (n, planes), m."""
    motions = [
        lw.simulate(
            on_plane(*plane),
            start,
            np.zeros(7),
            4.0,
            STEP,
            "midpoint",
            controller=law,
            actuation=lw.Actuation(delay=LATE, **options),
            surroundings=lw.Surroundings(sensor="tool"),
        )
        for plane in PLANES.items()
    ]
    t = motions[0].t
    wanted = np.array([circle(x, touching)[0][:2, 3] for x in t])
    force = np.stack([motion.wrenches["link7"][:, 2] for motion in motions], axis=1)
    reached = np.stack([lw.pose(arm, motion.q, "tool")[:, :2, 3] for motion in motions], axis=1)
    return t, force, np.linalg.norm(reached - wanted[:, None], axis=-1)


def polishing() -> None:
    """Hybrid control with exact masses, with wrong masses, and with noise in addition."""
    right = partial(lw.control.hybrid, **gains)
    wrong = partial(mistaken, controller=lw.control.hybrid, **gains)
    first = np.zeros(6)
    runs = {
        "right masses": polished(right),
        "masses 5 % wrong": polished(wrong, initial_state=first),
        "noise": polished(right, noise=NOISE),
        "masses 5 % wrong, noise": polished(wrong, initial_state=first, noise=NOISE),
    }
    made, axes = plt.subplots(1, 3, figsize=(10.5, 3.4), layout="constrained")
    for name, (t, force, off) in runs.items():
        late = t > 1.0
        largest, way = np.abs(force[late] - 10.0).max(axis=0), off[late].max(axis=0)
        print(f"{name}: after 1 s, on planes of {', '.join(f'{k:g}' for k in PLANES)} N/m")
        print("  force within", ", ".join(f"{x:.3f}" for x in largest), "N")
        print("  rms         ", ", ".join(f"{x:.3f}" for x in force[late].std(axis=0)), "N")
        print("  path within ", ", ".join(f"{1e3 * x:.3f}" for x in way), "mm")
    t, force, _ = runs["right masses"]
    for k, (stiffness, ink) in enumerate(zip(PLANES, INK, strict=True)):
        axes[0].plot(t, force[:, k], color=ink, lw=1.0, label=f"{stiffness:g} N/m")
    axes[0].set(xlim=(0.0, 0.6), ylim=(0.0, None), ylabel="force on the plane (N)", xlabel="time (s)")
    axes[0].legend(fontsize=8)
    _, noisy, _ = runs["masses 5 % wrong, noise"]
    for k, stiffness in reversed([*enumerate(PLANES)]):
        axes[2].plot(t, noisy[:, k], color=INK[k], lw=0.6, label=f"{stiffness:g} N/m")
    axes[2].legend(
        *(options[::-1] for options in axes[2].get_legend_handles_labels()), fontsize=8, ncols=2, loc="upper center"
    )
    for (name, (_, _, off)), ink in zip(runs.items(), ("black", COLORS[3], "0.6", COLORS[4]), strict=True):
        axes[1].plot(t, 1e3 * off[:, 2], color=ink, lw=0.8, label=name)
    axes[1].axhline(0.1, color="0.6", lw=0.8, ls="--")
    axes[1].set(ylabel="off the circle (mm)", xlabel="time (s)", ylim=(0.0, None))
    axes[1].legend(fontsize=8)
    axes[2].set(ylabel="force, wrong masses, noise (N)", xlabel="time (s)", xlim=(1.0, 4.0), ylim=(9.5, 10.9))
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    made.savefig(FOLDER / "force_polishing.png", dpi=110)


def shaken(t: Any, size: Any) -> dict[str, Any]:
    """Forces of six frequencies, from 5 to 23 rad/s, in all directions."""
    waves = [
        sum(np.sin(w * (1.0 + 0.013 * k) * t + j + k) for j, w in enumerate((5.0, 8, 11, 14, 18, 23))) for k in range(3)
    ]
    return {"tool": np.concatenate([size * np.stack(waves), np.zeros(3)])}


def pushed(t: Any, size: Any) -> dict[str, Any]:
    """Along z."""
    zero = 0.0 * t
    return {"tool": np.stack([zero, zero, size + zero, zero, zero, zero])}


def identified(motion: lw.Motion, home: Any, h: float) -> Any:
    """M, D and K (3, 3) along x, y and z, that the hand shows: by least squares."""
    x = lw.pose(arm, motion.q, "tool")[:, :3, 3] - home[:3, 3]
    rate = lw.velocity(arm, motion.q, motion.v, "tool")[:, :3]
    acceleration = (rate[2:] - rate[:-2]) / (2.0 * h)
    found = []
    for k in range(3):
        A = np.stack([acceleration[:, k], rate[1:-1, k], x[1:-1, k], np.ones(len(acceleration))], axis=1)
        found.append(np.linalg.lstsq(A[500:], motion.wrenches["tool"][1:-1, k][500:], rcond=None)[0][:3])
    return np.array(found)


def programmed() -> None:
    """A hand with the commanded stiffness, damping and inertia."""
    shown = np.array([3.0, 59.4, 600.0])
    gains = dict(frame="tool", reference=touching, directions="linear", **posture)
    gains |= dict(inertia=shown[0], damping=shown[1], stiffness=shown[2])
    right = partial(lw.control.shaped_impedance, **gains)
    wrong = partial(mistaken, controller=lw.control.shaped_impedance, **gains)
    runs: dict[str, tuple[Any, str, float, dict[str, Any]]] = {
        "1 kHz, one step a tick": (right, "semi_implicit", STEP, {}),
        "4 kHz": (right, "rk4", STEP / 4, {}),
        "1 kHz": (right, "rk4", STEP, {}),
        "1 kHz, masses 5 % wrong": (wrong, "rk4", STEP, {}),
        "1 kHz, noise": (right, "rk4", STEP, {"noise": NOISE}),
        "1 kHz, 2 ms late": (right, "rk4", STEP, {"delay": LATE}),
        "1 kHz, all of these": (wrong, "rk4", STEP, {"delay": LATE, "noise": NOISE}),
    }
    print("impedance shown, off the programmed inertia, damping and stiffness by at most")
    for name, (law, method, h, options) in runs.items():
        push = partial(shaken, size=np.full(3, 2.0))
        motion = lw.simulate(
            arm,
            start,
            np.zeros(7),
            3.0,
            h,
            method,
            controller=law,
            actuation=lw.Actuation(**options),
            surroundings=lw.Surroundings(wrenches=push, sensor="tool"),
        )
        off = np.abs(identified(motion, touching, h) / shown - 1.0).max(axis=0)
        print(f"  {name}: {', '.join(f'{x:.2%}' for x in off)}")
    made, ax = plt.subplots(figsize=(5.5, 3.4), layout="constrained")
    for inertia, ink in zip((1.5, 3.0, 6.0), INK, strict=False):
        law = partial(lw.control.shaped_impedance, **gains | {"inertia": inertia})
        motion = lw.simulate(
            arm,
            start,
            np.zeros(7),
            0.8,
            STEP,
            "semi_implicit",
            controller=law,
            surroundings=lw.Surroundings(wrenches=partial(pushed, size=6.0), sensor="tool"),
        )
        way = 1e3 * (lw.pose(arm, motion.q, "tool")[:, 2, 3] - touching[2, 3])
        a, b = np.roots([inertia, shown[1], shown[2]]).astype(complex)
        theory = (6.0 / shown[2] * (1.0 - (b * np.exp(a * motion.t) - a * np.exp(b * motion.t)) / (b - a))).real
        ax.plot(motion.t, way, color=ink, label=f"M = {inertia:g} kg")
        ax.plot(motion.t[::25], 1e3 * theory[::25], "o", ms=3, color=ink)
    ax.plot([], [], "o", ms=3, color="0.4", label=r"$M\,\ddot{\tilde{x}} + D\,\dot{\tilde{x}} + K\,\tilde{x} = w$")
    ax.set(xlabel="time (s)", ylabel="way of the hand, pushed with 6 N (mm)")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(fontsize=10)
    made.savefig(FOLDER / "force_impedance.png", dpi=110)


if __name__ == "__main__":
    polishing()
    programmed()
