"""Experiments A (planar chains on the ground) and B (floating chains in space) of Jun Takahashi et al., run again.

J. Takahashi, K. Mitsuhashi, Y. Kanamiya and D. Sato, "Symbolic-numeric hybrid modeling of MBS with constraints",
compare Lagrange's equations written out, assembly–disassembly (ADA), and ADA of blocks written out. They do not say
masses, lengths, gravity of B, integrator, language or schedule; here links are those of ``planar:N`` and ``chain3d:N``,
motions are integrated by Runge–Kutta of order four, and ADA is serial.

"Lagrange", "ADA" and "hybrid" are theirs: equations of which all numbers are known, a program for any bodies and
placements, and blocks of equations with letters for masses and lengths, joined by assembly, where all numbers are given
with every call. Next to them are the same methods "folded": compiled for
the mechanism as a whole, with recursions in place of what is written out; and those used otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.bounds import whole_number
from linkwright.compiler.kernel import compile
from linkwright.errors import InputError, TooLargeError
from linkwright.model.library.built_in import built_in
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright_gallery.benchmark.clock import Timing, interleaved, machine
from linkwright_gallery.experiments.contenders import CompiledMethod, general_assembly, lagrange, method, written_blocks
from linkwright_gallery.experiments.motion import Runner, TimedMotion
from linkwright_gallery.experiments.report import ExperimentResult, ExperimentRow

COMPARED_MOTION = 2.0
"""s; later small differences grow: the motions are chaotic."""

STEP = 1e-3
"""s"""


@dataclass(frozen=True)
class Experiment:
    """Configuration of an experiment."""

    letter: str
    mechanism: str
    """a built-in one, with the number of links to come"""
    links: tuple[int, ...]
    block: int
    """the most links in a block"""
    published_links: int
    """how many links they ended with, where the ratios are"""
    drawn: tuple[int, ...]
    """of which numbers of links the models are drawn with their blocks"""
    published: Mapping[tuple[str, str], float]
    """ratios of times at the number they ended with"""

    def model(self, n: int) -> Model:
        """The mechanism of n links."""
        return built_in(f"{self.mechanism}:{n}")

    def start(self, model: Model) -> tuple[Array, Array]:
        """Straight along x, at rest; a floating base turns with 1 rad/s about x, y and z."""
        v = np.zeros(model.nv)
        if model.joints[0].motion.floating:
            v[3:6] = 1.0
        return model.neutral(), v


EXPERIMENTS = {
    "planar": Experiment(
        "A",
        "planar",
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12),
        4,
        7,
        (7,),
        {("hybrid", "Lagrange"): 0.50, ("hybrid", "ADA"): 0.60, ("Lagrange", "ADA"): 1.2},
    ),
    "floating": Experiment("B", "chain3d", (1, 3, 4, 5, 6, 9, 12), 3, 12, (1, 3, 6, 9, 12), {("hybrid", "ADA"): 0.66}),
}
"""q1 = 90° of A is measured from hanging: horizontal, our q = 0. Lagrange's 1.2 of ADA follows from the others."""


def contenders(model: Model, block: int) -> dict[str, Callable[[], CompiledMethod]]:
    """The methods by name, yet to be compiled."""
    return {
        "Lagrange": lambda: lagrange(model),
        "ADA": lambda: general_assembly(model),
        "hybrid": lambda: written_blocks(model, block),
        "ADA folded": lambda: method(model, "assembly"),
        "ADA folded, balanced": lambda: method(model, "assembly", schedule="balanced"),
        "hybrid folded": lambda: method(model, "hybrid", partition=block),
        "hybrid chosen": lambda: method(model, "hybrid"),
        "articulated": lambda: method(model, "articulated"),
        "composite": lambda: method(model, "composite"),
    }


REFERENCE = "articulated"


