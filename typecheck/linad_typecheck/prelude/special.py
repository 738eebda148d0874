"""Special functions written in terms of others or as loops: beta and gamma functions, elliptic integrals, polynomials.

Gamma functions of large arguments are composed from Stirling's remainder, never from differences of large logarithms.
Loops run a few steps beyond what the value needs, so that derivatives have converged too. If a loop does not converge,
it raises ValueError.

All functions have SciPy's names and arguments, and take numbers or arrays. Results are float32 for float32 arguments,
otherwise float64, and always float64 for functions of an int degree.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from . import constant, elementwise, implements, pair


# -------------------------------------------------------------------------------------------------- building blocks


def _stirling(a):
    """The remainder of Stirling's formula for the logarithm of the gamma function."""
    if a < 10.0:
        return math.lgamma(a) - (a - 0.5) * np.log(a) + a - 0.9189385332046728
    z = 1.0 / (a * a)
    t = 1.0 / 1188.0 - z * (691.0 / 360360.0 - z / 156.0)
    return (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0 - z * t)))) / a


def _log_excess(part, whole):
    """log(1 + u) - u for u = part / whole - 1."""
    u = (part - whole) / whole
    if not abs(u) < 0.5:
        return np.log(part / whole) - u
    r = u / (2.0 + u)
    z = r * r
    total = 0.0
    for k in range(20, 0, -1):
        total = z * (1.0 / (2.0 * k + 1.0) + total)
    return r * (2.0 * total - u)


def _sinpi(z):
    """sin(pi z), exact at ints."""
    k = np.rint(z)
    return np.sin(np.pi * (z - k)) * (1.0 if k % 2.0 == 0.0 else -1.0)


def _pole(a, b):
    """Whether the beta function has a pole because of its first argument."""
    if not (a <= 0.0 and a == np.floor(a)):
        return False
    if a > -np.inf and 0.0 < b < 1.0 - a and b == np.floor(b):
        raise ValueError("beta of ints that are not both positive, where two poles cancel and it has no derivative")
    return True


# --------------------------------------------------------------------------------------- beta and binomial functions


@elementwise("scipy.special.gammasgn")
def gammasgn(x, /):
    """Sign of the gamma function; NaN at its poles, and beside a zero the zero's sign.

    >>> float(gammasgn(-0.5))
    -1.0
    """
    if x == 0.0:
        return math.copysign(1.0, x)
    if x > 0.0:
        return 1.0
    below = np.floor(x)
    if not below < x:
        return np.nan
    return 1.0 if below % 2.0 == 0.0 else -1.0


@elementwise("scipy.special.rgamma")
def rgamma(z, /):
    """Reciprocal of the gamma function, by reflection below 0.5. It is 0 at the poles.

    >>> float(rgamma(3.0))
    0.5
    """
    if z == -np.inf or z == 0.0:
        return 0.0 if z < 0.0 else z
    if not z < 0.5:
        return 1.0 / sp.gamma(z)
    s = _sinpi(z)
    return s * sp.gamma(1.0 - z) / np.pi + 0.0 if z > -171.0 or s != 0.0 else 0.0


@elementwise("scipy.special.betaln")
def betaln(a, b, /):
    """Logarithm of the absolute value of the beta function.

    >>> round(float(betaln(2.0, 3.0)), 6)
    -2.484907
    """
    if _pole(a, b) or _pole(b, a):
        return np.inf
    if a != a or b != b:
        return np.nan
    p = a if a <= b else b  # with min and max, both would have the derivative of the first of equal numbers
    q = b if a <= b else a
    if q == np.inf:
        return -q if p > 0.0 else q
    if not (q >= 10.0 and p + q > 0.0):
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    far = _stirling(q) - _stirling(p + q)
    if p < 10.0:
        return math.lgamma(p) + p - (q - 0.5) * np.log1p(p / q) - p * np.log(p + q) + far
    near = (p - 0.5) * np.log(p / (p + q)) - (q - 0.5) * np.log1p(p / q)
    return near - 0.5 * np.log(p + q) + 0.9189385332046728 + _stirling(p) + far


