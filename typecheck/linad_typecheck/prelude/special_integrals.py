"""Integrals with a name: sine, cosine and Fresnel integrals, Dawson's function. They take numbers or arrays.

Power series are summed near zero. Further out, continued fractions of complex arguments converge (DLMF 6.9.1 and
7.9.3); they are evaluated by Lentz's method with pairs of real numbers. Derivatives are those of the sums.
"""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from . import elementwise, implements


def _fraction(first, imag, slope, step):
    """The continued fraction ``1 / (b - a_1 / (b + 2 slope - a_2 / (b + 4 slope - ...)))`` with ``b = first + i imag``
    and ``a_k = k^2`` for step 1, ``(2 k - 1) 2 k`` for step 2."""
    size = first * first + imag * imag
    dr, di = first / size, -imag / size
    cr, ci = 1e300, 0.0
    hr, hi = dr, di
    b = first
    for k in range(1, 500):
        a = -1.0 * k * k if step == 1 else -(2.0 * k - 1.0) * (2.0 * k)
        b += 2.0 * slope
        re, im = a * dr + b, a * di + imag
        size = re * re + im * im
        dr, di = re / size, -im / size
        size = cr * cr + ci * ci
        cr, ci = b + a * cr / size, imag - a * ci / size
        re, im = cr * dr - ci * di, cr * di + ci * dr
        hr, hi = hr * re - hi * im, hr * im + hi * re
        if abs(re - 1.0) + abs(im) < 1e-17:
            break
    return hr, hi


def _sine_and_cosine(x):
    """``Si(x)`` and ``Ci(x)`` of a positive number."""
    if x < 2.5:
        sine, cosine, term = 0.0, 0.0, 1.0
        for k in range(1, 40):
            term *= x / k
            part = term / k
            if k % 2 == 1:
                sine += part if k % 4 == 1 else -part
            else:
                cosine += part if k % 4 == 0 else -part
        return sine, cosine + np.log(x) + 0.5772156649015329
    re, im = _fraction(1.0, x, 1.0, 1)
    s, c = np.sin(x), np.cos(x)
    return 0.5 * np.pi + c * im - s * re, -(c * re + s * im)


@elementwise()
def _sine_integral(x, /):
    if x == 0.0 or x != x:
        return x
    size = abs(x)
    value = 0.5 * np.pi if size == np.inf else _sine_and_cosine(size)[0]
    return value if x > 0.0 else -value


@elementwise()
def _cosine_integral(x, /):
    if x == 0.0 or x != x:
        return -np.inf if x == 0.0 else x
    size = abs(x)
    if size > 1e15:
        return np.sin(size) / size if size < np.inf else 0.0
    return _sine_and_cosine(size)[1]


@implements("scipy.special.sici")
def sici(x):
    """Sine and cosine integrals.

    >>> [round(float(v), 6) for v in sici(1.0)]
    [0.946083, 0.337404]
    """
    return _sine_integral(x), _cosine_integral(x)


def _fresnel_pair(x):
    """``S(x)`` and ``C(x)`` of a positive number."""
    z = 0.5 * np.pi * x * x
    if x < 1.6:
        sine, cosine, term = 0.0, 0.0, x
        for k in range(40):
            part = term / (2.0 * k + 1.0)
            if k % 2 == 0:
                cosine += part if k % 4 == 0 else -part
            else:
                sine += part if k % 4 == 1 else -part
            term *= z / (k + 1.0)
        return sine, cosine
    re, im = _fraction(1.0, -2.0 * z, 2.0, 2)
    s, c = np.sin(z), np.cos(z)
    # 1 - erfc(w) with w = (1 - i) sqrt(pi) x / 2, times (1 + i) / 2
    tail_re, tail_im = x * (re * c - im * s), x * (re * s + im * c)
    return 0.5 - tail_im, 0.5 - tail_re


@elementwise()
def _fresnel_sine(x, /):
    if x == 0.0 or x != x:
        return x
    size = abs(x)
    value = 0.5 if size == np.inf else _fresnel_pair(size)[0]
    return value if x > 0.0 else -value


@elementwise()
def _fresnel_cosine(x, /):
    if x == 0.0 or x != x:
        return x
    size = abs(x)
    value = 0.5 if size == np.inf else _fresnel_pair(size)[1]
    return value if x > 0.0 else -value


