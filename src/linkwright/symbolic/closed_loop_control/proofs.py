"""Lyapunov functions of controlled mechanisms, with V̇ proved as an identity of polynomials.

A controller is not recognized by its name: its efforts τ, computed on the polynomials of the mechanism, are compared
with the form of each proof. If τ − g(q), or τ, is linear in q and v, it is PD control (Takegaki & Arimoto 1981); if
τ − h − g = M u with u linear in them, it is computed torque (Slotine & Li 1991, §9.1). Only where errors are logarithms
instead of polynomials (quaternions, poses of the hand), the formula of a controller of this library is used. Gains
are checked for positive definiteness by their values.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import derivative, public
from linkwright.expression.polynomials.polynomial import Polynomial, rational
from linkwright.spatial.arrays import Array
from linkwright.symbolic.closed_loop_control.adaptive import adaptive_by_its_formula, proof_of_adaptive, wanted
from linkwright.symbolic.closed_loop_control.controller_efforts import Law, LawPolynomials, agrees, quadratic, run
from linkwright.symbolic.closed_loop_control.impedance import proof_of_impedance
from linkwright.symbolic.closed_loop_control.lyapunov import Proof, errors, matrix, smallest, symmetric
from linkwright.symbolic.derivation.equations_of_motion import LagrangianMechanism
from linkwright.symbolic.derivation.plan import DerivationPlan
from linkwright.symbolic.interpretation.extremal_inertia import series_of
from linkwright.symbolic.interpretation.structure import Structure, quasi

SAMPLES = 2_000
"""Configurations at which the steepest change of g is looked for."""

_steepness, _inertia_slopes = derivative(dynamics.gravity_forces, "q"), derivative(dynamics.mass_matrix, "q")
_coriolis = public(dynamics.coriolis_matrix)


def proof_of(plan: DerivationPlan, law: Law, term_limit: int) -> Proof:
    """Return the proof for a controller, or why there is none; raise :class:`TooLargeError` for too large equations."""
    return _beside(_proof_of(plan, law, term_limit), law)


def _beside(found: Proof, law: Law) -> Proof:
    """The proof where the mechanism's own springs, dampers and friction act next to the control law."""
    if law.passive != "remain" or found.kind in ("pid", ""):
        return found
    if any(np.any(joint.stiffness) for joint in law.model.joints) or (
        law.model.springs or law.model.compensated_weights
    ):
        found.identity, found.why_not = False, SPRUNG
    elif found.kind in ("linear", "adaptive"):  # in the others dampers and friction only add to what V loses
        found.identity, found.why_not = False, "it does not make up for the mechanism's own dampers and friction"
    rubbing = [np.broadcast_to(joint.friction, (joint.nv,)) for joint in law.model.joints if joint.nv]
    if any(np.any(joint.friction) for joint in law.model.joints):
        found.friction = np.concatenate(rubbing).astype(float)
    return found


SPRUNG = (
    "springs act in addition. With their energy in V its rate would be that, but motions end where springs and "
    "controller balance, listed below, which need not be the target"
)


LOOPS = (
    "The loops are closed: their forces do no work, vᵀAᵀλ = (A v)·λ = 0, and so V̇ is that of the tree. But they "
    "can hold "
    "the mechanism elsewhere, where K e is carried by them: other equilibria are listed below."
)


def with_loops(found: Proof) -> Proof:
    """The part of the proof for the tree that holds where loops are closed: V̇, for their forces do no work."""
    if found.kind in ("pd", "constant", "potential"):
        found.remark, found.looped = LOOPS, True
        return found
    return Proof("", why_not="the mechanism has closed loops, whose forces are not part of the proof")


def by_theorem(law: Law, failure: str) -> Proof:
    """The proof where polynomials are too large: ½Ṁ − C is skew of every mechanism, and here by numbers too."""
    n, model, known = law.model.nv, law.model, law.known
    plain = not any(quasi(joint) for joint in model.joints if joint.nv)
    gains = {"pd": "stiffness", "adaptive": "convergence", **({"computed_torque": "stiffness"} if plain else {})}
    if floating := _not_driven(law):
        return Proof("", why_not=floating)
    if known not in gains or law.passive == "mixed" or (known == "computed_torque" and law.passive == "remain"):
        return Proof("", why_not=f"its polynomials are too large ({failure})")
    rng = np.random.default_rng(11)
    for q in model.random(3, seed=12):
        v = rng.normal(size=n)
        C, slope = _coriolis(model, q, v), _inertia_slopes(model, q)
        rate = np.tensordot(slope, v, axes=(-1, 0))
        if np.abs(rate - C - C.T).max() > 1e-8 * (1.0 + np.abs(C).max()):
            return Proof("", why_not="Ṁ − 2C is not skew in numbers")
    kind = {"computed_torque": "linear"}.get(known, known)
    proof = Proof(kind, True, stiffness=law.gain(gains[known]), damping=law.gain("damping"), structural=True)
    if known == "pd":
        proof.target = np.asarray(law.value("target"), dtype=float)
    if kind == "linear":
        proof.epsilon = 0.5 * smallest(law.gain("damping"))
    proof.remark = (
        f"M and h of this mechanism are too large to be written out ({failure}). The proof is that of every mechanism, "
        "which needs no more of it than that Ṁ − 2C is skew; in numbers, at three random states, it is."
    )
    return _beside(proof, law)


