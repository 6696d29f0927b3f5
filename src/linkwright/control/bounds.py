"""Rules for the values bound to a controller; they are checked before anything is compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from linkwright.dynamics import check
from linkwright.dynamics.frames.manipulability import rows_of
from linkwright.errors import InputError, ShapeError
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, is_symbolic

Shape = tuple[int, ...]
Bound = Mapping[str, Any]
Kind = Literal["any", "zero or more", "above zero"]
Together = Callable[[Model, Bound], None]
Check = Callable[[Model, Bound, Mapping[str, int]], None]

RIGID = 1e-6
"""Largest deviation of RᵀR from 1 for a rotation."""


@dataclass(frozen=True)
class Numbers:
    """A rule: an array of one of these shapes, with a sign."""

    shapes: Callable[[Model, Bound], list[Shape]]
    """from the model and the other bound values"""
    words: str
    """the expected value in messages, with {nv} and {nq}"""
    kind: Kind = "any"
    infinite: bool = False
    further: Callable[[Model, str, Array], None] | None = None
    """further check of the values (…, *shape)"""

    def look(self, model: Model, name: str, given: Any, lead: int = 0, bound: Bound = MappingProxyType({})) -> None:
        """Raise :class:`ShapeError` or :class:`InputError` for a wrong value; symbols and functions are not checked."""
        if given is None or callable(given) or hasattr(type(given), "as_values") or is_symbolic(given):
            return
        x = as_numbers(name, given)
        shapes, shape = self.shapes(model, bound), x.shape[lead:]
        if shape not in shapes:
            alike = any(one and shape[-len(one) :] == one for one in shapes)
            hint = f"; each=[{name!r}] gives each motion of a batch its own" if alike and not lead else ""
            words = self.words.format(nv=model.nv, nq=model.nq)
            raise ShapeError(f"{name} has shape {shape}; expected {words} for {model.name!r}{hint}")
        if not (np.isfinite(x).all() or (self.infinite and not np.isnan(x).any())):
            raise InputError(f"{name!r}, bound to the controller, is not finite; got {x.tolist()!r}")
        if shape and len(shape) == 2 and self.kind != "any":
            _require_definite(name, x, self.kind)
        elif (self.kind == "zero or more" and (x < 0.0).any()) or (self.kind == "above zero" and not (x > 0.0).all()):
            raise InputError(f"{name} must be {self.kind}; got {x.tolist()!r}")
        if self.further is not None:
            self.further(model, name, x)


def _require_definite(name: str, x: Array, kind: Kind) -> None:
    size = np.abs(x).max(initial=0.0)
    if np.abs(x - np.swapaxes(x, -1, -2)).max(initial=0.0) > 1e-9 * size:
        raise InputError(f"{name} is not symmetric; got {x.tolist()!r}")
    least = np.linalg.eigvalsh(x).min(initial=np.inf)
    if least < -1e-12 * size or (kind == "above zero" and least <= 1e-12 * size):
        raise InputError(f"{name} must be {kind}; as a matrix it has the eigenvalue {least:.3g}")


def _require_rotation(model: Model, name: str, R: Array) -> None:
    turned = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0)
    if turned > RIGID or not (np.linalg.det(R) > 0.0).all():
        raise InputError(f"{name} is not a rotation, right-handed axes of length one as columns; got {R.tolist()!r}")


def _require_pose(model: Model, name: str, T: Array) -> None:
    if (T[..., 3, :] != [0.0, 0.0, 0.0, 1.0]).any():
        raise InputError(f"{name} is not a pose: its last row is {T[..., 3, :].tolist()!r}, not [0, 0, 0, 1]")
    _require_rotation(model, f"the rotation of {name}", T[..., :3, :3])


def _require_posture(model: Model, name: str, q: Array) -> None:
    check(model, q)


def of_joints(kind: Kind = "zero or more", infinite: bool = False) -> Numbers:
    """Return the rule of a number, or of one number per velocity coordinate."""
    return Numbers(lambda model, bound: [(), (model.nv,)], "a number or ({nv},)", kind, infinite)


def of_hand(kind: Kind = "zero or more", matrix: bool = True) -> Numbers:
    """Return the rule of a number, of one number per (controlled) direction of the hand, or of a matrix."""

    def shapes(model: Model, bound: Bound) -> list[Shape]:
        return [(), (6,), (len(rows_of(bound.get("directions", "all"))),), *([(6, 6)] if matrix else [])]

    words = "a number, (6,), one for each of the directions" + (", or (6, 6)" if matrix else "")
    return Numbers(shapes, words, kind)


def _of_shape(shape: Shape, words: str, **more: Any) -> Numbers:
    return Numbers(lambda model, bound: [shape], words, **more)


NUMBER = _of_shape((), "one number", kind="zero or more")
POSITIVE = _of_shape((), "one number", kind="above zero")
POSTURE = Numbers(lambda model, bound: [(model.nq,)], "a posture ({nq},)", further=_require_posture)
VELOCITY = Numbers(lambda model, bound: [(model.nv,)], "({nv},)")
POSE = _of_shape((4, 4), "a pose (4, 4)", further=_require_pose)
AXES = _of_shape((3, 3), "(3, 3), its axes as columns,", further=_require_rotation)
WRENCH = _of_shape((6,), "(6,), [f; n]")


def rules(together: Together | None = None, /, **numbers: Numbers) -> Check:
    """Return the check of a controller: a rule for each name; ``together`` checks combinations."""

    def check(model: Model, bound: Bound, leads: Mapping[str, int]) -> None:
        for name, rule in numbers.items():
            if name in bound:
                rule.look(model, name, bound[name], leads.get(name, 0), bound)
        if together is not None:
            together(model, bound)

    return check
