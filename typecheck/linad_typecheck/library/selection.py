"""Selection of cells by index, condition or order, and properties of arrays: functions with a one-line definition."""

from __future__ import annotations

from ..arrays.from_parts import array_of_values
from ..arrays.operands import as_array, axis_of, bound, choice, no_floats
from ..arrays.shapes import is_in_order, reshaped
from ..engine.elementwise import common_shape
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import dtype_of, is_array, rank_of, shape_of
from ..engine.state import Lowering
from ..engine.values import (
    SILENT, ArrayValue, NoneValue, ScalarValue, TupleValue, Value, describe, literal, type_of,
)
from ..engine.snippets import snippet_value
from ..messages.language import BadCall
from ..messages.types import WrongType
from .texts import texts


def _take(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "axis")
    a = as_array(ctx, found["a"], args)
    idx = found["indices"] if isinstance(found["indices"], ScalarValue) else as_array(ctx, found["indices"], args)
    if "axis" not in found:
        return snippet_value(ctx, args, "a.ravel()[i]" if rank_of(a) > 1 else "a[i]", a=a, i=idx)
    axis = axis_of(ctx, found["axis"], rank_of(a), args.span)
    return snippet_value(ctx, args, f"a[{':, ' * axis}i]", a=a, i=idx)


def _take_along(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "axis")
    a, idx = (as_array(ctx, found[k], args) for k in ("arr", "indices"))
    if isinstance(args.keywords.get("axis"), NoneValue):
        return snippet_value(ctx, args, "a.ravel()[i]", a=a, i=idx)
    axis = axis_of(ctx, found.get("axis", literal(-1)), rank_of(a), args.span)
    _same_rank(args, a, idx, axis)
    return snippet_value(ctx, args, f"a[{_along(rank_of(a), axis)}]", a=a, i=idx)


def _same_rank(args: Args, a: Value, idx: Value, axis: int | None) -> None:
    if axis is None:
        raise Refused(None)
    if rank_of(idx) != rank_of(a):
        wanted = "`indices` and `arr` must have the same number of dimensions"
        raise Refused(WrongType(args.span, wanted, f"{rank_of(idx)} and {rank_of(a)}"))


def _along(rank: int, axis: int | None) -> str:
    """The index of the cells at ``i`` along an axis."""
    news = lambda k: ", ".join(":" if j == k else "None" for j in range(rank))
    return ", ".join("i" if k == axis else f"np.arange(a.shape[{k}])[{news(k)}]" for k in range(rank))


def _several(ctx: Lowering, args: Args) -> Value:
    """``np.broadcast_arrays(a, b, ...)``."""
    arrays = [as_array(ctx, v, args) for v in args.values]
    if args.keywords or not arrays:
        raise Refused(BadCall(args.span, args.name, "takes arrays"))
    shape = common_shape(ctx, [shape_of(ctx, a, args.span) for a in arrays], args.span)
    sizes = TupleValue(tuple(ScalarValue(n, True) for n in shape))
    return TupleValue(tuple(snippet_value(ctx, args, "np.broadcast_to(a, sizes)", a=a, sizes=sizes) for a in arrays))


def _unravel(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args)
    sizes = found["shape"].items if isinstance(found["shape"], TupleValue) else (found["shape"],)
    k = found["indices"] if isinstance(found["indices"], ScalarValue) else as_array(ctx, found["indices"], args)
    no_floats(args, "indices", k)
    no_floats(args, "sizes", *sizes)
    total = snippet_value(
        ctx, args, " * ".join(f"n{j}" for j in range(len(sizes))) or "1", **{f"n{j}": n for j, n in enumerate(sizes)}
    )
    outside = "np.any((k < 0) | (k >= total))" if is_array(k) else "k < 0 or k >= total"
    k = snippet_value(
        ctx,
        args,
        f"if {outside}: raise ValueError('index is out of bounds for array of this shape')\nk * np.int64(1)",
        k=k,
        total=total,
    )
    places: list[Value] = []
    for n in sizes[:0:-1]:
        places.append(snippet_value(ctx, args, "k % n", k=k, n=n))
        k = snippet_value(ctx, args, "k // n", k=k, n=n)
    return TupleValue((k, *reversed(places)))


