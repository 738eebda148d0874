"""Dicts and sets with keys known only at run time: displays, items, methods, iteration.

The operations call functions of `prelude/hashing.py`, which never raise; a missing key is found here, so that the error
has the user's position.
"""

from __future__ import annotations

import ast
import math
from dataclasses import replace

from ..engine.arithmetic import binary
from ..engine.blocks import assign as assign_to
from ..engine.evaluation import CALLS, EXPRESSIONS, expression, pull, usable
from ..engine.growing import copied, count_of, is_growing, item_at
from ..engine.hashed import as_hashed, code_of, empty, hashed_type, is_hashed, is_key
from ..engine.places import force_delayed, loaded
from ..engine.quoted import Quoted, at_span
from ..engine.refusal import Refused
from ..engine.sequences import Unrolled, unpacked
from ..engine.state import ZERO, Lowering
from ..engine.values import (
    GROWING, LIST, SILENT, Binding, Bottom, EntityValue, LostArray, Never, NoneValue, Poison, ScalarValue, TupleValue,
    Value, contains, describe, literal, map_objects, objects, type_of,
)
from ..ir.core import Check, Const
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..names.scope import COUNTER, DEFAULTS, DICT, SET, External, default_class
from ..ownership.objects import allocated_at, change
from ..registry import enter
from ..span import Span
from ..types import BOOL, FLOATS
from .comparisons import MEMBERS
from .comprehensions import COMPREHENSIONS, run_through
from .dicts import construct as known_call, display as known_display, has, keys, of as known_dict
from .iterables import iteration
from .lists import from_iteration, holds_lists as lists_held, order_of, permuted
from .targets import held_object

PLAIN = {"clear": 0, "copy": 0, "get": 2, "items": 0, "keys": 0, "pop": 2, "popitem": 0, "setdefault": 2, "update": 1,
         "values": 0}  # fmt: skip
OF_SETS = {
    "union": 1,
    "intersection": 1,
    "difference": 1,
    "symmetric_difference": 1,
    "isdisjoint": 1,
    "issubset": 1,
    "issuperset": 1,
    "add": 1,
    "clear": 0,
    "copy": 0,
    "discard": 1,
    "pop": 0,
    "remove": 1,
    "update": 1,
}


def _call(ctx: Lowering, at: ast.expr, name: str, *given: Value) -> Value:
    """A call of a function of the prelude."""
    function = Quoted(at, EntityValue(External(f"%hashing.{name}"), name))
    call = ast.copy_location(ast.Call(function, [Quoted(at, v) for v in given], []), at)
    found = expression(ctx, call, none=True)
    if isinstance(found, SILENT):
        raise Refused(None, found, given)
    return found


KEYS = "a key of a dict or a set is an int, a text, a member of an enumeration or a tuple of these"


def _parts(v: Value) -> tuple[Value, ...]:
    """The parts of a key."""
    return v.items if isinstance(v, TupleValue) and not v.closed and not v.changes else (v,)


def key(ctx: Lowering, node: ast.expr, *changes: Value) -> Value:
    """The key that an expression gives. ``changes``: the dict, if it changes."""
    return _key_of(ctx, expression(ctx, node), ctx.span(node), *changes)


def _key_of(ctx: Lowering, v: Value, span: Span, *changes: Value) -> Value:
    v = usable(ctx, v, "the key", span)
    if contains(v, SILENT):
        bottom = next((x for x in (v, *getattr(v, "items", ())) if isinstance(x, Bottom)), None)
        raise Refused(None, Poison() if bottom is None else bottom, changes)
    if isinstance(v, ScalarValue) and v.dtype == "bool":
        return binary(ctx, ast.Mult, v, literal(1), span)
    if (parts := _parts(v)) and all(map(is_key, parts)):
        return v
    instead = "count in steps: `round(x / step)`" if isinstance(v, ScalarValue) else "write a tuple of ints and texts"
    raise Refused(WrongType(span, KEYS, describe(type_of(v)), instead), changes=changes)


# --------------------------------------------------------------------------------------------------------- the object


