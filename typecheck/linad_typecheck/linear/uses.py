"""How each statement uses its operands: the one table that the linear form rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from ..ir.core import (
    AddArray,
    AddTo,
    Alloc,
    Atom,
    Call,
    Check,
    Copy,
    Dense,
    Dim,
    Drop,
    Dup,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Mode,
    Read,
    Reserve,
    Same,
    Stmt,
    Store,
    Var,
    operands,
)
from ..dense_ops import DENSE
from ..types import Array, is_linear

Use = Literal["consume", "borrow", "accumulate", "update"]

Modes = Callable[[str], tuple[Mode, ...]]  # the parameter modes of a function by name

_OF_MODE: dict[Mode, Use] = {"read": "borrow", "acc": "accumulate", "mut": "update", "own": "consume", "out": "update"}


def atom_uses(s: Stmt, modes: Modes) -> Iterator[tuple[Atom, Use]]:
    """Every operand of a statement with what is done to it, in the order of `core.operands`."""
    match s:
        case Load(array=a, index=i):
            yield a, "borrow"
            yield from ((k, "consume") for k in i)
        case Store(array=a, index=i, value=v):
            yield a, "update"
            yield from ((k, "consume") for k in (*i, v))
        case AddTo(array=a, index=i, value=v):
            yield a, "accumulate"
            yield from ((k, "consume") for k in (*i, v))
        case Dim(array=a) | Copy(array=a):
            yield a, "borrow"
        case Same(copy=a, array=b):
            yield a, "borrow"
            yield b, "borrow"
        case AddArray(array=a, other=b):
            yield a, "accumulate"
            yield b, "borrow"
        case Fill(array=a, value=v) | Reserve(array=a, size=v):
            yield a, "update"
            yield v, "consume"
        case Dense(op=op, updated=updated, read=read):
            yield from ((a, _OF_MODE[DENSE[op].mode]) for a in updated)
            yield from ((a, "borrow") for a in read)
        case Read(x=x):
            yield x, "borrow"
        case Call(callee=callee, args=args):
            for arg, mode in zip(args, modes(callee), strict=True):
                yield arg, _OF_MODE[mode] if isinstance(arg.type, Array) else "consume"
        case Let(ins=ins):
            yield from ((a, "consume") for a in ins)
        case Dup(x=x) | Drop(x=x):
            yield x, "consume"
        case Alloc(shape=shape):
            yield from ((a, "consume") for a in shape)
        case If(cond=c):
            yield c, "consume"
        case Loop():
            yield from ((x, "consume") for x in operands(s))
        case Check(cond=c, args=args):
            yield from ((x, "consume") for x in (c, *args))
        case _:
            raise TypeError(s)


def uses(s: Stmt, modes: Modes) -> list[tuple[Var, Use]]:
    """The uses of variables that are linear."""
    if type(s) is Let:  # most statements
        return [(a, "consume") for a in s.ins if type(a) is Var and is_linear(a.type)]
    return [(a, u) for a, u in atom_uses(s, modes) if type(a) is Var and is_linear(a.type)]


def modes_of(functions) -> Modes:
    """The lookup of parameter modes in a program's functions."""
    return lambda name: tuple(p.mode for p in functions[name].params)
