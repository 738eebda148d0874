"""Scratch arrays outside a loop: where they become arrays of an iteration, what that saves, and what stays the same."""

import textwrap

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Loop, walk
from linad_typecheck.ir.text import parse_program

from linad.baseline import tape
from linad.cost import cost_of
from linad.optimise.memory.array_privatisation import privatise_arrays
from linad.pipeline import prepare

from ...examples_of import seeds
from ...prelude import HEADER
from ...properties.roads import Whole, close
from ...sources import Seeded
from ...kit import load
from ...strategies_scratch import scratch_nests

PARAMS = 'x: Float64[np.ndarray, "n"], A: Float64[np.ndarray, "n m"], w: float'
RNG = np.random.default_rng(0)
ARGS = (RNG.normal(size=5), RNG.normal(size=(5, 3)), 0.7)


def program(body: str) -> Whole:
    text = f"{HEADER}\n\ndef f({PARAMS}):\n    n, m = A.shape\n    s = 0.0\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n    return s\n"
    return Whole(load(text), ARGS)


def alone(whole: Whole):
    """The function of a program as the pass finds it, and as it leaves it."""
    f = prepare(whole.lowered, off=("array_privatisation", "scalar_replacement")).main
    return f, privatise_arrays(f)[0]


def inner_arrays(f) -> list[str]:
    """The arrays that loops allocate."""
    return [t.out.name for s in f.body.stmts if isinstance(s, Loop) for t in walk(s.body) if isinstance(t, Alloc)]


FILL = "for j in range(n):\n    u[j] = math.sin(x[j] * t)\n"
USE = "for j in range(n):\n    s += u[j] * u[(j + 1) % n]\n"


def looped(*parts: str, head: str = "u = np.zeros(n)", rest: str = "", over: str = "for t in range(4):") -> str:
    return "\n".join([head, over, *(textwrap.indent(p, "    ") for p in parts), rest])


PRIVATE = {
    "refilled in each iteration": looped(FILL, USE),
    "undefined at first": looped(FILL, USE, head="u = np.empty(n)"),
    "a copy at first": looped(FILL, USE, head="u = x.copy()"),
    "two loops around": looped(FILL, USE, over="for q in range(2):\n  for t in range(3):"),
    "by a slice": looped("u[:] = x * t", USE),
    "and then updated": looped("u.fill(0.0)\nfor j in range(n):\n    u[j] += x[j] * t", USE),
    "backwards": looped("for j in range(n - 1, -1, -1):\n    u[j] = x[j] * t", USE),
    "its ends by themselves": looped("u[0] = w\nu[-1] = w\nfor j in range(1, n - 1):\n    u[j] = x[j] * t", USE),
    "a recurrence": looped("u[0] = w\nfor j in range(1, n):\n    u[j] = math.sin(u[j - 1] * x[j])", USE),
    "forward substitution": looped("for j in range(n):\n    u[j] = x[j]\n    for k in range(j):\n        u[j] -= 0.1 * u[k]", USE),
    "in both arms": looped("for j in range(n):\n    if x[j] > 0:\n        u[j] = w\n    else:\n        u[j] = x[j]", USE),
    "through a view": looped("tail = u[1:]\nu[0] = w\nfor j in range(n - 1):\n    tail[j] = x[j] * t", USE),
    "in pairs": looped("for j in range(n // 2):\n    u[2 * j] = x[j]\n    u[2 * j + 1] = w\nu[n - 1] = w", USE),
    "refilled after the loop as well": looped(FILL, USE, rest="for j in range(n):\n    u[j] = x[j]\n" + USE),
    "in two loops": looped(FILL, USE, rest=looped(FILL, USE, head="")),
    "in an arm": looped("if w > 0.1:\n" + textwrap.indent(FILL + USE, "    ")),
    "a while loop": looped(FILL, USE, "t += 1", over="t = 0\nwhile t < 4:"),
    "a matrix": looped("for j in range(n):\n    for k in range(m):\n        u[j, k] = A[j, k] * t\nfor k in range(m):\n    for j in range(n):\n        s += u[j, k] * u[0, k]", head="u = np.zeros((n, m))"),
    "a triangle": looped("for j in range(n):\n    for k in range(j + 1):\n        u[j, k] = x[j] * x[k] * t\nfor j in range(n):\n    for k in range(j + 1):\n        s += u[j, k] * u[j, j]", head="u = np.zeros((n, n))"),
    "a few cells": looped("u[0] = math.sin(w * t)\nu[1] = x[0] * t\ns += u[0] * u[1]", head="u = np.zeros(3)"),
}  # fmt: skip

