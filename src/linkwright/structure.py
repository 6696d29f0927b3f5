"""Changes of the structure of a moving mechanism.

The new mechanism may have other joints and loops; the bodies keep their poses. New constraints act as a plastic impact.
With the twists V_b and inertias I_b of the bodies before the change, and J_b, M′ of the mechanism after it,

    M′ v′ = Σ J_bᵀ I_b V_b   (plus the rotors of joints that stay).

Where M′ has loops, v′ is the nearest velocity that they allow, in the metric M′. The lost kinetic energy is that of
the lost motion (Carnot): ½ Σ (V_b − V′_b)ᵀ I_b (V_b − V′_b). Without new constraints no energy is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwright.dynamics import (
    close_loops,
    constraint_residual,
    impulse,
    jacobian,
    kinetic_energy,
    mass_matrix,
    pose,
    velocity,
)
from linkwright.dynamics.configuration import check_state
from linkwright.errors import ArgumentError, ModelError, ShapeError, UnknownNameError
from linkwright.model.elements import Joint, Link
from linkwright.model.requirement import require_model, takes_numeric_model
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.transform import inverse_pose, pose_log

__all__ = ["TransferredState", "add_loop", "grasp", "lock_joints", "remove_loop", "transfer_state", "unlock_joints"]


def __dir__() -> list[str]:
    return __all__


REACHED = 1e-9
"""Largest error of a body's pose, relative to the length of the mechanism and to 1 rad."""

OPEN = 1e-6
"""Largest residual of a loop, in the same units."""

ITERATIONS = 50


class TransferredState(NamedTuple):
    """State of a mechanism after a change of its structure.

    Parameters
    ----------
    model : Model
        New mechanism.
    q : ndarray, shape (nq,)
        Its configuration.
    v : ndarray, shape (nv,)
        Its velocity.
    lost : float
        Kinetic energy in J that the change dissipated.
    """

    model: Model
    q: Array
    v: Array
    lost: float


@takes_numeric_model()
def transfer_state(model: Model, q: ArrayLike, v: ArrayLike, other: Model) -> TransferredState:
    """Compute the state of another mechanism whose bodies have the same poses, after a plastic impact.

    Parameters
    ----------
    model : Model
        Mechanism before the change.
    q : array_like, shape (nq,)
        Configuration.
    v : array_like, shape (nv,)
        Velocity.
    other : Model
        Mechanism after the change, with frames of the same names at the same poses in the same bodies. Its joints and
        loops may differ.

    Returns
    -------
    TransferredState
        New mechanism, its state, and the lost kinetic energy.

    Raises
    ------
    ModelError
        If the joints of `other` cannot reach the poses of the bodies, or its loops are open.
    """
    q, v = _state(model, q, v)
    require_model(other, "transfer_state", "other")
    there = posture(model, q, other)
    return _carried(model, q, v, other, there)


@takes_numeric_model()
def lock_joints(model: Model, q: ArrayLike, v: ArrayLike, joints: Iterable[str]) -> TransferredState:
    """Lock joints at their present positions by a plastic impact.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (nq,)
        Configuration.
    v : array_like, shape (nv,)
        Velocity.
    joints : iterable of str
        Names of the joints to lock.

    Returns
    -------
    TransferredState
        Mechanism with locked joints (see :meth:`Model.lock`), its state, and the lost kinetic energy.
    """
    q, v = _state(model, q, v)
    names = _names("joints", joints)
    return _carried(model, q, v, model.lock({name: q[model.slice(name).q] for name in names}))


