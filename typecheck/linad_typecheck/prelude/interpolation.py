"""`scipy.interpolate`: functions that interpolate between points. They return functions of a number or an array."""

from __future__ import annotations

import numpy as np
import scipy.interpolate as sx

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


@implements("scipy.interpolate.PchipInterpolator")
def pchip_interpolator(x, y, axis=0, extrapolate=None):
    """Monotone cubic interpolation between points, with the slopes of Fritsch and Butland (1984).

    Parameters
    ----------
    x : array_like
        Coordinates that rise, of rank 1: at least two.
    y : array_like
        Values at the coordinates, of rank 1.
    axis : int
        The only axis of ``y``.
    extrapolate : bool, optional
        Whether the first and the last piece continue outside; otherwise the result is NaN there.

    Returns
    -------
    callable
        Function of a number or an array.

    Raises
    ------
    TypeError
        For values of a higher rank.
    ValueError
        If the coordinates do not rise, or are too few.

    Examples
    --------
    >>> float(pchip_interpolator(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0]))(0.5))
    0.6875
    """
    x, y, h, slopes = _pieces(x, y)
    n = x.shape[0]
    d = np.empty(n)
    if n == 2:
        d[0] = d[1] = slopes[0]
    else:
        for i in range(1, n - 1):
            if slopes[i - 1] * slopes[i] > 0.0:
                before, after = 2.0 * h[i] + h[i - 1], h[i] + 2.0 * h[i - 1]
                d[i] = (before + after) / (before / slopes[i - 1] + after / slopes[i])
            else:
                d[i] = 0.0
        d[0] = _end_slope(h[0], h[1], slopes[0], slopes[1])
        d[n - 1] = _end_slope(h[n - 2], h[n - 3], slopes[n - 2], slopes[n - 3])
    return lambda t: _with_slopes(np.asarray(t) * 1.0, x, y, d, extrapolate is None or extrapolate)


@implements("scipy.interpolate.Akima1DInterpolator")
def akima_interpolator(x, y, axis=0, *, method="akima", extrapolate=None):
    """Cubic interpolation between points, with the slopes of Akima (1970).

    Parameters
    ----------
    x : array_like
        Coordinates that rise, of rank 1: at least two.
    y : array_like
        Values at the coordinates, of rank 1.
    axis : int
        The only axis of ``y``.
    method : str
        "akima", or "makima" for weights without flat pieces.
    extrapolate : bool, optional
        Whether the first and the last piece continue outside; otherwise the result is NaN there.

    Returns
    -------
    callable
        Function of a number or an array.

    Raises
    ------
    TypeError
        For values of a higher rank and other methods.
    ValueError
        If the coordinates do not rise, or are too few.

    Examples
    --------
    >>> round(float(akima_interpolator(np.arange(4.0), np.array([0.0, 1.0, 1.0, 0.0]))(0.5)), 6)
    0.625
    """
    if method not in ("akima", "makima"):
        raise TypeError("is of the method 'akima' or 'makima'")
    x, y, h, slopes = _pieces(x, y)
    n = x.shape[0]
    m = np.empty(n + 3)
    m[2 : n + 1] = slopes
    if n == 2:
        m[0] = m[1] = m[3] = m[4] = slopes[0]
    else:
        m[1] = 2.0 * m[2] - m[3]
        m[0] = 2.0 * m[1] - m[2]
        m[n + 1] = 2.0 * m[n] - m[n - 1]
        m[n + 2] = 2.0 * m[n + 1] - m[n]
    extra = 0.5 if method == "makima" else 0.0
    after, before = np.empty(n), np.empty(n)
    for i in range(n):
        after[i] = abs(m[i + 3] - m[i + 2]) + extra * abs(m[i + 3] + m[i + 2])
        before[i] = abs(m[i + 1] - m[i]) + extra * abs(m[i + 1] + m[i])
    least = 1e-9 * np.max(after + before)
    d = np.empty(n)
    for i in range(n):
        both = after[i] + before[i]
        if both > least:
            d[i] = m[i + 1] + before[i] / both * (m[i + 2] - m[i + 1])
        else:
            d[i] = 0.0 if method == "makima" else 0.5 * (m[i + 3] + m[i])
    return lambda t: _with_slopes(np.asarray(t) * 1.0, x, y, d, extrapolate is not None and extrapolate)


