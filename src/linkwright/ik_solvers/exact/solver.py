"""Exact inverse kinematics of a model's frame: all branches of a batch of targets in one kernel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from keyword import iskeyword
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.bounds import truth
from linkwright.compiler.emit.c import RESERVED, identifier
from linkwright.compiler.kernel import Kernel, compile
from linkwright.errors import (
    ArgumentError,
    InputError,
    ModelError,
    ShapeError,
    UnknownNameError,
    counted,
    explained,
    is_choice,
)
from linkwright.files import file_at, write_text
from linkwright.ik_solvers.exact.chain import Arm, arm_of
from linkwright.ik_solvers.exact.compiled import DEGENERATE, FINE, LOOSE, AllRoots, ClosedForm, Correction
from linkwright.ik_solvers.exact.decompositions import TASKS, Decomposition, decompositions
from linkwright.ik_solvers.exact.explanation import explanation
from linkwright.ik_solvers.exact.formulas.degenerate import DegenerateTargets
from linkwright.ik_solvers.exact.formulas.families import ElbowAngle
from linkwright.ik_solvers.exact.formulas.general import RaghavanRothElimination, eliminations
from linkwright.ik_solvers.exact.generated import GeneratedSolver
from linkwright.ik_solvers.exact.geometry import meeting, parallel
from linkwright.ik_solvers.exact.postures import without_turns
from linkwright.ik_solvers.exact.solutions import Solutions
from linkwright.ik_solvers.exact.source_templates import TEMPLATES
from linkwright.ik_solvers.exact.tasks import PoseTarget, free_joints, task_of
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers, finite

ELBOW = "elbow angle"
NEAR = 1e-5
"""Formulas that leave less than this (m and rad together), and more than what is exact, may have missed an answer."""

NO_OTHERS: Iterator[RaghavanRothElimination] = iter(())

RUST = frozenset(
    "as async await crate dyn fn impl in let loop match mod move mut pub ref self super trait type unsafe use where "
    "yield".split()
)
"""Further words that Rust reserves"""


class AnalyticSolver:
    """Exact inverse kinematics of one frame, made by :func:`analytic_inverse_kinematics`.

    ``solver(T)`` takes poses (…, 4, 4) of the frame in the world; where a joint has to be ``given``,
    ``solver(T, value)`` takes its coordinate, (…) rad or m.
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        arm: Arm,
        plan: Decomposition | RaghavanRothElimination,
        task: PoseTarget,
        tolerance: float,
        others: Iterator[RaghavanRothElimination] = NO_OTHERS,
    ):
        self.model, self.frame, self.tolerance = model, frame, tolerance
        self._arm, self._plan, self._task = arm, plan, task
        self._way = plan if isinstance(plan, Decomposition) else plan.way
        held = self._way.held
        self.given: str | None = arm.joints[held] if held is not None else ELBOW if self._way.asks else None
        """value that is given in addition to a target: a joint, or "elbow angle"; None if none is needed"""
        self._answers: ClosedForm | AllRoots = (
            ClosedForm(model, arm, plan, task)
            if isinstance(plan, Decomposition)
            else AllRoots(model, task, plan, others)
        )
        self.branches = self._answers.branches
        """the most answers a target can have"""
        self._hinges = np.zeros(model.nq, dtype=bool)
        self._hinges[[p for p, slides in zip(arm.places, arm.chain.slides, strict=True) if not slides]] = True
        self._correction: Correction | None = None
        self._degenerate: DegenerateTargets | None = None
        self._elbow: Kernel | None = None
        self._generated: GeneratedSolver | None = None

    def __repr__(self) -> str:
        asked = "" if self.given is None else f", {self.given!r} given"
        told = f"{self.family}, {counted(self.branches, 'branch', 'branches')}{asked}"
        return f"<AnalyticSolver of {self.frame!r} of {self.model.name!r}: {told}>"

    @property
    def family(self) -> str:
        """Recognized structure: "spherical wrist", "three parallel axes", …"""
        return self._plan.family.name if isinstance(self._plan, Decomposition) else self._plan.name

    def explanation(self) -> str:
        """How it is solved: what was recognized, the decomposition, the formulas with this arm's numbers."""
        return explanation(self.model, self.frame, self._arm, self._plan, self.branches)

    @explained
    def save(self, path: str | Path, *, name: str | None = None, joint_limits: bool = True) -> Path:
        """Write the solver as source code, which needs no library and allocates no memory (except in Python).

        The function returns the number of solutions, and writes them to the first rows of an array: those within the
        joint limits, with the coordinates of the arm's joints from the base to the frame. Its comment documents the
        arguments.

        Parameters
        ----------
        path : str or Path
            File ``.c`` (C99), ``.hpp`` (header for C++), ``.rs`` (Rust) or ``.py`` (Python).
        name : str, optional
            Name of the function. By default those of the model and the frame, and ``ik``.
        joint_limits : bool, optional
            Whether only solutions within the joint limits are returned.

        Returns
        -------
        Path
            The file.
        """
        file = file_at(path, "exact solvers", *TEMPLATES)
        joint_limits = truth("joint_limits", joint_limits)
        if name is None:
            name = identifier(f"{self.model.name}_{self.frame}_ik")
        elif not isinstance(name, str) or identifier(name) != name or name in RESERVED | RUST or iskeyword(name):
            raise ArgumentError(f"name is that of a function: letters, digits and _, no reserved word; got {name!r}")
        if self._generated is None or self._generated.joint_limits != joint_limits:
            answers = self._answers
            self._generated = GeneratedSolver(
                self.model,
                self._plan,
                self._task,
                answers.branches if isinstance(answers, AllRoots) else answers.formulas,
                self.tolerance,
                joint_limits,
                answers.size if isinstance(answers, AllRoots) else 0.0,
            )
        told = f"Exact inverse kinematics of {self.frame!r} of {self.model.name!r} ({self.family})."
        return write_text(file, self._generated.source(TEMPLATES[file.suffix.lower()], name, [told]))

    @explained
    def __call__(self, target: Any, given: Any = None) -> Solutions:
        """All answers for targets: poses (…, 4, 4), positions (…, 3), or positions and pitches (…, 4), as the task is.

        Of seven joints, with what is ``given`` (…). Raises :class:`InputError` for what is not a pose, NaN among it.
        """
        name, shape = self._task.name, self._task.shape
        target = as_numbers(name, target)
        if target.shape[target.ndim - len(shape) :] != shape:
            raise ShapeError(f"{name} has shape {target.shape}; expected (…, {', '.join(map(str, shape))})")
        if given is None and self.given is not None:
            what = "the elbow angle" if self.given == ELBOW else f"joint {self.given!r}"
            raise ArgumentError(f"this arm has {self._dof} joints: give {what} too, solver({name}, given)")
        if given is not None and self.given is None:
            raise ArgumentError(f"no joint of this arm has to be given; got given = {given!r}")
        arrays = [target] if given is None else [target, as_numbers("given", given)]
        if len(arrays) > 1 and not np.isfinite(arrays[1]).all():
            raise InputError(f"{self.given!r} is given as {given!r}; expected finite numbers")
        q, error, fault, degenerate = self._answers(*arrays)
        wrong = np.asarray(~(fault <= 1e-6))
        if not np.isfinite(target).all():
            wrong = wrong | ~np.isfinite(target).all(axis=tuple(range(-len(shape), 0)))
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            told = np.broadcast_to(target, (*wrong.shape, *shape))[at]
            where = f"{name}[{', '.join(map(str, at))}]" if at else name
            raise InputError(f"{where} is {self._task.wanted}; got\n{told}")
        degenerate = np.array(degenerate)
        self._correct(q, error, degenerate, arrays)
        with np.errstate(invalid="ignore"):
            exact = error <= self.tolerance
            if self._dof >= 6:  # where the formulas come near and do not arrive, solutions are multiple
                missed = ~exact.any(axis=-1)
                degenerate[missed] |= (error[missed] < NEAR).any(axis=-1)
            if degenerate.any():
                self._complete(q, error, degenerate, arrays)
                exact = error <= self.tolerance
        lower, upper = self.model.lower, self.model.upper
        return Solutions(q, exact, error, lower, upper, self._arm.places, self._hinges, self.free)

    @explained
    def elbow_angle(self, q: Any) -> Array:
        """The elbow angle (…) of postures q (…, nq), of an arm with spherical shoulder and wrist.

        The turn of the elbow's axis about the line from shoulder to wrist, 0 where the plane of the arm holds the
        first axis.
        """
        if not isinstance(self._way.family, ElbowAngle):
            raise ArgumentError(f"{self.frame!r} of {self.model.name!r} is not solved by an elbow angle: {self.family}")
        if self._elbow is None:
            places = list(self._arm.places)
            self._elbow = compile(lambda q: self._task.given_of(q[places]), q=self.model.nq)
        return np.asarray(self._elbow(as_numbers("q", q)))

    @explained
    def free(self, q: Any) -> tuple[str, ...]:
        """The joints that can move while the hand stays at a posture q (nq,); what is given stays, too.

        None at most postures: where an arm is singular it may be that its hand stays while some of its joints turn.
        """
        parts = as_numbers("q", q)[list(self._arm.places)]
        moving = free_joints(self._task, self._linearized, self._moving, parts, self.tolerance)
        return tuple(self._arm.joints[k] for k in moving)

    @property
    def _dof(self) -> int:
        return len(self._arm.chain)

    @property
    def _moving(self) -> list[int]:
        """The joints that are not given."""
        return [k for k in range(self._dof) if k != self._way.held]

    @cached_property
    def _linearized(self) -> Kernel:
        """The residual (…, m) of postures, its Jacobian by the joints that move, and the error."""
        task, held, moving = self._task, self._way.held, self._moving

        def linearized(q: Array, target: Array, given: Any) -> Any:
            e, J, error = task.linearized(list(q), target, held, given)
            return e, J[:, moving], error

        return compile(linearized, q=self._dof, target=task.shape, given=())

    def _complete(self, q: Array, error: Array, degenerate: Array, arrays: list[Array]) -> None:
        """Add the answers to degenerate targets that the formulas miss."""
        if self._degenerate is None:
            self._degenerate = DegenerateTargets(
                self.model, self._arm, self._plan, self._task, self._answers, self._linearized
            )
        own = [self._task.shape, *(() for _ in arrays[1:])]
        few = [np.broadcast_to(x, degenerate.shape + shape)[degenerate] for x, shape in zip(arrays, own, strict=True)]
        some, errors = q[degenerate], error[degenerate]
        self._degenerate(some, errors, few)
        q[degenerate], error[degenerate] = some, errors

    def _correct(self, q: Array, error: Array, degenerate: Array, arrays: list[Array]) -> None:
        """Bring answers that rounding, or decimals in files, left next to the target to it, and drop the others.

        Where formulas are approximate, targets with an answer from which Newton's method converges slowly are
        degenerate, too.
        """
        with np.errstate(invalid="ignore"):
            near = (error > FINE) & (error < LOOSE)
        rows = np.nonzero(near)
        if not len(rows[0]):
            return
        least, parts = self.tolerance, q[rows][:, self._arm.places]
        if self._dof >= 6 and self._task.shape == (4, 4):
            some = [arrays[0][..., None, :, :], *(x[..., None] for x in arrays[1:])]
            least = FINE * max(1.0, self._arm.length)  # what stays off by more, where others do not, only comes near
            if self._correction is None:
                self._correction = Correction(self.model, self._task, self._way.held)
            for step in range(8):  # a double root is neared by half a step each, its error by a fourth
                off = error[rows] > FINE
                if not off.any():
                    break
                if step > 1 and self._answers.separate > DEGENERATE:
                    degenerate[tuple(i[off] for i in rows[:-1])] = True
                self._correction(q, error, tuple(i[off] for i in rows), *some)
        with np.errstate(invalid="ignore"):
            reached = (error[rows[:-1]] <= least).any(axis=-1)
        dropped = (error[rows] > least) & reached
        # what was brought to a target may be one of the others now
        now = q[rows][:, self._arm.places]
        far = np.abs(now - parts).max(axis=-1) > 0.5 * np.sqrt(self._answers.separate)
        moved = np.flatnonzero(far | degenerate[rows[:-1]])
        few, own = tuple(i[moved] for i in rows[:-1]), rows[-1][moved]
        gap = np.abs(without_turns(q[few][..., self._arm.places] - now[moved][:, None])).max(axis=-1)
        others = np.arange(self.branches) < own[:, None]
        others |= ~near[few] & (np.arange(self.branches) != own[:, None])
        dropped[moved] |= ((gap < 1e-6) & others).any(axis=-1)
        at = tuple(i[dropped] for i in rows)
        q[at], error[at] = np.nan, np.nan


