"""Every operation and every statement, on every element type that it takes and with literals, takes the short way to machine
code, and gives what the reference interpreter gives; operations on variables alone are in `test_operations`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from linad_typecheck.ir.core import Atom, Block, Const, Dim, Function, Let, Load, Loop, Names, Param, Program, Stmt, Store, Var
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import dtypes_of, verify
from linad_typecheck.ops import FAMILIES, LITERAL_SECOND, OPS
from linad_typecheck.types import BOOL, F32, F64, I32, I64, Array, Scalar

from linad.codegen import EmitOptions, emit
from linad.codegen.llvm import pipeline
from linad.interpret import run
from tests.codegen.roads import NUMPY, call, machine

TYPES = (F64, F32, I64, I32, BOOL)
LITERAL = {F64: 1.5, F32: 0.75, I64: 3, I32: 2, BOOL: True}
ARGUMENTS = {
    F64: ([0.4, -1.5, 0.0, 2.5, 7.25], [0.3, 0.75, 2.0, -1.25, 1.0]),
    F32: ([0.5, -1.5, 0.0, 2.5, 7.25], [0.25, 0.75, 2.0, -1.25, 1.0]),
    I64: ([5, 3, 12, 2**40, 7], [2, 3, 5, 4, 63]),
    I32: ([5, -3, 12, 2**30, 0], [2, 3, -5, 4, 31]),
    BOOL: ([False, False, True, True, True], [False, True, False, True, True]),
}


def operands(op: str, t: Scalar, a: Var, b: Var, flag: Var) -> Iterator[tuple[Atom, ...]]:
    """What an operation is applied to: literals in each place, and variables where `test_operations` has not got them."""
    literal = Const(LITERAL[t], t)
    match op:
        case "select":
            yield from ((flag, a, b), (flag, a, literal), (flag, literal, b))
        case "trips":
            yield from ((a, b, Const(2, I64)), (b, a, Const(-3, I64)), (a, b, b), (literal, a, literal))
        case "pow" if t in (I64, I32):
            yield from ((a, Const(k, t)) for k in (0, 2, 5))
        case _ if op in LITERAL_SECOND:
            orders = (0, 1, 2) if op in FAMILIES else (-2, 0, 3)
            yield from ((a, Const(k, I64)) for k in orders)
        case "ldexp":  # whose exponent is a whole float
            yield from ((a, Const(float(k), t)) for k in (-2, 3))
        case "cast" | "isqrt":
            yield (a,)
        case "pow":
            yield from ((a, b), (a, literal), (literal, b))
        case "comb" | "perm" | "gcd":
            yield from ((Const(9, I64), b), (b, Const(2, I64)), (b, b))
        case _ if OPS[op].arity == 2:
            yield from ((a, literal), (literal, b))


def every_operation(t: Scalar) -> tuple[Program, list[tuple[str, Scalar]]]:
    """A loop over all operations on a type; results of a type are the rows of one array."""
    names = Names()
    x, y = (names.var(n, Array(t.dtype, 1)) for n in "xy")
    outs = {r: names.var(f"out_{r}", Array(r.dtype, 2)) for r in TYPES}
    i, n, flag, a, b = (names.var(h, s) for h, s in (("i", I64), ("n", I64), ("flag", BOOL), ("a", t), ("b", t)))
    body: list[Stmt] = [Load(a, x, (i,)), Load(b, y, (i,)), Let(flag, "ne", (a, b))]
    rows: list[tuple[str, Scalar]] = []
    for op in (o for o in OPS if t.dtype in dtypes_of(o)):
        results = TYPES if op == "cast" else ({"bool": BOOL, "int": I64}.get(OPS[op].result, t),)
        for ins in operands(op, t, a, b, flag):
            for r in results:
                out = names.var("r", r)
                row = sum(s == r for _, s in rows)
                body += [Let(out, op, ins), Store(outs[r], (Const(row, I64), i), out)]
                rows.append((f"{op}({', '.join(map(str, ins))})", r))
    loop = Loop(i, Const(0, I64), n, Const(1, I64), (), (), Block(tuple(body)), ())
    params = (Param(x, "read"), Param(y, "read"), *(Param(v, "mut") for v in outs.values()))
    f = Function("f", params, Block((Dim(n, x, 0), loop)))
    return Program("f", {"f": f}), rows


def close(got: object, expected: object, t: Scalar) -> bool:
    if t not in (F64, F32):
        return got == expected
    return bool(np.isclose(got, expected, rtol=1e-5 if t == F32 else 1e-11, atol=1e-15, equal_nan=True))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("t", TYPES, ids=str)
def test_every_operation(t, tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline, "USUAL", [])
    program, rows = every_operation(t)
    assert not verify(program)
    g = emit(program, EmitOptions(checked="every"))
    driver = machine(g, tmp_path)
    assert not pipeline.USUAL
    x, y = (np.array(v, NUMPY[t.dtype]) for v in ARGUMENTS[t])
    sizes = [max(1, sum(r == s for _, s in rows)) for r in TYPES]
    ours, theirs = ([np.zeros((k, len(x)), NUMPY[r.dtype]) for k, r in zip(sizes, TYPES)] for _ in range(2))
    assert call(driver, g, (x, y, *ours)) == ()
    with np.errstate(all="ignore"):
        run(program, [x, y, *theirs], in_place=True)
    at = dict.fromkeys(TYPES, 0)
    for text, r in rows:
        got, expected = (found[TYPES.index(r)][at[r]] for found in (ours, theirs))
        at[r] += 1
        for a, b, p, q in zip(x, y, got, expected):
            if text.startswith("cast") and r.dtype[0] == "i" and not abs(float(a)) < 2**31:
                continue  # what does not fit depends on the machine
            assert close(p, q, r), (text, r, a, b, p, q)


# Every statement that holds a value of a type: cells stored and added to, whole arrays, sums and choices that a loop carries,
# exits, arms, results of calls; conditions on cells of the type, and casts of every other type into them.
STATEMENTS = """\
entry fn f(x: read T[:], y: read T[:], u: mut T[:], A: mut T[:,:], w: read S[:], k: i64) -> T, T, T, i64 {{
  n = dim &x 0
  c = copy &x
  d = alloc T [n] fill ONE
  z = alloc T [n, 2]
  &z[...] = ONE
  {add_array}
  for i in range(n) carry (best: T = ONE, total: T = ONE, count: i64 = 0) -> (best.2, total.2, count.2) {{
    a = load &x [i]
    b = load &y [i]
    better = COMPARE a b
    best.1 = select better a best
    total.1 = {total}
    e = load &w [i]
    s: T = cast e
    &u[i] = s
    &z[i, 1] = s
    {added}
    odd = eq a ONE
    (r, m) = if odd {{
      v = load &d [i]
      yield v, 1
    }} else {{
      (p: T, q: i64) = call g(a, b, i)
      yield p, q
    }}
    &A[i, 0] = r
    count.1 = add count m
    yield best.1, total.1, count.1
  }}
  for j in range(0, ..., 1) exits trips rounds carry (last: T = ONE) -> (last.2) {{
    l = load &y [j]
    more = COMPARE l ONE
    j1 = add j 1
    left = lt j1 n
    go = and more left
    yield go, l
  }}
  sum = add count.2 rounds
  return best.2, total.2, last.2, sum
}}

