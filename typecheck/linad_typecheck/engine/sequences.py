"""Iterables of `for` loops and values to unpack: the data, and the dispatch tables that find them, which `constructs`
fills."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import field

from ..ir.core import Atom
from ..frozen import frozen
from ..span import Span
from .state import Lowering
from .values import Binding, FunctionValue, Value


@frozen(slots=True)
class Iteration:
    """A counted iteration from ``start`` to ``stop`` by ``step``. ``element`` computes the target from the index."""

    start: Atom
    stop: Atom
    step: Atom
    nonneg: bool
    element: Callable[[Atom], Value]
    held: dict[str, Binding] = field(default_factory=dict)  # arrays iterated over, under pseudo-names
    over: Value | None = None  # the sequence that has these elements, if there is one


@frozen
class Unrolled:
    """The items of a tuple, over which a loop is unrolled; ``over``: the lists whose items they are."""

    items: tuple[Value, ...]
    over: tuple[Value, ...] = ()


@frozen
class Generated:
    """The values that a generator object yields. A loop over it is inlined in its body."""

    by: FunctionValue


ITERATIONS: list[Callable[[Lowering, ast.expr], Iteration | Unrolled | Generated | None]] = []
UNPACKINGS: list[Callable[[Lowering, Value, int, Span, bool], tuple[Value, ...]]] = []


def iteration(ctx: Lowering, node: ast.expr) -> Iteration | Unrolled | Generated | None:
    """The iterable of ``for ... in node``; None if a problem was reported."""
    (found,) = ITERATIONS
    return found(ctx, node)


def unpacked(ctx: Lowering, value: Value, count: int, span: Span, call: bool = False) -> tuple[Value, ...]:
    """The ``count`` values of ``value``: the items of a tuple, the numbers of an array of rank 1, or the rows of any
    other array. ``call``: they are arguments."""
    (found,) = UNPACKINGS
    return found(ctx, value, count, span, call)