@takes_numeric_model(placements_only=True)
def analytic_inverse_kinematics(
    model: Model, frame: str, *, given: str | None = None, task: str = "pose", tolerance: float = 1e-9
) -> AnalyticSolver:
    """Derive an exact inverse kinematics solver of an arm: it returns all configurations for a pose.

    The arm consists of the joints between the world and the frame; its family is recognized from its geometry (see the
    page on exact inverse kinematics).

    Parameters
    ----------
    model : Model
        Mechanism.
    frame : str
        Name of the frame.
    given : str, optional
        Parameter of a seven-joint arm that is given with each target: the name of a joint, or "elbow angle" for an arm
        with spherical shoulder and wrist. By default the latter, or the joint with the shortest formulas.
    task : {"pose", "position", "pitch"}, optional
        "position": position of the frame (arms of two or three joints); "pitch": position, and rotation about three
        parallel axes (a hinge and three parallel ones).
    tolerance : float, optional
        Largest error of an exact solution, m and rad.

    Returns
    -------
    AnalyticSolver
        The solver.

    Raises
    ------
    ModelError
        If the arm has no exact solution.

    Examples
    --------
    >>> import linkwright as lw
    >>> arm = lw.load("puma560")
    >>> solver = lw.analytic_inverse_kinematics(arm, "tool")
    >>> found = solver(lw.pose(arm, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "tool"))
    >>> found.q.shape, int(found.count)
    ((8, 6), 8)
    """
    if not is_choice(task, TASKS):
        raise UnknownNameError("task", task, TASKS)
    if not finite("tolerance", tolerance, ()) > 0.0:
        raise InputError(f"tolerance is a length above 0, m and rad together; got {tolerance!r}")
    arm = arm_of(model, frame)
    if given is not None and given not in (*arm.joints, ELBOW):
        raise UnknownNameError(
            "joint", given, (*arm.joints, ELBOW), advice=f". Choose one between the world and {frame!r}, or {ELBOW!r}"
        )
    held: list[int | None] = [None]
    if given in arm.joints:
        held = [arm.joints.index(given)]
    elif given is None and len(arm.joints) == 7:
        held += reversed(range(7))
    found: list[Decomposition] = []
    for joint in held:
        found += (
            way for way in decompositions(arm.chain, arm.length, joint, task, arm.hand.p) if given != ELBOW or way.asks
        )
        if joint is None and found:
            break
    if found:
        way = min(found, key=lambda way: way.cost)
        return AnalyticSolver(model, frame, arm, way, task_of(task, arm, way), tolerance)
    for joint in held if task == "pose" and given != ELBOW else ():
        found_eliminations = eliminations(arm.chain, arm.length, joint)
        first = next(found_eliminations, None)
        if first is not None:
            return AnalyticSolver(model, frame, arm, first, task_of(task, arm), tolerance, found_eliminations)
    raise ModelError(_no_answer(model, frame, arm, given, task))


