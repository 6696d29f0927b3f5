"""Errors of the contact solver at several tolerances, and of MuJoCo at its default settings.

    python benchmarks/contact_accuracy.py [SCENE ...] [humanoid=FILE] [1e-3/20 1e-6/50 -/8 ...]

Each row of the table is one setting of `lw.Solver`: tolerance in m/s and largest number of sweeps ("-": no tolerance).
A batch of motions runs with this setting. Every tenth step is solved again from the same state with a tolerance of
1e-10 m/s. "force" is the difference of the impulses in the kinetic metric, relative to that of the weight in a step,
(Δpᵀ A Δp)^½ / h g m^½: the median, and the value that 99 of 100 steps do not exceed. "power" is the mean error of
the work of contacts in a step, relative to m g h: the speed in mm/s at which it would lift the robot. "velocity" is
the largest difference of a velocity, m/s or rad/s, in 99 of 100 steps. "drift" is the horizontal speed of the base
over the second half of the motion, the median in mm/s. "deepest" is the largest overlap in the second half, in 99 of
100 steps.

MuJoCo's steps are solved again with its own Newton solver at a tolerance of zero: its error is relative to its own
soft contact, not to rigid contact.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import linkwright as lw
from contact import KP, POSTURE, quadruped_of_mujoco, saved, standing
from linkwright.dynamics.contact.placed_shapes import points_between
from linkwright.dynamics.kinematics import body_poses
from linkwright.simulation.integrators.constrained_step import Constraints, constrained_motion, constrained_velocity
from linkwright.spatial.arrays import minimum

EXACT = lw.Solver(iterations=3000, tolerance=1e-10)
ROWS, EVERY, PEER_ROWS = 32, 10, 4
SETTINGS = (
    "auto/30",
    "1e-6/50",
    "1e-5/50",
    "1e-4/50",
    "1e-4/20",
    "1e-3/50",
    "1e-3/20",
    "1e-3/10",
    "1e-2/50",
    "1e-2/10",
    "-/8",
    "-/4",
)
G = 9.81
FRICTION = 0.5


@dataclass(frozen=True)
class Scene:
    """Starts of motions of one model."""

    model: lw.Model
    q: np.ndarray
    v: np.ndarray
    h: float
    steps: int
    peer: Callable[[], Any]
    """returns MuJoCo's specification"""
    limits: bool = False
    posture: np.ndarray | None = None
    """angles of servos of stiffness KP"""


def humanoid(path: str, lies: bool) -> Scene:
    """MuJoCo's humanoid without actuators: it sinks down on its feet, or lies."""
    import mujoco

    every = lw.load(path).with_contact()
    planes = {k for k, shape in enumerate(every.shapes) if shape.kind == "plane"}
    model = replace(every, pairs=tuple(p for p in every.pairs if {p.first, p.second} & planes))
    q, v = np.tile(model.neutral(), (ROWS, 1)), 0.3 * np.random.default_rng(0).standard_normal((ROWS, model.nv))
    q[:, 2] = 1.28
    if lies:
        end = lw.rollout(model, q, v, 400, 5e-3, method=lw.Integrator(joint_limits=True, solver=lw.Solver(50, 1e-6)))
        q, v = end.q[-1], end.v[-1]

    def peer() -> Any:
        spec = mujoco.MjSpec.from_file(path)
        for one in [*spec.actuators, *spec.tendons]:
            spec.delete(one)
        for geom in spec.geoms:
            geom.contype, geom.conaffinity = (1, 0) if geom.type == mujoco.mjtGeom.mjGEOM_PLANE else (0, 1)
        return spec

    return Scene(model, q, v, 5e-3, 200, peer, limits=True)


def quadruped() -> Scene:
    """The quadruped on its feet, with servos."""
    model = standing()
    q = np.tile(np.concatenate([[0.0, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0], POSTURE]), (ROWS, 1))
    v = 0.3 * np.random.default_rng(0).standard_normal((ROWS, model.nv))
    return Scene(model, q, v, 2e-3, 500, partial(quadruped_of_mujoco, model), posture=POSTURE)


def robot(name: str) -> Scene:
    """A robot of example-robot-data, limp, which falls from 1 cm."""
    model = lw.load(name, root="free").with_ground()
    q = lw.standing_configuration(model, model.neutral())
    q[2] += 0.01
    v = 0.1 * np.random.default_rng(0).standard_normal((ROWS, model.nv))
    return Scene(model, np.tile(q, (ROWS, 1)), v, 2e-3, 500, partial(on_floor, model))


