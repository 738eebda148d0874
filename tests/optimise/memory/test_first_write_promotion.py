"""What is added to cells that are surely zero is stored; where anything else may be in them, or look at them, it is added."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jaxtyping import Float64, Int64
from linad_typecheck.ir.core import AddTo, Alloc, Loop, Program, Store, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad import linear_grad
from linad.codegen import EmitOptions
from linad.codegen.passes import prepare
from linad.derive import asked, flat_values
from linad.interpret import run
from linad.optimise.memory.first_write_promotion import promote_first_writes
from linad.requests import FRESH
from tests import kit
from tests.examples_of import quick

HEAD = "entry fn f(a: mut f64[:], q: i64) -> f64 {\n  n = dim &a 0\n  m = sub n 1\n  l = sub n 2\n"
TAIL = """  for o in range(n) {
    e = load! &b [o]
    &a![o] += e
  }
  return 0.0
}
"""

# an array of zeros, and a loop that adds to cells of it
MADE = "  b = alloc f64 [n] fill 0.0\n"
EACH = """  for i in range(n) {
    e = load! &a [i]
    &b![i] += e
  }
"""
COPIED = "  b = copy &a\n"
BLOCKS = """  for low in range(0, n, 4) {
    end = add low 4
    high = min end n
    for i in range(low, high) {
      e = load! &a [i]
      &b![i] += e
    }
  }
"""
INSIDE = EACH.replace("range(n)", "range(1, m)")
STENCIL = """  for i in range(1, m) {
    e = load! &a [i]
    h = sub i 1
    g = add i 1
    t = mul 2.0 e
    &b![h] += e
    &b![i] += t
    &b![g] += e
  }
"""
# in place: what is taken from a cell leaves a zero there
TAKEN = """  b = copy &a
  c = alloc f64 [n] fill 2.0
  for i in range(1, m) {
    e = load! &b [i]
    &b![i] = 0.0
    &c![i] = e
  }
  for k in range(1, m) {
    e2 = load! &c [k]
    h = sub k 1
    g = add k 1
    &b![h] += e2
    &b![g] += e2
  }
"""
# two buffers that change places, as in the adjoint of time stepping
SWAPPED = """  x = copy &a
  y = alloc f64 [n] fill 0.0
  for t in range(q) carry (u: f64[:] = x, v: f64[:] = y) -> (b, w) {
    for i in range(1, m) {
      e = load! &u [i]
      &u![i] = 0.0
      h = sub i 1
      g = add i 1
      &v![h] += e
      &v![g] += e
      s = mul 3.0 e
      &v![i] += s
    }
    yield v, u
  }
  for p in range(n) {
    r = load! &w [p]
    &b![p] += r
  }
"""
# zeros by a loop of their own
CLEARED = """  b = alloc f64 [n] fill 2.0
  for z in range(n) {
    &b![z] = 0.0
  }
