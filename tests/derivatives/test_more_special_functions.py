"""Special functions written in terms of others, or as loops: against SciPy and differences, at the places where they change form."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.arrays.near import check, refusals

X = np.array([0.3, 1.0, 2.5, 7.0, 30.0])
Y = np.array([2.0, 0.7, 0.1, 9.0, 25.0])
U = np.array([0.05, 0.3, 0.5, 0.8, 0.97])
CALLS = """
    beta(x, y) + betaln(y, x) | betaln(x * 1e8, y) | beta(-x - 0.1, y) | binom(x, y) | comb(np.array([5, 3]), 2) * x[:2] | factorial(4) * x
    binom(np.array([-1.5, -0.5, -2.5]), x[:3]) | factorial(np.array([-1, 0, 5])) | comb(9.5, x[:4]) | poch(x, 2) + rgamma(x - 4.1) | poch(x[2:] - 7.2, y[2:]) | poch(x[:3] - 4, 2) | poch(x + 2, -2)
    huber(1.0, x - 2) | huber(x, y) | pseudo_huber(1.0, x - 2) | pseudo_huber(x, y) | exprel((x - 1) * 0.1) | boxcox(x, y - 2) | boxcox1p(x, 0.5) | cosm1(x * 1e-3)
    multigammaln(x[2] + 1, 3) | multigammaln(x + 2, 2) | gammainc(x, y) + gammaincc(y, x) | gammaincc(0.01, x[:2]) | betainc(x, y, z) | betainc(y, x, 1 - z)
    exp1(x * 0.5) | ellipk(z) + ellipe(-y) | eval_legendre(3, x * 0.1) | eval_hermite(4, x) | eval_chebyt(5, z) + eval_chebyu(2, z) | eval_laguerre(3, x)
    eval_hermitenorm(0, x) | eval_legendre(np.array([0, 1, 2]), z[0])
"""


@pytest.mark.one_in(8)
@pytest.mark.parametrize("call", [c.strip() for line in CALLS.strip().splitlines() for c in line.split(" | ")])
def test_calls(call):
    check(re.sub(r"(?<![\w.])([a-z]\w+)\(", r"sp.\1(", call), X, Y, U)


@pytest.mark.thorough
def test_edges():
    x = np.array([0.0, 1.0, -1.0, np.nan, np.inf])
    check("sp.gammainc(2.0, x[:4]), sp.betainc(2.0, 3.0, x[:4]), sp.exp1(x[:4]), sp.ellipk(x[:4]), sp.huber(-1.0, x)", x, smooth=False)
    check("sp.gammaincc(2.0, x[:4]), sp.ellipe(x[:4]), sp.comb(3, x[:4]), sp.betainc(x[:3], 2.0, 0.5)", x, smooth=False)
    check("sp.gammainc(x, x), sp.beta(x, x), sp.exprel(x)", X.astype(np.float32), smooth=False)
    check("sp.beta(x, x), sp.exp1(x)", X[:0])
    check("sp.beta(x[0], 2.0), sp.gammainc(x[1], 0.5), sp.eval_legendre(2, x[0])", X)
    check("sp.multigammaln(x[0], 3)", X)  # ValueError
    for call in ("eval_legendre(1.5, x)", "betainc(x, x)", "multigammaln(x, x)"):
        assert refusals(f"sp.{call}", X)


def test_boxcox_is_smooth_where_it_is_a_logarithm():
    """The power's derivative at 0 is half the square of the logarithm, which a case distinction would lose."""
    check("np.sum(sp.boxcox(x, y))", X, 0.0)
    check("np.sum(sp.exprel(x * y))", X, 0.0)


def test_results_in_pairs():
    check("np.modf(x + 0.2)", X)
    check("a, b = np.divmod(x, 1.3)\nreturn a + b * b", X)
