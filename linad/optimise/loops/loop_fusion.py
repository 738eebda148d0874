"""Loop fusion: join a loop with the preceding loop that produces the cells it reads, or that sums the same ones.

**Transformation.** Loop fusion (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter 6).

**Before.** ``for i in range(n) { &t[i] = f(x[i]) }; for j in range(n) { s += t[j] }``
**After.** ``for i in range(n) { &t[i] = f(x[i]); s += t[i] }``

**Legality.** Both loops have the same start, stop and step, have no early exit and carry no arrays. A loop over blocks
of a range, as sums are, stands for its inner loop; a loop fused with it is strip-mined, which keeps the order of
iterations. Of an array that
one of them writes, an iteration of the second accesses only cells that the same iteration of the first accesses
(distance 0, `linad/analysis/dependence.py`), or both loops only add to it. At most one of them may raise an error, and
then the other writes nothing visible to a caller. The statements between the loops can move before the first.

**Profitability.** Reads of a temporary array that is written in the first loop and read in the second become values
(`constant_folding.py`), and the array is then not created at all (`dead_code_elimination.py`). A chain of array
expressions costs one loop. Loops that only compute sums of the same arrays load each cell once, and so do their
adjoints. With a loop over blocks a loop is fused only if the arrays between them disappear: other passes analyse loops
over whole ranges better. A recurrence, through carried values or cells, is not fused with a loop of exponentials or
sines, which is vectorised as a whole or in part.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Call, Check, Const, Dim, Function, If, Let, Loop, Names, Stmt, Store, Var, all_names,
    blocks, free_vars, operands, outputs, walk, written,
)
from linad_typecheck.ir.rewrite import in_blocks, substitute
from linad_typecheck.types import I64, Array

from linad.analysis.accesses import Access
from linad.analysis.dependence import Distance, Independent, Nest
from linad.analysis.loop_facts import outer_accesses
from linad.analysis.operation_costs import is_library_call
from linad.analysis.parallelism import reads_earlier_cells

from ..ints import carrying

MOST = 100  # limit on the pairs of accesses to an array that are compared
_GATHERING = ("add", "sub", "max", "min", "maximum", "minimum", "mul", "and", "or")


def fuse_loops(f: Function) -> Function:
    """Fuse producing loops with the loops that consume their cells."""
    return replace(f, body=_Fuser(f).block(f.body))


class _Facts:
    """Facts about one loop, computed lazily: each loop is compared with all earlier ones of its block."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop  # also keeps the id of the loop unique
        self.inner = _of_block(loop)
        # over the whole range
        self.flat = loop if self.inner is None else replace(self.inner, start=loop.start, stop=loop.stop)
        self.alone = loop.exits or loop.trips is not None or loop.mark is not None
        self.alone = self.alone or any(isinstance(c.type, Array) for c in loop.carried)

    @cached_property
    def accesses(self) -> dict[str, list[Access]]:
        return _accesses(self.flat)

    @cached_property
    def reads(self) -> frozenset[str]:
        written = {n for n, found in self.accesses.items() if all(a.index and a.kind != "read" for a in found)}
        return frozenset(self.accesses.keys() - written)

    @cached_property
    def writes(self) -> frozenset[str]:
        return frozenset(n for n, found in self.accesses.items() if any(a.kind != "read" for a in found))

    @cached_property
    def serial(self) -> bool:
        return _serial(self.flat) or reads_earlier_cells(self.flat)

    @cached_property
    def expensive(self) -> bool:
        return _expensive(self.flat)

    @cached_property
    def only_sums(self) -> bool:
        """Whether the loop only computes sums, and the like, of cells."""
        return bool(self.loop.carried and self.reads) and not (self.writes or self.serial or self.expensive)

    def sums_the_same(self, other: _Facts) -> bool:
        """Whether two loops only compute sums, one of them of cells of arrays that the other loop reads as well."""
        alike = self.only_sums and other.only_sums and (self.inner is None) == (other.inner is None)
        return alike and (self.reads <= other.reads or other.reads <= self.reads)

    @cached_property
    def may_fail(self) -> bool:
        return any(map(_may_fail, walk(self.loop.body)))

    @cached_property
    def mentions(self) -> frozenset[str]:
        return frozenset(free_vars(self.loop.body)) | {i.name for i in self.loop.inits if isinstance(i, Var)}


