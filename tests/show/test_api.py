"""`linad.show`, `linad.explain` and `linad.cost` of decorated functions."""

import numpy as np
import pytest
from jaxtyping import Float64

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
    gradient, jacobian = linad.grad(loss), linad.jacfwd(loss)
    jacobian(x, idx, 2.0)
    assert str(linad.show(gradient)) == str(table) and "for" in str(linad.show(jacobian, stage="numba"))


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


def _halved(v: Float64[np.ndarray, "n"], n: int) -> None:
    if n == 0:
        return
    for i in range(n):
        v[i] *= v[i]
    _halved(v, n // 2)


def test_recursive_calls_stand_in_the_table_and_their_lines_are_told():
    def powers(x: Float64[np.ndarray, "n"]) -> float:
        v = x.copy()
        _halved(v, len(v))
        return v[0]

    (row,) = (r for r in linad.show(powers).rows if "_halved(v" in r.primal)
    assert any("_halved_rev" in text and "v_bar" in text for text in row.adjoint), row
    assert any("_halved_fwd" in text for text in row.adjoint), row
    told = str(linad.explain(powers))
    assert "        v[i] *= v[i]\n" in told and "_halved(v, n // 2)\n" in told
