"""Text of a model, and its table in notebooks: the tree with joints, sizes and masses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from math import inf
from typing import Any

import numpy as np

from linkwright.errors import counted
from linkwright.model.build.description import WORLD
from linkwright.model.joints.loop import CoordinateLoop, Loop
from linkwright.model.parts.actuator import Actuator
from linkwright.model.parts.pair import Pair
from linkwright.model.parts.spring import Spring
from linkwright.model.parts.tendon import Tendon, coefficients_of
from linkwright.model.tree import Model
from linkwright.spatial.arrays import is_zero

DEEPEST = 24
"""Depth above which joints are not indented further; they name their parent body instead."""
MOST_ROWS = 60
"""largest number of rows of the table in a notebook"""
MOST_PAIRS = 24
"""largest number of pairs of shapes in the text"""


def tree_text(model: Model) -> str:
    """Return the tree, with each joint indented under the joint of its parent."""
    lines = [_headline(model)]
    children: dict[int, list[int]] = {}
    for k, link in enumerate(model.links):
        children.setdefault(link.parent, []).append(k)
    welded = [name for name, frame in model.frames.items() if frame.body < 0 and name != WORLD]
    lines.append(WORLD + _also(welded) + (f"  {model.welded.mass:.6g} kg welded" if model.welded.mass else ""))
    position = dict(zip((j.name for j in model.joints), _starts(model), strict=True))
    stack = [(k, "", 0) for k in reversed(children.get(-1, []))]
    while stack:
        k, indent, depth = stack.pop()
        joint, body = model.joints[k], model.bodies[k]
        siblings = children[model.links[k].parent]
        last = k == siblings[-1]
        place = _place(model, k, position[joint.name])
        if depth > DEEPEST:
            place += f", on {joint.parent}"
        mark = "└" if last else "├"
        moved = f"{body.name}{_also(body.links[1:])}  {_mass(body.mass)}"
        lines.append(f"{indent}{mark}─ {joint.name} ({joint.type}, {place}) ─ {moved}")
        inner = indent if depth >= DEEPEST else indent + ("   " if last else "│  ")
        stack.extend((child, inner, depth + 1) for child in reversed(children.get(k, [])))
    if model.loops:
        lines.append("loops:")
        lines += [f"   {loop.name} ({loop.type}): {_ends(loop)}" for loop in model.loops]
    if model.springs:
        lines.append("springs:")
        lines += [f"   {text}" for text in _springs(model)]
    if model.actuators:
        lines.append("actuators:")
        lines += [f"   {one.name}: {_driven(one)}" for one in model.actuators]
    if model.pairs:
        lines.append(f"contact, {counted(len(model.pairs), 'pair')}:")
        pairs = _pairs(model)
        lines += [f"   {one}" for one in pairs[:MOST_PAIRS]]
        lines += [f"   … and {len(pairs) - MOST_PAIRS} more"] * (len(pairs) > MOST_PAIRS)
    return "\n".join(lines)


def table_html(model: Model) -> str:
    """Return the table of the joints in a notebook, in the order of the coordinates."""
    position = _starts(model)
    limited = bool(np.isfinite(model.lower).any() or np.isfinite(model.upper).any())
    rows = []
    for k, (joint, body) in enumerate(zip(model.joints, model.bodies, strict=True)):
        if k == MOST_ROWS:
            rows.append(f'<tr><td colspan="7">… and {len(model.joints) - k} more</td></tr>')
            break
        ends = zip(joint.lower, joint.upper, strict=True)
        limits = ", ".join(f"{low:.4g} … {high:.4g}" for low, high in ends if low > -inf or high < inf)
        names = (joint.name, joint.type, _place(model, k, position[k]), joint.parent, body.name)
        rows.append(_row("td", (*names, _mass(body.mass, ""), *[limits] * limited)))
    head = _row("th", ("joint", "type", "coordinates", "on", "moves", "mass [kg]", *["limits [rad, m]"] * limited))
    loops = _list_html("loops", [f"{loop.name} ({loop.type}): {_ends(loop)}" for loop in model.loops])
    springs = _list_html("springs", _springs(model))
    pairs = _list_html("contact", _pairs(model))
    return f"<p><b>{escape(_headline(model))}</b></p><table>{head}{''.join(rows)}</table>{loops}{springs}{pairs}"


def _list_html(title: str, texts: list[str]) -> str:
    """Return a list under its title; empty for an empty list."""
    more = [f"… and {len(texts) - MOST_ROWS} more"] * (len(texts) > MOST_ROWS)
    items = "".join(f"<li>{escape(each)}</li>" for each in [*texts[:MOST_ROWS], *more])
    return f"<p>{title}:</p><ul>{items}</ul>" if items else ""


def _row(cell: str, entries: Iterable[str]) -> str:
    left = ' style="text-align:left"'
    return f"<tr>{''.join(f'<{cell}{left}>{escape(entry)}</{cell}>' for entry in entries)}</tr>"


def _mass(mass: Any, unit: str = " kg") -> str:
    """Return a mass, which may be an expression."""
    return f"{mass:.6g}{unit}" if isinstance(mass, (int, float)) else f"mass {mass}"


def _headline(model: Model) -> str:
    total = sum(body.mass for body in model.bodies)
    return (
        f"{model.name}: {counted(len(model.bodies), 'moving body', 'moving bodies')}, nq {model.nq}, nv {model.nv}, "
        f"{_mass(total)}, "
        f"gravity ({', '.join(f'{g:g}' if isinstance(g, float) else str(g) for g in model.gravity)})"
    )


def _place(model: Model, k: int, start: int) -> str:
    """Return the indices of a joint's coordinates in q, or its leader."""
    joint = model.joints[k]
    if joint.coupling:
        c = joint.coupling
        return f"= {c.multiplier:g} {model.joints[c.leader].name} + {c.offset:g}"
    return f"q[{start}]" if joint.nq == 1 else f"q[{start}:{start + joint.nq}]"


