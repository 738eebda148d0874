"""Dense linear algebra in the reference interpreter: NumPy's functions, or textbook loops if NumPy has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
from linad_typecheck.ir.core import Dense
from linad_typecheck.dense_ops import DENSE

from .functions import FUNCTIONS

Array = np.ndarray


def _gemm(flags: str, c: Array, a: Array, b: Array) -> None:
    ta, tb, sign = flags
    product = (a.T if ta == "t" else a) @ (b.T if tb == "t" else b)
    c[...] = c + product if sign == "p" else c - product


def _lu(flags: str, info: Array, f: Array, p: Array, a: Array) -> None:
    """Gaussian elimination with partial pivoting; F is the transpose of the packed factors."""
    n, work = a.shape[0], a.copy()
    info[0] = 0
    for k in range(n):
        best = k + int(np.argmax(np.abs(work[k:, k]))) if not np.isnan(work[k:, k]).all() else k
        p[k] = best
        work[[k, best]] = work[[best, k]]
        if work[k, k] == 0:
            info[0] = info[0] or k + 1
            continue
        work[k + 1 :, k] /= work[k, k]
        work[k + 1 :, k + 1 :] -= np.outer(work[k + 1 :, k], work[k, k + 1 :])
    f[...] = work.T


def _triangular(t: Array, x: Array, lower: bool, unit: bool) -> None:
    n = t.shape[0]
    for i in range(n) if lower else range(n - 1, -1, -1):
        others = slice(0, i) if lower else slice(i + 1, n)
        x[i] = x[i] - t[i, others] @ x[others]
        if not unit:
            x[i] = x[i] / t[i, i]


def _solve(flags: str, x: Array, a: Array, f: Array, p: Array) -> None:
    n = f.shape[0]
    if flags == "n":
        for i in range(n):
            x[[i, p[i]]] = x[[p[i], i]]
        _triangular(f.T, x, True, True)
        _triangular(f.T, x, False, False)
    else:
        _triangular(f, x, True, False)
        _triangular(f, x, False, True)
        for i in range(n - 1, -1, -1):
            x[[i, p[i]]] = x[[p[i], i]]


def _det(flags: str, d: Array, a: Array, f: Array, p: Array) -> None:
    d[0] = np.prod(np.diagonal(f)) * (-1.0) ** int(np.sum(p != np.arange(p.size))) + 0.0  # + 0.0 turns -0.0 into 0.0


def _logdet(flags: str, d: Array, a: Array, f: Array, p: Array) -> None:
    d[0] = np.sum(np.log(np.abs(np.diagonal(f))))


def _detsign(flags: str, d: Array, f: Array, p: Array) -> None:
    # a NaN counts as positive, as in NumPy
    signs = np.where(np.diagonal(f) < 0, -1.0, np.where(np.diagonal(f) == 0, 0.0, 1.0))
    d[0] = np.prod(signs) * (-1.0) ** int(np.sum(p != np.arange(p.size))) + 0.0


def _failing(info: Array, compute: Callable[[], tuple[Array, ...]], *outs: Array) -> None:
    info[0] = 0
    try:
        for out, value in zip(outs, compute(), strict=True):
            out[...] = value
    except np.linalg.LinAlgError:
        info[0] = 1


def _cholesky(flags: str, info: Array, low: Array, a: Array) -> None:
    _failing(info, lambda: (np.linalg.cholesky(a),), low)


def _cholesky_adjoint(flags: str, a_bar: Array, low: Array, l_bar: Array) -> None:
    lower = np.tril(low.T @ l_bar)
    inner = (lower + np.tril(lower, -1).T) / 2
    _triangular(low.T, inner, False, False)
    inner = inner.T.copy()
    _triangular(low.T, inner, False, False)
    a_bar += np.tril(inner) + np.tril(inner.T, -1)


def _trisolve(flags: str, x: Array, low: Array) -> None:
    _triangular(low if flags == "n" else low.T, x, flags == "n", False)


def _gram(flags: str, info: Array, low: Array, a: Array) -> None:
    n = a.shape[1]
    info[0] = 0
    if not np.isfinite(a).all() or a.shape[0] < n:
        info[0] = 1
        return
    low[...] = np.linalg.qr(a, mode="r").T
    tiny = np.abs(np.diagonal(low)) <= np.finfo(a.dtype).eps * max(a.shape) * np.abs(np.diagonal(low)).max(initial=0.0)
    info[0] = int(np.argmax(tiny)) + 1 if tiny.any() else 0


def _gramsolve(flags: str, x: Array, a: Array, low: Array) -> None:
    _triangular(low, x, True, False)
    _triangular(low.T, x, False, False)


def _eigh(flags: str, info: Array, w: Array, v: Array, a: Array) -> None:
    _failing(info, lambda: np.linalg.eigh(a), w, v)


def _svd(flags: str, info: Array, u: Array, s: Array, vt: Array, a: Array) -> None:
    _failing(info, lambda: np.linalg.svd(a, full_matrices=False), u, s, vt)


def _order(flags: str, order: Array, a: Array, bounds: Array) -> None:
    order[...] = np.argsort(a, kind="stable")


def perform(s: Dense, counts: Counter[str], get: Callable) -> Callable[[dict], None]:
    """Compile a statement to an action on the environment that also counts its operations.

    ``get`` returns the accessor of an operand.
    """
    op = DENSE[s.op]
    if op.compiled:
        return _of_compiled(s, counts, [get(a) for a in (*s.updated, *s.read)])
    rule, gets = RULES[s.op], [get(a) for a in (*s.updated, *s.read)]

    def run(env: dict) -> None:
        arrays = [find(env) for find in gets]
        rule(s.flags, *arrays)
        counts["dense"] += op.flops(*(a.shape for a in arrays))

    return run


def _of_compiled(s: Dense, counts: Counter[str], gets: list[Callable]) -> Callable[[dict], None]:
    """Compile a call of a function declared by `linad.rule`."""
    function, first = FUNCTIONS[s.flags], len(s.updated)

    def run(env: dict) -> None:
        arrays = [find(env) for find in gets]
        function.into(arrays[0], arrays[1:first], arrays[first:])
        counts["dense"] += DENSE[s.op].flops(*(a.shape for a in arrays))

    return run


RULES: dict[str, Callable[..., None]] = {
    "gemm": _gemm,
    "lu": _lu,
    "solve": _solve,
    "det": _det,
    "logdet": _logdet,
    "detsign": _detsign,
    "cholesky": _cholesky,
    "cholesky_adjoint": _cholesky_adjoint,
    "trisolve": _trisolve,
    "gram": _gram,
    "gramsolve": _gramsolve,
    "eigh": _eigh,
    "svd": _svd,
    "order": _order,
    "order_of_ints": _order,
}
