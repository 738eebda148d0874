"""From the linear form back to the form with free reuse, without dup, drop, read and same."""

from __future__ import annotations

from dataclasses import replace

from ..ir.core import Atom, Block, Drop, Dup, Function, Program, Read, Same, Stmt, Var
from ..ir.rewrite import rebuild


def erase(program: Program) -> Program:
    """The same program without `Dup`, `Drop`, `Read` and `Same`; the inverse of `linearise` up to names."""
    return replace(program, functions={k: erase_function(f) for k, f in program.functions.items()})


def erase_function(f: Function) -> Function:
    """`erase` of one function."""
    same: dict[str, Atom] = {}

    def use(atom: Atom) -> Atom:
        return same.get(atom.name, atom) if isinstance(atom, Var) else atom

    def inside(b: Block) -> Block:
        out: list[Stmt] = []
        for s in b.stmts:
            match s:
                case Dup(a, b2, x):
                    same[a.name] = same[b2.name] = use(x)
                case Read(o, x):
                    same[o.name] = use(x)
                case Drop() | Same():
                    pass
                case _:
                    out.append(rebuild(s, use, block=inside))
        return Block(tuple(out), tuple(map(use, b.results)))

    return replace(f, body=inside(f.body))
