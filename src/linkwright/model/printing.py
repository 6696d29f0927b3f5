"""A model as text: its tree with joints, sizes and masses."""

from __future__ import annotations

from linkwright.model.description import WORLD
from linkwright.model.loop import CoordinateLoop, Loop
from linkwright.model.tree import Model


def tree_text(model: Model) -> str:
    """The tree; a serial chain stays at its indent, only branches go in."""
    total = sum(body.mass for body in model.bodies)
    lines = [
        f"{model.name}: {len(model.bodies)} moving bodies, nq {model.nq}, nv {model.nv}, {total:.6g} kg, "
        f"gravity ({', '.join(f'{g:g}' for g in model.gravity)})"
    ]
    children: dict[int, list[int]] = {}
    for k, link in enumerate(model.links):
        children.setdefault(link.parent, []).append(k)
    welded = [name for name, frame in model.frames.items() if frame.body < 0 and name != WORLD]
    lines.append(WORLD + _also(welded) + (f"  {model.welded.mass:.6g} kg welded" if model.welded.mass else ""))
    position = dict(zip((j.name for j in model.joints), _starts(model), strict=True))
    stack = [(k, "") for k in reversed(children.get(-1, []))]
    while stack:
        k, indent = stack.pop()
        joint, body = model.joints[k], model.bodies[k]
        siblings = children[model.links[k].parent]
        last = k == siblings[-1]
        if joint.coupling:
            c = joint.coupling
            place = f"= {c.multiplier:g} {model.joints[c.leader].name} + {c.offset:g}"
        else:
            start = position[joint.name]
            place = f"q[{start}]" if joint.nq == 1 else f"q[{start}:{start + joint.nq}]"
        mark = "└" if last else "├"
        moved = f"{body.name}{_also(body.links[1:])}  {body.mass:.6g} kg"
        lines.append(f"{indent}{mark}─ {joint.name} ({joint.type}, {place}) ─ {moved}")
        serial = len(siblings) == 1 and len(children.get(k, [])) <= 1
        inner = indent if serial else indent + ("   " if last else "│  ")
        stack.extend((child, inner) for child in reversed(children.get(k, [])))
    if model.loops:
        lines.append("loops:")
        lines += [f"   {loop.name} ({loop.type}): {_ends(loop)}" for loop in model.loops]
    return "\n".join(lines)


def _also(names: list[str] | tuple[str, ...]) -> str:
    if not names:
        return ""
    shown = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
    return f" [+ {shown}]"


def _ends(loop: Loop | CoordinateLoop) -> str:
    if isinstance(loop, Loop):
        return f"{loop.first} ─ {loop.second}"
    powers = ["", loop.second, *(f"{loop.second}^{k}" for k in range(2, len(loop.coefficients)))]
    pairs = [(f"{c:g}", power) for c, power in zip(loop.coefficients, powers, strict=False) if c]
    terms = [" ".join(filter(None, pair)) for pair in pairs]
    return f"{loop.first or 0} = {' + '.join(terms) or '0'}"


def _starts(model: Model) -> list[int]:
    starts, at = [], 0
    for joint in model.joints:
        starts.append(at)
        at += joint.nq
    return starts
