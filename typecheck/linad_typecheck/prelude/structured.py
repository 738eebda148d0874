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


@implements("scipy.linalg.helmert")
def helmert(n, full=False):
    """Helmert matrix, an orthonormal matrix of contrasts.

    Parameters
    ----------
    n : int
        The order.
    full : bool, optional
        Whether to keep the first row, whose cells are equal.

    Returns
    -------
    numpy.ndarray
        Matrix of shape (n - 1, n), or (n, n) if ``full``.

    Raises
    ------
    ValueError
        If ``n`` is negative.

    Examples
    --------
    >>> np.round(helmert(3), 4)
    array([[ 0.7071, -0.7071,  0.    ],
           [ 0.4082,  0.4082, -0.8165]])
    """
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    k = np.arange(n)
    row, column = k[:, None], k[None, :]
    cells = np.where(row == 0, 1.0, np.where(column < row, 1.0, np.where(column == row, -1.0 * row, 0.0)))
    sizes = np.sqrt(np.where(row == 0, 1.0 * n, row * (row + 1.0)))
    made = cells / sizes
    return made if full else made[1:]


@implements("scipy.linalg.solve_toeplitz")
def solve_toeplitz(c_or_cr, b, check_finite=True):
    """The solution of a system with a Toeplitz matrix, given by its first column, or by a pair of column and row.

    Parameters
    ----------
    c_or_cr : array_like or tuple
        The first column, or the first column and the first row.
    b : array_like
        The right-hand side, a vector or a matrix.
    check_finite : bool
        Ignored.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``b``.

    Examples
    --------
    >>> solve_toeplitz(np.array([2.0, 1.0]), np.array([3.0, 3.0])).round(6)
    array([1., 1.])
    """
    return np.linalg.solve(_of_toeplitz(c_or_cr) * np.float64(1.0), np.asarray(b) * np.float64(1.0))


def _of_toeplitz(c_or_cr):
    return toeplitz(c_or_cr[0], c_or_cr[1]) if isinstance(c_or_cr, tuple) else toeplitz(c_or_cr)


@implements("scipy.linalg.matmul_toeplitz")
def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    """The product of a Toeplitz matrix and a vector or matrix.

    Parameters
    ----------
    c_or_cr : array_like or tuple
        The first column, or the first column and the first row.
    x : array_like
        A vector or a matrix.
    check_finite : bool
        Ignored.
    workers : int, optional
        Ignored.

    Returns
    -------
    numpy.ndarray
        The product.

    Examples
    --------
    >>> matmul_toeplitz(np.array([2.0, 1.0]), np.array([1.0, 1.0]))
    array([3., 3.])
    """
    return (_of_toeplitz(c_or_cr) * np.float64(1.0)) @ (np.asarray(x) * np.float64(1.0))


@implements("scipy.linalg.hadamard")
def hadamard(n, dtype=int):
    """Hadamard's matrix of an order that is a power of 2, by Sylvester's construction.

    Parameters
    ----------
    n : int
        The order, a power of 2.
    dtype : dtype
        Of the result.

    Returns
    -------
    numpy.ndarray
        Of shape (n, n).

    Examples
    --------
    >>> hadamard(2)
    array([[ 1,  1],
           [ 1, -1]])
    """
    if n < 1:
        raise ValueError("n must be an integer, and n must be a power of 2")
    out = np.ones((n, n), dtype=dtype)
    size = 1
    while size < n:
        if 2 * size > n:
            raise ValueError("n must be an integer, and n must be a power of 2")
        for i in range(size):
            for j in range(size):
                out[i, size + j] = out[i, j]
                out[size + i, j] = out[i, j]
                out[size + i, size + j] = -out[i, j]
        size *= 2
    return out


