"""Equations as one self-contained HTML page: typeset, with derivation, code and a drawing.

Mathematics is MathML. Expressions that are too long to be read are replaced by their length. Without scripts only the
copy buttons are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from linkwright.errors import ModelError, TooLargeError
from linkwright.expression.polynomials.polynomial import Polynomial
from linkwright.symbolic.derivation.quantities import QUANTITIES
from linkwright.symbolic.interpretation.explanation import Piece
from linkwright.symbolic.output.mathml import (
    CLOSE,
    LEADING_MINUS,
    MINUS,
    OPEN,
    PLUS,
    TIMES,
    mathml_formula,
    mathml_letter,
    mathml_name,
    mathml_pieces,
)
from linkwright.symbolic.output.notation import Product, Sum
from linkwright.symbolic.result import Equations
from linkwright.visual.animations.film import default_trace
from linkwright.visual.drawing.vector import MOST_FRAMES, vector_drawing

NAMES = {letter: quantity.name for letter, quantity in QUANTITIES.items()}
ENTRY_TERMS = 400
"""Terms of one expression above which nobody would read it."""
SECTION_TERMS = 3_000
"""Terms that a section prints in all: some megabytes."""
MOST_LABELS = 14
"""Joints above which a drawing with their names would be covered by them."""
LANGUAGES = {"c": "C", "python": "Python", "octave": "Octave, MATLAB", "fortran": "Fortran"}
TITLES = {
    "M": "Mass matrix",
    "h": "Centrifugal and Coriolis forces",
    "g": "Gravity forces",
    "D": "Friction forces",
    "K": "Spring forces",
    "C": "Matrix of the velocity forces",
    "E": "Kinetic energy",
    "U": "Potential energy",
    "c": "Center of mass",
    "P": "Momentum",
    "L": "Angular momentum about the center of mass",
    "A": "Constraints of the closed loops",
    "b": "Accelerations that the constraints ask for",
}
ARGUMENTS = {"h": "qv", "D": "v", "b": "qv"}
"""what the others depend on is q"""
RAYLEIGH = "<mi>𝓡</mi>"
ONE = (Product(Fraction(1), ()),)
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def page(made: Equations, frame: str | None = None) -> str:
    """The whole page; with the kinematics of a frame, of the last one of a chain unless it is named."""
    if frame is not None:
        made.model.frame(frame)
    else:
        frame = default_trace(made.model) if made.model.links else None
    sections = [("Mechanism", _mechanism(made))]
    letters = made.letters
    try:
        terms = made.canonical.terms
    except TooLargeError as failure:
        terms = None
        sections.append(("Equations of motion", _refusal(failure)))
    else:
        sections += [
            ("Equations of motion", _equations(made, letters)),
            ("What they say", _explanation(made)),
            ("Derivation after Lagrange", _derivation(made)),
        ]
    if frame is not None:
        sections.append(("Kinematics", _kinematics(made, frame)))
    sections.append(("Code", _code(made, letters, with_equations=terms is not None and terms <= SECTION_TERMS)))
    name = escape(made.model.name)
    links = "".join(f'<li><a href="#{_anchor(title)}">{title}</a></li>' for title, _ in sections)
    body = "".join(
        f'<section aria-labelledby="{_anchor(title)}"><h2 id="{_anchor(title)}">{title}</h2>{content}</section>'
        for title, content in sections
    )
    folder = files("linkwright.symbolic")
    style, script = ((folder / each).read_text(encoding="utf-8") for each in ("page.css", "page.js"))
    # nothing is fetched, and nothing may be
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{name}: equations of motion</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header><h1>{name}</h1>{_lead(made, letters)}<nav aria-label="Contents"><ul>{links}</ul></nav></header>\n'
        f"<main>{body}</main>\n<footer>Written by Linkwright.</footer>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _refusal(failure: Exception) -> str:
    said = str(failure)
    return f'<p class="note">{escape(said[:1].upper() + said[1:])}.</p>'


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _math(*pieces: str) -> str:
    """Mathematics in a line of text, or in several pieces between which a line may break."""
    return "".join(f"<math>{piece}</math>" for piece in pieces)


def _line(pieces: Sequence[str]) -> str:
    """Return an equation on separate lines."""
    return f'<div class="equation">{_math(*pieces)}</div>'


def _unfolding(summary: str, content: str, opened: bool = False) -> str:
    return f"<details{' open' if opened else ''}><summary>{summary}</summary>{content}</details>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="table"><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def _indexed(letter: str, *indices: Any) -> str:
    index = ",".join(map(str, indices))
    return f"<msub><mi>{letter}</mi><mn>{index}</mn></msub>"


def _dotted(letter: str) -> str:
    return f'<mover accent="true"><mi>{letter}</mi><mo stretchy="false">˙</mo></mover>'


def _lead(made: Equations, letters: Sequence[str]) -> str:
    """Return the introduction of the page: a sentence and an equation."""
    bodies, n, loops = len(made.model.bodies), len(made.coordinates.v), len(made.model.loops)
    freedom = f"{n} degree{'' if n == 1 else 's'} of freedom"
    if loops:  # the tree's, of which the loops take some
        freedom = f"{n} velocit{'y' if n == 1 else 'ies'}, {loops} closed loop{'' if loops == 1 else 's'}"
    sizes = f"{bodies} moving {'body' if bodies == 1 else 'bodies'}, {freedom}."

    def term(letter: str) -> str:
        arguments = ARGUMENTS.get(letter, "q")
        if made.substitution and "q" not in arguments:
            arguments = f"q{arguments}"
        inside = "<mo>,</mo>".join(f"<mi>{name}</mi>" for name in arguments)
        return f'<mi>{letter}</mi><mo stretchy="false">(</mo>{inside}<mo stretchy="false">)</mo>'

    v_dot = _dotted("v")
    left = "<mo>+</mo>".join([term("M") + v_dot, *(term(letter) for letter in letters[1:] if letter not in "Ab")])
    lines = [f"{left}<mo>=</mo><mi>τ</mi>"]
    if "A" in letters:
        lines[0] += f"<mo>+</mo><msup><mi>A</mi><mo>T</mo></msup>{term('A').removeprefix('<mi>A</mi>')}<mi>λ</mi>"
        lines.append(f"{term('A')}{v_dot}<mo>+</mo>{term('b')}<mo>=</mo><mn>0</mn>")
    return f"<p>{sizes} Its motion obeys, exactly,</p>{''.join(_line([line]) for line in lines)}"


# the mechanism


def _mechanism(made: Equations) -> str:
    parts = [_drawing(made), _joints(made), _coordinates(made)]
    if made.parameters:
        table = _names_table(made.parameters, made.meanings)
        summary = f"{len(made.parameters)} parameters"
        parts.append(f"<h3>Parameters</h3>{_folded_if_long(summary, table, len(made.parameters))}")
    else:
        parts.append("<p>All parameters are numbers; each decimal is taken at its word.</p>")
    if made.snapped:
        notes = "".join(f"<li>{escape(note)}</li>" for note in made.snapped)
        parts.append(f"<h3>Angles taken to be exact</h3><ul>{notes}</ul>")
    return "".join(parts)


def _names_table(values: Mapping[str, float], meanings: Mapping[str, str]) -> str:
    """The names with their values, which symbols of the model do not have, and meanings."""
    rows = [
        (_math(mathml_name(name)), f"<code>{name}</code>", f"{value:.6g}" * (value == value), escape(meanings[name]))
        for name, value in values.items()
    ]
    return _table(("symbol", "in code", "value", "meaning"), rows)


def _folded_if_long(summary: str, content: str, rows: int) -> str:
    return content if rows <= 16 else _unfolding(summary, content)


def _drawing(made: Equations) -> str:
    """The mechanism a little out of its neutral posture, so that its angles can be seen."""
    import linkwright.dynamics as dynamics

    model = made.model
    if not model.links:
        return ""
    bent = 0.0 if model.loops else 0.5  # closed loops would open
    q = dynamics.integrate(model, model.neutral(), np.full(model.nv, bent))
    names = iter(_coordinates_by_joint(made))
    labels = {}
    for k, joint in enumerate(model.joints):
        own = ", ".join(_plain(name) for name in next(names)[0])
        labels[k] = joint.name + (f": {own}" if own and joint.nq <= 3 else "")
    few = labels if len(labels) <= MOST_LABELS else {}
    picture = vector_drawing(model, q, few, f"drawing of {model.name}: its links, joints and centers of mass")
    shown = "Links and joints" + (", in the neutral posture" if model.loops else ", away from the neutral posture")
    if len(model.bodies) <= MOST_FRAMES:
        shown += "; axes of the joints (x red, y green, z blue) and centers of mass (⊙)"
    return f"<figure>{picture}<figcaption>{shown}.</figcaption></figure>"


def _plain(name: str) -> str:
    """A coordinate's name for a drawing: theta1 as θ₁."""
    return name.replace("theta", "θ").translate(LOWERED)


