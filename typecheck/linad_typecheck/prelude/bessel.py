"""Modified Bessel functions of the second kind, of real order, by the trapezoidal rule.

``K_v(x)`` is the integral of ``exp(-x cosh t) cosh(v t)`` over ``t > 0``. The integrand decays faster than
exponentially, so sums at equal spacing converge exponentially (Trefethen and Weideman 2014). The derivatives with
respect to order and argument are those of the sum.
"""

from __future__ import annotations

import numpy as np

from . import elementwise


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
