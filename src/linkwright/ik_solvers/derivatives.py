"""Derivatives of inverse kinematics by targets and by parameters of the mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.bounds import truth, whole_number
from linkwright.compiler.front.bind import shape_of
from linkwright.compiler.kernel import Kernel, compile
from linkwright.compiler.parameters import values_of
from linkwright.errors import ArgumentError, InputError, TooLargeError
from linkwright.ik_solvers.reach import Reached, inverse_kinematics, problem_of
from linkwright.ik_solvers.search.failures import REASONS
from linkwright.ik_solvers.search.solver import NumericalSolver, SearchOptions, SearchState, inputs_named
from linkwright.ik_solvers.task import Task
from linkwright.model.memo import derived, identity
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.provided import numbers_of_sympy
from linkwright.spatial.arrays import Array, held, is_symbolic

PRIORITIES = 2
"""Largest number of priorities; the minimum of a third one in what the second leaves has no condition in first
derivatives of the errors."""

MINIMAL = tuple(REASONS.index(reason) for reason in ("limits", "out of reach", "singular"))
"""Reasons of rows that end near a minimum of the errors, if there is one."""

NEAR = 1e-2
"""Square of the displacement from a found configuration to a minimum."""


@takes_model
def inverse_kinematics_derivatives(
    model: Model,
    targets: Mapping[Any, Any],
    initial_guess: ArrayLike | None = None,
    *,
    parameters: Sequence[str] = (),
    order: int = 1,
    tolerance: float = 1e-6,
    restarts: int = 100,
    seed: int = 0,
    joint_limits: bool = True,
    fixed: Iterable[str] = (),
) -> tuple[Reached, dict[Any, Array]]:
    """Compute configurations with which frames reach their targets, and their derivatives.

    The derivatives are those of the implicit function theorem at the solution that was found, along
    :func:`~linkwright.integrate`. Where tasks leave freedom, they are those of the solutions to which the steps
    q ⊕ J⁺e lead from the found one, with lengths relative to that of the mechanism: to first order the shortest
    change. Joints at a limit stay there, and a minimum distance that is not exceeded is kept: the derivative is that
    of the side on which the limit remains active. With two priorities the errors of the second remain minimal. Rows
    out of reach, or with limits that exclude the target, have the derivatives of the minimum of the errors, to which
    Newton's method refines the found configuration.

    Parameters
    ----------
    model : Model
        Mechanism.
    targets : mapping
        Targets by task, of one or two priorities, as for :func:`inverse_kinematics`.
    initial_guess : array_like, shape (..., nq), optional
        Start of the first attempt.
    parameters : sequence of str, optional
        Parameters of the mechanism to differentiate by, as for :func:`~linkwright.compile`: "elbow.position".
    order : {1, 2}, optional
        Order of the derivatives; second ones require tasks of one priority.
    tolerance, restarts, seed, joint_limits, fixed : optional
        As for :func:`inverse_kinematics`.

    Returns
    -------
    Reached
        Configurations, and whether they converged.
    dict of ndarray
        By the keys of `targets` and the names of `parameters`: (..., nv, *shape of the target or parameter), by the
        entries of a target. With order 2 also second derivatives, by pairs of these keys: (..., nv, *shape of the
        first, *shape of the second). NaN at singular configurations, for rows with the reasons "not found" and
        "minimum distance", for rows of two priorities that did not converge, and for rows out of reach whose
        configuration is not near a minimum. Second derivatives are also NaN for all rows that did not converge.

    Raises
    ------
    InputError
        If there are more than two priorities, two with second derivatives, or a target is not a pose.

    References
    ----------
    Krantz & Parks, *The Implicit Function Theorem* (2002); Amos & Kolter, "OptNet", ICML 2017 (active constraints).

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("arm7")
    >>> reached, by = lw.inverse_kinematics_derivatives(arm, {"tool": [0.4, 0.1, 0.5]}, parameters=["joint3.distance"])
    >>> by["tool"].shape, by["joint3.distance"].shape
    ((7, 3), (7,))
    >>> J = lw.jacobian(arm, reached.q, "tool")[:3]
    >>> (J @ by["tool"]).round(6)[0]
    array([1., 0., 0.])
    >>> _, by = lw.inverse_kinematics_derivatives(arm, {"tool": [0.4, 0.1, 0.5]}, order=2)
    >>> by["tool", "tool"].shape
    (7, 3, 3)
    """
    whole_number("order", order, 1, 2)
    values = values_of(model, parameters)
    targets, initial_guess = numbers_of_sympy(targets), numbers_of_sympy(initial_guess)
    numbers = [*(targets.values() if isinstance(targets, Mapping) else ()), initial_guess]
    if model.holds_symbols or is_symbolic(*(x for x in numbers if x is not None)):
        raise ArgumentError(
            "inverse_kinematics_derivatives takes numbers; the derivatives of a compiled function that calls "
            "inverse_kinematics are kernel.derivative(…)"
        )
    options: dict[str, Any] = {"tolerance": tolerance, "restarts": restarts, "seed": seed}
    reached = inverse_kinematics(model, targets, initial_guess, **options, joint_limits=joint_limits, fixed=fixed)
    problem, arrays = problem_of(model, targets, initial_guess is not None, joint_limits, fixed)
    if (count := len(problem.priorities)) > PRIORITIES:
        raise InputError(f"derivatives are those of at most {PRIORITIES} priorities; got {count}")
    if order > 1 and count > 1:
        raise InputError(f"second derivatives are those of one priority; got {count} priorities: give order=1")
    start = problem.rest if initial_guess is None else initial_guess
    given = [reached.q, start, *arrays, *values.values()]
    keys: list[Any] = [*targets, *parameters]
    by = _derivatives(problem, 1, tuple(parameters), given, order)
    converged, reasons = np.asarray(reached.converged), np.asarray(reached.reasons)
    if not converged.all():
        minimal = ~converged & np.isin(reasons, MINIMAL) & (count == 1)
        others: list[Any] = [np.nan] * len(by)
        if minimal.any():
            others[: len(keys)] = _derivatives(problem, 0, tuple(parameters), given)
            moved, there = np.moveaxis(_refinement(problem, tuple(parameters), given), -1, 0)
            minimal = minimal & (moved < NEAR) & (there > 0.5)
        for x, y in zip(by, others, strict=True):
            more = (..., *(None,) * (x.ndim - converged.ndim))
            x[...] = np.where(converged[more], x, np.where(minimal[more], y, np.nan))
    found = dict(zip(keys, by, strict=False))
    for (i, j), x in zip(_pairs(len(keys)), by[len(keys) :], strict=False):
        axes = range(converged.ndim + 1, by[i].ndim)
        found[keys[j], keys[i]] = np.moveaxis(x, list(axes), list(range(-len(axes), 0)))
        found[keys[i], keys[j]] = x
    return reached, found


def _pairs(count: int) -> list[tuple[int, int]]:
    """Return the pairs of inputs of second derivatives, each in one order."""
    return [(i, j) for i in range(count) for j in range(i, count)]


def _derivatives(
    problem: NumericalSolver, reached: int, parameters: tuple[str, ...], given: Sequence[Any], order: int = 1
) -> list[Array]:
    """Return the derivatives by targets and parameters, with order 2 then those by pairs of them.

    ``reached``: number of priorities without errors.
    """
    kernels: list[Kernel] = derived(
        problem.model,
        identity(inverse_kinematics_derivatives),
        problem,
        reached,
        parameters,
        order,
        make=lambda: _kernels(problem, reached, parameters, order),
    )
    return [np.array(kernel(*given)) for kernel in kernels]


def _refinement(problem: NumericalSolver, parameters: tuple[str, ...], given: Sequence[Any]) -> Array:
    """Return the square of the displacement to the minimum of the errors, and 1 if it is one, else 0 (…, 2)."""

    def displacements(model: Model, q: Array, initial_guess: Array, *targets: Array) -> Array:
        state = SearchState(problem, model, initial_guess, targets, SearchOptions(1e-6, 0.0))
        x = q[problem.moves[0]]
        there, minimal = state.at_minimum(x)
        return np.stack([(there - x) @ (there - x), minimal])

    kernel: Kernel = derived(
        problem.model,
        identity(inverse_kinematics_derivatives),
        problem,
        parameters,
        make=lambda: _compiled(displacements, problem, parameters),
    )
    return np.array(kernel(*given))


def _kernels(problem: NumericalSolver, reached: int, parameters: tuple[str, ...], order: int) -> list[Kernel]:
    """Return the kernels (q, initial_guess, targets, parameters) -> derivatives by each target and parameter."""

    def solution(model: Model, q: Array, initial_guess: Array, *targets: Array) -> Array:
        state = SearchState(problem, model, initial_guess, targets, SearchOptions(1e-6, 0.0))
        x = q[problem.moves[0]]
        if reached:
            x, exists, levels = state.to_second_order(x) if order > 1 else state.to_first_order(x, reached)
            x = state.undefined_unless(exists, x, levels)
        else:
            x, _ = state.at_minimum(x)
        after = state.whole(x)
        return dynamics.difference(model, held(after, "held_twice" if order > 1 else "held"), after)  # zero to rounding

    kernel = _compiled(solution, problem, parameters)
    names = [slot.name for slot in kernel.program.inputs[2:]]
    first = [kernel.derivative(name) for name in names]
    if order == 1:
        return first
    return first + [first[i].derivative(names[j]) for i, j in _pairs(len(names))]


def _compiled(function: Any, problem: NumericalSolver, parameters: tuple[str, ...]) -> Kernel:
    """Return the kernel of a function (model, q, initial_guess, targets)."""
    inputs: dict[str, Any] = {"q": (problem.model.nq,)}
    inputs |= {name: shape for name, shape in problem.inputs.items() if name != "settings"}
    try:
        return compile(inputs_named(function, inputs), problem.model, parameters=parameters, unroll=True, **inputs)
    except TooLargeError:
        raise TooLargeError(
            f"derivatives of the inverse kinematics of {problem.model.name!r} are too large for straight-line code: "
            f"{len(problem.tasks)} tasks of {len(problem.priorities)} priorities; those of one priority are shorter"
        ) from None


def inverse_kinematics_kernel(
    model: Model,
    targets: Mapping[Any, Any] | None = None,
    initial_guess: bool = False,
    parameters: Sequence[str] = (),
    **options: Any,
) -> Kernel:
    """Return the kernel (targets, initial_guess, parameters) -> (q (nq,), error ()) of inverse kinematics.

    ``targets``: shapes by task, None for that of the task; ``initial_guess``: whether there is one; ``options``: those
    of :func:`inverse_kinematics`.
    """
    if not isinstance(targets, Mapping) or not targets:
        raise ArgumentError(f"targets are the shapes of targets by task, such as {{'tool': (4, 4)}}; got {targets!r}")
    truth("initial_guess", initial_guess)
    shapes: dict[str, Any] = {}
    for k, (key, given) in enumerate(targets.items()):
        shape = key.shape(model) if given is None and isinstance(key, Task) else shape_of(given)
        if shape is None:
            raise ArgumentError(f"the target of {key!r} is given by its shape, such as (4, 4) or 3; got {given!r}")
        shapes["target" if len(targets) == 1 else f"target{k}"] = shape
    if initial_guess:
        shapes["initial_guess"] = (model.nq,)

    def inverse_kinematics_of(model: Model, *arrays: Array) -> tuple[Array, Any]:
        start = arrays[-1] if initial_guess else None
        found = inverse_kinematics(model, dict(zip(targets, arrays, strict=False)), start, **options)
        return found.q, found.error

    inverse_kinematics_of.__name__ = "inverse_kinematics"
    return compile(inputs_named(inverse_kinematics_of, shapes), model, parameters=parameters, **shapes)
