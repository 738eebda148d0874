"""`scipy.stats.norm(loc, scale)`: a distribution with its parameters, which its methods are called with."""

from __future__ import annotations

import ast

from ..engine.quoted import Quoted
from ..engine.rulebook import Args
from ..engine.values import EntityValue, TupleValue
from ..names.scope import FROZEN, External, frozen_class
from ..registry import has_rule

_DENSITIES = ("pdf", "pmf", "logpdf", "logpmf", "cdf")


def is_distribution(dotted: str) -> bool:
    """Whether a library function that is called is a distribution with known methods."""
    return dotted.startswith("scipy.stats.") and any(has_rule(f"{dotted}.{name}") for name in _DENSITIES)


def of(dotted: str, args: Args) -> TupleValue:
    """The distribution with its parameters."""
    return TupleValue(args.all, frozen_class(dotted, len(args.values), tuple(args.keywords)))


def method(node: ast.Call, base: TupleValue) -> ast.Call | None:
    """``rv.pdf(x)`` as ``norm.pdf(x, loc, scale)``; None if ``rv`` is something else."""
    if base.record is None or not base.record.key.startswith(FROZEN):
        return None
    name = node.func.attr
    function = EntityValue(External(f"{base.record.key.removeprefix(FROZEN)}.{name}"), f"{ast.unparse(node.func)}")
    given = [(n, Quoted(node.func, v)) for n, v in zip(base.record.names, base.items, strict=True)]
    args = [v for n, v in given if n.isdigit()]
    keywords = [ast.copy_location(ast.keyword(n, v), node) for n, v in given if not n.isdigit()]
    call = ast.Call(Quoted(node.func, function), [*node.args, *args], [*node.keywords, *keywords])
    return ast.copy_location(call, node)
