"""Splitting a loop at the iterations where tests of its index change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import Atom, Block, Const, Let, Loop, Names, Stmt, Var, blocks, walk
from linad_typecheck.ir.rewrite import freshen, in_blocks, substitute
from linad_typecheck.types import BOOL, I64

from linad.analysis.affine import Ranges
from linad.analysis.index_tests import LARGE, ZERO, selecting_conditions
from linad.analysis.loop_facts import defined

from ..scalars.check_elimination import extreme


@dataclass(frozen=True)
class Piece:
    """The iterations from ``low`` up to ``high`` (empty: the end of the range), and the results of tests in them."""

    low: Sequence[Atom]
    high: Sequence[Atom]
    answers: Mapping[str, bool]


SETTLED = ("mod", "wrap", "min", "max")  # the ops on ints that `settled_ints` may simplify


def may_be_cut(s: Loop) -> bool:
    """Whether a loop contains a choice by a test, or a remainder that may become one."""
    inner = list(walk(s.body))
    ints = any(isinstance(t, Let) and t.op in SETTLED and t.out.type == I64 for t in inner)
    return ints or bool(list(selecting_conditions(inner)))


def settled_ints(s: Loop, r: Ranges, names: Names, clamps: bool = False) -> tuple[list[Stmt], Loop]:
    """Simplify the int arithmetic of a loop body.

    Remainders whose dividend is off by less than one divisor become a compare and a sum, hoisted if loop-invariant;
    ``min`` and ``max`` with a provable result become that operand, and with ``clamps``, those of a neighbour of the
    loop index become a compare and a select, as do its remainders of whatever size. ``r``: what is known at the start
    of the body. Return the hoisted statements and the loop.
    """
    made = defined(s)
    before: list[Stmt] = []
    stmts: list[Stmt] = []
    with r.scope():
        for t in s.body.stmts:
            match t:
                case Let(out=out, op="mod", ins=(x, n)) if out.type == I64:
                    moves = any(isinstance(a, Var) and a.name in made for a in t.ins)
                    found = _remainder_by_compare(t, x, n, r, names)
                    if clamps and len(found) == 1 and not (r.value(x) - r.value(s.index)).terms:
                        found = _remainder_elsewhere(t, x, n, r, names)
                    (stmts if moves or len(found) == 1 else before).extend(found)
                case Let(op="wrap", ins=(x, n)) if (
                    isinstance(x, Var) and x.name in made and not (isinstance(n, Var) and n.name in made)
                ):
                    stmts += _into_range(t, x, n, over=False, names=names)
                case Let(op="min" | "max"):
                    known = extreme(t, r)
                    if known is not None:
                        stmts.append(replace(t, op="add", ins=(known, ZERO)))
                    else:
                        stmts += _by_compare(t, s.index, r, names) if clamps else [t]
                case _:
                    stmts.append(t)
            if not blocks(t):
                r.statement(t)
    return before, replace(s, body=replace(s.body, stmts=tuple(stmts)))


def _remainder_by_compare(t: Let, x: Atom, n: Atom, r: Ranges, names: Names) -> list[Stmt]:
    """The remainder ``x % n`` by a compare and a sum, if ``x`` provably lies between ``-n`` and ``2n``."""
    at, divisor = r.value(x), r.value(n)
    once = r.proves(divisor - 1)
    # x is most often a neighbouring index, so try the shorter proofs (x <= n, x >= -1) first
    over = once and r.proves(at) and (r.proves(divisor - at) or r.proves(divisor * 2 - at - 1))
    under = once and not over and r.proves(divisor - at - 1) and (r.proves(at + 1) or r.proves(at + divisor))
    return _into_range(t, x, n, over, names) if over or under else [t]


def _remainder_elsewhere(t: Let, x: Atom, n: Atom, r: Ranges, names: Names) -> list[Stmt]:
    """The remainder ``x % n``, selected only where ``x`` is not between 0 and ``n``, if one of these bounds is proved.
    """
    at, divisor = r.value(x), r.value(n)
    below = r.proves(at)
    if not below and not r.proves(divisor - at - 1):
        return [t]
    inside, rest = names.var("inside", BOOL), names.var("k", I64)
    return [
        Let(inside, *(("lt", (x, n)) if below else ("ge", (x, ZERO))), t.span),
        replace(t, out=rest),
        Let(t.out, "select", (inside, x, rest), t.span),
    ]


def _by_compare(t: Let, index: Var, r: Ranges, names: Names) -> list[Stmt]:
    """The ``min`` or ``max`` of a neighbour of a loop index and another int by a compare and a select."""
    for a, b in (t.ins, t.ins[::-1]) if t.out.type == I64 else ():
        if not (r.value(a) - r.value(index)).terms:
            test = names.var("inside", BOOL)
            return [
                Let(test, "le" if t.op == "min" else "ge", (a, b), t.span),
                replace(t, op="select", ins=(test, a, b)),
            ]
    return [t]


def _into_range(t: Let, x: Atom, n: Atom, over: bool, names: Names) -> list[Stmt]:
    """Bring a value into range by adding or subtracting ``n`` if a compare says so."""
    test, moved = names.var("round", BOOL), names.var("k", I64)
    return [
        Let(test, *(("ge", (x, n)) if over else ("lt", (x, ZERO))), t.span),
        Let(moved, "sub" if over else "add", (x, n), t.span),
        Let(t.out, "select", (test, moved, x), t.span),
    ]


class Cutter:
    """Splits a loop with step 1 or -1 into loops over parts of its range, without changing the order of iterations.

    ``before``: the statements that compute the bounds.
    """

    def __init__(self, s: Loop, r: Ranges, names: Names) -> None:
        assert isinstance(s.step, Const) and s.stop is not None
        self.loop, self.ranges, self.names = s, r, names
        self.before: list[Stmt] = []
        self.up = s.step.value > 0
        self._bases: dict[Atom, Atom] = {}

    def let(self, op: str, x: Atom, y: Atom) -> Atom:
        """An int computed before the loops."""
        v = self.names.var("k", I64)
        self.before.append(Let(v, op, (x, y), self.loop.span))
        return v

    def at(self, base: Atom, more: int) -> Atom:
        """``base + more``. A base far outside the range of indices is clamped to a value that is still outside."""
        if base not in self._bases:
            low, high = self.ranges.bounds(self.ranges.value(base))
            beyond = low < -2 * LARGE or high > 2 * LARGE  # adding to it may overflow
            self._bases[base] = (
                self.let("min", self.let("max", base, Const(-2 * LARGE, I64)), Const(2 * LARGE, I64))
                if beyond
                else base
            )
        base = self._bases[base]
        return self.let("add", base, Const(more, I64)) if more else base

    def loops(self, pieces: Sequence[Piece]) -> list[Stmt]:
        """The loops over the pieces, given in ascending order, preceded by the computation of their bounds."""
        s = self.loop
        assert s.stop is not None
        parts: list[tuple[Atom, Atom, Mapping[str, bool]]] = []
        for piece in pieces:
            start, stop = s.start, s.stop
            # in a descending loop, the lowest index is one above the stop
            lows, highs = (piece.low, piece.high) if self.up else (piece.high, piece.low)
            for a in lows:
                start = (
                    self.let("max", start, a) if self.up else self.let("min", start, self.let("sub", a, Const(1, I64)))
                )
            for a in highs:
                stop = self.let("min", stop, a) if self.up else self.let("max", stop, self.let("sub", a, Const(1, I64)))
            parts.append((start, stop, piece.answers))
        out: list[Stmt] = []
        values = s.inits
        for k, (start, stop, answers) in enumerate(parts if self.up else reversed(parts)):
            outs = s.outs if k == len(parts) - 1 else tuple(self.names.like(v) for v in s.outs)
            known = {name: Const(value, BOOL) for name, value in answers.items()}
            part = replace(s, start=start, stop=stop, inits=(), outs=(), body=_settled(s.body, known))
            [part] = freshen(Block((part,)), self.names, {}).stmts
            out.append(replace(part, inits=values, outs=outs))
            values = outs
        return [*self.before, *out]


def _settled(b: Block, answers: dict[str, Atom]) -> Block:
    """The block with tests replaced by their results."""

    def without(b: Block) -> Block:
        stmts = (t for t in b.stmts if not (isinstance(t, Let) and t.out.name in answers))
        return replace(b, stmts=tuple(in_blocks(t, without) for t in stmts))

    return substitute(without(b), answers)
