"""Classes whose instances are records (`NamedTuple`s and dataclasses), and conversion of their instances."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import inspect
import linecache
import sys
import typing
import weakref
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import Enum
from operator import is_
from types import BuiltinFunctionType, FunctionType

import numpy as np
from linad_typecheck.engine.annotations import TupleType, parse_annotation
from linad_typecheck.engine.rulebook import RESULTS
from linad_typecheck.names.scope import (
    CHOICE,
    COMPLEX,
    LIBRARY_CLASSES,
    LIST,
    MOST_KEYS,
    MOST_LISTED,
    NO_DEFAULT,
    COLUMNS,
    NESTED,
    RETURNED,
    Annotation,
    Entity,
    EnumMember,
    External,
    Opaque,
    RecordClass,
    RecordConstant,
    RecordField,
    Scope,
    dict_class,
    frozen_class,
)
from linad_typecheck.signature import RecordStructure, RecordTag, Signature, Structure
from linad_typecheck.source import SourceFile
from linad_typecheck.names.records import DERIVED, MAKE_RECORD, OWN_BEHAVIOUR
from linad_typecheck.words import with_article

from linad.structures import complex_of

# The functions `entity`, `fingerprint` and `is_constant` of `entities`, which registers them here, for annotations and
# defaults of fields.
MEANING: dict[str, Callable[..., typing.Any]] = {}

_known: weakref.WeakKeyDictionary[type, RecordClass | Opaque] = weakref.WeakKeyDictionary()
for _name, _result in RESULTS.items():
    if _name.startswith("numpy.linalg."):
        _class = type(getattr(np.linalg, _name.rpartition(".")[2])(np.eye(1)))
    else:  # SciPy is not imported for it
        _class = namedtuple(_result.name, _result.names)
    LIBRARY_CLASSES[_result.key], _known[_class] = _class, _result
_FIELDS_METHODS = frozenset(vars(typing.NamedTuple("_", [("x", int)])))  # the methods of every named tuple


def record_class(cls: type) -> RecordClass | Opaque:
    """The record that a user's class defines, or the reason why it does not. Always the same object for the same class.
    """
    found = _known.get(cls)
    if found is None:
        found = _known[cls] = _read(cls)
    return found


def as_record(value: object) -> RecordClass | None:
    """The class of a value if it is a record."""
    cls = type(value)
    if cls is list:
        return LIST if len(value) <= MOST_LISTED else None
    if cls is dict:
        return dict_class(tuple(value)) if all(type(k) is str for k in value) else None
    if not (dataclasses.is_dataclass(cls) or (issubclass(cls, tuple) and cls is not tuple)):
        return None
    found = record_class(cls)
    return found if isinstance(found, RecordClass) else None


def _read(cls: type) -> RecordClass | Opaque:
    name = cls.__name__
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        odd = _odd_tuple(cls)
        if odd:
            return Opaque(f"the named tuple `{name}`, which {odd}", "leave that out")
        return _record(cls, True, [(f, cls._field_defaults.get(f, NO_DEFAULT), False) for f in cls._fields])
    if not dataclasses.is_dataclass(cls):
        return Opaque(f"the class `{name}`", MAKE_RECORD)
    odd = _odd(cls)
    if odd:
        return Opaque(f"the dataclass `{name}`, which {odd}", "leave that out, and make a function that builds it")
    made = _record(cls, False, [(f.name, _default(f), f.kw_only) for f in dataclasses.fields(cls)])
    return replace(made, mutable=not cls.__dataclass_params__.frozen)


def _odd_tuple(cls: type) -> str:
    """Features of a named tuple, or of a class derived from one, that make its instances more than their fields."""
    for c in cls.__mro__[: cls.__mro__.index(tuple)]:
        generated = set(c.__bases__) - {typing.Generic} == {tuple}
        odd = OWN_BEHAVIOUR["named tuple"] if generated else (*OWN_BEHAVIOUR[DERIVED], *cls._fields)
        own = next((n for n in odd if n in vars(c)), None)
        if own is not None:
            return f"defines `{own}`"
    return ""


def _odd(cls: type) -> str:
    """Features of a dataclass that make its instances more than their fields; empty if there are none."""
    for c in cls.__mro__[:-1]:
        if c is typing.Generic:
            continue
        if not dataclasses.is_dataclass(c) or type(c) is not type:
            return f"derives from `{c.__name__}`, which is no dataclass" if type(c) is type else "has a metaclass"
        for n in OWN_BEHAVIOUR["dataclass"]:
            made = vars(c).get(n)
            if made is not None and not (n in ("__init__", "__setattr__") and _generated(made)):
                return f"defines `{n}`"
    if not cls.__dataclass_params__.init:
        return "has no `__init__`"
    for f in cls.__dataclass_fields__.values():
        if f._field_type is dataclasses._FIELD_INITVAR:
            return "has an `InitVar`"
        if f._field_type is dataclasses._FIELD and not f.init:
            return f"computes its field `{f.name}`"
    return ""


def _generated(method: object) -> bool:
    """Whether the dataclass decorator generated a method: its code has no file."""
    return isinstance(method, FunctionType) and method.__code__.co_filename == "<string>"


def compared_fields(method: object, cls: type, name: str) -> tuple[str, ...] | None:
    """The fields that a method ``name`` of a class compares, if the dataclass decorator generated it."""
    if not isinstance(method, FunctionType) or not _generated(method):
        return None
    home = next(c for c in cls.__mro__ if name in vars(c))
    return tuple(f.name for f in dataclasses.fields(home) if f.compare) if dataclasses.is_dataclass(home) else None


def initialiser(cls: type) -> FunctionType | None:
    """A function with a text that does what the `__init__` does that the dataclass decorator generated, which has none;
    None for other classes."""
    if not (dataclasses.is_dataclass(cls) and _generated(cls.__init__)):
        return None
    if cls not in _initialisers:
        _initialisers[cls] = _initialiser(cls)
    return _initialisers[cls]


_initialisers: weakref.WeakKeyDictionary[type, FunctionType] = weakref.WeakKeyDictionary()
_FACTORY = "%made by a factory"


def _initialiser(cls: type) -> FunctionType:
    kinds = (dataclasses._FIELD, dataclasses._FIELD_INITVAR)
    fields = [f for f in cls.__dataclass_fields__.values() if f._field_type in kinds]
    held: dict[str, object] = {"_FACTORY": _FACTORY}
    parameters: dict[bool, list[str]] = {False: [], True: []}  # by whether they are given by name only
    lines = []
    for f in fields:
        made, known = f.default_factory is not dataclasses.MISSING, f.default is not dataclasses.MISSING
        held |= {f"_made_{f.name}": f.default_factory, f"_default_{f.name}": f.default}
        if f.init:
            default = "=_FACTORY" if made else f"=_default_{f.name}" if known else ""
            parameters[bool(f.kw_only)].append(f"{f.name}{default}")
        value = f"_made_{f.name}()" if made else f"_default_{f.name}" if known else ""
        if f.init:
            value = f"{value} if {f.name} is _FACTORY else {f.name}" if made else f.name
        if value and f._field_type is dataclasses._FIELD:
            lines.append(f"    self.{f.name} = {value}")
    if hasattr(cls, "__post_init__"):
        own = ", ".join(f.name for f in fields if f._field_type is dataclasses._FIELD_INITVAR)
        lines.append(f"    self.__post_init__({own})")
    given = ", ".join(["self", *parameters[False], *(["*", *parameters[True]] if parameters[True] else [])])
    text = f"def __init__({given}):\n" + "\n".join(lines or ["    pass"]) + "\n"
    file = f"<dataclass {cls.__module__}.{cls.__qualname__} {id(cls)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {**cls.__init__.__globals__, **held}
    exec(compile(text, file, "exec", dont_inherit=True), space)  # noqa: S102 - generated above
    return space["__init__"]


def _default(f: dataclasses.Field) -> object:
    if f.default_factory is not dataclasses.MISSING:
        return Opaque("a `default_factory`")
    return NO_DEFAULT if f.default is dataclasses.MISSING else f.default


def _record(cls: type, named_tuple: bool, fields: list[tuple[str, object, bool]]) -> RecordClass:
    notes = _annotations(cls)
    made = tuple(
        RecordField(n, *_note(cls, notes[n]), default_value(d), k)
        if n in notes
        else RecordField(n, None, None, default_value(d), k)
        for n, d, k in fields
    )
    names = {n for n, _, _ in fields}
    others = tuple(n for n in dir(cls) if n not in names and n not in _FIELDS_METHODS and not n.startswith("__"))
    key = f"{cls.__module__}.{cls.__qualname__}"
    described = [(f.name, _mark(cls, notes.get(f.name)), _told(f.default), f.keyword) for f in made]
    digest = hashlib.sha256(repr((key, named_tuple, described, others)).encode()).hexdigest()
    return RecordClass(cls.__name__, key, named_tuple, made, others, f"{key} {digest}", cls)


def _annotations(cls: type) -> dict[str, object]:
    found: dict[str, object] = {}
    for c in reversed(cls.__mro__):
        found |= inspect.get_annotations(c)
    return found


def _note(cls: type, note: object) -> tuple[ast.expr | None, Scope | None]:
    """An annotation as an expression, and the scope to evaluate it in."""
    if isinstance(note, typing.ForwardRef):
        note = note.__forward_arg__
    if isinstance(note, str):
        try:
            return ast.parse(note.strip(), mode="eval").body, _ModuleScope(cls)
        except SyntaxError:
            return None, None
    text = getattr(note, "__name__", None) if isinstance(note, type) else str(note)
    text = str(text)
    return ast.Name(text, ast.Load()), _ValueScope(text, note)


class _ValueScope:
    """A scope with one name, bound to one object."""

    def __init__(self, name: str, value: object) -> None:
        self._name, self._value = name, value

    def lookup(self, name: str) -> Entity | None:
        return MEANING["entity"](self._value, "") if name == self._name else None

    def names(self) -> tuple[str, ...]:
        return (self._name,)


class _ModuleScope:
    """The module of a class. Names missing from it may be local to a function, and are unknown."""

    def __init__(self, cls: type) -> None:
        self._module, self._cls = cls.__module__, weakref.ref(cls)

    def value(self, name: str) -> object:
        """The value of a dotted name."""
        first, *rest = name.split(".")
        space = vars(sys.modules[self._module]) if self._module in sys.modules else {}
        builtin = vars(sys.modules["builtins"])
        value = space.get(first, builtin.get(first, typing.Any))
        for attribute in rest:
            value = getattr(value, attribute, typing.Any)
        return value

    def lookup(self, name: str) -> Entity | None:
        value = self.value(name)
        return External("typing.Any") if value is typing.Any else MEANING["entity"](value, "")

    def names(self) -> tuple[str, ...]:
        return ()


def _mark(cls: type, note: object) -> str:
    """The text of an annotation; different for different meanings."""
    if isinstance(note, typing.ForwardRef):
        note = note.__forward_arg__
    if not isinstance(note, str):
        return "nothing" if note is None else MEANING["fingerprint"](note)
    tree, scope = _note(cls, note)
    names = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}) if tree is not None else []
    told = [(n, MEANING["fingerprint"](v)) for n in names if (v := scope.value(n)) is not cls]
    return repr((note, told))


DISPATCHED = type(np.sum)  # the class of most functions of NumPy


def default_value(value: object) -> object:
    """A default value as used by lowering: a constant, or an entity that says why it is not one."""
    if isinstance(value, Opaque) or MEANING["is_constant"](value):
        return value
    if isinstance(value, np.ndarray):
        return Opaque("an array")
    if isinstance(value, type | np.ufunc | FunctionType | BuiltinFunctionType | DISPATCHED | Enum) and isinstance(
        found := MEANING["entity"](value, ""), External | EnumMember
    ):
        return found
    made = constant(value)
    return made if made is not None else Opaque(with_article(type(value).__name__))


def constant(value: object) -> RecordConstant | tuple[object, ...] | None:
    """A record of constants, or a tuple of such; None for anything else."""
    if isinstance(value, complex | np.complexfloating):
        return RecordConstant(COMPLEX, (value.real, value.imag))
    if type(value) is range:
        return RecordConstant.of_range(value)
    if type(value).__name__ in ("rv_continuous_frozen", "rv_discrete_frozen"):
        return _distribution(value)
    if type(value) is list:
        record = LIST if len(value) <= MOST_KEYS else None
    elif type(value) is dict and len(value) <= MOST_KEYS and all(MEANING["is_constant"](k) for k in value):
        record = dict_class(tuple(value))
    else:
        record = as_record(value)
    if record is None and type(value) is not tuple:
        return None
    items: list[object] = []
    for part in parts(record.names, value) if record else value:
        made = part if MEANING["is_constant"](part) and type(part) is not tuple else constant(part)
        if made is None:
            return None
        items.append(made)
    return tuple(items) if record is None else RecordConstant(record, tuple(items))


def _distribution(value: typing.Any) -> RecordConstant | None:
    """A distribution of SciPy that holds its parameters; None where these are no constants."""
    dotted, items = f"scipy.stats.{value.dist.name}", (*value.args, *value.kwds.values())
    if not all(map(MEANING["is_constant"], items)):
        return None
    return RecordConstant(frozen_class(dotted, len(value.args), tuple(value.kwds)), items)


def changeable(value: object) -> bool:
    """Whether a module constant is a mutable object whose contents may change later."""
    return type(value) in (list, dict) or (isinstance(value, tuple) and any(map(changeable, value)))


@dataclasses.dataclass(frozen=True, slots=True)
class Contents:
    """The items of a list, tuple or dict of constants, and the contents of those items that are such themselves."""

    items: tuple[object, ...]
    inner: tuple[tuple[int, Contents], ...]

    @classmethod
    def of(cls, value: object) -> Contents:
        items = _items(value)
        inner = ((k, cls.of(v)) for k, v in enumerate(items) if type(v) in (list, tuple, dict))
        return cls(items, tuple(inner))

    def same(self, value: object) -> bool:
        """Whether the value, which is the same object as before, has these items."""
        now = _items(value)
        if len(now) != len(self.items) or not all(map(is_, now, self.items)):
            return False
        return all(held.same(now[k]) for k, held in self.inner)


def _items(value: list[object] | tuple[object, ...] | dict[object, object]) -> tuple[object, ...]:
    """What a list or tuple holds, or the keys and then the values of a dict."""
    return (*value, *value.values()) if isinstance(value, dict) else tuple(value)


def _told(value: object) -> str:
    if isinstance(value, RecordConstant):
        return f"{value.record!r}({', '.join(map(_told, value.items))})"
    if isinstance(value, tuple):
        return f"({', '.join(map(_told, value))})"
    return f"{type(value).__name__} {value!r}"


told = _told

# ------------------------------------------------------------------------------------------------ instances


def parts(names: Iterable[str], value: object) -> tuple[object, ...]:
    """The fields of a record, or the items of a dict or list."""
    if type(value) in (dict, list):
        return tuple(value.values() if isinstance(value, dict) else value)
    return tuple(getattr(value, n) for n in names)


numpys, pythons = RETURNED  # classes of lists of computed length, by the type of their numbers


def make(tag: RecordTag, items: Iterable[object]) -> object:
    """An instance with the given fields, whatever their types: a gradient has None where the primal has an int."""
    cls: typing.Any = tag.handle
    if cls is str:
        return tag.name
    if tag.key == COMPLEX.key:
        return complex_of(*items)
    if tag.key == CHOICE.key:
        code, *options = items
        return None if code is None else options[tag.fields.index(str(code))]
    if tag.key in _COLUMNS:
        return _of_columns(tag.key, list(items))
    if tag.key in _NESTED:
        (array,) = items
        return None if array is None else array.tolist() if tag.key == NESTED[1].key else _nested(array)
    if tag.key in (numpys.key, pythons.key):
        (array,) = items
        if array is None:  # ints, in a tangent
            return None
        return array.tolist() if tag.key == pythons.key and array.ndim == 1 else list(array)
    if cls is list or cls is dict:
        return list(items) if cls is list else dict(zip(tag.fields, items, strict=True))
    if tag.named_tuple:
        return tuple.__new__(cls, tuple(items))
    made = object.__new__(cls)
    for name, item in zip(tag.fields, items, strict=True):
        object.__setattr__(made, name, item)
    return made


def _nested(array: np.ndarray) -> list[typing.Any]:
    """An array as lists of lists of NumPy's numbers."""
    return list(array) if array.ndim == 1 else [_nested(row) for row in array]


