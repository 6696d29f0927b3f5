"""Functions of the states of a batch whose results are live arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compiler.kernel import Kernel
from linkwright.dynamics.contact.shapes.height_fields import PlacedHeightField
from linkwright.dynamics.kinematics import pose
from linkwright.errors import ArgumentError, InputError, ShapeError, UnknownNameError
from linkwright.model.parts.sensor import OF_ACCELERATIONS
from linkwright.model.parts.shape import Shape
from linkwright.model.tree import Model, floating_bases
from linkwright.simulation.actuation.bindings import name_of_function, unwrap_partials
from linkwright.simulation.contact_sensors import check_loops, sensor_places, split_places, surrounding_readings
from linkwright.simulation.recording.contact_history import ContactForces, pairs_of_points
from linkwright.simulation.sensor_readings import all_readings
from linkwright.spatial.arrays import Array, as_numbers, clip, is_symbolic, is_zero, where

UPRIGHT = 1e-9
"""Largest deviation of the axis of a height field from the vertical."""

OBSERVATION = "an observation is a function (model, q, v) -> (m,)"

OF_EFFORTS = ("jointactuatorfrc", "actuatorfrc")
"""Types of sensors that need the controls."""


class LiveArrays(Mapping[str, Array]):
    """Live arrays by name: their entries can be written, the arrays cannot be exchanged.

    Parameters
    ----------
    what : str
        Kind of the names: "parameter".
    arrays : mapping
        Arrays by name.
    advice : str, optional
        End of the message on an unknown name.
    checked : callable, optional
        ``checked(name, values)`` returns values that an array may be assigned, of one row or of all.
    """

    def __init__(
        self,
        what: str,
        arrays: Mapping[str, Array],
        advice: str = "",
        checked: Callable[[str, Any], Array] | None = None,
    ):
        self._what, self._arrays, self._advice, self._checked = what, arrays, advice, checked

    def __getitem__(self, name: str) -> Array:
        try:
            return self._arrays[name]
        except (KeyError, TypeError):
            raise UnknownNameError(self._what, name, self, advice=self._advice) from None

    def __setitem__(self, name: str, values: Any) -> None:
        array = self[name]
        if values is array and array.flags.writeable:  # of array[name] += 1, which has written the entries
            return
        if self._checked is not None:
            x = self._checked(name, values)
            if x.shape not in (array.shape[1:], array.shape):
                raise ShapeError(
                    f"{name} has shape {x.shape}; expected {array.shape[1:] or 'one number'} or {array.shape}"
                )
            array[...] = x
            return
        way = f"write its entries, [{name!r}][...] = …" if array.flags.writeable else "it is read-only"
        raise ArgumentError(f"the {self._what} {name!r} is a live array, which cannot be exchanged: {way}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __or__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return {**self, **other}

    def __ror__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return {**other, **self}

    def __repr__(self) -> str:
        return repr(dict(self._arrays))


def for_all(name: str, given: Any, n: int, size: int) -> Array:
    """Return an argument of n simulations, of shape (size,) or (n, size)."""
    x = as_numbers(name, given)
    if x.shape not in ((size,), (n, size)):
        raise ShapeError(f"{name} has shape {x.shape}; expected {(size,)} or {(n, size)}")
    return x


def chosen_rows(rows: Any, n: int) -> Array:
    """Return indices of simulations from truth values, indices or a slice; all for None."""
    if rows is None or isinstance(rows, slice):
        return np.arange(n)[slice(None) if rows is None else rows]
    at = np.asarray(rows)
    if at.dtype == bool:
        if at.shape != (n,):
            raise ShapeError(f"rows are truth values ({n},), or indices; got truth values {at.shape}")
        return np.flatnonzero(at)
    if at.ndim > 1 or (at.dtype.kind not in "iu" and at.size):
        raise InputError(f"rows are truth values ({n},), indices or a slice; got {rows!r}")
    at = at.reshape(-1).astype(int)
    if ((at < -n) | (at >= n)).any():
        raise InputError(f"there are simulations 0 to {n - 1}; got {at[(at < -n) | (at >= n)][0]}")
    at %= n
    different = np.unique(at)
    return different if len(different) < len(at) else at


def read_only(x: Array) -> Array:
    """Return a view of an array that cannot be written."""
    view = x.view()
    view.flags.writeable = False
    return view


class LiveResult:
    """Result of a kernel for a batch, in memory that stays the same."""

    def __init__(self, kernel: Callable[..., Any], arguments: tuple[Array, ...]):
        self.kernel, self.arguments = kernel, arguments
        self.values = np.array(kernel(*arguments))
        """(n, *shape)"""

    def update(self) -> None:
        """Compute the result of the present arguments."""
        if isinstance(self.kernel, Kernel):
            self.kernel(*self.arguments, out=self.values)
        else:
            self.values[...] = self.kernel(*self.arguments)


def named_arguments(function: Any, known: Mapping[str, Array]) -> dict[str, Array]:
    """Return those of the known arrays that a function takes by keyword; those without a default must be known."""
    function, bound = unwrap_partials(function, OBSERVATION)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # no signature
        return {}
    named = [x for x in signature.parameters.values() if x.kind is x.KEYWORD_ONLY and x.name not in bound]
    found = {x.name: known[x.name] for x in named if x.name in known or x.default is x.empty}
    try:
        signature.bind("model", "q", "v", **found, **bound)
    except TypeError:
        raise ArgumentError(
            f"{OBSERVATION}, whose other arguments are keyword-only (model, q, v, *, time); "
            f"{name_of_function(function)} takes ({', '.join(signature.parameters)})"
        ) from None
    return found


def user_observation(observe: Any, names: Sequence[str] = ()) -> Callable[..., Any]:
    """Return a function (model, q, v, *values) of the model as it is in its file; ``names``: of the values."""
    function, bound = unwrap_partials(observe, OBSERVATION)
    name = name_of_function(function)

    def observation(model: Model, q: Array, v: Array, *values: Any) -> Any:
        given = {what: x.copy() if isinstance(x, np.ndarray) else x for what, x in zip(names, values, strict=True)}
        found = function(model.physical or model, q.copy(), v.copy(), **given, **bound)
        if found is None:
            raise ArgumentError(f"the observation {name} returned None: is its `return` missing?")
        if isinstance(found, (Mapping, str, bytes)):
            raise ArgumentError(
                f"the observation {name} returns one array, np.concatenate([q, v]); it returned {_described(found)}"
            )
        try:
            return np.asarray(found)
        except ValueError:  # parts of different shapes
            raise ArgumentError(
                f"the observation {name} returns one array, np.concatenate([q, v]); it returned parts of different "
                "shapes"
            ) from None

    return observation


def _described(found: Any) -> str:
    """Describe what an observation returned."""
    if not isinstance(found, Mapping):
        return repr(found)
    return f"a {type(found).__name__} with the keys {', '.join(map(repr, found))}"


def checked_live(values: Mapping[str, Any], q: Array) -> dict[str, Array]:
    """Check further live arrays (n, …) of the type of the configurations q (n, nq)."""
    for name, x in values.items():
        if not isinstance(x, np.ndarray) or x.shape[:1] != q.shape[:1] or x.dtype != q.dtype:
            given = f"{x.dtype} {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__
            raise ShapeError(f"the value {name!r} of an observation is an array {q.dtype} ({len(q)}, …); got {given}")
    return dict(values)


def with_arguments(function: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """Return the function (model, q, v, *values) with these names of its values, by which it is compiled."""

    def named(*arguments: Any) -> Any:
        return function(*arguments)

    parameters = [inspect.Parameter(x, inspect.Parameter.POSITIONAL_OR_KEYWORD) for x in ("model", "q", "v", *names)]
    named.__name__ = function.__name__
    named.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return named


def require_readings(model: Model, controls: Array | None, actuated: bool) -> None:
    """Raise :class:`InputError` for sensors that a batch cannot read."""
    model.require_physical("the readings of sensors")
    check_loops(model)
    needing = [one.name for one in model.sensors if one.type in OF_EFFORTS]
    if needing and actuated and controls is None:
        raise InputError(
            f"the sensor {needing[0]!r} needs the controls, which a controller computes within the steps: read "
            "sensor_readings(model, q, v, controls=…)"
        )


def limited_readings(model: Model, q: Array, v: Array, given: Array) -> Array:
    """Return all readings within their cutoffs, from acceleration, controls and activations (nv + nu + na,)."""
    cutoffs = [one.cutoff for one in model.sensors for _ in range(one.size)]
    found = zip(all_readings(model, q, v, given), cutoffs, strict=True)
    return np.stack([clip(x, -cutoff, cutoff) if cutoff else x for x, cutoff in found])


def surrounding_state(model: Model, q: Array, v: Array, given: Array, points: Sequence[Sequence[Array]]) -> Array:
    """Return the entries of which :func:`readings_in_surroundings` computes the readings.

    ``points``: position, normal, force and moment of each contact point.
    """
    contacts = [x for point in points for x in point]
    return np.concatenate([all_readings(model, q, v, given), sensor_places(model, q), *contacts])


def readings_in_surroundings(model: Model, state: Array) -> Array:
    """Return all readings (…, size) within their cutoffs, with contacts and ranges, of :func:`surrounding_state`."""
    pair, size = pairs_of_points(model), sum(one.size for one in model.sensors)
    before = state.shape[-1] - 12 * len(pair)
    points = state[..., before:].reshape(*state.shape[:-1], len(pair), 4, 3)
    positions, normals, forces, moments = (points[..., k, :] for k in range(4))
    contacts = ContactForces(pair=pair, points=positions, normals=normals, forces=forces, moments=moments)
    places = split_places(model, state[..., size:before])
    readings = surrounding_readings(model, state[..., :size], places, contacts if len(pair) else None)
    return np.concatenate(readings, axis=-1)


def need_accelerations(model: Model) -> bool:
    """Return whether sensors need the acceleration."""
    return any(one.type in OF_ACCELERATIONS for one in model.sensors)


def base_frame(model: Model) -> str:
    """Return the name of the floating base."""
    bases = floating_bases(model)
    if len(bases) != 1:
        count = f"{len(bases)} floating bases" if bases else "no floating base"
        raise ArgumentError(f"{model.name!r} has {count}: name the frame, frame=…")
    return str(model.bodies[bases[0]].name)


def clearance(model: Model, points: Any, frame: str) -> Callable[..., Any]:
    """Return a function (model, q) -> (m,): the height of a frame's origin above the ground at points around it.

    ``points``: (m, 2), x forwards and y to the left of the frame, in its heading.
    """
    model.frame(frame)
    places = as_numbers("points", points)
    if places.ndim != 2 or places.shape[1] != 2 or not len(places):
        raise ShapeError(f"points are (m, 2), x and y around the frame; got shape {places.shape}")
    if not np.isfinite(places).all():
        raise InputError("points are not finite")
    if not _grounds(model):
        raise InputError(
            f"{model.name!r} has no plane and no height field in the world that touches: model.with_ground(…)"
        )

    def heights(model: Model, q: Array, v: Array) -> Any:
        T, grounds = pose(model, q, frame), _grounds(model)
        length = np.sqrt(T[0, 0] * T[0, 0] + T[1, 0] * T[1, 0] + 1e-30)
        c, s = T[0, 0] / length, T[1, 0] / length
        found = []
        for x, y in places:
            at = (T[0, 3] + c * x - s * y, T[1, 3] + s * x + c * y)
            top: Any = None
            for surface in grounds:
                z = surface(*at, top)
                top = z if top is None else where(z > top, z, top)
            found.append(T[2, 3] - top)
        return np.stack(found)

    return heights


def _grounds(model: Model) -> list[Callable[..., Any]]:
    """Return the surfaces of the planes and height fields of the world that touch."""
    fixed = [shape for shape in model.shapes if model.frame(shape.body).body < 0 and shape.touches]
    return [_surface(model, shape) for shape in fixed if shape.kind in ("plane", "height_field")]


def _surface(model: Model, shape: Shape) -> Callable[..., Any]:
    """Return a function (x, y, other) -> height; ``other``: height beyond a height field, None: that of its edge.

    The orientation of a plane may be of symbols, whose values are not checked.
    """
    T = np.asarray(model.frame(shape.body).placement) @ np.asarray(shape.placement)
    normal, origin = T[:3, 2], T[:3, 3]
    if shape.kind == "plane":
        if not is_symbolic(normal) and normal[2] < UPRIGHT:
            raise InputError(f"the plane {shape.name!r} is no ground: its normal does not point upwards")
        return lambda x, y, other: origin[2] - (normal[0] * (x - origin[0]) + normal[1] * (y - origin[1])) / normal[2]
    if is_symbolic(normal) and not (is_zero(normal[0]) and is_zero(normal[1])):
        raise InputError(f"a scan takes no height field whose orientation is a parameter; {shape.name!r} is one")
    if not is_symbolic(normal) and normal[2] < 1.0 - UPRIGHT:
        raise InputError(f"the height field {shape.name!r} is tilted: a scan takes fields with a vertical axis z")
    field = PlacedHeightField(shape, T)

    def height(x: Any, y: Any, other: Any) -> Any:
        z, there = field.height(x, y)
        return z if other is None else where(there, z, other)

    return height
