"""Reads and writes of statements, and the values that depend on carried values; used for merging and fusing."""

from __future__ import annotations

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Copy, Dense, Dim, Fill, If, Let, Load, Loop, Stmt, Store, Var, blocks, free_vars,
    operands, walk,
)
from linad_typecheck.types import Array

from linad.analysis.accesses import accesses

from .activity import Facts


def reads_of(s: Stmt, facts: Facts) -> set[str]:
    """The values that a statement reads, nested blocks included."""
    inside = {v.name: v for b in blocks(s) for v in free_vars(b).values()}
    return {facts.value(a).name for a in (*operands(s), *inside.values()) if isinstance(a, Var)}


def touched(s: Stmt, facts: Facts) -> tuple[set[str], set[str]]:
    """The alias groups that a statement reads and those that it writes, nested blocks included."""
    reads, writes = set(), set()
    for t in (s, *(u for b in blocks(s) for u in walk(b))):
        for access in accesses(t, facts.modes):
            (reads if access.kind == "read" else writes).add(facts.place(access.array))
        if isinstance(t, Dim) and t.array.name in facts.logs:  # the size of any other array is constant
            reads.add(facts.place(t.array))
    return reads, writes


def carried_needed(s: Loop, facts: Facts, needed: set[str]) -> bool:
    """Whether anything that the reverse of the body needs depends on a carried value."""
    if not s.carried:
        return False
    tainted = tainted_by(s, facts, {c.name for c in s.carried})
    return tainted is None or bool(tainted & needed)


def tainted_by(s: Loop, facts: Facts, start: set[str]) -> set[str] | None:
    """The values and alias groups of a body that depend on given values; None if a branch or a size depends on them."""
    tainted = set(start)

    def is_tainted(a: Atom) -> bool:
        return isinstance(a, Var) and (facts.place(a) if isinstance(a.type, Array) else facts.value(a).name) in tainted

    while True:
        before = len(tainted)
        for t in walk(s.body):
            match t:
                case Let(out=v, ins=ins) if any(map(is_tainted, ins)):
                    tainted.add(v.name)
                case Load(out=v, array=a, index=i) if any(map(is_tainted, (a, *i))):
                    tainted.add(v.name)
                case Store(array=a, index=i, value=v) | AddTo(array=a, index=i, value=v) if any(
                    map(is_tainted, (*i, v))
                ):
                    tainted.add(facts.place(a))
                case Fill(array=a, value=v) if is_tainted(v):
                    tainted.add(facts.place(a))
                case AddArray(array=a, other=b) if is_tainted(b):
                    tainted.add(facts.place(a))
                case Dense(updated=updated, read=read) if any(map(is_tainted, (*updated, *read))):
                    tainted |= {facts.place(a) for a in updated}
                case Copy(out=v, array=a) if is_tainted(a):
                    tainted.add(facts.place(v))
                case If(cond=c, outs=outs):
                    for b in blocks(t):
                        tainted |= {facts.value(o).name for o, r in zip(outs, b.results, strict=True) if is_tainted(r)}
                    if is_tainted(c):
                        return None
                case Loop(carried=carried, inits=inits, body=body, outs=outs, start=a, stop=b, step=d):
                    for c, i, n, o in zip(carried, inits, t.nexts, outs, strict=True):
                        if is_tainted(i) or is_tainted(n) or is_tainted(c):
                            tainted |= {c.name, o.name}
                    if any(is_tainted(x) for x in (a, b, d) if x is not None) or (
                        t.exits and is_tainted(body.results[0])
                    ):
                        return None
                case Alloc(shape=shape) if any(map(is_tainted, shape)):
                    return None
        if len(tainted) == before:
            return tainted
