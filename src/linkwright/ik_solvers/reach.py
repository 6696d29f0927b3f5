"""Inverse kinematics by numbers: one target or a million."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import positive, truth, whole_number
from linkwright.errors import ArgumentError, ExpressionError, InputError, ModelError, ShapeError, counted
from linkwright.ik_solvers.search import multiple_solutions
from linkwright.ik_solvers.search.failures import NO_MORE, NOT_FOUND, REASONS, look_again, wrong_row
from linkwright.ik_solvers.search.solver import (
    DONE,
    NEAREST,
    WRONG,
    NumericalSolver,
    SearchOptions,
    SearchResult,
    SearchState,
)
from linkwright.ik_solvers.task import fitting
from linkwright.ik_solvers.tasks import ROTATION, Pose, Position, Task
from linkwright.model.memo import Identity, identity, keep
from linkwright.model.requirement import takes_model
from linkwright.model.transformations.geometry import numbers_of
from linkwright.model.tree import Model
from linkwright.provided import holds_sympy, numbers_of_sympy
from linkwright.spatial.arrays import Array, as_numbers, held, is_symbolic, where


@dataclass(eq=False, slots=True, kw_only=True)  # frozen ones take a microsecond more to make
class Reached:
    """Result of :func:`inverse_kinematics` for every target of a batch (…).

    For one target ``converged`` is a bool, ``error`` a float, and ``steps``, ``attempts`` and ``reasons`` are ints.
    """

    q: Array
    """(…, nq): where converged, within the limits and at the target; elsewhere the nearest that was found"""
    converged: bool | Array
    """(…) bool: whether ``error`` is at most the tolerance, and q within the limits"""
    error: float | Array
    """(…): the Euclidean norm of what is missing, of all tasks, m and rad together; of a pose Log(X⁻¹T) (6,)"""
    errors: Array
    """(…, tasks): the same of every task"""
    steps: int | Array
    """(…): how many were taken in all attempts"""
    attempts: int | Array
    """(…): how many starts were tried"""
    reasons: int | Array
    """(…): the number of the reason in :data:`REASONS`"""

    @property
    def reason(self) -> Any:
        """(…) text: why a row did not converge.

        "": it did; "limits": joint limits exclude every solution that was found; "out of reach": what was found is the
        nearest; "singular": the target is at, or hardly beyond, the edge of reach; "minimum distance": it is reached
        only with shapes nearer than that; "not found": the attempts did not suffice; "no more": of several solutions,
        no further one was found.
        """
        told = np.array(REASONS)[self.reasons]
        return str(told) if told.ndim == 0 else told

    def __str__(self) -> str:
        there = np.asarray(self.converged)
        told = f"{there.sum()} of {counted(there.size, 'target')} reached"
        if there.any():
            told += f", errors up to {np.max(np.asarray(self.error)[there]):.1e} (m, rad)"
        why = [(name, int((np.asarray(self.reasons) == k).sum())) for k, name in enumerate(REASONS) if k]
        return "; ".join([told, *(f"{count} {name}" for name, count in why if count)])


@takes_model
def inverse_kinematics(
    model: Model,
    targets: Mapping[Any, Any],
    initial_guess: ArrayLike | None = None,
    *,
    tolerance: float = 1e-6,
    restarts: int = 100,
    seed: int = 0,
    joint_limits: bool = True,
    fixed: Iterable[str] = (),
    nearest: bool = False,
    solutions: int | None = None,
) -> Reached:
    """Compute configurations with which frames reach their targets.

    Closed loops stay closed. Inside a compiled function the solver becomes part of the kernel, without `nearest`,
    `solutions` and reasons; rows that did not converge are at a local minimum of the errors below the start.

    Parameters
    ----------
    model : Model
        Mechanism.
    targets : mapping
        Targets by task: by the name of a frame its pose (..., 4, 4) or position (..., 3) in the world; by a task of
        :mod:`linkwright.tasks` its target: poses relative to other frames, directions, the center of mass, joints, a
        minimum distance of shapes, with weights and priorities.
    initial_guess : array_like, shape (..., nq), optional
        Start of the first attempt. By default, and after a failed attempt, other starts are used.
    tolerance : float, optional
        Largest error, m and rad.
    restarts : int, optional
        Largest number of restarts.
    seed : int, optional
        Seed of the restarts.
    joint_limits : bool, optional
        Whether joint limits hold during the search and at the end.
    fixed : iterable of str, optional
        Joints that keep the coordinates of `initial_guess`, which is required and within their limits.
    nearest : bool, optional
        Whether the solution nearest to the start is returned, by the least |difference(initial_guess, q)| with lengths
        relative to that of the mechanism; where the tasks leave freedom, it is minimized. A nearer one may be missed.
    solutions : int, optional
        Number of different solutions, (..., solutions, nq), with a start in the order of their distance. Missing ones
        are NaN. A row without a solution has the best approximation and its reason in the first entry.

    Returns
    -------
    Reached
        Configurations, and whether they converged.

    Raises
    ------
    InputError
        If a target is not a pose, or not finite.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("arm7")
    >>> reached = lw.inverse_kinematics(arm, {"tool": [0.4, 0.1, 0.5]})
    >>> lw.pose(arm, reached.q, "tool")[:3, 3].round(4)
    array([0.4, 0.1, 0.5])
    """
    options: tuple[Any, ...] = (initial_guess is not None, truth("joint_limits", joint_limits))
    options = options if not fixed else (*options, _names(fixed))
    targets, initial_guess = numbers_of_sympy(targets), numbers_of_sympy(initial_guess)
    numbers = [*(targets.values() if isinstance(targets, Mapping) else ()), initial_guess]
    if model.holds_symbols or any(map(holds_sympy, numbers)):
        _require_search(model, numbers)
    if model.holds_symbols and not (nearest or solutions is not None):
        problem, arrays = _problem(numbers_of(model), targets, options)
        given = (problem.rest if initial_guess is None else initial_guess, *arrays)
        return _traced(problem, model, given, _search(tolerance, restarts, seed, initial_guess is None)[0])
    try:
        ((name, target),) = targets.items()
        shape = np.shape(target)
        problem = model.memo[_PROBLEM, name, _MATRICES.get(shape[-2:], shape[-1:]), *options]
        arrays = (target,)
    except (AttributeError, KeyError, TypeError, ValueError):
        problem, arrays = _problem(model, targets, options)
    if problem.fixed and not is_symbolic(initial_guess):
        _check_fixed(problem, initial_guess)
    given = (problem.rest if initial_guess is None else initial_guess, *arrays)
    try:
        search, settings = _SEARCHES[tolerance, restarts, seed, initial_guess is None]
    except (KeyError, TypeError):
        search, settings = _search(tolerance, restarts, seed, initial_guess is None)
    if nearest or solutions is not None:
        if is_symbolic(*given):
            raise ArgumentError(
                "nearest and solutions take several calls: they are not for functions that are compiled"
            )
        return _several(problem, given, search, nearest, solutions)
    try:
        q, told, errors = problem.kernel(*given, settings)
    except (ArgumentError, ShapeError):
        if not is_symbolic(*given):
            _problem(model, targets, options)  # says it in words of the tasks
            _batch(problem, given)
            raise
        return _traced(problem, model, given, search)
    if q.ndim == 1:
        error, first, steps, attempts, state = told.tolist()
        if first <= tolerance and state == DONE:
            return Reached(
                q=q, converged=True, error=error, errors=errors, steps=int(steps), attempts=int(attempts), reasons=0
            )
    return _looked_at(problem, given, search, q, told, errors)


_MATRICES = {(4, 4): "pose", (3, 3): "rotation"}
"""Possible shapes of a target by its last axes; otherwise it consists of rows."""

WITHIN = 1e-9
"""By which what is fixed may be outside its limits, rad or m."""

_PROBLEM: Identity = identity(inverse_kinematics)


DESCENT = np.array(SearchOptions(1e-9, 0.0, manner=NEAREST))
"""Options of a descent to a local minimum."""

_SEARCHES: dict[tuple[float, int, int, bool], tuple[SearchOptions, Array]] = {}
"""Ways to look for targets, which are mostly the same, and their arrays."""


def _search(tolerance: Any, restarts: Any, seed: Any, stored: bool) -> tuple[SearchOptions, Array]:
    """In what way targets are looked for, and that as the kernel takes it."""
    tolerance = positive("tolerance", tolerance, "m and rad")
    if tolerance >= 1.0:
        raise InputError(f"tolerance is less than 1 (m and rad); got {tolerance!r}")
    restarts, seed = (whole_number(name, x, 0, 10**6) for name, x in (("restarts", restarts), ("seed", seed)))
    if len(_SEARCHES) > 100:
        _SEARCHES.clear()
    search = SearchOptions(tolerance, float(restarts), float(seed), float(stored))
    settings = np.array(search)
    settings.setflags(write=False)
    found = _SEARCHES[tolerance, restarts, seed, stored] = search, settings  # type: ignore[index]
    return found


def problem_of(
    model: Model, targets: Mapping[Any, Any], started: bool, joint_limits: bool, fixed: Iterable[str]
) -> tuple[NumericalSolver, tuple[Any, ...]]:
    """Return the problem of targets, and their arrays."""
    options: tuple[Any, ...] = (started, truth("joint_limits", joint_limits))
    return _problem(model, targets, options if not fixed else (*options, _names(fixed)))


def descended(model: Model, targets: Mapping[Any, Any], initial_guess: Array, fixed: Iterable[str]) -> Array:
    """Return the configuration (nq,) to which the errors decrease from a start: a local minimum, without restarts."""
    problem, arrays = problem_of(model, targets, True, True, fixed)
    given = (initial_guess, *arrays)
    q, told, _ = problem.kernel(*given, DESCENT)
    if told[4] == WRONG:
        raise wrong_row(problem, dict(zip(problem.inputs, given, strict=False)), "")
    return q  # type: ignore[no-any-return]


def _traced(problem: NumericalSolver, model: Model, given: tuple[Any, ...], search: SearchOptions) -> Reached:
    """The answer as symbols, whose derivatives are those of the solution; ``model``: the mechanism, or of symbols."""
    arrays = [np.asarray(x) for x in given]
    names = ("initial_guess", *(f"the target of {task}" for task in problem.tasks))
    for x, name, shape in zip(arrays, names, problem.inputs.values(), strict=False):
        if x.shape != shape:
            raise ShapeError(f"in a compiled function {name} must have the shape of one row, {shape}; got {x.shape}")
    q, told, errors = SearchState(problem, model, arrays[0], arrays[1:], search).solved(differentiable=True)
    converged = (told[1] <= search.tolerance) & (abs(told[4] - DONE) < 0.5)
    return Reached(
        q=q,
        converged=converged,
        error=held(told[0]),  # norms, without derivatives at zero
        errors=held(errors),
        steps=told[2],
        attempts=told[3],
        reasons=where(converged, 0.0, float(NOT_FOUND)),
    )


def _require_search(model: Model, numbers: Sequence[Any]) -> None:
    """Raise an error if the search cannot be done with the symbols of a model and of its targets."""
    if numbers_of(model).holds_symbols:
        raise ModelError(
            f"inverse_kinematics searches with numbers, but {model.name!r} was built with symbols. Build it with "
            "values; with_geometry({'elbow.position': symbols}) of that model replaces lengths by linkwright.symbols, "
            "and inverse_kinematics_derivatives(…, parameters=['elbow.position']) returns derivatives by them"
        )
    placements = [*(link.placement for link in model.links), *(frame.placement for frame in model.frames.values())]
    of_model = (entry for placement in placements for entry in placement.flat)
    if any(map(holds_sympy, numbers)) or any(getattr(entry, "unlimited", False) for entry in of_model):
        raise ExpressionError(
            "inverse_kinematics is a search, a loop without a form in SymPy; it accepts numbers, and "
            "linkwright.symbols in functions that are compiled"
        )


def _names(fixed: Any) -> tuple[str, ...]:
    if isinstance(fixed, str) or not isinstance(fixed, Iterable):
        raise ArgumentError(f"fixed is a list of joint names; got {fixed!r}")
    if len(names := tuple(fixed)) > len(set(names)):
        raise ArgumentError(f"each fixed joint is named once; got {list(names)}")
    return names


def _problem(model: Any, targets: Any, options: tuple[Any, ...]) -> tuple[NumericalSolver, tuple[Any, ...]]:
    """The problem of these targets, and their arrays."""
    if not isinstance(targets, Mapping) or not targets:
        raise ArgumentError(f"targets are a dict, such as {{frame: T}}, of at least one frame or task; got {targets!r}")
    tasks = tuple(_task(key, x) for key, x in targets.items())
    given = [task.default if x is None else x for task, x in zip(tasks, targets.values(), strict=True)]
    started, *key = options
    problem = model.memo.get((_PROBLEM, tasks, *key))
    if problem is None:
        for task in tasks:
            task.check(model)
            if task.of_rates:
                raise InputError(f"{task} is a direction to go, of resolved_rate; nothing that is reached")
        for name in key[1] if len(key) > 1 else ():
            model.slice(name)
        problem = NumericalSolver(model, tasks, *key)
        keep(model, problem, _PROBLEM, tasks, *key)
    if not started:
        for task in tasks:
            if task.uses_start:
                raise InputError(f"{task} is about the path from the initial guess: give initial_guess=q")
        for name in problem.fixed:
            raise InputError(
                f"the fixed joint {name!r} requires a start: initial_guess=q, or True in functions of bridges"
            )
    arrays = [fitting("target", task, x, task.shape(model)) for task, x in zip(tasks, given, strict=True)]
    if len(tasks) == 1:
        name = next(iter(targets))
        kind = _MATRICES.get(arrays[0].shape[-2:], arrays[0].shape[-1:])
        if not (isinstance(name, str) and kind == "rotation"):  # which is always checked
            keep(model, problem, _PROBLEM, name, kind, *options)
    return problem, tuple(arrays)


def _task(key: Any, target: Any) -> Task:
    """Return the task of a key of the targets."""
    if isinstance(key, Task):
        return key
    if not isinstance(key, str):
        raise ArgumentError(f"keys of targets are names of frames and tasks; got {key!r}")
    expected = "expected a pose (…, 4, 4) or a position (…, 3)"
    if target is None:
        raise ArgumentError(f"the target of {key!r} is None; {expected}")
    given = target if is_symbolic(target) else as_numbers(f"the target of {key!r}", target)
    shape = np.shape(given)
    if shape[-2:] == (4, 4):
        return Pose(key)
    if shape[-2:] == (3, 3) and not is_symbolic(target) and _are_rotations(given):
        raise InputError(
            f"the target of {key!r} may be a rotation or three positions: write tasks.Rotation({key!r}) or "
            f"tasks.Position({key!r})"
        )
    if shape[-1:] == (3,):
        return Position(key)
    raise ShapeError(f"the target of {key!r} has shape {shape}; {expected}")


def _are_rotations(x: Array) -> bool:
    """Return whether all matrices (…, 3, 3) are rotations."""
    return bool((np.abs(x @ np.swapaxes(x, -1, -2) - np.eye(3)) < ROTATION).all() and (np.linalg.det(x) > 0.0).all())


def _check_fixed(problem: NumericalSolver, initial_guess: Any) -> None:
    """Raise where joints are fixed outside their limits."""
    x = as_numbers("initial_guess", initial_guess)
    if not problem.limits or x.shape[-1:] != (problem.model.nq,):  # the kernel reports wrong shapes
        return
    lower, upper = problem.model.lower, problem.model.upper
    for name in problem.fixed:
        places = problem.model.slice(name).q
        for k in range(places.start, places.stop):
            out = (x[..., k] < lower[k] - WITHIN) | (x[..., k] > upper[k] + WITHIN)
            if out.any():
                row = [int(i) for i in np.argwhere(out)[0]]
                raise InputError(
                    f"joint {name!r} is fixed where it is at the start, {x[(*row, k)]:g}, outside its limits "
                    f"[{lower[k]:g}, {upper[k]:g}]{f' (in row {row})' if row else ''}; joint_limits=False ignores it"
                )


def _looked_at(
    problem: NumericalSolver, given: tuple[Any, ...], search: SearchOptions, q: Array, told: Array, errors: Array
) -> Reached:
    """The answers, with what is to be said of rows that are not at their targets."""
    batch = q.shape[:-1]
    converged = np.asarray((told[..., 1] <= search.tolerance) & (told[..., 4] == DONE))
    reasons = np.zeros(batch, dtype=np.uint8)
    if not converged.all():
        rows = np.nonzero(~converged.reshape(-1))[0]
        whole = SearchResult(*(x.reshape(-1, x.shape[-1]) for x in (q, told, errors)))
        arrays, part = _rows(problem, given, batch, rows), SearchResult(*(x[rows] for x in whole))
        wrong = np.flatnonzero(part.told[:, 4] == WRONG)
        if len(wrong):
            row = {name: x[wrong[0]] for name, x in zip(problem.inputs, arrays, strict=False)}
            place = [int(k) for k in np.unravel_index(rows[wrong[0]], batch)] if batch else []
            raise wrong_row(problem, row, f" (in row {place})" if batch else "")
        converged.reshape(-1)[rows], reasons.reshape(-1)[rows] = look_again(problem, arrays, search, part, not batch)
        for into, x in zip(whole, part, strict=True):
            into[rows] = x
    if not batch:
        error, _, steps, attempts, _ = told.tolist()
        return Reached(
            q=q,
            converged=bool(converged),
            error=error,
            errors=errors,
            steps=int(steps),
            attempts=int(attempts),
            reasons=int(reasons),
        )
    steps, attempts = told[..., 2].astype(np.int64), told[..., 3].astype(np.int64)
    return Reached(
        q=q, converged=converged, error=told[..., 0], errors=errors, steps=steps, attempts=attempts, reasons=reasons
    )


def _batch(problem: NumericalSolver, given: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the batch dimensions of the initial guess and the targets, which must broadcast."""
    shapes = list(problem.inputs.values())[:-1]
    leads = [np.shape(x)[: np.ndim(x) - len(shape)] for x, shape in zip(given, shapes, strict=True)]
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        shown = ", ".join(f"{what} {lead}" for what, lead in zip(("initial_guess", *problem.tasks), leads, strict=True))
        raise ShapeError(f"inverse_kinematics: these batch dimensions do not broadcast: {shown}") from None


