"""Dense linear algebra of generated code; `linad_typecheck.dense_ops` specifies each function.

BLAS and LAPACK are SciPy's, called as Numba calls them: through symbols that Numba's helper library resolves on the
first call. Cached machine code therefore contains no addresses, and loading it imports nothing. BLAS and LAPACK expect
column-major matrices, so they see a row-major matrix as its transpose. Small products and triangular solves use loops
instead.
"""

from __future__ import annotations

import math
from importlib.util import find_spec

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..codegen.numba_compat import cgutils, require_symbols
from .compilation import exact, jit

__all__ = [
    "dense_cholesky",
    "dense_cholesky_adjoint",
    "dense_det",
    "dense_detsign",
    "dense_eigh",
    "dense_gemm",
    "dense_gram",
    "dense_gramsolve",
    "dense_logdet",
    "dense_lu",
    "dense_solve",
    "dense_svd",
    "dense_trisolve",
]

if find_spec("scipy") is None:
    raise ImportError(
        "linear algebra on whole matrices calls SciPy's BLAS and LAPACK, and SciPy is not installed: pip install scipy"
    )

SMALL = 100  # multiplications up to which a product is a loop; measured: BLAS is faster from 6 x 6 matrices on
NARROW = 4, 7  # rows and columns of a second factor up to which a product is a loop; measured: BLAS is faster for more
ROWS = 256  # rows of such a product per block
BLOCK = 48  # rows of a triangular solve per block; blocks are combined by matrix products


_INT = ir.IntType(64)
_CHAR = ir.IntType(8)
_POINTER = _CHAR.as_pointer()


def _kind(t: types.Array) -> ir.Constant:
    return ir.Constant(_CHAR, ord({types.float64: "d", types.float32: "s"}[t.dtype]))


def _data(context, builder, t, value):
    """The address of an array's first cell, and its row stride in cells."""
    array = context.make_array(t)(context, builder, value)
    row = cgutils.unpack_tuple(builder, array.strides)[0]
    size = ir.Constant(_INT, context.get_abi_sizeof(context.get_data_type(t.dtype)))
    return builder.bitcast(array.data, _POINTER), builder.sdiv(row, size)


def _function(builder, name, *arguments):
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.IntType(32), arguments), name)


@intrinsic
def _blas_gemm(typing_context, c, a, b, ta, tb, m, n, k, alpha):
    """``C += alpha op(A) op(B)``, column-major; ``ta`` and ``tb`` are the letters n or t."""

    def generate(context, builder, signature, args):
        f = _function(
            builder, "numba_xxgemm", _CHAR, _CHAR, _CHAR, _INT, _INT, _INT, _POINTER, _POINTER, _INT, _POINTER, _INT,
            _POINTER, _POINTER, _INT,
        )  # fmt: skip
        (pc, lc), (pa, la), (pb, lb) = (_data(context, builder, signature.args[i], args[i]) for i in range(3))
        scalar = context.get_data_type(c.dtype)
        one = cgutils.alloca_once_value(builder, ir.Constant(scalar, 1.0))
        factor = cgutils.alloca_once_value(builder, args[8])
        one, factor = builder.bitcast(one, _POINTER), builder.bitcast(factor, _POINTER)
        return builder.call(f, (_kind(c), args[3], args[4], *args[5:8], factor, pa, la, pb, lb, one, pc, lc))

    return types.int32(c, a, b, types.uint8, types.uint8, types.int64, types.int64, types.int64, c.dtype), generate


def _lapack(name, *plan):
    """A LAPACK routine called through Numba's helper. ``plan`` gives the kind of each argument: ``char``, ``int`` or
    ``array`` (its address)."""
    llvm = {"char": _CHAR, "int": _INT, "array": _POINTER}

    def generate(context, builder, signature, args):
        f = _function(builder, name, _CHAR, *(llvm[kind] for kind in plan))
        given = [
            _data(context, builder, t, a)[0] if kind == "array" else a
            for kind, t, a in zip(plan, signature.args, args, strict=True)
        ]
        first = next(t for kind, t in zip(plan, signature.args, strict=True) if kind == "array")
        return builder.call(f, (_kind(first), *given))

    scalar = {"char": types.uint8, "int": types.int64}

    def signature(*arguments):
        return types.int32(*(a if kind == "array" else scalar[kind] for kind, a in zip(plan, arguments, strict=True)))

    return generate, signature


