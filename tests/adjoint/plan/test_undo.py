"""Arrays whose old cells are put back on the way back: a program for each condition under which they are.

In each, `mixed` reads so many cells that writes are logged in place of what is read; without the condition the gradient would be wrong,
or the pass would fail.
"""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.text import parse_program

from linad.interpret import CoreError, run
from linad.pipeline import differentiate, prepare
from tests.adjoint.facts.test_reversal_order import K, X
from tests.adjoint.log_words import MIXED, words, words_of, words_twice
from tests.kit import functions


PROGRAMS = functions(
    MIXED + """\
def doubled(v, k):
    if k < 0: return 0.0
    v[k] = 2.0 * v[k]
    return doubled(v, k - 1)
# The old word of the last store is not the one that was loaded before, where ``k`` is ``i``.
def overwritten_by_another(x, idx):
    v = x.copy()
    s = 0.0
    mixed(v)
    for i in range(len(x)):
        e = v[i]
        k = idx[i]
        v[k] = 2.0 * x[i]
        s += v[k] * v[k]
        v[i] = np.sin(e) * x[i]
    mixed(v)
    return np.sum(v) + s
def overwritten_in_an_arm(x, idx):
    v = x.copy()
    s = 0.0
    mixed(v)
    for i in range(len(x)):
        e = v[i]
        if idx[i] > 1: v[i] = 2.0 * x[i]
        k = idx[i]
        s += v[k] * v[k]
        v[i] = np.sin(e) * x[i]
    mixed(v)
    return np.sum(v) + s
def filled_between(x):  # A store to all cells is not put back.
    v = x.copy()
    mixed(v)
    s = np.sum(v)
    v[:] = s * x[0]
    mixed(v)
    return np.sum(v) * s
def updated_by_a_call(x):  # Nor is what a function that calls itself has done.
    v = x.copy()
    mixed(v)
    doubled(v, 3)
    mixed(v)
    return np.sum(v)
""",
    x=X, idx=K,
)


@pytest.mark.parametrize("f, args", PROGRAMS.values(), ids=PROGRAMS)
def test_the_gradient_is_that_of_the_tape(f, args) -> None:
    words(f, *args)


def test_indices_are_put_back() -> None:
    """Once more in the derivative of the derivative, which finds the words of the first in its log."""

    def permuted(x, idx):
        p = idx.copy()
        s = 1.0
        for i in range(len(x)):
            s = np.sin(s * x[p[i]])
        for i in range(len(x)):
            s = np.cos(s * x[p[i]])
        for i in range(len(x)):
            p[i] = idx[4 - i]
        for i in range(len(x)):
            s = np.sin(s * x[p[i]])
        return s

    assert words(permuted, X, K) == 4 * len(X)
    words_twice(permuted, X, K)


def test_the_log_of_an_arm_is_gone_when_its_reverse_comes() -> None:
    def exchanged_in_an_arm(x, idx, c):
        p = idx.copy()
        s = 1.0
        for i in range(len(x)):
            s = np.sin(s * x[p[i]])
        for i in range(len(x)):
            s = np.cos(s * x[p[i]])
        if c > 0:
            for i in range(len(x)):
                p[i] = idx[4 - i]
        return s

    words_twice(exchanged_in_an_arm, X, K, 1)


# ------------------------------------------------------------------------------- a word of a log changes places with a cell

LOG = """
entry fn f(x: read f64[:]) -> f64 {
  n = dim &x 0
  v = copy &x
  g = alloc f64 [n] log cells
  for i in range(n) {
    e = load &v [i]
    &g[i] = e
    t = sin e
    &v[i] = t
  }
  for i.1 in range(n) carry (q: f64 = 0.0) -> (q.3) {
    for k.1 in range(n) carry (q.1: f64 = q) -> (q.2) {
      a.1 = load &v [i.1]
      b.1 = load &v [k.1]
      p.1 = mul a.1 b.1
      s.1 = add q.1 p.1
      z.1 = sin s.1
      yield z.1
    }
    yield q.2
  }
  for i.2 in range(n) carry (y: f64 = q.3) -> (y.2) {
    b.2 = load &v [0]
    y.1 = mul y b.2
    w = load &g [i.2]
    STORED
    yield y.1
  }
  for i.3 in range(n) carry (h: f64 = y.2) -> (h.3) {
    for k.3 in range(n) carry (h.1: f64 = h) -> (h.2) {
      a.3 = load &v [i.3]
      b.3 = load &v [k.3]
      p.3 = mul a.3 b.3
      s.3 = add h.1 p.3
      z.3 = sin s.3
      yield z.3
    }
    yield h.2
  }
  LATER
  r.1 = mul h.3 y.2
  r.2 = add r.1 r
  return r.2
}
"""
SUM = """
  for i.4 in range(n) carry (d: f64 = 0.0) -> (r) {
    c = load &ARRAY [i.4]
    c.1 = mul c c
    d.1 = add d c.1
    yield d.1
  }
"""
BACK = "&v![i.2] = w"
NOTHING = "r = mul y.2 2.0"
RENAMED = """
  b.4 = lt n 9
  u = if b.4 {
    yield g
  } else {
    m = alloc f64 [n] fill 1.0
    yield m
  }
"""


def arm(name: str, cell: str) -> str:
    return f"""
    b.{name} = lt i.2 3
    if b.{name} {{
      &v![{cell}] = w
    }}
"""


# the words of ``g`` are those of the log of its writes where nobody else wants them
CHANGES = {
    "changed": (BACK, NOTHING, 0),
    "read again": (BACK, SUM.replace("ARRAY", "g"), 1),
    "copied": (BACK, "u = copy &g\n" + SUM.replace("ARRAY", "u"), 1),
    "under another name": (BACK, RENAMED + SUM.replace("ARRAY", "u"), 2),
    "to two cells": (BACK + "\n    j.2 = wrap -1 n\n    &v![j.2] = w", NOTHING, 1),
    "in two arms": (arm("5", "i.2") + arm("6", "0"), NOTHING, None),
}  # fmt: skip


def stored(how: str, later: str):
    return prepare(parse_program(LOG.replace("STORED", how).replace("LATER", later)))


@pytest.mark.parametrize("name", CHANGES)
def test_a_word_changes_places(name) -> None:
    how, later, more = CHANGES[name]
    n = len(X)
    found = words_of(stored(how, later), [X])
    assert more is None or found == 2 * n * n + (2 + more) * n


def test_a_store_that_is_checked_is_checked() -> None:
    gradient = differentiate(stored("j.2 = add i.2 1\n    &v[j.2] = w", NOTHING), ("x",)).simplified
    with pytest.raises(CoreError, match="index 5 is out of bounds for axis 0 with size 5"):
        run(gradient, [X, 1.0, np.zeros(len(X))])
