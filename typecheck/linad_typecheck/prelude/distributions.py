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


def _log(p, rest):
    """The logarithm of a probability, given with that of the contrary."""
    return np.where(p > 0.5, np.log1p(-rest), np.log(p))


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


@implements("scipy.stats.norm.fit")
def norm_fit(data):
    """The mean and the standard deviation of data.

    >>> tuple(map(float, norm_fit(np.array([1.0, 3.0]))))
    (2.0, 1.0)
    """
    x = np.asarray(data)
    if not np.all(np.isfinite(x)):
        raise ValueError("The data contains non-finite values.")
    loc = np.mean(x)
    return loc, np.sqrt(np.mean((x - loc) ** 2))


@implements("scipy.stats.halfnorm.logpdf")
def halfnorm_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the half-normal distribution.

    >>> round(float(halfnorm_logpdf(0.0)), 6)
    -0.225791
    """
    z = _standard(x, loc, scale)
    return np.where(z < 0.0, -np.inf, -0.5 * _from_zero(z) ** 2 - 0.22579135264472744) - np.log(_positive(scale))


@implements("scipy.stats.halfnorm.pdf")
def halfnorm_pdf(x, loc=0.0, scale=1.0):
    """Density of the size of a normal distribution.

    >>> round(float(halfnorm_pdf(1.0)), 6)
    0.483941
    """
    return np.exp(halfnorm_logpdf(x, loc, scale))


@implements("scipy.stats.halfnorm.cdf")
def halfnorm_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the size of a normal distribution.

    >>> round(float(halfnorm_cdf(1.0)), 6)
    0.682689
    """
    return sp.erf(_from_zero(_standard(x, loc, scale)) * 0.7071067811865476)


@implements("scipy.stats.halfnorm.sf")
def halfnorm_sf(x, loc=0.0, scale=1.0):
    """Survival function of the size of a normal distribution.

    >>> round(float(halfnorm_sf(1.0)), 6)
    0.317311
    """
    return 2.0 * sp.ndtr(-_from_zero(_standard(x, loc, scale)))


@implements("scipy.stats.halfnorm.ppf")
def halfnorm_ppf(q, loc=0.0, scale=1.0):
    """Quantiles of the size of a normal distribution.

    >>> round(float(halfnorm_ppf(0.75)), 6)
    1.150349
    """
    return _place(sp.ndtri(0.5 * (1.0 + _chance(q))), loc, scale)


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


@implements("scipy.stats.lognorm.sf")
def lognorm_sf(x, s, loc=0.0, scale=1.0):
    """Survival function of the lognormal distribution.

    >>> round(float(lognorm_sf(1.0, 1.0)), 6)
    0.5
    """
    z, s = _standard(x, loc, scale), _positive(s)
    return np.where((z <= 0.0) & (s == s), 1.0, sp.ndtr(-np.log(np.where(z <= 0.0, 1.0, z)) / s))


@implements("scipy.stats.lognorm.logcdf")
def lognorm_logcdf(x, s, loc=0.0, scale=1.0):
    """Logarithm of the distribution function of the lognormal distribution.

    >>> round(float(lognorm_logcdf(1.0, 1.0)), 6)
    -0.693147
    """
    z, s = _standard(x, loc, scale), _positive(s)
    return np.where((z <= 0.0) & (s == s), -np.inf, sp.log_ndtr(np.log(np.where(z <= 0.0, 1.0, z)) / s))


@implements("scipy.stats.lognorm.logsf")
def lognorm_logsf(x, s, loc=0.0, scale=1.0):
    """Logarithm of the survival function of the lognormal distribution.

    >>> round(float(lognorm_logsf(1.0, 1.0)), 6)
    -0.693147
    """
    z, s = _standard(x, loc, scale), _positive(s)
    return np.where((z <= 0.0) & (s == s), 0.0, sp.log_ndtr(-np.log(np.where(z <= 0.0, 1.0, z)) / s))


@implements("scipy.stats.lognorm.isf")
def lognorm_isf(q, s, loc=0.0, scale=1.0):
    """Numbers that the lognormal distribution exceeds with a probability.

    >>> round(float(lognorm_isf(0.75, 1.0)), 6)
    0.509416
    """
    return _place(np.exp(0.0 - _positive(s) * sp.ndtri(_chance(q))), loc, scale)


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


@implements("scipy.stats.expon.logsf")
def expon_logsf(x, loc=0.0, scale=1.0):
    """Logarithm of the survival function of the exponential distribution.

    >>> round(float(expon_logsf(1.0)), 6)
    -1.0
    """
    return 0.0 - _from_zero(_standard(x, loc, scale))


@implements("scipy.stats.expon.logcdf")
def expon_logcdf(x, loc=0.0, scale=1.0):
    """Logarithm of the distribution function of the exponential distribution.

    >>> round(float(expon_logcdf(1.0)), 6)
    -0.458675
    """
    return _log(expon_cdf(x, loc, scale), expon_sf(x, loc, scale))


