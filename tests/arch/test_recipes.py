"""The recipes of ARCHITECTURE.md, followed: what they name is enough for a new pass and for a new scalar function."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from linad_typecheck.ir.core import Block, Const, Function, Let
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify
from linad_typecheck.ops import OPS, Op

from linad.codegen import EmitOptions, emit, passes
from linad.derivatives.table import RULES
from linad.interpret import run, scalars
from linad.optimise.pass_manager import Pass, Phase, remark
from linad.pipeline import differentiate, prepare

TEXT = (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text(encoding="utf-8")
PROGRAM = """
entry fn f(x: f64) -> f64 {
  a = mul x 2.0
  b = sin a
  return b
}
"""


def double_by_adding(f: Function):
    """A new pass: a function from function to function, with its remarks."""
    told = []

    def block(b: Block) -> Block:
        return replace(b, stmts=tuple(changed(rebuild(s, lambda a: a, block=block)) for s in b.stmts))

    def changed(s):
        match s:
            case Let(op="mul", ins=(a, Const(value=2.0))):
                told.append(remark(s.span, "scalar", "doubled by an addition"))
                return replace(s, op="add", ins=(a, a))
        return s

    return replace(f, body=block(f.body)), tuple(told)


def test_a_new_pass(monkeypatch) -> None:
    recipe = TEXT.partition("- a new optimisation")[2]
    assert "`linad/optimise/phases.py`" in recipe and "`linad/codegen/passes.py`" in recipe
    doubling = Pass("doubling", double_by_adding, needs=("fastmath",))
    monkeypatch.setattr(passes, "LOOPS", Phase((*passes.LOOPS.passes, doubling)))
    program = parse_program(PROGRAM)

    def prepared(**options):
        return passes.prepare(program, EmitOptions(**options))

    made, remarks = prepared()
    assert [s.op for s in made.main.body.stmts] == ["add", "sin"] and [r.kind for r in remarks] == ["scalar"]
    assert run(made, [0.3]).results == run(program, [0.3]).results
    for options in ({"off": ("doubling",)}, {"fastmath": False}):
        assert prepared(**options) == (program, ())


def test_a_new_scalar_function(monkeypatch) -> None:
    recipe = TEXT.partition("- a new scalar function")[2].partition("\n- ")[0]
    for place in ("ops.py", "linad/derivatives/table.py", "linad/interpret/scalars.py"):
        assert place in recipe
    known, slope, computed = OPS["sin"], RULES["sin"], scalars.RULES["sin"]
    new = Op("ramp", 1, "unary", diff=(0,), expensive=True, math="ramp", code="math")
    monkeypatch.setitem(OPS, "ramp", new)
    monkeypatch.setitem(RULES, "ramp", slope)
    monkeypatch.setitem(scalars.RULES, "ramp", computed)
    assert known.arity == new.arity
    program = parse_program(PROGRAM.replace("sin", "ramp"))
    assert not verify(program)
    derivative = differentiate(prepare(program), ("x",)).simplified
    value, slope_at = run(derivative, [0.3, 1.0]).results
    assert (value, slope_at) == pytest.approx((math.sin(0.6), 2 * math.cos(0.6)))
    assert "math.ramp(" in emit(program, EmitOptions()).source
