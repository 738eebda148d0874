"""Products: those of vectors, and of a matrix and a vector, become loops; those of matrices, `core.Dense`
statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..arrays.operands import as_array, bound, no_bools
from ..ir.core import Atom, Const, Dense, Var
from ..engine.elementwise import shapes_text
from ..engine.numbers import cast, promote
from ..engine.places import check_same_size, fold, fresh_array, materialise, nest, put, read
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, shape_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import SILENT, ArrayValue, ScalarValue, TupleValue, Value, ViewValue, describe, type_of
from ..engine.views import Along, View, Whole
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..types import FLOATS, MAX_RANK, DType, Scalar
from .einsum import Subscripts, contraction
from .externals import call_external

Rule = Callable[[Lowering, Args], Value]


# ---------------------------------------------------------------------------------------------------------- operands


def arrays_of(ctx: Lowering, args: Args, ranks: Sequence[int]) -> list[AnyArray]:
    """The arguments as arrays of one of the ranks."""
    return checked_arrays(ctx, args, list(bound(ctx, args).values()), ranks)


def checked_arrays(ctx: Lowering, args: Args, values: Sequence[Value], ranks: Sequence[int]) -> list[AnyArray]:
    values = [as_array(ctx, v, args) if isinstance(v, TupleValue) else v for v in values]
    for v in values:
        if not is_array(v):
            if not isinstance(v, SILENT):
                raise Refused(WrongType(args.span, f"`{args.name}` is of arrays", describe(type_of(v))))
            raise Refused(None)
        if rank_of(v) not in ranks:
            if rank_of(v) < min(ranks):
                needed = "a matrix" if min(ranks) == 2 else "an array"
                raise Refused(WrongType(args.span, f"`{args.name}` is of {needed}", describe(type_of(v))))
            what = f"`{args.name}` of an array of {rank_of(v)} dimensions"
            raise Refused(
                Unsupported(args.span, what, "write a loop over the leading ones, and take the matrices one by one")
            )
    return list(values)


def common_dtype(values: Sequence[AnyArray], floats: bool = False) -> DType:
    """The dtype to which arrays are promoted. With ``floats``, f64 for ints."""
    best = ScalarValue(Const(0, Scalar(dtype_of(values[0]))))
    for v in values[1:]:
        best = ScalarValue(Const(0, Scalar(promote(best, ScalarValue(Const(0, Scalar(dtype_of(v)))))[0])))
    return "f64" if floats and best.dtype not in FLOATS else best.dtype


def whole_array(ctx: Lowering, args: Args, v: AnyArray, dtype: DType) -> Var:
    """The array itself, or a copy in C order with this dtype."""
    if isinstance(v, ArrayValue) and dtype_of(v) == dtype:
        return v.var
    return materialise(ctx, v, args.hint, args.span, dtype).var


_TRANSPOSED = View((Along(ZERO, ONE, 1), Along(ZERO, ONE, 0)), (Whole(1), Whole(0)))


def _factor(ctx: Lowering, args: Args, v: AnyArray, dtype: DType) -> tuple[Var, str]:
    """A matrix as a factor of a product, and whether it is transposed. A view ``A.T`` is not copied."""
    if isinstance(v, ViewValue) and dtype_of(v) == dtype and replace(v.view, readonly="") == _TRANSPOSED:
        return v.var, "t"
    return whole_array(ctx, args, v, dtype), "n"


def cell_of(ctx: Lowering, args: Args, v: AnyArray, index: tuple[Atom, ...], dtype: DType) -> Atom:
    return cast(ctx, read(ctx, v, index, args.span).atom, dtype, args.span)


def same_inner(
    ctx: Lowering, args: Args, a: AnyArray, b: AnyArray, x: Atom, y: Atom, error: str = "ValueError"
) -> None:
    """Check that the contracted sizes are equal."""
    shapes = [shape_of(ctx, v, args.span) for v in (a, b)]
    count = sum(map(len, shapes))
    message = f"{args.name} of shapes {shapes_text(shapes)}: the sizes {{{count}}} and {{{count + 1}}} differ"
    check_same_size(ctx, x, y, message, (*shapes[0], *shapes[1], x, y), args.span, error)


# ---------------------------------------------------------------------------------------------------------- products


def multiply_add(ctx: Lowering, args: Args, total: Atom, x: Atom, y: Atom) -> Atom:
    product = ctx.let("t", "mul", (x, y), x.type, args.span)
    return ctx.let(args.hint, "add", (total, product), x.type, args.span)


def nothing(dtype: DType) -> Const:
    return Const(0.0 if dtype in FLOATS else 0, Scalar(dtype))


def _dot(ctx: Lowering, args: Args, a: AnyArray, b: AnyArray) -> Value:
    """The product of two vectors."""
    dtype = common_dtype((a, b))
    (n,), (m,) = shape_of(ctx, a, args.span), shape_of(ctx, b, args.span)
    same_inner(ctx, args, a, b, n, m)

    def step(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        x, y = (cell_of(ctx, args, v, index, dtype) for v in (a, b))
        return (multiply_add(ctx, args, carried[0], x, y),)

    return ScalarValue(fold(ctx, (n,), (nothing(dtype),), step, args.span, (args.hint,))[0])


def _matrix_vector(ctx: Lowering, args: Args, a: AnyArray, x: AnyArray) -> Value:
    dtype = common_dtype((a, x))
    (n, m), (k,) = shape_of(ctx, a, args.span), shape_of(ctx, x, args.span)
    same_inner(ctx, args, a, x, m, k)
    out = fresh_array(ctx, args.hint, (n,), dtype, None, args.span)

    def row(index: tuple[Atom, ...]) -> None:
        def step(inner: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
            e, y = cell_of(ctx, args, a, (*index, *inner), dtype), cell_of(ctx, args, x, inner, dtype)
            return (multiply_add(ctx, args, carried[0], e, y),)

        put(ctx, out, index, fold(ctx, (m,), (nothing(dtype),), step, args.span)[0], args.span)

    nest(ctx, (n,), row, args.span)
    return out


def _vector_matrix(ctx: Lowering, args: Args, x: AnyArray, a: AnyArray) -> Value:
    """Vector times matrix, along the rows of the matrix: the order of memory."""
    dtype = common_dtype((x, a))
    (n, m), (k,) = shape_of(ctx, a, args.span), shape_of(ctx, x, args.span)
    same_inner(ctx, args, x, a, k, n)
    out = fresh_array(ctx, args.hint, (m,), dtype, nothing(dtype), args.span)

    def row(index: tuple[Atom, ...]) -> None:
        e = cell_of(ctx, args, x, index, dtype)

        def cell(inner: tuple[Atom, ...]) -> None:
            product = ctx.let("t", "mul", (e, cell_of(ctx, args, a, (*index, *inner), dtype)), Scalar(dtype), args.span)
            put(ctx, out, inner, product, args.span, True)

        nest(ctx, (m,), cell, args.span)

    nest(ctx, (n,), row, args.span)
    return out


def _matrix_matrix(ctx: Lowering, args: Args, a: AnyArray, b: AnyArray) -> Value:
    dtype = common_dtype((a, b))
    (n, k), (j, m) = shape_of(ctx, a, args.span), shape_of(ctx, b, args.span)
    same_inner(ctx, args, a, b, k, j)
    if dtype in FLOATS:
        (left, ta), (right, tb) = (_factor(ctx, args, v, dtype) for v in (a, b))
        out = fresh_array(ctx, args.hint, (n, m), dtype, nothing(dtype), args.span)
        ctx.emit(Dense("gemm", f"{ta}{tb}p", (out.var,), (left, right), args.span))
        return out
    out = fresh_array(ctx, args.hint, (n, m), dtype, nothing(dtype), args.span)

    def cell(index: tuple[Atom, ...]) -> None:
        i, q, c = index
        x, y = cell_of(ctx, args, a, (i, q), dtype), cell_of(ctx, args, b, (q, c), dtype)
        put(ctx, out, (i, c), ctx.let("t", "mul", (x, y), Scalar(dtype), args.span), args.span, True)

    nest(ctx, (n, k, m), cell, args.span)
    return out


_BY_RANK = {(1, 1): _dot, (2, 1): _matrix_vector, (1, 2): _vector_matrix, (2, 2): _matrix_matrix}


def _matmul(ctx: Lowering, args: Args) -> Value:
    pair = arrays_of(ctx, args, range(1, MAX_RANK + 1))
    no_bools(args, *pair)
    ranks = rank_of(pair[0]), rank_of(pair[1])
    return _BY_RANK[ranks](ctx, args, *pair) if ranks in _BY_RANK else _stacked(ctx, args, *pair)


STACK = "abcdefgh"[: MAX_RANK - 2]  # subscripts of the axes before the last two


def _stacked(ctx: Lowering, args: Args, a: AnyArray, b: AnyArray) -> Value:
    """Products of stacks of matrices, whose leading axes broadcast: loops, as in `einsum`."""

    def letters(v: AnyArray, last: str) -> str:
        return STACK[len(STACK) - max(rank_of(v) - 2, 0) :] + last

    left, right = letters(a, "ij" if rank_of(a) > 1 else "j"), letters(b, "jk" if rank_of(b) > 1 else "j")
    stack = max(left[:-2], right[:-2], key=len)
    result = stack + ("i" if rank_of(a) > 1 else "") + ("k" if rank_of(b) > 1 else "")
    x, y = shape_of(ctx, a, args.span)[-1], shape_of(ctx, b, args.span)[-2 if rank_of(b) > 1 else -1]
    same_inner(ctx, args, a, b, x, y)
    return contraction(ctx, args, [a, b], Subscripts((left, right), result))


def _numpy_dot(ctx: Lowering, args: Args) -> Value:
    """`np.dot`: like ``@``, and also for scalars. They count as arrays, so a Python float and float32 give float64."""
    number = lambda v: isinstance(v, ScalarValue) or (is_array(v) and not rank_of(v))
    if len(args.values) == 2 and not args.keywords and any(map(number, args.values)):
        values = (replace(v, weak=False) if isinstance(v, ScalarValue) else v for v in args.values)
        return call_external(ctx, "numpy.multiply", replace(args, values=tuple(values)))
    for v in (*args.values, *args.keywords.values()):
        if is_array(v) and rank_of(v) > 2:  # `@` has another meaning for these
            raise Refused(
                Unsupported(
                    args.span,
                    f"`{args.name}` of an array of {rank_of(v)} dimensions",
                    "write `a @ b`, which multiplies stacks of matrices, or `np.einsum`",
                )
            )
    return _matmul(ctx, args)


def _inner(ctx: Lowering, args: Args) -> Value:
    """`np.inner`: the sum over the last axes of both operands."""
    pair = arrays_of(ctx, args, (1, 2))
    no_bools(args, *pair)
    a, b = pair
    match rank_of(a), rank_of(b):
        case 1, 2:
            return _matrix_vector(ctx, args, b, a)
        case 2, 2:
            dtype = common_dtype(pair)
            if dtype not in FLOATS:
                raise Refused(Unsupported(args.span, f"`{args.name}` of matrices of ints", "write `a @ b.T`"))
            (n, k), (m, j) = shape_of(ctx, a, args.span), shape_of(ctx, b, args.span)
            same_inner(ctx, args, a, b, k, j)
            (left, ta), (right, tb) = (_factor(ctx, args, v, dtype) for v in pair)
            out = fresh_array(ctx, args.hint, (n, m), dtype, nothing(dtype), args.span)
            ctx.emit(Dense("gemm", f"{ta}{'n' if tb == 't' else 't'}p", (out.var,), (left, right), args.span))
            return out
    return _BY_RANK[rank_of(a), rank_of(b)](ctx, args, a, b)


def _vdot(ctx: Lowering, args: Args) -> Value:
    """`np.vdot`: the sum over all cells of both operands."""
    pair = arrays_of(ctx, args, (1, 2))
    no_bools(args, *pair)
    if rank_of(pair[0]) != rank_of(pair[1]):
        raise Refused(
            Unsupported(args.span, f"`{args.name}` of a vector and a matrix", "ravel the matrix: `m.ravel()`")
        )
    a, b = pair
    dtype = common_dtype(pair)
    shapes = [shape_of(ctx, v, args.span) for v in pair]
    if len(shapes[0]) == 1:
        return _dot(ctx, args, a, b)
    message = f"{args.name} of arrays of shapes {shapes_text(shapes)}"
    for x, y in zip(*shapes, strict=True):
        check_same_size(ctx, x, y, message, (*shapes[0], *shapes[1]), args.span)

    def step(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        x, y = (cell_of(ctx, args, v, index, dtype) for v in (a, b))
        return (multiply_add(ctx, args, carried[0], x, y),)

    return ScalarValue(fold(ctx, shapes[0], (nothing(dtype),), step, args.span, (args.hint,))[0])


def _outer(ctx: Lowering, args: Args) -> Value:
    pair = arrays_of(ctx, args, (1,))
    no_bools(args, *pair)
    a, b = pair
    dtype = common_dtype(pair)
    (n,), (m,) = shape_of(ctx, a, args.span), shape_of(ctx, b, args.span)
    out = fresh_array(ctx, args.hint, (n, m), dtype, None, args.span)

    def cell(index: tuple[Atom, ...]) -> None:
        x, y = cell_of(ctx, args, a, index[:1], dtype), cell_of(ctx, args, b, index[1:], dtype)
        put(ctx, out, index, ctx.let("t", "mul", (x, y), Scalar(dtype), args.span), args.span)

    nest(ctx, (n, m), cell, args.span)
    return out


RULES: dict[str, Rule] = {
    "numpy.matmul": _matmul,
    "numpy.dot": _numpy_dot,
    "numpy.inner": _inner,
    "numpy.vdot": _vdot,
    "numpy.outer": _outer,
    "numpy.linalg.matmul": _matmul,
    "numpy.linalg.outer": _outer,
}
enter_rules(RULES)
