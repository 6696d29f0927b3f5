"""Gymnasium environments of a mechanism: a vector of motions (:class:`VectorEnv`) or one motion (:class:`Env`).

    pip install "linkwright[gymnasium]"

An action is held for several steps of a :class:`~linkwright.Batch`. The controller, reward, termination, contact
and observation of these steps are compiled. The autoreset mode is Gymnasium's "next step": after the end of an episode
the next call of ``step`` ignores the action and returns the first observation of the next episode.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import positive, whole_number
from linkwright.compiler.parameters import parameter_of, require_possible
from linkwright.dynamics.forces.actuation import joint_effort_limits, with_motors
from linkwright.errors import ArgumentError, InputError, MissingExtraError, ShapeError, explained, names_given
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.bindings import unwrap_partials
from linkwright.simulation.actuation.random_numbers import STATES, checked_seed, seeds
from linkwright.simulation.episode import Episode
from linkwright.simulation.integrators.methods import IntegrationMethod
from linkwright.simulation.rollouts.batch import Batch
from linkwright.simulation.rollouts.default_controls import held_efforts
from linkwright.simulation.rollouts.episode_starts import (
    ACTIONS,
    EpisodeStarts,
    arguments_of,
    bound_to,
    observation_noise,
    require_known,
    with_values,
)
from linkwright.simulation.rollouts.observations import OBSERVATION, read_only
from linkwright.simulation.rollouts.preparation import RESET_STREAM
from linkwright.simulation.setup import Actuation, Integrator, Setup, Surroundings, options_of, takes_options
from linkwright.spatial.arrays import Array, as_numbers
from linkwright.visual.animations.camera import Camera

try:
    import gymnasium
except ImportError:  # said where an environment is made
    gymnasium = None

_Vector = object if gymnasium is None else gymnasium.vector.VectorEnv
_Single = object if gymnasium is None else gymnasium.Env


def all_of_it(model: Model, q: Array, v: Array) -> Array:
    """Return q and v: the default observation."""
    return np.concatenate([q, v])


@explained
@dataclass(frozen=True, eq=False, kw_only=True)
class Interface:
    """Describe what an agent observes and does.

    Parameters
    ----------
    observation : callable, optional
        ``observation(model, q, v) -> (n,)``, compiled; q and v by default. Its keyword-only arguments may be ``time``,
        ``action``, ``previous_action``, values that ``Episode(reset=…)`` draws, and values bound to the controller.
    noise : float or array_like, shape (n,), optional
        Standard deviations of the normal noise of the entries of an observation.
    observation_space : gymnasium.spaces.Space, optional
        Space of one observation; an unbounded Box by default.
    action_space : gymnasium.spaces.Box, optional
        Space of one action. Without a controller an action is the controls of the model's actuators, within their
        ranges; of a model without actuators the efforts of all joints but free ones, within their limits.
    steps : int, optional
        Number of steps for which an action is held.
    limit : int, optional
        Number of actions after which an episode is truncated; None: never.
    render_mode : {"rgb_array"}, optional
        With "rgb_array", ``render()`` returns pictures (height, width, 3) of bytes.
    """

    observation: Callable[..., Any] | None = None
    noise: ArrayLike = 0.0
    observation_space: Any = None
    action_space: Any = None
    steps: int = 10
    limit: int | None = 1000
    render_mode: str | None = None

    def __post_init__(self) -> None:
        for name, value in (("steps", self.steps), ("limit", 1 if self.limit is None else self.limit)):
            whole_number(name, value, 1)
        if self.render_mode not in (None, "rgb_array"):
            raise InputError(f'render_mode is "rgb_array" or None; got {self.render_mode!r}')
        noise = as_numbers("noise", self.noise)
        if noise.ndim > 1 or not ((noise >= 0.0) & np.isfinite(noise)).all():
            raise InputError(f"noise is a number or (n,), finite and not negative; got {self.noise!r}")
        if self.observation is not None and not callable(self.observation):
            raise ArgumentError(f"{OBSERVATION}; got {self.observation!r}")


class VectorEnv(_Vector):  # type: ignore[misc, valid-type]
    """Vector environment of Gymnasium: motions of one mechanism, all steps compiled.

    Parameters
    ----------
    model : Model
        Mechanism.
    num_envs : int, optional
        Number of motions.
    q0, v0 : array_like, optional
        Initial configurations and velocities, (num_envs, ...) or the same for all; neutral and at rest by default.
    step : float, optional
        Step of the integration in s.
    controller : callable, optional
        ``controller(model, t, q, v, *, action)``: the efforts by an action; needs ``action_space``.
    interface : Interface, optional
        Observations, actions, truncation and rendering.
    method, actuation, surroundings, parameters
        As of :func:`linkwright.rollout`. Seeds are those of ``reset(seed=…)``. With
        ``method=lw.Integrator(precision="single")`` observations and rewards are float32.
    episode : Episode
        Reward (the sum over the steps of an action), termination, and ``reset(model, q0, v0, random) -> (q, v)``, or
        ``(q, v, values)``: values drawn for each episode by name, as commands, gains or `parameters`.

    Notes
    -----
    The controller, the reward, the termination and the observation may take these arguments by keyword: ``action``, the
    action that acts; ``previous_action``, the action before, and zero in the first step of an episode, as ``action`` is
    in its first observation; and the values that ``reset`` draws. Other drawn values are parameters of the mechanism,
    such as "trunk.mass": domain randomization.

    A motion that diverges is terminated, and its rewards that are not finite count as zero. A reward of another motion
    that is not finite raises an :class:`InputError`.
    """

    @takes_options
    @takes_model
    def __init__(
        self,
        model: Model,
        num_envs: int = 1,
        q0: Any = None,
        v0: Any = None,
        step: float = 1e-3,
        controller: Callable[..., Any] | None = None,
        *,
        interface: Interface | None = None,
        method: IntegrationMethod | Integrator | None = None,
        actuation: Actuation | None = None,
        surroundings: Surroundings | None = None,
        episode: Episode | None = None,
        parameters: Mapping[str, Any] | None = None,
    ):
        self._given = {name: x for name, x in locals().items() if name not in ("self", "__class__")}
        if gymnasium is None:
            raise MissingExtraError("environments need the package gymnasium: pip install 'linkwright[gymnasium]'")
        if interface is not None and not isinstance(interface, Interface):
            raise ArgumentError(f"interface is lw.gymnasium.Interface(…); got {interface!r}")
        interface, episode = interface or Interface(), _checked_episode(episode)
        setup = Setup.of(controller, None, method, actuation, surroundings)
        self.metadata = {
            "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP,
            **_metadata(interface.steps * positive("step", step, "s")),
        }
        self.render_mode = interface.render_mode
        self.num_envs, self.model, self.limit = whole_number("num_envs", num_envs, 1), model, interface.limit
        self._steps, self._period = int(interface.steps), interface.steps * step
        self.single_action_space = _space_of_actions(model, controller, interface.action_space)
        own = setup.actuation
        if controller is None and model.nu and not own.is_of_actuators:
            own = replace(own, controls=True)
        if controller is None:
            controller = _held_controls if own.controls is True else _held_efforts
        start = [x if given is None else given for given, x in ((q0, model.neutral()), (v0, np.zeros(model.nv)))]
        starts = EpisodeStarts(model, None if isinstance(episode.reset, str) else episode.reset, *start)
        functions = (controller, episode.reward, episode.terminate)
        taken = set().union(*map(arguments_of, (*functions, interface.observation)))
        shapes = dict.fromkeys(ACTIONS, self.single_action_space.shape) | starts.shapes_of_values(taken)
        initial = {name: np.zeros((self.num_envs, *shape)) for name, shape in shapes.items()}
        bound = [with_values(function, initial) for function in functions]
        each = {*names_given("each", own.each)}
        for function in functions:
            each |= arguments_of(function) & {*initial}
        drawn = starts.parameters(taken, parameters or {}, set().union(*map(bound_to, functions)))
        for what, function in (("the reward", episode.reward), ("terminate", episode.terminate)):
            require_known(what, function, shapes)
        self._batch = Batch(
            model,
            self.num_envs,
            q0,
            v0,
            step,
            bound[0],
            method=method,
            actuation=replace(own, each=each),
            surroundings=surroundings,
            episode=replace(episode, reward=bound[1], terminate=bound[2], reset=None),
            parameters={**(parameters or {}), **drawn},
        )
        self._given_parameters = [x for name, x in self._batch.parameters.items() if name not in drawn]
        self._begin = starts.compiled([name for name in self._batch.parameters if name not in drawn])
        bound_to_steps, dtype = {**self._batch.values}, self._batch.q.dtype
        self._values = {name: bound_to_steps.get(name, x.astype(dtype)) for name, x in initial.items()}
        self._drawn = {
            name: self._batch.parameters[name] if name in drawn else self._values[name] for name in starts.sample
        }
        self._drawn_parameters = {name: parameter_of(model, name) for name in drawn}
        self._observed = self._batch.observe(interface.observation or all_of_it, self._values)
        self._noise = None
        if np.any(interface.noise):
            self._noise = observation_noise(interface.noise, self._observed.shape[1:])
        self._measured = self._observed if self._noise is None else np.array(self._observed)
        self._terms = {name: np.zeros(self.num_envs) for name in self._batch.reward_terms}
        self.single_observation_space = _space_of_observations(interface.observation_space, self._observed)
        batched = gymnasium.vector.utils.batch_space
        self.observation_space = batched(self.single_observation_space, self.num_envs)
        self.action_space = batched(self.single_action_space, self.num_envs)
        self._random, self._noise_random = np.zeros((2, self.num_envs, STATES))
        self._age, self._ended = np.zeros(self.num_envs, dtype=int), np.zeros(self.num_envs, dtype=bool)
        self._seeded = False
        self._camera: Camera | None = None

    @property
    def q(self) -> Array:
        """Present configurations, shape (num_envs, nq), live; read-only. ``Episode(reset=…)`` sets initial states."""
        return read_only(self._batch.q)

    @property
    def v(self) -> Array:
        """Present velocities, shape (num_envs, nv), live; read-only."""
        return read_only(self._batch.v)

    @property
    def observations(self) -> Array:
        """Present observations, shape (num_envs, n), live; read-only."""
        return read_only(self._measured)

    @property
    def reward_terms(self) -> dict[str, Array]:
        """Sums over the present episodes of the terms of the reward, by name, shape (num_envs,)."""
        return {name: x.copy() for name, x in self._terms.items()}

    @property
    def ages(self) -> Array:
        """Numbers of actions of the present episodes, shape (num_envs,), live."""
        return self._age

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start new episodes.

        Parameters
        ----------
        seed : int or array_like of int, shape (num_envs,), optional
            Seed, to which each motion adds its index, or the seeds of all motions.
        options : dict, optional
            ``{"reset_mask": array of bool, shape (num_envs,)}`` selects the motions that start again.

        Returns
        -------
        observations : ndarray, shape (num_envs, n)
            Observations at the initial states.
        info : dict
            Empty.
        """
        if options is not None and not (isinstance(options, Mapping) and {*options} <= {"reset_mask"}):
            raise ArgumentError(f'options are {{"reset_mask": …}}; got {options!r}')
        if seed is not None or not self._seeded:
            if seed is not None:
                checked_seed(seed, (self.num_envs,))
            super().reset(seed=seed if isinstance(seed, (int, np.integer)) else None)
            if seed is None:
                seed = int(self.np_random.integers(2**31))
            of_each = checked_seed(seed, (self.num_envs,))
            self._seed(of_each + np.arange(self.num_envs, dtype=np.uint64) if of_each.shape == () else of_each)
        mask = np.ones(self.num_envs, dtype=bool)
        if options is not None and options.get("reset_mask") is not None:
            mask = np.asarray(options["reset_mask"])
            if mask.shape != (self.num_envs,) or mask.dtype != bool:
                raise ShapeError(f"reset_mask is ({self.num_envs},) truth values; got {mask.dtype} {mask.shape}")
        self._start_again(mask)
        return self._measured.copy(), {}

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Hold an action for the steps of an action.

        Parameters
        ----------
        actions : array_like, shape (num_envs, ...)
            Action of each motion.

        Returns
        -------
        observations : ndarray, shape (num_envs, n)
            Observations after the steps.
        rewards : ndarray, shape (num_envs,)
            Sums of the rewards of the steps.
        terminated, truncated : ndarray of bool, shape (num_envs,)
            Episodes that ended, and episodes that reached the limit.
        info : dict
            ``"reward_terms"``: sums of the terms over the episodes by name, where the reward has terms.
        """
        over = self._ended
        rewards, terminated, truncated = self.hold(actions)
        info = {"reward_terms": self.reward_terms} if self._terms else {}
        if over.any():
            self._start_again(over)
        return self._measured.copy(), rewards, terminated, truncated, info

    def hold(self, actions: Any) -> tuple[Array, Array, Array]:
        """Hold an action for the steps of an action, without new episodes: the part of :meth:`step` for adapters.

        Parameters
        ----------
        actions : array_like, shape (num_envs, ...)
            Action of each motion. Motions whose episode has ended do not move.

        Returns
        -------
        rewards : ndarray, shape (num_envs,)
            Sums of the rewards of the steps.
        terminated, truncated : ndarray of bool, shape (num_envs,)
            Episodes that ended, and episodes that reached the limit.
        """
        if not self._seeded:
            raise InputError("step() was called before the first reset()")
        shape = (self.num_envs, *self.single_action_space.shape)
        action = as_numbers("actions", actions)
        if action.shape != shape:
            raise ShapeError(f"actions have shape {action.shape}; expected {shape}")
        if not np.isfinite(action).all():
            raise InputError("actions are not finite")
        over, batch = self._ended, self._batch
        batch.stop(over)
        self._values["previous_action"][...] = self._values["action"]
        self._values["action"][...] = action
        batch.step(self._steps)
        self._measure(np.ones(self.num_envs, dtype=bool))
        rewards, diverged = batch.rewards.copy(), batch.status == batch.DIVERGED
        if not (finite := np.isfinite(rewards)).all():
            if not (finite | diverged).all():
                raise InputError(self._not_finite(rewards))
            rewards[~finite] = 0.0
        for name, x in batch.reward_terms.items():
            self._terms[name] += x if finite.all() else np.where(np.isfinite(x), x, 0.0)
        terminated = (batch.status != batch.RUNNING) & ~over
        self._age += 1
        cut = self._age >= (np.inf if self.limit is None else self.limit)
        truncated = cut & ~terminated & ~over
        self._ended = over | terminated | truncated
        return rewards, terminated, truncated

    def render(self) -> tuple[Array, ...] | None:  # type: ignore[override]
        """Return a picture of each motion with ``render_mode="rgb_array"``: bytes, shape (height, width, 3)."""
        if self.render_mode is None:
            return None
        if self._camera is None:
            self._camera = Camera(self.model, self._batch.start[0][0])
        seconds = self._age * self._period
        return tuple(self._camera.picture(q, float(t)) for q, t in zip(self._batch.q, seconds, strict=True))

    def __reduce__(self) -> Any:
        """Pickle the arguments of the constructor and the states of the motions."""
        state = {name: x for name, x in vars(self).items() if name in _CARRIED}
        return _made_again, (type(self), self._given), (state, self._values, self._batch.__getstate__())

    def __setstate__(self, state: tuple[dict[str, Any], dict[str, Array], list[Array]]) -> None:
        self.__dict__.update(state[0])
        for name, x in state[1].items():
            self._values[name][...] = x
        self._batch.__setstate__(state[2])
        if self._noise is None:
            self._measured = self._observed

    def _seed(self, of_each: Array) -> None:
        """Seed the random numbers of initial states and of noise."""
        self._seeded = True
        self._random = seeds(of_each, (self.num_envs,), RESET_STREAM)
        self._noise_random = seeds(of_each, (self.num_envs,), NOISE_STREAM)
        self._batch.seed(of_each)

    def _start_again(self, mask: Array) -> None:
        """Start new episodes of these motions; their random sequences continue."""
        given = *self._batch.start, self._random, *self._given_parameters
        q, v, self._random[mask], *drawn = self._begin(*(x[mask] for x in given))
        for (name, now), new in zip(self._drawn.items(), drawn, strict=True):
            if not np.isfinite(new).all():
                raise InputError(f"reset drew {name} that is not finite: {new[~np.isfinite(new)][0]}")
            if name in self._drawn_parameters:
                require_possible(self._drawn_parameters[name], new)
            now[mask] = new
        for name in ACTIONS:
            self._values[name][mask] = 0.0
        self._batch.reset(mask, q, v)
        self._measure(mask)
        self._age[mask], self._ended[mask] = 0, False
        for x in self._terms.values():
            x[mask] = 0.0

    def _not_finite(self, rewards: Array) -> str:
        """Describe the first reward that is not finite."""
        k = int(np.flatnonzero(~np.isfinite(rewards) & (self._batch.status != Batch.DIVERGED))[0])
        names = [name for name, x in self._batch.reward_terms.items() if not np.isfinite(x[k])]
        terms = f", its term {names[0]!r}," if names else ""
        with np.printoptions(precision=4, threshold=20):
            return (
                f"the reward{terms} of motion {k} is not finite in action {self._age[k]} of its episode, at time "
                f"{self._batch.time[k]:g} s, q = {self._batch.q[k]}, v = {self._batch.v[k]}"
            )

    def _measure(self, mask: Array) -> None:
        """Draw the noise of the observations of these motions."""
        if self._noise is not None:
            noise, self._noise_random[mask] = self._noise(self._noise_random[mask])
            self._measured[mask] = self._observed[mask] + noise


def _of_one_motion(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of :class:`VectorEnv` without ``num_envs``."""
    signature = inspect.signature(function)
    return signature.replace(parameters=[one for name, one in signature.parameters.items() if name != "num_envs"])


