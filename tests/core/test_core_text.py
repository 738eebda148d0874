"""The text of the core is read back as the same program."""

import math

import pytest
from linad_typecheck.ir.core import Block, Const, Function, Let, Load, Param, Program, Result, Rule, Size, Var, walk
from linad_typecheck.ir.text import CoreSyntaxError, parse_program, print_program
from linad_typecheck.types import F32, F64, I32, I64, Array

from .programs import EVERYTHING, LINEAR


@pytest.mark.parametrize("text", [EVERYTHING, LINEAR])
def test_printing_inverts_parsing(text):
    program = parse_program(text)
    assert print_program(program) == text
    assert parse_program(print_program(program)) == program


def test_every_statement_is_in_the_sample():
    from linad_typecheck.ir import core
    from linad_typecheck.ir import printing as core_print

    seen = {type(s) for text in (EVERYTHING, LINEAR) for f in parse_program(text).functions.values() for s in walk(f.body)}
    assert seen >= set(core_print._LINES) | {core.If, core.Loop}


RULES = [
    Rule("vjp", "f_forward", (0, 2), (), "f_backward", (0, Result(1), Size(2, 0))),
    Rule("vjp", "f_forward", (0,), (1,), "f_backward"),
    Rule("jvp", "f_tangent", (1,)),
    Rule("jvp", "f_tangent", ()),
    Rule("vjp", "f_forward", (0,), (), "f_backward", (0,), Rule("jvp", "f_tangent", (0,))),
]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_is_printed(rule):
    x = Var("x", F64)
    program = Program("f", {"f": Function("f", (Param(x, "own"),), Block((), (x,)), rule=rule)})
    assert f"rule {rule.kind} {rule.forward}" in print_program(program)
    assert parse_program(print_program(program)) == program


def test_a_rule_that_is_none():
    with pytest.raises(CoreSyntaxError, match="line 1: a rule is a vjp or a jvp"):
        parse_program("entry fn f(x: f64) -> f64 rule grad g by 0 {\n    return x\n}\n")


CONSTANTS = [
    Const(0.0, F64),
    Const(-0.0, F64),
    Const(math.inf, F64),
    Const(-math.inf, F64),
    Const(math.nan, F64),
    Const(math.inf, F32),
    Const(0.1, F64),
    Const(1e300, F64),
    Const(5e-324, F64),
    Const(2, F64),
    Const(2.0, F32),
    Const(-7, I64),
    Const(7, I32),
]


@pytest.mark.parametrize("c", CONSTANTS, ids=str)
def test_constants_round_trip_exactly(c):
    y = Var("y", c.type)
    program = Program("f", {"f": Function("f", (), Block((Let(y, "neg", (c,)),), (y, c)))})
    assert parse_program(print_program(program)) == program


def test_a_type_that_the_statement_does_not_have_is_printed():
    """Printing a malformed program shows what is wrong with it."""
    x = Var("x", Array("f64", 1))
    e = Var("e", F32)
    program = Program("f", {"f": Function("f", (Param(x, "read"),), Block((Load(e, x, (Const(0, I64),)),), (e,)))})
    assert "e: f32 = load &x [0]" in print_program(program)
    assert parse_program(print_program(program)) == program


def test_names_that_are_words_of_the_notation():
    text = """\
entry fn load(drop: f64, inf: f64) -> f64 {
  check = add drop inf
  call = mul check +inf
  return call
}
"""
    assert print_program(parse_program(text)) == text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y = add x nope", "nope is not defined"),
        ("y = frobnicate x x", "unknown operation"),
        ("y = cast x", "the type of y is missing"),
        ("y = add x ?", "cannot read"),
        ("&x[0 = 1.0", "expected"),
        ("drop x x", "unexpected 'x'"),
    ],
)
def test_mistakes_are_reported_with_their_line(line, message):
    with pytest.raises(CoreSyntaxError, match=f"line 2: .*{message}"):
        parse_program(f"fn f(x: f64) -> () {{\n  {line}\n}}")