def _again(ctx: Lowering, node: ast.expr) -> TupleValue:
    """The dict that an expression denotes, after a call that may have changed it."""
    if any(isinstance(n, ast.Call) for n in ast.walk(node)):  # it would be called again
        raise Refused(Unsupported(ctx.span(node), "changing a dict without a name", "give it a name first"))
    found = pull(ctx, node)
    if not is_hashed(found):
        raise Refused(None)
    return found


def rehash_everywhere(ctx: Lowering, base: TupleValue, span: Span) -> TupleValue | None:
    """A dict whose keys are known, as a hashed one, also under its other names; None if it has other keys than ints."""
    t = hashed_type(type_of(base), DICT)
    if t is None:
        return None
    made = as_hashed(ctx, base, t, span)
    left = {n: map_objects(b.value, lambda o: made if o == base else o) for n, b in ctx.env.items()}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})
    return made


def hashed_for_key(ctx: Lowering, base: TupleValue, node: ast.expr) -> TupleValue | None:
    """The dict with keys known at compile time as a hashed one, if a key that is given is not known then."""
    if not base.mapping or (base.record.names and hashed_type(type_of(base), DICT) is None):
        return None
    v = ctx.attempt(lambda: expression(ctx, node)).value
    parts = _parts(v)
    known = not any(isinstance(x, ScalarValue) and not isinstance(x.atom, Const) for x in parts)
    return rehash_everywhere(ctx, base, ctx.span(node)) if not known and all(map(is_key, parts)) else None


def hashed_for_items(ctx: Lowering, base: TupleValue, node: ast.expr) -> TupleValue | None:
    """The dict with keys known at compile time as a hashed one, if it is updated with items whose keys are not."""
    if not base.mapping:
        return None
    if not isinstance(node, COMPREHENSIONS):
        more = ctx.attempt(lambda: expression(ctx, node)).value
        if isinstance(more, SILENT):
            return None
        node = Quoted(node, more)
    call = ast.copy_location(ast.Call(node, [node], []), node)
    known = ctx.attempt(lambda: known_call(ctx, call, "builtins.dict", "update", "t")).value
    return None if is_dict(known) or isinstance(known, SILENT) else rehash_everywhere(ctx, base, ctx.span(node))


def _position(ctx: Lowering, at: ast.expr, base: TupleValue, k: Value) -> ScalarValue:
    return _call(ctx, at, "_find", base.items[0], base.items[-1], k)


def _there(ctx: Lowering, j: ScalarValue, span: Span) -> ScalarValue:
    return ScalarValue(ctx.let("there", "ge", (j.atom, ZERO), BOOL, span), True)


def _runs(ctx: Lowering, base: TupleValue) -> bool:
    """Whether a loop runs over a dict, so that no key may be inserted."""
    keys = base.items[0]
    return any(n.startswith("%over") and any(part == keys for part in objects(b.value)) for n, b in ctx.env.items())


def _require(ctx: Lowering, j: ScalarValue, k: Value, span: Span, missing: bool = True) -> None:
    """Raise unless a key was found: KeyError, or if it would be inserted, the error of the loop over the dict."""
    if not missing:
        text = "dictionary changed size during iteration"
        ctx.emit(Check(_there(ctx, j, span).atom, "RuntimeError", text, (), span))
        ctx.not_negative(j.atom)
        return
    parts, atoms, shown = _parts(k), [], []
    for x in parts:
        shown.append(f"{{{len(atoms)}}}" if isinstance(x, ScalarValue) else repr(getattr(x, "text", ...)))
        atoms += [x.atom] if isinstance(x, ScalarValue) else []
    text = ", ".join("..." if s == "Ellipsis" else s for s in shown)
    text = text if parts == (k,) else f"({text}{',' if len(parts) == 1 else ''})"
    ctx.emit(Check(_there(ctx, j, span).atom, "KeyError", text, tuple(atoms), span))
    ctx.not_negative(j.atom)


