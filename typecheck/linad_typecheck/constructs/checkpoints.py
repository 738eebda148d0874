"""Loops marked by `linad.checkpoint`: ``for t in checkpoint(range(T), ...)`` and ``while checkpoint(condition, ...)``.
"""

from __future__ import annotations

import ast
import operator
from dataclasses import replace

from ..checkpointing import DEFAULT, LATER, bytes_of, misuse
from ..ir.core import Alloc, Atom, Block, Call, Check, Checkpoint, Const, Copy, Loop, Stmt, Var, walk
from ..engine.closures import closed
from ..engine.entities import named
from ..engine.evaluation import CALLS, expression
from ..engine.numbers import as_index
from ..engine.refusal import Refused
from ..engine.state import ONE, ZERO, Lowering, zero
from ..engine.values import (
    SILENT, DerivativeValue, EntityValue, FunctionValue, ScalarValue, Value, describe, type_of,
)
from ..frozen import frozen
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..registry import enter
from ..names.scope import Constant, External, Helper
from ..span import Span
from ..types import BOOL, I64, INTS, Array
from .derivatives import as_function, function_of

NAME = "linad.checkpoint"
_MARK = External(NAME)
_OPTIONS = ("slots", "memory", "scheme")


@frozen
class Marked:
    """The argument of the mark, an iterable or a condition, and its options as written."""

    inner: ast.expr | None  # None if the call is invalid, which was reported
    options: dict[str, ast.expr]
    node: ast.Call


def is_checkpoint(ctx: Lowering, node: ast.expr) -> bool:
    """Whether an expression is a call of `linad.checkpoint`, under any name."""
    return isinstance(node, ast.Call) and named(ctx, node.func) == _MARK


def marked(ctx: Lowering, node: ast.expr) -> Marked | None:
    """The mark around an iterable or a condition; None if there is none, or if a problem was reported."""
    if not is_checkpoint(ctx, node):
        return None
    assert isinstance(node, ast.Call)
    plain = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
    unknown = next((k.arg or "**" for k in node.keywords if k.arg not in _OPTIONS), None)
    if not plain or unknown is not None:
        why = (
            "takes what to loop over, then `slots`, `memory` and `scheme` by name"
            if not plain
            else f"has no option `{unknown}`"
        )
        ctx.report(BadCall(ctx.span(node), NAME, why))
        return Marked(node.args[0] if plain else None, {}, node)
    options = {k.arg: k.value for k in node.keywords if k.arg is not None and not _is_none(k.value)}
    return Marked(node.args[0], options, node)


def mark_of(ctx: Lowering, found: Marked, *, literal: bool) -> Checkpoint | None:
    """The mark as data; None if a problem was reported. ``literal``: the options must not depend on run-time values."""
    span = ctx.span(found.node)
    given = {k: _value(ctx, v) for k, v in found.options.items()}
    slots: Atom | None = None
    if "slots" in given and given["slots"] is None:
        slots = _slots(ctx, found.options["slots"])
        if slots is None:
            return None
        given["slots"] = slots.value if isinstance(slots, Const) else LATER
        if literal and not isinstance(slots, Const):
            ctx.report(
                Unsupported(
                    ctx.span(found.options["slots"]),
                    "a number of slots that is computed, in the condition of a `while`,",
                    "write a literal or a constant of the module",
                )
            )
            return None
    for name in ("memory", "scheme"):
        if name in given and given[name] is None:
            ctx.report(BadCall(ctx.span(found.options[name]), NAME, f"takes a literal as `{name}`"))
            return None
    scheme, memory = given.get("scheme"), given.get("memory")
    why = misuse(scheme, given.get("slots"), memory)
    if why is not None:
        ctx.report(BadCall(span, NAME, why))
        return None
    if slots is None and given.get("slots") is not None:
        slots = Const(int(given["slots"]), I64)  # type: ignore[call-overload]
    if slots is not None and not isinstance(slots, Const):
        ok = ctx.let("ok", "ge", (slots, ONE), BOOL, span)
        message = f"linad.checkpoint {misuse(None, 0, None)}".replace("not 0", "not {0}")
        ctx.emit(Check(ok, "ValueError", message, (slots,), span))
    size = None if memory is None else Const(bytes_of(memory) or 1, I64)
    return Checkpoint(scheme or DEFAULT, slots, size)  # type: ignore[arg-type]