@implements("scipy.stats.expon.isf")
def expon_isf(q, loc=0.0, scale=1.0):
    """Numbers that the exponential distribution exceeds with a probability.

    >>> round(float(expon_isf(0.75)), 6)
    0.287682
    """
    return _place(0.0 - np.log(_chance(q)), loc, scale)


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


@implements("scipy.stats.gamma.logcdf")
def gamma_logcdf(x, a, loc=0.0, scale=1.0):
    """Logarithm of the distribution function of the gamma distribution.

    >>> round(float(gamma_logcdf(1.0, 1.0)), 6)
    -0.458675
    """
    return _log(gamma_cdf(x, a, loc, scale), gamma_sf(x, a, loc, scale))


@implements("scipy.stats.gamma.logsf")
def gamma_logsf(x, a, loc=0.0, scale=1.0):
    """Logarithm of the survival function of the gamma distribution.

    >>> round(float(gamma_logsf(1.0, 1.0)), 6)
    -1.0
    """
    return _log(gamma_sf(x, a, loc, scale), gamma_cdf(x, a, loc, scale))


@implements("scipy.stats.gamma.ppf")
def gamma_ppf(q, a, loc=0.0, scale=1.0):
    """Quantiles of the gamma distribution.

    >>> round(float(gamma_ppf(0.75, 1.0)), 6)
    1.386294
    """
    return _place(sp.gammaincinv(_positive(a), _chance(q)), loc, scale)


@implements("scipy.stats.gamma.isf")
def gamma_isf(q, a, loc=0.0, scale=1.0):
    """Numbers that the gamma distribution exceeds with a probability.

    >>> round(float(gamma_isf(0.75, 1.0)), 6)
    0.287682
    """
    return _place(sp.gammainccinv(_positive(a), _chance(q)), loc, scale)


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


@implements("scipy.stats.chi2.pdf")
def chi2_pdf(x, df, loc=0.0, scale=1.0):
    """Density of the chi-squared distribution.

    >>> round(float(chi2_pdf(1.0, 2.0)), 6)
    0.303265
    """
    return np.exp(chi2_logpdf(x, df, loc, scale))


@implements("scipy.stats.chi2.logcdf")
def chi2_logcdf(x, df, loc=0.0, scale=1.0):
    """Logarithm of the distribution function of the chi-squared distribution.

    >>> round(float(chi2_logcdf(1.0, 2.0)), 6)
    -0.932752
    """
    return _log(chi2_cdf(x, df, loc, scale), chi2_sf(x, df, loc, scale))


@implements("scipy.stats.chi2.logsf")
def chi2_logsf(x, df, loc=0.0, scale=1.0):
    """Logarithm of the survival function of the chi-squared distribution.

    >>> round(float(chi2_logsf(1.0, 2.0)), 6)
    -0.5
    """
    return _log(chi2_sf(x, df, loc, scale), chi2_cdf(x, df, loc, scale))


@implements("scipy.stats.chi2.ppf")
def chi2_ppf(q, df, loc=0.0, scale=1.0):
    """Quantiles of the chi-squared distribution.

    >>> round(float(chi2_ppf(0.75, 2.0)), 6)
    2.772589
    """
    return _place(2.0 * sp.gammaincinv(0.5 * _positive(df), _chance(q)), loc, scale)


@implements("scipy.stats.chi2.isf")
def chi2_isf(q, df, loc=0.0, scale=1.0):
    """Numbers that the chi-squared distribution exceeds with a probability.

    >>> round(float(chi2_isf(0.75, 2.0)), 6)
    0.575364
    """
    return _place(2.0 * sp.gammainccinv(0.5 * _positive(df), _chance(q)), loc, scale)


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


@implements("scipy.stats.weibull_min.pdf")
def weibull_min_pdf(x, c, loc=0.0, scale=1.0):
    """Density of the Weibull distribution.

    >>> round(float(weibull_min_pdf(1.0, 2.0)), 6)
    0.735759
    """
    return np.exp(weibull_min_logpdf(x, c, loc, scale))


@implements("scipy.stats.weibull_min.sf")
def weibull_min_sf(x, c, loc=0.0, scale=1.0):
    """Survival function of the Weibull distribution.

    >>> round(float(weibull_min_sf(1.0, 2.0)), 6)
    0.367879
    """
    z, c = _standard(x, loc, scale), _positive(c)
    return np.where((z <= 0.0) & (c == c), 1.0, np.exp(-(np.where(z <= 0.0, 1.0, z) ** c)))


@implements("scipy.stats.weibull_min.ppf")
def weibull_min_ppf(q, c, loc=0.0, scale=1.0):
    """Quantiles of the Weibull distribution.

    >>> round(float(weibull_min_ppf(0.75, 2.0)), 6)
    1.17741
    """
    return _place((0.0 - np.log1p(-_chance(q))) ** (1.0 / _positive(c)), loc, scale)


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


