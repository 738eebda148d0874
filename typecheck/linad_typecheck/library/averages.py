"""Averages, covariances, quantiles, and the reductions that leave NaNs out: written in terms of others."""

from __future__ import annotations

from ..arrays.operands import are_bools, as_array, axis_of, bound, choice, flag
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of
from ..engine.state import Lowering
from ..engine.values import NoneValue, Poison, ScalarValue, TupleValue, Value, literal
from ..engine.written import written
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..types import FLOATS

NONE = NoneValue()


def number_type(a: AnyArray) -> str:
    """The function that converts to the float type of an array."""
    return "np.float32" if dtype_of(a) == "f32" else "np.float64"


def _average(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("a", "axis", "weights", "returned", "keepdims"))
    a = None if found is None else as_array(ctx, found["a"], args)
    if a is None:
        return Poison()
    if flag(ctx, found, "returned", False, args.span) is not False:
        ctx.report(Unsupported(args.span, f"`returned=` of `{args.name}`", "add the weights up: `np.sum(w)`"))
        return Poison()
    axis, kept = found.get("axis", NONE), found.get("keepdims", literal(False))
    if "weights" not in found:
        text = "v = np.mean(a, axis=axis, keepdims=kept)\n"
        if not isinstance(axis, NoneValue):
            text += "if v.size == 0: raise ZeroDivisionError('division by zero')\n"  # NumPy's number of cells for each mean
        return written(ctx, args, text + "v", a=a, axis=axis, kept=kept)
    w = as_array(ctx, found["weights"], args)
    if w is None:
        return Poison()
    if rank_of(w) != rank_of(a):
        at = axis_of(ctx, axis, rank_of(a), args.span) if isinstance(axis, ScalarValue) else None
        if at is None or rank_of(w) != 1:
            instead = "name the axis that the weights are along: `axis=0`"
            ctx.report(WrongType(args.span, "weights have the shape of the array, or that of one axis", f"rank {rank_of(w)}", instead))
            return Poison()
        news = ", ".join("None" if k != at else ":" for k in range(rank_of(a)))
        text = f"""
            if w.shape[0] != a.shape[{at}]: raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
            if np.sum(w * 1.0) == 0.0: raise ZeroDivisionError("Weights sum to zero, can't be normalized")
            np.broadcast_to(w[{news}], a.shape)
        """
        w = written(ctx, args, text, a=a, w=w)
    number = "np.float32" if dtype_of(a) == "f32" and dtype_of(w) in ("f32", "bool") else "np.float64"
    text = f"""
        w = w.astype({number})
        total = np.sum(w, axis=axis, keepdims=kept)
        if np.any(total == 0.0): raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        np.sum(a.astype({number}) * w, axis=axis, keepdims=kept) / total
    """
    return written(ctx, args, text, a=a, w=w, axis=axis, kept=kept)


def _rows(ctx: Lowering, args: Args, found: dict[str, Value]) -> Value | None:
    """The variables of a covariance as the rows of an array; None where that was reported."""
    m = as_array(ctx, found["m"], args)
    y = as_array(ctx, found["y"], args) if "y" in found else None
    by_row = flag(ctx, found, "rowvar", True, args.span)
    if m is None or by_row is None or ("y" in found and y is None):
        return None
    if max(rank_of(v) for v in (m, y) if v is not None) > 2 or 0 in [rank_of(v) for v in (m, y) if v is not None]:
        ctx.report(WrongType(args.span, f"`{args.name}` is of arrays of rank 1 or 2", "another rank"))
        return None
    if y is None and rank_of(m) == 1:
        instead = "write `np.var(x, ddof=1)`" if args.name.endswith("cov") else "the correlation of one variable with itself is 1"
        ctx.report(Unsupported(args.span, f"`{args.name}` of one variable, which NumPy gives as an array of rank 0", instead))
        return None
    rows = [v if rank_of(v) == 1 or by_row else written(ctx, args, "v.T", v=v) for v in (m, y) if v is not None]
    if len(rows) == 1:
        return written(ctx, args, "m.astype(np.float64)", m=rows[0])
    return written(ctx, args, "np.concatenate((np.atleast_2d(m), np.atleast_2d(y)), axis=0).astype(np.float64)", m=rows[0], y=rows[1])


_COVARIANCE = """
    d = m - np.mean(m, axis=1, keepdims=True)
    d @ d.T / max(m.shape[1] - less, 0)
"""


def _cov(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("m", "y", "rowvar", "bias", "ddof"))
    rows = None if found is None else _rows(ctx, args, found)
    biased = None if rows is None else flag(ctx, found, "bias", False, args.span)
    if biased is None:
        return Poison()
    return written(ctx, args, _COVARIANCE, m=rows, less=found.get("ddof", literal(0 if biased else 1)))


def _corrcoef(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("m", "y", "rowvar"))
    rows = None if found is None else _rows(ctx, args, found)
    if rows is None:
        return Poison()
    c = written(ctx, args, _COVARIANCE, m=rows, less=literal(1))
    return written(ctx, args, "s = np.sqrt(np.diag(c))\nnp.clip(c / s[:, None] / s[None, :], -1.0, 1.0)", c=c)


# ------------------------------------------------------------------------------------------------------- quantiles

_BETWEEN = """
    if {outside}: raise ValueError("{told}")
    n = s.shape[-1]
    if n == 0: raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    at = q * (n - 1)
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, n - 1)
    below = s[..., low]
    above = s[..., high]
    part = at - np.floor(at)
    apart = above - below
    found = np.where(part < 0.5, below + apart * part, above - apart * (1.0 - part))
    {result}
"""


