"""Special functions that generated code calls. They are compiled together with it, so that machine code loaded from a
cache neither needs SciPy nor resolves symbols.

All of them compute in float64, also for float32 operands. Formulas: Abramowitz and Stegun, Handbook of Mathematical
Functions, chapters 6, 7 and 9, and NIST Digital Library of Mathematical Functions, chapters 5, 7 and 10, by the numbers
in the comments. Coefficients: `chebyshev`.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int64

from .chebyshev import (
    CENTRE, ERFCX, I0_FAR, I0_NEAR, I1_FAR, I1_NEAR, J0_NEAR, J1_NEAR, P0, P1, PSI, Q0, Q1, TAIL_FAR, TAIL_NEAR,
)
from .scalars import exact, strict

__all__ = [
    "bessel_i",
    "bessel_ie",
    "bessel_j",
    "digamma",
    "entr",
    "erfcinv",
    "erfcx",
    "erfinv",
    "ldexp",
    "log_expit",
    "log_ndtr",
    "logaddexp2",
    "logit",
    "mills",
    "ndtr",
    "ndtri",
    "polygamma",
    "rel_entr",
    "remainder",
    "sinc",
    "xlog1py",
    "xlogy",
]

ROOT_HALF = math.sqrt(0.5)
ROOT_PI = math.sqrt(math.pi)
LOG2 = math.log(2.0)


@exact
def _series(c, t):
    """Evaluate a Chebyshev series at ``t`` in [-1, 1] by Clenshaw's recurrence."""
    a, b = 0.0, 0.0
    for k in range(c.shape[0] - 1, 0, -1):
        a, b = 2.0 * t * a - b + c[k], a
    return t * a - b + c[0]


@strict
def _square(x):
    """``x * x`` as the rounded product and its rounding error (Dekker)."""
    c = 134217729.0 * x
    h = c - (c - x)
    low = x - h
    p = x * x
    return p, ((h * h - p) + 2.0 * h * low) + low * low


@strict
def ldexp(x, k):
    """``x * 2^k``, by multiplying with representable powers of two so that only the last factor may round. Beyond ``|k|
    = 2200`` every result is infinite or zero."""
    x, k = float64(x), min(max(k, -2200.0), 2200.0)
    while k > 1000.0:
        x *= 2.0**1000
        k -= 1000.0
    return x * np.exp2(k) if k >= -1000.0 else x * np.exp2(k + 1000.0) * 2.0**-1000


# ------------------------------------------------------------------------------------------- errors and the normal law


@exact
def erfcx(x):
    """``exp(x^2) erfc(x)``: for ``x >= 0``, a series in ``(x - 4) / (x + 4)`` for its product with ``1 + 2 x``."""
    x = float64(x)
    if x >= 0.0:
        return 0.0 if x == math.inf else _series(ERFCX, (x - 4.0) / (x + 4.0)) / (1.0 + 2.0 * x)
    if x < -27.0:
        return math.inf
    p, e = _square(x)
    return 2.0 * math.exp(p) * (1.0 + e) - _series(ERFCX, (-x - 4.0) / (4.0 - x)) / (1.0 - 2.0 * x) if x == x else x


@exact
def _erfinv_centre(y):
    """erfinv for ``|y| <= 1/2``: a series in ``y^2`` and one Halley step."""
    x = y * _series(CENTRE, 8.0 * y * y - 1.0)
    u = (math.erf(x) - y) * (0.5 * ROOT_PI) * math.exp(x * x)
    return x - u / (1.0 + u * x)


@exact
def _erfcinv_tail(z):
    """erfcinv for ``0 < z <= 1/2``: ``w = sqrt(-log z)`` times a series in ``w`` or ``1/w``, and one Halley step."""
    w = math.sqrt(-math.log(z))
    if w < 3.0:
        x = w * _series(TAIL_NEAR, (2.0 * w - 3.832554611157698) / 2.167445388842302)
    else:
        x = w * _series(TAIL_FAR, (2.0 / w - 0.36982968369829684) / 0.2968369829683698)
    if z < 1e-290:  # a subnormal number has few significant digits, but its logarithm has full precision
        return x + (math.log(erfcx(x)) - x * x - math.log(z)) * (0.5 * ROOT_PI) * erfcx(x)
    p, e = _square(x)
    e = (math.erfc(x) - z) / ((2.0 / ROOT_PI) * math.exp(-p) * (1.0 - e))
    return x + e / (1.0 - e * x) if math.isfinite(e) else x


@exact
def erfinv(y):
    """The inverse of erf on [-1, 1]."""
    y = float64(y)
    if abs(y) <= 0.5:
        return _erfinv_centre(y) + 0.0  # + 0.0 turns -0.0 into 0.0
    if abs(y) == 1.0:
        return math.copysign(math.inf, y)
    if abs(y) < 1.0:
        return math.copysign(_erfcinv_tail(1.0 - abs(y)), y)
    return math.nan


