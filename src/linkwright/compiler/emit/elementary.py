"""Elementary functions on vector registers, as LLVM IR: no calls lane by lane, the same bits on one lane.

Each reduces its argument, takes a minimax polynomial there, and carries what roundings lose in a second number where
it would show: at most 2 units in the last place over the whole domain, subnormal numbers, infinities and signed zeros
included, and NaN where C99 has it (measured: below 1.6 of tanh, 1.3 of the others). Sine and cosine are in
`vector_math.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from linkwright.compiler.emit.vector_math import PI_HALF_HIGH, PI_HALF_LOW, PI_HALF_LOWEST, ROUND, TWO_OVER_PI, Lanes

# coefficients of polynomials, lowest power first: `python tools/minimax.py` finds them
_EXP = (  # relative error 2^-61.7
    0.5,
    0.16666666666666677,
    0.0416666666666667,
    0.008333333333321617,
    0.0013888888888866774,
    0.0001984126988615756,
    2.4801587360635693e-05,
    2.7557244182761874e-06,
    2.7557242716010303e-07,
    2.510904465308356e-08,
    2.0924452144541402e-09,
)
_LOG = (  # relative error 2^-59.5
    0.6666666666666734,
    0.3999999999941393,
    0.2857142874257488,
    0.22222198552267494,
    0.18183565491389342,
    0.15314018890116826,
    0.14796283956871908,
)
_LOG_TAIL = (  # relative error 2^-66.3
    0.40000000000002256,
    0.2857142857009848,
    0.222222225201241,
    0.1818178434913863,
    0.15386758175444906,
    0.13256797736529086,
    0.1319651763183083,
)
_TAN = (  # relative error 2^-56.2
    0.33333333333332776,
    0.13333333333414543,
    0.0539682539267034,
    0.02186948960818208,
    0.008863219175397084,
    0.003592288982048016,
    0.0014547585294990774,
    0.0005950624830841564,
    0.00022238623048463011,
    0.00013651262094433977,
    -2.636817660544795e-05,
    8.943589440336585e-05,
    -4.486769687489092e-05,
    2.0861126000009728e-05,
)
_ASIN = (  # relative error 2^-59.9
    0.1666666666666676,
    0.07499999999970805,
    0.04464285717460708,
    0.030381942708028055,
    0.022372214980419653,
    0.01735161214873043,
    0.013980818873842345,
    0.01139892628366642,
    0.010780172339165246,
    0.003706717835909764,
    0.0217066836218876,
    -0.020997966932604178,
    0.032627929535653015,
)
_ATAN = (  # relative error 2^-57.8
    -0.3333333333333298,
    0.19999999999903156,
    -0.14285714276389885,
    0.11111110659796704,
    -0.09090896248403614,
    0.07692073964983137,
    -0.0666381110758161,
    0.05858301972477663,
    -0.051220183659498174,
    0.041865371481133576,
    -0.02743544266345695,
    0.010117172027486266,
)

_LOG2_E = 1.4426950408889634
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # 32 bits: its products with exponents are exact
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_LN2, _LN2_TAIL = float.fromhex("0x1.62e42fefa39efp-1"), float.fromhex("0x1.abc9e3b39803fp-56")
_TWO_THIRDS_LOW = float.fromhex("0x1.5555555555555p-55")  # of 2/3, after the nearest double
_PI_QUARTER_HIGH, _PI_QUARTER_LOW = PI_HALF_HIGH / 2.0, PI_HALF_LOW / 2.0

_ONE = 0x3FF << 52  # the bits of 1.0
_MANTISSA = (1 << 52) - 1
_SQRT_HALF = 0x3FE6A09E << 32  # the bits of √½, cut off
_WHOLE = 0x433 << 52  # the bits of 2⁵²: a whole number below it added to them makes 2⁵² + that number
_LEAST_NORMAL = 2.0**-1022


class LaneBuilder:
    """Destination of instructions, and the number of lanes."""

    def __init__(self, lanes: Lanes, emit: Callable[[str], str]):
        self.lanes, self.emit = lanes, emit

    def number(self, name: str) -> LaneDouble:
        """A value that is there already."""
        return LaneDouble(self, name)

    def name(self, x: Operand) -> str:
        """The name of a number, which may be a constant."""
        return x.name if isinstance(x, LaneDouble) else self.lanes.constant(x)

    def fma(self, a: Operand, b: Operand, c: Operand) -> LaneDouble:
        """a b + c, rounded once."""
        return LaneDouble(self, self.lanes.fma(self.emit, self.name(a), self.name(b), self.name(c)))

    def polynomial(self, x: LaneDouble, coefficients: tuple[float, ...]) -> LaneDouble:
        """Its value at x; coefficients with the lowest power first."""
        value: Operand = coefficients[-1]
        for coefficient in coefficients[-2::-1]:
            value = self.fma(value, x, coefficient)
        assert isinstance(value, LaneDouble)
        return value

    def where(self, condition: LaneCondition, a: Operand, b: Operand) -> LaneDouble:
        """One of two numbers, lane by lane."""
        V = self.lanes.double
        return LaneDouble(
            self, self.emit(f"select {self.lanes.bit} {condition.name}, {V} {self.name(a)}, {V} {self.name(b)}")
        )

    def sum(self, a: Operand, b: Operand) -> tuple[LaneDouble, LaneDouble]:
        """a + b rounded, and what that loses, where a is 0 or the larger one."""
        start = self.number(self.name(a))
        total = start + b
        return total, (start - total) + b


class LaneCondition:
    """A condition in every lane."""

    def __init__(self, write: LaneBuilder, name: str):
        self.write, self.name = write, name

    def _with(self, op: str, other: str) -> LaneCondition:
        return LaneCondition(self.write, self.write.emit(f"{op} {self.write.lanes.bit} {self.name}, {other}"))

    def __and__(self, other: LaneCondition) -> LaneCondition:
        return self._with("and", other.name)

    def __or__(self, other: LaneCondition) -> LaneCondition:
        return self._with("or", other.name)

    def __xor__(self, other: LaneCondition) -> LaneCondition:
        return self._with("xor", other.name)

    def __invert__(self) -> LaneCondition:
        return self._with("xor", "true" if self.write.lanes.width == 1 else "splat (i1 true)")


class LaneDouble:
    """A double in every lane; what is done with it is written as instructions."""

    def __init__(self, write: LaneBuilder, name: str):
        self.write, self.name = write, name

    def _with(self, op: str, other: Operand, turned: bool = False) -> LaneDouble:
        a, b = self.name, self.write.name(other)
        a, b = (b, a) if turned else (a, b)
        return LaneDouble(self.write, self.write.emit(f"{op} {self.write.lanes.double} {a}, {b}"))

    def __add__(self, other: Operand) -> LaneDouble:
        return self._with("fadd", other)

    def __sub__(self, other: Operand) -> LaneDouble:
        return self._with("fsub", other)

    def __rsub__(self, other: Operand) -> LaneDouble:
        return self._with("fsub", other, turned=True)

    def __mul__(self, other: Operand) -> LaneDouble:
        return self._with("fmul", other)

    def __truediv__(self, other: Operand) -> LaneDouble:
        return self._with("fdiv", other)

    def __rtruediv__(self, other: Operand) -> LaneDouble:
        return self._with("fdiv", other, turned=True)

    def __neg__(self) -> LaneDouble:
        return LaneDouble(self.write, self.write.emit(f"fneg {self.write.lanes.double} {self.name}"))

    def _compared(self, how: str, other: Operand) -> LaneCondition:
        name = self.write.emit(f"fcmp {how} {self.write.lanes.double} {self.name}, {self.write.name(other)}")
        return LaneCondition(self.write, name)

    def __lt__(self, other: Operand) -> LaneCondition:
        return self._compared("olt", other)

    def __gt__(self, other: Operand) -> LaneCondition:
        return self._compared("ogt", other)

    def equals(self, other: Operand) -> LaneCondition:
        """Return whether two numbers are equal."""
        return self._compared("oeq", other)

    def unordered(self, other: Operand) -> LaneCondition:
        """Return whether one of two numbers is NaN."""
        return self._compared("uno", other)

    @property
    def bits(self) -> LaneInteger:
        """The bits as a whole number."""
        lanes = self.write.lanes
        return LaneInteger(self.write, self.write.emit(f"bitcast {lanes.double} {self.name} to {lanes.integer}"))

    @property
    def negative(self) -> LaneCondition:
        """Return whether the sign is minus, also of −0."""
        lanes = self.write.lanes
        return LaneCondition(
            self.write, self.write.emit(f"icmp slt {lanes.integer} {self.bits.name}, {lanes.whole(0)}")
        )

    def __abs__(self) -> LaneDouble:
        return (self.bits & (2**63 - 1)).number

    def signed_as(self, other: LaneDouble) -> LaneDouble:
        """This number, not negative, with the sign of another."""
        return (self.bits | (other.bits & -(2**63))).number

    def sqrt(self) -> LaneDouble:
        """The square root."""
        lanes = self.write.lanes
        return LaneDouble(
            self.write, self.write.emit(f"call {lanes.double} @llvm.sqrt.{lanes.suffix}({lanes.double} {self.name})")
        )

    def within(self, low: float, high: float) -> LaneDouble:
        """Not beyond these; NaN stays."""
        x = self.write.where(self < low, low, self)
        return self.write.where(x > high, high, x)


class LaneInteger:
    """64 bits in every lane."""

    def __init__(self, write: LaneBuilder, name: str):
        self.write, self.name = write, name

    def _with(self, op: str, other: LaneInteger | int) -> LaneInteger:
        lanes = self.write.lanes
        b = other.name if isinstance(other, LaneInteger) else lanes.whole(other)
        return LaneInteger(self.write, self.write.emit(f"{op} {lanes.integer} {self.name}, {b}"))

    def __and__(self, other: LaneInteger | int) -> LaneInteger:
        return self._with("and", other)

    def __or__(self, other: LaneInteger | int) -> LaneInteger:
        return self._with("or", other)

    def __add__(self, other: LaneInteger | int) -> LaneInteger:
        return self._with("add", other)

    def __sub__(self, other: LaneInteger | int) -> LaneInteger:
        return self._with("sub", other)

    def __lshift__(self, other: int) -> LaneInteger:
        return self._with("shl", other)

    def __rshift__(self, other: int) -> LaneInteger:
        return self._with("lshr", other)

    @property
    def odd(self) -> LaneCondition:
        """Return whether the lowest bit is set."""
        lanes = self.write.lanes
        return LaneCondition(
            self.write, self.write.emit(f"icmp ne {lanes.integer} {(self & 1).name}, {lanes.whole(0)}")
        )

    @property
    def number(self) -> LaneDouble:
        """The double of these bits."""
        lanes = self.write.lanes
        return LaneDouble(self.write, self.write.emit(f"bitcast {lanes.integer} {self.name} to {lanes.double}"))


Operand: TypeAlias = LaneDouble | float


def _power_of_two(shifted: LaneDouble) -> LaneDouble:
    """2ᵏ of ``ROUND`` + k, |k| < 1023."""
    return ((shifted.bits << 52) + _ONE).number


def _less_logarithms(
    write: LaneBuilder, x: LaneDouble, low: Operand = 0.0
) -> tuple[LaneDouble, LaneDouble, LaneDouble, LaneDouble]:
    """x + low = k ln 2 + r: ``ROUND`` + k; r, |r| ≤ ln 2/2, as two numbers; e^r − 1 − r."""
    shifted = write.fma(x, _LOG2_E, ROUND)
    k = shifted - ROUND
    exact = write.fma(k, -_LN2_HIGH, x)
    r, rest = write.sum(exact, write.fma(k, -_LN2_LOW, low))
    return shifted, r, rest, write.polynomial(r, _EXP) * (r * r)


def _exponential(write: LaneBuilder, x: LaneDouble, low: Operand = 0.0) -> LaneDouble:
    """e to the x + low, |x| < 1000."""
    shifted, r, rest, curved = _less_logarithms(write, x, low)
    value = (r + (curved + rest)) + 1.0
    half = write.fma(shifted - ROUND, 0.5, ROUND)  # 2ᵏ in two factors: the first leaves a normal number
    other = (shifted - ROUND) - (half - ROUND) + ROUND
    return value * _power_of_two(half) * _power_of_two(other)


def exp(write: LaneBuilder, x: LaneDouble) -> LaneDouble:
    """e to the x."""
    return _exponential(write, x.within(-746.0, 710.0))


def tanh(write: LaneBuilder, x: LaneDouble) -> LaneDouble:
    """n/(n + 2) of n = e^2|x| − 1 = 2ᵏ (1 + r + curved) − 1, with the rounding errors of 2ᵏ (1 + r) − 1 and of n + 2.

    For |x| ≥ 19.1 it is 1. For k = 1, where n may be small, r = 2|x| − ln 2 is exact except for ln 2.
    """
    size = abs(x)
    y = write.where(size > 19.1, 38.2, size + size)
    shifted = write.fma(y, _LOG2_E, ROUND)
    k = shifted - ROUND
    r = write.fma(k, -_LN2, y)
    curved = write.fma(write.polynomial(r, _EXP), r * r, k * -_LN2_TAIL)
    scale = _power_of_two(shifted)
    less = scale - 1.0
    head = write.fma(scale, r, less)
    lost = write.fma(scale, r, less - head)
    n = head + write.fma(scale, curved, lost)
    d = n + 2.0
    inverse = 1.0 / d
    quotient = n * inverse
    error = write.fma(-quotient, n - (d - 2.0), write.fma(-quotient, d, n))
    return write.fma(error, inverse, quotient).signed_as(x)


def _taken_apart(write: LaneBuilder, x: LaneDouble) -> tuple[LaneDouble, LaneDouble]:
    """x = 2ᵉ m, m from √½ to √2: e and m, of what is positive and finite."""
    tiny = x < _LEAST_NORMAL
    bits = write.where(tiny, x * 2.0**54, x).bits + (_ONE - _SQRT_HALF)
    e = ((bits >> 52) | _WHOLE).number - write.where(tiny, 2.0**52 + 1023.0 + 54.0, 2.0**52 + 1023.0)
    return e, ((bits & _MANTISSA) + _SQRT_HALF).number


def _logarithm_of_what_is_none(write: LaneBuilder, x: LaneDouble, value: LaneDouble) -> LaneDouble:
    """The logarithm, where it is not a plain number as well."""
    value = write.where(x.equals(0.0), -math.inf, value)
    value = write.where(x < 0.0, math.nan, value)
    return write.where(x.equals(math.inf) | x.unordered(x), x, value)


def log(write: LaneBuilder, x: LaneDouble) -> LaneDouble:
    """The natural logarithm: e ln 2 + log m, log m = f − f²/2 + s (f²/2 + s² P), f = m − 1, s = f/(2 + f)."""
    e, m = _taken_apart(write, x)
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    half = f * f * 0.5
    small = write.fma(s, half + z * write.polynomial(z, _LOG), e * _LN2_LOW)
    return _logarithm_of_what_is_none(write, x, write.fma(e, _LN2_HIGH, f - (half - small)))


def _exact_logarithm(write: LaneBuilder, x: LaneDouble) -> tuple[LaneDouble, LaneDouble]:
    """The logarithm of what is positive and finite as two numbers, to 2⁻⁶⁵ of itself.

    log m = 2 s + s (2/3 s² + s⁴ P), s = (m − 1)/(m + 1), all in two numbers.
    """
    e, m = _taken_apart(write, x)
    f, d = m - 1.0, m + 1.0
    inverse = 1.0 / d
    s = f * inverse
    s_low = (write.fma(-s, d, f) - s * (m - (d - 1.0))) * inverse
    z = s * s
    z_low = write.fma(s, s, -z) + s * s_low * 2.0
    g = z * (2.0 / 3.0)
    g_low = write.fma(z, 2.0 / 3.0, -g) + write.fma(z, _TWO_THIRDS_LOW, z_low * (2.0 / 3.0))
    g, g_low = write.sum(g, g_low + z * z * write.polynomial(z, _LOG_TAIL))
    p = s * g
    p_low = write.fma(s, g, -p) + write.fma(s, g_low, s_low * g)
    high, low = write.sum(s * 2.0, p)
    low = low + write.fma(s_low, 2.0, p_low)
    total, rest = write.sum(e * _LN2_HIGH, high)
    return total, write.fma(e, _LN2_LOW, rest + low)


def pow(write: LaneBuilder, x: LaneDouble, y: LaneDouble) -> LaneDouble:
    """x to the y, e^(y log |x|), with C99's answers where that is none."""
    size = abs(x)
    high, low = _exact_logarithm(write, size)
    high = _logarithm_of_what_is_none(write, size, high)
    one = size.equals(1.0)
    t = write.where(one, 0.0, y * high)
    plain = (abs(t) < 800.0) & (abs(t) > 0.0) & (abs(high) < math.inf)
    t_low = write.where(plain, write.fma(y, low, write.fma(y, high, -t)), 0.0)
    value = _exponential(write, t.within(-800.0, 800.0), t_low)

    def whole(y: LaneDouble) -> LaneCondition:
        y = abs(y)
        return ((y + 2.0**52) - 2.0**52).equals(y) | (y > 2.0**52)

    is_whole = whole(y)
    odd = is_whole & ~whole(y * 0.5)
    value = write.where(x.negative & odd, -value, value)
    value = write.where((x < 0.0) & (x > -math.inf) & ~is_whole, math.nan, value)
    value = write.where(x.unordered(y), math.nan, value)
    return write.where(y.equals(0.0) | x.equals(1.0), 1.0, value)


