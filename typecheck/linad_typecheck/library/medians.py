"""`np.median`: the middle of the cells in their order."""

from __future__ import annotations

from collections.abc import Callable

from ..arrays.shapes import reshaped
from ..ir.core import Atom, Block, Const, If
from ..engine.numbers import cast
from ..engine.places import force_delayed, fresh_array, nest, plus, put
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import dtype_of
from ..engine.state import ZERO, Lowering
from ..engine.values import ScalarValue, Value
from ..messages.types import WrongType
from ..types import BOOL, FLOATS, I64, Scalar
from .reductions import finish, mean_dtype, reduction
from .sorting import cell_in_order, order_along


def _median(ctx: Lowering, args: Args) -> Value:
    """``np.median(a, axis=None, keepdims=False)``: the mean of the two middle cells; a NaN gives a NaN."""
    given = reduction(ctx, args, "axis keepdims", again=True)
    r, span = given[0], args.span
    if len(r.axes) not in (1, len(r.shape)) or not r.shape:
        raise Refused(
            WrongType(
                span,
                f"`{args.name}` is along one axis, or of all cells of an array",
                f"{len(r.axes)} axes",
                "reshape the array first",
            )
        )
    dtype = mean_dtype(dtype_of(r.array))
    array, axis = force_delayed(ctx, r.array, "t", span), r.axes[0]
    if len(r.axes) == len(r.shape) > 1:
        array, axis = reshaped(ctx, array, ScalarValue(Const(-1, I64), True), args), 0
    n, t = r.count(ctx), Scalar(dtype)
    top = plus(ctx, n, Const(-1, I64), span)
    low, high = (ctx.let("middle", "floordiv", (a, Const(2, I64)), I64, span) for a in (top, n))
    order = order_along(ctx, array, axis, "order", span, (low, high))
    odd, some = (ctx.let("b", op, (a, b), BOOL, span) for op, a, b in (("eq", low, high), ("gt", n, ZERO)))

    def middle(index: tuple[Atom, ...]) -> Atom:
        def cell(k: Atom) -> Atom:
            return cast(
                ctx, cell_in_order(ctx, array, order, (*index[:axis], k, *index[axis:]), axis, span), dtype, span
            )

        with ctx.block() as stmts:
            a, b, last = cell(low), cell(high), cell(top)
            total = ctx.let("t", "add", (a, b), t, span)
            half = ctx.let("t", "div", (total, Const(2.0, t)), t, span)
            found = ctx.let("t", "select", (odd, a, half), t, span)
            if dtype_of(r.array) in FLOATS:  # NaNs are last
                number = ctx.let("b", "eq", (last, last), BOOL, span)
                found = ctx.let("t", "select", (number, found, last), t, span)
        out = ctx.fresh(args.hint, t)
        ctx.emit(If(some, Block(tuple(stmts), (found,)), Block((), (Const(float("nan"), t),)), (out,), span))
        return out

    if not r.kept:
        return finish(ctx, r, middle(()))
    shape = tuple(r.shape[k] for k in r.kept)
    made = fresh_array(ctx, args.hint, shape, dtype, None, span)
    nest(ctx, shape, lambda index: put(ctx, made, index, middle(index), span), span)
    return finish(ctx, r, made)


RULES: dict[str, Callable[[Lowering, Args], Value]] = {"numpy.median": _median}
enter_rules(RULES)
