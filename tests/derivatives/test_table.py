"""Every row of the derivative table against differences, against dual numbers and at the kinks."""

import math

import numpy as np
import pytest
from linad.baseline.dual import Dual
from linad.baseline.rules import RULES as NUMBERS
from linad.baseline.rules import digamma
from linad.derivatives.table import RULES, Point
from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import Const, Names, Var
from linad_typecheck.ops import FAMILIES, LITERAL_SECOND, OPS
from linad_typecheck.types import BOOL, F64, I64

INF, NAN = math.inf, math.nan
OUT = Var("o", F64)
LETTERS = ("x", "y", "z")

COMPARE = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal}

DIFFERENTIABLE = [op for op in OPS.values() if op.diff and op.name != "cast"]

# Ordinary points, at which the op is smooth.
ANYWHERE = [(-1.7,), (-0.4,), (0.3,), (1.9,)]
POSITIVE = [(0.2,), (1.3,), (4.5,)]
INSIDE = [(-0.8,), (0.1,), (0.7,)]
PAIRS = [(1.3, 0.7), (-0.6, 2.5), (-2.3, -1.1), (0.4, -3.0)]
POINTS: dict[str, list[tuple]] = {
    **{op.name: ANYWHERE for op in DIFFERENTIABLE if op.arity == 1},
    **{op.name: PAIRS for op in DIFFERENTIABLE if op.arity == 2},
    **dict.fromkeys(("log", "log2", "log10", "sqrt"), POSITIVE),
    **dict.fromkeys(("asin", "acos", "atanh", "log1p"), INSIDE),
    "acosh": [(1.2,), (3.5,)],
    "pow": [(0.5, 1.7), (2.0, -1.3), (3.1, 0.25)],
    "powi": [(x, k) for x in (-1.5, 0.7) for k in (-3, -1, 0, 1, 2, 3, 7)],
    "select": [(True, 1.5, -2.0), (False, 1.5, -2.0)],
    "ldexp": [(1.3, 3.0), (-0.6, -2.0), (0.4, 0.0)],
    **dict.fromkeys(("erfinv", "bessel_j"), INSIDE),
    **dict.fromkeys(("ndtri", "logit"), [(0.1,), (0.5,), (0.83,)]),
    "erfcinv": [(0.1,), (0.5,), (1.7,)],
    "entr": POSITIVE,
    **dict.fromkeys(("xlogy", "rel_entr"), [(1.3, 0.7), (0.4, 2.5), (3.0, 3.0)]),
    "xlog1py": [(1.3, 0.7), (-0.4, -0.5), (3.0, 3.0)],
    **{op: [(x, n) for x in (-2.4, 0.3, 0.9, 7.7) for n in (0, 1, 2, 5)] for op in FAMILIES},
    "polygamma": [(x, n) for x in (-1.4, 0.8, 3.3, 17.0) for n in (0, 1, 2, 3)],
}


def value(op: str, ins: tuple) -> float:
    if op in COMPARE:
        return bool(COMPARE[op](*ins))
    return NUMBERS[op].value(*(np.float64(x) if type(x) is float else x for x in ins))


def atoms(op: str, ins: tuple) -> tuple:
    types = (F64, I64) if op in LITERAL_SECOND else (BOOL, F64, F64) if op == "select" else (F64, F64)
    made = tuple(Var(name, t) for name, t in zip(LETTERS, types[: len(ins)], strict=False))
    return (made[0], Const(ins[1], I64)) if op in LITERAL_SECOND else made


def by_table(op: str, ins: tuple, k: int, seed: float = 1.0, literal: int | None = None) -> tuple[float, set[str]]:
    """What operand k's row gives for a seed, and the names that it reads."""
    operands = list(atoms(op, ins))
    if literal is not None:
        operands[literal] = Const(ins[literal], F64)
    b = Builder(Names(("seed", "o", *LETTERS)))
    out = RULES[op].slopes[k](Point(b, tuple(operands), OUT), Var("seed", F64))
    with np.errstate(all="ignore"):
        known: dict[str, object] = {"o": value(op, ins)}
    known |= {"seed": np.float64(seed), **dict(zip(LETTERS, ins, strict=False))}
    read: set[str] = set()

    def get(a):
        if isinstance(a, Const):
            return a.value
        read.add(a.name)
        return known[a.name]

    with np.errstate(all="ignore"):
        for s in b.stmts:
            assert len(s.ins) == OPS[s.op].arity
            known[s.out.name] = value(s.op, tuple(map(get, s.ins)))
        return float(get(out)), read & {"o", *LETTERS}


