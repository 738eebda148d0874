"""Neighbouring cells are added to once; the numbers stay those of the loop as it was written."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linad_typecheck.ir.core import AddTo, Function, Loop, Program, Stmt, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.codegen import EmitOptions, emit
from linad.interpret import run
from linad.optimise.loops.accumulation_rotation import rotate_accumulations
from tests.examples_of import quick

from .test_unroll_and_jam import outcome

LOWEST, HIGHEST = -(2**63), 2**63 - 1
UP, DOWN = "range(lo, hi)", "range(hi, lo, -1)"
WITH_SUM = " carry (s: f64 = 0.0) -> (r)"
SIZE = 24


def program(body: str, over: str = UP, carry: str = "", kind: str = "f64", front: str = "") -> Program:
    """A loop with that body, in which cells may be named as ``i+2`` or ``i-1``."""
    names = {d: f"i{'p' if '+' in d else 'm'}{d[2:]}" for d in re.findall(r"\bi[+-]\d+", body)}
    offsets = "".join(f"\n    {name} = add i {d[1:].removeprefix('+')}" for d, name in names.items())
    text = re.sub(r"\bi[+-]\d+", lambda d: names[d[0]], body)
    return parse_program(
        f"""entry fn f(b: mut {kind}[:,:], c: mut {kind}[:], u: mut {kind}[:], w: mut {kind}[:], k: mut i64[:], lo: i64, hi: i64, q: i64) -> f64 {{
  {front}
  for i in {over}{carry or WITH_SUM} {{{offsets}
{text}
{"" if carry else "    yield s"}
  }}
  return r
}}
"""
    )


def contents(kind: str = "f64", seed: int = 1) -> list[np.ndarray]:
    """Arrays of small whole numbers and half ones, which can be added in any order."""
    rng = np.random.default_rng(seed)
    floats = [rng.integers(-20, 20, shape).astype({"f64": float, "f32": np.float32, "i64": np.int64}[kind]) for shape in ((2, SIZE), SIZE, SIZE, SIZE)]
    return [*(a if kind == "i64" else a / 2 for a in floats), np.arange(SIZE)]


def agree(before: Program, after: Program, *more: list[np.ndarray], kind: str = "f64", same: Callable = np.testing.assert_array_equal) -> None:
    """That both do the same, however often the loop runs."""
    for arrays in (contents(kind), *more):
        for lo, hi in ((10, 10), (10, 9), (10, 11), (10, 12), (10, 13), (8, 15)):
            for x, y in zip(outcome(before, arrays, lo, hi, 2), outcome(after, arrays, lo, hi, 2), strict=True):
                same(y, x)
                assert y.dtype == x.dtype


def changed(before: Program, change: Callable[[Function], Function]) -> tuple[Program, Loop]:
    """The program behind a pass, and its loop."""
    after = before.with_main(rotate_accumulations(before.main))
    assert not verify(before) and not verify(after)
    [loop] = (s for s in walk(after.main.body) if isinstance(s, Loop))
    return after, loop


def count(loop: Loop, kind: type[Stmt], op: str = "") -> int:
    return sum(isinstance(t, kind) and op in ("", getattr(t, "op", "")) for t in loop.body.stmts)


# --------------------------------------------------------------------------------------------------------------- adding

E = "    e = load! &u [i]\n    t = mul e 3.0\n"
ADDED = {  # what is added, and how many additions and values handed on are left
    "neighbours on both sides": (E + "    &c![i-1] += t\n    &c![i] += e\n    &c![i+1] += t", 1, 2),
    "in any order": (E + "    &c![i] += e\n    &c![i+1] += t\n    &c![i-1] += 0.5", 1, 2),
    "several times": (E + "    &c![i] += e\n    &c![i+1] += t\n    &c![i] += t\n    &c![i+1] += e", 1, 1),
    "with cells between": (E + "    &c![i-1] += e\n    &c![i+2] += t", 1, 3),
    "as far apart as may be": (E + "    &c![i-4] += e\n    &c![i+4] += t", 1, 8),
    "far from the index": (E + "    j = add i q\n    h = add j 1\n    &c![j] += e\n    &c![h] += t", 1, 1),
    "the other way": (E + "    j = sub 23 i\n    h = add j 2\n    &c![j] += e\n    &c![h] += t", 1, 2),
    "the other way from beside": (E + "    g = add i 3\n    j = sub 23 g\n    h = sub j 1\n    &c![j] += e\n    &c![h] += t", 1, 1),
    "both ways": (E + "    j = sub 23 i\n    h = add j 1\n    &c![j] += e\n    &c![h] += t\n    &c![i] += e\n    &c![i+1] += t", 2, 2),
    "numbers": ("    &c![i] += 0.5\n    &c![i+1] += 0.25", 1, 1),
    "two arrays": (E + "    &c![i] += e\n    &w![i-1] += t\n    &c![i+1] += t\n    &w![i+1] += e", 2, 3),
    "two rows": (E + "    &b![0, i] += e\n    &b![1, i+1] += t\n    &b![1, i] += e\n    &b![0, i+1] += t", 2, 2),
    "a row, and one cell of another": (E + "    &b![0, i] += e\n    &b![1, i] += t\n    &b![0, i+1] += t", 2, 1),
    "a row, and one of a size away": (E + "    j = add i q\n    &c![i] += e\n    &c![i+1] += t\n    &c![j] += e", 2, 1),
    "beside a row that is read and stored": ("    e = load! &b [0, i]\n    t = mul e 3.0\n    &b![0, i] = 0.0\n    &b![1, i] += e\n    &b![1, i-1] += t", 1, 1),
    "beside the row before": ("    z = add q 0\n    y = sub z 1\n    g = sub y 1\n    e = load! &b [y, i]\n    t = mul e 3.0\n    &b![y, i] = t\n    &b![g, i] += e\n    &b![g, i+1] += t", 1, 1),
    "beside a store": (E + "    &w![i] = t\n    &c![i] += e\n    &c![i+1] += t", 1, 1),
}


def test_columns_of_a_narrow_array() -> None:
    text = """entry fn f(b: mut f64[:,:], n: i64) -> i64 {
  for i in range(n) {
    k = add i 1
    &b![i, 0] += 1.0
    &b![k, 0] += 2.0
    &b![k, 2] += 3.0
    &b![i, 2] += 4.0
  }
  return n
}
"""
    before = parse_program(text)
    after = before.with_main(rotate_accumulations(before.main))
    [loop] = (s for s in walk(after.main.body) if isinstance(s, Loop))
    assert not verify(after) and (count(loop, AddTo), len(loop.carried)) == (2, 2)
    for n in (0, 1, 2, 5):
        found = [np.arange(18.0).reshape(6, 3) for _ in range(2)]
        for p, b in zip((before, after), found, strict=True):
            run(p, [b, n], in_place=True)
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("over", [UP, DOWN])
@pytest.mark.parametrize("name", ADDED)
def test_each_cell_of_a_row_is_added_to_once(name: str, over: str) -> None:
    body, additions, waiting = ADDED[name]
    before = program(body, over)
    after, loop = changed(before, rotate_accumulations)
    assert (count(loop, AddTo), len(loop.carried) - 1) == (additions, waiting)
    agree(before, after)


@pytest.mark.parametrize("over", [UP, DOWN])
def test_single_floats_are_added_as_such(over: str) -> None:
    before = program("    e = load! &u [i]\n    &c![i] += e\n    &c![i+1] += 0.5f32\n    &c![i+3] += e", over, kind="f32")
    after, loop = changed(before, rotate_accumulations)
    assert count(loop, AddTo) == 1
    agree(before, after, kind="f32")


@pytest.mark.parametrize("over", [UP, DOWN])
def test_what_is_carried_is_carried_on(over: str) -> None:
    """Sums beside the additions, and additions of what the iterations before came to."""
    body = "    x = load! &u [i]\n    s1 = add s x\n    &c![i] += s\n    &c![i+1] += s1\n    &c![i-1] += x\n    yield s1"
    before = program(body, over, " carry (s: f64 = 1.0) -> (r)")
    after, loop = changed(before, rotate_accumulations)
    assert count(loop, AddTo) == 1 and len(loop.carried) == 3
    agree(before, after)


def test_cells_that_nothing_is_added_to_keep_their_bits() -> None:
    """Those between, where the loop is shorter than the row; and minus nothing is still minus nothing."""
    zeros = [np.full_like(a, -0.0) for a in contents()[:-1]]
    before = program("    e = load! &u [i]\n    &c![i] += e\n    &c![i+3] += e\n    &c![i+4] += -0.0")
    after, _ = changed(before, rotate_accumulations)
    for hi in (10, 11, 12, 16):
        assert all(np.signbit(a).all() for a in outcome(after, [*zeros, np.arange(SIZE)], 10, hi, 2)[:4])


def test_what_is_no_number_stays_in_its_cells() -> None:
    strange = contents()
    strange[1][[9, 11]] = np.nan, np.inf
    strange[2][[10, 12, 13]] = -np.inf, np.nan, np.inf
    before = program(ADDED["neighbours on both sides"][0])
    after, _ = changed(before, rotate_accumulations)
    agree(before, after, strange)


NEVER = [("range(q)", LOWEST), ("range(q, 5)", HIGHEST), ("range(q, lo)", HIGHEST), ("range(lo, q)", LOWEST), ("range(lo, q)", LOWEST + 1),
         ("range(3, q, -1)", HIGHEST), ("range(q, 0, -1)", LOWEST), ("range(q, lo, -1)", LOWEST), ("range(lo, q, -1)", HIGHEST)]  # fmt: skip


@pytest.mark.parametrize(("over", "end"), NEVER)
def test_a_loop_that_never_runs_may_end_anywhere(over: str, end: int) -> None:
    body = "    x = load! &u [i-3]\n    y = load! &u [i-2]\n    t = mul x y\n    &c![i-1] += t\n    &c![i+4] += x"
    before = program(body + "\n    &w![i] = t", over)
    after, loop = changed(before, rotate_accumulations)
    assert len(loop.carried) > 1
    arrays = contents()
    for x, y in zip(outcome(after, arrays, 10, 10, end), arrays, strict=False):
        np.testing.assert_array_equal(x, y)


ONE_BY_ONE = {
    "the sums are read": "    e = load! &c [i]\n    &c![i] += 1.0\n    &c![i+1] += e",
    "a cell is replaced": E + "    &c![i-1] = 1.0\n    &c![i] += e\n    &c![i+1] += t",
    "a cell from anywhere": E + "    h = mul 2 i\n    j = mod h 7\n    &c![i] += e\n    &c![i+1] += t\n    &c![j] += e",
    "one cell": E + "    &c![i] += e\n    &c![i] += t",
    "too far apart": E + "    &c![i-4] += e\n    &c![i+5] += t",
    "a size apart": E + "    h = add i q\n    &c![i] += e\n    &c![h] += t",
    "another row": E + "    &b![0, i] += e\n    &b![1, i+1] += t",
    "a row that goes along": E + "    j = mod i 2\n    &b![j, i] += e\n    &b![j, i+1] += t",
    "ints": "    &k![i] += 1\n    &k![i+1] += 2",
    "a check": E + "    &c[i] += e\n    &c![i+1] += t",
    "a branch": E + "    o = lt e 1.0\n    if o {\n      &c![i] += e\n    }\n    &c![i+1] += t\n    &c![i] += t",
}


@pytest.mark.parametrize("body", ONE_BY_ONE.values(), ids=ONE_BY_ONE)
def test_additions_that_stay(body: str) -> None:
    before = program(body)
    assert not verify(before)
    assert rotate_accumulations(before.main) == before.main


NEAR = "    x = load! &u [i]\n    y = load! &u [i+1]\n    v = tanh x\n    z = tanh y\n    t = mul v z\n    &c![i] += t\n    &c![i+1] += x"


def test_which_loops() -> None:
    """Those that go from an int to the next, to the end, and not just a few times."""
    stop = "    o = lt i hi\n    yield o, s"
    for before in (
        program(NEAR, "range(lo, hi, 2)"),
        program(NEAR, "range(hi, lo, -2)"),
        program(NEAR, "range(lo, hi, q)"),
        program(NEAR, "range(3, 7)"),
        program(NEAR, "range(lo, few)", front="few = add lo 8"),
        program(NEAR + "\n" + stop, UP, " exits carry (s: f64 = 0.0) -> (r)"),
    ):
        assert not verify(before)
        assert rotate_accumulations(before.main) == before.main
    for before in (program(NEAR, "range(3, 12)"), program(NEAR, "range(lo, many)", front="many = add lo 9")):
        assert rotate_accumulations(before.main) != before.main


# --------------------------------------------------------------------------------------------------------- random loops


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Loads at some distances, products and functions of them, and additions and stores of those at some distances."""
    near = st.integers(-3, 3)
    lines, values = [], ["s", "a", "1.5"]
    for n in range(draw(st.integers(1, 8))):
        where = f"i{d:+}" if (d := draw(near)) else "i"
        h = draw(st.sampled_from([where, where, "h"]))
        lines.append(f"v{n} = load! &{draw(st.sampled_from([f'u [{h}]', f'w [{where}]', f'b [0, {where}]', f'b [1, {h}]']))}")
        values.append(f"v{n}")
    for n in range(draw(st.integers(0, 8))):
        x, y = draw(st.sampled_from(values)), draw(st.sampled_from(values))
        lines.append(f"t{n} = {draw(st.sampled_from([f'tanh {x}', f'neg {x}', f'mul {x} {y}', f'add {x} {y}', f'sub {x} 0.5']))}")
        values.append(f"t{n}")
    added = draw(st.sampled_from(["c", "b", "w", "cb"]))
    for _ in range(draw(st.integers(1, 8))):
        where = f"i{d:+}" if (d := draw(near)) else "i"
        array = draw(st.sampled_from(added))
        other = draw(st.sampled_from([where, where, "h", "back", "back1"]))
        cell = f"{draw(st.sampled_from('01'))}, {where}" if array == "b" else other
        op = draw(st.sampled_from(["+="] * 9 + ["="]))
        lines.append(f"&{array}![{cell}] {op} {draw(st.sampled_from(values))}")
    total = draw(st.sampled_from(["s", "s1", values[-1]]))
    return "\n".join(f"    {line}" for line in ("h = add i q", "back = sub 23 i", "back1 = sub back 1", *lines, f"s1 = add s {values[-1]}", f"yield {total}"))


