"""The log of recursive functions: one stack per element type, pushed in the forward sweep and popped in the reverse
sweep.

How much a recursive function logs is known only when it returns, so what its reverse needs is pushed. Each block (also
an iteration or an arm) pushes its own values at its end, and its reverse starts by popping them. Reverses start in the
opposite order in which blocks end, so positions match without being recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Call, Const, Let, Load, Loop, Names, Param, Reserve, Stmt, Store, Var, walk,
)
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import BOOL, I64, Array, Scalar, is_float

from .bars import Bars, bar_of
from .forward_sweep import ForwardSweep
from ..plan.model import Body, Frame, Plan

if TYPE_CHECKING:
    from .calls import Calls, Pair
    from .custom import RulePair
    from .reverse import BackwardWalk

KINDS = ("f64", "f32", "i64")  # element types of logs: ints of all sizes and bools are stored as i64
ZERO = Const(0, I64)


def kind_of(t: Scalar) -> str:
    """The element type that a scalar is logged as."""
    return t.dtype if t.dtype in KINDS else "i64"


class Stack:
    """The stacks as seen by one function: a log per element type in ``kinds``, and their current ends."""

    def __init__(self, names: Names, kinds: Iterable[str]) -> None:
        self.names = names
        needed = set(kinds)
        self.logs = {k: names.log(f"log_{k}", Array(k, 1), "calls") for k in KINDS if k in needed}
        self.cursor = names.var("cursor", Array("i64", 1))

    def made(self) -> tuple[Stmt, ...]:
        """The statements that create empty stacks."""
        if not self.logs:
            return ()
        cells = Const(len(KINDS), I64)
        return (
            *(Alloc(v, (ZERO,), None, log="stack") for v in self.logs.values()),
            Alloc(self.cursor, (cells,), ZERO),
        )

    def params(self, mode: str) -> tuple[Param, ...]:
        """The stacks as parameters; ``mode`` is the mode of the logs."""
        if not self.logs:
            return ()
        return (
            *(Param(v, mode) for v in self.logs.values()),
            Param(self.cursor, "mut"),
        )  # type: ignore[arg-type]

    # -- words

    def let(self, out: list[Stmt], op: str, *ins: Atom, hint: str = "k") -> Var:
        v = self.names.var(hint, I64)
        out.append(Let(v, op, ins))
        return v

    def push(self, values: Sequence[Var], out: list[Stmt]) -> None:
        for kind, mine in _by_kind(values):
            log, place = self.logs[kind], (Const(KINDS.index(kind), I64),)
            base = self.names.var("base", I64)
            out.append(Load(base, self.cursor, place, False))
            end = self.let(out, "add", base, Const(len(mine), I64))
            out.append(Reserve(log, end))
            for k, v in enumerate(mine):
                word: Atom = (
                    v if v.type.dtype == kind else self.let(out, "cast", v, hint="word")
                )
                at = base if k == 0 else self.let(out, "add", base, Const(k, I64))
                out.append(Store(log, (at,), word, False))
            out.append(Store(self.cursor, place, end, False))

    def pop(self, values: Sequence[Var], out: list[Stmt]) -> dict[str, Var]:
        """Pop values that were pushed; return them under new names."""
        found: dict[str, Var] = {}
        for kind, mine in _by_kind(values):
            log, place = self.logs[kind], (Const(KINDS.index(kind), I64),)
            end = self.names.var("end", I64)
            out.append(Load(end, self.cursor, place, False))
            base = self.let(out, "sub", end, Const(len(mine), I64), hint="base")
            out.append(Store(self.cursor, place, base, False))
            for k, v in enumerate(mine):
                new = found[v.name] = self.names.like(v)
                word = new if v.type.dtype == kind else self.names.var("word", I64)
                at = base if k == 0 else self.let(out, "add", base, Const(k, I64))
                out.append(Load(word, log, (at,), False))
                if word is not new:
                    out.append(
                        Let(new, "ne", (word, ZERO))
                        if v.type == BOOL
                        else Let(new, "cast", (word,))
                    )
        return found


class CallStack(Stack):
    """The stacks, and the forward and reverse calls of functions that are not inlined.

    Attributes
    ----------
    pairs
        By id of the call, the functions that replace it.
    """

    def __init__(
        self, plan: Plan, calls: Calls, names: Names, kinds: Iterable[str] = ()
    ) -> None:
        self.plan = plan
        self.pairs: dict[int, Pair | RulePair] = {
            id(s): calls.pair(calls.key(s, plan))
            for s in walk(plan.facts.function.body)
            if isinstance(s, Call) and plan.facts.matters(s)
        }
        super().__init__(names, {k for p in self.pairs.values() for k in p.kinds} | set(kinds))

    def args(self, pair: Pair | RulePair) -> tuple[Var, ...]:
        return (*(self.logs[k] for k in pair.kinds), self.cursor) if pair.kinds else ()

    def forward(self, s: Call, sweep: ForwardSweep) -> Call:
        pair = self.pairs[id(s)]
        return replace(
            s, callee=pair.forward, args=(*map(sweep.at, s.args), *self.args(pair))
        )

    def backward(
        self, s: Call, sweep: BackwardWalk, bars: Bars, out: list[Stmt]
    ) -> None:
        """Emit the reverse call: it takes the cotangents of results and returns the adjoints of scalars and owned
        arrays; the adjoints of borrowed arrays are updated in place."""
        pair = self.pairs[id(s)]
        cotangents: list[Atom] = []
        for k, o in enumerate(s.outs):
            if not is_float(o.type):
                continue
            bar = (
                bars.arrays.pop(o.name, None)
                if isinstance(o.type, Array)
                else sweep.take(o, bars)
            )
            if k in pair.seeds:
                cotangents.append(bar if bar is not None else Const(0.0, o.type))
        kept = (s.args[k] for k in pair.key.kept)
        lent = (bars.arrays[s.args[k].name] for k in pair.lent)  # type: ignore[union-attr]
        outs = {
            k: bar_of(s.args[k], self.names)
            for k in pair.given
        }
        out.append(
            Call(
                tuple(outs.values()),
                pair.reverse,
                (*kept, *self.args(pair), *cotangents, *lent),
                s.span,
            )
        )
        for k, bar in outs.items():
            if isinstance(bar.type, Array):
                bars.arrays[s.args[k].name] = bar  # type: ignore[union-attr]
            else:
                sweep.give(s.args[k], bar, bars)


class StackedSweep(ForwardSweep):
    """The forward sweep of a recursive function, and access to its values, which are on the stack."""

    stack: CallStack

    def saved(self, block: Block, body: Body) -> list[Var]:
        """The values that a block pushes at its end."""
        home, place = self.facts.home, self.facts.position
        mine = [
            n
            for n, how in body.source.items()
            if how == "logged" and home[n] == id(block)
        ]
        mine.sort(key=lambda n: place.get(id(self.facts.definition.get(n)), -1))
        return [self.plan.variable(n, body) for n in mine]

    def block(
        self,
        block: Block,
        region: Frame | Body,
        start: list[Stmt] | None,
        out: list[Stmt],
    ) -> None:
        super().block(block, region, start, out)
        if isinstance(region, Body) and region.stacked:
            self.stack.push(self.saved(block, region), out)

    def begin(self, block: Block, region: Frame | Body, out: list[Stmt]) -> None:
        if isinstance(region, Body) and region.stacked:
            self.there |= self.stack.pop(self.saved(block, region), out)

    def log(self, v: Var, body: Body, out: list[Stmt]) -> None:
        if not body.stacked:
            super().log(v, body, out)

    def logged_loop(self, s: Loop, body: Body, out: list[Stmt]) -> None:
        if not body.stacked:
            super().logged_loop(s, body, out)
            return
        stmts: list[Stmt] = []
        self.block(s.body, body, None, stmts)
        head = rebuild(s, self.at, block=lambda b: b)
        out.append(
            replace(head, body=Block(tuple(stmts), tuple(map(self.at, s.body.results))))
        )

    def reversed_loop(self, body: Body, out: list[Stmt]) -> tuple[Loop, list[Stmt]]:
        if not body.stacked:
            return super().reversed_loop(body, out)
        first, stop, back = self.reversed_range(body.loop, out)
        index = self.names.var(body.loop.index.name, I64)
        self.there[body.loop.index.name] = index
        return Loop(
            index, first, stop, back, (), (), Block(), (), span=body.loop.span
        ), []


def _by_kind(values: Iterable[Var]) -> Iterable[tuple[str, list[Var]]]:
    sorted_: dict[str, list[Var]] = {k: [] for k in KINDS}
    for v in values:
        sorted_[kind_of(v.type)].append(v)  # type: ignore[arg-type]
    return [(k, mine) for k, mine in sorted_.items() if mine]
