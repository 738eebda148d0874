"""Dense linear algebra on whole arrays: what each operation of a `core.Dense` statement updates and reads.

An operation never fails and never allocates: sizes have been checked before, and where a matrix may be singular an int
cell ``info`` says so, which a `core.Check` tests. Every matrix has rank 2 and all floats of one statement one dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Literal

from .frozen import frozen

COMPILED = "compiled"
UpdateMode = Literal["acc", "mut"]


@frozen(slots=True)
class DenseOp:
    """A dense operation.

    ``updated`` and ``read`` are the ranks of the arrays, ints marked by ``ints``, positions in both together.
    ``mode`` is how the updated ones are used. ``diff``: for each updated array that carries a derivative, the positions
    of the arrays read that it depends on (it depends on its own old contents where ``mode`` says so or it is listed in
    ``in_place``). ``flags`` are the values that the flags of a statement may have.

    One that is ``compiled`` calls a function that `linad.rule` declares, which the flags name: its arrays may be of any
    number and type.
    """

    name: str
    updated: tuple[int, ...]
    read: tuple[int, ...]
    diff: Mapping[int, tuple[int, ...]]
    flops: Callable[..., int]
    flags: tuple[str, ...] = ("",)
    mode: UpdateMode = "mut"
    in_place: tuple[int, ...] = ()
    ints: tuple[int, ...] = ()
    compiled: bool = False


def _cube(*shapes: tuple[int, ...]) -> int:
    return shapes[-1][0] ** 3


def _gemm(c: tuple[int, ...], a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return 2 * c[0] * c[1] * (a[0] * a[1] // max(c[0], 1) if c[0] in a else a[1])


def _triangles(x: tuple[int, ...], *others: tuple[int, ...]) -> int:
    return 2 * x[0] * x[0] * x[1]


_ROWS: list[DenseOp] = [
    # C += +-op(A) op(B); flags: n or t (transposed) of A and of B, p or m of the sign
    DenseOp(
        "gemm",
        (2,),
        (2, 2),
        {0: (0, 1)},
        _gemm,
        tuple(a + b + s for a in "nt" for b in "nt" for s in "pm"),
        "acc",
        (0,),
    ),
    # info, F, p: the LU factorisation of A by columns, F^T = P L U; info is the first zero pivot, or 0
    DenseOp("lu", (1, 2, 1), (2,), {}, _cube, ints=(0, 2)),
    # X = A^-1 X, or A^-T X, by the factorisation F, p of A
    DenseOp("solve", (2,), (2, 2, 1), {0: (0,)}, _triangles, ("n", "t"), in_place=(0,), ints=(3,)),
    # d = det A, or log |det A|, by its factorisation
    DenseOp("det", (1,), (2, 2, 1), {0: (0,)}, lambda d, a, *f: 2 * a[0], ints=(3,)),
    DenseOp("logdet", (1,), (2, 2, 1), {0: (0,)}, lambda d, a, *f: 2 * a[0], ints=(3,)),
    DenseOp("detsign", (1,), (2, 1), {}, lambda d, f, p: 2 * f[0], ints=(2,)),
    # info, L: A = L L^T of the lower triangle of A; info is the first pivot that is not positive, or 0
    DenseOp("cholesky", (1, 2), (2,), {1: (0,)}, _cube, ints=(0,)),
    # X = L^-1 X, or L^-T X, by the lower triangle of L
    DenseOp("trisolve", (2,), (2,), {0: (0,)}, _triangles, ("n", "t"), in_place=(0,)),
    # info, L: A^T A = L L^T by a QR factorisation of A; info is 1 + the first column that depends on others, or 0
    DenseOp("gram", (1, 2), (2,), {}, lambda i, low, a: 2 * a[0] * a[1] ** 2, ints=(0,)),
    # X = (A^T A)^-1 X, by the factor L
    DenseOp("gramsolve", (2,), (2, 2), {0: (0,)}, lambda x, a, low: 4 * x[0] ** 2 * x[1], in_place=(0,)),
    # info, w, V: A V = V diag(w) of the lower triangle of A, w ascending
    DenseOp("eigh", (1, 1, 2), (2,), {1: (0,), 2: (0,)}, lambda i, w, v, a: 9 * a[0] ** 3, ints=(0,)),
    # info, U, s, Vt: A = U diag(s) Vt, thin, s descending
    DenseOp(
        "svd", (1, 2, 1, 2), (2,), {1: (0,), 2: (0,), 3: (0,)}, lambda i, u, s, v, a: 14 * a[0] * a[1] * s[0], ints=(0,)
    ),
    # status, results = function(arguments), numbers in arrays of one cell; status is 0 where that worked
    DenseOp(COMPILED, (), (), {}, lambda *shapes: sum(map(prod, shapes)), compiled=True),
]

DENSE: dict[str, DenseOp] = {op.name: op for op in _ROWS}
