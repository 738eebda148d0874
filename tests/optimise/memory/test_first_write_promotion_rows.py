"""Rows of arrays, and copies: what is added to them is stored where it is known what they hold, and added where anything else may be."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linad_typecheck.ir.core import Alloc, Copy, Loop, Program, walk
from linad_typecheck.ir.text import parse_program

from linad.interpret import run
from linad.optimise.loops.accumulation_rotation import rotate_accumulations
from tests import kit
from tests.examples_of import quick
from tests.optimise.memory.test_first_write_promotion import changed

HEAD = """entry fn f(a: mut f64[:,:], p: read f64[:,:], q: i64) -> f64 {
  n = dim &a 0
  m = dim &a 1
  n1 = sub n 1
  n2 = sub n 2
  m1 = sub m 1
"""
TAIL = """  for o in range(n) {
    for o2 in range(m) {
      r9 = load! &b [o, o2]
      s9 = mul 1.5 r9
      &a![o, o2] += s9
    }
  }
  return 0.0
}
"""
ZEROS = "  b = alloc f64 [n, m] fill 0.0\n"
COPIED = "  pn = dim &p 0\n  pm = dim &p 1\n  b = copy &p\n"
EACH = """  for i in range(n) {
    for j in range(m) {
      e = load! &a [i, j]
      &b![i, j] += e
    }
  }
"""
INSIDE = EACH.replace("range(n)", "range(1, n1)").replace("range(m)", "range(1, m1)")
STENCIL = """  for i in range(1, n1) {
    g = add i 1
    for j in range(1, m1) {
      e = load! &a [i, j]
      h = sub j 1
      k = add j 1
      t = mul 2.0 e
      &b![g, h] += e
      &b![g, j] += t
      &b![g, k] += e
    }
  }
"""
# as the adjoint of a stencil is divided: the first rows, the rows in the middle, the last rows
PARTS = """  d = max n2 0
  c = sub d 2
  l = max 0 c
  f = min 2 d
  for y in range(f) {
    one = lt y 1
    if one {
      y1 = add y 1
      for z in range(m) {
        x = load! &a [y, z]
        &b![y1, z] += x
      }
    }
    for v in range(m) {
      x1 = load! &a [y, v]
      &b![y, v] += x1
    }
  }
  for i in range(l) {
    g = add i 2
    for j in range(m) {
      e = load! &a [i, j]
      &b![g, j] += e
    }
  }
  for i2 in range(l, d) {
    g2 = add i2 2
    for j2 in range(m) {
      e2 = load! &a [i2, j2]
      &b![g2, j2] += e2
    }
  }
"""
DOWN = INSIDE.replace("range(1, n1)", "range(n2, 0, -1)")
TRIPLED = ZEROS.replace("0.0", "3.0")  # an array of which nobody says what it holds
BY_A_NEST = TRIPLED + """  for x in range(n) {
    for y in range(m) {
      &b![x, y] = 0.0
    }
  }
"""
COPIED_BY_A_NEST = TRIPLED + """  for x in range(n) {
    for y in range(m) {
      c0 = load! &p [x, y]
      &b![x, y] = c0
    }
  }
"""
SOME_BY_A_NEST = BY_A_NEST.replace("range(n)", "range(1, n)")
RECTANGLE = BY_A_NEST.replace("range(n)", "range(1, n1)").replace("range(m)", "range(1, m1)")
# what stands between what is known and the nest
FIRST_ROW = """  some = lt 1 n
  if some {
    for y in range(m) {
      &b![0, y] += 2.0
      r = load! &b [0, y]
      &a![1, y] += r
    }
  }
"""
ANOTHER = """  some = lt 0 n
  if some {
    for y in range(m) {
      &a![0, y] += 2.0
    }
  }
