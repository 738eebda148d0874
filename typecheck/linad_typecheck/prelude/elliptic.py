"""Elliptic integrals and functions of real numbers.

Carlson's symmetric integrals are computed by duplication: their arguments approach each other by a factor 4 in a step,
and a series in their differences ends the computation (B. C. Carlson, Numerical Algorithms 10, 13-26, 1995; DLMF
19.36). Legendre's incomplete integrals follow from them (DLMF 19.25), Jacobi's functions from the arithmetic-geometric
mean (DLMF 22.20).
"""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from . import constant, elementwise, implements


def _rf(x, y, z):
    for _ in range(60):
        mean = (x + y + z) / 3.0
        if max(abs(x - mean), abs(y - mean), abs(z - mean)) < 0.005 * mean:
            break
        root = np.sqrt(x) * np.sqrt(y) + np.sqrt(x) * np.sqrt(z) + np.sqrt(y) * np.sqrt(z)
        x, y, z = 0.25 * (x + root), 0.25 * (y + root), 0.25 * (z + root)
    mean = (x + y + z) / 3.0
    a, b = 1.0 - x / mean, 1.0 - y / mean
    c = -a - b
    two, three = a * b - c * c, a * b * c
    series = 1.0 - two / 10.0 + three / 14.0 + two * two / 24.0 - 3.0 * two * three / 44.0
    series += -5.0 * two**3 / 208.0 + 3.0 * three * three / 104.0 + two * two * three / 16.0
    return series / np.sqrt(mean)


def _last(two, three, four, five):
    """The series that ends the integrals of the second and third kind."""
    series = 1.0 - 3.0 * two / 14.0 + three / 6.0 + 9.0 * two * two / 88.0 - 3.0 * four / 22.0
    series += -9.0 * two * three / 52.0 + 3.0 * five / 26.0 - two**3 / 16.0 + 3.0 * three * three / 40.0
    series += 3.0 * two * four / 20.0 + 45.0 * two * two * three / 272.0
    return series - 9.0 * (three * four + two * five) / 68.0


def _rd(x, y, z):
    total, part = 0.0, 1.0
    for _ in range(60):
        mean = (x + y + 3.0 * z) / 5.0
        if max(abs(x - mean), abs(y - mean), abs(z - mean)) < 0.005 * mean:
            break
        root = np.sqrt(x) * np.sqrt(y) + np.sqrt(x) * np.sqrt(z) + np.sqrt(y) * np.sqrt(z)
        total += part / (np.sqrt(z) * (z + root))
        part *= 0.25
        x, y, z = 0.25 * (x + root), 0.25 * (y + root), 0.25 * (z + root)
    mean = (x + y + 3.0 * z) / 5.0
    a, b = 1.0 - x / mean, 1.0 - y / mean
    c = -(a + b) / 3.0
    two, three = a * b - 6.0 * c * c, (3.0 * a * b - 8.0 * c * c) * c
    four, five = 3.0 * (a * b - c * c) * c * c, a * b * c**3
    return 3.0 * total + part * _last(two, three, four, five) / (mean * np.sqrt(mean))


def _rj(x, y, z, p):
    total, part = 0.0, 1.0
    for _ in range(60):
        mean = (x + y + z + 2.0 * p) / 5.0
        if max(abs(x - mean), abs(y - mean), abs(z - mean), abs(p - mean)) < 0.005 * mean:
            break
        root = np.sqrt(x) * np.sqrt(y) + np.sqrt(x) * np.sqrt(z) + np.sqrt(y) * np.sqrt(z)
        d = (np.sqrt(p) + np.sqrt(x)) * (np.sqrt(p) + np.sqrt(y)) * (np.sqrt(p) + np.sqrt(z))
        e = (p - x) * (p - y) * (p - z) / (d * d)
        total += part / d * _rf(1.0, 1.0 + e, 1.0 + e)
        part *= 0.25
        x, y, z, p = 0.25 * (x + root), 0.25 * (y + root), 0.25 * (z + root), 0.25 * (p + root)
    mean = (x + y + z + 2.0 * p) / 5.0
    a, b, c = 1.0 - x / mean, 1.0 - y / mean, 1.0 - z / mean
    d = -0.5 * (a + b + c)
    two = a * b + a * c + b * c - 3.0 * d * d
    three = a * b * c + 2.0 * two * d + 4.0 * d**3
    four, five = (2.0 * a * b * c + two * d + 3.0 * d**3) * d, a * b * c * d * d
    return 6.0 * total + part * _last(two, three, four, five) / (mean * np.sqrt(mean))


