"""`linad.show`, `linad.explain` and `linad.cost` of decorated functions."""

import numpy as np
import pytest

import linad
from linad import LinadError, linear_grad


@linear_grad(cache=False)
def loss(x, idx, w: float) -> float:
    total = 0.0
    for k in range(len(idx)):
        total += w * x[idx[k]] ** 2
    return total


def test_before_the_types_are_known():
    @linear_grad(cache=False)
    def f(x) -> float:
        return x[0] * 2.0

    with pytest.raises(LinadError, match="the type of `x` is not known before a first call"):
        linad.show(f)


def test_after_a_call():
    x, idx = np.ones(4), np.array([1, 2])
    loss(x, idx, 2.0)
    table = linad.show(loss)
    (row,) = [r for r in table.rows if "total +=" in r.primal]
    assert any("x_bar[" in t for t in row.adjoint)
    assert "sum, merged" in str(linad.explain(loss))
    assert "def loss_vjp" in str(linad.show(loss, stage="numba"))
    found = linad.cost(loss, x, idx, 2.0)
    assert found.log_words == 0 and found.primal < found.gradient <= found.bound
    assert found.ratio == found.gradient / found.primal
    np.testing.assert_array_equal(x, np.ones(4))


def test_of_a_function_that_the_cache_knows():
    def double(x: float) -> float:
        return 2.0 * x

    for _ in range(2):
        assert "x_bar" in str(linad.show(linear_grad(double)))


def test_both_ways_of_import():
    import linad.cost
    import linad.show.table

    loss(np.ones(4), np.array([1, 2]), 2.0)
    assert str(linad.show(loss)) and linad.cost(loss, np.ones(4), np.array([1]), 2.0).primal
