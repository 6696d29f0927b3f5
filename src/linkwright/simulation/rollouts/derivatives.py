"""How the end of a rollout, or what it earned, changes with where it began and with the numbers of its functions.

The steps are differentiated, not the motion: it is the derivative of what :func:`rollout` gives, exact to rounding.
That of the reward goes backwards over the steps, from states that are kept now and then and made again between
(`expression/adjoint.py`): it takes some times as long as the rollout, however many numbers it is taken by, and memory
that grows with the square root of the number of steps. That of the end goes forwards, and grows with each number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.parameters import parametrized
from linkwright.dynamics.configuration import difference, integrate
from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.model.derived import derived
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.episode import Episode
from linkwright.simulation.rollouts.prepare import Prepared, prepared
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.rollouts.run import taken
from linkwright.simulation.setup import Actuation, Integrator, Setup, Surroundings, options_of, takes_options
from linkwright.simulation.stepping.adaptive.pair import Embedded
from linkwright.simulation.stepping.integrators import IntegrationMethod
from linkwright.simulation.stepping.many import Plan, Step, sizes_of_values, values_apart, values_of
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.repeats import repeat

STARTS = ("q0", "v0")

TOGETHER, ALONE = 4, 1
"""Numbers by which ends are differentiated in one pass, and where steps have impulses, which are long."""

SHIFTS = 30
"""Sweeps in which shifts settle, but for very few; forwards all of them are taken"""


@takes_options
@takes_model
def rollout_derivatives(
    model: Model,
    q0: Any,
    v0: Any,
    steps: int,
    step: float = 1e-3,
    controller: Callable[..., Any] | None = None,
    *,
    wrt: Collection[str],
    method: IntegrationMethod | Integrator | None = None,
    actuation: Actuation | None = None,
    surroundings: Surroundings | None = None,
    episode: Episode | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> tuple[Rollout, dict[str, Array]]:
    """Compute a rollout and the derivatives of its reward, or of its end where there is no reward.

    Parameters
    ----------
    model, q0, v0, steps, step, controller, method, actuation, surroundings, episode, parameters
        As of :func:`rollout`. An episode with ``reset`` is refused: a motion that begins again jumps.
    wrt : collection of str
        Names to differentiate by: "q0" (along :func:`~linkwright.integrate`, by δ (nv,)), "v0", and values bound to
        the controller, the reward and ``terminate``, such as gains and targets.

    Returns
    -------
    Rollout
        The rollout.
    dict of ndarray
        By name, for every motion of the batch: the derivative of the sum of its rewards, (..., *shape); or without a
        reward that of its end, (..., 2 nv, *shape), configuration (along ``integrate``) before velocity. Values that
        all motions share have the sum over all of them as their gradient of the reward.

    Notes
    -----
    Steps are compiled for their number. Derivatives at switches (limits of efforts, contact, joint limits) are those
    of the side that the motion was on; the times of contact are not differentiated. Impulses take all iterations of
    the solver, whatever its tolerance.

    Examples
    --------
    >>> import linkwright as lw
    >>> from functools import partial
    >>> def pull(model, t, q, v, stiffness):
    ...     return -stiffness * q - 0.5 * v
    >>> def cost(model, t, q, v, tau):
    ...     return -1e-3 * (q @ q)
    >>> pendulum = lw.load("pendulum")
    >>> pulled, task = partial(pull, stiffness=5.0), lw.Episode(reward=cost)
    >>> found, by = lw.rollout_derivatives(pendulum, [1.0], [0.0], 200, 1e-3, pulled, episode=task, wrt=["stiffness"])
    >>> float(by["stiffness"]) > 0.0
    True
    """
    names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
    episode = options_of("episode", episode, Episode)
    if episode.reset is not None:
        raise ArgumentError("rollout_derivatives takes no reset: a motion that begins again jumps")
    if isinstance(q0, Rollout):
        raise ArgumentError("rollout_derivatives begins with q0 and v0, not with an earlier rollout")
    setup = Setup.of(controller, None, method, actuation, surroundings)
    if isinstance(setup.integrator.chosen, Embedded):
        raise InputError(
            "rollout_derivatives differentiates steps of one length; those of 'dopri5' depend on the motion"
        )
    of, threads = "end" if episode.reward is None else "reward", setup.integrator.threads
    about = prepared(model, q0, v0, step, setup, episode, parameters)
    shapes = _shapes(about, names)
    result = taken(about, steps, None, threads)
    x = _numbers(about, shapes)
    kernel = _kernel(about, int(steps), of, shapes, len(x.shape) > 1)
    q, v, rest = about.now
    law = about.start[2]
    numbers = np.array([about.h, 0.0, about.discount])
    begun = law if law.shape[-1] else np.zeros(1)
    arrays = [q, v, rest, begun, *values_apart(about.plan, about.batch), numbers, x]
    kernel.threads = threads if threads is not None else kernel.threads
    if of == "reward":
        J = kernel(*arrays, *about.parameters)
    else:
        together = _together(about.plan)
        directions = _directions(x.shape[-1], together).reshape((-1, *(1 for _ in about.batch), together, x.shape[-1]))
        found_along = kernel(*arrays, *result.end[:2], directions, np.zeros(together), *about.parameters)
        J = np.concatenate([*found_along], axis=-1)[..., : x.shape[-1]]
    found, at, lead = {}, 0, (*about.batch, *(() if of == "reward" else (2 * model.nv,)))
    for name, shape in shapes.items():
        size = math.prod(shape)
        found[name] = J[..., at : at + size].reshape((*lead, *shape))
        at += size
    return result, found


def _shapes(about: Prepared, names: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Of what is differentiated by, for one motion."""
    found: dict[str, tuple[int, ...]] = {}
    plan = about.plan
    known = dict.fromkeys([*STARTS, *(name for name in about.names if name)])
    for name in names:
        if name not in known:
            raise UnknownNameError("what a rollout depends on", name, [*known])
        if name in STARTS:
            found[name] = (about.model.nv,)
            continue
        places = [k for k, one in enumerate(about.names) if one == name]
        first = plan.values[places[0]]
        if any(not np.array_equal(plan.values[k], first) for k in places):
            raise InputError(f"{name!r} is bound to several functions, and is not the same there")
        found[name] = plan.shapes[places[0]]
    if not found:
        raise ArgumentError(f"wrt names what to differentiate by, of {', '.join(known)}")
    return found


