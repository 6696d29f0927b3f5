"""Animations of the composite rigid body algorithm, which computes the mass matrix of a tree.

"composites": the bodies merge from the tips, each composite with its mass and its center of mass. "force": one joint
accelerates alone, with the force and moment that this requires at the joint and at every joint between it and the root.
"order": the entries of the matrix in the order of their computation, next to their joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from linkwright.errors import ArgumentError, InputError, UnknownNameError, is_choice
from linkwright.files import file_at, replacing
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array
from linkwright.spatial.inertia import about_center_of_mass, add_mass_properties
from linkwright.visual.animations.gif import encode_gif
from linkwright.visual.drawing.linkage import Skeleton, configurations, nearby, poses_along, skeleton
from linkwright.visual.drawing.scene import without_opacity
from linkwright.visual.drawing.view import View, choose_view
from linkwright.visual.palette import AXIS_COLORS, BASE, COLORS, INK, mixed

Story = Literal["composites", "force", "order"]

STORIES = ("composites", "force", "order")

MOST_NUMBERS = 12
"""Largest number of bodies whose joints are numbered; the joints of larger mechanisms are named."""

MOST_BODIES = 40
"""Largest number of bodies of an animation."""

IDLE, ACTIVE, FORCE, MOMENT = "#C3C8CF", COLORS[0], AXIS_COLORS[0], AXIS_COLORS[1]
SECONDS, LAST = 1.1, 2.5
"""for how long a step, and the last one, are shown"""
SIZE, DPI = (7.6, 3.9), 80


@dataclass(frozen=True, eq=False)
class CompositeBody:
    """A body with everything beyond it, all joints locked, in world axes."""

    mass: float
    center: Array
    """(3,), in the world"""
    inertia: Array
    """(3, 3), about the center"""


@dataclass(frozen=True, eq=False)
class PosedMechanism:
    """A mechanism standing still, in the world."""

    model: Model
    poses: Array
    """(n, 4, 4)"""
    twists: list[Array]
    """of each joint (6, nv): of its child relative to its parent, for unit velocities, at the joint, world axes"""
    composites: list[CompositeBody]

    def force(self, i: int, column: int) -> tuple[Array, Array]:
        """Force and moment (3,) at joint i that one of its unit accelerations takes, all beyond it being one body."""
        v, w = self.twists[i][:3, column], self.twists[i][3:, column]
        body, r = self.composites[i], self.composites[i].center - self.poses[i][:3, 3]
        f = body.mass * (v + np.cross(w, r))
        return f, body.inertia @ w + np.cross(r, f)

    def carried(self, i: int, j: int, column: int = 0) -> tuple[Array, Array]:
        """The same force, and its moment about joint j."""
        f, n = self.force(i, column)
        return f, n + np.cross(self.poses[i][:3, 3] - self.poses[j][:3, 3], f)

    def block(self, j: int, i: int) -> Array:
        """H_ji (nv of j, nv of i): what the forces of joint i's accelerations are along the motions of joint j."""
        S = self.twists[j]
        columns = [np.concatenate(self.carried(i, j, k)) for k in range(self.twists[i].shape[1])]
        found: Array = S.T @ np.stack(columns, axis=1)
        return found


def standing(model: Model, q: Array) -> PosedMechanism:
    """A mechanism in the configuration q (nq,), with the composites of all its bodies."""
    poses = poses_along(model, q)[0]
    coordinates = model.coordinates(q)
    twists, own = [], []
    for k, link in enumerate(model.links):
        R, S = poses[k][:3, :3], link.motion_subspace(coordinates[k])
        twists.append(np.concatenate([R @ S[:3], R @ S[3:]]))
        m, c, I = about_center_of_mass(link.rigid_inertia)
        own.append((float(m), R @ c + poses[k][:3, 3], R @ I @ R.T))
    beyond = [own[k:end] for k, end in enumerate(model.subtree_end)]
    bodies = [add_mass_properties(some) if any(m for m, _, _ in some) else _massless(some) for some in beyond]
    return PosedMechanism(
        model, poses, twists, [CompositeBody(float(m), np.asarray(c), np.asarray(I)) for m, c, I in bodies]
    )


