"""`scipy.spatial.distance`: distances between vectors and between all pairs of points. Square roots have slope 0 at 0.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from . import implements


def _pair(u, v):
    """Two vectors of equal length."""
    u, v = np.asarray(u), np.asarray(v)
    if u.ndim != 1 or v.ndim != 1:
        raise ValueError("Input vector should be 1-D.")
    if u.shape[0] != v.shape[0]:
        raise ValueError("the vectors must be of one length")
    return u, v


@implements("math.dist")
def dist(p, q):
    """Euclidean distance of two points.

    Parameters
    ----------
    p, q : sequence of float
        The coordinates.

    Returns
    -------
    float
        The distance.

    Raises
    ------
    ValueError
        If one point has more coordinates than the other.

    Examples
    --------
    >>> dist(np.array([1.0, 2.0]), [4.0, 6.0])
    5.0
    """
    if isinstance(p, tuple) and isinstance(q, tuple):
        if len(p) != len(q):
            raise TypeError("takes two points of the same number of coordinates")
        return math.hypot(*[s - t for s, t in zip(p, q)])
    a, b = np.asarray(p) * np.float64(1.0), np.asarray(q) * np.float64(1.0)
    if a.ndim != 1 or b.ndim != 1:
        raise TypeError("is of points as tuples, lists and arrays of rank 1")
    if a.shape[0] != b.shape[0]:
        raise ValueError("both points must have the same number of dimensions")
    total = 0.0
    for i in range(a.shape[0]):
        total = math.hypot(total, a[i] - b[i])
    return float(total)


@implements("scipy.spatial.distance.euclidean")
def euclidean(u, v):
    """Euclidean distance between two vectors.

    Parameters
    ----------
    u, v : array_like
        Vectors of equal length.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> float(euclidean([0.0, 0.0], [3.0, 4.0]))
    5.0
    """
    u, v = _pair(u, v)
    d = (u - v).astype(np.float64)
    if not np.all(np.isfinite(d)):
        raise ValueError("array must not contain infs or NaNs")
    return np.linalg.norm(d)


@implements("scipy.spatial.distance.sqeuclidean")
def sqeuclidean(u, v):
    """Squared Euclidean distance between two vectors.

    Parameters
    ----------
    u, v : array_like
        Vectors of equal length.

    Returns
    -------
    float
        The squared distance.

    Examples
    --------
    >>> float(sqeuclidean([0.0, 0.0], [3.0, 4.0]))
    25.0
    """
    u, v = _pair(u, v)
    u = u if u.dtype.kind == "f" else u.astype(np.float64)
    return np.sum((u - (v if v.dtype.kind == "f" else v.astype(np.float64))) ** 2)


@implements("scipy.spatial.distance.cityblock")
def cityblock(u, v):
    """Manhattan distance between two vectors: the sum of absolute differences.

    Parameters
    ----------
    u, v : array_like
        Vectors of equal length.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> float(cityblock([0.0, 0.0], [3.0, -4.0]))
    7.0
    """
    u, v = _pair(u, v)
    return np.sum(np.abs(u - v))


@implements("scipy.spatial.distance.chebyshev")
def chebyshev(u, v):
    """Chebyshev distance between two vectors: the largest absolute difference.

    Parameters
    ----------
    u, v : array_like
        Vectors of equal length.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> float(chebyshev([0.0, 0.0], [3.0, -4.0]))
    4.0
    """
    u, v = _pair(u, v)
    return np.max(np.abs(u - v))


@implements("scipy.spatial.distance.minkowski")
def minkowski(u, v, p=2):
    """Minkowski distance between two vectors.

    Parameters
    ----------
    u, v : array_like
        Vectors of equal length.
    p : float
        The order, a literal above 0.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> round(float(minkowski([0.0, 0.0], [3.0, 4.0], 3)), 6)
    4.497941
    """
    u, v = _pair(u, v)
    if p <= 0:
        raise ValueError("p must be greater than 0")
    if not np.all(np.isfinite(u - v)):
        raise ValueError("array must not contain infs or NaNs")
    return np.linalg.norm(u - v, p)


@implements("scipy.spatial.distance.cosine")
def cosine(u, v):
    """Cosine distance between two vectors: 1 minus the cosine of the angle.

    Parameters
    ----------
    u, v : array_like
        Vectors of equal length.

    Returns
    -------
    float
        The distance; NaN if a vector is zero.

    Examples
    --------
    >>> float(cosine([1.0, 0.0], [0.0, 2.0]))
    1.0
    """
    u, v = _pair(u, v)
    return np.clip(1.0 - u @ v / np.sqrt((u @ u) * (v @ v)), 0.0, 2.0)


@implements("scipy.spatial.distance.correlation")
def correlation(u, v):
    """Correlation distance between two vectors: 1 minus their correlation.

    Parameters
    ----------
    u, v : array_like
        Vectors of equal length.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> round(float(correlation([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])), 6)
    2.0
    """
    u, v = _pair(u, v)
    return cosine(u - np.mean(u), v - np.mean(v))


@implements("scipy.spatial.distance.canberra")
def canberra(u, v):
    """Canberra distance between two vectors: the sum of ``abs(u - v) / (abs(u) + abs(v))``.

    Parameters
    ----------
    u, v : array_like
        Vectors of equal length.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> float(canberra([1.0, 0.0], [3.0, 0.0]))
    0.5
    """
    u, v = _pair(u, v)
    u, v = u.astype(np.float64), v.astype(np.float64)
    size = np.abs(u) + np.abs(v)
    return np.nansum(np.where(size == 0.0, 0.0, np.abs(u - v) / np.where(size == 0.0, 1.0, size)))


@implements("scipy.spatial.distance.braycurtis")
def braycurtis(u, v):
    """Bray-Curtis distance between two vectors: ``sum(abs(u - v)) / sum(abs(u + v))``.

    Parameters
    ----------
    u, v : array_like
        Vectors of equal length.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> float(braycurtis([1.0, 0.0], [3.0, 0.0]))
    0.5
    """
    u, v = _pair(u, v)
    u, v = u.astype(np.float64), v.astype(np.float64)
    return np.sum(np.abs(u - v)) / np.sum(np.abs(u + v))


@implements("scipy.spatial.distance.cdist")
def cdist(XA, XB, metric="euclidean", *, p=2.0):
    """Distances between all points of one array and all points of another.

    Parameters
    ----------
    XA : array_like
        Points as rows, of shape (m, k).
    XB : array_like
        Points of shape (n, k).
    metric : {"euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "cosine", "correlation"}
        The metric, a literal.
    p : float
        The order of "minkowski", a literal.

    Returns
    -------
    numpy.ndarray
        The distances, of shape (m, n).

    Raises
    ------
    ValueError
        If the points of the two arrays have different dimensions.
    TypeError
        For other metrics.

    Examples
    --------
    >>> cdist(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[5., 1.]])
    """
    XA, XB = np.asarray(XA), np.asarray(XB)
    if XA.ndim != 2 or XB.ndim != 2:
        raise ValueError("points must be the rows of a matrix")
    if XA.shape[1] != XB.shape[1]:
        raise ValueError("XA and XB must have the same number of columns")
    a, b = XA.astype(np.float64), XB.astype(np.float64)
    if metric == "correlation":
        a, b = a - np.mean(a, axis=1, keepdims=True), b - np.mean(b, axis=1, keepdims=True)
    if metric in ("cosine", "correlation"):
        return 1.0 - (a @ b.T) / (np.sqrt(np.sum(a**2, axis=1))[:, None] * np.sqrt(np.sum(b**2, axis=1)))
    between = a[:, None, :] - b[None, :, :]
    if metric == "euclidean":
        return np.linalg.norm(between, axis=-1)
    if metric == "sqeuclidean":
        return np.sum(between**2, axis=-1)
    if metric == "cityblock":
        return np.linalg.norm(between, 1, axis=-1)
    if metric == "chebyshev":
        return np.linalg.norm(between, np.inf, axis=-1)
    if metric == "minkowski":
        return np.linalg.norm(between, p, axis=-1)
    raise TypeError("has the distances euclidean, sqeuclidean, cityblock, chebyshev, minkowski, cosine and correlation")


@implements("scipy.spatial.distance.pdist")
def pdist(X, metric="euclidean", *, p=2.0):
    """Distances between all pairs of points of an array.

    Parameters
    ----------
    X : array_like
        Points as rows, of shape (m, k).
    metric : {"euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "cosine", "correlation"}
        The metric, a literal.
    p : float
        The order of "minkowski", a literal.

    Returns
    -------
    numpy.ndarray
        The distances of the pairs (0, 1), (0, 2), ..., of shape (m (m - 1) / 2,).

    Raises
    ------
    TypeError
        For other metrics.

    Examples
    --------
    >>> pdist(np.array([[0.0], [1.0], [3.0]]))
    array([1., 3., 2.])
    """
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError("A 2-dimensional array must be passed.")
    return _above(cdist(X, X, metric, p=p))


def _above(d):
    """The cells above the diagonal, in row order."""
    n = d.shape[0]
    found = np.zeros(n * (n - 1) // 2, dtype=d.dtype)
    k = 0
    for i in range(n):
        for j in range(i + 1, n):
            found[k] = d[i, j]
            k += 1
    return found


@implements("scipy.spatial.distance.squareform")
def squareform(X, force="no", checks=True):
    """The symmetric matrix of a vector of distances between pairs, or the vector of such a matrix.

    Parameters
    ----------
    X : array_like
        The distances of the pairs ``(0, 1), (0, 2), ...``, or a symmetric matrix with zeros on its diagonal.
    force : str
        Must be 'no'.
    checks : bool
        Whether to check that a matrix is symmetric and has a zero diagonal.

    Returns
    -------
    numpy.ndarray
        A matrix for a vector, and a vector for a matrix.

    Raises
    ------
    ValueError
        If a vector has no length of the form ``n (n - 1) / 2``, or a matrix is not symmetric.

    Examples
    --------
    >>> squareform(np.array([1.0, 2.0, 3.0]))
    array([[0., 1., 2.],
           [1., 0., 3.],
           [2., 3., 0.]])
    """
    X = np.asarray(X)
    if X.ndim == 1:
        n = int(np.ceil(np.sqrt(X.shape[0] * 2.0))) if X.shape[0] > 0 else 1
        if n * (n - 1) != 2 * X.shape[0]:
            raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose 2 for some n >= 2.")
        return _spread(X, n)
    if X.ndim != 2:
        raise TypeError("is of a vector or a matrix")
    if X.shape[0] != X.shape[1]:
        raise ValueError("The matrix argument must be square.")
    if checks and not np.allclose(X, X.T, rtol=1e-5, atol=1e-8):
        raise ValueError("Distance matrix 'X' must be symmetric.")
    if checks and not np.all(np.abs(np.diag(X)) <= 1e-8):
        raise ValueError("Distance matrix 'X' diagonal must be zero.")
    return X[np.triu_indices(X.shape[0], 1)]


def _spread(d, n):
    """The symmetric matrix of distances between pairs."""
    out = np.zeros((n, n), dtype=d.dtype)
    k = 0
    for i in range(n):
        for j in range(i + 1, n):
            out[i, j] = d[k]
            out[j, i] = d[k]
            k += 1
    return out


@implements("scipy.spatial.distance.mahalanobis")
def mahalanobis(u, v, VI):
    """Mahalanobis distance of two vectors, with the inverse of a covariance matrix.

    Parameters
    ----------
    u : array_like
        A vector.
    v : array_like
        A vector of equal length.
    VI : array_like
        The inverse of the covariance matrix.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> float(mahalanobis([0.0, 0.0], [3.0, 4.0], np.eye(2)))
    5.0
    """
    u, v = _pair(u, v)
    d = u - v
    return np.sqrt(np.dot(np.dot(d, np.asarray(VI)), d))


@implements("scipy.spatial.distance.seuclidean")
def seuclidean(u, v, V):
    """Euclidean distance of two vectors, each difference of which is divided by a standard deviation.

    Parameters
    ----------
    u : array_like
        A vector.
    v : array_like
        A vector of equal length.
    V : array_like
        The variances, one for each cell.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> float(seuclidean([0.0, 0.0], [3.0, 4.0], [1.0, 1.0]))
    5.0
    """
    u, v = _pair(u, v)
    d, scale = (u - v) * np.float64(1.0), np.asarray(V)
    if scale.ndim != 1:
        raise TypeError("is of a vector of variances")
    return np.linalg.norm(d / np.sqrt(scale))


@implements("scipy.spatial.distance.hamming")
def hamming(u, v):
    """The share of the cells in which two vectors differ.

    Parameters
    ----------
    u : array_like
        A vector.
    v : array_like
        A vector of equal length.

    Returns
    -------
    float
        The share.

    Examples
    --------
    >>> float(hamming([1.0, 2.0], [1.0, 3.0]))
    0.5
    """
    u, v = _pair(u, v)
    return np.mean(u != v)


@implements("scipy.spatial.distance.jensenshannon")
def jensenshannon(p, q, base=None):
    """The square root of the Jensen-Shannon divergence of two distributions (J. Lin, IEEE Transactions on Information
    Theory 37, 145-151, 1991).

    Parameters
    ----------
    p : array_like
        A vector of weights, which are normalised.
    q : array_like
        A vector of weights of equal length.
    base : float, optional
        The base of the logarithm; e by default.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> round(float(jensenshannon([1.0, 0.0], [0.0, 1.0], 2.0)), 6)
    1.0
    """
    p, q = _pair(p, q)
    p, q = p / np.sum(p), q / np.sum(q)
    middle = 0.5 * (p + q)
    both = np.sum(sp.rel_entr(p, middle)) + np.sum(sp.rel_entr(q, middle))
    return np.sqrt(0.5 * both if base is None else 0.5 * both / np.log(base))
