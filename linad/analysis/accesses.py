"""What statements do to the cells of arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from linad_typecheck.core import AddArray, AddTo, Atom, Call, Copy, Dense, Fill, Load, Reserve, Stmt, Store, Var
from linad_typecheck.types import Array

AccessKind = Literal["read", "write", "update"]


@dataclass(frozen=True, slots=True)
class Access:
    """A statement reads or writes the cell at an index, or all cells where that is None; ``update`` is both."""

    array: Var
    index: tuple[Atom, ...] | None
    kind: AccessKind


def accesses(s: Stmt) -> tuple[Access, ...]:
    """The accesses of a statement at its own level. Of the arrays that a call takes, every cell may be updated."""
    found = _ACCESSES.get(type(s))
    return () if found is None else found(s)


def _call(s: Call) -> tuple[Access, ...]:
    return tuple(Access(a, None, "update") for a in s.args if isinstance(a, Var) and isinstance(a.type, Array))


_ACCESSES: dict[type, Callable[..., tuple[Access, ...]]] = {
    Load: lambda s: (Access(s.array, s.index, "read"),),
    Store: lambda s: (Access(s.array, s.index, "write"),),
    AddTo: lambda s: (Access(s.array, s.index, "update"),),
    Copy: lambda s: (Access(s.array, None, "read"),),
    Fill: lambda s: (Access(s.array, None, "write"),),
    AddArray: lambda s: (Access(s.other, None, "read"), Access(s.array, None, "update")),
    Reserve: lambda s: (Access(s.array, None, "update"),),
    Dense: lambda s: (*(Access(a, None, "read") for a in s.read), *(Access(a, None, "update") for a in s.updated)),
    Call: _call,
}
