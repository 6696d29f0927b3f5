"""H5.1 to H5.4: the whole robot, by S0, S1 and S2, and the identities between all sources."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright_gallery.composite_bodies import METHODS, by_definition
from linkwright_gallery.drawing import BLUE, figure, inset, written
from linkwright_gallery.exhibit import Exhibit, Remark, derived, found, known, measured
from linkwright_gallery.humanoid_h5.robot import (
    ENDS,
    bars,
    batch,
    costs,
    humanoid,
    squat,
    standing,
    state,
    thrown,
)
from linkwright_gallery.momentum_jacobians import draw_momenta

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


@cache
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
    return bars(path, "the inertia matrix of H5", inertia_kernels())


# H5.3 Forward dynamics

LIMBS = (1, 7, 13, 19, 25)
"""The first bodies of legs, arms and head."""


def limbs() -> list[list[str]]:
    """The bodies of the six blocks: base, legs, arms, head."""
    names = [body.name for body in humanoid().bodies]
    return [names[start:end] for start, end in zip((0, *LIMBS), (*LIMBS, len(names)), strict=True)]


@cache
def dynamics_kernels() -> dict[str, lw.Kernel]:
    """Forward dynamics by all methods, compiled."""
    options: dict[str, dict[str, Any]] = {
        "articulated bodies": {"method": "articulated"},
        "H factorized": {"method": "composite"},
        "assembly of single bodies": {"method": "assembly"},
        "blocks of at most 3 bodies": {"method": "hybrid", "partition": 3},
        "blocks: base, legs, arms, head": {"method": "hybrid", "partition": limbs()},
        "blocks chosen automatically": {"method": "hybrid"},
        "method chosen automatically": {},
    }
    return {name: lw.compile(lw.forward_dynamics, humanoid(), **given) for name, given in options.items()}


def h5_forward_dynamics() -> Iterator[Remark]:
    """S1: assembly and blocks next to serial methods, and the automatic choice."""
    from linkwright.dynamics.assembly.choice import block_schedule

    robot, (q, v, tau) = humanoid(), state()
    kernels = dynamics_kernels()
    a = np.linalg.solve(lw.mass_matrix(robot, q), tau - lw.bias_forces(robot, q, v))
    for name, kernel in kernels.items():
        yield derived(f"{name}: q̈, and H⁻¹ (τ − b)", a, kernel(q, v, tau), 3)
    for processors in (1, 2, 4):
        sizes = [len(block) for block in block_schedule(robot, processors=processors).blocks]
        what = f"bodies in the blocks chosen for processors: {processors}"
        yield measured(what, "not printed", f"{len(sizes)} × 1" if max(sizes) == 1 else ", ".join(map(str, sizes)))
    yield from costs(kernels, *batch())


def draw_h5_forward_dynamics(path: Path) -> Path:
    """Operations of all methods."""
    return bars(path, "forward dynamics of H5", dynamics_kernels())


# H5.4 Momentum


def momentum_columns(robot: lw.Model, q: Array) -> Array:
    """(34) and (35) of S2 for the hinges: [m_j; h_j − p_G × m_j], from the mass properties of their subtrees."""
    center, columns = lw.center_of_mass(robot, q), []
    for body in robot.bodies[1:]:
        mass, c, inertia = lw.composite_inertia(robot, q, body.name)
        T = lw.pose(robot, q, body.name)
        R, axis = T[:3, :3], T[:3, 2]
        m = np.cross(axis, R @ c) * mass
        columns.append([*m, *(np.cross(R @ c + T[:3, 3] - center, m) + R @ inertia @ R.T @ axis)])
    return np.transpose(columns)


def h5_momentum() -> Iterator[Remark]:
    """S2: momentum matrix, centroidal quantities, and the flight."""
    robot, (q, v, tau) = humanoid(), state()
    mass = lw.total_mass(robot)
    yield measured("mass of H5 (kg)", "not printed", mass, 3)
    A = lw.momentum_matrix(robot, q)
    yield derived("(34) and (35): columns of the 28 hinges", momentum_columns(robot, q), A[:, 6:])
    P = lw.momentum(robot, q, v)
    yield derived("(37): [P; L] = A q̇", A @ v, P, 3)
    yield derived("J_G = A / m, upper rows", A[:3] / mass, lw.center_of_mass_jacobian(robot, q))
    average = lw.centroidal_velocity(robot, q, v)
    moved = np.concatenate([mass * average[:3], lw.whole_body_inertia(robot, q) @ average[3:]])
    yield derived("(38): [m v_G; Ĩ ω] with the centroidal velocity", moved, P, 3)
    tau[:6] = 0.0
    a = lw.forward_dynamics(robot, q, v, tau)
    weight = mass * np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0])
    yield derived(
        "whatever the efforts of the joints, Ȧ q̇ + A q̈ = [m g; 0]", weight, lw.momentum_rate(robot, q, v, a), 3
    )
    motion = thrown()
    at = lw.center_of_mass(robot, motion.q)
    P = lw.momentum(robot, motion.q, motion.v)
    t = motion.t[:, None]
    parabola = at[0] + t * P[0, :3] / mass - 0.5 * t**2 * np.array([0.0, 0.0, 9.81])
    yield derived("thrown for 0.6 s: p_G is a parabola", parabola, at, 3, 1e-8)
    yield derived("its L after 0.6 s", P[0, 3:], P[-1, 3:], 3, 1e-8)
    yield found("the joints move meanwhile", np.abs(motion.v[-1, 6:] - motion.v[0, 6:]).max() > 0.1)


def draw_h5_momentum(path: Path) -> Path:
    """The flight, and its momenta."""
    return draw_momenta(path, thrown(), "momentum of H5 in flight")


EXHIBITS = (
    Exhibit(
        "H5.1",
        "h5_identities",
        "Identities between the sources",
        "quantities of all five",
        "Quantities of one source follow from those of another. Each identity is evaluated at random states of "
        "the whole robot, with both sides by different algorithms. The momenta along the joints are sums over bodies; "
        "Φ comes from the assembly of S1, J from the recursion of S4; Ḣ is a difference of fourth order.",
        identities,
        draw_identities,
        "Left: a squat by inverse kinematics. Middle: entries of H, on a logarithmic scale; limbs do not meet. Right: "
        "residuals relative to the largest entry. Ḣ has the error of differences, L that of the integrator.",
        """import numpy as np