"""
SUMS = """  for i in range(n) carry (s: f64 = 0.0) -> (s4) {
    for j in range(m) carry (s1: f64 = s) -> (s3) {
      e = load! &a [i, j]
      &b![i, j] += e
      s2 = add s1 e
      yield s2
    }
    yield s3
  }
  both = mul n m
  some = lt 0 both
  if some {
    &a![0, 0] += s4
  }
"""
STEPS = """  b = alloc f64 [n, m] fill 3.0
  for t in range(q) {
    w = copy &b
    for i in range(1, n1) {
      for j in range(1, m1) {
        e = load! &b [i, j]
        &w![i, j] += e
      }
    }
    for x in range(n) {
      for y in range(m) {
        v = load! &w [x, y]
        &b![x, y] += v
      }
    }
  }
"""
# two buffers that change places
SWAPPED = """  x = copy &a
  y = alloc f64 [n, m] fill 0.0
  for t in range(q) carry (u: f64[:,:] = x, v: f64[:,:] = y) -> (b, w) {
    for i in range(n) {
      for j in range(m) {
        e = load! &u [i, j]
        &u![i, j] = 0.0
        &v![i, j] += e
      }
    }
    yield v, u
  }
  for x2 in range(n) {
    for y2 in range(m) {
      r = load! &w [x2, y2]
      &a![x2, y2] += r
    }
  }
"""
BELOW = """  for i in range(n) {
    k = min i m
    for j in range(k) {
      &b![i, j] += 2.0
    }
  }
