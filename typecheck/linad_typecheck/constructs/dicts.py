"""Dicts whose keys are known at compile time: records whose class is the tuple of keys."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from dataclasses import replace

from ..advice.did_you_mean import meant
from ..engine.choices import chooses, one_per_number, one_per_option
from ..engine.evaluation import CALLS, EXPRESSIONS, expression, usable
from ..engine.numbers import cast
from ..engine.places import loaded
from ..engine.provenance import user_name
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.state import Lowering
from ..engine.values import (
    LIST, SILENT, Binding, EntityValue, NoneValue, Poison, ScalarValue, TextValue, TupleValue, Value, contains,
    describe, literal, type_of,
)
from ..ir.core import Atom, Check, Const
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..names.scope import EnumMember, dict_class
from ..ownership import liveness
from ..ownership.objects import change, is_held
from ..registry import enter
from ..span import Span
from ..types import BOOL, F64, FLOATS
from .kept_items import store_field
from .static_texts import constant_of, value_of
from .targets import another, held_object


def display(ctx: Lowering, node: ast.Dict, hint: str) -> Value:
    """``{"w": w, **more}``."""
    found: dict[object, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        v = expression(ctx, value, hint, none=True)
        if key is None:
            if not (isinstance(v, TupleValue) and v.mapping):
                raise _refused(ctx, value, v, "only a dict is unpacked into a dict")
            found |= _items(ctx, v, value)
            continue
        found[known_key(ctx, key)] = v
        if isinstance(v, SILENT):
            raise Refused(None)
    return of(found)


def _items(ctx: Lowering, v: TupleValue, node: ast.expr) -> dict[object, Value]:
    return dict(zip(v.record.names, loaded(ctx, v, ctx.span(node), whole=True).items, strict=True))


def of(items: dict[object, Value]) -> TupleValue:
    return TupleValue(tuple(items.values()), dict_class(tuple(items)))


def construct(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``dict(a=1.0)``, ``dict(d)``, ``dict(pairs)``; None for any other call."""
    found: dict[object, Value] = {}
    for a in node.args:
        v = expression(ctx, a, hint)
        if isinstance(v, SILENT):
            raise Refused(None, v)
        made = (
            v
            if isinstance(v, TupleValue) and v.mapping
            else of_pairs(ctx, v.items, ctx.span(a))
            if isinstance(v, TupleValue) and not v.closed
            else None
        )
        if not isinstance(made, TupleValue):
            return made
        found |= _items(ctx, made, a)
    for k in node.keywords:
        v = expression(ctx, k.value, hint, none=True)
        if k.arg is None and isinstance(v, TupleValue) and v.mapping:
            found |= _items(ctx, v, k.value)
        elif k.arg is None or isinstance(v, SILENT):
            if isinstance(v, SILENT):
                raise Refused(None)
            return None
        else:
            found[k.arg] = v
    return of(found)


