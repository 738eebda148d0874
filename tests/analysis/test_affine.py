"""What is proved about the ints of a function."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Check, Loop, walk
from linad_typecheck.ir.text import parse_program

from linad.codegen import EmitOptions
from linad.codegen.passes import prepare
from linad.interpret import run

CASES = {  # the range of a loop, its number of iterations, the cell of one, and whether that is proved to be in the array
    "from zero": ("range(n)", "0 n 1", "add i 0", True),
    "downwards": ("range(n, 0, -1)", "n 0 -1", "sub n i", True),
    "from another size": ("range(m, l)", "m l 1", "sub i m", True),
    "a difference that may overflow": ("range(2, n)", "2 n 1", "sub i 2", False),
}


@pytest.mark.parametrize(("over", "trips", "cell", "proved"), CASES.values(), ids=CASES)
def test_an_array_with_a_cell_for_each_iteration(over: str, trips: str, cell: str, proved: bool) -> None:
    """The number of iterations of a range that may be empty is no less than the difference of its ends."""
    program = parse_program(
        f"entry fn f(n: i64, u: mut f64[:], v: mut f64[:]) -> f64 {{\n  m = dim &u 0\n  l = dim &v 0\n  t = trips {trips}\n"
        f"  a = alloc f64 [t] fill 1.0\n  for i in {over} carry (s: f64 = 0.0) -> (r) {{\n    k = {cell}\n"
        "    c = gt k 1\n    e = if c {\n      x = load &a [k]\n      yield x\n    } else {\n      yield 2.0\n    }\n"
        "    s1 = add s e\n    yield s1\n  }\n  return r\n}\n"
    )
    made, _ = prepare(program, EmitOptions())
    inside = [s for loop in walk(made.main.body) if isinstance(loop, Loop) for s in walk(loop.body)]
    assert any(isinstance(s, Check) for s in inside) is not proved
    for n in (-3, 0, 1, 7):
        given = [n, np.zeros(2), np.zeros(7)]
        assert run(made, given).results == run(program, given).results
