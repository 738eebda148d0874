"""Nests of loops that add to neighbouring rows are divided, so that each row is added to once; what may not move keeps them together."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import AddTo, If, Loop, Program, Store, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.loop_distribution import distribute_loops
from linad.optimise.loops.accumulation_rotation import rotate_accumulations
from linad.optimise.loops.stencil_gather import gather_stencils

HEAD = """entry fn f(b: mut f64[:,:], a: mut f64[:,:], k: f64[:,:], n: i64) -> i64 {
  m = sub n 1
  l = sub n 2
"""
UP, DOWN = "range(1, m)", "range(l, 0, -1)"

STENCIL = """
      e = load! &a [i, j]
      &a![i, j] = 0.0
      w = load! &k [i, j]
      t = mul e w
      &b![h, j] += t
      &b![g, j] += t
      &b![i, j] += e
      p = add j 1
      &b![i, p] += t
"""


def nest(body: str, outer: str = UP, inner: str = UP) -> Program:
    return parse_program(
        f"{HEAD}  for i in {outer} {{\n    h = sub i 1\n    g = add i 1\n    for j in {inner} {{{body}    }}\n  }}\n  return n\n}}\n"
    )


def divided(program: Program) -> Program:
    found = program.with_main(gather_stencils(program.main))
    verify(found)
    return found


def contents(program: Program, n: int, rank: int = 2) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    arrays = [rng.random((max(n, 3),) * rank) for _ in range(3)]
    run(program, [*arrays, n], in_place=True)
    return arrays


def agree(program: Program, other: Program, rank: int = 2) -> None:
    for n in range(2, 9):  # down to nests that have fewer rows than the stencil, or none
        for before, after in zip(contents(program, n, rank), contents(other, n, rank), strict=True):
            np.testing.assert_allclose(after, before, rtol=1e-13)


@pytest.mark.parametrize("outer", [UP, DOWN])
@pytest.mark.parametrize("inner", [UP, DOWN])
def test_each_row_is_added_to_in_one_loop(outer: str, inner: str) -> None:
    program = nest(STENCIL, outer, inner)
    found = divided(program)
    _, middle, _, rest = (s for s in found.main.body.stmts if isinstance(s, Loop))
    [row] = [t for t in middle.body.stmts if isinstance(t, Loop)]
    added = [t for t in row.body.stmts if isinstance(t, AddTo)]
    assert len({t.index[0] for t in added}) == 1 and len(added) == 4
    assert not any(isinstance(t, AddTo) for t in walk(rest.body))
    agree(program, found)
    each = found.with_main(rotate_accumulations(distribute_loops(found.main)))  # and each cell once
    assert not verify(each)
    agree(program, each)


def test_three_axes() -> None:
    program = parse_program(
        """entry fn f(b: mut f64[:,:,:], a: f64[:,:,:], k: f64[:,:,:], n: i64) -> i64 {
  m = sub n 1
  for i in range(1, m) {
    g = add i 1
    for j in range(1, m) {
      h = sub j 1
      for l in range(1, m) {
        p = add l 1
        e = load! &a [i, j, l]
        &b![i, j, l] += e
        &b![g, j, l] += e
        &b![i, h, l] += e
        &b![i, j, p] += e
      }
    }
  }
  return n
}
"""
    )
    found = divided(program)
    whole = next(s for s in found.main.body.stmts if isinstance(s, Loop) and not any(isinstance(t, If) for t in s.body.stmts))
    assert sum(isinstance(t, Loop) for t in whole.body.stmts) == 3  # the rows of each plane are gathered, too
    agree(program, found, 3)


FUSED = """
      w = load! &k [i, j]
      e = mul w w
      &b![h, j] += e
      &b![g, j] += w
      &b![i, j] += w
      s.3 = add s.2 e
      &a![i, j] = e
      yield s.3
    }
    yield s.4
  }
  &a![0, 0] += s.5
