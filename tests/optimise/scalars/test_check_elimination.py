"""The ends of slices, which are cut to their array, are found where inequalities prove them."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Block, Let, Program, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad import cost, linear_grad
from linad.optimise.scalars.check_elimination import settle_extremes
from linad.optimise.scalars.dead_code_elimination import eliminate_dead_code
from tests import kit

PROGRAM = """entry fn f(a: f64[:], k: i64) -> i64 {{
  n = dim &a 0
  m = sub n 7
  for i in {index} carry (s: i64 = 0) -> (s.2) {{
    j = add i {more}
    p = {op} j {other}
    q = mul s 3
    s.1 = add q p
    yield s.1
  }}
  return s.2
}}
"""


@pytest.mark.parametrize(
    ("index", "more", "op", "other", "found"),
    [
        ("range(0, m, 8)", 8, "min", "n", True),
        ("range(0, m, 8)", 9, "min", "n", False),
        ("range(0, m)", 7, "min", "n", True),
        ("range(n)", 1, "min", "n", True),
        ("range(n)", 2, "min", "n", False),
        ("range(n)", 0, "max", "0", True),
        ("range(n)", -1, "max", "0", False),
        ("range(1, n)", -1, "max", "0", True),
        ("range(k, n)", 0, "max", "k", True),
        ("range(n)", 0, "max", "k", False),
    ],
)
def test_the_extreme_that_inequalities_prove(index: str, more: int, op: str, other: str, found: bool) -> None:
    program = parse_program(PROGRAM.format(index=index, more=more, op=op, other=other))
    made = program.with_main(settle_extremes(program.main))
    assert not verify(made)
    assert found is not any(isinstance(s, Let) and s.op == op for s in walk(_used(made)))
    kit.agree(program, made, ((np.zeros(n), k) for n in range(12) for k in (-3, 0, 2)))


def _used(program: Program) -> Block:
    return eliminate_dead_code(program.main).body


def blocks(x: np.ndarray, w: np.ndarray) -> float:
    total = 0.0
    for b in range(0, len(x) - 3, 4):
        part = x[b : b + 4]
        total += np.sum(np.sin(w @ part))
    return total


def test_slices_that_fit_have_a_known_size() -> None:
    f = linear_grad(blocks)
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=18), rng.normal(size=(4, 4))
    value, (dx, dw) = f.value_and_grad(x, w)
    parts = x[:16].reshape(4, 4)
    inner = np.cos(parts @ w.T)
    np.testing.assert_allclose(value, blocks(x, w))
    np.testing.assert_allclose(dw, inner.T @ parts)
    np.testing.assert_allclose(dx, np.append((inner @ w).ravel(), [0.0, 0.0]))
    assert cost(f, x, w).ratio < 3.0
