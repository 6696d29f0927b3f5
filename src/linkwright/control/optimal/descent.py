"""From motion to better motion, many problems at a time, until none can be made better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from linkwright.control.optimal.sweeps import NODES, Sweeps
from linkwright.spatial.arrays import Array

SHARE = 1e-4
"""Of the decrease that is expected, what a step must give."""

HALVINGS = 12
"""Of a step, at most, before the problem is regularised more."""

FIRST, LEAST, MOST = 1e-3, 1e-5, 1e8
"""μ when it is first needed, below which it is none, above which a problem is given up."""

ROUNDING = 1e-13
"""Share of the cost below which differences are rounding."""


@dataclass(eq=False)
class Motions:
    """Motions of several problems, with what they cost: the first axis is the problems'."""

    q: Array
    """(rows, nodes + 1, nq)"""
    v: Array
    """(rows, nodes + 1, nv)"""
    u: Array
    """(rows, nodes, m)"""
    cost: Array
    """(rows,)"""

    def take(self, rows: Any) -> Motions:
        """Some of them."""
        return Motions(self.q[rows], self.v[rows], self.u[rows], self.cost[rows])

    def put(self, rows: Any, others: Motions) -> None:
        """Others in the place of some of them."""
        self.q[rows], self.v[rows], self.u[rows], self.cost[rows] = others.q, others.v, others.u, others.cost


@dataclass(eq=False)
class Corrections:
    """What Riccati's sweep gives of several problems."""

    K: Any
    k: Any
    """in the form in which the sweep forwards takes them"""
    slope: Array
    """Σ kᵀ Q_u (rows,)"""
    curve: Array
    """Σ kᵀ Q_uu k (rows,)"""
    definite: Array
    """(rows,) bool: whether every Q_uu is positive-definite"""


class Way(Protocol):
    """How the sweeps are done; limits (rows, m), ``told`` the costs' values (rows, …), running and final."""

    def backward(
        self, motions: Motions, limits: tuple[Array, Array], told: tuple[Array, Array], mu: Array
    ) -> Corrections:
        """Riccati's sweep."""

    def forward(
        self,
        motions: Motions,
        gains: Corrections,
        alpha: Array,
        rows: Array,
        limits: tuple[Array, Array],
        told: tuple[Array, Array],
    ) -> Motions:
        """New motions of some rows, under their gains taken α-fold."""

    def gains(self, gains: Corrections, rows: Array) -> Array:
        """Of some rows, K (rows, nodes, m, 2 nv) from the first node on."""

    def no_gains(self, rows: int) -> Corrections:
        """Of motions under their controls alone."""


