"""Short loops inside loops are written out; the cells of small arrays become values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Loop, Program, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.loop_unrolling import unroll, unroll_early

HEAD = "entry fn f(x: mut f64[:,:], n: i64) -> f64 {\n"


def written(body: str) -> tuple[int, int]:
    """The loops and the arrays that are left; before and after, the program does the same."""
    before = parse_program(HEAD + body + "\n}\n")
    after: Program = before.with_main(unroll(before.main)[0])
    assert not verify(after)
    for n in (0, 1, 5):
        results = []
        for p in (before, after):
            x = np.random.default_rng(3).random((5, 3))
            results.append((run(p, [x, n], in_place=True).results, x))
        (value, x), (again, y) = results
        assert again == pytest.approx(value, rel=1e-15) and np.array_equal(x, y)
    stmts = list(walk(after.main.body))
    return sum(isinstance(s, Loop) for s in stmts), sum(isinstance(s, Alloc) for s in stmts)


SQUARES = """
  for i in range(n) carry (s: f64 = 0.0) -> (e) {
    d = alloc f64 [3]
    for c in range(3) {
      a = load &x [i, c]
      &d![c] = a
    }
    for c.1 in range(2, -1, -1) {
      a.1 = load &x [i, 0]
      &d![c.1] += a.1
    }
    for c.2 in range(3) carry (t: f64 = s) -> (u) {
      b = load &d [c.2]
      q = mul b b
      r = add t q
      yield r
    }
    yield u
  }
  return e"""


def test_loops_over_the_cells_of_a_small_array() -> None:
    assert written(SQUARES) == (1, 0)


def test_an_array_that_begins_with_numbers() -> None:
    assert written(SQUARES.replace("alloc f64 [3]", "alloc f64 [3] fill 1.5").replace("&d![c] = a", "&d![c] += a")) == (1, 0)


def test_nested_loops() -> None:
    body = """
  for i in range(n) carry (s: f64 = 0.0) -> (e) {
    for c in range(2) carry (t: f64 = s) -> (u) {
      for k in range(0, 3, 2) carry (v: f64 = t) -> (w) {
        a = load &x [i, k]
        &x![i, c] += a
        b = add v a
        yield b
      }
      yield w
    }
    yield u
  }
  return e"""
    assert written(body) == (1, 0)


def test_triangles() -> None:
    """The bounds of the inner loop, and its branch, are known when the loop around is written out."""
    body = """
  for i in range(n) carry (s: f64 = 0.0) -> (e) {
    d = alloc f64 [3] fill 0.5
    for r in range(1, 3) {
      k = sub r 1
      for j in range(2, k, -1) {
        h = sub j 1
        a = load &d [h]
        b = load &x [i, j]
        q = mul a b
        &d![j] += q
        last = eq j r
        if last {
          &x![i, r] = q
        }
      }
    }
    c = load &d [2]
    t = add s c
    yield t
  }
  return e"""
    assert written(body) == (1, 0)
    assert written(body.replace("eq j r", "eq i r")) == (3, 1)  # a branch that is left


OTHERWISE = {
    "five iterations": (SQUARES.replace("f64 [3]", "f64 [5] fill 0.5").replace("range(3) carry", "range(5) carry"), (2, 1)),
    "outside of loops": (SQUARES.replace("range(n)", "range(0, 2)"), (1, 0)),
    "a cell found by computing": (
        SQUARES.replace("b = load &d [c.2]", "j = mod i 3\n      b = load &d [j]"), (1, 1),
    ),
    "an array that is copied": (
        SQUARES.replace("    for c.2", "    h = copy &d\n    for c.2").replace("b = load &d", "b = load &h"), (1, 0),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "left"), OTHERWISE.values(), ids=OTHERWISE)
def test_what_is_left(body: str, left: tuple[int, int]) -> None:
    assert written(body) == left


def test_as_many_statements_as_a_nest_of_three_by_three_has() -> None:
    """The element matrices of triangles: 9 times a dozen."""
    lines = "".join(f"        x{k} = mul {'a' if k == 0 else f'x{k - 1}'} 0.5\n" for k in range(12))
    body = f"""
  for i in range(n) carry (s: f64 = 0.0) -> (e) {{
    for c in range(3) carry (t: f64 = s) -> (u) {{
      for k in range(3) carry (v: f64 = t) -> (w) {{
        a = load &x [i, k]
{lines}        b = add v x11
        yield b
      }}
      yield w
    }}
    yield u
  }}
  return e"""
    assert written(body) == (1, 0)


def test_fewer_statements_before_differentiation() -> None:
    """And more with tangents."""

    def loops(statements: int, apply=unroll_early, like: str = "") -> int:
        lines = "".join(f"      x{k} = mul {'a' if k == 0 else f'x{k - 1}'} 0.5\n" for k in range(statements))
        body = f"for i in range(n) carry (s: f64 = 0.0) -> (e) {{\n    for k in range(3) carry (v: f64 = s) -> (w) {{\n      a = load &x [i, k]\n{lines}"
        body += f"      b = add v x{statements - 1}\n      yield b\n    }}\n    yield w\n  }}\n  return e"
        program = parse_program(HEAD + body + "\n}\n")
        f = replace(program.main, params=tuple(replace(p, like=like) for p in program.main.params))
        return sum(isinstance(s, Loop) for s in walk(apply(f).body))

    assert (loops(40), loops(80)) == (1, 2)
    assert [loops(200, lambda f: unroll(f)[0], like) for like in ("", "x")] == [2, 1]
