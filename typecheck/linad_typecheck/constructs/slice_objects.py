"""`slice(lo, hi)` as a value: an index, or one part of an index in a tuple."""

from __future__ import annotations

import ast

from ..arrays.slices import is_bound
from ..engine.evaluation import CALLS, operands
from ..engine.refusal import Refused
from ..engine.state import Lowering
from ..engine.values import SILENT, SLICE, NoneValue, TupleValue, Value, describe, type_of
from ..messages.language import BadCall
from ..messages.types import WrongType


def _made(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """``slice(stop)``, ``slice(start, stop)`` or ``slice(start, stop, step)``."""
    span = ctx.span(node)
    if node.keywords or not 1 <= len(node.args) <= 3:
        raise Refused(BadCall(span, name, "takes 1 to 3 arguments and no keywords"))
    bounds = operands(ctx, node.args, none=True)
    for v in bounds:
        if isinstance(v, SILENT):
            raise Refused(None)
        if not is_bound(v):
            raise Refused(WrongType(span, "the bounds of a slice are ints", describe(type_of(v))))
    start, stop, step = [NoneValue(), *bounds, NoneValue()] if len(bounds) == 1 else [*bounds, NoneValue()][:3]
    return TupleValue((start, stop, step), SLICE)


CALLS["builtins.slice"] = _made
