"""Mechanisms with closed loops: actuated joints follow a plan, and the others go as the loops make them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import public
from linkwright.errors import ArgumentError, InputError, ModelError, counted
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.trajectories.joint_space.knots import through
from linkwright.trajectories.trajectory import Trajectory

FIRST, MOST = 32, 2048
"""Number of intermediate configurations initially, and at most."""

OPEN = 1e-6
"""m and rad: by how much loops may be open between postures, and actuated joints off their plan."""

THERE = 1e-5
"""m and rad: largest distance of the end from the given one."""

STEPS, CLOSE = 20, 1e-11
"""Newton's steps at most to close a posture, and when it is, m and rad."""

RANK = 1e-7
"""Velocities are determined by loops whose singular values exceed this times the largest."""

_difference, _integrate = public(dynamics.difference), public(dynamics.integrate)
_residual, _jacobian = public(dynamics.constraint_residual), public(dynamics.constraint_jacobian)


def driving(model: Model, actuated: Any) -> tuple[str, ...] | None:
    """The names of the joints that are actuated; None of a mechanism without closed loops."""
    if actuated is None:
        if model.loops:
            raise ModelError(
                f"{model.name!r} has closed loops, which joints planned independently do not keep closed: name "
                f"the joints that are actuated, such as actuated=[{model.joints[0].name!r}], and the others go along"
            )
        return None
    if isinstance(actuated, str) or not isinstance(actuated, Iterable):
        raise ArgumentError(f"actuated is a list of joint names; got {actuated!r}")
    names = tuple(actuated)
    for name in names:
        model.slice(name)
    if not model.loops:
        raise ArgumentError(f"{model.name!r} has no closed loops: all of its joints are actuated, and none are named")
    return names


def others(model: Model, actuated: tuple[str, ...]) -> Array:
    """(nv,): whether a velocity is not one of joints that are actuated."""
    free = np.ones(model.nv, dtype=bool)
    for name in actuated:
        free[model.slice(name).v] = False
    return free


def closed(plan: Trajectory, actuated: tuple[str, ...], end: Array) -> Trajectory:
    """The motion with closed loops in which these joints follow a plan, of one trajectory or a batch.

    A spline through closed postures, each from the one before. Raises :class:`InputError` where these joints do not
    determine the others, where the loops cannot be closed, and where the motion does not come to ``end`` (…, nq).
    """
    model, batch = plan.model, plan.batch
    flat = plan._like(*(x.reshape(-1, *x.shape[len(batch) :]) for x in (plan.times, plan.q, plan.coefficients)))
    found = [
        _closed(flat[k], actuated, q)
        for k, q in enumerate(np.broadcast_to(end, (*batch, model.nq)).reshape(-1, model.nq))
    ]
    if not batch:
        return found[0]
    most = max((x.times.shape[-1] for x in found), default=0) - 1
    if not found:
        return plan
    refined = [
        x if x.times.shape[-1] - 1 == most else _closed(flat[k], actuated, x.end, most) for k, x in enumerate(found)
    ]
    arrays = (np.stack([getattr(x, name) for x in refined]) for name in ("times", "q", "coefficients"))
    return plan._like(*(x.reshape(*batch, *x.shape[1:]) for x in arrays))


def _closed(plan: Trajectory, actuated: tuple[str, ...], end: Array, count: int = FIRST) -> Trajectory:
    model, free = plan.model, others(plan.model, actuated)
    named = ", ".join(map(repr, actuated))
    begin, last = plan.times[[0, -1]]
    if last == begin:
        none = np.zeros((count, 4, model.nv))
        return plan._like(np.full(count + 1, begin), np.repeat(plan.start[None], count, axis=0), none)
    while True:
        t = np.linspace(begin, last, count + 1)
        planned, v, _ = plan(t)
        q = np.stack(_postures(model, planned, actuated, t))
        first, final = (_velocity(model, q[k], v[k], free) for k in (0, -1))
        found = through(model, q, _difference(model, q[:-1], q[1:]), t, first, final, False)
        between = 0.5 * (t[1:] + t[:-1])
        there = found(between)[0]
        off = np.abs(_difference(model, plan(between)[0], there))[:, ~free].max(initial=0.0)
        if max(off, np.abs(_residual(model, there)).max(initial=0.0)) <= OPEN:
            break
        count *= 2
        if count > MOST:
            raise InputError(
                f"the loops of {model.name!r} do not stay closed between {len(t)} postures: where {named} lead, the "
                "other joints would have to jump"
            )
    for what, at, given in (("begins", found.start, plan.start), ("ends", found.end, end)):
        away = np.abs(_difference(model, at, given)).max(initial=0.0)
        if away > THERE * max(1.0, np.abs(given).max(initial=0.0)):
            raise InputError(
                f"the trajectory with actuated joints {named} {what} {away:.3g} (m or rad) from the given state: "
                "its loops are open, or closed in another assembly mode; `close_loops` closes them"
            )
    return plan._like(found.times, found.q, found.coefficients)


def _postures(model: Model, planned: Array, actuated: tuple[str, ...], t: Array) -> list[Array]:
    """Closed postures, of actuated joints as planned (n, nq), each from the one before."""
    free, at = others(model, actuated), planned[0]
    found: list[Array] = []
    for time, wanted in zip(t, planned, strict=True):
        at = np.array(at)
        for name in actuated:
            places = model.slice(name).q
            at[places] = wanted[places]
        for _ in range(STEPS):
            error = np.asarray(_residual(model, at))
            if np.abs(error).max(initial=0.0) <= CLOSE:
                break
            step = np.zeros(model.nv)
            step[free] = -np.linalg.lstsq(np.asarray(_jacobian(model, at))[:, free], error, rcond=RANK)[0]
            at = _integrate(model, at, step)
        else:
            raise InputError(
                f"the loops of {model.name!r} cannot be closed at {time:.4g} s, where these joints lead: "
                + ", ".join(actuated)
            )
        found.append(at)
    return found


def _velocity(model: Model, q: Array, v: Array, free: Array) -> Array:
    """v (nv,) of the actuated joints, and of the others what the loops make of it."""
    K = np.asarray(_jacobian(model, q))
    sizes = np.linalg.svd(K[:, free], compute_uv=False)
    left = int(free.sum()) - int((sizes > RANK * sizes.max(initial=0.0)).sum())
    if left:
        raise InputError(
            f"the actuated joints leave {counted(left, 'velocity', 'velocities')} of {model.name!r} free where "
            "it begins or ends: name more of them, or take another posture"
        )
    full = np.where(free, 0.0, v)
    full[free] = -np.linalg.lstsq(K[:, free], K @ full, rcond=None)[0]
    return full
