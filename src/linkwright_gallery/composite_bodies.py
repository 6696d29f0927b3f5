"""S0: the inertia matrix by composite rigid bodies, as T. Sugihara describes it of the library RoKi (2023)."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import linkwright as lw
from linkwright.spatial.arrays import Array
from linkwright_gallery.drawing import BLUE, CYCLE, chain, figure, image, matrix, pictures_of, plane, written
from linkwright_gallery.exhibit import (
    Erratum,
    Exhibit,
    OpenPoint,
    PublishedSource,
    Remark,
    Spread,
    derived,
    formula,
    known,
    measured,
    said,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwright.visual.inertia import Story

SOURCE = PublishedSource(
    "S0",
    "Composite rigid bodies",
    "T. Sugihara, a note on the composite rigid body method as RoKi has it (2023), after Walker and Orin (1982)",
    "The note explains the computation of the inertia matrix H of a tree of links, and its relation to the joint "
    "efforts: H q̈ + b = τ + Jᵀ f. It contains formulas and listings in C, three figures, and one statement on time. "
    "It has no numerical example: the numbers here are ours.",
)

POSTURE = np.radians([30.0, 30.0])
"""of the two-link arm"""
H_OF_TWO_LINK = np.array([[2.566025, 0.783013], [0.783013, 0.35]])
"""by hand"""
BENT = np.radians([80.0, 20.0, 50.0, 35.0, -75.0, -30.0])
"""of the tree"""
METHODS: tuple[Literal["composite", "unit_vector", "jacobian"], ...] = ("composite", "unit_vector", "jacobian")


def tree() -> lw.Model:
    """Two links in a row, and two arms of two links each on the second: six hinges in a plane."""
    builder = lw.Builder("tree", gravity=(0.0, -9.81, 0.0))
    parents, lengths = ("world", "link1", "link2", "link3", "link2", "link5"), (0.5, 0.5, 0.4, 0.4, 0.4, 0.4)
    for k, (parent, length) in enumerate(zip(parents, lengths, strict=True), start=1):
        mass = 2.0 * length
        moment = mass * length**2 / 12.0
        builder.body(f"link{k}", mass, [length / 2.0, 0.0, 0.0], [0.0, moment, moment])
        at = {"world": 0.0, "link1": 0.5, "link2": 0.5}.get(parent, 0.4)
        builder.joint(f"joint{k}", "revolute", parent, f"link{k}", xyz=[at, 0.0, 0.0])
        builder.frame(f"tip{k}", f"link{k}", xyz=[length, 0.0, 0.0])
    return builder.build()


# S0.1 The definition


def by_definition(model: lw.Model, q: Array) -> Array:
    """H = Σ (m J_Gᵀ J_G + J_Aᵀ I J_A) with I = R ⁱI Rᵀ, body by body."""
    H = np.zeros((model.nv, model.nv))
    for body in model.bodies:
        T, J = lw.pose(model, q, body.name), lw.jacobian(model, q, body.name)
        R, J_A = T[:3, :3], J[3:]
        J_G = J[:3] + np.cross(J_A.T, R @ body.center_of_mass).T
        H += body.mass * J_G.T @ J_G + J_A.T @ R @ body.inertia @ R.T @ J_A
    return H


def weightless_tip() -> lw.Model:
    """The two-link arm, its second link without mass."""
    builder = lw.Builder("weightless").body("a", 1.0, (0.5, 0.0, 0.0), 0.1).body("b", 0.0)
    return builder.joint("1", "revolute", "world", "a").joint("2", "revolute", "a", "b", xyz=(1.0, 0.0, 0.0)).build()


def inertia_matrix() -> Iterator[Remark]:
    """The definition, and what H is for."""
    arm = lw.load("two_link")
    for method in METHODS:
        name = method.replace("_", " ")
        yield known(f"H of the two-link arm, {name} method", H_OF_TWO_LINK, lw.mass_matrix(arm, POSTURE, method=method))
    for name in ("arm7", "chain3d:4"):
        robot = lw.load(name)
        q = robot.random(seed=1)
        H, given = lw.mass_matrix(robot, q), by_definition(robot, q)
        yield formula(f"Σ (m J_Gᵀ J_G + J_Aᵀ I J_A), {name}: its norm", np.linalg.norm(given), np.linalg.norm(H))
        yield formula(f"the same, {name}: largest difference of an entry", 0.0, np.abs(given - H).max())
    robot, rng = lw.load("arm7"), np.random.default_rng(0)
    q = robot.random(seed=2)
    v, a, f = rng.normal(size=7), rng.normal(size=7), rng.normal(size=6)
    given = lw.mass_matrix(robot, q) @ a + lw.bias_forces(robot, q, v) - lw.jacobian(robot, q, "tool").T @ f
    yield formula("τ = H q̈ + b − Jᵀ f of arm7", given, lw.inverse_dynamics(robot, q, v, a, {"tool": f}), digits=3)
    H = lw.mass_matrix(tree(), BENT)
    yield said("H is symmetric", np.array_equal(H, H.T))
    yield said("H is positive definite", np.linalg.eigvalsh(H).min() > 0.0)
    yield Erratum(
        "on H",
        "H is positive definite",
        "H is positive definite only if every joint moves mass",
        "the smallest eigenvalue of H if the last link has no mass",
        "positive",
        "zero",
        "zero" if abs(np.linalg.eigvalsh(lw.mass_matrix(weightless_tip(), POSTURE))[0]) < 1e-12 else "positive",
    )
    yield Erratum(
        "the vectors q and τ",
        "their entries run from 0 to n",
        "from 1 to n, as the blocks of H do",
        "entries of q of an arm of n = 2 joints",
        3,
        2,
        arm.nq,
        digits=0,
    )


def draw_inertia_matrix(path: Path) -> Path:
    """The tree, and its matrix."""
    made = figure(9.0, 4.2)
    left, right = made.subplots(1, 2, width_ratios=[1.0, 1.2])
    robot = tree()
    _tree(left, robot, ["#8A8F98"] * 6, "a tree of six hinges")
    matrix(right, lw.mass_matrix(robot, BENT), "H (kg m²): joints 3, 4 and 5, 6 do not meet")
    return written(path, made)


def _tree(axes: Axes, robot: lw.Model, colors: list[str], title: str) -> None:
    for k, color in enumerate(colors, start=1):
        ends = np.array([lw.pose(robot, BENT, name)[:3, 3] for name in (f"link{k}", f"tip{k}")])
        chain(axes, ends, color)
        x, y, _ = 0.5 * (ends[0] + ends[1]) + 0.03
        axes.text(x, y, str(k), fontsize=10, zorder=8)
    plane(axes, title)


# S0.2 One joint accelerates

Z_OF: dict[str, tuple[Any, Any]] = {
    "prismatic": ([[0, 0, 1]], [[0, 0, 0]]),
    "revolute": ([[0, 0, 0]], [[0, 0, 1]]),
    "cylindrical": ([[0, 0, 1], [0, 0, 0]], [[0, 0, 0], [0, 0, 1]]),
    "universal": ([[0, 0, 0]] * 2, [[-np.sin(0.7), 0, np.cos(0.7)], [0, 1, 0]]),
    "spherical": ([[0, 0, 0]] * 3, np.eye(3)),
    "free": ([*np.eye(3), *np.zeros((3, 3))], [*np.zeros((3, 3)), *np.eye(3)]),
}
"""Z_L and Z_A of the joints that RoKi has, a row for each velocity; of Hooke's joint at angles (0.3, 0.7)."""