def _coordinates_by_joint(made: Equations) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The names of every joint's coordinates and velocities; none of those that follow another."""
    own = made.own_coordinates
    found, i, j = [], 0, 0
    for joint in made.model.joints:
        found.append((own.q[i : i + joint.nq], own.v[j : j + joint.nv]))
        i, j = i + joint.nq, j + joint.nv
    return found


def _joints(made: Equations) -> str:
    rows = []
    pairs = zip(made.model.joints, _coordinates_by_joint(made), strict=True)
    for k, (joint, (q, v)) in enumerate(pairs, start=1):
        if joint.coupling is None:
            own = (_math(_comma(q)), _math(_comma(v)))
        else:
            own = (f"follows {escape(made.model.joints[joint.coupling.leader].name)}", "")
        rows.append((str(k), escape(joint.name), joint.type, escape(f"{joint.parent} → {joint.child}"), *own))
    table = _table(("", "joint", "type", "connects", "coordinates", "velocities"), rows)
    return f"<h3>Joints</h3>{_folded_if_long(f'{len(rows)} joints', table, len(rows))}"


def _comma(names: Sequence[str]) -> str:
    return '<mo separator="true">,</mo>'.join(map(mathml_name, names))


def _coordinates(made: Equations) -> str:
    names = made.coordinates
    if made.substitution:
        singular, printer = made.singular_where(), _Printer(made)
        shown = "".join(printer.equation(mathml_name(name), p) for name, p in made.substituted)
        words = f"<p>The equations are in other coordinates, {_math(_comma(names.q))}:</p>{shown}"
        if singular != "1":
            words += f"<p>They are singular where <code>{escape(singular)}</code> is zero.</p>"
        return f"<h3>Other coordinates</h3>{words}"
    if not names.q:
        return "<p>It cannot move.</p>"
    if all(name.endswith("_dot") for name in names.v):
        equality = _math("<mi>v</mi><mo>=</mo>" + _dotted("q"))
        return f"<p>Velocities are the rates of the coordinates, {equality}.</p>"
    printer, G = _Printer(made), made.polynomials("rate_matrix")
    lines = [
        _rate(printer, mathml_name(f"{name}_dot"), row, names.v)
        for name, row in zip(names.q, G, strict=True)
        if f"{name}_dot" not in names.v
    ]
    return (
        f"<p>Velocities {_math('<mi>v</mi>')} are not all rates of coordinates: those of free, spherical and planar "
        "joints are in the axes of their body, linear (m/s) and angular (rad/s).</p>"
        + _unfolding("Rates of the coordinates from the velocities", "".join(lines))
    )


