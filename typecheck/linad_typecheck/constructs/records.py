"""Records: construction, access and replacement for instances of `NamedTuple`s and dataclasses. A record is a tuple
with a class."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from ..engine.entities import constant_value, entity_value, named
from ..advice.unsupported_functions import without
from ..engine.arithmetic import truth
from ..engine.choices import one_per_option
from ..engine.evaluation import TRUTHS, expression, usable
from ..engine.places import force_delayed, loaded
from ..engine.provenance import user_name
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.rulebook import CONSTANTS, PROPERTIES, enter_rules
from ..engine.sizes import is_array
from ..engine.state import Lowering
from ..engine.values import (
    LIST, LISTS, SEQUENCES, SILENT, EntityValue, LostArray, NoneValue, Poison, ScalarValue, TextValue, TupleValue,
    Value, arrays, describe, is_choice, is_complex, is_optional, literal, type_of,
)
from ..library.type_tests import of_class as of_class_of
from ..ownership.objects import change, is_held
from ..ownership.state import report_lost
from ..messages.language import BadCall, Unsupported
from ..messages.types import NoField, WrongType
from ..names.scope import (
    AFTER, DEQUE, FACTORY, HASHED, NO_DEFAULT, SETTER, Applied, Entity, EnumMember, External, GlobalArray, Helper,
    Instance, Member, Opaque, RecordClass, RecordField, is_library_object,
)  # fmt: skip
from ..registry import has_rule
from ..span import Span
from . import frozen_distributions
from .kept_items import store_field

METHODS = {
    "_asdict": "read the fields one by one",
    "_fields": "write the names of the fields out",
    "_field_defaults": "write the defaults out",
    "_make": "call the class: `{name}(...)`",
    "count": "compare the fields one by one",
    "index": "compare the fields one by one",
}
REPLACE = ("dataclasses.replace", "copy.replace")


# -------------------------------------------------------------------------------------------------------- reading


def field(ctx: Lowering, node: ast.Attribute, base: TupleValue) -> Value:
    """``p.x``."""
    span, record = ctx.span(node), base.record
    if record in SEQUENCES:
        grows = record is LIST or node.attr in ("append", "extend", "insert", "pop", "remove")
        what, instead = (
            ("list", "make an array, `a = np.zeros(n)`, and store its cells: `a[i] = v`")
            if grows
            else ("tuple", "index it, or name its parts")
        )
        raise Refused(Unsupported(span, f"the attribute `.{node.attr}` of a {what}", instead))
    if node.attr in record.names:
        value = base.items[record.names.index(node.attr)]
        if isinstance(value, LostArray):
            report_lost(ctx, user_name(node) or f".{node.attr}", value, span)
            return Poison()
        return loaded(ctx, value, span)
    if f"{record.key}.{node.attr}" in PROPERTIES:
        return by_class(ctx, node.attr, base, node)
    member = member_of(ctx, record, node.attr)
    if member is not None and member.kind in ("property", "cached"):
        found = invoke(ctx, member, [base], node)
        if member.kind == "cached" and record.mutable and not isinstance(found, SILENT):
            found = force_delayed(ctx, found, node.attr, span)
            put(ctx, node, base, found, span)
        return found
    if member is not None and member.kind in ("value", "static"):
        return entity_of(ctx, member, node)
    if member is not None and member.kind in ("method", "class"):
        first = base if member.kind == "method" else EntityValue(record, record.name)
        return _bound(ctx, entity_of(ctx, member, node), first, node)
    if node.attr in record.others:
        what = f"the method or property `.{node.attr}` of `{record.name}`"
        name = ast.unparse(node.value)
        ctx.report(Unsupported(span, what, f"write a function of the record: `{node.attr.strip('_')}({name})`"))
    elif is_library_object(record) and (instead := without(f"{record.key}.{node.attr}")):
        ctx.report(Unsupported(span, f"`.{node.attr}` of `{record.name}`", instead))
    elif record.named_tuple and node.attr in METHODS:
        ctx.report(Unsupported(span, f"`.{node.attr}` of a named tuple", METHODS[node.attr].format(name=record.name)))
    elif not (record.mark.startswith(FREE) and ctx.programs.unknown):  # a call may have made it
        close = difflib.get_close_matches(node.attr, record.names, 1)
        near = f"`{close[0]}` is near" if close else f"the fields are {', '.join(record.names)}"
        ctx.report(NoField(span, record.name, node.attr, near))
    return Poison()


def _bound(ctx: Lowering, method: Value, first: Value, node: ast.Attribute) -> Value:
    """A bound method as a value: a partial application."""
    partial = Quoted(node, EntityValue(External("functools.partial"), "partial"))
    call = ast.Call(partial, [Quoted(node, method), Quoted(node, first)], [])
    return expression(ctx, ast.copy_location(call, node))


def refuse_attribute(ctx: Lowering, target: ast.Attribute) -> None:
    """Report ``p.x = e`` and ``p.x += e`` on an immutable record. ``a.flags.writeable = e`` has no effect: no value
    depends on it."""
    of = target.value
    if target.attr == "writeable" and isinstance(of, ast.Attribute) and of.attr == "flags":
        if is_array(expression(ctx, of.value)):
            return
    base, name = expression(ctx, target.value), ast.unparse(target.value)
    instead = "bind a new name"
    if target.attr == "shape" and is_array(base):
        instead = f"give the reshaped array a name: `{name} = {name}.reshape(...)`"
    if isinstance(base, TupleValue) and base.record is not None and target.attr in base.record.names:
        how = f"{name}._replace(" if base.record.named_tuple else f"dataclasses.replace({name}, "
        instead = f"make a new record: `{name} = {how}{target.attr}=...)`"
        if next(arrays(base.items[base.record.names.index(target.attr)]), None) is not None:
            instead += f", or update the array: `{name}.{target.attr}[:] = ...`"
    if not isinstance(base, SILENT):
        ctx.report(Unsupported(ctx.span(target), f"assigning to the attribute `.{target.attr}`", instead))


def only_fields(ctx: Lowering, value: Value, span: Span, what: str) -> bool:
    """Whether a value is a dataclass, which has no elements. If so, the operation on elements, ``what``, is
    reported."""
    if not isinstance(value, TupleValue) or not value.closed:
        return False
    names = value.record.names
    instead = f"read its fields: `.{names[0]}`" if names else ""
    ctx.report(WrongType(span, f"{what}, and a dataclass has fields only", describe(type_of(value)), instead))
    return True


# ------------------------------------------------------------------------------------------------------ assignment


FREE = "object "  # prefix of the mark of a class whose objects get attributes by assignment


def object_class(cls: RecordClass, fields: tuple[str, ...]) -> RecordClass:
    """The class of objects that have these attributes so far. It is the same for the same attributes."""
    return free_class(cls.key, cls.name, cls.handle, cls.others, fields)


@cache
def free_class(key: str, name: str, handle: object, others: tuple[str, ...], fields: tuple[str, ...]) -> RecordClass:
    return RecordClass(
        name, key, False, tuple(map(RecordField, fields)), others, f"{FREE}{key} {fields}", handle, mutable=True
    )


def put(ctx: Lowering, node: ast.Attribute, base: TupleValue, value: Value, span: Span) -> None:
    """Give the object ``base``, which ``node.value`` denotes, the attribute ``node.attr``."""
    what = f"assigning to the attribute `.{node.attr}` of an object"
    if node.attr in base.record.names and is_held(base):
        store_field(ctx, base, base.record.names.index(node.attr), value, user_name(node.value), what, span)
        return
    fields = dict(zip(base.record.names, base.items, strict=True)) | {node.attr: value}
    cls = base.record if node.attr in base.record.names else object_class(base.record, tuple(fields))
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    instead = "make another one, or pass what changes"
    change(ctx, base, TupleValue(tuple(fields.values()), cls), name, what, instead, span)


def setter_of(ctx: Lowering, base: TupleValue, name: str) -> Member | None:
    """What the class of an object runs for ``p.name = e``; None if the value is only stored."""
    own = member_of(ctx, base.record, "__setattr__")
    if own is not None and own.kind == "method":
        return own
    found = member_of(ctx, base.record, f"{name}{SETTER}")
    member = member_of(ctx, base.record, name)
    is_property = member is not None and member.kind == "property"
    return (found or Member("read only", member.entity)) if is_property else found and replace(found, kind="descriptor")


def by_setter(ctx: Lowering, target: ast.Attribute, base: TupleValue, value: Value) -> bool:
    """Whether the class of an object says what ``p.x = e`` does: the setter of a property, or ``__setattr__``."""
    setter = setter_of(ctx, base, target.attr)
    match None if setter is None else (setter.kind, member_of(ctx, base.record, "__setattr__") == setter):
        case None:
            return False
        case "method", own:
            invoke(ctx, setter, [base, *([TextValue(target.attr)] if own else []), value], target)
            return True
        case kind, _:
            how = "has no setter" if kind == "read only" else "is a descriptor"
            what = f"assigning to `.{target.attr}`, which {how},"
            raise Refused(Unsupported(ctx.span(target), what, "store it under another name"))


# --------------------------------------------------------------------------------------------------- construction


def construct(ctx: Lowering, node: ast.Call, record: RecordClass) -> Value:
    """``P(a, b=...)``: the arguments in the order of the call, and defaults for the other fields."""
    span = ctx.span(node)
    positional = [f.name for f in record.fields if not f.keyword]
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        raise Refused(Unsupported(span, "unpacking arguments", "write the arguments out"))
    why = ""
    if len(node.args) > len(positional):
        why = f"takes {len(positional)} positional arguments and is given {len(node.args)}"
    given: dict[str, Value] = {}
    for name, e in [*zip(positional, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]:
        if name not in record.names:
            why = why or f"has no field `{name}`"
        elif name in given:
            why = why or f"is given `{name}` twice"
        value = expression(ctx, e, name, none=True)
        given[name] = usable(ctx, value, user_name(e) or f"the field `{name}`", ctx.span(e))
    for f in record.fields:
        if f.name not in given and f.default is NO_DEFAULT:
            why = why or f"is called without `{f.name}`"
    if why:
        raise Refused(BadCall(span, record.name, why))
    items = [given[f.name] if f.name in given else _default(ctx, record, f, node) for f in record.fields]
    return _made(ctx, items, record, span)


def _default(ctx: Lowering, record: RecordClass, f: RecordField, node: ast.expr) -> Value:
    """The default of a field, which its `default_factory` makes for each object."""
    factory = member_of(ctx, record, FACTORY + f.name) if isinstance(f.default, Opaque) else None
    if factory is None:
        return default(ctx, f.default, f.name, ctx.span(node))
    made = Quoted(node, entity_value(ctx, factory.entity, f.name, ctx.span(node)))
    return expression(ctx, ast.copy_location(ast.Call(made, [], []), node), f.name)


def replaced(
    ctx: Lowering, base: TupleValue, given: dict[str, Value], span: Span, node: ast.expr | None = None
) -> Value:
    """``p._replace(a=...)``, ``dataclasses.replace(p, a=...)``: the other fields are those of ``p``. A class with an
    `__init__` calls it with them."""
    base = loaded(ctx, base, span, whole=True)
    record = base.record
    if record.mark.startswith(FREE) and node is not None:
        return _initialised_again(ctx, base, given, node)
    wrong = next((n for n in given if n not in record.names), None)
    if wrong is not None:
        raise Refused(BadCall(span, record.name, f"has no field `{wrong}`"))
    return _made(ctx, [given.get(n, v) for n, v in zip(record.names, base.items, strict=True)], record, span)


def _initialised_again(ctx: Lowering, base: TupleValue, given: dict[str, Value], node: ast.expr) -> Value:
    record, span = base.record, ctx.span(node)
    init = member_of(ctx, record, "__init__")
    if init is None or not isinstance(init.entity, Helper) or member_of(ctx, record, "__dataclass_fields__") is None:
        what = "`replace` takes a dataclass, and the new fields by name"
        raise Refused(WrongType(span, what, describe(type_of(base)), "make another object"))
    spec = init.entity.function.node.args
    names = [a.arg for a in (*spec.args[1:], *spec.kwonlyargs)]
    held = dict(zip(record.names, base.items, strict=True))
    wrong = next((n for n in given if n not in names), None)
    if wrong is not None:
        raise Refused(BadCall(span, record.name, f"has no field `{wrong}` that `replace` may set"))
    keywords = [ast.keyword(n, Quoted(node, given.get(n, held.get(n)))) for n in names if n in given or n in held]
    cls = ast.copy_location(ast.Attribute(Quoted(node, base), "__class__", ast.Load()), node)
    return expression(ctx, ast.copy_location(ast.Call(cls, [], keywords), node))


def _made(ctx: Lowering, items: list[Value], record: RecordClass, span: Span) -> Value:
    bad = next((v for v in items if isinstance(v, SILENT)), None)
    if bad is not None:
        ctx.programs.poisoned |= isinstance(bad, Poison)
        return bad
    return TupleValue(tuple(items), record)


def default(ctx: Lowering, value: object, name: str, span: Span) -> Value:
    """The value of a default: a constant, or the value of its expression."""
    match value:
        case GlobalArray(type=None):
            ctx.programs.unknown = True
            return Poison()
        case Opaque(what=what, instead=instead):
            raise Refused(Unsupported(span, f"{what} as the default of `{name}`", instead or "pass it in the call"))
        case GlobalArray():
            raise Refused(Unsupported(span, f"an array as the default of `{name}`", "pass it in the call"))
        case External() | EnumMember():
            return entity_value(ctx, value, name, span)
    return constant_value(ctx, value, name, span)


# -------------------------------------------------------------------------------------------------------- calling


def member_of(ctx: Lowering, record: RecordClass, name: str) -> Member | None:
    """A class attribute of a record's class that is not a field."""
    find = getattr(ctx.source.scope, "member", None)
    return None if find is None or record is LIST else find(record, name)


