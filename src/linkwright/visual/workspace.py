"""Plot of the workspace of a frame, colored by manipulability, in a slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import dynamics
from linkwright.bounds import whole_number
from linkwright.compiler.kernel import compile
from linkwright.errors import InputError
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_AT_ONCE = 50_000

_CELLS = 120
"""along the longer side of the slice"""

_MARGIN = 4
"""Margin of cells around those of random configurations."""

_STEPS = 0.003, 0.5
"""Least and largest distance between a configuration and its perturbation, in the scales of the mechanism."""

_THICKNESS = 0.04
"""Thickness of a slice of a workspace without rotational symmetry, relative to its size."""


def gains(model: Model, frame: str, q: Array) -> tuple[Array, Array]:
    """The places (n, 3) of a frame's origin in configurations q (n, nq), and Yoshikawa's manipulability there (n,).

    It is the product of those singular values of the origin's Jacobian that are not always zero.
    """
    p, s = compile(_sampled, model, frame=frame)(q)
    rank = int((s > 1e-6 * max(s.max(), 1e-150)).sum(axis=1).max())
    return p, np.prod(s[:, :rank], axis=1)


def _sampled(model: Model, q: Any, frame: str) -> tuple[Any, Any]:
    """The place of a frame (3,), and the semi-axes (3,) of the ellipsoid of its velocities, the longest first."""
    return dynamics.pose(model, q, frame)[:3, 3], dynamics.velocity_ellipsoid(model, q, frame).semi_axes


def _first_axis(model: Model, frame: str) -> tuple[Array, Array] | None:
    """Return a point (3,) on the axis of the first joint of a frame's path and its direction; None if not a hinge."""
    path = model.path(model.frame(frame).body)
    first = model.joints[path[0]]
    if not first.motion.hinge:
        return None
    J = dynamics.jacobian(model, model.neutral(), frame, reference_frame="world")
    column = sum(joint.nv for joint in model.joints[: path[0]])
    v, axis = J[:3, column], J[3:, column]
    return np.cross(axis, v), axis


