"""Library functions beside inner loops get loops of their own, and sums down columns go along rows; what iterations may see of
each other keeps them together."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import AddTo, Function, Let, Load, Loop, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.call_distribution import BLOCK, WIDE, distribute_calls
from linad.pipeline import linear

HEAD = "entry fn f(w: mut f64[:,:], x: mut f64[:], y: mut f64[:], n: i64, d: i64) -> f64 {\n  top = sub n 1\n"
UP = "  for i in range(n) carry (s: f64 = 0.5) -> (s.2) {"
DOWN = "  for i in range(top, -1, -1) carry (s: f64 = 0.5) -> (s.2) {"
TAIL = "\n  }\n  return s.2\n}\n"
DOT = """
    a = load! &x [i]
    for j in range(d) carry (b: f64 = a) -> (b.2) {
      e = load! &w [i, j]
      g = mul e e
      b.1 = add b g
      yield b.1
    }"""
TANH = "\n    t = tanh b.2"
STORE = "\n    &y![i] = t"
SUM = "\n    s.1 = add s t\n    yield s.1"
ROW = """
    u = mul t t
    for k in range(d) {
      &w![i, k] += u
    }"""
DIVIDED = {  # the functions in the loops over a block
    "a function behind": (DOT + TANH + STORE + SUM, [set(), {"tanh"}]),
    "a function in front": ("\n    a = load! &x [i]\n    t = exp a" + ROW + SUM, [{"exp"}, set()]),
    "between two loops": (DOT + TANH + ROW + STORE + SUM, [set(), {"tanh"}, set()]),
    "a recurrence behind": (DOT + TANH + "\n    h = mul s 0.5\n    s.1 = add h t\n    &y![i] += s.1\n    yield s.1", [set(), {"tanh"}]),
    "a cell is read again": (DOT + TANH + "\n    &y![i] = b.2\n    c = load! &y [i]\n    v = mul c t\n    &y![i] = v" + SUM, [set(), {"tanh"}]),
    "one array only gets additions": (
        DOT.replace("b.1 = add", "&y![j] += g\n      b.1 = add") + TANH + "\n    &y![i] += t" + SUM, [set(), {"tanh"}],
    ),
}  # fmt: skip
WHOLE = {
    "no function": DOT + "\n    t = mul b.2 2.0" + STORE + SUM,
    "no inner loop": "\n    a = load! &x [i]\n    t = exp a" + STORE + SUM,
    "the next iteration reads what this one stores": DOT.replace("load! &x [i]", "load! &y [0]") + TANH + STORE + SUM,
    "the loop needs the function of the last iteration": DOT.replace("= load! &x [i]", "= mul s 0.5") + TANH + SUM,
    "few iterations": DOT + TANH + STORE + SUM,
}


def distributed(body: str, head: str, columns: bool = False) -> Function:
    """The program after the pass; its outcome is that of the program before, for blocks of all lengths."""
    before = parse_program(HEAD + head + body + TAIL)
    after = before.with_main(distribute_calls(before.main))
    assert not verify(after)
    linear(after)
    for n in (0, 1, 5, WIDE, 2 * WIDE + 3) if columns else (0, 1, 5, BLOCK, 2 * BLOCK + 3):
        results = []
        for p in (before, after):
            rng = np.random.default_rng(3)
            arrays = [rng.random((4, n + 1) if columns else (n, 3)), rng.random(n + 3), rng.random(n + 3)]
            results.append((*run(p, [*arrays, n, 3], in_place=True).results, *arrays))
        for a, b in zip(*results, strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-13)
    return after.main


def functions(s: Loop) -> set[str]:
    return {t.op for t in s.body.stmts if isinstance(t, Let)} & {"tanh", "exp"}


@pytest.mark.parametrize("head", [UP, DOWN])
@pytest.mark.parametrize("name", DIVIDED)
def test_functions_get_loops_of_their_own(name: str, head: str) -> None:
    body, wanted = DIVIDED[name]
    [blocks] = (s for s in distributed(body, head).body.stmts if isinstance(s, Loop))
    parts = [s for s in blocks.body.stmts if isinstance(s, Loop)]
    assert [functions(s) for s in parts] == wanted
    assert all(not any(isinstance(t, Loop) for t in s.body.stmts) for s in parts if functions(s))


@pytest.mark.parametrize("name", WHOLE)
def test_what_stays_together(name: str) -> None:
    head = UP.replace("range(n)", "range(5)") if name == "few iterations" else UP
    if name == "few iterations":
        before = parse_program(HEAD + head + WHOLE[name] + TAIL)
        assert distribute_calls(before.main) == before.main
        return
    f = distributed(WHOLE[name], head)
    assert sum(isinstance(s, Loop) for s in walk(f.body)) <= 2


SUMMED = DOT.replace("[i, j]", "[j, i]")
LATER = """
    a1 = mul b.2 0.1
    for k in range(d) carry (c: f64 = a1) -> (c.2) {
      e1 = load! &w [k, i]
      c.1 = sub c e1
      yield c.1
    }"""
SPREAD = """
    a = load! &x [i]
    for j in range(d) {
      e = load! &w [j, i]
      g = mul e a
      &w![j, i] += a
      &y![j] += g
    }
    s.1 = add s a
    yield s.1"""
ALONG = {
    "a sum": SUMMED + TANH.replace("tanh", "neg") + STORE + SUM,
    "a difference": SUMMED.replace("add b g", "sub b g") + "\n    t = neg b.2" + STORE + SUM,
    "a sum and a function": SUMMED + TANH + STORE + SUM,
    "a sum that needs another one": SUMMED + LATER + "\n    t = mul b.2 c.2" + STORE + SUM,
    "additions to a column, and to a cell of all": SPREAD,
    "the cell beside": SUMMED.replace("e = load! &w [j, i]", "h = add i 1\n      e = load! &w [j, h]") + "\n    t = neg b.2" + SUM,
}  # fmt: skip
DOWNWARDS = {
    "the sum decides what is added": SUMMED.replace("mul e e", "mul e b") + "\n    t = neg b.2" + STORE + SUM,
    "columns of its own length": SUMMED.replace("range(d)", "range(k0)").replace("    a =", "    k0 = min i d\n    a =")
    + "\n    t = neg b.2" + STORE + SUM,
    "the next iteration reads the column": SPREAD.replace("e = load! &w [j, i]", "h = add i 1\n      e = load! &w [j, h]"),
    "a cell of all that is stored": SPREAD.replace("&y![j] += g", "&y![j] = g"),
    "a cell of all that is read": SPREAD.replace("load! &x [i]", "load! &y [i]"),
    "a sum over columns decides": SUMMED.replace("load! &x [i]", "mul s 0.1") + "\n    t = neg b.2" + SUM,
}  # fmt: skip


def down(s: Loop) -> int:
    """The innermost loops in a loop that go down the columns of the matrix."""
    inner = [t for t in walk(s.body) if isinstance(t, Loop) and not any(isinstance(u, Loop) for u in walk(t.body))]
    return sum(u.index[0] == t.index for t in inner for u in t.body.stmts if isinstance(u, Load | AddTo) and u.array.name == "w")


@pytest.mark.parametrize("head", [UP, DOWN])
@pytest.mark.parametrize("name", ALONG)
def test_sums_down_columns_go_along_rows(name: str, head: str) -> None:
    f = distributed(ALONG[name], head, columns=True)
    assert not sum(down(s) for s in f.body.stmts if isinstance(s, Loop))


@pytest.mark.parametrize("name", DOWNWARDS)
def test_what_goes_down_columns_still(name: str) -> None:
    f = distributed(DOWNWARDS[name], UP, columns=True)
    assert sum(down(s) for s in f.body.stmts if isinstance(s, Loop))
