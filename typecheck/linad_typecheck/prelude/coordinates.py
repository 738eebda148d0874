"""Values of arrays between their cells: linear interpolation, and splines of other orders with their coefficients.

M. Unser, A. Aldroubi and M. Eden, B-Spline Signal Processing, IEEE Transactions on Signal Processing 41, 821-848, 1993.
"""

from __future__ import annotations

import numpy as np

from . import implements, literal


def _linear(a, at, mode, cval):
    """Values between the cells of a signal."""
    n, out = a.shape[0], np.empty(at.shape[0])
    for k in range(at.shape[0]):
        x, outside = _within(at[k], n, mode)
        if outside:
            out[k] = cval
        else:
            i = min(max(int(np.floor(x)), 0), max(n - 2, 0))
            t = x - i
            out[k] = a[i] * (1.0 - t) + a[min(i + 1, n - 1)] * t
    return out


def _within(x, n, mode):
    """A coordinate moved into an array of ``n`` cells, and whether the mode leaves it outside."""
    if mode == "constant":
        return x, not 0.0 <= x <= n - 1.0
    if mode == "nearest":
        return min(max(x, 0.0), n - 1.0), False
    if mode == "mirror":
        period = max(2.0 * n - 2.0, 1.0)
        part = x % period
        return (part if part <= n - 1.0 else period - part), False
    raise TypeError("takes the modes 'constant', 'nearest' and 'mirror'")


def _bilinear(a, y, x, mode, cval):
    m, n, out = a.shape[0], a.shape[1], np.empty(x.shape[0])
    for k in range(x.shape[0]):
        v, above = _within(y[k], m, mode)
        u, beside = _within(x[k], n, mode)
        if above or beside:
            out[k] = cval
        else:
            i, j = min(max(int(np.floor(v)), 0), max(m - 2, 0)), min(max(int(np.floor(u)), 0), max(n - 2, 0))
            s, t, low, right = v - i, u - j, min(i + 1, m - 1), min(j + 1, n - 1)
            first = a[i, j] * (1.0 - t) + a[i, right] * t
            out[k] = first * (1.0 - s) + (a[low, j] * (1.0 - t) + a[low, right] * t) * s
    return out


def _poles(order):
    if order == 2:
        return (np.sqrt(8.0) - 3.0,)
    if order == 3:
        return (np.sqrt(3.0) - 2.0,)
    if order == 4:
        root, less = np.sqrt(438976.0), np.sqrt(304.0)
        return np.sqrt(664.0 - root) + less - 19.0, np.sqrt(664.0 + root) - less - 19.0
    root, less = np.sqrt(4436.25), np.sqrt(26.25)
    return np.sqrt(67.5 - root) + less - 6.5, np.sqrt(67.5 + root) - less - 6.5


def _filtered(a, order, mode):
    """The coefficients of the splines through the columns. The boundary condition is mirrored about the centre of the
    last cell, for the mode 'nearest' about its edge."""
    c, n = a.copy(), a.shape[0]
    if n < 2:
        return c
    for z in _poles(order):
        c = c * ((1.0 - z) * (1.0 - 1.0 / z))
        if mode == "nearest":
            last = z ** (n * 1.0)
            first = c[0] + last * c[n - 1]
            for i in range(1, n):
                first = first + z**i * (c[i] + last * c[n - 1 - i])
            c[0] = c[0] + first * z / (1.0 - last * last)
        else:
            last = z ** (n - 1.0)
            first = c[0] + last * c[n - 1]
            for i in range(1, n - 1):
                first = first + z**i * (c[i] + last * c[n - 1 - i])
            c[0] = first / (1.0 - last * last)
        for i in range(1, n):
            c[i] = c[i] + z * c[i - 1]
        c[n - 1] = c[n - 1] * z / (z - 1.0) if mode == "nearest" else (z * c[n - 2] + c[n - 1]) * z / (z * z - 1.0)
        for i in range(n - 2, -1, -1):
            c[i] = z * (c[i + 1] - c[i])
    return c


