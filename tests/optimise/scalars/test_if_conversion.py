"""Branches that only choose between ints are selects; others stay branches."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import If, Let, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.scalars.if_conversion import convert_ifs


def both(body: str):
    """A program before and after, with equal results for every index."""
    before = parse_program("entry fn f(x: mut f64[:], i: i64) -> f64 {\n  n = dim &x 0\n  l = sub n 1\n  t = lt i l\n" + body + "\n}\n")
    after = before.with_main(convert_ifs(before.main))
    assert not verify(after)
    for i in range(4):
        a, b = (np.arange(4.0), np.arange(4.0))
        assert run(before, [a, i]).results == run(after, [b, i]).results
        np.testing.assert_array_equal(b, a)
    return after.main


def branches(f) -> int:
    return sum(isinstance(s, If) for s in walk(f.body))


def test_a_neighbour_around_a_ring_is_chosen() -> None:
    f = both("  p = if t {\n    q = add i 1\n    yield q\n  } else {\n    yield 0\n  }\n  e = load &x [p]\n  return e")
    assert branches(f) == 0 and sum(isinstance(s, Let) and s.op == "select" for s in walk(f.body)) == 1


def test_choices_in_choices_are_chosen() -> None:
    f = both(
        "  u = gt i 0\n  p = if t {\n    q = if u {\n      r = sub i 1\n      yield r\n    } else {\n      yield l\n    }\n    yield q\n"
        "  } else {\n    yield 0\n  }\n  e = load &x [p]\n  return e"
    )
    assert branches(f) == 0


STAY = {
    "a sum": (
        "  for j in range(n) carry (k: i64 = 0) -> (k.2) {\n    u = gt j i\n    k.1 = if u {\n      q = add k j\n      yield q\n"
        "    } else {\n      yield k\n    }\n    yield k.1\n  }\n  p = mod k.2 n\n  e = load &x [p]\n  return e"
    ),
    "a division may fail": "  p = if t {\n    q = floordiv 6 n\n    yield q\n  } else {\n    yield 0\n  }\n  e = load &x [l]\n  return e",
    "a test of a load": "  p = if t {\n    e = load &x [i]\n    q = gt e 0.5\n    yield q\n  } else {\n    yield False\n  }\n  r = select p 1.0 2.0\n  return r",
    "floats": "  p = if t {\n    yield 1.0\n  } else {\n    yield 2.0\n  }\n  return p",
    "an effect": "  p = if t {\n    &x![i] = 2.0\n    yield i\n  } else {\n    yield 0\n  }\n  e = load &x [p]\n  return e",
    "a float among ints": "  (p, q) = if t {\n    yield i, 1.0\n  } else {\n    yield 0, 2.0\n  }\n  return q",
}


@pytest.mark.parametrize("body", STAY.values(), ids=STAY)
def test_other_branches_stay(body: str) -> None:
    assert branches(both(body)) == 1
