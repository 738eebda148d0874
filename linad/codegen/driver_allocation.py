"""Allocation hoisting: the driver allocates arrays whose sizes follow from the arguments, and passes them to the
kernel.

Those that cannot be results are scratch arrays, taken from a workspace that is kept between calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

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
    arrays = {p.var.name for p in f.params} - scalars
    lent = {p.var.name for p in f.params if p.mode == "read"} - scalars
    longer, passing = resized(f), _passing(f.body)
    sizes = _DriverSizes(scalars)
    made: list[Alloc | Copy] = []
    kept: list[Stmt] = []
    for s in f.body.stmts:
        match s:
            case Dim(out, array) if array.name in arrays and array.name not in longer:
                sizes.known[out.name] = s
            case Let() if sizes.computes(s):
                sizes.known[s.out.name] = s
            case Alloc(out, log="cells" | "slices") if out.name in passing:
                pass
            case Alloc(_, shape) if all(sizes.available(a) and (negative or sizes.positive(a)) for a in shape):
                sizes.need(shape)
                made.append(s)
                continue
            case Copy(_, array) if copies and array.name in lent:
                made.append(s)
                continue
        kept.append(s)
    inner = tuple(Param(s.out, "mut") for s in made)
    kernel = replace(f, params=(*f.params, *inner), body=Block(tuple(kept), f.body.results))
    return Lifted(kernel, tuple(sizes.needed.values()), tuple(made))


@dataclass
class _DriverSizes:
    """The ints that a driver can compute from ``scalars``, the int parameters, and from the sizes of arrays.

    ``known``: the statement of each. ``needed``: those that the driver does compute, operands first.
    """

    scalars: set[str]
    known: dict[str, Stmt] = field(default_factory=dict)
    needed: dict[str, Stmt] = field(default_factory=dict)

    def available(self, a: Atom) -> bool:
        return not isinstance(a, Var) or a.name in self.known or a.name in self.scalars

    def computes(self, s: Let) -> bool:
        """Whether an operation on available ints never fails."""
        match s:
            case Let(op="shr", ins=(a, Const())):
                return self.available(a)
            case Let(op="floordiv", ins=(a, b)):
                return self.available(a) and self.available(b) and self.at_least_one(b)
        return s.op in TOTAL and s.out.type.dtype in INTS and all(map(self.available, s.ins))

    def positive(self, a: Atom) -> bool:
        """Whether a size is known to be non-negative."""
        if not isinstance(a, Var):
            return a.value >= 0
        match self.known.get(a.name):
            case Dim() | Let(op="trips"):
                return True
            case Let(op="shr", ins=(shifted, _)):
                return self.positive(shifted)
            case Let(op="max" | "maximum", ins=ins):
                return any(map(self.positive, ins))
            case Let(op="add" | "mul" | "min" | "minimum" | "floordiv", ins=ins):
                return all(map(self.positive, ins))
        return False

    def at_least_one(self, a: Atom) -> bool:
        if not isinstance(a, Var):
            return a.value >= 1
        match self.known.get(a.name):
            case Let(op="max", ins=ins):
                return any(map(self.at_least_one, ins))
        return False

    def need(self, atoms: Iterable[Atom]) -> None:
        """Have the driver compute ints."""
        for a in atoms:
            s = self.known.get(a.name) if isinstance(a, Var) else None
            if s is not None and a.name not in self.needed:
                self.need(s.ins if isinstance(s, Let) else ())
                self.needed[a.name] = s


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
