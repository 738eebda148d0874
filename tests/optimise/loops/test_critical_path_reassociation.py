"""What an iteration waits for is added last, and the sums stay the same sums."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Let, Loop, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.loops.critical_path_reassociation import reassociate_sums

HEAD = "entry fn f(u: mut f64[:], a: f64[:], n: i64) -> f64 {\n"
SWEEP = "  for i in range(1, n) {\n    k = sub i 1\n    w = load! &u [k]\n    v = load! &u [i]\n    z = load! &a [i]\n"
STORE = "    &u![i] = %s\n  }\n  return 0.0\n}\n"


def ordered(text: str) -> list[Let]:
    """The statements of the loop behind the pass; before and after it does the same."""
    before = parse_program(HEAD + text)
    after = before.with_main(reassociate_sums(before.main))
    assert not verify(after)
    results = []
    for p in (before, after):
        rng = np.random.default_rng(3)
        arrays = [rng.random(7), rng.random(7)]
        results.append((*run(p, [*arrays, 7], in_place=True).results, *arrays))
    for x, y in zip(*results, strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-12, atol=1e-13)
    (loop,) = (s for s in walk(after.main.body) if isinstance(s, Loop))
    return [s for s in loop.body.stmts if isinstance(s, Let)]


def test_a_cell_that_was_just_written_is_added_last() -> None:
    *_, double, early, total = ordered(SWEEP + "    d = mul 2.0 v\n    e = sub w d\n    t = add e z\n" + STORE % "t")
    assert [early.op, *(a.name for a in early.ins)] == ["sub", "z", double.out.name]
    assert [total.op, *(a.name for a in total.ins)] == ["add", early.out.name, "w"]


@pytest.mark.parametrize(
    "text",
    [
        SWEEP + "    e = add v z\n    t = add e w\n" + STORE % "t",  # is last
        SWEEP + "    e = add w v\n    t = add e z\n    o = mul e t\n" + STORE % "o",  # another one looks at the sum before
        SWEEP + "    x = exp w\n    e = add x v\n    t = add e z\n" + STORE % "t",  # not noticed
        SWEEP.replace("sub i 1", "sub i 0") + "    e = add w v\n    t = add e z\n" + STORE % "t",  # its own cell
        SWEEP.replace("&u [k]", "&a [k]") + "    e = add w v\n    t = add e z\n" + STORE % "t",  # nobody writes there
        SWEEP + "    e = add w 1e16\n    t = sub e 1e16\n" + STORE % "t",  # rounds
        SWEEP + "    e = add w z\n    d = sub e w\n    c = sub d z\n    t = mul c e\n" + STORE % "t",  # what rounding has lost
        "  for i in range(n) carry (s: f64 = 0.0) -> (r) {\n    x = load! &a [i]\n    e = add s x\n    t = add e 1.0\n    yield t\n  }\n  return r\n}\n",
    ],
)
def test_what_gains_nothing_stays_as_it_is(text: str) -> None:
    before = parse_program(HEAD + text)
    assert reassociate_sums(before.main) == before.main


def test_random_sums_stay_the_same_sums() -> None:
    rng = np.random.default_rng(8)
    changed = 0
    for _ in range(150):
        lines, known = [], ["w", "v", "z", "s", "h"]
        for k in range(rng.integers(2, 8)):
            x, y = rng.permutation([known[-1], rng.choice(known)])
            lines.append(f"    t{k} = {rng.choice(['add', 'sub', 'sub', 'mul'])} {x} {y}\n")
            known.append(f"t{k}")
        shrink = f"    o = mul 0.1 {known[-1]}\n    c = mul 0.1 {rng.choice(known)}\n    &u![i] = o\n    yield c\n  }}\n  return r\n}}\n"
        loop = SWEEP.replace("  for i in range(1, n) {", "  for i in range(1, n) carry (s: f64 = 0.5) -> (r) {")
        text = loop + "    h = mul 0.5 s\n" + "".join(lines) + shrink
        main = parse_program(HEAD + text).main
        changed += reassociate_sums(main) != main
        ordered(text)
    assert changed > 15
