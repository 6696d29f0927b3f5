"""Floating-point formats of programs: binary64 ("double") and binary32 ("single"), with constants of functions.

The algorithms of `emit/vector_math.py` and `emit/elementary.py` are the same for both formats; the constants and the
degrees of the polynomials differ.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

Polynomial = tuple[float, ...]
"""Coefficients, lowest power first: `python tools/minimax.py` finds them"""


@dataclass(frozen=True)
class NumberFormat:
    """A binary floating-point format."""

    name: str
    """ "double" or "single", the values of ``precision``"""
    scalar: str
    """type in LLVM IR"""
    bytes: int
    suffix: str
    """of intrinsic functions"""
    c_suffix: str
    """of functions and literals in C"""
    mantissa: int
    """stored bits of the significand"""
    bias: int
    """of the exponent"""
    far: float
    """angles beyond this need the library's sine and cosine"""
    two_over_pi: float
    pi_half: tuple[float, float, float]
    """π/2 as a sum of three numbers"""
    log2_e: float
    ln2_short: tuple[float, float]
    """ln 2 as a sum: the product of the first number with an exponent is exact"""
    ln2: tuple[float, float]
    """ln 2 as the nearest number, and the rest"""
    two_thirds: tuple[float, float]
    """2/3 as a sum"""
    sqrt_half_bits: int
    """bits of √½, rounded or cut off"""
    inverse_root_bits: int
    """bits minus half the bits of x approximate 1/√x"""
    exponential_range: tuple[float, float]
    """beyond these, e^x is 0 or infinite"""
    power_range: float
    """beyond this size, e^±x is 0 or infinite, and its exponent is still computed exactly"""
    tanh_one: float
    """from here on, tanh is 1"""
    scaling: tuple[float, float]
    """a limit of sizes, and a factor: larger numbers are divided by it, those below the inverse limit multiplied"""
    polynomials: Mapping[str, Polynomial] = field(repr=False)

    @property
    def bits(self) -> int:
        """Number of bits of a number."""
        return 8 * self.bytes

    @property
    def integer(self) -> str:
        """Type of whole numbers of the same size in LLVM IR."""
        return f"i{self.bits}"

    @property
    def sign(self) -> int:
        """The sign bit, as a whole number with a sign."""
        return -(2 ** (self.bits - 1))

    @cached_property
    def to_whole(self) -> float:
        """1.5 · 2^mantissa: adding it rounds to the nearest whole number, which is in the low bits of the sum."""
        return 1.5 * 2.0**self.mantissa

    @property
    def one_bits(self) -> int:
        """The bits of 1.0."""
        return self.bias << self.mantissa

    @property
    def whole_bits(self) -> int:
        """The bits of 2^mantissa: a whole number below it, added to them, makes 2^mantissa plus that number."""
        return (self.bias + self.mantissa) << self.mantissa

    @property
    def least_normal(self) -> float:
        """The smallest normal number."""
        return 2.0 ** (1 - self.bias)

    @property
    def most_counted(self) -> int:
        """Largest whole number up to which every whole number has this format."""
        return int(2 ** (self.mantissa + 1))

    @property
    def dtype(self) -> np.dtype:
        """Type of NumPy's arrays."""
        return np.dtype(np.float64 if self.bytes == 8 else np.float32)

    def rounded(self, x: float) -> float:
        """Return the nearest number of this format; what is finite stays finite, and what is not zero stays nonzero.

        So a constant that prevents a division by zero, such as 1e-100, still does.
        """
        if self.bytes == 8 or x == 0.0 or not math.isfinite(x):
            return x
        size = min(max(abs(x), self.least_normal), float(np.finfo(self.dtype).max))
        return float(self.dtype.type(math.copysign(size, x)))

    def number(self, x: float) -> str:
        """A number as LLVM writes it, exactly, after rounding to this format."""
        x = self.rounded(x)
        return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