def by_dual(op: str, ins: tuple, k: int, seed: float = 1.0) -> float:
    """The tangent of the result."""
    with np.errstate(all="ignore"):
        return Dual.apply(op, *(Dual(x, seed) if j == k else x for j, x in enumerate(ins))).tangent


def by_differences(op: str, ins: tuple, k: int) -> float:
    """Central differences, Richardson-extrapolated: good to about ten digits."""

    def slope(h):
        lo, hi = (value(op, (*ins[:k], ins[k] + s, *ins[k + 1 :])) for s in (-h, h))
        return (hi - lo) / (2 * h)

    return (4 * slope(5e-4) - slope(1e-3)) / 3


CASES = [(op.name, ins, k) for op in DIFFERENTIABLE for ins in POINTS[op.name] for k in op.diff]


@pytest.mark.parametrize("x", [40.0, 300.0, 700.0])
def test_the_slope_of_expit_keeps_its_digits(x):
    assert by_table("expit", (x,), 0)[0] == pytest.approx(math.exp(-x), rel=1e-13)


@pytest.mark.parametrize("x", [-1e5, -400.0, -38.0, -3.0])
def test_the_slope_of_log_ndtr_in_the_far_tail(x):
    series = -x - 1 / x + 2 / x**3 - 10 / x**5 + 74 / x**7
    assert by_table("log_ndtr", (x,), 0)[0] == pytest.approx(series, rel=1e-12 if x < -30 else 5e-2)


def test_the_table_and_the_signatures_are_equal():
    assert {op.name for op in OPS.values() if op.diff} == set(RULES)
    for name, rule in RULES.items():
        assert len(rule.slopes) == len(rule.needs) == OPS[name].arity
        assert tuple(k for k, s in enumerate(rule.slopes) if s is not None) == OPS[name].diff


@pytest.mark.one_in(3)
@pytest.mark.parametrize("op, ins, k", CASES)
def test_row_agrees_with_differences_and_dual_numbers(op, ins, k):
    got, _ = by_table(op, ins, k)
    assert got == pytest.approx(by_dual(op, ins, k), rel=1e-13, abs=1e-14)
    assert got == pytest.approx(by_differences(op, ins, k), rel=1e-8, abs=1e-9)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("op, ins, k", CASES)
def test_row_is_linear_in_its_seed_and_reads_what_it_says(op, ins, k):
    one, read = by_table(op, ins, k)
    three, _ = by_table(op, ins, k, seed=-3.0)
    assert three == pytest.approx(-3.0 * one, rel=1e-14)
    assert read <= set(RULES[op].needs[k])


