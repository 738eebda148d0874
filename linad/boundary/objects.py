"""Instances of user classes: attributes are read one by one, like names of a module, without running user code."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from types import (
    CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType, SimpleNamespace,
    UnionType,
)
from typing import Any
from weakref import WeakKeyDictionary

from linad_typecheck.names.scope import AFTER, FOREIGN, LIBRARIES, LIST, MOST_KEYS, RecordClass, dict_class

from .records import MEANING, initialiser

MISSING = object()
# partial applications that stand for objects of linad, by class
PARTIALS: dict[type, Callable[[Any], functools.partial[Any]]] = {}
_SLOTS = (MemberDescriptorType, GetSetDescriptorType)


@dataclass(frozen=True, eq=False)
class Property:
    """A property of an object: the function that computes it, and the object."""

    function: FunctionType
    of: object


class Given:
    """An argument that is part of the specialisation. Two of them are equal if no call can distinguish them."""

    def __init__(self, value: object) -> None:
        self.value = value
        self._key = _same(value)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Given)
            and len(self._key) == len(other._key)
            and all(a is b for a, b in zip(self._key, other._key, strict=True))
        )

    def __hash__(self) -> int:
        return hash(tuple(map(id, self._key)))

    def __repr__(self) -> str:
        return "<given>"  # its contents are among the recorded lookups


def _same(value: object) -> tuple[object, ...]:
    """The objects whose identity determines whether two functions from the same source are the same."""
    if isinstance(value, FunctionType):
        cells = tuple(_content(c) for c in value.__closure__ or ())
        return (value.__code__, *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values(), *cells)
    if isinstance(value, MethodType):
        return (value.__func__, value.__self__)
    return (value,)


def _content(cell: object) -> object:
    try:
        return cell.cell_contents  # type: ignore[attr-defined]
    except ValueError:
        return MISSING


def is_object(value: object) -> bool:
    """Whether a value is an instance of a Python class, outside libraries, whose attributes can be read."""
    cls = type(value)
    if isinstance(value, type):
        return _plain_class(value)
    if isinstance(value, UnionType):
        return True
    # e.g. `sys.float_info`
    if isinstance(value, SimpleNamespace) or (isinstance(value, tuple) and hasattr(cls, "n_sequence_fields")):
        return True
    return _plain_class(cls) and not isinstance(value, (BaseException, type))


def _plain_class(cls: type) -> bool:
    heap = bool(cls.__flags__ & (1 << 9))
    root = (cls.__module__ or "").partition(".")[0]
    own = not issubclass(cls, (BaseException, type)) and "__getattribute__" not in {
        n for c in cls.__mro__[:-1] for n in vars(c)
    }
    return (
        heap
        and own
        and root not in (*LIBRARIES, *FOREIGN)
        and (root == "__main__" or root not in sys.stdlib_module_names)
    )


def is_callable(value: object) -> bool:
    """Whether an argument is a function, a method or a callable object."""
    if type(value) in PARTIALS or hasattr(type(value), "__linad_source__"):
        return True
    return isinstance(value, (FunctionType, MethodType, functools.partial, functools._lru_cache_wrapper)) or (
        is_object(value)
    )


def attribute(value: object, name: str) -> object:
    """An attribute of a module, object, method or partial application, read without running user code."""
    if type(value) in PARTIALS:
        value = PARTIALS[type(value)](value)
    if isinstance(value, ModuleType):
        return getattr(value, name, MISSING)
    if isinstance(value, (tuple, list, dict, set, frozenset)) and name.isdigit():
        items = list(value.values() if isinstance(value, dict) else value)
        return items[int(name)] if int(name) < len(items) else MISSING
    if isinstance(value, dict):  # the keywords of a partial application
        return value.get(name, MISSING)
    if isinstance(value, FunctionType):  # as decorators leave them: `wrapper.plain = f`
        return vars(value).get(name, MISSING)
    if isinstance(value, UnionType):
        return value.__args__ if name == "__args__" else MISSING
    if isinstance(value, (MethodType, functools.partial)):
        return getattr(value, name, MISSING)
    if not is_object(value):
        return MISSING
    name, after, home = name.partition(AFTER)
    found = of_parents(type(value), name, home) if after else inspect.getattr_static(value, name, MISSING)
    if isinstance(value, type):
        if name == "__init__":
            found = initialiser(value) or found
        return MISSING if after else _of_class(value, found)
    if found is MISSING and (inner := _forwards(type(value))) is not None and inner != name:
        of = attribute(value, inner)
        return MISSING if of is MISSING else attribute(of, name)
    if isinstance(found, _SLOTS):
        return getattr(value, name, MISSING)
    own = getattr(value, "__dict__", {})
    if name in own and own[name] is found:
        return found
    match found:
        case FunctionType():
            return MethodType(found, value)
        case property(fget=FunctionType() as f) | functools.cached_property(func=FunctionType() as f):
            return Property(f, value)
    return _of_class(type(value), found)


def of_parents(cls: type, name: str, home: str) -> object:
    """The attribute that ``super().name`` finds in a method of the class ``home``, for an object of ``cls``."""
    order = [f"{c.__module__}.{c.__qualname__}".replace(".", "/") for c in cls.__mro__]
    rest = cls.__mro__[order.index(home) + 1 :] if home in order else ()
    found = next((c for c in rest if name in vars(c)), None)
    return MISSING if found is None else (name == "__init__" and initialiser(found)) or vars(found)[name]


def _forwards(cls: type) -> str | None:
    """The attribute to which the objects of a class forward all others, if its ``__getattr__`` consists of ``return
    getattr(self.module, name)``. The method is read, not run."""
    method = inspect.getattr_static(cls, "__getattr__", None)
    return _forwarded(method.__code__, method) if isinstance(method, FunctionType) else None


def _forwarded(code: CodeType, method: FunctionType) -> str | None:
    if code not in _FORWARDED:
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
            (now,) = (c for c in compile(tree, "", "exec").co_consts if isinstance(c, CodeType))
        except (OSError, TypeError, SyntaxError, ValueError):
            now = None
        # the file may have changed since
        same = now is not None and (now.co_code, now.co_names) == (code.co_code, code.co_names)
        _FORWARDED[code] = _inner(tree.body[0]) if same else None
    return _FORWARDED[code]


def _inner(node: ast.stmt) -> str | None:
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return None
    body = node.body[ast.get_docstring(node) is not None :]
    match [a.arg for a in node.args.args], body:
        case [own, name], [
            ast.Return(
                ast.Call(
                    func=ast.Name("getattr"),
                    args=[ast.Attribute(value=ast.Name(first), attr=inner), ast.Name(second)],
                    keywords=[],
                )
            )
        ] if (first, second) == (own, name):
            return inner
    return None


_FORWARDED: WeakKeyDictionary[CodeType, str | None] = WeakKeyDictionary()


def _of_class(cls: type, found: object) -> object:
    match found:
        case staticmethod(__func__=f):
            return f
        case classmethod(__func__=f):
            return MethodType(f, cls)
        case _ if hasattr(type(found), "__get__") and not isinstance(found, (FunctionType, type)):
            return MISSING
    return found


def items_of(
    value: tuple[object, ...] | list[object] | dict[object, object] | set[object] | frozenset[object],
) -> tuple[RecordClass | None, int] | None:
    """How the checker represents a tuple, list, dict or set, and its number of items; None if there are too many or the
    keys are unsupported. A set is represented as a tuple."""
    if isinstance(value, dict):
        known = len(value) <= MOST_KEYS and all(
            isinstance(k, Enum) or type(k) in (str, int, float, bool, tuple) for k in value
        )
        keys = tuple(MEANING["member"](k) if isinstance(k, Enum) else k for k in value)
        return (dict_class(keys), len(value)) if known else None
    return (LIST if isinstance(value, list) else None, len(value)) if len(value) <= MOST_KEYS else None


def classes(value: object) -> tuple[str, ...]:
    """The classes of an object in method resolution order, by module and qualified name."""
    return tuple(
        f"{c.__module__}.{c.__qualname__}" for c in (value if isinstance(value, type) else type(value)).__mro__
    )
