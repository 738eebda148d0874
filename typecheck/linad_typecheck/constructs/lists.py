"""Lists that change: `append` and other methods, stored items, and items of a growing list."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from ..arrays.indexing import Cell
from ..arrays.slices import Slice, index_atom, require_index, view_of
from ..ir.core import Atom, Check, Const, Fill
from ..engine.evaluation import CALLS, expression, usable
from ..engine.growing import (
    appended, as_array, as_growing, copied, count_of, from_array, is_growing, is_weak, item_at, made,
)
from ..engine.numbers import whole
from ..engine.places import fresh_array, held, materialise
from ..engine.provenance import user_name
from ..engine.quoted import Do, Quoted
from ..engine.refusal import Refused
from ..engine.rulebook import Args
from ..engine.sequences import Iteration, Unrolled
from ..engine.sizes import is_array, rank_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    GROWING, LIST, LISTS, SILENT, ArrayValue, Binding, Bottom, LostArray, NoneValue, Poison, ScalarValue, TupleValue,
    Value, arrays, contains, describe, growing_type, literal, map_arrays, type_of,
)
from ..library.externals import call_external
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..names.scope import RETURNED
from ..span import Span
from ..types import BOOL, I64, INTS
from .comprehensions import COMPREHENSIONS, Comprehension, only_plain, run_through, through
from .identity import change
from .iterables import iteration

METHODS = ("append", "extend", "insert", "pop", "copy", "clear", "reverse", "sort")
COUNTED = 64  # from this length on, a list is stored in arrays
UNKNOWN = TupleValue((Poison(), literal(0)), GROWING[0])  # a list whose items are unknown
NOTHING = type_of(TupleValue((), LIST))


def is_list(v: Value) -> bool:
    return isinstance(v, TupleValue) and v.record in LISTS


def method(ctx: Lowering, node: ast.Call, base: TupleValue, name: str) -> Value:
    """``xs.append(v)`` and other methods; the name is rebound to a new list value."""
    span = ctx.span(node)
    if name not in METHODS or node.keywords:
        raise Refused(Unsupported(span, f"`.{name}` of a list", "make an array of it, `np.array(xs)`, or write a loop"))
    given = [
        usable(ctx, expression(ctx, a), "the argument", ctx.span(a))
        for a in node.args
        if not isinstance(a, COMPREHENSIONS)
    ]
    lost = contains(base, LostArray)
    base = usable(ctx, base, user_name(node.func.value) or "the list", span)
    silent = next((v for v in (base, *given) if isinstance(v, SILENT)), None)
    if silent is not None:
        ctx.programs.poisoned |= isinstance(silent, Poison)
        if not lost and isinstance(node.func.value, ast.Name) and name != "copy":
            _unknown_item(ctx, node.func.value.id, base, silent, span)
        return silent
    least, most = {"append": (1, 1), "extend": (1, 1), "insert": (2, 2), "pop": (0, 1)}.get(name, (0, 0))
    if not least <= len(node.args) <= most:
        takes = (
            "no argument"
            if most == 0
            else f"{least} argument{'s' * (most > 1)}"
            if least == most
            else "at most one argument"
        )
        raise Refused(BadCall(span, f"{ast.unparse(node.func.value)}.{name}", f"takes {takes}"))
    if name == "copy":
        return copied(ctx, base, span) if is_growing(base) else TupleValue(base.items, LIST)
    target = node.func.value
    if not own(ctx, target, base, f"`.{name}`", span):
        raise Refused(None)
    match name:
        case "append":
            return append(ctx, target.id, given[0], span)
        case "extend":
            return extend(ctx, target.id, Quoted(node.args[0], given[0]) if given else node.args[0], span)
        case "clear":
            _bind(ctx, target.id, TupleValue((), LIST), span)
            return NoneValue()
        case "pop":
            return _pop(ctx, target.id, base, given, span)
    return _rearranged(ctx, target.id, base, name, given, span)


def own(ctx: Lowering, node: ast.expr, base: TupleValue, what: str, span: Span) -> bool:
    """Whether a list is the function's own, under this name alone, so that it may change; a report otherwise."""
    if not isinstance(node, ast.Name) or node.id not in ctx.env:
        ctx.report(
            Unsupported(
                span,
                f"{what} of a list inside another value or outside the function",
                "give it a name: `xs = []`, then `xs.append(v)`",
            )
        )
        return False
    name = node.id
    given = name in {a.arg for a in ast.walk(ctx.source.node.args) if isinstance(a, ast.arg)} and not _bound_again(
        ctx, name, span
    )
    held = {v.name for v in arrays(base)} if is_growing(base) else set()
    shared = next((n for n, b in ctx.env.items() if n != name and (b.value is base or _holds(b.value, base, held))), "")
    if not (given or shared):
        shared = "%over" if _run_over(ctx, name, span) else _other_name(ctx, name)
    if given or shared:
        whose = (
            "which its caller sees"
            if given
            else f"which `{shared}` may be, too"
            if shared[0] != "%"
            else "while a loop runs over it"
        )
        put = any(
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr == "append"
            and ast.unparse(n.func.value) == shared
            for n in ast.walk(ctx.source.node)
        )
        instead = (
            f"put an array there: `{shared}.append(np.array({name}))`"
            if put
            else f"make another one: `{name} = {name} + [...]`, or `{name} = {name}.copy()` first"
        )
        ctx.report(Unsupported(span, f"{what} of a list {whose},", instead))
        return False
    return change(ctx, name, span)


