"""Equilibria of mechanisms with a controller or closed loops, and their stability.

At an equilibrium f(q) = g(q) − passive(q, 0) − τ(q, 0) = Aᵀ λ, with the rows A of closed loops. With the columns of Z a
basis of the allowed velocities, A Z = 0, and δq = Z y, small motions about it obey

    Zᵀ M Z ÿ + Zᵀ D Z ẏ + Zᵀ S Z y = 0,   S = ∂(f − Aᵀ λ)/∂δ,   D = −∂(passive + τ)/∂v,

with constant λ: the Hessian of the energy, reduced to the allowed motions, if there is an energy (Bertsekas, *Nonlinear
Programming*, §4.2). All is numerical: Newton's method from random starts, so that further equilibria may exist.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import dynamics
from linkwright.compiler.kernel import compile
from linkwright.compiler.public import public
from linkwright.errors import ArgumentError, ClosureError, LinkwrightError
from linkwright.model.tree import Model
from linkwright.simulation.actuation.law_controller import LawController
from linkwright.spatial.arrays import Array, clip
from linkwright.symbolic.closed_loop_control.controller_efforts import Law
from linkwright.symbolic.interpretation.degenerate import NEAR, NOISE, FlatSurface, Leading, is_uncertain

STARTS, STEPS = 96, 60
RESIDUAL = 1e-9
"""of the largest force met: up to it a configuration is one of rest"""
NEGLIGIBLE = 1e-7
"""A real part this small relative to the largest eigenvalue is zero."""
SAME = 1e-5
"""Configurations this near are one."""
PROJECTIONS = 4
"""Newton's steps that close the loops after each of the search"""
CLOSED = 1e-8
"""Residuals, m and rad, up to which loops are closed"""
RANK = 1e-9
"""A singular value of A this small relative to the largest is zero."""

PROBED, SYMMETRIC = 32, 1e-9
"""Random configurations at which a controller is tested for a potential, and rounding of its derivative"""
NOTHING = 1e-13
"""Forces below this share of the largest weight at all configurations are rounding"""
BETWEEN = np.linspace(0.0, 1.0, 9)[1:-1]
"""Points between two configurations of rest at which rest is tested"""

_between, _loads = public(dynamics.difference), public(dynamics.gravity_forces)
_mass, _rows, _move = public(dynamics.mass_matrix), public(dynamics.constraint_jacobian), public(dynamics.integrate)
_project, _opening = public(dynamics.project), public(dynamics.constraint_residual)


@dataclass(frozen=True)
class RestingPlace:
    """A configuration of rest, and the eigenvalues of small motions about it."""

    q: Array
    """(nq,)"""
    efforts: Array
    """efforts of the controller there (nv,); zero without one"""
    multipliers: Array
    """λ (m,), the forces of closed loops"""
    eigenvalues: Array
    """(2 d,), 1/s, of y and ẏ, d the degrees of freedom; the slowest to die out first"""
    squares: Array
    """(d,) ω² ascending, of Zᵀ M Z and the symmetric part of Zᵀ S Z, 1/s²"""
    basis: Array
    """Z (nv, d), orthonormal"""
    conservative: bool = False
    """whether all forces have a potential, as without a controller, and velocities add no energy"""
    spread: bool = False
    """whether the eigenvalues decide nothing: others were found near, with rest all along to them, or the eigenvalues
    change by half of themselves within Newton's next steps
    """
    leading: Leading | None = None
    """of the energy along the directions with ω² = 0, where there is an energy, and all other ω² are positive"""
    why_undecided: str = ""
    """of "undecided", why higher derivatives do not decide"""

    @property
    def kind(self) -> str:
        """ "asymptotically stable", "stable", "unstable" or "undecided".

        By the eigenvalues; "stable" is a strict minimum of the energy of what loses none (Lagrange and Dirichlet). With
        ω² = 0 by the leading derivatives of the energy.
        """
        if self.leading is not None:
            return "stable" if self.leading.minimum else "unstable"
        if self.spread:
            return "undecided"
        real = self.eigenvalues.real
        small = NEGLIGIBLE * max(float(np.abs(self.eigenvalues).max(initial=0.0)), 1e-12)
        if (real > small).any():
            return "unstable"
        if (real < -small).all():
            return "asymptotically stable"
        return "stable" if self.conservative and self.minimum else "undecided"

    @property
    def frequencies(self) -> Array:
        """√ω² of the positive ones, rad/s."""
        found: Array = np.sqrt(self.squares[self.squares > NEGLIGIBLE * np.abs(self.squares).max(initial=0.0)])
        return found

    @property
    def flat(self) -> bool:
        """Whether there is no restoring force along some direction."""
        return bool((np.abs(self.squares) <= NEGLIGIBLE * np.abs(self.squares).max(initial=0.0)).any())

    def alike(self, other: RestingPlace) -> bool:
        """Return whether the linearized motion about the other equilibrium is the same."""
        mine, its = self.squares, other.squares
        return len(mine) == len(its) and bool(np.allclose(mine, its, 1e-5, 1e-6 * np.abs(mine).max(initial=0.0)))

    @property
    def minimum(self) -> bool:
        """Whether all ω² are positive, as at a strict minimum of the energy, if there is one."""
        return bool(len(self.frequencies) == len(self.squares))