def on_floor(model: lw.Model) -> Any:
    """Return MuJoCo's specification of a robot that touches the floor only."""
    import mujoco

    spec = saved(model)
    for geom in spec.geoms:
        geom.contype, geom.conaffinity = (1, 0) if geom.type == mujoco.mjtGeom.mjGEOM_PLANE else (0, 1)
    return spec


def boxes(count: int, slope: float) -> Scene:
    """A stack of boxes on a slope; ``slope``: its tangent relative to the coefficient of friction."""
    builder = lw.Builder("boxes")
    for k in range(count):
        builder.body(f"box {k}", 1.0, inertia=np.full(3, 0.04 / 6.0)).joint(f"root {k}", "free", "world", f"box {k}")
        builder.shape(f"box {k}", "box", size=(0.2, 0.2, 0.2))
    angle = np.arctan(slope * FRICTION)
    model = builder.build().with_gravity((G * np.sin(angle), 0.0, -G * np.cos(angle)))
    contact = lw.ContactProperties(friction=FRICTION)
    model = model.with_ground(contact=contact) if count == 1 else model.with_ground(contact=contact).with_contact()
    q = np.tile(model.neutral(), (ROWS, 1))
    rng = np.random.default_rng(0)
    for k in range(count):
        q[:, 7 * k : 7 * k + 3] = [0.0, 0.0, 0.1 + 0.2 * k]
        q[:, 7 * k : 7 * k + 2] += 0.01 * rng.standard_normal((ROWS, 2))
    return Scene(model, q, 0.01 * rng.standard_normal((ROWS, model.nv)), 5e-3, 200, partial(saved, model))


SCENES: dict[str, Callable[[], Scene]] = {
    "quadruped on its feet": quadruped,
    "go2, limp": partial(robot, "go2"),
    "g1, limp": partial(robot, "g1_29dof_rev_1_0"),
    "box that sticks": partial(boxes, 1, 0.8),
    "box that slides": partial(boxes, 1, 1.2),
    "stack of five boxes": partial(boxes, 5, 0.0),
}


def stepped(scene: Scene, solver: lw.Solver) -> tuple[Any, int]:
    """Return the kernel (q, v, p, h) -> (q, v, p, velocity), and the number of impulses."""
    constraints = Constraints(limits=scene.limits, solver=solver)

    def step(model: lw.Model, q: Any, v: Any, p: Any, h: Any) -> tuple[Any, ...]:
        tau = np.zeros(model.nv)
        if scene.posture is not None:
            tau = np.concatenate([np.zeros(6), KP * (scene.posture - q[7:])])
        found = constrained_velocity(model, q, v, tau, h, p, constraints)
        return *constrained_motion(model, q, h, found), found.p, found.v

    size = constraints.size(scene.model)
    return lw.compile(step, scene.model, p=(size,), h=()), size


def deepest(model: lw.Model, q: Any) -> Any:
    """Return the largest overlap, m."""
    poses, least = body_poses(model, q), 0.0
    for pair in model.pairs:
        for point in points_between(model, pair, poses):
            least = minimum(least, point.gap)
    return -least


class Errors:
    """Errors of steps."""

    def __init__(self, mass: float, h: float):
        self.mass, self.h = mass, h
        self.force: list[Any] = []
        self.velocity: list[Any] = []
        self.work: list[Any] = []
        self.overlap: list[Any] = []

    def add(self, M: np.ndarray, v: np.ndarray, right: np.ndarray) -> None:
        """Add steps with velocities v (..., nv), and the velocities without errors."""

        def squares(v: np.ndarray) -> Any:
            return np.einsum("...i,...ij,...j", v, M, v)

        self.force.append(np.sqrt(squares(v - right)) / (self.h * G * np.sqrt(self.mass)))
        self.velocity.append(np.abs(v - right).max(-1))
        self.work.append(0.5 * abs(squares(v) - squares(right)))

    def row(self, drift: float, height: float) -> str:
        """Return the row of the table."""
        force, overlap = np.quantile(self.force, [0.5, 0.99]), 1e3 * np.quantile(self.overlap, 0.99)
        power = 1e3 * np.mean(self.work) / (self.mass * G * self.h)
        return (
            f"{force[0]:8.1e} | {force[1]:8.1e} | {power:8.1e} | {np.quantile(self.velocity, 0.99):8.1e} "
            f"| {drift:9.3f} | {overlap:7.3f} | {height:.5f} |"
        )