@exact
def erfcinv(z):
    """The inverse of erfc on [0, 2]."""
    z = float64(z)
    if 0.5 < z < 1.5:
        return -_erfinv_centre(z - 1.0)
    if z == 0.0 or z == 2.0:
        return math.copysign(math.inf, 1.0 - z)
    if 0.0 < z < 1.0:
        return _erfcinv_tail(z)
    if 1.0 < z < 2.0:
        return -_erfcinv_tail(2.0 - z)
    return math.nan


@exact
def ndtr(x):
    """The standard normal distribution function. In the tail, the square in the exponent is compensated for rounding.
    """
    x = float64(x)
    if -40.0 < x < -1.0:
        p, e = _square(x)
        return 0.5 * erfcx(-x * ROOT_HALF) * math.exp(-0.5 * p) * (1.0 - 0.5 * e)
    return 0.5 * math.erfc(-x * ROOT_HALF)


@exact
def ndtri(p):
    """The inverse of `ndtr`."""
    p = float64(p)
    return (
        -erfcinv(2.0 * p) / ROOT_HALF
        if p < 0.5
        else erfinv(2.0 * p - 1.0) / ROOT_HALF
        if p < 0.75
        else (erfcinv(2.0 * (1.0 - p)) / ROOT_HALF)
    )


@exact
def log_ndtr(x):
    """``log(ndtr(x))``, accurate far in the tail."""
    x = float64(x)
    if x < -1.0:
        return math.log(0.5 * erfcx(-x * ROOT_HALF)) - 0.5 * x * x if x > -1e154 else -math.inf
    return math.log1p(-ndtr(-x))


@exact
def mills(x):
    """The standard normal density divided by its distribution function: the derivative of `log_ndtr`."""
    x = float64(x)
    if x < 0.0:
        return 2.0 * ROOT_HALF / ROOT_PI / erfcx(-x * ROOT_HALF) if x > -1e300 else -x
    return math.exp(-0.5 * x * x) * ROOT_HALF / ROOT_PI / ndtr(x)


# ------------------------------------------------------------------------------------------------ logistic and entropic


@exact
def logit(p):
    """``log(p / (1 - p))``, without cancellation at 1/2."""
    p = float64(p)
    if 0.3 <= p <= 0.65:
        s = 2.0 * (p - 0.5)
        return math.log1p(s) - math.log1p(-s)
    return math.log(p / (1.0 - p))


@exact
def log_expit(x):
    """``log(expit(x))``."""
    x = float64(x)
    return x - math.log1p(math.exp(x)) if x < 0.0 else -math.log1p(math.exp(-x))


@exact
def xlogy(x, y):
    """``x log(y)``; 0 if ``x`` is 0 and ``y`` is not nan."""
    return 0.0 if x == 0.0 and y == y else float64(x) * math.log(float64(y))


@exact
def xlog1py(x, y):
    """``x log(1 + y)``; 0 if ``x`` is 0 and ``y`` is not nan."""
    return 0.0 if x == 0.0 and y == y else float64(x) * math.log1p(float64(y))


@exact
def entr(x):
    """``-x log(x)``; 0 at 0."""
    x = float64(x)
    if x > 0.0:
        return -x * math.log(x)
    return x if x != x else 0.0 if x == 0.0 else -math.inf


@exact
def rel_entr(x, y):
    """``x log(x / y)``; 0 if ``x`` is 0 and ``y >= 0``."""
    x, y = float64(x), float64(y)
    if x != x or y != y:
        return math.nan
    if x > 0.0 and y > 0.0:
        ratio = x / y
        if 0.5 < ratio < 2.0:
            return x * math.log1p((x - y) / y)
        if 2.3e-308 < ratio < math.inf:
            return x * math.log(ratio)
        return x * (math.log(x) - math.log(y))
    return 0.0 if x == 0.0 and y >= 0.0 else math.inf


@exact
def logaddexp2(a, b):
    """``log2(2^a + 2^b)`` without overflow."""
    a, b = float64(a), float64(b)
    if a == b:
        return a + 1.0
    d = a - b
    if d > 0:
        return a + math.log1p(math.exp(-d * LOG2)) / LOG2
    if d <= 0:
        return b + math.log1p(math.exp(d * LOG2)) / LOG2
    return d


# ------------------------------------------------------------------------------------------------------ gamma's family


@exact
def digamma(x):
    """The derivative of log gamma; nan at its poles except 0."""
    x = float64(x)
    if x > 0.0:
        return _digamma(x)
    if x == 0.0:
        return math.copysign(math.inf, -x)
    r = x - np.rint(x)
    if x != x or x == -math.inf or r == 0.0:
        return math.nan
    return _digamma(1.0 - x) - math.pi / math.tan(math.pi * r)  # 6.3.7


