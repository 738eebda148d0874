"""Combinators: what they compute, their gradients, and that the gradients are what one would write by hand."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Let, Loop, walk

import linad
from linad.interpret import run
from linad.pipeline import differentiate
from tests.properties.roads import Whole

X = np.array([2.0, -3.0, 0.5, 1.25])
Y = np.array([0.3, 1.7, -2.0, 0.9])


def build_(x, y):
    return linad.build(len(x) - 1, lambda i: x[i] * y[i + 1])


def sum_(x, y):
    return linad.sum(len(x), lambda i: x[i] ** 2 * y[i])


def map_(x, y):
    return linad.map(lambda a, b: a * b + a, x, y) + linad.map(np.sin, x)


def reduce_(x, y):
    return linad.reduce(lambda p, v: p * v, 1.0, x) + linad.reduce(operator.add, 0, y) + linad.reduce(max, -1e9, x)


def fold_(x, y):
    s, p = linad.fold(lambda state, a, b: (state[0] + a * b, state[1] * b), (0.0, 1.0), x, y)
    return s * p


def scans(x, y):
    return linad.scanl(lambda p, v: p * v, 1.0, x) * y + linad.scanr(lambda v, p: v + p, 0, y) * x


def shifts(x, y):
    return linad.shift1l(x) * y + linad.shift1r(y, 2.0) * x


def nested(x, y):
    return linad.sum(len(x), lambda i: linad.reduce(lambda p, v: p * v, y[i], x))


def products_of_the_others(x, y):
    before = linad.shift1r(linad.scanl(operator.mul, 1.0, x), 1.0)
    behind = linad.shift1l(linad.scanr(operator.mul, 1.0, x), 1.0)
    return before * behind + y


PROGRAMS = [build_, sum_, map_, reduce_, fold_, scans, shifts, nested, products_of_the_others]


def gradient(f, *args):
    """The simplified derivative program, and the gradients of the sum of the results by the arrays."""
    whole = Whole(f, args)
    made = differentiate(whole.prepared, whole.active())
    value, _ = whole.run(whole.prepared)
    seeds = [np.ones_like(v) if isinstance(v, np.ndarray) else 1.0 for v in (value if isinstance(value, tuple) else (value,))]
    buffers = [np.zeros_like(a) for a in args]
    out = run(made.simplified, [*(a.copy() for a in args), *seeds, *buffers])
    names = [p.var.name for p in made.simplified.main.params[-len(args) :]]
    return made.simplified, [out.params[n] for n in names], out


@pytest.mark.one_in(3)
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [4, 1])
def test_value_and_gradient(f, n):
    x, y = X[:n].copy(), Y[:n].copy()
    whole = Whole(f, (x, y))
    np.testing.assert_allclose(whole.run(whole.prepared)[0], f(x, y), rtol=1e-12)
    _, found, _ = gradient(f, x, y)
    for k, a in enumerate((x, y)):
        for i in range(n):
            step = np.zeros((2, n))
            step[k, i] = 1e-6
            far, near = np.sum(f(x + step[0], y + step[1])), np.sum(f(x - step[0], y - step[1]))
            assert found[k][i] == pytest.approx((far - near) / 2e-6, rel=2e-6, abs=2e-7)


def test_of_nothing():
    empty = np.zeros(0)
    assert linad.reduce(operator.mul, 1.0, empty) == 1.0
    for f in (sum_, reduce_, fold_):
        Whole(f, (empty, empty)).primal()


def ops(program) -> set[str]:
    return {s.op for s in walk(program.main.body) if isinstance(s, Let)}


def test_the_gradient_of_a_product_is_prefix_times_suffix_products():
    def product(x):
        return linad.reduce(lambda p, v: p * v, 1.0, x)

    program, (found,), _ = gradient(product, np.array([2.0, 0.0, 4.0]))
    np.testing.assert_array_equal(found, [0.0, 8.0, 0.0])
    assert "div" not in ops(program)
    loops = [s for s in walk(program.main.body) if isinstance(s, Loop)]
    assert len(loops) == 2  # one from the left that keeps the prefixes, one from the right
    steps = [gradient(product, np.linspace(1.0, 2.0, n))[2].counts for n in (10, 20, 30)]
    steps = [sum(s.values()) for s in steps]
    assert steps[2] - steps[1] == steps[1] - steps[0]


def test_the_gradient_of_a_sum_is_one_pass_without_arithmetic():
    def total(x):
        return linad.reduce(lambda s, v: s + v, 0.0, x)

    program, (found,), _ = gradient(total, X.copy())
    np.testing.assert_array_equal(found, np.ones(4))
    assert "mul" not in ops(program)
    assert sum(isinstance(s, Loop) for s in walk(program.main.body)) == 1
    assert not any(isinstance(s, Alloc) for s in walk(program.main.body))


def test_the_gradient_of_a_dot_product_is_the_other_vector():
    def dot(x, y):
        return linad.sum(len(x), lambda i: x[i] * y[i])

    program, (one, other), _ = gradient(dot, X.copy(), Y.copy())
    np.testing.assert_array_equal(one, Y)
    np.testing.assert_array_equal(other, X)
    assert sum(isinstance(s, Loop) for s in walk(program.main.body)) == 1
    assert not any(isinstance(s, Alloc) for s in walk(program.main.body))


def test_straight_lines_come_out_as_by_hand():
    def f(x1: float, x2: float) -> float:
        w1 = x1 * x2
        w2 = w1 * x1
        return w2

    whole = Whole(f, (2.0, 3.0))
    made = differentiate(whole.prepared, whole.active(), value=False)
    assert run(made.simplified, [2.0, 3.0, 1.0]).results == (12.0, 4.0)
    assert sum(isinstance(s, Let) for s in walk(made.simplified.main.body)) <= 6


REFUSED = {
    "a length that is a float": (lambda x, y: linad.build(2.5, lambda i: x[i]), "length is an int"),
    "a number to run over": (lambda x, y: linad.map(lambda a: a, 2.0), "runs over arrays"),
    "too few arguments": (lambda x, y: linad.reduce(lambda p, v: p, x), "takes 3 arguments"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    f, text = REFUSED[case]
    assert any(text in error for error in Whole(f, (X, Y)).errors)


def test_an_array_that_a_fold_updates_and_runs_over_is_refused():
    def scaled(a):
        a[:] = a * 3.0
        return a

    def f(x):
        a = x.copy()
        return linad.fold(lambda p, q: scaled(p) * q, a, a).sum()

    (told,) = Whole(f, (X,)).errors
    assert told.startswith("LIN101")
