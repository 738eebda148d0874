"""`numpy.linalg` for stacks of matrices, in terms of the engine's rules for one matrix; norms and powers."""

from __future__ import annotations

import numpy as np

from . import implements, known, literal


def _matrices(a):
    """Matrices converted to floats."""
    a = np.asarray(a)
    if a.ndim < 2:
        raise TypeError(f"is of a matrix, not of an array of rank {a.ndim}")
    return a if a.dtype.kind == "f" else a.astype(np.float64)


@implements("numpy.linalg.solve")
def solve(a, b):
    """Solution of ``a x = b``.

    Parameters
    ----------
    a : array_like
        Square matrices of shape (..., n, n).
    b : array_like
        Right side of shape (n,) or (..., n, k). The leading axes broadcast.

    Returns
    -------
    numpy.ndarray
        The solution, of shape (..., n) or (..., n, k).

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix is singular or not square.
    TypeError
        For ``b`` of rank 2 or more with one axis less than ``a``: NumPy 1 treats it as vectors, NumPy 2 as matrices.

    Examples
    --------
    >>> solve(np.array([[0.0, 2.0], [4.0, 0.0]]), np.array([2.0, 4.0]))
    array([1., 1.])
    """
    a, b = _matrices(a), np.asarray(b)
    if b.ndim == 0:
        raise TypeError("is of a right side of rank 1 or more")
    if a.ndim == 2 and b.ndim < 3:
        return np.linalg.solve(a, b)
    if b.ndim == a.ndim - 1 and b.ndim > 1:
        raise TypeError("is of a right side of rank 1, or matrices: write `np.linalg.solve(a, b[..., None])[..., 0]`")
    shape = a.shape[:-2] if b.ndim == 1 else np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    b = b * np.ones((), dtype=a.dtype)
    a = a.astype(b.dtype)
    right = np.broadcast_to(b, shape + (b.shape if b.ndim == 1 else b.shape[-2:]))
    return _solutions(np.broadcast_to(a, shape + a.shape[-2:]), right)


def _solutions(a, b):
    """Solutions for as many right sides as matrices."""
    x = np.zeros(b.shape, dtype=b.dtype)
    for k in range(a.shape[0]):
        x[k] = np.linalg.solve(a[k], b[k]) if a.ndim == 3 else _solutions(a[k], b[k])
    return x


@implements("numpy.linalg.inv")
def inv(a):
    """Inverses of matrices.

    Parameters
    ----------
    a : array_like
        Square matrices of shape (..., n, n).

    Returns
    -------
    numpy.ndarray
        Their inverses.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix is singular or not square.

    Examples
    --------
    >>> inv(np.array([[[4.0]], [[2.0]]]))
    array([[[0.25]],
    <BLANKLINE>
           [[0.5 ]]])
    """
    a = _matrices(a)
    return np.linalg.inv(a) if a.ndim == 2 else _inverses(a)


def _inverses(a):
    x = np.zeros(a.shape, dtype=a.dtype)
    for k in range(a.shape[0]):
        x[k] = np.linalg.inv(a[k])
    return x


@implements("numpy.linalg.det")
def det(a):
    """Determinants of matrices.

    Parameters
    ----------
    a : array_like
        Square matrices of shape (..., n, n).

    Returns
    -------
    float or numpy.ndarray
        Their determinants.

    Examples
    --------
    >>> det(np.array([[[4.0]], [[2.0]]]))
    array([4., 2.])
    """
    a = _matrices(a)
    return np.linalg.det(a) if a.ndim == 2 else _determinants(a)


def _determinants(a):
    d = np.zeros(a.shape[:-2], dtype=a.dtype)
    for k in range(a.shape[0]):
        d[k] = np.linalg.det(a[k])
    return d


@implements("numpy.linalg.slogdet")
def slogdet(a):
    """Signs and logarithms of absolute values of determinants.

    Parameters
    ----------
    a : array_like
        Square matrices of shape (..., n, n).

    Returns
    -------
    sign : float or numpy.ndarray
        1, -1 or 0.
    logabsdet : float or numpy.ndarray
        The logarithms; ``-inf`` for a determinant of 0.

    Examples
    --------
    >>> sign, logabsdet = slogdet(np.array([[-1.0]]))
    >>> float(sign), float(logabsdet)
    (-1.0, 0.0)
    """
    a = _matrices(a)
    return np.linalg.slogdet(a) if a.ndim == 2 else _log_determinants(a)


