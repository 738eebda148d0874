"""Copies of the user's functions in which ``math``, ``numpy`` and some builtins accept `Active` values.

A copy has the same code object and a patched dictionary of globals. Helpers that the function calls, closures and
checked functions are copied in the same way.
"""

from __future__ import annotations

import builtins
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..structures import parts, rebuilt
from .active import Active, ActiveArray
from .shims import builtin_shims, math_shims, numpy_shims


_LIBRARIES = ("numpy", "linad", "jaxtyping", "dataclasses", "collections", "copy")


class Library:
    """A module with some names replaced. Its other functions reject values that carry derivatives."""

    def __init__(self, module: types.ModuleType, shims: dict[str, Any], kind: type[Active]) -> None:
        self._module = module
        self._shims = shims
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        if name in self._shims:
            return self._shims[name]
        real = getattr(self._module, name)
        plain_function = callable(real) and not isinstance(real, type)
        return guard(f"{self._module.__name__}.{name}", real, self._kind) if plain_function else real


def guard(name: str, real: Callable[..., Any], kind: type[Active]) -> Callable[..., Any]:
    """Wrap a library function without a derivative rule: it rejects active values, and its float arrays become active.
    """

    def guarded(*args: Any, **options: Any) -> Any:
        if any(isinstance(x, (Active, ActiveArray)) for x in (*args, *options.values())):
            raise TypeError(f"{name} has no derivative here")
        out = real(*args, **options)
        return ActiveArray.constant(out, kind) if isinstance(out, np.ndarray) and out.dtype.kind == "f" else out

    return guarded


class Rebinder:
    """Makes the copies for one run; copies each function and each dictionary of globals once."""

    def __init__(self, kind: type[Active]) -> None:
        self.kind = kind
        self.math = Library(math, math_shims(kind), kind)
        self.numpy = Library(np, numpy_shims(kind), kind)
        self.builtins = {**vars(builtins), **builtin_shims(kind)}
        self.by_identity = {
            id(getattr(module, name)): shim
            for module, library in ((math, self.math), (np, self.numpy), (builtins, None))
            for name, shim in (library._shims if library else builtin_shims(kind)).items()
            if hasattr(module, name)
        }
        self.functions: dict[int, types.FunctionType] = {}
        self.globals: dict[int, dict[str, Any]] = {}

    def function(self, f: Callable[..., Any]) -> types.FunctionType:
        f = getattr(f, "py_func", f)
        if not isinstance(f, types.FunctionType):
            raise TypeError(f"not a plain Python function: {f!r}")
        if id(f) in self.functions:
            return self.functions[id(f)]
        scope = self.globals.setdefault(id(f.__globals__), {"__builtins__": self.builtins})
        copy = types.FunctionType(f.__code__, scope, f.__name__, f.__defaults__, self._empty_cells(f))
        copy.__kwdefaults__ = f.__kwdefaults__
        self.functions[id(f)] = copy
        for name in names_of(f.__code__):
            if name not in scope and name in f.__globals__:
                scope[name] = self.value(f.__globals__[name])
        for old, new in zip(f.__closure__ or (), copy.__closure__ or (), strict=True):
            new.cell_contents = self.value(old.cell_contents)
        return copy

    @staticmethod
    def _empty_cells(f: types.FunctionType) -> tuple[types.CellType, ...] | None:
        return None if f.__closure__ is None else tuple(types.CellType() for _ in f.__closure__)

    def value(self, x: Any) -> Any:
        """The replacement for the value of a free name."""
        if x is math:
            return self.math
        if x is np:
            return self.numpy
        if id(x) in self.by_identity:
            return self.by_identity[id(x)]
        if isinstance(x, np.ndarray) and x.dtype.kind == "f":
            return ActiveArray.constant(x, self.kind)
        if isinstance(x, (float, np.floating)):
            return self.kind.constant(x)
        items = parts(x)
        if items is not None:
            return rebuilt(x, map(self.value, items))
        if isinstance(getattr(x, "py_func", None), types.FunctionType):
            return self.function(x)
        if isinstance(x, types.FunctionType) and x.__module__.partition(".")[0] not in _LIBRARIES:
            return self.function(x)
        return x


def names_of(code: types.CodeType) -> Iterator[str]:
    """The names that a code object and its nested code objects may look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_of(constant)
