"""Padding, blocks and index grids: `np.pad`, `np.block`, `np.append`, `np.indices`."""

from __future__ import annotations

from itertools import chain

from ..arrays.operands import as_array, axis_of, bound, choice, flag, no_floats
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import is_array, rank_of
from ..engine.state import Lowering
from ..engine.values import Poison, ScalarValue, TupleValue, Value, literal
from ..engine.snippets import snippet_value
from ..messages.language import BadCall, Unsupported
from ..types import INTS

_TURNS = {"reflect": "max(2 * (n - 1), 1)", "symmetric": "(2 * n)"}  # period of the border, in cells
_BORDERS = {
    "edge": "np.clip(at, 0, n - 1)",
    "wrap": "at % n",
    "reflect": "np.where(turn < n, turn, 2 * (n - 1) - turn)",
    "symmetric": "np.where(turn < n, turn, 2 * n - 1 - turn)",
}


def _pad(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "mode constant_values")
    a = as_array(ctx, found["array"], args)
    mode = choice(ctx, found.get("mode"), ("constant", *_BORDERS), "`mode`", args.span)
    widths = _pairs(ctx, args, found["pad_width"], rank_of(a), "widths")
    fills = _pairs(ctx, args, found.get("constant_values", literal(0)), rank_of(a), "values")
    no_floats(args, "widths", *chain(*widths))
    for axis, ((before, after), (low, high)) in enumerate(zip(widths, fills, strict=True)):
        if before == after == literal(0):
            continue
        lead = ":, " * axis
        values = {"a": a, "before": before, "after": after, "low": low, "high": high, "axis": literal(axis)}
        negative = 'if before < 0 or after < 0: raise ValueError("index can\'t contain negative values")\n'
        if mode == "constant":
            shape = (
                "("
                + "".join(
                    "{}, ".format(f"before + a.shape[{k}] + after" if k == axis else f"a.shape[{k}]")
                    for k in range(rank_of(a))
                )
                + ")"
            )
            text = (
                f"{negative}n = a.shape[{axis}]\nmade = np.empty({shape}, dtype=a.dtype)\nmade[{lead}:before] = low\n"
                f"made[{lead}before:before + n] = a\nmade[{lead}before + n:] = high\nmade"
            )
        else:
            empty = (
                f"if n == 0 and (before > 0 or after > 0): raise ValueError(\"can't extend empty axis {axis} using "
                "modes other than 'constant' or 'empty'\")\n"
            )
            text = (
                f"{negative}n = a.shape[{axis}]\n{empty}at = np.arange(-before, n + after)\n"
                f"turn = at % {_TURNS.get(mode, 1)}\na[{lead}{_BORDERS[mode]}]"
            )
        a = snippet_value(ctx, args, text, **values)
        if isinstance(a, Poison):
            return a
    return snippet_value(ctx, args, "np.copy(a)", a=a) if a is found["array"] else a


def _pairs(ctx: Lowering, args: Args, v: Value, rank: int, what: str) -> list[tuple[Value, Value]]:
    """A number, a pair, or one pair per axis, expanded to one pair per axis."""

    def pair(x: Value) -> tuple[Value, Value] | None:
        match x:
            case ScalarValue():
                return (x, x)
            case TupleValue(items=(ScalarValue() as one,)):
                return (one, one)
            case TupleValue(items=(ScalarValue() as one, ScalarValue() as other)):
                return (one, other)
        return None

    whole = pair(v)
    if whole is not None:
        return [whole] * rank
    if isinstance(v, TupleValue) and len(v.items) in (1, rank):
        found = [pair(x) for x in v.items]
        if None not in found:
            return found * (rank if len(found) == 1 else 1)
    raise Refused(
        BadCall(args.span, args.name, f"takes {what} as a number, a pair, or a pair for each axis, written out")
    )


def _block(ctx: Lowering, args: Args) -> Value:
    """``np.block`` of nested lists: the innermost are joined along the last axis, the next along the axis before it."""
    found = bound(ctx, args)
    depths = _depths(found["arrays"])
    if len(depths) != 1:
        raise Refused(BadCall(args.span, args.name, "takes lists nested equally deep everywhere"))
    (depth,) = depths
    leaves = [as_array(ctx, v, args) for v in _blocks(found["arrays"])]
    if not leaves:
        raise Refused(None)
    rank = max(depth, *map(rank_of, leaves))

    def joined(v: Value, level: int) -> Value:
        if level == 0:
            lead = "None, " * (rank - rank_of(as_array(ctx, v, args)))
            return (
                snippet_value(ctx, args, f"np.asarray(v)[{lead}...]" if lead else "np.asarray(v)", v=v)
                if lead or not is_array(v)
                else v
            )
        parts = TupleValue(tuple(joined(x, level - 1) for x in v.items))
        return snippet_value(ctx, args, "np.concatenate(parts, axis=axis)", parts=parts, axis=literal(-level))

    return joined(found["arrays"], depth)


def _depths(v: Value) -> set[int]:
    return {d + 1 for x in v.items for d in _depths(x)} if isinstance(v, TupleValue) else {0}


def _blocks(v: Value) -> list[Value]:
    return [b for x in v.items for b in _blocks(x)] if isinstance(v, TupleValue) else [v]


