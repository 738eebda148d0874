"""The names that a body of statements binds, and how."""

from __future__ import annotations

import ast

from ..frozen import frozen


@frozen(slots=True)
class Bound:
    """A binding of a name.

    ``node`` is a definition, an import, or the expression assigned. ``whole``: the name is bound to exactly that
    expression. ``conditional``: the statement may not be executed.
    """

    node: ast.AST
    conditional: bool
    whole: bool = False
    alias: ast.alias | None = None


def bindings(body: tuple[ast.stmt, ...]) -> dict[str, list[Bound]]:
    """Every binding of every name in one scope, in text order."""
    found: dict[str, list[Bound]] = {}
    for s in body:
        _statement(s, False, found)
    return found


def _statement(s: ast.stmt, conditional: bool, found: dict[str, list[Bound]]) -> None:
    def bind(name: str, node: ast.AST, whole: bool = False, alias: ast.alias | None = None) -> None:
        found.setdefault(name, []).append(Bound(node, conditional, whole, alias))

    match s:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            bind(name, s)
        case ast.Import(names=aliases):
            for a in aliases:
                bind(a.asname or a.name.partition(".")[0], s, alias=a)
        case ast.ImportFrom(names=aliases):
            for a in aliases:
                bind(a.asname or a.name, s, alias=a)
        case ast.Assign(targets=targets, value=value):
            for t in targets:
                _assign(t, value, bind)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            bind(name, value, True)
        case ast.AugAssign(target=ast.Name(id=name)):
            bind(name, s)
        case ast.If(test=test, body=then, orelse=orelse):
            if _type_checking(test):  # true for type checkers, and so for this one
                for inner in then:
                    _statement(inner, conditional, found)
                return
            for inner in (*then, *orelse):
                _statement(inner, True, found)
        case ast.With(body=inside):
            for inner in inside:
                _statement(inner, conditional, found)
        case ast.Try(body=attempt, handlers=handlers, orelse=orelse, finalbody=final):
            for inner in (*attempt, *orelse):
                _statement(inner, True, found)
            for handler in handlers:
                for inner in handler.body:
                    _statement(inner, True, found)
            for inner in final:
                _statement(inner, conditional, found)
        case ast.For(target=target, body=inside, orelse=orelse):
            _assign(target, s, lambda name, node, whole=False: bind(name, s))
            for inner in (*inside, *orelse):
                _statement(inner, True, found)
        case ast.While(body=inside, orelse=orelse):
            for inner in (*inside, *orelse):
                _statement(inner, True, found)
        case _ if type(s).__name__ == "TypeAlias":  # `type Vec = ...`, Python 3.12
            bind(s.name.id, s.value, True)
    for node in ast.walk(s) if isinstance(s, (ast.Expr, ast.Assign, ast.If, ast.While)) else ():
        if isinstance(node, ast.NamedExpr):
            bind(node.target.id, s)


def _assign(target: ast.expr, value: ast.AST, bind) -> None:
    match target:
        case ast.Name(id=name):
            bind(name, value, True)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else ()
            paired = len(values) == len(targets) and not any(isinstance(t, ast.Starred) for t in (*targets, *values))
            for k, t in enumerate(targets):
                if paired:
                    _assign(t, values[k], bind)
                else:
                    for n in ast.walk(t):
                        if isinstance(n, ast.Name):
                            bind(n.id, target)
        case ast.Starred(value=inner):
            _assign(inner, target, bind)


def _type_checking(test: ast.expr) -> bool:
    return isinstance(test, (ast.Name, ast.Attribute)) and ast.unparse(test).endswith("TYPE_CHECKING")
