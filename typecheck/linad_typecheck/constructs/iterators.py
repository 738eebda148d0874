"""Iterators as values: `range` of a length known only at run time, the generators of the prelude, and calls of `zip`,
`enumerate` and the like that are not consumed where they stand."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..arrays.indexing import MOST_CHOSEN
from ..engine.arithmetic import binary
from ..engine.entities import callee
from ..engine.evaluation import CALLS, expression, usable
from ..engine.places import check_same_size, materialise
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.growing import copied, is_growing
from ..engine.sizes import is_array, rank_of
from ..engine.state import Lowering
from ..engine.sequences import Generated, Unrolled, iteration
from ..engine.values import (
    CYCLE, ITERATOR, ITERATORS, RANGE, SILENT, Binding, Bottom, EntityValue, FunctionValue, Poison, ScalarValue,
    TupleValue, Value, contains, describe, is_complex, literal, type_of,
)  # fmt: skip
from ..library.definitions import definitions
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..ir.core import Const
from ..names.scope import External, FunctionSource
from ..registry import enter
from ..types import INTS
from . import lists
from .comprehensions import made_for_expression
from .records import by_class
from .generators import GENERATORS, POOL, by_library, by_next, consume, source_of, start_generator


def generated(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """A call of a generator function of a library."""
    if dotted == "itertools.zip_longest" and not any(k.arg == "fillvalue" for k in node.keywords):
        instead = "give a value that the items may have, `fillvalue=0.0`, and compare the index with the lengths"
        raise Refused(Unsupported(ctx.span(node), f"`{name}` that fills up with None", instead))
    whole = getattr(ctx.path.stmt, "value", None)
    if node in (whole, *getattr(whole, "elts", ())) and (kept := _kept(ctx, node, dotted)) is not None:
        return kept
    try:
        return start_generator(ctx, node, FunctionValue(source_of(definitions()[dotted]), (), ()))
    except Refused as e:
        if isinstance(e.message, BadCall):
            raise Refused(replace(e.message, callee=name, defined=None)) from None
        raise


def _kept(ctx: Lowering, node: ast.Call, dotted: str) -> Value | None:
    """``count(a, b)`` of ints, or ``cycle(x)``, as an iterator with a name, of which `next` may take items one by one;
    None for other calls."""
    span, given = ctx.span(node), [expression(ctx, a) for a in node.args]
    if node.keywords or contains(TupleValue(tuple(given)), SILENT):
        return None
    if dotted == "itertools.cycle" and len(given) == 1:
        items = pool(ctx, ast.copy_location(ast.Call(node.func, [Quoted(node, given[0])], []), node), POOL, "", "")
        return TupleValue((items, literal(0)), CYCLE) if _is_sequence(items) else None
    ints = all(isinstance(v, ScalarValue) and v.dtype in INTS for v in given)
    if dotted != "itertools.count" or not ints or len(given) > 2:
        return None
    start, step = (*given, *(literal(k) for k in range(len(given), 2)))
    if not isinstance(step.atom, Const) or step.atom.value == 0:
        return None
    end = binary(ctx, ast.Add, start, literal(step.atom.value * LAST), span)
    return TupleValue((TupleValue((start, end, step), RANGE), literal(0)), ITERATOR)


LAST = 1 << 40  # so many numbers of a `count` are never taken


def pool(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """A sequence with the items of an iterable, which later updates do not change."""
    (what,) = node.args
    span, value = ctx.span(node), expression(ctx, what)
    match value:
        case FunctionValue() if _is_running(value):
            return lists.of_iterable(ctx, Quoted(what, value))
        case TupleValue() if is_growing(value):
            return copied(ctx, value, span)
        case TupleValue(record=record) if record is RANGE:
            return value
        case TupleValue(closed=False):
            numbers = all(isinstance(v, ScalarValue) for v in value.items)
            few = numbers and len(value.items) <= MOST_CHOSEN
            return value if few else lists.in_arrays(ctx, value, named=False) or value
        case _ if is_array(value) and rank_of(value) == 1:
            return materialise(ctx, value, "items", span)
        case _ if is_array(value) or isinstance(value, SILENT):
            return value
    return lists.of_iterable(ctx, Quoted(what, value))


def from_iterator(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``np.fromiter(x, dtype, count)``: ``np.array(list(x), dtype)``, of the first ``count`` items."""
    given = dict(zip(("iter", "dtype", "count"), node.args, strict=False)) | {k.arg: k.value for k in node.keywords}
    if len(node.args) > 3 or not {"iter", "dtype"} <= given.keys() <= {"iter", "dtype", "count"}:
        raise Refused(BadCall(ctx.span(node), name, "takes an iterable, a dtype and `count`"))
    span, what = ctx.span(node), given["iter"]
    items = Quoted(what, expression(ctx, what))
    count = expression(ctx, given["count"]) if "count" in given else literal(-1)
    limited = isinstance(count, ScalarValue) and count != literal(-1)
    if limited:
        items = Quoted(what, by_library(ctx, "itertools.islice", node, [items, Quoted(node, count)]))
    found = Quoted(what, lists.of_iterable(ctx, items))
    library = lambda dotted: Quoted(node, EntityValue(External(dotted), name))
    if limited:
        size = expression(ctx, ast.copy_location(ast.Call(library("builtins.len"), [found], []), node))
        if not isinstance(size, ScalarValue):
            raise Refused(None)
        text = "iterator too short: Expected {0} but iterator had only {1} items."
        check_same_size(ctx, size.atom, count.atom, text, (count.atom, size.atom), span)
    dtype = ast.keyword("dtype", given["dtype"])
    return expression(ctx, ast.copy_location(ast.Call(library("numpy.array"), [found], [dtype]), node), hint)


