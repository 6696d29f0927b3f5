"""Which pushes a standing quadruped bears, and what that depends on: a hundred thousand motions.

    python examples/pushed_quadruped.py [--short] [--to FOLDER]

Its joints are held by springs and dampers, no more: no foot is lifted to save it. A force on its trunk for 0.2 s comes
from any direction. Its trunk weighs more or less, the ground is more or less slippery. It has fallen where its trunk is
low or tilted within two seconds. Run it again after it was stopped: it goes on.
"""

import argparse
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import linkwright as lw

ROBOT = lw.load("quadruped").with_ground()
START = np.concatenate([[0.0, 0.0, 0.33], [1.0, 0.0, 0.0, 0.0], np.tile([0.0, 0.7, -1.4], 4)])
STEP, SETTLED, SECONDS, LASTS = 0.004, 0.3, 2.3, 0.2
"""s: of a step, until the push, of the motion, of the push"""


def hold(model, t, q, v):
    return np.concatenate([np.zeros(6), 60.0 * (START[7:] - q[7:]) - 1.5 * v[6:]])


def push(t, force):
    """On the trunk's frame."""
    on = lw.where((t >= SETTLED) & (t < SETTLED + LASTS), 1.0, 0.0)
    return {"trunk": np.concatenate([on * force, np.zeros(4)])}


def fallen(model, t, q, v):
    T = lw.pose(model, q, "trunk")
    return (T[2, 3] < 0.2) | (T[2, 2] < 0.7)


def pushed(force, angle, mass, friction):
    """For forces, N, and where they push to, rad, of the trunk, kg, and of the ground (n,)."""
    n = len(force)
    motion = lw.rollout(
        ROBOT,
        np.tile(START, (n, 1)),
        np.zeros((n, ROBOT.nv)),
        round(SECONDS / STEP),
        STEP,
        hold,
        parameters={"trunk.mass": mass, "pairs.friction": friction},
        actuation=lw.Actuation(each=["force"]),
        surroundings=lw.Surroundings(
            wrenches=partial(push, force=force[:, None] * np.stack([np.cos(angle), np.sin(angle)], -1))
        ),
        episode=lw.Episode(terminate=fallen),
    )
    moved = np.linalg.norm(motion.q[-1, :, :2] - START[:2], axis=-1)
    return {"fell": ~motion.alive, "after": motion.steps * STEP - SETTLED, "moved": moved}


def drawn(study: lw.Study) -> Figure:
    """Shares of those that fell: over the push and the friction, from where, and with what mass."""
    force, angle, mass, friction, fell = (study[name] for name in ("force", "angle", "mass", "friction", "fell"))
    impulse = LASTS * force
    figure = Figure(figsize=(13.5, 4.2), layout="constrained")
    panels = [figure.add_subplot(1, 3, k, projection="polar" if k == 2 else None) for k in (1, 2, 3)]
    edges = np.linspace(impulse.min(), impulse.max(), 21 if len(fell) > 5000 else 9)
    middle = 0.5 * (edges[1:] + edges[:-1])

    def shares(chosen):
        all_of, those = (np.histogram(impulse[one], edges)[0] for one in (chosen, chosen & fell))
        return those / np.maximum(all_of, 1)

    for axis, x, limits, what in (
        (panels[0], friction, (0.2, 0.4, 0.7, 1.2), "friction"),
        (panels[2], mass, (2.5, 3.3, 4.1, 5.0), "kg"),
    ):
        for low, high in pairwise(limits):
            axis.plot(middle, shares((x >= low) & (x < high)), ".-", label=f"{what} {low:g} to {high:g}")
        axis.set(xlabel="push (N s)", ylabel="share that fell", ylim=(0, 1))
        axis.legend()
        axis.grid(alpha=0.3)
    around = np.linspace(0.0, 2.0 * np.pi, 37 if len(fell) > 5000 else 13)
    both = [np.histogram2d(angle[one], impulse[one], (around, edges))[0] for one in (fell, fell | True)]
    share = both[0] / np.maximum(both[1], 1)
    shown = panels[1].pcolormesh(around, edges, share.T, cmap="magma_r", vmin=0, vmax=1)
    panels[1].set_title("to where it is pushed (0°: ahead); push (N s)", fontsize=10)
    panels[1].grid(alpha=0.3)
    panels[1].set_rlabel_position(90)
    panels[1].set_axisbelow(False)  # the numbers of the radius are over the colors
    panels[1].tick_params(axis="y", labelcolor="0.5", labelsize=8)
    figure.colorbar(shown, ax=panels[1], label="share that fell")
    figure.suptitle(f"{len(fell):,d} quadrupeds are pushed, {fell.mean():.0%} fall")
    return figure


if __name__ == "__main__":
    reader = argparse.ArgumentParser()
    reader.add_argument("--short", action="store_true")
    reader.add_argument("--to", type=Path, default=Path("pushed"))
    told = reader.parse_args()
    parameters = lw.samples.random(
        2_000 if told.short else 100_000,
        1,
        force=lw.samples.uniform(0.0, 100.0),
        angle=lw.samples.uniform(0.0, 2.0 * np.pi),
        mass=lw.samples.uniform(2.5, 5.0),
        friction=lw.samples.uniform(0.2, 1.2),
    )
    units = {"force": "N", "angle": "rad", "mass": "kg", "after": "s", "moved": "m"}
    study = lw.study(pushed, parameters, told.to, units=units)
    print(study)
    fell = study["fell"]
    print(f"{fell.mean():.1%} fell, half of them within {np.median(study['after'][fell]):.2f} s after the push began")
    drawn(study).savefig(told.to.with_name(f"{told.to.name}.png"), dpi=100)
