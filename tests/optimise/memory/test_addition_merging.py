"""What a block adds to one cell several times is added up first."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import AddTo, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.memory.addition_merging import merge_additions


def additions(body: str, kind: str = "f64") -> int:
    """How many are left; before and after, the program does the same."""
    before = parse_program(
        f"entry fn f(a: mut {kind}[:], b: mut {kind}[:], i: i64, j: i64, x: {kind}, y: {kind}) -> {kind} {{\n{body}\n}}\n"
    )
    after = before.with_main(merge_additions(before.main))
    assert not verify(before) and not verify(after)
    x, y = (3, 5) if kind == "i64" else (0.5, 2.25)
    for i, j in ((0, 1), (2, 2), (1, 0)):
        found = []
        for p in (before, after):
            arrays = [np.arange(4).astype(float if kind == "f64" else int) for _ in range(2)]
            found.append((run(p, [*arrays, i, j, x, y], in_place=True).results, arrays))
        (value, arrays), (again, others) = found
        assert value == again
        np.testing.assert_array_equal(arrays, others)
    return sum(isinstance(s, AddTo) for s in walk(after.main.body))


END = "  return x"
MERGED = {
    "one after the other": ("  &a![i] += x\n  &a![i] += y\n  &a![i] += x\n", 1),
    "others in between": ("  &a![i] += x\n  &a![j] += y\n  &b![i] += y\n  &a![i] += y\n  &a![j] += x\n", 3),
    "of each arm": ("  c = lt i j\n  if c {\n    &a![i] += x\n    &a![i] += y\n  } else {\n    &a![j] += y\n  }\n", 2),
    "of each iteration": ("  for k in range(i) {\n    &a![k] += x\n    &b![k] += y\n    &a![k] += y\n  }\n", 2),
    "behind a check": ("  &a![i] += x\n  c = le 0 i\n  check c else ValueError \"below\"\n  &a![i] += y\n", 1),
}
APART = {
    "a cell is read": "  &a![i] += x\n  e = load! &a [j]\n  &a![i] += e\n",
    "a cell is replaced": "  &a![i] += x\n  &a![j] = 1.0\n  &a![i] += y\n",
    "read in a loop": "  &a![i] += x\n  for k in range(2) {\n    e = load! &a [k]\n    &b![k] = e\n  }\n  &a![i] += y\n",
    "read as a whole": "  &a![i] += x\n  d = copy &a\n  &a![i] += y\n",
    "that are checked": "  &a[i] += x\n  &a[i] += y\n",
}


@pytest.mark.parametrize(("body", "left"), MERGED.values(), ids=MERGED)
@pytest.mark.parametrize("kind", ["f64", "i64"])
def test_additions_to_one_cell_are_one(body: str, left: int, kind: str) -> None:
    assert additions(body + END, kind) == left


@pytest.mark.parametrize("body", APART.values(), ids=APART)
def test_additions_that_something_else_comes_between_stay(body: str) -> None:
    assert additions(body + END) == body.count("+=")
