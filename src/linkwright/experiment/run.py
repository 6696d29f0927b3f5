"""Experiments A (planar chains on the ground) and B (floating chains in space) of S. Takahashi et al., run again.

"Symbolic-numeric hybrid modeling of MBS with constraints" compares Lagrange's equations written out,
assembly–disassembly (ADA), and ADA of symbolic blocks. It does not say masses, lengths, gravity of B, integrator,
language or schedule; here links are those of ``planar:N`` and ``chain3d:N``, motions are integrated by Runge–Kutta of
order four, and ADA is serial. ADA is here twice: as a program for any bodies and placements, which is what a numerical
program does, and "folded", compiled for the mechanism with the same care as all the others. The hybrid has the
published blocks, and those that the model of costs chooses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.benchmark.clock import Timing, interleaved, machine
from linkwright.compiler.kernel import compile
from linkwright.dynamics import configuration
from linkwright.errors import InputError, TooLargeError
from linkwright.experiment.contenders import Contender, general_assembly, lagrange, method
from linkwright.files import write_figure, write_text
from linkwright.model.library import built_in
from linkwright.model.tree import Model
from linkwright.simulation import simulate
from linkwright.simulation.integrators import METHODS, Tableau, increments, inverse_exponential_rate
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from rich.table import Table

COMPARED_MOTION = 2.0
"""s; later small differences grow: the motions are chaotic."""

STEP = 1e-3
"""s"""


@dataclass(frozen=True)
class Experiment:
    """What is run."""

    letter: str
    mechanism: str
    """a built-in one, with the number of links to come"""
    links: tuple[int, ...]
    block: int
    """the most links in a block"""
    published: Mapping[tuple[str, str], float]
    """ratios of times at the most links"""

    def model(self, n: int) -> Model:
        """The mechanism of n links."""
        return built_in(f"{self.mechanism}:{n}")

    def start(self, model: Model) -> tuple[Array, Array]:
        """Straight along x, at rest; a floating base turns with 1 rad/s about x, y and z."""
        v = np.zeros(model.nv)
        if model.joints[0].type == "free":
            v[3:6] = 1.0
        return model.neutral(), v


EXPERIMENTS = {
    "planar": Experiment(
        "A", "planar", (1, 2, 3, 4, 5, 6, 7), 4, {("hybrid", "Lagrange"): 0.50, ("hybrid", "ADA"): 0.60}
    ),
    "floating": Experiment("B", "chain3d", (1, 3, 6, 9, 12), 3, {("hybrid", "ADA"): 0.66}),
}
"""q1 = 90° of A is measured from hanging: horizontal, our q = 0."""


def contenders(model: Model, block: int) -> dict[str, Callable[[], Contender]]:
    """The methods by name, yet to be compiled."""
    return {
        "Lagrange": lambda: lagrange(model),
        "ADA": lambda: general_assembly(model),
        "ADA folded": lambda: method(model, "assembly"),
        "ADA folded, balanced": lambda: method(model, "assembly", schedule="balanced"),
        "hybrid": lambda: method(model, "hybrid", partition=block),
        "hybrid, chosen": lambda: method(model, "hybrid"),
        "articulated": lambda: method(model, "articulated"),
        "composite": lambda: method(model, "composite"),
    }


REFERENCE = "articulated"


@dataclass(frozen=True)
class Row:
    """One number of links."""

    links: int
    operations: dict[str, int]
    """multiplications and additions"""
    single: dict[str, Timing]
    """ns per evaluation, one at a time, less the time of a call that does nothing"""
    batch: dict[str, Timing]
    """ns per evaluation in batches"""
    acceleration_gap: dict[str, float]
    """the largest relative difference from the articulated method's accelerations along the whole motion"""
    motion_gap: dict[str, float]
    """of the coordinates, over the first seconds, each method integrating for itself"""
    left_out: dict[str, str]


