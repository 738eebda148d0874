"""Reverse differentiation: from a linear core function to a core function that computes its adjoint.

One reverse walk over the statements applies a rule to each: the adjoint of `dup` is ``+``, that of a load an in-place
addition to one cell of the adjoint array, that of a drop a zero. The forward sweep, and access to primal values in the
reverse walk, follow the storage plan.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Const, Copy, Dense, Dim, Drop, Dup, Fill, Function, If, Let, Load, Loop,
    Names, Param, Read, Stmt, Store, Var, all_names, walk,
)
from linad_typecheck.linear.uses import Modes
from linad_typecheck.ops import OPS
from linad_typecheck.types import I64, ZEROS, Array, Scalar, is_float

from ...derivatives.table import RULES, Point
from . import dense
from ..facts.activity import Facts
from ..bars import Bars, bar_name, bar_of
from ..checkpoints.reverse import backward
from ..checkpoints.state import unmarked
from .forward_sweep import ForwardSweep
from ..facts.reversal_order import order_free
from ..plan.model import Body, Frame, Plan
from .shapes import with_shapes
from .pairs import Pairs
from .recursion import CallStack
from ..plan.undo import choose_undo


def reverse(
    f: Function,
    modes: Modes,
    wrt: Iterable[str],
    name: str,
    value: bool = True,
    log_everything: bool = False,
    calls: Pairs | None = None,
) -> Reversed:
    """The function that runs ``f`` and then its adjoint.

    Parameters
    ----------
    f
        In linear form, accepted by `check_linear`.
    wrt
        Names of the float parameters to differentiate by.
    value
        Whether to return the results of ``f``, too.
    log_everything
        Whether loops log every value that their reverse needs, instead of following a plan.
    calls
        The adjoints of the functions that ``f`` calls, if it has active calls.

    Returns
    -------
    Reversed
        ``function``: its parameters are those of ``f``; then, per float result, its cotangent; then, per float array
        parameter that is differentiated by or updated, its adjoint buffer (of mode `acc` for a parameter that is read,
        `read` for `acc`, `mut` for `mut`). Its results are those of ``f``, then the adjoints of the scalar parameters
        in ``wrt``. It is not in linear form: `linearise` it. ``plan``: the storage plan.
    """
    wrt = tuple(wrt)
    f, shapes = with_shapes(f)
    updated = [p.var.name for p in f.params if p.mode in ("mut", "acc") and is_float(p.var.type)]
    facts, plan = choose_undo(f, modes, wrt, shapes, log_everything)
    f = facts.function
    names = Names(all_names(f))
    sweep = BackwardWalk(facts, plan, names, ForwardSweep(facts, plan, names))
    if calls is not None:
        sweep.forward.stack = CallStack(plan, calls, names)
        sweep.seeds += sweep.forward.stack.logs.allocations()
    bars = Bars()
    given: list[Param] = []
    for r in f.body.results:
        if is_float(r.type):
            seed = bar_of(r, names)
            given.append(Param(seed, "read" if isinstance(r.type, Array) else "own", linear=True))
            if isinstance(r, Var) and facts.is_active(r):
                sweep.seed(r, seed, bars)
    for p in f.params:
        v = p.var
        if isinstance(v.type, Array) and is_float(v.type) and (v.name in wrt or v.name in updated):
            bar = bar_of(v, names)
            given.append(Param(bar, TRANSPOSED[p.mode], linear=True, like=v.name))
            bars.arrays[v.name] = bar
    frame = plan.frames[id(f.body)]
    primal = f.body.results if value else ()
    scalars = [p.var for p in f.params if p.var.name in wrt and isinstance(p.var.type, Scalar)]
    block = sweep.frame(frame, bars, primal, scalars)
    block = unmarked(Block((*sweep.seeds, *block.stmts), block.results))
    return Reversed(Function(name, (*f.params, *given), block, f.span), plan)


@dataclass(frozen=True, slots=True)
class Reversed:
    """The result of `reverse`."""

    function: Function
    plan: Plan


TRANSPOSED = {"read": "acc", "acc": "read", "mut": "mut", "own": "own"}


class BackwardWalk:
    """The reverse walk. Methods named after statements emit the adjoint of each into ``out``."""

    def __init__(self, facts: Facts, plan: Plan, names: Names, forward: ForwardSweep) -> None:
        self.facts, self.plan, self.names, self.forward = facts, plan, names, forward
        self.seeds: list[Stmt] = []
        # by name of an adjoint: the value and the adjoint that it is the product of
        self.products: dict[str, tuple[Atom, Atom]] = {}

    # -- frames

    def seed(self, r: Var, cotangent: Var, bars: Bars) -> None:
        """Start the adjoint of a result with its cotangent. An array is copied, because it will be updated."""
        if isinstance(r.type, Scalar):
            bars.scalars[r.name] = cotangent
            return
        copy = self.names.like(cotangent)
        self.seeds.append(Copy(copy, cotangent))
        bars.arrays[r.name] = copy

    def frame(self, frame: Frame, bars: Bars, primal: Iterable[Atom], wanted: Iterable[Var]) -> Block:
        """The forward sweep of a frame, the reverse walk, then the statements deferred until the merged ones have run.
        """
        start: list[Stmt] = []
        out: list[Stmt] = []
        self.forward.block(frame.block, frame, start, out)
        self.block(frame.block, frame, bars, out)
        for s in frame.block.stmts:
            if id(s) in frame.deferred:
                out += self.forward.erased(s)
        results = [self.at(r) for r in primal]
        return Block((*start, *out), (*results, *(self.scalar_bar(v, bars) for v in wanted)))

    def scalar_bar(self, v: Var, bars: Bars) -> Atom:
        return bars.scalars.get(v.name, Const(0.0, v.type))

    # -- the walk

    def block(self, block: Block, region: Frame | Body, bars: Bars, out: list[Stmt]) -> None:
        self.forward.begin(block, region, out)
        for s in reversed(block.stmts):
            if isinstance(region, Body):
                self.forward.bring_back(self.plan.wants.get(id(s), ()), region, out)
            rule = getattr(self, "on_" + type(s).__name__.lower(), None)
            if rule is not None:
                rule(s, region, bars, out)
        self.forward.end(block, region)

    def at(self, a: Atom) -> Atom:
        return self.forward.at(a)

    def index(self, index: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(map(self.at, index))

    def take(self, v: Var, bars: Bars) -> Atom | None:
        """Remove and return the adjoint of a scalar at its definition; None if it is zero."""
        bar = bars.scalars.pop(v.name, None)
        return None if bar is None or (isinstance(bar, Const) and bar.value == 0.0) else bar

    def give(self, a: Atom, bar: Atom, bars: Bars) -> None:
        if isinstance(a, Var) and self.facts.is_active(a):
            bars.scalars[a.name] = bar

    def on_let(self, s: Let, region: object, bars: Bars, out: list[Stmt]) -> None:
        bar = self.take(s.out, bars)
        if bar is None:
            return
        rule = RULES.get(s.op)
        by, rest = self.products.get(bar.name, (None, None)) if isinstance(bar, Var) else (None, None)
        rest = rest if by == self.facts.value(s.ins[0]) else None
        for k in OPS[s.op].diff if rule is not None else ():
            slope, x = rule.slopes[k], s.ins[k]
            if slope is None or not self.facts.is_active(x):
                continue
            builder = Builder(self.names, span=s.span, hint=bar_name(x), adjoint=True)
            needs = rule.needs[k]
            ins = tuple(
                self.at(a) if "xy"[min(j, 1)] in needs or isinstance(a, Const) else a for j, a in enumerate(s.ins)
            )
            value = self.at(s.out) if "o" in needs else s.out
            seed = rule.apply(k, Point(builder, ins, value, rest), bar)
            if s.op == "mul" and isinstance(seed, Var):
                self.products[seed.name] = self.facts.value(s.ins[1 - k]), bar
            if seed.type != x.type:
                seed = builder.op("cast", seed, type=x.type)
            out += builder.stmts
            self.give(x, seed, bars)

    def on_dup(self, s: Dup, region: object, bars: Bars, out: list[Stmt]) -> None:
        self.give_sum(s.x, (self.take(s.first, bars), self.take(s.second, bars)), bars, out, s)

    def on_read(self, s: Read, region: object, bars: Bars, out: list[Stmt]) -> None:
        self.give_sum(s.x, (bars.scalars.get(s.x.name), self.take(s.out, bars)), bars, out, s)

    def give_sum(self, x: Var, parts: tuple[Atom | None, ...], bars: Bars, out: list[Stmt], s: Stmt) -> None:
        builder = Builder(self.names, span=s.span, hint=bar_name(x), adjoint=True)
        total: Atom = Const(0.0, x.type)
        for part in parts:
            if part is not None:
                total = builder.add(total, part)
        out += builder.stmts
        self.give(x, total, bars)

    # -- arrays

    def on_load(self, s: Load, region: object, bars: Bars, out: list[Stmt]) -> None:
        bar = self.take(s.out, bars)
        if bar is not None and self.facts.is_active(s.array):
            out.append(AddTo(bars.arrays[s.array.name], self.index(s.index), bar, False, s.span))

    def put_back(self, s: Store | AddTo, out: list[Stmt]) -> None:
        """Undo a write, so that earlier contents can be re-read."""
        if id(s) in self.facts.exchange:
            out += self.forward.exchanged(s)
        old = self.facts.undo.get(id(s))
        if old is not None:
            out.append(Store(s.array, self.index(s.index), self.at(old), False, s.span))

    def on_store(self, s: Store, region: object, bars: Bars, out: list[Stmt]) -> None:
        self.put_back(s, out)
        if self.facts.is_active(s.array):
            cells, index = bars.arrays[s.array.name], self.index(s.index)
            self.give_cell(s, cells, index, bars, out)
            out.append(Store(cells, index, Const(0.0, Scalar(cells.type.dtype)), False, s.span))

    def on_addto(self, s: AddTo, region: object, bars: Bars, out: list[Stmt]) -> None:
        self.put_back(s, out)
        if self.facts.is_active(s.array):
            self.give_cell(s, bars.arrays[s.array.name], self.index(s.index), bars, out)

    def give_cell(self, s: Store | AddTo, cells: Var, index: tuple[Atom, ...], bars: Bars, out: list[Stmt]) -> None:
        if self.facts.is_active(s.value):
            bar = bar_of(s.value, self.names)
            out.append(Load(bar, cells, index, False, s.span))
            self.give(s.value, bar, bars)

    def on_addarray(self, s: AddArray, region: object, bars: Bars, out: list[Stmt]) -> None:
        if self.facts.is_active(s.array) and self.facts.is_active(s.other):
            out.append(AddArray(bars.arrays[s.other.name], bars.arrays[s.array.name], s.span))

    def on_fill(self, s: Fill, region: object, bars: Bars, out: list[Stmt]) -> None:
        if not self.facts.is_active(s.array):
            return
        cells = bars.arrays[s.array.name]
        if self.facts.is_active(s.value):
            total = self.sum_of(cells, s, out)
            self.give(s.value, total, bars)
        out.append(Fill(cells, Const(0.0, Scalar(cells.type.dtype)), s.span))

    def sum_of(self, cells: Var, s: Stmt, out: list[Stmt]) -> Atom:
        """The sum over all cells of an adjoint array, by nested loops."""
        scalar = Scalar(cells.type.dtype)
        total_bar = Var("total_bar", scalar, adjoint=True)
        dims = [self.names.var("n", I64) for _ in range(cells.type.rank)]
        out += [Dim(d, cells, k, s.span) for k, d in enumerate(dims)]
        index = tuple(self.names.var("i", I64) for _ in dims)

        def nest(k: int, total: Atom) -> tuple[list[Stmt], Atom]:
            if k == len(dims):
                cell, new = self.names.var("e", scalar), self.names.like(total_bar)
                return [Load(cell, cells, index, False, s.span), Let(new, "add", (total, cell), s.span)], new
            inner, result = self.names.like(total_bar), self.names.like(total_bar)
            stmts, new = nest(k + 1, inner)
            body = Block(tuple(stmts), (new,))
            return [
                Loop(index[k], Const(0, I64), dims[k], Const(1, I64), (inner,), (total,), body, (result,), span=s.span)
            ], result

        stmts, total = nest(0, Const(0.0, scalar))
        out += stmts
        return total

    def on_dense(self, s: Dense, region: Frame | Body, bars: Bars, out: list[Stmt]) -> None:
        if self.facts.matters(s):
            dense.backward(self.forward, s, region, bars, out)

    def on_copy(self, s: Copy, region: object, bars: Bars, out: list[Stmt]) -> None:
        if self.facts.is_active(s.out):
            bar = bars.arrays.pop(s.out.name)
            if self.facts.is_active(s.array):
                out.append(AddArray(bars.arrays[s.array.name], bar, s.span))

    def on_alloc(self, s: Alloc, region: object, bars: Bars, out: list[Stmt]) -> None:
        bars.arrays.pop(s.out.name, None)

    def on_drop(self, s: Drop, region: object, bars: Bars, out: list[Stmt]) -> None:
        if isinstance(s.x.type, Array) and self.facts.is_active(s.x):
            bar = bar_of(s.x, self.names)
            shape = self.index(self.plan.shapes[id(s)])
            out.append(Alloc(bar, shape, Const(0.0, Scalar(s.x.type.dtype)), s.span))
            bars.arrays[s.x.name] = bar

    # -- regions

    def outer_reads(self, inside: Iterable[Block], own: Iterable[str] = ()) -> list[Var]:
        """The active float scalars of outer blocks that these blocks read; their adjoints become loop-carried or
        results. ``own``: names that the blocks define."""
        made = set(own)
        read: dict[str, Var] = {}
        for b in inside:
            for s in walk(b):
                match s:
                    case Read(out, x) if self.facts.is_active(x):
                        made.add(out.name)
                        read.setdefault(x.name, x)
                    case Let(out=v) | Load(out=v):
                        made.add(v.name)
                    case Dup(a, c, _):
                        made |= {a.name, c.name}
                    case If(outs=outs) | Call(outs=outs):
                        made |= {o.name for o in outs}
                    case Loop(outs=outs, carried=carried):
                        made |= {o.name for o in (*outs, *carried)}
        return [x for n, x in read.items() if n not in made]

    def on_if(self, s: If, region: Frame | Body, bars: Bars, out: list[Stmt]) -> None:
        frame = region if isinstance(region, Frame) else region.frame
        merged = isinstance(region, Frame) and id(s) in frame.merged
        if not self.facts.matters(s):
            return
        arms = (s.then, s.orelse)
        reads = self.outer_reads(arms)
        given = [(k, o) for k, o in enumerate(s.outs) if self.facts.is_active(o)]
        incoming = {k: self.take(o, bars) if isinstance(o.type, Scalar) else bars.arrays.pop(o.name) for k, o in given}
        done: list[tuple[list[Stmt], Bars, Block | None]] = []
        for arm in arms:
            inside = bars.fork()
            for k, bar in incoming.items():
                r = arm.results[k]
                if bar is not None and isinstance(r, Var):
                    if isinstance(r.type, Array):
                        inside.arrays[r.name] = bar
                    else:
                        self.give(r, bar, inside)
            if merged:
                block = self.frame(self.plan.frames[id(arm)], inside, arm.results, ())
                done.append((list(block.stmts), inside, block))
            else:
                stmts: list[Stmt] = []
                self.block(arm, region, inside, stmts)
                done.append((stmts, inside, None))
        # arrays of the outer block that an arm moved or dropped are live again and have an adjoint
        arrays = dict.fromkeys(n for _, b, _ in done for n in b.arrays if n not in bars.arrays)
        results: list[list[Atom]] = [[], []]
        outs: list[Var] = []
        for x in reads:
            outs.append(bar_of(x, self.names))
            for r, (_, b, _) in zip(results, done, strict=True):
                r.append(self.scalar_bar(x, b))
        for n in arrays:
            pair = [b.arrays.get(n) for _, b, _ in done]
            like = next(v for v in pair if v is not None)
            outs.append(self.names.like(like))
            for r, v in zip(results, pair, strict=True):
                r.append(v)
        primal = [tuple(b.results) if b is not None else () for _, _, b in done]
        built = [Block(tuple(st), (*p, *r)) for (st, _, _), p, r in zip(done, primal, results, strict=True)]
        out.append(If(self.at(s.cond), *built, (*(s.outs if merged else ()), *outs), s.span))
        for x, o in zip(reads, outs, strict=False):
            bars.scalars[x.name] = o
        for n, o in zip(arrays, outs[len(reads) :], strict=True):
            bars.arrays[n] = o

    def on_loop(self, s: Loop, region: Frame | Body, bars: Bars, out: list[Stmt]) -> None:
        mode = self.plan.modes[id(s)]
        if mode == "plain":
            return
        nexts = s.nexts
        reads = self.outer_reads([s.body], {c.name for c in s.carried})
        active = [k for k, c in enumerate(s.carried) if self.facts.is_active(c)]
        inside = bars.fork()
        carried: list[Var] = []
        inits: list[Atom] = []
        for k in active:
            c, o = s.carried[k], s.outs[k]
            bar = bar_of(c, self.names)
            carried.append(bar)
            if isinstance(c.type, Array):
                inits.append(bars.arrays.pop(o.name))
                inside.arrays.pop(o.name, None)
                inside.arrays[nexts[k].name] = bar
            else:
                inits.append(self.take(o, bars) or Const(0.0, c.type))
                inside.scalars.pop(o.name, None)
                self.give(nexts[k], bar, inside)
        for x in reads:
            bar = bar_of(x, self.names)
            carried.append(bar)
            inits.append(self.scalar_bar(x, bars))
            inside.scalars[x.name] = bar
        if mode == "logged":
            head, body = self.logged_loop(s, inside, active, reads, out)
        elif mode == "checkpointed":
            head, body = backward(self, s, inside, active, reads, out)
        else:
            head, body = self.frame_loop(s, mode, inside, active, reads, out)
        outs = [self.names.like(c) for c in carried]
        merged = mode == "merged"
        loop = replace(
            head,
            carried=(*(s.carried if merged else ()), *carried),
            inits=(*(map(self.at, s.inits) if merged else ()), *inits),
            body=body,
            outs=(*(s.outs if merged else ()), *outs),
            span=s.span,
        )
        out.append(loop)
        for k, o in zip(active, outs, strict=False):
            i = s.inits[k]
            if isinstance(i, Var):
                if isinstance(i.type, Array):
                    bars.arrays[i.name] = o
                else:
                    self.give(i, o, bars)
        for x, o in zip(reads, outs[len(active) :], strict=True):
            bars.scalars[x.name] = o

    def carried_bars(self, s: Loop, bars: Bars, active: list[int], reads: list[Var]) -> tuple[Atom, ...]:
        own = [s.carried[k] for k in active]
        return tuple(
            bars.arrays[c.name] if isinstance(c.type, Array) else self.scalar_bar(c, bars) for c in (*own, *reads)
        )

    def frame_loop(
        self, s: Loop, mode: str, bars: Bars, active: list[int], reads: list[Var], out: list[Stmt]
    ) -> tuple[Loop, Block]:
        """A fused or merged loop: each iteration runs forward and in reverse, in the original order of iterations if
        the adjoints commute."""
        if mode == "fused":
            for c in s.carried:
                self.forward.bound[c.name] = Const(ZEROS[c.type.dtype], c.type)
        if order_free(s, self.facts):
            start, stop, step = self.at(s.start), self.at(s.stop), self.at(s.step)
        else:
            start, stop, step = self.forward.reversed_range(s, out)
        block = self.frame(self.plan.frames[id(s.body)], bars, s.body.results if mode == "merged" else (), ())
        body = Block(block.stmts, (*block.results, *self.carried_bars(s, bars, active, reads)))
        return replace(s, start=start, stop=stop, step=step), body

    def logged_loop(
        self, s: Loop, bars: Bars, active: list[int], reads: list[Var], out: list[Stmt]
    ) -> tuple[Loop, Block]:
        """A loop over the reversed range; primal values of an iteration come from the log or are recomputed."""
        plan_body = self.plan.bodies[id(s)]
        header, stmts = self.forward.reversed_loop(plan_body, out)
        self.block(s.body, plan_body, bars, stmts)
        return header, Block(tuple(stmts), self.carried_bars(s, bars, active, reads))

    def on_call(self, s: Call, region: Frame | Body, bars: Bars, out: list[Stmt]) -> None:
        if self.facts.matters(s):
            self.forward.stack.backward(s, self, bars, out)
