"""Rows of one array in an inner loop: vector instructions run although the rows of other iterations overlap them, and rows that
are surely there are not asked for."""

import math
import time
from collections.abc import Callable

import numpy as np
import pytest
from jaxtyping import Float64, Int64
from linad_typecheck.ir.core import RETRY, Block, Check, Loop, walk

from linad import linear_grad
from linad.codegen.passes import RESHAPING
from linad.codegen.vector_math import choice
from linad.interpret import CoreError, run
from linad.optimise.pass_manager import Phase
from linad.optimise.pass_manager import run as run_passes
from tests.properties.roads import Whole, emitted


@linear_grad
def rows(a: Float64[np.ndarray, "n 2 m"], steps: int) -> float:
    b = a.copy()
    for _ in range(steps):
        for k in range(len(b)):
            for j in range(b.shape[2]):
                b[k, 1, j] = np.tanh(b[k, 0, j]) + 0.5 * b[k, 1, j]
    return b[0, 1, 0]


@linear_grad
def apart(a: Float64[np.ndarray, "n m"], c: Float64[np.ndarray, "n m"], steps: int) -> float:
    b, e = a.copy(), c.copy()
    for _ in range(steps):
        for k in range(len(b)):
            for j in range(b.shape[1]):
                e[k, j] = np.tanh(b[k, j]) + 0.5 * e[k, j]
    return e[0, 0]


@pytest.mark.timing
@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
def test_two_rows_of_one_array_take_the_time_of_two_arrays():
    x = np.random.default_rng(0).random((4, 2, 48))
    first, second = x[:, 0].copy(), x[:, 1].copy()
    assert rows(x, 40) == pytest.approx(apart(first, second, 40), rel=1e-12)

    def best(call):
        times = []
        for _ in range(40):
            started = time.perf_counter()
            call()
            times.append(time.perf_counter() - started)
        return min(times)

    assert best(lambda: rows(x, 400)) < 2.0 * best(lambda: apart(first, second, 400))


def distances(p: Float64[np.ndarray, "n 3"], q: Float64[np.ndarray, "n 3"], beyond: int) -> float:
    s = 0.0
    for i in range(len(p) + beyond):
        for j in range(i + 1, len(p)):
            d = p[i] - q[j]
            s += d @ d
    return s


def all_distances(p: Float64[np.ndarray, "n 3"], q: Float64[np.ndarray, "n 3"], beyond: int) -> float:
    s = 0.0
    for i in range(len(p) + beyond):
        for j in range(len(q)):
            d = p[i] - q[j]
            s += d @ d
    return s


def inner(row: Float64[np.ndarray, "m"], h: Float64[np.ndarray, "m"]) -> float:
    s = 0.0
    for j in range(len(h)):
        s += row[j] * h[j]
    return s


def layer(p: Float64[np.ndarray, "n m"], h: Float64[np.ndarray, "m"]) -> float:
    s = 0.0
    for i in range(p.shape[0]):
        s += math.tanh(inner(p[i], h))
    return s


def test_rows_that_are_there_are_not_asked_for():
    """Up to the last row by proof; a loop that may go further is asked in its iterations."""
    args = np.ones((3, 3)), np.zeros((3, 3))

    def checks(whole: Whole) -> int:
        body = emitted(whole.prepared).main.body
        return sum(isinstance(t, Check) for s in walk(body) if isinstance(s, Loop) for t in s.body.stmts)

    assert checks(Whole(all_distances, (*args, 0))) == 1  # of p: the length of `beyond` is unknown
    assert checks(Whole(distances, (*args, 0))) == 0  # there is a j between i and the last row
    assert checks(Whole(layer, (args[0], np.ones(3)))) == 0  # nor in front of an inner loop
    within = Whole(rows_within, args)
    assert checks(within) == 0
    assert within.run(emitted(within.prepared))[0] == distances(*args, 0)


def two_matrices(p: Float64[np.ndarray, "n m"], q: Float64[np.ndarray, "k l"]) -> float:
    s = 0.0
    for i in range(len(p)):
        for j in range(p.shape[1]):
            s += p[i, j] * q[i, j]
    return s


@pytest.mark.parametrize("p", [(2, 3), (3, 3), (3, 2), (4, 3), (3, 4), (0, 4), (5, 0), (2, 0)])
def test_rows_of_another_matrix_are_tested_before_both_loops(p: tuple[int, int]) -> None:
    args = np.ones(p), np.arange(9.0).reshape(3, 3)
    assert not any(isinstance(t, Check) for s in walk(hoisted(two_matrices, *args)) if isinstance(s, Loop) for t in walk(s.body))
    outcomes = []
    for f in (two_matrices, checked_two_matrices):
        try:
            outcomes.append(f(*args))
        except IndexError:
            outcomes.append(IndexError)
    assert outcomes[0] == outcomes[1]


def rows_within(p: Float64[np.ndarray, "n 3"], q: Float64[np.ndarray, "n 3"]) -> float:
    s = 0.0
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            d = p[i] - q[j]
            s += d @ d
    return s


def looked_up(table: Float64[np.ndarray, "m"], x: Float64[np.ndarray, "n"], by: int) -> Float64[np.ndarray, "n"]:
    y = np.empty(len(x))
    for i in range(len(x)):
        k = int(x[i])
        y[i] = table[k] * x[i] + table[k + by]
    return y


def looked_up_at(table: Float64[np.ndarray, "m"], at: Int64[np.ndarray, "n"], by: int) -> Float64[np.ndarray, "n"]:
    y = np.empty(len(at))
    for i in range(len(at)):
        k = at[i] * 2
        y[i] = table[k] + table[k + by]
    return y


