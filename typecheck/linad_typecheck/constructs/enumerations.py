"""Enumerations: the members of a class as a tuple, and members by name and by value."""

from __future__ import annotations

import ast

from ..engine.arithmetic import compare
from ..engine.choices import as_choices, one_per_option
from ..engine.refusal import Refused
from ..engine.state import FALSE, Lowering
from ..engine.values import (
    CHOICE, SILENT, EntityValue, ScalarValue, TextValue, TupleValue, Value, describe, is_choice, literal, type_of,
)  # fmt: skip
from ..ir.core import Check, Const
from ..messages.types import WrongType
from ..names.scope import EnumClass, EnumMember, dict_class
from ..span import Span
from ..types import BOOL, I64


def members(v: Value) -> TupleValue | None:
    """The members of an enumeration, in their order; None for any other value."""
    if not (isinstance(v, EntityValue) and isinstance(v.entity, EnumClass)):
        return None
    return TupleValue(tuple(EntityValue(m, f"{v.name}.{m.name}") for m in v.entity.members))


def attribute(v: EntityValue, name: str) -> Value | None:
    """``C.RED`` and ``C.__members__``; None for other attributes."""
    known = v.entity.by_name
    if name == "__members__":
        found = tuple(EntityValue(m, f"{v.name}.{m.name}") for m in known.values())
        return TupleValue(found, dict_class(tuple(known)))
    return EntityValue(known[name], f"{v.name}.{name}") if name in known else None


def by_name(ctx: Lowering, v: EntityValue, key: Value, span: Span) -> Value:
    """``C["RED"]``."""
    if is_choice(key):
        return one_per_option(ctx, key, lambda k: by_name(ctx, v, k, span), span)
    if isinstance(key, TextValue):
        found = attribute(v, key.text) if key.text in v.entity.by_name else None
        if found is None:
            raise _missing(ctx, "KeyError", f"`{v.name}` has a member `{key.text}`", v, span)
        return found
    told = WrongType(span, "a member of an enumeration is found by its name", describe(type_of(key)))
    raise Refused(None if isinstance(key, SILENT) else told)


def by_value(ctx: Lowering, v: EntityValue, value: Value, span: Span) -> Value:
    """``C(1)``; of an int known only at run time, one of the members."""
    if is_choice(value):
        return one_per_option(ctx, value, lambda x: by_value(ctx, v, x, span), span)
    all_ = members(v)
    if value in all_.items:
        return value
    known = value.text if isinstance(value, TextValue) else None
    if isinstance(value, ScalarValue) and isinstance(value.atom, Const):
        known = value.atom.value
    if known is not None:
        found = next((m for m in all_.items if _is_plain(m.entity) and m.entity.value == known), None)
        if found is None:
            raise _missing(ctx, "ValueError", f"`{v.name}` has a member with the value {known!r}", v, span)
        return found
    numbers = [m for m in all_.items if type(m.entity.value) in (int, float, bool)]
    options = as_choices(ctx, all_.items) if isinstance(value, ScalarValue) and numbers else None
    if options is None:
        told = WrongType(span, "a member of an enumeration is found by its value", describe(type_of(value)))
        raise Refused(None if isinstance(value, SILENT) else told)
    code, some = Const(0, I64), FALSE
    for m in numbers:
        same = compare(ctx, ast.Eq, value, literal(m.entity.value), span).atom
        code = ctx.let("code", "select", (same, Const(ctx.programs.code(m), I64), code), I64, span)
        some = same if some == FALSE else ctx.let("some", "or", (some, same), BOOL, span)
    ctx.emit(Check(some, "ValueError", f"{{0}} is not a valid {v.name}", (value.atom,), span))
    return TupleValue((ScalarValue(code, True), *options[0].items[1:]), CHOICE)


def _is_plain(m: EnumMember) -> bool:
    return isinstance(m.value, int | float | str)


def _missing(ctx: Lowering, error: str, told: str, v: EntityValue, span: Span) -> Refused:
    ctx.raised(error)
    names = f"its members are {', '.join(v.entity.by_name)}"
    return Refused(WrongType(span, told, f"a {error} in Python", names))
