"""Bessel functions: modified ones of the second kind and real order, those of the second kind of int order, spherical
ones. (Those of the first kind are operations of the core.)

``K_v(x)`` is the integral of ``exp(-x cosh t) cosh(v t)`` over ``t > 0``. The integrand decays faster than
exponentially, so sums at equal spacing converge exponentially (Trefethen and Weideman 2014). The derivatives with
respect to order and argument are those of the sum.
"""

from __future__ import annotations

import numpy as np

from . import elementwise, implements


def _scaled(v, x):
    """``exp(x) K_v(x)`` for a positive number."""
    v = abs(v)
    size = np.exp2(np.ceil(np.log2(max(x, v))))  # a power of two, so that nearby arguments have the same spacing
    h = min(0.125, 0.5 / np.sqrt(size))
    top = np.arcsinh(v / x)  # the position of the largest term
    total = 0.5
    for k in range(1, 20000):
        t = k * h
        s = np.sinh(0.5 * t)
        term = 0.5 * np.exp(v * t - 2.0 * x * s * s) * (1.0 + np.exp(-2.0 * v * t))
        total = total + term
        if (t > top and not term > 1e-18 * total) or total == np.inf:
            break
    return h * total


@elementwise("scipy.special.kve")
def kve(v, z, /):
    """Modified Bessel function of the second kind of order ``v``, times ``exp(z)``.

    >>> round(float(kve(0.5, 2.0)), 6)
    0.886227
    """
    if v != v or z != z or z < 0.0 or abs(v) == np.inf:
        return np.nan
    if z == 0.0:
        return np.inf
    return 0.0 if z == np.inf else _scaled(v, z)


@elementwise("scipy.special.kv")
def kv(v, z, /):
    """Modified Bessel function of the second kind of order ``v``.

    >>> round(float(kv(0.5, 2.0)), 6)
    0.119938
    """
    return np.exp(-z) * kve(v, z) if z < np.inf else kve(v, z)


@elementwise("scipy.special.k0")
def k0(x, /):
    """Modified Bessel function of the second kind of order 0.

    >>> round(float(k0(1.0)), 6)
    0.421024
    """
    return kv(0.0, x)


@elementwise("scipy.special.k0e")
def k0e(x, /):
    """Modified Bessel function of the second kind of order 0, times ``exp(x)``.

    >>> round(float(k0e(1.0)), 6)
    1.144463
    """
    return kve(0.0, x)


@elementwise("scipy.special.k1")
def k1(x, /):
    """Modified Bessel function of the second kind of order 1.

    >>> round(float(k1(1.0)), 6)
    0.601907
    """
    return kv(1.0, x)


@elementwise("scipy.special.k1e")
def k1e(x, /):
    """Modified Bessel function of the second kind of order 1, times ``exp(x)``.

    >>> round(float(k1e(1.0)), 6)
    1.636153
    """
    return kve(1.0, x)


@elementwise("scipy.special.kn")
def kn(n: int, x, /):
    """Modified Bessel function of the second kind of an integer order.

    >>> round(float(kn(2, 1.0)), 6)
    1.624839
    """
    return kv(1.0 * n, x)


# ------------------------------------------------------------------------------------------------------- second kind


def _near(x):
    """``Y_0`` and ``Y_1`` of a positive number by Neumann's series, whose terms ``J_k`` recur stably from high orders
    down (Miller's algorithm)."""
    if x < 1e-8:
        return 2.0 / np.pi * (np.log(0.5 * x) + 0.5772156649015329), -2.0 / np.pi / x
    above, j = 0.0, 1e-290
    norm, first, second = 0.0, 0.0, 0.0
    for k in range(2 * int(0.5 * x + 12.0 + 4.0 * np.cbrt(x)), 0, -1):  # j is a multiple of J_k
        n = k // 2
        sign = 1.0 if n % 2 == 0 else -1.0
        if k % 2 == 0:
            norm += 2.0 * j
            first += sign * j / n
        elif n > 0:
            second += sign * (2.0 * n + 1.0) * j / (n * (n + 1.0))
        below = 2.0 * k / x * j - above
        above = j
        j = below
    norm += j
    logarithm = np.log(0.5 * x) + 0.5772156649015329
    scale = 2.0 / (np.pi * norm)
    return scale * (logarithm * j - 2.0 * first), scale * ((logarithm - 1.0) * above - second - j / x)


def _far(x, order):
    """``Y_0`` or ``Y_1`` of a large number by Hankel's asymptotic series."""
    p, q, term = 0.0, 0.0, 1.0
    for k in range(40):
        if k % 2 == 0:
            p += term if k % 4 == 0 else -term
        else:
            q += term if k % 4 == 1 else -term
        term *= (4.0 * order - (2.0 * k + 1.0) ** 2) / ((k + 1.0) * 8.0 * x)
        if abs(term) < 1e-20:
            break
    s, c = np.sin(x), np.cos(x)
    if order == 0:
        return ((p + q) * s - (p - q) * c) / np.sqrt(np.pi * x)
    return -((p - q) * s + (p + q) * c) / np.sqrt(np.pi * x)