@exact
def _digamma(x):
    """digamma for ``x > 0``: on [1, 2] a series times the distance to the zero, elsewhere the recurrence 6.3.5 or, from
    10 on, the asymptotic expansion 6.3.18."""
    if x >= 10.0:
        w = 1.0 / (x * x)
        tail = w * (1 / 12 - w * (1 / 120 - w * (1 / 252 - w * (1 / 240 - w * (1 / 132 - w * (691 / 32760 - w / 12))))))
        return math.log(x) - 0.5 / x - tail
    total = 0.0
    if x < 1.0:
        total -= 1.0 / x
        x += 1.0
    while x > 2.0:
        x -= 1.0
        total += 1.0 / x
    return total + ((x - 1.4616321449683622) - 9.549995429965697e-17) * _series(PSI, 2.0 * x - 3.0)


_BERNOULLI = np.array(  # B_2k / (2k)!
    [
        1 / 6 / math.factorial(2), -1 / 30 / math.factorial(4), 1 / 42 / math.factorial(6), -1 / 30 / math.factorial(8),
        5 / 66 / math.factorial(10), -691 / 2730 / math.factorial(12), 7 / 6 / math.factorial(14),
        -3617 / 510 / math.factorial(16), 43867 / 798 / math.factorial(18), -174611 / 330 / math.factorial(20),
    ]
)  # fmt: skip


@exact
def _hurwitz(s, x):
    """The sum of ``(x + k)^-s`` over k >= 0 for ``x > 0``: direct summation until ``x + k >= s + 10``, then the
    Euler-Maclaurin formula (DLMF 25.11.43 with 2.10.1)."""
    total = 0.0
    while x < s + 10.0:
        total += math.pow(x, -s)
        x += 1.0
    if x == math.inf:
        return 0.0
    power = math.pow(x, -s)
    tail = math.pow(x, 1.0 - s) / (s - 1.0) + 0.5 * power  # ``x^(1-s)`` may be a normal number when ``x^-s`` underflows
    factor = s * power / x
    for k in range(_BERNOULLI.shape[0]):
        tail += _BERNOULLI[k] * factor
        factor *= (s + 2 * k + 1.0) * (s + 2 * k + 2.0) / (x * x)
    return total + tail


@exact
def polygamma(x, n):
    """The n-th derivative of digamma: ``(-1)^(n+1) n!`` times the sum of ``(x + k)^-(n+1)`` (6.4.10).

    For negative ``x``, the terms on either side of 0 are summed separately.
    """
    x = float64(x)
    if n == 0:
        return digamma(x)
    s = n + 1.0
    scale = math.gamma(s) if n % 2 == 1 else -math.gamma(s)
    if x > 0.0:
        return scale * _hurwitz(s, x)
    if x == -math.inf:
        return scale * math.inf
    whole = np.floor(-x)
    d = -x - whole
    if not d > 0.0:
        return scale * math.inf if d == 0.0 else math.nan
    left = _hurwitz(s, d) - _hurwitz(s, 1.0 - x)
    return scale * ((left if n % 2 == 1 else -left) + _hurwitz(s, 1.0 - d))


# --------------------------------------------------------------------------------------------------- Bessel functions


@exact
def _i0e(x):
    return _series(I0_NEAR, 0.25 * x - 1.0) if x <= 8.0 else _series(I0_FAR, 16.0 / x - 1.0) / math.sqrt(x)


@exact
def _i1e(x):
    return x * _series(I1_NEAR, 0.25 * x - 1.0) if x <= 8.0 else _series(I1_FAR, 16.0 / x - 1.0) / math.sqrt(x)


@exact
def bessel_ie(x, n):
    """``exp(-|x|) I_n(x)``. Above order 1, from the continued fraction of the ratios ``I_k / I_(k-1)`` (DLMF 10.33.1),
    started with Amos's estimate of the last ratio."""
    x = float64(x)
    n = abs(int64(n))
    a = abs(x)
    sign = -1.0 if x < 0.0 and n % 2 == 1 else 1.0
    if x != x:
        return x
    if n == 0:
        return _i0e(a)
    if n == 1:
        return sign * _i1e(a)
    if a == 0.0 or a == math.inf:
        return 0.0
    top = n + 40 + int64(min(6.0 * math.sqrt(a), 2000.0))
    ratio = a / (top + 0.5 + math.hypot(top + 1.5, a))
    value = 1.0
    for k in range(top, 0, -1):
        ratio = a / (2.0 * k + a * ratio)  # I_k / I_(k-1)
        if k <= n:
            value *= ratio
    return sign * value * _i0e(a)


