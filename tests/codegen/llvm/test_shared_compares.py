"""Selects of floats that share a compare get compares of their own; nan, infinities and ties choose as before."""

from __future__ import annotations

import ctypes
import itertools
import math
import re

import llvmlite.binding as llvm
import numpy as np
import pytest
from jaxtyping import Float64

from linad import linear_grad
from linad.codegen.llvm.shared_compares import FORMS, X86, with_own_compares

VALUES = (0.0, -0.0, 1.0, 2.0, -math.inf, math.inf, math.nan)


def text(predicate: str, selects: int) -> str:
    """A function that stores what its selects choose, by a compare of its two arguments."""
    lines = [
        line
        for k in range(selects)
        for line in (
            f"  %s{k} = select i1 %c, double {k}.5, double %b",
            f"  %p{k} = getelementptr double, ptr %out, i64 {k}",
            f"  store double %s{k}, ptr %p{k}, align 8",
        )
    ]
    head = ["define void @f(double %a, double %b, ptr %out) {", "entry:", f"  %c = fcmp {predicate} double %a, %b"]
    return "\n".join([*head, *lines, "  ret void", "}", ""])


def called(ir: str, selects: int) -> list[list[float]]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(ir)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    f = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_double, ctypes.c_void_p)(engine.get_function_address("f"))
    rows = []
    for a, b in itertools.product(VALUES, VALUES):
        out = np.zeros(selects)
        f(a, b, out.ctypes.data)
        rows.append(out.tolist())
    return rows


@pytest.mark.parametrize("predicate", [order + op for order in "ou" for op in ("lt", "le", "gt", "ge")])
@pytest.mark.parametrize("selects", [2, FORMS, FORMS + 1])
def test_each_select_has_a_compare_and_the_same_result(predicate: str, selects: int) -> None:
    before = text(predicate, selects)
    after = with_own_compares(before)
    compares = re.findall(r"(%\S+) = fcmp (.*)", after)
    assert len(compares) == len({written for _, written in compares}) == min(selects, FORMS)
    np.testing.assert_array_equal(called(after, selects), called(before, selects))


def test_a_compare_that_something_else_uses_is_left_to_it() -> None:
    before = text("olt", 2).replace("  ret void", "  %n = zext i1 %c to i64\n  store i64 %n, ptr %out\n  ret void")
    after = with_own_compares(before)
    assert after.count("fcmp") == 3 and after.count("i1 %c") == 1
    np.testing.assert_array_equal(called(after, 2), called(before, 2))


@pytest.mark.parametrize("predicate", ["olt", "oeq"])
def test_other_compares_stay(predicate: str) -> None:
    single = text(predicate, 1)
    assert with_own_compares(single) == single
    equal = text("oeq", 3)
    assert with_own_compares(equal) == equal


@linear_grad(cache=False)
def warped(a: Float64[np.ndarray, "n"], b: Float64[np.ndarray, "m"]) -> float:
    d = np.full((len(a) + 1, len(b) + 1), np.inf)
    d[0, 0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = (a[i - 1] - b[j - 1]) ** 2 + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[len(a), len(b)]


@pytest.mark.skipif(not X86, reason="selects are made for x86")
def test_adjoints_of_minima_in_a_compiled_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    from linad.codegen.llvm import library

    edited = []
    usual = library.with_own_compares
    monkeypatch.setattr(library, "with_own_compares", lambda t: edited.append(t != usual(t)) or usual(t))
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=5), rng.normal(size=6)
    value, (da, db) = warped.value_and_grad(a, b)
    assert any(edited)
    np.testing.assert_allclose(value, warped.py_func(a, b))
    step = 1e-6
    for k in range(5):
        e = step * (np.arange(5) == k)
        assert da[k] == pytest.approx((warped.py_func(a + e, b) - warped.py_func(a - e, b)) / (2 * step), rel=1e-6)
    for k in range(6):
        e = step * (np.arange(6) == k)
        assert db[k] == pytest.approx((warped.py_func(a, b + e) - warped.py_func(a, b - e)) / (2 * step), rel=1e-6)
