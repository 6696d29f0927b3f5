"""Pictures of a mechanism: the view, and the strokes it is drawn with.

A spatial view is a perspective of our own, drawn as strokes sorted by depth: an order of magnitude
faster than a general plotter of surfaces, and lines cross in front of each other as they should.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.errors import InputError
from linkwright.model.requirement import takes_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.visual import palette
from linkwright.visual.drawing.floors import floors_of
from linkwright.visual.drawing.linkage import (
    SegmentKind,
    Skeleton,
    configurations,
    nearby,
    poses_along,
    skeleton,
)
from linkwright.visual.drawing.skin import Skin, skin
from linkwright.visual.drawing.view import View, ViewName, choose_view, grid_lines, in_sight, round_step
from linkwright.visual.rendering.renderer import SolidRenderer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRACE_LEVELS = 12
HEAD, LEAST_ARROW = 0.045, 0.02
"""Length of an arrow's head and least length of an arrow that is drawn, relative to the size of the mechanism."""
COIL_TURNS, COIL_WIDTH = 6, 0.022
"""Turns of the coil of a spring between bodies, and its half width relative to the size of the mechanism."""
MOST_STROKES = 600
"""of a mechanism whose springs are wound"""
DPI = 100
MOST_DOTS = 80
"""On more joints than this dots, and white edges, would hide the links."""
AREA = 23.0
"""of the drawing, square inches"""


class Strokes:
    """The strokes of a skeleton: what to draw between which points, in which color and width."""

    def __init__(self, bones: Skeleton, width: float, fade: float = 0.0):
        kinds = bones.kinds
        style = {
            SegmentKind.BASE: (palette.BASE, 1.2),
            SegmentKind.RAIL: (palette.RAIL, 0.55),
            SegmentKind.CARRIAGE: (palette.INK, 1.7),
            SegmentKind.COIL: (palette.SPRING, 0.3),
            SegmentKind.ROPE: (palette.SPRING, 0.3),
        }
        shapes = {
            SegmentKind.LINK: (0.0, 1.0),
            SegmentKind.TUBE: (0.0, 1.5),
            SegmentKind.ROD: (0.35, 0.6),
        }  # how pale, how wide
        limbs = limb_colors(bones)
        colors, widths = [], []
        for kind, owner in zip(kinds, bones.owner, strict=True):
            if kind in shapes:
                pale, factor = shapes[kind]
                color = limbs[owner] if owner >= 0 else palette.BASE
            else:
                pale, (color, factor) = 0.0, style[SegmentKind(kind)]
            colors.append(palette.mixed(color, 1.0 - (1.0 - pale) * (1.0 - fade)))
            widths.append(width * factor)
        marks = bones.marks if len(bones.marks) <= MOST_DOTS else bones.marks[:0]
        dots = marks[:, 0]
        self.ends = np.concatenate([bones.segments, np.stack([dots, dots], axis=1)])
        # two strokes each: a white edge under a link, a white heart on a joint
        n, m = len(colors), len(dots)
        white, ink = (1.0, 1.0, 1.0), palette.mixed(palette.INK, fade)
        edges = [white] * n if len(bones.joints) <= MOST_DOTS else colors  # many short links would hide each other
        self.colors = np.array(
            [c for pair in zip(edges, colors, strict=True) for c in pair] + [ink, white] * m
        ).reshape(n + m, 2, 3)
        link_widths = [w for each in widths for w in (each + 2.0, each)]
        self.widths = np.array(link_widths + [1.4 * width + 1.0, 0.75 * width] * m).reshape(n + m, 2)
        thin = np.flatnonzero(
            np.isin(kinds, (SegmentKind.COIL, SegmentKind.ROPE))
        )  # whose corners white edges would cut
        self.colors[thin, 0], self.widths[thin, 0] = self.colors[thin, 1], self.widths[thin, 1]
        touching = [np.isin(bones.segments, mark).any(axis=1) for mark in marks]
        self.joined = [np.flatnonzero(touches) for touches in touching]
        """the segments that end at each dot, which is nearer than all of them"""
        self.coils = np.flatnonzero(kinds == SegmentKind.COIL) if len(kinds) <= MOST_STROKES else np.zeros(0, dtype=int)
        self.plates = [(np.array(p), palette.mixed(limbs[bones.body[p[0]]], 0.75 + 0.25 * fade)) for p in bones.plates]

    def laid(self, view: View, points: Array, about: Any) -> tuple[Array, Array, Array]:
        """Segments (n, 2, 2), widths and colors, the far ones first."""
        xy, depth = view.project(points, about)
        ends = xy[self.ends]
        near = depth[self.ends].mean(axis=1)
        n = len(near) - len(self.joined)
        for i, joined in enumerate(self.joined):
            near[n + i] = max(near[n + i], near[joined].max(initial=-np.inf)) + 1e-6 * view.size
        dots = ends[n:] + np.array([[-1e-3, 0.0], [1e-3, 0.0]]) * view.size  # a stroke without length is not drawn
        ends = np.concatenate([ends[:n], dots])
        widths, colors = self.widths, self.colors
        if len(self.coils):
            wound = _wound(ends[self.coils], COIL_WIDTH * view.size)
            kept, turns = np.setdiff1d(np.arange(len(ends)), self.coils), wound.shape[1]
            each = np.concatenate([kept, np.repeat(self.coils, turns)])
            ends = np.concatenate([ends[kept], wound.reshape(-1, 2, 2)])
            near, widths, colors = near[each], widths[each], colors[each]
        order = np.argsort(near, kind="stable")
        scale = np.ones(len(near)) if view.flat else np.clip(view.distance / (view.distance - near), 0.7, 1.5)
        return (
            np.repeat(ends[order], 2, axis=0),
            (widths * scale[:, None])[order].ravel(),
            colors[order].reshape(-1, 3),
        )


