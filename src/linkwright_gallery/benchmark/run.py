"""One benchmark run: every function, ours and the peers', in batches and in single calls."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.native.machine import target
from linkwright.compiler.public import public
from linkwright.errors import InputError, ModelError
from linkwright.files import write_figure, write_text
from linkwright.model.tree import Model
from linkwright.visual import palette
from linkwright_gallery.benchmark.clock import Timing, cycles_per_ns, interleaved, machine
from linkwright_gallery.benchmark.peers import PEERS, Peer, States, TimedCall

if TYPE_CHECKING:
    from rich.table import Table

OURS, PUBLIC = "Linkwright", "its public function"

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
    "bias_forces": ("q", "v"),
    "mass_matrix": ("q",),
    "coriolis_matrix": ("q", "v"),
    "pose": ("q",),
    "jacobian": ("q",),
    "jacobian_dot": ("q", "v"),
    "momentum_matrix": ("q",),
    "inverse_dynamics_derivatives": ("q", "v", "a"),
    "forward_dynamics_derivatives": ("q", "v", "tau"),
}
"""Measured functions and their arguments."""

FRAMED = ("pose", "jacobian", "jacobian_dot")


@dataclass(frozen=True)
class BenchmarkRow:
    """One function, measured."""

    function: str
    operations: int
    compile_time: float
    """s, from nothing: trace, code generation, loading"""
    batch: dict[str, Timing]
    """ns per row"""
    single: dict[str, Timing]
    """ns per call"""
    saturation: float
    """multiplications and additions per cycle of the best batch, relative to two vector units that do one each"""
    disagreement: dict[str, float]
    """relative difference of the peers' results from ours"""


