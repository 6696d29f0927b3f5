"""S1: Lagrange's equations as blocks within assembly–disassembly, by Takahashi, Mitsuhashi, Kanamiya and Sato."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright_gallery.articulated_bodies import articulated_bodies, draw_articulated_bodies
from linkwright_gallery.drawing import (
    BLUE,
    GRAY,
    RED,
    chain,
    curves,
    figure,
    image,
    plane,
    written,
)
from linkwright_gallery.exhibit import (
    Erratum,
    Exhibit,
    Finding,
    PublishedSource,
    formula,
    found,
    known,
    measured,
    said,
    stated,
)
from linkwright_gallery.experiments.contenders import CompiledMethod, general_assembly, lagrange, written_blocks
from linkwright_gallery.experiments.motion import Runner
from linkwright_gallery.experiments.pictures import draw_models, draw_trees, experiments_trees, published_trees
from linkwright_gallery.experiments.run import EXPERIMENTS, STEP, Experiment
from linkwright_gallery.experiments.survey import choose, robot_of

SOURCE = PublishedSource(
    "S1",
    "Blocks of Lagrange's equations within assembly",
    "J. Takahashi, K. Mitsuhashi, Y. Kanamiya and D. Sato, “Symbolic-Numeric Hybrid Modeling of MBS with Constraints”, "
    "with the assembly–disassembly algorithm (ADA) of Yamane and Nakamura (2002, 2006)",
    "The paper aims at fast forward dynamics, also for mechanisms with closed loops. Lagrange's equations are fast "
    "for few links; ADA takes time in proportion to the number of links, and is parallel. The paper joins blocks of "
    "several links, with explicit equations, by ADA. Two experiments measure it. Masses, lengths, the axes and "
    "gravity of experiment B, the integrator, the language and the times are not printed: links here are those of "
    "the built-in chains.",
)


# S1.2 Blocks of Lagrange's equations


def blocks() -> Iterator[Finding | Erratum]:
    """(5) to (12): what a block hands over, and how its joints are found afterwards."""
    V = lw.load("chain3d:4")  # A B C D, with the inner joints j k l
    rng = np.random.default_rng(3)
    q, v, tau = V.random(seed=3), rng.normal(size=V.nv), rng.normal(size=V.nv)
    tau[:6] = 0.0
    ends, F = (V.bodies[0].name, "tip"), rng.normal(size=12)
    M, b = lw.mass_matrix(V, q), lw.bias_forces(V, q, v)
    J = np.vstack([lw.jacobian(V, q, name) for name in ends])
    drift = np.concatenate([lw.jacobian_dot_times_v(V, q, v, name) for name in ends])
    response, bias = lw.frame_responses(V, q, v, tau, ends)
    inverse = np.linalg.inv(M)
    yield formula("Φ of the block: J M⁻¹ Jᵀ", J @ inverse @ J.T, response)
    yield formula("B of the block: J M⁻¹ (τ − c − g) + J̇ V", J @ inverse @ (tau - b) + drift, bias, digits=3)
    a = lw.forward_dynamics(V, q, v, tau, {ends[0]: F[:6], ends[1]: F[6:]})
    M_AV, M_V = M[:6, 6:], M[6:, 6:]
    given = np.linalg.solve(M_V, tau[6:] + J[6:, 6:].T @ F[6:] - M_AV.T @ a[:6] - b[6:])
    yield formula("(12): q̈ of the inner joints from V̇ of the base", given, a[6:], digits=3)
    yield said("M_A is 6 × 6, M_AV 6 × n and M_V n × n, n = 3", (M_AV.shape, M_V.shape) == ((6, 3), (3, 3)))
    yield Erratum(
        "(12)",
        "M_iV",
        "M_AV",
        "q̈ of the inner joints of the block",
        None,
        given,
        a[6:],
        digits=3,
    )
    apparent = M[6:, :6] @ a[:6] + M_V @ a[6:] + b[6:] - tau[6:]
    yield Erratum(
        "(9)",
        "J_TV and F_DD",
        "J_mV and F_m, of the outer end of the last body D",
        "J_mVᵀ F_m of the inner joints",
        None,
        J[6:, 6:].T @ F[6:],
        apparent,
        digits=3,
    )
    bars = lw.load("four_bar")
    q = lw.close_loops(bars, bars.neutral())
    still, efforts = np.zeros(bars.nv), np.arange(1.0, bars.nv + 1.0)
    ways = [lw.forward_dynamics(bars, q, still, efforts, method=way) for way in ("composite", "assembly", "hybrid")]
    apart = max(float(np.abs(way - ways[0]).max()) for way in ways[1:])
    yield found(
        "closed linkages, which the paper aims at and does not try: a four-bar agrees with two other methods",
        apart < 1e-9,
    )
    made = published_trees()["hybrid, two blocks of four (Fig 3)"]
    yield stated("Fig 3: links of the blocks", (4, 4), [len(block) for block in made.blocks], digits=0)
    yield stated("Fig 3: the joint between the blocks", (4,), sorted(made.joined), digits=0)
    yield Erratum(
        "step 4 of the disassembly",
        "joints 2 and 6 are taken apart",
        "no step is needed: they are within the blocks",
        "joints of the tree of Fig 3",
        "4, then 2 and 6",
        "4",
        ", ".join(str(joint) for joint in sorted(made.joined)),
    )


# S1.3 and S1.4 The experiments

A, B = EXPERIMENTS["planar"], EXPERIMENTS["floating"]
LINKS_A, LINKS_B = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12), (1, 3, 6, 9, 12)
RUNS = 2


@cache
def contender(mechanism: str, links: int, method: str) -> CompiledMethod:
    """One of the paper's three methods, compiled."""
    chosen = A if mechanism == A.mechanism else B
    model = chosen.model(links)
    if method == "Lagrange":
        return lagrange(model)
    return general_assembly(model) if method == "ADA" else written_blocks(model, chosen.block)