fn g(a: T, b: T, i: i64) -> T, i64 {{
  same = ne a b
  (h, o) = if same {{
    yield a, 2
  }} else {{
    yield b, i
  }}
  return h, o
}}
"""


def statements(t: Scalar, source: Scalar) -> Program:
    one = {F64: "1.5", F32: "1.5f32", I64: "3", I32: "3i32", BOOL: "True"}[t]
    text = STATEMENTS.format(
        add_array="drop_me = lt n k" if t == BOOL else "&d += &c",
        total="or total b" if t == BOOL else "add total b",
        added="" if t == BOOL else "&u[i] += a\n    &z[i, 0] += ONE",
    )
    compare = "ne" if t == BOOL else "lt"
    for name, new in (("COMPARE", compare), ("ONE", one), ("T[", f"{t}["), (": T", f": {t}"), ("S[", f"{source}[")):
        text = text.replace(name, new)
    text = text.replace("-> T, T, T, i64", f"-> {t}, {t}, {t}, i64").replace("-> T, i64", f"-> {t}, i64")
    return parse_program(text.replace("alloc T", f"alloc {t}"))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("t", TYPES, ids=str)
def test_every_statement(t, tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline, "USUAL", [])
    for source in TYPES if t in (F64, I32) else TYPES[:1]:
        program = statements(t, source)
        assert not verify(program)
        g = emit(program, EmitOptions())
        driver = machine(g, tmp_path)
        assert not pipeline.USUAL
        x, y = (np.array(v[:4], NUMPY[t.dtype]) for v in ARGUMENTS[t])
        w = np.array(ARGUMENTS[source][0][:3] + [1], NUMPY[source.dtype])
        first, second = ([x, y, np.zeros(4, x.dtype), np.zeros((4, 2), x.dtype), w, 4] for _ in range(2))
        got = call(driver, g, tuple(first))
        with np.errstate(all="ignore"):
            expected = run(program, second, in_place=True).results
        for a, b in zip((*got, *first), (*expected, *second), strict=True):
            np.testing.assert_array_equal(a, b)
