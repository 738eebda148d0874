"""Loop fusion: a loop that reads at each place what the loop before it has written there is joined with it.

**Transformation.** Loop fusion (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter 6).

**Before.** ``for i in range(n) { &t[i] = f(x[i]) }; for j in range(n) { s += t[j] }``
**After.** ``for i in range(n) { &t[i] = f(x[i]); s += t[i] }``

**Legality.** Both loops have the same start, stop and step, are not left early and carry no arrays. Of an array
that one of them writes an iteration of the second meets only the same iteration of the first (distance 0,
`linad/analysis/dependence.py`), or both only add to it. At most one of them may fail, and then the other writes
nothing that a caller can see. What stands between them can run
before the first.

**Profitability.** An array that is only written in one loop and read in the next holds nothing that is not at hand:
its reads become the values (`store_forwarding.py`), and it is not made at all (`dead_code_elimination.py`). That
makes a chain of array expressions cost what one loop does. A recurrence is not joined with a loop of exponentials
or sines, which vector instructions compute four or eight at a time.

**Needs.** Nothing: the results are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Call, Check, Dim, Function, If, Let, Loop, Stmt, Var, blocks, free_vars, operands, walk,
    written,
)
from linad_typecheck.ir.rewrite import substitute
from linad_typecheck.types import Array

from linad.analysis.accesses import Access
from linad.analysis.dependence import Distance, Independent, Nest
from linad.analysis.loop_facts import outer_accesses
from linad.analysis.operation_costs import is_library_call

MOST = 100  # pairs of accesses to an array that are compared
_GATHERING = ("add", "sub", "max", "min", "maximum", "minimum", "mul", "and", "or")


def fuse_loops(f: Function) -> Function:
    """The function with producing and consuming loops made one, where no cell is read before or after its time."""
    return replace(f, body=_Fuser(f).block(f.body))


class _Facts:
    """What `_Fuser` asks of one loop, each found when it is first asked for: a loop meets all those before it in its
    block."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop  # which keeps its identity taken, too
        self.alone = loop.exits or loop.trips is not None or loop.mark is not None
        self.alone = self.alone or any(isinstance(c.type, Array) for c in loop.carried)

    @cached_property
    def accesses(self) -> dict[str, list[Access]]:
        return _accesses(self.loop)

    @cached_property
    def reads(self) -> frozenset[str]:
        written = {n for n, found in self.accesses.items() if all(a.index and a.kind != "read" for a in found)}
        return frozenset(self.accesses.keys() - written)

    @cached_property
    def writes(self) -> frozenset[str]:
        return frozenset(n for n, found in self.accesses.items() if any(a.kind != "read" for a in found))

    @cached_property
    def serial(self) -> bool:
        return _serial(self.loop)

    @cached_property
    def expensive(self) -> bool:
        return _dear(self.loop)

    @cached_property
    def may_fail(self) -> bool:
        return any(map(_may_fail, walk(self.loop.body)))

    @cached_property
    def mentions(self) -> frozenset[str]:
        return frozenset(free_vars(self.loop.body)) | {i.name for i in self.loop.inits if isinstance(i, Var)}