@exact
def bessel_i(x, n):
    """The modified Bessel function of the first kind of integer order."""
    half = math.exp(0.5 * abs(float64(x)))
    scaled = bessel_ie(x, n)
    return math.copysign(math.inf, scaled) if half == math.inf and scaled == scaled else half * scaled * half


@exact
def _j0(x):
    if x <= 8.0:
        near = (x - 2.404825557695773 + 1.176691651530894e-16) * (x + 2.404825557695773)
        near *= (x - 5.520078110286311 - 8.088597146146722e-17) * (x + 5.520078110286311)
        return near * _series(J0_NEAR, x * x / 32.0 - 1.0)
    u = 128.0 / (x * x) - 1.0  # 9.2.5 with expansions of P and of x Q
    c, s = math.cos(x), math.sin(x)
    return (_series(P0, u) * (c + s) - _series(Q0, u) / x * (s - c)) / math.sqrt(math.pi * x)


@exact
def _j1(x):
    if x <= 8.0:
        near = (x - 3.8317059702075125 + 1.5269184090088067e-16) * (x + 3.8317059702075125)
        near *= (x - 7.015586669815619 + 9.414165653410389e-17) * (x + 7.015586669815619)
        return x * near * _series(J1_NEAR, x * x / 32.0 - 1.0)
    u = 128.0 / (x * x) - 1.0
    c, s = math.cos(x), math.sin(x)
    return (_series(P1, u) * (s - c) + _series(Q1, u) / x * (s + c)) / math.sqrt(math.pi * x)


@exact
def bessel_j(x, n):
    """The Bessel function of the first kind of integer order.

    If ``|x| > n``, by upward recurrence from orders 0 and 1; otherwise by Miller's downward recurrence (DLMF 10.74.4),
    normalised with ``J_0 + 2 J_2 + 2 J_4 + ... = 1``.
    """
    x = float64(x)
    n = int64(n)
    sign = -1.0 if (math.copysign(1.0, x) < 0.0) != (n < 0) and n % 2 != 0 else 1.0
    n, a = abs(n), abs(x)
    if x != x:
        return x
    if a == math.inf:
        return 0.0
    if n == 0:
        return _j0(a)
    if n == 1:
        return sign * _j1(a)
    if a == 0.0:
        return 0.0
    if a > n:
        low, high = _j0(a), _j1(a)
        for k in range(1, n):
            low, high = high, 2.0 * k / a * high - low
        return sign * high
    if a < 1e-8 * n:  # 9.1.7
        return sign * math.exp(n * math.log(0.5 * a) - math.lgamma(n + 1.0))
    high, here, total, value = 0.0, 1e-280, 0.0, 0.0
    for k in range(2 * ((n + 45) // 2), 0, -1):
        if k == n:
            value = here
        if k % 2 == 0:
            total += 2.0 * here
        high, here = here, 2.0 * k / a * here - high
        if abs(here) > 1e200:
            high, here, total, value = high * 1e-250, here * 1e-250, total * 1e-250, value * 1e-250
    return sign * value / (total + here)


# ------------------------------------------------------------------------------------------------------------- others


@exact
def sinc(x, n):
    """The n-th derivative of ``sin(pi x) / (pi x)``: near 0 a power series, elsewhere the recurrence ``z f_n + n
    f_(n-1) = sin^(n) z``."""
    z = math.pi * float64(x)
    if n == 0:
        return math.sin(z) / z if z != 0.0 else 1.0
    if abs(z) < max(1.0, float64(n)):
        j = (n + 1) // 2
        term = (1.0 if j % 2 == 0 else -1.0) * (z if n % 2 == 1 else 1.0)  # (-1)^j z^(2j-n) / (2j-n)!
        total = 0.0
        for _ in range(60):
            total += term / (2 * j + 1)
            term *= -z * z / ((2 * j - n + 1) * (2 * j - n + 2))
            j += 1
        return total * math.pi**n
    s, c = math.sin(z), math.cos(z)
    f = s / z
    for k in range(1, n + 1):
        s, c = c, -s
        f = (s - k * f) / z
    return f * math.pi**n


@exact
def remainder(x, y):
    """``x - n y`` with n the integer nearest to ``x / y``, ties to even; exact."""
    if x != x or y != y or y == 0.0 or abs(x) == math.inf:
        return math.nan
    a, b = abs(x), abs(y)
    if b == math.inf:
        return x
    if b <= 8.9e307:
        a = np.fmod(a, 2.0 * b)
    if b < 1e-300:
        if 2.0 * a > b:
            a -= b
            if 2.0 * a >= b:
                a -= b
    elif a > 0.5 * b:
        a -= b
        if a >= 0.5 * b:
            a -= b
    return a if not math.copysign(1.0, x) < 0 else -a
