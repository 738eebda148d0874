"""`scipy.stats`: probabilities and distribution functions of counts, numbers or broadcasting arrays, in float64.

``loc`` is as in SciPy. If a parameter is not in its domain, the result is NaN.
"""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from . import implements


def _chance(q):
    """A probability as float64; NaN if it is outside [0, 1]."""
    return np.where((q >= 0) & (q <= 1), q, np.nan).astype(np.float64)


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
    k, mu = ((k - loc) * np.float64(1.0), np.where(mu >= 0, mu, np.nan).astype(np.float64))
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


@implements("scipy.stats.poisson.cdf")
def poisson_cdf(k, mu, loc=0):
    """Distribution function of a count that has the Poisson distribution.

    >>> round(float(poisson_cdf(1, 2.0)), 6)
    0.406006
    """
    k, mu = (np.floor((k - loc) * np.float64(1.0)), np.where(mu >= 0, mu, np.nan).astype(np.float64))
    return np.where((k < 0.0) & (mu == mu), 0.0, sp.gammaincc(np.where(k < 0.0, 0.0, k) + 1.0, mu))


@implements("scipy.stats.poisson.sf")
def poisson_sf(k, mu, loc=0):
    """Survival function of a count that has the Poisson distribution.

    >>> round(float(poisson_sf(1, 2.0)), 6)
    0.593994
    """
    k, mu = (np.floor((k - loc) * np.float64(1.0)), np.where(mu >= 0, mu, np.nan).astype(np.float64))
    return np.where((k < 0.0) & (mu == mu), 1.0, sp.gammainc(np.where(k < 0.0, 0.0, k) + 1.0, mu))


@implements("scipy.stats.binom.cdf")
def binom_cdf(k, n, p, loc=0):
    """Distribution function of a count that has the binomial distribution.

    >>> round(float(binom_cdf(1, 2, 0.5)), 6)
    0.75
    """
    k, p = np.floor((k - loc) * np.float64(1.0)), _chance(p)
    n = np.where((n >= 0) & (n % 1 == 0), n, np.nan).astype(np.float64)
    below, above = k < 0.0, k >= n
    m, known = np.where(below | above, 0.0, k), (n == n) & (p == p)
    inside = np.where(below | above, 1.0, n - m)
    return np.where(above & known, 1.0, np.where(below & known, 0.0, sp.betainc(inside, m + 1.0, 1.0 - p)))


@implements("scipy.stats.binom.sf")
def binom_sf(k, n, p, loc=0):
    """Survival function of a count that has the binomial distribution.

    >>> round(float(binom_sf(1, 2, 0.5)), 6)
    0.25
    """
    k, p = np.floor((k - loc) * np.float64(1.0)), _chance(p)
    n = np.where((n >= 0) & (n % 1 == 0), n, np.nan).astype(np.float64)
    below, above = k < 0.0, k >= n
    m, known = np.where(below | above, 0.0, k), (n == n) & (p == p)
    inside = np.where(below | above, 1.0, n - m)
    return np.where(above & known, 0.0, np.where(below & known, 1.0, sp.betainc(m + 1.0, inside, p)))


# ------------------------------------------------------------------------------------------------------------ Bernoulli


@implements("scipy.stats.bernoulli.logpmf")
def bernoulli_logpmf(k, p, loc=0):
    """Logarithm of the probability of a count under the Bernoulli distribution.

    >>> round(float(bernoulli_logpmf(1, 0.25)), 6)
    -1.386294
    """
    return binom_logpmf(k, 1, p, loc)


@implements("scipy.stats.bernoulli.pmf")
def bernoulli_pmf(k, p, loc=0):
    """Probability of a count under the Bernoulli distribution.

    >>> round(float(bernoulli_pmf(1, 0.25)), 6)
    0.25
    """
    return np.exp(binom_logpmf(k, 1, p, loc))


@implements("scipy.stats.bernoulli.cdf")
def bernoulli_cdf(k, p, loc=0):
    """Distribution function of a count that has the Bernoulli distribution.

    >>> round(float(bernoulli_cdf(1, 0.25)), 6)
    1.0
    """
    return binom_cdf(k, 1, p, loc)


