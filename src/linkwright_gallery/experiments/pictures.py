"""Pictures of an experiment: trees of assembly and disassembly, the models with their blocks, their motion.

After Figs 2, 3, 6 and 7 of "Symbolic-numeric hybrid modeling of MBS with constraints".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.dynamics.assembly.partition import blocks_of
from linkwright.dynamics.assembly.schedule import GROUND, Schedule, schedule_of
from linkwright.dynamics.kinematics import body_poses
from linkwright.files import write_figure
from linkwright.model.library.built_in import built_in
from linkwright.model.tree import Model
from linkwright.simulation import simulate
from linkwright.visual import palette
from linkwright.visual.animations.animation import animate
from linkwright.visual.drawing.linkage import skeleton
from linkwright.visual.drawing.view import choose_view
from linkwright_gallery.experiments.run import STEP, Experiment

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEVEL_COLORS = tuple(palette.COLORS[k] for k in (0, 2, 1, 3, 5, 6, 4, 7))
"""of the levels of a tree; repeated after eight levels"""
INK, LINK_COLOR, BLOCK_COLOR = palette.INK, "#D9DCE1", "#FFF3D6"


def published_trees() -> dict[str, Schedule]:
    """The schedules of the paper's Figs 2 and 3: eight links, single and in two blocks of four."""
    chain = built_in("planar:8")
    parents = tuple(link.parent for link in chain.links)
    pairs = (1, 3, 5, 7, 2, 6, 4)  # every second joint, of what is left every second again
    return {
        "ADA of eight links (Fig 2)": Schedule(parents, pairs, tuple((k,) for k in range(8))),
        "hybrid, two blocks of four (Fig 3)": schedule_of(chain, "serial", blocks_of(parents, 4)),
    }


def experiments_trees(chosen: Experiment) -> dict[str, Schedule]:
    """The schedules of an experiment at the published number of links."""
    model = chosen.model(chosen.published_links)
    parents = [link.parent for link in model.links]
    return {
        f"ADA of {len(parents)} links, serial": schedule_of(model, "serial"),
        f"hybrid, blocks of {chosen.block}": schedule_of(model, "serial", blocks_of(parents, chosen.block)),
    }


def draw_trees(schedules: Mapping[str, Schedule], path: Path) -> Path:
    """Draw the trees of assembly (upwards) and disassembly (downwards) side by side, a row for each schedule.

    Joins are colored by level: those of one color can be done at once. Blocks are boxed; joint k is between links k
    and k + 1 of a chain, and hangs link k + 1 on what it hangs on.
    """
    depths = [max(one.level_of, default=0) for one in schedules.values()]
    widths = [len(one.parents) for one in schedules.values()]
    figure = _figure(2 * (1.2 + 0.62 * max(widths)), sum(1.5 + 0.62 * depth for depth in depths))
    panels = figure.subplots(len(schedules), 2, squeeze=False, height_ratios=[2.2 + depth for depth in depths])
    for row, (title, one) in zip(panels, schedules.items(), strict=True):
        _draw_tree(row[0], one, f"{title}: assembly", upwards=True)
        _draw_tree(row[1], one, "disassembly", upwards=False)
    return write_figure(path, figure, dpi=110)