@implements("scipy.special.fresnel")
def fresnel(z):
    """Fresnel integrals of ``sin(pi t^2 / 2)`` and ``cos(pi t^2 / 2)`` from 0 to ``z``.

    >>> [round(float(v), 6) for v in fresnel(1.0)]
    [0.438259, 0.779893]
    """
    return _fresnel_sine(z), _fresnel_cosine(z)


@elementwise("scipy.special.dawsn")
def dawsn(x, /):
    """Dawson's integral ``exp(-x^2)`` times the integral of ``exp(t^2)`` from 0 to ``x``, by Rybicki's sum, whose error
    decreases exponentially with the square of the reciprocal of its step.

    >>> round(float(dawsn(1.0)), 6)
    0.53808
    """
    if abs(x) < 0.2:
        term, total = x, x
        for k in range(1, 12):
            term *= -2.0 * x * x / (2.0 * k + 1.0)
            total += term
        return total
    if not abs(x) < 1e6:
        return 0.5 / x
    step = 0.2
    near = 2.0 * np.rint(0.5 * x / step)
    rest = x - near * step
    total = 0.0
    for k in range(1, 34, 2):
        up, down = rest - k * step, rest + k * step
        total += np.exp(-up * up) / (near + k) + np.exp(-down * down) / (near - k)
    return total / np.sqrt(np.pi)


def _dilogarithm(x):
    """Spence's integral for ``0.5 <= x <= 1.5``: a power series, whose odd terms beyond the first are zero, in
    ``log(x)`` (D. Zagier, The Dilogarithm Function, 2007)."""
    u = -np.log(x)
    square = u * u
    term, total = u, u - 0.25 * square
    for number in (1.0 / 36.0, -1.0 / 3600.0, 1.0 / 211680.0, -1.0 / 10886400.0, 1.0 / 526901760.0):
        term *= square
        total += number * term
    term *= square
    total += -4.064761645144226e-11 * term
    term *= square
    return total + 8.921691020456453e-13 * term - 1.9939295860721076e-14 * term * square


@elementwise("scipy.special.spence")
def spence(z, /):
    """Spence's function, the integral of ``log(t) / (1 - t)`` from 1 to ``z``.

    >>> round(float(spence(0.0)), 6)
    1.644934
    """
    if not 0.0 <= z < np.inf:
        return np.nan
    whole = 1.6449340668482264  # pi^2 / 6
    if z == 0.0:
        return whole
    if z < 0.5:
        return whole - np.log(z) * np.log1p(-z) - _dilogarithm(1.0 - z)
    if z > 1.5:
        near = 1.0 / z
        low = whole - np.log(near) * np.log1p(-near) - _dilogarithm(1.0 - near) if near < 0.5 else _dilogarithm(near)
        return -0.5 * np.log(z) ** 2 - low
    return _dilogarithm(z)


@elementwise()
def _hyperbolic_sine_integral(x, /):
    if x == 0.0 or x != x:
        return x
    size = abs(x)
    if size > 3.0:
        value = 0.5 * (sp.expi(size) + sp.exp1(size))
        return value if x > 0.0 else -value
    term, total = x, x
    for k in range(1, 20):
        term *= x * x / ((2.0 * k) * (2.0 * k + 1.0))
        total += term / (2.0 * k + 1.0)
    return total


@elementwise()
def _hyperbolic_cosine_integral(x, /):
    if x == 0.0 or x != x:
        return -np.inf if x == 0.0 else x
    size = abs(x)
    if size > 3.0:
        return 0.5 * (sp.expi(size) - sp.exp1(size))
    term, total = 1.0, 0.5772156649015329 + np.log(size)
    for k in range(1, 20):
        term *= size * size / ((2.0 * k - 1.0) * (2.0 * k))
        total += term / (2.0 * k)
    return total


@implements("scipy.special.shichi")
def shichi(x):
    """Hyperbolic sine and cosine integrals.

    >>> [round(float(v), 6) for v in shichi(1.0)]
    [1.057251, 0.837867]
    """
    return _hyperbolic_sine_integral(x), _hyperbolic_cosine_integral(x)
