"""The table as machine code: what the interpreter and compiled code compute in different ways must be right in both.

Expressions of the same arguments are compiled together, as most of the time that a kernel takes is that of starting one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


from linad import linear_grad, oracle

from .allowed import ALLOWED
from .edges import arguments, letters
from .sweep import Interpreted, Mismatch, Refused, function, mismatches, plain
from .table import TABLE
from .test_sweep import ROUGH, dtypes

# One name of each function that compiled code has an implementation of its own for.
UNARY = (
    "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh floor ceil trunc rint sign sinc"
)
SPECIAL = "erf erfc erfinv erfcinv erfcx ndtr ndtri log_ndtr expit logit log_expit entr gamma gammaln digamma i0 i1 i0e i1e j0 j1 rgamma exp1 ellipk polygamma iv"
BINARY = "arctan2 hypot logaddexp logaddexp2 copysign fmod ldexp mod floor_divide power maximum minimum fmin heaviside"
PAIRS = "xlogy xlog1py rel_entr kl_div pseudo_huber"
EVERY_DAY = [
    *(f"numpy.{n}" for n in UNARY.split()),
    *(f"scipy.special.{n}" for n in SPECIAL.split()),
    *(f"numpy.{n}" for n in BINARY.split()),
    *(f"scipy.special.{n}" for n in PAIRS.split()),
    *(f"numpy.linalg.{n}" for n in ("det", "slogdet", "norm")),
]


def kernels(names: list[str], dtype: str, size: int) -> Iterator[tuple[tuple[str, str], ...]]:
    """Names with expressions: together those of the same letters that raise nothing on any of their arguments, others alone."""
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name in names:
        for text in TABLE[name]:
            if "return" in text or dtype not in dtypes(text):
                continue
            try:
                together = _never_raises(text, dtype)
            except Refused:
                continue
            groups.setdefault(letters(text) if together else (text,), []).append((name, text))
    for group in groups.values():
        yield from (tuple(group[k : k + size]) for k in range(0, len(group), size))


def _never_raises(text: str, dtype: str) -> bool:
    run = None
    for args in arguments(text, dtype, "", False):
        run = run or Interpreted(text, args)
        if oracle.attempt(lambda args=args: run(*args)).error is not None:
            return False
    return True


def noise(m: Mismatch) -> bool:
    """Whether it rests on a singular value of 0, which NumPy's and SciPy's LAPACK round to different numbers around the
    1e-15 below which `pinv` takes it for 0."""
    return m.name == "numpy.linalg.pinv" and np.linalg.matrix_rank(m.args[0]) < min(np.shape(m.args[0]))


def unexpected(group: tuple[tuple[str, str], ...], dtype: str) -> Iterator[str]:
    f = linear_grad(function("(" + ", ".join(text for _, text in group) + ",)"))
    for args in arguments(group[0][1], dtype, "", False):
        ours = oracle.attempt(lambda args=args: f(*args))
        for k, (name, text) in enumerate(group):
            mine = ours if ours.error is not None else oracle.Ended(ours.value[k])
            cell = lambda *a, k=k: f(*a)[k]
            for m in mismatches(Mismatch(name, text, dtype, args, plain(text, args), mine), cell, ROUGH.get(name, 0.0)):
                if not noise(m) and not any(a.covers(m) for a in ALLOWED):
                    yield str(m)


def told(names: list[str], dtype: str) -> list[str]:
    return [line for group in kernels(names, dtype, 40) for line in unexpected(group, dtype)]


def test_functions_with_code_of_their_own():
    found = told([n for n in EVERY_DAY if letters(TABLE[n][0])[0] == "e"], "f64")
    assert not found, "\n".join(found[:40])


def test_products_by_literals_do_not_overflow_together():
    assert not told(["math.ldexp"], "f64")


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", ["f64", "f32", "i64", "i32"])
@pytest.mark.parametrize("library", ["numpy", "numpy.linalg", "scipy.special", "math", "builtins", "ndarray"])
def test_every_function(library, dtype):
    found = told([n for n in TABLE if n.rpartition(".")[0] == library], dtype)
    assert not found, "\n".join(found[:60])