@elementwise("scipy.special.beta")
def beta(a, b, /):
    """Beta function.

    >>> round(float(beta(2.0, 3.0)), 6)
    0.083333
    """
    if a > 0.0 and b > 0.0:
        return np.exp(betaln(a, b))
    if _pole(a, b) or _pole(b, a):
        return -np.inf if a <= 0.0 and a == np.floor(a) and b < 0.0 and b % 2.0 == 1.0 else np.inf
    if a != a or b != b:
        return np.nan
    q = max(a, b)
    exact = q >= 10.0 and a + b > 0.0
    if max(abs(a), abs(b)) > 1e5 and not exact:
        raise ValueError("beta of a negative number and a large one")
    sign = 1.0
    for t in (a, b, a + b):
        if t < 0.0 and np.floor(t) % 2.0 != 0.0:
            sign = -sign
    if a + b == np.floor(a + b) and a + b <= 0.0:
        return sp.gamma(a) * rgamma(a + b) * sp.gamma(b)
    return sign * np.exp(betaln(a, b))


@elementwise("scipy.special.binom")
def binom(n, k, /):
    """Binomial coefficient of real numbers.

    >>> round(float(binom(5.0, 2.0)), 6)
    10.0
    """
    j = n - k
    if n != n or k != k or (n < 0.0 and n == np.floor(n)) or k == np.inf:
        return np.nan
    if k == -np.inf or n == np.inf:
        return 0.0 if k < 0.0 else 1.0 if k == 0.0 else np.inf
    sign = 1.0
    if n > -1.0 and k > -1.0 and j > -1.0:
        p, q, sign = 1.0 + j, 1.0 + k, -1.0
        if n > 1e5:  # 1 / beta may be infinite
            return np.exp(-betaln(p, q) - np.log1p(n))
        factor = 1.0 / (1.0 + n)
    else:
        if max(abs(n), abs(k)) > 1e5:
            raise ValueError("binom of large numbers that are not 0 <= k <= n")
        sn, sk, sj = _sinpi(n + 1.0), _sinpi(k + 1.0), _sinpi(j + 1.0)
        if n > -1.0:
            p, q = n + 1.0, -j if k > -1.0 else -k
            factor = (sj if k > -1.0 else sk) / np.pi
        elif k > -1.0 or j > -1.0:
            p, q, sign = -n, k + 1.0 if k > -1.0 else j + 1.0, -1.0
            factor = sj / sn / -j if k > -1.0 else sk / sn / -k
        else:
            p, q = -k, -j
            factor = sk * sj / (np.pi * sn)
    return factor * np.exp(sign * betaln(p, q))


@elementwise()
def _poch(z, m):
    """The Pochhammer symbol in terms of gamma functions."""
    s = z + m
    if z == np.inf and m > -np.inf:
        return 1.0 if m == 0.0 else np.inf if m > 0.0 else 0.0
    if z > 0.0 and m == np.inf:
        return np.inf
    if z <= 0.0 and z == np.floor(z) and (s > 171.0 or 0.0 < abs(s) < 1e-300):
        return 0.0
    if abs(z) < 1e-300 and 0.0 < abs(s) < 1e-300:
        return z / s
    if s <= 0.0 and s == np.floor(s) and z != np.floor(z):
        if s - m != z:
            raise ValueError("poch so near to a pole that the sum of its arguments is rounded to it")
        return np.inf
    if s == np.floor(s) and s <= 0.0 and z == np.floor(z):
        raise ValueError("poch between ints that are not positive: its second argument is an int there")
    if z < 0.0 and s < 0.0 and z != np.floor(z):
        return _sinpi(z) / _sinpi(s) * _positive_poch(1.0 - s, 1.0 - z, m)
    if not (z > 0.0 and s > 0.0):
        return sp.gamma(s) * rgamma(z) + 0.0
    return _positive_poch(z, s, m)


def _positive_poch(z, s, m):
    """The Pochhammer symbol for positive z and s with difference m."""
    if z >= 10.0 and s >= 10.0:
        return np.exp((z - 0.5) * np.log1p(m / z) + m * np.log(s) - m + _stirling(s) - _stirling(z))
    return np.exp(math.lgamma(s) - math.lgamma(z))


@elementwise()
def _poch_by_int(z, m):
    """The Pochhammer symbol as a product of at most 100 factors."""
    if abs(m) > 100.0:
        return _poch(z, m)
    total = 1.0
    for i in range(int(max(m, 0.0))):
        total *= z + i
    for i in range(int(max(-m, 0.0))):
        if z == i + 1.0:
            return np.inf
        total /= z - i - 1.0
    return total


@implements("scipy.special.poch")
def poch(z, m, /):
    """Pochhammer symbol ``gamma(z + m) / gamma(z)``; for an int ``m``, a product of at most 100 factors.

    >>> float(poch(2.0, 3))
    24.0
    """
    if np.asarray(m).dtype.kind in "bi":
        return _poch_by_int(z, m)
    return _poch(z, m)