"""


def parsed(text: str) -> Program:
    return parse_program(HEAD + text + TAIL)


def agree(program: Program, other: Program, sizes: Iterable[int] = (0, 1, 2, 3, 5), q: int = 3) -> None:
    cases = ((*np.random.default_rng(8 * n + m).normal(size=(2, n, m)), q) for n, m in product(sizes, sizes))
    kit.agree(program, other, cases, partial(np.testing.assert_allclose, rtol=1e-13, atol=1e-14))


STORED = {
    "zeros, and each cell added to": ZEROS + EACH,
    "zeros, and those inside added to": ZEROS + INSIDE,
    "zeros, and neighbours added to": ZEROS + STENCIL,
    "zeros, and the rows in the middle": ZEROS + PARTS,
    "a copy, and each cell added to": COPIED + EACH,
    "a copy, and those inside added to": COPIED + INSIDE,
    "a copy, and neighbours added to": COPIED + STENCIL,
    "a copy, and the rows in the middle": COPIED + PARTS,
    "from the last row to the first": ZEROS + DOWN,
    "another row in between": ZEROS + FIRST_ROW + INSIDE,
    "the last row in between": ZEROS + FIRST_ROW.replace("&b![0", "&b![n1").replace("&b [0", "&b [n1") + INSIDE,
    "the lesser of two rows in between": ZEROS + FIRST_ROW.replace("&b![0", "&b![y0").replace("    for y", "    y0 = min l0 0\n    for y").replace("  some", "  l0 = sub n 1\n  some") + INSIDE,
    "another array written in between": COPIED + ANOTHER + EACH,
    "a source copied again in between": COPIED + "  b0 = copy &p\n" + EACH.replace("&a [i", "&b0 [i"),
    "sums on the way": ZEROS + SUMS,
    "a copy in each of some steps": STEPS,
    "buffers that change places": SWAPPED,
    "stored over": ZEROS + INSIDE.replace("+=", "="),
    "a copy stored over": COPIED + INSIDE.replace("+=", "="),
    "zeros by a nest": BY_A_NEST + INSIDE,
    "zeros by a nest, up to another bound": BY_A_NEST + EACH.replace("  for i in range(n)", "  p0 = min n q\n  for i in range(p0)"),
    "some zeros by a nest": SOME_BY_A_NEST + INSIDE,
    "zeros by a nest that also sums": BY_A_NEST.replace("= 0.0\n    }", "= 0.0\n      &a![x, y] += 2.0\n    }") + INSIDE,
    "a copy by a nest": COPIED_BY_A_NEST + INSIDE,
    "zeros in rows of which nobody knows the length": "  b = copy &p\n" + BY_A_NEST.replace(TRIPLED, "") + EACH,
    "a rectangle of zeros": RECTANGLE + INSIDE,
    "a rectangle of zeros, and neighbours added to": RECTANGLE + STENCIL.replace("range(1, n1)", "range(n2)"),
    "a rectangle of zeros, and less": RECTANGLE + INSIDE.replace("range(1, m1)", "range(2, m1)"),
    "a rectangle at a distance": RECTANGLE.replace("range(1, m1)", "range(m2)").replace("    for y", "    for y").replace("      &b![x, y]", "      y1 = add y 1\n      &b![x, y1]").replace("  b =", "  m2 = sub m 2\n  b =") + INSIDE,
    "a rectangle of a copy": COPIED_BY_A_NEST.replace("range(n)", "range(1, n1)").replace("range(m)", "range(1, m1)") + INSIDE,
    "rows in the middle of a rectangle": RECTANGLE.replace("range(1, n1)", "range(n)") + INSIDE.replace("range(1, n1)", "range(2, n1)"),
}


WRITES = ("alloc", "fill", "copy", "store", "addto")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", STORED.values(), ids=STORED)
def test_what_is_added_to_rows_is_stored(text: str) -> None:
    program = parsed(text)
    found = changed(program)
    before, after = (run(x, [*np.ones((2, 12, 12)), 3]).counts for x in (program, found))
    assert sum(after[k] for k in WRITES) < sum(before[k] for k in WRITES)
    agree(program, found)
    agree(program, found.with_main(rotate_accumulations(found.main)))


@pytest.mark.parametrize("text", [ZEROS + INSIDE, COPIED + INSIDE, ZEROS + PARTS, BY_A_NEST + STENCIL])
def test_rows_are_not_filled_in_front(text: str) -> None:
    found = changed(parsed(text))
    assert all(s.fill is None or s.fill.value for s in walk(found.main.body) if isinstance(s, Alloc))
    assert not any(isinstance(s, Copy) for s in walk(found.main.body))


def test_no_cell_is_stored_to_twice() -> None:
    n = 40
    out = run(changed(parsed(COPIED + INSIDE)), [*np.ones((2, n, n)), 1])
    assert out.counts["store"] == n * n
    assert out.counts["addto"] == n * n  # those behind


def test_rows_that_an_inner_loop_never_reaches_are_filled_once() -> None:
    out = run(changed(parsed(ZEROS + INSIDE)), [*np.ones((2, 40, 2)), 1])
    assert out.counts["store"] == 80


def test_cells_at_the_ends_have_no_loops() -> None:
    found = changed(parsed(ZEROS + INSIDE))
    (nest,) = (s for s in found.main.body.stmts if isinstance(s, Loop) and s.index.name == "i")
    assert sum(isinstance(t, Loop) for t in walk(nest.body)) == 1


KEPT = {
    "an array of others": ZEROS + BY_A_NEST.replace(TRIPLED, "").replace("&b", "&a") + EACH.replace("&b", "&a").replace("load! &a [i, j]", "load! &p [i, j]"),
    "a copy of which nobody knows the size": "  b = copy &p\n" + EACH,
    "not zeros": TRIPLED + EACH,
    "under a condition": ZEROS + EACH.replace("    for j", "    some = lt i 3\n    if some {\n    for j").replace("e\n    }", "e\n    }\n    }"),
    "in two loops of the nest": ZEROS + EACH.replace("e\n    }\n", "e\n    }\n    for z in range(m) {\n      &b![i, z] += 2.0\n    }\n"),
    "beside the inner loop": ZEROS + EACH.replace("    for j", "    &b![i, 0] += 2.0\n    for j"),
    "looked at in the nest": ZEROS + EACH.replace("load! &a [i, j]", "load! &b [i, j]"),
    "looked at beside the inner loop": ZEROS + EACH.replace("    for j", "    r = load! &b [0, 0]\n    &a![i, 0] += r\n    for j"),
    "one row alone": ZEROS + "  for j in range(m) {\n    &b![1, j] += 2.0\n  }\n",
    "fewer axes than loops": ZEROS + "  c = alloc f64 [n] fill 0.0\n" + EACH.replace("&b![i, j] += e", "for k in range(m) {\n        &c![i] += 2.0\n      }"),
    "always the same row": ZEROS + EACH.replace("&b![i, j]", "&b![1, j]"),
    "two rows": ZEROS + STENCIL.replace("&b![g, j]", "&b![i, j]"),
    "columns": ZEROS + EACH.replace("&b![i, j]", "&b![j, i]"),
    "the diagonal": ZEROS + EACH.replace("&b![i, j]", "&b![i, i]"),
    "rows from the other end": ZEROS + EACH.replace("    for j", "    g = sub n1 i\n    for j").replace("&b![i", "&b![g"),
    "rows at a distance by name": ZEROS + EACH.replace("range(n)", "range(q)").replace("    for j", "    g = add i q\n    for j").replace("&b![i", "&b![g"),
    "every second row": ZEROS + EACH.replace("range(n)", "range(0, n, 2)"),
    "cells downwards": ZEROS + EACH.replace("range(m)", "range(m1, -1, -1)"),
    "few rows": ZEROS + EACH.replace("range(n)", "range(3)"),
    "few cells": ZEROS + EACH.replace("range(m)", "range(3)"),
    "a triangle": ZEROS + BELOW,
    "a check": ZEROS + EACH.replace("&b![i, j]", "&b[i, j]"),
    "until a test": ZEROS + EACH.replace("range(n)", "range(n) exits").replace("e\n    }\n", "e\n    }\n    go = lt i 3\n    yield go\n"),
    "the same row in between": ZEROS + FIRST_ROW + EACH,
    "the last but one in between": ZEROS + FIRST_ROW.replace("&b![0", "&b![n2").replace("&b [0", "&b [n2") + INSIDE,
    "the same row in the other case": ZEROS + FIRST_ROW.replace("lt 1 n", "lt q 1").replace("    }\n  }\n", "    }\n  } else {\n    &b![1, 0] += 2.0\n  }\n") + INSIDE,
    "a row that is another in the other case": ZEROS + FIRST_ROW.replace("lt 1 n", "lt q 1").replace("    }\n  }\n", "    }\n  } else {\n    &b![q, 0] += 2.0\n  }\n") + INSIDE,
    "perhaps the same row in between": ZEROS + FIRST_ROW.replace("&b![0", "&b![q") + INSIDE,
    "looked at in between": ZEROS + FIRST_ROW.replace("&b [0", "&b [1") + INSIDE,
    "a whole array looked at in between": ZEROS + "  w = copy &b\n" + INSIDE,
    "bounds that are found in between": ZEROS + FIRST_ROW + "  later = mul n1 1\n" + INSIDE.replace("n1)", "later)"),
    "a source written in between": COPIED.replace("&p", "&a") + ANOTHER + EACH,
    "a source written in the nest": COPIED.replace("&p", "&a") + EACH.replace("+= e\n", "+= e\n      &a![i, j] = 2.0\n"),
    "a source with another name": "  c = copy &p\n  b = copy &c\n  for t in range(q) carry (u: f64[:,:] = c) -> (w) {\n    yield u\n  }\n" + EACH.replace("&a [i", "&w [i"),
    "a row of zeros": TRIPLED + "  for y in range(m) {\n    &b![0, y] = 0.0\n  }\n" + EACH,
    "fewer axes than loops of zeros": "  b = alloc f64 [n, m] fill 3.0\n  c = alloc f64 [m] fill 3.0\n  for x in range(n) {\n    for y in range(m) {\n      &c![y] = 0.0\n    }\n  }\n  for j in range(m) {\n    &c![j] += 2.0\n  }\n",
    "every second row of zeros": BY_A_NEST.replace("range(n)", "range(0, n, 2)") + EACH,
    "every second row of zeros from the end": BY_A_NEST.replace("range(n)", "range(n1, -1, -2)") + EACH,
    "always the first row of zeros": BY_A_NEST.replace("&b![x", "&b![0") + EACH,
    "rows of zeros at a distance by name": BY_A_NEST.replace("    for y", "    x1 = add x q\n    for y").replace("&b![x", "&b![x1") + EACH,
    "a source that is perhaps given another name": ZEROS.replace("b =", "d =") + COPIED.replace("b =", "c =") + "  b = copy &c\n  some = lt q 2\n  w = if some {\n    yield c\n  } else {\n    yield d\n  }\n" + EACH.replace("&a [i", "&w [i"),
    "other rows than are zero": SOME_BY_A_NEST + EACH,
    "some columns by a nest": BY_A_NEST.replace("range(m)", "range(1, m)") + EACH,
    "other columns by a nest": BY_A_NEST.replace("range(m)", "range(m1)").replace("    for y", "    for y").replace("      &b![x, y]", "      y1 = add y 1\n      &b![x, y1]") + EACH,
    "a rectangle that ends before": RECTANGLE + INSIDE.replace("range(1, m1)", "range(1, m)"),
    "a rectangle that begins behind": RECTANGLE.replace("range(1, m1)", "range(2, m1)") + INSIDE.replace("+= e", "= e"),
    "a rectangle of rows that begins behind": RECTANGLE.replace("range(1, n1)", "range(2, n1)") + INSIDE,
    "buffers of which inner cells change places": SWAPPED.replace("for j in range(m)", "for j in range(1, m1)"),
    "half a triangle by a nest": BY_A_NEST.replace("  for x", "  for x").replace("    for y in range(m)", "    k = min x m\n    for y in range(k)") + EACH,
    "columns of zeros up to a bound that is found in the nest": RECTANGLE.replace("    for y in range(1, m1)", "    m3 = sub m 1\n    for y in range(1, m3)") + INSIDE,
    "columns of zeros from a bound that is found in the nest": RECTANGLE.replace("    for y in range(1, m1)", "    q1 = add q 1\n    for y in range(q1, m1)") + INSIDE.replace("  for i", "  q2 = add q 1\n  for i").replace("range(1, m1)", "range(q2, m1)"),
    "more in each row behind its zeros": BY_A_NEST.replace("0.0\n    }\n", "0.0\n    }\n    &b![x, 0] += 2.0\n") + EACH,
    "buffers of which one has some columns of zeros": SWAPPED.replace("fill 0.0\n", "fill 2.0\n  for k in range(n) {\n    for l in range(q, m) {\n      &y![k, l] = 0.0\n    }\n  }\n"),
    "zeros under a condition": BY_A_NEST.replace("    for y", "    some = lt x 3\n    if some {\n    for y").replace("0.0\n    }", "0.0\n    }\n    }") + EACH,
    "zeros of every second column": BY_A_NEST.replace("range(m)", "range(0, m, 2)") + EACH,
    "other cells of a source": COPIED_BY_A_NEST.replace("&p [x, y]", "&p [y, x]") + EACH,
    "a source written by the nest that copies": COPIED_BY_A_NEST.replace("&p [", "&a [").replace("= c0\n", "= c0\n      &a![x, y] = 2.0\n") + EACH,
    "a value of more than a source": COPIED_BY_A_NEST.replace("= c0\n", "= c1\n").replace("      &b!", "      c1 = mul c0 2.0\n      &b!") + EACH,
    "whole numbers": ZEROS + "  c = alloc i64 [n, m] fill 0\n" + EACH.replace("&b![i, j] += e", "&c![i, j] = q"),
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_rows_that_may_hold_something_else(text: str) -> None:
    program = parsed(text)
    assert changed(program).main == program.main


@given(
    st.sampled_from([ZEROS, COPIED, BY_A_NEST, COPIED_BY_A_NEST, SOME_BY_A_NEST, SOME_BY_A_NEST.replace("= 0.0", "= c0").replace("      &b", "      c0 = load! &p [x, y]\n      &b")]),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
    st.integers(-2, 2),
    st.sets(st.integers(-2, 2), min_size=1),
    st.booleans(),
    st.one_of(st.none(), st.integers(0, 3)),
)
@quick(30)
def test_any_rows_and_distances(held: str, ends: list[int], row: int, far: set[int], down: bool, before: int | None) -> None:
    """A nest over some rows and columns that adds to a row at a distance, and to neighbours in it; before that others add to the first rows."""
    a, b, c, d = max(ends[0], -row), max(ends[1], row), max(ends[2], -min(far)), max(ends[3], max(far))
    adds = "".join(f"      g{k} = add j {f}\n      w{k} = mul {k + 1.5} e\n      &b![g, g{k}] += w{k}\n" for k, f in enumerate(sorted(far)))
    rows = f"range(s1, {a - 1}, -1)" if down else f"range({a}, s)"
    first = "" if before is None else FIRST_ROW.replace("&b![0", f"&b![{before}").replace("&b [0", f"&b [{before}").replace("lt 1 n", f"lt {before} n").replace("&a![1", f"&a![{before}")
    text = f"""{held}{first}  s = sub n {b}
  s1 = sub s 1
  z = sub m {d}
  for i in {rows} {{
    g = add i {row}
    for j in range({c}, z) {{
      e = load! &p [i, j]
{adds}    }}
  }}