def _bound_again(ctx: Lowering, name: str, span: Span) -> bool:
    """Whether a parameter is known to mean something else by then: a statement of the function itself binds it before.
    """
    body = getattr(ctx.source.node, "body", [])
    before = [s for s in body if isinstance(s, ast.Assign)] if isinstance(body, list) else []
    return any(
        isinstance(t, ast.Name) and t.id == name and ctx.span(s).line < span.line for s in before for t in s.targets
    )


def _run_over(ctx: Lowering, name: str, span: Span) -> bool:
    """Whether an enclosing loop iterates over what a name holds."""
    loops = (
        n
        for n in ast.walk(ctx.source.node)
        if isinstance(n, ast.For) and any(isinstance(x, ast.Name) and x.id == name for x in ast.walk(n.iter))
    )
    inside = lambda n: ctx.span(n.body[0]).line <= span.line <= ctx.span(n.body[-1]).end_line
    return any(inside(n) and not isinstance(n.iter, ast.Call) or (inside(n) and _iterates(n.iter, name)) for n in loops)


def _iterates(node: ast.expr, name: str) -> bool:
    """Whether ``enumerate(xs)``, ``zip(xs, ys)`` and the like run over a name, and do not only ask for its length."""
    match node:
        case ast.Name(id=found):
            return found == name
        case ast.Call(func=ast.Name(id="enumerate" | "zip" | "reversed" | "map" | "iter" | "filter"), args=args):
            return any(_iterates(a, name) for a in args)
    return False


def _holds(v: Value, base: TupleValue, held: set[str]) -> bool:
    """Whether a value has the list in it: the same arrays, or the list itself."""
    if isinstance(v, TupleValue):
        return any(x is base or _holds(x, base, held) for x in v.items) or (
            is_growing(v) and not held.isdisjoint(a.name for a in arrays(v))
        )
    return False


def _other_name(ctx: Lowering, name: str) -> str:
    """Another name that the text gives to a list, or a value that it puts it into."""
    for n in ast.walk(ctx.source.node):
        match n:
            case ast.Assign(targets=targets, value=value) if _is_of(value, name):
                return ast.unparse(targets[0])
            case (
                ast.NamedExpr(target=target, value=value) | ast.AnnAssign(target=target, value=ast.expr() as value)
            ) if _is_of(value, name):
                return ast.unparse(target)
            case ast.Call(func=ast.Attribute(attr="append" | "insert" | "setdefault", value=into), args=args) if any(
                _is_of(a, name) for a in args
            ):
                return ast.unparse(into)
    return ""