import linkwright as lw
from linkwright_gallery.humanoid_h5.robot import ENDS, humanoid

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
from linkwright_gallery.humanoid_h5.robot import humanoid

for method in ("composite", "unit_vector", "jacobian"):
    print(method, lw.compile(lw.mass_matrix, humanoid(), method=method).operations.total)    # 2054, 8961, 13306""",
        (("composite bodies", "learn/composite_bodies.md"),),
    ),
    Exhibit(
        "H5.3",
        "h5_forward_dynamics",
        "S1: forward dynamics by assembly and blocks",
        "the assembly of S1, without its experiments",
        "Assembly of single bodies, of blocks of three, and of the limbs as blocks, next to the two serial methods. "
        "Blocks chosen automatically are one block of all bodies on one processor, since each joint between blocks "
        "adds operations; several processors favor more blocks. The method chosen automatically follows a cost model "
        "of general mechanisms, and is the articulated bodies; the zeros of H5 favor the factorization of H.",
        h5_forward_dynamics,
        draw_h5_forward_dynamics,
        "Operations of one evaluation. Six blocks take half the operations of single bodies.",
        """import numpy as np
import linkwright as lw
from linkwright_gallery.humanoid_h5.robot import humanoid
from linkwright_gallery.humanoid_h5.whole_body import limbs

robot = humanoid()
q, v, tau = robot.random(seed=0), np.ones(34), np.zeros(34)
by_blocks = lw.forward_dynamics(robot, q, v, tau, method="hybrid", partition=limbs())
assert np.allclose(by_blocks, lw.forward_dynamics(robot, q, v, tau))""",
        (("assembly", "internals/assembly.md"),),
    ),
    Exhibit(
        "H5.4",
        "h5_momentum",
        "S2: momentum matrix and flight",
        "equations (34) to (38) of S2",
        "The columns of the 28 hinges from the mass properties of their subtrees, centroidal quantities, and a flight "
        "in which all joints move.",
        h5_momentum,
        draw_h5_momentum,
        "H5 is thrown from a squat. L is constant; P changes by its weight alone.",
        """import numpy as np
import linkwright as lw
from linkwright_gallery.humanoid_h5.robot import thrown

motion = thrown()
L = lw.momentum(motion.model, motion.q, motion.v)[:, 3:]
assert np.ptp(L, axis=0).max() < 1e-7""",
        (("inertia and momentum", "topics/mechanisms/inertia.md"),),
    ),
)