class _Fuser:
    def __init__(self, f: Function) -> None:
        self.function = f
        self.known: dict[int, _Facts] = {}
        self.visible = {p.var.name for p in f.params}
        returned = {r.name for s in walk(f.body) for b in blocks(s) for r in b.results if isinstance(r, Var)}
        returned |= {r.name for r in f.body.results if isinstance(r, Var)}
        self.made = {s.out.name for s in walk(f.body) if isinstance(s, Alloc) and s.log == "no"} - returned

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for k, s in enumerate(block.stmts):
            out.append(s)
            if isinstance(s, Loop):
                self.join_last(out, block.stmts[k + 1 :])
        return replace(block, stmts=tuple(in_blocks(s, self.block) for s in out))

    def join_last(self, out: list[Stmt], rest: tuple[Stmt, ...]) -> None:
        """Fuse the last loop with an earlier one that produces what it reads, if the statements between them permit.
        ``rest`` follows in the block."""
        last = out[-1]
        mine = self.facts(last)
        produced = mine.reads & self.made
        if not produced and not mine.only_sums:
            return
        for at in range(len(out) - 2, -1, -1):
            s = out[at]
            if isinstance(s, Call) or (isinstance(s, Loop) and s.exits):
                return
            if not isinstance(s, Loop) or not self.fits(s, last):
                continue
            if produced.isdisjoint(self.facts(s).writes) and not self.facts(s).sums_the_same(mine):
                continue
            between = out[at + 1 : -1]
            if all(self.may_pass(m, s) for m in between):
                first, second = self.facts(s), self.facts(last)
                joined = _joined(first.flat, second.flat)
                if self.one_by_one(first, joined) and self.pays(first, second, (*between, *rest)):
                    blocked = first.inner is not None or second.inner is not None
                    out[at:] = [*between, _in_blocks(s, last, self.names) if blocked else joined]
                    return

    @cached_property
    def names(self) -> Names:
        return Names(all_names(self.function))

    # -- legality and profitability

    def pays(self, first: _Facts, second: _Facts, others: tuple[Stmt, ...]) -> bool:
        """Whether to strip-mine a loop: not a recurrence, and only if all arrays between the two are used by loops
        alone that can be fused with them too."""
        if (first.inner is None) == (second.inner is None):
            return True
        if first.serial or second.serial:
            return False
        a, b = first.loop, second.loop
        later = {o.name for o in (*a.outs, *b.outs)}
        later |= {v.name for t in others if not isinstance(t, Alloc) for v in outputs(t)}
        alike = [
            t
            for t in others
            if isinstance(t, Loop)
            and (t.start, t.stop) == (a.start, a.stop)
            and self.facts(t).flat.step == first.flat.step
            and not self.facts(t).mentions & later
        ]
        between = first.writes & second.reads & self.made
        return all(self.uses[n] == sum(_uses(t)[n] for t in (a, b, *alike)) for n in between)

    @cached_property
    def uses(self) -> Counter[str]:
        """The number of statements of the function that use an array other than for its size."""
        return _uses(*self.function.body.stmts)

    def facts(self, s: Loop) -> _Facts:
        found = self.known.get(id(s))
        if found is None:
            found = self.known[id(s)] = _Facts(s)
        return found

    def fits(self, a: Loop, b: Loop) -> bool:
        if (a.start, a.stop) != (b.start, b.stop):
            return False
        first, second = self.facts(a), self.facts(b)
        if first.flat.step != second.flat.step or None not in (first.inner, second.inner) and a.step != b.step:
            return False
        if first.alone or second.alone:
            return False
        if first.expensive and second.serial or second.expensive and first.serial:
            return False  # vectorising the expensive loop is worth more than keeping the cells in cache
        if any(o.name in second.mentions for o in a.outs):
            return False
        return self.fail_alike(first, second)

    def one_by_one(self, a: _Facts, joined: Loop) -> bool:
        """Whether an iteration of the second loop accesses only cells that the same iteration of the first accesses,
        except in arrays that both only add to."""
        first, count = a.accesses, len(a.flat.body.stmts)
        second = _accesses(replace(joined, body=replace(joined.body, stmts=joined.body.stmts[count:])))
        nest = Nest(joined)
        for name in first.keys() & second.keys():
            both = [*first[name], *second[name]]
            if all(x.kind == "read" for x in both) or all(x.kind == "update" and x.index is not None for x in both):
                continue
            pairs = dict.fromkeys((x.index, y.index) for x in first[name] for y in second[name])
            if len(pairs) > MOST:
                return False
            for x, y in pairs:
                match nest.between(*(Access(both[0].array, index, "update") for index in (x, y))):
                    case Independent() | Distance(by=(0,)):
                        pass
                    case _:
                        return False
        return True

    def fail_alike(self, a: _Facts, b: _Facts) -> bool:
        """Whether the fused loop raises the same error with the same visible writes."""
        if a.may_fail and b.may_fail:
            return False
        return not (b.writes if a.may_fail else a.writes if b.may_fail else frozenset()) & self.visible

    def may_pass(self, m: Stmt, loop: Loop) -> bool:
        """Whether a statement after a loop may move before it."""
        there, a = self.facts(loop), written(m)
        own = isinstance(m, Store | AddTo) and a is not None and a.name in self.made and a.name not in there.mentions
        if isinstance(m, (Loop, If, Call)) or (a is not None and not own):
            return False
        if (isinstance(m, Check) or getattr(m, "checked", False)) and (there.may_fail or there.writes & self.visible):
            return False
        uses = {x.name for x in operands(m) if isinstance(x, Var)}
        if uses & {o.name for o in loop.outs}:
            return False
        return isinstance(m, Dim) or not uses & there.writes


