"""Random numbers in machine code: each motion has its own generator, whose state is carried along.

Uniform numbers are those of L'Ecuyer's two combined congruential generators (CACM 31, 1988), whose integers fit
floating-point numbers; normal ones follow from them by Box and Muller (1958). The initial state of a motion's generator
depends on the seed and on the index of the motion in its batch, or, if each motion has a seed, on that seed alone.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.spatial.arrays import Array, as_numbers, where

FIRST, SECOND = (40014.0, 2147483563.0), (40692.0, 2147483399.0)
"""Factors and moduli of the two generators."""

STATES = 2
"""Numbers of a generator's state."""


def checked_seed(seed: Any, batch: tuple[int, ...] = ()) -> Any:
    """Return a seed, or one seed for each motion of a batch: whole numbers from 0 on; else raise."""
    given = np.asarray(seed)
    if given.dtype.kind not in "iu" or isinstance(seed, (bool, np.bool_)) or (given < 0).any():
        raise InputError(f"seed is a whole number, not negative, or one for each motion; got {seed!r}")
    if given.shape not in ((), batch):
        raise ShapeError(f"seed has shape {given.shape}; expected one whole number, or {batch or 'no more than one'}")
    return given.astype(np.uint64)


def seeds(seed: Any, batch: tuple[int, ...], stream: int = 0) -> Array:
    """Return the initial states (*batch, 2) of the generators; ``stream`` selects an independent stream."""
    given = np.asarray(seed, dtype=np.uint64)
    places = np.arange(math.prod(batch), dtype=np.uint64).reshape(batch) if given.shape == () else np.uint64(0)
    mixed = _mixed(_mixed(given + np.uint64(stream) * np.uint64(2**32 + 1)) + places)
    parts = [mixed % np.uint64(FIRST[1] - 2.0), _mixed(mixed) % np.uint64(SECOND[1] - 2.0)]
    return np.broadcast_to(np.stack(parts, axis=-1).astype(float) + 1.0, (*batch, STATES)).copy()


def _mixed(x: Any) -> Any:
    """Return 64-bit hashes of numbers (SplitMix64: Steele, Lea & Flood, OOPSLA 2014)."""
    with np.errstate(over="ignore"):
        x = np.asarray(x, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


class RandomGenerator:
    """Random numbers of one motion; each number that is drawn changes the state."""

    def __init__(self, state: Array):
        self.state = state
        """(2,)"""

    def uniform(self, low: Any = 0.0, high: Any = 1.0, shape: tuple[int, ...] | int | None = None) -> Any:
        """Draw uniform numbers between two bounds, which are numbers or arrays; of their shape by default."""
        shape = _shape("uniform", shape, low=low, high=high)
        if _are_numbers(low, high) and np.any(np.asarray(low) > np.asarray(high)):
            raise ArgumentError(f"uniform: low must not exceed high; got low = {low!r} and high = {high!r}")
        unit = np.array(self._unit(math.prod(shape)), dtype=object).reshape(shape)
        low, high = (x if hasattr(x, "graph") else as_numbers("bounds", x) for x in (low, high))
        return _plain(low + (high - low) * unit)

    def normal(self, scale: Any = 1.0, shape: tuple[int, ...] | int | None = None) -> Any:
        """Draw normal numbers with mean 0 and the given standard deviations; of their shape by default."""
        shape = _shape("normal", shape, scale=scale)
        if _are_numbers(scale) and np.any(np.asarray(scale) < 0.0):
            raise ArgumentError(f"normal: scale is a standard deviation, which must not be negative; got {scale!r}")
        count = math.prod(shape)
        unit, normal = self._unit(count + count % 2), []
        for a, b in zip(unit[::2], unit[1::2], strict=True):
            size = np.sqrt(-2.0 * np.log(a))
            normal += [size * np.cos(2.0 * np.pi * b), size * np.sin(2.0 * np.pi * b)]
        return _plain(scale * np.array(normal[:count], dtype=object).reshape(shape))

    def _unit(self, count: int) -> list[Any]:
        """So many numbers between 0 and 1, neither of them."""
        found, (x, y) = [], (self.state[0], self.state[1])
        for _ in range(count):
            x, y = _next(x, *FIRST), _next(y, *SECOND)
            z = x - y
            found.append(where(z < 0.5, z + (FIRST[1] - 1.0), z) / FIRST[1])
        self.state = np.stack([x, y])
        return found


def _next(x: Any, factor: float, modulus: float) -> Any:
    y = factor * x
    return y - modulus * np.floor(y / modulus)


def _shape(name: str, shape: tuple[int, ...] | int | None, **parameters: Any) -> tuple[int, ...]:
    """Return the shape of the numbers that are drawn, by default that of the parameters of their distribution."""
    sizes = {key: np.shape(x) for key, x in parameters.items()}
    given = None if shape is None else (shape,) if isinstance(shape, int) else tuple(shape)
    try:
        whole = np.broadcast_shapes(*sizes.values(), *([] if given is None else [given]))
    except ValueError:
        whole = None
    if whole is None or (given is not None and whole != given):
        text = ", ".join(f"{key} {size}" for key, size in sizes.items())
        raise ShapeError(f"{name}: the shapes of {text} do not fit" + ("" if given is None else f" the shape {given}"))
    return tuple(whole)


def _are_numbers(*xs: Any) -> bool:
    return all(np.asarray(x).dtype.kind in "biuf" for x in xs)


def _plain(x: Any) -> Any:
    """Return a float array where there are no symbols; an array without dimensions as a number."""
    x = np.asarray(x)
    if x.dtype == object and not any(hasattr(entry, "graph") for entry in x.flat):
        x = x.astype(float)
    return x if x.shape else x[()]
