"""S4: the time derivative of the basic Jacobian (a note of 2025)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright_gallery.drawing import BLUE, CYCLE, GREEN, RED, curves, figure, written
from linkwright_gallery.exhibit import (
    Erratum,
    Exhibit,
    OpenPoint,
    PublishedSource,
    Remark,
    derived,
    formula,
    found,
    measured,
    said,
)
from linkwright_gallery.published import count_listing, path_to_hand, rate_by_listing, serial, slopes_by_listing

SOURCE = PublishedSource(
    "S4",
    "The rate of the basic Jacobian",
    "a note on the time derivative of the basic Jacobian, with a listing in C++ and Eigen (2025)",
    "The note derives J̇ of arms with revolute joints for numerical inverse kinematics and Cartesian dynamics, by "
    "the product rule on the rotations of a table of modified Denavit–Hartenberg parameters. It counts products of "
    "matrices. It has no figures and no numbers: those here are ours, for an arm of six revolute joints with a "
    "random table.",
)


def random_arm(n: int = 6, types: str = "") -> lw.Model:
    """n joints of a random table of modified Denavit–Hartenberg parameters; "RPRR…" with slides."""
    table = np.random.default_rng(0).normal(size=(n, 3))
    kinds = {"R": "revolute", "P": "prismatic"}
    rows = [
        lw.DHRow(a=a, alpha=alpha, d=d, mass=1.0, type=kinds[kind])
        for (a, alpha, d), kind in zip(table, types or "R" * n, strict=True)
    ]
    return lw.from_dh("random arm", rows)


def state(robot: lw.Model) -> tuple[Array, Array]:
    """A posture and rates."""
    rng = np.random.default_rng(1)
    return rng.uniform(-np.pi, np.pi, robot.nq), rng.normal(size=robot.nv)


def axes_and_arms(robot: lw.Model, q: Array) -> tuple[Array, Array]:
    """z_i (n, 3), and p_E,i (n, 3) as the sum of ⁰R_j ʲp_j,j+1 from j = i to the hand."""
    T = lw.pose(robot, q, [*(body.name for body in robot.bodies), "tool"])
    steps = np.diff(T[:, :3, 3], axis=0)  # ⁰R_j ʲp_j,j+1
    return T[:-1, :3, 2], np.cumsum(steps[::-1], axis=0)[::-1]


def basic_jacobian(robot: lw.Model, q: Array) -> Array:
    """(2): columns [z_i × p_E,i; z_i] of hinges, [z_i; 0] of slides."""
    z, p = axes_and_arms(robot, q)
    slides = np.array([joint.motion.slide for joint in robot.joints])[:, None]
    return np.hstack([np.where(slides, z, np.cross(z, p)), np.where(slides, 0.0, z)]).T


# S4.1


def jacobian() -> Iterator[Remark]:
    """(1), (2), and why ω has no integral."""
    robot = random_arm()
    q, v = state(robot)
    J = lw.jacobian(robot, q, "tool")
    given = basic_jacobian(robot, q)
    yield formula("(1), (2): [z_i × p_E,i; z_i], six hinges", given, J)
    yield formula("[ṗ; ω] = J q̇", given @ v, lw.velocity(robot, q, v, "tool"), digits=3)
    mixed = random_arm(6, "RPRRPR")
    yield derived("[z_i; 0] of slides mixed with hinges", basic_jacobian(mixed, q), lw.jacobian(mixed, q, "tool"))
    yield Erratum(
        "the head of (2)",
        "J̇",
        "J_v: the following is the Jacobian, not its time derivative",
        "the first column of the arm's Jacobian, and of its time derivative",
        lw.jacobian_dot(robot, q, v, "tool")[:, 0],
        given[:, 0],
        J[:, 0],
        digits=3,
    )
    T = lw.pose(robot, q, ["link5", "link6", "tool"])
    step_5, step_6 = (np.linalg.inv(T[k]) @ T[k + 1] for k in (0, 1))
    first, second = T[0, :3, :3] @ step_5[:3, 3], step_6[:3, 3] + [0.1, 0.2, 0.3]  # the hand is not at the last joint
    point = T[1] @ [*second, 1.0] - T[0, :, 3]
    yield Erratum(
        "p_E,n−1",
        "⁰R_n−1 ⁿ⁻¹p_n−1,n + ⁿp_n,E",
        "⁰R_n−1 ⁿ⁻¹p_n−1,n + ⁰R_n ⁿp_n,E",
        "p_E,5 of the arm, with a hand at (0.1, 0.2, 0.3) beyond its last joint",
        first + second,
        first + T[1, :3, :3] @ second,
        point[:3],
    )
    turn, whole = around()
    yield derived("a loop of joint motions: the hand's turn at its end", 0.0, turn)
    yield said(
        "ω cannot be integrated to an orientation: ∫ω of that loop is not zero", float(np.linalg.norm(whole)) > 0.1
    )
    x, y = lw.rotation.about("x", np.pi / 2), lw.rotation.about("y", np.pi / 2)
    apart = np.linalg.norm(lw.rotation.log(y @ x @ (x @ y).T))
    yield found(
        "turns about x and y by 90° have one ∫ω in both orders, and ends that differ by 120°",
        bool(abs(apart - 2 * np.pi / 3) < 1e-9),
    )


def around(samples: int = 400) -> tuple[float, Array]:
    """A closed loop in joint space: the angle between the hand's first and last orientation, and ∫ω (3,)."""
    robot, t = random_arm(), np.linspace(0.0, 2.0 * np.pi, samples + 1)
    phases = np.arange(6.0)
    q, v = 0.5 * np.sin(t[:, None] + phases), 0.5 * np.cos(t[:, None] + phases)
    R = lw.pose(robot, q, "tool")[:, :3, :3]
    omega = lw.velocity(robot, q, v, "tool")[:, 3:]
    return float(np.linalg.norm(lw.rotation.log(R[-1] @ R[0].T))), omega[:-1].sum(axis=0) * (t[1] - t[0])