_GETRF = _lapack("numba_xxgetrf", "int", "int", "array", "int", "array")
_POTRF = _lapack("numba_xxpotrf", "char", "int", "array", "int")
_EVD = _lapack("numba_ez_xxxevd", "char", "char", "int", "array", "int", "array")
_GEQRF = _lapack("numba_ez_geqrf", "int", "int", "array", "int", "array")
_GESDD = _lapack("numba_ez_gesdd", "char", "int", "int", "array", "int", "array", "array", "int", "array", "int")


@intrinsic
def _getrf(typing_context, m, n, a, lda, pivots):
    return _GETRF[1](m, n, a, lda, pivots), _GETRF[0]


@intrinsic
def _potrf(typing_context, uplo, n, a, lda):
    return _POTRF[1](uplo, n, a, lda), _POTRF[0]


@intrinsic
def _evd(typing_context, jobz, uplo, n, a, lda, w):
    return _EVD[1](jobz, uplo, n, a, lda, w), _EVD[0]


@intrinsic
def _geqrf(typing_context, m, n, a, lda, tau):
    return _GEQRF[1](m, n, a, lda, tau), _GEQRF[0]


@intrinsic
def _gesdd(typing_context, jobz, m, n, a, lda, s, u, ldu, vt, ldvt):
    return _GESDD[1](jobz, m, n, a, lda, s, u, ldu, vt, ldvt), _GESDD[0]


require_symbols(
    "numba_xxgemm", "numba_xxgetrf", "numba_xxpotrf", "numba_ez_xxxevd", "numba_ez_geqrf", "numba_ez_gesdd"
)  # fmt: skip

_N, _T, _L, _U, _V, _S = map(ord, "ntLUVS")
_PIVOT = np.int32  # the LAPACK integer type of Numba's helper


# ------------------------------------------------------------------------------------------------------------ products


@jit
def _small_gemm(c, a, b, ta, tb, k, alpha):
    m, n = c.shape
    for i in range(m):
        for q in range(k):
            e = alpha * (a[q, i] if ta else a[i, q])
            if tb:
                for j in range(n):
                    c[i, j] += e * b[j, q]
            else:
                for j in range(n):
                    c[i, j] += e * b[q, j]


@jit
def _narrow_gemm(c, a, b, tb, k, alpha):
    """The product with a small matrix of up to four rows, column by column in blocks of rows that stay in the cache.
    BLAS packs the first factor, which takes longer than this."""
    m, n = c.shape
    for start in range(0, m, ROWS):
        x, y = a[start : start + ROWS], c[start : start + ROWS]
        for j in range(n):
            e = alpha * (b[j, 0] if tb else b[0, j])
            f = alpha * (b[j, 1] if tb else b[1, j]) if k > 1 else e
            g = alpha * (b[j, 2] if tb else b[2, j]) if k > 2 else e
            h = alpha * (b[j, 3] if tb else b[3, j]) if k > 3 else e
            if k == 1:
                for i in range(len(x)):
                    y[i, j] += x[i, 0] * e
            elif k == 2:
                for i in range(len(x)):
                    y[i, j] += x[i, 0] * e + x[i, 1] * f
            elif k == 3:
                for i in range(len(x)):
                    y[i, j] += x[i, 0] * e + x[i, 1] * f + x[i, 2] * g
            else:
                for i in range(len(x)):
                    y[i, j] += (x[i, 0] * e + x[i, 1] * f) + (x[i, 2] * g + x[i, 3] * h)


@jit
def dense_gemm(c, a, b, ta, tb, alpha):
    """``C += alpha op(A) op(B)``; ``ta`` and ``tb`` say whether a factor is transposed."""
    m, n = c.shape
    k = a.shape[0] if ta else a.shape[1]
    if m == 0 or n == 0 or k == 0:
        return
    factor = c.dtype.type(alpha)
    if m * n * k <= SMALL:
        _small_gemm(c, a, b, ta, tb, k, factor)
    elif not ta and k <= NARROW[0] and n <= NARROW[1]:
        _narrow_gemm(c, a, b, tb, k, factor)
    else:
        _blas_gemm(c, b, a, np.uint8(_T if tb else _N), np.uint8(_T if ta else _N), n, m, k, factor)