# --------------------------------------------------------------------------------------------- incomplete functions


def _front(a, x):
    """x**a exp(-x) / gamma(a)."""
    if a < 10.0:
        return np.exp(a * np.log(x) - x - math.lgamma(a))
    return np.sqrt(a / (2.0 * np.pi)) * np.exp(a * _log_excess(x, a) - _stirling(a))


def _lower(a, x):
    """The lower incomplete gamma function as a series."""
    term = 1.0 / a
    total = term
    k = a
    n = 0.0
    while term > total * 1e-19 and n < 100000.0:
        n += 1.0
        k += 1.0
        term *= x / k
        total += term
    return total * _front(a, x)


def _fraction(a, x):
    """The continued fraction of the upper incomplete gamma function.

    It terminates at an int a, but its derivative with respect to a does not: `left` bounds the effect of a further
    step, with the distance of a from an int taken as at least 0.5.
    """
    b = x + 1.0 - a
    c = 1e300
    d = 1.0 / b
    h = d
    n = 0.0
    left = 1.0
    while left > 1e-18 and n < 100000.0:
        n += 1.0
        an = n * (a - n)
        b += 2.0
        left *= n * max(abs(a - n), 0.5) * d
        d = 1.0 / (an * d + b)
        left *= d
        c = b + an / c
        h *= c * d
    return h


def _upper(a, x):
    """The upper incomplete gamma function."""
    return _fraction(a, x) * _front(a, x)


@elementwise("scipy.special.gammainc")
def gammainc(a, x, /):
    """Regularised lower incomplete gamma function for ``a`` up to 1e6 and non-negative ``x``.

    >>> round(float(gammainc(1.0, 2.0)), 6)
    0.864665
    """
    if not (a >= 0.0 and x >= 0.0) or (a == np.inf and x == np.inf) or (a == 0.0 and x == 0.0):
        return np.nan
    if x == 0.0 or a == np.inf:
        return 0.0
    if a < 1e-300 or x == np.inf:
        return 1.0
    if a > 1e6:
        raise ValueError("gammainc of an order beyond 1e6")
    return _lower(a, x) if x < a + 1.0 else 1.0 - _upper(a, x)


@elementwise("scipy.special.gammaincc")
def gammaincc(a, x, /):
    """Regularised upper incomplete gamma function for ``a`` up to 1e6 and non-negative ``x``.

    >>> round(float(gammaincc(1.0, 2.0)), 6)
    0.135335
    """
    if not (a >= 0.0 and x >= 0.0) or (a == np.inf and x == np.inf) or (a == 0.0 and x == 0.0):
        return np.nan
    if x == 0.0 or a == np.inf:
        return 1.0
    if a < 1e-300 or x == np.inf:
        return 0.0
    if a > 1e6:
        raise ValueError("gammaincc of an order beyond 1e6")
    if a < 1.0 and x < a + 1.0:
        if x > 1.1:
            return _upper(a, x)
        scaled = (
            math.lgamma(1.0 + a)
            if a > 1e-3
            else a
            * (
                -0.5772156649015329
                + a
                * (0.8224670334241132 - a * (0.40068563438653143 - a * (0.27058080842778454 - a * 0.20738555102867398)))
            )
        )
        term = -x
        total = term / (a + 1.0)
        k = 1.0
        while abs(term) > 1e-20:
            k += 1.0
            term *= -x / k
            total += term / (a + k)
        power = a * np.log(x) - scaled
        return -np.expm1(power) - np.exp(power) * a * total
    return 1.0 - _lower(a, x) if x < a + 1.0 else _upper(a, x)


