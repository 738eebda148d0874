"""Copies of the user's functions with other constants and globals. The code object is otherwise the user's own."""

from __future__ import annotations

import builtins
import collections
import inspect
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..structures import annotated, parts, rebuilt
from .names import BUILTINS, MATH, NUMPY, library
from .shim import Arr, Literal, Num, lifted, unwrap, weak, wrap


def _constants(code: types.CodeType) -> types.CodeType:
    """The code with its numeric literals made weak."""

    def convert(c: Any) -> Any:
        match c:
            case types.CodeType():
                return _constants(c)
            case bool() | None | str():
                return c
            case float() | int():
                return Literal(weak(c).value, True)
            case tuple():
                return tuple(convert(x) for x in c)
            case _:
                return c

    return code.replace(co_consts=tuple(convert(c) for c in code.co_consts))


_LIBRARIES = ("numpy", "linad.", "dataclasses", "collections", "copy")


class _Rebinder:
    def __init__(self) -> None:
        self.globals: dict[int, _Globals] = {}
        self.functions: dict[int, types.FunctionType] = {}

    def value(self, value: Any) -> Any:
        """The replacement for the value of a free name."""
        if value is math:
            return MATH
        if value is np:
            return NUMPY
        if value is collections.deque:
            return lambda items=(), maxlen=None: collections.deque(items, maxlen and int(unwrap(maxlen)))
        if isinstance(value, types.ModuleType) and value.__name__.startswith(("scipy.", "numpy.")):
            return library(value)
        plain = getattr(value, "py_func", value)
        if isinstance(plain, types.FunctionType) and not plain.__module__.startswith(_LIBRARIES):
            return self.function(plain)
        if getattr(value, "__module__", None) == "math" or isinstance(value, types.BuiltinFunctionType):
            name = value.__name__
            return getattr(MATH, name) if getattr(math, name, None) is value else BUILTINS.get(name, value)
        if isinstance(value, np.ufunc) or getattr(value, "__module__", "").startswith("numpy"):
            return getattr(NUMPY, value.__name__, None) or lifted(value)
        plain_value = isinstance(value, float | int | np.generic | np.ndarray) or parts(value) is not None
        return wrap(value) if plain_value else value

    def function(self, f: types.FunctionType) -> types.FunctionType:
        if id(f) not in self.functions:
            around = self.globals.get(id(f.__globals__))
            if around is None:
                around = self.globals[id(f.__globals__)] = _Globals(self, f.__globals__)
            cells = tuple(types.CellType() for _ in f.__closure__ or ())
            copy = types.FunctionType(_constants(f.__code__), around.copy, f.__name__, None, cells)
            self.functions[id(f)] = copy  # registered before its names are resolved, since it may refer to itself
            around.add(f.__code__)
            for cell, original in zip(cells, f.__closure__ or ()):
                cell.cell_contents = self.value(original.cell_contents)
            copy.__defaults__ = None if f.__defaults__ is None else tuple(map(wrap, f.__defaults__))
            copy.__kwdefaults__ = f.__kwdefaults__ and {k: wrap(v) for k, v in f.__kwdefaults__.items()}
        return self.functions[id(f)]


class _Globals:
    """A copy of a module's globals, restricted to the names that its functions use."""

    def __init__(self, rebinder: _Rebinder, original: dict[str, Any]) -> None:
        self.rebinder, self.original = rebinder, original
        self.copy: dict[str, Any] = {"__builtins__": {**vars(builtins), **BUILTINS}, "__name__": "oracle"}

    def add(self, code: types.CodeType) -> None:
        for name in code.co_names:
            if name in self.original and name not in self.copy:
                self.copy[name] = None  # ends the recursion for a function that refers to itself
                self.copy[name] = self.rebinder.value(self.original[name])
        for c in code.co_consts:
            if isinstance(c, types.CodeType):
                self.add(c)


def _argument(value: Any, annotation: Any) -> Any:
    """Convert an argument to its declared type; arrays are copied."""
    value = unwrap(value)
    if annotation in (float, "float"):
        return Num(np.float64(value), True)
    if annotation in (int, "int"):
        return weak(int(value))
    if isinstance(value, np.ndarray):
        return Arr(value.copy())
    items = parts(value)
    if items is not None:
        return rebuilt(value, [_argument(v, note) for v, note in zip(items, annotated(value, annotation))])
    return wrap(value)


def shimmed(f: Callable[..., Any]) -> Callable[..., Any]:
    """Make the undecorated function run on shim values: arguments are converted on entry and results back to NumPy's
    types.

    The returned function gives ``(result, arrays)``, where ``arrays`` holds the final contents of the array arguments.
    """
    plain = getattr(f, "py_func", f)
    copy = _Rebinder().function(plain)
    parameters = list(inspect.signature(plain).parameters.values())

    def call(*args: Any) -> tuple[Any, dict[str, np.ndarray]]:
        with np.errstate(all="ignore"):
            given = [_argument(a, p.annotation) for a, p in zip(args, parameters)]
            result = unwrap(copy(*given))
        arrays = {p.name: g.array for p, g in zip(parameters, given) if isinstance(g, Arr)}
        return result, arrays

    return call


def run(f: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Run ``f`` in CPython, up to the declared deviations.

    Parameters
    ----------
    f : callable
        A Python function, or a checked one (its ``py_func`` is used).
    args : sequence
        Positional arguments; arrays are copied.

    Returns
    -------
    object
        The result: Python numbers if weak, NumPy's if strong, arrays, tuples of these.

    Raises
    ------
    Exception
        Whatever ``f`` raises.
    """
    return shimmed(f)(*args)[0]