def _is_of(node: ast.expr, name: str) -> bool:
    """Whether the value of an expression is what a name holds, or has it in it."""
    match node:
        case ast.Name(id=found):
            return found == name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_is_of(p, name) for p in parts)
        case ast.Dict(values=parts) | ast.BoolOp(values=parts):
            return any(_is_of(p, name) for p in parts)
        case ast.IfExp(body=one, orelse=other):
            return _is_of(one, name) or _is_of(other, name)
    return False


def _bind(ctx: Lowering, name: str, value: TupleValue, span: Span) -> None:
    ctx.bind(name, Binding(value, span))
    ctx.typed(name, span, value)


def _unknown_item(ctx: Lowering, name: str, base: Value, item: Value, span: Span) -> None:
    """Record that an item of unknown type was appended. It does not contradict the item type of a growing list, nor does
    one whose type is not known yet contradict that of any; the problem with others has been reported."""
    if isinstance(item, Bottom) and is_list(base) and not is_growing(base):
        ctx.bind(name, Binding(TupleValue((*base.items, item), LIST), span))
    elif not is_growing(base):
        ctx.bind(name, Binding(UNKNOWN, span))


def append(ctx: Lowering, name: str, value: Value, span: Span) -> Value:
    """The list under a name, with one more item."""
    base, value = usable(ctx, ctx.env[name].value, name, span), usable(ctx, value, "the item", span)
    if isinstance(base, SILENT) or isinstance(value, SILENT):
        if not contains(ctx.env[name].value, LostArray):
            _unknown_item(ctx, name, base, value, span)
        return Poison()
    if base.record is LIST and len(base.items) < COUNTED:
        _bind(ctx, name, TupleValue((*base.items, value), LIST), span)
        return NoneValue()
    grown = appended(ctx, base, value, name, span)
    if grown is None:
        found = f"{describe(type_of(value))} in {describe(type_of(base))}"
        raise Refused(
            WrongType(
                span, "the items of a list that grows in a loop are of one type", found, "use a list for each type"
            )
        )
    _bind(ctx, name, grown, span)
    return NoneValue()


def extend(ctx: Lowering, name: str, node: ast.expr, span: Span) -> Value:
    """``xs.extend(ys)`` and ``xs += ys``."""
    if isinstance(node, COMPREHENSIONS):
        only_plain(ctx, node)
        run_through(ctx, node, lambda value, at: append(ctx, name, value, at), name)
        return NoneValue()
    found = iteration(ctx, node)
    match found:
        case Unrolled(items=items):
            for item in items:
                append(ctx, name, item, span)
        case Iteration():
            from_iteration(ctx, found, node, lambda value: append(ctx, name, value, span))
    return Poison() if found is None else NoneValue()


def from_iteration(ctx: Lowering, found: Iteration, node: ast.expr, each: Callable[[Value], object]) -> None:
    """Call ``each`` for the elements that a loop iterates over."""
    key = ctx.pseudo("item", ctx.span(node))
    target, item = ast.Name(key, ast.Store()), ast.Name(key, ast.Load())
    part = ast.comprehension(target, node, [], 0)
    for n in (target, item):
        ast.copy_location(n, node)
    through(ctx, part, found, [Do(item, lambda: each(ctx.env[key].value))], frozenset(ctx.env))
    ctx.unbind(key)