def _massless(some: list[tuple[float, Array, Array]]) -> tuple[float, Array, Array]:
    """Return massless bodies as one body at the origin of the first."""
    return 0.0, some[0][1], np.sum([I for _, _, I in some], axis=0)


def animate_inertia(model: Model, q: Any, story: Story, path: str | Path) -> Path:
    """Write one of three stories of the mass matrix at the configuration q (nq,) as a GIF; returns the path.

    ``story``: "composites", "force" (of the last body's joint) or "order". Raises :class:`UnknownNameError` for
    another, :class:`InputError` for a mechanism of none or of more than 40 bodies.
    """
    if not is_choice(story, STORIES):
        raise UnknownNameError("story", story, STORIES)
    if not isinstance(path, str | Path):
        raise ArgumentError(f"a path is a str or a Path; got {path!r}")
    if not 0 < len(model.links) <= MOST_BODIES:
        raise InputError(f"the animation requires 1 to {MOST_BODIES} bodies; {model.name!r} has {len(model.links)}")
    if model.has_couplings:
        raise InputError(f"joints of {model.name!r} follow others: their entries are no entries of the matrix")
    place = file_at(path, "stories of the mass matrix", ".gif")
    mechanism = standing(model, configurations(model, q)[0])
    page = _InertiaFigure(mechanism, story)
    steps: dict[str, Callable[[_InertiaFigure], Iterator[None]]] = {
        "composites": _composites,
        "force": _force,
        "order": _order,
    }
    frames = [page.pixels() for _ in steps[story](page)]
    with replacing(place) as file:
        file.write_bytes(encode_gif(frames, np.array([SECONDS] * (len(frames) - 1) + [LAST])))
    return place


