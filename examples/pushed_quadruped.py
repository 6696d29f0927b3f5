"""A hundred thousand pushes of a standing quadruped: which of them make it fall.

    python examples/pushed_quadruped.py [--short] [--to FOLDER]

A proportional-derivative controller holds its joints; it takes no step. A force acts on its trunk for 0.2 s, in any
direction. The mass of the trunk and the friction of the ground vary. It counts as fallen if its trunk is low or tilted
within two seconds. A study that was interrupted resumes when the program runs again.
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
    """Plot the fraction that fell against the push, by friction, by direction and by mass."""
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
        (panels[2], mass, (2.5, 3.3, 4.1, 5.0), "mass (kg)"),
    ):
        for low, high in pairwise(limits):
            axis.plot(middle, shares((x >= low) & (x < high)), ".-", label=f"{what} {low:g} to {high:g}")
        axis.set(xlabel="push (N s)", ylabel="fraction that fell", ylim=(0, 1))
        axis.legend()
        axis.grid(alpha=0.3)
    around = np.linspace(0.0, 2.0 * np.pi, 37 if len(fell) > 5000 else 13)
    both = [np.histogram2d(angle[one], impulse[one], (around, edges))[0] for one in (fell, fell | True)]
    share = both[0] / np.maximum(both[1], 1)
    shown = panels[1].pcolormesh(around, edges, share.T, cmap="viridis", vmin=0, vmax=1)
    panels[1].set_title("direction (0°: forward) and push (N s)", fontsize=10)
    panels[1].grid(alpha=0.3)
    panels[1].set_rlabel_position(90)
    panels[1].set_axisbelow(False)  # the numbers of the radius are over the colors
    panels[1].set_yticks([5.0, 10.0, 15.0])
    for text in panels[1].get_yticklabels():
        text.set(fontsize=8, bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "linewidth": 0.0})
    figure.colorbar(shown, ax=panels[1], label="fraction that fell")
    figure.suptitle(f"{fell.mean():.0%} of {len(fell):,d} pushed quadrupeds fall")
    return figure


if __name__ == "__main__":
    reader = argparse.ArgumentParser()
    reader.add_argument("--short", action="store_true")
    reader.add_argument("--to", type=Path, default=Path("pushed"))
    options = reader.parse_args()
    parameters = lw.samples.random(
        2_000 if options.short else 100_000,
        1,
        force=lw.samples.uniform(0.0, 100.0),
        angle=lw.samples.uniform(0.0, 2.0 * np.pi),
        mass=lw.samples.uniform(2.5, 5.0),
        friction=lw.samples.uniform(0.2, 1.2),
    )
    units = {"force": "N", "angle": "rad", "mass": "kg", "after": "s", "moved": "m"}
    study = lw.study(pushed, parameters, options.to, units=units)
    print(study)
    fell = study["fell"]
    print(f"{fell.mean():.1%} fell, half of them within {np.median(study['after'][fell]):.2f} s after the push began")
    drawn(study).savefig(options.to.with_name(f"{options.to.name}.png"), dpi=100)
