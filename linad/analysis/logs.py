"""Logs: the arrays that grow, and those that are empty before they do."""

from __future__ import annotations

from linad_typecheck.ir.core import Alloc, Call, Const, Function, Reserve, Var, walk
from linad_typecheck.types import I64


def may_grow(f: Function) -> set[str]:
    """The arrays of a function whose size may change under their name: logs, also those a callee may make longer."""
    found = {s.array.name for s in walk(f.body) if isinstance(s, Reserve)}
    for s in walk(f.body):
        if isinstance(s, Call):
            found |= {a.name for a in s.args if isinstance(a, Var)}
    return found


def logs_of(f: Function) -> set[str]:
    """The logs that a function makes longer, or makes for its callees to do so."""
    found = {s.array.name for s in walk(f.body) if isinstance(s, Reserve)}
    return found | {s.out.name for s in walk(f.body) if isinstance(s, Alloc) and s.log == "stack"}


def empty(s: Alloc) -> bool:
    """Whether a log has no cells before it grows, so that it may as well begin with more."""
    return s.fill is None and s.shape == (Const(0, I64),)
