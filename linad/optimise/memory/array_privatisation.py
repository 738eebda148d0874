"""Array privatisation: scratch arrays that a function allocates once and each iteration of a loop fills anew.

**Transformation.** Array privatisation (Tu and Padua, Automatic array privatization, 1993), by array regions.

**Before.** ``t = alloc [n]; for i { for j in range(n) { &t[j] = x }; for j in range(n) { y = load &t [j] } }``
**After.** ``for i { t.1 = alloc [n]; for j in range(n) { &t.1[j] = x }; for j in range(n) { y = load &t.1 [j] } }``

**Legality.** Each cell that an iteration reads has been written before in the same iteration, and what the last one
leaves is not read after the loop, nor in another execution of it. Both are proved by `linad.analysis.regions`; the
array has one name only. The new array is undefined until it is written. Its size is the old one's, which has been
tested.

**Profitability.** Where an iteration writes the array, but for a few cells at its edges: then the adjoint of a new
array in each iteration, which begins as zeros, costs no more than what is written. No iteration depends on another one
through the array any more: nothing of it is logged to be put back, and its loop may be fused, reordered or run on
threads. Before differentiation only; `allocation_hoisting` moves allocations back in front of loops in generated code.

**Needs.** Nothing: the results are the same to the last bit.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Alloc, Block, Dim, Function, If, Loop, Names, Stmt, Var, all_names, base_name, blocks, operands,
)
from linad_typecheck.ir.rewrite import substitute

from linad.analysis.regions import Privacy, nearly_filled

from ..pass_manager import Remark, Remarks, remark


def privatise(f: Function) -> tuple[Function, Remarks]:
    """The function with scratch arrays in the iterations that they are private to, and remarks on their loops."""
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
        match s:
            case If():
                return replace(s, then=self.block(s.then), orelse=self.block(s.orelse))
            case Loop():
                body = self.block(s.body)  # an array private to a loop within is gone from here
                for name, coverage in sorted(self.found.get(id(s), {}).items()):
                    alloc = self.made[name]
                    if all(nearly_filled(coverage, home, alloc.out) for home in _homes(s.body, name)):
                        inside = self.within(body, alloc)
                        if inside is not body:
                            own = f"{base_name(name)} in an array of its own"
                            text = f"{own} for each iteration of the loop in line {s.span.line}"
                            self.remarks.append(remark(alloc.span, "stored", text))
                        body = inside
                return replace(s, body=body)
        return s

    def within(self, b: Block, alloc: Alloc) -> Block:
        """The block with an array of its own, made where it is first used."""
        name = alloc.out.name
        at = [k for k, s in enumerate(b.stmts) if _uses(s, name)]
        if not at:
            return b
        first, one = at[0], b.stmts[at[0]]
        if len(at) == 1 and isinstance(one, If):
            one = replace(one, then=self.within(one.then, alloc), orelse=self.within(one.orelse, alloc))
            return replace(b, stmts=(*b.stmts[:first], one, *b.stmts[first + 1 :]))
        own = self.names.like(alloc.out)
        rest = substitute(Block(b.stmts[first:]), {name: own})
        return replace(b, stmts=(*b.stmts[:first], replace(alloc, out=own, fill=None), *rest.stmts))


def _uses(s: Stmt, name: str) -> bool:
    """Whether a statement does anything with an array but ask for its size."""
    if not isinstance(s, Dim) and any(isinstance(a, Var) and a.name == name for a in operands(s)):
        return True
    return any(_uses(t, name) for b in blocks(s) for t in b.stmts)


def _homes(b: Block, name: str) -> list[Block]:
    """The blocks that hold an array: those of the arms of a branch, where it is used nowhere else."""
    using = [s for s in b.stmts if _uses(s, name)]
    if len(using) == 1 and isinstance(using[0], If):
        return [
            home for arm in blocks(using[0]) if any(_uses(s, name) for s in arm.stmts) for home in _homes(arm, name)
        ]
    return [b]