class Compiled:
    """Sweeps that are loops of machine code, ``NODES`` nodes in a call; arrays for ``at_once`` problems are kept."""

    def __init__(self, sweeps: Sweeps, steps: int, h: float, at_once: int):
        self.sweeps, self.steps, self.h = sweeps, steps, h
        _ = sweeps.backward, sweeps.forward  # which may be too large
        self.parts = [(a, min(NODES, steps - a)) for a in range(0, steps, NODES)]
        model, m = sweeps.model, len(sweeps.controls)
        n, nodes = 2 * model.nv, NODES * len(self.parts)
        self._K, self._some_K = (_arrays(len(self.parts), (at_once, NODES, m, n)) for _ in range(2))
        self._k, self._some_k = (_arrays(len(self.parts), (at_once, NODES, m)) for _ in range(2))
        self._new = Motions(
            np.zeros((at_once, nodes + 1, model.nq)),
            np.zeros((at_once, nodes + 1, model.nv)),
            np.zeros((at_once, nodes, m)),
            np.zeros(at_once),
        )

    def _tables(self, motions: Motions, a: int) -> tuple[Array, Array, Array]:
        return motions.q[:, a : a + NODES], motions.v[:, a : a + NODES], motions.u[:, a : a + NODES]

    def backward(
        self, motions: Motions, limits: tuple[Array, Array], told: tuple[Array, Array], mu: Array
    ) -> Corrections:
        h, rows, kernel = self.h, len(mu), self.sweeps.backward
        end = motions.q[:, self.steps], motions.v[:, self.steps]
        _, Vx, Vxx = self.sweeps.ending(*end, told[1], h * self.steps)
        slope, curve, pivot = np.zeros_like(mu), np.zeros_like(mu), np.full_like(mu, np.inf)
        sums = np.empty((3, rows))
        for (a, count), K, k in reversed(list(zip(self.parts, self._K, self._k, strict=True))):
            after = np.empty_like(Vx), np.empty_like(Vxx)  # a kernel may read its arguments again: far angles
            kernel(
                *(*self._tables(motions, a), *limits, told[0], Vx, Vxx, mu, h, float(a), float(count)),
                out=(*after, *sums, K[:rows], k[:rows]),
            )
            Vx, Vxx = after
            slope, curve, pivot = slope + sums[0], curve + sums[1], np.minimum(pivot, sums[2])
        definite = (pivot > 0.0) & np.isfinite(slope) & np.isfinite(curve)
        K, k = [x[:rows] for x in self._K], [x[:rows] for x in self._k]
        return Corrections(K, k, slope, curve, definite)

    def forward(
        self,
        motions: Motions,
        gains: Corrections,
        alpha: Array,
        rows: Array,
        limits: tuple[Array, Array],
        told: tuple[Array, Array],
    ) -> Motions:
        count = len(motions.cost)
        if 2 * len(rows) > count and count > len(rows):  # all of them: to pick some takes longer
            every = np.zeros(count)
            every[rows] = alpha
            return self.forward(motions, gains, every, np.arange(count), limits, told).take(rows)
        low, high, running, final = *limits, *told
        old, all_K, all_k = motions, gains.K, gains.k
        if count > len(rows):
            low, high, running, final = (x[rows] for x in (low, high, running, final))
            old = motions.take(rows)
            all_K = [np.take(x, rows, axis=0, out=y[: len(rows)]) for x, y in zip(all_K, self._some_K, strict=True)]
            all_k = [np.take(x, rows, axis=0, out=y[: len(rows)]) for x, y in zip(all_k, self._some_k, strict=True)]
        new, kernel = self._new.take(slice(0, len(rows))), self.sweeps.forward
        q, v, cost = old.q[:, 0].copy(), old.v[:, 0].copy(), np.empty(len(rows))
        new.q[:, 0], new.v[:, 0], new.cost[:] = q, v, 0.0
        for (a, some), K, k in zip(self.parts, all_K, all_k, strict=True):
            after, end = slice(a + 1, a + 1 + NODES), (np.empty_like(q), np.empty_like(v))
            kernel(
                *(q, v, *self._tables(old, a), K, k, alpha, low, high, running, self.h, float(a), float(some)),
                out=(*end, cost, new.q[:, after], new.v[:, after], new.u[:, a : a + NODES]),
            )
            q, v = end
            new.cost += cost
        new.cost += self.sweeps.ending(q, v, final, self.h * self.steps)[0]
        return new

    def gains(self, gains: Corrections, rows: Array) -> Array:
        in_order = [K[rows, :count][:, ::-1] for (_, count), K in zip(self.parts, gains.K, strict=True)]
        return np.concatenate(in_order, axis=1)

    def no_gains(self, rows: int) -> Corrections:
        for x in (*self._some_K, *self._some_k):
            x[:rows] = 0.0
        K, k = [x[:rows] for x in self._some_K], [x[:rows] for x in self._some_k]
        return Corrections(K, k, np.zeros(rows), np.zeros(rows), np.ones(rows, dtype=bool))


def _arrays(count: int, shape: tuple[int, ...]) -> list[Array]:
    return [np.zeros(shape) for _ in range(count)]


@dataclass(eq=False)
class Found:
    """What was found of every problem."""

    motions: Motions
    gains: Array
    """(rows, nodes, m, 2 nv)"""
    converged: Array
    iterations: Array
    expected: Array
    """by how much a further step is expected to lower the cost"""
    reason: list[str]
    costs: list[list[float]]
    """of every iteration"""


