"""Hold every built-in mechanism and every robot of example_robot_data at random configurations for ten seconds.

    python benchmarks/holding.py [name …]

Each mechanism starts at 20 random configurations with random velocities (0.1 in every velocity coordinate and 0.3/s),
is controlled by ``hold_joints`` at the default step, and moves for 10 s: in free fall if it floats, and with its feet
welded to the ground. Columns: number of configurations; duration reached; the method that ``simulate`` selects; largest
joint speed during the motion and at its end; largest final error of a joint (m or rad); largest acceleration at rest at
the reference, which is zero for an equilibrium of the control law; largest effort; largest loop error; processor
seconds.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.errors import ClosureError, FormatWarning, LinkwrightWarning, ModelError
from linkwright.model.build.assembly import assemble
from linkwright.model.joints.loop import Loop, loop_type
from linkwright.simulation.actuation.posture_control import Hold
from linkwright.simulation.preparation import suitable_method

BUILT_IN = (
    "pendulum two_link planar:5 planar:20 chain3d:5 chain3d:20 puma560 arm7 quadruped humanoid four_bar four_bars:3 "
    "slider_crank bricard delta stewart"
).split()

FEET = {
    "quadruped": ("ball", ["front_left_foot", "front_right_foot", "hind_left_foot", "hind_right_foot"]),
    "humanoid": ("weld", ["left_foot", "right_foot"]),
}

ROBOTS = {
    "talos": ("talos_data/robots/talos_full_v2.urdf", ["left_sole_link", "right_sole_link"]),
    "talos_reduced": ("talos_data/robots/talos_reduced.urdf", ["left_sole_link", "right_sole_link"]),
    "romeo": ("romeo_description/urdf/romeo.urdf", ["l_sole", "r_sole"]),
    "romeo_small": ("romeo_description/urdf/romeo_small.urdf", ["l_sole", "r_sole"]),
    "icub": ("icub_description/robots/icub.urdf", ["l_sole", "r_sole"]),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", ["left_ankle_roll_link", "right_ankle_roll_link"]),
    "g1_hands": (
        "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
        ["left_ankle_roll_link", "right_ankle_roll_link"],
    ),
    "human": ("human_description/robots/human.urdf", ["left_foot", "right_foot"]),
    "alexander": ("alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf", ["LEFT_FOOT", "RIGHT_FOOT"]),
    "alex": ("alex_description/urdf/alex_psyonic_hands.urdf", []),
    "simple_humanoid": ("simple_humanoid_description/urdf/simple_humanoid.urdf", ["LLEG_LINK5", "RLEG_LINK5"]),
    "bolt": ("bolt_description/robots/bolt.urdf", ["FL_FOOT", "FR_FOOT"]),
    "tiago": ("tiago_description/robots/tiago.urdf", []),
    "tiago_dual": ("tiago_description/robots/tiago_dual.urdf", []),
}
"""Files of example_robot_data, and the feet."""


def mechanisms() -> Iterator[tuple[str, lw.Model, str, list[str]]]:
    """Name, model, how its feet are tied, and which they are."""
    for name in BUILT_IN:
        yield name, lw.load(name), *FEET.get(name, ("weld", []))
    try:
        folder = Path(
            str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
        )
    except PackageNotFoundError:
        return
    for name, (file, feet) in ROBOTS.items():
        if (folder / file).exists():
            yield name, lw.load(folder / file, root="free"), "weld", feet
    known = {folder / file for file, _ in ROBOTS.values()}
    for path in sorted(folder.rglob("*.urdf")):
        if path in known or path.name == "ur3.urdf":  # it has no links
            continue
        model = lw.load(path)
        if model.joints:
            yield path.stem, model, "", []
            yield f"{path.stem}, floating", lw.load(path, root="free"), "", []


def on_its_feet(model: lw.Model, kind: str, feet: list[str]) -> lw.Model:
    """The mechanism with its feet tied to the world where they are in the middle of its limits."""
    q = _middle(model)
    loops = tuple(
        Loop(f"at {foot}", "world", foot, loop_type(kind), np.asarray(lw.pose(model, q, foot))) for foot in feet
    )
    return assemble(replace(model.description, name=f"{model.name} on its feet", loops=loops))


def _middle(model: lw.Model) -> np.ndarray:
    q, low, high = model.neutral(), model.lower, model.upper
    bounded = np.isfinite(low) & np.isfinite(high)
    bounded[list({k + i for k in model.quaternion_starts for i in range(4)})] = False
    return np.where(bounded, 0.5 * (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0)), q)


def postures(model: lw.Model, n: int, rng: np.random.Generator) -> np.ndarray:
    """(n, nq): random ones, of loops closed."""
    if not model.loops:
        return model.random(n, seed=rng)
    middle, found = _middle(model), []
    for _ in range(20 * n):
        try:
            found.append(lw.close_loops(model, lw.integrate(model, middle, 0.4 * rng.normal(size=model.nv))))
        except ClosureError:
            continue
        if len(found) == n:
            break
    return np.array(found)


def pushed(model: lw.Model, q: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return states (n, nq), (n, nv) near the given ones."""
    shape = (len(q), model.nv)
    start, v = lw.integrate(model, q, 0.1 * rng.uniform(-1, 1, shape)), 0.3 * rng.normal(size=shape)
    if model.loops:
        start = lw.close_loops(model, start)
        v = lw.impulse(model, start, v)[0]
    return start, v


