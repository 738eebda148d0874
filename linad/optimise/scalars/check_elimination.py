"""Check elimination: drop index checks that always succeed.

**Transformation.** Bounds-check elimination by syntactic facts: an ascending loop index that starts at 0 or above never
counts from the end of an array, and is in bounds if the loop stops at the size of the axis.

**Before.** ``n = dim &v 0; for i in range(n) { j = wrap i n; e = load &v [j] }``
**After.** ``n = dim &v 0; for i in range(n) { e = load! &v [i] }``

**Before.** ``m = sub n 7; for i in range(0, m, 8) { j = add i 8; k = min j n; size = sub k i }``
**After.** ``m = sub n 7; for i in range(0, m, 8) { size = 8 }``

**Legality.** Proofs use the sizes that arrays are allocated with, `dim`, and checks that have already passed. Proofs
of index checks that need inequalities are made before code generation (`linad/codegen/bounds_checks.py`).

**Profitability.** Always; a check in a loop also blocks other passes.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Check, Const, Copy, Dim, Function, Let, Load, Loop, Stmt, Store, Var, blocks, walk,
)
from linad_typecheck.ir.rewrite import in_blocks, renamed, substitute
from linad_typecheck.ir.sizes import known_sizes
from linad_typecheck.types import I64

from linad.analysis.affine import Ranges
from linad.analysis.loop_facts import with_ranges

EXTREMES = ("min", "max")


def eliminate_checks(f: Function) -> Function:
    """Drop `wrap` of non-negative ints and the checks of accesses known to be in bounds."""
    return settle_extremes(replace(f, body=_Prover(f).block(f.body, {}, outermost=True)))


def settle_extremes(f: Function) -> Function:
    """Replace the ``min`` and ``max`` of ints in loops by the operand that they provably are."""

    def settled(s: Loop, r: Ranges) -> list[Stmt]:
        same: dict[str, Atom] = {}
        for t in s.body.stmts:
            if isinstance(t, Let) and t.op in EXTREMES and (known := extreme(t, r)) is not None:
                same[t.out.name] = same.get(str(known), known)
            if not blocks(t):
                r.statement(t)
        return [replace(s, body=substitute(s.body, same))] if same else [s]

    return with_ranges(f, settled, _has_extremes)


def _has_extremes(s: Loop) -> bool:
    return any(isinstance(t, Let) and t.op in EXTREMES and t.out.type == I64 for t in s.body.stmts)


def extreme(t: Let, r: Ranges) -> Atom | None:
    """The operand that the ``min`` or ``max`` of two ints provably is."""
    if t.out.type != I64:
        return None
    sign = 1 if t.op == "max" else -1
    x, y = t.ins
    return next((a for a, b in ((x, y), (y, x)) if r.proves((r.value(a) - r.value(b)) * sign)), None)


class _Prover:
    def __init__(self, f: Function) -> None:
        self.made = known_sizes(f)
        self.sizes: dict[Atom, set[tuple[str, int]]] = {}
        self.equal: dict[str, tuple[Atom, Atom]] = {}  # bools that compare two ints for equality
        self.like: dict[str, str] = {}  # copies, with the array whose shape they have
        self.upwards: set[str] = set()  # ints that are not negative
        self.same: dict[str, Atom] = {}
        for s in walk(f.body):
            match s:
                case Copy(out=v, array=a):
                    self.like[v.name] = self.like.get(a.name, a.name)
                case Dim(out=v, array=a, axis=axis):
                    self.upwards.add(v.name)
                    self.sizes.setdefault(v, set()).add((self.like.get(a.name, a.name), axis))

    def use(self, a: Atom) -> Atom:
        return self.same.get(a.name, a) if isinstance(a, Var) else a

    def checked(self, a: Atom, b: Atom) -> None:
        """Record that two ints are equal from here on: a size equal to one is equal to the other."""
        self.sizes[a] = self.sizes[b] = self.sizes.get(a, set()) | self.sizes.get(b, set())

    def block(self, block: Block, ends: dict[str, Atom], outermost: bool = False) -> Block:
        kept: list[Stmt] = []
        for s in block.stmts:
            s = renamed(s, self.same)
            match s:
                case Let(out=v, op="wrap", ins=(i, _)) if self.is_upwards(i):
                    self.same[v.name] = i
                    continue
                case Let(out=v, op="add" | "mul" | "min", ins=ins) if all(map(self.is_upwards, ins)):
                    self.upwards.add(v.name)
                case Let(out=v, op="eq", ins=(a, b)) if a.type == b.type == I64:
                    self.equal[v.name] = (a, b)
                case Check(cond=Var(name=name)) if outermost and name in self.equal:
                    self.checked(*self.equal[name])
            kept.append(self.statement(s, ends))
        return Block(tuple(kept), tuple(map(self.use, block.results)))

    def is_upwards(self, a: Atom) -> bool:
        if isinstance(a, Const):
            return a.type == I64 and a.value >= 0
        return a.name in self.upwards

    def statement(self, s: Stmt, ends: dict[str, Atom]) -> Stmt:
        match s:
            case (
                Load(array=a, index=index, checked=True)
                | Store(array=a, index=index, checked=True)
                | AddTo(array=a, index=index, checked=True)
            ) if all(self.within(i, a, k, ends) for k, i in enumerate(index)):
                return replace(s, checked=False)
            case Loop():
                upwards = self.is_upwards(s.start) and isinstance(s.step, Const) and s.step.value > 0
                if upwards:
                    self.upwards.add(s.index.name)
                if upwards and s.stop is not None:
                    ends = {**ends, s.index.name: s.stop}
        return in_blocks(s, lambda b: self.block(b, ends))

    def within(self, i: Atom, a: Var, axis: int, ends: dict[str, Atom]) -> bool:
        """Whether an index is known to be in bounds."""
        end = ends.get(i.name) if isinstance(i, Var) else None
        if end is None:
            return False
        name = self.like.get(a.name, a.name)
        made = self.made.get(name)
        return (made is not None and made[axis] == end) or (name, axis) in self.sizes.get(end, ())
