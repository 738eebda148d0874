"""Values and partial derivatives of special functions on plain numbers, from SciPy and independent formulas.

They are deliberately independent of `linad.derivatives.special`, as `rules` is of the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

Slopes = Callable[..., tuple[Any, ...]]


def scipy(name: str, *args: Any) -> Any:
    """Call a function of `scipy.special`, imported on use."""
    from scipy import special

    return getattr(special, name)(*args)


def phi(x: Any) -> Any:
    """The standard normal density."""
    return np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def mills(x: Any) -> Any:
    """The standard normal density divided by its distribution function."""
    return np.divide(math.sqrt(2.0 / math.pi), scipy("erfcx", -x / math.sqrt(2.0)))


def polygamma(x: Any, n: int) -> Any:
    return scipy("digamma", x) if n == 0 else scipy("polygamma", n, x)[()]


def sinc(x: Any, n: int) -> float:
    """Derivatives of sinc, from Leibniz's rule for x sinc(x) = sin(pi x) / pi or, near 0, from the power series."""
    x = float(x)
    if abs(x) > 1.0 + n:
        found = [math.sin(math.pi * x) / (math.pi * x)]
        for k in range(1, n + 1):
            found.append((math.pi ** (k - 1) * math.sin(math.pi * x + 0.5 * math.pi * k) - k * found[-1]) / x)
        return found[n]
    terms = range((n + 1) // 2, (n + 1) // 2 + 60)
    return math.fsum(
        (-1) ** j * math.pi ** (2 * j) * x ** (2 * j - n) / ((2 * j + 1) * math.factorial(2 * j - n)) for j in terms
    )


def remainder(x: Any, y: Any) -> Any:
    return np.float64(math.remainder(x, y)) if math.isfinite(x) and y != 0 and y == y else np.float64(math.nan)


def _unary(slope: Callable[[Any, Any], Any]) -> Slopes:
    return lambda o, x: (slope(o, x),)


def _of_order(slope: Callable[[Any, Any, int], Any]) -> Slopes:
    return lambda o, x, n: (slope(o, x, n), None)


def _log_slopes(log: Callable[[Any], Any], divisor: Callable[[Any], Any]) -> Slopes:
    return lambda o, x, y: (log(y), 0.0 if x == 0 else np.divide(x, divisor(y)))


def _shares(base: float) -> Slopes:
    def slopes(o: Any, x: Any, y: Any) -> tuple[Any, Any]:
        first = 0.5 if x == y else 1.0 / (1.0 + np.power(base, y - x))
        return first, 1.0 - first

    return slopes


VALUES: dict[str, tuple[Callable[..., Any], Slopes]] = {
    "erfinv": (partial(scipy, "erfinv"), _unary(lambda o, x: 0.5 * math.sqrt(math.pi) * np.exp(o * o))),
    "erfcinv": (partial(scipy, "erfcinv"), _unary(lambda o, x: -0.5 * math.sqrt(math.pi) * np.exp(o * o))),
    "erfcx": (partial(scipy, "erfcx"), _unary(lambda o, x: 2 * x * o - 2 / math.sqrt(math.pi))),
    "ndtr": (partial(scipy, "ndtr"), _unary(lambda o, x: phi(x))),
    "ndtri": (partial(scipy, "ndtri"), _unary(lambda o, x: 1.0 / phi(o))),
    "log_ndtr": (
        partial(scipy, "log_ndtr"),
        _unary(lambda o, x: np.exp(-0.5 * x * x - o) / math.sqrt(2 * math.pi) if x > -30 else mills(x)),
    ),
    "mills": (mills, _unary(lambda o, x: -x * o - o * o)),
    "expit": (partial(scipy, "expit"), _unary(lambda o, x: 0.25 / np.cosh(0.5 * x) ** 2)),
    "logit": (partial(scipy, "logit"), _unary(lambda o, x: 1.0 / x + 1.0 / (1.0 - x))),
    "log_expit": (partial(scipy, "log_expit"), _unary(lambda o, x: 1.0 / (1.0 + np.exp(x)))),
    "entr": (partial(scipy, "entr"), _unary(lambda o, x: -np.log(x) - 1.0)),
    "xlogy": (partial(scipy, "xlogy"), _log_slopes(np.log, lambda y: y)),
    "xlog1py": (partial(scipy, "xlog1py"), _log_slopes(np.log1p, lambda y: 1.0 + y)),
    "rel_entr": (partial(scipy, "rel_entr"), lambda o, x, y: (np.log(x) - np.log(y) + 1.0, 0.0 if x == 0 else -x / y)),
    "logaddexp": (np.logaddexp, _shares(math.e)),
    "logaddexp2": (np.logaddexp2, _shares(2.0)),
    "remainder": (remainder, lambda o, x, y: (1.0, -np.rint(np.divide(x, y)))),
    "polygamma": (polygamma, _of_order(lambda o, x, n: polygamma(x, n + 1))),
    "bessel_i": (lambda x, n: scipy("iv", n, x), _of_order(lambda o, x, n: scipy("ivp", n, x))),
    "bessel_ie": (
        lambda x, n: scipy("ive", n, x),
        _of_order(lambda o, x, n: scipy("ivp", n, x) * np.exp(-abs(x)) - np.sign(x) * o),
    ),
    "bessel_j": (lambda x, n: scipy("jv", n, x), _of_order(lambda o, x, n: scipy("jvp", n, x))),
    "sinc": (sinc, _of_order(lambda o, x, n: sinc(x, n + 1))),
}
