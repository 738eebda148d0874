"""`scipy.stats`: densities and distribution functions of scalars and broadcasting arrays, in float64.

``loc`` and ``scale`` are as in SciPy. If a scale or another parameter is not positive, the result is NaN.
"""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from . import elementwise, implements


def _positive(a):
    """A parameter as float64; NaN if it is not positive."""
    return np.where(a > 0, a, np.nan).astype(np.float64)


def _standard(x, loc, scale):
    """``x`` transformed to the standard distribution."""
    return (x - loc) / _positive(scale)


def _place(z, loc, scale):
    """``z`` transformed back from the standard distribution."""
    return z * _positive(scale) + loc


def _chance(q):
    """A probability as float64; NaN if it is outside [0, 1]."""
    return np.where((q >= 0) & (q <= 1), q, np.nan).astype(np.float64)


def _from_zero(z):
    """The numbers that are in the support of a distribution on [0, inf), and 0 in place of the others."""
    return np.where(z < 0.0, 0.0, z)


# ------------------------------------------------------------------------------------------------------------ normal


@implements("scipy.stats.norm.pdf")
def norm_pdf(x, loc=0.0, scale=1.0):
    """Density of the normal distribution.

    >>> round(float(norm_pdf(0.0)), 6)
    0.398942
    """
    z = _standard(x, loc, scale)
    return np.exp(-0.5 * z**2) * 0.3989422804014327 / scale


@implements("scipy.stats.norm.logpdf")
def norm_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the normal distribution.

    >>> round(float(norm_logpdf(0.0)), 6)
    -0.918939
    """
    z = _standard(x, loc, scale)
    return -0.5 * z**2 - 0.9189385332046727 - np.log(_positive(scale))


@implements("scipy.stats.norm.cdf")
def norm_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the normal distribution.

    >>> float(norm_cdf(0.0))
    0.5
    """
    return sp.ndtr(_standard(x, loc, scale))


@implements("scipy.stats.norm.logcdf")
def norm_logcdf(x, loc=0.0, scale=1.0):
    """Logarithm of the distribution function of the normal distribution.

    >>> round(float(norm_logcdf(0.0)), 6)
    -0.693147
    """
    return sp.log_ndtr(_standard(x, loc, scale))


@implements("scipy.stats.norm.sf")
def norm_sf(x, loc=0.0, scale=1.0):
    """Survival function of the normal distribution, ``1 - cdf``.

    >>> float(norm_sf(0.0))
    0.5
    """
    return sp.ndtr(-_standard(x, loc, scale))


@implements("scipy.stats.norm.logsf")
def norm_logsf(x, loc=0.0, scale=1.0):
    """Logarithm of the survival function of the normal distribution.

    >>> round(float(norm_logsf(0.0)), 6)
    -0.693147
    """
    return sp.log_ndtr(-_standard(x, loc, scale))


@implements("scipy.stats.norm.ppf")
def norm_ppf(q, loc=0.0, scale=1.0):
    """Quantiles of the normal distribution.

    >>> float(norm_ppf(0.5))
    0.0
    """
    return _place(sp.ndtri(_chance(q)), loc, scale)


@implements("scipy.stats.norm.isf")
def norm_isf(q, loc=0.0, scale=1.0):
    """Inverse survival function of the normal distribution.

    >>> float(norm_isf(0.5))
    0.0
    """
    return _place(0.0 - sp.ndtri(_chance(q)), loc, scale)


