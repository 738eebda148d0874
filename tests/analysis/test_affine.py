"""What is proved about the ints of a function."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Check, Loop, walk
from linad_typecheck.ir.text import parse_program

from linad.codegen import EmitOptions
from linad.codegen.passes import prepare
from linad.interpret import run

CASES = {  # the range of a loop, its number of iterations, the cell of one, and whether that is proved to be in the array
    "from zero": ("range(n)", "0 n 1", "add i 0", True),
    "downwards": ("range(n, 0, -1)", "n 0 -1", "sub n i", True),
    "from another size": ("range(m, l)", "m l 1", "sub i m", True),
    "a difference that may overflow": ("range(2, n)", "2 n 1", "sub i 2", False),
}


@pytest.mark.parametrize(("over", "trips", "cell", "proved"), CASES.values(), ids=CASES)
def test_an_array_with_a_cell_for_each_iteration(over: str, trips: str, cell: str, proved: bool) -> None:
    """The number of iterations of a range that may be empty is no less than the difference of its ends."""
    program = parse_program(
        f"entry fn f(n: i64, u: mut f64[:], v: mut f64[:]) -> f64 {{\n  m = dim &u 0\n  l = dim &v 0\n  t = trips {trips}\n"
        f"  a = alloc f64 [t] fill 1.0\n  for i in {over} carry (s: f64 = 0.0) -> (r) {{\n    k = {cell}\n"
        "    c = gt k 1\n    e = if c {\n      x = load &a [k]\n      yield x\n    } else {\n      yield 2.0\n    }\n"
        "    s1 = add s e\n    yield s1\n  }\n  return r\n}\n"
    )
    made, _ = prepare(program, EmitOptions())
    inside = [s for loop in walk(made.main.body) if isinstance(loop, Loop) for s in walk(loop.body)]
    assert any(isinstance(s, Check) for s in inside) is not proved
    for n in (-3, 0, 1, 7):
        given = [n, np.zeros(2), np.zeros(7)]
        assert run(made, given).results == run(program, given).results


LOOKED_UP = """
entry fn f(x: read f64[:], v: read f64[:]) -> f64 {
  n = dim &x 0
  m = dim &v 0
  most = sub m 2
  for i in range(n) carry (s: f64 = 0.0) -> (r) {
    e = load! &x [i]
    k: i64 = cast e
    @
    t = load &v [k.1]
    p = add k.1 1
    j = wrap p m
    u = load &v [j]
    s.1 = add s t
    s.2 = add s.1 u
    yield s.2
  }
  return r
}
"""
NEXT = {  # how an index is limited, and the checks that are left: of the index, and of the next one
    "by a minimum": ("k.1 = min k most", 1),
    "by a selection": ("b = gt k most \n k.1 = select b most k", 1),
    "on both sides": ("q = max k 0 \n k.1 = min q most", 1),
    "not at all": ("k.1 = add k 0", 2),
    "by something else": ("k.1 = min k n", 2),
}


@pytest.mark.parametrize(("limit", "left"), NEXT.values(), ids=NEXT)
def test_the_cell_after_one_that_is_checked(limit: str, left: int) -> None:
    program = parse_program(LOOKED_UP.replace("@", limit))
    made, _ = prepare(program, EmitOptions())
    assert sum(isinstance(s, Check) for s in walk(made.main.body)) == left
    given = [np.array([0.0, 2.5, 1.0]), np.array([1.0, 2.0, 4.0, 8.0])]
    assert run(made, given).results == run(program, given).results


SHORT_CIRCUITS = {  # conditions, the arm in which the next cell is loaded, and whether it is proved to be in the array
    "and": ("b = if c {\n      x = load! &u [i]\n      d = lt x 0.5\n      yield d\n    } else {\n      yield False\n    }", "k", "2.0", True),
    "and, of the condition": ("b = if c {\n      x = load! &u [i]\n      d = lt x 0.5\n      yield d\n    } else {\n      yield c\n    }", "k", "2.0", True),
    "or": ("o = ge i l\n    b = if o {\n      yield True\n    } else {\n      x = load! &u [i]\n      d = lt x 0.5\n      yield d\n    }", "2.0", "k", True),
    "or, where it holds": ("b = if c {\n      yield True\n    } else {\n      x = load! &u [i]\n      d = lt x 0.5\n      yield d\n    }", "k", "2.0", False),
}


@pytest.mark.parametrize(("test", "first", "second", "proved"), SHORT_CIRCUITS.values(), ids=SHORT_CIRCUITS)
def test_what_a_short_circuit_implies(test: str, first: str, second: str, proved: bool) -> None:
    arms = ["      y = load &u [k]\n      yield y" if a == "k" else f"      yield {a}" for a in (first, second)]
    program = parse_program(
        "entry fn f(u: mut f64[:]) -> f64 {\n  n = dim &u 0\n  l = sub n 1\n"
        "  for i in range(n) carry (s: f64 = 0.0) -> (r) {\n    k = add i 1\n    c = lt i l\n"
        f"    {test}\n    e = if b {{\n{arms[0]}\n    }} else {{\n{arms[1]}\n    }}\n    s1 = add s e\n    yield s1\n  }}\n  return r\n}}\n"
    )
    made, _ = prepare(program, EmitOptions())
    assert any(isinstance(s, Check) for s in walk(made.main.body)) is not proved
    given = [np.array([0.0, 0.25, 1.0, 2.0, 0.125, 3.0])]
    assert run(made, given).results == run(program, given).results


def test_a_count_that_is_at_least_nothing() -> None:
    """``max(n, 0)`` is how often ``range(n)`` runs."""
    program = parse_program(
        "entry fn f(n: i64) -> f64 {\n  t = trips 0 n 1\n  a = alloc f64 [t] fill 1.0\n  k = max n 0\n  l = sub k 1\n"
        "  for i in range(l, -1, -1) carry (s: f64 = 0.0) -> (r) {\n    e = load &a [i]\n    s1 = add s e\n    yield s1\n  }\n  return r\n}\n"
    )
    made, _ = prepare(program, EmitOptions())
    assert not any(isinstance(s, Check) for s in walk(made.main.body))
    for n in (-2, 0, 3):
        assert run(made, [n]).results == run(program, [n]).results
