"""Messages of raised exceptions: strings, and formatted strings with numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from itertools import count
from string import Formatter

from ..ir.core import Atom, Const
from ..engine.entities import named
from ..engine.evaluation import expression
from ..engine.state import Lowering
from ..engine.values import SILENT, NoneValue, ScalarValue, TextValue, TupleValue, Value
from ..names.scope import Constant, External
from ..types import FLOATS

Message = tuple[str, tuple[Atom, ...]]  # a template and its arguments
Part = str | tuple[Atom, str]  # a string, or a number with its conversion and format, ``!r:>8``


def message_of(ctx: Lowering, node: ast.expr) -> Message:
    """The template of a message, with dots for unknown parts.

    Constants become part of the text. Numbers are formatted if they are names or sizes. Other expressions are left out:
    arguments are computed before it is known whether the error occurs, and their evaluation might fail.
    """
    parts = _parts(ctx, node)
    return _template(_texts(node) if parts is None else parts)


def _template(parts: list[Part]) -> Message:
    template, quoted = "", []
    for part in parts:
        if isinstance(part, str):
            template += part.replace("{", "{{").replace("}", "}}")
        else:
            template += f"{{{len(quoted)}{part[1]}}}"
            quoted.append(part[0])
    return template, tuple(quoted)


def _texts(node: ast.expr) -> list[Part]:
    """The strings in a message, with dots for unknown parts."""
    match node:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.JoinedStr(values=values):
            return [part for v in values for part in _texts(v)]
        case ast.BinOp(left=left, right=right, op=ast.Add()):
            return [*_texts(left), *_texts(right)]
        case ast.BinOp(left=ast.Constant(value=str() as text), op=ast.Mod()):
            return [_DIRECTIVE.sub("...", text)]
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="format")):
            return [re.sub(r"\{[^{}]*\}", "...", text)]
    return ["..."]


def _parts(ctx: Lowering, node: ast.expr) -> list[Part] | None:
    match node:
        case ast.JoinedStr(values=values):
            return _joined(_parts(ctx, v) for v in values)
        case ast.FormattedValue(value=value, conversion=conversion, format_spec=spec):
            how = "" if spec is None else text_of(ctx, spec)
            return None if how is None else _quoted(_value(ctx, value), chr(conversion) if conversion > 0 else "", how)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined(_parts(ctx, side) for side in (left, right))
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            text = text_of(ctx, left)
            return None if text is None else _printed(ctx, text, right)
        case ast.Call(func=func, args=[value], keywords=[]) if named(ctx, func) == External("builtins.str"):
            return _quoted(_value(ctx, value), "s", "")
        case ast.Call(func=ast.Attribute(value=left, attr="format"), args=args, keywords=keywords):
            text = text_of(ctx, left)
            return None if text is None else _filled(ctx, text, args, keywords)
    value = _value(ctx, node)
    return [value.text] if isinstance(value, TextValue) else [] if isinstance(value, SILENT) else None


def _joined(parts: Iterable[list[Part] | None]) -> list[Part] | None:
    found: list[Part] = []
    for some in parts:
        if some is None:
            return None
        found += some
    return found


def text_of(ctx: Lowering, node: ast.expr) -> str | None:
    """A string that is known at compile time."""
    parts = _parts(ctx, node)
    return "".join(parts) if parts is not None and all(isinstance(p, str) for p in parts) else None


# ------------------------------------------------------------------------------------------------------- formats


def _filled(ctx: Lowering, text: str, args: list[ast.expr], keywords: list[ast.keyword]) -> list[Part] | None:
    """``text.format(*args, **keywords)``."""
    given = {str(k): _value(ctx, a) for k, a in enumerate(args)} | {str(k.arg): _value(ctx, k.value) for k in keywords}
    places, found = count(), []
    try:
        fields = list(Formatter().parse(text))
    except ValueError:
        return None
    for plain, name, how, conversion in fields:
        found.append([plain])
        if name is not None:
            found.append(_quoted(given.get(name or str(next(places))), conversion or "", how))
    return None if None in given.values() else _joined(found)


# what Python raises for a value that has no such format, `"%c" % 99999999` and a text too long for the memory included
UNFORMATTED = (ValueError, TypeError, OverflowError, MemoryError)
_DIRECTIVE = re.compile(r"%(?:%|([-+ #0]*)(\d*)((?:\.\d+)?)([diuoxXeEfFgGsra]))")


def _printed(ctx: Lowering, text: str, right: ast.expr) -> list[Part] | None:
    """``text % right``."""
    several = isinstance(right, ast.Tuple)
    values = [_value(ctx, n) for n in (right.elts if several else [right])]
    if not several and isinstance(values[0], TupleValue):
        return None
    given, found, end = iter(values), [], 0
    for m in _DIRECTIVE.finditer(text):
        found.append([text[end : m.start()]])
        end, (flags, width, precision, kind) = m.end(), m.groups()
        if kind is None:
            found.append(["%"])
            continue
        align = "<" if "-" in flags else ">"
        if kind in "sra":
            how = f"{align if width else ''}{width}{precision}"
            found.append(None if set(flags) - {"-"} else _quoted(next(given, None), kind, how))
        else:
            zero = "" if "-" in flags or "0" not in flags else "0"
            sign = next((c for c in "+ " if c in flags), "") + ("#" if "#" in flags else "") + zero
            how = f"{'' if zero else align}{sign}{width}{precision}{'d' if kind in 'iu' else kind}"
            found.append(_quoted(next(given, None), "", how))
    found.append([text[end:]])
    odd = any("%" in part for parts in found[::2] for part in parts or ())
    return None if odd or list(given) else _joined(found)


# -------------------------------------------------------------------------------------------------------- values


def _value(ctx: Lowering, node: ast.expr) -> Value | None:
    """The value to format; None if its evaluation might fail."""
    return expression(ctx, node, "t") if _is_known(ctx, node) else None


def _is_known(ctx: Lowering, node: ast.expr) -> bool:
    """Whether the evaluation of an expression cannot fail: a constant, a name, a size of a named array, or a sum of
    numbers."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
            return _is_number(ctx, node)
        case ast.Constant() | ast.Name() | ast.Attribute(value=ast.Name(), attr="size" | "ndim"):
            return True
        case ast.Attribute():
            return isinstance(named(ctx, node), Constant)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()], keywords=[]):
            return True
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=ast.Constant()):
            return True
    return False


