"""Loops in time with two buffers that one would do for have one, and nothing else changes."""

from __future__ import annotations

from functools import partial
from itertools import count

import numpy as np
import pytest
from linad_typecheck.ir.core import Loop, Program, walk
from linad_typecheck.ir.printing import print_function
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify
from linad_typecheck.types import Array

from linad.optimise.memory.buffer_merging import merge_buffers
from linad.pipeline import linear
from tests import kit

from .copy_programs import cells

HEAD = """entry fn f(a: mut f64[:], b: read f64[:], d: mut f64[:], p: mut f64[:,:], q: i64) -> f64 {
  n = dim &a 0
  n1 = sub n 1
  n2 = sub n 2
  n3 = sub n 3
"""
TWO = "  x = copy &a\n  y = copy &a\n"
ZEROS = "  x = copy &a\n  y = alloc f64 [n] fill 0.0\n"
READ = "  for o in range(n) {\n    o1 = load! &w [o]\n    &a![o] += o1\n  }\n"
READ_BOTH = READ + "  for o2 in range(n) {\n    o3 = load! &w1 [o2]\n    &d![o2] += o3\n  }\n"
SUM, SUMS = "  &d += &w\n", "  &d += &w\n  &d += &w1\n"


def steps(
    body: str,
    front: str = TWO,
    behind: str = READ,
    carry: str = "u: f64[:] = x, v: f64[:] = y",
    outs: str = "w, w1",
    over: str = "range(q)",
    yields: str = "v, u",
    tail: str = "  return 0.0\n}\n",
) -> Program:
    """A loop in time with two buffers, and what comes of it."""
    return parse(f"{front}  for t in {over} carry ({carry}) -> ({outs}) {{\n{body}    yield {yields}\n  }}\n{behind}", tail)


def parse(text: str, tail: str = "  return 0.0\n}\n") -> Program:
    made = parse_program(HEAD + cells(text) + tail)
    assert not verify(made)
    linear(made)
    return made


