"""Sizes of arrays that a loop carries are no reason for a log: what is copied, swapped or made anew keeps its size."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, walk

from linad import cost, linear_grad
from linad.pipeline import differentiate, prepare
from linad.specialise import checked_or_error


def swapped(u0, k, steps: int):
    n = len(u0)
    u, after = u0.copy(), u0.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            after[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u, after = after, u
    return u[n // 2]


def anew(p, steps: int):
    n = len(p)
    a = p.copy()
    for _ in range(steps):
        b = np.zeros(n)
        for i in range(n):
            b[i] += 0.5 * a[n - 1 - i]
        a = b
    return a[0]


def shrinking(p, steps: int):
    a = p.copy()
    for _ in range(steps):
        b = np.zeros(len(a) - 1)
        for i in range(len(b)):
            b[i] = a[i] * a[i + 1]
        a = b
    return a[0]


P = np.random.default_rng(1).random(6)


def logs(f, *args) -> list[Alloc]:
    s = linear_grad(f).specialisation(args)
    ready = prepare(checked_or_error(s.record, s.binding, s.options).program)
    derivative = differentiate(ready, (ready.main.params[0].var.name,)).simplified
    return [s for s in walk(derivative.main.body) if isinstance(s, Alloc) and s.log != "no"]


@pytest.mark.parametrize(("f", "args"), [(swapped, (P, 0.1, 4)), (anew, (P, 4))], ids=["swapped", "anew"])
def test_sizes_that_stay_are_not_logged(f, args) -> None:
    assert all(s.out.type.dtype == "f64" for s in logs(f, *args))
    if f is anew:
        assert cost(linear_grad(f), *args).log_words == 0


def test_sizes_that_change_are_logged() -> None:
    assert any(s.out.type.dtype == "i64" for s in logs(shrinking, P, 3))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("f", "rest"), [(swapped, (0.1, 5)), (anew, (3,)), (anew, (0,)), (shrinking, (3,)), (shrinking, (0,))]
)
def test_gradients(f, rest) -> None:
    gradient = linear_grad(f).vjp(P, *rest)[1](1.0)[0]
    for i in range(len(P)):
        step = np.zeros_like(P)
        step[i] = 1e-6
        assert gradient[i] == pytest.approx((f(P + step, *rest) - f(P - step, *rest)) / 2e-6, abs=1e-8)
