"""The cost theorem, exactly: steps are counted, not timed."""

import numpy as np
import pytest
from linad_typecheck.ir.text import parse_program
from linad_typecheck.types import is_float

from linad.cost import bound, cost_of, seeds_and_buffers
from linad.interpret import run
from linad.pipeline import differentiate, prepare
from tests.adjoint.gradients import arguments
from tests.adjoint.programs import PROGRAMS
from tests.adjoint.random_programs import random_program
from tests.adjoint.sweep import recursive_programs
from tests.adjoint.sweep.recursive_programs import CASES
from tests.examples_of import seeds
from tests.properties.roads import Whole


@pytest.mark.parametrize("size", [3, 8])
@pytest.mark.parametrize("name", PROGRAMS)
def test_corpus_keeps_the_bound(name, size):
    program = parse_program(PROGRAMS[name])
    found = cost_of(program, arguments(prepare(program), np.random.default_rng(1), size))
    assert 0 < found.gradient <= found.bound
    assert found.gradient >= found.primal


@pytest.mark.one_in(3)
@pytest.mark.drawn
@pytest.mark.parametrize("first", seeds(60)[::10])
def test_random_programs_keep_the_bound(first):
    for seed in range(first, first + 10):
        program = prepare(random_program(seed, 24))
        found = cost_of(program, arguments(program, np.random.default_rng(seed), 3))
        assert found.gradient <= found.bound, seed


def test_what_is_logged():
    square = """
entry fn f(x: mut f64[:]) {
  n = dim &x 0
  for i in range(n) {
    e = load &x [i]
    e2 = powi e 2
    &x[i] = e2
  }
}
"""
    assert cost_of(parse_program(square), [np.ones(50)]).log_words == 50
    assert cost_of(parse_program(PROGRAMS["gather"]), [np.ones(50), np.zeros(70, np.int64), 2.0]).log_words == 0


READS = {
    "in a branch": """
entry fn f(x: read f64[:], w: f64) -> f64 {
  c = gt w 0.0
  r = if c {
    e = load &x [1]
    p = mul e w
    yield p
  } else {
    yield w
  }
  return r
}
""",
    "in a callee": """
fn g(x: read f64[:], i: i64) -> f64 {
  e = load &x [i]
  s = sin e
  return s
}
entry fn f(x: read f64[:], w: f64) -> f64 {
  r = call g(x, 2)
  p = mul r w
  return p
}
""",
    "in a loop": """
entry fn f(x: read f64[:], w: f64) -> f64 {
  for i in range(3) carry (s: f64 = w) -> (s.2) {
    e = load &x [i]
    s.1 = mul s e
    yield s.1
  }
  return s.2
}
""",
    "the same array twice": """
fn g(x: read f64[:], y: read f64[:]) -> f64 {
  a = load &x [0]
  b = load &y [1]
  p = mul a b
  return p
}
entry fn f(x: read f64[:], w: f64) -> f64 {
  r = call g(x, x)
  return r
}
""",
}


@pytest.mark.parametrize("name", READS)
def test_reading_a_cell_costs_the_same_in_a_large_array(name):
    program = parse_program(READS[name].replace("r = call g", "r: f64 = call g"))
    small, large = (cost_of(program, [np.ones(n), 0.5]) for n in (10, 10**6))
    assert small.gradient == large.gradient
    assert small.by_kind == large.by_kind
    assert small.peak_words == large.peak_words < 100


CHAIN = """
entry fn f(x: f64, k: i64) -> f64 {
  c = gt k 0
  r = if c {
    s = sin x
    m = sub k 1
    q: f64 = call f(s, m)
    yield q
  } else {
    yield x
  }
  return r
}
"""

IN_PLACE = """
fn g(v: mut f64[:], k: i64) {
  c = gt k 0
  if c {
    m = sub k 1
    a = load &v [m]
    b = load &v [k]
    p = mul a b
    &v[k] = p
    call g(v, m)
    e = load &v [m]
    s = sin e
    &v[m] = s
  }
}
entry fn f(x: mut f64[:], k: i64) {
  call g(x, k)
}
"""


@pytest.mark.parametrize("text", [CHAIN, IN_PLACE])
def test_work_is_linear_in_the_depth_of_recursion(text):
    """Steps of the gradient and words of its log grow by the same with each level, so nothing is run again."""

    def counted(depth):
        given = 0.5 if text is CHAIN else np.linspace(0.5, 1.5, 300)
        return cost_of(parse_program(text), [given, depth])

    found = [counted(k) for k in (100, 150, 200)]
    for c in found:
        assert c.gradient <= c.bound
    first, second, third = (c.gradient - 4 * c.log_words for c in found)  # a log that doubles is copied now and then
    assert third - second <= 1.25 * (second - first) + 200
    assert third < 2.2 * first
    words = [c.log_words for c in found]
    assert words[2] - words[1] == words[1] - words[0]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CASES)
def test_recursive_programs_keep_the_bound(name):
    args, updates = CASES[name][0]
    whole = Whole(getattr(recursive_programs, name), args, updates)
    out, _ = whole.gradient(whole.derivative(whole.active(), True, after=False).simplified, whole.active(), True)
    assert out.work <= bound(whole.prepared, whole.values)
    assert out.work < 8 * run(whole.prepared, whole.values).work


@pytest.mark.parametrize("order", [1, 2])
def test_an_array_of_a_recursive_function_is_never_copied(order):
    """Beyond the zeros of its adjoints, steps do not grow with the size of what a chain of calls reads or updates."""

    def steps(size):
        program = prepare(parse_program(IN_PLACE))
        values: list = [np.linspace(0.5, 1.5, size), 20]
        for _ in range(order):
            names = tuple(p.var.name for p in program.main.params if is_float(p.var.type) and p.mode != "acc")
            buffers = seeds_and_buffers(program, names, values, run(program, values))
            program, values = differentiate(program, names, False).simplified, [*values, *buffers]
        return run(program, values).work

    assert steps(1000) == steps(100_000)
