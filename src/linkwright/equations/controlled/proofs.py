"""Lyapunov functions of controlled mechanisms, proved: V̇ is what is claimed, as an identity of polynomials.

A law is not known by its name: its efforts τ, run on the polynomials of the mechanism, are tried for what the proofs
need. Where τ − g(q) is linear in q and v, or τ is, it is PD control (Takegaki & Arimoto 1981); where τ − h − g = M u
with u linear in them, it is computed torque (Slotine & Li 1991, §9.1). Only where errors are logarithms and no
polynomials (quaternions, poses of the hand) is a law of the library taken for what its formula says. Whether gains are
positive definite is a matter of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import derivative, public
from linkwright.equations.controlled.law import Law, Run, agrees, quadratic, run
from linkwright.equations.derive.plan import Plan, with_frame
from linkwright.equations.derive.twice import Mechanism
from linkwright.equations.read.linear import LinearForm, inertial_plan
from linkwright.equations.read.structure import Structure, quasi
from linkwright.expression.polynomial import Polynomial, Ring, rational
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

SAMPLES = 2_000
"""Configurations at which the steepest change of g is looked for."""

_steepness, _inertia_slopes = derivative(dynamics.gravity_forces, "q"), derivative(dynamics.mass_matrix, "q")
_coriolis = public(dynamics.coriolis_matrix)


@dataclass
class Proof:
    """What is proved of a law, and of what."""

    kind: str
    """ "pd" (gravity made up for at every configuration), "constant" (PD, without or with constant gravity), "linear"
    (computed torque), "potential" (any force of a potential, and dampers), "pid", "adaptive",
        "impedance"; "" where nothing is recognised"""
    identity: bool = False
    """whether V̇ is what is claimed, identically"""
    lyapunov: Polynomial | None = None
    """V"""
    rate: Polynomial | None = None
    """V̇ along motions of the closed loop"""
    left: Polynomial | None = None
    """V̇ less what is claimed: zero where the identity holds"""
    stiffness: Array | None = None
    damping: Array | None = None
    """the gains K and K_d (nv, nv), in numbers"""
    target: Array | None = None
    """the posture that is kept, or None where it moves or is none"""
    run: Run | None = None
    structure: Structure | None = None
    """of the mechanism, in the ring of the proof"""
    epsilon: float = 0.0
    looped: bool = False
    """whether loops are closed, which can hold the mechanism elsewhere"""
    remark: str = ""
    """what the proof leaves out"""
    why_not: str = ""
    """why there is no proof"""
    force: np.ndarray | None = None
    """of "potential": the law's force at rest, of which −½ vᵀMv and U are the rest of V"""
    structural: bool = False
    """whether the law was taken for what its formula says"""
    steepest: float = 0.0
    """of "constant": the largest ‖∂g/∂q‖ met"""
    closed: tuple[Polynomial, ...] = ()
    """what stands on the right of the closed loop's rows, beside M v̇ + h on the left"""

    @property
    def definite(self) -> bool:
        """Whether V is positive definite about the target, by the gains' numbers."""
        if self.stiffness is None:
            return False
        return bool(smallest(self.stiffness) > self.steepest)

    @property
    def damped(self) -> bool:
        """Whether V̇ < 0 wherever v ≠ 0."""
        return self.damping is not None and smallest(self.damping) > 0.0

    @property
    def proved(self) -> bool:
        """Whether V has its minimum at the target, V̇ is proved to be what is said, and V falls as long as it moves."""
        return self.identity and self.definite and self.damped


def smallest(A: Array) -> float:
    """The least eigenvalue of the symmetric part."""
    return float(np.linalg.eigvalsh(0.5 * (A + A.T)).min(initial=np.inf))


def symmetric(A: np.ndarray) -> bool:
    """Whether A = Aᵀ, entry by entry."""
    return all(A[i, j] == A[j, i] for i, j in np.ndindex(*A.shape))


def errors(n: int) -> tuple[str, ...]:
    """The names of e, ė and ε."""
    return (*(f"e{k + 1}" for k in range(n)), *(f"e{k + 1}_dot" for k in range(n)), "epsilon")


def proof_of(plan: Plan, law: Law, term_limit: int) -> Proof:
    """The proof of a law, or why there is none. Raises :class:`TooLargeError` where equations are too large."""
    found = _proof_of(plan, law, term_limit)
    if law.passive == "remain" and found.kind != "pid":
        springs = any(np.any(joint.stiffness) for joint in law.model.joints) or bool(law.model.springs)
        if springs or found.kind == "linear":  # dampers and friction only add to what V loses in the other proofs
            what = "springs pull beside it" if springs else "it does not make up for the mechanism's own friction"
            found.identity, found.why_not = False, what
    return found


