"""Long loops that add to several rows store what they add to all but one; a loop after it adds that."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import AddTo, Alloc, Loop, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.scatter_distribution import distribute_scatters

HEAD = "entry fn f(b: mut f64[:,:], a: mut f64[:], k: f64[:], c: mut f64[:], n: i64) -> f64 {\n  m = sub n 2\n  top = sub n 3\n"
UP = "  for i in range(m) carry (s: f64 = 0.0) -> (e) {"
DOWN = "  for i in range(top, -1, -1) carry (s: f64 = 0.0) -> (e) {"
LONG = """
    j = add i 1
    h = add i 2
    u = load! &a [i]
    &a![i] = 0.0
    w = load! &k [i]
    x = load! &k [j]
    y = mul u w
    z = mul y x
    t = tanh z
    p = mul t w
    q = neg p
    r = mul q x
    &b![0, i] += t
    &b![1, j] += p
    &b![2, h] += r
    v = add s t
    yield v
"""
TAIL = "  }\n  return e\n}\n"


def divided(body: str, head: str = UP) -> tuple[int, int, int]:
    """How many loops there are, additions in the first, arrays made; before and after, the program does the same."""
    before = parse_program(HEAD + head + body + TAIL)
    after = before.with_main(distribute_scatters(before.main))
    assert not verify(after)
    for n in (2, 3, 4, 9):
        results = []
        for p in (before, after):
            arrays = [np.random.default_rng(1).random((3, size) if k == 0 else size) for k, size in enumerate([max(n, 3) + 1] * 4)]
            results.append([np.asarray(run(p, [*arrays, n], in_place=True).results[0]), *arrays])
        for x, y in zip(*results, strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-13)
    loops = [s for s in walk(after.main.body) if isinstance(s, Loop)]
    return len(loops), sum(isinstance(t, AddTo) for t in loops[0].body.stmts), sum(isinstance(s, Alloc) for s in walk(after.main.body))


@pytest.mark.parametrize("head", [UP, DOWN])
def test_additions_leave_a_long_loop(head: str) -> None:
    assert divided(LONG, head) == (2, 1, 1)  # one row stays; p is stored, r is p times two numbers that may be read again


def test_one_value_that_several_cells_share_is_stored_once() -> None:
    body = LONG.replace("p = mul t w", "p = mul t 2.0").replace("r = mul q x", "r = mul t 3.0")
    assert divided(body) == (2, 1, 1)


def test_the_row_with_the_most_additions_stays_and_another_array() -> None:
    body = LONG.replace("    v = add", "    &b![1, h] += p\n    &c![i] += t\n    &c![j] += p\n    v = add")
    assert divided(body) == (2, 4, 1)


WHOLE = {
    "what is added is short": LONG.replace("t = tanh z", "t = neg u").replace("&a![i] = 0.0\n", "\n"),
    "the array is read": LONG.replace("x = load! &k [j]", "x = load! &b [0, j]"),
    "only one is long": LONG.replace("+= p", "+= y").replace("+= r", "+= u"),
    "one row": LONG.replace("&b![1, j]", "&b![0, j]").replace("&b![2, h]", "&b![0, h]"),
    "a cell from anywhere": LONG.replace("h = add i 2", "g = mul i i\n    h = mod g n"),
    "each iteration waits for the one before": LONG.replace("z = mul y x", "z = mul y s"),
    "what is stored is read by a later iteration": LONG.replace("&a![i] = 0.0", "&a![j] = 0.0"),
}


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_loops_that_stay(body: str) -> None:
    assert divided(body) == (1, 3, 0)
