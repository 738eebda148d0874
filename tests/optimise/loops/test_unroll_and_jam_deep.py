"""Four iterations of the outer loop of a deep nest at once; the numbers stay those of the loop as it was written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from linad_typecheck.ir.core import Alloc, Load, Loop, Program, walk
from linad_typecheck.ir.verify import verify

from linad.optimise.loops.unroll_and_jam import unroll_and_jam
from tests.optimise.loops.test_unroll_and_jam import CARRY2, DOWN, UP, agree, program

# a private vector gets a matrix times a row, as the tangents of a sum of products do
FIRST = "e = load! &b [j, l] ; c = load! &z [l] ; d = add e c ; t = mul d w"
SUM = f"[[ w = load! &a [i, j] ; (( {FIRST} ; o = load! &u [l] ; o1 = add o t ; &u![l] = o1 )) ]]"
OWN = "u = alloc f64 [m] fill 0.0"
LAST = "for n in range(0, m) { ; v = load! &u [n] ; g = add i 8 ; &y![i] += v ; }"
NEST = f"{OWN} ; {SUM} ; {LAST}"
ADDED = "v = load! &y [i] ; [[ w = mul v 0.5 ; (( c = load! &z [l] ; t = mul c w ; &b![j, l] += t )) ]]"


def tiled(before: Program) -> tuple[Program, list[Loop]]:
    """The program after the pass, and its loops that run four iterations at once."""
    after = before.with_main(unroll_and_jam(before.main)[0])
    assert not verify(before) and not verify(after)
    return after, [s for s in walk(after.main.body) if isinstance(s, Loop) and s.step.value in (4, -4)]


TILED = {  # what is done, and how many loads are left in the innermost loop of the inner nest
    "a private vector": (NEST, 6),
    "additions to the same cells": (ADDED, 1),
    "a test that asks for the checked build": (f'o2 = lt i 40 ; check o2 else retry "" ; {NEST}', 6),
    "the same under a condition": (f'o2 = lt m 40 ; if o2 {{ ; o3 = lt i 40 ; check o3 else retry "" ; }} ; {NEST}', 6),
    "values of the middle loop": (
        f"{OWN} ; for j in range(0, m) carry (q1: f64 = 0.0) -> (q2) {{ ; w = load! &a [i, j] ; f = load! &b [j, 1] ; "
        f"h = mul w f ; q3 = add q1 h ; (( {FIRST} ; o = load! &u [l] ; o1 = add o t ; &u![l] = o1 )) ; yield q3 ; }} ; {LAST} ; &a![i, 0] = q2", 6),
    "a row of its own": (f"[[ w = load! &y [i] ; (( {FIRST} ; o = load! &a [i, l] ; o1 = add o t ; &a![i, l] = o1 )) ]]", 6),
    "a loop behind": (f"{NEST} ; for k1 in range(2, m) {{ ; v1 = load! &u [k1] ; &a![i, k1] = v1 ; }}", 6),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("over", [UP, DOWN])
@pytest.mark.parametrize(("body", "loads"), TILED.values(), ids=TILED)
def test_four_iterations_at_once(body: str, loads: int, over: str) -> None:
    before = program(body, over)
    after, [loop] = tiled(before)
    [inner] = [t for s in loop.body.stmts if isinstance(s, Loop) for t in s.body.stmts if isinstance(t, Loop)]
    assert sum(isinstance(t, Load) for t in inner.body.stmts) == loads
    assert sum(isinstance(t, Alloc) for t in loop.body.stmts) == 4 * body.count("alloc")
    agree(before, after)


CARRIED = {
    "a sum": (f"{ADDED} ; s1 = add s v", "", "yield s1"),
    "a difference": (f"{ADDED} ; s1 = sub s v", "", "yield s1"),
    "a counter": (f"{ADDED} ; n1 = add n 2", CARRY2.format("i64 = 0"), "yield s, n1"),
    "a sum of the middle loop": (
        "v = load! &y [i] ; for j in range(0, m) carry (q1: f64 = s) -> (q2) { ; w = mul v 0.5 ; q3 = add q1 w ; "
        "(( c = load! &z [l] ; t = mul c w ; &b![j, l] += t )) ; yield q3 ; }", "", "yield q2"),
}  # fmt: skip


@pytest.mark.parametrize("over", [UP, DOWN])
@pytest.mark.parametrize(("body", "carry", "end"), CARRIED.values(), ids=CARRIED)
def test_sums(body: str, carry: str, end: str, over: str) -> None:
    before = program(body, over, carry, end=end)
    after, loops = tiled(before)
    assert loops
    agree(before, after)


ROWS = " ; ".join(f"h{n} = add i {n} ; r{n} = load! &a [h{n}, l]" for n in range(5))
FACTORS = " ; ".join(f"w{n} = mul w {n}.0" for n in range(4))
FAR = f"h = add i 1 ; {SUM}".replace("&u [l]", "&a [h, l]").replace("&u![l]", "&a![h, l]")
ADDED_UP = "for l in range(0, m) carry (q1: f64 = 0.0) -> (q2) { ; e = load! &b [j, l] ; q3 = add q1 e ; yield q3 ; }"

LEFT = {
    "two loops": f"{OWN} ; (( c = load! &z [l] ; e = load! &x [l] ; d = add e c ; &u![l] += d )) ; {LAST}",
    "few reads in common": f"{OWN} ; [[ w = load! &a [i, j] ; (( e = load! &b [j, l] ; o = load! &u [l] ; o1 = add o e ; &u![l] = o1 )) ]] ; {LAST}",
    "an error": f'o2 = lt i 40 ; check o2 else ValueError "far" ; {NEST}',
    "a test of an access": NEST.replace("load! &b [j, l]", "load &b [j, l]"),
    "a triangle": NEST.replace("[[", "for j in range(0, i) { ;").replace("]]", "; }"),
    "a triangle inside": NEST.replace("((", "for l in range(0, i) { ;").replace("))", "; }"),
    "sums inside": f"{OWN} ; [[ {ADDED_UP} ; &y![i] += q2 ]]",
    "library functions": NEST.replace("d = add e c", "d = exp e"),
    "a row for the next iteration": FAR,
    "a row that all replace": SUM.replace("&u [l]", "&b [q, l]").replace("&u![l]", "&b![q, l]"),
    "many rows": NEST.replace("o = load! &u [l]", f"{ROWS} ; o = load! &u [l]"),
    "many values": NEST.replace("w = load! &a [i, j]", f"w = load! &a [i, j] ; {FACTORS}").replace(
        "t = mul d w", "d0 = mul d w ; d1 = mul d0 w0 ; d2 = mul d1 w1 ; d3 = mul d2 w2 ; t = mul d3 w3"
    ),
    "much beside": "v9 = load! &y [i] ; " + "".join(f"v9{n} = add v9 {n}.0 ; " for n in range(160)) + NEST,
    "a private array that grows": NEST.replace("alloc f64 [m]", "alloc f64 [i]"),
}  # fmt: skip


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_loops_that_stay(body: str) -> None:
    before = program(body)
    assert not verify(before)
    assert unroll_and_jam(before.main)[0] == before.main


def test_which_loops() -> None:
    """Those that go from an int to the next, to the end, and that no thread has a part of; of a few iterations, those
    that run without a rest."""
    for over in ("range(lo, hi, 2)", "range(hi, lo, q)", "range(3, 9)"):
        before = program(NEST, over)
        assert unroll_and_jam(before.main)[0] == before.main
    f = program(NEST).main
    stmts = tuple(replace(s, kind="chunks") if isinstance(s, Loop) else s for s in f.body.stmts)
    assert unroll_and_jam(replace(f, body=replace(f.body, stmts=stmts)))[0] == replace(f, body=replace(f.body, stmts=stmts))


def test_only_one_loop_of_a_nest() -> None:
    inside = NEST.replace("[i, j]", "[i0, j]").replace("add i 8", "add i0 8")
    before = program(f"for i0 in range(0, 9) {{ ; {inside} ; }}")
    _, loops = tiled(before)
    assert len(loops) == 1
