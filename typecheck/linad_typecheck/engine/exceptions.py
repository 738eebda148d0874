"""Exceptions: which of them statements of the core raise, which a handler catches, and tests of that at run time."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable

from ..ir.core import AddTo, Alloc, Atom, Call, Check, Const, Copy, Dim, If, Let, Load, Loop, Stmt, Store, blocks
from ..names.scope import ErrorClass, External, resolve
from ..ops import OPS
from ..span import Span
from ..types import BOOL, FLOATS
from .guards import UNCAUGHT
from .state import Lowering, zero

Kinds = tuple[type | str, ...]  # that a handler catches: Python's, and the user's by their names


# ------------------------------------------------------------------------------------------------------- their names


def kind_of(ctx: Lowering, error: ErrorClass) -> str:
    """The name of a user-defined exception, or of NumPy's; the base classes of the former are recorded."""
    if error.kind.endswith("linalg.LinAlgError"):
        return "LinAlgError"
    if error.classes:
        ctx.programs.errors[error.kind] = error.classes
    return error.kind


def name_of_raised(ctx: Lowering, node: ast.expr) -> str:
    """The name of the exception that a `raise` names."""
    entity = resolve(node, ctx.source.scope)
    if isinstance(entity, ErrorClass):
        return "" if entity.classes == () else kind_of(ctx, entity)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def caught_by(ctx: Lowering, handler: ast.ExceptHandler) -> Kinds | None:
    """The exceptions that a handler catches, the user's by their names; None if it catches others."""
    if handler.type is None:
        return (BaseException,)
    found: list[type | str] = []
    for n in handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]:
        entity = resolve(n, ctx.source.scope)
        if isinstance(entity, ErrorClass) and entity.classes is not None:
            if not entity.classes:
                return None
            name = kind_of(ctx, entity)
            found.append(LinAlgError if name == "LinAlgError" else name)
            continue
        dotted = entity.dotted if isinstance(entity, External) else getattr(entity, "kind", "")
        name = dotted.removeprefix("builtins.") or (n.id if isinstance(n, ast.Name) and entity is None else "")
        kind = LinAlgError if dotted.endswith("linalg.LinAlgError") else _exception(name)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            return None
        found.append(kind)
    return tuple(found)


class LinAlgError(ValueError):
    """Stands for that of NumPy."""


def _exception(name: str) -> object:
    """What an exception is named by: one of Python's own, or `LinAlgError`."""
    return LinAlgError if name == "LinAlgError" else getattr(builtins, name, None)


def is_known(ctx: Lowering, name: str) -> bool:
    return name in ctx.programs.errors or isinstance(_exception(name), type)


def is_within(ctx: Lowering, name: str, kinds: Kinds | None) -> bool:
    """Whether an exception is one of those that are caught."""
    *own, last = ctx.programs.errors.get(name, (name,))
    kind = _exception(last)
    if kinds is None or not isinstance(kind, type):
        return False
    return not set(kinds).isdisjoint(own) or issubclass(kind, _builtin(kinds))


def _builtin(kinds: Kinds) -> tuple[type, ...]:
    return tuple(k for k in kinds if isinstance(k, type))


# --------------------------------------------------------------------------------------------- what statements raise


# Exceptions that Python raises for its own numbers, where NumPy and generated code return inf or nan.
_OF_NUMBERS = (ZeroDivisionError, OverflowError, FloatingPointError, ValueError)


def raised_by(x: Let) -> tuple[type, ...]:
    """What an operation raises for some of Python's own floats."""
    if OPS[x.op].kind == "div":
        return (ZeroDivisionError,)
    power = x.ins[-1]
    whole = OPS[x.op].kind == "pow" and isinstance(power, Const) and power.value >= 0 and power.value % 1 == 0
    return (OverflowError,) if whole else _OF_NUMBERS


def of_floats(s: Let) -> bool:
    """Whether an operation raises exceptions for Python's own floats."""
    return s.out.type.dtype in FLOATS and (
        OPS[s.op].kind in ("div", "pow") or OPS[s.op].expensive or s.op == "sqrt"
    )


def may_raise(ctx: Lowering, stmts: Iterable[Stmt], kinds: Kinds | None) -> bool:
    """Whether statements may raise an exception that a handler catches, here or in Python."""
    if kinds is None:  # a user-defined exception, which only user code raises
        checks = lambda s: isinstance(s, Check) and not s.error.startswith(UNCAUGHT)
        return any(checks(s) or isinstance(s, Call) for s in _all(ctx, stmts))
    numbers = any(issubclass(k, _builtin(kinds)) for k in _OF_NUMBERS)
    own = {id(s) for s in nested(stmts)}
    for s in _all(ctx, stmts):
        if isinstance(s, Let) and id(s) in own:  # only for Python's own numbers
            if any(is_within(ctx, kind, kinds) for kind, _, _ in ctx.known(s.out).raises):
                return True
            continue
        match s:
            case Check(error=kind) if kind.startswith(UNCAUGHT):
                pass
            case Check(error=kind) if is_within(ctx, kind, kinds) or not is_known(ctx, kind):
                return True
            case Load(checked=True) | Store(checked=True) | AddTo(checked=True) if is_within(ctx, "IndexError", kinds):
                return True
            case Let() if numbers and of_floats(s):
                return True
            case Call():
                return True
    return False


