"""Expressions: a table from ast classes to functions that give a value and emit what computes it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from ..core import Atom, Check, Const, Let
from ..linear.liveness import enclosed
from ..linear.ownership import report_lost
from ..messages.language import (
    MaybeUndefined,
    Undefined,
    Unsupported,
)
from ..messages.types import WrongType
from ..ops import OPS
from ..scope import (
    External,
    written,
)
from ..span import Span
from ..types import BOOL, INTS
from .attributes import attribute
from .comparisons import of_parts
from .context import FALSE, Ahead, Lowering
from .elementwise import lift
from .entities import constant_value, entity, unknown_constant
from .externals import Args, call_external
from .indexing import subscript
from .joins import Arm, join
from .nearby import meant
from .numbers import binary, compare, truth, unary
from .places import held, is_array
from .quoted import Quoted
from .records import operated
from .unsupported import refuse
from .values import (
    LIST,
    SILENT,
    ArrayValue,
    Binding,
    Bottom,
    Delayed,
    EntityValue,
    LostArray,
    Poison,
    ScalarValue,
    TupleValue,
    UnionValue,
    Value,
    ViewValue,
    contains,
    describe,
    type_of,
)
from .whence import first_bound


def expression(ctx: Lowering, node: ast.expr, hint: str = "t") -> Value:
    """The value of an expression, evaluated; ``hint`` names what it computes."""
    value = pull(ctx, node, hint)
    return held(ctx, value, hint, ctx.span(node)) if isinstance(value, Delayed) else value


def pull(ctx: Lowering, node: ast.expr, hint: str = "t") -> Value:
    """The value of an expression; an array expression may be `Delayed`, for those who read its cells at once."""
    lower = EXPRESSIONS.get(type(node))
    if lower is None:
        refuse(ctx, node)
        return Poison()
    seen = ctx.programs.findings.bottoms
    frame, before = ctx.path.frame, len(ctx.path.flight)
    if frame != before and type(node) not in _LEAVES:
        ctx.path = ctx.path.evaluating(ctx.path.flight, before)
    value = lower(ctx, node, hint)
    path, kind = ctx.path, type(value)
    if kind in _WITH_ARRAYS:
        ctx.path = path.evaluating((*path.flight[:before], (value, node)), frame)
    elif path.frame != frame or len(path.flight) != before:
        ctx.path = path.evaluating(path.flight[:before], frame)
    if kind in SILENT:
        if isinstance(value, Bottom) or ctx.programs.findings.bottoms != seen:
            ctx.programs.findings.bottoms += 1  # what rests on a recursive call of unknown type is of unknown type
            return Bottom()
        ctx.programs.poisoned = True  # what is left out here is told, or the function is refused
    return value


_LEAVES = (ast.Name, ast.Constant)  # for which nothing waits
_WITH_ARRAYS = (ArrayValue, ViewValue, UnionValue, Delayed, TupleValue)


def condition(ctx: Lowering, node: ast.expr) -> Atom | None:
    """The truth value of an expression, evaluated as lazily as Python does; None where it was reported."""
    match node:
        case ast.BoolOp():
            value = _boolop(ctx, node, "b", as_bool=True)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = condition(ctx, operand)
            value = Poison() if inner is None else unary(ctx, ast.Not, ScalarValue(inner, True), ctx.span(node))
        case _:
            value = usable(ctx, expression(ctx, node, "b"), "this", ctx.span(node))
    return truth(ctx, value, ctx.span(node))


def usable(ctx: Lowering, v: Value, name: str, span: Span) -> Value:
    """``v``, unless it holds an array that was lost: then that is reported."""
    if isinstance(v, LostArray):
        report_lost(ctx, name, v, span)
        return Poison()
    if contains(v, LostArray):
        for item in v.items if isinstance(v, TupleValue) else [x for _, x in v.captured]:
            usable(ctx, item, name, span)
        return Poison()
    return Poison() if contains(v, Poison) and isinstance(v, TupleValue) else v


# ---------------------------------------------------------------------------------------------------------- names


def _name(ctx: Lowering, node: ast.Name, hint: str) -> Value:
    name = node.id
    b = ctx.path.env.get(name)
    if b is not None and b.defined is None and not isinstance(b.value, LostArray):
        return b.value
    span = ctx.span(node)
    if b is None:
        return Poison() if name in ctx.local_names and _undefined(ctx, name, span) else entity(ctx, name, span)
    if b.defined is not None:
        free = id(node) in enclosed(ctx.source.node)
        error = "NameError" if free else "UnboundLocalError"
        ctx.report(MaybeUndefined(span, name, first_bound(ctx, name), error))
        end = " in enclosing scope" if free else ""
        text = f"cannot access {'free' if free else 'local'} variable '{name}' where it is not associated with a value{end}"
        ctx.emit(Check(b.defined, error, text, (), span))
        ctx.bind(name, Binding(b.value, b.span))
    if isinstance(b.value, LostArray):
        ctx.bind(name, Binding(Poison(b.value), b.span))  # told once
        return usable(ctx, b.value, name, span)
    return b.value


def _undefined(ctx: Lowering, name: str, span: Span) -> bool:
    if not ctx.path.dead:
        ctx.report(Undefined(span, name, meant(name, (n for n in ctx.env if n[0] != "%"), 0.7)))
    return True


def _quoted(ctx: Lowering, node: Quoted, hint: str) -> Value:
    ctx.landed(node.value)
    return node.value


def _constant(ctx: Lowering, node: ast.Constant, hint: str) -> Value:
    match node.value:
        case complex() | bytes():
            refuse(ctx, node)
            return Poison()
        case int() if not isinstance(node.value, bool) and not -(2**63) <= node.value < 2**63:
            ctx.report(WrongType(ctx.span(node), "an int has 64 bits", "a larger literal", "write it as a float"))
            return Poison()
        case value if value is ...:
            refuse(ctx, node)
            return Poison()
    return constant_value(ctx, node.value, "literal", ctx.span(node))


# ------------------------------------------------------------------------------------------------------ operators


def _binop(ctx: Lowering, node: ast.BinOp, hint: str) -> Value:
    a, b = operands(ctx, [node.left, node.right])
    made = operated(ctx, type(node.op), a, b, node)
    if made is not None:
        return made
    if isinstance(node.op, ast.Add) and (isinstance(a, TupleValue) or isinstance(b, TupleValue)):
        silent = next((v for v in (a, b) if isinstance(v, SILENT)), None)
        if silent is not None:  # of unknown type, perhaps a tuple
            return silent
        if isinstance(a, TupleValue) and isinstance(b, TupleValue) and not (a.closed or b.closed):
            if a.listed != b.listed:
                ctx.report(WrongType(ctx.span(node), "a list is joined to a list and a tuple to a tuple", "one of each", "write both as tuples"))
                return Poison()
            return TupleValue(a.items + b.items, LIST if a.listed else None)
    if isinstance(node.op, ast.Mult):
        repeated = _repeated(ctx, a, b, node) or _repeated(ctx, b, a, node)
        if repeated is not None:
            return repeated
    return operator(ctx, type(node.op), a, b, ctx.span(node), hint)


def _repeated(ctx: Lowering, a: Value, b: Value, node: ast.BinOp) -> Value | None:
    """``(0.0,) * 3``."""
    match a, b:
        case TupleValue(items=items, closed=False), ScalarValue(atom=Const(value=int(n)), dtype=dtype) if dtype in INTS and n * len(items) <= 1000:
            return TupleValue(items * n, LIST if a.listed else None)
        case TupleValue(closed=False), ScalarValue(dtype=dtype) if dtype in INTS:
            ctx.report(Unsupported(ctx.span(node), "a tuple or list repeated a computed number of times", "make an array: `np.full(n, 0.0)`"))
            return Poison()
    return None


def operands(ctx: Lowering, nodes: list[ast.expr]) -> list[Value]:
    """The values of expressions, from left to right."""
    found: list[Value] = []
    for node in nodes:
        found = [settled(ctx, v, node) for v in found]
        found.append(pull(ctx, node))
    return found


def settled(ctx: Lowering, v: Value, *others: ast.expr) -> Value:
    """A value that is used behind the evaluation of ``others``: computed now, if one of them may update what it reads."""
    if not isinstance(v, Delayed) or not any(may_update(ctx, n) for n in others):
        return v
    return held(ctx, v, "t", ctx.span(others[0]))


def may_update(ctx: Lowering, node: ast.expr) -> bool:
    """Whether evaluating an expression may call a function that updates an array: one of the user's, or one with ``out=``."""

    def of_library(f: ast.expr) -> bool:
        if isinstance(f, Quoted):
            return isinstance(f.value, EntityValue) and isinstance(f.value.entity, External)
        if isinstance(f, ast.Attribute):
            return f.attr != "at" and not isinstance(ctx.env.get(written(f)), Binding)
        return isinstance(f, ast.Name) and f.id not in ctx.env and isinstance(ctx.source.scope.lookup(f.id), (External, type(None)))

    return any(isinstance(n, ast.Call) and (not of_library(n.func) or any(k.arg == "out" for k in n.keywords)) for n in ast.walk(node))


