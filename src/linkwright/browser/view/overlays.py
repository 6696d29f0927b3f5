"""Additional displays: frames, names, inertia, center of mass, collision shapes, distances, ellipsoids."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np

from linkwright.browser.hand import Hand
from linkwright.browser.posture import Posture
from linkwright.browser.sliders import drivers, free_velocities, shortened
from linkwright.browser.view.robot import RobotNodes, node_name
from linkwright.browser.view.scene import BrowserScene
from linkwright.browser.view.solids import Color, to_link
from linkwright.errors import ModelError
from linkwright.geometry import rotation
from linkwright.geometry.distances import PairDistances, chosen_pairs
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual.ellipsoids import DRAWN
from linkwright.visual.rendering.surfaces import sphere

ORANGE: Color = (230, 130, 30)
GREEN: Color = (40, 150, 90)
RED: Color = (215, 40, 40)
YELLOW: Color = (245, 190, 20)
VELOCITY: Color = (44, 127, 184)
FORCE: Color = (217, 95, 14)
MOST_FRAMES = 300
MOST_DISTANCES = 3
WARNING = 0.03
"""Initial bound of the smallest distance, relative to the size of the mechanism."""
THINNEST = 0.004
"""Smallest semi-axis of an ellipsoid, relative to the size of the mechanism."""
UNBOUNDED = 1.5
"""Length of an unbounded axis, relative to the longest bounded one."""


class Looks:
    """Check boxes for additional displays. Each display is created at its first use."""

    def __init__(self, gui: Any, scene: BrowserScene, posture: Posture, hand: Hand | None):
        self.gui, self.scene, self.posture, self.hand, self.model = gui, scene, posture, hand, scene.model
        self._made: dict[str, Any] = {}
        self._shown: set[str] = set()
        self.boxes: dict[str, Any] = {}
        """the check boxes by the names of their displays"""
        self._box("robot", "Robot", "The links of the robot", True)
        self._box("ground", "Ground", "The grid on the ground", True)
        self._box("frames", "Frames", "Axes of every link and frame: x red, y green, z blue", False)
        self._box("names", "Names", "Names of the links", False)
        self._box(
            "center of mass",
            "Center of mass",
            "Center of mass of the mechanism, and its projection to the ground",
            False,
        )
        self._box(
            "inertia", "Inertia", "For each link, an ellipsoid of uniform density with its mass and inertia", False
        )
        if any(shape.touches and shape.kind != "plane" for shape in self.model.shapes):
            self._box("touching", "Collision shapes", "Shapes for contact", False)
        self.bound: Any = None
        """the number input with the distance in mm below which the smallest distance is red"""
        if has_pairs(self.model):
            self._box("distance", "Smallest distance", "Nearest points of links that are not joined", False)
            self.bound = gui.add_number("Red below (mm)", round(1000.0 * WARNING * scene.size), min=0.0, visible=False)
            self.bound.on_update(lambda _: self.show(posture.q))
        if hand is not None:
            self._box("velocity", "Velocity ellipsoid", "Possible velocities of the hand (not to scale)", False)
            self._box("force", "Force ellipsoid", "Possible forces of the hand (not to scale)", False)
        posture.listen(self.show, self)

    def set(self, what: str, shown: bool) -> None:
        """Show or hide a display."""
        (self._shown.add if shown else self._shown.discard)(what)
        with self.scene.server.atomic():
            if shown and what not in self._made:
                self._made[what] = self._makers()[what]()
            self._seen(what, shown)
            if what == "distance":
                self.bound.visible = shown
            if shown:
                self._follow(what, self.posture.q)

    def show(self, q: Array) -> None:
        """Update the displays for a configuration (nq,)."""
        for what in self._shown:
            self._follow(what, q)

    def _box(self, what: str, label: str, hint: str, shown: bool) -> None:
        box = self.boxes[what] = self.gui.add_checkbox(label, shown, hint=hint)
        if shown:
            self._made[what] = self._makers()[what]()
            self._shown.add(what)

        box.on_update(lambda _: self.set(what, bool(box.value)))

    def _makers(self) -> dict[str, Callable[[], Any]]:
        return {
            "robot": lambda: [self.scene.robot],
            "ground": lambda: [self.scene.ground],
            "frames": self._frames,
            "names": self._names,
            "center of mass": self._center,
            "inertia": self._inertia,
            "touching": self._touching,
            "distance": self._distance,
            "velocity": lambda: [self._ball("ellipsoids/velocity", VELOCITY, 0.3)],
            "force": lambda: [self._ball("ellipsoids/force", FORCE, 0.3)],
        }

    def _seen(self, what: str, shown: bool) -> None:
        for one in self._made.get(what, ()):
            one.visible = shown

    def _follow(self, what: str, q: Array) -> None:
        import linkwright as lw

        if what == "center of mass":
            center = np.asarray(lw.center_of_mass(self.model, q))
            ball, line = self._made[what]
            ball.position = center
            up = self.scene.view.up
            foot = center if self.scene.view.flat else center - (center @ up - self.scene.level) * up
            line.points = np.array([[center, foot]], dtype=np.float32)
        elif what == "touching":
            self._made[what][0].place(self.scene.poses)
        elif what == "distance":
            self._show_distances(lw.distances(self.model, q))
        elif what in ("velocity", "force") and self.hand is not None:
            axes, semi = ellipsoid(self.model, q, self.hand.frame, what)
            self._shape(self._made[what][0], axes, semi, self.hand.pose(q)[:3, 3])

    def _shape(self, node: Any, axes: Array, semi: Array, place: Array) -> None:
        size = self.scene.size
        open_axes = np.isinf(semi)
        longest = float(semi[~open_axes].max(initial=0.0))
        lengths = np.where(open_axes, UNBOUNDED, semi / longest if longest > 0.0 else 0.0) * DRAWN * size
        axes = axes * np.sign(np.linalg.det(axes) or 1.0)
        node.wxyz, node.position = rotation.to_quaternion(axes), place
        node.scale = tuple(map(float, np.maximum(lengths, THINNEST * size)))

    def _ball(self, name: str, color: Color, opacity: float) -> Any:
        ball = sphere()
        return self.scene.server.scene.add_mesh_simple(
            f"/{name}",
            ball.vertices.astype(np.float32),
            ball.faces.astype(np.uint32),
            color=color,
            opacity=opacity if opacity < 1.0 else None,
            cast_shadow=False,
            receive_shadow=False,
        )

    def _frames(self) -> list[Any]:
        nodes = []
        length = 0.09 * self.scene.size
        for number, (name, frame) in enumerate(list(self.model.frames.items())[:MOST_FRAMES]):
            T = to_link(self.model, frame.body) @ frame.placement
            above = "" if frame.body < 0 else self.scene.robot.nodes[frame.body].name
            nodes.append(
                self.scene.server.scene.add_frame(
                    f"{above}/frame_{number}_{node_name(name)}",
                    axes_length=length,
                    axes_radius=0.045 * length,
                    origin_radius=0.09 * length,
                    wxyz=rotation.to_quaternion(T[:3, :3]),
                    position=T[:3, 3],
                )
            )
        return nodes

    def _names(self) -> list[Any]:
        return [
            self.scene.server.scene.add_label(f"{node.name}/name", shortened(name), anchor="bottom-center")
            for node, name in zip(self.scene.robot.nodes, self.scene.robot.frames, strict=True)
        ]

    def _center(self) -> list[Any]:
        scene = self.scene.server.scene
        ball = scene.add_icosphere("/center_of_mass", 0.022 * self.scene.size, YELLOW, cast_shadow=False)
        line = scene.add_line_segments(
            "/center_of_mass_line", np.zeros((1, 2, 3), dtype=np.float32), YELLOW, thickness=0.006 * self.scene.size
        )
        return [ball, line]

    def _distance(self) -> list[Any]:
        scene, size = self.scene.server.scene, self.scene.size
        lines = scene.add_line_segments("/distance", np.zeros((1, 2, 3), np.float32), GREEN, thickness=0.008 * size)
        return [lines, *(scene.add_label(f"/distance/{k}", "", anchor="bottom-left") for k in range(MOST_DISTANCES))]

    def _show_distances(self, found: PairDistances) -> None:
        """Show the smallest distance, and those of other pairs of links below the bound."""
        rows: dict[frozenset[str], int] = {}
        for k in np.argsort(found.distance):
            rows.setdefault(frozenset(name.partition("[")[0] for name in found.pairs[k]), int(k))
        bound = 0.001 * self.bound.value
        shown = [k for place, k in enumerate(rows.values()) if not place or found.distance[k] < bound][:MOST_DISTANCES]
        lines, *labels = self._made["distance"]
        lines.points = np.stack([found.first[shown], found.second[shown]], axis=1).astype(np.float32)
        colors = [RED if found.distance[k] < bound else GREEN for k in shown]
        lines.colors = np.repeat(np.array(colors, dtype=np.uint8)[:, None], 2, axis=1)
        for label, k in zip_longest(labels, shown):
            label.visible = k is not None
            if k is not None:
                names = " to ".join(shortened(name) for name in found.pairs[k]) if label is labels[0] else ""
                label.text = f"{round(1000.0 * float(found.distance[k]))} mm {names}"
                label.position = 0.5 * (found.first[k] + found.second[k])

    def _inertia(self) -> list[Any]:
        nodes = []
        ball = sphere()
        for node, body in zip(self.scene.robot.nodes, self.model.bodies, strict=True):
            semi, axes = ellipsoid_of(body.mass, np.asarray(body.inertia, dtype=float))
            if not semi.any():
                continue
            nodes.append(
                self.scene.server.scene.add_mesh_simple(
                    f"{node.name}/inertia",
                    ball.vertices.astype(np.float32),
                    ball.faces.astype(np.uint32),
                    color=GREEN,
                    opacity=0.45,
                    cast_shadow=False,
                    receive_shadow=False,
                    scale=tuple(map(float, np.maximum(semi, THINNEST * self.scene.size))),
                    wxyz=rotation.to_quaternion(axes),
                    position=np.asarray(body.center_of_mass, dtype=float),
                )
            )
        return nodes

    def _touching(self) -> list[Any]:
        return [RobotNodes(self.scene.server, self.model, "touching", opacity=0.35, color=ORANGE, shapes="touching")]


def has_pairs(model: Model) -> bool:
    """Return whether the mechanism has shapes that may collide with each other."""
    try:
        return bool(chosen_pairs(model, None, ()))
    except ModelError:
        return False


def ellipsoid(model: Model, q: Array, frame: str, what: str) -> tuple[Array, Array]:
    """Return the "velocity" or "force" ellipsoid of a frame: its axes (3, 3), as columns, and semi-axes (3,).

    With closed loops the ellipsoid is that of the velocities or efforts of the joints that drive them. Where these do
    not determine all velocities, as in a singular configuration, it is that of all joints.
    """
    import linkwright as lw

    if not model.loops:
        function = lw.velocity_ellipsoid if what == "velocity" else lw.force_ellipsoid
        found = function(model, q, frame)
        return found.axes, found.semi_axes
    N = free_velocities(model, q)
    driving = [model.slice(name).v.start for name in drivers(model, q)]
    if len(driving) == N.shape[1] and np.linalg.cond(N[driving]) < 1e6:
        N = N @ np.linalg.inv(N[driving])
    U, s, _ = np.linalg.svd(np.asarray(lw.jacobian(model, q, frame))[:3] @ N)
    s = np.concatenate([s, np.zeros(3 - len(s))])
    s = np.where(s > 1e-9 * s.max(initial=0.0), s, 0.0)
    if what == "velocity":
        return U, s
    with np.errstate(divide="ignore"):
        return U, 1.0 / s


def ellipsoid_of(mass: float, inertia: Array) -> tuple[Array, Array]:
    """The ellipsoid of even density that has a mass (kg) and an inertia (3, 3) about its center (kg m²).

    Its semi-axes (3,), m, zero of a body without mass, and axes (3, 3) as columns, right-handed.
    """
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0.0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    if mass <= 0.0:
        return np.zeros(3), axes
    squares = 2.5 / mass * (moments.sum() - 2.0 * moments)
    return np.sqrt(np.maximum(squares, 0.0)), axes
