"""Loop distribution: innermost loops that add to several rows of one array are divided, so that each can be vectorised.

**Transformation.** Loop distribution (fission) with recomputation of what is added (Allen and Kennedy, Optimizing
Compilers for Modern Architectures, 2001, chapters 2 and 6). Loops whose iterations have no order are made to run
upwards as well.

**Before.** ``for j in range(n) { &b[i+1, j] += e; &b[i-1, j] += e }``
**After.** ``for j in range(n) { &b[i+1, j] += e }; for j in range(n) { &b[i-1, j] += e }``

**Legality.** ``b[f(j)] += e`` goes into a loop before the rest if the rest neither reads ``b`` nor stores to it,
and all cells that ``e`` is computed from have the same contents there: the loop does not write to their arrays, or
each iteration writes, after reading, to the cells that it alone reads.

**Profitability.** What is added costs at most `MOST` operations, as each loop computes it again; not where a loop
is known to have `FEW` iterations. Neighbours a few cells apart stay in one loop, for `register_rotation.py`.

**Needs.** Sums may be taken in another order (fastmath); arrays of different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo,
    Atom,
    Block,
    Check,
    Const,
    Function,
    If,
    Let,
    Load,
    Loop,
    Names,
    Stmt,
    Store,
    Var,
    all_names,
    operands,
    outputs,
    walk,
)
from linad_typecheck.ir.rewrite import at_loops, freshen
from linad_typecheck.ops import OPS
from linad_typecheck.types import I64, is_float

from linad.analysis.parallelism import verdict

from ..ints import Maker, upwards

MOST = 10  # operations and loads that are worth repeating for one addition
FEW = 8  # iterations, known to be no more, that are not worth a loop of their own

# how far an int is from the loop's index, or from its negative: a number, and sizes added and subtracted
Far = tuple[int, tuple[str, ...]]
MIRRORED = "~"  # among the sizes of what goes down as the index goes up
Cell = tuple[object, ...]  # the indices of an access, the last as its distance from the loop's index
Row = dict[int, list[AddTo]]  # additions to neighbouring cells, by their distance from the loop's index


def distribute(f: Function) -> Function:
    """The function with its innermost loops divided where additions to one array stand in each other's way."""
    names = Names(all_names(f))
    sizes = {s.out.name: s for s in walk(f.body) if isinstance(s, Let) and s.out.type == I64}

    def parts(s: Loop) -> list[Stmt]:
        if any(isinstance(t, Loop | If) for t in s.body.stmts):
            return [s]
        return [t for part in _divided(s, names, sizes) for t in _upwards(part, names, sizes)]

    return at_loops(f, parts)


def _divided(s: Loop, names: Names, sizes: Mapping[str, Let]) -> list[Stmt]:
    """The parts of a loop, in order; the loop itself where it stays whole."""
    if s.exits or s.stop is None or s.mark is not None or is_short(s, sizes):
        return [s]
    if not all(isinstance(t, Let | Load | Store | AddTo) for t in s.body.stmts):
        return [s]
    body = Body(s)
    rounds = body.moved()
    if not rounds:
        return [s]
    gone = {id(t) for r in rounds for t in r}
    parts: list[Stmt] = [_part(s, body.needed(r), names) for r in rounds]
    effects = [t for t in s.body.stmts if isinstance(t, Store | AddTo) and id(t) not in gone]
    if not effects and not s.carried:
        return parts
    return [*parts, replace(s, body=replace(s.body, stmts=tuple(body.needed(effects, s.body.results))))]


def _upwards(s: Stmt, names: Names, sizes: Mapping[str, Let]) -> list[Stmt]:
    """A loop whose iterations have no order, from its lower end."""
    if not isinstance(s, Loop) or s.step != Const(-1, I64) or s.mark is not None:
        return [s]
    if any(isinstance(t, Check | Loop | If) for t in s.body.stmts):
        return [s]
    found = verdict(s, True)
    if found.reason or "last" in found.sums:
        return [s]
    maker = Maker(names, sizes)
    turned = upwards(s, maker)
    return [*maker.out, turned]


