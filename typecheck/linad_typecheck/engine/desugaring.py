"""Desugaring before a function is lowered: `match`, `with` and `try`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

from ..advice.impure import WARNINGS
from ..names.scope import (
    Entity, External, FunctionSource, Helper, Instance, RecordClass, Scope, is_library, resolve,
)  # fmt: skip
from .exits import breaks, continues, own_yields, returns, statements
from .quoted import Quoted
from .try_statements import as_branch, ended_by
from .values import EntityValue

# Context managers that only control warnings, which generated code does not give.
QUIET = ("numpy.errstate", "warnings.catch_warnings", "numpy.printoptions", "contextlib.nullcontext")


class _WithImports:
    """A scope together with the libraries that statements import."""

    def __init__(self, scope: Scope, imported: dict[str, str]) -> None:
        self._scope, self._imported = scope, imported

    def lookup(self, name: str) -> Entity | None:
        return External(self._imported[name]) if name in self._imported else self._scope.lookup(name)

    def __getattr__(self, name: str) -> object:
        return getattr(self._scope, name)


def with_imports(scope: Scope, body: list[ast.stmt]) -> Scope:
    """The scope of a function with these statements, for what is desugared before they are lowered."""
    found: dict[str, str] = {}
    for s in statements(body):
        match s:
            case ast.Import(names=names):
                found |= {a.asname or a.name: a.name for a in names if a.asname or "." not in a.name}
            case ast.ImportFrom(module=str() as home, names=names, level=0):
                found |= {a.asname or a.name: f"{home}.{a.name}" for a in names}
    found = {name: dotted for name, dotted in found.items() if is_library(dotted)}
    return _WithImports(scope, found) if found else scope


def desugar(body: list[ast.stmt], scope: Scope) -> list[ast.stmt]:
    """The statements, desugared. A node with nothing to desugar is returned unchanged."""
    return [new for s in body for new in _simpler(s, scope)]


def _simpler(s: ast.stmt, scope: Scope) -> list[ast.stmt]:
    match s:
        case ast.With(items=items, body=body) if all(_is_quiet(i, scope) for i in items):
            return [ast.copy_location(ast.If(ast.copy_location(ast.Constant(True), s), desugar(body, scope), []), s)]
        case ast.With(items=[item, *more], body=body) if (found := _managed(s, item, more, body, scope)) is not None:
            return found
        case ast.Try() if (found := as_branch(s, scope)) is not None:
            return desugar(found, scope)
        case ast.Match():
            made = _matched(s, scope)
            return [s] if made is None else made
        case ast.Expr() | ast.Assign() | ast.AugAssign() if (either := _of_either(s)) is not None:
            return desugar(either, scope)
        case ast.If() | ast.For() | ast.While():
            parts = {name: desugar(getattr(s, name), scope) for name in ("body", "orelse")}
            if all(
                new is old for name, some in parts.items() for new, old in zip(some, getattr(s, name), strict=False)
            ) and all(len(some) == len(getattr(s, name)) for name, some in parts.items()):
                return [s]
            made = copy.copy(s)
            for name, some in parts.items():
                setattr(made, name, some)
            return [made]
    return [s]


def _of_either(s: ast.Expr | ast.Assign | ast.AugAssign) -> list[ast.stmt] | None:
    """A change of one of two objects, ``(a if c else b).append(v)`` or ``(a if c else b)[i] = v``, as an `if`; None for
    other statements."""
    match s:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.IfExp() as of))):
            with_one = lambda a: ast.Expr(_with(s.value, func=_with(s.value.func, value=a)))
        case ast.Assign(targets=[ast.Subscript(value=ast.IfExp() as of) | ast.Attribute(value=ast.IfExp() as of)]):
            value = ast.copy_location(ast.Name(f"%value.{s.lineno}:{s.col_offset}", ast.Load()), s.value)
            first = ast.copy_location(ast.Assign([_with(value, ctx=ast.Store())], s.value), s)
            with_one = lambda a: _with(s, targets=[_with(s.targets[0], value=a)], value=value)
            return [first, _either(s, of, with_one)]
        case ast.AugAssign(target=ast.Subscript(value=ast.IfExp() as of) | ast.Attribute(value=ast.IfExp() as of)):
            with_one = lambda a: _with(s, target=_with(s.target, value=a))
        case _:
            return None
    return [_either(s, of, with_one)]


def _either(s: ast.stmt, of: ast.IfExp, with_one: Callable[[ast.expr], ast.stmt]) -> ast.If:
    arms = ([ast.copy_location(with_one(a), s)] for a in (of.body, of.orelse))
    return ast.copy_location(ast.If(of.test, *arms), s)


def _with(node: ast.AST, **changes: object) -> ast.AST:
    """A copy of a node with some fields replaced."""
    made = copy.copy(node)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def _is_quiet(item: ast.withitem, scope: Scope) -> bool:
    call = item.context_expr
    if item.optional_vars is not None or not isinstance(call, ast.Call):
        return False
    found = resolve(call.func, scope)
    match found:
        case External(dotted=dotted):
            return dotted in QUIET
        case Helper(function=source) if (made := _managing(source)) is not None:
            return _yields_quietly(made.node.body, made.scope)
    return False


def _managed(
    s: ast.With, item: ast.withitem, more: list[ast.withitem], body: list[ast.stmt], scope: Scope
) -> list[ast.stmt] | None:
    """A `with` statement as what its context manager does around the body; None if that is not known.

    The exit of an object of a class runs on each path out of the body. No path starts at an exception, which leaves the
    function; an exit that may return a true value, which would end the exception, is refused.
    """
    at = lambda n: ast.fix_missing_locations(ast.copy_location(n, s))
    inner = desugar([at(ast.With(more, body))] if more else body, scope)
    of = item.context_expr
    found = resolve(of.func if isinstance(of, ast.Call) else of, scope)
    if isinstance(of, ast.Call):
        target = item.optional_vars or ast.Name("%entered", ast.Store())
        if isinstance(found, Helper) and (made := _managing(found.function)) is not None:
            if not _yields_once(made.node.body) or returns(inner) or breaks(inner) or continues(inner):
                return None
            call = ast.Call(Quoted(of, EntityValue(Helper(made), made.name)), of.args, of.keywords)
            return [at(ast.For(target, call, inner, []))]
        if found == External("contextlib.suppress") and item.optional_vars is None and not of.keywords:
            kinds = ast.Tuple(of.args, ast.Load())
            return desugar([at(ast.Try(inner, [ast.ExceptHandler(kinds, None, [ast.Pass()])], [], []))], scope)
        if found == External("contextlib.nullcontext") and len(of.args) == 1:
            return [at(ast.Assign([target], of.args[0])), *inner]
    if not isinstance(found, Instance | RecordClass | None):
        return None
    manager = f"%manager.{of.lineno}:{of.col_offset}"
    call = lambda name, *args: ast.Call(ast.Attribute(ast.Name(manager, ast.Load()), name, ast.Load()), list(args), [])
    entered = item.optional_vars or ast.Name(f"{manager}.entered", ast.Store())
    left = ast.If(call("__exit__", *(ast.Constant(None) for _ in range(3))), [at(ast.With([], []))], [])
    around = ended_by(inner, [at(left)])
    bound = [ast.Assign([ast.Name(manager, ast.Store())], of), ast.Assign([entered], call("__enter__"))]
    return None if around is None else [*map(at, bound), *around]


def _yields_once(body: list[ast.stmt]) -> bool:
    """Whether a generator yields exactly once, whatever its arguments are."""
    yields = own_yields(body)
    while len(yields) == 1 and not returns(body):
        s = next(s for s in body if own_yields([s]))
        if isinstance(s, ast.Expr):
            return isinstance(s.value, ast.Yield)
        if not (isinstance(s, ast.Try) and not s.handlers) or not own_yields(s.body):
            return False
        body = s.body
    return False


def _managing(source: FunctionSource) -> FunctionSource | None:
    """The generator function that `contextlib.contextmanager` makes a manager of."""
    if getattr(source.node, "name", "") == "helper" and isinstance(of := source.scope.lookup("func"), Helper):
        source = of.function  # what is left of the generator when the module has run
    return source if any(isinstance(n, ast.Yield) for n in ast.walk(source.node)) else None


def _yields_quietly(body: list[ast.stmt], scope: Scope) -> bool:
    """Whether statements do nothing but to yield nothing, and to say which warnings are shown."""
    for s in body:
        match s:
            case ast.Expr(value=ast.Constant() | ast.Yield(value=None)) | ast.Pass():
                quiet = True
            case ast.Expr(value=ast.Call(func=func)) | ast.Assign(value=ast.Call(func=func)):
                found = resolve(func, scope)
                quiet = isinstance(found, External) and found.dotted in WARNINGS
            case ast.Try(body=inner, handlers=[], finalbody=last):
                quiet = _yields_quietly([*inner, *last], scope)
            case ast.With(items=items, body=inner):
                quiet = all(_is_quiet(i, scope) for i in items) and _yields_quietly(inner, scope)
            case _:
                quiet = False
        if not quiet:
            return False
    return True


# ----------------------------------------------------------------------------------------------------------- match


def _matched(s: ast.Match, scope: Scope) -> list[ast.stmt] | None:
    """A `match` as ``if`` and ``elif``; None for patterns but constants, names, sequences and classes."""
    subject = f"%match.{s.lineno}"
    held = ast.copy_location(ast.Name(subject, ast.Load()), s.subject)
    first = ast.Assign([ast.copy_location(ast.Name(subject, ast.Store()), s.subject)], s.subject)
    rest: list[ast.stmt] = []
    for case in reversed(s.cases):
        found = _test(case.pattern, held)
        if found is None:
            return None
        test, names = found
        body = desugar(case.body, scope)
        bound = [ast.copy_location(ast.Assign([ast.Name(n, ast.Store())], v), case.pattern) for n, v in names]
        if case.guard is not None:
            guard = case.guard
            if names:  # Python binds the names whatever the outcome of the guard
                parts = [*(ast.NamedExpr(ast.Name(n, ast.Store()), v) for n, v in names), guard]
                guard = ast.Subscript(ast.Tuple(parts, ast.Load()), ast.Constant(len(names)), ast.Load())
                ast.copy_location(guard, case.guard)
            test, bound = guard if test is None else ast.BoolOp(ast.And(), [test, guard]), []
        if test is None:
            rest = [*bound, *body]
            continue
        rest = [ast.copy_location(ast.If(test, [*bound, *body], rest), case.pattern)]
    return [ast.fix_missing_locations(ast.copy_location(n, n if hasattr(n, "lineno") else s)) for n in (first, *rest)]


_Test = tuple[ast.expr | None, list[tuple[str, ast.expr]]]


def _test(pattern: ast.pattern, subject: ast.expr) -> _Test | None:
    """The test of a pattern (None if it always matches), and the names that it binds, with their values."""
    at = lambda node: ast.copy_location(node, pattern)
    is_a = lambda *classes: at(ast.Call(_BUILTIN["isinstance"], [subject, *classes], []))
    match pattern:
        case ast.MatchValue(value=value):
            return at(ast.Compare(subject, [ast.Eq()], [value])), []
        case ast.MatchSingleton(value=value):
            return at(ast.Compare(subject, [ast.Is()], [at(ast.Constant(value))])), []
        case ast.MatchAs(pattern=None, name=name):
            return None, [] if name is None else [(name, subject)]
        case ast.MatchAs(pattern=inner, name=str() as name):
            found = _test(inner, subject)
            return None if found is None else (found[0], [*found[1], (name, subject)])
        case ast.MatchSequence(patterns=parts) if not any(isinstance(p, ast.MatchStar) for p in parts):
            sequence = is_a(ast.Tuple([_BUILTIN["tuple"], _BUILTIN["list"]], ast.Load()))
            length = ast.Compare(ast.Call(_BUILTIN["len"], [subject], []), [ast.Eq()], [ast.Constant(len(parts))])
            items = [at(ast.Subscript(subject, ast.Constant(k), ast.Load())) for k in range(len(parts))]
            return _all([sequence, at(length)], parts, items)
        case ast.MatchClass(cls=cls, patterns=[], kwd_attrs=names, kwd_patterns=parts):
            return _all([is_a(cls)], parts, [at(ast.Attribute(subject, n, ast.Load())) for n in names])
        case ast.MatchClass(cls=ast.Name(id="float" | "int" | "bool" | "str") as cls, patterns=[part], kwd_attrs=[]):
            return _all([is_a(cls)], [part], [subject])
        case ast.MatchOr(patterns=patterns):
            tests = [_test(p, subject) for p in patterns]
            if any(t is None or t[0] is None or t[1] for t in tests):
                return None
            return at(ast.BoolOp(ast.Or(), [t[0] for t in tests])), []
    return None


_BUILTIN = {n: ast.Name(n, ast.Load()) for n in ("isinstance", "tuple", "list", "len")}


def _all(first: list[ast.expr], patterns: list[ast.pattern], subjects: list[ast.expr]) -> _Test | None:
    """The test whether ``first`` holds and each pattern matches its subject."""
    found = [_test(p, v) for p, v in zip(patterns, subjects, strict=True)]
    if None in found:
        return None
    tests = [*first, *(test for test, _ in found if test is not None)]
    whole = ast.copy_location(ast.BoolOp(ast.And(), tests), first[0]) if len(tests) > 1 else tests[0]
    return whole, [pair for _, names in found for pair in names]
