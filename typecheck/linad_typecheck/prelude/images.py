"""`scipy.ndimage`: filters in one and two dimensions, with extension beyond the borders."""

from __future__ import annotations

import numpy as np

from . import implements


def _floats(a):
    """A float array of rank 1 or 2. Ints are refused, because SciPy rounds their results."""
    a = np.asarray(a)
    if a.ndim not in (1, 2):
        raise TypeError(f"is of an array of rank 1 or 2, not {a.ndim}")
    if a.dtype.kind != "f":
        raise TypeError("is of floats: write `x.astype(float)`")
    return a


def _padded(a, before, after, mode, cval):
    """A signal, or a matrix along its first axis, extended at both ends."""
    if mode == "constant":
        if a.ndim == 1:
            return np.concatenate((np.full(before, cval, dtype=a.dtype), a, np.full(after, cval, dtype=a.dtype)))
        n = a.shape[1]
        return np.concatenate((np.full((before, n), cval, dtype=a.dtype), a, np.full((after, n), cval, dtype=a.dtype)))
    n = a.shape[0]
    if n == 0:
        raise ValueError("a filter of no cells")
    k = np.arange(-before, n + after)
    if mode == "reflect" or mode == "grid-mirror":
        k = k % (2 * n)
        return a[np.where(k < n, k, 2 * n - 1 - k)]
    if mode == "mirror":
        k = k % max(2 * n - 2, 1)
        return a[np.where(k < n, k, 2 * n - 2 - k)]
    if mode == "nearest":
        return a[np.minimum(np.maximum(k, 0), n - 1)]
    if mode == "wrap" or mode == "grid-wrap":
        return a[k % n]
    raise TypeError("takes the modes 'reflect', 'constant', 'nearest', 'mirror' and 'wrap'")


def _along(a, weights, before, mode, cval):
    """Sums over a window of a signal, or of the columns of a matrix. The weights start ``before`` cells before a
    cell."""
    n, size = a.shape[0], weights.shape[0]
    wide = _padded(a, before, size - 1 - before, mode, cval)
    out = np.zeros(a.shape, dtype=a.dtype)
    for j in range(size):
        out += weights[j] * wide[j : j + n]
    return out


def _along_axis(a, weights, axis, before, mode, cval):
    weights = np.asarray(weights).astype(a.dtype)
    if weights.ndim != 1:
        raise TypeError("takes weights of rank 1")
    if a.ndim == 1 or axis == 0 or axis == -a.ndim:
        return _along(a, weights, before, mode, cval)
    return _along(a.T.copy(), weights, before, mode, cval).T.copy()