def operations(chosen: Experiment, links: int, method: str) -> int:
    """Multiplications and additions of one evaluation."""
    return contender(chosen.mechanism, links, method).kernel.operations.total


def seconds(chosen: Experiment, links: int, methods: tuple[str, ...], duration: float) -> dict[str, float]:
    """The processor time of the motion by each method, less that of the integrator; the least of some runs."""
    model = chosen.model(links)
    runner, (q, v) = Runner(model, STEP), chosen.start(model)
    nothing = CompiledMethod(lw.compile(lambda q, v, tau: tau, q=model.nq, v=model.nv, tau=model.nv))
    made = {name: contender(chosen.mechanism, links, name) for name in methods} | {"": nothing}
    best = dict.fromkeys(made, np.inf)
    for _ in range(RUNS):
        for name, one in made.items():
            one.kernel.threads = 1
            began = time.process_time()
            runner.run(one, q, v, duration)
            best[name] = min(best[name], time.process_time() - began)
    idle = best.pop("")
    return {name: max(spent - idle, 1e-9) for name, spent in best.items()}


def in_proportion(counts: dict[int, int]) -> bool:
    """Return whether each further link adds the same number of operations, within a tenth."""
    links, many = np.array(list(counts)), np.array(list(counts.values()))
    more = np.diff(many) / np.diff(links)
    return bool(more.max() < 1.1 * more.min())


def growth(counts: dict[int, int]) -> float:
    """By what power of the links the operations grow over the last of them."""
    (n, few), (m, many) = list(counts.items())[-3], list(counts.items())[-1]
    return float(np.log(many / few) / np.log(m / n))


def motions_agree(chosen: Experiment, links: int, methods: tuple[str, ...]) -> float:
    """The largest difference of the methods' accelerations from ours at random states, relative."""
    model = chosen.model(links)
    q, rng = model.random(50, seed=0), np.random.default_rng(1)
    v, tau = rng.normal(size=(2, 50, model.nv))
    ours = lw.forward_dynamics(model, q, v, tau)
    found = [contender(chosen.mechanism, links, name)(q, v, tau) for name in methods]
    return max(float(np.abs(x - ours).max() / np.abs(ours).max()) for x in found)


