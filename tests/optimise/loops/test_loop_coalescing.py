"""Loops over blocks of a range become loops over the range; sums in blocks stay."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Loop, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad import cost, linear_grad
from linad.interpret import run
from linad.optimise.loops.loop_coalescing import coalesce_loops

UP = """
entry fn f(x: read f64[:], b: mut f64[:]) -> f64 {
  n = dim &b 0
  for low in range(@) carry (s: f64 = 2.0) -> (r) {
    end = add low 4
    high = min end n
    for i in range(low, high) carry (t: f64 = s) -> (q) {
      e = load! &x [i]
      &b![i] += e
      t.1 = add t e
      yield t.1
    }
    yield q
  }
  return r
}
"""
DOWN = UP.replace("range(low, high)", "range(last, below, -1)").replace(
    "    for i", "    last = sub high 1\n    below = sub low 1\n    for i"
).replace("  for low", "  trips = trips 0 n 4\n  k = sub trips 1\n  begin = mul k 4\n  for low").replace("@", "begin, -4, -4")
UP = UP.replace("@", "0, n, 4")
STAYING = {
    "a sum of its own": UP.replace("(t: f64 = s)", "(t: f64 = 0.0)"),
    "blocks that overlap": UP.replace("range(0, n, 4)", "range(0, n, 2)"),
    "another end": UP.replace("dim &b 0", "dim &b 0\n  m = sub n 1").replace("min end n", "min end m"),
    "the block is used": UP.replace("&b![i] += e", "&b![low] += e"),
    "another statement": UP.replace("    yield q", "    &b![low] += q\n    yield q"),
    "another beginning": DOWN.replace("sub trips 1", "sub trips 2"),
}


@pytest.mark.parametrize("text", [UP, DOWN], ids=["up", "down"])
def test_blocks(text: str) -> None:
    program = parse_program(text)
    made = program.with_main(coalesce_loops(program.main))
    assert not verify(program) and not verify(made)
    assert sum(isinstance(s, Loop) for s in walk(made.main.body)) == 1
    for n in (0, 1, 3, 4, 5, 11):
        found = []
        for p in (program, made):
            b = np.zeros(n)
            found.append((run(p, [np.arange(n) / 2, b], in_place=True).results, b.tolist()))
        assert found[0] == found[1]


@pytest.mark.parametrize("text", STAYING.values(), ids=STAYING)
def test_blocks_that_stay(text: str) -> None:
    program = parse_program(text)
    assert not verify(program) and coalesce_loops(program.main) == program.main


def beam(a, w) -> float:
    power = 0.0
    for t in range(len(a)):
        power += np.sum(w * a[t]) ** 2
    return power


def test_the_reverse_of_a_long_sum_is_one_loop() -> None:
    args = np.arange(6.0).reshape(2, 3), np.array([1.0, 0.5, 2.0])
    with_it, without = (cost(linear_grad(beam, passes={"loop_coalescing": on}), *args).gradient for on in (True, False))
    assert with_it < without
    found = linear_grad(beam).grad(*args)
    np.testing.assert_allclose(found[1], 2.0 * args[0].T @ (args[0] @ args[1]))
