"""When a program may demand the other build with something of its caller's already written: then that must be put back."""

from dataclasses import replace

import numpy as np
import pytest
from jaxtyping import Float64, Int64
from linad_typecheck.ir.core import RETRY, Block, Check, Const, Copy, Function, Let, Loop, Param, Program, Store, Var
from linad_typecheck.types import BOOL, F64, I64, Array

from linad import linear_grad
from linad.codegen import EmitOptions, emit
from linad.codegen.restart_safety import retries_after_writes

Vec = Float64[np.ndarray, "n"]
Ints = Int64[np.ndarray, "m"]


@linear_grad
def gathered(x: Vec, ix: Ints) -> float:
    s = 0.0
    for k in range(len(ix)):
        s += np.sin(x[ix[k]]) * x[ix[k]]
    return s


@linear_grad(updates="v")
def asked_first(v: Vec, ix: Ints) -> None:
    s = 0.0
    for k in range(len(ix)):
        s += v[ix[k]]
    v[0] = s


@linear_grad(updates="v")
def written_first(v: Vec, x: Vec, ix: Ints) -> None:
    v[0] = 1.0
    s = 0.0
    for k in range(len(ix)):
        s += x[ix[k]]
    v[1] = s


@linear_grad(updates="v")
def written_in_the_round_before(v: Vec, x: Vec, ix: Ints) -> None:
    for t in range(3):
        s = 0.0
        for k in range(t, len(ix)):
            s += x[ix[k]]
        v[t] = s


@linear_grad(updates="v")
def ended_early(v: Vec, x: Vec, ix: Ints) -> None:
    for t in range(3):
        if x[t] < 0.0:
            break
        s = 0.0
        for k in range(t, len(ix)):
            s += x[ix[k]]
        v[t] = s


@linear_grad(updates="v")
def written_in_an_arm(v: Vec, x: Vec, ix: Ints) -> None:
    if x[0] > 0.0:
        v[0] = 1.0
    s = 0.0
    for k in range(len(ix)):
        s += x[ix[k]]
    v[1] = s


@linear_grad
def written_are_copies(x: Vec, ix: Ints) -> float:
    u = x.copy()
    w = np.zeros(len(x))
    for t in range(3):
        s = 0.0
        for k in range(len(ix)):
            s += u[ix[k]] * t
        w[0] = s
        u, w = w, u
    return u[0]


def another_name():
    """A loop in which the caller's array goes by other names: an array and a copy change places."""
    i, t, u, first, second = (Var(n, I64) if n in "it" else Var(n, Array("f64", 1)) for n in ("i", "t", "u", "a", "b"))
    v, ok = Var("v", Array("f64", 1)), Var("ok", BOOL)
    body = Block(
        (
            Let(ok, "lt", (i, Const(5, I64))),
            Check(ok, RETRY, "", ()),
            Store(first, (Const(0, I64),), Const(1.0, F64), False),
        ),
        (second, first),
    )
    loop = Loop(i, Const(0, I64), t, Const(1, I64), (first, second), (u, v), body, (Var("c", u.type), Var("d", u.type)))
    return Program("f", {"f": Function("f", (Param(v, "mut"), Param(t, "own")), Block((Copy(u, v), loop)))})


def test_the_callers_array_by_another_name():
    program = another_name()
    assert retries_after_writes(program)
    main = program.main
    copy, loop = main.body.stmts
    u = copy.out
    apart = replace(loop, inits=(u, Var("w", u.type)))
    body = Block((copy, Copy(Var("w", u.type), u), apart))
    assert not retries_after_writes(Program("f", {"f": replace(main, body=body)}))


V, X, IX = np.zeros(4), np.ones(4), np.array([0, 1, 3])


def demands(f, *args, request=()):
    program = f.specialisation(args).program(request)
    generated = emit(program, EmitOptions(checked="hoisted"))
    assert "return 1" in generated.source or "return (1," in generated.source, "nothing is demanded: the case shows nothing"
    return generated.again


