"""The sweeps of recursive functions, which log on stacks that all their calls share.

How much a recursive function logs is known only when it returns, so what its reverse needs is pushed. Each block (also
an iteration or an arm) pushes its own values at its end, and its reverse starts by popping them. Reverses start in the
opposite order in which blocks end, so positions match without being recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import Atom, Block, Call, Const, Loop, Names, Stmt, Var, walk
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import I64, Array, is_float

from ..bars import Bars, bar_of
from ..growing_logs import GrowingLogs
from ..plan.model import Body, Frame, Plan
from ..protocols import Sweep, Walk
from .forward_sweep import ForwardSweep
from .pairs import CallPair, Pairs


class CallStack:
    """The stacks, and the forward and reverse calls of functions that are not inlined.

    Attributes
    ----------
    pairs
        By id of the call, the functions that replace it.
    """

    def __init__(self, plan: Plan, pairs: Pairs, names: Names, kinds: Iterable[str] = ()) -> None:
        calls = (s for s in walk(plan.facts.function.body) if isinstance(s, Call) and plan.facts.matters(s))
        self.names = names
        self.pairs: dict[int, CallPair] = {id(s): pairs.of(s, plan) for s in calls}
        self.logs = GrowingLogs(names, {k for p in self.pairs.values() for k in p.kinds} | set(kinds))

    def forward(self, s: Call, sweep: Sweep) -> Call:
        pair = self.pairs[id(s)]
        return replace(s, callee=pair.forward, args=(*map(sweep.at, s.args), *self.logs.variables(pair.kinds)))

    def backward(self, s: Call, walk: Walk, bars: Bars, out: list[Stmt]) -> None:
        """Emit the reverse call: it takes the cotangents of results and returns the adjoints of scalars and owned
        arrays; the adjoints of borrowed arrays are updated in place."""
        pair = self.pairs[id(s)]
        cotangents: list[Atom] = []
        for k, o in enumerate(s.outs):
            if not is_float(o.type):
                continue
            bar = bars.arrays.pop(o.name, None) if isinstance(o.type, Array) else walk.take(o, bars)
            if k in pair.seeds:
                cotangents.append(bar if bar is not None else Const(0.0, o.type))
        kept = (s.args[k] for k in pair.key.kept)
        lent = (bars.arrays[s.args[k].name] for k in pair.lent)  # type: ignore[union-attr]
        outs = {k: bar_of(s.args[k], self.names) for k in pair.given}
        out.append(
            Call(
                tuple(outs.values()),
                pair.reverse,
                (*kept, *self.logs.variables(pair.kinds), *cotangents, *lent),
                s.span,
            )
        )
        for k, bar in outs.items():
            if isinstance(bar.type, Array):
                bars.arrays[s.args[k].name] = bar  # type: ignore[union-attr]
            else:
                walk.give(s.args[k], bar, bars)


class StackedSweep(ForwardSweep):
    """The forward sweep of a recursive function, and access to its values, which are on the stack."""

    stack: CallStack

    def saved(self, block: Block, body: Body) -> list[Var]:
        """The values that a block pushes at its end."""
        home, place = self.facts.home, self.facts.position
        mine = [n for n, how in body.source.items() if how == "logged" and home[n] == id(block)]
        mine.sort(key=lambda n: place.get(id(self.facts.definition.get(n)), -1))
        return [self.plan.variable(n, body) for n in mine]

    def block(self, block: Block, region: Frame | Body, start: list[Stmt] | None, out: list[Stmt]) -> None:
        super().block(block, region, start, out)
        if isinstance(region, Body) and region.stacked:
            self.stack.logs.push(Builder(self.names, out), self.saved(block, region))

    def begin(self, block: Block, region: Frame | Body, out: list[Stmt]) -> None:
        if isinstance(region, Body) and region.stacked:
            self.there |= self.stack.logs.pop(Builder(self.names, out), self.saved(block, region))

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
        out.append(replace(head, body=Block(tuple(stmts), tuple(map(self.at, s.body.results)))))

    def reversed_loop(self, body: Body, out: list[Stmt]) -> tuple[Loop, list[Stmt]]:
        if not body.stacked:
            return super().reversed_loop(body, out)
        first, stop, back = self.reversed_range(body.loop, out)
        index = self.names.var(body.loop.index.name, I64)
        self.there[body.loop.index.name] = index
        return Loop(index, first, stop, back, (), (), Block(), (), span=body.loop.span), []
