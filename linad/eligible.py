"""What `linear_grad` accepts: functions and matching options; errors say what to write instead of anything else."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, GenericAlias, MethodType

from linad_typecheck.diagnostics import LinadError
from linad_typecheck.signature import Signature
from linad_typecheck.types import Array

from . import derive
from .boundary.arguments import described
from .boundary.entities import underlying
from .boundary.errors import refusal
from .boundary.locate import Definition, locate
from .boundary.results import leaf_types
from .options import Options

CHOICES = {  # the options that have a fixed set of values
    "update": ("in-place", "pure"),
    "backend": ("numba", "interpret"),
    **dict.fromkeys(("fastmath", "cache", "boundscheck", "parallel", "strict"), (True, False)),
}


def plain_function(f: object) -> FunctionType:
    """The plain function behind a function, a checked function or a jitted one.

    Raises
    ------
    LinadError
        If there is none; the error says what to write instead.
    """
    while hasattr(type(f), "__linad_again__"):
        f = f.__wrapped__  # type: ignore[attr-defined]
    calling = getattr(type(f), "__linad_calling__", None)
    if calling is not None:  # a function with a custom rule, which applies to calls of it
        return calling(f)
    found = underlying(f)
    if found is not None:
        return found[0]
    derivative = _method_of_checked(f)
    if derivative is not None:
        raise derivative
    if isinstance(f, MethodType):
        raise is_method(f.__func__)
    kind = described(f) if not isinstance(f, type) else f"the class `{f.__name__}`"
    raise refusal("unsupported", f"linad takes a function, got {kind}", help=_instead(f))


def is_method(f: Callable[..., object]) -> LinadError:
    """The error for a method."""
    return refusal(
        "unsupported",
        f"`{f.__qualname__}` is a method, which `linear_grad` does not decorate",
        help=f"leave it undecorated, and differentiate `linad.grad(obj.{f.__name__})`, or make it a `staticmethod`",
    )


def _method_of_checked(f: object) -> LinadError | None:
    """The error for `f.grad` and similar methods: they take arguments, whereas transforms take the function."""
    owner = getattr(f, "__self__", None)
    if not isinstance(f, MethodType) or underlying(owner) is None:
        return None
    name, what = f.__name__, owner.__name__
    other = f"linad.{name}({what})"
    how = f"write `{other}`" if name in ("grad", "value_and_grad") else f"write a function that calls `{what}`"
    return refusal("unsupported", f"`{what}.{name}` takes arguments and cannot be differentiated itself", help=how)


def _instead(f: object) -> str:
    instead = getattr(type(f), "__linad_instead__", None)
    if instead is not None:
        return instead
    match f:
        case staticmethod() | classmethod():
            return "write `@staticmethod` above `@linear_grad`, so that the function is checked first"
        case functools.partial(func=inner):
            f = getattr(inner, "__name__", "f")
            return f"differentiate `{f}` and fix arguments afterwards: `functools.partial(linad.grad({f}), ...)`"
    if callable(f) and hasattr(f, "__wrapped__") and not type(f).__module__.startswith("numpy"):
        return "pass the function without this decorator: its `__wrapped__`"
    return "write a function that calls it" if callable(f) else "decorate a function: `def f(...): ...`"


# ------------------------------------------------------------------------------------------------ options that fit it


def check_options(f: FunctionType, options: Options, names: tuple[str, ...]) -> None:
    """Raise an error for a method, and for options with an unknown parameter or value."""
    for option, allowed in CHOICES.items():
        if getattr(options, option) not in allowed:
            choice = f"`{option}` is one of {', '.join(map(repr, allowed))}, got {getattr(options, option)!r}"
            raise refusal("bad-option", choice)
    if names[:1] == ("self",) and "." in f.__qualname__.rpartition("<locals>.")[2]:
        raise is_method(f)
    for which in (*options.updates, *(options.wrt or ())):
        if isinstance(which, str) and which not in names:
            what = f"`{f.__name__}` has no parameter `{which}`; it has {', '.join(names) or 'none'}"
            raise refusal("bad-option", what)
        if isinstance(which, int) and not -len(names) <= which < len(names):
            raise refusal("bad-option", f"`{f.__name__}` has no parameter number {which}; it has {len(names)}")


def check_updates(signature: Signature) -> None:
    """Raise an error if anything but an array is declared as updated."""
    for p in derive.updated(signature):
        if not any(isinstance(leaf.type, Array) for leaf in leaf_types(p.structure)):
            what = f"parameter `{p.name}` of `{signature.name}` is declared as updated, and only arrays can be"
            raise refusal("bad-option", what, help="take its name out of `updates`, and return the new value")


# ------------------------------------------------------------------------------------------------ names of annotations


def surroundings(f: FunctionType, local_names: Mapping[str, object]) -> dict[str, object]:
    """The values of local names in a function's annotations, as evaluated where the function was defined.

    These values are kept with the function. If annotations are text, as with ``from __future__ import annotations``,
    the names are taken from the place of decoration.
    """
    if local_names is f.__globals__ or "." not in f.__qualname__:
        return {}
    notes = dict(annotations(locate(f)[1]))
    mentioned = {n.id for note in notes.values() for n in ast.walk(note) if isinstance(n, ast.Name)}
    found = {name: local_names[name] for name in mentioned if name in local_names}
    values = _annotations(f)
    for name, note in notes.items():
        if name in values:
            found.update(_named(note, values[name]))
    return found


def annotations(node: Definition) -> Iterator[tuple[str, ast.expr]]:
    """The annotations in the source of a function, by parameter and ``return``."""
    a = node.args
    for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs):
        if arg.annotation is not None:
            yield arg.arg, arg.annotation
    returns = getattr(node, "returns", None)
    if returns is not None:
        yield "return", returns


def _annotations(f: FunctionType) -> dict[str, object]:
    try:
        return f.__annotations__
    except NameError:  # since Python 3.14, annotations are evaluated lazily
        return {}


def _named(note: ast.expr, value: object) -> Iterator[tuple[str, object]]:
    """The names in an annotation with their values, as far as these follow from the value of the annotation."""
    if isinstance(value, str):
        return
    if isinstance(note, ast.Name):
        yield note.id, value
    elif isinstance(note, ast.Subscript) and isinstance(value, GenericAlias):
        inner = note.slice.elts if isinstance(note.slice, ast.Tuple) else [note.slice]
        for part, v in zip(inner, value.__args__):
            yield from _named(part, v)
