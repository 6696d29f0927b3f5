"""Iterations of iterative LQR for many problems simultaneously, until each has converged."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from linkwright.compiler.kernel import Kernel
from linkwright.control.optimal.sweeps import NODES, RiccatiSweeps
from linkwright.errors import TooLargeError
from linkwright.spatial.arrays import Array

SHARE = 1e-4
"""Share of the expected decrease that a step must reach."""

HALVINGS = 12
"""Largest number of halvings of a step, before the regularization of the problem is increased."""

TOGETHER = 4
"""Halvings that are tried in one call, where few problems are left."""

FIRST, LEAST, MOST = 1e-3, 1e-5, 1e8
"""μ when it is first needed, below which it is none, above which a problem is given up."""

BENDING, BENDING_OF_STAGES = 7, 4
"""Velocities up to which second derivatives of a step are worth their code; of one of several stages."""

SLOW = 0.5
"""An iteration is slow if its expected decrease is above this share of the previous one."""

FEW, OFTEN, OFTEN_OF_MANY = 4, 4, 16
"""Slow iterations, one after the other, that call for second derivatives: of few velocities, of more of them."""

SOFTER, REST = 0.25, 5
"""Of the share that second derivatives have, after they led astray; iterations without them where they always do."""

ROUNDING = 1e-13
"""Share of the cost below which differences are rounding."""


@dataclass(eq=False)
class Motions:
    """Trajectories of several problems and their costs; the first axis is the problem."""

    q: Array
    """(rows, nodes + 1, nq)"""
    v: Array
    """(rows, nodes + 1, nv)"""
    u: Array
    """(rows, nodes, m)"""
    cost: Array
    """(rows,)"""

    def take(self, rows: Any) -> Motions:
        """Return the trajectories of some rows."""
        return Motions(self.q[rows], self.v[rows], self.u[rows], self.cost[rows])

    def put(self, rows: Any, others: Motions) -> None:
        """Replace the trajectories of some rows."""
        self.q[rows], self.v[rows], self.u[rows], self.cost[rows] = others.q, others.v, others.u, others.cost


@dataclass(eq=False)
class Corrections:
    """Result of the backward sweep for several problems."""

    K: Any
    k: Any
    """in the form in which the sweep forwards takes them"""
    slope: Array
    """Σ kᵀ Q_u (rows,)"""
    curve: Array
    """Σ kᵀ Q_uu k (rows,)"""
    definite: Array
    """(rows,) bool: whether every Q_uu is positive-definite"""


class DescentBackend(Protocol):
    """Sweeps over the nodes; limits (rows, m), ``packed`` the values of running and final costs (rows, …)."""

    patience: int
    """how many slow iterations call for second derivatives"""

    @property
    def bends(self) -> bool:
        """Return whether second derivatives of the dynamics are available."""

    def backward(
        self, motions: Motions, limits: tuple[Array, Array], packed: tuple[Array, Array], mu: Array, bend: Array
    ) -> Corrections:
        """Run the Riccati sweep, with the share ``bend`` (rows,), 0 to 1, of the dynamics' second derivatives.

        Rows with share zero come first.
        """

    def forward(
        self,
        motions: Motions,
        gains: Corrections,
        alpha: Array,
        rows: Array,
        limits: tuple[Array, Array],
        packed: tuple[Array, Array],
    ) -> Motions:
        """Return new trajectories of some rows, with the step length alpha."""

    def gains(self, gains: Corrections, rows: Array) -> Array:
        """Return the gains K (rows, nodes, m, 2 nv) of some rows, from the first node on."""

    def no_gains(self, rows: int) -> Corrections:
        """Return zero gains."""


class Compiled:
    """Sweeps as compiled loops over ``NODES`` nodes per call, with buffers for ``at_once`` problems."""

    def __init__(self, sweeps: RiccatiSweeps, steps: int, h: float, at_once: int):
        self.sweeps, self.steps, self.h = sweeps, steps, h
        self.patience = OFTEN if sweeps.model.nv <= FEW else OFTEN_OF_MANY
        _ = sweeps.backward, sweeps.forward  # which may be too large
        self.parts = [(a, min(NODES, steps - a)) for a in range(0, steps, NODES)]
        model, m, at_once = sweeps.model, len(sweeps.controls), max(at_once, TOGETHER)
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

    @cached_property
    def bends(self) -> bool:
        most = BENDING if self.sweeps.method == "semi_implicit" else BENDING_OF_STAGES
        if self.sweeps.model.loops or self.sweeps.model.nv > most:
            return False
        with suppress(TooLargeError):
            _ = self.sweeps.bending
            return True
        return False

    def backward(
        self, motions: Motions, limits: tuple[Array, Array], packed: tuple[Array, Array], mu: Array, bend: Array
    ) -> Corrections:
        plain, rows = int(np.count_nonzero(bend == 0.0)), len(mu)
        found = []
        for some, kernel in ((slice(0, plain), "backward"), (slice(plain, rows), "bending")):
            if some.stop > some.start:
                more = () if kernel == "backward" else (bend[some],)
                found.append(self._swept(getattr(self.sweeps, kernel), motions, limits, packed, mu, more, some))
        slope, curve, pivot = np.concatenate(found, axis=1)
        definite = (pivot > 0.0) & np.isfinite(slope) & np.isfinite(curve)
        K, k = [x[:rows] for x in self._K], [x[:rows] for x in self._k]
        return Corrections(K, k, slope, curve, definite)

    def _swept(
        self,
        kernel: Kernel,
        motions: Motions,
        limits: tuple[Array, Array],
        packed: tuple[Array, Array],
        mu: Array,
        more: tuple[Array, ...],
        some: slice,
    ) -> Array:
        """Return slope, curve and pivot (3, …) of some rows, and store their gains."""
        h, motions, mu = self.h, motions.take(some), mu[some]
        low, high, running, final = (x[some] for x in (*limits, *packed))
        _, Vx, Vxx = self.sweeps.ending(motions.q[:, self.steps], motions.v[:, self.steps], final, h * self.steps)
        slope, curve, pivot = np.zeros_like(mu), np.zeros_like(mu), np.full_like(mu, np.inf)
        sums = np.empty((3, len(mu)))
        for (a, count), K, k in reversed(list(zip(self.parts, self._K, self._k, strict=True))):
            after = np.empty_like(Vx), np.empty_like(Vxx)  # a kernel may read its arguments again: far angles
            kernel(
                *(*self._tables(motions, a), low, high, running, Vx, Vxx, mu, h, float(a), float(count), *more),
                out=(*after, *sums, K[some], k[some]),
            )
            Vx, Vxx = after
            slope, curve, pivot = slope + sums[0], curve + sums[1], np.minimum(pivot, sums[2])
        return np.stack([slope, curve, pivot])

    def forward(
        self,
        motions: Motions,
        gains: Corrections,
        alpha: Array,
        rows: Array,
        limits: tuple[Array, Array],
        packed: tuple[Array, Array],
    ) -> Motions:
        count = len(motions.cost)
        if 2 * len(rows) > count > len(rows) and np.diff(rows).all():  # all of them: to pick some takes longer
            every = np.zeros(count)
            every[rows] = alpha
            return self.forward(motions, gains, every, np.arange(count), limits, packed).take(rows)
        low, high, running, final = *limits, *packed
        old, all_K, all_k = motions, gains.K, gains.k
        if not np.array_equal(rows, np.arange(count)):
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
class DescentResult:
    """Result of every problem."""

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
    way: DescentBackend,
    starts: Motions,
    steps: int,
    limits: tuple[Array, Array],
    packed: tuple[Array, Array],
    tolerance: float,
    iterations: int,
    at_once: int,
    widths: tuple[int, int],
) -> DescentResult:
    """Solve problems, ``at_once`` simultaneously; the next problem takes the slot of a finished one."""
    rows, (m, n) = len(starts.cost), widths
    found = DescentResult(
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
    bend, slow = np.zeros(0), np.zeros(0, dtype=int)
    last = np.zeros(0)  # what an iteration was expected to give
    while len(own) or waiting < rows:
        if len(own) < at_once and waiting < rows:
            more = np.arange(waiting, min(rows, waiting + at_once - len(own)))
            waiting = int(more[-1]) + 1
            bounds, values = (limits[0][more], limits[1][more]), (packed[0][more], packed[1][more])
            none, one = way.no_gains(len(more)), np.ones(len(more))
            fresh = way.forward(starts.take(more), none, one, np.arange(len(more)), bounds, values)
            own = np.concatenate([own, more])
            now = _joined(now, fresh)
            mu = np.concatenate([mu, np.zeros(len(more))])
            bend, slow = np.append(bend, 0.0 * one), np.append(slow, np.zeros_like(more))
            last = np.append(last, np.inf * one)
            first = np.concatenate([first, abs(fresh.cost)])
            given_up = np.concatenate([given_up, ~np.isfinite(fresh.cost)])
            for row, cost in zip(more, fresh.cost, strict=True):
                found.costs[row].append(float(cost))
        if (np.diff((bend > 0.0).astype(int)) < 0).any():
            order = np.argsort(bend > 0.0, kind="stable")
            own, now, mu, first, given_up = own[order], now.take(order), mu[order], first[order], given_up[order]
            bend, slow, last = bend[order], slow[order], last[order]
        low_high = limits[0][own], limits[1][own]
        values = packed[0][own], packed[1][own]
        gains = way.backward(now, low_high, values, mu, bend)
        expected = -(gains.slope + 0.5 * gains.curve)
        scale = tolerance * abs(now.cost) + 1e-3 * ROUNDING * first
        converged = gains.definite & (expected <= scale) & (mu <= FIRST) & ~given_up
        late = found.iterations[own] >= iterations
        done = converged | given_up | late
        trying = np.flatnonzero(gains.definite & ~done)
        better = np.zeros(len(own), dtype=bool)
        lengths = np.zeros(len(own))
        left, halved = trying, 0
        while len(left) and halved < HALVINGS:
            several = TOGETHER if halved and TOGETHER * len(left) <= max(len(own), TOGETHER) else 1
            share = 0.5 ** (halved + np.arange(several))
            each = np.repeat(left, several)
            new = way.forward(now, gains, np.tile(share, len(left)), each, low_high, values)
            promised = -(share * gains.slope[left, None] + 0.5 * share**2 * gains.curve[left, None])
            with np.errstate(invalid="ignore"):
                enough = now.cost[left, None] - new.cost.reshape(promised.shape) >= SHARE * promised
            taken, which = enough.any(axis=1), enough.argmax(axis=1)
            chosen = (several * np.arange(len(left)) + which)[taken]
            now.put(left[taken], new.take(chosen) if len(chosen) < len(each) else new)
            better[left[taken]], lengths[left[taken]] = True, share[which[taken]]
            left, halved = left[~taken], halved + several
        # no step decreases the cost, and the expected decrease is rounding: converged
        at_rounding = gains.definite & ~done & ~better & (expected <= ROUNDING * (abs(now.cost) + first))
        converged |= at_rounding
        astray = ~better & ~converged & ~done & (bend > 0.0)
        worse = ~better & ~converged & ~done & ~astray
        again = (expected > SLOW * last) | (slow < 0)
        slow = np.where(better, np.where(again, slow + 1, 0), slow)
        last = np.where(better, expected, last)
        bend = np.where(astray, SOFTER * bend, np.where(better, np.minimum(1.0, bend / SOFTER), bend))
        lost = astray & (bend < SOFTER**2)
        bend[lost], slow[lost] = 0.0, -REST
        if (slow >= way.patience).any() and way.bends:
            bend[(slow >= way.patience) & (bend == 0.0)] = 1.0
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
        places = ended
        if bend[ended].any():  # the gains are those of linear dynamics in any case
            bounds, values = (low_high[0][ended], low_high[1][ended]), (values[0][ended], values[1][ended])
            gains = way.backward(now.take(ended), bounds, values, mu[ended], np.zeros(len(ended)))
            places = np.arange(len(ended))
        found.gains[gone] = way.gains(gains, places)
        found.converged[gone], found.expected[gone] = converged[ended], expected[ended]
        for row, k in zip(gone, ended, strict=True):
            found.reason[row] = _reason(
                bool(converged[k]), _told_of(now, int(k)) if given_up[k] else "", bool(late[k]), iterations
            )
        stay = np.setdiff1d(np.arange(len(own)), ended)
        own, now, mu, first, given_up = own[stay], now.take(stay), mu[stay], first[stay], given_up[stay]
        bend, slow, last = bend[stay], slow[stay], last[stay]
    return found


def _joined(a: Motions, b: Motions) -> Motions:
    return Motions(*(np.concatenate([getattr(one, name) for one in (a, b)]) for name in ("q", "v", "u", "cost")))


def _told_of(now: Motions, row: int) -> str:
    """Return the reason why a problem is abandoned at its initial guess."""
    if np.isfinite(now.q[row]).all() and np.isfinite(now.v[row]).all():
        return "a cost is not finite along the motion under the initial guess"
    return "the motion under the initial guess diverges: give another guess, or a shorter step"


def _reason(converged: bool, given_up: str, late: bool, iterations: int) -> str:
    if converged:
        return "converged"
    if given_up:
        return given_up
    if late:
        return f"{iterations} iterations were not enough"
    return "no step decreases the cost: check that the costs and the motion are smooth"
