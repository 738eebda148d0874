"""`scipy.stats`: statistics of samples, in float64."""

from __future__ import annotations

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
