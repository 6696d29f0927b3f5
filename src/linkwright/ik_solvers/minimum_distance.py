"""A minimum distance of shapes: a constraint of inverse kinematics and resolved rates."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from linkwright.bounds import at_least, positive, whole_number
from linkwright.dynamics.contact.shapes.candidate import NOTHING, either
from linkwright.dynamics.distance.shape_pairs import (
    MeasuredPair,
    distance_rows,
    frame_poses,
    pair_separations,
    shortfall,
)
from linkwright.errors import ArgumentError, InputError, LinkwrightWarning, explained
from linkwright.geometry.distances import CLOUD, PairNames, checked_pairs, chosen_pairs, distances
from linkwright.geometry.obstacles import checked_obstacles
from linkwright.ik_solvers.task import Task
from linkwright.model.memo import derived, identity
from linkwright.model.parts.shape import Shape
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, clip, maximum, minimum, where
from linkwright.spatial.linear_algebra.linalg import solve_symmetric
from linkwright.spatial.loops.memory import empty_row, read, write
from linkwright.spatial.loops.repeats import repeat, symbol_among, until, when
from linkwright.spatial.loops.tables import take

MARGIN = 1e-5
"""Distance beyond the minimum that the search aims at, relative to the length of the mechanism."""

SAMPLES = 50
"""Random configurations in which two shapes of the mechanism must reach the minimum distance."""

SHOWN = 3
"""Number of pairs in the warning of those that are left out."""

MOST_POINTS = 10_000
"""Largest number of points of a cloud"""

REACHED = 0.95
"""Largest required rate of a distance, relative to the largest that the bounds of velocities allow."""

ROUNDING = 1e-9
"""Relative excess of a gain beyond the inverse of the period that counts as rounding."""

PRICE = 10.0
"""Cost ρ of a reduction of required rates, relative to a bound of the cost that a rate requires."""

UNBOUNDED = 1e4
"""Bound of velocities without a limit, in the units of the mechanism."""

ROOM = 1e-9
"""Distance by which the bounds are widened: the interior of the solver must not be empty."""

STEPS, SETTLED, INSIDE = 60, 1e-13, 0.99
"""Largest number of steps of the solver; mean product of slacks and multipliers at which it stops; share of the
distance to the boundary"""


@explained
@dataclass(frozen=True, repr=False)
class MinimumDistance(Task):
    """Keep shapes of the mechanism, and obstacles, at least a distance apart.

    The value of the task is the poses (..., obstacles, 4, 4) of the obstacles, which move without a new compilation;
    None: the placements of the shapes, or no obstacles. With `points` it is the point cloud (..., points, 3) in m, of
    which the nearest point to each shape counts, and the obstacles stay at their placements. In inverse kinematics the
    configuration keeps the distance. In resolved rates shapes approach the minimum distance by at most `gain` times
    what is left of it, the constraint precedes all tasks, and velocities of the obstacles count as zero. Shapes nearer
    than the minimum are moved apart at `gain` times the deficit, or as fast as the velocity limits allow: where limits
    or several pairs exclude these rates, all are reduced by a common factor, and none becomes negative.

    Parameters
    ----------
    distance : float
        Minimum distance, m.
    pairs : sequence of tuple of str, optional
        Pairs of names of links, shapes or obstacles, as in :func:`linkwright.distances`. By default all that may
        collide, except pairs of links that are never that far apart in random configurations, which a warning lists.
    obstacles : sequence of Shape, optional
        Shapes of the body "world".
    points : int, optional
        Number of points of a cloud, whose name in pairs is "points".
    point_radius : float, optional
        Radius of the balls at the points, m.
    gain : float, optional
        Gain of resolved rates, 1/s, at most the inverse of the control period.
    weight : float, optional
        Weight within the priority.
    priority : int, optional
        Priority; smaller numbers are first.
    """

    distance: float
    pairs: PairNames | None = None
    obstacles: Sequence[Shape] = ()
    points: int = 0
    point_radius: float = 0.0
    gain: float = 10.0

    def __repr__(self) -> str:
        if not isinstance(self.obstacles, tuple):
            return super().__repr__()
        names: Any = tuple(getattr(one, "name", one) for one in self.obstacles)
        return Task.__repr__(replace(self, obstacles=names))

    @property
    def words(self) -> str:
        return f"the minimum distance of {self.distance:g} m"

    def check(self, model: Model) -> None:
        super().check(model)
        at_least("distance", self.distance, 0.0, "m")
        positive("gain", self.gain, "1/s")
        whole_number("points", self.points, 0)
        if self.points > MOST_POINTS:
            raise InputError(
                f"points are at most {MOST_POINTS}; got {self.points}: give one point of each cell of a grid"
            )
        self.measured(model)

    def check_period(self, period: float | None) -> None:
        """Check that a control period is at most the inverse of the gain.

        Parameters
        ----------
        period : float or None
            Control period, s.

        Raises
        ------
        InputError
            If it is longer.
        """
        if period is not None and self.gain * positive("period", period, "s") > 1.0 + ROUNDING:
            raise InputError(
                f"the gain of MinimumDistance is at most 1/period = {1.0 / period:g} 1/s; got {self.gain:g} 1/s, with "
                "which shapes would move beyond the minimum distance in one period"
            )

    def measured(self, model: Model) -> list[MeasuredPair]:
        """Return the pairs of shapes that keep the distance.

        Parameters
        ----------
        model : Model
            Mechanism.

        Returns
        -------
        list of tuple
            Pairs of shapes.
        """
        obstacles, wanted = checked_obstacles(self.obstacles), checked_pairs(self.pairs)
        radius = at_least("point_radius", self.point_radius, 0.0, "m")
        if radius and not self.points:
            raise ArgumentError("point_radius is the radius of balls at points: give their number, points=…, too")
        cloud = Shape("world", "sphere", radius=radius, name=CLOUD) if self.points else None

        def make() -> list[MeasuredPair]:
            chosen = chosen_pairs(model, wanted, obstacles, cloud)
            q = np.concatenate([model.neutral()[None], model.random(SAMPLES, seed=0)])
            one_point = np.zeros((1, 3)) if self.points else None  # distances from the cloud are not used
            most = distances(model, q, wanted, obstacles=obstacles, points=one_point).distance.max(axis=0)
            own = [all(one.frame <= len(model.bodies) and not one.cloud for one in pair) for pair in chosen]
            found, nearer = [], []
            for pair, farthest, mine in zip(chosen, most, own, strict=True):
                if not mine or farthest > self.distance:
                    found.append(pair)
                elif wanted is not None:
                    raise InputError(
                        f"{pair[0].name!r} and {pair[1].name!r} are never {self.distance:g} m apart (at most "
                        f"{farthest:.4g} m in {len(q)} configurations): give a smaller distance, or other pairs"
                    )
                else:
                    nearer.append(f"{pair[0].name!r} and {pair[1].name!r} (at most {farthest:.3g} m)")
            if nearer:
                names = ", ".join(nearer[:SHOWN]) + (", …" if len(nearer) > SHOWN else "")
                warnings.warn(
                    f"MinimumDistance({self.distance:g}) leaves out {len(nearer)} of {len(chosen)} pairs, which are "
                    f"never that far apart in {len(q)} configurations: {names}. Give a smaller distance, or pairs=[…]",
                    LinkwrightWarning,
                    stacklevel=1,
                )
            return found

        found: list[MeasuredPair] = derived(
            model, identity(MinimumDistance), self.distance, wanted, obstacles, cloud, make=make
        )
        return found

    @property
    def default(self) -> Array:
        if self.points:
            raise InputError(f"the value of {self.words} is the point cloud (…, {self.points}, 3); got None")
        return np.array([np.asarray(shape.placement) for shape in self.obstacles] or [np.eye(4)])

    @property
    def is_constraint(self) -> bool:
        return True

    def shape(self, model: Model) -> tuple[int, ...]:
        if self.points:
            return (self.points, 3)
        return (max(len(self.obstacles), 1), 4, 4)  # kernels without entries have no machine code

    def scales(self, model: Model) -> Array:
        return np.full(1, scale_of(model).length)

    def value(self, model: Model, q: Array) -> Array:
        return np.zeros(0)

    def jacobian(self, model: Model, q: Array) -> Array:
        row = np.zeros((1, model.nv))  # entries of the joints between two shapes
        for a, b in self.measured(model):
            paths = [set(model.path(one.frame - 1)) if one.frame <= len(model.bodies) else set() for one in (a, b)]
            for k in paths[0] ^ paths[1]:
                coupling = model.joints[k].coupling
                row[0, model.slice(model.joints[k if coupling is None else coupling.leader].name).v] = 1.0
        return row

    def jacobian_and_error(self, model: Model, q: Array, target: Array, start: Array) -> tuple[Array, Array]:
        least = self.distance + MARGIN * scale_of(model).length
        missing, slope = shortfall(model, q, self.measured(model), self._poses(target), least, self._cloud(target))
        return slope[None], np.stack([missing])

    def left(self, model: Model, q: Array, target: Array, start: Array) -> Array:
        missing, _ = shortfall(model, q, self.measured(model), self._poses(target), self.distance, self._cloud(target))
        return np.stack([missing])

    def magnitude(self, target: Array) -> Any:
        if not self.points:
            return super().magnitude(target)
        return repeat(self.points, lambda k, total: total + abs(take(target, k)).sum(), 0.0 * target[0, 0])

    def flaw(self, target: Array) -> Any:
        if self.points:
            return 0.0
        return sum(((T[:3, :3].T @ T[:3, :3] - np.eye(3)) ** 2).sum() for T in target)

    def wanted(self, model: Model) -> str:
        if self.points:
            return "points (…, points, 3) of the cloud"
        return "poses (…, obstacles, 4, 4) of the obstacles, with rotation matrices"

    def _poses(self, target: Array) -> Array | None:
        if self.points:
            return np.array([np.asarray(shape.placement) for shape in self.obstacles]) if len(self.obstacles) else None
        return target if len(self.obstacles) else None

    def _cloud(self, target: Array) -> Array | None:
        return target if self.points else None

    def inequalities(self, model: Model, q: Array, target: Array) -> tuple[int, Any]:
        """Return the number of rows A v ≥ b, and the function of the number of a row that returns A (nv,) and b.

        Parameters
        ----------
        model : Model
            Mechanism.
        q : ndarray, shape (nq,)
            Configuration.
        target : ndarray
            Poses (obstacles, 4, 4) of the obstacles, or the point cloud (points, 3).

        Returns
        -------
        count : int
            Number of rows.
        row : callable
            Function of the number of a row.
        """
        pairs = self.measured(model)
        found = pair_separations(frame_poses(model, q, self._poses(target)), pairs, None, self._cloud(target))
        slope = distance_rows(model, q, pairs, found)
        rates = np.stack([[self.gain * (self.distance - one.distance)] for one in found])
        return len(pairs), lambda k: (slope(k), take(rates, k)[0])


def constrained(v: Array, H: Array, blocks: Sequence[tuple[int, Any]], bounds: Sequence[tuple[int, Any, Any]]) -> Array:
    """Return the x (n,) with the least (x − v)ᵀ H (x − v), A x ≥ b and bounds of entries, which contain zero.

    Positive b may exclude each other or the bounds: each is reduced to what the bounds allow, then all by a common
    factor s in [0, 1], an unknown with the cost −ρ s. A solution exists always: x = 0 and s = 0 satisfy all rows.
    The problem of y = (x, s) is solved by an interior-point method (Nocedal & Wright 2006, section 16.6).

    ``blocks``: numbers of rows, and functions of the number of a row that return A (n,) and b; ``bounds``: the index of
    an entry, its lower and its upper bound.
    """
    n = len(v)
    given = {j: pair for j, *pair in bounds}
    low, high = (
        np.stack(
            [sign * minimum(sign * given[j][side], UNBOUNDED) if j in given else sign * UNBOUNDED for j in range(n)]
        )
        for side, sign in enumerate((-1.0, 1.0))
    )
    width, total = n + 4, sum(count for count, _ in blocks)  # of each row: a, −c, b, its slack w and its multiplier
    symbol = symbol_among([v, H, *(x for _, row in blocks for x in row(0.0))])
    middle = minimum(0.1 * (high - low), 0.1)
    start = np.concatenate([clip(v, low + middle, high - middle), np.stack([0.5 + 0.0 * v[0]])])
    low, high = (np.concatenate([x, [side]]) for x, side in ((low - ROOM, -ROOM), (high + ROOM, 1.0 + ROOM)))

    table, first, price = empty_row(symbol, total * width), 0, 0.0 * v[0]
    least = reduce(minimum, np.concatenate([v - low[:n], high[:n] - v]))  # negative where v violates a bound or row
    for count, row in blocks:

        def fill(
            k: Any, table: Any, price: Any, least: Any, row: Any = row, first: int = first
        ) -> tuple[Any, Any, Any]:
            a, b = row(k)
            b = minimum(b, REACHED * maximum(a * low[:n], a * high[:n]).sum())
            rate, square = maximum(b, 0.0), a @ a
            w = maximum(a @ start[:n] - rate * start[n] - minimum(b, 0.0), 0.1)
            entries = np.concatenate([a, np.stack([-rate, minimum(b, 0.0), w, 1.0 / w])])
            lost = rate * (rate + maximum(b - a @ v, 0.0))
            cost = either(square > NOTHING, lost / maximum(square, NOTHING), 0.0)
            table = write(table, (k + float(first)) * float(width), entries)
            return table, maximum(price, PRICE * np.trace(H) * cost), minimum(least, a @ v - b)

        (table, price, least), first = repeat(count, fill, table, price, least), first + count

    cost = np.concatenate([np.concatenate([H, np.zeros((n, 1))], axis=1), np.zeros((1, n + 1))])
    slope = np.concatenate([H @ v, np.stack([price])])

    def entries(table: Any, k: Any) -> tuple[Array, Any, Any, Any]:
        one = read(table, k * float(width), width)
        return one[: n + 1], one[n + 1], one[n + 2], one[n + 3]

    def improve(_: Any, y: Array, below: Array, above: Array, table: Any, mu: Any, share: Any) -> Any:
        aim = mu * where(share < 0.5, 0.5, 0.1)
        lower, upper = y - low, high - y

        def add(k: Any, K: Array, force: Array) -> tuple[Array, Array]:
            g, b, w, multiplier = entries(table, k)
            return (
                K + (multiplier / w) * g[:, None] * g,
                force + ((aim - multiplier * (g @ y - b - w)) / w) * g,
            )

        K, force = repeat(
            total, add, cost + np.diag(below / lower + above / upper), slope - cost @ y + aim / lower - aim / upper
        )
        dy = solve_symmetric(K, force)
        d_below, d_above = aim / lower - below - below / lower * dy, aim / upper - above + above / upper * dy

        target = y + dy

        def change(table: Any, k: Any) -> tuple[Any, Any, Any, Any]:
            g, b, w, multiplier = entries(table, k)
            dw = g @ target - b - w
            return w, multiplier, dw, (aim - multiplier * dw) / w - multiplier

        def shorten(k: Any, fastest: Any) -> Any:
            w, multiplier, dw, d_multiplier = change(table, k)
            return maximum(fastest, maximum(-dw / w, -d_multiplier / multiplier))

        pairs = ((lower, dy), (upper, -dy), (below, d_below), (above, d_above))
        fastest = repeat(total, shorten, reduce(maximum, np.concatenate([-dx / x for x, dx in pairs])))
        share = minimum(1.0, INSIDE / maximum(fastest, 1e-3))

        def advance(k: Any, table: Any, sum_: Any) -> tuple[Any, Any]:
            w, multiplier, dw, d_multiplier = change(table, k)
            w, multiplier = w + share * dw, multiplier + share * d_multiplier
            return write(table, k * float(width) + float(n + 2), [w, multiplier]), sum_ + w * multiplier

        y, below, above = y + share * dy, below + share * d_below, above + share * d_above
        table, product = repeat(total, advance, table, below @ (y - low) + above @ (high - y))
        return y, below, above, table, product / float(total + 2 * (n + 1)), share

    def solved() -> Array:
        lower, upper, settled = start - low, high - start, SETTLED * (1.0 + price)
        y, *_ = until(
            lambda y, below, above, table, mu, share: mu < settled,
            improve,
            start, 1.0 / lower, 1.0 / upper, table, 1.0, 1.0,
            limit=STEPS,
        )  # fmt: skip
        return clip(y[:n], low[:n] + ROOM, high[:n] - ROOM)

    return when(least < 0.0, solved, v)  # type: ignore[no-any-return]
