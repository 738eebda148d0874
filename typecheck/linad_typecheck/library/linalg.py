"""Linear algebra beyond products: factorisations and functions based on them, as `core.Dense` statements."""

from __future__ import annotations

from collections.abc import Callable

from ..ir.core import Atom, Const, Dense, Load, Var
from ..engine.numbers import cast
from ..engine.places import check_same_size, fresh_array, materialise, nest, put, read
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, shape_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import ArrayValue, ScalarValue, TupleValue, Value
from ..types import BOOL, I64, DType, Scalar
from .products import cell_of, common_dtype, nothing, same_inner, whole_array

Rule = Callable[[Lowering, Args], Value]


# ------------------------------------------------------------------------------------------------------ factorisations


def _fresh(ctx: Lowering, args: Args, hint: str, shape: tuple[Atom, ...], dtype: DType) -> Var:
    return fresh_array(ctx, hint, shape, dtype, nothing(dtype), args.span).var


def _succeeded(ctx: Lowering, args: Args, info: Var, message: str) -> None:
    """Raise LinAlgError if a factorisation failed."""
    code = ctx.fresh("code", I64)
    ctx.emit(Load(code, info, (ZERO,), False, args.span))
    check_same_size(ctx, code, ZERO, message, (), args.span, "LinAlgError")


def _square(ctx: Lowering, args: Args, a: AnyArray) -> Atom:
    n, m = shape_of(ctx, a, args.span)
    message = f"{args.name} of a matrix of shape ({{0}},{{1}}): it must be square"
    check_same_size(ctx, n, m, message, (n, m), args.span, "LinAlgError")
    return n


def _factorised(ctx: Lowering, args: Args, a: AnyArray, n: Atom, dtype: DType, singular: bool) -> tuple[Var, Var, Var]:
    """A square matrix of size ``n``, its LU factorisation and its pivots. ``singular``: a singular matrix is
    allowed."""
    var = whole_array(ctx, args, a, dtype)
    info, factors, pivots = (
        _fresh(ctx, args, h, s, d)
        for h, s, d in (("info", (ONE,), "i64"), ("lu", (n, n), dtype), ("pivots", (n,), "i64"))
    )
    ctx.emit(Dense("lu", "", (info, factors, pivots), (var,), args.span))
    if not singular:
        _succeeded(ctx, args, info, "Singular matrix")
    return var, factors, pivots


def _solve(ctx: Lowering, args: Args) -> Value:
    a, b = args.values
    dtype = common_dtype((a, b), True)
    n, shape = _square(ctx, args, a), shape_of(ctx, b, args.span)
    same_inner(ctx, args, a, b, n, shape[0])
    var, factors, pivots = _factorised(ctx, args, a, n, dtype, False)
    if len(shape) == 2:
        x = materialise(ctx, b, args.hint, args.span, dtype)
        ctx.emit(Dense("solve", "n", (x.var,), (var, factors, pivots), args.span))
        return x
    column = fresh_array(ctx, args.hint, (shape[0], ONE), dtype, None, args.span)
    nest(ctx, shape, lambda i: put(ctx, column, (*i, ZERO), cell_of(ctx, args, b, i, dtype), args.span), args.span)
    ctx.emit(Dense("solve", "n", (column.var,), (var, factors, pivots), args.span))
    x = fresh_array(ctx, args.hint, shape, dtype, None, args.span)
    nest(ctx, shape, lambda i: put(ctx, x, i, read(ctx, column, (*i, ZERO), args.span).atom, args.span), args.span)
    return x


def _inv(ctx: Lowering, args: Args) -> Value:
    (a,) = args.values
    dtype = common_dtype((a,), True)
    n = _square(ctx, args, a)
    var, factors, pivots = _factorised(ctx, args, a, n, dtype, False)
    out = fresh_array(ctx, args.hint, (n, n), dtype, nothing(dtype), args.span)
    nest(ctx, (n,), lambda i: put(ctx, out, (*i, *i), Const(1.0, Scalar(dtype)), args.span), args.span)
    ctx.emit(Dense("solve", "n", (out.var,), (var, factors, pivots), args.span))
    return out


