"""Discrete Fourier transforms of real and complex arrays.

The algorithm of Cooley and Tukey for powers of two, and Bluestein's for other lengths (Oppenheim and Schafer, Discrete-
Time Signal Processing, chapter 9). Both take ``O(n log n)`` operations, and so do their derivatives.
"""

from __future__ import annotations

import numpy as np

from . import implements, linear, pair


# ---------------------------------------------------------------------------------------------------------- one row


def _power_of_two(x, y, sign):
    """The transform of a row whose length is a power of two, with the sign of the exponent."""
    n = x.shape[0]
    re, im = np.empty(n), np.empty(n)
    j = 0
    for i in range(n):  # in the order of reversed bits
        re[i] = x[j]
        im[i] = y[j]
        bit = n // 2
        while bit > 0 and j >= bit:
            j -= bit
            bit = bit // 2
        j += bit
    turn = np.arange(n // 2) * (2.0 * np.pi / n)
    c, s = np.cos(turn), sign * np.sin(turn)
    half = 1
    while half < n:
        step = n // (2 * half)
        for block in range(step):
            for k in range(half):
                a = 2 * half * block + k
                u = re[a + half] * c[k * step] - im[a + half] * s[k * step]
                v = re[a + half] * s[k * step] + im[a + half] * c[k * step]
                re[a + half] = re[a] - u
                im[a + half] = im[a] - v
                re[a] += u
                im[a] += v
        half = 2 * half
    return re, im


def _row_transposed(x, y, sign):
    """The transpose of `_row`, whose complex matrix is symmetric."""
    return _row(x, y, -sign)


@linear(_row_transposed)
def _row(x, y, sign):
    """The transform of a row of any length."""
    n = x.shape[0]
    m = 1
    while m < n:
        m = 2 * m
    if m == n:
        return _power_of_two(x, y, sign)
    while m < 2 * n - 1:  # a convolution with a chirp, on a ring that is long enough
        m = 2 * m
    k = np.arange(n)
    turn = (k * k % (2 * n)) * (np.pi / n)
    c, s = np.cos(turn), sign * np.sin(turn)
    p, q, u, v = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m)
    for i in range(n):
        p[i] = x[i] * c[i] - y[i] * s[i]
        q[i] = x[i] * s[i] + y[i] * c[i]
        u[i] = c[i]
        v[i] = -s[i]
    for i in range(1, n):
        u[m - i] = c[i]
        v[m - i] = -s[i]
    p, q = _power_of_two(p, q, -1.0)
    u, v = _power_of_two(u, v, -1.0)
    p, q = _power_of_two(p * u - q * v, p * v + q * u, 1.0)
    a, b = p[:n] / m, q[:n] / m
    return a * c - b * s, a * s + b * c


# --------------------------------------------------------------------------------------------------- along one axis


def _sized(x, n):
    """A copy of rows, cut or filled with zeros to a length."""
    out = np.zeros((*x.shape[:-1], n))
    m = min(n, x.shape[-1])
    out[..., :m] = x[..., :m]
    return out


def _rows(x, y, n, sign):
    """The transforms of the rows of an array."""
    if n < 1:
        raise ValueError("invalid number of data points")
    x, y = _sized(x, n), _sized(y, n)
    if x.ndim == 1:
        return _row(x, y, sign)
    shape = x.shape
    x, y = x.reshape(-1, n), y.reshape(-1, n)
    for k in range(x.shape[0]):
        u, v = _row(x[k], y[k], sign)
        x[k] = u
        y[k] = v
    return x.reshape(shape), y.reshape(shape)


def _scale(n, norm, back):
    """The factor of a transform, or of the inverse one."""
    if norm is None or norm == "backward":
        return 1.0 / n if back else 1.0
    if norm == "ortho":
        return 1.0 / np.sqrt(n)
    if norm == "forward":
        return 1.0 if back else 1.0 / n
    raise TypeError("takes the norms 'backward', 'ortho' and 'forward'")


def _dtype(x):
    """The dtype of the parts of a transform: transforms of float32 are of float32."""
    return np.float32 if x.dtype == np.float32 else np.float64


def _complex(a, n, axis, norm, back):
    """The transform of a real or complex array along an axis, or the inverse one."""
    x, y = np.moveaxis(np.real(a), axis, -1), np.moveaxis(np.imag(a), axis, -1)
    size = x.shape[-1] if n is None else n
    u, v = _rows(x, y, size, 1.0 if back else -1.0)
    factor = _scale(size, norm, back)
    u, v = (u * factor).astype(_dtype(x)), (v * factor).astype(_dtype(x))
    return pair(np.moveaxis(u, -1, axis).copy(), np.moveaxis(v, -1, axis).copy())


