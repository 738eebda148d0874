"""Averages, covariances, quantiles, and reductions that ignore NaNs."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.average")
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """Weighted mean.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int or tuple of int, optional
        Axes; all of them by default.
    weights : array_like, optional
        Weights of the shape of ``a``, or of rank 1 along one axis.
    returned : bool
        Must be False.
    keepdims : bool
        Whether the reduced axes are kept with size 1.

    Returns
    -------
    float or numpy.ndarray
        The means.

    Raises
    ------
    ZeroDivisionError
        If weights sum to 0, or if an axis is empty.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> float(average(np.array([1.0, 2.0]), weights=np.array([3.0, 1.0])))
    1.25
    """
    a = np.asarray(a)
    if returned:
        raise TypeError("does not return the weights: add them up, `np.sum(w)`")
    if weights is None:
        mean = np.mean(a, axis=axis, keepdims=keepdims)
        if axis is not None and np.size(mean) == 0:
            raise ZeroDivisionError("division by zero")
        return mean
    w = np.asarray(weights)
    single = a.dtype == np.float32 and (w.dtype == np.float32 or w.dtype == bool)
    number = np.float32 if single else np.float64
    a, w = a.astype(number), w.astype(number)
    if w.ndim != a.ndim:
        if w.ndim != 1 or axis is None or isinstance(axis, tuple):
            raise TypeError("is of weights of the shape of the array, or along one axis, which is named: `axis=0`")
        if w.shape[0] != a.shape[axis]:
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        total = np.sum(w)
        if total == 0.0:
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        found = np.sum(np.moveaxis(a, axis, -1) * w, axis=-1) / total
        return np.expand_dims(found, axis) if keepdims else found
    total = np.sum(w, axis=axis, keepdims=keepdims)
    if np.any(total == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return np.sum(a * w, axis=axis, keepdims=keepdims) / total


def _variables(m, y, rowvar):
    """Variables as the rows of a float64 array."""
    m = np.asarray(m)
    if m.ndim not in (1, 2):
        raise TypeError("is of arrays of rank 1 or 2")
    rows = m if rowvar or m.ndim == 1 else m.T
    if y is None:
        if m.ndim == 1:
            return rows[None, :].astype(np.float64)
        return rows.astype(np.float64)
    y = np.asarray(y)
    if y.ndim not in (1, 2):
        raise TypeError("is of arrays of rank 1 or 2")
    more = y if rowvar or y.ndim == 1 else y.T
    return np.concatenate((np.atleast_2d(rows), np.atleast_2d(more)), axis=0).astype(np.float64)


def _weighted(v, weights, importance, ddof):
    """The covariances of variables whose observations have weights."""
    if np.any(weights < 0.0):
        raise ValueError("weights cannot be negative")
    total = np.sum(weights)
    shifted = v - (np.sum(v * weights, axis=1) / total)[:, None]
    return shifted @ (shifted * weights).T / (total - ddof * np.sum(weights * importance) / total)


def _covariance(m, less):
    d = m - np.mean(m, axis=1, keepdims=True)
    return d @ d.T / max(m.shape[1] - less, 0)


@implements("numpy.cov")
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """Covariances of variables.

    Parameters
    ----------
    m : array_like
        Variables as rows, or one variable.
    y : array_like, optional
        Additional variables.
    rowvar : bool
        False for variables as columns, a literal.
    bias : bool
        Whether to divide by the number of observations rather than by one less, a literal.
    ddof : int, optional
        Subtracted from the number of observations in the divisor; overrides ``bias``.
    fweights, aweights : array_like, optional
        How often each observation occurs, and its importance.

    Returns
    -------
    numpy.ndarray
        A float64 matrix, of rank 0 for a variable that is given as an array of rank 1.

    Examples
    --------
    >>> cov(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    array([[0.5, 1. ],
           [1. , 2. ]])
    """
    less = ddof if ddof is not None else 0 if bias else 1
    variables = _variables(m, y, rowvar)
    if fweights is None and aweights is None:
        c = _covariance(variables, less)
    elif aweights is None:
        c = _weighted(variables, 1.0 * np.asarray(fweights), 1.0, less)
    else:
        importance = np.asarray(aweights)
        weights = importance if fweights is None else importance * np.asarray(fweights)
        c = _weighted(variables, weights, importance, less)
    return np.array(c[0, 0]) if y is None and np.ndim(m) == 1 else c


@implements("numpy.corrcoef")
def corrcoef(x, y=None, rowvar=True):
    """Correlations of variables.

    Parameters
    ----------
    x : array_like
        Variables as rows, or one variable.
    y : array_like, optional
        Additional variables.
    rowvar : bool
        False for variables as columns, a literal.

    Returns
    -------
    float or numpy.ndarray
        A float64 matrix, or a number for a variable that is given as an array of rank 1.

    Examples
    --------
    >>> corrcoef(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    array([[1., 1.],
           [1., 1.]])
    """
    c = _covariance(_variables(x, y, rowvar), 1)
    if y is None and np.ndim(x) == 1:
        return c[0, 0] / c[0, 0]
    s = np.sqrt(np.diag(c))
    return np.clip(c / s[:, None] / s[None, :], -1.0, 1.0)


@implements("scipy.stats.trim_mean")
def trim_mean(a, proportiontocut, axis=0):
    """Mean without the smallest and the largest cells.

    Parameters
    ----------
    a : array_like
        Numbers.
    proportiontocut : float
        The proportion of the cells that is left out at each end.
    axis : int, optional
        The axis; None for all cells.

    Returns
    -------
    float or numpy.ndarray
        The means.

    Raises
    ------
    ValueError
        If more cells than there are would be left out.

    Examples
    --------
    >>> float(trim_mean(np.array([1.0, 2.0, 3.0, 90.0]), 0.25))
    2.5
    """
    a = np.ravel(a) if axis is None else np.moveaxis(np.asarray(a), axis, 0)
    n = a.shape[0]
    cut = int(proportiontocut * n)
    if 2 * cut > n:
        raise ValueError("Proportion too big.")
    return np.mean(np.sort(a, axis=0)[cut : n - cut], axis=0)


# ----------------------------------------------------------------------------------------------------- ignoring NaNs


@implements("numpy.nanmax")
def nanmax(a, axis=None, *, keepdims=False):
    """Largest cells that are not NaN.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int or tuple of int, optional
        Axes; all of them by default.
    keepdims : bool
        Whether the reduced axes are kept with size 1.

    Returns
    -------
    float or numpy.ndarray
        The cells; NaN if all cells are NaN.

    Examples
    --------
    >>> float(nanmax(np.array([1.0, np.nan])))
    1.0
    """
    a = np.asarray(a)
    if axis is None and a.size == 0:
        raise ValueError("zero-size array to reduction operation fmax which has no identity")
    if a.dtype.kind != "f":
        return np.max(a, axis=axis, keepdims=keepdims)
    best = np.max(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, best)


@implements("numpy.nanmin")
def nanmin(a, axis=None, *, keepdims=False):
    """Smallest cells that are not NaN.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int or tuple of int, optional
        Axes; all of them by default.
    keepdims : bool
        Whether the reduced axes are kept with size 1.

    Returns
    -------
    float or numpy.ndarray
        The cells; NaN if all cells are NaN.

    Examples
    --------
    >>> float(nanmin(np.array([1.0, np.nan])))
    1.0
    """
    a = np.asarray(a)
    if axis is None and a.size == 0:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    if a.dtype.kind != "f":
        return np.min(a, axis=axis, keepdims=keepdims)
    best = np.min(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, best)


@implements("numpy.nanvar")
def nanvar(a, axis=None, *, ddof=0, keepdims=False):
    """Variances of the cells that are not NaN.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int or tuple of int, optional
        Axes; all of them by default.
    ddof : int
        Subtracted from the number of cells in the divisor.
    keepdims : bool
        Whether the reduced axes are kept with size 1.

    Returns
    -------
    float or numpy.ndarray
        The variances; NaN if there are too few cells.

    Examples
    --------
    >>> float(nanvar(np.array([1.0, 3.0, np.nan])))
    1.0
    """
    a = np.asarray(a)
    if a.dtype.kind != "f":
        return np.var(a, axis=axis, ddof=ddof, keepdims=keepdims)
    number = np.float32 if a.dtype == np.float32 else np.float64
    some = ~np.isnan(a)
    n = np.sum(some, axis=axis, keepdims=True)
    d = np.where(some, a, 0.0) - number(np.sum(np.where(some, a, 0.0), axis=axis, keepdims=True) / n)
    left = np.sum(some, axis=axis, keepdims=keepdims) - ddof
    squares = np.sum(np.where(some, d * d, 0.0), axis=axis, keepdims=keepdims)
    return number(squares / np.where(left > 0, left, np.nan))


@implements("numpy.nanstd")
def nanstd(a, axis=None, *, ddof=0, keepdims=False):
    """Standard deviations of the cells that are not NaN. Their slope at 0 is 0.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int or tuple of int, optional
        Axes; all of them by default.
    ddof : int
        Subtracted from the number of cells in the divisor.
    keepdims : bool
        Whether the reduced axes are kept with size 1.

    Returns
    -------
    float or numpy.ndarray
        The deviations; NaN if there are too few cells.

    Examples
    --------
    >>> float(nanstd(np.array([1.0, 3.0, np.nan])))
    1.0
    """
    a = np.asarray(a)
    if a.dtype.kind != "f":
        return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)
    v = nanvar(a, axis, ddof=ddof, keepdims=keepdims)
    return np.where(v > 0, np.sqrt(np.where(v > 0, v, 1.0)), v)


@implements("numpy.nanmedian")
def nanmedian(a, axis=None, *, keepdims=False):
    """Medians of the cells that are not NaN.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int, optional
        The axis; all cells by default.
    keepdims : bool
        Whether the reduced axis is kept with size 1.

    Returns
    -------
    float or numpy.ndarray
        The medians; NaN if there is no such cell.

    Examples
    --------
    >>> float(nanmedian(np.array([3.0, np.nan, 1.0, 2.0])))
    2.0
    """
    a = np.asarray(a)
    if a.dtype.kind != "f":
        return np.median(a, axis=axis, keepdims=keepdims)
    return _of_numbers(a, axis, keepdims, 0.5, True)


def _of_numbers(a, axis, keepdims, q, middle):
    """The quantile of the cells that are not NaN. ``middle``: as for medians, the mean of the two middle cells,
    which is rounded differently."""
    if axis is None and keepdims:
        raise TypeError("takes `keepdims` with an axis")
    if axis is None:
        found = _last_axis(a.reshape(1, a.size), q, middle)[0]
    else:
        moved = np.moveaxis(a, axis, -1)
        count = 1
        for k in range(a.ndim - 1):
            count = count * moved.shape[k]
        found = _last_axis(moved.reshape(count, a.shape[axis]), q, middle).reshape(moved.shape[:-1])
        if keepdims:
            found = np.expand_dims(found, axis)
    return found


def _last_axis(rows, q, middle):
    found = np.full(rows.shape[0], np.nan, dtype=rows.dtype)
    for i in range(rows.shape[0]):
        cells = np.sort(rows[i])  # NaNs are sorted last
        n = np.sum(~np.isnan(cells))
        if n > 0 and middle:
            found[i] = cells[n // 2] if n % 2 == 1 else 0.5 * (cells[n // 2 - 1] + cells[n // 2])
        elif n > 0:
            place = q * (n - 1)
            low = min(int(place), n - 1)
            high = min(low + 1, n - 1)
            t = place - low
            step = cells[high] - cells[low]
            found[i] = cells[low] + step * t if t < 0.5 else cells[high] - step * (1.0 - t)
    return found


def _quantile(a, q, axis, keepdims):
    a = np.asarray(a)
    if np.ndim(q) != 0:
        raise TypeError("takes one number as `q`")
    if a.dtype.kind == "b":
        raise TypeError("is of numbers")
    return _of_numbers(a if a.dtype.kind == "f" else a.astype(np.float64), axis, keepdims, q, False)


@implements("numpy.nanquantile")
def nanquantile(a, q, axis=None, *, keepdims=False):
    """Quantiles of the cells that are not NaN, with linear interpolation.

    Parameters
    ----------
    a : array_like
        Numbers.
    q : float
        Between 0 and 1.
    axis : int, optional
        The axis; all cells by default.
    keepdims : bool
        Whether the reduced axis is kept with size 1.

    Returns
    -------
    float or numpy.ndarray
        The quantiles; NaN if there is no such cell.

    Raises
    ------
    ValueError
        If ``q`` is out of range.

    Examples
    --------
    >>> float(nanquantile(np.array([3.0, np.nan, 1.0]), 0.25))
    1.5
    """
    if not 0.0 <= q <= 1.0:
        raise ValueError("Quantiles must be in the range [0, 1]")
    return _quantile(a, q, axis, keepdims)


@implements("numpy.nanpercentile")
def nanpercentile(a, q, axis=None, *, keepdims=False):
    """Percentiles of the cells that are not NaN, with linear interpolation.

    Parameters
    ----------
    a : array_like
        Numbers.
    q : float
        Between 0 and 100.
    axis : int, optional
        The axis; all cells by default.
    keepdims : bool
        Whether the reduced axis is kept with size 1.

    Returns
    -------
    float or numpy.ndarray
        The percentiles; NaN if there is no such cell.

    Raises
    ------
    ValueError
        If ``q`` is out of range.

    Examples
    --------
    >>> float(nanpercentile(np.array([3.0, np.nan, 1.0]), 25))
    1.5
    """
    if not 0.0 <= q <= 100.0:
        raise ValueError("Percentiles must be in the range [0, 100]")
    return _quantile(a, q / 100.0, axis, keepdims)


@implements("scipy.stats.scoreatpercentile")
def scoreatpercentile(a, per, limit=(), interpolation_method="fraction", axis=None):
    """Score at a percentile, or at several.

    Parameters
    ----------
    a : array_like
        Numbers.
    per : float or array_like
        Percentiles between 0 and 100.
    limit : tuple of float
        The closed interval of the numbers that count; all by default.
    interpolation_method : str
        "fraction", "lower" or "higher", for a percentile between two numbers.
    axis : int, optional
        The axis along which percentiles are computed; of all cells by default.

    Returns
    -------
    float or numpy.ndarray
        The scores; NaN if there are no numbers.

    Raises
    ------
    ValueError
        For a percentile outside of [0, 100].
    TypeError
        For other interpolation methods.

    Examples
    --------
    >>> float(scoreatpercentile(np.array([1.0, 2.0, 4.0]), 75.0))
    3.0
    """
    if interpolation_method not in ("fraction", "lower", "higher"):
        raise TypeError("interpolates by fraction, lower or higher")
    a, per = np.asarray(a) * 1.0, np.asarray(per) * 1.0
    if np.any((per < 0.0) | (per > 100.0)):
        raise ValueError("percentile must be in the range [0, 100]")
    if len(limit) == 2:
        a = a[(limit[0] <= a) & (a <= limit[1])]
    if interpolation_method == "lower":
        return np.percentile(a, per, axis=axis, method="lower")
    if interpolation_method == "higher":
        return np.percentile(a, per, axis=axis, method="higher")
    return np.percentile(a, per, axis=axis)


@implements("numpy.nancumsum")
def nancumsum(a, axis=None, dtype=None):
    """Cumulative sums, with NaN treated as 0.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int, optional
        The axis; by default the array is flattened.
    dtype : dtype, optional
        The dtype of the sums.

    Returns
    -------
    numpy.ndarray
        The convolution.

    Examples
    --------
    >>> nancumsum(np.array([1.0, np.nan, 2.0]))
    array([1., 1., 3.])
    """
    a = np.asarray(a)
    left = np.where(np.isnan(a), 0.0, a) if a.dtype.kind == "f" else a
    return np.cumsum(left, axis=axis, dtype=dtype)


@implements("numpy.nancumprod")
def nancumprod(a, axis=None, dtype=None):
    """Cumulative products, with NaN treated as 1.

    Parameters
    ----------
    a : array_like
        Numbers.
    axis : int, optional
        The axis; by default the array is flattened.
    dtype : dtype, optional
        The dtype of the products.

    Returns
    -------
    numpy.ndarray
        The products.

    Examples
    --------
    >>> nancumprod(np.array([2.0, np.nan, 2.0]))
    array([2., 2., 4.])
    """
    a = np.asarray(a)
    left = np.where(np.isnan(a), 1.0, a) if a.dtype.kind == "f" else a
    return np.cumprod(left, axis=axis, dtype=dtype)


# -------------------------------------------------------------------------------------------------------------- counts


@implements("numpy.bincount")
def bincount(x, weights=None, minlength=0):
    """The number of occurrences of each int, or the sum of its weights.

    Parameters
    ----------
    x : array_like
        Non-negative ints, of rank 1.
    weights : array_like, optional
        Weights, one per int.
    minlength : int
        The minimum length of the result.

    Returns
    -------
    numpy.ndarray
        Counts as int64, or sums of weights as floats.

    Raises
    ------
    ValueError
        For negative ints, or if the number of weights differs.

    Examples
    --------
    >>> bincount(np.array([0, 2, 2]))
    array([1, 0, 2])
    """
    x = np.asarray(x)
    if x.ndim != 1 or x.dtype.kind not in ("i", "u", "b") or x.dtype == np.uint64:
        raise TypeError("is of an array of rank 1 of ints that an int64 holds")
    if x.dtype != np.int64:  # the largest small int plus one may not fit in their dtype
        x = x.astype(np.int64)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if np.any(x < 0):
        raise ValueError("'list' argument must have no negative elements")
    n = max(np.max(x) + 1 if x.size > 0 else 0, minlength)
    if weights is None:
        return _counts(x, n)
    weights = np.asarray(weights)
    if weights.size != x.size:
        raise ValueError("The weights and list don't have the same length.")
    return _sums(x, weights, n)


def _counts(x, n):
    h = np.zeros(n, dtype=np.int64)
    for k in x:
        h[k] += 1
    return h


def _sums(x, weights, n):
    h = np.zeros(n)
    for j in range(x.shape[0]):
        h[x[j]] += weights[j]
    return h


@implements("scipy.stats.iqr")
def iqr(x, axis=None, rng=(25, 75), scale=1.0, nan_policy="propagate", interpolation="linear", keepdims=False):
    """The range between two percentiles, the quartiles by default.

    Parameters
    ----------
    x : array_like
        Numbers.
    axis : int, optional
        The axis, a literal; None for all numbers.
    rng : tuple
        The percentiles.
    scale : float or str
        What the range is divided by; "normal" for an estimate of the standard deviation of normal numbers.
    nan_policy, interpolation : str
        Must have their defaults.
    keepdims : bool
        Whether the axis stays with one cell, a literal.

    Returns
    -------
    float or numpy.ndarray
        The ranges.

    Examples
    --------
    >>> float(iqr(np.array([1.0, 2.0, 3.0, 4.0, 5.0])))
    2.0
    """
    if nan_policy != "propagate" or interpolation != "linear":
        raise TypeError("is of linear percentiles, and propagates NaN, here")
    low, high = rng if rng[0] <= rng[1] else (rng[1], rng[0])
    x = np.asarray(x)
    found = np.percentile(x, high, axis=axis, keepdims=keepdims) - np.percentile(x, low, axis=axis, keepdims=keepdims)
    if isinstance(scale, str):
        if scale != "normal":
            raise ValueError(f"{scale} not a valid scale for `iqr`")
        return found / 1.3489795003921634
    return found / scale