def contents(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    return [rng.normal(size=n), rng.normal(size=n), rng.normal(size=n), rng.normal(size=(n, 3))]


def agree(before: Program, after: Program) -> None:
    cases = ((*contents(n), q) for n in (0, 1, 2, 3, 4, 5, 8) for q in (-1, 0, 1, 2, 3, 4))
    kit.agree(before, after, cases, partial(np.testing.assert_allclose, rtol=1e-12, atol=1e-12))


def buffers(program: Program) -> int:
    return sum(isinstance(c.type, Array) for s in walk(program.main.body) if isinstance(s, Loop) for c in s.carried)


def changed(before: Program) -> Program:
    after = before.with_main(merge_buffers(before.main)[0])
    assert not verify(after)
    linear(after)
    return after


def plus(source: str, to: str = "d", number=count(1)) -> str:
    """An array added to another one, cell by cell."""
    k = next(number)
    return f"    for z{k} in range(n) {{\n      y{k} = load! &{source} [z{k}]\n      &{to}![z{k}] += y{k}\n    }}\n"


# ------------------------------------------------------------------------------------------------------ steps in time


def loop(*stmts: str, over: str = "range(1, n1)", index: str = "i") -> str:
    return f"    for {index} in {over} {{\n" + "".join(f"      {s}\n" for s in stmts) + "    }\n"


L, H, R = "l = load! &u [i-1]", "h = load! &u [i]", "r = load! &u [i+1]"
NEAR = (L, H, R, "e1 = mul l r", "e = add e1 h")
STEP = loop(*NEAR, "&v![i] = e")
COPIED = loop("k9 = load! &u [k0]", "&v![k0] = k9", over="range(n)", index="k0")
SUMMED = "    for i in range(1, n1) carry (s1: f64 = s) -> (s3) {\n" + "".join(f"      {s}\n" for s in (*NEAR, "&v![i] = e", "s2 = add s1 e")) + "      yield s2\n    }\n"

STEPS = {
    "neighbours": steps(STEP),
    "the cell itself": steps(loop(H, "e = mul 2.0 h", "&v![i] = e")),
    "the cell behind": steps(loop(R, "&v![i] = r", over="range(n1)")),
    "two before and two behind": steps(loop("l = load! &u [i-2]", "r = load! &u [i+2]", "e = sub l r", "&v![i] = e", over="range(2, n2)")),
    "written beside the index": steps(loop("l = load! &u [i]", "r = load! &u [i+2]", "e = sub l r", "&v![i+1] = e", over="range(n2)")),
    "nothing read": steps(loop("e = load! &b [i]", "&v![i] = e")),
    "the second a copy of the first": steps(STEP, "  x = copy &a\n" + plus("b", "x") + "  y = copy &x\n"),
    "the first a copy of the second": steps(STEP, "  y = copy &a\n  x = copy &y\n"),
    "both zeros": steps(loop(*NEAR, "e2 = add e 1.0", "&v![i] = e2"), "  x = alloc f64 [n] fill 0.0\n  y = alloc f64 [n] fill 0.0\n"),
    "both looked at": steps(STEP, TWO + plus("x") + plus("y")),
    "read before": steps(plus("u") + STEP),
    "the new one read behind": steps(STEP + plus("v")),
    "a sum beside": steps(SUMMED, carry="s: f64 = 0.5, u: f64[:] = x, v: f64[:] = y", outs="s4, w, w1", yields="s3, v, u", tail="  return s4\n}\n"),
    "the other one first": steps(STEP, carry="v: f64[:] = y, u: f64[:] = x", outs="w1, w", yields="u, v"),
    "until a test": steps(STEP + "    go = lt t 2\n", over="range(q) exits", yields="go, v, u"),
    "begins as a copy": steps(COPIED + STEP, "  x = copy &a\n  y = alloc f64 [n]\n"),
    "begins as a copy and is added to": steps(COPIED + loop(*NEAR, "&v![i] += e"), "  x = copy &a\n  y = alloc f64 [n]\n"),
    "begins as a copy of cells that differ": steps(COPIED + STEP, "  x = copy &a\n  y = alloc f64 [n] fill 1.0\n"),
    "begins as a copy, in moving bounds": steps(COPIED + "    t1 = mod t 2\n    t2 = add t1 1\n" + STEP.replace("range(1,", "range(t2,")),
    "a copy and nothing more": steps(COPIED),
    "a copy that is read no more": steps(plus("u") + COPIED + loop("g = load! &v [i-1]", "g1 = load! &v [i+1]", "g2 = add g g1", "&v![i] = g2")),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_a_step_writes_where_it_has_read(name: str) -> None:
    before = STEPS[name]
    after = changed(before)
    assert (buffers(before), buffers(after)) == (2, 1)
    assert ("y = " in print_function(after.main)) == (name in ("both looked at", "the first a copy of the second"))
    agree(before, after)


TWO_STORES = loop(*NEAR, "&v![i] = e", "&v![i+1] = e", over="range(1, n2)")
KEPT_STEPS = {
    "begin with other cells": steps(STEP, "  x = copy &a\n  y = copy &b\n"),
    "begin with cells of another array": steps(STEP, "  x = copy &a\n  z = alloc f64 [n] fill 1.0\n  y = copy &z\n"),
    "one begins further out": parse(
        "  x0 = copy &a\n  for k7 in range(2) carry (x: f64[:] = x0) -> (w8) {\n  y = copy &a\n  for t in range(q) carry (u: f64[:] = x, v: f64[:] = y) -> (w, w1) {\n" + STEP + "    yield v, u\n  }\n  yield w\n  }\n" + READ.replace("&w ", "&w8 ")
    ),
    "begin with other numbers": steps(STEP, "  x = alloc f64 [n] fill 0.0\n  y = alloc f64 [n] fill 1.0\n"),
    "begin with nothing": steps(STEP, "  x = alloc f64 [n]\n  y = alloc f64 [n]\n"),
    "the first is written to": steps(STEP, TWO + plus("b", "x")),
    "the second is written to": steps(STEP, TWO + plus("b", "y")),
    "the source is written to in between": steps(STEP, "  x = copy &a\n" + plus("b", "a") + "  y = copy &a\n"),
    "the state before is read later": steps(STEP, behind=READ_BOTH),
    "adds to what was there two steps ago": steps(loop(*NEAR, "&v![i] += e")),
    "reads what was there two steps ago": steps(loop(*NEAR, "g = load! &v [i]", "e2 = add e g", "&v![i] = e2")),
    "writes to cells in moving bounds": steps("    t1 = mod t 2\n    t2 = add t1 1\n" + STEP.replace("range(1,", "range(t2,")),
    "writes to both": steps(plus("b", "u") + STEP),
    "writes before": steps(plus("b", "v") + STEP),
    "writes later": steps(STEP + plus("b", "v")),
    "reads the old one later": steps(STEP + plus("u")),
    "writes to two cells": steps(TWO_STORES),
    "reads far away": steps(loop("l = load! &u [i-3]", "&v![i] = l", over="range(3, n)")),
    "reads anywhere": steps(loop("z = sub n1 i", "l = load! &u [z]", "&v![i] = l")),
    "downwards": steps(STEP.replace("range(1, n1)", "range(n2, 0, -1)")),
    "three that take turns": steps(STEP, TWO + "  z = copy &a\n", READ, "u: f64[:] = x, v: f64[:] = y, third: f64[:] = z", "w, w1, w2", yields="v, third, u"),
    "under a condition": steps(loop(*NEAR, "yes = lt e 0.5", "if yes {", "  &v![i] = e", "}")),
    "never": steps(plus("u")),
    "a copy in place of what is read there": steps(loop("g = load! &v [k0]", "&d![k0] += g", "k9 = load! &u [k0]", "&v![k0] = k9", over="range(n)", index="k0") + STEP),
    "a copy of half": steps(COPIED.replace("range(n)", "range(1, n)") + STEP, "  x = copy &a\n  y = alloc f64 [n] fill 1.0\n"),
    "a copy that is read no more of what has been written to": steps(COPIED + plus("b", "u") + plus("v"), "  x = copy &a\n  y = alloc f64 [n]\n"),
    "a copy of something else": steps(COPIED.replace("&u", "&b") + STEP),
    "a copy, and the old one written to": steps(COPIED + plus("b", "u") + STEP),
    "a copy, and the old one read later": steps(COPIED + STEP + plus("u")),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT_STEPS)
def test_what_needs_both_keeps_both(name: str) -> None:
    before = KEPT_STEPS[name]
    assert merge_buffers(before.main)[0] == before.main


def test_planes_keep_both() -> None:
    """A row would have to wait in an array of its own."""
    rows = loop("l = load! &u [i-1, 0]", "&v![i, 0] = l", over="range(1, n)")
    before = steps(
        rows, "  x = copy &p\n  y = copy &p\n", READ.replace("&w [o]", "&w [o, 0]"), "u: f64[:,:] = x, v: f64[:,:] = y"
    )
    assert merge_buffers(before.main)[0] == before.main


# ---------------------------------------------------------------------------------------------------------- adjoints

TAKE = ("g = load! &u [i]", "&u![i] = 0.0")
LEFT, MID, RIGHT = "&v![i-1] += g", "&v![i] += c", "&v![i+1] += g"
GIVE = ("c = mul g -2.0", LEFT, MID, RIGHT)
REVERSE = loop(*TAKE, *GIVE)
AGAIN = loop("&v![k1] = 0.0", over="range(1, n1)", index="k1")
APART = loop("g = load! &u [i]", *GIVE)
BEYOND = loop("g = load! &u [i+1]", "c = mul g -2.0", "&v![i] += g", "&v![i+1] += c", "&v![i+2] += g", over="range(n2)")

ADJOINTS = {
    "of neighbours": steps(REVERSE, ZEROS, SUMS),
    "downwards": steps(REVERSE.replace("range(1, n1)", "range(n2, 0, -1)"), ZEROS, SUMS),
    "of the cell before": steps(loop(*TAKE, "c = mul g 0.5", LEFT, MID), ZEROS, SUMS),
    "of the cell behind": steps(loop(*TAKE, "c = mul g 0.5", MID, RIGHT), ZEROS, SUMS),
    "of the cell behind, downwards": steps(loop(*TAKE, "c = mul g 0.5", MID, RIGHT, over="range(n2, 0, -1)"), ZEROS, SUMS),
    "of the cell itself": steps(loop(*TAKE, "c = mul g 0.5", MID), ZEROS, SUMS),
    "of cells on both sides": steps(loop(*TAKE, LEFT, RIGHT), ZEROS, SUMS),
    "of far cells": steps(loop(*TAKE, "&v![i-3] += g", "&v![i+2] += g", over="range(3, n2)"), ZEROS, SUMS),
    "beside the index": steps(loop("g = load! &u [i+1]", "&u![i+1] = 0.0", "&v![i] += g", "&v![i+2] += g", over="range(n2)"), ZEROS, SUMS),
    "the other one first": steps(REVERSE, ZEROS, SUMS, "v: f64[:] = y, u: f64[:] = x", "w1, w", yields="u, v"),
    "with other sums in between": steps(REVERSE, ZEROS, "  &d += &w1\n  &d += &b\n  &d += &w\n"),
    "with other sums": steps(REVERSE.replace("      c =", "      &d![i+1] += g\n      &d![i] += g\n      c ="), ZEROS, SUMS),
    "dead in the end": steps(loop(*TAKE, "&d![i] += g", *GIVE), ZEROS, ""),
    "a copy with zeros": steps(COPIED + AGAIN + APART, "  x = copy &a\n  y = alloc f64 [n]\n", SUM),
    "a copy with zeros, downwards": steps(COPIED + AGAIN + APART.replace("range(1, n1)", "range(n2, 0, -1)"), behind=SUM),
    "a copy with zeros, beside the index": steps(COPIED + AGAIN + BEYOND, behind=SUM),
    "a copy, and zeros behind it": steps(COPIED + plus("u") + AGAIN + plus("u") + APART, behind=SUM),
    "a copy": steps(COPIED + APART, behind=SUM),
    "a copy, downwards": steps(COPIED + APART.replace("range(1, n1)", "range(n2, 0, -1)"), behind=SUM),
    "a copy, and cells before": steps(COPIED + loop("g = load! &u [i]", LEFT), behind=SUM),
    "a copy, in moving bounds": steps(COPIED + "    t1 = mod t 2\n    t2 = add t1 1\n" + APART.replace("range(1,", "range(t2,"), behind=SUM),
    "a copy, and cells in front of what is read": steps(COPIED + loop("g = load! &u [i]", RIGHT), behind=SUM),
    "a copy, of two cells": steps(COPIED + loop("g = load! &u [i]", "c = load! &u [i+1]", MID), behind=SUM),
    "a copy, and read behind": steps(COPIED + AGAIN + APART + plus("v"), behind=SUM),
    "zeros that nobody reads any more": steps(COPIED + plus("u") + AGAIN + loop("g = load! &b [i]", *GIVE), behind=SUM),
}  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ADJOINTS)
def test_an_adjoint_is_added_to_where_it_has_been_read(name: str) -> None:
    before = ADJOINTS[name]
    after = changed(before)
    assert (buffers(before), buffers(after)) == (2, 1)
    agree(before, after)


def test_two_pairs_of_one_loop() -> None:
    """As the adjoint and its tangent in a product with a Hessian."""
    other = [s.replace("&u", "&u1").replace("&v", "&v1").replace("g", "h").replace("c", "e") for s in (*TAKE, *GIVE)]
    before = steps(
        loop(*TAKE, *GIVE, *other), ZEROS + "  x1 = copy &d\n  y1 = alloc f64 [n] fill 0.0\n",
        SUMS + "  &a += &w2\n  &a += &w3\n", "u: f64[:] = x, v: f64[:] = y, u1: f64[:] = x1, v1: f64[:] = y1",
        "w, w1, w2, w3", yields="v, u, v1, u1",
    )  # fmt: skip
    after = changed(before)
    assert (buffers(before), buffers(after)) == (4, 2)
    agree(before, after)


EMPTY = "  for k in range(n) {\n    &d![k] = 0.0\n  }\n"
LOOK = "  for k in range(n) {\n    k2 = load! &d [k]\n    &a![k] += k2\n  }\n"

KEPT_ADJOINTS = {
    "zeros between the sums": steps(REVERSE, ZEROS, f"  &d += &w\n{EMPTY}  &d += &w1\n"),
    "zeros between the sums, the other one first": steps(REVERSE, ZEROS, f"  &d += &w1\n{EMPTY}  &d += &w\n"),
    "one sum is looked at": steps(REVERSE, ZEROS, f"  &d += &w\n{LOOK}  &d += &w1\n"),
    "begin with other numbers": steps(REVERSE, behind=SUMS),
    "begin with ones": steps(REVERSE, ZEROS.replace("0.0", "1.0"), SUMS),
    "one is not added": steps(REVERSE, ZEROS, SUM),
    "added to different arrays": steps(REVERSE, ZEROS, "  &d += &w\n  &a += &w1\n"),
    "read later": steps(REVERSE, ZEROS, SUMS + READ),
    "leave numbers": steps(REVERSE.replace("&u![i] = 0.0", "&u![i] = 1.0"), ZEROS, SUMS),
    "leave nothing": steps(APART, ZEROS, SUMS),
    "leave zeros in moving bounds": steps("    t1 = mod t 2\n    t2 = add t1 1\n" + REVERSE.replace("range(1,", "range(t2,"), ZEROS, SUMS),
    "read before": steps(plus("u") + REVERSE, ZEROS, SUMS),
    "add elsewhere": steps(REVERSE + plus("b", "v"), ZEROS, SUMS),
    "add before": steps(plus("b", "v") + REVERSE, ZEROS, SUMS),
    "read later in the loop": steps(REVERSE + plus("u"), ZEROS, SUMS),
    "are added to in front of what is read": steps(COPIED + AGAIN + loop("g = load! &u [i]", RIGHT), behind=SUM),
    "are added to in front of what is read, downwards": steps(COPIED + loop("g = load! &u [i]", LEFT, over="range(n2, 0, -1)"), behind=SUM),
    "are left behind": steps(loop(*TAKE, LEFT), ZEROS, SUMS),
    "read two cells": steps(COPIED + AGAIN + loop("g = load! &u [i]", "c = load! &u [i+1]", MID), behind=SUM),
    "zeros, and nothing more but reads": steps(COPIED + AGAIN + plus("u"), behind=SUM),
    "a copy, and leave zeros": steps(COPIED + REVERSE, behind=SUM),
    "read here and give elsewhere": steps(COPIED + loop("g = load! &u [i]", "j = add i none", "&v![j] += g"), TWO + "  none = sub n n\n", SUM),
    "all of it elsewhere": steps(COPIED + AGAIN + loop("i5 = add i none", "g = load! &u [i5]", "j = add i5 1", "&v![i5] += g", "&v![j] += g"), TWO + "  none = sub n n\n", SUM),
    "zeros elsewhere": steps(COPIED + AGAIN.replace("range(1,", "range(2,") + APART, behind=SUM),
    "zeros up to elsewhere": steps(COPIED + AGAIN.replace("n1", "n") + APART, behind=SUM),
    "zeros, and read in between": steps(COPIED + AGAIN + plus("v") + APART, behind=SUM),
    "read again behind": steps(COPIED + loop("g = load! &u [i]", "&v![i] += g", "c = load! &u [i]", "&d![i] += c", "j = sub n1 i", "o5 = load! &b [j]", "&v![i] += o5"), behind=SUM),
    "another copy in place of zeros": steps(COPIED + AGAIN.replace("&v![k1] = 0.0", "k2 = load! &b [k1]\n      &v![k1] = k2") + APART, behind=SUM),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT_ADJOINTS)
def test_adjoints_that_need_both_keep_both(name: str) -> None:
    before = KEPT_ADJOINTS[name]
    assert merge_buffers(before.main)[0] == before.main


# ------------------------------------------------------------------------------------------------- what is moved at once

MADE = "  x = copy &a\n  m = alloc f64 [n]\n"
FIRST = loop("l = load! &u [i]", "h = load! &u [i+1]", "r = load! &u [i+2]", "e1 = mul l r", "e = add e1 h", "&m![i] = e", over="range(n2)")
THEN = loop("g = load! &m [j]", "&u![j+1] = g", over="range(n2)", index="j")


def alone(body: str, front: str = MADE, behind: str = READ) -> Program:
    """A loop in time with one buffer, and an array beside it."""
    return steps(body, front, behind, "u: f64[:] = x", "w", yields="u")


MOVED = {
    "to the middle": alone(FIRST + THEN),
    "made in the loop": alone("    m = alloc f64 [n]\n" + FIRST + THEN, "  x = copy &a\n"),
    "to the same cells": alone(loop("l = load! &u [i]", "h = load! &u [i+1]", "e = add l h", "&m![i] = e", over="range(n2)") + THEN.replace("j+1", "j")),
    "added": alone(FIRST + THEN.replace("] = g", "] += g")),
    "other things in between": alone(FIRST + plus("b") + THEN),
    "more in the first loop": alone(FIRST.replace("&m![i] = e", "&d![i] += e\n      &m![i] = e") + THEN),
}


@pytest.mark.parametrize("name", MOVED)
def test_what_a_loop_stores_for_another_one_to_move_is_stored_where_it_belongs(name: str) -> None:
    before = MOVED[name]
    after = changed(before)
    assert "m = alloc" in print_function(before.main) and "m = alloc" not in print_function(after.main)
    agree(before, after)


NOT_MOVED = {
    "read later": alone(FIRST + THEN + plus("m")),
    "read anywhere": alone(FIRST.replace("load! &u [i]", "load! &u [0]") + THEN),
    "to far cells": alone(FIRST + THEN.replace("j+1", "j+4").replace("range(n2)", "range(n4)").replace("    for", "    n4 = sub n 6\n    for", 1) + "") if False else alone(FIRST.replace("u [i]", "u [i+2]") + THEN.replace("j+1", "j-2").replace("range(n2)", "range(2, n2)")),
    "of other iterations": alone(FIRST + THEN.replace("range(n2)", "range(1, n2)")),
    "of fewer iterations": alone(FIRST + THEN.replace("range(n2)", "range(n3)")),
    "to the next cells": alone(FIRST.replace("&m![i] = e", "&m![i+1] = e") + THEN),
    "summed on the way": alone(
        FIRST + "    for j in range(n2) carry (s1: f64 = 0.0) -> (s3) {\n      g = load! &m [j]\n      s2 = add s1 g\n      &u![j+1] = g\n      yield s2\n    }\n    c5 = lt 0 n\n    if c5 {\n      &d![0] += s3\n    }\n"
    ),
    "the other way round": alone(FIRST + THEN.replace("load! &m [j]", "load! &m [z]").replace("      g", "      z = sub n3 j\n      g")),
    "written to in between": alone(FIRST + plus("b", "u") + THEN),
    "changed in between": alone(FIRST + plus("b", "m") + THEN),
    "changed on the way": alone(FIRST + THEN.replace("] = g", "] = g2").replace("      &u", "      g2 = mul g 2.0\n      &u")),
    "written by the first loop": alone(FIRST.replace("&m![i] = e", "&m![i] = e\n      &u![i] = 0.0") + THEN),
    "the caller's": parse("  x = copy &a\n" + loop("l = load! &x [i]", "e = mul l 2.0", "&d![i] = e") + loop("g = load! &d [j]", "&x![j] = g", index="j") + READ.replace("&w ", "&x ")),
    "read back by the first loop": alone(FIRST.replace("&m![i] = e", "&m![i] = e\n      e3 = load! &m [i]\n      &d![i] += e3") + THEN),
}


@pytest.mark.parametrize("name", NOT_MOVED)
def test_what_cannot_be_stored_there_is_moved(name: str) -> None:
    before = NOT_MOVED[name]
    assert merge_buffers(before.main)[0] == before.main


CHANGED = loop("g = load! &v [j]", "&m![j] = g", index="j")
LOOKED_AT = READ + "  for o2 in range(n) {\n    o3 = load! &m [o2]\n    &d![o2] += o3\n  }\n"
ONWARDS = loop("g = load! &m [k]", "&x![k] += g", index="k") + loop("g1 = load! &x [k1]", "&y![k1] = g1", index="k1")


@pytest.mark.parametrize("op", ["=", "+="])
def test_what_was_two_buffers_is_in_more_hands_than_each_was(op: str) -> None:
    before = steps(loop(L, "e = mul l 0.5", "&v![i] = e") + CHANGED.replace("] =", f"] {op}"), TWO + "  m = copy &a\n", LOOKED_AT)
    after = changed(before)
    assert buffers(after) == 1
    agree(before, after)


def test_what_is_moved_into_an_array_may_not_be_moved_on_as_if_that_had_not_been_read() -> None:
    front = "  m = alloc f64 [n]\n  x = alloc f64 [n] fill 1.0\n  y = copy &a\n"
    before = parse(front + loop("l = load! &b [i]", "&m![i] = l") + ONWARDS + "  &a += &y\n")
    after = changed(before)
    assert "m = alloc" not in print_function(after.main) and "x = alloc" in print_function(after.main)
    agree(before, after)