def _has(ctx: Lowering, k: Value, base: Value, span: Span) -> Value | None:
    """``k in d``; None if it is known at compile time, or about something else."""
    known = isinstance(base, TupleValue) and base.mapping
    if known and isinstance(k, ScalarValue | TupleValue) and has(ctx, base, k, span) is None:
        base = rehash_everywhere(ctx, base, span) or base
    if not is_hashed(base):
        return None
    return _there(ctx, _position(ctx, at_span(span), base, _key_of(ctx, k, span)), span)


def item(ctx: Lowering, node: ast.Subscript, base: TupleValue) -> Value:
    """``d[k]``. A missing key of a `defaultdict` is inserted."""
    span = ctx.span(node)
    if base.record is SET:
        raise Refused(WrongType(span, "a set has no items to index", "a set", "ask `k in s`, or make a dict"))
    default = _default(base)
    k = key(ctx, node.slice, *(() if default is None else (base,)))
    if base.record is COUNTER:
        return _call(ctx, node, "_value", base.items[1], _position(ctx, node, base, k), literal(0))
    j, base = _place(ctx, node, base, k)
    if not is_growing(base.items[1]):
        return Bottom()
    return item_at(ctx, base.items[1], j.atom, span)


def _place(ctx: Lowering, node: ast.Subscript, base: TupleValue, k: Value) -> tuple[ScalarValue, TupleValue]:
    """The position of a key in the list of values, and the dict with the key in it."""
    default, span = _default(base), ctx.span(node)
    if default is not None and not _runs(ctx, base):
        j = _call(ctx, node, "_place", base, k, allocated_at(ctx, default, span))
        ctx.not_negative(j.atom)
        return j, _again(ctx, node.value)
    j = _position(ctx, node, base, k)
    _require(ctx, j, k, span, default is None)
    return j, base


def found_once(ctx: Lowering, target: ast.Subscript) -> ast.Subscript:
    """A target ``d[k][i]``, where ``d[k]`` is a list, with the key looked up: ``d.values[j][i]``."""
    of = target.value
    base = ctx.attempt(lambda: held_object(ctx, of.value)).value if isinstance(of, ast.Subscript) else None
    if base is None or not is_hashed(base) or not holds_lists(base):
        return target
    j, _ = _place(ctx, of, base, key(ctx, of.slice, base))
    values = ast.copy_location(ast.Attribute(of.value, "values", ast.Load()), of)
    row = ast.copy_location(ast.Subscript(values, Quoted(of, j), ast.Load()), of)
    return ast.copy_location(ast.Subscript(row, target.slice, target.ctx), target)


def _default(base: TupleValue) -> Value | None:
    if base.record.name != "defaultdict":
        return None
    kind = base.record.mark.partition(" ")[2]
    made = {"float": literal(0.0), "int": literal(0), "list": TupleValue((), LIST)}
    return made[kind] if kind in made else _shown(ast.parse(kind.removeprefix("lambda: "), mode="eval").body)


def _shown(node: ast.expr) -> Value:
    """The value of a display of numbers."""
    if isinstance(node, ast.List):
        return TupleValue(tuple(map(_shown, node.elts)), LIST)
    if isinstance(node, ast.Tuple):
        return TupleValue(tuple(map(_shown, node.elts)))
    return literal(float(ast.literal_eval(node.args[0])) if isinstance(node, ast.Call) else ast.literal_eval(node))


def _is_of_constants(ctx: Lowering, node: ast.expr) -> bool:
    """Whether it is a lambda without parameters and variables."""
    inside = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    return isinstance(node, ast.Lambda) and not ast.unparse(node.args) and ctx.local_names.isdisjoint(inside)


def _as_shown(v: Value) -> str:
    """A value of known numbers as it is displayed; empty for any other value."""
    if isinstance(v, ScalarValue) and isinstance(v.atom, Const) and v.weak:
        number = v.atom.value
        return repr(number) if math.isfinite(number) else f"float('{number}')"
    if isinstance(v, TupleValue) and v.record in (None, LIST) and (v.items or v.record is LIST):
        items = list(map(_as_shown, v.items))
        if "" not in items and (not v.listed or len({type_of(x) for x in v.items}) < 2):
            return f"[{', '.join(items)}]" if v.listed else f"({', '.join(items)},)"
    return ""