@implements("scipy.stats.uniform.sf")
def uniform_sf(x, loc=0.0, scale=1.0):
    """Survival function of the uniform distribution.

    >>> round(float(uniform_sf(0.5)), 6)
    0.5
    """
    z = _standard(x, loc, scale)
    return np.where(z <= 0.0, 1.0, np.where(z > 1.0, 0.0, 1.0 - z))


@implements("scipy.stats.uniform.isf")
def uniform_isf(q, loc=0.0, scale=1.0):
    """Numbers that the uniform distribution exceeds with a probability.

    >>> round(float(uniform_isf(0.75)), 6)
    0.25
    """
    return _place(1.0 - _chance(q), loc, scale)


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


@implements("scipy.stats.beta.sf")
def beta_sf(x, a, b, loc=0.0, scale=1.0):
    """Survival function of the beta distribution.

    >>> round(float(beta_sf(0.5, 2.0, 2.0)), 6)
    0.5
    """
    z = _standard(x, loc, scale)
    return sp.betainc(_positive(b), _positive(a), 1.0 - np.where(z < 0.0, 0.0, np.where(z > 1.0, 1.0, z)))


@implements("scipy.stats.beta.ppf")
def beta_ppf(q, a, b, loc=0.0, scale=1.0):
    """Quantiles of the beta distribution.

    >>> round(float(beta_ppf(0.75, 2.0, 2.0)), 6)
    0.673648
    """
    return _place(sp.betaincinv(_positive(a), _positive(b), _chance(q)), loc, scale)


@implements("scipy.stats.beta.logcdf")
def beta_logcdf(x, a, b, loc=0.0, scale=1.0):
    """Logarithm of the distribution function of the beta distribution.

    >>> round(float(beta_logcdf(0.5, 2.0, 2.0)), 6)
    -0.693147
    """
    return _log(beta_cdf(x, a, b, loc, scale), beta_sf(x, a, b, loc, scale))


@implements("scipy.stats.beta.logsf")
def beta_logsf(x, a, b, loc=0.0, scale=1.0):
    """Logarithm of the survival function of the beta distribution.

    >>> round(float(beta_logsf(0.5, 2.0, 2.0)), 6)
    -0.693147
    """
    return _log(beta_sf(x, a, b, loc, scale), beta_cdf(x, a, b, loc, scale))


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


@implements("scipy.stats.t.logcdf")
def t_logcdf(x, df, loc=0.0, scale=1.0):
    """Logarithm of the distribution function of Student's distribution.

    >>> round(float(t_logcdf(1.0, 1.0)), 6)
    -0.287682
    """
    return _log(t_cdf(x, df, loc, scale), t_sf(x, df, loc, scale))


@implements("scipy.stats.t.logsf")
def t_logsf(x, df, loc=0.0, scale=1.0):
    """Logarithm of the survival function of Student's distribution.

    >>> round(float(t_logsf(1.0, 1.0)), 6)
    -1.386294
    """
    return _log(t_sf(x, df, loc, scale), t_cdf(x, df, loc, scale))


@implements("scipy.stats.t.ppf")
def t_ppf(q, df, loc=0.0, scale=1.0):
    """Quantiles of Student's distribution.

    >>> round(float(t_ppf(0.75, 1.0)), 6)
    1.0
    """
    return _place(np.where(q == 0.0, -np.inf, sp.stdtrit(_positive(df), _chance(q))), loc, scale)


@implements("scipy.stats.t.isf")
def t_isf(q, df, loc=0.0, scale=1.0):
    """Numbers that Student's distribution exceeds with a probability.

    >>> round(float(t_isf(0.75, 1.0)), 6)
    -1.0
    """
    return _place(np.where(q == 0.0, np.inf, 0.0 - sp.stdtrit(_positive(df), _chance(q))), loc, scale)


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


@implements("scipy.stats.cauchy.sf")
def cauchy_sf(x, loc=0.0, scale=1.0):
    """Survival function of the Cauchy distribution.

    >>> round(float(cauchy_sf(1.0)), 6)
    0.25
    """
    return np.arctan2(1.0, _standard(x, loc, scale)) * 0.3183098861837907


@implements("scipy.stats.cauchy.ppf")
def cauchy_ppf(q, loc=0.0, scale=1.0):
    """Quantiles of the Cauchy distribution.

    >>> round(float(cauchy_ppf(0.75)), 6)
    1.0
    """
    q = np.pi * _chance(q) + 0.0
    middle = np.tan(q - 0.5 * np.pi)
    return _place(np.where(q < 0.8, -1.0 / np.tan(q), np.where(q > 2.4, 1.0 / np.tan(np.pi - q), middle)), loc, scale)


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


