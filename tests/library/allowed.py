"""Where linad's outcome is not NumPy's or SciPy's, and on purpose: each with its row in docs/reference/deviations.md and an example of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .sweep import Mismatch, cells_alike, leaves

Test = Callable[[Mismatch], bool]


@dataclass(frozen=True)
class Allowed:
    """A deviation: the row that says it, what it is of, what it looks like, and an expression and a dtype that show it."""

    row: str
    names: str
    of: Test
    example: tuple[str, str]

    def covers(self, m: Mismatch) -> bool:
        return re.fullmatch(self.names, m.name) is not None and self.of(m)


def _raises(*kinds: str) -> Test:
    """linad raises where NumPy gives a number."""
    return lambda m: type(m.linad.error).__name__ in kinds and m.numpy.error is None


def _pairs(m: Mismatch) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    yield from zip(map(np.asarray, leaves(m.numpy.value)), map(np.asarray, leaves(m.linad.value)), strict=False)


def _all(m: Mismatch, test: Callable[[np.ndarray, np.ndarray], bool]) -> bool:
    """Whether both give numbers, of one shape, and all of them are as the test says."""
    if m.numpy.error is not None or m.linad.error is not None:
        return False
    with np.errstate(all="ignore"):
        return all(x.shape == y.shape and bool(test(x, y)) for x, y in _pairs(m))


def _arguments(m: Mismatch) -> np.ndarray:
    return np.concatenate([np.ravel(np.asarray(a, dtype=float)) for a in m.args])


def _largest(a: np.ndarray) -> float:
    return float(np.max(np.abs(a), initial=0.0, where=np.isfinite(a)))


def _not_finite(m: Mismatch) -> bool:
    """A matrix with a NaN or an infinity, of which linad makes a NaN wherever it differs."""
    if np.isfinite(_arguments(m)).all():
        return False
    unknown = any(np.isnan(x).any() for x, _ in _pairs(m))  # the sign of a determinant that is a NaN
    return _all(m, lambda x, y: (np.isnan(y) | cells_alike(x, y, 1e-9, True) | (unknown & (np.abs(y) == 1.0))).all())


def _zero_signs(m: Mismatch) -> bool:
    return _all(m, lambda x, y: x.dtype == y.dtype and cells_alike(x, y, 1e-9, True).all())


def _dtype_only(m: Mismatch) -> bool:
    return _all(m, lambda x, y: np.array_equal(x.astype(float), y.astype(float), equal_nan=True))


def _small_types(m: Mismatch) -> bool:
    """Of bools NumPy makes numbers of 8 bits."""
    return "bool" in m.dtype and _all(m, lambda x, y: x.dtype == np.int8 and np.array_equal(x.astype(int), y))


def _far(m: Mismatch) -> bool:
    """Arguments that are infinite, tiny, or large, where SciPy gives a NaN or overflows, and linad does not."""
    a = np.abs(_arguments(m))
    tiny = 1e-30 if "f32" in m.dtype else 1e-290
    if not (np.isinf(a) | (a >= 1e9) | ((a > 0) & (a < tiny))).any():
        return False
    lost = lambda x: np.isnan(x) | np.isinf(x) | (np.abs(x) < tiny)
    return _all(m, lambda x, y: (lost(x) & ~np.isnan(y) | cells_alike(x, y, 1e-9, False)).all())


def _imprecise(m: Mismatch) -> bool:
    """Where no digit of SciPy's Bessel functions is right, and those of its incomplete beta function are lost to subnormal numbers."""
    a = np.abs(_arguments(m))
    return bool((a >= 1e9).any() if "j" in m.name else ((a > 0) & (a < (1e-30 if "f32" in m.dtype else 1e-290))).any())


def _nan_stays(m: Mismatch) -> bool:
    return bool(np.isnan(_arguments(m)).any()) and _all(m, lambda x, y: np.isnan(y).all())


def _rounded(m: Mismatch) -> bool:
    """Results near a zero of a function, where its digits are lost, or SciPy's are: it is measured by its arguments."""
    error, least = (1e-6, 1.0) if "f32" in m.dtype else (2e-8, 1e-7)
    size = min(max(1.0, _largest(_arguments(m))), 1e3)
    return _all(m, lambda x, y: (np.abs(x - y) <= error * size * np.maximum(np.abs(x), least)).all())


def _singular(m: Mismatch) -> bool:
    """Of a matrix without an inverse the smallest singular value is what rounding leaves of 0."""
    lost = lambda x: (1.0 / np.abs(x) if "cond" in m.name else np.abs(x) / _largest(_arguments(m))) <= 10.0 * np.finfo(x.dtype).eps
    return _all(m, lambda x, y: (lost(x) & lost(y)).all())


