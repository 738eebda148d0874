"""Expressions: the rows of the dispatch table, from ast classes to functions that return a value and emit its
statements."""

from __future__ import annotations

import ast
from functools import partial

from ..advice.did_you_mean import meant
from ..ir.core import Check, Const
from ..engine.arithmetic import binary, unary
from ..engine.elementwise import lift
from ..engine.entities import constant_value, entity, unknown_constant
from ..engine.evaluation import (
    CONDITIONS, EXPRESSIONS, all_present, condition, expand_starred, expression, operands, pull, truth_by_class,
    truth_of, usable,
)
from ..engine.growing import is_growing
from ..engine.provenance import first_bound
from ..engine.quoted import Quoted
from ..engine.refusal import Refused, refuse
from ..engine.rulebook import CONSTANTS, Args
from ..engine.short_circuit import lazily, one_of
from ..engine.sizes import is_array
from ..engine.state import Ahead, Lowering
from ..engine.values import (
    COMPLEX, LIST, SEQUENCES, SILENT, Binding, EntityValue, LostArray, Poison, ScalarValue, TextValue, TupleValue,
    Value, is_complex, is_optional, literal, type_of,
)
from ..library.externals import call_external
from ..library.operators import operator
from ..ownership.liveness import enclosed
from ..ownership.state import shared_use
from ..messages.language import MaybeUndefined, Undefined, Unsupported
from ..messages.types import WrongType
from ..span import Span
from ..types import INTS
from . import hashed, lists
from .comparisons import EQUALITIES, comparison_of
from .records import binary_operator, unary_operator
from .static_texts import added


# ---------------------------------------------------------------------------------------------------------- names


def _name(ctx: Lowering, node: ast.Name, hint: str) -> Value:
    name = node.id
    b = ctx.path.env.get(name)
    if b is not None and b.defined is None and b.shared is None and not isinstance(b.value, LostArray):
        return b.value
    span = ctx.span(node)
    if b is None:
        return Poison() if name in ctx.local_names and _undefined(ctx, name, span) else entity(ctx, name, span)
    if b.defined is not None:
        free = id(node) in enclosed(ctx.source.node)
        error = "NameError" if free else "UnboundLocalError"
        ctx.report(MaybeUndefined(span, name, first_bound(ctx, name), error))
        end = " in enclosing scope" if free else ""
        kind = "free" if free else "local"
        text = f"cannot access {kind} variable '{name}' where it is not associated with a value{end}"
        ctx.emit(Check(b.defined, error, text, (), span))
        ctx.bind(name, Binding(b.value, b.span))
    if b.shared is not None:
        shared_use(ctx, name, b, span)
    if isinstance(b.value, LostArray):
        ctx.bind(name, Binding(Poison(b.value), b.span))  # reported once
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
    if type(node.value) in (bool, float) or (type(node.value) is int and -(2**63) <= node.value < 2**63):
        return literal(node.value)
    match node.value:
        case complex(real=real, imag=imag):
            return TupleValue((literal(real), literal(imag)), COMPLEX)
        case bytes():
            refuse(ctx, node)
            return Poison()
        case int():
            raise Refused(WrongType(ctx.span(node), "an int has 64 bits", "a larger literal", "write it as a float"))
        case value if value is ...:
            return CONSTANTS["builtins.Ellipsis"]
    return constant_value(ctx, node.value, "literal", ctx.span(node))


# ------------------------------------------------------------------------------------------------------ operators


def _binop(ctx: Lowering, node: ast.BinOp, hint: str) -> Value:
    if ast.IfExp in (type(node.left), type(node.right)):
        for place, either in (("left", node.left), ("right", node.right)):
            if isinstance(either, ast.IfExp) and _array_or_number(ctx, either):
                return _of_each(ctx, node, place, either, hint)
    a, b = operands(ctx, [node.left, node.right])
    if type(a) is type(b) is ScalarValue:  # most operators
        return binary(ctx, type(node.op), a, b, ctx.span(node), hint)
    made = binary_operator(ctx, type(node.op), a, b, node)
    if made is not None:
        return made
    if isinstance(a, TextValue | EntityValue) and (joined := added(a, b, node)) is not None:
        return joined
    if isinstance(node.op, ast.Add) and (isinstance(a, TupleValue) or isinstance(b, TupleValue)):
        silent = next((v for v in (a, b) if isinstance(v, SILENT)), None)
        if silent is not None:  # the type is unknown and may be a tuple
            return silent
        if lists.is_list(a) and lists.is_list(b) and (is_growing(a) or is_growing(b)):
            return lists.concatenated(ctx, a, b, node)
        if isinstance(a, TupleValue) and isinstance(b, TupleValue) and not (a.closed or b.closed):
            if a.listed != b.listed:
                raise Refused(
                    WrongType(
                        ctx.span(node),
                        "a list is joined to a list and a tuple to a tuple",
                        "one of each",
                        "write both as tuples",
                    )
                )
            return TupleValue(a.items + b.items, LIST if a.listed else None)
    if hashed.is_set(a) and hashed.is_set(b) and type(node.op) in hashed.OPERATIONS:
        return hashed.combined(ctx, node, hashed.OPERATIONS[type(node.op)], a, b)
    if isinstance(node.op, ast.BitOr) and hashed.is_dict(a) and hashed.is_dict(b):
        return hashed.joined(ctx, node, a, b)
    if isinstance(node.op, ast.Mult):
        repeated = _repeated(ctx, a, b, node) or _repeated(ctx, b, a, node)
        if repeated is not None:
            return repeated
    return operator(ctx, type(node.op), a, b, ctx.span(node), hint)


