"""Additions at indices that wrap around become additions at the loop's own index."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import AddTo, Alloc, Fill, Loop, Program, Var, walk
from linad_typecheck.ir.text import parse_program, print_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.memory.rotation_gather import gather_rotations

UP, DOWN = "range(n)", "range(l, -1, -1)"
TORUS = """
      e = load! &k [i, j]
      t = mul e 2.0
      &b![h, j] += t
      &b![g, j] += e
      &b![i, q] += t
      &b![i, p] += e
      &b![i, j] += e
      &b![h, q] += e
"""


def nest(body: str, outer: str = UP, inner: str = UP) -> Program:
    return parse_program(
        f"""entry fn f(b: mut f64[:,:], k: mut f64[:,:]) -> i64 {{
  n = dim &b 0
  l = sub n 1
  for i in {outer} {{
    x = add i 1
    g = mod x n
    y = sub i 2
    h = mod y n
    for j in {inner} {{
      z = add j 1
      p = mod z n
      w = sub j 1
      q = mod w n
{body}    }}
  }}
  return n
}}
"""
    )


def contents(program: Program, n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    arrays = [rng.random((n, n)) for _ in range(2)]
    run(program, arrays, in_place=True)
    return arrays


def gathered(program: Program) -> Program:
    found = program.with_main(gather_rotations(program.main))
    assert not verify(found)
    for n in range(7):
        for before, after in zip(contents(program, n), contents(found, n), strict=True):
            np.testing.assert_allclose(after, before, rtol=1e-13)
    return found


@pytest.mark.parametrize("outer", [UP, DOWN])
@pytest.mark.parametrize("inner", [UP, DOWN])
def test_each_iteration_adds_to_its_own_cell(outer: str, inner: str) -> None:
    found = gathered(nest(TORUS, outer, inner))
    first, second = (s.index for s in walk(found.main.body) if isinstance(s, Loop))
    [added] = [t for t in walk(found.main.body) if isinstance(t, AddTo)]
    assert added.index == (first, second)


def test_zeros_before_it_are_not_needed() -> None:
    program = parse_program(
        """entry fn f(c: mut f64[:], k: f64[:], n: i64) -> i64 {
  b = alloc f64 [n] fill 0.0
  for i in range(n) {
    x = add i 1
    g = mod x n
    e = load! &k [i]
    &b![g] += e
  }
  for i.1 in range(n) {
    e.1 = load! &b [i.1]
    &c![i.1] += e.1
  }
  return n
}
"""
    )
    found = gather_rotations(program.main)
    assert not any(isinstance(t, AddTo) and t.array.name == "b" or isinstance(t, Fill) for t in walk(found.body))
    for n in range(20):
        c, d = np.zeros(max(n, 1)), np.zeros(max(n, 1))
        k = np.random.default_rng(n).random(max(n, 1))
        for program_, out in (program, c), (program.with_main(found), d):
            run(program_, [out, k, n], in_place=True)
        np.testing.assert_array_equal(c, d)


STORED = {  # terms that may not be computed again, and the arrays that hold them
    "a library call": ("      e = load! &k [i, j]\n      t = exp e\n      &b![g, j] += t\n      &b![h, j] += t\n      &b![i, q] += t\n", 1),
    "two terms": ("      e = load! &k [i, j]\n      t = exp e\n      &b![g, j] += t\n      &b![h, p] += e\n      &b![i, q] += t\n      &b![i, j] += e\n", 2),
    "and a number": ("      e = load! &k [i, j]\n      t = exp e\n      &b![g, j] += t\n      &b![h, p] += 0.5\n      &b![i, q] += t\n", 1),
    "from what is overwritten": ("      e = load! &k [i, j]\n      t = mul e 0.5\n      &k![i, j] = t\n      &b![g, j] += e\n      &b![h, j] += e\n      &b![i, q] += e\n", 1),
}


@pytest.mark.parametrize("outer", [UP, DOWN])
@pytest.mark.parametrize("inner", [UP, DOWN])
@pytest.mark.parametrize("why", STORED)
def test_terms_of_their_own(why: str, outer: str, inner: str) -> None:
    body, arrays = STORED[why]
    found = gathered(nest(body, outer, inner))
    assert sum(isinstance(t, Alloc) for t in walk(found.main.body)) == arrays
    indices = {s.index for s in walk(found.main.body) if isinstance(s, Loop)}
    added = [t for t in walk(found.main.body) if isinstance(t, AddTo)]
    assert added and all(indices.issuperset(t.index) for t in added)


def test_terms_of_a_range_that_may_not_run() -> None:
    text = str(print_program(nest(STORED["a library call"][0]))).replace("dim &b 0", "cast_n")
    text = text.replace("k: mut f64[:,:]) ", "k: mut f64[:,:], given: i64) ").replace("n = cast_n", "n = add given 0")
    program = parse_program(text)
    found = program.with_main(gather_rotations(program.main))
    assert found != program
    for n in (-3, 0, 1, 4):
        before, after = ([np.zeros((4, 4)), np.ones((4, 4))] for _ in range(2))
        for p, arrays in ((program, before), (found, after)):
            run(p, [*arrays, n], in_place=True)
        np.testing.assert_allclose(after[0], before[0], rtol=1e-13)


KEPT = {
    "the array is read": "      e = load! &b [i, j]\n      &b![g, j] += e\n",
    "the array is stored to": "      &b![g, j] += 1.0\n      &b![i, j] = 2.0\n",
    "the terms are overwritten": "      e = load! &k [i, j]\n      &b![g, j] += e\n      &k![i, j] = 0.0\n",
    "the index may be out of range": "      e = load! &k [i, j]\n      &b[g, j] += e\n",
    "a library call": "      e = load! &k [i, j]\n      t = exp e\n      &b![g, j] += t\n",
}


@pytest.mark.parametrize("why", KEPT)
def test_additions_that_stay(why: str) -> None:
    program = nest(KEPT[why])
    assert gather_rotations(program.main) == program.main


@pytest.mark.parametrize("over", ["range(1, n)", "range(l)", "range(0, n, 2)", "range(l, 0, -1)"])
def test_other_ranges_are_not_rotated(over: str) -> None:
    program = nest(TORUS, over, "range(1, l)")
    assert gather_rotations(program.main) == program.main


def test_an_inner_loop_of_another_length_in_each_iteration() -> None:
    body = "      e = load! &k [i, j]\n      &b![g, j] += e\n"
    program = nest(body, UP, "range(i)")
    assert gather_rotations(program.main) == program.main


def test_terms_that_are_carried() -> None:
    program = parse_program(
        """entry fn f(b: mut f64[:], k: f64[:], n: i64) -> f64 {
  for i in range(n) carry (s: f64 = 0.0) -> (s.2) {
    x = add i 1
    g = mod x n
    e = load! &k [i]
    s.1 = add s e
    &b![g] += s.1
    yield s.1
  }
  return s.2
}
"""
    )
    assert gather_rotations(program.main) == program.main
    assert isinstance(program.main.body.results[0], Var)
