"""Guarded code with a check at every access, whatever was proved about it, under ``LINAD_GUARD``.

For tests of the passes that remove or move index checks and restructure loops. A failing check is a bug in linad.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddArray, AddTo, Atom, Block, Check, Const, Dim, Let, Load, Names, Program, Stmt, Store, Var, all_names,
)
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.span import Span
from linad_typecheck.types import BOOL, I64

ZERO = Const(0, I64)
INSIDE = "internal error [LIN901]: index {} of an axis of {} of `%s`; this is a defect of linad, not of the function"
EQUAL = (
    "internal error [LIN901]: an array of {} places is added to one of {}, `%s`; this is a defect of linad, not of the "
    "function"
)


class AccessFault(RuntimeError):
    """Generated code would have accessed memory outside an array."""


FAULT = f"{__name__}.{AccessFault.__name__}"


def guarded_accesses(program: Program) -> Program:
    """The program with a check before each access to a cell and each sum of arrays."""
    return replace(
        program,
        functions={n: replace(f, body=_block(f.body, Names(all_names(f)))) for n, f in program.functions.items()},
    )


def _block(b: Block, names: Names) -> Block:
    return Block(tuple(t for s in b.stmts for t in _guarded(s, names)), b.results)


def _guarded(s: Stmt, names: Names) -> Iterator[Stmt]:
    match s:
        case Load(array=array, index=index) | Store(array=array, index=index) | AddTo(array=array, index=index):
            for axis, i in enumerate(index):
                yield from _within(array, axis, i, s.span, names)
            yield s
        case AddArray(array=array, other=other):
            for axis in range(array.type.rank):
                n, m = (names.var("n", I64) for _ in range(2))
                yield from (Dim(n, other, axis, s.span), Dim(m, array, axis, s.span))
                yield from _test("eq", (n, m), EQUAL % array.name, s.span, names)
            yield s
        case _:
            yield in_blocks(s, lambda b: _block(b, names))


def _within(array: Var, axis: int, i: Atom, span: Span, names: Names) -> Iterator[Stmt]:
    size = names.var("n", I64)
    yield Dim(size, array, axis, span)
    yield from _test("le", (ZERO, i), INSIDE % array.name, span, names, (i, size))
    yield from _test("lt", (i, size), INSIDE % array.name, span, names, (i, size))


def _test(
    op: str, ins: tuple[Atom, Atom], told: str, span: Span, names: Names, args: tuple[Atom, ...] = ()
) -> Iterator[Stmt]:
    ok = names.var("ok", BOOL)
    yield Let(ok, op, ins, span)
    yield Check(ok, FAULT, told, args or ins, span)
