"""Log alignment: pad long rows of logs so that each starts on a cache line.

**Transformation.** Array padding.

**Before.** ``log_t = alloc f64 [m, n] cells``
**After.** ``log_t = alloc f64 [m, n rounded up to 8] cells``

**Legality.** A log is local to the function, and its size is never read.

**Profitability.** A vector that straddles two cache lines is loaded and stored in two parts. Rows shorter than `LONG`
cells are left alone, so padding adds at most a tenth of the memory.

**Needs.** Fastmath and noalias, as for all loop restructuring.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import Alloc, Block, Const, Function, Names, Stmt, Var, all_names
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import I64

from ..ints import ZERO, Maker

LINE = 8  # cells
LONG = 8 * LINE


def begin_with_lines(f: Function) -> Function:
    """Pad the rows of multi-axis logs to whole cache lines."""
    names = Names(all_names(f))

    def block(b: Block) -> Block:
        return replace(b, stmts=tuple(t for s in b.stmts for t in widened(rebuild(s, lambda a: a, block=block))))

    def widened(s: Stmt) -> list[Stmt]:
        match s:
            case Alloc(shape=(*others, Var() as n), log="cells" | "slices", out=out) if (
                others and out.type.dtype == "f64"
            ):
                # max(n, (n + min(max(n - 63, 0), 7)) // 8 * 8): the driver can evaluate this, and can prove that it is
                # not negative
                m = Maker(names)
                beyond = m.let("max", m.let("sub", n, Const(LONG - 1, I64)), ZERO)
                lines = m.let("floordiv", m.let("add", n, m.let("min", beyond, Const(LINE - 1, I64))), Const(LINE, I64))
                wide = m.let("max", n, m.let("mul", lines, Const(LINE, I64)))
                return [*m.out, replace(s, shape=(*others, wide))]
        return [s]

    return replace(f, body=block(f.body))
