"""`exp` and `erf` as inline arithmetic in vectorised loops.

A call of a vector function spills all registers and separates the code around it, and subexpressions shared by two
functions are computed twice. Inline, LLVM sees everything: the exponential in `erf` is that of its derivative. Vector
and scalar code take the same steps, so results do not depend on the position of a cell. Errors are below 1 and below 2
ulp, respectively; nan, infinities, zeros and subnormal numbers are treated as in libm.

The polynomials are minimax polynomials computed by Remez's algorithm in 50-digit arithmetic, relative to the function.
They assume a fused multiply-add.
"""

from __future__ import annotations

import struct

from llvmlite import ir

DOUBLE, WORD = ir.DoubleType(), ir.IntType(64)
LOG2_E, LN2, LN2_REST = 1.4426950408889634, 0.6931471805599453, 2.3190468138462996e-17
WHOLE = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to an integer, which is then in the lowest bits
LOWEST, HIGHEST = -746.0, 710.0  # beyond, the exponential is 0 and inf
BIAS = 1023  # exponent bias

# (exp(r) - 1 - r) / r**2 for |r| <= log(2) / 2
EXP = (
    0.5000000000000011, 0.1666666666666641, 0.04166666666652919, 0.008333333333495454, 0.001388888894392029,
    0.00019841269505074656, 2.4801492766109596e-05, 2.755758711150301e-06, 2.7630377137634127e-07,
    2.500002605516371e-08,
)  # fmt: skip

# erf(x) / x - 1 by s = x**2, for |x| < NEAR_END
NEAR_END = 0.875
NEAR = (
    0.12837916709551256, -0.3761263890318299, 0.11283791670915581, -0.02686617063714268, 0.005223977542437351,
    -0.0008548321977250661, 0.00012055141075937217, -1.4920941965622602e-05, 1.6387374096277591e-06,
    -1.561925436498721e-07, 1.0456779306874443e-08,
)  # fmt: skip

# exp(x**2) * erfc(x) by u = 1 / (x + SHIFT) - CENTRE, for NEAR_END <= x <= FAR_END, weighted with exp(-x**2); for
# larger x, erf is 1
FAR_END, SHIFT, CENTRE = 6.0, 3.0, 0.1875
FAR = (
    0.2239293576314071, 2.3715697251248997, 11.127869360728742, 41.02269137397115, 113.85751668747021, 212.253276281438,
    157.91250870485985, -367.95617186369896, -1005.6210073573695, 369.64370465371206, 5186.132512278952,
    -6294.139302297529,
)  # fmt: skip


class AsItStands(list):
    """The fastmath flags of an instruction that must not be transformed: none. Numba's attempts to add the kernel's
    flags are ignored."""

    def __bool__(self) -> bool:
        return True

    def add(self, flag: str) -> None:
        """Ignore a flag for a call."""

    append = add

    def _to_list(self, type: ir.Type) -> list[str]:
        return []


class InlineMath:
    """Emits functions of one variable."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self.builder = builder

    def exp(self, x: ir.Value) -> ir.Value:
        """Emit 2**k * exp(r) with integer k and small r; the power is split into two factors, because it may be inf or
        subnormal."""
        b = self.builder
        x = self.limited(">", HIGHEST, self.limited("<", LOWEST, x))
        shifted = self.fma(x, _number(LOG2_E), _number(WHOLE))
        k = self.op("fsub", shifted, _number(WHOLE))
        r = self.fma(k, _number(-LN2_REST), self.fma(k, _number(-LN2), x))
        square = self.op("fmul", r, r)
        rest = self.fma(self.estrin(EXP, r, square), square, r)
        both = b.sub(b.bitcast(shifted, WORD), _word(_bits(WHOLE) - 2 * BIAS))
        half = b.lshr(both, _word(1))
        first, second = (b.bitcast(b.shl(exponent, _word(52)), DOUBLE) for exponent in (half, b.sub(both, half)))
        return self.op("fmul", self.fma(rest, first, first), second)

    def erf(self, x: ir.Value) -> ir.Value:
        b = self.builder
        square, size = self.op("fmul", x, x), self.call("llvm.fabs", x)
        gauss = self.exp(b.fneg(square))
        u = self.op("fdiv", _number(1.0), self.op("fadd", self.limited(">", FAR_END, size), _number(SHIFT)))
        u = self.op("fsub", u, _number(CENTRE))
        far = self.fma(b.fneg(gauss), self.polynomial(FAR, u, self.op("fmul", u, u)), _number(1.0))
        near = self.fma(x, self.polynomial(NEAR, square, self.op("fmul", square, square)), x)
        return b.select(self.op("fcmp_ordered", "<", size, _number(NEAR_END)), near, self.call("llvm.copysign", far, x))

    def polynomial(self, coefficients: tuple[float, ...], x: ir.Value, square: ir.Value) -> ir.Value:
        """Horner's scheme for even and odd powers in parallel."""
        even, odd = coefficients[::2], coefficients[1::2]
        return self.fma(self.horner(odd, square), x, self.horner(even, square))

    def estrin(self, coefficients: tuple[float, ...], x: ir.Value, square: ir.Value) -> ir.Value:
        """Estrin's scheme: pairs, pairs of pairs, and Horner's scheme for these. It has a shorter dependence chain."""
        pairs = [self.horner(coefficients[k : k + 2], x) for k in range(0, len(coefficients), 2)]
        fours = [
            self.fma(*pairs[k + 1 : k + 2], square, pairs[k]) if k + 1 < len(pairs) else pairs[k]
            for k in range(0, len(pairs), 2)
        ]
        fourth = self.op("fmul", square, square)
        *others, total = fours
        for p in reversed(others):
            total = self.fma(total, fourth, p)
        return total

    def horner(self, coefficients: tuple[float, ...], x: ir.Value) -> ir.Value:
        *others, total = map(_number, coefficients)
        for c in reversed(others):
            total = self.fma(total, x, c)
        return total

    def limited(self, beyond: str, limit: float, x: ir.Value) -> ir.Value:
        """Clamp a number to a limit; nan stays nan."""
        return self.builder.select(self.op("fcmp_ordered", beyond, x, _number(limit)), _number(limit), x)

    def fma(self, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
        return self.call("llvm.fma", x, y, z)

    def op(self, name: str, *args: object) -> ir.Value:
        made = getattr(self.builder, name)(*args)
        made.flags = AsItStands()
        return made

    def call(self, name: str, *args: ir.Value) -> ir.Value:
        intrinsic = self.builder.module.declare_intrinsic(name, [DOUBLE], ir.FunctionType(DOUBLE, [DOUBLE] * len(args)))
        made = self.builder.call(intrinsic, args)
        made.fastmath = AsItStands()
        return made


def _number(value: float) -> ir.Constant:
    return ir.Constant(DOUBLE, value)


def _word(value: int) -> ir.Constant:
    return ir.Constant(WORD, value)


def _bits(value: float) -> int:
    return struct.unpack("<q", struct.pack("<d", value))[0]
