"""`scipy.signal`: filters that run over a signal twice, cascades of sections, local polynomials."""

from __future__ import annotations

import math

import numpy as np

from . import implements


def _signal(x):
    x = np.asarray(x)
    if x.ndim != 1:
        raise TypeError("is of a signal of rank 1")
    if x.dtype.kind != "f":
        raise TypeError("is of floats: write `x.astype(float)`")
    return x


# ------------------------------------------------------------------------------------------------- recursive filters


def _with_state(b, a, x, z):
    """The output of a filter with ``a[0] == 1`` (direct form II transposed). Its state ``z`` is changed."""
    y = np.zeros(x.shape[0])
    n = z.shape[0]
    for i in range(x.shape[0]):
        y[i] = b[0] * x[i] + (z[0] if n > 0 else 0.0)
        for k in range(n):
            z[k] = b[k + 1] * x[i] - a[k + 1] * y[i] + (z[k + 1] if k + 1 < n else 0.0)
    return y


def _filled(c, n):
    """Coefficients, with zeros up to a length."""
    out = np.zeros(n)
    out[: c.shape[0]] = c
    return out


def _normal(b, a):
    """The coefficients of a filter, of one length and with ``a[0] == 1``."""
    n = max(b.shape[0], a.shape[0])
    return _filled(b, n) / a[0], _filled(a, n) / a[0]


def _steady(b, a):
    """The state of a filter whose input has been one for ever."""
    n = a.shape[0] - 1
    m = np.eye(n)
    for k in range(n):
        m[k, 0] += a[k + 1]
        if k + 1 < n:
            m[k, k + 1] -= 1.0
    return np.linalg.solve(m, b[1:] - a[1:] * b[0]) if n > 0 else np.zeros(0)


@implements("scipy.signal.lfilter_zi")
def lfilter_zi(b, a):
    """State of a recursive filter in which its response to a step is constant.

    Parameters
    ----------
    b, a : array_like
        Coefficients of the numerator and the denominator.

    Returns
    -------
    numpy.ndarray
        The state, of ``max(len(a), len(b)) - 1`` numbers.

    Examples
    --------
    >>> lfilter_zi(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    array([0.5])
    """
    b, a = _normal(np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0)
    return _steady(b, a)


@implements("scipy.signal.filtfilt")
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None):
    """A recursive filter applied to a signal forwards and backwards, so that nothing is delayed.

    Parameters
    ----------
    b, a : array_like
        Coefficients of the numerator and the denominator.
    x : array_like
        The signal: floats, of rank 1.
    axis : int
        The axis.
    padtype : {'odd', 'even', 'constant', None}
        How the signal is extended at both ends.
    padlen : int, optional
        By how many cells, by default three times the number of coefficients.

    Returns
    -------
    numpy.ndarray
        The output, of the length of the input.

    Raises
    ------
    ValueError
        If the signal is not longer than the extension.

    Examples
    --------
    >>> filtfilt(np.array([0.5, 0.5]), np.array([1.0]), np.arange(8.0))
    array([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    x = _signal(x)
    b, a = _normal(np.atleast_1d(b) * 1.0, np.atleast_1d(a) * 1.0)
    n = 3 * a.shape[0] if padlen is None else padlen
    if padtype is None:
        n = 0
    if x.shape[0] <= n:
        raise ValueError("The length of the input vector x must be greater than padlen.")
    wide = _extended(x, n, padtype)
    steady = _steady(b, a)
    once = _with_state(b, a, wide, steady * wide[0])[::-1]
    twice = _with_state(b, a, once, steady * once[0])[::-1]
    return twice[n : n + x.shape[0]].copy()


def _extended(x, n, padtype):
    before, after = x[n:0:-1], x[-2 : -2 - n : -1]
    if padtype is None:
        return x.copy()
    if padtype == "odd":
        return np.concatenate((2.0 * x[0] - before, x, 2.0 * x[-1] - after))
    if padtype == "even":
        return np.concatenate((before, x, after))
    if padtype == "constant":
        return np.concatenate((np.full(n, x[0]), x, np.full(n, x[-1])))
    raise TypeError("takes the padding 'odd', 'even', 'constant' and None")


@implements("scipy.signal.sosfilt")
def sosfilt(sos, x, axis=-1):
    """A cascade of filters of second order applied to a signal, with zero initial state.

    Parameters
    ----------
    sos : array_like
        Coefficients of shape (m, 6): three of the numerator and three of the denominator of each section.
    x : array_like
        The signal: floats, of rank 1.
    axis : int
        The axis.

    Returns
    -------
    numpy.ndarray
        The output, of the length of the input.

    Raises
    ------
    ValueError
        If a denominator does not begin with 1.

    Examples
    --------
    >>> sosfilt(np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]]), np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    y = _signal(x) * 1.0
    if np.any(sos[:, 3] != 1.0):
        raise ValueError("sos[:, 3] should be all ones")
    for k in range(sos.shape[0]):
        y = _with_state(sos[k, :3], sos[k, 3:], y, np.zeros(2))
    return y