def descend(
    way: Way,
    starts: Motions,
    steps: int,
    limits: tuple[Array, Array],
    told: tuple[Array, Array],
    tolerance: float,
    iterations: int,
    at_once: int,
    widths: tuple[int, int],
) -> Found:
    """Problems ``at_once`` at a time; one that is done makes room for the next. ``starts.cost`` is not yet known."""
    rows, (m, n) = len(starts.cost), widths
    found = Found(
        starts,
        np.zeros((rows, steps, m, n)),
        np.zeros(rows, dtype=bool),
        np.zeros(rows, dtype=int),
        np.full(rows, np.nan),
        [""] * rows,
        [[] for _ in range(rows)],
    )
    waiting = 0
    own = np.zeros(0, dtype=int)  # which problems are at work
    now = starts.take(own)
    mu, first, given_up = np.zeros(0), np.zeros(0), np.zeros(0, dtype=bool)
    while len(own) or waiting < rows:
        if len(own) < at_once and waiting < rows:
            more = np.arange(waiting, min(rows, waiting + at_once - len(own)))
            waiting = int(more[-1]) + 1
            bounds, values = (limits[0][more], limits[1][more]), (told[0][more], told[1][more])
            none, one = way.no_gains(len(more)), np.ones(len(more))
            fresh = way.forward(starts.take(more), none, one, np.arange(len(more)), bounds, values)
            own = np.concatenate([own, more])
            now = _joined(now, fresh)
            mu = np.concatenate([mu, np.zeros(len(more))])
            first = np.concatenate([first, abs(fresh.cost)])
            given_up = np.concatenate([given_up, ~np.isfinite(fresh.cost)])
            for row, cost in zip(more, fresh.cost, strict=True):
                found.costs[row].append(float(cost))
        low_high = limits[0][own], limits[1][own]
        values = told[0][own], told[1][own]
        gains = way.backward(now, low_high, values, mu)
        expected = -(gains.slope + 0.5 * gains.curve)
        scale = tolerance * abs(now.cost) + 1e-3 * ROUNDING * first
        converged = gains.definite & (expected <= scale) & (mu <= FIRST) & ~given_up
        late = found.iterations[own] >= iterations
        done = converged | given_up | late
        trying = np.flatnonzero(gains.definite & ~done)
        better = np.zeros(len(own), dtype=bool)
        lengths = np.zeros(len(own))
        alpha = 1.0
        left = trying
        for _ in range(HALVINGS):
            if not len(left):
                break
            new = way.forward(now, gains, np.full(len(left), alpha), left, low_high, values)
            promised = -(alpha * gains.slope[left] + 0.5 * alpha**2 * gains.curve[left])
            with np.errstate(invalid="ignore"):
                taken = now.cost[left] - new.cost >= SHARE * promised
            now.put(left[taken], new.take(taken) if not taken.all() else new)
            better[left[taken]], lengths[left[taken]] = True, alpha
            left, alpha = left[~taken], 0.5 * alpha
        # what promises no more than rounding, and gives nothing, is as good as can be told
        at_rounding = gains.definite & ~done & ~better & (expected <= ROUNDING * (abs(now.cost) + first))
        converged |= at_rounding
        worse = ~better & ~converged & ~done
        mu = np.where(worse, np.maximum(FIRST, 10.0 * mu), np.where(lengths == 1.0, 0.1 * mu, mu))
        mu[mu < LEAST] = 0.0
        stopped = worse & (mu > MOST)
        found.iterations[own[better]] += 1
        for row, cost in zip(own[better], now.cost[better], strict=True):
            found.costs[row].append(float(cost))
        ended = np.flatnonzero(done | converged | stopped)
        if not len(ended):
            continue
        gone = own[ended]
        found.motions.put(gone, now.take(ended))
        found.gains[gone] = way.gains(gains, ended)
        found.converged[gone], found.expected[gone] = converged[ended], expected[ended]
        for row, k in zip(gone, ended, strict=True):
            found.reason[row] = _reason(bool(converged[k]), bool(given_up[k]), bool(late[k]), iterations)
        stay = np.setdiff1d(np.arange(len(own)), ended)
        own, now, mu, first, given_up = own[stay], now.take(stay), mu[stay], first[stay], given_up[stay]
    return found


def _joined(a: Motions, b: Motions) -> Motions:
    return Motions(*(np.concatenate([getattr(one, name) for one in (a, b)]) for name in ("q", "v", "u", "cost")))


def _reason(converged: bool, given_up: bool, late: bool, iterations: int) -> str:
    if converged:
        return "converged"
    if given_up:
        return "the motion under the guess grows beyond all numbers: give another guess, or a shorter step"
    if late:
        return f"{iterations} iterations were not enough"
    return "no step makes it better: are the costs and the motion smooth?"