def entity_of(ctx: Lowering, member: Member, node: ast.Attribute) -> Value:
    return entity_value(ctx, member.entity, ast.unparse(node), ctx.span(node))


def invoke(
    ctx: Lowering,
    member: Member,
    first: list[Value],
    node: ast.expr,
    args: list[ast.expr] = [],
    keywords: list[ast.keyword] = [],
    names: tuple[str, ...] = (),
) -> Value:  # noqa: B006 - read only
    """A function of a class, called with ``first`` and then the arguments of a call."""
    callee = Quoted(node, EntityValue(member.entity, getattr(node, "attr", "the method")))
    given = [Quoted(node, v, n) for v, n in zip(first, (*names, *("",) * len(first)), strict=False)]
    return expression(ctx, ast.copy_location(ast.Call(callee, [*given, *args], keywords), node), none=True)


def of_parent(ctx: Lowering, node: ast.expr) -> tuple[Value, str] | None:
    """For ``super()`` in a method: the object, and what is added to names to look them up in the parents of the class;
    None for anything else."""
    if not isinstance(node, ast.Call) or named(ctx, node.func) != External("builtins.super"):
        return None
    function = ctx.source.node.args if isinstance(ctx.source.node, ast.FunctionDef) else None
    first = function and next(iter((*function.posonlyargs, *function.args)), None)
    match node.args:
        case [] if first is not None:
            home, own = ctx.source.scope.lookup("__class__"), ctx.env.get(first.arg)
        case [cls, ast.Name(id=name)]:
            home, own = named(ctx, cls), ctx.env.get(name)
        case _:
            home = own = None
    base = None if own is None else own.value
    if isinstance(base, SILENT):
        raise Refused(None)
    key = home.key if isinstance(home, RecordClass) else home.classes[0] if isinstance(home, Instance) else ""
    of_module = isinstance(base, EntityValue) and isinstance(base.entity, Instance)
    if not key or not (of_module or (isinstance(base, TupleValue) and base.record is not None)):
        what = "`super` outside of a method of an object"
        raise Refused(Unsupported(ctx.span(node), what, "call the method of the class by name: `Base.method(self)`"))
    return base, f"{AFTER}{key.replace('.', '/')}"


