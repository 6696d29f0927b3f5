"""Elements of MJCF files that are not used, as lists of kinds with numbers and names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from linkwright.formats.mjcf.reading import MjcfReader

BALL = 1  # mjtJoint


def unused_of_spec(spec: Any) -> list[str]:
    """Return the unused elements of the file: kinds, with their number and names."""
    unused: list[str] = []
    for kind, elements in (
        ("flexible bodies", spec.flexes),
        ("skins", spec.skins),
        ("plugins", spec.plugins),
    ):
        unused += counted(kind, [element.name for element in elements])
    return unused


def counted(kind: str, names: Iterable[str]) -> list[str]:
    """Return ["tendons (3: a, b, …)"], or an empty list."""
    names = list(names)
    shown = [name for name in names if name][:6]
    listed = f": {', '.join(shown)}{', …' if len(shown) < len(names) else ''}" if shown else ""
    return [f"{kind} ({len(names)}{listed})"] if names else []


def unused_of_model(reader: MjcfReader) -> list[str]:
    """Return the unused elements of the compiled model."""
    unused: list[str] = []
    m = reader.m
    moving = range(1, m.nbody)
    unused += counted(
        "mocap bodies, welded where they are", [reader.bodies[b] for b in moving if m.body_mocapid[b] >= 0]
    )
    unused += counted(
        "limits of ball joints",
        [reader.joints[j] for j in range(m.njnt) if m.jnt_limited[j] and m.jnt_type[j] == BALL],
    )
    for what, field, owner in (
        ("higher-order stiffnesses of joints", "jnt_stiffnesspoly", None),
        ("higher-order dampings of joints", "dof_dampingpoly", m.dof_jntid),
        ("yield limits of joint springs", "jnt_springyield", None),
    ):
        values = getattr(m, field, None)  # since MuJoCo 4
        if values is not None:
            rows = np.flatnonzero(values.any(axis=tuple(range(1, values.ndim))))
            joints = (reader.joints[k if owner is None else owner[k]] for k in rows)
            unused += counted(what, dict.fromkeys(joints))
    if m.opt.density or m.opt.viscosity or m.opt.wind.any():
        unused.append("the medium (density, viscosity, wind)")
    bits = reader.mujoco.mjtDisableBit
    for what in ("limit", "frictionloss", "spring", "damper", "equality", "constraint", "actuation", "clampctrl"):
        bit = getattr(bits, f"mjDSBL_{what.upper()}", None)
        if bit is not None and m.opt.disableflags & bit:
            unused.append(f'the flag {what}="disable"')
    return unused
