"""`linad.testing`: a right gradient passes, a wrong one is told with its place and both numbers."""

import numpy as np
import pytest
from hypothesis import given
from linad.testing import check_grads, float_arrays, index_arrays


class Fake:
    """What `check_grads` needs of a checked function, with a gradient that is off in one place."""

    def __init__(self, error=0.0, slip=0.0):
        self.error, self.slip = error, slip

    def __call__(self, x: np.ndarray, k: int, w: float) -> float:
        return float(w * np.sum(x**3) + k)

    def py_func(self, x: np.ndarray, k: int, w: float) -> float: ...

    def value_and_grad(self, x, k, w):
        gradient = 3 * w * x**2
        gradient[1] += self.error
        return self(x, k, w), (gradient, float(np.sum(x**3)))

    def jvp(self, primals, tangents):
        value, (x_bar, w_bar) = self.value_and_grad(*primals)
        return value, float(x_bar @ tangents[0] + w_bar * tangents[2]) + self.slip


ARGS = (np.array([0.5, -1.0, 2.0]), 3, 0.7)


def test_a_right_gradient_passes():
    check_grads(Fake(), ARGS)


def test_a_wrong_gradient_is_told_with_its_place():
    with pytest.raises(AssertionError, match=r"by x\[1\] is 2\.(2|19).*, central differences give 2\.(1|09)"):
        check_grads(Fake(0.1), ARGS)


def test_a_wrong_tangent_is_told():
    with pytest.raises(AssertionError, match="forward mode gives"):
        check_grads(Fake(slip=0.1), ARGS)
    check_grads(Fake(slip=0.1), ARGS, modes=("rev",))


def test_what_cannot_be_checked_is_refused():
    with pytest.raises(ValueError, match="order: expected 1"):
        check_grads(Fake(), ARGS, order=0)
    with pytest.raises(ValueError, match="'backwards'"):
        check_grads(Fake(), ARGS, modes=("backwards",))


@given(float_arrays((2, 3)), index_arrays(4, 3))
def test_strategies(a, idx):
    assert a.shape == (2, 3) and np.all(np.isfinite(a)) and not np.any((a != 0) & (np.abs(a) < 1e-3))
    assert idx.shape == (4,) and np.all((-3 <= idx) & (idx < 3))
