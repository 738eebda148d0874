"""Inlining: replace calls by the bodies of their callees, except for recursive functions and those with a custom rule.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Atom, Block, Call, Function, If, Loop, Names, Program, Stmt, Var, all_names, reached, walk,
)
from linad_typecheck.ir.rewrite import freshen, rebuild


def inline(program: Program) -> Program:
    """Inline all functions of a program except recursive ones and those with a custom rule.

    A borrowed array is the caller's array under its own name, and a moved one is that of the result, so inlining only
    renames variables.
    """
    callees = {n: {s.callee for s in walk(f.body) if isinstance(s, Call)} for n, f in program.functions.items()}
    kept = {n for n in callees if n in _reach(callees, n) or program.functions[n].rule is not None}
    done: dict[str, Function] = {}

    def finish(name: str) -> Function:
        if name not in done:
            f = program.functions[name]
            keep = Names(all_names(f))
            ready = {c: finish(c) for c in callees[name] if c not in kept and c != name}
            done[name] = replace(f, body=_Inliner(ready, keep).block(f.body))
        return done[name]

    for name in program.functions:
        finish(name)
    used = reached(done, program.entry)
    return replace(program, functions={n: f for n, f in done.items() if n in used})


def _reach(edges: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    todo = list(edges[start])
    while todo:
        n = todo.pop()
        if n not in found:
            found.add(n)
            todo += edges[n]
    return found


class _Inliner:
    def __init__(self, ready: dict[str, Function], names: Names) -> None:
        self.ready, self.names = ready, names
        self.same: dict[str, Atom] = {}

    def use(self, a: Atom) -> Atom:
        return self.same.get(a.name, a) if isinstance(a, Var) else a

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for s in block.stmts:
            match s:
                case Call(callee=name) if name in self.ready:
                    f = self.ready[name]
                    args = dict(zip((p.var.name for p in f.params), map(self.use, s.args), strict=True))
                    body = freshen(f.body, self.names, args)
                    out += body.stmts
                    self.same.update(zip((o.name for o in s.outs), body.results, strict=True))
                case If() | Loop():
                    out.append(rebuild(s, self.use, block=self.block))
                case _:
                    out.append(rebuild(s, self.use))
        return Block(tuple(out), tuple(map(self.use, block.results)))
