"""`try`, where it is known when a function is compiled which of its blocks runs: the first, where nothing that is caught can be
raised in it, or a handler, where its first statement raises whatever the arguments are."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from ..core import AddTo, Call, Check, Let, Load, Stmt, Store, blocks
from ..messages.language import Unsupported
from ..ops import OPS
from ..scope import External, Scope, resolve
from ..types import FLOATS
from .blocks import block
from .evaluation import EXPRESSIONS
from .state import Lowering
from .values import Poison, Value, literal

HOW = "test the condition with an `if` before it can fail"


class Outcome(ast.expr):
    """The test whether a `try` goes on in its block (0), or in which handler."""

    _fields = ()

    def __init__(self, of: ast.Try, which: int) -> None:
        super().__init__()
        self.of, self.which = of, which


def chosen(s: ast.Try, scope: Scope) -> list[ast.stmt] | None:
    """A `try` as an `if` of what it comes to; None where that is never known."""
    if s.finalbody or not s.handlers or any(map(_reads_its_error, s.handlers)):
        return None
    rest: list[ast.stmt] = list(s.handlers[-1].body)
    for k in range(len(s.handlers) - 1, 0, -1):
        test = ast.copy_location(Outcome(s, k), s)
        rest = [ast.copy_location(ast.If(test, list(s.handlers[k - 1].body), rest), s)]
    return [ast.copy_location(ast.If(ast.copy_location(Outcome(s, 0), s), [*s.body, *s.orelse], rest), s)]


def _reads_its_error(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does more with its exception than to raise another one from it."""
    causes = {id(n.cause) for n in ast.walk(handler) if isinstance(n, ast.Raise)}
    return any(isinstance(n, ast.Name) and n.id == handler.name and id(n) not in causes for n in ast.walk(handler))


def outcome(ctx: Lowering, node: Outcome, hint: str) -> Value:
    """Whether the `try` comes to this."""
    s = node.of
    caught = [_caught(ctx, h) for h in s.handlers]
    found = ctx.attempt(lambda: block(ctx, s.body, frozenset(ctx.local_names)))
    errors = [d for d in found.findings.diagnostics if d.severity == "error"] if found.findings is not None else []
    told = None
    if errors:
        first = ctx.attempt(lambda: block(ctx, s.body[:1], frozenset(ctx.local_names))).findings
        raised = first.raised if first is not None else None
        which = next((k for k, kinds in enumerate(caught) if raised and _within(raised, kinds)), None)
        if which is not None:
            return literal(which + 1 == node.which)
        told = errors[0]
    elif found.findings is not None and found.findings.poisoned:
        return Poison()
    elif not any(_may_raise(ctx, found.stmts, kinds) for kinds in caught):
        return literal(node.which == 0)
    if told is not None and all(kinds is not None for kinds in caught):
        ctx.programs.findings.take(found.findings)  # what is wrong with it stands in its way first
        return Poison()
    what = "`try` whose block may raise what it catches" if told is None else "`try`"
    ctx.report(Unsupported(ctx.span(s), what, HOW))
    return Poison()


def _caught(ctx: Lowering, handler: ast.ExceptHandler) -> tuple[type, ...] | None:
    """The builtin exceptions that a handler catches; None where it catches others."""
    if handler.type is None:
        return (BaseException,)
    found: list[type] = []
    for n in handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]:
        entity = resolve(n, ctx.source.scope)
        name = entity.dotted.removeprefix("builtins.") if isinstance(entity, External) else n.id if isinstance(n, ast.Name) and entity is None else ""
        kind = getattr(builtins, name, None)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            return None
        found.append(kind)
    return tuple(found)


def _within(name: str, kinds: tuple[type, ...] | None) -> bool:
    kind = getattr(builtins, name, None)
    return kinds is not None and isinstance(kind, type) and issubclass(kind, kinds)


# What Python raises of numbers where NumPy, and code here, goes on with inf or nan.
_OF_NUMBERS = (ZeroDivisionError, OverflowError, FloatingPointError, ValueError)


def _may_raise(ctx: Lowering, stmts: Iterable[Stmt], kinds: tuple[type, ...] | None) -> bool:
    """Whether statements may raise what a handler catches, here or in Python."""
    if kinds is None:  # an exception of the user's own, which only the user raises
        return any(isinstance(s, Check | Call) for s in _all(ctx, stmts))
    numbers = any(issubclass(k, kinds) for k in _OF_NUMBERS)
    for s in _all(ctx, stmts):
        match s:
            case Check(error=kind) if _within(kind, kinds) or not hasattr(builtins, kind):
                return True
            case Load(checked=True) | Store(checked=True) | AddTo(checked=True) if _within("IndexError", kinds):
                return True
            case Let(op=op, out=out) if numbers and out.type.dtype in FLOATS and (OPS[op].kind in ("div", "pow") or OPS[op].dear or op == "sqrt"):
                return True
            case Call():
                return True
    return False


def _all(ctx: Lowering, stmts: Iterable[Stmt]) -> Iterable[Stmt]:
    """Statements, those inside them, and those of functions that they call."""
    for s in stmts:
        function = ctx.programs.function(s.callee) if isinstance(s, Call) else None
        if function is not None:
            yield from _all(ctx, function.body.stmts)
            continue
        yield s
        for b in blocks(s):
            yield from _all(ctx, b.stmts)


EXPRESSIONS[Outcome] = outcome
