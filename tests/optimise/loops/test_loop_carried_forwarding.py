"""Cells that an iteration writes for the next one are carried; where another write may come in between, they are read."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from linad_typecheck.ir.core import AddTo, Load, Loop, Program, Store, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.optimise.loops.loop_carried_forwarding import forward_loop_carried
from tests import kit

SWEEPS = {
    "back": (
        "range(l, 0, -1)",
        "      e = load! &b [i, j]\n      &b![i, j] = 0.0\n      t = mul 0.5 e\n      p = sub j 1\n      &b![h, j] += t\n      &b![i, p] += t\n      &b![g, p] += t\n",
    ),
    "on": (
        "range(1, m)",
        "      p = sub j 1\n      e = load! &b [i, p]\n      w = load! &b [h, j]\n      t = mul e w\n      &b![g, j] += t\n      &b![i, j] = t\n",
    ),
    "two numbers away": (
        "range(1, m)",
        "      p = add j 1\n      e = load! &b [i, j]\n      t = mul 0.5 e\n      &b![i, p] += t\n      &b![g, j] += t\n      &b![h, p] += t\n",
    ),
    "what is added to": (
        "range(l, 0, -1)",
        "      p = add j 1\n      e = load! &b [i, j]\n      t = mul 0.5 e\n      &b![i, p] += t\n      &b![i, j] = t\n",
    ),
}


def sweep(inner: str, body: str, mode: str = "mut") -> Program:
    text = f"""entry fn f(b: {mode} f64[:,:], a: f64[:,:], q: i64) -> i64 {{
  n = dim &b 0
  m = sub n 1
  l = sub n 2
  for i in range(1, m) {{
    h = sub i 1
    g = add i 1
    for j in {inner} {{
{body}    }}
  }}
  return n
}}
"""
    return parse_program(text)


def agree(program: Program, other: Program) -> None:
    """Down to loops that never run, with cells that do not exist."""
    kit.agree(program, other, ((*np.random.default_rng(n).random((2, n, n)), n) for n in range(2, 7)))


@pytest.mark.parametrize("name", SWEEPS)
def test_the_next_iteration_has_the_value_without_a_load(name: str) -> None:
    program = sweep(*SWEEPS[name])
    found = program.with_main(forward_loop_carried(program.main))
    verify(found)
    loops = [s for s in walk(found.main.body) if isinstance(s, Loop) and s.carried]
    assert len(loops) == 1
    assert len(loops[0].carried) == 1
    assert _reads(loops[0]) == _reads(next(s for s in walk(program.main.body) if isinstance(s, Loop) and s.index.name == "j")) - 1
    agree(program, found)


def _reads(s: Loop) -> int:
    return sum(isinstance(t, Load | AddTo) for t in s.body.stmts)


READ = {
    "the row may be the same": "      e = load! &b [i, j]\n      p = sub j 1\n      &b![i, p] += e\n      &b![q, p] += e\n",
    "the cell is added to twice": "      e = load! &b [i, j]\n      p = sub j 1\n      &b![i, p] += e\n      &b![i, p] += e\n      &b![g, j] += e\n",
    "the cell is written once more before it is read": (
        "      &b![i, j] = 1.0\n      e = load! &b [i, j]\n      p = sub j 1\n      &b![i, p] += e\n      &b![g, j] += e\n"
    ),
    "the iteration behind reads it": "      e = load! &b [i, j]\n      p = add j 1\n      &b![i, p] += e\n      &b![g, j] += e\n",
    "another column of another row": (
        "      p = sub j 1\n      k = floordiv j 2\n      e = load! &b [i, j]\n      &b![i, p] += e\n      &b![k, k] += e\n"
    ),
    "a check": "      e = load &b [i, j]\n      p = sub j 1\n      &b![i, p] += e\n      &b![g, j] += e\n",
    "nothing but additions, of which each cell can have one": (
        "      e = load! &a [i, j]\n      p = add j 1\n      &b![i, p] += e\n      &b![i, j] += 2.0\n      &b![g, j] += e\n"
    ),
    "rows that the compiler tells apart": "      e = load! &b [i, j]\n      p = sub j 1\n      &b![i, p] += e\n",
}


@pytest.mark.parametrize("body", READ.values(), ids=READ)
def test_loads_that_stay(body: str) -> None:
    program = sweep("range(l, 0, -1)", body)
    assert forward_loop_carried(program.main) == program.main


def test_what_is_lent_to_be_added_to_is_not_read() -> None:
    body = "      e = load! &a [i, j]\n      p = add j 1\n      k = floordiv j 2\n      &b![i, p] += e\n      &b![g, k] += e\n      &b![i, j] += 2.0\n"
    mine, lent = (sweep("range(l, 0, -1)", body, mode) for mode in ("mut", "acc"))
    found = mine.with_main(forward_loop_carried(mine.main))
    assert found != mine and not verify(found)
    agree(mine, found)
    assert not verify(lent) and forward_loop_carried(lent.main) == lent.main


LATTICE = "      e = load! &b [i, j]\n      p = add j 1\n      t = mul 0.5 e\n      &b![i, p] += t\n      u = mul 0.25 e\n      &b![i, j] = u\n"
BACK, ON = "range(l, -1, -1)", "range(1, m)"
LOOKED_AT = {
    "the cell is read afterwards": (BACK, LATTICE + "      w = load! &b [i, j]\n      &b![g, j] += w\n"),
    "another cell is read": (BACK, "      w = load! &b [i, 0]\n" + LATTICE.replace("mul 0.25 e", "mul 0.25 w")),
    "it is written once more": (BACK, LATTICE + "      &b![h, j] += t\n"),
    "the sum goes on": (BACK, LATTICE.replace("&b![i, j] = u", "&b![i, j] += u")),
}


def _stores(s: Loop) -> int:
    return sum(isinstance(t, Store | AddTo) for t in s.body.stmts)


@pytest.mark.parametrize(
    ("inner", "body", "carried", "fewer"),
    [
        (BACK, LATTICE, 1, 1),
        (ON, LATTICE.replace("add j 1", "sub j 1"), 1, 1),
        (BACK, LATTICE.replace("      u = mul 0.25 e", "      &a![i, j] = e\n      v = load! &a [i, p]\n      u = mul 0.25 v"), 2, 1),
        (BACK, LATTICE + re.sub(r"\b([etu])\b", r"\1_of_a", LATTICE).replace("&b", "&a").replace("      p = add j 1\n", ""), 2, 2),
    ],
)
def test_a_cell_that_the_next_iteration_stores_to_again_is_stored_after_the_loop(inner: str, body: str, carried: int, fewer: int) -> None:
    program = sweep(inner, body)
    b, a, q = program.main.params
    program = program.with_main(replace(program.main, params=(b, replace(a, mode="mut"), q)))
    found = program.with_main(forward_loop_carried(program.main))
    assert not verify(found)
    (loop,) = (s for s in walk(found.main.body) if isinstance(s, Loop) and s.carried)
    (old,) = (s for s in walk(program.main.body) if isinstance(s, Loop) and s.index.name == "j")
    assert _stores(loop) == _stores(old) - fewer and len(loop.carried) == carried
    agree(program, found)


@pytest.mark.parametrize("how", LOOKED_AT)
def test_cells_that_each_iteration_stores(how: str) -> None:
    program = sweep(*LOOKED_AT[how])
    found = program.with_main(forward_loop_carried(program.main))
    assert not verify(found)
    loops = [s for m in (program.main, found.main) for s in walk(m.body) if isinstance(s, Loop) and s.index.name.startswith("j")]
    assert _stores(loops[0]) == _stores(loops[-1])
    agree(program, found)
