"""Distribution functions that `scipy.special` has under short names, as incomplete beta and gamma functions."""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from . import elementwise, implements


@elementwise("scipy.special.stdtr")
def stdtr(df, t, /):
    """Distribution function of Student's distribution.

    >>> float(stdtr(2.0, 0.0))
    0.5
    """
    if not df > 0.0 or t != t:
        return np.nan
    if df == np.inf or abs(t) == np.inf:
        return sp.ndtr(t)
    if t * t < df:
        if abs(t) < 1e-8:  # where the square of t loses its derivatives
            slope = np.exp(sp.gammaln(0.5 * (df + 1.0)) - sp.gammaln(0.5 * df)) / np.sqrt(df * np.pi)
            return 0.5 + slope * (t - (df + 1.0) / (6.0 * df) * t**3)
        odd = 0.5 * sp.betainc(0.5, 0.5 * df, t * t / (df + t * t))
        return 0.5 + odd if t > 0.0 else 0.5 - odd
    tail = 0.5 * sp.betainc(0.5 * df, 0.5, df / (df + t * t))
    return tail if t < 0.0 else 1.0 - tail


@elementwise()
def _share(a, b, x, rest, /):
    """The regularised incomplete beta function at ``x``, by the complement where ``rest``, which is ``1 - x``, is the
    more precise of the two."""
    if x > 0.5:
        other = sp.betainc(b, a, rest)
        if other < 0.9 or rest < 1e-8:
            return 1.0 - other
    return sp.betainc(a, b, x)


def _ratio(dfn, dfd, x):
    """The argument of the incomplete beta function, and 1 less that."""
    known = (x >= 0.0) & (dfn > 0.0) & (dfd > 0.0)
    return np.where(known, 1.0 / (1.0 + dfd / (dfn * x)), np.nan), np.where(known, dfd / (dfn * x + dfd), np.nan)


@implements("scipy.special.fdtr")
def fdtr(dfn, dfd, x):
    """Distribution function of the F distribution.

    >>> round(float(fdtr(1.0, 2.0, 1.0)), 6)
    0.57735
    """
    share, rest = _ratio(dfn, dfd, x)
    return _share(0.5 * dfn, 0.5 * dfd, share, rest)


@implements("scipy.special.fdtrc")
def fdtrc(dfn, dfd, x):
    """Survival function of the F distribution.

    >>> round(float(fdtrc(1.0, 2.0, 1.0)), 6)
    0.42265
    """
    share, rest = _ratio(dfn, dfd, x)
    return _share(0.5 * dfd, 0.5 * dfn, rest, share)


@implements("scipy.special.chdtr")
def chdtr(v, x):
    """Distribution function of the chi-squared distribution.

    >>> round(float(chdtr(2.0, 1.0)), 6)
    0.393469
    """
    return sp.gammainc(0.5 * v, np.where(x >= 0.0, 0.5 * x, np.nan))


@implements("scipy.special.chdtrc")
def chdtrc(v, x):
    """Survival function of the chi-squared distribution.

    >>> round(float(chdtrc(2.0, 1.0)), 6)
    0.606531
    """
    return sp.gammaincc(0.5 * v, np.where(x >= 0.0, 0.5 * x, np.nan))


@implements("scipy.special.gdtr")
def gdtr(a, b, x):
    """Distribution function of the gamma distribution with rate ``a`` and shape ``b``.

    >>> round(float(gdtr(1.0, 2.0, 1.0)), 6)
    0.264241
    """
    return sp.gammainc(b, np.where(x >= 0.0, a * x, np.nan))


@implements("scipy.special.gdtrc")
def gdtrc(a, b, x):
    """Survival function of the gamma distribution with rate ``a`` and shape ``b``.

    >>> round(float(gdtrc(1.0, 2.0, 1.0)), 6)
    0.735759
    """
    return sp.gammaincc(b, np.where(x >= 0.0, a * x, np.nan))