def without_opacity(pixels: Array) -> Array:
    """Return a copy (height, width, 3) of pixels (height, width, 4)."""
    colors = np.empty((*pixels.shape[:2], 3), dtype=pixels.dtype)
    for k in range(3):  # ten times as fast as a copy of pixels[..., :3]
        colors[..., k] = pixels[..., k]
    return colors


def _arrow_strokes(view: View, arrows: Array, about: Any) -> list[Array]:
    """Shafts and heads of arrows (k, 2, 3), in the picture; what is too short for a head is left out."""
    ends = view.project(arrows.reshape(-1, 3), about)[0].reshape(-1, 2, 2)
    strokes: list[Array] = []
    for tail, tip in ends:
        along = tip - tail
        length = float(np.linalg.norm(along))
        if not length > LEAST_ARROW * view.size:
            continue
        back = -min(HEAD * view.size, 0.5 * length) / length * along
        across = np.array([-back[1], back[0]])
        strokes.append(np.array([tail, tip]))
        strokes.append(np.array([tip + back + 0.6 * across, tip, tip + back - 0.6 * across]))
    return strokes


def _wound(ends: Array, width: float) -> Array:
    """Coils of springs between ends (n, 2, 2) of the picture, as segments (n, turns, 2, 2); straight at either end."""
    along = np.concatenate([[0.0], np.linspace(0.15, 0.85, 2 * COIL_TURNS + 1), [1.0]])
    aside = np.concatenate([[0.0, 0.0], width * (-1.0) ** np.arange(2 * COIL_TURNS - 1), [0.0, 0.0]])
    r = ends[:, 1] - ends[:, 0]
    across = np.stack([-r[:, 1], r[:, 0]], axis=1) / np.maximum(np.linalg.norm(r, axis=1), 1e-300)[:, None]
    corners = ends[:, :1] + along[:, None] * r[:, None] + aside[:, None] * across[:, None]
    return np.stack([corners[:, :-1], corners[:, 1:]], axis=2)


def limb_colors(bones: Skeleton) -> list[str]:
    """The color of every body: that of its limb, and another than of what that meets at joints and pins."""
    met: dict[int, set[int]] = {int(limb): set() for limb in bones.limbs}
    for a, b in bones.body[bones.marks]:
        if a >= 0 and b >= 0 and bones.limbs[a] != bones.limbs[b]:
            met[bones.limbs[a]].add(bones.limbs[b])
            met[bones.limbs[b]].add(bones.limbs[a])
    count = len(palette.COLORS)
    chosen: dict[int, int] = {}
    for limb, others in sorted(met.items()):
        taken = {chosen[other] for other in others if other in chosen}
        wheel = [(limb + k) % count for k in range(count)]
        chosen[limb] = next((color for color in wheel if color not in taken), wheel[0])
    return [palette.COLORS[chosen[limb]] for limb in bones.limbs]


