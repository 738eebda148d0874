"""Adjoints that an iteration waits for are multiplied last, and stay what they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck.ir.core import If, Let, Loop, Program, walk
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad import linear_grad
from linad.codegen import EmitOptions, emit
from linad.interpret import run
from linad.optimise.loops.product_reassociation import reassociate_products
from linad.pipeline import differentiate, prepare

from ...codegen.roads import call, machine

HEAD = "entry fn f(b: mut f64[:], a: mut f64[:], q: read f64[:], g: f64, n: i64) -> f64 {\n"
SWEEP = "  for i in range(1, n) {\n    k = sub i 1\n    w = load! &b [k]\n    v = load! &a [i]\n    z = load! &q [i]\n"
STORE = "    o = load! &b [i]\n    s = add o %s\n    &b![i] = s\n  }\n  return g\n}\n"


def program(text: str, linear: tuple[str, ...] = ("b",)) -> Program:
    made = parse_program(HEAD + text)
    params = tuple(replace(p, linear=p.var.name in linear) for p in made.main.params)
    return made.with_main(replace(made.main, params=params))


def multiplied(text: str, a: float = 0.7, q: float = 1.3, g: float = 0.9, b: float = 0.5) -> Loop:
    """The loop behind the pass; before and after it does the same, also where cells are as given."""
    before = program(text)
    after = before.with_main(reassociate_products(before.main))
    assert not verify(after)
    results = []
    for p in (before, after):
        rng = np.random.default_rng(3)
        arrays = [np.full(7, b), rng.random(7), rng.random(7) + 0.5]
        arrays[1][3], arrays[2][3] = a, q
        with np.errstate(all="ignore"):
            results.append((*run(p, [*arrays, g, 7], in_place=True).results, *arrays))
    for x, y in zip(*results, strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-11 if 0 < g < 1e-300 else 1e-14)  # there the chain itself loses digits
    (loop,) = (s for s in walk(after.main.body) if isinstance(s, Loop))
    return loop


ASKED = ["abs", "abs", "min", "ge", "isfinite", "and"]
CHAIN = SWEEP + "    c = mul g w\n    d = neg c\n    e = div d z\n    h = mul v e\n    t = div h g\n" + STORE % "t"


def test_a_chain_of_divisions_is_one_product() -> None:
    loop = multiplied(CHAIN)
    (arms,) = (s for s in loop.body.stmts if isinstance(s, If))
    (product,) = arms.then.stmts
    assert isinstance(product, Let) and product.op == "mul" and product.ins[1].name == "w"
    assert [t.op for t in loop.body.stmts if isinstance(t, Let)] == ["sub", "div", "mul", "neg", *ASKED, "add"]
    assert [t.op for t in arms.orelse.stmts] == ["mul", "neg", "div", "mul", "div"]


def test_what_several_share_is_computed_once_and_asked_for_once() -> None:
    loop = multiplied(
        SWEEP
        + "    c = mul g w\n    e = div c z\n    h = mul v e\n    t = div h g\n    h1 = mul z e\n    t1 = div h1 g\n    n1 = neg t1\n    y = add t n1\n"
        + STORE % "y"
    )
    assert [t.op for t in loop.body.stmts if isinstance(t, Let)].count("div") == 1
    (arms,) = (s for s in loop.body.stmts if isinstance(s, If))
    assert len(arms.outs) == 2 and [t.op for t in arms.orelse.stmts].count("mul") == 3


@pytest.mark.parametrize(
    "values",
    [
        {"b": 0.0, "q": 1e-310, "g": 1.0},  # 1 / q is inf
        {"b": 0.0, "q": 0.0},
        {"b": 0.0, "a": 0.0, "q": 1e-310},
        {"b": 1e-10, "q": 1e-310},
        {"g": 0.0},
        {"g": np.inf},
        {"g": 1e-310},
        {"q": np.inf},
        {"a": np.nan},
        {"a": np.inf, "b": 0.0},
        {"b": np.inf},
        {"b": np.nan},
        {"b": -0.0},
        {"a": 0.0, "q": 1e300},
        {"a": 1e-200, "q": 1e150, "b": 1e300},  # the factor is 0.0
        {"a": 1e-160, "q": 1e150, "b": 1e300},  # it is subnormal
        {"a": 1e200, "q": 1e310 / 1e2, "g": 3e-10, "b": 1e10},  # what is multiplied is, 3e-318, and the factor is not
        {"a": 1.0, "q": 1.0, "g": 1e-320, "b": 1e300},
    ],
)
def test_what_is_not_normal_stays_what_it_was(values: dict[str, float]) -> None:
    multiplied(CHAIN, **values)
    multiplied(SWEEP + "    t = div w z\n" + STORE % "t", **values)


@pytest.mark.parametrize(
    "text",
    [
        SWEEP + "    c = mul g w\n    t = mul v c\n" + STORE % "t",  # no division
        SWEEP + "    c = mul g w\n    t = div w c\n" + STORE % "t",  # not linear
        SWEEP.replace("sub i 1", "sub i 0") + "    c = mul g w\n    t = div c z\n" + STORE % "t",  # waits for nothing
        SWEEP + "    c = mul g w\n    t = div c z\n" + STORE.replace("&b", "&a") % "t",  # nothing waits for it
    ],
)
def test_what_gains_nothing_stays_as_it_is(text: str) -> None:
    before = program(text)
    assert reassociate_products(before.main) == before.main


def test_behind_a_library_function_nothing_is_gained() -> None:
    before = program(CHAIN)
    slower = program(CHAIN.replace("    c =", "    y = sin z\n    c ="))
    assert reassociate_products(before.main) != before.main and reassociate_products(slower.main) == slower.main


def test_a_quotient_in_a_program_may_be_whole_and_stays_so() -> None:
    before = program(CHAIN, linear=())
    assert reassociate_products(before.main) is before.main
    other = program(CHAIN, linear=("q",))
    assert reassociate_products(other.main) == other.main


DAMPED = """entry fn f(x: read f64[:], n: i64) -> f64 {
  for i in range(n) carry (u: f64 = 1.0) -> (r) {
    z = load! &x [i]
    m = mul u z
    d = add z 0.25
    q = div m d
    t = exp q
    e = add t z
    yield e
  }
  return r
}
"""


def test_in_a_gradient_the_chain_is_a_branch_that_is_hardly_ever_taken(tmp_path) -> None:
    """Where LLVM computes both and chooses, the next iteration waits for the division all the same."""
    derivative = differentiate(prepare(parse_program(DAMPED)), ("x",)).simplified
    fast, slow = (emit(derivative, EmitOptions(fastmath=v, off=("reciprocal_sharing",))) for v in (True, False))
    assert "isfinite" in fast.source and "isfinite" not in slow.source
    quick, exact = machine(fast, tmp_path), machine(slow, tmp_path)
    assert "branch_weights" in "\n".join(quick.inspect_llvm().values())
    for d in (0.5, 0.0, 1e-310, -1e-310, np.inf, np.nan):
        x = np.array([0.3, 0.1, d - 0.25, 0.2, 0.4])
        bars = [np.zeros(5), np.zeros(5)]
        call(quick, fast, (x, 5, 1.0, bars[0]))
        call(exact, slow, (x, 5, 1.0, bars[1]))
        np.testing.assert_allclose(*bars, rtol=1e-12)


def weighted(w: Float64[np.ndarray, "n"], s: float, g: float, last: float) -> float:
    for i in range(len(w)):
        s = s * w[i] / g
    return s * last


@pytest.mark.parametrize(("w", "g"), [(1e-200, 1e150), (1e-160, 1e150), (3e-310, 2.0), (1e200, 1e-150)])
def test_a_weight_that_underflows_counts_where_the_adjoint_is_large(w: float, g: float) -> None:
    args = (np.array([w]), 1.0, g, 1e300)
    exact = linear_grad(weighted, wrt=("s",), fastmath=False).grad(*args)
    assert exact != 0
    np.testing.assert_allclose(linear_grad(weighted, wrt=("s",)).grad(*args), exact, rtol=1e-14)


def scaled(s: float, w: Float64[np.ndarray, "n"], d: Float64[np.ndarray, "n"], z: Float64[np.ndarray, "n"], c: float, g: float, last: float) -> float:
    total = 0.0
    for i in range(len(w)):
        s = s * c / g
        total += s * z[i]
        s = s * w[i] / d[i]
    return total + s * last


@pytest.mark.parametrize("n", [1, 2])
def test_a_fixed_weight_that_underflows_counts_behind_one_that_overflows(n: int) -> None:
    args = (1.0, np.full(n, 3e200), np.full(n, 1e-200), np.zeros(n), 3e-200, 7e115, 1e-300)
    exact = linear_grad(scaled, wrt=("s",), fastmath=False).grad(*args)
    assert exact != 0
    np.testing.assert_allclose(linear_grad(scaled, wrt=("s",)).grad(*args), exact, rtol=1e-14)


def test_random_chains_stay_the_same() -> None:
    rng = np.random.default_rng(8)
    changed = 0
    for _ in range(150):
        lines, known = [], ["w"]
        for k in range(rng.integers(2, 9)):
            op, other = rng.choice(["mul", "div", "div", "neg", "add"]), rng.choice(["v", "z", "g", "2.0"])
            second = {"neg": "", "add": f" {rng.choice(known)}"}.get(op, f" {other}")
            first, second = (second.strip(), f" {known[-1]}") if op == "mul" and rng.random() < 0.5 else (known[-1], second)
            lines.append(f"    t{k} = {op} {first}{second}\n")
            known.append(f"t{k}")
        shrink = f"    x1 = add {known[-1]} {rng.choice(known)}\n    x = mul 0.01 x1\n"
        text = SWEEP + "".join(lines) + shrink + STORE % "x"
        main = program(text).main
        changed += reassociate_products(main) != main
        multiplied(text)
    assert changed > 60
