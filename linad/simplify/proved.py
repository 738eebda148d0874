"""Index checks that cannot fail are dropped: the index is that of a loop which ends at the size of the axis."""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import AddTo, Alloc, Atom, Block, Const, Copy, Dim, Function, If, Load, Loop, Stmt, Store, Var, walk


def drop_proved_checks(f: Function) -> Function:
    """The function without the checks of accesses that are surely in range."""
    return replace(f, body=_Prover(f).block(f.body, {}))


class _Prover:
    def __init__(self, f: Function) -> None:
        self.made: dict[str, tuple[Atom, ...]] = {}
        self.sizes: dict[str, set[tuple[str, int]]] = {}
        self.like: dict[str, str] = {}  # copies, to the array they have the shape of
        for s in walk(f.body):
            match s:
                case Alloc(out=v, shape=shape, log="no"):
                    self.made[v.name] = shape
                case Copy(out=v, array=a):
                    self.like[v.name] = self.like.get(a.name, a.name)
                case Dim(out=v, array=a, axis=axis):
                    self.sizes.setdefault(v.name, set()).add((self.like.get(a.name, a.name), axis))

    def block(self, block: Block, ends: dict[str, Atom]) -> Block:
        return replace(block, stmts=tuple(self.statement(s, ends) for s in block.stmts))

    def statement(self, s: Stmt, ends: dict[str, Atom]) -> Stmt:
        match s:
            case Load(array=a, index=index, checked=True) | Store(array=a, index=index, checked=True) | AddTo(
                array=a, index=index, checked=True
            ) if all(self.within(i, a, k, ends) for k, i in enumerate(index)):
                return replace(s, checked=False)
            case If():
                return replace(s, then=self.block(s.then, ends), orelse=self.block(s.orelse, ends))
            case Loop():
                upwards = isinstance(s.start, Const) and s.start.value >= 0 and isinstance(s.step, Const) and s.step.value > 0
                inner = {**ends, s.index.name: s.stop} if upwards and s.stop is not None else ends
                return replace(s, body=self.block(s.body, inner))
        return s

    def within(self, i: Atom, a: Var, axis: int, ends: dict[str, Atom]) -> bool:
        """Whether an index is surely in range."""
        end = ends.get(i.name) if isinstance(i, Var) else None
        if end is None:
            return False
        name = self.like.get(a.name, a.name)
        made = self.made.get(name)
        return (made is not None and made[axis] == end) or (isinstance(end, Var) and (name, axis) in self.sizes.get(end.name, ()))