def _products(m: Mismatch) -> bool:
    """Sums of products, which round, and overflow or not, by the order in which they are added: measured by the largest product."""
    if "cond" in m.name:
        return _singular(m)
    if m.name == "builtins.sum" and "*" not in m.text:
        return False
    with np.errstate(all="ignore"):
        largest = np.prod([_largest(np.asarray(a, dtype=float)) for a in m.args * (3 - min(len(m.args), 2))])

    def near(x: np.ndarray, y: np.ndarray) -> bool:
        if largest > np.finfo(x.dtype).max / 1e3:
            return bool((~np.isfinite(x) | ~np.isfinite(y) | cells_alike(x, y, 1e-9, True)).all())
        return bool((np.abs(x - y) <= (3e-5 if "f32" in m.dtype else 1e-10) * largest).all())

    return _all(m, lambda x, y: x.dtype == y.dtype and x.dtype.kind == "f" and near(x, y)) or ("norm" in m.name and _singular(m))


def _of_bools(m: Mismatch) -> bool:
    """SciPy and NumPy compute with bools in floats of 16, 32 or 64 bits."""
    return "bool" in m.dtype and _all(m, lambda x, y: cells_alike(x.astype(np.float32), y.astype(np.float32), 1e-2, False).all())


def _of_a_bool_matrix(m: Mismatch) -> bool:
    """SciPy computes with them in float32, or refuses them, depending on its version."""
    if not m.dtype.startswith("bool"):
        return False
    return m.numpy.error is not None or _all(m, lambda x, y: np.shape(x) == np.shape(y) and bool((np.abs(x - y) <= 1e-5 * max(1.0, _largest(y))).all()))


def _inexact(m: Mismatch) -> bool:
    """Rounding errors of the size of the largest term; infinities of both signs."""
    if isinstance(m.numpy.error, ValueError):
        return bool(np.isnan(m.linad.value))
    terms = np.abs(np.asarray([*m.args, 2.0], dtype=float))
    return _all(m, lambda x, y: bool(np.abs(x - y) <= 1e-15 * terms.max()))


def _one_variable(m: Mismatch) -> bool:
    """An array of rank 0 to NumPy, of one row and column to linad."""
    return m.numpy.error is None and np.ndim(m.numpy.value) == 0 and np.shape(m.linad.value) == (1, 1)


def _sum_of_exponentials(m: Mismatch) -> bool:
    """Of a matrix of no cells; or with weights that are 0, or overflow."""
    weights = np.abs(np.asarray(m.args[-1], dtype=float))
    return not np.size(m.args[0]) or not weights.any() or len(m.args) == 2 and bool(weights.max() > (1e38 if "f32" in m.dtype else 1e300))


def _powers(m: Mismatch) -> bool:
    return ("0.5" in m.text) and bool((np.asarray(m.args[0]) <= 0).all())


def _zero_division(m: Mismatch) -> bool:
    return _raises("ZeroDivisionError")(m) and not np.asarray(m.args[1]).any()