@implements("scipy.stats.laplace.sf")
def laplace_sf(x, loc=0.0, scale=1.0):
    """Survival function of the Laplace distribution.

    >>> round(float(laplace_sf(1.0)), 6)
    0.18394
    """
    return laplace_cdf(-_standard(x, loc, scale))


@implements("scipy.stats.laplace.ppf")
def laplace_ppf(q, loc=0.0, scale=1.0):
    """Quantiles of the Laplace distribution.

    >>> round(float(laplace_ppf(0.75)), 6)
    0.693147
    """
    return _place(np.where(q > 0.5, 0.0 - np.log(2.0 * (1.0 - _chance(q))), np.log(2.0 * _chance(q))), loc, scale)


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


@implements("scipy.stats.logistic.pdf")
def logistic_pdf(x, loc=0.0, scale=1.0):
    """Density of the logistic distribution.

    >>> round(float(logistic_pdf(1.0)), 6)
    0.196612
    """
    return np.exp(logistic_logpdf(x, loc, scale))


@implements("scipy.stats.logistic.sf")
def logistic_sf(x, loc=0.0, scale=1.0):
    """Survival function of the logistic distribution.

    >>> round(float(logistic_sf(1.0)), 6)
    0.268941
    """
    return sp.expit(-_standard(x, loc, scale))


@implements("scipy.stats.logistic.logcdf")
def logistic_logcdf(x, loc=0.0, scale=1.0):
    """Logarithm of the distribution function of the logistic distribution.

    >>> round(float(logistic_logcdf(1.0)), 6)
    -0.313262
    """
    return sp.log_expit(_standard(x, loc, scale))


@implements("scipy.stats.logistic.logsf")
def logistic_logsf(x, loc=0.0, scale=1.0):
    """Logarithm of the survival function of the logistic distribution.

    >>> round(float(logistic_logsf(1.0)), 6)
    -1.313262
    """
    return sp.log_expit(-_standard(x, loc, scale))


@implements("scipy.stats.logistic.ppf")
def logistic_ppf(q, loc=0.0, scale=1.0):
    """Quantiles of the logistic distribution.

    >>> round(float(logistic_ppf(0.75)), 6)
    1.098612
    """
    return _place(sp.logit(_chance(q)), loc, scale)


@implements("scipy.stats.rayleigh.logpdf")
def rayleigh_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the Rayleigh distribution.

    >>> round(float(rayleigh_logpdf(1.0)), 6)
    -0.5
    """
    z = _standard(x, loc, scale)
    outside = (z < 0.0) | (z == np.inf)
    t = np.where(outside, 1.0, z)
    return np.where(outside, -np.inf, np.log(t) - 0.5 * t * t) - np.log(_positive(scale))


@implements("scipy.stats.rayleigh.pdf")
def rayleigh_pdf(x, loc=0.0, scale=1.0):
    """Density of the Rayleigh distribution.

    >>> round(float(rayleigh_pdf(1.0)), 6)
    0.606531
    """
    return np.exp(rayleigh_logpdf(x, loc, scale))


@implements("scipy.stats.rayleigh.cdf")
def rayleigh_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the Rayleigh distribution.

    >>> round(float(rayleigh_cdf(1.0)), 6)
    0.393469
    """
    return -np.expm1(-0.5 * _from_zero(_standard(x, loc, scale)) ** 2) + 0.0


@implements("scipy.stats.rayleigh.sf")
def rayleigh_sf(x, loc=0.0, scale=1.0):
    """Survival function of the Rayleigh distribution.

    >>> round(float(rayleigh_sf(1.0)), 6)
    0.606531
    """
    return np.exp(-0.5 * _from_zero(_standard(x, loc, scale)) ** 2)


@implements("scipy.stats.rayleigh.ppf")
def rayleigh_ppf(q, loc=0.0, scale=1.0):
    """Quantiles of the Rayleigh distribution.

    >>> round(float(rayleigh_ppf(0.75)), 6)
    1.665109
    """
    return _place(np.sqrt(0.0 - 2.0 * np.log1p(-_chance(q))), loc, scale)


@implements("scipy.stats.gumbel_r.logpdf")
def gumbel_r_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the Gumbel distribution of maxima.

    >>> round(float(gumbel_r_logpdf(1.0)), 6)
    -1.367879
    """
    z = _standard(x, loc, scale)
    return -z - np.exp(-z) - np.log(_positive(scale))


@implements("scipy.stats.gumbel_r.pdf")
def gumbel_r_pdf(x, loc=0.0, scale=1.0):
    """Density of the Gumbel distribution of maxima.

    >>> round(float(gumbel_r_pdf(1.0)), 6)
    0.254646
    """
    return np.exp(gumbel_r_logpdf(x, loc, scale))


@implements("scipy.stats.gumbel_r.logcdf")
def gumbel_r_logcdf(x, loc=0.0, scale=1.0):
    """Logarithm of the distribution function of the Gumbel distribution of maxima.

    >>> round(float(gumbel_r_logcdf(1.0)), 6)
    -0.367879
    """
    return -np.exp(-_standard(x, loc, scale))


@implements("scipy.stats.gumbel_r.cdf")
def gumbel_r_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the Gumbel distribution of maxima.

    >>> round(float(gumbel_r_cdf(1.0)), 6)
    0.692201
    """
    return np.exp(-np.exp(-_standard(x, loc, scale)))