def _pop(ctx: Lowering, name: str, base: TupleValue, given: list[Value], span: Span) -> Value:
    """``xs.pop()``."""
    at = given[0] if given else None
    k = at.atom.value if isinstance(at, ScalarValue) and isinstance(at.atom, Const) and at.dtype in INTS else -1
    if at is not None and not (isinstance(at, ScalarValue) and isinstance(at.atom, Const)):
        raise Refused(Unsupported(span, "`.pop` at a computed index", "make an array of it, and slice that"))
    if base.record is LIST:
        if not -len(base.items) <= k < len(base.items):
            ctx.raised("IndexError")
            ctx.report(WrongType(span, "pop index out of range", "an IndexError in Python"))
            return Bottom()  # where a loop is tried with the items before its first iteration, there are more later
        items = list(base.items)
        item = items.pop(k)
        _bind(ctx, name, TupleValue(tuple(items), LIST), span)
        return usable(ctx, item, name, span)
    if k != -1:
        raise Refused(Unsupported(span, "`.pop` of another item than the last", "make an array of it, and slice that"))
    count = count_of(ctx, base)
    ctx.emit(Check(ctx.let("ok", "gt", (count, ZERO), BOOL, span), "IndexError", "pop from empty list", (), span))
    last = ctx.let("n", "sub", (count, ONE), I64, span, nonneg=True)
    item = map_arrays(item_at(ctx, base, last, span), lambda v: materialise(ctx, v, "item", span))
    _bind(ctx, name, made(ctx, base.items[0], last, is_weak(base)), span)
    return item


def _rearranged(ctx: Lowering, name: str, base: TupleValue, how: str, given: list[Value], span: Span) -> Value:
    """``xs.insert(0, v)``, ``xs.reverse()`` and ``xs.sort()``."""
    counted = base.record is LIST
    if how == "insert" and counted and isinstance(given[0], ScalarValue) and isinstance(given[0].atom, Const):
        items = list(base.items)
        items.insert(int(given[0].atom.value), given[1])
        _bind(ctx, name, TupleValue(tuple(items), LIST), span)
        return NoneValue()
    if how == "reverse" and counted:
        _bind(ctx, name, TupleValue(base.items[::-1], LIST), span)
        return NoneValue()
    array = array_of(ctx, base, span) if how in ("reverse", "sort") else None
    if not is_array(array) or (how == "sort" and rank_of(array) != 1):
        raise Refused(Unsupported(span, f"`.{how}` of this list", "make an array of it: `np.array(xs)`"))
    fixed = (
        view_of(ctx, array, [Slice(None, None, Const(-1, I64), span)], name, span)
        if how == "reverse"
        else _sorted(ctx, array, span)
    )
    _bind(ctx, name, from_array(ctx, fixed, _are_weak(base), span), span)
    return NoneValue()


def _sorted(ctx: Lowering, array: Value, span: Span) -> Value:
    return call_external(ctx, "numpy.sort", Args("sort", span, (array,), {}, "sorted"))


def _are_weak(base: TupleValue) -> bool:
    return is_weak(base) if is_growing(base) else all(isinstance(v, ScalarValue) and v.weak for v in base.items)


def array_of(ctx: Lowering, v: TupleValue, span: Span) -> Value | None:
    """A list as an array; None if its items have no common type."""
    t = growing_type(type_of(v), NOTHING)
    return None if t is None else as_array(ctx, as_growing(ctx, v, t, span), "items", span)


# ---------------------------------------------------------------------------------------------------- items and slices


def item(ctx: Lowering, base: TupleValue, index: Value, name: str, span: Span) -> Value:
    """``xs[k]`` of a growing list."""
    if not isinstance(index, ScalarValue) or index.dtype not in INTS:
        told = WrongType(span, "a list is indexed by an int", describe(type_of(index)))
        raise Refused(None if isinstance(index, SILENT) else told)
    return item_at(ctx, base, _place(ctx, base, index, name, span), span)


def _place(ctx: Lowering, base: TupleValue, index: ScalarValue, name: str, span: Span) -> Atom:
    count = count_of(ctx, base)
    k = index_atom(ctx, index, count, span)
    require_index(ctx, k, count, 0, name or "the list", span)
    ctx.not_negative(k)
    return k