def draw_jacobian(path: Path) -> Path:
    """Draw the integral of ω next to the rotation vector."""
    robot, t = random_arm(), np.linspace(0.0, 2.0 * np.pi, 401)
    phases = np.arange(6.0)
    q, v = 0.5 * np.sin(t[:, None] + phases), 0.5 * np.cos(t[:, None] + phases)
    R = lw.pose(robot, q, "tool")[:, :3, :3]
    omega = lw.velocity(robot, q, v, "tool")[:, 3:]
    integral = np.vstack([np.zeros(3), np.cumsum(0.5 * (omega[1:] + omega[:-1]), axis=0) * (t[1] - t[0])])
    made = figure(10.0, 3.6)
    left, right = made.subplots(1, 2, sharey=True)
    for k, color in zip(range(3), CYCLE, strict=False):
        left.plot(t, integral[:, k], color=color, label="xyz"[k])
        right.plot(t, lw.rotation.log(R @ R[0].T)[:, k], color=color)
    for axes in (left, right):
        axes.axhline(0.0, color="#9AA0A8", linewidth=0.8)
    curves(left, "∫ω dt: does not come back", "time (s)", "angle (rad)")
    curves(right, "the rotation vector: returns", "time (s)", "angle (rad)")
    left.legend(fontsize=8)
    return written(path, made)


# S4.2


def rate(robot: lw.Model, q: Array, v: Array, as_printed: bool = False) -> Array:
    """J̇ (6, n) by the product rule of the note, of hinges: ∂z_i/∂q_j and ∂p_E,i/∂q_j.

    ∂p_E,i/∂q_j = z_j × (the sum of ⁰R_k ᵏp_k,k+1 from k = max(i, j)), for every j; printed is 0 for i > j, and the sum
    from k = i for the others.
    """
    z, p = axes_and_arms(robot, q)
    n = len(z)
    columns = []
    for i in range(n):
        z_rate = sum((v[j] * np.cross(z[j], z[i]) for j in range(i)), np.zeros(3))
        p_rate = np.zeros(3)
        for j in range(n):
            if as_printed:
                p_rate = p_rate + (v[j] * np.cross(z[j], p[i]) if i <= j else 0.0)
            else:
                p_rate = p_rate + v[j] * np.cross(z[j], p[max(i, j)])
        columns.append([*(np.cross(z_rate, p[i]) + np.cross(z[i], p_rate)), *z_rate])
    return np.transpose(columns)