def _quantile(scale: float, told: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, ("a", "q", "axis", "out", "overwrite_input", "method", "keepdims"), 2)
        a = None if found is None else as_array(ctx, found["a"], args)
        q = None if a is None else as_array(ctx, found["q"], args)
        kept = None if q is None else flag(ctx, found, "keepdims", False, args.span)
        if kept is None or choice(ctx, found.get("method"), ("linear",), "`method`", args.span) is None:
            return Poison()
        if are_bools(ctx, args, a):
            return Poison()
        if rank_of(q) > 1 or isinstance(found.get("axis"), TupleValue):
            ctx.report(WrongType(args.span, f"`{args.name}` is along one axis, of one probability or an array of rank 1", "more of them"))
            return Poison()
        axis = axis_of(ctx, found["axis"], rank_of(a), args.span) if "axis" in found else -1
        if axis is None:
            return Poison()
        single = rank_of(q) == 0
        s = written(ctx, args, "np.sort(np.moveaxis(a, axis, -1), axis=-1)" if "axis" in found else "np.sort(a, axis=None)", a=a, axis=literal(axis))
        if dtype_of(a) not in FLOATS:
            s = written(ctx, args, "s * 1.0", s=s)
        weak = isinstance(found["q"], ScalarValue) and found["q"].weak and dtype_of(a) in FLOATS
        of_type = f".astype({number_type(a)})" if weak else ""
        q = written(ctx, args, f"np.atleast_1d(q * 1.0){of_type} / scale", q=found["q"] if single else q, scale=literal(scale))
        number = "np.where(np.isnan(np.expand_dims(s[..., -1], -1)), np.nan, found)"
        result = f"np.moveaxis({number}, -1, 0)" + ("[0]" if single else "")
        text = _BETWEEN.format(outside="not np.all((q >= 0.0) & (q <= 1.0))", told=told, result=result)
        value = written(ctx, args, text, s=s, q=q)
        if kept and is_array(value) or kept and isinstance(value, ScalarValue):
            lead = 0 if single else 1
            places = tuple(range(lead, lead + rank_of(a))) if "axis" not in found else (lead + axis,)
            return written(ctx, args, "np.expand_dims(v, places)", v=value, places=TupleValue(tuple(map(literal, places))))
        return value

    return apply


# -------------------------------------------------------------------------------------------------------- NaNs out

_SPREAD = """
    some = ~np.isnan(a)
    n = np.sum(some, axis=axis, keepdims=True)
    d = np.where(some, a, 0.0) - number(np.sum(np.where(some, a, 0.0), axis=axis, keepdims=True) / n)
    left = np.sum(some, axis=axis, keepdims=kept) - ddof
    v = number(np.sum(np.where(some, d * d, 0.0), axis=axis, keepdims=kept) / np.where(left > 0, left, np.nan))
"""
_EXTREME = """
    v = np.{name}(np.where(np.isnan(a), {worst}, a), axis=axis, keepdims=kept)
    np.where(np.all(np.isnan(a), axis=axis, keepdims=kept), np.nan, v)
"""
_NAN = {
    "max": _EXTREME.format(name="max", worst="-np.inf"),
    "min": _EXTREME.format(name="min", worst="np.inf"),
    "var": _SPREAD + "    v\n",
    "std": _SPREAD + "    np.where(v > 0, np.sqrt(np.where(v > 0, v, 1.0)), v)\n",  # the slope at 0 is 0, as that of np.std
}


def _nan(name: str) -> Rule:
    spread = name in ("var", "std")

    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, ("a", "axis", "dtype", "out", "ddof", "keepdims") if spread else ("a", "axis", "out", "keepdims", "initial", "where"))
        a = None if found is None else as_array(ctx, found["a"], args)
        if a is None:
            return Poison()
        if "dtype" in found:
            ctx.report(Unsupported(args.span, f"`dtype=` of `{args.name}`", "convert the array: `a.astype(...)`"))
            return Poison()
        plain = f"np.{name}(a, axis=axis, keepdims=kept{', ddof=ddof' if spread else ''})"
        given = {"axis": found.get("axis", NONE), "kept": found.get("keepdims", literal(False)), "ddof": found.get("ddof", literal(0))}
        if not spread and "axis" not in found:
            told = f"zero-size array to reduction operation f{name} which has no identity"
            written(ctx, args, f"if a.size == 0: raise ValueError('{told}')\n0", a=a)
        text = _NAN[name].replace("number", number_type(a)) if dtype_of(a) in FLOATS else plain
        return written(ctx, args, text, a=a, **given)

    return apply


def _nan_running(name: str, fill: float) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, ("a", "axis", "dtype", "out"))
        a = None if found is None else as_array(ctx, found["a"], args)
        if a is None:
            return Poison()
        left = written(ctx, args, "np.where(np.isnan(a), fill, a)", a=a, fill=literal(fill)) if dtype_of(a) in FLOATS else a
        more = "".join(f", {k}={k}" for k in ("axis", "dtype") if k in found)
        return written(ctx, args, f"np.{name}(a{more})", **{**found, "a": left})

    return apply


RULES: dict[str, Rule] = {
    "numpy.average": _average,
    "numpy.cov": _cov,
    "numpy.corrcoef": _corrcoef,
    "numpy.quantile": _quantile(1.0, "Quantiles must be in the range [0, 1]"),
    "numpy.percentile": _quantile(100.0, "Percentiles must be in the range [0, 100]"),
    "numpy.nanmax": _nan("max"),
    "numpy.nanmin": _nan("min"),
    "numpy.nanvar": _nan("var"),
    "numpy.nanstd": _nan("std"),
    "numpy.nancumsum": _nan_running("cumsum", 0.0),
    "numpy.nancumprod": _nan_running("cumprod", 1.0),
}
enter_rules(RULES)