@implements("numpy.fft.fft", "%complex numpy.fft.fft")
def fft(a, n=None, axis=-1, norm=None, out=None):
    """Discrete Fourier transform along an axis.

    Parameters
    ----------
    a : array_like
        Real or complex.
    n : int, optional
        The length along the axis, to which ``a`` is cut or filled with zeros.
    axis : int
        The axis.
    norm : {'backward', 'ortho', 'forward'}, optional
        Where the factor ``1 / n`` is: at the inverse, as its square root at both, or at this transform.
    out : None
        Must be None.

    Returns
    -------
    numpy.ndarray
        Complex, of the shape of ``a``, with ``n`` along the axis.

    Examples
    --------
    >>> fft(np.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    if out is not None:
        raise TypeError("takes no `out`")
    return _complex(a, n, axis, norm, False)


@implements("numpy.fft.ifft", "%complex numpy.fft.ifft")
def ifft(a, n=None, axis=-1, norm=None, out=None):
    """Inverse discrete Fourier transform along an axis.

    Parameters
    ----------
    a : array_like
        Real or complex.
    n : int, optional
        The length along the axis, to which ``a`` is cut or filled with zeros.
    axis : int
        The axis.
    norm : {'backward', 'ortho', 'forward'}, optional
        Where the factor ``1 / n`` is, as of `fft`.
    out : None
        Must be None.

    Returns
    -------
    numpy.ndarray
        Complex, of the shape of ``a``, with ``n`` along the axis.

    Examples
    --------
    >>> ifft(np.array([4.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    if out is not None:
        raise TypeError("takes no `out`")
    return _complex(a, n, axis, norm, True)


@implements("numpy.fft.rfft")
def rfft(a, n=None, axis=-1, norm=None, out=None):
    """Discrete Fourier transform of real numbers: the frequencies that are not negative.

    Parameters
    ----------
    a : array_like
        Real.
    n : int, optional
        The length along the axis, to which ``a`` is cut or filled with zeros.
    axis : int
        The axis.
    norm : {'backward', 'ortho', 'forward'}, optional
        Where the factor ``1 / n`` is, as of `fft`.
    out : None
        Must be None.

    Returns
    -------
    numpy.ndarray
        Complex, with ``n // 2 + 1`` along the axis.

    Examples
    --------
    >>> rfft(np.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    if out is not None:
        raise TypeError("takes no `out`")
    x = np.moveaxis(np.asarray(a), axis, -1)
    size = x.shape[-1] if n is None else n
    u, v = _rows(x, np.zeros(x.shape), size, -1.0)
    factor, m = _scale(size, norm, False), size // 2 + 1
    u, v = (u[..., :m] * factor).astype(_dtype(x)), (v[..., :m] * factor).astype(_dtype(x))
    return pair(np.moveaxis(u, -1, axis).copy(), np.moveaxis(v, -1, axis).copy())


@implements("numpy.fft.irfft", "%complex numpy.fft.irfft")
def irfft(a, n=None, axis=-1, norm=None, out=None):
    """The real numbers that have a Fourier transform, given its frequencies that are not negative.

    Parameters
    ----------
    a : array_like
        Real or complex.
    n : int, optional
        The length of the result along the axis, by default ``2 (m - 1)`` for ``m`` frequencies.
    axis : int
        The axis.
    norm : {'backward', 'ortho', 'forward'}, optional
        Where the factor ``1 / n`` is, as of `fft`.
    out : None
        Must be None.

    Returns
    -------
    numpy.ndarray
        Real, with ``n`` along the axis.

    Examples
    --------
    >>> irfft(np.array([1.0, 1.0, 1.0]))
    array([1., 0., 0., 0.])
    """
    if out is not None:
        raise TypeError("takes no `out`")
    x, y = np.moveaxis(np.real(a), axis, -1), np.moveaxis(np.imag(a), axis, -1)
    size = 2 * (x.shape[-1] - 1) if n is None else n
    if size < 1:
        raise ValueError("invalid number of data points")
    half = _sized(x, size // 2 + 1), _sized(y, size // 2 + 1)
    back = np.arange((size - 1) // 2, 0, -1)
    u = np.concatenate((half[0], half[0][..., back]), axis=-1)
    w = half[1].copy()
    w[..., 0] = 0.0  # the imaginary parts of the first and, of even lengths, the last frequency count as zero
    if size % 2 == 0:
        w[..., size // 2] = 0.0
    v = np.concatenate((w, -w[..., back]), axis=-1)
    found = _rows(u, v, size, 1.0)[0]
    return np.moveaxis((found * _scale(size, norm, True)).astype(_dtype(x)), -1, axis).copy()


def _two(a, s, axes, norm, back):
    first, last = axes
    sizes = (None, None) if s is None else s
    return _complex(_complex(a, sizes[1], last, norm, back), sizes[0], first, norm, back)


@implements("numpy.fft.fft2", "%complex numpy.fft.fft2")
def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Discrete Fourier transform along two axes.

    Parameters
    ----------
    a : array_like
        Real or complex.
    s : tuple of int, optional
        The lengths along the axes.
    axes : tuple of int
        The axes.
    norm : {'backward', 'ortho', 'forward'}, optional
        Where the factor ``1 / n`` is, as of `fft`.
    out : None
        Must be None.

    Returns
    -------
    numpy.ndarray
        Complex.

    Examples
    --------
    >>> fft2(np.array([[1.0, 0.0], [0.0, 0.0]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    if out is not None:
        raise TypeError("takes no `out`")
    return _two(a, s, axes, norm, False)


@implements("numpy.fft.ifft2", "%complex numpy.fft.ifft2")
def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Inverse discrete Fourier transform along two axes.

    Parameters
    ----------
    a : array_like
        Real or complex.
    s : tuple of int, optional
        The lengths along the axes.
    axes : tuple of int
        The axes.
    norm : {'backward', 'ortho', 'forward'}, optional
        Where the factor ``1 / n`` is, as of `fft`.
    out : None
        Must be None.

    Returns
    -------
    numpy.ndarray
        Complex.

    Examples
    --------
    >>> ifft2(np.array([[4.0, 0.0], [0.0, 0.0]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    if out is not None:
        raise TypeError("takes no `out`")
    return _two(a, s, axes, norm, True)


def _all(a, norm, back):
    """The transform along all axes, or the inverse one."""
    for k in range(np.real(a).ndim):
        a = _complex(a, None, k, norm, back)
    return a


@implements("numpy.fft.fftn", "%complex numpy.fft.fftn")
def fftn(a, s=None, axes=None, norm=None, out=None):
    """Discrete Fourier transform along all axes.

    >>> fftn(np.array([[1.0, 0.0], [0.0, 0.0]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    if out is not None or s is not None or axes is not None:
        raise TypeError("is along all axes, and takes no `s`, `axes` or `out`")
    return _all(a, norm, False)


@implements("numpy.fft.ifftn", "%complex numpy.fft.ifftn")
def ifftn(a, s=None, axes=None, norm=None, out=None):
    """Inverse discrete Fourier transform along all axes.

    >>> ifftn(np.array([[4.0, 0.0], [0.0, 0.0]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    if out is not None or s is not None or axes is not None:
        raise TypeError("is along all axes, and takes no `s`, `axes` or `out`")
    return _all(a, norm, True)


@implements("numpy.fft.rfft2")
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Discrete Fourier transform of real numbers along two axes: frequencies that are not negative along the last one.

    >>> rfft2(np.array([[1.0, 0.0], [0.0, 0.0]]))
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    if out is not None:
        raise TypeError("takes no `out`")
    first, last = axes
    sizes = (None, None) if s is None else s
    return _complex(rfft(a, sizes[1], last, norm), sizes[0], first, norm, False)


@implements("numpy.fft.irfft2", "%complex numpy.fft.irfft2")
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The real numbers that have a Fourier transform along two axes, as of `rfft2`.

    >>> irfft2(np.array([[4.0, 0.0], [0.0, 0.0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    if out is not None:
        raise TypeError("takes no `out`")
    first, last = axes
    sizes = (None, None) if s is None else s
    return irfft(_complex(a, sizes[0], first, norm, True), sizes[1], last, norm)


# ------------------------------------------------------------------------------------------------------------- SciPy


@implements("scipy.fft.fft", "%complex scipy.fft.fft")
def scipy_fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Discrete Fourier transform along an axis. See `fft`.

    >>> scipy_fft(np.array([1.0, 0.0]))
    array([1.+0.j, 1.+0.j])
    """
    return fft(x, n, axis, norm)


@implements("scipy.fft.ifft", "%complex scipy.fft.ifft")
def scipy_ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse discrete Fourier transform along an axis. See `ifft`.

    >>> scipy_ifft(np.array([2.0, 0.0]))
    array([1.+0.j, 1.+0.j])
    """
    return ifft(x, n, axis, norm)


@implements("scipy.fft.rfft")
def scipy_rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Discrete Fourier transform of real numbers: the frequencies that are not negative. See `rfft`.

    >>> scipy_rfft(np.array([1.0, 0.0]))
    array([1.+0.j, 1.+0.j])
    """
    return rfft(x, n, axis, norm)


@implements("scipy.fft.irfft", "%complex scipy.fft.irfft")
def scipy_irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The real numbers that have a Fourier transform, given its frequencies that are not negative. See `irfft`.

    >>> scipy_irfft(np.array([1.0, 1.0]))
    array([1., 0.])
    """
    return irfft(x, n, axis, norm)


@implements("scipy.signal.hilbert")
def hilbert(x, N=None, axis=-1):
    """The analytic signal of real numbers: with the imaginary part that makes the negative frequencies zero.

    >>> np.abs(hilbert(np.array([1.0, 0.0, -1.0, 0.0])))
    array([1., 1., 1., 1.])
    """
    n = np.moveaxis(x, axis, -1).shape[-1] if N is None else N
    k = np.arange(n)
    weights = np.where(k == 0, 1.0, np.where(2 * k < n, 2.0, np.where(2 * k == n, 1.0, 0.0)))
    found = np.moveaxis(fft(x, n, axis), axis, -1) * weights
    return ifft(np.moveaxis(found, -1, axis), None, axis)


# ------------------------------------------------------------------------------------------------ cosine transforms


def _cosines(x):
    """The cosine transforms of type 2 of rows: the Fourier transform of the even cells, then the odd ones backwards."""
    n = x.shape[-1]
    turn = np.arange(n) * (np.pi / (2.0 * n))
    u, v = _rows(np.concatenate((x[..., ::2], x[..., 1::2][..., ::-1]), axis=-1), np.zeros(x.shape), n, -1.0)
    return 2.0 * (u * np.cos(turn) + v * np.sin(turn))


def _cosines_back(x):
    """The cosine transforms of type 3 of rows, which undo those of type 2 up to a factor of ``2 n``."""
    n = x.shape[-1]
    turn = np.arange(n) * (np.pi / (2.0 * n))
    y = np.concatenate((np.zeros((*x.shape[:-1], 1)), -x[..., :0:-1]), axis=-1)
    u, _ = _rows(x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn), n, 1.0)
    out = np.zeros(x.shape)
    out[..., ::2] = u[..., : (n + 1) // 2]
    out[..., 1::2] = u[..., (n + 1) // 2 :][..., ::-1]
    return out


def _cosine(a, type, n, axis, norm, back):
    """A cosine transform of type 1, 2 or 3 along an axis, or the inverse one."""
    if norm is not None and norm != "backward" and norm != "ortho":
        raise TypeError("takes the norms 'backward' and 'ortho' here")
    if type != 2 and type != 3 and (type != 1 or norm == "ortho"):
        raise TypeError("takes the types 2 and 3 here, and 1 without 'ortho'")
    x = np.moveaxis(np.asarray(a) * 1.0, axis, -1)
    size = x.shape[-1] if n is None else n
    x = _sized(x, size)
    if type == 1:  # of the cells and their mirror image
        if size < 2:
            raise ValueError("Type 1 of a cosine transform needs two numbers")
        both = np.concatenate((x, x[..., ::-1][..., 1 : size - 1]), axis=-1)
        y = _rows(both, np.zeros(both.shape), 2 * size - 2, -1.0)[0][..., :size]
        y = y / (2.0 * size - 2.0) if back else y
        return np.moveaxis(y.astype(_dtype(x)), -1, axis).copy()
    first = np.where(np.arange(size) == 0, np.sqrt(2.0), 1.0)
    if (type == 2) != back:
        y = _cosines(x)
        y = y / (first * np.sqrt(2.0 * size)) if norm == "ortho" else y / (2.0 * size) if back else y
    elif norm == "ortho":
        y = _cosines_back(x * first) / np.sqrt(2.0 * size)
    else:
        y = _cosines_back(x) / (2.0 * size) if back else _cosines_back(x)
    return np.moveaxis(y.astype(_dtype(x)), -1, axis).copy()


@implements("scipy.fft.dct")
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Discrete cosine transform along an axis.

    Parameters
    ----------
    x : array_like
        Real.
    type : {1, 2, 3}
        The type of the transform; 1 without ``norm``.
    n : int, optional
        The length along the axis, to which ``x`` is cut or filled with zeros.
    axis : int
        The axis.
    norm : {'backward', 'ortho'}, optional
        'ortho' for the orthogonal transform.
    overwrite_x, workers, orthogonalize : object
        Not used; ``orthogonalize`` must be None.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``x``, with ``n`` along the axis.

    Examples
    --------
    >>> dct(np.array([1.0, 1.0]))
    array([4., 0.])
    """
    if orthogonalize is not None:
        raise TypeError("takes no `orthogonalize` here: give the `norm`")
    return _cosine(x, type, n, axis, norm, False)


@implements("scipy.fft.idct")
def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Inverse of the discrete cosine transform along an axis.

    Parameters
    ----------
    x, type, n, axis, norm, overwrite_x, workers, orthogonalize : object
        As of `dct`.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``x``, with ``n`` along the axis.

    Examples
    --------
    >>> idct(np.array([4.0, 0.0]))
    array([1., 1.])
    """
    if orthogonalize is not None:
        raise TypeError("takes no `orthogonalize` here: give the `norm`")
    return _cosine(x, type, n, axis, norm, True)


@implements("scipy.fft.dctn")
def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """Discrete cosine transform along all axes.

    Parameters
    ----------
    x, type, norm, overwrite_x, workers, orthogonalize : object
        As of `dct`.
    s, axes : None
        Must be None.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``x``.

    Examples
    --------
    >>> dctn(np.ones((2, 2)))
    array([[16.,  0.],
           [ 0.,  0.]])
    """
    if s is not None or axes is not None or orthogonalize is not None:
        raise TypeError("takes no `s`, `axes` and `orthogonalize` here")
    y = np.asarray(x)
    for axis in range(y.ndim):
        y = _cosine(y, type, None, axis, norm, False)
    return y


@implements("scipy.fft.idctn")
def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """Inverse of the discrete cosine transform along all axes.

    Parameters
    ----------
    x, type, norm, overwrite_x, workers, orthogonalize : object
        As of `dct`.
    s, axes : None
        Must be None.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``x``.

    Examples
    --------
    >>> idctn(dctn(np.ones((2, 2)))).round(6)
    array([[1., 1.],
           [1., 1.]])
    """
    if s is not None or axes is not None or orthogonalize is not None:
        raise TypeError("takes no `s`, `axes` and `orthogonalize` here")
    y = np.asarray(x)
    for axis in range(y.ndim):
        y = _cosine(y, type, None, axis, norm, True)
    return y


@implements("scipy.fftpack.dct")
def fftpack_dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    """Discrete cosine transform along an axis.

    Parameters
    ----------
    x, type, n, axis, norm, overwrite_x : object
        As of `dct`.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``x``, with ``n`` along the axis.

    Examples
    --------
    >>> fftpack_dct(np.array([1.0, 1.0]))
    array([4., 0.])
    """
    return _cosine(x, type, n, axis, norm, False)


@implements("scipy.fftpack.idct")
def fftpack_idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    """Inverse of the discrete cosine transform along an axis, without a factor unless ``norm`` is 'ortho'.

    Parameters
    ----------
    x, type, n, axis, norm, overwrite_x : object
        As of `dct`.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``x``, with ``n`` along the axis.

    Examples
    --------
    >>> fftpack_idct(np.array([4.0, 0.0]))
    array([4., 4.])
    """
    if type not in (2, 3):
        raise TypeError("is of the types 2 and 3 here")
    return _cosine(x, 3 if type == 2 else 2, n, axis, norm, False)


@implements("scipy.fftpack.dctn")
def fftpack_dctn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
    """Discrete cosine transform along all axes.

    Parameters
    ----------
    x, type, norm, overwrite_x : object
        As of `dct`.
    shape, axes : None
        Must be None.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``x``.

    Examples
    --------
    >>> fftpack_dctn(np.ones((2, 2)))
    array([[16.,  0.],
           [ 0.,  0.]])
    """
    if shape is not None or axes is not None:
        raise TypeError("takes no `shape` and `axes` here")
    y = np.asarray(x)
    for axis in range(y.ndim):
        y = fftpack_dct(y, type, None, axis, norm)
    return y


@implements("scipy.fftpack.idctn")
def fftpack_idctn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
    """Inverse of the discrete cosine transform along all axes, without a factor unless ``norm`` is 'ortho'.

    Parameters
    ----------
    x, type, norm, overwrite_x : object
        As of `dct`.
    shape, axes : None
        Must be None.

    Returns
    -------
    numpy.ndarray
        Of the shape of ``x``.

    Examples
    --------
    >>> fftpack_idctn(np.ones((1, 2)))
    array([[ 2.41421356, -0.41421356]])
    """
    if shape is not None or axes is not None:
        raise TypeError("takes no `shape` and `axes` here")
    y = np.asarray(x)
    for axis in range(y.ndim):
        y = fftpack_idct(y, type, None, axis, norm)
    return y
