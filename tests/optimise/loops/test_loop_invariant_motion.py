"""Int arithmetic and tables that do not change leave loops; what may fail or changes stays."""

from __future__ import annotations

from linad_typecheck.ir.text import parse_program, print_program

from linad.optimise.loops.loop_invariant_motion import hoist_invariants


def hoisted(text: str) -> str:
    program = parse_program(text)
    return print_program(program.with_main(hoist_invariants(program.main)))


def test_bounds_of_inner_loops_are_computed_before_the_outer_one() -> None:
    text = hoisted(
        """
entry fn f(x: mut f64[:], T: i64) -> i64 {
  for t in range(T) {
    n = dim &x 0
    m = sub n 1
    for i in range(1, m) {
      &x![i] = 0.0
    }
  }
  return T
}
"""
    )
    assert text.index("m = sub n 1") < text.index("for t in range(T)")


def test_what_may_fail_or_depends_on_the_iteration_stays() -> None:
    text = hoisted(
        """
entry fn f(x: mut f64[:], T: i64, d: i64) -> i64 {
  for t in range(T) {
    q = floordiv T d
    k = add t 1
    j = add q k
    &x[j] = 0.0
  }
  return T
}
"""
    )
    head = text.index("for t in range(T)")
    assert all(text.index(line) > head for line in ("q = floordiv T d", "k = add t 1", "j = add q k"))


def test_the_size_of_a_growing_log_stays() -> None:
    text = hoisted(
        """
entry fn f(T: i64) -> i64 {
  log = alloc f64 [0]
  for t in range(T) carry (s.1: i64 = 0) -> (s.3) {
    k = add t 1
    reserve &log k
    n = dim &log 0
    s.2 = add s.1 n
    yield s.2
  }
  return s.3
}
"""
    )
    assert text.index("n = dim &log 0") > text.index("for t in range(T)")


TABLES = """
entry fn f(x: read f64[:], T: i64, a: f64, c: bool) -> f64 {
  for t in range(T) carry (s.1: f64 = 0.0) -> (s.3) {
    v = alloc f64 [3]
    &v![0] = 0.5
    &v![1] = a
    &v![2] = LAST
    OTHER
    s.2 = load &v [t]
    r = if c {
      w = alloc f64 [3]
      &w![0] = 0.5
      &w![1] = a
      &w![2] = a
      q = load &w [t]
      yield q
    } else {
      yield 0.0
    }
    s.4 = add s.2 r
    yield s.4
  }
  return s.3
}
"""


def tables(last: str = "a", other: str = "") -> str:
    return hoisted(TABLES.replace("LAST", last).replace("OTHER", other))


def test_equal_tables_are_made_once_before_the_loop() -> None:
    text = tables()
    assert text.index("&v![2] = a") < text.index("for t in range(T)")
    assert text.count("alloc") == 1
    assert "load &v [t]" in text[text.index("if c") :]


def test_a_table_that_depends_on_the_iteration_or_is_changed_stays() -> None:
    for text in (tables("s.1"), tables(other="&v![t] = 0.0"), tables(other="&v![0] += 1.0"), tables(other="&v[...] = 1.0")):
        moved = text[: text.index("for t in range(T)")]
        assert "&w![2] = a" in moved and "alloc f64 [3]" in text[len(moved) :] and "v = " not in moved
