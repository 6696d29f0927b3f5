"""The hand: dragged in the browser, the joints follow by inverse kinematics; what it can do where it is."""

from __future__ import annotations

import contextlib
import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np

from linkwright.browser.posture import Newest, Posture, default_frame
from linkwright.browser.robot import RobotNodes
from linkwright.browser.scene import BrowserScene
from linkwright.browser.words import distance
from linkwright.errors import LinkwrightError, ModelError, UnknownNameError
from linkwright.geometry import rotation
from linkwright.ik_solvers.exact import analytic_inverse_kinematics
from linkwright.ik_solvers.reach import inverse_kinematics
from linkwright.model.derived import derived
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

Follow = Literal["place", "place and turn"]

THERE = 1e-4
"""m and rad together: what counts as reached"""
RESTARTS = 10
"""Other starts, once it cannot be reached from where it is."""
APART = 0.01
"""of its size: ghosts whose joints are nearer have the outline of the robot"""
GHOST_COLOR = (120, 144, 176)
GHOST_OPACITY = 0.22
GRAY_RED = (190, 60, 60)


class Hand:
    """A frame of the mechanism that is dragged by a gizmo; the joints follow.

    ``follow``: whether its turn is asked for too; unless given, where six joints or more
    lead to it, and not all in a plane. What floats is
    held where it is unless ``hold_base`` is False.
    """

    def __init__(
        self,
        scene: BrowserScene,
        posture: Posture,
        frame: str | None = None,
        follow: Follow | None = None,
        told: Any = None,
    ):
        self.scene, self.posture, self.model = scene, posture, posture.model
        self._told = told if told is not None else lambda text: None
        self._newest, self._pool = Newest(), ThreadPoolExecutor(4, "studio-hand")
        self.gizmo: Any = None
        self._ghosts: list[RobotNodes] = []
        self._branches: Array = np.zeros((0, self.model.nq))
        self.show_branches = False
        self.hold_base = True
        self.dragged = False
        """whether it is being dragged: then its gizmo stays where the mouse is"""
        self.take(default_frame(self.model) if frame is None else frame, follow)
        posture.listen(self.show, self)

    def take(self, frame: str, follow: Follow | None = None) -> None:
        """Drag another frame, or the same one otherwise. Raises :class:`UnknownNameError` where there is none."""
        if frame not in self.model.frames:
            raise UnknownNameError("frame", frame, tuple(self.model.frames))
        self.frame = frame
        joints = [self.model.joints[k] for k in self.model.path(self.model.frames[frame].body)]
        leading = sum(joint.nv for joint in joints if not joint.motion.floating)
        six = leading >= 6 or (bool(self.model.loops) and self._six())
        self.follow: Follow = follow or ("place and turn" if six and not self.scene.view.flat else "place")
        self.base = tuple(joint.name for joint in joints if joint.motion.floating)
        """the joints that float, which are held"""
        if self.gizmo is not None:
            self.gizmo.remove()
        flat = self.scene.view.flat
        self.gizmo = self.scene.server.scene.add_transform_controls(
            "/hand",
            scale=0.22 * self.scene.size,
            line_width=3.0,
            active_axes=(True, True, not flat),
            disable_rotations=self.follow == "place",
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
        """Whether the gizmo is seen."""
        return bool(self.gizmo.visible)

    @visible.setter
    def visible(self, seen: bool) -> None:
        self.gizmo.visible = seen

    @property
    def target(self) -> Array:
        """(4, 4): where the gizmo is; of a hand that is followed by its place alone, with the hand's own turn."""
        T = self.pose(self.posture.q)
        T[:3, 3] = self.gizmo.position
        if self.follow != "place":
            T[:3, :3] = rotation.from_quaternion(np.array(self.gizmo.wxyz))
        return T

    def pose(self, q: Array) -> Array:
        """(4, 4): where the hand is in a configuration (nq,)."""
        import linkwright as lw

        return np.array(lw.pose(self.model, q, self.frame))

    def show(self, q: Array) -> None:
        """Bring the gizmo to the hand, unless it is being dragged."""
        if self.dragged:
            return
        T = self.pose(q)
        turn = T[:3, :3] if self.follow != "place" else self.scene.view.axes.T if self.scene.view.flat else np.eye(3)
        with self.scene.server.atomic():
            self.gizmo.wxyz, self.gizmo.position = rotation.to_quaternion(turn), T[:3, 3]
            self.scene.remove("missing")

    def reach(self, target: Any) -> str:
        """Move the posture so that the hand is at a target, (3,) or (4, 4), or as near as it comes; tells how near."""
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
        text = _told_of(found, float(np.linalg.norm(place - here)))
        self._told(text)
        return text

    async def _dragged(self, event: Any) -> None:
        """What a page tells of a drag; in order, so that what follows it is left to other threads."""
        self.dragged = event.phase != "end"
        with contextlib.suppress(RuntimeError):  # it is closed
            self._pool.submit(self._answer, event.phase == "end")

    def close(self) -> None:
        """Answer no drag any more."""
        self._pool.shutdown(wait=False)

    def _answer(self, ends: bool) -> None:
        try:
            self._newest.run(self._reach_gizmo)
            if ends:
                self.show(self.posture.q)
        except LinkwrightError as error:
            self._told(str(error))
        except Exception:  # a thread that fails would say nothing
            traceback.print_exc()

    def _reach_gizmo(self) -> None:
        target = self.target
        self.reach(target[:3, 3] if self.follow == "place" else target)

    # all exact postures, as ghosts

    def exact(self) -> str:
        """Why there are no exact postures of this hand; "" where there are."""
        try:
            self._solver()
        except LinkwrightError as error:
            return str(error)
        return ""

    def _solver(self) -> Any:
        return derived(self.model, _solver, self.frame, self.follow)

    def branches(self, target: Array) -> Array:
        """(n, nq): all exact postures within the limits that bring the hand to a target (4, 4), the others as now."""
        (solver, task), q = self._solver(), self.posture.q
        given: tuple[Any, ...] = ()
        if solver.given == "elbow angle":
            given = (solver.elbow_angle(q),)
        elif solver.given is not None:
            given = (q[self.model.slice(solver.given).q][0],)
        asked = target[:3, 3] if task == "position" else target
        found = solver(asked, *given)
        postures: Array = found.q[found.exact & found.within]
        whole = np.tile(q, (len(postures), 1))
        whole[:, list(found.places)] = postures[:, list(found.places)]
        return whole

    def _show_branches(self, target: Array) -> None:
        if not self.show_branches:
            return
        whole = target if target.shape == (4, 4) else self.target
        try:
            postures = self.branches(whole)
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
        """Show all exact postures as ghosts, or hide them; tells how many there are."""
        self.show_branches = shown
        if not shown:
            for ghost in self._ghosts:
                ghost.visible = False
            return ""
        why = self.exact()
        if why:
            self.show_branches = False
            return "This hand has no exact answer: its joints are found by iteration alone."
        self._show_branches(self.pose(self.posture.q))
        others = len(self._branches)
        told = f"{others} other {'posture brings' if others == 1 else 'postures bring'} the hand to the same place."
        if others and not self._ghosts_apart():
            told += " Links only turn in place: the outline is nearly the same."
        return told

    def _ghosts_apart(self) -> bool:
        """Whether some ghost has the joint of a body elsewhere than the robot has it: else it has its outline."""
        here = self.scene.poses[:, :3, 3]
        away = [np.abs(ghost.poses[:, :3, 3] - here).max() for ghost in self._ghosts[: len(self._branches)]]
        return bool(max(away) > APART * self.scene.size)

    def next_branch(self) -> str:
        """Go to the next of the exact postures."""
        T = self.pose(self.posture.q)
        try:
            postures = self.branches(T)
        except LinkwrightError:
            return "This hand has no exact answer: its joints are found by iteration alone."
        q = self.posture.q
        far = [float(np.abs(np.arctan2(np.sin(one - q), np.cos(one - q))).max()) for one in postures]
        if len(postures) < 2:
            return "There is no other posture within the limits of the joints."
        here = int(np.argmin(far))
        self.posture.move(postures[(here + 1) % len(postures)], by=self)
        if self.show_branches:
            self._show_branches(T)
        return f"Posture {(here + 1) % len(postures) + 1} of {len(postures)}."


def _solver(model: Model, frame: str, follow: Follow) -> tuple[Any, str]:
    """An exact solver of what the hand is asked for, and its task; of the pose, where that of the place has none."""
    try:
        if follow == "place":
            return analytic_inverse_kinematics(model, frame, task="position"), "position"
    except ModelError:
        pass
    return analytic_inverse_kinematics(model, frame), "pose"


def _told_of(found: Any, missing: float) -> str:
    """What came of it, in plain words."""
    if found.converged or found.error <= THERE:
        return "The hand is where it was asked to be."
    why = {
        "limits": "The limits of the joints do not let it get there",
        "out of reach": "Out of reach",
        "singular": "At the edge of its reach",
    }.get(found.reason, "Not reached")
    turned = "" if missing > 1e-3 else ", turned otherwise"
    return f"{why}: the nearest is shown, {distance(missing)} away{turned}."
