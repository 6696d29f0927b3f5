"""A run, checked against its model, start and step, and put together: shared by simulations and rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.dynamics.configuration import check_state
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.errors import InputError, ShapeError, warn
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.simulation.acting.all import Acting, all_that_acts
from linkwright.simulation.acting.bindings import Named
from linkwright.simulation.acting.controllers import Hold, formula_of
from linkwright.simulation.acting.outside import warn_if_hard, warn_if_pairs_are_hard
from linkwright.simulation.setup import TOLERANCE, Integrator, Setup
from linkwright.simulation.stepping.adaptive.pair import Embedded
from linkwright.simulation.stepping.chattering import LARGE
from linkwright.simulation.stepping.impacts import Constraints, constraints_of
from linkwright.simulation.stepping.integrators import (
    METHODS,
    IntegrationMethod,
    SemiImplicit,
    Tableau,
    Variational,
    method_of,
    stiffest,
)
from linkwright.simulation.stepping.parts import closing
from linkwright.simulation.stepping.steps import Way
from linkwright.spatial.arrays import Array


class CheckedStart(NamedTuple):
    """Where motions start."""

    q: Array
    """(*batch, nq)"""
    v: Array
    """(*batch, nv)"""
    batch: tuple[int, ...]


def checked_start(model: Model, q0: Any, v0: Any, batch: tuple[int, ...] = ()) -> CheckedStart:
    """Return the start of motions; ``batch``: that of a single start. Raises what is wrong with it."""
    q, v, found = check_state(model, q0, v0)
    require_mass(model)
    require_closed(model, q, v)
    batch = found or batch
    q, v = (np.broadcast_to(x, (*batch, n)).copy() for x, n in ((q, model.nq), (v, model.nv)))
    return CheckedStart(q, v, batch)


class Preparation(NamedTuple):
    """A run that is ready to take steps."""

    acting: Acting
    way: Way
    tolerance: Array
    """one, or (*batch,)"""
    smooth: bool
    """whether contact of the model's pairs is a force"""

    @property
    def method(self) -> str:
        """Name of the method of integration."""
        return self.way.method


def prepare(model: Model, start: CheckedStart, h: float, setup: Setup, elsewhere: Sequence[Named] = ()) -> Preparation:
    """Check a setup against a model, its start and its step, and select the method of integration.

    ``elsewhere``: names of values bound to other functions than the controller and ``wrenches``.
    """
    integrator, actuation = setup.integrator, setup.actuation
    method, chosen = integrator.method, integrator.chosen
    staged = actuation.evaluated_at == "stages" and (setup.controller is not None or setup.callback is not None)
    if staged:
        _require_stages(model, setup)
    tolerance = _tolerance_of(integrator, start.batch)
    smooth = bool(model.pairs) and method is not None and isinstance(chosen, (Tableau, Embedded))
    acting = all_that_acts(model, h, start.batch, setup, smooth, elsewhere)
    if staged and acting.driven is not None and acting.driven.formula.state:
        raise InputError(
            "a controller with a state is evaluated once a step: evaluated_at='stages' is for controllers without"
        )
    if acting.outside is not None and isinstance(chosen, Variational):
        raise InputError("wrenches and surfaces are not for method 'variational'")
    if smooth and isinstance(chosen, Tableau):
        warn_if_pairs_are_hard(model, start.q, h, len(chosen.stages))
    servos = actuation.servos.names(model) if actuation.servos else ()
    constraints = constraints_of(model, integrator.joint_limits, integrator.solver, not smooth, servos)
    found = _method(model, start, h, integrator, constraints, staged, acting.controller)
    if isinstance(acting.callback, Hold):
        acting = acting._replace(callback=acting.callback.within(found, staged))
    if not isinstance(method_of(found), Embedded):
        warn_if_hard(model, start.q, setup.surroundings.surfaces, h)
    projecting = integrator.projection and bool(model.loops) and not isinstance(chosen, Variational)
    way = Way(found, integrator.stabilization, bool(projecting), staged, constraints)
    return Preparation(acting, way, tolerance, smooth)


