"""Sine and cosine on vector registers, as LLVM IR (LLVM's own would be scalar calls, four times slower).

Cody–Waite reduction by π/2 in three fused steps, then minimax polynomials on [−π/4, π/4] (the
constants of `formats.py`). At most 1.5 ulp for angles that are not ``far`` (`formats.py`); beyond, the quotient is
no longer exact and the caller must evaluate the row otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

from linkwright.compiler.ir.formats import DOUBLE, NumberFormat


class Lanes:
    """Types and constants for ``width`` lanes of numbers of one format; one lane is a plain number."""

    def __init__(self, width: int, form: NumberFormat = DOUBLE):
        self.width, self.format = width, form
        self.scalar, self.bytes = form.scalar, form.bytes
        self.number = form.scalar if width == 1 else f"<{width} x {form.scalar}>"
        self.integer = form.integer if width == 1 else f"<{width} x {form.integer}>"
        self.bit = "i1" if width == 1 else f"<{width} x i1>"
        self.suffix = form.suffix if width == 1 else f"v{width}{form.suffix}"
        self.alignment = form.bytes * width
        """bytes of a register"""
        # what does not fit the registers waits on the stack, which LLVM aligns only on request: numbers that lie
        # across two lines of memory take a third longer (measured), as they did wherever the stack began by chance
        self.stack = f" alignstack({min(64, self.alignment)})" if width > 2 else ""

    def constant(self, x: float) -> str:
        """The same number in every lane."""
        if self.width == 1:
            return self.format.number(x)
        return f"splat ({self.scalar} {self.format.number(x)})"

    def whole(self, n: int) -> str:
        """The same whole number in every lane."""
        return str(n) if self.width == 1 else f"splat ({self.format.integer} {n})"

    def everywhere(self, holds: bool) -> str:
        """The same condition in every lane."""
        name = "true" if holds else "false"
        return name if self.width == 1 else f"splat (i1 {name})"

    def fma(self, emit: Callable[[str], str], a: str, b: str, c: str) -> str:
        """a b + c in one rounding (where the target has it; the library's otherwise)."""
        V = self.number
        return emit(f"call {V} @llvm.fma.{self.suffix}({V} {a}, {V} {b}, {V} {c})")


def sincos(lanes: Lanes, emit: Callable[[str], str], x: str) -> tuple[str, str]:
    """Emit the instructions for sin x and cos x of angles that are not far; NaN and infinities give NaN.

    ``emit`` appends an instruction and returns the name of its value.
    """
    V, N, c, form = lanes.number, lanes.integer, lanes.constant, lanes.format
    high, low, lowest = form.pi_half

    def fma(a: str, b: str, y: str) -> str:
        return lanes.fma(emit, a, b, y)

    def polynomial(name: str) -> str:
        *rest, last = form.polynomials[name]
        p = c(last)
        for coefficient in reversed(rest):
            p = fma(p, z, c(coefficient))
        return p

    shifted = fma(x, c(form.two_over_pi), c(form.to_whole))
    quadrant = emit(f"bitcast {V} {shifted} to {N}")
    k = emit(f"fsub {V} {shifted}, {c(form.to_whole)}")
    r = fma(k, c(-low), fma(k, c(-high), x))
    sign = emit(f"and {N} {emit(f'bitcast {V} {r} to {N}')}, {lanes.whole(form.sign)}")  # that of −0 is lost from here
    r = fma(k, c(-lowest), r)
    z = emit(f"fmul {V} {r}, {r}")

    p = polynomial("sin")
    sine = fma(emit(f"fmul {V} {r}, {z}"), p, r)
    bits = emit(f"or {N} {emit(f'bitcast {V} {sine} to {N}')}, {sign}")
    sine = emit(f"bitcast {N} {bits} to {V}")

    p = polynomial("cos")
    # −1/2 + z p and the last sum are rounded once each, which together stays below 0.7 ulp
    cosine = fma(z, fma(z, p, c(-0.5)), c(1.0))

    odd = emit(f"icmp ne {N} {emit(f'and {N} {quadrant}, {lanes.whole(1)}')}, {lanes.whole(0)}")
    swapped_sine = emit(f"select {lanes.bit} {odd}, {V} {cosine}, {V} {sine}")
    swapped_cosine = emit(f"select {lanes.bit} {odd}, {V} {sine}, {V} {cosine}")

    def signed(value: str, bits: str) -> str:
        """``value`` negated where the second lowest of ``bits`` is set."""
        moved = emit(f"shl {N} {bits}, {lanes.whole(form.bits - 2)}")
        sign = emit(f"and {N} {moved}, {lanes.whole(form.sign)}")
        flipped = emit(f"xor {N} {emit(f'bitcast {V} {value} to {N}')}, {sign}")
        return emit(f"bitcast {N} {flipped} to {V}")

    next_quadrant = emit(f"add {N} {quadrant}, {lanes.whole(1)}")
    return signed(swapped_sine, quadrant), signed(swapped_cosine, next_quadrant)
