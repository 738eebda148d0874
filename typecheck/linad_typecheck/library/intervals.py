"""Intervals of `scipy.stats`: `norm.interval(0.95, loc, scale)` is the quantiles that enclose the middle."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..engine.arithmetic import binary
from ..engine.numbers import as_scalar
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.state import Lowering
from ..engine.values import TupleValue, Value, literal
from ..messages.language import BadCall
from .externals import call_external


def _interval(quantiles: str) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        left = dict(args.keywords)
        first = left.pop("confidence", None) or next(iter(args.values), None)
        if first is None:
            raise Refused(BadCall(args.span, args.name, "takes the confidence, and the parameters of the distribution"))
        inside = as_scalar(ctx, first, args.span, f"`{args.name}` is of one confidence")
        span, one, two = args.span, literal(1.0), literal(2.0)
        half = lambda op: binary(ctx, ast.Div, binary(ctx, op, one, inside, span), two, span)
        others = args.values if "confidence" in args.keywords else args.values[1:]
        ends = (replace(args, values=(half(op), *others), keywords=left) for op in (ast.Sub, ast.Add))
        return TupleValue(tuple(call_external(ctx, quantiles, end) for end in ends))

    return apply


_NAMES = "norm halfnorm lognorm expon gamma chi2 weibull_min uniform beta t cauchy laplace logistic f"
enter_rules({f"scipy.stats.{name}.interval": _interval(f"scipy.stats.{name}.ppf") for name in _NAMES.split()})