@elementwise("scipy.special.y0")
def y0(x, /):
    """Bessel function of the second kind of order 0.

    >>> round(float(y0(1.0)), 6)
    0.088257
    """
    if not x > 0.0:
        return -np.inf if x == 0.0 else np.nan
    if x < 25.0:
        return _near(x)[0]
    return _far(x, 0) if x < np.inf else 0.0


@elementwise("scipy.special.y1")
def y1(x, /):
    """Bessel function of the second kind of order 1.

    >>> round(float(y1(1.0)), 6)
    -0.781213
    """
    if not x > 0.0:
        return -np.inf if x == 0.0 else np.nan
    if x < 25.0:
        return _near(x)[1]
    return _far(x, 1) if x < np.inf else 0.0


@elementwise("scipy.special.yn")
def yn(n: int, x, /):
    """Bessel function of the second kind of an int order, by recurrence from orders 0 and 1.

    >>> round(float(yn(2, 1.0)), 6)
    -1.650683
    """
    sign = -1.0 if n < 0 and n % 2 == 1 else 1.0
    if not x > 0.0:
        return -sign * np.inf if x == 0.0 else np.nan
    below, y = y0(x), y1(x)
    if n == 0:
        return below
    for k in range(1, abs(n)):
        above = 2.0 * k / x * y - below
        if above == -np.inf:
            return -sign * np.inf
        below = y
        y = above
    return sign * y


# --------------------------------------------------------------------------------------------------------- spherical


def _ascending(n, x, sign):
    """The series of the spherical Bessel function of the first kind (``sign`` -1), or of the modified one (1)."""
    z, term, total = 0.5 * sign * x * x, 1.0, 1.0
    for k in range(1, 1000):
        term *= z / (k * (2.0 * n + 2.0 * k + 1.0))
        total += term
        if abs(term) < 1e-20 * abs(total):
            break
    for k in range(1, n + 1):
        total *= x / (2.0 * k + 1.0)
    return total


def _upwards(n, x, below, first):
    """The recurrence of the spherical Bessel functions from those of orders -1 and 0 up to order ``n``."""
    j = first
    for k in range(n):
        above = (2.0 * k + 1.0) / x * j - below
        if abs(above) == np.inf:
            return above
        below = j
        j = above
    return j


@elementwise()
def _spherical_j(n: int, z, /):
    if n < 0 or z != z:
        return np.nan
    if abs(z) == np.inf:
        return 0.0
    if abs(z) < 2.0 or abs(z) < n:
        return _ascending(n, z, -1.0)
    return _upwards(n, z, np.cos(z) / z, np.sin(z) / z)


@elementwise()
def _spherical_y(n: int, z, /):
    if n < 0 or z != z:
        return np.nan
    if z == 0.0:
        return -np.inf
    if abs(z) == np.inf:
        return 0.0
    return _upwards(n, z, np.sin(z) / z, -np.cos(z) / z)


@elementwise()
def _spherical_i(n: int, z, /):
    return np.nan if n < 0 or z != z else _ascending(n, z, 1.0)


def _sloped(f, n, z, sign, derivative):
    """A spherical Bessel function, or its derivative by ``f_n' = n f_n / z + sign f_(n + 1)``."""
    if not derivative:
        return f(n, z)
    at_zero = z == 0
    safe = np.where(at_zero, 1.0, z)
    return np.where(at_zero, np.where(n == 1, 1.0 / 3.0, 0.0), n * f(n, safe) / safe + sign * f(n + 1, safe))[()]


@implements("scipy.special.spherical_jn")
def spherical_jn(n, z, derivative=False):
    """Spherical Bessel function of the first kind, or its derivative.

    >>> round(float(spherical_jn(1, 2.0)), 6)
    0.435398
    """
    if np.asarray(z).dtype.kind == "b":
        raise TypeError("is of numbers, and SciPy takes no bools")
    return _sloped(_spherical_j, n, z, -1.0, derivative)


@implements("scipy.special.spherical_yn")
def spherical_yn(n, z, derivative=False):
    """Spherical Bessel function of the second kind, or its derivative.

    >>> round(float(spherical_yn(1, 2.0)), 6)
    -0.350612
    """
    if not derivative:
        return _spherical_y(n, z)
    return n * _spherical_y(n, z) / z - _spherical_y(n + 1, z)


@implements("scipy.special.spherical_in")
def spherical_in(n, z, derivative=False):
    """Modified spherical Bessel function of the first kind, or its derivative.

    >>> round(float(spherical_in(1, 2.0)), 6)
    0.974383
    """
    return _sloped(_spherical_i, n, z, 1.0, derivative)