@takes_numeric_model()
def unlock_joints(
    model: Model, q: ArrayLike, v: ArrayLike, free: Model, joints: Iterable[str] | None = None
) -> TransferredState:
    """Unlock joints that :func:`lock_joints` locked; no energy is lost.

    Parameters
    ----------
    model : Model
        Mechanism with locked joints.
    q : array_like, shape (nq,)
        Configuration.
    v : array_like, shape (nv,)
        Velocity.
    free : Model
        Mechanism before any joint was locked.
    joints : iterable of str, optional
        Names of the joints to unlock; by default all locked joints.

    Returns
    -------
    TransferredState
        Mechanism with these joints unlocked, and its state.

    Raises
    ------
    UnknownNameError
        If one of `joints` is not locked.
    """
    q, v = _state(model, q, v)
    require_model(free, "unlock_joints", "free")
    whole = posture(model, q, free)
    locked = [joint.name for joint in free.joints if joint.nq and joint.name not in {one.name for one in model.joints}]
    chosen = locked if joints is None else _names("joints", joints)
    if unknown := [name for name in chosen if name not in locked]:
        raise UnknownNameError("locked joint", unknown[0], locked)
    rest = [name for name in locked if name not in chosen]
    other = free.lock({name: whole[free.slice(name).q] for name in rest}) if rest else free
    return _carried(model, q, v, other)


@takes_numeric_model()
def add_loop(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    name: str,
    type: str | tuple[str, Any],
    first: str,
    second: str,
    *,
    axis: ArrayLike | None = None,
) -> TransferredState:  # a loop's kind is its type elsewhere too
    """Add a loop that holds two frames at their present relative pose, by a plastic impact.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (nq,)
        Configuration, which determines the placement of the loop.
    v : array_like, shape (nv,)
        Velocity.
    name : str
        Name of the new loop.
    type : str or (str, parameter)
        Type of the loop as in :meth:`Builder.loop`: "ball" holds the origin of `second` at its present position in
        `first`, "weld" holds its axes too, "revolute" allows a rotation about ``axis``.
    first, second : str
        Names of the frames.
    axis : array_like, shape (3,) or (2, 3), optional
        Axis in `second`, as of :meth:`Builder.loop`.

    Returns
    -------
    TransferredState
        Mechanism with the loop, its state, and the lost kinetic energy.
    """
    q, v = _state(model, q, v)
    placement = inverse_pose(pose(model, q, first)) @ pose(model, q, second)
    placement[3] = 0.0, 0.0, 0.0, 1.0
    other = model.with_loop(name, type, first, second, placement=placement, axis=axis)
    return _carried(model, q, v, other, q)


@takes_numeric_model()
def remove_loop(model: Model, q: ArrayLike, v: ArrayLike, name: str) -> TransferredState:
    """Remove a loop; the state does not change.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (nq,)
        Configuration.
    v : array_like, shape (nv,)
        Velocity.
    name : str
        Name of the loop.

    Returns
    -------
    TransferredState
        Mechanism without the loop, and its state.
    """
    q, v = _state(model, q, v)
    return TransferredState(model.without_loop(name), q, v, 0.0)


@takes_numeric_model()
def grasp(model: Model, q: ArrayLike, v: ArrayLike, hand: str, held: str, name: str = "grasp") -> TransferredState:
    """Attach a frame to a hand at its present relative pose: a weld, added by a plastic impact.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (nq,)
        Configuration.
    v : array_like, shape (nv,)
        Velocity.
    hand : str
        Frame of the hand.
    held : str
        Frame of the held body.
    name : str, optional
        Name of the loop; :func:`remove_loop` with this name releases the body.

    Returns
    -------
    TransferredState
        Mechanism with the weld, its state, and the lost kinetic energy.
    """
    return add_loop(model, q, v, name, "weld", hand, held)


def posture(model: Model, q: Array, other: Model) -> Array:
    """Return the configuration (nq,) of another mechanism with the same poses of its bodies."""
    poses = [_canonical_pose(model, q, other, k) for k in range(len(other.links))]
    length = scale_of(other).length
    found = []
    for k, (joint, link) in enumerate(zip(other.joints, other.links, strict=True)):
        parent = np.eye(4) if link.parent < 0 else poses[link.parent]
        relative = inverse_pose(parent @ link.placement) @ poses[k]
        x = _coordinates(link, relative, _guess(model, q, joint))
        off = _off(link, relative, x)
        if not max(np.abs(off[:3]).max() / length, np.abs(off[3:]).max()) <= REACHED:
            raise ModelError(
                f"joint {joint.name!r} of {other.name!r} cannot reach the pose of body {joint.child!r}: the smallest "
                f"error is {np.abs(off).max():.3g} (m or rad)"
            )
        found.append(x)
    whole: Array = other.positions([x[: joint.nq] for x, joint in zip(found, other.joints, strict=True)])
    followed = other.coordinates(whole)
    for joint, x, follower in zip(other.joints, found, followed, strict=True):
        if joint.coupling is not None and np.abs(x - follower).max() > REACHED * max(1.0, length):
            raise ModelError(f"mimic joint {joint.name!r} of {other.name!r} would have to change its position")
    return whole


