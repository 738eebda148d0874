"""When a program may demand the other build with something of its caller's already written: then that must be put back."""

from dataclasses import replace

import numpy as np
import pytest
from jaxtyping import Float64, Int64

from linad_typecheck.core import Block, Check, Const, Copy, Function, Let, Loop, Param, Program, Store, Var
from linad_typecheck.types import BOOL, F64, I64, Array

from linad import linear_grad
from linad.emit import EmitOptions, emit
from linad.emit.retries import retries_after_writes
from linad.emit.sites import RETRY

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


def demands(f, *args):
    program = f.specialisation(args).program()
    generated = emit(program, EmitOptions(checked="hoisted"))
    assert "return 1" in generated.source or "return (1," in generated.source, "nothing is demanded: the case shows nothing"
    return generated.again


@pytest.mark.parametrize(
    ("f", "args", "late"),
    [
        (gathered, (X, IX), False),
        (asked_first, (V, IX), False),
        (written_first, (V, X, IX), True),
        (written_in_the_round_before, (V, X, IX), True),
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
    for f, expected in ((written_first, [1.0, 0, 0, 0]), (written_in_an_arm, [1.0, 0, 0, 0]), (written_in_the_round_before, [0.0, 0, 0, 0])):
        v[:] = 0.0
        with pytest.raises(IndexError):
            f(v, x, ix)
        assert v.tolist() == expected
