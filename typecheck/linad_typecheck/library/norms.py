"""`np.linalg.norm` of vectors and matrices, whole and along axes. Its slope at 0 is 0, as for `abs`."""

from __future__ import annotations

from collections.abc import Callable

from ..arrays.operands import bound, flag
from ..arrays.shapes import axes_of
from ..ir.core import Atom, Const
from ..engine.places import fold
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, shape_of
from ..engine.state import Lowering
from ..engine.values import ArrayValue, NoneValue, ScalarValue, TextValue, TupleValue, Value, literal
from ..engine.snippets import snippet_value
from ..messages.language import Unsupported
from ..types import BOOL, FLOATS, I64, MAX_RANK, Scalar
from .linalg import decomposed
from .products import cell_of, checked_arrays, common_dtype, multiply_add, nothing
from .reductions import accumulate, cells, finish, mapped, op, reduction, rooted

Rule = Callable[[Lowering, Args], Value]
NONE = NoneValue()


def _norm(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "ord axis keepdims")
    if _is_number(found["x"]) and all(isinstance(found.get(k, NONE), NoneValue) for k in ("ord", "axis")):
        return snippet_value(ctx, args, "np.abs(x * 1.0)", x=found["x"])
    given = checked_arrays(ctx, args, [found["x"]], range(1, MAX_RANK + 1))
    kind = _order(found.get("ord", NoneValue()))
    x = given[0]
    if (
        not isinstance(found.get("axis", NoneValue()), NoneValue)
        or "keepdims" in found
        or (rank_of(x) > 2 and kind == "")
    ):
        return _norm_along(ctx, args, kind, found)
    match rank_of(x), kind:
        case (1, "2" | "") | (2, "fro" | ""):
            return _euclidean(ctx, args, x)
        case 1, "1":
            return _folded(ctx, args, x, lambda total, e: ctx.let(args.hint, "add", (total, e), e.type, args.span))
        case 1, "inf":
            return _folded(ctx, args, x, lambda total, e: ctx.let(args.hint, "maximum", (total, e), e.type, args.span))
        case 2, "2" | "nuc":
            s = ArrayValue(decomposed(ctx, args, x)[1])
            op = "maximum" if kind == "2" else "add"
            return _folded(ctx, args, s, lambda total, e: ctx.let(args.hint, op, (total, e), e.type, args.span))
    return _other_norm(ctx, args, x, found, kind)


def _is_number(v: Value) -> bool:
    return isinstance(v, ScalarValue) or is_array(v) and not rank_of(v)


def _norm_along(ctx: Lowering, args: Args, kind: str, found: dict[str, Value]) -> Value:
    """The norms of the vectors along one axis, or of the matrices along two.

    They are the root of the sum of squares, with slope 0 at 0, or for vectors the sum or the maximum of absolute
    values.
    """
    given = reduction(ctx, args, "ord axis keepdims", again=True)
    r = given[0]
    dtype, count = common_dtype((r.array,), True), len(r.axes)
    plain = cells(ctx, r, dtype)
    size = lambda index: ctx.let("e", "abs", (plain(index),), Scalar(dtype), args.span)
    square = lambda index: ctx.let("t", "powi", (plain(index), Const(2, I64)), Scalar(dtype), args.span)
    if kind == "" or (count, kind) in ((1, "2"), (2, "fro")):
        total = accumulate(ctx, r, nothing(dtype), op(ctx, "add", r), square, True)
        return finish(ctx, r, mapped(ctx, r, total, lambda a: rooted(ctx, r, a)))
    if count == 1 and kind in ("1", "inf"):
        name = "add" if kind == "1" else "maximum"
        return finish(ctx, r, accumulate(ctx, r, nothing(dtype), op(ctx, name, r), size, kind == "1"))
    return _other_norm(ctx, args, r.array, found, kind)


