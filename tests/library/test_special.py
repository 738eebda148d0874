"""Functions of math, numpy and scipy.special in the reference interpreter against CPython on the same text."""

import math

import numpy as np
import pytest


from linad import interpret, oracle
from linad_typecheck.check import check
from linad_typecheck.ir.verify import verify

from . import programs_special as programs
from ..lower.test_against_python import arg_type, scope_of, structured

SCOPE = scope_of(programs)
F = np.float32
CASES = {
    "normal_law": [(x,) for x in (-30.0, -2.5, 0.0, 0.7, 4.0, F(0.5))],
    "inverses": [(x,) for x in (1e-12, 0.2, 0.5, 0.999, F(0.25))],
    "logistic": [(x,) for x in (-40.0, -1.0, 0.0, 2.0, F(1.5), 3)],
    "entropies": [(1.5, 0.5), (0.0, 0.0), (0.0, 2.0), (-1.0, 2.0), (F(0.5), 2.0), (2, 3)],
    "gammas": [(x,) for x in (0.5, 3.0, 12.5, F(2.5), 4, -2.5)],
    "bessels": [(x,) for x in (0.0, 0.5, -3.5, 20.0, F(2.5))],
    "numpy_pairs": [(3.5, 2.0), (-3.5, 2.0), (0.0, 0.5), (math.nan, 1.0), (2.0, math.nan), (F(2.5), F(-0.5)), (7, 3.0)],
    "sincs": [(x,) for x in (0.0, 0.25, -1.75, 3)],
    "tests_of": [(1.0, 1.0 + 1e-12), (1.0, 1.2), (math.inf, math.inf), (math.nan, math.nan), (-1.0, 2.0), (F(1.0), 1.0)],
    "parts": [(2.75,), (-2.75,), (0.0,), (math.inf,)],
    "remainders": [(7.5, 2.0), (-7.5, 2.0), (5.0, 2.0), (1e18, 3.0)],
    "norms": [(3.0, 4.0), (-0.5, 0.0), (2, 3)],
    "logs": [(8.0,), (0.3,)],
    "whole": [(10, 3), (7, 0), (20, 5)],
    "bits": [(10, 3), (-7, 2), (np.int32(9), 2)],
    "counts": [(66, 33), (68, 34), (5, 9), (-1, 2), (3, -1)],
    "factorial": [(20,), (0,), (21,), (-1,)],
}


@pytest.mark.parametrize("name, args", [(n, a) for n, cases in CASES.items() for a in cases])
def test_agrees_with_python(name, args):
    f = getattr(programs, name)
    params = f.__code__.co_varnames[: f.__code__.co_argcount]
    checked = check(SCOPE.lookup(name).function, dict(zip(params, map(arg_type, args))))
    assert not [d for d in checked.diagnostics if d.severity == "error"], checked.diagnostics
    assert not verify(checked.program)

    def ours():
        return structured(checked.signature.result, interpret.run(checked.program, list(args)).results)

    left, right = oracle.attempt(ours), oracle.attempt(lambda: oracle.run(f, args))
    single = any(isinstance(a, np.float32) for a in args)
    found = oracle.difference(left, right, rtol=2e-6 if single else 1e-9)
    assert not found, found
    if right.error is None and isinstance(right.value, tuple):
        for a, b in zip(left.value, right.value, strict=True):
            if isinstance(b, np.float32):
                assert isinstance(a, np.float32)
