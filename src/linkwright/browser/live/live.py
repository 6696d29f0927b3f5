"""A simulation in real time: a few steps per call, with parameters that can change between the calls.

Nothing here depends on a browser. The whole step is one kernel. Gravity, masses, friction, gains and pushes are its
arguments, so that no change compiles anything.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import RLock
from typing import Any, Literal, NamedTuple

import numpy as np

from linkwright.bounds import not_negative, positive
from linkwright.browser.balance import raised, standing_start
from linkwright.browser.live.push import PulledPoint, Pusher
from linkwright.compiler.kernel import compile
from linkwright.compiler.public import compile_or_not
from linkwright.dynamics import difference, gravity_forces, integrate
from linkwright.dynamics.configuration import check_state
from linkwright.dynamics.impulses.constraints import has_limits
from linkwright.dynamics.impulses.contact_impulses import contact_impulses, row_names
from linkwright.errors import InputError, UnknownNameError
from linkwright.model.requirement import require_model
from linkwright.model.tree import Model
from linkwright.simulation.episode import Episode
from linkwright.simulation.ground import floating, on_ground
from linkwright.simulation.initial_state import default_configuration, showing_bend
from linkwright.simulation.integrators.split_kernels import energies
from linkwright.simulation.preparation import suitable_method
from linkwright.simulation.recording.motion import Motion
from linkwright.simulation.rollouts import Rollout, rollout
from linkwright.simulation.setup import Integrator
from linkwright.simulation.standing_posture import held
from linkwright.spatial.arrays import Array, as_numbers, clip
from linkwright.spatial.inertia import rigid_inertia

STIFF = 4.0
"""Natural frequency of held joints of a mechanism that does not stand on the ground, Hz."""

PIECE = 4
"""Number of steps with a constant push force, which follows the mouse."""

KEPT = 20_000
"""Largest number of recorded samples, at most 50 per second."""

FASTEST = 1e5
"""Sum of all joint speeds, rad/s and m/s, above which the simulation has diverged and stops."""

BEND_EVERY = 4.0
"""Period of the motion between two postures, s."""

LEAST_SHARE = 0.05
"""Smallest share of an effort limit that remains for the springs of a fast joint."""

AT_LIMIT = 2e-3
"""Share of its range within which a joint is at its limit."""


@dataclass(frozen=True)
class Touching:
    """Points and forces of contact, in world axes."""

    points: Array
    """(k, 3), m"""
    forces: Array
    """(k, 3), N, on the first shape of each pair"""


class LiveState(NamedTuple):
    """The state of the mechanism at one time."""

    t: float
    q: Array
    v: Array
    tau: Array
    """(nv,), efforts of the controller, without the push"""
    kinetic: float
    potential: float
    touching: Touching | None = None
    """contact forces; None without contact"""
    push: tuple[Array, Array] | None = None
    """point of the push and its target (3,), m; None without a push"""


class Live:
    """A simulation of a mechanism in real time, safe for several threads.

    Parameters
    ----------
    model : Model
        Mechanism. A robot with a floating base and collision shapes stands on the ground.
    q0, v0 : array_like, optional
        Initial configuration (nq,) and velocity (nv,). Default: ``default_configuration``.
    step : float, optional
        Step size, s.
    ground : bool, optional
        Add a ground under a robot with a floating base.
    mode : {"hold", "bend", "free"}, optional
        Joint mode. ``"hold"``: hold the posture with springs, dampers and, with a fixed base, gravity compensation,
        within the effort limits. ``"bend"``: move between two postures (built-in legged robots). ``"free"``: passive
        joints. Default: "hold" for a robot that stands, else "free".

    Raises
    ------
    InputError
        If the initial state is not valid.
    TooLargeError
        If the mechanism is too large for straight-line code.
    """

    def __init__(
        self,
        model: Model,
        q0: Any = None,
        v0: Any = None,
        *,
        step: float = 1e-3,
        ground: bool = True,
        mode: Literal["hold", "bend", "free"] | None = None,
    ):
        require_model(model, "Live")
        self.lock = RLock()
        self.shown = model
        grounded = on_ground(model, None, None, True) if ground and floating(model) else model
        self.stands = bool(grounded.pairs) and floating(grounded)
        if q0 is None:
            start = default_configuration(grounded)
            if self.stands:
                on_it, still, height = standing_start(grounded)
                start = raised(grounded, on_it, height), still
        else:
            start = q0, np.zeros(model.nv)
        q, v, batch = check_state(grounded, start[0], start[1] if v0 is None else v0)
        if batch:
            raise InputError(f"q0 of a live simulation is ({model.nq},); got {q.shape}")
        self.start = np.array(q), np.array(v)
        self.step = float(step)
        self.bend = showing_bend(grounded)
        springs = held(grounded, q) if self.stands else held(grounded, q, STIFF)
        self._gain = springs.stiffness
        self._held_damping = [np.asarray(j.damping, dtype=float).reshape(-1) for j in springs.model.joints]
        self._own_damping = [np.asarray(j.damping, dtype=float).reshape(-1) for j in grounded.joints]
        limits = [np.broadcast_to(np.asarray(j.effort_limit, dtype=float), j.nv) for j in grounded.joints]
        self.effort_limits: Array = np.concatenate(limits) if limits else np.zeros(0)
        """(nv,), limits of the held joints"""
        self.model = grounded
        self.limits = has_limits(grounded)
        stiff = replace(grounded, joints=springs.model.joints)
        smooth = not (self.stands or self.limits or grounded.pairs)
        self.method: Any = suitable_method(stiff, q, v, self.step) if smooth else None
        self.masses = _masses(grounded)
        self._values: dict[str, Array] = {"gravity": np.array(grounded.gravity, dtype=float)}
        self._values |= {f"{name}.inertial": np.array(ten) for name, ten in self.masses.items()}
        self._values |= {
            f"{joint.name}.damping": own if len(own) > 1 else own[0]
            for joint, own in zip(grounded.joints, self._own_damping, strict=True)
            if joint.nv and not joint.motion.floating and not joint.coupling
        }
        if grounded.pairs:
            self._values["pairs.friction"] = np.array(float(grounded.pairs[0].friction))
        self._inertial = [name for name in self._values if name == "gravity" or name.endswith(".inertial")]
        self._dampers: Array = np.zeros(model.nv)
        self.stiffness, self.damping = 1.0, 1.0
        self.posture = np.array(q)
        self.pusher = Pusher(grounded)
        self.push: PulledPoint | None = None
        self.mode: str = mode or ("hold" if self.stands else "free")
        self.history: deque[LiveState] = deque(maxlen=KEPT)
        self.lost = False
        """whether the simulation diverged and stopped"""
        self._kernels: dict[str, Callable[..., Any]] = {}
        self._end: Rollout | None = None
        self._began = 0.0
        self.q, self.v, self.tau = np.array(q), np.array(v), np.zeros(model.nv)
        self.t = 0.0
        self.set_mode(self.mode)
        self._remember()

    # parameters that can change while it runs

    @property
    def gravity(self) -> Array:
        """(3,), m/s²."""
        return np.array(self._values["gravity"])

    def set_gravity(self, gravity: Any) -> None:
        """Set the gravity (3,), m/s², or its magnitude in the direction of the gravity of the model."""
        g = as_numbers("gravity", gravity)
        if g.ndim == 0:
            own = np.asarray(self.model.gravity, dtype=float)
            size = float(np.linalg.norm(own))
            g = g * (own / size if size else np.array([0.0, 0.0, -1.0]))
        if g.shape != (3,) or not np.isfinite(g).all():
            raise InputError(f"gravity must be one or three finite numbers, m/s²; got {gravity!r}")
        with self.lock:
            self._values["gravity"] = g

    def mass(self, link: str) -> float:
        """Return the mass of a link, kg."""
        self._require_mass(link)
        return float(self._values[f"{link}.inertial"][0])

    def set_mass(self, link: str, mass: float) -> None:
        """Set the mass of a link, kg; its inertia scales with it."""
        self._require_mass(link)
        positive("a mass", mass, "kg")
        own = self.masses[link]
        with self.lock:
            self._values[f"{link}.inertial"] = own * (mass / own[0])

    def _require_mass(self, link: str) -> None:
        if link not in self.masses:
            raise UnknownNameError("link with a mass", link, list(self.masses))

    @property
    def friction(self) -> float | None:
        """The coefficient of friction of all contacts; None without contact."""
        found = self._values.get("pairs.friction")
        return None if found is None else float(found)

    def set_friction(self, friction: float) -> None:
        """Set the coefficient of friction of all contacts."""
        if "pairs.friction" not in self._values:
            raise InputError(f"{self.model.name!r} has no contact, so friction cannot be set")
        given = not_negative("friction", friction)
        with self.lock:
            self._values["pairs.friction"] = np.array(given)

    def set_gains(self, stiffness: float | None = None, damping: float | None = None) -> None:
        """Scale the stiffness and the damping of the held joints, relative to their initial values."""
        for name, value in (("stiffness", stiffness), ("damping", damping)):
            if value is not None:
                not_negative(name, value)
        with self.lock:
            self.stiffness = self.stiffness if stiffness is None else float(stiffness)
            self.damping = self.damping if damping is None else float(damping)
            self.set_mode(self.mode)

    def set_mode(self, mode: str) -> None:
        """Set the joint mode: "hold" (the posture of ``posture``), "bend" or "free"."""
        known = ["hold", "free"] if self.bend is None else ["hold", "bend", "free"]
        if mode not in known:
            raise InputError(f"mode must be one of {', '.join(map(repr, known))}; got {mode!r}")
        with self.lock:
            self.mode = mode

    def hold_here(self) -> None:
        """Hold the present posture."""
        with self.lock:
            self.posture = np.array(self.q)
            self.set_mode("hold")

    def _limited(self) -> Array:
        """Set the damping of the joints for the next steps; return the limits (nv,) of their springs.

        A damper takes at most the effort limit of its joint at the present speed, the spring the rest.
        """
        left = self.effort_limits.copy()
        self._dampers = np.zeros(self.model.nv)
        for joint, own, more in zip(self.model.joints, self._own_damping, self._held_damping, strict=True):
            name, at = f"{joint.name}.damping", self.model.slice(joint.name).v
            if name not in self._values:
                continue
            extra = np.zeros_like(own) if self.mode == "free" else self.damping * (more - own)
            speed, limit = np.abs(self.v[at]), self.effort_limits[at]
            extra = np.where(extra * speed > limit, limit / np.maximum(speed, 1e-300), extra)
            left[at] = np.maximum(limit - extra * speed, LEAST_SHARE * limit)
            self._dampers[at] = extra
            value = own + extra
            self._values[name] = value if len(value) > 1 else value[0]
        return left

    # pushing

    def grab(self, frame: str, point: Any) -> None:
        """Grab the body of a frame at a point (3,), m, in world axes; see :meth:`pull`."""
        with self.lock:
            self.push = self.pusher.grabbed(self.q, frame, point)

    def pull(self, target: Any, strength: float = 1.0) -> None:
        """Pull the grabbed point towards a point (3,), m, in world axes, with a spring and a damper."""
        with self.lock:
            if self.push is None:
                raise InputError("no point is grabbed; call grab(frame, point) first")
            self.push = self.push.towards(target, strength)

    def release(self) -> None:
        """Release the grabbed point."""
        with self.lock:
            self.push = None

    def pulled(self) -> tuple[Array, Array, Array] | None:
        """Return the point of the push (3,), its target (3,), m, and its force (3,), N; None without a push."""
        with self.lock:
            return None if self.push is None else self.pusher.acting(self.q, self.v, self.push)[:3]

    # stepping

    def advance(self, seconds: float) -> int:
        """Simulate for a duration, s, in whole steps; return their number. One sample is recorded."""
        count = round(seconds / self.step)
        return self.take(count) if count > 0 else 0

    def take(self, steps: int) -> int:
        """Simulate a number of steps; return how many were taken: none after the simulation diverged."""
        with self.lock:
            if self.lost:
                return 0
            left = steps
            while left > 0 and not self.lost:
                some = min(left, PIECE) if self.push is not None else left
                self._some(some)
                left -= some
            self._remember()
            return steps - left

    def _some(self, steps: int) -> None:
        extra = np.zeros(self.model.nv) if self.push is None else self.pusher.acting(self.q, self.v, self.push)[3]
        free = self.mode == "free"
        posture = self.posture
        if self.mode == "bend" and self.bend is not None:
            share = 0.5 - 0.5 * np.cos(2.0 * np.pi * self.t / BEND_EVERY)
            posture = np.asarray(integrate(self.model, self.posture, share * self.bend))
        law = partial(
            _holding,
            posture=posture,
            gain=0.0 * self._gain if free else self.stiffness * self._gain,
            against=0.0 if free or self.stands else 1.0,
            limit=self._limited(),
            extra=extra,
        )
        start = self._end
        found = rollout(
            self.model,
            self.q if start is None else start,
            self.v if start is None else None,
            steps,
            self.step,
            law,
            1,  # one kernel for any number of steps
            method=Integrator(self.method, joint_limits=self.limits, threads=1),
            episode=Episode(terminate=_beyond, keep=("q", "v", "tau")),
            parameters=self._values,
        )
        self._end = found
        self.t = self._began + found.taken * self.step
        self.q, self.v = found.q[-1], found.v[-1]
        held = np.zeros(self.model.nv) if found.tau is None else found.tau[-1] - extra
        self.tau = held - self._dampers * self.v
        self.lost = not bool(found.alive)

    def prepare(self) -> None:
        """Compile all functions without advancing the time."""
        with self.lock:
            kept = (self.q, self.v, self.tau, self.t, self._end)
            self._some(1)
            self.q, self.v, self.tau, self.t, self._end = kept
            self.lost = False
            self.touching()
            if self.model.joints:
                self.pusher.grabbed(self.q, self.model.joints[-1].child, np.zeros(3))

    # the state

    def place(self, q: Any, v: Any = None, t: float | None = None) -> None:
        """Continue from another configuration q (nq,), at rest or with the velocities v (nv,)."""
        q, v, batch = check_state(self.model, q, np.zeros(self.model.nv) if v is None else v)
        if batch:
            raise InputError(f"q of a live simulation is ({self.model.nq},); got {q.shape}")
        with self.lock:
            self.q, self.v = np.array(q), np.array(v)
            self.t = self._began = self.t if t is None else float(t)
            self._end, self.lost, self.tau, self.push = None, False, np.zeros(self.model.nv), None
            while self.history and self.history[-1].t >= self.t - 0.5 * self.step:
                self.history.pop()
            self._remember()

    def reset(self) -> None:
        """Return to the initial state and clear the record."""
        with self.lock:
            self.history.clear()
            self.posture = np.array(self.start[0])
            self.place(*self.start, t=0.0)

    def go_back(self, t: float) -> LiveState:
        """Return to the sample nearest to a time, s, and remove the later samples."""
        with self.lock:
            sample = self.sample_at(t)
            self.place(sample.q, sample.v, sample.t)
            return sample

    def sample_at(self, t: float) -> LiveState:
        """Return the sample nearest to a time, s."""
        with self.lock:
            times = np.array([sample.t for sample in self.history])
            return self.history[int(np.argmin(np.abs(times - t)))]

    def thin(self, t: float) -> None:
        """Remove the samples after a time, s, except for the newest one."""
        with self.lock:
            newest = self.history.pop()
            while self.history and self.history[-1].t > t + 0.5 * self.step:
                self.history.pop()
            self.history.append(newest)

    @property
    def now(self) -> LiveState:
        """The newest sample."""
        return self.history[-1]

    def touching(self) -> Touching:
        """Return the contact forces, averaged over the last step."""
        model = self.model
        if not model.pairs:
            return Touching(np.zeros((0, 3)), np.zeros((0, 3)))
        with self.lock:
            kernel, size = self._kernels.get("touching"), len(list(row_names(model)))
            if kernel is None:
                kernel = self._kernels["touching"] = compile_or_not(_touching, model, p=(size,))
            p = np.zeros(size)
            if self._end is not None:
                p = self._end.end[2][self._end.layout.places["memory"]][-size:] / self.step
            points, forces = kernel(self.q, p)
        presses = np.linalg.norm(forces, axis=-1) > 1e-9
        return Touching(np.asarray(points)[presses], np.asarray(forces)[presses])

    def measured(self) -> tuple[float, float]:
        """Return the present kinetic and potential energy, J."""
        kernel = self._kernels.get("energies")
        if kernel is None:
            kernel = self._kernels["energies"] = compile(energies, self.model, parameters=self._inertial)
        kinetic, potential = kernel(self.q, self.v, *(self._values[name] for name in self._inertial))
        return float(kinetic), float(potential)

    def _remember(self) -> None:
        pulled = self.pulled()
        self.history.append(
            LiveState(
                self.t,
                np.array(self.q),
                np.array(self.v),
                np.array(self.tau),
                *self.measured(),
                self.touching() if self.model.pairs else None,
                None if pulled is None else pulled[:2],
            )
        )

    @property
    def at_limits(self) -> list[str]:
        """Names of the joints at a limit of their position."""
        model, span = self.model, self.model.upper - self.model.lower
        ends = AT_LIMIT * np.where(np.isfinite(span), span, 0.0)
        near = (self.q <= model.lower + ends) | (self.q >= model.upper - ends)
        return [name for name, one in zip(model.coordinate_names, near, strict=True) if one]

    def record(self) -> list[LiveState]:
        """Return the recorded samples."""
        with self.lock:
            return list(self.history)

    def motion(self, samples: Sequence[LiveState] | None = None) -> Motion:
        """Return the record, or some samples of it, as a motion with the masses and the gravity of the model."""
        samples = self.record() if samples is None else samples
        t = np.array([sample.t for sample in samples])
        q, v, tau = (np.stack([getattr(sample, name) for sample in samples]) for name in ("q", "v", "tau"))
        return Motion(model=self.model, t=t, q=q, v=v, tau=tau, step=self.step)


def _holding(
    model: Model, t: Any, q: Array, v: Array, *, posture: Array, gain: Array, against: Any, limit: Array, extra: Array
) -> Array:
    """Return the efforts of springs and gravity compensation, limited, and those of a push."""
    return clip(gain * difference(model, q, posture) + against * gravity_forces(model, q), -limit, limit) + extra


def _beyond(model: Model, t: Any, q: Array, v: Array) -> Any:
    return abs(v).sum() > FASTEST


def _touching(model: Model, q: Array, p: Array) -> tuple[Array, Array]:
    found = contact_impulses(model, q, p)
    return np.stack([one.point for one in found]), np.stack([one.force for one in found])


def _masses(model: Model) -> dict[str, Array]:
    """Return the inertial parameters (10,) of each moving link with a mass."""
    found = {}
    for body in model.description.bodies:
        if model.frames[body.name].body >= 0 and float(body.mass) > 0.0:
            own = rigid_inertia(float(body.mass), body.center_of_mass, body.inertia).parameters()
            found[body.name] = np.asarray(own, dtype=float)
    return found