def _pieces(x, y):
    """The points as floats, the distances between them and the slopes of the lines."""
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if x.ndim != 1 or y.ndim != 1:
        raise TypeError("is of coordinates and values of rank 1 here: interpolate one row at a time")
    if x.shape[0] != y.shape[0]:
        raise ValueError("The lengths of x and y differ.")
    if x.shape[0] < 2:
        raise ValueError("at least two points are needed")
    h = np.diff(x)
    if np.any(h <= 0.0):
        raise ValueError("`x` must be strictly increasing sequence.")
    return x, y, h, np.diff(y) / h


def _end_slope(near, far, slope, next_slope):
    """The slope at an end, by a formula of three points that keeps the shape."""
    d = ((2.0 * near + far) * slope - near * next_slope) / (near + far)
    if d * slope <= 0.0:
        return 0.0
    return 3.0 * slope if slope * next_slope <= 0.0 and abs(d) > 3.0 * abs(slope) else d


def _with_slopes(t, x, y, d, everywhere):
    """The cubic pieces that have these values and slopes at their ends."""
    k = np.clip(np.searchsorted(x, t, side="right"), 1, x.shape[0] - 1)
    h, s = x[k] - x[k - 1], t - x[k - 1]
    slope = (y[k] - y[k - 1]) / h
    a = (d[k - 1] + d[k] - 2.0 * slope) / h
    b = slope - d[k - 1] - a * h
    found = ((a * s + b) / h * s + d[k - 1]) * s + y[k - 1]
    return found if everywhere else np.where((t < x[0]) | (t > x[-1]), np.nan, found)


@implements("scipy.interpolate.RegularGridInterpolator")
def regular_grid_interpolator(points, values, method="linear", bounds_error=True, fill_value=np.nan):
    """Function that interpolates linearly on a grid of up to three axes.

    Parameters
    ----------
    points : tuple of array_like
        The coordinates along each axis, which rise.
    values : array_like
        Values on the grid.
    method : str
        "linear" or "nearest".
    bounds_error : bool
        Whether points outside raise.
    fill_value : float or None
        The result outside if they do not; None continues the cells at the border.

    Returns
    -------
    callable
        Function of points, along the last axis of an array or as a tuple of coordinates.

    Raises
    ------
    TypeError
        For other methods and more axes.
    ValueError
        If the sizes do not match.

    Examples
    --------
    >>> f = regular_grid_interpolator((np.arange(2.0), np.arange(2.0)), np.array([[0.0, 1.0], [2.0, 3.0]]))
    >>> f(np.array([[0.5, 0.5]]))
    array([1.5])
    """
    values = np.asarray(values) * 1.0
    if method not in ("linear", "nearest") or values.ndim > 3:
        raise TypeError("is 'linear' or 'nearest' here, on grids of at most three axes")
    if len(points) != values.ndim:
        raise TypeError("has as many coordinates as the grid has axes")
    grid = tuple([np.asarray(p) * 1.0 for p in points])
    for a in range(values.ndim):
        if grid[a].shape[0] != values.shape[a]:
            raise ValueError("There are not as many points as values along an axis")
        if np.any(np.diff(grid[a]) <= 0.0):
            raise ValueError("The points along each axis must be strictly ascending")
    return lambda xi: _on_grid(grid, values, _columns(xi, values.ndim), method, bounds_error, fill_value)


def _columns(xi, n):
    """The coordinates of points by axes."""
    if isinstance(xi, tuple):
        return tuple([np.asarray(x) * 1.0 for x in xi])
    xi = np.asarray(xi) * 1.0
    if xi.ndim == 1 and n == 1:
        return (xi,)
    if xi.ndim == 1:
        return tuple([xi[a : a + 1] for a in range(n)])
    return tuple([xi[..., a] for a in range(n)])


