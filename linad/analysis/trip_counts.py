"""Bounds on trip counts that follow from loop bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from linad_typecheck.ir.core import Atom, Const, Function, Let, Loop, walk
from linad_typecheck.types import I64

FEW = 8  # a loop known to have at most so many iterations is not worth a loop of its own


def ints_of(f: Function) -> dict[str, Let]:
    """The int operations of a function, by the names of their results."""
    return {s.out.name: s for s in walk(f.body) if isinstance(s, Let) and s.out.type == I64}


def is_short(s: Loop, sizes: Mapping[str, Let] | None = None) -> bool:
    """Whether a loop provably has few iterations. ``sizes``: ints by name."""
    if s.stop is None or not isinstance(s.step, Const):
        return False
    up = s.step.value > 0
    first, last = (
        list(_limits(s.start, "max" if up else "min", sizes or {})),
        list(_limits(s.stop, "min" if up else "max", sizes or {})),
    )
    return any(a == b and (d - c if up else c - d) <= FEW for a, c in first for b, d in last)


def _limits(a: Atom, op: str, sizes: Mapping[str, Let], more: int = 0, deep: int = 4) -> Iterator[tuple[str, int]]:
    """Constant or symbolic limits of a loop bound: a name (empty for none) plus a constant."""
    if isinstance(a, Const):
        yield "", int(a.value) + more
        return
    yield a.name, more
    match sizes.get(a.name) if deep else None:
        case Let(op=o, ins=ins) if o == op:
            for x in ins:
                yield from _limits(x, op, sizes, more, deep - 1)
        case Let(op="add", ins=(x, Const(value=c))) | Let(op="add", ins=(Const(value=c), x)):
            yield from _limits(x, op, sizes, more + int(c), deep - 1)
        case Let(op="sub", ins=(x, Const(value=c))):
            yield from _limits(x, op, sizes, more - int(c), deep - 1)
