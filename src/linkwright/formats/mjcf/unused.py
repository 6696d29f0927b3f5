"""Elements of MJCF files that are not used, as lists of kinds with numbers and names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.formats.mjcf.contacts import touching

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
    disabled_flags = [what for what in FLAGS if is_disabled(m, reader.mujoco, what)]
    if np.count_nonzero(touching(m)) > 1 and is_disabled(m, reader.mujoco, "contact"):
        disabled_flags.append("contact")
    unused += [f'the flag {what}="disable"' for what in disabled_flags]
    if m.opt.enableflags & reader.mujoco.mjtEnableBit.mjENBL_OVERRIDE:
        unused.append('the flag override="enable" with its contact parameters')
    for what, field in (("speeds of surfaces", "geom_surfacevel"), ("adhesion", "geom_adhesion")):
        values = getattr(m, field, None)  # since MuJoCo 4
        if values is not None:
            rows = np.flatnonzero(values.any(axis=tuple(range(1, values.ndim))))
            geoms = reader.names(reader.mujoco.mjtObj.mjOBJ_GEOM, m.ngeom, lambda g: f"geom{g}")
            unused += counted(what, [geoms[g] for g in rows])
    disabled = m.opt.disableactuator
    off = [a for a in range(m.nu) if 0 <= m.actuator_group[a] < GROUPS and disabled >> int(m.actuator_group[a]) & 1]
    names = reader.names(reader.mujoco.mjtObj.mjOBJ_ACTUATOR, m.nu, lambda a: f"actuator{a}")
    unused += counted("disabled groups of actuators, which act", [names[a] for a in off])
    return unused


FLAGS = ("limit", "frictionloss", "spring", "damper", "equality", "constraint", "actuation", "clampctrl")
"""Flags of physics, which are used as if they were enabled."""

GROUPS = 31
"""Number of groups of actuators that can be disabled."""


def is_disabled(m: Any, mujoco: Any, flag: str) -> bool:
    """Return whether a flag of the compiled model is "disable"."""
    bit = getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}", None)
    return bit is not None and bool(m.opt.disableflags & bit)
