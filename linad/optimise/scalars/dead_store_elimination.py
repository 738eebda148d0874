"""Dead-store elimination: a zero that is stored to a cell and then added to is not stored, and an array is not filled
if every cell that is read is written first.

**Transformation.** Dead-store elimination within a block, with the addition turned into the store; for whole arrays by
regions.

**Before.** ``&v![k] = 0.0; &v![k] += x`` and ``v = alloc [n] fill 0.0; for i in range(n) { &v![i] = x }``
**After.** ``&v![k] = x`` and ``v = alloc [n]; for i in range(n) { &v![i] = x }``

**Legality.** Nothing in between mentions the array, except additions to cells whose index differs by a constant. Only
for ints and adjoints, because the sign of a zero changes if the sum is -0.0. A check that may fail stays before what it
guards. An array that is not filled has no other name, and `linad.analysis.regions` proves that nothing reads the
filling.

**Profitability.** Always. Fillings are only removed from code that is compiled: differentiation makes use of them.

**Needs.** Nothing: results are identical except for the sign of a zero adjoint.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Function, Let, Load, Stmt, Store, Var, mentioned,
)
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.types import I64, is_float

from linad.analysis.regions import Frame, Walk


def eliminate_dead_stores(f: Function) -> Function:
    """Turn ``v[i] = 0`` and ``v[i] += e`` into ``v[i] = e`` if nothing in between mentions ``v``."""
    return replace(f, body=_block(f.body))


def _block(b: Block) -> Block:
    out: list[Stmt | None] = []
    zeros: dict[str, list[int]] = {}  # by array, the zeros after which it is only added to, in other cells
    sums: dict[str, tuple[Atom, int]] = {}  # ints that are another one plus a constant
    for s in b.stmts:
        s = in_blocks(s, _block)
        match s:
            case Let(out=v, op="add" | "sub" as op, ins=(a, Const(value=n))) if v.type == I64:
                first, more = sums.get(a.name, (a, 0)) if isinstance(a, Var) else (a, 0)
                sums[v.name] = first, more + (n if op == "add" else -n)  # type: ignore[operator]
        if isinstance(s, AddTo) and (not is_float(s.array.type) or s.array.adjoint):
            for k in zeros.pop(s.array.name, ()):
                zero = out[k]
                assert isinstance(zero, Store)
                if zero.index == s.index:
                    if not (zero.checked and _may_fail(out[k + 1 :])):
                        out[k], s = None, Store(s.array, s.index, s.value, zero.checked, s.span)
                elif _apart(zero.index, s.index, sums):
                    zeros.setdefault(s.array.name, []).append(k)
        else:
            for name in zeros.keys() & mentioned(s).keys():
                del zeros[name]
        if _is_zero(s):
            zeros[s.array.name] = [len(out)]  # type: ignore[union-attr]
        out.append(s)
    return replace(b, stmts=tuple(s for s in out if s is not None))


def _is_zero(s: Stmt) -> bool:
    """Whether a statement stores a zero to a cell."""
    return isinstance(s, Store) and isinstance(s.value, Const) and repr(s.value.value) in ("0.0", "0")


def _apart(one: tuple[Atom, ...], other: tuple[Atom, ...], sums: dict[str, tuple[Atom, int]]) -> bool:
    """Whether two cells differ, because an index of one is that of the other plus a constant other than zero."""
    pairs = [[sums.get(a.name, (a, 0)) if isinstance(a, Var) else (a, 0) for a in pair] for pair in zip(one, other)]
    return any(a == b and m != n for (a, m), (b, n) in pairs)


def _may_fail(stmts: list[Stmt | None]) -> bool:
    return any(s is not None and (not isinstance(s, Let | Load) or getattr(s, "checked", False)) for s in stmts)


def eliminate_dead_fills(f: Function) -> Function:
    """Do not fill the arrays of which every cell that is read is written first."""
    found = _Fills(f).found

    def without(b: Block) -> Block:
        stmts = (replace(s, fill=None) if isinstance(s, Alloc) and s.out.name in found else s for s in b.stmts)
        return replace(b, stmts=tuple(in_blocks(s, without) for s in stmts))

    return replace(f, body=without(f.body)) if found else f


class _Fills(Walk):
    """Finds the arrays whose filling nothing reads."""

    def __init__(self, f: Function) -> None:
        super().__init__(f)
        self.found: set[str] = set()
        self.made = {name: s for name, s in self.made.items() if s.fill is not None}
        if self.made:
            self.block(f.body)

    def reach(self, frame: Frame) -> None:
        s, rest = frame.block.stmts[frame.at], frame.block.stmts[frame.at + 1 :]
        if isinstance(s, Alloc) and s.out.name in self.made:
            using = [k for k, t in enumerate(rest, 1) if s.out.name in mentioned(t)]
            after = Block((replace(s, fill=None), *rest[: max(using, default=0)]))
            if s.out.name not in self.coverage((s.out.name,), after).exposed:
                self.found.add(s.out.name)