@implements("scipy.stats.gumbel_r.sf")
def gumbel_r_sf(x, loc=0.0, scale=1.0):
    """Survival function of the Gumbel distribution of maxima.

    >>> round(float(gumbel_r_sf(1.0)), 6)
    0.307799
    """
    return -np.expm1(-np.exp(-_standard(x, loc, scale)))


@implements("scipy.stats.gumbel_r.ppf")
def gumbel_r_ppf(q, loc=0.0, scale=1.0):
    """Quantiles of the Gumbel distribution of maxima.

    >>> round(float(gumbel_r_ppf(0.75)), 6)
    1.245899
    """
    return _place(0.0 - np.log(0.0 - np.log(_chance(q))), loc, scale)


@implements("scipy.stats.pareto.logpdf")
def pareto_logpdf(x, b, loc=0.0, scale=1.0):
    """Logarithm of the density of the Pareto distribution.

    >>> round(float(pareto_logpdf(2.0, 2.0)), 6)
    -1.386294
    """
    z, b = _standard(x, loc, scale), _positive(b)
    t = np.where(z < 1.0, 1.0, z)
    return np.where(z < 1.0, -np.inf, np.log(b) - (b + 1.0) * np.log(t)) - np.log(_positive(scale))


@implements("scipy.stats.pareto.pdf")
def pareto_pdf(x, b, loc=0.0, scale=1.0):
    """Density of the Pareto distribution.

    >>> round(float(pareto_pdf(2.0, 2.0)), 6)
    0.25
    """
    return np.exp(pareto_logpdf(x, b, loc, scale))


@implements("scipy.stats.pareto.sf")
def pareto_sf(x, b, loc=0.0, scale=1.0):
    """Survival function of the Pareto distribution.

    >>> round(float(pareto_sf(2.0, 2.0)), 6)
    0.25
    """
    z, b = _standard(x, loc, scale), _positive(b)
    return np.where((z <= 1.0) & (b == b), 1.0, np.where(z <= 1.0, 1.0, z) ** -b)


@implements("scipy.stats.pareto.cdf")
def pareto_cdf(x, b, loc=0.0, scale=1.0):
    """Distribution function of the Pareto distribution.

    >>> round(float(pareto_cdf(2.0, 2.0)), 6)
    0.75
    """
    return 1.0 - pareto_sf(x, b, loc, scale)


@implements("scipy.stats.pareto.ppf")
def pareto_ppf(q, b, loc=0.0, scale=1.0):
    """Quantiles of the Pareto distribution.

    >>> round(float(pareto_ppf(0.75, 2.0)), 6)
    2.0
    """
    return _place((1.0 - _chance(q)) ** (-1.0 / _positive(b)), loc, scale)


@implements("scipy.stats.f.logpdf")
def f_logpdf(x, dfn, dfd, loc=0.0, scale=1.0):
    """Logarithm of the density of the F distribution.

    >>> round(float(f_logpdf(1.0, 2.0, 4.0)), 6)
    -1.216395
    """
    z, m, n = _standard(x, loc, scale), _positive(dfn), _positive(dfd)
    t = np.where(z < 0.0, 1.0, z)
    density = 0.5 * m * np.log(m) + 0.5 * n * np.log(n) + sp.xlogy(0.5 * m - 1.0, t) - 0.5 * (m + n) * np.log(n + m * t)
    return np.where(z < 0.0, -np.inf, density - sp.betaln(0.5 * m, 0.5 * n)) - np.log(_positive(scale))


@implements("scipy.stats.f.pdf")
def f_pdf(x, dfn, dfd, loc=0.0, scale=1.0):
    """Density of the F distribution.

    >>> round(float(f_pdf(1.0, 2.0, 4.0)), 6)
    0.296296
    """
    return np.exp(f_logpdf(x, dfn, dfd, loc, scale))


@implements("scipy.stats.f.cdf")
def f_cdf(x, dfn, dfd, loc=0.0, scale=1.0):
    """Distribution function of the F distribution.

    >>> round(float(f_cdf(1.0, 2.0, 4.0)), 6)
    0.555556
    """
    z, m, n = _from_zero(_standard(x, loc, scale)), _positive(dfn), _positive(dfd)
    return sp.betainc(0.5 * m, 0.5 * n, m * z / (n + m * z))


