"""Derivatives of the end or the reward of a rollout by its initial state and by bound values.

The discrete steps are differentiated: the result is the derivative of :func:`rollout`, exact to rounding. The reward is
differentiated in reverse, from checkpoints between which states are recomputed (`expression/adjoint.py`): the time is a
small multiple of that of the rollout for any number of values, and the memory grows with the square root of the number
of steps. The end is differentiated forwards, in proportion to the number of values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.compiler.front.bind import BoundFunction, bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.parameters import parameter_of, parametrized
from linkwright.dynamics.configuration import difference, integrate
from linkwright.errors import ArgumentError, InputError, TooLargeError, UnknownNameError
from linkwright.model.memo import derived
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.episode import Episode
from linkwright.simulation.integrators.methods import EmbeddedPair, IntegrationMethod
from linkwright.simulation.integrators.step_function import fewer_pairs
from linkwright.simulation.integrators.step_kernels import (
    RolloutStep,
    StepKernelSpec,
    shared_and_own_values,
    unpacked_values,
    value_sizes,
)
from linkwright.simulation.rollouts.preparation import PreparedRollout, prepare_rollout
from linkwright.simulation.rollouts.result import Rollout
from linkwright.simulation.rollouts.rollout_loop import run_rollout
from linkwright.simulation.setup import Actuation, Integrator, Setup, Surroundings, options_of, takes_options
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.loops.repeats import repeat

STARTS = ("q0", "v0")

TOGETHER, ALONE = 4, 1
"""Number of directions of one forward pass; the second number is for long steps: with impulses, or many velocities."""

MOST_TOGETHER = 12
"""Largest number of velocities of a step without impulses whose directions are computed together."""

ITERATIONS, OF_EACH_PAIR = 50, 4
"""Least numbers of iterations of a solver with a tolerance, whose derivatives converge after the impulses: of all, and
for each pair of shapes."""

SHIFTS = 30
"""Number of iterations in which nearly all position shifts converge; forward differentiation takes all of them."""


@takes_options
@takes_model
def rollout_derivatives(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike,
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
    model : Model
        Mechanism.
    q0 : array_like, shape (..., nq)
        Initial configurations.
    v0 : array_like, shape (..., nv)
        Initial velocities.
    steps : int
        Number of steps.
    step : float, optional
        Step in s.
    controller : callable, optional
        Controller, as for :func:`rollout`.
    wrt : collection of str
        Names to differentiate by: "q0" (along :func:`~linkwright.integrate`, by δ (nv,)), "v0", values bound to
        the controller, the reward and ``terminate``, such as gains and targets, and names of `parameters`.
    method : str or Integrator, optional
        Method of integration.
    actuation : Actuation, optional
        Path from the controller to the joints.
    surroundings : Surroundings, optional
        External wrenches and a sensor.
    episode : Episode, optional
        Reward and termination, without ``reset``, since a restart is a jump.
    parameters : mapping, optional
        Parameters of the mechanism, as for :func:`rollout`.

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
    names = _names(wrt)
    episode = options_of("episode", episode, Episode)
    if episode.reset is not None:
        raise ArgumentError("rollout_derivatives takes no reset, at which states jump")
    if isinstance(q0, Rollout):
        raise ArgumentError("rollout_derivatives begins with q0 and v0, not with an earlier rollout")
    setup = Setup.of(controller, None, method, actuation, surroundings)
    setup.integrator.require_double("rollout_derivatives")
    if isinstance(setup.integrator.chosen, EmbeddedPair):
        raise InputError(
            "rollout_derivatives differentiates steps of one length; those of 'dopri5' depend on the motion"
        )
    of, threads = "end" if episode.reward is None else "reward", setup.integrator.threads
    prepared = prepare_rollout(model, q0, v0, step, setup, episode, parameters)
    shapes = shapes_of_values(prepared, names)
    result = run_rollout(prepared, steps, None, threads)
    x = _numbers(prepared, shapes)
    kernel = _kernel(prepared, int(steps), of, shapes, len(x.shape) > 1)
    q, v, rest = prepared.now
    law = prepared.start[2]
    numbers = np.array([prepared.h, 0.0, prepared.discount])
    begun = law if law.shape[-1] else np.zeros(1)
    arrays = [q, v, rest, begun, *shared_and_own_values(prepared.spec, prepared.batch), numbers, x]
    kernel.threads = threads if threads is not None else kernel.threads
    if of == "reward":
        J = kernel(*arrays, *prepared.parameters)
    else:
        together = _together(prepared.spec, prepared.model)
        directions = _directions(x.shape[-1], together).reshape(
            (-1, *(1 for _ in prepared.batch), together, x.shape[-1])
        )
        found_along = kernel(*arrays, *result.end[:2], directions, np.zeros(together), *prepared.parameters)
        J = np.concatenate([*found_along], axis=-1)[..., : x.shape[-1]]
    found, at, lead = {}, 0, (*prepared.batch, *(() if of == "reward" else (2 * model.nv,)))
    for name, shape in shapes.items():
        size = math.prod(shape)
        found[name] = J[..., at : at + size].reshape((*lead, *shape))
        at += size
    return result, found


def _names(wrt: Any) -> tuple[str, ...]:
    if isinstance(wrt, str) or not isinstance(wrt, Collection):
        raise ArgumentError(f"wrt is a list of names; got {wrt!r:.200}")
    if len(names := tuple(wrt)) > len(set(names)):
        raise ArgumentError(f"each name in wrt is given once; got {list(names)}")
    return names


def shapes_of_values(prepared: PreparedRollout, names: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the values to differentiate by, for one motion."""
    found: dict[str, tuple[int, ...]] = {}
    spec = prepared.spec
    known = dict.fromkeys([*STARTS, *(name for name in prepared.names if name), *spec.parameters])
    for name in names:
        if name not in known:
            raise UnknownNameError("argument of a rollout", name, [*known], "arguments of a rollout")
        if name in STARTS:
            found[name] = (prepared.model.nv,)
            continue
        places = [k for k, one in enumerate(prepared.names) if one == name]
        if not places:
            found[name] = parameter_of(prepared.model, name).shape
            continue
        first = spec.values[places[0]]
        if any(not np.array_equal(spec.values[k], first) for k in places):
            raise InputError(f"{name!r} is bound to several functions, and is not the same there")
        found[name] = spec.shapes[places[0]]
    if not found:
        raise ArgumentError(f"wrt names what to differentiate by, of {', '.join(known)}")
    return found