class _InertiaFigure:
    """Picture of the mechanism, next to the matrix if the story includes it."""

    def __init__(self, mechanism: PosedMechanism, story: Story):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.mechanism, model = mechanism, mechanism.model
        self.drawn: list[Array] = []
        """points (n, 2) that labels must not cover"""
        self.words: list[tuple[tuple[float, float], str, float]] = []
        """position, text and least distance between them, relative to the size of the picture"""
        self.bones: Skeleton = skeleton(model)
        q = model.neutral()
        points = self.bones.along(mechanism.poses[None])
        centers = self.bones.center_of_mass_along(mechanism.poses[None])
        reach = self.bones.along(poses_along(model, nearby(model, q)))
        self.points: Array = points[0]
        self.view: View = choose_view(points, centers, model.gravity, reach=reach)
        self.about: Array = centers[0] if self.view.follows else np.zeros(3)
        self.figure = Figure(figsize=SIZE, dpi=DPI, facecolor="white")
        self.canvas = FigureCanvasAgg(self.figure)
        with_matrix, room = story == "order", 0.42 if story == "force" else 0.22
        share = 0.55 if with_matrix else 1.0
        self.axes = self.figure.add_axes((0.0, 0.0, share, 0.9))
        self.matrix = self.figure.add_axes((0.58, 0.06, 0.40, 0.78)) if with_matrix else None
        self.title = self.figure.text(0.02, 0.96, "", fontsize=12, color=INK, va="top")
        self.width = float(np.clip(9.0 - 0.15 * len(model.links), 3.0, 8.0))
        flat_size = self.at(self.points)
        low, high = flat_size.min(axis=0), flat_size.max(axis=0)
        middle, half = 0.5 * (low + high), 0.5 * (high - low) + room * self.view.size
        self.low, self.high = middle - half, middle + half
        self.point = float(np.max(2.0 * half / (72.0 * np.array(SIZE) * (share, 0.9))))
        """a typographic point, in sizes of what is drawn"""

    def at(self, points: Array) -> Array:
        """Where points (…, 3) of the world are in the picture, (…, 2)."""
        return self.view.project(points, self.about)[0]

    def tree(self, colors: list[Any], title: str) -> None:
        """Redraw the mechanism, each body in its color."""
        from matplotlib.collections import LineCollection

        ax = self.axes
        ax.clear()
        ax.set_axis_off()
        ax.set_aspect("equal")
        ax.set_xlim(self.low[0], self.high[0])
        ax.set_ylim(self.low[1], self.high[1])
        ends = self.at(self.points)[self.bones.segments]
        shades = [colors[owner] if owner >= 0 else BASE for owner in self.bones.owner]
        ax.add_collection(LineCollection(list(ends), colors=shades, linewidths=self.width, capstyle="round", zorder=2))
        joints = self.at(self.mechanism.poses[:, :3, 3])
        ax.plot(*joints.T, "o", ms=self.width + 1.0, mfc="white", mec=INK, mew=1.5, zorder=4)
        shared: dict[tuple[float, float], list[str]] = {}
        for k, place in enumerate(np.round(joints / (0.02 * self.view.size)) * (0.02 * self.view.size)):
            shared.setdefault((float(place[0]), float(place[1])), []).append(str(k + 1))
        steps = np.linspace(0.0, 1.0, 20)[:, None]
        self.drawn = [*(a + steps * (b - a) for a, b in ends), joints]
        self.words = [
            ((x, y), ", ".join(names), 0.09) for (x, y), names in shared.items() if len(joints) <= MOST_NUMBERS
        ]
        self.title.set_text(title + (" (loops open)" if self.mechanism.model.loops else ""))

    def named(self, k: int) -> str:
        """Return the label of a joint or body: its number, and its name if numbers are not drawn."""
        links = self.mechanism.model.links
        return f"{k + 1}" if len(links) <= MOST_NUMBERS else f"{k + 1} ({self.mechanism.model.bodies[k].name})"

    def beside(self) -> None:
        """Draw the labels, each at the position around its point where the least is drawn."""
        unit = self.view.size
        for place, word, away in self.words:
            drawn = np.concatenate(self.drawn)
            wide = 0.5 * 11.0 * self.point * np.array([0.6 * len(word), 1.1])
            angles = np.radians(np.arange(-45.0, 315.0, 15.0))
            turned = np.stack([np.cos(angles), np.sin(angles)], axis=1)
            far = np.repeat([0.0, 0.08, 0.16], len(turned)) * unit  # further off only where it is crowded
            turned = np.tile(turned, (3, 1))
            spots = np.array(place) + turned * (away * unit + far + np.abs(turned) @ wide)[:, None]
            gaps = np.maximum(np.abs(drawn - spots[:, None]) - wide, 0.0)
            room = np.minimum(np.linalg.norm(gaps, axis=2).min(axis=1), 0.06 * unit) - 0.3 * far
            x, y = spots[int(np.argmax(room > room.max() - 0.0006 * unit))]
            self.axes.text(x, y, word, fontsize=11, color=INK, ha="center", va="center", zorder=6)
            self.drawn.append(np.array([x, y]) + wide * np.array([[-1, 0], [0, 0], [1, 0], [-0.5, 0], [0.5, 0]]))

    def center(self, body: CompositeBody, color: Any, labeled: bool = True) -> None:
        """The center of mass of a composite body, larger where it is heavier."""
        x, y = self.at(body.center)
        share = body.mass / max(one.mass for one in self.mechanism.composites)
        self.axes.plot([x], [y], "o", ms=6.0 + 12.0 * np.sqrt(share), mfc=color, mec="white", mew=1.5, zorder=5)
        if labeled:
            self.words.append(((float(x), float(y)), f"{body.mass:.3g} kg", 0.07))
        self.drawn.append(np.array([[x, y]]))

    def arrow(self, start: Array, along: Array, color: str, word: str) -> None:
        """Draw an arrow from a start point along a vector, (3,) each, in the world."""
        a, b = self.at(start), self.at(start + along)
        if np.linalg.norm(b - a) > 0.02 * self.view.size:
            style = {"arrowstyle": "-|>", "color": color, "lw": 2.6, "mutation_scale": 16, "shrinkA": 0, "shrinkB": 0}
            self.axes.annotate("", tuple(b), tuple(a), arrowprops=style, zorder=7)
        self.drawn.append(a + np.linspace(0.0, 1.0, 20)[:, None] * (b - a))
        x, y = b + 0.04 * self.view.size
        from matplotlib.patheffects import withStroke

        halo = [withStroke(linewidth=3.5, foreground="white")]  # it may stand over links
        self.axes.text(x, y, word, color=color, fontsize=12, fontweight="bold", zorder=8, path_effects=halo)
        self.drawn.append(np.array([[x, y]]) + 12.0 * self.point * np.array([[0.7 * k, 0.4] for k in range(len(word))]))

    def turn(self, place: Array, moment: Array, color: str, word: str) -> None:
        """Draw a moment: an arc in its sense of rotation in an orthogonal view, else an arrow along it."""
        about = float(moment @ self.view.axes[2])
        if not self.view.flat:
            length = float(np.linalg.norm(moment)) or 1.0
            self.arrow(place, 0.35 * self.view.size * moment / length, color, word)
            return
        (x, y), r = self.at(place), 0.12 * self.view.size
        angles = np.radians(np.linspace(150.0, 400.0, 40))[:: 1 if about > 0.0 else -1]
        arc = np.stack([x + r * np.cos(angles), y + r * np.sin(angles)], axis=1)
        self.axes.plot(*arc[:-3].T, color=color, lw=2.4, zorder=7)
        self.drawn += [
            arc,
            np.array([x - 1.3 * r, y]) - 12.0 * self.point * np.array([[0.7 * k, -0.4] for k in range(len(word))]),
        ]
        head = {"arrowstyle": "-|>", "color": color, "lw": 2.4, "mutation_scale": 15, "shrinkA": 0, "shrinkB": 0}
        self.axes.annotate("", tuple(arc[-1]), tuple(arc[-5]), arrowprops=head, zorder=7)
        self.axes.text(x - 1.3 * r, y, word, color=color, fontsize=12, fontweight="bold", ha="right", zorder=8)

    def pixels(self) -> Array:
        """The picture (height, width, 3), bytes."""
        self.beside()
        self.canvas.draw()  # type: ignore[no-untyped-call]
        return without_opacity(np.asarray(self.canvas.buffer_rgba()))  # type: ignore[no-untyped-call]


