"""Loops that scatter run in blocks: the same additions in the same order; what an iteration may see of others keeps them whole."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jaxtyping import Float64, Int64
from linad_typecheck.ir.core import Alloc, If, Loop, walk
from linad_typecheck.ir.text import parse_program

from linad import linear_grad
from linad.interpret import run
from linad.optimise.loops.scatter_buffering import buffer_scatters
from tests.examples_of import quick

HEAD = "entry fn f(b: mut f64[:], a: mut f64[:], idx: mut i64[:], n: i64) -> f64 {\n  top = sub n 1\n"
FORWARD, BACKWARD = "  for i in range(n)", "  for i in range(top, -1, -1)"
TAIL = "\n  }\n  return s\n}\n"

EXPENSIVE = """
    j = load! &idx [i]
    e = load! &a [i]
    t0 = sin e
    t = exp t0
    u = neg t
    &b![j] += t
    k = sub top j
    &b![k] += u
    s2 = add s1 t
    yield s2
"""


def blocked(body: str, head: str = FORWARD, init: str = "0.0") -> tuple[int, object, object]:
    """How many loops a loop is made of, and the program before and after."""
    text = f"{HEAD}{head} carry (s1: f64 = {init}) -> (s) {{{body}{TAIL}"
    program = parse_program(text)
    after = program.with_main(buffer_scatters(program.main))
    return sum(isinstance(s, Loop) for s in walk(after.main.body)), program, after


def contents(program, n: int, seed: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=n), rng.normal(size=n), rng.integers(0, max(1, n // 3), n)]
    (result,) = run(program, [*arrays, n], in_place=True).results
    return [*arrays, result]


def agree(program, after, n: int, seed: int = 1) -> None:
    for x, y in zip(contents(program, n, seed), contents(after, n, seed), strict=True):
        np.testing.assert_array_equal(y, x)


@given(n=st.integers(0, 300), seed=st.integers(0, 10), head=st.sampled_from([FORWARD, BACKWARD]))
@quick(30)
def test_additions_keep_their_order_to_the_last_bit(n: int, seed: int, head: str) -> None:
    count, program, after = blocked(EXPENSIVE, head)
    assert count == 3
    agree(program, after, n, seed)


def test_a_value_and_its_negative_share_a_buffer() -> None:
    _, _, after = blocked(EXPENSIVE)
    assert sum(isinstance(s, Alloc) for s in walk(after.main.body)) == 1


WHOLE = {
    "a cell is read that an earlier iteration may have added to": EXPENSIVE.replace("exp t0", "exp t0\n    r = load! &b [i]").replace("add s1 t", "add s1 r"),
    "a cell is set between additions": EXPENSIVE.replace("&b![k] += u", "&b![k] = u"),
    "an index is written after it was used": EXPENSIVE.replace("    s2 =", "    &idx![i] = 0\n    s2 ="),
    "an index that a later iteration uses is added to": EXPENSIVE.replace("    s2 =", "    &idx![k] += 1\n    s2 ="),
    "the sum so far is added": EXPENSIVE.replace("&b![k] += u", "v = mul s1 u\n    &b![k] += v"),
    "the sum with this iteration's term is added": EXPENSIVE.replace("    yield", "    &b![k] += s2\n    yield"),
    "what is carried is no sum": EXPENSIVE.replace("add s1 t", "max s1 t"),
    "what is carried is doubled": EXPENSIVE.replace("add s1 t", "add s1 s1"),
    "what is carried is subtracted from": EXPENSIVE.replace("add s1 t", "sub t s1"),
    "there is little to compute": EXPENSIVE.replace("sin e", "mul e 2.0"),
    "a check stands in the loop": EXPENSIVE.replace("    t =", '    ok = ge j 0\n    check ok else IndexError "no"\n    t ='),
    "an index comes out of a computation with floats": EXPENSIVE.replace("    k = sub top j", "    k0: i64 = cast t\n    k = mod k0 n"),
}


@pytest.mark.parametrize("why", WHOLE)
def test_loops_stay_whole_where(why: str) -> None:
    assert blocked(WHOLE[why])[0] == 1


BRANCH = """
    j = load! &idx [i]
    e = load! &a [i]
    small = lt e 0.0
    t0 = if small {
      h = mul e 0.5
      yield h
    } else {
      g = sqrt e
      h2 = sin g
      h3 = exp h2
      yield h3
    }
    t = exp t0
    &b![j] += t
    s2 = add s1 t
    yield s2