@implements("scipy.stats.f.sf")
def f_sf(x, dfn, dfd, loc=0.0, scale=1.0):
    """Survival function of the F distribution.

    >>> round(float(f_sf(1.0, 2.0, 4.0)), 6)
    0.444444
    """
    z, m, n = _from_zero(_standard(x, loc, scale)), _positive(dfn), _positive(dfd)
    return sp.betainc(0.5 * n, 0.5 * m, n / (n + m * z))


@implements("scipy.stats.f.ppf")
def f_ppf(q, dfn, dfd, loc=0.0, scale=1.0):
    """Quantiles of the F distribution.

    >>> round(float(f_ppf(0.75, 2.0, 4.0)), 6)
    2.0
    """
    m, n = _positive(dfn), _positive(dfd)
    y = sp.betaincinv(0.5 * m, 0.5 * n, _chance(q))
    return _place(n * y / (m * (1.0 - y)), loc, scale)


# ------------------------------------------------------------------------------------------- inverse gamma distribution


@implements("scipy.stats.invgamma.logpdf")
def invgamma_logpdf(x, a, loc=0.0, scale=1.0):
    """Logarithm of the density of the inverse gamma distribution.

    >>> round(float(invgamma_logpdf(1.0, 2.0)), 6)
    -1.0
    """
    z, a = _standard(x, loc, scale), _positive(a)
    inside = np.where(z > 0.0, z, 1.0)
    density = -(a + 1.0) * np.log(inside) - sp.gammaln(a) - 1.0 / inside
    return np.where(z > 0.0, density, np.where(z == z, -np.inf, np.nan)) - np.log(_positive(scale))


@implements("scipy.stats.invgamma.pdf")
def invgamma_pdf(x, a, loc=0.0, scale=1.0):
    """Density of the inverse gamma distribution.

    >>> round(float(invgamma_pdf(1.0, 2.0)), 6)
    0.367879
    """
    return np.exp(invgamma_logpdf(x, a, loc, scale))


@implements("scipy.stats.invgamma.cdf")
def invgamma_cdf(x, a, loc=0.0, scale=1.0):
    """Distribution function of the inverse gamma distribution.

    >>> round(float(invgamma_cdf(1.0, 2.0)), 6)
    0.735759
    """
    z, a = _standard(x, loc, scale), _positive(a)
    return np.where(z > 0.0, sp.gammaincc(a, 1.0 / np.where(z > 0.0, z, 1.0)), 0.0 * a * z)


@implements("scipy.stats.invgamma.sf")
def invgamma_sf(x, a, loc=0.0, scale=1.0):
    """Survival function of the inverse gamma distribution.

    >>> round(float(invgamma_sf(1.0, 2.0)), 6)
    0.264241
    """
    z, a = _standard(x, loc, scale), _positive(a)
    return np.where(z > 0.0, sp.gammainc(a, 1.0 / np.where(z > 0.0, z, 1.0)), 1.0 + 0.0 * a * z)


@implements("scipy.stats.invgamma.ppf")
def invgamma_ppf(q, a, loc=0.0, scale=1.0):
    """Quantile of the inverse gamma distribution.

    >>> round(float(invgamma_ppf(0.5, 2.0)), 6)
    0.595824
    """
    return _place(1.0 / sp.gammainccinv(_positive(a), _chance(q)), loc, scale)


# ---------------------------------------------------------------------------------------- truncated normal distribution


@elementwise()
def _log_mass(a, b, /):
    """The logarithm of the probability that a standard normal number is between two numbers."""
    if not a < b:
        return -np.inf if a == b else np.nan
    if a > 0.0:  # the mirror image, where the logarithms are exact
        low, high = sp.log_ndtr(-b), sp.log_ndtr(-a)
    elif b > 0.0:
        return np.log1p(-sp.ndtr(a) - sp.ndtr(-b))
    else:
        low, high = sp.log_ndtr(a), sp.log_ndtr(b)
    return high + np.log1p(-np.exp(low - high)) if low > -np.inf else high


@implements("scipy.stats.truncnorm.logpdf")
def truncnorm_logpdf(x, a, b, loc=0.0, scale=1.0):
    """Logarithm of the density of the truncated normal distribution.

    >>> round(float(truncnorm_logpdf(0.5, -1.0, 2.0)), 6)
    -0.843772
    """
    z = _standard(x, loc, scale)
    density = -0.5 * z**2 - 0.9189385332046727 - _log_mass(a, b) - np.log(_positive(scale))
    return np.where((a < b) & ((z < a) | (z > b)), -np.inf, density)


@implements("scipy.stats.truncnorm.pdf")
def truncnorm_pdf(x, a, b, loc=0.0, scale=1.0):
    """Density of the truncated normal distribution.

    >>> round(float(truncnorm_pdf(0.5, -1.0, 2.0)), 6)
    0.430085
    """
    return np.exp(truncnorm_logpdf(x, a, b, loc, scale))


