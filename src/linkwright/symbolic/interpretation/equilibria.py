"""Equilibria of the unforced mechanism, and their stability.

Equilibria are the zeros of g(q), with the joints' springs if any. Combinations of multiples of π/2 are tested exactly;
Newton's method from random starts finds others. At each, M δv̇ + K δ = 0 with K = ∂g/∂δ is the linearized motion
(Goldstein, Poole & Safko, *Classical Mechanics*, §6.2); by Lagrange and Dirichlet a strict minimum of U is stable, by
LaSalle (1960) a motion with friction tends to the largest invariant set without dissipation. Where K is singular,
Newton's method converges slowly: its points are merged, and higher derivatives of U decide.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.public import derivative, public
from linkwright.dynamics.forces.springs import FRICTION_SPEED, joints_of, springs_at, stretched
from linkwright.expression.polynomials.polynomial import Polynomial
from linkwright.model.scale import scale_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.symbolic.interpretation.degenerate import NEAR, NOISE, FlatSurface, Leading, is_uncertain
from linkwright.symbolic.interpretation.extremal_inertia import at_quarters, quarter_turns, series_of
from linkwright.symbolic.interpretation.structure import Structure, determinant, quasi, sign_of

CANDIDATES = 20_000
"""Combinations of multiples of π/2 up to which all are tried."""

SERIES_TERMS = 2_000
"""Terms of g up to which its Fourier series is made to prove that no equilibrium is missing."""

STARTS, STEPS = 256, 100
RESIDUAL = 1e-10
"""of what g can be: up to it a configuration found numerically is an equilibrium"""
NEGLIGIBLE = 1e-9
"""Beside the largest, an eigenvalue this small is zero."""
SINGULAR = 1e-12
"""An eigenvalue this small, relative to that of a stiffness as large as the largest force (per radian), is zero."""
RELAXED = 1e-12
"""A spring between bodies rests that is longer than relaxed by no more of its length."""
EXACT_SIZE = 4
"""Up to this many free coordinates the signs of K are looked for exactly."""


def restoring(model: Model, q: Array) -> Any:
    """g(q) and the springs' forces against it (nv,)."""
    return dynamics.gravity_forces(model, q) - dynamics.passive_forces(model, q, np.zeros(model.nv))


def stored(model: Model, q: Array) -> Any:
    """The potential energy of weight and springs, J."""
    return dynamics.potential_energy(model, q) + dynamics.spring_energy(model, q)


_force, _stiffness = public(restoring), derivative(restoring, "q")
_energy, _mass, _move = public(stored), public(dynamics.mass_matrix), public(dynamics.integrate)


@dataclass(frozen=True)
class Equilibrium:
    """A configuration of rest, or one of a continuous family of them."""

    q: Array
    """(nq,)"""
    quarters: Mapping[str, int] | None
    """angles as multiples of π/2 (displacements 0) where that it rests there is proved; else it is numeric"""
    free: tuple[str, ...]
    """coordinates that may have any value there, proved"""
    nullity: int
    """of K: directions in which nothing pulls back"""
    family: int
    """how many dimensions of equilibria it was found to lie in; 0 where it is isolated"""
    energy: float
    """potential, J"""
    squares: Array
    """(nv,) ω², ascending: the eigenvalues of M⁻¹ K; nan where M is singular"""
    signs: tuple[int, ...] | None
    """of K's leading minors, where proved for all values of the parameters that have the model's signs"""
    minors: tuple[Polynomial, ...] = field(default=(), repr=False)
    leading: Leading | None = None
    """of U along the directions with ω² = 0, where it is isolated in these and that is determined numerically"""
    why_undecided: str = ""
    """of "undecided", why higher derivatives do not decide"""

    @property
    def exact(self) -> bool:
        """Whether it is proved, by substitution."""
        return self.quarters is not None

    @property
    def frequencies(self) -> Array:
        """Angular frequencies of the oscillations about it, rad/s."""
        found: Array = np.sqrt(self.squares[self.squares > 0.0])
        return found

    @property
    def unstable_directions(self) -> int:
        """In how many directions motions leave it."""
        return int((self.squares < 0.0).sum())

    @property
    def kind(self) -> str:
        """Stability: "stable" (a strict minimum of the potential), "unstable", "valley" (a minimum) or "undecided".

        A valley is a minimum up to its family of equilibria.

        If the linearized motion does not decide, the leading derivative of the potential does.
        """
        if np.isnan(self.squares).any():
            return "undecided"
        if self.unstable_directions:
            return "unstable"
        if not self.nullity:
            return "stable"
        if self.family == self.nullity:
            return "valley"
        if self.leading is None:
            return "undecided"
        if not self.leading.minimum:
            return "unstable"
        return "valley" if self.family else "stable"


