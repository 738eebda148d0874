"""Integrals of sampled functions along an axis."""

from __future__ import annotations

import numpy as np

from . import implements


def _widths(y, x, dx, axis):
    """The distances between sample points, shaped like ``y`` with the axis of integration last."""
    if x is None:
        return dx
    x = np.asarray(x)
    if x.ndim == 1:
        return np.diff(x)
    if x.ndim != y.ndim:
        raise TypeError("is of places `x` of rank 1, or of that of `y`")
    return np.diff(np.moveaxis(x, axis, -1))


@implements("numpy.trapezoid", "numpy.trapz", "scipy.integrate.trapezoid")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
        Samples, of rank 1 or more.
    x : array_like, optional
        The sample points, of rank 1 or of the rank of ``y``.
    dx : float
        The distance between sample points, if ``x`` is not given.
    axis : int
        The axis of integration.

    Returns
    -------
    float or numpy.ndarray
        The integrals.

    Raises
    ------
    TypeError
        For a scalar, and if the ranks of ``x`` and ``y`` do not match.

    Examples
    --------
    >>> float(trapezoid(np.array([1.0, 2.0, 3.0])))
    4.0
    """
    y = np.asarray(y)
    if y.ndim == 0:
        raise TypeError("is of arrays of rank 1 or more")
    y = np.moveaxis(y, axis, -1)
    return np.sum(_widths(y, x, dx, axis) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


@implements("scipy.integrate.cumulative_trapezoid")
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """Cumulative integral by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
        Samples, of rank 1 or more.
    x : array_like, optional
        The sample points, of rank 1 or of the rank of ``y``.
    dx : float
        The distance between sample points, if ``x`` is not given.
    axis : int
        The axis of integration.
    initial : {None, 0}
        With 0, a zero is prepended, so that there are as many integrals as samples.

    Returns
    -------
    numpy.ndarray
        The integrals up to the second sample point and each later one.

    Examples
    --------
    >>> cumulative_trapezoid(np.array([1.0, 2.0, 3.0]), initial=0)
    array([0. , 1.5, 4. ])
    """
    y = np.asarray(y)
    if y.ndim == 0:
        raise TypeError("is of arrays of rank 1 or more")
    if y.shape[axis] == 0:
        raise ValueError("At least one point is required along `axis`.")
    y = np.moveaxis(y, axis, -1)
    found = np.cumsum(_widths(y, x, dx, axis) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
        found = np.concatenate((np.zeros(y.shape[:-1] + (1,), dtype=found.dtype), found), axis=-1)
    return np.moveaxis(found, -1, axis)


@implements("scipy.integrate.simpson")
def simpson(y, x=None, *, dx=1.0, axis=-1):
    """Integral by Simpson's rule, with Cartwright's correction of the last interval if the number of intervals is odd.

    Parameters
    ----------
    y : array_like
        Samples, of rank 1.
    x : array_like, optional
        The sample points, of rank 1.
    dx : float
        The distance between sample points, if ``x`` is not given.
    axis : {0, -1}
        The axis of ``y``.

    Returns
    -------
    float
        The integral, as float64.

    Raises
    ------
    TypeError
        For arrays of another rank.

    Examples
    --------
    >>> float(simpson(np.array([0.0, 1.0, 4.0])))
    2.6666666666666665
    """
    y = np.asarray(y) * 1.0
    if y.ndim != 1 or axis not in (0, -1):
        raise TypeError("is of an array of rank 1")
    n = y.shape[0]
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    places = np.arange(n).astype(y.dtype) * dx if x is None else np.asarray(x) * 1.0
    if places.ndim != 1:
        raise TypeError("is of places of rank 1")
    if places.shape[0] != n:
        raise ValueError("If given, shape of `x` must be the same as `y`.")
    return _simpson(y * np.float64(1.0), places * np.float64(1.0))


def _simpson(y, x):
    n = y.shape[0]
    total = np.float64(0.0)
    if n == 2:
        return 0.5 * (x[1] - x[0]) * (y[0] + y[1])
    for k in range(0, n - 2, 2):
        h = x[k + 1] - x[k]
        g = x[k + 2] - x[k + 1]
        total += (h + g) / 6.0 * (y[k] * (2.0 - g / h) + y[k + 1] * (h + g) ** 2 / (h * g) + y[k + 2] * (2.0 - h / g))
    if n % 2 == 0 and n > 2:
        h = x[n - 2] - x[n - 3]
        g = x[n - 1] - x[n - 2]
        total += y[n - 1] * (2.0 * g**2 + 3.0 * h * g) / (6.0 * (h + g))
        total += y[n - 2] * (g**2 + 3.0 * g * h) / (6.0 * h) - y[n - 3] * g**3 / (6.0 * h * (h + g))
    return total
