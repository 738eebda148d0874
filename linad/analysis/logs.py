"""Logs: arrays that grow."""

from __future__ import annotations

from collections.abc import Mapping

from linad_typecheck.ir.core import Alloc, Call, Const, Function, Program, Reserve, Var, walk
from linad_typecheck.types import I64


def resized(f: Function) -> set[str]:
    """The logs that a function itself reallocates."""
    return {s.array.name for s in walk(f.body) if isinstance(s, Reserve)}


def may_grow(f: Function) -> set[str]:
    """The arrays whose size may change under their name: logs, including those that a callee may extend."""
    found = set()
    for s in walk(f.body):
        kind = type(s)
        if kind is Reserve:
            found.add(s.array.name)
        elif kind is Call:
            found.update(a.name for a in s.args if type(a) is Var)
    return found


def logs_of(f: Function) -> set[str]:
    """The logs that a function extends, or allocates for its callees to extend."""
    found = set()
    for s in walk(f.body):
        kind = type(s)
        if kind is Reserve:
            found.add(s.array.name)
        elif kind is Alloc and s.log == "stack":
            found.add(s.out.name)
    return found


def empty(s: Alloc) -> bool:
    """Whether a log is initially empty, so that it may as well start with more capacity."""
    return s.fill is None and s.shape == (Const(0, I64),)


def growing(f: Function, grown: Mapping[str, tuple[bool, ...]]) -> set[str]:
    """The arrays that a function, or one that it calls, may reallocate. ``grown``: the result of `grown_params`."""
    calls = (s for s in walk(f.body) if isinstance(s, Call))
    lent = ((a, g) for s in calls for a, g in zip(s.args, grown[s.callee], strict=True))
    return resized(f).union(a.name for a, g in lent if g and isinstance(a, Var))


def grown_params(program: Program) -> dict[str, tuple[bool, ...]]:
    """For each function, which parameters are logs that it may reallocate and return.

    A log grows by being copied, so a callee that reserves space in a parameter returns the new log. The entry never
    does: its caller owns the arrays.
    """
    grown = {name: (False,) * len(f.params) for name, f in program.functions.items()}
    while True:
        mine = {name: growing(f, grown) for name, f in program.functions.items()}
        found = {n: tuple(p.var.name in mine[n] for p in f.params) for n, f in program.functions.items()}
        if found == grown:
            return grown
        grown = found
