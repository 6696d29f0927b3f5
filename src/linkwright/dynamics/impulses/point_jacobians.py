"""Jacobians of points of bodies, for the rows of contacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwright.dynamics.impulses.supports import moving_coordinates
from linkwright.model.elements import Link
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose

if TYPE_CHECKING:
    from linkwright.dynamics.impulses.inertia_factors import InertiaFactors


class PointJacobians:
    """Jacobians of points of bodies, from the axes of all joints."""

    def __init__(
        self,
        model: Model,
        poses: Sequence[Array],
        q: Array,
        twists: Sequence[Array] | None,
        to_other_axes: Callable[[Array], Array] | None = None,
    ):
        """``to_other_axes``: transforms a row (nv,) of :meth:`factor_jacobian` to the axes of the factors."""

        def axes(link: Link, T: Array, q: Array) -> tuple[Array, Array, Array]:
            R, p = split_pose(T)
            S = link.motion_subspace(q)
            return R @ S[:3], R @ S[3:], p

        self._model, self._poses, self._twists, self._to_other_axes = model, poses, twists, to_other_axes
        self._joints = model.each(axes, poses, model.coordinates(q))
        self.origin: Array = poses[0][:3, 3]
        """reference point of :meth:`factor_jacobian`, near all bodies"""
        self._factor_jacobians: dict[int, Array] = {}
        self._factors: InertiaFactors | None = None

    def at(self, first: int, second: int, point: Array, support: tuple[int, ...]) -> tuple[Array, Array]:
        """Return Jacobians (3, s) of a point (3,) of the first body and of its rotation relative to the second body."""
        model = self._model
        of_first, of_second = set(model.path(first)), set(model.path(second))
        linear, turning = [], []
        for k, link in enumerate(model.links):
            sign = float(k in of_first) - float(k in of_second)
            v, w, p = self._joints[k]
            if sign:
                linear.append(sign * (v - skew(point - p) @ w))
                turning.append(sign * w)
            else:
                linear.append(np.zeros((3, link.motion.nv)))
                turning.append(np.zeros((3, link.motion.nv)))
        places = list(support)
        return model.assemble(linear, (3,))[:, places], model.assemble(turning, (3,))[:, places]

    def factor_jacobian(self, factors: InertiaFactors, body: int) -> dict[int, Array]:
        """Return rows (6,) of D^(−½) L⁻ᵀ Jᵀ of the twist of a body at ``origin``, by the coordinates that move it."""
        return dict(zip(moving_coordinates(self._model, [body]), self._along_path(factors, body), strict=True))

    def _along_path(self, factors: InertiaFactors, body: int) -> Array:
        """Compute these rows of the coordinates that move the body.

        The recursion goes from parent to child: each joint adds the columns of its axes.
        """
        if self._factors is not factors:
            self._factors, self._factor_jacobians = factors, {}
        if body not in self._factor_jacobians:
            model = self._model
            path = moving_coordinates(model, [body])
            v, w, p = self._joints[body]
            S = np.concatenate([v - skew(self.origin - p) @ w, w])  # (6, n)
            pieces = [np.zeros((S.shape[1], link.motion.nv)) for link in model.links]
            pieces[body] = np.eye(S.shape[1])
            rates = model.assemble(pieces, (S.shape[1],))  # of the joint, (n, nv)
            if self._to_other_axes is not None:
                rates = np.stack([self._to_other_axes(row) for row in rates])
            found = factors.to_factor_space(rates[:, list(path)].T, path) @ S.T
            parent = max((k for k in model.path(body) if k != body), default=-1)
            if parent >= 0:
                before = self._along_path(factors, parent)
                found = np.stack([x + before[k] if k < len(before) else x for k, x in enumerate(found)])
            self._factor_jacobians[body] = found
        return self._factor_jacobians[body]

    def velocity(self, first: int, second: int, point: Array) -> Array:
        """Return the velocity (3,) of a point of the first body relative to the second, in world axes."""
        assert self._twists is not None
        found = np.zeros(3)
        for body, sign in ((first, 1.0), (second, -1.0)):
            if body >= 0:
                (R, p), V = split_pose(self._poses[body]), self._twists[body]
                found = found + sign * (R @ V[:3] - skew(point - p) @ (R @ V[3:]))
        return found
