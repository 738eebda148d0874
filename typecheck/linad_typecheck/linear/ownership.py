"""The ownership rules while a function is lowered: writes, moves, and the names that may no longer be used.

Two names alias exactly where they hold the same array variable. A write through one name, or a move, marks every other
name of that array as lost; only a later *use* of a lost name is an error, so that dead names cost nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..core import Var
from ..messages.ownership import (
    ArgumentUpdated,
    CapturedArrayUpdated,
    Lent,
    MovedInLoop,
    MovedOnSomePaths,
    UseAfterMove,
)
from ..span import NOWHERE, Span

if TYPE_CHECKING:
    from ..lower.context import Lowering

from ..lower.values import ArrayValue, Binding, LostArray, Loss, map_arrays


def names_of(ctx: Lowering, var: Var) -> list[str]:
    """The names that hold an array, the user's first."""
    held = [n for n, b in ctx.env.items() if any(v.name == var.name for v in _arrays(b))]
    return sorted(held, key=lambda n: n.startswith("%"))


def _arrays(b: Binding) -> list[Var]:
    found: list[Var] = []

    def see(v):
        if isinstance(v, ArrayValue):
            found.append(v.var)
        return v

    map_arrays(b.value, see)
    return found


def lose(ctx: Lowering, var: Var, loss: Loss, keep: frozenset[str] = frozenset()) -> None:
    """Mark the array as lost under every name but those of ``keep``."""
    for name, b in list(ctx.env.items()):
        if name in keep:
            continue
        made = loss.made

        def change(leaf, made=made):
            if isinstance(leaf, ArrayValue) and leaf.var.name == var.name:
                return LostArray(leaf.var.type, replace(loss, made=made))
            return leaf

        value = map_arrays(b.value, change)
        if value is not b.value:
            ctx.env[name] = replace(b, value=value)


def write(ctx: Lowering, var: Var, by: str, span: Span) -> None:
    """The array is updated in place through the name ``by`` (empty for a temporary)."""
    lent = ctx.lent.get(var.name)
    if lent is not None and lent.kind == "global":
        ctx.report(CapturedArrayUpdated(span, lent.name))
    elif lent is not None and lent.kind == "entry":
        ctx.report(ArgumentUpdated(span, lent.name, by or lent.name, ctx.source.name))
    others = [n for n in names_of(ctx, var) if n != by and not n.startswith("%")]
    if others and by:
        own = ctx.env[by].span
        for other in others:
            made = max((own, ctx.env[other].span), key=lambda s: (s.line, s.column))
            _lose_name(ctx, other, var, Loss("written", by, span, made))


def _lose_name(ctx: Lowering, name: str, var: Var, loss: Loss) -> None:
    lose(ctx, var, loss, frozenset(ctx.env) - {name})


def movable(ctx: Lowering, var: Var) -> bool:
    """Whether the function may give the array away."""
    lent = ctx.lent.get(var.name)
    return lent is None or lent.kind == "helper"


def move(ctx: Lowering, var: Var, into: str, span: Span, how: str) -> bool:
    """The array is given away: into a call, a result, a loop. False, with a report, where it is not ours to give."""
    if not movable(ctx, var):
        lent = ctx.lent[var.name]
        what = "the module-level array" if lent.kind == "global" else "the array"
        ctx.report(Lent(span, f"{what} `{lent.name}`", how))
        return False
    lose(ctx, var, Loss("moved", into, span))
    ctx.fact("move", ", ".join(names_of(ctx, var)) or var.name, span, how)
    return True


def report_lost(ctx: Lowering, name: str, lost: LostArray, span: Span) -> None:
    """Somebody uses a lost array."""
    loss = lost.loss
    match loss.reason:
        case "written":
            ctx.report(UseAfterMove(span, name, loss.by, loss.span, loss.made))
        case "joined" | "carried":
            ctx.report(MovedOnSomePaths(span, name, loss.by, loss.span))
        case "lent":
            ctx.report(Lent(loss.made if loss.made != NOWHERE else loss.span, f"the array `{loss.by}`", f"bound to `{name}`, which is another array on other paths"))
        case _ if loss.span == span or (loss.span.line, loss.span.column) > (span.line, span.column):
            ctx.report(MovedInLoop(span, name, loss.by, loss.span))
        case _:
            ctx.report(UseAfterMove(span, name, loss.by, loss.span, written=False))
