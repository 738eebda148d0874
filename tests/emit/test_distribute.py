"""Loops that add to neighbours are divided where sums commute; what an addition may see of others keeps them together."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.core import AddTo, Loop, walk
from linad_typecheck.core_text import parse_program
from linad_typecheck.core_verify import verify

from linad.emit.distribute import distribute
from linad.interpret import run

HEAD = "entry fn f(b: mut f64[:], a: mut f64[:], k: f64[:], n: i64) -> i64 {\n  m = sub n 2\n"
TAIL = "\n  }\n  return n\n}\n"

STENCIL = """
    e = load! &a [i]
    &a![i] = 0.0
    w = load! &k [i]
    t = mul e w
    j = add i 1
    h = add i 2
    &b![i] += t
    &b![h] += t
    &b![j] += e
"""


def parts(body: str, head: str = "  for i in range(m) {") -> tuple[int, object, object]:
    """How many loops a loop is made of, and the program before and after."""
    program = parse_program(HEAD + head + body + TAIL)
    divided = program.with_main(distribute(program.main))
    return sum(isinstance(s, Loop) for s in walk(divided.main.body)), program, divided


def contents(program, n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    arrays = [rng.random(max(n, 3)) for _ in range(3)]
    run(program, [*arrays, n], in_place=True)
    return arrays


def agree(program, divided, n: int = 12) -> None:
    for before, after in zip(contents(program, n), contents(divided, n), strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-13)


@pytest.mark.parametrize("head", ["  for i in range(m) {", "  top = sub n 3\n  for i in range(top, -1, -1) {"])
def test_neighbours_are_added_to_each_cell_at_once(head: str) -> None:
    count, program, divided = parts(STENCIL, head)
    assert count == 4  # two edges, the cells between, and what was not addition
    _, middle, *_ = (s for s in walk(divided.main.body) if isinstance(s, Loop))
    assert sum(isinstance(t, AddTo) for t in middle.body.stmts) == 1
    for n in range(2, 9):  # down to loops that are shorter than the stencil, or empty
        agree(program, divided, n)


def test_sizes_between_cells_are_loops_of_their_own() -> None:
    count, program, divided = parts("\n    e = load! &k [i]\n    h = add i q\n    &b![i] += e\n    &b![h] += e", "  q = sub n n\n  for i in range(m) {")
    assert count == 2
    agree(program, divided)


def test_a_step_of_two_is_no_row_of_neighbours() -> None:
    body = "\n    e = load! &k [i]\n    h = add i 1\n    &b![i] += e\n    &b![h] += e"
    count, program, divided = parts(body, "  for i in range(0, m, 2) {")
    assert count == 2
    agree(program, divided)


def test_two_rows_are_not_one() -> None:
    """Cells of another row, and of another array, are not gathered with these."""
    program = parse_program(
        """
entry fn f(b: mut f64[:,:], c: mut f64[:], n: i64) -> i64 {
  m = sub n 1
  for i in range(m) {
    e = load! &c [i]
    j = add i 1
    &b![0, i] += e
    &b![1, j] += e
    &b![1, i] += e
  }
  return n
}
"""
    )
    divided = program.with_main(distribute(program.main))
    assert sum(isinstance(s, Loop) for s in walk(divided.main.body)) == 4
    b = [np.zeros((2, 6)), np.zeros((2, 6))]
    for p, to in ((program, b[0]), (divided, b[1])):
        run(p, [to, np.arange(6.0), 6], in_place=True)
    np.testing.assert_allclose(*b)


def test_the_cells_that_are_read_keep_their_contents_until_all_parts_have_run() -> None:
    _, _, divided = parts(STENCIL)
    first, *_, last = (s for s in walk(divided.main.body) if isinstance(s, Loop))
    assert "Store" not in {type(t).__name__ for t in first.body.stmts}
    assert "Store" in {type(t).__name__ for t in last.body.stmts}


WHOLE = {
    "the sums are read": "    e = load! &b [i]\n    j = add i 1\n    &b![i] += 1.0\n    &b![j] += e",
    "a cell is replaced": "    e = load! &k [i]\n    j = add i 1\n    &b![i] = 1.0\n    &b![j] += e\n    &b![i] += e",
    "a neighbour is overwritten before it is read": (
        "    j = add i 1\n    e = load! &a [j]\n    &a![i] = 0.0\n    &b![i] += e\n    &b![j] += e"
    ),
    "a cell is overwritten before it is read": (
        "    j = add i 1\n    &a![i] = 2.0\n    e = load! &a [i]\n    &b![i] += e\n    &b![j] += e"
    ),
    "a library call": "    j = add i 1\n    x = load! &k [i]\n    e = exp x\n    &b![i] += e\n    &b![j] += e",
    "one distance": "    e = load! &k [i]\n    &b![i] += e\n    &b![i] += e",
    "strides": "    j = floordiv i 2\n    h = add j 1\n    e = load! &k [i]\n    &b![j] += e\n    &b![h] += e",
}


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_loops_that_stay_whole(body: str) -> None:
    count, _, _ = parts("\n" + body)
    assert count == 1


def test_cells_without_index_stay() -> None:
    program = parse_program(
        """
entry fn f(b: acc f64[], k: f64[], n: i64) -> i64 {
  for i in range(n) {
    e = load! &k [i]
    &b![] += e
  }
  return n
}
"""
    )
    assert distribute(program.main) == program.main


def test_a_value_that_is_carried_stays_where_it_is() -> None:
    head = "  for i in range(m) carry (s: f64 = 0.0) -> (s.2) {"
    body = """
    j = add i 1
    e = load! &k [i]
    s.1 = add s e
    &b![i] += s
    &b![j] += s
    yield s.1"""
    count, _, _ = parts(body, head)
    assert count == 1


def test_sums_beside_the_additions_are_kept() -> None:
    head = "  for i in range(m) carry (s: f64 = 0.0) -> (s.2) {"
    body = """
    j = add i 1
    e = load! &k [i]
    s.1 = add s e
    &b![i] += e
    &b![j] += e
    yield s.1"""
    program = parse_program(HEAD.replace("i64 {", "f64 {") + head + body + TAIL.replace("return n", "return s.2"))
    divided = program.with_main(distribute(program.main))
    assert sum(isinstance(s, Loop) for s in walk(divided.main.body)) == 4
    agree(program, divided)


LOWEST, HIGHEST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(("head", "end"), [
    ("  for i in range(q) {", LOWEST),
    ("  for i in range(q, m) {", HIGHEST),
    ("  z = mul q 1\n  for i in range(q, z) {", LOWEST),
    ("  for i in range(3, q, -1) {", HIGHEST),
    ("  for i in range(q, 0, -1) {", LOWEST),
])
def test_a_loop_that_never_runs_may_end_anywhere(head: str, end: int) -> None:
    program = parse_program(HEAD.replace("n: i64", "n: i64, q: i64") + head + STENCIL + TAIL)
    divided = program.with_main(distribute(program.main))
    assert divided.main != program.main
    arrays = [np.ones(9) for _ in range(3)]
    run(divided, [*arrays, 9, end], limit=1000, in_place=True)
    assert all((a == 1.0).all() for a in arrays)


def test_numbers_are_added_as_numbers() -> None:
    count, program, divided = parts("\n    j = add i 1\n    &b![i] += 0.5\n    &b![j] += 0.25")
    assert count == 3 and not verify(divided)
    agree(program, divided)
