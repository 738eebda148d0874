"""Derivatives taken inside functions know the sizes that their callers know."""

import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck.ir.core import AddTo, Check, Load, Program, Store, walk

import linad
from linad.call_sizes import with_sizes_of_calls
from linad.interpret import run
from linad.pipeline import differentiate, prepare
from tests.cost.programs import core_of

X = np.linspace(0.2, 1.4, 12).reshape(4, 3)
Plate = Float64[np.ndarray, "n m"]


def two_fields(u0: Plate, v0: Plate, steps: int) -> float:
    n, m = u0.shape
    u, v = u0.copy(), v0.copy()
    un, vn = np.empty_like(u), np.empty_like(v)
    for _ in range(steps):
        for i in range(n):
            for j in range(m):
                r = u[i, j] * v[(i + 1) % n, j]
                un[i, j] = u[i, j] + 0.1 * r
                vn[i, j] = v[i, j] * v[i, (j + 1) % m] - 0.1 * r
        u, un = un, u
        v, vn = vn, v
    return np.sum(v * v)


def gradient_inside(u0: Plate, v0: Plate, steps: int):
    return linad.grad(two_fields, (0, 1))(u0, v0, steps)


def called_twice(x: Float64[np.ndarray, "n"], y: Float64[np.ndarray, "n"], z: np.ndarray):
    return np.sum(linad.grad(product)(x, y)) + np.sum(linad.grad(product)(x, z[:3]))


def product(a, b):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * b[i] ** 2
    return s


def checked_accesses(program: Program) -> int:
    return sum(s.checked for s in walk(program.main.body) if isinstance(s, Load | Store | AddTo))


def test_a_gradient_inside_a_function_logs_what_the_gradient_logs():
    program, values = core_of(two_fields, X, 2.0 * X, 3)
    alone = differentiate(program, ("u0", "v0"), False).simplified
    inside, given = core_of(gradient_inside, X, 2.0 * X, 3)
    words = run(alone, [*values, 1.0, np.zeros_like(X), np.zeros_like(X)]).log_words
    assert run(inside, given).log_words == words == 2 * X.size * 3
    assert checked_accesses(inside) == checked_accesses(alone)


def test_nothing_is_left_of_what_was_stated_again():
    told = [s.message for s in walk(core_of(gradient_inside, X, X, 2)[0].main.body) if isinstance(s, Check)]
    assert sum("as `u0` says" in message for message in told) == 2
    assert not any("differ" in message for message in told)


def test_only_what_holds_at_every_call_is_stated():
    x = np.array([0.5, 1.0, 2.0])
    f = linad.linear_grad(called_twice, backend="interpret")
    assert f(x, 2.0 * x, np.ones(5)) == np.sum(4.0 * x**2) + 3.0
    with pytest.raises(IndexError):
        f(np.ones(4), np.ones(4), np.ones(5))
