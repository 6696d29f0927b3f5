"""Controllers for ``simulate``: functions (t, q, v) -> efforts.

Efforts are held over a step h, so even a single coordinate with ẍ = −ω² x − 2ζω ẋ, answered once a step, settles only
where

    ζ ω h < 1   and   ω h < 4 ζ

(the conditions of Jury and Schur on x⁺ = x + h ẋ + ½ h² ẍ, ẋ⁺ = ẋ + h ẍ). A mode that has k ≤ 1 times this stiffness
and this damping meets both as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import compile_or_not, kernel_of
from linkwright.compiler.trace import BODIES_IN_LOOPS
from linkwright.dynamics import difference, forward_dynamics, integrate, inverse_dynamics, passive_forces
from linkwright.dynamics.configuration import check
from linkwright.errors import InputError, explained, warn
from linkwright.model.tree import Model
from linkwright.simulation.integrators import with_added_armature
from linkwright.spatial.arrays import Array, as_numbers

MARGIN = 4.0
"""How many times shorter than stability asks for the steps are that a controller is made for."""

ROTOR = 30.0
"""How many times what a joint moves its rotor of `hold_joints` is."""

MOST = 1e3
"""How many times Mᵢᵢ what a joint moves is counted as at most: loops may hold it fast."""


@dataclass(frozen=True, eq=False)
class Hold:
    """A controller that holds a posture, (t, q, v) -> efforts (…, nv)."""

    law: Callable[[Array, Array], Array]
    """(q, v) -> efforts"""
    frequency: float
    """Hz"""
    longest_step: float
    """s; held for longer its efforts would not let the motion settle"""

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The efforts (…, nv) at q (…, nq) and v (…, nv)."""
        return self.law(q, v)


@explained
def hold(model: Model, posture: Any, frequency: float = 2.0, damping_ratio: float = 1.0, step: float = 1e-3) -> Hold:
    """Hold a posture (…, nq) by computed torque: every coordinate returns as a damped oscillator of ``frequency`` Hz.

    Every joint is driven: where a base floats, :class:`~linkwright.errors.InputError` points at :func:`hold_joints`.
    ``step`` (s) is for how long efforts are held; a frequency too high for it is lowered, with a warning.
    """
    target = _posture(model, posture)
    w = _angular(frequency, damping_ratio, step)
    free = [joint.name for joint in model.joints if joint.type == "free"]
    if free:
        raise InputError(
            f"hold drives every joint, and would lift {model.name!r} by its free joint {free[0]!r}: hold_joints drives "
            "all joints but the free ones"
        )

    kernel = kernel_of(computed_torque, model, w=(), damping_ratio=(), step=())
    return _holding(lambda q, v: kernel(q, v, target, w, damping_ratio, step), w, damping_ratio)


@explained
def hold_joints(
    model: Model, posture: Any, frequency: float = 2.0, damping_ratio: float = 1.0, step: float = 1e-3
) -> Hold:
    """Hold the joints at a posture (…, nq) where a base floats, or loops bear a part; free joints get nothing.

    Each joint is given a rotor r that is heavy beside what an effort there moves at the posture: 1/(M⁻¹)ᵢᵢ with
    loops included, or Mᵢᵢ if that is more. The rotor swings back as a damped oscillator, and the joint gets what
    the rotor passes on:

        τ = τ₀ + r (a* − a) − passive,   a* = ω² (posture ⊖ q) − 2ζω v

    with a the acceleration that this effort gives, known beforehand from (M + r + h D) a + b = τ₀ + r a* + Kᵀλ, where
    h D is what dampers and friction change over a step, and q is where half a step leads, in the middle of the time
    for which the effort is held (as in stable proportional-derivative control: Tan, Liu & Turk, IEEE CG&A 2011). So
    every mode of the joints has at most the stiffness and damping of ω and ζ, however light a link and wherever the
    mechanism goes. τ₀ holds the joints still at the posture: the least efforts by which they do not accelerate there.
    They are zero where all falls freely; else they bear gravity. A base that spins shifts the rest a little, by its
    centrifugal forces. What moves next to nothing with any effort, such as hinges without mass between that pass
    through gimbal lock, may still ask for a smaller step.

    ``frequency`` in Hz. ``step`` (s) is for how long efforts are held: a frequency too high for it is lowered, with a
    warning. Raises :class:`~linkwright.errors.InputError` for what is no posture or no positive number.
    """
    target = _posture(model, posture)
    w = _angular(frequency, damping_ratio, step)
    dynamics.require_mass(model)
    postures = np.atleast_2d(target).reshape(math.prod(target.shape[:-1]), model.nq)
    rows = [at_rest(model, row) for row in postures]
    shape = (*target.shape[:-1], model.nv)
    rotors, efforts = (np.reshape([row[k] for row in rows], shape) for k in (0, 1))

    if len(model.links) >= BODIES_IN_LOOPS:
        return _holding(_of_large(model, target, w, damping_ratio, step, rotors, efforts), w, damping_ratio)
    shapes: dict[str, Any] = {"w": (), "damping_ratio": (), "step": (), "rotor": (model.nv,)}
    kernel = kernel_of(rotors_torque, model.minimal(), **shapes)
    return _holding(lambda q, v: kernel(q, v, target, w, damping_ratio, step, rotors, efforts), w, damping_ratio)


# the laws are functions of what holders differ by, so that a model needs one kernel of each


def wanted(model: Model, q: Array, v: Array, q1: Array, w: Any, damping_ratio: Any) -> Array:
    """The acceleration (nv,) with which a damped oscillator goes back to q1."""
    return w * w * difference(model, q, q1) - 2.0 * damping_ratio * w * v


