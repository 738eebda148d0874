"""Array renaming: a new array in place of one of whose contents nothing is read any more.

**Transformation.** Array renaming, the splitting of live ranges for arrays (Feautrier, Array expansion, 1988).

**Before.** ``for j { &t[j] = x }; ...; for j { &t[j] = y }; ...``
**After.** ``for j { &t[j] = x }; ...; t.1 = alloc [n]; for j { &t.1[j] = y }; ...``
**Before.** ``for i carry (u = a, v = b) { for j { &v[j] = x }; yield v, u }``
**After.** ``for i carry (u = a) { v = alloc [n]; for j { &v[j] = x }; yield v }``

**Legality.** From there on each cell that is read has been written before (`linad.analysis.regions`). What a loop
carries is its own; what it leaves in that place is not used after it.

**Profitability.** Where nearly every cell is written again, and where the derivative then logs less: what has been
written once is kept where it is, and not logged to be put back. Both forms are differentiated, and the one that logs
less is taken (`linad/pipeline.py`). What is called without a derivative keeps to one array.

**Needs.** Nothing: the results are the same to the last bit.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import Alloc, Block, Function, Loop, Names, Stmt, Var, all_names, blocks, mentioned
from linad_typecheck.ir.rewrite import rebuild, substitute

from linad.analysis.regions import Renaming, nearly_filled


def rename(f: Function) -> Function:
    """The function with arrays of their own for what is written after the last read of older contents."""
    found = Renaming(f)
    if not (found.splits or found.fresh):
        return f
    names = Names(all_names(f))

    def block(b: Block) -> Block:
        stmts = [statement(s) for s in b.stmts]
        results = b.results
        current: dict[str, Var] = {}
        more = 0
        for at, name, coverage in found.splits.get(id(b), ()):
            alloc = found.made[name]
            if not nearly_filled(coverage, coverage.start, alloc.out):
                continue
            old, own = current.get(name, alloc.out), names.like(alloc.out)
            current[name], at, more = own, at + more, more + 1
            rest = substitute(Block(tuple(stmts[at:])), {old.name: own})
            stmts[at:] = [replace(alloc, out=own, fill=None), *rest.stmts]
        return Block(tuple(stmts), results)

    def statement(s: Stmt) -> Stmt:
        new = rebuild(s, lambda a: a, block=block) if blocks(s) else s
        fresh = [(k, sizes) for k, sizes, c in found.fresh.get(id(s), ()) if nearly_filled(c, s.body, s.carried[k])]
        if not fresh:
            return new
        assert isinstance(new, Loop)
        gone = {k for k, _ in fresh}
        carried, inits, outs = (
            tuple(x for k, x in enumerate(xs) if k not in gone) for xs in (new.carried, new.inits, new.outs)
        )
        skip = int(new.exits)
        results = tuple(x for k, x in enumerate(new.body.results, -skip) if k not in gone)
        stmts = new.body.stmts
        for k, sizes in fresh:
            c = new.carried[k]
            first = next((j for j, t in enumerate(stmts) if c.name in mentioned(t)), len(stmts))
            stmts = (*stmts[:first], Alloc(c, sizes, None, new.span), *stmts[first:])
        return replace(new, carried=carried, inits=inits, outs=outs, body=Block(stmts, results))

    return replace(f, body=block(f.body))

