"""A partial times an exact zero is zero, in both modes and for every row of the table; and nothing else changes."""

import itertools
import math

import linad
import numpy as np
import pytest
from linad import linear_grad
from linad.derivatives.rule import exact_zeros
from linad.derivatives.table import RULES, Point
from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import Const, Names, Var
from linad_typecheck.ops import OPS
from linad_typecheck.types import F64

from tests.derivatives.test_table import DIFFERENTIABLE, LETTERS, OUT, POINTS, atoms, value

INF, NAN = math.inf, math.nan
ODD = (0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 1e308)
ROWS = [(op, k) for op in DIFFERENTIABLE if op.name in RULES for k in op.diff if RULES[op.name].slopes[k] is not None]


def number(op: str, ins: tuple) -> float:
    """The value of an operation; nan where Python's functions raise instead."""
    try:
        return value(op, ins)
    except (ValueError, OverflowError):
        return NAN


def applied(op: str, ins: tuple, k: int, seed: float) -> float:
    """What the row of operand ``k`` gives for a seed, where zeros are exact."""
    b = Builder(Names(("seed", "o", *LETTERS)))
    with exact_zeros():
        out = RULES[op].apply(k, Point(b, tuple(atoms(op, ins)), OUT), Var("seed", F64))
    with np.errstate(all="ignore"):
        known: dict[str, object] = {"o": number(op, ins), "seed": np.float64(seed), **dict(zip(LETTERS, ins, strict=False))}
        get = lambda a: a.value if isinstance(a, Const) else known[a.name]
        for s in b.stmts:
            known[s.out.name] = number(s.op, tuple(map(get, s.ins)))
        return float(get(out))


@pytest.mark.parametrize(("op", "k"), ROWS, ids=lambda x: getattr(x, "name", x))
def test_a_zero_seed_gives_zero_whatever_the_operands_are(op, k):
    literals = {ins[1] for ins in POINTS[op.name]} if op.name in ("powi", "polygamma", "bessel_i", "bessel_ie", "bessel_j", "sinc") else ()
    second = literals or ODD
    tried = [(x,) for x in ODD] if op.arity == 1 else itertools.product(ODD, second)
    if op.name == "select":
        tried = ((c, x, y) for c in (True, False) for x in ODD for y in ODD)
    for ins in tried:
        assert applied(op.name, ins, k, 0.0) == 0.0, ins


@pytest.mark.parametrize(("op", "k"), ROWS, ids=lambda x: getattr(x, "name", x))
def test_elsewhere_the_row_gives_what_it_gave(op, k):
    for ins in POINTS[op.name]:
        b = Builder(Names(("seed", "o", *LETTERS)))
        out = RULES[op.name].slopes[k](Point(b, tuple(atoms(op.name, ins)), OUT), Var("seed", F64))
        with np.errstate(all="ignore"):
            known: dict[str, object] = {"o": value(op.name, ins), "seed": np.float64(0.7), **dict(zip(LETTERS, ins, strict=False))}
            get = lambda a, known=known: a.value if isinstance(a, Const) else known[a.name]
            for s in b.stmts:
                known[s.out.name] = value(s.op, tuple(map(get, s.ins)))
            assert applied(op.name, ins, k, 0.7) == pytest.approx(float(get(out)), rel=1e-15, nan_ok=True)


def limit(x, g, a=np.inf):
    return x + np.exp(-a / g)


@pytest.mark.parametrize("backend", ["interpret", "numba"])
def test_a_term_that_is_switched_off_by_infinity(backend):
    f = linear_grad(limit, backend=backend)
    assert f.grad(1.0, 2.0) == (1.0, 0.0, 0.0)
    assert f.value_and_grad(1.0, 2.0) == (1.0, (1.0, 0.0, 0.0))
    assert f.vjp(1.0, 2.0)[1](3.0) == (3.0, 0.0, 0.0)
    for direction in itertools.product((0.0, 1.0, -2.0), repeat=2):
        assert f.jvp((1.0, 2.0), direction) == (1.0, direction[0])
    assert linad.jacobian(f, (0, 1))(1.0, 2.0) == (1.0, 0.0)
    assert linad.hessian(f)(1.0, 2.0) == 0.0 and f.hvp((1.0, 2.0), (1.0, 1.0)) == (0.0, 0.0, 0.0)


def test_buffers_of_the_caller_hold_what_was_added():
    @linear_grad
    def f(x, w):
        return (x * x).sum() + np.exp(-w / (x * x)).sum()

    x, w = np.array([1.0, 2.0]), np.array([np.inf, 3.0])
    into = np.full(2, 5.0), np.full(2, 7.0)
    f.vjp_into(1.0, x, w, into=into)
    x_bar, w_bar = f.grad(x, w)
    assert np.isfinite(x_bar).all() and x_bar[0] == 2.0 and w_bar[0] == 0.0
    assert np.allclose(into[0], 5.0 + x_bar) and np.allclose(into[1], 7.0 + w_bar)