@given(bodies(), st.booleans(), st.integers(5, 16), st.integers(-1, 9), st.integers(-2, 2), st.booleans())
@quick(120)
def test_random_loops_do_the_same(body: str, up: bool, low: int, runs: int, q: int, strange: bool) -> None:
    runs = min(runs, 18 - low)
    before = program(body, UP if up else DOWN, " carry (s: f64 = 0.25) -> (r)", front="a: f64 = cast q")
    ends = (low, low + runs) if up else (low - 1, low + runs - 1)
    arrays = contents()
    if strange:
        arrays[2][[7, 12]], arrays[3][10], arrays[1][11] = (np.nan, -0.0), np.inf, -np.inf
    later, _ = changed(before, rotate_accumulations)
    with np.errstate(all="ignore"):
        first, second = (outcome(p, arrays, *ends, q) for p in (before, later))
    for x, y in zip(first, second, strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-12, atol=1e-10)


# ---------------------------------------------------------------------------------------------------------- the text


def kernel(body: str, carry: str) -> list[str]:
    """The lines of the loop in the generated text."""
    text = emit(program(body, UP, carry), EmitOptions()).source
    return [line.strip() for line in text.partition("range(lo, hi):\n")[2].partition("return")[0].strip().splitlines()]


def test_what_is_handed_on_is_there_before_anything_is_written() -> None:
    """Otherwise there are no vectors. Sums are added where they always were."""
    body = "    x = load! &u [i]\n    t = mul x 3.0\n    z = add p x\n    s1 = add s x\n    &c![i] = z\n    yield t, s1"
    lines = kernel(body, " carry (p: f64 = 0.0, s: f64 = 0.0) -> (r1, r)")
    assert lines == ["x = u[uint64(i)]", "t = x * 3.0", "c[uint64(i)] = p + x", "p = t", "r += x"]


def test_a_value_that_an_iteration_makes_of_the_one_in_its_place_is_a_sum() -> None:
    """However many steps that takes, and where iterations may end the loop."""
    body = "    x = load! &u [i]\n    v = neg s\n    s1 = mul v x\n    &c![i] = x\n    yield s1"
    assert kernel(body, WITH_SUM)[-2:] == ["c[uint64(i)] = x", "r = -r * x"]
    body = "    x = load! &u [i]\n    s1 = add s x\n    &c![i] = x\n    o = lt x 1.0\n    yield o, s1"
    assert kernel(body, " exits carry (s: f64 = 0.0) -> (r)")[2:4] == ["o = x < 1.0", "r += x"]