def driven(model: lw.Model) -> np.ndarray:
    """(nv,): which velocities are of joints that are driven."""
    return np.concatenate([np.full(joint.nv, joint.type != "free") for joint in model.joints])


def acceleration_at(model: lw.Model, controller: Hold, q: np.ndarray) -> np.ndarray:
    """(n, nv): the accelerations at rest at q (n, nq) under the controller, which rests where they are zero."""
    still = np.zeros((len(q), model.nv))
    return lw.forward_dynamics(model, q, still, controller(0.0, q, still) + lw.passive_forces(model, q, still))


def measure(name: str, model: lw.Model, n: int = 20, duration: float = 10.0, law: str = "hold_joints") -> None:
    """Print one row."""
    began = time.perf_counter()
    try:
        lw.dynamics.require_mass(model)
    except ModelError as error:  # a hand without mass
        print(f"{name:24} {error}"[:110])
        return
    rng = np.random.default_rng(0)
    q1 = postures(model, n, rng)
    if not len(q1):
        print(f"{name:34} no closed posture found")
        return
    start, v = pushed(model, q1, rng)
    controller = getattr(lw, law)(model, q1)
    method = suitable_method(model, start, v, 1e-3, controller)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", LinkwrightWarning)
        motion = lw.simulate(model, start, v, duration, callback=controller, every=10)
    joints = driven(model)
    off = np.abs(lw.difference(model, q1, motion.q[-1]))[:, joints].max(initial=0.0)
    rest = np.abs(acceleration_at(model, controller, q1))[:, joints].max(initial=0.0)
    speed = np.abs(motion.v)[..., joints]
    numbers = (speed.max(initial=0.0), speed[-1].max(initial=0.0), off, rest, np.abs(motion.tau).max(), motion.closure)
    print(
        f"{name:24} {len(q1):2d} {motion.t[-1]:5.2f} s {method:13}",
        *(f"{x:8.1e}" for x in numbers),
        f"{time.perf_counter() - began:6.1f}",
        "; ".join(str(one.message)[:90] for one in warned),
        flush=True,
    )


if __name__ == "__main__":
    wanted = sys.argv[1:]
    warnings.simplefilter("ignore", FormatWarning)
    for name, model, kind, feet in mechanisms():
        if wanted and name not in wanted:
            continue
        measure(name, model)
        if not any(joint.type == "free" for joint in model.joints):
            measure(f"{name}, hold", model, controller="hold")
        if feet:
            measure(f"{name}, {kind}ed", on_its_feet(model, kind, feet))