def holds_lists(base: TupleValue) -> bool:
    """Whether the values of a dict are lists."""
    return base.record is not SET and (isinstance(_default(base), TupleValue) or lists_held(base.items[1]))


def store_item(ctx: Lowering, node: ast.expr, base: TupleValue, k: Value, value: Value, span: Span) -> None:
    """``d[k] = v``."""
    value = force_delayed(ctx, usable(ctx, value, "the value", span), "t", span)
    if isinstance(value, SILENT):
        raise Refused(None, changes=(base,) if isinstance(value, Poison) else ())
    _call(ctx, node, "_put", base, k, value)


def assign(ctx: Lowering, target: ast.Subscript, base: TupleValue, value: Value, span: Span) -> None:
    if base.record is SET:
        raise Refused(Unsupported(span, "assigning to an item of a set", "`s.add(k)`"))
    k = key(ctx, target.slice, base)
    if not _runs(ctx, base):
        store_item(ctx, target, base, k, value, span)
        return
    j = _position(ctx, target, base, k)
    _require(ctx, j, k, ctx.span(target), False)
    values = ast.copy_location(ast.Attribute(target.value, "values", ast.Load()), target)
    item_ = ast.copy_location(ast.Subscript(values, Quoted(target, j), ast.Store()), target)
    assign_to(ctx, item_, value, span)


def delete(ctx: Lowering, target: ast.Subscript, base: TupleValue) -> None:
    """``del d[k]``."""
    k, span = key(ctx, target.slice, base), ctx.span(target)
    j = _position(ctx, target, base, k)
    _require(ctx, j, k, span)
    if not _never_filled(base):
        _call(ctx, target, "_remove", base, j)


def _never_filled(base: TupleValue) -> bool:
    """Whether nothing has been put into a dict, so that it is not known what its values are."""
    return isinstance(base.items[1], TupleValue) and isinstance(base.items[1].items[0], Never)


# -------------------------------------------------------------------------------------------------------------- methods


OPERATIONS: dict[type[ast.operator], str] = {
    ast.BitOr: "union", ast.BitAnd: "intersection", ast.Sub: "difference", ast.BitXor: "symmetric_difference",
}  # fmt: skip


def is_set(v: Value) -> bool:
    return isinstance(v, TupleValue) and v.record is SET


def combined(ctx: Lowering, at: ast.expr, name: str, a: TupleValue, b: TupleValue) -> Value:
    """A new set of two: ``a & b``. ``name``: the method that has this meaning."""
    return _made(ctx, at, SET, lambda made: _call(ctx, at, f"_{name}", _again(ctx, made), a, b))


def _with_other(ctx: Lowering, node: ast.Call, base: TupleValue, name: str) -> Value:
    """``a.union(xs)`` and ``a.issubset(xs)``."""
    (what,) = node.args
    other = expression(ctx, what) if not isinstance(what, COMPREHENSIONS) else None
    if other is None or not is_set(other):
        items = what if other is None else Quoted(what, other)
        other = _made(ctx, node, SET, lambda made: _entered(ctx, node, made, items))
    if not is_set(other):
        raise Refused(None)
    if f"_{name}" in _ASKED:
        one, two = (other, base) if name == "issuperset" else (base, other)
        return _call(ctx, node, "_isdisjoint" if name == "isdisjoint" else "_issubset", one, two)
    return combined(ctx, node, name, base, other)


_ASKED = ("_isdisjoint", "_issubset", "_issuperset")


