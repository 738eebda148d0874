"""Cells picked out by index, condition or order, and what is found out about arrays: functions that one text says."""

from __future__ import annotations

from ..arrays.from_parts import array_of_values
from ..arrays.operands import are_ints, as_array, axis_of, bound, choice, flag
from ..arrays.shapes import laid_out, reshaped
from ..engine.elementwise import common_shape
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import dtype_of, is_array, rank_of, shape_of
from ..engine.state import Lowering
from ..engine.values import (
    SILENT, ArrayValue, NoneValue, Poison, ScalarValue, TupleValue, Value, describe, literal, type_of,
)
from ..engine.written import written
from ..messages.language import BadCall
from ..messages.types import WrongType
from ..types import FLOATS
from .texts import texts

_CLOSE = "np.all((a == b) | (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b))"


def _take(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("a", "indices", "axis", "out"), 2)
    a = None if found is None else as_array(ctx, found["a"], args)
    if a is None:
        return Poison()
    idx = found["indices"] if isinstance(found["indices"], ScalarValue) else as_array(ctx, found["indices"], args)
    if idx is None:
        return Poison()
    if "axis" not in found:
        return written(ctx, args, "a.ravel()[i]" if rank_of(a) > 1 else "a[i]", a=a, i=idx)
    axis = axis_of(ctx, found["axis"], rank_of(a), args.span)
    return Poison() if axis is None else written(ctx, args, f"a[{':, ' * axis}i]", a=a, i=idx)


def _take_along(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("arr", "indices", "axis"), 2)
    a, idx = (None, None) if found is None else (as_array(ctx, found[k], args) for k in ("arr", "indices"))
    if a is None or idx is None:
        return Poison()
    if isinstance(args.keywords.get("axis"), NoneValue):
        return written(ctx, args, "a.ravel()[i]", a=a, i=idx)
    axis = axis_of(ctx, found.get("axis", literal(-1)), rank_of(a), args.span)
    if axis is None or rank_of(idx) != rank_of(a):
        if axis is not None:
            ctx.report(WrongType(args.span, "`indices` and `arr` must have the same number of dimensions", f"{rank_of(idx)} and {rank_of(a)}"))
        return Poison()
    rank = rank_of(a)
    news = lambda k: ", ".join(":" if j == k else "None" for j in range(rank))
    parts = ["i" if k == axis else f"np.arange(a.shape[{k}])[{news(k)}]" for k in range(rank)]
    return written(ctx, args, f"a[{', '.join(parts)}]", a=a, i=idx)


def _select(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("condlist", "choicelist", "default"), 2)
    if found is None:
        return Poison()
    conditions, choices = found["condlist"], found["choicelist"]
    if not (isinstance(conditions, TupleValue) and isinstance(choices, TupleValue) and len(conditions.items) == len(choices.items) > 0):
        ctx.report(BadCall(args.span, args.name, "takes a list of conditions and one of as many values, written out"))
        return Poison()
    value = found.get("default", literal(0))
    for c in conditions.items:
        dtype = c.dtype if isinstance(c, ScalarValue) else dtype_of(c) if is_array(c) else "bool"
        if dtype != "bool":
            ctx.report(WrongType(args.span, f"conditions of `{args.name}` are bools", describe(type_of(c)), "compare: `c != 0`"))
            return Poison()
    for c, v in list(zip(conditions.items, choices.items, strict=True))[::-1]:
        value = written(ctx, args, "np.where(c, v, other)", c=c, v=v, other=value)
    return value


def _several(ctx: Lowering, args: Args) -> Value:
    """``np.broadcast_arrays(a, b, ...)``."""
    arrays = [as_array(ctx, v, args) for v in args.values]
    if args.keywords or not arrays or None in arrays:
        ctx.report(BadCall(args.span, args.name, "takes arrays"))
        return Poison()
    shape = common_shape(ctx, [shape_of(ctx, a, args.span) for a in arrays], args.span)
    if shape is None:
        return Poison()
    sizes = TupleValue(tuple(ScalarValue(n, True) for n in shape))
    return TupleValue(tuple(written(ctx, args, "np.broadcast_to(a, sizes)", a=a, sizes=sizes) for a in arrays))