def _wide(x):
    """A number or array in float64."""
    if np.asarray(x).dtype == np.float32:
        raise TypeError("is of float64: write `x.astype(float)`")
    return x * np.float64(1.0)


def _zero(x):
    """Whether a number is zero or subnormal."""
    return x < 2.2250738585072014e-308


def _zeros(x, y, z):
    return (1 if _zero(x) else 0) + (1 if _zero(y) else 0) + (1 if _zero(z) else 0)


@elementwise("scipy.special.elliprf")
def elliprf(x, y, z, /):
    """Carlson's symmetric elliptic integral of the first kind.

    >>> round(float(elliprf(0.0, 1.0, 2.0)), 6)
    1.311029
    """
    if not (x >= 0.0 and y >= 0.0 and z >= 0.0):
        return np.nan
    if x == np.inf or y == np.inf or z == np.inf:
        return 0.0
    return np.inf if _zeros(x, y, z) >= 2 else _rf(x, y, z)


@elementwise("scipy.special.elliprc")
def elliprc(x, y, /):
    """Carlson's degenerate elliptic integral, for negative ``y`` its principal value.

    >>> round(float(elliprc(0.0, 0.25)), 6)
    3.141593
    """
    if not x >= 0.0 or y != y or _zero(abs(y)):
        return np.nan
    if x == np.inf or abs(y) == np.inf:
        return 0.0
    if y > 0.0:
        return _rf(x, y, y)
    return np.sqrt(x / (x - y)) * _rf(x - y, -y, -y)


@elementwise("scipy.special.elliprd")
def elliprd(x, y, z, /):
    """Carlson's symmetric elliptic integral of the second kind.

    >>> round(float(elliprd(0.0, 2.0, 1.0)), 6)
    1.79721
    """
    if not (x >= 0.0 and y >= 0.0 and z >= 0.0):
        return np.nan
    if _zero(z) or (_zero(x) and _zero(y)):
        return np.inf
    return 0.0 if x == np.inf or y == np.inf or z == np.inf else _rd(x, y, z)


@elementwise("scipy.special.elliprj")
def elliprj(x, y, z, p, /):
    """Carlson's symmetric elliptic integral of the third kind, for negative ``p`` its principal value.

    >>> round(float(elliprj(0.0, 1.0, 2.0, 3.0)), 6)
    0.776886
    """
    if not (x >= 0.0 and y >= 0.0 and z >= 0.0) or p != p:
        return np.nan
    if _zeros(x, y, z) >= 2 or _zero(abs(p)):
        return np.nan if p <= 0.0 else np.inf
    if x == np.inf or y == np.inf or z == np.inf or abs(p) == np.inf:
        return 0.0
    if p > 0.0:
        return _rj(x, y, z, p)
    low, high = min(x, y, z), max(x, y, z)  # DLMF 19.20.14, which wants them in order
    middle = max(min(x, y), min(max(x, y), z))
    q = (high * (low + middle - p) - low * middle) / (high - p)
    product = low * middle - p * q
    rest = 3.0 * np.sqrt(low * middle * high / product) * elliprc(product, -p * q)
    return ((q - high) * _rj(low, middle, high, q) - 3.0 * _rf(low, middle, high) + rest) / (high - p)


@elementwise("scipy.special.elliprg")
def elliprg(x, y, z, /):
    """Carlson's completely symmetric elliptic integral of the second kind.

    >>> round(float(elliprg(0.0, 16.0, 16.0)), 6)
    3.141593
    """
    if not (x >= 0.0 and y >= 0.0 and z >= 0.0):
        return np.nan
    if x == np.inf or y == np.inf or z == np.inf:
        return np.inf
    low, high = min(x, y, z), max(x, y, z)
    middle = max(min(x, y), min(max(x, y), z))
    if _zero(middle):
        return 0.5 * np.sqrt(high)
    first = middle * _rf(low, middle, high) + np.sqrt(low * high / middle)
    return 0.5 * (first + (high - middle) * (middle - low) * _rd(low, high, middle) / 3.0)


@elementwise()
def _incomplete_first(phi, m, /):
    if m > 1.0 or m != m or phi != phi:
        return np.nan
    if abs(phi) == np.inf or m == -np.inf:
        return 0.0 if m == -np.inf else phi
    turns = np.rint(constant(phi) / np.pi)
    s, c = np.sin(phi - turns * np.pi), np.cos(phi - turns * np.pi)
    if m == 1.0 and (turns != 0.0 or c <= 0.0):
        return np.inf
    part = s * _rf(c * c, 1.0 - m * s * s, 1.0)
    return part if turns == 0.0 else part + 2.0 * turns * sp.ellipk(m)


