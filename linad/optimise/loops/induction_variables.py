"""Induction variables: compute an int that a loop increments from the loop index instead.

**Transformation.** Induction-variable substitution (Allen and Kennedy, Optimizing Compilers for Modern Architectures,
2001, chapter 4), for polynomial induction variables up to degree 2 (Wolfe, Beyond induction variables, 1992).

**Before.** ``for i in range(m) carry (k = a) { ...; k1 = add k c; yield k1 }``
**After.** ``for i in range(m) { k = add a (mul c i); ... }``

**Legality.** The increment is an affine function of the loop index and of loop-invariant ints, and the loop has step 1
or -1. Int arithmetic wraps before and after; sums of ``i`` are halved before they are multiplied. For a loop with an
early exit only the value at the start of an iteration is known, not the final one, so the int stays among its results.

**Profitability.** Always: indices of this form can be proved in bounds or checked before the loop, and the int is
neither carried nor logged. A triangular counter, which an inner loop increments ``n - i`` times, has degree 2 once the
inner loop is done.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Atom, Const, Function, Let, Loop, Names, Stmt, Var, all_names, free_vars, walk,
)
from linad_typecheck.ir.rewrite import substitute
from linad_typecheck.infer.affine import Affine, atom, constant
from linad_typecheck.types import I64

from linad.analysis.affine import Ranges
from linad.analysis.loop_facts import carrying_only, defined, next_value, with_ranges

from .. import ints
from ..ints import ONE, ZERO

TWO, DOWN = Const(2, I64), Const(-1, I64)


def close_inductions(f: Function) -> Function:
    """Compute the induction variables of counted loops from the loop indices."""
    if not any(isinstance(s, Loop) and _may_close(s) for s in walk(f.body)):
        return f
    names = Names(all_names(f))
    return with_ranges(f, lambda s, r: _closed(s, r, names), _may_close)


def _is_counted(s: Loop) -> bool:
    return (s.exits or s.stop is not None) and s.step in (ONE, DOWN) and any(c.type == I64 for c in s.carried)


def _may_close(s: Loop) -> bool:
    """Whether a loop has induction variables if all ranges in it are known not to be empty: finding what is known of
    ints takes longer."""
    return _is_counted(s) and bool(_increments(s, None)[0])


def _increments(s: Loop, r: Ranges | None) -> tuple[dict[int, Affine], Steps]:
    """The increments of the induction variables of a counted loop, by their positions."""
    steps = Steps(s, r)
    used = free_vars(s.body) if s.exits else {c.name for c in s.carried}
    wanted = (k for k, c in enumerate(s.carried) if c.type == I64 and c.name in used)
    return {k: step for k in wanted if (step := steps.of(k)) is not None}, steps


def _closed(s: Loop, r: Ranges, names: Names) -> list[Stmt]:
    """The loop without its induction variables, followed by the computation of their final values."""
    if not _is_counted(s):
        return [s]
    found, steps = _increments(s, r)
    if not found:
        return [s]
    head, after = Maker(names, steps.known), Maker(names, steps.known)
    done = head.let("sub", *((s.index, s.start) if s.step == ONE else (s.start, s.index)))
    if s.exits:
        begun = {k: names.like(s.carried[k]) for k in found}
        for k, v in begun.items():
            head.total(v, s.inits[k], found[k], done, s)
        body = substitute(s.body, {s.carried[k].name: v for k, v in begun.items()})
        return [replace(s, body=replace(body, stmts=(*head.out, *body.stmts)))]
    trips = after.let("trips", s.start, s.stop, s.step)  # type: ignore[arg-type]
    for k, step in found.items():
        head.total(s.carried[k], s.inits[k], step, done, s)
        after.total(s.outs[k], s.inits[k], step, trips, s)
    kept = carrying_only(s, (k for k in range(len(s.carried)) if k not in found))
    return [replace(kept, body=replace(kept.body, stmts=(*head.out, *s.body.stmts))), *after.out]


class Steps:
    """The increments of the carried ints of a loop. Without ``r``, ranges in it are taken as not empty."""

    def __init__(self, s: Loop, r: Ranges | None) -> None:
        self.loop, self.ranges = s, r
        self.inside = defined(s) - {s.index.name}
        self.lets = {t.out.name: t for t in walk(s.body) if isinstance(t, Let)}
        self.known: dict[str, Var] = {}  # the variables that the affine forms mention

    def of(self, k: int) -> Affine | None:
        """The increment per iteration as an affine form of the index and of loop-invariant ints, modulo 2**64; or None.
        """
        grown = self.form(next_value(self.loop, k)) - atom(self.loop.carried[k].name)
        return None if self.inside.intersection(grown.atoms) else grown

    def form(self, a: Atom) -> Affine:
        if isinstance(a, Const):
            return constant(a.value)
        self.known[a.name] = a
        match self.lets.get(a.name):
            case Let(op="add", ins=(x, y)):
                return self.form(x) + self.form(y)
            case Let(op="sub", ins=(x, y)):
                return self.form(x) - self.form(y)
            case Let(op="neg", ins=(x,)):
                return -self.form(x)
            case Let(op="mul", ins=(x, y)):
                f, g = self.form(x), self.form(y)
                return g * f.const if f.value is not None else f * g.const if g.value is not None else atom(a.name)
            case Let(op="trips", ins=(x, y, Const(value=1))) if self.ranges is None or self.ranges.form(
                a
            ) == self.ranges.form(y) - self.ranges.form(x):
                return self.form(y) - self.form(x)
        return atom(a.name)


class Maker(ints.Maker):
    """Emits the values of induction variables. ``known``: the variables that affine forms mention."""

    def __init__(self, names: Names, known: dict[str, Var]) -> None:
        super().__init__(names)
        self.known = known

    def unknown(self, name: str) -> Atom:
        return self.known[name]

    def total(self, v: Var, init: Atom, step: Affine, count: Atom, s: Loop) -> None:
        """Define ``v`` as the value after ``count`` iterations, starting from ``init``."""
        per_index = dict(step.terms).get(s.index.name, 0)
        rest = step - atom(s.index.name) * per_index
        if per_index:  # times the sum of start, start + 1, ... (or start, start - 1, ...)
            half = self.let("floordiv", count, TWO)
            pairs = self.let("mul", half, self.let("bitor", self.let("sub", count, ONE), ONE))
            first = self.let("mul", s.start, count) if s.start != ZERO else ZERO
            indices = self.let("add" if s.step == ONE else "sub", first, pairs)
            init = self.let(
                "sub" if per_index < 0 else "add", init, self.let("mul", indices, Const(abs(per_index), I64))
            )
        negative = all(c < 0 for _, c in rest.terms) and rest.const <= 0
        grown = self.let("mul", self.form(-rest if negative else rest), count) if rest != constant(0) else ZERO
        self.out.append(Let(v, "sub" if negative else "add", (init, grown)))
