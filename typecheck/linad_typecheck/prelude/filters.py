"""`scipy.signal`: convolutions in one and two dimensions, and recursive filters."""

from __future__ import annotations

import numpy as np

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
