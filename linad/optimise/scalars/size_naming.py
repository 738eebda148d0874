"""Size naming: name the sizes of parameters at the start of the function, where other passes look for them.

**Transformation.** Sizes of copied parameters get names. `with_sizes` specialises a program for the sizes of the last
axes of its arguments, and for arguments of equal shape, with a check of each.

**Before.** ``u = copy &x``
**After.** ``x_n = dim &x 0; u = copy &x``

**Legality.** Querying a size has no effect; an assumed size is checked.

**Profitability.** The sizes of copies become known (`ir/sizes.py`), which helps to prove index checks and sizes of
logs.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from linad_typecheck.ir.core import (
    Atom, Call, Check, Const, Copy, Dim, Function, Let, Names, Program, Stmt, Var, all_names, base_name, walk,
)
from linad_typecheck.signature import Alike
from linad_typecheck.types import BOOL, I64


def with_sizes(program: Program, sizes: Iterable[tuple[int, int] | Alike]) -> Program:
    """Specialise a lowered program for parameters with known last sizes or equal shapes, which it checks.

    A recursive function is left alone: it may call itself with arrays of other sizes.
    """
    f = program.main
    called = {s.callee for g in program.functions.values() for s in walk(g.body) if isinstance(s, Call)}
    if program.entry in called | {d.callee for d in program.derivatives.values()}:
        return program
    names = Names(all_names(f))
    first: list[Stmt] = []

    def dim(v: Var, axis: int) -> Var:
        found = names.var(f"{base_name(v.name)}_n{axis}", I64)
        first.append(Dim(found, v, axis, f.span))
        return found

    def equal(v: Var, axis: int, wanted: Atom) -> None:
        found, ok = dim(v, axis), names.var("ok", BOOL)
        text = f"the size of `{v.name}` along axis {axis} is {{0}}, and this code was made for {{1}}"
        first.append(Let(ok, "eq", (found, wanted), f.span))
        first.append(Check(ok, "ValueError", text, (found, wanted), f.span))

    for known in sizes:
        if isinstance(known, Alike):
            v, other = f.params[known.array].var, f.params[known.other].var
            for axis in range(v.type.rank):
                equal(v, axis, dim(other, axis))
        else:
            v = f.params[known[0]].var
            equal(v, v.type.rank - 1, Const(known[1], I64))
    return program.with_main(replace(f, body=replace(f.body, stmts=(*first, *f.body.stmts))))


def name_sizes(f: Function) -> Function:
    """Query the sizes of copied parameters at the start, so that those of the copies are known (`ir/sizes.py`)."""
    copied = {s.array.name for s in walk(f.body) if isinstance(s, Copy)}
    names = Names(all_names(f))
    asked: list[Stmt] = [
        Dim(names.var(f"{p.var.name}_n", I64), p.var, axis, f.span)
        for p in f.params
        if p.var.name in copied
        for axis in range(p.var.type.rank)
    ]
    return replace(f, body=replace(f.body, stmts=(*asked, *f.body.stmts))) if asked else f
