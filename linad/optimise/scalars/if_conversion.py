"""If-conversion: turn a branch that only chooses between ints into a `select`.

**Transformation.** If-conversion (Allen, Kennedy, Porterfield and Warren, POPL 1983).

**Before.** ``j = if c { k = add i 1; yield k } else { yield 0 }``
**After.** ``k = add i 1; j = select c k 0``

**Legality.** Both arms contain only a few operations on ints and bools that cannot fail.

**Profitability.** Indices computed arithmetically are recomputed instead of logged, have known bounds
(`linad/analysis/affine.py`), and do not prevent loop distribution. Branches on carried values stay: ``if t: k += i`` is
a reduction.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import Block, Function, If, Let, Loop, Stmt, Var, operands, outputs
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.types import BOOL, INTS, Scalar

MOST = 6  # operations in both arms together
# operations on ints and bools that cannot fail
_FREE = frozenset("add sub mul neg min max wrap select and or not lt le gt ge eq ne".split())


def convert_ifs(f: Function) -> Function:
    """Convert branches between ints into selects."""
    return replace(f, body=_block(f.body, frozenset()))


def _block(b: Block, carried: frozenset[str]) -> Block:
    """Rewrite a block. ``carried``: the carried values of enclosing loops; ``if t: k += i`` is a reduction and stays
    one."""
    return replace(b, stmts=tuple(t for s in b.stmts for t in _stmt(s, carried)))


def _stmt(s: Stmt, carried: frozenset[str]) -> tuple[Stmt, ...]:
    inside = carried | {c.name for c in s.carried} if isinstance(s, Loop) else carried
    s = in_blocks(s, lambda b: _block(b, inside))
    return _chosen(s) if isinstance(s, If) and _is_choice(s, carried) else (s,)


def _is_choice(s: If, carried: frozenset[str]) -> bool:
    inside = (*s.then.stmts, *s.orelse.stmts)
    used = (*(a for t in inside for a in operands(t)), *s.then.results, *s.orelse.results)
    if not s.outs or len(inside) > MOST or any(isinstance(a, Var) and a.name in carried for a in used):
        return False
    free = all(isinstance(t, Let) and t.op in _FREE for t in inside)
    return free and all(_is_int(a.type) for a in (*used, *s.outs, *(v for t in inside for v in outputs(t))))


def _is_int(t: object) -> bool:
    return t == BOOL or isinstance(t, Scalar) and t.dtype in INTS


def _chosen(s: If) -> tuple[Stmt, ...]:
    choices = (
        Let(v, "select", (s.cond, a, b), s.span)
        for v, a, b in zip(s.outs, s.then.results, s.orelse.results, strict=True)
    )
    return (*s.then.stmts, *s.orelse.stmts, *choices)
