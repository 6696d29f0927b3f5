"""Tendons: paths of springs and actuators, through frames and around wrapping bodies, or weighted sums of coordinates.

A tendon is a tuple. ``(("joint1", 1.0), ("joint2", -0.5))`` has the length Σ c q of joints (MuJoCo's fixed tendon).
``("a", "b", Wrap("post", 0.02), "c")`` passes straight through the origins of frames, and from "b" to "c" around a
sphere or a cylinder if it is in the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from linkwright.errors import InputError, explained, is_choice

WrapKind = Literal["sphere", "cylinder"]


@explained
@dataclass(frozen=True)
class Wrap:
    """Sphere or cylinder that a tendon wraps around between two frames.

    Parameters
    ----------
    frame : str
        Name of the frame at the center, whose z axis is the axis of a cylinder.
    radius : float
        Radius in m.
    kind : {"sphere", "cylinder"}, optional
        Kind of the body; cylinders are of unlimited length.
    side : str, optional
        Name of a frame, outside the body, on the side on which the tendon passes. It passes on the shorter side by
        default, and only while the straight line cuts the body.

    References
    ----------
    Garner & Pandy, "The obstacle-set method for representing muscle paths in musculoskeletal models", *Comput. Methods
    Biomech. Biomed. Engin.* 3(1), 2000; MuJoCo documentation, "Tendons".

    Examples
    --------
    >>> import linkwright as lw
    >>> pulley = lw.Wrap("elbow_axis", 0.02, "cylinder")
    >>> lw.Actuator("cable", tendon=("upper", pulley, "lower"), gear=-1.0).tendon[1].radius
    0.02
    """

    frame: str
    radius: float
    kind: WrapKind = "sphere"
    side: str = ""

    def __post_init__(self) -> None:
        if not is_choice(self.kind, get_args(WrapKind)):
            raise InputError(f"tendons wrap around {' or '.join(get_args(WrapKind))}; got {self.kind!r}")
        if not (isinstance(self.radius, int | float) and 0.0 < self.radius < np.inf):
            raise InputError(f"the radius of a wrapping {self.kind} is positive, in m; got {self.radius!r}")


Tendon = tuple[tuple[str, float], ...] | tuple[str | Wrap, ...]
"""Joints with coefficients, or frames with wrapping bodies between them"""


def coefficients_of(tendon: Tendon) -> tuple[tuple[str, float], ...]:
    """Return the joints of a tendon of joints, with their coefficients."""
    return tuple(one for one in tendon if isinstance(one, tuple))


def points_of(tendon: Tendon) -> tuple[str, ...]:
    """Return the frames whose origins a tendon passes through."""
    return tuple(one for one in tendon if isinstance(one, str))


def frames_of(tendon: Tendon) -> tuple[str, ...]:
    """Return all frames that a tendon names: its points, and frames of wrapping bodies and their sides."""
    found: list[str] = []
    for one in tendon:
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, Wrap):
            found += [name for name in (one.frame, one.side) if name]
    return tuple(found)


def renamed_tendon(tendon: Tendon, joint: Callable[[str], str], frame: Callable[[str], str]) -> Any:
    """Return a tendon with other names of joints and frames."""
    return tuple(
        frame(one)
        if isinstance(one, str)
        else Wrap(frame(one.frame), one.radius, one.kind, one.side and frame(one.side))
        if isinstance(one, Wrap)
        else (joint(one[0]), one[1])
        for one in tendon
    )


def tendon_problem(tendon: Tendon) -> str:
    """Return the problem of the order of a tendon's elements; "" for none."""
    kinds = ["joint" if isinstance(one, tuple) else "wrap" if isinstance(one, Wrap) else "frame" for one in tendon]
    if "joint" in kinds:
        return "" if set(kinds) == {"joint"} else "a tendon is of joints or of frames, not of both"
    if len(points_of(tendon)) < 2:
        return "a tendon passes through two frames or more"
    wraps = [k for k, kind in enumerate(kinds) if kind == "wrap"]
    between = all(0 < k < len(kinds) - 1 and kinds[k - 1] == kinds[k + 1] == "frame" for k in wraps)
    return "" if between else "each wrapping body of a tendon is between two frames"
