"""``linkwright reach``: inverse kinematics of a frame, with pictures of the postures and of the workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.table import Table
from rich.text import Text

from linkwright.bounds import whole_number
from linkwright.cli.app import DEMONSTRATION, Root, Verbose, Whole, app, file_name, load_robot
from linkwright.cli.input.arguments import starting_posture, target_poses
from linkwright.cli.output import terminal
from linkwright.cli.shell.values import RobotOrNone
from linkwright.dynamics import check
from linkwright.errors import ModelError, counted
from linkwright.files import folder_at, replacing_together, write_figure
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

if TYPE_CHECKING:
    from linkwright.ik_solvers.paths import FollowedPath

_RESULTS = ("postures.png", "workspace.png", *(f"path_{k}.gif" for k in range(1, 17)))
"""Files that the command may write. Files of a previous run are removed."""

_PATH_POINTS, _PATH_SECONDS = 101, 4.0

_MOST_NAMES = 12
"""Largest number of frames in a list."""

_MOST_COLUMNS = 12
"""Largest number of columns of a table with one row per posture."""


class ReachedPostures(NamedTuple):
    """The postures found for one target."""

    q: Array
    """(n, nq)"""
    errors: Array
    """(n, 1) position errors, m; for a pose (n, 2), with orientation errors, rad"""
    within: Array
    """(n,) bool: within the joint limits"""
    reached: bool
    """whether the errors are zero; of an arm with fewer than six joints the position error only"""
    method: str
    """description of the method, or the reason why the target is not reached"""


@app.command
def reach(
    robot: RobotOrNone = None,
    /,
    *,
    to: str = "",
    frame: str | None = None,
    initial_guess: str = "",
    branches: Whole = 8,
    workspace: bool = True,
    animation: bool = True,
    root: Root = "fixed",
    out: Path | None = None,
    verbose: Verbose = False,
) -> None:
    """Compute the postures that bring a frame (the hand) to a target; draw them and the reachable workspace.

    Example: ``linkwright reach two_link --to "1.2 0.5 0"``

    Parameters
    ----------
    robot
        Robot file (.urdf, .xacro, .xml, .sdf, .ztk), installed robot, or built-in mechanism. Default: arm7.
    to
        Target: position "x y z" in meters, or pose "x y z roll pitch yaw" with angles in radians or with "deg" (fixed
        axes x, y, z). Several targets, separated by ";", form a path of straight lines; animations show the postures
        that can follow it. Default: a reachable pose.
    frame
        Name of the frame. Default: the end of an arm, or a frame with the name of a hand.
    initial_guess
        Initial guess: all coordinates ("0.1,0.2,…"), or some of them ("elbow=90deg,shoulder=0.3"). The nearest
        solution is listed first.
    branches
        Largest number of postures, and of animations of a path (at most two).
    workspace
        Draw the reachable workspace of the frame.
    animation
        Animate a path.
    out
        Folder for the files. Default: linkwright_NAME_reach.
    verbose
        List every remark about the robot file.
    """
    whole_number("--branches", branches, 1)
    model = load_robot(DEMONSTRATION if robot is None else robot, root, verbose)
    frame = _frame(model, frame)
    q0 = starting_posture(model, initial_guess, "initial-guess")
    check(model, q0)
    model, q0 = _standing(model, frame, q0)
    targets = target_poses(to) if to else _reachable(model, frame)
    folder = folder_at(out or f"linkwright_{file_name(model.name)}_reach")
    with terminal.errors.status("computing postures"):
        answers = _answers(model, frame, targets[0], q0 if initial_guess else None, branches)
    good = answers.within & answers.reached
    terminal.output.print(
        f"{frame} of {model.name} to {_position(targets[0])}: {_summary(answers, good)}", soft_wrap=True
    )
    if len(answers.q):
        terminal.output.print(_table(model, frame, answers))
    followed = None
    if len(targets) > 1 and good.any():
        with terminal.errors.status("following the path"):
            followed = _followed(model, frame, targets, answers.q[good])
    files = []
    with terminal.errors.status("drawing"), replacing_together(folder, _RESULTS) as directory:
        from linkwright.visual.postures import draw_postures
        from linkwright.visual.workspace import plot_workspace

        if len(answers.q):
            labels = [_label(k, answers) for k in range(len(answers.q))]
            title = f"{frame} of {model.name}"
            picture = draw_postures(model, answers.q, labels, target=targets[0], title=title)
            files.append(write_figure(directory / "postures.png", picture))
        if workspace and model.loops:
            terminal.errors.print("no workspace plot: the mechanism has closed loops")
        elif workspace:
            files.append(write_figure(directory / "workspace.png", plot_workspace(model, frame)))
        if followed is not None and animation:
            files += _animated(model, frame, followed, directory, min(2, branches))
    for path in files:
        terminal.output.print(f"  {folder / path.name}", soft_wrap=True)
    if not good.any():
        raise SystemExit(1)


def _standing(model: Model, frame: str, q: Array) -> tuple[Model, Array]:
    """Return the mechanism with a fixed instead of a floating base, and its posture."""
    floating = [model.joints[k].name for k in model.path(model.frame(frame).body) if model.joints[k].motion.floating]
    if not floating:
        return model, q
    terminal.output.print("its base floats: the base is fixed, and only the joints move")
    held = [model.slice(name).q for name in floating]
    kept = np.delete(q, np.concatenate([np.arange(model.nq)[one] for one in held]))
    return model.lock({name: q[one] for name, one in zip(floating, held, strict=True)}), kept


def _frame(model: Model, named: str | None) -> str:
    """Return the frame of --frame, or by default the hand, the same as in the studio."""
    from linkwright.browser.posture import default_frame

    if named is not None:
        named = model.full_name(named)
        model.frame(named)
        return named
    if not model.links:
        raise ModelError(f"{model.name!r} has no joints, so no frame can reach a target")
    found = default_frame(model)
    ends = set(range(len(model.links))) - {link.parent for link in model.links}
    names = [name for name, frame in model.frames.items() if frame.body in ends and name != found]
    if found != "tool" and len(ends) > 1:
        others = ", ".join(names[:_MOST_NAMES]) + ", …" * (len(names) > _MOST_NAMES)
        terminal.output.print(Text(f"frame: {found}. Others (--frame NAME): {others}"), soft_wrap=True)
    return found


def _reachable(model: Model, frame: str) -> Array:
    """Return a reachable pose (1, 4, 4) of the frame."""
    from linkwright.dynamics import close_loops, pose
    from linkwright.visual.workspace import gains

    terminal.output.print('no target given (--to "x y z roll pitch yaw"): using a reachable pose')
    if model.loops:
        q = close_loops(model, model.neutral())
    else:
        several = model.random(100, seed=0)
        q = several[np.argmax(gains(model, frame, several)[1])]
    T: Array = pose(model, q, frame)
    return T[None]


def _answers(model: Model, frame: str, target: Array, start: Array | None, most: int) -> ReachedPostures:
    """Return the postures for a target: analytic solutions if there are any, else numerical ones."""
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
        if exact.any():  # joints that do not move the frame keep their values
            q, within = found.q[exact], found.within[exact]
            others = model.neutral() if start is None else start
            q = np.where(np.isin(np.arange(model.nq), found.places), q, others)
            order = np.lexsort((_far(q, start), ~within))[:most]
            q = q[order]
            return ReachedPostures(q, _errors(model, frame, q, target), within[order], True, f"exact ({solver.family})")
    for tasks in ({frame: target}, place_first(model, frame, target)):
        several = inverse_kinematics(model, tasks, start, solutions=most)
        q = several.q[np.asarray(several.converged)]
        if not len(q):
            continue
        errors, method = _errors(model, frame, q, target), "numerical"
        if frame not in tasks:
            smallest = errors[:, 1].min()
            best = errors[:, 1] < smallest + 1e-3
            q, errors = q[best], errors[best]
            method = f"numerical, smallest orientation error of this arm: {smallest:.2g} rad"
        return ReachedPostures(q, errors, np.ones(len(q), dtype=bool), True, method)
    nearest = inverse_kinematics(model, {frame: target}, start)
    q = nearest.q[None]
    within = np.asarray(((q >= model.lower) & (q <= model.upper)).all(axis=1))
    return ReachedPostures(q, _errors(model, frame, q, target), within, False, str(nearest.reason or "limits"))


def _errors(model: Model, frame: str, q: Array, target: Array) -> Array:
    """Return position errors (n, 1), m; for a pose (n, 2), with orientation errors, rad."""
    from linkwright.dynamics import pose
    from linkwright.geometry import rotation

    T = np.stack([pose(model, row, frame) for row in q])
    position = target[:3, 3] if target.shape == (4, 4) else target
    errors = [np.linalg.norm(T[:, :3, 3] - position, axis=1)]
    if target.shape == (4, 4):
        errors.append(np.linalg.norm(rotation.log(np.swapaxes(T[:, :3, :3], 1, 2) @ target[:3, :3]), axis=1))
    return np.stack(errors, axis=1)


def _far(q: Array, start: Array | None) -> Array:
    return np.abs(q if start is None else q - start).sum(axis=1)


def _summary(answers: ReachedPostures, good: Array) -> str:
    if not answers.reached:
        return f"not reached ({answers.method}); nearest posture: {_error_text(answers.errors[0])}"
    if not good.any():
        return f"{counted(len(answers.q), 'posture')}, none within the joint limits"
    beyond = len(good) - int(good.sum())
    more = f", and {beyond} beyond the joint limits" if beyond else ""
    return f"{counted(int(good.sum()), 'posture')}{more}, {answers.method}"


def _error_text(errors: Array) -> str:
    """Return the errors of one posture, meters and radians apart."""
    text = f"position error {errors[0]:.3g} m"
    return text if len(errors) == 1 else f"{text}, orientation error {errors[1]:.3g} rad"


def _table(model: Model, frame: str, answers: ReachedPostures) -> Table:
    """Return a table of the postures, angles in degrees, lengths in meters; many coordinates are rows.

    Of a mechanism without loops it has only the joints that move the frame.
    """
    path = range(len(model.joints)) if model.loops else model.path(model.frame(frame).body)
    heads, values = [], []
    for joint in (model.joints[k] for k in path if model.joints[k].nq):
        own = range(len(model.coordinate_names))[model.slice(joint.name).q]
        angles = [unit == "rad" for unit in joint.motion.units] if joint.nq == joint.nv else [False] * joint.nq
        for column, angle in zip(own, angles, strict=True):
            x = answers.q[:, column]
            heads.append(f"{model.coordinate_names[column]}°" if angle else model.coordinate_names[column])
            values.append([f"{np.degrees(one):.2f}" for one in x] if angle else [f"{one:.4f}" for one in x])
    for head, errors in zip(("error (m)", "error (rad)"), answers.errors.T, strict=False):
        heads.append(head)
        values.append([f"{one:.1e}" for one in errors])
    if not answers.within.all():
        heads.append("limits")
        values.append(["" if within else "beyond" for within in answers.within])
    numbers = [str(k + 1) for k in range(len(answers.q))]
    if len(heads) > _MOST_COLUMNS:
        heads, numbers, values = numbers, heads, [list(row) for row in zip(*values, strict=True)]
    table = Table("", *heads, box=None, padding=(0, 1, 0, 0))
    for cells in table.columns[1:]:
        cells.justify = "right"
    for number, row in zip(numbers, zip(*values, strict=True), strict=True):
        table.add_row(number, *row)
    return table


def _label(k: int, answers: ReachedPostures) -> str:
    if not answers.reached:
        errors = answers.errors[k]
        return f"nearest: {errors[0]:.2g} m" + (f", {errors[1]:.2g} rad" if len(errors) > 1 else "")
    return f"{k + 1}" if answers.within[k] else f"{k + 1} (beyond limits)"


def _position(target: Array) -> str:
    p = target[:3, 3] if target.shape == (4, 4) else target
    return "(" + ", ".join(f"{x:.4g}" for x in np.round(p, 9) + 0.0) + ") m"


def _followed(model: Model, frame: str, targets: Array, starts: Array) -> FollowedPath:
    from linkwright.ik_solvers.paths import followed, straight

    found = followed(model, frame, straight(targets, _PATH_POINTS), starts)
    for k, (points, reason) in enumerate(zip(found.points, found.reasons, strict=True)):
        if reason:
            where = f"{100 * (points - 1) / (_PATH_POINTS - 1):.0f} % of the path"
            terminal.output.print(f"posture {k + 1} stops after {where}: {reason}", soft_wrap=True)
    return found


def _animated(model: Model, frame: str, found: FollowedPath, directory: Path, most: int) -> list[Path]:
    """Write an animation for each posture that follows the whole path, at most two different ones."""
    from linkwright.visual.animations.animation import animate

    whole = [k for k, points in enumerate(found.points) if points == _PATH_POINTS]
    if len(whole) > most:
        first = whole[0]
        others = sorted(whole[1:], key=lambda k: -float(np.abs(found.q[k] - found.q[first]).sum()))
        whole = [first, *others[: most - 1]]
    t = np.linspace(0.0, _PATH_SECONDS, _PATH_POINTS)
    return [
        animate(
            model, t, found.q[k], directory / f"path_{k + 1}.gif", trace=frame, title=f"{model.name}, posture {k + 1}"
        )
        for k in whole
    ]
