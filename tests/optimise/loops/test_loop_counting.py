"""`while` loops over ints: the same values as before, and which of them are counted."""

import numpy as np
import pytest
from linad_typecheck.ir.core import Loop, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad import cost, linear_grad
from linad.interpret import run
from linad.optimise.loops.induction_variables import close_inductions
from linad.optimise.loops.loop_counting import count_loops
from linad.optimise.loops.loop_invariant_motion import hoist_invariants
from linad.optimise.scalars.constant_folding import fold_constants
from linad.optimise.scalars.dead_code_elimination import eliminate_dead_code

TEXT = """
entry fn f(a: i64, n: i64, m: i64) -> i64 {{
  for turn in range(...) exits carry (s: i64 = 1, k: i64 = {start}) -> (s.9, k.9) {{
    {before}
    b = {test}
    (s.8, k.8, again) = if b {{
      p = mul s 31
      s.1 = bitxor p k
      k.1 = {step}
      yield s.1, k.1, True
    }} else {{
      yield s, k, False
    }}
    yield again, s.8, k.8
  }}
  r = mul s.9 31
  q = bitxor r k.9
  return q
}}
"""


def counted(start="a", before="", test="lt k n", step="add k 1"):
    """The program before and after, and whether its loop is counted."""
    program = parse_program(TEXT.format(start=start, before=before, test=test, step=step))
    f = program.main
    for _ in range(2):
        f = eliminate_dead_code(count_loops(close_inductions(hoist_invariants(fold_constants(f)))))
    after = program.with_main(f)
    assert not verify(after)
    return program, after, not any(s.exits for s in walk(f.body) if isinstance(s, Loop))


COUNTED = {
    "up": {},
    "by three": {"step": "add k 3"},
    "down": {"test": "gt k n", "step": "sub k 1"},
    "down by two": {"test": "gt k n", "step": "sub k 2"},
    "the other way round": {"test": "gt n k"},
    "up to and with the end": {"start": "0", "test": "le k n"},
    "down to and with the end": {"start": "7", "test": "ge k n", "step": "sub k 1"},
    "two at once to and with the end": {"start": "-3", "test": "le k n", "step": "add k 2"},
    "before the end": {"before": "e = add k m", "test": "lt e n"},
    "to an end that is computed": {"before": "e = sub n m", "test": "lt k e"},
}
NOT_COUNTED = {
    "never towards the end": {"start": "n", "test": "lt k n", "step": "sub k 1"},
    "an end that moves": {"before": "e = bitand s 1\n    z = add e n", "test": "lt k z"},
    "a step that is not known": {"start": "n", "step": "add k m"},
    "a test for equality": {"start": "n", "test": "ne k n"},
    "beyond an int that may be the first": {"start": "n", "test": "ge k n", "step": "sub k 1"},
}


@pytest.mark.parametrize("name", COUNTED)
def test_counted_loops_give_the_same(name):
    program, after, is_counted = counted(**COUNTED[name])
    assert is_counted
    for a in (-3, 0, 5):
        for n in (-4, 0, 1, 6):
            for m in (-1, 0, 2):
                assert run(program, (a, n, m)).results == run(after, (a, n, m)).results


@pytest.mark.parametrize("name", NOT_COUNTED)
def test_other_loops_stay(name):
    program, after, is_counted = counted(**NOT_COUNTED[name])
    assert not is_counted
    assert run(program, (1, 3, 2)).results == run(after, (1, 3, 2)).results


def test_ends_beside_the_largest_int():
    most = 2**63 - 1
    program, after, _ = counted()
    for a, n in ((most - 3, most), (-(2**63), -(2**63) + 3), (most, -(2**63)), (most, most)):
        assert run(program, (a, n, 0)).results == run(after, (a, n, 0)).results
    program, after, _ = counted(test="gt k n", step="sub k 1")
    for a, n in ((-(2**63) + 3, -(2**63)), (-(2**63), most)):
        assert run(program, (a, n, 0)).results == run(after, (a, n, 0)).results


def test_while_loops_log_what_for_loops_log():
    @linear_grad
    def by_while(x: np.ndarray, c: float) -> float:
        s = 1.0
        i = 0
        while i < len(x):
            j = len(x)
            while j > i:
                j -= 1
                s = s * c + x[j]
            i += 1
        return s

    @linear_grad
    def by_for(x: np.ndarray, c: float) -> float:
        s = 1.0
        for i in range(len(x)):
            for j in range(len(x) - 1, i - 1, -1):
                s = s * c + x[j]
        return s

    x = np.linspace(0.1, 0.9, 6)
    assert cost(by_while, x, 0.5).log_words == cost(by_for, x, 0.5).log_words
    for one, other in zip(by_while.grad(x, 0.5), by_for.grad(x, 0.5), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_a_loop_that_is_left_for_another_reason_too():
    @linear_grad
    def f(x: np.ndarray) -> float:
        s = 0.0
        i = 0
        while i < len(x) and s < 2.0:
            s += x[i] * x[i]
            i += 1
        return s * i

    x = np.full(5, 0.9)
    np.testing.assert_allclose(f.grad(x), [5.4, 5.4, 5.4, 0.0, 0.0])