@implements("scipy.stats.bernoulli.sf")
def bernoulli_sf(k, p, loc=0):
    """Survival function of a count that has the Bernoulli distribution.

    >>> round(float(bernoulli_sf(1, 0.25)), 6)
    0.0
    """
    return binom_sf(k, 1, p, loc)


# ------------------------------------------------------------------------------------------------------------ geometric


@implements("scipy.stats.geom.logpmf")
def geom_logpmf(k, p, loc=0):
    """Logarithm of the probability of a count under the geometric distribution.

    >>> round(float(geom_logpmf(3, 0.25)), 6)
    -1.961659
    """
    k, p = (k - loc) * np.float64(1.0), _chance(p)
    p = np.where(p > 0.0, p, np.nan)
    return _counted(k - 1.0, sp.xlog1py(np.where(k < 1.0, 0.0, k - 1.0), -p) + np.log(p))


@implements("scipy.stats.geom.pmf")
def geom_pmf(k, p, loc=0):
    """Probability of a count under the geometric distribution.

    >>> round(float(geom_pmf(3, 0.25)), 6)
    0.140625
    """
    return np.exp(geom_logpmf(k, p, loc))


@implements("scipy.stats.geom.sf")
def geom_sf(k, p, loc=0):
    """Survival function of a count that has the geometric distribution.

    >>> round(float(geom_sf(3, 0.25)), 6)
    0.421875
    """
    k, p = np.floor((k - loc) * np.float64(1.0)), _chance(p)
    return np.exp(sp.xlog1py(np.where(k < 0.0, 0.0, k), -np.where(p > 0.0, p, np.nan)))


@implements("scipy.stats.geom.cdf")
def geom_cdf(k, p, loc=0):
    """Distribution function of a count that has the geometric distribution.

    >>> round(float(geom_cdf(3, 0.25)), 6)
    0.578125
    """
    k, p = np.floor((k - loc) * np.float64(1.0)), _chance(p)
    return -np.expm1(sp.xlog1py(np.where(k < 0.0, 0.0, k), -np.where(p > 0.0, p, np.nan)))


# ---------------------------------------------------------------------------------------------------- negative binomial


@implements("scipy.stats.nbinom.logpmf")
def nbinom_logpmf(k, n, p, loc=0):
    """Logarithm of the probability of a count under the negative binomial distribution.

    >>> round(float(nbinom_logpmf(3, 4, 0.25)), 6)
    -3.412491
    """
    k, p = (k - loc) * np.float64(1.0), _chance(p)
    n, p = np.where(n > 0, n, np.nan).astype(np.float64), np.where(p > 0.0, p, np.nan)
    m = np.where(k < 0.0, 0.0, k)
    ways = sp.gammaln(n + m) - sp.gammaln(m + 1.0) - sp.gammaln(n)
    return _counted(k, ways + n * np.log(p) + sp.xlog1py(m, -p))


@implements("scipy.stats.nbinom.pmf")
def nbinom_pmf(k, n, p, loc=0):
    """Probability of a count under the negative binomial distribution.

    >>> round(float(nbinom_pmf(3, 4, 0.25)), 6)
    0.032959
    """
    return np.exp(nbinom_logpmf(k, n, p, loc))


@implements("scipy.stats.nbinom.cdf")
def nbinom_cdf(k, n, p, loc=0):
    """Distribution function of a count that has the negative binomial distribution.

    >>> round(float(nbinom_cdf(3, 4, 0.25)), 6)
    0.070557
    """
    k, p = np.floor((k - loc) * np.float64(1.0)), _chance(p)
    n, p = np.where(n > 0, n, np.nan).astype(np.float64), np.where(p > 0.0, p, np.nan)
    below = (k < 0.0) & (n == n) & (p == p)
    return np.where(below, 0.0, sp.betainc(n, np.where(k < 0.0, 0.0, k) + 1.0, p))
