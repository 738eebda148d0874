"""Array expressions: scalar rules applied elementwise, with NumPy's broadcasting.

The result is a `Delayed` expression. A whole tree of elementwise operations becomes one loop nest without temporaries
where it is stored or reduced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.core import Atom, Const, Let
from ..ops import OPS
from ..span import Span
from ..types import Scalar
from .places import check_stretch, is_one, materialise, read, tests_of
from .provenance import sizes_differ
from .refusal import Refused
from .sizes import AnyArray, dtype_of, is_array, rank_of, shape_of
from .state import ONE, ZERO, Lowering
from .values import Delayed, ScalarValue, TupleValue, Value


def lift(
    ctx: Lowering, values: Sequence[Value], apply: Callable[[tuple[Value, ...]], Value], span: Span, hint: str = "t"
) -> Value:
    """Apply ``apply`` to the values, elementwise if there are arrays among them."""
    given = [v for v in values if is_array(v)]
    if not given:
        return apply(tuple(values))
    shape = broadcast(ctx, given, span)
    values = [force_if_repeated(ctx, v, shape, span, hint) if is_array(v) else v for v in values]
    with ctx.block() as stmts:  # a trial run on arbitrary scalars: the dtype of the result, and its cost
        cell = apply(tuple(ScalarValue(ctx.fresh("e", Scalar(dtype_of(v)))) if is_array(v) else v for v in values))
    if isinstance(cell, TupleValue):  # several results, each in its own array
        return TupleValue(tuple(lift(ctx, values, _item(apply, k), span, hint) for k in range(len(cell.items))))
    if not isinstance(cell, ScalarValue):
        return cell
    if not shape:
        return apply(tuple(read(ctx, v, (), span) if is_array(v) else v for v in values))

    own = [spread(ctx, v, span) if is_array(v) else None for v in values]

    def at(index: tuple[Atom, ...]) -> ScalarValue:
        return apply(tuple(v if f is None else f(index) for v, f in zip(values, own, strict=True)))

    parts = [v for v in values if isinstance(v, Delayed)]
    expensive = any(isinstance(s, Let) and OPS[s.op].expensive for s in stmts) or any(v.expensive for v in parts)
    return Delayed(cell.dtype, shape, at, reads(ctx, values, shape, span), expensive, tests=tests_of(*parts))


def _item(apply: Callable[[tuple[Value, ...]], Value], k: int) -> Callable[[tuple[Value, ...]], Value]:
    """``apply`` restricted to its ``k``-th result."""

    def item(values: tuple[Value, ...]) -> Value:
        found = apply(values)
        return found.items[k] if isinstance(found, TupleValue) else found

    return item


def reads(
    ctx: Lowering, values: Sequence[Value], shape: Sequence[Atom], span: Span
) -> tuple[tuple[AnyArray, bool], ...]:
    """The arrays that an elementwise expression of these operands reads, and whether at its own index alone."""
    found: list[tuple[AnyArray, bool]] = []
    for v in values:
        if not is_array(v):
            continue
        aligned = rank_of(v) == len(shape) and all(
            n == m or not is_one(ctx, n) for n, m in zip(shape_of(ctx, v, span), shape, strict=True)
        )
        if isinstance(v, Delayed):
            found += [(a, aligned and at_own) for a, at_own in v.reads]
        else:
            found.append((v, aligned))
    return tuple(dict.fromkeys(found))


def broadcast(ctx: Lowering, given: Sequence[AnyArray], span: Span) -> tuple[Atom, ...]:
    """The shape that arrays broadcast to.

    An axis of size 1 is stretched if its size is known to be 1. Sizes that are not known to be equal are checked at run
    time.
    """
    shapes = [shape_of(ctx, v, span) for v in given]
    return common_shape(ctx, shapes, span)


def common_shape(
    ctx: Lowering, shapes: Sequence[tuple[Atom, ...]], span: Span, what: str = "operands", error: str = "ValueError"
) -> tuple[Atom, ...]:
    rank = max(map(len, shapes))
    out: list[Atom] = []
    args = tuple(n for s in shapes for n in s)
    message = f"{what} could not be broadcast together with shapes {shapes_text(shapes)}"
    for axis in range(-rank, 0):
        sizes = list(dict.fromkeys(s[axis] for s in shapes if len(s) >= -axis and s[axis] != ONE))
        known = [n for n in sizes if isinstance(n, Const)]
        if len(known) > 1:
            sizes_differ(
                ctx, span, f"operands of sizes {known[0].value} and {known[1].value} do not broadcast together"
            )
            raise Refused(None)
        size = (known or [n for n in sizes if not is_one(ctx, n)] or sizes or [ONE])[0]
        for n in sizes:
            check_stretch(ctx, n, size, message, args, span, error)
        out.append(size)
    return tuple(out)


def shapes_text(shapes: Sequence[Sequence[Atom]]) -> str:
    """Shapes as NumPy writes them, with a placeholder per size."""
    k, out = 0, []
    for s in shapes:
        parts = [f"{{{k + j}}}" for j in range(len(s))]
        k += len(s)
        out.append(f"({','.join(parts)}{',' if len(parts) == 1 else ''})")
    return " ".join(out)


def spread(ctx: Lowering, v: AnyArray, span: Span) -> Callable[[tuple[Atom, ...]], ScalarValue]:
    """A function from an index of the broadcast shape to the cell of the operand."""
    single = [is_one(ctx, n) for n in shape_of(ctx, v, span)]
    rank = len(single)

    def at(index: tuple[Atom, ...]) -> ScalarValue:
        mine = index[len(index) - rank :]
        return read(ctx, v, tuple(ZERO if one else i for i, one in zip(mine, single, strict=True)), span)

    return at


def force_if_repeated(ctx: Lowering, v: AnyArray, shape: tuple[Atom, ...], span: Span, hint: str) -> AnyArray:
    """``v``, evaluated first if broadcasting would compute its cells several times."""
    if not (isinstance(v, Delayed) and v.expensive):
        return v
    repeated = len(v.shape) < len(shape) or any(n != m and is_one(ctx, n) for n, m in zip(v.shape, shape, strict=True))
    return materialise(ctx, v, hint, span) if repeated else v
