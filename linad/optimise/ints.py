"""Int arithmetic emitted before a loop that is transformed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from linad_typecheck.ir.core import Atom, Const, Let, Loop, Names, Stmt, Var
from linad_typecheck.types import I64

ZERO, ONE = Const(0, I64), Const(1, I64)


class Maker:
    """Emits int arithmetic and other statements into ``out``."""

    def __init__(self, names: Names, sizes: Mapping[str, Let] | None = None) -> None:
        self.names, self.sizes = names, sizes or {}
        self.out: list[Stmt] = []

    def let(self, op: str, a: Atom, b: Atom, like: Atom = ZERO) -> Atom:
        match op, a, b:
            case "add", _, Const(value=0) if b.type == I64:
                return a
            case "add", Const(), Const() if b.type == I64:
                return Const(a.value + b.value, I64)
            case "add", Var(name=name), Const() if name in self.sizes:
                match self.sizes[name]:
                    case Let(op="sub", ins=(x, Const(value=c))):
                        return self.let("add", x, Const(b.value - c, I64))
        v = self.names.var("t" if like.type != I64 else "k", like.type)
        self.out.append(Let(v, op, (a, b)))
        return v


def upwards(s: Loop, maker: Maker) -> Loop:
    """The loop with step 1 or -1, reversed if necessary to run upwards over the same range."""
    if s.step == ONE:
        return s
    assert s.stop is not None
    # a loop without iterations may stop at the largest int
    stop = s.stop if isinstance(s.stop, Const) else maker.let("min", s.stop, s.start)
    return replace(s, start=maker.let("add", stop, ONE), stop=maker.let("add", s.start, ONE), step=ONE)
