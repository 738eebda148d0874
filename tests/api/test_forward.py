"""Directional derivatives: forward mode agrees with reverse mode, and treats arguments alike."""

import numpy as np
import pytest
from jaxtyping import Float64, Int64

import linad
from linad import linear_grad

pytestmark = pytest.mark.interpreted

Vec = Float64[np.ndarray, "n"]


@linear_grad
def waves(x: Vec, w: float, idx: Int64[np.ndarray, "k"]) -> float:
    v = x.copy()
    for i in range(1, len(v)):
        v[i] = np.sin(v[i - 1] * w) + v[i]
    total = 0.0
    for k in range(len(idx)):
        total += v[idx[k]] ** 2
    return total


@linear_grad(updates=("y",))
def axpy(a: float, x: Vec, y: Vec) -> Vec:
    for i in range(len(y)):
        y[i] += a * x[i] * y[i]
    return x.copy()


def test_a_tangent_is_the_gradient_times_the_direction():
    rng = np.random.default_rng(0)
    x, dx, idx = rng.random(5), rng.standard_normal(5), np.array([0, 4, 4, -2])
    value, tangent = waves.jvp((x, 0.7, idx), (dx, 0.3, None))
    expected, (x_bar, w_bar) = waves.value_and_grad(x, 0.7, idx)
    assert value == expected
    assert tangent == pytest.approx(x_bar @ dx + w_bar * 0.3, rel=1e-13)


def test_arguments_that_are_left_out_have_no_tangents():
    def scaled(x: float, by: float = 3.0, *, k: int = 2) -> float:
        return by * x**k

    f = linear_grad(scaled, backend="interpret")
    assert f.jvp((2.0,), (1.0,)) == linad.jvp(f, (2.0,), (1.0,)) == f.jvp((2.0,), (1.0, None, None)) == (12.0, 12.0)
    assert linad.jvp(linad.grad(f), (2.0,), (1.0,)) == (12.0, 6.0)
    assert linad.jvp(f, (2.0, 5.0), (1.0, 0.0)) == (20.0, 20.0)


def test_no_direction_is_zero():
    _, tangent = waves.jvp((np.ones(3), 0.7, np.array([0])), (None, None, None))
    assert tangent == 0.0
    _, tangent = waves.jvp((np.ones(3), 0.7, np.array([2])), (None, 1.0, None))
    assert tangent == pytest.approx(waves.grad(np.ones(3), 0.7, np.array([2]))[1])


def test_updated_arrays_have_final_tangents_and_are_not_touched():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    (returned, final), (returned_dot, final_dot) = axpy.jvp((0.5, x, y), (1.0, None, np.array([1.0, 0.0])))
    assert y.tolist() == [3.0, 4.0]
    assert final.tolist() == [4.5, 8.0] and returned.tolist() == [1.0, 2.0]
    assert final_dot.tolist() == [3.0 * 1.0 + 1.5, 8.0] and returned_dot.tolist() == [0.0, 0.0]


def test_recursion():
    @linear_grad
    def power(x: float, n: int) -> float:
        if n == 0:
            return 1.0
        return x * power(x, n - 1)

    assert power.jvp((2.0, 5), (1.0, None)) == (32.0, 80.0)
    assert linad.jvp(power, (2.0, 0), (1.0, None)) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("tangents", "error", "what"),
    [
        ((np.ones(3),), TypeError, "tuple of 3 tangents"),
        ((np.ones(4), 1.0, None), ValueError, "shape"),
        ((1.0, 1.0, None), TypeError, "tangent of `x`"),
    ],
)
def test_wrong_tangents_are_named(tangents, error, what):
    with pytest.raises(error, match=what):
        waves.jvp((np.ones(3), 0.7, np.array([0])), tangents)


def test_tangents_of_ints_are_refused():
    x = np.ones(3)
    with pytest.raises(TypeError, match="tangent of `idx`: expected None, as it has no float part, got a float64 array"):
        waves.jvp((x, 1.0, np.array([0, 1])), (x, 1.0, np.ones(2)))
    with pytest.raises(TypeError, match="expected a tuple of 3 tangents, got 2"):
        waves.jvp((x, 1.0, np.array([0, 1])), (x, 1.0))
    with pytest.raises(ValueError, match=r"tangent of `x`: expected shape \(3,\), that of the argument, got \(4,\)"):
        waves.jvp((x, 1.0, np.array([0, 1])), (np.ones(4), 1.0, None))