@implements("scipy.stats.halfnorm.logpdf")
def halfnorm_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the half-normal distribution.

    >>> round(float(halfnorm_logpdf(0.0)), 6)
    -0.225791
    """
    z = _standard(x, loc, scale)
    return np.where(z < 0.0, -np.inf, -0.5 * _from_zero(z) ** 2 - 0.22579135264472744) - np.log(_positive(scale))


@implements("scipy.stats.lognorm.pdf")
def lognorm_pdf(x, s, loc=0.0, scale=1.0):
    """Density of the lognormal distribution.

    >>> round(float(lognorm_pdf(1.0, 1.0)), 6)
    0.398942
    """
    return np.exp(lognorm_logpdf(x, s, loc, scale))


@implements("scipy.stats.lognorm.logpdf")
def lognorm_logpdf(x, s, loc=0.0, scale=1.0):
    """Logarithm of the density of the lognormal distribution.

    >>> round(float(lognorm_logpdf(1.0, 1.0)), 6)
    -0.918939
    """
    z, s = _standard(x, loc, scale), _positive(s)
    outside = (z <= 0.0) | (z == np.inf)
    t = np.log(np.where(outside, 1.0, z))
    return (
        np.where(outside, -np.inf, -0.5 * (t / s) ** 2 - t) - np.log(s) - 0.9189385332046727 - np.log(_positive(scale))
    )


@implements("scipy.stats.lognorm.cdf")
def lognorm_cdf(x, s, loc=0.0, scale=1.0):
    """Distribution function of the lognormal distribution.

    >>> float(lognorm_cdf(1.0, 1.0))
    0.5
    """
    z, s = _standard(x, loc, scale), _positive(s)
    return np.where((z <= 0.0) & (s == s), 0.0, sp.ndtr(np.log(np.where(z <= 0.0, 1.0, z)) / s))


@implements("scipy.stats.lognorm.ppf")
def lognorm_ppf(q, s, loc=0.0, scale=1.0):
    """Quantiles of the lognormal distribution.

    >>> float(lognorm_ppf(0.5, 1.0))
    1.0
    """
    return _place(np.exp(_positive(s) * sp.ndtri(_chance(q))), loc, scale)


# ------------------------------------------------------------------------------------------------ non-negative


@implements("scipy.stats.expon.pdf")
def expon_pdf(x, loc=0.0, scale=1.0):
    """Density of the exponential distribution.

    >>> float(expon_pdf(0.0))
    1.0
    """
    z = _standard(x, loc, scale)
    return np.where(z < 0.0, 0.0, np.exp(-_from_zero(z))) / scale


@implements("scipy.stats.expon.logpdf")
def expon_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the exponential distribution.

    >>> float(expon_logpdf(2.0))
    -2.0
    """
    z = _standard(x, loc, scale)
    return np.where(z < 0.0, -np.inf, -_from_zero(z)) - np.log(_positive(scale))