def from_parent(ctx: Lowering, node: ast.Attribute, base: TupleValue, after: str) -> Member | None:
    """``super().name``: the member, or None for the `__init__` of `object`."""
    member = member_of(ctx, base.record, f"{node.attr}{after}")
    if node.attr == "__init__" and (member is None or member.kind == "value"):
        return None
    if member is None:
        what = f"`super().{node.attr}`, which no parent of the class defines in Python,"
        raise Refused(Unsupported(ctx.span(node), what, "write what it does"))
    return member


NOT_IMPLEMENTED = CONSTANTS["builtins.NotImplemented"]
_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.MatMult: "matmul", ast.Pow: "pow",
    ast.FloorDiv: "floordiv", ast.Mod: "mod",
}  # fmt: skip


def binary_operator(ctx: Lowering, op: type[ast.operator], a: Value, b: Value, node: ast.expr) -> Value | None:
    """``a op b`` if the class of one operand defines it; None otherwise."""
    name = _BINARY.get(op, "")
    sides = [(a, b, f"__{name}__"), (b, a, f"__r{name}__")]
    if derives(b, a):
        one, other = (getattr(member_of(ctx, v.record, sides[1][2]), "entity", None) for v in (a, b))
        if isinstance(other, Helper) and not (isinstance(one, Helper) and one.function.node is other.function.node):
            sides.reverse()
    for own, other, word in sides:
        if name and method_of(ctx, own, word) is not None:
            if own is b and _taken_by_numpy(ctx, own, other):
                of = own.record.name if isinstance(own, TupleValue) else own.entity.classes[0].rpartition(".")[2]
                what = f"this operator of NumPy's numbers and a `{of}`, of which NumPy makes an array,"
                instead = "put the object first, or give its class `__array_ufunc__ = None`"
                raise Refused(Unsupported(ctx.span(node), what, instead))
            found = by_class(ctx, word, own, node, [Quoted(node, other)])
            if found != NOT_IMPLEMENTED:
                return found
    return None