def _not_driven(law: Law) -> str:
    """Return in words why a free joint prevents the proofs: no motor drives it."""
    free = [joint.name for joint in law.model.joints if joint.motion.floating]
    if free:
        return (
            f"no motor drives the free joint {free[0]!r}, and the proof takes one for each velocity: the ground has to "
            "carry the mechanism"
        )
    rng, model = np.random.default_rng(31), law.model
    states = [(q, rng.normal(size=model.nv)) for q in model.random(3, seed=32)]
    still = ~np.any([law.rule(0.5, q, v) for q, v in states], axis=0)
    if still.any():
        return f"it drives {int((~still).sum())} of {model.nv} velocities, and the proof takes a motor for each"
    return ""


def _proof_of(plan: DerivationPlan, law: Law, term_limit: int) -> Proof:
    turning = any(quasi(joint) for joint in plan.model.joints if joint.nv)
    if law.passive == "mixed":
        return Proof("", why_not="it changes with the mechanism's own springs and friction otherwise than these do")
    if law.known and turning and (why := _not_driven(law)):
        return Proof("", why_not=why)
    if law.known == "impedance":
        return proof_of_impedance(plan, law, term_limit)
    if law.known == "adaptive":
        found = None if turning else proof_of_adaptive(plan, law, term_limit)
        return found or adaptive_by_its_formula(plan, law, term_limit)
    if law.known == "pid" and not turning:
        return _pid(plan, law, term_limit)
    if law.rule.effort_function.state:
        return Proof("", why_not="it has a state, and is no controller with a known proof")
    if turning:
        if law.known == "pd":
            return _pd_on_manifold(plan, law, term_limit)
        return Proof("", why_not="its errors are no polynomials: joints that turn about a point, or move in a plane")
    moving = law.known == "computed_torque" and callable(law.value("reference"))
    n, why = law.model.nv, ""
    for named in (True, False):
        made = run(plan, law, term_limit, named, errors(n)) if not moving else _moving(plan, law, term_limit)
        if isinstance(made, str):
            why = f"it is no polynomial ({made})"
            continue
        if not moving and not agrees(made, law):
            why = "on polynomials it gives other efforts than on numbers: does it compare numbers?"
            continue
        ways: list[Callable[[LawPolynomials], Proof | None]] = [
            _affine_in_efforts,
            partial(_linearizing, law=law, moving=moving),
            _of_potential,
        ]
        if law.known == "computed_torque":  # with one joint it is PD control too
            ways = ways[1::-1]
        if found := next((found for way in ways if (found := way(made)) is not None), None):
            found.run = made
            return found
        why = (
            "neither τ − g, nor τ, nor M⁻¹(τ − h − g) is linear in q and v with constant gains, nor is τ the force of "
            "a potential less K_d v"
        )
    return Proof("", why_not=why)


# PD


def _linear_in_state(x: np.ndarray, made: LawPolynomials) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """(K, K_d, c) with x = c − K q − K_d v, all constant; None where there are none."""
    names, ring = made.mechanism.coordinates, made.mechanism.ring
    K = np.array([[-ring.derivative(p, name) for name in names.q] for p in x], dtype=object)
    D = np.array([[-ring.derivative(p, name) for name in names.v] for p in x], dtype=object)
    c = x + K @ made.mechanism.q + D @ made.mechanism.v
    ring.check()
    return (K, D, c) if all(map(made.constant, (K, D, c))) else None


