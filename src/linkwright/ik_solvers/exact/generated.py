"""Exact solvers as source code of C, C++, Rust and Python, which needs no library and allocates nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from string import Template
from typing import Any

import numpy as np

from linkwright.compiler.emit.languages import PYTHON, RUST, C, Language, statements
from linkwright.compiler.ir.program import Program
from linkwright.compiler.kernel import compile
from linkwright.compiler.user import stack
from linkwright.ik_solvers.exact.chain import Arm
from linkwright.ik_solvers.exact.compiled import FINE, LOOSE, coordinates_of
from linkwright.ik_solvers.exact.decompositions import Decomposition
from linkwright.ik_solvers.exact.subproblems import pick
from linkwright.ik_solvers.exact.tasks import PoseTarget
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array

STEPS = 16
"""Largest number of steps that bring a solution, off by rounding, to its target."""

_C = """\
$static double ${name}_branches(const double *$target$given, double found[$branches][$width])
{
$assignments
    return $fault;
}
$step
$public$kind $name(const double $target[$size]$given, double q[$branches][$n])
{
    static const double lower[$n] = {$lower}, upper[$n] = {$upper};
    double found[$branches][$width], best = HUGE_VAL;
    int count = 0, i, j, k;

    for (k = 0; k < $size; ++k)
        if (!(fabs($target[k]) < HUGE_VAL)) return -1;
    $check
    if (!(${name}_branches($target$handed, found) <= 1e-6)) return -1;
    for (i = 0; i < $branches; ++i) {
        double *x = found[i];
        $correction
        if (x[$n] < best) best = x[$n];
    }
    for (i = 0; i < $branches; ++i) {
        const double *x = found[i];
        if (!(x[$n] <= (best <= $least ? $least : $tolerance))) continue;
        for (k = 0; k < $n; ++k)
            if (!(x[k] >= lower[k] - 1e-12 && x[k] <= upper[k] + 1e-12)) break;
        if (k < $n) continue;
        for (j = 0; j < count; ++j) { /* solutions that coincide are returned once */
            double gap = 0.0;
            for (k = 0; k < $n; ++k) gap = fmax(gap, fabs(remainder(x[k] - q[j][k], $turn)));
            if (gap < 1e-6) break;
        }
        if (j < count) continue;
        for (k = 0; k < $n; ++k) q[count][k] = x[k];
        ++count;
    }
    return count;
}
"""
_C_STEP = """
$static void ${name}_step(const double *$target$to_step, const double *x, double *next)
{
$assignments
}
"""
_C_CORRECTION = """\
for (k = 0; k < $steps && x[$n] > $fine && x[$n] < $loose; ++k) { /* what rounding left */
            double next[$width];
            ${name}_step($target$step_handed, x, next);
            if (!(next[$n] < x[$n])) break;
            for (j = 0; j < $width; ++j) x[j] = next[j];
        }"""

_RUST = """\
#[allow(unused_parens, non_snake_case, unused_variables, clippy::all)]
fn ${name}_branches($target: &[f64; $size]$given, found: &mut [[f64; $width]; $branches]) -> f64 {
$assignments
    $fault
}
$step
$comment
#[allow(unused_parens, non_snake_case, clippy::all)]
pub fn $name($target: &[f64; $size]$given, q: &mut [[f64; $n]; $branches]) -> Option<usize> {
    const LOWER: [f64; $n] = [$lower];
    const UPPER: [f64; $n] = [$upper];
    let mut found = [[0.0; $width]; $branches];
    if !$target.iter().all(|x| x.is_finite()) {
        return None;
    }
    $check
    if !(${name}_branches($target$handed, &mut found) <= 1e-6) {
        return None;
    }
    let mut best = f64::INFINITY;
    for x in found.iter_mut() {
        $correction
        best = best.min(x[$n]);
    }
    let least = if best <= $least { $least } else { $tolerance };
    let mut count = 0;
    for x in found.iter() {
        let within = (0..$n).all(|k| x[k] >= LOWER[k] - 1e-12 && x[k] <= UPPER[k] + 1e-12);
        // solutions that coincide are returned once
        let same = |a: f64, b: f64| ((a - b) - $turn * ((a - b) / $turn).round()).abs() < 1e-6;
        let known = q[..count].iter().any(|other| (0..$n).all(|k| same(x[k], other[k])));
        if x[$n] <= least && within && !known {
            q[count].copy_from_slice(&x[..$n]);
            count += 1;
        }
    }
    Some(count)
}
"""
_RUST_STEP = """
#[allow(unused_parens, non_snake_case, unused_variables, clippy::all)]
fn ${name}_step($target: &[f64; $size]$to_step, x: &[f64; $width], next: &mut [f64; $width]) {
$assignments
}
"""
_RUST_CORRECTION = """\
for _ in 0..$steps {
            // what rounding left
            let mut next = [0.0; $width];
            if !(x[$n] > $fine && x[$n] < $loose) {
                break;
            }
            ${name}_step($target$step_handed, x, &mut next);
            if !(next[$n] < x[$n]) {
                break;
            }
            *x = next;
        }"""

_PYTHON = '''\
from math import atan2, cos, inf, isfinite, nan, pi, sin, sqrt


def _ratio(a, b):
    return a / b if b else a * inf


def _root(x):
    return sqrt(x) if x >= 0.0 else nan


def _whole(x):
    return float(round(x)) if isfinite(x) else x


def _${name}_branches($target$given):
    found = [[0.0] * $width for _ in range($branches)]
$assignments
    return found, $fault

$step
def $name($target$given):
    """$comment"""
    lower, upper = [$lower], [$upper]
    $target = [float(x) for $flat]
    $check
    if len($target) != $size or not all(isfinite(x) for x in [*$target$handed]):
        raise ValueError("expected $size finite numbers$and_given")
    found, fault = _${name}_branches($target$handed)
    if not fault <= 1e-6:
        raise ValueError("$target is no pose: a rotation, a position, and 0 0 0 1 below")
    $correction
    best = min(x[$n] for x in found)
    least = $least if best <= $least else $tolerance
    q = []
    for x in found:
        within = all(lower[k] - 1e-12 <= x[k] <= upper[k] + 1e-12 for k in range($n))
        # solutions that coincide are returned once
        known = any(all(abs((a - b + pi) % (2.0 * pi) - pi) < 1e-6 for a, b in zip(x, other)) for other in q)
        if x[$n] <= least and within and not known:
            q.append(x[:$n])
    return q
'''
_PYTHON_STEP = """