def part(ctx: Lowering, base: TupleValue, where: Slice, name: str, span: Span) -> Value:
    """``xs[lo:hi]``, which is a new list."""
    count = count_of(ctx, base)

    def cut(cells: Value) -> Value:
        if isinstance(cells, TupleValue):
            return TupleValue(tuple(map(cut, cells.items)), cells.record)
        return materialise(
            ctx,
            view_of(ctx, as_array(ctx, made(ctx, cells, count, True), name, span), [where], name, span),
            "items",
            span,
        )

    cells = cut(base.items[0])
    first = next(arrays(cells))
    return made(ctx, cells, ctx.dim(first, 0, span), is_weak(base))


def counted_item(ctx: Lowering, node: ast.Subscript) -> int | None:
    """The position of the item of a fixed-length list that a target denotes; None for other targets."""
    base = ctx.env[node.value.id].value if isinstance(node.value, ast.Name) and node.value.id in ctx.env else None
    if not (isinstance(base, TupleValue) and base.listed):
        return None
    index = ctx.attempt(lambda: expression(ctx, node.slice)).value
    known = isinstance(index, ScalarValue) and isinstance(index.atom, Const) and index.dtype in INTS
    return int(index.atom.value) if known and -len(base.items) <= index.atom.value < len(base.items) else None


def stored(ctx: Lowering, node: ast.Subscript, value: Value, span: Span) -> bool:
    """Whether ``xs[k] = v`` is on a fixed-length list at a known position; then the name is rebound to a new list
    value."""
    k = counted_item(ctx, node)
    if k is None:
        return False
    base = ctx.env[node.value.id].value
    value = held(ctx, usable(ctx, value, "the value", span), "t", span)
    if not isinstance(value, SILENT) and own(ctx, node.value, base, "storing an item", span):
        items = list(base.items)
        items[k] = value
        _bind(ctx, node.value.id, TupleValue(tuple(items), LIST), span)
    return True


def target(ctx: Lowering, node: ast.Subscript, base: TupleValue, index: Value, span: Span) -> Cell | None:
    """The cell that ``xs[k] = v`` denotes; None if a problem was reported, or if the store is already done."""
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    if not isinstance(index, ScalarValue) or index.dtype not in INTS:
        if not isinstance(index, SILENT):
            ctx.report(WrongType(span, "a list is indexed by an int", describe(type_of(index))))
        return None
    if not own(ctx, node.value, base, "storing an item", span):
        return None
    if base.record is LIST:
        t = growing_type(type_of(base), NOTHING)
        if t is None or not base.items:
            ctx.wants_literal(index)
            ctx.report(
                Unsupported(
                    span, "a computed index into a list of items of several types", "use an array, or literal indices"
                )
            )
            return None
        base = as_growing(ctx, base, t, span)
        _bind(ctx, name, base, span)
    cells = base.items[0]
    if not isinstance(cells, ArrayValue) or cells.var.type.rank != 1:
        ctx.report(
            Unsupported(
                span,
                "storing an array or a tuple into a list of a computed length",
                "make an array: `np.zeros((n, m))`",
            )
        )
        return None
    return Cell(cells.var, (_place(ctx, base, index, name, span),), name, span, checked=False)


# -------------------------------------------------------------------------------------------------------- making lists


def comprehension(ctx: Lowering, node: Comprehension, hint: str) -> Value:
    """``[e for v in x if c]`` of a length known only at run time: a growing list filled by a loop."""
    only_plain(ctx, node)
    span = ctx.span(node)
    key = ctx.pseudo("list", span)
    ctx.bind(key, Binding(TupleValue((), LIST), span))

    def each(value: Value, at: Span) -> None:
        if isinstance(value, SILENT):
            ctx.bind(key, Binding(UNKNOWN, at))
        else:
            append(ctx, key, value, at)

    run_through(ctx, node, each, key)
    found = usable(ctx, ctx.unbind(key).value, "the list", span)
    if (
        isinstance(found, Poison)
        and not ctx.programs.unknown
        and not any(d.severity == "error" for d in ctx.programs.findings.told())
    ):
        ctx.report(
            Unsupported(
                span,
                "a list of lists, or of items of several types, of a computed length",
                "make an array of it: `np.array([... for ...])`",
            )
        )
    return found


