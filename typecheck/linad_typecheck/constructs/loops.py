"""Loops. Names that the body changes are carried; their types at the head are a fixpoint of lowering the body."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..arrays.indexing import selectable
from ..ir.core import Check, Const
from ..engine.loop_attempt import Attempt, Shape
from ..engine.blocks import STATEMENTS, assign, block, definitely_bound, exit_kind, set_exit_kind
from ..engine.evaluation import condition
from ..engine.exits import bound_at_breaks, breaks, continues, returns
from ..engine.fixpoint import fixpoint
from ..engine.growing import leaves_of
from ..engine.joins import Arm, branch, join
from ..engine.loop_head import Head, lost_leaf
from ..engine.memoised_heads import settled_from
from ..engine.path import Settled
from ..engine.state import BREAK, FALSE, GIVEN_OBJECT, ONE, RETURN, RUN, TRUE, ZERO, Ahead, Lowering
from ..engine.values import (
    ARRAYS, Binding, Bottom, LostArray, OtherType, Poison, TupleValue, Value, contains, describe, join_types, type_of,
)  # fmt: skip
from ..ownership.liveness import bound, rebound
from ..messages.language import Unsupported
from ..types import BOOL, I64
from .checkpoints import mark_of, marked
from .generators import consume
from .iterables import Generated, Iteration, Unrolled, as_indexable, iteration, read_at_iteration


def _for(ctx: Lowering, s: ast.For) -> None:
    around = marked(ctx, s.iter)
    over = s.iter if around is None else around.inner
    bottoms = ctx.programs.findings.bottoms
    it, span = None if over is None else iteration(ctx, over), ctx.span(over or s.iter)
    mark = None if around is None else mark_of(ctx, around, literal=False)
    match it:
        case None:
            _explore(ctx, s, Bottom() if ctx.programs.findings.bottoms != bottoms else Poison())
        case Generated() if around is None:
            consume(ctx, it, s, s, ctx.live.after.get(s, frozenset()) | ctx.live.always)
        case Unrolled() | Generated() if around is not None:
            ctx.report(
                Unsupported(ctx.span(s.iter), "checkpointing a loop over a tuple", "loop over a range or an array")
            )
        case Unrolled(items=items) if not items or not _leaves(s):
            with read_at_iteration(ctx, it, span) as of:
                _unroll(ctx, s, _assigning(ctx, s, of))
        case Unrolled(items=items) if len(items) == 1 or not selectable(items):
            with read_at_iteration(ctx, it, span) as of:
                _unroll_leaving(ctx, s, _given(_assigning(ctx, s, of)), len(items) == 1)
        case Unrolled() | Iteration():
            if isinstance(it, Unrolled):
                it = as_indexable(ctx, it, span)
            ctx.bind_all(it.held)
            target = lambda i: assign(ctx, s.target, it.element(i), span)
            shape = Shape(s, it.start, it.stop, it.step, it.nonneg, target, mark=mark, key=s)
            _loop(ctx, shape, _hint(s.target))
            ctx.unbind(*it.held)
            _else(ctx, shape)


def _hint(target: ast.expr) -> str:
    match target:
        case ast.Name(id=name) | ast.Tuple(elts=[ast.Name(id=name), *_]):
            return name.strip("%")
    return "i"


def _while(ctx: Lowering, s: ast.While) -> None:
    first = ctx.attempt(lambda: condition(ctx, s.test))
    if first.value == FALSE:  # it is known that it does not run
        ctx.take(first)
        block(ctx, s.orelse, ctx.live.after.get(s, frozenset()))
        return
    around = marked(ctx, s.test)
    test, mark = (s.test, None) if around is None else (around.inner or s.test, mark_of(ctx, around, literal=True))
    shape = Shape(s, ZERO, None, ONE, True, lambda i: None, test, mark, s)
    _loop(ctx, shape, "turn")
    _else(ctx, shape)


def _explore(ctx: Lowering, s: ast.For, value: Poison | Bottom) -> None:
    """Check the body once with an unknown target, because the iterable is unknown or was reported."""
    unknown = dict.fromkeys(bound([*s.body, s.target]), Binding(value, ctx.span(s)))
    before = ctx.env
    ctx.bind_all(unknown)
    block(ctx, s.body, ctx.live.head[s] | ctx.live.always)
    set_exit_kind(ctx, RUN, ctx.span(s))
    lists = [n for n, b in before.items() if isinstance(b.value, TupleValue) and ctx.env.get(n) is not b]  # they grow
    ctx.bind_all(unknown | dict.fromkeys(lists, Binding(value, ctx.span(s))))


Turns = Sequence[Callable[[], None]]  # which bind the target, one per iteration


def _assigning(ctx: Lowering, s: ast.For, items: Sequence[Callable[[], Value]]) -> Turns:
    return [lambda item=item: assign(ctx, s.target, item(), ctx.span(s.iter)) for item in items]


def _unroll(ctx: Lowering, s: ast.For, turns: Turns) -> None:
    for enter in turns:
        enter()
        block(ctx, s.body, ctx.live.head[s])
    block(ctx, s.orelse, ctx.live.after.get(s, frozenset()))


# What begins an iteration, by its number; None after the last one.
Enter = Callable[[int], Callable[[], None] | None]


def _given(turns: Turns) -> Enter:
    return lambda k: turns[k] if k < len(turns) else None


def _unroll_leaving(ctx: Lowering, s: ast.For | ast.While, turns: Enter, once: bool = False, k: int = 0) -> None:
    """Unroll a loop whose body has exits, from iteration ``k`` on: each iteration is lowered in the arm in which the
    previous one continued."""
    span = ctx.span(s.iter if isinstance(s, ast.For) else s.test)
    enter = turns(k)
    if enter is None:
        block(ctx, s.orelse, ctx.live.after.get(s, frozenset()))
        return
    live = (ctx.live.end if once else ctx.live.head)[s] | ctx.live.always
    enter()
    with ctx.within(want_ctl=True):
        block(ctx, s.body, live)
    left = exit_kind(ctx)

    def go() -> None:
        set_exit_kind(ctx, RUN, span)
        _unroll_leaving(ctx, s, turns, once, k + 1)

    def stop() -> None:
        if not breaks(s.body):
            set_exit_kind(ctx, RETURN, span)
        elif isinstance(left, Const):
            set_exit_kind(ctx, RETURN if left == RETURN else RUN, span)
        else:
            returned = ctx.let("b", "eq", (left, RETURN), BOOL, span)
            set_exit_kind(ctx, ctx.let("ctl", "select", (returned, RETURN, RUN), I64, span), span)

    if isinstance(left, Const):
        (go if left.value < BREAK.value else stop)()
        return
    goes_on = ctx.let("on", "lt", (left, BREAK), BOOL, span)
    branch(ctx, goes_on, go, stop, live, span)


def _leaves(s: ast.For) -> bool:
    return breaks(s.body) or returns(s.body) or continues(s.body)


def _else(ctx: Lowering, shape: Shape) -> None:
    """The end of the loop: its `else`, and how the enclosing block continues."""
    s, span = shape.node, ctx.span(shape.node)
    left = exit_kind(ctx)
    after = ctx.live.after.get(s, frozenset())
    endless = isinstance(shape.test, ast.Constant) and bool(shape.test.value)
    left_by_break = lambda: definitely_bound(ctx, bound_at_breaks(s.body))
    if not shape.has_return:
        if s.orelse and shape.has_break and not isinstance(left, Const):
            ran_out = ctx.let("done", "ne", (left, BREAK), BOOL, span)
            set_exit_kind(ctx, RUN, span)
            branch(ctx, ran_out, lambda: block(ctx, s.orelse, after), left_by_break, after, span)
            return
        set_exit_kind(ctx, RUN, span)
        block(ctx, s.orelse, after)
        return
    if endless and not shape.has_break:
        set_exit_kind(ctx, RETURN, span)
        return
    if isinstance(left, Const):
        set_exit_kind(ctx, RETURN if left == RETURN else RUN, span)
        return

    def other() -> None:
        left_by_break()
        if shape.has_break or continues(s.body):  # the last iteration may have ended by `continue`
            returned = ctx.let("b", "eq", (left, RETURN), BOOL, span)
            set_exit_kind(ctx, ctx.let("ctl", "select", (returned, RETURN, RUN), I64, span), span)

    if not s.orelse:
        other()
        return
    ran_out = ctx.let("done", "lt", (left, BREAK), BOOL, span)

    def orelse() -> None:
        set_exit_kind(ctx, RUN, span)
        block(ctx, s.orelse, after)

    with ctx.within(want_ctl=True):
        branch(ctx, ran_out, orelse, other, after, span)


def run_loop(ctx: Lowering, shape: Shape) -> None:
    """Lower a `for` on behalf of an expression: it has no `else` and no `return`."""
    _loop(ctx, shape, _hint(shape.node.target))
    set_exit_kind(ctx, RUN, ctx.span(shape.node))


def _loop(ctx: Lowering, shape: Shape, hint: str, first: bool = True) -> None:
    """Lower a loop. ``first``: loop peeling is allowed."""
    node = shape.node
    live = ctx.live.head[node] | ctx.live.always
    ctx.unbind(*(n for n in ctx.env if n not in live and n[0] != "%"))
    assigned = ctx.live.binds([*node.body, node.target if isinstance(node, ast.For) else node.test])
    start, env = Head(), ctx.env
    for name in assigned:
        b = env.get(name)
        if b is not None and contains(b.value, LostArray):
            start.lost[name] = lost_leaf(b.value)
        elif b is not None and not (isinstance(b.value, ARRAYS) and name not in rebound(node)):
            start.types[name] = type_of(b.value)
            if b.defined is not None:
                start.flagged.add(name)

    def run(head: Head) -> tuple[Head, Ahead[Head]]:
        attempt = Attempt(ctx, shape, head, live, hint)
        found = ctx.attempt(attempt.run)
        found.value = attempt.grown
        if attempt.settled:
            return head, found
        if attempt.grown == head:  # nothing else can give these names a type
            attempt.grown.unbound |= attempt.sought
        return attempt.grown, found

    before = ctx.settled.get(shape.key)
    known = settled_from(ctx, before, start)
    found = fixpoint(run, known or start)
    if known is not None and _wrong(found) and not before.wrong:  # reports must not depend on another path
        found = fixpoint(run, start)
    ctx.settled[shape.key] = Settled(ctx.path, found.value, _wrong(found))
    apart = (
        first
        and not _leaves(node)
        and any(d.slug == "type-changes" for d in (*found.findings.diagnostics, *found.value.changes.values()))
    )
    if apart and (peeled := ctx.attempt(lambda: _peeled(ctx, shape, hint))).value and not _wrong_in(peeled):
        ctx.take(peeled)
        return
    if first and _wrong(found) and (written := _written_out(ctx, shape)) is not None:
        ctx.take(written)
        return
    for name, change in ctx.take(found).changes.items():
        if name.removeprefix(GIVEN_OBJECT)[0] != "%":  # of others, the expression that they are for is reported
            ctx.report(change)


def _peeled(ctx: Lowering, shape: Shape, hint: str) -> bool:
    """Loop peeling: lower the first iteration separately if it changes the type of a name.

    An example is ``total = 0`` with ``total = total + row``. If no iteration runs, the name has no type that fits the
    code after the loop: where it is live there, the program raises. Returns False if the condition for the first
    iteration cannot be computed.
    """
    node, span = shape.node, ctx.span(shape.node)
    after = ctx.live.after.get(node, frozenset())
    if shape.test is not None:
        runs = condition(ctx, shape.test)
    elif shape.runs:
        runs = TRUE
    elif isinstance(shape.step, Const) and shape.step != ZERO:
        order = (shape.start, shape.stop) if shape.step.value > 0 else (shape.stop, shape.start)
        runs = ctx.let("runs", "lt", order, BOOL, span)
    else:
        runs = None
    if runs is None:
        return False

    def go() -> None:
        shape.enter(shape.start)
        block(ctx, node.body, ctx.live.head[node])
        second = shape.start
        if shape.test is None:
            second = ctx.let(hint, "add", (shape.start, shape.step), I64, span, nonneg=shape.nonneg)
        _loop(ctx, replace(shape, start=second, key=(shape.key, "second")), hint, first=False)

    before, found = ctx.env, ctx.ahead(go)
    types = {
        n: tuple(type_of(env[n].value) for env in (before, found.path.env))
        for n in before
        if (n in after or n[0] == "%") and n in found.path.env
    }
    lost = next((n for n, pair in types.items() if join_types(*pair) is None), None)
    if lost is not None:
        one, other = map(describe, types[lost])
        what = "the result" if lost[0] == "%" else f"`{lost}`"
        text = (
            f"the loop runs no iteration, and {what} would be {one} where it is {other} after others"
            " (see 'Loops that do not run' in docs/reference/deviations.md: give it a first value of that type)"
        )
        if runs != TRUE:
            ctx.emit(Check(runs, "ValueError", text, (), span))
        runs = TRUE
    if runs == TRUE:
        ctx.take(found)
    else:
        join(ctx, runs, [Arm(f.stmts, f.path) for f in (found, ctx.ahead(lambda: None))], after, span)
    return True


MOST = 64  # the most iterations that are written out
_IN_ALL = 512  # the same of nested loops
_LEVELS = 12  # the same of a `while`: what it takes apart may grow in each iteration


def _written_out(ctx: Lowering, shape: Shape) -> Ahead[None] | None:
    """A loop whose iterations are known, unrolled: each may have types of its own. It is a `for` over a literal range,
    or a `while` whose condition is known each time, as ``while isinstance(x, list)``.
    None if it is refused then, too."""
    s, bounds = shape.node, (shape.start, shape.stop, shape.step)
    if s.orelse or shape.mark is not None or isinstance(shape.test, ast.Constant) or ZERO == shape.step:
        return None
    if isinstance(s, ast.While):
        return _tried(ctx, s, lambda k: _next(ctx, s, k), 1)
    numbers = range(*(b.value for b in bounds)) if all(isinstance(b, Const) for b in bounds) else range(0)
    if not 0 < len(numbers) <= MOST:
        return None
    turns = [lambda k=k: shape.enter(Const(k, I64)) for k in numbers]
    first = _tried(ctx, s, _given(turns[:1]), 1)  # most loops that stay refused are so in the first iteration
    return None if first is None else _tried(ctx, s, _given(turns), len(turns))


def _tried(ctx: Lowering, s: ast.For | ast.While, turns: Enter, count: int) -> Ahead[None] | None:
    """A loop that is unrolled; None if it is refused, or grows too long."""
    before = ctx.programs.written_out
    if count * before > _IN_ALL:
        return None
    ctx.programs.written_out = count * before
    try:
        found = ctx.attempt(lambda: _unroll_leaving(ctx, s, turns))
    except _NotKnown:
        return None
    finally:
        ctx.programs.written_out = before
    return None if _wrong_in(found) else found


class _NotKnown(Exception):
    """The condition of a `while` is not known."""


def _next(ctx: Lowering, s: ast.While, k: int) -> Callable[[], None] | None:
    """What begins an iteration of a `while`: nothing, if its condition is known to be true."""
    runs = condition(ctx, s.test)
    if runs not in (TRUE, FALSE) or k == _LEVELS:
        raise _NotKnown
    return (lambda: None) if runs == TRUE else None


def _wrong_in(found: Ahead) -> bool:
    return any(d.severity == "error" for d in found.findings.diagnostics)


def _wrong(found: Ahead[Head]) -> bool:
    unknown = (isinstance(leaf, OtherType) and isinstance(leaf.value, Poison)
               for t in found.value.types.values() for leaf in leaves_of(t))  # fmt: skip
    return bool(found.value.changes) or _wrong_in(found) or any(unknown)


STATEMENTS.update({ast.For: _for, ast.While: _while})
