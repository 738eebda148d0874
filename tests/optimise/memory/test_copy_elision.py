"""Zeros and copies that nobody looks at: what is left out, and what keeps them, each program run before and after."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Copy, Store, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.memory.copy_elision import elide_copies

N, M = 3, 4


def both(body: str):
    """A program over an n by m matrix ``x`` and a vector ``y`` of n, before and after, with equal results."""
    head = "entry fn f(x: mut f64[:,:], y: mut f64[:], n: i64, m: i64) -> f64 {\n  top = sub n 1\n  right = sub m 1\n"
    before = parse_program(head + body + "\n}\n")
    after = before.with_main(elide_copies(before.main))
    assert not verify(after)
    results = []
    for p in (before, after):
        rng = np.random.default_rng(2)
        arrays = [rng.random((N, M)), rng.random(N)]
        results.append((*(float(np.asarray(r)) for r in run(p, [*arrays, N, M]).results), *arrays))
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-14)
    return before.main, after.main


def fills(f) -> int:
    return sum(isinstance(s, Alloc) and s.fill is not None for s in walk(f.body))


def stores(f) -> int:
    return sum(isinstance(s, Store) for s in walk(f.body))


def copies(f) -> int:
    return sum(isinstance(s, Copy) for s in walk(f.body))


READ = "\n  r = load! &b_bar [0, 1]\n  return r"
NEST = """
  b_bar' = alloc f64 [n, m] fill 0.0
  for i in range({rows}) {{
    for j in range({columns}) {{
      e = load! &x [i, j]
      &b_bar![{cell}] += e
    }}
  }}"""


def nest(rows: str = "n", columns: str = "m", cell: str = "i, j") -> str:
    return NEST.format(rows=rows, columns=columns, cell=cell)


@pytest.mark.parametrize("ranges", [("n", "m"), ("top, -1, -1", "right, -1, -1"), ("n", "right, -1, -1")])
def test_all_cells_are_stored_to_first(ranges) -> None:
    before, after = both(nest(*ranges) + READ)
    assert fills(before) == 1 and fills(after) == 0 and stores(after) == 1


FILLED = {
    "a row is left out": nest(rows="1, n") + READ,
    "the last column is left out": nest(columns="right") + READ,
    "every other row": nest(rows="0, n, 2") + READ,
    "a row from above": nest(rows="top, 0, -1") + READ,
    "the other way round": nest(rows="n", columns="n", cell="j, i") + READ,
    "one cell per row": nest(cell="i, 0") + "\n  e.1 = load! &b_bar [0, 0]\n  return e.1",
    "twice": nest().replace("&b_bar![i, j] += e", "&b_bar![i, j] += e\n      &b_bar![i, j] += e") + READ,
    "for some": nest().replace("&b_bar![i, j] += e", "c = lt i j\n      if c {\n        &b_bar![i, j] += e\n      } else {\n      }") + READ,
    "after it was read": "\n  b_bar' = alloc f64 [n, m] fill 0.0\n  e.2 = load! &b_bar [0, 0]" + nest().split("fill 0.0")[1]
    + "\n  e.3 = load! &b_bar [0, 1]\n  e.4 = add e.3 e.2\n  return e.4",
    "not with zeros": nest().replace("fill 0.0", "fill 1.0") + READ,
    "not an adjoint": (nest() + READ).replace("b_bar'", "b_bar"),
}  # fmt: skip


@pytest.mark.parametrize("body", FILLED.values(), ids=FILLED)
def test_zeros_that_stay(body: str) -> None:
    before, after = both(body)
    assert fills(after) == fills(before) == 1


EMPTIED = """
  b_bar' = alloc f64 [n] fill 1.0
  for i in range(top, -1, -1) {
    e = load! &b_bar [i]
    &b_bar![i] = 0.0
    &y![i] += e
  }
  return 0.0"""

KEPT = {
    "the cell of another iteration is read": EMPTIED.replace("load! &b_bar [i]", "load! &b_bar [top]"),
    "read again": EMPTIED.replace("return 0.0", "r = load! &b_bar [0]\n  return r"),
    "read behind the store": EMPTIED.replace("&y![i] += e", "h = load! &b_bar [i]\n    g = add e h\n    &y![i] += g"),
    "the cell beside is read": EMPTIED.replace("    e =", "    k = sub n i\n    k1 = sub k 1\n    e =").replace("b_bar [i]", "b_bar [k1]"),
    "another value": EMPTIED.replace("&b_bar![i] = 0.0", "&b_bar![i] = 2.0").replace("return 0.0", "r = load! &b_bar [0]\n  return r"),
    "in every iteration of a loop around": EMPTIED.replace(
        "  for i in range(top, -1, -1) {", "  for t in range(m) {\n  for i in range(top, -1, -1) {"
    ).replace("  return", "  }\n  return"),
}


GONE = {
    "the cell of the index": EMPTIED,
    "the cell beside": EMPTIED.replace("(top, -1, -1)", "(top)").replace("    e =", "    k = add i 1\n    e =").replace("b_bar [i]", "b_bar [k]").replace("b_bar![i]", "b_bar![k]"),
    "asked for its size": EMPTIED.replace("    e =", "    k = dim &b_bar 0\n    e ="),
    "twice": EMPTIED.replace("    &y!", "    &b_bar![i] = 0.0\n    &y!"),
}  # fmt: skip


@pytest.mark.parametrize("body", GONE.values(), ids=GONE)
def test_the_last_zeros_are_not_stored(body: str) -> None:
    before, after = both(body)
    assert stores(before) >= 1 and stores(after) == 0


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_zeros_that_are_stored(body: str) -> None:
    before, after = both(body)
    assert stores(after) == stores(before)


ADDED = """
  b_bar' = alloc f64 [n] fill 0.0
  for i in range(1, n) {
    e = load! &y [i]
    &b_bar![i] += e
  }
  &b_bar += &y
  r = load! &b_bar [1]
  return r"""

UNLIKE = {
    "it is read between": ADDED.replace("  &b_bar += &y", "  h = load! &b_bar [1]\n  &y![0] = h\n  &b_bar += &y"),
    "the other has changed": ADDED.replace("    &b_bar![i] += e", "    &b_bar![i] += e\n    &y![i] += e"),
    "the other is made behind it": ADDED.replace("  &b_bar += &y", "  z = copy &y\n  &b_bar += &z"),
    "it is stored to between": ADDED.replace("    &b_bar![i] += e", "    &b_bar![i] = e"),
}


CARRIED = """
  first_bar' = copy &x
  for t in range(3) carry (a_bar': f64[:,:] = first_bar) -> (end') {
    next_bar' = alloc f64 [n, m] fill 1.0
    for i in range(n) {
      for j in range(m) {
        e = load! &a_bar [i, j]
        &a_bar![i, j] = 0.0
        &next_bar![i, j] += e
      }
    }
    yield NEXT
  }
  r = load! &end [0, 1]
  return r"""


def test_the_last_zeros_of_an_array_that_ends_with_the_iteration() -> None:
    before, after = both(CARRIED.replace("NEXT", "next_bar"))
    assert (stores(before), stores(after)) == (1, 0)
    before, after = both(CARRIED.replace("NEXT", "a_bar"))
    assert (stores(before), stores(after)) == (1, 1)


def test_sums_begin_with_what_is_added_as_a_whole() -> None:
    before, after = both(ADDED)
    assert copies(before) == 0 and copies(after) == 1 and fills(after) == 0


@pytest.mark.parametrize("body", UNLIKE.values(), ids=UNLIKE)
def test_sums_that_begin_with_zeros(body: str) -> None:
    before, after = both(body)
    assert fills(after) == fills(before)


MOVED = """
  a = alloc f64 [n] fill 1.0
  for t in range(m) carry (u: f64[:] = a) -> (u.1) {
    v = copy &u
    e = load! &y [0]
    &v![0] += e
    yield v
  }
  r = load! &u.1 [0]
  return r"""

COPIED = {
    "it is read again": MOVED.replace("    yield", "    h = load! &u [0]\n    &y![1] += h\n    yield"),
    "it is a parameter": MOVED.replace("copy &u", "copy &y"),
    "it belongs to the block around": MOVED.replace("copy &u", "copy &w").replace("  for t", "  w = alloc f64 [n] fill 2.0\n  for t"),
    "it is given on": MOVED.replace("    yield v", "    &y![2] += e\n    yield u"),
}


def test_a_copy_of_what_is_used_no_more_is_the_thing_itself() -> None:
    before, after = both(MOVED)
    assert copies(before) == 1 and copies(after) == 0


@pytest.mark.parametrize("body", COPIED.values(), ids=COPIED)
def test_copies_that_stay(body: str) -> None:
    before, after = both(body)
    assert copies(after) == copies(before)


OTHER = """
  a_bar' = alloc f64 [{sizes}] fill 1.5
  &a_bar![0, 1] += 2.0
  b_bar{adjoint} = alloc f64 [n, m] fill 0.0
  for i in range(n) {{
    for j in range({columns}) {{
      e = load{bang} &a_bar [{cell}]{more}
      &b_bar![i, j] += e
    }}
  }}"""


def other(**changed: str) -> str:
    usual = {"sizes": "n, m", "columns": "m", "cell": "i, j", "bang": "!", "more": "", "adjoint": "'"}
    return OTHER.format(**usual | changed)


def allocations(f) -> int:
    return sum(isinstance(s, Alloc) for s in walk(f.body))


@pytest.mark.parametrize("columns", ["m", "right, -1, -1"])
def test_an_array_of_the_cells_of_another_one_is_that(columns: str) -> None:
    """A copy first, and where nobody looks at the other one any more, no copy either."""
    _, after = both(other(columns=columns) + READ)
    assert copies(after) == 1 and stores(after) == 0
    after = elide_copies(after)
    assert allocations(after) == 1 and not copies(after)
    _, after = both(other(columns=columns) + "\n  &b_bar![0, 0] = 9.0\n  q = load! &a_bar [0, 0]\n  &y![0] = q" + READ)
    assert allocations(after) == 1 and copies(elide_copies(after)) == 1


SOME_CELLS = {
    "of more columns": other(sizes="n, k").replace("a_bar'", "k = add m 1\n  a_bar'", 1),
    "not all": other(columns="1, m"),
    "turned": other(sizes="m, n", cell="j, i"),
    "and something else": other(more="\n      &y![i] = e"),
    "of no adjoint": other(adjoint=""),
}


@pytest.mark.parametrize("body", SOME_CELLS.values(), ids=SOME_CELLS.keys())
def test_arrays_of_cells_of_another_one(body: str) -> None:
    _, after = both(body + READ)
    assert allocations(after) == 2 and not copies(after)