def planar_chains() -> Iterator[Finding | Erratum]:
    """Experiment A at seven links, in operations and in time."""
    methods = ("Lagrange", "ADA", "hybrid")
    for links in (3, 7):
        gap = motions_agree(A, links, methods)
        yield formula(f"accelerations of {links} links: largest difference of the three methods", 0.0, gap, 6, 1e-9)
    spent = seconds(A, 7, methods, 10.0)
    count = {name: operations(A, 7, name) for name in methods}
    for (one, other), ratio in A.published.items():
        note = "" if other == "Lagrange" or one == "hybrid" else " (follows from the others)"
        what = f"{one} to {other}, 7 links, 10 s at 1 ms"
        yield measured(f"{what}: time{note}", ratio, spent[one] / spent[other])
        yield measured(f"{what}: operations", ratio, count[one] / count[other])
    totals = [spent[name] for name in methods]
    yield measured("s for the whole motion: Lagrange, ADA, hybrid", "not printed", totals, 3)
    by_lagrange, by_ada = ({n: operations(A, n, name) for n in LINKS_A} for name in methods[:2])
    crossing = next(n for n in LINKS_A if by_ada[n] < by_lagrange[n])
    by_ada_later = {n: by_ada[n] for n in LINKS_A if n >= 3}
    yield said("ADA grows in proportion to the links", in_proportion(by_ada_later))
    power = growth(by_lagrange)
    yield measured("the power of the links by which Lagrange's operations grow, 9 to 12 links", 3, power, 1)
    yield said(
        "Lagrange's equations are ahead of ADA through 6 links", all(by_lagrange[n] < by_ada[n] for n in range(1, 7))
    )
    yield measured("links from which ADA takes fewer operations", 7, crossing, 0)
    model = A.model(7)
    upright = np.zeros(7)
    upright[0] = np.pi / 2.0
    still = np.zeros(7)
    moves = {
        name: np.abs(lw.forward_dynamics(model, x, still, still)).max() > 1e-9
        for name, x in (("upright", upright), ("level", np.zeros(7)))
    }
    yield Erratum(
        "the start, q1 = 90°",
        "the reference of the angle is not stated; measured from the horizontal, the chain is upright, and at rest",
        "measured from the hanging position: the chain starts horizontally, our q = 0, and falls",
        "whether the chain starts to move: upright, and horizontal",
        "upright moves",
        "level moves, upright rests",
        "level moves, upright rests" if moves == {"upright": False, "level": True} else str(moves),
    )


def floating_chains() -> Iterator[Finding | Erratum]:
    """Experiment B: models (a) to (e), and twelve links in operations and time."""
    from linkwright.dynamics.assembly.partition import blocks_of

    models = [B.model(n) for n in LINKS_B]
    cut = [blocks_of([link.parent for link in model.links], B.block) for model in models]
    marked = [sum(len(block) > 1 for block in one) for one in cut]
    yield known("blocks of the models (a) to (e), 1 to 12 links", (0, 1, 2, 3, 4), marked, digits=0)
    yield known("degrees of freedom of (a) to (e)", (6, 8, 11, 14, 17), [model.nv for model in models], digits=0)
    methods = ("ADA", "hybrid")
    yield formula("accelerations of 12 links: largest difference", 0.0, motions_agree(B, 12, methods), 6, 1e-9)
    spent, count = seconds(B, 12, methods, 2.0), {name: operations(B, 12, name) for name in methods}
    ratio = B.published["hybrid", "ADA"]
    yield measured("hybrid to ADA, 12 links: time", ratio, spent["hybrid"] / spent["ADA"])
    yield measured("hybrid to ADA, 12 links: operations", ratio, count["hybrid"] / count["ADA"])
    for name in methods:
        counts = {n: operations(B, n, name) for n in (6, 9, 12)}
        yield said(f"{name} grows in proportion to the links", in_proportion(counts))
    model = models[-1]
    q, v = B.start(model)
    motion = lw.simulate(model.with_gravity([0, 0, 0]), q, v, 0.2)
    spin = [
        np.linalg.norm(lw.momentum(model, x, w)[3:])
        for x, w in ((motion.q[0], motion.v[0]), (motion.q[-1], motion.v[-1]))
    ]
    yield formula("angular momentum after 0.2 s, no gravity", spin[0], spin[1], 3, 1e-6)


def draw_floating_chains(path: Path) -> Path:
    """The models with their blocks, and operations against links."""
    from PIL import Image

    made = figure(8.5, 9.8)
    above, below = made.subplots(2, 1, height_ratios=[2.0, 1.0])
    with tempfile.TemporaryDirectory() as folder, Image.open(draw_models(B, Path(folder) / "models.png")) as drawn:
        image(above, np.array(drawn.convert("RGB")))
    for name, color in (("ADA", RED), ("hybrid", BLUE)):
        below.plot(LINKS_B, [operations(B, n, name) for n in LINKS_B], "o-", color=color, label=name)
    curves(below, "B: one evaluation of the accelerations", "links", "multiplications and additions")
    below.set_ylim(bottom=0.0)
    below.legend(fontsize=9)
    return written(path, made)