@elementwise("scipy.special.betainc")
def betainc(a, b, x, /):
    """Regularised incomplete beta function for ``x`` in [0, 1], as a continued fraction.

    >>> round(float(betainc(1.0, 2.0, 0.5)), 6)
    0.75
    """
    if not (a >= 0.0 and b >= 0.0 and 0.0 <= x <= 1.0) or (a == 0.0 and b == 0.0) or (a == np.inf and b == np.inf):
        return np.nan
    if x == 0.0 or x == 1.0:
        return x
    if a == 0.0 or b == np.inf:
        return 1.0
    if b == 0.0 or a == np.inf:
        return 0.0
    if min(a, b) < 1e-100 or max(a, b) > 1e100:
        raise ValueError("betainc of orders that are too small or too large")
    turned = x >= (a + 1.0) / (a + b + 2.0)
    p = b if turned else a
    q = a if turned else b
    y = 1.0 - x if turned else x
    z = x if turned else 1.0 - x
    log_y = np.log1p(-x) if turned else np.log(x)
    log_z = np.log(x) if turned else np.log1p(-x)
    s = p + q
    if p < 10.0 and q < 10.0:
        power = p * log_y + q * log_z + math.lgamma(s) - math.lgamma(p) - math.lgamma(q)
        front = np.exp(power) / p
    elif p < 10.0 or q < 10.0:
        front = np.exp(p * log_y + q * log_z - betaln(p, q)) / p
    else:
        power = p * _log_excess(y, p / s) + q * _log_excess(z, q / s) + _stirling(s) - _stirling(p) - _stirling(q)
        front = np.sqrt(p * (q / s) / (2.0 * np.pi)) * np.exp(power) / p
    c = 1.0
    d = 1.0 / (1.0 - s * y / (p + 1.0))
    h = d
    m = 0.0
    left = 1.0  # as in `_fraction`, for q
    while left > 1e-18 and m < 100000.0:
        m += 1.0
        slope = m * y / ((p + 2.0 * m - 1.0) * (p + 2.0 * m))
        t = slope * (q - m)
        left *= slope * max(abs(q - m), 0.5) * d
        d = 1.0 / (1.0 + t * d)
        left *= d * d
        c = 1.0 + t / c
        h *= d * c
        t = -(p + m) * (s + m) * y / ((p + 2.0 * m) * (p + 2.0 * m + 1.0))
        d = 1.0 / (1.0 + t * d)
        left *= d * abs(t)
        c = 1.0 + t / c
        h *= d * c
    if left > 1e-18 or h != h:
        raise ValueError("betainc of orders that are too large")
    return 1.0 - front * h if turned else front * h


@elementwise("scipy.special.exp1")
def exp1(x, /):
    """Exponential integral E1 of positive numbers.

    >>> round(float(exp1(1.0)), 6)
    0.219384
    """
    if not x > 0.0:
        return np.inf if x == 0.0 else np.nan
    if x > 800.0:
        return 0.0
    if x <= 1.0:
        total = -0.5772156649015329 - np.log(x)
        term = 1.0
        k = 0.0
        while abs(term) > 1e-20:
            k += 1.0
            term *= -x / k
            total -= term / k
        return total
    return _fraction(0.0, x) * np.exp(-x)


@elementwise("scipy.special.expi")
def expi(x, /):
    """Exponential integral Ei, by its series up to 40 and by its asymptotic series beyond.

    >>> round(float(expi(1.0)), 6)
    1.895118
    """
    if not x > 0.0:
        return -np.inf if x == 0.0 else -exp1(-x)
    if x > 716.4:
        return np.inf
    term, total, k = 1.0, 0.0, 0.0
    if x <= 40.0:
        while k < x or term > 1e-18 * k:
            k += 1.0
            term *= x / k
            total += term / k
        return total + np.log(x) + 0.5772156649015329
    while term > 1e-20:
        total += term
        k += 1.0
        term *= k / x
        if k > x:
            break
    return total / x * np.exp(x)


@elementwise("scipy.special.expn")
def expn(n: int, x, /):
    """Exponential integral of an int order from 0 on and a positive number.

    >>> round(float(expn(2, 1.0)), 6)
    0.148496
    """
    if n < 0 or not x >= 0.0:
        return np.nan
    if x == 0.0:
        return np.inf if n < 2 else 1.0 / (n - 1.0)
    if x > 800.0:
        return 0.0
    if n == 0:
        return np.exp(-x) / x
    if x > 1.0:
        return _fraction(1.0 - n, x) * np.exp(-x)
    term, total = 1.0, 0.0
    digamma = -0.5772156649015329
    for k in range(1, n):
        digamma += 1.0 / k
    k = 0
    while k < n or abs(term) > 1e-20:
        total += term * (digamma - np.log(x)) if k == n - 1 else -term / (k - n + 1.0)
        k += 1
        term *= -x / k
    return total


