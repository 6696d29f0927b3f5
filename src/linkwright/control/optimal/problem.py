"""Optimal motions: iterative LQR, also known as differential dynamic programming, with limits of the efforts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import not_negative, positive, whole_number
from linkwright.compiler.native.threads import default_threads
from linkwright.control.optimal.costs import Cost, Costs, require_each, terms
from linkwright.control.optimal.descent import Compiled, DescentBackend, Motions, descend
from linkwright.control.optimal.holding_efforts import holding_efforts
from linkwright.control.optimal.large_mechanisms import InParts
from linkwright.control.optimal.optimal_motion import OptimalMotion
from linkwright.control.optimal.sweeps import NODES, RiccatiSweeps
from linkwright.dynamics.configuration import check_state
from linkwright.dynamics.forces.actuation import joint_effort_limits
from linkwright.dynamics.inertias.massless import require_mass
from linkwright.errors import ArgumentError, InputError, ShapeError, TooLargeError, UnknownNameError, explained
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model
from linkwright.simulation.integrators.methods import IntegrationMethod, Variational, method_of
from linkwright.simulation.preparation import suitable_method
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.status import status_message

LARGE, LARGE_WITH_LOOPS = 12, 6
"""Velocities up to which a sweep's node is tried as straight-line code."""

AT_ONCE = 128
"""Number of problems solved simultaneously on each thread, which share the cost of Python in an iteration."""


@explained
@dataclass(frozen=True, kw_only=True)
class StoppingCriterion:
    """When an optimization stops.

    Parameters
    ----------
    tolerance : float, optional
        Expected decrease of the cost in an iteration, relative to the cost, at which a problem has converged.
    iterations : int, optional
        Largest number of iterations.
    """

    tolerance: float = 1e-9
    iterations: int = 500

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", not_negative("tolerance", self.tolerance))
        object.__setattr__(self, "iterations", whole_number("iterations", self.iterations, 0))


