"""Copies are made by the loops that write over the array; whatever else they do, the numbers stay."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linad_typecheck.ir.core import Alloc, Copy, If, Load, Loop, Store, walk

from linad import linear_grad
from linad.codegen import EmitOptions, emit
from linad.interpret import run
from tests.examples_of import quick
from tests.kit import load

from ...codegen.roads import Raised, call, python
from .copy_programs import COPY, LOOPS, LOOPS_X, MADE, NEAR, OVER, OWN, PLANE, PLANE_OVER, READ_C, READ_CX, READ_U, READ_X, STATES, agree, changed, contents, count, in_loops, plane, program

LOWEST, HIGHEST = -(2**63), 2**63 - 1


# ---------------------------------------------------------------------------------------------------------- one axis

ALONG = {  # what the loop does, and how many cells are handed on
    "cells on both sides": (NEAR, 2),
    "the cell itself": ("  for i in range(n) {\n    h = load! &c [i]\n    t = mul h 2.0\n    &u![i] = t\n  }\n", 0),
    "the cell before": ("  for i in range(1, n) {\n    h = load! &c [i-1]\n    &u![i] = h\n  }\n", 1),
    "the cell behind": ("  for i in range(n1) {\n    h = load! &c [i+1]\n    &u![i] = h\n  }\n", 1),
    "two before and two behind": ("  for i in range(2, n2) {\n    l = load! &c [i-2]\n    r = load! &c [i+2]\n    t = sub l r\n    &u![i] = t\n  }\n", 4),
    "two before": ("  for i in range(2, n) {\n    l = load! &c [i-2]\n    &u![i] = l\n  }\n", 2),
    "a cell beside the index": ("  for i in range(n3) {\n    l = load! &c [i]\n    r = load! &c [i+3]\n    t = sub l r\n    &u![i+2] = t\n  }\n", 3),
    "a cell before the index": ("  for i in range(3, n) {\n    l = load! &c [i-2]\n    r = load! &c [i-1]\n    t = sub l r\n    &u![i-3] = t\n  }\n", 2),
    "an index in two steps": ("  for i in range(n2) {\n    d1 = add 1 i\n    d2 = add d1 1\n    d3 = sub d2 1\n    l = load! &c [i]\n    r = load! &c [d2]\n    t = sub l r\n    &u![d3] = t\n  }\n", 2),
    "nothing of the copy": ("  for i in range(1, n1) {\n    &u![i] = 2.0\n  }\n", 0),
    "is added": (NEAR.replace("&u![i] = t", "&u![i] += t"), 2),
    "is added and nothing read": ("  for i in range(1, n1) {\n    &u![i] += 2.0\n  }\n", 0),
    "no cell": (NEAR.replace("range(1, n1)", "range(2, 2)"), 2),
    "reads the array before": (NEAR.replace("    s =", "    o = load! &u [i]\n    o1 = load! &u [i+1]\n    o2 = load! &u [i-1]\n    o3 = add o o1\n    o4 = add o2 o3\n    s =").replace("mul l r", "mul l o4"), 2),
    "reads the array further on": ("  for i in range(n3) {\n    o = load! &u [i+3]\n    h = load! &c [i+1]\n    t = mul o h\n    &u![i] = t\n  }\n", 1),
    "reads the array behind": (NEAR.replace("  }\n", "    o = load! &u [i]\n    o1 = load! &u [i+1]\n    o2 = load! &u [i-1]\n    o3 = add o o1\n    o4 = add o2 o3\n    &a![i] += o4\n  }\n"), 2),
    "reads the array behind, and nothing of the copy": ("  for i in range(1, n1) {\n    &u![i] = 2.0\n    o = load! &u [i]\n    &a![i] += o\n  }\n", 0),
    "reads the array anywhere": (NEAR.replace("    s =", "    z = load! &k [i]\n    o = load! &u [z]\n    s =").replace("mul l r", "mul l o"), 2),
    "reads the copy behind": (NEAR.replace("  }\n", "    o = load! &c [i]\n    o1 = load! &c [i-1]\n    o2 = sub o o1\n    &a![i] += o2\n  }\n"), 2),
    "sums beside": (NEAR.replace("range(1, n1) {", "range(1, n1) carry (w: f64 = 1.0) -> (w1) {").replace("  }\n", "    w2 = add w h\n    yield w2\n  }\n  &a![1] += w1\n".replace("  &a![1] += w1\n", "")), 3),
    "other loops in it": (NEAR.replace("    s =", "    for v in range(2) {\n      &a![i] += 1.0\n    }\n    s ="), 2),
}  # fmt: skip


@pytest.mark.parametrize("name", ALONG)
def test_a_copy_that_only_the_loop_reads_is_not_made(name: str) -> None:
    body, handed = ALONG[name]
    before = program(OWN, COPY, body, READ_U)
    after = changed(before)
    [loop] = (s for s in walk(after.main.body) if isinstance(s, Loop) and s.index.name == "i")
    assert count(before, Copy) - count(after, Copy) == 1 and count(after, Alloc) == 0 and len(loop.carried) == handed
    agree(before, after)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", ALONG)
def test_a_copy_that_is_read_later_is_made_by_the_loop(name: str, state: str) -> None:
    body, _ = ALONG[name]
    before = program(OWN, STATES[state], body, READ_U, READ_C)
    after = changed(before)
    assert count(after, Copy) + count(after, Alloc) == 2
    assert in_loops(after, Store, "c") == 1 and in_loops(after, Load, "c") == 0
    agree(before, after)


@pytest.mark.parametrize("name", ["cells on both sides", "the cell before", "two before and two behind", "a cell beside the index", "nothing of the copy"])
def test_a_copy_that_is_a_result(name: str) -> None:
    body, _ = ALONG[name]
    before = program(OWN, "  o5 = lt q 5\n  w = if o5 {\n", COPY, body, "    yield c\n  } else {\n    w1 = copy &u\n    yield w1\n  }\n", READ_U, READ_C.replace("&c", "&w"))
    after = changed(before)
    assert count(after, Copy) == count(before, Copy) - 1 and count(after, Alloc) == 1
    agree(before, after)


def test_what_the_loop_reads_of_the_array_itself_comes_in_the_same_registers() -> None:
    """But for cells that have been written over."""
    body, _ = ALONG["reads the array before"]
    kept = "  c = alloc f64 [2, n] log slices\n  for t1 in range(2) {\n" + LOOPS.replace("&c![", "&c![t1, ")
    for before in (program(OWN, COPY, body, READ_U), program(OWN, kept, body.replace("&c [", "&c [t1, ") + "  }\n", READ_U)):
        after = changed(before)
        assert in_loops(after, Load, "u") == 2
        agree(before, after)


def test_copies_made_by_one_loop_are_sunk_one_by_one() -> None:
    """As those of an array and of its tangent."""
    both = "  c = alloc f64 [n]\n  d = alloc f64 [n]\n  w = copy &a\n  for p in range(n) {\n    p1 = load! &u [p]\n    &c![p] = p1\n    p2 = load! &w [p]\n    &d![p] = p2\n  }\n"
    body = NEAR.replace("    s =", "    d1 = load! &d [i-1]\n    d2 = add d1 r\n    s =").replace("  }\n", "    &w![i] = d2\n  }\n")
    before = program(OWN, both, body, READ_U, READ_U.replace("&u", "&w"))
    after = changed(before)
    assert all(in_loops(before, Load, v) and not in_loops(after, Load, v) and in_loops(after, Store, v) for v in "cd")
    kept = program(OWN, both.replace("&d![p]", "&c![p]"), body, READ_U)  # the second copy overwrites the first
    agree(before, after)
    agree(kept, changed(kept))


def test_nothing_is_handed_on_that_nobody_needs() -> None:
    for before in (program(OWN, COPY, ALONG["the cell itself"][0], READ_U), program(PLANE, COPY, PLANES["far along other rows"][0], READ_X)):
        after = changed(before)
        assert not any(isinstance(s, If) and s.outs or isinstance(s, Loop) and s.carried for s in walk(after.main.body))


def test_copies_in_the_second_arm() -> None:
    before = program(OWN, "  o5 = lt 5 q\n  if o5 {\n  } else {\n", COPY, NEAR, "  }\n", READ_U)
    after = changed(before)
    assert count(after, Copy) == 1
    agree(before, after)


@pytest.mark.parametrize(("over", "far"), [("far, n1", HIGHEST), ("far, 1", HIGHEST), ("n1, far", LOWEST), ("far, far", LOWEST), ("5, far", 5), ("far, 4", 4)])
def test_a_loop_that_never_runs_may_begin_and_end_anywhere(over: str, far: int) -> None:
    for body in (NEAR, ALONG["a cell beside the index"][0].replace("range(n3)", "range(1, n1)")):
        before = program(OWN, COPY, body.replace("range(1, n1)", f"range({over})"), READ_U, READ_C)
        after = changed(before)
        assert count(after, Copy) == 1
        agree(before, after, far=far)


def test_single_floats() -> None:
    before = program("  n9 = dim &g 0\n  u = copy &g\n", COPY, NEAR, (READ_U + READ_C).replace("&a!", "&g!"))
    after = changed(before)
    assert count(after, Copy) == 1
    agree(before, after)


def test_two_copies_of_one_array() -> None:
    """The second one is made by the loop."""
    before = program(OWN, "  d = copy &u\n", COPY, NEAR.replace("h = load! &c", "h = load! &d"), READ_U, READ_C, READ_C.replace("&c", "&d"))
    after = changed(before)
    assert count(after, Copy) == 2
    agree(before, after)


def test_two_arrays_and_their_copies() -> None:
    both = """  for i in range(1, n1) {
    l = load! &c [i-1]
    r = load! &d [i+1]
    h = load! &d [i]
    s = mul l r
    t = add s h
    &u![i] = t
    t1 = add l h
    &v![i] += t1
  }
