"""`==`, `in` and `is` of what is no number: tuples, texts, None."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..span import Span
from .context import Lowering
from .numbers import compare, unary
from .places import is_array
from .values import (
    SEQUENCES,
    SILENT,
    NoneValue,
    Poison,
    ScalarValue,
    TextValue,
    TupleValue,
    Value,
    describe,
    literal,
    type_of,
)

_EQUALITIES = (ast.Eq, ast.NotEq)


def of_parts(ctx: Lowering, op: ast.cmpop, a: Value, b: Value, span: Span) -> Value | None:
    """The comparison of two values, if it is not one of numbers or arrays; None if it is."""
    if isinstance(a, SILENT) or isinstance(b, SILENT):
        return Poison() if isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) else None
    match op:
        case ast.Is() | ast.IsNot():
            return _same(ctx, op, a, b, span)
        case ast.In() | ast.NotIn():
            found = _member(ctx, a, b, span)
            return unary(ctx, ast.Not, found, span) if isinstance(op, ast.NotIn) and isinstance(found, ScalarValue) else found
    if isinstance(a, TextValue) and isinstance(b, TextValue) and isinstance(op, _EQUALITIES):
        return literal((a.text == b.text) == isinstance(op, ast.Eq))
    if not (isinstance(a, TupleValue) or isinstance(b, TupleValue)):
        return None
    if isinstance(a, TupleValue) and isinstance(b, TupleValue) and a.record in SEQUENCES and b.record in SEQUENCES and isinstance(op, _EQUALITIES):
        found = _equal(ctx, a, b, span)
        if found is not None:
            return unary(ctx, ast.Not, found, span) if isinstance(op, ast.NotEq) and isinstance(found, ScalarValue) else found
    shown = describe(type_of(a if isinstance(a, TupleValue) else b))
    ctx.report(WrongType(span, "a comparison is of scalars", shown, "compare the parts one by one: `p.x == q.x and ...`"))
    return Poison()


def _same(ctx: Lowering, op: ast.cmpop, a: Value, b: Value, span: Span) -> Value:
    if isinstance(a, NoneValue) or isinstance(b, NoneValue):
        same = isinstance(a, NoneValue) and isinstance(b, NoneValue)
        return literal(same == isinstance(op, ast.Is))
    if all(isinstance(v, ScalarValue) and v.dtype == "bool" and v.weak for v in (a, b)):  # there is one True and one False
        return compare(ctx, ast.Eq if isinstance(op, ast.Is) else ast.NotEq, a, b, span)
    ctx.report(Unsupported(span, "`is`", "compare with `==`"))
    return Poison()


def _equal(ctx: Lowering, a: Value, b: Value, span: Span) -> Value | None:
    """Whether two values are equal; None where that is not a question of numbers."""
    match a, b:
        case TupleValue(items=xs, record=p), TupleValue(items=ys, record=q) if p in SEQUENCES and q in SEQUENCES:
            if len(xs) != len(ys) or p is not q:  # no list is equal to a tuple
                return literal(False)
            return _chain(ctx, True, [lambda x=x, y=y: _equal(ctx, x, y, span) for x, y in zip(xs, ys, strict=True)], span)
        case ScalarValue(), ScalarValue():
            return compare(ctx, ast.Eq, a, b, span)
        case TextValue(text=one), TextValue(text=other):
            return literal(one == other)
        case (NoneValue() | TextValue() | ScalarValue() | TupleValue(), NoneValue() | TextValue() | ScalarValue() | TupleValue()) if type(a) is not type(b):
            return literal(False)
        case NoneValue(), NoneValue():
            return literal(True)
    return None


def _chain(ctx: Lowering, every: bool, tests: list[Callable[[], Value | None]], span: Span) -> Value | None:
    from .expressions import lazily

    if not tests:
        return literal(every)
    first = tests[0]()
    if first is None or len(tests) == 1 or isinstance(first, SILENT):
        return first
    unknown = False

    def rest() -> Value:
        nonlocal unknown
        found = _chain(ctx, every, tests[1:], span)
        unknown |= found is None
        return literal(every) if found is None else found

    value = lazily(ctx, every, first, rest, span, "b")
    return None if unknown else value


def _member(ctx: Lowering, a: Value, b: Value, span: Span) -> Value:
    if isinstance(b, TextValue) and isinstance(a, TextValue):
        return literal(a.text in b.text)
    if isinstance(b, TupleValue) and not b.closed:
        found = _chain(ctx, False, [lambda x=x: _equal(ctx, a, x, span) for x in b.items], span)
        if found is not None:
            return found
    elif is_array(b) and isinstance(a, ScalarValue):
        ctx.report(Unsupported(span, "`in` of an array", "write `np.any(a == x)`"))
        return Poison()
    ctx.report(Unsupported(span, "`in`", "compare with each element: `x == a or x == b`"))
    return Poison()