@dataclass
class Equilibria:
    """The search for equilibria, and what it found."""

    structure: Structure
    model: Model
    """in numbers"""
    values: Mapping[str, float]
    """of the parameters"""

    @cached_property
    def springs(self) -> bool:
        """Whether there are springs, which are not part of g."""
        return bool(self._stretching or self.model.compensated_weights) or any(
            bool(np.any(joint.stiffness)) for joint in self.model.joints
        )

    @cached_property
    def _stretching(self) -> frozenset[str]:
        """The coordinates that springs between bodies and gravity compensation depend on."""
        if self.model.compensated_weights:
            return frozenset(self.structure.mechanism.coordinates.q)
        stiff = [spring for spring in self.model.springs if spring.stiffness]
        joints = {k for spring in stiff for k in joints_of(self.model, spring)}
        return frozenset(name for k in joints for name in self.structure.coordinates[k])

    @cached_property
    def _g(self) -> np.ndarray:
        return self.structure.forms.gravity_forces

    @cached_property
    def active(self) -> tuple[str, ...]:
        """The coordinates that some force depends on."""
        used = {*self.structure.coordinates_in(self._g), *self._stretching}
        for joint, own in zip(self.structure.joints, self.structure.coordinates, strict=True):
            if np.any(joint.stiffness):
                used.update(own)
        return tuple(name for name in self.structure.mechanism.coordinates.q if name in used)

    @cached_property
    def _rounds(self) -> frozenset[str]:
        """The angles in which a whole turn changes nothing: those of no screw, spring or slide that follows."""
        plain: set[str] = set().union(*(p.used() for p in self._g))
        for joint, own in zip(self.structure.joints, self.structure.coordinates, strict=True):
            if np.any(joint.stiffness):
                plain.update(own)
        return frozenset(self.structure.mechanism.coordinates.angles) - plain

    @cached_property
    def everywhere(self) -> bool:
        """Whether every configuration is an equilibrium: g ≡ 0."""
        return not self.springs and not any(self._g)

    @cached_property
    def obstacle(self) -> tuple[int, ...]:
        """Rows of g whose squares add to a positive constant: then nothing rests. Empty where there are none."""
        if self.springs:
            return ()
        ring, g, joints = self.structure.mechanism.ring, self._g, self.structure.mechanism.model.joints
        for i, p in enumerate(g):
            if p and not self.structure.coordinates_in([p]):
                return (i,)
        for joint in joints:
            if joint.motion.carried and not joint.motion.parts:
                own = [i for i in range(len(g)) if self.structure.joints[i] is joint]
                linear = [own[k] for k in joint.motion.carried]
                total = sum((g[i] * g[i] for i in linear), ring.zero)
                ring.check()
                if total and not self.structure.coordinates_in([total]):
                    return tuple(linear)
        return ()

    # finding them

    @cached_property
    def found(self) -> tuple[Equilibrium, ...]:
        """Those found, of least energy first; of those that lie in continuous families with the same energy, one."""
        if self.everywhere or self.obstacle:
            return ()
        exact = self._exact()
        numeric = [q for q in self._numeric() if not any(self._covers(place, q) for place in exact)]
        places = [(self._configuration(turns, {}), turns, free) for turns, free in exact]
        kept: list[Equilibrium] = []
        scale = scale_of(self.model)
        unit = scale.mass * scale.length**2  # J
        for q, turns, free in [*places, *((q, None, ()) for q in numeric)]:
            one = self._at(q, turns, free)
            proved = sum(own[0] not in self.active or own[0] in free for own in self.structure.coordinates)
            alike = [other for other in kept if one.family > proved and other.family == one.family]
            if not any(abs(other.energy - one.energy) <= 1e-7 * (unit + abs(one.energy)) for other in alike):
                kept.append(one)
        return tuple(sorted(kept, key=lambda one: round(one.energy / unit, 9)))

    @cached_property
    def _scale(self) -> float:
        rng = np.random.default_rng(5)
        sample = np.array([self._random(rng) for _ in range(64)])
        return float(np.abs(_force(self.model, sample)).max()) or 1.0

    def _random(self, rng: np.random.Generator) -> Array:
        """Angles all around, whatever their limits; coordinates that nothing depends on neutral."""
        q, neutral = self.model.random(seed=rng), self.model.neutral()
        names = self.structure.mechanism.coordinates
        for k, name in enumerate(names.q):
            if name not in self.active:
                q[k] = neutral[k]
            elif name in names.angles:
                q[k] = rng.uniform(-math.pi, math.pi)
        return q

    def _configuration(self, quarters: Mapping[str, Any], other: Mapping[str, float]) -> Array:
        """q with angles at multiples of π/2, quaternions and displacements as they are."""
        names, q = self.structure.mechanism.coordinates, self.model.neutral()
        for k, name in enumerate(names.q):
            if name in quarters:
                q[k] = quarters[name] * (math.pi / 2 if name in names.angles else 1.0)
            elif name in other:
                q[k] = other[name]
        return q

    def _exact(self) -> list[tuple[dict[str, Any], tuple[str, ...]]]:
        """(coordinates at multiples of π/2, at 0, or at turns of the cube; those that are free), proved."""
        names = self.structure.mechanism.coordinates
        angles = [name for name in self.active if name in names.angles]
        balls = [four for four in names.quaternions if set(four) & set(self.active)]
        if 4 ** len(angles) * len(TURNS) ** len(balls) > CANDIDATES:
            return []
        zeros = {name: 0 for name in self.active if name not in angles and not any(name in four for four in balls)}
        candidates = [
            {**zeros, **dict(zip(angles, turn.tolist(), strict=True))}
            | {
                name: x
                for four, ball in zip(balls, orientation, strict=True)
                for name, x in zip(four, ball, strict=True)
            }
            for turn in quarter_turns(len(angles))
            for orientation in itertools.product(TURNS, repeat=len(balls))
        ]
        q = np.array([self._configuration(one, {}) for one in candidates]).reshape(-1, self.model.nq)
        near = np.abs(_force(self.model, q)).max(axis=1, initial=0.0) <= 1e-9 * self._scale
        found: dict[tuple[Any, ...], tuple[dict[str, Any], tuple[str, ...]]] = {}
        for one, x in zip(np.array(candidates, dtype=object)[near], q[near], strict=True):
            if self._rests(one, x, ()):
                free = self._freed(one, x)
                rest = {name: k for name, k in one.items() if name not in free}
                found.setdefault((free, *sorted(rest.items())), (rest, free))
        places = list(found.values())
        return [
            place
            for place in places
            if not any(
                set(place[1]) < set(other[1]) and all(place[0].get(name) == k for name, k in other[0].items())
                for other in places
            )
        ]

    def _rests(self, turns: Mapping[str, Any], q: Array, free: tuple[str, ...]) -> bool:
        """Return whether g vanishes identically there: polynomials in parameters and ``free``, springs at rest."""
        fixed = {name: k for name, k in turns.items() if name not in free}
        if any(self._put(p, fixed) for p in self._g):
            return False
        for joint, x in zip(self.model.joints, self.model.coordinates(q), strict=True):
            if np.any(joint.stiffness) and np.any(joint.motion.displacement(joint.rest, x)):
                return False
        return all(
            abs(spring.elongation(stretched(pieces))) <= RELAXED * stretched(pieces)
            for spring, pieces in springs_at(self.model, q)
        )

    def _put(self, p: Polynomial, turns: Mapping[str, Any]) -> Polynomial:
        names = self.structure.mechanism.coordinates
        p = at_quarters(p, {name: k for name, k in turns.items() if name in names.angles})
        # the angle of a screw itself is a multiple of π, which is no rational number, but at zero
        plain = {name: k for name, k in turns.items() if name not in names.angles or k == 0}
        return p.ring.put(p, plain)

    def _freed(self, turns: Mapping[str, Any], q: Array) -> tuple[str, ...]:
        """Coordinates that may have any value without disturbing the rest."""
        free: tuple[str, ...] = ()
        for k in np.flatnonzero(np.abs(_stiffness(self.model, q)).max(axis=0) <= 1e-9 * self._scale):
            (name, *others) = self.structure.coordinates[k]
            if name not in turns or name in self._stretching or others or np.any(self.structure.joints[k].stiffness):
                continue
            if self._rests(turns, q, (*free, name)):
                free = (*free, name)
        return free

    def _numeric(self) -> list[Array]:
        """Zeros of the restoring forces by Levenberg's and Marquardt's method from random starts."""
        model, rng = self.model, np.random.default_rng(0)
        q = np.array([self._random(rng) for _ in range(STARTS)])
        r = _force(model, q)
        damping = np.full(STARTS, 1e-2)
        size, eye = self._scale, np.eye(model.nv)
        for _ in range(STEPS):
            J = _stiffness(model, q) / size
            JtJ = np.swapaxes(J, -1, -2) @ J + damping[:, None, None] * eye
            step = -np.linalg.solve(JtJ, np.swapaxes(J, -1, -2) @ (r / size)[..., None])[..., 0]
            step /= np.maximum(1.0, np.linalg.norm(step, axis=-1, keepdims=True))
            trial = _move(model, q, step)
            new = _force(model, trial)
            better = np.linalg.norm(new, axis=-1) < np.linalg.norm(r, axis=-1)
            q, r = np.where(better[:, None], trial, q), np.where(better[:, None], new, r)
            damping = np.clip(np.where(better, damping * 0.2, damping * 5.0), 1e-14, 1e6)
        kept: list[Array] = []
        residuals = np.abs(r).max(axis=1, initial=0.0)
        for k in np.argsort(residuals, kind="stable"):
            if residuals[k] <= RESIDUAL * size and not any(self._is_same(other, q[k]) for other in kept):
                kept.append(self._wrapped(q[k]))
        return kept

    def _is_same(self, one: Array, other: Array) -> bool:
        """Return whether two zeros are one: equal, or close with no force in between, as stalled iterations are."""
        apart = np.abs(self._place(one) - self._place(other)).max(initial=0.0)
        if apart < 1e-5 or apart > NEAR:
            return bool(apart < 1e-5)
        way = dynamics.difference(self.model, one, other)
        for k in np.flatnonzero([names[0] in self._rounds for names in self.structure.coordinates]):
            way[k] = math.remainder(way[k], 2.0 * math.pi)
        between = np.array([_move(self.model, one, s * way) for s in (0.25, 0.5, 0.75)])
        return bool(np.abs(_force(self.model, between)).max() <= RESIDUAL * self._scale)

    def _wrapped(self, q: Array) -> Array:
        q = q.copy()
        for k, name in enumerate(self.structure.mechanism.coordinates.q):
            if name in self._rounds:
                q[k] = math.remainder(q[k], 2 * math.pi)
        return q

    def _place(self, q: Array) -> Array:
        """Numbers that agree where configurations do."""
        names, found = self.structure.mechanism.coordinates, []
        known = dict(zip(names.q, q, strict=True))
        for name, x in known.items():
            if name in self._rounds:
                found += [math.cos(x), math.sin(x)]
            elif not any(name in four for four in names.quaternions):
                found.append(x)
        for four in names.quaternions:
            u = np.array([known[name] for name in four])
            found += np.outer(u, u).ravel().tolist()
        return np.array(found)

    def _covers(self, place: tuple[dict[str, Any], tuple[str, ...]], q: Array) -> bool:
        """Return whether q is the equilibrium, or in its family."""
        turns, free = place
        known = dict(zip(self.structure.mechanism.coordinates.q, q, strict=True))
        return self._is_same(self._configuration(turns, {n: known[n] for n in free}), q)

    # what they are like

    def _at(self, q: Array, turns: dict[str, Any] | None, free: tuple[str, ...]) -> Equilibrium:
        signs, minors = self._signs(turns, free) if turns is not None else (None, ())
        energy = float(_energy(self.model, q))
        try:
            squares, modes = self._modes(q)
        except np.linalg.LinAlgError:
            return Equilibrium(q, turns, free, 0, 0, energy, np.full(self.model.nv, np.nan), signs, minors)
        zero = self._zero(q, squares, modes, exact=turns is not None)
        nullity = int(zero.sum())
        proved = sum(own[0] not in self.active or own[0] in free for own in self.structure.coordinates)
        family = nullity if proved == nullity else self._family(q, modes[:, zero])
        squares, leading, why = np.where(zero, 0.0, squares), None, ""
        if nullity and not family and (nullity == 1 or not (squares < 0.0).any()):
            idle = [k for k, own in enumerate(self.structure.coordinates) if own[0] not in self.active]
            kernel = modes[:, zero]
            if idle:  # no energy depends on these: the rest of the kernel leaves them out
                kernel = kernel @ np.linalg.svd(kernel[idle])[2][len(idle) :].T
            model = self.model
            surface = FlatSurface(
                partial(_move, model), partial(_force, model), partial(_stiffness, model), kernel, modes[:, ~zero]
            )
            q, found = surface.leading_derivative(q, movable=turns is None)
            leading, why = (None, found) if isinstance(found, str) else (found, "")
            family = len(idle) if leading is not None else 0
        return Equilibrium(q, turns, free, nullity, family, energy, squares, signs, minors, leading, why)

    def _zero(self, q: Array, squares: Array, modes: Array, exact: bool) -> Array:
        """Which ω² are zero (nv,): negligible, or of a numeric q so uncertain that they are not known."""
        sizes = np.abs(squares)
        zero: Array = sizes <= NEGLIGIBLE * max(float(sizes.max()), 1e-12)
        zero |= sizes <= SINGULAR * self._scale * (modes**2).sum(axis=0)
        if exact:
            return zero
        force = np.abs(modes.T @ _force(self.model, q)) + NOISE * self._scale * np.abs(modes).sum(axis=0)
        for i in np.flatnonzero(~zero):
            mode = modes[:, i]

            def curvature(step: Array, mode: Array = mode) -> float:
                return float(mode @ _stiffness(self.model, _move(self.model, q, step)) @ mode)

            zero[i] = is_uncertain(squares[i], force[i], mode, curvature)
        return zero

    def _modes(self, q: Array) -> tuple[Array, Array]:
        """ω² (nv,), ascending, and the columns φ (nv, nv) of K φ = ω² M φ."""
        K, L = _stiffness(self.model, q), np.linalg.cholesky(_mass(self.model, q))
        squares, modes = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, 0.5 * (K + K.T)).T))
        return squares, np.linalg.solve(L.T, modes)

    def _family(self, q: Array, kernel: Array) -> int:
        """The kernel's dimension if every direction in it leads to other equilibria with as large a kernel, else 0."""
        model, nullity = self.model, kernel.shape[1]
        for direction in kernel.T:
            step = 0.02 * direction / np.linalg.norm(direction)
            x = _move(model, q, step)
            for _ in range(20):
                x = _move(model, x, -np.linalg.pinv(_stiffness(model, x), rcond=1e-6) @ _force(model, x))
            sizes = np.linalg.svd(_stiffness(model, x), compute_uv=False)
            rests = np.abs(_force(model, x)).max() <= RESIDUAL * self._scale
            if not rests or np.linalg.norm(dynamics.difference(model, q, x) - step) > 0.25 * np.linalg.norm(step):
                return 0  # Newton's method led back, or to equilibria in another direction
            if (sizes <= 1e-6 * self._scale).sum() < nullity:
                return 0
        return nullity

    def _signs(
        self, turns: Mapping[str, Any], free: tuple[str, ...]
    ) -> tuple[tuple[int, ...] | None, tuple[Polynomial, ...]]:
        """The signs of K's leading minors, coordinates that may have any value left out; None where not proved."""
        ring, own = self.structure.mechanism.ring, self.structure.coordinates
        rows = [i for i in range(len(own)) if own[i][0] in self.active and own[i][0] not in free]
        if self.springs or not rows or len(rows) > EXACT_SIZE or any(quasi(self.structure.joints[i]) for i in rows):
            return None, ()
        K = [[self._put(ring.rate(self._g[i], self.structure.along[j]), turns) for j in rows] for i in rows]
        minors = tuple(determinant([row[:k] for row in K[:k]]) for k in range(1, len(rows) + 1))
        signs = tuple(sign_of(minor, self.values) for minor in minors)
        return (signs if all(signs) else None), minors

    # friction

    @cached_property
    def damping(self) -> Array:
        """(nv,): by how much each effort falls with its own velocity near rest, smoothed dry friction included."""
        own = [joint.damping + joint.friction / FRICTION_SPEED for joint in self.model.joints]
        for k, joint in enumerate(self.model.joints):
            if (c := joint.coupling) is not None:
                own[c.leader] = own[c.leader] + c.multiplier**2 * own[k]
        return np.concatenate([np.zeros(0), *(d for d, joint in zip(own, self.model.joints, strict=True) if joint.nv)])

    def silent_modes(self, one: Equilibrium, damping: Array) -> int:
        """Return the number of oscillations about an equilibrium that this damping (nv,) does not affect.

        Those of K φ = ω² M φ with ω² ≠ 0 and D φ = 0: LaSalle's invariant set of the linearized motion (the rank test
        of observability, mode by mode).
        """
        squares, modes = self._modes(one.q)
        reach = (damping / max(float(damping.max(initial=0.0)), 1e-300))[:, None] * (modes / np.abs(modes).max(axis=0))
        silent, k, tolerance = 0, 0, NEGLIGIBLE * float(np.abs(squares).max())
        while k < len(squares):
            alike = k + int((np.abs(squares[k:] - squares[k]) <= tolerance).sum())
            if abs(squares[k]) > tolerance:
                silent += alike - k - int(np.linalg.matrix_rank(reach[:, k:alike], tol=1e-9))
            k = alike
        return silent

    # completeness

    @cached_property
    def complete(self) -> bool:
        """Whether it is proved that there are no others.

        If g = B w with as many cosines w_k = cos(n_k·θ − α_k) as joints and B and N = (n_k) regular, g vanishes where
        all of them do: at 2ⁿ |det N| configurations.
        """
        names = self.structure.mechanism.coordinates
        if self.springs or any(name not in names.angles for name in self.active):
            return False
        if sum(map(len, self._g)) > SERIES_TERMS:
            return False
        columns: dict[tuple[float, ...], list[tuple[Array, Array]]] = {}
        n = len(self._g)
        for i, p in enumerate(self._g):
            series = series_of(p, self.values)
            if series is None or abs(series.constant) > 1e-12 * self._scale:
                return False
            for multiples, a, b in zip(series.multiples, series.cosines, series.sines, strict=True):
                own = dict(zip(series.angles, multiples, strict=True))
                key = tuple(own.get(name, 0.0) for name in self.active)
                unit = np.zeros(n)
                unit[i] = 1.0
                columns.setdefault(key, []).append((a * unit, b * unit))
        N = np.array(list(columns)).reshape(len(columns), len(self.active))
        B = []
        for parts in columns.values():
            pair = np.array([sum(a for a, _ in parts), sum(b for _, b in parts)])
            _, s, vt = np.linalg.svd(pair, full_matrices=False)
            if (s[1:] > 1e-12 * s[0]).any():
                return False  # two phases of one angle cannot vanish at once, but might balance
            B.append(s[0] * vt[0])
        if len(N) != len(self.active) or np.linalg.matrix_rank(np.array(B), tol=1e-9 * self._scale) < len(B):
            return False
        return len(self.found) == round(2.0 ** len(N) * abs(np.linalg.det(N)))


_half = Fraction(1, 2)
TURNS: tuple[tuple[int | Fraction, ...], ...] = (
    *((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
    *((_half, *rest) for rest in itertools.product((_half, -_half), repeat=3)),
)
"""The rotations of a tetrahedron as unit quaternions: they take every axis to every other, and are rational."""
