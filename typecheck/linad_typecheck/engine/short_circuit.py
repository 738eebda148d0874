"""Short-circuit evaluation: `and`, `or`, conditional expressions."""

from __future__ import annotations

from collections.abc import Callable

from ..ir.core import Atom, Const, Let
from ..messages.types import WrongType
from ..ops import OPS
from ..span import Span
from ..types import BOOL
from .arithmetic import truth
from .joins import Arm, join
from .state import Ahead, Lowering
from .values import (
    ArrayType, Binding, Bottom, Poison, ScalarValue, UnionType, Value, ViewType, contains, describe, type_of,
)  # fmt: skip


def lazily(ctx: Lowering, is_and: bool, first: Value, second: Callable[[], Value], span: Span, hint: str) -> Value:
    """``first and second()`` or ``first or second()``."""
    cond = truth(ctx, first, span)
    if isinstance(cond, Const):
        return second() if cond.value == is_and else first
    found = ctx.ahead(second)
    value = found.value
    both = all(isinstance(v, ScalarValue) and v.dtype == "bool" for v in (first, value))
    if both and pure(found.stmts) and found.path.env == ctx.env:
        for s in found.stmts:
            ctx.emit(s)
        if isinstance(value.atom, Const):  # `x > 3.0 and DEBUG`
            return first if value.atom.value == is_and else value
        out = ctx.let("b", "and" if is_and else "or", (cond, value.atom), BOOL, span)
        return ScalarValue(out, first.weak and value.weak)
    arms = [found, Ahead(first, [], ctx.path)]
    return one_of(ctx, cond, arms if is_and else arms[::-1], (span, span), frozenset(ctx.env), span, hint)


def pure(stmts: list) -> bool:
    return all(isinstance(s, Let) and not OPS[s.op].expensive and s.op not in ("floordiv", "mod") for s in stmts)


def one_of(
    ctx: Lowering,
    cond: Atom,
    arms: list[Ahead[Value]],
    spans: tuple[Span, ...],
    live: frozenset[str],
    span: Span,
    hint: str,
) -> Value:
    """The value of one of two arms, by a condition."""
    key = f"%{hint}"
    # a part that depends on a recursive call of unknown type: the other arm may be the base case
    values = [Bottom() if contains(arm.value, Bottom) else arm.value for arm in arms]
    types = [type_of(v) for v in values]
    named = {n for arm in arms for n in arm.path.env if n[0] != "%"}  # `:=` binds names in one arm only
    live = live | named if len({len(arm.path.env) for arm in arms}) > 1 else live
    ends = [arm.path.naming(key, Binding(v, at)) for arm, v, at in zip(arms, values, spans, strict=True)]
    join(ctx, cond, [Arm(arm.stmts, end) for arm, end in zip(arms, ends, strict=True)], live, span)
    value = ctx.unbind(key).value
    if isinstance(value, Poison) and not any(describe(t) == "unknown" for t in types):
        one, other = map(describe, types)
        arrays = all(isinstance(t, ArrayType | ViewType | UnionType) for t in types)
        instead = "convert one of them" + ": `.astype(np.float64)`" * (arrays and types[0].rank == types[1].rank)
        ctx.report(WrongType(span, f"both sides must have one type; one is {one}", f"{other}", instead))
    return value
