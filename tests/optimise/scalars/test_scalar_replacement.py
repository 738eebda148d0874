"""Small arrays with literal indices become values, also across branches; others stay arrays. Results are the same bits."""

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.scalars.scalar_replacement import replace_small_arrays

HEAD = "entry fn f(x: mut f64[:], c: f64, n: i64) -> f64 {\n  t = lt c 0.0\n  u = lt c 1.0\n"
PAIR = "  a = alloc f64 [2]\n  &a![0] = c\n  &a![1] = 2.0\n"

GONE = {
    "one block": PAIR + "  &a![1] += c\n  e = load &a [0]\n  g = load &a [1]\n  r = mul e g\n  return r",
    "written in an arm": PAIR + "  if t {\n    &a![1] = -0.0\n  } else {\n    &a![0] += 1.0\n  }\n  e = load &a [0]\n  g = load &a [1]\n"
    "  r = div e g\n  return r",
    "zeros of two signs": "  a = alloc f64 [1] fill 0.0\n  if t {\n    &a![0] = -0.0\n  }\n  e = load &a [0]\n  r = div 1.0 e\n  return r",
    "of branches in branches": (
        "  a = if t {\n    b = alloc f64 [2]\n    &b![0] = 1.0\n    &b![1] = c\n    yield b\n  } else {\n    d = if u {\n      e = alloc f64 [2]\n"
        "      &e![0] = 3.0\n      &e![1] = 4.0\n      yield e\n    } else {\n      g = alloc f64 [2]\n      &g![0] = c\n      &g![1] = 5.0\n"
        "      yield g\n    }\n    &d![1] += c\n    yield d\n  }\n  &a![0] += 1.0\n  h = load &a [0]\n  k = load &a [1]\n  r = mul h k\n  return r"
    ),
    "made in each iteration": (
        "  for i in range(n) carry (s: f64 = 0.0) -> (s.2) {\n    a = alloc f64 [2] fill 0.5\n    e = load &x [i]\n    if t {\n      &a![0] = e\n    }\n"
        "    &a![1] += e\n    g = load &a [0]\n    h = load &a [1]\n    k = mul g h\n    s.1 = add s k\n    yield s.1\n  }\n  return s.2"
    ),
    "read by a loop": PAIR + "  for i in range(n) carry (s: f64 = 0.0) -> (s.2) {\n    e = load &a [1]\n    s.1 = add s e\n    yield s.1\n  }\n  return s.2",
    "written by a loop": PAIR + "  for i in range(n) {\n    &a![0] += 1.0\n  }\n  e = load &a [0]\n  g = load &a [1]\n  r = mul e g\n  return r",
    "carried, and made anew": PAIR
    + "  for i in range(n) carry (b: f64[:] = a) -> (d) {\n    e = load &b [0]\n    g = load &b [1]\n    h = mul e g\n    k = alloc f64 [2] fill -0.0\n"
    "    &k![0] += g\n    &k![1] = h\n    yield k\n  }\n  e.1 = load &d [0]\n  g.1 = load &d [1]\n  r = div e.1 g.1\n  return r",
    "two that change places, one of them now and then": PAIR
    + "  b = alloc f64 [2] fill 3.0\n  for i in range(n) carry (d: f64[:] = a, e: f64[:] = b) -> (g, h) {\n    if t {\n      &d![0] += 1.0\n    }\n"
    "    k = load &e [1]\n    &d![1] = k\n    yield e, d\n  }\n  l = load &g [0]\n  m = load &h [0]\n  o = load &g [1]\n  p = mul l m\n  r = sub p o\n"
    "  return r",
    "copied, filled and added": PAIR
    + "  b = copy &a\n  &a[...] = 0.5\n  for i in range(n) {\n    &a += &b\n    &b[...] = c\n  }\n  e = load &a [0]\n  g = load &b [1]\n  r = mul e g\n  return r",
    "of a loop that ends itself": PAIR
    + "  for i in range(...) exits carry (b: f64[:] = a) -> (d) {\n    e = load &b [1]\n    &b![1] += 1.0\n    go = lt e 7.0\n    yield go, b\n  }\n  r = load &d [1]\n  return r",
    "filled with other numbers": (
        "  a = if t {\n    b = alloc f64 [2] fill 1.0\n    yield b\n  } else {\n    d = alloc f64 [2] fill 2.0\n    yield d\n  }\n  e = load &a [0]\n  return e"
    ),
}  # fmt: skip
STAY = {
    "too large to be carried": (
        "  a = alloc f64 [33] fill 0.0\n  for i in range(n) {\n    &a![0] += 1.0\n  }\n  e = load &a [0]\n  return e"
    ),
    "another index": PAIR + "  e = load &a [n]\n  return e",
    "of other sizes": (
        "  a = if t {\n    b = alloc f64 [2] fill 1.0\n    yield b\n  } else {\n    d = alloc f64 [3] fill 1.0\n    yield d\n  }\n  e = load &a [0]\n  return e"
    ),
}  # fmt: skip


def before_and_after(body: str):
    before = parse_program(f"{HEAD}{body}\n}}\n")
    after = before.with_main(replace_small_arrays(before.main))
    assert not verify(after)
    for n in (0, 1):
        for c in (-2.0, 0.5, 3.0):
            a, b = (run(program, [np.arange(4.0), c, n]).results[0] for program in (before, after))
            assert repr(a) == repr(b)
    return before, after


def allocations(program) -> int:
    return sum(isinstance(s, Alloc) for s in walk(program.main.body))


@pytest.mark.parametrize("name", GONE)
def test_arrays_become_values(name: str) -> None:
    before, after = before_and_after(GONE[name])
    assert allocations(before) and not allocations(after)


@pytest.mark.parametrize("name", STAY)
def test_other_arrays_stay(name: str) -> None:
    before, after = before_and_after(STAY[name])
    assert allocations(before) == allocations(after)