def _unravel(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("indices", "shape"), 2)
    if found is None:
        return Poison()
    sizes = found["shape"].items if isinstance(found["shape"], TupleValue) else (found["shape"],)
    k = found["indices"] if isinstance(found["indices"], ScalarValue) else as_array(ctx, found["indices"], args)
    if k is None or not are_ints(ctx, args, "indices", k) or not are_ints(ctx, args, "sizes", *sizes):
        return Poison()
    total = written(ctx, args, " * ".join(f"n{j}" for j in range(len(sizes))) or "1", **{f"n{j}": n for j, n in enumerate(sizes)})
    outside = "np.any((k < 0) | (k >= total))" if is_array(k) else "k < 0 or k >= total"
    k = written(ctx, args, f"if {outside}: raise ValueError('index is out of bounds for array of this shape')\nk * np.int64(1)", k=k, total=total)
    places: list[Value] = []
    for n in sizes[:0:-1]:
        places.append(written(ctx, args, "k % n", k=k, n=n))
        k = written(ctx, args, "k // n", k=k, n=n)
    return TupleValue((k, *reversed(places)))


def _ravel_index(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("multi_index", "dims"), 2)
    if found is None:
        return Poison()
    index, sizes = found["multi_index"], found["dims"]
    if not (isinstance(index, TupleValue) and isinstance(sizes, TupleValue) and len(index.items) == len(sizes.items) > 0):
        ctx.report(BadCall(args.span, args.name, "takes a tuple of indices and one of as many sizes, written out"))
        return Poison()
    if not are_ints(ctx, args, "indices", *index.items) or not are_ints(ctx, args, "sizes", *sizes.items):
        return Poison()
    place: Value = written(ctx, args, "np.int64(0)")
    for i, n in zip(index.items, sizes.items, strict=True):
        outside = "np.any((i < 0) | (i >= n))" if is_array(i) else "i < 0 or i >= n"
        text = f"if {outside}: raise ValueError('invalid entry in coordinates array')\nplace * n + i"
        place = written(ctx, args, text, place=place, i=i, n=n)
    return place


def _equal(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("a1", "a2"), 2)
    pair = [] if found is None else [as_array(ctx, found[k], args) for k in ("a1", "a2")]
    if not pair or None in pair:
        return Poison()
    if rank_of(pair[0]) != rank_of(pair[1]):
        return literal(False)
    a, b = (written(ctx, args, "np.asarray(a)", a=v) if rank_of(v) else v for v in pair)
    same = " and ".join(f"a.shape[{k}] == b.shape[{k}]" for k in range(rank_of(a)))
    return written(ctx, args, f"bool({same + ' and ' if same else ''}np.all(a == b))", a=a, b=b)


def _sorted_search(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("x", "bins", "right"), 2)
    right = None if found is None else flag(ctx, found, "right", False, args.span)
    bins = None if right is None else as_array(ctx, found["bins"], args)
    if bins is None:
        return Poison()
    if rank_of(bins) != 1:
        ctx.report(WrongType(args.span, "bins are an array of rank 1", f"rank {rank_of(bins)}"))
        return Poison()
    text = f"""
        falls = np.any(bins[1:] < bins[:-1])
        rising = np.where(falls, bins[::-1], bins)
        if np.any(rising[1:] < rising[:-1]): raise ValueError("bins must be monotonically increasing or decreasing")
        found = np.searchsorted(rising, x, side="{'left' if right else 'right'}")
        np.where(falls, bins.shape[0] - found, found)
    """
    return written(ctx, args, text, bins=bins, x=found["x"])


def _lexsort(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("keys",))
    if found is None:
        return Poison()
    keys = found["keys"].items if isinstance(found["keys"], TupleValue) else ()
    if not keys or any(not is_array(k) or rank_of(k) != 1 for k in keys):
        ctx.report(BadCall(args.span, args.name, "takes a tuple of arrays of rank 1, the most important one last"))
        return Poison()
    order = written(ctx, args, "np.argsort(key, kind='stable')", key=keys[0])
    for key in keys[1:]:
        order = written(ctx, args, "order[np.argsort(key[order], kind='stable')]", key=key, order=order)
    return order


def _nan_place(name: str, fill: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, ("a", "axis", "out", "keepdims"))
        a = None if found is None else as_array(ctx, found["a"], args)
        if a is None:
            return Poison()
        given = {"a": a, "axis": found.get("axis", NoneValue()), "kept": found.get("keepdims", literal(False))}
        if dtype_of(a) not in FLOATS:
            return written(ctx, args, f"np.{name}(a, axis=axis, keepdims=kept)", **given)
        text = f"""
            nans = np.isnan(a)
            if np.any(np.all(nans, axis=axis)): raise ValueError("All-NaN slice encountered")
            np.{name}(np.where(nans, {fill}, a), axis=axis, keepdims=kept)
        """
        return written(ctx, args, text, **given)

    return apply