LOOPS = (
    "The loops are closed: their forces do no work, vᵀAᵀλ = (A v)·λ = 0, and so V̇ is that of the tree. But they "
    "can hold "
    "the mechanism elsewhere, where K e is carried by them: other equilibria are listed below."
)


def with_loops(found: Proof) -> Proof:
    """What is left of the proof for the tree where loops are closed: V̇, for their forces do no work."""
    if found.kind in ("pd", "constant", "potential"):
        found.remark, found.looped = LOOPS, True
        return found
    return Proof("", why_not="loops are closed, and their forces are no part of the law's proof for a tree")


def by_theorem(law: Law, failure: str) -> Proof:
    """The proof where polynomials are too large: ½Ṁ − C is skew of every mechanism, and here by numbers too."""
    n, model, known = law.model.nv, law.model, law.known
    plain = not any(quasi(joint) for joint in model.joints if joint.nv)
    gains = {"pd": "stiffness", "adaptive": "convergence", **({"computed_torque": "stiffness"} if plain else {})}
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
    return proof


def _proof_of(plan: Plan, law: Law, term_limit: int) -> Proof:
    turning = any(quasi(joint) for joint in plan.model.joints if joint.nv)
    if law.passive == "mixed":
        return Proof("", why_not="it changes with the mechanism's own springs and friction otherwise than these do")
    if law.known == "impedance":
        return _impedance(plan, law, term_limit)
    if law.known == "adaptive":
        found = None if turning else _adaptive(plan, law, term_limit)
        return found or _adaptive_by_its_formula(plan, law, term_limit)
    if law.known == "pid" and not turning:
        return _pid(plan, law, term_limit)
    if law.rule.formula.state:
        return Proof("", why_not="it has a state of its own, and is none of the laws whose proof is known")
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
            why = "on polynomials it gives other efforts than on numbers: does it ask whether something is equal?"
            continue
        ways: list[Callable[[Run], Proof | None]] = [
            _affine_in_efforts,
            partial(_linearising, law=law, moving=moving),
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


def _linear_in_state(x: np.ndarray, made: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """(K, K_d, c) with x = c − K q − K_d v, all constant; None where there are none."""
    names, ring = made.mechanism.coordinates, made.mechanism.ring
    K = np.array([[-ring.derivative(p, name) for name in names.q] for p in x], dtype=object)
    D = np.array([[-ring.derivative(p, name) for name in names.v] for p in x], dtype=object)
    c = x + K @ made.mechanism.q + D @ made.mechanism.v
    ring.check()
    return (K, D, c) if all(map(made.constant, (K, D, c))) else None


def _affine_in_efforts(made: Run) -> Proof | None:
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


def _of_potential(made: Run) -> Proof | None:
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


def _numbers_of(made: Run) -> Any:
    return made.mechanism.plan.model


def _pd_on_manifold(plan: Plan, law: Law, term_limit: int) -> Proof:
    """PD where errors are rotation vectors: ė = −D v with any matrix D, whose transpose the law has."""
    n, joints = law.model.nv, [joint for joint in plan.model.joints if joint.nv]
    blocks: list[tuple[int, int]] = []  # first velocity, how many; D is block diagonal, 1 for plain joints
    at = 0
    for joint in joints:
        blocks += [(at, joint.nv)] if quasi(joint) else [(at + k, 1) for k in range(joint.nv)]
        at += joint.nv
    places = [(a + i, a + j) for a, size in blocks if size > 1 for i in range(size) for j in range(size)]
    of = {place: f"B{place[0] + 1}_{place[1] + 1}" for place in places}
    gains = [*(f"K{k + 1}" for k in range(n)), *(f"D{k + 1}" for k in range(n))]
    mechanism = Mechanism(plan, term_limit, (*errors(n), *of.values(), *gains))
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
        Run(mechanism, drive + g, {}, values),
        structure,
        structural=True,
    )


# computed torque


def _moving(plan: Plan, law: Law, term_limit: int) -> Run | str:
    """Computed torque along a reference, with names for what is wanted at some time."""
    n = law.model.nv
    more, bind = _wanted(n)
    return run(plan, law, term_limit, True, (*errors(n), *more), bind)


def _linearising(made: Run, law: Law, moving: bool) -> Proof | None:
    """Whether τ − h − g = M u with u = c − K q − K_d v (+ what a moving reference adds)."""
    mechanism = made.mechanism
    ring, q, v, n = mechanism.ring, mechanism.q, mechanism.v, len(mechanism.v)
    M, h, g = mechanism.recursive
    rest = made.efforts - h - g
    target: Array | None = None
    if law.known == "computed_torque" and "stiffness" in made.bound:
        K, D = (_matrix(ring, made.bound[key], n) for key in ("stiffness", "damping"))
        told = made.bound["reference"]
        qd, vd, ad = told(ring["t"]) if moving else (told, np.zeros(n), np.zeros(n))
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


def _matrix(ring: Ring, x: Any, n: int) -> np.ndarray:
    """A gain of one number or of one for each velocity, as a matrix."""
    x = np.asarray(x, dtype=object)
    return ring.array(x if x.ndim == 2 else np.diag(np.broadcast_to(x, (n,))))


def _solved(made: Run, M: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The only K, K_d and c (of fractions) with which M u = rest can hold; None where M is singular there.

    Both sides are put at points where parameters have their values, cosines are 1 and sines 0: angles are variables of
    their own beside these, so that a point for each coordinate and velocity tells a column.
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


# adaptive


def _wanted(n: int) -> tuple[tuple[str, ...], Callable[[Ring], dict[str, Any]]]:
    """Names for where a moving reference is, its velocity and its acceleration; and the reference that gives them."""
    names = [[f"{letters}d{k + 1}" for k in range(n)] for letters in ("q", "v", "a")]

    def bind(ring: Ring) -> dict[str, Any]:
        wanted = tuple(np.array([ring[name] for name in own], dtype=object) for own in names)
        return {"reference": lambda t: wanted}

    return tuple(name for own in names for name in own), bind


def _adaptive(plan: Plan, law: Law, term_limit: int) -> Proof | None:
    """V̇ of V = ½ sᵀM s + ½ δᵀΓ⁻¹δ, δ = π̂ − π, of the law as it is run, its step of π̂ taken for h times a rate.

    What is checked is that τ = M a_r + C v_r + g + Y δ − K_D s with Y = ∂τ/∂π̂, that π̂ moves by −h Γ Yᵀ s, and then
    ½ sᵀṀ s + sᵀ(τ − C v − g − M a_r) − δᵀYᵀ s = −sᵀ K_D s. None where the law is too large for polynomials.
    """
    n = law.model.nv
    plain = Law(law.model, partial(law.function, **{**law.bound, "prediction": 0.0}))
    more, bind = _wanted(n)
    made = run(inertial_plan(plan), plain, term_limit, True, more, bind)
    if isinstance(made, str):
        return None
    mechanism, ring = made.mechanism, made.mechanism.ring
    q, v = mechanism.q, mechanism.v
    qd, vd, ad = made.bound["reference"](ring["t"])
    L, D = (_matrix(ring, made.bound[key], n) for key in ("convergence", "damping"))
    v_r, a_r = vd + L @ (qd - q), ad + L @ (vd - v)
    s = v - v_r
    structure = Structure(mechanism, mechanism.recursive)
    M, _, g = mechanism.recursive
    C = structure.coriolis
    estimates = [f"z{k + 1}" for k in range(len(made.state))]
    z = np.array([ring[name] for name in estimates], dtype=object)
    Y = np.array([[ring.derivative(p, name) for name in estimates] for p in made.efforts], dtype=object)
    delta = z - ring.array(_estimated(mechanism.model, law))
    wrong = [*(made.efforts - (M @ a_r + C @ v_r + g + Y @ delta - D @ s))]
    gain = _gain(made.bound["rate"])
    wrong += [*(made.state - z + gain(Y.T @ s) * rational(law.value("step")))]
    ring.check()
    if any(bool(p) for p in wrong):
        return Proof("", why_not="it is not the law τ = Y π̂ − K_D s with π̂ moved by −Γ Yᵀ s")
    turned = np.array([[ring.rate(M.item(i, j), structure.in_time) for j in range(n)] for i in range(n)], dtype=object)
    rate = s @ (turned @ s) * Fraction(1, 2) + s @ (made.efforts - C @ v - g - M @ a_r) - delta @ (Y.T @ s)
    left = ring.coerce(rate) + quadratic(D, s)
    ring.check()
    proof = Proof(
        "adaptive", not left, None, None, left, law.gain("convergence"), law.gain("damping"), None, made, structure
    )
    proof.remark = _predicting(law)
    return proof


def _predicting(law: Law) -> str:
    told = "What the efforts tell of the parameters besides (prediction) is left out of this proof."
    return told if np.any(law.value("prediction")) else ""


def _adaptive_by_its_formula(plan: Plan, law: Law, term_limit: int) -> Proof:
    """V̇ = sᵀ(½Ṁ − C) s − sᵀK_D s for any s, where Ṁ − 2C is skew and efforts are linear in the parameters."""
    form = LinearForm(plan, term_limit)
    structure = Structure(form.mechanism, form.mechanism.recursive)
    holds = structure.is_skew and form.holds
    proof = Proof("adaptive", holds, None, None, None, law.gain("convergence"), law.gain("damping"))
    proof.structure, proof.structural, proof.remark = structure, True, _predicting(law)
    return proof


def _estimated(model: Model, law: Law) -> np.ndarray:
    """The parameters that are estimated, as they are."""
    known = [body.name for body in model.bodies]
    bodies = law.value("bodies")
    names = known if bodies == "all" else [bodies] if isinstance(bodies, str) else list(bodies)
    places = [10 * known.index(name) + k for name in names for k in range(10)]
    found: np.ndarray = np.asarray(dynamics.inertial_parameters(model), dtype=object)[places]
    return found


def _gain(rate: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Γ x."""
    return lambda x: np.asarray(rate) @ x if np.ndim(rate) == 2 else rate * x


# PID, impedance


def _pid(plan: Plan, law: Law, term_limit: int) -> Proof:
    """Whether the law is τ = K e − K_d v + z, ż = K_i e while nothing is cut."""
    n = law.model.nv
    unlimited = Law(law.model, _without_limit(law), law.rule.state)
    made = run(plan, unlimited, term_limit, True, errors(n))
    if isinstance(made, str):
        return Proof("", why_not=f"it is no polynomial ({made})")
    mechanism, ring = made.mechanism, made.mechanism.ring
    K, D, Ki = (_matrix(ring, made.bound[key], n) for key in ("stiffness", "damping", "integral"))
    z = np.array([ring[f"z{k + 1}"] for k in range(n)], dtype=object)
    e = np.asarray(made.bound["target"]) - mechanism.q
    wrong = [*(made.efforts - (K @ e - D @ mechanism.v + z))]
    wrong += [*(made.state - z - (Ki @ e) * rational(law.value("step")))]
    ring.check()
    if any(bool(p) for p in wrong):
        return Proof("", why_not="it is not the law τ = K e − K_d v + z, ż = K_i e")
    structure = Structure(mechanism, mechanism.recursive)
    target = np.asarray(law.value("target"), dtype=float)
    return Proof("pid", True, None, None, None, made.number(K), made.number(D), target, made, structure)


def _without_limit(law: Law) -> Any:
    return partial(law.function, **{**law.bound, "limit": None})


def _impedance(plan: Plan, law: Law, term_limit: int) -> Proof:
    """V̇ of V = ½ vᵀMv + U(x̃) where the force F of the spring is the gradient of U: U̇ = Fᵀ ẋ."""
    n, frame = law.model.nv, law.value("frame")
    forces, gains = [f"F{k + 1}" for k in range(6)], [f"D{k + 1}" for k in range(6)]
    own = [f"c{k + 1}" for k in range(n)]
    mechanism = Mechanism(with_frame(plan, frame), term_limit, (*forces, *gains, *own, "U"))
    ring, v = mechanism.ring, mechanism.v
    structure = Structure(mechanism, mechanism.recursive)
    M, h, _ = mechanism.recursive
    J = ring.array(dynamics.jacobian(mechanism.model, mechanism.q, frame))
    F, D, c = (np.array([ring[name] for name in names], dtype=object) for names in (forces, gains, own))
    x = J @ v
    drive = -(J.T @ (F + D * x)) - c * v
    half = quadratic(M, v) * Fraction(1, 2)
    rate = ring.coerce(ring.rate(half, structure.in_time) + v @ (drive - h) + F @ x)
    ring.check()
    left = rate + ring.coerce((D * x) @ x + (c * v) @ v)
    ring.check()
    K, damping, joint = law.value("stiffness"), law.value("damping"), law.gain("joint_damping")
    return Proof(
        "impedance",
        not left,
        half + ring["U"],
        rate,
        left,
        _of_hand(K),
        _of_hand(damping),
        None,
        Run(mechanism, drive, {}, {**plan.values}),
        structure,
        structural=True,
        epsilon=smallest(joint),
    )


def _of_hand(x: Any) -> Array:
    x = np.asarray(x, dtype=float)
    return x if x.ndim == 2 else np.diag(np.broadcast_to(x, (6,)))
