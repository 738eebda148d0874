"""Scalar replacement: turn small arrays that are only accessed at constant indices into scalars, across control flow.

**Transformation.** Scalar replacement of aggregates (Muchnick, Advanced Compiler Design and Implementation, 1997,
section 12.2).

**Before.** ``v = alloc [2]; for t in range(n) carry (a = v) { w = alloc [2]; &w[0] = f(load &a [1]); ...; yield w }``
**After.** ``for t in range(n) carry (a.0 = 0, a.1 = 0) { w.0 = f(a.1); ...; yield w.0, w.1 }``

**Legality.** Every access has constant indices that are in bounds. The array is neither passed on nor a result, except
of branches and loops all of whose ends are such arrays of the same shape. Loops that a reverse sweep runs from
snapshots and those of threads carry no further values.

**Profitability.** Always: iterations neither allocate nor store, loops over small vectors become straight-line code,
and the state of an integrator stays in registers. Arrays of more than `MOST` cells are not carried.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Const, Copy, Fill, Function, If, Let, Load, Loop, Names, Stmt, Store, Var,
    all_names, base_name, operands, walk, written,
)
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import Array, Scalar, is_float

Index = tuple[int, ...]
MOST = 32  # maximum number of cells of an array that a loop carries


def replace_small_arrays(f: Function) -> Function:
    """Replace arrays that are only accessed at constant indices by scalars."""
    if not any(isinstance(s, Alloc) and _shape(s) is not None for s in walk(f.body)):
        return f
    small = _Candidates(f).small()
    return replace(f, body=_Replacer(small, Names(all_names(f))).block(f.body, {})) if small else f


def _shape(s: Alloc) -> Index | None:
    if s.log != "no" or not all(isinstance(a, Const) for a in s.shape):
        return None
    return tuple(int(a.value) for a in s.shape if isinstance(a, Const))


def _arrays(atoms: Iterable[Atom]) -> Iterator[str]:
    return (a.name for a in atoms if isinstance(a, Var) and isinstance(a.type, Array))


def _changed(blocks: Iterable[Block], held: Container[str]) -> list[Var]:
    """The arrays among ``held`` that blocks update in place."""
    found = (a for b in blocks for s in walk(b) if (a := written(s)) is not None and a.name in held)
    return list({a.name: a for a in found}.values())


@dataclass
class _Candidates:
    """Finds the arrays that can be replaced.

    ``home``: the innermost loop around the definition of an array, and the innermost one that cannot carry its cells.
    ``joins``: arrays that branches and loops make one, all of which are replaced or none.
    """

    function: Function
    shapes: dict[str, Index] = field(default_factory=dict)
    home: dict[str, tuple[int, int]] = field(default_factory=dict)
    joins: list[tuple[str, ...]] = field(default_factory=list)
    bad: set[str] = field(default_factory=set)

    def small(self) -> dict[str, Index]:
        self.block(self.function.body, (0, 0))
        self.bad |= set(_arrays(self.function.body.results))
        before = -1
        while before != len(self.bad):
            before = len(self.bad)
            for together in self.joins:
                shapes = {self.shapes.get(name) for name in together}
                if not self.bad.isdisjoint(together) or None in shapes or len(shapes) > 1:
                    self.bad.update(together)
        return {name: shape for name, shape in self.shapes.items() if name not in self.bad}

    def block(self, b: Block, loop: tuple[int, int]) -> None:
        for s in b.stmts:
            self.write(s, loop)
            match s:
                case Alloc(out=v) if (shape := _shape(s)) is not None:
                    self.shapes[v.name], self.home[v.name] = shape, loop
                case Load(array=a, index=index):
                    self.access(a, index)
                case Store(array=a, index=index, value=value) | AddTo(array=a, index=index, value=value):
                    self.access(a, index)
                    if value.type.dtype != a.type.dtype:
                        self.bad.add(a.name)
                case Fill(array=a, value=value):
                    if value.type.dtype != a.type.dtype:
                        self.bad.add(a.name)
                case Copy(out=v, array=a):
                    self.join(v, [a], loop)
                case AddArray(array=a, other=other):
                    self.joins.append((a.name, other.name))
                case If(then=then, orelse=orelse, outs=outs):
                    self.block(then, loop)
                    self.block(orelse, loop)
                    for v, *ends in zip(outs, then.results, orelse.results, strict=True):
                        self.join(v, ends, loop)
                case Loop(body=body):
                    fixed = s.mark is not None or s.kind != "sequential"
                    if fixed:
                        self.bad |= set(_arrays((*s.inits, *body.results)))
                    inside = (id(s), id(s) if fixed else loop[1])
                    for c, init in zip(s.carried, s.inits, strict=True):
                        self.join(c, [init], inside, MOST)
                    self.block(body, inside)
                    for v, c, end in zip(s.outs, s.carried, s.nexts, strict=True):
                        self.join(v, [c, end], loop, MOST)
                case _:
                    self.bad |= set(_arrays(operands(s)))

    def write(self, s: Stmt, loop: tuple[int, int]) -> None:
        """An array that another iteration has written has cells that a loop carries."""
        a = written(s)
        if a is None or (home := self.home.get(a.name)) is None:
            return
        if home[1] != loop[1] or home[0] != loop[0] and prod(self.shapes[a.name]) > MOST:
            self.bad.add(a.name)

    def access(self, a: Var, index: tuple[Atom, ...]) -> None:
        shape = self.shapes.get(a.name)
        if shape is None or not all(
            isinstance(i, Const) and 0 <= i.value < n for i, n in zip(index, shape, strict=True)
        ):
            self.bad.add(a.name)

    def join(self, v: Var, ends: list[Atom], loop: tuple[int, int], most: float = float("inf")) -> None:
        """Record that an array is one of others, depending on where control comes from."""
        names = list(_arrays(ends))
        if names:
            shape = self.shapes.get(names[0])
            if shape is not None:
                self.shapes[v.name], self.home[v.name] = shape, loop
                if prod(shape) > most:
                    self.bad.add(v.name)
            self.joins.append((v.name, *names))


Cells = dict[Index, Atom]


def _place(index: tuple[Atom, ...]) -> Index:
    return tuple(int(i.value) for i in index if isinstance(i, Const))


@dataclass
class _Replacer:
    """Replaces arrays by scalars. ``small``: their shapes; contents of arrays at the current statement are in ``held``
    of each method, and are not changed in place."""

    small: dict[str, Index]
    names: Names
    same: dict[str, Atom] = field(default_factory=dict)

    def use(self, a: Atom) -> Atom:
        return self.same.get(a.name, a) if isinstance(a, Var) else a

    def cell(self, a: Var) -> Var:
        """A fresh variable for a cell of an array."""
        return Var(self.names.fresh(base_name(a.name)), Scalar(a.type.dtype), a.adjoint)

    def block(self, b: Block, held: dict[str, Cells]) -> Block:
        """Rewrite a block, updating ``held``."""
        out: list[Stmt] = []
        for s in b.stmts:
            self.statement(s, held, out)
        return Block(tuple(out), tuple(map(self.use, b.results)))

    def statement(self, s: Stmt, held: dict[str, Cells], out: list[Stmt]) -> None:
        match s:
            case Alloc(out=v, fill=fill) if v.name in self.small:
                cell = Scalar(v.type.dtype)
                places = product(*map(range, self.small[v.name]))
                held[v.name] = dict.fromkeys(places, fill or Const(0.0 if is_float(cell) else 0, cell))
            case Copy(out=v, array=a) if a.name in self.small:
                held[v.name] = held[a.name]
            case Load(out=v, array=a, index=index) if a.name in self.small:
                self.same[v.name] = held[a.name][_place(index)]
            case Store(array=a, index=index, value=value) if a.name in self.small:
                held[a.name] = {**held[a.name], _place(index): self.use(value)}
            case Fill(array=a, value=value) if a.name in self.small:
                held[a.name] = dict.fromkeys(held[a.name], self.use(value))
            case AddTo(array=a, index=index, value=value) if a.name in self.small:
                held[a.name] = {**held[a.name], **self.added(a, {_place(index): self.use(value)}, s, held, out)}
            case AddArray(array=a, other=other) if a.name in self.small:
                held[a.name] = self.added(a, held[other.name], s, held, out)
            case If():
                out.append(self.branch(s, held))
            case Loop():
                out.append(self.loop(s, held))
            case _:
                out.append(rebuild(s, self.use))

    def added(self, a: Var, values: Cells, s: Stmt, held: dict[str, Cells], out: list[Stmt]) -> Cells:
        """The sums of cells and values."""
        sums = {at: self.cell(a) for at in values}
        out += (Let(v, "add", (held[a.name][at], values[at]), s.span) for at, v in sums.items())
        return sums

    def branch(self, s: If, held: dict[str, Cells]) -> If:
        """The branch with the changed cells as additional results, and the cells of its array results in place of the
        arrays."""
        ways = [dict(held), dict(held)]
        arms = [self.block(arm, way) for arm, way in zip((s.then, s.orelse), ways)]
        outs = [v for v in s.outs if v.name not in self.small]
        ends = [[a for a in arm.results if not isinstance(a, Var) or a.name not in self.small] for arm in arms]
        moved = [(v, *names) for v, *names in zip(s.outs, *(arm.results for arm in arms)) if v.name in self.small]
        for of, first, second in (*moved, *((a, a, a) for a in _changed((s.then, s.orelse), held))):
            cells = dict(ways[0][first.name])
            for at, one in cells.items():
                if one != (other := ways[1][second.name][at]):
                    cells[at] = self.cell(of)
                    outs.append(cells[at])
                    ends[0].append(one)
                    ends[1].append(other)
            held[of.name] = cells
        done = [replace(arm, results=tuple(end)) for arm, end in zip(arms, ends)]
        return If(self.use(s.cond), done[0], done[1], tuple(outs), s.span)

    def loop(self, s: Loop, held: dict[str, Cells]) -> Loop:
        """The loop with the cells of its arrays, and those of others that it changes, as carried values."""
        arrays = [x for x in zip(s.carried, s.inits, s.nexts, s.outs) if x[0].name in self.small]
        arrays += ((a, a, a, a) for a in _changed((s.body,), held))
        kept = [k for k, c in enumerate(s.carried) if c.name not in self.small]
        s = rebuild(s, self.use)
        carried, inits, nexts, outs = ([xs[k] for k in kept] for xs in (s.carried, s.inits, s.nexts, s.outs))
        inside, after = dict(held), {}
        for c, init, _, out in arrays:
            inside[c.name], after[out.name] = ({at: self.cell(c) for at in held[init.name]} for _ in range(2))
            carried += inside[c.name].values()
            inits += held[init.name].values()
            outs += after[out.name].values()
        body = self.block(s.body, inside)
        held |= after
        nexts = [*map(self.use, nexts), *(v for _, _, end, _ in arrays for v in inside[end.name].values())]
        tests = body.results[:1] if s.exits else ()
        body = replace(body, results=(*tests, *nexts))
        return replace(s, carried=tuple(carried), inits=tuple(inits), outs=tuple(outs), body=body)
