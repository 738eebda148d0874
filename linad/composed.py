"""A derivative as a checked function: the program that calls it, so that it can be differentiated like any other."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from dataclasses import replace
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from .boundary.errors import refusal
from .boundary.locate import locate
from .decorator import LinearGrad

if TYPE_CHECKING:
    from .transforms.application import Transformed



def composed(d: Transformed[..., Any]) -> LinearGrad[..., Any]:
    """The checked function ``lambda *args: linad.grad(f, argnums)(*args)``, or another transform in place of `grad`,
    written out for the parameters of ``f``.

    Raises
    ------
    LinadError
        Where the function updates an argument: its derivative has no derivative of its own.
    """
    f = d.function
    if f.options.updates:
        raise refusal("no-gradient", f"`{f.__name__}` updates an argument: only its first derivative is supported")
    function, library = _names(d)
    text = _text(d, function, library)
    file = f"<linad {d.__name__} of {f.__name__}{inspect.signature(f.py_func)}>"
    if linecache.getlines(file) != text.splitlines(keepends=True):
        file = next(n for k in range(1, 10**6) if linecache.getlines(n := f"{file[:-1]} {k}>") in ([], text.splitlines(keepends=True)))
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {**f.py_func.__globals__, **f._surroundings, function: f, library: sys.modules[__package__]}
    for name, value in zip(f.py_func.__code__.co_freevars, f.py_func.__closure__ or ()):
        space.setdefault(name, value.cell_contents)  # what annotations may mention
    module = compile(text, file, "exec", dont_inherit=True)
    code = next(c for c in module.co_consts if isinstance(c, CodeType))
    made = FunctionType(code, space)
    made.__annotations__ = {name: note for name, note in f.py_func.__annotations__.items() if name != "return"}
    return LinearGrad(made, replace(f.options, wrt=None), f._surroundings)


def _name(d: Transformed[..., Any]) -> str:
    return d.__name__ if d.__name__.isidentifier() else "derivative"


def _names(d: Transformed[..., Any]) -> tuple[str, str]:
    """What the function and linad are called in the text: as they are elsewhere, where no parameter is called so."""
    params = inspect.signature(d.function.py_func).parameters
    known = d.function.__name__
    library = next(n for n in ("linad", "_linad", "_linad_") if n not in params)
    function = known if known.isidentifier() and known not in (*params, library, _name(d)) else "_function"
    return function if function not in params else "_function_", library


def _text(d: Transformed[..., Any], function: str, library: str) -> str:
    """The source text: the parameters with their annotations, all by position, and one call."""
    given = locate(d.function.py_func)[1].args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    params = [ast.unparse(ast.arg(a.arg, a.annotation)) for a in every]
    keywords = {a.arg for a in given.kwonlyargs}
    values = [f"{a.arg}={a.arg}" if a.arg in keywords else a.arg for a in every]
    callee = function
    for transform in d.transforms:
        callee = transform.written(callee, library)
    return f"def {_name(d)}({', '.join(params)}, /):\n    return {callee}({', '.join(values)})\n"
