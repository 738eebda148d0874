"""`scipy.signal`: power spectra of real signals, frequency responses and resampling."""

from __future__ import annotations

import numpy as np
import scipy.signal as sg

from . import implements


def _segments(x, n, step, detrend):
    """Overlapping parts of a signal, as rows, each without its trend."""
    count = (x.shape[0] - n) // step + 1
    rows = np.empty((count, n))
    for k in range(count):
        rows[k] = x[k * step : k * step + n]
    if isinstance(detrend, bool):
        if detrend:
            raise TypeError("takes `detrend` as 'constant', 'linear' or False")
        return rows
    return sg.detrend(rows, type=detrend)


def _taper(window, n):
    if isinstance(window, (str, tuple)):
        return sg.get_window(window, n)
    return np.asarray(window)


def _scale(w, fs, scaling):
    if scaling == "density":
        return 1.0 / (fs * np.sum(w * w))
    if scaling == "spectrum":
        return 1.0 / np.sum(w) ** 2
    raise ValueError("Unknown scaling: it is 'density' or 'spectrum'")


def _one_sided(n, nfft):
    """How often each frequency of the half spectrum counts."""
    twice = np.full(n, 2.0)
    twice[0] = 1.0
    if nfft % 2 == 0:
        twice[-1] = 1.0
    return twice


def _length(x, window, nperseg):
    """The number of samples of a segment."""
    if not isinstance(window, (str, tuple)):
        return np.asarray(window).shape[0]
    if nperseg is None:
        return min(256, x.shape[0])
    return min(nperseg, x.shape[0])


def _transforms(x, fs, window, nperseg, noverlap, nfft, detrend):
    """The tapered transforms of the segments of a signal, as rows, with the taper and the length of a transform."""
    x = np.asarray(x)
    if x.ndim != 1 or x.dtype == np.float32:
        raise TypeError("is of one real signal, of rank 1 and float64")
    x = x * np.float64(1.0)
    n = _length(x, window, nperseg)
    overlap = n // 2 if noverlap is None else noverlap
    length = n if nfft is None else nfft
    if length < n:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    if overlap >= n:
        raise ValueError("noverlap must be less than nperseg.")
    w = _taper(window, n)
    return np.fft.rfft(_segments(x, n, n - overlap, detrend) * w, n=length), w, length


def _power(c, w, fs, scaling, length):
    """The power of transforms, at frequencies from zero to half the sampling rate."""
    power = (c.real * c.real + c.imag * c.imag) * _scale(w, fs, scaling)
    return power * _one_sided(c.shape[1], length)


def _averaged(p, average):
    if average != "mean":
        raise TypeError("takes the mean of the segments")
    return np.mean(p, axis=0)


@implements("scipy.signal.periodogram")
def periodogram(
    x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1
):
    """Frequencies, and the power spectral density of a real signal of rank 1.

    >>> [float(round(p, 6)) for p in periodogram(np.array([1.0, -1.0, 1.0, -1.0]))[1]]
    [0.0, 0.0, 4.0]
    """
    if not return_onesided:
        raise TypeError("returns the one-sided spectrum")
    c, w, length = _transforms(x, fs, window, np.size(x), 0, nfft, detrend)
    return np.fft.rfftfreq(length, 1.0 / fs), _power(c, w, fs, scaling, length)[0]


@implements("scipy.signal.welch")
def welch(
    x, fs=1.0, window="hann_periodic", nperseg=None, noverlap=None, nfft=None, detrend="constant",
    return_onesided=True, scaling="density", axis=-1, average="mean",
):  # fmt: skip
    """Frequencies, and the power spectral density of a real signal: the mean over overlapping segments (P. D. Welch,
    IEEE Transactions on Audio and Electroacoustics 15, 70-73, 1967).

    >>> f, p = welch(np.arange(8.0) % 2.0, nperseg=4)
    >>> [float(round(v, 6)) for v in p]
    [0.0, 0.333333, 0.666667]
    """
    if not return_onesided:
        raise TypeError("returns the one-sided spectrum")
    c, w, length = _transforms(x, fs, window, nperseg, noverlap, nfft, detrend)
    return np.fft.rfftfreq(length, 1.0 / fs), _averaged(_power(c, w, fs, scaling, length), average)


def _cross(x, y, fs, window, nperseg, noverlap, nfft, detrend, scaling, average):
    """Real and imaginary part of the cross spectrum of two signals of equal length."""
    if np.size(x) != np.size(y):
        raise TypeError("is of two signals of equal length")
    c, w, length = _transforms(x, fs, window, nperseg, noverlap, nfft, detrend)
    d, _, _ = _transforms(y, fs, window, nperseg, noverlap, nfft, detrend)
    scale = _scale(w, fs, scaling) * _one_sided(c.shape[1], length)
    real = _averaged((c.real * d.real + c.imag * d.imag) * scale, average)
    return np.fft.rfftfreq(length, 1.0 / fs), real, _averaged((c.real * d.imag - c.imag * d.real) * scale, average)


