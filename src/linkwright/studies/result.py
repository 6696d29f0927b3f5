"""A study as it is on disk: its arrays, what failed, how far it is, and pictures of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, MissingExtraError, UnknownNameError, counted, explained
from linkwright.files import write_figure
from linkwright.spatial.arrays import Array
from linkwright.studies import pictures
from linkwright.studies.columns import ROW
from linkwright.studies.sensitivity import Sensitivity, indices
from linkwright.studies.store import DONE, FAILED, STATUS, Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Study:
    """Results of a study in a folder, read on demand.

    ``study["error"]`` is the output or parameter of that name (rows, …), in memory; ``study.read("error", 0, 1000)``
    are some rows.

    Parameters
    ----------
    path : str or Path
        Folder of the study.
    """

    @explained
    def __init__(self, path: str | Path):
        """Raises :class:`InputError` where there is no study."""
        if not isinstance(path, (str, Path)):
            raise ArgumentError(f"a study is opened by the path of its folder; got {path!r}")
        self._store = Store(Path(path))
        if self._store.is_new:
            raise InputError(f"there is no study at {str(path)!r}")
        _ = self._store.kept  # which says what is wrong

    @property
    def path(self) -> Path:
        """The folder."""
        return self._store.path

    @property
    def title(self) -> str:
        """Title of the study."""
        return self._store.kept.title

    @property
    def rows(self) -> int:
        """Number of sets of parameters."""
        return self._store.kept.rows

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of what the function gave."""
        return tuple(self._store.kept.outputs)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(self._store.kept.names)

    @property
    def status(self) -> Array:
        """(rows,): 0 not computed yet, 1 computed, 2 failed."""
        return self.read(STATUS)

    @cached_property
    def _counts(self) -> tuple[int, int]:
        counts = [(len(x), np.count_nonzero(x == FAILED)) for _, x in self._store.statuses()]
        return sum(n for n, _ in counts), sum(int(n) for _, n in counts)

    @property
    def done(self) -> int:
        """Number of computed rows, including failed ones, when it was first read."""
        return self._counts[0]

    @property
    def failed(self) -> int:
        """Number of failed rows."""
        return self._counts[1]

    @property
    def complete(self) -> bool:
        """Whether no row is missing."""
        return self.done == self.rows

    @property
    def errors(self) -> dict[int, str]:
        """Errors of failed rows, by row."""
        return self._store.errors()

    def unit(self, name: str) -> str:
        """Return the unit of an output or a parameter.

        Parameters
        ----------
        name : str
            Name of the output or parameter.

        Returns
        -------
        str
            Unit; "" if none was given.
        """
        return str(self._array(name).attrs.asdict().get("units", ""))

    def read(self, name: str, first: int = 0, last: int | None = None) -> Array:
        """Read rows of an output or a parameter.

        Parameters
        ----------
        name : str
            Name of the output or parameter.
        first, last : int, optional
            First row, and the row after the last. By default all rows.

        Returns
        -------
        ndarray, shape (n, ...)
            Values; NaN (zero for whole numbers) for rows that failed or are not computed.
        """
        array = self._array(name)
        try:
            return np.asarray(array[first:last])
        except (ValueError, RuntimeError, OSError) as error:
            files = self._store.damaged(name, *slice(first, last).indices(self.rows)[:2])
            text = ", ".join(str(file) for file in files[:5]) + (
                f" and {len(files) - 5} more" if len(files) > 5 else ""
            )
            raise InputError(
                f"{name!r} of {str(self.path)!r} is damaged on the disk ({error}). Delete {text or 'the study'}, and "
                "run it again, which computes what is missing"
            ) from error

    def __getitem__(self, name: str) -> Array:
        return self.read(name)

    def chunks(self, *names: str) -> Iterator[tuple[Array, ...]]:
        """Iterate over the complete chunks.

        Parameters
        ----------
        *names : str
            Names of outputs and parameters.

        Yields
        ------
        tuple of ndarray
            Computed rows of a chunk, one array for each name.
        """
        for k, status in self._store.statuses():
            first, last = self._store.bounds(k)
            good = status == DONE
            yield tuple(self.read(name, first, last)[good] for name in names)

    def _array(self, name: str) -> Any:
        names = [key for key, _ in self._store.group.arrays()]
        if name not in names:
            raise UnknownNameError("array of the study", name, names)
        return self._store.group[name]

    def to_xarray(self) -> Any:
        """Return the study as an ``xarray.Dataset``, read lazily.

        Parameters are coordinates; those of a grid are dimensions. Needs xarray (``pip install "linkwright[study]"``).

        Returns
        -------
        xarray.Dataset
            The data set.
        """
        try:
            import xarray
        except ImportError:
            raise MissingExtraError("to_xarray needs xarray: install the extra, linkwright[study]") from None
        try:
            found = xarray.open_zarr(str(self.path), consolidated=True, zarr_format=3)
        except ImportError:  # without dask everything is read at once
            found = xarray.open_zarr(str(self.path), consolidated=True, zarr_format=3, chunks=None)
        found = found.set_coords([name for name in self.parameters if name in found])
        grid: Mapping[str, int] | None = self._store.kept.grid
        if not grid or any(found[name].ndim > 1 for name in grid if name in found):
            return found
        values = {}
        for k, (name, length) in enumerate(grid.items()):
            if name in found:
                each = int(np.prod([*grid.values()][k + 1 :], dtype=int))
                values[name] = found[name].to_numpy()[: length * each : each]
        apart = found.drop_vars([name for name in grid if name in found])
        shaped = {
            name: ((*grid, *one.dims[1:]), one.data.reshape(*grid.values(), *one.shape[1:]), one.attrs)
            for name, one in apart.data_vars.items()
            if one.dims[:1] == (ROW,)
        }
        return xarray.Dataset(shaped, {**{k: v for k, v in apart.coords.items() if k != ROW}, **values}, found.attrs)

    @property
    def drawable(self) -> tuple[str, ...]:
        """Names of the outputs with one number a row."""
        return tuple(name for name in self.outputs if self._array(name).ndim == 1)

    def sensitivity(self, output: str) -> Sensitivity:
        """Compute Sobol indices: the share of an output's variance that each parameter causes.

        Parameters
        ----------
        output : str
            Name of the output, of a study with ``samples.saltelli``.

        Returns
        -------
        Sensitivity
            First-order and total indices with confidence intervals.
        """
        if self._store.kept.kind != "saltelli":
            raise InputError(f"sensitivity needs samples.saltelli(…); this study has samples.{self._store.kept.kind}")
        if not self.complete:
            raise InputError(f"sensitivity needs all rows; {self.rows - self.done} are missing")
        y = self.read(output)
        if y.ndim > 1:
            raise InputError(f"sensitivity is of outputs with one number for each row; {output!r} has shape {y.shape}")
        return indices(self.parameters, output, y.astype(float))

    def plot_histogram(self, *names: str, bins: int = 100, path: str | Path | None = None) -> Figure:
        """Plot histograms of outputs or parameters.

        Parameters
        ----------
        *names : str
            Names; by default all outputs with one number per row.
        bins : int, optional
            Number of bins.
        path : str or Path, optional
            File of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        chosen = names or self.drawable
        if not chosen:
            raise InputError(f"no output has one number a row; there are {', '.join(self.outputs)}")
        return _written(pictures.plot_histogram(self, chosen, bins), path)

    def plot_bands(self, name: str, path: str | Path | None = None) -> Figure:
        """Plot percentiles of an output over time, for studies of motions.

        Parameters
        ----------
        name : str
            Name of the output.
        path : str or Path, optional
            File of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        return _written(pictures.plot_bands(self, name), path)

    def plot_scatter(self, output: str, *parameters: str, path: str | Path | None = None) -> Figure:
        """Plot an output against parameters.

        Parameters
        ----------
        output : str
            Name of the output.
        *parameters : str
            Names of parameters; by default all with one number per row.
        path : str or Path, optional
            File of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        chosen = parameters or tuple(
            name for name in self.parameters if name in self._store.group and self._array(name).ndim == 1
        )
        if not chosen:
            raise InputError("a scatter is against parameters of one number each, and none is kept")
        return _written(pictures.plot_scatter(self, output, chosen), path)

    def __str__(self) -> str:
        lines = [f"{self.title}: {self.done} of {counted(self.rows, 'row')}"]
        if self.failed:
            lines.append(f"{self.failed} failed")
        if not self.complete:
            lines.append("incomplete: run it again to go on")
        return "; ".join(lines) + f" ({', '.join(self.parameters)} → {', '.join(self.outputs)})"

    def __repr__(self) -> str:
        return f"<Study {self}>"


def _written(figure: Figure, path: str | Path | None) -> Figure:
    if path is not None:
        write_figure(path, figure)
    return figure
