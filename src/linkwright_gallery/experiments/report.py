"""Results of an experiment: tables, ratios next to the published ones, crossings, a figure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from linkwright.files import write_figure, write_text
from linkwright.visual import palette
from linkwright_gallery.benchmark.clock import Timing

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class ExperimentRow:
    """One number of links."""

    links: int
    operations: dict[str, int]
    """multiplications and additions"""
    single: dict[str, Timing]
    """ns per single evaluation, minus the time of an empty call"""
    batch: dict[str, Timing]
    """ns per evaluation in batches"""
    total: dict[str, float]
    """s, the whole motion: four evaluations a step, and the integrator"""
    integrator: float
    """s, of which the integrator and Python take, whatever the method"""
    acceleration_gap: dict[str, float]
    """the largest relative difference from the articulated method's accelerations, along the motion and at random"""
    motion_gap: dict[str, float]
    """of the coordinates, over the first seconds, each method integrating for itself"""
    left_out: dict[str, str]

    def cost(self, kind: str, name: str) -> float | None:
        """Return the cost of a method by one of :data:`KINDS`; None if it was omitted or no time was measured."""
        found = getattr(self, kind).get(name)
        cost = found.minimum if isinstance(found, Timing) else found
        if kind == "total" and cost is not None:
            cost -= self.integrator
        return float(cost) if cost is not None and cost > 0.0 else None


KINDS = {
    "single": "single",
    "batch": "batch",
    "total": "whole motion, less the integrator",
    "operations": "operations",
}
"""By what methods are compared, and the heads of columns."""