def _numbers(about: Prepared, shapes: dict[str, tuple[int, ...]]) -> Array:
    """What is differentiated by, one after the other: (size,), or (…, size) where motions have their own."""
    pieces: list[Array] = []
    for name, shape in shapes.items():
        x = np.zeros(shape) if name in STARTS else about.plan.values[about.names.index(name)]
        lead = x.shape[: x.ndim - len(shape)]
        pieces.append(x.reshape((*lead, math.prod(shape))))
    lead = about.batch if any(x.ndim > 1 for x in pieces) else ()
    return np.concatenate([np.broadcast_to(x, (*lead, x.shape[-1])) for x in pieces], axis=-1)


def _kernel(about: Prepared, steps: int, of: str, shapes: dict[str, tuple[int, ...]], several: bool) -> Kernel:
    """The kernel (q, v, rest, start, shared, own, numbers, x, [q_end, v_end]) -> the derivative by x, its last axis."""
    plan, model = about.plan, about.model
    key = (plan.key, plan.of_each, plan.shapes, about.names, steps, of, tuple(shapes.items()), several)
    kernel: Kernel = derived(model, rollout_derivatives, key, make=lambda: _made(about, steps, of, shapes))
    return kernel


def _made(about: Prepared, steps: int, of: str, shapes: dict[str, tuple[int, ...]]) -> Kernel:
    plan, model = _in_all_sweeps(about.plan, of), about.model
    whole = model if plan.parameters else model.minimal()
    places = _places(shapes)

    def end(
        model: Model,
        start_q: Array,
        start_v: Array,
        rest: Array,
        start: Array,
        shared: Array,
        own: Array,
        numbers: Array,
        x: Array,
    ) -> tuple[Array, Array, Array]:
        given = {name: x[place].reshape(shapes[name]) for name, place in places.items()}
        given = {name: part if shapes[name] else part[()] for name, part in given.items()}
        values = values_of(plan, shared, own)
        values = [given.get(name, value) for name, value in zip(about.names, values, strict=True)]
        q = integrate(model, start_q, given["q0"]) if "q0" in given else start_q
        v = start_v + given["v0"] if "v0" in given else start_v
        one = Step(model, plan, values, numbers[0], numbers[2], (start_q, start_v, start))

        def step(k: Any, q: Array, v: Array, rest: Array) -> tuple[Array, Array, Array]:
            after = one.taken(q, v, rest)[:3]
            if "alive" not in plan.layout.places:
                return after
            on = one.alive(rest) > 0.5
            return tuple(where(on, new, old) for new, old in zip(after, (q, v, rest), strict=True))  # type: ignore[return-value]

        result: tuple[Array, Array, Array] = repeat(steps, step, q, v, rest)
        return result

    def rollout_reward(
        model: Model,
        start_q: Array,
        start_v: Array,
        rest: Array,
        start: Array,
        shared: Array,
        own: Array,
        numbers: Array,
        x: Array,
    ) -> Any:
        rest = end(model, start_q, start_v, rest, start, shared, own, numbers, x)[2]
        return plan.layout.apart(rest)["total"][0]

    def rollout_end(
        model: Model,
        start_q: Array,
        start_v: Array,
        rest: Array,
        start: Array,
        shared: Array,
        own: Array,
        numbers: Array,
        x: Array,
        end_q: Array,
        end_v: Array,
        directions: Array,
        along: Array,
    ) -> Array:
        q, v, _ = end(model, start_q, start_v, rest, start, shared, own, numbers, x + along @ directions)
        return np.concatenate([difference(model, end_q, q), v - end_v])

    share, each = sizes_of_values(plan)
    law = plan.formula.state if plan.formula else 0
    sizes: dict[str, tuple[int, ...]] = {
        "start_q": (model.nq,),
        "start_v": (model.nv,),
        "rest": (plan.layout.size,),
        "start": (max(1, law),),
        "shared": (share,),
        "own": (each,),
        "numbers": (3,),
        "x": (sum(map(math.prod, shapes.values())),),
    }
    if of == "end":
        sizes |= {"end_q": (model.nq,), "end_v": (model.nv,)}
        sizes |= {"directions": (_together(plan), *sizes["x"]), "along": (_together(plan),)}
    bound = bind(rollout_reward if of == "reward" else rollout_end, whole, sizes)
    if plan.parameters:
        bound = parametrized(bound, plan.parameters)
    return Kernel(trace(bound), whole).derivative("x" if of == "reward" else "along")


