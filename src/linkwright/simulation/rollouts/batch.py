"""Persistent simulations with live arrays, which the compiled steps of rollouts read and write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import whole_number
from linkwright.compiler.kernel import compile
from linkwright.compiler.native.threads import checked_processors, checked_threads
from linkwright.dynamics.configuration import check_state
from linkwright.errors import ArgumentError, InputError, ShapeError
from linkwright.model.parts.sensor import OF_SURROUNDINGS
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import activations_in
from linkwright.simulation.actuation.random_numbers import checked_seed, seeds
from linkwright.simulation.contact_sensors import has_rays_to_triangles
from linkwright.simulation.episode import Episode
from linkwright.simulation.integrators.methods import EmbeddedPair, IntegrationMethod, method_of
from linkwright.simulation.integrators.rollout_functions import reward_terms
from linkwright.simulation.integrators.step_function import is_smooth, memory_at_start
from linkwright.simulation.integrators.step_kernels import FED, NUMBERS, PARAMETERS, VALUES
from linkwright.simulation.preparation import require_closed
from linkwright.simulation.recording import available_memory
from linkwright.simulation.recording.contact_history import forces_of_pairs, point_forces
from linkwright.simulation.rollouts import observations
from linkwright.simulation.rollouts.default_controls import with_controls
from linkwright.simulation.rollouts.preparation import (
    RESET_STREAM,
    PreparedRollout,
    possible_values,
    prepare_rollout,
    with_all_impulses,
)
from linkwright.simulation.rollouts.regrouping import MotionOrder, pays_off, sorted_together
from linkwright.simulation.rollouts.rollout_loop import kernel_arguments, rollout_kernels
from linkwright.simulation.setup import Actuation, Integrator, Setup, Surroundings, options_of, takes_options
from linkwright.spatial.arrays import Array, as_numbers

MOST_RUNS = 4
"""Largest number of prepared calls, each of a number of steps: sensors of accelerations divide a call into two."""


def _never(model: Model, t: Any, q: Array, v: Array) -> Any:
    return t < -1.0


class Batch:
    """Persistent simulations of one mechanism, whose states are live arrays.

    Each array of a batch is the memory that compiled steps read and write: entries that are written act in the next
    step, and :meth:`step` changes the arrays in place. :func:`torch.from_numpy` makes tensors of the same memory.

    Parameters
    ----------
    model : Model
        Mechanism.
    n : int
        Number of simulations.
    q0, v0 : array_like, optional
        Initial configurations and velocities, (n, ...) or the same for all; neutral and at rest by default.
    step : float, optional
        Step in s.
    controller : callable, optional
        ``controller(model, t, q, v[, state], …)``. A value bound as ``controls`` is given for each simulation.
        Without a controller `controls` are those of the model's actuators, or else the efforts of all joints but free
        ones.
    method : str or Integrator, optional
        Method of integration and its options; ``Integrator(threads=…)`` sets the number of threads.
    actuation : Actuation, optional
        Path from the controller to the joints, and names of values given for each simulation.
    surroundings : Surroundings, optional
        External wrenches and a sensor.
    episode : Episode, optional
        Reward, termination and reset, as for :func:`rollout`.
    parameters : mapping, optional
        Parameters of the mechanism by the names of :func:`compile`, numbers or one for each simulation.
    cpus : sequence of int, optional
        Processors: each simulates one part of the batch, always the same.

    Raises
    ------
    InputError
        If a start is no configuration, or `cpus` are not processors of this process.
    TooLargeError
        If a step of the mechanism is too large for machine code.

    Notes
    -----
    ``step(k)`` repeated has the bits of one :func:`rollout`. Values that are written into arrays are not checked. A
    simulation that diverges does not take that step and stops, which :attr:`status` reports; others continue.

    Examples
    --------
    >>> import linkwright as lw
    >>> import numpy as np
    >>> batch = lw.Batch(lw.load("two_link"), 100, parameters={"link2.mass": np.linspace(0.5, 1.5, 100)})
    >>> batch.controls[:, 0] = 2.0
    >>> batch.step(10)
    >>> batch.q.shape, float(round(batch.time[0], 6))
    ((100, 2), 0.01)
    """

    RUNNING, ENDED, DIVERGED = 0, 1, 2
    n: int
    model: Model

    @takes_options
    @takes_model
    def __init__(
        self,
        model: Model,
        n: int,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        step: float = 1e-3,
        controller: Callable[..., Any] | None = None,
        *,
        method: IntegrationMethod | Integrator | None = None,
        actuation: Actuation | None = None,
        surroundings: Surroundings | None = None,
        episode: Episode | None = None,
        parameters: Mapping[str, Any] | None = None,
        cpus: Sequence[int] | None = None,
    ):
        self._given = {name: x for name, x in locals().items() if name not in ("self", "__class__")}
        vars(self).update(n=whole_number("n", n, 1), model=model)
        if left := available_memory.lacking(16 * self.n * (model.nq + model.nv)):  # states and their starts
            raise InputError(f"the states of {n} simulations take more than {left}")
        setup = with_controls(model, self.n, Setup.of(controller, None, method, actuation, surroundings))
        episode = options_of("episode", episode, Episode)
        keep = () if episode.reward is None else ("reward",)
        own = replace(episode, keep=keep)
        if episode.reset is None:
            own = replace(own, terminate=episode.terminate or _never)
        begin_q, begin_v = (
            np.broadcast_to(observations.for_all(name, x, self.n, size), (self.n, size))
            for name, x, size in (
                ("q0", model.neutral() if q0 is None else q0, model.nq),
                ("v0", np.zeros(model.nv) if v0 is None else v0, model.nv),
            )
        )
        of = prepare_rollout(model, begin_q, begin_v, step, setup, own, parameters)
        if terms := reward_terms(of.spec.reward, model, begin_q[0], begin_v[0]):
            of = of._replace(spec=of.spec._replace(terms=terms, more=(*of.spec.more, "terms")))
        self._prepared = of
        threads, self._actuated = setup.integrator.threads, setup.actuation.is_of_actuators
        self._threads = None if threads is None else checked_threads("threads", threads)
        self._cpus = () if cpus is None else checked_processors("cpus", cpus)
        self._kernels = rollout_kernels(of)
        self._arrays = [
            np.array(np.broadcast_to(x, (self.n, *slot.shape)) if k >= PARAMETERS else x, order="C")
            for k, (x, slot) in enumerate(
                zip(kernel_arguments(of, self._kernels[0], 1), self._kernels[0].program.inputs, strict=True)
            )
        ]
        self._results = [np.zeros((1, self.n, *slot.shape), of.spec.dtype) for slot in self._kernels[0].program.outputs]
        self._runs: dict[int, Callable[[], None]] = {}
        kernel = self._kernels[1]
        threads = self._threads or kernel.threads
        together = -(-self.n // len(self._cpus)) if self._cpus else sorted_together(threads)
        sorts = pays_off(of, kernel, self._arrays)
        self._order = MotionOrder(of.spec.layout.places, self.n, together) if sorts else None
        self._rest_at_start = self._arrays[2].copy()
        self._values, self._repeated = _views_of_values(of, self.n, *self._arrays[VALUES])
        self._parameters = dict(zip(parameters or {}, self._arrays[PARAMETERS:], strict=True))
        self._time, self._status = np.zeros(self.n), np.zeros(self.n, dtype=np.int8)
        self._sums = {name: self._results[3 + of.spec.more.index(name)][0] for name in of.spec.more}
        sums = {name: observations.read_only(self._sums["terms"][:, k]) for k, name in enumerate(of.spec.terms)}
        self._terms = observations.LiveArrays("term of the reward", sums)
        self._live: dict[Any, observations.LiveResult] = {}
        self._before = self.v.copy() if observations.need_accelerations(model) else None
        self._readings: Array | None = None
        self._sensors: Mapping[str, Array] | None = None

    def __repr__(self) -> str:
        return f"<Batch: {self.n} simulations of {self.model.name!r}>"

    def __len__(self) -> int:
        return self.n

    def __setattr__(self, name: str, value: Any) -> None:
        """Set q, v or controls; raise an error for other names, which would have no effect."""
        if type(self) is Batch and not name.startswith("_") and name not in ("q", "v", "controls"):
            raise ArgumentError(f"batch.{name} cannot be set; q, v and controls can, and entries of live arrays")
        super().__setattr__(name, value)

    @property
    def q(self) -> Array:
        """Configurations (n, nq), live."""
        return self._arrays[0]

    @q.setter
    def q(self, q: ArrayLike) -> None:
        self.q[...] = check_state(self.model, observations.for_all("q", q, self.n, self.model.nq), self.v)[0]

    @property
    def v(self) -> Array:
        """Velocities (n, nv), live."""
        return self._arrays[1]

    @v.setter
    def v(self, v: ArrayLike) -> None:
        self.v[...] = check_state(self.model, self.q, observations.for_all("v", v, self.n, self.model.nv))[1]

    @property
    def start(self) -> tuple[Array, Array]:
        """Configurations (n, nq) and velocities (n, nv) of starts, live: :meth:`reset` takes them by default."""
        return self._arrays[3], self._arrays[4]

    @property
    def controls(self) -> Array:
        """Controls (n, …), live: of actuators, efforts of the joints, or the value bound as ``controls``."""
        if "controls" not in self._values:
            raise InputError(
                "this batch has no controls: bind them to the controller, functools.partial(controller, controls=…)"
            )
        return self._values["controls"]

    @controls.setter
    def controls(self, controls: ArrayLike) -> None:
        x, now = as_numbers("controls", controls), self.controls
        if x.shape not in (now.shape[1:], now.shape):
            raise ShapeError(f"controls have shape {x.shape}; expected {now.shape[1:]} or {now.shape}")
        if not np.isfinite(x).all():
            raise InputError("controls are not finite")
        now[...] = x

    @property
    def values(self) -> Mapping[str, Array]:
        """Values bound to functions, live, by name: (n, *shape) of those given for each simulation, else (*shape)."""
        return observations.LiveArrays("bound value", self._values)

    @property
    def parameters(self) -> Mapping[str, Array]:
        """Parameters of the mechanism, live, by name: (n, *shape). Assigned values are checked and written."""
        advice = "; parameters of lw.Batch(…, parameters={name: values}) are live"
        possible = lambda name, values: possible_values(self.model, name, values)[1]  # noqa: E731
        return observations.LiveArrays("parameter", self._parameters, advice, checked=possible)

    @property
    def activations(self) -> Array | None:
        """Activations of the actuators (n, na), live; None without."""
        count = self.model.na if self._actuated else 0
        return activations_in(self._part("law"), count)

    @property
    def time(self) -> Array:
        """Times (n,) in s since the last reset, live; read-only."""
        return observations.read_only(self._time)

    @property
    def status(self) -> Array:
        """States of the simulations (n,), live; read-only: 0 running, 1 ended by ``terminate``, 2 diverged."""
        return observations.read_only(self._status)

    @property
    def rewards(self) -> Array:
        """Sums (n,) of the rewards of the last :meth:`step`, live; read-only."""
        if "reward" not in self._sums:
            raise InputError("this batch has no reward: episode=lw.Episode(reward=…)")
        return observations.read_only(self._sums["reward"])

    @property
    def reward_terms(self) -> Mapping[str, Array]:
        """Sums (n,) of the terms of the reward over the last :meth:`step`, live, by name; read-only."""
        return self._terms

    @property
    def contact_forces(self) -> Array:
        """Contact forces (n, pairs, 3) in N on the first shape of each pair, live, from the first use on; read-only.

        Those of impulses are means over the last step, in the contact frames at its end.
        """
        if not self.model.pairs:
            return np.zeros((self.n, 0, 3))

        def contact_forces(model: Model, q: Array, v: Array, rest: Array) -> Array:
            return forces_of_pairs(model, [force for _, _, force, _ in self._point_forces(model, q, v, rest)])

        return self._observed("contact forces", contact_forces, self._contact_model(), {"rest": self._arrays[2]})

    @property
    def sensors(self) -> Mapping[str, Array]:
        """Readings of the model's sensors by name, (n, size), live, from the first use on; read-only.

        Accelerations are means over the last step, zero before the first one and after a reset. Contact forces are
        those of :attr:`contact_forces`.
        """
        if self._sensors is None:
            model, controls = self.model, self._values.get("controls") if self._actuated else None
            observations.require_readings(model, controls, self._actuated)
            if not model.sensors:
                return observations.LiveArrays("sensor", {})
            self._readings = np.zeros((self.n, model.nv + model.nu + model.na), self.q.dtype)
            self._update_readings(self._readings)
            live = self._live["sensors"] = self._live_readings(self._readings)
            ends = np.cumsum([one.size for one in model.sensors]).tolist()
            found = {
                one.name: observations.read_only(live.values[:, end - one.size : end])
                for one, end in zip(model.sensors, ends, strict=True)
            }
            self._sensors = observations.LiveArrays("sensor", found)
        return self._sensors

    def observe(self, function: Callable[..., Any], values: Mapping[str, Array] | None = None) -> Array:
        """Return a live array of a function of the states; :meth:`step`, :meth:`reset` and :meth:`refresh` update it.

        Parameters
        ----------
        function : callable
            ``function(model, q, v) -> (m,)`` of one simulation, compiled; `model` has its `parameters`. Keyword-only
            arguments get the entries of :attr:`values` of their names, and ``time`` the time since the last reset.
        values : mapping, optional
            Further live arrays (n, ...) by name, of the type of `q`, for keyword-only arguments.

        Returns
        -------
        ndarray, shape (n, m)
            The live array, read-only.

        Raises
        ------
        UnknownNameError
            If a keyword-only argument is neither ``time`` nor the name of a value.
        ShapeError
            If one of `values` is no array (n, ...) of the type of `q`.
        """
        further = observations.checked_live(values or {}, self.q)
        known = observations.LiveArrays("argument of an observation", {**self._values, "time": self.time} | further)
        given = observations.named_arguments(function, known)
        return self._observed(function, observations.user_observation(function, [*given]), self.model, given)

    def height_scan(self, points: ArrayLike, frame: str | None = None) -> Array:
        """Return a live array of heights of a frame above the ground at points around it.

        The ground is the highest of the planes and height fields of the world that touch. Points beyond a height field
        that is the only ground have the height of its edge.

        Parameters
        ----------
        points : array_like, shape (m, 2)
            Points around the frame in m, x forwards and y to the left: they turn with its heading.
        frame : str, optional
            Name of the frame; the floating base by default.

        Returns
        -------
        ndarray, shape (n, m)
            Height of the origin of the frame above the ground in m, live; read-only.
        """
        name = observations.base_frame(self.model) if frame is None else frame
        heights = observations.clearance(self.model, points, name)
        return self._observed(("height scan", name, np.asarray(points, dtype=float).tobytes()), heights, self.model)

    # steps

    def step(self, k: int = 1) -> None:
        """Take steps of all simulations in place.

        Parameters
        ----------
        k : int, optional
            Number of steps. Controls are held over them; a controller is evaluated in each.
        """
        k = whole_number("k", k, 1, self._prepared.spec.most_steps)
        for copy, values in self._repeated:
            copy[...] = values
        if self._before is not None:
            before = {}
            if k > 1:
                self._run(k - 1)
                before = {name: x.copy() for name, x in self._sums.items()}
            self._before[...] = self.v
            self._run(1)
            for name, x in before.items():
                self._sums[name] += x
        else:
            self._run(k)
        self.refresh()

    def refresh(self) -> None:
        """Update the arrays that follow from the states, after a change of `q`, `v` or `parameters`."""
        layout, rest = self._prepared.spec.layout, self._arrays[2]
        np.multiply(rest[:, layout.places["step"].start], self._prepared.h, out=self._time, dtype=np.float64)
        if "alive" in layout.places:
            np.subtract(1.0, rest[:, layout.places["alive"].start], out=self._status, casting="unsafe")
        if self._readings is not None:
            self._update_readings(self._readings)
        for live in self._live.values():
            live.update()

    def reset(self, rows: Any = None, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Start simulations again, with the carried state of a start; their random numbers continue.

        Parameters
        ----------
        rows : array_like of bool, shape (n,), array_like of int, slice or int, optional
            Simulations; all by default.
        q : array_like, shape (nq,) or (rows, nq), optional
            Configurations; by default those of the first start.
        v : array_like, shape (nv,) or (rows, nv), optional
            Velocities; by default those of the first start.
        """
        at = observations.chosen_rows(rows, self.n)
        if not len(at):
            return
        model, of = self.model, self._prepared
        given = [
            start[at] if x is None else np.broadcast_to(observations.for_all(name, x, len(at), size), (len(at), size))
            for name, x, size, start in zip("qv", (q, v), (model.nq, model.nv), self.start, strict=True)
        ]
        if q is not None or v is not None:
            given = list(check_state(model, *given)[:2])
            require_closed(model, given[0], given[1], {name: x[at] for name, x in self._parameters.items()})
        rest, places = self._rest_at_start[at], of.spec.layout.places
        for place, _ in self._random_states():
            rest[:, place] = self._arrays[2][at, place]
        if isinstance(method_of(of.spec.options.method), EmbeddedPair):
            smooth, tolerance = is_smooth(of.spec.options, of.spec.effort_function), of.tolerance
            tolerance = tolerance[at] if np.ndim(tolerance) else tolerance
            rest[:, places["memory"]] = memory_at_start(model, of.spec.options, smooth, tolerance, np.inf, *given)
        for now, new in zip(self._arrays[:3], (*given, rest), strict=True):
            now[at] = new
        for sums in self._sums.values():
            sums[at] = 0.0
        if self._before is not None:
            self._before[at] = given[1]
        self.refresh()

    def stop(self, rows: Any = None) -> None:
        """End simulations: they do not move until :meth:`reset`.

        Parameters
        ----------
        rows : array_like of bool, shape (n,), array_like of int, slice or int, optional
            Simulations; all by default.
        """
        places = self._prepared.spec.layout.places
        if "alive" not in places:
            raise InputError("simulations with Episode(reset=…) start again where they end: they do not stop")
        at = observations.chosen_rows(rows, self.n)
        running = self._status[at] == self.RUNNING
        self._arrays[2][at[running], places["alive"].start] = 0.0
        self._status[at[running]] = self.ENDED

    def seed(self, seed: ArrayLike) -> None:
        """Set the random numbers of noise and of random resets.

        Parameters
        ----------
        seed : int or array_like of int, shape (n,)
            Seed for all simulations, which have different numbers, or the seed of each simulation.
        """
        of_each = checked_seed(seed, (self.n,))
        for place, stream in self._random_states():
            self._arrays[2][:, place] = self._rest_at_start[:, place] = seeds(of_each, (self.n,), stream)

    # state

    def __getstate__(self) -> list[Array]:
        before = [] if self._before is None else [self._before]
        return [*self._arrays, *self._sums.values(), *before]

    def __setstate__(self, state: list[Array]) -> None:
        for mine, other in zip(self.__getstate__(), state, strict=True):
            mine[...] = other
        self.refresh()

    def __reduce__(self) -> Any:
        return _made_again, (self._given,), self.__getstate__()

    def _run(self, k: int) -> None:
        """Take k steps in place."""
        kernel, numbers = self._kernels[k > 1], self._arrays[NUMBERS]
        numbers[1] = k
        if k not in self._runs:
            if len(self._runs) >= MOST_RUNS:
                self._runs.clear()
            order = None if self._order is None else self._order.indices
            self._runs[k] = kernel.sequence(
                1, self._arrays, FED, self._results, k, self._threads, in_place=True, cpus=self._cpus, order=order
            )
        self._runs[k]()
        if self._order is not None:
            self._order.follow(self._arrays[2], k)

    def _observed(
        self, key: Any, function: Callable[..., Any], model: Model, given: Mapping[str, Array] = MappingProxyType({})
    ) -> Array:
        """Return the live array of a function (model, q, v, *given) of the states and further live arrays."""
        if key not in self._live:
            of = self._prepared
            of_each = dict(zip(of.names, of.spec.per_motion, strict=True))
            sizes = {f"value_{k}": x.shape[of_each.get(name, True) :] for k, (name, x) in enumerate(given.items())}
            kernel = self._compiled(observations.with_arguments(function, [*sizes]), model, **sizes)
            arguments = (self.q, self.v, *given.values(), *self._parameters.values())
            self._live[key] = observations.LiveResult(kernel, arguments)
        return observations.read_only(self._live[key].values)

    def _compiled(self, function: Callable[..., Any], model: Model, **sizes: Any) -> Callable[..., Any]:
        """Compile a function of the states, whose last arguments are the parameters."""
        return compile(
            function, model, parameters=list(self._parameters), precision=self._prepared.spec.precision, **sizes
        )

    def _live_readings(self, given: Array) -> observations.LiveResult:
        """Return the readings of all sensors; ``given``: accelerations, controls and activations."""
        arguments = (self.q, self.v, given)
        if all(one.type not in OF_SURROUNDINGS for one in self.model.sensors):
            kernel = self._compiled(observations.limited_readings, self.model, given=given.shape[1:])
            return observations.LiveResult(kernel, (*arguments, *self._parameters.values()))

        def state(model: Model, q: Array, v: Array, given: Array, rest: Array) -> Array:
            return observations.surrounding_state(model, q, v, given, self._point_forces(model, q, v, rest))

        def readings(model: Model, q: Array, v: Array, given: Array, rest: Array) -> Array:
            return observations.readings_in_surroundings(model, state(model, q, v, given, rest))

        model, rest = self._contact_model(), self._arrays[2]
        in_numbers = has_rays_to_triangles(model)
        kernel = self._compiled(state if in_numbers else readings, model, given=given.shape[1:], rest=rest.shape[1:])

        def of_numbers(*arrays: Array) -> Array:
            return observations.readings_in_surroundings(model, kernel(*arrays))

        return observations.LiveResult(
            of_numbers if in_numbers else kernel, (*arguments, rest, *self._parameters.values())
        )

    def _contact_model(self) -> Model:
        """Return the model with the impulses of contact that the carried state has."""
        named = tuple(what for owner, _, what in (name.partition(".") for name in self._parameters) if owner == "pairs")
        return with_all_impulses(self.model, named)

    def _point_forces(self, model: Model, q: Array, v: Array, rest: Array) -> list[tuple[Array, Array, Array, Array]]:
        """Return :func:`point_forces` of one simulation with the carried state ``rest``."""
        if not model.pairs:
            return []
        of = self._prepared
        memory = of.spec.layout.places.get("memory", slice(0, 0))
        return point_forces(model, of.spec.options.constraints, q, v, rest[memory], of.h)

    def _update_readings(self, given: Array) -> None:
        nv, nu = self.model.nv, self.model.nu
        if self._before is not None:
            np.subtract(self.v, self._before, out=given[:, :nv])
            given[:, :nv] /= self._prepared.h
        if self._actuated and "controls" in self._values:
            given[:, nv : nv + nu] = self._values["controls"]
        if (activations := self.activations) is not None:
            given[:, nv + nu :] = activations

    def _part(self, name: str) -> Array | None:
        place = self._prepared.spec.layout.places.get(name)
        return None if place is None else self._arrays[2][:, place]

    def _random_states(self) -> list[tuple[slice, int]]:
        """Return the places of the states of random generators in the carried state, and their streams: of noise, and
        of random resets."""
        spec, places = self._prepared.spec, self._prepared.spec.layout.places
        found = [] if spec.random is None else [(_within(places["law"], spec.random), 0)]
        return found + ([(places["random"], RESET_STREAM)] if "random" in places else [])


def _made_again(given: dict[str, Any]) -> Batch:
    return Batch(**given)


def _within(place: slice, inner: slice) -> slice:
    return slice(place.start + inner.start, place.start + inner.stop)


def _views_of_values(
    of: PreparedRollout, n: int, shared: Array, own: Array
) -> tuple[dict[str, Array], list[tuple[Array, Array]]]:
    """Return live arrays of the bound values by name, and pairs (copy, values) of values bound to several functions."""
    found: dict[str, Array] = {}
    repeated: list[tuple[Array, Array]] = []
    at = {True: 0, False: 0}
    for name, shape, each in zip(of.names, of.spec.shapes, of.spec.per_motion, strict=True):
        size = int(np.prod(shape, dtype=int))
        place = slice(at[each], at[each] + size)
        at[each] += size
        view = own[:, place].reshape((n, *shape)) if each else shared[place].reshape(shape)
        if name in found:
            repeated.append((view, found[name]))
        elif name:
            found[name] = view
    return found, repeated


__all__ = ["Batch"]
