"""Windows of arrays: `sliding_window_view`, and `as_strided` with the strides of the array itself.

NumPy gives a view with several axes along one axis of the array. Here it is a copy, which is recorded as one that
stands for the array: after an update of the array it is not used any more.
"""

from __future__ import annotations

from functools import cache

from ..arrays.arguments import sizes_in
from ..arrays.operands import as_array, axis_of, bound
from ..engine.places import as_view, force_delayed, materialise
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import AnyArray, is_array, rank_of
from ..engine.snippets import snippet_value
from ..engine.state import Lowering
from ..engine.values import ArrayValue, NoneValue, TupleValue, Value, ViewValue, literal
from ..messages.language import Unsupported
from ..names.scope import RecordClass, RecordField
from ..ownership.state import record_copy
from ..span import Span

_INSTEAD = "write `sliding_window_view(x, n)`, or take cells by indices: `x[np.arange(m)[:, None] + np.arange(n)]`"


def strides_of(ctx: Lowering, v: Value, span: Span) -> Value:
    """``x.strides``: numbers that only `as_strided` of the same array takes, because layout is not visible."""
    if not isinstance(v, ArrayValue | ViewValue):
        raise Refused(Unsupported(span, "the attribute `.strides` of this array", _INSTEAD))
    cls = _stride(f"%stride of {v.var.name} {as_view(v).view}")
    return TupleValue(tuple(TupleValue((literal(k),), cls) for k in range(rank_of(v))))


@cache
def _stride(mark: str) -> RecordClass:
    return RecordClass("stride", mark, False, (RecordField("axis"),), mark=mark)


def _sliding(ctx: Lowering, args: Args) -> Value:
    """``sliding_window_view(x, window_shape, axis=None)``."""
    found = bound(ctx, args, "axis subok writeable")
    x = force_delayed(ctx, as_array(ctx, found["x"], args), "x", args.span)
    sizes = sizes_in(ctx, found["window_shape"], args.span)
    of = found.get("axis", NoneValue())
    if isinstance(of, NoneValue):
        axes = list(range(rank_of(x)))
    else:
        axes = [axis_of(ctx, a, rank_of(x), args.span) for a in (of.items if isinstance(of, TupleValue) else (of,))]
    if len(axes) != len(sizes):
        what = f"`{args.name}` of {len(sizes)} sizes and {len(axes)} axes"
        raise Refused(Unsupported(args.span, what, "give one size for each axis, or `axis=`"))
    made: Value = x
    for axis, size in zip(axes, sizes, strict=True):
        text = """
            n = a.shape[axis] - w + 1
            if w < 0: raise ValueError("`window_shape` cannot contain negative values")
            if n < 1: raise ValueError("window shape cannot be larger than input array shape")
            np.moveaxis(np.take(a, np.arange(n)[:, None] + np.arange(w), axis=axis), axis + 1, -1)
        """
        made = snippet_value(ctx, args, text, a=made, w=size, axis=literal(axis))
    return _standing_for(ctx, made, x, args)


def _strided(ctx: Lowering, args: Args) -> Value:
    """``as_strided(x, shape, strides)`` with strides of ``x``: the indices along its axes are sums of those of the
    result."""
    found = bound(ctx, args, "shape strides subok writeable")
    x = force_delayed(ctx, as_array(ctx, found["x"], args), "x", args.span)
    strides, own = found.get("strides", NoneValue()), strides_of(ctx, x, args.span)
    shape = sizes_in(ctx, found.get("shape", NoneValue()), args.span)
    given = strides.items if isinstance(strides, TupleValue) else ()
    if len(given) != len(shape) or any(g not in own.items for g in given):
        what = f"`{args.name}` with strides that are not those of the array"
        raise Refused(Unsupported(args.span, what, _INSTEAD))
    axes = [g.items[0].atom.value for g in given]
    names = [f"n{k}" for k in range(len(shape))]
    index = [" + ".join(["0", *(_range(k, names) for k, a in enumerate(axes) if a == j)]) for j in range(rank_of(x))]
    tests = [f'if {n} < 0: raise ValueError("negative dimensions are not allowed")' for n in names]
    text = "\n".join([*tests, f"a[{', '.join(index)}]" if shape else "a.copy()"])
    made = snippet_value(ctx, args, text, a=x, **dict(zip(names, shape, strict=True)))
    return _standing_for(ctx, made, x, args)


def _range(k: int, names: list[str]) -> str:
    """The indices along axis ``k`` of the result, which broadcast against those along other axes."""
    return f"np.arange({names[k]})[{', '.join(':' if k == j else 'None' for j in range(len(names)))}]"


def _standing_for(ctx: Lowering, made: Value, x: AnyArray, args: Args) -> Value:
    if not is_array(made):
        return made
    copy = materialise(ctx, made, args.hint, args.span)
    record_copy(ctx, copy.var, x, args.span)
    return copy


RULES: dict[str, Rule] = {
    "numpy.lib.stride_tricks.sliding_window_view": _sliding,
    "numpy.lib.stride_tricks.as_strided": _strided,
}
enter_rules(RULES)