@takes_numeric_model()
def ilqr(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike,
    steps: int,
    step: float,
    running: Cost | Sequence[Cost] = (),
    final: Cost | Sequence[Cost] = (),
    *,
    effort_limits: ArrayLike | None = None,
    initial_guess: ArrayLike | None = None,
    actuated: Sequence[str] | None = None,
    method: IntegrationMethod | None = None,
    each: Collection[str] = (),
    stopping: StoppingCriterion | None = None,
) -> OptimalMotion:
    """Optimize the efforts of a motion by iterative LQR, with effort limits.

    The cost is the sum of the `running` costs times `step` over all nodes but the last, plus the `final` costs at the
    last, where there are no efforts. Each iteration solves the Riccati equation along the motion, for linearized
    dynamics and quadratic costs, followed by a line search. The result is a local minimum, which depends on the guess.
    Springs, dampers and friction of the joints act; states are compared by :func:`~linkwright.difference`.

    Parameters
    ----------
    model : Model
        Mechanism.
    q0, v0 : array_like, shapes (..., nq) and (..., nv)
        Initial states. Leading dimensions are independent problems, solved on the lanes of vector registers.
    steps : int
        Number of steps.
    step : float
        Step, s.
    running, final : Cost or sequence of Cost, optional
        :class:`PostureCost`, :class:`VelocityCost`, :class:`EffortCost`, :class:`FrameCost`, or functions ``cost(model,
        t, q, v, tau)`` of this library's functions and NumPy: one that returns a number is differentiated twice; one
        that returns residuals r (n,) has the cost ½ rᵀ r and the Gauss–Newton Hessian. Every effort needs a cost.
        Numbers bound by ``functools.partial`` are shared by all problems, except those named in `each`.
    effort_limits : bool, float, array_like or tuple, optional
        Limits, exact by a quadratic program at every node: a number, (nv,) or (m,) of the m actuated efforts, or a pair
        (low, high); True for those of the joints.
    initial_guess : array_like, shape (..., steps, nv), optional
        Efforts. By default those that hold the initial state against gravity and springs.
    actuated : sequence of str, optional
        Names of the joints that have motors. By default all.
    method : {"semi_implicit", "rk4", "midpoint", "euler"}, optional
        Integration method; "semi_implicit" is the fastest. By default as for :func:`~linkwright.simulate`.
    each : collection of str, optional
        Names of bound numbers that are given for each problem.
    stopping : StoppingCriterion, optional
        Tolerance and number of iterations.

    Returns
    -------
    OptimalMotion
        Motions with gains and costs.

    Raises
    ------
    InputError
        If a weight is invalid, a state is no state, or there are no steps.

    References
    ----------
    Li & Todorov, ICINCO (2004); Tassa, Mansard & Todorov, ICRA (2014).

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("two_link")
    >>> reach = [lw.control.PostureCost([1.0, 0.5], 100.0), lw.control.VelocityCost(10.0)]
    >>> motion = lw.control.ilqr(arm, [0.0, 0.0], [0.0, 0.0], 50, 0.02, lw.control.EffortCost(1e-3), reach)
    >>> bool(motion.converged)
    True
    """
    q0, v0 = _states(model, q0, v0)
    steps, h, batch = whole_number("steps", steps, 1), positive("step", step, "s"), q0.shape[:-1]
    stopping = StoppingCriterion() if stopping is None else stopping
    if not isinstance(stopping, StoppingCriterion):
        raise ArgumentError(f"stopping is lw.control.StoppingCriterion(…); got {stopping!r}")
    chosen = method or suitable_method(model, q0, v0, h)
    if isinstance(method_of(chosen), Variational):
        raise InputError(f"a step of {chosen!r} is iterated, not a formula: take 'semi_implicit' or 'rk4'")
    controls = controls_of(model, actuated)
    low, high = limits_of(model, effort_limits, controls)
    names = {each} if isinstance(each, str) else {*each}
    listed: list[list[Any]] = [list(x) if isinstance(x, (list, tuple)) else [x] for x in (running, final)]
    require_each(names, [*listed[0], *listed[1]])
    made = model.minimal()
    kinds = zip(("running", "final"), listed, strict=True)
    costs = [Costs(terms(what, x, made, batch, names, controls)) for what, x in kinds]
    if not (costs[0].terms or costs[1].terms):
        raise ArgumentError("there is nothing to keep low: give running and final costs")
    rows = int(np.prod(batch, dtype=int))
    u = _guess(model, initial_guess, q0, steps, controls)
    u = np.clip(u.reshape(rows, steps, len(controls)), low, high)
    limited = bool(np.isfinite(low).any() or np.isfinite(high).any())
    sweeps = RiccatiSweeps(made, chosen, costs[0], costs[1], controls, limited)
    nodes = -(-steps // NODES) * NODES
    starts = Motions(
        np.repeat(q0.reshape(rows, 1, model.nq), nodes + 1, axis=1),
        np.repeat(v0.reshape(rows, 1, model.nv), nodes + 1, axis=1),
        np.concatenate([u, np.zeros((rows, nodes - steps, len(controls)))], axis=1),
        np.zeros(rows),
    )
    bounds = (np.broadcast_to(low, (rows, len(low))), np.broadcast_to(high, (rows, len(high))))
    values = (costs[0].packed(rows, batch), costs[1].packed(rows, batch))
    with status_message(f"finding the best of motions of {model.name!r}"):
        at_once = min(rows, AT_ONCE * default_threads())
        found = descend(
            _way(sweeps, steps, h, at_once),
            starts,
            steps,
            bounds,
            values,
            stopping.tolerance,
            stopping.iterations,
            at_once,
            (len(controls), 2 * model.nv),
        )
    motions, n, places = found.motions, model.nv, list(controls)
    tau, gains = np.zeros((rows, steps, n)), np.zeros((rows, steps, n, 2 * n))
    tau[..., places], gains[..., places, :] = motions.u[:, :steps], found.gains
    everywhere = [np.full(n, -np.inf), np.full(n, np.inf)]
    for whole, own in zip(everywhere, (low, high), strict=True):
        whole[places] = own
    reasons, lists = np.empty(rows, dtype=object), np.empty(rows, dtype=object)
    reasons[:] = found.reason
    for k, one in enumerate(found.costs):
        lists[k] = one

    def shaped(x: Array) -> Any:
        return x.reshape(batch + x.shape[1:])[()]

    return OptimalMotion(
        model=model,
        t=h * np.arange(steps + 1),
        q=shaped(motions.q[:, : steps + 1]),
        v=shaped(motions.v[:, : steps + 1]),
        tau=shaped(tau),
        gains=shaped(gains),
        cost=shaped(motions.cost),
        costs=shaped(lists),
        expected=shaped(found.expected),
        converged=shaped(found.converged),
        iterations=shaped(found.iterations),
        reason=shaped(reasons),
        step=h,
        method=chosen,
        low=everywhere[0],
        high=everywhere[1],
    )


def _way(sweeps: RiccatiSweeps, steps: int, h: float, at_once: int) -> DescentBackend:
    """Sweeps in one kernel each, or, where these would be too large, in parts."""
    if sweeps.model.nv <= LARGE and not (sweeps.model.loops and sweeps.model.nv > LARGE_WITH_LOOPS):
        try:
            return Compiled(sweeps, steps, h, at_once)
        except TooLargeError:
            pass
    return InParts(sweeps, steps, h)


def _states(model: Any, q0: Any, v0: Any) -> tuple[Array, Array]:
    """The starts, checked, of one batch."""
    q, v, batch = check_state(model, q0, v0)
    require_mass(model)
    return np.broadcast_to(q, (*batch, model.nq)), np.broadcast_to(v, (*batch, model.nv))


def controls_of(model: Model, actuated: Sequence[str] | None) -> tuple[int, ...]:
    """Places among velocities of the joints that have a motor."""
    if actuated is None:
        return tuple(range(model.nv))
    if isinstance(actuated, str) or not all(isinstance(name, str) for name in actuated):
        raise ArgumentError(f"actuated is a list of joints' names; got {actuated!r}")
    known = [joint.name for joint in model.joints if joint.nv]
    for name in actuated:
        if name not in known:
            raise UnknownNameError("joint", name, known)
    found: list[int] = []
    for joint in model.joints:
        if joint.name in actuated and joint.nv:
            places = model.slice(joint.name)[1]
            found += range(places.start, places.stop)
    if not found:
        raise InputError("actuated is empty: some joint must have a motor")
    return tuple(found)


def limits_of(model: Model, effort_limits: Any, controls: tuple[int, ...]) -> tuple[Array, Array]:
    """Lower and upper limits (m,) of the controls."""
    n, places = model.nv, list(controls)
    if effort_limits is None or effort_limits is False:
        return np.full(len(places), -np.inf), np.full(len(places), np.inf)
    if effort_limits is True:
        own = joint_effort_limits(model)
        return -own[places], own[places]
    pair = effort_limits if isinstance(effort_limits, tuple) and len(effort_limits) == 2 else None
    sizes = [(), (n,), (len(places),)]
    sides = []
    for sign, x in zip((-1.0, 1.0), pair or (effort_limits, effort_limits), strict=True):
        side = as_numbers("effort_limits", x)
        if side.shape not in sizes:
            expected = " or ".join(f"{shape}" for shape in dict.fromkeys(sizes[1:]))
            raise ShapeError(
                f"effort_limits are a number or {expected}, or a pair (low, high) of them; got {effort_limits!r}"
            )
        if np.isnan(side).any():
            raise InputError(f"effort_limits are numbers, infinite where there is none; got {effort_limits!r}")
        side = side[places] if side.shape == (n,) else np.broadcast_to(side, len(places))
        sides.append((side if pair else sign * side).astype(float))
    low, high = sides
    if (low > high).any():
        raise InputError(
            f"effort_limits: the lower one is above the upper one, {low[low > high][0]:g} > {high[low > high][0]:g}"
        )
    if (low == high).all():
        raise InputError(
            f"effort_limits leave nothing to choose: every effort is held at {high[0]:g}; got {effort_limits!r}"
        )
    return low, high


def _guess(model: Model, initial_guess: Any, q0: Array, steps: int, controls: tuple[int, ...]) -> Array:
    """Controls (…, steps, m) to begin with."""
    places, batch = list(controls), q0.shape[:-1]
    if initial_guess is None:
        return np.repeat(holding_efforts(model, q0, controls)[..., None, places], steps, axis=-2)
    tau = as_numbers("initial_guess", initial_guess)
    try:
        tau = np.broadcast_to(tau, (*batch, steps, model.nv))
    except ValueError:
        raise ShapeError(f"initial_guess has shape {tau.shape}; expected {(*batch, steps, model.nv)}") from None
    if not np.isfinite(tau).all():
        raise InputError("initial_guess is not finite")
    return tau[..., places]
