"""The hand: a frame that is dragged in the browser; inverse kinematics moves the joints."""

from __future__ import annotations

import contextlib
import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np

from linkwright.browser.posture import Newest, Posture, default_frame
from linkwright.browser.view.labels import distance
from linkwright.browser.view.robot import RobotNodes
from linkwright.browser.view.scene import BrowserScene
from linkwright.errors import LinkwrightError, ModelError, UnknownNameError
from linkwright.geometry import rotation
from linkwright.ik_solvers.exact import analytic_inverse_kinematics
from linkwright.ik_solvers.reach import inverse_kinematics
from linkwright.model.memo import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

Track = Literal["position", "pose"]

THERE = 1e-4
"""Largest error (m, rad) of a reached target."""
RESTARTS = 10
"""Number of further initial guesses, if the target is not reached from the present posture."""
APART = 0.01
"""Relative to the size of the robot: ghosts with nearer joints have the outline of the robot."""
GIZMO = 0.22
"""Length of the arrows of the gizmo, relative to the size of the robot."""
SELF_MOTION = (-0.5, -0.25, 0.25, 0.5)
"""rad, offsets of the given joint of a redundant arm."""
GHOST_COLOR = (120, 144, 176)
GHOST_OPACITY = 0.22
GRAY_RED = (190, 60, 60)


