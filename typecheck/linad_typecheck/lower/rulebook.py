"""What rules for library functions are made of: the evaluated arguments of a call, and scalars among them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..frozen import frozen
from ..messages.language import BadCall
from ..span import Span
from .context import Lowering
from .numbers import as_scalar
from .values import ScalarValue, Value


@frozen
class Args:
    """The evaluated arguments of a library call."""

    name: str
    span: Span
    values: tuple[Value, ...]
    keywords: dict[str, Value]
    hint: str = "t"
    node: ast.expr | None = None  # the call


Rule = Callable[[Lowering, Args], Value]


def scalars(ctx: Lowering, args: Args, least: int, most: int | None = None) -> list[ScalarValue] | None:
    """The arguments as scalars, counted; None where that was reported."""
    most = least if most is None else most
    if args.keywords or not least <= len(args.values) <= most:
        takes = "1 argument" if most == 1 else f"{least} arguments" if least == most else f"{least} to {most} arguments"
        ctx.report(BadCall(args.span, args.name, f"takes {takes}" + (" and no keywords" if args.keywords else "")))
        return None
    instead = "" if all(isinstance(v, ScalarValue) for v in args.values) else of_arrays(args.name)
    found = [as_scalar(ctx, v, args.span, f"`{args.name}` is applied to scalars here", instead) for v in args.values]
    return None if None in found else found


def of_arrays(name: str, several: bool = False) -> str:
    """What takes arrays in place of a function of scalars."""
    from .externals import is_known

    last = name.rpartition(".")[2]
    if several and last in ("min", "max"):
        return f"write `np.{last}imum`, which works cell by cell"
    found = next((n for n in (last, f"arc{last[1:]}", _OF_ARRAYS.get(last, "")) if n and is_known(f"numpy.{n}")), "")
    return f"write `np.{found}`, which takes arrays" if found else ""


_OF_ARRAYS = {"pow": "power", "atan2": "arctan2", "fabs": "abs", "min": "min", "max": "max"}


def strong(v: Value) -> Value:
    """A scalar as NumPy's own, which is not weak."""
    return ScalarValue(v.atom) if isinstance(v, ScalarValue) else v
