"""Manufacturing tolerances of a four-bar linkage: the error of its coupler point, and which bars cause it.

    python examples/four_bar_tolerances.py [--short] [--to FOLDER]

Crank 0.3 m, coupler 0.8 m, rocker 0.6 m, ground 0.9 m, each with an error of its length; the zero of the crank's angle
has an error, too. In the model each bar has a prismatic joint, whose coordinate is the error of the bar. For each set
of errors the crank turns once; the error of the point is its distance from the nominal point at the same angle. A study
that was interrupted resumes when the program runs again.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import linkwright as lw

LENGTH = {"crank": 0.3, "coupler": 0.8, "rocker": 0.6, "ground": 0.9}
"""m"""
DEVIATION = {"crank": 5e-5, "coupler": 1.5e-4, "rocker": 1.5e-4, "ground": 1e-4, "zero": 2e-4}
"""m, rad: standard deviations of the errors"""
POINT = (0.4, 0.3, 0.0)
"""m: of the coupler, along it and aside"""


def four_bar() -> lw.Model:
    """In x–y; bars lie along their x. Each is a body at its joint and a light one that slides on it, with its end."""
    builder = lw.Builder("four_bar with errors", gravity=(0.0, -9.81, 0.0))
    builder.body("ground_end", 0.01, inertia=1e-6)
    builder.joint("ground_error", "prismatic", "world", "ground_end", axis=(1, 0, 0), xyz=(LENGTH["ground"], 0, 0))
    for bar, on in (("crank", "world"), ("coupler", "crank_end"), ("rocker", "ground_end")):
        builder.body(bar, 1.0, (0.5 * LENGTH[bar], 0.0, 0.0), 0.01).body(f"{bar}_end", 0.01, inertia=1e-6)
        builder.joint(bar, "continuous", on, bar, axis=(0, 0, 1))
        builder.joint(f"{bar}_error", "prismatic", bar, f"{bar}_end", axis=(1, 0, 0), xyz=(LENGTH[bar], 0, 0))
    builder.loop("pin", "revolute", "coupler_end", "rocker_end", axis=(0, 0, 1))
    return builder.frame("point", "coupler", xyz=POINT).build()


MODEL = four_bar()
ERRORS = [f"{bar}_error" for bar in LENGTH]
AROUND = np.linspace(0.0, 2.0 * np.pi, 121)


def turned(model: lw.Model, angles: np.ndarray) -> np.ndarray:
    """Postures (n, nq) as drawn, each from the one before."""
    q, found = model.neutral(), []
    q[model.slice("coupler").q], q[model.slice("rocker").q] = 0.8, 1.7
    for angle in angles:
        q[model.slice("crank").q] = angle
        q = lw.close_loops(model, q, fixed=["crank", *ERRORS])
        found.append(q.copy())
    return np.array(found)


def strays(drawn, crank, coupler, rocker, ground, zero):
    """For errors (n,), m and rad; ``drawn`` (angles, nq) are the postures of the drawing."""
    q = np.tile(drawn, (len(crank), 1, 1))
    q[..., MODEL.slice("crank").q] += zero[:, None, None]
    for bar, error in (("crank", crank), ("coupler", coupler), ("rocker", rocker), ("ground", ground)):
        q[..., MODEL.slice(f"{bar}_error").q] = error[:, None, None]
    q = lw.close_loops(MODEL, q, fixed=["crank", *ERRORS])
    point, there = (lw.pose(MODEL, x, "point")[..., :2, 3] for x in (q, drawn))
    off = np.linalg.norm(point - there, axis=-1)
    return {"off": off.astype(np.float32), "worst": off.max(axis=1), "mean": off.mean(axis=1)}


def picture(study: lw.Study, drawn: np.ndarray, shares: object) -> Figure:
    """Plot the linkage with the path of its point, the error against the crank angle, and its causes."""
    figure = Figure(figsize=(14, 4.3), layout="constrained")
    path, around, bars = (figure.add_subplot(1, 3, k) for k in (1, 2, 3))
    frames = ("crank", "coupler", "coupler_end", "ground_end")
    A, B, C, D = (lw.pose(MODEL, drawn[12], name)[:2, 3] for name in frames)
    P = lw.pose(MODEL, drawn, "point")[:, :2, 3]
    path.plot(*np.transpose([A, B, C, D]), "o-", color="0.35", lw=3)
    path.fill(*np.transpose([B, C, P[12]]), color="0.85")
    middle, high = np.percentile(study["off"], (50, 95), axis=0) * 1e3
    shown = path.scatter(*P.T, c=high, s=14, cmap="viridis", zorder=3)
    figure.colorbar(shown, ax=path, label="95th percentile of the error (mm)")
    path.set(aspect="equal", xlabel="x (m)", ylabel="y (m)", title="path of the coupler point")
    low, high = np.percentile(study["off"], (5, 95), axis=0) * 1e3
    around.fill_between(np.degrees(AROUND), low, high, alpha=0.3, label="5th to 95th percentile")
    around.plot(np.degrees(AROUND), middle, label="median")
    around.set(xlabel="crank angle (°)", ylabel="error of the point (mm)", ylim=(0, None), title="error over a turn")
    around.legend()
    around.grid(alpha=0.3)
    at = np.arange(len(shares.names))
    for k, (label, share, interval) in enumerate(
        (("first order", shares.first, shares.first_interval), ("total", shares.total, shares.total_interval))
    ):
        bars.barh(at + 0.4 * k - 0.2, share, 0.38, xerr=interval, label=label)
    bars.set_yticks(at, shares.names)
    bars.invert_yaxis()
    bars.set(xlabel="Sobol index of the largest error", title="causes")
    bars.legend()
    return figure


if __name__ == "__main__":
    reader = argparse.ArgumentParser()
    reader.add_argument("--short", action="store_true")
    reader.add_argument("--to", type=Path, default=Path("tolerances"))
    options = reader.parse_args()
    drawn = turned(MODEL, AROUND)
    errors = {name: lw.samples.normal(0.0, deviation) for name, deviation in DEVIATION.items()}
    parameters = lw.samples.saltelli(2**8 if options.short else 2**13, 1, **errors)
    study = lw.study(partial(strays, drawn), parameters, options.to, units={"off": "m", "worst": "m", "mean": "m"})
    print(study)
    middle, high, most = np.percentile(study["worst"], (50, 95, 99.73)) * 1e3
    print(f"largest error over a turn: median {middle:.2f} mm, 95 % below {high:.2f} mm, 99.73 % below {most:.2f} mm")
    shares = study.sensitivity("worst")
    print(shares)
    picture(study, drawn, shares).savefig(options.to.with_name(f"{options.to.name}.png"), dpi=100)
