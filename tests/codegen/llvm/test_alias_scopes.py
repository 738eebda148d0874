"""Alias scopes: buffers that change names between loops share no memory within one."""

import ast

import numpy as np
import pytest

from linad.codegen import compile
from linad.codegen.llvm.alias_scopes import accessed

STEPS = '''
from linad.codegen.compile import driver, kernel


@kernel(fastmath=True, noalias={noalias})
def steps_kernel(u, v, n):
    for t in range(n):
        for i in range(1, u.shape[0] - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
        u, v = v, u
    return u[1]


@driver("(float64[::1], float64[::1], int64)", fastmath=True, cache=False)
def steps(u, v, n):
    return steps_kernel(u, v, n)
'''


def steps(u: np.ndarray, n: int) -> float:
    v = u.copy()
    for _ in range(n):
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, v = v, u
    return u[1]


@pytest.mark.parametrize("noalias", [True, False])
def test_buffers_that_are_swapped(noalias: bool) -> None:
    f = compile.load("steps", STEPS.format(noalias=noalias)).steps
    u = np.sin(np.arange(50.0))
    for n in range(4):
        assert f(u.copy(), u.copy(), n) == pytest.approx(steps(u, n), rel=1e-13)
    (text,) = f.inspect_llvm().values()
    assert ("!alias.scope" in text) == noalias


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("u[i] = v[i] + w[i, j]", ({"u", "v", "w"}, {"u"})),
        ("u[i] += v[k[i]]", ({"u", "v", "k"}, {"u"})),
        ("if v[i] > 0.0:\n    u[i] = 1.0", ({"u", "v"}, {"u"})),
        ("u, v = v, u\nw[i] = u[i]", ({"w"}, {"w"})),
        ("log = grow(log, n)\nlog[i] = u[i]", ({"u"}, set())),
        ("for j in range(n):\n    u[j] = 0.0", None),
        ("while u[i] > 0.0:\n    u[i] -= 1.0", None),
    ],
)
def test_arrays_of_a_loop(body: str, found: object) -> None:
    assert accessed(ast.parse(body).body) == found