def _ravel_index(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args)
    index, sizes = found["multi_index"], found["dims"]
    if not (
        isinstance(index, TupleValue) and isinstance(sizes, TupleValue) and len(index.items) == len(sizes.items) > 0
    ):
        raise Refused(BadCall(args.span, args.name, "takes a tuple of indices and one of as many sizes, written out"))
    no_floats(args, "indices", *index.items)
    no_floats(args, "sizes", *sizes.items)
    place: Value = snippet_value(ctx, args, "np.int64(0)")
    for i, n in zip(index.items, sizes.items, strict=True):
        outside = "np.any((i < 0) | (i >= n))" if is_array(i) else "i < 0 or i >= n"
        text = f"if {outside}: raise ValueError('invalid entry in coordinates array')\nplace * n + i"
        place = snippet_value(ctx, args, text, place=place, i=i, n=n)
    return place


def _copyto(ctx: Lowering, args: Args) -> Value:
    """``np.copyto(dst, src)``: stores to all cells, or to those where a mask holds."""
    found = bound(ctx, args, "casting where")
    choice(ctx, found.get("casting"), ("same_kind",), "`casting`", args.span)
    if not is_array(found["dst"]):
        raise Refused(WrongType(args.span, f"`{args.name}` stores into an array", "something else"))
    src = found["src"] if isinstance(found["src"], ScalarValue) else as_array(ctx, found["src"], args)
    _of_its_kind(args, found["dst"], src)
    if "where" in found:
        text = "dst[...] = np.where(mask, src, dst)\nNone"
        return snippet_value(ctx, args, text, dst=found["dst"], src=src, mask=found["where"])
    return snippet_value(ctx, args, "dst[...] = src\nNone", dst=found["dst"], src=src)


def _of_its_kind(args: Args, a: Value, v: Value) -> None:
    """Refuse floats that would be stored into ints, and numbers that would be stored into bools."""
    kinds, into = "bif", dtype_of(a)
    of = v.dtype if isinstance(v, ScalarValue) else dtype_of(v)
    if kinds.index(of[0]) > kinds.index(into[0]):
        wanted = "numbers are copied to an array of their kind"
        raise Refused(WrongType(args.span, wanted, "floats into ints", "convert them: `.astype(int)`"))


def _stored(ctx: Lowering, args: Args, at: str, into: str, values: str) -> tuple[Value, Value, Value]:
    """The array that a function stores into, where, and what: numbers, or an array of them."""
    found = bound(ctx, args, "mode")
    choice(ctx, found.get("mode"), ("raise",), "`mode`", args.span)
    a, v = found[into], found[values]
    if not is_array(a):
        raise Refused(WrongType(args.span, f"`{args.name}` stores into an array", "something else"))
    text = "np.array([k])" if isinstance(found[at], ScalarValue) else "np.ravel(k)"
    where = snippet_value(ctx, args, text, k=found[at])
    if not isinstance(v, ScalarValue):
        v = snippet_value(ctx, args, "np.ravel(v)", v=v)
    _of_its_kind(args, a, v)
    if at == "mask" and not (isinstance(v, ScalarValue) and v.weak):  # which NumPy casts by the rule 'safe'
        of, into = v.dtype if isinstance(v, ScalarValue) else dtype_of(v), dtype_of(a)
        if of not in (into, "bool") and into != "f64" and (into != "i64" or of == "u64"):
            raise Refused(WrongType(args.span, f"`{args.name}` takes numbers of the array's dtype", of))
    return a, where, v


def _store_at(ctx: Lowering, args: Args, a: Value, where: Value, v: Value) -> Value:
    """Store at the indices of a flattened array; the values are repeated, or some are left out."""
    cells = "v" if isinstance(v, ScalarValue) else "np.resize(v, k.size)"
    index = "k" if rank_of(a) == 1 else "np.unravel_index(k, a.shape)"
    return snippet_value(ctx, args, f"a[{index}] = {cells}\nNone", a=a, k=where, v=v)


def _put(ctx: Lowering, args: Args) -> Value:
    """``np.put(a, ind, v)``: stores at the indices of a flattened array."""
    a, k, v = _stored(ctx, args, "ind", "a", "v")
    no_floats(args, "indices", k)
    outside = "if np.any((k < -a.size) | (k >= a.size)): raise IndexError('index is out of bounds for the array')"
    k = snippet_value(ctx, args, f"{outside}\nnp.where(k < 0, k + a.size, k)", a=a, k=k)
    return _store_at(ctx, args, a, k, v)


def _place(ctx: Lowering, args: Args) -> Value:
    """``np.place(arr, mask, vals)``: stores one value after the other where a mask holds."""
    a, mask, v = _stored(ctx, args, "mask", "arr", "vals")
    same = "if mask.size != a.size: raise ValueError('place: mask and data must be the same size')"
    k = snippet_value(ctx, args, f"{same}\nnp.flatnonzero(mask)", a=a, mask=mask)
    empty = "if v.size == 0 and k.size > 0: raise ValueError('Cannot insert from an empty array!')\nv"
    return _store_at(ctx, args, a, k, v if isinstance(v, ScalarValue) else snippet_value(ctx, args, empty, v=v, k=k))


