"""The signatures of library functions: names, order, defaults, and positional-only or keyword-only parameters.

The table is generated from NumPy and SciPy (`tests/library/signatures.py`), and a test compares it with the installed
versions. Rules only say which of the parameters are supported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ..messages.language import BadCall
from .refusal import Refused
from .rulebook import Args
from .values import TupleValue, Value


@cache
def _table() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()[1:]:
        names, _, parameters = line.partition(" (")
        found.update(dict.fromkeys(names.split(), parameters))
    return found


@cache
def signature(function: str) -> ast.arguments:
    """The parameters of a library function. ``...`` stands for a default that no argument can equal."""
    (made,) = ast.parse(f"def f({_table()[function.lstrip('%')]}: pass").body
    assert isinstance(made, ast.FunctionDef)
    return made.args


def inputs_of(function: str) -> int:
    """The number of arrays that a ufunc takes; 0 for other functions."""
    text = _table().get(function, "")
    return text.partition("/")[0].count(",") if "signature=None" in text else 0


def has_out(function: str) -> bool:
    """Whether a NumPy function takes ``out``, an array for its result."""
    return function.startswith("numpy.") and (", out=" in _table().get(function, "") or function in _STORED)


_STORED = ("numpy.compress",)  # prelude functions whose signature does not show it


def defaults_of(spec: ast.arguments) -> dict[str, ast.expr]:
    """The defaults of a signature by the names of its parameters."""
    places = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    found = dict(zip(reversed(places), reversed(spec.defaults), strict=False))
    return found | {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}


def named(args: Args, spec: ast.arguments, takes: Iterable[str] | None = None) -> dict[str, Value]:
    """The arguments of a call by parameter name, in the order of the parameters.

    ``takes``: the parameters that messages mention; by default all.
    """
    places = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    by_name = [a.arg for a in (*spec.args, *spec.kwonlyargs)]
    every = [*places, *by_name[len(spec.args) :]]
    given: dict[str, Value] = dict(zip(places, args.values, strict=False))
    for name in args.keywords:
        if name in given or (name not in by_name and not spec.kwarg):
            raise Refused(BadCall(args.span, args.name, f"does not take `{name}` here"))
    given |= args.keywords
    rest, optional = args.values[len(places) :], defaults_of(spec)
    if (rest and not spec.vararg) or any(n not in given and n not in optional for n in every):
        shown = every if takes is None else sorted(takes, key=lambda n: every.index(n) if n in every else len(every))
        told = ", ".join(f"`{n}`" for n in shown)
        raise Refused(BadCall(args.span, args.name, f"takes {told}" + " by position" * (not by_name)))
    found = {n: given[n] for n in (*every, *args.keywords) if n in given}
    return found | ({spec.vararg.arg: TupleValue(rest)} if spec.vararg else {})
