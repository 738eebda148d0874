"""The Faddeeva function ``w(z) = exp(-z^2) erfc(-i z)`` and Voigt's profile.

A power series of the error function near zero, elsewhere Laplace's continued fraction, near the real axis after a step
of a Taylor series (G. P. M. Poppe and C. M. J. Wijers, ACM Transactions on Mathematical Software 16, 38-46, 1990).
"""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from . import constant, elementwise, implements, pair


def _first_quadrant(x, y):
    """Real and imaginary part of ``w(x + i y)`` for ``x, y >= 0``."""
    root = 1.1283791670955126  # 2 / sqrt(pi)
    far = (constant(x) / 6.3) ** 2 + (constant(y) / 4.4) ** 2
    re2, im2 = x * x - y * y, 2.0 * x * y
    if far < 0.085264:
        terms = int(6.5 + 72.0 * (1.0 - 0.85 * constant(y) / 4.4) * np.sqrt(far))
        a, b = 1.0 / (2.0 * terms + 1.0), 0.0
        for k in range(terms, 0, -1):
            a, b = (a * re2 - b * im2) / k + 1.0 / (2.0 * k - 1.0), (a * im2 + b * re2) / k
        # the series is that of the error function of -i z; w is the product with exp(-z^2)
        u, v = 1.0 - root * (a * y + b * x), root * (a * x - b * y)
        e, c, s = np.exp(-re2), np.cos(im2), np.sin(im2)
        return e * (u * c + v * s), e * (v * c - u * s)
    h, order, steps = 0.0, -1, 0
    if far > 1.0:
        steps = int(3.0 + 1442.0 / (26.0 * np.sqrt(far) + 77.0))
    else:
        near = (1.0 - constant(y) / 4.4) * np.sqrt(1.0 - far)
        h, order, steps = 1.88 * near, int(7.5 + 34.0 * near), int(16.5 + 26.0 * near)
    power = (2.0 * h) ** order if h > 0.0 else 0.0
    a, b, u, v = 0.0, 0.0, 0.0, 0.0
    for k in range(steps, -1, -1):
        p, q = y + h + (k + 1.0) * a, x - (k + 1.0) * b
        size = 0.5 / (p * p + q * q)
        a, b = size * p, size * q
        if h > 0.0 and k <= order:
            u, v = a * (power + u) - b * v, b * (power + u) + a * v
            power /= 2.0 * h
    if h > 0.0:
        return root * u, root * v
    return root * a, root * b


def _w(x, y):
    """Real and imaginary part of ``w(x + i y)``. Signs are products, so that derivatives on the axes are those of a
    neighbourhood."""
    left, down = -1.0 if x < 0.0 else 1.0, -1.0 if y < 0.0 else 1.0
    a, b = left * x, down * y
    u, v = _first_quadrant(a, b)
    if b == 0.0:  # where the real part is small beside rounding
        u += constant(np.exp(-a * a) - u)
    if y < 0.0:
        e = 2.0 * np.exp(b * b - a * a)
        u = e * np.cos(2.0 * a * b) - u
        if e < np.inf or a != 0.0:
            v = e * np.sin(2.0 * a * b) + v
    return u, left * v


@elementwise()
def _real_part(x, y, /):
    if x != x or y != y:
        return np.nan
    if abs(x) == np.inf or y == np.inf:
        return 0.0
    return _w(x, y)[0]


@elementwise()
def _imaginary_part(x, y, /):
    if x != x or y != y:
        return np.nan
    if abs(x) == np.inf or y == np.inf:
        return 0.0
    return _w(x, y)[1]


@implements("scipy.special.wofz", "%complex scipy.special.wofz")
def wofz(z):
    """The Faddeeva function, ``exp(-z^2) erfc(-i z)``.

    >>> w = wofz(1.0 + 1.0j)
    >>> round(w.real, 6), round(w.imag, 6)
    (0.304744, 0.208219)
    """
    x, y = np.real(z), np.imag(z)
    if np.asarray(x).dtype != np.float64:
        raise TypeError("is of numbers of 64 or 128 bits: write `z.astype(complex)`")
    return pair(_real_part(x, y), _imaginary_part(x, y))


@implements("scipy.special.voigt_profile")
def voigt_profile(x, sigma, gamma):
    """Voigt's profile: the convolution of a normal density with a Cauchy density.

    >>> round(float(voigt_profile(0.0, 1.0, 1.0)), 6)
    0.208709
    """
    for v in (x, sigma, gamma):
        if np.asarray(v).dtype == np.float32:
            raise TypeError("is of float64: write `x.astype(float)`")
    return _profile(x * np.float64(1.0), sigma * np.float64(1.0), gamma * np.float64(1.0))


@elementwise()
def _profile(x, sigma, gamma, /):
    if x != x or sigma != sigma or gamma != gamma:
        return np.nan
    if sigma == 0.0 and gamma == 0.0:
        return np.inf if x == 0.0 else 0.0
    if gamma == np.inf or abs(x) == np.inf:
        return 0.0
    if sigma == 0.0 or abs(sigma) < 1e-9 * max(abs(x), abs(gamma)):  # the difference is below rounding
        return gamma / np.pi / (x * x + gamma * gamma)
    if gamma == 0.0:
        return 0.3989422804014327 / sigma * np.exp(-0.5 * (x / sigma) ** 2)
    scale = 0.7071067811865476 / sigma
    return _w(x * scale, gamma * scale)[0] * 0.3989422804014327 / sigma


@elementwise("scipy.special.erfi")
def erfi(z, /):
    """The imaginary error function, ``-i erf(i z)``.

    >>> round(float(erfi(1.0)), 6)
    1.650426
    """
    if abs(z) > 26.7:
        return np.inf if z > 0.0 else -np.inf
    return 1.1283791670955126 * np.exp(z * z) * sp.dawsn(z)
