"""Indexing by arrays: gathers `v[idx]` and masks `v[mask]`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.core import Atom, Block, If
from ..engine.elementwise import common_shape, spread
from ..engine.numbers import cast
from ..engine.places import check_same_size, fold, force_delayed, fresh_array, nest, put, read, run_checks
from ..engine.refusal import Refused
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, shape_of, size_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import ArrayValue, Delayed, Value
from ..frozen import frozen
from ..messages.types import WrongRank
from ..span import Span
from ..types import I64
from .slices import NewAxis, Part, Place, Slice, delayed_view, expanded, index_atom, require_index, view_of


@frozen
class Gathered:
    """The selection ``v[parts]``: the ``shape`` of the result, and for each of its cells the index into ``v``."""

    base: AnyArray
    shape: tuple[Atom, ...]
    index: object  # (ctx, index of the result) -> index into the base, in range
    reads: tuple[AnyArray, ...]
    test: Callable[[], None]  # makes the checks that reading all cells would make


def gathered(ctx: Lowering, v: AnyArray, parts: Sequence[Part], name: str, span: Span) -> Gathered | None:
    """The cells selected by integer arrays, combined with ints and slices, in NumPy's order."""
    parts = expanded(ctx, parts, rank_of(v), name, span)
    if parts is None:
        return None
    parts = _numbered(ctx, v, parts, name, span)
    if parts is None:
        return None
    places = [k for k, p in enumerate(parts) if isinstance(p, Place)]
    given = [parts[k].value for k in places if is_array(parts[k].value)]
    # apply bounded slices first
    if any(isinstance(p, Slice) and (p.lower, p.upper, p.step) != (None, None, None) for p in parts):
        all_of = Slice(None, None, None, span)
        bounded = [p if isinstance(p, Slice) else all_of for p in parts if not isinstance(p, NewAxis)]
        v = (
            delayed_view(ctx, v, bounded, name, span)
            if isinstance(v, Delayed)
            else view_of(ctx, v, bounded, name, span)
        )
        if not is_array(v):
            return None
        parts = [all_of if isinstance(p, Slice) else p for p in parts]
    run_checks(v)
    sizes_of = [shape_of(ctx, g, span) for g in given]
    common = common_shape(ctx, sizes_of, span, "shape mismatch: indexing arrays", "IndexError")
    together = places == list(range(places[0], places[-1] + 1))
    at = sum(not isinstance(p, Place) for p in parts[: places[0]]) if together else 0
    sizes: list[tuple[Atom, Place | None]] = []  # per axis of the base
    rest: list[Atom] = []  # the axes of the result that come from slices and new axes
    axis = 0
    for p in parts:
        if isinstance(p, NewAxis):
            rest.append(ONE)
            continue
        n = size_of(ctx, v, axis, span)
        sizes.append((n, p if isinstance(p, Place) else None))
        if isinstance(p, Slice):
            rest.append(n)
        axis += 1
    shape = (*rest[:at], *common, *rest[at:])
    ctx.programs.permuted |= at > 0
    cells = {id(p): spread(ctx, p.value, span) for _, p in sizes if p is not None and is_array(p.value)}
    fixed: dict[int, Atom] = {}
    for k, (n, p) in enumerate(sizes):
        if p is not None and not is_array(p.value):
            fixed[k] = index_atom(ctx, p.value, n, p.span)
            require_index(ctx, fixed[k], n, k, name or "the array", span)

    def index(found: tuple[Atom, ...]) -> tuple[Atom, ...]:
        picked = found[at : at + len(common)]
        others = [
            i
            for i, p in zip((*found[:at], *found[at + len(common) :]), _left(parts), strict=True)
            if not isinstance(p, NewAxis)
        ]
        out: list[Atom] = []
        for k, (n, p) in enumerate(sizes):
            if k in fixed:
                out.append(fixed[k])
            elif p is None:
                out.append(others.pop(0))
            else:
                i = index_atom(ctx, cells[id(p)](picked), n, p.span)
                require_index(ctx, i, n, k, name or "the array", span)
                out.append(i)
        return tuple(out)

    def look(picked: tuple[Atom, ...]) -> None:
        index((*[ZERO] * at, *picked, *[ZERO] * (len(rest) - at)))

    return Gathered(v, shape, index, tuple(given), lambda: nest(ctx, common, look, span))


def _numbered(ctx: Lowering, v: AnyArray, parts: Sequence[Part], name: str, span: Span) -> list[Part] | None:
    """The parts with each mask replaced by its index arrays, one per axis."""
    found: list[Part] = []
    axis = 0
    for p in parts:
        mask = p.value if isinstance(p, Place) and is_array(p.value) and dtype_of(p.value) == "bool" else None
        if mask is None:
            found.append(p)
            axis += not isinstance(p, NewAxis)
            continue
        if not fits(ctx, v, mask, name, span, axis):
            return None
        found += [Place(k, p.span) for k in true_places(ctx, force_delayed(ctx, mask, "mask", span), "at", span)]
        axis += rank_of(mask)
    return found


def _left(parts: Sequence[Part]) -> list[Part]:
    return [p for p in parts if not isinstance(p, Place)]