def _rows(
    problem: NumericalSolver, given: tuple[Any, ...], batch: tuple[int, ...], rows: Array | None = None
) -> list[Array]:
    """Return the given rows with these numbers (n,), or all: (n, …)."""
    at: Any = ... if rows is None else np.unravel_index(rows, batch) if batch else ...
    shapes = list(problem.inputs.values())[:-1]
    return [
        np.broadcast_to(np.asarray(x, dtype=float), (*batch, *shape))[at].reshape(-1, *shape)
        for x, shape in zip(given, shapes, strict=True)
    ]


def _several(
    problem: NumericalSolver, given: tuple[Any, ...], search: SearchOptions, nearest: bool, solutions: int | None
) -> Reached:
    """The nearest solution, or several."""
    truth("nearest", nearest)
    if nearest and search.stored:
        raise InputError("nearest=True requires a start: initial_guess=q")
    if solutions is not None:
        whole_number("solutions", solutions, 1, 10**6)
    if nearest and solutions is not None:
        raise ArgumentError(
            "nearest and solutions exclude each other: several solutions are sorted by distance from initial_guess"
        )
    batch = _batch(problem, given)
    try:
        rows = _rows(problem, given, batch)
    except ValueError:
        problem.kernel(*given, np.array(search))  # which says what does not fit
        raise
    if nearest:
        found = multiple_solutions.nearest(problem, rows, search, not batch)
        answers = [x.reshape(*batch, x.shape[-1]) for x in found]
        return _looked_at(problem, given, search, answers[0], answers[1], answers[2])
    best, there, first = multiple_solutions.many(problem, rows, search, solutions or 1, not batch)
    q, told, errors = (x.reshape(*batch, *x.shape[1:]) for x in best)
    there = there.reshape(*batch, *there.shape[1:])
    steps, attempts = (told[..., k].astype(np.int64) for k in (2, 3))
    reasons = np.where(there, 0, NO_MORE).astype(np.uint8)
    reached = Reached(
        q=q, converged=there, error=told[..., 0], errors=errors, steps=steps, attempts=attempts, reasons=reasons
    )
    none = ~there[..., 0]
    if none.any():
        one = _looked_at(problem, given, search, *(x.reshape(*batch, x.shape[-1]) for x in first))
        for name in ("q", "converged", "error", "errors", "steps", "attempts", "reasons"):
            getattr(reached, name)[none, 0] = np.asarray(getattr(one, name))[none]
    return reached
