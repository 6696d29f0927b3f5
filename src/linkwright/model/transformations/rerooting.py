"""Models with another link as root.

A joint's child has the pose P A T(q) A⁻¹ in its parent, with the placement P and the axes A. After inversion, the old
parent is the child. Axes A′ = P A F and a placement A F A′⁻¹ give it the motion F⁻¹ T(q)⁻¹ F. With F a half
turn about a perpendicular axis this is T(q) for all joints along and about one axis; with F = 1 it is the inverse of T.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.errors import InputError
from linkwright.model.build.assembly import assemble, described
from linkwright.model.build.description import WORLD, JointSpec
from linkwright.model.elements import PER_COORDINATE, PER_VELOCITY, Link
from linkwright.model.joints.joint import Free
from linkwright.model.transformations.additions import link_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_zero
from linkwright.spatial.rotation import quaternion_from_matrix
from linkwright.spatial.transform import inverse_pose, pose_matrix


def rerooted(model: Model, body: str, root: str | None) -> Model:
    """See :meth:`Model.reroot`."""
    if root not in (None, "fixed", "free"):
        raise InputError(f"root is {root!r}; it may be 'free', 'fixed' or None")
    description = described(model)
    link_of(description, body)
    anchors = [joint for joint in description.joints if joint.parent == WORLD]
    text = f"{body!r} cannot be the root of {model.name!r}"
    if len(anchors) != 1 or not (anchors[0].motion is None or anchors[0].motion.floating):
        names = ", ".join(f"{joint.name!r} ({joint.motion.type if joint.motion else 'fixed'})" for joint in anchors)
        raise InputError(f"{text}: one free or fixed joint at the world must carry it all; there are {names}")
    base = anchors[0]
    motion = base.motion if root is None else Free() if root == "free" else None
    above = {joint.child: joint for joint in description.joints}
    turned: dict[str, JointSpec] = {}
    at = body
    while above[at] is not base:
        turned[above[at].name] = _turned(above[at], text)
        at = above[at].parent
    if base.motion is not None and base.motion.floating:
        _require_plain(base, text)
    stays = base.motion is None and motion is None  # the new link is where the first one was
    new_base = replace(base, child=body) if stays else JointSpec(base.name, WORLD, body, motion)
    if base.motion is not None and base.motion.floating and np.any(base.neutral != base.motion.neutral):
        R = (T := _neutral_pose(model, body))[:3, :3]
        if motion is not None:
            new_base = replace(new_base, neutral=np.concatenate([T[:3, 3], quaternion_from_matrix(R)]))
    joints = [turned.get(joint.name, joint) for joint in description.joints if joint is not base]
    made = replace(description, joints=(new_base, *joints), keyframes=(), actuators=(), sensors=())
    return assemble(made, known=description.bodies)


def _neutral_pose(model: Model, body: str) -> Array:
    """Return the pose (4, 4) of a link in the world in the neutral configuration."""

    def outward(link: Link, above: Array, q: Array) -> Array:
        return above @ link.transform(q)

    frame = model.frames[body]
    poses = [*model.outward(outward, np.eye(4), model.coordinates(model.neutral())), np.eye(4)]  # last: the world
    return np.asarray(poses[frame.body] @ frame.placement)


def _turned(joint: JointSpec, subject: str) -> JointSpec:
    """Return the joint between the old child as parent and the old parent as child."""
    joint = replace(joint, parent=joint.child, child=joint.parent)
    if joint.motion is None:
        return replace(joint, placement=inverse_pose(joint.placement))
    turned = joint.motion.inverted()
    if turned.inverse:
        _require_plain(joint, subject)
    axes = joint.axes @ pose_matrix(turned.turn)
    new_axes = joint.placement @ axes
    values: dict[str, Any] = {of: _reordered(getattr(joint, of), turned.of_q) for of in PER_COORDINATE}
    values |= {of: _reordered(getattr(joint, of), turned.of_v) for of in PER_VELOCITY}
    return replace(
        joint,
        motion=turned.motion,
        placement=axes @ inverse_pose(new_axes),
        alignment=new_axes[:3, :3],
        anchor=new_axes[:3, 3],
        **values,
    )


def _reordered(x: Any, order: list[int]) -> Any:
    return x if x is None or np.ndim(x) == 0 else np.asarray(x)[order]


def _require_plain(joint: JointSpec, subject: str) -> None:
    """Raise an error for values per coordinate that have no equivalent for the inverse motion."""
    motion = joint.motion
    assert motion is not None
    wrong = [of for of in ("lower", "upper") if _given(joint, of) and np.isfinite(np.asarray(getattr(joint, of))).any()]
    for of in ("stiffness", "damping", "friction", "armature"):
        x = np.broadcast_to(np.asarray(getattr(joint, of)), (motion.nv,))
        alike = motion.isotropic and of != "friction" and all(y is x[0] or y == x[0] for y in x)
        if not alike and not all(map(is_zero, x)):
            wrong.append(of)
    sprung = not all(map(is_zero, np.ravel(joint.stiffness)))
    if sprung and "stiffness" not in wrong and _given(joint, "rest") and np.any(joint.rest != motion.neutral):
        wrong.append("rest")
    if not motion.floating and _given(joint, "neutral") and np.any(joint.neutral != motion.neutral):
        wrong.append("neutral")
    if wrong:
        raise InputError(
            f"{subject}: {', '.join(wrong)} of the {motion.type} joint {joint.name!r} cannot be expressed in "
            "coordinates of the inverse motion"
        )


def _given(joint: JointSpec, of: str) -> bool:
    return getattr(joint, of) is not None
