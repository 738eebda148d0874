"""Desugaring before a function is lowered: `match`, and `with` statements that have no effect here."""

from __future__ import annotations

import ast
import copy

from ..names.scope import External, Scope, resolve
from .attempts import chosen

# Context managers that only control warnings, which generated code does not give.
QUIET = ("numpy.errstate", "warnings.catch_warnings", "numpy.printoptions", "contextlib.nullcontext")


def simpler(body: list[ast.stmt], scope: Scope) -> list[ast.stmt]:
    """The statements, desugared. A node with nothing to desugar is returned unchanged."""
    return [new for s in body for new in _simpler(s, scope)]


def _simpler(s: ast.stmt, scope: Scope) -> list[ast.stmt]:
    match s:
        case ast.With(items=items, body=body) if all(_is_quiet(i, scope) for i in items):
            return [ast.copy_location(ast.If(ast.copy_location(ast.Constant(True), s), simpler(body, scope), []), s)]
        case ast.Try() if (found := chosen(s, scope)) is not None:
            return simpler(found, scope)
        case ast.Match():
            made = _matched(s, scope)
            return [s] if made is None else made
        case ast.If() | ast.For() | ast.While():
            parts = {name: simpler(getattr(s, name), scope) for name in ("body", "orelse")}
            if all(
                new is old for name, some in parts.items() for new, old in zip(some, getattr(s, name), strict=False)
            ) and all(len(some) == len(getattr(s, name)) for name, some in parts.items()):
                return [s]
            made = copy.copy(s)
            for name, some in parts.items():
                setattr(made, name, some)
            return [made]
    return [s]


def _is_quiet(item: ast.withitem, scope: Scope) -> bool:
    call = item.context_expr
    if item.optional_vars is not None or not isinstance(call, ast.Call):
        return False
    found = resolve(call.func, scope)
    return isinstance(found, External) and found.dotted in QUIET


# ----------------------------------------------------------------------------------------------------------- match


def _matched(s: ast.Match, scope: Scope) -> list[ast.stmt] | None:
    """A `match` as ``if`` and ``elif``, for patterns of constants, dotted names and names; None for other patterns."""
    subject = f"%match.{s.lineno}"
    held = ast.copy_location(ast.Name(subject, ast.Load()), s.subject)
    first = ast.Assign([ast.copy_location(ast.Name(subject, ast.Store()), s.subject)], s.subject)
    rest: list[ast.stmt] = []
    for case in reversed(s.cases):
        found = _test(case.pattern, held)
        if found is None:
            return None
        test, names = found
        body = simpler(case.body, scope)
        bound = [ast.copy_location(ast.Assign([ast.Name(n, ast.Store())], held), case.pattern) for n in names]
        if case.guard is not None:
            if names and test is not None:
                return None
            if names:  # Python binds the names whatever the outcome of the guard
                rest = [*bound, ast.copy_location(ast.If(case.guard, body, rest), case.pattern)]
                continue
            test = case.guard if test is None else ast.BoolOp(ast.And(), [test, case.guard])
        if test is None:
            rest = [*bound, *body]
            continue
        rest = [ast.copy_location(ast.If(test, [*bound, *body], rest), case.pattern)]
    return [ast.fix_missing_locations(ast.copy_location(n, n if hasattr(n, "lineno") else s)) for n in (first, *rest)]


def _test(pattern: ast.pattern, subject: ast.expr) -> tuple[ast.expr | None, list[str]] | None:
    """The test of a pattern (None if it always matches) and the names that it binds."""
    at = lambda node: ast.copy_location(node, pattern)
    match pattern:
        case ast.MatchValue(value=value):
            return at(ast.Compare(subject, [ast.Eq()], [value])), []
        case ast.MatchSingleton(value=value):
            return at(ast.Compare(subject, [ast.Is()], [at(ast.Constant(value))])), []
        case ast.MatchAs(pattern=None, name=name):
            return None, [] if name is None else [name]
        case ast.MatchAs(pattern=inner, name=str() as name):
            found = _test(inner, subject)
            return None if found is None else (found[0], [*found[1], name])
        case ast.MatchOr(patterns=patterns):
            tests = [_test(p, subject) for p in patterns]
            if any(t is None or t[0] is None or t[1] for t in tests):
                return None
            return at(ast.BoolOp(ast.Or(), [t[0] for t in tests])), []
    return None
