"""The largest and smallest cells of an array, and their indices.

The loops find the index only, and the value is then loaded once. Its derivative is one addition at that index: that of
the first of equal cells, or of the first NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..arrays.operands import axis_of, no_bools
from ..ir.core import Atom, Block, Check, Const, If, Loop
from ..ir.printing import let_type
from ..engine.places import fold, fresh_array, nest, put, ravelled, read
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules, rule_of
from ..engine.sizes import dtype_of
from ..engine.state import FALSE, ONE, ZERO, Lowering
from ..engine.values import ArrayValue, NoneValue, TupleValue, Value
from ..types import BOOL, FLOATS, I64, LIMITS, DType, Scalar
from .reductions import Cell, Reduction, accumulate, cells, finish, op, reduction

Better = Callable[[Atom, Atom], Atom]
BLOCK = Const(256, I64)
_LOWEST: dict[DType, float] = dict.fromkeys(FLOATS, float("-inf")) | {d: low for d, (low, _) in LIMITS.items()}
_HIGHEST: dict[DType, float] = dict.fromkeys(FLOATS, float("inf")) | {d: high for d, (_, high) in LIMITS.items()}


def _require_cells(ctx: Lowering, r: Reduction, message: str) -> None:
    """Raise if a reduction has no cells, even if its result is not used."""
    n = r.count(ctx)
    if isinstance(n, Const) and n.value > 0:
        return
    ok = Const(False, BOOL) if isinstance(n, Const) else ctx.let("ok", "gt", (n, ZERO), BOOL, r.span)
    ctx.emit(Check(ok, "ValueError", message, (), r.span))


def places(ctx: Lowering, r: Reduction, largest: bool) -> tuple[Atom, ...] | tuple[ArrayValue, ...]:
    """The index along every reduced axis of the first best cell: scalars, or arrays over the kept axes."""
    if not r.axes:
        return ()
    own = dtype_of(r.array)
    dtype = "i64" if own == "bool" else own
    start = Const((_LOWEST if largest else _HIGHEST)[dtype], Scalar(dtype))
    cell, span = cells(ctx, r, dtype), r.span

    def better(new: Atom, best: Atom) -> Atom:
        if dtype not in FLOATS:
            return ctx.let("b", "gt" if largest else "lt", (new, best), BOOL, span)
        worse = ctx.let("b", "le" if largest else "ge", (new, best), BOOL, span)
        number = ctx.let("b", "eq", (best, best), BOOL, span)  # a NaN beats any number
        return ctx.let("b", "and", (ctx.let("b", "not", (worse,), BOOL, span), number), BOOL, span)

    order = r.order if r.kept else r.axes
    split = len(order) - len(r.axes)
    if set(order[:split]) == set(r.kept) and order[split:] == r.axes:
        return _Search(ctx, r, start, largest, cell, better).of_rows(order[:split])
    sizes = tuple(r.shape[k] for k in r.kept)
    best = fresh_array(ctx, "best", sizes, dtype, start, span)
    found = tuple(fresh_array(ctx, "place", sizes, "i64", ZERO, span) for _ in r.axes)
    # the first of equal cells in C order counts, so the reduced axes are traversed in that order
    loops = order if [k for k in order if k in r.axes] == list(r.axes) else tuple(range(len(order)))

    def each(at: tuple[Atom, ...]) -> None:
        given = dict(zip(loops, at, strict=True))
        new, place = cell(tuple(given[k] for k in range(len(given)))), tuple(given[k] for k in r.kept)
        cond = better(new, read(ctx, best, place, span).atom)
        with ctx.block() as stmts:
            put(ctx, best, place, new, span)
            for k, where in zip(r.axes, found, strict=True):
                put(ctx, where, place, given[k], span)
        ctx.emit(If(cond, Block(tuple(stmts)), Block(), (), span))

    nest(ctx, [r.shape[k] for k in loops], each, span)
    return found


@dataclass(frozen=True)
class _Search:
    """The best cell along the last axes, carried together with its index.

    Each block is first reduced to its best cell without the index, which vectorises. Only a block with a better cell is
    searched for the index.
    """

    ctx: Lowering
    r: Reduction
    start: Const
    largest: bool
    cell: Cell
    better: Better

    def of_rows(self, outer: tuple[int, ...]) -> tuple:
        """The indices of the best cells, for each index of the axes ``outer``."""
        ctx, r = self.ctx, self.r
        if not outer:
            return self._of_row({})
        made = tuple(fresh_array(ctx, "place", tuple(r.shape[k] for k in r.kept), "i64", None, r.span) for _ in r.axes)

        def each_row(at: tuple[Atom, ...]) -> None:
            given = dict(zip(outer, at, strict=True))
            for where, i in zip(made, self._of_row(given), strict=True):
                put(ctx, where, tuple(given[k] for k in r.kept), i, r.span)

        nest(ctx, [r.shape[k] for k in outer], each_row, r.span)
        return made

    def _of_row(self, given: dict[int, Atom]) -> tuple[Atom, ...]:
        *before, _ = self.r.axes

        def line(at: tuple[Atom, ...], state: tuple[Atom, ...]) -> tuple[Atom, ...]:
            return self._along_line(given | dict(zip(before, at, strict=True)), state)

        inits = (self.start, *(ZERO for _ in self.r.axes))
        found = fold(self.ctx, [self.r.shape[k] for k in before], inits, line, self.r.span, self._hints)[1:]
        self.ctx.not_negative(*found)
        return found

    def _along_line(self, given: dict[int, Atom], state: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """The best cell and its index after another line along the last axis."""
        n = self.r.shape[self.r.axes[-1]]
        if isinstance(n, Const) and n.value <= BLOCK.value:
            return self._along_block(given, ZERO, n, state, self.better)

        def block(low: Atom, carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
            beyond = self._let("high", "add", low, BLOCK)
            high = self._let("high", "min", beyond, n)
            most, *nan = self._best(given, low, high, carried[0])

            def along(better: Better) -> Callable[[], tuple[Atom, ...]]:
                return lambda: self._along_block(given, low, high, carried, better)

            found = self._choose(self._beats(most, carried[0]), along(self._beats), carried)
            return self._choose(nan[0], along(self.better), found) if nan else found

        return self._loop(ZERO, n, BLOCK, state, self._hints, block)

    def _along_block(
        self, given: dict[int, Atom], low: Atom, high: Atom, state: tuple[Atom, ...], better: Better
    ) -> tuple[Atom, ...]:
        *before, _ = self.r.axes

        def look(i: Atom, carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
            new = self._cell_at(given, i)
            found = better(new, carried[0])
            return self._choose(found, lambda: (new, *(given[k] for k in before), i), carried)

        return self._loop(low, high, ONE, state, self._hints, look)

    def _best(self, given: dict[int, Atom], low: Atom, high: Atom, best: Atom) -> tuple[Atom, ...]:
        """The best of ``best`` and the numbers in a block, and of floats whether there is a NaN among them."""
        floats = best.type.dtype in FLOATS

        def glance(i: Atom, seen: tuple[Atom, ...]) -> tuple[Atom, ...]:
            x = self._cell_at(given, i)
            most = self._let("most", "select", self._beats(x, seen[0]), x, seen[0])
            if not floats:
                return (most,)
            return most, self._let("nan", "or", seen[1], self._let("b", "ne", x, x))

        kept = 1 + floats
        return self._loop(low, high, ONE, (best, FALSE)[:kept], ("most", "nan")[:kept], glance)

    # -- statements

    @property
    def _hints(self) -> tuple[str, ...]:
        return ("best", *("place" for _ in self.r.axes))

    def _cell_at(self, given: dict[int, Atom], i: Atom) -> Atom:
        here = given | {self.r.axes[-1]: i}
        return self.cell(tuple(here[k] for k in range(len(here))))

    def _beats(self, x: Atom, best: Atom) -> Atom:
        return self._let("b", "gt" if self.largest else "lt", x, best)

    def _let(self, hint: str, name: str, *ins: Atom) -> Atom:
        return self.ctx.let(hint, name, ins, let_type(name, ins), self.r.span)

    def _loop(
        self, low: Atom, high: Atom, step: Atom, inits: tuple[Atom, ...], names: tuple[str, ...], body
    ) -> tuple[Atom, ...]:
        """``for i in range(low, high, step)`` with carried values."""
        ctx = self.ctx
        i = ctx.fresh("i", I64, nonneg=True)
        inner, outs = (tuple(ctx.fresh(h, a.type) for h, a in zip(names, inits, strict=True)) for _ in range(2))
        with ctx.block() as stmts:
            results = body(i, inner)
        ctx.emit(Loop(i, low, high, step, inner, inits, Block(tuple(stmts), results), outs, span=self.r.span))
        return outs

    def _choose(self, cond: Atom, one: Callable[[], tuple[Atom, ...]], other: tuple[Atom, ...]) -> tuple[Atom, ...]:
        outs = tuple(self.ctx.fresh(h, a.type) for h, a in zip(self._hints, other, strict=True))
        with self.ctx.block() as stmts:
            results = one()
        self.ctx.emit(If(cond, Block(tuple(stmts), results), Block((), other), outs, self.r.span))
        return outs


def value_at(ctx: Lowering, r: Reduction, where: tuple) -> Atom | ArrayValue:
    """The cells at the indices found."""
    if not r.kept:
        return read(ctx, r.array, where, r.span).atom
    made = fresh_array(ctx, r.hint, tuple(r.shape[k] for k in r.kept), dtype_of(r.array), None, r.span)

    def each(at: tuple[Atom, ...]) -> None:
        given = dict(zip(r.kept, at, strict=True))
        for k, found in zip(r.axes, where, strict=True):
            given[k] = read(ctx, found, at, r.span).atom
            ctx.not_negative(given[k])
        put(ctx, made, at, read(ctx, r.array, tuple(given[k] for k in range(len(given))), r.span).atom, r.span)

    nest(ctx, [r.shape[k] for k in r.kept], each, r.span)
    return made


def extreme_of(ctx: Lowering, r: Reduction, largest: bool, name: str = "") -> Atom | ArrayValue:
    """The largest or smallest cells over the reduced axes."""
    name = name or ("maximum" if largest else "minimum")
    _require_cells(ctx, r, f"zero-size array to reduction operation {name} which has no identity")
    if dtype_of(r.array) == "bool":
        return accumulate(
            ctx, r, Const(not largest, BOOL), op(ctx, "or" if largest else "and", r), cells(ctx, r, "bool")
        )
    return value_at(ctx, r, places(ctx, r, largest))


def _extreme(largest: bool) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        if not isinstance(args.keywords.get("initial", NoneValue()), NoneValue):
            start, _ = rule_of(f"%extremes._{'max' if largest else 'min'}_from")
            return start(ctx, args)
        given = reduction(ctx, args, "axis keepdims")
        return finish(ctx, given[0], extreme_of(ctx, given[0], largest))

    return apply


def _place(largest: bool) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        axis = args.values[1] if len(args.values) > 1 else args.keywords.get("axis")
        if isinstance(axis, TupleValue):
            axis_of(ctx, axis, 0, args.span)
            raise Refused(None)
        given = reduction(ctx, args, "axis keepdims")
        r, _ = given
        _require_cells(ctx, r, f"attempt to get arg{'max' if largest else 'min'} of an empty sequence")
        where = places(ctx, r, largest)
        if not r.shape:
            return finish(ctx, r, ZERO)
        if r.kept:
            return finish(ctx, r, where[0])
        return finish(ctx, r, ravelled(ctx, where, r.shape, r.span))

    return apply


def _ptp(ctx: Lowering, args: Args) -> Value:
    given = reduction(ctx, args, "axis keepdims")
    r, _ = given
    no_bools(args, r.array)
    high, low = extreme_of(ctx, r, True), extreme_of(ctx, r, False)
    if not isinstance(high, ArrayValue):
        return finish(ctx, r, ctx.let(r.hint, "sub", (high, low), high.type, r.span))

    def each(at: tuple[Atom, ...]) -> None:
        a, b = (read(ctx, x, at, r.span).atom for x in (high, low))
        put(ctx, high, at, ctx.let(r.hint, "sub", (a, b), a.type, r.span), r.span)

    nest(ctx, [r.shape[k] for k in r.kept], each, r.span)
    return finish(ctx, r, high)


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.max": _extreme(True),
    "numpy.amax": _extreme(True),
    "numpy.min": _extreme(False),
    "numpy.amin": _extreme(False),
    "numpy.argmax": _place(True),
    "numpy.argmin": _place(False),
    "numpy.ptp": _ptp,
}
enter_rules(RULES)
