"""Regrouping of inertial parameters: a model with fewer of them and the same joint-space dynamics.

Some inertial parameters have no separate effect on joint efforts: the mass of a body on a revolute joint acts like mass
of its parent. Ten parameters per body (m, h = m c and the second moment
Σ = ∫ r rᵀ dm about the origin, I = tr Σ 1 − Σ) are redundant; for a revolute joint m,
h along its axis and Σ along it. Such parameters can be moved from body to body
(Gautier & Khalil, "Direct calculation of minimum set of inertial parameters of serial robots",
IEEE Trans. RA 6(3), 1990; Khalil & Dombre 2002, ch. 9). They are moved from the leaves to the root until
most of them are zero, which saves operations.

`inertia_equivalence.py` finds the redundant parameters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.errors import InputError, is_choice
from linkwright.model.build.origins import with_near_origins
from linkwright.model.transformations.inertia_equivalence import (
    inertia,
    length_of,
    movable,
    null_space,
    units_of,
    vector,
)
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, is_symbolic
from linkwright.spatial.inertia import RigidInertia

DIAGONAL = [4, 7, 9]

SECOND_MOMENT = np.diag([1.0] * 4 + [-1.0] * 6)
SECOND_MOMENT[np.ix_(DIAGONAL, DIAGONAL)] = 0.5 - np.eye(3)
"""(m, h, Σxx, Σxy, Σxz, Σyy, Σyz, Σzz) from (m, h, Ixx, Ixy, Ixz, Iyy, Iyz, Izz)"""

FORMS = {
    "second moment": (SECOND_MOMENT, (0, 3, 2, 1, 9, 8, 6, 5, 7, 4)),
    "inertia": (np.eye(10), (0, 3, 2, 1, 7, 4, 8, 6, 5, 9)),
}
"""Parameters that are set to zero, in order, the mass first. Σzz should be zero for algorithms that sum the moment of
accelerations, Iyy for algorithms that transform inertias."""

ROUNDING = 1e-15
"""A remainder below this fraction of the summands is rounding."""


def minimal(model: Model, form: str) -> Model:
    """See :meth:`Model.minimal`; ``form`` is one of FORMS."""
    if not is_choice(form, FORMS):
        raise InputError(f"form is {form!r}; it may be {', '.join(map(repr, FORMS))}")
    if model.physical is not None or not regroupable(model):
        return model
    physical, model = model, with_near_origins(model)
    F, order = FORMS[form]
    parameters: list[Any] = [vector(link.rigid_inertia) for link in model.links]
    size = [np.abs(x) for x in parameters]  # magnitudes of the summands, to detect rounding
    units = units_of(length_of(model))
    bases = [group.basis for group in movable(model, together=False)]
    for k in reversed(range(len(model.links))):
        link, x = model.links[k], parameters[k]
        moved, choices = np.zeros(10), _chosen(bases[k], F, order)
        choices = [(row, direction * units / units[row]) for row, direction in choices]
        for row, direction in choices:
            moved = moved + (F[row] @ (x - moved)) * direction
        if link.parent >= 0:
            T = link.transform(link.motion.neutral)
            parameters[link.parent] = parameters[link.parent] + vector(inertia(moved).moved(T))
            size[link.parent] = size[link.parent] + _size_of_moved(moved, T)
        rest, size[k] = F @ (x - moved), np.abs(F) @ (size[k] + np.abs(moved))
        rest[[row for row, _ in choices]] = 0.0
        parameters[k] = np.linalg.inv(F) @ np.where(np.abs(rest) <= ROUNDING * size[k], 0.0, rest)
    links = [replace(link, rigid_inertia=inertia(x)) for link, x in zip(model.links, parameters, strict=True)]
    return replace(model, links=tuple(links), physical=physical)


def _size_of_moved(x: Array, T: Array) -> Array:
    """Return the magnitude (10,) of the summands when parameters (10,) are moved by T (4, 4)."""
    m, h, I = inertia(np.abs(x))
    R, p = np.abs(T[:3, :3]), np.abs(T[:3, 3])
    h = R @ h
    return vector(RigidInertia(m, h + m * p, R @ I @ R.T + 2.0 * (h @ p) + m * (p @ p)))


def regroupable(model: Model) -> bool:
    """Return whether geometry and inertias are numbers."""
    return not any(is_symbolic(link.placement, *link.rigid_inertia) for link in model.links)


def _chosen(basis: Array, F: Array, order: tuple[int, ...]) -> list[tuple[int, Array]]:
    """Return (row, direction (10,)) in the span of a basis (10, d): 1 in that row of F x and 0 in the rows before."""
    basis, _ = np.linalg.qr(basis)
    choices: list[tuple[int, Array]] = []
    for row in order:
        if basis.shape[1] == 0:
            break
        along = basis @ (basis.T @ F[row])
        if F[row] @ along < 1e-3:
            continue
        direction = along / (F[row] @ along)
        halves = np.round(2.0 * direction) / 2.0
        choices.append((row, np.where(np.abs(direction - halves) < 1e-12, halves, direction)))
        basis = basis @ null_space(F[row][None] @ basis)  # the rest of the span, zero in this row
    return choices
