"""Sine and cosine on vector registers, as LLVM IR (LLVM's own would be scalar calls, four times slower).

Cody–Waite reduction by π/2 in three fused steps, then minimax polynomials on [−π/4, π/4] (the
coefficients of fdlibm's kernels). At most 1.5 ulp for |x| ≤ :data:`FAR`; beyond it the quotient is
no longer exact and the caller must evaluate the row otherwise.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

FAR = 1e6
"""Angles beyond this need the library's sine and cosine."""

TWO_OVER_PI = 0.6366197723675814
PI_HALF_HIGH = float.fromhex("0x1.921fb54442d18p+0")
PI_HALF_LOW = float.fromhex("0x1.1a62633145c07p-54")
PI_HALF_LOWEST = float.fromhex("-0x1.f1976b7ed8fbcp-110")  # matters where sine or cosine nearly vanish
ROUND = 6755399441055744.0  # 1.5 · 2⁵²: adding it rounds to the nearest whole number, kept in the low bits

_SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def number(x: float) -> str:
    """A double as LLVM writes it, exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


class Lanes:
    """Types and constants for ``width`` lanes of doubles; one lane is a plain double."""

    def __init__(self, width: int):
        self.width = width
        self.double = "double" if width == 1 else f"<{width} x double>"
        self.integer = "i64" if width == 1 else f"<{width} x i64>"
        self.bit = "i1" if width == 1 else f"<{width} x i1>"
        self.suffix = "f64" if width == 1 else f"v{width}f64"
        # what does not fit the registers waits on the stack, which LLVM aligns only on request: numbers that lie
        # across two lines of memory take a third longer (measured), as they did wherever the stack began by chance
        self.stack = f" alignstack({min(64, 8 * width)})" if width > 2 else ""

    def constant(self, x: float) -> str:
        """The same number in every lane."""
        if self.width == 1:
            return number(x)
        return f"splat (double {number(x)})"

    def whole(self, n: int) -> str:
        """The same whole number in every lane."""
        return str(n) if self.width == 1 else f"splat (i64 {n})"

    def fma(self, emit: Callable[[str], str], a: str, b: str, c: str) -> str:
        """a b + c in one rounding (where the target has it; the library's otherwise)."""
        V = self.double
        return emit(f"call {V} @llvm.fma.{self.suffix}({V} {a}, {V} {b}, {V} {c})")


def sincos(lanes: Lanes, emit: Callable[[str], str], x: str) -> tuple[str, str]:
    """Emit the instructions for sin x and cos x, |x| ≤ FAR; NaN and infinities give NaN.

    ``emit`` appends an instruction and returns the name of its value.
    """
    V, N, c = lanes.double, lanes.integer, lanes.constant

    def fma(a: str, b: str, y: str) -> str:
        return lanes.fma(emit, a, b, y)

    shifted = fma(x, c(TWO_OVER_PI), c(ROUND))
    quadrant = emit(f"bitcast {V} {shifted} to {N}")
    k = emit(f"fsub {V} {shifted}, {c(ROUND)}")
    r = fma(k, c(-PI_HALF_LOW), fma(k, c(-PI_HALF_HIGH), x))
    sign = emit(f"and {N} {emit(f'bitcast {V} {r} to {N}')}, {lanes.whole(-(2**63))}")  # that of −0 is lost from here
    r = fma(k, c(-PI_HALF_LOWEST), r)
    z = emit(f"fmul {V} {r}, {r}")

    p = c(_SIN[-1])
    for coefficient in _SIN[-2::-1]:
        p = fma(p, z, c(coefficient))
    sine = fma(emit(f"fmul {V} {r}, {z}"), p, r)
    bits = emit(f"or {N} {emit(f'bitcast {V} {sine} to {N}')}, {sign}")
    sine = emit(f"bitcast {N} {bits} to {V}")

    p = c(_COS[-1])
    for coefficient in _COS[-2::-1]:
        p = fma(p, z, c(coefficient))
    # −1/2 + z p and the last sum are rounded once each, which together stays below 0.7 ulp
    cosine = fma(z, fma(z, p, c(-0.5)), c(1.0))

    odd = emit(f"icmp ne {N} {emit(f'and {N} {quadrant}, {lanes.whole(1)}')}, {lanes.whole(0)}")
    swapped_sine = emit(f"select {lanes.bit} {odd}, {V} {cosine}, {V} {sine}")
    swapped_cosine = emit(f"select {lanes.bit} {odd}, {V} {sine}, {V} {cosine}")

    def signed(value: str, bits: str) -> str:
        """``value`` negated where the second lowest of ``bits`` is set."""
        moved = emit(f"shl {N} {bits}, {lanes.whole(62)}")
        sign = emit(f"and {N} {moved}, {lanes.whole(-(2**63))}")
        flipped = emit(f"xor {N} {emit(f'bitcast {V} {value} to {N}')}, {sign}")
        return emit(f"bitcast {N} {flipped} to {V}")

    next_quadrant = emit(f"add {N} {quadrant}, {lanes.whole(1)}")
    return signed(swapped_sine, quadrant), signed(swapped_cosine, next_quadrant)
