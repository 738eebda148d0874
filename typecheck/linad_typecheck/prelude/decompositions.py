"""`scipy.linalg`: functions that NumPy also has, and matrix equations."""

from __future__ import annotations

import numpy as np

from . import implements


def _plain(a):
    """A matrix of finite floats."""
    a = np.asarray_chkfinite(a)
    if a.ndim != 2:
        raise TypeError(f"is of a matrix, not of an array of rank {a.ndim}")
    return a if a.dtype.kind == "f" else a.astype(np.float64)


@implements("scipy.linalg.norm")
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    """Norm of a vector or matrix, as computed by `numpy.linalg.norm`.

    Parameters
    ----------
    a : array_like
        Numbers.
    ord : int, float or str, optional
        The order of the norm; by default Euclidean (Frobenius for matrices).
    axis : int or tuple of int, optional
        Axes of the vectors or matrices.
    keepdims : bool
        Whether the reduced axes are kept with size 1.
    check_finite : bool
        Whether a cell that is not finite raises ValueError.

    Returns
    -------
    float or numpy.ndarray
        The norms.

    Examples
    --------
    >>> float(norm(np.array([3.0, 4.0])))
    5.0
    """
    a = np.asarray_chkfinite(a) if check_finite else np.asarray(a)
    if a.dtype == np.float32:
        raise TypeError("of float32 gives a number of one precision or another: write `np.linalg.norm`")
    if (
        a.ndim == 1 and a.dtype.kind == "f" and axis is None and (ord is None or ord == 2)
    ):  # by BLAS, which does not overflow
        size = np.max(np.append(np.abs(a), 0.0))
        length = size * np.linalg.norm(a / size) if 0.0 < size < np.inf else size
        return np.full((1,), length) if keepdims else length
    return np.linalg.norm(a, ord=ord, axis=axis, keepdims=keepdims)


@implements("scipy.linalg.eigh")
def eigh(a, b=None, *, lower=True, eigvals_only=False):
    """Eigenvalues and eigenvectors of a symmetric matrix. Only one triangle is read.

    Parameters
    ----------
    a : array_like
        Symmetric matrix.
    b : array_like, optional
        Symmetric positive definite matrix of the generalised problem ``a v = w b v``.
    lower : bool
        Whether the lower triangles are read, rather than the upper ones.
    eigvals_only : bool
        Whether to omit the eigenvectors.

    Returns
    -------
    numpy.ndarray or tuple of numpy.ndarray
        The eigenvalues in ascending order, and the eigenvectors as columns.

    Examples
    --------
    >>> eigh(np.diag([2.0, 1.0]), eigvals_only=True)
    array([1., 2.])
    """
    a = _plain(a)
    part = "L" if lower else "U"
    if b is None:
        if eigvals_only:
            return np.linalg.eigvalsh(a, part)
        w, v = np.linalg.eigh(a, part)
        return w, v
    whole = np.tril(a) + np.tril(a, -1).T if lower else np.triu(a) + np.triu(a, 1).T
    b = _plain(b)
    factor = np.linalg.cholesky(np.tril(b) + np.tril(b, -1).T if lower else np.triu(b) + np.triu(b, 1).T)
    inner = np.linalg.solve(factor, np.linalg.solve(factor, whole).T)
    if eigvals_only:
        return np.linalg.eigvalsh(inner)
    w, v = np.linalg.eigh(inner)
    return w, np.linalg.solve(factor.T, v)


@implements("scipy.linalg.eigvalsh")
def eigvalsh(a, b=None, *, lower=True):
    """Eigenvalues of a symmetric matrix in ascending order.

    Parameters
    ----------
    a : array_like
        Symmetric matrix.
    b : array_like, optional
        Symmetric positive definite matrix of the generalised problem ``a v = w b v``.
    lower : bool
        Whether the lower triangles are read, rather than the upper ones.

    Returns
    -------
    numpy.ndarray
        The values.

    Examples
    --------
    >>> eigvalsh(np.diag([2.0, 1.0]))
    array([1., 2.])
    """
    return eigh(a, b, lower=lower, eigvals_only=True)


@implements("scipy.linalg.svd")
def svd(a, full_matrices=True, compute_uv=True):
    """Singular values and vectors of a matrix.

    Parameters
    ----------
    a : array_like
        Matrix of shape (m, n); k is the smaller size.
    full_matrices : bool
        Whether other vectors make the singular vectors a basis, of m columns and of n rows.
    compute_uv : bool
        Whether to compute the singular vectors.

    Returns
    -------
    numpy.ndarray or tuple of numpy.ndarray
        Left vectors as columns, singular values in descending order, and right vectors as rows; or only the values.

    Notes
    -----
    The vectors beyond k are not determined by the matrix, only the space that they span: they are others than SciPy's.

    Examples
    --------
    >>> svd(np.diag([1.0, -2.0]), compute_uv=False)
    array([2., 1.])
    """
    return np.linalg.svd(_plain(a), full_matrices, compute_uv)


