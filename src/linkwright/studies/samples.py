"""Sets of parameters: a grid, a table, random draws, Sobol's sequence. Rows are computed on demand.

``samples.grid(mass=[1, 2, 3], gain=np.linspace(10, 100, 50))`` has every combination, the last name changing fastest;
``samples.table(q=q, payload=payload)`` the rows of arrays; ``samples.random(10**6, q=samples.uniform(lower, upper))``
independent draws; ``samples.sobol(2**16, mass=samples.uniform(1, 2))`` points that fill the space evenly.

Row k does not depend on the number of rows that are computed together: the generator can be advanced to any row (PCG64
DXSM; M. E. O'Neill 2014, "PCG: a family of simple fast space-efficient statistically good algorithms").
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.bounds import whole_number
from linkwright.errors import ArgumentError, InputError, ShapeError, explained
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.studies.distributions import Distribution, choice, log_uniform, normal, uniform

__all__ = [
    "Distribution",
    "ParameterGrid",
    "Random",
    "Saltelli",
    "Samples",
    "Sobol",
    "Table",
    "choice",
    "grid",
    "log_uniform",
    "normal",
    "random",
    "saltelli",
    "sobol",
    "table",
    "uniform",
]


def __dir__() -> list[str]:
    return __all__


MOST_ROWS = 2**53
"""Whole numbers up to here are exact in double precision, in which many readers count."""

SOBOL_BITS = 32
"""of the numbers of Sobol's sequence, and of how many there are"""

NEAR = 12
"""of them, in a table"""

BLOCK = 2**15
"""Numbers that are drawn at once, which stay in the processor's cache."""


VALUES = "values"
"""key of the parameters in a description"""


class Samples:
    """Rows of parameters."""

    if TYPE_CHECKING:

        @property
        def rows(self) -> int: ...

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Shape of each parameter in one row, by name."""
        raise NotImplementedError

    def at(self, first: int, last: int) -> dict[str, Array]:
        """Compute rows of parameters.

        Parameters
        ----------
        first, last : int
            First row, and the row after the last.

        Returns
        -------
        dict of ndarray, shape (last - first, ...)
            Values by name.
        """
        raise NotImplementedError

    def described(self) -> dict[str, Any]:
        """Return the description: kind, numbers, and parameters by name, for a digest and for readers.

        Returns
        -------
        dict
            Description.
        """
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class ParameterGrid(Samples):
    """Every combination of values, the last name changing fastest.

    Parameters
    ----------
    axes : mapping
        Values of each name.
    """

    axes: Mapping[str, Array]
    """(n, *shape) by name"""

    @property
    def rows(self) -> int:
        """Number of combinations."""
        return math.prod(self.lengths)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Number of values of each name."""
        return tuple(len(x) for x in self.axes.values())

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        return {name: x.shape[1:] for name, x in self.axes.items()}

    def at(self, first: int, last: int) -> dict[str, Array]:
        places = np.unravel_index(np.arange(first, last), self.lengths)
        return {name: x[k] for (name, x), k in zip(self.axes.items(), places, strict=True)}

    def described(self) -> dict[str, Any]:
        return {"kind": "grid", VALUES: self.axes}


@dataclass(frozen=True, eq=False)
class Table(Samples):
    """Given rows of parameters.

    Parameters
    ----------
    columns : mapping
        Arrays of equal length by name.
    """

    columns: Mapping[str, Array]
    """(rows, *shape) by name"""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())))

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        return {name: x.shape[1:] for name, x in self.columns.items()}

    def at(self, first: int, last: int) -> dict[str, Array]:
        return {name: x[first:last] for name, x in self.columns.items()}

    def described(self) -> dict[str, Any]:
        return {"kind": "table", "rows": self.rows, VALUES: self.columns}


class DrawnSamples(Samples):
    """Samples of distributions."""

    if TYPE_CHECKING:
        spread: Mapping[str, Distribution]

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        return {name: one.shape for name, one in self.spread.items()}

    def _spread_described(self) -> dict[str, Any]:
        return {name: one.described() for name, one in self.spread.items()}


