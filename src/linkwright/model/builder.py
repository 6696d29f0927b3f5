"""Mechanisms built by hand, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError
from linkwright.model.assembly import assemble
from linkwright.model.description import (
    STANDARD_GRAVITY,
    WORLD,
    BodySpec,
    Description,
    FrameSpec,
    JointSpec,
    Loop,
    Mimic,
    motion_of,
    pose_of,
)
from linkwright.model.tree import Model
from linkwright.spatial.rotation import rotation_rpy


class Builder:
    """Collects bodies, joints and frames in any order; :meth:`build` checks and sorts them.

    >>> import linkwright as lw
    >>> pendulum = (
    ...     lw.Builder("pendulum")
    ...     .body("rod", mass=1.0, center_of_mass=[0, 0, -0.5], inertia=[0.1, 0.1, 0.001])
    ...     .joint("hinge", "revolute", "world", "rod", axis=[0, 1, 0])
    ...     .build()
    ... )
    >>> pendulum.nq
    1
    """

    def __init__(self, name: str, gravity: Sequence[float] = STANDARD_GRAVITY):
        g = np.array(gravity, dtype=float)
        if g.shape != (3,) or not np.isfinite(g).all():
            raise InputError(f"gravity is three finite numbers; got {gravity!r}")
        self._name = str(name)
        self._gravity: tuple[float, float, float] = tuple(g.tolist())
        self._bodies: list[BodySpec] = []
        self._joints: list[JointSpec] = []
        self._frames: list[FrameSpec] = []
        self._loops: list[Loop] = []

    def body(self, name: str, mass: float = 0.0, center_of_mass: Any = (0.0, 0.0, 0.0), inertia: Any = 0.0) -> Builder:
        """Add a rigid body.

        ``center_of_mass`` (3,) is in the body's frame, m; ``inertia`` is about the centre of mass in
        body axes, kg m²: a matrix (3, 3), its diagonal (3,), or one number for all three axes.
        """
        I = _floats(f"the inertia of body {name!r}", inertia)
        if I.shape in ((), (3,)):
            I = np.diag(np.broadcast_to(I, (3,)))
        c = _floats(f"the centre of mass of body {name!r}", center_of_mass)
        self._bodies.append(BodySpec(name, float(_floats(f"the mass of body {name!r}", mass)), c, I))
        return self

    def joint(
        self,
        name: str,
        type: str,
        parent: str,
        child: str,
        *,
        xyz: Sequence[float] | None = None,
        rpy: Sequence[float] | None = None,
        placement: Any = None,
        axis: Any = None,
        second_axis: Any = None,
        pitch: float | None = None,
        lower: Any = None,
        upper: Any = None,
        velocity_limit: Any = None,
        effort_limit: Any = None,
        stiffness: Any = 0.0,
        rest: Any = None,
        damping: Any = 0.0,
        friction: Any = 0.0,
        armature: Any = 0.0,
        mimic: str | None = None,
        multiplier: float = 1.0,
        offset: float = 0.0,
    ) -> Builder:
        """Add a joint that moves body ``child`` on body ``parent`` ("world" for the ground).

        ``type``: fixed, revolute, continuous, prismatic, helical, cylindrical, universal, planar,
        spherical or free. Its frame is placed on the parent by ``xyz`` (m) and ``rpy`` (rad; fixed-axis
        roll, pitch, yaw) or by ``placement`` (4, 4); ``axis`` (z unless given; need not be of unit
        length) is in that frame. ``pitch``: metres a turn, of helical joints. Limits, ``stiffness``
        (towards ``rest``), ``damping``, Coulomb ``friction`` and ``armature`` (reflected rotor inertia)
        are one number or one per coordinate. ``mimic`` names a joint this one follows:
        coordinate = ``multiplier`` · (its coordinate) + ``offset``.
        """
        if placement is not None and (xyz is not None or rpy is not None):
            raise ArgumentError(f"joint {name!r}: give placement, or xyz and rpy, not both")
        if xyz is not None and _floats(f"the xyz of joint {name!r}", xyz).shape != (3,):
            raise InputError(f"joint {name!r}: xyz is three numbers; got {xyz!r}")
        if rpy is not None and _floats(f"the rpy of joint {name!r}", rpy).shape != (3,):
            raise InputError(f"joint {name!r}: rpy is three numbers; got {rpy!r}")
        motion, alignment = motion_of(type, axis, second_axis, pitch)
        self._joints.append(
            JointSpec(
                name,
                parent,
                child,
                motion,
                pose_of(placement, xyz, None if rpy is None else rotation_rpy(rpy)),
                alignment,
                lower=lower,
                upper=upper,
                velocity_limit=velocity_limit,
                effort_limit=effort_limit,
                stiffness=stiffness,
                rest=rest,
                damping=damping,
                friction=friction,
                armature=armature,
                mimic=None if mimic is None else Mimic(mimic, float(multiplier), float(offset)),
            )
        )
        return self

    def frame(
        self,
        name: str,
        body: str,
        *,
        xyz: Sequence[float] | None = None,
        rpy: Sequence[float] | None = None,
        placement: Any = None,
    ) -> Builder:
        """Add a named frame on a body ("world" for the ground)."""
        pose = pose_of(placement, xyz, None if rpy is None else rotation_rpy(rpy))
        self._frames.append(FrameSpec(name, body, pose))
        return self

    def build(self, root: str | None = None) -> Model:
        """The model. ``root="free"`` sets the one body without a joint (or welded to the world) afloat."""
        return assemble(self.describe().rooted(root) if root else self.describe())

    def describe(self) -> Description:
        """What has been collected so far."""
        return Description(
            self._name,
            tuple(self._bodies),
            tuple(self._joints),
            tuple(self._frames),
            tuple(self._loops),
            self._gravity,
        )


def _floats(what: str, value: Any) -> Any:
    try:
        x = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers; got {value!r}") from None
    if not np.isfinite(x).all():
        raise InputError(f"{what} must be finite; got {value!r}")
    return x


__all__ = ["WORLD", "Builder"]
