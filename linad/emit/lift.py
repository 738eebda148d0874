"""Allocation in the driver: what the arguments determine is made before the kernel, which gets it as an argument."""

from __future__ import annotations

from dataclasses import dataclass, replace

from linad_typecheck.core import Alloc, Atom, Block, Copy, Dim, Function, Let, Param, Reserve, Stmt, Var, walk
from linad_typecheck.types import INTS, Scalar

TOTAL = ("add", "sub", "mul", "neg", "max", "min", "maximum", "minimum", "trips")  # int operations that never fail


@dataclass(frozen=True, slots=True)
class Lifted:
    """A function split in two: what the driver runs, the arrays that gives, and the kernel that takes them."""

    kernel: Function
    stmts: tuple[Stmt, ...]
    arrays: tuple[Var, ...]


def lift(f: Function, copies: bool) -> Lifted:
    """Move the allocations at the top of a function whose shapes follow from its parameters.

    A size that may be negative stays behind: that is an error, which has its place. ``copies`` says that also copies of
    parameters that are only read may move, because nothing that is written overlaps them.
    """
    scalars = {p.var.name for p in f.params if isinstance(p.var.type, Scalar)}
    arrays = {p.var.name for p in f.params if not isinstance(p.var.type, Scalar)}
    lent = {p.var.name for p in f.params if p.mode == "read"} - scalars
    resized = {s.array.name for s in walk(f.body) if isinstance(s, Reserve)}
    known: dict[str, Stmt] = {}  # sizes by name, with the statement that computes each
    moved: list[Stmt] = []
    made: list[Var] = []
    placed: set[str] = set()
    kept: list[Stmt] = []

    def available(a: Atom) -> bool:
        return not isinstance(a, Var) or a.name in known or a.name in scalars

    def positive(a: Atom) -> bool:
        """Whether a size is surely not negative."""
        if not isinstance(a, Var):
            return a.value >= 0
        match known.get(a.name):
            case Dim() | Let(op="trips"):
                return True
            case Let(op="max" | "maximum", ins=ins):
                return any(map(positive, ins))
            case Let(op="add" | "mul" | "min" | "minimum", ins=ins):
                return all(map(positive, ins))
        return False

    def need(a: Atom) -> None:
        if isinstance(a, Var) and a.name in known and a.name not in placed:
            s = known[a.name]
            for i in s.ins if isinstance(s, Let) else ():
                need(i)
            placed.add(a.name)
            moved.append(s)

    for s in f.body.stmts:
        match s:
            case Dim(out, array) if array.name in arrays and array.name not in resized:
                known[out.name] = s
            case Let(out, op, ins) if op in TOTAL and out.type.dtype in INTS and all(map(available, ins)):
                known[out.name] = s
            case Alloc(out, shape) if all(available(a) and positive(a) for a in shape):
                for a in shape:
                    need(a)
                moved.append(s)
                made.append(out)
                arrays.add(out.name)
                continue
            case Copy(out, array) if copies and array.name in lent:
                moved.append(s)
                made.append(out)
                arrays.add(out.name)
                continue
        kept.append(s)
    inner = tuple(Param(v, "mut") for v in made)
    kernel = replace(f, params=(*f.params, *inner), body=Block(tuple(kept), f.body.results))
    return Lifted(kernel, tuple(moved), tuple(made))
