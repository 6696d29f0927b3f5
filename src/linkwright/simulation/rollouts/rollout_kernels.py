"""A rollout as one kernel of its initial state and of bound values, for libraries of automatic differentiation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from linkwright.bounds import whole_number
from linkwright.compiler.front.bind import bind
from linkwright.compiler.front.trace import trace
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.parameters import parametrized, values_of
from linkwright.errors import ArgumentError, InputError, UnknownNameError
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.episode import Episode
from linkwright.simulation.integrators.methods import EmbeddedPair, IntegrationMethod
from linkwright.simulation.integrators.step_kernels import RolloutStep
from linkwright.simulation.rollouts.derivatives import shapes_of_values, with_all_iterations
from linkwright.simulation.rollouts.preparation import prepare_rollout
from linkwright.simulation.setup import Actuation, Integrator, Setup, Surroundings, options_of
from linkwright.spatial.arrays import Array, where
from linkwright.spatial.loops.repeats import repeat


@takes_model
def rollout_kernel(
    model: Model,
    steps: int,
    step: float = 1e-3,
    controller: Callable[..., Any] | None = None,
    *,
    wrt: Collection[str] = (),
    method: IntegrationMethod | Integrator | None = None,
    actuation: Actuation | None = None,
    surroundings: Surroundings | None = None,
    episode: Episode | None = None,
    parameters: Sequence[str] = (),
) -> Kernel:
    """Return the kernel (q0, v0, *values, *parameters) -> the reward of a rollout, or (q, v) at its end without reward.

    Parameters
    ----------
    model : Model
        Mechanism.
    steps : int
        Number of steps.
    step : float, optional
        Step in s.
    controller : callable, optional
        Controller, as for :func:`rollout`.
    wrt : collection of str, optional
        Names of values bound to the controller, the reward and ``terminate`` that become arguments.
    method : str or Integrator, optional
        Method of integration, with steps of one length.
    actuation : Actuation, optional
        Path from the controller to the joints.
    surroundings : Surroundings, optional
        External wrenches and a sensor.
    episode : Episode, optional
        Reward and termination, without ``reset``.
    parameters : sequence of str, optional
        Parameters of the mechanism that become arguments.

    Returns
    -------
    Kernel
        The kernel. Impulses take all iterations of the solver, whatever its tolerance, so that they have derivatives.
    """
    names = tuple(name for name in ((wrt,) if isinstance(wrt, str) else wrt) if name not in parameters)
    episode = options_of("episode", episode, Episode)
    if episode.reset is not None:
        raise ArgumentError("a differentiable rollout takes no reset, at which states jump")
    if tuple(episode.keep) != Episode.keep:
        raise ArgumentError(
            "a differentiable rollout returns the reward, or (q, v) at its end: keep= of an episode is not used"
        )
    setup = Setup.of(controller, None, method, actuation, surroundings)
    setup.integrator.require_double("a differentiable rollout")
    if isinstance(setup.integrator.chosen, EmbeddedPair):
        raise InputError("a differentiable rollout takes steps of one length; those of 'dopri5' depend on the motion")
    prepared = prepare_rollout(
        model, model.neutral(), np.zeros(model.nv), step, setup, episode, values_of(model, parameters)
    )
    count, of_reward = whole_number("steps", steps, 0), episode.reward is not None
    if known := [name for name in names if name in ("q0", "v0")]:
        raise UnknownNameError("bound values of a rollout", known[0], [name for name in prepared.names if name])
    shapes = shapes_of_values(prepared, names) if names else {}
    spec, begun = with_all_iterations(prepared.spec, "reward", prepared.model), prepared.start[2]
    rest_at_start, h, discount = prepared.now[2], np.float64(prepared.h), np.float64(prepared.discount)

    def rollout(model: Model, q0: Array, v0: Array, *given: Any) -> Any:
        bound = dict(zip(shapes, given, strict=True))
        values = [bound.get(name, x) for name, x in zip(prepared.names, spec.values, strict=True)]
        one = RolloutStep(model, spec, values, h, discount, (q0, v0, begun if begun.shape[-1] else np.zeros(1)))

        def take_step(k: Any, *state: Array) -> tuple[Array, ...]:
            after = one.advance(*state)[:4]
            if "alive" not in spec.layout.places:
                return after
            on = one.alive(state[2]) > 0.5
            return tuple(where(on, new, old) for new, old in zip(after, state, strict=True))

        pieces = spec.layout.split(rest_at_start)
        end: tuple[Array, ...] = repeat(
            count, take_step, q0, v0, one.layout.join(pieces), pieces.get("memory", np.zeros(0))
        )
        return one.layout.split(end[2])["total"][0] if of_reward else end[:2]

    annotated: Any = rollout
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    annotated.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in ("model", "q0", "v0", *shapes)])
    whole = model if parameters else model.minimal()
    bound_function = bind(rollout, whole, {"q0": (model.nq,), "v0": (model.nv,), **shapes})
    return Kernel(trace(parametrized(bound_function, parameters) if parameters else bound_function), whole)
