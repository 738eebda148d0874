"""Objects derived from a function, such as its checked form and derivatives: created once, and kept as long as the
function."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, MutableMapping
from types import FunctionType
from typing import Any, TypeVar

from . import specialise

T = TypeVar("T")

NAME = "__linad_transforms__"  # the attribute of a plain function that holds them


class Transforms(dict[object, Any]):
    """The objects derived from a plain function, stored in the function's own namespace.

    A table with weak references to functions would keep them alive, because the derived objects refer to the function.
    """

    def __init__(self, f: FunctionType) -> None:
        self.function = weakref.ref(f)

    def __reduce__(self) -> tuple[object, ...]:
        return type(None), ()  # another process creates its own


def transforms_of(f: FunctionType) -> Transforms:
    """The objects derived from a plain function."""
    while True:
        found = once(vars(f), NAME, lambda: Transforms(f))
        if isinstance(found, Transforms) and found.function() is f:
            return found
        vars(f).pop(NAME, None)  # copied from another function's namespace by `functools.wraps`


def once(known: MutableMapping[Any, Any], key: object, make: Callable[[], T]) -> T:
    """The value of a table under a key, created on first use by a single thread."""
    found = known.get(key)
    if found is None:
        with specialise.lock:
            found = known.get(key)
            if found is None:
                found = known[key] = make()
    return found


def public(names: Iterable[str]) -> list[str]:
    """The attributes of an object that completion shows: public ones, and Python's special ones."""
    return [name for name in names if not name.startswith("_") or name.endswith("__")]