@implements("scipy.special.ellipkinc")
def ellipkinc(phi, m):
    """Legendre's incomplete elliptic integral of the first kind.

    >>> round(float(ellipkinc(1.0, 0.5)), 6)
    1.083217
    """
    return _incomplete_first(_wide(phi), _wide(m))


@elementwise()
def _incomplete_second(phi, m, /):
    if m > 1.0 or m != m or phi != phi:
        return np.nan
    if abs(phi) == np.inf or m == -np.inf:
        return np.inf if m == -np.inf else phi
    turns = np.rint(constant(phi) / np.pi)
    s, c = np.sin(phi - turns * np.pi), np.cos(phi - turns * np.pi)
    part = s
    if m != 1.0 and s != 0.0:
        part = s * _rf(c * c, 1.0 - m * s * s, 1.0) - m * s**3 * _rd(c * c, 1.0 - m * s * s, 1.0) / 3.0
    return part if turns == 0.0 else part + 2.0 * turns * sp.ellipe(m)


@implements("scipy.special.ellipeinc")
def ellipeinc(phi, m):
    """Legendre's incomplete elliptic integral of the second kind.

    >>> round(float(ellipeinc(1.0, 0.5)), 6)
    0.92733
    """
    return _incomplete_second(_wide(phi), _wide(m))


@elementwise("scipy.special.ellipkm1")
def ellipkm1(p, /):
    """The complete elliptic integral of the first kind at ``m = 1 - p``.

    >>> round(float(ellipkm1(0.5)), 6)
    1.854075
    """
    if not p >= 0.0:
        return np.nan
    if p == 0.0 or p == np.inf:
        return np.inf if p == 0.0 else 0.0
    return _rf(0.0, p, 1.0)


def _amplitude(u, m):
    """Jacobi's amplitude for ``0 <= m < 1``: means down to equal numbers, and sines of angles back up."""
    a, b, scale = 1.0, np.sqrt(1.0 - m), 1.0
    ratios = np.zeros(12)
    count = 0
    for k in range(12):
        if abs(a - b) < 1e-16 * a:
            break
        ratios[k] = (a - b) / (a + b)
        a, b = 0.5 * (a + b), np.sqrt(a * b)
        scale *= 2.0
        count = k + 1
    phi = scale * a * u
    for k in range(count - 1, -1, -1):
        phi = 0.5 * (phi + np.arcsin(ratios[k] * np.sin(phi)))
    return phi


@elementwise()
def _jacobi_angle(u, m, /):
    if not 0.0 <= m <= 1.0 or not abs(u) < np.inf:
        return np.nan
    if m < 0.9999999999:
        return _amplitude(u, m)
    near = 0.25 * (1.0 - m)
    return 2.0 * np.arctan(np.exp(u)) - 0.5 * np.pi + near * (np.sinh(u) * np.cosh(u) - u) / np.cosh(u)


@elementwise()
def _jacobi_sn(u, m, /):
    if not 0.0 <= m <= 1.0 or not abs(u) < np.inf:
        return np.nan
    if m < 0.9999999999:
        return np.sin(_amplitude(u, m))
    c = np.cosh(u)
    return np.tanh(u) + 0.25 * (1.0 - m) * (c * np.sinh(u) - u) / (c * c)


@elementwise()
def _jacobi_cn(u, m, /):
    if not 0.0 <= m <= 1.0 or not abs(u) < np.inf:
        return np.nan
    if m < 0.9999999999:
        return np.cos(_amplitude(u, m))
    c, s = np.cosh(u), np.sinh(u)
    return 1.0 / c - 0.25 * (1.0 - m) * s / (c * c) * (c * s - u)


@elementwise()
def _jacobi_dn(u, m, /):
    if not 0.0 <= m <= 1.0 or not abs(u) < np.inf:
        return np.nan
    if m < 0.9999999999:
        c = np.cos(_amplitude(u, m))
        return np.sqrt(1.0 - m + m * c * c)
    c, s = np.cosh(u), np.sinh(u)
    return 1.0 / c + 0.25 * (1.0 - m) * s / (c * c) * (c * s + u)


@implements("scipy.special.ellipj")
def ellipj(u, m):
    """Jacobi's elliptic functions sn, cn, dn and the amplitude.

    >>> [round(float(v), 6) for v in ellipj(1.0, 0.5)]
    [0.803002, 0.595977, 0.823161, 0.932315]
    """
    u, m = _wide(u), _wide(m)
    return _jacobi_sn(u, m), _jacobi_cn(u, m), _jacobi_dn(u, m), _jacobi_angle(u, m)
