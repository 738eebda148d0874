"""Statements that transformed loops need: int arithmetic, whether a loop runs, further carried values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from linad_typecheck.infer.affine import Affine
from linad_typecheck.ir.core import Atom, Block, Const, Let, Loop, Names, Stmt, Var
from linad_typecheck.ir.printing import let_type
from linad_typecheck.types import BOOL, I64, Scalar

ZERO, ONE = Const(0, I64), Const(1, I64)


class Maker:
    """Emits statements into ``out``; int arithmetic is simplified. ``sizes``: ints by name."""

    hint = "k"  # name of ints

    def __init__(self, names: Names, sizes: Mapping[str, Let] | None = None) -> None:
        self.names, self.sizes = names, sizes or {}
        self.out: list[Stmt] = []

    def let(self, op: str, *ins: Atom, hint: str = "") -> Atom:
        match op, *ins:
            case ("add" | "sub", x, Const(value=0)) | ("mul", x, Const(value=1)) if x.type == I64:
                return x
            case ("add", Const(value=0), x) | ("mul", Const(value=1), x) if x.type == I64:
                return x
            case "add", Const(), Const() if ins[0].type == I64:
                return Const(ins[0].value + ins[1].value, I64)
            case "add", Var(name=name), Const(value=k) if name in self.sizes:
                match self.sizes[name]:
                    case Let(op="sub", ins=(x, Const(value=c))):
                        return self.let("add", x, Const(k - c, I64))
        t = let_type(op, ins)
        assert isinstance(t, Scalar)
        v = self.names.var(hint or (self.hint if t == I64 else "t"), t)
        self.out.append(Let(v, op, ins))
        return v

    def unknown(self, name: str) -> Atom:
        """The int with this name in an affine form."""
        return Var(name, I64)

    def form(self, f: Affine) -> Atom:
        """The value of an affine form."""
        total: Atom | None = None
        for name, c in sorted(f.terms, key=lambda term: term[1] < 0):
            v = self.unknown(name)
            term = v if abs(c) == 1 else self.let("mul", Const(abs(c), I64), v)
            if total is None:
                total = term if c > 0 else self.let("neg", term)
            else:
                total = self.let("add" if c > 0 else "sub", total, term)
        return Const(f.const, I64) if total is None else self.let("add", total, Const(f.const, I64))


def upwards(s: Loop, maker: Maker) -> Loop:
    """The loop with step 1 or -1, reversed if necessary to run upwards over the same range."""
    if s.step == ONE:
        return s
    assert s.stop is not None
    # a loop without iterations may stop at the largest int
    stop = s.stop if isinstance(s.stop, Const) else maker.let("min", s.stop, s.start)
    return replace(s, start=maker.let("add", stop, ONE), stop=maker.let("add", s.start, ONE), step=ONE)


def has_run(s: Loop, names: Names) -> Let:
    """The test whether a counted loop executes any iteration."""
    assert s.stop is not None and isinstance(s.step, Const)
    return Let(names.var("ran", BOOL), "lt", (s.start, s.stop) if s.step.value > 0 else (s.stop, s.start), s.span)


def carrying(
    s: Loop,
    stmts: Iterable[Stmt],
    carried: Sequence[Var],
    inits: Iterable[Atom],
    after: Iterable[Atom],
    outs: Iterable[Var],
) -> Loop:
    """The loop with another body and additional carried values."""
    return replace(
        s,
        carried=(*s.carried, *carried),
        inits=(*s.inits, *inits),
        body=Block(tuple(stmts), (*s.body.results, *after)),
        outs=(*s.outs, *outs),
    )
