"""One robot through all five sources: RoKi's humanoid H5, and the identities that tie the sources together."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.errors import FormatWarning
from linkwright.spatial.arrays import Array
from linkwright_gallery.composite_bodies import METHODS, by_definition
from linkwright_gallery.drawing import BLUE, CYCLE, figure, inset, written
from linkwright_gallery.exhibit import Exhibit, PublishedSource, Remark, derived, found, known, measured

SOURCE = PublishedSource(
    "H5",
    "One robot through all five sources",
    "the humanoid H5, a sample robot of RoKi (T. Sugihara, MIT license), whose file is a part of this package",
    "The methods of the five sources S0 to S4 on one robot: 29 bodies, a floating base and 28 revolute joints, 34 "
    "degrees of freedom. No source has this example, so that nothing here is compared with a printed value: results "
    "of one source are compared with those of another.",
)

ENDS = ("left_foot", "right_foot", "left_gripper", "right_gripper")
LEG = ("hip_rotation", "hip_abduction", "hip_flexion", "knee_flexion", "ankle_flexion", "ankle_abduction")
ROWS = 64


@cache
def humanoid() -> lw.Model:
    """H5, as RoKi describes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # four inertias are not symmetric by their last digit
        return lw.load(Path(__file__).parent / "roki" / "H5.ztk")


def state() -> tuple[Array, Array, Array]:
    """A configuration, rates and efforts, all random."""
    robot, rng = humanoid(), np.random.default_rng(0)
    v, tau = rng.normal(size=(2, robot.nv))
    return robot.random(seed=0), v, tau


# H5.1 Identities


def momenta_of_joints(robot: lw.Model, q: Array, v: Array) -> Array:
    """Momenta along the joints: of the base [P; L] in its axes, of each hinge the part of L_j along its axis.

    P and L_j are those of all bodies beyond the joint, summed body by body, about the origin of the joint.
    """
    poses = [lw.pose(robot, q, body.name) for body in robot.bodies]
    sums = np.zeros((len(poses), 6))
    for k, (body, T) in enumerate(zip(robot.bodies, poses, strict=True)):
        R, twist = T[:3, :3], lw.velocity(robot, q, v, body.name)
        arm = R @ body.center_of_mass
        P = body.mass * (twist[:3] + np.cross(twist[3:], arm))
        spin = R @ body.inertia @ R.T @ twist[3:]
        for j in robot.path(k):
            sums[j] += [*P, *(spin + np.cross(T[:3, 3] + arm - poses[j][:3, 3], P))]
    R = poses[0][:3, :3]
    hinges = [T[:3, 2] @ total[3:] for T, total in zip(poses[1:], sums[1:], strict=True)]
    return np.array([*(R.T @ sums[0, :3]), *(R.T @ sums[0, 3:]), *hinges])


def mass_matrix_rate(robot: lw.Model, q: Array, v: Array, step: float = 1e-3) -> Array:
    """Ḣ by differences of fourth order."""
    before, after = (
        {n: lw.mass_matrix(robot, lw.integrate(robot, q, n * sign * step * v)) for n in (1, 2)} for sign in (-1, 1)
    )
    rate: Array = (8.0 * (after[1] - before[1]) - (after[2] - before[2])) / (12.0 * step)
    return rate


def standing() -> tuple[Array, Array, dict[str, Array]]:
    """A squat on both feet: configuration, efforts, and the wrenches [f; n] of the ground on the feet.

    Of all wrenches that hold the base, those with the smallest norm.
    """
    robot, q = humanoid(), squat(0.15)
    still = np.zeros(robot.nv)
    J = np.vstack([lw.jacobian(robot, q, foot) for foot in ENDS[:2]])
    F = np.linalg.pinv(J[:, :6].T) @ lw.gravity_forces(robot, q)[:6]
    wrenches = {"left_foot": F[:6], "right_foot": F[6:]}
    return q, lw.inverse_dynamics(robot, q, still, still, wrenches), wrenches


@cache
def squat(depth: float) -> Array:
    """Inverse kinematics: both feet stay, the torso is lower by ``depth``, and the hands are in front."""
    robot = humanoid()
    start = robot.neutral()
    base = lw.pose(robot, start, "torso")
    base[:3, 3] -= [0.0, 0.0, depth]
    targets: dict[Any, Any] = {"torso": base, **{foot: lw.pose(robot, start, foot) for foot in ENDS[:2]}}
    for sign, hand in zip((1.0, -1.0), ENDS[2:], strict=True):
        targets[lw.tasks.Position(hand)] = base[:3, 3] + [0.3, 0.2 * sign, -0.1]
    return np.asarray(lw.inverse_kinematics(robot, targets, seed=1).q)


