"""`scipy.signal`: coefficients of recursive filters, and filters in second-order sections.

A Butterworth filter is the product of real factors of degree one and two in ``s``, each of which the bilinear transform
makes a factor in ``z``.
"""

from __future__ import annotations

import numpy as np

from . import implements


def _product(a, b):
    out = np.zeros(a.shape[0] + b.shape[0] - 1)
    for k in range(a.shape[0]):
        out[k : k + b.shape[0]] += a[k] * b
    return out


def _bilinear(c, degree):
    """A polynomial in ``s``, highest power first, times ``(z + 1) ** degree``, with ``s = 4 (z - 1) / (z + 1)``."""
    out, n = np.zeros(degree + 1), c.shape[0]
    for k in range(n):
        term = np.full(1, c[n - 1 - k] * 4.0**k)
        for j in range(degree):
            term = _product(term, np.array([1.0, -1.0 if j < k else 1.0]))
        out += term
    return out


def _warped(w, fs):
    """An analog frequency for a digital one."""
    nyquist = 1.0 if fs is None else 0.5 * fs
    if not 0.0 < w < nyquist:
        raise ValueError("Digital filter critical frequencies must be 0 < Wn < 1, or 0 < Wn < fs/2 with `fs`")
    return 4.0 * np.tan(0.5 * np.pi * w / nyquist)


def _factor(damping, first, second, kind):
    """Numerator and denominator in ``s`` of the factor ``1 / (s^2 + damping s + 1)``, or ``1 / (s + 1)`` for a damping
    of 0, with its frequencies."""
    w = first if kind == "low" or kind == "high" else np.sqrt(first * second)
    if kind == "low" or kind == "high":
        below = np.array([1.0, w]) if damping == 0.0 else np.array([1.0, damping * w, w * w])
        above = np.zeros(below.shape[0])
        if kind == "low":
            above[-1] = below[-1]
        else:
            above[0] = 1.0
        return above, below
    wide, square = second - first, w * w
    if damping == 0.0:
        below = np.array([1.0, wide, square])
        above = np.array([0.0, wide, 0.0]) if kind == "band" else np.array([1.0, 0.0, square])
        return above, below
    inner = 2.0 * square + wide * wide
    below = np.array([1.0, damping * wide, inner, damping * wide * square, square * square])
    if kind == "band":
        return np.array([0.0, 0.0, wide * wide, 0.0, 0.0]), below
    return np.array([1.0, 0.0, 2.0 * square, 0.0, square * square]), below


def _dampings(n):
    """The dampings of the factors of a Butterworth filter, the largest first: 0 stands for the factor of degree 1."""
    out = np.zeros((n + 1) // 2)
    for k in range(n // 2):
        out[n % 2 + k] = 2.0 * np.cos(0.5 * np.pi * (2 * k + 1 + n % 2) / n)
    return out


@implements("scipy.signal.butter")
def butter(N, Wn, btype="low", analog=False, output="ba", fs=None):
    """Coefficients of a digital Butterworth filter: ``b, a``, or second-order sections of a low-pass or high-pass.

    >>> [c.round(6).tolist() for c in butter(1, 0.5)]
    [[0.5, 0.5], [1.0, -0.0]]
    """
    if analog or output not in ("ba", "sos"):
        raise TypeError("is a digital filter, with `output` 'ba' or 'sos'")
    if btype in ("low", "lowpass", "lp", "l"):
        kind = "low"
    elif btype in ("high", "highpass", "hp", "h"):
        kind = "high"
    elif btype in ("band", "bandpass", "pass", "bp"):
        kind = "band"
    elif btype in ("bandstop", "bands", "stop", "bs"):
        kind = "stop"
    else:
        raise ValueError("'btype' is an invalid bandtype for filter.")
    if kind == "low" or kind == "high":
        first = _warped(Wn, fs)
        second = first
    else:
        first, second = _warped(Wn[0], fs), _warped(Wn[1], fs)
    dampings = _dampings(N)
    if output == "sos":
        if kind == "band" or kind == "stop":
            raise TypeError("has sections of a low-pass or a high-pass: take `output='ba'`")
        return _sections(dampings, first, second, kind)
    b, a = np.ones(1), np.ones(1)
    for k in range(dampings.shape[0]):
        above, below = _factor(dampings[k], first, second, kind)
        degree = below.shape[0] - 1
        b, a = _product(b, _bilinear(above, degree)), _product(a, _bilinear(below, degree))
    return b / a[0], a / a[0]


def _sections(dampings, first, second, kind):
    """Sections whose poles approach the unit circle; the first one has the gain of all. An odd filter has a zero at the
    origin for the pole there: it is in the section, from the last one, whose poles are nearer to it than to the
    others, as SciPy pairs them."""
    sos, gain = np.zeros((dampings.shape[0], 6)), 1.0
    far, spare = -1.0 if kind == "low" else 1.0, dampings[0] == 0.0
    for k in range(dampings.shape[0] - 1, -1, -1):
        above, below = _factor(dampings[k], first, second, kind)
        degree = below.shape[0] - 1
        b, a = _bilinear(above, degree), _bilinear(below, degree)
        gain = gain * (b[0] / a[0])
        sos[k, 3 : 4 + degree] = a / a[0]
        sos[k, 0] = 1.0
        if spare and (degree == 1 or 1.0 + far * sos[k, 4] > 0.0):
            sos[k, 1] = -far
            spare = False
        else:
            sos[k, 1], sos[k, 2] = -2.0 * far, 1.0
    sos[0, :3] *= gain
    return sos


def _resonance(w0, Q, fs):
    w = w0 * 2.0 / fs
    if not 0.0 < w < 1.0:
        raise ValueError("w0 should be such that 0 < w0 < 1")
    return 1.0 / (1.0 + np.tan(0.5 * np.pi * w / Q)), np.cos(np.pi * w)


@implements("scipy.signal.iirnotch")
def iirnotch(w0, Q, fs=2.0):
    """Coefficients of a filter of second order that removes one frequency.

    >>> [c.round(6).tolist() for c in iirnotch(0.5, 1.0)]
    [[0.5, -0.0, 0.5], [1.0, -0.0, 0.0]]
    """
    gain, c = _resonance(w0, Q, fs)
    return gain * np.array([1.0, -2.0 * c, 1.0]), np.array([1.0, -2.0 * gain * c, 2.0 * gain - 1.0])


@implements("scipy.signal.iirpeak")
def iirpeak(w0, Q, fs=2.0):
    """Coefficients of a filter of second order that keeps one frequency.

    >>> [c.round(6).tolist() for c in iirpeak(0.5, 1.0)]
    [[0.5, 0.0, -0.5], [1.0, -0.0, 0.0]]
    """
    gain, c = _resonance(w0, Q, fs)
    return (1.0 - gain) * np.array([1.0, 0.0, -1.0]), np.array([1.0, -2.0 * gain * c, 2.0 * gain - 1.0])