"""


def with_rest(outer: str = UP, inner: str = UP, more: str = "") -> Program:
    """A stencil whose iterations also store to another array and carry a sum."""
    heads = (f"for i in {outer} carry (s: f64 = 0.0) -> (s.5)", f"for j in {inner} carry (s.2: f64 = s) -> (s.4)")
    return parse_program(
        f"{HEAD}  {heads[0]} {{\n    h = sub i 1\n    g = add i 1\n{more}    {heads[1]} {{{FUSED}  return n\n}}\n"
    )


@pytest.mark.parametrize("outer", [UP, DOWN])
@pytest.mark.parametrize("inner", [UP, DOWN])
@pytest.mark.parametrize("more", ["", "    &a![i, 0] = 1.0\n    c = lt i 3\n    if c {\n      &a![i, 0] = 2.0\n    } else {\n    }\n"])
def test_the_rest_is_fused_with_the_rows(outer: str, inner: str, more: str) -> None:
    program = with_rest(outer, inner, more)
    found = divided(program)
    _, before, whole, after, _ = (s for s in found.main.body.stmts if isinstance(s, Loop))
    for part, rows in (before, 0), (whole, 3), (after, 0):
        [row] = [t for t in part.body.stmts if isinstance(t, Loop)]
        assert sum(isinstance(t, AddTo) and t.array.name == "b" for t in row.body.stmts) == rows
        assert any(t for t in row.body.stmts if isinstance(t, Store))
    agree(program, found)


def test_the_rest_that_a_term_depends_on_stays_behind() -> None:
    """The terms of a row are computed in iterations whose own cells are cleared there."""
    found = divided(nest(STENCIL))
    assert len([s for s in found.main.body.stmts if isinstance(s, Loop)]) == 4


def test_what_the_loops_carry_stays_behind() -> None:
    program = parse_program(
        HEAD
        + """  for i in range(1, m) carry (s: f64 = 0.0) -> (s.3) {
    g = add i 1
    for j in range(m) carry (s.1: f64 = s) -> (s.2) {
      e = load! &a [i, j]
      &b![g, j] += e
      &b![i, j] += e
      s.4 = add s.1 e
      yield s.4
    }
    yield s.2
  }
  &k![0, 0] += s.3
  return n
}
""".replace("&k!", "&a!")
    )
    found = divided(program)
    assert len([s for s in found.main.body.stmts if isinstance(s, Loop)]) == 4
    agree(program, found)


WHOLE = {
    "the rows are read": "\n      e = load! &b [g, j]\n      &b![i, j] += e\n      &b![g, j] += 1.0\n",
    "a row is replaced": "\n      e = load! &a [i, j]\n      &b![i, j] = e\n      &b![g, j] += e\n",
    "a neighbour is overwritten before it is read": (
        "\n      e = load! &a [h, j]\n      &a![i, j] = 0.0\n      &b![i, j] += e\n      &b![g, j] += e\n"
    ),
    "a cell is overwritten before it is read": (
        "\n      &a![i, j] = 2.0\n      e = load! &a [i, j]\n      &b![i, j] += e\n      &b![g, j] += e\n"
    ),
    "a cell is read in every row": "\n      e = load! &a [0, j]\n      &a![0, j] = 0.0\n      &b![i, j] += e\n      &b![g, j] += e\n",
    "a library call": "\n      x = load! &k [i, j]\n      e = exp x\n      &b![i, j] += e\n      &b![g, j] += e\n",
    "one row": "\n      e = load! &k [i, j]\n      p = add j 1\n      &b![i, j] += e\n      &b![i, p] += e\n",
    "along the diagonal": "\n      e = load! &k [i, j]\n      p = add i j\n      q = floordiv p 4\n      &b![i, q] += e\n      &b![g, q] += e\n",
    "rows along both axes": "\n      e = load! &k [i, j]\n      &b![i, j] += e\n      &b![j, g] += e\n",
    "a step of two": "",
    "a triangle": "",
    "two loops in one": "",
}
PLAIN = "\n      e = load! &k [i, j]\n      &b![i, j] += e\n      &b![g, j] += e\n"


@pytest.mark.parametrize("why", WHOLE)
def test_nests_that_stay_whole(why: str) -> None:
    match why:
        case "a step of two":
            program = nest(PLAIN, "range(1, m, 2)")
        case "a triangle":
            program = nest(PLAIN, UP, "range(1, i)")
        case "two loops in one":
            program = nest(PLAIN + "    }\n    for l in range(1, m) {\n      &b![i, l] += 1.0\n")
        case _:
            program = nest(WHOLE[why])
    assert gather_stencils(program.main) == program.main
    assert divided(nest(PLAIN)).main != nest(PLAIN).main


LOWEST, HIGHEST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(("outer", "end"), [
    ("range(n)", LOWEST),
    ("range(n, 5)", HIGHEST),
    ("range(n, zero)", HIGHEST),
    ("range(zero, n)", LOWEST),
    ("range(3, n, -1)", HIGHEST),
    ("range(n, 0, -1)", LOWEST),
    ("range(n, zero, -1)", LOWEST),
])
def test_a_nest_that_never_runs_may_end_anywhere(outer: str, end: int) -> None:
    text = f"{HEAD}  zero = mul n 0\n  for i in {outer} {{\n    g = add i 2\n    for j in range(9) {{{PLAIN}    }}\n  }}\n  return n\n}}\n"
    program = parse_program(text)
    found = divided(program)
    assert found.main != program.main
    fused = divided(with_rest(outer.replace("zero", "0")))
    for program in found, fused:
        arrays = [np.ones((9, 9)) for _ in range(3)]
        run(program, [*arrays, end], limit=1000, in_place=True)
        assert all((a == 1.0).all() for a in arrays)


def test_arrays_of_one_stencil_share_a_nest() -> None:
    """Reaction and diffusion: what is added to both is computed from the same cells."""
    body = """
      w = load! &k [i, j]
      t = mul w w
      &b![h, j] += t
      &b![g, j] += w
      &b![i, j] += w
      &a![h, j] += w
      &a![g, j] += t
      &a![i, j] += t
"""
    program = nest(body)
    found = divided(program)
    loops = [s for s in found.main.body.stmts if isinstance(s, Loop)]
    assert len(loops) == 3  # the rows at either end, and those in between, of both
    assert {t.array.name for t in walk(loops[1].body) if isinstance(t, AddTo)} == {"a", "b"}
    agree(program, found)