@cache
def thrown() -> lw.Motion:
    """H5 is thrown, turning, with moving joints: 0.6 s."""
    robot, (_, v, _) = humanoid(), state()
    v[:6] = (0.5, 0.0, 3.0, 0.6, 1.5, 0.4)
    return lw.simulate(robot, squat(0.15), v, 0.6, 1e-3, every=10)


def tied() -> dict[str, tuple[Any, Any, float]]:
    """Both sides of each identity, and the largest relative residual that is rounding (or the error of differences)."""
    robot, (q, v, tau) = humanoid(), state()
    H, C, g = lw.mass_matrix(robot, q), lw.coriolis_matrix(robot, q, v), lw.gravity_forces(robot, q)
    J = np.vstack([lw.jacobian(robot, q, name) for name in ENDS])
    response = lw.frame_responses(robot, q, v, tau, ENDS)[0]
    F, still = np.random.default_rng(1).normal(size=24), np.zeros(robot.nv)
    loads = {name: -F[6 * k : 6 * k + 6] for k, name in enumerate(ENDS)}  # of the surroundings on the robot
    efforts = lw.inverse_dynamics(robot, q, still, still, loads) - g
    skew = mass_matrix_rate(robot, q, v) - 2.0 * C
    motion = thrown()
    L = lw.momentum(robot, motion.q, motion.v)[:, 3:]
    return {
        "S0 and S2: H q̇ = momenta along the joints": (momenta_of_joints(robot, q, v), H @ v, 1e-12),
        "S0 and S4: Σ (m J_Gᵀ J_G + J_Aᵀ I J_A) = H": (by_definition(robot, q), H, 1e-12),
        "S0, S1 and S4: J H⁻¹ Jᵀ = Φ": (J @ np.linalg.solve(H, J.T), response, 1e-12),
        "S3 and S4: Jᵀ F = τ": (J.T @ F, efforts, 1e-12),
        "S0 and S3: Ḣ − 2C is skew": (-skew.T, skew, 1e-9),
        "S3: C q̇ + g = b": (C @ v + g, lw.bias_forces(robot, q, v), 1e-12),
        "S1 and S2: L is constant in flight": (np.tile(L[0], (len(L), 1)), L, 1e-8),
    }


def identities() -> Iterator[Remark]:
    """Every identity at random states, all 34 degrees of freedom."""
    robot = humanoid()
    yield known("bodies, and degrees of freedom", (29, 34), (len(robot.bodies), robot.nv), 0)
    for what, (given, ours, relative) in tied().items():
        yield derived(what, given, ours, 3, relative * float(np.abs(given).max()))
    posture, efforts, wrenches = standing()
    a = lw.forward_dynamics(robot, posture, np.zeros(robot.nv), efforts, wrenches)
    yield derived("S1 and S3: τ and F of a squat give q̈ = 0", np.zeros(robot.nv), a, 3, 1e-9)


def draw_identities(path: Path) -> Path:
    """The robot, its matrix, and the residuals."""
    robot, (q, _, _) = humanoid(), state()
    made = figure(11.0, 4.6)
    left, middle, right = made.subplots(1, 3, width_ratios=[0.75, 1.0, 1.0])
    inset(left, lw.draw(robot, squat(0.15), title=""), "H5, both feet on the ground")
    H = lw.mass_matrix(robot, q)
    middle.imshow(np.where(H == 0.0, np.nan, np.log10(np.abs(H) + 1e-300)), cmap="Blues", vmin=-5.0, vmax=1.5)
    middle.set_title("H, 34 × 34: white cells are 0", fontsize=10)
    limbs = ("base", "left leg", "right leg", "left arm", "right arm", "head")
    middle.set_yticks((2.5, 8.5, 14.5, 20.5, 26.5, 31.5), limbs)
    middle.set_xticks([])
    middle.grid(visible=False)
    residuals = {
        what: max(np.abs(np.subtract(a, b)).max() / np.abs(a).max(), 1e-17) for what, (a, b, _) in tied().items()
    }
    names = [what.replace(": ", ":\n") for what in residuals]
    right.barh(names, list(residuals.values()), color=BLUE)
    right.set_xscale("log")
    right.set_xlim(1e-17, 1e-8)
    right.invert_yaxis()
    right.tick_params(axis="y", labelsize=8)
    right.set_title("residuals of the identities, relative", fontsize=10)
    return written(path, made)


# H5.2 Inertia matrix


