"""Arrays that an iteration makes for the next one take turns with the one that came in, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Block, Const, Copy, Loop, Program, Var, blocks, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify
from linad_typecheck.types import I64, Array

from linad.codegen import EmitOptions, emit
from linad.interpret import run
from linad.optimise.memory.double_buffering import double_buffer, pin_buffers
from linad.pipeline import linear
from tests import kit

from ...codegen.roads import call, python

HEAD = "entry fn f(a: mut f64[:], b: read f64[:], p: mut f64[:,:,:], k: mut i64[:], g: mut f32[:], q: i64) -> f64 {\n  n = dim &a 0\n"
TAIL = "  for o in range(n) {\n    e0 = load! &w [o]\n    &a![o] += e0\n  }\n  return 0.0\n}\n"


def steps(body: str, front: str = "  x = copy &a\n", carry: str = "u: f64[:] = x", outs: str = "w", over: str = "range(q)", tail: str = TAIL) -> Program:
    """A loop over time with that body, and what comes of it."""
    program = parse_program(f"{HEAD}{front}  for t in {over} carry ({carry}) -> ({outs}) {{\n{body}  }}\n{tail}")
    assert not verify(program)
    linear(program)
    return program


def changed(before: Program) -> Program:
    after = before.with_main(double_buffer(before.main)[0])
    assert not verify(after)
    linear(after)
    return after


def contents(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    arrays = [rng.normal(size=n), rng.normal(size=n), rng.normal(size=(2, n, 3)), rng.integers(0, 9, n)]
    return [*arrays, rng.normal(size=n).astype(np.float32)]


def agree(before: Program, after: Program) -> None:
    kit.agree(before, after, ((*contents(n), q) for n in (0, 1, 2, 3, 6) for q in (-1, 0, 1, 2, 3, 4)))


def made_inside(program: Program) -> int:
    """Arrays that loops make anew in each iteration."""
    loops = [s for s in walk(program.main.body) if isinstance(s, Loop)]
    return sum(isinstance(t, Alloc | Copy) for s in loops for t in s.body.stmts)


CELLS = "    for i in range(n) {\n      e = load! &u [i]\n      c = mul 2.0 e\n      &v![i] += c\n    }\n"
COPIED = "    v = copy &u\n" + CELLS
NEIGHBOURS = """    v = copy &u
    m = sub n 1
    for i in range(1, m) {
      h = sub i 1
      j = add i 1
      x1 = load! &u [h]
      x2 = load! &u [j]
      x3 = add x1 x2
      &v![i] = x3
    }
    yield v
"""
NEW = COPIED + "    yield v\n"
EXITS = COPIED + "    go = lt t 2\n    yield go, v\n"
PLANES = """    v = copy &u
    for i in range(2) {
      for j in range(n) {
        e = load! &u [i, j, 1]
        &v![i, j, 2] += e
      }
    }
    yield v