@implements("scipy.linalg.null_space")
def null_space(A, rcond=None):
    """An orthonormal basis of the vectors that a matrix takes to 0, by its singular vectors.

    Parameters
    ----------
    A : array_like
        Matrix of shape (m, n).
    rcond : float
        Threshold relative to the largest singular value, up to which singular values are 0; None means the rounding of
        the larger size.

    Returns
    -------
    numpy.ndarray
        The basis as columns. It is another one than SciPy's: only the space is determined. The derivative is that at
        constant rank.

    Examples
    --------
    >>> np.round(np.abs(null_space(np.array([[1.0, 1.0]]))), 6)
    array([[0.707107],
           [0.707107]])
    """
    a = _plain(A)
    _, s, vh = np.linalg.svd(a)
    return vh[_rank(s, a, rcond) :].T.copy()


@implements("scipy.linalg.orth")
def orth(A, rcond=None):
    """An orthonormal basis of the space that the columns of a matrix span: its left singular vectors.

    Parameters
    ----------
    A : array_like
        Matrix of shape (m, n).
    rcond : float
        As for `null_space`.

    Returns
    -------
    numpy.ndarray
        The basis as columns. The derivative is that at constant rank.

    Examples
    --------
    >>> np.round(np.abs(orth(np.array([[2.0, 2.0], [0.0, 0.0]]))), 6)
    array([[1.],
           [0.]])
    """
    a = _plain(A)
    u, s, _ = np.linalg.svd(a, full_matrices=False)
    return u[:, : _rank(s, a, rcond)].copy()


def _rank(s, a, rcond):
    limit = np.finfo(s.dtype).eps * max(a.shape[0], a.shape[1]) if rcond is None else rcond
    return int(np.sum(s > limit * np.max(s)))


@implements("scipy.linalg.svdvals")
def svdvals(a):
    """Singular values of a matrix in descending order.

    Parameters
    ----------
    a : array_like
        Matrix.

    Returns
    -------
    numpy.ndarray
        The values.

    Examples
    --------
    >>> svdvals(np.diag([1.0, -2.0]))
    array([2., 1.])
    """
    return np.linalg.svd(_plain(a), compute_uv=False)


