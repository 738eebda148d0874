"""Ints that loops add to: closed forms against the interpreter, and what they save."""

import textwrap

import numpy as np
import pytest
from linad_typecheck.ir.core import Loop, Program, free_vars, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify
from linad_typecheck.types import I64

from linad.cost import cost_of
from linad.interpret import run
from linad.optimise.loops.induction_variables import close_inductions

from ...examples_of import seeds
from ...prelude import HEADER
from ...properties.roads import Whole
from ...kit import load

LARGE = 2**62 + 12345


def both(text: str, *args: int) -> tuple[int, Program]:
    """The result of a text before and after, which is the same, and the program after."""
    program = parse_program(text)
    once = program.with_main(close_inductions(program.main))
    closed = once.with_main(close_inductions(once.main))  # the next round of the phase
    assert not verify(closed)
    results = [int(run(p, args).results[0]) for p in (program, once, closed)]
    assert len(set(results)) == 1, results
    return results[0], closed


def counters(program: Program) -> int:
    """How many ints loops carry."""
    return sum(c.type == I64 for s in walk(program.main.body) if isinstance(s, Loop) for c in s.carried)


def text(body: str, start: str = "a", stop: str = "b", step: int = 1) -> str:
    return f"""
entry fn f(a: i64, b: i64, n: i64, c0: i64) -> i64 {{
  for i in range({start}, {stop}, {step}) carry (c: i64 = c0, s: i64 = 0) -> (c.9, s.9) {{
{textwrap.indent(textwrap.dedent(body).strip(), "    ")}
    s.1 = mul s 31
    s.2 = bitxor s.1 c
    yield c.1, s.2
  }}
  r = bitxor c.9 s.9
  return r
}}
"""


STEPS = {
    "a number": "c.1 = add c 3",
    "the same int": "c.1 = add n c",
    "minus it": "c.1 = sub c n",
    "the index": "c.1 = add c i",
    "n - i": "k = sub n i\nc.1 = add c k",
    "in two steps": "k = mul i 5\nk.1 = sub c k\nc.1 = add k.1 n",
    "twice the index and a sum": "k = mul 2 i\nk.1 = add k n\nk.2 = add k.1 7\nc.1 = sub c k.2",
}
RANGES = [(0, 9, 1), (3, 11, 1), (9, 0, -1), (-4, 5, 1), (5, -6, -1), (4, 4, 1), (7, 2, 1), (2, 7, -1)]


@pytest.mark.parametrize("step", STEPS)
def test_closed(step) -> None:
    for a, b, by in RANGES:
        for n, c0 in ((5, 2), (-3, 0), (LARGE, LARGE), (-LARGE, 2**63 - 1)):
            _, closed = both(text(STEPS[step], step=by), a, b, n, c0)
            assert counters(closed) == 1  # s


KEPT = {
    "its double": "c.1 = mul c 2",
    "what it was makes the step": "k = bitand c 3\nc.1 = add c k",
    "the square of the index": "k = mul i i\nc.1 = add c k",
}


@pytest.mark.parametrize("step", KEPT)
def test_kept(step) -> None:
    _, closed = both(text(KEPT[step]), 0, 9, 5, 2)
    assert counters(closed) == 2


@pytest.mark.parametrize(("low", "high"), [("k", "n"), ("0", "i"), ("k", "m"), ("i", "n")])
def test_triangles(low, high) -> None:
    program = f"""
entry fn f(n: i64, m: i64) -> i64 {{
  for i in range(n) carry (c: i64 = 7, s: i64 = 0) -> (c.9, s.9) {{
    k = add i 1
    for j in range({low}, {high}) carry (c.1: i64 = c, s.1: i64 = s) -> (c.2, s.2) {{
      s.3 = mul s.1 31
      s.4 = bitxor s.3 c.1
      c.3 = add c.1 1
      yield c.3, s.4
    }}
    yield c.2, s.2
  }}
  r = bitxor c.9 s.9
  return r
}}
"""
    for n in (0, 1, 2, 7):
        for m in (0, 3, 9):
            _, closed = both(program, n, m)
    # that the inner loop is run a number of times that is a difference is known but for range(i + 1, m)
    assert counters(closed) == (3 if high == "m" else 2)


