"""Less common array functions, composed of others: histograms."""

from __future__ import annotations

from ..arrays.operands import as_array, bound, no_bools
from ..engine.places import force_array
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import dtype_of
from ..engine.state import Lowering
from ..engine.values import ScalarValue, TupleValue, Value, literal
from ..engine.snippets import call_snippet, snippet_value
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..types import INTS, NUMPY_NAMES
from .texts import texts

_COUNTED = """
def counted(a, edges):
    n = len(edges) - 1
    h = np.zeros(n, dtype=np.int64)
    for v in a:
        if edges[0] <= v <= edges[n]:
            h[min(np.searchsorted(edges, v, side="right"), n) - 1] += 1
    return h
"""
_WEIGHED = """
def weighed(a, edges, weights):
    n = len(edges) - 1
    h = np.zeros(n)
    for k in range(len(a)):
        if edges[0] <= a[k] <= edges[n]:
            h[min(np.searchsorted(edges, a[k], side="right"), n) - 1] += weights[k]
    return h
"""


def _edges(ctx: Lowering, args: Args, a: Value, found: dict[str, Value]) -> Value:
    """The bin edges of `np.histogram`."""
    bins = found.get("bins", literal(10))
    if not (isinstance(bins, ScalarValue) and bins.dtype in INTS):
        edges = as_array(ctx, bins, args)
        rises = "if np.any(e[:-1] > e[1:]): raise ValueError('`bins` must increase monotonically, when an array')\ne"
        return force_array(
            ctx, snippet_value(ctx, args, rises, e=force_array(ctx, edges, "edges", args.span)), "edges", args.span
        )
    limits = found.get("range")
    if limits is None:
        ends = "lo = np.min(a) * 1.0 if a.size > 0 else 0.0\nhi = np.max(a) * 1.0 if a.size > 0 else 1.0\n"
    elif isinstance(limits, TupleValue) and len(limits.items) == 2:
        ends = "lo = limits[0] * 1.0\nhi = limits[1] * 1.0\n"
    else:
        raise Refused(WrongType(args.span, "`range` is a pair of numbers", "something else"))
    given = () if limits is None else limits.items
    single = dtype_of(a) == "f32" and all(isinstance(v, ScalarValue) and (v.weak or v.dtype == "f32") for v in given)
    text = (
        "if n < 1: raise ValueError('`bins` must be positive, when an integer')\n"
        f"{ends}if not (np.isfinite(lo) and np.isfinite(hi)): raise ValueError('the range of a histogram is finite')\n"
        "if lo > hi: raise ValueError('max must be larger than min in range parameter.')\n"
        "e = np.linspace(lo - 0.5 if lo == hi else lo, hi + 0.5 if lo == hi else hi, n + 1)"
        f"{'.astype(np.float32)' * single}\n"
        "if np.any(e[:-1] >= e[1:]): raise ValueError('Too many bins for data range.')\ne"
    )
    edges = snippet_value(ctx, args, text, a=a, n=bins, **({} if limits is None else {"limits": limits}))
    return force_array(ctx, edges, "edges", args.span)


def _histogram(ctx: Lowering, args: Args) -> Value:
    """``np.histogram(a, bins, range, weights=...)``: counts and edges."""
    found = bound(ctx, args, "bins range density weights")
    a = as_array(ctx, found["a"], args)
    if "density" in found:
        raise Refused(
            Unsupported(args.span, "`density=` of `np.histogram`", "divide: `h / (h.sum() * np.diff(edges))`")
        )
    a = force_array(ctx, snippet_value(ctx, args, "a.ravel()", a=a), "a", args.span)
    edges = _edges(ctx, args, a, found)
    if "weights" not in found:
        return TupleValue((call_snippet(ctx, args, _COUNTED, a, edges), edges))
    weights = as_array(ctx, found["weights"], args)
    no_bools(args, weights)
    check = "if w.size != a.size: raise ValueError('weights should have the same shape as a.')\nw.ravel() * 1.0"
    dtype = dtype_of(weights)
    weights = force_array(ctx, snippet_value(ctx, args, check, w=weights, a=a), "weights", args.span)
    heights = call_snippet(ctx, args, _WEIGHED, a, edges, weights)
    if dtype != "f64":  # NumPy adds weights in float64 and converts the result to their type
        heights = force_array(
            ctx, snippet_value(ctx, args, f"h.astype(np.{NUMPY_NAMES[dtype]})", h=heights), args.hint, args.span
        )
    return TupleValue((heights, edges))


RULES: dict[str, Rule] = {
    "numpy.histogram": _histogram,
    "numpy.logaddexp.reduce": texts("sp.logsumexp(x, axis=axis)", "x", "axis", axis="0"),
}
enter_rules(RULES)
