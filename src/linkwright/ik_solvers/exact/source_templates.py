"""Functions around the formulas of exact solvers, in C, C++, Rust and Python."""

from __future__ import annotations

from dataclasses import dataclass, replace

from linkwright.compiler.emit.languages import PYTHON, RUST, C, Language


@dataclass(frozen=True)
class SolverTemplate:
    """The functions of a solver in one language; words with $ are those of `GeneratedSolver`."""

    language: Language
    function: str
    """a function of straight-line code"""
    parameters: tuple[str, str, str]
    """declarations of an array, of a number, and of the array of results"""
    unread: str
    """a statement for a parameter that is not read"""
    store: str
    """the assignment of an expression to an entry of an array"""
    check: str
    """that the given number is finite"""
    correction: str
    """steps that bring a solution, off by rounding, to its target"""
    search: str
    """all solutions of six joints of any geometry, from the roots of their polynomial"""
    solver: str
    """the file"""
    comment: tuple[str, str, str]
    """its beginning, that of each line, and its end"""
    target: str
    solutions: str
    """how the target and the results are written"""
    words: tuple[tuple[str, str], ...] = ()
    """further words"""


_C_FUNCTION = """\
$static void ${name}_$function($parameters)
{
$assignments
}
"""
_C_CORRECTION = """\
for (k = 0; k < $steps && x[$n] > $fine && x[$n] < $loose; ++k) { /* what rounding left */
            double next[$width];
            ${name}_step($target$handed, x, next);
            if (!(next[$n] < x[$n])) break;
            for (j = 0; j < $width; ++j) x[j] = next[j];
        }"""
_C_SEARCH = """
/* All solutions: a polynomial of degree 8 in sines and cosines of one joint, cells with one root, postures. */
$static void ${name}_branches(const double *$target$given_parameter, double *found)
{
    double coefficients[$coefficients + 1], sample[2], kind[1], middles[64], halves[64];
    double polynomial[$samples] = {0.0}, noise = 0.0, value, middle, half, tried = -10.0;
    int count, i, k, m = 0;

    ${name}_coefficients($target$handed, coefficients);
    for (i = 0; i < $samples; ++i) {
        const double angle = $turn * i / $samples;
        ${name}_determinant(coefficients, sin(angle), cos(angle), sample);
        polynomial[0] += sample[0] / $samples;
        for (k = 1; k <= $harmonics; ++k) {
            polynomial[2 * k - 1] += 2.0 / $samples * sample[0] * sin(k * angle);
            polynomial[2 * k] += 2.0 / $samples * sample[0] * cos(k * angle);
        }
        noise = fmax(noise, sample[1]);
    }
    ${name}_determinant(coefficients, sin($checked), cos($checked), sample);
    value = polynomial[0];
    for (k = 1; k <= $harmonics; ++k)
        value += polynomial[2 * k - 1] * sin(k * $checked) + polynomial[2 * k] * cos(k * $checked);
    noise = $noise * (fabs(sample[0] - value) + $rounding * noise) + $digits;
    for (i = 0; i < $branches; ++i) found[$width * i + $n] = HUGE_VAL;
    found[$branches * $width] = coefficients[$coefficients];
    for (i = 0; i < $cells; ++i) {
        middles[0] = $first_cell + (i + 0.5) * $cell;
        halves[0] = 0.5 * $cell;
        count = 1;
        while (count > 0) {
            middle = middles[--count];
            half = halves[count];
            ${name}_cell(polynomial, noise, middle, half, kind);
            if (kind[0] == $several && half > $smallest) {
                for (k = $parts - 1; k >= 0; --k, ++count) {
                    halves[count] = half / $parts;
                    middles[count] = middle + half / $parts * (2.0 * k - ($parts - 1.0));
                }
            } else if (kind[0] != $none && m < $branches) {
                /* several adjacent cells may be those of one multiple root */
                if (kind[0] == $one || middle - half > tried + 1e-12) {
                    ${name}_posture($target$handed, polynomial, middle - half, middle + half, found + $width * m);
                    if (found[$width * m + $n] < $loose) ++m;
                    else found[$width * m + $n] = HUGE_VAL;
                }
                if (kind[0] != $one) tried = middle + half;
            }
        }
    }
}
"""
_C_SOLVER = """
$functions
$public$kind $name(const double $target[$size]$given_parameter, double q[$branches][$n])
{
    static const double lower[$n] = {$lower}, upper[$n] = {$upper};
    double found[$branches * $width + 1], best = HUGE_VAL;
    int count = 0, i, j, k;

    for (k = 0; k < $size; ++k)
        if (!(fabs($target[k]) < HUGE_VAL)) return -1;
    $check
    ${name}_branches($target$handed, found);
    if (!(found[$branches * $width] <= 1e-6)) return -1;
    for (i = 0; i < $branches; ++i) {
        double *x = found + $width * i;
        $correction
        if (x[$n] < best) best = x[$n];
    }
    for (i = 0; i < $branches; ++i) {
        const double *x = found + $width * i;
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

/* Whether a solution is at a singular posture: other solutions may be missing there, or infinitely many. */
$public$kind ${name}_is_singular(const double q[$n])
{
    double found[1];
    ${name}_independence(q, found);
    return !(found[0] > $singular);
}
"""

