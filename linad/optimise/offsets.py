"""Ints as a base plus a constant."""

from __future__ import annotations

from collections.abc import Mapping

from linad_typecheck.ir.core import Atom, Const, Let, Var


def offset(a: Atom, lets: Mapping[str, Let]) -> tuple[Atom, int]:
    """Split an int into a base (an atom) and a constant. ``lets``: the definitions of ints, by name."""
    match lets.get(a.name) if isinstance(a, Var) else None:
        case Let(op="add", ins=(x, Const(value=c))) | Let(op="add", ins=(Const(value=c), x)):
            base, more = offset(x, lets)
            return base, more + int(c)
        case Let(op="sub", ins=(x, Const(value=c))):
            base, more = offset(x, lets)
            return base, more - int(c)
    return a, 0