@implements("scipy.stats.expon.cdf")
def expon_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the exponential distribution.

    >>> round(float(expon_cdf(1.0)), 6)
    0.632121
    """
    return -np.expm1(-_from_zero(_standard(x, loc, scale))) + 0.0


@implements("scipy.stats.expon.sf")
def expon_sf(x, loc=0.0, scale=1.0):
    """Survival function of the exponential distribution.

    >>> round(float(expon_sf(1.0)), 6)
    0.367879
    """
    return np.exp(-_from_zero(_standard(x, loc, scale)))


@implements("scipy.stats.expon.ppf")
def expon_ppf(q, loc=0.0, scale=1.0):
    """Quantiles of the exponential distribution.

    >>> round(float(expon_ppf(0.5)), 6)
    0.693147
    """
    return _place(0.0 - np.log1p(-_chance(q)), loc, scale)


@implements("scipy.stats.gamma.pdf")
def gamma_pdf(x, a, loc=0.0, scale=1.0):
    """Density of the gamma distribution.

    >>> round(float(gamma_pdf(1.0, 1.0)), 6)
    0.367879
    """
    return np.exp(gamma_logpdf(x, a, loc, scale))


@implements("scipy.stats.gamma.logpdf")
def gamma_logpdf(x, a, loc=0.0, scale=1.0):
    """Logarithm of the density of the gamma distribution.

    >>> round(float(gamma_logpdf(1.0, 1.0)), 6)
    -1.0
    """
    z, a = _standard(x, loc, scale), _positive(a)
    outside = (z < 0.0) | (z == np.inf)
    t = np.where(outside, 1.0, z)
    return np.where(outside, -np.inf, sp.xlogy(a - 1.0, t) - t) - sp.gammaln(a) - np.log(_positive(scale))


@implements("scipy.stats.gamma.cdf")
def gamma_cdf(x, a, loc=0.0, scale=1.0):
    """Distribution function of the gamma distribution.

    >>> round(float(gamma_cdf(1.0, 1.0)), 6)
    0.632121
    """
    return sp.gammainc(_positive(a), _from_zero(_standard(x, loc, scale)))


@implements("scipy.stats.gamma.sf")
def gamma_sf(x, a, loc=0.0, scale=1.0):
    """Survival function of the gamma distribution.

    >>> round(float(gamma_sf(1.0, 1.0)), 6)
    0.367879
    """
    return sp.gammaincc(_positive(a), _from_zero(_standard(x, loc, scale)))


@implements("scipy.stats.chi2.logpdf")
def chi2_logpdf(x, df, loc=0.0, scale=1.0):
    """Logarithm of the density of the chi-squared distribution.

    >>> round(float(chi2_logpdf(2.0, 2.0)), 6)
    -1.693147
    """
    z, df = _standard(x, loc, scale), _positive(df)
    outside = (z < 0.0) | (z == np.inf)
    t = np.where(outside, 1.0, z)
    density = sp.xlogy(0.5 * df - 1.0, t) - 0.5 * t - 0.6931471805599453 * (0.5 * df)
    return np.where(outside, -np.inf, density) - sp.gammaln(0.5 * df) - np.log(_positive(scale))


@implements("scipy.stats.chi2.cdf")
def chi2_cdf(x, df, loc=0.0, scale=1.0):
    """Distribution function of the chi-squared distribution.

    >>> round(float(chi2_cdf(2.0, 2.0)), 6)
    0.632121
    """
    return sp.gammainc(0.5 * _positive(df), 0.5 * _from_zero(_standard(x, loc, scale)))


@implements("scipy.stats.chi2.sf")
def chi2_sf(x, df, loc=0.0, scale=1.0):
    """Survival function of the chi-squared distribution.

    >>> round(float(chi2_sf(2.0, 2.0)), 6)
    0.367879
    """
    return sp.gammaincc(0.5 * _positive(df), 0.5 * _from_zero(_standard(x, loc, scale)))


@implements("scipy.stats.weibull_min.logpdf")
def weibull_min_logpdf(x, c, loc=0.0, scale=1.0):
    """Logarithm of the density of the Weibull distribution.

    >>> float(weibull_min_logpdf(2.0, 1.0))
    -2.0
    """
    z, c = _standard(x, loc, scale), _positive(c)
    t = np.where(z < 0.0, 1.0, z)
    return np.where(z < 0.0, -np.inf, sp.xlogy(c - 1.0, t) - t**c) + np.log(c) - np.log(_positive(scale))


@implements("scipy.stats.weibull_min.cdf")
def weibull_min_cdf(x, c, loc=0.0, scale=1.0):
    """Distribution function of the Weibull distribution.

    >>> round(float(weibull_min_cdf(1.0, 2.0)), 6)
    0.632121
    """
    z, c = _standard(x, loc, scale), _positive(c)
    return np.where((z <= 0.0) & (c == c), 0.0, -np.expm1(-(np.where(z <= 0.0, 1.0, z) ** c)))


# ------------------------------------------------------------------------------------------------- on an interval


@implements("scipy.stats.uniform.pdf")
def uniform_pdf(x, loc=0.0, scale=1.0):
    """Density of the uniform distribution from ``loc`` to ``loc + scale``.

    >>> float(uniform_pdf(0.5, 0.0, 2.0))
    0.5
    """
    z = _standard(x, loc, scale)
    return np.where((z < 0.0) | (z > 1.0), 0.0, np.where(z == z, 1.0, z)) / scale


@implements("scipy.stats.uniform.logpdf")
def uniform_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the uniform distribution from ``loc`` to ``loc + scale``.

    >>> float(uniform_logpdf(0.5))
    0.0
    """
    z = _standard(x, loc, scale)
    return np.where((z < 0.0) | (z > 1.0), -np.inf, np.where(z == z, 0.0, z)) - np.log(_positive(scale))


