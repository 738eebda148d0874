"""`scipy.stats`: statistics of samples, in float64."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from . import implements


def _sample(a):
    """A sample as float64."""
    a = np.asarray(a)
    if a.ndim == 0 or (a.dtype != np.float64 and a.dtype.kind != "i"):
        raise TypeError("is of an array of float64 or of ints")
    return a.astype(np.float64)


def _standardized(a, axis, power):
    """A standardised central moment; NaN if the deviations are rounding errors only."""
    mean = np.mean(a, axis=axis, keepdims=True)
    square = np.mean((a - mean) ** 2, axis=axis)
    flat = square <= (np.finfo(np.float64).eps * np.mean(a, axis=axis)) ** 2
    return np.where(flat, np.nan, np.mean((a - mean) ** power, axis=axis) / square ** (0.5 * power))


@implements("scipy.stats.skew")
def skew(a, axis=0):
    """Skewness of a sample, biased.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int
        The axis of the sample.

    Returns
    -------
    float or numpy.ndarray
        The skewness; NaN if all numbers are equal.

    Examples
    --------
    >>> round(float(skew(np.array([1.0, 2.0, 6.0]))), 6)
    0.59517
    """
    return _standardized(_sample(a), axis, 3)


@implements("scipy.stats.kurtosis")
def kurtosis(a, axis=0, fisher=True):
    """Kurtosis of a sample, biased.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int
        The axis of the sample.
    fisher : bool
        Whether to subtract 3, the kurtosis of a normal distribution.

    Returns
    -------
    float or numpy.ndarray
        The kurtosis; NaN if all numbers are equal.

    Examples
    --------
    >>> float(kurtosis(np.array([1.0, -1.0])))
    -2.0
    """
    return _standardized(_sample(a), axis, 4) - (3.0 if fisher else 0.0)


@implements("scipy.stats.zscore")
def zscore(a, axis=0, ddof=0):
    """Standard scores: distances from the mean in standard deviations.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int
        The axis of the sample.
    ddof : int
        Subtracted from the number of cells in the divisor.

    Returns
    -------
    numpy.ndarray
        The distances.

    Examples
    --------
    >>> zscore(np.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    a = _sample(a)
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


@implements("scipy.stats.sem")
def sem(a, axis=0, ddof=1):
    """Standard error of the mean.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int
        The axis of the sample.
    ddof : int
        Subtracted from the number of cells in the divisor.

    Returns
    -------
    float or numpy.ndarray
        The error.

    Examples
    --------
    >>> float(sem(np.array([1.0, 3.0])))
    1.0
    """
    a = _sample(a)
    return np.std(a, axis=axis, ddof=ddof) / np.sqrt(a.shape[axis])


@implements("scipy.stats.gmean")
def gmean(a, axis=0):
    """Geometric mean of positive numbers.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int
        The axis of the sample.

    Returns
    -------
    float or numpy.ndarray
        The mean.

    Examples
    --------
    >>> round(float(gmean(np.array([1.0, 4.0]))), 6)
    2.0
    """
    return np.exp(np.mean(np.log(_sample(a)), axis=axis))


def _direction(d):
    """A vector divided by its length, computed without overflow."""
    d = d / np.max(np.abs(d))
    return d / np.sqrt(np.sum(d * d))


@implements("scipy.stats.pearsonr")
def pearsonr(x, y):
    """Correlation of two samples.

    Parameters
    ----------
    x, y : array_like
        Samples of equal size, of rank 1.

    Returns
    -------
    tuple of float
        The correlation, and the p-value of the hypothesis that there is none.

    Raises
    ------
    ValueError
        For samples of fewer than 2 numbers, or of different lengths.

    Examples
    --------
    >>> r, p = pearsonr(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    >>> round(float(r), 6), round(float(p), 6)
    (0.5, 0.666667)
    """
    x, y = _sample(x), _sample(y)
    if x.ndim != 1 or y.ndim != 1:
        raise TypeError("is of two samples of rank 1")
    n = x.shape[0]
    if n != y.shape[0]:
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    if n < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    r = np.sum(_direction(x - np.mean(x)) * _direction(y - np.mean(y)))
    r = min(max(r, -1.0), 1.0)
    if n == 2:
        return r, 0.0 * r + 1.0
    return r, 2.0 * sp.betainc(0.5 * n - 1.0, 0.5 * n - 1.0, 0.5 * (1.0 - abs(r)))


@implements("scipy.stats.median_abs_deviation")
def median_abs_deviation(x, axis=0, *, scale=1.0):
    """Median distance from the median.

    Parameters
    ----------
    x : array_like
        Numbers.
    axis : int, optional
        The axis; None for all cells.
    scale : float or str
        The divisor; with 'normal' the result estimates the standard deviation of a normal distribution.

    Returns
    -------
    float or numpy.ndarray
        The distances.

    Examples
    --------
    >>> float(median_abs_deviation(np.array([1.0, 2.0, 4.0])))
    1.0
    """
    x = np.asarray(x)
    by = 0.6744897501960817 if isinstance(scale, str) else scale
    if isinstance(scale, str) and scale != "normal":
        raise TypeError("takes a number or 'normal' as `scale`")
    if axis is None:
        return np.median(np.abs(x - np.median(x))) / by
    return np.median(np.abs(x - np.median(x, axis=axis, keepdims=True)), axis=axis) / by


@implements("scipy.stats.linregress")
def linregress(x, y):
    """Linear least-squares regression of one variable on another.

    Parameters
    ----------
    x, y : array_like
        Measurements of rank 1 and equal length.

    Returns
    -------
    tuple of float
        Slope, intercept, correlation coefficient, two-sided p-value of the hypothesis that the slope is zero, and
        standard error of the slope.

    Raises
    ------
    TypeError
        If an array is not of rank 1.
    ValueError
        If the arrays are empty or differ in length.

    Examples
    --------
    >>> slope, intercept, *rest = linregress(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.5]))
    >>> round(float(slope), 6), round(float(intercept), 6)
    (2.25, 0.916667)
    """
    if x.ndim != 1 or y.ndim != 1:
        raise TypeError("linregress is of two arrays of rank 1")
    n = x.shape[0]
    if n != y.shape[0]:
        raise ValueError("x and y must be of one length")
    if n < 1:
        raise ValueError("Inputs must not be empty.")
    x, y = x.astype(np.float64), y.astype(np.float64)
    dx, dy = x - np.mean(x), y - np.mean(y)
    xx, xy, yy = np.sum(dx * dx), np.sum(dx * dy), np.sum(dy * dy)
    slope = xy / xx
    r = np.clip(xy / np.sqrt(xx * yy), -1.0, 1.0)
    df = n - 2
    error = np.sqrt((1.0 - r * r) * yy / xx / df)
    t = r * np.sqrt(df / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
    p = sp.betainc(0.5 * df, 0.5, df / (df + t * t))
    if n == 2:  # whose line meets both points
        known = np.where(np.any(np.isnan(x + y)), np.nan, 0.0)
        p, error = (known + 1.0 if y[0] == y[1] else known), known
    return slope, np.mean(y) - slope * np.mean(x), r, p, error


@implements("scipy.stats.entropy")
def entropy(pk, qk=None, base=None, axis=0):
    """Entropy of a distribution, or its Kullback-Leibler divergence from another one.

    Parameters
    ----------
    pk : array_like
        The distribution; it is normalised.
    qk : array_like, optional
        The other distribution; it is normalised.
    base : float, optional
        The base of the logarithm; by default e.
    axis : int, optional
        The axis of the distribution.

    Returns
    -------
    float or numpy.ndarray
        The entropy, or the divergence of ``pk`` from ``qk``.

    Examples
    --------
    >>> round(float(entropy(np.array([1.0, 1.0]))), 6)
    0.693147
    """
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        total = np.sum(sp.entr(p), axis=axis)
    else:
        total = np.sum(sp.rel_entr(p, qk / np.sum(qk, axis=axis, keepdims=True)), axis=axis)
    return total if base is None else total / math.log(base)


@implements("scipy.stats.hmean")
def hmean(a, axis=0):
    """Harmonic mean of non-negative numbers.

    Parameters
    ----------
    a : array_like
        The numbers.
    axis : int or None, optional
        The axis to reduce.

    Returns
    -------
    float or numpy.ndarray
        The harmonic mean.

    Examples
    --------
    >>> float(hmean(np.array([1.0, 3.0])))
    1.5
    """
    return 1.0 / np.mean(1.0 / a, axis=axis)


@implements("scipy.stats.variation")
def variation(a, axis=0, nan_policy="propagate", ddof=0):
    """Coefficient of variation: the standard deviation divided by the mean.

    Parameters
    ----------
    a : array_like
        The numbers.
    axis : int or None, optional
        The axis to reduce.
    nan_policy : str, optional
        Only ``"propagate"``.
    ddof : int, optional
        Degrees of freedom that are subtracted.

    Returns
    -------
    float or numpy.ndarray
        The coefficient of variation.

    Raises
    ------
    TypeError
        For another ``nan_policy``.

    Examples
    --------
    >>> float(variation(np.array([1.0, 3.0])))
    0.5
    """
    if nan_policy != "propagate":
        raise TypeError("variation propagates NaN here")
    return np.std(a, axis=axis, ddof=ddof) / np.mean(a, axis=axis)


@implements("scipy.stats.moment")
def moment(a, order=1, axis=0, *, center=None):
    """Central moment of a sample, or the moment about a given number.

    Parameters
    ----------
    a : array_like
        Numbers.
    order : int
        The power.
    axis : int or None
        The axis of the samples.
    center : float, optional
        The number about which the moment is; the mean by default.

    Returns
    -------
    float or numpy.ndarray
        The moments.

    Examples
    --------
    >>> float(moment(np.array([1.0, 2.0, 6.0]), 2))
    4.666666666666667
    """
    a = _sample(a)
    return np.mean((a - (np.mean(a, axis=axis, keepdims=True) if center is None else center)) ** order, axis=axis)


@implements("scipy.stats.ttest_1samp")
def ttest_1samp(a, popmean, axis=0):
    """Student's test that the mean of a sample is a given number: the statistic and the two-sided probability.

    Parameters
    ----------
    a : array_like
        Numbers.
    popmean : float
        The mean that is tested.
    axis : int
        The axis of the samples.

    Returns
    -------
    tuple of float or numpy.ndarray
        The statistic and the probability.

    Examples
    --------
    >>> [round(float(v), 6) for v in ttest_1samp(np.array([1.0, 2.0, 6.0]), 1.0)]
    [1.309307, 0.320634]
    """
    a = _sample(a)
    n = a.shape[axis]
    t = (np.mean(a, axis=axis) - popmean) / np.sqrt(np.var(a, axis=axis, ddof=1) / n)
    return t, 2.0 * sp.stdtr(n - 1.0, -np.abs(t))


@implements("scipy.stats.ttest_rel")
def ttest_rel(a, b, axis=0):
    """Student's test of paired samples: the statistic and the two-sided probability.

    Parameters
    ----------
    a : array_like
        Numbers.
    b : array_like
        Numbers.
    axis : int
        The axis of the samples.

    Returns
    -------
    tuple of float or numpy.ndarray
        The statistic and the probability.

    Examples
    --------
    >>> [round(float(v), 6) for v in ttest_rel(np.array([1.0, 2.0, 6.0]), np.array([0.0, 1.0, 2.0]))]
    [2.0, 0.183503]
    """
    return ttest_1samp(_sample(a) - _sample(b), 0.0, axis)


@implements("scipy.stats.ttest_ind")
def ttest_ind(a, b, *, axis=0, equal_var=True):
    """Student's test of two independent samples, or Welch's: the statistic and the two-sided probability.

    Parameters
    ----------
    a : array_like
        Numbers.
    b : array_like
        Numbers.
    axis : int
        The axis of the samples.
    equal_var : bool
        Whether the variances are taken to be equal: Student's test; Welch's otherwise.

    Returns
    -------
    tuple of float or numpy.ndarray
        The statistic and the probability.

    Examples
    --------
    >>> [round(float(v), 6) for v in ttest_ind(np.array([1.0, 2.0, 6.0]), np.array([0.0, 1.0]))]
    [1.245682, 0.301305]
    """
    a, b = _sample(a), _sample(b)
    m, n = a.shape[axis], b.shape[axis]
    first, second = np.var(a, axis=axis, ddof=1), np.var(b, axis=axis, ddof=1)
    if equal_var:
        df = m + n - 2.0 + 0.0 * first
        square = ((m - 1.0) * first + (n - 1.0) * second) / df * (1.0 / m + 1.0 / n)
    else:
        first, second = first / m, second / n
        df = (first + second) ** 2 / (first**2 / (m - 1.0) + second**2 / (n - 1.0))
        square = first + second
    t = (np.mean(a, axis=axis) - np.mean(b, axis=axis)) / np.sqrt(square)
    return t, 2.0 * sp.stdtr(df, -np.abs(t))


def _resultant(samples, high, low):
    """Mean cosine and sine of numbers on a circle."""
    angles = (np.asarray(samples) - low) * (2.0 * np.pi / (high - low))
    return np.mean(np.cos(angles)), np.mean(np.sin(angles))


@implements("scipy.stats.circmean")
def circmean(samples, high=2 * np.pi, low=0):
    """Mean of numbers on a circle.

    Parameters
    ----------
    samples : array_like
        Numbers of any shape.
    high : float
        The end of the circle's range.
    low : float
        The beginning of the circle's range.

    Returns
    -------
    float
        The mean, in the circle's range.

    Examples
    --------
    >>> round(float(circmean(np.array([0.5, 1.5]))), 6)
    1.0
    """
    c, s = _resultant(samples, high, low)
    return np.mod(np.arctan2(s, c), 2.0 * np.pi) * ((high - low) / (2.0 * np.pi)) + low


@implements("scipy.stats.circvar")
def circvar(samples, high=2 * np.pi, low=0):
    """Variance of numbers on a circle: 1 less the length of the mean vector.

    Parameters
    ----------
    samples : array_like
        Numbers of any shape.
    high : float
        The end of the circle's range.
    low : float
        The beginning of the circle's range.

    Returns
    -------
    float
        The variance, from 0 to 1.

    Examples
    --------
    >>> round(float(circvar(np.array([0.5, 1.5]))), 6)
    0.122417
    """
    c, s = _resultant(samples, high, low)
    return 1.0 - np.sqrt(c * c + s * s)


@implements("scipy.stats.circstd")
def circstd(samples, high=2 * np.pi, low=0):
    """Standard deviation of numbers on a circle.

    Parameters
    ----------
    samples : array_like
        Numbers of any shape.
    high : float
        The end of the circle's range.
    low : float
        The beginning of the circle's range.

    Returns
    -------
    float
        The standard deviation, in the unit of the numbers.

    Examples
    --------
    >>> round(float(circstd(np.array([0.5, 1.5]))), 6)
    0.511046
    """
    c, s = _resultant(samples, high, low)
    return np.sqrt(-np.log(c * c + s * s)) * ((high - low) / (2.0 * np.pi))


@implements("scipy.stats.wasserstein_distance")
def wasserstein_distance(u_values, v_values):
    """Earth mover's distance of two samples: the area between their distribution functions.

    Parameters
    ----------
    u_values : array_like
        A sample, of rank 1.
    v_values : array_like
        Another one.

    Returns
    -------
    float
        The distance, in the unit of the numbers.

    Examples
    --------
    >>> float(wasserstein_distance(np.array([0.0, 1.0]), np.array([5.0, 6.0])))
    5.0
    """
    u, v = np.sort(_sample(u_values)), np.sort(_sample(v_values))
    if u.ndim != 1 or v.ndim != 1:
        raise TypeError("is of samples of rank 1")
    both = np.sort(np.concatenate((u, v)))
    below = both[:-1]
    share = np.searchsorted(u, below, side="right") / u.shape[0] - np.searchsorted(v, below, side="right") / v.shape[0]
    return np.sum(np.abs(share) * np.diff(both))


@implements("scipy.stats.boxcox")
def boxcox(x, lmbda):
    """Box and Cox's transformation with a given power.

    Parameters
    ----------
    x : array_like
        Positive numbers.
    lmbda : float
        The power.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``x``.

    Examples
    --------
    >>> boxcox(np.array([1.0, 4.0]), 0.5)
    array([0., 2.])
    """
    return sp.boxcox(np.asarray(x), lmbda)


@implements("scipy.stats.gaussian_kde")
def gaussian_kde(dataset, bw_method=None):
    """A density estimated with Gaussian kernels from a sample, a function of points.

    Parameters
    ----------
    dataset : array_like
        A sample, of rank 1.
    bw_method : str or float, optional
        'scott' (the default), 'silverman', or the factor of the standard deviation.

    Returns
    -------
    callable
        The density, a function of a number or of a vector that returns a vector.

    Examples
    --------
    >>> gaussian_kde(np.array([1.0, 2.0, 4.0]))(np.array([2.0])).round(6)
    array([0.214895])
    """
    x = _sample(dataset)
    if x.ndim != 1:
        raise TypeError("is of a sample of rank 1")
    n = x.shape[0]
    if bw_method is None or bw_method == "scott":
        factor = 1.0 * n ** (-0.2)
    elif bw_method == "silverman":
        factor = (0.75 * n) ** (-0.2)
    elif isinstance(bw_method, (int, float)):
        factor = 1.0 * bw_method
    else:
        raise TypeError("takes `bw_method` as 'scott', 'silverman' or a number")
    return lambda points: _kernels(x, np.atleast_1d(points), factor * np.std(x, ddof=1))


def _kernels(x, points, width):
    out = np.zeros(points.shape[0])
    for k in range(points.shape[0]):
        z = (points[k] - x) / width
        out[k] = np.mean(np.exp(-0.5 * z * z))
    return out * (0.3989422804014327 / width)
