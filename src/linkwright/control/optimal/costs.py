"""Costs of a trajectory, and their second-order expansion about a state and its efforts.

A cost is a function of the displacement x = (δq, δv, δτ) from a state and its efforts, `integrate(model, q, δq)` as
everywhere. A cost ½ rᵀ W r has the gradient Jᵀ W r and the Gauss–Newton Hessian Jᵀ W J, which is never indefinite. A
function that returns one number is differentiated twice.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linkwright.compiler.front.bind import bind, name_of
from linkwright.compiler.front.differentiation import differentiate, replay
from linkwright.compiler.front.trace import trace
from linkwright.compiler.ir.program import Program
from linkwright.dynamics import difference, difference_derivatives, integrate, jacobian, pose
from linkwright.dynamics.configuration import UNIT_TOLERANCE, check
from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownNameError, explained
from linkwright.model.tree import Model
from linkwright.simulation.actuation.fingerprint import fingerprint
from linkwright.spatial.arrays import Array, as_numbers, mirror
from linkwright.spatial.rotation import rotation_log, translation_of_log


class LocalCost(NamedTuple):
    """Second-order expansion of a cost in x = (δq, δv, δτ), (3 nv,)."""

    value: Any
    gradient: Array
    """(3 nv,)"""
    hessian: Array
    """(3 nv, 3 nv)"""


@dataclass(frozen=True, eq=False)
class Term:
    """A cost for one model, and its numerical values; costs that differ only in values share a kernel."""

    key: Hashable
    """identifies the cost, independent of the values"""
    values: tuple[Array, ...]
    """each (…, *shape), its leading axes those of the batch of problems"""
    shapes: tuple[tuple[int, ...], ...]
    value: Callable[..., Any]
    """(model, t, q, v, tau, *values) -> the cost"""
    local: Callable[..., LocalCost]
    """the same -> the cost to second order"""


class TargetCost:
    """Cost of the distance to a target, with a weight."""

    if TYPE_CHECKING:
        weight: ArrayLike

    def __post_init__(self) -> None:
        a_weight(f"the weight of {type(self).__name__}", self.weight)

    def term(self, model: Model, batch: tuple[int, ...], controls: tuple[int, ...]) -> Term:
        """Return the cost for a model and its controls.

        Parameters
        ----------
        model : Model
            Mechanism.
        batch : tuple of int
            Batch of the problems.
        controls : tuple of int
            Indices of the controlled efforts.

        Returns
        -------
        Term
            The cost.
        """
        raise NotImplementedError


@explained
@dataclass(frozen=True, eq=False)
class PostureCost(TargetCost):
    """Cost ½ w |q ⊖ target|² of the distance to a posture.

    Parameters
    ----------
    target : array_like, shape (..., nq), or callable
        Posture, a batch of postures (one per problem), or a function of time.
    weight : float or array_like, shape (nv,) or (nv, nv), optional
        Weight w.
    """

    target: Any
    weight: ArrayLike = 1.0

    def term(self, model: Model, batch: tuple[int, ...], controls: tuple[int, ...]) -> Term:
        n = model.nv

        def rest(model: Model, q: Array, v: Array, tau: Array, target: Array) -> tuple[Array, Array]:
            error = difference(model, target, q)
            by_q = difference_derivatives(model, target, q)[1]
            return error, _wide((n, by_q), (n, None), (n, None))

        target, moving = _target("the target of PostureCost", self.target, (model.nq,), batch)
        _require_units(model, target(0.0) if moving else target)
        return _squares(PostureCost, rest, target, moving, (model.nq,), self.weight, n)


@explained
@dataclass(frozen=True, eq=False)
class VelocityCost(TargetCost):
    """Cost ½ w |v − target|² of the joint velocity.

    Parameters
    ----------
    weight : float or array_like, shape (nv,) or (nv, nv), optional
        Weight w.
    target : array_like, shape (..., nv), or callable, optional
        Desired velocity, or a function of time. By default zero.
    """

    weight: ArrayLike = 1.0
    target: Any = None

    def term(self, model: Model, batch: tuple[int, ...], controls: tuple[int, ...]) -> Term:
        n = model.nv

        def rest(model: Model, q: Array, v: Array, tau: Array, target: Array) -> tuple[Array, Array]:
            return v - target, _wide((n, None), (n, np.eye(n)), (n, None))

        wanted = np.zeros(n) if self.target is None else self.target
        target, moving = _target("the target of VelocityCost", wanted, (n,), batch)
        return _squares(VelocityCost, rest, target, moving, (n,), self.weight, n)


@explained
@dataclass(frozen=True, eq=False)
class EffortCost(TargetCost):
    """Cost ½ w |τ − target|² of the efforts.

    Parameters
    ----------
    weight : float or array_like, optional
        Weight w: a number, (nv,) or (nv, nv), or (m,) or (m, m) for the m actuated efforts in the order of the model.
    target : array_like, shape (..., nv), or callable, optional
        Desired efforts, or a function of time. By default zero.
    """

    weight: ArrayLike = 1.0
    target: Any = None

    def term(self, model: Model, batch: tuple[int, ...], controls: tuple[int, ...]) -> Term:
        n = model.nv

        def rest(model: Model, q: Array, v: Array, tau: Array, target: Array) -> tuple[Array, Array]:
            return tau - target, _wide((n, None), (n, None), (n, np.eye(n)))

        wanted = np.zeros(n) if self.target is None else self.target
        target, moving = _target("the target of EffortCost", wanted, (n,), batch)
        W = weight_of("the weight of EffortCost", self.weight, n, len(controls))
        return _squares(EffortCost, rest, target, moving, (n,), spread(W, n, controls), n)


@explained
@dataclass(frozen=True, eq=False)
class FrameCost(TargetCost):
    """Cost ½ w |x̃|² of the distance of a frame to a position or a pose.

    x̃ = p − p_d for a position, [p − p_d; Log(R R_dᵀ)] for a pose, in world axes, in m and rad.

    Parameters
    ----------
    frame : str
        Name of the frame.
    target : array_like, shape (..., 3) or (..., 4, 4), or callable
        Position or pose, or a function of time.
    weight : float or array_like, shape (n,) or (n, n), optional
        Weight w, with n = 3 or 6.
    """

    frame: str
    target: Any
    weight: ArrayLike = 1.0

    def term(self, model: Model, batch: tuple[int, ...], controls: tuple[int, ...]) -> Term:
        model.frame(self.frame)
        n, frame = model.nv, self.frame
        first = self.target(0.0) if callable(self.target) else self.target
        placed = np.shape(first)[-2:] == (4, 4)
        rows = 6 if placed else 3

        def rest(model: Model, q: Array, v: Array, tau: Array, target: Array) -> tuple[Array, Array]:
            T, J = pose(model, q, frame), jacobian(model, q, frame)
            if not placed:
                return T[:3, 3] - target, _wide((n, J[:3]), (n, None), (n, None))
            turned = rotation_log(T[:3, :3] @ target[:3, :3].T)
            by_q = np.concatenate([J[:3], np.stack([translation_of_log(turned, column) for column in J[3:].T], axis=1)])
            return np.concatenate([T[:3, 3] - target[:3, 3], turned]), _wide((n, by_q), (n, None), (n, None))

        shape = (4, 4) if placed else (3,)
        target, moving = _target(f"the target of FrameCost on {frame!r}", self.target, shape, batch)
        if placed:
            _require_pose(f"the target of FrameCost on {frame!r}", np.asarray(target(0.0) if moving else target))
        return _squares((FrameCost, frame), rest, target, moving, shape, self.weight, rows)


Cost = TargetCost | Callable[..., Any]
"""A cost object, or a function (model, t, q, v, tau) that returns a number, or residuals r (n,) with the cost ½ rᵀ r.
Further arguments are bound by name with ``functools.partial``.
"""


def terms(
    what: str,
    costs: Cost | Sequence[Cost],
    model: Model,
    batch: tuple[int, ...],
    each: Collection[str],
    controls: tuple[int, ...],
) -> tuple[Term, ...]:
    """Return the terms of costs for a model; raise :class:`ArgumentError` for a wrong type."""
    several = list(costs) if isinstance(costs, (list, tuple)) else [costs]
    found = []
    for cost in several:
        if isinstance(cost, TargetCost):
            found.append(cost.term(model, batch, controls))
        elif callable(cost):
            found.append(_of_function(cost, model, batch, each))
        else:
            raise ArgumentError(
                f"{what} costs are PostureCost, VelocityCost, EffortCost, FrameCost or a function "
                f"(model, t, q, v, tau); got {cost!r}"
            )
    return tuple(found)


def _target(what: str, target: Any, shape: tuple[int, ...], batch: tuple[int, ...]) -> tuple[Any, bool]:
    """A target, checked, and whether it is a function of time."""
    if callable(target):
        try:
            inspect.signature(target).bind(0.0)
        except TypeError:
            raise ArgumentError(
                f"{what} is a function of time, target(t); it takes {inspect.signature(target)}"
            ) from None
        except ValueError:
            pass  # no signature
        found = np.asarray(target(0.0))
        if found.shape != shape:
            raise ShapeError(f"{what} has shape {found.shape} at the time 0; expected {shape}")
        return target, True
    x = as_numbers(what, target)
    lead = x.shape[: x.ndim - len(shape)]
    if x.shape[x.ndim - len(shape) :] != shape or not _fits(lead, batch):
        raise ShapeError(
            f"{what} has shape {x.shape}; expected {shape}, with the problems' axes {batch} before or none"
        )
    if not np.isfinite(x).all():
        raise InputError(f"{what} is not finite")
    return x, False


def _require_units(model: Model, q: Any) -> None:
    """Raise :class:`InputError` for a target that is no configuration."""
    try:
        check(model, q)
    except InputError as error:
        raise InputError(f"the target of PostureCost: {error}") from None


def _require_pose(what: str, T: Array) -> None:
    """Raise :class:`InputError` if an array is not a pose (…, 4, 4)."""
    R, bottom = T[..., :3, :3], T[..., 3, :]
    turned = np.abs(R @ R.swapaxes(-1, -2) - np.eye(3)).max(initial=0.0) > UNIT_TOLERANCE
    if turned or (np.linalg.det(R) < 0.0).any() or np.abs(bottom - [0.0, 0.0, 0.0, 1.0]).max(initial=0.0) > 0.0:
        raise InputError(f"{what} is not a pose (4, 4): [R, p; 0, 1], R a rotation (R Rᵀ = 1 and det R = 1)")


def _fits(lead: tuple[int, ...], batch: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(lead, batch) == batch
    except ValueError:
        return False


def weight_of(what: str, weight: ArrayLike, *sizes: int) -> Array:
    """Return a weight: a number, (n,) or symmetric (n, n) for one of the sizes, positive semi-definite; else raise."""
    W = a_weight(what, weight)
    if W.shape not in [(), *((n,) for n in sizes), *((n, n) for n in sizes)]:
        expected = " or ".join(f"({n},) or ({n}, {n})" for n in sizes)
        raise ShapeError(f"{what} has shape {W.shape}; expected a number, {expected}")
    return W


def a_weight(what: str, weight: ArrayLike) -> Array:
    """Return a weight of any size; raise :class:`ShapeError` or :class:`InputError` for a wrong one."""
    W = as_numbers(what, weight)
    if W.ndim > 2 or (W.ndim == 2 and len(W) != len(W.T)):
        raise ShapeError(f"{what} has shape {W.shape}; expected a number, (n,) or (n, n)")
    if not W.size:
        return W
    if not np.isfinite(W).all():
        raise InputError(f"{what} is not finite")
    if W.ndim < 2:
        if (W < 0.0).any():
            raise InputError(f"{what} is no weight: {W.min():g} is negative")
        return W
    if np.abs(W - W.T).max() > 1e-9 * np.abs(W).max():
        raise InputError(f"{what} is no weight: it is not symmetric")
    least = np.linalg.eigvalsh(W)[0]
    if least < -1e-9 * np.abs(W).max():
        raise InputError(f"{what} is no weight: it has the eigenvalue {least:g}, and none may be negative")
    return 0.5 * (W + W.T)


def spread(W: Array, n: int, controls: Sequence[int]) -> Array:
    """Expand a weight of the controlled efforts to all n efforts, with zeros for the others."""
    if W.shape[-1:] in ((), (n,)):
        return W
    whole, places = np.zeros((n,) * W.ndim), list(controls)
    whole[np.ix_(*(places,) * W.ndim)] = W
    return whole


def _squares(
    key: Any,
    rest: Callable[..., Any],
    target: Any,
    moving: bool,
    shape: tuple[int, ...],
    weight: ArrayLike,
    rows: int,
) -> Term:
    """½ rᵀ W r of (model, q, v, tau, target) -> r and its derivative; ``shape`` is a target's."""
    name = (key[0] if isinstance(key, tuple) else key).__name__
    W = weight_of(f"the weight of {name}", weight, rows)

    def given(t: float | Array, values: tuple[Array, ...]) -> tuple[Any, Array]:
        return (np.asarray(target(t)), values[0]) if moving else (values[1], values[0])

    def value(model: Model, t: float | Array, q: Array, v: Array, tau: Array, *values: Array) -> Any:
        wanted, W = given(t, values)
        r, _ = rest(model, q, v, tau, wanted)
        return 0.5 * (r @ _weighed(W, r))

    def local(model: Model, t: float | Array, q: Array, v: Array, tau: Array, *values: Array) -> LocalCost:
        wanted, W = given(t, values)
        r, J = rest(model, q, v, tau, wanted)
        Wr, WJ = _weighed(W, r), _weighed(W, J)
        return LocalCost(0.5 * (r @ Wr), J.T @ Wr, mirror(J.T @ WJ))

    values = (W,) if moving else (W, target)
    shapes = (W.shape,) if moving else (W.shape, shape)
    return Term((key, fingerprint(target) if moving else None), values, shapes, value, local)