"""
    before = program(OWN, "  v = alloc f64 [n] fill 0.5\n  d = copy &v\n", COPY, both, READ_U, READ_C, (READ_U + READ_C).replace("&u", "&v").replace("&c", "&d"))
    after = changed(before)
    assert count(after, Copy) == 1 and count(after, Alloc) == 3
    agree(before, after)


def test_what_copies_may_itself_write_over_what_is_copied() -> None:
    over = "  for i in range(n) {\n    e = load! &v [i]\n    &u![i] = e\n  }\n"
    before = program(OWN, "  v = alloc f64 [n] fill 0.5\n", COPY, over, READ_U, READ_C)
    after = changed(before)
    assert count(after, Copy) == 1
    agree(before, after)


def test_steps_of_a_loop_around_and_what_is_kept_of_them() -> None:
    """In two loops over time, as the forward sweep of a gradient."""
    kept = "  s0 = max q 0\n  c = alloc f64 [s0, 2, n] log slices\n  for t1 in range(q) {\n  for t2 in range(2) {\n  for p in range(n) {\n    p1 = load! &u [p]\n    &c![t1, t2, p] = p1\n  }\n"
    body = NEAR.replace("&c [", "&c [t1, t2, ") + "  }\n  }\n"
    later = "  for t3 in range(q) {\n    for o2 in range(n) {\n      o3 = load! &c [t3, 1, o2]\n      &a![o2] += o3\n    }\n  }\n"
    before = program(OWN, kept, body, READ_U, later)
    after = changed(before)
    assert in_loops(after, Load, "c") == 0 and in_loops(after, Store, "c") == 1
    agree(before, after)


def test_states_of_two_arrays_are_kept() -> None:
    kept = "  s0 = max q 0\n  v = alloc f64 [n] fill 0.5\n  c = alloc f64 [s0, n] log slices\n  d = alloc f64 [s0, n] log slices\n  for t1 in range(q) {\n"
    copies = "  for p in range(n) {\n    p1 = load! &u [p]\n    &c![t1, p] = p1\n  }\n  for p2 in range(n) {\n    p3 = load! &v [p2]\n    &d![t1, p2] = p3\n  }\n"
    body = NEAR.replace("&c [", "&c [t1, ").replace("h = load! &c", "h = load! &d").replace("  }\n", "    &v![i] += s\n  }\n  }\n")
    before = program(OWN, kept, copies, body, READ_U, READ_U.replace("&u", "&v"), "  for t3 in range(q) {\n    for o2 in range(n) {\n      o3 = load! &c [t3, o2]\n      o4 = load! &d [t3, o2]\n      o5 = mul o3 o4\n      &a![o2] += o5\n    }\n  }\n")
    after = changed(before)
    assert in_loops(after, Load, "c") == in_loops(after, Load, "d") == 0 and in_loops(after, Store) == 4
    agree(before, after)


# ------------------------------------------------------------------------------------------------------ several axes

PLANES = {  # a nest, whether the copy is needed if nobody reads it later
    "four neighbours": (plane("i-1, j;i+1, j;i, j-1;i, j+1;i, j"), True),
    "nine": (plane(";".join(f"i{di}, j{dj}" for di in ("-1", "", "+1") for dj in ("-1", "", "+1"))), True),
    "the row itself": (plane("i, j-1;i, j+1"), False),
    "rows behind": (plane("i+1, j;i+1, j-1;i, j+1"), False),
    "a row before": (plane("i-1, j"), True),
    "far along other rows": (plane("i-1, j+3;i+1, j-3", columns="3, m3") .replace("  for i", "  m3 = sub m 3\n  for i", 1), True),
    "rows far away": (plane("i-3, j;i, j", rows="3, n"), True),
    "cells beside the indices": (plane("i, j;i+2, j+2;i+1, j", write="i+1, j+1", rows="n2", columns="m2"), True),
    "all cells": (plane("i, j", rows="n", columns="m"), False),
    "all rows": (plane("i, j-1", rows="n"), False),
    "additions": (plane("i-1, j;i+1, j;i, j-1;i, j+1", op="+="), True),
    "reads the array": (plane("i-1, j;i, j+1").replace("      s0", "      w0 = load! &u [i-1, j]\n      w1 = load! &u [i+1, j]\n      w2 = sub w0 w1\n      s0").replace("add s0 e1", "add w2 e1"), True),
    "reads the row before of the array": (plane("i, j+1").replace("      s0", "      w0 = load! &u [i-1, j]\n      s0").replace("mul e0 2.0", "mul e0 w0"), False),
    "sums": (plane("i-1, j;i, j+1").replace("1, n1) {", "1, n1) carry (w: f64 = 0.0) -> (w1) {").replace("1, m1) {", "1, m1) carry (w2: f64 = w) -> (w3) {").replace("    }\n  }\n", "      w4 = add w2 s1\n      yield w4\n    }\n    yield w3\n  }\n"), True),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANES)
def test_planes(name: str) -> None:
    body, needed = PLANES[name]
    before = program(PLANE, COPY, body, READ_X)
    after = changed(before)
    assert count(after, Copy) == 1 and count(after, Alloc) == needed
    agree(before, after)


RAGGED = {
    "a triangle": plane("i-1, j;i, j+1").replace("    for j in range(1, m1)", "    w1 = min i m1\n    for j in range(w1)"),
    "rows of other lengths": plane("i, j;i+1, j").replace("    for j in range(1, m1)", "    w0 = load! &k [i]\n    w1 = min w0 m1\n    w2 = floordiv w1 2\n    for j in range(w2, w1)"),
    "a length that the rows hand on": plane("i-1, j;i, j+1").replace("1, n1) {", "1, n1) carry (w: i64 = m1) -> (w1) {").replace("range(1, m1)", "range(1, w)").replace("    }\n  }\n", "    }\n    w2 = sub w 1\n    yield w2\n  }\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", RAGGED)
def test_rows_that_end_by_themselves(name: str) -> None:
    """Where nothing is written to a row, it need not be there."""
    before = program(PLANE, COPY, RAGGED[name], READ_X)
    assert changed(before).main == before.main


def test_rows_that_are_not_there() -> None:
    """The loops may leave the array where they write nothing."""
    before = program(PLANE, COPY, plane("i-1, j;i+1, j", rows="far", columns="0"), READ_X, READ_CX)
    after = changed(before)
    assert count(after, Copy) < count(before, Copy)
    agree(before, after, far=40)


@pytest.mark.parametrize("state", [COPY, LOOPS_X])
@pytest.mark.parametrize("name", PLANES)
def test_planes_whose_copy_is_read_later(name: str, state: str) -> None:
    body, _ = PLANES[name]
    before = program(PLANE, state, body, READ_X, READ_CX)
    after = changed(before)
    assert count(after, Copy) == 1 and count(after, Alloc) == 1 and in_loops(after, Store, "c") > 0
    agree(before, after)


SPACE = "  u = copy &y\n"
READ_Y = "  for o in range(n) {\n    for o1 in range(m) {\n      for o2 in range(n) {\n        o3 = load! &u [o, o1, o2]\n        o4 = load! &c [o, o1, o2]\n        o5 = mul o3 o4\n        &y![o, o1, o2] += o5\n      }\n    }\n  }\n"


@pytest.mark.parametrize("write", ["h, i, j", "h, i+1, j-1"])
def test_three_axes(write: str) -> None:
    body = f"""  for h in range(1, n1) {{
    h1 = sub h 1
    h2 = add h 1
    for i in range(1, m2) {{
      for j in range(2, n1) {{
        e0 = load! &c [h, i+1, j]
        e1 = load! &c [h1, i, j+1]
        e2 = load! &c [h2, i, j]
        e3 = load! &c [h, i, j]
        e4 = load! &c [h, i+1, j-2]
        s0 = sub e0 e1
        s1 = sub e2 e3
        s2 = mul s0 s1
        s3 = add s2 e4
        &u![{write}] = s3
      }}
    }}
  }}
