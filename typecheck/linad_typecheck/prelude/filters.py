"""`scipy.signal`: convolutions in one and two dimensions, and recursive filters."""

from __future__ import annotations

import numpy as np
import scipy.ndimage as sn

from . import implements


def _numbers(a, b):
    """Two signals."""
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != 1 or b.ndim != 1:
        raise TypeError("is of two signals of rank 1: `scipy.signal.convolve2d` is of pictures")
    if a.dtype == bool or b.dtype == bool:
        raise TypeError("is of numbers")
    return a, b


def _not_empty(a, b, mode):
    """Two signals that SciPy accepts for a convolution."""
    a, b = _numbers(a, b)
    floats = a.dtype.kind == "f" or b.dtype.kind == "f"
    if b.shape[0] == 0 or (a.shape[0] == 0 and not (floats and mode == "same")):
        raise ValueError("a signal cannot be empty")
    return a, b


def _part(in1, in2, mode):
    """The part of the full convolution that a mode selects."""
    n, m = in1.shape[0], in2.shape[0]
    full = np.zeros(max(n + m - 1, 0), dtype=np.result_type(in1, in2))
    for k in range(m):
        full[k : k + n] += in1 * in2[k]
    if n == 0 or m == 0:
        return full[:0]
    if mode == "full":
        return full
    if mode == "same":
        start = (m - 1) // 2
        return full[start : start + n]
    if mode == "valid":
        return full[min(n, m) - 1 : max(n, m)]
    raise TypeError("takes the mode 'full', 'same' or 'valid'")


@implements("scipy.signal.convolve")
def convolve(in1, in2, mode="full", method="auto"):
    """Convolution of two signals.

    Parameters
    ----------
    in1, in2 : array_like
        Signals of rank 1, or two of rank 2.
    mode : {'full', 'same', 'valid'}
        The full convolution, its centre with the size of ``in1``, or the part where the signals overlap fully.
    method : str
        Ignored: the sums are always computed directly.

    Returns
    -------
    numpy.ndarray
        The convolution.

    Raises
    ------
    ValueError
        If a signal is empty. With floats and ``'same'`` the first one may be empty.

    Examples
    --------
    >>> convolve(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([1., 3., 2.])
    """
    if np.ndim(in1) == 2:
        return convolve2d(in1, in2, mode)
    in1, in2 = _not_empty(in1, in2, mode)
    return np.copy(_part(in1, in2, mode))


@implements("scipy.signal.fftconvolve", "scipy.signal.oaconvolve")
def fftconvolve(in1, in2, mode="full"):
    """Convolution of two float signals. The sums are computed directly, without the rounding errors of a transform.

    Parameters
    ----------
    in1, in2 : array_like
        Signals of rank 1.
    mode : {'full', 'same', 'valid'}
        As for `convolve`.

    Returns
    -------
    numpy.ndarray
        The convolution.

    Examples
    --------
    >>> fftconvolve(np.array([1.0, 2.0]), np.array([1.0, 1.0]), "same")
    array([1., 3.])
    """
    in1, in2 = _numbers(in1, in2)
    if in1.dtype.kind != "f" or in2.dtype.kind != "f":
        raise TypeError("is of signals of floats")
    return np.copy(_part(in1, in2, mode))


@implements("scipy.signal.correlate")
def correlate(in1, in2, mode="full", method="auto"):
    """Correlation of two signals.

    Parameters
    ----------
    in1, in2 : array_like
        Signals of rank 1.
    mode : {'full', 'same', 'valid'}
        As for `convolve`.
    method : str
        Ignored: the sums are always computed directly.

    Returns
    -------
    numpy.ndarray
        The correlation.

    Raises
    ------
    ValueError
        If a signal is empty. With floats and ``'same'`` the first one may be empty.

    Examples
    --------
    >>> correlate(np.array([1.0, 2.0]), np.array([3.0, 1.0]))
    array([1., 5., 6.])
    """
    in1, in2 = _not_empty(in1, in2, mode)
    return np.copy(_part(in1, in2[::-1], mode))