@elementwise()
def _zeta(x, q, /):
    """The sum of ``(q + k) ** -x``, by Euler and Maclaurin (DLMF 25.11.28)."""
    if x != x or q != q:
        return np.nan
    if x == 1.0 or (q <= 0.0 and q == np.floor(q)):
        return np.inf
    if q < 0.0 and x != np.floor(x):
        return np.nan
    total, far, term = 0.0, q, 1.0
    while far < 10.0 + 0.5 * abs(x) and not abs(term) < 1e-20 * abs(total):
        term = far**-x if far > 0.0 else abs(far) ** -x * (1.0 if x % 2.0 == 0.0 else -1.0)
        total += term
        far += 1.0
    if abs(term) < 1e-20 * abs(total):
        return total
    power = far**-x
    total += power * (far / (x - 1.0) + 0.5)
    factor = x / far
    for k, b in (
        (1.0, 1.0 / 12.0),
        (3.0, -1.0 / 720.0),
        (5.0, 1.0 / 30240.0),
        (7.0, -1.0 / 1209600.0),
        (9.0, 1.0 / 47900160.0),
        (11.0, -691.0 / 1307674368000.0),
        (13.0, 1.0 / 74724249600.0),
        (15.0, -3617.0 / 10670622842880000.0),
        (17.0, 43867.0 / 5109094217170944000.0),
    ):
        total += b * factor * power
        factor *= (x + k) * (x + k + 1.0) / (far * far)
    return total


@elementwise()
def _hurwitz(x, q, /):
    return _zeta(x, q) if x >= 1.0 else np.nan


@elementwise()
def _riemann(x, /):
    if x > -1e-8:
        return _zeta(x, 1.0)
    if x < -300.0:
        raise ValueError("zeta of a number below -300")
    return 2.0**x * np.pi ** (x - 1.0) * _sinpi(0.5 * x) * sp.gamma(1.0 - x) * _zeta(1.0 - x, 1.0)


@implements("scipy.special.zeta")
def zeta(x, q=None):
    """Riemann's zeta function, or Hurwitz's for ``x >= 1`` if ``q`` is given.

    >>> round(float(zeta(2.0)), 6)
    1.644934
    """
    if q is None:
        return _riemann(x)
    return _hurwitz(x, q)


@elementwise()
def _lambert_real(x, lower, /):
    """Lambert's function of a number from ``-1 / e`` on, on its branch -1 if ``lower`` is not zero."""
    if x == np.inf or x != x:
        return x
    if x == 0.0:
        return x if lower == 0.0 else -np.inf
    if lower != 0.0 and x > 0.0:
        return np.nan
    a = constant(x)
    p = 1.0 + np.e * a
    root = np.sqrt(2.0 * max(p, 0.0)) * (1.0 if lower == 0.0 else -1.0)
    if p < 0.3:
        w = -1.0 + root * (1.0 - root * (1.0 / 3.0 - root * (11.0 / 72.0 - root * 43.0 / 540.0)))
    elif lower != 0.0:
        w = np.log(-a) - np.log(-np.log(-a))
    else:
        w = np.log1p(a) if a < 3.0 else np.log(a) - np.log(np.log(a))
    for _ in range(30):
        if w == -1.0:
            break
        excess = w - a * np.exp(-w)
        step = excess / (1.0 + w - 0.5 * (w + 2.0) * excess / (w + 1.0))
        w -= step
        if abs(step) < 1e-15 * abs(w):
            break
    w = constant(w)
    if w == -1.0:
        return -1.0 + np.sqrt(2.0 * abs(1.0 + np.e * x))
    for _ in range(2):
        w -= (w - x * np.exp(-w)) / (1.0 + w)
    return w


@implements("scipy.special.lambertw")
def lambertw(z, k=0, tol=1e-8):
    """Lambert's function, a complex number, on its branches 0 and -1 where they are real.

    Parameters
    ----------
    z : float or ndarray
        Numbers from ``-1 / e`` on.
    k : int
        The branch, 0 or -1.
    tol : float
        Ignored: Newton steps end at the last digits.

    Returns
    -------
    complex or ndarray of complex
        The function, whose imaginary part is 0.

    Raises
    ------
    ValueError
        If a number is below ``-1 / e``, or positive on branch -1, where the function is not real.

    Examples
    --------
    >>> round(lambertw(1.0).real, 6)
    0.567143
    """
    if k != 0 and k != -1:
        raise TypeError("has the branches 0 and -1 here")
    z = np.asarray(z).astype(np.float64)
    if np.any(z < -0.36787944117144233) or (k == -1 and np.any(z > 0.0)):
        raise ValueError("lambertw of a number where it is not real: linad knows the real branches alone")
    return pair(_lambert_real(z, -1.0 * k), 0.0 * z)


@elementwise("scipy.special.ellipk")
def ellipk(m, /):
    """Complete elliptic integral of the first kind for ``m <= 1``, by the arithmetic-geometric mean.

    >>> round(float(ellipk(0.5)), 6)
    1.854075
    """
    if not m < 1.0:
        return np.inf if m == 1.0 else np.nan
    if m == -np.inf:
        return 0.0
    a = 1.0
    b = np.sqrt(1.0 - m)
    for _ in range(14):
        g = np.sqrt(a * b)
        a = 0.5 * (a + b)
        b = g
    return 0.5 * np.pi / a


