"""Parallel loops: the iterations become a function that runs one chunk of them, and a loop over chunks.

Both are core code: the loop over ``chunks`` consists of calls. Each call runs consecutive iterations in
order. Data that chunks must not share gets one row per chunk in arrays allocated beforehand, so no thread allocates or
raises. Rows are combined in the order of chunks: with the same number of threads the result is bitwise reproducible.
Loops with too little work for threads run sequentially.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import (
    RETRY, AddArray, AddTo, Alloc, Atom, Block, Call, Check, Const, Copy, Dim, Fill, Function, If, Let, Load, Loop,
    Names, Param, Stmt, Store, Var, free_vars, walk,
)
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import FLOATS, I64, ZEROS, Array, Scalar

from linad.analysis.parallelism import Verdict
from linad.optimise import ints
from linad.optimise.ints import ONE, ZERO

from .cost_model import work_of

SHARE = 17  # a chunk of at least 2**SHARE core steps, some ten to a hundred microseconds, is worth a thread
MOST_WORDS = 2**24  # limit on the words private to the chunks of a loop
COMBINE = 4  # cost in steps of clearing and adding a word of an accumulator
APART = 8  # words between the rows of two chunks: one cache line
Cells = Callable[[tuple[Atom, ...]], list[Stmt]]


@dataclass(frozen=True)
class Row:
    """An array with one copy per chunk: its sizes, and the array of all copies."""

    shape: tuple[Atom, ...]
    rows: Var


class Maker(ints.Maker):
    """Emits statements of one function."""

    hint = "t"

    def sizes_of(self, a: Var) -> tuple[Var, ...]:
        return Builder(self.names, self.out).dims(a)

    def cells(self, shape: tuple[Atom, ...], each: Cells) -> None:
        """Emit loops over all cells of an array."""
        b = Builder(self.names, self.out)
        b.each(shape, lambda *index: b.stmts.extend(each(index)))


def identity(t: Scalar | Array) -> Const:
    """The identity of addition, -0.0 for floats."""
    return Const(-0.0, Scalar(t.dtype)) if t.dtype in FLOATS else Const(0, Scalar(t.dtype))


def spread(s: Loop, v: Verdict, threads: Var, names: Names, name: str) -> tuple[list[Stmt], Function]:
    """The statements that replace a loop, and the function of one chunk."""
    m = Maker(names)
    assert s.stop is not None
    s = replace(s, kind="chunk")
    trips = m.let("trips", s.start, s.stop, s.step, hint="trips")
    work = work_of(s, trips, m)
    wanted = m.let("min", m.let("min", threads, trips), m.let("shr", m.let("max", work, ZERO), Const(SHARE, I64)))
    if v.near:
        wanted = _in_turns(v, wanted, trips, m)
    rows, chunks = _rows(s, v, m, wanted, work)
    parts = tuple(names.var("part", Array(c.type.dtype, 1)) for c in s.carried)
    m.out.extend(Alloc(p, (chunks,), None, s.span) for p in parts)

    then = Maker(names)
    per = then.let("floordiv", trips, chunks, hint="per")
    rest = then.let("sub", trips, then.let("mul", per, chunks), hint="rest")
    function = _chunk(s, v, rows, parts, names, name)
    turns = 2 if v.near else 1
    at_once = then.let("shr", chunks, ONE, hint="pairs") if v.near else chunks
    for turn in range(turns):
        c = names.var("c", I64)
        args = (c, *((Const(turn, I64),) if v.near else ()), per, rest)
        args = (*args, *(p.var for p in function.params[len(args) :]))
        call = Call((), name, args, s.span)
        then.out.append(Loop(c, ZERO, at_once, ONE, (), (), Block((call,)), (), kind="chunks", span=s.span))
    for a in v.added:
        _gather(a, rows[a.name], chunks, then)
    results = tuple(_combine(s, k, how, parts[k], chunks, then) for k, how in enumerate(v.sums))
    alone = tuple(names.like(o) for o in s.outs)
    orelse = Block((replace(s, outs=alone),), alone)
    worth = m.let("le", Const(2, I64), chunks)
    m.out.append(If(worth, Block(tuple(then.out), results), orelse, s.outs, s.span))
    return m.out, function


def _in_turns(v: Verdict, wanted: Var, trips: Var, m: Maker) -> Var:
    """Twice as many chunks, of which every second one runs at a time, because neighbours add to the same cells. None if
    they are too short to be kept apart."""
    both = m.let("mul", wanted, Const(2, I64))
    long = m.let("sub", m.let("add", trips, ONE), m.let("mul", both, Const(v.span, I64)))
    several = m.let("sub", wanted, ONE)  # a single thread must not start anything
    return m.let("mul", both, m.let("min", m.let("max", m.let("min", long, several), ZERO), ONE))


def _rows(s: Loop, v: Verdict, m: Maker, wanted: Var, work: Atom) -> tuple[dict[str, Row], Var]:
    """The arrays with one row per chunk, and the number of chunks, which is 0 if the rows would be too expensive."""
    shapes: dict[str, tuple[Atom, ...]] = {a.name: m.sizes_of(a) for a in v.added}
    vars_ = {a.name: a for a in v.added}
    for t in v.private:
        vars_[t.out.name] = t.out
        if isinstance(t, Alloc):
            shapes[t.out.name] = tuple(
                a if isinstance(a, Const) else m.let("max", a, ZERO, hint="size") for a in t.shape
            )
        else:
            shapes[t.out.name] = shapes.get(t.array.name) or m.sizes_of(t.array)
    if not shapes:
        return {}, wanted
    words, own = (_words([shapes[n] for n in group], m) for group in (vars_, [a.name for a in v.added]))
    fits = m.let("sub", Const(MOST_WORDS, I64), m.let("mul", words, wanted))
    pays = m.let("sub", work, m.let("mul", m.let("mul", own, wanted), Const(COMBINE, I64)))
    does = m.let("min", m.let("max", m.let("min", fits, pays), ZERO), ONE)
    chunks = m.let("mul", wanted, does, hint="chunks")
    rows: dict[str, Row] = {}
    for n, shape in shapes.items():
        whole = vars_[n]
        all_rows = m.names.var(n, Array(whole.type.dtype, max(whole.type.rank, 1) + 1))
        kept = [m.let("mul", a, does, hint="size") for a in shape]
        first = m.let("add", kept[0], Const(APART, I64), hint="size") if kept else Const(APART, I64)
        m.out.append(Alloc(all_rows, (chunks, first, *kept[1:]), None, s.span))
        rows[n] = Row(shape, all_rows)
    return rows, chunks


def _words(shapes: list[tuple[Atom, ...]], m: Maker) -> Atom:
    """The total number of cells of arrays, saturated so that nothing overflows."""
    most = Const(2 * MOST_WORDS, I64)
    total: Atom = ZERO
    for shape in shapes:
        cells: Atom = ONE
        for a in shape:
            cells = m.let("min", m.let("mul", cells, m.let("min", a, most)), most)
        total = m.let("add", total, cells)
    return total


def _gather(a: Var, row: Row, chunks: Var, m: Maker) -> None:
    """Add the rows of an accumulator to the array, in the order of chunks."""
    c = m.names.var("c", I64)
    inner = Maker(m.names)

    def each(index: tuple[Atom, ...]) -> list[Stmt]:
        cell = m.names.var("cell", Scalar(a.type.dtype))
        return [Load(cell, row.rows, (c, *(index or (ZERO,))), False), AddTo(a, index, cell, False)]

    inner.cells(row.shape, each)
    m.out.append(Loop(c, ZERO, chunks, ONE, (), (), Block(tuple(inner.out)), ()))


def _combine(s: Loop, k: int, how: str, part: Var, chunks: Var, m: Maker) -> Atom:
    """The value of a carried variable after all chunks."""
    t = Scalar(s.carried[k].type.dtype)
    out, cell = m.names.var(s.carried[k].name, t), m.names.var("cell", t)
    if how == "last":
        m.out.append(Load(cell, part, (m.let("sub", chunks, ONE),), False))
        return cell
    c, total, following = m.names.var("c", I64), m.names.var(s.carried[k].name, t), m.names.var("t", t)
    body = Block((Load(cell, part, (c,), False), Let(following, how, (total, cell))), (following,))
    m.out.append(Loop(c, ZERO, chunks, ONE, (total,), (s.inits[k],), body, (out,)))
    return out


# ----------------------------------------------------------------------------------------------- the function of a
# chunk


def _chunk(s: Loop, v: Verdict, rows: Mapping[str, Row], parts: tuple[Var, ...], names: Names, name: str) -> Function:
    """The function that runs the iterations of a chunk: ``per`` each, and one more in each of the first ``rest``
    chunks. If chunks run in two turns, ``place`` is the number of the chunk within its turn."""
    place, turn, per, rest = (names.var(hint, I64) for hint in ("c", "turn", "per", "rest"))
    m = Maker(names)
    c = m.let("add", m.let("add", place, place), turn, hint="c") if v.near else place
    first_params = (place, *((turn,) if v.near else ()), per, rest)
    first = m.let("add", m.let("mul", c, per), m.let("min", c, rest), hint="first")
    after = m.let("add", c, ONE)
    last = m.let("add", m.let("mul", after, per), m.let("min", after, rest), hint="last")
    added = {a.name for a in v.added}
    for a in v.added:
        m.cells(rows[a.name].shape, lambda index, a=a: [_put(rows[a.name], c, index, identity(a.type))])
    body = _Inside(rows, added, c, names).block(s.body)
    carried = tuple(identity(x.type) if how != "last" else _any(x) for x, how in zip(s.carried, v.sums, strict=True))
    outs = tuple(names.like(o) for o in s.carried)
    if s.step == ONE or s.step == Const(-1, I64):
        op = "add" if s.step == ONE else "sub"
        plain = s.start == ZERO and op == "add"
        start, stop = (first, last) if plain else (m.let(op, s.start, k) for k in (first, last))
        m.out.append(replace(s, start=start, stop=stop, inits=carried, body=body, outs=outs))
    else:
        k = names.var("k", I64)
        head = Maker(names)
        far = head.let("mul", k, s.step)
        head.out.append(Let(s.index, "add", (s.start, far)))
        body = replace(body, stmts=(*head.out, *body.stmts))
        m.out.append(replace(s, index=k, start=first, stop=last, step=ONE, inits=carried, body=body, outs=outs))
    m.out.extend(Store(p, (c,), o, False) for p, o in zip(parts, outs, strict=True))
    return Function(name, _params(Block(tuple(m.out)), first_params), Block(tuple(m.out)), s.span)


def _any(v: Var) -> Const:
    return Const(ZEROS[v.type.dtype], v.type)


def _put(row: Row, c: Var, index: tuple[Atom, ...], value: Atom) -> Stmt:
    return Store(row.rows, (c, *(index or (ZERO,))), value, False)


def _params(body: Block, first: tuple[Var, ...]) -> tuple[Param, ...]:
    added = {t.array.name for t in walk(body) if isinstance(t, AddTo)}
    stored = {t.array.name for t in walk(body) if isinstance(t, Store)}
    loaded = {t.array.name for t in walk(body) if isinstance(t, Load)}
    free = [x for n, x in free_vars(body).items() if n not in {p.name for p in first}]

    def mode(x: Var) -> str:
        if not isinstance(x.type, Array):
            return "own"
        if x.name in stored or x.name in added & loaded:
            return "mut"
        return "acc" if x.name in added else "read"

    return tuple(Param(x, mode(x)) for x in (*first, *free))  # type: ignore[arg-type]


@dataclass
class _Inside:
    """The loop body with accesses to the rows of its chunk. Errors become requests for the checked build, which raises
    them in sequential order."""

    rows: Mapping[str, Row]
    added: set[str]  # outer arrays that are only added to
    c: Var
    names: Names

    def block(self, b: Block) -> Block:
        m = Maker(self.names)
        for t in b.stmts:
            self.stmt(t, m)
        return Block(tuple(m.out), b.results)

    def stmt(self, t: Stmt, m: Maker) -> None:
        match t:
            case Load(array=a, index=i) | Store(array=a, index=i) | AddTo(array=a, index=i) if a.name in self.rows:
                m.out.append(replace(t, array=self.rows[a.name].rows, index=(self.c, *(i or (ZERO,)))))
            case Dim(out=out, array=a, axis=axis) if a.name in self.rows:
                m.out.append(Let(out, "add", (self.rows[a.name].shape[axis], ZERO), t.span))
            case Alloc(out=a, fill=None):
                pass
            case Alloc(out=a, fill=value) | Fill(array=a, value=value) if a.name in self.rows:
                m.cells(self.rows[a.name].shape, lambda index: [_put(self.rows[a.name], self.c, index, value)])
            case Copy(out=a, array=b):
                self.each(a, b, m, Store)
            case AddArray(array=a, other=b):
                self.each(a, b, m, AddTo)
            case Check():
                m.out.append(Check(t.cond, RETRY, "", (), t.span))
            case _:
                m.out.append(rebuild(t, lambda a: a, block=self.block))

    def each(self, a: Var, b: Var, m: Maker, put: type[Store | AddTo]) -> None:
        """Emit ``a[...] = b`` or ``a[...] += b``, cell by cell."""
        row = self.rows.get(a.name) or self.rows.get(b.name)
        shape = row.shape if row is not None else m.sizes_of(a)

        def cells(index: tuple[Atom, ...]) -> list[Stmt]:
            cell = self.names.var("cell", Scalar(a.type.dtype))
            inner = Maker(self.names)
            self.stmt(Load(cell, b, index, False), inner)
            self.stmt(put(a, index, cell, False), inner)
            return inner.out

        m.cells(shape, cells)