_RUST_FUNCTION = """\
#[allow(unused_parens, non_snake_case, unused_variables, clippy::all)]
fn ${name}_$function($parameters) {
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
            ${name}_step($target$handed, x, &mut next);
            if !(next[$n] < x[$n]) {
                break;
            }
            x.copy_from_slice(&next);
        }"""
_RUST_SEARCH = """
/// All solutions: a polynomial of degree 8 in sines and cosines of one joint, cells with one root, postures.
#[allow(non_snake_case, clippy::all)]
fn ${name}_branches($target: &[f64]$given_parameter, found: &mut [f64]) {
    let mut coefficients = [0.0; $coefficients + 1];
    let (mut sample, mut kind) = ([0.0; 2], [0.0; 1]);
    let (mut middles, mut halves) = ([0.0; 64], [0.0; 64]);
    let mut polynomial = [0.0; $samples];
    let (mut noise, mut tried, mut m): (f64, f64, usize) = (0.0, -10.0, 0);
    ${name}_coefficients($target$handed, &mut coefficients);
    for i in 0..$samples {
        let angle = $turn * (i as f64) / $samples as f64;
        ${name}_determinant(&coefficients, angle.sin(), angle.cos(), &mut sample);
        polynomial[0] += sample[0] / $samples as f64;
        for k in 1..=$harmonics {
            let part = 2.0 / $samples as f64 * sample[0];
            polynomial[2 * k - 1] += part * (k as f64 * angle).sin();
            polynomial[2 * k] += part * (k as f64 * angle).cos();
        }
        noise = noise.max(sample[1]);
    }
    let checked: f64 = $checked;
    ${name}_determinant(&coefficients, checked.sin(), checked.cos(), &mut sample);
    let mut value = polynomial[0];
    for k in 1..=$harmonics {
        let angle = k as f64 * checked;
        value += polynomial[2 * k - 1] * angle.sin() + polynomial[2 * k] * angle.cos();
    }
    noise = $noise * ((sample[0] - value).abs() + $rounding * noise) + $digits;
    for i in 0..$branches {
        found[$width * i + $n] = f64::INFINITY;
    }
    found[$branches * $width] = coefficients[$coefficients];
    for i in 0..$cells {
        middles[0] = $first_cell + (i as f64 + 0.5) * $cell;
        halves[0] = 0.5 * $cell;
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (middle, half): (f64, f64) = (middles[count], halves[count]);
            ${name}_cell(&polynomial, noise, middle, half, &mut kind);
            if kind[0] == $several && half > $smallest {
                for k in (0..$parts).rev() {
                    halves[count] = half / $parts as f64;
                    middles[count] = middle + half / $parts as f64 * (2.0 * k as f64 - ($parts as f64 - 1.0));
                    count += 1;
                }
            } else if kind[0] != $none && m < $branches {
                // several adjacent cells may be those of one multiple root
                if kind[0] == $one || middle - half > tried + 1e-12 {
                    let x = &mut found[$width * m..$width * (m + 1)];
                    ${name}_posture($target$handed, &polynomial, middle - half, middle + half, x);
                    if x[$n] < $loose {
                        m += 1;
                    } else {
                        x[$n] = f64::INFINITY;
                    }
                }
                if kind[0] != $one {
                    tried = middle + half;
                }
            }
        }
    }
}
"""
_RUST_SOLVER = """\
$functions
$comment
#[allow(unused_parens, non_snake_case, clippy::all)]
pub fn $name($target: &[f64; $size]$given_parameter, q: &mut [[f64; $n]; $branches]) -> Option<usize> {
    const LOWER: [f64; $n] = [$lower];
    const UPPER: [f64; $n] = [$upper];
    let mut found = [0.0; $branches * $width + 1];
    if !$target.iter().all(|x| x.is_finite()) {
        return None;
    }
    $check
    ${name}_branches($target$handed, &mut found);
    if !(found[$branches * $width] <= 1e-6) {
        return None;
    }
    let mut best = f64::INFINITY;
    for x in found.chunks_exact_mut($width) {
        $correction
        best = best.min(x[$n]);
    }
    let least = if best <= $least { $least } else { $tolerance };
    let mut count = 0;
    for x in found.chunks_exact($width) {
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

/// Whether a solution is at a singular posture: other solutions may be missing there, or infinitely many.
#[allow(dead_code)]
pub fn ${name}_is_singular(q: &[f64; $n]) -> bool {
    let mut found = [0.0; 1];
    ${name}_independence(q, &mut found);
    !(found[0] > $singular)
}
"""