def rate_of_columns(robot: lw.Model, q: Array, v: Array) -> Array:
    """J̇ from the rates of axes and points: (ω × z) × (p_E − p) + z × (v_E − v) and ω × z; of slides [ω × z; 0]."""
    z, p = axes_and_arms(robot, q)
    twists = np.array([lw.velocity(robot, q, v, body.name) for body in robot.bodies])
    turning, moving = np.cross(twists[:, 3:], z), lw.velocity(robot, q, v, "tool")[:3] - twists[:, :3]
    slides = np.array([joint.motion.slide for joint in robot.joints])[:, None]
    linear = np.where(slides, turning, np.cross(turning, p) + np.cross(z, moving))
    return np.hstack([linear, np.where(slides, 0.0, turning)]).T


def by_differences(f: Callable[[Array], Array], q: Array, v: Array, h: float = 1e-3) -> Array:
    """The rate of f(q) where q moves with v, by central differences of order four."""
    near, far = (f(q + k * h * v) - f(q - k * h * v) for k in (1, 2))
    return (8.0 * near - far) / (12.0 * h)


def jacobian_rate() -> Iterator[Remark]:
    """Compare the corrected product rule with the library, the Hessian and finite differences."""
    robot = random_arm()
    q, v = state(robot)
    ours = lw.jacobian_dot(robot, q, v, "tool")
    given = rate(robot, q, v)
    yield derived("J̇ by the product rule, corrected", given, ours)
    yield derived("its first row", given[0], ours[0])
    yield derived("J̇ by differences of J", by_differences(lambda x: lw.jacobian(robot, x, "tool"), q, v), ours, 6, 1e-8)
    yield derived("J̇ from the kinematic Hessian, (∂J/∂q) q̇", lw.kinematic_hessian(robot, q, "tool") @ v, ours)
    yield derived("J̇ from the rates of axes and points", rate_of_columns(robot, q, v), ours)
    mixed = random_arm(6, "RPRRPR")
    yield derived(
        "the same with slides, [ω × z; 0]", rate_of_columns(mixed, q, v), lw.jacobian_dot(mixed, q, v, "tool")
    )
    Z = lw.derivative(lw.jacobian, "q")(robot, q, "tool")[3:]
    yield said("∂z_i/∂q_j is 0 for i < j", not np.any([Z[:, i, j].any() for j in range(6) for i in range(j)]))
    a = np.random.default_rng(2).normal(size=6)
    J = lw.jacobian(robot, q, "tool")
    yield derived("[p̈; ω̇] = J q̈ + J̇ q̇", J @ a + given @ v, lw.acceleration(robot, q, v, a, "tool"), digits=3)
    wrong = rate(robot, q, v, as_printed=True)
    yield Erratum(
        "∂p_E,i/∂q_j",
        "0 for i > j; the sum from k = i for i ≤ j",
        "the sum from k = max(i, j), for every j",
        f"the first row of J̇ of the arm (its entries are off by up to {np.abs(wrong - ours).max():.1f})",
        wrong[0],
        given[0],
        ours[0],
        digits=3,
    )
    rows = [lw.DHRow(a=a, alpha=0.7, d=d) for a, d in ((0.3, 0.2), (1.3, -2.0))]
    same = [lw.pose(lw.from_dh("row", [row]), [0.4], "link1")[:3, :3] for row in rows]
    yield Erratum(
        "the constant rotation of a row",
        "it is a function of several constants of the row",
        "it depends on α only",
        "whether another a and d make another rotation",
        "yes",
        "no",
        "no" if np.array_equal(same[0], same[1]) else "yes",
    )


def draw_jacobian_rate(path: Path) -> Path:
    """An entry of J along a motion, and its rate: right, as printed, by differences."""
    robot = random_arm()
    q0, v = state(robot)
    t = np.linspace(0.0, 2.0, 81)
    q = q0 + t[:, None] * v
    ours = lw.jacobian_dot(robot, q, np.broadcast_to(v, q.shape), "tool")[:, 0, 3]
    J = lw.jacobian(robot, q, "tool")[:, 0, 3]
    wrong = np.array([rate(robot, x, v, as_printed=True)[0, 3] for x in q])
    made = figure(8.0, 3.6)
    axes = made.subplots()
    axes.plot(t, ours, color=BLUE, linewidth=2, label="linkwright.jacobian_dot")
    between = (0.5 * (t[1:] + t[:-1]))[::4], (np.diff(J) / np.diff(t))[::4]
    axes.plot(*between, "o", ms=6, color=GREEN, mec="white", label="differences of J", zorder=3)
    axes.plot(t, wrong, "--", color=RED, label="the rule as printed")
    curves(axes, "one entry of J̇, row x, joint 4", "time (s)", "entry of J̇ (m/s)")
    axes.legend(fontsize=8)
    return written(path, made)


