"""Blocks of statements and their exits, and the dispatch tables for statements and targets, which `constructs` fills.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..ir.core import Atom, Const
from ..names.scope import Helper
from ..span import Span
from ..types import BOOL
from .type_dependence import about_types
from .choices import excluding
from .entities import named, unknown_constant
from .evaluation import condition
from .exits import bound_if, exits, leaves_iteration, none_if, only_raises, terminates
from .joins import branch
from .refusal import Refused, refuse, refused
from .state import CTL, RET, RETURN, RUN, Ahead, Lowering
from .values import Binding, NoneValue, Poison, ScalarValue, Value, contains, is_choice, is_optional


Body = Sequence[ast.stmt]
MOST_APART = 3  # nesting depth up to which the rest of a block is duplicated into the arms of a statement
STATEMENTS: dict[type[ast.stmt], Callable[[Lowering, ast.stmt], None]] = {ast.Pass: lambda ctx, s: None}
TARGETS: dict[type[ast.expr], Callable[[Lowering, ast.expr, Value, Span], None]] = {}


def exit_kind(ctx: Lowering):
    """How control leaves the block: `RUN` if it continues."""
    held = ctx.path.env.get(CTL)
    return RUN if held is None else held.value.atom


def set_exit_kind(ctx: Lowering, atom, span: Span) -> None:
    ctx.bind(CTL, Binding(ScalarValue(atom), span))


def block(ctx: Lowering, body: Body, live: frozenset[str]) -> None:
    """Lower the statements of a block. ``live``: the names used after it.

    Statements after an `if` that may leave the block move into the arm that continues, if the other arm always leaves.
    Otherwise they are guarded by the control value. If the types of a name after the two arms do not join, the rest of
    the block is lowered in both arms (tail duplication).
    """
    for k, s in enumerate(body):
        left = exit_kind(ctx)
        if ctx.path.dead or (left is not RUN and isinstance(left, Const) and left != RUN):
            return
        rest = list(body[k + 1 :])
        if isinstance(s, ast.If) and not (only_raises(s.body) and not s.orelse):
            if not rest:
                return if_(ctx, s, s.body, s.orelse, live)
            if terminates(s.body):
                return if_(ctx, s, s.body, [*s.orelse, *rest], live)
            if terminates(s.orelse):
                return if_(ctx, s, [*s.body, *rest], s.orelse, live)
        if rest and exits(s):
            return guarded(ctx, s, rest, live)
        if not rest or (either := _either(s)) is None:
            statement(ctx, s)
        elif duplicate_rest(ctx, s, either, rest, live):
            return


def _either(s: ast.stmt) -> ast.If | None:
    """A statement with two arms as an `if`; also ``x = a if c else b``."""
    match s:
        case ast.If():
            return s
        case ast.Assign(value=ast.IfExp(test=test, body=one, orelse=other)):
            arms = [[ast.copy_location(ast.Assign(s.targets, v), s)] for v in (one, other)]
            return ast.copy_location(ast.If(test, *arms), s)
    return None


def duplicate_rest(ctx: Lowering, s: ast.stmt, either: ast.If, rest: Body, live: frozenset[str]) -> bool:
    """Lower a statement with two arms; duplicate the rest of the block into the arms if the types after them do not
    join, or join to a choice.

    This happens if a name has an array of one rank after one arm, and another rank or a number after the other. Returns
    True if the rest was lowered.
    """
    joined, around = ctx.attempt(lambda: statement(ctx, s)), ctx.programs.duplications
    errors = [d for d in joined.findings.diagnostics if d.severity == "error"]
    differ = any(d.slug == "type-changes" or either is not s for d in errors)
    if (differ or joined.findings.choices) and len(around) < MOST_APART:
        twice = _duplicated(ctx, either, rest, live, not differ)
        if twice is not None:
            ctx.take(twice)
            return True
    if around and around[-1][0] is ctx:
        whole = any(of is ctx and no_choices for of, no_choices in around)
        if errors or (joined.findings.choices and whole):
            raise _InVain
    ctx.take(joined)
    return False


class _InVain(Exception):
    """The innermost tail duplication has failed: what it should avoid is met again, and the rest is not lowered."""


def _duplicated(ctx: Lowering, s: ast.If, rest: Body, live: frozenset[str], no_choices: bool) -> Ahead[None] | None:
    """An `if` with the rest of its block in both arms; None if that has errors, or leaves a choice all the same."""
    around = ctx.programs.duplications
    around.append((ctx, no_choices))
    try:
        found = ctx.attempt(lambda: if_(ctx, s, [*s.body, *rest], [*s.orelse, *rest], live))
    except _InVain:
        return None
    finally:
        around.pop()
    wrong = any(d.severity == "error" for d in found.findings.diagnostics)
    result = found.path.env.get(RET)
    if wrong or (found.findings.choices and no_choices) or (result and contains(result.value, Poison)):
        return None
    return found


def guarded(ctx: Lowering, s: ast.stmt, rest: Body, live: frozenset[str]) -> None:
    """Lower a statement that may leave the block, and the rest under the condition that it has not."""
    with ctx.within(want_ctl=True):
        statement(ctx, s)
    left = exit_kind(ctx)
    if isinstance(left, Const):
        return block(ctx, rest, live)
    span = ctx.span(s)
    on = ctx.let("on", "eq", (left, RUN), BOOL, span)

    def go() -> None:
        set_exit_kind(ctx, RUN, span)
        block(ctx, rest, live)

    def left_by_return() -> None:  # after a return, names that are not live need no values
        if not leaves_iteration(s):
            set_exit_kind(ctx, RETURN, span)

    branch(ctx, on, go, left_by_return, live, span)


def if_(ctx: Lowering, s: ast.If, then: Body, orelse: Body, live: frozenset[str]) -> None:
    cond = condition(ctx, s.test)
    unknown = cond is None and (about_types(s.test) or unknown_constant(ctx, s.test) or _may_be_known(ctx, s.test))
    if cond is None:  # already reported; check both arms nevertheless
        cond = ctx.fresh("b", BOOL)

    def taken_arm(body: Body, truth: bool) -> None:
        definitely_bound(ctx, bound_if(s.test, truth))
        narrowed(ctx, s.test, truth)
        with ctx.programs.perhaps_dead(unknown):
            block(ctx, body, live)

    branch(ctx, cond, lambda: taken_arm(then, True), lambda: taken_arm(orelse, False), live, ctx.span(s.test))


def _may_be_known(ctx: Lowering, test: ast.expr) -> bool:
    """Whether a test may become known once types are: it is a variable, or a call of a user's function."""
    match test:
        case ast.Name():
            return True
        case ast.BoolOp(values=parts):
            return any(_may_be_known(ctx, part) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=part) | ast.Compare(left=part):
            return _may_be_known(ctx, part)
        case ast.Call(func=f):
            return isinstance(named(ctx, f), Helper)
    return False