def _cell(ctx: Lowering, args: Args, op: str, dtype: DType, read_: tuple[Var, ...]) -> ScalarValue:
    """The number that a dense operation stores in an array of one cell."""
    out = _fresh(ctx, args, args.hint, (ONE,), dtype)
    ctx.emit(Dense(op, "", (out,), read_, args.span))
    return read(ctx, ArrayValue(out), (ZERO,), args.span)


def _det(ctx: Lowering, args: Args) -> Value:
    (a,) = args.values
    dtype = common_dtype((a,), True)
    n = _square(ctx, args, a)
    return _cell(ctx, args, "det", dtype, _factorised(ctx, args, a, n, dtype, True))


def _slogdet(ctx: Lowering, args: Args) -> Value:
    (a,) = args.values
    dtype = common_dtype((a,), True)
    n = _square(ctx, args, a)
    var, factors, pivots = _factorised(ctx, args, a, n, dtype, True)
    sign = _cell(ctx, args, "detsign", dtype, (factors, pivots))
    return TupleValue((sign, _cell(ctx, args, "logdet", dtype, (var, factors, pivots))))


def _cholesky(ctx: Lowering, args: Args) -> Value:
    (a,) = args.values
    dtype = common_dtype((a,), True)
    n = _square(ctx, args, a)
    var = whole_array(ctx, args, a, dtype)
    info, low = _fresh(ctx, args, "info", (ONE,), "i64"), _fresh(ctx, args, args.hint, (n, n), dtype)
    ctx.emit(Dense("cholesky", "", (info, low), (var,), args.span))
    _succeeded(ctx, args, info, "Matrix is not positive definite")
    return ArrayValue(low)


def _eigh(ctx: Lowering, args: Args) -> Value:
    (a,) = args.values
    dtype = common_dtype((a,), True)
    n = _square(ctx, args, a)
    var = whole_array(ctx, args, a, dtype)
    shapes = (("info", (ONE,), "i64"), (args.hint, (n,), dtype), ("vectors", (n, n), dtype))
    info, w, v = (_fresh(ctx, args, *row) for row in shapes)
    ctx.emit(Dense("eigh", "", (info, w, v), (var,), args.span))
    _succeeded(ctx, args, info, "Eigenvalues did not converge")
    return TupleValue((ArrayValue(w), ArrayValue(v)))


def decomposed(ctx: Lowering, args: Args, a: AnyArray) -> tuple[Var, Var, Var]:
    dtype = common_dtype((a,), True)
    n, m = shape_of(ctx, a, args.span)
    k = n if n == m else ctx.let("k", "min", (n, m), I64, args.span, nonneg=True)
    var = whole_array(ctx, args, a, dtype)
    shapes = (("info", (ONE,), "i64"), ("u", (n, k), dtype), (args.hint, (k,), dtype), ("vt", (k, m), dtype))
    info, u, s, vt = (_fresh(ctx, args, *row) for row in shapes)
    ctx.emit(Dense("svd", "", (info, u, s, vt), (var,), args.span))
    _succeeded(ctx, args, info, "SVD did not converge")
    return u, s, vt


def _svd(ctx: Lowering, args: Args) -> Value:
    return TupleValue(tuple(map(ArrayValue, decomposed(ctx, args, args.values[0]))))


# ------------------------------------------------------------------------------------------------------- least squares


