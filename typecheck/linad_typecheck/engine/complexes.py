"""Complex numbers as values: pairs of real numbers, or of real arrays of one shape (`COMPLEX` in `values`)."""

from __future__ import annotations

from ..span import Span
from ..types import FLOATS
from .elementwise import lift
from .numbers import cast
from .places import force_delayed, fresh_array
from .sizes import dtype_of, is_array, rank_of, shape_of
from .state import Lowering, zero
from .values import COMPLEX, SILENT, ScalarValue, TupleValue, Value, is_complex


def pair(ctx: Lowering, real: Value, imag: Value, span: Span, hint: str = "t") -> Value:
    """The complex number, or array of them, with these real and imaginary parts. Arrays of one rank have one shape."""
    silent = next((v for v in (real, imag) if isinstance(v, SILENT)), None)
    if silent is not None:
        return silent
    return TupleValue((_part(ctx, real, imag, span, hint), _part(ctx, imag, real, span, hint)), COMPLEX)


def _part(ctx: Lowering, own: Value, other: Value, span: Span, hint: str) -> Value:
    """One part, with the shape and dtype that it has beside the other one. Names hold it, so it is evaluated."""
    types = [dtype_of(v) if is_array(v) else v.dtype for v in (own, other)]
    dtype = "f32" if "f32" in types and not {"f64", "i64", "i32"} & set(types) else "f64"
    ranks = [rank_of(v) if is_array(v) else 0 for v in (own, other)]
    if types[0] == dtype and ranks[0] == ranks[1]:
        return force_delayed(ctx, own, hint, span)
    weak = all(isinstance(v, ScalarValue) and v.weak for v in (own, other))
    convert = lambda v: ScalarValue(cast(ctx, v[0].atom, dtype, span), weak)
    return force_delayed(ctx, lift(ctx, (own, other), convert, span, hint), hint, span)


def as_complex(ctx: Lowering, v: Value | None, span: Span) -> Value | None:
    """A real number, or an array of them, as complex; any other value as it is."""
    if isinstance(v, ScalarValue):
        dtype = v.dtype if v.dtype in FLOATS else "f64"
        return TupleValue(
            (ScalarValue(cast(ctx, v.atom, dtype, span), v.weak), ScalarValue(zero(dtype), v.weak)), COMPLEX
        )
    if v is None or is_complex(v) or not is_array(v):
        return v
    dtype = dtype_of(v)
    return TupleValue((v, fresh_array(ctx, "imag", shape_of(ctx, v, span), dtype, zero(dtype), span)), COMPLEX)