def _no_answer(model: Model, frame: str, arm: Arm, given: str | None, task: str) -> str:
    kinds = "".join("P" if slides else "R" for slides in arm.chain.slides)
    pairs = [(i, i + 1) for i in range(len(arm.joints) - 1) if not any(arm.chain.slides[i : i + 2])]
    seen = [f"{i + 1} and {j + 1} are parallel" for i, j in pairs if parallel(arm.chain, (i, j))]
    seen += [f"{i + 1} and {j + 1} meet" for i, j in pairs if meeting(arm.chain, (i, j), arm.length) is not None]
    geometry = f"; of its axes {', '.join(seen)}" if seen else "; no neighboring axes are parallel or meet"
    held = f", with {given!r} given" if given is not None else ""
    n = len(arm.joints)
    if task == "position":
        wanted = "a position is solved for two hinges or three joints"
    elif task == "pitch":
        wanted = "a position and a pitch are solved for a hinge and three parallel ones"
    elif n < 6:
        wanted = (
            "of fewer than six joints planar arms, a hinge and a plane, SCARA arms and gantries are solved; "
            "use task='position' for the position of the hand alone"
        )
    elif n > 7:
        wanted = "six joints are solved, or seven with one given; more leave more than one free: lock some"
    else:
        wanted = "six hinges are solved, and slides before or behind three hinges that meet in a point"
    return (
        f"{frame!r} of {model.name!r} is moved by {counted(n, 'joint')} ({kinds}: {', '.join(arm.joints)}){geometry}"
        f"{held}: there is no exact answer here ({wanted}); inverse_kinematics solves it numerically"
    )