def _numbers(prepared: PreparedRollout, shapes: dict[str, tuple[int, ...]]) -> Array:
    """Return the values to differentiate by, packed: (size,), or (…, size) where motions have their own."""
    pieces: list[Array] = []
    for name, shape in shapes.items():
        if name in prepared.names:
            x = prepared.spec.values[prepared.names.index(name)]
        elif name in STARTS:
            x = np.zeros(shape)
        else:
            x = prepared.parameters[prepared.spec.parameters.index(name)]
        lead = x.shape[: x.ndim - len(shape)]
        pieces.append(x.reshape((*lead, math.prod(shape))))
    lead = prepared.batch if any(x.ndim > 1 for x in pieces) else ()
    return np.concatenate([np.broadcast_to(x, (*lead, x.shape[-1])) for x in pieces], axis=-1)


def _kernel(
    prepared: PreparedRollout, steps: int, of: str, shapes: dict[str, tuple[int, ...]], several: bool
) -> Kernel:
    """Return the kernel (q, v, rest, start, shared, own, numbers, x, [q_end, v_end]) -> derivative by x."""
    spec, model = prepared.spec, prepared.model
    key = (spec.key, spec.per_motion, spec.shapes, prepared.names, steps, of, tuple(shapes.items()), several)
    kernel: Kernel = derived(model, rollout_derivatives, key, make=lambda: _made(prepared, steps, of, shapes))
    return kernel