_NESTED = frozenset(c.key for c in NESTED)
_COLUMNS = {c.key: kind for kind, c in COLUMNS.items()}


def _of_columns(key: str, columns: list[typing.Any]) -> object:
    """A list of tuples or lists, a dict or a set, of the lists of their parts. In a tangent, those of ints are None,
    and a dict is the list of the tangents of its values, in order."""
    if _COLUMNS[key] in ("dict", "set") and columns[0] is None:
        return columns[1] if len(columns) == 2 else None
    if _COLUMNS[key] in ("dict", "set"):
        return dict(zip(*columns, strict=True)) if len(columns) == 2 else set(columns[0])
    count = next((len(c) for c in columns if c is not None), None)
    if count is None:
        return None
    rows = zip(*([None] * count if c is None else c for c in columns), strict=True)
    return list(rows if _COLUMNS[key] == "list of tuples" else map(list, rows))


def columns_of(key: str, value: typing.Any, count: int) -> list[list[object] | None] | None:
    """The lists of the parts that a class of `COLUMNS` is made of; None for other classes."""
    kind = _COLUMNS.get(key)
    if kind is None:
        return None
    if value is None:  # nothing in it is a float
        return [None] * count
    if kind == "set":
        return [list(value)]
    if kind == "dict":
        return [list(value), list(value.values())] if isinstance(value, dict) else [None, list(value)]
    return [[row[k] for row in value] for k in range(count)]


