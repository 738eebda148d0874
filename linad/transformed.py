"""What is made of a function, its checked form and derivatives, is made once and lives as long as the function does."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, MutableMapping
from types import FunctionType
from typing import Any, TypeVar

from . import specialise

T = TypeVar("T")

NAME = "__linad_transforms__"  # where a plain function holds them


class Transforms(dict[object, Any]):
    """What was made of a plain function, held in the function's own namespace.

    A table of weak references beside the functions would keep them alive, for what is made of a function refers to it.
    """

    def __init__(self, f: FunctionType) -> None:
        self.function = weakref.ref(f)

    def __reduce__(self) -> tuple[object, ...]:
        return type(None), ()  # another process makes its own


def transforms_of(f: FunctionType) -> Transforms:
    """What was made of a plain function."""
    while True:
        found = once(vars(f), NAME, lambda: Transforms(f))
        if isinstance(found, Transforms) and found.function() is f:
            return found
        vars(f).pop(NAME, None)  # of the function whose namespace `functools.wraps` has copied


def once(known: MutableMapping[Any, Any], key: object, make: Callable[[], T]) -> T:
    """What a table has under a key, made at the first call, by one thread."""
    found = known.get(key)
    if found is None:
        with specialise.lock:
            found = known.get(key)
            if found is None:
                found = known[key] = make()
    return found


def public(names: Iterable[str]) -> list[str]:
    """The attributes of an object that completion shows: those without an underscore in front, and Python's own."""
    return [name for name in names if not name.startswith("_") or name.endswith("__")]
