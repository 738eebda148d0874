"""Loops: what a body changes is carried; the types at the head are found by lowering the body until they are stable."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from ..core import Atom, Block, Checkpoint, Const, Loop, Var
from ..frozen import frozen
from ..linear.liveness import bound, rebound
from ..linear.ownership import as_one, inherits, lose, movable
from ..messages.language import Unsupported
from ..messages.types import TypeChanges
from ..types import BOOL, I64, Array, Type
from .carried import Plan, fits, lost_leaf, outside, renamed
from .checkpoints import mark_of, marked
from .context import BREAK, CTL, FALSE, ONE, RETURN, RUN, TRUE, ZERO, Lowering
from .exits import breaks, returns
from .expressions import condition
from .iterables import Iteration, Unrolled, iteration
from .joins import branch, coerce, made_in
from .places import materialise
from .statements import assign, block, how_left, register, set_left, surely_bound
from .values import (
    ARRAYS,
    SILENT,
    ArrayType,
    ArrayValue,
    Binding,
    Loss,
    LostArray,
    OtherType,
    Poison,
    ScalarType,
    ScalarValue,
    TupleType,
    TupleValue,
    UnionValue,
    Value,
    ValueType,
    ViewValue,
    arrays,
    contains,
    describe,
    join_types,
    leaves,
    rebuild,
    type_leaves,
    type_of,
)

AGAIN = "%again"


@frozen
class Shape:
    """The parts of a loop statement that `for` and `while` differ in."""

    node: ast.For | ast.While
    start: Atom
    stop: Atom | None
    step: Atom
    nonneg: bool
    enter: Callable[[Atom], None]  # binds the target
    test: ast.expr | None = None
    mark: Checkpoint | None = None

    @property
    def has_break(self) -> bool:
        return breaks(self.node.body)

    @property
    def has_return(self) -> bool:
        return returns(self.node.body)


def _for(ctx: Lowering, s: ast.For) -> None:
    around = marked(ctx, s.iter)
    over = s.iter if around is None else around.inner
    it, span = None if over is None else iteration(ctx, over), ctx.span(over or s.iter)
    mark = None if around is None else mark_of(ctx, around, literal=False)
    match it:
        case None:
            _explore(ctx, s)
        case Unrolled(items=items):
            if around is not None:
                ctx.report(Unsupported(ctx.span(s.iter), "checkpointing a loop over a tuple", "loop over a range or an array"))
            _unroll(ctx, s, items)
        case Iteration():
            ctx.env.update(it.held)
            target = lambda i: assign(ctx, s.target, it.element(i), span)
            shape = Shape(s, it.start, it.stop, it.step, it.nonneg, target, mark=mark)
            _loop(ctx, shape, _hint(s.target))
            for key in it.held:
                ctx.env.pop(key, None)
            _else(ctx, shape)


def _hint(target: ast.expr) -> str:
    match target:
        case ast.Name(id=name) | ast.Tuple(elts=[ast.Name(id=name), *_]):
            return name.strip("%")
    return "i"


def _while(ctx: Lowering, s: ast.While) -> None:
    around = marked(ctx, s.test)
    test, mark = (s.test, None) if around is None else (around.inner or s.test, mark_of(ctx, around, literal=True))
    shape = Shape(s, ZERO, None, ONE, True, lambda i: None, test, mark)
    _loop(ctx, shape, "turn")
    _else(ctx, shape)


def _explore(ctx: Lowering, s: ast.For) -> None:
    """The iterable was reported: look at the body once with a poisoned target."""
    for name in bound([*s.body, s.target]):
        ctx.env[name] = Binding(Poison(), ctx.span(s))
    block(ctx, s.body, frozenset())
    set_left(ctx, RUN, ctx.span(s))
    for name in bound([*s.body, s.target]):
        ctx.env[name] = Binding(Poison(), ctx.span(s))


def _unroll(ctx: Lowering, s: ast.For, items: tuple[Value, ...]) -> None:
    if any(True for x in s.body if breaks([x]) or returns([x]) or _continues(x)):
        instead = "loop over a range with an `if` on the index, or write the elements out"
        ctx.report(Unsupported(ctx.span(s), "leaving a loop over a tuple", instead))
        return
    for item in items:
        assign(ctx, s.target, item, ctx.span(s.iter))
        block(ctx, s.body, ctx.live.head[id(s)])
    block(ctx, s.orelse, ctx.live.after.get(id(s), frozenset()))


def _continues(s: ast.stmt) -> bool:
    return any(isinstance(n, ast.Continue) for n in ast.walk(s))


def _else(ctx: Lowering, shape: Shape) -> None:
    """After the loop: its `else`, and how the enclosing block goes on."""
    s, span = shape.node, ctx.span(shape.node)
    left = how_left(ctx)
    after = ctx.live.after.get(id(s), frozenset())
    endless = isinstance(shape.test, ast.Constant) and bool(shape.test.value)
    if not shape.has_return:
        if s.orelse and shape.has_break and not isinstance(left, Const):
            ran_out = ctx.let("done", "ne", (left, BREAK), BOOL, span)
            set_left(ctx, RUN, span)
            branch(ctx, ran_out, lambda: block(ctx, s.orelse, after), lambda: None, after, span)
            return
        set_left(ctx, RUN, span)
        block(ctx, s.orelse, after)
        return
    if endless and not shape.has_break:
        set_left(ctx, RETURN, span)
        return
    if isinstance(left, Const):
        set_left(ctx, RETURN if left == RETURN else RUN, span)
        return

    def other() -> None:
        if shape.has_break or any(_continues(x) for x in s.body):  # the last iteration may have ended in `continue`
            returned = ctx.let("b", "eq", (left, RETURN), BOOL, span)
            set_left(ctx, ctx.let("ctl", "select", (returned, RETURN, RUN), I64, span), span)

    if not s.orelse:
        other()
        return
    ran_out = ctx.let("done", "lt", (left, BREAK), BOOL, span)

    def orelse() -> None:
        set_left(ctx, RUN, span)
        block(ctx, s.orelse, after)

    saved, ctx.want_ctl = ctx.want_ctl, True
    branch(ctx, ran_out, orelse, other, after, span)
    ctx.want_ctl = saved


def run_loop(ctx: Lowering, shape: Shape) -> None:
    """A `for` as an expression has it, without an `else` and without a `return`."""
    _loop(ctx, shape, _hint(shape.node.target))
    set_left(ctx, RUN, ctx.span(shape.node))


def _loop(ctx: Lowering, shape: Shape, hint: str) -> None:
    node = shape.node
    live = ctx.live.head[id(node)] | ctx.live.always
    ctx.env = {n: b for n, b in ctx.env.items() if n in live or n[0] == "%"}
    assigned = ctx.live.binds([*node.body, node.target if isinstance(node, ast.For) else node.test])
    plan = Plan()
    for name in assigned:
        if name in ctx.env and contains(ctx.env[name].value, LostArray):
            plan.lost[name] = lost_leaf(ctx.env[name].value)
        elif name in ctx.env and not (isinstance(ctx.env[name].value, ARRAYS) and name not in rebound(node)):
            plan.types[name] = type_of(ctx.env[name].value)
            if ctx.env[name].defined is not None:
                plan.flagged.add(name)
    for _ in range(30):
        state, version = ctx.save(), plan.copy()
        _Attempt(ctx, shape, plan, live, hint).run()
        if plan == version:
            for change in plan.changes.values():
                ctx.report(change)
            return
        ctx.restore(state)
    raise AssertionError("the types at a loop head do not settle")


def whole(ctx: Lowering, v: Value, t: ValueType, name: str, span) -> Value:
    """A view, or one of two arrays, as the array that a loop carries on from it, also in tuples."""
    match t, v:
        case TupleType(items=kinds), TupleValue(items=items) if len(kinds) == len(items):
            return TupleValue(tuple(whole(ctx, p, kind, name, span) for p, kind in zip(items, kinds, strict=True)), v.record)
        case ArrayType(), ViewValue() | UnionValue():
            ctx.fact("copy", name, span, f"the loop gives `{name}` arrays of its own; the first one is part of another")
            made = materialise(ctx, v, name, span)
            as_one(ctx, made.var.name, *(a.name for a in arrays(v)))
            return made
    return v


class _Attempt:
    """Lower a loop under a plan; whatever contradicts the plan is entered into it for the next attempt."""

    def __init__(self, ctx: Lowering, shape: Shape, plan: Plan, live: frozenset[str], hint: str) -> None:
        self.ctx, self.shape, self.plan, self.live, self.hint = ctx, shape, plan, live, hint
        self.span = ctx.span(shape.node.iter if isinstance(shape.node, ast.For) else shape.node.test)
        self.carried: list[Var] = []
        self.inits: list[Atom] = []
        self.owner: dict[str, tuple[str, Var]] = {}  # first array of a carried one, to the name and the variable that carry it
        self.flags: dict[str, Var] = {}
        self.steady: dict[tuple[str, int], Var] = {}
        self.exits = shape.stop is None or shape.has_break or shape.has_return

    def run(self) -> None:
        ctx, shape, plan = self.ctx, self.shape, self.plan
        for name, value in plan.lost.items():
            if name in ctx.env:
                ctx.env[name] = replace(ctx.env[name], value=value)
        before = dict(ctx.env)
        self.steady = plan.steady(before)
        kept = {v.name for n, b in before.items() if n not in plan.types for v in arrays(b.value)}
        kept |= {v.name for v in self.steady.values()}
        for name, t in plan.types.items():
            self.head(name, t, before.get(name), kept)
        carried = {v.name for v in self.carried}
        mixed = [v.name for name in plan.mixed for v in arrays(ctx.env[name].value) if v.name in carried]
        as_one(ctx, *mixed, *(carried & ctx.alike.keys()))
        head = dict(ctx.env)
        index = ctx.fresh(self.hint, I64)
        if shape.nonneg:
            ctx.nonneg.add(index.name)
        saved = ctx.want_ctl
        ctx.want_ctl = self.exits and (shape.has_break or shape.has_return)
        with ctx.block() as stmts:
            again = self.body(index)
            left, ended = how_left(ctx), dict(ctx.env)
            dead = ctx.dead
            moving = self.compare(head, ended, left, dead)
            results = [] if moving else self.results(head, ended, left, kept, dead)
        ctx.want_ctl = saved
        if moving:
            return
        self.finish(before, head, index, stmts, results, again, left)

    # -- head

    def head(self, name: str, t: ValueType, b: Binding | None, kept: set[str]) -> None:
        """Bind a name to fresh carried variables."""
        ctx = self.ctx
        span = self.span if b is None else b.span
        if isinstance(t, OtherType):
            if b is None and isinstance(t.value, Poison):  # who reads it before the body assigns it is told so again
                return
            ctx.env[name] = Binding(t.value if b is None or isinstance(t.value, Poison) else b.value, span)
            return
        if name in self.plan.lost:
            return
        first = list(coerce(ctx, None if b is None else whole(ctx, b.value, t, name, self.span), t, self.span))
        fresh: list[Atom] = []
        for k, (atom, kind) in enumerate(zip(first, type_leaves(t), strict=True)):
            if (name, k) in self.steady:
                fresh.append(atom)
            elif isinstance(kind, Array):
                fresh.append(self.array(name, atom, kind, kept))
            else:
                fresh.append(self.carry(name, kind, atom))
                ctx.widen(fresh[-1], name, span, None if b is None else b.value)
                if isinstance(t, ScalarType) and ctx.is_nonneg(atom) and name not in self.plan.negative:
                    ctx.nonneg.add(fresh[-1].name)
        flag = None
        if name in self.plan.flagged:
            init = FALSE if b is None else (b.defined or TRUE)
            flag = self.flags[name] = self.carry(f"{name}_set", BOOL, init)
        ctx.env[name] = Binding(rebuild(t, iter(fresh)), span, flag)

    def carry(self, name: str, t: Type, init: Atom) -> Var:
        var = self.ctx.fresh(name.strip("%"), t)
        self.carried.append(var)
        self.inits.append(init)
        return var

    def array(self, name: str, first: Var, t: Array, kept: set[str]) -> Var:
        """The carried variable of an array, which takes its first array over; a copy of it, where that stays in use."""
        ctx = self.ctx
        _, taken = self.owner.get(first.name, (name, None))
        if taken is None and first.name not in kept and movable(ctx, first):
            var = self.carry(name, t, first)
            self.owner[first.name] = name, var
            inherits(ctx, var, first)
            return var
        ctx.fact("copy", name, self.span, f"the loop gives `{name}` arrays of its own; the first one stays in use elsewhere")
        var = self.carry(name, t, materialise(ctx, ArrayValue(first), name, self.span).var)
        as_one(ctx, var.name, (taken or first).name)
        return var

    # -- body

    def body(self, index: Var) -> Atom | None:
        """Lower the body; the condition of another turn, for loops with exits."""
        ctx, shape = self.ctx, self.shape
        set_left(ctx, RUN, self.span)

        def turn() -> None:
            shape.enter(index)
            block(ctx, shape.node.body, self.live)
            if self.exits:
                ctx.env[AGAIN] = Binding(ScalarValue(self.again()), self.span)

        def stop() -> None:
            ctx.env[AGAIN] = Binding(ScalarValue(FALSE), self.span)

        if shape.test is None:
            turn()
            return ctx.env.pop(AGAIN).value.atom if self.exits else None
        cond = condition(ctx, shape.test)
        if cond is None:
            cond = ctx.fresh("b", BOOL)
            surely_bound(ctx, shape.test, True)
        goes_on = []

        def noted() -> None:
            turn()
            goes_on.append(ctx.env[AGAIN].value.atom)

        branch(ctx, cond, noted, stop, self.live, self.span)
        again = ctx.env.pop(AGAIN).value.atom
        return again

    def again(self) -> Atom:
        left = how_left(self.ctx)
        if isinstance(left, Const):
            return Const(left.value < BREAK.value, BOOL)
        return self.ctx.let("again", "lt", (left, BREAK), BOOL, self.span)

    # -- end of the body

    def compare(self, head: dict[str, Binding], ended: dict[str, Binding], left: Atom, dead: bool) -> bool:
        """Enter into the plan what the end of the body does not fit in. True where an array in a tuple is exchanged that
        was taken for steady: what else was found rests on that."""
        plan = self.plan
        moving = len(plan.moving)
        gone = dead or left == RETURN
        for name, b in ended.items():
            if name in (CTL, AGAIN) or (gone and name[0] != "%") or not (name in self.live or name[0] == "%"):
                continue
            h = head.get(name)
            told_here = isinstance(b.value, Poison) and not (h is not None and isinstance(h.value, Poison))
            if told_here and b.value.told is not None:  # it has to be told again in the next attempt
                plan.lost.setdefault(name, b.value.told)
                continue
            if contains(b.value, LostArray) and name not in plan.lost:
                if h is not None and not (name in plan.types and h.value == b.value):
                    plan.lost[name] = lost_leaf(b.value)
                continue
            if name in plan.lost:
                continue
            if isinstance(b.value, Poison) and h is not None and not contains(h.value, SILENT):
                plan.types.setdefault(name, type_of(h.value))  # what was told is told again only if the head is as it was
                continue
            t = type_of(b.value)
            if (h is None or h.value != b.value) and not self.carries(b.value if h is None else h.value, b.value):
                var = next(arrays(b.value))
                loss = Loss("carried", f"`{var.name.partition('.')[0]}`", b.span)
                plan.lost[name] = LostArray(var.type if isinstance(t, TupleType) else Array(t.dtype, t.rank), loss)
                continue
            if name not in plan.types:
                if h is None or h.value != b.value or h.defined != b.defined:
                    plan.types[name] = t if h is None else self.joined(name, type_of(h.value), t, h, b)
                    if name[0] != "%" and (h is None or h.defined is not None):
                        plan.flagged.add(name)
                continue
            if isinstance(t, TupleType):
                parts = list(leaves(b.value))
                plan.moving |= {(n, k) for (n, k), v in self.steady.items() if n == name and parts[k : k + 1] != [v]}
            plan.types[name] = self.joined(name, plan.types[name], t, h, b)
            if b.defined is not None and name[0] != "%":
                plan.flagged.add(name)
            if h is not None and isinstance(b.value, ScalarValue) and isinstance(h.value, ScalarValue) and self.ctx.is_nonneg(h.value.atom):
                if not self.ctx.is_nonneg(b.value.atom):
                    plan.negative.add(name)
        return len(plan.moving) != moving

    def carries(self, before: Value, v: Value) -> bool:
        """Whether a name can go on with array ``v`` in the next iteration: as an array of its own, or as a view of the same
        array from outside of the loop."""
        match before, v:
            case TupleValue(items=items), TupleValue(items=others) if len(items) == len(others):
                return all(p == q or self.carries(p, q) for p, q in zip(items, others, strict=True))
            case ArrayValue(), ArrayValue():
                return True
            case ViewValue() | UnionValue(), ArrayValue():  # `whole` makes an array of it
                return True
            case ViewValue(var=old), ViewValue(var=new):
                inside = {x.name for x in self.carried} | made_in(self.ctx.out)
                return old == new and new.name not in inside and join_types(type_of(before), type_of(v)) is not None
            case _:
                return not (isinstance(before, ARRAYS) and isinstance(v, ARRAYS))

    def joined(self, name: str, one: ValueType, other: ValueType, h: Binding, b: Binding) -> ValueType:
        t = join_types(one, other)
        if t is None:
            if name[0] != "%":
                self.plan.changes[name] = TypeChanges(b.span, name, describe(one), describe(other), (h or b).span, "iterations")
            return OtherType(Poison())
        return t

    def results(self, head, ended, left: Atom, kept: set[str], dead: bool) -> list[Atom]:
        ctx, plan = self.ctx, self.plan
        given: dict[str, str] = {}
        out: list[Atom] = []
        gone = left == RETURN or dead
        for name, t in plan.types.items():
            if isinstance(t, OtherType) or name in plan.lost or name not in head:
                continue
            h, b = head[name], ended.get(name)
            if not fits(h.value, t):
                continue
            value = None if b is None or contains(b.value, (LostArray, *SILENT)) else b.value
            if gone and name[0] != "%":
                value = None
            if isinstance(h.value, ScalarValue) and b is not None:
                ctx.widen(h.value.atom, name, b.span, value)
            atoms = list(coerce(ctx, value, t, self.span))
            for k, atom in enumerate(atoms):
                if not isinstance(atom.type, Array) or (name, k) in self.steady:
                    continue
                if atom.name in kept or atom.name in given or not movable(ctx, atom):
                    other = given.get(atom.name) or next((n for n, x in head.items() if atom in arrays(x.value)), "another name")
                    loss = Loss("carried", f"`{other}`", self.span if b is None else b.span)
                    if not movable(ctx, atom):
                        loss = Loss("lent", ctx.lent[atom.name].name, self.span, b.span)
                    plan.lost.setdefault(name, LostArray(atom.type, loss))
                given[atom.name] = name
                if atom.name in ctx.alike and list(leaves(h.value))[k].name not in ctx.alike[atom.name]:
                    plan.mixed.add(name)
            out += (atom for k, atom in enumerate(atoms) if (name, k) not in self.steady)
            if name in self.flags:
                flag = FALSE if b is None else (b.defined or TRUE)
                out.append(TRUE if gone else flag)
        return out

    def finish(self, before, head, index: Var, stmts, results, again, left: Atom) -> None:
        ctx, shape = self.ctx, self.shape
        carries_ctl = shape.has_return or (shape.has_break and bool(shape.node.orelse))
        if carries_ctl:
            self.carry("ctl", I64, RUN)
            results = [*results, left]
        outs = tuple(ctx.fresh(v.name, v.type) for v in self.carried)
        for v, o in zip(self.carried, outs, strict=True):
            inherits(ctx, o, v)
            if v.name in ctx.nonneg:
                ctx.nonneg.add(o.name)
            if v.name in ctx.widened:
                ctx.widened[o.name] = ctx.widened[v.name]
        body = Block(tuple(stmts), ((again,) if self.exits else ()) + tuple(results))
        if len(results) == len(self.carried):  # else the plan has changed and this attempt is thrown away
            ctx.emit(
                Loop(index, shape.start, shape.stop, shape.step, tuple(self.carried), tuple(self.inits), body, outs, self.exits,
                     span=ctx.span(shape.node), mark=shape.mark)
            )  # fmt: skip
        final = dict(zip((v.name for v in self.carried), outs, strict=True))
        ctx.env = {n: replace(b, value=renamed(b.value, final), defined=outside(b.defined, final)) for n, b in head.items()}
        for name, t in self.plan.types.items():
            if name not in ctx.env and isinstance(t, OtherType) and isinstance(t.value, Poison):
                ctx.env[name] = Binding(t.value, self.span)
        for first, (name, _) in self.owner.items():
            lose(ctx, Var(first, I64), Loss("carried", f"`{name}`", self.span))
        if carries_ctl:
            set_left(ctx, outs[-1], self.span)
        else:
            set_left(ctx, RUN, self.span)


register(ast.For, _for)
register(ast.While, _while)
