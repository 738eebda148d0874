"""Statements: assignment, branches, exits. Loops are in loops.py."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..core import AddTo, Call, Check, Const, If, Loop, Stmt, blocks, written
from ..linear.ownership import cell_of, write
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..scope import External
from ..span import Span
from ..types import BOOL, FLOATS
from .context import BREAK, CONTINUE, CTL, FALSE, RET, RETURN, RUN, Lowering
from .entities import imported, unknown_constant
from .exits import bound_if, exits, only_raises, terminates
from .expressions import (
    condition,
    expression,
    may_update,
    operands,
    operator,
    pull,
    usable,
)
from .indexing import Cell, load_cell, require_cell, store_cell
from .indexing import target as place
from .joins import branch
from .numbers import binary, cast
from .places import held, is_array
from .records import refuse_attribute
from .quotes import Message, message_of
from .results import taken
from .returning import given_away, gone, without_meaning, writes
from .unpacking import unpacked
from .unsupported import refuse
from .updates import Region, assign_region, region, update_region
from .values import (
    LIST,
    SILENT,
    ArrayValue,
    Binding,
    Delayed,
    FunctionValue,
    NoneValue,
    Poison,
    ScalarValue,
    TupleValue,
    Value,
    arrays,
    contains,
    describe,
    map_arrays,
    type_of,
)

Body = Sequence[ast.stmt]


# --------------------------------------------------------------------------------------------- blocks and exits


def how_left(ctx: Lowering):
    """The control value: `RUN` where the block goes on."""
    held = ctx.path.env.get(CTL)
    return RUN if held is None else held.value.atom


def set_left(ctx: Lowering, atom, span: Span) -> None:
    ctx.bind(CTL, Binding(ScalarValue(atom), span))


def block(ctx: Lowering, body: Body, live: frozenset[str]) -> None:
    """Lower statements; ``live`` are the names still used behind them.

    What follows an `if` that may leave the block goes into the arm that does not, where one of the two always leaves;
    otherwise it is guarded by the control value.
    """
    for k, s in enumerate(body):
        left = how_left(ctx)
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
        if exits(s) and rest:
            return guarded(ctx, s, rest, live)
        statement(ctx, s)


def guarded(ctx: Lowering, s: ast.stmt, rest: Body, live: frozenset[str]) -> None:
    """A statement that may leave the block, and the rest, which runs where it has not."""
    with ctx.within(want_ctl=True):
        statement(ctx, s)
    left = how_left(ctx)
    if isinstance(left, Const):
        return block(ctx, rest, live)
    span = ctx.span(s)
    on = ctx.let("on", "eq", (left, RUN), BOOL, span)

    def go() -> None:
        set_left(ctx, RUN, span)
        block(ctx, rest, live)

    branch(ctx, on, go, lambda: None, live, span)


def if_(ctx: Lowering, s: ast.If, then: Body, orelse: Body, live: frozenset[str]) -> None:
    cond = condition(ctx, s.test)
    unknown = cond is None and unknown_constant(ctx, s.test)
    if cond is None:  # already reported: look at both arms all the same
        cond = ctx.fresh("b", BOOL)

    def taken_arm(body: Body, truth: bool) -> None:
        surely_bound(ctx, s.test, truth)
        with ctx.programs.perhaps_dead(unknown):
            block(ctx, body, live)

    branch(ctx, cond, lambda: taken_arm(then, True), lambda: taken_arm(orelse, False), live, ctx.span(s.test))


def surely_bound(ctx: Lowering, test: ast.expr, truth: bool) -> None:
    """Names that ``:=`` has bound on every way on which a test comes out so are defined."""
    for name in bound_if(test, truth):
        b = ctx.env.get(name)
        if b is not None and b.defined is not None:
            ctx.bind(name, Binding(b.value, b.span))


def statement(ctx: Lowering, s: ast.stmt) -> None:
    lower = STATEMENTS.get(type(s))
    if lower is None:
        refuse(ctx, s)
        return
    ctx.path = ctx.path.at(s, ctx.path.flight[: ctx.path.around])
    lower(ctx, s)


def _if(ctx: Lowering, s: ast.If) -> None:
    if only_raises(s.body) and not s.orelse:
        cond = condition(ctx, s.test)
        if cond is not None:
            span = ctx.span(s.body[0])
            ok = Const(not cond.value, BOOL) if isinstance(cond, Const) else ctx.let("ok", "not", (cond,), BOOL, span)
            _raise_unless(ctx, ok, s.body[0])
        return
    live = ctx.live.after.get(id(s), frozenset())
    if_(ctx, s, s.body, s.orelse, live)


def _return(ctx: Lowering, s: ast.Return) -> None:
    span = ctx.span(s.value if s.value is not None else s)
    value: Value = NoneValue() if s.value is None else expression(ctx, s.value, "result")
    value = usable(ctx, value, "the result", span)
    if ctx.spec is None and _lists(value):
        ctx.report(Unsupported(span, "a result that is a list", "return a tuple: `return a, b`, or an array: `np.array([...])`"))
        value = Poison()
    value, seen = given_away(ctx, value, span)
    if isinstance(value, FunctionValue):
        ctx.report(Unsupported(span, "returning a function", "call it here, or define it where it is used"))
        value = Poison()
    elif not isinstance(value, NoneValue) and not contains(value, SILENT) and without_meaning(value):
        what = describe(type_of(value))
        ctx.report(Unsupported(span, f"a result that is {what}", "return floats, ints, bools, arrays, or tuples of them"))
        value = Poison()
    ctx.go(returned=(*ctx.path.returned, (span, value)))
    ctx.bind(RET, Binding(value, span))
    # the result takes the arrays with it
    left = {n: map_arrays(b.value, lambda v: gone(v, seen, span)) for n, b in ctx.env.items() if n[0] != "%"}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})
    set_left(ctx, RETURN, span)


def _lists(value: Value) -> bool:
    return isinstance(value, TupleValue) and (value.listed or any(map(_lists, value.items)))


def _break(ctx: Lowering, s: ast.stmt) -> None:
    set_left(ctx, BREAK if isinstance(s, ast.Break) else CONTINUE, ctx.span(s))


_ERRORS = {
    "ValueError", "TypeError", "IndexError", "ZeroDivisionError", "ArithmeticError", "OverflowError", "RuntimeError",
    "AssertionError", "NotImplementedError", "FloatingPointError", "KeyError", "LookupError", "Exception", "RecursionError",
}  # fmt: skip


def _raise_unless(ctx: Lowering, ok, s: ast.Raise) -> None:
    span = ctx.span(s)
    found: Message | None = None
    match s.exc:
        case ast.Call(func=ast.Name() as error, args=[message], keywords=[]) if _is_error(ctx, error):
            found = message_of(ctx, message)
        case ast.Call(func=ast.Name() as error, args=[], keywords=[]) | (ast.Name() as error) if _is_error(ctx, error):
            found = "", ()
    if found is None:
        text = "a text, or a formatted string of constants and of numbers that have names"
        how = f'raise a builtin exception with {text}: `raise ValueError(f"... {{n}}")`'
        ctx.report(Unsupported(span, "this `raise`", how))
        return
    ctx.emit(Check(ok, error.id, *found, span))


def _is_error(ctx: Lowering, node: ast.Name) -> bool:
    """Whether a name is that of a builtin exception, and means it here."""
    known = node.id in _ERRORS and node.id not in ctx.local_names
    return known and ctx.source.scope.lookup(node.id) in (None, External(f"builtins.{node.id}"))


def _raise(ctx: Lowering, s: ast.Raise) -> None:
    _raise_unless(ctx, FALSE, s)
    ctx.go(dead=True)


def _assert(ctx: Lowering, s: ast.Assert) -> None:
    cond = condition(ctx, s.test)
    found: Message | None = ("", ()) if s.msg is None else message_of(ctx, s.msg)
    if found is None:
        how = 'use a text, or a formatted string of constants and of numbers that have names: `f"... {n}"`'
        ctx.report(Unsupported(ctx.span(s.msg), "this assertion message", how))
    elif cond is not None:
        ctx.emit(Check(cond, "AssertionError", *found, ctx.span(s)))


# --------------------------------------------------------------------------------------------------- assignment


def _assign(ctx: Lowering, s: ast.Assign) -> None:
    hint = s.targets[0].id if isinstance(s.targets[0], ast.Name) else "t"
    value = _assigned(ctx, s, hint)
    stored_at_once = len(s.targets) == 1 and isinstance(s.targets[0], ast.Subscript)
    if isinstance(value, Delayed) and (not stored_at_once or may_update(ctx, s.targets[0])):
        value = held(ctx, value, hint, ctx.span(s.value))
    for target in s.targets:
        assign(ctx, target, value, ctx.span(s.value))


def _assigned(ctx: Lowering, s: ast.Assign, hint: str) -> Value:
    """The right side. To cells, a list or tuple is what NumPy makes of it: an array."""
    if isinstance(s.value, (ast.List, ast.Tuple)) and all(isinstance(t, ast.Subscript) for t in s.targets):
        from .arrays import row_of

        return row_of(ctx, s.value)
    return pull(ctx, s.value, hint)


def _annotated(ctx: Lowering, s: ast.AnnAssign) -> None:
    if s.value is not None:
        hint = s.target.id if isinstance(s.target, ast.Name) else "t"
        assign(ctx, s.target, expression(ctx, s.value, hint), ctx.span(s.value))


def assign(ctx: Lowering, target: ast.expr, value: Value, span: Span) -> None:
    """Bind or store ``value``; ``span`` is where it comes from."""
    match target:
        case ast.Name(id=name):
            if isinstance(value, ArrayValue) and any(value.var in arrays(b.value) for n, b in ctx.env.items() if n[0] != "%"):
                ctx.fact("borrow", name, span, "another name for the same array")
            ctx.bind(name, Binding(value, span))
            ctx.typed(name, ctx.span(target), value)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            _unpack(ctx, target, targets, value, span)
        case ast.Subscript():
            where = place(ctx, target)
            match where:
                case Cell():
                    store(ctx, where, value, span)
                case Region():
                    assign_region(ctx, where, usable(ctx, value, "the value", span), span)
        case ast.Attribute():
            refuse_attribute(ctx, target)
        case _:
            refuse(ctx, target)


def _unpack(ctx: Lowering, target: ast.expr, targets: list[ast.expr], value: Value, span: Span) -> None:
    starred = [k for k, t in enumerate(targets) if isinstance(t, ast.Starred)]
    if starred and isinstance(value, TupleValue) and not value.closed and len(value.items) >= len(targets) - 1:
        k, rest = starred[0], len(value.items) - len(targets) + 1  # how many the starred name takes
        parts = (*value.items[:k], TupleValue(value.items[k : k + rest], LIST), *value.items[k + rest :])
        for t, item in zip(targets, parts, strict=True):
            assign(ctx, t.value if isinstance(t, ast.Starred) else t, item, span)
        return
    if starred:
        ctx.report(Unsupported(ctx.span(target), "a starred target", "name each element"))
        items: tuple[Value, ...] = (Poison(),) * len(targets)
    else:
        items = unpacked(ctx, value, len(targets), span)
    for t, item in zip(targets, items, strict=True):
        assign(ctx, t.value if isinstance(t, ast.Starred) else t, item, span)


def store(ctx: Lowering, where: Cell, value: Value, span: Span) -> None:
    """``where = value``."""
    value = usable(ctx, value, "the value", span)
    if isinstance(value, SILENT):
        ctx.programs.poisoned |= isinstance(value, Poison)
        return
    if not isinstance(value, ScalarValue):
        found = describe(type_of(value))
        ctx.report(WrongType(span, "a cell holds a scalar", found, "store cell by cell in a loop"))
        return
    write(ctx, cell_of(where.array, where.index), where.name, where.span)
    store_cell(ctx, where, value)


def _augmented(ctx: Lowering, s: ast.AugAssign) -> None:
    span = ctx.span(s)
    match s.target:
        case ast.Name(id=name):
            old, value = operands(ctx, [s.target, s.value])
            if is_array(old):
                again = next((n for n in ast.walk(s.value) if isinstance(n, ast.NamedExpr) and n.target.id == name), None)
                if again is not None:  # Python updates the old array, and gives it the name back
                    ctx.report(Unsupported(ctx.span(again), f"`{name} := ...` in an update of `{name}`", "use another name"))
                    return
                where = region(ctx, old, name, ctx.span(s.target))
                if where is not None:
                    update_region(ctx, where, type(s.op), usable(ctx, value, "the value", span), span)
                return
            ctx.bind(name, Binding(held(ctx, operator(ctx, type(s.op), old, value, span, name), name, span), span))
            ctx.typed(name, ctx.span(s.target), value)
        case ast.Subscript():
            where = place(ctx, s.target, may_update(ctx, s.value))
            match where:
                case Cell():
                    _update_cell(ctx, s, where, span)
                case Region():
                    update_region(ctx, where, type(s.op), usable(ctx, pull(ctx, s.value), "the value", span), span)
                case None:
                    expression(ctx, s.value)
        case ast.Attribute():
            refuse_attribute(ctx, s.target)
            expression(ctx, s.value)
        case _:
            refuse(ctx, s.target)


def _update_cell(ctx: Lowering, s: ast.AugAssign, where: Cell, span: Span) -> None:
    """``a[i] op= e``: the cell is loaded before ``e`` is evaluated, as in Python; a sum that nothing disturbs becomes AddTo."""
    at = len(ctx.out)
    old = load_cell(ctx, where)
    after = len(ctx.out)
    value = usable(ctx, expression(ctx, s.value), "the value", span)
    if not isinstance(value, ScalarValue):
        binary(ctx, type(s.op), old, value, span)
        return
    dtype = where.array.type.dtype
    exact = dtype in FLOATS or (dtype != "bool" and value.dtype not in FLOATS)
    write(ctx, cell_of(where.array, where.index), where.name, where.span)
    if isinstance(s.op, (ast.Add, ast.Sub)) and exact and not writes(ctx, ctx.out[after:], where.array):
        evaluated, ctx.out[at:] = ctx.out[after:], []
        if where.checked and _observable(ctx, evaluated):  # then IndexError comes first
            require_cell(ctx, where)
            where = replace(where, checked=False)
        ctx.out.extend(evaluated)
        e = cast(ctx, value.atom, dtype, span)
        if isinstance(s.op, ast.Sub):
            e = Const(-e.value, e.type) if isinstance(e, Const) else ctx.let("t", "neg", (e,), e.type, span)
        ctx.emit(AddTo(where.array, where.index, e, where.checked, where.span))
        return
    new = binary(ctx, type(s.op), old, value, span)
    if isinstance(new, ScalarValue):
        store_cell(ctx, replace(where, checked=False), new)


def _observable(ctx: Lowering, stmts: Sequence[Stmt]) -> bool:
    """Whether statements may raise something else than IndexError, or update an array."""

    def does(s: Stmt) -> bool:
        match s:
            case Check():
                return True
            case Call(callee=callee):
                function = ctx.programs.function(callee)
                return function is None or _observable(ctx, function.body.stmts)
            case If() | Loop():
                return any(_observable(ctx, b.stmts) for b in blocks(s))
            case _:
                return written(s) is not None

    return any(map(does, stmts))


def _expression(ctx: Lowering, s: ast.Expr) -> None:
    if isinstance(s.value, ast.Constant):  # a docstring or `...`
        return
    at = len(ctx.out)
    value = expression(ctx, s.value)
    taken(ctx, s, value, ctx.out[at:])


def _function(ctx: Lowering, s: ast.FunctionDef) -> None:
    from .calls import nested_function

    if s.decorator_list:
        ctx.report(Unsupported(ctx.span(s.decorator_list[0]), "a decorator on a nested function", "move the function to the module"))
    ctx.bind(s.name, Binding(nested_function(ctx, s, s.name), ctx.span(s)))


def _delete(ctx: Lowering, s: ast.Delete) -> None:
    """``del name``: it has no value from here on."""
    for target in s.targets:
        if isinstance(target, ast.Name):
            ctx.unbind(target.id)
        else:
            ctx.report(Unsupported(ctx.span(target), "`del` of a part", "leave it: arrays keep their cells"))


STATEMENTS: dict[type[ast.stmt], Callable[[Lowering, ast.stmt], None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.Return: _return,
    ast.Break: _break,
    ast.Continue: _break,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Expr: _expression,
    ast.Pass: lambda ctx, s: None,
    ast.FunctionDef: _function,
    ast.Delete: _delete,
    ast.Import: imported,
    ast.ImportFrom: imported,
}


def register(kind: type[ast.stmt], lower: Callable[[Lowering, ast.stmt], None]) -> None:
    STATEMENTS[kind] = lower