def unit_force(robot: lw.Model, q: Array, body: str) -> tuple[Array, Array]:
    """(f, n) at a hinge that accelerates by 1 while all beyond it is one rigid body; world axes."""
    m, center, I = lw.composite_inertia(robot, q, body)
    R = lw.pose(robot, q, body)[:3, :3]
    p, z = R @ center, R[:, 2]
    f = m * np.cross(z, p)
    return f, R @ I @ R.T @ z + np.cross(p, f)


def unit_acceleration() -> Iterator[Remark]:
    """F of every joint, carried to the root: the entries of H."""
    for kind, (linear, angular) in Z_OF.items():
        model = lw.Builder(kind).body("b", 1.0, inertia=1.0).joint("j", kind, "world", "b").build()
        q = np.array([0.3, 0.7]) if kind == "universal" else model.neutral()
        Z = np.hstack([linear, angular])
        compare = formula if kind in ("prismatic", "revolute") else derived
        yield compare(f"Z = [Z_L; Z_A], {kind}", Z, lw.jacobian(model, q, "b", reference_frame="body").T, digits=3)
    robot = tree()
    H, mine = lw.mass_matrix(robot, BENT), np.zeros((6, 6))
    for i, body in enumerate(robot.bodies):
        f, n = unit_force(robot, BENT, body.name)
        origin = lw.pose(robot, BENT, body.name)[:3, 3]
        for j in robot.path(i):
            at = lw.pose(robot, BENT, robot.bodies[j].name)
            mine[i, j] = mine[j, i] = at[:3, 2] @ (n + np.cross(origin - at[:3, 3], f))
    yield formula("H of the tree, F carried from joint to joint: row 1", mine[0], H[0])
    yield formula("the same: largest difference of any entry", 0.0, np.abs(mine - H).max())
    yield said("joints on different branches have the entry 0", not H[2:4, 4:].any())
    F = lw.locked_inertia(robot, BENT, "link3") @ np.eye(6)[:, 5]
    R = lw.pose(robot, BENT, "link3")[:3, :3]
    given = np.concatenate(unit_force(robot, BENT, "link3"))
    yield derived("(f, n) of joint 3 as one vector, Iᶜ S", given, np.concatenate([R @ F[:3], R @ F[3:]]))