def _locals(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``locals()``: the variables that are bound so far. A dict that is not changed by what is bound later."""
    if node.args or node.keywords:
        return None
    inside = lambda n: n.lineno <= node.lineno <= n.end_lineno
    loops = [n for n in ast.walk(ctx.source.node) if isinstance(n, ast.For | ast.While) and inside(n)]
    # a variable that is not read by its name is dropped where branches join
    before = [n for n in ast.walk(ctx.source.node) if isinstance(n, ast.stmt) and n.end_lineno < node.lineno]
    bound = {n: b for n, b in ctx.env.items() if n in ctx.local_names}
    if loops or liveness.bound(before).keys() - bound.keys() or any(b.defined is not None for b in bound.values()):
        raise Refused(Unsupported(ctx.span(node), "`locals()` after branches or in a loop", "name what is meant"))
    return of({n: expression(ctx, ast.copy_location(ast.Name(n, ast.Load()), node)) for n in bound})


def of_pairs(ctx: Lowering, pairs: tuple[Value, ...], span: Span) -> Value:
    found: dict[object, Value] = {}
    for pair in pairs:
        known, key = (
            constant_key(pair.items[0]) if isinstance(pair, TupleValue) and len(pair.items) == 2 else (False, None)
        )
        if not known:
            raise Refused(Unsupported(span, "a dict whose keys are computed", "use texts or literal ints as keys"))
        found[key] = pair.items[1]
    return of(found)


def constant_key(v: Value) -> tuple[bool, object]:
    """Whether a value is a key known at compile time, and that key."""
    if isinstance(v, EntityValue) and isinstance(v.entity, EnumMember):
        return True, v.entity
    if isinstance(v, TupleValue) and v.record is None:
        found = [constant_key(x) for x in v.items]
        return all(known for known, _ in found), tuple(k for _, k in found)
    return constant_of(v)


def key_of(ctx: Lowering, node: ast.expr) -> tuple[object] | None:
    """The key given by an expression; None, with a report, if it is not known at compile time."""
    v = expression(ctx, node)
    known, key = constant_key(v)
    if known and not isinstance(key, list):
        return (key,)
    if not contains(v, SILENT):
        ctx.report(
            WrongType(
                ctx.span(node),
                "a key of a dict is an int, a text, a member of an enumeration or a tuple of these",
                describe(type_of(v)),
                "count in steps: `round(x / step)`" if isinstance(v, ScalarValue) else "write a tuple of ints",
            )
        )
    return None


def known_key(ctx: Lowering, node: ast.expr) -> object:
    """The key given by an expression. It is refused if it is not known at compile time."""
    key = key_of(ctx, node)
    if key is None:
        raise Refused(None)
    return key[0]


def item(ctx: Lowering, node: ast.Subscript, base: TupleValue) -> Value:
    """``d["w"]``."""
    asked = expression(ctx, node.slice)
    if chooses(asked):
        return one_per_option(ctx, asked, lambda k: item(ctx, with_key(node, k), base), ctx.span(node))
    span = ctx.span(node)
    if _by_number(base, asked):
        ctx.emit(Check(_among(ctx, base, asked, span), "KeyError", "{0}", (asked.atom,), span))
        return _of_number(ctx, base, asked, None, span)
    node = with_key(node, asked)
    key = known_key(ctx, node.slice)
    found = _find(base, key)
    if found is not None:
        return usable(ctx, loaded(ctx, found, span), ctx.source.source.segment(span), span)
    *names, wanted = (k.name if isinstance(k, EnumMember) else repr(k) for k in (*base.record.names, key))
    near = meant(wanted, names, 0.6)
    ctx.raised("KeyError")
    told = f"a dict of {', '.join(names) or 'nothing'} has no key {wanted}"
    near = f"`{near[0]}` is near" if near else ""
    raise Refused(WrongType(ctx.span(node.slice), told, "a KeyError in Python", near))


def with_key(node: ast.Subscript, key: Value) -> ast.Subscript:
    """The item of a key that is already evaluated."""
    index = Quoted(node.slice, key, ast.unparse(node.slice))
    return ast.copy_location(ast.Subscript(node.value, index, node.ctx), node)


def for_each_key(ctx: Lowering, node: ast.expr, do: Callable[[ast.expr], Value], span: Span) -> Value | None:
    """What ``do`` makes of an expression such as ``d[k].x[0]``, if it is decided at run time which of several keys
    ``k`` is: that of each key; None otherwise."""
    match node:
        case ast.Attribute(value=of, attr=attr):
            return for_each_key(ctx, of, lambda v: do(ast.copy_location(ast.Attribute(v, attr, node.ctx), node)), span)
        case ast.Subscript(value=of, slice=index):
            each = lambda v: do(ast.copy_location(ast.Subscript(v, index, node.ctx), node))
            if (found := for_each_key(ctx, of, each, span)) is not None:
                return found
            held = ctx.attempt(lambda: held_object(ctx, of)).value
            if held is None or not held.mapping or isinstance(index, ast.Constant | ast.Slice):
                return None
            if not chooses(ctx.attempt(lambda: expression(ctx, index)).value):
                return None
            return one_per_option(ctx, expression(ctx, index), lambda k: do(with_key(node, k)), span)
    return None


def _find(base: TupleValue, key: object) -> Value | None:
    return next((v for k, v in zip(base.record.names, base.items, strict=True) if k == key), None)


def _by_number(base: TupleValue, key: Value) -> bool:
    """Whether a key is a number known only at run time, and those of the dict are numbers, where that or these are
    floats: of ints there is a hash table."""
    names = base.record.names
    if not names or not isinstance(key, ScalarValue) or isinstance(key.atom, Const):
        return False
    with_floats = key.dtype in FLOATS or any(isinstance(n, float) for n in names)
    return with_floats and all(isinstance(n, int | float) for n in names)


def _among(ctx: Lowering, base: TupleValue, key: ScalarValue, span: Span) -> Atom:
    """Whether a number known only at run time is one of the keys."""
    x = cast(ctx, key.atom, "f64", span)
    each = [ctx.let("b", "eq", (x, Const(float(k), F64)), BOOL, span) for k in base.record.names]
    return functools.reduce(lambda a, b: ctx.let("b", "or", (a, b), BOOL, span), each)


def _of_number(ctx: Lowering, base: TupleValue, key: ScalarValue, other: Value | None, span: Span) -> Value:
    """The value of a key that is a number known only at run time, or another value if it is not there."""
    keys = base.record.names
    uses = [lambda v=v: usable(ctx, loaded(ctx, v, span), "the value", span) for v in base.items]
    if other is None:
        keys = keys[:-1]
    else:
        uses.append(lambda: other)
    return one_per_number(ctx, cast(ctx, key.atom, "f64", span), keys, uses, span)


def has(ctx: Lowering, base: TupleValue, key: Value, span: Span) -> Value | None:
    """``key in d``; None if that takes a hash table."""
    if _by_number(base, key):
        return ScalarValue(_among(ctx, base, key, span), True)
    known, k = constant_key(key)
    if not known and isinstance(key, ScalarValue) and not any(isinstance(n, int | float) for n in base.record.names):
        return literal(False)  # a number is no text
    return literal(_find(base, k) is not None) if known else None


def keys(base: TupleValue) -> tuple[Value, ...]:
    return tuple(map(value_of, base.record.names))


def method(ctx: Lowering, node: ast.Call, base: TupleValue, name: str) -> Value:
    """``d.get("w", 0.0)``, ``d.items()`` and other methods."""
    span = ctx.span(node)
    held, base = base, loaded(ctx, base, span, whole=True)
    if name in ("keys", "values", "items", "copy") and not node.args and not node.keywords:
        match name:
            case "keys":
                return TupleValue(keys(base), LIST)
            case "values":
                return TupleValue(base.items, LIST)
            case "items":
                return TupleValue(tuple(TupleValue(pair) for pair in zip(keys(base), base.items, strict=True)), LIST)
            case _:
                return replace(base, made=None)
    of_key = name in ("get", "pop", "setdefault") and 1 <= len(node.args) <= 2 and not node.keywords
    if of_key and chooses(asked := expression(ctx, node.args[0])):
        quoted = lambda k: ast.Call(node.func, [Quoted(node.args[0], k), *node.args[1:]], [])
        each = lambda k: method(ctx, ast.copy_location(quoted(k), node), base, name)
        return one_per_option(ctx, asked, each, span)
    if name == "get" and of_key:
        other = expression(ctx, node.args[1]) if len(node.args) == 2 else value_of(None)
        if isinstance(asked, ScalarValue) and all(isinstance(k, str) for k in base.record.names):
            return other  # a number is no text
        if _by_number(base, asked):
            return _of_number(ctx, base, asked, other, span)
        key = known_key(ctx, node.args[0])
        found = _find(base, key)
        return other if found is None else found
    if of_key:
        return _changed(ctx, node, base, name)
    if name == "update":
        try:
            made = construct(ctx, node, "builtins.dict", "update", "t")
        except Refused as e:
            raise Refused(e.message, e.value, (base,)) from e
        if isinstance(made, TupleValue):
            with_items_of(ctx, node.func.value, held, made, "updating", span)
            return NoneValue()
        if made is not None:
            raise Refused(None, changes=(base,))
    if name == "popitem" and not node.args and not node.keywords:
        return _last(ctx, node, base)
    raise Refused(Unsupported(span, f"`.{name}` of a dict", 'make another dict: `{**d, "w": w}`'))


def _last(ctx: Lowering, node: ast.Call, base: TupleValue) -> Value:
    """``d.popitem()``: the key that was inserted last, and its value."""
    span = ctx.span(node)
    if not base.items:
        ctx.raised("KeyError")
        raise Refused(WrongType(span, "a dict of nothing has no last item", "a KeyError in Python"))
    names, last = base.record.names, TupleValue((keys(base)[-1], base.items[-1]))
    left = of(dict(zip(names[:-1], base.items[:-1], strict=True)))
    _change(ctx, node.func.value, base, left, "`.popitem`", span)
    return last


def _changed(ctx: Lowering, node: ast.Call, base: TupleValue, name: str) -> Value:
    """``d.pop("w", 0.0)`` and ``d.setdefault("w", 0.0)``: the value of a key, which is removed or inserted."""
    found_key = key_of(ctx, node.args[0])
    if found_key is None:
        raise Refused(None, changes=(base,))
    (key,) = found_key
    other = expression(ctx, node.args[1]) if len(node.args) == 2 else None if name == "pop" else value_of(None)
    found = _find(base, key)
    if found is None and other is None:
        return item(ctx, ast.copy_location(ast.Subscript(node.func.value, node.args[0], ast.Load()), node), base)
    left = dict(zip(base.record.names, base.items, strict=True))
    if (found is None) == (name == "setdefault"):  # the dict is another one from here on
        if name == "pop":
            del left[key]
        else:
            left[key] = other
        _change(ctx, node.func.value, base, of(left), f"`.{name}`", ctx.span(node))
    return usable(ctx, other if found is None else found, ast.unparse(node), ctx.span(node))


def assign(ctx: Lowering, target: ast.Subscript, base: TupleValue, value: Value, span: Span) -> None:
    """``d["w"] = e``."""
    node = target.value
    key = key_of(ctx, target.slice)
    if key is None or isinstance(value, SILENT):
        if not isinstance(node, ast.Name):
            raise Refused(None, changes=(base,))
        ctx.bind(node.id, Binding(Poison() if key is None else value, span))  # its contents are not known any more
        return
    with_items_of(ctx, node, base, of({key[0]: value}), "assigning to a key", ctx.span(target))


def with_items_of(ctx: Lowering, node: ast.expr, base: TupleValue, more: TupleValue, what: str, span: Span) -> None:
    """Add the items of another dict to a dict."""
    if is_held(base) and {*more.record.names} <= {*base.record.names}:
        for key, value in zip(more.record.names, more.items, strict=True):
            k = base.record.names.index(key)
            store_field(ctx, base, k, value, user_name(node), f"{what} of a dict", span)
        return
    both = (zip(d.record.names, d.items, strict=True) for d in (base, more))
    _change(ctx, node, base, of({k: v for items in both for k, v in items}), what, span)


def _change(ctx: Lowering, node: ast.expr, base: TupleValue, new: TupleValue, what: str, span: Span) -> None:
    name = node.id if isinstance(node, ast.Name) else ""
    change(ctx, base, new, name, f"{what} of a dict", another(node, "{{**{0}, ...}}"), span)


def _refused(ctx: Lowering, node: ast.expr, v: Value, what: str) -> Refused:
    """The refusal of a value that is not a dict."""
    return Refused(None if isinstance(v, SILENT) else WrongType(ctx.span(node), what, describe(type_of(v))))


def unpacked(ctx: Lowering, node: ast.Call) -> list[ast.keyword]:
    """The keyword arguments of a call, with each ``**d`` replaced by the items of the dict."""
    found: list[ast.keyword] = []
    for k in node.keywords:
        if k.arg is not None:
            found.append(k)
            continue
        v = expression(ctx, k.value)
        if not (isinstance(v, TupleValue) and v.mapping and all(isinstance(n, str) for n in v.record.names)):
            if isinstance(v, SILENT):
                raise Refused(None)
            told = "is given keywords by `**`, and only a dict has some"
            raise Refused(BadCall(ctx.span(k.value), ast.unparse(node.func), told))
        pairs = _items(ctx, v, k.value).items()
        found += [ast.copy_location(ast.keyword(n, Quoted(k.value, x)), k) for n, x in pairs]
    return found


def _warned_of(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``old = np.seterr(all="ignore")``: nothing is warned of here, before and after."""
    if node.args or any(k.arg is None and not _is_kept(ctx, k.value) for k in node.keywords):
        raise Refused(BadCall(ctx.span(node), name, "takes keywords"))
    kinds = ("divide", "over", "under", "invalid")
    return of({what: TextValue("ignore" if what == "under" else "warn") for what in kinds})


def _is_kept(ctx: Lowering, node: ast.expr) -> bool:
    """Whether ``**old`` gives texts."""
    v = expression(ctx, node)
    return isinstance(v, TupleValue) and v.mapping and all(isinstance(x, TextValue) for x in v.items)


EXPRESSIONS[ast.Dict] = display
CALLS["numpy.seterr"] = CALLS["numpy.geterr"] = _warned_of
CALLS["builtins.dict"] = construct
CALLS["builtins.locals"] = _locals
enter("fold", ("builtins.locals", "numpy.seterr", "numpy.geterr"))