def _lstsq(ctx: Lowering, args: Args) -> Value:
    """Least squares for a matrix of full column rank: the corrected seminormal equations with a QR factorisation.

    With one correction step they are as accurate as QR itself (Björck, Stability analysis of the method of seminormal
    equations for linear least squares problems, 1987).
    """
    a, b = args.values
    dtype = common_dtype((a, b), True)
    (m, n), shape = shape_of(ctx, a, args.span), shape_of(ctx, b, args.span)
    same_inner(ctx, args, a, b, m, shape[0], "LinAlgError")
    var = whole_array(ctx, args, a, dtype)
    info, low = _fresh(ctx, args, "info", (ONE,), "i64"), _fresh(ctx, args, "low", (n, n), dtype)
    ctx.emit(Dense("gram", "", (info, low), (var,), args.span))
    _succeeded(ctx, args, info, "the columns of the matrix depend on each other, or it has more of them than rows")
    k = shape[1] if len(shape) == 2 else ONE
    residual = fresh_array(ctx, "r", (m, k), dtype, None, args.span)

    def column(index: tuple[Atom, ...]) -> None:
        e = cell_of(ctx, args, b, index if len(shape) == 2 else index[:1], dtype)
        put(ctx, residual, index, e, args.span)

    nest(ctx, (m, k), column, args.span)
    x = _projected(ctx, args, var, low, residual.var, (n, k))
    ctx.emit(Dense("gemm", "nnm", (residual.var,), (var, x.var), args.span))
    correction = _projected(ctx, args, var, low, residual.var, (n, k))
    ctx.emit(Dense("gemm", "nnm", (residual.var,), (var, correction.var), args.span))
    out = fresh_array(ctx, args.hint, (n, k) if len(shape) == 2 else (n,), dtype, None, args.span)

    def corrected(index: tuple[Atom, ...]) -> None:
        e, c = (read(ctx, v, index, args.span).atom for v in (x, correction))
        put(ctx, out, index[: len(shape)], ctx.let("e", "add", (e, c), e.type, args.span), args.span)

    nest(ctx, (n, k), corrected, args.span)
    s = _fresh(ctx, args, "s", (n,), dtype)
    scrap = [_fresh(ctx, args, *row) for row in (("info", (ONE,), "i64"), ("u", (m, n), dtype), ("vt", (n, n), dtype))]
    ctx.emit(Dense("svd", "", (scrap[0], scrap[1], s, scrap[2]), (var,), args.span))
    rank = cast(ctx, n, "i32", args.span)
    return TupleValue((out, _squares(ctx, args, residual, n, dtype), ScalarValue(rank), ArrayValue(s)))


def _projected(ctx: Lowering, args: Args, a: Var, low: Var, r: Var, shape: tuple[Atom, ...]) -> ArrayValue:
    """``(A^T A)^-1 A^T r``."""
    x = fresh_array(ctx, "x", shape, a.type.dtype, nothing(a.type.dtype), args.span)
    ctx.emit(Dense("gemm", "tnp", (x.var,), (a, r), args.span))
    ctx.emit(Dense("gramsolve", "", (x.var,), (a, low), args.span))
    return x


def _squares(ctx: Lowering, args: Args, r: ArrayValue, n: Atom, dtype: DType) -> ArrayValue:
    """The sums of squares of the columns if there are more equations than the ``n`` unknowns; otherwise an empty
    array."""
    m, k = shape_of(ctx, r, args.span)
    more = ctx.let("b", "gt", (m, n), BOOL, args.span)
    k = ctx.let("k", "select", (more, k, ZERO), I64, args.span, nonneg=True)
    out = fresh_array(ctx, "squares", (k,), dtype, nothing(dtype), args.span)

    def cell(index: tuple[Atom, ...]) -> None:
        e = read(ctx, r, index, args.span).atom
        put(ctx, out, index[1:], ctx.let("e", "mul", (e, e), e.type, args.span), args.span, True)

    nest(ctx, (m, k), cell, args.span)
    return out


enter_rules(
    {
        "%numpy.linalg.solve": _solve,
        "%numpy.linalg.inv": _inv,
        "%numpy.linalg.det": _det,
        "%numpy.linalg.slogdet": _slogdet,
        "%numpy.linalg.cholesky": _cholesky,
        "%numpy.linalg.eigh": _eigh,
        "%numpy.linalg.svd": _svd,
        "%numpy.linalg.lstsq": _lstsq,
    }
)