def method(ctx: Lowering, node: ast.Call, base: TupleValue, name: str) -> Value:
    """``d.get(k, 0.0)``, ``s.add(k)`` and other methods."""
    span = ctx.span(node)
    of = OF_SETS if base.record is SET else PLAIN | {"most_common": 1} if base.record is COUNTER else PLAIN
    if name not in of or node.keywords:
        what = "set" if base.record is SET else "dict with computed keys"
        raise Refused(Unsupported(span, f"`.{name}` of a {what}", "write a loop over its keys"))
    least = {"get": 1, "most_common": 0, "setdefault": 2, "pop": base.record is not SET}.get(name, of[name])
    if not least <= len(node.args) <= of[name]:
        raise Refused(BadCall(span, ast.unparse(node.func), f"takes {of[name]} argument{'s' * (of[name] != 1)} here"))
    if name == "update":
        ctx.all_landed()  # the object is evaluated again for each item
        return _updated(ctx, node, base)
    if name in OPERATIONS.values() or f"_{name}" in _ASKED:
        return _with_other(ctx, node, base, name)
    given = [
        usable(ctx, expression(ctx, a, none=k > 0), "the argument", ctx.span(a)) for k, a in enumerate(node.args)
    ]
    silent = next((v for v in given if isinstance(v, SILENT)), None)
    if silent is not None:
        raise Refused(None, silent, () if name == "get" else (base,))
    if name == "most_common":
        return _most_common(ctx, node, base, given)
    if name in ("keys", "values", "items"):
        return as_list(ctx, base, name, span)
    if name == "copy":
        return TupleValue(tuple(copied(ctx, x, span) if is_growing(x) else x for x in base.items), base.record)
    if name == "clear":
        of_ = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
        new = empty(ctx, base.record, span)
        change(ctx, base, new, of_, "`.clear` of a dict", "make another one", span)
        return NoneValue()
    if name == "popitem" or (name == "pop" and not node.args):
        return _last(ctx, node, base)
    k = _key_of(ctx, given[0], span, *(() if name == "get" else (base,)))
    if name == "add":
        return _call(ctx, node, "_add", base, k)
    if name == "setdefault":
        j = _call(ctx, node, "_place", base, k, given[1])
        ctx.not_negative(j.atom)
        return item_at(ctx, _again(ctx, node.func.value).items[1], j.atom, span)
    j = _position(ctx, node, base, k)
    if name == "get":
        default = given[1] if len(given) > 1 else NoneValue()
        return _call(ctx, node, "_value", base.items[1], j, default)
    if name == "remove" or (name == "pop" and len(given) == 1):
        _require(ctx, j, k, span)
        return _call(ctx, node, "_discard" if base.record is SET else "_remove", base, j)
    return _call(ctx, node, "_discard_any" if base.record is SET else "_pop", base, j, *given[1:])


def _most_common(ctx: Lowering, node: ast.Call, base: TupleValue, given: list[Value]) -> Value:
    """``c.most_common(n)``: the items with the largest counts, equal ones in the order of insertion."""
    span, items = ctx.span(node), as_list(ctx, base, "items", ctx.span(node))
    if _never_filled(base):
        return items
    found = permuted(ctx, items, order_of(ctx, base.items[1], True, node), span)
    if not given or isinstance(given[0], NoneValue):
        return found
    part = ast.Subscript(Quoted(node, found), ast.Slice(None, Quoted(node, given[0]), None), ast.Load())
    for n in (part, part.slice):
        ast.copy_location(n, node)
    return expression(ctx, part)


def _last(ctx: Lowering, node: ast.Call, base: TupleValue) -> Value:
    span = ctx.span(node)
    if base.record is SET:
        raise Refused(Unsupported(span, "`.pop` of a set, which takes any item,", "take `min(s)`, and discard it"))
    count = count_of(ctx, base.items[0])
    some = ctx.let("some", "gt", (count, ZERO), BOOL, span)
    ctx.emit(Check(some, "KeyError", "popitem(): dictionary is empty", (), span))
    return _call(ctx, node, "_popitem", base)


def as_list(ctx: Lowering, base: TupleValue, name: str, span: Span) -> Value:
    """The keys, values or items as a list."""
    if name != "items":
        found = base.items[0 if name == "keys" else 1]
        return replace(copied(ctx, found, span), made=None) if is_growing(found) else found
    keys, values = base.items[:2]
    pairs = TupleValue((keys.items[0], values.items[0]))
    if contains(pairs, LostArray):
        raise Refused(None)
    return replace(copied(ctx, TupleValue((pairs, keys.items[1]), GROWING[0]), span), made=None)