# equations


class _Printer:
    """Prints expressions as long as they, and all so far, are short enough."""

    def __init__(self, made: Equations, form: str = "products", frame: str | None = None):
        self.made, self.form, self.frame, self.left = made, form, frame, SECTION_TERMS

    def terms(self, p: Polynomial) -> Sum | int:
        """The grouped terms, or how many there are where they are too many to be printed."""
        if len(p) > ENTRY_TERMS:
            return len(p)
        terms = self.made.grouped(p, self.form, self.frame)
        count = _count(terms)
        if count > min(ENTRY_TERMS, self.left):
            return count
        self.left -= count
        return terms

    def equation(self, left: str, p: Polynomial) -> str:
        terms = self.terms(p)
        if isinstance(terms, int):
            return f'<div class="equation">{_math(left + "<mo>=</mo>")} <em>{terms} terms, too many to read</em></div>'
        return _line(mathml_pieces(terms, left + "<mo>=</mo>"))


def _count(terms: Sum) -> int:
    """The terms of a sum, those in its brackets for themselves."""
    return sum(max(1, sum(map(_count, one.brackets))) for one in terms)


def _equations(made: Equations, letters: Sequence[str]) -> str:
    rows = []
    for letter in letters:
        form = made.polynomials(NAMES[letter])
        zeros = sum(not p for p in form.flat)
        kept = "vanishes identically" if made.vanishes(NAMES[letter]) else f"{sum(map(len, form.flat))}"
        rows.append((_math(f"<mi>{letter}</mi>"), TITLES[letter], str(form.size), str(zeros), kept))
    heads = ("", "", "entries", "identically zero", "terms in normal form")
    parts = [_table(heads, rows)]
    if names := made.inexact_springs:
        parts.append(
            f"<p>The springs of {escape(', '.join(names))} have no exact form; springs and their dampers are left "
            "out.</p>"
        )
    parts.append(f"<p>The code below computes M, h and g in {made.operations}.</p>")
    products, angles = (_entries(made, letters, form) for form in ("products", "angles"))
    if products == angles:
        parts.append(_unfolding("As products, and in multiple angles: both are the same", products, opened=True))
    else:
        parts.append(_unfolding("As products", products, opened=True))
        parts.append(_unfolding("In multiple angles: no products of sines and cosines", angles))
    if made.canonical.terms <= SECTION_TERMS:
        parts.append(_unfolding("Expanded: without brackets", _entries(made, letters, "expanded")))
        parts += _further(made)
    return "".join(parts)


