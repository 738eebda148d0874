"""Dead-code elimination: drop code that no result depends on.

**Transformation.** Dead-code elimination, including arrays that are only written, dead carried values, and loops
without effect (Muchnick, chapter 18).

**Before.** ``a = sin x; w = alloc f64 [3] fill 0.0; &w![0] = x; return x``
**After.** ``return x``

**Legality.** Checks, accesses that may fail, effects visible to the caller, and loops that may not terminate stay. A
store that may fail but whose array is never read stores a zero instead of its value.

**Profitability.** Always.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Call, Check, Const, Copy, Function, If, Load, Loop, Stmt, Store, Var, blocks, operands, outputs,
    walk, writes,
)
from linad_typecheck.types import ZEROS, Array, Scalar


def eliminate_dead_code(f: Function) -> Function:
    """Remove statements whose results are dead.

    An index check stays with its load; so does a loop that may not terminate, and every `Check` and `Call`. A local
    array that is only written is not allocated.
    """
    sweep = _Sweep(*_write_only(f))
    return replace(f, body=sweep.block(f.body, set(), f.body.results))


def _write_only(f: Function) -> tuple[set[str], set[str]]:
    """Local arrays that no statement reads, returns, passes on or renames: those without stores that may fail, and all
    of them."""
    made: set[str] = set()
    together: list[set[str]] = []
    seen: set[str] = {r.name for r in f.body.results if isinstance(r, Var)}
    sized: set[str] = set()  # an index check needs the size of the array
    for s in walk(f.body):
        kind = type(s)
        if kind is Alloc or kind is Copy:
            made.add(s.out.name)
        targets = {v.name for v in writes(s)}
        if len(targets) > 1:
            together.append(targets)
        for a in operands(s):
            if type(a) is Var and isinstance(a.type, Array) and a.name not in targets:
                seen.add(a.name)
        if kind is If or kind is Loop:
            seen.update(r.name for b in blocks(s) for r in b.results if isinstance(r, Var))
        elif targets and getattr(s, "checked", False):
            sized |= targets

    def unseen(seen: set[str]) -> set[str]:
        for targets in [t for _ in together for t in together]:  # a statement that writes several needs all of them
            if not targets <= made - seen:
                seen |= targets
        return made - seen

    return unseen(seen | sized), unseen(seen)


class _Sweep:
    def __init__(self, unseen: set[str], unread: set[str]) -> None:
        self.unseen, self.unread = unseen, unread

    def block(self, block: Block, live: set[str], results: tuple[Atom, ...]) -> Block:
        """The live part of a block. ``live`` is extended by the names that the block uses."""
        live |= {r.name for r in results if isinstance(r, Var)}
        kept: list[Stmt] = []
        for s in reversed(block.stmts):
            t = self.statement(s, live)
            if t is not None:
                live |= {a.name for a in operands(t) if isinstance(a, Var)}
                kept.append(t)
        return Block(tuple(reversed(kept)), results)

    def statement(self, s: Stmt, live: set[str]) -> Stmt | None:
        targets = writes(s)
        if targets:
            if targets[0].name in self.unseen:
                return None
            if isinstance(s, Store) and s.array.name in self.unread:
                return replace(s, value=Const(ZEROS[s.array.type.dtype], Scalar(s.array.type.dtype)))
            return s
        match s:
            case Check() | Call():
                return s
            case If():
                return self.branch(s, live)
            case Loop():
                return self.loop(s, live)
            case Load(checked=True):
                return s
            case Alloc(out=v) | Copy(out=v) if v.name in self.unseen:
                return None
        return s if any(v.name in live for v in outputs(s)) else None

    def branch(self, s: If, live: set[str]) -> Stmt | None:
        # dropping an unused array result also drops the move of its array
        keep = [k for k, v in enumerate(s.outs) if v.name in live]
        arms = []
        for b in (s.then, s.orelse):
            arms.append(self.block(b, live, tuple(b.results[k] for k in keep)))
        if not keep and not any(a.stmts for a in arms):
            return None
        return If(s.cond, *arms, tuple(s.outs[k] for k in keep), s.span)

    def loop(self, s: Loop, live: set[str]) -> Stmt | None:
        shift = 1 if s.exits else 0
        nexts = s.body.results[shift:]
        needed = {k for k, v in enumerate(s.outs) if v.name in live}
        while True:  # a carried value is needed if its final value is, or if the rest of the body needs it
            results = (*s.body.results[:shift], *(nexts[k] for k in sorted(needed)))
            inside = set(live)
            body = self.block(s.body, inside, results)
            more = {k for k, c in enumerate(s.carried) if c.name in inside} - needed
            if not more:
                break
            needed |= more
        live |= inside
        keep = sorted(needed)
        trips = s.trips if s.trips is not None and s.trips.name in live else None
        if not body.stmts and not keep and trips is None and s.stop is not None:
            return None
        carried, inits, outs = (tuple(xs[k] for k in keep) for xs in (s.carried, s.inits, s.outs))
        return replace(s, carried=carried, inits=inits, outs=outs, body=body, trips=trips)