def _weighed(W: Array, x: Array) -> Array:
    """W x, of a weight that is a number, a diagonal or a matrix."""
    if np.ndim(W) == 2:
        return W @ x
    return W * x if np.ndim(W) == 0 or np.ndim(x) == 1 else np.asarray(W)[:, None] * x


def _wide(*parts: tuple[int, Array | None]) -> Array:
    """Columns side by side; zeros for None."""
    rows = next(len(block) for _, block in parts if block is not None)
    blocks = [np.zeros((rows, n)) if block is None else block for n, block in parts]
    wide: Array = np.concatenate(blocks, axis=1)
    return wide


# costs that are functions


def _of_function(cost: Callable[..., Any], model: Model, batch: tuple[int, ...], each: Collection[str]) -> Term:
    function, bound = _taken_apart(cost)
    name = name_of(function)
    numbers = {key: as_numbers(key, x) for key, x in bound.items() if _is_of_numbers(x)}
    for key, x in numbers.items():
        if not np.isfinite(x).all():
            raise InputError(f"{key!r}, which is bound to the cost {name}, is not finite")
    fixed = {key: x for key, x in bound.items() if key not in numbers}
    shapes = {}
    for key, x in numbers.items():
        if key in each and x.shape[: len(batch)] != batch:
            raise ShapeError(f"{key!r} is given for each problem and has shape {x.shape}; expected {(*batch, '…')}")
        shapes[key] = x.shape[len(batch) :] if key in each else x.shape
    whole = model.physical or model

    def of_numbers(t: float | Array, q: Array, v: Array, tau: Array, values: Sequence[Array]) -> Array:
        found = function(whole, t, q.copy(), v.copy(), tau.copy(), **fixed, **dict(zip(numbers, values, strict=True)))
        result = np.asarray(found) if found is not None else np.zeros((0, 0))
        if result.ndim > 1 or result.dtype.kind not in "fiubO":
            raise ArgumentError(f"the cost {name} returns a number, or residuals (n,); it returned {found!r}")
        return result

    n = model.nv
    sizes = [int(np.prod(shape, dtype=int)) for shape in shapes.values()]
    ends = np.cumsum([0, *sizes])

    def apart(packed: Array) -> list[Array]:
        pieces = zip(ends, ends[1:], shapes.values(), strict=False)
        return [packed[a:b].reshape(shape) if shape else packed[a] for a, b, shape in pieces]

    def changed(model: Model, x: Array, t: float | Array, q: Array, v: Array, tau: Array, packed: Array) -> Any:
        there = integrate(model, q, x[:n])
        return of_numbers(t, there, v + x[n : 2 * n], tau + x[2 * n :], apart(packed))[()]

    made: list[tuple[Program, ...]] = []

    def programs() -> tuple[Program, ...]:
        """The cost and its first derivative by x; of one number the second, too."""
        if not made:
            inputs = {"x": (3 * n,), "t": (), "packed": (max(1, ends[-1]),)}
            once = trace(bind(changed, model, inputs))
            by_x = differentiate(once, "x", model)
            made.append((once, by_x) if once.outputs[0].shape else (once, by_x, differentiate(by_x, "x", model)))
        return made[0]

    def value(model: Model, t: float | Array, q: Array, v: Array, tau: Array, *values: Array) -> Any:
        r = of_numbers(t, q, v, tau, values)
        return 0.5 * (r @ r) if r.ndim else r[()]

    def local(model: Model, t: float | Array, q: Array, v: Array, tau: Array, *values: Array) -> LocalCost:
        graph = next(x.graph for array in (q, v, tau) for x in np.asarray(array).flat if hasattr(x, "graph"))
        packed = np.concatenate([*(np.reshape(x, -1) for x in values), np.zeros(max(0, 1 - ends[-1]))])
        given = [np.zeros(3 * n), np.asarray(t, dtype=object), q, v, tau, packed]
        r, J, *H = (replay(program, graph, given)[0] for program in programs())
        if H:
            return LocalCost(r[()], J, mirror(H[0]))
        return LocalCost(0.5 * (r @ r), J.T @ r, mirror(J.T @ J))

    try:
        own: Hashable = (fingerprint(function), fingerprint(fixed), tuple(shapes.items()))
        hash(own)
    except TypeError:  # a mutable bound value may change: no shared kernel
        own = of_numbers
    return Term(own, tuple(numbers.values()), tuple(shapes.values()), value, local)


