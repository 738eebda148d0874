"""Structured matrices: construction, and banded systems."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("scipy.linalg.toeplitz")
def toeplitz(c, r=None):
    """Matrix that is constant along its diagonals.

    Parameters
    ----------
    c : array_like
        The first column.
    r : array_like, optional
        The first row, whose first cell is not read; by default ``c``.

    Returns
    -------
    numpy.ndarray
        Matrix of shape (c.size, r.size).

    Raises
    ------
    TypeError
        For arrays of a rank other than 1.

    Examples
    --------
    >>> toeplitz(np.array([1.0, 2.0]), np.array([1.0, 4.0, 5.0]))
    array([[1., 4., 5.],
           [2., 1., 4.]])
    """
    c = np.asarray(c)
    r = c if r is None else np.asarray(r)
    if c.ndim != 1 or r.ndim != 1:
        raise TypeError("is of arrays of rank 1")
    n, m = c.shape[0], r.shape[0]
    cells = np.concatenate((c[::-1], r[1:]))
    return cells[n - 1 - np.arange(n)[:, None] + np.arange(m)[None, :]]


@implements("scipy.linalg.hankel")
def hankel(c, r=None):
    """Matrix that is constant along its anti-diagonals.

    Parameters
    ----------
    c : array_like
        The first column.
    r : array_like, optional
        The last row, whose first cell is not read; by default zeros.

    Returns
    -------
    numpy.ndarray
        Matrix of shape (c.size, r.size).

    Raises
    ------
    TypeError
        For arrays of a rank other than 1.

    Examples
    --------
    >>> hankel(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    array([[1., 2.],
           [2., 3.]])
    """
    c = np.asarray(c)
    r = np.zeros_like(c) if r is None else np.asarray(r)
    if c.ndim != 1 or r.ndim != 1:
        raise TypeError("is of arrays of rank 1")
    cells = np.concatenate((c, r[1:]))
    return cells[np.arange(c.shape[0])[:, None] + np.arange(r.shape[0])[None, :]]


@implements("scipy.linalg.circulant")
def circulant(c):
    """Circulant matrix: each column is the previous one, shifted cyclically by one.

    Parameters
    ----------
    c : array_like
        The first column.

    Returns
    -------
    numpy.ndarray
        Square matrix.

    Raises
    ------
    TypeError
        For an array of a rank other than 1.

    Examples
    --------
    >>> circulant(np.array([1.0, 2.0, 3.0]))
    array([[1., 3., 2.],
           [2., 1., 3.],
           [3., 2., 1.]])
    """
    c = np.asarray(c)
    if c.ndim != 1:
        raise TypeError("is of an array of rank 1")
    n = c.shape[0]
    return c[(np.arange(n)[:, None] - np.arange(n)[None, :]) % max(n, 1)]


@implements("scipy.linalg.block_diag")
def block_diag(*arrs):
    """Block diagonal matrix.

    Parameters
    ----------
    *arrs : array_like
        The blocks. An array of rank 1 is a row, and a number is one cell.

    Returns
    -------
    numpy.ndarray
        The matrix, with zeros elsewhere.

    Raises
    ------
    TypeError
        For arrays of a higher rank.

    Examples
    --------
    >>> block_diag(np.ones((1, 2)), 3.0)
    array([[1., 1., 0.],
           [0., 0., 3.]])
    """
    total = np.zeros((0, 0), dtype=np.bool_)
    for a in arrs:
        a = np.atleast_2d(a)
        if a.ndim != 2:
            raise TypeError("is of arrays of rank 0 to 2")
        n, m = total.shape
        right = np.zeros((n, a.shape[1]), dtype=total.dtype)
        below = np.zeros((a.shape[0], m), dtype=total.dtype)
        total = np.concatenate((np.concatenate((total, right), axis=1), np.concatenate((below, a), axis=1)), axis=0)
    return total


@implements("scipy.linalg.solve_banded")
def solve_banded(l_and_u, ab, b):
    """Solution of ``a x = b`` for a banded matrix, by Gaussian elimination with partial pivoting.

    Parameters
    ----------
    l_and_u : tuple of int
        The number of diagonals below and above the main one.
    ab : array_like
        The diagonals as rows, the uppermost first: ``ab[u + i - j, j] == a[i, j]``.
    b : array_like
        Right side of shape (n,) or (n, k).

    Returns
    -------
    numpy.ndarray
        The solution, of the shape of ``b``.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is singular.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> solve_banded((1, 0), np.array([[2.0, 4.0], [1.0, 0.0]]), np.array([2.0, 5.0]))
    array([1., 1.])
    """
    lower, upper = l_and_u
    ab, b = np.asarray(ab) * 1.0, np.asarray(b) * 1.0
    if ab.dtype != b.dtype:
        ab, b = ab.astype(np.float64), b.astype(np.float64)
    if ab.ndim != 2 or b.ndim not in (1, 2):
        raise TypeError("is of a matrix of diagonals and a right side of rank 1 or 2")
    if ab.shape[1] != b.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    if lower + upper + 1 != ab.shape[0]:
        raise ValueError("invalid values for the number of lower and upper diagonals: l+u+1 does not equal ab.shape[0]")
    if not (np.all(np.isfinite(ab)) and np.all(np.isfinite(b))):
        raise ValueError("array must not contain infs or NaNs")
    if b.ndim == 2:
        return _banded(lower, upper, ab, b)
    return _banded(lower, upper, ab, b[:, None])[:, 0]


def _banded(lower, upper, ab, b):
    n, k = b.shape
    wide = upper + lower  # diagonals above the main one, including the fill-in of row exchanges
    # a[i, j - i] of the remaining rows, with their first cells eliminated
    a = np.zeros((n, wide + 1), dtype=ab.dtype)
    below = np.zeros((n, lower + 1), dtype=ab.dtype)
    x = b.copy()
    rows = np.zeros((lower + 1, wide + 1), dtype=ab.dtype)  # the rows that contain the next column
    for c in range(n):
        if c == 0:
            for i in range(min(lower + 1, n)):
                for j in range(min(upper + i + 1, n)):
                    rows[i, j] = ab[upper + i - j, j]
        best = 0
        for i in range(1, min(lower + 1, n - c)):
            if abs(rows[i, 0]) > abs(rows[best, 0]):
                best = i
        if rows[best, 0] == 0.0:
            raise np.linalg.LinAlgError("singular matrix")
        for j in range(wide + 1):
            held = rows[best, j]
            rows[best, j] = rows[0, j]
            rows[0, j] = held
            a[c, j] = held
        for j in range(k):
            held = x[c + best, j]
            x[c + best, j] = x[c, j]
            x[c, j] = held
        for i in range(1, min(lower + 1, n - c)):
            below[c, i] = rows[i, 0] / a[c, 0]
            for j in range(k):
                x[c + i, j] -= below[c, i] * x[c, j]
            for j in range(wide):
                rows[i - 1, j] = rows[i, j + 1] - below[c, i] * a[c, j + 1]
            rows[i - 1, wide] = 0.0
        last = c + lower + 1  # the next row to include
        for j in range(wide + 1):
            at = c + 1 + j
            inside = last < n and at < n and 0 <= upper + last - at
            rows[lower, j] = ab[upper + last - at, at] if inside else 0.0
    for c in range(n - 1, -1, -1):
        for j in range(k):
            s = x[c, j]
            for m in range(1, min(wide + 1, n - c)):
                s -= a[c, m] * x[c + m, j]
            x[c, j] = s / a[c, 0]
    return x