@implements("scipy.signal.convolve2d")
def convolve2d(in1, in2, mode="full"):
    """Two-dimensional convolution, with zero padding.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays of rank 2.
    mode : {'full', 'same', 'valid'}
        As for `convolve`.

    Returns
    -------
    numpy.ndarray
        The convolution.

    Raises
    ------
    ValueError
        For 'valid', if one array is wider and the other one is higher.

    Examples
    --------
    >>> convolve2d(np.ones((2, 2)), np.array([[1.0, 2.0]]))
    array([[1., 3., 2.],
           [1., 3., 2.]])
    """
    in1, in2 = np.asarray(in1), np.asarray(in2)
    if in1.ndim != 2 or in2.ndim != 2:
        raise TypeError("is of two pictures of rank 2")
    if in1.dtype.kind != "f" or in2.dtype.kind != "f":
        raise TypeError("is of pictures of floats")
    n, m = in1.shape
    p, q = in2.shape
    if mode == "valid" and not ((n >= p and m >= q) or (n <= p and m <= q)):
        raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
    full = _full2(in1, in2)
    if mode == "full":
        return full
    if mode == "same":
        top, left = (p - 1) // 2, (q - 1) // 2
        return np.copy(full[top : top + n, left : left + m])
    if mode == "valid":
        return np.copy(full[min(n, p) - 1 : max(n, p), min(m, q) - 1 : max(m, q)])
    raise TypeError("takes the mode 'full', 'same' or 'valid'")


def _full2(a, b):
    """The full convolution of two matrices."""
    found = np.zeros((a.shape[0] + b.shape[0] - 1, a.shape[1] + b.shape[1] - 1), dtype=np.result_type(a, b))
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            found[i : i + a.shape[0], j : j + a.shape[1]] += a * b[i, j]
    return found