def _taken_apart(cost: Callable[..., Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return the function of a partial, and the values bound by name."""
    bound: dict[str, Any] = {}
    function: Any = cost
    while isinstance(function, partial):
        if function.args:
            raise ArgumentError(
                f"bind values to a cost by name, partial(cost, gain=…); {function!r} has positional ones"
            )
        bound, function = {**function.keywords, **bound}, function.func
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return function, bound
    named = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return function, bound
    free = [p for p in parameters if p.name not in bound and p.kind is not p.VAR_KEYWORD]
    lacking = [p.name for p in free[5:] if p.default is p.empty]
    if len(free) < 5 or lacking:
        rest = f": bind {', '.join(lacking)} with functools.partial" if lacking else ""
        raise ArgumentError(
            f"a cost is called as cost(model, t, q, v, tau); {name_of(function)} takes ({', '.join(named)}){rest}"
        )
    return function, bound


def _is_of_numbers(x: Any) -> bool:
    """Return whether a bound value is numerical, so that its change needs no other kernel."""
    if isinstance(x, (bool, np.bool_, str, bytes)) or x is None or callable(x):
        return False
    try:
        return np.asarray(x).dtype.kind in "iuf"
    except ValueError:
        return False


# all of them together


@dataclass(frozen=True, eq=False)
class Costs:
    """Sum of several costs."""

    terms: tuple[Term, ...]

    @property
    def key(self) -> Hashable:
        """Return the identification of the costs, independent of their values."""
        return tuple((term.key, term.shapes) for term in self.terms)

    @property
    def size(self) -> int:
        """Return the number of all values, at least one, since kernels need an argument."""
        return max(1, sum(int(np.prod(shape, dtype=int)) for term in self.terms for shape in term.shapes))

    def packed(self, rows: int, batch: tuple[int, ...]) -> Array:
        """Return all values of a batch of problems, concatenated, (rows, size)."""
        parts = [np.zeros((rows, 0))]
        for term in self.terms:
            for x, shape in zip(term.values, term.shapes, strict=True):
                parts.append(np.broadcast_to(x, (*batch, *shape)).reshape(rows, int(np.prod(shape, dtype=int))))
        packed = np.concatenate(parts, axis=-1)
        return packed if packed.shape[-1] else np.zeros((rows, 1))

    def value(self, model: Model, t: float | Array, q: Array, v: Array, tau: Array, packed: Array) -> Any:
        """Return the cost, for symbols or numbers."""
        total: Any = 0.0
        for term, values in self._given(packed):
            total = total + term.value(model, t, q, v, tau, *values)
        return total

    def local(self, model: Model, t: float | Array, q: Array, v: Array, tau: Array, packed: Array) -> LocalCost:
        """Return the second-order expansion of the cost, for symbols."""
        n = 3 * model.nv
        sum_of = LocalCost(0.0, np.zeros(n), np.zeros((n, n)))
        for term, values in self._given(packed):
            one = term.local(model, t, q, v, tau, *values)
            sum_of = LocalCost(*(x + y for x, y in zip(sum_of, one, strict=True)))
        return sum_of

    def _given(self, packed: Array) -> list[tuple[Term, list[Array]]]:
        at, found = 0, []
        for term in self.terms:
            values = []
            for shape in term.shapes:
                size = int(np.prod(shape, dtype=int))
                values.append(packed[at : at + size].reshape(shape) if shape else packed[at])
                at += size
            found.append((term, values))
        return found


def require_each(each: Collection[str], costs: Sequence[Any]) -> None:
    """Raise if a name in ``each`` is bound to no cost."""
    known: list[str] = []
    for cost in costs:
        while isinstance(cost, partial):
            known += cost.keywords
            cost = cost.func
    if unknown := sorted({*each} - {*known}):
        raise UnknownNameError("value bound to a cost", unknown[0], known)
