"""Limits of joints: missing, in degrees, or without the neutral configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from linkwright.dynamics.limbs import legs_below_base
from linkwright.model.tree import Model
from linkwright.robot_check.finding import FileFinding, few

TURNS = 20.0
"""rad: larger limits of revolute joints are probably in degrees."""

UNLIMITED = 1e4
"""Limits of at least this size stand for none."""


def joint_findings(model: Model, before: Sequence[FileFinding]) -> Iterator[FileFinding]:
    """Yield the findings about limits, and about a base that is welded to the world."""
    places = {joint.name: joint.place for joint in model.description.joints}
    reported = " ".join(finding.message for finding in before if finding.rule == "limits")
    open_ended: list[str] = []
    idle: list[str] = []
    without_effort: list[str] = []
    for joint in model.joints:
        if joint.coupling or not joint.motion.nv:
            continue
        finite = np.isfinite(joint.lower) & np.isfinite(joint.upper)
        if (joint.motion.hinge or joint.motion.slide) and not finite.all() and repr(joint.name) not in reported:
            open_ended.append(joint.name)
        if np.any(joint.effort_limit == 0.0) or np.any(joint.velocity_limit == 0.0):
            idle.append(joint.name)
        if not joint.motion.floating and np.isinf(joint.effort_limit).all():
            without_effort.append(joint.name)
    yield from range_findings(model)
    if open_ended:
        text = f"without position limits: {few(open_ended)}"
        yield FileFinding("note", "limits", places.get(open_ended[0], ""), text)
    if idle:
        text = f"an effort or velocity limit of 0, so that no motor moves them: {few(idle)}"
        yield FileFinding("warning", "limits", places.get(idle[0], ""), text)
    if without_effort:
        yield FileFinding(
            "note", "limits", places.get(without_effort[0], ""), f"without effort limits: {few(without_effort)}"
        )
    if (legs := legs_below_base(model)) > 1:
        text = (
            f"{legs} legs hang from the base, which is welded to the world; root='free' (--root free) adds a free joint"
        )
        yield FileFinding("note", "base", "", text)
    beyond = (model.neutral() < model.lower - 1e-9) | (model.neutral() > model.upper + 1e-9)
    if outside := [name for name, one in zip(model.coordinate_names, beyond, strict=True) if one]:
        what = "the neutral configuration" if np.any(model.neutral()[beyond]) else "zero"
        text = f"{what} is outside the limits of {few(outside)}"
        yield FileFinding("note", "limits", places.get(outside[0], ""), text)


def range_findings(model: Model) -> Iterator[FileFinding]:
    """Yield the findings about limits in degrees."""
    places = {joint.name: joint.place for joint in model.description.joints}
    for joint in model.joints:
        if not joint.motion.hinge or joint.coupling:
            continue
        if TURNS < float(max(np.abs(joint.lower).max(), np.abs(joint.upper).max())) < UNLIMITED:
            limits = f"{joint.lower.min():.4g} to {joint.upper.max():.4g} rad"
            text = f"joint {joint.name!r}: limits of {limits}: are they in degrees?"
            yield FileFinding("warning", "units", places.get(joint.name, ""), text)
