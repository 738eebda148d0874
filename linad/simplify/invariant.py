"""Sizes that a loop computes again in each iteration are computed once, before it.

Only int arithmetic that cannot fail moves, so nothing changes where the loop has no iteration. Loops inside whose
bounds no longer depend on the outer iteration have logs of a size that is known before.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import Block, Dim, Function, If, Let, Loop, Reserve, Stmt, Var, operands, outputs, walk
from linad_typecheck.types import INTS

TOTAL = frozenset("add sub mul neg max min maximum minimum trips wrap".split())


def hoist_invariants(f: Function) -> Function:
    """Move loop-invariant int arithmetic and array sizes out of loops."""
    resized = {s.array.name for s in walk(f.body) if isinstance(s, Reserve)}

    def block(b: Block) -> Block:
        out: list[Stmt] = []
        for s in b.stmts:
            match s:
                case If():
                    out.append(replace(s, then=block(s.then), orelse=block(s.orelse)))
                case Loop():
                    before, body = split(s, block(s.body))
                    out += [*before, replace(s, body=body)]
                case _:
                    out.append(s)
        return Block(tuple(out), b.results)

    def split(s: Loop, body: Block) -> tuple[list[Stmt], Block]:
        inside = {s.index.name, *(c.name for c in s.carried)} | {v.name for t in walk(body) for v in outputs(t)}
        before: list[Stmt] = []
        kept: list[Stmt] = []
        for t in body.stmts:
            if movable(t) and not any(isinstance(a, Var) and a.name in inside for a in operands(t)):
                before.append(t)
                inside -= {v.name for v in outputs(t)}
            else:
                kept.append(t)
        return before, Block(tuple(kept), body.results)

    def movable(s: Stmt) -> bool:
        match s:
            case Let(out=out, op=op):
                return op in TOTAL and out.type.dtype in INTS
            case Dim(array=array):
                return array.name not in resized
        return False

    return replace(f, body=block(f.body))