# ------------------------------------------------------------------------------------------------- local polynomials


def _weights(window, order, deriv, delta, pos):
    """The weights of a window with which the least-squares polynomial has its derivative at ``pos``."""
    if deriv > order:
        return np.zeros(window)
    scale = 0.5 * window
    u = (np.arange(window) - pos) / scale
    a = np.ones((order + 1, window))
    for k in range(order):
        a[k + 1] = a[k] * u
    y = np.zeros(order + 1)
    y[deriv] = math.gamma(deriv + 1.0) / (delta * scale) ** deriv
    return a.T @ np.linalg.solve(a @ a.T, y)


def _checked(window, order):
    if order >= window:
        raise ValueError("polyorder must be less than window_length.")


@implements("scipy.signal.savgol_coeffs")
def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv"):
    """Weights of a Savitzky-Golay filter (Savitzky and Golay 1964).

    Parameters
    ----------
    window_length, polyorder : int
        The number of cells of a window, and the degree of the polynomial.
    deriv : int
        The order of the derivative.
    delta : float
        The distance of the samples.
    pos : int, optional
        The cell of the window at which the polynomial is evaluated, by default the middle one.
    use : {'conv', 'dot'}
        Whether the weights are for a convolution, in reverse order.

    Returns
    -------
    numpy.ndarray
        The weights.

    Raises
    ------
    ValueError
        If the window has not more cells than the polynomial has coefficients.

    Examples
    --------
    >>> np.round(savgol_coeffs(5, 2), 6)
    array([-0.085714,  0.342857,  0.485714,  0.342857, -0.085714])
    """
    _checked(window_length, polyorder)
    if pos is None:
        middle = window_length // 2 - (0.5 if window_length % 2 == 0 else 0.0)
    else:
        middle = 1.0 * pos
    found = _weights(window_length, polyorder, deriv, delta, middle)
    return found if use == "dot" else found[::-1].copy()


@implements("scipy.signal.savgol_filter")
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    """Smoothing by a polynomial that is fitted to each window of a signal (Savitzky and Golay 1964).

    Parameters
    ----------
    x : array_like
        The signal: floats, of rank 1.
    window_length, polyorder : int
        The number of cells of a window, and the degree of the polynomial.
    deriv : int
        The order of the derivative.
    delta : float
        The distance of the samples.
    axis : int
        The axis.
    mode : {'interp', 'constant', 'nearest', 'mirror', 'wrap'}
        How the signal goes on beyond its ends; for 'interp', the polynomials of the first and last window are used.
    cval : float
        The value beyond the ends for 'constant'.

    Returns
    -------
    numpy.ndarray
        The smoothed signal, or its derivative.

    Raises
    ------
    ValueError
        If the window is longer than the signal, or has not more cells than the polynomial has coefficients.

    Examples
    --------
    >>> np.round(savgol_filter(np.arange(6.0) ** 2, 3, 2), 6) + 0.0
    array([ 0.,  1.,  4.,  9., 16., 25.])
    """
    x = _signal(x)
    _checked(window_length, polyorder)
    middle = 0.5 * (window_length - 1.0)
    weights = _weights(window_length, polyorder, deriv, delta, middle)
    if mode != "interp":
        return _correlated(x, weights.astype(x.dtype), mode, cval)
    if window_length > x.shape[0]:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    if not np.all(np.isfinite(x)):
        raise ValueError("array must not contain infs or NaNs")
    n, half = x.shape[0], window_length // 2
    out = np.zeros(n, dtype=x.dtype)
    for i in range(half, n - half):
        start = i - (window_length - 1) // 2
        out[i] = weights @ x[start : start + window_length]
    for i in range(half):
        out[i] = _weights(window_length, polyorder, deriv, delta, 1.0 * i) @ x[:window_length]
        last = window_length - half + i
        out[n - half + i] = _weights(window_length, polyorder, deriv, delta, 1.0 * last) @ x[n - window_length :]
    return out


def _correlated(x, weights, mode, cval):
    """The weighted sums of windows of a signal that goes on beyond its ends."""
    n, w = x.shape[0], weights.shape[0]
    before = (w - 1) // 2
    k = np.arange(-before, n + w // 2)
    if mode == "constant":
        wide = np.concatenate((np.full(before, cval), x, np.full(w // 2, cval)))
    elif mode == "nearest":
        wide = x[np.minimum(np.maximum(k, 0), n - 1)]
    elif mode == "wrap":
        wide = x[k % n]
    elif mode == "mirror":
        k = k % max(2 * n - 2, 1)
        wide = x[np.where(k < n, k, 2 * n - 2 - k)]
    else:
        raise TypeError("takes the modes 'interp', 'constant', 'nearest', 'mirror' and 'wrap'")
    out = np.zeros(n, dtype=x.dtype)
    for j in range(w):
        out += weights[j] * wide[j : j + n]
    return out