def _made(prepared: PreparedRollout, steps: int, of: str, shapes: dict[str, tuple[int, ...]]) -> Kernel:
    spec, model = with_all_iterations(prepared.spec, of, prepared.model), prepared.model
    whole = model if spec.parameters else model.minimal()
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
    ) -> tuple[Array, Array, dict[str, Array]]:
        given = {name: x[place].reshape(shapes[name]) for name, place in places.items()}
        given = {name: part if shapes[name] else part[()] for name, part in given.items()}
        values = unpacked_values(spec, shared, own)
        values = [given.get(name, value) for name, value in zip(prepared.names, values, strict=True)]
        q = integrate(model, start_q, given["q0"]) if "q0" in given else start_q
        v = start_v + given["v0"] if "v0" in given else start_v
        one = RolloutStep(model, spec, values, numbers[0], numbers[2], (start_q, start_v, start))

        def step(k: Any, *state: Array) -> tuple[Array, ...]:
            after = one.advance(*state)[:4]
            if "alive" not in spec.layout.places:
                return after
            on = one.alive(state[2]) > 0.5
            return tuple(where(on, new, old) for new, old in zip(after, state, strict=True))

        pieces = spec.layout.split(rest)
        result: tuple[Array, ...] = repeat(
            steps, step, q, v, one.layout.join(pieces), pieces.get("memory", np.zeros(0))
        )
        return result[0], result[1], one.layout.split(result[2])

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
        return end(model, start_q, start_v, rest, start, shared, own, numbers, x)[2]["total"][0]

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

    share, each = value_sizes(spec)
    law = spec.effort_function.state if spec.effort_function else 0
    sizes: dict[str, tuple[int, ...]] = {
        "start_q": (model.nq,),
        "start_v": (model.nv,),
        "rest": (spec.layout.size,),
        "start": (max(1, law),),
        "shared": (share,),
        "own": (each,),
        "numbers": (3,),
        "x": (sum(map(math.prod, shapes.values())),),
    }
    if of == "end":
        sizes |= {"end_q": (model.nq,), "end_v": (model.nv,)}
        sizes |= {"directions": (_together(spec, whole), *sizes["x"]), "along": (_together(spec, whole),)}
    bound = bind(rollout_reward if of == "reward" else rollout_end, whole, sizes)
    if spec.parameters:
        bound = _with_parameters_of_values(parametrized(bound, spec.parameters), spec.parameters, places)
    try:
        return Kernel(trace(bound), whole).derivative("x" if of == "reward" else "along")
    except TooLargeError as error:
        raise TooLargeError(
            f"the derivative of a rollout of {whole.name!r} is too large for machine code ({error})"
            f"{fewer_pairs(whole, spec.options)}"
        ) from None


def _with_parameters_of_values(
    bound: BoundFunction, parameters: Sequence[str], places: Mapping[str, slice]
) -> BoundFunction:
    """Return the function whose parameters of the mechanism are those among the values to differentiate by."""
    names = list(bound.shapes)
    wanted = [name for name in parameters if name in places]
    if not wanted:
        return bound

    def function(*arrays: Array) -> Any:
        given = dict(zip(names, arrays, strict=True))
        if "along" in given:
            given["x"] = given["x"] + given["along"] @ given["directions"]
            given["along"] = np.zeros(len(given["along"]))
        for name in wanted:
            part = given["x"][places[name]].reshape(bound.shapes[name])
            given[name] = part if bound.shapes[name] else part[()]
        return bound.function(*given.values())

    return replace(bound, function=function)


def with_all_iterations(spec: StepKernelSpec, of: str, model: Model) -> StepKernelSpec:
    """Return the specification with all iterations of the contact solver.

    Where the solver stops at its tolerance, the derivatives of the impulses have not converged yet. Reverse
    differentiation needs a fixed number of iterations; forward differentiation takes a loop, which is shorter than
    unrolled code.
    """
    constraints = spec.options.constraints
    if constraints is None:
        return spec
    backwards, solver = of == "reward", constraints.solver
    if solver.tolerance is not None:  # iterations are a limit
        least = max(ITERATIONS, OF_EACH_PAIR * len(model.pairs))
        solver = replace(solver, iterations=max(solver.iterations, least))
    if backwards:
        solver = replace(solver, tolerance=None)
    else:
        solver = replace(solver, tolerance=0.0, position_iterations=min(solver.position_limit, SHIFTS))
    return spec._replace(
        options=spec.options._replace(constraints=replace(constraints, solver=solver, backwards=backwards))
    )


def _together(spec: StepKernelSpec, model: Model) -> int:
    return TOGETHER if spec.options.constraints is None and model.nv <= MOST_TOGETHER else ALONE


def _directions(size: int, together: int) -> Array:
    """Return directions (n, together, size): unit vectors in parts of equal size, padded with zeros."""
    n = -(-size // together)
    return np.eye(n * together)[:, :size].reshape(n, together, size)


def _places(shapes: dict[str, tuple[int, ...]]) -> dict[str, slice]:
    ends = np.cumsum([0, *map(math.prod, shapes.values())])
    return {name: slice(int(a), int(b)) for name, a, b in zip(shapes, ends, ends[1:], strict=False)}
