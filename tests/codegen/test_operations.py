"""Every scalar operation, compiled, gives what the reference interpreter gives, at ordinary and at extreme values."""

import itertools

import numpy as np
import pytest
from linad_typecheck.ir.core import Alloc, Block, Const, Dim, Function, Let, Load, Loop, Param, Program, Store, Var
from linad_typecheck.ir.verify import dtypes_of
from linad_typecheck.ops import FAMILIES, OPS
from linad_typecheck.types import BOOL, F32, F64, I32, I64, Array, Scalar

from linad import linear_grad
from linad.codegen import EmitOptions, emit
from linad.interpret.scalars import DTYPES, RULES, cast

from .roads import call, machine

FLOAT = [0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 2.0, 3.7, 1e-300, 1e300, 20.5, -171.3, np.inf, -np.inf, np.nan]
FLOAT32 = [0.0, -0.0, 1.0, -1.0, 0.25, -2.5, 2.0, 3.75, 1e-30, 1e30, np.inf, -np.inf, np.nan]
VALUES = {
    "f64": FLOAT,
    "f32": FLOAT32,
    "i64": [0, 1, -1, 2, -3, 7, 64, 63, -64, 2**62, -(2**63), 2**63 - 1],
    "i32": [0, 1, -1, 2, -3, 7, 31, 32, 2**30, -(2**31), 2**31 - 1],
    "bool": [False, True],
}
COUNTS = {"gcd", "comb", "perm", "isqrt"}  # of i64 that are not negative
SKIPPED = {"select", "cast", "trips", "wrap", "pow", "powi", "ldexp", *COUNTS, *FAMILIES}  # tested in `test_short_way` or below


def ops_of(dtype: str) -> list[str]:
    return [op for op in OPS if dtype in dtypes_of(op) and op not in SKIPPED]


def result_type(op: str, t: Scalar) -> Scalar:
    return {"bool": BOOL, "int": I64}.get(OPS[op].result, t)


def elementwise(lets: list, t: Scalar):
    """A program that applies operations to two arrays, cell by cell, each into its own array."""
    x, y, n, i = Var("x", Array(t.dtype, 1)), Var("y", Array(t.dtype, 1)), Var("n", I64), Var("i", I64)
    a, b = Var("a", t), Var("b", t)
    before, inside, results = [Dim(n, x, 0)], [Load(a, x, (i,)), Load(b, y, (i,))], []
    for k, (make, out) in enumerate(lets):
        z, r = Var(f"z.{k}", Array(out.dtype, 1)), Var(f"r.{k}", out)
        before.append(Alloc(z, (n,), Const({"f": 0.0, "i": 0, "b": False}[out.dtype[0]], out)))
        inside += [make(r, a, b), Store(z, (i,), r)]
        results.append(z)
    loop = Loop(i, Const(0, I64), n, Const(1, I64), (), (), Block(tuple(inside)), ())
    f = Function("f", (Param(x, "read"), Param(y, "read")), Block((*before, loop), tuple(results)))
    return Program("f", {"f": f})


def close(got, expected, dtype: str) -> bool:
    if dtype[0] != "f":
        return got == expected
    if np.isnan(expected) or np.isinf(expected) or expected == 0:
        return (np.isnan(got) and np.isnan(expected)) or (got == expected and np.signbit(got) == np.signbit(expected))
    return abs(got - expected) <= (1e-5 if dtype == "f32" else 1e-11) * abs(expected)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("t", [F64, F32, I64, I32, BOOL], ids=str)
def test_every_operation(t, tmp_path):
    ops = ops_of(t.dtype)

    def make(op):
        return lambda r, a, b: Let(r, op, (a, b)[: OPS[op].arity])

    g = emit(elementwise([(make(op), result_type(op, t)) for op in ops], t), EmitOptions())
    driver = machine(g, tmp_path)
    pairs = list(itertools.product(VALUES[t.dtype], repeat=2))
    x, y = (np.array([p[k] for p in pairs], DTYPES[t.dtype]) for k in (0, 1))
    results = call(driver, g, (x, y))
    with np.errstate(all="ignore"):
        for op, z in zip(ops, results, strict=True):
            for a, b, got in zip(x, y, z, strict=True):
                if op in ("floordiv", "mod") and t.dtype[0] == "i" and b == 0:
                    continue  # a check comes before
                if t.dtype == "f32" and op in ("floordiv", "mod") and abs(a) > 1e9:
                    continue
                if op in ("minimum", "maximum") and a == b == 0:
                    continue  # NumPy does not say which zero
                operands = (bool(a), bool(b)) if t == BOOL else (a, b)
                expected = cast(RULES[op](*operands[: OPS[op].arity]), result_type(op, t).dtype)
                assert close(got, expected, result_type(op, t).dtype), (op, a, b, got, expected)