def _is_number(ctx: Lowering, node: ast.expr) -> bool:
    """Whether an expression consists of numbers and names of numbers, added or multiplied."""
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.Name(id=name):
            return name in ctx.env and isinstance(ctx.env[name].value, ScalarValue) and ctx.env[name].defined is None
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return _is_number(ctx, left) and _is_number(ctx, right)
    return False


def _quoted(value: Value | None, conversion: str, spec: str) -> list[Part] | None:
    """A formatted value; None if it has no such format, or is neither a number nor known."""
    if value is None or set(spec) & set("{}"):
        return None
    if isinstance(value, SILENT):  # its type is not known yet, or an error
        return []
    how = (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
    known, constant = known_value(value)
    if not known:
        if not isinstance(value, ScalarValue):
            return None
        constant = True if value.dtype == "bool" else 1.5 if value.dtype in FLOATS else 1
    try:
        text = f"{{0{how}}}".format(constant)
    except UNFORMATTED:
        return None
    return [text if known else (value.atom, how)]


def known_value(value: Value) -> tuple[bool, object]:
    """Whether a value is a Python value known at compile time, and that value."""
    match value:
        case TextValue(text=text):
            return True, text
        case NoneValue():
            return True, None
        case ScalarValue(atom=Const(value=number), weak=True):
            return True, number
        case TupleValue(items=items, record=None):
            found = [known_value(v) for v in items]
            return all(known for known, _ in found), tuple(v for _, v in found)
    return False, None