def plot_workspace(
    model: Model, frame: str, *, samples: int = 400_000, random: int = 0, title: str | None = None
) -> Figure:
    """Plot the reachable positions of a frame's origin within the joint limits, colored by manipulability.

    The color is Yoshikawa's manipulability √det(J Jᵀ) of the velocity of the origin, relative to the largest value
    found; each cell shows the maximum over the configurations in it. A planar workspace is shown in its plane.
    Otherwise, if the first joint is a hinge, the axes are the distance from its axis and the distance along it; else a
    slice is shown. Of ``samples`` configurations, a third are random and the others are perturbations of the best
    configurations of the cells, which fills holes. Cells without a configuration are white.

    Raises :class:`~linkwright.errors.UnknownNameError` for a frame there is not, and
    :class:`~linkwright.errors.InputError` where nothing moves the frame.
    """
    from matplotlib.figure import Figure

    model.frame(frame)
    whole_number("samples", samples, 100)
    seen = _SampledPoints(model, frame, samples, random)
    grid, low, cell = seen.grid()
    shape, largest = np.array(grid.shape), float(grid.max())
    shown = np.where(np.isfinite(grid), grid / largest if largest > 0.0 else 0.0, np.nan)

    span = shape * cell
    width = float(np.clip(5.0 * span[0] / span[1], 3.0, 8.0))
    figure = Figure(figsize=(width + 2.0, 6.0), dpi=100, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    extent = (low[0], low[0] + span[0], low[1], low[1] + span[1])
    image = axes.imshow(shown.T, origin="lower", extent=extent, cmap="viridis", vmin=0.0, vmax=1.0)
    axes.set_xlabel(f"{seen.names[0]} (m)")
    axes.set_ylabel(f"{seen.names[1]} (m)")
    axes.set_title(title or f"reachable workspace of {frame}\n{seen.what}", fontsize=11, parse_math=False)
    bar = figure.colorbar(image, ax=axes, shrink=0.85)
    bar.set_label("manipulability (normalized)")
    return figure


class _SampledPoints:
    """Cells of a slice that the frame reaches, each with the configuration of the largest manipulability found there.

    A third of the configurations are random. The others are perturbations of the configurations of the cells, by
    distances between the bounds of ``_STEPS``: they fill the cells up to the boundary of the workspace, and the value
    of each cell approaches its maximum.
    """

    def __init__(self, model: Model, frame: str, samples: int, random: int):
        self.model, self.frame = model, frame
        counts = [min(_AT_ONCE, samples // 3 - first) for first in range(0, samples // 3, _AT_ONCE)]
        drawn = [model.random(count, seed=np.random.default_rng([random, k])) for k, count in enumerate(counts)]
        found = [(q, *gains(model, frame, q)) for q in drawn]
        q, p, w = (np.concatenate(some) for some in zip(*found, strict=True))
        across = np.ptp(p, axis=0)
        if not across.max() > 1e-9:
            raise InputError(f"no joint moves the origin of {frame!r} of {model.name!r}")
        self._cut(p, across)
        places = self._places(p)[0]
        low, high = places.min(axis=0), places.max(axis=0)
        if self.hinge is not None:
            low[0] = 0.0
        self.cell = float((high - low).max()) / _CELLS
        margin = np.array([_MARGIN if self.hinge is None else 0, _MARGIN])
        self.low = low - margin * self.cell
        self.shape = np.ceil((high - low) / self.cell).astype(int) + 1 + margin + _MARGIN
        self.best = np.full(self.shape.prod(), -np.inf)
        self.q = np.empty((len(self.best), model.nq))
        self._add(q, p, w)
        left, generator = samples - len(q), np.random.default_rng([random, len(q)])
        while left > 0:
            cells = np.flatnonzero(np.isfinite(self.best))
            cells = generator.permutation(cells)[:left]
            left -= len(cells)
            near = self._near(self.q[cells], generator)
            self._add(near, *gains(model, frame, near))

    def _cut(self, p: Array, across: Array) -> None:
        """Choose how places p (n, 3), so far across (3,), are shown."""
        self.hinge, self.plane, self.middle = None, [0, 2], np.nan
        flat = [k for k in range(3) if across[k] < 1e-6 * across.max()]
        hinge = _first_axis(self.model, self.frame)
        if flat:
            self.plane = [k for k in range(3) if k != flat[0]]
            self.names, self.what = ("xyz"[self.plane[0]], "xyz"[self.plane[1]]), "in its plane"
        elif hinge is not None:
            self.hinge = hinge
            upright = abs(hinge[1][2]) > 1.0 - 1e-9
            self.names = ("distance from the first axis", "z" if upright else "along it")
            self.what = "section through the first axis"
        else:
            self.middle, self.thickness = 0.5 * float(p[:, 1].min() + p[:, 1].max()), _THICKNESS * float(across[1])
            self.names, self.what = ("x", "z"), f"at y = {self.middle:.3g} m"

    def _places(self, p: Array) -> tuple[Array, Array]:
        """The coordinates (n, 2) of places p (n, 3) in the picture, and which of them (n,) lie in it."""
        every = np.ones(len(p), dtype=bool)
        if self.hinge is None:
            return p[:, self.plane], every if np.isnan(self.middle) else abs(
                p[:, 1] - self.middle
            ) <= 0.5 * self.thickness
        point, axis = self.hinge
        along = (p - point) @ axis
        away = np.linalg.norm(p - point - along[:, None] * axis, axis=1)
        upright = abs(axis[2]) > 1.0 - 1e-9
        return np.stack([away, along * np.sign(axis[2]) + point[2] if upright else along], axis=1), every

    def _near(self, q: Array, generator: np.random.Generator) -> Array:
        """Return random perturbations of q (n, nq) within the limits, at distances drawn from ``_STEPS``."""
        model: Any = self.model
        low, high = np.log(_STEPS)
        far = np.exp(low + (high - low) * generator.random((len(q), 1)))
        moved = far * generator.normal(size=(len(q), model.nv)) * scale_of(model).velocities
        near = compile(dynamics.integrate, model)(q, moved)
        return np.clip(near, model.lower, model.upper)

    def _add(self, q: Array, p: Array, w: Array) -> None:
        """Keep of postures q (n, nq), with the frame at p (n, 3) and gains w (n,), the best of each cell."""
        places, chosen = self._places(p)
        at = np.floor((places - self.low) / self.cell).astype(int)
        chosen &= ((at >= 0) & (at < self.shape)).all(axis=1)
        cells = np.ravel_multi_index(at[chosen].T, self.shape)
        order = np.argsort(w[chosen], kind="stable")  # of those in one cell the last, the largest, stays
        cells, q, w = cells[order], q[chosen][order], w[chosen][order]
        better = w > self.best[cells]
        self.best[cells[better]], self.q[cells[better]] = w[better], q[better]

    def grid(self) -> tuple[Array, Array, float]:
        """The gains of the cells, -inf where nothing was seen; where the first begins, and how long they are, m."""
        grid = self.best.reshape(self.shape)
        filled = np.argwhere(np.isfinite(grid))
        first, last = filled.min(axis=0), filled.max(axis=0)
        if self.hinge is not None:
            first[0] = 0  # the axis is seen
        cut = grid[first[0] : last[0] + 1, first[1] : last[1] + 1]
        return cut, self.low + first * self.cell, self.cell
