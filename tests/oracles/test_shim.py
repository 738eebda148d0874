"""The oracle implements the declared deviations, and nothing else."""

import math

import numpy as np
import pytest
from linad.oracle import Ended, attempt, difference, run, shimmed


def weak_keeps_f32(x, w: float):
    return w * x[0] + 1.0 / 3.0


def strong_widens(x):
    return np.float64(0.1) * x[0]


def math_is_weak(x):
    return math.sin(x[0]) * x[0]


def numpy_is_strong(x, w: float):
    return np.sin(w) * x[0]


@pytest.mark.parametrize("f", [weak_keeps_f32, strong_widens, math_is_weak, numpy_is_strong])
def test_weak_and_strong_are_numpys(f):
    x = np.array([0.3], np.float32)
    args = (x, 0.7)[: f.__code__.co_argcount]
    expected, got = f(*args), run(f, args)
    assert got == expected
    assert type(got) is type(expected)


def divide(a: float, b: float):
    return a / b


def whole(a: int, b: int):
    return a // b + a % b


def functions(a: float):
    return math.exp(a), math.sqrt(-a), math.log(0.0 * a), (-a) ** (1 / 3), math.lgamma(-1.0), math.gamma(a)


def wrapping(n: int):
    return n * n * n + 2**62 + 2**62


def test_ieee_instead_of_exceptions():
    assert run(divide, (1.0, 0.0)) == math.inf
    assert math.isnan(run(divide, (0.0, 0.0)))
    exp, sqrt, log, root, lgamma, gamma = run(functions, (1000.0,))
    assert (exp, log, lgamma, gamma) == (math.inf, -math.inf, math.inf, math.inf)
    assert math.isnan(sqrt) and math.isnan(root)


def test_ints_are_64_bit_and_divide_by_zero_as_python():
    assert run(wrapping, (0,)) == -(2**63)
    assert run(wrapping, (2**40,)) == -(2**63)
    assert run(whole, (-7, 2)) == -3
    with pytest.raises(ZeroDivisionError):
        run(whole, (1, 0))


SCALE = 2.0
TABLE = np.array([1.0, 2.0])


def square(v):
    return SCALE * v * v


def with_helper(x):
    total = 0
    for k, e in enumerate(x):
        total += square(e) * TABLE[k % len(TABLE)]
    return total


def recursive(n: int):
    return 1 if n == 0 else n * recursive(n - 1)


def test_helpers_globals_closures_and_recursion():
    x = np.array([1.0, 2.0, 3.0])
    assert run(with_helper, (x,)) == with_helper(x)
    assert run(recursive, (5,)) == 120
    scale = 3.0

    def closed(v: float):
        return scale * v / 0.0

    assert run(closed, (1.0,)) == math.inf


def arrays(x, n: int):
    a = np.zeros((n, 2))
    b = np.empty_like(x)
    c = np.full(3, 1.5, dtype=np.float32)
    for i in range(n - 1, -1, -1):
        a[i, 1] = x[i] + i
        b[i] = a.shape[1] * a.size + x.ndim
    x[0] = -1.0
    a[-1, 0] += c[0]
    return a, b.copy(), np.float32(2.0) * c[1], min(1, x[1]), max(2.0, x[1])


def test_arrays_and_final_contents():
    x = np.array([1.0, 2.0, 3.0])
    expected = arrays(x.copy(), 3)
    got, final = shimmed(arrays)(x, 3)
    assert difference(Ended(got), Ended(expected)) is None
    assert x[0] == 1.0 and final["x"][0] == -1.0


def test_exceptions_are_pythons():
    def out_of_range(x):
        return x[5]

    def float_index(x):
        return x[1.0]

    def float_range(n: float):
        return sum(i for i in range(n))

    def unbound(n: int):
        for i in range(n):
            pass
        return i

    x = np.zeros(3)
    assert isinstance(attempt(lambda: run(out_of_range, (x,))).error, IndexError)
    assert isinstance(attempt(lambda: run(float_index, (x,))).error, (TypeError, IndexError))
    assert isinstance(attempt(lambda: run(float_range, (2.0,))).error, TypeError)
    assert isinstance(attempt(lambda: run(unbound, (0,))).error, UnboundLocalError)


def test_differences():
    one = Ended((1.0, np.zeros(2)))
    assert difference(one, Ended((1, np.zeros(2)))) is None
    assert "result[1][1]" in difference(one, Ended((1.0, np.array([0.0, 1.0]))))
    assert "shapes" in difference(one, Ended((1.0, np.zeros(3))))
    assert "structures" in difference(one, Ended(1.0))
    assert difference(Ended(math.nan), Ended(math.nan)) is None
    assert difference(Ended(math.nan), Ended(0.0))
    assert difference(Ended(error=IndexError()), Ended(1.0))
    assert difference(Ended(error=IndexError("a")), Ended(error=IndexError("b"))) is None
    assert difference(Ended(error=IndexError()), Ended(error=ValueError()))
