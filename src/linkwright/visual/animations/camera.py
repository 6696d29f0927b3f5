"""Pictures of a mechanism one by one, as it comes: where it will go is not known when the view is chosen."""

from __future__ import annotations

import numpy as np

from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.floors import floors_of
from linkwright.visual.drawing.linkage import configurations, nearby, poses_along, skeleton
from linkwright.visual.drawing.scene import Scene, without_opacity
from linkwright.visual.drawing.skin import skin
from linkwright.visual.drawing.view import choose_view

POSTURES = 12
"""Number of random configurations that the picture encloses, in addition to the initial one."""


class Camera:
    """Takes pictures of a mechanism whose motion begins at q (nq,); it goes along with one that may travel."""

    def __init__(self, model: Model, q: Array):
        self.bones, covered = skeleton(model), skin(model)
        postures = self._postures(model, q)
        poses = poses_along(model, postures)
        points, centers = self.bones.along(poses), self.bones.center_of_mass_along(poses)
        if _travels(model):  # a center of mass that goes far is followed
            reach = 10.0 * (float(np.ptp(points, axis=1).max()) or 1.0)
            away = np.cross(model.gravity, (0.3, 1.0, 0.2))
            away *= reach / (np.linalg.norm(away) or 1.0)
            points, centers = np.concatenate([points, points + away]), np.concatenate([centers, centers + away])
        around = covered.corners_along(poses[:1]) if covered else None
        view = choose_view(
            points, centers, model.gravity, reach=self.bones.along(poses_along(model, nearby(model, q))),
            around=None if around is None else np.repeat(around, len(points), axis=0) + (centers - centers[0])[:, None],
            floors=floors_of(model), anchors=points[0, self.bones.anchors],
        )  # fmt: skip
        self.model, self.scene = model, Scene(self.bones, view, model.name, covered=covered)

    def picture(self, q: Array, time: float | None = None) -> Array:
        """The pixels (height, width, 3), bytes, of the mechanism at q (nq,)."""
        poses = poses_along(self.model, configurations(self.model, q))
        told = "" if time is None else f"t = {time:.2f} s"
        self.scene.show(
            self.bones.along(poses)[0], center_of_mass=self.bones.center_of_mass_along(poses)[0], time=told, poses=poses
        )
        self.scene.canvas.draw()
        return without_opacity(np.asarray(self.scene.canvas.buffer_rgba()))

    @staticmethod
    def _postures(model: Model, q: Array) -> Array:
        """Where it is, and random postures (n, nq) of joints that do not carry it away."""
        rows = [q]
        for other in [] if model.loops else model.random(POSTURES, seed=0):  # which would open loops
            row, at = q.copy(), 0
            for joint in model.joints:
                if not joint.motion.carried:
                    row[at : at + joint.nq] = other[at : at + joint.nq]
                at += joint.nq
            rows.append(row)
        return np.array(rows)


def _travels(model: Model) -> bool:
    """Whether anything may go as far as it likes."""
    at = 0
    for joint in model.joints:
        free = not np.isfinite(model.upper[at : at + joint.nq] - model.lower[at : at + joint.nq]).all()
        if joint.motion.carried or (joint.motion.slide and free):
            return True
        at += joint.nq
    return False
