"""The build that tests each access: it changes nothing of right code, and finds what would leave an array."""

import numpy as np
import pytest

from linad import linear_grad
from linad.codegen.bounds_checks import Checker
from linad.optimise.environment import GUARD

X, IDX = np.arange(6.0), np.array([0, 1, 2, 3, 4, 5])


def gathered(x, idx):
    y, s = np.zeros(len(x)), 0.0
    for i in range(1, len(x) - 1):
        y[i] += x[i - 1] * x[i + 1]
        s += y[idx[i]] * x[i]
    return s


def test_right_code_does_what_it_did(monkeypatch):
    monkeypatch.setenv(GUARD, "1")
    f = linear_grad(gathered)
    assert f(X, IDX) == gathered(X, IDX)
    assert f.grad(X, IDX).tolist() == [2.0, 6.0, 15.0, 30.0, 21.0, 12.0]
    with pytest.raises(IndexError, match="index 6 "):
        f(X, IDX + 5)


def test_an_access_outside_is_an_internal_error(monkeypatch):
    monkeypatch.setenv(GUARD, "1")
    monkeypatch.setattr(Checker, "in_range", lambda *args: False)  # as if all had been proved
    f = linear_grad(gathered, cache=False)
    for call in (f, f.grad):
        with pytest.raises(RuntimeError, match=r"internal error \[LIN901\]: index 10 of an axis of 6 of `t`.*y\[idx\[i\]\] at"):
            call(X, np.array([0, 10, 2, 3, 4, 5]))