def operator(ctx: Lowering, op: type[ast.operator], a: Value, b: Value, span: Span, hint: str) -> Value:
    """``a op b`` of scalars or arrays; a tuple or list beside an array is an array to NumPy."""
    if not (is_array(a) or is_array(b)):
        return binary(ctx, op, a, b, span, hint)
    if isinstance(a, TupleValue) or isinstance(b, TupleValue):
        from .arrays import array_of_values

        a, b = (
            array_of_values(ctx, v, None, hint, span) if isinstance(v, TupleValue) and not v.closed and is_array(other) else v
            for v, other in ((a, b), (b, a))
        )
    if op is ast.MatMult:
        return call_external(ctx, "numpy.matmul", Args("@", span, (a, b), {}, hint))
    return lift(ctx, (a, b), lambda v: binary(ctx, op, *v, span, hint), span, hint)


def _unaryop(ctx: Lowering, node: ast.UnaryOp, hint: str) -> Value:
    if isinstance(node.op, ast.Not):
        c = condition(ctx, node)
        return Poison() if c is None else ScalarValue(c, True)
    span = ctx.span(node)
    return lift(ctx, (pull(ctx, node.operand),), lambda v: unary(ctx, type(node.op), *v, span, hint), span, hint)


def _boolop(ctx: Lowering, node: ast.BoolOp, hint: str, as_bool: bool = False) -> Value:
    is_and = isinstance(node.op, ast.And)

    def value_of(n: ast.expr) -> Value:
        if not as_bool:
            return expression(ctx, n, hint)
        c = condition(ctx, n)
        return Poison() if c is None else ScalarValue(c, True)

    def rest(nodes: list[ast.expr]) -> Value:
        first = value_of(nodes[0])
        if len(nodes) == 1:
            return first
        with ctx.programs.perhaps_dead(isinstance(first, Poison) and unknown_constant(ctx, nodes[0])):
            return lazily(ctx, is_and, first, lambda: rest(nodes[1:]), ctx.span(node), hint)

    return rest(node.values)


