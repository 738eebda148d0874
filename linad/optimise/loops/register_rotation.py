"""Register rotation: access each of several neighbouring cells once, and pass values between iterations in registers.

**Transformation.** Scalar replacement across iterations (Allen and Kennedy, Optimizing Compilers for Modern
Architectures, 2001, chapter 8), of reads and of additions. Two passes: `rotate_accumulations` and `rotate_registers`.

**Before.** ``for i { &b[i-1] += e; &b[i] += f; ... u[i] ... u[i+1] ... }``
**After.** ``for i carry (f', u_i) { &b[i-1] += e + f'; u' = u[i+1]; ... yield f, u' }``

**Legality.** All accesses to the array in the loop have the index, or its negative, plus a constant, at most `NEAR`
apart. The cells at the end of the range receive the remaining sums after the loop.

**Profitability.** Each cell is written once instead of three times. Without the loop-carried dependence through memory,
LLVM can vectorise the loop: the vector passed on is the previous one shifted by a cell. Library calls are passed on,
too (``exp(u[i + 1])``), but neither loads nor arithmetic alone: LLVM may not vectorise a loop that passes on a value
over two iterations, and then takes four times as long. The pass makes loops sequential, so it runs after parallel
loops are chosen.

**Needs.** For additions, reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Const, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names, operands, outputs,
    walk,
)
from linad_typecheck.ir.rewrite import at_loops, freshen, substitute
from linad_typecheck.types import I64, Scalar, is_float

from linad.analysis.loop_body import Body
from linad.analysis.loop_facts import is_plain
from linad.analysis.operation_costs import is_library_call
from linad.analysis.trip_counts import is_short

from ..ints import Maker, carrying, has_run

NEAR = 2  # maximum number of iterations over which a value is passed on without a use in between

Shape = tuple[object, ...]  # an expression up to the offset of its cells along the loop
Change = Callable[[Loop, Names], list[Stmt]]


def rotate_accumulations(f: Function) -> Function:
    """Add once to each cell of a row of neighbouring cells in innermost loops."""
    return _changed(f, adding)


def rotate_registers(f: Function, cheap: bool = False) -> Function:
    """Pass on values that the next iterations of innermost loops would load or compute again. ``cheap``: also in loops
    that only repeat loads and arithmetic."""
    return _changed(f, lambda s, names: _handing(s, names, cheap))


def _changed(f: Function, change: Change) -> Function:
    names = Names(all_names(f))
    sizes = {s.out.name: s for s in walk(f.body) if isinstance(s, Let) and s.out.type == I64}

    return at_loops(f, lambda s: change(s, names) if is_plain(s) and not is_short(s, sizes) else [s])


def _elsewhere(body: Body, wanted: Iterable[Atom], base: Atom, more: int, maker: Maker) -> tuple[Atom, ...]:
    """Emit the computation of ``wanted`` for the index ``base + more``."""
    wanted, given = tuple(wanted), {}
    for t in body.needed([], wanted):
        (v,) = outputs(t)
        number = body.offset(v)
        if number is None:
            given.setdefault(body.loop.index.name, maker.let("add", base, Const(more, I64)))
            again = freshen(Block((t,), (v,)), maker.names, given)
            maker.out += again.stmts
            (given[v.name],) = again.results
        else:
            given[v.name] = maker.let("add", base, Const(more + number, I64))
    if body.loop.index in wanted:
        given.setdefault(body.loop.index.name, maker.let("add", base, Const(more, I64)))
    return tuple(given.get(a.name, a) if isinstance(a, Var) else a for a in wanted)


# -------------------------------------------------------------------------------------------------------------
# additions


@dataclass(frozen=True)
class Held:
    """The contents of cells before a loop adds to them: those of ``source``, or zeros.

    ``taken``: some cells that the first iteration adds to may hold anything, which must be included. ``read``: this
    many cells ahead of the last one that an iteration adds to have been read by it and count as cleared; those before
    them, which it does not read, may hold anything.
    """

    source: Var | None = None
    taken: bool = False
    read: int = 0


def adding(s: Loop, names: Names, fresh: Mapping[str, Held] | None = None, every: bool = True) -> list[Stmt]:
    """A loop with a single addition for each row of neighbouring cells. Additions to ``fresh`` arrays, whose previous
    contents are known, become stores; unless ``every``, only these change."""
    assert s.stop is not None and isinstance(s.step, Const)
    fresh = fresh or {}
    body, step = Body(s, mirrored=True), s.step.value
    rows = [
        row for name in body.written for row in body.additions(name) if name in fresh or every and len(row) > 1
    ]
    if not rows:
        return [s]
    before, inside, behind = (Maker(names) for _ in range(3))
    gone: set[int] = set()
    writes: list[Stmt] = []
    waiting: list[_Waiting] = []
    for row in rows:
        gone |= {id(t) for ts in row.values() for t in ts}
        way = step * body.cell(next(iter(row.values()))[0].index).way  # type: ignore[union-attr]
        far = sorted(row, key=lambda d: d * way)
        distances = range(far[0], far[-1] + way, way)
        last = row[far[0]][0]  # no later iteration adds to this cell
        dtype = Scalar(last.array.type.dtype)
        wait = [names.var("wait", dtype) for _ in distances[1:]]
        total, *others = (
            _sum([*wait[k : k + 1], *(t.value for t in row.get(d, ()))], inside) for k, d in enumerate(distances)
        )
        held = fresh.get(last.array.name)
        if held is not None and held.source is not None:
            cell = names.var("cell", dtype)
            inside.out.append(Load(cell, held.source, last.index, False, last.span))
            total = inside.let("add", total, cell)
        writes.append(
            replace(last, value=total) if held is None else Store(last.array, last.index, total, False, last.span)
        )
        for k, (v, after) in enumerate(zip(wait, others, strict=True)):
            left = names.var(v.name, dtype)
            over = held is not None and k < held.read
            begun = over or held is not None and held.taken
            waiting.append(
                _Waiting(
                    v, _taken(body, last, k * step, before, zero=not over) if begun else Const(-0.0, dtype), after, left
                )
            )
            index = _elsewhere(body, last.index, s.stop, k * step, behind)
            behind.out.append(
                Store(last.array, index, left, False, last.span) if over else replace(last, index=index, value=left)
            )
    inits: list[Atom] = [names.var(w.carried.name, w.init.type) if isinstance(w.init, Var) else w.init for w in waiting]
    taken = {w.init: i for w, i in zip(waiting, inits, strict=True) if isinstance(w.init, Var) and isinstance(i, Var)}
    ran = has_run(s, names)
    nothing = tuple(Const(-0.0, v.type) for v in taken)
    begin = If(ran.out, Block(tuple(before.out), tuple(taken)), Block((), nothing), tuple(taken.values()), s.span)
    stmts = (*(t for t in body.stmts if id(t) not in gone), *inside.out, *writes)
    loop = carrying(
        s, stmts, [w.carried for w in waiting], inits, [w.after for w in waiting], [w.left for w in waiting]
    )
    return [ran, *([begin] if taken else []), loop, If(ran.out, Block(tuple(behind.out)), Block(), (), s.span)]


@dataclass(frozen=True)
class _Waiting:
    """A partial sum passed on between iterations: the carried variable, its initial value, its next value, and the
    value that is left after the loop."""

    carried: Var
    init: Atom
    after: Atom
    left: Var


def _taken(body: Body, last: AddTo, more: int, maker: Maker, zero: bool) -> Var:
    """Load the cell ``more`` steps from the one that the first iteration adds to; ``zero``: and clear it."""
    index = _elsewhere(body, last.index, body.loop.start, more, maker)
    out = maker.names.var("wait", Scalar(last.array.type.dtype))
    maker.out.append(Load(out, last.array, index, False, last.span))
    if zero:
        maker.out.append(Store(last.array, index, Const(0.0, out.type), False, last.span))
    return out


def _sum(terms: list[Atom], maker: Maker) -> Atom:
    total = terms[0]
    for a in terms[1:]:
        total = maker.let("add", total, a)
    return total


# -----------------------------------------------------------------------------------------------------------------
# reads


def _handing(s: Loop, names: Names, cheap: bool) -> list[Stmt]:
    assert isinstance(s.step, Const)
    body, step = Body(s), s.step.value
    had = _had(_places(body), step)
    made = {v.name: t for t in body.stmts for v in outputs(t)}
    if not had or not (cheap or any(is_library_call(made[v.name]) for v in had)):
        return [s]
    effects = [t for t in body.stmts if isinstance(t, Store | AddTo)]
    kept = {id(t) for t in effects}
    before: dict[Var, list[Var]] = {}  # each value, with its values one, two, ... iterations ago
    now: dict[str, Atom] = {}
    todo = [*s.body.results, *(a for t in effects for a in operands(t))]
    while todo:
        a = todo.pop()
        if not isinstance(a, Var) or a.name not in made:
            continue
        if a in had:
            source, ago = had[a]
            was = before.setdefault(source, [])
            was += [names.like(source) for _ in range(ago - len(was))]
            now[a.name] = was[ago - 1]
            todo.append(source)
        elif id(made[a.name]) not in kept:
            kept.add(id(made[a.name]))
            todo += operands(made[a.name])
    rest = substitute(Block(tuple(t for t in body.stmts if id(t) in kept), s.body.results), now)
    carried = [v for was in before.values() for v in was]
    after = [v for source, was in before.items() for v in (source, *was[:-1])]
    maker, ran = Maker(names), has_run(s, names)
    first: list[Atom] = []
    for source, was in before.items():
        for ago in range(1, len(was) + 1):
            first += _elsewhere(body, [source], s.start, -ago * step, maker)
    inits, outs = ([names.like(v) for v in carried] for _ in range(2))
    begin = If(
        ran.out,
        Block(tuple(maker.out), tuple(first)),
        Block((), tuple(Const(0.0, v.type) for v in inits)),
        tuple(inits),
        s.span,
    )
    return [ran, begin, carrying(replace(s, body=rest), rest.stmts, carried, inits, after, outs)]


def _places(body: Body) -> dict[Var, tuple[Shape, int]]:
    """The floats of an iteration that an earlier iteration may have computed, as a shape and an offset along the loop.
    """
    found: dict[Var, tuple[Shape, int]] = {}
    for t in body.stmts:
        match t:
            case Load(out=v, array=a, index=index) if is_float(v.type) and a.name not in body.written:
                cell = body.cell(index)
                if cell is not None:
                    found[v] = ("load", a.name, cell.row), cell.number
            case Let(out=v, op=op, ins=ins) if is_float(v.type) and all(a in found or not body.moves(a) for a in ins):
                far = [found[a][1] for a in ins if a in found]
                if far:
                    found[v] = (
                        (op, v.type, *((found[a][0], found[a][1] - far[0]) if a in found else str(a) for a in ins)),
                        far[0],
                    )
    return found


def _had(places: dict[Var, tuple[Shape, int]], step: int) -> dict[Var, tuple[Var, int]]:
    """The values that an earlier iteration has computed: the value of the current iteration they equal, and how many
    iterations ago."""
    at: dict[Shape, dict[int, Var]] = {}
    for v, (shape, far) in places.items():
        at.setdefault(shape, {}).setdefault(far * step, v)
    had: dict[Var, tuple[Var, int]] = {}
    for v, (shape, far) in places.items():
        here = source = far * step
        for there in sorted(k for k in at[shape] if k > here):
            if there - source > NEAR:
                break
            source = there
        if source > here and (shape[0] != "load" or source == here + 1):
            had[v] = at[shape][source], source - here
    return had
