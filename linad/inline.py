"""Inlining: replace calls by the bodies of their callees, except for recursive functions, those with a custom rule, and
long ones that would be copied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from linad_typecheck.ir.core import (
    Atom, Block, Call, Function, If, Loop, Names, Program, Stmt, Var, all_names, reached, walk,
)
from linad_typecheck.ir.rewrite import freshen, rebuild


LONG = 100  # statements of a function that is not copied, if it may be kept


def inline(program: Program, may_keep: Iterable[str] = (), nonlinear: bool = False) -> Program:
    """Inline all functions of a program except recursive ones, those with a custom rule, and long ones of ``may_keep``
    that would be copied; with ``nonlinear``, also except backward functions of rules that are not linear.

    A borrowed array is the caller's array under its own name, and a moved one is that of the result, so inlining only
    renames variables.
    """
    calls = {n: Counter(s.callee for s in walk(f.body) if isinstance(s, Call)) for n, f in program.functions.items()}
    kept = {n for n, f in program.functions.items() if n in _reach(calls, n) or f.rule is not None}
    kept |= {n for n, f in program.functions.items() if nonlinear and f.nonlinear is not None}
    kept |= _long(program, calls, kept, may_keep)
    done: dict[str, Function] = {}

    def finish(name: str) -> Function:
        if name not in done:
            f = program.functions[name]
            keep = Names(all_names(f))
            ready = {c: finish(c) for c in calls[name] if c not in kept and c != name}
            done[name] = replace(f, body=_Inliner(ready, keep).block(f.body))
        return done[name]

    for name in program.functions:
        finish(name)
    used = reached(done, program.entry)
    return replace(program, functions={n: f for n, f in done.items() if n in used})


def _long(program: Program, calls: Mapping[str, Counter[str]], kept: set[str], may_keep: Iterable[str]) -> set[str]:
    """Those of ``may_keep`` that are long, and of which inlining would make several copies."""

    @cache
    def size(name: str) -> int:
        inlined = sum(times * size(c) for c, times in calls[name].items() if c not in kept)
        return sum(1 for _ in walk(program.functions[name].body)) + inlined

    @cache
    def copies(name: str) -> int:
        return sum(
            found[name] * (1 if caller in kept or caller == program.entry else copies(caller))
            for caller, found in calls.items()
            if name in found
        )

    return {n for n in may_keep if n not in kept and copies(n) > 1 and size(n) > LONG}


def _reach(edges: Mapping[str, Iterable[str]], start: str) -> set[str]:
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