def ours(scene: Scene, setting: str, exact: Any) -> str:
    """Return the row of a setting."""
    tolerance, _, limit = setting.partition("/")
    named: dict[str, Any] = {"-": None, "auto": "auto"}
    solver = lw.Solver(int(limit), named[tolerance] if tolerance in named else float(tolerance))
    kernel, size = stepped(scene, solver)
    model, (q, v), p = scene.model, (scene.q, scene.v), np.zeros((ROWS, size))
    errors, gap = Errors(lw.total_mass(model), scene.h), lw.compile(deepest, model)
    half: Any = q
    for k in range(scene.steps):
        before = q, v, p, scene.h
        q, v, p, after = kernel(*before)
        if k % EVERY == 0:
            errors.add(lw.mass_matrix(model, before[0]), after, exact(*before)[-1])
            if 2 * k >= scene.steps:
                errors.overlap.append(gap(q))
        if 2 * k == scene.steps:
            half = q
    drift = 1e3 * np.linalg.norm((q - half)[:, :2], axis=1) / (0.5 * scene.steps * scene.h)
    return errors.row(float(np.median(drift)), float(np.median(q[:, 2])))


def theirs(scene: Scene) -> str:
    """Return the row of MuJoCo at its default settings."""
    import mujoco

    spec = scene.peer()
    spec.option.timestep = scene.h
    m = spec.compile()
    data, again = mujoco.MjData(m), mujoco.MjData(m)
    precise = spec.compile()
    precise.opt.tolerance, precise.opt.iterations = 0.0, 1000
    precise.opt.ls_tolerance, precise.opt.ls_iterations = 1e-12, 200
    errors, M = Errors(float(m.body_mass.sum()), scene.h), np.zeros((m.nv, m.nv))
    drifts, heights = [], []
    for q0, v0 in zip(scene.q[:PEER_ROWS], scene.v[:PEER_ROWS], strict=True):
        mujoco.mj_resetData(m, data)
        data.qpos[:], data.qvel[:] = q0, v0
        if scene.posture is not None:
            data.ctrl[:] = scene.posture
        for k in range(scene.steps):
            if k % EVERY == 0:
                mujoco.mj_copyData(again, m, data)
                mujoco.mj_forward(precise, again)
                v = data.qvel.copy()
            mujoco.mj_step(m, data)
            if k % EVERY == 0:
                mujoco.mj_fullM(m, again, M)
                errors.add(M, v + scene.h * data.qacc, v + scene.h * again.qacc)
                if 2 * k >= scene.steps:
                    errors.overlap.append(max(0.0, -min(data.contact.dist[: data.ncon], default=0.0)))
            if 2 * k == scene.steps:
                half = data.qpos[:2].copy()
        drifts.append(1e3 * np.linalg.norm(data.qpos[:2] - half) / (0.5 * scene.steps * scene.h))
        heights.append(data.qpos[2])
    return errors.row(float(np.median(drifts)), float(np.median(heights)))


def main(arguments: list[str]) -> None:
    """Print a table for each scene."""
    scenes = dict(SCENES)
    files = [x.removeprefix("humanoid=") for x in arguments if x.startswith("humanoid=")]
    for path in files:
        scenes |= {f"humanoid, limp, {how}": partial(humanoid, path, how == "lies") for how in ("sinks", "lies")}
    given = [x for x in arguments if not x.startswith("humanoid=")]
    settings = [x for x in given if "/" in x] or list(SETTINGS)
    asked = [x for x in given if "/" not in x]
    print("| setting | force, median | 99 % | power, mm/s | velocity, 99 % | drift, mm/s | deepest, mm | height, m |")
    for name, make in scenes.items():
        if asked and not any(x in name for x in asked):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scene = make()
            print(f"{name}, {len(scene.model.pairs)} pairs, steps of {1e3 * scene.h:g} ms", flush=True)
            exact = stepped(scene, EXACT)[0]
            print(f"| MuJoCo | {theirs(scene)}", flush=True)
            for setting in settings:
                print(f"| {setting} | {ours(scene, setting, exact)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
