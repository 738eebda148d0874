"""Loop fusion: join a loop with the preceding loop that produces the cells it reads.

**Transformation.** Loop fusion (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter 6).

**Before.** ``for i in range(n) { &t[i] = f(x[i]) }; for j in range(n) { s += t[j] }``
**After.** ``for i in range(n) { &t[i] = f(x[i]); s += t[i] }``

**Legality.** Both loops have the same start, stop and step, have no early exit and carry no arrays. Of an array that
one of them writes, an iteration of the second accesses only cells that the same iteration of the first accesses
(distance 0, `linad/analysis/dependence.py`), or both loops only add to it. At most one of them may raise an error, and
then the other writes nothing visible to a caller. The statements between the loops can move before the first.

**Profitability.** Reads of a temporary array that is written in the first loop and read in the second become values
(`store_forwarding.py`), and the array is then not created at all (`dead_code_elimination.py`). A chain of array
expressions costs one loop. A recurrence is not fused with a loop of exponentials or sines, which is vectorised.

**Needs.** Nothing: results are bitwise identical.
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
    """Fuse producing loops with the loops that consume their cells."""
    return replace(f, body=_Fuser(f).block(f.body))


class _Facts:
    """Facts about one loop, computed lazily: each loop is compared with all earlier ones of its block."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop  # also keeps the id of the loop unique
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
        """Fuse the last loop with an earlier one that produces what it reads, if the statements between them permit."""
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

    # -- legality and profitability

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
            return False  # vectorising the expensive loop is worth more than keeping the cells in cache
        if any(o.name in second.mentions for o in a.outs):
            return False
        return self.fail_alike(first, second)

    def one_by_one(self, a: Loop, joined: Loop) -> bool:
        """Whether an iteration of the second loop accesses only cells that the same iteration of the first accesses,
        except in arrays that both only add to."""
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
        """Whether the fused loop raises the same error with the same visible writes."""
        if a.may_fail and b.may_fail:
            return False
        return not (b.writes if a.may_fail else a.writes if b.may_fail else frozenset()) & self.visible

    def may_pass(self, m: Stmt, loop: Loop) -> bool:
        """Whether a statement after a loop may move before it."""
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
    """Whether an iteration depends on the previous one other than through a reduction."""
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


def _joined(a: Loop, b: Loop) -> Loop:
    """The fused loop: in each iteration, the statements of ``b`` follow those of ``a``."""
    second = substitute(b.body, {b.index.name: a.index})
    body = Block((*a.body.stmts, *second.stmts), (*a.body.results, *second.results))
    return replace(
        a, carried=(*a.carried, *b.carried), inits=(*a.inits, *b.inits), outs=(*a.outs, *b.outs), body=body
    )
