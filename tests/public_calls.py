"""A valid call of every public function, on small mechanisms; a test replaces one argument by another value."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy as np

import linkwright as lw
import test_sympy_arguments as samples

ARM = samples.PLAIN
SIX = lw.load("puma560")
TWO = lw.load("two_link")
FOUR_BAR = lw.load("four_bar")
CLOSED = FOUR_BAR.neutral()
WALKER = lw.load("quadruped")
BALL = lw.Builder("ball").body("ball", 1.0, inertia=0.1).joint("root", "free", "world", "ball").build()
LAST = next(reversed(SIX.frames))
SPREAD = np.random.default_rng(1).uniform(-1.0, 1.0, (20, 6))
ONE, ZEROS = np.array([0.3]), np.zeros(2)
POSES = np.eye(4), lw.transform.make(np.eye(3), [0.1, 0.0, 0.0])


def law(model, t, q, v):
    """Return efforts of a damper."""
    return -v


def _loop() -> dict[str, Any]:
    return {"model": FOUR_BAR, "q": CLOSED, "v": np.zeros(FOUR_BAR.nv)}


MESHED = lw.Builder("meshed").body("a", 1.0).joint("j", "revolute", "world", "a", axis=[0, 1, 0])
MESHED = MESHED.mesh(
    "a", vertices=np.vstack([np.zeros(3), np.eye(3)]), faces=[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
)
MESHED = MESHED.build()
MEASURED = dict(zip("q v a".split(), np.random.default_rng(2).uniform(-1.0, 1.0, (3, 30, 2)), strict=True))
MEASURED["tau"] = lw.inverse_dynamics(TWO, MEASURED["q"], MEASURED["v"], MEASURED["a"])
PATH = lw.trajectories.straight(*(lw.pose(SIX, SPREAD[0] + x, LAST) for x in (0.0, 0.01)), duration=1.0)
ROUTE = lw.trajectories.polynomial(TWO, ZEROS, ZEROS + 1.0, 1.0)
ADAPTED = {
    "bodies": ["arm"],
    "reference": lambda t: (0.3 * np.sin(t), 0.3 * np.cos(t), -0.3 * np.sin(t)),
    "convergence": 1.0,
    "damping": 1.0,
    "rate": 1.0,
    "step": 0.01,
}
ADMITTED = {
    "wrench": np.zeros(6),
    "frame": "tip",
    "reference": np.eye(4),
    **{name: 1.0 for name in ("inertia", "stiffness", "damping", "tracking_stiffness", "tracking_damping")},
    "step": 0.01,
    "posture": ONE,
}
NESTED: dict[str, dict[str, Any]] = {
    "encoders": {"controller": law, "resolution": 0.01},
    "filtered_velocity": {"controller": law, "cutoff": 10.0, "step": 0.01},
    "kalman_velocity": {"controller": law, "noise": 0.01, "jerk": 1.0, "step": 0.01},
    "momentum_observer": {"controller": law, "gain": 1.0, "step": 0.01},
    "with_model": {"controller": law, "mechanism": ARM},
}


def _nested(name: str, given: dict[str, Any]) -> dict[str, Any]:
    controller = partial(getattr(lw.control, name), **given)
    state = lw.control.initial_state_of(ARM, controller)
    return {**given, "q": ONE, "v": ONE, "t": 0.0} | ({} if state is None else {"state": state})


CALLS: dict[str, dict[str, Any]] = {
    "analytic_inverse_kinematics": {"model": SIX, "frame": LAST},
    "calibrate": {"arm": SIX, "q": SPREAD, "measured": lw.pose(SIX, SPREAD, LAST)[:, :3, 3]},
    "close_loops": {"model": FOUR_BAR, "initial_guess": CLOSED},
    "compile": {"function": lw.pose, "model": TWO, "frame": "tip"},
    "control.computed_torque": {"reference": (ONE, ONE, ONE), "t": 0.0},
    "control.adaptive": {
        "state": lw.control.initial_state_of(ARM, partial(lw.control.adaptive, **ADAPTED)),
        **ADAPTED,
    },
    "control.admittance": {
        "state": lw.control.initial_state_of(ARM, partial(lw.control.admittance, **ADMITTED)),
        **ADMITTED,
    },
    "control.shaped_impedance": {n: x for n, x in ADMITTED.items() if not n.startswith("tracking") and n != "step"},
    **{f"control.{name}": _nested(name, given) for name, given in NESTED.items()},
    "control.operational_space": {"model": SIX, "q": SPREAD[0], "v": np.zeros(6), "frame": LAST},
    "control.compiled": {"model": TWO, "controller": law},
    "control.initial_state_of": {"model": TWO, "controller": law},
    "control.feedback": {
        "spacing": 0.1,
        "postures": np.zeros((2, 1)),
        "velocities": np.zeros((2, 1)),
        "efforts": np.zeros((2, 1)),
        "gains": np.zeros((2, 1, 2)),
        "low": -ONE,
        "high": ONE,
    },
    "control.ilqr": {
        "model": TWO,
        "q0": ZEROS,
        "v0": ZEROS,
        "steps": 2,
        "step": 0.01,
        "running": lw.control.EffortCost(1.0),
    },
    "convex_hull": {"shape": MESHED.shapes[0], "vertices": 8},
    "decompose_meshes": {"model": MESHED},
    "derivative": {"function": lw.mass_matrix, "wrt": "q"},
    "from_dh": {"name": "arm", "rows": [lw.DHRow(a=1.0)]},
    "identify": {"model": TWO, **MEASURED},
    "identify_payload": {
        "model": TWO,
        "frame": "tip",
        **MEASURED,
    },
    "inverse_kinematics": {"model": TWO, "targets": {"tip": np.array([1.0, 1.0, 0.0])}},
    "inverse_kinematics_derivatives": {"model": TWO, "targets": {"tip": np.array([1.0, 1.0, 0.0])}},
    "load": {"source": "two_link"},
    "mass_properties": {"solid": ARM.shapes[0], "density": 1000.0},
    "plastic_impact": {"twists": np.zeros((1, 6))},
    "rollout": {"model": TWO, "q0": ZEROS, "v0": ZEROS, "steps": 2},
    "rollout_derivatives": {"model": TWO, "q0": ZEROS, "v0": ZEROS, "steps": 2, "wrt": ["q0"]},
    "samples.choice": {"values": [1.0, 2.0]},
    "samples.grid": {"x": [1.0]},
    "samples.log_uniform": {"low": 0.1, "high": 1.0},
    "samples.normal": {"mean": 0.0, "deviation": 1.0},
    "samples.random": {"rows": 2, "seed": 0, "x": lw.samples.choice([1.0])},
    "samples.saltelli": {"base": 2, "seed": 0, "x": lw.samples.uniform(0.0, 1.0)},
    "samples.sobol": {"rows": 2, "seed": 0, "x": lw.samples.uniform(0.0, 1.0)},
    "samples.table": {"columns": {"x": [1.0]}},
    "simulate": {"model": TWO, "q0": ZEROS, "v0": ZEROS, "duration": 0.01},
    "smooth_derivatives": {"model": TWO, "t": np.linspace(0.0, 1.0, 20), "q": np.zeros((20, 2)), "cutoff": 5.0},
    "standing_configuration": {"model": WALKER.with_ground(), "q": WALKER.neutral()},
    "structure.add_loop": {
        **{"model": TWO, "q": ZEROS, "v": ZEROS},
        "name": "pin",
        "type": "spherical",
        "first": "tip",
        "second": "world",
    },
    "structure.grasp": {"model": TWO, "q": ZEROS, "v": ZEROS, "hand": "tip", "held": "link1"},
    "structure.lock_joints": {"model": TWO, "q": ZEROS, "v": ZEROS, "joints": [TWO.joints[0].name]},
    "structure.remove_loop": {**_loop(), "name": FOUR_BAR.loops[0].name},
    "structure.transfer_state": {"model": TWO, "q": ZEROS, "v": ZEROS, "other": TWO},
    "structure.unlock_joints": {"model": TWO.lock({"joint1": 0.0}), "q": ZEROS[:1], "v": ZEROS[:1], "free": TWO},
    "symbols": {"names": "x"},
    "trajectories.arc": {
        "start": POSES[0],
        "through": [0.1, 0.0, 0.0],
        "end": lw.transform.make(np.eye(3), [0.1, 0.1, 0.0]),
        "duration": 1.0,
    },
    "trajectories.circle": {"start": np.eye(4), "center": [0.1, 0.0, 0.0], "axis": [0.0, 0.0, 1.0], "duration": 1.0},
    "trajectories.follow": {"model": SIX, "frame": LAST, "path": PATH, "initial_guess": SPREAD[0]},
    "trajectories.time_optimal": {"model": TWO, "path": ROUTE, "velocity": 1.0, "acceleration": 2.0, "points": 10},
    "trajectories.polynomial": {"model": TWO, "start": ZEROS, "end": ZEROS + 1.0, "duration": 1.0},
    "trajectories.s_curve": {"model": TWO, "start": ZEROS, "end": ZEROS + 1.0, "acceleration": 1.0, "jerk": 10.0},
    "trajectories.s_curves": {
        **{name: ONE for name in "p0 v0 a0".split()},
        "p1": 2 * ONE,
        "v1": 0 * ONE,
        "a1": 0 * ONE,
        "velocity": 1.0,
        "acceleration": 1.0,
        "jerk": 10.0,
    },
    "trajectories.spline": {"model": TWO, "waypoints": np.zeros((3, 2)), "times": [0.0, 1.0, 2.0]},
    "trajectories.straight": {"start": POSES[0], "end": POSES[1], "duration": 1.0},
    "trajectories.trapezoid": {"model": TWO, "start": ZEROS, "end": ZEROS + 1.0, "acceleration": 1.0},
    "Model.append": {"other": TWO, "prefix": "left_"},
    "Model.assemble": {"pieces": [np.ones(1)]},
    "Model.block_diagonal": {"blocks": [np.ones((1, 1))]},
    "Model.frame": {"name": "tip"},
    "Model.full_name": {"coordinate": "hinge"},
    "Model.geometry_of": {"name": "tip.position"},
    "Model.joint": {"name": "hinge"},
    "Model.on_bodies": {"values": {0: 1.0}, "zero": 0.0},
    "Model.path": {"body": 0},
    "Model.positions": {"pieces": [np.ones(1)]},
    "Model.reroot": {"self": BALL, "body": "ball"},
    "Model.square": {"own": [np.ones((1, 1))], "above": [np.ones((1, 0))]},
    "Model.total": {"values": [1.0]},
    "Model.velocities": {"pieces": [np.ones(1)]},
    "Model.with_actuators": {},
    "Model.with_sensors": {},
    "Model.with_loop": {"self": TWO, "name": "pin", "type": "spherical", "first": "tip", "second": "world"},
    "Model.without_loop": {"self": FOUR_BAR, "name": FOUR_BAR.loops[0].name},
    "Builder.body": {"name": "hand"},
    "Builder.build": {},
    "Builder.height_field": {"body": "arm", "heights": np.zeros((3, 3)), "size": [1.0, 1.0]},
    "Builder.loop": {"name": "pin", "type": "spherical", "first": "tip", "second": "world"},
    "Builder.joint": {"name": "second", "type": "revolute", "parent": "arm", "child": "hand", "axis": [0, 1, 0]},
    "Builder.mesh": {"body": "arm", "vertices": np.eye(3), "faces": [[0, 1, 2]]},
    "Builder.mimic": {"joint": "second", "leader": "hinge"},
    "Builder.shape": {"body": "arm", "kind": "sphere", "radius": 0.2},
}


def valid_call(name: str) -> dict[str, Any] | None:
    """Return the arguments of a call of a public function that succeeds; None if there is none."""
    made = samples.arguments(name)
    if name.startswith("Builder.") and name in CALLS:
        made = CALLS[name]
    elif name in CALLS:
        kept = made if isinstance(made, dict) else _of_names(name)
        made = {**kept, **CALLS[name]}
    return made if isinstance(made, dict) else None


def _of_names(name: str) -> dict[str, Any]:
    """Return the required arguments that have samples."""
    made = {}
    for p in inspect.signature(samples.FUNCTIONS[name]).parameters.values():
        if p.name == "self" and name.startswith("Model."):
            made["self"] = ARM
        elif p.default is p.empty and p.name in samples.SAMPLES:
            made[p.name] = samples.SAMPLES[p.name]
    return made


POSITIONAL = ("repeat", "until", "samples.random", "samples.saltelli", "samples.sobol", "samples.table")
"""Functions some of whose arguments have no keyword."""


def call(name: str, given: dict[str, Any]) -> Any:
    """Call a public function; of a method of a builder the mechanism is built, too."""
    if name.startswith("Builder."):
        return _built(name.removeprefix("Builder."), given)
    if name not in POSITIONAL:
        return samples.call(name, given)
    parameters = inspect.signature(samples.FUNCTIONS[name]).parameters.values()
    by_place = [p.name for p in parameters if p.name in given and p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
    named = {n: x for n, x in given.items() if n not in by_place}
    return samples.FUNCTIONS[name](*(given[n] for n in by_place), **named)


def _built(method: str, given: dict[str, Any]) -> Any:
    builder = lw.Builder(samples.BASE)
    if method in ("joint", "mimic"):
        builder.body("hand", 1.0, [0.1, 0.0, 0.0], 0.1)
    if method == "mimic":
        builder.joint("second", "revolute", "arm", "hand", axis=[0.0, 1.0, 0.0])
    made = getattr(builder, method)(**given)
    if method == "body":
        builder.joint("weld", "fixed", "arm", "hand")
    return made if method == "build" else builder.build()
