"""States that are logged as a whole are kept in their logs, and programs come to the same."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Loop, Program, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.memory.double_buffering import double_buffer
from linad.optimise.memory.snapshot_coalescing import coalesce_snapshots
from linad.pipeline import linear

HEAD = "entry fn f(a: mut f64[:,:], b: mut f64[:,:], q: i64) -> f64 {\n  n = dim &a 0\n  m = dim &a 1\n  x = copy &a\n"
COPY = """    for i in range(n) {
      for j in range(m) {
        c = load! &u [i, j]
        &L![t, i, j] = c
      }
    }
"""
MAKE = """    v = alloc f64 [n, m]
    for i.1 in range(n) {
      for j.1 in range(m) {
        d = load! &L [t, i.1, j.1]
        e = load! &b [i.1, j.1]
        g = mul d e
        &v![i.1, j.1] = g
      }
    }
"""
BACK = """  k = sub q 1
  for t.1 in range(k, -1, -1) {
    for i.2 in range(n) {
      for j.2 in range(m) {
        h = load! &L [t.1, i.2, j.2]
        &b![i.2, j.2] += h
      }
    }
  }
  for i.3 in range(n) {
    for j.3 in range(m) {
      p = load! &w [i.3, j.3]
      &a![i.3, j.3] += p
    }
  }
  return 0.0
}
"""
LOG = "  T = trips 0 q 1\n  L = alloc f64 [T, n, m] log slices\n"


def steps(
    copy: str = COPY,
    make: str = MAKE,
    over: str = "range(q)",
    log: str = LOG,
    carry: str = "u: f64[:,:] = x",
    outs: str = "w",
    out: str = "v",
    front: str = "",
    back: str = BACK,
) -> Program:
    program = parse_program(
        f"{HEAD}{front}{log}  for t in {over} carry ({carry}) -> ({outs}) {{\n{copy}{make}    yield {out}\n  }}\n{back}"
    )
    assert not verify(program)
    return program


def outcome(program: Program, q: int) -> list[np.ndarray]:
    rng = np.random.default_rng(q + 5)
    arrays = [rng.normal(size=(3, 2)) for _ in range(2)]
    run(program, [*arrays, q], in_place=True)
    return arrays


def coalesced(program: Program) -> Program:
    found = program.with_main(coalesce_snapshots(program.main))
    assert not verify(found)
    linear(found)
    for q in (-2, 0, 1, 2, 5):
        for before, after in zip(outcome(program, q), outcome(found, q), strict=True):
            np.testing.assert_array_equal(after, before)
    return found


def carried(program: Program) -> list[str]:
    return [c.name for s in walk(program.main.body) if isinstance(s, Loop) for c in s.carried]


MADE = {
    "from scratch": MAKE,
    "of zeros": MAKE.replace("[n, m]\n", "[n, m] fill 0.0\n", 1),
    "a copy": MAKE.replace("alloc f64 [n, m]\n", "copy &u\n", 1),
    "read again": MAKE + "    r = load! &v [0, 0]\n    &v![1, 1] += r\n    z = load! &u [0, 1]\n    &b![0, 1] = z\n",
    "copied on": MAKE + "    y = copy &u\n    r = load! &y [0, 0]\n    &v![1, 1] += r\n",
    "measured": MAKE + "    r = dim &v 0\n    s = sub r 1\n    &v![s, 0] = 3.0\n",
}


@pytest.mark.parametrize("how", MADE)
def test_a_state_is_kept_in_its_log(how: str) -> None:
    program = steps(make=MADE[how])
    assert not carried(coalesced(program))
    assert double_buffer(program.main)[0] == program.main  # no second buffer


def test_the_loop_may_start_anywhere() -> None:
    log = "  T = trips 2 q 1\n  L = alloc f64 [T, n, m] log slices\n"
    copy = "    o = sub t 2\n" + COPY.replace("[t,", "[o,")
    back = BACK.replace("k = sub q 1", "k = sub q 3")
    program = steps(copy, MAKE.replace("[t,", "[o,"), "range(2, q)", log, back=back)
    assert not carried(coalesced(program))


OLDER = """    v = alloc f64 [n, m]
    for i.1 in range(n) {
      for j.1 in range(m) {
        d = load! &L [t, i.1, j.1]
        e = load! &u0 [i.1, j.1]
        K
        g = sub d e
        &v![i.1, j.1] = g
      }
    }
"""


@pytest.mark.parametrize("logged", [False, True])
def test_a_state_that_is_handed_on(logged: bool) -> None:
    """Waves: the last but one state is in the slice before, and so are the cells of it that are logged."""
    make = OLDER.replace("        K\n", "        &M![t, j.1, i.1] = e\n" if logged else "")
    log = LOG + ("  M = alloc f64 [T, m, n] log cells\n" if logged else "")
    back = BACK.replace("h = load! &L [t.1, i.2, j.2]", "h = load! &M [t.1, j.2, i.2]") if logged else BACK
    program = steps(
        make=make,
        log=log,
        carry="u0: f64[:,:] = x0, u: f64[:,:] = x",
        outs="w, w1",
        out="u, v",
        front="  x0 = alloc f64 [n, m] fill 1.5\n",
        back=back,
    )
    found = coalesced(program)
    assert not carried(found)
    assert [t.log for t in walk(found.main.body) if isinstance(t, Alloc)].count("cells") == 0


@pytest.mark.parametrize("buffers", [2, 3])
def test_buffers_that_take_turns(buffers: int) -> None:
    """Each iteration writes to a slice of its own, whose border is that of the buffer before."""
    make = MAKE.replace("    v = alloc f64 [n, m]\n", "").replace("range(n)", "range(1, n)")
    front = "  x0 = alloc f64 [n, m] fill 1.5\n  x1 = alloc f64 [n, m] fill 2.5\n"
    carry, out = "v: f64[:,:] = x0, u: f64[:,:] = x", "u, v"
    if buffers == 3:
        make += "    z = load! &u0 [0, 1]\n    &b![0, 1] = z\n"
        carry, out = "v: f64[:,:] = x0, u0: f64[:,:] = x1, u: f64[:,:] = x", "u0, u, v"
    program = steps(make=make, carry=carry, outs=", ".join(["w0", "w1", "w"][-buffers:]), out=out, front=front)
    apart = program.with_main(double_buffer(program.main)[0])
    assert len(carried(apart)) == buffers and not carried(coalesced(apart))
    for before, after in zip(outcome(program, 5), outcome(apart, 5), strict=True):
        np.testing.assert_array_equal(after, before)


KEPT = {
    "the copy is partial": dict(copy=COPY.replace("range(m)", "range(1, m)")),
    "the state is updated": dict(make=MAKE + "    &u![0, 0] = 1.0\n"),
    "the log is updated": dict(make=MAKE + "    &L![t, 0, 0] = 1.0\n"),
    "the array is of another size": dict(make=MAKE.replace("[n, m]\n", "[m, n]\n", 1)),
    "every other iteration": dict(over="range(0, q, 2)"),
}


@pytest.mark.parametrize("why", KEPT)
def test_states_that_stay(why: str) -> None:
    program = steps(**KEPT[why])
    assert coalesce_snapshots(program.main) == program.main
