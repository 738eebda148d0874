"""One LU factorisation serves `solve`, `slogdet`, `det` and `inv` of one matrix, and its gradient; not of one that has changed."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Dense, walk

from linad.pipeline import differentiate

from ..arrays.near import gradient, parts
from ..prelude import HEADER
from ..properties.roads import Whole
from ..kit import load

R = np.random.default_rng(2)
S = R.normal(size=(3, 3)) + 3 * np.eye(3)
B = R.normal(size=3)


def _factorised(program) -> int:
    return sum(isinstance(s, Dense) and s.op == "lu" for f in program.functions.values() for s in walk(f.body))


PROGRAMS = {
    "a normal density": (1, "return -0.5 * b @ np.linalg.solve(s, b) - 0.5 * np.linalg.slogdet(s)[1]"),
    "all four": (1, "return np.linalg.inv(s) @ b * np.linalg.det(s) + np.linalg.solve(s, b) * np.linalg.slogdet(s)[0]"),
    "by helpers": (1, "def quadratic(m, v):\n    return v @ np.linalg.solve(m, v)\ndef volume(m):\n    return np.linalg.slogdet(m)[1]\nreturn quadratic(s, b) + volume(s)"),
    "in each iteration": (1, "t = 0.0\nfor k in range(3):\n    m = s * (k + 1.0)\n    t += b @ np.linalg.solve(m, b) + np.linalg.det(m)\nreturn t"),
    "before and in a branch": (1, "x = np.linalg.solve(s, b)\nif b[0] > -9.0:\n    x = x * np.linalg.det(s)\nreturn x"),
    "changed between": (2, "m = s.copy()\nx = np.linalg.solve(m, b)\nm[0, 0] += b[1]\nreturn x + np.linalg.det(m)"),
    "changed in a loop": (2, "m = s.copy()\nx = np.linalg.solve(m, b)\nfor k in range(2):\n    x = x + np.linalg.solve(m, b) * k\n    m[0, 0] += b[1]\nreturn x"),
    "changed in a branch": (2, "m = s.copy()\nx = np.linalg.solve(m, b)\nif b[0] > -9.0:\n    m[1] *= 2.0\nreturn x * np.linalg.det(m)"),
    "two matrices": (2, "return np.linalg.solve(s, b) + np.linalg.solve(s.T, b)"),
    "in one arm only": (2, "x = b * 1.0\nif b[0] > -9.0:\n    x = np.linalg.solve(s, b)\nreturn x * np.linalg.det(s)"),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_counts_values_and_gradients(name):
    count, body = PROGRAMS[name]
    f = load(HEADER + "\n\ndef f(s, b):\n" + "".join(f"    {line}\n" for line in body.splitlines()))
    whole = Whole(f, (S, B))
    assert not whole.errors, whole.errors
    assert _factorised(whole.prepared) == count
    for a, b in zip(parts(f(S.copy(), B.copy())), parts(whole.run(whole.prepared)[0]), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-11)
    gradient(whole, f, (S, B), name)
    assert _factorised(differentiate(whole.prepared, whole.active()).simplified) <= count