def tan(write: LaneBuilder, x: LaneDouble) -> LaneDouble:
    """The tangent, |x| ≤ FAR: of x less multiples of π/2 as two numbers, or of its inverse."""
    shifted = write.fma(x, TWO_OVER_PI, ROUND)
    k = shifted - ROUND
    exact = write.fma(k, -PI_HALF_HIGH, x)
    second = k * -PI_HALF_LOW
    r, rest = write.sum(exact, second)
    rest = rest + write.fma(k, -PI_HALF_LOWEST, write.fma(k, -PI_HALF_LOW, -second))
    z = r * r
    curved = write.polynomial(z, _TAN) * (r * z)
    slope = write.fma(r + curved, r + curved, 1.0)
    value, low = write.sum(r, write.fma(rest, slope, curved))
    inverse = 1.0 / value
    error = write.fma(-inverse, value, 1.0) - inverse * low
    return write.where(shifted.bits.odd, -write.fma(error, inverse, inverse), abs(value).signed_as(r))


def _arc(write: LaneBuilder, x: LaneDouble) -> tuple[LaneCondition, LaneDouble, LaneDouble]:
    """Return whether |x| ≤ 1/2, and then asin |x|, otherwise asin √((1 − |x|)/2), as the sum of two numbers."""
    size = abs(x)
    near = ~(size > 0.5)
    z = write.where(near, size * size, write.fma(size, -0.5, 0.5))
    s = write.where(near, size, z.sqrt())
    return near, s, s * z * write.polynomial(z, _ASIN)


