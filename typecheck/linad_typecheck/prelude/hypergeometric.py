"""Hypergeometric functions of real numbers, by their series and the transformations of Kummer and Pfaff (DLMF 13.2.39
and 15.8.1 to 15.8.4), which keep the terms from cancelling. They raise ValueError where the series does not
converge."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from . import elementwise, implements


def _series(a, b, c, x):
    """The sum of ``(a)_k (b)_k / (c)_k x^k / k!``; without the factors of ``b`` if it is NaN.

    A term that is zero because a parameter is an int has derivatives with respect to it all the same: the loop ends
    where terms with a distance of at least 0.5 from zero would be small.
    """
    term, total, size, bound, largest, k = 1.0, 1.0, 1.0, 1.0, 1.0, 0.0
    while bound > 1e-20 * size:
        if c + k == 0.0:
            return np.nan if term == 0.0 else np.inf
        below = x / ((c + k) * (k + 1.0))
        term *= (a + k) * below
        bound *= max(abs(a + k), 0.5) * abs(below)
        if b == b:
            term *= b + k
            bound *= max(abs(b + k), 0.5)
        total += term
        size = max(size, abs(total))
        largest = max(largest, abs(term))
        k += 1.0
        if k > 20000.0:
            raise ValueError("the series of a hypergeometric function does not converge here")
    if largest > 1e4 and largest > 1e7 * abs(total):
        raise ValueError("the terms of a hypergeometric function cancel here")
    return total


@elementwise("scipy.special.hyp1f1")
def hyp1f1(a, b, x, /):
    """Confluent hypergeometric function 1F1.

    >>> round(float(hyp1f1(0.5, 1.5, -1.0)), 6)
    0.746824
    """
    if a != a or b != b or x != x:
        return np.nan
    if x < -60.0 and abs(a) + abs(b) < 8.0:  # DLMF 13.7.2
        term, total = 1.0, 1.0
        for k in range(30):
            term *= (a + k) * (a - b + 1.0 + k) / ((k + 1.0) * -x)
            total += term
        return sp.gamma(b) * sp.rgamma(b - a) * (-x) ** (-a) * total
    if x < 0.0 and not (a <= 0.0 and a == np.floor(a)):
        return np.exp(x) * _series(b - a, np.nan, b, -x)
    return _series(a, np.nan, b, x)


@implements("scipy.special.hyp2f1")
def hyp2f1(a, b, c, z):
    """Gauss's hypergeometric function 2F1 for ``z <= 1``; infinite beyond, as in SciPy.

    >>> round(float(hyp2f1(1.0, 1.0, 2.0, 0.5)), 6)
    1.386294
    """
    return _gauss(a, b, c, z * np.float64(1.0))


@elementwise()
def _gauss(a, b, c, z, /):
    if a != a or b != b or c != c or z != z:
        return np.nan
    if z > 1.0:
        if (a <= 0.0 and a == np.floor(a)) or (b <= 0.0 and b == np.floor(b)):
            raise ValueError("hyp2f1 beyond 1 is a polynomial without a derivative in its parameters: write it out")
        return np.inf
    if z == 1.0:
        s = c - a - b
        if not s > 0.0:
            return np.inf
        if min(c, c - a, c - b) <= 0.0:
            raise ValueError("hyp2f1 at 1 of parameters that are not positive")
        return np.exp(math.lgamma(c) + math.lgamma(s) - math.lgamma(c - a) - math.lgamma(c - b))
    if z < 0.0:
        y = z / (z - 1.0)
        if abs(c - b) + abs(a) <= abs(c - a) + abs(b):  # the one of two transformations whose terms are smaller
            return (1.0 - z) ** (-a) * _below_one(a, c - b, c, y)
        return (1.0 - z) ** (-b) * _below_one(c - a, b, c, y)
    return _below_one(a, b, c, z)


def _below_one(a, b, c, z):
    """2F1 for ``z`` in [0, 1)."""
    s = c - a - b
    if z < 0.9 or abs(s - np.rint(s)) < 1e-3:
        return _series(a, b, c, z)
    y = 1.0 - z  # DLMF 15.8.4
    near = sp.gamma(s) * sp.rgamma(c - a) * sp.rgamma(c - b) * _series(a, b, 1.0 - s, y)
    return sp.gamma(c) * (near + y**s * sp.gamma(-s) * sp.rgamma(a) * sp.rgamma(b) * _series(c - a, c - b, 1.0 + s, y))