def _further(made: Equations) -> list[str]:
    """The velocity forces as a matrix times v; energies, center of mass and momentum."""
    M_dot = f"{_dotted('M')}{MINUS}<mn>2</mn>{TIMES}<mi>C</mi>"
    velocity_forces = "<mi>C</mi>" + TIMES + "<mi>v</mi>"
    lead = f"<p>The velocity forces are {_math(velocity_forces)}, and {_math(M_dot)} is skew-symmetric.</p>"
    shown = [_unfolding("With a matrix C of centrifugal and Coriolis forces", lead + _entries(made, "C", "products"))]
    letters = "EUcPL" if made.has_mass_properties else "EU"
    words = ""
    if "c" in letters and (mass := made.total_mass(made.polynomials(NAMES["c"]))):
        left = f"{mathml_name(made.mass_letter)}<mo>=</mo>"
        words = f"<p>The total mass is {made.mass_letter}:</p>{_line(mathml_pieces(mass, left))}"
    title = "Energies, center of mass and momentum" if made.has_mass_properties else "Energies"
    return [*shown, _unfolding(title, words + _entries(made, letters, "products"))]


def _entries(made: Equations, letters: Sequence[str], form: str) -> str:
    printer, parts = _Printer(made, form), []
    for letter in letters:
        array = made.polynomials(NAMES[letter])
        parts.append(f"<h3>{TITLES[letter]} {_math(f'<mi>{letter}</mi>')}</h3>")
        if letter == "M" and len(array) > 1:
            parts.append("<p>It is symmetric; these are the entries on and above its diagonal.</p>")
        if letter == "A":
            parts.append(f"<ol>{''.join(f'<li>{escape(row)}</li>' for row in made.constraint_rows)}</ol>")
            parts.append("".join(f"<p>{escape(row)}: always holds.</p>" for row in made.left_out))
        if made.vanishes(NAMES[letter]):
            parts.append(_line([f"<mi>{letter}</mi><mo>=</mo><mn>0</mn>"]))
            continue
        shown = [place for place in np.ndindex(*array.shape) if letter != "M" or place[0] <= place[1]]
        for place in shown:
            if array[place]:
                left = mathml_letter(letter, *(str(k + 1) for k in place))
                parts.append(printer.equation(left, array.item(*place)))
        if not all(array[place] for place in shown):
            parts.append("<p>All others are zero.</p>")
    return "".join(parts)


# explanations


def _explanation(made: Equations) -> str:
    if made.has_symbols:
        return '<p class="note">Explanations need values of the parameters: a model of numbers.</p>'
    if made.substitution:
        return '<p class="note">Explanations are of the mechanism\'s own coordinates.</p>'
    return "".join(
        _unfolding(escape(section.title), "".join(map(_paragraph, section.paragraphs)))
        for section in made.explanation().sections
    )


def _paragraph(pieces: Sequence[Piece]) -> str:
    """Words and formulas in a line; displayed ones stand between paragraphs."""
    parts, words = [], ""
    for piece in pieces:
        if isinstance(piece, str):
            words += escape(piece)
        elif not piece.display:
            words += _math(*mathml_formula(piece.terms))
        else:
            parts += [f"<p>{words}</p>"] * bool(words.strip()) + [_line(mathml_formula(piece.terms))]
            words = ""
    return "".join([*parts, *[f"<p>{words}</p>"] * bool(words.strip())])


