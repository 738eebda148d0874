"""Each rule of well-formedness, by a program that breaks it."""

import pytest
from linad_typecheck.ir.core import Block, Const, Function, Loop, Param, Program, Var
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify
from linad_typecheck.types import F64, I64, Array

from .programs import EVERYTHING, LINEAR


def test_well_formed_programs():
    assert verify(parse_program(EVERYTHING)) == []
    assert verify(parse_program(LINEAR), linear=True) == []


def test_a_check_may_raise_a_class_of_a_module():
    assert not verify(parse_program('entry fn f(c: bool) {\n check c else module.Own ""\n}'))


def test_linear_statements_outside_the_linear_form():
    errors = verify(parse_program(LINEAR))
    assert [e for e in errors if "Dup outside" in e] and [e for e in errors if "Read outside" in e]


BROKEN = [
    ("e = load &x [0]\n e = add w w", "e is defined twice"),
    ("if c {\n e = add w w\n }\n g = add e e", "e is not defined here"),
    ("e = add w n", "the operands of add differ"),
    ("e = sin n", "sin does not take n"),
    ("e = div n n", "div does not take n"),
    ("e = add w w w", "add takes 2 operands"),
    ("e = add x x", "x is not a scalar"),
    ("e: f32 = add w w", "result e is f32, not f64"),
    ("e = powi w n", "exponent of powi"),
    ("e = pow n n", "int pow needs a literal exponent"),
    ("e = select n w w", "condition n is i64, not bool"),
    ("e = load &x [0, 0]", "2 indices for x"),
    ("e = load &x [w]", "index w is f64, not i64"),
    ("e: f32 = load &x [0]", "value e is f32, not f64"),
    ("&m[0] = n", "value n is i64, not f64"),
    ("&w[0] = 1.0", "w is not an array"),
    ("e = dim &x 1", "has no axis 1"),
    ("e: f64[:,:] = alloc f64 [n] fill 0.0", "1 sizes for"),
    ("e = alloc f64 [w]", "size w is f64"),
    ("e = alloc f64 [n] fill 0", "value 0 is i64"),
    ("&m += &k", "summand k is i64"),
    ("e = if w {\n yield w\n } else {\n yield w\n }", "condition w is f64"),
    ("e = if c {\n yield w\n }", "0 results of the second arm for 1"),
    ("e = if c {\n yield w\n } else {\n yield n\n }", "n is i64, e is f64"),
    ("for i in range(w) {\n }", "range w is f64"),
    ("for i in range(...) {\n }", "without stop needs exits"),
    ("for i in range(n) trips t {\n }", "trips without exits"),
    ("for i in range(n) exits {\n }", "says whether to go on"),
    ("for i in range(n) exits {\n yield n\n }", "first result of a loop with exits n is i64"),
    ("for i in range(n) carry (s: f64 = w) -> (o) {\n }", "0 results of the body for 1"),
    ("for i in range(n) carry (s: f64 = w) -> (o) {\n yield i\n }", "i is i64, s is f64"),
    ("for i in range(n) carry (s: f64 = w) {\n yield s\n }", "0 results of the loop for 1"),
    ("for i in range(0, n, 0) {\n }", "step 0"),
    ("call h(x)", "there is no function h"),
    ("call g(m, m)", "2 arguments for 1"),
    ("call g(w)", "w is f64, a is f64"),
    ("e: f64 = call g(m)", "1 results for 0"),
    ('check n else ValueError ""', "condition n is i64"),
    ('check c else Oops ""', "Oops is not a builtin exception"),
    ('check c else ValueError "{}"', "cannot be formatted"),
    ("&x[0] = 1.0", "x is lent as `read`, used as `mut`"),
    ("&x[0] += 1.0", "x is lent as `read`, used as `acc`"),
    ("call g(x)", "x is lent as `read`, used as `mut`"),
    ("e = load &b [0]", "b is lent as `acc`, used as `read`"),
    ("&b[0] = 1.0", "b is lent as `acc`, used as `mut`"),
    ("call g(b)", "b is lent as `acc`, used as `mut`"),
    ("for i in range(n) carry (v: f64[:] = x) -> (v.1) {\n &v[0] = 1.0\n yield v\n }", "v is lent as `read`"),
    ("for i in range(n) carry (v: f64[:] = m) -> (v.1) {\n yield x\n }\n &v.1[0] = 1.0", "v.1 is lent as `read`"),
    ("u = if c {\n yield x\n } else {\n yield m\n }\n &u[0] = 1.0", "u is lent as `read`"),
]


@pytest.mark.parametrize(("body", "message"), BROKEN, ids=[m for _, m in BROKEN])
def test_broken(body, message):
    head = "entry fn f(x: read f64[:], m: mut f64[:], b: acc f64[:], k: read i64[:], w: f64, n: i64, c: bool) -> ()"
    program = parse_program(f"{head} {{\n{body}\n}}\nfn g(a: mut f64[:]) -> () {{\n &a[0] = 1.0\n}}")
    errors = verify(program)
    assert any(message in e for e in errors), errors


def test_entry_must_exist_and_scalars_are_owned():
    w = Var("w", F64)
    f = Function("f", (Param(w, "read"),), Block((), (w,)))
    assert any("no entry" in e for e in verify(Program("g", {"f": f})))
    assert any("scalar w has mode read" in e for e in verify(Program("f", {"f": f})))
    assert any("listed as h" in e for e in verify(Program("h", {"h": f})))


def test_a_use_with_another_type_than_the_definition():
    x, k = Var("x", Array("f64", 1)), Var("i", I64)
    loop = Loop(k, Const(0, I64), Var("x", I64), Const(1, I64), (), (), Block(), ())
    program = Program("f", {"f": Function("f", (Param(x, "read"),), Block((loop,), ()))})
    assert any("x is f64[:], used as i64" in e for e in verify(program))
