"""Points at which values were wrong: the value there, and the derivatives by each argument."""

from __future__ import annotations

import numpy as np
import pytest


from linad import oracle
from linad.pipeline import differentiate
from tests.arrays.near import program
from tests.properties.roads import Whole

from .sweep import same

NAN, INF = np.nan, np.inf
NONE = np.zeros((0,))


def array(*cells: float) -> np.ndarray:
    return np.array(cells, dtype=float)


POINTS = [  # expression, arguments, value, derivatives of the sum of the value
    ("np.linalg.norm(x, 3)", (array(NAN, 1.0, 2.0),), NAN, [array(NAN, NAN, NAN)]),
    ("np.linalg.norm(x, 1.5)", (array(NAN, 1.0),), NAN, [array(NAN, NAN)]),
    ("np.linalg.norm(x, 3)", (array(0.0, 0.0),), 0.0, [array(0.0, 0.0)]),
    ("np.linalg.norm(x, -1)", (array(0.0, 2.0),), 0.0, [array(0.0, 0.0)]),
    ("np.linalg.norm(x, -2)", (array(INF, 2.0),), 2.0, [array(0.0, 1.0)]),
    ("np.linalg.norm(x, -1)", (NONE,), INF, [NONE]),
    ("np.linalg.norm(x, 1)", (np.zeros((3, 0)),), 0.0, [np.zeros((3, 0))]),
    ("np.linalg.norm(x, np.inf)", (np.zeros((0, 3)),), 0.0, [np.zeros((0, 3))]),
    ("np.linalg.norm(x, 1)", (np.array([[1.0, -2.0], [3.0, 0.0]]),), 4.0, [np.array([[1.0, 0.0], [1.0, 0.0]])]),
    ("np.linalg.lstsq(x, y)[1]", (np.eye(2), array(1.0, 2.0)), NONE, [np.zeros((2, 2)), array(0.0, 0.0)]),
    ("np.linalg.lstsq(x, y)[1]", (np.array([[1.0], [2.0]]), array(1.0, 3.0)), array(0.2), [np.array([[1.12], [-0.56]]), array(-0.8, 0.4)]),
    ("np.quantile(x, 0.3)", (array(1.0, -INF, 3.0, INF),), -INF, [array(0.9, 0.1, 0.0, 0.0)]),
    ("np.quantile(x, 0.5)", (array(1.0, -INF, 3.0, INF),), 2.0, [array(0.5, 0.0, 0.5, 0.0)]),
    ("np.percentile(x, [0, 50])", (array(INF, INF),), array(NAN, NAN), None),
    ("np.average(x, axis=1)", (np.zeros((0, 2)),), ZeroDivisionError(), None),
    ("np.sum(x)", (NONE,), 0.0, [NONE]),
    ("sp.pseudo_huber(x, y)", (1.0, 1e160), 1e160, [1e160, 1.0]),
    ("sp.pseudo_huber(x, y)", (1e160, 1.0), 0.5, [0.0, 1.0]),
    ("sp.pseudo_huber(x, y)", (2.0, 1.5), 1.0, [0.1, 1.2]),
    ("sp.gammaln(x)", (-INF,), -INF, None),
    ("sp.poch(x, y)", (-0.5, 0.5), INF, None),
    ("sp.poch(x, y)", (INF, 0.5), INF, None),
    ("sp.poch(x, y)", (-2.0, 0.5), 0.0, [4.726543602414709, 0.0]),
    ("sp.rgamma(x)", (-INF,), 0.0, None),
    ("sp.rgamma(x)", (-2.0,), 0.0, [2.0]),
    ("sp.rgamma(x)", (0.0,), 0.0, [1.0]),
    ("sp.binom(x, y)", (1e300, 0.5), 1.128379167095557e150, None),
    ("sp.binom(x, y)", (1e100, 0.5), 1.1283791670955175e50, [5.641895835477588e-51, None]),
    ("sp.comb(x, y)", (INF, 2.0), INF, None),
    ("sp.eval_legendre(3, x)", (INF,), INF, None),
    ("sp.eval_laguerre(3, x)", (-INF,), INF, None),
    ("sp.betaln(x, y)", (-INF, 0.5), INF, None),
    ("sp.betaln(x, y)", (-2.5, 1e160), 920.9777934811207, [-367.3104582356541, 2.5e-160]),
    ("sp.beta(x, y)", (-2.5, 1e6), -945304584762200.1, None),
    ("sp.kl_div(x, y)", (-INF, -INF), INF, None),
    ("sp.kl_div(x, y)", (0.0, 0.5), 0.5, [-INF, 1.0]),
    ("np.sinc(x)", (INF,), NAN, None),
    ("sp.i0e(x)", (1e10,), 3.9894228040641945e-06, None),
    ("sp.i1e(x)", (1e300,), 3.989422804014327e-151, [0.0]),
    ("sp.logsumexp(x)", (NONE,), -INF, [NONE]),
    ("sp.logsumexp(x, axis=0)", (np.zeros((0, 2)),), array(-INF, -INF), [np.zeros((0, 2))]),
    ("np.linspace(x, y, 1)", (1.0, 2.0), array(1.0), [1.0, 0.0]),
    ("np.geomspace(x, y, 4)", (-1.0, -8.0), array(-1.0, -2.0, -4.0, -8.0), [3.6666666666666665, 1.4166666666666667]),
    ("np.ldexp(x, 1100)", (np.float32(0.0),), np.float32(0.0), None),
    ("np.fmax(x, y)", (np.int64(2), np.int64(3)), np.int64(3), None),
    ("np.fix(x)", (np.int64(-3),), np.int64(-3), None),
    ("np.gcd(x, y)", (np.int32(4), np.int32(6)), np.int32(2), None),
    ("np.linalg.cond(x)", (np.zeros((2, 2)),), INF, None),
    ("np.linalg.cond(x)", (np.zeros((0, 0)),), np.linalg.LinAlgError(), None),
    ("np.linalg.solve(x, y)", (np.ones((3, 2)), np.ones(3)), np.linalg.LinAlgError(), None),
    ("np.linalg.matrix_power(x, 2)", (np.ones((3, 2)),), np.linalg.LinAlgError(), None),
    ("np.linalg.lstsq(x, y)[0]", (np.ones((3, 2)), np.ones(2)), np.linalg.LinAlgError(), None),
    ("np.digitize(x, y)", (array(1.5), array(3.0, 2.0, 1.0)), np.array([2]), None),
    ("np.compress(y > 1, x)", (array(1.0, 2.0, 3.0), array(2.0)), array(1.0), [array(1.0, 0.0, 0.0), array(0.0)]),
    ("np.arange(0, 5, 0)", (), ZeroDivisionError(), None),
    ("np.diag_indices_from(x)", (np.ones((3, 2)),), ValueError(), None),
]  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("text, args, value, slopes", POINTS, ids=lambda v: v if isinstance(v, str) else "")
def test_value_and_derivatives(text, args, value, slopes):
    whole = Whole(program(text, "xyzw"[: len(args)]), args)
    assert not whole.errors
    found = oracle.attempt(lambda: whole.run(whole.prepared)[0])
    if isinstance(value, Exception):
        assert isinstance(found.error, type(value))
        return
    wanted = value if isinstance(value, (np.ndarray, np.generic)) else np.float64(value)
    assert same(oracle.Ended(wanted), found, False), found
    if slopes is None:
        return
    whole.__dict__["cotangent"] = np.ones_like(wanted)
    wrt = whole.active()
    gradient = whole.gradient(differentiate(whole.prepared, wrt, False).simplified, wrt, False)[1]
    for name, slope in zip(wrt, slopes, strict=True):
        if slope is not None:
            np.testing.assert_allclose(gradient[name], slope, rtol=1e-9, atol=0.0)
