"""Cells that an iteration writes for the next one are carried; where another write may come in between, they are read."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.core import AddTo, Load, Loop, Program, walk
from linad_typecheck.core_text import parse_program
from linad_typecheck.core_verify import verify

from linad.interpret import run
from linad.optimise.loops.loop_carried_forwarding import carry_cells

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
    for n in range(2, 7):  # down to loops that never run, with cells that do not exist
        rng = np.random.default_rng(n)
        b, a = rng.random((n, n)), rng.random((n, n))
        before, after = b.copy(), b.copy()
        run(program, [before, a, n], in_place=True)
        run(other, [after, a, n], in_place=True)
        np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("name", SWEEPS)
def test_the_next_iteration_has_the_value_without_a_load(name: str) -> None:
    program = sweep(*SWEEPS[name])
    found = program.with_main(carry_cells(program.main))
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
    assert carry_cells(program.main) == program.main


def test_what_is_lent_to_be_added_to_is_not_read() -> None:
    body = "      e = load! &a [i, j]\n      p = add j 1\n      k = floordiv j 2\n      &b![i, p] += e\n      &b![g, k] += e\n      &b![i, j] += 2.0\n"
    mine, lent = (sweep("range(l, 0, -1)", body, mode) for mode in ("mut", "acc"))
    found = mine.with_main(carry_cells(mine.main))
    assert found != mine and not verify(found)
    agree(mine, found)
    assert not verify(lent) and carry_cells(lent.main) == lent.main