def draw_planar_chains(path: Path) -> Path:
    """Operations against links, and the motion."""
    made = figure(10.0, 4.2)
    left, right = made.subplots(1, 2, width_ratios=[1.2, 1.0])
    for name, color in (("Lagrange", BLUE), ("ADA", RED)):
        left.plot(LINKS_A, [operations(A, n, name) for n in LINKS_A], "o-", color=color, label=name)
    left.plot(7, operations(A, 7, "hybrid"), "k*", ms=13, label="hybrid, 4 + 3 links")
    left.set_yscale("log")
    curves(left, "A: one evaluation of the accelerations", "links", "multiplications and additions")
    left.axvline(7, color=GRAY, linestyle=":", label="published: ADA ahead from here")
    left.legend(fontsize=8)
    model = A.model(7)
    run = lw.simulate(model, *A.start(model), 1.2)
    for k, moment in enumerate((0.0, 0.3, 0.6, 0.9, 1.2)):
        at = int(np.argmin(np.abs(run.t - moment)))
        points = [lw.pose(model, run.q[at], name)[:3, 3] for name in (*(body.name for body in model.bodies), "tip")]
        chain(right, np.array(points), BLUE, alpha=0.2 + 0.2 * k)
    plane(right, "A: seven links fall, 0 to 1.2 s")
    return written(path, made)


# S1.5 Which blocks

ROBOTS = ("arm4", "puma560", "arm7", "quadruped", "humanoid")


def useful_blocks() -> Iterator[Finding | Erratum]:
    """The question that the paper leaves open, counted on the built-in robots."""
    robots = [robot_of(lw.load(name), name) for name in ROBOTS]
    chosen = choose(robots, 3, 4)
    yield found(
        "few blocks serve most robots: half of all joints with four of at most three joints", chosen[-1].within > 0.5
    )
    by_size = [choose(robots, largest, 4)[-1].within for largest in (1, 2, 3, 4)]
    yield found(
        "larger blocks than of three joints gain little: less than 5 % of the joints", by_size[3] - by_size[2] < 0.05
    )


def draw_useful_blocks(path: Path) -> Path:
    """The share of joints within blocks."""
    robots = [robot_of(lw.load(name), name) for name in ROBOTS]
    made = figure(8.0, 3.4)
    axes = made.subplots()
    chosen = choose(robots, 3, 6)
    axes.bar([one.structure for one in chosen], [100.0 * one.within for one in chosen], color=BLUE)
    for k, one in enumerate(chosen):
        axes.text(k, 100.0 * one.within, f"{100.0 * one.within:.0f} %", ha="center", va="bottom", fontsize=9)
    axes.set_ylim(0.0, 100.0)
    axes.set_ylabel("joints within blocks (%)")
    axes.set_title(
        "taken in one after another; R a hinge, ∥ parallel, ⊥ at right angles to the one before", fontsize=10
    )
    return written(path, made)