def _log_determinants(a):
    sign = np.zeros(a.shape[:-2], dtype=a.dtype)
    size = np.zeros(a.shape[:-2], dtype=a.dtype)
    for k in range(a.shape[0]):
        found = np.linalg.slogdet(a[k])
        sign[k] = found[0]
        size[k] = found[1]
    return sign, size


@implements("numpy.linalg.cholesky")
def cholesky(a, /, *, upper=False):
    """Cholesky factors of matrices.

    Parameters
    ----------
    a : array_like
        Symmetric positive definite matrices of shape (..., n, n). Only one triangle is read.
    upper : bool
        With True the upper triangle, ``a = U^T U``; by default ``a = L L^T``.

    Returns
    -------
    numpy.ndarray
        The factors, with zeros in the other triangle.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix is not positive definite or not square.

    Examples
    --------
    >>> cholesky(np.array([[4.0, 2.0], [2.0, 10.0]]))
    array([[2., 0.],
           [1., 3.]])
    """
    a = _matrices(a)
    if upper:
        return np.matrix_transpose(_triangles(np.matrix_transpose(a)))
    return np.linalg.cholesky(a) if a.ndim == 2 else _triangles(a)


def _triangles(a):
    if a.ndim == 2:
        return np.linalg.cholesky(a)
    low = np.zeros(a.shape, dtype=a.dtype)
    for k in range(a.shape[0]):
        low[k] = np.linalg.cholesky(a[k])
    return low


