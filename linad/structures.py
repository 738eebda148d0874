"""Nested tuples, records and complex numbers of Python: taking them apart and rebuilding them."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def is_complex(value: object) -> bool:
    """Whether a value is a complex number, or an array of them."""
    return isinstance(value, complex | np.complexfloating) or (isinstance(value, np.ndarray) and value.dtype.kind == "c")


def complex_of(real: Any, imag: Any) -> Any:
    """A complex number of its parts, or an array of them; Python's of Python's numbers.

    Examples
    --------
    >>> complex_of(1.0, 2.0)
    (1+2j)
    """
    if type(real) is float and type(imag) is float:
        return complex(real, imag)
    both = np.empty(np.shape(real), np.result_type(real, np.complex64))
    both.real, both.imag = real, imag
    return both if isinstance(real, np.ndarray) else both[()]


def parts(value: Any) -> tuple[Any, ...] | None:
    """The items of a tuple, the fields of a dataclass, or the parts of a complex number; None for anything else.

    Examples
    --------
    >>> parts((1, 2.0)), parts(3.0)
    ((1, 2.0), None)
    """
    if isinstance(value, tuple | list):
        return tuple(value)
    if isinstance(value, dict):
        return tuple(value.values())
    if is_complex(value):
        return value.real, value.imag
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return tuple(getattr(value, f.name) for f in dataclasses.fields(value))
    return None


def rebuilt(value: Any, items: Iterable[Any]) -> Any:
    """A tuple or record like ``value``, with other items of any type."""
    if is_complex(value):
        return complex_of(*items)
    if isinstance(value, list):
        return list(items)
    if isinstance(value, dict):
        return dict(zip(value, items))
    if isinstance(value, tuple):
        return type(value)._make(items) if hasattr(value, "_fields") else tuple(items)
    made = object.__new__(type(value))
    for f, item in zip(dataclasses.fields(value), items, strict=True):
        object.__setattr__(made, f.name, item)
    return made


def map_leaves(f: Callable[[Any], Any], value: Any) -> Any:
    """A structure with ``f`` applied to each leaf.

    Examples
    --------
    >>> map_leaves(lambda x: x + 1, (1, (2, 3)))
    (2, (3, 4))
    """
    items = parts(value)
    return f(value) if items is None else rebuilt(value, [map_leaves(f, x) for x in items])


def leaves(value: Any) -> list[Any]:
    """The leaves of a structure, in order."""
    items = parts(value)
    return [value] if items is None else [leaf for x in items for leaf in leaves(x)]


def annotated(value: Any, annotation: Any) -> list[Any]:
    """The annotation of each part of a tuple or record, or None."""
    items = parts(value) or ()
    if is_complex(value):
        return [None, None]
    if type(value) is tuple:
        given = getattr(annotation, "__args__", ())
        return list(given) if len(given) == len(items) else [None] * len(items)
    if isinstance(value, list | dict):
        return [None] * len(items)
    notes: dict[str, Any] = {}
    for cls in reversed(type(value).__mro__):
        notes |= inspect.get_annotations(cls)
    names = getattr(value, "_fields", None) or [f.name for f in dataclasses.fields(value)]
    return [notes.get(n) for n in names]
