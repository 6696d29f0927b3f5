"""Controllers that hold a posture: functions (t, q, v) -> efforts.

Efforts are held over a step h. A single coordinate with ẍ = −ω² x − 2ζω ẋ, evaluated once a step, is therefore stable
only if

    ζ ω h < 1   and   ω h < 4 ζ

(the conditions of Jury and Schur on x⁺ = x + h ẋ + ½ h² ẍ, ẋ⁺ = ẋ + h ẍ). A mode with k ≤ 1 times this stiffness and
damping fulfills both as well.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.bounds import positive
from linkwright.compiler.front.differentiation import replay
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.public import compile_or_not, kernel_of
from linkwright.dynamics import difference, forward_dynamics, integrate, inverse_dynamics, passive_forces
from linkwright.dynamics.configuration import check
from linkwright.dynamics.forces.actuation import with_motors
from linkwright.errors import ArgumentError, InputError, warn
from linkwright.model.parts.pair import Pair
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model, floating_bases
from linkwright.simulation.actuation.law_controller import EffortFunction, LawController
from linkwright.simulation.integrators.methods import (
    IntegrationMethod,
    implicit_acceleration,
    implicit_terms,
    with_added_armature,
)
from linkwright.simulation.integrators.split_kernels import in_parts
from linkwright.spatial.arrays import Array, as_numbers

MARGIN = 4.0
"""Safety factor between the step and its stability limit."""

ROTOR = 30.0
"""Ratio of the rotor of `hold_joints` to the inertia that the joint moves and to what resists it over a step."""

MOST = 1e3
"""Largest inertia of a joint relative to Mᵢᵢ: loops may fix it."""


Law = Callable[[Array, Array], Array]
"""(q, v) -> efforts (…, nv)"""


@dataclass(frozen=True, eq=False)
class _PostureEfforts:
    """Efforts as a function of (model, q, v, *values), as a kernel and as an effort function."""

    law: Callable[..., Array]
    model: Model
    values: Mapping[str, Any]

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the values."""
        sizes = {"q1": (self.model.nq,), "tau": (self.model.nv,), "rotor": (self.model.nv,)}
        return {name: sizes.get(name, ()) for name in self.values}

    @cached_property
    def kernel(self) -> Callable[..., Array]:
        """Kernel for numbers."""
        kernel: Callable[..., Array] = kernel_of(self.law, self.model, **self.shapes)
        return kernel

    def __call__(self, q: Array, v: Array) -> Array:
        return self.kernel(q, v, *self.values.values())

    @property
    def effort_function(self) -> EffortFunction:
        """Effort function, to be compiled with steps."""
        values = tuple(np.asarray(x, dtype=float) for x in self.values.values())
        law = self.law
        return EffortFunction(
            lambda model, t, q, v, *values: law(model, q, v, *values), law, values, tuple(self.shapes.values())
        )


def effort_function_of(controller: Callable[..., Any] | None, model: Model) -> EffortFunction | None:
    """Return the effort function of a posture controller, or of a kernel of (t, q, v) with bound values; else None."""
    if isinstance(controller, LawController):
        return controller.effort_function
    if isinstance(controller, Hold):
        law = controller.laws(controller.held)
        return law.effort_function if isinstance(law, _PostureEfforts) else None
    kernel, bound = controller, {}
    if isinstance(controller, partial) and not controller.args:
        kernel, bound = controller.func, controller.keywords
    if isinstance(kernel, Kernel) and isinstance(kernel.program, Program):
        return _effort_function_of_kernel(kernel, kernel.program, bound, model)
    return None


def _effort_function_of_kernel(
    kernel: Kernel, program: Program, bound: Mapping[str, Any], model: Model
) -> EffortFunction | None:
    names = list(inspect.signature(kernel).parameters)[: len(program.inputs)]
    shapes = {name: slot.shape for name, slot in zip(names, program.inputs, strict=True)}
    if [shapes[name] for name in names[:3]] != [(), (model.nq,), (model.nv,)] or set(names[3:]) != bound.keys():
        return None
    if [slot.shape for slot in program.outputs] != [(model.nv,)]:
        return None
    values = {name: as_numbers(name, bound[name]) for name in names[3:]}
    if any(x.shape[x.ndim - len(shapes[name]) :] != shapes[name] for name, x in values.items()):
        return None  # the kernel raises

    def efforts(model: Model, t: Any, q: Array, v: Array, *given: Array) -> Array:
        result: Array = replay(program, t.graph, [t, q, v, *given])[0]
        return result

    return EffortFunction(efforts, program.digest, tuple(values.values()), tuple(shapes[name] for name in values))


