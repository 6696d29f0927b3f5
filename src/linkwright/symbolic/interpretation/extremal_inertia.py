"""Configurations with the largest and smallest inertia at the joints.

M_ii is a Fourier series in the joint angles, c₀ + Σ a_k cos(φ_k − α_k) with φ_k = n_k·θ, so it lies within
c₀ ± Σ a_k. Where multiples of π/2 reach a bound, that is the extreme: a proof. Otherwise Newton's method maximizes the
series from many starts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwright.expression.polynomials.harmonics import Angles, Wave, terms_of
from linkwright.expression.polynomials.polynomial import Polynomial, evaluate
from linkwright.spatial.arrays import Array

CANDIDATES = 5_000
"""Combinations of multiples of π/2 up to which all are tried."""

STARTS, STEPS = 32, 60


class Extreme(NamedTuple):
    """The largest or the smallest value, and where."""

    value: float
    at: dict[str, float]
    """the angles, rad"""
    exact: bool
    """proved; else found numerically"""
    quarters: dict[str, int] | None
    """the angles as multiples of π/2"""


@dataclass(frozen=True)
class Series:
    """c₀ + Σ a_k cos(n_k·θ − α_k), in numbers."""

    angles: tuple[str, ...]
    constant: float
    multiples: Array
    """(waves, angles)"""
    cosines: Array
    sines: Array
    """(waves,): a cos α and a sin α"""

    def __call__(self, x: Array) -> Array:
        """Values at angles (…, angles)."""
        phase = x @ self.multiples.T
        value: Array = self.constant + np.cos(phase) @ self.cosines + np.sin(phase) @ self.sines
        return value

    @property
    def bound(self) -> float:
        """|c₀| + Σ |a_k|, which no value exceeds."""
        return float(abs(self.constant) + np.hypot(self.cosines, self.sines).sum())

    def slopes(self, x: Array) -> tuple[Array, Array]:
        """Gradient (…, angles) and Hessian (…, angles, angles)."""
        phase, n = x @ self.multiples.T, self.multiples
        first = np.cos(phase) * self.sines - np.sin(phase) * self.cosines
        second = -np.cos(phase) * self.cosines - np.sin(phase) * self.sines
        squares = (n[:, :, None] * n[:, None, :]).reshape(len(n), -1)
        return first @ n, (second @ squares).reshape(*x.shape, x.shape[-1])


def series_of(p: Polynomial, values: Mapping[str, float]) -> Series | None:
    """p as a series at values of the parameters; None where displacements or quaternions occur in it."""
    ring, waves = p.ring, dict[Angles, tuple[float, float]]()
    known = {**values, "sqrt2": math.sqrt(2.0), "sqrt3": math.sqrt(3.0), "1/pi": 1.0 / math.pi}
    for coefficient, factors in terms_of(p, "angles"):
        size, wave = float(coefficient), None
        for atom, e in factors:
            if isinstance(atom, Wave):
                wave = atom
            elif atom in known:
                size *= known[atom] ** e
            else:
                return None
        key, cosine, sine = _in_joints(wave, values, size) if wave else ((), size, 0.0)
        a, b = waves.get(key, (0.0, 0.0))
        waves[key] = (a + cosine, b + sine)
    constant = waves.pop((), (0.0, 0.0))[0]
    total = abs(constant) + sum(abs(a) + abs(b) for a, b in waves.values())
    waves = {key: (a, b) for key, (a, b) in waves.items() if abs(a) + abs(b) > 1e-14 * total}
    angles = tuple(name for name in ring.angles if any(name in dict(key) for key in waves))
    multiples = np.array([[dict(key).get(name, 0) for name in angles] for key in waves], dtype=float)
    parts = np.array(list(waves.values())).reshape(-1, 2)
    return Series(angles, constant, multiples.reshape(len(waves), len(angles)), parts[:, 0], parts[:, 1])


def _in_joints(wave: Wave, values: Mapping[str, float], size: float) -> tuple[Angles, float, float]:
    """size · cos or sin of joint angles and named constant ones: (multiples of the former, of their cosine, sine)."""
    shift = sum(n * values[name] for name, n in wave.angles if name in values)
    own = tuple((name, n) for name, n in wave.angles if name not in values)
    if wave.function == "cos":
        a, b = size * math.cos(shift), -size * math.sin(shift)
    else:
        a, b = size * math.sin(shift), size * math.cos(shift)
    if own and own[0][1] < 0:
        return tuple((name, -n) for name, n in own), a, -b
    return own, a, b


def largest(series: Series, sign: int = 1) -> Extreme:
    """The largest value (the smallest for ``sign`` −1)."""
    sizes = np.hypot(series.cosines, series.sines)
    bound = series.constant + sign * sizes.sum()
    tolerance = 1e-12 * (abs(series.constant) + sizes.sum())
    if 4 ** len(series.angles) <= CANDIDATES:
        quarters = quarter_turns(len(series.angles))
        phases = (quarters @ series.multiples.T.astype(int)) % 4
        cos, sin = np.array([1.0, 0.0, -1.0, 0.0]), np.array([0.0, 1.0, 0.0, -1.0])
        short = bound - (series.constant + cos[phases] @ series.cosines + sin[phases] @ series.sines)
        if (reached := np.abs(short) <= tolerance).any():
            turns = dict(zip(series.angles, quarters[reached.argmax()].tolist(), strict=True))
            return Extreme(bound, {name: k * math.pi / 2 for name, k in turns.items()}, True, turns)
    if len(series.multiples) == 1 and np.abs(series.multiples).sum() == 1:  # c₀ + a cos(±θ − α)
        turn = math.atan2(sign * series.sines[0], sign * series.cosines[0]) * series.multiples[0, 0]
        return Extreme(bound, {series.angles[0]: turn}, True, None)
    x = _climbed(series, sign)
    values = sign * series(x)
    best = x[values.argmax()]
    best = (best + math.pi) % (2 * math.pi) - math.pi
    return Extreme(float(series(best)), dict(zip(series.angles, best.tolist(), strict=True)), False, None)


def quarter_turns(n: int) -> np.ndarray:
    """All (4ⁿ, n) combinations of 0, 1, 2, −1: those of least turning first."""
    turns = np.array(list(itertools.product((0, 1, 2, -1), repeat=n)), dtype=int).reshape(4**n, n)
    return turns[np.argsort(np.abs(turns).sum(axis=1), kind="stable")]


def _climbed(series: Series, sign: int) -> Array:
    """Maxima (starts, angles) of ± the series from random starts: Newton steps made uphill, halved until they climb."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-math.pi, math.pi, (STARTS, len(series.angles)))
    value = sign * series(x)
    for _ in range(STEPS):
        gradient, hessian = series.slopes(x)
        curvature, axes = np.linalg.eigh(sign * hessian)
        size = np.maximum(np.abs(curvature), 1e-6 * np.abs(curvature).max(axis=-1, keepdims=True) + 1e-300)
        along = np.einsum("...ji,...j->...i", axes, sign * gradient) / size
        step = np.einsum("...ij,...j->...i", axes, along)
        step /= np.maximum(1.0, np.linalg.norm(step, axis=-1, keepdims=True))
        before = value
        for _ in range(6):
            trial = x + step
            better = (new := sign * series(trial)) >= value
            x, value = np.where(better[:, None], trial, x), np.where(better, new, value)
            step = np.where(better[:, None], 0.0, 0.5 * step)
            if better.all():
                break
        if (value - before).max() <= 1e-15 * np.abs(value).max():
            break
    return x


def at_quarters(p: Polynomial, quarters: Mapping[str, int]) -> Polynomial:
    """p with angles at multiples of π/2, exactly."""
    circle = {0: (1, 0), 1: (0, 1), 2: (-1, 0), 3: (0, -1)}
    put: dict[str, int] = {}
    for name, k in quarters.items():
        put[f"cos({name})"], put[f"sin({name})"] = circle[k % 4]
    return p.ring.put(p, put)


def value_of(p: Polynomial, values: Mapping[str, float]) -> float:
    """A polynomial in parameters only, in numbers."""
    return float(evaluate([p], {**dict.fromkeys(p.ring.angles, 0.0), **values})[0])
