"""Proportions of a leg that squats with little loss: gradients through inverse kinematics, control and contact.

    python examples/leg_proportions.py [--short] [FOLDER]

A leg of thigh and shank carries a trunk on a vertical rail. Its controller computes the posture of the desired height
by inverse kinematics, and the foot, a ball, presses on the ground. The design variables are both lengths and the radius
of the foot. The loss of a squat is the heat of the motors, friction of the gears, and the error of the height. Its
gradient is that of the whole simulation (`rollout_derivatives`): of the initial posture, which depends on the lengths
through inverse kinematics, of the controller and of the contact.
"""

import argparse
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

import linkwright as lw

STEPS, STEP = 1000, 1e-3
LOW, HIGH = 0.32, 0.52
"""m: heights of the hip"""
HEAT, FRICTION, ERROR = 0.01, 0.2, 1000.0
"""weights of efforts, joint velocities and of the error of the height, squared"""
DESIGN = {"knee.distance": 0.30, "ankle.distance": 0.30, "pad.radius": 0.025}
"""m: lengths of thigh and shank, radius of the foot, at first"""
BOUNDS = np.array([[0.12, 0.6], [0.12, 0.6], [0.015, 0.04]])
"""m"""
LONGEST = 0.62
"""m: largest length in the picture"""
MARGIN = 0.025
"""m: distance of the picture from lengths that do not reach, where a leg that sinks a little cannot follow"""
FOOT = lw.tasks.Position("foot", relative_to="trunk", axes="xz")


def built() -> lw.Model:
    """Return the leg on its rail; both joints are motors."""
    builder = lw.Builder("leg").body("trunk", 6.0, inertia=0.05)
    builder.body("thigh", 0.5, (0, 0, -0.1), inertia=0.003).body("shank", 0.2, (0, 0, -0.1), inertia=0.001)
    builder.body("foot", 0.05, inertia=1e-5).shape("foot", "sphere", radius=0.025, name="pad")
    builder.joint("rail", "prismatic", "world", "trunk", axis=(0, 0, 1))
    builder.joint("hip", "revolute", "trunk", "thigh", axis=(0, 1, 0))
    builder.joint("knee", "revolute", "thigh", "shank", axis=(0, 1, 0), xyz=(0, 0, -0.3))
    builder.joint("ankle", "fixed", "shank", "foot", xyz=(0, 0, -0.3))
    return builder.build().with_ground(contact=lw.ContactProperties(friction=1.0))


LEG = built()


def height(t):
    """Return the desired height of the hip and its rate."""
    mean, swing = 0.5 * (LOW + HIGH), 0.5 * (HIGH - LOW)
    return mean - swing * np.cos(2.0 * np.pi * t)


def squat(model, t, q, v, gain):
    """Return the efforts of springs and dampers at the posture of the desired height."""
    radius = model.shapes[0].radius  # of the design
    target = lw.stack([0.0, radius - height(t)])
    posture = lw.inverse_kinematics(model, {FOOT: target}, initial_guess=q, restarts=0).q
    tau = gain * (posture - q) - 0.05 * gain * v
    return lw.stack([0.0, tau[1], tau[2]])


def loss(model, t, q, v, tau):
    """Return the reward of a step, minus the loss."""
    error = q[0] - height(t)
    return -STEP * (HEAT * (tau @ tau) + FRICTION * (v[1:] @ v[1:]) + ERROR * error * error)


OPTIONS = {"controller": partial(squat, gain=600.0), "episode": lw.Episode(reward=loss)}


def standing(model, radius, hip):
    """Return the posture (3,) of a height of the hip on the ground."""
    guess = lw.stack([hip, -0.6, 1.2])
    target = lw.stack([0.0 * hip, radius - hip])
    return lw.inverse_kinematics(model, {FOOT: target}, initial_guess=guess, fixed=["rail"]).q


LENGTHS = ["knee.distance", "ankle.distance"]
POSTURE = lw.compile(standing, LEG, radius=(), hip=(), parameters=LENGTHS)
BY_START = [POSTURE.derivative(name) for name in (*LENGTHS, "radius")]


def losses(designs):
    """Return the losses (n,) of designs (n, 3), in one call."""
    thigh, shank, radius = designs.T
    q = POSTURE(radius, LOW, thigh, shank)
    found = lw.rollout(LEG, q, 0.0 * q, STEPS, STEP, parameters=dict(zip(DESIGN, designs.T, strict=True)), **OPTIONS)
    return -found.reward


def gradient(x):
    """Return the gradient (3,) of the loss."""
    given = x[2], LOW, x[0], x[1]
    parameters = dict(zip(DESIGN, x, strict=True))
    q, rest, wrt = POSTURE(*given), np.zeros(3), ["q0", *DESIGN]
    _, by = lw.rollout_derivatives(LEG, q, rest, STEPS, STEP, wrt=wrt, parameters=parameters, **OPTIONS)
    direct = np.array([by[name] for name in DESIGN])
    return -direct - np.array([by["q0"] @ slope(*given) for slope in BY_START])


