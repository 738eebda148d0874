"""Live functions as sources: names are resolved in globals, closure cells and builtins, and every lookup is recorded.

The record lists each looked-up name with its value, so that a call can check within a microsecond whether anything that
the compiled function depends on has changed.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import is_, itemgetter
from types import CellType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType

import numpy as np
from linad_typecheck.names.scope import (
    AFTER, DEFAULT, FACTORY, GIVEN, IMPORTED, SETTER, Applied, Constant, CustomRule, Entity, FunctionSource, Helper,
    Instance, Items, Member, Opaque, RecordClass,
)
from linad_typecheck.names.records import COMPARISONS
from linad_typecheck.signature import ArgRecord

from .. import implementing
from .arguments import described
from .entities import compiled_of, elementwise, entity, fingerprint, is_mark, rules_of, underlying
from .errors import refusal
from .locate import file_of, locate
from .objects import MISSING, PARTIALS, Property, attribute, classes, is_object, items_of, of_parents
from .records import Contents, changeable, classes_of, compared_fields, default_value, initialiser, told

IMPLEMENTS = "%implements "  # prefix of the name of a library function, to look up its user-defined implementation


class NotYet(Exception):
    """A name looked up at decoration is bound later in the module; the check is postponed to the first call."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A recorded lookup: ``name`` in function ``path`` (names from the entry down) was bound to ``value``."""

    scope: LiveScope
    path: str
    name: str
    value: object
    mark: str  # the fingerprint of the value
    code: tuple[object, ...] | None = None  # for functions: code and defaults, which can be reassigned
    held: Contents | None = None  # for lists and dicts of constants

    def holds(self) -> bool:
        """Whether the name still has the same meaning."""
        now = self.scope.raw(self.name)
        if now is self.value:
            if self.held is not None and self.held.same(now):
                return True
            if isinstance(now, np.ndarray) or changeable(now):
                return self.scope.mark(self.name, now) == self.mark
            if self.code is None:
                return True
        elif isinstance(self.value, type) or type(now) is not type(self.value):
            return False  # results are instances of this very class, not of an equal one
        if self.code is not None:
            code = _code(now)
            if code == self.code:
                return True
            if code is not None and code[0] is self.code[0]:
                return False  # the same function with another body or other defaults
        return self.scope.mark(self.name, now) == self.mark


def _path(
    names: dict[str, object], builtins: dict[str, object], first: str, attributes: Iterable[str]
) -> list[tuple[dict, str, object]] | None:
    """The dictionaries in which the parts of a dotted name are found, each with its value; None if a module computes an
    attribute dynamically."""
    path = [(names if first in names else builtins, first)]
    found = []
    for name in attributes:
        d, last = path[-1]
        value = d.get(last, MISSING)
        if not isinstance(value, ModuleType):
            return None
        path.append((vars(value), name))
    for d, name in path:
        if name not in d:
            return None
        found.append((d, name, d[name]))
    return found


