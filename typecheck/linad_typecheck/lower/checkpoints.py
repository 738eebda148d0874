"""Loops marked by `linad.checkpoint`: ``for t in checkpoint(range(T), ...)`` and ``while checkpoint(condition, ...)``."""

from __future__ import annotations

import ast

from ..checkpointing import DEFAULT, LATER, bytes_of, misuse
from ..core import Atom, Check, Checkpoint, Const
from ..frozen import frozen
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..scope import Constant, External, resolve
from ..types import BOOL, I64, INTS
from .context import ONE, Lowering
from .numbers import cast
from .values import SILENT, ScalarValue, describe, type_of

NAME = "linad.checkpoint"
_OPTIONS = ("slots", "memory", "scheme")


@frozen
class Marked:
    """What stands in the mark: an iterable or a condition, and the options as written."""

    inner: ast.expr | None  # None where the call makes no sense, which was reported
    options: dict[str, ast.expr]
    node: ast.Call


def is_checkpoint(ctx: Lowering, node: ast.expr) -> bool:
    """Whether an expression is a call of `linad.checkpoint`, under any name."""
    if not isinstance(node, ast.Call):
        return False
    root = node.func
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or root.id in ctx.env or root.id in ctx.local_names:
        return False
    return resolve(node.func, ctx.source.scope) == External(NAME)


def marked(ctx: Lowering, node: ast.expr) -> Marked | None:
    """The mark around an iterable or a condition; None where there is none, or it was reported."""
    if not is_checkpoint(ctx, node):
        return None
    assert isinstance(node, ast.Call)
    plain = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
    unknown = next((k.arg or "**" for k in node.keywords if k.arg not in _OPTIONS), None)
    if not plain or unknown is not None:
        why = "takes what to loop over, then `slots`, `memory` and `scheme` by name" if not plain else f"has no option `{unknown}`"
        ctx.report(BadCall(ctx.span(node), NAME, why))
        return Marked(node.args[0] if plain else None, {}, node)
    options = {k.arg: k.value for k in node.keywords if k.arg is not None and not _is_none(k.value)}
    return Marked(node.args[0], options, node)


def mark_of(ctx: Lowering, found: Marked, *, literal: bool) -> Checkpoint | None:
    """The mark itself; None where it was reported. ``literal``: the options may not depend on the program's values."""
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


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _value(ctx: Lowering, node: ast.expr) -> object:
    """What an option is, where the text or a constant of the module says so."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if isinstance(node.operand.value, int) else None
    if isinstance(node, ast.Name) and (node.id in ctx.env or node.id in ctx.local_names):
        return None
    match resolve(node, ctx.source.scope):
        case Constant(value=value) if isinstance(value, int | str):
            return value
    return None


def _slots(ctx: Lowering, node: ast.expr) -> Atom | None:
    from .expressions import expression

    v = expression(ctx, node)
    if isinstance(v, ScalarValue) and v.dtype in INTS:
        return cast(ctx, v.atom, "i64", ctx.span(node))
    if not isinstance(v, SILENT):
        ctx.report(WrongType(ctx.span(node), "the number of slots is an int", describe(type_of(v)), "convert it: `int(...)`"))
    return None


def misplaced(ctx: Lowering, node: ast.Call) -> None:
    """A mark where no loop can carry it."""
    what, instead = "`linad.checkpoint` inside another iterable", "write it outermost: `linad.checkpoint(enumerate(x))`"
    ctx.report(Unsupported(ctx.span(node), what, instead))