class Scene:
    """A figure with a mechanism in it, made once and shown in one configuration after the other."""

    def __init__(
        self,
        bones: Skeleton,
        view: View,
        title: str = "",
        ghosts: int = 0,
        mark_center: bool = False,
        figure: Callable[..., Figure] | None = None,
        covered: Skin | None = None,
        detail: int = 1,
        area: float = AREA,
    ):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import LineCollection, PolyCollection

        from linkwright.visual.drawing.pixels import WordsInPixels

        if covered is not None and view.pedestal is not None and view.ground is not None:
            covered = covered.on_pedestal(view.pedestal, view.up, view.ground, view.size)
        self.bones, self.view, self.covered = bones, view, covered
        self._sticks = bones if covered is None else covered.bare(bones)
        self.figure, self.axes = _figure(view, figure, area)
        self.canvas: Any = FigureCanvasAgg(self.figure) if figure is None else self.figure.canvas
        _dress(self.figure, self.axes, view, title)
        links = len(bones.joints)
        thickness = float(np.clip(9.0 - 0.1 * links, 1.0 if links > 60 else 4.0, 8.0))
        self._grid = LineCollection([], linewidths=0.8, zorder=1)
        self._shadow = LineCollection([], colors=palette.SHADOW, linewidths=0.9 * thickness, capstyle="round", zorder=2)
        self._trace = LineCollection([], linewidths=2.2, capstyle="round", zorder=3)
        self._layers: list[tuple[Strokes, PolyCollection, LineCollection]] = []
        self._skins: list[tuple[Array, Any]] = []
        self._renderer: SolidRenderer | None = None
        if covered is not None:
            width, height = (int(np.ceil(detail * x - 1e-6)) for x in self.axes.bbox.size)
            self._renderer = SolidRenderer(covered, view, width, height)
        for k in range(ghosts + 1):
            fade = 0.0 if k == ghosts else 0.85 - 0.35 * k / max(ghosts - 1, 1)
            plates = PolyCollection([], linewidths=0.0, zorder=4 + 2 * k)
            links_drawn = LineCollection([], capstyle="round", zorder=5 + 2 * k)
            links_drawn.set_snap(False)  # snapped to pixels a dot would be a stroke without length
            strokes = Strokes(self._sticks, thickness, fade)
            self._layers.append((strokes, plates, links_drawn))
            if covered is not None:
                assert self._renderer is not None
                paint = self._renderer.paint(_skin_colors(covered, bones, fade))
                self._skins.append((paint, self._picture(5.5 + 2 * k, detail)))
        self._arrows = LineCollection([], colors=palette.FORCE, linewidths=3.0, capstyle="round", zorder=80)
        artists: list[Any] = [self._grid, self._shadow, self._trace, self._arrows]
        artists += [artist for _, plates, links_drawn in self._layers for artist in (plates, links_drawn)]
        for artist in artists:
            self.axes.add_collection(artist, autolim=False)
        artists += [picture for _, picture in self._skins]
        self._center: Any = None
        if mark_center:
            (self._center,) = self.axes.plot(
                [],
                [],
                "o",
                ms=9,
                mfc="white",
                mec=palette.INK,
                mew=2.0,
                fillstyle="right",
                markerfacecoloralt=palette.INK,
                zorder=90,
            )
        self._time = WordsInPixels(
            0.03, 0.965, "", horizontalalignment="left", verticalalignment="top", fontsize=11, color=palette.INK
        )
        self.figure.add_artist(self._time)
        self._place = self.figure.text(0.97, 0.03, "", ha="right", va="bottom", fontsize=9, color=palette.MUTED)
        self._height: Any = None if view.climb is None else _altimeter(self.figure, *view.climb)
        if view.follows:
            artists += [self._place] + [self._height] * (self._height is not None)
        else:
            self._draw_ground(np.zeros(3))
            artists.remove(self._grid)  # it stays
        self.moving = [*artists, *([self._center] if mark_center else []), self._time]
        self._trace_colors = [
            palette.mixed(palette.TRACE, 0.9 * (1.0 - (k + 1) / TRACE_LEVELS)) for k in range(TRACE_LEVELS)
        ]

    def show(
        self,
        *layers: Array,
        center_of_mass: Array | None = None,
        time: str = "",
        trail: Array | None = None,
        poses: Array | None = None,
        arrows: Array | None = None,
        pixels: Sequence[Array] | None = None,
    ) -> None:
        """Draw the mechanism with its points at ``layers``, each (n_points, 3), the last one in full color.

        A mechanism with a skin needs the ``poses`` (n_layers, n_bodies, 4, 4) of its bodies too, or their
        ``pixels`` as of :meth:`rendered`.
        ``trail`` (n, 3) is the path a point has come along, the oldest first; ``arrows`` (k, 2, 3) are from a tail to a
        tip.
        """
        about = center_of_mass if self.view.follows and center_of_mass is not None else np.zeros(3)
        if self.view.follows:
            self._draw_ground(about)
            x, y, z = np.round(about, 1) + 0.0  # no -0.0
            self._place.set_text(f"following the center of mass, at ({x:.1f}, {y:.1f}, {z:.1f}) m")
            if self._height is not None:
                self._height.set_ydata([float(about @ self.view.up)])
        for points, (strokes, plates, drawn) in zip(layers, self._layers, strict=True):
            segments, widths, colors = strokes.laid(self.view, points, about)
            drawn.set_segments(list(segments))
            drawn.set_linewidth(widths.tolist())
            drawn.set_color(list(map(tuple, colors)))
            if strokes.plates:
                xy, depth = self.view.project(points, about)
                far_first = sorted(strokes.plates, key=lambda plate: float(depth[plate[0]].mean()))
                plates.set_verts([xy[numbers] for numbers, _ in far_first])
                plates.set_facecolor([color for _, color in far_first])
        if pixels is None and poses is not None:
            pixels = self.rendered(poses, center_of_mass)
        for image, (_, picture) in zip(pixels or (), self._skins, strict=True):
            picture.set_data(image)
        if self.view.ground is not None:
            self._draw_shadow(layers[-1], about)
        if trail is not None and len(trail) > 1:
            xy = self.view.project(trail, about)[0]
            ends = np.unique(np.linspace(0, len(trail) - 1, TRACE_LEVELS + 1).astype(int))
            self._trace.set_segments([xy[a : b + 1] for a, b in pairwise(ends)])
            self._trace.set_color(self._trace_colors[-(len(ends) - 1) :])
        if self._center is not None and center_of_mass is not None:
            xy = self.view.project(center_of_mass, about)[0]
            self._center.set_data([xy[0]], [xy[1]])
        if arrows is not None:
            self._arrows.set_segments(_arrow_strokes(self.view, arrows, about))
        self._time.set_text(time)

    def rendered(self, poses: Array, center_of_mass: Array | None) -> list[Array]:
        """Render the shapes of each layer, with the poses (n_layers, n_bodies, 4, 4) of its bodies."""
        if self._renderer is None:
            return []
        about = center_of_mass if self.view.follows and center_of_mass is not None else np.zeros(3)
        last = len(self._skins) - 1
        return [
            self._renderer.image(now, paint, about, ground=k == last)
            for k, (now, (paint, _)) in enumerate(zip(poses, self._skins, strict=True))
        ]

    def frames(self, show: Callable[[int], None], n: int) -> Any:
        """Yield the pixels (height, width, 3) after ``show(k)`` for each k; only the moving artists are redrawn."""
        for artist in self.moving:
            artist.set_animated(True)
        self.canvas.draw()
        still = self.canvas.copy_from_bbox(self.figure.bbox)
        for k in range(n):
            show(k)
            self.canvas.restore_region(still)
            self.draw_moving()
            yield without_opacity(np.asarray(self.canvas.buffer_rgba()))

    def draw_moving(self) -> None:
        """Draw what moves on the canvas, over what stands still."""
        for artist in sorted(self.moving, key=lambda artist: artist.get_zorder()):
            if not hasattr(artist, "get_paths") or artist.get_paths():
                self.axes.draw_artist(artist)

    def _draw_shadow(self, points: Array, about: Array) -> None:
        view, bones = self.view, self._sticks
        assert view.ground is not None
        if not (len(bones.segments) and in_sight(view, about, view.ground)):
            self._shadow.set_segments([])
            return
        below = points - np.outer(points @ view.up - view.ground, view.up)
        xy = view.project(below, about)[0]
        cast = ~np.isin(bones.kinds, (SegmentKind.RAIL, SegmentKind.COIL, SegmentKind.ROPE))
        self._shadow.set_segments(list(xy[bones.segments[cast]]))

    def _picture(self, zorder: float, detail: int) -> Any:
        """A picture in the axes for the pixels of the renderer."""
        from linkwright.visual.drawing.pixels import PixelImage

        assert self._renderer is not None
        picture = PixelImage(self.axes, self._renderer.extent, detail, zorder)
        self.axes.add_artist(picture)
        return picture

    def _draw_ground(self, about: Array) -> None:
        found = grid_lines(self.view, about)
        if found is None:
            self._grid.set_segments([])
            return
        segments, far, note = found
        self._grid.set_segments(list(segments))
        edge = far < 0.0
        gray = np.where(edge, 0.45, 0.8 + 0.2 * np.maximum(far, 0.0) ** 1.5)
        self._grid.set_color([(c, c, c) for c in np.round(gray, 2)])
        self._grid.set_linewidth(np.where(edge, 2.0, 0.8).tolist())
        if not self.view.follows:
            self._place.set_text(note)


