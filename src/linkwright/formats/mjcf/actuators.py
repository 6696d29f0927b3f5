"""Actuators of MJCF files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from linkwright.errors import FormatError, InputError
from linkwright.formats.mjcf.free_joints import as_free
from linkwright.formats.mjcf.tendons import add_tendon, kind_of, other_tendon, tendon_of
from linkwright.formats.writing import Losses, XmlNode
from linkwright.model.build.description import Description
from linkwright.model.parts.actuator import ZEROS, Actuator, Muscle, Range
from linkwright.model.parts.tendon import Wrap

if TYPE_CHECKING:
    from linkwright.formats.mjcf.reading import MjcfReader

FREE, BALL = 0, 1  # mjtJoint

SMALLEST = 1e-15
"""Smallest acceleration by which MuJoCo scales the force of a muscle."""

DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle")


def actuators_of(reader: MjcfReader) -> dict[int, Actuator]:
    """Return the actuators of a compiled model by their number; those of other kinds are listed as unused."""
    m = reader.m
    names = reader.names(reader.mujoco.mjtObj.mjOBJ_ACTUATOR, m.nu, lambda i: f"actuator{i}")
    found: dict[int, Actuator] = {}
    other: dict[str, list[str]] = {}
    problems: list[str] = []
    for i, name in enumerate(names):
        if what := _other_kind(reader, i):
            other.setdefault(what, []).append(name)
        else:
            try:
                found[i] = _actuator(reader, i, name)
            except InputError as error:
                problems.append(f"{reader.path}: {error}")
    if problems:
        raise FormatError(problems)
    for what, those in other.items():
        reader.list_names(f"actuators {what}", those)
    return found


def _other_kind(reader: MjcfReader, i: int) -> str:
    """Return the property of an actuator that is not supported; "" for none."""
    m, kinds = reader.m, reader.mujoco
    transmission = kind_of(kinds.mjtTrn, m.actuator_trntype[i])
    if transmission not in ("joint", "jointinparent", "site", "tendon"):
        return f"with a transmission of the kind {transmission}"
    if transmission == "tendon":
        t = int(m.actuator_trnid[i, 0])
        if m.tendon_actfrclimited[t]:
            return "of a tendon with actuatorfrcrange"
        if wrong := other_tendon(reader, t):
            return f"of a tendon {wrong}"
    if transmission == "site" and m.actuator_trnid[i, 1] >= 0:
        return "with a refsite"
    for what, kind, known in (
        ("dyntype", kinds.mjtDyn, DYNAMICS),
        ("gaintype", kinds.mjtGain, ("fixed", "affine", "muscle")),
        ("biastype", kinds.mjtBias, ("none", "affine", "muscle")),
    ):
        found = kind_of(kind, getattr(m, f"actuator_{what}")[i])
        if found not in known:
            return f"with {what} {found}"
    muscles = [kind_of(kind, getattr(m, f"actuator_{what}type")[i]) == "muscle" for what, kind in _types(kinds)]
    same = (m.actuator_gainprm[i] == m.actuator_biasprm[i]).all()
    if muscles[1] != muscles[2] or (muscles[0] and not muscles[1]) or (muscles[1] and not same):
        return "that are muscles in part"
    for what in ("delay", "damping", "armature", "plugin"):
        values = getattr(m, f"actuator_{what}", None)
        if values is not None and (values[i] >= 0 if what == "plugin" else values[i] != 0):
            return f"with {what}"
    return ""


def _types(kinds: Any) -> tuple[tuple[str, Any], ...]:
    return ("dyn", kinds.mjtDyn), ("gain", kinds.mjtGain), ("bias", kinds.mjtBias)


def _muscle(m: Any, i: int) -> Muscle:
    low, high, force, scale, shortest, longest, fastest, passive, lengthening = m.actuator_gainprm[i, :9].tolist()
    times = m.actuator_dynprm[i, :3].tolist()
    return Muscle(
        force if force >= 0.0 else scale / max(float(m.actuator_acc0[i]), SMALLEST),
        tuple(m.actuator_lengthrange[i].tolist()),
        (low, high),
        (shortest, longest),
        fastest,
        passive,
        lengthening,
        (times[0], times[1]),
        times[2],
    )


def _actuator(reader: MjcfReader, i: int, name: str) -> Actuator:
    m, kinds = reader.m, reader.mujoco
    target = int(m.actuator_trnid[i, 0])
    options: dict[str, Any] = {}
    transmission = kind_of(kinds.mjtTrn, m.actuator_trntype[i])
    if transmission == "site":
        options["frame"], count = reader.site_frame(target, f"{name}_site"), 6
    elif transmission == "tendon":
        options["tendon"], count = tendon_of(reader, target, name), 1
    else:
        options["joint"] = reader.joints[target]
        options["in_parent"] = transmission == "jointinparent"
        count = {FREE: 6, BALL: 3}.get(int(m.jnt_type[target]), 1)
    gear = m.actuator_gear[i, :count].tolist()
    dynamics = kind_of(kinds.mjtDyn, m.actuator_dyntype[i])
    gain, bias = m.actuator_gainprm[i].tolist(), m.actuator_biasprm[i].tolist()
    gain_kind, bias_kind = (
        kind_of(kind, getattr(m, f"actuator_{what}type")[i])
        for kind, what in ((kinds.mjtGain, "gain"), (kinds.mjtBias, "bias"))
    )
    return Actuator(
        name,
        gear=gear[0] if count == 1 else tuple(gear),
        gain=(gain[0] if gain_kind == "fixed" else 1.0, 0.0, 0.0) if gain_kind != "affine" else tuple(gain[:3]),
        bias=(bias[0], bias[1], bias[2]) if bias_kind == "affine" else ZEROS,
        dynamics=dynamics,  # type: ignore[arg-type]
        time_constant=float(m.actuator_dynprm[i, 0]) if "filter" in dynamics else 1.0,
        control_range=_range(m, "ctrl", i),
        force_range=_range(m, "force", i),
        activation_range=_range(m, "act", i),
        early=bool(m.actuator_actearly[i]),
        muscle=_muscle(m, i) if gain_kind == "muscle" else None,
        **options,
    )


def _range(m: Any, what: str, i: int) -> Range | None:
    if not getattr(m, f"actuator_{what}limited")[i]:
        return None
    low, high = getattr(m, f"actuator_{what}range")[i].tolist()
    return low, high


def write_actuators(
    root: XmlNode, description: Description, losses: Losses, changed: Sequence[str], wrapping: Callable[[Wrap], str]
) -> list[Actuator]:
    """Add <actuator> and return its actuators.

    ``changed``: names of joints that are others in the file; ``wrapping``: adds the geom of a wrapping body.
    """
    written: list[Actuator] = []
    node = XmlNode("actuator")
    sites = {frame.name for frame in description.frames}
    joints = file_joints(description, changed)
    for one in description.actuators:
        if not {*one.joints} <= joints or not {*one.frames} <= sites:
            losses.add("actuators of joints and frames that are others in MuJoCo are lost", one.name)
            continue
        options: dict[str, Any] = {"name": one.name, "gear": one.gear}
        if one.frame:
            options["site"] = one.frame
        elif one.tendon:
            options["tendon"] = f"{one.name}_tendon"
            add_tendon(root, one.tendon, {"name": options["tendon"]}, lambda frame, _: frame, wrapping)
        else:
            options["jointinparent" if one.in_parent else "joint"] = one.joint
        affine = any(one.gain[1:])
        if one.muscle is not None:
            options |= _muscle_options(one.muscle)
        else:
            options |= {"gaintype": "affine" if affine else "fixed", "gainprm": one.gain if affine else one.gain[:1]}
            if any(one.bias):
                options |= {"biastype": "affine", "biasprm": one.bias}
        if one.has_activation:
            options["dyntype"] = one.dynamics
            muscle = one.muscle if one.dynamics == "muscle" else None
            options["dynprm"] = (*muscle.activation_times, muscle.smoothing) if muscle else one.time_constant
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


def _muscle_options(muscle: Muscle) -> dict[str, Any]:
    """Return the attributes of a muscle's force."""
    curves = (muscle.fastest, muscle.passive_force, muscle.lengthening_force)
    prm = (*muscle.operating_range, muscle.force, 1.0, *muscle.active_range, *curves)
    same = {"gaintype": "muscle", "gainprm": prm, "biastype": "muscle", "biasprm": prm}
    return {**same, "lengthrange": muscle.length_range}


def file_joints(description: Description, changed: Sequence[str]) -> set[str]:
    """Return the names of the joints that are joints in files: single ones, and the parts of compound joints."""
    found: set[str] = set()
    for joint in description.joints:
        motion = as_free(joint).motion
        if motion is not None and joint.name not in changed:
            found |= {part.name for part in motion.parts if part.name} or {joint.name}
    return found
