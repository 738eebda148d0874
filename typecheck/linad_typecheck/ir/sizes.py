"""The sizes of arrays that are known from where the arrays come from: made with them, copied, or the same on every way.
"""

from __future__ import annotations

from collections.abc import Mapping

from .core import Alloc, Atom, Block, Check, Const, Copy, Dim, Function, If, Let, Loop, Stmt, Var, walk
from ..types import I64, Array

Sizes = dict[str, tuple[Atom, ...]]
Lengths = Mapping[str, Atom]

EDGE = 2  # cells that a loop may leave out at an end


class Equal:
    """Ints that tests have found equal, of which one stands for all."""

    def __init__(self) -> None:
        self.same: dict[str, Atom] = {}
        self.tests: dict[str, tuple[Atom, Atom]] = {}  # bools, to the two ints whose equality they are

    def inside(self) -> Equal:
        """What is known at the beginning of a block: after it the tests in it may not have been made."""
        inner = Equal()
        inner.same, inner.tests = dict(self.same), dict(self.tests)
        return inner

    def root(self, a: Atom) -> Atom:
        while isinstance(a, Var) and a.name in self.same:
            a = self.same[a.name]
        return a

    def alike(self, a: tuple[Atom, ...], b: tuple[Atom, ...] | None) -> bool:
        return b is not None and tuple(map(self.root, a)) == tuple(map(self.root, b))

    def join(self, a: Atom, b: Atom) -> None:
        """Two ints are equal: the second stands for both, or the one that is a number."""
        a, b = self.root(a), self.root(b)
        if not isinstance(a, Var):
            a, b = b, a
        if isinstance(a, Var) and a != b:
            self.same[a.name] = b

    def seen(self, s: Stmt) -> None:
        """Learn from a statement that has been run."""
        match s:
            case Let(out=v, op="eq", ins=(a, b)) if a.type == b.type == I64:
                self.tests[v.name] = (a, b)
            case Check(cond=Var(name=name)) if name in self.tests:
                self.join(*self.tests[name])


def known_sizes(f: Function) -> Sizes:
    """By name of an array, its sizes, as atoms that are in scope wherever the array is."""
    found: Sizes = {}
    _block(f.body, found, {p.var.name: {} for p in f.params if isinstance(p.var.type, Array)}, Equal())
    return found


def _block(block: Block, found: Sizes, given: dict[str, dict[int, Var]], equal: Equal) -> Equal:
    """What is known equal at the end of a block. ``given``: by name of a parameter, the sizes that have a name where it
    stands."""
    given = {name: dict(axes) for name, axes in given.items()}
    equal = equal.inside()
    for s in block.stmts:
        equal.seen(s)
        match s:
            case Dim(out=v, array=a, axis=axis) if a.name in given:
                equal.join(v, given[a.name].setdefault(axis, v))
            case Dim(out=v, array=a, axis=axis) if a.name in found:
                equal.join(v, found[a.name][axis])
            case Copy(out=v, array=a) if len(axes := given.get(a.name, {})) == a.type.rank > 0:
                found[v.name] = tuple(equal.root(axes[k]) for k in range(a.type.rank))
            case Alloc(out=v, shape=shape, log="no"):
                found[v.name] = shape
            case Copy(out=v, array=a) if a.name in found:
                found[v.name] = found[a.name]
            case If(outs=outs):
                arms = [(b.results, _block(b, found, given, equal)) for b in (s.then, s.orelse)]
                for v, results in zip(outs, zip(*(r for r, _ in arms), strict=True), strict=True):
                    sizes = [_sizes(a, found) for a in results]
                    # what one arm made with other names, but found to be the sizes of the other's, are those
                    one = next(
                        (
                            n
                            for n in sizes
                            if all(m is not None and e.alike(m, n) for m, (_, e) in zip(sizes, arms, strict=True))
                        ),
                        None,
                    )
                    if one is not None:
                        found[v.name] = one
            case Loop():
                _loop(s, found, given, equal)
    return equal


def _sizes(a: Atom, found: Sizes) -> tuple[Atom, ...] | None:
    return found.get(a.name) if isinstance(a, Var) and isinstance(a.type, Array) else None


def _loop(s: Loop, found: Sizes, given: dict[str, dict[int, Var]], equal: Equal) -> None:
    """What a loop carries keeps its sizes if each iteration ends with an array of them, which tests in it may have
    found.

    It is taken to keep them until an iteration is found to end with other ones.
    """
    nexts = s.body.results[1 if s.exits else 0 :]
    kept = {
        c.name: sizes for c, init in zip(s.carried, s.inits, strict=True) if (sizes := _sizes(init, found)) is not None
    }
    while True:
        inner = found | kept
        end = _block(s.body, inner, given, equal)
        after = ((c.name, _sizes(n, inner)) for c, n in zip(s.carried, nexts, strict=True) if c.name in kept)
        lost = [name for name, sizes in after if sizes is None or not end.alike(sizes, kept[name])]
        if not lost:
            break
        for name in lost:
            del kept[name]
    found |= inner
    for c, o in zip(s.carried, s.outs, strict=True):
        if c.name in kept:
            found[o.name] = kept[c.name]


def lengths(f: Function) -> Lengths:
    """By name of an int, one that stands for all that equal it, but for a cell or two at the edges."""
    sizes = known_sizes(f)
    equal = Equal()
    dims: dict[tuple[str, int], Var] = {}
    for s in walk(f.body):
        equal.seen(s)
        match s:
            case Dim(out=v, array=a, axis=axis):
                equal.join(v, sizes[a.name][axis] if a.name in sizes else dims.setdefault((a.name, axis), v))
            case (
                Let(out=v, op="add", ins=(Var() as a, Const() as b))
                | Let(out=v, op="add", ins=(Const() as b, Var() as a))
            ) if _little(v, b):
                equal.join(v, a)
            case Let(out=v, op="sub" | "max", ins=(Var() as a, Const() as b)) if _little(v, b):
                equal.join(v, a)
    return {name: equal.root(a) for name, a in equal.same.items()}


def _little(v: Var, by: Const) -> bool:
    return v.type == I64 and abs(by.value) <= EDGE
