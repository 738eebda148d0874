"""`scipy.signal`: the places of peaks. Places have no derivative; the heights and prominences there have one."""

from __future__ import annotations

import numpy as np

from . import implements


def _maxima(x):
    """The places of the maxima of a signal, of a flat one the middle."""
    n = x.shape[0]
    found, count, i = np.zeros(n // 2 + 1, dtype=np.int64), 0, 1
    while i < n - 1:
        if x[i - 1] < x[i]:
            ahead = i + 1
            while ahead < n - 1 and x[ahead] == x[i]:
                ahead += 1
            if x[ahead] < x[i]:
                found[count] = (i + ahead - 1) // 2
                count += 1
                i = ahead
        i += 1
    return found[:count].copy()


def _between(values, bounds):
    """Which values are within bounds: a least one, or a pair of which each may be None."""
    if isinstance(bounds, (tuple, list)):
        low, high = bounds
        keep = np.ones(values.shape[0], dtype=bool)
        if low is not None:
            keep = keep & (values >= low)
        if high is not None:
            keep = keep & (values <= high)
        return keep
    return values >= bounds


def _apart(peaks, heights, distance):
    """Which peaks are left if lower ones that are too near to a higher one go, from the highest one on."""
    n = peaks.shape[0]
    keep, order = np.ones(n, dtype=bool), np.argsort(heights)
    for i in range(n - 1, -1, -1):
        j = order[i]
        if keep[j]:
            k = j - 1
            while k >= 0 and peaks[j] - peaks[k] < distance:
                keep[k] = False
                k -= 1
            k = j + 1
            while k < n and peaks[k] - peaks[j] < distance:
                keep[k] = False
                k += 1
    return keep


def _prominences(x, peaks):
    """How far each peak is above the higher one of the two lowest places beside it, before a higher peak."""
    out = np.zeros(peaks.shape[0])
    left, right = np.zeros(peaks.shape[0], dtype=np.int64), np.zeros(peaks.shape[0], dtype=np.int64)
    for k in range(peaks.shape[0]):
        top = peaks[k]
        left[k] = top
        i = top
        while i >= 0 and x[i] <= x[top]:
            if x[i] < x[left[k]]:
                left[k] = i
            i -= 1
        right[k] = top
        i = top
        while i < x.shape[0] and x[i] <= x[top]:
            if x[i] < x[right[k]]:
                right[k] = i
            i += 1
        out[k] = x[top] - max(x[left[k]], x[right[k]])
    return out, left, right


@implements("scipy.signal.find_peaks")
def find_peaks(
    x, height=None, threshold=None, distance=None, prominence=None, width=None, wlen=None, rel_height=0.5,
    plateau_size=None,
):  # fmt: skip
    """Places of the peaks of a signal, and a dict of what was asked for.

    Parameters
    ----------
    x : array_like
        The signal, of rank 1.
    height : float or tuple, optional
        The least height, or the least and the greatest one, each of which may be None.
    threshold, width, wlen, plateau_size : None
        Must be None.
    distance : float, optional
        The least distance of two peaks, in samples; of two that are nearer, the higher one is left.
    prominence : float or tuple, optional
        The least prominence, or the least and the greatest one.
    rel_height : float
        Ignored.

    Returns
    -------
    peaks : numpy.ndarray
        The places, ints.
    properties : dict
        ``"peak_heights"`` if ``height`` is given; ``"prominences"``, ``"left_bases"`` and ``"right_bases"`` if
        ``prominence`` is.

    Examples
    --------
    >>> find_peaks(np.array([0.0, 2.0, 1.0, 5.0, 0.0]), height=3.0)
    (array([3]), {'peak_heights': array([5.])})
    """
    if threshold is not None or width is not None or wlen is not None or plateau_size is not None:
        raise TypeError("takes `height`, `distance` and `prominence`")
    x = np.asarray(x) * np.float64(1.0)
    if x.ndim != 1:
        raise TypeError("is of a signal of rank 1")
    peaks = _maxima(x)
    if height is not None:
        peaks = peaks[_between(x[peaks], height)]
    if distance is not None:
        if distance < 1:
            raise ValueError("`distance` must be greater or equal to 1")
        peaks = peaks[_apart(peaks, x[peaks], distance)]
    if prominence is None:
        return (peaks, {"peak_heights": x[peaks]}) if height is not None else (peaks, {})
    prominences, left, right = _prominences(x, peaks)
    keep = _between(prominences, prominence)
    peaks, found = peaks[keep], {"prominences": prominences[keep], "left_bases": left[keep], "right_bases": right[keep]}
    return (peaks, {"peak_heights": x[peaks], **found}) if height is not None else (peaks, found)


def _extrema(data, sign, order, mode):
    """The places at which a signal, times a sign, is greater than its neighbours."""
    x = np.asarray(data)
    if x.ndim != 1 or mode not in ("clip", "wrap"):
        raise TypeError("is of a signal of rank 1, with `mode` 'clip' or 'wrap'")
    if order < 1:
        raise ValueError("Order must be an int >= 1")
    return (_greater(x, sign, order, mode == "wrap"),)


def _greater(x, sign, order, wrap):
    n = x.shape[0]
    keep = np.ones(n, dtype=bool)
    for i in range(n):
        for shift in range(1, order + 1):
            after = (i + shift) % n if wrap else min(i + shift, n - 1)
            before = (i - shift) % n if wrap else max(i - shift, 0)
            if not (sign * x[i] > sign * x[after] and sign * x[i] > sign * x[before]):
                keep[i] = False
    return np.flatnonzero(keep)


@implements("scipy.signal.argrelmax")
def argrelmax(data, axis=0, order=1, mode="clip"):
    """Places of the relative maxima of a signal.

    Parameters
    ----------
    data : array_like
        The signal, of rank 1.
    axis : int
        Ignored.
    order : int
        How many neighbours on each side are less.
    mode : str
        'clip' or 'wrap', for neighbours beyond the ends.

    Returns
    -------
    tuple of numpy.ndarray
        The places, ints.

    Examples
    --------
    >>> argrelmax(np.array([0.0, 2.0, 1.0, 5.0, 0.0]))
    (array([1, 3]),)
    """
    return _extrema(data, 1.0, order, mode)


@implements("scipy.signal.argrelmin")
def argrelmin(data, axis=0, order=1, mode="clip"):
    """Places of the relative minima of a signal.

    Parameters
    ----------
    data : array_like
        The signal, of rank 1.
    axis : int
        Ignored.
    order : int
        How many neighbours on each side are greater.
    mode : str
        'clip' or 'wrap', for neighbours beyond the ends.

    Returns
    -------
    tuple of numpy.ndarray
        The places, ints.

    Examples
    --------
    >>> argrelmin(np.array([0.0, 2.0, 1.0, 5.0, 0.0]))
    (array([2]),)
    """
    return _extrema(data, -1.0, order, mode)