@dataclass(slots=True)
class Identities:
    """The lookups, grouped by how to check that they still hold.

    ``bound``: dictionary entries that must be the same object. ``unbound``: names that a dictionary must not contain.
    ``cells``: closure cells that must hold the same object. ``functions``: helpers that must also have the same code
    and defaults. ``others``: lookups that need `Lookup.holds`.
    """

    bound: list[tuple[dict, str, object]] = field(default_factory=list)
    unbound: list[tuple[dict, str]] = field(default_factory=list)
    cells: list[tuple[CellType, object]] = field(default_factory=list)
    functions: list[tuple[FunctionType, CodeType, object]] = field(default_factory=list)
    others: list[Lookup] = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Record:
    """The functions reached from an entry function and the names that they looked up."""

    root: FunctionType
    updates: tuple[str, ...] = ()
    wrt: tuple[str | int, ...] | None = None
    surroundings: Mapping[str, object] = field(default_factory=dict)
    given: Mapping[str, object] = field(default_factory=dict)  # arguments that are looked up like names
    early: bool = False  # at decoration: names further down in the module are not bound yet
    lookups: dict[tuple[str, str], Lookup] = field(default_factory=dict)
    sources: dict[int, tuple[FunctionType, FunctionSource, str]] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    handles: dict[str, type] = field(default_factory=dict)  # classes whose members were looked up, by key
    _sorted: int = -1  # the number of lookups that `_same` covers
    _same: Identities = field(default_factory=Identities)
    # `_same.bound` and `_same.unbound`, by dictionary
    _bound: list[tuple[dict, Callable, tuple]] = field(default_factory=list)
    _unbound: list[tuple[dict, frozenset[str]]] = field(default_factory=list)

    def entry(self) -> FunctionSource:
        """The entry function's source."""
        return self.source(self.root, "", self.updates, self.wrt)

    def source(
        self, f: FunctionType, path: str, updates: tuple[str, ...], wrt: tuple[str | int, ...] | None
    ) -> FunctionSource:
        """The source of a function; always the same object for the same function."""
        known = self.sources.get(id(f))
        if known is not None:
            return known[1]
        file, node = locate(f)
        place = f.__code__.co_filename.replace("/", ":")  # the checker marks nested functions by a slash
        key = f"{place}:{f.__code__.co_firstlineno}:{f.__qualname__}"
        count = self.keys[key] = self.keys.get(key, 0) + 1
        if count > 1:
            key += f"#{count}"
        name = f.__name__ if isinstance(node, ast.FunctionDef) else "<lambda>"
        source = FunctionSource(name, node, file, LiveScope(f, path, self), key, defaults(f), updates, wrt)
        self.sources[id(f)] = (f, source, path)
        return source

    def reached(self) -> tuple[FunctionSource, ...]:
        """The functions that were looked up, starting with the entry."""
        return tuple(source for _, source, _ in self.sources.values())

    def holds(self) -> bool:
        """Whether every recorded name still has the same meaning."""
        self.identities()
        if not self._simply_holds():
            return all(lookup.holds() for lookup in self.lookups.values())
        for lookup in self._same.others:
            if not lookup.holds():
                return False
        return True

    def _simply_holds(self) -> bool:
        for names, get, values in self._bound:
            try:
                if not all(map(is_, get(names), values)):
                    return False
            except KeyError:
                return False
        for names, free in self._unbound:
            if not names.keys().isdisjoint(free):
                return False
        for cell, value in self._same.cells:
            try:
                if cell.cell_contents is not value:
                    return False
            except ValueError:  # it is empty
                return False
        for f, code, defaults in self._same.functions:
            if f.__code__ is not code or f.__defaults__ is not defaults or f.__kwdefaults__ is not None:
                return False
        return True

    def identities(self) -> Identities:
        """Group the lookups for `holds`. Module names are checked together per dictionary."""
        if not self.early and self._sorted == len(self.lookups):
            return self._same
        self._sorted, self._same = len(self.lookups), Identities()
        for lookup in self.lookups.values():
            self._sort(lookup)
        bound: dict[int, tuple[dict, dict[str, object]]] = {}
        unbound: dict[int, tuple[dict, set[str]]] = {}
        for names, name, value in self._same.bound:
            bound.setdefault(id(names), (names, {}))[1][name] = value
        for names, name in self._same.unbound:
            unbound.setdefault(id(names), (names, set()))[1].add(name)
        self._bound = []
        for names, values in bound.values():
            first = next(iter(values))  # repeated, because itemgetter returns no tuple for a single name
            self._bound.append((names, itemgetter(*values, first), (*values.values(), values[first])))
        self._unbound = [(d, frozenset(names)) for d, names in unbound.values()]
        return self._same

    def _sort(self, lookup: Lookup) -> None:
        f, value, same = lookup.scope.function, lookup.value, self._same
        first, *attributes = lookup.name.split(".")
        plain = _plain_function(value)
        helper = plain is not None and plain.__kwdefaults__ is None and _code(value) == lookup.code
        if (
            self.early
            or "::" in lookup.name
            or lookup.name.startswith((IMPLEMENTS, IMPORTED, GIVEN, DEFAULT))
            or (attributes and not isinstance(lookup.scope.raw(lookup.name.rpartition(".")[0]), ModuleType))
            or (lookup.code is not None and not helper)
            or value is MISSING
            or isinstance(value, np.ndarray)
            or changeable(value)
            or lookup.scope.raw(lookup.name) is not value
        ):
            same.others.append(lookup)
            return
        if first in f.__code__.co_freevars:
            if attributes:
                same.others.append(lookup)
                return
            assert f.__closure__ is not None
            same.cells.append((f.__closure__[f.__code__.co_freevars.index(first)], value))
        else:
            path = _path(f.__globals__, f.__builtins__, first, attributes)
            if path is None or path[-1][2] is not value:
                same.others.append(lookup)
                return
            if first not in f.__globals__:
                same.unbound.append((f.__globals__, first))
            same.bound += path
        if lookup.code is not None:
            assert plain is not None
            same.functions.append((plain, plain.__code__, plain.__defaults__))

    def marks(self) -> tuple[tuple[str, str, str], ...]:
        """The record in a form that another process can check: path, name and fingerprint, in order of lookup."""
        return tuple((path, name, lookup.mark) for (path, name), lookup in self.lookups.items())

    def replay(self, marks: tuple[tuple[str, str, str], ...]) -> bool:
        """Repeat the lookups in order; return whether each has the given fingerprint."""
        self.entry()
        for path, name, mark in marks:
            scope = self.scope(path)
            if scope is None:
                return False
            scope.lookup(name)
            if self.lookups[path, name].mark != mark:
                return False
        return True

    def calls_compiled(self) -> bool:
        """Whether a function under `linad.rule` was looked up."""
        return any(compiled_of(lookup.value) is not None for lookup in self.lookups.values())

    def scope(self, path: str) -> LiveScope | None:
        """The scope of the function with the given path."""
        return next((s.scope for _, s, p in self.sources.values() if p == path), None)

    def classes(self, binding: Iterable[object]) -> dict[str, type | None]:
        """The record classes in scope and among the argument types, by key; None for an ambiguous key."""
        found = [entity(lookup.value, "") for lookup in self.lookups.values() if lookup.value is not MISSING]
        pending = list(binding)
        while pending:
            given = pending.pop()
            if isinstance(given, ArgRecord):
                found.append(given.record)
            pending += given.items if isinstance(given, ArgRecord) else given if isinstance(given, tuple) else ()
        return classes_of(found)

    def class_of(self, key: str) -> type | None:
        """A record class by key: one in scope, or one from a module."""
        found = self.handles.get(key) or self.classes(()).get(key)
        if found is None:
            module = max((m for m in sys.modules if key.startswith(f"{m}.")), key=len, default="")
            found = sys.modules.get(module)
            for name in key[len(module) + 1 :].split("."):
                found = getattr(found, name, None)
        if isinstance(found, type):
            self.handles[key] = found
            return found
        return None

    def array(self, key: str) -> np.ndarray:
        """The current value of the module-level array named by `GlobalArray.key`."""
        path, _, name = key.rpartition("/")
        return self.lookups[path, name].scope.raw(name)


