"""`np.array([row for ...])`, `linad.build` and `linad.map` with array elements: rows of an array of one rank more.

The array is allocated before the loop, so the sizes of a row must be known there. They are derived from the body, which
has been lowered once for its types: code that computes a size from outer values is pure, and is repeated before the
loop, also code inside callees (`result_sizes`). Otherwise the first row is computed before the loop.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from copy import copy

from ..ir.core import Atom, Block, Call, Check, Const, Dim, Function, Let, Stmt, Var, outputs, walk
from ..engine.places import fresh_array
from ..engine.refusal import require_rank
from ..engine.memoised_heads import above
from ..engine.path import Settled
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import ArrayValue, ScalarValue, Value, ViewValue
from ..engine.views import Along, View, Whole
from ..frozen import frozen
from ..span import Span
from ..types import BOOL, I64, DType
from .result_sizes import Functions, Given, Made, Recipe, SizeOf, is_safe, result_size
from .updates import assign_region, region


def functions_of(ctx: Lowering) -> Functions:
    """The functions lowered so far, by name."""

    def find(name: str) -> Function | None:
        spec = next((s for s in ctx.programs.specs.values() if s.name == name), None)
        known = spec is not None and spec.done and not spec.failed and spec.derivative is None
        return spec.function if known else None

    return find


class Sizes:
    """The sizes of rows, as expressions that are valid outside the body."""

    def __init__(
        self, shape: Sequence[Atom], body: Sequence[Stmt], index: Var, functions: Functions = lambda name: None
    ) -> None:
        self.made = {s.out.name: s for s in body if isinstance(s, (Let, Dim))}
        self.calls = {v.name: (s, k) for s in body if isinstance(s, Call) for k, v in enumerate(s.outs)}
        self.inside = {index.name, *(v.name for s in walk(Block(tuple(body))) for v in outputs(s))}
        self.shape = tuple(shape)
        self.functions = functions
        self.pairs: Mapping[str, Atom] | None = None  # the mapping to the variables of another path

    def on(self, pairs: Mapping[str, Atom]) -> Sizes:
        """The same expressions on a path with other variables."""
        other = copy(self)
        other.pairs = pairs
        return other

    def known(self, a: Atom | None = None) -> bool:
        """Whether a size can be computed before the loop. Without an argument, whether all can."""
        if a is None:
            return all(map(self.known, self.shape))
        if isinstance(a, Const) or a.name not in self.inside:
            return self._outside(a) is not None
        match self.made.get(a.name):
            case Dim(array=array, axis=axis):
                return self._known_array(array, axis)
            case Let(op=op, ins=ins):
                return is_safe(op, ins) and all(map(self.known, ins))
        return False

    def _known_array(self, array: Var, axis: int) -> bool:
        if array.name not in self.inside:
            return self._outside(array) is not None
        if array.name not in self.calls:
            return False
        return self._known_recipe(self._result(array, axis), self.calls[array.name][0].args)

    def _known_recipe(self, recipe: Recipe | None, args: tuple[Atom, ...]) -> bool:
        match recipe:
            case None:
                return False
            case Given(param=k):
                return self.known(args[k])
            case SizeOf(param=k, axis=axis):
                return self._known_array(args[k], axis)  # type: ignore[arg-type]
            case Made(ins=ins):
                return all(self._known_recipe(x, args) for x in ins)
        return True

    def _result(self, array: Var, axis: int) -> Recipe | None:
        """The size of the result of a call in the body."""
        s, k = self.calls[array.name]
        return result_size(self.functions, s.callee, k, axis)

    def _outside(self, a: Atom) -> Atom | None:
        return a if self.pairs is None or isinstance(a, Const) else self.pairs.get(a.name)

    def again(self, ctx: Lowering, span: Span) -> list[Atom]:
        """Emit the computation of the sizes here."""
        return [self._again(ctx, a, span) for a in self.shape]

    def _again(self, ctx: Lowering, a: Atom, span: Span) -> Atom:
        if isinstance(a, Const) or a.name not in self.inside:
            return self._outside(a)
        match self.made[a.name]:
            case Dim(array=array, axis=axis):
                return self._again_array(ctx, array, axis, span)
            case Let(op=op, ins=ins, out=out):
                return ctx.let(
                    "n", op, tuple(self._again(ctx, x, span) for x in ins), out.type, span, nonneg=a in self.shape
                )

    def _again_array(self, ctx: Lowering, array: Var, axis: int, span: Span) -> Atom:
        if array.name not in self.inside:
            return ctx.dim(self._outside(array), axis, span)
        recipe = self._result(array, axis)
        found = self._again_recipe(ctx, recipe, self.calls[array.name][0].args, span)
        if isinstance(recipe, SizeOf):
            return found
        # a negative size is reported by the call itself
        return ctx.let("n", "max", (found, ZERO), I64, span, nonneg=True)

    def _again_recipe(self, ctx: Lowering, recipe: Recipe | None, args: tuple[Atom, ...], span: Span) -> Atom:
        match recipe:
            case Given(param=k):
                return self._again(ctx, args[k], span)
            case SizeOf(param=k, axis=axis):
                return self._again_array(ctx, args[k], axis, span)  # type: ignore[arg-type]
            case Made(op=op, type=t, ins=ins):
                parts = tuple(self._again_recipe(ctx, x, args, span) for x in ins)
                return ctx.let("n", op, parts, t, span)
        assert isinstance(recipe, Const)
        return recipe


NO_SIZES = Sizes((), (), Var("", I64))


@frozen
class Element:
    """The type of an element, and its sizes if it is an array."""

    value: Value
    sizes: Sizes

    def like(self, v: Value) -> bool:
        """Whether a value is of the same type."""
        return _kind(v) == _kind(self.value)


def _kind(v: Value) -> tuple | None:
    if is_array(v):
        return dtype_of(v), rank_of(v)
    return (v.dtype,) if isinstance(v, ScalarValue) else None


def of_elements(
    ctx: Lowering, node: ast.expr, look: Callable[[], Element], build: Callable[[Element, list[Value]], Value]
) -> Value:
    """The result of ``build`` for elements of an assumed type, which ``look`` finds or an earlier lowering found.

    ``build`` returns the elements of other types. If there are any, it is called again.
    """
    before = ctx.settled.get(node)
    pairs = None if before is None else above(ctx, before.path, ctx.path)
    if pairs is not None:
        element = Element(before.found.value, before.found.sizes.on(pairs))
        others: list[Value] = []
        if not is_array(element.value) or element.sizes.known():
            trial = ctx.attempt(lambda: build(element, others))
            if not others:
                return ctx.take(trial)
    element, path = look(), ctx.path
    if _kind(element.value) is not None and (not is_array(element.value) or element.sizes.known()):
        ctx.settled[node] = Settled(path, element)
    return build(element, [])


def one_at_least(ctx: Lowering, n: Atom, span: Span) -> None:
    """Raise if there is no row: NumPy could not know the length of a row, and would return an array of rank 1."""
    some = Const(n.value > 0, BOOL) if isinstance(n, Const) else ctx.let("ok", "gt", (n, ZERO), BOOL, span)
    ctx.emit(Check(some, "ValueError", "an array of rows is made of one row at least", (), span))


def rows_array(
    ctx: Lowering, node: ast.expr, row: AnyArray, shape: Sequence[Atom], n: Atom, dtype: DType | None, hint: str
) -> ArrayValue:
    """The array of the rows; None if a problem was reported."""
    span = ctx.span(node)
    require_rank(span, rank_of(row) + 1)
    return fresh_array(ctx, hint, (n, *shape), dtype or dtype_of(row), None, span)


def store_row(ctx: Lowering, made: ArrayValue, i: Atom, row: Value, span: Span) -> None:
    """``made[i] = row``, with ``i`` in range."""
    view = View(
        (Along(i), *(Along(ZERO, ONE, k) for k in range(made.var.type.rank - 1))),
        tuple(map(Whole, range(1, made.var.type.rank))),
    )
    where = region(ctx, ViewValue(made.var, view), "", span)
    if where is not None:
        assign_region(ctx, where, row, span)
