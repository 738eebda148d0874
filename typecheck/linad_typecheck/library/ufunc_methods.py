"""Products, sums and scans under other names: `np.tensordot`, `np.add.outer`, `np.maximum.accumulate`."""

from __future__ import annotations

from ..arrays.operands import as_array, axis_of, bound, literal_int, no_bools
from ..ir.core import Const
from ..engine.refusal import Refused, require_rank
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import dtype_of, rank_of
from ..engine.state import Lowering
from ..engine.values import NoneValue, ScalarValue, TupleValue, Value, literal
from ..engine.snippets import snippet_value
from ..messages.language import BadCall, Unsupported
from ..types import INTS, LIMITS, Scalar
from .products import common_dtype
from .scans import running

NONE = NoneValue()


def _tensordot(ctx: Lowering, args: Args) -> Value:
    """One matrix product, after the contracted axes are moved last in the first operand and first in the second."""
    found = bound(ctx, args, "axes")
    a, b = (as_array(ctx, v, args) for v in list(found.values())[:2])
    ranks, axes = (rank_of(a), rank_of(b)), found.get("axes", literal(2))
    if isinstance(axes, ScalarValue):
        n = literal_int(ctx, axes, 2, "the number of axes", args.span)
        pairs: list[list[int | None]] | None = [list(range(ranks[0] - n, ranks[0])), list(range(n))]
    elif isinstance(axes, TupleValue) and len(axes.items) == 2:
        pairs = [
            [axis_of(ctx, k, r, args.span) for k in (v.items if isinstance(v, TupleValue) else (v,))]
            for v, r in zip(axes.items, ranks, strict=True)
        ]
    else:
        pairs = None
    if pairs is None or None in pairs[0] + pairs[1] or len(pairs[0]) != len(pairs[1]) or len(pairs[0]) > min(ranks):
        raise Refused(BadCall(args.span, args.name, "takes the number of axes, or the axes of each array, written out"))
    rest = [[k for k in range(r) if k not in p] for r, p in zip(ranks, pairs, strict=True)]
    require_rank(args.span, len(rest[0] + rest[1]))
    size = lambda name, ks: " * ".join(f"{name}.shape[{k}]" for k in ks) or "1"
    shape = ", ".join([f"a.shape[{k}]" for k in rest[0]] + [f"b.shape[{k}]" for k in rest[1]])
    same = " or ".join(f"a.shape[{j}] != b.shape[{k}]" for j, k in zip(*pairs, strict=True))
    text = f"""
        m = np.transpose(a, {tuple(rest[0] + pairs[0])}).reshape({size("a", rest[0])}, {size("a", pairs[0])})
        n = np.transpose(b, {tuple(pairs[1] + rest[1])}).reshape({size("b", pairs[1])}, {size("b", rest[1])})
        (m @ n).reshape(({shape}))
    """
    check = f"        if {same}: raise ValueError('shape-mismatch for sum')\n" if same else ""
    return snippet_value(ctx, args, "\n" + check + text.lstrip("\n"), a=a, b=b)


def _summed(product: str, axis: str, sizes: tuple[str, str], *names: str) -> Rule:
    """A sum of products in the type of the products. `np.sum` widens small ints, this does not. ``sizes``: of the axes
    that it is over, of which none is stretched."""
    first, second = sizes
    differ = f"if {first} != {second}: raise ValueError('the sizes of the axes that are summed over differ')\n"

    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, "axis" if axis == "axis" else "")
        pair = [as_array(ctx, v, args) for v in list(found.values())[:2]]
        no_bools(args, *pair)
        small = ", dtype=np.int32" if common_dtype(pair) == "i32" else ""
        values = {**dict(zip(names, pair, strict=True)), "axis": found.get("axis", literal(-1))}
        return snippet_value(ctx, args, f"{differ}np.sum({product}, axis={axis}{small})", **values)

    return apply


_vecdot = _summed("a * b", "axis", ("a.shape[axis]", "b.shape[axis]"), "a", "b")


def _outer(dotted: str) -> Rule:
    """``np.add.outer`` and similar functions: each cell of one array with each cell of the other."""

    def apply(ctx: Lowering, args: Args) -> Value:
        given = list(bound(ctx, args).values())
        pair = [as_array(ctx, v, args) for v in given]
        require_rank(args.span, sum(map(rank_of, pair)))
        rank = rank_of(pair[1])
        more = ", None" * rank if rank_of(pair[0]) else ""
        text = f"{dotted}(a[...{more}], b)" if more else f"{dotted}(a, b)"
        return snippet_value(ctx, args, text, a=given[0], b=given[1])

    return apply


_UFUNCS = (
    "add subtract multiply divide power maximum minimum hypot arctan2 logaddexp less less_equal greater greater_equal "
    "equal not_equal true_divide logical_and logical_or"
).split()
_WHOLE = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
_TRUTH = {"logical_and": "all", "logical_or": "any"}
_RUNNING = {"add": "cumsum", "multiply": "cumprod"}


def _running_extreme(op: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, "axis dtype")
        a = as_array(ctx, found["array"], args)
        axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(a), args.span)
        t = Scalar(dtype_of(a))
        worst = float("-inf") if op == "maximum" else float("inf")
        if t.dtype == "bool" or "dtype" in found:
            raise Refused(
                Unsupported(args.span, f"`{args.name}` of bools, or with `dtype`", "convert the array: `a.astype(int)`")
            )
        return running(
            ctx,
            a,
            axis,
            Const(LIMITS[t.dtype][op == "minimum"] if t.dtype in INTS else worst, t),
            op,
            args.hint,
            args.span,
        )

    return apply


def _by_axis(text: str, *passed: str) -> Rule:
    """A reduction or a scan along the first axis, or another one given as ``axis``, or None for all cells. ``passed``:
    its other parameters."""

    def apply(ctx: Lowering, args: Args) -> Value:
        whole = isinstance(args.keywords.get("axis", args.values[1] if len(args.values) > 1 else None), NoneValue)
        found = bound(ctx, args, " ".join(("axis", *passed)))
        more = "".join(f", {k}={k}" for k in passed if k in found)
        return snippet_value(
            ctx,
            args,
            text.replace(")", f"{more})"),
            **{**found, "axis": NONE if whole else found.get("axis", literal(0))},
        )

    return apply


RULES: dict[str, Rule] = {
    "numpy.tensordot": _tensordot,
    "numpy.linalg.tensordot": _tensordot,
    "numpy.vecdot": _vecdot,
    "numpy.linalg.vecdot": _vecdot,
    "numpy.matvec": _summed("a * x[..., None, :]", "-1", ("a.shape[-1]", "x.shape[-1]"), "a", "x"),
    "numpy.vecmat": _summed("x[..., :, None] * a", "-2", ("x.shape[-1]", "a.shape[-2]"), "x", "a"),
    **{f"numpy.{name}.outer": _outer(f"np.{name}") for name in _UFUNCS},
    **{
        f"numpy.{name}.reduce": _by_axis(f"np.{whole}(array, axis=axis)", "dtype", "keepdims", "initial", "where")
        for name, whole in _WHOLE.items()
    },
    **{
        f"numpy.{name}.reduce": _by_axis(f"np.{whole}(array, axis=axis)", "keepdims", "where")
        for name, whole in _TRUTH.items()
    },
    **{f"numpy.{name}.accumulate": _by_axis(f"np.{run}(array, axis=axis)", "dtype") for name, run in _RUNNING.items()},
    **{f"numpy.{name}.accumulate": _running_extreme(name) for name in ("maximum", "minimum")},
}
enter_rules(RULES)