def test_powers(tmp_path):
    exponents = [-3, -1, 0, 1, 2, 3, 5, 8]
    lets = [(lambda r, a, b, k=k: Let(r, "powi", (a, Const(k, I64))), F64) for k in exponents]
    lets.append((lambda r, a, b: Let(r, "pow", (a, b)), F64))
    g = emit(elementwise(lets, F64), EmitOptions())
    x = np.array([0.0, 1.5, -2.0, 3.0, np.inf, np.nan, -0.5])
    y = np.array([0.0, -1.5, 3.0, 0.5, 2.0, 0.0, 2.0])
    *whole, general = call(machine(g, tmp_path), g, (x, y))
    with np.errstate(all="ignore"):
        for k, z in zip(exponents, whole, strict=True):
            np.testing.assert_allclose(z, [RULES["powi"](v, k) for v in x], rtol=1e-14)
        np.testing.assert_allclose(general, x**y, rtol=1e-14)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("t", [F64, F32, I64, I32, BOOL], ids=str)
def test_casts(t, tmp_path):
    targets = [F64, F32, I64, I32, BOOL]
    g = emit(elementwise([(lambda r, a, b: Let(r, "cast", (a,)), to) for to in targets], t), EmitOptions())
    x = np.array([*VALUES[t.dtype], *([1e10, -1e10, 2147483647.5] if t == F64 else [])], DTYPES[t.dtype])
    results = call(machine(g, tmp_path), g, (x, x))
    with np.errstate(all="ignore"):
        for to, z in zip(targets, results, strict=True):
            for v, got in zip(x, z, strict=True):
                fits = t.dtype[0] != "f" or to.dtype[0] != "i" or abs(v) < (2**31 - 1 if to == I32 else 2.0**63)
                if fits:  # what does not fit depends on the machine
                    assert close(got, cast(v, to.dtype), to.dtype), (to, v, got)


def test_trips_and_wrap(tmp_path):
    lets = [(lambda r, a, b, c=c: Let(r, "trips", (a, b, Const(c, I64))), I64) for c in (1, -1, 3, -7, -(2**63))]
    lets.append((lambda r, a, b: Let(r, "wrap", (a, b)), I64))
    g = emit(elementwise(lets, I64), EmitOptions())
    pairs = [(a, b) for a, b in itertools.product([0, 1, -5, 9, 2**62, -(2**62)], repeat=2) if abs(a - b) < 2**63]
    x, y = (np.array([p[k] for p in pairs]) for k in (0, 1))
    *trips, wrapped = call(machine(g, tmp_path), g, (x, y))
    for c, z in zip((1, -1, 3, -7, -(2**63)), trips, strict=True):
        lengths = [range(int(a), int(b), c) for a, b in pairs]
        assert [int(v) for v in z] == [max(0, -((r.start - r.stop) // c)) for r in lengths]
    assert list(wrapped) == [RULES["wrap"](np.int64(a), np.int64(b)) for a, b in pairs]


def to_int(x: float) -> float:
    return x * (int(x) % 7)


def to_int32(x: float) -> float:
    return x * float(np.int32(x))


ENDS = [
    (to_int, [-(2.0**63), np.nextafter(2.0**63, 0), -0.5, 3.9], [np.nextafter(-(2.0**63), -np.inf), 2.0**63, np.inf, np.nan]),
    (to_int32, [-(2.0**31) - 0.9, -(2.0**31), 2.0**31 - 0.1, -7.5], [-(2.0**31) - 1, 2.0**31, -np.inf, np.nan]),
]


@pytest.mark.parametrize(("f", "inside", "outside"), ENDS)
def test_floats_become_ints_up_to_the_ends(f, inside, outside) -> None:
    """A float that truncates to the lowest int may be below it."""
    made = linear_grad(f)
    for x in inside:
        assert made(float(x)) == f(float(x))
    for x in outside:
        with pytest.raises(ValueError if x != x else OverflowError):
            made(float(x))