def _affine_in_efforts(made: LawPolynomials) -> Proof | None:
    mechanism = made.mechanism
    ring, q, v, n = mechanism.ring, mechanism.q, mechanism.v, len(mechanism.v)
    structure = Structure(mechanism, mechanism.recursive)
    M, h, g = mechanism.recursive
    for kind, rest in (("pd", made.efforts - g), ("constant", made.efforts)):
        if (found := _linear_in_state(rest, made)) is None:
            continue
        K, D, c = found
        numbers = made.number(K)
        half = quadratic(M, v) * Fraction(1, 2)
        dissipated = quadratic(D, v)
        inertial = ring.rate(half, structure.in_time)
        proof = Proof(kind, stiffness=numbers, damping=made.number(D), structure=structure)
        if kind == "pd":
            e = np.array([ring[f"e{k + 1}"] for k in range(n)], dtype=object)
            own = quadratic(K, e) * Fraction(1, 2)
            drive = K @ e - D @ v
            stored = ring.rate(own, {f"e{k + 1}": -x for k, x in enumerate(v)})
            proof.closed = tuple(ring.coerce(x) for x in drive)
        else:
            own = ring.coerce(dynamics.potential_energy(mechanism.model, q))
            own = own + quadratic(K, q) * Fraction(1, 2) - c @ q
            drive = made.efforts - g
            stored = ring.rate(own, structure.in_time)
            gradients = _steepness(_numbers_of(made), _numbers_of(made).random(SAMPLES, seed=6))
            proof.steepest = float(np.linalg.norm(gradients, 2, axis=(-2, -1)).max(initial=0.0))
            proof.steepness_bound = _steepness_bound(g, made)
            proof.closed = tuple(ring.coerce(x) for x in drive + g)
        proof.lyapunov = half + own
        proof.rate = ring.coerce(inertial + v @ (drive - h) + stored)
        ring.check()
        proof.left = proof.rate + dissipated
        proof.identity = not proof.left
        if kind == "pd" and abs(np.linalg.det(numbers)) > 0.0:
            proof.target = np.linalg.solve(numbers, made.number(c))
        if not proof.identity:
            proof.why_not = "the stiffness is not symmetric: V̇ has a term without a sign"
        return proof
    return None


def _steepness_bound(g: np.ndarray, made: LawPolynomials) -> float:
    """An upper bound of ‖∂g/∂q‖ over all configurations; inf where the entries are no Fourier series in the angles.

    A series c₀ + Σ a_k cos(n_k·θ − α_k) is at most |c₀| + Σ |a_k|; the 2-norm of a matrix is at most that of a matrix
    of bounds of its entries.
    """
    ring, names = made.mechanism.ring, made.mechanism.coordinates.q
    bounds = np.zeros((len(g), len(names)))
    for (i, p), (j, name) in itertools.product(enumerate(g), enumerate(names)):
        series = series_of(ring.derivative(p, name), made.values)
        bounds[i, j] = math.inf if series is None else series.bound
    ring.check()
    return float(np.linalg.norm(bounds, 2)) if np.isfinite(bounds).all() else math.inf


def _of_potential(made: LawPolynomials) -> Proof | None:
    """τ = p(q) − K_d v with a curl-free p: the force of a potential W, whatever it looks like."""
    mechanism = made.mechanism
    ring, v, names = mechanism.ring, mechanism.v, mechanism.coordinates
    D = np.array([[-ring.derivative(p, name) for name in names.v] for p in made.efforts], dtype=object)
    force = made.efforts + D @ v
    ring.check()
    turning = np.array([[ring.derivative(p, name) for name in names.q] for p in force], dtype=object)
    if not made.constant(D) or any(p.used() & {*names.v, "t", "sin(t)", "cos(t)"} for p in force):
        return None
    if not symmetric(turning):
        return None
    structure = Structure(mechanism, mechanism.recursive)
    M, h, g = mechanism.recursive
    inertial = ring.rate(quadratic(M, v) * Fraction(1, 2), structure.in_time)
    U = ring.coerce(dynamics.potential_energy(mechanism.model, mechanism.q))
    rate = ring.coerce(inertial + v @ (made.efforts - g - h) + ring.rate(U, structure.in_time) - v @ force)
    left = rate + quadratic(D, v)
    ring.check()
    proof = Proof("potential", not left, None, rate, left, None, made.number(D), None, made, structure)
    proof.force, proof.closed = force, tuple(ring.coerce(x) for x in made.efforts)
    return proof


def _numbers_of(made: LawPolynomials) -> Any:
    return made.mechanism.plan.model