@implements("scipy.signal.lfilter")
def lfilter(b, a, x, *, zi=None):
    """A recursive (IIR) filter applied to a signal.

    Parameters
    ----------
    b, a : array_like
        Coefficients of the numerator (input) and the denominator (output); ``a[0]`` is not 0.
    x : array_like
        The signal, of rank 1.
    zi : array_like, optional
        The initial state. By default it is zero.

    Returns
    -------
    y : numpy.ndarray
        The output, of the length of the input.
    zf : numpy.ndarray
        The final state, if the initial one is given.

    Raises
    ------
    ValueError
        If there are no coefficients, or if ``a[0]`` is 0.

    Examples
    --------
    >>> lfilter(np.array([1.0]), np.array([1.0, -0.5]), np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    x = np.asarray(x)
    if x.ndim != 1:
        raise TypeError("is of a signal of rank 1")
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    if b.shape[0] == 0 or a.shape[0] == 0 or (x.shape[0] == 0 and a.shape[0] == 1):
        raise ValueError("the coefficients, and a signal that is only weighted, cannot be empty")
    if a[0] == 0.0:
        raise ValueError("BUG: filter coefficient a[0] == 0 not supported yet")
    if zi is not None:
        return _continued(b / a[0], a / a[0], 1.0 * x, 1.0 * np.asarray(zi))
    dtype = np.result_type(b, a, x, np.float32)
    return _filtered((b / a[0]).astype(dtype), (a / a[0]).astype(dtype), x.astype(dtype))


def _filtered(b, a, x):
    """The output of a filter with ``a[0] == 1``."""
    y = np.zeros(x.shape[0], dtype=x.dtype)
    for n in range(x.shape[0]):
        total = 0.0
        for k in range(min(b.shape[0], n + 1)):
            total += b[k] * x[n - k]
        for k in range(1, min(a.shape[0], n + 1)):
            total -= a[k] * y[n - k]
        y[n] = total
    return y


def _longer(b, n):
    """Coefficients, with zeros at the end."""
    c = np.zeros(n)
    c[: b.shape[0]] = b
    return c


def _continued(b, a, x, zi):
    """The output of a filter with ``a[0] == 1``, in the transposed direct form, and its state."""
    n = max(b.shape[0], a.shape[0])
    if zi.shape[0] != n - 1:
        raise ValueError("Unexpected shape for zi")
    b, a, z, y = _longer(b, n), _longer(a, n), np.append(zi, 0.0), np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        out = b[0] * x[i] + z[0]
        y[i] = out
        for k in range(n - 1):
            z[k] = b[k + 1] * x[i] + z[k + 1] - a[k + 1] * out
    return y, z[:-1].copy()


@implements("scipy.signal.detrend")
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """Data without their mean or their least-squares line along an axis.

    Parameters
    ----------
    data : array_like
        Real data.
    axis : int
        The axis, a literal.
    type : str
        "linear" or "l" for the line, "constant" or "c" for the mean.
    bp : int
        0: one line for all data.
    overwrite_data : bool
        Ignored.

    Returns
    -------
    numpy.ndarray
        The data without the trend.

    Raises
    ------
    TypeError
        For breakpoints.
    ValueError
        For other types.

    Examples
    --------
    >>> detrend(np.array([1.0, 2.0, 3.0]), type="constant")
    array([-1.,  0.,  1.])
    """
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    data = np.asarray(data)
    x = data if data.dtype.kind == "f" else data.astype(np.float64)
    if type in ("constant", "c"):
        return x - np.mean(x, axis=axis, keepdims=True)
    if not isinstance(bp, int) or bp != 0:
        raise TypeError("takes no breakpoints here: call it for each piece")
    x = np.moveaxis(x, axis, -1)
    n = x.shape[-1]
    if n == 0:
        raise ValueError("the data must not be empty")
    t = np.arange(n) - 0.5 * (n - 1)
    slope = np.sum(x * t, axis=-1, keepdims=True) / max(np.sum(t * t), 1e-300)
    flat = x - np.mean(x, axis=-1, keepdims=True) - slope * t
    return np.moveaxis(flat, -1, axis).astype(x.dtype)


@implements("scipy.signal.correlate2d")
def correlate2d(in1, in2, mode="full"):
    """Correlation of two matrices.

    Parameters
    ----------
    in1 : array_like
        A matrix.
    in2 : array_like
        A matrix.
    mode : str
        'full', 'same' or 'valid', as for `convolve`.

    Returns
    -------
    numpy.ndarray
        The correlation.

    Examples
    --------
    >>> correlate2d(np.array([[1.0, 2.0]]), np.array([[3.0, 1.0]]))
    array([[1., 5., 6.]])
    """
    return convolve2d(in1, np.asarray(in2)[::-1, ::-1], mode)


@implements("scipy.signal.correlation_lags")
def correlation_lags(in1_len, in2_len, mode="full"):
    """The shifts at which `correlate` has its results.

    Parameters
    ----------
    in1_len : int
        The length of the first signal.
    in2_len : int
        The length of the second signal.
    mode : str
        'full', 'same' or 'valid', as for `convolve`.

    Returns
    -------
    numpy.ndarray
        The shifts, ints.

    Examples
    --------
    >>> correlation_lags(3, 2)
    array([-1,  0,  1,  2])
    """
    lags = np.arange(1 - in2_len, in1_len)
    if mode == "full":
        return lags
    if mode == "same":
        middle = (in1_len + in2_len - 1) // 2 - in1_len // 2
        return lags[middle : middle + in1_len]
    if mode == "valid":
        bound = in1_len - in2_len
        return np.arange(0, bound + 1) if bound >= 0 else np.arange(bound, 1)
    raise TypeError("takes the mode 'full', 'same' or 'valid'")


@implements("scipy.signal.deconvolve")
def deconvolve(signal, divisor):
    """Quotient and remainder of two signals, as of polynomials.

    Parameters
    ----------
    signal : array_like
        The signal, of rank 1.
    divisor : array_like
        The signal that divides it.

    Returns
    -------
    tuple of numpy.ndarray
        Quotient and remainder.

    Examples
    --------
    >>> q, r = deconvolve(np.array([1.0, 3.0, 2.0]), np.array([1.0, 1.0]))
    >>> q, r
    (array([1., 2.]), array([0., 0., 0.]))
    """
    a, b = np.atleast_1d(signal) * np.float64(1.0), np.atleast_1d(divisor) * np.float64(1.0)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError("signal and divisor must be 1-D.")
    n, m = a.shape[0], b.shape[0]
    rest = a.copy()
    quotient = np.zeros(max(n - m + 1, 0))
    for k in range(quotient.shape[0]):
        quotient[k] = rest[k] / b[0]
        rest[k : k + m] -= quotient[k] * b
    rest[: quotient.shape[0]] = 0.0
    return quotient, rest


@implements("scipy.signal.medfilt")
def medfilt(volume, kernel_size=None):
    """The median of the cells in a window around each cell, with zeros beyond the borders.

    Parameters
    ----------
    volume : array_like
        Numbers, of rank 1 or 2.
    kernel_size : int or tuple of int, optional
        The size of the window; 3 by default.

    Returns
    -------
    numpy.ndarray
        Of the shape of the array.

    Examples
    --------
    >>> medfilt(np.array([1.0, 5.0, 2.0]))
    array([1., 2., 2.])
    """
    size = 3 if kernel_size is None else kernel_size
    for n in size if isinstance(size, (tuple, list)) else (size,):
        if n % 2 == 0:
            raise ValueError("Each element of kernel_size should be odd.")
    return sn.median_filter(volume, size, mode="constant")


@implements("scipy.signal.sosfiltfilt")
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    """A signal filtered forwards and backwards by second-order sections.

    Parameters
    ----------
    sos : array_like
        Sections as rows, of shape (n, 6).
    x : array_like
        The signal, of rank 1.
    axis : int
        Must be -1.
    padtype : str or None
        'odd', 'even' or 'constant' extensions at both ends, or none.
    padlen : int, optional
        The length of the extensions.

    Returns
    -------
    numpy.ndarray
        The output, of the length of the signal.

    Examples
    --------
    >>> sosfiltfilt(np.array([[2.0, 0.0, 0.0, 1.0, 0.0, 0.0]]), np.array([1.0, 2.0, 4.0, 8.0]), padlen=1)
    array([ 4.,  8., 16., 32.])
    """
    x, sos = np.asarray(x) * np.float64(1.0), np.asarray(sos)
    if x.ndim != 1 or padtype not in ("odd", "even", "constant", None):
        raise TypeError("is of a signal of rank 1, with `padtype` 'odd', 'even', 'constant' or None")
    n = 0 if padtype is None else _pad_length(sos) if padlen is None else padlen
    if x.shape[0] <= n:
        raise ValueError("The length of the input vector x must be greater than padlen.")
    wide = x
    if n > 0:
        before, after = x[n:0:-1], x[-2 : -n - 2 : -1]
        if padtype == "odd":
            before, after = 2.0 * x[0] - before, 2.0 * x[-1] - after
        elif padtype == "constant":
            before, after = np.full(n, x[0]), np.full(n, x[-1])
        wide = np.concatenate((before, x, after))
    there = _through(sos, wide)
    back = _through(sos, there[::-1].copy())[::-1]
    return back[n : n + x.shape[0]].copy()


def _pad_length(sos):
    """The default length of the extensions."""
    return 3 * (2 * sos.shape[0] + 1 - min(np.sum(sos[:, 2] == 0.0), np.sum(sos[:, 5] == 0.0)))


def _through(sos, x):
    """The output of sections that begin in the steady state of the first sample."""
    y, level = x.copy(), x[0]
    for k in range(sos.shape[0]):
        b0, b1, b2, a1, a2 = sos[k, 0], sos[k, 1], sos[k, 2], sos[k, 4], sos[k, 5]
        gain = (b0 + b1 + b2) / (1.0 + a1 + a2)
        second = level * (b2 - a2 * gain)
        first = level * (b1 - a1 * gain) + second
        level = level * gain
        for i in range(y.shape[0]):
            out = b0 * y[i] + first
            first, second = b1 * y[i] - a1 * out + second, b2 * y[i] - a2 * out
            y[i] = out
    return y
