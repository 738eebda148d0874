"""Factorisations and functions of matrices, written with the engine's factorisations and with loops."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.linalg.qr")
def qr(a, mode="reduced"):
    """QR factorisation of a matrix by Householder reflections.

    Parameters
    ----------
    a : array_like
        Matrix of shape (m, n).
    mode : {"reduced", "complete", "r"}
        Both factors, with k = min(m, n) columns of Q or with k = m, or only R.

    Returns
    -------
    q : numpy.ndarray
        Matrix of shape (m, k) with orthonormal columns.
    r : numpy.ndarray
        Upper triangular matrix of shape (k, n), with the signs of LAPACK.

    Raises
    ------
    TypeError
        For stacks of matrices and other modes.

    Notes
    -----
    The derivative is that of the algorithm. It exists if the first k columns are linearly independent.

    Examples
    --------
    >>> q, r = qr(np.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> bool(np.allclose(q @ r, [[3.0, 1.0], [4.0, 2.0]]))
    True
    """
    a = np.asarray(a)
    if a.ndim != 2:
        raise TypeError("qr is of one matrix here: loop over a stack")
    if a.dtype.kind != "f":
        a = a.astype(np.float64)
    if mode not in ("reduced", "complete", "r"):
        raise TypeError('qr has the modes "reduced", "complete" and "r" here')
    v, r, tau, sign = _reflected(a)
    if mode == "complete":
        return _orthonormal(v, tau, sign, a.shape[0]), r
    k = min(a.shape)
    return r[:k] if mode == "r" else (_orthonormal(v, tau, sign, k), r[:k])


def _power_of_two(a):
    """A power of two near the largest cell, without a gradient. Division by it prevents overflow of squares."""
    largest = np.max(np.abs(a)) if a.size > 0 else 1.0
    usable = (largest > 0.0) & (largest < np.inf)
    return np.exp2(np.floor(np.log2(np.where(usable, largest, 1.0)))).astype(a.dtype)


def _reflected(a):
    """The reflection vectors, R, their factors, and the signs of the rows of R (Golub and Van Loan, Matrix
    Computations, 5.2.1).

    LAPACK skips a column that is 0 below the diagonal. Here it is reflected and the sign of the row of R is changed,
    which gives the same result, with the derivative of a matrix whose column is not quite 0.
    """
    m, n = a.shape
    k = min(m, n)
    scale = _power_of_two(a)
    r = a / scale
    v = np.zeros((m, k), dtype=a.dtype)
    tau = np.zeros(k, dtype=a.dtype)
    sign = np.ones(k, dtype=a.dtype)
    for j in range(k):
        v[j, j] = 1.0
        rest = r[j, j] * 0.0
        largest = 0.0
        for i in range(j + 1, m):
            rest += r[i, j] ** 2
            largest = np.maximum(largest, abs(r[i, j]))
        first = r[j, j]
        if j + 1 < m and (largest != 0.0 or first != 0.0):
            last = -np.copysign(np.sqrt(first * first + rest), first)
            tau[j] = (last - first) / last
            for i in range(j + 1, m):
                v[i, j] = r[i, j] / (first - last)
                r[i, j] = 0.0
            r[j, j] = last
            for c in range(j + 1, n):
                s = r[j, c]
                for i in range(j + 1, m):
                    s += v[i, j] * r[i, c]
                s *= tau[j]
                for i in range(j, m):
                    r[i, c] -= v[i, j] * s
            if largest == 0.0:
                sign[j] = -1.0
                for c in range(j, n):
                    r[j, c] = -r[j, c]
    return v, r * scale, tau, sign


def _orthonormal(v, tau, sign, width):
    """The product of the reflections, applied to the first columns of the identity."""
    m, k = v.shape
    q = np.zeros((m, width), dtype=v.dtype)
    for j in range(k):
        q[j, j] = sign[j]
    for j in range(k, width):
        q[j, j] = 1.0
    for j in range(k - 1, -1, -1):
        for c in range(j, width):
            s = q[j, c]
            for i in range(j + 1, m):
                s += v[i, j] * q[i, c]
            s *= tau[j]
            for i in range(j, m):
                q[i, c] -= v[i, j] * s
    return q


@implements("numpy.linalg.pinv")
def pinv(a, rcond=None, hermitian=False):
    """Pseudo-inverse of a matrix by its singular values.

    Parameters
    ----------
    a : array_like
        Matrix of shape (m, n).
    rcond : float
        Threshold relative to the largest singular value, up to which singular values are treated as 0; None means
        1e-15.
    hermitian : bool
        Whether the matrix is symmetric, so that its lower triangle is read only.

    Returns
    -------
    numpy.ndarray
        Matrix of shape (n, m).

    Raises
    ------
    TypeError
        For stacks of matrices, and for ints.

    Notes
    -----
    For a matrix of full rank the derivative is that of its QR factorisation, which also exists where singular values
    are equal. Otherwise it is that of the singular values and vectors, at constant rank.

    Examples
    --------
    >>> pinv(np.array([[2.0, 0.0], [0.0, 0.0]]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    a = np.asarray(a)
    if a.ndim != 2:
        raise TypeError("pinv is of one matrix here: loop over a stack")
    if a.dtype.kind != "f":
        raise TypeError("pinv is of floats here: convert the matrix, `a.astype(float)`")
    if hermitian:
        a = np.tril(a) + np.tril(a, -1).T
    wide = a.shape[0] < a.shape[1]
    inverse = _inverse_of_columns(a.T.copy() if wide else a.copy(), 1e-15 if rcond is None else rcond)
    return inverse.T.copy() if wide else inverse


def _inverse_of_columns(a, rcond):
    """The pseudo-inverse of a matrix with at most as many columns as rows."""
    s = np.linalg.svd(a, compute_uv=False)
    least = rcond * (np.max(s) if s.shape[0] > 0 else 0.0)
    if np.all(s > least):
        q, r = qr(a)
        return _substituted(r, q.T, False, False)
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    large = s > least
    inverse = np.where(large, 1.0 / np.where(large, s, 1.0), 0.0).astype(s.dtype)
    return vt.T @ (inverse[:, None] * u.T)


@implements("numpy.linalg.matrix_rank")
def matrix_rank(A, tol=None):
    """Rank of a matrix: the number of singular values that are not 0.

    Parameters
    ----------
    A : array_like
        Matrix. For an array of rank 0 or 1 the result is whether any cell is not 0.
    tol : float, optional
        Singular values up to it are treated as 0. Default: the largest one times ``max(m, n)`` and the machine epsilon.

    Returns
    -------
    int
        The rank, which has no gradient.

    Raises
    ------
    TypeError
        For stacks of matrices.

    Examples
    --------
    >>> int(matrix_rank(np.eye(3)))
    3
    """
    A = np.asarray(A)
    if A.ndim < 2:
        return np.int64(np.any(A != 0))
    if A.ndim > 2:
        raise TypeError("matrix_rank is of one matrix here: loop over a stack")
    s = np.linalg.svd(A, compute_uv=False)
    if tol is None:
        spacing = 1.1920928955078125e-07 if s.dtype == np.float32 else 2.220446049250313e-16
        largest = np.max(s) if s.shape[0] > 0 else 0.0
        return np.sum(s > largest * (max(A.shape[0], A.shape[1]) * spacing))
    return np.sum(s > tol)


def _finite(a):
    """An array checked to be finite, as SciPy does first."""
    a = np.asarray(a)
    if a.dtype == bool:
        raise TypeError("it is of numbers here, not of bools")
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


def _square(a):
    """A finite square matrix."""
    a = _finite(a)
    if a.ndim != 2:
        raise TypeError("it is of one matrix here: loop over a stack")
    if a.shape[0] != a.shape[1]:
        raise ValueError("expected a square matrix")
    return a


def _system(a, b):
    """A square matrix and a right side, converted to a common float type."""
    a, b = _square(a) * 1.0, _finite(b) * 1.0
    if b.ndim not in (1, 2):
        raise TypeError("the right side has one or two axes here")
    if a.shape[0] != b.shape[0]:
        raise ValueError("shapes of a and b are incompatible")
    if a.dtype == b.dtype:
        return a, b
    return a.astype(np.float64), b.astype(np.float64)


@implements("scipy.linalg.solve")
def solve(a, b, lower=False, *, assume_a=None):
    """Solution of ``a x = b``.

    Parameters
    ----------
    a : array_like
        Square matrix.
    b : array_like
        Right side of shape (n,) or (n, k).
    lower : bool
        Whether the lower triangle is read of a symmetric matrix; by default the upper one.
    assume_a : {None, "gen", "sym", "her", "pos"}
        A general matrix, a symmetric one, or a symmetric positive definite one. A literal.

    Returns
    -------
    numpy.ndarray
        The solution, of the shape of ``b``.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is singular, or not positive definite under ``"pos"``.

    Examples
    --------
    >>> solve(np.array([[0.0, 2.0], [4.0, 0.0]]), np.array([2.0, 4.0]))
    array([1., 1.])
    """
    a, b = _system(a, b)
    if assume_a in ("pos", "positive definite"):  # SciPy does not test the sign of a single number
        return cho_solve(cho_factor(a, lower), b) if len(a) > 1 else np.linalg.solve(a, b)
    if assume_a in ("sym", "symmetric", "her", "hermitian"):
        a = np.tril(a) + np.tril(a, -1).T if lower else np.triu(a) + np.triu(a, 1).T
    elif assume_a not in (None, "gen", "general"):
        raise TypeError("`assume_a` is one of 'gen', 'sym', 'her' and 'pos' here")
    return np.linalg.solve(a, b)


@implements("scipy.linalg.solve_triangular")
def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False):
    """Solution of ``a x = b`` for a triangular matrix ``a``, by substitution.

    Parameters
    ----------
    a : array_like
        Matrix of shape (n, n). Only one triangle is read.
    b : array_like
        Right side of shape (n,) or (n, k).
    trans : {0, 1, 2, "N", "T", "C"}
        0 and "N" solve ``a x = b``, the others ``a.T x = b``.
    lower : bool
        Whether the lower triangle is read; by default the upper one.
    unit_diagonal : bool
        Whether the diagonal is assumed to be ones, and not read.

    Returns
    -------
    numpy.ndarray
        The solution, of the shape of ``b``.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a cell of the diagonal is 0.
    ValueError
        If the shapes do not match.
    TypeError
        For stacks of matrices.

    Examples
    --------
    >>> solve_triangular(np.array([[2.0, 1.0], [0.0, 4.0]]), np.array([4.0, 8.0]))
    array([1., 2.])
    """
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise TypeError('solve_triangular has the `trans` 0, 1, 2, "N", "T" and "C"')
    a, b = _system(a, b)
    if np.any(np.diag(a) == 0.0) and not unit_diagonal:
        raise np.linalg.LinAlgError("singular matrix: a cell of the diagonal is 0")
    if trans in (0, "N"):
        return _substituted(a, b, lower, unit_diagonal)
    return _substituted(a.T, b, not lower, unit_diagonal)


def _substituted(a, b, lower, unit):
    """Forward substitution, or backward."""
    n = a.shape[0]
    x = b.copy()
    for k in range(n):
        i = k if lower else n - 1 - k
        for j in range(0 if lower else i + 1, i if lower else n):
            x[i] -= a[i, j] * x[j]
        if not unit:
            x[i] /= a[i, i]
    return x


@implements("scipy.linalg.cho_factor")
def cho_factor(a, lower=False):
    """Cholesky factor of a matrix, for `cho_solve`.

    Parameters
    ----------
    a : array_like
        Symmetric positive definite matrix. Only one triangle is read.
    lower : bool
        Whether the lower triangle is read and factorised; by default the upper one.

    Returns
    -------
    c : numpy.ndarray
        The factor in its triangle; the other triangle is that of ``a``.
    lower : bool
        The argument ``lower``.

    Examples
    --------
    >>> c, low = cho_factor(np.array([[4.0, 2.0], [2.0, 10.0]]))
    >>> cho_solve((c, low), np.array([8.0, 22.0]))
    array([1., 2.])
    """
    a = _square(a) * 1.0
    if lower:
        return np.linalg.cholesky(a) + np.triu(a, 1), lower
    return np.linalg.cholesky(a.T).T + np.tril(a, -1), lower


@implements("scipy.linalg.cho_solve")
def cho_solve(c_and_lower, b):
    """Solution of ``a x = b`` with the factor of `cho_factor`.

    Parameters
    ----------
    c_and_lower : tuple
        The result of `cho_factor`.
    b : array_like
        Right side of shape (n,) or (n, k).

    Returns
    -------
    numpy.ndarray
        The solution, of the shape of ``b``.

    Examples
    --------
    >>> cho_solve((np.array([[2.0]]), False), np.array([8.0]))
    array([2.])
    """
    c, lower = c_and_lower
    c, b = _system(c, b)
    if lower:
        return _substituted(c.T, _substituted(c, b, True, False), False, False)
    return _substituted(c, _substituted(c.T, b, True, False), False, False)


@implements("scipy.linalg.cholesky")
def cholesky(a, lower=False):
    """Cholesky factor of a matrix.

    Parameters
    ----------
    a : array_like
        Symmetric positive definite matrix. Only one triangle is read.
    lower : bool
        With True ``a = L L^T``; by default ``a = U^T U``.

    Returns
    -------
    numpy.ndarray
        The factor, with zeros in the other triangle.

    Examples
    --------
    >>> cholesky(np.array([[4.0, 2.0], [2.0, 10.0]]))
    array([[2., 1.],
           [0., 3.]])
    """
    a = _square(a)
    return np.linalg.cholesky(a) if lower else np.linalg.cholesky(a.T).T


@implements("scipy.linalg.inv")
def inv(a):
    """Inverse of a matrix.

    Parameters
    ----------
    a : array_like
        Square matrix.

    Returns
    -------
    numpy.ndarray
        Its inverse.

    Examples
    --------
    >>> inv(np.array([[4.0]]))
    array([[0.25]])
    """
    return np.linalg.inv(_square(a))


@implements("scipy.linalg.det")
def det(a):
    """Determinant of a matrix.

    Parameters
    ----------
    a : array_like
        Square matrix.

    Returns
    -------
    float
        Its determinant.

    Examples
    --------
    >>> float(det(np.array([[4.0]])))
    4.0
    """
    return np.linalg.det(_square(a).astype(np.float64))


@implements("scipy.linalg.lu_factor")
def lu_factor(a):
    """Factors of a square matrix by elimination with partial pivoting, for `lu_solve`.

    Parameters
    ----------
    a : array_like
        Square matrix.

    Returns
    -------
    lu : numpy.ndarray
        ``U`` in the upper triangle, ``L`` without its diagonal of ones below it.
    piv : numpy.ndarray of int
        The row with which each row was interchanged.

    Examples
    --------
    >>> lu_factor(np.array([[1.0, 2.0], [2.0, 2.0]]))[0]
    array([[2. , 2. ],
           [0.5, 1. ]])
    """
    lu, rows = _eliminated(_square(a) * 1.0)
    n = lu.shape[0]
    pivots = np.empty(n, dtype=np.int32)
    order = np.arange(n)
    for k in range(n):
        p = k
        while order[p] != rows[k]:
            p += 1
        order[p] = order[k]
        pivots[k] = p
    return lu, pivots


def _eliminated(a):
    """The factors of a matrix in one, and the rows of the matrix in their new order."""
    m, n = a.shape
    lu = a.copy()
    rows = np.arange(m)
    for k in range(min(m, n)):
        p = k
        for i in range(k + 1, m):
            if abs(lu[i, k]) > abs(lu[p, k]):
                p = i
        if p != k:
            for j in range(n):
                above = lu[k, j]
                lu[k, j] = lu[p, j]
                lu[p, j] = above
            first = rows[k]
            rows[k] = rows[p]
            rows[p] = first
        if lu[k, k] != 0.0:
            for i in range(k + 1, m):
                lu[i, k] /= lu[k, k]
                for j in range(k + 1, n):
                    lu[i, j] -= lu[i, k] * lu[k, j]
    return lu, rows


@implements("scipy.linalg.lu_solve")
def lu_solve(lu_and_piv, b, trans=0):
    """Solution of ``a x = b`` with the factors of `lu_factor`.

    Parameters
    ----------
    lu_and_piv : tuple
        The result of `lu_factor`.
    b : array_like
        Right side of shape (n,) or (n, k).
    trans : int
        1 for the transpose of ``a``.

    Returns
    -------
    numpy.ndarray
        The solution, of the shape of ``b``.

    Examples
    --------
    >>> lu_solve(lu_factor(np.array([[1.0, 2.0], [2.0, 2.0]])), np.array([3.0, 4.0]))
    array([1., 1.])
    """
    lu, pivots = lu_and_piv
    lu, b = _system(lu, b)
    order = np.arange(lu.shape[0])
    for k in range(lu.shape[0]):
        row = order[k]
        order[k] = order[pivots[k]]
        order[pivots[k]] = row
    if trans == 0:
        return _substituted(lu, _substituted(lu, b[order], True, True), False, False)
    return _substituted(lu.T, _substituted(lu.T, b, True, False), False, True)[np.argsort(order)]


@implements("scipy.linalg.lu")
def lu(a, permute_l=False):
    """Factors of a matrix by elimination with partial pivoting.

    Parameters
    ----------
    a : array_like
        Matrix of shape (m, n).
    permute_l : bool
        Whether the first two factors are multiplied.

    Returns
    -------
    p : numpy.ndarray
        Permutation matrix, unless ``permute_l``.
    l : numpy.ndarray
        Lower triangular matrix with a diagonal of ones, or its permutation.
    u : numpy.ndarray
        Upper triangular matrix.

    Examples
    --------
    >>> lu(np.array([[1.0, 2.0], [2.0, 2.0]]))[2]
    array([[2., 2.],
           [0., 1.]])
    """
    a = _finite(a) * 1.0
    if a.ndim != 2:
        raise TypeError("it is of one matrix here: loop over a stack")
    m, n = a.shape
    k = min(m, n)
    both, rows = _eliminated(a)
    low, high = np.tril(both[:, :k], -1) + np.eye(m, k, dtype=a.dtype), np.triu(both[:k])
    if permute_l:
        return low[np.argsort(rows)], high
    return np.eye(m, dtype=a.dtype)[rows].T, low, high
