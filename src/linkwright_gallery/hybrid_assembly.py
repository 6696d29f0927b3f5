"""S1: Lagrange's equations as blocks within assembly–disassembly, by Takahashi, Mitsuhashi, Kanamiya and Sato."""

from __future__ import annotations

import tempfile
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
    OpenPoint,
    PublishedSource,
    Remark,
    Spread,
    derived,
    formula,
    found,
    known,
    measured,
    said,
    stated,
)
from linkwright_gallery.experiments.contenders import CompiledMethod, general_assembly, lagrange, written_blocks
from linkwright_gallery.experiments.pictures import draw_models, draw_trees, experiments_trees, published_trees
from linkwright_gallery.experiments.report import KINDS
from linkwright_gallery.experiments.run import EXPERIMENTS, Experiment, experiment
from linkwright_gallery.experiments.survey import choose, cut, saved, surveyed_robots

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


def blocks() -> Iterator[Remark]:
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
    written = lw.forward_dynamics(V, q, v, tau, method="hybrid", partition=4, blocks="lagrange")
    expected = lw.forward_dynamics(V, q, v, tau)
    yield formula("the block written out for its structure, blocks='lagrange': q̈", expected, written, digits=3)
    yield formula("(12): q̈ of the inner joints from V̇ of the base", given, a[6:], digits=3)
    yield said("M_A is 6 × 6, M_AV 6 × n and M_V n × n, n = 3", (M_AV.shape, M_V.shape) == ((6, 3), (3, 3)))
    yield OpenPoint(
        "(12)",
        "perhaps a misprint of our copy",
        "M_iV, a letter that is not explained",
        "M_AV, the coupling of the base and the inner joints",
        "largest difference of q̈ of the inner joints, by (12) with M_AV and by forward dynamics",
        float(np.abs(given - a[6:]).max()),
    )
    apparent = M[6:, :6] @ a[:6] + M_V @ a[6:] + b[6:] - tau[6:]
    yield OpenPoint(
        "(9)",
        "perhaps a misprint of our copy",
        "J_TV and F_DD, letters that are not explained",
        "J_mV and F_m, of the outer end of the last body D",
        "largest difference of J_mVᵀ F_m of the inner joints, and of what the equations of motion leave for it",
        float(np.abs(J[6:, 6:].T @ F[6:] - apparent).max()),
    )
    bars = lw.load("four_bar")
    q = lw.close_loops(bars, bars.neutral())
    still, efforts = np.zeros(bars.nv), np.arange(1.0, bars.nv + 1.0)
    ways = [lw.forward_dynamics(bars, q, still, efforts, method=way) for way in ("composite", "assembly", "hybrid")]
    apart = max(float(np.abs(way - ways[0]).max()) for way in ways[1:])
    yield found(
        "closed linkages, an aim of the paper without an experiment: a four-bar agrees with two other methods",
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
ROUNDS = 8


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


def ratios(name: str, methods: tuple[str, ...], duration: float) -> Iterator[Finding]:
    """Set the published ratios next to ours: single evaluations, batches and the whole motion, and operations."""
    chosen = EXPERIMENTS[name]
    result = experiment(name, (chosen.published_links,), duration, 256, ROUNDS, methods)
    row = result.table[0]
    yield measured("processor", "Intel, 3.16 GHz", f"{result.machine['processor']}, {result.machine['clock']}")
    for (one, other), ratio in chosen.published.items():
        note = " (follows from the two others)" if one == "Lagrange" else ""
        what = f"{one} to {other}, {chosen.published_links} links"
        costs = {kind: (row.cost(kind, one), row.cost(kind, other)) for kind in KINDS}
        found = {kind: a / b for kind, (a, b) in costs.items() if a is not None and b is not None}
        count = found.pop("operations")
        yield measured(f"{what}: time{note}", ratio, Spread(min(found.values()), max(found.values())))
        yield measured(f"{what}: operations", "not printed", count)
    totals = [row.total[name] - row.integrator for name in methods]
    yield measured(
        f"s for {duration:g} s of motion, without the integrator: {', '.join(methods)}", "not printed", totals, 3
    )


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


def planar_chains() -> Iterator[Remark]:
    """Experiment A at seven links, in operations and in time."""
    methods = ("Lagrange", "ADA", "hybrid")
    for links in (3, 7):
        gap = motions_agree(A, links, methods)
        yield derived(f"accelerations of {links} links: largest difference of the three methods", 0.0, gap, 6, 1e-9)
    yield from ratios("planar", methods, 10.0)
    by_lagrange, by_ada = ({n: operations(A, n, name) for n in LINKS_A} for name in methods[:2])
    crossing = next((n for n in LINKS_A if by_ada[n] < by_lagrange[n]), f"above {LINKS_A[-1]}")
    by_ada_later = {n: by_ada[n] for n in LINKS_A if n >= 3}
    yield said("ADA is O(n): each further link adds the same number of operations", in_proportion(by_ada_later))
    power = growth(by_lagrange)
    yield measured("the power of n with which Lagrange's operations grow, 9 to 12 links; O(n³) is printed", 3, power, 1)
    yield measured("links from which ADA is ahead: printed by time, here by operations", 7, crossing, 0)
    model = A.model(7)
    upright = np.zeros(7)
    upright[0] = np.pi / 2.0
    still = np.zeros(7)
    moves = {
        name: np.abs(lw.forward_dynamics(model, x, still, still)).max() > 1e-9
        for name, x in (("upright", upright), ("level", np.zeros(7)))
    }
    yield OpenPoint(
        "the start, q1 = 90°",
        "left open",
        "q1 = 90°, at rest, in free fall; the direction of q1 = 0 is not printed",
        "q1 is measured from the hanging position, so that the chain starts horizontally, our q = 0. Measured from the "
        "horizontal, the chain would stand upright, in equilibrium",
        "postures in which the chain starts to move, of upright and level",
        ", ".join(name for name, starts in moves.items() if starts),
    )


def floating_chains() -> Iterator[Remark]:
    """Experiment B: models (a) to (e), and twelve links in operations and time."""
    from linkwright.dynamics.assembly.partition import blocks_of

    models = [B.model(n) for n in LINKS_B]
    cut = [blocks_of([link.parent for link in model.links], B.block) for model in models]
    marked = [sum(len(block) > 1 for block in one) for one in cut]
    yield known("blocks of the models (a) to (e), 1 to 12 links", (0, 1, 2, 3, 4), marked, digits=0)
    yield known("degrees of freedom of (a) to (e)", (6, 8, 11, 14, 17), [model.nv for model in models], digits=0)
    methods = ("ADA", "hybrid")
    yield derived("accelerations of 12 links: largest difference", 0.0, motions_agree(B, 12, methods), 6, 1e-9)
    yield from ratios("floating", methods, 2.0)
    for name in methods:
        counts = {n: operations(B, n, name) for n in (6, 9, 12)}
        yield said(f"{name} is O(n): three further links add the same number of operations", in_proportion(counts))
    model = models[-1]
    q, v = B.start(model)
    motion = lw.simulate(model.with_gravity([0, 0, 0]), q, v, 0.2)
    spin = [
        np.linalg.norm(lw.momentum(model, x, w)[3:])
        for x, w in ((motion.q[0], motion.v[0]), (motion.q[-1], motion.v[-1]))
    ]
    yield derived("angular momentum after 0.2 s, no gravity", spin[0], spin[1], 3, 1e-6)


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

SIZES = (1, 2, 3, 4, 5, 6, 7)


@cache
def within(largest: int) -> float:
    """Return the mean share of joints within blocks of at most ``largest`` joints, with all structures there are."""
    robots = surveyed_robots()
    every = set[str]().union(*(robot.structures(largest) for robot in robots))
    return float(np.mean([saved(robot, cut(robot, every)) for robot in robots]))


def useful_blocks() -> Iterator[Remark]:
    """The questions that the paper leaves open, counted on the robots of the survey."""
    robots = surveyed_robots()
    yield measured("robots of the survey", "not printed", len(robots), 0)
    for largest in (1, 3, 5, 7):
        what = f"joints within blocks of at most {largest} joint{'s' if largest > 1 else ''}, all structures, %"
        yield measured(what, "not printed", 100.0 * within(largest), 0)
    few = choose(robots, 3, 4)
    yield measured(
        f"the same with four structures, {', '.join(one.structure for one in few)}, %",
        "not printed",
        100.0 * few[-1].within,
        0,
    )
    yield measured(
        "robots with at least half of their joints within these four, %", "not printed", 100.0 * few[-1].half, 0
    )


def draw_useful_blocks(path: Path) -> Path:
    """The share of joints within blocks: by the size of blocks, and by the number of structures."""
    made = figure(10.0, 3.6)
    left, right = made.subplots(1, 2, sharey=True)
    left.plot(SIZES, [100.0 * within(largest) for largest in SIZES], "o-", color=BLUE)
    for largest in SIZES:
        label = f"{100.0 * within(largest):.0f} %"
        left.annotate(
            label, (largest, 100.0 * within(largest)), (0, 7), textcoords="offset points", ha="center", fontsize=9
        )
    curves(left, "blocks of all structures, 37 robots", "joints in a block, at most", "joints within blocks (%)")
    chosen = choose(surveyed_robots(), 3, 6)
    right.bar([one.structure for one in chosen], [100.0 * one.within for one in chosen], color=BLUE)
    for k, one in enumerate(chosen):
        right.text(k, 100.0 * one.within + 1.0, f"{100.0 * one.within:.0f} %", ha="center", va="bottom", fontsize=9)
    right.set_ylim(0.0, 100.0)
    right.set_xlabel("structures, added one after another")
    right.set_title("blocks of at most three joints", fontsize=10)
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
by_blocks = lw.forward_dynamics(arm, q, v, tau, method="hybrid", partition=4, blocks="lagrange")
assert np.allclose(by_blocks, lw.forward_dynamics(arm, q, v, tau))

# one kernel for all robots of the structure
kernel = lw.compile(
    lw.forward_dynamics, arm, method="hybrid", partition=4, blocks="lagrange", parameters=["structure"]
)
loaded = arm.with_payload("link8", 2.0)
a = kernel(q, v, tau, lw.structure_parameters(loaded, 4, structure_of=arm))
assert np.allclose(a, lw.forward_dynamics(loaded, q, v, tau))""",
        (("assembly", "internals/assembly.md"), ("blocks written out", "internals/assembly/written.md")),
    ),
    Exhibit(
        "S1.3",
        "planar_chains",
        "Experiment A: planar chains",
        "experiment A, Fig 5",
        "Chains of 1 to 7 links on the ground fall for 10 s at steps of 1 ms, from q1 = 90°, at rest. Fig 5 shows "
        "the time against the number of links for Lagrange's equations and ADA, and for the hybrid (blocks of 4 and "
        "3) at 7 links: about 50 % of Lagrange's time, 60 % of ADA's. Lagrange is faster through 6 links, ADA at 7. "
        "The processor was an Intel at 3.16 GHz.",
        planar_chains,
        draw_planar_chains,
        "Left: operations against the number of links, for the paper's three methods. Lagrange's equations are nested "
        "polynomials in sums of angles with all numbers known; masses and lengths of the hybrid are arguments. Hence "
        "they stay ahead of the hybrid here. Right: the motion of seven links.",
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
        "number of links: both methods are linear, the hybrid takes about 66 % of ADA at 12.",
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
        "most robots. It gives no numbers. Here both are counted for the 37 mechanisms of the package "
        "example-robot-data; `linkwright experiment --survey` repeats this for other folders.",
        useful_blocks,
        draw_useful_blocks,
        "Left: the share of joints within blocks grows with the size of the blocks, if all structures are prepared. "
        "Right: few structures; each is added to those before it. R is a revolute joint, ∥ and ⊥ its axis relative "
        "to the axis before.",
        """from linkwright_gallery.experiments.survey import choose, surveyed_robots

for one in choose(surveyed_robots(), largest=3, most=4):
    print(one.structure, f"{one.within:.0%}")""",
        (("the survey of 37 robots", "internals/assembly/experiments.md"),),
    ),
)