# S4.3


def products(n: int, reuse: bool) -> int:
    """Return the number of matrix products for the rates of ⁰R_1 … ⁰R_n by the product rule, counted as it runs.

    d/dt(⁰R_k) = d/dt(⁰R_k−1) ᵏ⁻¹R_k + ⁰R_k−1 d/dt(ᵏ⁻¹R_k): two products a step, repeated from the root for each, or
    not.
    """
    rng = np.random.default_rng(0)
    turns, rates = rng.normal(size=(n, 3, 3)), rng.normal(size=(n, 3, 3))
    done = 0
    for last in (n,) if reuse else range(1, n + 1):
        R, R_rate = turns[0], rates[0]
        for k in range(1, last):
            R, R_rate = R @ turns[k], R_rate @ turns[k] + R @ rates[k]
            done += 2
    return done


def cost() -> Iterator[Remark]:
    """Products of matrices as printed, and operations."""
    for n in (6, 7):
        alone = products(n, reuse=False) - products(n - 1, reuse=False)
        yield formula(f"n = {n}: products for p_E,n alone, 2(n − 1)", 2 * (n - 1), alone, digits=0)
        yield formula(f"n = {n}: for all, n(n − 1)", n * (n - 1), products(n, reuse=False), digits=0)
        yield formula(f"n = {n}: reused from the root, 2(n − 1)", 2 * (n - 1), products(n, reuse=True), digits=0)
    for n in (6, 20):
        arm = serial(n)
        path, q, v = path_to_hand(arm), *np.random.default_rng(1).normal(size=(2, n))
        J, J_rate = rate_by_listing(path, q, v)
        yield formula(f"n = {n}: J by the listing", J.astype(float), lw.jacobian(arm, q, "hand"))
        yield formula(f"n = {n}: J̇ by the listing", J_rate.astype(float), lw.jacobian_dot(arm, q, v, "hand"))
        counts = {
            "the listing, run on numbers that count": count_listing(arm).total,
            "the listing, compiled by this library": listing_operations(n),
            "linkwright, compiled": rate_operations(n),
        }
        for what, count in counts.items():
            yield measured(f"n = {n}: multiplications and additions of J and J̇, {what}", "not printed", count, 0)
        slopes = {"by the listing's products": slopes_operations(n), "linkwright": hessian_operations(n)}
        for what, count in slopes.items():
            yield measured(f"n = {n}: all ∂J/∂q, compiled, {what}", "not printed", count, 0)
    added = sum(1 for i in range(6) for _ in range(i + 1))
    yield OpenPoint(
        "the cost",
        "a matter of words",
        "the cost is counted in products of matrices, which is confirmed",
        "the listing also adds n (n + 1)/2 vectors, so that its additions are O(n²). The table counts all operations",
        "vectors that the listing adds for n = 6",
        added,
        digits=0,
    )


def rate_operations(n: int) -> int:
    """Multiplications and additions of J and J̇ together, compiled."""

    def both(model: lw.Model, q: Array, v: Array) -> tuple[Array, Array]:
        return lw.jacobian(model, q, "hand"), lw.jacobian_dot(model, q, v, "hand")

    return lw.compile(both, serial(n), unroll=True).operations.total


def listing_operations(n: int) -> int:
    """Multiplications and additions of the listing, compiled: without products by zeros and ones."""
    path = path_to_hand(serial(n))
    return lw.compile(lambda q, v: rate_by_listing(path, q, v), q=n, v=n).operations.total


def hessian_operations(n: int) -> int:
    """Multiplications and additions of all ∂J/∂q, compiled."""

    def all_rates(model: lw.Model, q: Array) -> Array:
        rates: Array = lw.kinematic_hessian(model, q, "hand")
        return rates

    return lw.compile(all_rates, serial(n), unroll=True).operations.total


def slopes_operations(n: int) -> int:
    """Multiplications and additions of all ∂J/∂q by the listing's products, compiled."""
    path = path_to_hand(serial(n))
    return lw.compile(lambda q: slopes_by_listing(path, q), q=n).operations.total