@implements("scipy.linalg.pinv")
def pinv(a, *, atol=None, rtol=None):
    """Pseudo-inverse of a matrix by its singular values.

    Parameters
    ----------
    a : array_like
        Matrix of shape (m, n).
    atol : float, optional
        Absolute threshold: singular values up to it are treated as 0. Default 0.
    rtol : float, optional
        Threshold relative to the largest singular value. Default: ``max(m, n)`` times the machine epsilon.

    Returns
    -------
    numpy.ndarray
        Matrix of shape (n, m).

    Examples
    --------
    >>> pinv(np.diag([2.0, 4.0]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = _plain(a)
    least = 0.0 if atol is None else atol
    if rtol is None:
        part = max(a.shape[0], a.shape[1]) * np.finfo(a.dtype).eps if atol is None else 0.0
    else:
        part = rtol
    largest = np.max(np.append(np.linalg.svd(a, compute_uv=False), 0.0))
    if largest == 0.0:
        return np.zeros((a.shape[1], a.shape[0]), dtype=a.dtype)
    return np.linalg.pinv(a, least / largest + part)


@implements("scipy.linalg.lstsq")
def lstsq(a, b, cond=None):
    """Least squares for a matrix of full column rank.

    Parameters
    ----------
    a : array_like
        Matrix of shape (m, n).
    b : array_like
        Right side of shape (m,) or (m, k).
    cond : float, optional
        Threshold relative to the largest singular value, up to which singular values are treated as 0. Default 0.

    Returns
    -------
    tuple
        The solution of shape (n,) or (n, k), the residual sum of squares per right side, the number of columns, and the
        singular values.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the columns are linearly dependent.

    Examples
    --------
    >>> lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))[0]
    array([2.])
    """
    a, b = _plain(a), np.asarray(b)
    x, residuals, rank, s = np.linalg.lstsq(a, b, rcond=cond)
    return x, np.sum((b - a @ x) ** 2, axis=0), rank, s


@implements("scipy.linalg.solve_sylvester")
def solve_sylvester(a, b, q):
    """The matrix ``x`` with ``a x + x b = q``.

    Parameters
    ----------
    a, b : array_like
        Square matrices of sizes m and n.
    q : array_like
        Matrix of shape (m, n).

    Returns
    -------
    numpy.ndarray
        Matrix of shape (m, n).

    Raises
    ------
    numpy.linalg.LinAlgError
        If there is no solution, or more than one.

    Examples
    --------
    >>> solve_sylvester(np.diag([1.0, 2.0]), np.diag([1.0, 2.0]), np.diag([2.0, 8.0]))
    array([[1., 0.],
           [0., 2.]])
    """
    a, b, q = _plain(a), _plain(b), _plain(q)
    left = np.kron(a, np.eye(b.shape[0])) + np.kron(np.eye(a.shape[0]), b.T)
    return np.linalg.solve(left, q.ravel()).reshape(q.shape)


@implements("scipy.linalg.solve_continuous_lyapunov", "scipy.linalg.solve_lyapunov")
def solve_continuous_lyapunov(a, q):
    """The matrix ``x`` with ``a x + x a.T = q``.

    Parameters
    ----------
    a, q : array_like
        Square matrices of equal size.

    Returns
    -------
    numpy.ndarray
        Matrix of that size.

    Raises
    ------
    numpy.linalg.LinAlgError
        If there is no solution, or more than one.

    Examples
    --------
    >>> solve_continuous_lyapunov(np.diag([1.0, 2.0]), np.diag([2.0, 8.0]))
    array([[1., 0.],
           [0., 2.]])
    """
    a = _plain(a)
    return solve_sylvester(a, a.T, q)


@implements("scipy.linalg.solve_discrete_lyapunov")
def solve_discrete_lyapunov(a, q, method=None):
    """The matrix ``x`` with ``a x a.T - x + q = 0``.

    Parameters
    ----------
    a, q : array_like
        Square matrices of equal size.
    method : str, optional
        Ignored.

    Returns
    -------
    numpy.ndarray
        Matrix of that size.

    Raises
    ------
    numpy.linalg.LinAlgError
        If there is no solution, or more than one.

    Examples
    --------
    >>> solve_discrete_lyapunov(np.diag([0.0, 0.5]), np.diag([2.0, 3.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    a, q = _plain(a), _plain(q)
    left = np.eye(a.shape[0] ** 2) - np.kron(a, a)
    return np.linalg.solve(left, q.ravel()).reshape(q.shape)


@implements("scipy.linalg.companion")
def companion(a):
    """Companion matrix of a polynomial.

    Parameters
    ----------
    a : array_like
        Two or more coefficients, highest power first.

    Returns
    -------
    numpy.ndarray
        Square matrix of order ``len(a) - 1``.

    Raises
    ------
    ValueError
        If there are fewer than two coefficients, or if the first one is 0.

    Examples
    --------
    >>> companion(np.array([1.0, -3.0, 2.0]))
    array([[ 3., -2.],
           [ 1.,  0.]])
    """
    a = np.asarray(a)
    if a.ndim != 1:
        raise TypeError(f"is of coefficients of rank 1, not of rank {a.ndim}")
    if a.shape[0] < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    if a[0] == 0:
        raise ValueError("The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero.")
    n = a.shape[0] - 1
    first = -a[1:] / (1.0 * a[0])
    c = np.zeros((n, n), dtype=first.dtype)
    c[0] = first
    for k in range(n - 1):
        c[k + 1, k] = 1.0
    return c


@implements("scipy.linalg.pinvh")
def pinvh(a, atol=None, rtol=None, lower=True):
    """Pseudo-inverse of a symmetric matrix, from its eigenvalues. Only one triangle is read.

    Parameters
    ----------
    a : array_like
        A symmetric matrix of shape (n, n).
    atol, rtol : float, optional
        Eigenvalues of at most ``atol + rtol * max(abs(w))`` count as zero; ``rtol`` is ``n`` times the rounding error.
    lower : bool
        Whether the lower triangle is read.

    Returns
    -------
    numpy.ndarray
        The pseudo-inverse, of shape (n, n).

    Examples
    --------
    >>> pinvh(np.diag([2.0, 0.0]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    a = _plain(a)
    if a.shape[0] == 0:
        return np.zeros((0, 0), dtype=a.dtype)
    w, v = np.linalg.eigh(a, "L" if lower else "U")
    size = np.abs(w)
    limit = w.shape[0] * np.finfo(w.dtype).eps if rtol is None else rtol
    kept = size > (0.0 if atol is None else atol) + limit * np.max(size)
    return (v * np.where(kept, 1.0 / np.where(kept, w, 1.0), 0.0).astype(w.dtype)) @ v.T


@implements("scipy.linalg.qr")
def qr(a, overwrite_a=False, lwork=None, mode="full"):
    """QR factorisation of a matrix by Householder reflections.

    Parameters
    ----------
    a : array_like
        A matrix of shape (m, n).
    overwrite_a, lwork : object
        Not used.
    mode : {'full', 'economic', 'r'}
        Whether Q has m columns, or as many as R has rows; with 'r' only R is returned.

    Returns
    -------
    tuple of numpy.ndarray
        Q and R.

    Examples
    --------
    >>> q, r = qr(np.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> np.round(q @ r, 6)
    array([[3., 1.],
           [4., 2.]])
    """
    a = _plain(a)
    if mode == "economic":
        return np.linalg.qr(a)
    if mode not in ("full", "r"):
        raise TypeError("takes the modes 'full', 'economic' and 'r'")
    q, r = np.linalg.qr(a, mode="complete")
    return (q, r) if mode == "full" else (r,)