def _is_running(v: Value) -> bool:
    """Whether a value is a generator object."""
    return isinstance(v, FunctionValue) and v.source.running


def _is_sequence(v: Value) -> bool:
    if isinstance(v, TupleValue):
        if is_complex(v):
            return _is_sequence(v.items[0])
        return v.record is RANGE or is_growing(v) or not (v.closed or v.mapping)
    return is_array(v) and rank_of(v) > 0


def first_of(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``next(x)`` and ``next(x, default)``, of an iterator over a sequence, or a generator that nothing else uses."""
    if not 1 <= len(node.args) <= 2 or node.keywords:
        raise Refused(BadCall(ctx.span(node), name, "takes an iterator and a default"))
    what, *default = node.args
    span = ctx.span(node)
    of = expression(ctx, what)
    if not default and (value := by_class(ctx, "__next__", of, node)) is not None:
        return value
    if (each := by_next(ctx, of, node)) is not None:
        of, what = each, node
    if isinstance(of, TupleValue) and of.record in ITERATORS:
        of = by_library(ctx, ITERATORS[of.record], node, [Quoted(what, of)])
        what = node
    if not _is_running(of) or isinstance(what, ast.Name | ast.Attribute | ast.Subscript):
        told = "`next` of a generator that stays in use" if _is_running(of) else "`next` of no iterator"
        instead = "loop over it, and leave the loop by `break`"
        raise Refused(None if isinstance(of, SILENT) else Unsupported(span, told, instead))
    found, other = ctx.pseudo("next", span), ctx.pseudo("default", span)
    if default:
        ctx.bind(other, Binding(expression(ctx, default[0]), span))
    with made_for_expression(ctx):
        loop = ctx.inlined.made.setdefault((node, "next"), _first(node, found, other if default else ""))
        consume(ctx, Generated(of), loop, loop, frozenset((*ctx.env, found)))
    value = ctx.unbind(found, other)
    return Bottom() if value is None else usable(ctx, value.value, "the item", span)  # None: it raises


def _first(node: ast.Call, found: str, other: str) -> ast.For:
    """``for found in x: break`` with the default, or the error, in its `else`."""
    target = ast.Name(found, ast.Store())
    if other:
        end: ast.stmt = ast.Assign([ast.Name(found, ast.Store())], ast.Name(other, ast.Load()))
    else:
        end = ast.Raise(ast.Name("StopIteration", ast.Load()), None)
    made = ast.For(target, node.args[0], [ast.Break()], [end])
    for n in ast.walk(made):
        if "lineno" in n._attributes and not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return made


# ------------------------------------------------------------------------------------------------- calls as values


def as_object(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``zip(a, b)`` and the like as a value: ``(v for v in zip(a, b))``, whose arguments are evaluated here."""
    if dotted == "builtins.iter" and len(node.args) == 1:
        value = expression(ctx, node.args[0])
        if _is_running(value) or (isinstance(value, TupleValue) and value.record in ITERATORS):
            return value
        if _is_sequence(value):
            return TupleValue((value, literal(0)), ITERATOR)
        if isinstance(value, ScalarValue):
            ctx.raised("TypeError")
            found = describe(type_of(value))
            raise Refused(WrongType(ctx.span(node), "a loop runs over a range, an array or a tuple", found))
        node = ast.copy_location(ast.Call(node.func, [Quoted(node.args[0], value)], []), node)
    if any(isinstance(a, ast.Starred) for a in node.args):
        over = iteration(ctx, node)
        if over is None:
            return Poison()
        return TupleValue(over.items) if isinstance(over, Unrolled) else _undetermined(ctx, node, name)
    made, leaves = ctx.inlined.made.setdefault((node, "object"), _generator_of(ctx, node))
    key = f"{ctx.source.key}/{ctx.source.name}.{name}"
    source = FunctionSource(name, made, ctx.source.source, ctx.source.scope, key)
    call = ast.copy_location(ast.Call(node.func, leaves, []), node)
    return start_generator(ctx, call, FunctionValue(source, (), None))


def _undetermined(ctx: Lowering, node: ast.Call, name: str) -> Value:
    what = f"`{name}` of arguments that are spread out, as a value,"
    raise Refused(Unsupported(ctx.span(node), what, "loop over it where it stands"))


def _generator_of(ctx: Lowering, node: ast.Call) -> tuple[ast.FunctionDef, list[ast.expr]]:
    """The generator function, and its arguments: the parts of the call that are not such calls themselves."""
    leaves: list[ast.expr] = []

    def part(n: ast.expr) -> ast.expr:
        plain = isinstance(n, ast.Call) and not any(isinstance(a, ast.Starred) for a in n.args)
        if plain and callee(ctx, n.func) in LAZY:
            args = [part(a) for a in n.args]
            named = [ast.keyword(k.arg, part(k.value)) for k in n.keywords]
            return ast.copy_location(ast.Call(n.func, args, named), n)
        leaves.append(n)
        return ast.copy_location(ast.Name(f"%{len(leaves)}", ast.Load()), n)

    whole = part(node)
    target = ast.Name("%item", ast.Store())
    body = [ast.For(target, whole, [ast.Expr(ast.Yield(ast.Name("%item", ast.Load())))], [])]
    args = ast.arguments([ast.arg(f"%{k + 1}") for k in range(len(leaves))], [], None, [], [], None, [])
    made = ast.FunctionDef("<iterator>", args, body, [])
    for n in ast.walk(made):
        if "lineno" in n._attributes and not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return made, leaves


LAZY = tuple(f"builtins.{n}" for n in "zip enumerate map reversed iter range".split())
CALLS.update(dict.fromkeys((n for n in GENERATORS if n not in CALLS), generated))
CALLS.update(dict.fromkeys(("builtins.zip", "builtins.enumerate", "builtins.reversed", "builtins.iter"), as_object))
CALLS["numpy.fromiter"] = from_iterator
CALLS[POOL] = pool
CALLS["builtins.next"] = first_of
enter("fold", ("builtins.next", "builtins.iter"))
enter("rule", ("numpy.fromiter",))
enter("fold", GENERATORS)
