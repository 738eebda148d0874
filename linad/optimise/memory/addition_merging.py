"""Addition merging: what a block adds to one cell several times is added up first.

**Transformation.** Redundant load and store elimination (Allen and Kennedy, Optimizing Compilers for Modern
Architectures, 2001, chapter 8), of additions.

**Before.** ``&f![i] += a; &f![j] += b; &f![i] += c``
**After.** ``&f![j] += b; t = add a c; &f![i] += t``

**Legality.** Nothing in between does anything to the array but add to its cells, which may be in any order. An
addition is only put off, so that no more has been written where a check fails.

**Profitability.** Always: an addition to a cell waits for the one before, through memory. The adjoint of a program
that reads a cell several times, the corner of a triangle, consists of such additions.

**Needs.** Sums may be taken in another order (fastmath); arrays of different names do not overlap (noalias).
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import AddTo, Atom, Block, Function, Let, Names, Stmt, Var, all_names, blocks, mentioned
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import Array, Scalar

Cell = tuple[str, tuple[Atom, ...]]


def merge_additions(f: Function) -> Function:
    """The function in whose blocks no cell is added to twice in a row."""
    names = Names(all_names(f))
    return replace(f, body=_block(f.body, names))


def _block(b: Block, names: Names) -> Block:
    out: list[Stmt | None] = []
    last: dict[Cell, int] = {}  # where a cell is added to, with nothing after it that does anything else to its array
    for s in b.stmts:
        s = rebuild(s, lambda a: a, block=lambda inner: _block(inner, names)) if blocks(s) else s
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