def draw_unit_acceleration(path: Path) -> Path:
    """Pictures out of the stories of the force and of the order."""
    return _story(path, [("force", (0, 1, 2)), ("order", (2, 9, -1))])


def _story(path: Path, chosen: list[tuple[Story, tuple[int, ...]]]) -> Path:
    from linkwright.visual.inertia import animate_inertia

    shown = []
    with tempfile.TemporaryDirectory() as folder:
        for story, places in chosen:
            found = pictures_of(animate_inertia(tree(), BENT, story, Path(folder) / f"{story}.gif"))
            shown += [found[place][0] for place in places]
    height = (len(shown) + 1) // 2  # two beside each other: letters stay large enough to be read
    made = figure(9.6, 4.8 * height * shown[0].shape[0] / shown[0].shape[1])
    panels = made.subplots(height, 2, squeeze=False)
    for axes in panels.flat:
        axes.axis("off")
    for axes, pixels in zip(panels.flat, shown, strict=False):
        image(axes, pixels)
    return written(path, made)


# S0.3 Bodies merge

Composite = tuple[float, Array, Array]


def merged(robot: lw.Model, q: Array, k: int, sign: float = -1.0) -> Composite:
    """mᶜ, p_Gᶜ and Iᶜ of body k with all beyond it, world axes, by the note's recursion from the tips."""
    body = robot.bodies[k]
    T = lw.pose(robot, q, body.name)
    m, p, I = body.mass, T[:3, :3] @ body.center_of_mass + T[:3, 3], T[:3, :3] @ body.inertia @ T[:3, :3].T
    children = [j for j, link in enumerate(robot.links) if link.parent == k]
    beyond = [merged(robot, q, j, sign) for j in children]
    mass = m + sum(one[0] for one in beyond)
    center = (m * p + sum(one[0] * one[1] for one in beyond)) / mass
    inertia = I - m * _square(p - center)
    for m_j, p_j, I_j in beyond:
        inertia = inertia + I_j + sign * m_j * _square(p_j - center)
    return mass, center, inertia


def _square(r: Array) -> Array:
    """[r]×²"""
    cross: Array = lw.rotation.skew(r)
    return cross @ cross


def h11(composite: Composite) -> float:
    """Return the inertia of a composite body about a hinge along z at the origin."""
    m, p, I = composite
    return float(I[2, 2] + m * (p[0] ** 2 + p[1] ** 2))


