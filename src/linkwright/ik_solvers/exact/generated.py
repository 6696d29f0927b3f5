"""Exact solvers as source code of C, C++, Rust and Python, which needs no library and allocates nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from string import Template
from typing import Any

import numpy as np

from linkwright.compiler.emit.languages import statements
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import compile
from linkwright.compiler.user import stack
from linkwright.ik_solvers.exact.compiled import DIGITS, FAR, FINE, LOOSE, NOISE, coordinates_of, posture_at
from linkwright.ik_solvers.exact.decompositions import Decomposition
from linkwright.ik_solvers.exact.formulas.general import (
    CHECKED,
    ROUNDING,
    SAMPLES,
    RaghavanRothElimination,
    determinant,
)
from linkwright.ik_solvers.exact.formulas.roots import (
    CELL,
    CELLS,
    FIRST,
    HARMONICS,
    LEVELS,
    NONE,
    ONE,
    PARTS,
    SEVERAL,
    cell_with_roots,
)
from linkwright.ik_solvers.exact.formulas.subproblems import pick
from linkwright.ik_solvers.exact.postures import fault_of, motion_to, orthonormal
from linkwright.ik_solvers.exact.source_templates import SolverTemplate
from linkwright.ik_solvers.exact.tasks import PoseTarget
from linkwright.ik_solvers.search.steps import without
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, largest, where

STEPS = 16
"""Largest number of steps that bring a solution, off by rounding, to its target."""

SINGULAR = 1e-12
"""Postures are singular where a row of the Jacobian depends on others: its part apart from them is shorter, relative to
the longest row, squared."""

COEFFICIENTS = 3 * 6 * 9
"""Numbers of the six equations by 1, sin and cos of one joint."""


class GeneratedSolver:
    """The programs of an exact solver, from which its source code is written.

    ``size``: of an elimination, the usual size of its polynomials.
    """

    def __init__(
        self,
        model: Model,
        plan: Decomposition | RaghavanRothElimination,
        task: PoseTarget,
        branches: int,
        tolerance: float,
        joint_limits: bool,
        size: float = 0.0,
    ):
        self._arm, self._task, self._size = task.arm, task, size
        self.branches, self.tolerance, self.joint_limits = branches, tolerance, joint_limits
        way = self._way = plan if isinstance(plan, Decomposition) else plan.way
        self._searched = isinstance(plan, RaghavanRothElimination)
        places = list(task.arm.places)
        n = len(places)
        self._bounds = (
            (model.lower[places], model.upper[places]) if joint_limits else (np.full(n, -np.inf), np.full(n, np.inf))
        )
        corrected = n >= 6 and task.shape == (4, 4)
        self._least = FINE * max(1.0, task.arm.length) if corrected else tolerance

        def step(target: Array, given: Any, x: Array) -> Any:
            parts, error = task.converged(list(x[:-1]), target, way.held, given, 1)
            return stack([*parts, error])

        def independence(q: Array) -> Array:
            parts = list(q)
            J = task.linearized(parts, task.target_of(q), way.held, task.given_of(q))[1]
            return stack([_independence(J)])

        with np.errstate(all="ignore"):  # of what is no number
            self._functions = (
                _of_family(model, plan, task)
                if isinstance(plan, Decomposition)
                else _of_any_geometry(model, plan, task)
            )
            self._results = {name: "found" for name in self._functions}
            self._functions["independence"] = _program(independence, q=n)
            self._results["independence"] = "found"
            if corrected:
                self._functions["step"] = _program(step, target=task.shape, given=(), x=n + 1)
                self._results["step"] = "next"

    def source(self, template: SolverTemplate, name: str, notes: Sequence[str]) -> str:
        """The code in a language, with a function of this name and a comment that begins with the notes."""
        language, n = template.language, len(self._arm.joints)
        target, size = self._task.name, int(np.prod(self._task.shape))
        has_parameter, matrix = self._way.asks, len(self._task.shape) == 2
        words = {
            **dict(template.words),
            "name": name,
            "target": target,
            "size": str(size),
            "n": str(n),
            "width": str(n + 1),
            "branches": str(self.branches),
            "given_parameter": f", {template.parameters[1].format('given')}" if has_parameter else "",
            "handed": ", given" if has_parameter else "",
            "and_given": " and a given number" if has_parameter else "",
            "check": template.check if has_parameter else "",
            "flat": f"row in {target} for x in row" if matrix else f"x in {target}",
            "expected": " rows of ".join(map(str, self._task.shape)) + " finite numbers",
            "lower": ", ".join(language.number(float(x)) for x in self._bounds[0]),
            "upper": ", ".join(language.number(float(x)) for x in self._bounds[1]),
            "least": repr(self._least),
            "tolerance": repr(self.tolerance),
            "fine": repr(FINE),
            "loose": repr(FAR if self._searched else LOOSE),
            "steps": str(STEPS),
            "turn": repr(2.0 * np.pi),
            "singular": repr(SINGULAR),
            "comment": _comment(template, [*notes, *self._notes(template, f"{name}_is_singular")]),
        }
        functions = [self._function(template, function, words) for function in self._functions]
        if self._searched:
            words |= {
                "coefficients": str(COEFFICIENTS),
                "samples": str(SAMPLES),
                "harmonics": str(HARMONICS),
                "checked": repr(CHECKED),
                "noise": repr(NOISE),
                "rounding": repr(ROUNDING),
                "digits": repr(DIGITS * self._size),
                "cells": str(CELLS),
                "cell": repr(CELL),
                "first_cell": f"({FIRST!r})",
                "parts": str(PARTS),
                "smallest": repr(CELL * PARTS ** (0.5 - LEVELS)),
                "none": repr(NONE),
                "one": repr(ONE),
                "several": repr(SEVERAL),
            }
            functions.append(Template(template.search).substitute(words))
        words["functions"] = "\n".join(functions)
        words["correction"] = Template(template.correction).substitute(words) if "step" in self._functions else ""
        text = Template(template.solver).substitute(words)
        return re.sub(r"\n +(?=\n)", "", text)  # lines of words that are empty

    def _function(self, template: SolverTemplate, function: str, words: dict[str, str]) -> str:
        """A function of straight-line code, whose results are in one array."""
        program, result = self._functions[function], self._results[function]
        own = {"target": self._task.name}
        program = replace(
            program, inputs=tuple(slot._replace(name=own.get(slot.name, slot.name)) for slot in program.inputs)
        )
        lines, results, _ = statements(program, template.language)
        array, number, of_results = template.parameters
        parameters, unread = [], []
        read = {args[0] for op, args, _ in program.instructions if op == "input"}
        for k, slot in enumerate(program.inputs):
            if slot.name != "given" or self._way.asks:
                parameters.append((array if slot.shape else number).format(slot.name))
                unread += [template.unread.format(slot.name)] if template.unread and k not in read else []
        parameters += [of_results.format(result)] if of_results else []
        entries = [text for some in results for text in some]
        lines += [template.store.format(result, k, text) for k, text in enumerate(entries)]
        more = {
            "function": function,
            "parameters": ", ".join(parameters),
            "result": result,
            "length": str(len(entries)),
            "assignments": "\n".join([*unread, *lines]),
        }
        return Template(template.function).substitute(words | more)

    def _notes(self, template: SolverTemplate, function: str) -> list[str]:
        name, arm = self._task.name, self._arm
        notes = []
        if self._task.shape == (4, 4):
            notes.append(f"{name}: pose of the frame in the world (m), 4 x 4, {template.target}.")
        else:
            pitch = ", and pitch (rad), the rotation about the parallel axes relative to q = 0" * (
                self._task.shape == (4,)
            )
            notes.append(f"{name}: position of the frame in the world (m){pitch}.")
        if self._way.held is not None:
            held = self._way.held
            notes.append(f"given: coordinate of {arm.joints[held]} ({'m' if arm.chain.slides[held] else 'rad'}).")
        elif self._way.asks:
            notes.append("given: elbow angle (rad).")
        units = ("m" if slides else "rad" for slides in arm.chain.slides)
        joints = ", ".join(f"{joint} ({unit})" for joint, unit in zip(arm.joints, units, strict=True))
        notes.append(f"q: solutions, each with the coordinates of {joints}.")
        if np.isfinite(self._bounds).any():
            notes.append("Only solutions within the joint limits are returned, after full turns where these need them.")
        return [
            *notes,
            template.solutions,
            "At singular postures solutions that coincide are returned once, of free joints with one value of their",
            f"angles; others may be missing there: {function}(q) is true for solutions at such postures.",
            *(["So they may for a few targets at which solutions share the angle of a joint."] * self._searched),
        ]


def _independence(J: Array) -> Any:
    """Return the smallest square of the part of a row of a Jacobian apart from others, relative to the longest row."""
    longest = largest([row @ row for row in J])
    basis: list[Array] = []
    smallest: Any = longest
    for row in J:
        for _ in range(2):  # the second pass removes the rounding of the first
            row = without(row, basis)
        square = row @ row
        smallest = where(square < smallest, square, smallest)
        there = square > ROUNDING**2 * longest
        basis.append(row * where(there, 1.0 / np.sqrt(where(there, square, 1.0)), 0.0))
    return smallest / longest


def _program(function: Callable[..., Any], **inputs: Any) -> Program:
    program = compile(function, **inputs).program
    assert isinstance(program, Program)
    return program


def _of_family(model: Model, way: Decomposition, task: PoseTarget) -> dict[str, Program]:
    """All solutions by formulas, with the error of each, and the fault of the target."""

    def branches(target: Array, given: Any) -> Any:
        fault, target = task.fault(target), task.cleaned(target)
        rows = []
        for answer in way.solve(task.motion(target), given):
            error = pick(answer.exists, task.off(target, answer), np.inf)
            rows.append(stack([*coordinates_of(model, task.arm, way, answer, given), error]))
        return stack(rows), fault

    return {"branches": _program(branches, target=task.shape, given=())}


def _of_any_geometry(model: Model, elimination: RaghavanRothElimination, task: PoseTarget) -> dict[str, Program]:
    """The parts of the search: the equations, their determinant at an angle, the roots of a cell, and a posture."""

    def coefficients(target: Array, given: Any) -> Any:
        return elimination.by_harmonics(motion_to(task.arm, orthonormal(target)), given), fault_of(target)

    def at_angle(coefficients: Array, s: Any, c: Any) -> Any:
        one, by_s, by_c = (coefficients[k * 54 : (k + 1) * 54].reshape(6, 9) for k in range(3))
        return determinant(one + by_s * s + by_c * c)

    def posture(target: Array, given: Any, polynomial: Array, low: Any, high: Any) -> Any:
        found = posture_at(model, task, elimination, target, given, polynomial, low, high)
        return stack([*found.coordinates, found.error])

    harmonics = 2 * HARMONICS + 1
    return {
        "coefficients": _program(coefficients, target=(4, 4), given=()),
        "determinant": _program(at_angle, coefficients=COEFFICIENTS, s=(), c=()),
        "cell": _program(cell_with_roots, polynomial=harmonics, noise=(), middle=(), half=()),
        "posture": _program(posture, target=(4, 4), given=(), polynomial=harmonics, low=(), high=()),
    }


def _comment(template: SolverTemplate, notes: Sequence[str]) -> str:
    """The notes as a comment, in characters that end none."""
    first, others, last = template.comment
    spelled = str.maketrans({"×": "x", "π": "pi"})
    lines = [re.sub(r"[^ -~]|\\|\"|\*/|/\*|\?\?", "_", note.translate(spelled)) for note in notes]
    text = [first + lines[0], *(f"{others}{line}".rstrip() for line in lines[1:])]
    return "\n".join([*text, last] if last else text)
