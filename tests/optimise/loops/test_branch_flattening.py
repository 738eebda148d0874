"""Branches of innermost loops become choices where that is cheap; the numbers stay those of the loop as it was written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linad_typecheck.ir.core import AddTo, If, Load, Loop, Program, Store, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.branch_flattening import flatten_branches
from tests.examples_of import quick

SIZE = 12


def program(body: str, over: str = "range(1, l)", carry: str = "carry (s: f64 = 0.0) -> (r)", after: str = "yield s") -> Program:
    return parse_program(
        "entry fn f(u: mut f64[:], v: mut f64[:], w: mut f64[:], k: mut i64[:]) -> f64 {\n"
        "  n = dim &u 0\n  m = dim &v 0\n  a = eq n m\n  check a else ValueError \"sizes\"\n"
        "  o = dim &w 0\n  q = eq n o\n  check q else ValueError \"sizes\"\n  l = sub n 1\n"
        f"  for i in {over} {carry} {{\n    h = sub i 1\n    j = add i 1\n    x = load! &u [i]\n    c = lt x 0.5\n"
        f"{body}\n    {after}\n  }}\n  return r\n}}\n"
    )


def arrays(seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    floats = [rng.choice([-1.0, 0.25, 0.5, 2.0, -0.0, np.inf, np.nan], SIZE, p=[0.2, 0.2, 0.2, 0.2, 0.1, 0.05, 0.05]) for _ in range(3)]
    return [*floats, rng.integers(0, SIZE, SIZE)]


def outcome(p: Program, seed: int) -> list[np.ndarray]:
    given = arrays(seed)
    found = run(p, given, in_place=True).results
    return [*map(np.asarray, found), *given]


def flattened(before: Program) -> Program:
    assert not verify(before)
    after = before.with_main(flatten_branches(before.main))
    assert not verify(after)
    for seed in range(6):
        for x, y in zip(outcome(before, seed), outcome(after, seed), strict=True):
            np.testing.assert_array_equal(y, x)
            np.testing.assert_array_equal(np.signbit(y), np.signbit(x))
    return after


def branches(p: Program) -> int:
    return sum(isinstance(s, If) for s in walk(p.main.body))


def counts(p: Program) -> tuple[int, int, int]:
    [loop] = (s for s in walk(p.main.body) if isinstance(s, Loop))
    return tuple(sum(isinstance(t, kind) for t in loop.body.stmts) for kind in (Load, Store, AddTo))  # type: ignore[return-value]


FLAT = {  # and how many loads, stores and additions to cells are left; the first load is that of the condition
    "both arms store": ("    if c {\n      &v![i] = x\n    } else {\n      &v![i] = 0.0\n    }", (1, 1, 0)),
    "one arm stores to what is read": (
        "    y = load! &v [i]\n    if c {\n      t = mul y x\n      &v![i] = t\n    } else {\n    }", (2, 1, 0)),
    "one arm stores to what surely is there": ("    if c {\n    } else {\n      &v![j] = x\n    }", (2, 1, 0)),
    "one arm adds": ("    if c {\n      &v![i] += x\n    } else {\n    }", (1, 0, 1)),
    "both arms add": ("    if c {\n      &v![i] += x\n    } else {\n      t = mul x 2.0\n      &v![i] += t\n    }", (1, 0, 1)),
    "an arm adds, the other stores": ("    if c {\n      &v![i] += x\n    } else {\n      &v![i] = 3.0\n    }", (2, 1, 0)),
    "a cell is moved to a value": (
        "    e = if c {\n      y = load! &v [i]\n      &v![i] = 0.0\n      yield y\n    } else {\n      yield 0.0\n    }\n    &w![j] += e", (2, 1, 1)),
    "added to, then read": ("    e = if c {\n      &v![i] += x\n      y = load! &v [i]\n      yield y\n    } else {\n      yield 1.0\n    }\n    &w![i] = e", (2, 2, 0)),
    "zeros of either sign": ("    e = if c {\n      yield -0.0\n    } else {\n      yield 0.0\n    }\n    &w![i] = e", (1, 1, 0)),
    "branches in branches": (
        "    b = gt x 0.0\n    if c {\n      &v![i] = x\n    } else {\n      if b {\n        &v![i] = 1.0\n      } else {\n"
        "        &v![i] = 2.0\n      }\n    }", (1, 1, 0)),
    "neighbours that exist": ("    e = if c {\n      y = load! &v [h]\n      yield y\n    } else {\n      z = load! &v [j]\n      yield z\n    }\n    &w![i] = e", (3, 1, 0)),
    "an index of the arm before": (
        "    (g, e) = if c {\n      p = sub i 1\n      y = load! &v [p]\n      yield p, y\n    } else {\n      yield 0, 2.0\n    }\n"
        "    if c {\n      &w![g] += e\n    } else {\n      &w![i] += e\n    }", (2, 0, 2)),
    "a float of an int": ("    e = if c {\n      y: f64 = cast i\n      yield y\n    } else {\n      yield x\n    }\n    &w![i] = e", (1, 1, 0)),
}  # fmt: skip


@pytest.mark.parametrize("over", ["range(1, l)", "range(1, l, 2)"])
@pytest.mark.parametrize("name", FLAT)
def test_branches_become_choices(name: str, over: str) -> None:
    body, left = FLAT[name]
    after = flattened(program(body, over))
    assert branches(after) == 0 and counts(after) == left


SUMS = {
    "in one arm": "    t = if c {\n      t1 = add s x\n      yield t1\n    } else {\n      yield s\n    }",
    "taken away": "    t = if c {\n      yield s\n    } else {\n      t1 = sub s 2.0\n      yield t1\n    }",
    "added and taken away": "    t = if c {\n      t1 = add s 1.0\n      yield t1\n    } else {\n      t2 = sub s 2.0\n      yield t2\n    }",
    "twice": "    t = if c {\n      t1 = add s 1.0\n      t3 = add t1 0.5\n      yield t3\n    } else {\n      t2 = add 2.0 s\n      yield t2\n    }",
    "in both": "    t = if c {\n      t1 = add s 1.0\n      yield t1\n    } else {\n      t2 = add s 2.0\n      yield t2\n    }",
}


@pytest.mark.parametrize("body", SUMS.values(), ids=SUMS)
def test_of_sums_what_is_added_is_chosen(body: str) -> None:
    after = flattened(program(body, after="yield t"))
    [loop] = (s for s in walk(after.main.body) if isinstance(s, Loop))
    made = {t.out.name: t for t in loop.body.stmts if not isinstance(t, Store | AddTo)}
    last = made[loop.body.results[0].name]  # type: ignore[union-attr]
    assert branches(after) == 0 and last.op in ("add", "sub") and loop.carried[0] in last.ins  # type: ignore[union-attr]


def test_what_both_arms_yield_is_that() -> None:
    """Bools, too, of which there are no sums."""
    body = "    b = gt x 0.0\n    (d, e) = if c {\n      yield b, x\n    } else {\n      yield b, x\n    }\n"
    after = flattened(program(body + "    y = select d e 1.0\n    &w![i] = y"))
    assert branches(after) == 0 and counts(after) == (1, 1, 0)


STAY = {
    "arrays": "    d = if c {\n      yield u\n    } else {\n      yield v\n    }\n    y = load! &d [0]\n    &w![i] = y",
    "a cell that may not be there": "    g = add i 2\n    e = if c {\n      y = load! &v [g]\n      yield y\n    } else {\n      yield x\n    }\n    &w![i] = e",
    "cells that may be the same": "    g = load! &k [0]\n    if c {\n      &v![i] = x\n    } else {\n      &v![g] = 1.0\n    }",
    "a library function": "    e = if c {\n      y = exp x\n      yield y\n    } else {\n      yield x\n    }\n    &w![i] = e",
    "a float that becomes an int": "    if c {\n      y: i64 = cast x\n      &k![i] = y\n    } else {\n      &k![i] = 0\n    }",
    "an int that is divided": "    if c {\n      y = floordiv 6 i\n      &k![i] = y\n    } else {\n      &k![i] = 0\n    }",
    "a check": "    if c {\n      &v[i] = x\n    } else {\n      &v![i] = 0.0\n    }",
    "what the next iteration reads": "    y = load! &v [h]\n    if c {\n      &v![i] = y\n    } else {\n      &v![i] = x\n    }",
    "scattered": "    g = load! &k [i]\n    z = lt g n\n    check z else IndexError \"cell\"\n    if c {\n      &v![i] += x\n    } else {\n    }",
}


@pytest.mark.parametrize("body", STAY.values(), ids=STAY)
def test_other_branches_stay(body: str) -> None:
    before = program(body)
    assert not verify(before)
    assert flatten_branches(before.main) == before.main


def test_what_iterations_wait_for_stays_a_branch() -> None:
    before = program("    t = if c {\n      yield x\n    } else {\n      t1 = mul s 0.5\n      yield t1\n    }", after="yield t")
    assert flatten_branches(before.main) == before.main


def test_many_operations_stay_in_their_arms() -> None:
    """Unless the loop has as many others."""
    lines = "".join(f"      y{k} = mul {'x' if k == 0 else f'y{k - 1}'} 0.5\n" for k in range(41))
    before = program(f"    if c {{\n{lines}      &v![i] = y40\n    }} else {{\n      &v![i] = x\n    }}")
    assert flatten_branches(before.main) == before.main
    rest = "".join(f"    z{k} = mul {'x' if k == 0 else f'z{k - 1}'} 0.5\n" for k in range(50))
    after = program(f"{rest}    if c {{\n{lines}      &v![i] = y40\n    }} else {{\n      &v![i] = z49\n    }}")
    assert not any(isinstance(s, If) for s in walk(flatten_branches(after.main).body))


STATEMENTS = st.sampled_from([
    "&v![i] = {x}", "&v![i] += {x}", "{y} = load! &v [i]", "&w![h] += {x}", "&w![j] = {x}", "{y} = load! &w [j]", "{y} = mul {x} {x}", "{y} = sub {x} 1.0",
])  # fmt: skip


@quick(60)
@given(st.lists(STATEMENTS, max_size=6), st.lists(STATEMENTS, max_size=6), st.integers(0, 5))
def test_random_arms(first: list[str], second: list[str], seed: int) -> None:
    def arm(statements: list[str], mark: str) -> str:
        last, lines = "x", []
        for k, t in enumerate(statements):
            made = f"{mark}{k}"
            lines.append("      " + t.format(x=last, y=made))
            last = made if "{y}" in t else last
        return "\n".join([*lines, f"      yield {last}"])

    before = program(f"    e = if c {{\n{arm(first, 'p')}\n    }} else {{\n{arm(second, 'z')}\n    }}\n    &k![i] = 1\n    t = add s e", after="yield t")
    assert not verify(before)
    after = before.with_main(flatten_branches(before.main))
    assert not verify(after)
    for x, y in zip(outcome(before, seed), outcome(after, seed), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-12)


def test_another_row_and_cells_of_a_gradient() -> None:
    """The row before is another one, and a gradient is as long as its parameter: the reverse of a minimum of
    neighbours."""
    before = parse_program(
        """entry fn f(u: read f64[:,:], u_bar: acc f64[:,:], b: mut f64[:,:]) -> i64 {
  n = dim &u 0
  m = dim &u 1
  n.1 = dim &b 0
  m.1 = dim &b 1
  ok = eq n n.1
  check ok else ValueError "sizes"
  ok.1 = eq m m.1
  check ok.1 else ValueError "sizes"
  for i in range(1, n) {
    k = sub i 1
    for j in range(1, m) {
      h = sub j 1
      e = load! &b [i, j]
      &b![i, j] = 0.0
      x = load! &u [k, j]
      y = load! &u [k, h]
      c = lt x y
      if c {
        &b![k, j] += e
        &u_bar![i, j] += e
      } else {
        &b![k, h] += e
      }
    }
  }
  return n
}
"""
    )
    first, second, third = before.main.params
    before = before.with_main(replace(before.main, params=(first, replace(second, like="u"), third)))
    after = before.with_main(flatten_branches(before.main))
    assert not verify(after) and branches(before) == 1 and branches(after) == 0
    rng = np.random.default_rng(0)
    u, b = rng.normal(size=(2, 5, 4))
    found = [[u, np.zeros((5, 4)), b.copy()] for _ in range(2)]
    for p, given in zip((before, after), found, strict=True):
        run(p, given, in_place=True)
    for x, y in zip(*found, strict=True):
        np.testing.assert_array_equal(x, y)