"""
# the second buffer has zeros from its third cell on
SOME = SWAPPED.replace("fill 0.0\n", "fill 2.0\n  for z in range(2, n) {\n    &y![z] = 0.0\n  }\n")
FROM_THE_END = TAKEN.replace("for i in range(1, m)", "for i in range(l, 0, -1)")


def parsed(text: str) -> Program:
    return parse_program(HEAD + text + TAIL)


def changed(program: Program) -> Program:
    found = program.with_main(promote_first_writes(program.main))
    assert verify(found) == verify(program)  # some of these programs define a name twice
    return found


def agree(program: Program, other: Program, sizes: range = range(2, 12), q: int = 3) -> None:
    cases = ((np.random.default_rng(n).normal(size=n), q) for n in sizes)
    kit.agree(program, other, cases, partial(np.testing.assert_allclose, rtol=1e-13, atol=1e-300))


STORED = {
    "made, and each cell added to": MADE + EACH,
    "made, and those inside added to": MADE + INSIDE,
    "made, and added to in blocks": MADE + BLOCKS,
    "made, and all but the last added to in blocks": MADE + BLOCKS.replace(", n, 4", ", m, 4").replace("end n", "end m"),
    "cells of another array, in blocks": COPIED + BLOCKS,
    "made, and neighbours added to": MADE + STENCIL,
    "taken from a cell": TAKEN,
    "buffers that change places": SWAPPED,
    "buffers that change places, from the index before": SWAPPED.replace("range(1, m)", "range(l)").replace("[i]", "[i1]").replace("      e = load", "      i1 = add i 1\n      e = load").replace("sub i 1", "sub i1 1").replace("add i 1\n      &v", "add i1 1\n      &v"),
    "zeros by a loop": CLEARED + EACH,
    "zeros by a loop that also sums": CLEARED.replace("range(n) {", "range(n) carry (s: f64 = 0.0) -> (r) {").replace(" = 0.0\n  }", " = 0.0\n    e1 = load! &a [z]\n    s2 = add s e1\n    yield s2\n  }") + "  &a![0] = r\n" + EACH,
    "zeros from the last to the first": FROM_THE_END,
    "asked for its size in between": MADE + "  d = dim &b 0\n" + EACH,
    "one buffer, and a new one each time": SWAPPED.replace("    yield v, u", "    x2 = alloc f64 [n] fill 0.0\n    yield v, x2"),
    "cells of another array": COPIED + EACH,
    "some cells of another array": COPIED + INSIDE,
    "neighbours of cells of another array": COPIED + STENCIL,
    "bounds by other names": "  p = min q n\n" + MADE + EACH.replace("range(n)", "range(p)"),
    "as many as the greater of two sizes": "  d = max l 0\n  c = alloc f64 [d] fill 0.0\n" + EACH.replace("range(n)", "range(d)").replace("&b!", "&c!").replace("e =", "e0 =").replace("= e", "= e0").replace("for i", "for h").replace("[i]", "[h]") + MADE + EACH,
    "up to a size that is the greater one": "  d = max 0 l\n" + CLEARED.replace("range(n)", "range(l)") + EACH.replace("range(n)", "range(d)"),
    "up to the greater one of a size and a number": "  d = max l 0\n" + CLEARED.replace("range(n)", "range(l)") + EACH.replace("range(n)", "range(d)"),
    "from the greater one to the first": "  d = max l 0\n" + FROM_THE_END.replace("range(l, 0, -1)", "range(d, 0, -1)"),
    "up to a number before the greater one": "  d0 = max 1 m\n  d = sub d0 1\n" + CLEARED.replace("range(n)", "range(l)") + EACH.replace("range(n)", "range(d)"),
    "as many zeros as there are to begin with": SOME.replace("range(2, n)", "range(1, n)"),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", STORED.values(), ids=STORED)
@pytest.mark.parametrize("q", [0, 1, 2, 5])
def test_what_is_added_to_zeros_is_stored(text: str, q: int) -> None:
    program = parsed(text)
    found = changed(program)
    assert _additions(found, "bvu") < _additions(program, "bvu")
    agree(program, found, q=q)


def _additions(program: Program, arrays: str) -> int:
    loops = [s for s in walk(program.main.body) if isinstance(s, Loop)]
    return sum(isinstance(t, AddTo) and t.array.name[0] in arrays for s in loops for t in s.body.stmts)


def test_zeros_are_not_filled_in() -> None:
    found = changed(parsed(MADE + EACH))
    assert [s.fill for s in walk(found.main.body) if isinstance(s, Alloc)] == [None]
    stored = [s for s in walk(found.main.body) if isinstance(s, Store)]
    assert len(stored) == 1


def test_a_loop_that_only_makes_zeros_is_gone() -> None:
    program = parsed(CLEARED + EACH)
    assert [len(s.body.stmts) for s in walk(changed(program).main.body) if isinstance(s, Loop)] == [2, 2]


@pytest.mark.parametrize("text", [MADE + EACH, MADE + INSIDE, MADE + STENCIL, MADE + BLOCKS])
def test_no_cell_is_stored_to_twice(text: str) -> None:
    """But for two at either end."""
    n = 40
    out = run(changed(parsed(text)), [np.ones(n), 1])
    assert out.counts["store"] <= n + 4 and not out.counts.get("fill")


KEPT = {
    "blocks that overlap": MADE + BLOCKS.replace(", n, 4", ", n, 2"),
    "neighbours in blocks": MADE + BLOCKS.replace(", n, 4", ", m, 4").replace("end n", "end m").replace("      &b!", "      g = add i 1\n      &b![g] += e\n      &b!"),
    "looked at between blocks": MADE + BLOCKS.replace("    end", "    r = load! &b [0]\n    end"),
    "an array of others": "  b = copy &a\n" + EACH.replace("&b!", "&a!"),
    "no zeros": MADE.replace("0.0", "1.0") + EACH,
    "cells beyond the zeros": TAKEN.replace("for k in range(1, m)", "for k in range(0, m)").replace("sub k 1", "add k 0").replace("    &b![g] += e2\n", ""),
    "as many cells, but others": CLEARED.replace("range(n)", "range(l)") + EACH.replace("range(n)", "range(l)").replace("    &b![i]", "    g = add i q\n    &b![g]"),
    "up to the greater of two": "  d = max 1 l\n" + CLEARED.replace("range(n)", "range(l)") + EACH.replace("range(n)", "range(d)"),
    "up to a number behind the greater of two": "  d0 = max 0 l\n  d = add d0 1\n" + CLEARED.replace("range(n)", "range(m)") + EACH.replace("range(n)", "range(d)"),
    "some cells of another array, and neighbours": CLEARED.replace("range(n)", "range(1, n)").replace("    &b![z] = 0.0", "    c = load! &a [z]\n    &b![z] = c") + STENCIL,
    "a log": MADE.replace("0.0", "0.0 log cells") + EACH,
    "looked at in between": MADE + "  r = load! &b [0]\n  &a![0] = r\n" + EACH,
    "added to in between": MADE + "  &b![1] += 2.0\n" + EACH,
    "looked at in the loop": MADE + EACH.replace("    &b!", "    r = load! &b [0]\n    &b!"),
    "set in the loop": MADE + EACH.replace("    &b!", "    &b![0] = 1.0\n    &b!"),
    "two rows of cells": MADE + EACH.replace("    &b!", "    &b![q] += e\n    &b!"),
    "under a condition": MADE + "  c = lt q 2\n  if c {\n" + EACH + "  }\n",
    "zeros in an array of others": "  b = copy &a\n" + TAKEN.replace("  b = copy &a\n", "").replace("&b", "&a"),
    "a loop that does not run downwards": MADE + EACH.replace("range(n)", "range(0, n, -1)"),
    "a check of what is set to zero": TAKEN.replace("&b![i] = 0.0", "&b[i] = 0.0"),
    "zeros of every second cell from the end": TAKEN.replace("for i in range(1, m)", "for i in range(l, 0, -2)"),
    "downwards": MADE + EACH.replace("range(n)", "range(m, -1, -1)"),
    "few cells": MADE.replace("[n]", "[4]") + EACH.replace("range(n)", "range(4)"),
    "a check": MADE + EACH.replace("&b![i]", "&b[i]"),
    "zeros of every second cell": TAKEN.replace("for i in range(1, m)", "for i in range(1, m, 2)"),
    "zeros at two distances": TAKEN.replace("    &c![i] = e", "    h0 = sub i 1\n    &b![h0] = 0.0\n    &c![i] = e"),
    "no zeros but ones": TAKEN.replace("&b![i] = 0.0", "&b![i] = 1.0"),
    "the zero before looked at": TAKEN.replace("    &b![i] = 0.0", "    h0 = sub i 1\n    r = load! &b [h0]\n    &a![i] = r\n    &b![i] = 0.0"),
    "looked at behind the zero": TAKEN.replace("    &c![i] = e", "    r = load! &b [i]\n    s = add e r\n    &c![i] = s"),
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_may_find_something_else_is_added(text: str) -> None:
    program = parsed(text)
    assert changed(program).main == program.main


NOT_MOVED = {
    "no axis": "  y = alloc f64 [] fill 0.0\n  for t in range(q) carry (u: f64[] = y) -> (w) {\n    e = load! &u []\n    d = lt t n\n    if d {\n      &a![t] += e\n    }\n    v = alloc f64 [] fill 2.0\n    yield v\n  }\n  b = copy &a\n",
    "no zeros to begin with": SWAPPED.replace("fill 0.0", "fill 1.0"),
    "a copy to begin with": SWAPPED.replace("alloc f64 [n] fill 0.0", "copy &a"),
    "a float beside": SWAPPED.replace("  for t in", "  f8 = mul 2.0 3.0\n  for t in").replace("range(q) carry (", "range(q) carry (f0: f64 = f8, ").replace("-> (b, w)", "-> (f9, b, w)").replace("fill 0.0", "fill 1.0").replace(
        "    yield v, u", "    for z in range(n) carry (f1: f64 = f0) -> (f2) {\n      f3 = add f1 1.0\n      yield f3\n    }\n    yield f2, v, u"
    ),
    "written before the loop": SWAPPED.replace("  for t in", "  &y![1] = 2.0\n  for t in"),
    "looked at at the end": SWAPPED.replace("    yield v, u", "    r0 = load! &u [1]\n    &a![0] += r0\n    yield v, u"),
    "looked at at the beginning": SWAPPED.replace("    for i in", "    r0 = load! &v [1]\n    &a![0] += r0\n    for i in"),
    "other cells each time": SWAPPED.replace("    for i in range(1, m)", "    d = min t m\n    for i in range(d, m)"),
    "no change of places": SWAPPED.replace("yield v, u", "yield u, v"),
    "before what was zero": SOME,
    "until a test": SWAPPED.replace("range(q) carry", "range(q) exits carry").replace("    yield v, u", "    go = lt t 1\n    yield go, v, u"),
    "beyond what was zero": SWAPPED.replace("y = alloc f64 [n]", "y = alloc f64 [q]"),
}


@pytest.mark.parametrize("text", NOT_MOVED.values(), ids=NOT_MOVED)
def test_zeros_that_stay_at_the_end_of_an_iteration(text: str) -> None:
    program = parsed(text)
    assert changed(program).main == program.main


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4), st.integers(0, 4), st.sets(st.integers(-2, 2), min_size=1), st.integers(0, 4))
@quick(30)
def test_any_ranges_and_distances(low: int, high: int, start: int, stop: int, far: set[int], q: int) -> None:
    """The zeros from ``low`` to ``n - high``, and a loop from ``start`` to ``n - stop`` that adds at some distances."""
    start, stop = max(start, -min(far)), max(stop, max(far))
    adds = "".join(f"      g{k} = add i {d}\n      w{k} = mul {k + 1.5} e\n      &v![g{k}] += w{k}\n" for k, d in enumerate(sorted(far)))
    text = f"""  z = sub n {high}
  p = sub n {stop}
  x = copy &a
  y = alloc f64 [n] fill 0.0
  for t in range(q) carry (u: f64[:] = x, v: f64[:] = y) -> (b, w) {{
    c = alloc f64 [n] fill 0.0
    for j in range({low}, z) {{
      e1 = load! &u [j]
      &u![j] = 0.0
      &c![j] += e1
    }}
    for i in range({start}, p) {{
      e = load! &c [i]
{adds}    }}
    yield v, u
  }}
  for p1 in range(n) {{
    r = load! &w [p1]
    &b![p1] += r
  }}
