"""Functions that follow from Bessel functions: their derivatives and Hankel functions."""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from . import implements, literal, pair


def _derivative(f, v, z, n, sign):
    """The derivative of order ``n`` of a Bessel function (DLMF 10.6.7 and 10.29.5)."""
    z = z * np.float64(1.0)
    part, total = 1.0, f(v - n, z)
    for i in range(1, literal(n) + 1):
        part = sign * part * (n - i + 1) / i
        total = total + part * f(v - n + 2 * i, z)
    return total / 2.0**n


def _is_order(n):
    if not isinstance(n, int) or n < 0:
        raise ValueError("n must be a non-negative integer")


@implements("scipy.special.jvp")
def jvp(v, z, n=1):
    """Derivative of the Bessel function of the first kind.

    >>> round(float(jvp(0, 1.0)), 6)
    -0.440051
    """
    _is_order(n)
    return sp.jv(v, z * np.float64(1.0)) if n == 0 else _derivative(sp.jv, v, z, n, -1.0)


@implements("scipy.special.yvp")
def yvp(v, z, n=1):
    """Derivative of the Bessel function of the second kind, of integer order.

    >>> round(float(yvp(0, 1.0)), 6)
    0.781213
    """
    _is_order(n)
    if not isinstance(v, int):
        raise TypeError("is of integer orders")
    return sp.yn(v, z) if n == 0 else _derivative(_of_second_kind, v, z, n, -1.0)


def _of_second_kind(v, z):
    return sp.yn(v, z) if v >= 0 else (1.0 - 2.0 * (v % 2)) * sp.yn(-v, z)


@implements("scipy.special.ivp")
def ivp(v, z, n=1):
    """Derivative of the modified Bessel function of the first kind.

    >>> round(float(ivp(0, 1.0)), 6)
    0.565159
    """
    _is_order(n)
    return sp.iv(v, z * np.float64(1.0)) if n == 0 else _derivative(sp.iv, v, z, n, 1.0)


@implements("scipy.special.kvp")
def kvp(v, z, n=1):
    """Derivative of the modified Bessel function of the second kind.

    >>> round(float(kvp(0, 1.0)), 6)
    -0.601907
    """
    _is_order(n)
    return sp.kv(v, z * np.float64(1.0)) if n == 0 else (-1.0) ** n * _derivative(sp.kv, v, z, n, 1.0)


@implements("scipy.special.hankel1")
def hankel1(v, z):
    """Hankel function of the first kind, of integer order and a real number.

    >>> h = hankel1(0, 1.0)
    >>> round(h.real, 6), round(h.imag, 6)
    (0.765198, 0.088257)
    """
    if not isinstance(v, int) or np.asarray(z).dtype == np.float32:
        raise TypeError("is of integer orders, and of float64")
    return pair(sp.jv(v, z), _of_second_kind(v, z))


@implements("scipy.special.hankel2")
def hankel2(v, z):
    """Hankel function of the second kind, of integer order and a real number.

    >>> h = hankel2(0, 1.0)
    >>> round(h.real, 6), round(h.imag, 6)
    (0.765198, -0.088257)
    """
    if not isinstance(v, int) or np.asarray(z).dtype == np.float32:
        raise TypeError("is of integer orders, and of float64")
    return pair(sp.jv(v, z), -_of_second_kind(v, z))


@implements("scipy.special.spherical_kn")
def spherical_kn(n, z, derivative=False):
    """Modified spherical Bessel function of the second kind, or its derivative.

    >>> round(float(spherical_kn(0, 1.0)), 6)
    0.577864
    """
    if derivative:
        if n == 0:
            return -spherical_kn(1, z)
        return -spherical_kn(n - 1, z) - (n + 1) / z * spherical_kn(n, z)
    return np.sqrt(0.5 * np.pi / z) * sp.kv(n + 0.5, z)
