"""Additions to one cell in a loop are summed in a register, where nothing in the loop looks at the array."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import AddTo, If, Loop, Store, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.scalar_promotion import promote_scalars

HEAD = "entry fn f(x: mut f64[:], q: mut f64[:], m: i64, n: i64) -> i64 {\n  k = add m 1\n"
LOOP = "  for j in range(k, n) {"
DOWN = "  top = sub n 1\n  for j in range(top, m, -1) {"
TAIL = "\n  }\n  return n\n}\n"
PAIR = """
    e = load! &x [j]
    d = neg e
    &q![m] += e
    &q![j] += d
    &q![m] += 1.0"""


def summed(body: str, head: str = LOOP, last: bool = False):
    """The additions in the loop, and the program; before and after it does the same, also where the loop is empty."""
    before = parse_program(HEAD + head + body + TAIL)
    after = before.with_main(promote_scalars(before.main))
    assert not verify(after)
    for m, n in ((0, 6), (2, 6), (5, 6)) if not last else ((6, 6),):
        results = []
        for p in (before, after):
            rng = np.random.default_rng(4)
            arrays = [rng.random(6), rng.random(6)]
            arrays[1][m % 6] = -0.0
            run(p, [*arrays, m, n], in_place=True)
            results.append(arrays)
        for a, b in zip(*results, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-13)
            np.testing.assert_array_equal(np.signbit(b), np.signbit(a))
    (loop,) = (s for s in walk(after.main.body) if isinstance(s, Loop))
    return sum(isinstance(t, AddTo) for t in loop.body.stmts), after.main


@pytest.mark.parametrize("head", [LOOP, DOWN])
def test_a_cell_is_added_to_once(head: str) -> None:
    left, f = summed(PAIR, head)
    assert left == 1
    (behind,) = (s for s in f.body.stmts if isinstance(s, If))
    assert len(behind.then.stmts) == 1


def test_a_cell_that_is_not_there_is_left_alone_where_the_loop_does_not_run() -> None:
    summed(PAIR, last=True)  # q[6], of six


def test_one_cell_alone_of_an_array_that_a_loop_has_made() -> None:
    """Of which no compiler is told that it overlaps no other."""
    loop = """  for i in range(n) {
    w = alloc f64 [2] fill 0.0
    for j in range(n) {
      e = load! &x [j]
      &w![1] += e
    }
    t = load! &w [1]
    &q![i] = t
  }
  return n
}
"""
    f = promote_scalars(parse_program(HEAD + loop).main)
    assert not any(isinstance(t, AddTo) for s in walk(f.body) if isinstance(s, Loop) and s.carried for t in walk(s.body))
    assert any(isinstance(s, Loop) and s.carried for s in walk(f.body))


def test_two_cells_that_stay() -> None:
    left, _ = summed(PAIR.replace("&q![j]", "&q![0]"))
    assert left == 0


WHOLE = {
    "the array is read, perhaps that cell": PAIR.replace("e = load! &x [j]", "w = mod j 3\n    e = load! &q [w]"),
    "a cell is replaced, perhaps that one": PAIR.replace("&q![j] += d", "w = mod j 3\n    &q![w] = d"),
    "another cell each time": PAIR.replace("&q![m]", "&q![j]"),
    "one cell alone, which compilers see": "\n    e = load! &x [j]\n    &q![m] += e",
}


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_additions_that_stay(body: str) -> None:
    left, f = summed(body)
    assert left == body.count("+=") and not any(isinstance(s, If) for s in f.body.stmts)


@pytest.mark.parametrize(("change", "left"), [(("load! &x [j]", "load! &q [j]"), 1), (("&q![j] += d", "&q![j] = d"), 0)])
def test_other_cells_of_the_array_may_be_seen(change: tuple[str, str], left: int) -> None:
    """That ``j`` is more than ``m`` follows from the bounds; ``m + 1``, of which nothing is known, might be less than ``m``."""
    assert summed(PAIR.replace(*change), DOWN)[0] == left
    assert summed(PAIR.replace(*change))[0] == PAIR.replace(*change).count("+=")


UNDER = """
    e = load! &x [j]
    c = lt e 0.5
    if c {
      d = neg e
      &q![m] += e
      &q![j] += d
    } else {
      &q![m] += 1.0
    }"""


def test_additions_under_a_condition() -> None:
    """The cell is asked for behind the loop: where no iteration adds to it, it need not exist."""
    left, f = summed(UNDER)
    assert left == 0
    summed(UNDER, last=True)
    never = UNDER.replace("lt e 0.5", "lt e -1.0").replace("&q![m] += 1.0\n", "").replace("&q![m]", "&q![n]")
    summed(never)
    ran = [s for s in walk(f.body) if isinstance(s, AddTo)]
    assert len(ran) == 2  # to q[j] in the loop, to q[m] behind it


def test_an_array_under_several_names_stays() -> None:
    head = "  a = copy &x\n  b = copy &q\n  for j in range(k, n) carry (p: f64[:] = a, r: f64[:] = b) -> (p.2, r.2) {"
    left, f = summed(PAIR.replace("&x", "&p").replace("&q", "&r") + "\n    yield r, p", head)
    assert left == 3 and not any(isinstance(s, If) for s in f.body.stmts)


GATHER = """  w = copy &q
  for j in range(k, n) {
    b = load! &x [j]
    ok = lt b 2.0
    check ok else ValueError "too large" ()
    %s
  }
  for j.1 in range(n) {
    r = load! &w [j.1]
    &q![j.1] = r
  }
  return n
}
"""


@pytest.mark.parametrize("what", ["c = load! &w [m]\n    d = mul c b\n    &w![m] = d\n    &w![m] += b", "&w![m] += b"], ids=["kept", "summed"])
@pytest.mark.parametrize(("m", "n"), [(0, 6), (5, 6), (2, 3)])
def test_a_test_in_a_loop_leaves_cells_of_arrays_that_the_function_has_made_in_registers(what: str, m: int, n: int) -> None:
    before = parse_program(HEAD + GATHER % what)
    after = before.with_main(promote_scalars(before.main))
    assert not verify(after)
    loop = next(s for s in after.main.body.stmts if isinstance(s, Loop))
    assert len(loop.carried) == 1 and not any(isinstance(t, AddTo | Store) for t in loop.body.stmts)
    results = []
    for p in (before, after):
        arrays = [np.random.default_rng(4).random(6), np.random.default_rng(5).random(6)]
        run(p, [*arrays, m, n], in_place=True)
        results.append(arrays[1])
    np.testing.assert_allclose(results[1], results[0], rtol=1e-13)
    lent = parse_program(HEAD + (GATHER % what).replace("w = copy &q\n", "").replace("&w", "&q"))
    assert promote_scalars(lent.main) == lent.main  # its caller sees what is in it when a test fails