def _composites(page: _InertiaFigure) -> Iterator[None]:
    """Bodies merge from the tips to the root."""
    mechanism, model = page.mechanism, page.mechanism.model
    n = len(model.links)
    colors: list[Any] = [IDLE] * n
    tops: list[int] = []
    page.tree(colors, "Each body by itself")
    yield
    for k in reversed(range(n)):
        own = COLORS[k % len(COLORS)]
        colors[k : model.subtree_end[k]] = [own] * (model.subtree_end[k] - k)
        beyond = [top for top in tops if model.links[top].parent == k]
        tops = [top for top in tops if top not in beyond] + [k]
        joined = " and ".join(map(page.named, sorted(beyond)))
        several = "s" if len(beyond) > 1 else ""
        what = f"itself and the composite{several} of {joined}" if beyond else "a tip, itself alone"
        page.tree(colors, f"Composite of body {page.named(k)}: {what}")
        for top in tops:
            page.center(mechanism.composites[top], mixed(colors[top], 0.25))
        yield


def _force(page: _InertiaFigure) -> Iterator[None]:
    """One joint accelerates; its force is carried to the root."""
    mechanism, model = page.mechanism, page.mechanism.model
    i = len(model.links) - 1
    while model.links[i].parent >= 0 and model.subtree_end[i] - i < 2:
        i = model.links[i].parent  # a composite of several bodies tells more than a tip
    way = model.path(i)[::-1]
    colors = [ACTIVE if i <= k < model.subtree_end[i] else IDLE for k in range(len(model.links))]
    for j in way:
        f, n = mechanism.carried(i, j)
        length = 0.45 * page.view.size / (float(np.linalg.norm(f)) or 1.0)
        where = "at it" if i == j else f"the same force, felt at joint {page.named(j)}"
        title = (
            f"Joint {page.named(i)} alone accelerates by 1; {where}:  {_named(j, i)} {_text_of(mechanism.block(j, i))}"
        )
        page.tree([mixed(ACTIVE, 0.0) if color == ACTIVE else color for color in colors], title)
        page.center(mechanism.composites[i], mixed(ACTIVE, 0.3))
        place = mechanism.poses[j][:3, 3]
        page.arrow(place, length * f, FORCE, f"f = {np.linalg.norm(f):.3g} N")
        page.turn(place, n, MOMENT, f"n = {np.linalg.norm(n):.3g} N m")
        x, y = page.at(place)
        page.axes.plot([x], [y], "o", ms=page.width + 6.0, mfc="none", mec=FORCE, mew=2.0, zorder=9)
        yield