# -------------------------------------------------------------------------------------------------------- factorisation


@exact
def _transpose_into(out, a):
    """``out[...] = a.T``, in cache-sized blocks."""
    m, n = a.shape
    for i0 in range(0, m, 16):
        for j0 in range(0, n, 16):
            for i in range(i0, min(i0 + 16, m)):
                for j in range(j0, min(j0 + 16, n)):
                    out[j, i] = a[i, j]


@exact
def dense_lu(info, f, p, a):
    """LU factorisation ``P A = L U`` with partial pivoting.

    ``f`` gets the transpose of the packed factors, ``p[i]`` the row exchanged with row i.
    """
    n = a.shape[0]
    info[0] = 0
    if n == 0:
        return
    _transpose_into(f, a)
    pivots = np.empty(n, _PIVOT)
    info[0] = _getrf(n, n, f, n, pivots)
    for i in range(n):
        p[i] = pivots[i] - 1


@exact
def _exchange(x, p, i):
    j = p[i]
    if j != i:
        for q in range(x.shape[1]):
            x[i, q], x[j, q] = x[j, q], x[i, q]


@jit
def _lower_rows(f, x, start, stop, by_columns, unit):
    """Forward substitution on rows ``start`` to ``stop`` with the lower triangle of F or, if ``by_columns``, the
    transpose of its upper triangle."""
    k = x.shape[1]
    for j in range(start, stop):
        if not unit:
            for q in range(k):
                x[j, q] /= f[j, j]
        for i in range(j + 1, stop):
            e = f[j, i] if by_columns else f[i, j]
            for q in range(k):
                x[i, q] -= e * x[j, q]


@jit
def _upper_rows(f, x, start, stop, by_columns, unit):
    """Back substitution on rows ``start`` to ``stop`` with the upper triangle of F or, if ``by_columns``, the transpose
    of its lower triangle."""
    k = x.shape[1]
    for j in range(stop - 1, start - 1, -1):
        if not unit:
            for q in range(k):
                x[j, q] /= f[j, j]
        for i in range(start, j):
            e = f[j, i] if by_columns else f[i, j]
            for q in range(k):
                x[i, q] -= e * x[j, q]


@jit
def _lower_column(f, x, by_columns, unit):
    """`_lower_rows` for a single column; traverses F along its rows."""
    n = x.shape[0]
    y = x[:, 0]
    for j in range(n):
        if by_columns:
            if not unit:
                y[j] /= f[j, j]
            e = y[j]
            for i in range(j + 1, n):
                y[i] -= e * f[j, i]
        else:
            e = y[j]
            for i in range(j):
                e -= f[j, i] * y[i]
            y[j] = e if unit else e / f[j, j]


@jit
def _upper_column(f, x, by_columns, unit):
    n = x.shape[0]
    y = x[:, 0]
    for j in range(n - 1, -1, -1):
        if by_columns:
            if not unit:
                y[j] /= f[j, j]
            e = y[j]
            for i in range(j):
                y[i] -= e * f[j, i]
        else:
            e = y[j]
            for i in range(j + 1, n):
                e -= f[j, i] * y[i]
            y[j] = e if unit else e / f[j, j]


@exact
def _subtract_product(c, a, b, ta):
    """``C -= op(A) B``, for non-empty matrices."""
    _blas_gemm(c, b, a, np.uint8(_N), np.uint8(ta), c.shape[1], c.shape[0], b.shape[0], c.dtype.type(-1.0))


@exact
def _solve_lower(f, x, by_columns, unit):
    n = x.shape[0]
    if x.shape[1] == 1:
        _lower_column(f, x, by_columns, unit)
        return
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        _lower_rows(f, x, start, stop, by_columns, unit)
        if stop < n:
            if by_columns:
                _subtract_product(x[stop:], f[start:stop, stop:], x[start:stop], _T)
            else:
                _subtract_product(x[stop:], f[stop:, start:stop], x[start:stop], _N)


