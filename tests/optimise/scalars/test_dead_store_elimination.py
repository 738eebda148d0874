"""Dead-store elimination: a zero that is stored before an addition to the same cell."""

import pytest
from linad_typecheck.ir.core import AddTo, Store
from linad_typecheck.ir.text import parse_program

from linad.optimise.scalars.dead_store_elimination import eliminate_dead_stores

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
