"""May-alias groups of arrays: branches and loops rename the arrays that they receive and return."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from linad_typecheck.ir.core import Atom, Call, Function, If, Loop, Var, walk
from linad_typecheck.types import Array


def alias_groups(f: Function) -> Callable[[str], str]:
    """A function from the name of an array to the representative of its may-alias group.

    The results of a call may alias its arguments.
    """
    parent: dict[str, str] = {}

    def find(name: str) -> str:
        while name in parent:
            name = parent[name]
        return name

    def join(atoms: Iterable[Atom]) -> None:
        for a, b in pairwise([find(a.name) for a in atoms if isinstance(a, Var) and isinstance(a.type, Array)]):
            if find(a) != find(b):
                parent[find(a)] = find(b)

    for s in walk(f.body):
        match s:
            case If(then=a, orelse=b, outs=outs):
                for column in zip(outs, a.results, b.results, strict=True):
                    join(column)
            case Loop(carried=carried, inits=inits, nexts=nexts, outs=outs):
                for column in zip(carried, inits, nexts, outs, strict=True):
                    join(column)
            case Call(outs=outs, args=args) if any(isinstance(o.type, Array) for o in outs):
                join((*outs, *args))
    return find