def _updated(ctx: Lowering, node: ast.Call, base: TupleValue) -> Value:
    """``s.update(xs)`` of a set or a counter, ``d.update(other)``."""
    if base.record is SET or base.record is COUNTER:
        what = node.args[0]
        if base.record is COUNTER and not isinstance(what, COMPREHENSIONS):
            what = Quoted(what, expression(ctx, what))
            if _has_counts(what.value):
                told = "`.update` of a `Counter` by a dict"
                raise Refused(Unsupported(ctx.span(node), told, "add in a loop: `for k, n in d.items(): c[k] += n`"))
        _entered(ctx, node, node.func.value, what)
        return NoneValue()
    other = None if isinstance(node.args[0], COMPREHENSIONS) else expression(ctx, node.args[0])
    _put_all(ctx, node, node.func.value, node.args[0] if other is None else Quoted(node.args[0], other))
    return NoneValue()


def _has_counts(v: Value) -> bool:
    """Whether a value is a dict or a counter: its values are counts."""
    return is_dict(v) or (isinstance(v, TupleValue) and v.record is COUNTER)


def is_dict(v: Value) -> bool:
    """Whether a value is a dict, with keys that are known or not."""
    if not isinstance(v, TupleValue):
        return False
    return v.mapping or v.record is DICT or getattr(v.record, "name", "") == "defaultdict"


def _put_all(ctx: Lowering, at: ast.expr, name: ast.expr, node: ast.expr) -> None:
    """Store the items of a dict, or the pairs of an iterable, in the dict that ``name`` denotes."""
    span, other = ctx.span(at), node.value if isinstance(node, Quoted) else None

    def put(k: Value, v: Value) -> None:
        base = _again(ctx, name)
        store_item(ctx, at, base, _key_of(ctx, k, span, base), v, span)

    def pair(v: Value) -> None:
        if isinstance(v, Poison):
            raise Refused(None, v, (_again(ctx, name),))
        if not isinstance(v, Bottom):
            put(*unpacked(ctx, v, 2, span))

    if is_hashed(other) and _has_counts(other):
        if lists_held(other.items[1]):
            what = "taking the lists in a dict into another one, where both would hold them,"
            raise Refused(Unsupported(span, what, "copy them in a loop: `e[k] = [*v]`"))
        _call(ctx, at, "_update", _again(ctx, name), other)
    elif is_dict(other):
        for k, v in zip(keys(other), other.items, strict=True):
            put(k, v)
    else:
        _each(ctx, node, pair)


def merged(ctx: Lowering, at: ast.expr, *parts: TupleValue) -> Value:
    """``{**a, **b}``: the items of dicts, or of tuples of pairs, as a new one."""

    def fill(made: ast.expr) -> None:
        for part in parts:
            _put_all(ctx, at, made, Quoted(at, part))

    return _made(ctx, at, DICT, fill)


def update(ctx: Lowering, target: ast.expr, base: TupleValue, more: Value, span: Span) -> None:
    """``d |= more`` of dicts, of one of which the keys are not known."""
    if base.mapping and rehash_everywhere(ctx, base, span) is None:
        raise Refused(WrongType(span, KEYS, describe(type_of(keys(base)[0])), "use keys of one type"))
    ctx.all_landed()
    _put_all(ctx, target, target, Quoted(target, more))


def joined(ctx: Lowering, node: ast.BinOp, a: TupleValue, b: TupleValue) -> Value:
    """``a | b`` of two dicts."""
    if a.mapping and b.mapping:
        a, b = (loaded(ctx, v, ctx.span(node), whole=True) for v in (a, b))
        return known_dict(dict(zip((*a.record.names, *b.record.names), (*a.items, *b.items), strict=True)))
    if not all(v.mapping or v.record is DICT for v in (a, b)):
        raise Refused(Unsupported(ctx.span(node), "`|` of a defaultdict", "write `{**a, **b}`, or `a.update(b)`"))
    return merged(ctx, node, a, b)


# --------------------------------------------------------------------------------------------------------- construction