_SPECIAL = r"scipy\.(special|stats)\.[\w.]+"
ALLOWED: tuple[Allowed, ...] = (
    Allowed("`//` and `%` by zero", r"(numpy|operator)\..*", _zero_division, ("np.mod(e, f)", "i64")),
    Allowed("int powers", r"(builtins|operator)\.pow", _raises("ValueError"), ("pow(u, v)", "i64")),
    Allowed("Large floats to ints", r"ndarray\.astype|numpy\.(int\w*|add\.at|histogram)", _raises("ValueError", "OverflowError"), ("x.astype(int)", "f64")),
    Allowed("Exact sums", r"math\.fsum", _inexact, ("math.fsum((u, v))", "f64")),
    Allowed("Least squares", r"numpy\.(linalg\.lstsq|polyfit|polynomial\.polynomial\.polyfit)|scipy\.linalg\.lstsq", _raises("LinAlgError"), ("np.linalg.lstsq(S, b)", "f64")),
    Allowed("Matrices that are not finite", r"(numpy|scipy)\.linalg\..*", _not_finite, ("np.linalg.inv(S)", "f64")),
    Allowed("Join widening", r"builtins\.(min|max|sum)", _dtype_only, ("sum(x)", "f64")),
    Allowed("Size-1 broadcast", r"numpy\.broadcast_(to|arrays)", _raises("ValueError"), ("np.broadcast_to(x, (2, 3)).copy()", "f64")),
    Allowed("Signs of zeros", rf"numpy\.(fmin|fmax|minimum|maximum|clip)|{_SPECIAL}", _zero_signs, ("sp.kl_div(e, f)", "f64")),
    Allowed("Powers of one half", r"numpy\.power", _powers, ("e ** 0.5", "f64")),
    Allowed("Special functions far out", rf"{_SPECIAL}|numpy\.(i0|sinc)|scipy\.spatial\.distance\.euclidean", _far, ("sp.i0(e)", "f64")),
    Allowed("Special functions far out", r"scipy\.special\.factorial", lambda m: "f32" in m.dtype and _all(m, lambda x, y: np.isinf(x).all()), ("sp.factorial(e)", "f32")),
    Allowed("Special functions far out", r"scipy\.special\.(j[vn01]|betainc|inv_boxcox(1p)?)|scipy\.stats\.(lognorm|beta)\.\w+", _imprecise, ("sp.jv(2, e)", "f64")),
    Allowed("Special functions far out", r"scipy\.stats\.halfnorm\.ppf", lambda m: "f32" in m.dtype, ("st.halfnorm.ppf(e)", "f32")),
    Allowed("Special functions far out", rf"{_SPECIAL}|scipy\.spatial\.distance\.chebyshev", _nan_stays, ("sp.poch(e, f)", "f64")),
    Allowed(
        "Special functions without a derivative",
        r"scipy\.special\.(beta|betaln|binom|comb|perm|poch|gammaincc?|betainc)|scipy\.stats\.(gamma|chi2|t|beta)\..*",
        _raises("ValueError"),
        ("sp.binom(e, f)", "f64"),
    ),
    Allowed("Rounding", r"scipy\.special\.(kl_div|betaln|binom|poch|comb|sinc)|numpy\.sinc", _rounded, ("np.sinc(e)", "f32")),
    Allowed("Rounding", r"(numpy|operator|ndarray)\..*(dot|matmul|inner|einsum|norm|cond|cross|average|correlate|convolve|gradient|polymul|polyfit)|builtins\.sum|scipy\.spatial\.distance\.\w+", _products, ("np.einsum(\"i,i\", x, y)", "f32, i64")),
    Allowed("Rounding", r"numpy\.isclose", lambda m: "f32" in m.dtype, ("np.isclose(e, f)", "f64, f32")),
    Allowed("Bools in special functions", rf"{_SPECIAL}|numpy\.logaddexp\.reduce", _of_bools, ("sp.exp1(e)", "bool")),
    Allowed("Bool matrices", r"scipy\.linalg\.\w+", _of_a_bool_matrix, ("sl.svdvals(A)", "bool")),
    Allowed("64-bit ints", r"math\.(prod|lcm)|scipy\.special\.(log_)?softmax", lambda m: "i" in m.dtype and bool((np.abs(_arguments(m)) >= 2**31 - 1).any()), ("sp.softmax(x)", "i64")),
    Allowed("IEEE scalars", r"operator\.truediv", lambda m: type(m.numpy.error) is ZeroDivisionError, ("operator.truediv(u, v)", "bool")),
    Allowed("Covariances of one variable", r"numpy\.(cov|corrcoef)", _one_variable, ("np.cov(A)", "f64")),
    Allowed("Numbers of 8 bits", r".*", _small_types, ("e ** 2", "bool")),
    Allowed("Counts of nothing", r"numpy\.(bincount|polyval)|scipy\.special\.factorial", lambda m: np.size(m.args[0]) == 0 and _dtype_only(m), ("np.bincount(x % 7, weights=y)", "i64")),
    Allowed("Arrays of no rows", r"numpy\.array", lambda m: np.size(m.args[0]) == 0 and _dtype_only(m), ("np.array([c * 2 for c in x])", "i64")),
    Allowed("Arrays of no cells", r"numpy\.take", lambda m: m.linad.error is None and np.size(m.linad.value) == 0, ("np.take(A, k, axis=0)", "f64")),
    Allowed("Negative repetitions", r"numpy\.(tile|repeat)", lambda m: np.size(m.args[0]) == 0, ("np.tile(x, -1)", "f64")),
    Allowed("Cross products", r"numpy\.(linalg\.)?cross", _raises("ValueError"), ("np.cross(x, y)", "f64")),
    Allowed("Sums of exponentials", r"scipy\.special\.logsumexp", _sum_of_exponentials, ("sp.logsumexp(A)", "f64")),
)
