"""An adjoint that is summed up apart takes over from the one it is added to: where it may, where not, each program run before and after."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from linad_typecheck.ir.core import AddArray, Alloc, Checkpoint, Copy, Load, Loop, Program, Store, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad import linear_grad
from linad.optimise.memory.adjoint_forwarding import forward_adjoints
from linad.pipeline import linear
from tests import kit
from tests.kit import load

HEAD = """entry fn f(x: mut f64[:,:], y: mut f64[:], z: acc f64[:], k: mut i64[:], g: mut f32[:], q: i64) -> f64 {
  n = dim &y 0
  m = dim &x 1
  l = sub n 1
  r = sub m 1
"""
TAIL = "  for o in range(n) {\n    e0 = load! &a_bar [o]\n    &y![o] += e0\n  }\n  return 0.0\n}\n"


def program(body: str, tail: str = TAIL) -> Program:
    made = parse_program(HEAD + body + tail)
    assert not verify(made)
    linear(made)
    return made


def changed(before: Program) -> Program:
    after = before.with_main(forward_adjoints(before.main))
    assert not verify(after)
    linear(after)
    return after


def contents(n: int, m: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    arrays = [rng.normal(size=(n, m)), rng.normal(size=n), rng.normal(size=n), rng.integers(0, max(m, 1), n)]
    return [*arrays, rng.normal(size=n).astype(np.float32)]


def same(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if wanted.dtype == np.float32 else 1e-13, atol=1e-300)


def agree(before: Program, after: Program) -> None:
    sizes = ((0, 0), (1, 1), (2, 3), (3, 2), (5, 4))
    kit.agree(before, after, ((*contents(*size), q) for size in sizes for q in (0, 1, 2, 3)), same)


def again(text: str) -> str:
    """The text with other names for what it defines."""
    made = set(re.findall(r"^ *(\w+)'? = ", text, re.MULTILINE)) | set(re.findall(r"for (\w+) in", text))
    return re.sub(r"\b(\w+)\b", lambda w: f"{w[0]}.2" if w[0] in made else w[0], text)


def count(p: Program, kind: type) -> int:
    return sum(isinstance(s, kind) for s in walk(p.main.body))


A = "  a_bar' = copy &y\n"
B = "  b_bar' = alloc f64 [n] fill 0.0\n"
FILLED = "  for i in range(n) {\n    e = load! &a_bar [i]\n    c = mul 2.0 e\n    j = sub l i\n    &b_bar![j] += c\n    &b_bar![i] += e\n  }\n"
SUM = "  &a_bar += &b_bar\n"
NEST = "  for s in range(n) {\n    t = load! &b_bar [s]\n    &a_bar![s] += t\n  }\n"
ONE = A + B + FILLED + SUM
# as in the adjoint of a step in place: cells are taken, and others added to
EMPTIED = FILLED.replace("    c = mul", "    &a_bar![i] = 0.0\n    c = mul")

# matrices
PLANE = "  a_bar' = copy &x\n  b_bar' = alloc f64 [n1, m] fill 0.0\n"
PLANE_TAIL = "  for o in range(n1) {\n    for o1 in range(m) {\n      e0 = load! &a_bar [o, o1]\n      &x![o, o1] += e0\n    }\n  }\n  return 0.0\n}\n"
INSIDE = """  for i in range(n1) {
    for j in range(m) {
      e = load! &a_bar [i, j]
      &a_bar![i, j] = 0.0
      h = sub l i
      h1 = sub r j
      &b_bar![h, h1] += e
    }
  }
"""
PLANES = "  n1 = dim &x 0\n  v0 = min m 1\n  v1 = mul n1 v0\n  v2 = min n1 m\n" + PLANE
SUMS = "  for s in range(n1) {\n    for s1 in range(m) {\n      t = load! &b_bar [s, s1]\n      &a_bar![s, s1] += t\n    }\n  }\n"


def steps(body: str, over: str = "range(q)", carry: str = "") -> str:
    """A loop over time in which the adjoint is added to, and which may carry something else."""
    inside = "".join(f"  {line}\n" for line in body.splitlines())
    return A + f"  for t0 in {over}{carry} {{\n{inside}  }}\n"


STEP = B + FILLED + SUM
READ = TAIL.partition("  return")[0]
TAKEN = {
    "added as a whole": program(ONE),
    "asked for its size": program(A + B + EMPTIED.replace("    e =", "    d = dim &a_bar 0\n    e =") + SUM),
    "added cell by cell": program(A + B + FILLED + NEST),
    "added cell by cell, downwards": program(A + B + FILLED + NEST.replace("range(n)", "range(l, -1, -1)")),
    "added row by row": program(PLANES + INSIDE.replace("      &a_bar![i, j] = 0.0\n", "") + SUMS, PLANE_TAIL),
    "read before": program(A + "  for p in range(n) {\n    p1 = load! &a_bar [p]\n    &y![p] += p1\n  }\n" + B + FILLED + SUM),
    "nothing is added to it": program(A + B + SUM),
    "the other one added to it": program(A + B + SUM + "  b2_bar' = alloc f64 [n] fill 0.0\n  &b2_bar += &a_bar\n  &a_bar += &b2_bar\n"),
    "the other one has the size of a loop": program(A + B + FILLED.replace("for i", "d = dim &b_bar 0\n  for i").replace("range(n)", "range(d)") + SUM),
    "twice": program(A + STEP + again(STEP)),
    "single floats": program(
        (A + B + FILLED + SUM).replace("&y", "&g").replace("f64 [n] fill 0.0", "f32 [n2] fill 0.0f32").replace("2.0", "2.0f32").replace("  a_bar", "  n2 = dim &g 0\n  a_bar"),
        TAIL.replace("&y!", "&g!"),
    ),
    "under a condition": program("  d = lt q 2\n  if d {\n" + ONE + READ + "  } else {\n" + again(ONE + READ) + "  }\n", "  return 0.0\n}\n"),
    "in a loop": program(steps(STEP)),
    "in a loop that carries a number": program(steps(STEP + "w1 = add w 1.0\nyield w1", carry=" carry (w: f64 = 0.0) -> (w2)")),
    "in a loop that runs downwards": program(steps(STEP, "range(q, 0, -1)")),
    "in a loop until a test": program(steps(STEP + "go = lt t0 1\nyield go", "range(q) exits")),
    "in a while loop that counts": program(steps(STEP + "go = lt t0 q\nyield go", "range(0, ..., 1) exits trips w2")),
    "in a loop in a loop": program(steps("for t1 in range(2) {\n" + STEP + "}")),
    "in a loop in a loop, which is read in between": program(steps("for t1 in range(2) {\n" + STEP + "}\nfor t2 in range(n) {\n  u = load! &a_bar [t2]\n  &y![t2] += u\n}")),
    "of what a loop carries": program(
        A + "  for t0 in range(q) carry (c_bar': f64[:] = a_bar) -> (d_bar') {\n" + STEP.replace("a_bar", "c_bar") + "    yield c_bar\n  }\n", TAIL.replace("a_bar", "d_bar")
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_zeros_and_a_sum_become_a_copy(name: str) -> None:
    before = TAKEN[name]
    after = changed(before)
    filled, sums = (sum(isinstance(s, Alloc) and s.fill is not None for s in walk(p.main.body)) for p in (before, after)), 0
    first, then = filled
    assert first > then == 0
    assert count(after, Copy) == count(before, Copy) + first and count(after, AddArray) == sums + (name == "the other one added to it")
    agree(before, after)


def test_what_the_sum_is_called_behind_a_loop() -> None:
    """One more array is carried, and is what is read from there on, also by another loop that adds to it."""
    body = steps(STEP)
    second = again(body.removeprefix(A))
    before = program(body + second)
    after = changed(before)
    assert [len(s.carried) for s in after.main.body.stmts if isinstance(s, Loop)] == [1, 1, 0]
    agree(before, after)


COLUMN = """  for i in range(v1) {
    e = load! &a_bar [i, 0]
    &a_bar![i, 0] = 0.0
    h = sub l i
    &b_bar![h, 0] += e
  }
"""
EMPTYING = {
    "all cells": program(A + B + EMPTIED + SUM),
    "some cells": program(A + B + EMPTIED.replace("range(n)", "range(1, l)") + SUM),
    "every second cell": program(A + B + EMPTIED.replace("range(n)", "range(0, n, 2)") + SUM),
    "cells from the last one": program(A + B + EMPTIED.replace("range(n)", "range(l, 0, -1)") + SUM),
    "cells beside": program(A + B + EMPTIED.replace("range(n)", "range(l)").replace("    e =", "    h0 = add 2 i\n    h = sub h0 1\n    e =").replace("a_bar [i]", "a_bar [h]").replace("a_bar![i]", "a_bar![h]") + SUM),
    "the next cells": program(A + B + EMPTIED.replace("range(n)", "range(l)").replace("    e =", "    h = add i 1\n    e =").replace("a_bar [i]", "a_bar [h]").replace("a_bar![i]", "a_bar![h]") + SUM),
    "that are read twice": program(A + B + EMPTIED.replace("    e = load", "    e1 = load! &a_bar [i]\n    e = load").replace("2.0 e", "e1 e") + SUM),
    "that nobody reads": program(A + B + "  for i in range(1, n) {\n    &a_bar![i] = 0.0\n  }\n" + SUM),
    "beside a number that is carried": program(A + B + EMPTIED.replace("{", "carry (w: i64 = 0, w0: f64 = 0.0) -> (w2, w3) {", 1).replace("  }\n", "    w1 = add w 1\n    w4 = add w0 e\n    yield w1, w4\n  }\n") + SUM),
    "behind sums": program(A + B + "  for p in range(n) {\n    p1 = load! &y [p]\n    &b_bar![p] += p1\n  }\n" + EMPTIED + SUM),
    "behind what reads them": program(A + B + "  for p in range(n) {\n    p1 = load! &a_bar [p]\n    &b_bar![p] += p1\n  }\n" + EMPTIED + SUM),
    "of a plane": program(PLANES + INSIDE + SUMS, PLANE_TAIL),
    "of some rows": program(PLANES + INSIDE.replace("range(n1)", "range(1, n1)").replace("range(m)", "range(r)") + SUMS, PLANE_TAIL),
    "of a triangle": program(PLANES + INSIDE.replace("    for j in range(m)", "    w0 = add i 1\n    w = min m w0\n    for j in range(w)") + SUMS, PLANE_TAIL),
    "the other way round": program(PLANES + INSIDE.replace("range(n1)", "range(m)").replace("for j in range(m)", "for j in range(n1)").replace("[i, j]", "[j, i]").replace("sub l i", "sub l j").replace("sub r j", "sub r i") + SUMS, PLANE_TAIL),
    "of a column": program(PLANES + COLUMN + SUMS, PLANE_TAIL),
    "in a loop": program(steps(B + EMPTIED + SUM)),
    "in a loop, some of them": program(steps(B + EMPTIED.replace("range(n)", "range(t0, n)") + SUM)),
}  # fmt: skip


@pytest.mark.parametrize("name", EMPTYING)
def test_cells_that_are_emptied_begin_with_zeros(name: str) -> None:
    before = EMPTYING[name]
    after = changed(before)
    assert not any(isinstance(s, Alloc) for s in walk(after.main.body))
    [store] = (s for s in walk(after.main.body) if isinstance(s, Store))
    assert store.array.name == "b_bar"
    agree(before, after)


UNKNOWN = "  d = lt q 2\n  a_bar' = if d {\n    u_bar' = copy &y\n    yield u_bar\n  } else {\n    u1 = max n 0\n    u2_bar' = alloc f64 [u1] fill 2.0\n    yield u2_bar\n  }\n"
STAYS = {
    "not adjoints": ONE.replace("b_bar'", "b_bar"),
    "not an adjoint": (ONE + "  u = dim &a_bar 0\n").replace("a_bar'", "a_bar"),
    "another size": ONE.replace("a_bar' = copy &y", "u = dim &z 0\n  a_bar' = alloc f64 [u] fill 1.0"),
    "an array of others": (A + B + FILLED + SUM).replace("&a_bar += &b_bar", "&z += &b_bar"),
    "of a block around": A + "  d = lt q 2\n  if d {\n" + STEP + "  } else {\n  }\n",
    "of a block around, too": A + "  d = lt q 2\n  if d {\n  } else {\n" + STEP + "  }\n",
    "read behind": ONE + "  u = lt q n\n  for p in range(n) {\n    p1 = load! &b_bar [p]\n    &y![p] += p1\n  }\n",
    "given on": A + "  for t0 in range(q) carry (c_bar': f64[:] = a_bar) -> (a2_bar') {\n" + STEP.replace("a_bar", "c_bar") + "    yield b_bar\n  }\n",
    "not zeros": ONE.replace("fill 0.0", "fill 1.0"),
    "zeros with a sign": ONE.replace("fill 0.0", "fill -0.0"),
    "nothing": (A + B + FILLED + SUM).replace(" fill 0.0", "").replace("b_bar![i] += e", "b_bar![i] = e").replace("    &b_bar![j] += c\n", ""),
    "a copy": ONE.replace("alloc f64 [n] fill 0.0", "copy &y"),
    "made in a block around": A + B + "  for t0 in range(1) {\n" + FILLED + SUM + "  }\n",
    "made before the other one": B + FILLED.replace("&a_bar", "&y") + A + SUM,
    "read in between": ONE.replace("    c = mul 2.0 e", "    e1 = load! &b_bar [i]\n    c = mul e1 e"),
    "stored to": ONE.replace("b_bar![i] += e", "b_bar![i] = e"),
    "the other one is added to": ONE.replace("    &b_bar![i] += e\n", "    &b_bar![i] += e\n    &a_bar![i] += c\n"),
    "the other one is given on": (A + B + FILLED + "  for p in range(1) carry (c_bar': f64[:] = a_bar) -> (d_bar') {\n    yield c_bar\n  }\n" + SUM.replace("&a_bar", "&d_bar")) + "  a2_bar' = copy &d_bar\n",
    "only some cells are added": A + B + FILLED + NEST.replace("range(n)", "range(l)"),
    "every second cell is added": A + B + FILLED + NEST.replace("range(n)", "range(0, n, 2)"),
    "another cell is added": A + B + FILLED + NEST.replace("b_bar [s]", "b_bar [0]"),
    "added to another cell": A + B + FILLED + NEST.replace("a_bar![s]", "a_bar![0]"),
    "one cell is added": A + B + FILLED + NEST.replace("[s]", "[0]"),
    "a log, to one of no known size": UNKNOWN + B.replace("0.0", "0.0 log cells") + FILLED + SUM,
    "another value is added": A + B + FILLED + NEST.replace("+= t", "+= 1.0"),
    "and something is counted": A + B + FILLED + NEST.replace("{", "carry (w: f64 = 1.0) -> (w1) {", 1).replace("  }\n", "    yield w\n  }\n") + "  &y![0] += w1\n".replace("&y![0] += w1", "w3 = mul w1 2.0"),
    "until it ends": A + B + FILLED + "  go = lt q 2\n" + NEST.replace("{", "exits {", 1).replace("  }\n", "    yield go\n  }\n"),
    "stored over": A + B + FILLED + NEST.replace("+= t", "= t"),
    # cells that are emptied
    "with another number": A + B + EMPTIED.replace("a_bar![i] = 0.0", "a_bar![i] = 1.0") + SUM,
    "twice emptied": A + B + EMPTIED + again(EMPTIED) + SUM,
    "read behind what empties": A + B + EMPTIED + again(FILLED) + SUM,
    "read behind the zero": A + B + EMPTIED.replace("    c = mul 2.0 e", "    e1 = load! &a_bar [i]\n    c = mul e1 e") + SUM,
    "other cells are read": A + B + EMPTIED.replace("    &a_bar![i]", "    h0 = sub l i\n    e1 = load! &a_bar [h0]\n    &a_bar![i]").replace("2.0 e", "e1 e") + SUM,
    "two cells": A + B + EMPTIED.replace("    c = mul", "    h0 = sub l i\n    &a_bar![h0] = 0.0\n    c = mul") + SUM,
    "one cell": A + B + EMPTIED.replace("&a_bar [i]", "&a_bar [0]").replace("&a_bar![i]", "&a_bar![0]") + SUM,
    "a cell from anywhere": A + B + EMPTIED.replace("    e =", "    h = floordiv i 2\n    e =").replace("&a_bar [i]", "&a_bar [h]").replace("&a_bar![i]", "&a_bar![h]") + SUM,
    "until a test empties": A + B + EMPTIED.replace("{", "exits {", 1).replace("  }\n", "    go = lt i 1\n    yield go\n  }\n") + SUM,
    "a check of what is read": A + B + EMPTIED.replace("load! &a_bar", "load &a_bar").replace("range(n)", "range(q)") + SUM,
    "a check of the zero": A + B + EMPTIED.replace("&a_bar![i] =", "&a_bar[i] =") + SUM,
    "a test in the loop": A + B + EMPTIED.replace("    e =", "    ok = lt i n\n    check ok else ValueError \"far\"\n    e =") + SUM,
    "a test before it": A + B + "  ok = le q n\n  check ok else ValueError \"far\"\n" + EMPTIED.replace("range(n)", "range(q)") + SUM,
    "a checked access before it": A + B + "  u = sub q 1\n  v = max u 0\n  v1 = load &y [v]\n" + EMPTIED.replace("range(n)", "range(q)") + SUM,
    "a range that is known later": A + B + "  u = load! &k [0]\n  v = min u n\n" + EMPTIED.replace("range(n)", "range(v)") + SUM,
    "once for each of a loop around": A + B + "  for p in range(2) {\n" + EMPTIED + "  }\n" + SUM,
    "under a condition": A + B + "  for p in range(n) {\n    d = lt p 1\n    if d {\n      &a_bar![p] = 0.0\n    } else {\n    }\n  }\n" + SUM,
    "a single cell": A + B + "  d = lt 1 n\n  for p in range(1, n) {\n    &b_bar![p] += 1.0\n  }\n  if d {\n    &a_bar![0] = 0.0\n  } else {\n  }\n" + SUM,
}  # fmt: skip


@pytest.mark.parametrize("name", STAYS)
def test_sums_that_stay(name: str) -> None:
    before = program(STAYS[name], TAIL.replace("a_bar", "a2_bar") if "a2_bar" in STAYS[name] else TAIL)
    assert changed(before).main == before.main


def test_a_call_that_may_fail_comes_before_what_empties() -> None:
    function = "\nfn few(q: i64, n: i64) {\n  ok = le q n\n  check ok else ValueError \"far\"\n}\n"
    before = program(A + B + "  call few(q, n)\n" + EMPTIED.replace("range(n)", "range(q)") + SUM, TAIL + function)
    assert changed(before).main == before.main


OF_PLANES = {
    "loaded ranges": INSIDE.replace("    for j in range(m)", "    v = load! &k [i]\n    for j in range(v)"),
    "ranges that are carried": INSIDE.replace("range(n1) {", "range(n1) carry (v: i64 = 0) -> (w) {").replace("range(m)", "range(v)").replace("    }\n  }\n", "    }\n    w2 = add v 1\n    w3 = min w2 m\n    yield w3\n  }\n"),
    "a test in the outer loop": INSIDE.replace("    for j", "    ok = lt i n1\n    check ok else ValueError \"far\"\n    for j"),
    "a diagonal, again and again": INSIDE.replace("[i, j]", "[i, i]").replace("range(m)", "range(2)").replace("range(n1)", "range(v2)"),
    "read in the outer loop": INSIDE.replace("    for j", "    w = load! &a_bar [i, 0]\n    for j").replace("+= e", "+= w").replace("range(n1)", "range(v1)"),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_PLANES)
def test_sums_of_planes_that_stay(name: str) -> None:
    before = program(PLANES + OF_PLANES[name] + SUMS, PLANE_TAIL)
    assert changed(before).main == before.main


@pytest.mark.parametrize("sums", [SUMS.replace("range(m)", "range(r)"), SUMS.replace("range(n1)", "range(1, n1)"), SUMS.replace("&a_bar![s, s1]", "&a_bar![s, 0]"), SUMS.replace("    for", "    &y![s] += 1.0\n    for").replace("range(n1)", "range(n)")])
def test_planes_of_which_not_all_is_added(sums: str) -> None:
    before = program(PLANES + INSIDE.replace("      &a_bar![i, j] = 0.0\n", "") + sums, PLANE_TAIL)
    assert changed(before).main == before.main


# as in the adjoint of a step in array style: cells go to an array of their own, and are added to while that is read
WINDOW = "  v0 = max l 0\n  d_bar' = alloc f64 [v0]\n"
MOVE = "  for i in range(v0) {\n    h = add i 1\n    e = load! &a_bar [h]\n    &a_bar![h] = 0.0\n    &d_bar![i] = e\n  }\n"
BACK = "  for s in range(v0) {\n    t = load! &d_bar [s]\n    u = mul 2.0 t\n    &a_bar![s] += u\n    h2 = add s 1\n    &a_bar![h2] += t\n  }\n"
KEPT = MOVE.replace("    &a_bar![h] = 0.0\n", "")
MOVED = {
    "emptied": program(A + WINDOW + MOVE + BACK),
    "kept": program(A + WINDOW + KEPT + BACK),
    "downwards": program(A + WINDOW + "  v1 = sub v0 1\n" + MOVE.replace("range(v0)", "range(v1, -1, -1)") + BACK),
    "the first cells": program(A + WINDOW + MOVE.replace("add i 1", "add i 0") + BACK),
    "counted from behind": program(A + WINDOW + MOVE.replace("    h = add i 1", "    h0 = add i 3\n    h = sub h0 2") + BACK),
    "and used besides": program(A + WINDOW + MOVE.replace("    &d_bar", "    &y![i] += e\n    &d_bar") + BACK),
    "read twice": program(A + WINDOW + MOVE + BACK + again(BACK)),
    "read under a condition": program(A + WINDOW + MOVE + BACK.replace("    h2", "    d = lt s 1\n    if d {\n      t1 = load! &d_bar [s]\n      &y![s] += t1\n    } else {\n    }\n    h2")),
    "and the sum is read": program(A + WINDOW + MOVE + BACK.replace("    h2", "    t1 = load! &a_bar [s]\n    &y![s] += t1\n    h2")),
    "something else in between": program(A + WINDOW + MOVE + "  for p in range(n) {\n    &a_bar![p] += 1.0\n  }\n" + BACK),
    "in a loop": program(steps(WINDOW + MOVE + BACK)),
    "in a loop in a loop": program(steps("for t1 in range(2) {\n" + WINDOW + MOVE + BACK + "}")),
    "of a plane": program(PLANES.replace("  b_bar' = alloc f64 [n1, m] fill 0.0\n", "") + "  v3 = max r 0\n  d_bar' = alloc f64 [n1, v3]\n  for i in range(n1) {\n    for j in range(v3) {\n      h = add j 1\n      e = load! &a_bar [i, h]\n      &a_bar![i, h] = 0.0\n      &d_bar![i, j] = e\n    }\n  }\n  for s in range(n1) {\n    for s1 in range(v3) {\n      t = load! &d_bar [s, s1]\n      &a_bar![s, s1] += t\n    }\n  }\n", PLANE_TAIL),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVED)
def test_cells_that_are_moved_out_are_read_where_they_were(name: str) -> None:
    before = MOVED[name]
    after = changed(before)
    loaded = {s.array.name for s in walk(after.main.body) if isinstance(s, Load)}
    assert "d_bar" not in loaded and not any(isinstance(s, Store) and s.array.name == "d_bar" for s in walk(after.main.body))
    assert count(after, Copy) == count(before, Copy) + 1
    agree(before, after)


UNMOVED = {
    "not adjoints": (WINDOW + MOVE + BACK).replace("d_bar'", "d_bar"),
    "a few cells": (WINDOW + MOVE + BACK).replace("max l 0", "min n 1").replace("add i 1", "add i 0").replace("add s 1", "add s 0"),
    "filled before": (WINDOW + MOVE + BACK).replace("[v0]\n", "[v0] fill 0.0\n", 1),
    "other cells": WINDOW + MOVE.replace("h = add i 1", "h = sub v0 i") + BACK,
    "other cells, kept": WINDOW + KEPT.replace("h = add i 1", "h = sub v0 i") + BACK,
    "stored twice": WINDOW + KEPT.replace("    &d_bar", "    &d_bar![i] = 1.0\n    &d_bar") + BACK,
    "stored twice, the other way round": WINDOW + KEPT.replace("= e\n", "= e\n    &d_bar![i] = 1.0\n") + BACK,
    "stored to by another loop inside": WINDOW + "  for p in range(1) {\n" + KEPT + again(KEPT).replace("= e.2", "= 1.0") + "  }\n" + BACK,
    "given to the next iteration": "  w0 = max l 0\n  w_bar' = alloc f64 [w0] fill 0.0\n  for t0 in range(q) carry (w1_bar': f64[:] = w_bar) -> (w2_bar') {\n" + WINDOW + MOVE + BACK + "    yield d_bar\n  }\n  for w3 in range(w0) {\n    w4 = load! &w2_bar [w3]\n    &y![w3] += w4\n  }\n",
    "in another order": WINDOW + MOVE.replace("    &d_bar![i]", "    h1 = sub v0 h\n    &d_bar![h1]") + BACK,
    "changed on the way": WINDOW + MOVE.replace("    &d_bar![i] = e", "    c = mul 2.0 e\n    &d_bar![i] = c") + BACK,
    "added to behind": WINDOW + MOVE + BACK.replace("    u =", "    &d_bar![s] += t\n    u ="),
    "read with a check": WINDOW + MOVE + BACK.replace("load! &d_bar", "load &d_bar"),
    "a check before the zero": WINDOW + MOVE.replace("    e =", "    ok = lt i q\n    check ok else ValueError \"far\"\n    e =") + BACK,
    "other cells are emptied": WINDOW + MOVE.replace("&a_bar![h] =", "&a_bar![i] =") + BACK,
    "nothing is added": WINDOW + MOVE + BACK.replace("&a_bar!", "&y!"),
    "of a block around": "  d = lt q 2\n  if d {\n" + WINDOW + MOVE + BACK + "  } else {\n  }\n",
    "given on": WINDOW + MOVE + "  for p in range(1) carry (d2_bar': f64[:] = d_bar) -> (d3_bar') {\n    yield d2_bar\n  }\n" + BACK.replace("&d_bar", "&d3_bar"),
    "two loops inside": WINDOW + "  for p in range(1) {\n" + MOVE + again(MOVE) + "  }\n" + BACK,
    "stored to before": WINDOW + again(MOVE).replace("&a_bar![h.2] = 0.0", "&a_bar![h.2] += 0.0") .replace("load! &a_bar", "load! &y") + MOVE + BACK,
}  # fmt: skip


@pytest.mark.parametrize("name", UNMOVED)
def test_cells_that_stay_where_they_were_put(name: str) -> None:
    before = program(A + UNMOVED[name])
    assert changed(before).main == before.main


def test_marked_loops_carry_what_they_did() -> None:
    """That is what their snapshots hold."""
    before = program(steps(STEP))
    marked = tuple(replace(s, mark=Checkpoint("revolve", None)) if isinstance(s, Loop) and s.index.name == "t0" else s for s in before.main.body.stmts)
    before = before.with_main(replace(before.main, body=replace(before.main.body, stmts=marked)))
    assert changed(before).main == before.main


# ---------------------------------------------------------------------------------------------------------- gradients

SOURCE = """
import numpy as np
from jaxtyping import Float64

def f(u0: Float64[np.ndarray, "n"], c: float, q: int) -> float:
    u = u0.copy()
    for t in range(q):
        old = u.copy()
        for i in range({over}):
            u[i] {op} c * old[i - 1] * old[i - 1] + np.sin(old[i + 1]) * old[i]
    s = 0.0
    for i in range(len(u)):
        s += u[i] * u[i] * (i + 1)
    return s
"""


@pytest.mark.parametrize("op", ["=", "+=", "*="])
@pytest.mark.parametrize("over", ["1, len(u) - 1", "len(u) - 2, 0, -1", "1, len(u) - 1, 2"])
def test_gradients_of_steps_in_place(op: str, over: str) -> None:
    """By differences of the function as it was written, by the interpreter, which shares nothing with what is emitted."""
    f = linear_grad(backend="interpret")(load(SOURCE.format(op=op, over=over)))
    for n in (0, 1, 2, 3, 6):
        for q in (0, 1, 3):
            x = np.linspace(0.2, 0.9, n)
            got = np.asarray(f.grad(x, 0.3, q)[0])
            for k in range(n):
                step = np.zeros(n)
                step[k] = 1e-6
                slope = (f.py_func(x + step, 0.3, q) - f.py_func(x - step, 0.3, q)) / 2e-6
                assert abs(got[k] - slope) <= 1e-6 * (1 + abs(slope))