def _uses(*stmts: Stmt) -> Counter[str]:
    """How many statements of some, and in them, use an array other than for its size."""
    inside = (t for t in walk(Block(stmts)) if not isinstance(t, Dim))
    return Counter(a.name for t in inside for a in operands(t) if isinstance(a, Var) and isinstance(a.type, Array))


def _may_fail(s: Stmt) -> bool:
    return isinstance(s, Check | Call) or getattr(s, "checked", False) or (isinstance(s, Loop) and s.stop is None)


def _serial(s: Loop) -> bool:
    """Whether an iteration depends on a value of the previous one other than through a reduction."""
    results = {r.name for r in s.body.results if isinstance(r, Var)}
    carried = {c.name for c in s.carried}
    used: set[str] = set()
    gathered: set[str] = set()
    for t in walk(s.body):
        mentioned = {x.name for x in operands(t) if isinstance(x, Var)}
        if mentioned & carried:
            if not (isinstance(t, Let) and t.op in _GATHERING and t.out.name in results):
                return True
            gathered.add(t.out.name)
        used |= mentioned
    return bool(gathered & used)


def _expensive(s: Loop) -> bool:
    """Whether a loop is straight-line code with a library call, and hence worth vectorising by itself."""
    body = list(walk(s.body))
    return not any(map(blocks, body)) and any(map(is_library_call, body))


def _accesses(s: Loop) -> dict[str, list[Access]]:
    """The accesses of a loop to outer arrays, by name; an array that is renamed inside may be updated as a whole."""
    found: dict[str, list[Access]] = {}
    renamed = (v for t in walk(s.body) for v in (*(t.inits if isinstance(t, Loop) else ()), *_results(t)))
    whole = (Access(v, None, "update") for v in renamed if isinstance(v, Var) and isinstance(v.type, Array))
    for a in (*(a for _, a in outer_accesses(s)), *whole):
        found.setdefault(a.array.name, []).append(a)
    return found


def _results(t: Stmt) -> Iterator[Atom]:
    return (r for b in blocks(t) for r in b.results)


def _of_block(s: Loop) -> Loop | None:
    """The loop over a block, of a loop that goes through a range in blocks and else only computes."""
    inner = [t for t in s.body.stmts if isinstance(t, Loop)]
    if len(inner) != 1 or s.exits or not isinstance(s.step, Const) or s.step.value <= 1:
        return None
    if not all(isinstance(t, Let | Loop) for t in s.body.stmts):
        return None
    (t,) = inner
    made = {u.out: (u.op, u.ins) for u in s.body.stmts if isinstance(u, Let)}
    op, ends = made.get(t.stop, ("", ())) if isinstance(t.stop, Var) else ("", ())
    whole = t.start == s.index and t.step == Const(1, I64) and op == "min" and s.stop in ends
    if not whole or t.exits or t.trips is not None or t.mark is not None:
        return None
    (high,) = (a for a in ends if a != s.stop) if len(set(ends)) == 2 else (None,)
    return t if isinstance(high, Var) and made.get(high) == ("add", (s.index, s.step)) else None


def _in_blocks(a: Loop, b: Loop, names: Names) -> Loop:
    """One loop for two of which at least one goes through its range in blocks."""
    frame = a if _of_block(a) is not None else b
    inside = _of_block(frame)
    assert inside is not None
    before: list[Stmt] = []
    after: list[Stmt] = []
    inner, outer = (replace(s, carried=(), inits=(), outs=(), body=Block(())) for s in (inside, frame))
    for s in (a, b):
        mine, here = _of_block(s), {s.index.name: frame.index}
        if mine is None:
            begun, ended = (tuple(map(names.like, s.carried)) for _ in range(2))
            mine = replace(s, inits=begun, outs=ended)
            outer = carrying(outer, (), begun, s.inits, ended, s.outs)
        else:
            at = s.body.stmts.index(mine)
            rest = substitute(s.body, here)
            before += rest.stmts[:at]
            after += rest.stmts[at + 1 :]
            outer = carrying(outer, (), s.carried, s.inits, rest.results, s.outs)
        body = substitute(mine.body, {**here, mine.index.name: inside.index})
        inner = carrying(inner, (*inner.body.stmts, *body.stmts), mine.carried, mine.inits, body.results, mine.outs)
    return replace(outer, body=replace(outer.body, stmts=(*before, inner, *after)))


def _joined(a: Loop, b: Loop) -> Loop:
    """The fused loop: in each iteration, the statements of ``b`` follow those of ``a``."""
    second = substitute(b.body, {b.index.name: a.index})
    return carrying(a, (*a.body.stmts, *second.stmts), b.carried, b.inits, second.results, b.outs)
