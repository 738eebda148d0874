"""`scipy.signal`: signals of time."""

from __future__ import annotations

import numpy as np

from . import elementwise, implements


@implements("scipy.signal.chirp")
def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True, *, complex=False):
    """A cosine of changing frequency.

    >>> chirp(np.array([0.0, 1.0]), 0.0, 1.0, 1.0)
    array([ 1., -1.])
    """
    if complex:
        raise TypeError("is real here: leave `complex` out")
    t = np.asarray(t) * np.float64(1.0)
    if method in ("linear", "lin", "li"):
        phase = f0 * t + 0.5 * (f1 - f0) / t1 * t * t
    elif method in ("quadratic", "quad", "q"):
        rate = (f1 - f0) / t1**2
        phase = f0 * t + rate * t**3 / 3.0
        if not vertex_zero:
            phase = f1 * t + rate * ((t1 - t) ** 3 - t1**3) / 3.0
    elif method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0.0:
            raise ValueError("For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign.")
        if f0 == f1:
            phase = f0 * t
        else:
            rate = t1 / np.log(f1 / f0)
            phase = rate * f0 * ((f1 / f0) ** (t / t1) - 1.0)
    elif method in ("hyperbolic", "hyp"):
        if f0 == 0 or f1 == 0:
            raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
        if f0 == f1:
            phase = f0 * t
        else:
            pole = -f1 * t1 / (f0 - f1)
            phase = -pole * f0 * np.log(np.abs(1.0 - t / pole))
    else:
        raise ValueError("method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic'")
    return np.cos(2.0 * np.pi * phase + phi * (np.pi / 180.0))


@elementwise()
def _sawtooth(t, width, /):
    if not 0.0 <= width <= 1.0:
        return np.nan
    part = np.mod(t, 2.0 * np.pi)
    if part < width * 2.0 * np.pi:
        return part / (np.pi * width) - 1.0
    return (np.pi * (width + 1.0) - part) / (np.pi * (1.0 - width))


@implements("scipy.signal.sawtooth")
def sawtooth(t, width=1):
    """A wave of period ``2 pi`` that rises from -1 to 1 and falls for the rest of the period.

    >>> float(sawtooth(np.pi))
    0.0
    """
    return _sawtooth(t * np.float64(1.0), width * np.float64(1.0))


@elementwise()
def _square(t, duty, /):
    if not 0.0 <= duty <= 1.0:
        return np.nan
    return 1.0 if np.mod(t, 2.0 * np.pi) < duty * 2.0 * np.pi else -1.0


@implements("scipy.signal.square")
def square(t, duty=0.5):
    """A wave of period ``2 pi`` that is 1 for a part of the period, then -1.

    >>> square(np.array([1.0, 4.0]))
    array([ 1., -1.])
    """
    return _square(t * np.float64(1.0), duty * np.float64(1.0))


@implements("scipy.signal.gausspulse")
def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    """A cosine under a Gaussian envelope.

    >>> float(gausspulse(0.0))
    1.0
    """
    if isinstance(t, str) or retquad:
        raise TypeError("takes times, and neither 'cutoff' nor `retquad`")
    level = 10.0 ** (bwr / 20.0)
    rate = -((np.pi * fc * bw) ** 2) / (4.0 * np.log(level))
    envelope = np.exp(-rate * t * t)
    wave = envelope * np.cos(2.0 * np.pi * fc * t)
    return (wave, envelope) if retenv else wave


@implements("scipy.signal.unit_impulse")
def unit_impulse(shape, idx=None, dtype=float):
    """Zeros, with a 1 at one place, at the first by default.

    >>> unit_impulse(3, 1)
    array([0., 1., 0.])
    """
    out = np.zeros(shape, dtype=dtype)
    if out.ndim != 1:
        raise TypeError("is of one length here")
    if idx is None:
        out[0] = 1
    elif isinstance(idx, str):
        out[out.shape[0] // 2] = 1
    else:
        out[idx] = 1
    return out