@implements("scipy.stats.truncnorm.cdf")
def truncnorm_cdf(x, a, b, loc=0.0, scale=1.0):
    """Distribution function of the truncated normal distribution.

    >>> round(float(truncnorm_cdf(0.5, -1.0, 2.0)), 6)
    0.65088
    """
    z = np.minimum(np.maximum(_standard(x, loc, scale), a), b)
    return np.exp(_log_mass(a, z) - _log_mass(a, b))


@implements("scipy.stats.truncnorm.sf")
def truncnorm_sf(x, a, b, loc=0.0, scale=1.0):
    """Survival function of the truncated normal distribution.

    >>> round(float(truncnorm_sf(0.5, -1.0, 2.0)), 6)
    0.34912
    """
    z = np.minimum(np.maximum(_standard(x, loc, scale), a), b)
    return np.exp(_log_mass(z, b) - _log_mass(a, b))


# --------------------------------------------------------------------------------------------- skew normal distribution


@implements("scipy.stats.skewnorm.logpdf")
def skewnorm_logpdf(x, a, loc=0.0, scale=1.0):
    """Logarithm of the density of the skew normal distribution.

    >>> round(float(skewnorm_logpdf(0.5, 2.0)), 6)
    -0.523545
    """
    z = _standard(x, loc, scale)
    return -0.5 * z**2 - 0.2257913526447274 + sp.log_ndtr(a * z) - np.log(_positive(scale))


@implements("scipy.stats.skewnorm.pdf")
def skewnorm_pdf(x, a, loc=0.0, scale=1.0):
    """Density of the skew normal distribution.

    >>> round(float(skewnorm_pdf(0.5, 2.0)), 6)
    0.592417
    """
    return np.exp(skewnorm_logpdf(x, a, loc, scale))


# ----------------------------------------------------------------------------------------------- von Mises distribution


@implements("scipy.stats.vonmises.logpdf")
def vonmises_logpdf(x, kappa, loc=0.0, scale=1.0):
    """Logarithm of the density of the von Mises distribution.

    >>> round(float(vonmises_logpdf(0.5, 2.0)), 6)
    -0.906705
    """
    z, kappa = _standard(x, loc, scale), np.where(kappa >= 0, kappa, np.nan).astype(np.float64)
    half = np.sin(0.5 * z)
    density = -2.0 * kappa * half**2 - 1.8378770664093453 - np.log(sp.i0e(kappa))
    return density - np.log(_positive(scale))


@implements("scipy.stats.vonmises.pdf")
def vonmises_pdf(x, kappa, loc=0.0, scale=1.0):
    """Density of the von Mises distribution.

    >>> round(float(vonmises_pdf(0.5, 2.0)), 6)
    0.403853
    """
    return np.exp(vonmises_logpdf(x, kappa, loc, scale))


# ------------------------------------------------------------------------------------------------- Maxwell distribution


@implements("scipy.stats.maxwell.logpdf")
def maxwell_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the Maxwell distribution.

    >>> round(float(maxwell_logpdf(1.0)), 6)
    -0.725791
    """
    z = _standard(x, loc, scale)
    inside = np.where(z > 0.0, z, 1.0)
    density = -0.2257913526447274 + 2.0 * np.log(inside) - 0.5 * inside**2
    return np.where(z > 0.0, density, np.where(z == z, -np.inf, np.nan)) - np.log(_positive(scale))


@implements("scipy.stats.maxwell.pdf")
def maxwell_pdf(x, loc=0.0, scale=1.0):
    """Density of the Maxwell distribution.

    >>> round(float(maxwell_pdf(1.0)), 6)
    0.483941
    """
    return np.exp(maxwell_logpdf(x, loc, scale))


@implements("scipy.stats.maxwell.cdf")
def maxwell_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the Maxwell distribution.

    >>> round(float(maxwell_cdf(1.0)), 6)
    0.198748
    """
    return sp.gammainc(1.5, 0.5 * _from_zero(_standard(x, loc, scale)) ** 2)


@implements("scipy.stats.maxwell.sf")
def maxwell_sf(x, loc=0.0, scale=1.0):
    """Survival function of the Maxwell distribution.

    >>> round(float(maxwell_sf(1.0)), 6)
    0.801252
    """
    return sp.gammaincc(1.5, 0.5 * _from_zero(_standard(x, loc, scale)) ** 2)


# --------------------------------------------------------------------------------------------- half-Cauchy distribution


@implements("scipy.stats.halfcauchy.logpdf")
def halfcauchy_logpdf(x, loc=0.0, scale=1.0):
    """Logarithm of the density of the half-Cauchy distribution.

    >>> round(float(halfcauchy_logpdf(1.0)), 6)
    -1.14473
    """
    z = _standard(x, loc, scale)
    density = -0.4515827052894548 - np.log1p(z**2)
    return np.where(z < 0.0, -np.inf, density) - np.log(_positive(scale))


