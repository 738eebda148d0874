"""Record classes of a module, from its text: `NamedTuple`s and dataclasses."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field

from .scope import (
    FACTORY, NO_DEFAULT, Constant, Entity, EnumClass, EnumMember, ErrorClass, External, GlobalArray, Helper, Member,
    Opaque, RecordClass, RecordConstant, RecordField, TextScope, resolve,
)
from .arrays import array_type
from .values import constant

MAKE_RECORD = "make it a `@dataclass` or a `typing.NamedTuple`, whose fields say what it holds"
COMPARISONS = ("__eq__", "__lt__", "__le__", "__gt__", "__ge__")  # those that the dataclass decorator makes
# methods that a record class may not define: its instances would not be determined by their fields
OWN_BEHAVIOUR = {
    "named tuple": ("__getitem__", "__iter__", "__len__", "__bool__", "__add__", "__getattribute__", "__getattr__"),
    "dataclass": ("__init__", "__new__", "__post_init__", "__getattribute__", "__getattr__", "__setattr__"),
}
DERIVED = "class derived from a named tuple"
OWN_BEHAVIOUR[DERIVED] = (*OWN_BEHAVIOUR["named tuple"], "__init__", "__new__", "__setattr__", "_make", "_replace")
_NAMED_TUPLE = ("typing.NamedTuple", "typing_extensions.NamedTuple")
_HARMLESS_BASES = ("typing.Generic", "builtins.object", "typing.Protocol")
_HARMLESS_DECORATORS = ("jaxtyping.jaxtyped", "typing.final", "typing.runtime_checkable")


@dataclass
class _Body:
    """The contents of a class body."""

    fields: list[RecordField] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    members: list[tuple[str, Member]] = field(default_factory=list)
    odd: str = ""  # why an instance is not determined by its fields


def of_class(node: ast.ClassDef, scope: TextScope) -> Entity:
    """The entity of a class definition: a `RecordClass` if its instances are determined by their fields."""
    bases = [_base(b, scope) for b in node.bases]
    dotted = [b.dotted if isinstance(b, External) else "" for b in bases]
    kind = next((d for d in dotted if d in _ENUMS), "")
    if kind:
        return _enumeration(node, scope, kind, "builtins.str" in dotted or "builtins.int" in dotted)
    error = next((e for b, d in zip(bases, dotted, strict=True) if (e := _error(b, d))), "")
    if error:
        return ErrorClass(error)
    options = _dataclass_options(node, scope)
    if options is None:
        return GlobalArray(None, node.name)
    key = scope.key(node.name)
    if any(d in _NAMED_TUPLE for d in dotted):
        body = _body(node, scope, False)
        odd = body.odd or _defines(node, "named tuple")
        if odd:
            return Opaque(f"the named tuple `{node.name}`, which {odd}", "leave that out")
        return RecordClass(
            node.name, key, True, tuple(body.fields), tuple(body.others), key, members=tuple(body.members)
        )
    tuples = [b for b in bases if isinstance(b, RecordClass) and b.named_tuple]
    if not options and len(tuples) == 1 and all(b in tuples or d in _HARMLESS_BASES for b, d in zip(bases, dotted)):
        return _derived(node, *tuples, key, scope)
    if not options:
        return _no_record(node, bases)
    if any(not isinstance(b, RecordClass) and d not in _HARMLESS_BASES for b, d in zip(bases, dotted, strict=True)):
        return GlobalArray(None, node.name)  # its base classes are unknown
    body = _body(node, scope, bool(options.get("kw_only", False)))
    odd = body.odd or _defines(node, "dataclass") or ("" if options.get("init", True) else "has no `__init__`")
    if odd:
        return Opaque(f"the dataclass `{node.name}`, which {odd}", "leave that out, and make a function that builds it")
    parents = [b for b in reversed(bases) if isinstance(b, RecordClass)]
    inherited = {f.name: f for b in parents for f in b.fields}
    fields = tuple((inherited | {f.name: f for f in body.fields}).values())
    others = (*(o for b in parents for o in b.others), *body.others)
    compares = Member("compares", Constant(tuple(f.name for f in fields if f.compared)))
    made = [n for n in COMPARISONS if options.get(*(("eq", True) if n == "__eq__" else ("order", False)))]
    own = [(n, compares) for n in made if n not in body.others]
    members = (*(m for b in parents for m in b.members), *own, *body.members)
    mutable = not options.get("frozen", False)
    return RecordClass(
        node.name, key, False, fields, others, key, members=members, mutable=mutable, parents=_keys(*parents)
    )


def _base(node: ast.expr, scope: TextScope) -> Entity | None:
    """What a base class is, also one that a call makes."""
    if isinstance(node, ast.Call):
        return of_call(ast.unparse(node), node, scope)
    return resolve(node.value if isinstance(node, ast.Subscript) else node, scope)


def _derived(node: ast.ClassDef, base: RecordClass, key: str, scope: TextScope) -> Entity:
    """A class derived from a named tuple: its methods and class variables are added."""
    body = _body(node, scope, False)
    names = (*body.others, *(f.name for f in body.fields))
    own = next((n for n in base.names if n in names), None)
    odd = body.odd or _defines(node, DERIVED) or (f"defines `{own}`" if own else "")
    if odd:
        return Opaque(f"the named tuple `{node.name}`, which {odd}", "leave that out")
    others, members = (*base.others, *names), (*base.members, *body.members)
    return RecordClass(node.name, key, True, base.fields, others, key, members=members, parents=_keys(base))


def _keys(*bases: RecordClass) -> tuple[str, ...]:
    return tuple(key for b in bases for key in (b.key, *b.parents))


def _error(base: Entity | None, dotted: str) -> str:
    """The builtin exception that a base class is or derives from; empty if there is none."""
    if isinstance(base, ErrorClass):
        return base.kind
    found = getattr(builtins, dotted.removeprefix("builtins."), None) if dotted.startswith("builtins.") else None
    return found.__name__ if isinstance(found, type) and issubclass(found, Exception) else ""


_ENUMS = ("enum.Enum", "enum.IntEnum", "enum.StrEnum")


def _enumeration(node: ast.ClassDef, scope: TextScope, kind: str, mixed: bool) -> Entity:
    """An enumeration, if the text determines its members."""
    key, plain = scope.key(node.name), mixed or kind != "enum.Enum"
    members: list[tuple[str, EnumMember]] = []
    for s in node.body:
        match s:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not name.startswith("_"):
                known, what = constant(value, scope)
                made = EnumMember(key, name, what if known else Opaque("a value that the text does not tell"), plain)
                members.append((name, next((m for _, m in members if known and m.value == what), made)))
    return EnumClass(key, tuple(members)) if members else GlobalArray(None, node.name)


def _no_record(node: ast.ClassDef, bases: list[Entity | None]) -> Entity:
    if any(isinstance(b, RecordClass) and b.named_tuple for b in bases):
        return Opaque(f"the class `{node.name}` derived from a named tuple", "derive from `NamedTuple` itself")
    if any(b is None or isinstance(b, GlobalArray) or _elsewhere(b) for b in bases):
        return GlobalArray(None, node.name)
    if not node.decorator_list and any(isinstance(s, ast.FunctionDef) and s.name == "__init__" for s in node.body):
        return GlobalArray(None, node.name)  # calls tell what its objects hold
    return Opaque(f"the class `{node.name}`", MAKE_RECORD)


def _elsewhere(base: Entity) -> bool:
    """Whether a base class belongs to a library that may define any behaviour for its subclasses."""
    return isinstance(base, External) and base.dotted.partition(".")[0] not in ("builtins", "typing", "abc", "enum")


def _dataclass_options(node: ast.ClassDef, scope: TextScope) -> dict[str, object] | None:
    """The options of ``@dataclass``, with an additional one that marks its presence; None if a decorator is unknown."""
    found: dict[str, object] = {}
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        match resolve(call.func if call else decorator, scope):
            case External(dotted="dataclasses.dataclass"):
                found["dataclass"] = True
                for k in call.keywords if call else ():
                    known, value = constant(k.value, scope)
                    if k.arg is None or not known:
                        return None
                    found[k.arg] = value
            case External(dotted=dotted) if dotted in _HARMLESS_DECORATORS:
                pass
            case _:
                return None
    return found


def _variable(found: _Body, name: str, value: ast.expr | None, scope: TextScope) -> None:
    known, what = (False, None) if value is None else constant(value, scope)
    if known:
        found.members.append((name, Member("value", Constant(what))))


_KINDS = {
    "builtins.property": "property",
    "functools.cached_property": "cached",
    "builtins.staticmethod": "static",
    "builtins.classmethod": "class",
}


def _kind(node: ast.FunctionDef, scope: TextScope) -> str:
    """How a method is called; empty if an unknown decorator changes it."""
    kinds = []
    for d in node.decorator_list:
        found = resolve(d, scope)
        name = (
            found.dotted
            if isinstance(found, External)
            else f"builtins.{d.id}"
            if isinstance(d, ast.Name) and found is None
            else ""
        )
        kinds.append(_KINDS.get(name, ""))
    return "method" if not kinds else kinds[0] if len(kinds) == 1 else ""


def _defines(node: ast.ClassDef, kind: str) -> str:
    names = {s.name for s in node.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}
    own = next((n for n in OWN_BEHAVIOUR[kind] if n in names), None)
    return f"defines `{own}`" if own else ""


def _body(node: ast.ClassDef, scope: TextScope, keyword: bool) -> _Body:
    found = _Body()
    for s in node.body:
        match s:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=note, value=value):
                head = resolve(note.value if isinstance(note, ast.Subscript) else note, scope)
                dotted = head.dotted if isinstance(head, External) else ""
                if dotted == "typing.ClassVar":
                    found.others.append(name)
                    _variable(found, name, value, scope)
                elif dotted == "dataclasses.KW_ONLY":
                    keyword = True
                elif dotted == "dataclasses.InitVar":
                    found.odd = found.odd or "has an `InitVar`"
                else:
                    _field(found, RecordField(name, note, scope, NO_DEFAULT, keyword), value, scope)
            case ast.FunctionDef(name=name):
                found.others.append(name)
                kind = _kind(s, scope)
                if kind:
                    found.members.append((name, Member(kind, Helper(scope.source(s, f"{node.name}.{name}", ())))))
            case ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.others.append(name)
            case ast.Assign(targets=targets, value=value):
                for name in (t.id for t in targets if isinstance(t, ast.Name)):
                    found.others.append(name)
                    _variable(found, name, value, scope)
            case ast.Expr() | ast.Pass():
                pass
            case _:
                found.odd = found.odd or "has statements besides fields and methods"
    return found


def _field(found: _Body, made: RecordField, value: ast.expr | None, scope: TextScope) -> None:
    default, keyword = (NO_DEFAULT if value is None else static_default(made.name, value, scope)), made.keyword
    compared = True
    match value:
        case ast.Call(func=func, keywords=keywords) if resolve(func, scope) == External("dataclasses.field"):
            given = {k.arg: k.value for k in keywords}
            default = static_default(made.name, given["default"], scope) if "default" in given else NO_DEFAULT
            if "default_factory" in given:
                default = Opaque("a `default_factory`")
                made_by = given["default_factory"]
                function = isinstance(made_by, ast.Lambda)
                of = Helper(scope.source(made_by, made.name, ())) if function else resolve(made_by, scope)
                if of is not None:
                    found.members.append((FACTORY + made.name, Member("value", of)))
            if "compare" in given:
                compared = bool(constant(given["compare"], scope)[1])
            if "kw_only" in given:
                keyword = bool(constant(given["kw_only"], scope)[1])
            if "init" in given and not constant(given["init"], scope)[1]:
                found.odd = found.odd or f"computes its field `{made.name}`"
    found.fields.append(RecordField(made.name, made.note, made.scope, default, keyword, compared))


def static_default(name: str, node: ast.expr, scope: TextScope) -> object:
    """A default, as the text determines it: a constant, or an entity that says why it is not a constant."""
    known, value = constant(node, scope)
    if known:
        return value
    if isinstance(node, ast.Attribute) and isinstance(member := resolve(node, scope), EnumMember):
        return member
    if isinstance(node, ast.Call):
        made = instance(node, scope)
        if made is not None:
            return made
        if array_type(node, scope) is not None:
            return Opaque("an array")
    return GlobalArray(None, name)


# ---------------------------------------------------------------------------------------- classes created by a call


def of_call(name: str, node: ast.Call, scope: TextScope) -> Entity | None:
    """The class of ``P = namedtuple("P", "a b")`` or ``NamedTuple("P", [("a", float)])``; None for other calls."""
    head = resolve(node.func, scope)
    key = scope.key(name)
    match head, node.args:
        case External(dotted="collections.namedtuple"), [_, names]:
            known = _field_names(names)
            options = {k.arg: k.value for k in node.keywords}
            if known is None or set(options) - {"defaults", "module"}:
                return GlobalArray(None, name)
            defaults = options.get("defaults")
            values: list[object] = []
            if defaults is not None:
                if not isinstance(defaults, (ast.Tuple, ast.List)):
                    return GlobalArray(None, name)
                values = [static_default(name, d, scope) for d in defaults.elts]
            padded = [NO_DEFAULT] * (len(known) - len(values)) + values
            fields = tuple(RecordField(n, None, None, d) for n, d in zip(known, padded, strict=True))
            return RecordClass(name, key, True, fields, (), key)
        case External(dotted=dotted), [_, ast.List(elts=pairs) | ast.Tuple(elts=pairs)] if dotted in _NAMED_TUPLE:
            found: list[RecordField] = []
            for pair in pairs:
                match pair:
                    case ast.Tuple(elts=[ast.Constant(value=str(n)), note]):
                        found.append(RecordField(n, note, scope))
                    case _:
                        return GlobalArray(None, name)
            return RecordClass(name, key, True, tuple(found), (), key)
    return None


def _field_names(node: ast.expr) -> list[str] | None:
    match node:
        case ast.Constant(value=str(text)):
            return text.replace(",", " ").split()
        case ast.List(elts=items) | ast.Tuple(elts=items) if all(isinstance(i, ast.Constant) for i in items):
            return [str(i.value) for i in items]
    return None


def instance(node: ast.Call, scope: TextScope) -> RecordConstant | None:
    """``P(1.0, 2)`` with constant arguments; None for other calls."""
    record = resolve(node.func, scope)
    if not isinstance(record, RecordClass) or any(k.arg is None for k in node.keywords):
        return None
    names = [f.name for f in record.fields if not f.keyword]
    if len(node.args) > len(names) or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    given = {**dict(zip(names, node.args, strict=False)), **{k.arg: k.value for k in node.keywords}}
    items = [static_default(f.name, given[f.name], scope) if f.name in given else f.default for f in record.fields]
    if set(given) - set(record.names) or any(isinstance(i, (Opaque, GlobalArray)) for i in items):
        return None
    return RecordConstant(record, tuple(items))