def _triangle(upper: bool, of: bool) -> Rule:
    """``np.tril_indices(n, k, m)`` and ``np.tril_indices_from(a, k)``."""

    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, ("arr", "k") if of else ("n", "k", "m"))
        if found is None:
            return Poison()
        n = written(ctx, args, "arr.shape[0]", arr=found["arr"]) if of else found["n"]
        m = written(ctx, args, "arr.shape[1]", arr=found["arr"]) if of else found.get("m", n)
        sign = "<=" if upper else ">="
        text = f"np.nonzero(np.arange(n)[:, None] {sign} np.arange(m)[None, :] - k)"
        return written(ctx, args, text, n=n, m=m, k=found.get("k", literal(0)))

    return apply


def _copyto(ctx: Lowering, args: Args) -> Value:
    """``np.copyto(dst, src)`` stores all cells."""
    found = bound(ctx, args, ("dst", "src", "casting", "where"), 2)
    if found is None or choice(ctx, found.get("casting"), ("same_kind",), "`casting`", args.span) is None:
        return Poison()
    if not is_array(found["dst"]):
        ctx.report(WrongType(args.span, f"`{args.name}` stores into an array", "something else"))
        return Poison()
    src = found["src"] if isinstance(found["src"], ScalarValue) else as_array(ctx, found["src"], args)
    if src is None:
        return Poison()
    kinds = "bif"
    if kinds.index((src.dtype if isinstance(src, ScalarValue) else dtype_of(src))[0]) > kinds.index(dtype_of(found["dst"])[0]):
        ctx.report(WrongType(args.span, "numbers are copied to an array of their kind", "floats into ints", "convert them: `.astype(int)`"))
        return Poison()
    return written(ctx, args, "dst[...] = src\nNone", dst=found["dst"], src=src)


def _contiguous(ctx: Lowering, args: Args) -> Value:
    """``np.ascontiguousarray(a)``: the array itself where its cells lie next to each other in the order of C, else a copy."""
    found = bound(ctx, args, ("a", "dtype"))
    a = None if found is None else as_array(ctx, found["a"], args)
    if a is None:
        return Poison()
    if "dtype" in found:
        return written(ctx, args, "np.array(a, dtype=dtype)", a=a, dtype=found["dtype"])
    if not rank_of(a):
        return written(ctx, args, "np.atleast_1d(a)", a=a)
    sizes = TupleValue(tuple(ScalarValue(n, True) for n in shape_of(ctx, a, args.span)))
    return a if isinstance(a, ArrayValue) and laid_out(ctx, a.var) else reshaped(ctx, a, sizes, args, True)


_DIAGONAL = """
    n = min(a.shape[0], a.shape[1])
    a[np.arange(n), np.arange(n)] = val
    None
"""
def _open_mesh(ctx: Lowering, args: Args) -> Value:
    """``np.ix_(rows, columns)``: indices of each axis, along axes of their own."""
    names = [f"a{k}" for k in range(len(args.values))]
    if args.keywords or not names:
        ctx.report(BadCall(args.span, args.name, "takes arrays of indices"))
        return Poison()
    found: list[Value] = []
    for v in args.values:
        v = array_of_values(ctx, v, None, "at", args.span) if isinstance(v, TupleValue) else v
        if not is_array(v) or rank_of(v) != 1:
            if not isinstance(v, SILENT):
                ctx.report(WrongType(args.span, f"`{args.name}` is of arrays of rank 1", describe(type_of(v))))
            return Poison()
        found.append(written(ctx, args, "np.flatnonzero(a)", a=v) if dtype_of(v) == "bool" else v)
    axes = [", ".join(":" if j == k else "None" for j in range(len(names))) for k in range(len(names))]
    text = ", ".join(f"{name}[{axis}]" for name, axis in zip(names, axes, strict=True))
    return written(ctx, args, f"({text},)", **dict(zip(names, found, strict=True)))