KINKS = [  # op, operands, derivatives by each differentiable operand
    *((op, (2.0, 2.0), (1.0, 0.0)) for op in ("min", "max", "minimum", "maximum")),
    *((op, (0.0, -0.0), (1.0, 0.0)) for op in ("min", "max", "minimum", "maximum")),
    ("min", (INF, INF), (1.0, 0.0)),
    ("abs", (0.0,), (0.0,)),
    ("abs", (-0.0,), (0.0,)),
    ("sqrt", (0.0,), (INF,)),
    ("log", (0.0,), (INF,)),
    ("cbrt", (0.0,), (INF,)),
    ("pow", (0.0, 0.0), (0.0, 0.0)),
    ("pow", (3.0, 0.0), (0.0, math.log(3.0))),
    ("pow", (0.0, 2.0), (0.0, 0.0)),
    ("pow", (0.0, 1.0), (1.0, 0.0)),
    ("pow", (0.0, 0.5), (INF, 0.0)),
    ("pow", (-2.0, 0.0), (0.0, NAN)),
    ("powi", (0.0, 0), (0.0,)),
    ("powi", (0.0, 1), (1.0,)),
    ("powi", (0.0, 2), (0.0,)),
    ("copysign", (0.0, -1.0), (0.0,)),
    ("copysign", (2.0, -0.0), (-1.0,)),
    ("mod", (6.0, 3.0), (1.0, -2.0)),
    ("mod", (-6.0, 4.0), (1.0, 2.0)),
    ("asin", (1.0,), (INF,)),
    ("acos", (-1.0,), (-INF,)),
    ("hypot", (0.0, 3.0), (0.0, 1.0)),
    ("hypot", (0.0, 0.0), (0.0, 0.0)),
    ("logaddexp", (-INF, -INF), (0.5, 0.5)),
    ("logaddexp", (-INF, 2.0), (0.0, 1.0)),
    ("logaddexp", (INF, 2.0), (1.0, 0.0)),
    ("logaddexp", (800.0, -800.0), (1.0, 0.0)),
    ("logaddexp2", (-INF, -INF), (0.5, 0.5)),
    ("xlogy", (0.0, 0.0), (-INF, 0.0)),
    ("xlogy", (0.0, 3.0), (math.log(3.0), 0.0)),
    ("xlog1py", (0.0, -1.0), (-INF, 0.0)),
    ("rel_entr", (0.0, 2.0), (-INF, 0.0)),
    ("entr", (0.0,), (INF,)),
    ("expit", (800.0,), (0.0,)),
    ("expit", (-800.0,), (0.0,)),
    ("expit", (0.0,), (0.25,)),
    ("log_expit", (-800.0,), (1.0,)),
    ("logit", (0.0,), (INF,)),
    ("log_ndtr", (-INF,), (INF,)),
    ("fmod", (-7.0, 3.0), (1.0, 2.0)),
    ("remainder", (5.0, 3.0), (1.0, -2.0)),
    ("ldexp", (0.0, 1030.0), (INF,)),
    ("sinc", (0.0, 0), (0.0,)),
    ("sinc", (0.0, 1), (-math.pi**2 / 3.0,)),
    ("bessel_j", (0.0, 1), (0.5,)),
    ("bessel_i", (0.0, 1), (0.5,)),
    ("bessel_i", (0.0, 0), (0.0,)),
    ("lgamma", (0.0,), (NAN,)),
]


@pytest.mark.parametrize("op, ins, expected", KINKS)
def test_kinks(op, ins, expected):
    for k, e in zip(OPS[op].diff, expected, strict=True):
        np.testing.assert_array_equal(by_table(op, ins, k)[0], e)
        np.testing.assert_array_equal(by_dual(op, ins, k), e)


def test_a_literal_exponent_takes_the_same_rows():
    for y in (0.0, 1.0, 2.5):
        for x in (0.0, 1.5):
            np.testing.assert_equal(by_table("pow", (x, y), 0, literal=1)[0], by_table("pow", (x, y), 0)[0])


@pytest.mark.parametrize("op", ["min", "max", "minimum", "maximum"])
def test_the_operand_not_chosen_masks_even_nan(op):
    taken, other = (0, 1) if op in ("min", "minimum") else (1, 0)
    for seed in (INF, NAN):
        assert by_table(op, (1.0, 2.0), other, seed=seed)[0] == 0.0
        np.testing.assert_equal(by_table(op, (1.0, 2.0), taken, seed=seed)[0], seed)


def test_select_masks_the_adjoint_itself():
    assert by_table("select", (True, 1.0, NAN), 2, seed=NAN)[0] == 0.0
    assert by_table("select", (False, NAN, 1.0), 1, seed=INF)[0] == 0.0


@pytest.mark.parametrize("x", [-3.7, -0.5, 0.1, 1.0, 2.5, 9.99, 10.01, 50.0])
def test_digamma(x):
    special = pytest.importorskip("scipy.special")
    assert digamma(x) == pytest.approx(special.digamma(x), rel=2e-14)
