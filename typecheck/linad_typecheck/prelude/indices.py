"""Indices of triangles and diagonals, and regular sequences."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.tril_indices")
def tril_indices(n, k=0, m=None):
    """Indices of the cells on and below a diagonal.

    Parameters
    ----------
    n : int
        The number of rows.
    k : int
        The diagonal: 0 is the main one, 1 the one above it.
    m : int, optional
        The number of columns; by default the number of rows.

    Returns
    -------
    tuple of numpy.ndarray
        Rows and columns.

    Examples
    --------
    >>> tril_indices(2)
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    columns = n if m is None else m
    return np.nonzero(np.arange(n)[:, None] >= np.arange(columns)[None, :] - k)


@implements("numpy.triu_indices")
def triu_indices(n, k=0, m=None):
    """Indices of the cells on and above a diagonal.

    Parameters
    ----------
    n : int
        The number of rows.
    k : int
        The diagonal: 0 is the main one, 1 the one above it.
    m : int, optional
        The number of columns; by default the number of rows.

    Returns
    -------
    tuple of numpy.ndarray
        Rows and columns.

    Examples
    --------
    >>> triu_indices(2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    columns = n if m is None else m
    return np.nonzero(np.arange(n)[:, None] <= np.arange(columns)[None, :] - k)


def _sides(arr):
    arr = np.asarray(arr)
    if arr.ndim != 2:
        raise TypeError("is of an array of rank 2")
    return arr.shape


@implements("numpy.tril_indices_from")
def tril_indices_from(arr, k=0):
    """Indices of the cells on and below a diagonal of a matrix.

    Parameters
    ----------
    arr : array_like
        A matrix.
    k : int
        The diagonal: 0 is the main one, 1 the one above it.

    Returns
    -------
    tuple of numpy.ndarray
        Rows and columns.

    Examples
    --------
    >>> tril_indices_from(np.eye(2))
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    n, m = _sides(arr)
    return tril_indices(n, k, m)


@implements("numpy.triu_indices_from")
def triu_indices_from(arr, k=0):
    """Indices of the cells on and above a diagonal of a matrix.

    Parameters
    ----------
    arr : array_like
        A matrix.
    k : int
        The diagonal: 0 is the main one, 1 the one above it.

    Returns
    -------
    tuple of numpy.ndarray
        Rows and columns.

    Examples
    --------
    >>> triu_indices_from(np.eye(2))
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    n, m = _sides(arr)
    return triu_indices(n, k, m)


@implements("numpy.diag_indices")
def diag_indices(n):
    """Indices of the diagonal of a square matrix.

    Parameters
    ----------
    n : int
        The number of rows.

    Returns
    -------
    tuple of numpy.ndarray
        Rows and columns.

    Examples
    --------
    >>> diag_indices(2)
    (array([0, 1]), array([0, 1]))
    """
    return np.arange(n), np.arange(n)


@implements("numpy.diag_indices_from")
def diag_indices_from(arr):
    """Indices of the diagonal of a square matrix.

    Parameters
    ----------
    arr : array_like
        The matrix.

    Returns
    -------
    tuple of numpy.ndarray
        Rows and columns.

    Raises
    ------
    ValueError
        If it is not square.

    Examples
    --------
    >>> diag_indices_from(np.eye(2))
    (array([0, 1]), array([0, 1]))
    """
    n, m = _sides(arr)
    if n != m:
        raise ValueError("All dimensions of input must be of equal length")
    return np.arange(n), np.arange(n)


@implements("numpy.diagflat")
def diagflat(v, k=0):
    """Matrix with the cells of an array on a diagonal.

    Parameters
    ----------
    v : array_like
        Cells, of rank 1 or more.
    k : int
        The diagonal: 0 is the main one, 1 the one above it.

    Returns
    -------
    numpy.ndarray
        Square matrix.

    Examples
    --------
    >>> diagflat(np.array([[1.0, 2.0]]))
    array([[1., 0.],
           [0., 2.]])
    """
    v = np.asarray(v)
    if v.ndim == 0:
        raise TypeError("is of arrays of rank 1 or more")
    return np.diag(v.ravel(), k)


@implements("numpy.tri")
def tri(N, M=None, k=0, dtype=np.float64):
    """Matrix of ones on and below a diagonal, and zeros elsewhere.

    Parameters
    ----------
    N : int
        The number of rows.
    M : int, optional
        The number of columns; by default the number of rows.
    k : int
        The diagonal: 0 is the main one, 1 the one above it.
    dtype : dtype
        The type of the cells.

    Returns
    -------
    numpy.ndarray
        The matrix.

    Examples
    --------
    >>> tri(2)
    array([[1., 0.],
           [1., 1.]])
    """
    columns = N if M is None else M
    return (np.arange(N)[:, None] >= np.arange(columns)[None, :] - k).astype(dtype)


@implements("numpy.logspace")
def logspace(start, stop, num=50, endpoint=True, base=10.0):
    """Powers of a base with equally spaced exponents.

    Parameters
    ----------
    start, stop : float
        The first and the last exponent.
    num : int
        The number of samples.
    endpoint : bool
        Whether to include the last one, a literal.
    base : float
        The base.

    Returns
    -------
    numpy.ndarray
        The powers.

    Examples
    --------
    >>> logspace(0.0, 2.0, 3)
    array([  1.,  10., 100.])
    """
    return base ** np.linspace(start, stop, num, endpoint=endpoint)


@implements("numpy.geomspace")
def geomspace(start, stop, num=50, endpoint=True):
    """Geometric sequence.

    Parameters
    ----------
    start, stop : float
        The first and the last number, of equal sign.
    num : int
        The number of samples.
    endpoint : bool
        Whether to include the last one, a literal.

    Returns
    -------
    numpy.ndarray
        The numbers.

    Raises
    ------
    ValueError
        If an end is 0.

    Examples
    --------
    >>> geomspace(1.0, 4.0, 3)
    array([1., 2., 4.])
    """
    if start == 0.0 or stop == 0.0:
        raise ValueError("Geometric sequence cannot include zero")
    sign = -1.0 if start < 0.0 and stop < 0.0 else 1.0 if start == start else np.nan
    between = sign * np.exp2(np.linspace(np.log2(sign * start), np.log2(sign * stop), num, endpoint=endpoint))
    k = np.arange(num)
    return np.where(k == 0, start, np.where((k == num - 1) & endpoint, sign * (sign * stop), between))