def lazily(ctx: Lowering, is_and: bool, first: Value, second: Callable[[], Value], span: Span, hint: str) -> Value:
    """``first and second()`` or ``first or second()``."""
    cond = truth(ctx, first, span)
    if cond is None:
        second()
        return Poison()
    if isinstance(cond, Const):
        return second() if cond.value == is_and else first
    found = ctx.ahead(second)
    value = found.value
    both = all(isinstance(v, ScalarValue) and v.dtype == "bool" for v in (first, value))
    if both and _pure(found.stmts) and found.path.env == ctx.env:
        for s in found.stmts:
            ctx.emit(s)
        if isinstance(value.atom, Const):  # `x > 3.0 and DEBUG`
            return first if value.atom.value == is_and else value
        out = ctx.let("b", "and" if is_and else "or", (cond, value.atom), BOOL, span)
        return ScalarValue(out, first.weak and value.weak)
    arms = [found, Ahead(first, [], ctx.path)]
    return _joined(ctx, cond, arms if is_and else arms[::-1], (span, span), frozenset(ctx.env), span, hint)


def _pure(stmts: list) -> bool:
    return all(isinstance(s, Let) and not OPS[s.op].dear and s.op not in ("floordiv", "mod") for s in stmts)


def _joined(
    ctx: Lowering,
    cond: Atom,
    arms: list[Ahead[Value]],
    spans: tuple[Span, ...],
    live: frozenset[str],
    span: Span,
    hint: str,
) -> Value:
    """One of the values that two ways come to."""
    key = f"%{hint}"
    types = [type_of(arm.value) for arm in arms]
    named = {n for arm in arms for n in arm.path.env if n[0] != "%"}  # `:=` binds names on one side alone
    live = live | named if len({len(arm.path.env) for arm in arms}) > 1 else live
    ends = [arm.path.naming(key, Binding(arm.value, at)) for arm, at in zip(arms, spans, strict=True)]
    join(ctx, cond, [Arm(arm.stmts, end) for arm, end in zip(arms, ends, strict=True)], live, span)
    value = ctx.unbind(key).value
    if isinstance(value, Poison) and not any(describe(t) == "unknown" for t in types):
        one, other = map(describe, types)
        ctx.report(WrongType(span, f"both sides must have one type; one is {one}", f"{other}", "convert one of them"))
    return value