@implements("scipy.signal.csd")
def csd(
    x, y, fs=1.0, window="hann_periodic", nperseg=None, noverlap=None, nfft=None, detrend="constant",
    return_onesided=True, scaling="density", axis=-1, average="mean",
):  # fmt: skip
    """Frequencies, and the cross spectral density of two real signals of equal length.

    >>> f, p = csd(np.arange(8.0) % 2.0, np.arange(8.0) % 2.0, nperseg=4)
    >>> [float(round(v, 6)) for v in p.real]
    [0.0, 0.333333, 0.666667]
    """
    if not return_onesided:
        raise TypeError("returns the one-sided spectrum")
    f, real, imag = _cross(x, y, fs, window, nperseg, noverlap, nfft, detrend, scaling, average)
    return f, real + 1j * imag


@implements("scipy.signal.coherence")
def coherence(
    x, y, fs=1.0, window="hann_periodic", nperseg=None, noverlap=None, nfft=None, detrend="constant", axis=-1
):
    """Frequencies, and the squared magnitude of the coherence of two real signals of equal length.

    >>> f, c = coherence(np.arange(8.0) ** 2, np.arange(8.0), nperseg=4, detrend=False)
    >>> [float(round(v, 6)) for v in c[:2]]
    [0.949992, 0.950363]
    """
    f, real, imag = _cross(x, y, fs, window, nperseg, noverlap, nfft, detrend, "density", "mean")
    _, first = welch(x, fs, window, nperseg, noverlap, nfft, detrend)
    _, second = welch(y, fs, window, nperseg, noverlap, nfft, detrend)
    return f, (real * real + imag * imag) / first / second


@implements("scipy.signal.freqz")
def freqz(b, a=1, worN=512, whole=False, plot=None, fs=2 * np.pi, include_nyquist=False):
    """Frequencies, and the response of a digital filter.

    >>> w, h = freqz(np.array([1.0, 1.0]), worN=2)
    >>> [float(round(v, 6)) for v in np.abs(h)]
    [2.0, 1.414214]
    """
    if plot is not None:
        raise TypeError("does not plot")
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    if b.dtype == np.float32 or a.dtype == np.float32:
        raise TypeError("is of coefficients in float64: write `b.astype(float)`")
    if isinstance(worN, int):
        top = 2.0 * np.pi if whole else np.pi
        w = np.linspace(0.0, top, worN, endpoint=include_nyquist and not whole)
    else:
        w = np.asarray(worN) * (2.0 * np.pi / fs)
    top_re, top_im = _at(b, w)
    low_re, low_im = _at(a, w)
    size = low_re * low_re + low_im * low_im
    real, imag = (top_re * low_re + top_im * low_im) / size, (top_im * low_re - top_re * low_im) / size
    return w * (fs / (2.0 * np.pi)), real + 1j * imag


def _at(c, w):
    """Real and imaginary part of a polynomial in ``exp(-i w)``."""
    real, imag = np.zeros(w.shape), np.zeros(w.shape)
    for k in range(c.shape[0]):
        real += c[k] * np.cos(k * w)
        imag -= c[k] * np.sin(k * w)
    return real, imag


@implements("scipy.signal.resample")
def resample(x, num, t=None, axis=0, window=None, domain="time"):
    """A real signal of rank 1 at another number of points, by its Fourier series.

    >>> resample(np.array([1.0, 0.0, -1.0, 0.0]), 2)
    array([ 1., -1.])
    """
    x = np.asarray(x)
    if t is not None or window is not None or domain != "time" or x.ndim != 1 or x.dtype == np.float32:
        raise TypeError("is of a signal of rank 1 and float64, without `t`, `window` and `domain`")
    n = x.shape[0]
    c = np.fft.rfft(x)
    low = min(n, num)
    half = low // 2 + 1
    real, imag = np.zeros(num // 2 + 1), np.zeros(num // 2 + 1)
    real[:half] = c.real[:half]
    imag[:half] = c.imag[:half]
    if low % 2 == 0 and num != n:  # the frequency in the middle stands for two, one of which has gone or come
        real[low // 2] *= 2.0 if num < n else 0.5
    return np.fft.irfft(real + 1j * imag, n=num) * (num / n)


@implements("scipy.signal.lombscargle")
def lombscargle(x, y, freqs, *, precenter=False, normalize=False, weights=None, floating_mean=False):
    """The Lomb-Scargle periodogram of samples at any times (J. D. Scargle, Astrophysical Journal 263, 835-853, 1982).

    >>> lombscargle(np.array([0.0, 1.0, 2.0]), np.array([1.0, -1.0, 1.0]), np.array([3.0])).round(6)
    array([1.499966])
    """
    if weights is not None or floating_mean or normalize not in (False, True, "power", "normalize"):
        raise TypeError("takes no `weights`, no floating mean, and `normalize` as a bool, 'power' or 'normalize'")
    x, y, freqs = np.asarray(x), np.asarray(y), np.asarray(freqs)
    if precenter:
        y = y - np.mean(y)
    out = np.empty(freqs.shape[0])
    for k in range(freqs.shape[0]):
        w = freqs[k]
        delay = 0.5 * np.arctan2(np.sum(np.sin(2.0 * w * x)), np.sum(np.cos(2.0 * w * x)))
        c, s = np.cos(w * x - delay), np.sin(w * x - delay)
        even, odd = np.sum(y * c) ** 2 / np.sum(c * c), np.sum(y * s) ** 2 / np.sum(s * s)
        out[k] = (even + odd) / np.sum(y * y) if normalize in (True, "normalize") else 0.5 * (even + odd)
    return out
