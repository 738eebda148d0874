"""Which arrays are private to iterations: the verdicts of the analysis against recorded runs of random nests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linad_typecheck.ir.core import Alloc, Let, Loop, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.analysis.affine import Ranges
from linad.analysis.regions import Privacy, filled, touched
from linad.interpret import CoreError, run
from linad.optimise.mentions import Mentions

from ..examples_of import quick, seeds
from ..properties.roads import Whole
from ..sources import Seeded
from ..strategies_scratch import scratch_nests
from .recorded import depths, events, is_private, iterations

UNTOUCHED = frozenset({"array_privatisation"})


def verdicts(seed: int) -> tuple[int, int]:
    """How many arrays are found private to a loop, and how many were so in a run, where that says something: of loops that
    ran more than once and read the array. Those found must have been."""
    program = scratch_nests(Seeded(seed))
    whole = Whole(program.load(), program.args, off=UNTOUCHED)
    if whole.errors:
        return 0, 0
    f = whole.prepared.main
    told = Privacy(f)
    run, depth = events(whole.prepared, whole.values), depths(f)
    found = possible = 0
    for s in (s for s in walk(f.body) if isinstance(s, Loop)):
        for a in told.refilled(s):
            private = is_private(run, s, depth[id(s)], a)
            said = a in told.found.get(id(s), {})
            assert private or not said, f"{a} is not private to the loop over {s.index}\n{program.text}"
            told_by = iterations(run, s, depth[id(s)], a) if private else 0
            found, possible = found + (said and told_by > 1), possible + (told_by > 1)
    return found, possible


@pytest.mark.one_in(4)
@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(20))
def test_what_is_private_was_so_in_a_run(seed) -> None:
    verdicts(seed)


def test_most_of_what_is_private_is_found() -> None:
    """What one run does says less than a proof: a loop that fills an array might not have run at all."""
    found, possible = map(sum, zip(*map(verdicts, range(15)), strict=True))
    assert found >= 0.8 * possible > 5, (found, possible)


NEST = """entry fn f(n: i64, m: i64) -> f64[:,:] {{
  n1 = sub n 1
  m1 = sub m 1
  n2 = add n1 1
  a = alloc f64 [n, m] fill 0.0
  for i in range({rows}) {{
    i1 = add i {more}
    b = sub n1 i
    for j in range({columns}) {{
      k = add i j
      &a[{cell}] += 1.0
    }}
  }}
  return a
}}
"""
ROWS = ("n", "n2", "n1", "1, n", "n1, -1, -1", "0, n, 2", "-1, n1", "3")
COLUMNS = ("m", "m1, -1, -1", "i, m", "1", "i")
CELLS = ("i, j", "i1, j", "b, j", "j, i", "i, 0", "k, j", "i, k", "0, j")


def verdict(text: str) -> tuple[bool, bool]:
    """Whether a nest is found to use each cell once, and whether it did for small sizes."""
    program = parse_program(text)
    assert not verify(program)
    f = program.main
    (made,) = (s for s in f.body.stmts if isinstance(s, Alloc))
    r = Ranges()
    r.statement(made)
    for s in f.body.stmts:
        if isinstance(s, Let):
            r.statement(s)
    nest = touched(next(s for s in f.body.stmts if isinstance(s, Loop)), made.out, Mentions().touches)
    assert nest is not None and len(nest.loops) == 2
    seen = []
    for n, m in ((0, 2), (1, 1), (2, 3), (3, 3), (4, 2)):
        try:
            seen.append(np.all(np.asarray(run(program, [n, m]).results[0]) == 1.0))
        except CoreError:  # an index out of range
            seen.append(True)
    return filled(nest, made.out, r), all(seen)


@quick(120)
@given(st.sampled_from(ROWS), st.sampled_from(COLUMNS), st.sampled_from(CELLS), st.integers(-1, 1))
def test_a_nest_that_is_found_to_fill_an_array_does(rows: str, columns: str, cell: str, more: int) -> None:
    told, seen = verdict(NEST.format(rows=rows, columns=columns, cell=cell, more=more))
    assert seen or not told


@pytest.mark.parametrize(("rows", "columns", "cell"), [
    ("n", "m", "i, j"), ("n2", "m", "i, j"), ("n1, -1, -1", "m1, -1, -1", "i, j"), ("-1, n1", "m", "i1, j"), ("n", "m", "b, j"),
])  # fmt: skip
def test_nests_that_fill_an_array(rows: str, columns: str, cell: str) -> None:
    assert verdict(NEST.format(rows=rows, columns=columns, cell=cell, more=1)) == (True, True)