def draw_cost(path: Path) -> Path:
    """Operations against joints."""
    made = figure(8.0, 3.6)
    left, right = made.subplots(1, 2)
    counts = np.arange(2, 13)
    left.plot(counts, counts * (counts - 1), "o-", color=RED, label="all, n(n − 1)")
    left.plot(counts, 2 * (counts - 1), "o-", color=BLUE, label="reused, 2(n − 1)")
    curves(left, "products of 3 × 3 matrices", "joints", "products")
    few = (3, 6, 9, 12, 20)
    lines: tuple[tuple[Callable[[int], int], str, str], ...] = (
        (rate_operations, "o-", "linkwright: J and J̇"),
        (listing_operations, "s-", "the listing, compiled"),
        (lambda n: count_listing(serial(n)).total, "s--", "the listing, as written"),
    )
    for (count, style, label), color in zip(lines, (BLUE, RED, RED), strict=True):
        right.plot(few, [count(n) for n in few], style, color=color, mfc="white", label=label)
    right.plot(few, [hessian_operations(n) for n in few], "o-", color=GREEN, mfc="white", label="linkwright: all ∂J/∂q")
    right.set_yscale("log")
    curves(right, "multiplications and additions", "joints", "operations")
    for axes in (left, right):
        axes.legend(fontsize=8)
        axes.xaxis.get_major_locator().set_params(integer=True)
    return written(path, made)


EXHIBITS = (
    Exhibit(
        "S4.1",
        "jacobian",
        "The basic Jacobian",
        "equations (1) and (2)",
        "[ṗ; ω] = J q̇ with columns [z_i × p_E,i; z_i]; p_E,i is the sum of ⁰R_j ʲp_j,j+1 from joint i to the hand "
        "E. ω cannot be integrated to an orientation. The note covers revolute joints only; prismatic joints are "
        "added here.",
        jacobian,
        draw_jacobian,
        "All joints swing once and return. So does the hand, but not the integral of its ω.",
        """import numpy as np
import linkwright as lw

arm = lw.load("puma560")
q, v = arm.random(seed=0), np.ones(6)
J = lw.jacobian(arm, q, "tool")                  # [v; ω] of the hand, in the axes of the world
assert np.allclose(J @ v, lw.velocity(arm, q, v, "tool"))""",
        (("velocities", "learn/velocities.md"), ("orientation", "learn/orientation.md")),
    ),
    Exhibit(
        "S4.2",
        "jacobian_rate",
        "Time derivative of the Jacobian",
        "the product rule, and the listing",
        "∂z_i/∂q_j and ∂p_E,i/∂q_j, each as products of constant parts and Rz(q_i). From them J̇, column by column; "
        "and a listing in C++ and Eigen.",
        jacobian_rate,
        draw_jacobian_rate,
        "One entry of J̇ along a motion: by the library, by finite differences, and by the printed rule. The listing "
        "is not drawn: it agrees with the library (S4.3).",
        """import numpy as np
import linkwright as lw

arm = lw.load("puma560")
q, v, a = arm.random(seed=0), np.ones(6), np.zeros(6)
J, J_dot = lw.jacobian(arm, q, "tool"), lw.jacobian_dot(arm, q, v, "tool")
assert np.allclose(J @ a + J_dot @ v, lw.acceleration(arm, q, v, a, "tool"))
assert np.allclose(lw.kinematic_hessian(arm, q, "tool") @ v, J_dot)""",
        (("kinematics", "topics/mechanisms/kinematics.md"),),
    ),
    Exhibit(
        "S4.3",
        "cost",
        "Cost of the time derivative",
        "the count at the end",
        "Products of matrices: 2(n − 1) for p_E,n alone, 2(n − 2) for the next, n(n − 1) for all; only 2(n − 1) if "
        "products nearer to the root are reused; the axes need no additional products.",
        cost,
        draw_cost,
        "Left: the note's count. Right: multiplications and additions, of the listing as written (zeros and ones "
        "included), and of code compiled by this library (without them).",
        """import linkwright as lw

print(lw.compile(lw.jacobian_dot, lw.load("puma560"), frame="tool").operations.total)""",
        (("counts and times of the published algorithms", "internals/benchmarks/published_algorithms.md"),),
    ),
)
