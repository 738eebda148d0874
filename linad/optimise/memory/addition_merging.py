"""Addition merging: combine several additions to the same cell in a block into one.

**Transformation.** Redundant load and store elimination (Allen and Kennedy, Optimizing Compilers for Modern
Architectures, 2001, chapter 8), applied to read-modify-write additions.

**Before.** ``&f![i] += a; &f![j] += b; &f![i] += c``
**After.** ``&f![j] += b; t = add a c; &f![i] += t``

**Legality.** Between the two additions the array is only added to; additions commute, so the cells involved do not
matter. An addition only moves later, so a failing check never finds more written than before.

**Profitability.** Always: each addition to a cell depends on the previous one through memory. The adjoint of a program
that reads a cell several times (the corner of a triangle, say) consists of such additions.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import AddTo, Atom, Block, Function, Let, Names, Stmt, Var, all_names, mentioned
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.types import Array, Scalar

Cell = tuple[str, tuple[Atom, ...]]


def merge_additions(f: Function) -> Function:
    """Merge additions to the same cell in each block of a function."""
    names = Names(all_names(f))
    return replace(f, body=_block(f.body, names))


def _block(b: Block, names: Names) -> Block:
    out: list[Stmt | None] = []
    last: dict[Cell, int] = {}  # the last addition to each cell, if its array has only been added to since
    for s in b.stmts:
        s = in_blocks(s, lambda inner: _block(inner, names))
        if isinstance(s, AddTo) and not s.checked:
            before = out[last[s.array.name, s.index]] if (s.array.name, s.index) in last else None
            if isinstance(before, AddTo):
                out[last[s.array.name, s.index]] = None
                total = names.var("t", Scalar(s.array.type.dtype))
                out.append(Let(total, "add", (before.value, s.value), s.span))
                s = replace(s, value=total)
            last[s.array.name, s.index] = len(out)
        else:
            used = {v.name for v in mentioned(s).values() if isinstance(v, Var) and isinstance(v.type, Array)}
            last = {cell: at for cell, at in last.items() if cell[0] not in used} if used else last
        out.append(s)
    return replace(b, stmts=tuple(s for s in out if s is not None))