@implements("numpy.linalg.eigh")
def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of symmetric matrices.

    Parameters
    ----------
    a : array_like
        Symmetric matrices of shape (..., n, n). Only one triangle is read.
    UPLO : {"L", "U"}
        The triangle that is read: lower or upper.

    Returns
    -------
    eigenvalues : numpy.ndarray
        Eigenvalues in ascending order, of shape (..., n).
    eigenvectors : numpy.ndarray
        Eigenvectors as columns, of shape (..., n, n).

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix is not square.

    Examples
    --------
    >>> eigh(np.diag([2.0, 1.0]))[0]
    array([1., 2.])
    """
    if UPLO not in ("L", "U"):
        raise TypeError('has the `UPLO` "L" and "U"')
    a = _matrices(a)
    if UPLO == "U":
        a = np.matrix_transpose(a)
    return np.linalg.eigh(a) if a.ndim == 2 else _eigenvectors(a)


def _eigenvectors(a):
    w = np.zeros(a.shape[:-1], dtype=a.dtype)
    v = np.zeros(a.shape, dtype=a.dtype)
    for k in range(a.shape[0]):
        found = np.linalg.eigh(a[k])
        w[k] = found[0]
        v[k] = found[1]
    return w, v


@implements("numpy.linalg.eigvalsh")
def eigvalsh(a, UPLO="L"):
    """Eigenvalues of symmetric matrices in ascending order.

    Parameters
    ----------
    a : array_like
        Symmetric matrices of shape (..., n, n). Only one triangle is read.
    UPLO : {"L", "U"}
        The triangle that is read: lower or upper.

    Returns
    -------
    numpy.ndarray
        The eigenvalues, of shape (..., n).

    Examples
    --------
    >>> eigvalsh(np.diag([2.0, 1.0]))
    array([1., 2.])
    """
    return np.linalg.eigh(a, UPLO)[0]


@implements("numpy.linalg.svd")
def svd(a, full_matrices=True, compute_uv=True):
    """Singular values and singular vectors of matrices.

    Parameters
    ----------
    a : array_like
        Matrices of shape (..., m, n); k is the smaller size.
    full_matrices : bool
        Whether other vectors make the singular vectors a basis, of m columns and of n rows.
    compute_uv : bool
        Whether to compute the singular vectors.

    Returns
    -------
    U : numpy.ndarray
        Left vectors as columns, of shape (..., m, k) or (..., m, m).
    S : numpy.ndarray
        Singular values in descending order, of shape (..., k).
    Vh : numpy.ndarray
        Right vectors as rows, of shape (..., k, n) or (..., n, n).

    Notes
    -----
    The vectors beyond k are not determined by the matrix, only the space that they span: they are others than NumPy's.

    Examples
    --------
    >>> svd(np.diag([1.0, -2.0]), compute_uv=False)
    array([2., 1.])
    """
    a = _matrices(a)
    if a.ndim > 2:
        found = _singular_vectors(a, full_matrices)
        return found if compute_uv else found[1]
    found = np.linalg.svd(a, full_matrices=False)
    if not compute_uv:
        return found[1]
    return (_basis(found[0]), found[1], _basis(found[2].T).T) if full_matrices else found


def _basis(u):
    """Orthonormal columns and, to the right, others that span the rest of the space."""
    m, k = u.shape
    if m > k:
        u = np.concatenate((u, np.linalg.qr(u, mode="complete")[0][:, k:]), axis=1)
    return u


def _singular_vectors(a, full_matrices):
    m, n = a.shape[-2:]
    r = min(m, n)
    u = np.zeros(a.shape[:-2] + (m, m if full_matrices else r), dtype=a.dtype)
    s = np.zeros(a.shape[:-2] + (r,), dtype=a.dtype)
    vt = np.zeros(a.shape[:-2] + (n if full_matrices else r, n), dtype=a.dtype)
    for k in range(a.shape[0]):
        found = np.linalg.svd(a[k], full_matrices=full_matrices)
        u[k] = found[0]
        s[k] = found[1]
        vt[k] = found[2]
    return u, s, vt


@implements("numpy.linalg.svdvals")
def svdvals(x, /):
    """Singular values of matrices in descending order.

    Parameters
    ----------
    x : array_like
        Matrices of shape (..., m, n).

    Returns
    -------
    numpy.ndarray
        The values, of shape (..., min(m, n)).

    Examples
    --------
    >>> svdvals(np.diag([1.0, -2.0]))
    array([2., 1.])
    """
    return np.linalg.svd(x, compute_uv=False)


@implements("numpy.linalg.lstsq")
def lstsq(a, b, rcond=None):
    """Least squares for a matrix of full column rank.

    Parameters
    ----------
    a : array_like
        Matrix of shape (m, n).
    b : array_like
        Right side of shape (m,) or (m, k).
    rcond : float, optional
        Threshold relative to the largest singular value, up to which singular values are treated as 0. Default 0.

    Returns
    -------
    x : numpy.ndarray
        The solution of shape (n,) or (n, k).
    residuals : numpy.ndarray
        The sum of squares for each right side; empty unless there are more rows than columns.
    rank : int
        The number of columns.
    s : numpy.ndarray
        The singular values.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the columns are linearly dependent.

    Examples
    --------
    >>> lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))[0]
    array([2.])
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise TypeError("is of one matrix and a right side of rank 1 or 2")
    found = np.linalg.lstsq(a, b, rcond=None)
    if rcond is not None and np.min(np.append(found[3], np.inf)) <= rcond * np.max(np.append(found[3], 0.0)):
        raise np.linalg.LinAlgError("columns that depend on each other, by `rcond`")
    return found


@implements("numpy.linalg.cond")
def cond(x):
    """Condition numbers of matrices: the ratio of the largest to the smallest singular value.

    Parameters
    ----------
    x : array_like
        Matrices of shape (..., m, n).

    Returns
    -------
    float or numpy.ndarray
        The condition numbers; ``inf`` for singular matrices.

    Raises
    ------
    numpy.linalg.LinAlgError
        For an empty matrix.

    Examples
    --------
    >>> float(cond(np.diag([1.0, 2.0])))
    2.0
    """
    x = _matrices(x)
    if x.size == 0:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    s = np.linalg.svd(x, compute_uv=False)
    ratio = s[..., 0] / s[..., -1]
    return np.where(np.isnan(ratio) & ~np.any(np.isnan(x), axis=(-2, -1)), np.inf, ratio)


@implements("numpy.linalg.multi_dot")
def multi_dot(arrays):
    """Product of two or more matrices. The first and the last one may be vectors.

    Parameters
    ----------
    arrays : list of array_like
        The factors, multiplied from left to right.

    Returns
    -------
    numpy.ndarray
        The product.

    Examples
    --------
    >>> multi_dot([np.eye(2), np.eye(2), np.array([1.0, 2.0])])
    array([1., 2.])
    """
    if len(arrays) < 2:
        raise TypeError("takes a list of two arrays or more, written out")
    total = arrays[0]
    for factor in arrays[1:]:
        total = total @ factor
    return total


