"""Edits that repair findings: where to insert a copy, how to declare an update.

An edit is given only if the text is unambiguous. Otherwise the message describes the repair in words.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .diagnostics import Edit
from .names.scope import External, FunctionSource, resolve
from .source import SourceFile
from .span import Span

Edits = tuple[Edit, ...]
_TIGHT = (ast.Name, ast.Call, ast.Attribute, ast.Subscript)  # expressions after which `.copy()` needs no parentheses
_TAKING = ("append", "appendleft", "insert")  # methods that add their last argument to a list
_DECORATOR = External("linad.linear_grad")


def insert(at: Span, text: str) -> Edit:
    """An insertion before a span."""
    return Edit(Span(at.file, at.line, at.column, at.line, at.column), text)


def append(at: Span, text: str) -> Edit:
    """An insertion after a span."""
    return Edit(Span(at.file, at.end_line, at.end_column, at.end_line, at.end_column), text)


def copy_at(function: FunctionSource, place: Span, names: Sequence[str]) -> Edits:
    """Insert a copy where the expression at ``place`` gives its array to one of ``names``.

    ``v = u`` becomes ``v = u.copy()``. ``a = b = e`` becomes two statements. In a tuple or list, the element is copied,
    and in ``xs.append(u)`` the argument, which is also where a list that is empty at ``place`` gets its arrays.
    """
    source = function.source
    for node in ast.walk(function.node):
        match node:
            case ast.Assign(value=ast.List(elts=[]) as value) if source.span(value) == place:
                return next(_appended(function, names), ())
            case ast.Assign(targets=targets, value=value) if source.span(value) == place:
                if len(targets) > 1:
                    return _apart(source, node)
                return _pair(source, targets[0], value, names)
            case ast.AnnAssign(target=target, value=ast.expr() as value) if source.span(value) == place:
                return _pair(source, target, value, names)
    for node in ast.walk(function.node):
        if isinstance(node, ast.expr) and source.span(node) == place:
            return _element(source, node, names)
    return ()


def _appended(function: FunctionSource, names: Sequence[str]) -> Iterator[Edits]:
    """Copies of the arrays among ``names`` that are added to lists."""
    for node in ast.walk(function.node):
        match node:
            case ast.Call(func=ast.Attribute(attr=attr), args=[*_, ast.Name(id=name) as item]):
                if attr in _TAKING and name in names:
                    yield copied(function.source, item)


def _pair(source: SourceFile, target: ast.expr, value: ast.expr, names: Sequence[str]) -> Edits:
    match target, value:
        case ast.Name(id=whole), ast.Call() if any(n.startswith((f"{whole}[", f"{whole}.")) for n in names):
            return ()  # of the call's result only a part is an array
        case ast.Name(), _ if not isinstance(value, ast.Tuple):
            return _element(source, value, names)
        case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), ast.Tuple(elts=values)) if len(targets) == len(
            values
        ):
            for t, v in zip(targets, values, strict=True):
                if isinstance(t, ast.Name) and t.id in names and not isinstance(v, ast.Starred):
                    return copied(source, v)
    return ()


def _element(source: SourceFile, value: ast.expr, names: Sequence[str]) -> Edits:
    """Copy the array in ``value``: of a tuple, list or dict its last item that is one of ``names``, or its only one."""
    match value:
        case ast.Call(func=ast.Attribute(attr=attr), args=[*_, item]) if attr in _TAKING:
            return copied(source, item)
        case ast.List(elts=[item]) | ast.Dict(keys=[ast.expr()], values=[item]) if not isinstance(item, ast.Starred):
            return copied(source, item)
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Dict(values=items):
            named = [item for item in items if isinstance(item, ast.Name) and item.id in names]
            return copied(source, named[-1]) if named else ()
    return copied(source, value)


def copied(source: SourceFile, value: ast.expr) -> Edits:
    """``value.copy()``, with parentheses if needed."""
    span = source.span(value)
    if isinstance(value, _TIGHT):
        return (append(span, ".copy()"),)
    return (insert(span, "("), append(span, ").copy()"))


def _apart(source: SourceFile, s: ast.Assign) -> Edits:
    """``a = b = e`` split into ``a = e`` and ``b = a.copy()`` on its own line."""
    if not all(isinstance(t, ast.Name) for t in s.targets):
        return ()
    first, *others = s.targets
    whole, value = source.span(s), source.span(s.value)
    indent = source.lines[whole.line - source.first_line][: whole.column - 1]
    start = source.span(others[0])
    if indent.strip() or start.line != value.line:
        return ()
    lines = "".join(f"\n{indent}{t.id} = {first.id}.copy()" for t in others)
    return (Edit(Span(start.file, start.line, start.column, value.line, value.column), ""), append(value, lines))


def first(function: FunctionSource, statement: str) -> Edits:
    """Insert a statement at the start of a function."""
    if isinstance(function.node, ast.Lambda):
        return ()
    body = function.node.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1
    span = function.source.span(body[1 if documented else 0])
    indent = function.source.lines[span.line - function.source.first_line][: span.column - 1]
    return () if indent.strip() else (insert(span, f"{statement}\n{indent}"),)


def marks(function: FunctionSource) -> Iterator[ast.Call]:
    """The calls of `linear_grad` among the decorators of a function, which contain its options."""
    for decorator in getattr(function.node, "decorator_list", ()):
        if isinstance(decorator, ast.Call) and resolve(decorator.func, function.scope) == _DECORATOR:
            yield decorator


def option_named(function: FunctionSource, option: str, value: object) -> ast.expr:
    """The constant ``value`` in an option of the decorator; the whole option if it is not there, the function
    without the option."""
    for call in marks(function):
        for k in call.keywords:
            if k.arg == option:
                parts = (n for n in ast.walk(k.value) if isinstance(n, ast.Constant) and n.value == value)
                return next(parts, k.value)
    return function.node


def declare_update(function: FunctionSource, name: str) -> Edits:
    """Add ``updates=("name",)`` to the options of the decorator."""
    for decorator in getattr(function.node, "decorator_list", ()):
        base = decorator.func if isinstance(decorator, ast.Call) else decorator
        if resolve(base, function.scope) != _DECORATOR:
            continue
        span = function.source.span(decorator)
        if not isinstance(decorator, ast.Call):
            return (append(span, f'(updates=("{name}",))'),)
        given = next((k.value for k in decorator.keywords if k.arg == "updates"), None)
        if given is None and not any(k.arg is None for k in decorator.keywords):
            last = [*decorator.args, *decorator.keywords][-1:]
            if last:
                return (append(function.source.span(last[0]), f', updates=("{name}",)'),)
            inner = Span(span.file, span.end_line, span.end_column - 1, span.end_line, span.end_column - 1)
            return (Edit(inner, f'updates=("{name}",)'),)
        if isinstance(given, (ast.Tuple, ast.List)) and given.elts:
            return (append(function.source.span(given.elts[-1]), f', "{name}"'),)
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            at = function.source.span(given)
            return (insert(at, "("), append(at, f', "{name}")'))
    return ()