_COMPUTED = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow}


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _value(ctx: Lowering, node: ast.expr) -> object:
    """The value of an option, if it is a literal or a module constant."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if isinstance(node.operand.value, int) else None
    if isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED:
        one, other = _value(ctx, node.left), _value(ctx, node.right)
        if (
            type(one) is type(other) is int
            and abs(one) < 2**32
            and 0 <= other < 2**32
            and not (isinstance(node.op, ast.Pow) and other > 62)
        ):
            return _COMPUTED[type(node.op)](one, other)
        return None
    match named(ctx, node):
        case Constant(value=value) if isinstance(value, int | str):
            return value
    return None


def _slots(ctx: Lowering, node: ast.expr) -> Atom | None:
    v = expression(ctx, node)
    if isinstance(v, ScalarValue) and v.dtype in INTS:
        return as_index(ctx, v.atom, ctx.span(node))
    if not isinstance(v, SILENT):
        ctx.report(
            WrongType(ctx.span(node), "the number of slots is an int", describe(type_of(v)), "convert it: `int(...)`")
        )
    return None


def run_again(ctx: Lowering, node: ast.Call) -> Value | None:
    """``linad.checkpoint(f)``: a function that the reverse sweep runs again; None if ``f`` is not a function."""
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
        return None
    found = expression(ctx, node.args[0])
    if isinstance(found, DerivativeValue):
        found = as_function(ctx, node, found)
    if isinstance(found, EntityValue) and not isinstance(found.entity, Helper):
        found = function_of(ctx, node, any_number=True)  # of a library, or an object that is called
    if isinstance(found, SILENT):
        return found
    match found:
        case FunctionValue() as f:
            f = closed(ctx, f, ctx.span(node))
            made = replace(f, source=f.source.run_again())
        case EntityValue(entity=Helper(function=source)):
            made = FunctionValue(source.run_again(), (), ())
        case _:
            return None
    if node.keywords:
        raise Refused(
            BadCall(ctx.span(node), NAME, "takes no options with a function: its arguments are the one snapshot")
        )
    return made


def in_one_step(ctx: Lowering, outs: tuple[Var, ...], spec, atoms: list[Atom], span: Span) -> None:
    """Emit the call as the only step of a marked loop, so that the reverse sweep runs it again. Arrays that it keeps
    are copied."""
    inits: list[Atom] = []
    for out in outs:
        if isinstance(out.type, Array):
            empty = ctx.fresh(out.name, out.type)
            ctx.emit(Alloc(empty, (ZERO,) * out.type.rank, None, span))
            inits.append(empty)
        else:
            inits.append(zero(out.type.dtype))
    stmts: list[Stmt] = []
    given = list(atoms)
    for k, (a, mode) in enumerate(zip(atoms, spec.modes, strict=False)):
        if mode == "own" and isinstance(a, Var) and isinstance(a.type, Array):
            given[k] = ctx.fresh(a.name, a.type)
            stmts.append(Copy(given[k], a, span))  # type: ignore[arg-type]
    inner = tuple(ctx.fresh(o.name, o.type) for o in outs)
    stmts.append(Call(inner, spec.name, tuple(given), span))
    carried = tuple(ctx.fresh(o.name, o.type) for o in outs)
    body = Block(tuple(stmts), inner)
    index = ctx.fresh("again", I64)
    ctx.emit(Loop(index, ZERO, ONE, ONE, carried, tuple(inits), body, outs, mark=Checkpoint(DEFAULT), span=span))


def in_recursion(ctx: Lowering) -> None:
    """Report marks in recursive functions and in functions that these call: their log is a stack."""
    functions = ctx.programs.functions()
    callees = {name: {s.callee for s in walk(f.body) if isinstance(s, Call)} for name, f in functions.items()}
    for name in functions:
        reached, todo = set(), [name]
        while todo:
            more = callees.get(todo.pop(), set()) - reached
            reached |= more
            todo += more
        if name not in reached:
            continue
        for s in (s for n in sorted(reached) if n in functions for s in walk(functions[n].body)):
            if isinstance(s, Loop) and s.mark is not None and s.mark.scheme != "tape":
                what = f"`linad.checkpoint` inside `{name.partition('#')[0]}`, which calls itself,"
                ctx.report(
                    Unsupported(s.span, what, "take the mark out of the recursion; what calls save lies on a stack")
                )


def misplaced(ctx: Lowering, node: ast.Call) -> None:
    """Report a mark that is not on a loop."""
    what, instead = "`linad.checkpoint` inside another iterable", "write it outermost: `linad.checkpoint(enumerate(x))`"
    ctx.report(Unsupported(ctx.span(node), what, instead))


CALLS[NAME] = lambda ctx, node, dotted, name, hint: run_again(ctx, node)
enter("mark", (NAME,))
