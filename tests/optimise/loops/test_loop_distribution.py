"""Loops that add to several rows are divided where sums commute; what an addition may see of others keeps them together."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import AddTo, Const, Loop, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify
from linad_typecheck.types import I64

from linad.interpret import run
from linad.optimise.loops.loop_distribution import distribute_loops

HEAD = "entry fn f(b: mut f64[:,:], a: mut f64[:], k: f64[:], c: mut f64[:], n: i64) -> i64 {\n  m = sub n 2\n"
TAIL = "\n  }\n  return n\n}\n"

STENCIL = """
    e = load! &a [i]
    &a![i] = 0.0
    w = load! &k [i]
    t = mul e w
    j = add i 1
    &b![0, i] += t
    &b![1, i] += t
    &b![0, j] += e
"""
ROWS = "\n    &b![0, i] += e\n    &b![1, i] += e"


def parts(body: str, head: str = "  for i in range(m) {") -> tuple[int, object, object]:
    """How many loops a loop is made of, and the program before and after."""
    program = parse_program(HEAD + head + body + TAIL)
    divided = program.with_main(distribute_loops(program.main))
    return sum(isinstance(s, Loop) for s in walk(divided.main.body)), program, divided


def contents(program, n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    arrays = [rng.random((2, size) if k == 0 else size) for k, size in enumerate([max(n, 3)] * 4)]
    run(program, [*arrays, n], in_place=True)
    return arrays


def agree(program, divided, n: int = 12) -> None:
    for before, after in zip(contents(program, n), contents(divided, n), strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-13)


@pytest.mark.parametrize("head", ["  for i in range(m) {", "  top = sub n 3\n  for i in range(top, -1, -1) {"])
def test_each_row_is_added_to_in_a_loop_of_its_own(head: str) -> None:
    count, program, divided = parts(STENCIL, head)
    loops = [s for s in walk(divided.main.body) if isinstance(s, Loop)]
    assert [len({str(t.index[0]) for t in s.body.stmts if isinstance(t, AddTo)}) for s in loops] == [1, 1]
    assert [sum(isinstance(t, AddTo) for t in s.body.stmts) for s in loops] == [1, 2]  # neighbours stay together
    assert all(s.step == Const(1, I64) for s in loops[:1])
    for n in range(2, 9):  # down to a loop that is empty
        agree(program, divided, n)


def test_sizes_between_cells_are_loops_of_their_own() -> None:
    count, program, divided = parts("\n    e = load! &k [i]\n    h = add i q\n    &c![i] += e\n    &c![h] += e", "  q = sub n n\n  for i in range(m) {")
    assert count == 2
    agree(program, divided)


def test_a_quotient_that_is_the_same_in_all_iterations_is_no_work() -> None:
    """The adjoint of an autocorrelation: ``r[k] += x[t] * x[t + k] / n``."""
    added = "\n    e = load! &k [i]\n    {w} = load! &a [q]\n    v = div w 3.0\n    t = mul e v\n    h = add i q\n    &c![i] += t\n    &c![h] += e"
    count, program, divided = parts(added.format(w="w"), "  q = sub n n\n  for i in range(m) {")
    assert count == 2
    agree(program, divided)
    assert parts(added.replace("div w 3.0", "div e w").format(w="w"), "  q = sub n n\n  for i in range(m) {")[0] == 2  # one stays
    assert parts(added.replace("&c![h] += e", "&c![h] += t").replace("div w", "div e").format(w="w"), "  q = sub n n\n  for i in range(m) {")[0] == 1


def test_a_step_of_two_is_no_row_of_neighbours() -> None:
    body = "\n    e = load! &k [i]\n    h = add i 1\n    &c![i] += e\n    &c![h] += e"
    count, program, divided = parts(body, "  for i in range(0, m, 2) {")
    assert count == 2
    agree(program, divided)


def test_rows_of_two_arrays_share_loops() -> None:
    count, program, divided = parts("\n    e = load! &k [i]\n    h = add i q\n    &c![i] += e\n    &c![h] += e" + ROWS, "  q = sub n n\n  for i in range(m) {")
    assert count == 2
    agree(program, divided)


@pytest.mark.parametrize(("far", "loops"), [(8, 1), (9, 2)])
def test_neighbours_are_a_few_cells_apart(far: int, loops: int) -> None:
    body = f"\n    e = load! &k [i]\n    h = add i {far}\n    &c![i] += e\n    &c![h] += e"
    count, program, divided = parts(body, "  r = sub n 10\n  for i in range(r) {")
    assert count == loops
    agree(program, divided, 25)


def test_the_cells_that_are_read_keep_their_contents_until_all_parts_have_run() -> None:
    _, _, divided = parts(STENCIL)
    first, *_, last = (s for s in walk(divided.main.body) if isinstance(s, Loop))
    assert "Store" not in {type(t).__name__ for t in first.body.stmts}
    assert "Store" in {type(t).__name__ for t in last.body.stmts}


WHOLE = {
    "the sums are read": "    e = load! &b [0, i]" + ROWS,
    "a cell is replaced": "    e = load! &k [i]\n    &b![0, i] = 1.0" + ROWS,
    "a neighbour is overwritten before it is read": "    j = add i 1\n    e = load! &a [j]\n    &a![i] = 0.0" + ROWS,
    "a cell is overwritten before it is read": "    &a![i] = 2.0\n    e = load! &a [i]" + ROWS,
    "a library call": "    x = load! &k [i]\n    e = exp x" + ROWS,
    "two rows of three are expensive": "    e = load! &k [i]\n    x = exp e\n    &b![0, i] += e\n    &b![1, i] += x\n    &b![2, i] += x",
    "one cell": "    e = load! &k [i]\n    &c![i] += e\n    &c![i] += e",
    "neighbours": "    e = load! &k [i]\n    j = add i 1\n    &c![i] += e\n    &c![j] += e",
    "strides": "    j = floordiv i 2\n    e = load! &k [i]\n    &b![0, j] += e" + ROWS,
    "one row at a time": "    j = mod i 2\n    e = load! &k [i]\n    &b![j, i] += e\n    h = sub 1 j\n    &b![h, i] += e",
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
    assert distribute_loops(program.main) == program.main


def test_ints_stay() -> None:
    program = parse_program(
        """
