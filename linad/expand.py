"""Derivatives taken inside checked functions: what was declared is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from linad_typecheck.core import Call, Derivative, Function, Program, walk

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
        for key, f in made.functions.items():
            if key == made.entry:
                functions[name] = replace(f, name=name)
            elif functions.setdefault(key, f) != f:  # a recursive function's derivative by other parameters
                raise AssertionError(f"two functions are named {key}")

    while pending:
        finish(next(iter(pending)))
    return replace(program, functions=functions, derivatives={})


def _called(functions: dict[str, Function], start: str) -> set[str]:
    """A function and all that it reaches by calls."""
    found, todo = {start}, [start]
    while todo:
        for s in walk(functions[todo.pop()].body):
            if isinstance(s, Call) and s.callee not in found:
                found.add(s.callee)
                todo.append(s.callee)
    return found