def _figure(width: float, height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _draw_tree(axes: Axes, made: Schedule, title: str, upwards: bool) -> None:
    from matplotlib.patches import FancyBboxPatch

    places = [(float(np.mean(block)), 0.4 if len(block) > 1 else 0.0) for block in made.blocks]
    depth = max(made.level_of, default=0)
    for block in made.blocks:
        if len(block) > 1:
            first, last = min(block), max(block)
            box = FancyBboxPatch(
                (first - 0.36, -0.36),
                last - first + 0.72,
                0.72,
                boxstyle="round,pad=0.04,rounding_size=0.12",
                facecolor=BLOCK_COLOR,
                edgecolor=INK,
                linewidth=1.3,
                zorder=1,
            )
            axes.add_patch(box)
    for body, parent in enumerate(made.parents):
        if parent != GROUND:  # the joint between two links, in the row of links
            axes.plot([parent, body], [0.0, 0.0], color=INK, linewidth=1.2, zorder=2)
            if body not in made.joined:
                axes.plot(0.5 * (parent + body), 0.0, "o", ms=4.5, mfc="white", mec=INK, mew=1.2, zorder=4)
                axes.text(0.5 * (parent + body), -0.16, str(body), ha="center", va="top", fontsize=7, color=INK)
        _label(axes, (body, 0.0), str(body + 1), LINK_COLOR, INK, "round,pad=0.28")
    for number, join in enumerate(made.joins, len(made.blocks)):
        sides = [(-1.0, 0.0) if node == GROUND else places[node] for node in (join.parent_node, join.child_node)]
        level = made.level_of[number]
        place = (0.5 * (sides[0][0] + sides[1][0]), float(level))
        places.append(place)
        color = LEVEL_COLORS[(level - 1) % len(LEVEL_COLORS)]
        for side in sides:
            ends = (side, place) if upwards else (place, side)
            gap = 15.0 if side[1] == 0.0 else 1.0 if side[1] < 1.0 else 13.0  # of a link, a block, a join
            gaps = (gap, 13.0) if upwards else (13.0, gap)
            arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 1.3, "shrinkA": gaps[0], "shrinkB": gaps[1]}
            axes.annotate("", ends[1], ends[0], arrowprops=arrow, zorder=3)
        _label(axes, place, str(join.joint), color, "white", "circle,pad=0.25")
    if any(GROUND in join[1:3] for join in made.joins):
        _label(axes, (-1.0, 0.0), "ground", "white", INK, "square,pad=0.25")
    left = -1.6 if any(GROUND in join[1:3] for join in made.joins) else -0.7
    for level in range(1, depth + 1):
        step = level if upwards else 2 * depth + 1 - level
        color = LEVEL_COLORS[(level - 1) % len(LEVEL_COLORS)]
        axes.text(left - 0.1, level, f"step {step}", color=color, ha="right", va="center", fontsize=9)
    axes.text(left - 0.1, 0.0, "links", color=INK, ha="right", va="center", fontsize=9)
    if not upwards and any(len(block) > 1 for block in made.blocks):
        axes.text(left - 0.1, -0.62, f"step {2 * depth + 1}:", color=INK, ha="right", va="center", fontsize=9)
        axes.text(-0.3, -0.62, "joints within blocks", color=INK, ha="left", va="center", fontsize=9)
    axes.set_title(title, fontsize=10)
    axes.set_xlim(left - 1.5, len(made.parents) - 0.3)
    axes.set_ylim(-0.85, depth + 0.6)
    axes.axis("off")


def _label(axes: Axes, place: tuple[float, float], text: str, color: str, ink: str, style: str) -> None:
    box = {"boxstyle": style, "facecolor": color, "edgecolor": INK, "linewidth": 1.0}
    axes.text(*place, text, ha="center", va="center", fontsize=9, color=ink, bbox=box, zorder=5)


def draw_models(chosen: Experiment, path: Path) -> Path:
    """Draw the experiment's models, each next to a copy with marked blocks: (a), (b), … as published."""
    models = [chosen.model(n) for n in chosen.drawn]
    seen = [_seen(model) for model in models]
    spans = [np.ptp(np.concatenate(segments), axis=0) + 0.9 for _, segments, _ in seen]
    width, heights = max(span[0] for span in spans), [float(span[1]) for span in spans]
    scale = min(5.5 / width, 1.0)
    figure = _figure(2 * 5.5, scale * sum(heights) + 0.36 * len(models) + 0.2)
    panels = figure.subplots(len(models), 2, squeeze=False, height_ratios=heights)
    for place, (row, n, model, picture) in enumerate(zip(panels, chosen.drawn, models, seen, strict=True)):
        blocks = blocks_of([link.parent for link in model.links], chosen.block)
        marked = [block for block in blocks if len(block) > 1]
        letter = f"({'abcdefghijklmnopqrstuvwxyz'[place]})"
        text = f"{len(marked)} block{'s' if len(marked) > 1 else ''}" if marked else "one rigid body" if n == 1 else ""
        sizes = " + ".join(str(len(block)) for block in blocks) if marked else ""
        _draw_model(row[0], model, picture, [], f"{letter} {n} link{'s' if n > 1 else ''}", width)
        _draw_model(row[1], model, picture, blocks if marked else [], f"{text}{': ' if sizes else ''}{sizes}", width)
    return write_figure(path, figure, dpi=110)