def experiment(
    name: str,
    links: Sequence[int] | None = None,
    duration: float = 10.0,
    rows: int = 512,
    rounds: int = 25,
    methods: Sequence[str] | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> ExperimentResult:
    """Run "planar" (A) or "floating" (B): check that all methods agree, and time them, interleaved.

    Times are processor times, and minima of ``rounds`` rounds.

    ``links``: the numbers of links, those published and more unless given; ``duration`` of the motion, s; ``rows`` of a
    batch; ``methods``: some of :func:`contenders`, all unless given. Raises :class:`InputError` where there is no such
    experiment, or nothing to measure.
    """
    if name not in EXPERIMENTS:
        raise InputError(f"there is no experiment {name!r}; there are {', '.join(map(repr, EXPERIMENTS))}")
    if not (np.isfinite(duration) and duration >= STEP) or rows < 1 or rounds < 1:
        raise InputError(
            f"an experiment takes some time ({STEP:g} s or more), and at least one row and one round; "
            f"got {duration!r} s, {rows!r} rows, {rounds!r} rounds"
        )
    chosen = EXPERIMENTS[name]
    counts = chosen.links if links is None else tuple(links)
    if not counts:
        raise InputError("links are numbers of links, of which there is one at least; got none")
    for count in counts:
        whole_number("the number of links", count, 1)
    table = []
    for n in sorted(set(counts)):
        table.append(_measured(chosen, n, duration, rows, rounds, methods, tell))
    published = [(a, b, ratio) for (a, b), ratio in chosen.published.items()]
    title = f"Experiment {chosen.letter}, {chosen.mechanism}"
    return ExperimentResult(title, duration, STEP, rows, machine(), table, chosen.published_links, published)


def _measured(
    chosen: Experiment,
    n: int,
    duration: float,
    rows: int,
    rounds: int,
    methods: Sequence[str] | None,
    tell: Callable[[str], None],
) -> ExperimentRow:
    model = chosen.model(n)
    made: dict[str, CompiledMethod] = {}
    left_out = {}
    for name, compiled in contenders(model, chosen.block).items():
        if methods is not None and name not in (*methods, REFERENCE):
            continue
        tell(f"{chosen.mechanism}, {n} links: compiling {name}")
        try:
            made[name] = compiled()
        except TooLargeError as error:
            left_out[name] = str(error)
    for one in made.values():
        one.kernel.threads = 1
    tell(f"{chosen.mechanism}, {n} links: running")
    q, v = chosen.start(model)
    runner = Runner(model, STEP)
    nothing = _nothing(model)
    runs: dict[str, TimedMotion] = {}
    for _ in range(rounds):
        for name, one in (*made.items(), (CALL, nothing)):
            found = runner.run(one, q, v, duration)
            least = np.minimum(found.seconds, runs[name].seconds) if name in runs else found.seconds
            runs[name] = found._replace(seconds=least)
    totals = {name: float(run.seconds.sum()) for name, run in runs.items()}
    integrator = totals.pop(CALL)
    reference = runs[REFERENCE]
    tau = np.zeros_like(reference.v)
    random = np.random.default_rng(0)
    states = (reference.q, reference.v, tau), _random_states(model, random)
    compared_states = [np.concatenate(pair) for pair in zip(*states, strict=True)]
    along = {name: one(*compared_states) for name, one in made.items()}
    accelerations = {name: _gap(x, along[REFERENCE]) for name, x in along.items()}
    compared = slice(0, 1 + round(min(duration, COMPARED_MOTION) / STEP))
    motions = {name: _gap(runs[name].q[compared], reference.q[compared]) for name in made}

    tell(f"{chosen.mechanism}, {n} links: measuring")
    chosen_rows = np.linspace(0, len(tau) - 1, rows).astype(int)
    batch = [np.ascontiguousarray(x[chosen_rows]) for x in (reference.q, reference.v, tau)]
    out = np.empty((rows, model.nv))
    row, out_row = [x[rows // 2].copy() for x in batch], np.empty(model.nv)
    batches = _timed({name: (_call(one, batch, out), rows) for name, one in made.items()}, rounds)
    singles = _less_the_call(
        _timed({name: (_call(one, row, out_row), 1) for name, one in (*made.items(), (CALL, nothing))}, rounds)
    )
    return ExperimentRow(
        n,
        {name: one.kernel.operations.total for name, one in made.items()},
        singles,
        batches,
        totals,
        integrator,
        accelerations,
        motions,
        left_out,
    )


def _timed(calls: Mapping[str, tuple[Callable[[], Any], int]], rounds: int) -> dict[str, Timing]:
    """Time calls by the processor time of this process, in many short rounds."""
    return interleaved(calls, 4 * rounds, 5e-4, time.process_time)


def _random_states(model: Model, random: np.random.Generator, rows: int = 200) -> tuple[Array, Array, Array]:
    """Configurations, velocities and efforts that the motion does not come to."""
    q = model.random(rows, seed=random)
    v, tau = random.normal(size=(2, rows, model.nv))
    return q, v, tau


def _call(one: CompiledMethod, arrays: Sequence[Array], out: Array) -> Callable[[], Any]:
    return lambda: one.kernel(*arrays, *one.constants, out=out)


CALL = "the call alone"


def _nothing(model: Model) -> CompiledMethod:
    """Takes what the others take and only hands on the efforts."""
    return CompiledMethod(compile(lambda q, v, tau: tau, q=model.nq, v=model.nv, tau=model.nv))


def _less_the_call(timings: dict[str, Timing]) -> dict[str, Timing]:
    """Without what it takes Python to make the call; of very short evaluations that may leave nothing, or less."""
    call = timings.pop(CALL)
    return {name: Timing(*(t - c for t, c in zip(timing, call, strict=True))) for name, timing in timings.items()}


def _gap(x: Array, reference: Array) -> float:
    """The largest difference of any row, each relative to the row's own size."""
    return float((np.abs(x - reference).max(axis=1) / (1.0 + np.abs(reference).max(axis=1))).max())
