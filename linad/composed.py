"""A derivative as a checked function: a program that calls it, so that it can be differentiated like any other
function."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from .boundary.errors import refusal
from .boundary.locate import locate
from .function import CheckedFunction

if TYPE_CHECKING:
    from linad_typecheck.engine.values import Transform


def composed(f: CheckedFunction[..., Any], transforms: tuple[Transform, ...], name: str) -> CheckedFunction[..., Any]:
    """The checked function ``lambda *args: linad.grad(f, argnums)(*args)``, or with other transforms in place of
    `grad`, written out for the parameters of ``f``.

    Raises
    ------
    LinadError
        If the function updates an argument: its derivative has no derivative of its own.
    """
    if f.options.updates:
        told = f"`{f.__name__}` updates an argument: only its first derivative is supported"
        raise refusal("no-gradient", told, help="let it work on a copy and return that: `y = y.copy()`")
    made_name = name if name.isidentifier() else "derivative"
    function, library = _names(f, made_name)
    callee = function
    for transform in transforms:
        callee = _written(transform, callee, library)
    file = f"<linad {name} of {f.__name__}{inspect.signature(f.py_func, follow_wrapped=False)}>"
    names = {**f._surroundings, function: f, library: sys.modules[__package__]}
    annotated = all(t.kind != "vmap" for t in transforms)
    named_from = min((len(t.in_axes) for t in transforms if isinstance(t.in_axes, tuple)), default=None)
    made = calling(f.py_func, made_name, f"{callee}(...)", file, names, annotated=annotated, named_from=named_from)
    return CheckedFunction(made, replace(f.options, wrt=None), f._surroundings)


def holding(
    f: CheckedFunction[..., Any], text: str, names: tuple[str, ...], transforms: tuple[Transform, ...]
) -> CheckedFunction[..., Any]:
    """The checked function of the arguments of ``f`` and of ``names``, those of a function that ``text`` makes of
    ``_function`` and its arguments, ``...``. That function is transformed and called. Derivatives are by ``names``."""
    library, function = "_linad", "_function"
    for transform in transforms:
        text = _written(transform, text, library)
    text = f"{text}({', '.join(names)})"
    file = f"<linad {text} of {f.__name__}{inspect.signature(f.py_func, follow_wrapped=False)}>"
    scope = {**f._surroundings, function: f, library: sys.modules[__package__]}
    made = calling(f.py_func, "linear", text, file, scope, by_position=True, more=names)
    return CheckedFunction(made, replace(f.options, wrt=names), f._surroundings)


def by_position(f: CheckedFunction[..., Any]) -> CheckedFunction[..., Any]:
    """The same function with one positional argument per parameter; those of ``*args`` become one tuple."""
    if f._count >= 0:
        return f
    name = f.__name__ if f.__name__.isidentifier() else "function"
    callee = next(n for n in ("_function", "_function_") if n not in f._parameters.parameters)
    file = f"<linad {f.__name__}{f._parameters} by position>"
    names = {**f._surroundings, callee: f}
    made = calling(f.py_func, name, f"{callee}(...)", file, names, by_position=True)
    return CheckedFunction(made, f.options, f._surroundings)


def calling(
    f: FunctionType,
    name: str,
    written: str,
    file: str,
    names: Mapping[str, Any],
    annotated: bool = True,
    by_position: bool = False,
    more: tuple[str, ...] = (),
    named_from: int | None = None,
    without: Collection[str] = (),
) -> FunctionType:
    """A function with the parameters of another one that returns ``written``, an expression in ``names`` in which
    ``...`` stands for these parameters. Its source is registered under the file name.

    ``annotated``: its parameters have the annotations of the other function. ``more``: further parameters, which
    follow them. ``named_from``: parameters from this number on are passed on by name. ``without``: parameters that are
    left out.
    """
    known = inspect.signature(f, follow_wrapped=False).parameters
    text = _text(f, name, written, annotated, by_position, more, named_from, without)
    if linecache.getlines(file) != text.splitlines(keepends=True):
        file = next(
            n
            for k in range(1, 10**6)
            if linecache.getlines(n := f"{file[:-1]} {k}>") in ([], text.splitlines(keepends=True))
        )
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {**f.__globals__, **names}
    for n, value in zip(f.__code__.co_freevars, f.__closure__ or ()):
        space.setdefault(n, value.cell_contents)  # annotations may mention these
    module = compile(text, file, "exec", dont_inherit=True)
    code = next(c for c in module.co_consts if isinstance(c, CodeType))
    made = FunctionType(code, space)
    if not by_position:
        optional = {n: p.default for n, p in known.items() if p.default is not p.empty and n not in without}
        early = made.__code__.co_varnames[: made.__code__.co_argcount]
        made.__defaults__ = tuple(optional[n] for n in early if n in optional) or None
        made.__kwdefaults__ = {n: default for n, default in optional.items() if n not in early} or None
    notes = {name: note for name, note in f.__annotations__.items() if name in known and name not in without}
    made.__annotations__ = {name: note for name, note in notes.items() if annotated and _annotated(known[name])}
    return made


def _written(transform: Transform, callee: str, library: str) -> str:
    """A transform as it is written inside a checked function. ``library``: the name of linad there."""
    if transform.argnums is None:
        return f"{callee}.{transform.kind}"
    return f"{library}.{transform.kind}({callee}, {', '.join(f'{n}={v!r}' for n, v in transform.given.items())})"


def _names(f: CheckedFunction[..., Any], made_name: str) -> tuple[str, str]:
    """The names of the function and of linad in the source: the usual ones, unless a parameter has this name."""
    params = inspect.signature(f.py_func, follow_wrapped=False).parameters
    known = f.__name__
    library = next(n for n in ("linad", "_linad", "_linad_") if n not in params)
    function = known if known.isidentifier() and known not in (*params, library, made_name) else "_function"
    return function if function not in params else "_function_", library


_AS_ARGUMENT = {
    inspect.Parameter.VAR_POSITIONAL: "*{0}",
    inspect.Parameter.KEYWORD_ONLY: "{0}={0}",
    inspect.Parameter.VAR_KEYWORD: "**{0}",
}


def _annotated(p: inspect.Parameter) -> bool:
    """Whether an annotation determines the type of a parameter: not for one that the function is specialised for, nor
    for each of ``*args``."""
    return not isinstance(p.default, bool) and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)


def _text(
    f: FunctionType,
    name: str,
    written: str,
    annotated: bool,
    by_position: bool,
    more: tuple[str, ...],
    named_from: int | None,
    without: Collection[str],
) -> str:
    """The source text: the parameters with their annotations, and the return. Defaults are taken from the function
    object."""
    given = locate(f)[1].args
    known = inspect.signature(f, follow_wrapped=False).parameters
    every = (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg)
    bare = {
        a.arg: ast.arg(a.arg, a.annotation if annotated and _annotated(known[a.arg]) else None)
        for a in every
        if a is not None and a.arg not in without
    }
    starred = any(p.kind is p.VAR_POSITIONAL for p in known.values())
    late = [] if named_from is None or starred else list(known)[named_from:]
    named = {n for n in late if known[n].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD}
    forms = {n: "{0}={0}" if n in named else _AS_ARGUMENT.get(p.kind, "{0}") for n, p in known.items()}
    returned = written.replace("...", ", ".join(forms[n].format(n) for n in bare), 1)
    if by_position:
        return f"def {name}({', '.join((*map(ast.unparse, bare.values()), *more))}, /):\n    return {returned}\n"
    only = named if named & {*without} else ()  # as those after an argument that a partial application gives by name
    kinds = (given.posonlyargs, given.args, given.kwonlyargs)
    groups = [[bare[a.arg] for a in some if a.arg in bare] for some in kinds]
    groups[1:] = [a for a in groups[1] if a.arg not in only], [*(a for a in groups[1] if a.arg in only), *groups[2]]
    rest, rest_named = (None if a is None else bare[a.arg] for a in (given.vararg, given.kwarg))
    params = ast.arguments(*groups[:2], rest, groups[2], [None] * len(groups[2]), rest_named, [])
    return f"def {name}({ast.unparse(params)}):\n    return {returned}\n"