# derivation


def _derivation(made: Equations) -> str:
    try:
        found = made.derivation
    except TooLargeError as failure:
        return f'<p class="note">The steps are too large to be written out: {escape(str(failure))}.</p>'
    printer = _Printer(made)
    steps = ["<p>Energies of every body, their sum, and its derivatives, as they are found one after the other.</p>"]
    point = "center of mass" if made.planar else "joint"
    for k, body in enumerate(found.bodies, start=1):
        lines = []
        for words, letter, vector in (
            (f"Position of its {point}", "p", body.position),
            ("Velocity of that point", _dotted("p"), body.velocity),
            ("Angular velocity, in its own axes", "ω", body.angular_velocity),
        ):
            symbol = letter if letter.startswith("<") else f"<mi>{letter}</mi>"
            lines.append(f"<h4>{words}</h4>")
            lines += [
                printer.equation(f"<msub>{symbol}<mrow><mn>{k}</mn><mi>{axis}</mi></mrow></msub>", p)
                for axis, p in zip("xyz", vector, strict=True)
            ]
        lines.append("<h4>Kinetic and potential energy</h4>")
        lines.append(printer.equation(_indexed("K", k), body.kinetic_energy))
        lines.append(printer.equation(_indexed("U", k), body.potential_energy))
        steps.append(_unfolding(f"Body {k}: {escape(body.name)}", "".join(lines)))
    energies = [
        printer.equation(f"<mi>{letter}</mi>{more}", p)
        for letter, more, p in (
            ("K", "", found.kinetic_energy),
            ("U", "", found.potential_energy),
            ("L", "<mo>=</mo><mi>K</mi><mo>−</mo><mi>U</mi>", found.lagrangian),
        )
    ]
    steps.append(_unfolding("Energies of all, and the Lagrangian", "".join(energies)))
    lost = made.polynomials("friction_forces") if "D" in made.letters else None
    if lost is not None:
        function = printer.equation(RAYLEIGH, made.polynomials("dissipation").item())
        words = (
            "<p>What dampers and friction take is the slope of this function along the velocities. Coulomb's part, "
            "with sign, has no slope at rest.</p>"
        )
        steps.append(_unfolding("Rayleigh's dissipation function", words + function))
    turns = any(bool(p) for p in found.turning)
    for k, velocity in enumerate(made.coordinates.v):
        momentum = _quotient("<mi>L</mi>", mathml_name(velocity))
        lines = [printer.equation(momentum, found.momenta[k])]
        rate = f"<mfrac><mi>d</mi><mrow><mi>d</mi><mi>t</mi></mrow></mfrac>{momentum}"
        lines.append(_rate(printer, rate, found.forms.mass_matrix[k], made.coordinates.a, found.momentum_rates[k]))
        if velocity.endswith("_dot"):
            slope = _quotient("<mi>L</mi>", mathml_name(velocity.removesuffix("_dot")))
        else:
            slope = _quotient("<mi>L</mi>", "<mi>q</mi>") + _quotient(_dotted("q"), mathml_name(velocity))
        lines.append(printer.equation(slope, found.slopes[k]))
        balance = f"{rate}<mo>−</mo>{slope}"
        if turns:
            turning = _indexed("t", k + 1)
            lines.append("<p>Of the axes, which turn with the body (Boltzmann and Hamel):</p>")
            lines.append(printer.equation(turning, found.turning[k]))
            balance += f"<mo>−</mo>{turning}"
        if lost is not None:
            slope = _quotient(RAYLEIGH, mathml_name(velocity))
            lines.append(printer.equation(slope, lost[k]))
            balance += f"<mo>+</mo>{slope}"
        tau = f"<mo>=</mo>{_indexed('τ', k + 1)}"
        inertial = [
            f"{_indexed('M', k + 1, j + 1)}{mathml_name(a)}"
            for j, a in enumerate(made.coordinates.a)
            if found.forms.mass_matrix[k, j]
        ]
        written = "<mo>+</mo>".join(
            [*inertial, *(_indexed(letter, k + 1) for letter in ("h", "g", *["D"] * (lost is not None)))]
        )
        lines.append(f"<p>Row {k + 1} of the equations of motion:</p>{_line([balance + tau])}{_line([written + tau])}")
        steps.append(_unfolding(f"Derivatives for {_math(mathml_name(velocity))}", "".join(lines)))
    energies_of = (found.kinetic_energy, found.potential_energy)
    vectors = (p for body in found.bodies for p in (*body.position, *body.velocity, *body.angular_velocity))
    own = (p for body in found.bodies for p in (body.kinetic_energy, body.potential_energy))
    named = made.named_in([*energies_of, *vectors, *own])
    if only_here := {name: one for name, one in named.items() if name not in made.parameters}:
        values = {name: value for name, (value, _) in only_here.items()}
        meanings = {name: meaning for name, (_, meaning) in only_here.items()}
        steps.append(f"<p>Only in these steps:</p>{_names_table(values, meanings)}")
    return "".join(steps)


