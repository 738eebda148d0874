"""Updates of one cell that meet: storing zero and then adding is storing."""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import AddTo, Block, Const, Function, If, Let, Load, Loop, Stmt, Store, Var, base_name, blocks, free_vars, operands
from linad_typecheck.types import is_float


def merge_cells(f: Function) -> Function:
    """``v[i] = 0`` followed by ``v[i] += e`` with nothing in between that touches ``v`` becomes ``v[i] = e``.

    For ints and for adjoints only: where ``e`` is -0.0 it changes the sign of a zero.
    """
    return replace(f, body=_block(f.body))


def _block(block: Block) -> Block:
    out: list[Stmt] = []
    for s in block.stmts:
        match s:
            case If():
                s = replace(s, then=_block(s.then), orelse=_block(s.orelse))
            case Loop():
                s = replace(s, body=_block(s.body))
            case AddTo(array=a, index=i, value=v) if not is_float(a.type) or base_name(a.name).endswith("_bar"):
                at = _pending_zero(out, a, i)
                if at is not None:
                    zero = out.pop(at)
                    s = Store(a, i, v, zero.checked, s.span)
        out.append(s)
    return replace(block, stmts=tuple(out))


def _pending_zero(out: list[Stmt], array: Var, index: tuple) -> int | None:
    """Where a zero was stored to this very cell, if nothing has touched the array since."""
    for at in range(len(out) - 1, -1, -1):
        s = out[at]
        if isinstance(s, Store) and s.array == array and s.index == index:
            zero = isinstance(s.value, Const) and repr(s.value.value) in ("0.0", "0")
            return at if zero and not (s.checked and _may_fail_between(out[at + 1 :])) else None
        if array in operands(s) or any(array.name in free_vars(b) for b in blocks(s)):
            return None
    return None


def _may_fail_between(stmts: list[Stmt]) -> bool:
    return any(not isinstance(s, Let | Load) or getattr(s, "checked", False) for s in stmts)
