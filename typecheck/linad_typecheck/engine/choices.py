"""Values known at compile time, of which it is decided at run time which one a name holds: states of a machine.

Where two texts, members of an enumeration, functions, or None and one of these meet, `values.join_types` makes a
choice: an int, and the options that it may stand for. The int of an option is the same in the whole program, so a
choice with more options has the same int. What is done with a choice is done with each option (`one_per_option`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from ..ir.core import Atom, Const
from ..span import Span
from ..types import BOOL, F64, I64
from .places import force_delayed
from .short_circuit import one_of, pure
from .state import Ahead, Lowering
from .values import (
    CHOICE, Binding, Bottom, OtherType, ScalarValue, TupleValue, Value, ValueType, as_choice, is_choice, join_types,
    literal, type_of,
)


def chooses(v: Value) -> bool:
    """Whether a value is a choice, or a tuple with choices in it."""
    return is_choice(v) or (isinstance(v, TupleValue) and v.record is None and any(map(chooses, v.items)))


def one_per_option(
    ctx: Lowering, v: TupleValue, use: Callable[[Value], Value], span: Span, hint: str = "t"
) -> Value:
    """The value of ``use`` for the option that a choice holds, or for a tuple of those that its choices hold."""
    if not is_choice(v):
        k = next(k for k, x in enumerate(v.items) if chooses(x))
        put = lambda x: replace(v, items=(*v.items[:k], x, *v.items[k + 1 :]))
        rest = lambda t: one_per_option(ctx, t, use, span, hint) if chooses(t) else use(t)
        return one_per_option(ctx, v.items[k], lambda x: rest(put(x)), span, hint)
    code, *options = v.items
    arms = [ctx.ahead(lambda x=x: force_delayed(ctx, use(x), hint, span)) for x in options]
    answers = [arm.value for arm in arms]
    if all(isinstance(x, ScalarValue) and x.dtype == "bool" and isinstance(x.atom, Const) for x in answers) and not any(
        arm.stmts for arm in arms
    ):
        return _one_of(ctx, code.atom, [x for x, answer in zip(options, answers, strict=True) if answer.atom.value],
                       options, span)
    found = arms.pop()
    for x, arm in zip(reversed(options[:-1]), reversed(arms), strict=True):
        same = (code.atom, Const(ctx.programs.code(x), I64))
        found = ctx.ahead(partial(_either, ctx, same, [arm, found], span, hint))
    return ctx.take(found)


def one_per_number(
    ctx: Lowering, x: Atom, known: Sequence[float], uses: Sequence[Callable[[], Value]], span: Span, hint: str = "t"
) -> Value:
    """The value of the use for the known number that a float64 equals; the last use is for all other numbers."""
    *arms, found = [ctx.ahead(lambda use=use: force_delayed(ctx, use(), hint, span)) for use in uses]
    for k, arm in zip(reversed(known), reversed(arms), strict=True):
        found = ctx.ahead(partial(_either, ctx, (x, Const(float(k), F64)), [arm, found], span, hint))
    return ctx.take(found)


def _one_of(ctx: Lowering, code: Atom, these: list[Value], options: list[Value], span: Span) -> Value:
    """Whether a choice among ``options`` holds one of ``these``."""
    others = [x for x in options if x not in these]
    if not these or not others:
        return literal(bool(these))
    few, op, logic = (these, "eq", "or") if len(these) <= len(others) else (others, "ne", "and")
    found: Atom | None = None
    for x in few:
        test = ctx.let("b", op, (code, Const(ctx.programs.code(x), I64)), BOOL, span)
        found = test if found is None else ctx.let("b", logic, (found, test), BOOL, span)
    return ScalarValue(found, True)


def _either(ctx: Lowering, codes: tuple[Atom, Const], arms: list[Ahead[Value]], span: Span, hint: str) -> Value:
    """The value of one of two arms: the first if a number is the given one."""
    a, b = (arm.value for arm in arms)
    simple = all(isinstance(v, ScalarValue) for v in (a, b)) and type_of(a) == type_of(b)
    if not simple or not all(pure(arm.stmts) and arm.path.env == ctx.env for arm in arms):
        cond = _is(ctx, codes, span)
        return one_of(ctx, cond, arms, (span, span), frozenset(ctx.env), span, hint)
    for arm in arms:
        for s in arm.stmts:
            ctx.emit(s)
    if a == b:
        return a
    cond = _is(ctx, codes, span)
    return ScalarValue(ctx.let(hint, "select", (cond, a.atom, b.atom), a.atom.type, span), a.weak)


def as_choices(ctx: Lowering, items: tuple[Value, ...]) -> tuple[TupleValue, ...] | None:
    """Several values as choices of one type; None if they have none."""
    t: ValueType | None = OtherType(Bottom())
    for x in items:
        t = None if t is None else join_types(t, type_of(x))
    return tuple(as_choice(x, t, ctx.programs.code) for x in items) if is_choice(t) else None


def same_option(ctx: Lowering, a: TupleValue, b: TupleValue, span: Span) -> Value:
    """Whether two choices hold the same option."""
    return ScalarValue(ctx.let("b", "eq", (a.items[0].atom, b.items[0].atom), BOOL, span), True)


def _is(ctx: Lowering, codes: tuple[Atom, Const], span: Span) -> Atom:
    return ctx.let("b", "eq", codes, BOOL, span)


def excluding(ctx: Lowering, b: Binding, holds: Callable[[Value], bool]) -> Binding:
    """The binding of a choice without the options for which something does not hold."""
    code, *options = b.value.items
    left = [v for v in options if holds(v)]
    if len(left) in (0, len(options)):
        return b
    value = left[0] if len(left) == 1 else TupleValue((code, *left), CHOICE)
    return Binding(value, b.span, b.defined, b.shared, b)