def _in_all_sweeps(plan: Plan, of: str) -> Plan:
    """The same where impulses take all sweeps that they may.

    Where a solver stops they are as near as it is told, but how they change is not yet. And there is no way back
    through sweeps that stop by a condition; forwards, they are a loop, which is shorter than all written out.
    """
    told = plan.way.constraints
    if told is None:
        return plan
    backwards, shifts = of == "reward", told.solver.position_limit
    if backwards:
        solver = replace(told.solver, tolerance=None)
    else:
        solver = replace(told.solver, tolerance=0.0, position_iterations=min(shifts, SHIFTS))
    return plan._replace(way=plan.way._replace(constraints=replace(told, solver=solver, backwards=backwards)))


def _together(plan: Plan) -> int:
    return TOGETHER if plan.way.constraints is None else ALONE


def _directions(size: int, together: int) -> Array:
    """(n, together, size): along each number, some at a time, and along nothing to make the last ones full."""
    n = -(-size // together)
    return np.eye(n * together)[:, :size].reshape(n, together, size)


def _places(shapes: dict[str, tuple[int, ...]]) -> dict[str, slice]:
    ends = np.cumsum([0, *map(math.prod, shapes.values())])
    return {name: slice(int(a), int(b)) for name, a, b in zip(shapes, ends, ends[1:], strict=False)}
