"""S3, chapters 9 and 10: the two-link arm falls, and its animation."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from math import cos, sin
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright_gallery.drawing import BLUE, GRAY, ORANGE, RED, chain, curves, figure, pictures_of, plane, written
from linkwright_gallery.exhibit import Erratum, Exhibit, Remark, derived, formula, found, known

START = np.radians([30.0, 30.0])
"""at rest; l = 1, lg = 0.5, m = 1, I = 0.1, g = 9.8 of both links"""
RIGHT = {1: (-2.304586, -0.956472, -5.947749, 7.263340), 3: (-1.135019, 8.504487, 6.069602, 0.941026)}
"""θ1, θ2 and their rates by the time, s"""
AS_PRINTED = {1: (-8.2278, 5.1471), 3: (-46.3022, 5.4828)}
"""θ1 and θ2 of the printed Python"""
ENERGY = 11.593524
"""J, throughout"""

State = tuple[float, float, float, float]


def terms(x: State) -> tuple[float, float, float, float, float]:
    """M11, M12, M22 and −h − g of the arm, as chapter 7 has them."""
    q1, q2, v1, v2 = x
    c2, s2 = cos(q2), sin(q2)
    g2 = 9.8 * 0.5 * cos(q1 + q2)
    g1 = g2 + 9.8 * cos(q1) + 9.8 * 0.5 * cos(q1)
    return 1.7 + c2, 0.35 + 0.5 * c2, 0.5 * s2 * v2 * (2.0 * v1 + v2) - g1, -0.5 * s2 * v1 * v1 - g2, 0.35


def right_rate(x: State) -> State:
    """The rate of (θ1, θ2, θ̇1, θ̇2): M⁻¹ (τ − h − g)."""
    m11, m12, r1, r2, m22 = terms(x)
    det = m11 * m22 - m12 * m12
    return x[2], x[3], (m22 * r1 - m12 * r2) / det, (m11 * r2 - m12 * r1) / det


def printed_rate(x: State) -> State:
    """As printed in Python: inv(M) * (τ − h − g), entry by entry, of which the first row is used."""
    m11, m12, r1, r2, m22 = terms(x)
    det = m11 * m22 - m12 * m12
    return x[2], x[3], m22 / det * r1, -m12 / det * r2


def integrated(
    rate: Callable[[State], State], duration: float, step: float = 5e-4, every: int = 20
) -> tuple[Array, Array]:
    """Times and states (n, 4) by Runge–Kutta of order four, every 20th step."""
    x: State = (float(START[0]), float(START[1]), 0.0, 0.0)
    kept = [x]
    for k in range(round(duration / step)):
        a = rate(x)
        b = rate(_moved(x, a, 0.5 * step))
        c = rate(_moved(x, b, 0.5 * step))
        d = rate(_moved(x, c, step))
        mean = tuple((p + 2.0 * q + 2.0 * r + s) / 6.0 for p, q, r, s in zip(a, b, c, d, strict=True))
        x = _moved(x, mean, step)  # type: ignore[arg-type]
        if (k + 1) % every == 0:
            kept.append(x)
    return step * every * np.arange(len(kept)), np.array(kept)


def _moved(x: State, rate: State, h: float) -> State:
    return x[0] + h * rate[0], x[1] + h * rate[1], x[2] + h * rate[2], x[3] + h * rate[3]


@cache
def wrong_motion() -> tuple[Array, Array]:
    """The motion of the printed Python, 3 s."""
    return integrated(printed_rate, 3.0)


@cache
def fall(duration: float = 3.0) -> lw.Motion:
    """The motion by the library."""
    return lw.simulate(lw.load("two_link"), START, np.zeros(2), duration, 2.5e-4, every=40)


# S3.9


def two_link_motion() -> Iterator[Remark]:
    """The motion at 1 s and 3 s, its energy, and what the printed Python makes of it."""
    arm, motion = lw.load("two_link"), fall()
    still = np.zeros(2)
    yield known("θ̈ at the start", (-11.9116, 19.6485), lw.forward_dynamics(arm, START, still, still), digits=4)
    for second, given in RIGHT.items():
        k = int(np.argmin(np.abs(motion.t - second)))
        yield known(f"θ1, θ2, θ̇1, θ̇2 after {second} s", given, [*motion.q[k], *motion.v[k]])
    _, states = integrated(right_rate, 3.0)
    yield formula(
        "after 3 s by the tutorial's M, h and g, Runge–Kutta", states[-1], [*motion.q[-1], *motion.v[-1]], 6, 1e-7
    )
    yield known("energy at the start, J", ENERGY, motion.energy[0])
    yield derived("energy throughout: its change", 0.0, float(np.ptp(motion.energy)), 6, 1e-8)
    t, states = wrong_motion()
    for moment, given_angles in AS_PRINTED.items():
        k = round(moment / (t[1] - t[0]))
        yield known(f"θ1, θ2 after {moment} s, the Python as printed", given_angles, states[k, :2], digits=4)
    k = round(1.0 / (t[1] - t[0]))
    energy = lw.kinetic_energy(arm, states[k, :2], states[k, 2:]) + lw.potential_energy(arm, states[k, :2])
    yield known("energy after 1 s, the Python as printed, J", 163.7, energy, digits=1)
    yield Erratum(
        "the simulation in Python",
        "np.linalg.inv(M)*(tau - h - g), which multiplies entry by entry",
        "np.linalg.inv(M) @ (tau - h - g), as the Octave program has it",
        "θ̈ at the start",
        printed_rate((*START, 0.0, 0.0))[2:],
        right_rate((*START, 0.0, 0.0))[2:],
        lw.forward_dynamics(arm, START, still, still),
        digits=4,
    )
    both = lw.simulate(arm, np.stack([START, START + np.array([1e-8, 0.0])]), np.zeros((2, 2)), 10.0, 1e-3, every=50)
    apart = np.abs(both.q[:, 1] - both.q[:, 0])
    yield found("an error of 1e-8 rad grows more than 1e5-fold in 10 s: compare over 3 s", apart.max() > 1e-3)


def draw_two_link_motion(path: Path) -> Path:
    """Angles and energy, right and as printed."""
    made = figure(10.0, 3.8)
    left, right = made.subplots(1, 2)
    motion, (t, states) = fall(), wrong_motion()
    for k, color in enumerate((BLUE, RED)):
        left.plot(motion.t, motion.q[:, k], color=color, label=f"θ{k + 1}")
        left.plot(t, states[:, k], "--", color=color, alpha=0.5, label=f"θ{k + 1}, Python as printed")
    left.set_ylim(-20.0, 12.0)
    curves(left, "the two-link arm falls from 30°, 30°", "time (s)", "angle (rad)")
    arm = lw.load("two_link")
    energy = lw.kinetic_energy(arm, states[:, :2], states[:, 2:]) + lw.potential_energy(arm, states[:, :2])
    right.plot(motion.t, motion.energy, color=BLUE, label=f"right: {motion.energy[0]:.6f} J")
    right.plot(t, energy, "--", color=ORANGE, label="Python as printed")
    right.set_yscale("symlog", linthresh=20.0)
    curves(right, "energy", "time (s)", "energy (J)")
    for axes in (left, right):
        axes.legend(fontsize=8)
    return written(path, made)


# S3.10

FRAMES = {"Octave": 1001, "Python": 101}
DELAY = 0.01
"""s a picture, of the tutorial's GIF"""


