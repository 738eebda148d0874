"""The sizes of arrays that are known from where the arrays come from: made with them, copied, or the same on every way."""

from __future__ import annotations

from .core import Alloc, Atom, Block, Check, Copy, Dim, Function, If, Let, Loop, Stmt, Var
from .types import I64, Array

Sizes = dict[str, tuple[Atom, ...]]


class Equal:
    """Ints that tests have found equal, of which one stands for all."""

    def __init__(self) -> None:
        self.same: dict[str, Atom] = {}
        self.tests: dict[str, tuple[Atom, Atom]] = {}  # bools, to the two ints whose equality they are

    def inside(self) -> Equal:
        """What is known at the beginning of a block: behind it the tests in it may not have been made."""
        inner = Equal()
        inner.same, inner.tests = dict(self.same), dict(self.tests)
        return inner

    def root(self, a: Atom) -> Atom:
        while isinstance(a, Var) and a.name in self.same:
            a = self.same[a.name]
        return a

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


def _block(block: Block, found: Sizes, given: dict[str, dict[int, Var]], equal: Equal) -> None:
    """``given``: by name of a parameter, the sizes that have a name where the block stands."""
    given = {name: dict(axes) for name, axes in given.items()}
    equal = equal.inside()
    for s in block.stmts:
        equal.seen(s)
        match s:
            case Dim(out=v, array=a, axis=axis) if a.name in given:
                given[a.name].setdefault(axis, v)
            case Copy(out=v, array=a) if len(axes := given.get(a.name, {})) == a.type.rank > 0:
                found[v.name] = tuple(equal.root(axes[k]) for k in range(a.type.rank))
            case Alloc(out=v, shape=shape, log="no"):
                found[v.name] = shape
            case Copy(out=v, array=a) if a.name in found:
                found[v.name] = found[a.name]
            case If(then=then, orelse=orelse, outs=outs):
                _block(then, found, given, equal)
                _block(orelse, found, given, equal)
                for k, v in enumerate(outs):
                    sizes = _sizes(then.results[k], found)
                    if sizes is not None and sizes == _sizes(orelse.results[k], found):
                        found[v.name] = sizes
            case Loop():
                _loop(s, found, given, equal)


def _sizes(a: Atom, found: Sizes) -> tuple[Atom, ...] | None:
    return found.get(a.name) if isinstance(a, Var) and isinstance(a.type, Array) else None


def _loop(s: Loop, found: Sizes, given: dict[str, dict[int, Var]], equal: Equal) -> None:
    """What a loop carries keeps its sizes if each iteration ends with an array that was made with them, or carried too.

    It is taken to keep them until an iteration is found to end with other ones.
    """
    nexts = s.body.results[1 if s.exits else 0 :]
    made: Sizes = {}
    like: dict[str, str] = {}
    asked: dict[Atom, tuple[str, int]] = {}
    for t in s.body.stmts:
        match t:
            case Alloc(out=v, shape=shape, log="no"):
                made[v.name] = shape
            case Copy(out=v, array=a):
                like[v.name] = like.get(a.name, a.name)
            case Dim(out=v, array=a, axis=axis):
                asked[v] = (a.name, axis)
    kept = {c.name: sizes for c, init in zip(s.carried, s.inits, strict=True) if (sizes := _sizes(init, found)) is not None}

    def after(n: Atom) -> tuple[Atom, ...] | None:
        """The sizes of an array at the end of an iteration, if the arrays in ``kept`` have theirs at its start."""
        name = like.get(n.name, n.name)
        for known in (kept, found):
            if name in known:
                return known[name]
        return tuple(map(size, made[name])) if name in made else None

    def size(a: Atom) -> Atom:
        name, axis = asked.get(a, ("", 0))
        return kept[name][axis] if name in kept else a

    while True:
        lost = [c.name for c, n in zip(s.carried, nexts, strict=True) if c.name in kept and after(n) != kept[c.name]]
        if not lost:
            break
        for name in lost:
            del kept[name]
    found |= kept
    for c, o in zip(s.carried, s.outs, strict=True):
        if c.name in kept:
            found[o.name] = kept[c.name]
    _block(s.body, found, given, equal)
