"""`numpy.fft`: sample frequencies, and their order. The transforms themselves give complex numbers."""

from __future__ import annotations

import numpy as np

from . import implements


@implements("numpy.fft.fftfreq", "scipy.fft.fftfreq")
def fftfreq(n, d=1.0):
    """Sample frequencies of a discrete Fourier transform of ``n`` numbers, the negative ones last.

    Parameters
    ----------
    n : int
        The length of the signal.
    d : float, optional
        The time between samples.

    Returns
    -------
    numpy.ndarray
        Cycles per unit of ``d``: ``n`` numbers.

    Raises
    ------
    ValueError
        If ``n`` is negative.
    ZeroDivisionError
        If ``n * d`` is zero.

    Examples
    --------
    >>> fftfreq(4, 0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    if n * d == 0.0:
        raise ZeroDivisionError("float division by zero")
    k = np.arange(n)
    return np.where(k < (n + 1) // 2, k, k - n) * (1.0 / (n * d))


@implements("numpy.fft.rfftfreq", "scipy.fft.rfftfreq")
def rfftfreq(n, d=1.0):
    """Sample frequencies of a discrete Fourier transform of ``n`` real numbers.

    Parameters
    ----------
    n : int
        The length of the signal.
    d : float, optional
        The time between samples.

    Returns
    -------
    numpy.ndarray
        Cycles per unit of ``d``: ``n // 2 + 1`` numbers.

    Raises
    ------
    ZeroDivisionError
        If ``n * d`` is zero.

    Examples
    --------
    >>> rfftfreq(4, 0.5)
    array([0. , 0.5, 1. ])
    """
    if n * d == 0.0:
        raise ZeroDivisionError("float division by zero")
    return np.arange(n // 2 + 1) * (1.0 / (n * d))


@implements("numpy.fft.fftshift", "scipy.fft.fftshift")
def fftshift(x, axes=None):
    """Shift the zero-frequency component to the middle of the spectrum.

    Parameters
    ----------
    x : array_like
        The spectrum.
    axes : int, optional
        The axis to shift; by default all.

    Returns
    -------
    numpy.ndarray
        The shifted array.

    Examples
    --------
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

    Parameters
    ----------
    x : array_like
        The shifted spectrum.
    axes : int, optional
        The axis to shift; by default all.

    Returns
    -------
    numpy.ndarray
        The array with the zero frequency first.

    Examples
    --------
    >>> ifftshift(np.array([-2.0, -1.0, 0.0, 1.0]))
    array([ 0.,  1., -2., -1.])
    """
    if axes is None:
        for k in range(x.ndim):
            x = np.roll(x, -(x.shape[k] // 2), axis=k)
        return x
    return np.roll(x, -(x.shape[axes] // 2), axis=axes)