class Hand:
    """A frame of the mechanism with a gizmo; inverse kinematics moves the joints while the gizmo is dragged.

    ``track``: the position of the frame only, or its pose; by default the pose with at least six joints that do not all
    move in one plane. A floating base is fixed unless ``hold_base`` is False.
    """

    def __init__(
        self,
        scene: BrowserScene,
        posture: Posture,
        frame: str | None = None,
        track: Track | None = None,
        show_message: Any = None,
    ):
        self.scene, self.posture, self.model = scene, posture, posture.model
        self._show_message = show_message if show_message is not None else lambda text: None
        self._newest, self._pool = Newest(), ThreadPoolExecutor(4, "studio-hand")
        self.gizmo: Any = None
        self._ghosts: list[RobotNodes] = []
        self._branches: Array = np.zeros((0, self.model.nq))
        self.show_branches = False
        self.hold_base = True
        self.dragged = False
        """whether the gizmo is being dragged: then it stays at the mouse"""
        self.take(default_frame(self.model) if frame is None else frame, track)
        posture.listen(self.show, self)

    def take(self, frame: str, track: Track | None = None) -> None:
        """Select the dragged frame and what it tracks. Raise :class:`UnknownNameError` for an unknown frame."""
        if frame not in self.model.frames:
            raise UnknownNameError("frame", frame, tuple(self.model.frames))
        self.frame = frame
        joints = [self.model.joints[k] for k in self.model.path(self.model.frames[frame].body)]
        leading = sum(joint.nv for joint in joints if not joint.motion.floating)
        six = leading >= 6 or (bool(self.model.loops) and self._six())
        self.track: Track = track or ("pose" if six and not self.scene.view.flat else "position")
        self.base = tuple(joint.name for joint in joints if joint.motion.floating)
        """the floating joints, which are fixed"""
        if self.gizmo is not None:
            self.gizmo.remove()
        flat = self.scene.view.flat
        self.gizmo = self.scene.server.scene.add_transform_controls(
            "/hand",
            scale=GIZMO * self.scene.size,
            line_width=3.0,
            active_axes=(True, True, not flat),
            disable_rotations=self.track == "position",
            depth_test=False,
        )
        self.gizmo.on_update(self._dragged)
        self.show(self.posture.q)

    def _six(self) -> bool:
        from linkwright.dynamics import mobility

        try:
            return mobility(self.model, self.posture.q).degrees_of_freedom >= 6
        except LinkwrightError:
            return False

    @property
    def visible(self) -> bool:
        """Whether the gizmo is visible."""
        return bool(self.gizmo.visible)

    @visible.setter
    def visible(self, seen: bool) -> None:
        self.gizmo.visible = seen

    def extent(self) -> Array:
        """Return the ends (n, 3) of the arrows of the gizmo; none if it is hidden."""
        if not self.visible:
            return np.zeros((0, 3))
        T = self.pose(self.posture.q)
        R = T[:3, :3] if self.track == "pose" else np.eye(3)
        return T[:3, 3] + GIZMO * self.scene.size * R.T

    @property
    def target(self) -> Array:
        """Pose (4, 4) of the gizmo, with the orientation of the hand if only the position is tracked."""
        T = self.pose(self.posture.q)
        T[:3, 3] = self.gizmo.position
        if self.track != "position":
            T[:3, :3] = rotation.from_quaternion(np.array(self.gizmo.wxyz))
        return T

    def pose(self, q: Array) -> Array:
        """Return the pose (4, 4) of the hand in a configuration (nq,)."""
        import linkwright as lw

        return np.array(lw.pose(self.model, q, self.frame))

    def show(self, q: Array) -> None:
        """Move the gizmo to the hand, unless it is being dragged."""
        if self.dragged:
            return
        T = self.pose(q)
        turn = T[:3, :3] if self.track != "position" else self.scene.view.axes.T if self.scene.view.flat else np.eye(3)
        with self.scene.server.atomic():
            self.gizmo.wxyz, self.gizmo.position = rotation.to_quaternion(turn), T[:3, 3]
            self.scene.remove("missing")

    def reach(self, target: Any) -> str:
        """Move the hand to a target, (3,) or (4, 4), or as near as possible; return a sentence about the result."""
        target = np.asarray(target, dtype=float)
        q, fixed = self.posture.q, self.base if self.hold_base else ()
        wanted = {self.frame: target}
        found = inverse_kinematics(self.model, wanted, q, restarts=0, fixed=fixed)
        if not found.converged and found.error > THERE:
            again = inverse_kinematics(self.model, wanted, q, restarts=RESTARTS, fixed=fixed, nearest=True)
            if again.converged or again.error < found.error - THERE:
                found = again
        self.posture.move(found.q, by=self)
        place = target if target.shape == (3,) else target[:3, 3]
        here = self.pose(found.q)[:3, 3]
        self.scene.arrows("missing", [here], [place - here], GRAY_RED)
        self._show_branches(target)
        text = _result_text(found, float(np.linalg.norm(place - here)))
        self._show_message(text)
        return text

    async def _dragged(self, event: Any) -> None:
        """Handle a drag event. Events arrive in order; other threads do the work."""
        self.dragged = event.phase != "end"
        with contextlib.suppress(RuntimeError):  # it is closed
            self._pool.submit(self._answer, event.phase == "end")

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown(wait=False)

    def _answer(self, ends: bool) -> None:
        try:
            self._newest.run(self._reach_gizmo)
            if ends:
                self.show(self.posture.q)
        except LinkwrightError as error:
            self._show_message(str(error))
        except Exception:  # a thread would fail without a message
            traceback.print_exc()

    def _reach_gizmo(self) -> None:
        target = self.target
        self.reach(target[:3, 3] if self.track == "position" else target)

    # analytic postures, as ghosts

    def exact(self) -> str:
        """Return why this hand has no analytic postures, or ""."""
        try:
            self._solver()
        except LinkwrightError as error:
            return str(error)
        return ""

    def _solver(self) -> Any:
        return derived(self.model, _solver, self.frame, self.track)

    def branches(self, target: Array) -> Array:
        """Return all analytic postures (n, nq) within the limits that bring the hand to a target (4, 4).

        A redundant arm keeps its elbow angle or the joint that its solver is given.
        """
        solver, q = self._solver()[0], self.posture.q
        if solver.given == "elbow angle":
            return self._branches_at(target, solver.elbow_angle(q))
        if solver.given is not None:
            return self._branches_at(target, q[self.model.slice(solver.given).q][0])
        return self._branches_at(target)

    def _self_motion(self, target: Array) -> Array:
        """Return postures (n, nq) of a redundant arm with other values of the joint that its solver is given."""
        solver, q = self._solver()[0], self.posture.q
        if solver.given in (None, "elbow angle"):
            return np.zeros((0, self.model.nq))
        given = q[self.model.slice(solver.given).q][0]
        nearest = []
        for offset in SELF_MOTION:
            postures = self._branches_at(target, given + offset)
            if len(postures):
                nearest.append(postures[np.argmin(np.abs(postures - q).max(axis=1))])
        return np.array(nearest).reshape(-1, self.model.nq)

    def _branches_at(self, target: Array, *given: float) -> Array:
        """Return analytic postures (n, nq) within the limits, for the coordinate of a redundant arm."""
        (solver, task), q = self._solver(), self.posture.q
        found = solver(target[:3, 3] if task == "position" else target, *given)
        postures: Array = found.q[found.exact & found.within]
        whole = np.tile(q, (len(postures), 1))
        whole[:, list(found.places)] = postures[:, list(found.places)]
        return whole

    def _show_branches(self, target: Array) -> None:
        if not self.show_branches:
            return
        whole = target if target.shape == (4, 4) else self.target
        try:
            postures = np.concatenate([self.branches(whole), self._self_motion(whole)])
        except LinkwrightError:
            postures = np.zeros((0, self.model.nq))
        q = self.posture.q
        apart = np.array(
            [np.abs(np.arctan2(np.sin(one - q), np.cos(one - q))).max() > 1e-3 for one in postures], dtype=bool
        )
        self._branches = postures[apart] if len(postures) else postures
        with self.scene.server.atomic():
            for k, posture in enumerate(self._branches):
                if k == len(self._ghosts):
                    self._ghosts.append(self._ghost(k))
                self._ghosts[k].show(posture)
                self._ghosts[k].hide_where(self.scene.poses)
                self._ghosts[k].visible = True
            for ghost in self._ghosts[len(self._branches) :]:
                ghost.visible = False

    def _ghost(self, k: int) -> RobotNodes:
        look: dict[str, Any] = {"opacity": GHOST_OPACITY, "color": GHOST_COLOR, "scale": 0.985, "visible": False}
        return RobotNodes(self.scene.server, self.model, f"posture_{k}", **look)

    def set_branches(self, shown: bool) -> str:
        """Show all analytic postures as ghosts, or hide them; return a sentence with their number."""
        self.show_branches = shown
        if not shown:
            for ghost in self._ghosts:
                ghost.visible = False
            return ""
        why = self.exact()
        if why:
            self.show_branches = False
            return "This hand has no exact inverse kinematics, so other postures are not shown."
        self._show_branches(self.pose(self.posture.q))
        others = len(self._branches)
        text = f"{others} other {'posture brings' if others == 1 else 'postures bring'} the hand to the same target."
        if others and not self._ghosts_apart():
            text += " They only rotate links about their own axes, so the outline is nearly the same."
        return text

    def _ghosts_apart(self) -> bool:
        """Whether some ghost has a joint at another position than the robot."""
        here = self.scene.poses[:, :3, 3]
        away = [np.abs(ghost.poses[:, :3, 3] - here).max() for ghost in self._ghosts[: len(self._branches)]]
        return bool(max(away) > APART * self.scene.size)

    def next_branch(self) -> str:
        """Move to the next analytic posture."""
        T = self.pose(self.posture.q)
        try:
            postures = self.branches(T)
        except LinkwrightError:
            return "This hand has no exact inverse kinematics, so other postures are not shown."
        q = self.posture.q
        far = [float(np.abs(np.arctan2(np.sin(one - q), np.cos(one - q))).max()) for one in postures]
        if len(postures) < 2:
            return "There is no other posture within the joint limits."
        here = int(np.argmin(far))
        self.posture.move(postures[(here + 1) % len(postures)], by=self)
        if self.show_branches:
            self._show_branches(T)
        return f"Posture {(here + 1) % len(postures) + 1} of {len(postures)}."


def _solver(model: Model, frame: str, track: Track) -> tuple[Any, str]:
    """Return an exact solver and its task: the tracked one, or the pose if there is none for the position."""
    try:
        if track == "position":
            return analytic_inverse_kinematics(model, frame, task="position"), "position"
    except ModelError:
        pass
    return analytic_inverse_kinematics(model, frame), "pose"


def _result_text(found: Any, missing: float) -> str:
    """Return a sentence about the result of inverse kinematics."""
    if found.converged or found.error <= THERE:
        return "Target reached."
    why = {
        "limits": "Not reached because of joint limits",
        "out of reach": "Out of reach",
        "singular": "At the boundary of the workspace",
    }.get(found.reason, "Not reached")
    turned = "" if missing > 1e-3 else ", with another orientation"
    return f"{why}. Nearest posture: {distance(missing)} away{turned}."
