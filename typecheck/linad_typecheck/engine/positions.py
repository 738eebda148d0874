"""Positions of prelude functions, which are lowered once for the calls at all places.

All of a prelude function is positioned at the user's call: errors that it raises, and what is said about its cost. The
shared function has the position of its first call; each other place gets a copy with its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..ir.core import Block, Call, Function, Stmt
from ..ir.rewrite import in_blocks, with_statements
from ..span import Span
from .programs import Programs


def positioned(programs: Programs, functions: Mapping[str, Function]) -> dict[str, Function]:
    """The functions, in which each call of a shared function is that of one with the position of the call."""
    shared = {s.name for s in programs.specs.values() if s.source.anywhere}
    if not shared:
        return dict(functions)
    copies: dict[tuple[str, Span], str] = {}
    found: dict[str, Function] = {}
    todo = [(f, f.span, name) for name, f in functions.items()]

    def callee(name: str, at: Span) -> str:
        f = functions.get(name)
        if name not in shared or f is None or f.rule is not None or f.span == at:
            return name
        if (name, at) not in copies:
            copies[name, at] = programs.name(name.partition("#")[0])
            todo.append((f, at, copies[name, at]))
        return copies[name, at]

    def moved(f: Function, at: Span) -> Block:
        def statement(s: Stmt) -> Stmt:
            s = in_blocks(s, block)
            if f.span != at and s.span == f.span:
                s = replace(s, span=at)
            if isinstance(s, Call) and (name := callee(s.callee, s.span)) != s.callee:
                s = replace(s, callee=name)
            return s

        def block(b: Block) -> Block:
            return with_statements(b, map(statement, b.stmts))

        return block(f.body)

    for f, at, name in todo:  # grows meanwhile
        body = moved(f, at)
        found[name] = f if body is f.body and name == f.name else replace(f, name=name, body=body, span=at)
    return found
