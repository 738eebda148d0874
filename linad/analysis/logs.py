"""Logs: arrays that grow."""

from __future__ import annotations

from linad_typecheck.ir.core import Alloc, Call, Const, Function, Reserve, Var, walk
from linad_typecheck.types import I64


def resized(f: Function) -> set[str]:
    """The logs that a function itself reallocates."""
    return {s.array.name for s in walk(f.body) if isinstance(s, Reserve)}


def may_grow(f: Function) -> set[str]:
    """The arrays whose size may change under their name: logs, including those that a callee may extend."""
    calls = (s for s in walk(f.body) if isinstance(s, Call))
    return resized(f).union(a.name for s in calls for a in s.args if isinstance(a, Var))


def logs_of(f: Function) -> set[str]:
    """The logs that a function extends, or allocates for its callees to extend."""
    return resized(f) | {s.out.name for s in walk(f.body) if isinstance(s, Alloc) and s.log == "stack"}


def empty(s: Alloc) -> bool:
    """Whether a log is initially empty, so that it may as well start with more capacity."""
    return s.fill is None and s.shape == (Const(0, I64),)
