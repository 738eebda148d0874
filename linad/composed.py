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
    from .api import Derivative

_FUNCTION, _LIBRARY = "_function", "_linad"


def composed(d: Derivative) -> LinearGrad[..., Any]:
    """The checked function ``lambda *args: linad.grad(f, argnums)(*args)``, written out for the parameters of ``f``.

    Raises
    ------
    LinadError
        Where the function updates an argument: its derivative has no derivative of its own.
    """
    f = d.function
    if f.options.updates:
        raise refusal("no-gradient", f"`{f.__name__}` updates an argument: only its first derivative is supported")
    if any(step.has_aux for step in d.steps):
        raise refusal("no-gradient", f"`{d.__name__}` has `has_aux`: no derivative of it is taken", help="differentiate without `has_aux`")
    text = _text(d)
    file = f"<linad {d.__name__} of {f.__name__}{inspect.signature(f.py_func)}>"
    if linecache.getlines(file) != text.splitlines(keepends=True):
        file = next(n for k in range(1, 10**6) if linecache.getlines(n := f"{file[:-1]} {k}>") in ([], text.splitlines(keepends=True)))
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {**f.py_func.__globals__, **f._surroundings, _FUNCTION: f, _LIBRARY: sys.modules[__package__]}
    for name, value in zip(f.py_func.__code__.co_freevars, f.py_func.__closure__ or ()):
        space.setdefault(name, value.cell_contents)  # what annotations may mention
    module = compile(text, file, "exec", dont_inherit=True)
    code = next(c for c in module.co_consts if isinstance(c, CodeType))
    made = FunctionType(code, space)
    made.__annotations__ = {name: note for name, note in f.py_func.__annotations__.items() if name != "return"}
    return LinearGrad(made, replace(f.options, wrt=None), f._surroundings)


def _name(d: Derivative) -> str:
    return d.__name__ if d.__name__.isidentifier() else "derivative"


def _text(d: Derivative) -> str:
    """The source text: the parameters with their annotations, all by position, and one call."""
    given = locate(d.function.py_func)[1].args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    params = [ast.unparse(ast.arg(a.arg, a.annotation)) for a in every]
    keywords = {a.arg for a in given.kwonlyargs}
    values = [f"{a.arg}={a.arg}" if a.arg in keywords else a.arg for a in every]
    callee = _FUNCTION
    for step in d.steps:
        what = "value_and_grad" if step.value else "grad"
        callee = f"{_LIBRARY}.{what}({callee}, {step.argnums})"
    return f"def {_name(d)}({', '.join(params)}, /):\n    return {callee}({', '.join(values)})\n"