def _skin_colors(covered: Skin, bones: Skeleton, fade: float) -> Array:
    """The color (m, 3) of each triangle: the shape's own, else its body's."""
    limbs = limb_colors(bones)
    own = np.array([palette.mixed(color, 0.25) for color in limbs] + [palette.mixed(palette.BASE, 0.25)])
    colors = np.where(np.isnan(covered.colors), own[covered.body[covered.faces[:, 0]]], covered.colors)
    return colors + (1.0 - colors) * fade


def _figure(view: View, make: Callable[..., Figure] | None, area: float) -> tuple[Figure, Any]:
    """A figure of the window's shape, with axes that fill it but for a title and, where there are any, labels."""
    from matplotlib.figure import Figure

    left, right, bottom, top = (0.75, 0.2, 0.55, 0.45) if view.flat and not view.follows else (0.0, 0.0, 0.0, 0.4)
    left = left if view.climb is None else 0.85  # room for the height
    span = view.window[1] - view.window[0]
    width, height = span * np.sqrt(area / span.prod())
    size = 2.0 * np.round(0.5 * DPI * np.array([left + width + right, bottom + height + top])) / DPI  # even pixels
    figure = (make or Figure)(figsize=(float(size[0]), float(size[1])), dpi=DPI, facecolor="white")
    axes = figure.add_axes((left / size[0], bottom / size[1], width / size[0], height / size[1]))
    return figure, axes