def _append(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "axis")
    if "axis" in found:
        return snippet_value(
            ctx, args, "np.concatenate((a, v), axis=axis)", a=found["arr"], v=found["values"], axis=found["axis"]
        )
    return snippet_value(
        ctx,
        args,
        "np.concatenate((np.atleast_1d(a).ravel(), np.atleast_1d(v).ravel()))",
        a=found["arr"],
        v=found["values"],
    )


def _one_place(text: str) -> Rule:
    """``np.insert`` and ``np.delete`` at one index, of an array of rank 1 or along an axis."""

    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, "axis")
        a = as_array(ctx, found["arr"], args)
        if not (isinstance(found["obj"], ScalarValue) and found["obj"].dtype in INTS):
            raise Refused(
                Unsupported(
                    args.span, f"`{args.name}` at several places", "use `np.concatenate` of the parts between them"
                )
            )
        if "axis" not in found and rank_of(a) != 1:
            a = snippet_value(ctx, args, "a.ravel()", a=a)
        axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(a), args.span)
        values = {
            "a": snippet_value(ctx, args, "np.moveaxis(a, axis, 0)", a=a, axis=literal(axis)),
            "k": found["obj"],
            "axis": literal(axis),
        }
        if "values" in found:
            v = as_array(ctx, found["values"], args)
            if rank_of(v) > 0 and rank_of(a) > 1:
                raise Refused(
                    Unsupported(
                        args.span, f"`{args.name}` of arrays along an axis", "use `np.concatenate` of the parts"
                    )
                )
            lead = (
                "np.atleast_1d(v)"
                if rank_of(a) == 1
                else "np.broadcast_to(v, (1, *a.shape[1:]))".replace(
                    "*a.shape[1:]", ", ".join(f"a.shape[{k}]" for k in range(1, rank_of(a)))
                )
            )
            values["v"] = snippet_value(ctx, args, lead + ".astype(a.dtype)", v=v, a=values["a"])
        return snippet_value(ctx, args, text, **values)

    return apply


_INSERT = """
    n = a.shape[0]
    if k > n or k < -n: raise IndexError("index is out of bounds for the axis that is inserted into")
    at = k if k >= 0 else k + n
    np.moveaxis(np.concatenate((a[:at], v, a[at:]), axis=0), 0, axis)
"""
_DELETE = """
    n = a.shape[0]
    if k >= n or k < -n: raise IndexError("index is out of bounds for the axis that is deleted from")
    at = k if k >= 0 else k + n
    np.moveaxis(np.concatenate((a[:at], a[at + 1:]), axis=0), 0, axis)
"""


# ----------------------------------------------------------------------------------------------------- index grids


def _grid(ctx: Lowering, args: Args) -> Value:
    """``np.indices(shape)``."""
    found = bound(ctx, args)
    sizes = found["dimensions"]
    if not isinstance(sizes, TupleValue) or len(sizes.items) > 3:
        if found is not None:
            raise Refused(BadCall(args.span, args.name, "takes a tuple of up to three sizes, written out"))
        raise Refused(None)
    return snippet_value(ctx, args, "np.stack(parts)", parts=TupleValue(_indices(ctx, args, sizes)))


def _indices(ctx: Lowering, args: Args, sizes: TupleValue) -> tuple[Value, ...]:
    """The index of every cell along each axis."""
    rank = len(sizes.items)
    news = [", ".join(":" if k == axis else "None" for k in range(rank)) for axis in range(rank)]
    return tuple(
        snippet_value(ctx, args, f"np.broadcast_to(np.arange(n)[{new}], shape)", n=n, shape=sizes)
        for n, new in zip(sizes.items, news, strict=True)
    )


def _from_function(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "dtype")
    sizes = found["shape"] if isinstance(found["shape"], TupleValue) else TupleValue((found["shape"],))
    if "dtype" in found:
        raise Refused(
            Unsupported(args.span, f"`dtype=` of `{args.name}`", "convert the indices in the function: `i.astype(int)`")
        )
    parts = {f"i{k}": v for k, v in enumerate(_indices(ctx, args, sizes))}
    return snippet_value(ctx, args, f"f({', '.join(f'{k} * 1.0' for k in parts)})", f=found["function"], **parts)


def _cumulative(name: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, "axis dtype include_initial")
        a = as_array(ctx, found["x"], args)
        if flag(ctx, found, "include_initial", False, args.span) is not False or (
            "axis" not in found and rank_of(a) != 1
        ):
            raise Refused(
                BadCall(
                    args.span, args.name, "takes the axis of an array that has several, and no `include_initial` here"
                )
            )
        more = "".join(f", {k}={k}" for k in ("axis", "dtype") if k in found)
        return snippet_value(ctx, args, f"np.{name}(x{more})", **{**found, "x": a})

    return apply


RULES: dict[str, Rule] = {
    "numpy.pad": _pad,
    "numpy.block": _block,
    "numpy.append": _append,
    "%numpy.insert": _one_place(_INSERT),
    "%numpy.delete": _one_place(_DELETE),
    "numpy.cumulative_sum": _cumulative("cumsum"),
    "numpy.cumulative_prod": _cumulative("cumprod"),
    "numpy.indices": _grid,
    "numpy.fromfunction": _from_function,
}
enter_rules(RULES)
