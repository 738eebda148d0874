"""Derivatives divide once by what several quotients, or all iterations, are divided by; quotients of the user stay."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from linad_typecheck.ir.core import Let, Program, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad import linear_grad
from linad.codegen import EmitOptions, emit
from linad.interpret import run
from linad.optimise.scalars.reciprocal_sharing import share_reciprocals
from linad.pipeline import differentiate
from tests.cost.programs import core_of

HEAD = "entry fn f(b: mut f64[:], a: read f64[:], c: f64, n: i64) -> f64 {\n  for i in range(n) {\n"
LOADS = "    w = load! &b [i]\n    v = load! &a [i]\n    t = add v c\n"
END = "    &b![i] = %s\n  }\n  return c\n}\n"


def shared(body: str, result: str) -> list[str]:
    """The divisions and products after the pass, each with its second operand. Checks that the results are the same."""
    made = parse_program(HEAD + LOADS + body + END % result)
    before = made.with_main(
        replace(made.main, params=tuple(replace(p, linear=p.var.name == "b") for p in made.main.params))
    )
    after = before.with_main(share_reciprocals(before.main))
    assert not verify(after)
    found = [_cells(p) for p in (before, after)]
    np.testing.assert_allclose(found[1], found[0], rtol=4e-15)
    lets = (s for s in walk(after.main.body) if isinstance(s, Let) and s.op in ("div", "mul"))
    return [f"{s.op} {str(s.ins[1]).partition('.1')[0]}" for s in lets]


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
        ("    x = div w 1e-310\n    y = div x 0.0\n", "y", ["div 1e-310", "div 0.0"]),  # without a reciprocal
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


def ratios(x, t):
    s = 0.0
    for i in range(len(x)):
        s += x[i] / t[i] + math.sin(x[i]) / t[0]
    return s


@pytest.mark.one_in(3)
@pytest.mark.parametrize("t", [0.5, 1e-310, -5e-324, 0.0, -1e308, np.inf, np.nan])
def test_what_has_no_reciprocal_is_divided_by(t: float) -> None:
    args = np.array([1e-308, 2.0, 0.0, 1e-320]), np.array([t, 1.0, t, 2.0])
    found, exact = (linear_grad(ratios, fastmath=fast) for fast in (True, False))
    with np.errstate(all="ignore"):
        for of in (lambda f: f.grad(*args), lambda f: f.hvp(args, args), lambda f: f.vjp(*args)[1](1.0)):
            for one, other in zip(of(found), of(exact), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-14)


def test_the_answer_to_a_nan_is_generated_without_it() -> None:
    derivative = differentiate(core_of(ratios, np.ones(3), np.ones(3))[0], ("x", "t"), False).simplified
    usual, again = (emit(derivative, EmitOptions(exact=exact)).source for exact in (False, True))
    assert "math.nan" in usual and "math.nan" not in again
