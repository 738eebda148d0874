"""Array privatisation: give each iteration of a loop its own copy of a scratch array.

**Transformation.** Array privatisation (Tu and Padua, Automatic array privatization, 1993), based on array regions.

**Before.** ``t = alloc [n]; for i { for j in range(n) { &t[j] = x }; for j in range(n) { y = load &t [j] } }``
**After.** ``for i { t.1 = alloc [n]; for j in range(n) { &t.1[j] = x }; for j in range(n) { y = load &t.1 [j] } }``

**Legality.** Each cell that an iteration reads is written earlier in the same iteration. The contents left by the last
iteration are not read after the loop, nor in another execution of it. `linad.analysis.regions` proves both. The array
has no aliases. The new array is undefined until it is written; its size is the original one, which has already been
checked.

**Profitability.** If an iteration writes nearly the whole array: the adjoint of a fresh array, which starts as zeros in
each iteration, then costs no more than the writes themselves. Iterations no longer depend on each other through the
array, so its old contents need not be logged, and the loop may be fused, reordered or run on threads. Runs only before
differentiation; in generated code, `allocation_hoisting` moves the allocations back out of the loops.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Alloc, Block, Dim, Function, If, Loop, Names, Stmt, Var, all_names, base_name, blocks, operands,
)
from linad_typecheck.ir.rewrite import in_blocks, substitute

from linad.analysis.regions import Privacy, nearly_filled

from ..pass_manager import Remark, Remarks, remark


def privatise_arrays(f: Function) -> tuple[Function, Remarks]:
    """Privatise the scratch arrays of a function. Also return a remark for each."""
    found = Privacy(f)
    if not found.found:
        return f, ()
    rewriter = _Rewriter(f, found)
    return replace(f, body=rewriter.block(f.body)), tuple(rewriter.remarks)


class _Rewriter:
    def __init__(self, f: Function, found: Privacy) -> None:
        self.names = Names(all_names(f))
        self.made, self.found = found.made, found.found
        self.remarks: list[Remark] = []

    def block(self, b: Block) -> Block:
        return replace(b, stmts=tuple(map(self.statement, b.stmts)))

    def statement(self, s: Stmt) -> Stmt:
        done = in_blocks(s, self.block)  # inner loops first: an array privatised there is no longer used here
        if not (isinstance(s, Loop) and isinstance(done, Loop)):
            return done
        for name, coverage in sorted(self.found.get(id(s), {}).items()):
            alloc = self.made[name]
            if all(nearly_filled(coverage, home, alloc.out) for home in _homes(s.body, name)):
                inside = self.within(done.body, alloc)
                if inside is not done.body:
                    own = f"{base_name(name)} in an array of its own"
                    text = f"{own} for each iteration of the loop in line {s.span.line}"
                    self.remarks.append(remark(alloc.span, "stored", text))
                done = replace(done, body=inside)
        return done

    def within(self, b: Block, alloc: Alloc) -> Block:
        """The block with its own copy of the array, allocated before the first use."""
        name = alloc.out.name
        at = [k for k, s in enumerate(b.stmts) if _uses(s, name)]
        if not at:
            return b
        first, one = at[0], b.stmts[at[0]]
        if len(at) == 1 and isinstance(one, If):
            one = in_blocks(one, lambda arm: self.within(arm, alloc))
            return replace(b, stmts=(*b.stmts[:first], one, *b.stmts[first + 1 :]))
        own = self.names.like(alloc.out)
        rest = substitute(Block(b.stmts[first:]), {name: own})
        return replace(b, stmts=(*b.stmts[:first], replace(alloc, out=own, fill=None), *rest.stmts))


def _uses(s: Stmt, name: str) -> bool:
    """Whether a statement uses an array other than for its size."""
    if not isinstance(s, Dim) and any(isinstance(a, Var) and a.name == name for a in operands(s)):
        return True
    return any(_uses(t, name) for b in blocks(s) for t in b.stmts)


def _homes(b: Block, name: str) -> list[Block]:
    """The innermost blocks that contain all uses of an array. If a single branch contains them, these are blocks of its
    arms."""
    using = [s for s in b.stmts if _uses(s, name)]
    if len(using) == 1 and isinstance(using[0], If):
        return [
            home for arm in blocks(using[0]) if any(_uses(s, name) for s in arm.stmts) for home in _homes(arm, name)
        ]
    return [b]
