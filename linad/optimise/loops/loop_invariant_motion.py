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

from linad_typecheck.ir.core import Dim, Function, Let, Loop, Stmt, Var, operands
from linad_typecheck.ir.rewrite import at_loops
from linad_typecheck.types import INTS, Scalar

from linad.analysis.logs import may_grow
from linad.analysis.loop_facts import defined


# Operations that cannot fail and are cheap enough to execute even if the loop does not run.
_FREE = frozenset("add sub mul neg min max trips".split())


def hoist_invariants(f: Function) -> Function:
    """Hoist invariant int operations and array sizes out of loops."""
    grown = may_grow(f)
    return at_loops(f, lambda s: _hoisted(s, grown))


def _hoisted(s: Loop, grown: set[str]) -> list[Stmt]:
    """The statements to hoist, and the loop of the others."""
    inside = defined(s)
    hoisted: list[Stmt] = []
    kept: list[Stmt] = []
    for t in s.body.stmts:
        free = isinstance(t, Let) and t.op in _FREE and isinstance(t.out.type, Scalar) and t.out.type.dtype in INTS
        size = isinstance(t, Dim) and t.array.name not in grown
        if (free or size) and not any(isinstance(a, Var) and a.name in inside for a in operands(t)):
            hoisted.append(t)
            inside.discard(t.out.name)
        else:
            kept.append(t)
    return [*hoisted, replace(s, body=replace(s.body, stmts=tuple(kept)))]