@implements("scipy.linalg.pascal")
def pascal(n, kind="symmetric", exact=True):
    """The matrix of binomial coefficients, symmetric or triangular.

    Parameters
    ----------
    n : int
        The order.
    kind : str
        'symmetric', 'lower' or 'upper'.
    exact : bool
        Must be True.

    Returns
    -------
    numpy.ndarray
        Of shape (n, n).

    Examples
    --------
    >>> pascal(3)
    array([[1, 1, 1],
           [1, 2, 3],
           [1, 3, 6]], dtype=uint64)
    """
    if kind not in ("symmetric", "lower", "upper"):
        raise ValueError("kind must be 'symmetric', 'lower', or 'upper'")
    if not exact or n >= 35:
        raise TypeError("is exact, for n below 35")
    lower = np.zeros((n, n), dtype=np.uint64 if kind == "symmetric" else np.int64)
    for i in range(n):
        lower[i, 0] = 1
        for j in range(1, i + 1):
            lower[i, j] = lower[i - 1, j - 1] + lower[i - 1, j]
    if kind == "upper":
        return lower.T.copy()
    return lower @ lower.T if kind == "symmetric" else lower


@implements("scipy.linalg.leslie")
def leslie(f, s):
    """Leslie's matrix of fecundities and survival coefficients.

    Parameters
    ----------
    f : array_like
        The fecundities, of length n.
    s : array_like
        The survival coefficients, of length n - 1.

    Returns
    -------
    numpy.ndarray
        Of shape (n, n).

    Examples
    --------
    >>> leslie([0.5, 2.0], [0.25])
    array([[0.5 , 2.  ],
           [0.25, 0.  ]])
    """
    f, s = np.atleast_1d(f), np.atleast_1d(s)
    if f.ndim != 1 or s.ndim != 1:
        raise TypeError("is of two vectors")
    n = f.shape[0]
    if n != s.shape[0] + 1:
        raise ValueError("The length of s must be one less than the length of f")
    out = np.zeros((n, n), dtype=np.result_type(f, s))
    out[0] = f
    for k in range(n - 1):
        out[k + 1, k] = s[k]
    return out


@implements("scipy.linalg.fiedler")
def fiedler(a):
    """The matrix of the distances of numbers.

    Parameters
    ----------
    a : array_like
        Numbers, of rank 1.

    Returns
    -------
    numpy.ndarray
        Of shape (n, n).

    Examples
    --------
    >>> fiedler(np.array([1.0, 4.0]))
    array([[0., 3.],
           [3., 0.]])
    """
    a = np.atleast_1d(a)
    if a.ndim != 1:
        raise TypeError("is of one vector")
    return np.abs(a[:, None] - a)


@implements("scipy.linalg.convolution_matrix")
def convolution_matrix(a, n, mode="full"):
    """The matrix whose product with a vector of ``n`` cells is its convolution with ``a``.

    Parameters
    ----------
    a : array_like
        The vector.
    n : int
        The number of columns.
    mode : str
        'full', 'same' or 'valid', as for `convolve`.

    Returns
    -------
    numpy.ndarray
        Of shape (m + n - 1, n) with 'full'.

    Examples
    --------
    >>> convolution_matrix(np.array([1.0, 2.0]), 2)
    array([[1., 0.],
           [2., 1.],
           [0., 2.]])
    """
    a = np.asarray(a)
    if a.ndim != 1 or mode not in ("full", "same", "valid"):
        raise TypeError("is of one vector, with `mode` 'full', 'same' or 'valid'")
    m = a.shape[0]
    if n <= 0 or m == 0:
        raise ValueError("n must be a positive integer, and `a` not empty")
    out = np.zeros((m + n - 1, n), dtype=a.dtype)
    for k in range(n):
        out[k : k + m, k] = a
    if mode == "full":
        return out
    low = min(m, n) - 1 if mode == "valid" else (min(m, n) - 1) // 2
    size = max(m, n) - min(m, n) + 1 if mode == "valid" else max(m, n)
    return out[low : low + size].copy()


