"""Motion of invariant reads: read the cells that no iteration writes once, before the loop.

**Transformation.** Loop-invariant code motion of loads (Muchnick, Advanced Compiler Design and Implementation, 1997,
chapter 13); those of an inner loop go into an array: scalar expansion (Allen and Kennedy, Optimizing Compilers for
Modern Architectures, 2001, chapter 5).

**Before.** ``for i in range(k + 1, n) { for j in range(k + 1, n) { &a[i, j] -= a[i, k] * a[k, j] } }``
**After.** ``for j in range(k + 1, n) { &row[j - k - 1] = a[k, j] }; for i ... { for j ... { ... * row[j - k - 1] } }``

**Legality.** The indices do not depend on the loop, and are in bounds even if it does not run. What the loop writes to
the array are other cells, proved by the bounds of its index (`linad/analysis/affine.py`).

**Profitability.** Eliminations (LU, Gauss and Jordan, Cholesky by columns) update a matrix with a row of its own, which
the reverse needs and, since the matrix changes, has to log: n**2 / 2 words instead of n**3 / 3. Both forms are
differentiated and the one that logs less is kept (`linad/pipeline.py`).

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeGuard

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Call, Const, Function, Let, Load, Loop, Names, Stmt, Store, Var, all_names, walk,
)
from linad_typecheck.ir.rewrite import freshen
from linad_typecheck.types import I64, Array

from linad.analysis.accesses import accesses
from linad.analysis.affine import Ranges
from linad.analysis.loop_facts import defined, is_counted, updated, with_ranges


def move_invariant_reads(f: Function) -> Function:
    """Move reads of cells that a loop does not write before it."""
    names = Names(all_names(f))
    return with_ranges(f, lambda s, r: _Mover(s, r, names).moved(), is_counted)


class _Mover:
    """Moves reads out of one loop. ``loop`` is known to be counted if anything moves."""

    def __init__(self, loop: Loop, ranges: Ranges, names: Names) -> None:
        self.loop, self.ranges, self.names = loop, ranges, names
        self.inside = defined(loop) if is_counted(loop) else set()
        self.written = updated(loop) - self.inside if self.inside else set()
        self.before: list[Stmt] = []

    def moved(self) -> list[Stmt]:
        if not self.written or any(isinstance(t, Call) for t in walk(self.loop.body)):
            return [self.loop]
        body = []
        for t in self.loop.body.stmts:
            if self.may_move(t, self.inside):
                self.before.append(t)
                self.inside.discard(t.out.name)
            else:
                body.append(self.inner(t) if isinstance(t, Loop) and self.same_range(t) else t)
        return [*self.before, replace(self.loop, body=replace(self.loop.body, stmts=tuple(body)))]

    def same_range(self, t: Loop) -> bool:
        return is_counted(t, one_by_one=True) and not self.inside.intersection(_names((t.start, t.stop)))

    def inner(self, t: Loop) -> Loop:
        """An inner loop that reads what does not change from arrays, which loops before the outer one fill."""
        own = self.inside - {t.index.name}
        reads = [s for s in t.body.stmts if self.may_move(s, own, t) and t.index in s.index]
        if not reads:
            return t
        trips, at = self.names.var("trips", I64), self.names.var("k", I64)
        ends = (t.index, t.start) if t.step == Const(1, I64) else (t.start, t.index)
        place = Let(at, "sub", ends, t.span)
        self.before.append(Let(trips, "trips", (t.start, t.stop, t.step), t.span))  # type: ignore[arg-type]
        rows = {s.out.name: self.names.var(s.array.name, Array(s.out.type.dtype, 1)) for s in reads}
        self.before += (Alloc(row, (trips,), None, t.span) for row in rows.values())
        filling = [u for s in reads for u in (s, Store(rows[s.out.name], (at,), s.out, False, s.span))]
        index = self.names.like(t.index)
        made = freshen(Block((place, *filling)), self.names, {t.index.name: index})
        self.before.append(replace(t, index=index, carried=(), inits=(), outs=(), body=made))
        body = [Load(s.out, rows[s.out.name], (at,), False, s.span) if s in reads else s for s in t.body.stmts]
        return replace(t, body=replace(t.body, stmts=(place, *body)))

    def may_move(self, s: Stmt, inside: set[str], within: Loop | None = None) -> TypeGuard[Load]:
        """Whether a statement, of the loop or ``within`` one in it, reads a cell that exists without the loop and that
        the loop, which writes to the array, leaves alone."""
        if not isinstance(s, Load) or s.array.name not in self.written or inside.intersection(_names(s.index)):
            return False
        r = self.ranges
        assert r.outside is not None
        with r.scope():
            r.restore(r.outside)
            if within is not None:
                r.enter(within)
            for axis, f in enumerate(map(r.value, s.index)):
                if not (r.proves(f) and r.proves(r.dim(s.array, axis) - 1 - f)):
                    return False
        found = (a for t in walk(self.loop.body) for a in accesses(t) if a.array.name == s.array.name)
        return all(a.kind == "read" or a.index is not None and r.apart(a.index, s.index) for a in found)


def _names(atoms: tuple[Atom | None, ...]) -> Iterator[str]:
    return (a.name for a in atoms if isinstance(a, Var))
