"""Plans are compared by the bytes that they log: which of two floats the smaller one is takes one, and a word takes eight."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from jaxtyping import Float32, Float64, Int32
from linad_typecheck.ir.core import Let, walk

from linad import pipeline
from linad.adjoint.plan.model import Plan
from linad.adjoint.plan.undo import memory
from tests.properties.roads import Whole

Vec = Float64[np.ndarray, "n"]
Short = Float64[np.ndarray, "k"]
Square = Float64[np.ndarray, "n n"]
Table = Float64[np.ndarray, "n k"]
Singles = Float32[np.ndarray, "n"]
RNG = np.random.default_rng(3)
X, Y = RNG.uniform(0.3, 0.9, (2, 5))
TIES = np.array([0.5, 0.25, 0.5, 0.25, 0.25, 1.0])


def smallest(x: Vec) -> float:
    best = x[0]
    for i in range(len(x)):
        best = min(best, x[i])
    return best


def smallest_so_far(x: Vec) -> float:
    best, s = x[0], 0.0
    for i in range(len(x)):
        best = min(best, np.sin(x[i] + s))
        s += best * best
    return s


def shortest_ways(d0: Square) -> float:
    """Floyd and Warshall, in place."""
    d = d0.copy()
    for k in range(len(d)):
        for i in range(len(d)):
            for j in range(len(d)):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])
    return np.sum(d)


def nearest_centres(x: Vec, c: Short, steps: int) -> float:
    m, total = c.copy(), 0.0
    for _ in range(steps):
        for k in range(len(c)):
            m[k] = 0.9 * m[k] * m[k]
        for i in range(len(x)):
            best = 1e30
            for k in range(len(c)):
                best = min(best, (x[i] - m[k]) ** 2)
            total += best
    return total


def likeliest_path(a: Square, b: Table) -> float:
    v = b[:, 0].copy()
    for t in range(1, b.shape[1]):
        new = np.zeros(len(v))
        for j in range(len(v)):
            best = -1e30
            for i in range(len(v)):
                best = max(best, v[i] + a[i, j])
            new[j] = best + b[j, t]
        v = new
    return np.max(v)


def largest_of_singles(x: Singles) -> np.float32:
    best = x[0]
    for i in range(len(x)):
        best = max(best, x[i] * x[0])
    return best


# ------------------------------------------------------------------------------------------- what needs its operands


def operands_are_needed(x: Vec) -> float:
    s = 1.0
    for i in range(len(x)):
        s = max(s * x[i], np.exp(0.1 * s - x[i]))
    return s


def cells_can_be_read_again(x: Vec, y: Vec) -> float:
    s = 0.0
    for i in range(len(x)):
        s += min(x[i], y[i]) * max(x[i], 0.5)
    return s


def cells_are_there_and_others_are_logged(x: Vec, y: Vec) -> float:
    s = 0.0
    for i in range(len(x)):
        s = np.sin(s + min(x[i], y[i]))
    return s


def of_ints(x: Vec) -> float:
    s, k = 0.0, 7
    for i in range(len(x)):
        k = min((3 * k + 1) % 11, k + 1)
        s = np.sin(s + x[k % len(x)])
    return s


def by_numpy(x: Vec) -> float:
    best = x[0]
    for i in range(len(x)):
        best = np.minimum(best, np.sin(x[i]))
    return best


# ------------------------------------------------------------------------------------------------ words and bytes


def three_tests(x: Vec, w: Vec) -> float:
    """Three bytes are less than the word that they are found out from."""
    y, s = x.copy(), 1.0
    for i in range(len(y)):
        v = y[i]
        y[i] = 0.0
        s += w[i] if v > 0.4 else 2.0 * w[i]
        s += w[i] if v > 0.5 else 3.0 * w[i]
        s += w[i] if v > 0.6 else 4.0 * w[i]
    return s + y[0]


def nine_tests(x: Vec, w: Vec) -> float:
    y, s = x.copy(), 1.0
    for i in range(len(y)):
        v = y[i]
        y[i] = 0.0
        s += w[i] if v > 0.4 else 2.0 * w[i]
        s += w[i] if v > 0.5 else 3.0 * w[i]
        s += w[i] if v > 0.6 else 4.0 * w[i]
        s += w[i] if v > 0.7 else 2.0 * w[i]
        s += w[i] if v > 0.8 else 3.0 * w[i]
        s += w[i] if v > 0.45 else 4.0 * w[i]
        s += w[i] if v > 0.55 else 2.0 * w[i]
        s += w[i] if v > 0.65 else 3.0 * w[i]
        s += w[i] if v > 0.75 else 4.0 * w[i]
    return s + y[0]


def made_double(x: Vec, y: Singles) -> float:
    """The single, not the double that is made of it."""
    s, t = 1.0, y[0]
    for i in range(len(x)):
        t = np.sin(t * y[i])
        s += float(t) * x[i]
    return s


def small_ints(x: Vec, idx: Int32[np.ndarray, "n"]) -> float:
    s, q = 1.0, idx.copy()
    for i in range(len(x)):
        k = q[i]
        q[i] = 0
        s += x[k] * x[i]
    return s


# ------------------------------------------------------------------------------------------------------------- tests


def plan_of(f, args, log_everything: bool = False, off: frozenset[str] = frozenset()) -> Plan:
    whole = Whole(f, args, off=off)
    return whole.derivative(whole.active(), True, log_everything).plan


CHOSEN = frozenset({"find_last_reduction"})  # without it the decisions themselves are logged


def logged(plan: Plan) -> dict[str, int]:
    """By type, the values that iterations log; arrays that are kept by them."""
    found = Counter(plan.variable(n, b).type.dtype for b in plan.bodies.values() for n in b.logs)
    found["kept"] = sum(len(b.expanded) + len(b.rows) for b in plan.bodies.values())
    return dict(+found)


LOGGED = {
    smallest: ((X,), {"bool": 1}),
    smallest_so_far: ((X,), {"bool": 1, "f64": 2}),
    shortest_ways: ((RNG.random((4, 4)),), {"bool": 1}),
    nearest_centres: ((X, RNG.random(3), 3), {"bool": 1, "f64": 1}),
    likeliest_path: ((RNG.random((3, 3)), RNG.random((3, 4))), {"bool": 1}),
    largest_of_singles: ((X.astype(np.float32),), {"bool": 1}),
    operands_are_needed: ((X,), {"f64": 2}),
    three_tests: ((X, Y), {"bool": 3}),
    nine_tests: ((X, Y), {"f64": 1}),
    made_double: ((X, Y.astype(np.float32)), {"f32": 1}),
    small_ints: ((X, np.array([3, 0, 2, 2, 1], np.int32)), {"i32": 1}),
}


@pytest.mark.parametrize("f", LOGGED, ids=lambda f: f.__name__)
def test_what_is_logged(f) -> None:
    args, words = LOGGED[f]
    assert logged(plan_of(f, args, off=CHOSEN)) == words
    Whole(f, args, single=f in (largest_of_singles, made_double)).holds(thorough=False)


@pytest.mark.parametrize("f", [smallest, shortest_ways, likeliest_path])
def test_that_is_less(f) -> None:
    args, _ = LOGGED[f]
    found = memory(plan_of(f, args, off=CHOSEN))
    assert 8 * found <= memory(plan_of(f, args, off=CHOSEN | {"comparison_naming"}))


@pytest.mark.parametrize(("f", "words"), [(smallest, {}), (largest_of_singles, {}), (likeliest_path, {"i64": 1})])
def test_of_a_choice_the_iteration_is_logged(f, words) -> None:
    args, _ = LOGGED[f]
    assert logged(plan_of(f, args)) == words


@pytest.mark.parametrize("f", [smallest, smallest_so_far], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [TIES, TIES[::-1].copy(), np.zeros(4), np.array([0.0, -0.0, 0.0]), np.ones(1)])
def test_ties_give_the_first(f, x) -> None:
    Whole(f, (x,)).holds()


@pytest.mark.parametrize("x", [[np.nan, 1.0, 0.5], [1.0, np.nan, 0.5], [1.0, 0.5, np.nan], [np.nan, np.nan]])
def test_nan(x) -> None:
    """What comes out is what came out before: of nan and a number the first."""
    x = np.array(x)
    whole = Whole(smallest, (x,))
    (a, b) = (whole.gradient(whole.derivative(whole.active(), True, everything).simplified, whole.active(), True) for everything in (False, True))
    np.testing.assert_array_equal(a[0].results[0], smallest(x))
    np.testing.assert_array_equal(b[0].results[0], smallest(x))
    np.testing.assert_array_equal(a[1]["x"], b[1]["x"])


UNCHANGED = {
    operands_are_needed: ((X,), "max"),
    cells_can_be_read_again: ((X, Y), "min"),
    cells_are_there_and_others_are_logged: ((X, Y), "min"),
    of_ints: ((X,), "min"),
    by_numpy: ((X,), "minimum"),
}


@pytest.mark.parametrize("f", UNCHANGED, ids=lambda f: f.__name__)
def test_that_stays_as_it_is(f) -> None:
    args, op = UNCHANGED[f]
    whole = Whole(f, args)
    found = whole.derivative(whole.active(), True).linear
    assert [s.op for s in walk(found.main.body) if isinstance(s, Let)].count(op) == 1
    whole.holds(thorough=False)


def test_without_logs_nothing_is_tried(monkeypatch) -> None:
    monkeypatch.setattr(pipeline, "ALTERNATIVES", ((None, 0),))
    assert not logged(plan_of(cells_can_be_read_again, (X, Y)))


def test_the_derivative_that_logs_everything_logs_the_operands(monkeypatch) -> None:
    monkeypatch.setattr(pipeline, "ALTERNATIVES", ((None, 0),))
    assert "bool" not in logged(plan_of(smallest, (X,), log_everything=True))
