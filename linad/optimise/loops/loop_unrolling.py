"""Loop unrolling: fully unroll loops of up to four iterations inside other loops.

**Transformation.** Full unrolling (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter 8).
Small arrays with constant indices then become scalars (`scalar_replacement.py`).

**Before.** ``for c in range(2) { &d[c] = f(x[i, c]) }``
**After.** ``&d[0] = f(x[i, 0]); &d[1] = f(x[i, 1])``

**Legality.** Counted loops with constant bounds, or bounds that become constant when an enclosing loop is unrolled,
without checks, and without branches that remain undecided afterwards.

**Profitability.** At most `TRIPS` iterations per loop and `LONG` statements in all, `TANGENTS` times as many in a
forward derivative, so that it is unrolled where the function itself is. The enclosing loop becomes
straight-line code, so it can be vectorised, keep its sums in registers (`scalar_promotion.py`) and have its arrays
transposed (`layout_transposition.py`). LLVM unrolls such loops too late for these passes.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import Atom, Block, Check, Const, Function, If, Loop, Names, Stmt, Var, all_names, walk
from linad_typecheck.ir.rewrite import freshen, rebuild
from linad_typecheck.types import Array

from ..pass_manager import Remark, Remarks, remark
from ..scalars.constant_folding import fold_constants
from ..scalars.dead_code_elimination import eliminate_dead_code
from ..scalars.dead_store_elimination import eliminate_dead_stores
from ..scalars.scalar_replacement import replace_small_arrays

TRIPS = 4  # maximum trip count
LONG = 400  # maximum number of statements of an unrolled loop
EARLY = 200  # the same before differentiation
TANGENTS = 3  # how many times as many statements a function has with the tangents of its values


def unroll_early(f: Function) -> Function:
    """Unroll before differentiation, with a lower limit: the derivative has several statements for each."""
    return unroll(f, EARLY)[0]


def unroll(f: Function, most: int = LONG) -> tuple[Function, Remarks]:
    """Fully unroll the short inner loops of a function, each into at most ``most`` statements."""
    inside = (t for s in walk(f.body) if isinstance(s, Loop) for t in walk(s.body))
    if not any(map(_trips, inside)):
        return f, ()
    moved = any(p.like and not p.var.adjoint for p in f.params)
    writer = _Writer(f, TANGENTS * most if moved else most)
    done = eliminate_dead_code(eliminate_dead_stores(replace_small_arrays(fold_constants(writer.function()))))
    return done, tuple(writer.remarks)


def _trips(s: Stmt) -> range | None:
    """The iteration range of a loop that is short enough to unroll, or None."""
    if not isinstance(s, Loop) or s.exits or s.mark is not None or s.trips is not None:
        return None
    match s.start, s.stop, s.step:
        case Const(value=start), Const(value=stop), Const(value=step) if step:
            found = range(start, stop, step)
            if len(found) <= TRIPS and not any(isinstance(c.type, Array) for c in s.carried):
                return found
    return None


class _Writer:
    def __init__(self, f: Function, most: int) -> None:
        self.f, self.names, self.most = f, Names(all_names(f)), most
        self.same: dict[str, Atom] = {}
        self.remarks: list[Remark] = []

    def function(self) -> Function:
        return replace(self.f, body=self.block(self.f.body, False))

    def use(self, a: Atom) -> Atom:
        return self.same.get(a.name, a) if isinstance(a, Var) else a

    def block(self, b: Block, inside: bool) -> Block:
        out: list[Stmt] = []
        for s in b.stmts:
            trips = _trips(s) if inside else None
            s = rebuild(s, self.use, block=lambda inner, s=s: self.block(inner, inside or isinstance(s, Loop)))
            whole = None if trips is None else self.iterations(s, trips)
            if whole is None:
                out.append(s)
                continue
            self.remarks.append(remark(s.span, "loop", f"written out, {len(trips)} iterations one after the other"))
            out += whole.stmts
            self.same |= {o.name: a for o, a in zip(s.outs, whole.results, strict=True)}
        return Block(tuple(out), tuple(map(self.use, b.results)))

    def iterations(self, s: Loop, trips: range) -> Block | None:
        """The unrolled iterations of a loop, if they are straight-line code and not too long. Inner loops may depend on
        its index: their bounds become constant."""
        straight = _straight(s.body)
        # half of a triangular nest is empty
        if len(trips) * sum(1 for _ in walk(s.body)) > self.most * (1 if straight else 2):
            return None
        out: list[Stmt] = []
        now: tuple[Atom, ...] = s.inits
        for k in trips:
            given = {s.index.name: Const(k, s.index.type), **{c.name: a for c, a in zip(s.carried, now, strict=True)}}
            iteration = freshen(s.body, self.names, given)
            out += iteration.stmts
            now = iteration.results
        whole = Block(tuple(out), now)
        if straight:
            return whole
        told = len(self.remarks)
        whole = self.block(fold_constants(replace(self.f, body=whole)).body, True)
        if _straight(whole) and len(whole.stmts) <= self.most:
            return whole
        del self.remarks[told:]
        return None


def _straight(b: Block) -> bool:
    return not any(isinstance(t, Loop | If | Check) for t in b.stmts)
