"""Functions of a matrix: exponential, logarithm, square root, sine and cosine."""

from __future__ import annotations

import numpy as np

from . import constant, implements


def _one_square(a):
    """A square matrix."""
    a = np.asarray(a)
    if a.ndim != 2:
        raise TypeError("it is of one matrix here: loop over a stack")
    if a.shape[0] != a.shape[1]:
        raise ValueError("expected a square matrix")
    return a


def _precision(a):
    """The dtype of the result for a matrix."""
    return np.float32 if a.dtype == np.float32 else np.float64


@implements("scipy.linalg.expm")
def expm(A):
    """Exponential of a matrix: a Padé approximant, with scaling and squaring (Higham 2005).

    Parameters
    ----------
    A : array_like
        Square matrix.

    Returns
    -------
    numpy.ndarray
        Its exponential.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not square.
    TypeError
        For stacks of matrices.

    Examples
    --------
    >>> expm(np.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    A = np.asarray(A)
    if A.ndim != 2:
        raise TypeError("expm is of one matrix here: loop over a stack")
    if A.shape[0] != A.shape[1]:
        raise np.linalg.LinAlgError("expected a square matrix")
    return _exponential(A.astype(np.float64)).astype(_precision(A))


def _exponential(a):
    n = a.shape[0]
    if n <= 1:
        return np.exp(a)
    largest = 0.0
    for j in range(n):
        column = 0.0
        for i in range(n):
            column += abs(a[i, j])
        largest = max(largest, column)
    if not np.isfinite(largest):
        return np.full((n, n), np.nan)
    squarings = 0
    while largest > 5.371920351148152:
        largest *= 0.5
        squarings += 1
    x = a * 0.5**squarings
    one = np.eye(n)
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    high = x6 @ (x6 + 16380.0 * x4 + 40840800.0 * x2)
    u = x @ (high + 33522128640.0 * x6 + 10559470521600.0 * x4 + 1187353796428800.0 * x2 + 32382376266240000.0 * one)
    high = x6 @ (182.0 * x6 + 960960.0 * x4 + 1323241920.0 * x2)
    v = high + 670442572800.0 * x6 + 129060195264000.0 * x4 + 7771770303897600.0 * x2 + 64764752532480000.0 * one
    r = np.linalg.solve(v - u, v + u)
    for _ in range(squarings):
        r = r @ r
    return r


@implements("scipy.linalg.cosm")
def cosm(A):
    """Cosine of a matrix.

    Parameters
    ----------
    A : array_like
        Square matrix.

    Returns
    -------
    numpy.ndarray
        Its cosine.

    Examples
    --------
    >>> cosm(np.zeros((1, 1)))
    array([[1.]])
    """
    A = _one_square(A)
    return _rotation(A.astype(np.float64))[0].astype(_precision(A))


@implements("scipy.linalg.sinm")
def sinm(A):
    """Sine of a matrix.

    Parameters
    ----------
    A : array_like
        Square matrix.

    Returns
    -------
    numpy.ndarray
        Its sine.

    Examples
    --------
    >>> sinm(np.zeros((1, 1)))
    array([[0.]])
    """
    A = _one_square(A)
    return _rotation(A.astype(np.float64))[1].astype(_precision(A))


def _rotation(a):
    """Cosine and sine of a matrix: blocks of the exponential of a matrix of twice the size."""
    n = a.shape[0]
    both = np.zeros((2 * n, 2 * n))
    both[:n, n:] = a
    both[n:, :n] = -a
    found = _exponential(both)
    return found[:n, :n], found[:n, n:]


@implements("scipy.linalg.sqrtm")
def sqrtm(A):
    """Square root of a matrix without eigenvalues that are negative or zero, by the iteration of Denman and Beavers
    in the form of products (Cheng, Higham, Kenney and Laub 2001).

    Parameters
    ----------
    A : array_like
        Square matrix.

    Returns
    -------
    numpy.ndarray
        Its principal square root.

    Raises
    ------
    ValueError
        If the matrix is not square, or the iteration does not converge.

    Examples
    --------
    >>> sqrtm(np.array([[4.0, 0.0], [0.0, 9.0]])).round(12)
    array([[2., 0.],
           [0., 3.]])
    """
    A = _one_square(A)
    if not np.all(np.isfinite(A)):
        return np.full(A.shape, np.nan, _precision(A))
    return _root(A.astype(np.float64)).astype(_precision(A))


def _root(a):
    """The principal square root. The steps after convergence are for the derivatives."""
    n = a.shape[0]
    one = np.eye(n)
    x, m = a.copy(), a.copy()
    more = 3
    for _ in range(60):
        inverse = np.linalg.inv(m)
        distance = np.sum(np.abs(m - one))
        if distance < 1e-8:
            more -= 1
        if not distance < 1e-2:
            scale = constant(np.exp(np.linalg.slogdet(m)[1] / (-2.0 * n)))
        else:
            scale = 1.0
        x = 0.5 * scale * (x + x @ inverse / scale**2)
        m = 0.5 * one + 0.25 * (scale**2 * m + inverse / scale**2)
        if more == 0:
            return x
    raise ValueError("the matrix has no real square root that can be found: an eigenvalue is negative or zero")


@implements("scipy.linalg.logm")
def logm(A):
    """Logarithm of a matrix without eigenvalues that are negative or zero: a Padé approximant after square roots, as
    partial fractions (Higham 2001).

    Parameters
    ----------
    A : array_like
        Square matrix.

    Returns
    -------
    numpy.ndarray
        Its principal logarithm.

    Raises
    ------
    ValueError
        If the matrix is not square or not finite, or a square root is not found.

    Examples
    --------
    >>> logm(np.eye(2))
    array([[0., 0.],
           [0., 0.]])
    """
    A = _one_square(A)
    if not np.all(np.isfinite(A)):
        raise ValueError("array must not contain infs or NaNs")
    return _logarithm(A.astype(np.float64)).astype(_precision(A))


def _logarithm(a):
    n = a.shape[0]
    one = np.eye(n)
    x = a.copy()
    roots = 0
    while np.sqrt(np.sum((x - one) ** 2)) > 0.25:
        x = _root(x)
        roots += 1
    x = x - one
    total = np.zeros((n, n))
    for node, weight in (
        (0.019855071751231912, 0.05061426814518853),
        (0.10166676129318664, 0.11119051722668721),
        (0.2372337950418355, 0.15685332293894344),
        (0.4082826787521751, 0.18134189168918083),
        (0.5917173212478248, 0.18134189168918083),
        (0.7627662049581645, 0.15685332293894344),
        (0.8983332387068134, 0.11119051722668721),
        (0.9801449282487681, 0.05061426814518853),
    ):
        total += weight * np.linalg.solve(one + node * x, x)
    return 2.0**roots * total


@implements("scipy.linalg.coshm")
def coshm(A):
    """Hyperbolic cosine of a matrix.

    Parameters
    ----------
    A : array_like
        A square matrix.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``A``.

    Examples
    --------
    >>> coshm(np.zeros((1, 1)))
    array([[1.]])
    """
    A = _one_square(A)
    return 0.5 * (expm(A) + expm(-A))


@implements("scipy.linalg.sinhm")
def sinhm(A):
    """Hyperbolic sine of a matrix.

    Parameters
    ----------
    A : array_like
        A square matrix.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``A``.

    Examples
    --------
    >>> sinhm(np.zeros((1, 1)))
    array([[0.]])
    """
    A = _one_square(A)
    return 0.5 * (expm(A) - expm(-A))


@implements("scipy.linalg.tanhm")
def tanhm(A):
    """Hyperbolic tangent of a matrix.

    Parameters
    ----------
    A : array_like
        A square matrix.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``A``.

    Examples
    --------
    >>> tanhm(np.zeros((1, 1)))
    array([[0.]])
    """
    return np.linalg.solve(coshm(A), sinhm(A))


@implements("scipy.linalg.tanm")
def tanm(A):
    """Tangent of a matrix.

    Parameters
    ----------
    A : array_like
        A square matrix.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``A``.

    Examples
    --------
    >>> tanm(np.zeros((1, 1)))
    array([[0.]])
    """
    return np.linalg.solve(cosm(A), sinm(A))


@implements("scipy.linalg.fractional_matrix_power")
def fractional_matrix_power(A, t):
    """A power of a matrix without eigenvalues that are negative or zero.

    Parameters
    ----------
    A : array_like
        A square matrix.
    t : float or int
        The power.

    Returns
    -------
    numpy.ndarray
        The power.

    Examples
    --------
    >>> fractional_matrix_power(4.0 * np.eye(1), 0.5).round(6)
    array([[2.]])
    """
    if isinstance(t, int):
        return np.linalg.matrix_power(_one_square(A), t)
    return expm(t * logm(_one_square(A) * np.float64(1.0)))


@implements("scipy.linalg.expm_frechet")
def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    """The exponential of ``A``, and its derivative in the direction ``E``: both are parts of the exponential of a
    matrix of twice the size (N. J. Higham, Functions of Matrices, 2008, equation 3.16).

    Parameters
    ----------
    A : array_like
        A square matrix.
    E : array_like
        The direction, of the shape of ``A``.
    method : str, optional
        Ignored.
    compute_expm : bool
        Whether to return the exponential as well.
    check_finite : bool
        Ignored.

    Returns
    -------
    numpy.ndarray or tuple of numpy.ndarray
        The derivative, after the exponential.

    Examples
    --------
    >>> [m.round(6).tolist() for m in expm_frechet(np.zeros((1, 1)), np.eye(1))]
    [[[1.0]], [[1.0]]]
    """
    A, E = _one_square(A), _one_square(E)
    n = A.shape[0]
    wide = np.concatenate((np.concatenate((A, E), axis=1), np.concatenate((np.zeros((n, n)), A), axis=1)))
    both = expm(wide)
    if compute_expm:
        return both[:n, :n].copy(), both[:n, n:].copy()
    return both[:n, n:].copy()