"""
OF_P = TAIL.replace("range(n)", "range(2)").replace("    e0 = load! &w [o]\n    &a![o] += e0", "    for l in range(n) {\n      e0 = load! &w [o, l, 2]\n      &p![o, l, 0] += e0\n    }")
SIZES = "  p1 = dim &p 1\n  y1 = alloc f64 [2, p1, 3] fill 0.5\n"

TURNED = {
    "copied": steps(NEW),
    "neighbours": steps(NEIGHBOURS),
    "made with zeros": steps(NEW.replace("copy &u", "alloc f64 [n] fill 0.0")),
    "made with another number": steps(NEW.replace("copy &u", "alloc f64 [n] fill 1.5")),
    "made with nothing": steps(NEW.replace("copy &u", "alloc f64 [n]").replace("&v![i] += c", "&v![i] = c")),
    "a copy of something else": steps(NEW.replace("copy &u", "copy &z"), "  x = copy &a\n  z = alloc f64 [n] fill 3.0\n"),
    "with a counter": steps(NEW.replace("yield v", "s1 = add s 1.0\n    yield s1, v"), carry="s: f64 = 0.0, u: f64[:] = x", outs="r, w"),
    "until a test": steps(EXITS, over="range(q) exits"),
    "while": steps(EXITS, over="range(0, ..., 1) exits trips r"),
    "downwards": steps(NEW, over="range(q, 0, -1)"),
    "read in front of what is made": steps("    e3 = dim &u 0\n    for i3 in range(e3) {\n      e4 = load! &u [i3]\n      &a![i3] += e4\n    }\n" + NEW),
    "read behind what is made": steps(NEW.replace("yield", "for i1 in range(1) {\n      c1 = lt 0 n\n      if c1 {\n        e2 = load! &u [0]\n        &v![0] = e2\n      }\n    }\n    yield")),
    "read by a loop": steps(NEW.replace("yield", "for i2 in range(n) {\n      e2 = load! &u [i2]\n      &v![i2] = e2\n    }\n    yield")),
    "three axes": steps(PLANES, SIZES, "u: f64[:,:,:] = y1", tail=OF_P),
    "a copy of something else with three axes": steps(PLANES.replace("copy &u", "copy &z1"), SIZES + "  z1 = alloc f64 [2, p1, 3] fill 3.0\n", "u: f64[:,:,:] = y1", tail=OF_P),
    "ints": steps(COPIED.replace("2.0", "2") + "    yield v\n", "  x = copy &k\n  n1 = dim &k 0\n  y1 = alloc i64 [n1] fill 4\n", "u: i64[:] = y1", tail=TAIL.replace("&a!", "&k!")),
    "single floats": steps(COPIED.replace("2.0", "2.0f32") + "    yield v\n", "  n1 = dim &g 0\n  y1 = alloc f32 [n1] fill 4.0f32\n", "u: f32[:] = y1", tail=TAIL.replace("&a!", "&g!")),
    "no axis": steps(
        "    v = copy &u\n    e = load! &v []\n    c = mul 2.0 e\n    &v![] = c\n    yield v\n",
        "  y1 = alloc f64 [] fill 3.0\n",
        "u: f64[] = y1",
        tail=TAIL.replace("[o]\n    &a", "[]\n    &a"),
    ),
    "under a condition": parse_program(
        HEAD + "  x = copy &a\n  d = lt q 3\n  w = if d {\n    for t in range(q) carry (u: f64[:] = x) -> (w1) {\n" + NEW + "    }\n    yield w1\n  } else {\n    for t2 in range(q) carry (u2: f64[:] = x) -> (w2) {\n      v2 = copy &u2\n      yield v2\n    }\n    yield w2\n  }\n" + TAIL
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TURNED)
def test_no_memory_is_asked_for_in_the_loop(name: str) -> None:
    before = TURNED[name]
    after = changed(before)
    assert made_inside(before) > made_inside(after) == 0
    agree(before, after)


def nested(program: Program) -> Program:
    """The program, done twice by a loop around it."""
    f = program.main
    twice = Loop(Var("again", I64), Const(0, I64), Const(2, I64), Const(1, I64), (), (), Block(f.body.stmts), ())
    made = program.with_main(replace(f, body=Block((twice,), f.body.results)))
    assert not verify(made)
    return made


def carried(program: Program) -> int:
    return sum(isinstance(c.type, Array) for s in walk(program.main.body) if isinstance(s, Loop) for c in s.carried)


@pytest.mark.parametrize("name", TURNED)
def test_inside_of_loops_for_threads_arrays_keep_their_names(name: str) -> None:
    before = nested(TURNED[name])
    after = before.with_main(pin_buffers(before.main))
    assert not verify(after)
    linear(after)
    assert carried(before) > carried(after) == 0
    agree(before, after)


def test_outside_of_loops_nothing_needs_to_stay() -> None:
    for program in TURNED.values():
        assert pin_buffers(program.main) == program.main


def test_two_states_take_turns_each() -> None:
    body = "    v = copy &u\n    d = copy &c\n    for i in range(n) {\n      e = load! &u [i]\n      s = load! &c [i]\n      &d![i] += e\n      &v![i] += s\n    }\n    yield d, v\n"
    before = steps(body, "  x = copy &a\n  y = alloc f64 [n] fill 1.0\n", "c: f64[:] = x, u: f64[:] = y", "w, w1")
    after = changed(before)
    [loop] = (s for s in after.main.body.stmts if isinstance(s, Loop) and s.carried)
    assert len(loop.carried) == 4 and made_inside(after) == 0
    agree(before, after)


def test_the_buffer_of_the_step_that_is_forgotten_is_written_next() -> None:
    before = steps(COPIED + "    yield v, u\n", "  x = copy &a\n  z = copy &a\n", "u: f64[:] = x, d: f64[:] = z", "w, w1")
    after = changed(before)
    assert made_inside(before) == 1 and made_inside(after) == 0
    agree(before, after)


def test_each_loop_of_a_nest_has_a_buffer_of_its_own() -> None:
    """The state of the inner loop begins with one that the outer one makes, or with the outer one's own."""
    inner = "      v1 = copy &u1\n      e = load! &b [t]\n      &v1![0] += e\n      yield v1\n"
    around = "    y = copy &u\n    for t1 in range(3) carry (u1: f64[:] = y) -> (w1) {\n" + inner + "    }\n    v = copy &u\n    e1 = load! &w1 [0]\n    &v![0] += e1\n    yield v\n"
    straight = "    for t1 in range(3) carry (u1: f64[:] = u) -> (w1) {\n" + inner + "    }\n    yield w1\n"
    for body, left in ((around, 2), (straight, 1)):  # for the inner loop: what it begins with, and its second buffer
        before = steps(body, over="range(n)")
        after = changed(before)
        loops = [s for s in walk(after.main.body) if isinstance(s, Loop) and s.index.name == "t1"]
        assert [len(s.carried) for s in loops] == [2] and made_inside(after) == left
        agree(before, after)