def _canonical_pose(model: Model, q: Array, other: Model, body: int) -> Array:
    name = other.bodies[body].name
    if name not in model.frames:
        raise ModelError(f"body {name!r} of {other.name!r} is not in {model.name!r}; its pose is unknown")
    found: Array = pose(model, q, name) @ inverse_pose(other.frames[name].placement)
    return found


def _guess(model: Model, q: Array, joint: Joint) -> Array:
    for one, x in zip(model.joints, model.coordinates(q), strict=True):
        if one.name == joint.name and one.motion.nq == joint.motion.nq:
            return x
    return joint.neutral


def _off(link: Link, relative: Array, x: Array) -> Array:
    found: Array = pose_log(inverse_pose(link.motion.transform(x)) @ relative)
    return found


def _coordinates(link: Link, relative: Array, x: Array) -> Array:
    """Return the coordinates of a joint for a relative pose, by Newton's method in the tangent space of the joint."""
    best, size = x, np.inf
    for _ in range(ITERATIONS):
        off = _off(link, relative, x)
        left = float(np.linalg.norm(off))
        if not left < size:
            break
        best, size = x, left
        step = np.linalg.lstsq(link.motion_subspace(x), off, rcond=1e-10)[0]
        x = link.motion.integrate(x, step)
    return best


def _carried(model: Model, q: Array, v: Array, other: Model, there: Array | None = None) -> TransferredState:
    there = posture(model, q, other) if there is None else there
    if other.loops:
        opened = np.abs(constraint_residual(other, there)) / scale_of(other).rows
        if opened.max() > OPEN:
            raise ModelError(
                f"the loops of {other.name!r} are open by {opened.max():.3g} (m or rad) at the poses of the bodies"
            )
        if opened.max() > 0.0:
            there = close_loops(other, there)
    h = np.zeros(other.nv)
    for body in (model.physical or model).description.bodies:  # bodies before fixed joints merge them
        if not (body.mass or body.inertia.any()):
            continue
        if body.name not in other.frames:
            raise ModelError(
                f"body {body.name!r} of {model.name!r} is not in {other.name!r}; its momentum would be lost"
            )
        R, V = pose(model, q, body.name)[:3, :3], velocity(model, q, v, body.name)
        arm = R @ body.center_of_mass
        p = body.mass * (V[:3] + np.cross(V[3:], arm))
        L = R @ (body.inertia @ (R.T @ V[3:])) + np.cross(arm, p)
        h = h + jacobian(other, there, body.name).T @ np.concatenate([p, L])
    rotors = {joint.name: joint.armature * rate for joint, rate in zip(model.joints, model.rates(v), strict=True)}
    still = [rotors.get(joint.name, np.zeros(joint.motion.nv)) for joint in other.joints]
    h = h + other.assemble([x if len(x) == joint.motion.nv else np.zeros(joint.motion.nv)
                            for x, joint in zip(still, other.joints, strict=True)])  # fmt: skip
    after = np.linalg.solve(mass_matrix(other, there), h) if other.nv else np.zeros(0)
    if other.loops:
        after = impulse(other, there, after)[0]
    lost = float(kinetic_energy(model, q, v) - kinetic_energy(other, there, after))
    return TransferredState(other, there, after, lost)


def _state(model: Model, q: Any, v: Any) -> tuple[Array, Array]:
    q, v, batch = check_state(model, q, v)
    if batch:
        raise ShapeError(f"the structure of one motion changes per call; got a batch {batch}")
    return q, v


def _names(what: str, names: Any) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ArgumentError(f"{what} is a list of names; got {names!r}")
    return [*names]
