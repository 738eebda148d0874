"""Window functions: weights for the cells of a sequence of length ``M``.

The functions of `scipy.signal.windows` take ``sym=False`` for a periodic window.
"""

from __future__ import annotations

import numpy as np

from . import implements


def _turns(M):
    """Angles from 0 to a full turn."""
    return 2.0 * np.pi * (np.arange(M) * 1.0) / max(M - 1, 1)


@implements("numpy.hanning")
def hanning(M):
    """NumPy's Hann window.

    >>> hanning(3)
    array([0., 1., 0.])
    """
    return 0.5 - 0.5 * np.cos(_turns(M)) if M != 1 else np.ones(M)


@implements("numpy.hamming")
def hamming(M):
    """NumPy's Hamming window.

    >>> hamming(3)
    array([0.08, 1.  , 0.08])
    """
    return 0.54 - 0.46 * np.cos(_turns(M)) if M != 1 else np.ones(M)


@implements("numpy.blackman")
def blackman(M):
    """NumPy's Blackman window.

    >>> round(float(blackman(3)[1]), 6)
    1.0
    """
    t = _turns(M)
    return 0.42 - 0.5 * np.cos(t) + 0.08 * np.cos(2.0 * t) if M != 1 else np.ones(M)


@implements("numpy.bartlett")
def bartlett(M):
    """NumPy's triangular window.

    >>> bartlett(3)
    array([0., 1., 0.])
    """
    n = np.arange(M) * 1.0
    return 1.0 - np.abs(2.0 * n / max(M - 1, 1) - 1.0) if M != 1 else np.ones(M)


@implements("numpy.kaiser")
def kaiser(M, beta):
    """NumPy's Kaiser window with shape parameter ``beta``.

    >>> kaiser(3, 0.0)
    array([1., 1., 1.])
    """
    if M == 1:
        return np.ones(M)
    half = 0.5 * (M - 1)
    place = (np.arange(M) - half) / half
    return np.i0(beta * np.sqrt(np.maximum(1.0 - place**2, 0.0))) / np.i0(beta * np.float64(1.0))


def _longer(M, sym):
    """The length of the symmetric window that a window is the beginning of."""
    if M < 0:
        raise ValueError("Window length M must be a non-negative integer")
    return M if sym or M <= 1 else M + 1


@implements("scipy.signal.windows.general_hamming")
def general_hamming(M, alpha, sym=True):
    """Raised cosine window; ``alpha`` is the weight of its constant term.

    >>> general_hamming(3, 0.5)
    array([0., 1., 0.])
    """
    n = _longer(M, sym)
    return (alpha - (1.0 - alpha) * np.cos(_turns(n)))[:M] if n > 1 else np.ones(M)


@implements("scipy.signal.windows.hann")
def hann(M, sym=True):
    """Hann window.

    >>> hann(4, sym=False)
    array([0. , 0.5, 1. , 0.5])
    """
    return general_hamming(M, 0.5, sym)


@implements("scipy.signal.windows.hamming")
def hamming_of_scipy(M, sym=True):
    """Hamming window.

    >>> hamming_of_scipy(3)
    array([0.08, 1.  , 0.08])
    """
    return general_hamming(M, 0.54, sym)


@implements("scipy.signal.windows.blackman")
def blackman_of_scipy(M, sym=True):
    """Blackman window.

    >>> round(float(blackman_of_scipy(3)[1]), 6)
    1.0
    """
    n = _longer(M, sym)
    t = _turns(n)
    return (0.42 - 0.5 * np.cos(t) + 0.08 * np.cos(2.0 * t))[:M] if n > 1 else np.ones(M)


@implements("scipy.signal.windows.blackmanharris")
def blackmanharris(M, sym=True):
    """Blackman-Harris window of four terms.

    >>> float(blackmanharris(3)[1])
    1.0
    """
    n = _longer(M, sym)
    t = _turns(n)
    found = 0.35875 - 0.48829 * np.cos(t) + 0.14128 * np.cos(2.0 * t) - 0.01168 * np.cos(3.0 * t)
    return found[:M] if n > 1 else np.ones(M)


@implements("scipy.signal.windows.bartlett")
def bartlett_of_scipy(M, sym=True):
    """Triangular window that starts at 0.

    >>> bartlett_of_scipy(3)
    array([0., 1., 0.])
    """
    n = _longer(M, sym)
    return (1.0 - np.abs(2.0 * np.arange(n) / max(n - 1, 1) - 1.0))[:M] if n > 1 else np.ones(M)


@implements("scipy.signal.windows.cosine")
def cosine(M, sym=True):
    """Cosine window: half a period of the sine.

    >>> float(cosine(3)[1])
    1.0
    """
    n = _longer(M, sym)
    return np.sin(np.pi / max(n, 1) * (np.arange(n) + 0.5))[:M] if n > 1 else np.ones(M)


@implements("scipy.signal.windows.gaussian")
def gaussian(M, std, sym=True):
    """Gaussian window.

    >>> float(gaussian(3, 1.0)[1])
    1.0
    """
    n = _longer(M, sym)
    place = np.arange(n) - (n - 1.0) / 2.0
    return np.exp(-(place**2) / (2.0 * std * std))[:M] if n > 1 else np.ones(M)


@implements("scipy.signal.windows.exponential")
def exponential(M, center=None, tau=1.0, sym=True):
    """Window that decays exponentially from a centre.

    >>> exponential(3, tau=np.inf)
    array([1., 1., 1.])
    """
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    n = _longer(M, sym)
    middle = (n - 1) / 2 if center is None else center
    return np.exp(-np.abs(np.arange(n) - middle) / tau)[:M] if n > 1 else np.ones(M)


@implements("scipy.signal.windows.kaiser")
def kaiser_of_scipy(M, beta, sym=True):
    """Kaiser window with shape parameter ``beta``.

    >>> kaiser_of_scipy(3, 0.0)
    array([1., 1., 1.])
    """
    n = _longer(M, sym)
    return np.kaiser(n, beta)[:M] if n > 1 else np.ones(M)