"""
    program = parsed(text)
    agree(program, changed(program), range(5, 13), q)


ZEROS_THEN_SUMS = """  b = copy &a
  for i in range({0}) {{
    g = add i {1}
    &b![g] = 0.0
  }}
  for k in range({2}) {{
    e = load! &a [k]
    h = add k {3}
    &b![k] += e
    &b![h] += e
  }}
"""
SWAPPED_FROM_Q = (
    SWAPPED.replace("alloc f64 [n] fill 0.0", "copy &a\n  for j in range(q, m) {\n    j1 = add j 1\n    &y![j1] = 0.0\n  }")
    .replace("range(q)", "range(3)")
    .replace("range(1, m)", "range(q, m)")
    .replace("[i]", "[g]")
    .replace("      e = load", "      g = add i 1\n      e = load")
    .replace("sub i 1\n      g = add i 1", "add i 1")
)
NEVER = [
    (ZEROS_THEN_SUMS.format("q, n", 0, "q, m", 1), 2**63 - 1),
    (ZEROS_THEN_SUMS.format("q, m", 1, "q, l", 2), 2**63 - 1),
    (ZEROS_THEN_SUMS.format("1, q", -1, "1, q", -1), -(2**63)),
    (SWAPPED_FROM_Q, 2**63 - 1),
]


@pytest.mark.parametrize(("text", "end"), NEVER)
def test_zeros_of_a_loop_that_never_runs_may_begin_and_end_anywhere(text: str, end: int) -> None:
    program = parsed(text)
    found = changed(program)
    assert found.main != program.main
    agree(program, found, q=end)
    agree(program, found, range(5, 9), q=2)


def weighted(x: Float64[np.ndarray, "n"], w: Float64[np.ndarray, "n"]) -> float:
    s = 0.0
    for i in range(len(x)):
        s += w[i] * x[i] ** 2
    return s


def inner_cells(u: Float64[np.ndarray, "n m"], k: Float64[np.ndarray, "n m"]) -> float:
    s = 0.0
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            s += k[i, j] * (u[i, j + 1] - 2.0 * u[i, j] + u[i, j - 1]) * u[i - 1, j]
    return s


def gathered(x: Float64[np.ndarray, "n"], at: Int64[np.ndarray, "k"], y: Float64[np.ndarray, "k"]) -> float:
    s = 0.0
    for k in range(len(at)):
        s += x[at[k]] * y[k]
    return s


def some_cells(x: Float64[np.ndarray, "n"], unused: Float64[np.ndarray, "n"], limit: float) -> float:
    if limit > 3.0:
        return limit * x[0]
    s = 0.0
    for i in range(0, len(x), 2):
        if x[i] > limit:
            s += x[i] * x[i]
    return s


def differences(x: Float64[np.ndarray, "n m"], y: Float64[np.ndarray, "k l"]) -> float:
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s += (x[i, j] - y[i, j]) ** 2
    return s


GIVEN = {
    "rows of a larger matrix": (differences, (np.arange(6.0).reshape(2, 3), np.arange(20.0).reshape(4, 5))),
    "no rows of a larger matrix": (differences, (np.ones((2, 0)), np.ones((4, 5)))),
    "all cells": (weighted, (np.arange(5.0), np.ones(5))),
    "no cells": (weighted, (np.zeros(0), np.zeros(0))),
    "inner cells": (inner_cells, (np.arange(20.0).reshape(4, 5), np.ones((4, 5)))),
    "no inner cells": (inner_cells, (np.ones((2, 5)), np.ones((2, 5)))),
    "gathered": (gathered, (np.arange(4.0), np.array([3, 0, 3]), np.array([1.0, 2.0, 3.0]))),
    "some cells": (some_cells, (np.arange(6.0), np.ones(6), 2.0)),
    "one cell": (some_cells, (np.arange(6.0), np.ones(6), 4.0)),
}


@pytest.mark.parametrize("name", GIVEN)
def test_gradients_in_new_arrays_are_stored(name: str) -> None:
    """Whatever the arrays hold before, they are the gradients that are added to zeros."""
    f, args = GIVEN[name]
    s = linear_grad(f, backend="interpret").specialisation(args)
    want = asked(s, None)
    values = flat_values(s, args)
    found = []
    for request, held in ((((want.leaves, True),), 0.0), ((FRESH, (want.leaves, True)), np.nan)):
        program = prepare(s.program(request), EmitOptions())[0]
        assert not verify(program)
        buffers = [np.full(values[k].shape, held) for k in want.indices]
        results = run(program, [*values, 1.0, *buffers], in_place=True).results
        found.append([*results, *(b.tolist() for b in buffers)])
    assert found[0] == found[1]
    added = {t.array.name for t in walk(program.main.body) if isinstance(t, AddTo)}
    assert f not in (weighted, differences) or not added & {p.var.name for p in program.main.params}


@pytest.mark.parametrize("poison", [0.0, np.nan])
def test_kernels_tell_of_nan_in_gradients(poison: float) -> None:
    """Compiled: then the gradient is computed again with exact zeros."""
    f = linear_grad(lambda x, y: np.sum(np.sqrt(x) * y))  # 0 * inf at x = 0
    for _ in range(3):
        _, (x_bar, y_bar) = f.value_and_grad(np.array([4.0, 0.0]), np.array([2.0, poison]))
        np.testing.assert_array_equal(x_bar, [0.5, poison])
        np.testing.assert_array_equal(y_bar, [2.0, 0.0])
