"""A mechanism as a drawing of lines for a page (SVG): it scales, and takes the colors of the page.

The page may set ``--paper``, ``--ink`` and ``--faint``; without them it is drawn on white.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual.drawing.floors import floors_of
from linkwright.visual.drawing.linkage import Skeleton, configurations, nearby, poses_along, skeleton
from linkwright.visual.drawing.scene import Strokes
from linkwright.visual.drawing.view import View, choose_view, grid_lines
from linkwright.visual.palette import AXIS_COLORS, INK

AREA = 540.0 * 340.0
"""of the drawing, square pixels"""
MOST_FRAMES = 10
"""Of more bodies the axes would hide the links."""
FONT = 14.0
"""px"""
GUTTER = 70.0
"""px, on the left, for the axes of the world and for gravity"""
MARGIN = 60.0
"""px, on the right, for labels"""


def vector_drawing(model: Model, q: Any, labels: Mapping[int, str] | None = None, description: str = "") -> str:
    """A mechanism in the configuration q (nq,) as an SVG element.

    ``labels`` name bodies' joints by the body's number; those at one place share a label. Each joint shows its
    axes (x red, y green, z blue), each body its center of mass, and an arrow the direction of gravity.
    ``description`` is for who cannot see it. Raises as :func:`~linkwright.visual.drawing.scene.draw` does.
    """
    q = configurations(model, q)[:1]
    bones = skeleton(model)
    poses = poses_along(model, q)
    points, centers = bones.along(poses), bones.center_of_mass_along(poses)
    reach = bones.along(poses_along(model, nearby(model, q[0])))
    view = choose_view(
        points, centers, model.gravity, reach=reach, floors=floors_of(model), anchors=points[0, bones.anchors]
    )
    page = _VectorCanvas(view, centers[0] if view.follows else np.zeros(3))
    page.grid()
    page.skeleton(bones, points[0])
    if len(bones.joints) <= MOST_FRAMES:
        page.axes(poses[0], points[0][bones.joints])
        page.centers(np.einsum("kij,kj->ki", poses[0][:, :3, :3], bones.centers) + poses[0][:, :3, 3], bones.masses)
    page.corner(model.gravity)
    page.label(points[0][bones.joints], labels or {}, points[0][bones.segments])
    return page.text(description)


class _VectorCanvas:
    """Vector drawing of a mechanism, in pixels from the upper left corner."""

    def __init__(self, view: View, about: Array):
        self.view, self.about = view, about
        span = view.window[1] - view.window[0]
        self.scale = float(np.sqrt(AREA / span.prod()))
        self.width, self.height = (float(x) for x in span * self.scale + (GUTTER + MARGIN, 0.0))
        self.parts: list[str] = []

    def at(self, points: Array) -> Array:
        """Where points (…, 3) of the world are on the page, (…, 2)."""
        return self.placed(self.view.project(points, self.about)[0])

    def placed(self, xy: Array) -> Array:
        """The same of points of the picture, (…, 2), meters."""
        low, high = self.view.window
        return np.stack([xy[..., 0] - low[0], high[1] - xy[..., 1]], axis=-1) * self.scale + (GUTTER, 0.0)

    def line(self, a: Array, b: Array, width: float, color: str) -> None:
        self.parts.append(
            f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" '
            f'style="stroke:{color}" stroke-width="{width:.1f}"/>'
        )

    def word(self, place: Array, word: str, color: str, anchor: str = "middle") -> None:
        self.parts.append(
            f'<text x="{place[0]:.1f}" y="{place[1] + 0.35 * FONT:.1f}" text-anchor="{anchor}" '
            f'style="fill:{color};stroke:var(--paper,#fff)">{escape(word)}</text>'
        )

    def grid(self) -> None:
        found = grid_lines(self.view, self.about)
        if found is None:
            return
        ends, opacity = self.placed(found[0]), np.ceil(6.0 * (1.0 - np.maximum(found[1], 0.0) ** 1.5)) / 10.0
        for level in np.unique(opacity):
            path = "".join(f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}" for a, b in ends[opacity == level])
            self.parts.append(f'<path d="{path}" style="stroke:var(--faint,#999);opacity:{level:.1f}"/>')

    def skeleton(self, bones: Skeleton, points: Array) -> None:
        n = len(bones.joints)
        strokes = Strokes(bones, float(np.clip(11.0 - 0.15 * n, 1.5 if n > 60 else 5.0, 10.0)))
        for numbers, color in strokes.plates:
            corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in self.at(points[numbers]))
            self.parts.append(f'<polygon points="{corners}" style="fill:{_color(color)};opacity:0.6"/>')
        for ends, width, color in zip(*strokes.laid(self.view, points, self.about), strict=True):
            a, b = self.placed(ends)
            self.line(a, b, width, _color(color))

    def axes(self, poses: Array, origins: Array) -> None:
        """x, y and z of every joint, as far as they are not seen end on."""
        length = 34.0 / self.scale
        drawn: list[Array] = []
        for T, origin in zip(poses, origins, strict=True):
            for k in range(3):
                a, b = self.at(np.array([origin, origin + length * T[:3, k]]))
                along = np.concatenate([a, b])
                if np.linalg.norm(b - a) < 4.0 or any(np.abs(along - other).max() < 2.0 for other in drawn):
                    continue
                drawn.append(along)
                self.line(a, b, 2.0, AXIS_COLORS[k])

    def centers(self, places: Array, masses: Array) -> None:
        for (x, y), mass in zip(self.at(places), masses, strict=True):
            if mass > 0.0:
                self.parts.append(
                    f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" stroke-width="1.5" '
                    'style="fill:var(--paper,#fff);stroke:var(--ink,#222)"/>'
                    f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.5" style="fill:var(--ink,#222)"/>'
                )

    def corner(self, gravity: Array) -> None:
        """The axes of the world, and gravity."""
        origin = np.array([34.0, self.height - 34.0])
        for k, name in enumerate("xyz"):
            along = self.view.axes[:2, k] * np.array([1.0, -1.0])
            if np.linalg.norm(along) > 0.15:
                self.line(origin, origin + 24.0 * along, 2.0, AXIS_COLORS[k])
                self.word(origin + 33.0 * along, name, AXIS_COLORS[k])
        strength = float(np.linalg.norm(gravity))
        along = self.view.axes[:2] @ gravity * np.array([1.0, -1.0]) / (strength or 1.0)
        if np.linalg.norm(along) > 0.3:
            start = np.array([34.0, 40.0]) - 16.0 * along
            end = start + 32.0 * along
            side = np.array([-along[1], along[0]])
            self.line(start, end, 2.0, "var(--ink,#222)")
            for way in (4.0, -4.0):
                self.line(end, end - 8.0 * along + way * side, 2.0, "var(--ink,#222)")
            self.word(start + 0.5 * (end - start) + 12.0 * side, "g", "var(--ink,#222)")

    def label(self, joints: Array, labels: Mapping[int, str], segments: Array) -> None:
        """Draw each label next to its joint, at the position where it covers the least."""
        shared: dict[tuple[int, int], list[str]] = {}
        for k, name in labels.items():
            x, y = np.round(self.at(joints[k]) / 6.0)
            shared.setdefault((int(x), int(y)), []).append(name)
        ends = self.at(segments)
        covered = np.concatenate([(1.0 - s) * ends[:, 0] + s * ends[:, 1] for s in np.linspace(0.0, 1.0, 33)])
        boxes: list[Array] = []
        for (x, y), names in shared.items():
            word = ", ".join(names)
            half = np.array([0.29 * FONT * len(word) + 2.0, 0.6 * FONT])
            best: tuple[float, Array] | None = None
            for turn, reach in ((t, r) for r in (1.0, 1.8) for t in np.arange(-2, 6)):
                way = np.array([np.cos(turn * np.pi / 4.0), np.sin(turn * np.pi / 4.0)])
                middle = 6.0 * np.array([x, y]) + way * (half + 12.0 * reach)
                low, high = np.minimum(middle, (self.width, self.height) - half - 2.0), half + 2.0
                middle = np.maximum(low, high)
                cost = reach + float((np.abs(covered - middle) < half + 4.0).all(axis=1).sum())
                cost += 20.0 * sum(bool((np.abs(box[0] - middle) < box[1] + half).all()) for box in boxes)
                if best is None or cost < best[0]:
                    best = cost, middle
            assert best is not None
            boxes.append(np.array([best[1], half]))
            self.word(best[1], word, "var(--ink,#222)")

    def text(self, description: str) -> str:
        name = f' role="img" aria-label="{escape(description)}"' if description else ""
        return (
            f'<svg viewBox="0 0 {self.width:.0f} {self.height:.0f}" width="{self.width:.0f}" '
            f'height="{self.height:.0f}" xmlns="http://www.w3.org/2000/svg"{name} stroke-linecap="round" '
            f'font-family="system-ui, sans-serif" font-size="{FONT:g}">'
            "<style>text{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}</style>"
            f"{''.join(self.parts)}</svg>"
        )


def _color(rgb: Any) -> str:
    """A color of the library's; white and ink become the page's own."""
    code = "#" + "".join(f"{round(255.0 * float(c)):02X}" for c in rgb)
    return {"#FFFFFF": "var(--paper,#fff)", INK: "var(--ink,#222)"}.get(code, code)
