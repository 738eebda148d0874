"""Arena allocation of scratch arrays: the total size is computed first, then each array becomes a part of a workspace.
"""

from __future__ import annotations

from collections.abc import Iterable

from linad_typecheck.ir.core import Alloc, Const, Copy, Names, Var
from linad_typecheck.types import BOOL, I64, Array

from .tree import (
    Apply, Assign, Branch, Carve, Cells, CopyAll, CopyOf, Demand, Expr, Hint, Leaf, New, Node, Num, PutAll, Size,
)

ZERO = Num(Const(0, I64))


def workspaces(taken: Iterable[Alloc | Copy], names: Names) -> dict[str, Var]:
    """One flat array per element type."""
    dtypes = sorted({s.out.type.dtype for s in taken})
    return {d: names.var("ws" if d == "f64" else f"ws_{d}", Array(d, 1)) for d in dtypes}


def carve(
    nodes: Iterable[Node], spaces: dict[str, Var], taken: set[str], growing: set[str], names: Names
) -> tuple[Node, ...]:
    """The nodes of a driver in which the ``taken`` arrays are carved out of workspaces instead of allocated. The
    ``growing`` ones start with the length that they reached before."""
    before: list[Node] = []
    after: list[Node] = []
    at = {d: names.var("at", I64) for d in spaces}
    need = {d: names.var("need", I64) for d in spaces}
    parts: dict[str, list[Expr]] = {d: [] for d in spaces}
    started = False
    for node in nodes:
        match node:
            case Assign(target=t, value=New() | CopyOf() as value):
                started = True
                if t.name not in taken:
                    after.append(node)
                    continue
                dtype = t.type.dtype
                if t.name in growing:
                    shape: tuple[Expr, ...] = (Hint(t),)
                else:
                    shape = tuple(_named(e, names, before) for e in _shape(t, value))
                parts[dtype].append(Cells(shape))
                after.append(Carve(t, spaces[dtype], at[dtype], shape))
                match value:
                    case New(fill=fill) if fill is not None:
                        after.append(PutAll(t, Num(fill)))
                    case CopyOf(array=array):
                        after.append(CopyAll(t, array))
            case _:
                (after if started else before).append(node)
    short: Expr | None = None
    for d, space in spaces.items():
        total = Leaf(need[d])
        for k, cells in enumerate(parts[d]):
            before.append(Assign(need[d], cells if k == 0 else Apply("add", (total, cells), I64, I64)))
        less = Apply("lt", (Size(space, 0), total), BOOL, I64)
        short = less if short is None else Apply("or", (short, less), BOOL, BOOL)
    assert short is not None
    demand = Branch(short, (Demand(tuple(Leaf(need[d]) for d in spaces)),), ())
    return (*before, demand, *(Assign(a, ZERO) for a in at.values()), *after)


def _shape(t: Var, value: New | CopyOf) -> tuple[Expr, ...]:
    if isinstance(value, New):
        return value.shape
    return tuple(Size(value.array, axis) for axis in range(t.type.rank))


def _named(e: Expr, names: Names, out: list[Node]) -> Expr:
    """A size bound to a variable, since it is used twice."""
    if not isinstance(e, Apply):
        return e
    v = names.var("size", I64)
    out.append(Assign(v, e))
    return Leaf(v)