def pull(
    model: Model,
    q: Array,
    v: Array,
    inputs: Array,
    multipliers: Array,
    rule: LawController | None,
    t: Any,
    limits: Array | None,
) -> Any:
    """Return f − Aᵀ λ (nv,) at velocities v: gravity minus controller and passive forces, without the mechanism's h."""
    passive = dynamics.passive_forces(model, q, v)
    left = dynamics.gravity_forces(model, q) - passive
    if rule is not None:
        efforts = rule.effort_function.efforts(model, t, q, v, inputs)
        left = left - (efforts if limits is None else clip(efforts, -limits, limits))
    return left - dynamics.constraint_jacobian(model, q).T @ multipliers if model.loops else left


class Rest:
    """The search for configurations of rest, and what it found."""

    def __init__(
        self,
        model: Model,
        law: Law | None = None,
        near: tuple[Array, ...] = (),
        limits: Array | None = None,
    ):
        self.model, self.law, self.near = model, law, near
        self.t = 0.0
        self.limits = limits
        """(nv,), limits of the controller's efforts"""

    @property
    def rule(self) -> LawController | None:
        """The control law as simulations run it; None without one."""
        return self.law.rule if self.law is not None else None

    @cached_property
    def _kernels(self) -> tuple[Callable[..., Array], Callable[..., Array], Callable[..., Array]]:
        """Return kernels of f − Aᵀλ of (q, v, inputs, λ), and of its derivatives by q and v."""
        rule, t, size, limits = self.rule, self.t, self.packed_values.size, self.limits

        def left(model: Model, q: Array, v: Array, inputs: Array, multipliers: Array) -> Any:
            return pull(model, q, v, inputs, multipliers, rule, t, limits)

        made = compile(left, self.model, inputs=(size,), multipliers=(self._count,))
        return made, made.derivative("q"), made.derivative("v")

    @cached_property
    def packed_values(self) -> Array:
        """The numbers bound to the controller, concatenated."""
        return self.rule.effort_function.packed_values() if self.rule is not None else np.zeros(1)

    @cached_property
    def _count(self) -> int:
        """Rows of A, one at least."""
        return max(1, _rows(self.model, self.model.neutral()).shape[0]) if self.model.loops else 1

    @property
    def stateful(self) -> bool:
        """Whether the controller has a state, with which the equilibria may differ."""
        return self.rule is not None and self.rule.effort_function.state > 0

    def _ask(self, which: int, q: Array, multipliers: Array | None = None) -> Array:
        if self.stateful and self.rule is not None:
            raise ArgumentError(
                f"the controller {self.rule.name} has a state: equilibria with that state are not computed"
            )
        made = self._kernels[which]
        zero = np.zeros(self._count) if multipliers is None else multipliers
        return made(q, np.zeros(self.model.nv), self.packed_values, zero)

    def pull(self, q: Array) -> Array:
        """Gravity less passive forces and the control law at rest (…, nv), which is zero at equilibria."""
        return self._ask(0, q)

    def slopes(self, q: Array) -> tuple[Array, Array]:
        """∂/∂δ and ∂/∂v of the same (nv, nv)."""
        return self._ask(1, q), self._ask(2, q)

    def efforts(self, q: Array) -> Array:
        """Return the controller's efforts at rest (nv,), within the limits; zero without one."""
        if self.rule is None:
            return np.zeros(self.model.nv)
        tau = self.rule(self.t, q, np.zeros(self.model.nv))
        return tau if self.limits is None else np.clip(tau, -self.limits, self.limits)

    # where it may be

    def scattered(self, n: int) -> Array:
        """Random configurations (n, nq), angles all around."""
        return self._random(np.random.default_rng(1), n)

    @cached_property
    def _starts(self) -> Array:
        """Configurations that the loops allow: those near by, and random ones."""
        model, rng = self.model, np.random.default_rng(0)
        found = [*self.near, *self._random(rng, STARTS)]
        for k, q in enumerate(found[-STARTS // 2 :] if self.near else ()):  # half of them half a turn about these
            center = self.near[k % len(self.near)]
            for place in self._angles:
                q[place] += center[place]
        if not model.loops:
            return np.array(found)
        kept = []
        for q in found:
            try:
                kept.append(dynamics.close_loops(model, q))
            except ClosureError:
                continue
        return np.array(kept).reshape(-1, model.nq)

    def _random(self, rng: np.random.Generator, n: int) -> Array:
        q = self.model.random(n, seed=int(rng.integers(2**31)))
        for k in self._angles:
            q[:, k] = rng.uniform(-math.pi, math.pi, n)
        return q

    @cached_property
    def _angles(self) -> tuple[int, ...]:
        """Places in q of angles of revolute joints."""
        at, found = 0, []
        for joint in self.model.joints:
            if joint.nq and joint.motion.hinge:
                found.append(at)
            at += joint.nq
        return tuple(found)

    @cached_property
    def rounds(self) -> tuple[int, ...]:
        """The angles in which whole turns change nothing, including the controller; none if it has a state."""
        if self.stateful:
            return ()
        sample, found = self._starts[: max(1, min(4, len(self._starts)))], []
        for k in self._angles if len(self._starts) else ():
            turned = sample.copy()
            turned[:, k] += 2.0 * math.pi
            here = self._ask(0, sample)
            if np.abs(self._ask(0, turned) - here).max() <= 1e-7 * (1.0 + np.abs(here).max()):
                found.append(k)
        return tuple(found)

    def place(self, q: Array) -> Array:
        """Numbers that agree where configurations do."""
        turned = [start + k for start in self.model.quaternion_starts for k in range(4)]
        found = [np.delete(q, [*self.rounds, *turned])]
        found += [np.array([math.cos(q[k]), math.sin(q[k])]) for k in self.rounds]
        for start in self.model.quaternion_starts:  # both signs are one rotation
            part = q[start : start + 4]
            found.append(np.outer(part, part).ravel())
        return np.concatenate(found)

    def allowed(self, q: Array) -> Array:
        """Z (nv, d): an orthonormal basis of the velocities that the loops allow."""
        if not self.model.loops:
            return np.eye(self.model.nv)
        _, sizes, rows = np.linalg.svd(_rows(self.model, q))
        rank = int((sizes > RANK * sizes.max(initial=0.0)).sum())
        basis: Array = rows[rank:].T
        return basis

    # finding it

    @cached_property
    def found(self) -> tuple[RestingPlace, ...]:
        """Those found: stable ones first, then by their q; of a family along which nothing pulls, one."""
        if self.nothing_pulls:
            return ()
        kept: list[Array] = []
        spread: list[bool] = []
        for start in self._starts:
            q = self._settled(start)
            if q is None or any(np.abs(self.place(q) - self.place(x)).max() <= SAME for x in kept):
                continue
            joined = [k for k, x in enumerate(kept) if self._rests_between(x, q)]
            for k in joined:
                spread[k] = True
            if not joined:
                kept.append(q)
                spread.append(False)
        places: list[RestingPlace] = []
        for q, wide in zip(kept, spread, strict=True):
            one = self.at(q)
            uncertain, modes = self._uncertain(one)
            one = self._by_higher_order(replace(one, spread=wide or bool(uncertain.any())), uncertain, modes)
            if not (one.flat and any(one.alike(other) for other in places)):
                places.append(one)
        return tuple(sorted(places, key=lambda one: (one.kind, *np.round(one.q, 6))))

    def _rests_between(self, a: Array, b: Array) -> bool:
        """Return whether some points on the line between two equilibria are equilibria too."""
        way = _between(self.model, a, b)
        if not self.model.loops:
            places = np.array([_move(self.model, a, s * way) for s in BETWEEN])
            return bool(np.abs(self._ask(0, places)).max(initial=0.0) <= RESIDUAL * self._scale)
        if np.abs(way).max() > NEAR:
            return False
        left = [np.abs(self._reduced(self._moved(a, s * way))[1]).max(initial=0.0) for s in BETWEEN]
        return bool(max(left) <= RESIDUAL * self._scale)

    def _by_higher_order(self, one: RestingPlace, uncertain: Array, modes: Array) -> RestingPlace:
        """With the leading derivatives of the energy where some ω² are zero, or uncertain, and the others positive."""
        zero = uncertain | (np.abs(one.squares) <= NEGLIGIBLE * np.abs(one.squares).max(initial=0.0))
        if not zero.any() or (one.squares[~zero] < 0.0).any():
            return one
        if not one.conservative:
            return replace(one, why_undecided="the control law's efforts have no potential energy, or add energy")

        def force(q: Array) -> Array:
            Z, left, _ = self._reduced(q)
            return Z @ left

        def stiffness(q: Array) -> Array:
            Z, _, multipliers = self._reduced(q)
            found: Array = Z @ Z.T @ self._ask(1, q, multipliers) @ Z @ Z.T
            return found

        modes = one.basis @ modes
        surface = FlatSurface(self._moved, force, stiffness, modes[:, zero], modes[:, ~zero])
        try:
            q, found = surface.leading_derivative(one.q, movable=True)
        except (LinkwrightError, np.linalg.LinAlgError):
            return replace(one, why_undecided="the loops close at no configurations far enough from it")
        if isinstance(found, str):
            return replace(one, why_undecided=found)
        squares = np.where(zero, 0.0, one.squares)
        return replace(self.at(q), squares=squares, leading=found)

    def _uncertain(self, one: RestingPlace) -> tuple[Array, Array]:
        """Which ω² are uncertain at this place of rest, which Newton's method found, and the modes (d, d)."""
        Z = one.basis
        L = np.linalg.cholesky(Z.T @ _mass(self.model, one.q) @ Z)
        _, _, multipliers = self._reduced(one.q)

        def slope(q: Array) -> Array:
            S = Z.T @ self._ask(1, q, multipliers) @ Z
            return 0.5 * (S + S.T)

        modes = np.linalg.solve(L.T, np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, slope(one.q)).T))[1])
        residual = np.abs(modes.T @ Z.T @ self.pull(one.q)) + NOISE * self._scale * np.abs(Z @ modes).sum(axis=0)
        uncertain = np.zeros(len(one.squares), dtype=bool)
        for k, (size, force, mode) in enumerate(zip(one.squares, residual, modes.T, strict=True)):
            if abs(size) <= NEGLIGIBLE * np.abs(one.squares).max(initial=0.0):
                continue

            def curvature(step: Array, mode: Array = mode) -> float:
                return float(mode @ slope(self._moved(one.q, step)) @ mode)

            uncertain[k] = is_uncertain(size, force, Z @ mode, curvature)
        return uncertain, modes

    @cached_property
    def nothing_pulls(self) -> bool:
        """Whether every configuration is an equilibrium."""
        model = self.model
        stiff = any(np.any(joint.stiffness) for joint in model.joints) or model.springs
        if self.rule is None and not stiff and not np.any(model.gravity):
            return True
        loads = np.abs(_loads(model, self._starts)).max(initial=0.0)
        return bool(np.abs(self._ask(0, self._starts)).max(initial=0.0) <= NOTHING * loads)

    @cached_property
    def _scale(self) -> float:
        return float(np.abs(self._ask(0, self._starts)).max(initial=0.0)) or 1.0

    def _settled(self, q: Array) -> Array | None:
        """Newton's method, damped where it does not descend; None where it does not arrive."""
        damping, size = 1e-3, self._scale
        Z, left, multipliers = self._reduced(q)
        for _ in range(STEPS):
            if np.abs(left).max(initial=0.0) <= 0.01 * RESIDUAL * size:
                break
            S = Z.T @ self._ask(1, q, multipliers) @ Z / size
            step = np.linalg.solve(S.T @ S + damping * np.eye(len(left)), -S.T @ left / size)
            step /= max(1.0, float(np.linalg.norm(step)))
            try:
                trial = self._moved(q, Z @ step)
            except LinkwrightError:
                damping *= 10.0
                continue
            other = self._reduced(trial)
            if np.linalg.norm(other[1]) < np.linalg.norm(left):
                q, (Z, left, multipliers), damping = trial, other, max(damping * 0.1, 1e-14)
            else:
                damping *= 10.0
            if damping > 1e8:
                break
        if not np.abs(left).max(initial=0.0) <= RESIDUAL * size:
            return None
        if self.model.loops and not np.abs(_opening(self.model, q)).max() <= CLOSED:
            return None
        q = q.copy()
        for k in self.rounds:
            q[k] = math.remainder(q[k], 2.0 * math.pi)
            q[k] = -q[k] if q[k] < SAME - math.pi else q[k]  # of a half turn one of the two
        return q

    def _moved(self, q: Array, v: Array) -> Array:
        moved = _move(self.model, q, v)
        for _ in range(PROJECTIONS if self.model.loops else 0):
            moved = _project(self.model, moved, np.zeros(self.model.nv))[0]
        return moved

    def _reduced(self, q: Array) -> tuple[Array, Array, Array]:
        """Z, Zᵀ f and λ."""
        Z, force = self.allowed(q), self._ask(0, q)
        multipliers = np.zeros(self._count)
        if self.model.loops:
            multipliers = np.linalg.lstsq(_rows(self.model, q).T, force, rcond=RANK)[0]
        return Z, Z.T @ force, multipliers

    # what it is like

    def at(self, q: Array) -> RestingPlace:
        """The eigenvalues about a configuration of rest."""
        Z, _, multipliers = self._reduced(q)
        M, S = Z.T @ _mass(self.model, q) @ Z, Z.T @ self._ask(1, q, multipliers) @ Z
        D, d = Z.T @ self._ask(2, q, multipliers) @ Z, Z.shape[1]
        zero, eye = np.zeros((d, d)), np.eye(d)
        rates = np.block([[zero, eye], [-np.linalg.solve(M, S), -np.linalg.solve(M, D)]])
        values = np.linalg.eigvals(rates)
        values = values[np.lexsort((values.imag, -values.real))]
        L = np.linalg.cholesky(M)
        squares = np.linalg.eigvalsh(np.linalg.solve(L, np.linalg.solve(L, 0.5 * (S + S.T)).T))
        multipliers = multipliers if self.model.loops else np.zeros(0)
        return RestingPlace(q, self.efforts(q), multipliers, values, squares, Z, self.conservative)

    @cached_property
    def conservative(self) -> bool:
        """Whether the forces at rest have a potential and velocities add no energy; for a controller by samples.

        A force has a potential if its derivative is symmetric.
        """
        if self.rule is None:
            return True
        if self.stateful or self.varying:
            return False
        q, rng = self.scattered(PROBED), np.random.default_rng(6)
        S, left = self.slopes(q)[0], self.pull(q)
        if np.abs(S - np.swapaxes(S, -1, -2)).max(initial=0.0) > SYMMETRIC * np.abs(S).max(initial=0.0):
            return False
        for size in (1e-2, 1.0, 1e2):
            v = size * rng.normal(size=(PROBED, self.model.nv))
            change = self._kernels[0](q, v, self.packed_values, np.zeros(self._count)) - left
            if ((v * change).sum(axis=1) < -SYMMETRIC * (np.abs(v) * np.abs(change)).sum(axis=1)).any():
                return False
        return True

    @cached_property
    def varying(self) -> bool:
        """Whether the controller depends on time."""
        if self.rule is None:
            return False
        q, v = self._random(np.random.default_rng(9), 3), np.random.default_rng(8).normal(size=(3, self.model.nv))
        first = self.rule(0.0, q[0], v[0])
        seen = [self.rule(t, x, y) - self.rule(0.0, x, y) for t in (0.37, 1.91) for x, y in zip(q, v, strict=True)]
        return bool(np.abs(seen).max() > 1e-9 * (1.0 + np.abs(first).max()))
