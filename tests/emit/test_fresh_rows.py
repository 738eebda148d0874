"""Rows of arrays, and copies: what is added to them is stored where it is known what they hold, and added where anything else may be."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from linad_typecheck.core import Alloc, Copy, Program, walk
from linad_typecheck.core_text import parse_program

from linad.emit.neighbours import add_later, hand_on
from linad.interpret import run
from tests.emit.test_fresh import changed

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
COPIED = "  b = copy &p\n"
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
BELOW = """  for i in range(n) {
    k = min i m
    for j in range(k) {
      &b![i, j] += 2.0
    }
  }
"""


def parsed(text: str) -> Program:
    return parse_program(HEAD + text + TAIL)


def agree(program: Program, other: Program, sizes: range = range(7), q: int = 3) -> None:
    for n, m in product(sizes, sizes):
        before, p = np.random.default_rng(8 * n + m).normal(size=(2, n, m))
        after = before.copy()
        run(program, [before, p, q], in_place=True)
        run(other, [after, p, q], in_place=True)
        np.testing.assert_allclose(after, before, rtol=1e-13, atol=1e-300)


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
    "another array written in between": COPIED + ANOTHER + EACH,
    "sums on the way": ZEROS + SUMS,
    "a copy in each of some steps": STEPS,
    "stored over": ZEROS + INSIDE.replace("+=", "="),
    "a copy stored over": COPIED + INSIDE.replace("+=", "="),
    "zeros by a nest": BY_A_NEST.replace("3.0", "0.0") + INSIDE,
    "some zeros by a nest": SOME_BY_A_NEST.replace("3.0", "0.0") + INSIDE,
    "zeros by a nest that also sums": BY_A_NEST.replace("3.0", "0.0").replace("= 0.0\n    }", "= 0.0\n      &a![x, y] += 2.0\n    }") + INSIDE,
    "a copy by a nest": COPIED_BY_A_NEST.replace("3.0", "0.0") + INSIDE,
}


@pytest.mark.parametrize("text", STORED.values(), ids=STORED)
def test_what_is_added_to_rows_is_stored(text: str) -> None:
    program = parsed(text)
    found = changed(program)
    assert sum(map(_filled, walk(found.main.body))) < sum(map(_filled, walk(program.main.body)))
    agree(program, found)
    agree(program, found.with_main(hand_on(add_later(found.main))))


def _filled(s: object) -> bool:
    return isinstance(s, Copy) or isinstance(s, Alloc) and s.fill is not None