def costs(kernels: dict[str, lw.Kernel], *inputs: Array) -> Iterator[Remark]:
    """Operations of each kernel, and the time of a row in a batch on one thread."""
    from linkwright_gallery.benchmark.clock import interleaved

    for kernel in kernels.values():
        kernel.threads = 1
    calls: dict[str, Any] = {name: (partial(kernel, *inputs), ROWS) for name, kernel in kernels.items()}
    times = interleaved(calls, 10, 5e-4, time.process_time)
    for name, kernel in kernels.items():
        yield measured(f"{name}: operations", "not printed", kernel.operations.total, 0)
        yield measured(f"{name}: µs, a row of a batch of {ROWS}", "not printed", times[name].minimum * 1e-3)


def batch() -> tuple[Array, Array, Array]:
    """Random configurations, rates and efforts (64 rows: H of all fits a cache)."""
    robot, rng = humanoid(), np.random.default_rng(2)
    v, tau = rng.normal(size=(2, ROWS, robot.nv))
    return robot.random(ROWS, seed=2), v, tau


@cache
def inertia_kernels() -> dict[str, lw.Kernel]:
    """H by the three methods, compiled."""
    return {
        f"{method.replace('_', ' ')} method": lw.compile(lw.mass_matrix, humanoid(), method=method)
        for method in METHODS
    }


def h5_inertia() -> Iterator[Remark]:
    """H by the three methods of S0: equal, operations and times."""
    q = state()[0]
    kernels = inertia_kernels()
    H = {name: kernel(q) for name, kernel in kernels.items()}
    by_composites = H.pop("composite method")
    for name, other in H.items():
        yield derived(f"H by the {name}, and by composite bodies", other, by_composites)
    yield found("H is positive definite", np.linalg.eigvalsh(by_composites).min() > 0.0)
    yield from costs(kernels, batch()[0])


def draw_h5_inertia(path: Path) -> Path:
    """Operations of the three methods."""
    return bars(path, {"the inertia matrix of H5": inertia_kernels()})


def bars(path: Path, panels: dict[str, dict[str, lw.Kernel]]) -> Path:
    """Operations of kernels as bars, a panel for each title."""
    most = max(len(kernels) for kernels in panels.values())
    made = figure(8.0, 0.9 + 0.5 * most * len(panels))
    for axes, (title, kernels) in zip(made.subplots(len(panels), 1, squeeze=False).flat, panels.items(), strict=True):
        counts = [kernel.operations.total for kernel in kernels.values()]
        axes.barh(list(kernels), counts, color=[CYCLE[k % len(CYCLE)] for k in range(len(kernels))])
        for k, count in enumerate(counts):
            axes.text(count, k, f" {count}", va="center", fontsize=9)
        axes.invert_yaxis()
        axes.margins(x=0.12)
        axes.grid(axis="y", visible=False)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("multiplications and additions")
    return written(path, made)


EXHIBITS = (
    Exhibit(
        "H5.1",
        "h5_identities",
        "Identities between the sources",
        "quantities of all five",
        "What one source computes follows from quantities of another. Each identity is evaluated at random states of "
        "the whole robot, with both sides by different algorithms. The momenta along the joints are sums over bodies; "
        "Φ comes from the assembly of S1, J from the recursion of S4; Ḣ is a difference of fourth order.",
        identities,
        draw_identities,
        "Left: a squat by inverse kinematics. Middle: entries of H, on a logarithmic scale; limbs do not meet. Right: "
        "residuals relative to the largest entry. Ḣ has the error of differences, L that of the integrator.",
        """import numpy as np
import linkwright as lw
from linkwright_gallery.humanoid_h5 import ENDS, humanoid

robot = humanoid()                     # the file H5.ztk, in this package
q, v, tau = robot.random(seed=0), np.ones(34), np.zeros(34)
H = lw.mass_matrix(robot, q)
J = np.vstack([lw.jacobian(robot, q, name) for name in ENDS])
response, _ = lw.frame_responses(robot, q, v, tau, ENDS)
assert np.allclose(J @ np.linalg.solve(H, J.T), response)""",
        (("inertia and momentum", "topics/mechanisms/inertia.md"), ("assembly", "internals/assembly.md")),
    ),
    Exhibit(
        "H5.2",
        "h5_inertia",
        "S0: the inertia matrix by three methods",
        "the three methods of S0",
        "Composite bodies, unit vectors and Jacobians, compiled for H5. Times are processor times of one thread.",
        h5_inertia,
        draw_h5_inertia,
        "Operations of the three methods.",
        """import linkwright as lw
from linkwright_gallery.humanoid_h5 import humanoid

for method in ("composite", "unit_vector", "jacobian"):
    print(method, lw.compile(lw.mass_matrix, humanoid(), method=method).operations.total)    # 2054, 8961, 13306""",
        (("composite bodies", "learn/composite_bodies.md"),),
    ),
)
