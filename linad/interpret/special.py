"""Special functions of the reference interpreter: SciPy's, which is imported when one is called.

They are another road to the numbers of `linad.emit.runtime_special`, which compiled code uses and which needs no SciPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def _scipy(name: str) -> Callable[..., float]:
    def call(*args: object) -> float:
        from scipy import special

        return float(getattr(special, name)(*map(float, args)))

    return call


def _of_order(name: str) -> Callable[..., float]:
    """A function whose order SciPy takes first, as an int."""

    def call(x: float, n: int) -> float:
        from scipy import special

        return float(getattr(special, name)(int(n), float(x)))

    return call


def _polygamma(x: float, n: int) -> float:
    return _scipy("digamma")(x) if n == 0 else _of_order("polygamma")(x, n)


def _mills(x: float) -> float:
    """The density of the normal law over its distribution function."""
    x = float(x)
    if x == -math.inf:
        return math.inf
    return math.sqrt(2.0 / math.pi) / _scipy("erfcx")(-x / math.sqrt(2.0))


def _sinc(x: float, n: int) -> float:
    """The n-th derivative of sinc as the integral of ``Re((i pi t)^n exp(i pi x t))`` over [0, 1], by Gauss's rule."""
    z = math.pi * float(x)
    if n == 0:
        return math.sin(z) / z if z != 0.0 else 1.0
    if not math.isfinite(z):
        return math.nan
    nodes, weights = np.polynomial.legendre.leggauss(60 + int(min(abs(z), 4000.0)))
    t = 0.5 * (nodes + 1.0)
    return float(0.5 * np.sum(weights * t**n * np.cos(z * t + 0.5 * math.pi * n)) * math.pi**n)


_NAMES = "erfinv erfcinv erfcx ndtr ndtri log_ndtr expit logit log_expit entr xlogy xlog1py rel_entr"

SPECIAL: dict[str, Callable[..., float]] = {
    **{name: _scipy(name) for name in _NAMES.split()},
    "mills": _mills,
    "polygamma": _polygamma,
    "bessel_i": _of_order("iv"),
    "bessel_ie": _of_order("ive"),
    "bessel_j": _of_order("jv"),
    "sinc": _sinc,
}
