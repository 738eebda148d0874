"""Copies that are made where they were: nothing that a loop does may then be other than before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from linad_typecheck.ir.core import Checkpoint, Loop

from .copy_programs import COPY, LOOPS, LOOPS_X, MADE, NEAR, OVER, OWN, PLANE, PLANE_OVER, READ_C, READ_CX, READ_U, READ_X, changed, plane, program

BESIDE = "  for i in range(n3) {\n    h = load! &c [i+3]\n    &u![i] = h\n  }\n"
LARGER = "  n9 = add n 2\n  c = alloc f64 [n9] fill 3.0\n" + LOOPS
STAYS = {
    "too far before": (COPY, BESIDE.replace("range(n3)", "range(3, n)").replace("i+3", "i-3")),
    "too far behind": (COPY, BESIDE),
    "a cell from anywhere": (COPY, NEAR.replace("    l = load! &c [i-1]", "    z = load! &k [i]\n    l = load! &c [z]")),
    "to a cell from anywhere": (COPY, NEAR.replace("    &u![i]", "    z = load! &k [i]\n    &u![z]")),
    "to one cell": (COPY, NEAR.replace("&u![i]", "&u![1]")),
    "downwards": (COPY, NEAR.replace("range(1, n1)", "range(n2, 0, -1)")),
    "every second cell": (COPY, NEAR.replace("range(1, n1)", "range(1, n1, 2)")),
    "until a test": (COPY, NEAR.replace("{", "exits {", 1).replace("  }\n", "    o5 = lt i 2\n    yield o5\n  }\n")),
    "two writes": (COPY, NEAR.replace("    &u![i] = t\n", "    &u![i] = t\n    &u![i] += h\n")),
    "under a condition": (COPY, NEAR.replace("    &u![i] = t\n", "    o5 = lt h 0.0\n    if o5 {\n      &u![i] = t\n    }\n")),
    "a read under a condition": (COPY, NEAR.replace("    &u![i] = t\n", "    o5 = lt h 0.0\n    if o5 {\n      o6 = load! &c [0]\n      &a![i] += o6\n    }\n    &u![i] = t\n")),
    "a check of what is read": (COPY, NEAR.replace("h = load!", "h = load")),
    "a check of what is written": (COPY, NEAR.replace("&u![i]", "&u[i]")),
    "a test in the loop": (COPY, NEAR.replace("    h =", "    o5 = lt i n\n    check o5 else ValueError \"far\"\n    h =")),
    "asked for its size in the loop": (COPY, NEAR.replace("    h =", "    o5 = dim &c 0\n    h =")),
    "read before the loop": (COPY + "  o5 = lt 1 n\n  if o5 {\n    o6 = load! &c [0]\n    &a![1] += o6\n  }\n", NEAR),
    "written before the loop": (COPY + "  for p in range(n) {\n    &u![p] += 1.0\n    &u![p] += 1.0\n  }\n", NEAR),
    "nothing that writes": (COPY, ""),
    "the copy and the array": (COPY, NEAR.replace("  }\n", "    &c![i] = t\n  }\n")),
    "another array": (COPY, NEAR.replace("&u![i]", "&a![i]")),
    "ints": ("  n9 = dim &k 0\n  u9 = copy &k\n  c9 = copy &u9\n", "  for i in range(n) {\n    h = load! &c9 [i]\n    t = mul h 2\n    &u9![i] = t\n  }\n  for o9 in range(n) {\n    o8 = load! &u9 [o9]\n    &k![o9] = o8\n  }\n"),
    "some of the cells": (MADE.replace("range(n)", "range(n1)").replace("[n]", "[n] fill 2.0"), NEAR),
    "all but the first": (MADE.replace("range(n)", "range(1, n)").replace("[n]", "[n] fill 2.0"), NEAR),
    "every second": (MADE.replace("range(n)", "range(0, n, 2)").replace("[n]", "[n] fill 2.0"), NEAR),
    "to more cells than there are": (LARGER, BESIDE.replace("range(n3)", "range(n)").replace("i+3", "i+1")),
    "to other cells": (MADE.replace("    &c![p]", "    p2 = sub n1 p\n    &c![p2]"), NEAR),
    "of other cells": (MADE.replace("    p1 =", "    p2 = sub n1 p\n    p1 =").replace("&u [p]", "&u [p2]"), NEAR),
    "of another value": (MADE.replace("= p1", "= 2.0"), NEAR),
    "with a check of what is copied": (MADE.replace("p1 = load!", "p1 = load"), NEAR),
    "with a check of the copy": (MADE.replace("&c![p]", "&c[p]"), NEAR),
    "with something beside": (MADE.replace("  }\n", "    &a![p] += 1.0\n  }\n"), NEAR),
    "with a sum": (MADE.replace("range(n) {", "range(n) carry (v: f64 = 0.0) -> (v1) {").replace("  }\n", "    yield v\n  }\n"), NEAR),
    "that is copied until a test": (MADE.replace("range(n) {", "range(n) exits {").replace("  }\n", "    o5 = lt p 1\n    yield o5\n  }\n").replace("[n]", "[n] fill 2.0"), NEAR),
    "itself": (LOOPS.replace("&c!", "&u!"), NEAR.replace("&c", "&u")),
    "to an array of others": (LOOPS.replace("&c!", "&a!"), NEAR.replace("&c", "&a")),
    "the copy, which is read": (COPY, OVER.replace("h = load! &u", "h = load! &c")),
    "the copy, to which is added": (COPY, OVER.replace("&c![i] =", "&c![i] +=")),
    "the copy, from anywhere": (COPY, OVER.replace("    &c![i]", "    z = load! &k [i]\n    &c![z]")),
}  # fmt: skip


@pytest.mark.parametrize("name", STAYS)
def test_copies_that_stay(name: str) -> None:
    made, body = STAYS[name]
    others = name in ("itself", "to an array of others", "ints")
    before = program(OWN, made, body, READ_U, "" if others else READ_C)
    assert changed(before).main == before.main


def test_fewer_cells_than_there_are() -> None:
    larger = "  n9 = add n 2\n  u = alloc f64 [n9] fill 3.0\n"
    before = program(larger, MADE, "  for i in range(n) {\n    h = load! &c [i]\n    &u![i] = h\n  }\n", READ_U, READ_C)
    assert changed(before).main == before.main


def test_no_size_known() -> None:
    sizes = "  o7 = dim &x 0\n  o8 = lt q 1\n  u = if o8 {\n    z = alloc f64 [n] fill 1.0\n    yield z\n  } else {\n    z1 = alloc f64 [o7] fill 1.0\n    yield z1\n  }\n"
    before = program(sizes, COPY, NEAR, READ_U)
    assert changed(before).main == before.main


@pytest.mark.parametrize(
    "body",
    [
        plane("i, j").replace("&u![i, j]", "&u![j, i]").replace("range(1, n1)", "range(v)").replace("range(1, m1)", "range(v)"),
        plane("i, j").replace("&u![i, j]", "&u![i, i]").replace("range(1, n1)", "range(v)").replace("range(1, m1)", "range(v)"),
        plane("i, j-3;i, j", columns="3, m1"),
        plane("i, 0;i, j"),
        plane("i, j").replace("    for j", "    z = load! &u [i, 0]\n    &x![i, 0] += z\n    for j").replace("range(1, m1)", "range(m)").replace("range(1, n1)", "range(v3)"),
        plane("i, j").replace("range(1, n1)", "range(n2, 0, -1)"),
        plane("i, j").replace("    for j in range(1, m1) {", "    for j in range(1, m1) exits {").replace("    }\n  }\n", "      o5 = lt j 2\n      yield o5\n    }\n  }\n"),
        plane("i, j").replace("    for j", "    o5 = lt i n\n    check o5 else ValueError \"far\"\n    for j"),
        "  for i in range(v3) {\n    e = load! &c [i, 0]\n    &u![i, 0] = e\n  }\n",
        "  for i in range(2) {\n  for j in range(n) {\n  for j1 in range(m) {\n    e = load! &c [j, j1]\n    e1 = mul e 2.0\n    &u![j, j1] = e1\n  }\n  }\n  }\n",
        PLANE_OVER.replace("    for j in range(1, m1)", "    w = min i m1\n    for j in range(1, w)"),
        PLANE_OVER.replace("range(1, m1)", "range(i, m1)"),
        PLANE_OVER.replace("    for j in range(1, m1)", "    w = min i m1\n    for j in range(w, m1)").replace("i, j-1", "i, j"),
    ],
)  # fmt: skip
def test_copies_of_planes_that_stay(body: str) -> None:
    before = program("  v = min n m\n  v9 = min 1 m\n  v3 = mul n v9\n", PLANE, COPY, body, READ_X, READ_CX)
    assert changed(before).main == before.main


def test_planes_that_are_copied_the_other_way_round() -> None:
    for a, b in (("&c![p, p1]", "&c![p1, p]"), ("&u [p, p1]", "&u [p1, p]"), ("&c![p, p1]", "&c![p, p]"), ("&u [p, p1]", "&u [p, p]"), ("[p, p1]", "[p, p]")):
        square = "  u = alloc f64 [m, m] fill 1.0\n  &u![0, 0] = 2.0\n  &u![0, 1] = 3.0\n" + LOOPS_X.replace("nx", "m").replace("[m, m]", "[m, m] fill 1.0").replace(a, b)
        before = program(square, plane("i, j", rows="m", columns="m"), READ_X.replace("range(n)", "range(m)").replace("&x![o, o1]", "&x![0, o1]"))
        assert changed(before).main == before.main


def test_other_slices_of_what_is_kept() -> None:
    """Of the iteration before, or at an index of the copying loop."""
    kept = "  s0 = max q 0\n  s1 = add s0 1\n  c = alloc f64 [s1, n] fill 1.0\n  for t1 in range(q) {\n  t2 = add t1 1\n  for p in range(n) {\n    p1 = load! &u [p]\n    &c![t2, p] = p1\n  }\n"
    for where, write in (("&c [t1, ", "&u!["), ("&c [t2, ", "&c![t1, ")):
        body = NEAR.replace("&c [", where if "u" in write else "&u [").replace("&u![", write) + "  }\n"
        before = program(OWN, kept, body, READ_U, "  for o2 in range(n) {\n    o3 = load! &c [0, o2]\n    &a![o2] += o3\n  }\n")
        assert changed(before).main == before.main
    diagonal = "  c = alloc f64 [n, n] fill 1.0\n  for p in range(n) {\n    p1 = load! &u [p]\n    &c![p, p] = p1\n  }\n"
    for body in (NEAR.replace("&c [", "&c [0, "), "  for i in range(1, n1) {\n    &u![i] = 2.0\n  }\n"):
        before = program(OWN, diagonal, body, READ_U, READ_C.replace("[o2]", "[0, o2]", 1))
        assert changed(before).main == before.main


def test_marked_loops_stay() -> None:
    before = program(OWN, COPY, NEAR, READ_U)
    marked = tuple(replace(s, mark=Checkpoint("revolve", None)) if isinstance(s, Loop) and s.index.name == "i" else s for s in before.main.body.stmts)
    before = before.with_main(replace(before.main, body=replace(before.main.body, stmts=marked)))
    assert changed(before).main == before.main


def test_an_array_that_is_given_on_in_the_loop() -> None:
    """By another name, or as another one."""
    swapped = "  z = alloc f64 [n] fill 1.0\n  for i in range(1) carry (u1: f64[:] = u) -> (u2) {\n    l = load &c [0]\n    &u1[0] = l\n    yield u1\n  }\n"
    before = program(OWN, COPY, swapped, READ_U.replace("&u ", "&u2 "), READ_C)
    assert changed(before).main == before.main