"""
    before = program(SPACE, COPY, body, READ_Y)
    after = changed(before)
    assert count(after, Copy) == 1
    agree(before, after, ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 6)))


# ------------------------------------------------------------------------------------------- the copy is written over

@pytest.mark.parametrize("over", ["1, n1", "n", "2, 2", "0, n1", "far, n1"])
@pytest.mark.parametrize("state", STATES)
def test_cells_of_the_copy_that_are_written_over_are_not_copied(over: str, state: str) -> None:
    body = OVER.replace("range(1, n1)", f"range({over})")
    body = body if over in ("1, n1", "2, 2", "far, n1") else re.sub(r"i[+-]1", "i", body)
    before = program(OWN, STATES[state], body, READ_U, READ_C)
    after = changed(before)
    assert count(after, Copy) + count(after, Alloc) == 2 and in_loops(after, Store) == 1
    agree(before, after, far=HIGHEST if over == "far, n1" else 0)
    n = 20
    assert run(after, [*contents(n, 2), 2, HIGHEST], in_place=True).counts["store"] == n


def test_planes_that_are_written_over() -> None:
    for rows, columns in (("1, n1", "1, m1"), ("1, n1", "2, 2"), ("2, 2", "1, m1")):
        before = program(PLANE, COPY, PLANE_OVER.replace("1, n1", rows).replace("1, m1", columns), READ_X, READ_CX)
        after = changed(before)
        assert count(after, Copy) == 1
        agree(before, after)


def test_cells_beside_the_index_that_are_written_over() -> None:
    before = program(PLANE, COPY, plane("i, j", "i+1, j+2", "n1", "m2").replace("&u!", "&w!").replace("&c", "&u").replace("&w!", "&c!"), READ_X, READ_CX)
    after = changed(before)
    assert count(after, Copy) == 1
    agree(before, after)


# ------------------------------------------------------------------------------------------------------ random loops


@st.composite
def nests(draw: st.DrawFn) -> tuple[str, str, bool]:
    """Loops over one axis or two that read the array and its copy at some distances, and write to one of them."""
    deep = draw(st.booleans())
    near = st.integers(-2, 2)

    def cell(v: str) -> str:
        return f"{v}{d:+}" if (d := draw(near)) else v

    def where() -> str:
        return f"{cell('i')}, {cell('j')}" if deep else cell("i")

    lines, values = [], ["1.5"]
    target = draw(st.sampled_from("uuuuc"))
    order = draw(st.integers(0, 5))
    for k in range(6):
        if k == order:
            op = draw(st.sampled_from(["=", "=", "+="]))
            lines.append(f"&{target}![{where()}] {op} {values[-1]}")
        else:
            lines.append(f"e{k} = load! &{draw(st.sampled_from('uuc' if target == 'c' else 'ucc'))} [{where()}]")
            lines.append(f"t{k} = {draw(st.sampled_from(['add', 'mul', 'sub']))} e{k} {values[-1]}")
            values.append(f"t{k}")
    lines.append(f"&{'x' if deep else 'a'}![{'i, j' if deep else 'i'}] += {values[-1]}")
    low, high = draw(st.integers(2, 5)), draw(st.integers(2, 5))
    text = "".join(f"      {line}\n" for line in lines)
    front = f"  lo = add {low} 0\n  hi = sub n {high}\n  mi = sub m {high}\n"
    inner = f"    for j in range({draw(st.sampled_from(['lo', '2']))}, mi) {{\n{text}    }}\n" if deep else text
    return front, f"  for i in range(lo, hi) {{\n{inner}  }}\n", deep


@given(nests(), st.booleans(), st.booleans(), st.integers(0, 9), st.integers(4, 9))
@quick(75)
def test_random_loops_do_the_same(nest: tuple[str, str, bool], later: bool, loops: bool, n: int, m: int) -> None:
    front, body, deep = nest
    if deep:
        before = program(PLANE, LOOPS_X if loops else COPY, front, body, READ_X, READ_CX if later else "")
    else:
        before = program(OWN, MADE if loops else COPY, front, body, READ_U, READ_C if later else "")
    after = changed(before)
    agree(before, after, ((n, m), (7, 6)))


# ------------------------------------------------------------------------------------------------------ the text


def test_the_loop_reads_each_cell_once() -> None:
    text = emit(program(OWN, COPY, NEAR, READ_U), EmitOptions()).source
    loop = [line.strip() for line in text.partition("for i in range(1, n")[2].partition("for o in")[0].strip().splitlines()[1:]]
    assert loop == ["u_i_3 = u[i + 1]", "u[i] = u_i * u_i_3 + u_i_2", "u_i = u_i_2", "u_i_2 = u_i_3"]


@pytest.mark.parametrize("over", ["far, n1", "1, far"])
def test_no_cell_is_touched_that_is_not_there(over: str) -> None:
    """Where each access is tested, in front of the access, the loop and the copy are as they were."""
    checked = NEAR.replace("load!", "load").replace("&u![i]", "&u[i]").replace("range(1, n1)", f"range({over})")
    before = program(OWN, COPY, checked, READ_U, READ_C)
    made = emit(before, EmitOptions(checked="every"))
    for n in (0, 1, 2, 3, 8):
        for far in (-3, 0, 1, 2, n - 1, n, n + 1, 10**12):
            if over == "far, n1" or far <= n + 1:
                results = []
                for go in (lambda *a: run(before, list(a), in_place=True), lambda *a: call(python(made), made, a)):
                    arrays = contents(n, 2)
                    try:
                        go(*arrays, 2, far)
                        results.append((arrays[0], None))
                    except Exception as error:
                        results.append((arrays[0], isinstance(error, Raised) or "index" in str(error)))
                (first, failed), (second, failed2) = results
                assert failed == failed2
                np.testing.assert_allclose(second, first, rtol=1e-12)


# ------------------------------------------------------------------------------------------------------ gradients

SOURCE = """
import numpy as np
from jaxtyping import Float64

