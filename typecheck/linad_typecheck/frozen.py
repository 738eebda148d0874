"""``@frozen``: frozen dataclasses that cost almost nothing until the first instance is created.

`dataclasses.dataclass` generates and compiles about six methods per class. There are two hundred classes here, most of
them messages that a given file never needs, and those methods took two thirds of the import time: an editor's first
diagnostics, commit hooks and ``import linad`` waited for them. Here a constructor is compiled when the first instance
is created. The other methods are plain functions based on `operator.attrgetter`, and as fast as generated ones.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass
from operator import attrgetter
from types import MemberDescriptorType, SimpleNamespace
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
Fields = dict[str, Field]


@dataclass(eq=False, repr=False)
class _Plain:
    field: int


_KIND = dataclasses.fields(_Plain)[0]._field_type  # type: ignore[attr-defined]  # by which `dataclasses` knows a field


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, slots: bool = False, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def frozen(cls=None, /, *, slots=False, eq=True, repr=True):
    """``dataclass(frozen=True)``, with a fast import.

    The class is a dataclass in every other respect: for `dataclasses.fields`, `replace` and `asdict`, for ``match``,
    `pickle` and `copy`. It may derive from frozen dataclasses, and they from it. ``InitVar``, ``kw_only`` and
    ``order`` are not supported.

    Parameters
    ----------
    slots
        For classes that are instantiated at each node of a program. Assignment to a field does not raise at run time,
        with which construction would take three times as long; type checkers reject it.
    eq, repr
        As in `dataclasses.dataclass`.
    """
    return (lambda c: _made(c, slots, eq, repr)) if cls is None else _made(cls, slots, eq, repr)


def _made(cls: type, slots: bool, eq: bool, repr: bool) -> type:
    fields: Fields = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(base.__dict__.get("__dataclass_fields__", {}))
    fields.update(_own(cls))
    _in_order(cls, fields)
    if slots:
        cls = _with_slots(cls, fields)
    cls.__dataclass_fields__ = fields
    options = {"init": True, "repr": repr, "eq": eq, "order": False, "unsafe_hash": False, "frozen": True}
    cls.__dataclass_params__ = SimpleNamespace(
        **options, match_args=True, kw_only=False, slots=slots, weakref_slot=False
    )
    cls.__match_args__ = tuple(n for n, f in fields.items() if f.init)
    cls.__init__ = _first_constructor(cls, fields)
    if not slots:
        cls.__setattr__, cls.__delattr__ = _refuse("assign to"), _refuse("delete")
    if slots:
        cls.__getstate__, cls.__setstate__ = _state(tuple(fields))
    if repr and "__repr__" not in cls.__dict__:
        cls.__repr__ = _shown(tuple(n for n, f in fields.items() if f.repr))
    if eq:
        _compared(cls, fields)
    return cls


def _own(cls: type) -> Fields:
    """The fields that the class itself declares. Their defaults become attributes."""
    found: Fields = {}
    for name, note in cls.__annotations__.items():
        if "ClassVar" in str(note):
            continue
        given = cls.__dict__.get(name, MISSING)
        f = given if isinstance(given, Field) else dataclasses.field(default=given)
        if isinstance(f.default, (list, dict, set)):
            raise ValueError(f"mutable default for field {name} is not allowed: use default_factory")
        f.name, f.type, f._field_type, f.kw_only = name, note, _KIND, False  # type: ignore[attr-defined]
        if f.default is not MISSING:
            setattr(cls, name, f.default)
        elif given is not MISSING:
            delattr(cls, name)
        found[name] = f
    return found


def _in_order(cls: type, fields: Fields) -> None:
    required = [f.init and f.default is MISSING and f.default_factory is MISSING for f in fields.values()]
    if any(required) and True in required[required.index(False) if False in required else len(required) :]:
        late = [n for (n, f), r in zip(fields.items(), required, strict=True) if r][-1]
        raise TypeError(f"non-default argument {late!r} of {cls.__name__} follows default argument")


def _with_slots(cls: type, fields: Fields) -> type:
    """The class created again with slots, which cannot be added to an existing class."""
    inherited = {n for base in cls.__mro__[1:-1] for n in base.__dict__.get("__slots__", ())}
    body = {k: v for k, v in cls.__dict__.items() if k not in fields and k not in ("__dict__", "__weakref__")}
    body["__slots__"] = tuple(n for n in fields if n not in inherited)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


# ------------------------------------------------------------------------------------------------------------- methods


def _first_constructor(cls: type, fields: Fields) -> Callable[..., None]:
    """A constructor that compiles and installs the real one at its first call."""
    if "__init__" in cls.__dict__:
        return cls.__dict__["__init__"]

    def __init__(self, *args: object, **kwargs: object) -> None:
        made = _constructor(cls, fields)
        cls.__init__ = made  # type: ignore[misc]
        made(self, *args, **kwargs)

    return __init__


def _constructor(cls: type, fields: Fields) -> Callable[..., None]:
    known: dict[str, object] = {"_set": object.__setattr__, "_missing": MISSING}
    params, body = ["self"], []
    for k, (name, f) in enumerate(fields.items()):
        value, made = name if f.init else f"_{k}", f.default_factory is not MISSING
        if made or f.default is not MISSING:
            known[f"_{k}"] = f.default_factory if made else f.default
        if f.init:
            params.append(f"{name}=_missing" if made else f"{name}=_{k}" if f"_{k}" in known else name)
        if made:
            value = f"_{k}() if {name} is _missing else {name}" if f.init else f"_{k}()"
        elif not f.init and f.default is MISSING:
            continue
        slot = getattr(cls, name, None)
        if cls.__setattr__ is object.__setattr__:
            body.append(f" self.{name} = {value}")
        elif isinstance(slot, MemberDescriptorType):  # a third faster than a lookup by name
            known[f"_set{k}"] = slot.__set__
            body.append(f" _set{k}(self, {value})")
        else:
            body.append(f" _set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    # built from names of fields and defaults only
    exec(f"def __init__({', '.join(params)}):\n" + "\n".join(body or [" pass"]), known)
    made_ = known["__init__"]
    made_.__qualname__ = f"{cls.__qualname__}.__init__"  # type: ignore[attr-defined]
    return made_  # type: ignore[return-value]


def _refuse(what: str) -> Callable[..., None]:
    def refuse(self, name: str, *value: object) -> None:
        raise FrozenInstanceError(f"cannot {what} field {name!r}")

    return refuse


def _state(names: tuple[str, ...]) -> tuple[Callable[..., Any], Callable[..., None]]:
    def __getstate__(self) -> list[object]:
        return [getattr(self, n) for n in names]

    def __setstate__(self, state: Iterable[object]) -> None:
        for n, value in zip(names, state, strict=True):
            object.__setattr__(self, n, value)

    return __getstate__, __setstate__


def _shown(names: tuple[str, ...]) -> Callable[[Any], str]:
    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"

    return __repr__


def _compared(cls: type, fields: Fields) -> None:
    compared = [n for n, f in fields.items() if f.compare]
    values = _values(compared)
    hashed = _values([n for n, f in fields.items() if (f.compare if f.hash is None else f.hash)])

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def same(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        one, two = values(self), values(other)
        return one is two or one == two  # as in tuples: nan equals itself

    def __hash__(self) -> int:
        return hash(hashed(self))

    if "__eq__" not in cls.__dict__:
        cls.__eq__ = same if len(compared) == 1 else __eq__  # type: ignore[method-assign, assignment]
    if cls.__dict__.get("__hash__") is None:
        cls.__hash__ = __hash__  # type: ignore[method-assign]


def _values(names: list[str]) -> Callable[[Any], object]:
    """A function that returns the values of fields: a tuple of several, or the single value."""
    return attrgetter(*names) if names else lambda self: ()