@implements("scipy.stats.uniform.cdf")
def uniform_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the uniform distribution from ``loc`` to ``loc + scale``.

    >>> float(uniform_cdf(0.5, 0.0, 2.0))
    0.25
    """
    z = _standard(x, loc, scale)
    return np.where(z <= 0.0, 0.0, np.where(z > 1.0, 1.0, z))


@implements("scipy.stats.uniform.ppf")
def uniform_ppf(q, loc=0.0, scale=1.0):
    """Quantiles of the uniform distribution from ``loc`` to ``loc + scale``.

    >>> float(uniform_ppf(0.5, 1.0, 2.0))
    2.0
    """
    return _place(_chance(q), loc, scale)


@implements("scipy.stats.beta.pdf")
def beta_pdf(x, a, b, loc=0.0, scale=1.0):
    """Density of the beta distribution.

    >>> round(float(beta_pdf(0.5, 2.0, 2.0)), 6)
    1.5
    """
    return np.exp(beta_logpdf(x, a, b, loc, scale))


@implements("scipy.stats.beta.logpdf")
def beta_logpdf(x, a, b, loc=0.0, scale=1.0):
    """Logarithm of the density of the beta distribution.

    >>> round(float(beta_logpdf(0.5, 2.0, 2.0)), 6)
    0.405465
    """
    z, a, b = _standard(x, loc, scale), _positive(a), _positive(b)
    outside = (z < 0.0) | (z > 1.0)
    t = np.where(outside, 0.5, z)
    density = sp.xlog1py(b - 1.0, -t) + sp.xlogy(a - 1.0, t)
    return np.where(outside, -np.inf, density) - sp.betaln(a, b) - np.log(_positive(scale))


@implements("scipy.stats.beta.cdf")
def beta_cdf(x, a, b, loc=0.0, scale=1.0):
    """Distribution function of the beta distribution.

    >>> round(float(beta_cdf(0.5, 2.0, 2.0)), 6)
    0.5
    """
    z = _standard(x, loc, scale)
    return sp.betainc(_positive(a), _positive(b), np.where(z < 0.0, 0.0, np.where(z > 1.0, 1.0, z)))


# ----------------------------------------------------------------------------------------------------- heavy tails


@implements("scipy.stats.t.pdf")
def t_pdf(x, df, loc=0.0, scale=1.0):
    """Density of Student's t distribution.

    >>> round(float(t_pdf(0.0, 1.0)), 6)
    0.31831
    """
    return np.exp(t_logpdf(x, df, loc, scale))


@implements("scipy.stats.t.logpdf")
def t_logpdf(x, df, loc=0.0, scale=1.0):
    """Logarithm of the density of Student's t distribution.

    >>> round(float(t_logpdf(0.0, 1.0)), 6)
    -1.14473
    """
    z, df = _standard(x, loc, scale), _positive(df)
    n = np.where(df == np.inf, 1.0, df)
    density = -sp.betaln(0.5, 0.5 * n) - 0.5 * np.log(n) - 0.5 * (n + 1.0) * np.log1p(z**2 / n)
    return np.where(df == np.inf, -0.5 * z**2 - 0.9189385332046727, density) - np.log(_positive(scale))


@elementwise()
def _student(df, t, /):
    """Distribution function of Student's t distribution."""
    if not df > 0.0 or t != t:
        return np.nan
    if df == np.inf:
        return sp.ndtr(t)
    if abs(t) == np.inf:
        return 0.0 if t < 0.0 else 1.0
    square = t * t
    if square < df:
        part = 0.5 * sp.betainc(0.5, 0.5 * df, square / (df + square))
        return 0.5 - part if t < 0.0 else 0.5 + part
    tail = 0.5 * sp.betainc(0.5 * df, 0.5, df / (df + square))
    return tail if t < 0.0 else 1.0 - tail


@implements("scipy.stats.t.cdf")
def t_cdf(x, df, loc=0.0, scale=1.0):
    """Distribution function of Student's t distribution.

    >>> round(float(t_cdf(1.0, 1.0)), 6)
    0.75
    """
    return _student(_positive(df), _standard(x, loc, scale))


@implements("scipy.stats.t.sf")
def t_sf(x, df, loc=0.0, scale=1.0):
    """Survival function of Student's t distribution.

    >>> round(float(t_sf(1.0, 1.0)), 6)
    0.25
    """
    return _student(_positive(df), -_standard(x, loc, scale))


@implements("scipy.stats.cauchy.pdf")
def cauchy_pdf(x, loc=0.0, scale=1.0):
    """Density of the Cauchy distribution.

    >>> round(float(cauchy_pdf(0.0)), 6)
    0.31831
    """
    return 0.3183098861837907 / (1.0 + _standard(x, loc, scale) ** 2) / scale


@implements("scipy.stats.cauchy.logpdf")
def cauchy_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the Cauchy distribution.

    >>> round(float(cauchy_logpdf(0.0)), 6)
    -1.14473
    """
    return -1.1447298858494002 - 2.0 * np.log(np.hypot(1.0, _standard(x, loc, scale))) - np.log(_positive(scale))


@implements("scipy.stats.cauchy.cdf")
def cauchy_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the Cauchy distribution.

    >>> float(cauchy_cdf(0.0))
    0.5
    """
    return np.arctan2(1.0, -_standard(x, loc, scale)) * 0.3183098861837907


@implements("scipy.stats.laplace.pdf")
def laplace_pdf(x, loc=0.0, scale=1.0):
    """Density of the Laplace distribution.

    >>> float(laplace_pdf(0.0))
    0.5
    """
    return 0.5 * np.exp(-np.abs(_standard(x, loc, scale))) / scale


@implements("scipy.stats.laplace.logpdf")
def laplace_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the Laplace distribution.

    >>> round(float(laplace_logpdf(0.0)), 6)
    -0.693147
    """
    return -0.6931471805599453 - np.abs(_standard(x, loc, scale)) - np.log(_positive(scale))


@implements("scipy.stats.laplace.cdf")
def laplace_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the Laplace distribution.

    >>> float(laplace_cdf(0.0))
    0.5
    """
    z = _standard(x, loc, scale)
    tail = 0.5 * np.exp(-np.abs(z))
    return np.where(z > 0.0, 1.0 - tail, tail)


