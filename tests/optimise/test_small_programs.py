"""Each pass on small texts, before and after."""

import pytest
from linad_typecheck.ir.core import Program
from linad_typecheck.ir.text import parse_program, print_program
from linad_typecheck.ir.verify import verify

from linad.inline import inline
from linad.optimise.phases import SIMPLIFICATION, simplify

PASS = {p.name: p.run for p in SIMPLIFICATION.passes}


def after(name: str, text: str) -> str:
    f = PASS[name](parse_program(text).main)
    assert not verify(Program(f.name, {f.name: f}))
    return " ; ".join(line.strip() for line in print_program(Program(f.name, {f.name: f})).strip().splitlines()[1:-1])


def scalars(body: str) -> str:
    return f"entry fn f(x: f64, k: i64, v: mut f64[:]) -> f64 {{\n{body}\n}}\n"


FOLDED = {
    "int arithmetic": ("a = add 2 3\nb = mul a 4\nc: f64 = cast b\nreturn c", "return 20.0"),
    "int arithmetic wraps": (
        "a = mul 9223372036854775807 2\nc = eq a -2\nr = select c x 0.0\nreturn r",
        "return x",
    ),
    "the same again": ("a = sin x\nb = sin x\nc = add a b\nreturn c", "a = sin x ; c = add a a ; return c"),
    "operands in either order": (
        "a = mul x 3.0\nb = mul 3.0 x\nc = sub a b\nreturn c",
        "a = mul x 3.0 ; c = sub a a ; return c",
    ),
    "a load is known after its store": ("&v![0] = x\ne = load! &v [0]\nreturn e", "&v![0] = x ; return x"),
    "a load is not known after another store": (
        "&v![0] = x\n&v![k] = 1.0\ne = load! &v [0]\nreturn e",
        "&v![0] = x ; &v![k] = 1.0 ; e = load! &v [0] ; return e",
    ),
    "a load is known after a store to another constant cell": (
        "&v![0] = x\n&v![1] = 1.0\n&v![2] += x\ne = load! &v [0]\nreturn e",
        "&v![0] = x ; &v![1] = 1.0 ; &v![2] += x ; return x",
    ),
    "but what was loaded before is loaded again": (
        "a = load! &v [0]\n&v![1] = 1.0\ne = load! &v [0]\nb = add a e\nreturn b",
        "a = load! &v [0] ; &v![1] = 1.0 ; e = load! &v [0] ; b = add a e ; return b",
    ),
    "the length of a range up to a size": (
        "n = dim &v 0\nt = trips 0 n 1\nc: f64 = cast t\nreturn c",
        "n = dim &v 0 ; c: f64 = cast n ; return c",
    ),
    "the size of a new array": (
        "u = alloc f64 [k] fill 0.0\nn = dim &u 0\nc: f64 = cast n\nreturn c",
        "u = alloc f64 [k] fill 0.0 ; c: f64 = cast k ; return c",
    ),
    "a decided arm": (
        "c = lt 1 2\nr = if c {\ns = sin x\nyield s\n} else {\nyield x\n}\nreturn r",
        "s = sin x ; return s",
    ),
    "decided by the arm around": (
        "c = lt k 2\nr = if c {\nq = if c {\nyield x\n} else {\nyield 0.5\n}\n"
        "yield q\n} else {\nyield 1.0\n}\nreturn r",
        "c = lt k 2 ; r = if c { ; yield x ; } else { ; yield 1.0 ; } ; return r",
    ),
    "roots of numbers, which are exact": ("a: f64 = sqrt 2.0\nb = mul a x\nreturn b", "b = mul 1.4142135623730951 x ; return b"),
    "not of what has none": ("a: f64 = sqrt -1.0\nreturn a", "a = sqrt -1.0 ; return a"),
    "int identities": ("a = add k 0\nb = mul a 1\nc = sub b b\nd: f64 = cast c\nreturn d", "return 0.0"),
}


@pytest.mark.parametrize("name", FOLDED)
def test_fold(name):
    body, expected = FOLDED[name]
    assert after("constant_folding", scalars(body)) == expected


KEPT = {
    "x + 0.0 (x may be -0.0)": "a = add x 0.0",
    "x - -0.0 (x may be -0.0)": "a = sub x -0.0",
    "x * 0.0 (x may be inf)": "a = mul x 0.0",
    "x - x (x may be nan)": "a = sub x x",
    "x / x": "a = div x x",
    "0.0 - x (the sign of zero)": "a = sub 0.0 x",
    "x ** 0.5": "a = pow x 0.5",
    "constants (rounding is left to run time)": "a = add 0.1 0.2",
}


@pytest.mark.parametrize("name", KEPT)
def test_identities_that_do_not_hold_for_every_float(name):
    assert after("constant_folding", scalars(f"{KEPT[name]}\nreturn a")) == f"{KEPT[name]} ; return a"


HOLD = ["add x -0.0", "add -0.0 x", "sub x 0.0", "mul x 1.0", "mul 1.0 x", "div x 1.0", "powi x 1"]


@pytest.mark.parametrize("op", HOLD)
def test_identities_that_hold_for_every_float(op):
    assert after("constant_folding", scalars(f"a = {op}\nreturn a")) == "return x"


def test_comparisons_of_a_float_with_itself_stay():
    body = "c = eq x x\nr = select c x 0.0\nreturn r"
    assert after("constant_folding", scalars(body)) == "c = eq x x ; r = select c x 0.0 ; return r"


