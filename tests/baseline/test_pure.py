"""The purely functional form: the same numbers, no updates, and a cost that grows with the array."""

import numpy as np
import pytest
from jaxtyping import UInt8
from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Call, Copy, Dim, Fill, Load, Program, Reserve, Store, Var, operands, walk, written,
)
from linad_typecheck.ir.text import parse_program, print_program
from linad_typecheck.ir.verify import verify
from linad_typecheck.types import Array, is_float

from linad import linear_grad
from linad.baseline.pure import purify
from linad.interpret import CoreError, run
from linad.pipeline import differentiate, linear, prepare
from tests.adjoint.programs import PROGRAMS as DIFFERENTIABLE
from tests.properties.roads import Whole

EXCHANGE = """
entry fn exchange(y: mut f64[:], b: acc f64[:], c: acc f64[:], k: i64, w: f64) -> f64, f64[:] {
  n = dim &y 0
  u = copy &y
  v = alloc f64 [n] fill 2.0
  for i in range(k) carry (p: f64[:] = u, q: f64[:] = v) -> (p.1, q.1) {
    e = load &p [0]
    &q[i] = e
    &p[i] += w
    odd = bitand i 1
    is = eq odd 1
    (r, s) = if is {
      &p[0] += 1.0
      yield q, p
    } else {
      yield p, q
    }
    &b[0] += e
    yield r, s
  }
  call twice(b, b, p.1, y)
  call twice(b, c, p.1, y)
  a = load &q.1 [1]
  return a, p.1
}

fn twice(b: acc f64[:], c: acc f64[:], x: read f64[:], y: mut f64[:]) -> () {
  e = load &x [1]
  &b[1] += e
  &c[0] += 0.5
  &c += &x
  &y[0] = e
}
"""

LOGS = """
entry fn logs(x: read f64[:]) -> f64 {
  log = alloc f64 [0]
  n = dim &x 0
  for i in range(n) {
    m = add i 1
    reserve &log m
    e = load &x [i]
    &log![i] = e
  }
  z = alloc f64 [n, 2] fill 1.0
  &z[...] = 3.0
  &z![0, 1] += 4.0
  for j in range(n) carry (s: f64 = 0.0) -> (s.2) {
    f = load! &log [j]
    g = load! &z [j, 1]
    h = mul f g
    s.1 = add s h
    yield s.1
  }
  return s.2
}
"""

RECURSIVE = """
entry fn down(y: mut f64[:], k: i64, w: f64) -> f64 {
  c = gt k 0
  r = if c {
    e = load &y [k]
    f = mul e w
    &y[k] = f
    m = sub k 1
    s: f64 = call down(y, m, f)
    yield s
  } else {
    &y[0] += w
    yield w
  }
  return r
}
"""

LAST = """
entry fn last(y: mut i64[:,:], z: own bool[], x: acc f32[:]) -> i64, bool {
  &y[0, 1] += 7
  &y[1, 0] = 3
  &z[] = True
  &x[1] += 2.5f32
  a = load &y [0, 1]
  b = load &z []
  return a, b
}
"""

CELLS = np.array([0.5, -0.25, 1.5, 2.0])
BY_HAND = {
    "exchange": (EXCHANGE, (CELLS, np.zeros(4), np.zeros(4), 4, 0.75)),
    "logs": (LOGS, (CELLS,)),
    "recursive": (RECURSIVE, (CELLS, 3, 0.75)),
    "last": (LAST, (np.arange(4).reshape(2, 2), np.array(False), np.array([0.0, 1.0], np.float32))),
}

FRESH = (Alloc, Copy)


def updates(program: Program) -> list[str]:
    """Updates of anything but a fresh array that nothing has read or taken yet."""
    wrong = []
    for f in program.functions.values():
        lent = {p.var.name for p in f.params if p.mode in ("acc", "mut")}
        at_end = {s.array.name for s in walk(f.body) if isinstance(s, AddArray)}
        assert at_end <= lent
        fresh: set[str] = set()
        for s in walk(f.body):
            if isinstance(s, (AddTo, Reserve)):
                wrong.append(f"{f.name}: {s}")
            elif isinstance(s, (Store, Fill)) and written(s).name not in fresh | lent:
                wrong.append(f"{f.name}: {s.array} is not fresh")
            elif isinstance(s, FRESH):
                fresh.add(s.out.name)
            if not isinstance(s, (Store, Fill, Dim)):
                fresh -= {a.name for a in operands(s) if isinstance(a, Var)}
            if isinstance(s, Call):
                callee = program.functions[s.callee]
                assert all(p.mode in ("read", "own") for p in callee.params)
    return wrong