def _${name}_step($target$to_step, x):
    next = [0.0] * $width
$assignments
    return next

"""
_PYTHON_CORRECTION = """\
for k, x in enumerate(found):  # what rounding left
        for _ in range($steps):
            if not $fine < x[$n] < $loose:
                break
            next = _${name}_step($target$step_handed, x)
            if not next[$n] < x[$n]:
                break
            found[k] = x = next"""


@dataclass(frozen=True)
class SolverTemplate:
    """The functions of a solver in one language."""

    language: Language
    store: str
    """the assignment of an expression to an entry of an array"""
    given: str
    """the further parameter, which is a number"""
    check: str
    """that it is finite"""
    functions: str
    step: str
    correction: str
    comment: tuple[str, str, str]
    """its beginning, that of each line, and its end"""
    target: str
    solutions: str
    """how the arguments and the results are written"""
    words: tuple[tuple[str, str], ...] = ()
    """further words of the template"""


_IN_C = SolverTemplate(
    C,
    "    {}[{}] = {};",
    ", double given",
    "if (!(fabs(given) < HUGE_VAL)) return -1;",
    "$comment\n#include <math.h>\n\n" + _C,
    _C_STEP,
    _C_CORRECTION,
    ("/* ", " * ", " */"),
    "row by row",
    "The result is the number of solutions, the rows of q that are written; -1 where the arguments are no target.",
    (("static", "static"), ("public", ""), ("kind", "int")),
)
TEMPLATES = {
    ".c": _IN_C,
    ".hpp": replace(
        _IN_C,
        functions="#pragma once\n\n$comment\n#include <math.h>\n\n" + _C,
        words=(("static", "inline"), ("public", "inline "), ("kind", "int")),
    ),
    ".rs": SolverTemplate(
        RUST,
        "    {}[{}] = {};",
        ", given: f64",
        "if !given.is_finite() {\n        return None;\n    }",
        _RUST,
        _RUST_STEP,
        _RUST_CORRECTION,
        ("/// ", "/// ", ""),
        "row by row",
        "The result is the number of solutions, the rows of q that are written; None if the target is none.",
    ),
    ".py": SolverTemplate(
        replace(
            PYTHON,
            functions={"sqrt": "_root", "round": "_whole"},
            templates={**PYTHON.templates, "div": "_ratio({0}, {1})"},
        ),
        "    {}[{}] = {}",
        ", given",
        "given = float(given)",
        _PYTHON,
        _PYTHON_STEP,
        _PYTHON_CORRECTION,
        ("", "    ", "    "),
        "a list of rows or an array",
        "The result is the list of solutions. ValueError is raised where the arguments are no target.",
    ),
}
"""By the ending of the file."""


class GeneratedSolver:
    """The programs of an exact solver of a family, from which its source code is written."""

    def __init__(
        self, model: Model, arm: Arm, way: Decomposition, task: PoseTarget, tolerance: float, joint_limits: bool
    ):
        self._model, self._arm, self._way, self._task = model, arm, way, task
        self.tolerance, self.joint_limits = tolerance, joint_limits
        places = list(arm.places)
        self._bounds = (
            (model.lower[places], model.upper[places])
            if joint_limits
            else (np.full(len(places), -np.inf), np.full(len(places), np.inf))
        )
        self._corrected = len(arm.chain) >= 6 and task.shape == (4, 4)
        self._least = FINE * max(1.0, arm.length) if self._corrected else tolerance

        def branches(target: Array, given: Any) -> Any:
            fault, target = task.fault(target), task.cleaned(target)
            rows = []
            for answer in way.solve(task.motion(target), given):
                error = pick(answer.exists, task.off(target, answer), np.inf)
                rows.append(stack([*coordinates_of(model, arm, way, answer, given), error]))
            return stack(rows), fault

        def step(target: Array, given: Any, x: Array) -> Any:
            parts, error = task.converged(list(x[:-1]), target, way.held, given, 1)
            return stack([*parts, error])

        with np.errstate(all="ignore"):  # of what is no number
            self.branches = self._program(branches)
            self.step = self._program(step, x=len(places) + 1) if self._corrected else None

    def _program(self, function: Callable[..., Any], **inputs: Any) -> Program:
        program = compile(function, target=self._task.shape, given=(), **inputs).program
        assert isinstance(program, Program)
        slots = tuple(
            slot._replace(name=self._task.name if slot.name == "target" else slot.name) for slot in program.inputs
        )
        return replace(program, inputs=slots)

    def source(self, template: SolverTemplate, name: str, notes: Sequence[str]) -> str:
        """The code in a language, with a function of this name and a comment that begins with the notes."""
        language, n = template.language, len(self._arm.joints)
        target, size = self._task.name, int(np.prod(self._task.shape))
        step = self.step
        stepped = step is not None and any(op == "input" and args[0] == 1 for op, args, _ in step.instructions)
        words = {
            **dict(template.words),
            "name": name,
            "target": target,
            "size": str(size),
            "n": str(n),
            "width": str(n + 1),
            "branches": str(self.branches.outputs[0].shape[0]),
            "given": template.given if self._way.asks else "",
            "handed": ", given" if self._way.asks else "",
            "and_given": " and a given number" if self._way.asks else "",
            "to_step": template.given if stepped else "",
            "step_handed": ", given" if stepped else "",
            "check": template.check if self._way.asks else "",
            "flat": f"row in {self._task.name} for x in row"
            if len(self._task.shape) == 2
            else f"x in {self._task.name}",
            "lower": ", ".join(language.number(float(x)) for x in self._bounds[0]),
            "upper": ", ".join(language.number(float(x)) for x in self._bounds[1]),
            "least": repr(self._least),
            "tolerance": repr(self.tolerance),
            "fine": repr(FINE),
            "loose": repr(LOOSE),
            "steps": str(STEPS),
            "turn": repr(2.0 * np.pi),
            "comment": _comment(template, [*notes, *self._notes(template)]),
        }
        words |= {"step": "", "correction": ""}
        if step is not None:
            lines, (results,), _ = statements(step, language)
            lines += [template.store.format("next", k, text) for k, text in enumerate(results)]
            words["step"] = Template(template.step).substitute(words, assignments="\n".join(lines))
            words["correction"] = Template(template.correction).substitute(words)
        lines, (rows, (fault,)), _ = statements(self.branches, language)
        for k, text in enumerate(rows):
            i, j = divmod(k, n + 1)
            lines.append(template.store.format(f"found[{i}]", j, text))
        words |= {"assignments": "\n".join(lines), "fault": fault}
        text = Template(template.functions).substitute(words)
        return re.sub(r"\n +(?=\n)", "", text)  # lines of words that are empty

    def _notes(self, template: SolverTemplate) -> list[str]:
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
            "angles; others may be missing there.",
        ]


def _comment(template: SolverTemplate, notes: Sequence[str]) -> str:
    """The notes as a comment, in characters that end none."""
    first, others, last = template.comment
    spelled = str.maketrans({"×": "x", "π": "pi"})
    lines = [re.sub(r"[^ -~]|\\|\"|\*/|/\*|\?\?", "_", note.translate(spelled)) for note in notes]
    text = [first + lines[0], *(f"{others}{line}".rstrip() for line in lines[1:])]
    return "\n".join([*text, last] if last else text)