def _dress(figure: Figure, axes: Any, view: View, title: str) -> None:
    measured = view.flat and not view.follows
    axes.set_xlim(*view.window[:, 0])
    axes.set_ylim(*view.window[:, 1])
    if title:
        figure.text(0.97, 0.965, title, ha="right", va="top", fontsize=11, color=palette.MUTED, parse_math=False)
    if not measured:
        axes.set_axis_off()
        if not view.flat:
            _triad(figure, view)
        return
    axes.set_xlabel(f"{_axis_name(view.axes[0])} (m)")
    axes.set_ylabel(f"{_axis_name(view.axes[1])} (m)")
    palette.dress(axes)


def _axis_name(direction: Array) -> str:
    """ "x", "−z", … for a direction along an axis of the world, else its components."""
    k = int(np.argmax(np.abs(direction)))
    if abs(direction[k]) > 1.0 - 1e-6:
        return ("−" if direction[k] < 0.0 else "") + "xyz"[k]
    return "along ({:.2f}, {:.2f}, {:.2f})".format(*(direction + 0.0))


def _altimeter(figure: Figure, ground: float, low: float, high: float) -> Any:
    """How high above the ground what is followed is, at the left; the mark to move is returned."""
    width = figure.get_size_inches()[0]
    axes = figure.add_axes((0.55 / width, 0.3, 0.12 / width, 0.5))
    low, high = min(low, ground), max(high, ground)
    span = high - low
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(low - 0.04 * span, high + 0.04 * span)
    axes.axhspan(low - 0.04 * span, ground, color="#D9DCE0", linewidth=0.0)
    axes.axhline(ground, color=palette.BASE, linewidth=2.0)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    axes.spines["left"].set_color(palette.SPINE)
    axes.set_xticks([])
    step = round_step(0.4 * span)
    axes.set_yticks(step * np.arange(np.ceil(low / step), np.floor(high / step) + 1.0))
    axes.tick_params(colors=palette.TICK, labelsize=8)
    axes.text(-0.5, low - 0.06 * span, "ground", fontsize=8, color=palette.TICK, ha="center", va="top")
    axes.set_title("height (m)", fontsize=8, color=palette.TICK, loc="left", x=-3.0)
    (mark,) = axes.plot([0.5], [high], "o", ms=7, color=palette.TRACE, clip_on=False)
    return mark


