"""Special functions of the reference interpreter: SciPy's, imported on first use.

They are independent of `linad.runtime.special`, which compiled code uses.
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
    """A function for which SciPy takes the order first, as an int."""

    def call(x: float, n: int) -> float:
        from scipy import special

        return float(getattr(special, name)(int(n), float(x)))

    return call


def _bessel(x: float, n: int, scaled: bool) -> float:
    """``I_n``, or ``exp(-|x|) I_n`` if ``scaled``. At extreme arguments, where SciPy's functions of arbitrary order are
    inaccurate, limits and the asymptotic expansion are used."""
    x, n = float(x), abs(int(n))
    if n < 2:
        value = _scipy(f"i{n}e" if scaled else f"i{n}")(x)
        return value if scaled or not math.isinf(x) else x if n else abs(x)
    if abs(x) < 1e-300:
        return 0.0
    sign = -1.0 if x < 0.0 and n % 2 else 1.0
    if abs(x) < 1e9:
        return _of_order("ive" if scaled else "iv")(x, n)
    if not scaled or x != x:
        return sign * abs(x) * math.inf
    m, far = 4.0 * n * n, 8.0 * abs(x)
    return sign / math.sqrt(2.0 * math.pi * abs(x)) * (1.0 - (m - 1.0) / far * (1.0 - (m - 9.0) / (2.0 * far)))


def _bessel_j(x: float, n: int) -> float:
    x, n = float(x), int(n)
    if n < 0:
        return _bessel_j(x, -n) * (-1.0 if n % 2 else 1.0)
    if math.isinf(x):
        return 0.0
    if n > 1 and abs(x) < 1e9:
        return _of_order("jv")(x, n)
    before, here = _scipy("j0")(x), _scipy("j1")(x)
    for k in range(1, n):
        before, here = here, 2.0 * k / x * here - before
    return here if n else before


def _polygamma(x: float, n: int) -> float:
    return _scipy("digamma")(x) if n == 0 else _of_order("polygamma")(x, n)


def _mills(x: float) -> float:
    """The density of the standard normal distribution divided by its distribution function."""
    x = float(x)
    if x == -math.inf:
        return math.inf
    return math.sqrt(2.0 / math.pi) / _scipy("erfcx")(-x / math.sqrt(2.0))


def _sinc(x: float, n: int) -> float:
    """The n-th derivative of sinc: the integral of ``Re((i pi t)^n exp(i pi x t))`` over [0, 1] by Gauss-Legendre
    quadrature."""
    z = math.pi * float(x)
    if not math.isfinite(z):
        return math.nan
    if n == 0:
        return math.sin(z) / z if z != 0.0 else 1.0
    nodes, weights = np.polynomial.legendre.leggauss(60 + int(min(abs(z), 4000.0)))
    t = 0.5 * (nodes + 1.0)
    return float(0.5 * np.sum(weights * t**n * np.cos(z * t + 0.5 * math.pi * n)) * math.pi**n)


_NAMES = "erfinv erfcinv erfcx ndtr ndtri log_ndtr expit logit log_expit entr xlogy xlog1py rel_entr"

SPECIAL: dict[str, Callable[..., float]] = {
    **{name: _scipy(name) for name in _NAMES.split()},
    "mills": _mills,
    "polygamma": _polygamma,
    "bessel_i": lambda x, n: _bessel(x, n, False),
    "bessel_ie": lambda x, n: _bessel(x, n, True),
    "bessel_j": _bessel_j,
    "sinc": _sinc,
}
