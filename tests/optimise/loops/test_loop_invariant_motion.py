"""Int arithmetic that does not change leaves loops; what may fail or changes stays."""

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