DOUBLE = NumberFormat(
    name="double",
    scalar="double",
    bytes=8,
    suffix="f64",
    c_suffix="",
    mantissa=52,
    bias=1023,
    far=1e6,
    two_over_pi=0.6366197723675814,
    pi_half=(
        float.fromhex("0x1.921fb54442d18p+0"),
        float.fromhex("0x1.1a62633145c07p-54"),
        float.fromhex("-0x1.f1976b7ed8fbcp-110"),  # matters where sine or cosine nearly vanish
    ),
    log2_e=1.4426950408889634,
    ln2_short=(float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33")),
    ln2=(float.fromhex("0x1.62e42fefa39efp-1"), float.fromhex("0x1.abc9e3b39803fp-56")),
    two_thirds=(2.0 / 3.0, float.fromhex("0x1.5555555555555p-55")),
    sqrt_half_bits=0x3FE6A09E << 32,
    inverse_root_bits=0x5FE6EB50C7B537A9,
    exponential_range=(-746.0, 710.0),
    power_range=800.0,
    tanh_one=19.1,
    scaling=(2.0**900, 2.0**200),
    polynomials={
        "sin": (  # coefficients of fdlibm's kernels, as those of the cosine
            -1.66666666666666324348e-01,
            8.33333333332248946124e-03,
            -1.98412698298579493134e-04,
            2.75573137070700676789e-06,
            -2.50507602534068634195e-08,
            1.58969099521155010221e-10,
        ),
        "cos": (
            4.16666666666666019037e-02,
            -1.38888888888741095749e-03,
            2.48015872894767294178e-05,
            -2.75573143513906633035e-07,
            2.08757232129817482790e-09,
            -1.13596475577881948265e-11,
        ),
        "exp": (  # relative error 2^-61.7
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
        ),
        "log": (  # relative error 2^-59.5
            0.6666666666666734,
            0.3999999999941393,
            0.2857142874257488,
            0.22222198552267494,
            0.18183565491389342,
            0.15314018890116826,
            0.14796283956871908,
        ),
        "log_tail": (  # relative error 2^-66.3
            0.40000000000002256,
            0.2857142857009848,
            0.222222225201241,
            0.1818178434913863,
            0.15386758175444906,
            0.13256797736529086,
            0.1319651763183083,
        ),
        "tan": (  # relative error 2^-56.2
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
        ),
        "asin": (  # relative error 2^-59.9
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
        ),
        "atan": (  # relative error 2^-57.8
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
        ),
    },
)

SINGLE = NumberFormat(
    name="single",
    scalar="float",
    bytes=4,
    suffix="f32",
    c_suffix="f",
    mantissa=23,
    bias=127,
    far=1e5,
    two_over_pi=float.fromhex("0x1.45f306p-1"),
    pi_half=(float.fromhex("0x1.921fb6p+0"), float.fromhex("-0x1.777a5cp-25"), float.fromhex("-0x1.ee59dap-50")),
    log2_e=float.fromhex("0x1.715476p+0"),
    ln2_short=(float.fromhex("0x1.62e400p-1"), float.fromhex("0x1.7f7d1cp-20")),
    ln2=(float.fromhex("0x1.62e430p-1"), float.fromhex("-0x1.05c610p-29")),
    two_thirds=(float.fromhex("0x1.555556p-1"), float.fromhex("-0x1.555556p-26")),
    sqrt_half_bits=0x3F3504F3,
    inverse_root_bits=0x5F375A86,
    exponential_range=(-104.0, 89.0),
    power_range=110.0,
    tanh_one=9.1,
    scaling=(2.0**60, 2.0**60),
    polynomials={
        "sin": (  # relative error 2^-27.9
            -0.16666653752326965,
            0.008332112804055214,
            -0.0001950874284375459,
        ),
        "cos": (  # relative error 2^-32.9
            0.04166664555668831,
            -0.0013887251261621714,
            2.4425673473160714e-05,
        ),
        "exp": (  # relative error 2^-32.0
            0.5,
            0.1666666716337204,
            0.04166635498404503,
            0.008333273231983185,
            0.0013941008364781737,
            0.0001991424069274217,
        ),
        "log": (  # relative error 2^-30.2
            0.6666677594184875,
            0.39977532625198364,
            0.2987198233604431,
        ),
        "log_tail": (  # relative error 2^-44.3
            0.3999999761581421,
            0.28571873903274536,
            0.22185006737709045,
            0.19467999041080475,
        ),
        "tan": (  # relative error 2^-29.6
            0.33333349227905273,
            0.13332661986351013,
            0.054060034453868866,
            0.021281560882925987,
            0.010837482288479805,
            8.736189192859456e-05,
            0.004377374425530434,
        ),
        "asin": (  # relative error 2^-31.8
            0.16666659712791443,
            0.07500503957271576,
            0.04451697692275047,
            0.0318075530230999,
            0.014439208433032036,
            0.03751562163233757,
        ),
        "atan": (  # relative error 2^-31.9
            -0.333333283662796,
            0.19999489188194275,
            -0.1427207887172699,
            0.1094098687171936,
            -0.07984081655740738,
            0.03872353211045265,
        ),
    },
)

FORMATS = {one.name: one for one in (DOUBLE, SINGLE)}
"""Formats by the value of ``precision``."""
