"""Tests that stay the same are made in front of innermost loops."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import If, Loop, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.loop_unswitching import unswitch

PROGRAM = """entry fn f(x: mut f64[:], n: i64, k: i64, l: i64) -> f64 {{
  first = eq k 0
  second = lt l 1
  for i in range({head}) carry (s: f64 = 0.0) -> (e) {{
    a = load &x [i]
    d = if {test} {{
      b = mul a 2.0
      &x![i] = b
      yield b
    }} else {{
      c = add a 1.0
      yield c
    }}
    if second {{
      &x![i] += d
    }}
    t = add s d
    yield t
  }}
  return e
}}
"""


def outcome(program, *args) -> tuple[float, np.ndarray]:
    x = np.random.default_rng(2).random(5)
    (value,) = run(program, [x, *args], in_place=True).results
    return value, x


@pytest.mark.parametrize("head", ["n", "4, -1, -1"])
def test_one_loop_for_each_answer(head: str) -> None:
    before = parse_program(PROGRAM.format(head=head, test="first"))
    after = before.with_main(unswitch(before.main))
    assert not verify(after)
    loops = [s for s in walk(after.main.body) if isinstance(s, Loop)]
    assert len(loops) == 4 and not any(isinstance(t, If) for s in loops for t in walk(s.body))
    for args in ((5, 0, 0), (5, 1, 0), (5, 0, 1), (5, 1, 1), (0, 0, 0)):
        (value, x), (again, y) = outcome(before, *args), outcome(after, *args)
        assert value == again and np.array_equal(x, y)


def test_what_an_iteration_finds_out_stays() -> None:
    text = PROGRAM.format(head="n", test="own").replace("    d = if own", "    own = lt a 0.5\n    d = if own")
    before = parse_program(text.replace("if second", "if own"))
    assert unswitch(before.main) == before.main
