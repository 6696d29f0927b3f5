"""S2: the momentum and angular momentum Jacobians, after the manual of irteus (2016)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright_gallery.drawing import BLUE, CYCLE, RED, arrow, chain, curves, figure, inset, plane, written
from linkwright_gallery.exhibit import (
    Erratum,
    Exhibit,
    OpenPoint,
    PublishedSource,
    Remark,
    derived,
    formula,
    found,
    known,
)

SOURCE = PublishedSource(
    "S2",
    "Momentum Jacobians",
    "the manual of irteus, the chapter on momentum and angular momentum Jacobians (2016)",
    "The manual computes momentum P and angular momentum L from joint rates, by vectors m_j and h_j for each joint. "
    "It prints formulas, some of them cut in our copy, without numbers or figures: the numbers here are ours. Axes are "
    "those of the world; a_j is the axis of joint j, p_j its position, and m̃_j, c̃_j, Ĩ_j are mass, center and inertia "
    "of the subtree of joint j.",
)
POSTURE, RATES = np.radians([30.0, 30.0]), np.array([1.0, 2.0])


def columns(robot: lw.Model, q: Array, as_printed: bool = False) -> tuple[Array, Array]:
    """[m_j] and [h_j] (3, n): linear momentum, and angular momentum about the world's origin, per rate of each joint.

    Hinges: m = a × (c̃ − p) m̃ and h = c̃ × m + Ĩ a. Slides: m = a m̃ and h = c̃ × m, for which 0 is printed.
    """
    m, h = [], []
    for joint in robot.joints:
        mass, center, inertia = lw.composite_inertia(robot, q, joint.child)
        T, J = lw.pose(robot, q, joint.child), lw.jacobian(robot, q, joint.child)[:, robot.slice(joint.name)[1]].ravel()
        R = T[:3, :3]
        c = R @ center + T[:3, 3]
        if joint.motion.slide:
            m.append(J[:3] * mass)
            h.append(np.zeros(3) if as_printed else np.cross(c, m[-1]))
        else:
            m.append(np.cross(J[3:], c - T[:3, 3]) * mass)
            h.append(np.cross(c, m[-1]) + R @ inertia @ R.T @ J[3:])
    return np.transpose(m), np.transpose(h)


def by_rate(robot: lw.Model, j: int) -> Array:
    """∂P/∂θ̇_j (3,): P is linear in the rates."""
    P: Array = lw.momentum(robot, POSTURE, np.eye(robot.nv)[j])[:3]
    return P


def by_angle(robot: lw.Model, j: int, h: float = 1e-6) -> Array:
    """∂P/∂θ_j (3,) at the rates (1, 2), by central differences."""
    P = [lw.momentum(robot, POSTURE + sign * h * np.eye(robot.nv)[j], RATES)[:3] for sign in (1.0, -1.0)]
    slope: Array = (P[0] - P[1]) / (2.0 * h)
    return slope


def slide() -> lw.Model:
    """2 kg at (1, 0.5, 0) that slide along x."""
    builder = lw.Builder("slide", gravity=(0, 0, 0)).body("load", 2.0, inertia=0.1)
    return builder.joint("x", "prismatic", "world", "load", axis=(1, 0, 0), xyz=(1.0, 0.5, 0.0)).build()


# S2.1


def momentum_matrix() -> Iterator[Remark]:
    """(34) to (38) of the two-link arm, and of longer arms."""
    arm = lw.load("two_link")
    center = lw.center_of_mass(arm, POSTURE)
    m, h = columns(arm, POSTURE)
    yield known("M_r, the whole mass", 2.0, lw.total_mass(arm), digits=1)
    yield known("p_G", (0.774519, 0.591506, 0.0), center)
    yield known("Ĩ about z", 0.666506, lw.whole_body_inertia(arm, POSTURE)[2, 2])
    yield known("m_1", (-1.183013, 1.549038, 0.0), m[:, 0])
    yield known("m_2", (-0.433013, 0.25, 0.0), m[:, 1])
    yield known("h_1 and h_2 about z: row 1 of H", (2.566025, 0.783013), h[2])
    A = lw.momentum_matrix(arm, POSTURE)
    yield known("H_θ̇, row z, about the center of mass", (0.666506, 0.333253), A[5])
    P = lw.momentum(arm, POSTURE, RATES)
    yield known("P at the rates (1, 2)", (-2.049038, 2.049038, 0.0), P[:3])
    yield known("L_z about the origin", 4.132051, lw.momentum(arm, POSTURE, RATES, np.zeros(3))[5])
    yield known("L_z about the center of mass", 1.333013, P[5])
    yield formula("(34): M_θ̇ = [m_j]", m, A[:3])
    yield formula("(35): H_θ̇ = [h_j] − p_G × M_θ̇", h - np.cross(center, m.T).T, A[3:])
    yield derived("J_G = M_θ̇ / M_r", m / 2.0, lw.center_of_mass_jacobian(arm, POSTURE))
    robot = lw.load("puma560")
    q = robot.random(seed=1)
    m, h = columns(robot, q)
    given = np.vstack([m, h - np.cross(lw.center_of_mass(robot, q), m.T).T])
    yield formula("(34) and (35) of the PUMA 560", given, lw.momentum_matrix(robot, q))
    parts = [lw.pose(arm, POSTURE, body.name) for body in arm.bodies]
    both = [
        (b.mass, T[:3, :3] @ b.center_of_mass + T[:3, 3], T[:3, :3] @ b.inertia @ T[:3, :3].T)
        for b, T in zip(arm.bodies, parts, strict=True)
    ]
    yield formula(
        "AddMassProperty of both links: Ĩ", lw.add_mass_properties(both)[2], lw.whole_body_inertia(arm, POSTURE)
    )
    load = slide()
    q = np.zeros(1)
    m, h = columns(load, q)
    yield known("a slide along x, 2 kg at (1, 0.5, 0): m", (2.0, 0.0, 0.0), m[:, 0])
    about = lw.momentum(load, q, [1.0], np.zeros(3))[3:]
    yield Erratum(
        "prismatic joints, L_j and h_j",
        "0",
        "h_j = c̃_j × m_j",
        "h of 2 kg at (1, 0.5, 0) on a prismatic joint along x",
        columns(load, q, as_printed=True)[1][:, 0],
        h[:, 0],
        about,
    )
    mass, c = 1.0, lw.subtree_center_of_mass(arm, POSTURE, "link2")
    p, a = lw.pose(arm, POSTURE, "link2")[:3, 3], np.array([0.0, 0.0, 1.0])
    spin = np.array([0.0, 0.0, 0.1])
    alone = lw.momentum(arm, POSTURE, [0.0, 1.0], np.zeros(3))[5]
    yield Erratum(
        "revolute joints, L_j",
        "c̃_j (a_j × (c̃_j − p_j)) m̃_j + Ĩ_j a_j",
        "c̃_j × (a_j × (c̃_j − p_j)) m̃_j + Ĩ_j a_j",
        "L_2 about z; the printed formula can only be read as a product of scalars",
        float(c @ np.cross(a, c - p)) * mass + 0.1,
        (np.cross(c, np.cross(a, c - p)) * mass + spin)[2],
        alone,
    )
    of_arm, _ = columns(arm, POSTURE)
    yield Erratum(
        "rows and columns",
        "partial derivatives of P and L are the rows (行) of the Jacobian; two sentences later, column vectors (列)",
        "they are its columns",
        "the number of entries of ∂P/∂θ̇_2, in the matrix M_θ̇ (3 × 2) of the two-link arm",
        A[0].size,
        of_arm[:, 1].size,
        by_rate(arm, 1).size,
        digits=0,
    )
    yield Erratum(
        "the variable of the derivative",
        "the momenta are differentiated with respect to the joint variables θ_j",
        "with respect to their rates θ̇_j",
        "the derivative of P of the two-link arm at the rates (1, 2), by θ_2 and by θ̇_2",
        by_angle(arm, 1),
        of_arm[:, 1],
        A[:3, 1],
        digits=4,
    )
    H = lw.mass_matrix(arm, POSTURE)
    yield OpenPoint(
        "the name",
        "a matter of words",
        "[M_θ̇; H_θ̇] is called an inertia matrix",
        "the momentum matrix. “Inertia matrix” is also used for it in the literature on momentum control; on these "
        "pages it means H",
        "sizes of both for the two-link arm",
        f"{A.shape[0]} × {A.shape[1]}, and {H.shape[0]} × {H.shape[1]}",
    )


def draw_momentum_matrix(path: Path) -> Path:
    """The columns m_j as arrows, of the two-link arm and of the slide."""
    made = figure(9.5, 4.2)
    left, right = made.subplots(1, 2)
    arm = lw.load("two_link")
    points = [lw.pose(arm, POSTURE, name)[:3, 3] for name in ("link1", "link2", "tip")]
    m, h = columns(arm, POSTURE)
    for k, color in enumerate((BLUE, RED)):
        tail = lw.subtree_center_of_mass(arm, POSTURE, f"link{k + 1}")
        left.plot(*tail[:2], "o", color=color, ms=7, zorder=6, label=f"center of all that hangs on joint {k + 1}")
        arrow(left, tail, 0.5 * m[:, k], color)
        x, y = (-0.2, 1.42) if k == 0 else (1.25, 0.85)
        left.text(x, y, f"m{k + 1},  h{k + 1} = {h[2, k]:.3f} kg m²", color=color, fontsize=10)
    chain(left, np.array(points), "#8A8F98")
    plane(left, "momentum per unit rate of each joint (arrows: half size)")
    left.set_xlim(-0.3, 2.5)
    left.set_ylim(-0.5, 1.8)
    left.legend(fontsize=8, loc="lower right")
    right.axhline(0.5, color="#9AA0A8", linewidth=3, zorder=1)
    right.plot(1.0, 0.5, "s", ms=22, color="#8A8F98", zorder=3)
    arrow(right, np.array([1.0, 0.5]), np.array([0.6, 0.0]), BLUE, "m = (2, 0, 0) kg")
    arrow(right, np.zeros(2), np.array([1.0, 0.5]), "#9AA0A8", "")
    right.text(0.75, 0.1, "h = c × m = (0, 0, −1) kg m\nprinted: 0", color=RED, fontsize=10)
    right.plot(0, 0, "k+", ms=12)
    plane(right, "a slide has angular momentum about the origin")
    right.set_xlim(-0.3, 2.5)
    right.set_ylim(-0.9, 1.4)
    return written(path, made)


# S2.2


def thrown() -> lw.Motion:
    """A humanoid that is thrown, turning, and moves its joints by springs and friction within: 0.6 s."""
    robot = lw.load("humanoid")
    v = np.zeros(robot.nv)
    v[:6] = (0.5, 0.0, 3.0, 0.6, 1.5, 0.4)
    v[6:] = np.random.default_rng(0).normal(size=robot.nv - 6)
    return lw.simulate(robot, robot.neutral(), v, 0.6, 1e-3, every=10)


def flight() -> Iterator[Remark]:
    """(36) and (37): the base as six joints, and what is conserved."""
    robot = lw.load("humanoid")
    rng = np.random.default_rng(0)
    q, v = robot.random(seed=0), rng.normal(size=robot.nv)
    T, center, mass = lw.pose(robot, q, robot.bodies[0].name), lw.center_of_mass(robot, q), lw.total_mass(robot)
    A = lw.momentum_matrix(robot, q, base="world")
    inertia = lw.whole_body_inertia(robot, q)
    given = np.block([[mass * np.eye(3), -mass * lw.rotation.skew(center - T[:3, 3])], [np.zeros((3, 3)), inertia]])
    yield formula("(36): [M_B; H_B], the base as three slides and three hinges", given, A[:, :6])
    mixed = v.copy()
    mixed[:3], mixed[3:6] = T[:3, :3] @ v[:3], T[:3, :3] @ v[3:6]
    yield formula("(37): [P; L] = [M_B M_θ̇; H_B H_θ̇] [ξ_B; θ̇]", A @ mixed, lw.momentum(robot, q, v), digits=3)
    motion = thrown()
    P = lw.momentum(robot, motion.q, motion.v)
    falling = P[0, 2] - 9.81 * mass * motion.t
    yield derived("a thrown humanoid: P_x and P_y stay (kg m/s)", P[0, :2], P[-1, :2], 3, 1e-6)
    yield derived("P_z falls by m g t", falling[-1], P[-1, 2], 3, 1e-6)
    yield derived("L about the center of mass stays (kg m²/s)", P[0, 3:], P[-1, 3:], 3, 1e-6)
    yield found("the joints move meanwhile", np.abs(motion.v[-1, 6:] - motion.v[0, 6:]).max() > 0.1)


ASIDE = np.array([np.sin(np.radians(50.0)), np.cos(np.radians(50.0))])
"""to the right, as :func:`linkwright.draw` looks"""


def draw_flight(path: Path) -> Path:
    """Postures of the flight, and its momenta."""
    return draw_momenta(path, thrown(), "momentum in flight")


def draw_momenta(path: Path, motion: lw.Motion, title: str) -> Path:
    """Three postures of a flight of 0.6 s with every hundredth of a second, and its momenta."""
    robot = motion.model
    P = lw.momentum(robot, motion.q, motion.v)
    made = figure(10.0, 5.0)
    left, right = made.subplots(1, 2, width_ratios=[1.2, 1.0])
    postures = motion.q[[0, 30, 60]]
    postures[:, :2] += 0.9 * np.arange(3)[:, None] * ASIDE  # one would hide the other
    inset(left, lw.draw(robot, postures, title=""), "thrown: after 0, 0.3 and 0.6 s, set side by side")
    for k, (name, color) in enumerate(zip(("L x", "L y", "L z"), CYCLE, strict=False)):
        right.plot(motion.t, P[:, 3 + k], color=color, label=name)
    for k, (name, color) in enumerate(
        zip(("P x / 10", "P y / 10", "P z / 10: falls with the weight"), CYCLE, strict=False)
    ):
        right.plot(motion.t, P[:, k] / 10.0, "--", color=color, label=name)
    curves(right, title, "time (s)", "L (kg m²/s), P (kg m/s)")
    right.legend(fontsize=8)
    return written(path, made)


EXHIBITS = (
    Exhibit(
        "S2.1",
        "momentum_matrix",
        "Momentum for each joint",
        "equations (34), (35), (37) and (38)",
        "P_j and L_j of revolute and prismatic joints; [m_j] and [h_j] − p_G × [m_j] as a matrix; mass, center and "
        "inertia of all links by a recursion, AddMassProperty.",
        momentum_matrix,
        draw_momentum_matrix,
        "Left: the vectors m of the two-link arm. Right: the quantity that is printed as 0 for prismatic joints.",
        """import numpy as np