def apart_from_one(a: Float64[np.ndarray, "n m"], x: Float64[np.ndarray, "k"], w: Float64[np.ndarray, "l"]) -> float:
    s = 0.0
    for i in range(len(a)):
        for j in range(len(x)):
            if i != j:
                s += a[i, j] * x[j]
            if x[j] > 0.5:
                s += w[j]
    return s


@pytest.mark.parametrize("x", [0.5, 3.9, 4.0, -1.5, -6.0, -7.0, 5.0, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("by", [1, -1])
def test_computed_indices_are_tested_before_the_loop(x: float, by: int) -> None:
    """Also indices from the end, those out of bounds, and what is no int."""
    args = np.arange(6.0), np.array([0.0, 2.5, x, 1.0]), by
    outcomes = []
    for f in (looked_up, checked_looked_up):
        try:
            outcomes.append(f(*args).tolist())
        except (IndexError, ValueError, OverflowError) as error:
            outcomes.append(type(error))
    assert outcomes[0] == outcomes[1]


checked_looked_up = linear_grad(looked_up)


def hoisted(f: Callable, *args: object) -> Block:
    """The body of a function with its tests before the loops."""
    return run_passes(Whole(f, args).prepared, Phase(RESHAPING), ("retry", "noalias"))[0].main.body


def test_the_tests_of_computed_indices_leave_the_loop() -> None:
    body = hoisted(looked_up_at, np.arange(6.0), np.ones(4, dtype=np.int64), 1)
    before, after = (s for s in walk(body) if isinstance(s, Loop))
    assert len(before.carried) == 1 and not any(isinstance(t, Check) for t in (*before.body.stmts, *after.body.stmts))


def test_accesses_under_conditions_that_guard_no_index_are_tested_before_the_loop() -> None:
    body = hoisted(apart_from_one, np.ones((3, 3)), np.array([1.0, 0.0, 2.0]), np.ones(3))
    inner = [s for s in walk(body) if isinstance(s, Loop) and not any(isinstance(t, Loop) for t in walk(s.body))]
    assert not any(isinstance(t, Check) for s in inner for t in walk(s.body))
    for a, x, w in (((3, 3), 3, 3), ((3, 2), 3, 3), ((4, 4), 2, 1), ((0, 2), 2, 2)):
        args = np.ones(a), np.linspace(0.0, 1.0, x), np.arange(1.0 * w)
        try:
            expected = apart_from_one(*args)
        except IndexError:
            with pytest.raises(IndexError):
                checked_apart(*args)
        else:
            assert checked_apart(*args) == expected


checked_apart = linear_grad(apart_from_one)


def looked_up_twice(at: Int64[np.ndarray, "n"], x: Float64[np.ndarray, "m"], by: int, n: int) -> float:
    s = 0.0
    for i in range(n):
        s += x[at[i * by]]
    return s


def looked_up_in_rows(at: Int64[np.ndarray, "n k"], x: Float64[np.ndarray, "m"], by: int, n: int) -> float:
    s = 0.0
    for i in range(1, n):
        j = i * by
        s += x[at[j, 0]] * x[at[j - 1, 1]]
    return s


def looked_up_again(at: Int64[np.ndarray, "n"], x: Float64[np.ndarray, "m"], by: int, n: int) -> float:
    s = 0.0
    for i in range(n):
        for _ in range(2):
            s += x[at[i] * by - 1]
    return s


@pytest.mark.parametrize("by", [1, 2, 4, 10**9, -(10**9)])
@pytest.mark.parametrize("f, at", [(looked_up_twice, (6,)), (looked_up_in_rows, (6, 2)), (looked_up_again, (6,))])
def test_no_index_is_loaded_before_it_is_known_to_be_there(f: Callable, at: tuple[int, ...], by: int) -> None:
    """The loop over the checks loads what the checks need: the checks of these indices come before it."""
    args = np.ones(at, dtype=np.int64), np.arange(3.0), by, 4
    program = run_passes(Whole(f, args).prepared, Phase(RESHAPING), ("retry", "noalias"))[0]
    try:
        expected = f(*args)
    except IndexError:
        with pytest.raises(CoreError) as raised:
            run(program, args)
        assert raised.value.kind == RETRY
        with pytest.raises(IndexError):
            linear_grad(f)(*args)
    else:
        assert run(program, args).results == (expected,) and linear_grad(f)(*args) == expected
checked_two_matrices = linear_grad(two_matrices)


def sliding(x: Float64[np.ndarray, "n"], k: int) -> float:
    total = 0.0
    for i in range(k, len(x) - k):
        s = 0.0
        for j in range(-k, k + 1):
            s += x[i + j] * (j + 2)
        total += s * s
    return total


def test_windows_whose_half_width_is_an_argument_are_in_bounds() -> None:
    """The check at entry, that the argument is not so large that `len(x) - k` overflows, is the only one."""
    f = linear_grad(sliding)
    x = np.random.default_rng(0).normal(size=9)
    body = run_passes(Whole(sliding, (x, 2)).prepared, Phase(RESHAPING), ("retry", "noalias"))[0].main.body
    assert sum(isinstance(s, Check) for s in body.stmts) == 1
    assert not any(isinstance(s, Check) for loop in body.stmts if isinstance(loop, Loop) for s in walk(loop.body))
    for k in (0, 2, 4, 5, 100, -1, 2**61, 2**63 - 1):
        assert f(x, k) == pytest.approx(sliding(x, k))
        assert np.all(np.isfinite(f.grad(x, k)))