def agree(program: Program, args, pure: Program) -> None:
    assert verify(program) == []
    assert verify(pure) == [], print_program(pure)
    assert updates(pure) == []
    a, b = run(program, args), run(pure, args)
    for x, y in zip(a.results, b.results, strict=True):
        np.testing.assert_array_equal(x, y, strict=True)
    for name in a.params:
        if program.main.params[[p.var.name for p in program.main.params].index(name)].mode != "own":
            np.testing.assert_array_equal(a.params[name], b.params[name], strict=True)


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name):
    text, args = BY_HAND[name]
    program = parse_program(text)
    agree(program, args, purify(program))


def arguments(program: Program, size: int = 4) -> list[object]:
    rng = np.random.default_rng(3)
    made: list[object] = []
    for p in program.main.params:
        t = p.var.type
        shape = (size,) * t.rank if isinstance(t, Array) else ()
        if p.mode == "acc":  # sums of contributions start from 0, so that their order is the same
            x = np.zeros(shape)
        elif is_float(t):
            x = rng.uniform(0.3, 1.2, shape)
        else:
            x = rng.integers(0, 2, shape) if t.dtype == "bool" else np.full(shape, 3)
        made.append(x if isinstance(t, Array) else x.item() if hasattr(x, "item") else x)
    return made


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivative_programs_give_the_same_numbers_and_are_linear(name):
    program = prepare(parse_program(DIFFERENTIABLE[name]))
    wrt = tuple(p.var.name for p in program.main.params if is_float(p.var.type) and p.mode != "acc")
    vjp = differentiate(program, wrt).simplified
    args = arguments(vjp)
    pure = purify(vjp)
    agree(vjp, args, pure)
    linear(pure)


ONE_READ = """
entry fn one(x: read f64[:], y_bar: f64, x_bar: acc f64[:]) -> () {
  for i in range(3) {
    &x_bar[i] += y_bar
  }
}
"""


def test_cost_grows_with_the_array_and_in_place_does_not():
    program = parse_program(ONE_READ)
    pure = purify(program)

    def work(p, n):
        return run(p, (np.ones(n), 1.0, np.zeros(n))).work

    assert work(program, 10) == work(program, 1000)
    per_read_and_cell = (work(pure, 1010) - work(pure, 1000)) / 30
    assert per_read_and_cell >= 5  # zeros, two loads, one addition, one store, at each of three reads


def test_an_index_out_of_range_raises_and_leaves_the_arrays_alone():
    program = parse_program("entry fn f(y: mut f64[:], k: i64) -> () {\n  &y[0] = 5.0\n  &y[k] += 1.0\n}")
    y = np.zeros(3)
    with pytest.raises(CoreError, match="IndexError"):
        run(purify(program), (y, 3), in_place=True)
    np.testing.assert_array_equal(y, 0.0)


def test_signed_zeros_survive():
    program = parse_program("entry fn f(y: mut f64[:]) -> () {\n  &y[1] += 1.0\n}")
    out = run(purify(program), (np.array([-0.0, -1.0]),)).params["y"]
    assert np.signbit(out).tolist() == [True, False]


def test_a_recursive_entry_keeps_its_own_modes():
    pure = purify(parse_program(RECURSIVE))
    assert pure.main.params[0].mode == "mut"
    assert pure.functions["down_pure"].params[0].mode == "own"
    loads = [s for s in walk(pure.functions["down_pure"].body) if isinstance(s, Load)]
    assert loads


def test_ints_of_8_bits_are_added_as_wider_ones():
    def f(x: float, counts: UInt8[np.ndarray, "k"]):
        counts = counts.copy()
        counts[1] += 100
        return x * counts[1]

    counts = np.array([0, 200, 255], dtype=np.uint8)
    assert not verify(purify(Whole(f, (2.0, counts)).prepared))
    assert linear_grad(f, update="pure", backend="interpret").grad(2.0, counts) == 44.0
