"""Where a frame can be, and how well it can be moved there: the workspace of an arm as a coloured slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwright import dynamics
from linkwright.compiler.kernel import compile
from linkwright.errors import InputError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_AT_ONCE = 50_000

_CELLS = 120
"""along the longer side of the slice"""

_THICKNESS = 0.04
"""of a slice through what no axis turns, as a part of the workspace"""


def gains(model: Model, frame: str, q: Array) -> tuple[Array, Array]:
    """The places (n, 3) of a frame's origin in configurations q (n, nq), and Yoshikawa's manipulability there (n,).

    It is the product of those singular values of the origin's Jacobian that are not always zero.
    """
    p, s = compile(_sampled, model, frame=frame)(q)
    rank = int((s > 1e-6 * max(s.max(), 1e-150)).sum(axis=1).max())
    return p, np.prod(s[:, :rank], axis=1)


def _sampled(model: Model, q: Any, frame: str) -> tuple[Any, Any]:
    """The place of a frame (3,), and the semi-axes (3,) of the ellipsoid of its velocities, the longest first."""
    return dynamics.pose(model, q, frame)[:3, 3], dynamics.velocity_ellipsoid(model, q, frame)[1]


def _first_axis(model: Model, frame: str) -> tuple[Array, Array] | None:
    """A point (3,) on the axis of the first joint on the way to a frame, and its direction; None if it is no hinge."""
    path = model.path(model.frame(frame).body)
    first = model.joints[path[0]]
    if first.type not in ("revolute", "continuous"):
        return None
    J = dynamics.jacobian(model, model.neutral(), frame, reference="world")
    column = sum(joint.nv for joint in model.joints[: path[0]])
    v, axis = J[:3, column], J[3:, column]
    return np.cross(axis, v), axis


class Slice(NamedTuple):
    """Two coordinates of places in space."""

    places: Array
    """(n, 2), m"""
    chosen: Array
    """(n,) bool: which lie in it"""
    names: tuple[str, str]
    what: str


def plot_workspace(
    model: Model, frame: str, *, samples: int = 400_000, random: int = 0, title: str | None = None
) -> Figure:
    """Where a frame's origin comes with joints anywhere within their limits, and its manipulability there.

    Yoshikawa's manipulability √det(J Jᵀ) of the origin's velocity, as a part of the largest found: the largest of all
    postures at a place. Of what moves in a plane that plane is shown; else, where the first joint is a hinge,
    distances from its axis and along it; else a slice. ``samples`` random configurations are taken.

    Raises :class:`~linkwright.errors.UnknownNameError` for a frame there is not, and
    :class:`~linkwright.errors.InputError` where nothing moves the frame.
    """
    from matplotlib.figure import Figure

    model.frame(frame)
    if samples < 100:
        raise InputError(f"samples is a number of at least 100; got {samples!r}")
    kept: list[tuple[Array, Array]] = []
    for first in range(0, samples, _AT_ONCE):
        q = model.random(min(_AT_ONCE, samples - first), seed=random + first)
        kept.append(gains(model, frame, q))
    p, w = (np.concatenate(some) for some in zip(*kept, strict=True))
    if not np.ptp(p, axis=0).max() > 1e-9:
        raise InputError(f"no joint moves the origin of {frame!r} of {model.name!r}")
    cut = _slice(p, _first_axis(model, frame))
    places, values = cut.places[cut.chosen], w[cut.chosen]
    low, high = places.min(axis=0), places.max(axis=0)
    cell = float((high - low).max()) / _CELLS
    shape = np.ceil((high - low) / cell).astype(int) + 1
    grid = np.full(shape, -np.inf)
    np.maximum.at(grid, tuple(((places - low) / cell).astype(int).T), values)
    largest = float(values.max())
    shown = np.where(np.isfinite(grid), grid / largest if largest > 0.0 else 0.0, np.nan)

    span = shape * cell
    width = float(np.clip(5.0 * span[0] / span[1], 3.0, 8.0))
    figure = Figure(figsize=(width + 2.0, 6.0), dpi=100, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    extent = (low[0], low[0] + span[0], low[1], low[1] + span[1])
    image = axes.imshow(shown.T, origin="lower", extent=extent, cmap="viridis", vmin=0.0, vmax=1.0)
    axes.set_xlabel(f"{cut.names[0]} [m]")
    axes.set_ylabel(f"{cut.names[1]} [m]")
    axes.set_title(title or f"{model.name}: where {frame} can be, {cut.what}", fontsize=11, parse_math=False)
    bar = figure.colorbar(image, ax=axes, shrink=0.85)
    bar.set_label("manipulability, of the largest found")
    return figure


def _slice(p: Array, hinge: tuple[Array, Array] | None) -> Slice:
    """How places p (n, 3) are shown, given a point and the direction of the first axis, if there is one."""
    every = np.ones(len(p), dtype=bool)
    across = np.ptp(p, axis=0)
    flat = [k for k in range(3) if across[k] < 1e-6 * across.max()]
    if flat:
        shown = [k for k in range(3) if k != flat[0]]
        return Slice(p[:, shown], every, ("xyz"[shown[0]], "xyz"[shown[1]]), "in its plane")
    if hinge is not None:
        point, axis = hinge
        along = (p - point) @ axis
        away = np.linalg.norm(p - point - along[:, None] * axis, axis=1)
        upright = abs(axis[2]) > 1.0 - 1e-9
        height = along * np.sign(axis[2]) + point[2] if upright else along
        return Slice(
            np.stack([away, height], axis=1),
            every,
            ("distance from the first axis", "z" if upright else "along it"),
            "turned about the first axis",
        )
    middle = 0.5 * (p[:, 1].min() + p[:, 1].max())
    near = np.abs(p[:, 1] - middle) <= 0.5 * _THICKNESS * across[1]
    return Slice(p[:, [0, 2]], near, ("x", "z"), f"at y = {middle:.3g} m")
