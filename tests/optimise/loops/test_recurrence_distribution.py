"""Loops with a chain and library functions beside it are divided; what the parts may see of each other keeps them together."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Let, Loop, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.recurrence_distribution import distribute_recurrences

HEAD = "entry fn f(x: mut f64[:], y: mut f64[:], b: mut f64[:], n: i64) -> f64, f64 {\n  top = sub n 1\n"
LOOP = "  for i in range(n) carry (c: f64 = 0.5, s: f64 = 0.0) -> (c.2, s.2) {"
DOWN = "  for i in range(top, 0, -1) carry (c: f64 = 0.5, s: f64 = 0.0) -> (c.2, s.2) {"
TAIL = "\n  }\n  return c.2, s.2\n}\n"

BEHIND = """
    e = load! &x [i]
    h = mul c 0.5
    c.1 = add h e
    t = sin c.1
    s.1 = add s t
    yield c.1, s.1"""
BEFORE = """
    e = load! &x [i]
    t = cos e
    h = mul c t
    c.1 = add h 0.25
    &b![i] = c
    s.1 = add s c.1
    yield c.1, s.1"""
BOTH = """
    e = load! &x [i]
    t = cos e
    h = mul c t
    c.1 = add h 0.25
    &b![i] = c.1
    g = exp c.1
    u = mul g t
    &y![i] += u
    s.1 = sub s g
    yield c.1, s.1"""


def divided(body: str, head: str = LOOP, n: int = 7):
    """The loops of a program after it is divided; its outcome is that of the program before."""
    before = parse_program(HEAD + head + body + TAIL)
    after = before.with_main(distribute_recurrences(before.main))
    assert not verify(after)
    for size in (n, 1, 0):
        results = []
        for p in (before, after):
            rng = np.random.default_rng(3)
            arrays = [rng.random(n) for _ in range(3)]
            results.append((*run(p, [*arrays, size], in_place=True).results, *arrays))
        for a, b in zip(*results, strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-13)
    return [s for s in walk(after.main.body) if isinstance(s, Loop)], after.main


def functions(s: Loop) -> set[str]:
    return {t.op for t in s.body.stmts if isinstance(t, Let)} & {"sin", "cos", "exp"}


@pytest.mark.parametrize("head", [LOOP, DOWN])
def test_what_waits_for_the_chain_comes_behind_it(head: str) -> None:
    (chain, behind), _ = divided(BEHIND, head)
    assert functions(chain) == set() and functions(behind) == {"sin"}
    assert len(chain.carried) == len(behind.carried) == 1


@pytest.mark.parametrize("head", [LOOP, DOWN])
def test_what_the_chain_waits_for_comes_before_it(head: str) -> None:
    (before, chain), _ = divided(BEFORE, head)
    assert functions(before) == {"cos"} and functions(chain) == set()


@pytest.mark.parametrize("head", [LOOP, DOWN])
def test_both(head: str) -> None:
    loops, f = divided(BOTH, head)
    assert [functions(s) for s in loops] == [{"cos"}, set(), {"exp"}]
    assert sum(isinstance(s, Alloc) for s in walk(f.body)) == 1, "c.1 is read from where the program stores it"


WHOLE = {
    "no chain": "\n    e = load! &x [i]\n    t = sin e\n    s.1 = add s t\n    yield c, s.1",
    "no library function": "\n    e = load! &x [i]\n    h = mul c 0.5\n    c.1 = add h e\n    s.1 = add s c.1\n    yield c.1, s.1",
    "the function is in the chain": "\n    t = sin c\n    e = load! &x [i]\n    c.1 = add t e\n    s.1 = add s c.1\n    yield c.1, s.1",
    "functions in the chain and beside it": BEHIND.replace("h = mul c 0.5", "h = sin c"),
    "what comes behind stores where the chain reads later": BEHIND.replace("s.1 = add", "j = sub top i\n    &x![j] = t\n    s.1 = add"),
    "what comes behind stores to what the chain reads again": BEHIND.replace(
        "    e = load! &x [i]", "    e = load! &x [i]\n    w = load! &x [0]"
    ).replace("add h e", "add h w").replace("s.1 = add", "&x![i] = t\n    s.1 = add"),
    "the cell is stored to before the chain reads it": (
        "\n    z = load! &y [i]\n    t = exp z\n    k = mul t c\n    &x![i] = k\n    e = load! &x [i]\n    h = mul c 0.5\n    c.1 = add h e"
        "\n    s.1 = add s e\n    yield c.1, s.1"
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_loops_that_stay_whole(body: str) -> None:
    loops, _ = divided("\n" + body)
    assert len(loops) == 1


def test_the_sum_is_looked_at() -> None:
    """A carried value that is only summed is no chain, unless an iteration looks at it."""
    body = BEHIND.replace("yield", "&b![i] = s\n    yield")
    loops, _ = divided(body)
    assert [len(s.carried) for s in loops] == [2]


def test_a_cell_of_its_own_may_be_stored_to_behind_the_chain() -> None:
    loops, _ = divided(BEHIND.replace("s.1 = add", "&x![i] = t\n    s.1 = add"))
    assert len(loops) == 2


def test_sizes_that_change_with_a_loop_around_keep_it_whole() -> None:
    outer = "  for k in range(n) carry (c.0: f64 = 0.5, s.0: f64 = 0.0) -> (c.9, s.9) {\n"
    inner = LOOP.replace("range(n)", "range(k)").replace("= 0.5", "= c.0").replace("= 0.0", "= s.0")
    body = HEAD + outer + inner + BEHIND + "\n  }\n  yield c.2, s.2\n  }\n  return c.9, s.9\n}\n"
    for text, count in ((body, 2), (body.replace("range(k)", "range(n)"), 3)):
        f = distribute_recurrences(parse_program(text).main)
        assert sum(isinstance(s, Loop) for s in walk(f.body)) == count


def test_few_iterations_stay() -> None:
    loops, _ = divided(BEHIND, LOOP.replace("range(n)", "range(0, 5)"))
    assert len(loops) == 1
