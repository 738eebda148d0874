"""`linad.testing.check_grads` of second order: what is right passes, and a wrong rule is found and named."""

from dataclasses import replace

import numpy as np
import pytest

from linad import linear_grad
from linad.derivatives.table import RULES
from linad.testing import check_grads

X = np.array([0.5, 1.0, 2.0])


@linear_grad(backend="interpret")
def potential(x, w: float, n: int):
    u = x.copy()
    for i in range(1, len(u)):
        u[i] *= np.sin(w * u[i - 1])
    return np.sum(u**n)


@linear_grad(backend="interpret")
def of_structure(p):
    (a, n), b = p
    return np.sum(a**n) * b


def test_what_is_right_passes():
    check_grads(potential, (X, 1.5, 3), order=2)
    check_grads(of_structure, (((X, 3), 0.5),), order=2)
    check_grads(lambda x: np.sum(x**3), (X.astype(np.float32),), order=2, modes=("fwd",))


@pytest.mark.parametrize("mode, told", [("rev", "reverse over reverse"), ("fwd", "forward over reverse")])
def test_a_wrong_second_derivative_is_named(mode, told, monkeypatch):
    """The derivative of sine is right, that of cosine is not: only the second derivative is wrong."""
    monkeypatch.setitem(RULES, "cos", replace(RULES["cos"], slopes=(lambda point, seed: seed,)))

    @linear_grad(backend="interpret", cache=False)
    def wave(x):
        return np.sum(np.sin(x))

    check_grads(wave, (X,), modes=(mode,))
    with pytest.raises(AssertionError, match=rf"by x\[\d\] is .*central differences give") as found:
        check_grads(wave, (X,), order=2, modes=(mode,))
    assert told in str(found.value)


def test_orders_there_are():
    with pytest.raises(ValueError, match="of order 1 or 2 are checked, not of order 3"):
        check_grads(potential, (X, 1.5, 3), order=3)