Picture = tuple[list[int], list[np.ndarray], np.ndarray]
"""bodies of the segments, their ends (2, 2) in the picture, and the joints (n, 2)"""


def _seen(model: Model) -> Picture:
    """A model a little bent, from the side."""
    q = model.neutral()
    hinges = [k for k, joint in enumerate(model.joints) if joint.nq == 1]
    axes = 1 if len(hinges) == len(model.joints) else 2  # which take turns on a floating chain
    for place, _ in enumerate(hinges):
        turn = place // axes
        q[model.nq - len(hinges) + place] = (0.5 if turn else 0.25) * (-1.0) ** turn
    bones = skeleton(model)
    points = bones.along(np.array([body_poses(model, q)]))
    view = choose_view(points, bones.center_of_mass_along(np.array([body_poses(model, q)])), model.gravity)
    xy = view.project(points[0])[0]
    drawn = [k for k, owner in enumerate(bones.owner) if owner >= 0]
    return [int(bones.owner[k]) for k in drawn], [xy[bones.segments[k]] for k in drawn], xy[bones.joints]


def _draw_model(
    axes: Axes, model: Model, picture: Picture, blocks: Sequence[Sequence[int]], title: str, width: float
) -> None:
    owners, segments, joints = picture
    block_of = {body: number for number, block in enumerate(blocks) for body in block}
    for body, ends in zip(owners, segments, strict=True):
        color = LEVEL_COLORS[block_of[body] % len(LEVEL_COLORS)] if blocks else "#8A8F98"
        line: dict[str, Any] = {"color": color, "solid_capstyle": "round"}
        if blocks:
            axes.plot(*ends.T, alpha=0.22, linewidth=17, zorder=1, **line)
        axes.plot(*ends.T, linewidth=5, zorder=2, **line)
    for k, link in enumerate(model.links):
        between = bool(blocks) and (link.parent < 0 or block_of[link.parent] != block_of[k])
        shape, size = ("s", 9.0) if link.parent < 0 else ("o", 9.0 if between else 6.0)
        edge = "#C00000" if between and link.parent >= 0 else INK
        axes.plot(*joints[k], shape, ms=size, mfc="white", mec=edge, mew=2.2 if between else 1.4, zorder=4)
    low, high = (f(np.concatenate(segments), axis=0) for f in (np.min, np.max))
    middle = 0.5 * (low + high)
    axes.set_xlim(middle[0] - 0.5 * width, middle[0] + 0.5 * width)
    axes.set_ylim(low[1] - 0.45, high[1] + 0.45)
    axes.set_aspect("equal")
    axes.set_title(title, fontsize=10)
    axes.axis("off")


def draw_motion(chosen: Experiment, path: Path, duration: float, fps: float = 25.0) -> Path:
    """Animate the motion at the published number of links, in real time."""
    model = chosen.model(chosen.published_links)
    run = simulate(model, *chosen.start(model), duration, STEP)
    title = f"experiment {chosen.letter}: {chosen.published_links} links"
    return animate(model, run.t, run.q, path, fps=fps, title=title)


def draw_all(chosen: Experiment, folder: Path, name: str, duration: float) -> list[Path]:
    """All pictures of an experiment but that of its times; their paths."""
    return [
        draw_trees(published_trees(), folder / "trees.png"),
        draw_trees(experiments_trees(chosen), folder / f"{name}_trees.png"),
        draw_models(chosen, folder / f"{name}_models.png"),
        draw_motion(chosen, folder / f"{name}.gif", duration),
    ]
