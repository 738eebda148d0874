"""The replaced names of ``math``, ``numpy`` and builtins: values, types and derivatives of what they replace."""

import inspect
import math
from math import log as natural_log

import numpy as np
import pytest
from linad.baseline import dual, graph, tape
from linad.baseline.dual import Dual
from linad.baseline.shims import MATH, NUMPY, math_shims, numpy_shims

MATHS, NUMPYS = math_shims(Dual), numpy_shims(Dual)
SHIFT = np.array([0.25, 0.75])
FACTOR = 3.0


def operands(real, name):
    x = 1.4 if name in ("acosh", "arccosh") else 0.6
    try:
        pair = len(inspect.signature(real).parameters) == 2
    except (TypeError, ValueError):
        pair = True
    if isinstance(real, np.ufunc):
        pair = real.nin == 2
    return (x, 0.35) if pair else (x,)


def known(module, names):
    return [n for n in names if hasattr(module, n)]


@pytest.mark.parametrize("name", known(math, MATH))
def test_math(name):
    real = getattr(math, name)
    try:
        ins = operands(real, name)
        expected = real(*ins)
    except TypeError:
        ins, expected = (0.6,), real(0.6)
    for kind in (float, np.float64):
        got = MATHS[name](*(Dual(kind(x), 1.0) for x in ins))
        assert got.value == pytest.approx(expected, rel=1e-15)
        assert type(got.value) is float
        assert type(MATHS[name](*map(kind, ins))) is float


@pytest.mark.parametrize("name", known(np, NUMPY))
@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_numpy(name, kind):
    real = getattr(np, name)
    ins = tuple(map(kind, operands(real, name)))
    expected = real(*ins)
    got = NUMPYS[name](*(Dual(x) for x in ins))
    assert got.value == expected
    assert type(got.value) is type(expected)
    mixed = (ins[0], *map(float, ins[1:]))
    assert type(NUMPYS[name](*map(Dual, mixed)).value) is type(real(*mixed))


@pytest.mark.parametrize("name", ["exp", "maximum", "add", "arctan2"])
def test_numpy_on_arrays(name):
    def f(x):
        y = g(*((x,) * n)) + SHIFT * x
        return np.sum(y * y)

    g, n = getattr(np, name), getattr(np, name).nin
    x = np.array([0.5, 1.5])
    value, gradient = graph.value_and_gradient(f, (x,))
    assert value == pytest.approx(f(x), rel=1e-15)
    h = 1e-6
    for i in range(2):
        e = np.eye(2)[i] * h
        assert gradient[i] == pytest.approx((f(x + e) - f(x - e)) / (2 * h), rel=1e-7)
        assert dual.gradient(f, (x,))[i] == pytest.approx(gradient[i], rel=1e-14)


def test_names_are_found_wherever_the_function_gets_them_from():
    def outer(scale):
        def inner(x: float) -> float:
            return scale * natural_log(x) + FACTOR * max(x, 1.0)

        return inner

    def f(x: float) -> float:
        table = [(lambda t: t * t)(x), outer(2.0)(x), min(x, 3.0, 2.0 * x), abs(-x), float(x)]
        return sum(table) + pow(x, 2) + divmod(x, 2.0)[1]

    value, gradient = tape.value_and_gradient(f, (1.5,))
    assert value == pytest.approx(f(1.5), rel=1e-15)
    assert gradient == pytest.approx(3.0 + (2 / 1.5 + 3) + 1 + 1 + 1 + 3.0 + 1, rel=1e-15)
    assert graph.gradient(outer(2.0), (1.5,)) == pytest.approx(2 / 1.5 + 3)


def test_a_global_array_is_not_touched():
    def f(x: float) -> float:
        local = SHIFT.copy()
        local[0] = x
        return local[0] * local[1]

    before = SHIFT.copy()
    assert graph.gradient(f, (2.0,)) == 0.75
    np.testing.assert_array_equal(SHIFT, before)


def test_arithmetic_is_that_of_ieee_scalars():
    def f(x: float) -> float:
        return 1.0 / x

    value, gradient = dual.value_and_gradient(f, (0.0,))
    assert value == math.inf and gradient == -math.inf
    assert math.isnan(dual.value_and_gradient(lambda x: math.sqrt(x), (-1.0,))[0])
    assert dual.value_and_gradient(lambda x: math.exp(x), (1000.0,))[0] == math.inf


@pytest.mark.parametrize("way", [graph, tape, dual])
def test_where_lets_nothing_of_the_other_side_through(way):
    def f(x: float) -> float:
        return np.where(x > 0.0, np.sqrt(x), 0.0) + np.where(x > 0.0, np.log(x), 3.0 * x)

    assert way.value_and_gradient(f, (0.0,)) == (0.0, 3.0)


def test_single_precision_beside_python_floats():
    def f(x, w: float):
        return x[0] * w + 1.0

    x = np.array([2.0], np.float32)
    value, (x_bar, w_bar) = graph.value_and_gradient(f, (x, 0.1))
    assert type(value) is np.float32 and value == f(x, 0.1)
    assert x_bar.dtype == np.float32 and type(w_bar) is float


def test_a_plain_float_is_refused_where_a_derivative_would_be_lost():
    def store(x: float) -> float:
        v = np.zeros(2, dtype=np.int64)
        w = np.frombuffer(v.tobytes(), dtype=np.int64).astype("f8")
        w[0] = x
        return w[0]

    with pytest.raises(TypeError, match="plain float"):
        graph.gradient(store, (1.0,))
    with pytest.raises(TypeError, match="math.ldexp has no derivative"):
        graph.gradient(lambda x: math.ldexp(x, 2), (1.0,))


def test_cells_store_in_the_precision_of_their_array():
    def f(x: float):
        v = np.zeros(1, dtype=np.float32)
        v[0] = x
        return v[0]

    value, gradient = graph.value_and_gradient(f, (0.1,))
    assert type(value) is np.float32 and value == np.float32(0.1) and gradient == 1.0