@dataclass(frozen=True, eq=False)
class LiveScope:
    """The names visible to one live function."""

    function: FunctionType
    path: str
    record: Record = field(repr=False)

    def lookup(self, name: str) -> Entity | None:
        """The entity of a free name. Attributes of a dotted name are looked up in user modules."""
        value = self.raw(name)
        if value is MISSING and self.record.early and self._bound_later(name):
            raise NotYet(name)
        found, mark = self._answer(name, value)
        code = _code(value) if isinstance(found, Helper | Applied) else None
        held = Contents.of(value) if isinstance(found, Constant) and changeable(value) else None
        self.record.lookups.setdefault((self.path, name), Lookup(self, self.path, name, value, mark, code, held))
        return found

    def member(self, record: RecordClass, name: str) -> Member | None:
        """A class attribute other than a field, looked up like a name: ``key of the class::name``."""
        cls = record.handle
        plain = name.partition(AFTER)[0].removesuffix(SETTER)
        known = plain in record.others or plain.startswith(("__", FACTORY))
        if not isinstance(cls, type) or not known or self.record.handles.setdefault(record.key, cls) is not cls:
            return None
        raw = _of_the_class(cls, name)
        if raw is MISSING or (isinstance(raw, FunctionType) and raw.__code__.co_filename == "<string>"):
            return None
        made = isinstance(raw, tuple) and name in COMPARISONS
        kind = "compares" if made else next((k for t, k in _MEMBERS.items() if isinstance(raw, t)), "value")
        if kind not in ("value", "compares") and underlying(_plain(raw)) is None:
            return None
        found = self.lookup(f"{record.key}::{name}")
        return None if found is None else Member(kind, found)

    def implementation(self, dotted: str) -> FunctionSource | None:
        """The `linad.implements` definition of a library function, looked up like a name."""
        found = self.lookup(f"{IMPLEMENTS}{dotted}")
        return found.function if isinstance(found, Helper) else None

    def implemented(self) -> frozenset[str]:
        """The library functions with a `linad.implements` definition."""
        return frozenset(implementing.names())

    def names(self) -> tuple[str, ...]:
        """All names in scope."""
        f = self.function
        return tuple(dict.fromkeys((*f.__code__.co_freevars, *f.__globals__, *f.__builtins__)))

    def raw(self, name: str) -> object:
        """The object that a name is currently bound to; `MISSING` if unbound."""
        if name.startswith(IMPLEMENTS):
            return implementing.registered(name.removeprefix(IMPLEMENTS)) or MISSING
        if name.startswith(IMPORTED):
            return self._imported(*name.removeprefix(IMPORTED).split(":", 1))
        if "::" in name:
            key, _, path = name.rpartition("::")
            cls, (own, *rest) = self.record.class_of(key), path.split(".")
            return MISSING if cls is None else self._walked(_plain(_of_the_class(cls, own)), rest)
        first, *attributes = name.split(".")
        f, root = self.function, self.record.root
        if first.startswith(DEFAULT):
            return self._walked(dict(_defaults(f)).get(first.removeprefix(DEFAULT), MISSING), attributes)
        if first.startswith(GIVEN):
            return self._walked(self.record.given.get(first.removeprefix(GIVEN), MISSING), attributes)
        if f is root and self.record.early and first == f.__code__.co_name and not attributes:
            return f  # whatever the name is bound to before the decorator returns
        free = f.__code__.co_freevars
        if first in free:
            try:
                value = f.__closure__[free.index(first)].cell_contents
            except ValueError:
                return MISSING
        else:
            value = f.__globals__.get(first, MISSING)
            if value is MISSING:
                value = f.__builtins__.get(first, MISSING)
            if value is MISSING:
                value = self.record.surroundings.get(first, MISSING)
        return self._walked(value, attributes)

    @staticmethod
    def _walked(value: object, attributes: Iterable[str]) -> object:
        for name in attributes:
            value = attribute(value, name)
        return value

    def _imported(self, module: str, attributes: str) -> object:
        """What an import statement inside the function would import."""
        try:
            value = importlib.import_module(module, self.function.__globals__.get("__package__"))
        except Exception:  # noqa: BLE001 - an import may raise anything
            return MISSING
        for step in filter(None, attributes.split(".")):
            found = getattr(value, step, MISSING) if isinstance(value, ModuleType) else MISSING
            if found is MISSING and isinstance(value, ModuleType):
                return self._imported(f"{value.__name__}.{step}", "")
            value = found
        return value

    def mark(self, name: str, value: object) -> str:
        """The fingerprint of the current meaning of a name."""
        return self._answer(name, value)[1]

    def _answer(self, name: str, value: object) -> tuple[Entity | None, str]:
        if value is MISSING:
            return None, "nothing"
        found = entity(value, f"{self.path}/{name}")
        if isinstance(found, Opaque) and (applied := self._applied(name, value)) is not None:
            return applied
        if found is not None:
            return found, fingerprint(value)
        f, updates, wrt = underlying(value)
        source = self.record.source(f, f"{self.path}/{name}", updates, wrt)
        if elementwise(value):
            return Helper(replace(source, elementwise=True, key=f"{source.key}/each")), f"each {source_mark(source)}"
        given = rules_of(value)
        if given is not None:
            rules, nondiff = given
            rule, marks = None, [source_mark(source)]
            for kind, functions in reversed(rules):
                of_rule = [
                    None if g is None else self._of_rule(g, f"{self.path}/{name}.{kind}.{k}")
                    for k, g in enumerate(functions)
                ]
                rule = CustomRule(kind, tuple(of_rule), nondiff, rule)
                marks += [kind, *("" if g is None else source_mark(g) for g in of_rule)]
            compiled = compiled_of(value)
            return Helper(replace(source, rule=rule, compiled=compiled)), f"{nondiff} {compiled} {marks}"
        if getattr(type(value), "__linad_again__", False):
            return Helper(source.run_again()), f"again {source_mark(source)}"
        return Helper(source), source_mark(source)

    def _applied(self, name: str, value: object) -> tuple[Entity, str] | None:
        """The entity of a method, a partial application, a property, or an object whose attributes are looked up in
        turn."""
        if type(value) in PARTIALS:
            value = PARTIALS[type(value)](value)
        match value:
            case Property(function=f, of=of):
                function, mark = self._answer(f"{name}.fget", f)
                return Applied(function, (self._instance(name.rpartition(".")[0], of),), now=True), f"property {mark}"
            case MethodType(__func__=f, __self__=of):
                function, mark = self._answer(f"{name}.__func__", f)
                home = name.rpartition(".")[0]
                place = home if home and self.raw(home) is of else f"{name}.__self__"
                return Applied(function, (self._instance(place, of),)), f"method {mark}"
            case functools.partial(func=f, args=args, keywords=keywords):
                found = [self.lookup(f"{name}.{place}") for place in ("func", *(f"args.{k}" for k in range(len(args))))]
                named = tuple((k, self.lookup(f"{name}.keywords.{k}")) for k in keywords)
                return Applied(found[0], tuple(found[1:]), named), f"partial {len(args)} {tuple(keywords)}"
        if type(value) in (tuple, list, dict, set, frozenset) and (of := items_of(value)) is not None:
            record, count = of
            found = [self.lookup(f"{name}.{k}") for k in range(count)]
            return None if None in found else (Items(record, tuple(found)), f"items {record!r} {count}")
        if not is_object(value) or is_mark(value):
            return None
        made = self._instance(name, value)
        return made, f"object {made.classes} {made.made}"

    def _instance(self, name: str, value: object) -> Instance:
        made = entity(value, "") if isinstance(value, type) else None
        if not isinstance(value, type):
            return Instance(name, f"{self.path}/{name}", classes(value), self)
        others = tuple(n for n in dir(value) if not n.startswith("__"))
        told = made if isinstance(made, Opaque) else None
        return Instance(name, f"{self.path}/{name}", classes(value), self, told, value, others, _made_by(value))

    def _of_rule(self, function: object, path: str) -> FunctionSource:
        """The source of one of the functions of a custom rule."""
        found = underlying(function)
        if found is None:
            raise refusal("bad-rule", f"a rule is given by functions, got {described(function)}")
        return self.record.source(found[0], path, found[1], found[2])

    def _bound_later(self, name: str) -> bool:
        if name in self.function.__code__.co_freevars:
            return True
        file = file_of(self.function)
        if file is not None and name.startswith(IMPLEMENTS):
            return (
                re.search(rf"\bimplements\([^)]*\b{re.escape(name.rpartition('.')[2])}\b", file.source.text) is not None
            )
        return file is not None and name in file.bound


