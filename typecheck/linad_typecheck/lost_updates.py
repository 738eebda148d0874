"""Lost updates: arrays that a function allocates and updates, and on which no result depends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .ir import core as ir
from .messages.derivatives import UpdateLost
from .source import SourceFile


def lost_updates(program: ir.Program, source: SourceFile) -> list[UpdateLost]:
    """A message per array, at its first update. Updates that lowering inserted are ignored."""
    found = [_of(f) for f in program.functions.values()]
    # an update of several arrays, of complex numbers; one that also stands in a copy of statements, which is tested
    useful = {s.span for reached, _ in found for s in reached}
    lost = [(s, name) for _, more in found for s, name in more if s.span not in useful]
    return [UpdateLost(s.span, name) for s, name in lost if s.span.file == source.name and _written(s, name, source)]


def _of(f: ir.Function) -> tuple[list[ir.Stmt], list[tuple[ir.Stmt, str]]]:
    """The first updates of the arrays on which results depend, and those of others, with their names."""
    made: set[str] = set()
    first: dict[str, ir.Stmt] = {}
    flow = _Flow({}, {p.var.name for p in f.params} | _names(f.body.results))
    for s in ir.walk(f.body):
        if type(s) is ir.Alloc or type(s) is ir.Copy:
            made.add(s.out.name)
        target = flow.see(s)
        if target is not None and target.name in made:
            first.setdefault(target.name, s)
    reached = flow.reached() if first else set()
    useful = [s for name, s in first.items() if name in reached]
    return useful, [(s, ir.base_name(name)) for name, s in first.items() if name not in reached]


@dataclass
class _Flow:
    """The dependences of each name, and the names that matter by themselves: results, conditions, bounds."""

    sources: dict[str, list[ir.Atom | None]]
    roots: set[str]

    def add(self, name: str, atoms: Iterable[ir.Atom | None]) -> None:
        self.sources.setdefault(name, []).extend(atoms)

    def see(self, s: ir.Stmt) -> ir.Var | None:
        """Record a statement. Returns the array that it updates cell by cell, if any."""
        if type(s) in _PLAIN:
            for out in ir.outputs(s):
                self.add(out.name, ir.operands(s))
            return None
        match s:
            case ir.Store(array=a, index=i, value=v) | ir.AddTo(array=a, index=i, value=v):
                self.add(a.name, (*i, v))
                return a
            case ir.Fill(array=a, value=v):
                self.add(a.name, (v,))
                return a
            case ir.AddArray(array=a, other=b):
                self.add(a.name, (b,))
                return a
            case ir.If(cond=cond, then=then, orelse=orelse, outs=outs):
                self.roots |= _names((cond,))
                for out, x, y in zip(outs, then.results, orelse.results, strict=True):
                    self.add(out.name, (x, y))
            case ir.Loop(body=body, carried=carried, inits=inits, outs=outs):
                results = s.nexts
                self.roots |= _names((s.start, s.stop, s.step, *(body.results[:1] if s.exits else ())))
                for var, init, result, out in zip(carried, inits, results, outs, strict=True):
                    self.add(var.name, (init, result))
                    self.add(out.name, (var,))
            case _:  # calls, checks, and other statements that may have effects
                self.roots |= _names(ir.operands(s))
        return None

    def reached(self) -> set[str]:
        found, pending = set(), list(self.roots)
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending += [a.name for a in self.sources.get(name, ()) if type(a) is ir.Var]
        return found


_PLAIN = frozenset((ir.Let, ir.Load, ir.Copy, ir.Alloc, ir.Dim))


def _names(atoms: Iterable[ir.Atom | None]) -> set[str]:
    return {a.name for a in atoms if type(a) is ir.Var}


def _written(s: ir.Stmt, name: str, source: SourceFile) -> bool:
    """Whether the user wrote an update of that name there."""
    text = source.segment(s.span).replace(" ", "")
    return text.startswith((f"{name}[", f"{name}+=", f"{name}-=", f"{name}*=", f"{name}/="))
