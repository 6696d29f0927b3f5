"""``linkwright reach``: where the joints must be for a hand to be somewhere, and where it can be at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.table import Table

from linkwright.cli.app import DEMONSTRATION, Root, Whole, app, file_name, load_robot
from linkwright.cli.shell.values import RobotOrNone
from linkwright.cli.told import terminal
from linkwright.cli.typed.arguments import starting_posture, target_poses
from linkwright.dynamics import check
from linkwright.errors import InputError, ModelError, counted
from linkwright.files import folder_at, replacing_together, write_figure
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from linkwright.ik_solvers.paths import FollowedPath

_RESULTS = ("postures.png", "workspace.png", *(f"path_{k}.gif" for k in range(1, 17)))
"""What the command may write; of an earlier run nothing stays."""

_PATH_POINTS, _PATH_SECONDS = 101, 4.0

_MOST_COLUMNS = 12
"""of a table with a row for each posture"""

_NEAR = 1e-5
"""What may be missing of a target that is reached, m and rad together."""


class Answers(NamedTuple):
    """The postures found for one target."""

    q: Array
    """(n, nq)"""
    error: Array
    """(n,)"""
    within: Array
    """(n,) bool: within the limits"""
    how: str


@app.command
def reach(
    robot: RobotOrNone = None,
    /,
    *,
    to: str = "",
    frame: str | None = None,
    start: str = "",
    branches: Whole = 8,
    workspace: bool = True,
    animation: bool = True,
    root: Root = "fixed",
    out: Path | None = None,
) -> None:
    """Find the postures that bring a frame (a hand) to a place; draw them, and where the frame can be at all.

    Example: ``linkwright reach two_link --to "1.2 0.5 0"``

    Parameters
    ----------
    robot
        A robot file (.urdf, .xacro, .xml, .sdf, .ztk), an installed robot or a built-in mechanism; arm7 without it.
    to
        Where the frame should be: "x y z" in meters, or "x y z roll pitch yaw", angles in radians or with "deg", about
        the world's axes x, y, z in turn. Several targets, with ";" between them, are a path: animations show the
        postures that can follow it in straight lines. Without it a place that the frame can reach is taken.
    frame
        Its name; without it the last frame of an arm.
    start
        A posture to begin at: all coordinates, with commas between them ("0.1,0.2,…"), or some of them
        ("elbow=90deg,shoulder=0.3"), as --posture of simulate. The posture nearest to it is told first.
    branches
        How many postures to tell at most; of a path how many to animate, at most two.
    workspace
        Whether to draw where the frame can be.
    animation
        Whether to animate a path.
    out
        The folder for the files; linkwright_NAME_reach unless given.
    """
    if branches < 1:
        raise InputError(f"--branches is a number of at least 1; got {branches}")
    model = load_robot(DEMONSTRATION if robot is None else robot, root)
    frame = _frame(model, frame)
    q0 = starting_posture(model, start, "start")
    check(model, q0)
    model, q0 = _standing(model, frame, q0)
    targets = target_poses(to) if to else _reachable(model, frame)
    folder = folder_at(out or f"linkwright_{file_name(model.name)}_reach")
    with terminal.errors.status("looking for postures"):
        answers = _answers(model, frame, targets[0], q0 if start else None, branches)
    good = answers.within & (answers.error < _NEAR)
    terminal.output.print(f"{frame} of {model.name} to {_place(targets[0])}: {_told(answers, good)}", soft_wrap=True)
    if len(answers.q):
        terminal.output.print(_table(model, frame, answers))
    followed = None
    if len(targets) > 1 and good.any():
        with terminal.errors.status("following the path"):
            followed = _followed(model, frame, targets, answers.q[good])
    files = []
    with terminal.errors.status("drawing"), replacing_together(folder, _RESULTS) as place:
        from linkwright.visual.postures import draw_postures
        from linkwright.visual.workspace import plot_workspace

        if len(answers.q):
            labels = [_label(k, answers) for k in range(len(answers.q))]
            title = f"{frame} of {model.name}"
            picture = draw_postures(model, answers.q, labels, target=targets[0], title=title)
            files.append(write_figure(place / "postures.png", picture))
        if workspace and model.loops:
            terminal.errors.print("the workspace of mechanisms with closed loops is not drawn")
        elif workspace:
            files.append(write_figure(place / "workspace.png", plot_workspace(model, frame)))
        if followed is not None and animation:
            files += _animated(model, frame, followed, place, min(2, branches))
    for path in files:
        terminal.output.print(f"  {folder / path.name}", soft_wrap=True)
    if not good.any():
        raise SystemExit(1)


def _standing(model: Model, frame: str, q: Array) -> tuple[Model, Array]:
    """The mechanism with a base that floats held where it is, and its posture."""
    floating = [model.joints[k].name for k in model.path(model.frame(frame).body) if model.joints[k].motion.floating]
    if not floating:
        return model, q
    terminal.output.print("its base floats: it is held where it is, and the joints beyond it are moved")
    held = [model.slice(name).q for name in floating]
    kept = np.delete(q, np.concatenate([np.arange(model.nq)[one] for one in held]))
    return model.lock({name: q[one] for name, one in zip(floating, held, strict=True)}), kept


def _frame(model: Model, named: str | None) -> str:
    """The frame that is asked for; without a name the last of an arm."""
    from linkwright.visual.moving.film import default_trace

    if named is not None:
        named = model.full_name(named)
        model.frame(named)
        return named
    found = "tool" if "tool" in model.frames else default_trace(model)
    if found is None:
        ends = set(range(len(model.links))) - {link.parent for link in model.links}
        names = [name for name, frame in model.frames.items() if frame.body in ends]
        raise InputError(
            f"{model.name!r} is not one arm: say which frame is to reach the place, with --frame NAME. "
            f"At its ends are:\n  {', '.join(names)}\n`linkwright info` tells all its frames"
        )
    return found


def _reachable(model: Model, frame: str) -> Array:
    """A pose (1, 4, 4) that the frame takes."""
    from linkwright.dynamics import close_loops, pose
    from linkwright.visual.workspace import gains

    terminal.output.print('no target was given (--to "x y z roll pitch yaw"): one is taken that can be reached')
    if model.loops:
        q = close_loops(model, model.neutral())
    else:
        several = model.random(100, seed=0)
        q = several[np.argmax(gains(model, frame, several)[1])]
    T: Array = pose(model, q, frame)
    return T[None]


def _answers(model: Model, frame: str, target: Array, start: Array | None, most: int) -> Answers:
    """The postures for a target; by formulas where there are some, else by steps."""
    from linkwright.ik_solvers.exact.solver import analytic_inverse_kinematics
    from linkwright.ik_solvers.paths import place_first
    from linkwright.ik_solvers.reach import inverse_kinematics

    try:
        solver = analytic_inverse_kinematics(model, frame, task="pose" if target.shape == (4, 4) else "position")
    except ModelError:
        solver = None
    if solver is not None and solver.given is None:
        found = solver(target)
        exact = np.asarray(found.exact)
        if exact.any():  # of joints that do not move the frame, where the others are
            q, error, within = found.q[exact], found.error[exact], found.within[exact]
            others = model.neutral() if start is None else start
            q = np.where(np.isin(np.arange(model.nq), found.places), q, others)
            order = np.lexsort((_far(q, start), ~within))[:most]
            return Answers(q[order], error[order], within[order], f"exact ({solver.family})")
    for asked in ({frame: target}, place_first(model, frame, target)):
        reached = inverse_kinematics(model, asked, start, solutions=most)
        told = np.asarray(reached.converged)
        if not told.any():
            continue
        if frame in asked:
            return Answers(reached.q[told], reached.errors[told][:, 0], np.ones(told.sum(), dtype=bool), "by steps")
        turned = reached.errors[told][:, 1]
        best = turned < turned.min() + 1e-3  # the others are only near ones
        how = f"by steps, turned as nearly so as such an arm can be: by {turned.min():.2g} rad otherwise"
        return Answers(reached.q[told][best], reached.errors[told][best, 0], np.ones(best.sum(), dtype=bool), how)
    nearest = inverse_kinematics(model, {frame: target}, start)
    reason = nearest.reason or "limits"
    within = np.array([bool(np.all((nearest.q >= model.lower) & (nearest.q <= model.upper)))])
    return Answers(nearest.q[None], np.array([float(nearest.error)]), within, str(reason))


def _far(q: Array, start: Array | None) -> Array:
    return np.abs(q if start is None else q - start).sum(axis=1)


def _told(answers: Answers, good: Array) -> str:
    if not good.any():
        if answers.how.startswith("exact"):
            return f"{counted(len(answers.q), 'posture')}, none within the limits of the joints"
        missing = f"{answers.error[0]:.3g} is missing (m and rad together)"
        return f"not reached ({answers.how}); at the nearest posture {missing}"
    beyond = len(good) - int(good.sum())
    more = f", and {beyond} beyond the limits of the joints" if beyond else ""
    return f"{counted(int(good.sum()), 'posture')}{more}, {answers.how}"


def _table(model: Model, frame: str, answers: Answers) -> Table:
    """The postures: angles in degrees, lengths in meters; of arms a row each, of what has more coordinates a column.

    Of a mechanism without loops only the joints that move the frame are told, of one with loops all.
    """
    path = range(len(model.joints)) if model.loops else model.path(model.frame(frame).body)
    heads, values = [], []
    for joint in (model.joints[k] for k in path if model.joints[k].nq):
        own = range(len(model.coordinate_names))[model.slice(joint.name).q]
        angles = [unit == "rad" for unit in joint.motion.units] if joint.nq == joint.nv else [False] * joint.nq
        for place, angle in zip(own, angles, strict=True):
            x = answers.q[:, place]
            heads.append(f"{model.coordinate_names[place]}°" if angle else model.coordinate_names[place])
            values.append([f"{np.degrees(one):.2f}" for one in x] if angle else [f"{one:.4f}" for one in x])
    heads.append("error")
    values.append([f"{one:.1e}" for one in answers.error])
    if not answers.within.all():
        heads.append("")
        values.append(["" if within else "beyond limits" for within in answers.within])
    numbers = [str(k + 1) for k in range(len(answers.q))]
    if len(heads) > _MOST_COLUMNS:
        heads, numbers, values = numbers, heads, [list(row) for row in zip(*values, strict=True)]
    table = Table("", *heads, box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    for number, row in zip(numbers, zip(*values, strict=True), strict=True):
        table.add_row(number, *row)
    return table


def _label(k: int, answers: Answers) -> str:
    if answers.error[k] > _NEAR:
        return f"nearest: {answers.error[k]:.2g} is missing"
    return f"{k + 1}" if answers.within[k] else f"{k + 1} (beyond limits)"


def _place(target: Array) -> str:
    p = target[:3, 3] if target.shape == (4, 4) else target
    return "(" + ", ".join(f"{x:.4g}" for x in np.round(p, 9) + 0.0) + ") m"


def _followed(model: Model, frame: str, targets: Array, starts: Array) -> FollowedPath:
    from linkwright.ik_solvers.paths import followed, straight

    found = followed(model, frame, straight(targets, _PATH_POINTS), starts)
    for k, (points, reason) in enumerate(zip(found.points, found.reasons, strict=True)):
        if reason:
            where = f"{100 * (points - 1) / (_PATH_POINTS - 1):.0f} % of the way"
            terminal.output.print(f"posture {k + 1} ends after {where}: {reason}", soft_wrap=True)
    return found


def _animated(model: Model, frame: str, found: FollowedPath, place: Path, most: int) -> list[Path]:
    """An animation for each posture that follows the whole path; the two most unlike, where there are more."""
    from linkwright.visual.moving.animation import animate

    whole = [k for k, points in enumerate(found.points) if points == _PATH_POINTS]
    if len(whole) > most:
        first = whole[0]
        others = sorted(whole[1:], key=lambda k: -float(np.abs(found.q[k] - found.q[first]).sum()))
        whole = [first, *others[: most - 1]]
    t = np.linspace(0.0, _PATH_SECONDS, _PATH_POINTS)
    return [
        animate(model, t, found.q[k], place / f"path_{k + 1}.gif", trace=frame, title=f"{model.name}, posture {k + 1}")
        for k in whole
    ]
