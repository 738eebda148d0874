"""Pickling of functions: by name if another process can import them, otherwise by their source.

A function of a script, a notebook cell or another function's body is sent as its source, with the values of the names
that it uses and of its closure. The source is available in the other process under the same file name, so errors point
at the user's lines. Functions that it calls are sent in the same way, modules by name, classes and constants as pickle
does.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import importlib
import linecache
import operator
import sys
from collections.abc import Callable, Collection, Iterator
from types import CellType, CodeType, FunctionType, GenericAlias, ModuleType
from typing import Any

from .boundary.entities import underlying
from .boundary.errors import refusal
from .boundary.locate import FUTURES, LiveFile, as_compiled, came_with_text, file_of, live_file, located
from .eligible import annotations
from .transformed import once, transforms_of

SCRIPTS = ("__main__", "__mp_main__")  # another process has its own


def name_of(value: Any) -> str | None:
    """The name under which another process can import a function or class, or None."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "<locals>")
    if module in SCRIPTS or module not in sys.modules or module in _sent_by_value():
        return None
    holder: object = sys.modules[module]
    for part in name.split("."):
        holder = getattr(holder, part, None)
    return name if holder is value else None


def _sent_by_value() -> Collection[str]:
    """The modules that cloudpickle was told to pickle by value."""
    told = getattr(sys.modules.get("cloudpickle"), "list_registry_pickle_by_value", frozenset)
    return told()


def portable(value: Any, names: Collection[str] = ()) -> Any:
    """The value, or its replacement in a pickle. ``names``: attributes that are used, to find submodules."""
    if isinstance(value, ModuleType):
        loaded = (m for m in sorted(sys.modules) if m.startswith(f"{value.__name__}."))
        parts = tuple(m for m in loaded if all(part in names for part in m[len(value.__name__) + 1 :].split(".")))
        return Made(_module, value.__name__, parts)
    if type(value) is tuple:
        return tuple(portable(v, names) for v in value)
    if isinstance(value, GenericAlias):
        return Made(operator.getitem, value.__origin__, portable(value.__args__))
    if isinstance(getattr(value, "dim_str", None), str) and type(value).__module__.startswith("jaxtyping"):
        return Made(operator.getitem, value.dtype, (value.array_type, value.dim_str))
    if isinstance(value, FunctionType) or type(value).__module__.startswith("numba."):
        found = underlying(value)
        if found is not None and name_of(value) is None:
            f = found[0]
            return f if name_of(f) else once(transforms_of(f), BySource, lambda: BySource(f))
    return value


class Made:
    """The result of a call that is made when the pickle is loaded."""

    def __init__(self, make: Callable[..., object], *arguments: object) -> None:
        self.reduced = (make, arguments)

    def __reduce__(self) -> tuple[object, ...]:
        return self.reduced


def _module(name: str, parts: tuple[str, ...]) -> ModuleType:
    for part in parts:
        importlib.import_module(part)
    return importlib.import_module(name)


class BySource:
    """A plain function that another process cannot import.

    There is one such object per function: a pickle that contains a function several times, for example if two functions
    call each other, identifies it by this object.
    """

    def __init__(self, function: FunctionType) -> None:
        self.function = function

    def __reduce__(self) -> tuple[object, ...]:
        f = self.function
        code, (file, node) = as_compiled(f.__code__), located(f)
        futures = code.co_flags & FUTURES
        which = next((k for k, c in enumerate(file.codes(futures)) if c == code), -1)
        place = (which, code.co_name, code.co_firstlineno)
        notes = dict(annotations(node))
        written = {name: ast.unparse(note) for name, note in notes.items()}
        inside = [n for note in notes.values() for n in ast.walk(note)]
        names = _globals(code).union(n.id for n in inside if isinstance(n, ast.Name))
        attributes = _attributes(code).union(n.attr for n in inside if isinstance(n, ast.Attribute))
        values = {name: f.__globals__[name] for name in names if name in f.__globals__}
        state = {
            "globals": {name: portable(v, attributes) for name, v in values.items()},
            "closure": tuple(_content(cell) for cell in f.__closure__ or ()),
            "defaults": portable(f.__defaults__),
            "kwdefaults": {name: portable(v) for name, v in (f.__kwdefaults__ or {}).items()},
            "texts": tuple(_texts(values.values())),
        }
        text = file.source.name, file.source.text, futures, place
        called = f.__module__, f.__name__, f.__qualname__
        return _function, (*text, *called, written), state, None, None, _fill


def _content(cell: CellType) -> tuple[object, ...]:
    try:
        return (portable(cell.cell_contents),)
    except ValueError:  # not bound yet
        return ()


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for c in code.co_consts:
        if isinstance(c, CodeType):
            yield from _codes(c)


def _globals(code: CodeType) -> set[str]:
    """The module-level names that a function and its nested functions look up."""
    found = (i for c in _codes(code) for i in dis.get_instructions(c))
    return {i.argval for i in found if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}


def _attributes(code: CodeType) -> set[str]:
    return {name for c in _codes(code) for name in c.co_names}


def _texts(values: Collection[object]) -> Iterator[tuple[str, str, int]]:
    """The files of the methods of classes that are pickled by value, which cloudpickle sends without their source."""
    classes = [v for v in values if isinstance(v, type) and name_of(v) is None]
    methods = [m for c in classes for m in vars(c).values() if isinstance(m, FunctionType)]
    found = {(file, m.__code__.co_flags & FUTURES) for m in methods if (file := file_of(m)) is not None}
    return ((file.source.name, file.source.text, futures) for file, futures in found)


# -------------------------------------------------------------------------------------------------------- unpickling


def _function(
    file: str,
    text: str,
    futures: int,
    place: tuple[int, str, int],
    module: str,
    name: str,
    qualname: str,
    notes: dict[str, str],
) -> FunctionType:
    """The function, without the objects that it refers to, which may refer back to it."""
    code = _code(_settle(file, text), futures, place)
    if code is None:
        raise refusal("no-source", f"`{name}` was pickled by another Python, which compiles its text differently")
    cells = tuple(CellType() for _ in code.co_freevars)
    made = FunctionType(code, {"__name__": module, "__builtins__": __builtins__}, name, None, cells)
    made.__module__, made.__qualname__, made.__annotations__ = module, qualname, notes
    return made


def _settle(file: str, text: str) -> LiveFile:
    """The source file in this process: under its own name, unless there is a different file with this name."""
    here = live_file(file)
    if here is not None and here.source.text == text:
        return here
    name = file if here is None else f"{file} (as pickled, {hashlib.sha256(text.encode()).hexdigest()[:8]})"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    settled = live_file(name)
    assert settled is not None
    return settled


def _code(file: LiveFile, futures: int, place: tuple[int, str, int]) -> CodeType | None:
    """The code object at a position in compilation order if it has the given name and line, otherwise the only one that
    has."""
    which, *called = place
    every = file.codes(futures)
    alike = [c for c in every if [c.co_name, c.co_firstlineno] == called]
    if 0 <= which < len(every) and every[which] in alike:
        return every[which]
    return alike[0] if len(alike) == 1 else None


def _fill(f: FunctionType, state: dict[str, Any]) -> None:
    for name, text, futures in state["texts"]:
        came_with_text(_settle(name, text), futures)
    f.__globals__.update(state["globals"])
    f.__defaults__ = state["defaults"]
    f.__kwdefaults__ = state["kwdefaults"] or None
    for cell, content in zip(f.__closure__ or (), state["closure"], strict=True):
        for value in content:
            cell.cell_contents = value
