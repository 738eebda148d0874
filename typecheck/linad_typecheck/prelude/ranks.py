"""Functions of the order of numbers: ranks, sums between given places, counts in cells of the plane."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("scipy.stats.rankdata")
def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    """Ranks of numbers, from 1 on. They have no derivative.

    Parameters
    ----------
    a : array_like
        The numbers; without ``axis`` all of them together.
    method : {'average', 'min', 'max', 'dense', 'ordinal'}
        The rank of equal numbers.
    axis : {None, 0, -1}
        The axis of an array of rank 1; None by default.
    nan_policy : {'propagate'}
        The ranks of an array with a nan are nan.

    Returns
    -------
    ndarray
        The ranks, as float64.

    Raises
    ------
    TypeError
        For the axis of an array of several dimensions.

    Examples
    --------
    >>> rankdata(np.array([0.0, 2.0, 3.0, 2.0]))
    array([1. , 2.5, 4. , 2.5])
    """
    x = np.asarray(a)
    if nan_policy != "propagate":
        raise TypeError("takes nan_policy='propagate' only")
    if axis is not None and x.ndim != 1:
        raise TypeError("takes no `axis` of an array of several dimensions here: call it for each row")
    x = np.ravel(x)
    order = np.argsort(x, kind="stable")
    s = x[order]
    if method == "average":
        r = (np.searchsorted(s, x) + np.searchsorted(s, x, side="right") + 1) / 2.0
    elif method == "min":
        r = np.searchsorted(s, x) + 1.0
    elif method == "max":
        r = np.searchsorted(s, x, side="right") * 1.0
    elif method == "dense":
        steps = np.cumsum(np.append(np.ones(min(1, s.size)), (s[1:] != s[:-1]) * 1.0))
        r = steps[np.searchsorted(s, x)]
    elif method == "ordinal":
        r = np.empty(x.size)
        r[order] = np.arange(x.size) + 1.0
    else:
        raise ValueError("unknown method")
    return np.where(np.any(x != x), np.nan, r)


def _reduceat(array, indices, axis, op):
    rows, places = np.moveaxis(np.asarray(array), axis, 0), np.asarray(indices)
    n = rows.shape[0]
    out = np.empty((places.shape[0], *rows.shape[1:]), dtype=rows.dtype)
    for i in range(places.shape[0]):
        low = places[i]
        if low < 0 or low >= n:
            raise IndexError("index out-of-bounds in reduceat")
        high = n if i == places.shape[0] - 1 else places[i + 1]
        out[i] = rows[low]
        for j in range(low + 1, high):
            if op == "add":
                out[i] += rows[j]
            elif op == "multiply":
                out[i] *= rows[j]
            elif op == "maximum":
                out[i] = np.maximum(out[i], rows[j])
            else:
                out[i] = np.minimum(out[i], rows[j])
    return np.moveaxis(out, 0, axis)


@implements("numpy.add.reduceat")
def add_reduceat(array, indices, axis=0, dtype=None, out=None):
    """Sums of the cells from each index to the next one.

    Parameters
    ----------
    array : array_like
        The cells.
    indices : array_like
        Ints. Where the next one is not larger, the result is the cell itself.
    axis : int
        The axis.
    dtype, out : None
        Must be None.

    Returns
    -------
    ndarray
        One sum for each index.

    Raises
    ------
    IndexError
        If an index is not that of a cell.

    Examples
    --------
    >>> add_reduceat(np.array([1.0, 2.0, 3.0, 4.0]), [0, 3])
    array([6., 4.])
    """
    if dtype is not None or out is not None:
        raise TypeError("takes no `dtype` and `out` here")
    return _reduceat(array, indices, axis, "add")


@implements("numpy.multiply.reduceat")
def multiply_reduceat(array, indices, axis=0, dtype=None, out=None):
    """Products of the cells from each index to the next one, as sums by `add_reduceat`.

    Parameters
    ----------
    array, indices, axis, dtype, out : object
        As of `add_reduceat`.

    Returns
    -------
    ndarray
        One product for each index.

    Examples
    --------
    >>> multiply_reduceat(np.array([1.0, 2.0, 3.0, 4.0]), [0, 3])
    array([6., 4.])
    """
    if dtype is not None or out is not None:
        raise TypeError("takes no `dtype` and `out` here")
    return _reduceat(array, indices, axis, "multiply")


@implements("numpy.maximum.reduceat")
def maximum_reduceat(array, indices, axis=0, dtype=None, out=None):
    """The largest cells from each index to the next one, as sums by `add_reduceat`.

    Parameters
    ----------
    array, indices, axis, dtype, out : object
        As of `add_reduceat`.

    Returns
    -------
    ndarray
        One cell for each index.

    Examples
    --------
    >>> maximum_reduceat(np.array([1.0, 2.0, 3.0, 4.0]), [0, 3])
    array([3., 4.])
    """
    if dtype is not None or out is not None:
        raise TypeError("takes no `dtype` and `out` here")
    return _reduceat(array, indices, axis, "maximum")


@implements("numpy.minimum.reduceat")
def minimum_reduceat(array, indices, axis=0, dtype=None, out=None):
    """The smallest cells from each index to the next one, as sums by `add_reduceat`.

    Parameters
    ----------
    array, indices, axis, dtype, out : object
        As of `add_reduceat`.

    Returns
    -------
    ndarray
        One cell for each index.

    Examples
    --------
    >>> minimum_reduceat(np.array([1.0, 2.0, 3.0, 4.0]), [0, 3])
    array([1., 4.])
    """
    if dtype is not None or out is not None:
        raise TypeError("takes no `dtype` and `out` here")
    return _reduceat(array, indices, axis, "minimum")


def _edges(x, bins, limits):
    """The edges of equal cells, or those that are given."""
    if np.asarray(bins).ndim > 0:
        return 1.0 * np.asarray(bins)
    if limits is not None:
        low, high = 1.0 * limits[0], 1.0 * limits[1]
    elif x.size == 0:
        low, high = 0.0, 1.0
    else:
        low, high = 1.0 * np.min(x), 1.0 * np.max(x)
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


def _cell_of(x, edges):
    """The cell of each number; the last one includes its upper edge."""
    return np.where(x == edges[-1], edges.shape[0] - 2, np.searchsorted(edges, x, side="right") - 1)


@implements("numpy.histogram2d")
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Counts of points in the cells of a grid.

    Parameters
    ----------
    x, y : array_like
        The coordinates, of rank 1.
    bins : int, array, or a tuple of two of these
        The number of cells along an axis, or their edges.
    range : tuple, optional
        The first and last edges of both axes.
    density : bool, optional
        Divide by the total and the area of each cell.
    weights : array_like, optional
        What each point counts.

    Returns
    -------
    H : ndarray
        The counts, as float64. Their derivatives are those by the weights.
    xedges, yedges : ndarray
        The edges.

    Examples
    --------
    >>> histogram2d(np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.0, 1.0]), 2)[0]
    array([[1., 0.],
           [1., 1.]])
    """
    x, y = np.asarray(x), np.asarray(y)
    if x.shape[0] != y.shape[0]:
        raise ValueError("x and y must have the same length.")
    if isinstance(bins, (tuple, list)) and len(bins) == 2:
        nx, ny = bins
    else:
        nx, ny = bins, bins
    of_x, of_y = (None, None) if range is None else range
    xedges, yedges = _edges(x, nx, of_x), _edges(y, ny, of_y)
    h = _counted(x, y, xedges, yedges, np.ones(x.shape[0]) if weights is None else 1.0 * np.asarray(weights))
    if density is not None and density:
        h = h / (np.diff(xedges)[:, None] * np.diff(yedges)) / np.sum(h)
    return h, xedges, yedges


def _counted(x, y, xedges, yedges, weights):
    h = np.zeros((xedges.shape[0] - 1, yedges.shape[0] - 1))
    i, j = _cell_of(x, xedges), _cell_of(y, yedges)
    for k in range(x.shape[0]):
        if 0 <= i[k] < h.shape[0] and 0 <= j[k] < h.shape[1]:
            h[i[k], j[k]] += weights[k]
    return h