def computed_torque(model: Model, q: Array, v: Array, q1: Array, w: Any, damping_ratio: Any, step: Any) -> Array:
    """The efforts (nv,) of :func:`hold`."""
    a = wanted(model, q, v, q1, w, damping_ratio)
    heavy = with_added_armature(model, resistance(model, v, step))
    return inverse_dynamics(heavy, q, v, a) - passive_forces(model, q, v)


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
    """The efforts (nv,) of :func:`hold_joints`."""
    q = integrate(model, q, (0.5 * step) * v)
    a, own = wanted(model, q, v, q1, w, damping_ratio), _ones_where_driven(model)
    passive = passive_forces(model, q, v)
    heavy = with_rotors(model, rotor, resistance(model, v, step))
    effort = tau + rotor * a + (1.0 - own) * passive
    return tau + rotor * (a - forward_dynamics(heavy, q, v, effort)) - own * passive


def _ones_where_driven(model: Model) -> Array:
    own = np.zeros(model.nv)
    own[driven(model)] = 1.0
    return own


def _of_large(
    model: Model, target: Array, w: float, damping_ratio: float, step: float, rotors: Array, efforts: Array
) -> Callable[[Array, Array], Array]:
    """The law of :func:`hold_joints` put together from its parts, which are looped over the bodies."""
    rotor, own = rotors.reshape(-1, model.nv).max(axis=0), _ones_where_driven(model)
    forward = compile_or_not(forward_dynamics, with_rotors(model, rotor, resistance(model, np.zeros(model.nv), step)))
    acceleration, passive = kernel_of(wanted, model, w=(), damping_ratio=()), kernel_of(passive_forces, model)
    move = kernel_of(integrate, model)

    def law(q: Array, v: Array) -> Array:
        q = move(q, (0.5 * step) * v)
        a = acceleration(q, v, target, w, damping_ratio)
        f = passive(q, v)
        tau: Array = efforts + rotor * (a - forward(q, v, efforts + rotor * a + (1.0 - own) * f)) - own * f
        return tau

    return law


def resistance(model: Model, v: Array, step: float) -> list[Array]:
    """h D of each joint: by how much its dampers and friction grow over a step, for each unit of acceleration."""
    rates = model.rates(v)
    return [step * dynamics.damping_coefficient(joint, v_k) for joint, v_k in zip(model.joints, rates, strict=True)]


def with_rotors(model: Model, rotor: Array, more: list[Array]) -> Model:
    """The model with rotors (nv,), and more of each joint, added to the joints' own armature."""
    pieces = zip(model.joints, model.rates(rotor), more, strict=True)
    return with_added_armature(model, [x if joint.coupling else r + x for joint, r, x in pieces])


def driven(model: Model) -> list[int]:
    """Where in v the joints are that are driven: all but free ones."""
    kinds = [joint.type for joint in model.joints for _ in range(joint.nv)]
    return [k for k, kind in enumerate(kinds) if kind != "free"]


def at_rest(model: Model, q: Array) -> tuple[Array, Array]:
    """The rotors (nv,) of :func:`hold_joints`, and the least efforts (nv,) at which the joints do not accelerate at q.

    Loops included M⁻¹ is GᵀG, with M = LLᵀ, G = (1 − U Uᵀ) L⁻¹ and U an orthonormal basis of L⁻¹Kᵀ.
    """
    M = dynamics.mass_matrix(model, q)
    L = np.linalg.cholesky(M)
    whole = np.linalg.inv(L)
    places, still = driven(model), np.zeros(model.nv)
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
    U, sizes, Vt = np.linalg.svd(G)
    rank = int((sizes > 1e-9 * sizes.max(initial=0.0)).sum())
    efforts = -np.sqrt(own) * (Vt[:rank].T @ ((U[:, :rank].T @ (whole @ load)) / sizes[:rank]))
    idle = np.sqrt(own)[:, None] * Vt[rank:].T  # efforts that move nothing: loops bear them
    efforts = efforts - idle @ np.linalg.lstsq(idle, efforts, rcond=None)[0]
    E = np.eye(model.nv)[:, places]
    return E @ (ROTOR * moved), E @ efforts


def _holding(law: Callable[[Array, Array], Array], w: float, damping_ratio: float) -> Hold:
    return Hold(law, w / (2.0 * np.pi), min(1.0 / (damping_ratio * w), 4.0 * damping_ratio / w))


def _posture(model: Model, posture: Any) -> Array:
    check(model, posture)
    return as_numbers("posture", posture)


def _angular(frequency: float, damping_ratio: float, step: float) -> float:
    """The angular frequency, lowered to what may be held over a step."""
    for name, value, unit in (
        ("frequency", frequency, "Hz"),
        ("damping_ratio", damping_ratio, "1 is critical"),
        ("step", step, "s"),
    ):
        if not (isinstance(value, (int, float, np.number)) and np.isfinite(value) and value > 0):
            raise InputError(f"{name} must be a positive number ({unit}); got {value!r}")
    w = 2.0 * np.pi * float(frequency)
    most = min(1.0 / damping_ratio, 4.0 * damping_ratio) / (MARGIN * step)
    if w > most:
        warn(
            f"{frequency:g} Hz at a damping ratio of {damping_ratio:g} is too fast for efforts held over {step:g} s; "
            f"it is held at {most / (2.0 * np.pi):.3g} Hz",
        )
    return float(min(w, most))