@elementwise("scipy.special.ellipe")
def ellipe(m, /):
    """Complete elliptic integral of the second kind for ``m <= 1``, by the arithmetic-geometric mean.

    >>> round(float(ellipe(0.5)), 6)
    1.350644
    """
    if not m < 1.0:
        return 1.0 if m == 1.0 else np.nan
    if m == -np.inf:
        return np.inf
    a = 1.0
    b = np.sqrt(1.0 - m)
    power = 0.5
    total = 1.0 - 0.5 * m
    for _ in range(14):
        c = 0.5 * (a - b)
        g = np.sqrt(a * b)
        a = 0.5 * (a + b)
        b = g
        power *= 2.0
        total -= power * c * c
    return 0.5 * np.pi / a * total


# ------------------------------------------------------------------------------------------------ single expressions


@elementwise("scipy.special.exprel")
def exprel(x, /):
    """``(exp(x) - 1) / x``, and 1 at 0.

    >>> round(float(exprel(1.0)), 6)
    1.718282
    """
    if abs(x) < 0.5:
        total = 1.0
        for k in range(17, 1, -1):
            total = 1.0 + x / k * total
        return total
    return x if x == np.inf else np.expm1(x) / x


@elementwise("scipy.special.boxcox")
def boxcox(x, lmbda, /):
    """Box-Cox transform; the logarithm if ``lmbda`` is 0.

    >>> round(float(boxcox(2.0, 0.5)), 6)
    0.828427
    """
    return _box_cox(np.log(x), lmbda)


def _box_cox(t, lmbda):
    """The Box-Cox transform of a number, given its logarithm t."""
    if lmbda == 0.0 and abs(t) == np.inf:
        return t
    return t * exprel(lmbda * t) if abs(lmbda * t) < 0.5 else np.expm1(lmbda * t) / lmbda


@elementwise("scipy.special.boxcox1p")
def boxcox1p(x, lmbda, /):
    """Box-Cox transform of ``1 + x``.

    >>> round(float(boxcox1p(1.0, 0.5)), 6)
    0.828427
    """
    return _box_cox(np.log1p(x), lmbda)


@elementwise("scipy.special.huber")
def huber(delta, r, /):
    """Huber loss of residuals ``r``: quadratic up to ``delta``, linear beyond.

    >>> float(huber(1.0, 3.0))
    2.5
    """
    size = np.abs(r)
    near = np.where(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta))
    return np.where(delta < 0.0, np.inf, near)


@elementwise("scipy.special.pseudo_huber")
def pseudo_huber(delta, r, /):
    """Pseudo-Huber loss of residuals ``r``, a smooth approximation of `huber`.

    >>> round(float(pseudo_huber(1.0, 3.0)), 6)
    2.162278
    """
    if delta < 0.0:
        return np.inf
    if delta == 0.0:
        return 0.0
    if np.abs(r) > delta:
        return delta * (np.hypot(delta, r) - delta)
    return r * r / (1.0 + np.hypot(1.0, r / delta))


@implements("scipy.special.cosm1")
def cosm1(x):
    """``cos(x) - 1``, accurate near 0.

    >>> float(cosm1(0.0))
    0.0
    """
    s = np.sin(0.5 * x)
    return 0.0 - 2.0 * s * s


@implements("scipy.special.factorial")
def factorial(n, exact=False):
    """Factorial; 0 for negative numbers. An int for an int with ``exact``.

    >>> float(factorial(4))
    24.0
    """
    if np.asarray(n).dtype == bool:
        raise TypeError("factorial is of numbers")
    if exact:
        return math.factorial(n) if n >= 0 else 0
    return np.where(n < 0, 0.0, sp.gamma(np.where(n < 0, 0.0, n) + np.float64(1.0)))


@implements("scipy.special.comb")
def comb(N, k, *, exact=False):
    """Number of combinations; 0 if there are none. An int for ints with ``exact``.

    >>> round(float(comb(5, 2)), 6)
    10.0
    """
    if exact:
        return math.comb(N, k) if 0 <= k <= N else 0
    good = (k >= 0) & (k <= N)
    m = np.where(good, N, 1.0)
    j = np.where(good, k, 0.0)
    return np.where(good, sp.binom(m, j), 0.0)


