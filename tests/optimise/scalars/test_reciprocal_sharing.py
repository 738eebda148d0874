"""Derivatives divide once by what several quotients, or all iterations, are divided by; quotients of the user stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from linad_typecheck.ir.core import Let, Program, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad.interpret import run
from linad.optimise.scalars.reciprocal_sharing import share_reciprocals

HEAD = "entry fn f(b: mut f64[:], a: read f64[:], c: f64, n: i64) -> f64 {\n  for i in range(n) {\n"
LOADS = "    w = load! &b [i]\n    v = load! &a [i]\n    t = add v c\n"
END = "    &b![i] = %s\n  }\n  return c\n}\n"


def shared(body: str, result: str) -> list[str]:
    """The divisions and products behind the pass, `by x` for each; the program computes the same."""
    made = parse_program(HEAD + LOADS + body + END % result)
    before = made.with_main(
        replace(made.main, params=tuple(replace(p, linear=p.var.name == "b") for p in made.main.params))
    )
    after = before.with_main(share_reciprocals(before.main))
    assert not verify(after)
    found = [_cells(p) for p in (before, after)]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-15 * 4)
    lets = (s for s in walk(after.main.body) if isinstance(s, Let) and s.op in ("div", "mul"))
    return [f"{s.op} {s.ins[1]}" for s in lets]


def _cells(program: Program) -> np.ndarray:
    b = np.array([0.5, -2.0, 0.0, 3.0])
    run(program, [b, np.array([1.5, 2.0, -0.3, 7.0]), 0.9, 4], in_place=True)
    return b


@pytest.mark.parametrize(
    "body, result, found",
    [
        ("    x = div w t\n    y = div v t\n    z = mul x y\n", "z", ["div t", "mul r", "mul r", "mul y"]),
        ("    x = div w t\n", "x", ["div t"]),  # nothing else is divided by it, and it changes
        ("    x = div w c\n", "x", ["div c", "mul r"]),  # divided by once, before the loop
        ("    x = div w 4.0\n    y = div x 3.0\n", "y", ["mul 0.25", "mul 0.3333333333333333"]),
        ("    y = div v t\n    x = div w t\n    z = add x y\n", "z", ["div t", "div t"]),  # `y` is a number of the user
        ("    y = div v t\n    e = floor y\n    q = mul w y\n    x = mul q e\n    z = div x t\n",
         "z", ["div t", "mul y", "mul e", "div t"]),
    ],
)  # fmt: skip
def test_divisions(body: str, result: str, found: list[str]) -> None:
    assert shared(body, result) == found


def test_a_function_without_adjoints_stays() -> None:
    made = parse_program(HEAD + LOADS + "    x = div w t\n    y = div v t\n    z = mul x y\n" + END % "z")
    assert share_reciprocals(made.main) is made.main
