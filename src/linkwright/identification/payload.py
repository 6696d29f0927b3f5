"""What a hand carries: ten numbers, the arm being known."""

from __future__ import annotations

from typing import Any

from linkwright.bounds import positive
from linkwright.identification.identify import Identified, identify
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model


@takes_model
def identify_payload(
    model: Model,
    frame: str,
    q: Any,
    v: Any = None,
    a: Any = None,
    tau: Any = None,
    t: Any = None,
    *,
    mass: float = 1.0,
    radius: float = 0.05,
    name: str = "payload",
    **options: Any,
) -> Identified:
    """Mass, center of mass and inertia of what is fixed to a frame, the rest of the mechanism being as the model says.

    The same as ``identify(model.with_payload(frame, …), …, only=["payload"])``. What the motions do not show is that of
    a ball of so many kg and so large a radius (m) at the frame. Arrays and options are those of :func:`identify`.
    """
    mass, radius = positive("mass", mass, "kg"), positive("radius", radius, "m")
    guessed = model.with_payload(frame, mass, inertia=0.4 * mass * radius**2, name=name)
    return identify(guessed, q, v, a, tau, t, only=[name], **options)
