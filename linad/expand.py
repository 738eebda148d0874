"""Derivatives taken inside checked functions: what was declared is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from itertools import count

from linad_typecheck.core import Block, Call, Derivative, Function, Program, Stmt, walk
from linad_typecheck.core_rewrite import rebuild

Make = Callable[[Program, Derivative], Program]  # the derivative of the entry of a program


def expand(program: Program, make: Make) -> Program:
    """The program with every declared derivative made, innermost first."""
    if not program.derivatives:
        return program
    functions = dict(program.functions)
    pending = dict(program.derivatives)

    def finish(name: str) -> None:
        """Make the derivatives that a function calls, then the declared derivative of it."""
        d = pending.pop(name)
        while wanted := _called(functions, d.callee) & pending.keys():
            finish(min(wanted))
        made = make(Program(d.callee, {k: functions[k] for k in _called(functions, d.callee)}), d)
        others = {k: f for k, f in made.functions.items() if k != made.entry}
        if any(functions.get(k, f) != f for k, f in others.items()):  # recursive functions, simplified for another place
            new = {k: _fresh(k, functions.keys() | pending.keys() | others.keys()) for k in others}
            made = replace(made, functions={k: _calling(f, new) for k, f in made.functions.items()})
            others = {new[k]: replace(made.functions[k], name=new[k]) for k in others}
        functions.update(others)
        functions[name] = replace(made.main, name=name)

    while pending:
        finish(next(iter(pending)))
    return replace(program, functions=functions, derivatives={})


def _fresh(name: str, taken: Set[str]) -> str:
    return next(n for k in count(2) if (n := f"{name}_{k}") not in taken)


def _calling(f: Function, new: Mapping[str, str]) -> Function:
    """A function that calls others by their new names."""

    def inside(b: Block) -> Block:
        return Block(tuple(renamed(rebuild(s, lambda a: a, block=inside)) for s in b.stmts), b.results)

    def renamed(s: Stmt) -> Stmt:
        return replace(s, callee=new.get(s.callee, s.callee)) if isinstance(s, Call) else s

    return replace(f, body=inside(f.body))


def _called(functions: dict[str, Function], start: str) -> set[str]:
    """A function and all that it reaches by calls."""
    found, todo = {start}, [start]
    while todo:
        for s in walk(functions[todo.pop()].body):
            if isinstance(s, Call) and s.callee not in found:
                found.add(s.callee)
                todo.append(s.callee)
    return found
