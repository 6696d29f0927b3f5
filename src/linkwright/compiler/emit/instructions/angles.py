"""Sines and cosines of all angles of a single row, together on the lanes of vector registers, as LLVM IR.

The code of a single row computes with single numbers. Sine and cosine of an angle are about fifty instructions, those
of eight angles on lanes as many. At the first sine of a program the angles of all joints are known, since they are
inputs. Each lane computes what a single number would, bit for bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.compiler.emit.instructions.vector_math import Lanes, sincos
from linkwright.compiler.emit.steps_on_lanes import on_lanes

if TYPE_CHECKING:
    from linkwright.compiler.emit.instructions.arithmetic import ArithmeticEmitter


def emit_sincos(body: ArithmeticEmitter, k: int) -> None:
    """Write sine and cosine of an angle, and of a single row those of all other angles that are known."""
    angles = {k: body.values[k]}
    if body.lanes.width == 1 and body.angles_together:
        angles |= {a: x for a in body.program.angles if a not in body.angles and (x := _known(body, a))}
    pieces, most = list(angles.items()), body.target.lanes(body.lanes.bytes)
    for first in range(0, len(pieces), most):
        some = pieces[first : first + most]
        if len(some) == 1:
            ((a, x),) = some
            body.angles[a] = _of_angle(body, x)
            continue
        single = body.lanes
        with on_lanes(body, Lanes(1 << (len(some) - 1).bit_length(), single.format)):
            lanes, x = body.lanes, "poison"
            for lane in range(lanes.width):  # those that are left over repeat the last angle
                one = some[min(lane, len(some) - 1)][1]
                x = body.emit(f"insertelement {lanes.number} {x}, {single.scalar} {one}, i32 {lane}")
            found = _of_angle(body, x)
            for lane, (a, _) in enumerate(some):
                body.angles[a] = tuple(body.emit(f"extractelement {lanes.number} {y}, i32 {lane}") for y in found)


def _of_angle(body: ArithmeticEmitter, x: str) -> tuple[str, ...]:
    return body.of_angle(x, lambda angle: sincos(body.lanes, body.emit, angle), ("sin", "cos"))


def _known(body: ArithmeticEmitter, k: int) -> str:
    """Return a number that is written already, or an input; else nothing."""
    op, args, _ = body.program.instructions[k]
    return body.values[k] or (body.fetched(*args) if op == "input" else "")
