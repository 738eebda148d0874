"""Adjoints of calls that are not inlined (recursive functions and functions with a custom rule): two functions per kind
of call.

The first function runs the primal and pushes what the reverse needs; the second pops it and runs the adjoint, with the
parameter modes transposed. Each makes one call of its own kind where the primal makes one, so the work is proportional
to that of the primal at any recursion depth. A pair is specialised for the parameters through which a derivative flows,
and for the arrays that its reverse may re-read because they are unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from linad_typecheck.ir.core import (
    Block, Call, Const, Function, Loop, Names, Param, Stmt, Var, all_names, walk,
)
from linad_typecheck.linear.uses import modes_of
from linad_typecheck.types import BOOL, I64, Array, Scalar, is_float

from ..bars import Bars, bar_of
from ..facts.activity import analyse_activity
from ..growing_logs import KINDS
from ..plan.model import Plan
from ..plan.storage import make_call_plan
from .custom import RulePair, Transposes
from .pairs import Key, Pair
from .recursion import CallStack, StackedSweep
from .reverse import TRANSPOSED, BackwardWalk
from .shapes import with_shapes


class Calls:
    """The pairs that a derivative needs, planned on demand and generated at the end.

    Parameters
    ----------
    functions
        All functions, in linear form.
    taken
        Names that generated functions must not use.
    log_everything
        Whether to log every value, without a plan.
    transposes
        Transposes of the functions of custom rules.
    """

    def __init__(
        self,
        functions: Mapping[str, Function],
        taken: Iterable[str],
        log_everything: bool = False,
        transposes: Transposes | None = None,
    ) -> None:
        self.primal, self.modes = functions, modes_of(functions)
        self.log_everything, self.transposes = log_everything, transposes
        self.pairs: dict[Key, Pair | RulePair] = {}
        self._taken = set(taken)

    def key(self, s: Call, plan: Plan) -> Key:
        """The kind of a call in a planned function."""
        active = tuple(k for k, a in enumerate(s.args) if plan.facts.is_active(a))
        ruled = self.primal[s.callee].rule is not None
        unused = tuple(k for k, o in enumerate(s.outs) if ruled and is_float(o.type) and not plan.facts.is_active(o))
        return Key(s.callee, active, plan.unchanged[id(s)], unused)

    def of(self, s: Call, plan: Plan) -> Pair | RulePair:
        """The pair for a call in a planned function."""
        key = self.key(s, plan)
        if key not in self.pairs:
            self._plan(key)
        return self.pairs[key]

    def recursive(self) -> tuple[Pair, ...]:
        """The pairs of recursive functions."""
        return tuple(p for p in self.pairs.values() if isinstance(p, Pair))

    def functions(self) -> dict[str, Function]:
        """Both functions of every pair."""
        made: dict[str, Function] = {}
        for p in list(self.pairs.values()):
            if isinstance(p, RulePair):
                made |= p.functions(self.primal, self.transposes)
            else:
                made[p.forward], made[p.reverse] = self._forward(p), self._reverse(p)
        return made

    # -- planning

    def _plan(self, key: Key) -> None:
        """Plan a pair and all pairs that it calls, then determine what each of them pushes."""
        todo, new = [key], []
        while todo:
            k = todo.pop()
            if k not in self.pairs:
                self.pairs[k] = made = self._planned(k) if self.primal[k.callee].rule is None else self._ruled(k)
                new.append(made)
                todo += made.calls
        kinds = {p.key: p.own_kinds() for p in new}
        kinds |= {p.key: set(p.kinds) for p in self.pairs.values() if p.key not in kinds}
        while True:
            before = sum(map(len, kinds.values()))
            for p in new:
                for k in p.calls:
                    kinds[p.key] |= kinds[k]
            if sum(map(len, kinds.values())) == before:
                break
        for p in new:
            p.kinds = tuple(k for k in KINDS if k in kinds[p.key])

    def _ruled(self, key: Key) -> RulePair:
        return RulePair(key, self._name(key, "fwd"), self._name(key, "rev"), self.primal[key.callee], self.primal)

    def _planned(self, key: Key) -> Pair:
        f, shapes = with_shapes(self.primal[key.callee])
        wrapped, loop = _as_iteration(f)
        facts = analyse_activity(
            wrapped, self.modes, [f.params[k].var.name for k in key.active], results=f.body.results
        )
        lost = [p.var.name for k, p in enumerate(f.params) if isinstance(p.var.type, Array) and k not in key.kept]
        facts.moved |= set(lost)  # not visible to the reverse
        plan = make_call_plan(facts, shapes, loop, self.log_everything)
        calls = tuple(self.key(s, plan) for s in walk(loop.body) if isinstance(s, Call) and facts.matters(s))
        types = [f.params[k] for k in key.active]
        return Pair(
            key,
            self._name(key, "fwd"),
            self._name(key, "rev"),
            f,
            plan,
            plan.bodies[id(loop)],
            tuple(k for k, r in enumerate(f.body.results) if facts.is_active(r)),
            tuple(
                k for k, p in zip(key.active, types, strict=True) if isinstance(p.var.type, Array) and p.mode != "own"
            ),
            tuple(
                k for k, p in zip(key.active, types, strict=True) if isinstance(p.var.type, Scalar) or p.mode == "own"
            ),
            tuple(dict.fromkeys(calls)),
        )

    def _name(self, key: Key, what: str) -> str:
        name = "_".join([key.callee, what, *map(str, key.active), *(("with", *map(str, key.kept)) if key.kept else ())])
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    # -- generation

    def _sweep(self, p: Pair) -> tuple[StackedSweep, Names]:
        names = Names(all_names(p.plan.facts.function))
        sweep = StackedSweep(p.plan.facts, p.plan, names)
        sweep.stack = CallStack(p.plan, self, names, p.kinds)
        return sweep, names

    def _forward(self, p: Pair) -> Function:
        sweep, _ = self._sweep(p)
        out: list[Stmt] = []
        sweep.block(p.body.loop.body, p.body, None, out)
        results = tuple(map(sweep.at, p.primal.body.results))
        params = (*p.primal.params, *sweep.stack.logs.params("mut"))
        return Function(p.forward, params, Block(tuple(out), results), p.primal.span)

    def _reverse(self, p: Pair) -> Function:
        sweep, names = self._sweep(p)
        back = BackwardWalk(p.plan.facts, p.plan, names, sweep)
        bars = Bars()
        primal = p.primal
        params = [Param(primal.params[k].var, "read") for k in p.key.kept]
        params += sweep.stack.logs.params("read")
        for k in p.seeds:
            r = primal.body.results[k]
            assert isinstance(r, Var)
            bar = bar_of(r, names)
            params.append(Param(bar, "own", linear=True))
            (bars.arrays if isinstance(r.type, Array) else bars.scalars)[r.name] = bar  # type: ignore[index]
        for k in p.lent:
            v, mode = primal.params[k].var, primal.params[k].mode
            bars.arrays[v.name] = bar_of(v, names)
            params.append(Param(bars.arrays[v.name], TRANSPOSED[mode], linear=True, like=v.name))
        out: list[Stmt] = []
        back.block(p.body.loop.body, p.body, bars, out)
        given = [primal.params[k].var for k in p.given]
        results = tuple(bars.arrays[v.name] if isinstance(v.type, Array) else back.scalar_bar(v, bars) for v in given)
        return Function(p.reverse, tuple(params), Block((*back.seeds, *out), results), primal.span)


def _as_iteration(f: Function) -> tuple[Function, Loop]:
    """The body of a function as the only iteration of a loop that carries its scalars. Like the values of an iteration,
    they are out of scope afterwards."""
    names = Names(all_names(f))
    scalars = tuple(p.var for p in f.params if isinstance(p.var.type, Scalar))
    inits = tuple(Const(False if v.type == BOOL else 0.0 if is_float(v.type) else 0, v.type) for v in scalars)
    outs = tuple(names.like(v) for v in scalars)
    one = Const(1, I64)
    loop = Loop(
        names.var("call", I64), Const(0, I64), one, one, scalars, inits, Block(f.body.stmts, scalars), outs, span=f.span
    )
    return replace(f, body=Block((loop,), ())), loop
