"""S3, chapters 3 to 5: an arm of four joints, the Jacobian of a plane arm, statics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright_gallery.drawing import BLUE, CYCLE, GRAY, INK, RED, arrow, chain, figure, inset, plane, written
from linkwright_gallery.exhibit import Exhibit, OpenPoint, Remark, derived, formula, found, known, printed, said

# S3.3 The arm of four joints

LENGTHS = (0.3, 0.5, 0.4, 0.2)
POSTURE = np.array([0.4, 0.6, -0.8, 0.3])
OTHER_ELBOW = np.array([0.4, -0.106115, 0.8, -0.593885])
HAND = np.array([0.924465, 0.390857, 0.522820, 0.1])
"""x, y, z, m, and α = θ2 + θ3 + θ4, of the posture"""


def forward(q: Array) -> Array:
    """(x, y, z, α) by geometry: the height of the shoulder, and three links in the plane of the arm."""
    height, *links = LENGTHS
    pitches = np.cumsum(q[1:])
    reach, rise = links @ np.cos(pitches), height + links @ np.sin(pitches)
    return np.array([reach * np.cos(q[0]), reach * np.sin(q[0]), rise, pitches[-1]])


def inverse(hand: Array, elbow: float, backwards: bool = False) -> Array:
    """The joint angles (4,) by geometry, with atan2: elbow +1 or −1; NaN out of reach. Backwards θ1 is turned by π."""
    x, y, z, alpha = hand
    height, upper, fore, last = LENGTHS
    side = -1.0 if backwards else 1.0
    yaw = np.arctan2(side * y, side * x)
    u, w = side * np.hypot(x, y) - last * np.cos(alpha), z - height - last * np.sin(alpha)
    cosine = (u * u + w * w - upper * upper - fore * fore) / (2.0 * upper * fore)
    if abs(cosine) > 1.0:
        return np.full(4, np.nan)
    bend = elbow * np.arccos(cosine)
    shoulder = np.arctan2(w, u) - np.arctan2(fore * np.sin(bend), upper + fore * np.cos(bend))
    return np.array([yaw, shoulder, bend, alpha - shoulder - bend])


def four_joints() -> Iterator[Remark]:
    """Forward and inverse kinematics, and what there is to choose."""
    arm = lw.load("arm4")
    T = lw.pose(arm, POSTURE, "tool")
    alpha = np.arctan2(T[2, 0], np.hypot(T[0, 0], T[1, 0]))
    ours = np.array([*T[:3, 3], alpha])
    yield known("(x, y, z, α) at (0.4, 0.6, −0.8, 0.3)", HAND, ours)
    yield derived("the same by the geometry of the four links", forward(POSTURE), ours)
    solver = lw.analytic_inverse_kinematics(arm, "tool", task="pitch")
    solutions = solver(ours)
    exact = solutions.q[solutions.exact]
    exact = exact[np.argsort(exact[:, 2])]
    yield known("back from there, one elbow", POSTURE, exact[0])
    yield known("back from there, the other elbow", OTHER_ELBOW, exact[1])
    for elbow, found_now in ((-1.0, exact[0]), (1.0, exact[1])):
        yield derived(f"by geometry, with atan2, elbow {elbow:+.0f}", inverse(ours, elbow), found_now)
    last = np.array([0.4, 0.0, 0.5, -0.4])
    costs = np.abs(exact - last).sum(axis=1)
    yield derived(
        "the elbow with the least Σ|Δθ| from the last posture", exact[costs.argmin()], solutions.nearest(last)
    )
    yield said("a position too far away: out of reach", solver([3.0, 0.0, 0.0, 0.5]).reason == "out of reach")
    reason = solver([0.0, 0.0, 1.0, 0.5]).reason
    yield said("above the base, x = y = 0: infinitely many solutions", reason.startswith("infinitely many"))
    yield found("there θ1 is free", "joint1" in reason)
    free = [forward(np.array([yaw, np.pi / 2, 0.0, 0.0])) for yaw in (0.0, 1.0, 2.5)]
    yield OpenPoint(
        "infinitely many solutions",
        "left open",
        "they exist at the origin; joints and lengths of the arm are not printed",
        "a yaw and three pitches. For this arm θ1 is free on the whole axis x = y = 0",
        "largest distance of the hands of the arm straight up, for θ1 = 0, 1 and 2.5, m",
        float(np.ptp(free, axis=0).max()),
    )
    near = np.array([0.2, 0.1, 0.5, 0.1])
    every = solver(near)
    mine = [inverse(near, elbow, back) for back in (False, True) for elbow in (-1.0, 1.0)]
    agree = all(np.abs(np.angle(np.exp(1j * (every.q[every.exact] - one)))).max(axis=1).min() < 1e-9 for one in mine)
    yield found("near the axis, (0.2, 0.1, 0.5) with α = 0.1: the four solutions by geometry are found", agree)
    forward_hand, reversed_hand = (hand_direction(q) for q in (mine[0], mine[2]))
    yield derived(
        "two of them have the hand along (cos α cos θ1, cos α sin θ1, sin α)", forward_hand, _hand(arm, mine[1]), 2
    )
    yield found(
        "the two others, with θ1 + π, have the horizontal part of the hand reversed",
        bool(np.allclose(reversed_hand, forward_hand * [-1.0, -1.0, 1.0])),
    )
    yield OpenPoint(
        "the number of solutions",
        "left open",
        "elbow up and elbow down; it speaks of the bent part of the arm only",
        "with θ1 + π, up to two more reach the same position and α. Their hand points the opposite way, so that they "
        "count only if α is the whole orientation",
        "directions of the hand of the four solutions for (0.2, 0.1, 0.5) with α = 0.1",
        np.array([_hand(arm, one) for one in mine]),
        digits=2,
    )


def hand_direction(q: Array) -> Array:
    """The direction of the last link (3,) by geometry."""
    alpha = q[1:].sum()
    return np.array([np.cos(alpha) * np.cos(q[0]), np.cos(alpha) * np.sin(q[0]), np.sin(alpha)])


def _hand(arm: lw.Model, q: Array) -> Array:
    """The direction of the last link (3,) by the library."""
    ends = lw.pose(arm, q, ["link4", "tool"])[:, :3, 3]
    direction: Array = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    return direction


def draw_four_joints(path: Path) -> Path:
    """Both elbows, and the four solutions near the axis, in the plane of the arm."""
    arm = lw.load("arm4")
    solver = lw.analytic_inverse_kinematics(arm, "tool", task="pitch")
    both, every = solver(HAND), solver([0.2, 0.1, 0.5, 0.1])
    made = figure(11.0, 4.6)
    left, right = made.subplots(1, 2, width_ratios=[1.0, 1.2])
    q = both.q[both.exact]
    inset(left, lw.draw(arm, q[np.argsort(-q[:, 2])], title=""), "elbow up; the other as a ghost")
    across = np.array([0.2, 0.1, 0.0]) / np.hypot(0.2, 0.1)
    for one in every.q[every.exact]:
        points = lw.pose(arm, one, ["link2", "link3", "link4", "tool"])[:, :3, 3]
        ahead = _hand(arm, one) @ across > 0.0
        color = BLUE if ahead else RED
        flat = np.stack([points @ across, points[:, 2]], axis=1)
        chain(right, flat[:3], color, alpha=0.55 if one[2] > 0.0 else 1.0)
        arrow(right, flat[2], flat[3] - flat[2], color, width=3.0)
    right.plot(0.2236, 0.5, "o", ms=9, color=INK, zorder=8)
    right.axvline(0.0, color=GRAY, linestyle=":")
    right.plot([0.0, 0.0], [0.0, LENGTHS[0]], color=GRAY, linewidth=5, solid_capstyle="round")
    for color, label in ((BLUE, "hand forwards, as asked"), (RED, "hand reversed: θ1 + π")):
        right.plot([], [], color=color, linewidth=3, label=label)
    right.set_aspect("equal")
    right.grid(alpha=0.3)
    right.set_xlabel("distance from the axis (m)")
    right.set_ylabel("z (m)")
    right.set_title("near the axis: four solutions for one position and α", fontsize=10)
    right.legend(fontsize=9, loc="lower right")
    return written(path, made)


# S3.4 The Jacobian of three links in a plane

L = np.array([1.0, 0.7, 0.4])
PLANE = [0, 1, 5]
"""the rows x, y and φ of a Jacobian"""


def planar_arm() -> lw.Model:
    """Three links of L1 = 1, L2 = 0.7 and L3 = 0.4 m in a plane."""
    builder = lw.Builder("3R", gravity=(0.0, -9.8, 0.0))
    for k, length in enumerate(L, start=1):
        builder.body(f"link{k}", length, (length / 2.0, 0.0, 0.0), length**3 / 12.0)
        at, parent = (L[k - 2], f"link{k - 1}") if k > 1 else (0.0, "world")
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", xyz=(at, 0.0, 0.0))
    return builder.frame("tip", "link3", xyz=(L[-1], 0.0, 0.0)).build()


def place_of(q: Array) -> Array:
    """(x, y, φ) as printed: sums of L cos and L sin of the sums of angles."""
    phi = np.cumsum(q)
    return np.array([L @ np.cos(phi), L @ np.sin(phi), phi[-1]])


def jacobian_of(q: Array) -> Array:
    """J (3, 3) of x, y and φ, term by term as printed; the last row is 1 1 1."""
    phi = np.cumsum(q)
    x = [-(L[k:] @ np.sin(phi[k:])) for k in range(3)]
    y = [L[k:] @ np.cos(phi[k:]) for k in range(3)]
    return np.array([x, y, [1.0, 1.0, 1.0]])


def plane_jacobian() -> Iterator[Remark]:
    """ṗ = J q̇ of the plane arm; its columns, its determinant, accelerations."""
    arm = planar_arm()
    q, v, a = np.array([0.3, 0.8, -0.4]), np.array([1.0, -0.5, 2.0]), np.array([0.2, 0.4, -1.0])
    T = lw.pose(arm, q, "tip")
    yield formula("(x, y, φ)", place_of(q), [T[0, 3], T[1, 3], np.arctan2(T[1, 0], T[0, 0])])
    J = lw.jacobian(arm, q, "tip")[PLANE]
    yield formula("J term by term", jacobian_of(q), J)
    yield printed("the last row of J", (1.0, 1.0, 1.0), J[2], digits=0)
    yield formula("ṗ = J q̇", jacobian_of(q) @ v, lw.velocity(arm, q, v, "tip")[PLANE])
    yield formula("q̇ = J⁻¹ ṗ", v, np.linalg.solve(J, lw.velocity(arm, q, v, "tip")[PLANE]))
    J_dot = lw.jacobian_dot(arm, q, v, "tip")[PLANE]
    yield formula("p̈ = J q̈ + J̇ q̇", J @ a + J_dot @ v, lw.acceleration(arm, q, v, a, "tip")[PLANE])
    yield known(
        "det J, at any posture, exactly", "l1*l2*sin(theta2)", str(lw.equations(arm).jacobian_determinant("tip"))
    )
    yield derived("det J = L1 L2 sin θ2 here", L[0] * L[1] * np.sin(q[1]), np.linalg.det(J))
    straight = np.array([0.3, 0.0, 0.5])
    yield said("det J = 0 is singular: θ2 = 0", abs(np.linalg.det(lw.jacobian(arm, straight, "tip")[PLANE])) < 1e-12)
    robot = lw.load("puma560")
    x = robot.random(seed=0)
    J = lw.jacobian(robot, x, "tool")
    yield formula("six joints, n = m = 6: J⁻¹ J", np.eye(6), np.linalg.inv(J) @ J, digits=3)


def draw_plane_jacobian(path: Path) -> Path:
    """Columns as arrows, and a singular posture."""
    made = figure(9.5, 4.2)
    arm, panels = planar_arm(), made.subplots(1, 2)
    for axes, q, title in zip(
        panels,
        (np.array([0.3, 0.8, -0.4]), np.array([0.3, 0.0, 0.0])),
        ("velocity of the hand, joint by joint", "singular, θ2 = 0; θ3 = 0 too: all arrows are parallel"),
        strict=True,
    ):
        points = np.array([lw.pose(arm, q, name)[:3, 3] for name in ("link1", "link2", "link3", "tip")])
        J = lw.jacobian(arm, q, "tip")
        chain(axes, points, GRAY)
        for k, color in enumerate(CYCLE[:3]):
            arrow(axes, points[-1], 0.5 * J[:, k], color, f"J{k + 1}")
            axes.plot(*np.array([points[k], points[-1]])[:, :2].T, ":", color=color, linewidth=1)
        plane(axes, title)
        axes.margins(0.15)
    return written(path, made)


# S3.5 Statics

BENT = np.array([0.0, np.pi / 2.0, np.pi / 2.0])


def statics() -> Iterator[Remark]:
    """τ = Jᵀ F at θ = (0, π/2, π/2), with letters and with numbers."""
    import sympy

    made = lw.equations(lw.load("planar:3"))
    J = made.jacobian("tip").extract(PLANE, [0, 1, 2])
    letters = {symbol.name: symbol for symbol in J.free_symbols}
    here = J.subs({letters[f"theta{k}"]: value for k, value in enumerate((0, sympy.pi / 2, sympy.pi / 2), start=1)}).T
    upper = here.subs({letters[f"l{k}"]: sympy.Symbol(f"L{k}") for k in (1, 2, 3)})
    given = [["-L2", "L1 - L3", "1"], ["-L2", "-L3", "1"], ["0", "-L3", "1"]]
    yield printed("Jᵀ with letters", _listed(given), _listed(upper.tolist()))
    for k, (what, efforts) in enumerate(
        (("f_x", "-L2, -L2, 0"), ("f_y", "L1 - L3, -L3, -L3"), ("a moment N", "1, 1, 1"))
    ):
        yield printed(f"τ for {what}, per unit", efforts, ", ".join(str(entry) for entry in upper[:, k]))
    arm, F = planar_arm(), np.array([3.0, -2.0, 0.5])
    wrench = np.array([F[0], F[1], 0.0, 0.0, 0.0, F[2]])
    tau = lw.joint_forces(arm, BENT, "tip", wrench)
    numbers = np.array([[-L[1], L[0] - L[2], 1.0], [-L[1], -L[2], 1.0], [0.0, -L[2], 1.0]])
    yield formula("τ = Jᵀ F for F = (3 N, −2 N, 0.5 N m), L = (1, 0.7, 0.4)", numbers @ F, tau)
    yield formula("F = J⁻ᵀ τ", F, lw.static_wrench(arm, BENT, "tip", tau).wrench[PLANE])
    straight = lw.static_wrench(arm, [0.0, 0.0, 0.0], "tip", [1.0, 0.5, 0.2])
    yield said("where J is singular there is no such F: the rank is 2 of 3", straight.rank == 2)
    two = lw.load("two_link")
    tau = lw.joint_forces(two, np.radians([30.0, 60.0]), "tip", [4.0, 2.0, 0, 0, 0, 0])
    c, s, c12, s12 = np.cos(np.pi / 6), np.sin(np.pi / 6), 0.0, 1.0
    pair = [4.0 * (-s - s12) + 2.0 * (c + c12), 4.0 * -s12 + 2.0 * c12]
    yield derived("program 2, θ = (30°, 60°), F = (4, 2) N: Tau1 and Tau2", pair, tau)


def _listed(rows: Sequence[Sequence[Any]]) -> str:
    return "[" + "; ".join(", ".join(str(entry) for entry in row) for row in rows) + "]"


def draw_statics(path: Path) -> Path:
    """The posture with its loads, and the second program: a red force at the tip, efforts at the lower left."""
    made = figure(9.5, 4.4)
    left, right = made.subplots(1, 2)
    arm = planar_arm()
    points = np.array([lw.pose(arm, BENT, name)[:3, 3] for name in ("link1", "link2", "link3", "tip")])
    chain(left, points, GRAY)
    arrow(left, points[-1] - [0.4, 0.0, 0.0], [0.4, 0.0], BLUE, "f_x", beside=(-40.0, 6.0))
    arrow(left, points[-1], [0.0, 0.35], CYCLE[2], "f_y")
    turn = np.linspace(0.3, 1.7 * np.pi, 40)
    left.plot(points[-1, 0] + 0.1 * np.cos(turn), points[-1, 1] + 0.1 * np.sin(turn), color=CYCLE[3], linewidth=2)
    left.text(points[-1, 0] - 0.12, points[-1, 1] - 0.2, "N", color=CYCLE[3], fontsize=11)
    plane(left, "θ = (0, π/2, π/2)")
    left.set_xlim(-0.2, 1.5)
    left.set_ylim(-0.4, 1.3)
    two, q, F = lw.load("two_link"), np.radians([30.0, 60.0]), np.array([4.0, 2.0, 0, 0, 0, 0])
    points = np.array([lw.pose(two, q, name)[:3, 3] for name in ("link1", "link2", "tip")])
    chain(right, points, BLUE)
    arrow(right, points[-1], 0.15 * F[:2], "red", "F", width=3)
    tau = lw.joint_forces(two, q, "tip", F)
    right.text(-0.9, -0.7, f"Tau1 = {tau[0]:.3f} N m\nTau2 = {tau[1]:.3f} N m", color=RED, fontsize=11)
    plane(right, "the second program: a force at the hand")
    right.set_xlim(-1.0, 2.2)
    right.set_ylim(-0.9, 2.1)
    return written(path, made)


EXHIBITS = (
    Exhibit(
        "S3.3",
        "four_joints",
        "Forward and inverse kinematics of an arm with four joints",
        "chapter 3, program 1",
        "A program in Octave with sliders: θ1 to θ4 move the hand, and (x, y, z, α) move the joints, by geometry "
        "with atan2. Of elbow up and elbow down it selects the one with the smallest Σ|Δθ| from the last posture. It "
        "checks for targets out of reach, and for the origin. The joints, lengths, formulas and colors are not "
        "printed: here a yaw and three pitches, lengths 0.3, 0.5, 0.4 and 0.2 m, and α = θ2 + θ3 + θ4 are chosen.",
        four_joints,
        draw_four_joints,
        "Left: elbow up and elbow down for one pose of the hand. Right: four solutions in the plane of the arm. In two "
        "of them (red) the arm reaches backwards, and the hand points the opposite way.",
        """import numpy as np
