"""Relocation of facts about helpers from other files: they are reported at the call."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from linad_typecheck.ir.core import Call, Program, walk
from linad_typecheck.span import Span


def at_home(program: Program) -> Program:
    """Give every statement from another file the position of the first call that leads to it.

    A line number alone does not identify the file.
    """
    home = program.main.span.file
    if all(f.span.file == home for f in program.functions.values()):
        return program
    places: dict[str, Span | None] = {program.entry: None}
    waiting = [program.entry]
    while waiting:
        name = waiting.pop(0)
        for s in walk(program.functions[name].body):
            callee = program.functions.get(s.callee) if isinstance(s, Call) else None
            if callee is not None and s.callee not in places:
                places[s.callee] = None if callee.span.file == home else places[name] or s.span
                waiting.append(s.callee)
    moved = {name: f if places.get(name) is None else _moved(f, places[name]) for name, f in program.functions.items()}
    return replace(program, functions=moved)


def _moved(value: Any, place: Span | None) -> Any:
    match value:
        case Span():
            return place
        case tuple():
            return tuple(_moved(v, place) for v in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{f.name: _moved(getattr(value, f.name), place) for f in fields(value) if f.init})
    return value
