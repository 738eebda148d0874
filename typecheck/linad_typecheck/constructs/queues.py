"""`collections.deque`: an object whose methods are functions of `prelude/queues.py`."""

from __future__ import annotations

import ast

from ..engine.evaluation import CALLS, expression, pull, usable
from ..engine.growing import count_of, is_growing, item_at
from ..engine.numbers import as_index
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.state import FALSE, ZERO, Lowering
from ..engine.values import (
    LIST, SILENT, Binding, Bottom, EntityValue, Never, NoneValue, ScalarValue, TupleValue, Value, describe, literal,
    type_of,
)
from ..arrays.slices import Slice, index_atom, require_index
from ..ir.core import Atom, Check
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..names.scope import DEQUE, GROWING, External
from ..ownership.objects import allocated_at, change
from ..registry import enter
from ..span import Span
from ..types import BOOL, I64, INTS
from .comprehensions import COMPREHENSIONS, run_through
from .iterables import LISTED, iteration
from .lists import from_iteration, slice_of
from ..engine.sequences import Unrolled

_METHODS = {
    "append": 1, "appendleft": 1, "clear": 0, "copy": 0, "extend": 1, "extendleft": 1, "pop": 0, "popleft": 0,
    "rotate": 1,
}  # fmt: skip


def is_deque(v: Value) -> bool:
    return isinstance(v, TupleValue) and v.record is DEQUE


def _call(ctx: Lowering, at: ast.expr, name: str, *given: Value) -> Value:
    function = Quoted(at, EntityValue(External(f"%queues.{name}"), name))
    found = expression(ctx, ast.copy_location(ast.Call(function, [Quoted(at, v) for v in given], []), at), none=True)
    if isinstance(found, SILENT):
        raise Refused(None, found, given)
    return found


def _again(ctx: Lowering, node: ast.expr) -> TupleValue:
    found = pull(ctx, node)
    if not is_deque(found):
        raise Refused(None)
    return found


def count(ctx: Lowering, d: TupleValue, span: Span) -> Atom:
    """The number of items."""
    if isinstance(d.items[0].items[0], Never):
        return ZERO
    return ctx.let("n", "sub", (count_of(ctx, d.items[0]), d.items[1].atom), I64, span, nonneg=True)


def as_list(ctx: Lowering, d: TupleValue, span: Span) -> TupleValue:
    """The items as a list."""
    ctx.not_negative(d.items[1].atom)
    if isinstance(d.items[0].items[0], Never):
        return TupleValue((), LIST)
    return slice_of(ctx, d.items[0], Slice(d.items[1].atom, None, None, span), "items", span)


