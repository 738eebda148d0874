"""Accesses and dependences of the statements of an innermost loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from linad_typecheck.infer.affine import Affine
from linad_typecheck.ir.core import AddTo, Atom, Const, Let, Load, Loop, Stmt, Store, Var, mentioned, operands, outputs
from linad_typecheck.types import is_float

from .affine import Ranges, unknown
from .dependence import Nest
from .trip_counts import FEW


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell accessed in each iteration whose last subscript is the loop index (or its negative, if ``way`` is -1) plus
    ``number``, and whose other subscripts, the ``row``, are loop-invariant."""

    row: tuple[object, ...]
    number: int
    way: int = 1

    def __add__(self, cells: int) -> Cell:
        return Cell(self.row, self.number + cells, self.way)


Row = dict[int, list[AddTo]]  # additions to neighbouring cells, by offset along the row


def needed(stmts: Iterable[Stmt], effects: Iterable[Stmt], results: Iterable[Atom] = ()) -> list[Stmt]:
    """A backward slice: the effects and the statements that they and the results depend on, in order."""
    stmts, effects = list(stmts), list(effects)
    made = {v.name: t for t in stmts for v in outputs(t)}
    wanted = {id(t) for t in effects}
    todo = [*results, *(a for t in effects for a in mentioned(t).values())]
    seen: set[str] = set()
    while todo:
        a = todo.pop()
        if isinstance(a, Var) and a.name in made and a.name not in seen:
            seen.add(a.name)
            wanted.add(id(made[a.name]))
            todo += mentioned(made[a.name]).values()
    return [t for t in stmts if id(t) in wanted]


def depending(stmts: Iterable[Stmt], names: Iterable[str]) -> set[str]:
    """A forward slice: the names, and those of the values that statements compute from them."""
    found = set(names)
    for t in stmts:
        if any(isinstance(a, Var) and a.name in found for a in operands(t)):
            found.update(v.name for v in outputs(t))
    return found


class Statements:
    """The definitions, loads and writes of statements, by name, with their positions."""

    def __init__(self, stmts: Sequence[Stmt]) -> None:
        self.stmts = stmts
        self.definition = {v.name: k for k, t in enumerate(stmts) for v in outputs(t)}
        self.loaded = {t.array.name for t in stmts if isinstance(t, Load)}
        self.written: dict[str, list[tuple[int, Store | AddTo]]] = {}
        for k, t in enumerate(stmts):
            if isinstance(t, Store | AddTo):
                self.written.setdefault(t.array.name, []).append((k, t))


class Body(Statements):
    """The body of an innermost loop. ``mirrored``: ints that decrease as the index increases address cells, too.
    ``ranges``: facts about ints at its start."""

    def __init__(self, s: Loop, mirrored: bool = False, ranges: Ranges | None = None) -> None:
        super().__init__(s.body.stmts)
        self.loop, self.mirrored, self.nest = s, mirrored, Nest(s, ranges=ranges)
        self.carried = {c.name for c in s.carried}

    @cached_property
    def invariant(self) -> set[str]:
        """The loop-invariant values, which LLVM hoists."""
        moving = set(self.nest.changed)
        for t in self.stmts:
            if isinstance(t, Let) or isinstance(t, Load) and t.array.name not in self.written:
                if not any(isinstance(a, Var) and a.name in moving for a in operands(t)):
                    moving -= {v.name for v in outputs(t)}
        return self.nest.changed - moving

    def moves(self, a: Atom) -> bool:
        """Whether a value is computed in the loop or carried."""
        return isinstance(a, Var) and a.name in self.nest.changed

    def along(self, a: Atom) -> tuple[Affine, int] | None:
        """An int as ``rest + way * index``, with ``way`` 1 (or -1, if ``mirrored``) and invariant ``rest``; or None."""
        f, index = self.nest.form(a), self.loop.index.name
        way = dict(f.terms).get(index, 0)
        rest = f - unknown(index) * way
        steady = not any(name in self.nest.changed for name in rest.atoms)
        return (rest, way) if steady and (way == 1 or way == -1 and self.mirrored) else None

    def offset(self, a: Atom) -> int | None:
        """The constant offset of an int from the loop index, or None."""
        found = self.along(a)
        return found[0].value if found is not None and found[1] == 1 else None

    def cell(self, index: tuple[Atom, ...], axis: int = -1) -> Cell | None:
        """The cell of an access, if it has the required form along the given axis instead of the last one."""
        if not index or (moving := self.along(index[axis])) is None:
            return None
        others = tuple(self.nest.form(a) for k, a in enumerate(index) if k != axis % len(index))
        if any(name in self.nest.changed for f in others for name in f.atoms):
            return None
        rest, way = moving
        return Cell((others, rest - rest.const, way, axis % len(index)), rest.const, way)

    def column(self, index: tuple[Atom, ...]) -> Cell | None:
        """The cell of an access that moves along any one axis of an array."""
        return next((c for k in range(len(index)) if (c := self.cell(index, -1 - k)) is not None), None)

    def additions(self, name: str, columns: bool = False, beside: bool = False) -> list[Row]:
        """The additions of the loop to an array, by rows (or also ``columns``) of neighbouring cells. Empty if it
        accesses the array in any other way; ``beside``: unless it does so in other rows."""
        step = self.loop.step.value if isinstance(self.loop.step, Const) else 0
        rows: dict[tuple[object, ...], Row] = {}
        others: set[tuple[object, ...]] = set()
        for t in self.stmts:
            if not isinstance(t, Load | Store | AddTo) or t.array.name != name:
                continue
            cell = self.column(t.index) if columns else self.cell(t.index)
            if cell is None or not is_float(t.array.type):
                return []
            if isinstance(t, AddTo):
                rows.setdefault(cell.row, {}).setdefault(cell.number, []).append(t)
            else:
                others.add(cell.row)
        rows = {row: found for row, found in rows.items() if row not in others}
        if others and not (beside and all(_apart(a, b) for a in rows for b in others)):
            return []
        near = [abs(step) == 1 and max(row) - min(row) <= FEW for row in rows.values()]
        return [
            part
            for row, whole in zip(rows.values(), near, strict=True)
            for part in ([row] if whole else [{k: row[k]} for k in row])
        ]

    def needed(self, effects: Iterable[Stmt], results: Iterable[Atom] = ()) -> list[Stmt]:
        """The effects and the statements they depend on, in order."""
        return needed(self.stmts, effects, results)


def _apart(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    """Whether two rows along the same axis have no cell in common: they differ in an invariant subscript."""
    (first, *_, axis), (second, *_, other) = a, b
    return axis == other and any((x - y).value for x, y in zip(first, second, strict=True))  # type: ignore[operator]
