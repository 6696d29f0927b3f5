"""Exact inverse kinematics of a model's frame: all branches of a batch of targets in one kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, InputError, ModelError, ShapeError, UnknownNameError, explained
from linkwright.inverse_kinematics.exact.chain import Arm, arm_of
from linkwright.inverse_kinematics.exact.compiled import FINE, LOOSE, Branches, ClosedForm, Correction, Sixteen
from linkwright.inverse_kinematics.exact.explain import explanation
from linkwright.inverse_kinematics.exact.general import Elimination, eliminations
from linkwright.inverse_kinematics.exact.postures import TURN
from linkwright.inverse_kinematics.exact.ways import Way, ways
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers


@dataclass(frozen=True, eq=False)
class Solutions:
    """All answers for a batch of targets."""

    q: Array
    """(…, branches, nq); NaN where a branch does not exist. Hinges are in (-π, π], or within their limits if a whole
    number of turns brings them there"""
    exact: Array
    """(…, branches) bool; where none of a target's answers is, they are those that come near it"""
    error: Array
    """(…, branches): what is left, the distance (m) and 2 sin(angle / 2) together; NaN where a branch does not exist"""
    lower: Array
    upper: Array
    places: tuple[int, ...]
    """where in q the arm's coordinates stand"""
    hinges: Array
    """(nq,) bool: the coordinates that may turn by whole turns"""

    @cached_property
    def within(self) -> Array:
        """(…, branches) bool: whether an answer exists and keeps the limits of all joints of the arm."""
        q, at = self.q, list(self.places)
        kept = (q >= self.lower - 1e-12) & (q <= self.upper + 1e-12)
        return np.asarray(kept[..., at].all(axis=-1))

    @property
    def count(self) -> Array:
        """(…) int: the number of exact answers."""
        return np.asarray(self.exact.sum(axis=-1))

    def nearest(self, q: Any, limits: bool = True) -> Array:
        """The exact answer (…, nq) nearest to q (…, nq) by Σ|Δq|, within the limits; NaN where there is none.

        Hinges are brought as near to q as whole turns bring them, where their limits allow it. ``limits`` False
        counts answers outside the limits too.
        """
        given = as_numbers("q", q)
        nq = self.q.shape[-1]
        if given.shape[-1:] != (nq,):
            raise ShapeError(f"q has shape {given.shape}; expected (…, {nq})")
        to = given[..., None, :]
        turns = np.round((to - self.q) / TURN) * TURN * self.hinges
        moved = self.q + turns
        if limits:
            moved = np.where((moved >= self.lower) & (moved <= self.upper), moved, self.q)
        at = list(self.places)
        far = np.abs(moved - to)[..., at].sum(axis=-1)
        far = np.where(self.exact & (self.within if limits else True), far, np.inf)
        best = np.argmin(far, axis=-1)[..., None]
        chosen = np.take_along_axis(np.broadcast_to(moved, (*far.shape, nq)), best[..., None], axis=-2)[..., 0, :]
        return np.where(np.isfinite(np.take_along_axis(far, best, axis=-1)), chosen, np.nan)


