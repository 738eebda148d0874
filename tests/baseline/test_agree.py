"""Graph, tape and dual numbers agree with each other, with known values and with central differences."""

import math

import numpy as np
import pytest
from linad.baseline import dual, graph, tape

from . import programs as p

WAYS = {"graph": graph, "tape": tape, "dual": dual}
way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)

rng = np.random.default_rng(7)
X = rng.uniform(0.3, 1.4, 7)
CASES = {
    "textbook": (p.textbook, (2.0, 5.0)),
    "product_plus_sine": (p.product_plus_sine, (0.5, 4.2)),
    "first_into_second": (p.first_into_second, (np.array([1.5, 9.0]),)),
    "sum_of_lambda": (p.sum_of_lambda, (X,)),
    "fan_out": (p.fan_out, (0.75, 40)),
    "fan_in": (p.fan_in, (X,)),
    "gauss_seidel": (p.gauss_seidel, (X, 4)),
    "prefix_sums": (p.prefix_sums, (X,)),
    "gather": (p.gather, (X, np.array([3, 1, 3, 0, 6]), 1.7)),
    "newton": (p.newton, (2.0,)),
    "branchy": (p.branchy, (np.array([0.1, 2.0, -3.0, 0.4, 1.2]), 0.5)),
    "horner": (p.horner, (X, 0.8)),
    "swapped": (p.swapped, (X, X[::-1].copy() + 0.1)),
    "guarded": (p.guarded, (2.25,)),
    "factorial": (p.factorial, (5.5, 4)),
}


def flat(gradient) -> np.ndarray:
    parts = gradient if isinstance(gradient, tuple) else (gradient,)
    return np.concatenate([np.ravel(g) for g in parts])


def fresh(args):
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)


def central(f, args, h=1e-6) -> np.ndarray:
    out = []
    for k, a in enumerate(args):
        if not isinstance(a, float) and not (isinstance(a, np.ndarray) and a.dtype.kind == "f"):
            continue
        for i in np.ndindex(np.shape(a)):
            ends = []
            for step in (h, -h):
                moved = list(fresh(args))
                if isinstance(a, float):
                    moved[k] = a + step
                else:
                    moved[k][i] += step
                ends.append(f(*moved))
            out.append((ends[0] - ends[1]) / (2 * h))
    return np.array(out)


@way
@pytest.mark.parametrize("name", CASES)
def test_value_is_that_of_the_plain_function_and_gradient_that_of_differences(name, way):
    f, args = CASES[name]
    before = fresh(args)
    value, gradient = way.value_and_gradient(f, args)
    assert value == f(*fresh(args))
    assert type(value) is type(f(*fresh(args)))
    np.testing.assert_allclose(flat(gradient), central(f, args), rtol=2e-6, atol=2e-6)
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)  # the caller's arrays are left alone


@pytest.mark.parametrize("name", CASES)
def test_all_ways_agree_to_rounding(name):
    f, args = CASES[name]
    a, b, c = (flat(w.gradient(f, args)) for w in WAYS.values())
    np.testing.assert_allclose(a, b, rtol=1e-14)
    np.testing.assert_allclose(a, c, rtol=1e-12)


@way
def test_the_known_numbers(way):
    value, (dx, dy) = way.value_and_gradient(p.product_plus_sine, (0.5, 4.2))
    assert (value, dx, dy) == (2.579425538604203, 5.077582561890373, 0.5)
    value, (d1, d2) = way.value_and_gradient(p.textbook, (2.0, 5.0))
    assert value == pytest.approx(math.log(2) + 10 - math.sin(5), rel=1e-15)
    assert (d1, d2) == pytest.approx((5.5, 2 - math.cos(5)), rel=1e-15)


@way
def test_two_outputs(way):
    x = 0.7
    for cotangent in ((1.0, 0.0), (0.0, 1.0), (2.0, -3.0)):
        value, (x_bar,) = way.vjp(p.two_outputs, (x,), cotangent)
        assert value == (2 * x + math.sin(x), 4 * x + math.cos(x))
        expected = cotangent[0] * (2 + math.cos(x)) + cotangent[1] * (4 - math.sin(x))
        assert x_bar == pytest.approx(expected, rel=1e-15)