def derives(v: Value, other: Value) -> bool:
    """Whether the class of an object is a subclass of that of another one: then its methods come first."""
    if not all(isinstance(x, TupleValue) and x.record is not None for x in (v, other)):
        return False
    return v.record.handle is not other.record.handle and of_class_of(v, other.record) is True


def in_place_operator(ctx: Lowering, op: type[ast.operator], a: Value, b: Value, node: ast.expr) -> Value | None:
    """What ``a op= b`` gives ``a``, if its class defines that apart from ``a op b``; None otherwise."""
    name = f"__i{_BINARY.get(op, '')}__"
    return by_class(ctx, name, a, node, [Quoted(node, b)]) if method_of(ctx, a, name) is not None else None


def compared_fields(ctx: Lowering, v: Value, name: str) -> tuple[str, ...] | None:
    """The fields that the method ``name`` compares which the dataclass decorator made; None if it made none."""
    member = member_of(ctx, v.record, name) if isinstance(v, TupleValue) and v.record not in SEQUENCES else None
    return member.entity.value if member is not None and member.kind == "compares" else None


# functions of Python that call a method of their argument's class
PROTOCOL = {
    "builtins.abs": "__abs__", "builtins.len": "__len__", "builtins.float": "__float__", "builtins.int": "__int__",
    "builtins.round": "__round__", "builtins.bool": "__bool__",
}  # fmt: skip


