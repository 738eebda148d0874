"""The module `statistics` of Python, of sequences of floats: sums are those of floats, not of fractions."""

from __future__ import annotations

import numpy as np

from . import implements, literal


def _data(data, least, of_ints=False):
    """Data as an array of floats. Of ints, some functions return an int if the result is one."""
    x = np.asarray(data)
    if x.ndim != 1 or x.dtype == np.float32 or (x.dtype != np.float64 and not of_ints):
        raise TypeError("is of a sequence of floats: convert other numbers, as in `[float(v) for v in data]`")
    x = x * np.float64(1.0)
    if x.shape[0] < least:
        raise ValueError("too few data points")
    return x


@implements("statistics.mean")
def mean(data):
    """Arithmetic mean.

    >>> mean([1.0, 2.0, 6.0])
    3.0
    """
    return float(np.mean(_data(data, 1)))


@implements("statistics.fmean")
def fmean(data, weights=None):
    """Arithmetic mean of floats or ints, with or without weights.

    >>> fmean([1, 2, 6])
    3.0
    """
    x = _data(data, 1, True)
    if weights is None:
        return float(np.mean(x))
    w = _data(weights, 1, True)
    if w.shape[0] != x.shape[0]:
        raise ValueError("data and weights must be the same length")
    return float(np.sum(x * w) / np.sum(w))


@implements("statistics.geometric_mean")
def geometric_mean(data):
    """The exponential of the mean of the logarithms.

    >>> round(geometric_mean([1.0, 4.0]), 6)
    2.0
    """
    x = _data(data, 1, True)
    if not np.all(x > 0.0):
        raise ValueError("No negative inputs allowed")
    return float(np.exp(np.mean(np.log(x))))


@implements("statistics.harmonic_mean")
def harmonic_mean(data, weights=None):
    """The reciprocal of the mean of the reciprocals.

    >>> round(harmonic_mean([1.0, 3.0]), 6)
    1.5
    """
    x = _data(data, 1)
    if np.any(x < 0.0):
        raise ValueError("harmonic mean does not support negative values")
    w = np.ones(x.shape[0]) if weights is None else _data(weights, 1)
    if w.shape[0] != x.shape[0]:
        raise ValueError("Number of weights does not match data size")
    if np.any(x == 0.0):
        return 0.0
    return float(np.sum(w) / np.sum(w / x))


@implements("statistics.variance")
def variance(data, xbar=None):
    """Variance of a sample, with ``n - 1``.

    >>> variance([1.0, 3.0])
    2.0
    """
    return _variance(_data(data, 2), xbar, 1)


def _variance(x, centre, less):
    """The sum of squares about the mean or a given number, over the number of data less ``less``."""
    d = x - (np.mean(x) if centre is None else centre)
    return float(np.sum(d * d) / (x.shape[0] - less))


@implements("statistics.pvariance")
def pvariance(data, mu=None):
    """Variance of a population, with ``n``.

    >>> pvariance([1.0, 3.0])
    1.0
    """
    return _variance(_data(data, 1), mu, 0)


@implements("statistics.stdev")
def stdev(data, xbar=None):
    """Standard deviation of a sample.

    >>> stdev([1.0, 9.0, 5.0])
    4.0
    """
    return float(np.sqrt(_variance(_data(data, 2, True), xbar, 1)))


@implements("statistics.pstdev")
def pstdev(data, mu=None):
    """Standard deviation of a population.

    >>> pstdev([1.0, 3.0])
    1.0
    """
    return float(np.sqrt(_variance(_data(data, 1, True), mu, 0)))


@implements("statistics.median")
def median(data):
    """The number in the middle, or the mean of the two there.

    >>> median([1.0, 7.0, 4.0])
    4.0
    """
    return float(np.median(_data(data, 1)))


@implements("statistics.median_low")
def median_low(data):
    """The number in the middle, or the lower one of the two there.

    >>> median_low([1.0, 7.0, 4.0, 5.0])
    4.0
    """
    x = _data(data, 1)
    return float(np.sort(x)[(x.shape[0] - 1) // 2])


@implements("statistics.median_high")
def median_high(data):
    """The number in the middle, or the higher one of the two there.

    >>> median_high([1.0, 7.0, 4.0, 5.0])
    5.0
    """
    x = _data(data, 1)
    return float(np.sort(x)[x.shape[0] // 2])


def _both(x, y):
    """Two sets of data of one length, less their means."""
    a, b = np.asarray(x) * np.float64(1.0), np.asarray(y) * np.float64(1.0)
    if a.ndim != 1 or b.ndim != 1:
        raise TypeError("is of sequences of numbers")
    if a.shape[0] != b.shape[0] or a.shape[0] < 2:
        raise ValueError("takes data of the same length, of two points at least")
    return a - np.mean(a), b - np.mean(b)


@implements("statistics.covariance")
def covariance(x, y, /):
    """Covariance of two samples.

    >>> covariance([1.0, 3.0], [2.0, 6.0])
    4.0
    """
    a, b = _both(x, y)
    return float(np.sum(a * b) / (a.shape[0] - 1))


@implements("statistics.correlation")
def correlation(x, y, /):
    """Pearson's correlation of two samples.

    >>> round(correlation([1.0, 3.0, 5.0], [2.0, 6.0, 10.0]), 6)
    1.0
    """
    a, b = _both(x, y)
    size = np.sum(a * a) * np.sum(b * b)
    if size == 0.0:
        raise ValueError("at least one of the inputs is constant")
    return float(np.sum(a * b) / np.sqrt(size))


@implements("statistics.linear_regression")
def linear_regression(x, y, /, *, proportional=False):
    """Slope and intercept of the least-squares line, which goes through the origin if ``proportional``.

    >>> slope, intercept = linear_regression([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])
    >>> slope, intercept
    (2.0, 1.0)
    """
    a, b = _both(x, y)
    if proportional:
        a, b = np.asarray(x) * np.float64(1.0), np.asarray(y) * np.float64(1.0)
    size = np.sum(a * a)
    if size == 0.0:
        raise ValueError("x is constant")
    slope = float(np.sum(a * b) / size)
    if proportional:
        return slope, 0.0
    return slope, float(np.mean(y) - slope * np.mean(x))


def _cut(x, i, n, inclusive):
    """The number below which ``i`` of ``n`` parts of sorted data lie."""
    size = x.shape[0]
    if inclusive:
        j = i * (size - 1) // n
        rest = i * (size - 1) - j * n
        return float((x[j] * (n - rest) + x[j + 1] * rest) / n)
    j = min(max(i * (size + 1) // n, 1), size - 1)
    rest = i * (size + 1) - j * n
    return float((x[j - 1] * (n - rest) + x[j] * rest) / n)


@implements("statistics.quantiles")
def quantiles(data, *, n=4, method="exclusive"):
    """The ``n - 1`` numbers that cut data into ``n`` parts of equal probability.

    >>> quantiles([1.0, 2.0, 3.0, 4.0, 5.0])
    [1.5, 3.0, 4.5]
    """
    if method not in ("exclusive", "inclusive"):
        raise ValueError("Unknown method")
    x = np.sort(_data(data, 2, True))
    return [_cut(x, i, n, method == "inclusive") for i in range(1, literal(n))]