# ------------------------------------------------------------------------------------- classes and a cached signature


def classes_of(entities: Iterable[Entity | None]) -> dict[str, type | None]:
    """The classes that entities refer to, by key; None for an ambiguous key."""
    found: dict[str, type | None] = {}
    pending = [e for e in entities if e is not None]
    seen: set[int] = set()
    while pending:
        e = pending.pop()
        if id(e) in seen:
            continue
        seen.add(id(e))
        match e:
            case RecordClass(key=key, handle=cls):
                if found.setdefault(key, cls) is not cls:
                    found[key] = None
                pending += [n for f in e.fields if f.note is not None for n in _records(f.note, f.scope)]
            case Annotation(node=node, scope=scope):
                pending += _records(node, scope)
            case RecordConstant(record=record, items=items):
                pending += [record, *(i for i in items if isinstance(i, RecordConstant))]
    return found


_NOWHERE = SourceFile("<annotation>", "")


def _records(note: ast.expr, scope: Scope) -> list[RecordClass]:
    try:
        read = parse_annotation(note, scope, _NOWHERE)
    except Exception:  # noqa: BLE001 - an invalid annotation is reported elsewhere
        return []
    found: list[RecordClass] = []
    pending = [read]
    while pending:
        t = pending.pop()
        if isinstance(t, TupleType):
            found += [t.record] if t.record is not None else []
            pending += t.items
    return found


