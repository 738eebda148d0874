"""Sizes of arrays, as far as they follow from how the arrays are made: by an allocation or a copy, or equal on every
path."""

from __future__ import annotations

from collections.abc import Mapping

from .core import Alloc, Atom, Block, Check, Const, Copy, Dim, Function, If, Let, Loop, Stmt, Var, walk
from ..types import I64, Array

Sizes = dict[str, tuple[Atom, ...]]
Lengths = Mapping[str, Atom]

EDGE = 2  # cells by which two lengths may differ, because a loop omits them at an end


class Equal:
    """Equivalence classes of ints that checks have found equal, with a representative each."""

    def __init__(self) -> None:
        self.same: dict[str, Atom] = {}
        self.tests: dict[str, tuple[Atom, Atom]] = {}  # bools -> the two ints that they compare for equality

    def inside(self) -> Equal:
        """A copy for a nested block, whose checks may not have been made after it."""
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
        """Record that two ints are equal. A literal becomes the representative, otherwise the second one."""
        a, b = self.root(a), self.root(b)
        if not isinstance(a, Var):
            a, b = b, a
        if isinstance(a, Var) and a != b:
            self.same[a.name] = b

    def seen(self, s: Stmt) -> None:
        """Record what a statement that has been executed proves."""
        match s:
            case Let(out=v, op="eq", ins=(a, b)) if a.type == b.type == I64:
                self.tests[v.name] = (a, b)
            case Check(cond=Var(name=name)) if name in self.tests:
                self.join(*self.tests[name])


def known_sizes(f: Function) -> Sizes:
    """The sizes of arrays, by name, as atoms that are in scope wherever the array is."""
    found: Sizes = {}
    given: dict[str, dict[int, Var]] = {}
    for p in f.params:
        if isinstance(p.var.type, Array):  # an adjoint or a tangent has the sizes of its parameter
            given[p.var.name] = given.get(p.like, {})
    _block(f.body, found, given, Equal())
    return found


def _block(block: Block, found: Sizes, given: dict[str, dict[int, Var]], equal: Equal) -> Equal:
    """The equalities at the end of a block. ``given``: the sizes of parameters that have a variable there, by the
    name of the parameter. Parameters of the same sizes share them."""
    own = {id(axes): dict(axes) for axes in given.values()}
    given = {name: own[id(axes)] for name, axes in given.items()}
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
                    # an arm's sizes may have other names, but be known to equal those of the other arm
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
    """Carried arrays keep their sizes if each iteration ends with an array of equal sizes, which checks in the body may
    have established.

    This is assumed until an iteration contradicts it.
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
    """A representative for each int, of all ints that equal it up to one or two cells at the edges."""
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
