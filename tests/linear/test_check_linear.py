"""Programs that are not linear, each refused for its own reason, and one that is."""

import pytest
from linad_typecheck.ir.text import parse_program
from linad_typecheck.linear.check_linear import NotLinear, check_linear
from linad_typecheck.linear.erase import erase
from linad_typecheck.linear.linearise import linearise

GOOD = """
entry fn f(x: read f64[:], y: acc f64[:], z: mut f64[:], w: f64) -> f64 {
  (w.1, w.2) = dup w
  e = load &x [0]
  e.1 = mul e w.1
  &y[0] += e.1
  &z[0] = w.2
  v = copy &x
  for i in range(3) carry (u: f64[:] = v) -> (u.1) {
    yield u
  }
  drop u.1
  return 1.0
}
"""


def test_a_linear_program():
    check_linear(parse_program(GOOD))


def body(text: str, params: str = "x: read f64[:], w: f64", result: str = "-> f64", helper: str = "") -> str:
    return f"entry fn f({params}) {result} {{\n{text}\n}}\n{helper}"


WRONG = {
    "a scalar used twice": (body("a = mul w w\nreturn a"), "w is used again"),
    "a scalar left over": (body("a = sin w\nreturn 1.0"), "neither used nor dropped"),
    "a parameter left over": (body("return 1.0"), "neither used nor dropped"),
    "an array left over": (body("v = copy &x\nreturn w"), r"\['v'\] neither used nor dropped"),
    "a read after a move": (
        body("v = copy &x\ndrop v\ne = load &v [0]\ndrop w\nreturn e"),
        "v is borrowed after it was moved or dropped",
    ),
    "an update after a move": (
        body("v = copy &x\ndrop v\n&v[0] = w\nreturn 1.0"),
        "v is updateed after it was moved or dropped",
    ),
    "dropped twice": (body("v = copy &x\ndrop v\ndrop v\nreturn w"), "v is used again"),
    "a lent array moved": (body("drop x\nreturn w"), "x is used again, or is only lent"),
    "a lent array returned": (body("drop w\nreturn x", result="-> f64[:]"), "only lent"),
    "a read parameter written": (body("&x[0] = w\nreturn 1.0"), "mode read is update"),
    "a read parameter added to": (body("&x[0] += w\nreturn 1.0"), "mode read is accumulate"),
    "an acc parameter read": (body("drop w\ne = load &x [0]\nreturn e", "x: acc f64[:], w: f64"), "mode acc is borrow"),
    "an acc parameter written": (body("&x[0] = w\nreturn 1.0", "x: acc f64[:], w: f64"), "mode acc is update"),
    "arms that leave different states": (
        body("v = copy &x\nif True {\ndrop v\n} else {\n}\nreturn w"),
        "the arms leave .* in different states",
    ),
    "an arm that leaves its own value": (
        body("if True {\na = sin 1.0\n} else {\na.1 = sin 1.0\n}\nreturn w"),
        "different states|neither used nor dropped in an arm",
    ),
    "moved in a loop": (
        body("v = copy &x\nfor i in range(3) {\ndrop v\n}\nreturn w"),
        "v is used again, or is only lent",
    ),
    "a scalar consumed in a loop": (
        body("for i in range(3) {\na = sin w\ndrop a\n}\nreturn w"),
        "w is used again, or is only lent",
    ),
    "lent twice, once to be updated": (
        body(
            "call g(v, v)\ndrop v\nreturn w".replace("call", "v = copy &x\ncall", 1),
            helper="fn g(a: read f64[:], b: mut f64[:]) {\n}\n",
        ),
        "v is lent twice, once to be updated",
    ),
    "lent and moved": (
        body("v = copy &x\ncall g(v, v)\nreturn w", helper="fn g(a: read f64[:], b: own f64[:]) {\ndrop b\n}\n"),
        "v is lent and moved at once",
    ),
    "added to itself": (body("v = copy &x\n&v += &v\ndrop v\nreturn w"), "v is lent twice, once to be updated"),
    "a read of an array": (body("v = read &x\ndrop v\nreturn w"), "read of the array x"),
    "returned twice": (body("v = copy &x\ndrop w\nreturn v, v", result="-> f64[:], f64[:]"), "v is used again"),
    "carried twice": (
        body(
            "v = copy &x\nfor i in range(2) carry (a: f64[:] = v, b: f64[:] = v) -> (c, d) {\nyield a, b\n}\ndrop c\ndrop d\nreturn w"
        ),
        "v is used again",
    ),
    "carried and forgotten": (
        body(
            "v = copy &x\nfor i in range(2) carry (a: f64[:] = v) -> (c) {\nb = copy &x\nyield b\n}\ndrop c\nreturn w"
        ),
        r"\['a'\] neither used nor dropped",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name):
    text, reason = WRONG[name]
    with pytest.raises(NotLinear, match=reason):
        check_linear(parse_program(text))


REUSE = """
entry fn f(x: read f64[:], w: f64, unused: f64, o: own f64[:]) -> f64 {
  a = mul w w
  v = copy &x
  b = gt a 0.5
  u = if b {
    e = load &v [0]
    &v[0] = a
    &v[1] = a
    yield v
  } else {
    yield o
  }
  for i in range(3) carry (s: f64 = a) -> (s.2) {
    s.1 = mul s w
    t = mul s s
    yield s.1
  }
  q = load &u [0]
  r = mul q s.2
  return r
}
"""


def test_linearise_makes_it_linear():
    program = parse_program(REUSE)
    with pytest.raises(NotLinear):
        check_linear(program)
    linear = linearise(program)
    check_linear(linear)
    assert erase(linear) == program


def test_linearise_does_not_hide_what_is_wrong():
    text = WRONG["returned twice"][0].replace("drop w\n", "")
    with pytest.raises(NotLinear, match="v is used again"):
        check_linear(linearise(parse_program(text)))