def is_state_feedback(controller: Any) -> bool:
    """Whether a controller is a function of (t, q, v) and compiled: a posture controller, or a kernel."""
    if isinstance(controller, partial):
        controller = controller.func
    return isinstance(controller, (Hold, Kernel))


def require_callback(controller: Any) -> None:
    """Raise :class:`ArgumentError` for an object that cannot be called with (t, q, v)."""
    if not callable(controller):
        raise ArgumentError(f"callback is a function (t, q, v) -> efforts; got {controller!r}")
    if isinstance(controller, Kernel) and len(controller.program.inputs) > 3:
        names = [f"{name}=…" for name in list(inspect.signature(controller).parameters)[3:-1]]
        raise ArgumentError(
            f"a controller is called with (t, q, v), and {controller!r} takes more: bind the others to their values, "
            f"functools.partial(kernel, {', '.join(names)})"
        )


Held = Literal["explicit", "semi_implicit", "stages"]
"""Purpose of the efforts: a step of an explicit method, or of "semi_implicit", or continuous time."""


@dataclass(frozen=True, eq=False)
class Hold:
    """Controller that holds a posture, (t, q, v) -> efforts (…, nv)."""

    laws: Callable[[Held], Law]
    """efforts by their purpose, compiled once"""
    frequency: float
    """Hz"""
    longest_step: float
    """s; with longer steps the motion does not settle"""
    method: IntegrationMethod | None = None
    """method of integration that ``simulate`` uses by default"""
    held: Held = "explicit"
    """present purpose of the efforts"""

    def within(self, method: str, staged: bool = False) -> Hold:
        """Return the controller for the steps, or the stages, of a method of ``simulate``."""
        held: Held = "stages" if staged else "semi_implicit" if method == "semi_implicit" else "explicit"
        return replace(self, held=held)

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return the efforts (…, nv) at q (…, nq) and v (…, nv)."""
        return self.laws(self.held)(q, v)


@takes_numeric_model()
def hold_posture(
    model: Model, posture: ArrayLike, frequency: float = 2.0, damping_ratio: float = 1.0, step: float = 1e-3
) -> Hold:
    """Return a controller that holds a posture by computed torque: each coordinate is a damped oscillator.

    Parameters
    ----------
    model : Model
        Mechanism in which every joint has a motor.
    posture : array_like, shape (..., nq)
        Posture.
    frequency : float, optional
        Natural frequency, Hz. A frequency too high for `step` is lowered, with a warning.
    damping_ratio : float, optional
        Damping ratio ζ.
    step : float, optional
        Time for which efforts are held, s.

    Returns
    -------
    Hold
        Controller for ``simulate(…, controller=…)``. With "semi_implicit" the acceleration is exactly that of the
        oscillator; springs, dampers and friction are compensated.

    Raises
    ------
    InputError
        If the base is free (use :func:`hold_joints`), or an argument is out of its range.
    """
    target = _posture(model, posture)
    dynamics.require_mass(model)
    w = _angular(frequency, damping_ratio, step)
    free = [joint.name for joint in model.joints if joint.type == "free"]
    if free:
        raise InputError(
            f"hold_posture drives every joint, and would lift {model.name!r} by its free joint {free[0]!r}: "
            "hold_joints drives all joints but the free ones"
        )

    @cache
    def laws(held: Held) -> Law:
        book = implicit_computed_torque if held == "semi_implicit" else computed_torque
        lasting = 0.0 if held == "stages" else step
        return _PostureEfforts(book, model, {"q1": target, "w": w, "damping_ratio": damping_ratio, "step": lasting})

    return _holding(laws, w, damping_ratio, _exactly(model, target.reshape(-1, model.nq), w * step))


@takes_numeric_model()
def hold_joints(
    model: Model, posture: ArrayLike, frequency: float = 2.0, damping_ratio: float = 1.0, step: float = 1e-3
) -> Hold:
    """Return a controller that holds the joints at a posture, for floating bases and closed loops.

    Free joints get no effort. Each joint has a virtual rotor r, large compared with the inertia that an effort there
    moves at the posture (1/(M⁻¹)ᵢᵢ with loops included, or Mᵢᵢ if larger) and with the resistance of its damper,
    friction and spring over a step, h D + h² K. The rotor returns as a damped oscillator, and the joint receives the
    effort that the rotor transmits:

        τ = τ₀ + r (a* − a) − passive,   a* = ω² (posture ⊖ q) − 2ζω v

    Here a is the acceleration under this effort, from (M + r + h D) a + b = τ₀ + r a* + Kᵀλ with the change h D of
    dampers and friction over a step; a* and passive efforts are those at the middle of the time for which the effort is
    held (as in stable proportional-derivative control: Tan, Liu & Turk, IEEE CG&A 2011). Every mode of the joints then
    has at most the stiffness and damping of ω and ζ, for light links and in all configurations. τ₀ are the smallest
    efforts with which the joints do not accelerate at the posture: zero in free fall, otherwise they balance gravity.
    The centrifugal forces of a spinning base cause a small offset. Forces of the ground are not compensated: a robot
    that stands is held by :class:`linkwright.Servos`. Warns of a floating base that may touch shapes of the world.

    Parameters
    ----------
    model : Model
        Mechanism.
    posture : array_like, shape (..., nq)
        Posture.
    frequency : float, optional
        Natural frequency, Hz. A frequency too high for `step` is lowered, with a warning.
    damping_ratio : float, optional
        Damping ratio ζ.
    step : float, optional
        Time for which efforts are held, s.

    Returns
    -------
    Hold
        Controller for ``simulate(…, controller=…)``.

    Raises
    ------
    InputError
        If `posture` is no configuration, or an argument is not positive.

    Notes
    -----
    With an explicit method M changes within a step, and the acceleration is not exactly a. This matters where some
    efforts move almost no inertia: loops near a singular configuration, or hinges with only a light body between them
    near gimbal lock. "semi_implicit" has one acceleration per step, which the controller knows exactly; ``simulate``
    selects it for mechanisms with loops or such light bodies. With ``evaluated_at="stages"`` efforts are not held, and
    every method works.
    """
    target = _posture(model, posture)
    w = _angular(frequency, damping_ratio, step)
    dynamics.require_mass(model)
    if floating_bases(model) and any(_with_world(model, pair) for pair in model.pairs):
        warn(
            f"hold_joints does not compensate the forces of the ground: {model.name!r} sinks if it stands. Hold it by "
            "servos, simulate(…, controller=…, actuation=lw.Actuation(servos=lw.Servos(stiffness, damping)))"
        )
    postures = np.atleast_2d(target).reshape(math.prod(target.shape[:-1]), model.nq)
    rows = [at_rest(model, row, step) for row in postures]
    shape = (*target.shape[:-1], model.nv)
    rotors, efforts = (np.reshape([row[k] for row in rows], shape) for k in (0, 1))

    @cache
    def laws(held: Held) -> Law:
        lasting = 0.0 if held == "stages" else step
        if in_parts(model):
            return _of_large(model, target, w, damping_ratio, lasting, rotors, efforts)
        book = implicit_rotors_torque if held == "semi_implicit" else rotors_torque
        values = {"q1": target, "w": w, "damping_ratio": damping_ratio, "step": lasting}
        return _PostureEfforts(book, model.minimal(), {**values, "rotor": rotors, "tau": efforts})

    return _holding(laws, w, damping_ratio, _exactly(model, postures, w * step))


def _with_world(model: Model, pair: Pair) -> bool:
    """Return whether a shape of the world is one of a pair."""
    return any(model.frame(model.shapes[k].body).body < 0 for k in (pair.first, pair.second))


# controllers take posture and gains as arguments: a model needs one kernel of each


def wanted(model: Model, q: Array, v: Array, q1: Array, w: Any, damping_ratio: Any) -> Array:
    """Return the acceleration (nv,) of a damped oscillator about q1."""
    return w * w * difference(model, q, q1) - 2.0 * damping_ratio * w * v


def computed_torque(model: Model, q: Array, v: Array, q1: Array, w: Any, damping_ratio: Any, step: Any) -> Array:
    """Return the efforts (nv,) of :func:`hold_posture`."""
    a = wanted(model, q, v, q1, w, damping_ratio)
    heavy = with_added_armature(model, resistance(model, v, step))
    return inverse_dynamics(heavy, q, v, a) - passive_forces(model, q, v)


def implicit_computed_torque(
    model: Model, q: Array, v: Array, q1: Array, w: Any, damping_ratio: Any, step: Any
) -> Array:
    """Return the efforts (nv,) of :func:`hold_posture` for a step of "semi_implicit", with the exact acceleration."""
    a, terms = wanted(model, q, v, q1, w, damping_ratio), implicit_terms(model, q, v, step)
    resisted = terms.resistance(model, a) + terms.pull
    return inverse_dynamics(model, q, v, a) + resisted - passive_forces(model, q, v)


def rotors_torque(
    model: Model,
    q: Array,
    v: Array,
    q1: Array,
    w: Any,
    damping_ratio: Any,
    step: Any,
    rotor: Array,
    tau: Array,
) -> Array:
    """Return the efforts (nv,) of :func:`hold_joints`."""
    middle, own = integrate(model, q, (0.5 * step) * v), _ones_where_driven(model)
    a, passive = wanted(model, middle, v, q1, w, damping_ratio), passive_forces(model, middle, v)
    heavy = with_added_armature(with_rotors(model, rotor), resistance(model, v, step))
    effort = tau + rotor * a + (1.0 - own) * passive
    return tau + rotor * (a - forward_dynamics(heavy, q, v, effort)) - own * passive


def implicit_rotors_torque(
    model: Model,
    q: Array,
    v: Array,
    q1: Array,
    w: Any,
    damping_ratio: Any,
    step: Any,
    rotor: Array,
    tau: Array,
) -> Array:
    """Return the efforts (nv,) of :func:`hold_joints` for a step of "semi_implicit", with its exact acceleration."""
    a, own, terms = (
        wanted(model, q, v, q1, w, damping_ratio),
        _ones_where_driven(model),
        implicit_terms(model, q, v, step),
    )
    passive = passive_forces(model, q, v) - terms.pull
    effort = tau + rotor * a + (1.0 - own) * passive
    known = implicit_acceleration(with_rotors(model, rotor), q, v, effort, terms)
    return tau + rotor * (a - known) - own * passive


def _ones_where_driven(model: Model) -> Array:
    own = np.zeros(model.nv)
    own[with_motors(model)] = 1.0
    return own


def _of_large(
    model: Model, target: Array, w: float, damping_ratio: float, step: float, rotors: Array, efforts: Array
) -> Law:
    """Return the efforts of :func:`hold_joints` for large mechanisms, from several kernels."""
    rotor, own = rotors.reshape(-1, model.nv).max(axis=0), _ones_where_driven(model)
    heavy = with_added_armature(with_rotors(model, rotor), resistance(model, np.zeros(model.nv), step))
    forward = compile_or_not(forward_dynamics, heavy)
    acceleration, passive = kernel_of(wanted, model, w=(), damping_ratio=()), kernel_of(passive_forces, model)
    move = kernel_of(integrate, model)

    def law(q: Array, v: Array) -> Array:
        middle = move(q, (0.5 * step) * v)
        a, f = acceleration(middle, v, target, w, damping_ratio), passive(middle, v)
        tau: Array = efforts + rotor * (a - forward(q, v, efforts + rotor * a + (1.0 - own) * f)) - own * f
        return tau

    return law


def resistance(model: Model, v: Array, step: Any) -> list[Array]:
    """Return h D of each joint: the change of dampers and friction over a step per unit of acceleration."""
    rates = model.rates(v)
    return [step * dynamics.damping_coefficient(joint, v_k) for joint, v_k in zip(model.joints, rates, strict=True)]


def with_rotors(model: Model, rotor: Array) -> Model:
    """Return the model with rotors (nv,) added to the armature of its joints."""
    pieces = zip(model.joints, model.rates(rotor), strict=True)
    return with_added_armature(model, [0.0 * r if joint.coupling else r for joint, r in pieces])


def has_light_bodies(model: Model, q: Array, turn: float) -> bool:
    """Return whether a body has almost none of the inertia that its joint moves at q, including the armature.

    The body is so light that efforts which swing all that the joint moves, by ``turn`` rad of the swing in a step,
    would overshoot if they moved the body alone. Hinges in sequence with such bodies between them may reach
    configurations in which some efforts move nothing else: three concurrent axes in gimbal lock.
    """
    model = model.physical or model  # regrouped inertias are not those of bodies
    x, moved = model.coordinates(q), model.rates(np.diag(dynamics.mass_matrix(model, q)))
    for joint, link, x_k, moved_k in zip(model.joints, model.links, x, moved, strict=True):
        S = link.motion_subspace(x_k)
        own = np.diag(S.T @ link.rigid_inertia.matrix() @ S) + link.armature
        if not joint.coupling and (own < 0.5 * turn * turn * moved_k).any():
            return True
    return False


def at_rest(model: Model, q: Array, step: float) -> tuple[Array, Array]:
    """Return the rotors (nv,) of :func:`hold_joints`, and the least efforts (nv,) at which joints do not accelerate at
    q.

    With loops M⁻¹ is GᵀG, where M = LLᵀ, G = (1 − U Uᵀ) L⁻¹, and U is an orthonormal basis of L⁻¹Kᵀ.
    """
    M = dynamics.mass_matrix(model, q)
    L = np.linalg.cholesky(M)
    whole = np.linalg.inv(L)
    places, still = with_motors(model), np.zeros(model.nv)
    load = dynamics.passive_forces(model, q, still)
    load[places] = 0.0  # they are made up for
    load = load - dynamics.bias_forces(model, q, still)
    if model.loops:
        U, sizes, _ = np.linalg.svd(whole @ dynamics.constraint_jacobian(model, q).T, full_matrices=False)
        U = U[:, sizes > 1e-9 * sizes.max(initial=0.0)]
        whole = whole - U @ (U.T @ whole)
    own = np.diag(M)[places]
    G = whole[:, places] * np.sqrt(own)
    moved = own * np.maximum(1.0, 1.0 / np.maximum((G * G).sum(axis=0), 1.0 / MOST))
    resisting = np.abs(model.assemble(implicit_terms(model, q, still, step).joints))[places]
    U, sizes, Vt = np.linalg.svd(G)
    rank = int((sizes > 1e-9 * sizes.max(initial=0.0)).sum())
    efforts = -np.sqrt(own) * (Vt[:rank].T @ ((U[:, :rank].T @ (whole @ load)) / sizes[:rank]))
    idle = np.sqrt(own)[:, None] * Vt[rank:].T  # efforts that move nothing: loops bear them
    efforts = efforts - idle @ np.linalg.lstsq(idle, efforts, rcond=None)[0]
    E = np.eye(model.nv)[:, places]
    return E @ (ROTOR * (moved + resisting)), E @ efforts


def _exactly(model: Model, postures: Array, turn: float) -> bool:
    """Return whether the exact acceleration of a step is required: some moved inertia may become very small."""
    if in_parts(model):  # "semi_implicit" is not compiled
        return False
    return bool(model.loops) or any(has_light_bodies(model, row, turn) for row in postures)


def _holding(laws: Callable[[Held], Law], w: float, damping_ratio: float, exactly: bool) -> Hold:
    longest = min(1.0 / (damping_ratio * w), 4.0 * damping_ratio / w)
    return Hold(laws, w / (2.0 * np.pi), longest, "semi_implicit" if exactly else None)


def _posture(model: Model, posture: Any) -> Array:
    check(model, posture)
    return as_numbers("posture", posture)


def _angular(frequency: float, damping_ratio: float, step: float) -> float:
    """Return the angular frequency, lowered to one that can be held over a step."""
    for name, value, unit in (
        ("frequency", frequency, "Hz"),
        ("damping_ratio", damping_ratio, "1 is critical"),
        ("step", step, "s"),
    ):
        positive(name, value, unit)
    w = 2.0 * np.pi * float(frequency)
    most = min(1.0 / damping_ratio, 4.0 * damping_ratio) / (MARGIN * step)
    if w > most:
        warn(
            f"{frequency:g} Hz at a damping ratio of {damping_ratio:g} is too fast for efforts held over {step:g} s; "
            f"it is held at {most / (2.0 * np.pi):.3g} Hz",
        )
    return float(min(w, most))