def _method(
    model: Model,
    start: CheckedStart,
    h: float,
    integrator: Integrator,
    constraints: Constraints | None,
    staged: bool,
    controller: Any,
) -> IntegrationMethod:
    """Name of the method: the one given, or that which constraints and passive forces need."""
    method, chosen = integrator.method, integrator.chosen
    if constraints is not None:
        if method is not None and not isinstance(chosen, SemiImplicit):
            raise InputError(
                "joint_limits and servos act in steps of 'semi_implicit', contact there or as a smooth force in those "
                f"of 'rk4', 'midpoint', 'euler' and 'dopri5'; got method={method!r}"
            )
        return "semi_implicit"
    if method is None:
        return "rk4" if staged else suitable_method(model, start.q, start.v, h, controller)
    if np.isfinite(chosen.stability) and model.nv:
        warn_if_stiff(model, start.q.reshape(-1, model.nq)[:1], start.v.reshape(-1, model.nv)[:1], h, method)
    return method


def _require_stages(model: Model, setup: Setup) -> None:
    """Raise :class:`InputError` where a controller cannot be evaluated at the stages of a step."""
    chosen = setup.integrator.chosen
    if not isinstance(chosen, (Tableau, Embedded)):
        others = ", ".join(repr(name) for name, one in METHODS.items() if isinstance(one, (Tableau, Embedded)))
        raise InputError(
            f"evaluated_at='stages' goes with methods that have stages, {others}; got {setup.integrator.method!r}"
        )
    if isinstance(chosen, Embedded) and setup.callback is not None and formula_of(setup.callback, model) is None:
        raise InputError("evaluated_at='stages' takes a controller with method 'dopri5', not a Python callback")
    if setup.actuation.own_path:
        raise InputError("evaluated_at='stages' is for controllers with nothing between them and the joints")


def _tolerance_of(integrator: Integrator, batch: tuple[int, ...]) -> Array:
    found = np.asarray(TOLERANCE if integrator.tolerance is None else integrator.tolerance, dtype=float)
    if found.ndim and found.shape != batch:
        raise ShapeError(f"tolerance has shape {found.shape}; expected one number, or {batch}")
    return found


CLOSED = 1e-6
"""How far from closed, of the mechanism's length or rad, a start may be; its velocity likewise, beside the largest."""


def require_closed(model: Model, q: Array, v: Array) -> None:
    """Raise :class:`InputError` where a motion cannot start: its loops open, or about to be."""
    if not model.loops:
        return
    scale = scale_of(model)
    opened, rates = (np.abs(x) for x in closing(model)(q, v))
    if not (opened <= CLOSED * scale.rows).all():
        raise InputError(
            f"the loops of {model.name!r} are open at q0, by up to {opened.max():.3g} m or rad: start from "
            "close_loops(model, q0)"
        )
    if not (rates <= CLOSED * scale.rows * (1.0 + np.abs(v / scale.velocities).max(initial=0.0))).all():
        raise InputError(
            f"the velocity v0 would open the loops of {model.name!r}, at up to {rates.max():.3g} m/s or rad/s: start "
            "from impulse(model, q0, v0)[0], the nearest that does not"
        )


def suitable_method(model: Model, q: Array, v: Array, h: float, controller: Any = None) -> IntegrationMethod:
    """Return the default method: that of a held posture, else "rk4", unless passive forces are too stiff for it.

    The stiffness is that of the dampers, friction and springs of the first row (…, nq).
    """
    if isinstance(controller, Hold) and controller.method:
        return controller.method
    if not q.size or not v.size or model.nv > LARGE:
        return "rk4"
    q, v = q.reshape(-1, model.nq)[:1], v.reshape(-1, model.nv)[:1]
    limit = METHODS["rk4"].stability
    return "rk4" if stiffest(model, q[0], v[0], limit / h)[0] * h < limit else "semi_implicit"


def warn_if_stiff(model: Model, q: Array, v: Array, h: float, method: str) -> None:
    """Warn where the joints' dampers or friction are too stiff for an explicit method at this step."""
    if not len(q) or model.nv > LARGE:
        return
    limit = method_of(method).stability
    rate, joint = stiffest(model, q[0], v[0], limit / h)
    if rate * h > limit:
        warn(
            f"joint {joint!r} of {model.name!r} is damped within {1.0 / rate:.2g} s: at a step of {h:g} s the explicit "
            f"method {method!r} will not be stable; take a step below {limit / rate:.2g} s, or method='semi_implicit'",
        )