def _made_by(cls: type) -> str:
    """What a call of a class runs on an empty object: its `__init__`, "nothing", or more than can be followed
    (empty)."""
    if cls.__new__ is not object.__new__ or type(cls).__call__ is not type.__call__:
        return ""
    return "nothing" if cls.__init__ is object.__init__ else "__init__"


_MEMBERS: dict[type, str] = {
    FunctionType: "method",
    property: "property",
    functools.cached_property: "cached",
    staticmethod: "static",
    classmethod: "class",
}


def _of_the_class(cls: type, name: str) -> object:
    """A class attribute by name, with the suffixes that `names.scope` gives to names."""
    if name.startswith(FACTORY):
        made = getattr(cls, "__dataclass_fields__", {}).get(name.removeprefix(FACTORY))
        return MISSING if made is None or made.default_factory is dataclasses.MISSING else made.default_factory
    name, after, home = name.partition(AFTER)
    plain = name.removesuffix(SETTER)
    found = of_parents(cls, plain, home) if after else inspect.getattr_static(cls, plain, MISSING)
    if plain == "__init__" and not after:
        found = initialiser(cls) or found
    if plain in COMPARISONS:
        found = compared_fields(found, cls, plain) or found
    if plain == name:
        return found
    if isinstance(found, property):
        return found.fset or MISSING
    return MISSING if isinstance(found, MemberDescriptorType) else vars(type(found)).get("__set__", MISSING)