class AnalyticSolver:
    """Exact inverse kinematics of one frame, made by :func:`analytic_inverse_kinematics`.

    ``solver(T)`` takes poses (…, 4, 4) of the frame in the world; where a joint has to be ``given``,
    ``solver(T, value)`` takes its coordinate, (…) rad or m.
    """

    def __init__(self, model: Model, frame: str, arm: Arm, plan: Way | Elimination, tolerance: float):
        self.model, self.frame, self.tolerance = model, frame, tolerance
        self._arm, self._plan = arm, plan
        self._way = plan if isinstance(plan, Way) else plan.way
        self.given: str | None = None if self._way.held is None else arm.joints[self._way.held]
        """the joint whose coordinate is given; None where none has to be"""
        self._answers: Branches = ClosedForm(model, arm, plan) if isinstance(plan, Way) else Sixteen(model, arm, plan)
        self.branches = self._answers.branches
        """the most answers a target can have"""
        self._hinges = np.zeros(model.nq, dtype=bool)
        self._hinges[[p for p, slides in zip(arm.places, arm.chain.slides, strict=True) if not slides]] = True
        self._correction: Correction | None = None

    @property
    def family(self) -> str:
        """What was recognised: "spherical wrist", "three parallel axes", …"""
        return self._plan.family.name if isinstance(self._plan, Way) else self._plan.name

    def explanation(self) -> str:
        """How it is solved: what was recognised, the decomposition, the formulas with this arm's numbers."""
        return explanation(self.model, self.frame, self._arm, self._plan, self.branches)

    @explained
    def __call__(self, T: Any, given: Any = None) -> Solutions:
        """All answers for poses T (…, 4, 4); of seven joints, with one ``given`` (…).

        Raises :class:`InputError` for what is no pose, NaN among it.
        """
        T = as_numbers("T", T)
        if T.shape[-2:] != (4, 4):
            raise ShapeError(f"T has shape {T.shape}; expected (…, 4, 4)")
        if (given is None) != (self.given is None):
            if given is None:
                raise ArgumentError(
                    f"this arm has {self._dof} joints: give joint {self.given!r} too, solver(T, {self.given})"
                )
            raise ArgumentError(f"no joint of this arm has to be given; got given = {given!r}")
        arrays = [T] if given is None else [T, as_numbers("given", given)]
        if len(arrays) > 1 and not np.isfinite(arrays[1]).all():
            raise InputError(f"joint {self.given!r} is given as {given!r}; expected finite numbers")
        q, error, fault = self._answers(*arrays)
        wrong = ~(np.asarray(fault) <= 1e-6)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            told = np.broadcast_to(T, (*wrong.shape, 4, 4))[at]
            where = f"T[{', '.join(map(str, at))}]" if at else "T"
            raise InputError(f"{where} is no pose: a rotation (to 1e-6), a position, and 0 0 0 1 below; got\n{told}")
        self._correct(q, error, arrays[0])
        with np.errstate(invalid="ignore"):
            exact = error <= self.tolerance
        return Solutions(q, exact, error, self.model.lower, self.model.upper, self._arm.places, self._hinges)

    @property
    def _dof(self) -> int:
        return len(self._arm.chain)

    def _correct(self, q: Array, error: Array, T: Array) -> None:
        """Answers that rounding, or decimals in files, left beside the target are brought to it; the others dropped."""
        with np.errstate(invalid="ignore"):
            near = (error > FINE) & (error < LOOSE)
        if not near.any():
            return
        if self._dof >= 6:
            if self._correction is None:
                self._correction = Correction(self.model, self._arm, self._way.held)
            self._correction(q, error, near, T[..., None, :, :])
        rows = np.nonzero(near)
        with np.errstate(invalid="ignore"):
            reached = np.asarray((error <= self.tolerance).any(axis=-1))
        beside = (error[rows] > self.tolerance) & reached[rows[:-1]]
        dropped = tuple(i[beside] for i in rows)
        q[dropped], error[dropped] = np.nan, np.nan


@explained
def analytic_inverse_kinematics(
    model: Model, frame: str, *, given: str | None = None, tolerance: float = 1e-9
) -> AnalyticSolver:
    """Exact inverse kinematics of a frame: a solver that gives all postures of the arm that bring the frame to a pose.

    The arm is the joints between the world and the frame; its family is recognised from its geometry (see
    ``docs/exact_inverse_kinematics.md``). Of an arm of seven joints one is ``given`` with each target, by its name; if
    none is named, the one that leaves the shortest formulas. An answer that leaves no more than ``tolerance`` (m and
    rad together) is exact. Raises :class:`ModelError` where an arm has no exact answer.

    >>> import linkwright as lw
    >>> arm = lw.load("puma560")
    >>> solver = lw.analytic_inverse_kinematics(arm, "tool")
    >>> found = solver(lw.pose(arm, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "tool"))
    >>> found.q.shape, int(found.count)
    ((8, 6), 8)
    """
    if not isinstance(model, Model):
        raise ArgumentError(f"analytic_inverse_kinematics: the first argument is a Model; got {model!r}")
    arm = arm_of(model, frame)
    if given is not None and given not in arm.joints:
        raise UnknownNameError(f"joint between the world and {frame!r}:", given, arm.joints)
    n = len(arm.joints)
    if given is not None:
        held: list[int | None] = [arm.joints.index(given)]
    else:
        held = [None] if n < 7 else [*reversed(range(n))]
    found = [way for joint in held for way in ways(arm.chain, arm.length, joint)]
    if found:
        return AnalyticSolver(model, frame, arm, min(found, key=lambda way: way.cost), tolerance)
    for joint in held:
        for elimination in eliminations(arm.chain, arm.length, joint):
            return AnalyticSolver(model, frame, arm, elimination, tolerance)
    raise ModelError(_no_answer(model, frame, arm, given))


def _no_answer(model: Model, frame: str, arm: Arm, given: str | None) -> str:
    kinds = "".join("P" if slides else "R" for slides in arm.chain.slides)
    return (
        f"{frame!r} of {model.name!r} is moved by {len(arm.joints)} joints ({kinds}: {', '.join(arm.joints)}) of a "
        "geometry without an exact answer here; inverse_kinematics solves it numerically"
    )