def by_class(
    ctx: Lowering,
    name: str,
    v: Value,
    node: ast.expr,
    args: list[ast.expr] = [],  # noqa: B006 - read only
) -> Value | None:
    """The result of calling the method ``name`` of an object; None if its class has no such method."""
    found = method_of(ctx, v, name)
    if found is None:
        return None
    callee, first = found
    given = [Quoted(node, x) for x in first]
    return expression(ctx, ast.copy_location(ast.Call(Quoted(node, callee), [*given, *args], []), node), none=True)


def method_of(ctx: Lowering, v: Value, name: str) -> tuple[EntityValue, tuple[Value, ...]] | None:
    """A method of an object, and what it is called with first; None if its class has no such method."""
    match v:
        case EntityValue(entity=Instance(made=None) as of):
            found = of.scope.lookup(f"{of.name}.{name}")
            return (EntityValue(found, name), ()) if isinstance(found, Applied) else None
        case TupleValue(record=RecordClass(key=key)) if has_rule(f"{key}.{name}"):
            return EntityValue(External(f"{key}.{name}"), name), (v,)
        case TupleValue(record=RecordClass() as record) if record not in SEQUENCES:
            member = member_of(ctx, record, name)
            return (EntityValue(member.entity, name), (v,)) if member is not None and member.kind == "method" else None
    return None


