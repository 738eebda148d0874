"""Sine transforms, and transforms of real data under the names that they have for any rank."""

from __future__ import annotations

import numpy as np
import scipy.fft as sf

from . import implements


def _signs(x, axis):
    """1, -1, 1, ... along an axis."""
    n = x.shape[axis]
    signs = 1.0 - 2.0 * (np.arange(n) % 2)
    if axis == -1 or axis == x.ndim - 1:
        return signs
    if x.ndim == 2:
        return signs[:, None]
    raise TypeError("is along the last axis, or of a matrix")


def _sine(x, kind, axis, norm, inverse):
    """A sine transform as a cosine transform of the numbers with alternating signs, in reversed order."""
    x = np.asarray(x)
    if x.dtype == np.float32:
        raise TypeError("is of float64: write `x.astype(float)`")
    x = x * np.float64(1.0)
    signs = _signs(x, axis)
    if (kind == 2 and not inverse) or (kind == 3 and inverse):
        y = sf.idct(x * signs, 3, None, axis, norm) if inverse else sf.dct(x * signs, 2, None, axis, norm)
        return np.flip(y, axis)
    if (kind == 3 and not inverse) or (kind == 2 and inverse):
        y = np.flip(x, axis)
        return signs * (sf.idct(y, 2, None, axis, norm) if inverse else sf.dct(y, 3, None, axis, norm))
    raise TypeError("has the types 2 and 3")


@implements("scipy.fft.dst")
def dst(x, type=2, n=None, axis=-1, norm=None):
    """Discrete sine transform along an axis.

    >>> dst(np.array([1.0, 1.0])).round(6)
    array([2.828427, 0.      ])
    """
    if n is not None:
        raise TypeError("takes no `n`")
    return _sine(x, type, axis, norm, False)


@implements("scipy.fft.idst")
def idst(x, type=2, n=None, axis=-1, norm=None):
    """Inverse of the discrete sine transform along an axis.

    >>> idst(dst(np.array([1.0, 3.0]))).round(6)
    array([1., 3.])
    """
    if n is not None:
        raise TypeError("takes no `n`")
    return _sine(x, type, axis, norm, True)


@implements("numpy.fft.rfftn")
def rfftn(a, s=None, axes=None, norm=None):
    """Fourier transform of a real array of rank 1 or 2 along all axes.

    >>> rfftn(np.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    a = np.asarray(a)
    if s is not None or axes is not None or a.ndim > 2:
        raise TypeError("is of all axes of an array of rank 1 or 2, without `s`")
    return np.fft.rfft2(a, norm=norm) if a.ndim == 2 else np.fft.rfft(a, norm=norm)


@implements("numpy.fft.ihfft")
def ihfft(a, n=None):
    """Half of the inverse Fourier transform of a real signal, which is symmetric.

    >>> ihfft(np.array([4.0, 0.0, 0.0, 0.0])).real
    array([1., 1., 1.])
    """
    a = np.asarray(a)
    length = a.shape[-1] if n is None else n
    return np.conj(np.fft.rfft(a, n=length)) / length