KEPT = {
    "read before it is written": looped(USE, FILL),
    "a sum over iterations": looped("for j in range(n):\n    u[j] += x[j] * t", USE),
    "a cell short": looped("for j in range(1, n):\n    u[j] = x[j] * t", USE),
    "under a condition": looped("for j in range(n):\n    if x[j] > 0:\n        u[j] = x[j] * t", USE),
    "in a loop that may end early": looped("for j in range(n):\n    if x[j] > 0.9:\n        break\n    u[j] = x[j] * t", USE),
    "read after the loop": looped(FILL, USE, rest=USE),
    "read in the next round": looped(looped(FILL, USE, head=""), head="u = np.zeros(n)", over="for q in range(2):\n  if q > 0:\n    s += u[0]\n  if True:"),
    "returned": looped(FILL, USE, rest="return s, u"),
    "under two names": looped(FILL, USE, "u, v = v, u", head="u = np.zeros(n)\nv = np.ones(n)"),
    "by rows of unknown length": looped("k = int(w) + 1\nfor j in range(k):\n    u[j] = x[j] * t\nfor j in range(k):\n    s += u[j] * u[j]"),
    "every second cell": looped("for j in range(0, n, 2):\n    u[j] = x[j] * t", USE),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PRIVATE)
def test_private(name) -> None:
    whole = program(PRIVATE[name])
    before, after = alone(whole)
    assert not inner_arrays(before) and inner_arrays(after), "no array of an iteration"
    whole.primal()
    whole.gradients(thorough=False)


@pytest.mark.parametrize("name", KEPT)
def test_kept(name) -> None:
    whole = program(KEPT[name])
    before, after = alone(whole)
    assert before == after


def test_the_innermost_loop_has_it() -> None:
    f, _ = privatise_arrays(parse_program(NESTED).main)
    assert inner_arrays(f) == ["u.1"]
    inner = f.body.stmts[-2].body.stmts[0]
    assert isinstance(inner, Loop) and isinstance(inner.body.stmts[0], Alloc)


NESTED = """
entry fn f(x: read f64[:], n: i64) -> f64 {
  ok = ge n 0
  check ok else ValueError "negative"
  u = alloc f64 [n] fill 0.0
  for i in range(n) carry (s: f64 = 0.0) -> (s.3) {
    for k in range(n) carry (s.1: f64 = s) -> (s.2) {
      for j in range(n) {
        e = load &x [j]
        &u[j] = e
      }
      a = load &u [k]
      s.4 = add s.1 a
      yield s.4
    }
    yield s.2
  }
  y = neg s.3
  return y
}
"""

PAIRS = {
    "vectors": ("u = np.empty(n)", FILL + USE),
    "products of all pairs": ("u = np.empty(n)", FILL + "for j in range(n):\n    for k in range(j):\n        s += math.sin(u[j] * u[k])"),
    "a matrix": ("u = np.empty((n, m))", "for j in range(n):\n    for k in range(m):\n        u[j, k] = math.exp(A[j, k] * t)\nfor j in range(n):\n    for k in range(m):\n        s += u[j, k] * u[j, 0] * w"),
    "forces": ("u = np.empty(n)", "u.fill(0.0)\nfor j in range(n):\n    for k in range(j):\n        d = q[j] - q[k]\n        u[j] += d * d * d\n        u[k] -= d * d * d\nq += 0.1 * u"),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_scratch_outside_costs_what_scratch_inside_costs(name) -> None:
    made, body = PAIRS[name]
    outside, inside = (
        program("q = x.copy()\n" + text + "s += np.sum(q * q)") for text in (looped(body, head=made), looped(made, body, head=""))
    )
    costs = [cost_of(w.lowered, w.values, off=off) for w, off in ((outside, ()), (inside, ()), (outside, ("array_privatisation",)))]
    assert costs[0].log_words == costs[1].log_words <= costs[2].log_words
    assert costs[0].primal <= costs[1].primal and costs[0].gradient <= 1.05 * costs[1].gradient
    assert costs[0].gradient <= 1.01 * costs[2].gradient


@pytest.mark.one_in(3)
@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(9))
def test_random_nests(seed) -> None:
    drawn = scratch_nests(Seeded(seed))
    whole = Whole(drawn.load(), drawn.args)
    ended = whole.primal()
    if ended.error is not None:
        whole.raises(ended.error)
        return
    wrt = whole.active()
    wanted = whole.expected(tape)
    g = whole.derivative(wrt, True)
    for name, stage in (("stored", g.stored), ("simplified", g.simplified)):
        out, found = whole.gradient(stage, wrt, True)
        close([found[n] for n in wrt], wanted, whole.tolerance, name)
    whole.within_bound(out)