def f(u0: Float64[np.ndarray, "n"], v0: Float64[np.ndarray, "n m"], c: float, q: int) -> float:
    u = u0.copy()
    v = v0.copy()
    s = 0.0
    for t in range(q):
        old = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = old[i] + c * (old[i - 1] * old[i - 1] + np.sin(old[i + 1]) * old[i])
        before = v.copy()
        for i in range(1, v.shape[0] - 1):
            for j in range(1, v.shape[1] - 1):
                v[i, j] += c * before[i - 1, j] * (before[i + 1, j] - before[i, j - 1] * before[i, j + 1]) * u[i]
    for i in range(len(u)):
        s += u[i] * u[i] * (i + 1)
        for j in range(v.shape[1]):
            s += v[i, j] * u[i] * (j + 1)
    return s
"""


@pytest.fixture(scope="module")
def functions():
    return [linear_grad(load(SOURCE)), linear_grad(fastmath=False)(load(SOURCE)), linear_grad(update="pure", backend="interpret")(load(SOURCE))]


@pytest.mark.one_in(9)
@pytest.mark.parametrize(("n", "m"), [(4, 3), (0, 0), (1, 1), (2, 2), (9, 20), (3, 3)])
@pytest.mark.parametrize("q", [0, 1, 3])
def test_gradients(functions, n: int, m: int, q: int) -> None:
    """As reshaped, as it was, purely functional; and by differences of the function itself."""
    u, v = np.linspace(0.2, 0.9, n), np.linspace(-0.5, 0.7, n * m).reshape(n, m)
    fast, exact, pure = (f.grad(u, v, 0.3, q) for f in functions)
    py = functions[0].py_func
    np.testing.assert_allclose(functions[0](u, v, 0.3, q), py(u, v, 0.3, q), rtol=1e-12)
    for a, b, c in zip(fast, exact, pure, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(a, c, rtol=1e-11, atol=1e-13)
    for k in range(min(n, 4)):
        step = np.zeros(n)
        step[k] = 1e-6
        slope = (py(u + step, v, 0.3, q) - py(u - step, v, 0.3, q)) / 2e-6
        assert abs(np.asarray(fast[0])[k] - slope) <= 1e-6 * (1 + abs(slope))
