"""Dead-code elimination: drop code that no result depends on.

**Transformation.** Dead-code elimination, including arrays that are only written, or only read to write such arrays,
dead carried values, and loops without effect (Muchnick, chapter 18).

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
    """Arrays whose contents nothing live depends on, with all their names: those without stores that may fail, and all
    of them."""
    if not any(type(s) is Alloc or type(s) is Copy for s in walk(f.body)):
        return set(), set()
    needs = _Needs(f)
    return needs.unread(needs.roots + needs.sized), needs.unread(needs.roots)


class _Needs:
    """What each name depends on, arrays by the statements that update them, and regions by names of their own.

    ``roots``: what is needed anyway: results, parameters, and the operands of statements with effects. ``sized``:
    arrays with stores that may fail, whose size is needed.
    """

    def __init__(self, f: Function) -> None:
        self.needs: dict[str, list[str]] = {}
        self.arrays: set[str] = set()
        self.roots = [p.var.name for p in f.params] + [r.name for r in f.body.results if isinstance(r, Var)]
        self.sized: list[str] = []
        self.block(f.body, "")

    def unread(self, live: list[str]) -> set[str]:
        """The arrays that none of these names depends on."""
        live = list(live)
        reached = set(live)
        while live:
            more = [n for n in self.needs.get(live.pop(), ()) if n not in reached]
            reached.update(more)
            live += more
        return self.arrays - reached

    def block(self, block: Block, region: str) -> None:
        for s in block.stmts:
            kind = type(s)
            if kind is If or kind is Loop:
                self.region(s, region)
                continue
            targets = [v.name for v in writes(s)]
            others = [a.name for a in operands(s) if isinstance(a, Var) and a.name not in targets]
            others.append(region)
            checked = getattr(s, "checked", False)
            if kind is Check or kind is Call or checked and kind is Load:
                self.roots += others
            elif checked:
                self.sized += targets
                self.roots += [a.name for a in s.index if isinstance(a, Var)] if kind is Store else others
                self.roots.append(region)
            outs = outputs(s)
            self.arrays.update(v.name for v in outs if isinstance(v.type, Array))
            for name in (*targets, *(v.name for v in outs)):
                self.needs.setdefault(name, []).extend((*others, *targets))

    def region(self, s: If | Loop, region: str) -> None:
        own = f"{region}/{len(self.needs)}"  # not a name of the program
        if isinstance(s, If):
            bounds: tuple[Atom | None, ...] = (s.cond,)
            passed = list(zip(s.outs, s.then.results, s.orelse.results, strict=True))
        else:
            bounds = (s.start, s.stop, s.step, *(() if s.mark is None else s.mark.atoms), *s.body.results[: s.exits])
            passed = list(zip(s.outs, s.carried, s.inits, s.nexts, strict=True))
            self.needs |= {v.name: [own] for v in (s.index, s.trips) if v is not None}
            if s.exits or s.stop is None:
                self.roots.append(own)
        self.needs[own] = [region, *(a.name for a in bounds if isinstance(a, Var))]
        for out, *others in passed:
            names = [out.name, *(a.name for a in others if isinstance(a, Var))]
            is_array = isinstance(out.type, Array)
            # an array that is passed on stays itself
            for name in names if is_array else names[: 1 + isinstance(s, Loop)]:
                self.needs.setdefault(name, []).extend((own, *names))
            if is_array:
                self.arrays.update(names)
        for b in blocks(s):
            self.block(b, own)


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