def asin(write: LaneBuilder, x: LaneDouble) -> LaneDouble:
    """The arc sine: of |x| > 1/2 by π/2 − 2 asin √((1 − |x|)/2)."""
    near, s, curved = _arc(write, x)
    high, low = write.sum(PI_HALF_HIGH, s * -2.0)
    far = high + write.fma(curved, -2.0, low + PI_HALF_LOW)
    return write.where(near, s + curved, far).signed_as(x)


def acos(write: LaneBuilder, x: LaneDouble) -> LaneDouble:
    """The arc cosine: π/2 − asin x, of |x| > 1/2 also 2 asin √((1 − |x|)/2), from π for negative x."""
    near, s, curved = _arc(write, x)
    negative = x.negative
    s, curved = (write.where(negative, -y, y) for y in (s, curved))  # as x
    # c + d (s + curved)
    d = write.where(near, -1.0, 2.0)
    c = write.where(near, PI_HALF_HIGH, write.where(negative, 2.0 * PI_HALF_HIGH, 0.0))
    c_low = write.where(near, PI_HALF_LOW, write.where(negative, 2.0 * PI_HALF_LOW, 0.0))
    high, low = write.sum(c, s * d)
    return high + write.fma(curved, d, low + c_low)


def atan2(write: LaneBuilder, y: LaneDouble, x: LaneDouble) -> LaneDouble:
    """The angle of the point (x, y): that of (larger, smaller), less π/4 where it is over atan 1/2; then its octant."""
    long, short = abs(x), abs(y)
    steep = short > long
    long, short = write.where(steep, short, long), write.where(steep, long, short)
    endless = long.equals(math.inf)
    short = write.where(endless, write.where(short.equals(math.inf), 1.0, 0.0), short)
    long = write.where(endless, 1.0, write.where(long.equals(0.0), 1.0, long))
    scale = write.where(long > 2.0**900, 2.0**-200, write.where(long < 2.0**-900, 2.0**200, 1.0))
    long, short = long * scale, short * scale

    halfway = short * 2.0 > long
    above = write.where(halfway, short - long, short)  # exact
    below, lost = write.sum(long, write.where(halfway, short, 0.0))
    inverse = 1.0 / below
    t = above * inverse
    t_low = (write.fma(-t, below, above) - t * lost) * inverse
    z = t * t
    curved = write.fma(write.polynomial(z, _ATAN), t * z, t_low)

    # the angle is j π/4 ± atan t: from π/2 where it is steep, from π where x is negative
    j = write.where(halfway, 1.0, 0.0)
    j = write.where(steep, 2.0 - j, j)
    left = x.negative
    j = write.where(left, 4.0 - j, j)
    turned = steep ^ left
    t, curved = (write.where(turned, -w, w) for w in (t, curved))
    c = j * _PI_QUARTER_HIGH
    c_low = write.fma(j, _PI_QUARTER_LOW, write.fma(j, _PI_QUARTER_HIGH, -c))
    high, low = write.sum(c, t)
    angle = (high + (low + (c_low + curved))).signed_as(y)
    return write.where(x.unordered(y), x + y, angle)