class Env(_Single):  # type: ignore[misc, valid-type]
    """Gymnasium environment of one motion; its arguments are those of :class:`VectorEnv` without ``num_envs``."""

    def __init__(self, model: Model, *arguments: Any, **options: Any):
        self._several = VectorEnv(model, 1, *arguments, **options)
        self.metadata: dict[str, Any] = {name: self._several.metadata[name] for name in ("render_modes", "render_fps")}
        self.render_mode = self._several.render_mode
        self.action_space = self._several.single_action_space
        self.observation_space = self._several.single_observation_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start a new episode and return its first observation; see :meth:`VectorEnv.reset`."""
        super().reset(seed=seed)
        observed, info = self._several.reset(seed=seed)
        return observed[0], info

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Hold an action; return the observation, reward, termination, truncation and info."""
        several, action = self._several, as_numbers("action", action)
        if action.shape != self.action_space.shape:
            raise ShapeError(f"action has shape {action.shape}; expected {self.action_space.shape}")
        observed, rewards, terminated, truncated, info = several.step(action[None])
        return observed[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> Array | None:  # type: ignore[override]
        """Return a picture with ``render_mode="rgb_array"``: bytes, shape (height, width, 3)."""
        pictures = self._several.render()
        return None if pictures is None else pictures[0]

    __init__.__signature__ = _of_one_motion(VectorEnv.__init__)  # type: ignore[attr-defined]


NOISE_STREAM = 2
"""Stream of random numbers of observations; those of the noise of controllers and of resets are 0 and 1."""

_CARRIED = (
    "_random",
    "_noise_random",
    "_measured",
    "_terms",
    "_age",
    "_ended",
    "_seeded",
    "_np_random",
    "_np_random_seed",
)


def _held_controls(model: Model, t: Any, q: Array, v: Array, *, action: Array) -> Array:
    return action


def _held_efforts(model: Model, t: Any, q: Array, v: Array, *, action: Array) -> Array:
    return held_efforts(model, t, q, v, controls=action)


def _made_again(kind: type, given: dict[str, Any]) -> Any:
    return kind(**given)


def _space_of_observations(given: Any, observed: Array) -> Any:
    """Return the space of one observation; ``observed``: those of all motions."""
    shape = observed.shape[1:]
    if given is None:
        return gymnasium.spaces.Box(-np.inf, np.inf, shape, observed.dtype)
    if not isinstance(given, gymnasium.spaces.Space):
        raise ArgumentError(f"observation_space is a gymnasium.spaces.Space; got {given!r}")
    if given.shape != shape:
        raise ShapeError(f"observations have shape {shape}; their space {given} has {given.shape}")
    return given


def _metadata(period: float) -> dict[str, Any]:
    return {"render_modes": ["rgb_array"], "render_fps": round(1.0 / period) or 1}


def _checked_episode(given: Any) -> Episode:
    """Return an episode with a reward, and nothing that environments do not take."""
    episode = options_of("episode", given, Episode)
    if episode.reward is None:
        raise ArgumentError("an environment has a reward: episode=lw.Episode(reward=…)")
    if episode.discount != 1.0 or episode.names != Episode().names:
        raise ArgumentError("an environment takes no discount and no keep: agents discount rewards themselves")
    return episode


def _space_of_actions(model: Model, controller: Callable[..., Any] | None, given: Any) -> Any:
    if given is not None:
        if not isinstance(given, gymnasium.spaces.Box):
            raise ArgumentError(f"action_space is a gymnasium.spaces.Box; got {given!r}")
        _require_action(controller)
        if controller is None and given.shape != (count := len(with_motors(model)),):
            raise ShapeError(
                f"actions are the efforts ({count},) of all joints but free ones, as there is no controller; the "
                f"space has shape {given.shape}"
            )
        return given
    if controller is not None:
        raise ArgumentError(
            "a controller needs the space of its actions: action_space=gymnasium.spaces.Box(low, high, shape)"
        )
    if model.nu:
        unbounded = [actuator.name for actuator in model.actuators if actuator.control_range is None]
        if unbounded:
            raise ArgumentError(
                f"these actuators of {model.name!r} have no control range: {', '.join(unbounded)}; give "
                "Interface(action_space=gymnasium.spaces.Box(…))"
            )
        least, most = np.transpose([actuator.control_range for actuator in model.actuators])
        return gymnasium.spaces.Box(least, most, dtype=np.float64)
    limits = joint_effort_limits(model)[with_motors(model)]
    if not np.isfinite(limits).all() or not limits.size:
        raise ArgumentError(
            f"not every joint of {model.name!r} has an effort limit: give "
            "Interface(action_space=gymnasium.spaces.Box(…))"
        )
    return gymnasium.spaces.Box(-limits, limits, dtype=np.float64)


def _require_action(controller: Callable[..., Any] | None) -> None:
    if controller is None:
        return
    function, _ = unwrap_partials(controller)
    parameters = inspect.signature(function).parameters
    if "action" not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise ArgumentError(
            "the controller of an environment is controller(model, t, q, v, *, action); this one takes "
            f"{', '.join(parameters)}"
        )


__all__ = ["Env", "Interface", "VectorEnv"]