def test_sums_of_indices_wrap() -> None:
    many, _ = both(text("c.1 = add c i", start="a", stop="b"), 2**63 - 9, 2**63 - 1, 0, 0)
    assert many  # of indices that overflow when added
    closed = close_inductions(parse_program(text("c.1 = add c i").replace("bitxor s.1 c", "bitxor 0 c")).main)
    assert "bitor" in {getattr(s, "op", "") for s in walk(closed.body)}


PACKED = """
def f(L: Float64[np.ndarray, "k"], x: Float64[np.ndarray, "n"]) -> float:
    n = len(x)
    total = 0.0
    for t in range(3):
        c = 0
        for i in range(n):
            s = x[i] * t
            for j in range({inner}):
                s += math.sin(L[c]) * x[j]
                c += 1
            total += s * s
    return total
"""


@pytest.mark.parametrize("inner", ["i", "i + 1, n", "n"])
def test_packed_triangles_log_no_counters(inner) -> None:
    rng = np.random.default_rng(0)
    whole = Whole(load(f"{HEADER}\n\n{PACKED.format(inner=inner)}"), (rng.normal(size=36), rng.normal(size=6)))
    whole.primal()
    whole.gradients(thorough=False)
    assert counters(whole.prepared) == 0
    closed, carried = (cost_of(whole.lowered, whole.values, off=off).log_words for off in ((), ("induction_variables",)))
    assert closed < carried


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(20))
def test_random_steps(seed) -> None:
    rng = np.random.default_rng(seed)
    made, lines = ["i", "n", "3", "-2"], []
    for k in range(int(rng.integers(1, 5))):
        op, x, y = rng.choice(["add", "sub", "mul"]), rng.choice(made), rng.choice(made)
        lines.append(f"t{k} = {op} {x} {y}")
        made.append(f"t{k}")
    lines.append(f"c.1 = {rng.choice(['add', 'sub'])} c {rng.choice(made)}")
    start, stop = (int(v) for v in rng.integers(-6, 7, 2))
    for n, c0 in rng.integers(-(2**63), 2**63 - 1, (3, 2)):
        both(text("\n".join(lines), step=int(rng.choice([1, -1]))), start, stop, int(n), int(c0))


def left(arms: str, flag: str = "b") -> str:
    return f"""
entry fn f(a: i64, b: i64, n: i64, c0: i64) -> i64 {{
  for i in range(...) exits carry (c: i64 = c0, s: i64 = 0) -> (c.9, s.9) {{
    u = add c s
    b1 = lt i n
{textwrap.indent(textwrap.dedent(arms).strip(), "    ")}
    s.2 = bitxor u s.1
    yield {flag}, c.1, s.2
  }}
  r = bitxor c.9 s.9
  return r
}}
"""


GOES_ON = {
    "by its test": (
        "(c.1, s.1) = if b1 {\n  c.2 = add c a\n  yield c.2, s\n} else {\n  yield c, 5\n}",
        "b1",
        True,
    ),
    "by a result": (
        "(c.1, s.1, go) = if b1 {\n  c.2 = add c i\n  yield c.2, s, True\n} else {\n  yield 7, 5, False\n}",
        "go",
        True,
    ),
    "in the other arm": (
        "b2 = not b1\n(c.1, s.1, go) = if b2 {\n  yield 7, 5, False\n} else {\n  c.2 = sub c a\n  yield c.2, s, True\n}",
        "go",
        True,
    ),
    "in an arm of an arm": (
        """
        (c.1, s.1, go) = if b1 {
          b3 = lt s b
          (c.3, go.3) = if b3 {
            c.2 = add c 2
            yield c.2, True
          } else {
            yield 4, False
          }
          yield c.3, s, go.3
        } else {
          yield c, 5, False
        }""",
        "go",
        True,
    ),
    "in either arm": (
        "b4 = lt s 9\n(c.1, s.1) = if b4 {\n  c.2 = add c a\n  yield c.2, s\n} else {\n  yield c, 5\n}",
        "b1",
        False,
    ),
}


@pytest.mark.parametrize("how", GOES_ON)
def test_loops_that_are_left(how: str) -> None:
    """What their iterations begin with is known, what they come to is carried still."""
    arms, flag, closed = GOES_ON[how]
    for args in ((3, 5, 6, 1), (-2, 9, 1, LARGE), (1, 100, 0, -4), (LARGE, 2**40, 9, 7)):
        _, after = both(left(arms, flag), *args)
    (loop,) = (s for s in walk(after.main.body) if isinstance(s, Loop))
    assert ("c" not in free_vars(loop.body)) == closed
