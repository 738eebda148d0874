"""Copy sinking: move a copy into the loop that overwrites the array, and copy only the cells still read afterwards.

**Transformation.** Code sinking of ``old = u.copy()`` into the loops that write to ``u``. Cells that the loop itself
needs stay in registers.

**Before.** ``old = copy &u; for i { &u[i] = f(old[i-1], old[i+1]) }``
**After.** ``for i carry (l, m) { r = u[i+1]; &u[i] = f(l, r); yield m, r }``

**Legality.** The nest has one write, whose indices are the loop indices plus constants. It contains no index checks,
because the transformed loop accesses cells earlier than the original accesses do. Cells that no iteration writes are
copied before their row or before the loops. The copied array is local to the function: a partial update must not be
visible after an error.

**Profitability.** Both arrays are traversed once instead of twice, or the copy disappears. The pass makes loops
sequential, so it runs after parallel loops are chosen.

**Needs.** Arrays with different names do not overlap (noalias). Sums are not reassociated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Check, Const, Copy, Function, If, Let, Load, Loop, Stmt, Store, Var, walk,
)
from linad_typecheck.ir.rewrite import freshen, in_blocks, substitute
from linad_typecheck.types import BOOL, I64, Scalar, is_float

from linad.analysis.dependence import Nest
from linad.analysis.loop_facts import defined

from ..ints import ONE, ZERO, Maker, carrying, has_run
from ..mentions import Mentions
from ..pass_manager import Remark, Remarks, known_as, remark
from .known_regions import End, Sizes

NEAR = 2  # maximum distance between cells of a row that are kept in registers


def sink_copies(f: Function) -> tuple[Function, Remarks]:
    """Sink the array copies of a function into the loops that overwrite the array. Also return a remark for each."""
    late = _Late(f)
    return replace(f, body=late.block(f.body)), tuple(late.remarks)


def in_registers(s: Loop, copy: Var, array: Var, ints: Sizes) -> list[Stmt] | None:
    """A loop that reads the old contents of ``array`` through ``copy``, rewritten to keep the old cells in registers;
    None if it needs more of them than there are registers for."""
    nest = _Nest(s, _Copied(copy, (), array, ints.shapes[array.name]), ints)
    stmts = nest.late(False)
    return None if nest.read else stmts


@dataclass(frozen=True)
class _Copied:
    """The copy ``copy[*prefix, ...] = array[...]`` of all cells. ``made``: the statements that allocate ``copy``, if
    any."""

    copy: Var
    prefix: tuple[Atom, ...]
    array: Var
    sizes: tuple[Atom, ...]
    made: tuple[Stmt, ...] = ()

    def is_in(self, s: Stmt, mentions: Mentions) -> bool:
        """Whether a statement mentions either array."""
        return mentions.touches(s, self.array) or mentions.touches(s, self.copy)


class _Late:
    def __init__(self, f: Function) -> None:
        self.ints = Sizes(f)
        self.sizes = self.ints.shapes
        self.remarks: list[Remark] = []
        # also the shapes of logs
        self.shapes = self.sizes | {s.out.name: s.shape for s in walk(f.body) if isinstance(s, Alloc)}

    def block(self, b: Block) -> Block:
        stmts = [in_blocks(part, self.block) for s in b.stmts for part in self.separate(s)]
        mentions = self.ints.mentions
        for s in tuple(stmts):
            copied = self.copied(s)
            if copied is None or (k := next((k for k, t in enumerate(stmts) if t is s), None)) is None:
                continue
            m = next((m for m in range(k + 1, len(stmts)) if copied.is_in(stmts[m], mentions)), None)
            if m is None or not isinstance(nest := stmts[m], Loop):
                continue
            later = copied.copy in b.results or any(mentions.touches(t, copied.copy) for t in stmts[m + 1 :])
            writer = _Nest(nest, copied, self.ints)
            if (new := writer.late(later or not copied.made)) is not None:
                stmts[k : m + 1] = [*stmts[k + 1 : m], *new]
                self.remarks.append(remark(s.span, "copied", writer.told()))
        return replace(b, stmts=tuple(stmts))

    def separate(self, s: Stmt) -> list[Stmt]:
        """A loop nest that does nothing but copy several arrays, of values and of tangents, as a nest for each."""
        pairs = _copies(s)
        if len(pairs) < 2 or len({a.name for pair in pairs for a in (pair[0].array, pair[1].array)}) < 2 * len(pairs):
            return [s]
        nests = (Block((_with_body(s, pair),)) for pair in pairs)
        return [nest for each in nests for nest in freshen(each, self.ints.names, {}).stmts]

    def copied(self, s: Stmt) -> _Copied | None:
        """The array copy that a statement performs, if it does nothing else."""
        if isinstance(s, Copy) and s.array.name in self.sizes:
            sizes = self.sizes[s.array.name]
            return _Copied(s.out, (), s.array, sizes, (Alloc(s.out, sizes, None, s.span),))
        index: list[Var] = []
        sizes = ()
        while isinstance(s, Loop) and _is_plain(s) and s.start == ZERO and not s.carried:
            assert s.stop is not None
            index.append(s.index)
            sizes = (*sizes, s.stop)
            match s.body.stmts:
                case (Loop() as inner,):
                    s = inner
                case (
                    Load(out=v, array=a, index=here, checked=False),
                    Store(array=c, index=there, value=w, checked=False),
                ) if v == w and here == tuple(index) and there[len(there) - len(here) :] == here:
                    prefix = there[: len(there) - len(here)]
                    whole = self.sizes.get(a.name) == sizes == self.shapes.get(c.name, ())[len(prefix) :]
                    return _Copied(c, prefix, a, sizes) if whole and a != c and not set(prefix) & set(index) else None
                case _:
                    return None
        return None


class _Nest:
    """A loop nest that may overwrite a copied array."""

    def __init__(self, s: Loop, copied: _Copied, ints: Sizes) -> None:
        self.copied, self.ints, self.names = copied, ints, ints.names
        self.loops = list(self.nested(s))
        self.nest = Nest(*self.loops)
        self.running = Maker(self.names)
        self.ran: Atom = Const(True, BOOL)  # whether the nest executes a write
        for loop in self.loops if all(map(_is_plain, self.loops)) else ():
            ran = has_run(loop, self.names)
            self.running.out.append(ran)
            self.ran = ran.out if loop is self.loops[0] else self.running.let("and", self.ran, ran.out)
        self.read = True  # whether the copy is read
        self.own: tuple[int, ...] = ()  # offsets of the written cell from the loop indices
        self.far: dict[int, tuple[int, ...]] = {}  # by id of a load: offsets of the old cell from the written one

    def nested(self, s: Loop) -> Iterator[Loop]:
        """A loop and the nested loops of which each is the only statement of its parent that touches the arrays."""
        yield s
        match self.touching(s):
            case [Loop() as inner]:
                yield from self.nested(inner)

    def touching(self, s: Loop) -> list[Stmt]:
        return [t for t in s.body.stmts if self.copied.is_in(t, self.ints.mentions)]

    def late(self, read: bool) -> list[Stmt] | None:
        """The nest with the copy sunk into it, preceded by the copies made before it. The copy disappears if it is read
        neither in the nest nor, per ``read``, after it."""
        c = self.copied
        if (
            not is_float(c.array.type)
            or not all(map(_is_plain, self.loops))
            or any(isinstance(t, Check) for t in walk(self.loops[0].body))
        ):
            return None
        touching = self.touching(self.loops[-1])
        if not all(isinstance(t, Load | Store | AddTo) and not t.checked for t in touching):
            return None
        match [t for t in touching if isinstance(t, Store | AddTo)]:
            case [write]:
                self.write = write
            case _:
                return None
        own = self.nest.offsets(write.index[len(write.index) - len(c.sizes) :])
        if own is None:
            return None
        self.own = own
        inside = defined(self.loops[0])
        if any(a.name in inside for s in self.loops for a in (s.start, s.stop) if isinstance(a, Var)):
            return None
        done = self.written(touching, read) if write.array == c.array else self.replaced(touching)
        return None if done is None else [*self.running.out, *done]

    def told(self) -> str:
        """The text of the remark."""
        copy, array = known_as(self.copied.copy), known_as(self.copied.array)
        if self.write.array == self.copied.copy:
            return f"{copy}, only where the loop that writes it does not"
        how = "by" if self.read else "not at all: its cells are in registers in"
        return f"{copy}, {how} the loop that writes {array if array != copy else 'it'}"

    def replaced(self, touching: list[Stmt]) -> list[Stmt] | None:
        """The nest where it overwrites the copy before any read: only the cells that it does not write are copied."""
        c, write = self.copied, self.write
        if isinstance(write, AddTo) or any(t.array == c.copy for t in touching if isinstance(t, Load)):
            return None
        if write.index[: len(c.prefix)] != c.prefix:
            return None
        return [*c.made, *self.around(0, ()), self.loops[0]]

    def around(self, k: int, fixed: tuple[Atom, ...]) -> list[Stmt]:
        """The copy of the cells that the nest does not write, from loop ``k`` inwards."""
        s, more = self.loops[k], self.own[k]
        edges = self.edges(s, more, fixed)
        if s is self.loops[-1]:
            return edges
        index, inside = self.names.var("k", I64), Maker(self.names)
        here = inside.let("add", index, Const(more, I64))
        body = Block((*inside.out, *self.around(k + 1, (*fixed, here))))
        return [*edges, Loop(index, s.start, s.stop, ONE, (), (), body, ())]

    def written(self, touching: list[Stmt], read: bool) -> list[Stmt] | None:
        """The nest where it overwrites the copied array."""
        c, write = self.copied, self.write
        written = False
        for t in touching:
            written = written or t is write
            if isinstance(t, Load):
                where = self.distance(t)
                near = where is not None and not any(where[:-1]) and abs(where[-1]) <= NEAR
                if t.array == c.copy and (where is None or not any(where[:-1]) and not near):
                    return None
                if where is not None and (t.array == c.copy or near and where[-1] >= 0 and not written):
                    self.far[id(t)] = where
        self.read = read or any(far[:-1] < (0,) * len(far[:-1]) for far in self.far.values())
        return [*(c.made if self.read else ()), *self.made(0, ())]

    def distance(self, t: Load) -> tuple[int, ...] | None:
        """Offset along each axis of a loaded cell from the cell that the iteration writes."""
        prefix = self.copied.prefix if t.array == self.copied.copy else ()
        there = self.nest.offsets(t.index[len(prefix) :]) if t.index[: len(prefix)] == prefix else None
        return None if there is None else tuple(n - o for n, o in zip(there, self.own, strict=True))

    def made(self, k: int, fixed: tuple[Atom, ...]) -> list[Stmt]:
        """Loop ``k`` with the copy in it, and the copies made before it. ``fixed``: the written indices of the
        enclosing loops."""
        loop = self.loops[k]
        edges = self.edges(loop, self.own[k], fixed) if self.read else []
        if loop is self.loops[-1]:
            return [*edges, *self.innermost(fixed)]
        front = Maker(self.names)
        here = (*fixed, front.let("add", loop.index, Const(self.own[k], I64)))
        inside = [*front.out, *self.made(k + 1, here)]
        stmts = tuple(u for t in loop.body.stmts for u in (inside if t is self.loops[k + 1] else (t,)))
        return [*edges, replace(loop, body=replace(loop.body, stmts=stmts))]

    def edges(self, loop: Loop, more: int, fixed: tuple[Atom, ...]) -> list[Stmt]:
        """The copy of the cells of an axis that lie before and after the range that a loop writes.

        If the nest executes no iteration, all cells are copied before the first loop, since its bounds need not lie
        within the array.
        """
        inside, (start, stop) = Maker(self.names), self.ints.ends(loop)
        size = self.copied.sizes[len(fixed)]
        self.part(fixed, End(ZERO, 0), start + more, inside)
        self.part(fixed, stop + more, self.ints.end(size), inside)
        never = Maker(self.names)
        if not fixed:
            self.part(fixed, End(ZERO, 0), self.ints.end(size), never)
        return [If(self.ran, Block(tuple(inside.out)), Block(tuple(never.out)), (), loop.span)]

    def part(self, fixed: tuple[Atom, ...], low: End, high: End, maker: Maker) -> None:
        """Copy the cells ``low`` to ``high`` of an axis, and all cells of the following axes."""
        c = self.copied
        held = self.ints.whole(c.sizes[len(fixed) :], c.array)
        self.ints.part(c.copy, (*c.prefix, *fixed), held, low, high, maker)

    def cell(self) -> Var:
        return self.names.var(f"{self.copied.array.name}_i", Scalar(self.copied.array.type.dtype))

    def innermost(self, row: tuple[Atom, ...]) -> list[Stmt]:
        """The loop that copies a cell before writing it, and its prologue.

        Each iteration loads only the furthest cell of its row and receives the others from previous iterations in
        registers. LLVM can vectorise this form, and it is faster than loading cells next to the one just written.
        """
        c, s = self.copied, self.loops[-1]
        along = [0, *(d[-1] for d in self.far.values() if not any(d[:-1]))]
        last, first = min(along), max(along)
        window = {k: self.cell() for k in range(last, first + 1)}
        front = Maker(self.names)
        at = front.let("add", s.index, Const(self.own[-1] + first, I64))
        front.out.append(Load(window[first], c.array, (*row, at), False))
        values: dict[str, Atom] = {}
        kept: list[Stmt] = []
        for t in s.body.stmts:
            where = self.far.get(id(t))
            if isinstance(t, Load) and where is not None:
                if not any(where[:-1]):
                    values[t.out.name] = window[where[-1]]
                else:
                    ahead = where > (0,) * len(where)
                    kept.append(replace(t, array=c.array, index=t.index[len(t.index) - len(where) :]) if ahead else t)
            elif t is self.write:
                value = t.value
                if isinstance(t, AddTo):
                    value = self.cell()
                    kept.append(Let(value, "add", (window[0], t.value), t.span))
                kept += [Store(c.copy, (*c.prefix, *t.index), window[0], False)] if self.read else []
                kept.append(Store(c.array, t.index, value, False, t.span))
            else:
                kept.append(t)
        body = substitute(Block(tuple(kept), s.body.results), values)
        handed = range(last, first)
        inits, before = self.begun(row, handed)
        outs = [self.cell() for _ in handed]
        s, now = replace(s, body=replace(body, stmts=())), [window[k] for k in handed]
        stmts = (*front.out, *body.stmts)
        return [*before, carrying(s, stmts, now, inits, [window[k + 1] for k in handed], outs)]

    def begun(self, row: tuple[Atom, ...], handed: range) -> tuple[tuple[Var, ...], list[Stmt]]:
        """The initial values of the cells carried by the innermost loop, by offset from the written cell, and the
        statements that load them."""
        if not handed:
            return (), []
        s = self.loops[-1]
        ran, inside = has_run(s, self.names), Maker(self.names)
        cells, outs = (tuple(self.cell() for _ in handed) for _ in range(2))
        for k, v in zip(handed, cells, strict=True):
            inside.out.append(
                Load(v, self.copied.array, (*row, inside.let("add", s.start, Const(self.own[-1] + k, I64))), False)
            )
        zeros = tuple(Const(0.0, v.type) for v in outs)
        return outs, [ran, If(ran.out, Block(tuple(inside.out), cells), Block((), zeros), outs, s.span)]


def _copies(s: Stmt) -> list[tuple[Load, Store]]:
    """What the innermost block of a loop nest copies, cell by cell; nothing if it does anything else."""
    if not (isinstance(s, Loop) and _is_plain(s) and not s.carried):
        return []
    if len(s.body.stmts) == 1:
        return _copies(s.body.stmts[0])
    loads = {t.out.name: t for t in s.body.stmts if isinstance(t, Load)}
    pairs = [
        (loads[t.value.name], t)
        for t in s.body.stmts
        if isinstance(t, Store) and isinstance(t.value, Var) and t.value.name in loads
    ]
    return pairs if 2 * len(pairs) == len(s.body.stmts) else []


def _with_body(s: Stmt, stmts: tuple[Stmt, ...]) -> Stmt:
    """A loop nest with other statements in its innermost block."""
    assert isinstance(s, Loop)
    inner = s.body.stmts
    return replace(s, body=replace(s.body, stmts=(_with_body(inner[0], stmts),) if len(inner) == 1 else stmts))


def _is_plain(s: Loop) -> bool:
    return s.step == ONE and not s.exits and s.mark is None