def _triad(figure: Figure, view: View) -> None:
    """The world's axes, small, under the time, where no base stands; in the corner below if heights are shown there."""
    width, height = figure.get_size_inches()
    low = 0.01 if view.climb is not None else 1.0 - 1.35 / height
    corner = figure.add_axes((0.01, low, 0.9 / width, 0.9 / height))
    corner.set_xlim(-1.5, 1.5)
    corner.set_ylim(-1.5, 1.5)
    corner.set_axis_off()
    for axis, name, color in zip(view.axes.T, "xyz", palette.AXIS_COLORS, strict=True):
        corner.plot([0.0, axis[0]], [0.0, axis[1]], color=color, linewidth=2.0, solid_capstyle="round")
        corner.text(1.32 * axis[0], 1.32 * axis[1], name, color=color, fontsize=9, ha="center", va="center")


@takes_model
def draw(
    model: Model,
    q: ArrayLike,
    *,
    view: ViewName = "auto",
    title: str | None = None,
    center_of_mass: bool = False,
    azimuth: float = -50.0,
    elevation: float = 18.0,
    shapes: bool | str = True,
) -> Figure:
    """Draw a mechanism in one or more configurations.

    Planes and height fields of the world are drawn as grids around the mechanism.

    Parameters
    ----------
    model : Model
        Mechanism.
    q : array_like, shape (nq,) or (n, nq)
        Configuration. Of several configurations the last one has the full color and the others are ghosts.
    view : {"auto", "2d", "3d"}, optional
        "2d" is the orthogonal view of a plane, "3d" the perspective view from ``azimuth`` and ``elevation``. "auto"
        is "2d" for a mechanism that moves in a plane, else "3d".
    title : str, optional
        Title; by default the name of the model.
    center_of_mass : bool, optional
        Mark the center of mass.
    azimuth : float, optional
        Direction of view about the vertical axis, in degrees from the horizontal x axis.
    elevation : float, optional
        Direction of view above the horizontal plane, in degrees, between -90 and 90.
    shapes : bool or "touching", optional
        True draws bodies with visible shapes by these shapes and the other bodies as sticks, False draws all bodies as
        sticks, and "touching" draws the collision shapes over the sticks.

    Returns
    -------
    matplotlib.figure.Figure
        The picture.

    Raises
    ------
    ShapeError
        If ``q`` has the wrong shape.
    InputError
        If ``q`` is empty or not finite, or an option is not valid.

    Examples
    --------
    >>> import linkwright as lw
    >>> robot = lw.load("arm7")
    >>> figure = lw.draw(robot, robot.neutral())
    """
    model.require_numbers("a drawing")
    q = configurations(model, q)
    if not len(q):
        raise InputError("q has no configuration to draw")
    bones = skeleton(model)
    poses = poses_along(model, q)
    points, centers = bones.along(poses), bones.center_of_mass_along(poses)
    reach = bones.along(poses_along(model, nearby(model, q[0])))
    covered = skin(model, shapes)
    around = covered.corners_along(poses) if covered else None
    seen = choose_view(
        points, centers, model.gravity, view, azimuth, elevation, reach, around, floors_of(model),
        anchors=points[0, bones.anchors],
    )  # fmt: skip
    name = model.name if title is None else title
    scene = Scene(bones, seen, name, ghosts=len(q) - 1, mark_center=center_of_mass, covered=covered, detail=2)
    scene.show(*points, center_of_mass=centers[-1], poses=poses)
    return scene.figure