def test_in_updated_arrays_and_loops():
    def step(y, k):
        for i in range(len(y)):
            y[i] = y[i] + np.exp(-k / y[i])

    f = linear_grad(step, updates="y")
    y, k = np.array([1.0, 2.0]), np.inf
    (value, tangent) = f.jvp((y, k), (np.ones(2), 1.0))
    assert np.array_equal(value[0], y) and np.array_equal(tangent[0], np.ones(2)) and np.array_equal(y, [1.0, 2.0])
    value, pull = f.vjp(y, k)
    assert np.array_equal(pull((np.array([3.0, 4.0]),))[0], [3.0, 4.0]) and pull((np.array([3.0, 4.0]),))[1] == 0.0


def test_a_factor_that_is_zero_still_has_a_second_derivative():
    f = linear_grad(lambda x, a: (x - 1.0) ** 2 * x + np.exp(-a / x), backend="interpret")  # the adjoint of (x - 1)**2 is no zero
    assert linad.hessian(f)(1.0, np.inf) == 2.0
    g = linear_grad(lambda x, a: ((x - 1.0) * (x - 1.0)) ** 1 + np.exp(-a / x), backend="interpret")
    assert linad.hessian(g)(1.0, np.inf) == 2.0 and g.hvp((1.0, np.inf), (1.0, 0.0)) == (2.0, 0.0)


def test_what_is_nan_stays_nan():
    f = linear_grad(lambda x: np.log(x) * x, backend="interpret")
    assert math.isnan(f.grad(-1.0)) and math.isnan(f.jvp((-1.0,), (1.0,))[1])


def test_only_what_gives_a_nan_is_compiled_again():
    f = linear_grad(limit)
    f.grad(1.0, 2.0, 3.0)
    s = f.specialisation((1.0, 2.0, 3.0))
    assert len(s.kernels[()]) == 1
    f.grad(1.0, 2.0)
    assert len(s.kernels[()]) == 2


def truncated(x):
    """Roots of numbers truncated at zero: the slope is infinite where the tangent is zero."""
    total = 0.0
    for k in range(len(x)):
        total += x[k] * np.sqrt(max(x[k], 0.0)) + 0.0 * np.sqrt(x[0] * 0.0)
    return total


def test_a_derivative_that_is_nan_at_first_is_not_computed_twice_in_each_call(monkeypatch):
    """The kernel with exact zeros begins after a nan, and the plain one is tried again after some calls."""
    from linad.boundary.fast_call import MOST_TURNS, Turns
    from linad.boundary.kernel import Loaded

    f = linear_grad(truncated)
    x, v = np.array([-1.0, 0.5, 2.0]), np.array([1.0, 2.0, 3.0])
    wanted = [0.0, 1.5 * math.sqrt(0.5), 1.5 * math.sqrt(2.0)]
    runs = []
    call = Loaded.call
    monkeypatch.setattr(Loaded, "call", lambda self, *args: runs.append(self) or call(self, *args))
    hessian = linad.hessian(f)
    asked = {
        "gradient": lambda x: f.grad(x),
        "tangent": lambda x: f.jvp((x,), (v,))[1] / np.dot(wanted, v),
        "product": lambda x: f.hvp((x,), (v,)),
        "Hessian": lambda x: hessian(x) @ v,
    }
    curved = 0.75 * v / np.sqrt([np.inf, 0.5, 2.0])
    results = {"gradient": wanted, "tangent": 1.0, "product": curved, "Hessian": curved}
    for name, ask in asked.items():
        for _ in range(3):
            np.testing.assert_allclose(ask(x), results[name], rtol=1e-12)
        runs.clear()
        for _ in range(4 * MOST_TURNS):
            np.testing.assert_allclose(ask(x), results[name], rtol=1e-12)
        assert len(set(map(id, runs))) == 2 and len(runs) < 4 * MOST_TURNS + 10, name
    assert [type(f._fast[k]) for k in ("gradient", ("jvp", (True,)), ("hvp", (True,)))] == [Turns] * 3
    usual = linear_grad(lambda x: np.sum(np.sqrt(np.maximum(x, 0.0)) * x))  # never nan where no number is truncated
    for z in (np.abs(x), x, *[np.abs(x)] * 4):
        np.testing.assert_allclose(usual.jvp((z,), (v,))[1], np.sum(1.5 * np.sqrt(np.maximum(z, 0.0)) * v), rtol=1e-12)
    runs.clear()
    usual.jvp((np.abs(x),), (v,))
    assert runs == [usual.specialisation((x,)).latest.kernels[((0,), "forward"),].build("hoisted")]