entry fn f(b: mut i64[:,:], n: i64) -> i64 {
  for i in range(n) {
    &b![0, i] += 1
    &b![1, i] += 2
  }
  return n
}
"""
    )
    assert distribute_loops(program.main) == program.main


def test_an_array_that_the_loop_carries_is_known_in_it_alone() -> None:
    head = "  for i in range(m) carry (d: f64[:,:] = b) -> (d.1) {"
    count, program, divided = parts("\n    e = load! &k [i]\n    &d![0, i] += e\n    &d![1, i] += e\n    yield d", head)
    assert count == 1 and not verify(divided)


def test_a_value_that_is_carried_stays_where_it_is() -> None:
    head = "  for i in range(m) carry (s: f64 = 0.0) -> (s.2) {"
    body = """
    e = load! &k [i]
    s.1 = add s e
    &b![0, i] += s
    &b![1, i] += s
    yield s.1"""
    count, _, _ = parts(body, head)
    assert count == 1


def test_sums_beside_the_additions_are_kept() -> None:
    head = "  for i in range(m) carry (s: f64 = 0.0) -> (s.2) {"
    body = f"""
    e = load! &k [i]
    s.1 = add s e{ROWS}
    yield s.1"""
    program = parse_program(HEAD.replace("i64 {", "f64 {") + head + body + TAIL.replace("return n", "return s.2"))
    divided = program.with_main(distribute_loops(program.main))
    assert sum(isinstance(s, Loop) for s in walk(divided.main.body)) == 2
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
    divided = program.with_main(distribute_loops(program.main))
    assert divided.main != program.main
    arrays = [np.ones((2, 9)), *(np.ones(9) for _ in range(3))]
    run(divided, [*arrays, 9, end], limit=1000, in_place=True)
    assert all((a == 1.0).all() for a in arrays)


def test_numbers_are_added_as_numbers() -> None:
    count, program, divided = parts("\n    &b![0, i] += 0.5\n    &b![1, i] += 0.25")
    assert count == 2 and not verify(divided)
    agree(program, divided)