def _also(names: list[str] | tuple[str, ...]) -> str:
    if not names:
        return ""
    shown = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
    return f" [+ {shown}]"


def _springs(model: Model) -> list[str]:
    on = {frame.name: f"{frame.name} on {frame.body}" for frame in model.description.frames}
    return [f"{spring.name}: {_spring(spring, on)}" for spring in model.springs]


def _spring(spring: Spring, on: Mapping[str, str]) -> str:
    low, high = spring.relaxed
    parts = [path_text(spring.tendon, on)]
    if spring.stiffness or spring.damping or spring.limits is None:
        length = f"free length {low:g} m" if low == high else f"relaxed from {low:g} to {high:g} m"
        parts += [f"{spring.stiffness:g} N/m", f"{spring.damping:g} N s/m", length]
    if spring.limits is not None:
        parts.append("from {:g} to {:g} m".format(*spring.limits))
    if spring.friction:
        parts.append(f"friction {spring.friction:g} N")
    return ", ".join(parts)


def path_text(tendon: Tendon, on: Mapping[str, str]) -> str:
    """Return the path of a tendon; "on": text of frames."""
    if joints := coefficients_of(tendon):
        return " + ".join(f"{c:g} {joint}" for joint, c in joints)
    ends = [one if isinstance(one, str) else one.frame for one in tendon if not isinstance(one, tuple)]
    return " ─ ".join(on.get(end, end) for end in ends)


def _driven(actuator: Actuator) -> str:
    """Return the target of an actuator, its gear and the equation of its activation."""
    target = actuator.joint or actuator.frame or path_text(actuator.tendon, {})
    gear = ", ".join(f"{x:g}" for x in actuator.gears)
    return f"{target}, gear {gear}" + f", {actuator.dynamics}" * actuator.has_activation


def _pairs(model: Model) -> list[str]:
    """Return the pairs that may touch, with their parameters."""
    return [f"{' ─ '.join(model.shapes[k].called for k in (p.first, p.second))}, {_contact(p)}" for p in model.pairs]


def _contact(pair: Pair) -> str:
    """Return the nonzero parameters of a pair."""
    lines = [f"friction {_number(pair.friction)}"]
    for what, unit in (("torsional_friction", " m"), ("rolling_friction", " m"), ("restitution", "")):
        x = getattr(pair, what)
        if x is not None and not is_zero(x):
            lines.append(f"{what.replace('_', ' ')} {_number(x)}{unit}")
    if pair.stiffness is not None:
        lines += [f"{_number(pair.stiffness)} N/m", f"{_number(pair.damping)} N s/m"]
    if not is_zero(pair.margin):
        lines.append(f"margin {_number(pair.margin)} m")
    return ", ".join(lines)


def _number(x: Any) -> str:
    return f"{x:.6g}" if isinstance(x, (int, float)) else str(x)


def _ends(loop: Loop | CoordinateLoop) -> str:
    if isinstance(loop, Loop):
        return f"{loop.first} ─ {loop.second}"
    powers = ["", loop.second, *(f"{loop.second}^{k}" for k in range(2, len(loop.coefficients)))]
    pairs = [(f"{c:g}", power) for c, power in zip(loop.coefficients, powers, strict=False) if c]
    pairs += [(f"{factor:g}", name) for name, factor in loop.others]
    terms = [" ".join(filter(None, pair)) for pair in pairs]
    return f"{loop.first or 0} = {' + '.join(terms) or '0'}"


def _starts(model: Model) -> list[int]:
    starts, at = [], 0
    for joint in model.joints:
        starts.append(at)
        at += joint.nq
    return starts