@implements("scipy.stats.halfcauchy.pdf")
def halfcauchy_pdf(x, loc=0.0, scale=1.0):
    """Density of the half-Cauchy distribution.

    >>> round(float(halfcauchy_pdf(1.0)), 6)
    0.31831
    """
    return np.exp(halfcauchy_logpdf(x, loc, scale))


@implements("scipy.stats.halfcauchy.cdf")
def halfcauchy_cdf(x, loc=0.0, scale=1.0):
    """Distribution function of the half-Cauchy distribution.

    >>> round(float(halfcauchy_cdf(1.0)), 6)
    0.5
    """
    return 2.0 / np.pi * np.arctan(_from_zero(_standard(x, loc, scale)))


# -------------------------------------------------------------------------------------- generalised Pareto distribution


@elementwise()
def _stretched(c, z, /):
    """log(1 + c z) / c, which is z for c = 0, by its series where c z is small."""
    t = c * z
    if z == np.inf and c >= 0.0:
        return np.inf
    if not abs(t) < 1e-2:
        return np.log1p(t) / c
    total = 0.0
    for k in range(12, 0, -1):
        total = 1.0 / k - t * total
    return z * total


@implements("scipy.stats.genpareto.logpdf")
def genpareto_logpdf(x, c, loc=0.0, scale=1.0):
    """Logarithm of the density of the generalised Pareto distribution.

    >>> round(float(genpareto_logpdf(1.0, 0.5)), 6)
    -1.216395
    """
    z = _standard(x, loc, scale)
    outside = (z < 0.0) | (1.0 + c * z <= 0.0)
    inside = np.where(outside, 0.0, z)
    density = -_stretched(c, inside)
    return np.where(outside, -np.inf, density - np.log1p(c * inside)) - np.log(_positive(scale))


@implements("scipy.stats.genpareto.pdf")
def genpareto_pdf(x, c, loc=0.0, scale=1.0):
    """Density of the generalised Pareto distribution.

    >>> round(float(genpareto_pdf(1.0, 0.5)), 6)
    0.296296
    """
    return np.exp(genpareto_logpdf(x, c, loc, scale))


@implements("scipy.stats.genpareto.sf")
def genpareto_sf(x, c, loc=0.0, scale=1.0):
    """Survival function of the generalised Pareto distribution.

    >>> round(float(genpareto_sf(1.0, 0.5)), 6)
    0.444444
    """
    z = _from_zero(_standard(x, loc, scale))
    above = 1.0 + c * z <= 0.0
    inside = np.where(above, 0.0, z)
    return np.where(above, 0.0, np.exp(-_stretched(c, inside)))


@implements("scipy.stats.genpareto.cdf")
def genpareto_cdf(x, c, loc=0.0, scale=1.0):
    """Distribution function of the generalised Pareto distribution.

    >>> round(float(genpareto_cdf(1.0, 0.5)), 6)
    0.555556
    """
    z = _from_zero(_standard(x, loc, scale))
    above = 1.0 + c * z <= 0.0
    inside = np.where(above, 0.0, z)
    return np.where(above, 1.0, -np.expm1(-_stretched(c, inside)))


# ------------------------------------------------------------------------------- generalised extreme value distribution


@implements("scipy.stats.genextreme.logpdf")
def genextreme_logpdf(x, c, loc=0.0, scale=1.0):
    """Logarithm of the density of the generalised extreme value distribution.

    >>> round(float(genextreme_logpdf(0.5, 0.3)), 6)
    -0.960952
    """
    z = _standard(x, loc, scale)
    outside = 1.0 - c * z <= 0.0
    inside = np.where(outside, 0.0, z)
    height = -_stretched(-c, inside)
    density = height - np.exp(height) - np.log1p(-c * inside)
    return np.where(outside, -np.inf, density) - np.log(_positive(scale))


@implements("scipy.stats.genextreme.pdf")
def genextreme_pdf(x, c, loc=0.0, scale=1.0):
    """Density of the generalised extreme value distribution.

    >>> round(float(genextreme_pdf(0.5, 0.3)), 6)
    0.382529
    """
    return np.exp(genextreme_logpdf(x, c, loc, scale))


@implements("scipy.stats.genextreme.cdf")
def genextreme_cdf(x, c, loc=0.0, scale=1.0):
    """Distribution function of the generalised extreme value distribution.

    >>> round(float(genextreme_cdf(0.5, 0.3)), 6)
    0.558924
    """
    z = _standard(x, loc, scale)
    outside = 1.0 - c * z <= 0.0
    inside = np.where(outside, 0.0, z)
    return np.where(outside, np.where(c > 0.0, 1.0, 0.0), np.exp(-np.exp(-_stretched(-c, inside))))
