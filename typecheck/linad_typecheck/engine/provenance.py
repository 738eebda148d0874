"""The provenance of arrays in a message: the shapes of the arrays that an expression names, and where they were bound.
"""

from __future__ import annotations

import ast

from ..ir.core import Atom, Const
from ..diagnostics import Edit, Label
from ..messages.types import SizesDiffer, WrongType
from ..span import Span
from ..types import FLOATS
from ..words import with_article
from .quoted import Quoted
from .sizes import is_array, shape_of
from .state import Lowering
from .values import Binding, ScalarValue, Value, describe, type_of

_MOST = 3  # more labels than these do not help


def shapes_of_names(ctx: Lowering, span: Span) -> tuple[Label, ...]:
    """For each array that the expression at ``span`` names, a label with its shape at the place where it was bound."""
    found = {}
    for name, b in _named(ctx, span).items():
        with ctx.block():  # statements that compute sizes for a message are dropped
            shape = ", ".join(_size(ctx, n) for n in shape_of(ctx, b.value, span))
        comma = "," if shape and ", " not in shape else ""
        found[b.span, name] = Label(b.span, f"`{name}` has shape ({shape}{comma})")
    return tuple(found.values())[:_MOST]


def sizes_differ(ctx: Lowering, span: Span, why: str, place: Span | None = None) -> None:
    """Report sizes that can never agree, with the shapes of the arrays named there and of the assigned ``place``."""
    labels = (*(shapes_of_names(ctx, place) if place is not None else ()), *shapes_of_names(ctx, span))
    ctx.report(SizesDiffer(span, why, tuple(dict.fromkeys(labels))[:_MOST]))


def binding_label(ctx: Lowering, name: str, span: Span) -> tuple[Label, ...]:
    """A label with the type of the array ``name``, at the place where it was bound."""
    b = ctx.env.get(name)
    if b is None or not is_array(b.value) or _inside(span, b.span):
        return ()
    return (Label(b.span, f"`{name}` is {with_article(describe(type_of(b.value)))}"),)


def not_an_int(ctx: Lowering, what: str, v: Value, span: Span) -> None:
    """Report a value that should be an int. If true division made it a float, the fix is ``//``."""
    found, name = describe(type_of(v)), _name_at(ctx, span)
    if not (isinstance(v, ScalarValue) and v.dtype in FLOATS):
        ctx.report(WrongType(span, what, found))
        return
    whence = origin_label(ctx, name, span, f"`{name}` is {with_article(found)} from here on")
    quotient = _quotient(ctx, span) or (_quotient(ctx, whence[0].span) if whence else None)
    if quotient is None:
        ctx.report(WrongType(span, what, found, "convert it: `int(...)`", whence=whence))
        return
    ctx.report(WrongType(span, what, found, "`//` divides ints to an int", (quotient,), whence))


def origin_label(ctx: Lowering, name: str, span: Span, text: str) -> tuple[Label, ...]:
    """A label where a name was bound."""
    b = ctx.env.get(name)
    return () if b is None or _inside(span, b.span) else (Label(b.span, text),)


def _name_at(ctx: Lowering, span: Span) -> str:
    return next((n.id for n in ast.walk(ctx.source.node) if isinstance(n, ast.Name) and ctx.span(n) == span), "")


def _quotient(ctx: Lowering, span: Span) -> Edit | None:
    """The edit that turns ``/`` of the expression at ``span`` into ``//``."""
    source = ctx.source.source
    for node in ast.walk(ctx.source.node):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and ctx.span(node) == span:
            left, right = source.span(node.left), source.span(node.right)
            if left.end_line != right.line:
                return None
            line = source.lines[left.end_line - source.first_line]
            at = line.find("/", left.end_column - 1, right.column - 1) + 1
            return Edit(Span(span.file, left.end_line, at, left.end_line, at + 1), "//") if at else None
    return None


def first_bound(ctx: Lowering, name: str) -> Span | None:
    """The first place of the text where a name is bound."""
    places = [
        ctx.span(n)
        for n in ast.walk(ctx.source.node)
        if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
    ]
    return min(places, key=lambda s: (s.line, s.column), default=None)


def _named(ctx: Lowering, span: Span) -> dict[str, Binding]:
    names = (
        n
        for n in ast.walk(ctx.source.node)
        if isinstance(n, ast.Name) and n.id in ctx.env and _inside(ctx.span(n), span)
    )
    held = {n.id: ctx.env[n.id] for n in names}
    return {n: b for n, b in held.items() if is_array(b.value) and not _inside(b.span, span)}


def _inside(a: Span, b: Span) -> bool:
    return (
        a.file == b.file
        and (b.line, b.column) <= (a.line, a.column)
        and (a.end_line, a.end_column) <= (b.end_line, b.end_column)
    )


def _size(ctx: Lowering, n: Atom) -> str:
    """A size as the user would write it, if it has a name there."""
    if isinstance(n, Const):
        return str(n.value)
    hint = n.name.partition(".")[0]
    notes = " ".join(
        ast.unparse(a.annotation)
        for a in ast.walk(ctx.source.node)
        if isinstance(a, ast.arg) and a.annotation is not None
    )
    if hint in ctx.local_names or hint in notes.replace("'", " ").replace('"', " ").split():
        return hint
    for key, known in ctx.path.dims.items():
        match key:
            case (str() as array, int() as axis) if known == n and (name := array.partition(".")[0]) in ctx.env:
                return f"len({name})" if axis == 0 else f"{name}.shape[{axis}]"
    return "..."


def user_name(node: ast.expr) -> str:
    """The user's expression for a place that holds an array, such as ``x``, ``p.x`` or ``t[0].x``; empty for other
    nodes."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            inner = user_name(value)
            return f"{inner}.{attr}" if inner else ""
        case ast.Subscript(value=value, slice=index):
            inner = user_name(value)
            return f"{inner}[{user_name(index) or ast.unparse(index)}]" if inner else ""
        case Quoted(name=name):
            return name
    return ""
