"""Rows of logs begin with cache lines, and hold what they held."""

from __future__ import annotations

import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck.ir.core import Alloc, Block, Function, Let, Var
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad import linear_grad
from linad.codegen.allocation_hoisting import lift
from linad.interpret import run
from linad.optimise.memory.log_alignment import begin_with_lines

SIZES = parse_program("entry fn f(n: i64, q: i64) -> i64 {\n  m = max n 0\n  a = alloc f64 [q, m] log cells\n  k = dim &a 1\n  return k\n}\n")


def test_long_rows_are_whole_lines_and_short_ones_as_long_as_they_were() -> None:
    after = SIZES.with_main(begin_with_lines(SIZES.main))
    assert not verify(after)
    for n in (0, 1, 7, 8, 63, 64, 65, 70, 71, 72, 73, 100, 127, 128, 129, 1000):
        (k,) = run(after, [n, 2]).results
        assert k >= n and (k == n or k == -(-n // 8) * 8)
        assert k == n or n > 64
        assert k % 8 == 0 or n < 71


@pytest.mark.parametrize("n", [-1, -(2**63), 2**63 - 1, 2**63 - 8, 2**62])
def test_rows_that_there_is_no_memory_for_stay_so(n: int) -> None:
    """The driver finds out by the size, which must not become a small one."""
    text = SIZES.main
    sizes = Function("sizes", text.params, Block(tuple(s for s in begin_with_lines(text).body.stmts if isinstance(s, Let)), (_wide(text),)))
    (size,) = run(SIZES.with_main(sizes), [n, 1]).results
    assert size >= max(n, 0)


def _wide(f: Function) -> Var:
    (made,) = (s for s in begin_with_lines(f).body.stmts if isinstance(s, Alloc))
    return made.shape[-1]


@pytest.mark.parametrize("what", ["[q, m] log cells", "[q, q, m] log slices"])
def test_the_driver_makes_them(what: str) -> None:
    f = parse_program(f"entry fn f(n: i64, p: i64) -> f64 {{\n  q = max p 0\n  m = max n 0\n  a = alloc f64 {what}\n  return 0.0\n}}\n").main
    assert len(lift(f, False).arrays) == len(lift(begin_with_lines(f), False).arrays) == 1


@pytest.mark.parametrize("what", ["f64 [q, m]", "f64 [m] log cells", "i64 [q, m] log cells", "bool [q, m] log cells", "f64 [q, 3] log cells"])
def test_others_stay_as_they_are(what: str) -> None:
    f = parse_program(f"entry fn f(n: i64, q: i64) -> f64 {{\n  m = max n 0\n  a = alloc {what}\n  return 0.0\n}}\n").main
    assert begin_with_lines(f) == f


def step(u0: Float64[np.ndarray, "n"], k: Float64[np.ndarray, "n"], steps: int) -> float:
    u = u0.copy()
    for _ in range(steps):
        old = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = old[i] + k[i] * old[i] * (old[i - 1] - 2.0 * old[i] + old[i + 1])
    return np.sum(u * u)


def test_gradients_are_the_same() -> None:
    rng = np.random.default_rng(5)
    fast, slow = linear_grad(step), linear_grad(step, fastmath=False)
    for n in (3, 64, 67, 75):
        args = (rng.random(n), 0.1 * rng.random(n), 4)
        for x, y in zip(fast.grad(*args), slow.grad(*args), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12)