def _named(j: int, i: int) -> str:
    """An entry of the matrix by its indices, which count from 1."""
    digits = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    return "H" + f"{j + 1}{'' if max(i, j) < 9 else ','}{i + 1}".translate(digits)


def _text_of(block: Array) -> str:
    """A block of the matrix in words."""
    if block.size != 1:
        return f"is {block.shape[0]} × {block.shape[1]}"
    return f"= {round(float(block[0, 0]), 9) + 0.0:.3g}"


def _order(page: _InertiaFigure) -> Iterator[None]:
    """The entries of the matrix: for each joint the diagonal, then on to the root."""
    mechanism, model = page.mechanism, page.mechanism.model
    n, widths = len(model.links), [S.shape[1] for S in mechanism.twists]
    ends = np.cumsum([0, *widths])
    found: dict[tuple[int, int], int] = {}
    for i in reversed(range(n)):
        for j in reversed(model.path(i)):
            found[j, i] = found[i, j] = len(found)
            colors: list[Any] = [mixed(ACTIVE, 0.35) if i <= k < model.subtree_end[i] else IDLE for k in range(n)]
            colors[i] = ACTIVE
            title = f"Joint {page.named(i)} accelerates; along joint {page.named(j)}:"
            page.tree(colors, f"{title}  {_named(j, i)} {_text_of(mechanism.block(j, i))}")
            x, y = page.at(mechanism.poses[j][:3, 3])
            page.axes.plot([x], [y], "o", ms=page.width + 7.0, mfc="none", mec=FORCE, mew=2.2, zorder=9)
            _grid(page, ends, found, (j, i))
            yield
    empty = "" if len(found) == n * n else ": what is empty is 0, for the bodies are on different branches"
    page.tree([ACTIVE] * n, f"Done{empty}")
    _grid(page, ends, found, None)
    yield


def _grid(page: _InertiaFigure, ends: Array, found: dict[tuple[int, int], int], now: tuple[int, int] | None) -> None:
    """The matrix in blocks: found ones by what they are, the last ones marked."""
    from matplotlib.patches import Rectangle

    ax, mechanism = page.matrix, page.mechanism
    assert ax is not None
    n, last = len(ends) - 1, float(ends[-1])
    ax.clear()
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.set_xlim(-0.09 * last, 1.01 * last)
    ax.set_ylim(1.01 * last, -0.09 * last)
    for j, i in ((j, i) for j in range(n) for i in range(n)):
        if not (ends[j + 1] - ends[j]) * (ends[i + 1] - ends[i]):
            continue
        known = (j, i) in found
        at_once = now is not None and {j, i} == set(now)
        face = "#F4F5F6" if not known else mixed(FORCE, 0.45) if at_once else mixed(ACTIVE, 0.55 if j == i else 0.75)
        corner, size = (ends[i], ends[j]), (ends[i + 1] - ends[i], ends[j + 1] - ends[j])
        ax.add_patch(Rectangle(corner, *size, facecolor=face, edgecolor="white", linewidth=1.2))
        if known and last <= 8:
            H = mechanism.block(j, i) if j <= i else mechanism.block(i, j).T
            for a, b in ((a, b) for a in range(H.shape[0]) for b in range(H.shape[1])):
                place = (corner[0] + b + 0.5, corner[1] + a + 0.5)
                ax.text(*place, f"{H[a, b] + 0.0:.2f}", ha="center", va="center", fontsize=10, color=INK)
    if n <= 12:
        for k in range(n):
            middle = 0.5 * (ends[k] + ends[k + 1])
            ax.text(middle, -0.03 * last, str(k + 1), ha="center", va="bottom", fontsize=11, color=INK)
            ax.text(-0.03 * last, middle, str(k + 1), ha="right", va="center", fontsize=11, color=INK)
