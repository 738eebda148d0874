"""Arguments and results of an undecorated function: lifting to `Active` values, seeding, and collecting gradients."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..structures import annotated, leaves, map_leaves, parts, rebuilt
from .active import Active, ActiveArray
from .rebind import Rebinder

Variable = Callable[[Any], Active]


def is_float(x: Any) -> bool:
    return isinstance(x, (float, np.floating)) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")


def arguments(f: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, ...]:
    """Convert the arguments annotated ``float``, as a checked function does on entry."""
    params = inspect.signature(getattr(f, "py_func", f)).parameters.values()
    kinds = [p.annotation for p in params]
    return tuple(map(_converted, args, kinds)) + tuple(args[len(kinds) :])


def _converted(value: Any, annotation: Any) -> Any:
    if annotation in (float, "float"):
        return float(value)
    items = parts(value)
    return value if items is None else rebuilt(value, map(_converted, items, annotated(value, annotation)))


def lift(x: Any, kind: type[Active], variable: Variable) -> Any:
    """Replace float leaves by variables, in order, and copy int arrays; everything else is kept."""

    def leaf(v: Any) -> Any:
        if isinstance(v, np.ndarray):
            if v.dtype.kind != "f":
                return v.copy()
            cells = np.empty(v.shape, dtype=object)
            for i in np.ndindex(v.shape):
                cells[i] = variable(v[i])
            return ActiveArray(cells, v.dtype, kind)
        return variable(v) if is_float(v) else v

    return map_leaves(leaf, x)


def run(f: Callable[..., Any], lifted: tuple[Any, ...], kind: type[Active], updates: Sequence[str] = ()) -> Any:
    """Run the undecorated function on lifted arguments and return its result.

    With ``updates``, the result is ``(result, *updated arguments)``, or only the updated arguments if the function
    returns None.
    """
    copy = Rebinder(kind).function(f)
    with np.errstate(all="ignore"):
        result = copy(*lifted)
    if not updates:
        return result
    names = list(inspect.signature(getattr(f, "py_func", f)).parameters)
    finals = tuple(lifted[names.index(u)] for u in updates)
    return finals if result is None else (result, *finals)


def strip(x: Any) -> Any:
    """The result with active values replaced by plain numbers."""

    def leaf(v: Any) -> Any:
        if isinstance(v, ActiveArray):
            return v.values
        return v.value if isinstance(v, Active) else v

    return map_leaves(leaf, x)


def pairs(result: Any, cotangent: Any) -> Iterator[tuple[Active, float]]:
    """Pair each active number of a result with its cotangent. That of an object has its attributes in order."""
    if isinstance(result, ActiveArray):
        given = np.asarray(cotangent)
        if given.shape != result.shape:
            raise ValueError(f"the cotangent has shape {given.shape}, the result {result.shape}")
        for i in np.ndindex(result.shape):
            yield result.cells[i], float(given[i])
    elif isinstance(result, Active):
        yield result, float(cotangent)
    elif (items := _items(result)) is not None:
        for r, c in zip(items, _items(cotangent) or (), strict=True):
            yield from pairs(r, c)


def _items(x: Any) -> Any:
    """What a tuple, a dict or an object holds; None for anything else."""
    items = parts(x)
    return vars(x).values() if items is None and hasattr(x, "__dict__") and not callable(x) else items


def collect(args: tuple[Any, ...], numbers: Iterator[float]) -> tuple[Any, ...]:
    """Assemble gradients in the structure of the arguments: one entry per parameter with a float leaf, None for int
    leaves."""

    def leaf(v: Any) -> Any:
        if not is_float(v):
            return None
        if isinstance(v, np.ndarray):
            return np.array([next(numbers) for _ in range(v.size)], dtype=v.dtype).reshape(v.shape)
        return type(v)(next(numbers))

    return tuple(map_leaves(leaf, a) for a in args if has_float(a))


def has_float(x: Any) -> bool:
    return any(map(is_float, leaves(x)))


def bare(gradients: tuple[Any, ...]) -> Any:
    return gradients[0] if len(gradients) == 1 else gradients


def unit_cotangent(value: Any) -> float:
    """The cotangent of a scalar result: 1."""
    if not is_float(value) or isinstance(value, np.ndarray):
        raise TypeError("a gradient needs a function with one float as its result")
    return 1.0
