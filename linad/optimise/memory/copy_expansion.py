"""Copy expansion: make the copy of an array in a loop a nest that stores each cell.

**Transformation.** The reverse of idiom recognition.

**Before.** ``for t { e = copy &a; ... }``
**After.** ``for t { e = alloc [n]; for i { x = load &a [i]; &e[i] = x }; ... }``

**Legality.** Always: the cells are the same.

**Profitability.** The storage plan keeps arrays that an iteration allocates and fills, one slice of a log for each
iteration. Loads from a copy that is updated would be logged one by one. Both forms are differentiated and the one that
logs less is kept (`linad/pipeline.py`).

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Copy, Function, If, Load, Loop, Names, Stmt, Store, Var, all_names,
)
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.ir.sizes import known_sizes
from linad_typecheck.types import I64, Scalar, is_float

from ..ints import ONE, ZERO


def expand_copies(f: Function) -> Function:
    """Expand the copies of float arrays in the loops of a function."""
    names, sizes = Names(all_names(f)), known_sizes(f)

    def block(b: Block, inside: bool) -> Block:
        return replace(b, stmts=tuple(t for s in b.stmts for t in parts(s, inside)))

    def parts(s: Stmt, inside: bool) -> Iterator[Stmt]:
        match s:
            case Copy(out=out, array=a) if inside and is_float(out.type) and a.name in sizes:
                yield from _cells(s, sizes[a.name], names)
            case If() | Loop():
                yield in_blocks(s, lambda b: block(b, inside or isinstance(s, Loop)))
            case _:
                yield s

    return replace(f, body=block(f.body, False))


def _cells(s: Copy, sizes: tuple[Atom, ...], names: Names) -> Iterator[Stmt]:
    """The allocation of a copy of these sizes, and the nest that fills it."""
    out = s.out
    yield Alloc(out, sizes, None, s.span)
    at = tuple(names.var("i", I64) for _ in sizes)
    e: Var = names.var("e", Scalar(out.type.dtype))
    body: tuple[Stmt, ...] = (Load(e, s.array, at, False, s.span), Store(out, at, e, False, s.span))
    for i, n in reversed(list(zip(at, sizes, strict=True))):
        body = (Loop(i, ZERO, n, ONE, (), (), Block(body), (), span=s.span),)
    yield from body
