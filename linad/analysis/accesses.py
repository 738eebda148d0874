"""Array accesses of statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from linad_typecheck.ir.core import AddArray, AddTo, Atom, Call, Copy, Dense, Fill, Load, Reserve, Stmt, Store, Var
from linad_typecheck.linear.uses import Modes
from linad_typecheck.types import Array

AccessKind = Literal["read", "write", "update"]


@dataclass(frozen=True, slots=True)
class Access:
    """An access to the cell at an index, or to all cells if the index is None; an ``update`` reads and writes."""

    array: Var
    index: tuple[Atom, ...] | None
    kind: AccessKind


def accesses(s: Stmt, modes: Modes | None = None) -> tuple[Access, ...]:
    """The accesses of a statement itself, without nested statements.

    A call may update every cell of its array arguments, except those lent for reading if the ``modes`` of functions are
    known.
    """
    if isinstance(s, Call):
        lent: tuple[str, ...] = ("mut",) * len(s.args) if modes is None else modes(s.callee)
        arrays = ((a, m) for a, m in zip(s.args, lent, strict=True) if isinstance(a, Var) and isinstance(a.type, Array))
        return tuple(Access(a, None, "read" if m == "read" else "update") for a, m in arrays)
    found = _ACCESSES.get(type(s))
    return () if found is None else found(s)


def updates(s: Stmt, modes: Modes | None = None) -> tuple[Var, ...]:
    """The arrays that a statement itself writes to."""
    return tuple(a.array for a in accesses(s, modes) if a.kind != "read")


_ACCESSES: dict[type, Callable[..., tuple[Access, ...]]] = {
    Load: lambda s: (Access(s.array, s.index, "read"),),
    Store: lambda s: (Access(s.array, s.index, "write"),),
    AddTo: lambda s: (Access(s.array, s.index, "update"),),
    Copy: lambda s: (Access(s.array, None, "read"),),
    Fill: lambda s: (Access(s.array, None, "write"),),
    AddArray: lambda s: (Access(s.other, None, "read"), Access(s.array, None, "update")),
    Reserve: lambda s: (Access(s.array, None, "update"),),
    Dense: lambda s: (*(Access(a, None, "read") for a in s.read), *(Access(a, None, "update") for a in s.updated)),
}