def _ifexp(ctx: Lowering, node: ast.IfExp, hint: str) -> Value:
    cond = condition(ctx, node.test)
    if isinstance(cond, Const):
        return expression(ctx, node.body if cond.value else node.orelse, hint)
    if cond is None:
        with ctx.programs.perhaps_dead(unknown_constant(ctx, node.test)):
            expression(ctx, node.body), expression(ctx, node.orelse)
        return Poison()
    sides = (node.body, node.orelse)
    arms = [ctx.ahead(partial(expression, ctx, side, hint)) for side in sides]
    span = ctx.span(node)
    a, b = (arm.value for arm in arms)
    if isinstance(a, ScalarValue) and isinstance(b, ScalarValue) and type_of(a) == type_of(b) and not any(x.stmts for x in arms):
        if a == b:
            return a
        return ScalarValue(ctx.let(hint, "select", (cond, a.atom, b.atom), a.atom.type, span), a.weak)
    whole = getattr(ctx.path.stmt, "value", None) is node
    live = ctx.live.after.get(id(ctx.path.stmt), frozenset()) if whole else frozenset(ctx.env)
    return _joined(ctx, cond, arms, tuple(map(ctx.span, sides)), live, span, hint)


def _compare(ctx: Lowering, node: ast.Compare, hint: str) -> Value:
    def chain(left: Value, ops: list[ast.cmpop], rest: list[ast.expr]) -> Value:
        right = pull(ctx, rest[0])
        first = _comparison(ctx, ops[0], left, right, ctx.span(node))
        if len(ops) == 1:
            return first
        return lazily(ctx, True, first, lambda: chain(right, ops[1:], rest[1:]), ctx.span(node), "b")

    if len(node.ops) == 1:
        return _comparison(ctx, node.ops[0], *operands(ctx, [node.left, node.comparators[0]]), ctx.span(node))
    return chain(pull(ctx, node.left), node.ops, node.comparators)


def _comparison(ctx: Lowering, op: ast.cmpop, a: Value, b: Value, span: Span) -> Value:
    found = of_parts(ctx, op, a, b, span)
    if found is not None:
        return found
    return lift(ctx, (a, b), lambda v: compare(ctx, type(op), *v, span), span, "b")


# ------------------------------------------------------------------------------------------------------ the rest


def spread_out(ctx: Lowering, nodes: list[ast.expr]) -> list[ast.expr] | None:
    """The expressions with the items of a tuple in place of each ``*tuple``; None, with a report, where there is no tuple."""
    found: list[ast.expr] = []
    for n in nodes:
        if not isinstance(n, ast.Starred):
            found.append(n)
            continue
        value = usable(ctx, expression(ctx, n.value), "this", ctx.span(n))
        if not isinstance(value, TupleValue) or value.closed:
            if not isinstance(value, SILENT):
                ctx.report(Unsupported(ctx.span(n), f"unpacking {describe(type_of(value))}", "unpack a tuple, or write the elements out"))
            return None
        found += [Quoted(n, item) for item in value.items]
    return found


def _tuple(ctx: Lowering, node: ast.Tuple, hint: str) -> Value:
    elements = spread_out(ctx, node.elts)
    return Poison() if elements is None else TupleValue(tuple(expression(ctx, e, hint) for e in elements))


def _list(ctx: Lowering, node: ast.List, hint: str) -> Value:
    """A list display: a tuple to all that reads it."""
    elements = spread_out(ctx, node.elts)
    return Poison() if elements is None else TupleValue(tuple(expression(ctx, e, hint) for e in elements), LIST)


def _walrus(ctx: Lowering, node: ast.NamedExpr, hint: str) -> Value:
    value = expression(ctx, node.value, node.target.id)
    ctx.bind(node.target.id, Binding(value, ctx.span(node.value)))
    return value


def _call(ctx: Lowering, node: ast.Call, hint: str) -> Value:
    from .calls import call

    return call(ctx, node, hint)


def _lambda(ctx: Lowering, node: ast.Lambda, hint: str) -> Value:
    from .calls import nested_function

    return nested_function(ctx, node, hint if hint != "t" else "lambda")


EXPRESSIONS: dict[type[ast.expr], Callable[[Lowering, ast.expr, str], Value]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.BinOp: _binop,
    ast.UnaryOp: _unaryop,
    ast.BoolOp: _boolop,
    ast.Compare: _compare,
    ast.IfExp: _ifexp,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.NamedExpr: _walrus,
    ast.Call: _call,
    ast.Lambda: _lambda,
    ast.Attribute: lambda ctx, node, hint: attribute(ctx, node),
    ast.Subscript: lambda ctx, node, hint: subscript(ctx, node),
    Quoted: _quoted,
}

