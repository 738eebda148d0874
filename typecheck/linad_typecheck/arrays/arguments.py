"""Arguments of library functions that denote a dtype or a shape."""

from __future__ import annotations

from ..ir.core import Atom, Check, Const
from ..engine.numbers import as_index
from ..engine.provenance import not_an_int
from ..engine.refusal import Refused, require_rank
from ..engine.sequences import unpacked
from ..engine.sizes import dtype_of as array_dtype
from ..engine.sizes import is_array, rank_of, size_of
from ..engine.state import Lowering
from ..engine.values import (
    SILENT, DTypeValue, EntityValue, ScalarValue, TextValue, TupleValue, Value, describe, type_of,
)
from ..messages.types import WrongType
from ..names.scope import External
from ..span import Span
from ..types import BOOL, DTYPE_CLASSES, I64, INTS, WORDS_OF_DTYPES, DType, dtype_of_text


def dtype_of(ctx: Lowering, v: Value, span: Span) -> DType:
    """The dtype given by an argument ``dtype=v``."""
    match v:
        case DTypeValue(dtype=d):
            return d
        case EntityValue(entity=External(dotted=dotted)) if dotted in DTYPE_CLASSES:
            return DTYPE_CLASSES[dotted]
        case TextValue(text=text) if dtype_of_text(text) is not None:
            return dtype_of_text(text)
    if not isinstance(v, SILENT):
        found = repr(v.text) if isinstance(v, TextValue) else describe(type_of(v))
        raise Refused(WrongType(span, f"a dtype is {WORDS_OF_DTYPES}", found, _instead_of_dtype(v)))
    raise Refused(None)


def _instead_of_dtype(v: Value) -> str:
    """A suggestion for a value that is not a dtype."""
    match v:
        case ScalarValue():
            return "a shape of several sizes is one tuple: `np.zeros((m, n))`"
        case EntityValue(entity=External(dotted="builtins.object")):
            return "arrays hold numbers: keep arrays of different sizes in a tuple"
    return "write `dtype=np.float64`, or leave it out"


def sizes_in(ctx: Lowering, v: Value, span: Span) -> tuple[Value, ...]:
    """The items of a shape: an int, a tuple of ints, or an array of ints of known length."""
    if is_array(v) and rank_of(v) == 1 and array_dtype(v) in INTS and isinstance(n := size_of(ctx, v, 0, span), Const):
        return unpacked(ctx, v, n.value, span)
    return v.items if isinstance(v, TupleValue) else (v,)


def shape_of(ctx: Lowering, v: Value, span: Span) -> tuple[Atom, ...]:
    """The shape given by an int or a tuple of ints; a negative size raises ValueError."""
    items = sizes_in(ctx, v, span)
    atoms: list[Atom] = []
    for item in items:
        if isinstance(item, ScalarValue) and item.dtype in INTS:
            n = as_index(ctx, item.atom, span)
            if not ctx.is_nonneg(n):
                ok = Const(False, BOOL) if isinstance(n, Const) else ctx.let("ok", "ge", (n, Const(0, I64)), BOOL, span)
                ctx.emit(Check(ok, "ValueError", "negative dimensions are not allowed", (), span))
                ctx.not_negative(n)
            atoms.append(n)
        else:
            if not isinstance(item, SILENT):
                not_an_int(ctx, "a shape is an int or a tuple of ints", item, span)
            raise Refused(None)
    require_rank(span, len(atoms))
    return tuple(atoms)