def composites() -> Iterator[Remark]:
    """Mass, center and inertia of all that hangs on a joint."""
    robot = tree()
    for k in (4, 1, 0):
        body = robot.bodies[k].name
        m, center, I = lw.composite_inertia(robot, BENT, body)
        T = lw.pose(robot, BENT, body)
        given = merged(robot, BENT, k)
        yield formula(f"mᶜ of {body}", given[0], m, digits=3)
        yield formula(f"p_Gᶜ of {body}, in the world", given[1], T[:3, :3] @ center + T[:3, 3])
        yield formula(f"Iᶜ of {body}, about z", given[2][2, 2], (T[:3, :3] @ I @ T[:3, :3].T)[2, 2])
    masses = [lw.composite_inertia(robot, q, "link2")[0] for q in (BENT, np.zeros(6))]
    yield said("mᶜ does not depend on the posture: once is enough", masses[0] == masses[1])
    arm = lw.load("two_link")
    H11 = lw.mass_matrix(arm, POSTURE)[0, 0]
    wrong = h11(merged(arm, POSTURE, 0, sign=1.0))
    yield known("how far H11 of the two-link arm is off with the sign as printed", 0.4665, H11 - wrong, digits=4)
    yield Erratum(
        "Iᶜ, the sign before m_jᶜ […]×²",
        "+ m_jᶜ [p_Gj − p_G]×²",
        "− m_jᶜ [p_Gj − p_G]×², as the note's own listing in C has it",
        "H11 of the two-link arm at (30°, 30°)",
        wrong,
        h11(merged(arm, POSTURE, 0)),
        H11,
    )


def draw_composites(path: Path) -> Path:
    """Pictures out of the story of the bodies that merge."""
    return _story(path, [("composites", (2, 4, 5, 6))])


# S0.4 Three methods

MEASURED_ROBOTS = ("puma560", "arm7", "planar:7", "humanoid")
ROWS = 1024


@cache
def method_kernels(name: str) -> dict[str, lw.Kernel]:
    """H of a robot by the three methods, compiled."""
    return {method: lw.compile(lw.mass_matrix, lw.load(name), method=method) for method in METHODS}


def three_methods() -> Iterator[Remark]:
    """Operations, and the time of a row in a batch."""
    from linkwright_gallery.benchmark.clock import interleaved, machine

    here = machine()
    yield measured("processor", "not printed", f"{here['processor']}, {here['clock']}")
    ratios: dict[str, list[list[float]]] = {"time": [], "operations": []}
    for name in MEASURED_ROBOTS:
        kernels = method_kernels(name)
        q = lw.load(name).random(ROWS, seed=0)
        H = {method: kernel(q) for method, kernel in kernels.items()}
        counts = [kernel.operations.total for kernel in kernels.values()]
        gap = max(float(np.abs(H[method] - H["composite"]).max()) for method in METHODS[1:])
        yield derived(f"{name}: the three differ by", 0.0, gap)
        for kernel in kernels.values():
            kernel.threads = 1
        calls: dict[str, Any] = {method: (partial(kernel, q), ROWS) for method, kernel in kernels.items()}
        times = [found.minimum for found in interleaved(calls, 10, 5e-4, time.process_time).values()]
        for what, values in (("time", times), ("operations", counts)):
            ratios[what].append([value / values[0] for value in values[1:]])
    robots = ", ".join(MEASURED_ROBOTS)
    for k, method in enumerate(METHODS[1:]):
        named = f"{method.replace('_', ' ')} method to composite method, {robots}"
        for what, rows in ratios.items():
            values = [row[k] for row in rows]
            given = "about 2, of RoKi" if what == "time" else "not printed"
            yield measured(f"{named}: {what}", given, Spread(min(values), max(values)), 1)
    operations = [ratio for row in ratios["operations"] for ratio in row]
    yield OpenPoint(
        "on time",
        "left open",
        "the other two methods take about twice the time of composite bodies; it says so of RoKi's functions, without "
        "robots, machine or times",
        "RoKi was not run. The ratios in the table are those of this library, of four robots",
        "operations of the other two methods, relative to those of composite bodies",
        Spread(min(operations), max(operations)),
        digits=1,
    )


