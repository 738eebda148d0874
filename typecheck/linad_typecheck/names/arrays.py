"""Types of module-level arrays whose constructor is in the text: ``W = np.zeros((3, 4))``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .scope import External, Scope, resolve
from .values import constant
from ..types import DTYPE_CLASSES, MAX_RANK, Array, DType


def array_type(node: ast.expr, scope: Scope) -> Array | None:
    """The type of the result of an array constructor; None if the text does not determine it."""
    match node:
        case ast.Call(func=func, args=[first, *more], keywords=keywords):
            match resolve(func, scope):
                case External(dotted=dotted) if dotted in _CONSTRUCTORS:
                    rank, dtype = _CONSTRUCTORS[dotted](first, scope)
                    names = {k.arg: k.value for k in keywords}
                    position = _DTYPE_POSITION.get(dotted)
                    second = more[position] if position is not None and len(more) > position else None
                    given = names.get("dtype", second)
                    if set(names) - {"dtype"} or rank is None or rank > MAX_RANK:
                        return None
                    found = dtype if given is None else _dtype(given, scope)
                    return None if found is None else Array(found, rank)
    return None


def _dtype(node: ast.expr, scope: Scope) -> DType | None:
    match resolve(node, scope):
        case External(dotted=dotted):
            return DTYPE_CLASSES.get(dotted)
    return None


Guess = tuple[int | None, DType | None]


def _shape(node: ast.expr, scope: Scope) -> Guess:
    if isinstance(node, (ast.Tuple, ast.List)):
        return len(node.elts), "f64"
    known, value = constant(node, scope)
    if not known or not isinstance(value, (int, tuple)):
        return None, None
    return (len(value) if isinstance(value, tuple) else 1), "f64"


def _literal(node: ast.expr, scope: Scope) -> Guess:
    """The rank and dtype of nested lists of numbers."""
    if not isinstance(node, (ast.List, ast.Tuple)):
        known, value = constant(node, scope)
        dtypes: dict[type, DType] = {bool: "bool", int: "i64", float: "f64"}
        return (0, dtypes[type(value)]) if known and type(value) in dtypes else (None, None)
    inner = [_literal(item, scope) for item in node.elts]
    ranks, dtypes = {rank for rank, _ in inner}, {dtype for _, dtype in inner}
    if not inner or len(ranks) > 1 or None in ranks:
        return None, None
    return ranks.pop() + 1, next(d for d in ("f64", "i64", "bool") if d in dtypes)


_CONSTRUCTORS: dict[str, Callable[[ast.expr, Scope], Guess]] = {
    "numpy.zeros": _shape,
    "numpy.ones": _shape,
    "numpy.empty": _shape,
    "numpy.array": _literal,
    "numpy.linspace": lambda node, scope: (1, "f64"),
}
_DTYPE_POSITION = {"numpy.zeros": 0, "numpy.ones": 0, "numpy.empty": 0, "numpy.array": 0}