def _array_or_number(ctx: Lowering, either: ast.IfExp) -> bool:
    """Whether a conditional expression has an array on one side and a literal number on the other."""
    sides = [n for n in (either.body, either.orelse) if not isinstance(n, ast.Constant)]
    return len(sides) == 1 and is_array(ctx.attempt(lambda: expression(ctx, sides[0])).value)


def _of_each(ctx: Lowering, node: ast.BinOp, place: str, either: ast.IfExp, hint: str) -> Value:
    """``x + (a if c else 0.0)`` as ``x + a if c else x + 0.0``, in Python's order of evaluation."""
    test, other = either.test, node.right
    if place == "right":
        calls = any(isinstance(n, ast.Call | ast.NamedExpr) for n in ast.walk(test))
        first, *tests = operands(ctx, [node.left, test] if calls else [node.left])
        other, test = Quoted(node.left, first), Quoted(test, *tests) if calls else test
    put = lambda side: ast.BinOp(*((side, node.op, other) if place == "left" else (other, node.op, side)))
    sides = [ast.copy_location(put(side), node) for side in (either.body, either.orelse)]
    return expression(ctx, ast.copy_location(ast.IfExp(test, *sides), node), hint)


def _repeated(ctx: Lowering, a: Value, b: Value, node: ast.BinOp) -> Value | None:
    """A repeated tuple or list: ``(0.0,) * 3``."""
    match a, b:
        case TupleValue(items=items, closed=False), ScalarValue(atom=Const(value=int(n)), dtype=dtype) if (
            dtype in INTS and n * len(items) <= 1000
        ):
            return TupleValue(items * n, LIST if a.listed else None)
        case TupleValue(), ScalarValue(dtype=dtype) if dtype in INTS and lists.is_list(a):
            return lists.repeated(ctx, a, b, node)
        case TupleValue(closed=False), ScalarValue(dtype=dtype) if dtype in INTS:
            ctx.wants_literal(b)
            raise Refused(
                Unsupported(
                    ctx.span(node), "a tuple repeated a computed number of times", "make an array: `np.full(n, 0.0)`"
                )
            )
    return None


def _negated(ctx: Lowering, node: ast.UnaryOp) -> Value:
    """The operand of ``not``; only its truth value is used."""
    if not isinstance(node.op, ast.Not):
        return usable(ctx, expression(ctx, node, "b"), "this", ctx.span(node))
    inner = condition(ctx, node.operand)
    return Poison() if inner is None else unary(ctx, ast.Not, ScalarValue(inner, True), ctx.span(node))


def _unaryop(ctx: Lowering, node: ast.UnaryOp, hint: str) -> Value:
    if isinstance(node.op, ast.Not):
        c = condition(ctx, node)
        return Poison() if c is None else ScalarValue(c, True)
    span = ctx.span(node)
    operand = pull(ctx, node.operand)
    if is_complex(operand):
        if isinstance(node.op, ast.UAdd):
            return operand
        name = "neg" if isinstance(node.op, ast.USub) else "invert"
        return call_external(ctx, f"operator.{name}", Args("this operator", span, (operand,), {}, hint))
    made = unary_operator(ctx, type(node.op), operand, node)
    if made is not None:
        return made
    return lift(ctx, (operand,), lambda v: unary(ctx, type(node.op), *v, span, hint), span, hint)


def _boolop(ctx: Lowering, node: ast.BoolOp, hint: str, as_bool: bool = False) -> Value:
    is_and = isinstance(node.op, ast.And)

    def value_of(n: ast.expr) -> Value:
        if not as_bool:
            return expression(ctx, n, hint, none=not is_and and n is not node.values[-1])
        c = condition(ctx, n)
        return Poison() if c is None else ScalarValue(c, True)

    def rest(nodes: list[ast.expr]) -> Value:
        first = value_of(nodes[0])
        if len(nodes) == 1:
            return first
        own = truth_by_class(ctx, first, nodes[0])
        if own is not None or is_optional(first):
            span, cond = ctx.span(node), truth_of(ctx, own or first, ctx.span(nodes[0]))
            if isinstance(cond, Const):
                return rest(nodes[1:]) if cond.value == is_and else first
            kept = first.items[0] if own is None else first  # `x or y`: a true `x` is not None
            arms = [Ahead(kept, [], ctx.path), ctx.ahead(lambda: rest(nodes[1:]))]
            arms = arms[::-1] if is_and else arms
            return one_of(ctx, cond, arms, (span, span), frozenset(ctx.env), span, hint)
        with ctx.programs.perhaps_dead(isinstance(first, Poison) and unknown_constant(ctx, nodes[0])):
            return lazily(ctx, is_and, first, lambda: rest(nodes[1:]), ctx.span(node), hint)

    return rest(node.values)


