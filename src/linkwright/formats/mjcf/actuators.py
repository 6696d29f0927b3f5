"""Actuators of MJCF files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linkwright.formats.writing import Losses, XmlNode
from linkwright.model.actuator import ZEROS, Actuator, Range
from linkwright.model.build.description import Description

if TYPE_CHECKING:
    from linkwright.formats.mjcf.reading import MjcfReader

FREE, BALL = 0, 1  # mjtJoint

DYNAMICS = ("none", "integrator", "filter", "filterexact")
"""In the order of mjtDyn."""


def actuators_of(reader: MjcfReader) -> dict[int, Actuator]:
    """Return the actuators of a compiled model by their number; those of other kinds are listed as unused."""
    m = reader.m
    names = reader.names(reader.mujoco.mjtObj.mjOBJ_ACTUATOR, m.nu, lambda i: f"actuator{i}")
    found: dict[int, Actuator] = {}
    other: dict[str, list[str]] = {}
    for i, name in enumerate(names):
        if what := _other_kind(reader, i):
            other.setdefault(what, []).append(name)
        else:
            found[i] = _actuator(reader, i, name)
    for what, those in other.items():
        reader.list_names(f"actuators {what}", those)
    return found


def _other_kind(reader: MjcfReader, i: int) -> str:
    """Return what of an actuator is not supported; "" for nothing."""
    m, kinds = reader.m, reader.mujoco
    transmission = _kind(kinds.mjtTrn, m.actuator_trntype[i])
    if transmission not in ("joint", "jointinparent", "site"):
        return f"with a transmission of the kind {transmission}"
    if transmission == "site" and m.actuator_trnid[i, 1] >= 0:
        return "with a refsite"
    for what, kind, known in (
        ("dyntype", kinds.mjtDyn, DYNAMICS),
        ("gaintype", kinds.mjtGain, ("fixed", "affine")),
        ("biastype", kinds.mjtBias, ("none", "affine")),
    ):
        found = _kind(kind, getattr(m, f"actuator_{what}")[i])
        if found not in known:
            return f"with {what} {found}"
    for what in ("delay", "damping", "armature", "plugin"):
        values = getattr(m, f"actuator_{what}", None)
        if values is not None and (values[i] >= 0 if what == "plugin" else values[i] != 0):
            return f"with {what}"
    return ""


def _kind(kinds: Any, value: int) -> str:
    """Return a kind of MuJoCo's as in files."""
    return str(kinds(int(value)).name).rpartition("_")[2].lower()


def _actuator(reader: MjcfReader, i: int, name: str) -> Actuator:
    m, kinds = reader.m, reader.mujoco
    target = int(m.actuator_trnid[i, 0])
    options: dict[str, Any] = {}
    transmission = _kind(kinds.mjtTrn, m.actuator_trntype[i])
    if transmission == "site":
        options["frame"], count = reader.site_frame(target, f"{name}_site"), 6
    else:
        options["joint"] = reader.joints[target]
        options["in_parent"] = transmission == "jointinparent"
        count = {FREE: 6, BALL: 3}.get(int(m.jnt_type[target]), 1)
    gear = m.actuator_gear[i, :count].tolist()
    gain, bias = m.actuator_gainprm[i].tolist(), m.actuator_biasprm[i].tolist()
    gain_kind, bias_kind = (
        _kind(kind, getattr(m, f"actuator_{what}type")[i])
        for kind, what in ((kinds.mjtGain, "gain"), (kinds.mjtBias, "bias"))
    )
    return Actuator(
        name,
        gear=gear[0] if count == 1 else tuple(gear),
        gain=(gain[0], gain[1], gain[2]) if gain_kind == "affine" else (gain[0], 0.0, 0.0),
        bias=(bias[0], bias[1], bias[2]) if bias_kind == "affine" else ZEROS,
        dynamics=_kind(kinds.mjtDyn, m.actuator_dyntype[i]),  # type: ignore[arg-type]
        time_constant=float(m.actuator_dynprm[i, 0]) if m.actuator_actnum[i] else 1.0,
        control_range=_range(m, "ctrl", i),
        force_range=_range(m, "force", i),
        activation_range=_range(m, "act", i),
        early=bool(m.actuator_actearly[i]),
        **options,
    )


def _range(m: Any, what: str, i: int) -> Range | None:
    if not getattr(m, f"actuator_{what}limited")[i]:
        return None
    low, high = getattr(m, f"actuator_{what}range")[i].tolist()
    return low, high


def write_actuators(root: XmlNode, description: Description, losses: Losses, changed: Sequence[str]) -> list[Actuator]:
    """Add <actuator> and return its actuators; ``changed``: names of joints that are others in the file."""
    written: list[Actuator] = []
    node = XmlNode("actuator")
    sites = {frame.name for frame in description.frames}
    parts = {name for joint in description.joints for name in (joint.name, *_part_names(joint))}
    for one in description.actuators:
        if (one.joint and (one.joint in changed or one.joint not in parts)) or (one.frame and one.frame not in sites):
            losses.add("actuators of joints and frames that are others in MuJoCo are lost", one.name)
            continue
        options: dict[str, Any] = {"name": one.name, "gear": one.gear}
        if one.frame:
            options["site"] = one.frame
        else:
            options["jointinparent" if one.in_parent else "joint"] = one.joint
        affine = any(one.gain[1:])
        options |= {"gaintype": "affine" if affine else "fixed", "gainprm": one.gain if affine else one.gain[:1]}
        if any(one.bias):
            options |= {"biastype": "affine", "biasprm": one.bias}
        if one.has_activation:
            options |= {"dyntype": one.dynamics, "dynprm": one.time_constant}
        for what in ("control", "force", "activation"):
            limits = getattr(one, f"{what}_range")
            if limits is not None:
                options[{"control": "ctrlrange", "force": "forcerange", "activation": "actrange"}[what]] = limits
        if one.early:
            options["actearly"] = "true"
        node.add("general", **options)
        written.append(one)
    if node.children:
        root.children.append(node)
    return written


def _part_names(joint: Any) -> list[str]:
    """Return the names of the parts of a compound joint, which are joints in files."""
    return [part.name for part in getattr(joint.motion, "parts", ()) if part.name]
