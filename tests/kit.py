"""What many tests need: functions of a text, and two core programs that must do the same."""

from __future__ import annotations

import linecache
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import count
from typing import Any
from unittest.mock import patch

import numpy as np
from linad_typecheck.ir.core import Program

from linad import linear_grad
from linad.interpret import run
from linad.options import Options
from linad.transforms import application

HEADER = "import math\nimport numpy as np\nimport linad\nfrom jaxtyping import Float32, Float64, Int64\n"
_numbers = count()


def load(text: str, name: str = "f") -> types.FunctionType:
    """A function of a module given as text; its source is found by `inspect`."""
    return executed(text, types.ModuleType("program").__dict__)[name]


def executed(text: str, names: dict[str, Any]) -> dict[str, Any]:
    """The names of a module given as text, added to ``names``."""
    file = f"<program {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec", dont_inherit=True), names)  # noqa: S102 - the text is ours
    return names


@lru_cache(maxsize=256)
def beginning(text: str) -> dict[str, Any]:
    """The names of the beginning of a module, whose arrays nobody may change."""
    module = types.ModuleType(f"program_{next(_numbers)}")
    sys.modules[module.__name__] = module  # where its classes are found
    names = executed(text, module.__dict__)
    for value in names.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return names


@contextmanager
def interpreted() -> Iterator[None]:
    """What is decorated or transformed meanwhile runs on the reference interpreter, unless it says otherwise."""
    with (
        patch.dict(linear_grad.__kwdefaults__, backend="interpret"),
        patch.object(application, "Options", partial(Options, backend="interpret")),
    ):
        yield


def functions(text: str, **values: Any) -> dict[str, tuple[types.FunctionType, tuple[Any, ...]]]:
    """The functions of a text, but those that others of it call, by name, with arguments: for each parameter its default,
    or the value of that name."""
    names = executed(HEADER + text, types.ModuleType("program").__dict__)
    found = [f for f in names.values() if isinstance(f, types.FunctionType) and f.__module__ == "program"]
    called = {name for f in found for name in f.__code__.co_names}
    return {f.__name__: (f, arguments(f, values)) for f in found if f.__name__ not in called}


def arguments(f: types.FunctionType, values: dict[str, Any]) -> tuple[Any, ...]:
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    defaults = dict(zip(reversed(names), reversed(f.__defaults__ or ()), strict=False))
    return tuple(defaults[n] if n in defaults else values[n] for n in names)


def results(program: Program, args: Iterable[Any]) -> list[np.ndarray]:
    """What a program gives, and the arrays that it may have updated."""
    args = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    found = run(program, args, in_place=True).results
    return [*map(np.asarray, found), *(a for a in args if isinstance(a, np.ndarray))]


Same = Callable[[Any, Any], object]


def agree(before: Program, after: Program, cases: Iterable[Iterable[Any]], same: Same = np.testing.assert_array_equal) -> None:
    """Both programs do the same with each of these arguments."""
    for args in cases:
        args = list(args)
        for x, y in zip(results(before, args), results(after, args), strict=True):
            same(y, x)
            assert y.dtype == x.dtype