def definitely_bound(ctx: Lowering, names: Iterable[str]) -> None:
    """Mark names as defined, on a path on which they are known to be."""
    for name in names:
        b = ctx.env.get(name)
        if b is not None and b.defined is not None:
            ctx.bind(name, Binding(b.value, b.span))


def narrowed(ctx: Lowering, test: ast.expr, truth: bool) -> None:
    """Narrow optional names and choices by the outcome of a test."""
    for name, none in none_if(test, truth).items():
        b = ctx.env.get(name)
        if b is not None and is_optional(b.value):
            ctx.bind(name, Binding(NoneValue() if none else b.value.items[0], b.span, b.defined, b.shared))
    for name in ctx.live.used(test):
        b = ctx.env.get(name)
        if b is not None and is_choice(b.value):
            ctx.bind(name, excluding(ctx, b, lambda v: _may_be(ctx, test, name, v, truth)))


def _may_be(ctx: Lowering, test: ast.expr, name: str, v: Value, truth: bool) -> bool:
    """Whether a test may have this outcome where a name has this value."""

    def run() -> Atom | None:
        ctx.bind(name, replace(ctx.env[name], value=v))
        return condition(ctx, test)

    found = ctx.attempt(run).value
    return not isinstance(found, Const) or found.value == truth


def statement(ctx: Lowering, s: ast.stmt) -> None:
    lower = STATEMENTS.get(type(s))
    if lower is None:
        refuse(ctx, s)
        return
    before = ctx.path = ctx.path.at(s, ctx.path.flight[: ctx.path.around])
    try:
        lower(ctx, s)
    except Refused as e:
        refused(ctx, e, before, s)


def assign(ctx: Lowering, target: ast.expr, value: Value, span: Span) -> None:
    """Bind or store ``value``; ``span`` is its source position."""
    store = TARGETS.get(type(target))
    if store is None:
        refuse(ctx, target)
    else:
        store(ctx, target, value, span)