def _plain(member: object) -> object:
    """The function of a class member (static method, property, ...); anything else unchanged."""
    match member:
        case property(fget=f) | functools.cached_property(func=f) | staticmethod(__func__=f) | classmethod(__func__=f):
            return f
    return member


def defaults(f: FunctionType) -> tuple[tuple[str, object], ...]:
    """The default values of a function by parameter name."""
    return tuple((name, default_value(value)) for name, value in _defaults(f))


def _defaults(f: FunctionType) -> list[tuple[str, object]]:
    code = f.__code__
    positional = code.co_varnames[: code.co_argcount]
    values = f.__defaults__ or ()
    return [*zip(positional[len(positional) - len(values) :], values), *(f.__kwdefaults__ or {}).items()]


def source_mark(source: FunctionSource) -> str:
    """A fingerprint of a function's text, position, defaults and options."""
    node = source.node
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    text = "\n".join(source.source.lines[first - 1 : node.end_lineno])
    values = tuple((name, told(value)) for name, value in source.defaults)
    spot = (source.source.name, first, node.col_offset, source.key)
    described = repr((text, spot, values, source.updates, source.wrt))
    return f"function {hashlib.sha256(described.encode()).hexdigest()}"


def _plain_function(value: object) -> FunctionType | None:
    """The plain function under a helper that is nothing else: itself, or the one that was decorated or jitted."""
    found = underlying(value)
    if found is None or rules_of(value) is not None or compiled_of(value) is not None:
        return None
    return found[0] if found[0] in (value, getattr(value, "py_func", None)) else None


def _code(value: object) -> tuple[object, ...] | None:
    """The parts of a checked helper that can be reassigned at run time."""
    if isinstance(value, MethodType | Property):
        of, f = (value.__self__, value.__func__) if isinstance(value, MethodType) else (value.of, value.function)
        code = _code(f)
        return None if code is None else (*code, id(of))
    if isinstance(value, functools.partial) or type(value) in PARTIALS:
        return (value,)
    found = underlying(value)
    if found is None:
        return None
    f, updates, wrt = found
    given = rules_of(value)
    rule = () if given is None else (given[1], *((kind, *map(_code, of)) for kind, of in given[0]))
    return (f, f.__code__, id(f.__defaults__), repr(f.__kwdefaults__), updates, wrt, *rule, compiled_of(value))
