"""Four iterations of a loop at once; the numbers stay those of the loop as it was written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jaxtyping import Float64
from linad_typecheck.ir.core import AddTo, Load, Loop, Program, Stmt, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad import linear_grad
from linad.codegen.parallel import parallelise
from linad.interpret import run
from linad.optimise.loops.unroll_and_jam import unroll_and_jam
from tests.examples_of import quick

LOWEST, HIGHEST = -(2**63), 2**63 - 1
UP, DOWN = "range(lo, hi)", "range(hi, lo, -1)"
ROWS, SIZE = 16, 36


def program(body: str, over: str = UP, carry: str = "", kind: str = "f64", front: str = "", end: str = "yield s") -> Program:
    """A loop with that body, which is a row of statements, with loops over ``j`` from ``[[`` to ``]]`` and over ``l`` from ``((`` to ``))``."""
    inner = body.replace(" ; ", "\n").replace("[[", "for j in range(0, m) {\n").replace("((", "for l in range(0, m) {\n")
    inner = inner.replace("]]", "\n}").replace("))", "\n}")
    return parse_program(
        f"""entry fn f(a: mut {kind}[:,:], b: mut {kind}[:,:], x: mut {kind}[:], y: mut {kind}[:], z: mut {kind}[:], k: mut i64[:], lo: i64, hi: i64, m: i64, q: i64, p: i64) -> f64 {{
  {front}
  for i in {over}{carry or " carry (s: f64 = 0.5) -> (r)"} {{
{inner}
    {end}
  }}
  return r
}}
"""
    )


def contents(kind: str = "f64", seed: int = 1) -> list[np.ndarray]:
    """Arrays of small whole numbers and half ones, which can be added in any order."""
    rng = np.random.default_rng(seed)
    shapes = ((ROWS, SIZE), (ROWS, SIZE), SIZE, SIZE, SIZE)
    floats = [rng.integers(-4, 5, shape).astype(np.float32 if kind == "f32" else float) / 2 for shape in shapes]
    return [*floats, np.arange(SIZE) % 3]


def outcome(p: Program, arrays: list[np.ndarray], *ints: int) -> list[np.ndarray]:
    mine = [a.copy() for a in arrays]
    (result,) = run(p, [*mine, *ints], in_place=True).results
    return [*mine, np.asarray(result)]


def agree(before: Program, after: Program, arrays: list[np.ndarray] | None = None, kind: str = "f64") -> None:
    """That both do the same, however often the loops run."""
    arrays = contents(kind) if arrays is None else arrays
    for rows in (-1, *range(10)):
        for m in (0, 1, 9):
            ints = (3, 3 + rows, m, 1, 14)
            for old, new in zip(outcome(before, arrays, *ints), outcome(after, arrays, *ints), strict=True):
                np.testing.assert_array_equal(new, old)
                assert new.dtype == old.dtype


def jammed(before: Program) -> tuple[Program, list[Loop]]:
    """The program behind the pass, and the innermost loops that run for several iterations."""
    after = before.with_main(unroll_and_jam(before.main)[0])
    assert not verify(before) and not verify(after)
    several = [s for s in walk(after.main.body) if isinstance(s, Loop) and s.step.value in (4, -4)]
    assert len(several) <= 1
    return after, [t for s in several for t in s.body.stmts if isinstance(t, Loop)]


def count(loop: Loop, kind: type[Stmt], array: str = "") -> int:
    return sum(isinstance(t, kind) and array in ("", getattr(t, "array", loop.index).name) for t in loop.body.stmts)


# ------------------------------------------------------------------------------------------------------ what is done

ROW = "e = load! &a [i, j] ; t = mul e v"
ADDED = f"v = load! &y [i] ; [[ {ROW} ; &x![j] += t ]]"
JAMMED = {  # what is done, and how many additions and loads are left in each innermost loop
    "the adjoint of a product": (ADDED, [(1, 4)]),
    "its matrix, too": (f"v = load! &y [i] ; [[ {ROW} ; &x![j] += t ; w = load! &z [j] ; u = mul w v ; &b![i, j] += u ]]", [(5, 5)]),
    "a number": ("[[ &x![j] += 0.5 ; e = load! &a [i, j] ; &z![j] += e ]]", [(2, 4)]),
    "a row of a plane": (f"v = load! &y [i] ; [[ {ROW} ; &b![q, j] += t ]]", [(1, 4)]),
    "what is behind": (f"v = load! &y [i] ; [[ {ROW} ; &x![j] += t ]] ; w = add v 1.0 ; &z![i] = w", [(1, 4)]),
    "a cell of its own": (f"v = load! &y [i] ; &y![i] = 0.5 ; [[ {ROW} ; &x![j] += t ]] ; w = load! &y [i] ; &y![i] = w", [(1, 4)]),
    "two loops": (f"v = load! &y [i] ; [[ {ROW} ; &x![j] += t ]] ; u = add v 1.0 ; (( c = load! &b [i, l] ; d = mul c u ; &x![l] += d ))", [(1, 4), (1, 4)]),
    "sums of cells": ("[[ w = load! &z [j] ; &b![i, j] += w ; &y![i] += w ; e = load! &a [i, j] ; t = mul e w ; &x![j] += t ]]", [(5, 5)]),
    "sums of the sums": (
        "[[ e = load! &a [i, j] ; w = load! &z [j] ; t = mul e w ; &y![i] += t ]] ; v = load! &y [i] ; (( u = load! &a [i, l] ; d = mul u v ; &x![l] += d ))",
        [(0, 5), (1, 4)],
    ),
    "a condition between": (f"v = load! &y [i] ; o = lt v 0.0 ; if o {{ ; &y![i] = 1.0 ; }} ; [[ {ROW} ; &x![j] += t ]]", [(1, 4)]),
    "a value of a condition": (
        f"v0 = load! &y [i] ; o = lt v0 0.0 ; v = if o {{ ; yield 1.0 ; }} else {{ ; yield v0 ; }} ; [[ {ROW} ; &x![j] += t ]]", [(1, 4)]),
    "neighbours": ("v = load! &y [i] ; [[ g = add i j ; w = load! &a [q, j] ; t = mul w v ; &x![g] += t ; e = load! &y [g] ; &z![j] += e ]]", [(5, 5)]),
    "neighbours the other way": ("v = load! &y [i] ; [[ o = sub i j ; g = add o p ; w = load! &a [q, j] ; t = mul w v ; &x![g] += t ; e = load! &y [g] ; &z![j] += e ]]", [(5, 5)]),
    "a place that is kept between": ("g = load! &k [q] ; h = add g 1 ; &k![q] = h ; v: f64 = cast h" + f" ; [[ {ROW} ; &x![j] += t ]]", [(1, 4)]),
    "bounds from inside": ("w0 = min m 30 ; w1 = max q 0 ; for j in range(w1, w0) { ; e = load! &a [i, j] ; &x![j] += e ; }", [(1, 4)]),
    "ints that grow": ("v0 = add i i ; " + "".join(f"v{n + 1} = add v{n} v{n} ; " for n in range(64)) + "[[ e = load! &a [i, j] ; &x![j] += e ]]", [(1, 4)]),
    "a number above": ("v = load! &y [i] ; g = add q 1 ; [[ e = load! &b [g, j] ; t = mul e v ; &x![j] += t ]]", [(1, 1)]),
}  # fmt: skip


@pytest.mark.parametrize(("over", "row"), [(UP, "hi"), (DOWN, "lo")])
def test_a_row_that_no_iteration_has(over: str, row: str) -> None:
    """A factorisation in place goes on with the rows behind the one that it adds to."""
    before = program(f"v = load! &y [i] ; [[ e = load! &a [i, j] ; t = mul e v ; &a![{row}, j] += t ]]", over)
    after, loops = jammed(before)
    assert [count(t, AddTo) for t in loops] == [1]
    agree(before, after)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "over"), [(name, over) for name in JAMMED for over in (UP, DOWN)])
def test_four_iterations_at_once(name: str, over: str) -> None:
    body, left = JAMMED[name]
    before = program(body, over)
    after, loops = jammed(before)
    assert [(count(t, AddTo), count(t, Load)) for t in loops] == left
    agree(before, after)


LEFT = {
    "nothing in common": "[[ e = load! &a [i, j] ; &b![i, j] += e ]]",
    "reads in common": "v = load! &y [i] ; [[ w = load! &z [j] ; t = mul w v ; &b![i, j] = t ]]",
    "reads in common of sums beside writes": "[[ w = load! &z [j] ; e = load! &a [i, j] ; t = mul e w ; &y![i] += t ; &b![i, j] += w ]]",
    "the sums are read": "v = load! &y [i] ; [[ w = load! &x [j] ; t = mul w v ; &x![j] += t ]]",
    "the sums are read in front": f"v = load! &x [i] ; [[ {ROW} ; &x![j] += t ]]",
    "the sums are read behind": f"v = load! &y [i] ; [[ {ROW} ; &x![j] += t ]] ; w = load! &x [i] ; &y![i] = w",
    "the sums are read under a condition": f"v = load! &y [i] ; [[ {ROW} ; &x![j] += t ]] ; o = lt v 0.0 ; if o {{ ; w = load! &x [i] ; &y![i] = w ; }}",
    "a cell for the next iteration": f"v = load! &y [i] ; [[ {ROW} ; &x![j] += t ]] ; h = add i 1 ; &y![h] = v",
    "a row for the next iteration": "[[ e = load! &a [i, j] ; &b![i, j] = e ; &x![j] += e ]] ; (( g = add i 1 ; c = load! &b [g, l] ; &z![l] += c ))",
    "a row that may be the same": "[[ e = load! &a [i, j] ; &a![q, j] += e ]]",
    "a row that all replace": "[[ w = load! &z [j] ; &b![q, j] = w ; &x![j] += w ]]",
    "a place that all replace": f"v = load! &y [q] ; [[ {ROW} ; &x![j] += t ]] ; w = add v 1.0 ; &y![q] = w",
    "rows from anywhere": "g = load! &k [i] ; [[ w = load! &z [j] ; &b![g, j] += w ; &x![j] += w ]]",
    "cells two apart": "h = add i i ; [[ g = add h j ; w = load! &z [j] ; &y![g] += w ; &x![j] += w ]]",
    "neighbours far apart": "[[ g = add i j ; h = add g 5 ; w = load! &z [j] ; &y![g] += w ; &y![h] += w ; &x![j] += w ]]",
    "neighbours in rows of their own": "g = load! &k [i] ; [[ h = add i j ; w = load! &z [j] ; &b![g, h] += w ; &x![j] += w ]]",
    "a chain": "[[ w = load! &b [i, j] ; h = add j 1 ; &b![i, h] = w ; &x![j] += w ]]",
    "cells from anywhere": "[[ g = load! &k [j] ; &x![g] += 1.0 ; w = load! &y [j] ; &z![j] += w ]]",
    "cells beside": "[[ h = add j 1 ; e = load! &a [i, j] ; &x![j] += e ; &x![h] += e ]]",
    "library functions": "[[ e = load! &a [i, j] ; t = tanh e ; &x![j] += t ]]",
    "a branch": "[[ e = load! &a [i, j] ; o = lt e 0.0 ; if o { ; &x![j] += e ; } ; &z![j] += e ]]",
    "a test": "[[ e = load &a [i, j] ; &x![j] += e ]]",
    "a loop under a condition": "v = load! &y [i] ; o = lt v 0.0 ; if o { ; [[ &x![j] += v ]] ; } ; (( e = load! &a [i, l] ; &z![l] += e ))",
    "one array or another": "o = lt i 5 ; u = if o { ; yield c1 ; } else { ; yield c2 ; } ; [[ e = load! &u [j] ; &x![j] += e ; &z![j] += e ]]",
    "an array of its own": "u = alloc f64 [4] fill 0.0 ; v = load! &u [q] ; [[ e = load! &a [i, j] ; &x![j] += e ]]",
    "a triangle": "for j in range(0, i) { ; e = load! &a [i, j] ; &x![j] += e ; }",
    "the other triangle": "for j in range(i, p) { ; e = load! &a [i, j] ; &x![j] += e ; }",
    "every second cell": "for j in range(0, m, 2) { ; e = load! &a [i, j] ; &x![j] += e ; }",
    "few cells": "for j in range(0, 8) { ; e = load! &a [i, j] ; &x![j] += e ; }",
    "more loops inside": "[[ (( e = load! &a [i, l] ; t = tanh e ; &x![j] += t )) ]]",
    "many values": "v = load! &y [i] ; w = mul v 2.0 ; u = mul v 3.0 ; c = mul v 4.0 ; d = mul v 5.0 ; "
    "[[ e = load! &a [i, j] ; t = mul e v ; t1 = add t w ; t2 = mul t1 u ; t3 = add t2 c ; t4 = mul t3 d ; &x![j] += t4 ]]",
    "many rows": "h = add i 1 ; [[ e = load! &a [i, j] ; w = load! &b [i, j] ; u = load! &a [h, j] ; c = load! &b [h, j] ; d = load! &y [i] ; "
    "t = mul e w ; t1 = mul u c ; t2 = add t t1 ; t3 = add t2 d ; &x![j] += t3 ]]",
    "much beside": "v = load! &y [i] ; " + "".join(f"v{n} = add v {n}.0 ; " for n in range(80)) + "[[ e = load! &a [i, j] ; &x![j] += e ]]",
}  # fmt: skip


@pytest.mark.parametrize("over", [UP, DOWN])
@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_loops_that_stay(body: str, over: str) -> None:
    front = "c1 = alloc f64 [9] fill 0.0\n  c2 = alloc f64 [9] fill 1.0" if "c1" in body else ""
    before = program(body, over, front=front)
    assert not verify(before) or front
    assert unroll_and_jam(before.main)[0] == before.main


def test_rows_that_are_others_in_one_iteration_only() -> None:
    body, known = LEFT["a row for the next iteration"], "range(2, 13)"
    assert unroll_and_jam(program(body, known).main)[0] == program(body, known).main
    assert jammed(program(body.replace("add i 1", "add i 0"), known))[1]


SIMPLE = "[[ e = load! &a [i, j] ; &x![j] += e ]]"


def test_which_loops() -> None:
    """Those that go from an int to the next, to the end, and that no thread has a part of; of a few iterations, those that
    run all at once, or four at once without a rest."""
    exits = program(SIMPLE + " ; o = lt i 6", carry=" exits carry (s: f64 = 0.5) -> (r)", end="yield o, s")
    for before in (exits, *(program(SIMPLE, over) for over in ("range(lo, hi, 2)", "range(hi, lo, -2)", "range(lo, hi, q)", "range(3, 9)"))):
        assert not verify(before)
        assert unroll_and_jam(before.main)[0] == before.main
    jammed_, _ = jammed(program(SIMPLE, "range(3, 12)"))
    agree(program(SIMPLE, "range(3, 12)"), jammed_)
    for few in ("range(3, 11)", "range(3, 7)", "range(3, 6)", "range(5, 3, -1)"):
        jammed_, _ = jammed(program(SIMPLE, few))
        (only,) = (s for s in jammed_.main.body.stmts if isinstance(s, Loop))
        assert only.step.value == {"range(3, 6)": 3, "range(5, 3, -1)": -2}.get(few, 4)
        agree(program(SIMPLE, few), jammed_)
    f = program(SIMPLE).main
    for kind in ("chunks", "chunk"):
        stmts = tuple(replace(s, kind=kind) if isinstance(s, Loop) else s for s in f.body.stmts)
        spread = replace(f, body=replace(f.body, stmts=stmts))
        assert unroll_and_jam(spread)[0] == spread


def test_loops_that_threads_share_stay() -> None:
    before = program(ADDED + " ; s1 = add s v", end="yield s1")
    spread, _ = parallelise(before, True)
    assert len(spread.functions) == 2
    for f in spread.functions.values():
        [shared] = (s for s in walk(f.body) if isinstance(s, Loop) and s.kind == "chunk")
        assert shared in walk(unroll_and_jam(f)[0].body)


# --------------------------------------------------------------------------------------------------- what is carried

CARRY2 = " carry (s: f64 = 0.5, n: {}) -> (r, rn)"
CARRIED = {
    "a sum": (f"{ADDED} ; s1 = add s v", "", "yield s1"),
    "a sum of what comes behind": (f"{ADDED} ; w = load! &z [i] ; s0 = mul w v ; s1 = sub s s0", "", "yield s1"),
    "a sum of sums": (
        "for j in range(0, m) carry (u: f64 = 0.0) -> (w) { ; e = load! &a [i, j] ; c = load! &z [j] ; t = mul e c ; u1 = add u t ; yield u1 ; } ; s1 = add s w",
        "", "yield s1"),
    "a sum that goes on": (
        "for j in range(0, m) carry (u: f64 = s) -> (w) { ; e = load! &a [i, j] ; c = load! &z [j] ; t = mul e c ; u1 = add u t ; yield u1 ; }", "", "yield w"),
    "a sum that goes on, and is less in the end": (
        "for j in range(0, m) carry (u: f64 = s) -> (w) { ; e = load! &a [i, j] ; c = load! &z [j] ; t = mul e c ; u1 = sub u t ; yield u1 ; } ; s1 = sub w 1.0",
        "", "yield s1"),
    "what is used at once": (f"v = mul s -1.0 ; [[ {ROW} ; &x![j] += t ]]", "", "yield v"),
    "what is used behind": (f"v = load! &y [i] ; s1 = mul s -1.0 ; [[ {ROW} ; &x![j] += t ]] ; w = add s v ; &z![i] = w", "", "yield s1"),
    "what stays": (f"v = load! &y [i] ; w = add v s ; [[ {ROW} ; &x![j] += t ]] ; &z![i] = w", "", "yield s"),
    "a number": (f"v = load! &y [i] ; w = add v s ; [[ {ROW} ; &x![j] += t ]] ; &z![i] = w", "", "yield 2.0"),
    "what the last one has": (f"{ADDED} ; w = add v 1.0", "", "yield w"),
    "what the last inner loop has": (
        f"{ADDED} ; for l in range(0, m) carry (u: f64 = v) -> (w) {{ ; c = load! &b [i, l] ; d = load! &z [l] ; t1 = mul c d ; u1 = add u t1 ; yield u1 ; }}", "", "yield w"),
    "an int": (f"n1 = add n 1 ; v = load! &y [n] ; [[ {ROW} ; &x![j] += t ]]", CARRY2.format("i64 = 0"), "yield s, n1"),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "over"), [(name, over) for name in CARRIED for over in (UP, DOWN)])
def test_what_is_carried(name: str, over: str) -> None:
    body, carry, end = CARRIED[name]
    before = program(body, over, carry, end=end)
    after, loops = jammed(before)
    assert loops
    agree(before, after)
    minus = [np.full_like(a, -0.0) if a.dtype == float else a for a in contents()]
    agree(before, after, minus)


NOT_IN_TIME = {
    "what comes behind": (f"v = mul s 0.5 ; [[ {ROW} ; &x![j] += t ]] ; w = load! &y [i] ; s1 = add v w", "", "yield s1"),
    "a product of sums": (
        "for j in range(0, m) carry (u: f64 = s) -> (w) { ; e = load! &a [i, j] ; c = load! &z [j] ; t = mul e c ; u1 = add u t ; yield u1 ; } ; s1 = mul w 0.5",
        "", "yield s1"),
    "two that change places": (f"v = add s n ; [[ {ROW} ; &x![j] += t ]]", CARRY2.format("f64 = 2.0"), "yield n, v"),
    "an index": (f"v = load! &y [n] ; [[ {ROW} ; &x![j] += t ]]", CARRY2.format("i64 = 0"), "yield s, i"),
    "a sum of ints": (
        f"{ADDED} ; for l in range(0, m) carry (g: i64 = n) -> (n1) {{ ; c = load! &b [i, l] ; &z![l] += c ; g1 = add g 1 ; yield g1 ; }}",
        CARRY2.format("i64 = 0"), "yield s, n1"),
    "a sum that is looked at": (f"v = mul s 0.5 ; [[ {ROW} ; &x![j] += t ]] ; w = load! &y [i] ; s1 = add s w", "", "yield s1"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_IN_TIME)
def test_what_is_not_known_in_time(name: str) -> None:
    body, carry, end = NOT_IN_TIME[name]
    before = program(body, UP, carry, end=end)
    assert not verify(before)
    assert unroll_and_jam(before.main)[0] == before.main


def test_a_sum_of_nothing_is_minus_nothing() -> None:
    body, _, end = CARRIED["a sum that goes on"]
    after, loops = jammed(program(body, UP, " carry (s: f64 = -0.0) -> (r)", end=end))
    assert loops
    arrays = [np.full_like(contents()[0], -0.0), *(np.ones_like(a) for a in contents()[1:])]
    assert np.signbit(outcome(after, arrays, 3, 12, 9, 1, 14)[-1])


def test_single_floats_are_added_as_such() -> None:
    before = program(ADDED.replace("v;", "v ;") + " ; w: f64 = cast v ; s1 = add s w", kind="f32", end="yield s1")
    after, loops = jammed(before)
    assert loops
    agree(before, after, kind="f32")


# --------------------------------------------------------------------------------------------------------- the ends

NEVER = [("range(lo, q)", 5, LOWEST), ("range(lo, q)", HIGHEST, LOWEST), ("range(q, lo)", 5, HIGHEST), ("range(q, lo)", LOWEST, HIGHEST),
         ("range(q, lo, -1)", 5, LOWEST), ("range(q, lo, -1)", HIGHEST, LOWEST), ("range(lo, q, -1)", 5, HIGHEST), ("range(lo, q, -1)", LOWEST, HIGHEST)]  # fmt: skip


@pytest.mark.parametrize(("over", "lo", "q"), NEVER)
def test_a_loop_that_never_runs_may_end_anywhere(over: str, lo: int, q: int) -> None:
    after, loops = jammed(program(SIMPLE, over))
    assert loops
    for new, old in zip(outcome(after, contents(), lo, 0, 9, q, 0), contents(), strict=False):
        np.testing.assert_array_equal(new, old)


@pytest.mark.parametrize("rows", range(10))
@pytest.mark.parametrize(("over", "end", "sign"), [("range(lo, hi)", HIGHEST, 1), ("range(lo, hi, -1)", LOWEST, -1)])
def test_a_loop_may_end_at_the_last_int(over: str, end: int, sign: int, rows: int) -> None:
    row = "sub i lo" if sign > 0 else "sub lo i"
    before = program(f"h = {row} ; [[ e = load! &a [h, j] ; &x![j] += e ; &b![h, j] += e ]]", over)
    after, loops = jammed(before)
    assert loops
    ints = (end - sign * rows, end, 9, sign, 0)
    for old, new in zip(outcome(before, contents(), *ints), outcome(after, contents(), *ints), strict=True):
        np.testing.assert_array_equal(new, old)


# ---------------------------------------------------------------------------------------------------- random programs

ROWS_OF = ("i", "i", "i", "h", "q", "hi", "g", "n")  # h is the row behind, g one from anywhere, n what is counted
CELLS_OF = ("j", "j", "j", "t", "u", "o", "i", "q")  # t is beside, u goes along with the row, o the other way


@st.composite
def nests(draw: st.DrawFn) -> str:
    """Loops over rows that read, store and add anywhere, with sums and with what is handed on."""
    fresh = iter(range(1000))
    floats = ["1.0", "s"]

    def pick(*of: str) -> str:
        return draw(st.sampled_from(of))

    def place(cells: tuple[str, ...]) -> str:
        array = pick("a", "b", "x", "y", "z")
        return f"{array} [{pick(*ROWS_OF)}, {pick(*cells)}]" if array in "ab" else f"{array} [{pick(*cells)}]"

    def statement(cells: tuple[str, ...], known: list[str]) -> str:
        match pick("load", "load", "let", "add", "add", "add", "store"):
            case "load":
                known.append(v := f"v{next(fresh)}")
                return f"{v} = load! &{place(cells)}"
            case "let":
                left, right = pick(*known), pick(*known)
                known.append(v := f"v{next(fresh)}")
                return f"{v} = {pick('add', 'sub', 'min')} {left} {right}"
            case "add":
                array, _, index = place(cells).partition(" ")
                return f"&{array}!{index} += {pick(*known)}"
        array, _, index = place(cells).partition(" ")
        return f"&{array}!{index} = {pick(*known)}"

    def drawn(most: int, cells: tuple[str, ...], known: list[str]) -> list[str]:
        return [statement(cells, known) for _ in range(draw(st.integers(0, most)))]

    def inner() -> list[str]:
        k, known = next(fresh), list(floats)
        cells = tuple({c: f"{c}{k}" for c in "jtuo"}.get(c, c) for c in CELLS_OF)
        head = [f"t{k} = add j{k} 1", f"u{k} = add i j{k}", f"p{k} = sub p j{k}", f"o{k} = add i p{k}"]
        first = f"e{k} = load! &{pick('a', 'b')} [i, j{k}]"
        known.append(f"e{k}")
        body = [*head, first, *drawn(3, cells, known), f"&{pick('x', 'y', 'z')}![j{k}] += {pick(*known)}"]
        over = pick("range(0, m)", "range(0, m)", "range(0, m)", "range(q, m)", "range(0, i)")
        if draw(st.booleans()):
            return [f"for j{k} in {over} {{", *body, "}"]
        start = pick(*floats)
        result = pick(f"w{k}", f"w{k}", known[-1])
        floats.append(f"r{k}")
        return [f"for j{k} in {over} carry (c{k}: f64 = {start}) -> (r{k}) {{", *body, f"w{k} = {pick('add', 'sub')} c{k} {pick(*known)}", f"yield {result}", "}"]

    cells = ("i", "i", "q", "h")
    lines = ["h = add i 1", "g = load! &k [i]", *drawn(2, cells, floats), *inner(), *drawn(2, cells, floats)]
    if draw(st.booleans()):
        lines += [*inner(), *drawn(1, cells, floats)]
    lines += [f"s1 = {pick('add', 'sub')} s {pick(*floats)}", "n1 = add n 1"]
    return " ; ".join(lines) + f" ; yield {pick('s', 's1', 's1', floats[-1])}, n1"


done: list[bool] = []


@quick(100)
@given(nests(), st.sampled_from((UP, DOWN)), st.integers(0, 99))
def test_random_nests(body: str, over: str, seed: int) -> None:
    before = program(body, over, CARRY2.format("i64 = 0"), end="")
    assert not verify(before)
    after = before.with_main(unroll_and_jam(before.main)[0])
    assert not verify(after)
    done.append(after.main != before.main)
    arrays = [a.round().clip(-1, 1) if a.dtype == float else a for a in contents(seed=seed)]
    for rows in (3, 4, 5, 8):
        for m in (0, 1, 5):
            for old, new in zip(outcome(before, arrays, 3, 3 + rows, m, 1, 14), outcome(after, arrays, 3, 3 + rows, m, 1, 14), strict=True):
                np.testing.assert_array_equal(new, old)


def test_random_nests_are_changed() -> None:
    if not done:
        pytest.skip("they were drawn by another worker")
    assert sum(done) > len(done) // 20


# ---------------------------------------------------------------------------------------------------- whole gradients


def twice(a: Float64[np.ndarray, "n m"], x: Float64[np.ndarray, "m"], w: Float64[np.ndarray, "k"]) -> float:
    """A product, its transposed one, a correlation and a convolution."""
    n, m = a.shape
    y = np.zeros(n)
    z = np.zeros(m)
    for i in range(n):
        for j in range(m):
            y[i] += a[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(m):
            z[j] += a[i, j] * y[i] * 0.5
    s = 0.0
    for i in range(m - len(w) + 1):
        c = 0.0
        for j in range(len(w)):
            c += z[i + j] * w[j]
        s += c * c
    for i in range(len(w), m):
        c = 0.0
        for j in range(len(w)):
            c += w[j] * z[i - 1 - j]
        s += c * c
    return s


@pytest.mark.one_in(10)
@pytest.mark.parametrize("rows", range(10))
def test_gradients_are_those_of_other_ways(rows: int) -> None:
    rng = np.random.default_rng(rows)
    args = rng.random((rows, 11)), rng.random(11), rng.random(min(rows, 5))
    value, grads = FAST.value_and_grad(*args)
    for other in OTHERS:
        expected, others = other.value_and_grad(*args)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        for found, g in zip(grads, others, strict=True):
            np.testing.assert_allclose(found, g, rtol=1e-10, atol=1e-12)


FAST = linear_grad(twice)
OTHERS = linear_grad(twice, fastmath=False), linear_grad(twice, update="pure")
