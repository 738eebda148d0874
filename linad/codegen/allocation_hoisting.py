"""Allocation hoisting: the driver allocates arrays whose sizes follow from the arguments, and passes them to the
kernel.

Those that cannot be results are scratch arrays, taken from a workspace that is kept between calls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Const, Copy, Dim, Function, Let, Loop, Param, Stmt, Var, free_vars, outputs, walk,
)
from linad_typecheck.types import INTS, Scalar

from linad.analysis.alias import alias_groups
from linad.analysis.logs import empty, resized

TOTAL = ("add", "sub", "mul", "neg", "max", "min", "maximum", "minimum", "trips")  # int operations that never fail


@dataclass(frozen=True, slots=True)
class Lifted:
    """A function split into its kernel, and the sizes and arrays that the driver computes for it."""

    kernel: Function
    sizes: tuple[Stmt, ...] = ()
    arrays: tuple[Alloc | Copy, ...] = ()


def lift(f: Function, copies: bool, negative: bool = False) -> Lifted:
    """Move the top-level allocations of a function whose shapes follow from its parameters to the driver.

    A size that may be negative stays in the kernel, where it raises an error with a source position, unless
    ``negative`` is set, in which case the result is not executed. ``copies``: copies of read-only parameters may move
    too, because no written array overlaps them.
    """
    scalars = {p.var.name for p in f.params if isinstance(p.var.type, Scalar)}
    arrays = {p.var.name for p in f.params if not isinstance(p.var.type, Scalar)}
    lent = {p.var.name for p in f.params if p.mode == "read"} - scalars
    longer = resized(f)
    passing = _passing(f.body)
    known: dict[str, Stmt] = {}  # sizes by name, with the statement that computes each
    moved: list[Stmt] = []
    made: list[Alloc | Copy] = []
    placed: set[str] = set()
    kept: list[Stmt] = []

    def available(a: Atom) -> bool:
        return not isinstance(a, Var) or a.name in known or a.name in scalars

    def positive(a: Atom) -> bool:
        """Whether a size is known to be non-negative."""
        if not isinstance(a, Var):
            return a.value >= 0
        match known.get(a.name):
            case Dim() | Let(op="trips"):
                return True
            case Let(op="shr", ins=(shifted, _)):
                return positive(shifted)
            case Let(op="max" | "maximum", ins=ins):
                return any(map(positive, ins))
            case Let(op="add" | "mul" | "min" | "minimum" | "floordiv", ins=ins):
                return all(map(positive, ins))
        return False

    def divides(a: Atom) -> bool:
        """Whether an int is known to be at least 1."""
        if not isinstance(a, Var):
            return a.value >= 1
        match known.get(a.name):
            case Let(op="max", ins=ins):
                return any(map(divides, ins))
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
            case Dim(out, array) if array.name in arrays and array.name not in longer:
                known[out.name] = s
            case Let(out, op, ins) if op in TOTAL and out.type.dtype in INTS and all(map(available, ins)):
                known[out.name] = s
            case Let(out, "shr", (a, Const())) if available(a):
                known[out.name] = s
            case Let(out, "floordiv", (a, b)) if available(a) and available(b) and divides(b):
                known[out.name] = s
            case Alloc(out, log="cells" | "slices") if out.name in passing:
                pass
            case Alloc(out, shape) if all(available(a) and (negative or positive(a)) for a in shape):
                for a in shape:
                    need(a)
                made.append(s)
                continue
            case Copy(out, array) if copies and array.name in lent:
                made.append(s)
                continue
        kept.append(s)
    inner = tuple(Param(s.out, "mut") for s in made)
    kernel = replace(f, params=(*f.params, *inner), body=Block(tuple(kept), f.body.results))
    return Lifted(kernel, tuple(moved), tuple(made))


def _passing(body: Block) -> set[str]:
    """Logs of single steps of checkpointed loops, which are live only during that loop."""
    found: set[str] = set()
    elsewhere: set[str] = set()
    for s in body.stmts:
        names = {v.name for v in outputs(s)} if isinstance(s, Alloc) else set(free_vars(Block((s,))))
        if isinstance(s, Loop) and s.mark is not None:
            elsewhere |= found & names
            found |= names
        elif not isinstance(s, Alloc):
            elsewhere |= names
    return found - elsewhere


def scratch(f: Function) -> set[str]:
    """The arrays of a function that cannot be among its results, except logs that have contents before they grow."""
    find = alias_groups(f)
    staying = {r.name for r in f.body.results if isinstance(r, Var)} | {p.var.name for p in f.params}
    longer = resized(f)
    staying |= {s.out.name for s in walk(f.body) if isinstance(s, Alloc) and s.out.name in longer and not empty(s)}
    kept = set(map(find, staying))
    made = {s.out.name for s in walk(f.body) if isinstance(s, Alloc | Copy)}
    return {name for name in made if find(name) not in kept}
