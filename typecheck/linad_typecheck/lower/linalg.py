"""Linear algebra: products of vectors and of a matrix with a vector become loops, the rest whole-array statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..core import Atom, Const, Dense, Load, Var
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..types import BOOL, FLOATS, I64, DType, Scalar
from .arrays import bind
from .context import ONE, ZERO, Lowering
from .elementwise import shapes_text
from .externals import Args
from .numbers import cast, promote
from .places import AnyArray, dtype_of, fold, fresh_array, is_array, materialise, nest, put, rank_of, read, same_size, shape_of
from .values import SILENT, ArrayValue, NoneValue, Poison, ScalarValue, TextValue, TupleValue, Value, ViewValue, describe, type_of
from .views import Along, View, Whole

Rule = Callable[[Lowering, Args], Value]


# ---------------------------------------------------------------------------------------------------------- operands


def _arrays(ctx: Lowering, args: Args, names: tuple[str, ...], ranks: tuple[int, ...]) -> list[AnyArray] | None:
    """The arguments as arrays of one of the ranks; None where that was reported."""
    found = bind(ctx, args, names, len(names))
    if found is None:
        return None
    return _checked(ctx, args, [found[n] for n in names], ranks)


def _checked(ctx: Lowering, args: Args, values: Sequence[Value], ranks: tuple[int, ...]) -> list[AnyArray] | None:
    for v in values:
        if not is_array(v):
            if not isinstance(v, SILENT):
                ctx.report(WrongType(args.span, f"`{args.name}` is of arrays", describe(type_of(v))))
            return None
        if rank_of(v) not in ranks:
            what = f"`{args.name}` of an array of {rank_of(v)} dimensions"
            ctx.report(Unsupported(args.span, what, "write a loop over the leading ones, and take the matrices one by one"))
            return None
    return list(values)


def _meet(values: Sequence[AnyArray], floats: bool = False) -> DType:
    """The dtype that arrays meet in; where ``floats``, f64 for ints."""
    best = ScalarValue(Const(0, Scalar(dtype_of(values[0]))))
    for v in values[1:]:
        best = ScalarValue(Const(0, Scalar(promote(best, ScalarValue(Const(0, Scalar(dtype_of(v)))))[0])))
    return "f64" if floats and best.dtype not in FLOATS else best.dtype


def _whole(ctx: Lowering, args: Args, v: AnyArray, dtype: DType) -> Var:
    """The array itself, or a copy with its cells in order and of this dtype."""
    if isinstance(v, ArrayValue) and dtype_of(v) == dtype:
        return v.var
    return materialise(ctx, v, args.hint, args.span, dtype).var


_TRANSPOSED = View((Along(ZERO, ONE, 1), Along(ZERO, ONE, 0)), (Whole(1), Whole(0)))


def _factor(ctx: Lowering, args: Args, v: AnyArray, dtype: DType) -> tuple[Var, str]:
    """A matrix as a factor, and whether it is transposed: a view ``A.T`` is not copied."""
    if isinstance(v, ViewValue) and dtype_of(v) == dtype and replace(v.view, readonly="") == _TRANSPOSED:
        return v.var, "t"
    return _whole(ctx, args, v, dtype), "n"


def _scalar(ctx: Lowering, args: Args, v: AnyArray, index: tuple[Atom, ...], dtype: DType) -> Atom:
    return cast(ctx, read(ctx, v, index, args.span).atom, dtype, args.span)


def _same_inner(ctx: Lowering, args: Args, a: AnyArray, b: AnyArray, x: Atom, y: Atom) -> None:
    """The sizes that are summed over must be equal."""
    shapes = [shape_of(ctx, v, args.span) for v in (a, b)]
    message = f"{args.name} of shapes {shapes_text(shapes)}: the sizes {{{sum(map(len, shapes))}}} and {{{sum(map(len, shapes)) + 1}}} differ"
    same_size(ctx, x, y, message, (*shapes[0], *shapes[1], x, y), args.span)


# ---------------------------------------------------------------------------------------------------------- products


def _multiply_add(ctx: Lowering, args: Args, total: Atom, x: Atom, y: Atom) -> Atom:
    product = ctx.let("t", "mul", (x, y), x.type, args.span)
    return ctx.let(args.hint, "add", (total, product), x.type, args.span)


def _number(dtype: DType) -> DType:
    return "i64" if dtype == "bool" else dtype


def _zero(dtype: DType) -> Const:
    return Const(0.0 if dtype in FLOATS else 0, Scalar(dtype))


def _dot(ctx: Lowering, args: Args, a: AnyArray, b: AnyArray) -> Value:
    """Of two vectors."""
    dtype = _number(_meet((a, b)))
    (n,), (m,) = shape_of(ctx, a, args.span), shape_of(ctx, b, args.span)
    _same_inner(ctx, args, a, b, n, m)

    def step(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        x, y = (_scalar(ctx, args, v, index, dtype) for v in (a, b))
        return (_multiply_add(ctx, args, carried[0], x, y),)

    return ScalarValue(fold(ctx, (n,), (_zero(dtype),), step, args.span, (args.hint,))[0])


def _matrix_vector(ctx: Lowering, args: Args, a: AnyArray, x: AnyArray) -> Value:
    dtype = _number(_meet((a, x)))
    (n, m), (k,) = shape_of(ctx, a, args.span), shape_of(ctx, x, args.span)
    _same_inner(ctx, args, a, x, m, k)
    out = fresh_array(ctx, args.hint, (n,), dtype, None, args.span)

    def row(index: tuple[Atom, ...]) -> None:
        def step(inner: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
            e, y = _scalar(ctx, args, a, (*index, *inner), dtype), _scalar(ctx, args, x, inner, dtype)
            return (_multiply_add(ctx, args, carried[0], e, y),)

        put(ctx, out, index, fold(ctx, (m,), (_zero(dtype),), step, args.span)[0], args.span)

    nest(ctx, (n,), row, args.span)
    return out


def _vector_matrix(ctx: Lowering, args: Args, x: AnyArray, a: AnyArray) -> Value:
    """Along the rows of the matrix, as it lies in memory."""
    dtype = _number(_meet((x, a)))
    (n, m), (k,) = shape_of(ctx, a, args.span), shape_of(ctx, x, args.span)
    _same_inner(ctx, args, x, a, k, n)
    out = fresh_array(ctx, args.hint, (m,), dtype, _zero(dtype), args.span)

    def row(index: tuple[Atom, ...]) -> None:
        e = _scalar(ctx, args, x, index, dtype)

        def cell(inner: tuple[Atom, ...]) -> None:
            product = ctx.let("t", "mul", (e, _scalar(ctx, args, a, (*index, *inner), dtype)), Scalar(dtype), args.span)
            put(ctx, out, inner, product, args.span, True)

        nest(ctx, (m,), cell, args.span)

    nest(ctx, (n,), row, args.span)
    return out


def _matrix_matrix(ctx: Lowering, args: Args, a: AnyArray, b: AnyArray) -> Value:
    dtype = _number(_meet((a, b)))
    (n, k), (j, m) = shape_of(ctx, a, args.span), shape_of(ctx, b, args.span)
    _same_inner(ctx, args, a, b, k, j)
    if dtype in FLOATS:
        (left, ta), (right, tb) = (_factor(ctx, args, v, dtype) for v in (a, b))
        out = fresh_array(ctx, args.hint, (n, m), dtype, _zero(dtype), args.span)
        ctx.emit(Dense("gemm", f"{ta}{tb}p", (out.var,), (left, right), args.span))
        return out
    out = fresh_array(ctx, args.hint, (n, m), dtype, _zero(dtype), args.span)

    def cell(index: tuple[Atom, ...]) -> None:
        i, q, c = index
        x, y = _scalar(ctx, args, a, (i, q), dtype), _scalar(ctx, args, b, (q, c), dtype)
        put(ctx, out, (i, c), ctx.let("t", "mul", (x, y), Scalar(dtype), args.span), args.span, True)

    nest(ctx, (n, k, m), cell, args.span)
    return out


_BY_RANK = {(1, 1): _dot, (2, 1): _matrix_vector, (1, 2): _vector_matrix, (2, 2): _matrix_matrix}


def _matmul(ctx: Lowering, args: Args) -> Value:
    found = bind(ctx, args, ("x1", "x2"), 2)
    pair = None if found is None else _checked(ctx, args, list(found.values()), (1, 2))
    return Poison() if pair is None else _BY_RANK[rank_of(pair[0]), rank_of(pair[1])](ctx, args, *pair)


def _numpy_dot(ctx: Lowering, args: Args) -> Value:
    """As ``@``, but also of scalars."""
    if len(args.values) == 2 and not args.keywords and not all(map(is_array, args.values)):
        from .externals import call_external

        return call_external(ctx, "numpy.multiply", args)
    return _matmul(ctx, Args(args.name, args.span, args.values, args.keywords, args.hint))


def _inner(ctx: Lowering, args: Args) -> Value:
    """The sum over the last axes of both."""
    pair = _arrays(ctx, args, ("a", "b"), (1, 2))
    if pair is None:
        return Poison()
    a, b = pair
    match rank_of(a), rank_of(b):
        case 1, 2:
            return _matrix_vector(ctx, args, b, a)
        case 2, 2:
            dtype = _number(_meet(pair))
            if dtype not in FLOATS:
                ctx.report(Unsupported(args.span, f"`{args.name}` of matrices of ints", "write `a @ b.T`"))
                return Poison()
            (n, k), (m, j) = shape_of(ctx, a, args.span), shape_of(ctx, b, args.span)
            _same_inner(ctx, args, a, b, k, j)
            (left, ta), (right, tb) = (_factor(ctx, args, v, dtype) for v in pair)
            out = fresh_array(ctx, args.hint, (n, m), dtype, _zero(dtype), args.span)
            ctx.emit(Dense("gemm", f"{ta}{'n' if tb == 't' else 't'}p", (out.var,), (left, right), args.span))
            return out
    return _BY_RANK[rank_of(a), rank_of(b)](ctx, args, a, b)


def _vdot(ctx: Lowering, args: Args) -> Value:
    """The sum over all cells of both."""
    pair = _arrays(ctx, args, ("a", "b"), (1, 2))
    if pair is None:
        return Poison()
    if rank_of(pair[0]) != rank_of(pair[1]):
        ctx.report(Unsupported(args.span, f"`{args.name}` of a vector and a matrix", "ravel the matrix: `m.ravel()`"))
        return Poison()
    a, b = pair
    dtype = _number(_meet(pair))
    shapes = [shape_of(ctx, v, args.span) for v in pair]
    if len(shapes[0]) == 1:
        return _dot(ctx, args, a, b)
    message = f"{args.name} of arrays of shapes {shapes_text(shapes)}"
    for x, y in zip(*shapes, strict=True):
        same_size(ctx, x, y, message, (*shapes[0], *shapes[1]), args.span)

    def step(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        x, y = (_scalar(ctx, args, v, index, dtype) for v in (a, b))
        return (_multiply_add(ctx, args, carried[0], x, y),)

    return ScalarValue(fold(ctx, shapes[0], (_zero(dtype),), step, args.span, (args.hint,))[0])


def _outer(ctx: Lowering, args: Args) -> Value:
    pair = _arrays(ctx, args, ("a", "b"), (1,))
    if pair is None:
        return Poison()
    a, b = pair
    dtype = _number(_meet(pair))
    (n,), (m,) = shape_of(ctx, a, args.span), shape_of(ctx, b, args.span)
    out = fresh_array(ctx, args.hint, (n, m), dtype, None, args.span)

    def cell(index: tuple[Atom, ...]) -> None:
        x, y = _scalar(ctx, args, a, index[:1], dtype), _scalar(ctx, args, b, index[1:], dtype)
        put(ctx, out, index, ctx.let("t", "mul", (x, y), Scalar(dtype), args.span), args.span)

    nest(ctx, (n, m), cell, args.span)
    return out


# ------------------------------------------------------------------------------------------------------ factorisations


def _fresh(ctx: Lowering, args: Args, hint: str, shape: tuple[Atom, ...], dtype: DType) -> Var:
    return fresh_array(ctx, hint, shape, dtype, _zero(dtype), args.span).var


def _succeeded(ctx: Lowering, args: Args, info: Var, message: str) -> None:
    """Raise LinAlgError where a factorisation failed."""
    code = ctx.fresh("code", I64)
    ctx.emit(Load(code, info, (ZERO,), False, args.span))
    same_size(ctx, code, ZERO, message, (), args.span, "LinAlgError")


def _square(ctx: Lowering, args: Args, a: AnyArray) -> Atom:
    n, m = shape_of(ctx, a, args.span)
    message = f"{args.name} of a matrix of shape ({{0}},{{1}}): it must be square"
    same_size(ctx, n, m, message, (n, m), args.span, "LinAlgError")
    return n


def _factorised(ctx: Lowering, args: Args, a: AnyArray, dtype: DType, singular: bool) -> tuple[Var, Var, Var, Atom]:
    """A square matrix, its LU factorisation and pivots, and its size; ``singular``: it may be."""
    n = _square(ctx, args, a)
    var = _whole(ctx, args, a, dtype)
    info, factors, pivots = (_fresh(ctx, args, h, s, d) for h, s, d in (("info", (ONE,), "i64"), ("lu", (n, n), dtype), ("pivots", (n,), "i64")))
    ctx.emit(Dense("lu", "", (info, factors, pivots), (var,), args.span))
    if not singular:
        _succeeded(ctx, args, info, "Singular matrix")
    return var, factors, pivots, n


def _solve(ctx: Lowering, args: Args) -> Value:
    found = bind(ctx, args, ("a", "b"), 2)
    matrix = None if found is None else _checked(ctx, args, [found["a"]], (2,))
    right = None if matrix is None else _checked(ctx, args, [found["b"]], (1, 2))
    if right is None:
        return Poison()
    a, b = matrix[0], right[0]
    dtype = _meet((a, b), True)
    shape = shape_of(ctx, b, args.span)
    _same_inner(ctx, args, a, b, shape_of(ctx, a, args.span)[1], shape[0])
    var, factors, pivots, _ = _factorised(ctx, args, a, dtype, False)
    if len(shape) == 2:
        x = materialise(ctx, b, args.hint, args.span, dtype)
        ctx.emit(Dense("solve", "n", (x.var,), (var, factors, pivots), args.span))
        return x
    column = fresh_array(ctx, args.hint, (shape[0], ONE), dtype, None, args.span)
    nest(ctx, shape, lambda i: put(ctx, column, (*i, ZERO), _scalar(ctx, args, b, i, dtype), args.span), args.span)
    ctx.emit(Dense("solve", "n", (column.var,), (var, factors, pivots), args.span))
    x = fresh_array(ctx, args.hint, shape, dtype, None, args.span)
    nest(ctx, shape, lambda i: put(ctx, x, i, read(ctx, column, (*i, ZERO), args.span).atom, args.span), args.span)
    return x


def _inv(ctx: Lowering, args: Args) -> Value:
    found = _arrays(ctx, args, ("a",), (2,))
    if found is None:
        return Poison()
    dtype = _meet(found, True)
    var, factors, pivots, n = _factorised(ctx, args, found[0], dtype, False)
    out = fresh_array(ctx, args.hint, (n, n), dtype, _zero(dtype), args.span)
    nest(ctx, (n,), lambda i: put(ctx, out, (*i, *i), Const(1.0, Scalar(dtype)), args.span), args.span)
    ctx.emit(Dense("solve", "n", (out.var,), (var, factors, pivots), args.span))
    return out


def _cell(ctx: Lowering, args: Args, op: str, dtype: DType, read_: tuple[Var, ...]) -> ScalarValue:
    """The number that a dense operation leaves in an array of one cell."""
    out = _fresh(ctx, args, args.hint, (ONE,), dtype)
    ctx.emit(Dense(op, "", (out,), read_, args.span))
    return read(ctx, ArrayValue(out), (ZERO,), args.span)


def _det(ctx: Lowering, args: Args) -> Value:
    found = _arrays(ctx, args, ("a",), (2,))
    if found is None:
        return Poison()
    dtype = _meet(found, True)
    return _cell(ctx, args, "det", dtype, _factorised(ctx, args, found[0], dtype, True)[:3])


def _slogdet(ctx: Lowering, args: Args) -> Value:
    found = _arrays(ctx, args, ("a",), (2,))
    if found is None:
        return Poison()
    dtype = _meet(found, True)
    var, factors, pivots, _ = _factorised(ctx, args, found[0], dtype, True)
    sign = _cell(ctx, args, "detsign", dtype, (factors, pivots))
    return TupleValue((sign, _cell(ctx, args, "logdet", dtype, (var, factors, pivots))))


def _cholesky(ctx: Lowering, args: Args) -> Value:
    found = _arrays(ctx, args, ("a",), (2,))
    if found is None:
        return Poison()
    dtype = _meet(found, True)
    n = _square(ctx, args, found[0])
    var = _whole(ctx, args, found[0], dtype)
    info, low = _fresh(ctx, args, "info", (ONE,), "i64"), _fresh(ctx, args, args.hint, (n, n), dtype)
    ctx.emit(Dense("cholesky", "", (info, low), (var,), args.span))
    _succeeded(ctx, args, info, "Matrix is not positive definite")
    return ArrayValue(low)


def _eigh(vectors: bool) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = _arrays(ctx, args, ("a",), (2,))
        if found is None:
            return Poison()
        dtype = _meet(found, True)
        n = _square(ctx, args, found[0])
        var = _whole(ctx, args, found[0], dtype)
        info, w, v = (_fresh(ctx, args, h, s, d) for h, s, d in (("info", (ONE,), "i64"), (args.hint, (n,), dtype), ("vectors", (n, n), dtype)))
        ctx.emit(Dense("eigh", "", (info, w, v), (var,), args.span))
        _succeeded(ctx, args, info, "Eigenvalues did not converge")
        return TupleValue((ArrayValue(w), ArrayValue(v))) if vectors else ArrayValue(w)

    return apply


def _decomposed(ctx: Lowering, args: Args, a: AnyArray) -> tuple[Var, Var, Var]:
    dtype = _meet((a,), True)
    n, m = shape_of(ctx, a, args.span)
    k = n if n == m else ctx.let("k", "min", (n, m), I64, args.span)
    if isinstance(k, Var):
        ctx.nonneg.add(k.name)
    var = _whole(ctx, args, a, dtype)
    shapes = (("info", (ONE,), "i64"), ("u", (n, k), dtype), (args.hint, (k,), dtype), ("vt", (k, m), dtype))
    info, u, s, vt = (_fresh(ctx, args, *row) for row in shapes)
    ctx.emit(Dense("svd", "", (info, u, s, vt), (var,), args.span))
    _succeeded(ctx, args, info, "SVD did not converge")
    return u, s, vt


def _svd(ctx: Lowering, args: Args) -> Value:
    found = bind(ctx, args, ("a", "full_matrices", "compute_uv"), 1)
    matrix = None if found is None else _checked(ctx, args, [found["a"]], (2,))
    if matrix is None:
        return Poison()
    full, vectors = (_truth(found.get(n)) for n in ("full_matrices", "compute_uv"))
    if vectors is False:
        return ArrayValue(_decomposed(ctx, args, matrix[0])[1])
    if full is not False:
        what = f"`{args.name}` with all singular vectors"
        ctx.report(Unsupported(args.span, what, f"write `{args.name}(a, full_matrices=False)`, or `compute_uv=False`"))
        return Poison()
    return TupleValue(tuple(map(ArrayValue, _decomposed(ctx, args, matrix[0]))))


def _truth(v: Value | None) -> bool | None:
    """A literal bool; None where there is none."""
    literal = isinstance(v, ScalarValue) and isinstance(v.atom, Const) and v.atom.type == BOOL
    return bool(v.atom.value) if literal else None


def _svdvals(ctx: Lowering, args: Args) -> Value:
    found = _arrays(ctx, args, ("x",), (2,))
    return Poison() if found is None else ArrayValue(_decomposed(ctx, args, found[0])[1])


# --------------------------------------------------------------------------------------------------------------- norms


def _norm(ctx: Lowering, args: Args) -> Value:
    found = bind(ctx, args, ("x", "ord"), 1)
    given = None if found is None else _checked(ctx, args, [found["x"]], (1, 2))
    if given is None:
        return Poison()
    kind = _order(found.get("ord", NoneValue()))
    x = given[0]
    match rank_of(x), kind:
        case (1, "2" | "") | (2, "fro" | ""):
            return _euclidean(ctx, args, x)
        case 1, "1":
            return _folded(ctx, args, x, lambda total, e: ctx.let(args.hint, "add", (total, e), e.type, args.span))
        case 1, "inf":
            return _folded(ctx, args, x, lambda total, e: ctx.let(args.hint, "maximum", (total, e), e.type, args.span))
        case 2, "2" | "nuc":
            s = ArrayValue(_decomposed(ctx, args, x)[1])
            op = "maximum" if kind == "2" else "add"
            return _folded(ctx, args, s, lambda total, e: ctx.let(args.hint, op, (total, e), e.type, args.span))
    what = f"`{args.name}` of this order"
    ctx.report(Unsupported(args.span, what, "of vectors there are 1, 2 and np.inf, of matrices 'fro', 2 and 'nuc'"))
    return Poison()


def _order(v: Value) -> str:
    match v:
        case NoneValue():
            return ""
        case TextValue(text=text):
            return text
        case ScalarValue(atom=Const(value=value)):
            return f"{value:g}"
    return "?"


def _folded(ctx: Lowering, args: Args, x: AnyArray, step: Callable[[Atom, Atom], Atom]) -> Value:
    dtype = _meet((x,), True)

    def cell(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        e = _scalar(ctx, args, x, index, dtype)
        return (step(carried[0], ctx.let("e", "abs", (e,), e.type, args.span)),)

    return ScalarValue(fold(ctx, shape_of(ctx, x, args.span), (_zero(dtype),), cell, args.span, (args.hint,))[0])


def _euclidean(ctx: Lowering, args: Args, x: AnyArray) -> Value:
    """The root of the sum of squares; its slope at 0 is 0, as that of `abs`."""
    dtype = _meet((x,), True)

    def cell(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        e = _scalar(ctx, args, x, index, dtype)
        return (_multiply_add(ctx, args, carried[0], e, e),)

    total = fold(ctx, shape_of(ctx, x, args.span), (_zero(dtype),), cell, args.span, (args.hint,))[0]
    scalar = Scalar(dtype)
    flat = ctx.let("b", "eq", (total, _zero(dtype)), BOOL, args.span)
    inside = ctx.let("t", "select", (flat, Const(1.0, scalar), total), scalar, args.span)
    root = ctx.let("t", "sqrt", (inside,), scalar, args.span)
    return ScalarValue(ctx.let(args.hint, "select", (flat, _zero(dtype), root), scalar, args.span))


RULES: dict[str, Rule] = {
    "numpy.matmul": _matmul,
    "numpy.dot": _numpy_dot,
    "numpy.inner": _inner,
    "numpy.vdot": _vdot,
    "numpy.outer": _outer,
    "numpy.linalg.solve": _solve,
    "numpy.linalg.inv": _inv,
    "numpy.linalg.det": _det,
    "numpy.linalg.slogdet": _slogdet,
    "numpy.linalg.cholesky": _cholesky,
    "numpy.linalg.eigh": _eigh(True),
    "numpy.linalg.eigvalsh": _eigh(False),
    "numpy.linalg.svd": _svd,
    "numpy.linalg.svdvals": _svdvals,
    "numpy.linalg.norm": _norm,
    **{f"numpy.linalg.{n}": rule for n, rule in (("matmul", _matmul), ("outer", _outer))},
}