@implements("scipy.ndimage.correlate1d")
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0):
    """Correlation with weights along an axis.

    Parameters
    ----------
    input : array_like
        Floats, of rank 1 or 2.
    weights : array_like
        Of rank 1; the middle one belongs to the cell itself (of two middle ones, the later).
    axis : int
        The axis.
    output : None
        Must be None.
    mode : str
        Extension beyond the borders: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.
    cval : float
        The value beyond the borders for 'constant'.

    Returns
    -------
    numpy.ndarray
        The filtered array, of the shape of ``input``.

    Examples
    --------
    >>> correlate1d(np.array([1.0, 2.0, 4.0]), [1.0, 0.0, -1.0])
    array([-1., -3., -2.])
    """
    a, weights = _floats(input), np.asarray(weights)
    if output is not None:
        raise TypeError("takes no `output`")
    return _along_axis(a, weights, axis, weights.shape[0] // 2, mode, cval)


@implements("scipy.ndimage.convolve1d")
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0):
    """Convolution with weights along an axis.

    Parameters
    ----------
    input : array_like
        Floats, of rank 1 or 2.
    weights : array_like
        Of rank 1.
    axis : int
        The axis.
    output : None
        Must be None.
    mode : str
        Extension beyond the borders: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.
    cval : float
        The value beyond the borders for 'constant'.

    Returns
    -------
    numpy.ndarray
        The filtered array, of the shape of ``input``.

    Examples
    --------
    >>> convolve1d(np.array([1.0, 2.0, 4.0]), [1.0, 0.0, -1.0])
    array([1., 3., 2.])
    """
    a, weights = _floats(input), np.asarray(weights)
    if output is not None:
        raise TypeError("takes no `output`")
    size = weights.shape[0]
    return _along_axis(a, weights[::-1], axis, size - 1 - size // 2, mode, cval)


def _windows(a, weights, up, left, mode, cval):
    """Sums over a window of a matrix."""
    rows, columns = weights.shape
    n, m = a.shape
    tall = _padded(a, up, rows - 1 - up, mode, cval)
    wide = _padded(tall.T.copy(), left, columns - 1 - left, mode, cval)
    out = np.zeros(a.shape, dtype=a.dtype)
    for i in range(rows):
        for j in range(columns):
            out += weights[i, j] * wide[j : j + m, i : i + n].T
    return out


@implements("scipy.ndimage.correlate")
def correlate(input, weights, output=None, mode="reflect", cval=0.0):
    """Correlation with weights.

    Parameters
    ----------
    input : array_like
        Floats, of rank 1 or 2.
    weights : array_like
        Of the same rank.
    output : None
        Must be None.
    mode : str
        Extension beyond the borders: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.
    cval : float
        The value beyond the borders for 'constant'.

    Returns
    -------
    numpy.ndarray
        The filtered array, of the shape of ``input``.

    Examples
    --------
    >>> correlate(np.array([1.0, 2.0, 4.0]), [1.0, 0.0, -1.0])
    array([-1., -3., -2.])
    """
    a = _floats(input)
    weights = np.asarray(weights).astype(a.dtype)
    if weights.ndim != a.ndim or output is not None:
        raise TypeError("takes weights of the rank of the array, and no `output`")
    if a.ndim == 1:
        return _along(a, weights, weights.shape[0] // 2, mode, cval)
    return _windows(a, weights, weights.shape[0] // 2, weights.shape[1] // 2, mode, cval)


@implements("scipy.ndimage.convolve")
def convolve(input, weights, output=None, mode="reflect", cval=0.0):
    """Convolution with weights.

    Parameters
    ----------
    input : array_like
        Floats, of rank 1 or 2.
    weights : array_like
        Of the same rank.
    output : None
        Must be None.
    mode : str
        Extension beyond the borders: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.
    cval : float
        The value beyond the borders for 'constant'.

    Returns
    -------
    numpy.ndarray
        The filtered array, of the shape of ``input``.

    Examples
    --------
    >>> convolve(np.array([1.0, 2.0, 4.0]), [1.0, 0.0, -1.0])
    array([1., 3., 2.])
    """
    a = _floats(input)
    weights = np.asarray(weights).astype(a.dtype)
    if weights.ndim != a.ndim or output is not None:
        raise TypeError("takes weights of the rank of the array, and no `output`")
    size = weights.shape[0]
    if a.ndim == 1:
        return _along(a, weights[::-1], size - 1 - size // 2, mode, cval)
    width = weights.shape[1]
    return _windows(a, weights[::-1, ::-1], size - 1 - size // 2, width - 1 - width // 2, mode, cval)


def _bell(sigma, radius, order):
    """The weights of a Gaussian, or of its first or second derivative."""
    x = np.arange(-radius, radius + 1)
    square = sigma * sigma
    w = np.exp(-0.5 / square * x**2)
    w = w / np.sum(w)
    if order == 1:
        return w * x / square
    return w * (x**2 / square - 1.0) / square if order == 2 else w


@implements("scipy.ndimage.gaussian_filter1d")
def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0):
    """Gaussian filter along an axis.

    Parameters
    ----------
    input : array_like
        Floats, of rank 1 or 2.
    sigma : float
        The standard deviation, in cells.
    axis : int
        The axis.
    order : int
        0, or 1 or 2 for a derivative of the Gaussian.
    output : None
        Must be None.
    mode : str
        Extension beyond the borders: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.
    cval : float
        The value beyond the borders for 'constant'.
    truncate : float
        Half-width of the window, in standard deviations.

    Returns
    -------
    numpy.ndarray
        The filtered array, of the shape of ``input``.

    Examples
    --------
    >>> gaussian_filter1d(np.array([1.0, 1.0, 1.0]), 1.0)
    array([1., 1., 1.])
    """
    a = _floats(input)
    if output is not None or order not in (0, 1, 2):
        raise TypeError("takes no `output`, and an `order` of 0, 1 or 2")
    radius = int(truncate * float(sigma) + 0.5)
    return _along_axis(a, _bell(sigma, radius, order), axis, radius, mode, cval)


@implements("scipy.ndimage.gaussian_filter")
def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0):
    """Gaussian filter along all axes.

    Parameters
    ----------
    input : array_like
        Floats, of rank 1 or 2.
    sigma : float or sequence of float
        The standard deviation, in cells, of all axes or of each.
    order : int or sequence of int
        0, or 1 or 2 for a derivative of the Gaussian, of all axes or of each.
    output : None
        Must be None.
    mode : str
        Extension beyond the borders: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.
    cval : float
        The value beyond the borders for 'constant'.
    truncate : float
        Half-width of the window, in standard deviations.

    Returns
    -------
    numpy.ndarray
        The filtered array, of the shape of ``input``.

    Examples
    --------
    >>> gaussian_filter(np.array([1.0, 1.0, 1.0]), 1.0)
    array([1., 1., 1.])
    """
    a = _floats(input)
    sigmas = sigma if isinstance(sigma, (tuple, list)) else (sigma,) * a.ndim
    orders = order if isinstance(order, (tuple, list)) else (order,) * a.ndim
    once = gaussian_filter1d(a, sigmas[0], 0, orders[0], output, mode, cval, truncate)
    if a.ndim == 1:
        return once
    return gaussian_filter1d(once, sigmas[1], 1, orders[1], output, mode, cval, truncate)


@implements("scipy.ndimage.uniform_filter1d")
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0):
    """Moving average along an axis.

    Parameters
    ----------
    input : array_like
        Floats, of rank 1 or 2.
    size : int
        The number of cells in a window.
    axis : int
        The axis.
    output : None
        Must be None.
    mode : str
        Extension beyond the borders: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.
    cval : float
        The value beyond the borders for 'constant'.

    Returns
    -------
    numpy.ndarray
        The filtered array, of the shape of ``input``.

    Examples
    --------
    >>> uniform_filter1d(np.array([3.0, 6.0, 9.0]), 3)
    array([4., 6., 8.])
    """
    a = _floats(input)
    if output is not None:
        raise TypeError("takes no `output`")
    if size < 1:
        raise RuntimeError("incorrect filter size")
    return _along_axis(a, np.ones(size) / size, axis, size // 2, mode, cval)


@implements("scipy.ndimage.center_of_mass")
def center_of_mass(input, labels=None, index=None):
    """Centre of mass of an array whose cells are masses.

    Parameters
    ----------
    input : array_like
        Masses, of rank 1 to 3.

    Returns
    -------
    tuple of float
        The coordinates of the centre, in cells, one for each axis.

    Raises
    ------
    TypeError
        If ``labels`` or ``index`` is given.

    Examples
    --------
    >>> [float(v) for v in center_of_mass(np.array([[0.0, 1.0], [0.0, 3.0]]))]
    [0.75, 1.0]
    """
    if labels is not None or index is not None:
        raise TypeError("center_of_mass is of one object here, without `labels` and `index`")
    total = np.sum(input)
    if input.ndim == 1:
        return (np.sum(input * np.arange(input.shape[0])) / total,)
    if input.ndim == 2:
        y = np.sum(input * np.arange(input.shape[0])[:, None]) / total
        return y, np.sum(input * np.arange(input.shape[1])[None, :]) / total
    if input.ndim != 3:
        raise TypeError("center_of_mass is of arrays of rank 1 to 3 here")
    z = np.sum(input * np.arange(input.shape[0])[:, None, None]) / total
    y = np.sum(input * np.arange(input.shape[1])[None, :, None]) / total
    return z, y, np.sum(input * np.arange(input.shape[2])[None, None, :]) / total


def _ranked(a, sizes, place, mode, cval):
    """The cell of a given place in the order of the cells in a window around each cell."""
    if a.ndim == 1:
        (n,) = sizes
        wide = _padded(a, n // 2, n - 1 - n // 2, mode, cval)
        out = np.empty_like(a)
        for i in range(a.shape[0]):
            out[i] = np.sort(wide[i : i + n])[place]
        return out
    m, n = sizes
    tall = _padded(a, m // 2, m - 1 - m // 2, mode, cval)
    wide = _padded(tall.T.copy(), n // 2, n - 1 - n // 2, mode, cval)
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = np.sort(wide[j : j + n, i : i + m].ravel())[place]
    return out


def _sizes(a, size):
    if a.ndim not in (1, 2):
        raise TypeError("is of an array of rank 1 or 2")
    return size if isinstance(size, (tuple, list)) else (size,) * a.ndim


@implements("scipy.ndimage.median_filter")
def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The median of the cells in a window around each cell: of an even number, the larger one in the middle.

    Parameters
    ----------
    input : array_like
        Of rank 1 or 2.
    size : int or tuple of int
        The size of the window.
    footprint, output, axes : None
        Must be None.
    mode : str
        Extension beyond the borders: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.
    cval : float
        The value beyond the borders for 'constant'.
    origin : {0}
        Must be 0.

    Returns
    -------
    ndarray
        The medians. The derivative is that of the cell that is the median.

    Examples
    --------
    >>> median_filter(np.array([1.0, 9.0, 2.0, 3.0]), 3)
    array([1., 2., 3., 3.])
    """
    if footprint is not None or output is not None or axes is not None or origin != 0 or size is None:
        raise TypeError("takes the array, its `size`, `mode` and `cval` here")
    a = np.asarray(input)
    sizes = _sizes(a, size)
    return _ranked(a, sizes, np.prod(np.asarray(sizes)) // 2, mode, cval)


@implements("scipy.ndimage.maximum_filter")
def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The largest cell in a window around each cell.

    Parameters
    ----------
    input, size, footprint, output, mode, cval, origin, axes : object
        As of `median_filter`.

    Returns
    -------
    ndarray
        The largest cells.

    Examples
    --------
    >>> maximum_filter(np.array([1.0, 9.0, 2.0, 3.0]), 3)
    array([9., 9., 9., 3.])
    """
    if footprint is not None or output is not None or axes is not None or origin != 0 or size is None:
        raise TypeError("takes the array, its `size`, `mode` and `cval` here")
    a = np.asarray(input)
    return _ranked(a, _sizes(a, size), -1, mode, cval)


@implements("scipy.ndimage.minimum_filter")
def minimum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The smallest cell in a window around each cell.

    Parameters
    ----------
    input, size, footprint, output, mode, cval, origin, axes : object
        As of `median_filter`.

    Returns
    -------
    ndarray
        The smallest cells.

    Examples
    --------
    >>> minimum_filter(np.array([1.0, 9.0, 2.0, 3.0]), 3)
    array([1., 1., 2., 2.])
    """
    if footprint is not None or output is not None or axes is not None or origin != 0 or size is None:
        raise TypeError("takes the array, its `size`, `mode` and `cval` here")
    a = np.asarray(input)
    return _ranked(a, _sizes(a, size), 0, mode, cval)