"""
    program = parsed(text)
    found = changed(program)
    agree(program, found, (3, 5, 8))
    agree(program, found, range(3))


# all rows of zeros, and rows from the second on; columns at a distance from the index
SHIFTED_NEST = BY_A_NEST.replace("{", "{{").replace("}", "}}").replace("range(m)", "range({0})").replace("      &b![x, y]", "      y1 = add y {1}\n      &b![x, y1]")
SHIFTED = EACH.replace("{", "{{").replace("}", "}}").replace("range(n)", "range(1, n)").replace("range(m)", "range({0})").replace("      &b![i, j]", "      j1 = add j {1}\n      &b![i, j1]")
NEVER = [
    (ZEROS + EACH.replace("range(n)", "range(q, n)"), 2**63 - 1),
    (ZEROS + EACH.replace("range(m)", "range(q, m)"), 2**63 - 1),
    (ZEROS + EACH.replace("range(n)", "range(1, q)").replace("    for j", "    g = sub i 1\n    for j").replace("&b![i", "&b![g"), -(2**63)),
    (COPIED + STENCIL.replace("range(1, n1)", "range(q, n1)"), 2**63 - 1),
    (COPIED + STENCIL.replace("range(1, m1)", "range(q, m1)"), 2**63 - 1),
    (COPIED + INSIDE.replace("range(1, n1)", "range(n2, q, -1)"), 2**63 - 1),
    (BY_A_NEST.replace("range(n)", "range(q, n)") + EACH.replace("range(n)", "range(q, n)"), 2**63 - 1),
    (BY_A_NEST.replace("range(n)", "range(1, q)") + EACH.replace("range(n)", "range(1, q)"), -(2**63)),
    (SHIFTED_NEST.format("1, q", -1) + SHIFTED.format("1, q", -1), -(2**63)),
    (SHIFTED_NEST.format("q, m1", 1) + SHIFTED.format("q, m1", 1), 2**63 - 1),
]


@pytest.mark.parametrize(("text", "end"), NEVER)
def test_nests_that_never_run_may_begin_and_end_anywhere(text: str, end: int) -> None:
    program = parsed(text)
    found = changed(program)
    assert found.main != program.main
    agree(program, found, q=end)
    agree(program, found, range(3, 7), q=2)
