"""Module-level values that the text determines: numbers, tuples of numbers, type aliases, option tuples."""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Mapping

from ..ops import OPS
from .bindings import Bound
from .scope import LIST, MOST_KEYS, Annotation, Constant, External, RecordConstant, Scope, dict_class, resolve

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
_NUMBERS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "tau": math.tau}
_FUNCTIONS = frozenset(filter(None, (op.math for op in OPS.values()))) | {"pow", "radians", "degrees", "floor", "ceil"}
_NUMPY_FUNCTIONS = {  # functions that return floats also for ints
    n: op.math for op in OPS.values() if op.math and op.name != "abs" for n in op.numpy
}
_ANNOTATIONS = ("jaxtyping", "typing", "builtins", "numpy")
UNKNOWN = (False, None)


def constant(node: ast.expr, scope: Scope) -> tuple[bool, object]:
    """Whether an expression is a number, a string, None or a tuple of these, and its value."""
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None as value):
            return True, value
        case ast.Tuple(elts=items):
            values = [constant(item, scope) for item in items]
            return (True, tuple(v for _, v in values)) if all(known for known, _ in values) else UNKNOWN
        case ast.List(elts=items) if len(items) <= MOST_KEYS:
            values = [constant(item, scope) for item in items]
            return (
                (True, RecordConstant(LIST, tuple(v for _, v in values)))
                if all(known for known, _ in values)
                else UNKNOWN
            )
        case ast.Dict(keys=keys, values=items) if None not in keys and len(keys) <= MOST_KEYS:
            names, values = ([constant(n, scope) for n in some] for some in (keys, items))
            if not all(known for known, _ in (*names, *values)) or any(isinstance(k, RecordConstant) for _, k in names):
                return UNKNOWN
            found = {k: v for (_, k), (_, v) in zip(names, values, strict=True)}
            return True, RecordConstant(dict_class(tuple(found)), tuple(found.values()))
        case ast.UnaryOp(op=op, operand=operand):
            return _apply(_UNARY.get(type(op)), constant(operand, scope))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            a, b = constant(left, scope), constant(right, scope)
            small = isinstance(b[1], (int, float)) and abs(b[1]) <= 64  # avoid huge ints from a short text
            return _apply(operator.pow, a, b) if small else UNKNOWN
        case ast.BinOp(left=left, op=op, right=right):
            return _apply(_BINARY.get(type(op)), constant(left, scope), constant(right, scope))
        case ast.Name() | ast.Attribute():
            return _named(node, scope)
        case ast.Call(func=func, args=[_, *_] as given, keywords=[]):
            return _called(resolve(func, scope), [constant(a, scope) for a in given])
    return UNKNOWN


class float64(float):  # noqa: N801 - by this name lowering knows NumPy's scalars
    """The value of a NumPy function of numbers: a float that is not weak, as ``numpy.float64``."""

    def item(self) -> float:
        return float(self)


class bool_(int):  # noqa: N801
    """A NumPy bool, which is not weak."""

    def item(self) -> bool:
        return bool(self)


def _called(entity: object, given: list[tuple[bool, object]]) -> tuple[bool, object]:
    """The value of a function of numbers, such as ``math.log(2.0)``."""
    match entity:
        case External(dotted="builtins.float" | "builtins.int" | "builtins.abs" as dotted):
            return _apply(getattr(builtins, dotted.removeprefix("builtins.")), *given)
        case External(dotted="builtins.range") if all(known and type(v) is int for known, v in given):
            try:
                return True, RecordConstant.of_range(range(*(v for _, v in given)))
            except (TypeError, ValueError, OverflowError):
                return UNKNOWN
        case External(dotted=dotted):
            home, _, name = dotted.rpartition(".")
            if dotted in ("numpy.bool_", "numpy.bool"):
                known, value = _apply(bool, *given)
                return (True, bool_(value)) if known else UNKNOWN
            if home == "math" and name in _FUNCTIONS:
                return _apply(getattr(math, name), *given)
            if home == "numpy" and name in _NUMPY_FUNCTIONS:
                known, value = _apply(getattr(math, _NUMPY_FUNCTIONS[name]), *given)
                return (True, float64(value)) if known else UNKNOWN
    return UNKNOWN


def _named(node: ast.expr, scope: Scope) -> tuple[bool, object]:
    match resolve(node, scope):
        case Constant(value=value):
            return True, value
        case External(dotted=dotted):
            home, _, name = dotted.rpartition(".")
            if home in ("math", "numpy") and name in _NUMBERS:
                return True, _NUMBERS[name]
            if home == "numpy" and name in ("True_", "False_"):
                return True, bool_(name == "True_")
    return UNKNOWN


def _apply(function, *operands: tuple[bool, object]) -> tuple[bool, object]:
    values = [v for known, v in operands if known and isinstance(v, (int, float)) and not isinstance(v, bool_)]
    if function is None or len(values) != len(operands):
        return UNKNOWN
    try:
        value = function(*values)
    except (ArithmeticError, TypeError, ValueError):
        return UNKNOWN
    if any(isinstance(v, float64) for v in values) and isinstance(value, float) and function is not float:
        return True, float64(value)
    return (True, value) if isinstance(value, (int, float)) else UNKNOWN


def is_alias(node: ast.expr, scope: Scope) -> bool:
    """Whether an assigned expression is a type, such as ``Float64[np.ndarray, "n"]`` or ``tuple[float, float]``."""
    match node:
        case ast.Subscript(value=base):
            match resolve(base, scope):
                case External(dotted=dotted):
                    return dotted.partition(".")[0] in _ANNOTATIONS
                case Annotation():
                    return True
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return is_alias(left, scope) or is_alias(right, scope)
    return False


def literal(node: ast.expr, bound: Mapping[str, list[Bound]]) -> object:
    """The value of an option: a literal, or a module-level name bound once to a literal; None for other expressions."""
    if isinstance(node, ast.Name) and len(bound.get(node.id, ())) == 1 and bound[node.id][0].whole:
        node = bound[node.id][0].node
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
