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


def _of_cosines(M, weights, sym):
    """A sum of cosines of multiples of the angle, with these weights and alternating signs."""
    n = _longer(M, sym)
    t = _turns(n)
    total = np.zeros(n)
    for k in range(len(weights)):
        total = total + (weights[k] if k % 2 == 0 else -weights[k]) * np.cos(k * t)
    return total[:M] if n > 1 else np.ones(M)


@implements("scipy.signal.windows.nuttall")
def nuttall(M, sym=True):
    """Nuttall's window of four terms.

    >>> round(float(nuttall(3)[1]), 6)
    1.0
    """
    return _of_cosines(M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym)


@implements("scipy.signal.windows.flattop")
def flattop(M, sym=True):
    """Flat top window.

    >>> round(float(flattop(3)[1]), 6)
    1.0
    """
    return _of_cosines(M, (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368), sym)


@implements("scipy.signal.windows.boxcar")
def boxcar(M, sym=True):
    """Rectangular window.

    >>> boxcar(2)
    array([1., 1.])
    """
    return np.ones(M)


@implements("scipy.signal.windows.triang")
def triang(M, sym=True):
    """Triangular window whose ends are not 0.

    >>> triang(3)
    array([0.5, 1. , 0.5])
    """
    n = _longer(M, sym)
    width = n if n % 2 == 0 else n + 1
    return (1.0 - np.abs(2.0 * np.arange(n) - (n - 1.0)) / width)[:M] if n > 1 else np.ones(M)


