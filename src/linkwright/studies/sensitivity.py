"""Which parameters an output depends on: Sobol's indices of variance, estimated by SALib."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import InputError, MissingExtraError
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, kw_only=True)
class Sensitivity:
    """Shares of an output's variance (I. M. Sobol 2001; A. Saltelli et al. 2010)."""

    output: str
    names: tuple[str, ...]
    """of the parameters"""
    first: Array
    """(n,): what each explains alone"""
    total: Array
    """(n,): what would be left if all others were known"""
    first_interval: Array
    """(n,): half of the 95 % interval"""
    total_interval: Array
    """(n,)"""

    def plot(self, path: Any = None) -> Figure:
        """The indices as bars; written where a path is given."""
        from linkwright.files import write_figure
        from linkwright.studies.pictures import plot_sensitivity

        figure = plot_sensitivity(self)
        if path is not None:
            write_figure(path, figure)
        return figure

    def __str__(self) -> str:
        width = max(map(len, self.names))
        lines = [f"{'':{width}}  alone            with others"]
        for k, name in enumerate(self.names):
            lines.append(
                f"{name:{width}}  {self.first[k]:6.3f} ± {self.first_interval[k]:.3f}   "
                f"{self.total[k]:6.3f} ± {self.total_interval[k]:.3f}"
            )
        return "\n".join(lines)


def indices(names: tuple[str, ...], output: str, y: Array) -> Sensitivity:
    """From outputs y (base·(n + 2),) at :class:`~linkwright.studies.samples.Saltelli` points."""
    try:
        from SALib.analyze import sobol  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtraError("sensitivity needs SALib: install the extra, linkwright[study]") from None
    if not np.isfinite(y).all():
        raise InputError(f"{(~np.isfinite(y)).sum()} rows of {output!r} are not numbers: indices need all of them")
    if not np.ptp(y):
        raise InputError(f"{output!r} is the same in all rows: it depends on nothing")
    problem = {"num_vars": len(names), "names": list(names), "bounds": [[0.0, 1.0]] * len(names)}
    found = sobol.analyze(problem, y, calc_second_order=False, seed=0)
    first, total, first_error, total_error = (np.asarray(found[key]) for key in ("S1", "ST", "S1_conf", "ST_conf"))
    return Sensitivity(
        output=output, names=names, first=first, total=total, first_interval=first_error, total_interval=total_error
    )