RULES: dict[str, Rule] = {
    "numpy.ix_": _open_mesh,
    "numpy.take": _take,
    "numpy.take_along_axis": _take_along,
    "numpy.select": _select,
    "numpy.compress": texts("a.ravel()[np.nonzero(condition)[0]]", "condition", "a", needed=2, ranks=(1,)),
    "numpy.extract": texts("arr.ravel()[np.nonzero(condition.ravel())[0]]", "condition", "arr", needed=2),
    "numpy.argwhere": texts("np.stack(np.nonzero(a), axis=1)", "a", ranks=(1, 2, 3, 4)),
    "numpy.broadcast_arrays": _several,
    "numpy.unravel_index": _unravel,
    "numpy.ravel_multi_index": _ravel_index,
    "numpy.array_equal": _equal,
    "numpy.allclose": texts(f"bool({_CLOSE})", "a", "b", "rtol", "atol", needed=2, rtol="1e-5", atol="1e-8"),
    "numpy.digitize": _sorted_search,
    "numpy.isin": texts("np.any(element[..., None] == test.ravel(), axis=-1)", "element", "test", needed=2),
    "numpy.lexsort": _lexsort,
    "numpy.nanargmax": _nan_place("argmax", "-np.inf"),
    "numpy.nanargmin": _nan_place("argmin", "np.inf"),
    "numpy.tril_indices": _triangle(False, False),
    "numpy.triu_indices": _triangle(True, False),
    "numpy.tril_indices_from": _triangle(False, True),
    "numpy.triu_indices_from": _triangle(True, True),
    "numpy.diag_indices": texts("(np.arange(n), np.arange(n))", "n"),
    "numpy.diag_indices_from": texts(
        "if a.shape[0] != a.shape[1]: raise ValueError('All dimensions of input must be of equal length')\n"
        "(np.arange(a.shape[0]), np.arange(a.shape[0]))",
        "a", ranks=(2,),
    ),
    "numpy.diagflat": texts("np.diag(v.ravel(), k)", "v", "k", ranks=(1, 2, 3, 4), k="0"),
    "numpy.fill_diagonal": texts(_DIAGONAL, "a", "val", needed=2, ranks=(2,)),
    "numpy.copyto": _copyto,
    "numpy.ascontiguousarray": _contiguous,
    "numpy.logspace": texts("base ** np.linspace(start, stop, num, endpoint=endpoint)", "start", "stop", "num", "endpoint", "base", needed=2, num="50", endpoint="True", base="10.0"),
    "numpy.geomspace": texts(
        """
        if start == 0.0 or stop == 0.0: raise ValueError("Geometric sequence cannot include zero")
        sign = -1.0 if start < 0.0 and stop < 0.0 else 1.0 if start == start else np.nan
        between = sign * np.exp2(np.linspace(np.log2(sign * start), np.log2(sign * stop), num, endpoint=endpoint))
        k = np.arange(num)
        np.where(k == 0, start, np.where((k == num - 1) & endpoint, sign * (sign * stop), between))
        """,
        "start", "stop", "num", "endpoint", needed=2, num="50", endpoint="True",
    ),
    "numpy.permute_dims": texts("np.transpose(a, axes)", "a", "axes", needed=2),
    "numpy.matrix_transpose": texts("np.swapaxes(x, -1, -2)", "x", ranks=(2, 3, 4)),
    "numpy.real": texts("val", "val"),
    "numpy.conj": texts("+x", "x"),
    "numpy.conjugate": texts("+x", "x"),
    "numpy.isreal": texts("np.zeros_like(x) == 0", "x", ranks=(1, 2, 3, 4)),
    "numpy.iscomplex": texts("np.zeros_like(x) != 0", "x", ranks=(1, 2, 3, 4)),
    "numpy.angle": texts("np.where(np.isnan(z), z, 0.5 * np.pi - np.copysign(0.5 * np.pi, z))", "z"),
    "numpy.astype": texts("x.astype(dtype)", "x", "dtype", needed=2),
    "numpy.linalg.trace": texts("np.trace(x)", "x", ranks=(2,)),
    "numpy.linalg.cross": texts("np.cross(a, b)", "a", "b", needed=2),
    "numpy.linalg.diagonal": texts("np.diagonal(x)", "x", ranks=(2,)),
    "numpy.linalg.matrix_transpose": texts("np.swapaxes(x, -1, -2)", "x", ranks=(2, 3, 4)),
    "numpy.linalg.vector_norm": texts("np.linalg.norm(x.ravel())", "x", ranks=(1, 2, 3, 4)),
    "numpy.linalg.matrix_norm": texts("np.linalg.norm(x, axis=(-2, -1))", "x", ranks=(2, 3, 4)),
}
enter_rules(RULES)
