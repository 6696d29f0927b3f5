"""Jacobians of points of bodies, for the rows of contacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.model.elements import Link
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.loops.memory import memory_row, read
from linkwright.spatial.rotation import skew
from linkwright.spatial.transform import split_pose


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
        """``to_other_axes``: transforms a row (nv,) of :meth:`columns` to other axes."""

        def axes(link: Link, T: Array, q: Array) -> tuple[Array, Array, Array]:
            R, p = split_pose(T)
            S = link.motion_subspace(q)
            return R @ S[:3], R @ S[3:], p

        self._model, self._poses, self._twists, self._to_other_axes = model, poses, twists, to_other_axes
        self._joints = model.each(axes, poses, model.coordinates(q))
        self.origin: Array = poses[0][:3, 3]
        """reference point of :meth:`columns`, near all bodies"""
        self._columns: dict[int, dict[int, Array]] = {}
        self._memory: Any = None
        """twists of all bodies"""

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

    def columns(self, body: int) -> dict[int, Array]:
        """Return the columns (6,) of the Jacobian of the twist of a body at ``origin``, by coordinates that move it.

        Bodies share the columns of their common ancestors.
        """
        if body not in self._columns:
            model = self._model
            parent = max((k for k in model.path(body) if k != body), default=-1)
            found = {} if parent < 0 else dict(self.columns(parent))
            v, w, p = self._joints[body]
            S = np.concatenate([v - skew(self.origin - p) @ w, w])  # (6, n)
            pieces = [np.zeros((S.shape[1], link.motion.nv)) for link in model.links]
            pieces[body] = np.eye(S.shape[1])
            rates = model.assemble(pieces, (S.shape[1],))  # of the joint, (n, nv)
            moved = [k for k in range(model.nv) if np.any(rates[:, k])]
            J = S @ rates
            if self._to_other_axes is not None and model.links[body].motion.turning:  # the axes of others do not turn
                J = np.stack([self._to_other_axes(row) for row in J])
            for k in moved:
                found[k] = found[k] + J[:, k] if k in found else J[:, k]
            self._columns[body] = found
        return self._columns[body]

    def velocity(self, first: Any, second: Any, point: Array) -> Array:
        """Return the velocity (3,) of a point of the first body relative to the second, in world axes.

        Indices of bodies may be symbols.
        """
        return self.relative_twist(first, second, point)[0]

    def relative_twist(self, first: Any, second: Any, point: Array) -> tuple[Array, Array]:
        """Return :meth:`velocity`, and the angular velocity (3,) of the first body relative to the second."""
        V = self._twist(first) - self._twist(second)
        return V[:3] + np.cross(V[3:], point - self.origin), V[3:]

    def _twist(self, body: Any) -> Array:
        """Return the twist (6,) of a body at ``origin``, in world axes; 0 for body -1, at rest."""
        if self._memory is None:
            self._memory = memory_row([x for one in self._world_twists() for x in one])
        return read(self._memory, (body + 1) * 6.0, 6)

    def _world_twists(self) -> list[Array]:
        assert self._twists is not None
        found = [np.zeros(6)]
        for T, V in zip(self._poses, self._twists, strict=True):
            R, p = split_pose(T)
            w = R @ V[3:]
            found.append(np.concatenate([R @ V[:3] - np.cross(w, p - self.origin), w]))
        return found
