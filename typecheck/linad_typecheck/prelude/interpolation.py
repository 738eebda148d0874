"""`scipy.interpolate`: functions that interpolate between points. They return functions of a number or an array."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("scipy.interpolate.interp1d")
def interp1d(x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=np.nan, assume_sorted=False):
    """Function that interpolates between points.

    Parameters
    ----------
    x : array_like
        Coordinates, of rank 1.
    y : array_like
        Values at the coordinates, of rank 1.
    kind : str
        "linear", "nearest", "previous", "next", "zero" or "cubic".
    axis : int
        The only axis of ``y``.
    copy : bool
        Ignored.
    bounds_error : bool, optional
        Whether numbers outside of ``x`` raise; by default unless ``fill_value`` is "extrapolate".
    fill_value : float, tuple of two floats, or "extrapolate"
        The result outside, or those below and above.
    assume_sorted : bool
        Whether ``x`` rises.

    Returns
    -------
    callable
        Function of a number or an array.

    Raises
    ------
    TypeError
        For other kinds, and for values of a higher rank.
    ValueError
        If ``x`` and ``y`` are not of one size.

    Examples
    --------
    >>> float(interp1d(np.array([0.0, 1.0]), np.array([1.0, 3.0]))(0.25))
    1.5
    """
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if x.ndim != 1 or y.ndim != 1:
        raise TypeError("is of coordinates and values of rank 1 here: interpolate one row at a time")
    if kind not in ("linear", "slinear", "nearest", "previous", "next", "zero", "cubic"):
        raise TypeError("is linear, nearest, previous, next, zero or cubic here")
    if x.shape[0] != y.shape[0]:
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")
    if not assume_sorted:
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
    beyond = isinstance(fill_value, str)
    raises = not beyond if bounds_error is None else bounds_error
    if isinstance(fill_value, tuple):
        below, above = fill_value
    else:
        below = above = np.nan if beyond else fill_value
    bends = _bends(x, y) if kind == "cubic" else y
    return lambda t: _between(np.asarray(t) * 1.0, x, y, bends, kind, below, above, beyond, raises)


def _between(t, x, y, bends, kind, below, above, beyond, raises):
    low, high = x[0], x[-1]
    if raises and np.any(t < low):
        raise ValueError("A value in x_new is below the interpolation range's minimum value.")
    if raises and np.any(t > high):
        raise ValueError("A value in x_new is above the interpolation range's maximum value.")
    n = x.shape[0]
    if kind == "cubic":
        found = _cubic(t, x, y, bends, 0)
    elif kind == "nearest":
        found = y[np.clip(np.searchsorted((x[1:] + x[:-1]) / 2.0, t), 0, n - 1)]
    elif kind in ("previous", "zero"):
        found = y[np.clip(np.searchsorted(x, t, side="right") - 1, 0, n - 1)]
    elif kind == "next":
        found = y[np.clip(np.searchsorted(x, t), 0, n - 1)]
    else:
        k = np.clip(np.searchsorted(x, t), 1, n - 1)
        found = (y[k] - y[k - 1]) / (x[k] - x[k - 1]) * (t - x[k - 1]) + y[k - 1]
    if beyond or raises:
        return found
    return np.where(t < low, below, np.where(t > high, above, found))


def _bends(x, y, ends="not-a-knot"):
    """The second derivatives of the cubic spline at its points, by elimination from the first to the last."""
    n = x.shape[0]
    if n < 4:
        raise ValueError("a cubic spline is of at least four points here")
    h = np.diff(x)
    if np.any(h <= 0.0):
        raise ValueError("Expect x to not have duplicates")
    slopes = np.diff(y) / h
    m = np.zeros(n)
    upper, right = np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        low, middle, high = h[i - 1], 2.0 * (h[i - 1] + h[i]), h[i]
        if ends == "not-a-knot":  # the third derivative is continuous at the second point and at the last but one
            if i == 1:
                middle, high = middle + low * (1.0 + low / h[1]), high - low * low / h[1]
            if i == n - 2:
                middle, low = middle + high * (1.0 + high / h[n - 3]), low - high * high / h[n - 3]
        last = 0.0 if i == 1 else low
        pivot = middle - last * upper[i - 1]
        upper[i] = high / pivot
        right[i] = (6.0 * (slopes[i] - slopes[i - 1]) - last * right[i - 1]) / pivot
    for i in range(n - 2, 0, -1):
        m[i] = right[i] - (0.0 if i == n - 2 else upper[i] * m[i + 1])
    if ends == "not-a-knot":
        m[0] = m[1] - h[0] / h[1] * (m[2] - m[1])
        m[n - 1] = m[n - 2] + h[n - 2] / h[n - 3] * (m[n - 2] - m[n - 3])
    return m


def _cubic(t, x, y, m, order):
    """The spline, or a derivative of it."""
    k = np.clip(np.searchsorted(x, t, side="right"), 1, x.shape[0] - 1)
    h = x[k] - x[k - 1]
    s = t - x[k - 1]
    c = (y[k] - y[k - 1]) / h - h * (2.0 * m[k - 1] + m[k]) / 6.0
    b, a = m[k - 1] / 2.0, (m[k] - m[k - 1]) / (6.0 * h)
    if order == 0:
        return ((a * s + b) * s + c) * s + y[k - 1]
    if order == 1:
        return (3.0 * a * s + 2.0 * b) * s + c
    if order == 2:
        return 6.0 * a * s + 2.0 * b
    return 6.0 * a + 0.0 * s


@implements("scipy.interpolate.CubicSpline")
def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    """Cubic spline through points.

    Parameters
    ----------
    x : array_like
        Coordinates that rise, of rank 1: at least four.
    y : array_like
        Values at the coordinates, of rank 1.
    axis : int
        The only axis of ``y``.
    bc_type : str
        "not-a-knot", or "natural" for second derivatives of zero at the ends.
    extrapolate : bool, optional
        Whether the first and the last piece continue outside; otherwise the result is NaN there.

    Returns
    -------
    callable
        Function of a number or an array, and of the order of a derivative.

    Raises
    ------
    TypeError
        For other ends, and for values of a higher rank.
    ValueError
        If the coordinates do not rise, or are too few.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> round(float(cubic_spline(x, x**3)(1.5)), 9)
    3.375
    """
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if x.ndim != 1 or y.ndim != 1:
        raise TypeError("is of coordinates and values of rank 1 here: interpolate one row at a time")
    if bc_type not in ("not-a-knot", "natural"):
        raise TypeError("has ends that are 'not-a-knot' or 'natural' here")
    if x.shape[0] != y.shape[0]:
        raise ValueError("The lengths of x and y differ.")
    m = _bends(x, y, bc_type)
    return lambda t, nu=0: _inside(np.asarray(t) * 1.0, x, y, m, nu, extrapolate)


def _inside(t, x, y, m, order, everywhere):
    found = _cubic(t, x, y, m, order)
    return found if everywhere is None or everywhere else np.where((t < x[0]) | (t > x[-1]), np.nan, found)


@implements("scipy.interpolate.InterpolatedUnivariateSpline")
def interpolated_univariate_spline(x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
    """Cubic spline through points, continued outside of them.

    Parameters
    ----------
    x : array_like
        Coordinates that rise, of rank 1: at least four.
    y : array_like
        Values at the coordinates, of rank 1.
    w, bbox, check_finite
        Ignored: a spline through all points does not depend on weights.
    k : int
        The degree, 3.
    ext : int
        What there is outside, 0 for the continuation.

    Returns
    -------
    callable
        Function of a number or an array, and of the order of a derivative.

    Raises
    ------
    TypeError
        For other degrees and continuations.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> round(float(interpolated_univariate_spline(x, x**3)(1.5)), 9)
    3.375
    """
    if k != 3 or ext not in (0, "extrapolate"):
        raise TypeError("is of degree 3 here, and continues outside")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    m = _bends(x, y)
    return lambda t, nu=0: _cubic(np.asarray(t) * 1.0, x, y, m, nu)