_PYTHON_FUNCTION = """\

def _${name}_$function($parameters):
    $result = [0.0] * $length
$assignments
    return $result
"""
_PYTHON_CORRECTION = """\
for k, x in enumerate(rows):  # what rounding left
        for _ in range($steps):
            if not $fine < x[$n] < $loose:
                break
            next = _${name}_step($target$handed, x)
            if not next[$n] < x[$n]:
                break
            rows[k] = x = next"""
_PYTHON_SEARCH = '''

def _${name}_branches($target$given_parameter):
    """All solutions: a polynomial of degree 8 in sines and cosines of one joint, cells with one root, postures."""
    *coefficients, fault = _${name}_coefficients($target$handed)
    polynomial, noise, tried, found = [0.0] * $samples, 0.0, -10.0, []
    for i in range($samples):
        angle = 2.0 * pi * i / $samples
        value, change = _${name}_determinant(coefficients, sin(angle), cos(angle))
        polynomial[0] += value / $samples
        for k in range(1, $harmonics + 1):
            polynomial[2 * k - 1] += 2.0 / $samples * value * sin(k * angle)
            polynomial[2 * k] += 2.0 / $samples * value * cos(k * angle)
        noise = max(noise, change)
    value = _${name}_determinant(coefficients, sin($checked), cos($checked))[0] - polynomial[0]
    for k in range(1, $harmonics + 1):
        value -= polynomial[2 * k - 1] * sin(k * $checked) + polynomial[2 * k] * cos(k * $checked)
    noise = $noise * (abs(value) + $rounding * noise) + $digits
    for i in range($cells):
        cells = [($first_cell + (i + 0.5) * $cell, 0.5 * $cell)]
        while cells:
            middle, half = cells.pop()
            kind = _${name}_cell(polynomial, noise, middle, half)[0]
            if kind == $several and half > $smallest:
                half /= $parts
                cells += [(middle + half * (2.0 * k - ($parts - 1.0)), half) for k in reversed(range($parts))]
            elif kind != $none and len(found) < $branches * $width:
                # several adjacent cells may be those of one multiple root
                if kind == $one or middle - half > tried + 1e-12:
                    x = _${name}_posture($target$handed, polynomial, middle - half, middle + half)
                    found += x if x[$n] < $loose else []
                if kind != $one:
                    tried = middle + half
    return [*found, *[inf] * ($branches * $width - len(found)), fault]
'''
_PYTHON_SOLVER = '''\
from math import atan2, cos, inf, isfinite, nan, pi, sin, sqrt


def _ratio(a, b):
    return a / b if b else a * inf


def _root(x):
    return sqrt(x) if x >= 0.0 else nan


def _whole(x):
    return float(round(x)) if isfinite(x) else x

$functions

def $name($target$given_parameter):
    """$comment"""
    lower, upper = [$lower], [$upper]
    try:
        $target = [float(x) for $flat]
        $check
    except TypeError:
        raise ValueError("expected $expected$and_given") from None
    if len($target) != $size or not all(isfinite(x) for x in [*$target$handed]):
        raise ValueError("expected $expected$and_given")
    *found, fault = _${name}_branches($target$handed)
    if not fault <= 1e-6:
        raise ValueError("$target is not a pose: a rotation, a position, and 0 0 0 1 below")
    rows = [found[k : k + $width] for k in range(0, $branches * $width, $width)]
    $correction
    best = min(x[$n] for x in rows)
    least = $least if best <= $least else $tolerance
    q = []
    for x in rows:
        within = all(lower[k] - 1e-12 <= x[k] <= upper[k] + 1e-12 for k in range($n))
        # solutions that coincide are returned once
        known = any(all(abs((a - b + pi) % (2.0 * pi) - pi) < 1e-6 for a, b in zip(x, other)) for other in q)
        if x[$n] <= least and within and not known:
            q.append(x[:$n])
    return q


def ${name}_is_singular(q):
    """Return whether a solution is at a singular posture: other solutions may be missing there, or infinitely many."""
    q = [float(x) for x in q]
    if len(q) != $n:
        raise ValueError("expected $n coordinates")
    return not _${name}_independence(q)[0] > $singular
'''