def animation() -> Iterator[Remark]:
    """Measure the time of the pictures and of a GIF."""
    motion = fall(1.0)
    speed = {name: 10.0 / (n * DELAY) for name, n in FRAMES.items()}
    yield known("10 s as 1001 pictures of 10 ms (Octave): times faster than it is", 1.0, speed["Octave"], digits=1)
    yield known("10 s as 101 pictures of 10 ms (Python): times faster than it is", 9.9, speed["Python"], digits=1)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "fall.gif"
        motion.animate(place, fps=10.0)
        seconds = [shown for _, shown in pictures_of(place)]
        again = b"NETSCAPE2.0" in place.read_bytes()  # the block of a GIF that says so
    yield derived("1 s as a GIF of ours: how long it is shown, s", 1.0, sum(seconds[:-1]), 2, 0.005)
    yield found("it is played again and again, as the tutorial's", again)
    reach = np.abs(lw.pose(lw.load("two_link"), motion.q, "tip")[:, :2, 3]).max()
    yield found("axes of ±2.2 hold all of it", reach < 2.2)


def draw_animation(path: Path) -> Path:
    """Six pictures in the tutorial's style, the wrong motion as a ghost."""
    made = figure(10.0, 6.6)
    arm, motion, (t, states) = lw.load("two_link"), fall(), wrong_motion()
    for axes, moment in zip(made.subplots(2, 3).ravel(), (0.0, 0.25, 0.5, 0.75, 1.0, 1.5), strict=True):
        k, j = (int(np.argmin(np.abs(times - moment))) for times in (motion.t, t))
        ghost, now = (
            np.array([lw.pose(arm, q, name)[:3, 3] for name in ("link1", "link2", "tip")])
            for q in (states[j, :2], motion.q[k])
        )
        chain(axes, ghost, ORANGE, alpha=0.35)
        chain(axes, now, BLUE)
        axes.plot(*now[:2, :2].T, "o", ms=8, color=GRAY, zorder=5)  # markers at the ends of link 1
        plane(axes, f"{moment:.2f} [s]", reach=2.2)
        axes.text(-2.1, -2.1, f"{motion.energy[k]:.3f} J", fontsize=9, color=BLUE)
    return written(path, made)


EXHIBITS = (
    Exhibit(
        "S3.9",
        "two_link_motion",
        "The two-link arm falls",
        "chapter 9",
        "Both links have l = 1 m, lg = 0.5 m, m = 1 kg, I = 0.1 kg m²; g = 9.8 m/s². From 30° and 30°, at rest, "
        "without efforts, 10 s. In Octave lsode gives 1001 points, in Python odeint 101. Neither prints its numbers.",
        two_link_motion,
        draw_two_link_motion,
        "Solid: the motion and its energy. Dashed: the printed Python program.",
        """import numpy as np
import linkwright as lw

arm = lw.load("two_link")
motion = lw.simulate(arm, np.radians([30, 30]), np.zeros(2), 3.0, 2.5e-4)
print(motion.q[4000], motion.q[-1])        # after 1 s and 3 s
assert np.ptp(motion.energy) < 1e-8""",
        (
            ("simulation", "learn/simulation.md"),
            ("code generation", "topics/mechanisms/equations.md"),
        ),
        studio="double-pendulum",
    ),
    Exhibit(
        "S3.10",
        "animation",
        "The animation",
        "chapter 10",
        "Lines of width 5; link 1 with round markers at its ends, link 2 without; axes ±2.2 with a grid; the time "
        "with two decimals and “[s]” as title. Octave has equal axes, Python has not. Pictures sim0000.png … become "
        "a GIF that repeats, 10 ms per picture.",
        animation,
        draw_animation,
        "The motion at six times with its energy; the motion of the printed Python program is pale.",
        """import numpy as np
import linkwright as lw

motion = lw.simulate(lw.load("two_link"), np.radians([30, 30]), np.zeros(2), 0.5)
motion.animate("fall.gif", fps=10)         # in real time""",
        (("simulation", "learn/simulation.md"),),
    ),
)
