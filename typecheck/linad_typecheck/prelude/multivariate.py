"""`scipy.stats`: densities of vectors and matrices, in float64."""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from . import implements


@implements("scipy.stats.multivariate_normal.logpdf")
def multivariate_normal_logpdf(x, mean=None, cov=1.0, allow_singular=False):
    """Logarithm of the density of the multivariate normal distribution, for points along the last axis.

    >>> round(float(multivariate_normal_logpdf(np.zeros(2), np.zeros(2), np.eye(2))), 6)
    -1.837877
    """
    one = np.float64(1.0)
    x, cov = one * np.asarray(x), one * np.asarray(1.0 if cov is None else cov)
    if cov.ndim > 2 or (mean is not None and np.asarray(mean).ndim > 1):
        raise TypeError("is of a mean of rank 1 and a matrix")
    if (cov.ndim < 2 if mean is None else np.asarray(mean).ndim == 0):
        center, variance = np.float64(0.0 if mean is None else mean), np.reshape(cov, ())
        if not variance >= 0.0:
            raise ValueError("The input matrix must be symmetric positive semidefinite.")
        if variance == 0.0:
            raise np.linalg.LinAlgError("the input matrix must be symmetric positive definite")
        if x.ndim > 0 and 1 in x.shape:
            raise ValueError("the density of one point is a number: pass the point as a number")
        return -0.5 * ((x - center) ** 2 / variance + np.log(variance) + 1.8378770664093453)
    center = np.zeros(cov.shape[0]) if mean is None else np.asarray(mean)
    n = center.shape[0]
    full = cov * np.eye(n) if cov.ndim == 0 else np.diag(cov) if cov.ndim == 1 else cov
    if x.ndim not in (1, 2):
        raise TypeError("is of points of rank 1 or 2 here")
    if x.ndim == 2 and x.shape[0] == 1:
        raise ValueError("the density of one point is a number: pass the point as an array of rank 1")
    if full.shape[0] != n or x.shape[-1] != n:
        raise ValueError("the points, the mean and the covariance must be of one size")
    if n == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    if not np.all(np.isfinite(full)):
        raise ValueError("array must not contain infs or NaNs")
    low = np.linalg.cholesky(full)
    white = np.linalg.solve(low, (x - center).T)
    size = 2.0 * np.sum(np.log(np.diagonal(low))) + 1.8378770664093453 * n
    return -0.5 * (np.sum(white**2, axis=0) + size)


@implements("scipy.stats.multivariate_normal.pdf")
def multivariate_normal_pdf(x, mean=None, cov=1.0, allow_singular=False):
    """Density of the multivariate normal distribution, for points along the last axis.

    >>> round(float(multivariate_normal_pdf(np.zeros(2), np.zeros(2), np.eye(2))), 6)
    0.159155
    """
    return np.exp(multivariate_normal_logpdf(x, mean, cov))


@implements("scipy.stats.multivariate_normal.entropy")
def multivariate_normal_entropy(mean=None, cov=1):
    """Differential entropy of the multivariate normal distribution: 1/2 for each dimension, less the log density at the
    mean.

    >>> round(float(multivariate_normal_entropy(None, np.eye(2))), 6)
    2.837877
    """
    spread = np.asarray(1.0 if cov is None else cov)
    n = np.asarray(mean).size if mean is not None else spread.shape[0] if spread.ndim > 1 else 1
    center = mean if mean is not None else np.zeros(n) if spread.ndim > 1 else 0.0
    return 0.5 * n - multivariate_normal_logpdf(center, center, cov)


@implements("scipy.stats.dirichlet.logpdf")
def dirichlet_logpdf(x, alpha):
    """Logarithm of the density of the Dirichlet distribution at one point, whose last number may be left out.

    >>> round(float(dirichlet_logpdf(np.array([0.25, 0.75]), np.array([2.0, 3.0]))), 6)
    0.523248
    """
    x, alpha = np.asarray(x) * np.float64(1.0), np.asarray(alpha) * np.float64(1.0)
    if x.ndim != 1 or alpha.ndim != 1:
        raise TypeError("is of one point and of parameters of rank 1 here")
    n = alpha.shape[0]
    if x.shape[0] != n and x.shape[0] != n - 1:
        raise ValueError("Vector 'x' must have either the same number of entries as, or one entry fewer than, 'alpha'")
    if np.any(alpha <= 0.0):
        raise ValueError("All parameters must be greater than 0")
    if np.any(x < 0.0) or np.any(x > 1.0):
        raise ValueError("Each entry in 'x' must be between 0 and 1")
    total = np.sum(x)
    if x.shape[0] == n and abs(total - 1.0) > 1e-9:
        raise ValueError("The input vector 'x' must lie within the normal simplex")
    ways = sp.gammaln(np.sum(alpha)) - np.sum(sp.gammaln(alpha))
    known = ways + np.sum(sp.xlogy(alpha[: x.shape[0]] - 1.0, x))
    return known if x.shape[0] == n else known + sp.xlogy(alpha[n - 1] - 1.0, 1.0 - total)