@dataclass(frozen=True)
class ExperimentResult:
    """A whole experiment."""

    name: str
    duration: float
    step: float
    rows_in_batch: int
    machine: dict[str, str]
    table: list[ExperimentRow]
    published_links: int
    """how many links the published ratios are for"""
    published: list[tuple[str, str, float]]

    def save(self, path: Path) -> Path:
        """Write everything as JSON."""
        return write_text(path, json.dumps(asdict(self), indent=1))

    @property
    def names(self) -> list[str]:
        """The methods, those left out everywhere too."""
        return list(dict.fromkeys(name for row in self.table for name in (*row.operations, *row.left_out)))

    def tables(self) -> list[Table]:
        """Times of single evaluations, in batches, of the whole motion (minima), operations, differences."""
        from rich.table import Table

        def number(kind: str, form: str) -> Callable[[ExperimentRow, str], str]:
            def cell(row: ExperimentRow, name: str) -> str:
                cost = row.cost(kind, name)
                return "–" if cost is None else format(cost, form)

            return cell

        motion = f"{self.duration:g} s at {1e3 * self.step:g} ms, {4 * round(self.duration / self.step):,} evaluations"

        shown: list[tuple[str, Callable[[ExperimentRow, str], str]]] = [
            ("ns per single evaluation, without the call from Python", number("single", ",.0f")),
            (f"ns an evaluation, batches of {self.rows_in_batch}, one thread", number("batch", ",.1f")),
            (f"s for the whole motion, {motion}, with the integrator", lambda row, name: f"{row.total[name]:.3f}"),
            ("multiplications and additions", number("operations", ",.0f")),
            (
                f"largest difference of accelerations, along {self.duration:g} s and at random",
                lambda row, name: f"{row.acceleration_gap[name]:.0e}",
            ),
            ("largest difference of motions over the first seconds", lambda row, name: f"{row.motion_gap[name]:.0e}"),
        ]
        names = [name for name in self.names if any(name in row.operations for row in self.table)]
        tables = []
        for title, cell in shown:
            table = Table("links", title=f"{self.name}: {title}", box=None)
            for name in names:
                table.add_column(name, justify="right")
            whole = "whole motion" in title
            if whole:
                table.add_column("integrator alone", justify="right")
            for row in self.table:
                cells = [cell(row, name) if name in row.operations else "" for name in names]
                table.add_row(str(row.links), *cells, *[f"{row.integrator:.3f}"] * whole)
            tables.append(table)
        return tables

    @property
    def compared(self) -> ExperimentRow:
        """The row the ratios are of: as many links as published, else the most."""
        return next((row for row in self.table if row.links == self.published_links), self.table[-1])

    def ratio_rows(self) -> list[tuple[str, ...]]:
        """Return the ratios at the published number of links: name, published, and ours by each of :data:`KINDS`."""
        row = self.compared
        pairs = {(a, b): f"{number:.2f}" for a, b, number in self.published}
        for a, b in (
            ("hybrid folded", "ADA folded"),
            ("hybrid chosen", "ADA folded"),
            ("hybrid chosen", "hybrid"),
            ("hybrid chosen", "articulated"),
            ("hybrid chosen", "composite"),
        ):
            pairs.setdefault((a, b), "")
        return [
            (f"{a} to {b}", published, *(self._ratio(row, kind, a, b) for kind in KINDS))
            for (a, b), published in pairs.items()
            if a in row.operations and b in row.operations
        ]

    def ratios(self) -> Table:
        """Return the ratios at the published number of links, next to the published ones."""
        from rich.table import Table

        table = Table(*self._ratio_heads(), box=None, title=f"{self.compared.links} links")
        for column in table.columns[1:]:
            column.justify = "right"
        for cells in self.ratio_rows():
            table.add_row(*cells)
        return table

    @staticmethod
    def _ratio_heads() -> tuple[str, ...]:
        return ("ratio", "published", *KINDS.values())

    def markdown(self) -> str:
        """Return the ratios, and the times of the whole motion without the integrator, as tables of Markdown."""
        names = [name for name in self.names if any(name in row.operations for row in self.table)]
        times = [
            (str(row.links), *("" if (cost := row.cost("total", name)) is None else f"{cost:.4f}" for name in names))
            for row in self.table
        ]
        tables = [
            (f"{self.name}, {self.compared.links} links", self._ratio_heads(), self.ratio_rows()),
            (f"{self.name}, s for {self.duration:g} s of motion, without the integrator", ("links", *names), times),
        ]
        lines = [f"{what}: {value}" for what, value in self.machine.items()]
        for title, heads, rows in tables:
            lines += [
                "",
                f"{title}:",
                "",
                *(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows)),
            ]
        return "\n".join(lines) + "\n"

    @staticmethod
    def _ratio(row: ExperimentRow, kind: str, a: str, b: str) -> str:
        first, second = row.cost(kind, a), row.cost(kind, b)
        return "–" if first is None or second is None else f"{first / second:.2f}"

    def crossing(self, slower: str, faster: str, kind: str) -> tuple[int | None, int] | None:
        """Between which numbers of links one method falls behind another for good: the last ahead, the first behind.

        The first entry is None where it is behind from the start; the result is None where it never is for good.
        """
        costs = [(row.links, row.cost(kind, slower), row.cost(kind, faster)) for row in self.table]
        behind = [(n, a > b) for n, a, b in costs if a is not None and b is not None]
        if not behind or not behind[-1][1]:
            return None
        ahead = [n for n, is_behind in behind if not is_behind]
        last = ahead[-1] if ahead else None
        return last, next(n for n, _ in behind if last is None or n > last)

    def crossings(self) -> str:
        """From which number of links on assembly needs less time than Lagrange's equations, and so on."""
        lines = []
        for slower, faster in (
            ("Lagrange", "ADA"),
            ("Lagrange", "hybrid"),
            ("Lagrange", "ADA folded"),
            ("Lagrange", "articulated"),
            ("ADA", "hybrid"),
            ("ADA folded", "hybrid folded"),
            ("composite", "hybrid chosen"),
        ):
            if any(not {slower, faster} & set(row.left_out) for row in self.table):
                found = [f"{head}: {self._crossed(slower, faster, kind)}" for kind, head in KINDS.items()]
                lines.append(f"{faster} faster than {slower} — {'; '.join(found)}")
        return "\n".join(lines)

    def _crossed(self, slower: str, faster: str, kind: str) -> str:
        both = [row.links for row in self.table if None not in (row.cost(kind, slower), row.cost(kind, faster))]
        if not both:
            return "not measured"
        crossing = self.crossing(slower, faster, kind)
        if crossing is None:
            return f"not up to {both[-1]} links"
        last, first = crossing
        return f"from {first} links on" + (f" (at {last} not)" if last is not None and first - last > 1 else "")

    def plot(self, path: Path) -> Path:
        """Draw time against links; what took no time that could be measured is left out.

        Single evaluations and batches have logarithmic axes. The whole motion has linear ones, without the integrator:
        a method of O(n) is a straight line. They end at twice the time of the slowest of these.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(13.5, 4.8), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(1, 3)
        heads = {
            "single": ("one at a time", "ns per evaluation"),
            "batch": (f"batches of {self.rows_in_batch}, one thread", "ns per evaluation"),
            "total": (f"the whole motion of {self.duration:g} s, without the integrator", "s"),
        }
        for axes, (kind, (title, unit)) in zip(panels, heads.items(), strict=True):
            for name in self.names:
                costs = [row.cost(kind, name) for row in self.table]
                found = [(row.links, cost) for row, cost in zip(self.table, costs, strict=True) if cost is not None]
                if found:
                    axes.plot(*zip(*found, strict=True), label=name, **_style(name, self.names))
            if kind != "total":
                axes.set_yscale("log")
            else:
                linear = [row.cost(kind, name) or 0.0 for row in self.table for name in self.names if name != CUBIC]
                axes.set_ylim(0.0, 2.0 * max(linear, default=1.0) or None)
            axes.set_xticks(_ticks([row.links for row in self.table]))
            axes.set_xlabel("links")
            axes.set_ylabel(unit)
            axes.set_title(title, fontsize=10)
            axes.grid(alpha=0.3)
            if any(row.links > self.published_links for row in self.table):
                axes.axvline(self.published_links, color=palette.SPINE, linewidth=0.8, linestyle=(0, (4, 4)), zorder=0)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=8, frameon=False)
        figure.suptitle(f"{self.name} — {self.machine['processor']}", fontsize=10)
        return write_figure(path, figure, dpi=110)


CUBIC = "Lagrange"
"""The method whose time grows faster than in proportion to the links."""
PAPERS_OWN = dict(zip(("Lagrange", "ADA", "hybrid"), palette.COLORS[:3], strict=True))
OTHERS = tuple(palette.COLORS[k] for k in (1, 4, 2, 7, 6, 3))


def _style(name: str, names: Sequence[str]) -> dict[str, object]:
    """Return the line style: thick for the paper's methods, thin and dashed for the others."""
    if name in PAPERS_OWN:
        return {"color": PAPERS_OWN[name], "linewidth": 2.2, "marker": "o", "markersize": 5, "zorder": 3}
    others = [other for other in names if other not in PAPERS_OWN]
    color = OTHERS[others.index(name) % len(OTHERS)]
    return {"color": color, "linewidth": 1.1, "marker": ".", "markersize": 5, "linestyle": (0, (3, 1.5))}


def _ticks(links: list[int]) -> list[int]:
    return links if len(links) <= 12 else links[:: -(-len(links) // 12)]
