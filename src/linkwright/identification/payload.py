"""Identification of a payload: ten parameters, with a known arm."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from linkwright.bounds import positive
from linkwright.identification.identify import Identified, identify
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model


@takes_numeric_model()
def identify_payload(
    model: Model,
    frame: str,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    t: ArrayLike | None = None,
    *,
    mass: float = 1.0,
    radius: float = 0.05,
    name: str = "payload",
    **options: Any,
) -> Identified:
    """Estimate mass, center of mass and inertia of a payload fixed to a frame, for a known mechanism.

    Equivalent to ``identify(model.with_payload(frame, …), …, only=["payload"])``. The prior is a ball at the frame,
    whose values the unidentifiable combinations have.

    Parameters
    ----------
    model : Model
        Mechanism without the payload.
    frame : str
        Name of the frame.
    q, v, a, tau, t : array_like
        Measurements, as for :func:`identify`.
    mass : float, optional
        Mass of the ball, kg.
    radius : float, optional
        Radius of the ball, m.
    name : str, optional
        Name of the payload.
    **options
        Options of :func:`identify`.

    Returns
    -------
    Identified
        Parameters with standard errors and residuals.
    """
    mass, radius = positive("mass", mass, "kg"), positive("radius", radius, "m")
    guessed = model.with_payload(frame, mass, inertia=0.4 * mass * radius**2, name=name)
    return identify(guessed, q, v, a, tau, t, only=[name], **options)
