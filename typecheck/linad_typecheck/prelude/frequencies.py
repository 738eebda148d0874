"""`numpy.fft`: sample frequencies, and their order. The transforms themselves give complex numbers."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.fft.fftfreq", "scipy.fft.fftfreq")
def fftfreq(n, d=1.0):
    """Sample frequencies of a discrete Fourier transform of ``n`` numbers, the negative ones last.

    >>> fftfreq(4, 0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    k = np.arange(n)
    return np.where(k < (n + 1) // 2, k, k - n) * (1.0 / (n * d))


@implements("numpy.fft.rfftfreq", "scipy.fft.rfftfreq")
def rfftfreq(n, d=1.0):
    """Sample frequencies of a discrete Fourier transform of ``n`` real numbers.

    >>> rfftfreq(4, 0.5)
    array([0. , 0.5, 1. ])
    """
    return np.arange(n // 2 + 1) * (1.0 / (n * d))


@implements("numpy.fft.fftshift", "scipy.fft.fftshift")
def fftshift(x, axes=None):
    """The array with frequency zero in the middle.

    >>> fftshift(np.array([0.0, 1.0, -2.0, -1.0]))
    array([-2., -1.,  0.,  1.])
    """
    if axes is None:
        for k in range(x.ndim):
            x = np.roll(x, x.shape[k] // 2, axis=k)
        return x
    return np.roll(x, x.shape[axes] // 2, axis=axes)


@implements("numpy.fft.ifftshift", "scipy.fft.ifftshift")
def ifftshift(x, axes=None):
    """The inverse of `fftshift`.

    >>> ifftshift(np.array([-2.0, -1.0, 0.0, 1.0]))
    array([ 0.,  1., -2., -1.])
    """
    if axes is None:
        for k in range(x.ndim):
            x = np.roll(x, -(x.shape[k] // 2), axis=k)
        return x
    return np.roll(x, -(x.shape[axes] // 2), axis=axes)