def _made(ctx: Lowering, at: ast.expr, cls: object, fill) -> Value:
    """A new dict or set, filled under a pseudo-name."""
    span = ctx.span(at)
    key = ctx.pseudo("made", span)
    ctx.bind(key, Binding(allocated_at(ctx, empty(ctx, cls, span), span), span))
    fill(ast.copy_location(ast.Name(key, ast.Load()), at))
    found = ctx.unbind(key).value
    return replace(found, made=None) if isinstance(found, TupleValue) else found


def _each(ctx: Lowering, node: ast.expr, each) -> None:
    """Call a function with each element of an iterable or a comprehension."""
    if isinstance(node, (*COMPREHENSIONS, ast.SetComp)):
        plain = ast.copy_location(ast.GeneratorExp(node.elt, node.generators), node)
        run_through(ctx, plain, lambda value, at: each(value), "each")
        return
    match found := iteration(ctx, node):
        case None:
            raise Refused(None)
        case Unrolled(items=items):
            for v in items:
                each(v)
        case _:
            from_iteration(ctx, found, node, each)


def _entered(ctx: Lowering, at: ast.expr, name: ast.expr, node: ast.expr) -> None:
    """Add each element of an iterable to a set or a counter."""

    def one(v: Value) -> None:
        if isinstance(v, Bottom):
            return
        base = _again(ctx, name)
        k = _key_of(ctx, v, ctx.span(node), base)
        if base.record is COUNTER:
            _call(ctx, at, "_count", base, k)
        else:
            _call(ctx, at, "_add", base, k)

    _each(ctx, node, one)


