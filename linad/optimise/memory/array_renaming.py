"""Array renaming: write to a fresh array once the old contents of an array are dead.

**Transformation.** Array renaming: live-range splitting for arrays (Feautrier, Array expansion, 1988).

**Before.** ``for j { &t[j] = x }; ...; for j { &t[j] = y }; ...``
**After.** ``for j { &t[j] = x }; ...; t.1 = alloc [n]; for j { &t.1[j] = y }; ...``

**Before.** ``for i carry (u = a, v = b) { for j { &v[j] = x }; yield v, u }``
**After.** ``for i carry (u = a) { v = alloc [n]; for j { &v[j] = x }; yield v }``

**Before.** ``for i carry (u = a, v = b) { for j in range(1, n) { &v[j] = x }; yield v, u }``
**After.** ``for i carry (u = a, v = b) { w = copy &v; for j in range(1, n) { &w[j] = x }; yield w, u }``

**Legality.** From the split on, each cell that is read has been written before (`linad.analysis.regions`). A carried
array is owned by its loop, and its final value is not used after the loop; or else it is copied, which is always
equivalent.

**Profitability.** If nearly every cell is overwritten and the derivative logs less as a result: values written once
stay in their array and need not be logged and restored. Both forms are differentiated and the one that logs less is
kept (`linad/pipeline.py`). Functions that are called without a derivative keep the single array.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import Alloc, Block, Copy, Function, Loop, Names, Stmt, Var, all_names, mentioned
from linad_typecheck.ir.rewrite import in_blocks, substitute

from linad.analysis.regions import Renaming, nearly_filled


def rename_arrays(f: Function) -> Function:
    """Rename the arrays of a function wherever older contents are dead."""
    found = Renaming(f)
    if not (found.splits or found.fresh or found.copied):
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

    def with_copy(b: Block, old: Var) -> Block:
        own = names.like(old)
        first = next((j for j, t in enumerate(b.stmts) if old.name in mentioned(t)), None)
        if first is None:  # a split at the beginning of the body has renamed it everywhere
            return b
        rest = substitute(Block(b.stmts[first:], b.results), {old.name: own})
        return Block((*b.stmts[:first], Copy(own, old, b.stmts[first].span), *rest.stmts), rest.results)

    def statement(s: Stmt) -> Stmt:
        new = in_blocks(s, block)
        if not isinstance(s, Loop) or not isinstance(new, Loop):
            return new
        fresh, copied = (
            [(k, sizes) for k, sizes, c in kind.get(id(s), ()) if nearly_filled(c, s.body, s.carried[k])]
            for kind in (found.fresh, found.copied)
        )
        for k, _ in copied:
            new = replace(new, body=with_copy(new.body, new.carried[k]))
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
