"""The cost theorem, exactly: steps are counted, not timed."""

import numpy as np
import pytest
from linad.cost import cost_of
from linad.pipeline import prepare
from linad_typecheck.core_text import parse_program

from tests.adjoint.gradients import arguments
from tests.adjoint.programs import PROGRAMS
from tests.adjoint.random_programs import random_program


@pytest.mark.parametrize("size", [3, 8])
@pytest.mark.parametrize("name", [n for n in PROGRAMS if "recursion" not in n])
def test_corpus_keeps_the_bound(name, size):
    program = parse_program(PROGRAMS[name])
    found = cost_of(program, arguments(prepare(program), np.random.default_rng(1), size))
    assert 0 < found.gradient <= found.bound
    assert found.gradient >= found.primal


@pytest.mark.parametrize("first", range(0, 60, 10))
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


def test_recursion_has_no_bound():
    text = """
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
    found = cost_of(parse_program(text), [0.5, 4])
    assert found.bound is None and found.gradient > found.primal