def _put_mask(ctx: Lowering, args: Args) -> Value:
    """``np.putmask(a, mask, values)``: stores values where a mask holds, each at its own place."""
    a, mask, v = _stored(ctx, args, "mask", "a", "values")
    same = "if mask.size != a.size: raise ValueError('putmask: mask and data must be the same size')\n"
    cells = "v" if isinstance(v, ScalarValue) else "np.resize(v, a.shape)"
    text = f"{same}a[...] = np.where(mask.reshape(a.shape) != 0, {cells}, a)\nNone"
    return snippet_value(ctx, args, text, a=a, mask=mask, v=v)


def _put_along(ctx: Lowering, args: Args) -> Value:
    """``np.put_along_axis(arr, indices, values, axis)``."""
    found = bound(ctx, args)
    a, k, v = found["arr"], as_array(ctx, found["indices"], args), found["values"]
    if not is_array(a):
        raise Refused(WrongType(args.span, f"`{args.name}` stores into an array", "something else"))
    axis = axis_of(ctx, found["axis"], rank_of(a), args.span)
    _same_rank(args, a, k, axis)
    return snippet_value(ctx, args, f"a[{_along(rank_of(a), axis)}] = v\nNone", a=a, i=k, v=v)


def _contiguous(ctx: Lowering, args: Args) -> Value:
    """``np.ascontiguousarray(a)``: the array itself if it is in C order, otherwise a copy."""
    found = bound(ctx, args, "dtype")
    a = as_array(ctx, found["a"], args)
    if "dtype" in found:
        return snippet_value(ctx, args, "np.array(a, dtype=dtype)", a=a, dtype=found["dtype"])
    if not rank_of(a):
        return snippet_value(ctx, args, "np.atleast_1d(a)", a=a)
    sizes = TupleValue(tuple(ScalarValue(n, True) for n in shape_of(ctx, a, args.span)))
    return a if isinstance(a, ArrayValue) and is_in_order(ctx, a.var) else reshaped(ctx, a, sizes, args, True)


_DIAGONAL = """
    n = min(a.shape[0], a.shape[1])
    a[np.arange(n), np.arange(n)] = val
    None
"""


def _open_mesh(ctx: Lowering, args: Args) -> Value:
    """``np.ix_(rows, columns)``: the indices of each axis, along separate axes."""
    names = [f"a{k}" for k in range(len(args.values))]
    if args.keywords or not names:
        raise Refused(BadCall(args.span, args.name, "takes arrays of indices"))
    found: list[Value] = []
    for v in args.values:
        v = array_of_values(ctx, v, None, "at", args.span) if isinstance(v, TupleValue) else v
        if not is_array(v) or rank_of(v) != 1:
            if not isinstance(v, SILENT):
                raise Refused(WrongType(args.span, f"`{args.name}` is of arrays of rank 1", describe(type_of(v))))
            raise Refused(None)
        found.append(snippet_value(ctx, args, "np.flatnonzero(a)", a=v) if dtype_of(v) == "bool" else v)
    axes = [", ".join(":" if j == k else "None" for j in range(len(names))) for k in range(len(names))]
    text = ", ".join(f"{name}[{axis}]" for name, axis in zip(names, axes, strict=True))
    return snippet_value(ctx, args, f"({text},)", **dict(zip(names, found, strict=True)))


RULES: dict[str, Rule] = {
    "numpy.ix_": _open_mesh,
    "numpy.take": _take,
    "numpy.take_along_axis": _take_along,
    "numpy.broadcast_arrays": _several,
    "numpy.unravel_index": _unravel,
    "numpy.ravel_multi_index": _ravel_index,
    "numpy.fill_diagonal": texts(_DIAGONAL, "a", "val", needed=2, ranks=(2,)),
    "numpy.copyto": _copyto,
    "numpy.put": _put,
    "numpy.putmask": _put_mask,
    "numpy.place": _place,
    "numpy.put_along_axis": _put_along,
    "numpy.ascontiguousarray": _contiguous,
    "numpy.asfortranarray": _contiguous,  # the order of the cells has no meaning here
    "numpy.astype": texts("x.astype(dtype)", "x", "dtype", needed=2),
}
enter_rules(RULES)