def _all(ctx: Lowering, stmts: Iterable[Stmt]) -> Iterable[Stmt]:
    """Statements, including nested ones and those of functions that they call."""
    for s in stmts:
        if isinstance(s, Call):
            derivative = ctx.programs.spec(s.callee).derivative
            function = ctx.programs.function(s.callee if derivative is None else derivative.callee)
            if function is not None:
                yield from _all(ctx, function.body.stmts if derivative is None else ())  # it stands before the call
                continue
        yield s
        for b in blocks(s):
            yield from _all(ctx, b.stmts)


def nested(stmts: Iterable[Stmt]) -> Iterable[Stmt]:
    for s in stmts:
        yield s
        for b in blocks(s):
            yield from nested(b.stmts)


# -------------------------------------------------------------------------------------------------- tests at run time


Test = Callable[[Lowering, Atom, tuple[Atom, ...], Span], Atom]


def _is(op: str, limit: float) -> Test:
    return lambda ctx, out, ins, span: ctx.let(
        "b",
        op,
        (ins[0], Const(limit, ins[0].type) if limit or ins[0].type.dtype in FLOATS else zero(ins[0].type.dtype)),
        BOOL,
        span,
    )


def _either(*tests: Test) -> Test:
    def test(ctx: Lowering, out: Atom, ins: tuple[Atom, ...], span: Span) -> Atom:
        one, other = (t(ctx, out, ins, span) for t in tests)
        return ctx.let("b", "or", (one, other), BOOL, span)

    return test


def _overflows(ctx: Lowering, out: Atom, ins: tuple[Atom, ...], span: Span) -> Atom:
    """Whether an operation on finite numbers gives an infinite result."""
    infinite = ctx.let("b", "isinf", (out,), BOOL, span)
    for a in ins:
        if not isinstance(a, Const) and a.type.dtype in FLOATS:
            infinite = ctx.let("b", "and", (infinite, ctx.let("b", "isfinite", (a,), BOOL, span)), BOOL, span)
    return infinite


def _zero_to_negative(ctx: Lowering, out: Atom, ins: tuple[Atom, ...], span: Span) -> Atom:
    tests = _is("eq", 0.0)(ctx, out, ins[:1], span), _is("lt", 0.0)(ctx, out, ins[1:], span)
    return ctx.let("b", "and", tests, BOOL, span)


TESTS: dict[str, Test] = {
    "zero": _is("eq", 0.0),
    "negative": _is("lt", 0.0),
    "not positive": _is("le", 0.0),
    "beyond one": _either(_is("lt", -1.0), _is("gt", 1.0)),
    "infinite": lambda ctx, out, ins, span: ctx.let("b", "isinf", (ins[0],), BOOL, span),
    "overflow": _overflows,
    "zero to a negative power": _zero_to_negative,
}


def can_be_tested(ctx: Lowering, s: Stmt, kinds: Kinds | None) -> bool:
    """Whether there is a test for all that a statement raises."""
    match s:
        case Check(error=kind):
            return is_within(ctx, kind, kinds) or not may_raise(ctx, [s], kinds)
        case Load() | Dim() | Alloc() | Copy():
            return True
        case Let(out=out):
            return all(test in TESTS for kind, test, _ in ctx.known(out).raises if is_within(ctx, kind, kinds))
        case If() | Loop():
            return all(can_be_tested(ctx, x, kinds) for b in blocks(s) for x in b.stmts)
    return not may_raise(ctx, [s], kinds)


def tests_of(ctx: Lowering, s: Stmt, kinds: Kinds | None, span: Span) -> list[Atom]:
    """Flags that are true if a statement raises nothing that is caught."""
    match s:
        case Check(cond=cond, error=kind) if is_within(ctx, kind, kinds):
            return [cond]
        case Load(array=array, index=index, checked=True) if is_within(ctx, "IndexError", kinds):
            found: list[Atom] = []
            for axis, i in enumerate(index):
                n = ctx.dim(array, axis, span)
                found.append(ctx.let("ok", "lt", (i, n), BOOL, span))
                if not ctx.is_nonneg(i):
                    found.append(ctx.let("ok", "ge", (i, zero("i64")), BOOL, span))
            return found
        case Let(out=out):
            rows = [row for row in ctx.known(out).raises if is_within(ctx, row[0], kinds)]
            return [ctx.let("ok", "not", (TESTS[test](ctx, out, ins, span),), BOOL, span) for _, test, ins in rows]
    return []
