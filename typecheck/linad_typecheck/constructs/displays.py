"""`np.array` of a list display, whose elements are not evaluated yet."""

from __future__ import annotations

import ast

from ..arrays.arguments import dtype_of
from ..arrays.axes import RULES as AXES
from ..arrays.from_parts import ROWS, Stacked, array_of_cells, collect, shape_of_parts
from ..ir.core import Const
from ..engine.complexes import as_complex, pair
from ..engine.evaluation import CALLS, expression, usable
from ..engine.provenance import user_name
from ..engine.refusal import Refused
from ..engine.rulebook import Args
from ..engine.sizes import is_array, rank_of
from ..engine.state import Lowering
from ..engine.values import ArrayValue, NoneValue, ScalarValue, Value, is_complex, literal
from ..library.complexes import complex_dtype
from ..messages.language import BadCall
from ..types import DType
from .comprehensions import array_from
from .iterables import listed
from .static_lists import as_sequence


def array_of(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``np.array([...])``, of nested lists of scalars, or a copy of an array."""
    span = ctx.span(node)
    dtype: DType | None = None
    wanted = [k.value for k in node.keywords if k.arg == "dtype"] + node.args[1:2]
    options = {k.arg: k.value for k in node.keywords if k.arg in ("copy", "order", "subok", "ndmin", "like")}
    if not node.args or len(node.args) > 2 or len(wanted) + len(options) != len(node.keywords) + len(node.args) - 1:
        raise Refused(BadCall(span, name, "takes a list of scalars, a dtype, `copy` and `ndmin`"))
    if options:
        return _with_options(ctx, node, options, dotted, name, hint)
    what = node.args[0]
    if wanted:
        given = expression(ctx, wanted[0])
        if complex_dtype(given) is not None:
            keywords = [k for k in node.keywords if k.arg != "dtype"]
            plain = ast.copy_location(ast.Call(node.func, node.args[:1], keywords), node)
            made = as_complex(ctx, array_of(ctx, plain, dotted, name, hint), span)
            return pair(ctx, *made.items, span, hint) if is_complex(made) else made
        dtype = None if isinstance(given, NoneValue) else dtype_of(ctx, given, span)
        if dtype is None and not isinstance(given, NoneValue):
            raise Refused(None)
    if isinstance(what, (ast.ListComp, ast.GeneratorExp)):
        return array_from(ctx, what, dtype, hint)
    cells: list[ScalarValue] = []
    return array_of_cells(ctx, _collect(ctx, what, cells), cells, dtype, hint, span, name)


def _with_options(
    ctx: Lowering, node: ast.Call, options: dict[str, ast.expr], dotted: str, name: str, hint: str
) -> Value:
    """``np.array(x, copy=False, ndmin=2)``: without a copy it is `np.asarray`; axes of size 1 are prepended."""
    given = {k: expression(ctx, v) for k, v in options.items()}
    rank, lazily = given.get("ndmin", literal(0)), given.get("copy") in (literal(False), NoneValue())
    if not (isinstance(rank, ScalarValue) and isinstance(rank.atom, Const)):
        raise Refused(BadCall(ctx.span(node), name, "takes a literal `ndmin`"))
    plain = ast.copy_location(ast.Call(node.func, node.args, [k for k in node.keywords if k.arg == "dtype"]), node)
    made = array_of(ctx, plain, dotted, "np.asarray" if lazily else name, hint)
    count = int(rank.atom.value)
    if not is_array(made) or count <= rank_of(made):
        return made
    if count > 2:
        raise Refused(BadCall(ctx.span(node), name, "takes an `ndmin` of at most 2, or of the rank that it has"))
    more = f"numpy.atleast_{count}d"
    return AXES[more](ctx, Args(name, ctx.span(node), (made,), {}, hint, function=more))


def _collect(ctx: Lowering, node: ast.expr, cells: list[ScalarValue]) -> tuple[int, ...] | ArrayValue | Stacked | None:
    """The scalars of nested lists in order, and their shape. An array is returned as it is."""
    if not isinstance(node, (ast.List, ast.Tuple)):
        value = usable(ctx, expression(ctx, as_sequence(ctx, node)), user_name(node) or "the list", ctx.span(node))
        return collect(ctx, listed(ctx, value, ctx.span(node)), cells, ctx.span(node))
    if any(isinstance(e, ast.Starred) for e in node.elts):
        value = expression(ctx, ast.copy_location(ast.List(node.elts, ast.Load()), node))
        return collect(ctx, value, cells, ctx.span(node))
    shapes = [_collect(ctx, e, cells) for e in node.elts]
    return shape_of_parts(ctx, shapes, cells, ctx.span(node))


def _row(ctx: Lowering, node: ast.List | ast.Tuple) -> Value:
    cells: list[ScalarValue] = []
    return array_of_cells(ctx, _collect(ctx, node, cells), cells, None, "row", ctx.span(node), "np.array")


LITERALS = ("numpy.array", "numpy.asarray", "numpy.asanyarray")


CALLS.update(dict.fromkeys(LITERALS, array_of))
ROWS.update(dict.fromkeys((ast.List, ast.Tuple), _row))
