"""Dead-store elimination: a zero that is stored to a cell and then added to is not stored.

**Transformation.** Dead-store elimination within a block, with the addition turned into the store.

**Before.** ``&v![k] = 0.0; &v![k] += x``
**After.** ``&v![k] = x``

**Legality.** Nothing in between mentions the array. Only for ints and adjoints, because the sign of a zero changes if
the sum is -0.0. A check that may fail stays before what it guards.

**Profitability.** Always.

**Needs.** Nothing: results are identical except for the sign of a zero adjoint.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import AddTo, Block, Const, Function, Let, Load, Stmt, Store, mentioned
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.types import is_float


def eliminate_dead_stores(f: Function) -> Function:
    """Turn ``v[i] = 0`` and ``v[i] += e`` into ``v[i] = e`` if nothing in between mentions ``v``."""
    return replace(f, body=_block(f.body))


def _block(b: Block) -> Block:
    out: list[Stmt | None] = []
    last: dict[str, int] = {}  # by variable, the last statement that mentions it
    for s in b.stmts:
        s = in_blocks(s, _block)
        if isinstance(s, AddTo) and (not is_float(s.array.type) or s.array.adjoint):
            k = last.get(s.array.name)
            if k is not None and _is_zero(zero := out[k], s) and not (zero.checked and _may_fail(out[k + 1 :])):
                out[k], s = None, Store(s.array, s.index, s.value, zero.checked, s.span)
        last.update(dict.fromkeys(mentioned(s), len(out)))
        out.append(s)
    return replace(b, stmts=tuple(s for s in out if s is not None))


def _is_zero(s: Stmt | None, addition: AddTo) -> bool:
    """Whether a statement stores a zero to the cell of an addition."""
    match s:
        case Store(array=a, index=i, value=Const(value=zero)):
            return (a, i) == (addition.array, addition.index) and repr(zero) in ("0.0", "0")
    return False


def _may_fail(stmts: list[Stmt | None]) -> bool:
    return any(s is not None and (not isinstance(s, Let | Load) or getattr(s, "checked", False)) for s in stmts)