@dataclass(frozen=True, eq=False)
class Random(DrawnSamples):
    """Independent random draws.

    Parameters
    ----------
    rows : int
        Number of rows.
    seed : int
        Seed.
    spread : mapping
        Distributions by name.
    """

    rows: int
    seed: int
    spread: Mapping[str, Distribution]

    def at(self, first: int, last: int) -> dict[str, Array]:
        return {name: self._drawn(k, one, first, last) for k, (name, one) in enumerate(self.spread.items())}

    def _drawn(self, stream: int, one: Distribution, first: int, last: int) -> Array:
        """Return rows (last − first, *shape); the numbers of a parameter do not depend on other parameters."""
        each = one.draws * math.prod(one.shape)
        source = np.random.PCG64DXSM(np.random.SeedSequence([self.seed, stream]))
        draw = np.random.Generator(source.advance(first * each)).random
        step = max(1, BLOCK // max(each, 1))
        rows, u = np.empty((last - first, *one.shape)), np.empty((step, one.draws, *one.shape))
        for k in range(0, len(rows), step):
            some = u[: len(rows) - k]
            draw(out=some)
            rows[k : k + step] = one.of(some)
        return rows

    def described(self) -> dict[str, Any]:
        return {"kind": "random", "rows": self.rows, "seed": self.seed, VALUES: self._spread_described()}


@lru_cache(16)
def _directions(size: int, seed: int, scrambled: bool, bits: int) -> tuple[Array, Array]:
    """Return the first points (2ⁿ, size) of Sobol's sequence, and its direction numbers (bits, size).

    They are whole numbers, 2³² for 1.
    """
    from scipy.stats import qmc

    points = qmc.Sobol(size, scramble=scrambled, rng=seed if scrambled else None, bits=SOBOL_BITS)

    def some(count: int) -> Array:
        with warnings.catch_warnings():  # of numbers that are no powers of two
            warnings.simplefilter("ignore", UserWarning)
            whole: Array = (points.random(count) * 2.0**SOBOL_BITS).astype(np.uint32)
        return whole

    low = min(bits, NEAR)
    near = some(2**low)
    directions = [near[2 ** (k + 1) - 1] ^ near[0] for k in range(low)]
    for k in range(low, bits):  # Gray's code of 2ᵏ⁺¹ − 1 has that bit alone
        points.fast_forward(2 ** (k + 1) - 1 - points.num_generated)
        directions.append(some(1)[0] ^ near[0])
    return near, np.array(directions, dtype=np.uint32).reshape(bits, size)


@dataclass(frozen=True, eq=False)
class Sobol(DrawnSamples):
    """Points of Sobol's sequence, scrambled by default (Owen 1998).

    Parameters
    ----------
    rows : int
        Number of rows.
    seed : int
        Seed of the scrambling.
    scrambled : bool
        Whether the points are scrambled.
    spread : mapping
        Distributions by name.
    """

    rows: int
    seed: int
    scrambled: bool
    spread: Mapping[str, Distribution]

    def at(self, first: int, last: int) -> dict[str, Array]:
        sizes = [math.prod(one.shape) for one in self.spread.values()]
        u, at, found = self._points(sum(sizes), first, last), 0, {}
        for (name, one), size in zip(self.spread.items(), sizes, strict=True):
            found[name] = one.even(u[:, at : at + size].reshape(last - first, *one.shape))
            at += size
        return found

    def _points(self, size: int, first: int, last: int) -> Array:
        """The points (last − first, size) in [0, 1).

        Point k is the exclusive or of the directions of those bits that Gray's code of k has (Antonov & Saleev 1979):
        of its lowest bits, which are in a table, and of its others, the same in many points that follow each other.
        """
        near, directions = _directions(size, self.seed, self.scrambled, max(last - 1, 0).bit_length())
        low = len(near).bit_length() - 1
        blocks = np.arange(first >> low, -(-last >> low))
        far = np.zeros((len(blocks), size), dtype=np.uint32)
        gray = (blocks << low) ^ (blocks << low >> 1)
        for bit, direction in enumerate(directions):
            far ^= np.where((gray >> bit & 1)[:, None] == 1, direction, np.uint32(0))
        whole = (far[:, None] ^ near).reshape(-1, size)
        at = first - (first >> low << low)
        u: Array = whole[at : at + last - first] * 2.0**-SOBOL_BITS
        return u

    def described(self) -> dict[str, Any]:
        return {
            "kind": "sobol",
            "rows": self.rows,
            "seed": self.seed,
            "scrambled": self.scrambled,
            VALUES: self._spread_described(),
        }


@dataclass(frozen=True, eq=False)
class Saltelli(DrawnSamples):
    """Points for Sobol indices.

    For each of ``base`` pairs of points a, b: a, and a with each one parameter of b, and b (A. Saltelli et al. 2010,
    Computer Physics Communications 181).

    Parameters
    ----------
    base : int
        Number of pairs.
    seed : int
        Seed.
    spread : mapping
        Distributions by name.
    """

    base: int
    seed: int
    spread: Mapping[str, Distribution]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.base * (len(self.spread) + 2)

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        return {name: () for name in self.spread}

    def at(self, first: int, last: int) -> dict[str, Array]:
        n = len(self.spread)
        begin, end = first // (n + 2), -(-last // (n + 2))
        pairs = Sobol(self.base, self.seed, True, {str(k): uniform(0.0, 1.0) for k in range(2 * n)})
        both = np.stack([*pairs.at(begin, end).values()], axis=-1) if last > first else np.zeros((0, 2 * n))
        a, b = both[:, None, :n], both[:, None, n:]
        mixed = np.where(np.eye(n, dtype=bool), b, a)
        u = np.concatenate([a, mixed, b], axis=1).reshape(-1, n)[first - begin * (n + 2) : last - begin * (n + 2)]
        return {name: one.even(u[:, k]) for k, (name, one) in enumerate(self.spread.items())}

    def described(self) -> dict[str, Any]:
        return {"kind": "saltelli", "base": self.base, "seed": self.seed, VALUES: self._spread_described()}


@explained
def grid(**values: Any) -> ParameterGrid:
    """Return all combinations of values.

    Parameters
    ----------
    **values : array_like, shape (n,) or (n, *shape)
        Values by name.

    Returns
    -------
    ParameterGrid
        The rows.
    """
    axes = {name: _column(name, x) for name, x in _some("grid", values).items()}
    return _counted(ParameterGrid(axes))


@explained
def table(columns: Mapping[str, Any] | None = None, /, **more: Any) -> Table:
    """Return given rows of parameters.

    Parameters
    ----------
    columns : mapping, optional
        Arrays (rows, *shape) of equal length by name.
    **more : array_like
        Further arrays.

    Returns
    -------
    Table
        The rows.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise ArgumentError(f"the columns of a table are a dict {{name: array}}; got {columns!r:.200}")
    found = {name: _column(name, x) for name, x in _some("table", {**(columns or {}), **more}).items()}
    lengths = {name: len(x) for name, x in found.items()}
    if len({*lengths.values()}) > 1:
        text = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise ShapeError(f"columns of a table must have the same number of rows; got {text}")
    return _counted(Table(found))


@explained
def random(rows: int, seed: int = 0, /, **spread: Any) -> Random:
    """Return independent random draws.

    Parameters
    ----------
    rows : int
        Number of rows.
    seed : int, optional
        Seed.
    **spread : Distribution or array_like
        Distributions by name; a number is constant.

    Returns
    -------
    Random
        The rows.
    """
    return _counted(Random(_number("rows", rows, 1), _number("seed", seed), _spread("random", spread)))


@explained
def sobol(rows: int, seed: int = 0, /, scramble: bool = True, **spread: Any) -> Sobol:
    """Return points of Sobol's sequence, which fill the space more evenly than random draws.

    Needs SciPy (``pip install "linkwright[study]"``).

    Parameters
    ----------
    rows : int
        Number of rows, at most 2³², preferably a power of two.
    seed : int, optional
        Seed of the scrambling.
    scramble : bool, optional
        Whether the points are scrambled.
    **spread : Distribution or array_like
        Distributions by name; a number is constant.

    Returns
    -------
    Sobol
        The rows.
    """
    number = _number("rows", rows, 1)
    if number > 2**SOBOL_BITS:
        raise InputError(f"Sobol's sequence has 2³² points here; got {rows!r} rows")
    return _counted(Sobol(number, _number("seed", seed), bool(scramble), _spread("sobol", spread)))


@explained
def saltelli(base: int, seed: int = 0, /, **spread: Any) -> Saltelli:
    """Return points for :meth:`Study.sensitivity <linkwright.Study.sensitivity>`: base · (n + 2) rows of n parameters.

    Needs SciPy and SALib (the extra ``study``).

    Parameters
    ----------
    base : int
        Number of pairs of points, preferably a power of two.
    seed : int, optional
        Seed.
    **spread : Distribution or array_like
        Distributions of scalar parameters by name.

    Returns
    -------
    Saltelli
        The rows.
    """
    found = _spread("saltelli", spread)
    if odd := [name for name, one in found.items() if one.shape]:
        raise ShapeError(f"sensitivity is of parameters that are numbers; {odd[0]!r} has shape {found[odd[0]].shape}")
    return _counted(Saltelli(_number("base", base, 2), _number("seed", seed), found))


def as_samples(given: Any) -> Samples:
    """Samples; a mapping of arrays is a table."""
    if isinstance(given, (ParameterGrid, Table, Random, Sobol, Saltelli)):
        return given
    if isinstance(given, Mapping):
        return table(given)
    raise ArgumentError(
        "parameters are samples.grid(…), .table(…), .random(…), .sobol(…), .saltelli(…), or a table as a dict of "
        f"arrays; got {given!r}"
    )


def _spread(what: str, given: Mapping[str, Any]) -> dict[str, Distribution]:
    found = {}
    for name, x in _some(what, given).items():
        if not isinstance(x, Distribution):
            value = as_numbers(name, x)
            x = uniform(value, value)
        found[name] = x
    return found


def _some(what: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    if not given:
        raise ArgumentError(f"samples.{what} needs at least one parameter, by its name")
    return given


def _column(name: str, given: Any) -> Array:
    x = as_numbers(name, given)
    if not x.ndim or not len(x):
        raise ShapeError(f"{name} takes an array of at least one row; got shape {x.shape}")
    return x


def _number(name: str, given: Any, least: int = 0) -> int:
    return whole_number(name, given, least, MOST_ROWS)


def _counted(samples: Any) -> Any:
    if samples.rows > MOST_ROWS:
        raise InputError(f"{samples.rows} rows are more than can be counted (2⁵³)")
    return samples