_IN_C = SolverTemplate(
    C,
    _C_FUNCTION,
    ("const double *{}", "double {}", "double *{}"),
    "    (void){};",
    "    {}[{}] = {};",
    "if (!(fabs(given) < HUGE_VAL)) return -1;",
    _C_CORRECTION,
    _C_SEARCH,
    "$comment\n#include <math.h>\n" + _C_SOLVER,
    ("/* ", " * ", " */"),
    "row by row",
    "The result is the number of solutions, the rows of q that are written; -1 where the arguments are no target.",
    (("static", "static"), ("public", ""), ("kind", "int")),
)
TEMPLATES = {
    ".c": _IN_C,
    ".hpp": replace(
        _IN_C,
        solver="#pragma once\n\n$comment\n#include <math.h>\n" + _C_SOLVER,
        words=(("static", "inline"), ("public", "inline "), ("kind", "int")),
    ),
    ".rs": SolverTemplate(
        RUST,
        _RUST_FUNCTION,
        ("{}: &[f64]", "{}: f64", "{}: &mut [f64]"),
        "",
        "    {}[{}] = {};",
        "if !given.is_finite() {\n        return None;\n    }",
        _RUST_CORRECTION,
        _RUST_SEARCH,
        _RUST_SOLVER,
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
        _PYTHON_FUNCTION,
        ("{}", "{}", ""),
        "",
        "    {}[{}] = {}",
        "given = float(given)",
        _PYTHON_CORRECTION,
        _PYTHON_SEARCH,
        _PYTHON_SOLVER,
        ("", "    ", "    "),
        "a list of rows or an array",
        "The result is the list of solutions. ValueError is raised where the arguments are no target.",
    ),
}
"""By the ending of the file."""
