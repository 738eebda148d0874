"""Loops whose tests change near the ends of their ranges become three; the one between asks nothing."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import If, Let, Loop, Program, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.loop_peeling import peel_loops

from tests import kit

from .test_index_set_splitting import BRANCH, TWO_TESTS, agree, loop

RANGES = ("range(n)", "range(l, -1, -1)", "range(1, l)")
TESTS = ("gt j 0", "ne j 0", "eq j 1", "lt p l", "ne j l", "le p l", "ge j 2", "lt j l", "eq p n")


def middle(program: Program) -> list[Loop]:
    """The loops that ask nothing."""
    found = [s for s in walk(program.main.body) if isinstance(s, Loop)]
    return [s for s in found if not any(isinstance(t, If) or isinstance(t, Let) and t.op in ("select", "mod") for t in walk(s.body))]


@pytest.mark.parametrize("index", RANGES)
@pytest.mark.parametrize("asked", TESTS)
def test_the_loop_between_asks_nothing(asked: str, index: str) -> None:
    program = loop(index, BRANCH.format(asked))
    found = program.with_main(peel_loops(program.main))
    assert not verify(found)
    assert middle(found)
    agree(program, found, at=range(1))


def test_two_tests_become_three_loops() -> None:
    program = loop("range(n)", TWO_TESTS)
    found = program.with_main(peel_loops(program.main))
    assert sum(isinstance(s, Loop) for s in walk(found.main.body)) == 3 and len(middle(found)) == 1
    agree(program, found, at=range(1))


def test_cells_that_go_round_in_both_directions() -> None:
    body = "    p = add j 1\n    q = mod p n\n    d = sub j 1\n    e = mod d n\n    x = load! &a [q]\n    y = load! &a [e]\n"
    program = loop("range(n)", body + "    z = sub x y\n    s.2 = add s.1 z\n    &b![j] = s.2\n")
    found = program.with_main(peel_loops(program.main))
    assert len(middle(found)) == 1
    agree(program, found, at=range(1))


@pytest.mark.parametrize("far", (2, 3))
@pytest.mark.parametrize("index", RANGES)
def test_cells_that_go_round_from_further_away(index: str, far: int) -> None:
    """Of a ring of fewer cells than that, the peeled iterations keep the remainder."""
    body = f"    p = add j {far}\n    q = mod p n\n    d = sub j {far}\n    e = mod d n\n    x = load! &a [q]\n"
    program = loop(index, body + "    y = load! &a [e]\n    z = sub x y\n    s.2 = add s.1 z\n    &b![j] = s.2\n")
    found = program.with_main(peel_loops(program.main))
    assert not verify(found)
    assert len(middle(found)) == 1
    agree(program, found, at=range(1))


@pytest.mark.parametrize("index", RANGES[:2])
def test_neighbours_kept_inside_by_min_and_max(index: str) -> None:
    body = "    p = add j 1\n    q = min p l\n    d = sub j 1\n    e = max 0 d\n    x = load! &a [q]\n"
    program = loop(index, body + "    y = load! &a [e]\n    z = sub x y\n    s.2 = add s.1 z\n    &b![j] = s.2\n")
    found = program.with_main(peel_loops(program.main))
    assert not verify(found)
    inside = [s for s in middle(found) if not any(isinstance(t, Let) and t.op in ("min", "max") for t in walk(s.body))]
    assert len(inside) == 1
    agree(program, found, at=range(1))


def test_extremes_elsewhere_in_the_range_stay() -> None:
    body = "    q = min j k\n    e = max q 0\n    x = load! &a [e]\n    s.2 = add s.1 x\n"
    program = loop("range(n)", body)
    assert peel_loops(program.main) == program.main
    agree(program, program)


ROWS = """entry fn f(b: mut f64[:,:], a: f64[:,:]) -> i64 {
  n = dim &b 0
  m = dim &b 1
  l = sub n 1
  for g in range(n) {
    h = sub g 1
    p = max h 0
    i = add g 1
    q = min i l
    for j in range(m) {
      x = load! &a [g, j]
      &b![p, j] += x
      &b![q, j] += x
    }
  }
  return n
}
"""


def test_rows_of_additions_that_are_kept_inside() -> None:
    program = parse_program(ROWS)
    found = program.with_main(peel_loops(program.main))
    assert not verify(found)
    outer = [s for s in found.main.body.stmts if isinstance(s, Loop)]
    assert len(outer) == 3
    assert not any(isinstance(t, Let) and t.op in ("min", "max", "select") for t in walk(outer[1].body))
    rng = np.random.default_rng(0)
    kit.agree(program, found, ((rng.random((n, 3)), rng.random((n, 3))) for n in range(6)))


OUTER = """entry fn f(b: mut f64[:,:]) -> i64 {
  n = dim &b 0
  m = dim &b 1
  for g in range(n) {
    h = sub g 1
    t = gt g 0
    for j in range(m) {
      x = load! &b [g, j]
      y = if t {
        z = load! &b [h, j]
        u = add x z
        yield u
      } else {
        yield x
      }
      &b![g, j] = y
    }
  }
  return n
}
"""


def test_a_branch_of_an_inner_loop_peels_the_one_around() -> None:
    program = parse_program(OUTER)
    found = program.with_main(peel_loops(program.main))
    assert not verify(found)
    assert middle(found)
    for n in range(5):
        one = np.random.default_rng(n).random((n, 3))
        two = one.copy()
        run(program, [one], in_place=True)
        run(found, [two], in_place=True)
        np.testing.assert_array_equal(two, one)


def test_numbers_in_the_middle_are_left_to_index_set_splitting() -> None:
    program = loop("range(n)", BRANCH.format("lt j k"))
    assert peel_loops(program.main) == program.main


def test_what_is_peeled_is_not_peeled_again() -> None:
    program = loop("range(n)", BRANCH.format("gt j 0"))
    once = peel_loops(program.main)
    assert peel_loops(once) == once
