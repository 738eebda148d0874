"""How many iterations a loop has, as far as its bounds say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from linad_typecheck.ir.core import Atom, Const, Let, Loop

FEW = 8  # iterations, known to be no more, that are not worth a loop of their own


def is_short(s: Loop, sizes: Mapping[str, Let] | None = None) -> bool:
    """Whether a loop is known to have few iterations; ``sizes`` are ints by name."""
    if s.stop is None or not isinstance(s.step, Const):
        return False
    up = s.step.value > 0
    first, last = (
        list(_ends(s.start, "max" if up else "min", sizes or {})),
        list(_ends(s.stop, "min" if up else "max", sizes or {})),
    )
    return any(a == b and (d - c if up else c - d) <= FEW for a, c in first for b, d in last)


def _ends(a: Atom, op: str, sizes: Mapping[str, Let], more: int = 0, deep: int = 4) -> Iterator[tuple[str, int]]:
    """Numbers that a bound is not beyond: a size by name, or none, and what is added to it."""
    if isinstance(a, Const):
        yield "", int(a.value) + more
        return
    yield a.name, more
    match sizes.get(a.name) if deep else None:
        case Let(op=o, ins=ins) if o == op:
            for x in ins:
                yield from _ends(x, op, sizes, more, deep - 1)
        case Let(op="add", ins=(x, Const(value=c))) | Let(op="add", ins=(Const(value=c), x)):
            yield from _ends(x, op, sizes, more + int(c), deep - 1)
        case Let(op="sub", ins=(x, Const(value=c))):
            yield from _ends(x, op, sizes, more - int(c), deep - 1)