def _quotient(above: str, below: str) -> str:
    return f"<mfrac><mrow><mo>∂</mo>{above}</mrow><mrow><mo>∂</mo>{below}</mrow></mfrac>"


def _rate(printer: _Printer, left: str, row: np.ndarray, names: Sequence[str], *rest: Polynomial) -> str:
    """A sum of coefficients times names, and what holds none: d/dt ∂L/∂v, q̇."""
    pieces: list[str] = []
    factors = [*zip(row, map(mathml_name, names), strict=True), *((p, "") for p in rest)]
    for p, factor in ((p, factor) for p, factor in factors if p):
        terms, minus = printer.terms(p), False
        if isinstance(terms, int):
            shown = [f"<mtext>({terms} terms)</mtext>"]
        elif len(terms) == 1:
            minus = terms[0].coefficient < 0
            size = (terms[0]._replace(coefficient=abs(terms[0].coefficient)),)
            shown = mathml_pieces(size) if size != ONE or not factor else [""]
        else:
            shown = mathml_pieces(terms, OPEN)
            shown[-1] += CLOSE
        if factor:
            shown[-1] += (TIMES if shown[-1] else "") + factor
        sign = (MINUS if minus else PLUS) if pieces else (LEADING_MINUS if minus else "")
        pieces += [sign + shown[0], *shown[1:]]
    first, *others = pieces or ["<mn>0</mn>"]
    return _line([f"{left}<mo>=</mo>{first}", *others])


# kinematics


def _kinematics(made: Equations, frame: str) -> str:
    """Pose and Jacobian of a frame."""
    parts, printer = [f"<p>Of the frame {escape(frame)}, in the axes of the world.</p>"], _Printer(made, frame=frame)
    try:
        for letter, name, title in (
            ("T", "pose", "Pose: axes and position"),
            ("J", "jacobian", "Jacobian: its velocity and angular velocity are J v"),
        ):
            array = made.polynomials(name, frame)
            lines = [
                printer.equation(_indexed(letter, place[0] + 1, place[1] + 1), array.item(*place))
                for place in np.ndindex(*array.shape)
                if array[place] and not (letter == "T" and place[0] == 3)
            ]
            lines.append("<p>All others are zero" + (", but for the last row (0, 0, 0, 1)" * (letter == "T")) + ".</p>")
            parts.append(_unfolding(title, "".join(lines)))
    except (ModelError, TooLargeError) as failure:
        return parts[0] + _refusal(failure)
    values, meanings = made.frame_parameters(frame), made.frame_meanings(frame)
    added = {name: value for name, value in values.items() if name not in made.parameters}
    if added:
        parts.append(_names_table(added, meanings))
    return "".join(parts)


# code


def _code(made: Equations, letters: Sequence[str], with_equations: bool) -> str:
    parts = [
        f"<p>Subexpressions are shared: M, h and g take {made.operations}. The code does not "
        "need the printed equations, and stays short where those are long.</p>"
    ]
    what = ",".join(letters)
    for name, title in LANGUAGES.items():
        parts.append(_source(title, getattr(made, name)(what)))
    if with_equations:
        parts += [_source("LaTeX", made.latex(what=what)), _source("Plain text", made.text(what=what))]
    return "".join(parts)


def _source(title: str, text: str) -> str:
    size = f"{len(text.encode()) / 1000:.1f} kB"
    return _unfolding(
        f'{title} <span class="size">{size}</span>',
        f'<pre tabindex="0" aria-label="{title} source"><code>{escape(text)}</code></pre>',
    )