def inverse_root(write: LaneBuilder, x: LaneDouble) -> LaneDouble:
    """1/√x of positive normal numbers, within two units in the last place, in a sixth of the time of both.

    Half the exponent, with a constant that makes it nearest for all mantissas (Lomont 2003, of doubles), is within
    3.5 %. With e = 1 − x y², which is then less than 0.072, y (1 − e)^(−½) is what is sought: its series to e⁴ leaves
    5e-7, and that to e² of what is left nothing. Two long steps wait less for each other than Newton's four.
    """
    lanes = write.lanes
    y = (LaneInteger(write, lanes.whole(0x5FE6EB50C7B537A9)) - (x.bits >> 1)).number

    def left(y: LaneDouble) -> LaneDouble:
        return write.fma(x * y * -1.0, y, 1.0)

    e = left(y)
    series = write.fma(e * e, write.fma(e, 35.0 / 128.0, 5.0 / 16.0), write.fma(e, 3.0 / 8.0, 0.5))
    y = write.fma(y * e, series, y)
    e = left(y)
    return write.fma(y * e, write.fma(e, 3.0 / 8.0, 0.5), y)


ELEMENTARY: dict[str, Callable[..., LaneDouble]] = {
    "exp": exp,
    "log": log,
    "tanh": tanh,
    "pow": pow,
    "asin": asin,
    "acos": acos,
    "atan2": atan2,
    "inverse_root": inverse_root,
}
"""The functions that take every argument; the tangent's may be too far."""
