"""Cells that are written and then touched again: a load of what was just stored is the value, storing zero and then adding is
storing."""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import (
    AddTo,
    Atom,
    Block,
    Const,
    Function,
    If,
    Let,
    Load,
    Loop,
    Stmt,
    Store,
    Var,
    base_name,
    blocks,
    free_vars,
    operands,
    written,
)
from linad_typecheck.core_rewrite import rebuild
from linad_typecheck.types import is_float


def merge_cells(f: Function) -> Function:
    """Loads of a cell that the same block has just stored to become the value; ``v[i] = 0`` followed by ``v[i] += e`` with
    nothing in between that touches ``v`` becomes ``v[i] = e``.

    The latter for ints and for adjoints only: where ``e`` is -0.0 it changes the sign of a zero.
    """
    return replace(f, body=_Merge().block(f.body))


class _Merge:
    def __init__(self) -> None:
        self.same: dict[str, Atom] = {}  # loads that are the value stored before

    def use(self, a: Atom) -> Atom:
        return self.same.get(a.name, a) if isinstance(a, Var) else a

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for s in block.stmts:
            s = rebuild(s, self.use, block=self.block)
            match s:
                case AddTo(array=a, index=i, value=v) if not is_float(a.type) or base_name(a.name).endswith("_bar"):
                    at = _pending_zero(out, a, i)
                    if at is not None:
                        zero = out.pop(at)
                        s = Store(a, i, v, zero.checked, s.span)
                case Load(out=v, array=a, index=i):
                    value = _just_stored(out, a, i)
                    if value is not None:
                        self.same[v.name] = value
                        continue
            out.append(s)
        return Block(tuple(out), tuple(map(self.use, block.results)))


def _just_stored(out: list[Stmt], array: Var, index: tuple) -> Atom | None:
    """The value that this very cell was given, if nothing has written to the array since."""
    for s in reversed(out):
        match s:
            case Store(array=a, index=i, value=v) if a == array:
                if i == index:
                    return v
                if not _differ(i, index):
                    return None
            case AddTo(array=a, index=i) if a == array and _differ(i, index):
                continue
            case If() | Loop():
                if any(array.name in free_vars(b) for b in blocks(s)):
                    return None
            case _ if written(s) == array or (not isinstance(s, Load) and array in operands(s) and type(s).__name__ != "Dim"):
                return None
    return None


def _differ(first: tuple[Atom, ...], second: tuple[Atom, ...]) -> bool:
    """Whether two indices are surely those of different cells."""
    return any(isinstance(a, Const) and isinstance(b, Const) and a.value != b.value for a, b in zip(first, second, strict=True))


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