@implements("scipy.special.multigammaln")
def multigammaln(a, d):
    """Logarithm of the multivariate gamma function for ``a > 0.5 * (d - 1)`` and a literal int ``d``.

    >>> round(float(multigammaln(2.0, 2)), 6)
    0.451583
    """
    if np.any(a <= 0.5 * (d - 1)):
        raise ValueError("condition a > 0.5 * (d-1) not met")
    total = 0.25 * d * (d - 1) * np.log(np.pi)
    for j in range(d):
        total = total + sp.gammaln(a - 0.5 * j)
    return total


@elementwise("scipy.special.inv_boxcox")
def inv_boxcox(y, lmbda, /):
    """The number whose Box-Cox transform is ``y``.

    >>> float(inv_boxcox(2.0, 0.5))
    4.0
    """
    return np.exp(_log_inv_boxcox(y, lmbda))


def _log_inv_boxcox(y, lmbda):
    """The logarithm of the number whose Box-Cox transform is y."""
    t = lmbda * y
    if lmbda == 0.0 and abs(y) == np.inf:
        return y
    if t == np.inf and abs(y) < np.inf and abs(lmbda) < np.inf:
        return (np.log(abs(lmbda)) + np.log(abs(y))) / lmbda
    if abs(t) > 1e-3 or t != t:
        return np.log1p(t) / lmbda
    total = 0.0
    for k in range(6, 0, -1):
        total = 1.0 / k - t * total
    return y * total


@elementwise("scipy.special.inv_boxcox1p")
def inv_boxcox1p(y, lmbda, /):
    """The number for which the Box-Cox transform of ``1 + x`` is ``y``.

    >>> float(inv_boxcox1p(2.0, 0.5))
    3.0
    """
    return np.expm1(_log_inv_boxcox(y, lmbda))


@implements("scipy.special.loggamma")
def loggamma(z, /):
    """Principal branch of the logarithm of the gamma function; NaN for negative numbers.

    >>> float(loggamma(1.0))
    0.0
    """
    return sp.gammaln(
        np.where(z >= 0, z, np.nan).astype(np.float32 if np.asarray(z).dtype == np.float32 else np.float64)
    )


@implements("scipy.special.perm")
def perm(N, k):
    """Number of permutations of k out of N items; 0 if there are none.

    >>> float(perm(5, 2))
    20.0
    """
    good = (k >= 0) & (k <= N) & (N >= 0)
    return np.where(good, sp.poch(np.where(good, N - k + 1, 1.0), np.where(good, k, 0.0)), 0.0)


@elementwise("scipy.special.agm")
def agm(a, b, /):
    """Arithmetic-geometric mean of two numbers of equal sign.

    >>> float(agm(2.0, 2.0))
    2.0
    """
    if a != a or b != b or (a < 0.0 and b > 0.0) or (a > 0.0 and b < 0.0):
        return np.nan
    if a == 0.0 or b == 0.0:
        return np.nan if abs(a) == np.inf or abs(b) == np.inf else 0.0
    if abs(a) == np.inf or abs(b) == np.inf:
        return a if abs(a) == np.inf else b
    sign = -1.0 if a < 0.0 else 1.0
    high = abs(a)
    low = abs(b)
    for _ in range(40):
        g = np.sqrt(high) * np.sqrt(low)
        high = 0.5 * high + 0.5 * low
        low = g
    return sign * high


# ------------------------------------------------------------------------------------ inverses of incomplete functions


def _gamma_root(a, lower, upper):
    """The argument at which the lower and the upper incomplete gamma function, whose sum is 1, have given values, by
    Halley's method."""
    z = sp.ndtri(lower) if lower < 0.5 else -sp.ndtri(upper)
    t = 1.0 - 1.0 / (9.0 * a) + z / (3.0 * np.sqrt(a))
    x = a * t * t * t
    if a <= 1.0 or t <= 0.1:  # near 0, where the function is a power
        x = np.exp((np.log(lower) + math.lgamma(a + 1.0)) / a)
        if a <= 1.0 and x > 1.0 and upper < 0.5:
            x = max(1.0, -np.log(upper) - math.lgamma(a))
    for _ in range(60):
        slope = np.exp((a - 1.0) * np.log(x) - x - math.lgamma(a))
        if upper < 0.1:  # Newton's method for the logarithm of the tail
            tail = sp.gammaincc(a, x)
            step = tail / slope * (np.log(upper) - np.log(tail))
        else:
            step = (sp.gammainc(a, x) - lower if lower < 0.7 else upper - sp.gammaincc(a, x)) / slope
            step = step / (1.0 - 0.5 * min(1.0, step * ((a - 1.0) / x - 1.0)))
        x = x - step if x > step else 0.5 * x
        if abs(step) <= 1e-10 * x:
            break
    return x


