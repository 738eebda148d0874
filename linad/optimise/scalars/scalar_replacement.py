"""Scalar replacement: turn small arrays that are only accessed at constant indices into scalars, also across branches.

**Transformation.** Scalar replacement of aggregates (Muchnick, Advanced Compiler Design and Implementation, 1997,
section 12.2).

**Before.** ``v = alloc [2]; &v[0] = a; if c { &v[1] = b } else { &v[1] = e }; x = load &v [1]``
**After.** ``(x) = if c { yield b } else { yield e }``

**Legality.** Every access has constant indices that are in bounds. The array is allocated and written in the same
iteration of its innermost enclosing loop. It is neither passed on nor a result, except of a branch both of whose arms
allocate such an array; the array that the branch returns is then replaced as well.

**Profitability.** Always: iterations neither allocate nor store, and loops over small vectors become straight-line
code.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names, base_name,
    operands, walk,
)
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import Array, Scalar, is_float

Index = tuple[int, ...]


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


@dataclass
class _Candidates:
    """Finds the arrays that can be replaced.

    ``home``: the block that allocates an array, and its enclosing loop. ``fills``: the fill value as text, which
    distinguishes -0.0 from 0.0.
    """

    function: Function
    shapes: dict[str, Index] = field(default_factory=dict)
    fills: dict[str, str] = field(default_factory=dict)
    home: dict[str, tuple[int, int]] = field(default_factory=dict)
    # array results of branches, with the results of both arms
    joins: list[tuple[str, str, str]] = field(default_factory=list)
    bad: set[str] = field(default_factory=set)

    def small(self) -> set[str]:
        self.block(self.function.body, 0)
        self.bad |= set(_arrays(self.function.body.results))
        before = -1
        while before != len(self.bad):
            before = len(self.bad)
            for together in self.joins:
                if not self.bad.isdisjoint(together) or not self.shapes.keys() >= set(together):
                    self.bad.update(together)
        return self.shapes.keys() - self.bad

    def block(self, b: Block, loop: int) -> None:
        for s in b.stmts:
            match s:
                case Alloc(out=v) if (shape := _shape(s)) is not None:
                    self.shapes[v.name], self.home[v.name], self.fills[v.name] = shape, (id(b), loop), repr(s.fill)
                case Load(array=a, index=index):
                    self.access(a, index)
                case Store(array=a, index=index, value=value) | AddTo(array=a, index=index, value=value):
                    self.access(a, index)
                    if self.home.get(a.name, (0, -1))[1] != loop or value.type.dtype != a.type.dtype:
                        self.bad.add(a.name)
                case If(then=then, orelse=orelse, outs=outs):
                    self.block(then, loop)
                    self.block(orelse, loop)
                    for v, *ends in zip(outs, then.results, orelse.results, strict=True):
                        if isinstance(v.type, Array):
                            self.join(v, (then, orelse), ends, (id(b), loop))
                case Loop(body=body):
                    self.bad |= set(_arrays((*operands(s), *body.results)))
                    self.block(body, id(s))
                case _:
                    self.bad |= set(_arrays(operands(s)))

    def access(self, a: Var, index: tuple[Atom, ...]) -> None:
        shape = self.shapes.get(a.name)
        if shape is None or not all(
            isinstance(i, Const) and 0 <= i.value < n for i, n in zip(index, shape, strict=True)
        ):
            self.bad.add(a.name)

    def join(self, out: Var, arms: tuple[Block, Block], ends: list[Atom], home: tuple[int, int]) -> None:
        """Record the array result of a branch; it can be replaced if each arm allocates its array."""
        names = [a.name for a in ends if isinstance(a, Var)]
        made = all(n in self.shapes and self.home[n][0] == id(arm) for n, arm in zip(names, arms, strict=True))
        first, second = names
        if made and self.shapes[first] == self.shapes[second] and self.fills[first] == self.fills[second]:
            self.shapes[out.name], self.home[out.name], self.fills[out.name] = (
                self.shapes[first],
                home,
                self.fills[first],
            )
        self.joins.append((out.name, *names))


@dataclass(frozen=True)
class _Cells:
    """The contents of an array: the cells that have been stored to, and the fill value of the others."""

    blank: Const
    stored: dict[Index, Atom]

    def at(self, index: Index) -> Atom:
        return self.stored.get(index, self.blank)

    def but(self, index: Index, value: Atom) -> _Cells:
        return _Cells(self.blank, {**self.stored, index: value})


def _place(index: tuple[Atom, ...]) -> Index:
    return tuple(int(i.value) for i in index if isinstance(i, Const))


@dataclass
class _Replacer:
    """Replaces arrays by scalars. ``held``: the contents of arrays at the current statement."""

    small: set[str]
    names: Names
    same: dict[str, Atom] = field(default_factory=dict)

    def use(self, a: Atom) -> Atom:
        return self.same.get(a.name, a) if isinstance(a, Var) else a

    def block(self, b: Block, held: dict[str, _Cells]) -> Block:
        """Rewrite a block, updating ``held``."""
        out: list[Stmt] = []
        for s in b.stmts:
            self.statement(s, held, out)
        return Block(tuple(out), tuple(map(self.use, b.results)))

    def statement(self, s: Stmt, held: dict[str, _Cells], out: list[Stmt]) -> None:
        match s:
            case Alloc(out=v, fill=fill) if v.name in self.small:
                cell = Scalar(v.type.dtype)
                held[v.name] = _Cells(fill or Const(0.0 if is_float(cell) else 0, cell), {})
            case Load(out=v, array=a, index=index) if a.name in self.small:
                self.same[v.name] = held[a.name].at(_place(index))
            case Store(array=a, index=index, value=value) if a.name in self.small:
                held[a.name] = held[a.name].but(_place(index), self.use(value))
            case AddTo(array=a, index=index, value=value) if a.name in self.small:
                at = _place(index)
                total = self.names.var(base_name(a.name), Scalar(a.type.dtype))
                out.append(Let(total, "add", (held[a.name].at(at), self.use(value)), s.span))
                held[a.name] = held[a.name].but(at, total)
            case If():
                out.append(self.branch(s, held))
            case _:
                out.append(rebuild(s, self.use, block=lambda b: self.block(b, dict(held))))

    def branch(self, s: If, held: dict[str, _Cells]) -> If:
        """The branch with the changed cells as additional results, and the cells of its array results in place of the
        arrays."""
        ways = [dict(held), dict(held)]
        arms = [self.block(arm, way) for arm, way in zip((s.then, s.orelse), ways)]
        outs: list[Var] = []
        ends: list[list[Atom]] = [[], []]

        def joined(name: str, a: _Cells, b: _Cells) -> _Cells:
            cells = _Cells(a.blank, {})
            for at in dict.fromkeys((*a.stored, *b.stored)):
                first, second = a.at(at), b.at(at)
                if first == second and repr(first) == repr(second):
                    cells.stored[at] = first
                    continue
                v = self.names.var(base_name(name), first.type)
                outs.append(v)
                ends[0].append(first)
                ends[1].append(second)
                cells.stored[at] = v
            return cells

        for k, v in enumerate(s.outs):
            if v.name in self.small:
                first, second = (arm.results[k] for arm in arms)
                held[v.name] = joined(v.name, ways[0][first.name], ways[1][second.name])
            else:
                outs.append(v)
                for end, arm in zip(ends, arms):
                    end.append(arm.results[k])
        for name in [n for n in held if n in ways[0] and n in ways[1]]:
            if ways[0][name] is not ways[1][name]:
                held[name] = joined(name, ways[0][name], ways[1][name])
            else:
                held[name] = ways[0][name]
        done = [replace(arm, results=tuple(end)) for arm, end in zip(arms, ends)]
        return If(self.use(s.cond), done[0], done[1], tuple(outs), s.span)
