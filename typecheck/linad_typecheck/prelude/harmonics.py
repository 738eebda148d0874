"""Associated Legendre functions and spherical harmonics of int degrees and orders, by recurrence over the degree."""

from __future__ import annotations

import math

import numpy as np

from . import elementwise, implements, pair


@elementwise()
def _legendre(m: int, n: int, x, /):
    """The associated Legendre function of an order up to the degree, times the root of ``(n - m)! / (n + m)!``."""
    if m > n:
        return 0.0
    height = np.sqrt((1.0 - x) * (1.0 + x))
    value = 1.0
    for k in range(1, m + 1):
        value *= -height * np.sqrt((2.0 * k - 1.0) / (2.0 * k))
    below = 0.0
    for k in range(m + 1, n + 1):
        step = np.sqrt((k - m) * (k + m) * 1.0)
        above = ((2.0 * k - 1.0) * x * value - np.sqrt((k - 1.0 - m) * (k - 1.0 + m)) * below) / step
        below = value
        value = above
    return value


@implements("scipy.special.lpmv")
def lpmv(m, v, x):
    """Associated Legendre function of an int order and degree, with the phase of Condon and Shortley, in [-1, 1].

    >>> round(float(lpmv(1, 2, 0.5)), 6)
    -1.299038
    """
    found = _of_degree(m, v, x)
    return np.asarray(found).astype(np.float32)[()] if np.asarray(x).dtype == np.float32 else found


@elementwise()
def _of_degree(m: int, v: int, x, /):
    n = v if v >= 0 else -v - 1
    order = abs(m)
    if not abs(x) <= 1.0:
        return np.nan
    if order > n:
        return 0.0
    half = 0.5 * (math.lgamma(n + order + 1.0) - math.lgamma(n - order + 1.0))
    if m < 0:
        return _legendre(order, n, x) * np.exp(-half) * (1.0 if order % 2 == 0 else -1.0)
    return _legendre(order, n, x) * np.exp(half)


@implements("scipy.special.sph_harm_y")
def sph_harm_y(n, m, theta, phi):
    """Spherical harmonic of a degree and an order, of the polar angle ``theta`` and the azimuth ``phi``.

    >>> complex(sph_harm_y(1, 0, 0.0, 0.0)).real.__round__(6)
    0.488603
    """
    order = np.abs(m)
    size = np.sqrt((2.0 * n + 1.0) / (4.0 * np.pi)) * _legendre(order, n, np.cos(theta))
    size = np.where((m < 0) & (order % 2 == 1), -size, size)
    return pair(size * np.cos(m * phi), size * np.sin(m * phi))
