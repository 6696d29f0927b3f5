"""Servos of joints: the controller returns their targets; their springs and dampers act within the step.

A servo of stiffness k and damping d exerts on its coordinate x over a step

    τ = k (x* − x − h v⁺) − d v⁺,   clipped to its limit,

where v⁺ is the velocity at the end of the step. It is a row of the contact solver (`dynamics/impulses`), solved
together with contacts and limits, and stable for any stiffness and any inertia. The output of the controller is
[targets x* of servos and efforts at other joints (nv,), k, d, limits].
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.dynamics.forces.actuation import joint_effort_limits
from linkwright.dynamics.impulses.constraints import servo_coordinates
from linkwright.errors import ArgumentError, InputError, ShapeError, explained
from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import EffortFunction, LawController
from linkwright.simulation.integrators.split_kernels import step_in_parts
from linkwright.spatial.arrays import Array, as_numbers, clip


@explained
@dataclass(frozen=True, eq=False)
class Servos:
    """Position or velocity servos of joints, for ``Actuation(servos=Servos(stiffness, damping))``.

    At joints with servos the controller returns positions (rad, m) instead of efforts, or velocities where the
    stiffness is zero. ``Actuation(effort_limits=…)`` limits the efforts of servos.

    Parameters
    ----------
    stiffness : float or array_like, shape (..., k)
        Stiffness, N m/rad or N/m, for the k coordinates of the joints in order, or for each motion of a batch.
    damping : float or array_like, shape (..., k)
        Damping, N m s/rad or N s/m.
    joints : sequence of str, optional
        Names of joints. By default all revolute, continuous and prismatic joints without mimic coupling.
    """

    stiffness: ArrayLike
    damping: ArrayLike
    joints: Sequence[str] | None = None

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            x = as_numbers(f"{name} of servos", getattr(self, name))
            if not ((x >= 0.0) & np.isfinite(x)).all():
                raise InputError(f"{name} of servos is finite and not negative; got {getattr(self, name)!r}")
        if isinstance(self.joints, str):
            raise ArgumentError(f"joints of servos is a list of names; got {self.joints!r}")

    def names(self, model: Model) -> tuple[str, ...]:
        """Return the names of the joints with servos, in the order of the model.

        Parameters
        ----------
        model : Model
            Mechanism.

        Returns
        -------
        tuple of str
            Names.

        Raises
        ------
        InputError
            If there are none.
        """
        able = [joint.name for joint in model.joints if joint.motion.plain and joint.coupling is None]
        if self.joints is None:
            found = able
        else:
            for name in self.joints:
                model.slice(name)  # raises for unknown joints
                if name not in able:
                    raise InputError(f"the joint {name!r} of {model.name!r} has no single axis for a servo")
            found = [name for name in able if name in self.joints]
        if not found:
            raise InputError(f"no joint of {model.name!r} has a servo")
        return tuple(found)


def with_servos(
    model: Model, law: LawController | None, servos: Servos, effort_limits: Any, batch: tuple[int, ...]
) -> LawController:
    """Return a controller whose output includes stiffness, damping and limits of servos."""
    if law is None:
        raise ArgumentError("servos follow the targets of a controller, and none is given: controller=…")
    if step_in_parts(model):
        raise InputError(f"servos are for mechanisms of fewer bodies than the {len(model.links)} of {model.name!r}")
    names = servos.names(model)
    places = [at_v for _, _, at_v in servo_coordinates(model, names)]
    others = [k for k in range(model.nv) if k not in places]
    gains = [_of_each(name, getattr(servos, name), len(places), batch) for name in ("stiffness", "damping")]
    limit = np.inf if effort_limits is None or effort_limits is False else effort_limits
    limit = as_numbers("effort_limits", joint_effort_limits(model) if limit is True else limit)
    if limit.shape not in ((), (1,), (model.nv,)) or not (limit >= 0.0).all():
        raise InputError(f"effort_limits is one number or ({model.nv},), not negative; got {effort_limits!r}")
    limit = np.minimum(np.broadcast_to(limit, (model.nv,)), np.finfo(float).max)
    inner = law.effort_function

    def output(model: Model, t: Any, q: Array, v: Array, *given: Any, **measured: Array) -> Any:
        state, given = (given[:1], given[1:]) if inner.state else ((), given)
        stiffness, damping, most = given[:3]
        found = inner.function(model, t, q, v, *state, *given[3:], **measured)
        answer, *after = found if inner.state else (found,)
        u = list(answer)
        for k in others:
            u[k] = clip(u[k], -most[k], most[k])
        whole = np.concatenate([np.stack(u), stiffness, damping, most[places]])
        return (whole, *after) if after else whole

    key = (with_servos, inner.key, inner.shapes, names, inner.state)
    shapes = ((len(places),), (len(places),), (model.nv,))
    with_gains = copy(law)
    with_gains.effort_function = EffortFunction(
        output, key, (*gains, limit, *inner.values), (*shapes, *inner.shapes), inner.state
    )
    return with_gains


def _of_each(name: str, x: Any, count: int, batch: tuple[int, ...]) -> Array:
    """Return (count,), or (*batch, count) where motions have their own values."""
    x = as_numbers(f"{name} of servos", x)
    try:
        return np.broadcast_to(x, (count,) if x.ndim < 2 else (*batch, count))
    except ValueError:
        wanted = f"one number, ({count},)" + (f" or {(*batch, count)}" if batch else "")
        raise ShapeError(f"{name} of servos has shape {x.shape}; expected {wanted}") from None
