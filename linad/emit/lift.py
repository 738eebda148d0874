"""Allocation in the driver: what the arguments determine is made before the kernel, which gets it as an argument."""

from __future__ import annotations

from dataclasses import dataclass, replace

from linad_typecheck.core import Alloc, Atom, Block, Dim, Function, Let, Param, Stmt, Var
from linad_typecheck.types import INTS


@dataclass(frozen=True, slots=True)
class Lifted:
    """A function split in two: what the driver runs, the arrays that gives, and the kernel that takes them."""

    kernel: Function
    stmts: tuple[Stmt, ...]
    arrays: tuple[Var, ...]


def lift(f: Function) -> Lifted:
    """Move the allocations at the top of a function whose shapes follow from the shapes of its parameters.

    Sizes that an int parameter decides stay behind: a negative one is an error that has its place.
    """
    params = {p.var.name for p in f.params}
    known: dict[str, Stmt] = {}  # sizes by name, with the statement that computes each
    moved: list[Stmt] = []
    arrays: list[Var] = []
    sizes: set[str] = set()
    kept: list[Stmt] = []

    def available(a: Atom) -> bool:
        return not isinstance(a, Var) or a.name in known

    def need(a: Atom) -> None:
        if isinstance(a, Var) and a.name not in sizes:
            s = known[a.name]
            for i in s.ins if isinstance(s, Let) else ():
                need(i)
            sizes.add(a.name)
            moved.append(s)

    for s in f.body.stmts:
        match s:
            case Dim(out, array) if array.name in params:
                known[out.name] = s
            case Let(out, "add" | "mul" | "max" | "min" | "maximum" | "minimum", ins) if (
                out.type.dtype in INTS and all(map(available, ins))
            ):
                known[out.name] = s
            case Alloc(out, shape) if all(map(available, shape)) and not _negative(shape, known):
                for a in shape:
                    need(a)
                moved.append(s)
                arrays.append(out)
                continue
        kept.append(s)
    inner = tuple(Param(v, "mut") for v in arrays)
    kernel = replace(f, params=(*f.params, *inner), body=Block(tuple(kept), f.body.results))
    return Lifted(kernel, tuple(moved), tuple(arrays))


def _negative(shape: tuple[Atom, ...], known: dict[str, Stmt]) -> bool:
    """Whether a size may be negative: sums and products of sizes and of literals that are not, are not."""

    def may_be(a: Atom) -> bool:
        if not isinstance(a, Var):
            return a.value < 0
        s = known[a.name]
        return isinstance(s, Let) and any(map(may_be, s.ins))

    return any(map(may_be, shape))