@exact
def _solve_upper(f, x, by_columns, unit):
    n = x.shape[0]
    if x.shape[1] == 1:
        _upper_column(f, x, by_columns, unit)
        return
    last = (n - 1) // BLOCK * BLOCK
    for start in range(last, -1, -BLOCK):
        stop = min(start + BLOCK, n)
        _upper_rows(f, x, start, stop, by_columns, unit)
        if start > 0:
            if by_columns:
                _subtract_product(x[:start], f[start:stop, :start], x[start:stop], _T)
            else:
                _subtract_product(x[:start], f[:start, start:stop], x[start:stop], _N)


@exact
def dense_solve(x, a, f, p, transposed):
    """``X = A^-1 X`` or ``A^-T X``, given the factorisation from `dense_lu`."""
    n = x.shape[0]
    if n == 0 or x.shape[1] == 0:
        return
    if transposed:
        _solve_lower(f, x, False, False)
        _solve_upper(f, x, False, True)
        for i in range(n - 1, -1, -1):
            _exchange(x, p, i)
    else:
        for i in range(n):
            _exchange(x, p, i)
        _solve_lower(f, x, True, True)
        _solve_upper(f, x, True, False)


@exact
def dense_det(d, a, f, p):
    """The determinant, given the factorisation from `dense_lu`."""
    total = d.dtype.type(1.0)
    for i in range(f.shape[0]):
        total *= f[i, i] if p[i] == i else -f[i, i]
    d[0] = total + d.dtype.type(0.0)  # + 0.0 turns -0.0 into 0.0


@exact
def dense_logdet(d, a, f, p):
    """The logarithm of the determinant's absolute value, given the factorisation from `dense_lu`."""
    total = d.dtype.type(0.0)
    for i in range(f.shape[0]):
        total += math.log(abs(f[i, i]))
    d[0] = total


@exact
def dense_detsign(d, f, p):
    """The sign of the determinant (1, -1 or 0), given the factorisation from `dense_lu`."""
    total = d.dtype.type(1.0)
    for i in range(f.shape[0]):
        e = f[i, i]
        if e == 0.0:
            total *= e
        elif (e < 0.0) != (p[i] != i):
            total = -total
    d[0] = abs(total) if total == 0.0 else total


@exact
def dense_cholesky(info, low, a):
    """Cholesky factorisation ``A = L L^T`` of a matrix given by its lower triangle; L is 0 above the diagonal."""
    n = a.shape[0]
    info[0] = 0
    if n == 0:
        return
    for i in range(n):
        for j in range(i + 1):
            low[i, j] = a[i, j]
        for j in range(i + 1, n):
            low[i, j] = 0.0
    info[0] = _potrf(np.uint8(_U), n, low, n)


@jit
def _divide_rows(x, d):
    """``X = X D^-1`` for a lower triangle D."""
    for i in range(x.shape[0]):
        for q in range(d.shape[0] - 1, -1, -1):
            x[i, q] /= d[q, q]
            e = x[i, q]
            for p in range(q):
                x[i, p] -= e * d[q, p]


@jit
def _adjoint_of_block(d, bar):
    """`dense_cholesky_adjoint` in place, for a small matrix: Murray's unblocked algorithm."""
    n = d.shape[0]
    for j in range(n - 1, -1, -1):
        total = bar[j, j]
        for i in range(j + 1, n):
            bar[i, j] /= d[j, j]
            total -= bar[i, j] * d[i, j]
        total /= d[j, j]
        for q in range(j):
            bar[j, q] -= total * d[j, q]
        for i in range(j + 1, n):
            e = bar[i, j]
            for q in range(j):
                bar[j, q] -= e * d[i, q]
                bar[i, q] -= e * d[j, q]
        bar[j, j] = 0.5 * total


