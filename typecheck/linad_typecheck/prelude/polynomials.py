"""Polynomials given by coefficients, highest power first; products of sequences."""

from __future__ import annotations

import numpy as np

from . import implements, literal


def _coefficients(p):
    """Coefficients as an array of rank 1."""
    p = np.asarray(p)
    if p.ndim > 1:
        raise TypeError(f"is of coefficients of rank 1, not {p.ndim}")
    return np.atleast_1d(p)


@implements("numpy.polyint")
def polyint(p, m=1, k=None):
    """Integral of a polynomial.

    Parameters
    ----------
    p : array_like
        Coefficients.
    m : int
        The number of integrations, a literal.
    k : float, optional
        The integration constant of each integral; 0 by default.

    Returns
    -------
    numpy.ndarray
        The coefficients of the integral.

    Examples
    --------
    >>> polyint(np.array([2.0, 1.0]))
    array([1., 1., 0.])
    """
    p, m = _coefficients(p), literal(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constant = 0.0 if k is None else k
    for _ in range(m):
        p = np.append(p / np.arange(p.shape[0], 0, -1), constant)
    return p


@implements("numpy.polyder")
def polyder(p, m=1):
    """Derivative of a polynomial.

    Parameters
    ----------
    p : array_like
        Coefficients.
    m : int
        The number of differentiations, a literal.

    Returns
    -------
    numpy.ndarray
        The coefficients of the derivative.

    Examples
    --------
    >>> polyder(np.array([1.0, 1.0, 0.0]))
    array([2., 1.])
    """
    p, m = _coefficients(p), literal(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    for _ in range(m):
        p = p[:-1] * np.arange(p.shape[0] - 1, 0, -1)
    return p


def _as_long(p, q):
    """The coefficients of a polynomial, with leading zeros up to the length of another one."""
    return np.concatenate((np.zeros(max(q.shape[0] - p.shape[0], 0), dtype=p.dtype), p))


@implements("numpy.polyadd")
def polyadd(a1, a2):
    """Sum of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like
        Coefficients.

    Returns
    -------
    numpy.ndarray
        The coefficients of the sum.

    Examples
    --------
    >>> polyadd(np.array([1.0, 2.0]), np.array([3.0]))
    array([1., 5.])
    """
    a1, a2 = _coefficients(a1), _coefficients(a2)
    return _as_long(a1, a2) + _as_long(a2, a1)


@implements("numpy.polysub")
def polysub(a1, a2):
    """Difference of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like
        Coefficients.

    Returns
    -------
    numpy.ndarray
        The coefficients of the difference.

    Examples
    --------
    >>> polysub(np.array([1.0, 2.0]), np.array([3.0]))
    array([ 1., -1.])
    """
    a1, a2 = _coefficients(a1), _coefficients(a2)
    return _as_long(a1, a2) - _as_long(a2, a1)


@implements("numpy.polymul")
def polymul(a1, a2):
    """Product of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like
        Coefficients.

    Returns
    -------
    numpy.ndarray
        The coefficients of the product, without leading zeros.

    Examples
    --------
    >>> polymul(np.array([1.0, 2.0]), np.array([1.0, -2.0]))
    array([ 1.,  0., -4.])
    """
    return np.convolve(_trimmed(_coefficients(a1)), _trimmed(_coefficients(a2)))


def _trimmed(p):
    """Coefficients without leading zeros; at least one is kept."""
    p = np.concatenate((np.zeros(max(1 - p.shape[0], 0), dtype=p.dtype), p))
    return p[np.argmax(p != 0) if np.any(p != 0) else p.shape[0] - 1 :]


@implements("numpy.poly")
def poly(seq_of_zeros):
    """Polynomial with given roots.

    Parameters
    ----------
    seq_of_zeros : array_like
        The roots.

    Returns
    -------
    numpy.ndarray
        The coefficients; the first one is 1.

    Raises
    ------
    TypeError
        For a matrix, for which NumPy uses the eigenvalues.

    Examples
    --------
    >>> poly(np.array([1.0, 2.0]))
    array([ 1., -3.,  2.])
    """
    zeros = np.asarray(seq_of_zeros)
    if zeros.ndim != 1:
        raise TypeError("is of an array of zeros of rank 1")
    return _from_zeros(zeros if zeros.dtype.kind == "f" else zeros.astype(np.float64))


def _from_zeros(zeros):
    n = zeros.shape[0]
    p = np.zeros(n + 1, dtype=zeros.dtype)
    p[0] = 1.0
    for k in range(n):
        for j in range(k + 1, 0, -1):
            p[j] -= zeros[k] * p[j - 1]
    return p


@implements("numpy.polyfit")
def polyfit(x, y, deg, *, w=None):
    """Least-squares fit of a polynomial to points.

    Parameters
    ----------
    x : array_like
        Points of shape (n,); more distinct ones than the degree.
    y : array_like
        Values of shape (n,) or (n, k).
    deg : int
        The degree.
    w : array_like, optional
        Weights of the residuals, of shape (n,).

    Returns
    -------
    numpy.ndarray
        Coefficients of shape (deg + 1,) or (deg + 1, k).

    Raises
    ------
    numpy.linalg.LinAlgError
        If the points do not determine the polynomial.

    Examples
    --------
    >>> bool(np.allclose(polyfit(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]), 1), [2.0, 1.0]))
    True
    """
    x, y = np.asarray(x) * np.float64(1.0), np.asarray(y) * np.float64(1.0)
    if x.ndim != 1 or y.ndim not in (1, 2):
        raise TypeError("is of places of rank 1 and values of rank 1 or 2")
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.shape[0] == 0:
        raise TypeError("expected non-empty vector for x")
    if x.shape[0] != y.shape[0]:
        raise ValueError("expected x and y to have same length")
    powers = np.vander(x, deg + 1)
    if w is not None:
        w = np.asarray(w)
        powers = powers * w[:, None]
        y = y * w if y.ndim == 1 else y * w[:, None]
    size = np.sqrt(np.sum(powers**2, axis=0))
    c = np.linalg.lstsq(powers / size, y, rcond=None)[0]
    return c / size if y.ndim == 1 else c / size[:, None]


@implements("numpy.polynomial.polynomial.polyfit")
def polyfit_ascending(x, y, deg, rcond=None, full=False, w=None):
    """Least-squares fit of a polynomial to points, with the coefficient of the lowest power first.

    Parameters
    ----------
    x, y, deg, w : object
        As of `polyfit`.
    rcond, full : object
        Must have their defaults.

    Returns
    -------
    numpy.ndarray
        Coefficients of shape (deg + 1,) or (deg + 1, k).

    Examples
    --------
    >>> bool(np.allclose(polyfit_ascending(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]), 1), [1.0, 2.0]))
    True
    """
    if rcond is not None or full:
        raise TypeError("takes no `rcond` and `full` here")
    return polyfit(x, y, deg, w=w)[::-1].copy()


@implements("numpy.polynomial.polynomial.polyder")
def polyder_ascending(c, m=1, scl=1):
    """Derivative of a polynomial, with the coefficient of the lowest power first.

    Parameters
    ----------
    c : array_like
        Coefficients.
    m : int
        The number of differentiations, a literal.
    scl : float
        A factor of each differentiation.

    Returns
    -------
    numpy.ndarray
        The coefficients of the derivative; at least one.

    Examples
    --------
    >>> polyder_ascending(np.array([0.0, 1.0, 1.0]))
    array([1., 2.])
    """
    c, m = _floats(c)[::-1], literal(m)
    if m < 0:
        raise ValueError("The order of derivation must be non-negative")
    for _ in range(m):
        kept = max(c.shape[0] - 1, min(c.shape[0], 1))
        c = np.append(c, c[:1] * 0.0)[1 : kept + 1] * scl * np.arange(1, kept + 1).astype(c.dtype)
    return c


@implements("numpy.polynomial.polynomial.polyadd")
def polyadd_ascending(c1, c2):
    """Sum of two polynomials, with the coefficient of the lowest power first, without zeros at the end.

    >>> polyadd_ascending(np.array([1.0, 2.0]), np.array([3.0]))
    array([4., 2.])
    """
    return _trimmed(polyadd(_present(_floats(c1)), _present(_floats(c2))))[::-1].copy()


@implements("numpy.polynomial.polynomial.polysub")
def polysub_ascending(c1, c2):
    """Difference of two polynomials, with the coefficient of the lowest power first, without zeros at the end.

    >>> polysub_ascending(np.array([1.0, 2.0]), np.array([3.0]))
    array([-2.,  2.])
    """
    return _trimmed(polysub(_present(_floats(c1)), _present(_floats(c2))))[::-1].copy()


@implements("numpy.polynomial.polynomial.polymul")
def polymul_ascending(c1, c2):
    """Product of two polynomials, with the coefficient of the lowest power first, without zeros at the end.

    >>> polymul_ascending(np.array([1.0, 2.0]), np.array([1.0, -2.0]))
    array([ 1.,  0., -4.])
    """
    return _trimmed(polymul(_present(_floats(c1)), _present(_floats(c2))))[::-1].copy()


def _floats(c):
    """The coefficients with that of the highest power first."""
    c = _coefficients(c)
    return (c if c.dtype.kind == "f" else c.astype(np.float64))[::-1]


def _present(c):
    if c.shape[0] == 0:
        raise ValueError("Coefficient array is empty")
    return c


@implements("numpy.correlate")
def correlate(a, v, mode="valid"):
    """Cross-correlation of two sequences.

    Parameters
    ----------
    a, v : array_like
        Sequences of rank 1.
    mode : {"valid", "same", "full"}
        Full overlap; the length of the longer sequence; the full correlation.

    Returns
    -------
    numpy.ndarray
        The sums of products.

    Raises
    ------
    ValueError
        If a sequence is empty.

    Examples
    --------
    >>> correlate(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0]))
    array([2., 3.])
    """
    a, v = np.asarray(a), np.asarray(v)
    if a.ndim != 1 or v.ndim != 1:
        raise TypeError("is of arrays of rank 1")
    if mode not in ("valid", "same", "full"):
        raise TypeError('has the `mode` "valid", "same" and "full"')
    if a.shape[0] == 0:
        raise ValueError("first array argument cannot be empty")
    if v.shape[0] == 0:
        raise ValueError("second array argument cannot be empty")
    if mode == "valid":
        return np.convolve(a, v[::-1], mode="valid")
    found = np.convolve(a, v[::-1])
    if mode == "full":
        return found
    n, m = a.shape[0], v.shape[0]
    k = (m - 1) // 2 if n >= m else n // 2
    return found[k : k + max(n, m)]


@implements("numpy.vander")
def vander(x, N=None, increasing=False):
    """Vandermonde matrix: powers of numbers as columns.

    Parameters
    ----------
    x : array_like
        Numbers, of rank 1.
    N : int, optional
        The number of columns; by default the number of rows.
    increasing : bool
        Whether powers increase from left to right, a literal.

    Returns
    -------
    numpy.ndarray
        Matrix of shape (x.size, N), of int64 or floats.

    Raises
    ------
    ValueError
        For a negative N.

    Examples
    --------
    >>> vander(np.array([2.0, 3.0]), 3)
    array([[4., 2., 1.],
           [9., 3., 1.]])
    """
    x = np.asarray(x)
    if x.ndim != 1:
        raise TypeError("is of an array of rank 1")
    columns = x.shape[0] if N is None else N
    if columns < 0:
        raise ValueError("negative dimensions are not allowed")
    x = x * np.int64(1)
    ones = np.broadcast_to(x[:, None], (x.shape[0], columns)) ** 0
    rest = np.broadcast_to(x[:, None], (x.shape[0], max(columns - 1, 0)))
    p = np.cumprod(np.concatenate((ones[:, :1], rest), axis=1), axis=1)
    return np.copy(p[:, :: 1 if increasing else -1])


@implements("numpy.ediff1d")
def ediff1d(ary):
    """Differences of consecutive cells of the flattened array.

    Parameters
    ----------
    ary : array_like
        Numbers, of rank 1 or more.

    Returns
    -------
    numpy.ndarray
        The differences, one fewer than there are cells.

    Examples
    --------
    >>> ediff1d(np.array([1.0, 3.0, 6.0]))
    array([2., 3.])
    """
    ary = np.asarray(ary)
    if ary.ndim == 0 or ary.dtype == bool:
        raise TypeError("is of numbers in an array of rank 1 or more")
    return np.diff(ary.ravel())