def has_method(ctx: Lowering, v: Value, name: str) -> bool:
    """Whether the class of an object has a method."""
    return method_of(ctx, v, name) is not None


def object_truth(ctx: Lowering, v: Value, node: ast.expr) -> Value | None:
    """The truth value of an object: from its ``__bool__``, otherwise from its ``__len__``, otherwise True; of a choice,
    that of the option."""
    if is_choice(v):
        span = ctx.span(node)
        return one_per_option(ctx, v, lambda x: ScalarValue(truth(ctx, x, span), True), span, "b")
    own = isinstance(v, TupleValue) and (v.mapping or v.record in (*LISTS, DEQUE) or v.record in HASHED)
    if not isinstance(v, TupleValue) or not v.closed or own or is_optional(v) or is_complex(v):
        return None
    found = by_class(ctx, "__bool__", v, node)
    if isinstance(found, ScalarValue) and not (found.dtype == "bool" and found.weak):
        ctx.raised("TypeError")
        shown = describe(type_of(found)) if found.dtype != "bool" else "np.bool"
        raise Refused(WrongType(ctx.span(node), "`__bool__` returns a bool", shown, "write `return bool(...)`"))
    found = found or by_class(ctx, "__len__", v, node)
    return literal(True) if found is None else found


TRUTHS.append(object_truth)
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}


def unary_operator(ctx: Lowering, op: type[ast.unaryop], v: Value, node: ast.expr) -> Value | None:
    """``op v`` if the class of ``v`` defines it; None otherwise."""
    return by_class(ctx, f"__{_UNARY[op]}__", v, node)


def _taken_by_numpy(ctx: Lowering, v: Value, left: Value) -> bool:
    """Whether the left operand handles the operator itself: an array does, unless the class of the object opts out."""

    def has(name: str) -> bool:
        if isinstance(v, TupleValue):
            return has_rule(f"{v.record.key}.{name}") or member_of(ctx, v.record, name) is not None
        return v.entity.scope.lookup(f"{v.entity.name}.{name}") is not None

    if has("__array_ufunc__") or has("__array_priority__"):
        return False
    return is_array(left) or (isinstance(left, ScalarValue) and not left.weak and has("__array__"))


def method(ctx: Lowering, node: ast.Call, base: TupleValue) -> Value | None:
    """``p._replace(...)``, ``p.method(...)``; None for other calls of an attribute."""
    if not isinstance(node.func, ast.Attribute) or base.record in SEQUENCES:
        return None
    if (of_distribution := frozen_distributions.method(node, base)) is not None:
        return expression(ctx, of_distribution)
    name = node.func.attr
    member = member_of(ctx, base.record, name) if name not in base.record.names else None
    found = _called_member(ctx, node, base, member)
    if found is not None:
        return found
    if member is None and has_rule(dotted := f"{base.record.key}.{name}"):
        function = Quoted(node.func, EntityValue(External(dotted), name))
        call = ast.Call(function, [Quoted(node.func, base), *node.args], node.keywords)
        return expression(ctx, ast.copy_location(call, node))
    return _replacing(ctx, node, base) if name == "_replace" and base.record.named_tuple else None


def method_of_parent(ctx: Lowering, node: ast.Call) -> Value | None:
    """``super().method(...)``; None for other calls."""
    found = of_parent(ctx, node.func.value)
    if found is None:
        return None
    if isinstance(found[0], EntityValue):
        callee = Quoted(node.func, attribute_of_parent(ctx, node.func))
        return expression(ctx, ast.copy_location(ast.Call(callee, node.args, node.keywords), node), none=True)
    member = from_parent(ctx, node.func, *found)
    if member is None and not (node.args or node.keywords):
        return NoneValue()
    made = _called_member(ctx, node, found[0], member)
    if made is None:
        raise Refused(Unsupported(ctx.span(node), f"calling `super().{node.func.attr}`", "write what it does"))
    return made


