"""How each statement uses its operands: the table on which the linear form is defined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from ..ir import core as ir
from ..dense_ops import DENSE
from ..types import Array, is_linear

Use = Literal["consume", "borrow", "accumulate", "update"]

Modes = Callable[[str], tuple[ir.Mode, ...]]  # the parameter modes of a function, by its name

_OF_MODE: dict[ir.Mode, Use] = {
    "read": "borrow", "acc": "accumulate", "mut": "update", "own": "consume", "out": "update"
}  # fmt: skip


def atom_uses(s: ir.Stmt, modes: Modes) -> Iterator[tuple[ir.Atom, Use]]:
    """Every operand of a statement and how it is used, in the order of `core.operands`."""
    match s:
        case ir.Load(array=a, index=i):
            yield a, "borrow"
            yield from ((k, "consume") for k in i)
        case ir.Store(array=a, index=i, value=v):
            yield a, "update"
            yield from ((k, "consume") for k in (*i, v))
        case ir.AddTo(array=a, index=i, value=v):
            yield a, "accumulate"
            yield from ((k, "consume") for k in (*i, v))
        case ir.Dim(array=a) | ir.Copy(array=a):
            yield a, "borrow"
        case ir.Same(copy=a, array=b):
            yield a, "borrow"
            yield b, "borrow"
        case ir.AddArray(array=a, other=b):
            yield a, "accumulate"
            yield b, "borrow"
        case ir.Fill(array=a, value=v) | ir.Reserve(array=a, size=v):
            yield a, "update"
            yield v, "consume"
        case ir.Dense(op=op, updated=updated, read=read):
            yield from ((a, _OF_MODE[DENSE[op].mode]) for a in updated)
            yield from ((a, "borrow") for a in read)
        case ir.Read(x=x):
            yield x, "borrow"
        case ir.Call(callee=callee, args=args):
            for arg, mode in zip(args, modes(callee), strict=True):
                yield arg, _OF_MODE[mode] if isinstance(arg.type, Array) else "consume"
        case ir.Let(ins=ins):
            yield from ((a, "consume") for a in ins)
        case ir.Dup(x=x) | ir.Drop(x=x):
            yield x, "consume"
        case ir.Alloc(shape=shape):
            yield from ((a, "consume") for a in shape)
        case ir.If(cond=c):
            yield c, "consume"
        case ir.Loop():
            yield from ((x, "consume") for x in ir.operands(s))
        case ir.Check(cond=c, args=args):
            yield from ((x, "consume") for x in (c, *args))
        case _:
            raise TypeError(s)


def uses(s: ir.Stmt, modes: Modes) -> list[tuple[ir.Var, Use]]:
    """The uses of linear variables."""
    if type(s) is ir.Let:  # a fast path for most statements
        return [(a, "consume") for a in s.ins if type(a) is ir.Var and is_linear(a.type)]
    return [(a, u) for a, u in atom_uses(s, modes) if type(a) is ir.Var and is_linear(a.type)]


def modes_of(functions) -> Modes:
    """A function that looks up the parameter modes in a program's functions."""
    return lambda name: tuple(p.mode for p in functions[name].params)