@implements("scipy.signal.windows.tukey")
def tukey(M, alpha=0.5, sym=True):
    """Tapered cosine window; ``alpha`` is the part of it that is tapered.

    >>> tukey(5, 1.0)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    n = _longer(M, sym)
    if n <= 1 or alpha <= 0.0:
        return np.ones(M)
    place = np.arange(n) * 1.0
    part = min(1.0 * alpha, 1.0)
    width = np.floor(part * (n - 1) / 2.0)
    nearer = np.minimum(place, (n - 1) - place)
    taper = 0.5 * (1.0 + np.cos(np.pi * (2.0 * nearer / part / (n - 1) - 1.0)))
    return np.where(nearer <= width, taper, 1.0)[:M]


@implements("scipy.signal.windows.parzen")
def parzen(M, sym=True):
    """Parzen's window.

    >>> round(float(parzen(3)[1]), 6)
    1.0
    """
    n = _longer(M, sym)
    place = np.abs(np.arange(n) - (n - 1) / 2.0) / (n / 2.0)
    near = 1.0 - 6.0 * place**2 + 6.0 * place**3
    return np.where(place <= (n - 1) / 2.0 / n, near, 2.0 * (1.0 - place) ** 3)[:M] if n > 1 else np.ones(M)


@implements("scipy.signal.windows.bohman")
def bohman(M, sym=True):
    """Bohman's window.

    >>> round(float(bohman(3)[1]), 6)
    1.0
    """
    n = _longer(M, sym)
    if n <= 1:
        return np.ones(M)
    k = np.arange(n)
    place = np.abs(2.0 * k / (n - 1) - 1.0)
    inside = (1.0 - place) * np.cos(np.pi * place) + np.sin(np.pi * place) / np.pi
    return np.where((k > 0) & (k < n - 1), inside, 0.0)[:M]


@implements("scipy.signal.get_window", "scipy.signal.windows.get_window")
def get_window(window, Nx, fftbins=True):
    """A window by its name, periodic by default.

    Parameters
    ----------
    window : str, float, or tuple
        The name; a tuple of the name and its parameters; or the parameter of a Kaiser window.
    Nx : int
        The length.
    fftbins : bool
        Whether the window is periodic.

    Returns
    -------
    ndarray
        The window.

    Raises
    ------
    TypeError
        For other names.

    Examples
    --------
    >>> get_window("hann", 4)
    array([0. , 0.5, 1. , 0.5])
    """
    sym = not fftbins
    if not isinstance(window, (str, tuple)):
        return kaiser_of_scipy(Nx, window, sym)
    name = window if isinstance(window, str) else window[0]
    if isinstance(window, tuple):
        if name == "tukey" or name == "tuk":
            return tukey(Nx, window[1], sym)
        if name == "kaiser" or name == "ksr":
            return kaiser_of_scipy(Nx, window[1], sym)
        if name == "gaussian" or name == "gauss" or name == "gss":
            return gaussian(Nx, window[1], sym)
        if name == "general_hamming":
            return general_hamming(Nx, window[1], sym)
        raise TypeError("takes 'tukey', 'kaiser', 'gaussian' and 'general_hamming' with a parameter")
    if name == "hann" or name == "hanning" or name == "han":
        return hann(Nx, sym)
    if name == "hann_periodic":
        return hann(Nx, False)
    if name == "hamming" or name == "hamm" or name == "ham":
        return hamming_of_scipy(Nx, sym)
    if name == "blackman" or name == "black" or name == "blk":
        return blackman_of_scipy(Nx, sym)
    if name == "blackmanharris" or name == "blackharr" or name == "bkh":
        return blackmanharris(Nx, sym)
    if name == "bartlett" or name == "bart" or name == "brt":
        return bartlett_of_scipy(Nx, sym)
    if name == "boxcar" or name == "box" or name == "ones" or name == "rect" or name == "rectangular":
        return boxcar(Nx, sym)
    if name == "triangle" or name == "triang" or name == "tri":
        return triang(Nx, sym)
    if name == "nuttall" or name == "nutl" or name == "nut":
        return nuttall(Nx, sym)
    if name == "flattop" or name == "flat" or name == "flt":
        return flattop(Nx, sym)
    if name == "parzen" or name == "parz" or name == "par":
        return parzen(Nx, sym)
    if name == "bohman" or name == "bman" or name == "bmn":
        return bohman(Nx, sym)
    if name == "cosine" or name == "halfcosine":
        return cosine(Nx, sym)
    if name == "tukey" or name == "tuk":
        return tukey(Nx, 0.5, sym)
    raise TypeError("takes the windows that are known: 'hann', 'hamming', 'blackman', 'tukey', 'kaiser' and others")


@implements("scipy.signal.firwin")
def firwin(numtaps, cutoff, *, width=None, window="hamming", pass_zero=True, scale=True, fs=None):
    """Coefficients of a filter of finite impulse response, by the window method.

    Parameters
    ----------
    numtaps : int
        The number of coefficients.
    cutoff : float or array_like
        The edges of the bands, which rise.
    width : None
        Must be left out: give a Kaiser window, ``("kaiser", beta)``.
    window : str or tuple
        As of `get_window`.
    pass_zero : bool or str
        Whether the gain at frequency 0 is 1, or "lowpass", "highpass", "bandpass" or "bandstop".
    scale : bool
        Whether the gain in the middle of the first band is exactly 1.
    fs : float, optional
        The sampling frequency, 2 by default.

    Returns
    -------
    numpy.ndarray
        The coefficients.

    Raises
    ------
    ValueError
        For edges that do not rise between 0 and half of the sampling frequency, and for an even number of
        coefficients where the highest frequency passes.

    Examples
    --------
    >>> firwin(3, 0.5).round(6)
    array([0.046221, 0.907557, 0.046221])
    """
    if width is not None:
        raise TypeError("takes no `width` here: give the window `('kaiser', beta)`")
    edges = np.atleast_1d(1.0 * np.asarray(cutoff)) / (1.0 if fs is None else 0.5 * fs)
    n = edges.shape[0]
    if edges.ndim > 1 or n == 0:
        raise ValueError("At least one cutoff frequency must be given, in one dimension.")
    if np.min(edges) <= 0.0 or np.max(edges) >= 1.0 or np.any(np.diff(edges) <= 0.0):
        raise ValueError("Invalid cutoff frequency: frequencies must rise, be greater than 0 and less than fs/2.")
    low = pass_zero in ("lowpass", "bandstop") if isinstance(pass_zero, str) else bool(pass_zero)
    high = (n % 2 == 1) != low
    if high and numtaps % 2 == 0:
        raise ValueError("A filter with an even number of coefficients must have zero response at fs/2.")
    edges = np.concatenate((np.zeros(1 if low else 0), edges, np.ones(1 if high else 0)))
    m = np.arange(numtaps) - 0.5 * (numtaps - 1)
    h = np.zeros(numtaps)
    for k in range(0, edges.shape[0] - 1, 2):
        h += edges[k + 1] * np.sinc(edges[k + 1] * m) - edges[k] * np.sinc(edges[k] * m)
    h *= get_window(window, numtaps, fftbins=False)
    if not scale:
        return h
    middle = 0.0 if low else 1.0 if high and n == 1 else 0.5 * (edges[0] + edges[1])
    return h / np.sum(h * np.cos(np.pi * m * middle))