@implements("numpy.linalg.matrix_power")
def matrix_power(a, n):
    """Powers of matrices with an int exponent.

    Parameters
    ----------
    a : array_like
        Square matrices of shape (..., m, m); one matrix, if the exponent is not a literal.
    n : int
        The exponent. With a negative one the matrices are inverted first.

    Returns
    -------
    numpy.ndarray
        The powers.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix is not square, or not invertible.

    Examples
    --------
    >>> matrix_power(np.array([[1.0, 1.0], [0.0, 1.0]]), 3)
    array([[1., 3.],
           [0., 1.]])
    """
    a = np.asarray(a)
    if a.ndim < 2:
        raise TypeError(f"is of a matrix, not of an array of rank {a.ndim}")
    if not known(n) and a.ndim == 2 and a.dtype.kind == "f":
        return _power(a, n)
    n = literal(n)
    if a.shape[-2] != a.shape[-1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if n == 0:
        one = np.eye(a.shape[-1], dtype=a.dtype)
        return one if a.ndim == 2 else np.broadcast_to(one, a.shape).copy()
    if n < 0:
        return np.linalg.matrix_power(np.linalg.inv(a), -n)
    if n == 1:
        return a.copy()
    half = np.linalg.matrix_power(a, n // 2) if n > 3 else a
    return half @ half @ a if n % 2 == 1 else half @ half


def _power(a, n):
    """A power of one matrix, by squares."""
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    square = np.linalg.inv(a) if n < 0 else a.copy()
    out, left = np.eye(a.shape[0], dtype=a.dtype), abs(n)
    while left > 0:
        if left % 2 == 1:
            out = out @ square
        left = left // 2
        if left > 0:
            square = square @ square
    return out


@implements("numpy.linalg.trace")
def trace(x, /, *, offset=0):
    """Sum of a diagonal of a matrix.

    Parameters
    ----------
    x : array_like
        The matrix.
    offset : int
        The diagonal: 0 is the main one, 1 the one above it.

    Returns
    -------
    float
        The sum.

    Examples
    --------
    >>> float(trace(np.eye(3)))
    3.0
    """
    return np.trace(x, offset)


@implements("numpy.linalg.diagonal")
def diagonal(x, /, *, offset=0):
    """A diagonal of a matrix.

    Parameters
    ----------
    x : array_like
        The matrix.
    offset : int
        The diagonal: 0 is the main one, 1 the one above it.

    Returns
    -------
    numpy.ndarray
        A read-only view.

    Examples
    --------
    >>> diagonal(np.eye(2))
    array([1., 1.])
    """
    return np.diagonal(x, offset)


@implements("numpy.linalg.cross")
def cross(x1, x2, /):
    """Cross products of vectors with three components along the last axis.

    Parameters
    ----------
    x1, x2 : array_like
        Vectors of shape (..., 3), which broadcast.

    Returns
    -------
    numpy.ndarray
        The products.

    Examples
    --------
    >>> cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    array([0., 0., 1.])
    """
    x1, x2 = np.asarray(x1), np.asarray(x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise TypeError("is of vectors")
    if x1.shape[-1] != 3 or x2.shape[-1] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors")
    return np.cross(x1, x2)


@implements("numpy.linalg.vector_norm")
def vector_norm(x, /):
    """Euclidean norm of all cells.

    Parameters
    ----------
    x : array_like
        Cells, of rank 1 or more.

    Returns
    -------
    float
        The norm.

    Examples
    --------
    >>> float(vector_norm(np.array([[3.0, 4.0]])))
    5.0
    """
    x = np.asarray(x)
    if x.ndim == 0:
        raise TypeError("is of arrays of rank 1 or more")
    return np.linalg.norm(x.ravel())


@implements("numpy.linalg.matrix_norm")
def matrix_norm(x, /):
    """Euclidean norms of matrices.

    Parameters
    ----------
    x : array_like
        Matrices of shape (..., m, n).

    Returns
    -------
    float or numpy.ndarray
        The norms.

    Examples
    --------
    >>> float(matrix_norm(np.array([[3.0, 4.0]])))
    5.0
    """
    x = np.asarray(x)
    if x.ndim < 2:
        raise TypeError(f"is of a matrix, not of an array of rank {x.ndim}")
    return np.linalg.norm(x, axis=(-2, -1))