@pytest.mark.parametrize(
    ("f", "args", "late"),
    [
        (gathered, (X, IX), False),
        (asked_first, (V, IX), False),
        (written_first, (V, X, IX), True),
        (written_in_the_round_before, (V, X, IX), False),  # asked for all rounds before the first
        (ended_early, (V, X, IX), True),
        (written_in_an_arm, (V, X, IX), True),
        (written_are_copies, (X, IX), False),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_a_demand_is_late_where_something_was_written(f, args, late):
    assert demands(f, *args) == late


def test_buffers_are_as_they_were_when_an_index_is_wrong():
    """With nothing written before the demand, the loops of the vectorised build add straight into the caller's buffers."""
    x, bar = np.array([0.5, 1.0, 1.5]), np.array([7.0, 8.0, 9.0])
    good, bad = np.array([0, 2, 2]), np.array([0, 2, 3])
    for _ in range(2):
        with pytest.raises(IndexError, match="index 3 is out of bounds"):
            gathered.vjp_into(1.0, x, bad, into=bar.copy())
    value = gathered.vjp_into(1.0, x, good, into=bar)
    expected = np.zeros(3)
    np.add.at(expected, good, np.cos(x[good]) * x[good] + np.sin(x[good]))
    np.testing.assert_allclose(bar, [7.0, 8.0, 9.0] + expected, rtol=1e-14)
    np.testing.assert_allclose(value, np.sum(np.sin(x[good]) * x[good]), rtol=1e-14)


def test_what_was_written_is_put_back():
    v, x = np.zeros(4), np.ones(4)
    ix = np.array([0, 1, 9])
    nothing = [0.0, 0, 0, 0]
    cases = ((written_first, [1.0, 0, 0, 0]), (written_in_an_arm, [1.0, 0, 0, 0]), (written_in_the_round_before, nothing), (ended_early, nothing))
    for f, expected in cases:
        v[:] = 0.0
        with pytest.raises(IndexError):
            f(v, x, ix)
        assert v.tolist() == expected


@linear_grad(wrt=("a", "x"))
def rows(a: Vec, x: Float64[np.ndarray, "k"], ix: Int64[np.ndarray, "n"], ends: Ints) -> float:
    s = 0.0
    for t in range(2):
        for i in range(len(ends) - 1):
            y = 0.0
            for k in range(ends[i], ends[i + 1]):
                y += a[k] * x[ix[k]]
            s += y * y * (t + 1.0)
    return s


@linear_grad(wrt="x")
def rows_of_rows(x: Vec, outer: Ints, first: Int64[np.ndarray, "k"], last: Int64[np.ndarray, "k"]) -> float:
    s = 0.0
    for i in range(len(outer) - 1):
        for k in range(outer[i], outer[i + 1]):
            y = 0.0
            for m in range(first[k], last[k]):
                y += x[m]
            s += y * y
    return s


def gradient_by_numpy(a, x, ix, ends):
    da, dx = np.zeros(len(a)), np.zeros(len(x))
    for low, high in zip(ends[:-1], ends[1:]):
        k = np.arange(low, high)
        y = 6.0 * np.sum(a[k] * x[ix[k]])
        np.add.at(da, k, y * x[ix[k]])
        np.add.at(dx, ix[k], y * a[k])
    return da, dx


@pytest.mark.one_in(2)
@pytest.mark.parametrize("ends", [[0, 2, 2, 5, 6], [4, 1, 6], [3], [-4, -1, 2], [0, 0, -2, 1]])
def test_rows_are_asked_for_before_the_first_is_added(ends):
    rng = np.random.default_rng(2)
    args = (rng.random(6), rng.random(4), np.array([0, 3, -4, 1, 1, 2]), np.array(ends))
    assert not demands(rows, *args, request=(((0, 1), True),))
    bars = np.ones(6), np.ones(4)
    assert rows.vjp_into(1.0, *args, into=bars) == pytest.approx(rows.py_func(*args), rel=1e-13)
    for bar, expected in zip(bars, gradient_by_numpy(*args), strict=True):
        np.testing.assert_allclose(bar, 1.0 + expected, rtol=1e-13)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("ends", [[0, 2, 7], [2, 10**14], [-(10**14), 2], [-8, 3]])
def test_rows_that_are_not_there_are_an_error(ends):
    args = (np.ones(6), np.ones(4), np.zeros(6, np.int64), np.array(ends))
    with pytest.raises(IndexError):
        rows.vjp_into(1.0, *args, into=(np.zeros(6), np.zeros(4)))
    ends = np.array(ends)
    for outer, first, last in ((np.array([0, len(ends) - 1]), ends[:-1], ends[1:]), (ends, np.zeros(6, np.int64), np.full(6, 6))):
        with pytest.raises(IndexError):  # in the second case, no row of rows is looked at that is not there
            rows_of_rows.vjp_into(1.0, np.ones(6), outer, first, last, into=np.zeros(6))


@linear_grad(wrt=("x", "packed"))
def triangle(x: Vec, packed: Float64[np.ndarray, "p"]) -> float:
    n = len(x)
    s = 0.0
    for t in range(2):
        for a in range(n):
            column = a * (2 * n - a - 1) // 2 - a - 1
            for b in range(a + 1, n):
                s += packed[column + b] * x[a] * x[b]
    return s


def test_tests_of_a_triangle_move_over_what_was_added_before() -> None:
    """Nothing is put back or tested cell by cell, and a triangle that is too short is an error at its cell."""
    x, packed = np.arange(1.0, 5.0), np.arange(6.0)
    assert not demands(triangle, x, packed, request=(((0, 1), True),))
    bars = np.ones(4), np.ones(6)
    assert triangle.vjp_into(1.0, x, packed, into=bars) == triangle.py_func(x, packed)
    rows, columns = np.triu_indices(4, 1)
    np.testing.assert_array_equal(bars[1], 1.0 + 2.0 * x[rows] * x[columns])
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        triangle.vjp_into(1.0, x, packed[:5], into=(np.ones(4), np.ones(5)))


def test_rows_of_rows():
    args = (np.arange(1.0, 7.0), np.array([0, 2, 2, 3]), np.array([0, 2, 3]), np.array([2, 3, 6]))
    assert not demands(rows_of_rows, *args, request=(((0,), True),))
    bar = np.zeros(6)
    assert rows_of_rows.vjp_into(1.0, *args, into=bar) == 9.0 + 9.0 + 225.0
    np.testing.assert_array_equal(bar, [6.0, 6.0, 6.0, 30.0, 30.0, 30.0])