def _pd_on_manifold(plan: DerivationPlan, law: Law, term_limit: int) -> Proof:
    """Prove PD control of rotation vectors: ė = −D v with any matrix D, whose transpose the controller has."""
    n, joints = law.model.nv, [joint for joint in plan.model.joints if joint.nv]
    blocks: list[tuple[int, int]] = []  # first velocity, how many; D is block diagonal, 1 for plain joints
    at = 0
    for joint in joints:
        blocks += [(at, joint.nv)] if quasi(joint) else [(at + k, 1) for k in range(joint.nv)]
        at += joint.nv
    places = [(a + i, a + j) for a, size in blocks if size > 1 for i in range(size) for j in range(size)]
    of = {place: f"B{place[0] + 1}_{place[1] + 1}" for place in places}
    gains = [*(f"K{k + 1}" for k in range(n)), *(f"D{k + 1}" for k in range(n))]
    mechanism = LagrangianMechanism(plan, term_limit, (*errors(n), *of.values(), *gains))
    ring, v = mechanism.ring, mechanism.v
    structure = Structure(mechanism, mechanism.recursive)
    M, h, g = mechanism.recursive
    e = np.array([ring[f"e{k + 1}"] for k in range(n)], dtype=object)
    K = np.diag([ring[f"K{k + 1}"] for k in range(n)])
    D = np.diag([ring[f"D{k + 1}"] for k in range(n)])
    B = np.array(
        [[ring[of[i, j]] if (i, j) in of else ring.coerce(float(i == j)) for j in range(n)] for i in range(n)],
        dtype=object,
    )
    K, D = ring.array(K), ring.array(D)
    half, own = quadratic(M, v) * Fraction(1, 2), quadratic(K, e) * Fraction(1, 2)
    drive, moved = B.T @ (K @ e) - D @ v, -(B @ v)
    stored = ring.rate(own, {f"e{k + 1}": x for k, x in enumerate(moved)})
    rate = ring.coerce(ring.rate(half, structure.in_time) + v @ (drive - h) + stored)
    ring.check()
    left = rate + quadratic(D, v)
    values = {**plan.values}
    for letter, key in (("K", "stiffness"), ("D", "damping")):
        values |= {f"{letter}{k + 1}": x for k, x in enumerate(np.diag(law.gain(key)).tolist())}
    return Proof(
        "pd",
        not left,
        half + own,
        rate,
        left,
        law.gain("stiffness"),
        law.gain("damping"),
        np.asarray(law.value("target"), dtype=float),
        LawPolynomials(mechanism, drive + g, {}, values),
        structure,
        structural=True,
    )


# computed torque


def _moving(plan: DerivationPlan, law: Law, term_limit: int) -> LawPolynomials | str:
    """Computed torque along a reference, with names for what is wanted at some time."""
    n = law.model.nv
    more, bind = wanted(n)
    return run(plan, law, term_limit, True, (*errors(n), *more), bind)


def _linearizing(made: LawPolynomials, law: Law, moving: bool) -> Proof | None:
    """Return whether τ − h − g = M u with u = c − K q − K_d v (plus terms of a moving reference)."""
    mechanism = made.mechanism
    ring, q, v, n = mechanism.ring, mechanism.q, mechanism.v, len(mechanism.v)
    M, h, g = mechanism.recursive
    rest = made.efforts - h - g
    target: Array | None = None
    if law.known == "computed_torque" and "stiffness" in made.bound:
        K, D = (matrix(ring, made.bound[key], n) for key in ("stiffness", "damping"))
        reference = made.bound["reference"]
        qd, vd, ad = reference(ring["t"]) if moving else (reference, np.zeros(n), np.zeros(n))
        u = ad + D @ (vd - v) + K @ (qd - q)
        target = None if moving else np.asarray(law.value("reference"), dtype=float)
    elif (solved := _solved(made, M, rest)) is not None:
        K, D, c = (ring.array(x) for x in solved)
        u = c - K @ q - D @ v
        stiffness = np.array(solved[0], dtype=float)
        if abs(np.linalg.det(stiffness)) > 0.0:
            target = np.linalg.solve(stiffness, np.array(solved[2], dtype=float))
    else:
        return None
    wrong = rest - M @ u
    ring.check()
    if any(bool(p) for p in wrong):
        return None
    proof = Proof("linear", stiffness=made.number(K), damping=made.number(D), target=target)
    proof.structure = Structure(mechanism, mechanism.recursive)
    e, rate = (np.array([ring[f"e{k + 1}{dot}"] for k in range(n)], dtype=object) for dot in ("", "_dot"))
    proof.closed = tuple(ring.coerce(x) for x in -(D @ rate) - K @ e)
    if not (symmetric(K) and symmetric(D)):
        proof.why_not = "the gains are not symmetric; the errors' equation is linear, and its eigenvalues decide"
        return proof
    epsilon, eye = ring["epsilon"], np.eye(n)
    V = quadratic(ring.array(eye), rate) * Fraction(1, 2) + quadratic(K + D * epsilon, e) * Fraction(1, 2)
    V = V + (e @ rate) * epsilon
    moved = {f"e{k + 1}": x for k, x in enumerate(rate)}
    moved |= {f"e{k + 1}_dot": x for k, x in enumerate(proof.closed)}
    proof.lyapunov, proof.rate = V, ring.rate(V, moved)
    claimed = -quadratic(D - ring.array(eye) * epsilon, rate) - quadratic(K, e) * epsilon
    ring.check()
    proof.left = proof.rate - claimed
    proof.identity = not proof.left
    proof.epsilon = 0.5 * smallest(proof.damping) if proof.damping is not None else 0.0
    return proof