def _places(x, n, order, mode):
    """Where coordinates are: the indices of the coefficients, their weights, and what is outside."""
    outside = (x < 0.0) | ~(x <= n - 1.0)
    if mode == "nearest":
        x = np.clip(x, 0.0, n - 1.0)
    elif mode == "mirror":
        period = max(2.0 * n - 2.0, 1.0)
        x = x % period
        x = np.where(x <= n - 1.0, x, period - x)
    else:
        x = np.where(outside, 0.0, x)
    cell = np.floor(x if order % 2 == 1 else x + 0.5)
    u = (x if order % 2 == 1 else x + 0.5) - cell
    w = np.zeros((order + 1, x.shape[0]))
    w[0] = 1.0
    for j in range(1, order + 1):
        saved = np.zeros(x.shape[0])
        for r in range(j):
            part = w[r] / j
            w[r] = saved + (r + 1.0 - u) * part
            saved = (u + (j - r - 1.0)) * part
        w[j] = saved
    at = cell.astype(np.int64) - order // 2 + np.arange(order + 1)[:, None]
    if mode == "nearest":
        at = np.where(at < 0, -at - 1, at) % (2 * n)
        at = np.where(at > n - 1, 2 * n - 1 - at, at)
    else:
        around = max(2 * n - 2, 1)
        at = np.abs(at) % around
        at = np.where(at > n - 1, around - at, at)
    return at, w, outside if mode == "constant" else outside & ~outside


def _spline(a, x, order, mode, cval, prefilter):
    pad = 12 if mode == "nearest" and prefilter and order > 1 else 0
    c = np.concatenate((np.repeat(a[:1], pad, axis=0), a, np.repeat(a[-1:], pad, axis=0))) if pad > 0 else a
    if prefilter and order > 1:
        c = _filtered(c, order, mode)
    at, w, outside = _places(x + pad, c.shape[0], order, mode)
    return np.where(outside, cval, np.sum(w * c[at], axis=0))


def _surface(a, y, x, order, mode, cval, prefilter):
    c, pad = a, 0
    if prefilter and order > 1:
        pad = 12 if mode == "nearest" else 0
        c = np.pad(a, pad, mode="edge") if pad > 0 else a
        c = _filtered(_filtered(c, order, mode).T.copy(), order, mode).T.copy()
    rows, v, above = _places(y + pad, c.shape[0], order, mode)
    columns, u, beside = _places(x + pad, c.shape[1], order, mode)
    value = np.zeros(x.shape[0])
    for k in range(order + 1):
        for j in range(order + 1):
            value = value + v[k] * u[j] * c[rows[k], columns[j]]
    return np.where(above | beside, cval, value)


@implements("scipy.ndimage.map_coordinates")
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """Values of an array between its cells, by splines.

    Parameters
    ----------
    input : numpy.ndarray
        A signal or a picture of float64.
    coordinates : numpy.ndarray
        The coordinates along each axis of the array, in cells, along the first axis.
    output : None
        Not taken.
    order : int
        The order of the splines, a literal from 0 to 5.
    mode : {"constant", "nearest", "mirror"}
        What is beyond the array: ``cval``, the nearest cell, or the array mirrored at its last cell.
    cval : float
        The value beyond the array in the mode "constant".
    prefilter : bool
        Whether the splines pass through the cells; otherwise these are their coefficients.

    Returns
    -------
    numpy.ndarray
        The values, of the shape of the coordinates without their first axis.

    Examples
    --------
    >>> map_coordinates(np.array([1.0, 3.0]), np.array([[0.5, 1.0]]), order=1)
    array([2., 3.])
    """
    order = literal(order)
    if output is not None:
        raise TypeError("takes no `output`")
    if order < 0 or order > 5:
        raise TypeError("takes orders from 0 to 5")
    if mode not in ("constant", "nearest", "mirror"):
        raise TypeError("takes the modes 'constant', 'nearest' and 'mirror'")
    if order > 1 and mode == "nearest" and not prefilter:
        raise TypeError("takes the mode 'nearest' with `prefilter=True`")
    a, at = np.asarray(input), np.asarray(coordinates) * 1.0
    if a.dtype != np.float64 or a.ndim > 2 or at.dtype != np.float64:
        raise TypeError("is of float64, of rank 1 or 2")
    if order == 1 and a.ndim == 1:
        return _linear(a, at[0].ravel(), mode, cval).reshape(at.shape[1:])
    if order == 1:
        return _bilinear(a, at[0].ravel(), at[1].ravel(), mode, cval).reshape(at.shape[1:])
    if a.ndim == 1:
        return _spline(a, at[0].ravel(), order, mode, cval, prefilter).reshape(at.shape[1:])
    return _surface(a, at[0].ravel(), at[1].ravel(), order, mode, cval, prefilter).reshape(at.shape[1:])