class _Fuser:
    def __init__(self, f: Function) -> None:
        self.known: dict[int, _Facts] = {}
        self.visible = {p.var.name for p in f.params}
        returned = {r.name for s in walk(f.body) for b in blocks(s) for r in b.results if isinstance(r, Var)}
        returned |= {r.name for r in f.body.results if isinstance(r, Var)}
        self.made = {s.out.name for s in walk(f.body) if isinstance(s, Alloc) and s.log == "no"} - returned

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for s in block.stmts:
            out.append(s)
            if isinstance(s, Loop):
                self.join_last(out)
        return replace(block, stmts=tuple(map(self.inside, out)))

    def inside(self, s: Stmt) -> Stmt:
        match s:
            case If():
                return replace(s, then=self.block(s.then), orelse=self.block(s.orelse))
            case Loop():
                return replace(s, body=self.block(s.body))
        return s

    def join_last(self, out: list[Stmt]) -> None:
        """Fuse the loop at the end with an earlier one that writes what it reads, if what stands between lets it."""
        last = out[-1]
        for at in range(len(out) - 2, -1, -1):
            s = out[at]
            if isinstance(s, Loop) and self.fits(s, last) and all(self.may_pass(m, s) for m in out[at + 1 : -1]):
                joined = _joined(s, last)
                if self.one_by_one(s, joined):
                    out[at:] = [*out[at + 1 : -1], joined]
                    return
            if isinstance(s, Call) or (isinstance(s, Loop) and s.exits):
                return

    # -- conditions

    def facts(self, s: Loop) -> _Facts:
        found = self.known.get(id(s))
        if found is None:
            found = self.known[id(s)] = _Facts(s)
        return found

    def fits(self, a: Loop, b: Loop) -> bool:
        if (a.start, a.stop, a.step) != (b.start, b.stop, b.step):
            return False
        first, second = self.facts(a), self.facts(b)
        if first.alone or second.alone or not first.writes & second.reads & self.made:
            return False
        if first.serial != second.serial and (first if second.serial else second).expensive:
            return False  # vector instructions for the one are worth more than the cells that the other leaves behind
        if any(o.name in second.mentions for o in a.outs):
            return False
        return self.fail_alike(first, second)

    def one_by_one(self, a: Loop, joined: Loop) -> bool:
        """Whether an iteration of the second of two loops only meets the same iteration of the first, but for what both
        only add to."""
        first = self.facts(a).accesses
        second = _accesses(replace(joined, body=replace(joined.body, stmts=joined.body.stmts[len(a.body.stmts) :])))
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
        """Whether an error is the same one, and finds the same cells written that a caller can see."""
        if a.may_fail and b.may_fail:
            return False
        return not (b.writes if a.may_fail else a.writes if b.may_fail else frozenset()) & self.visible

    def may_pass(self, m: Stmt, loop: Loop) -> bool:
        """Whether a statement after a loop may run before it."""
        if isinstance(m, (Loop, If, Call)) or (written(m) is not None):
            return False
        there = self.facts(loop)
        if (isinstance(m, Check) or getattr(m, "checked", False)) and (there.may_fail or there.writes & self.visible):
            return False
        uses = {x.name for x in operands(m) if isinstance(x, Var)}
        if uses & {o.name for o in loop.outs}:
            return False
        return isinstance(m, Dim) or not uses & there.writes


def _may_fail(s: Stmt) -> bool:
    return isinstance(s, Check | Call) or getattr(s, "checked", False) or (isinstance(s, Loop) and s.stop is None)


def _serial(s: Loop) -> bool:
    """Whether an iteration uses what the one before has found, other than to add to it or to compare with it."""
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


def _dear(s: Loop) -> bool:
    """Whether a loop is of plain statements, of which one is worth vector instructions by itself."""
    body = list(walk(s.body))
    return not any(map(blocks, body)) and any(map(is_library_call, body))


def _accesses(s: Loop) -> dict[str, list[Access]]:
    """What a loop does to outer arrays, by their names: anything to those that go by another name in it."""
    found: dict[str, list[Access]] = {}
    renamed = (v for t in walk(s.body) for v in (*(t.inits if isinstance(t, Loop) else ()), *_results(t)))
    whole = (Access(v, None, "update") for v in renamed if isinstance(v, Var) and isinstance(v.type, Array))
    for a in (*(a for _, a in outer_accesses(s)), *whole):
        found.setdefault(a.array.name, []).append(a)
    return found


def _results(t: Stmt) -> Iterator[Atom]:
    return (r for b in blocks(t) for r in b.results)


def _joined(a: Loop, b: Loop) -> Loop:
    """One loop for two; the second's statements follow the first's in each iteration."""
    second = substitute(b.body, {b.index.name: a.index})
    body = Block((*a.body.stmts, *second.stmts), (*a.body.results, *second.results))
    return replace(
        a, carried=(*a.carried, *b.carried), inits=(*a.inits, *b.inits), outs=(*a.outs, *b.outs), body=body
    )