@elementwise("scipy.special.pdtr")
def pdtr(k, m, /):
    """Distribution function of Poisson's distribution with mean ``m``.

    >>> round(float(pdtr(1.0, 1.0)), 6)
    0.735759
    """
    return sp.gammaincc(np.floor(k) + 1.0, m) if k >= 0.0 and m >= 0.0 else np.nan


@elementwise("scipy.special.pdtrc")
def pdtrc(k, m, /):
    """Survival function of Poisson's distribution with mean ``m``.

    >>> round(float(pdtrc(1.0, 1.0)), 6)
    0.264241
    """
    return sp.gammainc(np.floor(k) + 1.0, m) if k >= 0.0 and m >= 0.0 else np.nan


@elementwise("scipy.special.bdtr")
def bdtr(k, n, p, /):
    """Distribution function of the binomial distribution.

    >>> float(bdtr(1.0, 2, 0.5))
    0.75
    """
    k, n = np.floor(k), np.floor(n)
    if not (0.0 <= p <= 1.0 and 0.0 <= k <= n):
        return np.nan
    return 1.0 if k == n else sp.betainc(n - k, k + 1.0, 1.0 - p)


@elementwise("scipy.special.bdtrc")
def bdtrc(k, n, p, /):
    """Survival function of the binomial distribution.

    >>> float(bdtrc(1.0, 2, 0.5))
    0.25
    """
    k, n = np.floor(k), np.floor(n)
    if not (0.0 <= p <= 1.0 and k <= n):
        return np.nan
    if k == n or k < 0.0:
        return 0.0 if k == n else 1.0
    return sp.betainc(k + 1.0, n - k, p)


@implements("scipy.special.betaincc")
def betaincc(a, b, x):
    """The complement of the regularised incomplete beta function.

    >>> round(float(betaincc(1.0, 1.0, 0.25)), 6)
    0.75
    """
    return _share(b, a, 1.0 - x, x)


@implements("scipy.special.powm1")
def powm1(x, y):
    """``x ** y - 1``, precise where the power is near 1.

    >>> round(float(powm1(2.0, 3.0)), 6)
    7.0
    """
    power = np.where(x > 0.0, np.expm1(y * np.log(np.where(x > 0.0, x, 1.0))), x**y - 1.0)
    return np.where(x == 1.0, y * (x - 1.0), power)


@elementwise("scipy.special.cosdg")
def cosdg(x, /):
    """Cosine of an angle in degrees.

    >>> float(cosdg(90.0))
    0.0
    """
    if not abs(x) <= 1e14:  # where digits of the angle are lost
        return x if x != x else 0.0
    quarters = np.rint(x / 90.0)
    rest, k = (x - 90.0 * quarters) * (np.pi / 180.0), int(quarters % 4.0)
    return np.cos(rest) if k == 0 else 0.0 - np.sin(rest) if k == 1 else -np.cos(rest) if k == 2 else np.sin(rest)


@elementwise("scipy.special.sindg")
def sindg(x, /):
    """Sine of an angle in degrees.

    >>> float(sindg(180.0))
    0.0
    """
    if not abs(x) <= 1e14:  # where digits of the angle are lost
        return x if x != x else 0.0
    quarters = np.rint(x / 90.0)
    rest, k = (x - 90.0 * quarters) * (np.pi / 180.0), int(quarters % 4.0)
    return np.sin(rest) if k == 0 else np.cos(rest) if k == 1 else 0.0 - np.sin(rest) if k == 2 else -np.cos(rest)


@elementwise("scipy.special.tandg")
def tandg(x, /):
    """Tangent of an angle in degrees.

    >>> round(float(tandg(45.0)), 6)
    1.0
    """
    if not abs(x) <= 1e14:
        return x if x != x else 0.0
    c = cosdg(x)
    return sindg(x) / c if c != 0.0 else np.inf