def attribute_of_parent(ctx: Lowering, node: ast.Attribute) -> Value | None:
    """``super().name`` of a property or a class variable; None for other attributes."""
    found = of_parent(ctx, node.value)
    if found is not None and isinstance(found[0], EntityValue):
        made = ast.Attribute(Quoted(node.value, found[0]), f"{node.attr}{found[1]}", ast.Load())
        return expression(ctx, ast.copy_location(made, node), none=True)
    member = None if found is None else from_parent(ctx, node, *found)
    if found is None or member is None:
        return None
    if member.kind == "value":
        return entity_of(ctx, member, node)
    if member.kind != "property":
        raise Refused(Unsupported(ctx.span(node), f"`super().{node.attr}` without a call", "call it"))
    return invoke(ctx, member, [found[0]], node)


def _called_member(ctx: Lowering, node: ast.Call, base: TupleValue, member: Member | None) -> Value | None:
    """A call of a function of the class of an object; None if it is something else."""
    match None if member is None else member.kind:
        case "method":
            return invoke(ctx, member, [base], node.func, node.args, node.keywords, (user_name(node.func.value),))
        case "static":
            return invoke(ctx, member, [], node.func, node.args, node.keywords)
        case "class":
            return invoke(
                ctx, member, [EntityValue(base.record, base.record.name)], node.func, node.args, node.keywords
            )
    return None


def of_class(ctx: Lowering, node: ast.Call, record: RecordClass) -> Value | None:
    """``P.make(...)`` of a static or class method; ``P.method(p, ...)``."""
    member = member_of(ctx, record, node.func.attr)
    if member is None or member.kind not in ("static", "class", "method"):
        return None
    first = [EntityValue(record, record.name)] if member.kind == "class" else []
    return invoke(ctx, member, first, node.func, node.args, node.keywords)


def _replacing(ctx: Lowering, node: ast.Call, base: TupleValue) -> Value:
    """``p._replace(...)``."""
    span = ctx.span(node)
    if node.args or any(k.arg is None for k in node.keywords):
        raise Refused(BadCall(span, "_replace", "takes the new fields by name: `p._replace(x=...)`"))
    given = {
        k.arg: usable(ctx, value, user_name(k.value) or f"the field `{k.arg}`", ctx.span(k.value))
        for k in node.keywords
        for value in (expression(ctx, k.value, k.arg, none=True),)
    }
    return replaced(ctx, base, given, span)


def replace_function(dotted: str) -> Callable[[Lowering, object], Value]:
    """``dataclasses.replace(p, x=...)`` as a rule for library functions."""

    def rule(ctx: Lowering, args) -> Value:
        match args.values:
            case (TupleValue(record=RecordClass() as record) as base,) if record is not LIST and (
                dotted != REPLACE[0] or not record.named_tuple
            ):
                return replaced(ctx, base, dict(args.keywords), args.span, args.node)
        found = ", ".join(describe(type_of(v)) for v in args.values) or "nothing"
        instead = "write `p._replace(x=...)` for a named tuple"
        raise Refused(WrongType(args.span, "`replace` takes a dataclass, and the new fields by name", found, instead))

    return rule


def class_attribute(ctx: Lowering, node: ast.Attribute, found: Entity) -> Value:
    """``P.limit``, a class variable. Otherwise a class can only be called."""
    member = member_of(ctx, found, node.attr)
    if member is not None and member.kind == "value":
        return entity_of(ctx, member, node)
    if member is not None and member.kind in ("static", "method"):
        return entity_of(ctx, member, node)
    if member is not None and member.kind == "class":
        return _bound(ctx, entity_of(ctx, member, node), EntityValue(found, found.name), node)
    raise Refused(
        Unsupported(ctx.span(node), f"the attribute `.{node.attr}` of the class `{found.name}`", "call the class")
    )


enter_rules({dotted: replace_function(dotted) for dotted in REPLACE}, "stored arrays")