import linkwright as lw

arm, q = lw.load("two_link"), np.radians([30, 30])
A = lw.momentum_matrix(arm, q)                     # rows: P, then L about the center of mass
assert np.allclose(A @ [1.0, 2.0], lw.momentum(arm, q, [1.0, 2.0]))
assert np.allclose(A[:3] / 2.0, lw.center_of_mass_jacobian(arm, q))    # 2 kg""",
        (("inertia and momentum", "topics/mechanisms/inertia.md"),),
    ),
    Exhibit(
        "S2.2",
        "flight",
        "Floating base and flight",
        "equations (36) and (37)",
        "A floating base counts as three prismatic and three revolute joints. In addition to the manual: in flight, "
        "internal forces change neither the angular momentum nor the momentum.",
        flight,
        draw_flight,
        "A humanoid is thrown with moving joints. Its angular momentum is constant, its momentum changes by gravity.",
        """import numpy as np
import linkwright as lw

robot = lw.load("humanoid")
v = np.random.default_rng(0).normal(size=robot.nv)
motion = lw.simulate(robot, robot.neutral(), v, 0.1, 1e-3)
L = lw.momentum(robot, motion.q, motion.v)[:, 3:]
assert np.ptp(L, axis=0).max() < 1e-6""",
        (("inertia and momentum", "topics/mechanisms/inertia.md"),),
    ),
)