def tags(signature: Signature) -> list[RecordTag]:
    """The record classes that a signature mentions."""
    found: list[RecordTag] = []

    def visit(s: Structure) -> None:
        if isinstance(s, RecordStructure):
            found.append(s.tag)
        for part in s if isinstance(s, (tuple, RecordStructure)) else ():
            visit(part)

    for p in signature.params:
        visit(p.structure)
    visit(signature.result)
    return found


def distinct(signature: Signature) -> bool:
    """Whether the keys of its classes are unambiguous, so that another process can find them."""
    known: dict[str, object] = {}
    return all(known.setdefault(t.key, t.handle) is t.handle for t in tags(signature))


def attached(signature: Signature, classes: Mapping[str, type | None]) -> Signature | None:
    """The signature with its classes resolved; None if one of them cannot be found."""
    classes = {**classes, **LIBRARY_CLASSES}
    if any(classes.get(t.key) is None for t in tags(signature)):
        return None

    def visit(s: Structure) -> Structure:
        match s:
            case RecordStructure(tag=tag, items=items):
                return RecordStructure(replace(tag, handle=classes[tag.key]), tuple(map(visit, items)))
            case tuple():
                return tuple(map(visit, s))
        return s

    params = tuple(replace(p, structure=visit(p.structure)) for p in signature.params)
    return replace(signature, params=params, result=visit(signature.result))