def of_iterable(ctx: Lowering, node: ast.expr) -> Value:
    """``list(x)`` of a length known only at run time."""
    key = ctx.pseudo("list", ctx.span(node))
    ctx.bind(key, Binding(TupleValue((), LIST), ctx.span(node)))
    done = extend(ctx, key, node, ctx.span(node))
    made = ctx.unbind(key).value
    return usable(ctx, made, "the list", ctx.span(node)) if isinstance(done, NoneValue) else Poison()


def returned(ctx: Lowering, value: Value, span: Span) -> Value:
    """The result of an entry function with each growing list as an array. The call converts it back to a list."""
    if is_growing(value):
        if isinstance(value.items[0], TupleValue):
            raise Refused(Unsupported(span, "a list of tuples as a result", "return a list for each of their parts"))
        return TupleValue(
            (materialise(ctx, as_array(ctx, value, "result", span), "result", span),), RETURNED[is_weak(value)]
        )
    if isinstance(value, TupleValue):
        items = tuple(returned(ctx, x, span) for x in value.items)
        return value if items == value.items else replace(value, items=items)
    return value


def repeated(ctx: Lowering, base: TupleValue, times: ScalarValue, span: Span) -> Value:
    """``[0.0] * n`` with a computed ``n``."""
    if len(base.items) != 1 or not isinstance(base.items[0], ScalarValue):
        ctx.wants_literal(times)
        raise Refused(
            Unsupported(
                span, "a list of this kind repeated a computed number of times", "make an array: `np.full(n, 0.0)`"
            )
        )
    (value,) = base.items
    n = whole(ctx, times.atom, span)
    n = n if ctx.is_nonneg(n) else ctx.let("n", "max", (n, ZERO), I64, span, nonneg=True)
    cells = fresh_array(ctx, "items", (n,), value.dtype, None, span, in_order=True)
    ctx.emit(Fill(cells.var, value.atom, span))
    return made(ctx, cells, n, value.weak)


def joined(ctx: Lowering, a: TupleValue, b: TupleValue, node: ast.BinOp) -> Value:
    """``xs + ys``, where one has a length known only at run time."""
    span = ctx.span(node)
    key = ctx.pseudo("sum", span)
    ctx.bind(key, Binding(copied(ctx, a, span) if is_growing(a) else a, span))
    extend(ctx, key, Quoted(node.right, b), span)
    return ctx.unbind(key).value


def ordered(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``sorted(x)`` and ``sorted(x, reverse=True)``: a list of numbers."""
    span = ctx.span(node)
    back = [expression(ctx, k.value) for k in node.keywords if k.arg == "reverse"]
    backwards = bool(back) and isinstance(back[0], ScalarValue) and back[0].atom == Const(True, BOOL)
    if len(node.args) != 1 or len(back) != len(node.keywords) or (back and not isinstance(back[0].atom, Const)):
        raise Refused(Unsupported(span, "this `sorted`", "sort an array: `np.sort(x)`, or `x[np.argsort(key)]`"))
    key = ctx.pseudo("sorted", span)
    found = of_iterable(ctx, node.args[0])
    if isinstance(found, SILENT):
        return found
    ctx.bind(key, Binding(found, span))
    _rearranged(ctx, key, found, "sort", [], span)
    if backwards:
        _rearranged(ctx, key, ctx.env[key].value, "reverse", [], span)
    return ctx.unbind(key).value


CALLS["builtins.sorted"] = ordered