def draw_three_methods(path: Path) -> Path:
    """Operations of the three methods as bars."""
    made = figure(8.0, 3.6)
    axes = made.subplots()
    for k, method in enumerate(METHODS):
        counts = [method_kernels(name)[method].operations.total for name in MEASURED_ROBOTS]
        places = np.arange(len(counts)) + 0.27 * (k - 1)
        axes.bar(places, counts, 0.25, color=CYCLE[k], label=method.replace("_", " "))
        for place, count in zip(places, counts, strict=True):
            axes.text(place, count, str(count), ha="center", va="bottom", fontsize=8)
    axes.axhline(0.0, color=BLUE, linewidth=0.5)
    axes.set_yscale("log")
    axes.set_xticks(range(len(MEASURED_ROBOTS)), MEASURED_ROBOTS)
    axes.set_ylabel("multiplications and additions")
    axes.set_title("the inertia matrix by three methods, compiled for each robot", fontsize=10)
    axes.legend(fontsize=9)
    axes.margins(y=0.15)
    return written(path, made)


EXHIBITS = (
    Exhibit(
        "S0.1",
        "inertia_matrix",
        "The inertia matrix by its definition",
        "the beginning",
        "The note defines H of a tree of links, without gravity, velocity and external force: H = Σ ( m J_Gᵀ J_G + "
        "J_Aᵀ I J_A ). It states that H is symmetric and positive definite.",
        inertia_matrix,
        draw_inertia_matrix,
        "A tree of six revolute joints and its matrix. White cells belong to joints on different branches.",
        """import numpy as np
import linkwright as lw

arm = lw.load("two_link")
H = lw.mass_matrix(arm, np.radians([30, 30]), method="jacobian")
print(H)          # [[2.566 0.783] [0.783 0.35 ]]
assert np.allclose(H, lw.mass_matrix(arm, np.radians([30, 30])))""",
        (("composite bodies", "learn/composite_bodies.md"),),
    ),
    Exhibit(
        "S0.2",
        "unit_acceleration",
        "Unit acceleration of one joint",
        "the idea, and the listing of the order",
        "Only joint i accelerates; all its descendants are one rigid body. The required force and moment, "
        "transformed to a joint j nearer to the root, have the component H_ji along the axis of j. One figure shows "
        "the force at i and the same force at j. Another shows that H is filled from the diagonal to the row of the "
        "root, and mirrored. The note prints Z of prismatic and revolute joints; RoKi has functions for six kinds of "
        "moving joints.",
        unit_acceleration,
        draw_unit_acceleration,
        "Above: the force of one unit acceleration, transformed to the root. Below: the order in which H is filled.",
        """from linkwright_gallery.composite_bodies import BENT, tree
from linkwright.visual.inertia import animate_inertia

animate_inertia(tree(), BENT, "force", "force.gif")    # the note's first figure, moving
animate_inertia(tree(), BENT, "order", "order.gif")    # its second""",
        (("composite bodies", "learn/composite_bodies.md"),),
    ),
    Exhibit(
        "S0.3",
        "composites",
        "Merging of composite bodies",
        "the mass properties of composite bodies",
        "From the leaves to the root, each link is merged with its descendants: mass mᶜ, center p_Gᶜ and inertia Iᶜ "
        "about it. The mass is computed only once. A figure belongs to this passage.",
        composites,
        draw_composites,
        "Above: bodies 5 and 6 are one composite body, and so are bodies 3 and 4. Below: body 2 merges with both "
        "branches, then body 1 with all. A larger mark is a heavier body.",
        """import linkwright as lw
from linkwright_gallery.composite_bodies import BENT, tree

m, center, inertia = lw.composite_inertia(tree(), BENT, "link5")    # links 5 and 6 as one
assert abs(m - 1.6) < 1e-12""",
        (("inertia and momentum", "topics/mechanisms/inertia.md"),),
    ),
    Exhibit(
        "S0.4",
        "three_methods",
        "Comparison of three methods",
        "the end, on RoKi",
        "RoKi has three methods: composite bodies, unit vectors (column by column, by inverse dynamics) and "
        "Jacobians (the definition). The note states that the other two take about twice the time, and about the "
        "same time as each other.",
        three_methods,
        draw_three_methods,
        "Operations of the three methods. Composite bodies need the fewest; the ratio depends on the robot.",
        """import linkwright as lw

robot = lw.load("puma560")
for method in ("composite", "unit_vector", "jacobian"):
    print(method, lw.compile(lw.mass_matrix, robot, method=method).operations.total)    # 189, 377, 235""",
        (("inertia and momentum", "topics/mechanisms/inertia.md"),),
    ),
)