def _solved(made: LawPolynomials, M: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return the only K, K_d and c (of fractions) with which M u = rest can hold; None if M is singular there.

    Both sides are evaluated where parameters have their values, cosines are 1 and sines 0: angles are separate
    variables, so that a point for each coordinate and velocity determines a column.
    """
    mechanism, n = made.mechanism, len(rest)
    names = mechanism.coordinates
    if names.quaternions or "sqrt2" in _used([*M.flat, *rest]) or "sqrt3" in _used([*M.flat, *rest]):
        return None
    base = {name: rational(x) for name, x in made.values.items() if name in mechanism.ring.index}
    for angle in mechanism.ring.angles:
        if angle in made.values:
            return None  # a named angle's cosine is no rational number
        base |= {f"cos({angle})": Fraction(1), f"sin({angle})": Fraction(0), angle: Fraction(0)}
    base |= dict.fromkeys((*names.q, *names.v), Fraction(0))

    def u(**changed: Fraction) -> list[Fraction] | None:
        at = {**base, **changed}
        return _solve([[_value(p, at) for p in row] for row in M], [_value(p, at) for p in rest])

    c = u()
    columns = [u(**{name: Fraction(1)}) for name in (*names.q, *names.v)]
    if c is None or any(column is None for column in columns):
        return None
    slopes = [[c[i] - column[i] for column in columns if column is not None] for i in range(n)]
    table = np.array(slopes, dtype=object)
    return table[:, :n], table[:, n:], np.array(c, dtype=object)


def _used(polynomials: list[Polynomial]) -> set[str]:
    return set().union(*(p.used() for p in polynomials))


def _value(p: Polynomial, at: dict[str, Fraction]) -> Fraction:
    total = Fraction(0)
    for factors, coefficient in p:
        for name, e in factors:
            coefficient = coefficient * at[name] ** e
        total += coefficient
    return total


def _solve(A: list[list[Fraction]], b: list[Fraction]) -> list[Fraction] | None:
    """A x = b by elimination; None where A is singular."""
    rows = [[*row, x] for row, x in zip(A, b, strict=True)]
    n = len(rows)
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n] for row in rows]


# PID


def _pid(plan: DerivationPlan, law: Law, term_limit: int) -> Proof:
    """Return whether the controller is τ = K e − K_d v + z, ż = K_i e without active limits."""
    n = law.model.nv
    unlimited = Law(law.model, _without_limit(law), law.rule.state)
    made = run(plan, unlimited, term_limit, True, errors(n))
    if isinstance(made, str):
        return Proof("", why_not=f"it is no polynomial ({made})")
    mechanism, ring = made.mechanism, made.mechanism.ring
    K, D, Ki = (matrix(ring, made.bound[key], n) for key in ("stiffness", "damping", "integral"))
    z = np.array([ring[f"z{k + 1}"] for k in range(n)], dtype=object)
    e = np.asarray(made.bound["target"]) - mechanism.q
    wrong = [*(made.efforts - (K @ e - D @ mechanism.v + z))]
    wrong += [*(made.state - z - (Ki @ e) * rational(law.value("step")))]
    ring.check()
    if any(bool(p) for p in wrong):
        return Proof("", why_not="it is not τ = K e − K_d v + z, ż = K_i e")
    structure = Structure(mechanism, mechanism.recursive)
    target = np.asarray(law.value("target"), dtype=float)
    gains = made.number(K), made.number(D)
    return Proof("pid", False, None, None, None, *gains, target, made, structure, why_not=INTEGRAL)


INTEGRAL = (
    "no Lyapunov function is known of PID control; near the target the eigenvalues of the linear closed loop decide"
)


def _without_limit(law: Law) -> Any:
    return partial(law.function, **{**law.bound, "limit": None})
