"""Plots of velocity and force ellipsoids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.compiler.public import kernel_of
from linkwright.dynamics.frames.manipulability import Ellipsoid
from linkwright.errors import InputError, ShapeError, counted
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import finite
from linkwright.visual.drawing.view import ViewName
from linkwright.visual.ellipsoids import draw_ellipsoids as drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {"velocity": dynamics.velocity_ellipsoid, "force": dynamics.force_ellipsoid}


@takes_numeric_model(placements_only=True)
def draw_ellipsoids(
    model: Model,
    q: ArrayLike,
    frame: str,
    kinds: tuple[str, ...] = ("velocity", "force"),
    *,
    view: ViewName = "auto",
    title: str | None = None,
) -> Figure:
    """Draw a mechanism with the velocity and force ellipsoids of a frame.

    Each ellipsoid has its own scale; the legend states the longest semi-axis. The longest axis of one ellipsoid is the
    shortest of the other. In a direction in which the frame cannot move the force is unbounded: its axis is dashed.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (nq,)
        Configuration.
    frame : str
        Name of the frame.
    kinds : tuple of {"velocity", "force"}, optional
        Ellipsoids.
    view : str, optional
        View direction.
    title : str, optional
        Title of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    unknown = [kind for kind in kinds if kind not in KINDS] if not isinstance(kinds, str) else [kinds]
    if unknown or not kinds:
        raise InputError(f"kinds are a list of {', '.join(map(repr, KINDS))}; got {kinds!r}")
    if np.shape(q) != (model.nq,):
        raise ShapeError(f"q has shape {np.shape(q)}; a picture is of one configuration ({model.nq},)")
    q = finite("q", q, (model.nq,))
    place = kernel_of(dynamics.pose, model, frame=frame)(q)[:3, 3]
    found = {}
    for kind in kinds:
        axes, lengths = kernel_of(KINDS[kind], model, frame=frame)(q)
        open_axes = np.isinf(lengths)
        label = f"up to {lengths[~open_axes].max(initial=0.0):.3g} {'m/s' if kind == 'velocity' else 'N'}"
        if open_axes.any():
            label += f", no bound along {counted(int(open_axes.sum()), 'axis', 'axes')}"
        found[f"{kind} ({label})"] = Ellipsoid(axes=axes, semi_axes=lengths)
    return drawn(model, q, place, found, view=view, title=title)
