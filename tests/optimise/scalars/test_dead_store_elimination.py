"""Dead-store elimination: a zero that is stored before an addition to the same cell, and fillings that nothing reads."""

import pytest
from linad_typecheck.ir.core import AddTo, Alloc, Store, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.optimise.scalars.dead_store_elimination import eliminate_dead_fills, eliminate_dead_stores

PROGRAM = """
entry fn f(v: mut i64[:], i: i64, x: i64, ok: bool) -> i64 {
  &v[i] = 0
  @
  &v[i] += x
  return x
}
"""


@pytest.mark.parametrize(
    ("between", "kept"),
    [
        ("y = add i 1", [Store]),
        ('check ok else ValueError "no" ()', [Store, AddTo]),  # an index out of bounds is told first
        ("y = load &v [0]", [Store, AddTo]),
    ],
)
def test_a_zero_before_an_addition(between, kept):
    found = eliminate_dead_stores(parse_program(PROGRAM.replace("@", between)).main).body.stmts
    assert [type(s) for s in found if isinstance(s, Store | AddTo)] == kept


@pytest.mark.parametrize(
    ("between", "kept"),
    [
        ("y = sub i 1 \n z = add y -2 \n &v![z] += x", [AddTo, Store]),
        ("y = sub i 1 \n z = add y 1 \n &v![z] += x", [Store, AddTo, AddTo]),  # the same cell
        ("y = add x 1 \n &v![y] += x", [Store, AddTo, AddTo]),
        ("y = add i 1 \n &v![y] = x", [Store, Store, AddTo]),
        ("y = add i 1 \n &v[y] += x", [AddTo, Store]),
    ],
)
def test_an_addition_to_another_cell_in_between(between, kept):
    text = PROGRAM.replace("&v[i]", "&v![i]").replace("@", between)
    found = eliminate_dead_stores(parse_program(text).main).body.stmts
    assert [type(s) for s in found if isinstance(s, Store | AddTo)] == kept


FILLED = """
entry fn f(v: read f64[:], n: i64, ok: bool) -> f64 {{
  w = alloc f64 [n, 4] fill 0.0
  {written}
  for p in range(n) {{
    for q in range(4) {{
      a = load! &w [p, q]
    }}
  }}
  m = sub n 1
  b = load! &w [m, 3]
  return b
}}
"""
ROWS = "for i in range({0}) {{ \n for j in range(4) {{ \n e = load! &v [i] \n {1} \n }} \n }}"
STORE = "&w![i, j] = e"


@pytest.mark.parametrize(
    ("written", "dead"),
    [
        (ROWS.format("n", STORE), True),
        (ROWS.format("n, 0, -1", STORE.replace("i, j", "r, j")).replace("&w!", "r = sub i 1 \n &w!"), True),
        (ROWS.format("1, n", STORE), False),
        (ROWS.format("n", "&w![i, j] += e"), False),
        (ROWS.format("n", f"if ok {{ \n {STORE} \n }}"), False),
        (ROWS.format("n", f"if ok {{ \n {STORE} \n }} else {{ \n &w![i, j] = 1.0 \n }}"), True),
        (ROWS.format("n", "d = load! &w [0, 0] \n &w![i, j] = d"), False),
        ("u = copy &w \n " + ROWS.format("n", STORE), False),
    ],
)
def test_fillings(written, dead):
    program = parse_program(FILLED.format(written=written))
    after = program.with_main(eliminate_dead_fills(program.main))
    assert not verify(program) and not verify(after)
    (alloc,) = (s for s in walk(after.main.body) if isinstance(s, Alloc))
    assert (alloc.fill is None) is dead
    if not dead:
        assert after == program


def test_an_array_that_is_returned_keeps_its_filling():
    program = parse_program("entry fn f(n: i64) -> f64[:] {\n  w = alloc f64 [n] fill 0.0\n  &w![0] = 1.0\n  return w\n}\n")
    assert eliminate_dead_fills(program.main) == program.main