@elementwise()
def _inverse_gamma(a, lower, upper, /):
    """That number, with its derivatives."""
    if not (a > 0.0 and 0.0 <= lower <= 1.0 and 0.0 <= upper <= 1.0):
        return np.nan
    if lower == 0.0 or upper == 0.0:
        return 0.0 if lower == 0.0 else np.inf
    x = constant(_gamma_root(a, lower, upper))
    for _ in range(2):
        error = sp.gammainc(a, x) - lower if lower < 0.7 else upper - sp.gammaincc(a, x)
        x = x - error / np.exp((a - 1.0) * np.log(x) - x - math.lgamma(a))
    return x


@implements("scipy.special.gammaincinv")
def gammaincinv(a, y):
    """The number at which the regularised lower incomplete gamma function is ``y``.

    >>> round(float(gammaincinv(1.0, 0.5)), 6)
    0.693147
    """
    y = y * np.float64(1.0)
    return _inverse_gamma(a * np.float64(1.0), y, 1.0 - y)


@implements("scipy.special.gammainccinv")
def gammainccinv(a, y):
    """The number at which the regularised upper incomplete gamma function is ``y``.

    >>> round(float(gammainccinv(1.0, 0.5)), 6)
    0.693147
    """
    y = y * np.float64(1.0)
    return _inverse_gamma(a * np.float64(1.0), 1.0 - y, y)


def _beta_root(a, b, y):
    """Where the incomplete beta function is ``y``, by Halley's method."""
    whole = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    if a >= 1.0 and b >= 1.0:
        z = sp.ndtri(y)
        t = (z * z - 3.0) / 6.0
        h = 2.0 / (1.0 / (2.0 * a - 1.0) + 1.0 / (2.0 * b - 1.0))
        w = z * np.sqrt(t + h) / h if t + h > 0.0 else 0.0
        w = -w - (1.0 / (2.0 * b - 1.0) - 1.0 / (2.0 * a - 1.0)) * (t + 5.0 / 6.0 - 2.0 / (3.0 * h))
        x = a / (a + b * np.exp(2.0 * w))
    else:
        t = np.exp(a * np.log(a / (a + b))) / a
        w = t + np.exp(b * np.log(b / (a + b))) / b
        x = np.exp(np.log(a * w * y) / a) if y < t / w else 1.0 - np.exp(np.log(b * w * (1.0 - y)) / b)
    x = min(max(x, 1e-300), 1.0 - 1e-16)
    for _ in range(60):
        step = (sp.betainc(a, b, x) - y) / np.exp((a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) + whole)
        step = step / (1.0 - 0.5 * min(1.0, step * ((a - 1.0) / x - (b - 1.0) / (1.0 - x))))
        new = x - step
        x = 0.5 * x if new <= 0.0 else 0.5 * (x + 1.0) if new >= 1.0 else new
        if abs(step) <= 1e-10 * x:
            break
    return x


@elementwise("scipy.special.betaincinv")
def betaincinv(a, b, y, /):
    """The number at which the regularised incomplete beta function is ``y``.

    >>> round(float(betaincinv(2.0, 2.0, 0.5)), 6)
    0.5
    """
    if not (a > 0.0 and b > 0.0 and 0.0 <= y <= 1.0):
        return np.nan
    if y == 0.0 or y == 1.0:
        return y
    x = constant(_beta_root(a, b, y))
    for _ in range(2):
        slope = np.exp((a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) - sp.betaln(a, b))
        x = x - (sp.betainc(a, b, x) - y) / slope
    return x


@elementwise("scipy.special.stdtrit")
def stdtrit(df, p, /):
    """Quantiles of Student's distribution.

    >>> round(float(stdtrit(1.0, 0.75)), 6)
    1.0
    """
    if not (df > 0.0 and 0.0 <= p <= 1.0):
        return np.nan
    if p == 0.0 or p == 1.0:  # as SciPy has it
        return np.inf
    if df == np.inf:
        return sp.ndtri(p)
    if abs(p - 0.5) < 1e-6:  # where the function is odd, and nearly straight
        u = (p - 0.5) * np.exp(0.5 * np.log(df * np.pi) + math.lgamma(0.5 * df) - math.lgamma(0.5 * (df + 1.0)))
        return u + (df + 1.0) / (6.0 * df) * u * u * u
    x = betaincinv(0.5 * df, 0.5, 2.0 * min(p, 1.0 - p))
    t = np.sqrt(df * (1.0 - x) / x)
    return t if p > 0.5 else -t
