"""Arrays that a function makes and updates, while no result depends on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .ir.core import (
    AddArray,
    AddTo,
    Alloc,
    Atom,
    Copy,
    Dim,
    Fill,
    Function,
    If,
    Let,
    Load,
    Loop,
    Program,
    Stmt,
    Store,
    Var,
    base_name,
    operands,
    outputs,
    walk,
)
from .messages.derivatives import UpdateLost
from .source import SourceFile


def lost_updates(program: Program, source: SourceFile) -> list[UpdateLost]:
    """A message per array, at its first update; updates that the checker made up itself are passed over."""
    return [m for f in program.functions.values() for m in _of(f, source)]


def _of(f: Function, source: SourceFile) -> list[UpdateLost]:
    made = {s.out.name for s in walk(f.body) if type(s) is Alloc or type(s) is Copy}
    if not made:
        return []
    first: dict[str, Stmt] = {}
    flow = _Flow({}, {p.var.name for p in f.params} | _names(f.body.results))
    for s in walk(f.body):
        target = flow.see(s)
        if target is not None and target.name in made:
            first.setdefault(target.name, s)
    reached = flow.reached()
    lost = [(s, base_name(name)) for name, s in first.items() if name not in reached]
    return [UpdateLost(s.span, name) for s, name in lost if s.span.file == source.name and _written(s, name, source)]


@dataclass
class _Flow:
    """What each name is computed from, and the names that matter by themselves: results, conditions, bounds."""

    sources: dict[str, list[Atom | None]]
    roots: set[str]

    def add(self, name: str, atoms: Iterable[Atom | None]) -> None:
        self.sources.setdefault(name, []).extend(atoms)

    def see(self, s: Stmt) -> Var | None:
        """Note a statement; the array that it updates cell by cell, if it does."""
        if type(s) in _PLAIN:
            for out in outputs(s):
                self.add(out.name, operands(s))
            return None
        match s:
            case Store(array=a, index=i, value=v) | AddTo(array=a, index=i, value=v):
                self.add(a.name, (*i, v))
                return a
            case Fill(array=a, value=v):
                self.add(a.name, (v,))
                return a
            case AddArray(array=a, other=b):
                self.add(a.name, (b,))
                return a
            case If(cond=cond, then=then, orelse=orelse, outs=outs):
                self.roots |= _names((cond,))
                for out, x, y in zip(outs, then.results, orelse.results, strict=True):
                    self.add(out.name, (x, y))
            case Loop(body=body, carried=carried, inits=inits, outs=outs):
                results = body.results[1:] if s.exits else body.results
                self.roots |= _names((s.start, s.stop, s.step, *(body.results[:1] if s.exits else ())))
                for var, init, result, out in zip(carried, inits, results, outs, strict=True):
                    self.add(var.name, (init, result))
                    self.add(out.name, (var,))
            case _:  # calls, checks, whatever may act
                self.roots |= _names(operands(s))
        return None

    def reached(self) -> set[str]:
        found, pending = set(), list(self.roots)
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending += [a.name for a in self.sources.get(name, ()) if type(a) is Var]
        return found


_PLAIN = frozenset((Let, Load, Copy, Alloc, Dim))


def _names(atoms: Iterable[Atom | None]) -> set[str]:
    return {a.name for a in atoms if type(a) is Var}


def _written(s: Stmt, name: str, source: SourceFile) -> bool:
    """Whether the user wrote an update of that name there."""
    text = source.segment(s.span).replace(" ", "")
    return text.startswith((f"{name}[", f"{name}+=", f"{name}-=", f"{name}*=", f"{name}/="))