STAYING = {
    "the array that came in": steps("    &u![0] += 1.0\n    yield u\n".replace("[0]", "[t]"), over="range(0)"),
    "one of two": steps(COPIED + "    d = lt t 1\n    r = if d {\n      yield v\n    } else {\n      yield u\n    }\n    yield r\n"),
    "given to a loop": steps("    v = alloc f64 [n] fill 0.0\n    for j in range(2) carry (u1: f64[:] = u) -> (u2) {\n      yield u1\n    }\n    for i in range(n) {\n      e = load! &u2 [i]\n      &v![i] += e\n    }\n    yield v\n"),
    "given away to a call": parse_program(
        HEAD + "  x = copy &a\n  for t in range(q) carry (u: f64[:] = x) -> (w) {\n    (z: f64[:]) = call same(u)\n    v = alloc f64 [n] fill 2.0\n    yield v\n  }\n" + TAIL + "\nfn same(u: own f64[:]) -> f64[:] {\n  return u\n}\n"
    ),
    "another name": steps("    d = lt t 1\n    z = if d {\n      yield u\n    } else {\n      yield u\n    }\n    v = copy &z\n    yield v\n"),
    "given to a loop under a condition": steps(
        "    d = lt t 1\n    e1 = if d {\n      for j in range(2) carry (u1: f64[:] = u) -> (u2) {\n        yield u1\n      }\n      e = load &u2 [0]\n      yield e\n    } else {\n"
        "      for j1 in range(2) carry (u3: f64[:] = u) -> (u4) {\n        yield u3\n      }\n      e2 = load &u4 [0]\n      yield e2\n    }\n    v = alloc f64 [n] fill 2.0\n    yield v\n"
    ),
    "made by a loop": steps("    v = copy &u\n    for j in range(2) carry (v1: f64[:] = v) -> (v2) {\n      yield v1\n    }\n    yield v2\n"),
    "another size": steps("    m = add n t\n    v = alloc f64 [m] fill 1.0\n    yield v\n", tail=TAIL.replace("&w [o]", "&w [0]"), over="range(n)"),
    "a size that is tested behind the writes": steps(
        "    v = alloc f64 [q] fill 1.0\n    for j in range(q) {\n      &v![j] += 1.0\n    }\n    c = eq q n\n    check c else ValueError \"other\"\n    yield v\n", over="range(1)"
    ),
    "no size known": steps(NEW, "  m = dim &b 0\n  d = lt q 2\n  x = if d {\n    y1 = alloc f64 [n] fill 1.0\n    yield y1\n  } else {\n    y2 = alloc f64 [m] fill 1.0\n    yield y2\n  }\n"),
    "a number": steps("    s1 = add s 1.0\n    yield s1\n", "", "s: f64 = 0.0", "r", tail="  w = copy &a\n" + TAIL),
}  # fmt: skip


@pytest.mark.parametrize("name", STAYING)
def test_what_stays(name: str) -> None:
    before = STAYING[name]
    assert changed(before).main == before.main
    assert pin_buffers(nested(before).main) == nested(before).main


def test_what_is_made_may_be_given_to_a_call() -> None:
    """It is given the other array then."""
    text = "    v = alloc f64 [n] fill 0.0\n    call fill(v, q)\n    for i in range(n) {\n      e = load! &u [i]\n      &v![i] += e\n    }\n    yield v\n"
    before = parse_program(
        f"{HEAD}  x = copy &a\n  for t in range(q) carry (u: f64[:] = x) -> (w) {{\n{text}  }}\n{TAIL}\nfn fill(v: mut f64[:], q: i64) {{\n  n = dim &v 0\n  for i in range(n) {{\n    &v![i] = 3.0\n  }}\n}}\n"
    )
    assert not verify(before)
    after = changed(before)
    assert made_inside(after) == 0
    agree(before, after)


def test_blocks_of_other_statements_are_looked_into() -> None:
    before = TURNED["under a condition"]
    after = changed(before)
    [branch] = (s for s in after.main.body.stmts if blocks(s) and not isinstance(s, Loop))
    assert any(isinstance(s, Alloc) for s in branch.then.stmts)


@pytest.mark.parametrize("fastmath", [True, False])
def test_the_text_and_its_numbers(fastmath: bool) -> None:
    """Only where arrays may be taken apart; the numbers are the same either way."""
    before = steps(NEIGHBOURS)
    made = emit(before, EmitOptions(fastmath=fastmath))
    loop = made.source.partition("for t in")[2].partition("for o in")[0]
    assert ("copy()" in loop or "empty" in loop) is not fastmath
    for n, q in ((0, 2), (1, 2), (2, 2), (3, 3), (40, 4)):
        arrays = [np.random.default_rng(n).normal(size=n), np.zeros(n), np.zeros((2, n, 3)), np.zeros(n, np.int64), np.zeros(n, np.float32)]
        mine = [x.copy() for x in arrays]
        call(python(made), made, (*mine, q))
        run(before, [*arrays, q], in_place=True)
        for x, y in zip(arrays, mine, strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-12)
