"""Which operand is the smaller one is a value of its own, and it is that of the program as it was: with ties, nan, and zeros of both signs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from linad_typecheck.ir.core import Let, Program, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.scalars.comparison_naming import compare_first
from linad.pipeline import differentiate

SEVERAL = (-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf, np.nan)


def choosing(op: str, kind: str = "f64") -> Program:
    return parse_program(f"entry fn f(a: {kind}, b: {kind}) -> {kind} {{\n  r = {op} a b\n  return r\n}}\n")


def compared(program: Program) -> Program:
    after = program.with_main(compare_first(program.main))
    assert not verify(after)
    return after


def ops(program: Program) -> list[str]:
    return [s.op for s in walk(program.main.body) if isinstance(s, Let)]


def same(a, b) -> None:
    """As numbers, as nan, and by sign and type."""
    for x, y in zip(a, b, strict=True):
        assert type(x) is type(y)
        np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(np.signbit(x), np.signbit(y))


@pytest.mark.parametrize("kind", ["f64", "f32"])
@pytest.mark.parametrize("op", ["min", "max"])
def test_values_and_gradients_are_the_same(op: str, kind: str) -> None:
    before = choosing(op, kind)
    after = compared(before)
    assert ops(after) == [{"min": "lt", "max": "gt"}[op], "select"]
    first, then = (differentiate(p, ("a", "b"), True, log_everything=True).simplified for p in (before, after))
    number = {"f64": np.float64, "f32": np.float32}[kind]
    for a, b in product(map(number, SEVERAL), repeat=2):
        same(run(after, [a, b]), run(before, [a, b]))
        same(run(after, [a, b]), [number({"min": min, "max": max}[op](a, b))])
        same(run(then, [a, b, number(3.0)]), run(first, [a, b, number(3.0)]))


@pytest.mark.parametrize(
    "text",
    [
        "entry fn f(a: i64, b: i64) -> i64 {\n  r = min a b\n  return r\n}\n",
        "entry fn f(a: f64, b: f64) -> f64 {\n  r = minimum a b\n  return r\n}\n",
        "entry fn f(a: f64, b: f64) -> f64 {\n  r = add a b\n  return r\n}\n",
    ],
    ids=["ints", "NumPy's, of which nan is the smallest", "a sum"],
)
def test_there_is_nothing_to_compare(text: str) -> None:
    f = parse_program(text).main
    assert compare_first(f) is f


def test_in_branches_and_loops() -> None:
    before = parse_program(
        """entry fn f(x: f64[:], q: i64) -> f64 {
  n = dim &x 0
  c = lt q 2
  s = for i in range(n) carry (m: f64 = 1.0) -> (r) {
    e = load! &x [i]
    p = if c {
      t = min m e
      yield t
    } else {
      u = max e m
      yield u
    }
    yield p
  }
  return r
}
""".replace("  s = for", "  for")
    )
    after = compared(before)
    assert not {"min", "max"} & set(ops(after))
    for q, x in product((1, 3), np.random.default_rng(5).normal(size=(5, 4))):
        same(run(after, [x, q]), run(before, [x, q]))
