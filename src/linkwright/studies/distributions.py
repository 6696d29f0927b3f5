"""Distributions of parameters: uniform, logarithmically uniform, normal, and a choice of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.errors import InputError, ShapeError, explained
from linkwright.spatial.arrays import Array, as_numbers


@dataclass(frozen=True, eq=False)
class Distribution:
    """Distribution of a parameter.

    Parameters
    ----------
    kind : str
        Name of the distribution.
    numbers : tuple of ndarray
        Its parameters.
    shape : tuple of int
        Shape of one value.
    """

    kind: str
    numbers: tuple[Array, ...]
    shape: tuple[int, ...]

    @property
    def draws(self) -> int:
        """Random numbers that each number takes: a normal one takes two (Box & Muller 1958)."""
        return 2 if self.kind == "normal" else 1

    def of(self, u: Array) -> Array:
        """Map uniform numbers to the distribution, several numbers for each value.

        Parameters
        ----------
        u : ndarray, shape (n, draws, *shape)
            Uniform numbers in [0, 1).

        Returns
        -------
        ndarray, shape (n, *shape)
            Values.
        """
        if self.kind == "normal":
            mean, deviation = self.numbers
            return mean + deviation * np.sqrt(-2.0 * np.log1p(-u[:, 0])) * np.cos(2.0 * np.pi * u[:, 1])
        return self.even(u[:, 0])

    def even(self, u: Array) -> Array:
        """Map uniform numbers to the distribution by its inverse, one number for each value.

        Parameters
        ----------
        u : ndarray, shape (n, *shape)
            Uniform numbers in [0, 1).

        Returns
        -------
        ndarray, shape (n, *shape)
            Values.
        """
        if self.kind == "uniform":
            low, high = self.numbers
            return low + (high - low) * u
        if self.kind == "log_uniform":
            low, high = self.numbers
            return np.exp(np.log(low) + (np.log(high) - np.log(low)) * u)
        if self.kind == "choice":
            (values,) = self.numbers
            return values[np.minimum((u * len(values)).astype(int), len(values) - 1)]
        from scipy.special import ndtri

        mean, deviation = self.numbers
        return mean + deviation * ndtri(np.clip(u, 1e-300, 1.0 - 2.0**-53))

    def described(self) -> dict[str, Any]:
        """Return the description, for a digest and for readers.

        Returns
        -------
        dict
            Description.
        """
        return {"kind": self.kind, "numbers": list(self.numbers), "shape": list(self.shape)}


@explained
def uniform(low: ArrayLike, high: ArrayLike) -> Distribution:
    """Return the uniform distribution.

    Parameters
    ----------
    low, high : float or array_like
        Bounds.

    Returns
    -------
    Distribution
        The distribution.
    """
    low, high = _two("uniform", low, high)
    if not (low <= high).all():
        raise InputError(f"uniform(low, high): low may not be above high; got {low.tolist()} and {high.tolist()}")
    return Distribution("uniform", (low, high), low.shape)


@explained
def log_uniform(low: ArrayLike, high: ArrayLike) -> Distribution:
    """Return the distribution with a uniform logarithm, for numbers that are uncertain by a factor.

    Parameters
    ----------
    low, high : float or array_like
        Bounds, positive.

    Returns
    -------
    Distribution
        The distribution.
    """
    low, high = _two("log_uniform", low, high)
    if not ((low > 0.0) & (low <= high)).all():
        raise InputError(f"log_uniform(low, high): 0 < low ≤ high; got {low.tolist()} and {high.tolist()}")
    return Distribution("log_uniform", (low, high), low.shape)


@explained
def normal(mean: ArrayLike, deviation: ArrayLike) -> Distribution:
    """Return the normal distribution.

    Parameters
    ----------
    mean, deviation : float or array_like
        Mean and standard deviation.

    Returns
    -------
    Distribution
        The distribution.
    """
    mean, deviation = _two("normal", mean, deviation)
    if not (deviation >= 0.0).all():
        raise InputError(f"normal(mean, deviation): a deviation is not negative; got {deviation.tolist()}")
    return Distribution("normal", (mean, deviation), mean.shape)


@explained
def choice(values: ArrayLike) -> Distribution:
    """Return the uniform distribution of some values.

    Parameters
    ----------
    values : array_like, shape (n,)
        Values.

    Returns
    -------
    Distribution
        The distribution.
    """
    numbers = as_numbers("choice", values)
    if numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all():
        raise InputError(f"choice(values) takes a list of finite numbers; got shape {numbers.shape}")
    return Distribution("choice", (numbers,), ())


def _two(what: str, first: Any, second: Any) -> tuple[Array, Array]:
    a, b = as_numbers(what, first), as_numbers(what, second)
    try:
        a, b = (np.array(x) for x in np.broadcast_arrays(a, b))
    except ValueError:
        raise ShapeError(f"{what} got shapes {a.shape} and {b.shape}, which do not broadcast") from None
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InputError(f"{what} takes finite numbers; got {a.tolist()} and {b.tolist()}")
    return a, b