"""
BRANCHES = {
    "an arm accesses cells": BRANCH.replace("h = mul e 0.5", "h = load! &a [0]"),
    "an arm adds": BRANCH.replace("h = mul e 0.5", "h = mul e 0.5\n      &b![0] += h"),
    "an operation of an arm may fail": BRANCH.replace(
        "h = mul e 0.5", "q: i64 = cast e\n      q2 = floordiv 3 q\n      h: f64 = cast q2"
    ),
    "both arms are long": BRANCH.replace("h = mul e 0.5", "hh = sin e\n      h = exp hh"),
}


@given(n=st.integers(0, 200), seed=st.integers(0, 10), head=st.sampled_from([FORWARD, BACKWARD]))
@quick(10)
def test_both_arms_are_computed_where_one_is_short(n: int, seed: int, head: str) -> None:
    count, program, after = blocked(BRANCH, head)
    assert count == 3 and not any(isinstance(s, If) for s in walk(after.main.body))
    with np.errstate(invalid="ignore"):
        agree(program, after, n, seed)


@pytest.mark.parametrize("why", BRANCHES)
def test_branches_stay_where(why: str) -> None:
    assert blocked(BRANCHES[why])[0] == 1


def in_matrices(index: str, operation: str, n: int = 150) -> int:
    """How many loops become of one that adds to cells of a matrix; it does what it did."""
    text = f"""entry fn f(b: mut f64[:, :], a: mut f64[:, :], n: i64) -> f64 {{
  for i in range(n) carry (s1: f64 = 0.0) -> (s) {{
    e = load! &a [{index}]
    t = {operation}
    &b![{index}] += t
    s2 = add s1 t
    yield s2
  }}
  return s
}}
"""
    program = parse_program(text)
    after = program.with_main(buffer_scatters(program.main))
    given = np.random.default_rng(2).normal(size=(2, n, n))
    before, now = ([*given.copy()] for _ in range(2))
    sums = [run(p, [*arrays, n], in_place=True).results for p, arrays in ((program, before), (after, now))]
    np.testing.assert_array_equal(now, before)
    assert sums[0] == sums[1]
    return sum(isinstance(s, Loop) for s in walk(after.main.body))


def test_additions_down_a_column_wait_for_library_functions() -> None:
    assert in_matrices("i, 1", "sin e") == 3
    assert in_matrices("1, i", "sin e") == 1, "cells side by side"
    assert in_matrices("i, 1", "mul e e") == 1, "nothing to wait for"


def test_loops_of_other_steps_stay_whole() -> None:
    assert blocked(EXPENSIVE, "  for i in range(0, n, 2)")[0] == 1


def test_additions_at_the_loops_own_cell_are_not_delayed() -> None:
    body = EXPENSIVE.replace("&b![j] += t", "&b![i] += t").replace("&b![k] += u", "&a![j] += u")
    assert blocked(body)[0] == 1, "a is read"
    body = body.replace("&a![j]", "&b![j]")
    count, program, after = blocked(body)
    assert count == 3, "both are additions to b, in the order of the program"
    agree(program, after, 150)


@linear_grad(wrt="v")
def scattering(v: Float64[np.ndarray, "n"], idx: Int64[np.ndarray, "m"]) -> float:
    s = 0.0
    for i in range(len(idx)):
        e = v[idx[i]]
        s += math.exp(math.sin(e)) * math.tanh(e)
    return s


def test_indices_are_checked_and_count_from_the_end() -> None:
    rng = np.random.default_rng(0)
    v, idx = rng.normal(size=7), rng.integers(0, 7, 200)
    expected = scattering.grad(v, idx)
    (bar,) = scattering.vjp(v, idx)[1](1.0)
    np.testing.assert_array_equal(bar, expected)
    mixed = np.where(rng.random(200) < 0.5, idx, idx - 7)
    np.testing.assert_allclose(scattering.grad(v, mixed), expected, rtol=1e-14)
    h = 1e-6 * (np.arange(7) == 3)
    assert expected[3] == pytest.approx((scattering.py_func(v + h, idx) - scattering.py_func(v - h, idx)) / 2e-6, rel=1e-6)
    for wrong in (7, -8, 2**62):
        bad = idx.copy()
        bad[131] = wrong
        with pytest.raises(IndexError, match="axis 0 of v with size 7"):
            scattering.vjp_into(1.0, v, bad, into=(np.zeros(7),))
