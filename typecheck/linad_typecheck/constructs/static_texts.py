"""Strings known at compile time: methods, indexing, concatenation, formatting."""

from __future__ import annotations

import ast
from contextlib import suppress

from ..ir.core import Const
from ..engine.evaluation import CALLS, EXPRESSIONS, expression
from ..engine.refusal import Refused
from ..engine.state import Lowering
from ..engine.values import (
    LIST, SILENT, EntityValue, NoneValue, ScalarValue, TextValue, TupleValue, Value, literal,
)
from ..messages.language import Unsupported
from ..names.scope import EnumMember, External, Opaque
from .quotes import UNFORMATTED, known_value, text_of

METHODS = frozenset((
    "lower upper strip lstrip rstrip startswith endswith replace split rsplit partition rpartition title capitalize "
    "casefold "
    "count find index isalpha isdigit isupper islower removeprefix removesuffix join format zfill"
).split())  # fmt: skip


def method(ctx: Lowering, node: ast.Call, text: str, name: str) -> Value:
    """``text.name(...)`` with known arguments."""
    values = [expression(ctx, a) for a in node.args]
    if any(isinstance(v, SILENT) for v in values):
        raise Refused(None)
    given = [constant_of(v) for v in values]
    if name == "format" and not all(known for known, _ in given):
        return unknown_text(node)
    if name not in METHODS or node.keywords or any(not known for known, _ in given):
        instead = 'choose by the text itself: `if mode == "sum"`'
        raise Refused(Unsupported(ctx.span(node), f"`.{name}` of a text", instead))
    try:
        return value_of(getattr(text, name)(*(v for _, v in given)))
    except (*UNFORMATTED, IndexError, KeyError) as error:
        why = str(error) or type(error).__name__
        raise Refused(Unsupported(ctx.span(node), f"`.{name}` of {text!r}, which fails ({why}),"))


def constant_of(v: Value) -> tuple[bool, object]:
    """Whether a value is a Python value known at compile time, and that value."""
    if isinstance(v, TupleValue) and v.listed:
        found = [constant_of(x) for x in v.items]
        return all(known for known, _ in found), [x for _, x in found]
    return known_value(v)


def value_of(constant: object) -> Value:
    """The result of a string method as a value."""
    match constant:
        case str():
            return TextValue(constant)
        case None:
            return NoneValue()
        case EnumMember(name=name):
            return EntityValue(constant, name)
        case tuple() | list():
            return TupleValue(tuple(map(value_of, constant)), LIST if isinstance(constant, list) else None)
    return literal(constant)


def formatted(ctx: Lowering, node: ast.JoinedStr) -> TextValue | None:
    """A formatted string whose parts are all known; None otherwise."""
    found = text_of(ctx, node)
    return None if found is None else TextValue(found)


def item(ctx: Lowering, node: ast.Subscript, text: str) -> Value | None:
    """``text[k]`` and ``text[lo:hi]``; None if the index is not known."""

    def bound(n: ast.expr | None) -> tuple[bool, object]:
        value = NoneValue() if n is None else expression(ctx, n)
        if isinstance(value, SILENT):
            raise Refused(None, value)
        return constant_of(value)

    parts = (
        (node.slice.lower, node.slice.upper, node.slice.step) if isinstance(node.slice, ast.Slice) else (node.slice,)
    )
    found = [bound(n) for n in parts]
    if not all(known and (x is None or type(x) is int) for known, x in found):
        return None
    numbers = [x for _, x in found]
    try:
        return TextValue(text[slice(*numbers)] if len(numbers) == 3 else text[numbers[0]])
    except (IndexError, TypeError):
        return None


_UNTOLD = "a text that is not known when the function is compiled"


def unknown_text(node: ast.expr) -> EntityValue:
    """A string computed at run time. It may only be used in messages of exceptions."""
    return EntityValue(Opaque(_UNTOLD, "format it outside the function"), ast.unparse(node))


def _is_text(v: Value) -> bool:
    return isinstance(v, TextValue) or (
        isinstance(v, EntityValue) and isinstance(v.entity, Opaque) and v.entity.what == _UNTOLD
    )


def added(a: Value, b: Value, node: ast.BinOp) -> Value | None:
    """``a + b``, ``a * n`` and ``a % b`` of texts; None for anything else."""
    op = node.op
    match a, b, op:
        case TextValue(text=x), TextValue(text=y), ast.Add():
            return TextValue(x + y)
        case (TextValue(text=x), ScalarValue(weak=True) as n, ast.Mult()):
            known, count = constant_of(n)
            return TextValue(x * count) if known and type(count) is int and count < 1000 else None
        case TextValue(text=x), _, ast.Mod():
            known, constant = constant_of(b)
            if known:
                with suppress(*UNFORMATTED):
                    return TextValue(x % constant)
    joined = isinstance(op, ast.Add) and _is_text(a) and _is_text(b)
    return unknown_text(node) if joined or (isinstance(op, ast.Mod) and _is_text(a)) else None


def _formatted(ctx: Lowering, node: ast.JoinedStr, hint: str) -> Value:
    return formatted(ctx, node) or unknown_text(node)


EXPRESSIONS[ast.JoinedStr] = _formatted


def text_of_class(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``str(x)``: what is not known of it is left out; None for a call with other arguments."""
    if len(node.args) != 1 or node.keywords:
        return None
    value = expression(ctx, node.args[0])
    match value:
        case TextValue():
            return value
        case EntityValue(entity=External(dotted=cls)):
            return TextValue(f"<class '{cls.removeprefix('builtins.')}'>")
        case ScalarValue(atom=Const(value=number), weak=True):
            return TextValue(str(number))
        case NoneValue():
            return TextValue("None")
    return value if isinstance(value, SILENT) else unknown_text(node)


CALLS["builtins.str"] = text_of_class
CALLS["builtins.repr"] = lambda ctx, node, dotted, name, hint: unknown_text(node)
