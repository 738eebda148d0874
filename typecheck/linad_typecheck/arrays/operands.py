"""Arguments of array functions: array-likes, axes, and flags that have to be literals."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..ir.core import Atom, Const
from ..engine.growing import as_array as array_of_list, is_growing
from ..engine.places import materialise
from ..engine.refusal import Refused
from ..engine.rulebook import Args
from ..engine.signatures import defaults_of, has_out, named, signature
from ..engine.sizes import AnyArray, dtype_of, is_array
from ..engine.state import Lowering
from ..engine.values import SILENT, Delayed, NoneValue, ScalarValue, TextValue, TupleValue, Value, describe, type_of
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..span import Span
from ..types import FLOATS, I64, INTS
from .from_parts import array_of_values
from .shapes import axes_of, rank_zero

REFUSED = {
    "out": "assign the result: `a[...] = ...`",
    "where": "pick the cells out first: `np.{function}(a[mask])`",
    "initial": "combine the result with the first value afterwards",
    "order": "leave it out: cells are in the order of C",
}
# They allow a function to change an array that is not used afterwards, not to look for NaN, and say how it computes.
IGNORED = (
    *(f"overwrite_{of}" for of in ("input", "a", "b", "ab", "c", "x", "data", "a_band")),
    *("check_finite", "workers", "lwork", "lapack_driver"),
)
_LEFT_OUT = {
    "nansum": "0",
    "nanprod": "1",
    **dict.fromkeys(("max", "amax", "nanmax"), "-np.inf"),
    **dict.fromkeys(("min", "amin", "nanmin"), "np.inf"),
}  # neutral elements of reductions


def instead_of(argument: str, function: str) -> str:
    """A suggestion in place of an argument that an array function does not support."""
    if argument == "where" and function in _LEFT_OUT:
        return f"choose the cells first: `np.{function}(np.where(mask, a, {_LEFT_OUT[function]}))`"
    return REFUSED[argument].format(function=function)


def bound(ctx: Lowering, args: Args, takes: str = "", function: str = "") -> dict[str, Value]:
    """The arguments by parameter name, without those that are None.

    ``takes``: the supported optional parameters. Others are refused unless they have their default value. ``function``:
    another function whose signature applies.
    """
    spec = signature(function or args.function)
    optional, known = defaults_of(spec), takes.split()
    needed = [a.arg for a in (*spec.posonlyargs, *spec.args) if a.arg not in optional]
    found = named(args, spec, [*needed, *known, *(["out"] if has_out(function or args.function) else [])])
    for name, v in tuple(found.items()):
        if name in needed or (spec.vararg and name == spec.vararg.arg):
            continue
        if isinstance(v, NoneValue) or (name not in known and (name in IGNORED or _left_out(v, optional.get(name)))):
            del found[name]
        elif name not in known:
            raise refusal(args, name)
    return found


def refusal(args: Args, name: str) -> Refused:
    """The refusal of a parameter that is not supported."""
    if name not in REFUSED:
        return Refused(BadCall(args.span, args.name, f"does not take `{name}` here"))
    instead = instead_of(name, args.name.rpartition(".")[2])
    return Refused(Unsupported(args.span, f"`{name}=` of `{args.name}`", instead))


def _left_out(v: Value, default: ast.expr | None) -> bool:
    """Whether an argument has its default value."""
    if not isinstance(default, ast.Constant):
        return False
    match v:
        case ScalarValue(atom=Const(value=value)):
            return type(value) is type(default.value) and value == default.value
        case TextValue(text=text):
            return text == default.value
    return False


def as_array(ctx: Lowering, v: Value, args: Args) -> AnyArray:
    """An array-like, converted as by NumPy: scalars to rank 0, and nested tuples or lists of scalars."""
    if is_growing(v):
        v = array_of_list(ctx, v, args.hint, args.span)
    if is_array(v):
        return v
    match v:
        case ScalarValue():
            return rank_zero(v)
        case TupleValue(array_like=True):
            made = array_of_values(ctx, v, None, args.hint, args.span)
            if is_array(made):
                return made
            raise Refused(None)
    raise Refused(
        None if isinstance(v, SILENT) else WrongType(args.span, f"`{args.name}` is of an array", describe(type_of(v)))
    )


def no_bools(args: Args, *arrays: AnyArray) -> None:
    """Refuse arrays that are all bool: NumPy defines no sum or difference for them, or one that is bool."""
    if all(dtype_of(a) == "bool" for a in arrays):
        instead = "convert one of them: `a.astype(int)`" if len(arrays) > 1 else "convert it: `a.astype(int)`"
        raise Refused(WrongType(args.span, f"`{args.name}` is of numbers", "bool", instead))


def no_floats(args: Args, what: str, *values: Value) -> None:
    """Refuse values that include floats."""
    for v in values:
        if isinstance(v, ScalarValue) and v.dtype in FLOATS or is_array(v) and dtype_of(v) in FLOATS:
            instead = "convert them: `int(n)`, `k.astype(int)`"
            raise Refused(WrongType(args.span, f"{what} of `{args.name}` are ints", describe(type_of(v)), instead))


def force_expensive(ctx: Lowering, v: AnyArray, hint: str, span: Span) -> AnyArray:
    """The array, evaluated first if its cells are expensive; used by callers that read them more than once."""
    return materialise(ctx, v, hint, span) if isinstance(v, Delayed) and v.expensive else v


def axis_of(ctx: Lowering, v: Value, rank: int, span: Span) -> int:
    """An axis, given by a literal int."""
    if isinstance(v, TupleValue):
        raise Refused(WrongType(span, "one axis is meant here", describe(type_of(v)), "write one int: `axis=0`"))
    return axes_of(ctx, v, rank, span)[0]


def flag(ctx: Lowering, found: dict[str, Value], name: str, default: bool, span: Span) -> bool:
    """A literal True or False."""
    v = found.get(name)
    if v is None:
        return default
    if isinstance(v, ScalarValue) and isinstance(v.atom, Const) and (v.dtype == "bool" or v.atom.value in (0, 1)):
        return bool(v.atom.value)
    if not isinstance(v, SILENT):
        ctx.wants_literal(v)
        raise Refused(Unsupported(span, f"`{name}` that is not a literal", f"write `{name}=True` or `{name}=False`"))
    raise Refused(None)


def literal_int(ctx: Lowering, v: Value | None, default: int, what: str, span: Span) -> int:
    """An int that has to be known at compile time."""
    if v is None:
        return default
    if isinstance(v, ScalarValue) and isinstance(v.atom, Const) and v.dtype in INTS:
        return int(v.atom.value)
    if not isinstance(v, SILENT):
        ctx.wants_literal(v)
        raise Refused(WrongType(span, f"{what} is a literal int", describe(type_of(v)), "write it out"))
    raise Refused(None)


def choice(ctx: Lowering, v: Value | None, options: Sequence[str], what: str, span: Span) -> str:
    """One of several strings; the first by default."""
    if v is None:
        return options[0]
    if isinstance(v, TextValue) and v.text in options:
        return v.text
    if not isinstance(v, SILENT):
        found = f"{v.text!r}" if isinstance(v, TextValue) else describe(type_of(v))
        raise Refused(WrongType(span, f"{what} is {' or '.join(map(repr, options))}", found))
    raise Refused(None)


def smaller(ctx: Lowering, a: Atom, b: Atom, span: Span) -> Atom:
    """The smaller of two sizes."""
    if a == b:
        return a
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(min(a.value, b.value), I64)
    return ctx.let("n", "min", (a, b), I64, span, nonneg=True)