@implements("scipy.stats.dirichlet.pdf")
def dirichlet_pdf(x, alpha):
    """Density of the Dirichlet distribution at one point.

    >>> round(float(dirichlet_pdf(np.array([0.25, 0.75]), np.array([2.0, 3.0]))), 6)
    1.6875
    """
    return np.exp(dirichlet_logpdf(x, alpha))


@implements("scipy.stats.multivariate_t.logpdf")
def multivariate_t_logpdf(x, loc, shape, df=1.0):
    """Logarithm of the density of the multivariate t distribution, for points along the last axis.

    >>> round(float(multivariate_t_logpdf(np.zeros(2), np.zeros(2), np.eye(2), 3.0)), 6)
    -1.837877
    """
    x, loc, shape = np.asarray(x), np.asarray(loc), np.asarray(shape)
    if shape.ndim != 2 or loc.ndim != 1 or x.ndim not in (1, 2):
        raise TypeError("is of points, a mean of rank 1 and a matrix")
    if shape.shape[0] != loc.shape[0] or x.shape[-1] != loc.shape[0]:
        raise ValueError("the points, the mean and the matrix must be of one size")
    n = loc.shape[0]
    if n == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    if not np.all(np.isfinite(shape)):
        raise ValueError("array must not contain infs or NaNs")
    low = np.linalg.cholesky(shape)
    square = np.sum(np.linalg.solve(low, (x - loc).T) ** 2, axis=0)
    size = np.sum(np.log(np.diagonal(low))) + 0.5 * n * np.log(np.pi * df)
    return sp.gammaln(0.5 * (df + n)) - sp.gammaln(0.5 * df) - size - 0.5 * (df + n) * np.log1p(square / df)


@implements("scipy.stats.multivariate_t.pdf")
def multivariate_t_pdf(x, loc, shape, df=1.0):
    """Density of the multivariate t distribution, for points along the last axis.

    >>> round(float(multivariate_t_pdf(np.zeros(2), np.zeros(2), np.eye(2), 3.0)), 6)
    0.159155
    """
    return np.exp(multivariate_t_logpdf(x, loc, shape, df))


@implements("scipy.stats.wishart.logpdf")
def wishart_logpdf(x, df, scale):
    """Logarithm of the density of the Wishart distribution at one symmetric positive definite matrix.

    >>> round(float(wishart_logpdf(np.eye(2), 3.0, np.eye(2))), 6)
    -3.531024
    """
    x, scale = np.asarray(x), np.asarray(scale)
    if x.ndim != 2 or scale.ndim != 2:
        raise TypeError("is of one matrix and of a matrix here")
    if x.shape[0] != x.shape[1] or x.shape[0] != scale.shape[0] or scale.shape[0] != scale.shape[1]:
        raise ValueError("the two matrices must be square and of one size")
    n = x.shape[0]
    if not np.all(np.isfinite(x)) or not np.all(np.isfinite(scale)):
        raise ValueError("array must not contain infs or NaNs")
    if df <= n - 1:
        raise ValueError("Degrees of freedom must be greater than the dimension of scale matrix minus 1.")
    low = np.linalg.cholesky(scale)
    size, point = 2.0 * np.sum(np.log(np.diagonal(low))), np.linalg.slogdet(x)[1]
    away = np.trace(np.linalg.solve(scale, x))
    ways = 0.5 * df * n * 0.6931471805599453 + 0.5 * df * size + 0.25 * n * (n - 1) * 1.1447298858494002
    for k in range(n):
        ways += sp.gammaln(0.5 * (df - k))
    return 0.5 * (df - n - 1.0) * point - 0.5 * away - ways


@implements("scipy.stats.wishart.pdf")
def wishart_pdf(x, df, scale):
    """Density of the Wishart distribution at one symmetric positive definite matrix.

    >>> round(float(wishart_pdf(np.eye(2), 3.0, np.eye(2))), 6)
    0.029275
    """
    return np.exp(wishart_logpdf(x, df, scale))