def _ifexp(ctx: Lowering, node: ast.IfExp, hint: str) -> Value:
    cond = condition(ctx, node.test)
    if isinstance(cond, Const):
        return expression(ctx, node.body if cond.value else node.orelse, hint, none=True)
    if cond is None:
        with ctx.programs.perhaps_dead(unknown_constant(ctx, node.test)):
            expression(ctx, node.body), expression(ctx, node.orelse)
        return Poison()
    sides = (node.body, node.orelse)
    arms = [ctx.ahead(partial(expression, ctx, side, hint, none=True)) for side in sides]
    span = ctx.span(node)
    a, b = (arm.value for arm in arms)
    if (
        isinstance(a, ScalarValue)
        and isinstance(b, ScalarValue)
        and type_of(a) == type_of(b)
        and not any(x.stmts or x.path.env != ctx.env for x in arms)  # an arm may change a list
    ):
        if a == b:
            return a
        return ScalarValue(ctx.let(hint, "select", (cond, a.atom, b.atom), a.atom.type, span), a.weak)
    whole = getattr(ctx.path.stmt, "value", None) is node
    live = ctx.live.after.get(ctx.path.stmt, frozenset()) if whole else frozenset(ctx.env)
    return one_of(ctx, cond, arms, tuple(map(ctx.span, sides)), live, span, hint)


def _compare(ctx: Lowering, node: ast.Compare, hint: str) -> Value:
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot):
        sides = (pull(ctx, n, none=True) for n in (node.left, node.comparators[0]))
        return comparison_of(ctx, node.ops[0], *sides, ctx.span(node))
    if len(node.ops) == 1:
        among = isinstance(node.ops[0], ast.In | ast.NotIn)
        sides = operands(ctx, [node.left, node.comparators[0]], none=among or isinstance(node.ops[0], EQUALITIES))
        if among:
            sides = _of_items(ctx, node, *sides)
        return comparison_of(ctx, node.ops[0], *sides, ctx.span(node))
    return _chain(ctx, node, pull(ctx, node.left), 0)


def _of_items(ctx: Lowering, node: ast.Compare, a: Value, b: Value) -> tuple[Value, Value]:
    """The sides of ``a in b``: None may be among the items of a list or tuple, not among those of anything else."""
    b = all_present(ctx, node.comparators[0], b) if is_optional(b) else b
    listed = isinstance(b, TupleValue) and (b.record in SEQUENCES or is_growing(b))
    return a if listed else all_present(ctx, node.left, a), b


def _chain(ctx: Lowering, node: ast.Compare, left: Value, k: int) -> Value:
    """The comparisons of a chain from number ``k`` on. ``left``: the value on the left of that one."""
    right = pull(ctx, node.comparators[k])
    first = comparison_of(ctx, node.ops[k], left, right, ctx.span(node))
    if k + 1 == len(node.ops):
        return first
    return lazily(ctx, True, first, lambda: _chain(ctx, node, right, k + 1), ctx.span(node), "b")


# ------------------------------------------------------------------------------------------------------ the rest


def _tuple(ctx: Lowering, node: ast.Tuple, hint: str) -> Value:
    return TupleValue(tuple(expression(ctx, e, hint, none=True) for e in expand_starred(ctx, node.elts)))


def _list(ctx: Lowering, node: ast.List, hint: str) -> Value:
    """A list display: a tuple with the class of a list; a growing list if ``*xs`` in it is of unknown length."""
    nodes = expand_starred(ctx, node.elts, others=True)
    if any(isinstance(n, ast.Starred) for n in nodes):
        return lists.display(ctx, nodes, node)
    return TupleValue(tuple(expression(ctx, e, hint, none=True) for e in nodes), LIST)


def _walrus(ctx: Lowering, node: ast.NamedExpr, hint: str) -> Value:
    value = expression(ctx, node.value, node.target.id, none=True)
    ctx.bind(node.target.id, Binding(value, ctx.span(node.value)))
    return value


EXPRESSIONS.update({
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
    Quoted: _quoted,
})  # fmt: skip
CONDITIONS.update({
    ast.BoolOp: lambda ctx, node: _boolop(ctx, node, "b", as_bool=True),
    ast.UnaryOp: _negated,
})  # fmt: skip