@dataclass(frozen=True)
class BenchmarkResult:
    """A whole run."""

    robot: str
    nv: int
    rows: int
    machine: dict[str, str]
    peers: list[str]
    left_out: dict[str, str]
    table: list[BenchmarkRow]

    def save(self, path: Path) -> Path:
        """Write everything as JSON."""
        return write_text(path, json.dumps(asdict(self), indent=1))

    def tables(self) -> list[Table]:
        """Batches and single calls, minima in ns with the median's ratio to each peer."""
        from rich.table import Table

        tables = []
        for kind, unit in (("batch", f"batches of {self.rows} rows, one thread: ns a row"), ("single", "ns a call")):
            table = Table(title=f"{self.robot}: {unit} (minimum; in brackets: how many times ours)", box=None)
            table.add_column("function")
            table.add_column(OURS, justify="right")
            others = [PUBLIC, *self.peers] if kind == "single" else self.peers
            for peer in others:
                table.add_column(peer, justify="right")
            for row in self.table:
                timings: dict[str, Timing] = getattr(row, kind)
                ours = timings[OURS]
                cells = [f"{ours.minimum:,.1f}" if kind == "batch" else f"{ours.minimum:,.0f}"]
                for peer in others:
                    t = timings.get(peer)
                    cells.append(f"{t.minimum:,.0f} ({t.median / ours.median:.1f})" if t else "")
                table.add_row(row.function, *cells)
            tables.append(table)
        return tables

    def plot(self, path: Path) -> Path:
        """Draw how many times faster we are, function by function; what took no time to be measured is left out."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.0, 1.4 + 0.42 * len(self.table)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        height = 0.8 / max(1, len(self.peers))
        for number, peer in enumerate(self.peers):
            places, ratios = [], []
            for place, row in enumerate(self.table):
                if peer in row.batch and min(row.batch[peer].median, row.batch[OURS].median) > 0.0:
                    places.append(place + number * height - 0.4 + height / 2)
                    ratios.append(row.batch[peer].median / row.batch[OURS].median)
            color = palette.COLORS[number % len(palette.COLORS)]
            bars = axes.barh(places, ratios, height=height * 0.9, label=peer, color=color)
            axes.bar_label(bars, fmt="%.1f×", padding=3, fontsize=8)
        palette.dress(axes)
        axes.axvline(1.0, color=palette.INK, linewidth=1)
        axes.set_xscale("log")
        axes.set_xlim(right=1.4 * axes.get_xlim()[1])  # room for the numbers at the bars
        axes.set_yticks(range(len(self.table)), [row.function for row in self.table])
        axes.invert_yaxis()
        axes.set_xlabel(f"time of one row relative to Linkwright (batches of {self.rows}, one thread, medians)")
        axes.set_title(
            f"{self.robot}, {self.nv} degrees of freedom — {self.machine['processor']}", fontsize=10, parse_math=False
        )
        if self.peers:
            axes.legend(fontsize=8)
        return write_figure(path, figure, dpi=120)


def bench(
    model: Model,
    peers: bool = True,
    functions: Sequence[str] | None = None,
    rows: int = 4096,
    rounds: int = 25,
    tell: Callable[[str], None] = lambda text: None,
) -> BenchmarkResult:
    """Measure the functions on random states of a mechanism, interleaved with installed peers.

    All runs use one thread. Peers have the same mechanism and their results are compared with ours first; where a peer
    does not support it, the result states the reason.
    """
    chosen = list(functions or [name for name in FUNCTIONS if hasattr(dynamics, name)])
    unknown = [name for name in chosen if name not in FUNCTIONS]
    if unknown:
        raise InputError(f"cannot measure {unknown[0]!r}; there are {', '.join(FUNCTIONS)}")
    if rows < 16 or rounds < 1:
        raise InputError("bench takes at least 16 rows and one round")
    states = _states(model, rows)
    contenders: dict[str, Peer] = {}
    left_out: dict[str, str] = {}
    for peer in PEERS if peers else ():
        if not peer.installed():
            left_out[peer.name] = "not installed"
            continue
        try:
            contenders[peer.label()] = peer(model, states)
        except ModelError as error:
            left_out[peer.name] = str(error)
    table = []
    peak = 2.0 * target().width * cycles_per_ns()
    for name in chosen:
        tell(name)
        table.append(_measured(model, name, states, contenders, rounds, peak))
    return BenchmarkResult(model.name, model.nv, rows, machine(), list(contenders), left_out, table)


def _states(model: Model, rows: int) -> States:
    rng = np.random.default_rng(0)
    v, a, tau = (rng.normal(size=(rows, model.nv)) for _ in range(3))
    return States(model.random(rows, seed=rng), v, a, tau, tip(model))


def tip(model: Model) -> str:
    """The frame farthest out: of those on the longest path, the last."""
    depth = {name: len(model.path(frame.body)) for name, frame in model.frames.items()}
    return max(reversed(list(depth)), key=lambda name: depth[name])


def _measured(
    model: Model, name: str, states: States, peers: dict[str, Peer], rounds: int, peak: float
) -> BenchmarkRow:
    options: dict[str, Any] = {"frame": states.frame} if name in FRAMED else {}
    book = getattr(dynamics, name)
    with _nothing_kept():
        began = time.perf_counter()
        Kernel(trace(bind(book, model, options)), model)
        compile_time = time.perf_counter() - began
    kernel = compile(book, model, **options)
    kernel.threads = 1
    arrays = [getattr(states, argument) for argument in FUNCTIONS[name]]
    results = kernel(*arrays)
    several = isinstance(results, tuple)
    out = results
    row = [x[0].copy() for x in arrays]
    out_row = tuple(x[0].copy() for x in results) if several else np.array(results[0])
    batch: dict[str, TimedCall] = {}
    single: dict[str, Callable[[int], Any]] = {}
    disagreement = {}
    for label, peer in peers.items():
        program = kernel.program
        contender = peer.batch(name, program) if isinstance(program, Program) else None
        one = peer.single(name)  # after its batch, which compiles
        if contender is not None:
            batch[label] = contender
            theirs = contender.results(4)
            ours = [_flat(tuple(x[k] for x in results) if several else results[k]) for k in range(4)]
            gaps = [np.abs(x - y).max() / (1.0 + np.abs(y).max()) for x, y in zip(theirs, ours, strict=True)]
            disagreement[label] = float(max(gaps))
        if one is not None:
            single[label] = one
    timed = {OURS: (lambda: kernel(*arrays, out=out), len(states.q))}
    timed |= {label: (c.call, c.rows) for label, c in batch.items()}
    batches = interleaved(timed, rounds)
    calls: dict[str, tuple[Callable[[], Any], int]] = {OURS: (lambda: kernel(*row, out=out_row), 1)}
    face = public(book)
    face(model, *row, **options)
    calls[PUBLIC] = (lambda: face(model, *row, **options)), 1
    calls |= {label: (lambda f=f: f(0), 1) for label, f in single.items()}  # type: ignore[misc]
    singles = interleaved(calls, rounds)
    total = kernel.operations.total
    return BenchmarkRow(name, total, compile_time, batches, singles, total / batches[OURS].minimum / peak, disagreement)


@contextmanager
def _nothing_kept() -> Iterator[None]:
    """Without the cache on disk."""
    before = os.environ.get("LINKWRIGHT_CACHE")
    os.environ["LINKWRIGHT_CACHE"] = "off"
    try:
        yield
    finally:
        del os.environ["LINKWRIGHT_CACHE"]
        if before is not None:
            os.environ["LINKWRIGHT_CACHE"] = before


def _flat(result: Any) -> np.ndarray:
    return np.concatenate([np.ravel(x).copy() for x in (result if isinstance(result, tuple) else (result,))])