@exact
def dense_cholesky_adjoint(a_bar, low, l_bar):
    """Add the adjoint of the lower triangle of A, by the blocked algorithm of Murray, arXiv:1602.07527, section 4.2."""
    n = low.shape[0]
    bar = np.empty((n, n), low.dtype)
    for i in range(n):
        for j in range(i + 1):
            bar[i, j] = l_bar[i, j]
        for j in range(i + 1, n):
            bar[i, j] = 0.0
    for start in range((n - 1) // BLOCK * BLOCK, -1, -BLOCK):
        stop = min(start + BLOCK, n)
        d, d_bar = low[start:stop, start:stop], bar[start:stop, start:stop]
        if stop < n:
            c_bar = bar[stop:, start:stop]
            _divide_rows(c_bar, d)
            _subtract_product(d_bar, c_bar, low[stop:, start:stop], _T)
            if start > 0:
                _subtract_product(bar[stop:, :start], c_bar, low[start:stop, :start], _N)
                _subtract_product(bar[start:stop, :start], c_bar, low[stop:, :start], _T)
        _adjoint_of_block(d, d_bar)
        if start > 0:
            both = np.empty((stop - start, stop - start), low.dtype)
            for i in range(stop - start):
                for j in range(i + 1):
                    both[i, j] = both[j, i] = d_bar[i, j]
                both[i, i] *= 2
            _subtract_product(bar[start:stop, :start], both, low[start:stop, :start], _N)
    for i in range(n):
        for j in range(i + 1):
            a_bar[i, j] += bar[i, j]


@exact
def dense_trisolve(x, low, transposed):
    """``X = L^-1 X`` or ``L^-T X``."""
    if x.shape[0] == 0 or x.shape[1] == 0:
        return
    if transposed:
        _solve_upper(low, x, True, False)
    else:
        _solve_lower(low, x, False, False)


@exact
def dense_gram(info, low, a):
    """The lower triangle L of ``A^T A = L L^T``, from a QR factorisation of A; info reports a rank-deficient A."""
    m, n = a.shape
    info[0] = 0
    if n == 0:
        return
    if m < n or not _finite(a):
        info[0] = 1
        return
    by_columns, tau = np.empty((n, m), a.dtype), np.empty(n, a.dtype)
    _transpose_into(by_columns, a)
    _geqrf(m, n, by_columns, m, tau)
    largest = a.dtype.type(0.0)
    for i in range(n):
        for j in range(n):
            low[i, j] = by_columns[i, j] if j <= i else 0.0
        largest = max(largest, abs(low[i, i]))
    for i in range(n - 1, -1, -1):
        if abs(low[i, i]) <= largest * m * np.finfo(a.dtype).eps:
            info[0] = i + 1


@exact
def dense_gramsolve(x, a, low):
    """``X = (A^T A)^-1 X``, given the triangle from `dense_gram`."""
    dense_trisolve(x, low, False)
    dense_trisolve(x, low, True)


# ------------------------------------------------------------------------------------------------------------- spectra


@exact
def _finite(a):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if not math.isfinite(a[i, j]):
                return False
    return True


@exact
def dense_eigh(info, w, v, a):
    """Eigenvalues in ascending order and eigenvectors, in columns, of a symmetric matrix given by its lower triangle.
    """
    n = a.shape[0]
    info[0] = 0
    if n == 0:
        return
    if not _finite(a):  # as in NumPy
        w[:] = math.nan
        v[:] = math.nan
        return
    by_columns = np.empty((n, n), a.dtype)
    _transpose_into(by_columns, a)
    info[0] = _evd(np.uint8(_V), np.uint8(_L), n, by_columns, n, w)
    _transpose_into(v, by_columns)


@exact
def dense_svd(info, u, s, vt, a):
    """The thin singular value decomposition, with singular values in descending order."""
    m, n = a.shape
    k = min(m, n)
    info[0] = 0
    if k == 0:
        return
    if not _finite(a):  # as in NumPy
        info[0] = 1 if np.isnan(a).any() else 0
        u[:] = math.nan
        s[:] = math.nan
        vt[:] = math.nan
        return
    by_columns, left, right = np.empty((n, m), a.dtype), np.empty((k, m), a.dtype), np.empty((n, k), a.dtype)
    _transpose_into(by_columns, a)
    info[0] = _gesdd(np.uint8(_S), m, n, by_columns, m, s, left, m, right, k)
    _transpose_into(u, left)
    _transpose_into(vt, right)
