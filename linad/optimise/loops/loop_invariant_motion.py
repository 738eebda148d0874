"""Loop-invariant code motion: hoist invariant int arithmetic and array sizes out of loops.

**Transformation.** Loop-invariant code motion (Muchnick, Advanced Compiler Design and Implementation, 1997, chapter
13).

**Before.** ``for i in range(n) { k = mul a b; ... }``
**After.** ``k = mul a b; for i in range(n) { ... }``

**Legality.** Only operations that cannot fail, and sizes of arrays that do not grow.

**Profitability.** LLVM would do this anyway, but the storage plan needs it earlier: an inner loop whose bounds are
invariant has logs of known size, indexed by iteration.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import Block, Dim, Function, If, Let, Loop, Stmt, Var, operands, outputs
from linad_typecheck.types import INTS, Scalar

from linad.analysis.logs import may_grow

# Operations that cannot fail and are cheap enough to execute even if the loop does not run.
_FREE = frozenset("add sub mul neg min max trips".split())


def hoist_invariants(f: Function) -> Function:
    """Hoist invariant int operations and array sizes out of loops."""
    return replace(f, body=_block(f.body, may_grow(f)))


def _block(block: Block, grown: set[str]) -> Block:
    out: list[Stmt] = []
    for s in block.stmts:
        match s:
            case If():
                s = replace(s, then=_block(s.then, grown), orelse=_block(s.orelse, grown))
            case Loop():
                hoisted, body = _split(s, _block(s.body, grown), grown)
                out += hoisted
                s = replace(s, body=body)
        out.append(s)
    return replace(block, stmts=tuple(out))


def _split(s: Loop, body: Block, grown: set[str]) -> tuple[list[Stmt], Block]:
    """Split a loop body into the statements to hoist and the rest."""
    inside = {s.index.name, *(c.name for c in s.carried), *(v.name for t in body.stmts for v in outputs(t))}
    hoisted: list[Stmt] = []
    kept: list[Stmt] = []
    for t in body.stmts:
        free = isinstance(t, Let) and t.op in _FREE and isinstance(t.out.type, Scalar) and t.out.type.dtype in INTS
        size = isinstance(t, Dim) and t.array.name not in grown
        if (free or size) and not any(isinstance(a, Var) and a.name in inside for a in operands(t)):
            hoisted.append(t)
            inside.discard(t.out.name)
        else:
            kept.append(t)
    return hoisted, replace(body, stmts=tuple(kept))