def _on_grid(grid, values, at, method, raises, outside):
    n = values.ndim
    if len(at) != n:
        raise TypeError("is of points with as many coordinates as the grid has axes")
    beyond = (at[0] < grid[0][0]) | (at[0] > grid[0][-1])
    for a in range(1, n):
        beyond = beyond | (at[a] < grid[a][0]) | (at[a] > grid[a][-1])
    if raises and np.any(beyond):
        raise ValueError("One of the requested xi is out of bounds")
    low = tuple([np.clip(np.searchsorted(grid[b], at[b], side="right") - 1, 0, values.shape[b] - 2) for b in range(n)])
    t = tuple([(at[b] - grid[b][low[b]]) / (grid[b][low[b] + 1] - grid[b][low[b]]) for b in range(n)])
    if method == "nearest":
        m = tuple([np.where(t[b] <= 0.5, low[b], low[b] + 1) for b in range(n)])
        found = values[m[0]] if n == 1 else values[m[0], m[1]] if n == 2 else values[m[0], m[1], m[2]]
    elif n == 1:
        found = _mixed(values[low[0]], values[low[0] + 1], t[0])
    elif n == 2:
        found = _of_four(values, low[0], low[1], t[0], t[1])
    else:
        i, j, k = low
        near = _mixed(values[i, j, k], values[i, j, k + 1], t[2])
        far = _mixed(values[i, j + 1, k], values[i, j + 1, k + 1], t[2])
        above = _mixed(near, far, t[1])
        near = _mixed(values[i + 1, j, k], values[i + 1, j, k + 1], t[2])
        far = _mixed(values[i + 1, j + 1, k], values[i + 1, j + 1, k + 1], t[2])
        found = _mixed(above, _mixed(near, far, t[1]), t[0])
    return found if raises or outside is None else np.where(beyond, outside, found)


def _mixed(a, b, t):
    return a * (1.0 - t) + b * t


def _of_four(values, i, j, s, t):
    """Bilinear interpolation in cells of a grid."""
    near, far = _mixed(values[i, j], values[i, j + 1], t), _mixed(values[i + 1, j], values[i + 1, j + 1], t)
    return _mixed(near, far, s)


def _through(xi, yi, at):
    """The polynomial through points, in Newton's form."""
    x, c = np.asarray(xi) * np.float64(1.0), np.asarray(yi) * np.float64(1.0)
    if x.ndim != 1 or c.ndim != 1:
        raise TypeError("is of points on a line")
    c = c.copy()
    n = x.shape[0]
    for k in range(1, n):
        for i in range(n - 1, k - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (x[i] - x[i - k])
    value = c[n - 1] + 0.0 * at
    for i in range(n - 2, -1, -1):
        value = value * (at - x[i]) + c[i]
    return value


@implements("scipy.interpolate.krogh_interpolate")
def krogh_interpolate(xi, yi, x, der=0):
    """The polynomial through points, at a number or an array.

    Parameters
    ----------
    xi : array_like
        The places of the points, of rank 1.
    yi : array_like
        The values there.
    x : float or array_like
        Where to evaluate.
    der : int
        Must be 0.

    Returns
    -------
    float or numpy.ndarray
        The values.

    Examples
    --------
    >>> float(krogh_interpolate(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 4.0]), 3.0))
    9.0
    """
    if der != 0:
        raise TypeError("takes no `der`")
    return _through(xi, yi, x if np.ndim(x) == 0 else np.asarray(x))


@implements("scipy.interpolate.barycentric_interpolate")
def barycentric_interpolate(xi, yi, x, axis=0):
    """The polynomial through points, at a number or an array.

    Parameters
    ----------
    xi : array_like
        The places of the points, of rank 1.
    yi : array_like
        The values there.
    x : float or array_like
        Where to evaluate.
    axis : int
        Must be 0.

    Returns
    -------
    float or numpy.ndarray
        The values.

    Examples
    --------
    >>> float(barycentric_interpolate(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 4.0]), 3.0))
    9.0
    """
    return _through(xi, yi, x if np.ndim(x) == 0 else np.asarray(x))


@implements("scipy.interpolate.pchip_interpolate")
def pchip_interpolate(xi, yi, x, der=0, axis=0):
    """The monotone cubic interpolant of points, at a number or an array.

    Parameters
    ----------
    xi : array_like
        The places of the points, of rank 1.
    yi : array_like
        The values there.
    x : float or array_like
        Where to evaluate.
    der : int
        Must be 0.
    axis : int
        Must be 0.

    Returns
    -------
    float or numpy.ndarray
        The values.

    Examples
    --------
    >>> float(pchip_interpolate(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0]), 0.5))
    0.5
    """
    if der != 0:
        raise TypeError("takes no `der`")
    return sx.PchipInterpolator(xi, yi)(x)