@implements("scipy.linalg.khatri_rao")
def khatri_rao(a, b):
    """The Kronecker products of the columns of two matrices.

    Parameters
    ----------
    a : array_like
        Matrix of shape (m, k).
    b : array_like
        Matrix of shape (n, k).

    Returns
    -------
    numpy.ndarray
        Of shape (m n, k).

    Examples
    --------
    >>> khatri_rao(np.array([[1.0], [2.0]]), np.array([[1.0], [3.0]]))
    array([[1.],
           [3.],
           [2.],
           [6.]])
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("The both arrays should be 2-dimensional.")
    if a.shape[1] != b.shape[1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    return (a[:, None, :] * b[None, :, :]).reshape(a.shape[0] * b.shape[0], a.shape[1])


def _symmetric(ab, lower):
    """The symmetric matrix of a band: its diagonal and those above it, from the last row up, or those below it."""
    ab = np.asarray(ab) * np.float64(1.0)
    if ab.ndim != 2:
        raise TypeError("is of one band, of rank 2")
    wide, n = ab.shape
    out = np.zeros((n, n))
    for d in range(wide):
        for j in range(n - d):
            cell = ab[d, j] if lower else ab[wide - 1 - d, j + d]
            out[j, j + d] = cell
            out[j + d, j] = cell
    return out


@implements("scipy.linalg.solveh_banded")
def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True):
    """The solution of a system with a positive definite matrix that is given by its band.

    Parameters
    ----------
    ab : array_like
        The band, of shape (width, n).
    b : array_like
        The right-hand side, of shape (n,) or (n, k).
    overwrite_ab : bool
        Ignored.
    overwrite_b : bool
        Ignored.
    lower : bool
        Whether the band is that of the lower triangle; by default it is that of the upper one.
    check_finite : bool
        Ignored.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``b``.

    Examples
    --------
    >>> solveh_banded(np.array([[0.0, 1.0], [2.0, 2.0]]), np.array([3.0, 3.0])).round(6)
    array([1., 1.])
    """
    return cho_solve_banded((cholesky_banded(ab, lower=lower), lower), b)


@implements("scipy.linalg.cholesky_banded")
def cholesky_banded(ab, overwrite_ab=False, lower=False, check_finite=True):
    """The band of the Cholesky factor of a positive definite matrix that is given by its band.

    Parameters
    ----------
    ab : array_like
        The band, of shape (width, n).
    overwrite_ab : bool
        Ignored.
    lower : bool
        Whether the band is that of the lower triangle; by default it is that of the upper one.
    check_finite : bool
        Ignored.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``ab``.

    Examples
    --------
    >>> cholesky_banded(np.array([[4.0, 4.0], [2.0, 0.0]]), lower=True).round(6)
    array([[2.      , 1.732051],
           [1.      , 0.      ]])
    """
    ab = np.asarray(ab) * np.float64(1.0)
    if ab.ndim != 2:
        raise TypeError("is of one band, of rank 2")
    wide, n = ab.shape
    out = ab.copy()
    for j in range(n):  # out[d, j] is the cell in row j + d and column j of the factor, or of its transpose
        for d in range(min(wide, n - j)):
            total = ab[d, j] if lower else ab[wide - 1 - d, j + d]
            for k in range(max(0, j + d - wide + 1), j):
                if lower:
                    total -= out[j + d - k, k] * out[j - k, k]
                else:
                    total -= out[wide - 1 - (j + d - k), j + d] * out[wide - 1 - (j - k), j]
            if d == 0:
                if not total > 0.0:
                    raise np.linalg.LinAlgError("the matrix is not positive definite")
                total = np.sqrt(total)
            else:
                total /= out[0, j] if lower else out[wide - 1, j]
            if lower:
                out[d, j] = total
            else:
                out[wide - 1 - d, j + d] = total
    return out


@implements("scipy.linalg.cho_solve_banded")
def cho_solve_banded(cb_and_lower, b, overwrite_b=False, check_finite=True):
    """The solution of a system whose matrix has a given band of a Cholesky factor.

    Parameters
    ----------
    cb_and_lower : tuple
        The band of the factor, and whether it is that of the lower triangle.
    b : array_like
        The right-hand side, of shape (n,) or (n, k).
    overwrite_b : bool
        Ignored.
    check_finite : bool
        Ignored.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``b``.

    Examples
    --------
    >>> cho_solve_banded((np.array([[2.0, 2.0]]), True), np.array([4.0, 8.0]))
    array([1., 2.])
    """
    cb, lower = cb_and_lower
    b = np.asarray(b) * np.float64(1.0)
    if b.ndim == 1:
        return _with_factor(np.asarray(cb), lower, b[:, None])[:, 0].copy()
    return _with_factor(np.asarray(cb), lower, b)


def _with_factor(cb, lower, b):
    wide, n = cb.shape
    x = b.copy()
    for j in range(n):
        for d in range(1, min(wide, j + 1)):
            x[j] -= (cb[d, j - d] if lower else cb[wide - 1 - d, j]) * x[j - d]
        x[j] /= cb[0, j] if lower else cb[wide - 1, j]
    for j in range(n - 1, -1, -1):
        for d in range(1, min(wide, n - j)):
            x[j] -= (cb[d, j] if lower else cb[wide - 1 - d, j + d]) * x[j + d]
        x[j] /= cb[0, j] if lower else cb[wide - 1, j]
    return x


@implements("scipy.linalg.eigh_tridiagonal")
def eigh_tridiagonal(d, e, eigvals_only=False):
    """Eigenvalues and eigenvectors of the symmetric matrix with a given diagonal and diagonal beside it.

    Parameters
    ----------
    d : array_like
        The diagonal, of length n.
    e : array_like
        The diagonal beside it, of length n - 1.
    eigvals_only : bool
        Whether to return the eigenvalues alone.

    Returns
    -------
    numpy.ndarray or tuple of numpy.ndarray
        The eigenvalues, ascending, and the eigenvectors as columns.

    Examples
    --------
    >>> eigh_tridiagonal(np.array([2.0, 2.0]), np.array([1.0]), eigvals_only=True).round(6)
    array([1., 3.])
    """
    d, e = np.asarray(d), np.asarray(e)
    if d.ndim != 1 or e.ndim != 1 or d.dtype == np.float32 or e.dtype == np.float32:
        raise TypeError("is of two vectors of float64")
    d, e = d * np.float64(1.0), e * np.float64(1.0)
    if d.shape[0] != e.shape[0] + 1:
        raise ValueError("d must have one more element than e")
    matrix = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    return np.linalg.eigvalsh(matrix) if eigvals_only else np.linalg.eigh(matrix)


@implements("scipy.linalg.eigvalsh_tridiagonal")
def eigvalsh_tridiagonal(d, e):
    """Eigenvalues of the symmetric matrix with a given diagonal and diagonal beside it.

    Parameters
    ----------
    d : array_like
        The diagonal, of length n.
    e : array_like
        The diagonal beside it, of length n - 1.

    Returns
    -------
    numpy.ndarray
        The eigenvalues, ascending.

    Examples
    --------
    >>> eigvalsh_tridiagonal(np.array([2.0, 2.0]), np.array([1.0])).round(6)
    array([1., 3.])
    """
    return eigh_tridiagonal(d, e, True)


@implements("scipy.linalg.eigvals_banded")
def eigvals_banded(a_band, lower=False):
    """Eigenvalues of the symmetric matrix of a band.

    Parameters
    ----------
    a_band : array_like
        The band, of shape (width, n).
    lower : bool
        Whether the band is that of the lower triangle; by default it is that of the upper one.

    Returns
    -------
    numpy.ndarray
        The eigenvalues, ascending.

    Examples
    --------
    >>> eigvals_banded(np.array([[0.0, 1.0], [2.0, 2.0]])).round(6)
    array([1., 3.])
    """
    return np.linalg.eigvalsh(_symmetric(a_band, lower))