DEAD = {
    "an unused value": ("a = sin x\nreturn x", "return x"),
    "an array that is only written": ("w = alloc f64 [3] fill 0.0\n&w![0] = x\nreturn x", "return x"),
    "an index check stays": ("e = load &v [k]\nreturn x", "e = load &v [k] ; return x"),
    "an unchecked load goes": ("e = load! &v [k]\nreturn x", "return x"),
    "a check stays": (
        'c = lt k 3\ncheck c else ValueError "m" ()\nreturn x',
        'c = lt k 3 ; check c else ValueError "m" ; return x',
    ),
    "what a caller sees stays": ("&v![0] = x\nreturn x", "&v![0] = x ; return x"),
    "an unused carried value": (
        "for i in range(k) carry (s: f64 = x, t: f64 = x) -> (s.1, t.1) {\n"
        "s.2 = sin s\nt.2 = sin t\nyield s.2, t.2\n}\nreturn s.1",
        "for i in range(k) carry (s: f64 = x) -> (s.1) { ; s.2 = sin s ; yield s.2 ; } ; return s.1",
    ),
    "a loop that may not end stays": (
        "for i in range(...) exits {\nc = lt i k\nyield c\n}\nreturn x",
        "for i in range(...) exits { ; c = lt i k ; yield c ; } ; return x",
    ),
    "arrays that are read only to write each other": (
        "w = alloc f64 [k] fill 0.0\nu = alloc f64 [k] fill 1.0\nfor i in range(k) {\n"
        "a = load! &u [i]\n&w![i] += a\nb = load! &w [i]\n&u![i] = b\n}\nreturn x",
        "return x",
    ),
    "arrays that change names": (
        "w = alloc f64 [k] fill 0.0\nfor i in range(k) carry (a: f64[:] = w) -> (b) {\nc = lt i 3\n"
        "d = if c {\nn = alloc f64 [k] fill 0.0\n&n![0] += x\nyield n\n} else {\nyield a\n}\nyield d\n}\nreturn x",
        "return x",
    ),
    "not if a check needs one": (
        "w = alloc f64 [k] fill 0.0\nu = alloc f64 [k] fill 1.0\n&u![0] = x\na = load! &u [1]\n&w![0] = a\n"
        'b = load! &w [0]\nc = lt b x\ncheck c else ValueError "m" ()\nreturn x',
        "w = alloc f64 [k] fill 0.0 ; u = alloc f64 [k] fill 1.0 ; &u![0] = x ; a = load! &u [1] ; &w![0] = a ; "
        'b = load! &w [0] ; c = lt b x ; check c else ValueError "m" ; return x',
    ),
    "an array of which an index check needs the size": (
        "w = alloc f64 [k] fill 0.0\nu = alloc f64 [k] fill 1.0\na = load! &u [1]\n&w[3] = a\nreturn x",
        "w = alloc f64 [k] fill 0.0 ; &w[3] = 0.0 ; return x",
    ),
    "a loop without effect goes": ("for i in range(k) {\na = sin x\n}\nreturn x", "return x"),
}


@pytest.mark.parametrize("name", DEAD)
def test_dead(name):
    body, expected = DEAD[name]
    got = after("dead_code_elimination", scalars(body))
    assert got == expected


CELLS = {
    "zero and then added": ("&v![k] = 0.0\n&v![k] += x\nreturn x", "&v![k] = x ; return x"),
    "read in between": (
        "&v![k] = 0.0\ne = load! &v [0]\n&v![k] += x\nreturn e",
        "&v![k] = 0.0 ; e = load! &v [0] ; &v![k] += x ; return e",
    ),
    "another cell": ("&v![k] = 0.0\n&v![0] += x\nreturn x", "&v![k] = 0.0 ; &v![0] += x ; return x"),
    "not zero": ("&v![k] = 1.0\n&v![k] += x\nreturn x", "&v![k] = 1.0 ; &v![k] += x ; return x"),
}


@pytest.mark.parametrize("name", CELLS)
def test_cells(name):
    body, expected = CELLS[name]
    assert after("dead_store_elimination", scalars(body).replace("v: mut", "v': mut")) == expected


@pytest.mark.parametrize("name", CELLS)
def test_cells_of_an_array_that_is_called_as_an_adjoint_is(name):
    body = CELLS[name][0].replace("&v", "&v_bar")
    kept = after("dead_store_elimination", scalars(body).replace("v: mut", "v_bar: mut"))
    assert kept == body.replace("\n", " ; ")


def test_cells_of_the_users_arrays_keep_the_sign_of_zero():
    body = "&v![k] = 0.0\n&v![k] += x\nreturn x"  # x may be -0.0
    assert after("dead_store_elimination", scalars(body)) == body.replace("\n", " ; ")


def test_an_induction_becomes_affine():
    body = "for i in range(k) carry (j: i64 = 2) -> (j.2) {\n&v[j] = x\nj.1 = add j 3\nyield j.1\n}\nc: f64 = cast j.2\nreturn c"
    text = after("induction_variables", scalars(body))
    assert "carry" not in text and "mul 3" in text


def test_inlining_leaves_recursive_functions():
    program = parse_program(
        """
fn g(a: f64) -> f64 {
  b = sin a
  return b
}
fn r(a: f64, k: i64) -> f64 {
  c = gt k 0
  o = if c {
    m = sub k 1
    q: f64 = call r(a, m)
    yield q
  } else {
    p: f64 = call g(a)
    yield p
  }
  return o
}
entry fn f(x: f64) -> f64 {
  a: f64 = call g(x)
  b: f64 = call r(a, 3)
  return b
}
"""
    )
    done = inline(program)
    assert set(done.functions) == {"f", "r"}
    assert not verify(done)
    assert "call g" not in print_program(simplify(done))