_VECTORS = {
    "-inf": "np.min(np.abs(x), axis=axis, keepdims=kept)",
    "0": "np.sum((x != 0).astype(kind), axis=axis, keepdims=kept)",
    "p": """
        t = np.sum(np.abs(x) ** p, axis=axis, keepdims=kept)
        np.where(t == 0, 0.0, np.where(t == 0, 1.0, t) ** (1.0 / p))
    """,
    "-p": """
        size = np.abs(x)
        t = np.sum(np.where(size == 0, np.inf, np.where(size == 0, 1.0, size) ** p), axis=axis, keepdims=kept)
        np.where(t == 0, np.inf, np.where(np.isinf(t), 0.0, np.where((t == 0) | np.isinf(t), 1.0, t) ** (1.0 / p)))
    """,  # 0 if a cell is 0, with slope 0 as for `abs`; infinite if there are no cells or only infinite ones
}
_MATRICES = {  # of matrices along the last two axes; the largest of no sums is 0
    "1": "np.linalg.norm(np.sum(np.abs(x), axis=-2), np.inf, axis=-1)",
    "-1": "np.min(np.sum(np.abs(x), axis=-2), axis=-1)",
    "inf": "np.linalg.norm(np.sum(np.abs(x), axis=-1), np.inf, axis=-1)",
    "-inf": "np.min(np.sum(np.abs(x), axis=-1), axis=-1)",
    "-2": "np.min(np.linalg.svdvals(x))",
}


def _other_norm(ctx: Lowering, args: Args, x: AnyArray, found: dict[str, Value], kind: str) -> Value:
    """The less common orders. The slope of the root of a sum is 0 where the sum is 0."""
    rank = rank_of(x)
    given = found.get("axis", NoneValue())
    axes = tuple(range(rank)) if isinstance(given, NoneValue) else axes_of(ctx, given, rank, args.span, lists=False)
    kept = flag(ctx, found, "keepdims", False, args.span)
    of_floats = "np.float32" if common_dtype((x,), True) == "f32" else "np.float64"
    if dtype_of(x) not in FLOATS:
        x = snippet_value(ctx, args, "x.astype(np.float64)", x=x)
    if len(axes) == 1 and kind not in ("?", "fro", "nuc"):
        text = _VECTORS.get(kind, _VECTORS["-p" if kind.startswith("-") else "p"]).replace("kind", of_floats)
        return snippet_value(ctx, args, text, x=x, axis=literal(axes[0]), kept=literal(kept), p=literal(float(kind)))
    if len(axes) == 2 and kind in _MATRICES and not (kind == "-2" and rank > 2) and not kept:
        last = snippet_value(
            ctx, args, "np.moveaxis(x, axes, (-2, -1))", x=x, axes=TupleValue(tuple(map(literal, axes)))
        )
        return snippet_value(ctx, args, _MATRICES[kind], x=last)
    what = f"`{args.name}` of this order"
    instead = (
        "the order is a literal: of vectors a number or np.inf, of matrices 'fro', 'nuc', 1, 2 or np.inf; loop over "
        "stacks of matrices"
    )
    raise Refused(Unsupported(args.span, what, instead))


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
    dtype = common_dtype((x,), True)

    def cell(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        e = cell_of(ctx, args, x, index, dtype)
        return (step(carried[0], ctx.let("e", "abs", (e,), e.type, args.span)),)

    return ScalarValue(fold(ctx, shape_of(ctx, x, args.span), (nothing(dtype),), cell, args.span, (args.hint,))[0])


def _euclidean(ctx: Lowering, args: Args, x: AnyArray) -> Value:
    """The root of the sum of squares; its slope at 0 is 0, as for `abs`."""
    dtype = common_dtype((x,), True)

    def cell(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        e = cell_of(ctx, args, x, index, dtype)
        return (multiply_add(ctx, args, carried[0], e, e),)

    total = fold(ctx, shape_of(ctx, x, args.span), (nothing(dtype),), cell, args.span, (args.hint,))[0]
    scalar = Scalar(dtype)
    flat = ctx.let("b", "eq", (total, nothing(dtype)), BOOL, args.span)
    inside = ctx.let("t", "select", (flat, Const(1.0, scalar), total), scalar, args.span)
    root = ctx.let("t", "sqrt", (inside,), scalar, args.span)
    return ScalarValue(ctx.let(args.hint, "select", (flat, nothing(dtype), root), scalar, args.span))


RULES: dict[str, Rule] = {"numpy.linalg.norm": _norm}
enter_rules(RULES)