def is_short(s: Loop, sizes: Mapping[str, Let] | None = None) -> bool:
    """Whether a loop surely has few iterations; ``sizes`` are ints by name."""
    if s.stop is None or not isinstance(s.step, Const):
        return False
    up = s.step.value > 0
    first, last = (
        list(_ends(s.start, "max" if up else "min", sizes or {})),
        list(_ends(s.stop, "min" if up else "max", sizes or {})),
    )
    return any(a == b and (d - c if up else c - d) <= FEW for a, c in first for b, d in last)


def _ends(a: Atom, op: str, sizes: Mapping[str, Let], more: int = 0, deep: int = 4) -> Iterator[tuple[str, int]]:
    """Numbers that a bound is not beyond: a size by name, or none, and what is added to it."""
    if isinstance(a, Const):
        yield "", int(a.value) + more
        return
    yield a.name, more
    match sizes.get(a.name) if deep else None:
        case Let(op=o, ins=ins) if o == op:
            for x in ins:
                yield from _ends(x, op, sizes, more, deep - 1)
        case Let(op="add", ins=(x, Const(value=c))) | Let(op="add", ins=(Const(value=c), x)):
            yield from _ends(x, op, sizes, more + int(c), deep - 1)
        case Let(op="sub", ins=(x, Const(value=c))):
            yield from _ends(x, op, sizes, more - int(c), deep - 1)


def is_cheap(t: Let) -> bool:
    """Whether an operation may be done once more."""
    return not OPS[t.op].dear and t.op not in ("sqrt", "div")


def _part(s: Loop, stmts: list[Stmt], names: Names) -> Loop:
    """A loop over the same indices that only does some of the statements."""
    index = names.var(s.index.name)
    body = freshen(Block(tuple(stmts)), names, {s.index.name: index})
    return replace(s, index=index, carried=(), inits=(), body=body, outs=(), trips=None)


def _further(far: Far, y: Atom, sign: int) -> Far:
    if isinstance(y, Const):
        return far[0] + sign * y.value, far[1]
    return far[0], tuple(sorted((*far[1], f"{'+' if sign > 0 else '-'}{y}")))


def needed(
    stmts: Iterable[Stmt], effects: Iterable[Stmt], results: Iterable[Atom] = (), known: Iterable[str] = ()
) -> list[Stmt]:
    """Those of the statements that are effects, or that these or results are computed from, in order; not what is
    ``known`` otherwise."""
    stmts, effects = list(stmts), list(effects)
    made = {v.name: t for t in stmts for v in outputs(t)}
    wanted = {id(t) for t in effects}
    todo = [*results, *(a for t in effects for a in operands(t))]
    seen = set(known)
    while todo:
        a = todo.pop()
        if isinstance(a, Var) and a.name in made and a.name not in seen:
            seen.add(a.name)
            wanted.add(id(made[a.name]))
            todo += operands(made[a.name])
    return [t for t in stmts if id(t) in wanted]


