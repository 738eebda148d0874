"""The gamma function of complex numbers and its logarithm: Stirling's series, after a shift to the right or a
reflection where it is not accurate."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from . import elementwise, implements, pair


def _log(x, y):
    return 0.5 * np.log(x * x + y * y), np.arctan2(y, x)


def _stirling(x, y):
    size = x * x + y * y
    u, v = x / size, -y / size  # 1 / z
    p, q = u * u - v * v, 2.0 * u * v
    a, b = -3617.0 / 122400.0, 0.0
    for c in (1.0 / 156.0, -691.0 / 360360.0, 1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0):
        a, b = a * p - b * q + c, a * q + b * p
    r, t = _log(x, y)
    return (
        (x - 0.5) * r - y * t - x + 0.9189385332046727 + a * u - b * v,
        (x - 0.5) * t + y * r - y + a * v + b * u,
    )


def _shifted(x, y):
    """For a real part of at least 0.5, or an imaginary part far from 0."""
    less, turn, s = 0.0, 0.0, x
    if -7.0 < y < 7.0:
        while s < 7.0:
            r, t = _log(s, y)
            less, turn, s = less + r, turn + t, s + 1.0
    r, t = _stirling(s, y)
    return r - less, t - turn


def _log_gamma(x, y):
    """Real and imaginary part of the principal branch."""
    if x != x or y != y or (y == 0.0 and x <= 0.0 and x == np.floor(x)):
        return np.nan, np.nan
    if x >= 0.5 or y <= -7.0 or y >= 7.0:
        return _shifted(x, y)
    r, t = _shifted(1.0 - x, -y)
    rest = np.pi * (x - 2.0 * np.round(0.5 * x))
    a, b = _log(np.sin(rest) * np.cosh(np.pi * y), np.cos(rest) * np.sinh(np.pi * y))
    turns = np.copysign(2.0 * np.pi, y) * np.floor(0.5 * x + 0.25)
    return 1.1447298858494002 - a - r, turns - b - t


@elementwise()
def _real_part(x, y, /):
    return _log_gamma(x, y)[0]


@elementwise()
def _imaginary_part(x, y, /):
    return _log_gamma(x, y)[1]


@elementwise("scipy.special.loggamma")
def loggamma(z, /):
    """The principal branch of the logarithm of the gamma function; NaN for negative numbers that are not complex.

    >>> print(round(loggamma(0.5), 6))
    0.572365
    """
    if z < 0.0:
        return np.nan
    return math.lgamma(z) if z > 0.0 else np.inf if z == 0.0 else z


def _parts(z):
    x, y = z.real, z.imag
    if np.asarray(x).dtype != np.float64:
        raise TypeError("is of numbers of 64 or 128 bits: write `z.astype(complex)`")
    return _real_part(x, y), _imaginary_part(x, y)


@implements("%complex scipy.special.loggamma")
def complex_loggamma(z):
    size, turn = _parts(z)
    return pair(size, turn)


@implements("%complex scipy.special.gamma")
def gamma(z):
    size, turn = _parts(z)
    return pair(np.exp(size) * np.cos(turn), np.exp(size) * np.sin(turn))


@implements("%complex scipy.special.rgamma")
def rgamma(z):
    size, turn = _parts(z)
    pole = (z.imag == 0.0) & (z.real <= 0.0) & (z.real == np.floor(z.real))
    return pair(np.where(pole, 0.0, np.exp(-size) * np.cos(turn)), np.where(pole, 0.0, -np.exp(-size) * np.sin(turn)))