def test_jvp_of_two_outputs():
    value, tangent = dual.jvp(p.two_outputs, (0.7,), (2.0,))
    assert value == p.two_outputs(0.7)
    assert tangent == pytest.approx((2 * (2 + math.cos(0.7)), 2 * (4 - math.sin(0.7))), rel=1e-15)


@way
def test_the_first_cell_into_the_second(way):
    _, (v_bar,) = way.vjp(p.first_into_second, (np.array([1.5, 9.0]),), (1.0, np.array([0.0, 10.0])), updates=("v",))
    np.testing.assert_array_equal(v_bar, [2 * 1.5 + 1 + 10, 0.0])


@way
def test_updated_arguments_are_results(way):
    def double(y, k: int):
        for i in range(len(y)):
            y[i] *= float(k)

    y = np.array([1.0, 2.0])
    (final,), (y_bar,) = way.vjp(double, (y, 3), (np.array([1.0, 10.0]),), updates=("y",))
    np.testing.assert_array_equal(final, [3.0, 6.0])
    np.testing.assert_array_equal(y_bar, [3.0, 30.0])
    np.testing.assert_array_equal(y, [1.0, 2.0])


@pytest.mark.parametrize("depth", [1, 10, 5000])
def test_depth_is_no_limit(depth):
    assert dual.gradient(p.fan_out, (1e-300, min(depth, 1000))) == 2.0 ** min(depth, 1000)
    ones = np.ones(depth)
    for way in (graph, tape):
        np.testing.assert_array_equal(way.gradient(p.fan_in, (ones,)), ones)


def test_the_tape_is_linear_in_the_work_and_doubles():
    t = tape.Tape(capacity=2)
    for _ in range(9):
        t.push()
    assert len(t.parents) == 16 and t.length == 9
    short, _, _ = tape._trace(p.fan_out, (1.0, 10), ())
    long, _, _ = tape._trace(p.fan_out, (1.0, 20), ())
    assert long.length - short.length == 10


@way
def test_single_precision_stays_single(way):
    x = X.astype(np.float32)
    value, gradient = way.value_and_gradient(p.prefix_sums, (x,))
    assert gradient.dtype == np.float32
    value, gradient = way.value_and_gradient(p.fan_in, (x,))
    assert type(value) is np.float32 and value == p.fan_in(x)


@way
def test_structures_and_ints(way):
    def f(pair, n: int, idx):
        (a, k), v = pair
        return a * v[idx[0]] * k + n

    value, gradient = way.value_and_gradient(f, (((2.0, 3), np.array([5.0, 7.0])), 4, np.array([1])))
    assert value == 46.0
    (a_bar, k_bar), v_bar = gradient
    assert (a_bar, k_bar) == (21.0, None)
    np.testing.assert_array_equal(v_bar, [0.0, 6.0])


@way
def test_rank_two_and_int_arrays_inside(way):
    def f(a):
        n, m = a.shape
        seen = np.zeros(n, dtype=np.int64)
        out = np.zeros((n, m))
        for i in range(n):
            seen[i] = i * 2
            for j in range(m):
                out[i, j] += a[i, j] * (seen[i] + j)
        return out[n - 1, m - 1] * a[0, 0] + seen.sum()

    a = np.arange(6.0).reshape(2, 3) + 1.0
    value, gradient = way.value_and_gradient(f, (a,))
    assert value == f(a)
    np.testing.assert_array_equal(gradient, [[24.0, 0, 0], [0, 0, 4.0]])


@way
def test_what_has_no_rule_is_refused(way):
    def f(x):
        return np.linalg.norm(x)

    def g(x: float):
        return np.i0(x)

    with pytest.raises(TypeError):
        way.gradient(f, (X,))
    with pytest.raises(TypeError, match="numpy.i0"):
        way.gradient(g, (1.0,))
    with pytest.raises(TypeError, match="one float"):
        way.gradient(p.two_outputs, (1.0,))
