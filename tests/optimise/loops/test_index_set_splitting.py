"""Innermost loops that ask where they are become one for each answer; what asks for something else keeps them whole."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
from linad_typecheck.ir.core import If, Let, Loop, Program, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import CoreError, run
from linad.optimise.loops.index_set_splitting import split_loops
from tests import kit

RANGES = ("range(n)", "range(l, -1, -1)", "range(1, l)")
ENDS = (-(2**63), 2**63 - 1)
ASKED = {
    "less": "lt j k",
    "at most": "le j k",
    "more": "gt j k",
    "at least": "ge j k",
    "equal": "eq j k",
    "another": "ne j k",
    "the other way": "lt k j",
    "further on": "lt p k",
    "constant": "gt j 2",
}
TWO_TESTS = """    g = gt j 0
    h = lt j l
    t = and g h
    x = load! &a [j]
    s.2 = if t {
      y = add s.1 x
      yield y
    } else {
      &b![j] = s.1
      yield x
    }
"""
BRANCH = """    p = add j 2
    t = {}
    x = load! &a [j]
    s.2 = if t {{
      y = mul x 2.0
      &b![j] += y
      yield y
    }} else {{
      z = add s.1 x
      &b![j] = 7.0
      yield z
    }}
"""


def loop(index: str, body: str, result: str = "s.2") -> Program:
    return parse_program(
        f"""entry fn f(b: mut f64[:], a: f64[:], k: i64) -> f64 {{
  n = dim &b 0
  l = sub n 1
  for j in {index} carry (s.1: f64 = 0.5) -> (s.3) {{
{body}    yield {result}
  }}
  return s.3
}}
"""
    )


def agree(program: Program, other: Program, at: Iterable[int] = (*range(-3, 10), *ENDS)) -> None:
    kit.agree(program, other, ((*np.random.default_rng(n).random((2, n)), k) for n in range(1, 8) for k in at))


def straight(program: Program) -> bool:
    return not any(isinstance(s, If) for s in walk(program.main.body))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("asked", "index"), [*product(ASKED.values(), RANGES)])
def test_each_answer_has_a_loop(asked: str, index: str) -> None:
    program = loop(index, BRANCH.format(asked))
    found = program.with_main(split_loops(program.main))
    verify(found)
    assert straight(found)
    agree(program, found)


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("index", RANGES[:2])
def test_cells_that_go_round(index: str, step: int) -> None:
    body = f"    p = add j {step}\n    q = mod p n\n    x = load! &a [q]\n    s.2 = add s.1 x\n    &b![q] = s.2\n"
    program = loop(index, body)
    found = program.with_main(split_loops(program.main))
    verify(found)
    assert not any(isinstance(t, Let) and t.op in ("mod", "select") for t in walk(found.main.body))
    agree(program, found, at=range(1))


def test_two_tests_become_four_loops_at_most() -> None:
    program = loop("range(n)", TWO_TESTS)
    found = program.with_main(split_loops(program.main))
    assert straight(found) and sum(isinstance(s, Loop) for s in walk(found.main.body)) <= 4
    agree(program, found, at=range(1))


def test_a_remainder_in_an_outer_loop_is_no_division() -> None:
    program = parse_program(
        """entry fn f(b: mut f64[:,:], i: i64) -> i64 {
  n = dim &b 0
  m = dim &b 1
  for g in range(n) {
    h = add g 1
    for j in range(m) {
      p = mod h n
      x = load! &b [p, j]
      &b![g, j] += x
    }
  }
  return n
}
"""
    )
    found = program.with_main(split_loops(program.main))
    assert not any(isinstance(t, Let) and t.op == "mod" for t in walk(found.main.body))
    one, two = np.arange(12.0).reshape(4, 3), np.arange(12.0).reshape(4, 3)
    run(program, [one, 0], in_place=True)
    run(found, [two, 0], in_place=True)
    np.testing.assert_array_equal(two, one)


WHOLE = {
    "data decide": ("range(n)", BRANCH.format("lt j k") + "    u = lt x 0.5\n    if u {\n      &b![0] = 1.0\n    } else {\n    }\n"),
    "the number moves": ("range(n)", "    h = mul j 3\n" + BRANCH.format("lt j h")),
    "a stride": ("range(0, n, 2)", BRANCH.format("lt j k")),
    "a multiple of the index": ("range(n)", "    h = mul j 3\n" + BRANCH.format("lt h k")),
    "where the index ends": ("range(k)", BRANCH.format("le j k")),
    "several turns": ("range(n)", "    h = mul j 3\n    q = mod h n\n    x = load! &a [q]\n    s.2 = add s.1 x\n"),
    "floats are chosen": ("range(n)", "    t = lt j k\n    x = load! &a [j]\n    s.2 = select t x s.1\n"),
}


@pytest.mark.parametrize("why", WHOLE)
def test_loops_that_stay_whole(why: str) -> None:
    program = loop(*WHOLE[why])
    assert split_loops(program.main) == program.main


def test_what_a_check_says_does_not_hold_before_it() -> None:
    """That the remainder of 2 is within a turn follows from the check after it, which fails in arrays of one cell."""
    body = "    q = mod 2 n\n    x = load! &a [q]\n    c = gt n 2\n    check c else IndexError \"too short\" ()\n    s.2 = add s.1 x\n"
    program = loop("range(n)", body)
    found = program.with_main(split_loops(program.main))
    short = [np.ones(1), np.ones(1), 0]
    for p in (program, found):
        with pytest.raises(CoreError, match="too short"):
            run(p, short)