EXHIBITS = (
    Exhibit(
        "S1.1",
        "articulated_bodies",
        "Assembly and disassembly",
        "equations (1) to (4), Figs 1 and 2",
        "A body, or an assembly of bodies, responds to the forces F on its handles: V̇ = Φ F + B. Two of them on a "
        "joint form an assembly again. Fig 1 shows both. Fig 2 shows a chain of eight links: joints 1, 3, 5, 7 are "
        "joined in parallel, then 2 and 6, then 4; the disassembly computes the forces in the opposite order.",
        articulated_bodies,
        draw_articulated_bodies,
        "Above, Fig 1: a rigid body with a force F on its handle, and the resulting acceleration of the handle; two "
        "such bodies on a joint, with the internal forces ±f, are one articulated body A, whose tree is at the "
        "right. Accelerations are computed, each next to that of the same force on B alone (pale). Below, the trees "
        "of the paper's Figs 2 and 3. Nodes of one color are parallel; boxes are blocks.",
        """import numpy as np
import linkwright as lw

chain = lw.load("chain3d:4")
q, v, tau = chain.random(seed=1), np.zeros(chain.nv), np.zeros(chain.nv)
response, bias = lw.frame_responses(chain, q, v, tau, ("link1", "tip"))
assert response.shape == (12, 12)      # two handles: six rows each
same = lw.forward_dynamics(chain, q, v, tau, method="assembly", schedule="balanced")
assert np.allclose(same, lw.forward_dynamics(chain, q, v, tau))""",
        (("assembly", "internals/assembly.md"),),
    ),
    Exhibit(
        "S1.2",
        "blocks",
        "Blocks of Lagrange's equations",
        "equations (5) to (12), Figs 3 and 4",
        "Two blocks of four links of a chain of eight have explicit equations; only joint 4 between them is joined. "
        "A block is a floating arm with bodies A, B, C, D and inner joints j, k, l. Forces act on A and on D. Its "
        "mass matrix has parts M_A (6 × 6), M_AV (6 × n) and M_V (n × n).",
        blocks,
        lambda path: draw_trees(experiments_trees(A), path),
        "The trees of experiment A with serial joins: by single links, and by blocks of four and three.",
        """import numpy as np
import linkwright as lw

arm = lw.load("planar:8")
q, v, tau = arm.random(seed=0), np.ones(8), np.zeros(8)
by_blocks = lw.forward_dynamics(arm, q, v, tau, method="hybrid", partition=4)
assert np.allclose(by_blocks, lw.forward_dynamics(arm, q, v, tau))""",
        (("assembly", "internals/assembly.md"),),
    ),
    Exhibit(
        "S1.3",
        "planar_chains",
        "Experiment A: planar chains",
        "experiment A, Fig 5",
        "Chains of 1 to 7 links on the ground fall for 10 s at steps of 1 ms, from q1 = 90°, at rest. Fig 5 shows "
        "the time against the number of links for Lagrange's equations and ADA, and for the hybrid (blocks of 4 and "
        "3) at 7 links: half of Lagrange's time, 0.60 of ADA's. Lagrange is faster through 6 links, ADA from 7 on. "
        "The processor was an Intel at 3.16 GHz.",
        planar_chains,
        draw_planar_chains,
        "Left: operations against the number of links, for the paper's three methods. Right: the motion of seven "
        "links.",
        """from linkwright_gallery.experiments import experiment

result = experiment("planar", links=(3,), duration=0.2, rows=16, rounds=1)
print(result.table[0].operations["Lagrange"], result.table[0].operations["ADA"])
assert max(max(row.acceleration_gap.values()) for row in result.table) < 1e-9""",
        (("both experiments with all figures", "internals/assembly/experiments.md"),),
    ),
    Exhibit(
        "S1.4",
        "floating_chains",
        "Experiment B: floating chains",
        "experiment B, Figs 6 to 8",
        "Chains of 1, 3, 6, 9 and 12 links, (a) to (e), float in space; the first link rotates with 1 rad/s about x, "
        "y and z. Blocks have three links. Fig 6 shows the models, Fig 7 their blocks, Fig 8 the time against the "
        "number of links: both methods are linear, the hybrid takes 0.66 of ADA at 12. That (a) has no block follows "
        "from the count.",
        floating_chains,
        draw_floating_chains,
        "Models (a) to (e) and their blocks, Figs 6 and 7; red joints are joined by assembly. Right: operations "
        "against the number of links; Fig 8 shows the times.",
        """import linkwright as lw

chain = lw.load("chain3d:12")
assert (chain.nv, len(chain.bodies)) == (17, 12)
kernel = lw.compile(lw.forward_dynamics, chain, method="hybrid", partition=3)
print(kernel.operations.total)""",
        (("both experiments with all figures", "internals/assembly/experiments.md"),),
    ),
    Exhibit(
        "S1.5",
        "useful_blocks",
        "Blocks of common robots",
        "the conclusion",
        "The paper leaves open how many degrees of freedom prepared blocks should have, and which structures cover "
        "most robots. Here this is counted for the built-in robots, and by `linkwright experiment --survey` for many "
        "others.",
        useful_blocks,
        draw_useful_blocks,
        "The share of all joints within blocks; each structure is added to those before it.",
        """import linkwright as lw
from linkwright_gallery.experiments.survey import choose, robot_of

robots = [robot_of(lw.load(name), name) for name in ("arm7", "quadruped", "humanoid")]
for one in choose(robots, largest=3, most=4):
    print(one.structure, f"{one.within:.0%}")""",
        (("the survey of 37 robots", "internals/assembly/experiments.md"),),
    ),
)