def construct(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``deque(xs, maxlen=n)``."""
    span, given = ctx.span(node), {k.arg: k.value for k in node.keywords}
    if given.keys() - {"maxlen"} or len(node.args) > 2 - len(given):
        raise Refused(BadCall(span, name, "takes an iterable and `maxlen=`"))
    option = next(iter((*node.args[1:], *given.values())), None)
    most = literal(-1) if option is None else expression(ctx, option, none=True)
    most = literal(-1) if isinstance(most, NoneValue) else most
    if isinstance(most, SILENT):
        raise Refused(None, most)
    if not (isinstance(most, ScalarValue) and most.dtype in INTS):
        raise Refused(WrongType(span, "`maxlen` is an int or None", describe(type_of(most))))
    key = ctx.pseudo("made", span)
    items = TupleValue((Never(), literal(0)), GROWING[1])
    new = allocated_at(ctx, TupleValue((items, literal(0), ScalarValue(most.atom, True)), DEQUE), span)
    ctx.bind(key, Binding(new, span))
    if node.args:
        _extended(ctx, node, ast.copy_location(ast.Name(key, ast.Load()), node), node.args[0], "_append")
    found = ctx.unbind(key).value
    return TupleValue(found.items, DEQUE) if isinstance(found, TupleValue) else found


def _extended(ctx: Lowering, at: ast.expr, name: ast.expr, what: ast.expr, how: str) -> None:
    each = lambda v: None if isinstance(v, Bottom) else _call(ctx, at, how, _again(ctx, name), v)
    if isinstance(what, COMPREHENSIONS):
        run_through(ctx, what, lambda v, _: each(v), "each")
        return
    match found := iteration(ctx, what):
        case None:
            raise Refused(None)
        case Unrolled(items=items):
            for v in items:
                each(v)
        case _:
            from_iteration(ctx, found, what, each)


def method(ctx: Lowering, node: ast.Call, base: TupleValue, name: str) -> Value:
    """``d.append(v)``, ``d.popleft()`` and other methods."""
    span = ctx.span(node)
    if name not in _METHODS or node.keywords:
        raise Refused(Unsupported(span, f"`.{name}` of a deque", "make a list of it: `list(d)`"))
    if len(node.args) != _METHODS[name] and not (name == "rotate" and not node.args):
        raise Refused(BadCall(span, ast.unparse(node.func), f"takes {_METHODS[name]} arguments"))
    if name in ("extend", "extendleft"):
        ctx.all_landed()  # the deque is evaluated again for each item
        _extended(ctx, node, node.func.value, node.args[0], "_append" if name == "extend" else "_append_left")
        return NoneValue()
    given = [usable(ctx, expression(ctx, a, none=name != "rotate"), "the argument", ctx.span(a)) for a in node.args]
    silent = next((v for v in given if isinstance(v, SILENT)), None)
    if silent is not None:
        raise Refused(None, silent, (base,))
    match name:
        case "append":
            return _call(ctx, node, "_append", base, *given)
        case "appendleft":
            return _call(ctx, node, "_append_left", base, *given)
        case "rotate":
            return _call(ctx, node, "_rotate", base, *(given or [literal(1)]))
        case "copy":
            items = as_list(ctx, base, span)
            return TupleValue((items if is_growing(items) else base.items[0], literal(0), base.items[2]), DEQUE)
        case "clear":
            none = TupleValue((Never(), literal(0)), GROWING[1], base.items[0].made)
            empty = TupleValue((none, literal(0), base.items[2]), DEQUE)
            of = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
            change(ctx, base, empty, of, "`.clear` of a deque", "make another one", span)
            return NoneValue()
    n = count(ctx, base, span)
    some = FALSE if n == ZERO else ctx.let("some", "gt", (n, ZERO), BOOL, span)
    ctx.emit(Check(some, "IndexError", "pop from an empty deque", (), span))
    if n == ZERO:
        ctx.go(dead=True)
        return Bottom()
    return _call(ctx, node, "_pop_left" if name == "popleft" else "_pop", base)


def position_of(ctx: Lowering, base: TupleValue, index: Value, name: str, span: Span) -> Atom:
    """The position in its list of the item at an index."""
    if not (isinstance(index, ScalarValue) and index.dtype in INTS):
        told = WrongType(span, "a deque is indexed by an int", describe(type_of(index)))
        raise Refused(None if isinstance(index, SILENT) else told)
    n = count(ctx, base, span)
    k = index_atom(ctx, ScalarValue(as_index(ctx, index.atom, span), True), n, span)
    require_index(ctx, k, n, 0, name or "the deque", span)
    ctx.not_negative(k, base.items[1].atom)
    return ctx.let("k", "add", (base.items[1].atom, k), I64, span, nonneg=True)


def item(ctx: Lowering, node: ast.Subscript, base: TupleValue, name: str) -> Value:
    """``d[k]``."""
    span = ctx.span(node)
    if isinstance(node.slice, ast.Slice):
        raise Refused(WrongType(span, "a deque is not sliced", "a slice", "slice a list of it: `list(d)[...]`"))
    k = position_of(ctx, base, expression(ctx, node.slice), name, span)
    return Bottom() if isinstance(base.items[0].items[0], Never) else item_at(ctx, base.items[0], k, span)


CALLS["collections.deque"] = construct
LISTED[DEQUE] = lambda ctx, d, span: (as_list(ctx, d, span), d.items[0])
enter("fold", ("collections.deque",))