@implements("scipy.stats.logistic.logpdf")
def logistic_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the logistic distribution.

    >>> round(float(logistic_logpdf(0.0)), 6)
    -1.386294
    """
    z = -np.abs(_standard(x, loc, scale))
    return z - 2.0 * np.log1p(np.exp(z)) - np.log(_positive(scale))


@implements("scipy.stats.logistic.cdf")
def logistic_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the logistic distribution.

    >>> float(logistic_cdf(0.0))
    0.5
    """
    return sp.expit(_standard(x, loc, scale))


# -------------------------------------------------------------------------------------------------------- counts


def _counted(k, logarithm):
    """The logarithm of a probability of counts; ``-inf`` for what is not a count."""
    return np.where((k < 0) | (k != np.floor(k)), np.where(k == k, -np.inf, np.nan), logarithm)


@implements("scipy.stats.poisson.pmf")
def poisson_pmf(k, mu, loc=0):
    """Probability of a count under the Poisson distribution.

    >>> round(float(poisson_pmf(0, 1.0)), 6)
    0.367879
    """
    return np.exp(poisson_logpmf(k, mu, loc))


@implements("scipy.stats.poisson.logpmf")
def poisson_logpmf(k, mu, loc=0):
    """Logarithm of the probability of a count under the Poisson distribution.

    >>> float(poisson_logpmf(0, 2.0))
    -2.0
    """
    k, mu = (k - loc) * np.float64(1.0), np.where(mu >= 0, mu, np.nan).astype(np.float64)
    n = np.where(k < 0.0, 0.0, k)
    return _counted(k, sp.xlogy(n, mu) - sp.gammaln(n + 1.0) - mu)


@implements("scipy.stats.binom.pmf")
def binom_pmf(k, n, p, loc=0):
    """Probability of a count under the binomial distribution.

    >>> round(float(binom_pmf(1, 2, 0.5)), 6)
    0.5
    """
    return np.exp(binom_logpmf(k, n, p, loc))


@implements("scipy.stats.binom.logpmf")
def binom_logpmf(k, n, p, loc=0):
    """Logarithm of the probability of a count under the binomial distribution.

    >>> round(float(binom_logpmf(1, 2, 0.5)), 6)
    -0.693147
    """
    k, p = (k - loc) * np.float64(1.0), _chance(p)
    n = np.where((n >= 0) & (n % 1 == 0), n, np.nan).astype(np.float64)
    outside = (k < 0.0) | (k > n)
    m = np.where(outside, 0.0, k)
    ways = sp.gammaln(n + 1.0) - sp.gammaln(m + 1.0) - sp.gammaln(n - m + 1.0)
    return _counted(k, np.where(outside, -np.inf, ways + sp.xlogy(m, p) + sp.xlog1py(n - m, -p)))


# ------------------------------------------------------------------------------------------------------ multivariate


@implements("scipy.stats.multivariate_normal.logpdf")
def multivariate_normal_logpdf(x, mean, cov):
    """Logarithm of the density of the multivariate normal distribution, for points along the last axis.

    >>> round(float(multivariate_normal_logpdf(np.zeros(2), np.zeros(2), np.eye(2))), 6)
    -1.837877
    """
    x, mean, cov = np.asarray(x), np.asarray(mean), np.asarray(cov)
    if cov.ndim != 2 or mean.ndim != 1 or x.ndim not in (1, 2):
        raise TypeError("is of points, a mean of rank 1 and a matrix")
    if cov.shape[0] != mean.shape[0] or x.shape[-1] != mean.shape[0]:
        raise ValueError("the points, the mean and the covariance must be of one size")
    if cov.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    if not np.all(np.isfinite(cov)):
        raise ValueError("array must not contain infs or NaNs")
    low = np.linalg.cholesky(cov)
    white = np.linalg.solve(low, (x - mean).T)
    size = 2.0 * np.sum(np.log(np.diagonal(low))) + 1.8378770664093453 * mean.shape[0]
    return -0.5 * (np.sum(white**2, axis=0) + size)


@implements("scipy.stats.multivariate_normal.pdf")
def multivariate_normal_pdf(x, mean, cov):
    """Density of the multivariate normal distribution, for points along the last axis.

    >>> round(float(multivariate_normal_pdf(np.zeros(2), np.zeros(2), np.eye(2))), 6)
    0.159155
    """
    return np.exp(multivariate_normal_logpdf(x, mean, cov))