@dataclass(frozen=True)
class Result:
    """A whole experiment."""

    name: str
    duration: float
    step: float
    rows_in_batch: int
    machine: dict[str, str]
    table: list[Row]
    published: list[tuple[str, str, float]]

    def save(self, path: Path) -> Path:
        """Write everything as JSON."""
        return write_text(path, json.dumps(asdict(self), indent=1))

    def tables(self) -> list[Table]:
        """Times of single evaluations and in batches (minima), operations, differences."""
        from rich.table import Table

        names = [name for name in _names(self) if any(name in row.operations for row in self.table)]
        shown: list[tuple[str, Callable[[Row, str], str]]] = [
            (
                "ns an evaluation, one at a time, without Python's call",
                lambda row, name: f"{row.single[name].minimum:,.0f}",
            ),
            (
                f"ns an evaluation, batches of {self.rows_in_batch}, one thread",
                lambda row, name: f"{row.batch[name].minimum:,.1f}",
            ),
            ("multiplications and additions", lambda row, name: f"{row.operations[name]:,}"),
            (
                f"largest difference of accelerations along {self.duration:g} s",
                lambda row, name: f"{row.acceleration_gap[name]:.0e}",
            ),
            (
                f"largest difference of motions over {min(self.duration, COMPARED_MOTION):g} s",
                lambda row, name: f"{row.motion_gap[name]:.0e}",
            ),
        ]
        tables = []
        for title, cell in shown:
            table = Table("links", title=f"{self.name}: {title}", box=None)
            for name in names:
                table.add_column(name, justify="right")
            for row in self.table:
                table.add_row(str(row.links), *(cell(row, name) if name in row.operations else "" for name in names))
            tables.append(table)
        return tables

    def ratios(self) -> Table:
        """The ratios at the most links, beside the published ones."""
        from rich.table import Table

        last = self.table[-1]
        table = Table("ratio", "published", "single", "batch", "operations", box=None, title=f"{last.links} links")
        for column in table.columns[1:]:
            column.justify = "right"
        pairs = {(a, b): number for a, b, number in self.published}
        pairs |= {(a, f"{b} folded"): number for (a, b), number in list(pairs.items()) if b == "ADA"}
        pairs |= {("hybrid", rival): 0.0 for rival in ("ADA folded, balanced", "articulated", "composite")}
        pairs |= {("hybrid, chosen", rival): 0.0 for rival in ("ADA folded", "articulated", "composite")}
        for (a, b), number in pairs.items():
            if a in last.operations and b in last.operations:
                single = last.single[a].minimum / last.single[b].minimum
                batch = last.batch[a].minimum / last.batch[b].minimum
                operations = last.operations[a] / last.operations[b]
                told = f"{number:.2f}" if number else ""
                table.add_row(f"{a} / {b}", told, f"{single:.2f}", f"{batch:.2f}", f"{operations:.2f}")
        return table

    def wins(self) -> str:
        """From which number of links ADA and hybrid need less time than articulated and composite, in batches."""
        lines = []
        for name in ("ADA folded", "hybrid", "hybrid, chosen"):
            for rival in ("articulated", "composite", "Lagrange"):
                ahead = [
                    row.links
                    for row in self.table
                    if {name, rival} <= set(row.batch) and row.batch[name].minimum < row.batch[rival].minimum
                ]
                lines.append(
                    f"{name} faster than {rival}: " + (f"at {_listed(ahead)} links" if ahead else "nowhere here")
                )
        return "\n".join(lines)

    def plot(self, path: Path) -> Path:
        """Draw time against links."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        from linkwright.visual.plots import COLOURS

        figure = Figure(figsize=(10.0, 4.4), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(1, 2)
        for axes, kind, title in zip(
            panels, ("single", "batch"), ("one at a time", f"batches of {self.rows_in_batch}, one thread"), strict=True
        ):
            for colour, name in zip(COLOURS, _names(self), strict=False):
                found = [(row.links, getattr(row, kind)[name].minimum) for row in self.table if name in row.operations]
                if found:
                    axes.plot(*zip(*found, strict=True), marker="o", markersize=4, color=colour, label=name)
            axes.set_yscale("log")
            axes.set_xlabel("links")
            axes.set_ylabel("ns an evaluation")
            axes.set_title(title, fontsize=10)
            axes.grid(alpha=0.3)
        panels[0].legend(fontsize=8)
        figure.suptitle(f"{self.name} — {self.machine['processor']}", fontsize=10)
        return write_figure(path, figure, dpi=120)


def _names(result: Result) -> list[str]:
    return list(dict.fromkeys(name for row in result.table for name in (*row.operations, *row.left_out)))


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def experiment(
    name: str,
    links: Sequence[int] | None = None,
    duration: float = 10.0,
    rows: int = 512,
    rounds: int = 25,
    tell: Callable[[str], None] = lambda text: None,
) -> Result:
    """Run "planar" (A) or "floating" (B): check that all methods agree along the motion, and time them, interleaved.

    ``links``: the numbers of links, those published unless given; ``duration`` of the motion, s; ``rows`` of a batch.
    """
    if name not in EXPERIMENTS:
        raise InputError(f"there is no experiment {name!r}; there are {', '.join(map(repr, EXPERIMENTS))}")
    if not duration > 0.0 or rows < 1 or rounds < 1:
        raise InputError("an experiment takes some time, and at least one row and one round")
    chosen = EXPERIMENTS[name]
    table = []
    for n in chosen.links if links is None else links:
        tell(f"{n} links")
        table.append(_measured(chosen, n, duration, rows, rounds))
    published = [(a, b, ratio) for (a, b), ratio in chosen.published.items()]
    title = f"Experiment {chosen.letter}, {chosen.mechanism}"
    return Result(title, duration, STEP, rows, machine(), table, published)


def _measured(chosen: Experiment, n: int, duration: float, rows: int, rounds: int) -> Row:
    model = chosen.model(n)
    made: dict[str, Contender] = {}
    left_out = {}
    for name, compiled in contenders(model, chosen.block).items():
        try:
            made[name] = compiled()
        except TooLargeError as error:
            left_out[name] = str(error)
    q, v = chosen.start(model)
    run = simulate(model, q, v, duration, STEP)
    tau = np.zeros_like(run.v)
    along = {name: one(run.q, run.v, tau) for name, one in made.items()}
    accelerations = {name: _gap(x, along[REFERENCE]) for name, x in along.items()}
    moved = {name: _motion(model, one, q, v, min(duration, COMPARED_MOTION)) for name, one in made.items()}
    motions = {name: _gap(x, moved[REFERENCE]) for name, x in moved.items()}
    chosen_rows = np.linspace(0, len(run.t) - 1, rows).astype(int)
    batch = [np.ascontiguousarray(x[chosen_rows]) for x in (run.q, run.v, tau)]
    out = np.empty((rows, model.nv))
    row, out_row = [x[rows // 2].copy() for x in batch], np.empty(model.nv)
    for one in made.values():
        one.kernel.threads = 1
    batches = interleaved({name: (_call(one, batch, out), rows) for name, one in made.items()}, rounds)
    singles = _less_the_call(
        interleaved(
            {name: (_call(one, row, out_row), 1) for name, one in (*made.items(), (CALL, _nothing(model)))}, rounds
        )
    )
    operations = {name: one.kernel.operations.total for name, one in made.items()}
    return Row(n, operations, singles, batches, accelerations, motions, left_out)


def _call(one: Contender, arrays: Sequence[Array], out: Array) -> Callable[[], Any]:
    return lambda: one.kernel(*arrays, *one.constants, out=out)


CALL = "the call alone"


def _nothing(model: Model) -> Contender:
    """Takes what the others take and only hands on the efforts."""
    return Contender(compile(lambda q, v, tau: tau, q=model.nq, v=model.nv, tau=model.nv))


def _less_the_call(timings: dict[str, Timing]) -> dict[str, Timing]:
    """Without what it takes Python to make the call."""
    call = timings.pop(CALL)
    return {name: Timing(*(t - c for t, c in zip(timing, call, strict=True))) for name, timing in timings.items()}


def _gap(x: Array, reference: Array) -> float:
    """The largest difference of any row, each relative to the row's own size."""
    return float((np.abs(x - reference).max(axis=1) / (1.0 + np.abs(reference).max(axis=1))).max())


def _motion(model: Model, one: Contender, q: Array, v: Array, duration: float) -> Array:
    """The configurations (steps + 1, nq) of a motion without efforts, by Runge–Kutta of order four."""
    tableau = METHODS["rk4"]
    assert isinstance(tableau, Tableau)
    moved = compile(configuration.integrate, model)
    rate = compile(inverse_exponential_rate, model, u=model.nv)
    tau = np.zeros(model.nv)
    found = [q]
    for _ in range(round(duration / STEP)):
        rates = [(v, one(q, v, tau))]
        for weights in tableau.stages[1:]:
            u, w = increments(weights, STEP, rates)
            rates.append((rate(u, v + w), one(moved(q, u), v + w, tau)))
        u, w = increments(tableau.weights, STEP, rates)
        q, v = moved(q, u), v + w
        found.append(q)
    return np.array(found)