def of_iterable(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``set()``, ``set(xs)``, ``Counter()``, ``Counter(xs)``, and ``Counter(d)`` of a dict of counts."""
    cls, args = COUNTER if dotted == "collections.Counter" else SET, node.args
    if cls is COUNTER and node.keywords and not args and all(k.arg for k in node.keywords):
        names = [ast.copy_location(ast.Constant(k.arg), k.value) for k in node.keywords]
        args = [ast.copy_location(ast.Dict(names, [k.value for k in node.keywords]), node)]
    elif node.keywords or len(args) > 1:
        raise Refused(BadCall(ctx.span(node), name, "takes at most one iterable here"))
    if cls is COUNTER and args and not isinstance(args[0], COMPREHENSIONS):
        args = [Quoted(args[0], expression(ctx, args[0]))]
        if _has_counts(args[0].value):
            return _made(ctx, node, cls, lambda made: _put_all(ctx, node, made, args[0]))
    return _made(ctx, node, cls, lambda made: [_entered(ctx, node, made, a) for a in args])


def set_display(ctx: Lowering, node: ast.Set | ast.SetComp, hint: str) -> Value:
    """``{i, j}`` and ``{f(v) for v in xs}``."""
    for n in node.elts if isinstance(node, ast.Set) else ():
        if isinstance(n, ast.Set | ast.List | ast.Dict):  # refused as a whole, without what is in it
            raise Refused(WrongType(ctx.span(n), KEYS, f"a {type(n).__name__.lower()}", "write a tuple of ints"))
    what = ast.copy_location(ast.Tuple(node.elts, ast.Load()), node) if isinstance(node, ast.Set) else node
    return _made(ctx, node, SET, lambda made: _entered(ctx, node, made, what))


def defaultdict(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``defaultdict(float)``."""
    kind = expression(ctx, node.args[0]) if len(node.args) == 1 and not node.keywords else None
    external = isinstance(kind, EntityValue) and isinstance(kind.entity, External)
    made = kind.entity.dotted.partition(".")[2] if external else ""
    if made in DEFAULTS:
        return _made(ctx, node, DEFAULTS[made], lambda made: None)
    shown = _as_shown(expression(ctx, node.args[0].body)) if kind and _is_of_constants(ctx, node.args[0]) else ""
    if not shown:
        instead = "`defaultdict(float)`, or a function of numbers that are known: `defaultdict(lambda: 1.0)`"
        raise Refused(Unsupported(ctx.span(node), "this `defaultdict`", instead))
    same = next((n for n, v in {"float": "0.0", "int": "0", "list": "[]"}.items() if v == shown), "")
    return _made(ctx, node, DEFAULTS[same] if same else default_class(f"lambda: {shown}"), lambda made: None)


def comprehension(ctx: Lowering, node: ast.DictComp) -> Value:
    """``{k: e for ...}`` with keys known only at run time."""
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
    return _of_pairs(ctx, node, ast.copy_location(ast.ListComp(pair, node.generators), node))


def _of_pairs(ctx: Lowering, node: ast.expr, what: ast.expr) -> Value:
    """A dict of an iterable of keys and values."""
    return _made(ctx, node, DICT, lambda made: _put_all(ctx, node, made, what))


def display(ctx: Lowering, node: ast.Dict, hint: str) -> Value:
    """``{i: v, **d}``: a hashed dict if one of the keys, or those of a dict in it, are known only at run time."""
    trials = [ctx.attempt(lambda k=k, v=v: expression(ctx, k or v)).value for k, v in zip(node.keys, node.values)]
    parts = [
        x
        for k, v in zip(node.keys, trials, strict=True)
        if k is not None
        for x in (v.items if isinstance(v, TupleValue) and not v.closed else (v,))
    ]
    unknown = any(isinstance(x, ScalarValue) and x.dtype not in FLOATS and not isinstance(x.atom, Const) for x in parts)
    of_dicts = any(k is None and is_hashed(v) and is_dict(v) for k, v in zip(node.keys, trials, strict=True))
    if not unknown and not of_dicts:
        return known_display(ctx, node, hint)
    found: list[TupleValue] = []
    for k, v in zip(node.keys, node.values, strict=True):
        of = None if k is None else key(ctx, k)
        value = expression(ctx, v, hint, none=True)
        if of is None and not is_dict(value):
            told = WrongType(ctx.span(v), "only a dict is unpacked into a dict", describe(type_of(value)))
            raise Refused(None if isinstance(value, SILENT) else told)
        found.append(value if of is None else TupleValue((TupleValue((of, value)),)))
    return merged(ctx, node, *found)


def construct(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``dict(pairs)`` and ``dict(d)``: as of known keys, if they are known."""
    if len(node.args) != 1 or node.keywords:
        return known_call(ctx, node, dotted, name, hint)
    if not isinstance(node.args[0], (*COMPREHENSIONS, ast.Call)):
        base = expression(ctx, node.args[0])
        if is_hashed(base):
            return TupleValue(tuple(copied(ctx, x, ctx.span(node)) if is_growing(x) else x for x in base.items), DICT)
    trial = ctx.attempt(lambda: known_call(ctx, node, dotted, name, hint))
    return ctx.take(trial) if isinstance(trial.value, TupleValue) else _of_pairs(ctx, node, node.args[0])


def from_keys(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``dict.fromkeys(keys, v)``: ``{k: v for k in keys}``, where all keys have the same ``v``."""
    if not 1 <= len(node.args) <= 2 or node.keywords:
        raise Refused(BadCall(ctx.span(node), "`dict.fromkeys` takes keys and a value"))
    keys, value = node.args[0], node.args[1] if len(node.args) == 2 else ast.copy_location(ast.Constant(None), node)
    value = Quoted(value, expression(ctx, value, none=True))
    each = ast.comprehension(ast.Name("key", ast.Store()), keys, [], 0)
    made = ast.DictComp(ast.Name("key", ast.Load()), value, [each])
    return expression(ctx, ast.fix_missing_locations(ast.copy_location(made, node)), hint)


MEMBERS.append(_has)
CALLS["%code_of"] = lambda ctx, node, *_: code_of(ctx, expression(ctx, node.args[0]), ctx.span(node))
EXPRESSIONS[ast.Dict] = display
CALLS["builtins.dict"] = CALLS["collections.OrderedDict"] = construct
CALLS["builtins.dict.fromkeys"] = from_keys
EXPRESSIONS[ast.Set] = EXPRESSIONS[ast.SetComp] = set_display
CALLS["builtins.set"] = CALLS["collections.Counter"] = of_iterable
CALLS["collections.defaultdict"] = defaultdict
enter("fold", ("builtins.set", "collections.OrderedDict", "collections.Counter", "collections.defaultdict"))