import linkwright as lw

arm = lw.load("arm4")
solver = lw.analytic_inverse_kinematics(arm, "tool", task="pitch")
found = solver([0.924465, 0.390857, 0.522820, 0.1])         # x, y, z, α
print(found.q[found.exact].round(3))                        # elbow down and up
print(found.nearest([0.4, 0.0, 0.5, -0.4]))                 # the nearer of them
print(solver([3.0, 0.0, 0.0, 0.5]).reason)                  # out of reach""",
        (("exact inverse kinematics", "topics/mechanisms/exact_inverse_kinematics.md"),),
        studio="forward-kinematics",
    ),
    Exhibit(
        "S3.4",
        "plane_jacobian",
        "The Jacobian",
        "chapter 4",
        "ṗ = J q̇, q̇ = J⁻¹ ṗ; a posture with det J = 0 is singular (n = m = 6); p̈ = J q̈ + J̇ q̇. For a planar arm "
        "with three joints x, y and φ = θ1 + θ2 + θ3, and J term by term. A figure shows the velocity of the hand "
        "for each joint alone.",
        plane_jacobian,
        draw_plane_jacobian,
        "The columns of J: the velocity of the hand if one joint moves. Right: for the stretched arm they are "
        "parallel.",
        """import linkwright as lw

arm = lw.load("planar:3")
print(lw.equations(arm).jacobian_determinant("tip"))                # l1*l2*sin(theta2)
print(lw.jacobian(arm, [0.3, 0.8, -0.4], "tip")[[0, 1, 5]])         # rows x, y, φ
print(lw.singular_directions(arm, [0.3, 0.0, 0.0], "tip", ("x", "y", "rz")).T)""",
        (("kinematics", "topics/mechanisms/kinematics.md"),),
    ),
    Exhibit(
        "S3.5",
        "statics",
        "Statics",
        "chapter 5, and program 2",
        "τ = Jᵀ F, and F = J⁻ᵀ τ unless singular. For three links at θ = (0, π/2, π/2) the tutorial prints Jᵀ with "
        "symbols, and the torques for f_x, for f_y and for a moment N. Its second program shows a planar arm with "
        "two joints, the force of the hand as a red arrow at the tip, and Tau1 and Tau2 as numbers at the lower "
        "left.",
        statics,
        draw_statics,
        "Left: the posture with its loads. Right: the display of the second program.",
        """import numpy as np
import linkwright as lw

arm = lw.load("planar:3")
q = np.array([0.0, np.pi / 2, np.pi / 2])
tau = lw.joint_forces(arm, q, "tip", [3.0, -2.0, 0, 0, 0, 0.5])     # f_x, f_y and a moment about z
found = lw.static_wrench(arm, q, "tip", tau)
assert np.allclose(found.wrench[[0, 1, 5]], [3.0, -2.0, 0.5])""",
        (("statics", "learn/statics.md"),),
        studio="statics",
    ),
)