def gather(ctx: Lowering, v: AnyArray, parts: Sequence[Part], name: str, span: Span) -> Value:
    """``v[idx]`` as a delayed expression."""
    v, parts = under(ctx, v, parts, name, span)
    mask = mask_of(parts)
    if mask is not None:
        return compressed(ctx, v, mask, parts, name, span)
    g = gathered(ctx, v, parts, name, span)
    if g is None:
        raise Refused(None)
    reads = tuple(
        (a, False) for x in (g.base, *g.reads) for a in ([a for a, _ in x.reads] if isinstance(x, Delayed) else [x])
    )
    return Delayed(dtype_of(v), g.shape, lambda found: read(ctx, g.base, g.index(found), span), reads, tests=(g.test,))


# ---------------------------------------------------------------------------------------------------------- masks


def mask_of(parts: Sequence[Part]) -> AnyArray | None:
    """The mask of an index that consists of one; None for other indices."""
    masks = [p.value for p in parts if isinstance(p, Place) and is_array(p.value) and dtype_of(p.value) == "bool"]
    return masks[0] if masks and len(parts) == 1 else None


def under(ctx: Lowering, v: AnyArray, parts: Sequence[Part], name: str, span: Span) -> tuple[AnyArray, Sequence[Part]]:
    """An array and an index into it, in which a single bool is replaced: it becomes a mask along a new first axis,
    which selects everything or nothing."""
    single = [
        p
        for p in parts
        if isinstance(p, Place) and is_array(p.value) and dtype_of(p.value) == "bool" and not rank_of(p.value)
    ]
    if len(single) != 1:
        return v, parts
    (mask,) = single
    along = delayed_view if isinstance(v, Delayed) else view_of
    first = Place(Delayed("bool", (ONE,), lambda index: read(ctx, mask.value, (), span)), mask.span)
    return along(ctx, v, [NewAxis()], name, span), [first, *(p for p in parts if p is not mask)]


def fits(ctx: Lowering, v: AnyArray, mask: AnyArray, name: str, span: Span, first: int = 0) -> bool:
    """Whether a mask has the rank and sizes of the axes of an array from ``first`` on. Sizes that differ raise
    IndexError."""
    if first + rank_of(mask) > rank_of(v) or not rank_of(mask):
        ctx.report(WrongRank(span, name or "the array", rank_of(v), rank_of(mask)))
        return False
    for k, (n, m) in enumerate(zip(shape_of(ctx, v, span)[first:], shape_of(ctx, mask, span), strict=False), first):
        text = (
            f"boolean index did not match indexed array along axis {k}; "
            "size of axis is {0} but size of corresponding boolean axis is {1}"
        )
        check_same_size(ctx, n, m, text, (n, m), span, "IndexError")
    return True


def true_places(ctx: Lowering, array: AnyArray, hint: str, span: Span) -> tuple[ArrayValue, ...]:
    """The indices of the non-zero cells in C order, one array per axis."""
    sizes = shape_of(ctx, array, span)

    def here(index: tuple[Atom, ...]) -> Atom:
        return cast(ctx, read(ctx, array, index, span).atom, "bool", span)

    def count(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return (ctx.let("n", "add", (carried[0], cast(ctx, here(index), "i64", span)), I64, span),)

    (n,) = fold(ctx, sizes, (ZERO,), count, span, ("n",))
    ctx.not_negative(n)
    made = tuple(fresh_array(ctx, hint, (n,), "i64", None, span) for _ in sizes)

    def note(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        (k,) = carried
        ctx.not_negative(k)
        cond = here(index)
        with ctx.block() as stmts:
            for a, i in zip(made, index, strict=True):
                put(ctx, a, (k,), i, span)
            up = ctx.let("k", "add", (k, ONE), I64, span)
        out = ctx.fresh("k", I64)
        ctx.emit(If(cond, Block(tuple(stmts), (up,)), Block((), (k,)), (out,), span))
        return (out,)

    fold(ctx, sizes, (ZERO,), note, span, ("k",))
    return made


def compressed(ctx: Lowering, v: AnyArray, mask: AnyArray, parts: Sequence[Part], name: str, span: Span) -> Value:
    """``v[mask]``: the cells where the mask is True, in C order."""
    if not fits(ctx, v, mask, name, span):
        raise Refused(None)
    v, mask = (force_delayed(ctx, x, "t", span) for x in (v, mask))
    sizes = shape_of(ctx, mask, span)
    inner = shape_of(ctx, v, span)[len(sizes) :]

    def count(index, carried):
        one = ctx.let("t", "cast", (read(ctx, mask, index, span).atom,), I64, span)
        return (ctx.let("n", "add", (carried[0], one), I64, span),)

    (n,) = fold(ctx, sizes, (ZERO,), count, span, ("n",))
    ctx.not_negative(n)
    made = fresh_array(ctx, "picked", (n, *inner), dtype_of(v), None, span)

    def move(index, carried):
        (k,) = carried
        ctx.not_negative(k)
        with ctx.block() as stmts:
            nest(
                ctx,
                inner,
                lambda rest: put(ctx, made, (k, *rest), read(ctx, v, (*index, *rest), span).atom, span),
                span,
            )
            up = ctx.let("k", "add", (k, ONE), I64, span)
        out = ctx.fresh("k", I64)
        ctx.emit(If(read(ctx, mask, index, span).atom, Block(tuple(stmts), (up,)), Block((), (k,)), (out,), span))
        return (out,)

    fold(ctx, sizes, (ZERO,), move, span, ("k",))
    return made