class Body:
    """What the statements of an innermost loop read, write, and need.

    With ``mirrored``, ints that go down as the loop's index goes up have a distance, too: from its negative.
    """

    def __init__(self, s: Loop, mirrored: bool = False) -> None:
        self.loop = s
        self.mirrored = mirrored
        self.stmts = s.body.stmts
        self.made = {v.name for t in self.stmts for v in outputs(t)} | {s.index.name}
        self.carried = {c.name for c in s.carried}
        self.far = self._distances()
        self.definition = {v.name: k for k, t in enumerate(self.stmts) for v in outputs(t)}
        self.loaded = {t.array.name for t in self.stmts if isinstance(t, Load)}
        self.written: dict[str, list[tuple[int, Store | AddTo]]] = {}
        for k, t in enumerate(self.stmts):
            if isinstance(t, Store | AddTo):
                self.written.setdefault(t.array.name, []).append((k, t))

    def _distances(self) -> dict[str, Far]:
        """The ints that go with the loop's index, one for one."""
        far: dict[str, Far] = {self.loop.index.name: (0, ())}
        for t in self.stmts:
            match t:
                case Let(out=out, op="add", ins=(Var(name=x), y)) if x in far and not self.moves(y):
                    far[out.name] = _further(far[x], y, 1)
                case Let(out=out, op="add", ins=(y, Var(name=x))) if x in far and not self.moves(y):
                    far[out.name] = _further(far[x], y, 1)
                case Let(out=out, op="sub", ins=(Var(name=x), y)) if x in far and not self.moves(y):
                    far[out.name] = _further(far[x], y, -1)
                case Let(out=out, op="sub", ins=(y, Var(name=x))) if self.mirrored and not self.moves(y):
                    if x in far and not far[x][1]:
                        far[out.name] = _further((-far[x][0], (MIRRORED,)), y, 1)
                case Let(out=out, op="cast", ins=(Var(name=x),)) if x in far and out.type == self.loop.index.type:
                    far[out.name] = far[x]
        return far

    def additions(self, name: str) -> list[Row]:
        """What the loop adds to an array, by rows of neighbouring cells; nothing where it does anything else with the
        array."""
        step = self.loop.step.value if isinstance(self.loop.step, Const) else 0
        rows: dict[Cell, Row] = {}
        for _, t in self.written[name]:
            cell = self.cell(t.index)
            if not isinstance(t, AddTo) or not is_float(t.array.type) or cell is None:
                return []
            *others, (number, sizes) = cell
            rows.setdefault((*others, sizes), {}).setdefault(number, []).append(t)
        if name in self.loaded:
            return []
        near = [abs(step) == 1 and max(row) - min(row) <= FEW for row in rows.values()]
        return [
            part
            for row, whole in zip(rows.values(), near, strict=True)
            for part in ([row] if whole else [{k: row[k]} for k in row])
        ]

    def moved(self) -> list[list[AddTo]]:
        """The additions that get loops of their own: of each array those to one row to a loop. Of these one stays
        behind."""
        found: list[list[AddTo]] = []
        for name in self.written:
            groups = [[t for ts in row.values() for t in ts] for row in self.additions(name)]
            movable = [g for g in sorted(groups, key=lambda g: len(self.needed(g))) if self.movable(g)]
            if len(movable) < len(groups) - 1:
                continue
            for k, group in enumerate(movable[: len(groups) - 1]):
                if k == len(found):
                    found.append([])
                found[k] += group
        return found

    def cell(self, index: tuple[Atom, ...]) -> Cell | None:
        """The cells of an access where the last index runs through neighbours and the others stand still."""
        if not index:
            return None
        *others, last = index
        far = self.far.get(last.name) if isinstance(last, Var) else None
        return None if far is None or any(map(self.moves, others)) else (*map(str, others), far)

    def way(self, index: tuple[Atom, ...]) -> int:
        """By how much the cells of an access go on when the loop's index goes up by one."""
        *_, (_, sizes) = self.cell(index) or ((0, ()),)
        return -1 if MIRRORED in sizes else 1

    def moves(self, a: Atom) -> bool:
        return isinstance(a, Var) and (a.name in self.made or a.name in self.carried)

    def movable(self, group: list[AddTo]) -> bool:
        """Whether statements can run before all others, and are cheap enough to be computed twice."""
        needed = self.needed(group)
        return len(needed) - len(group) <= MOST * len(group) and all(map(self._repeatable, needed))

    def _repeatable(self, t: Stmt) -> bool:
        if any(isinstance(a, Var) and a.name in self.carried for a in operands(t)):
            return False
        match t:
            case Let():
                return is_cheap(t)
            case Load(array=a, index=index):
                cell = self.cell(index)
                if cell is None and any(map(self.moves, index)):
                    return False
                at = self.definition[t.out.name]
                return all(
                    k > at and cell is not None and self.cell(w.index) == cell for k, w in self.written.get(a.name, ())
                )
        return True

    def needed(self, effects: Iterable[Stmt], results: Iterable[Atom] = ()) -> list[Stmt]:
        """Effects with what they are computed from, in order."""
        return needed(self.stmts, effects, results)
