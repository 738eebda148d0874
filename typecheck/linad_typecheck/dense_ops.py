"""Dense linear algebra on whole arrays: what each operation of a `core.Dense` statement updates and reads.

An operation never fails and never allocates: sizes have been checked before it. If a matrix may be singular, an int
cell ``info`` reports that, which a `core.Check` tests. All matrices have rank 2, and all floats of a statement have the
same dtype.
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

    ``updated`` and ``read`` are the ranks of the arrays; ``ints`` are the positions, in both together, of int arrays.
    ``mode`` is how the updated ones are used. ``diff``: for each updated array that carries a derivative, the positions
    of the read arrays on which it depends (it also depends on its own old contents if ``mode`` says so or if it is in
    ``in_place``). ``flags`` are the allowed flags of a statement.

    A ``compiled`` operation calls a function that `linad.rule` declares, whose name is in the flags. Its arrays may be
    of any number and type.
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


def _sorting(*shapes: tuple[int, ...]) -> int:
    return shapes[0][0] * max(shapes[0][0], 1).bit_length()


def _gemm(c: tuple[int, ...], a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return 2 * c[0] * c[1] * (a[0] * a[1] // max(c[0], 1) if c[0] in a else a[1])


def _triangles(x: tuple[int, ...], *others: tuple[int, ...]) -> int:
    return 2 * x[0] * x[0] * x[1]


_ROWS: list[DenseOp] = [
    # C += +-op(A) op(B); flags: n or t (transposed) for A and for B, p or m for the sign
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
    # info, F, p: the LU factorisation of A by columns, F^T = P L U; info is the index of the first zero pivot (from 1),
    # or 0
    DenseOp("lu", (1, 2, 1), (2,), {}, _cube, ints=(0, 2)),
    # X = A^-1 X, or A^-T X, with the factorisation F, p of A
    DenseOp("solve", (2,), (2, 2, 1), {0: (0,)}, _triangles, ("n", "t"), in_place=(0,), ints=(3,)),
    # d = det A, or log |det A|, with its factorisation
    DenseOp("det", (1,), (2, 2, 1), {0: (0,)}, lambda d, a, *f: 2 * a[0], ints=(3,)),
    DenseOp("logdet", (1,), (2, 2, 1), {0: (0,)}, lambda d, a, *f: 2 * a[0], ints=(3,)),
    DenseOp("detsign", (1,), (2, 1), {}, lambda d, f, p: 2 * f[0], ints=(2,)),
    # info, L: A = L L^T of the lower triangle of A; info is the index of the first non-positive pivot (from 1), or 0
    DenseOp("cholesky", (1, 2), (2,), {1: (0,)}, _cube, ints=(0,)),
    # A_bar += the adjoint of `cholesky` for the lower triangle of A, from the lower triangles of L and L_bar
    DenseOp("cholesky_adjoint", (2,), (2, 2), {0: (0, 1)}, _cube, mode="acc"),
    # X = L^-1 X, or L^-T X, with the lower triangle of L
    DenseOp("trisolve", (2,), (2,), {0: (0,)}, _triangles, ("n", "t"), in_place=(0,)),
    # info, L: A^T A = L L^T by a QR factorisation of A; info is 1 + the first linearly dependent column, or 0
    DenseOp("gram", (1, 2), (2,), {}, lambda i, low, a: 2 * a[0] * a[1] ** 2, ints=(0,)),
    # X = (A^T A)^-1 X, with the factor L
    DenseOp("gramsolve", (2,), (2, 2), {0: (0,)}, lambda x, a, low: 4 * x[0] ** 2 * x[1], in_place=(0,)),
    # info, w, V: A V = V diag(w) of the lower triangle of A, w ascending
    DenseOp("eigh", (1, 1, 2), (2,), {1: (0,), 2: (0,)}, lambda i, w, v, a: 9 * a[0] ** 3, ints=(0,)),
    # info, U, s, Vt: A = U diag(s) Vt, thin, s descending
    DenseOp(
        "svd", (1, 2, 1, 2), (2,), {1: (0,), 2: (0,), 3: (0,)}, lambda i, u, s, v, a: 14 * a[0] * a[1] * s[0], ints=(0,)
    ),
    # order: the indices that sort the vector a, at least from position bounds[0] to bounds[1]; NaNs are last
    DenseOp("order", (1,), (1, 1), {}, _sorting, ints=(0, 2)),
    DenseOp("order_of_ints", (1,), (1, 1), {}, _sorting, ints=(0, 1, 2)),
    # status, results = function(arguments), with numbers in arrays of one cell; status is 0 on success
    DenseOp(COMPILED, (), (), {}, lambda *shapes: sum(map(prod, shapes)), compiled=True),
]

DENSE: dict[str, DenseOp] = {op.name: op for op in _ROWS}