def optimized(iterations):
    """Return the designs (n, 3) of a quasi-Newton method (BFGS), with a batch of step lengths at once, and losses."""
    x, H = np.array([*DESIGN.values()]), np.diag([1e-3, 1e-3, 1e-5])
    path, value, g = [x], losses(x[None])[0], gradient(x)
    values = [value]
    for _ in range(iterations):
        steps = -np.geomspace(2.0, 1e-2, 10)[:, None] * (H @ g)
        tried = np.clip(x + steps, *BOUNDS.T)
        found = losses(tried)
        best = np.nanargmin(np.where(np.isfinite(found), found, np.inf))
        if found[best] > value - 1e-6:
            break
        s, before = tried[best] - x, g
        x, value, g = tried[best], found[best], gradient(tried[best])
        y = g - before
        if s @ y > 1e-12:
            E = np.eye(3) - np.outer(s, y) / (s @ y)
            H = E @ H @ E.T + np.outer(s, s) / (s @ y)
        path.append(x)
        values.append(value)
    return np.array(path), np.array(values)


def difference_of_gradient(x, h=1e-6):
    """Return the largest difference of the gradient from central differences, relative to the gradient."""
    e = h * np.eye(3)
    differences = (losses(x + e) - losses(x - e)) / (2.0 * h)
    g = gradient(x)
    return np.abs(g - differences).max() / np.abs(g).max()


def drawn(axes, x, color, name):
    """Draw a design at the lowest and the highest posture."""
    model = LEG.with_geometry(dict(zip(DESIGN, x, strict=True)))
    for hip, strength in ((LOW, 1.0), (HIGH, 0.35)):
        q = POSTURE(x[2], hip, x[0], x[1])
        points = np.array([lw.pose(model, q, link)[[0, 2], 3] for link in ("thigh", "shank", "foot")])
        axes.plot(*points.T, "o-", color=color, alpha=strength, lw=3.0, label=name if strength == 1.0 else None)
    axes.axhline(0.0, color="#8A8F98", lw=1.0)
    axes.set(aspect="equal", xlabel="x, m", ylabel="z, m", title="lowest and highest posture")


def lengths_that_reach(radius, points):
    """Return lengths of thigh and shank (points, points, 2) that reach both heights, a grid of sum and difference.

    The grid ends before the leg is straight at the highest posture, and before it is folded at the lowest one.
    """
    difference = (LOW - radius - MARGIN) * np.linspace(-1.0, 1.0, points)
    total, difference = np.meshgrid(np.linspace(HIGH - radius + MARGIN, 2.0 * LONGEST, points), difference)
    return 0.5 * np.stack([total + difference, total - difference], axis=-1)


def picture(path, values, points):
    """Return the figure: losses over both lengths with the iterations, both legs, and the losses of the iterations."""
    figure = Figure(figsize=(10.0, 3.6), layout="constrained")
    level, legs, course = figure.subplots(1, 3, width_ratios=(1.3, 1.0, 1.0))
    thigh, shank = np.moveaxis(lengths_that_reach(path[-1, 2], points), -1, 0)
    designs = np.stack([thigh, shank, np.full(thigh.shape, path[-1, 2])], axis=-1)
    found = losses(designs.reshape(-1, 3)).reshape(thigh.shape)
    shown = level.contourf(thigh, shank, found, levels=np.linspace(values[-1], 2.0 * values[0], 16), cmap="Blues")
    figure.colorbar(shown, ax=level, label="loss", format="%.1f")
    level.plot(path[:, 0], path[:, 1], "o-", color="#D55E00", ms=3.5)
    level.set(xlabel="thigh, m", ylabel="shank, m", title="loss of a squat, and the iterations", aspect="equal")
    level.set(xlim=(0.14, LONGEST), ylim=(0.14, LONGEST))
    drawn(legs, path[0], "#0072B2", "at first")
    drawn(legs, path[-1], "#D55E00", "optimized")
    legs.legend(loc="lower right", bbox_to_anchor=(1.0, 0.05), fontsize=7)
    course.plot(values, "o-", color="#D55E00", ms=3.5)
    course.xaxis.set_major_locator(MaxNLocator(integer=True))
    course.set(xlabel="iteration", ylabel="loss", title="loss", ylim=(0.0, None))
    return figure


if __name__ == "__main__":
    reader = argparse.ArgumentParser()
    reader.add_argument("--short", action="store_true")
    reader.add_argument("folder", nargs="?", type=Path, default=Path())
    options = reader.parse_args()
    print(f"gradient against differences: {difference_of_gradient(np.array([*DESIGN.values()])):.1e}")
    warnings.simplefilter("ignore", lw.errors.LinkwrightWarning)  # of steps that lead to impossible designs
    path, values = optimized(4 if options.short else 40)
    for x, value in zip(path, values, strict=True):
        print("  ".join(f"{name} {one:.4f}" for name, one in zip(DESIGN, x, strict=True)), f" loss {value:.4f}")
    picture(path, values, 9 if options.short else 65).savefig(options.folder / "leg_proportions.png", dpi=110)
    assert values[-1] < 0.9 * values[0]
