"""Lists, dicts and objects that may be one: here they are values, which a change gives anew under one name.

A call may give back what it got, or put it into what it gives: then two names mean one list in Python, of which a
change under one would not show under the other. So no name that went into such a call, or got its result, may be
changed in the same function, before the call or after it: a loop may lead from either to the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..engine.quoted import Quoted
from ..engine.state import Lowering
from ..engine.values import LISTS, TupleValue, Value
from ..messages.language import UnknownIdentity
from ..span import Span


def given_back(
    ctx: Lowering, nodes: list[ast.expr], names: set[str], function: str, given: list[Value], result: Value, fresh: bool
) -> None:
    """Note a call that may give back what it got, from ``nodes`` and under ``names``. ``fresh``: the result itself is a
    new object, in which others may be; so is each that the function is known to have made."""
    fresh = fresh or (isinstance(result, TupleValue) and result.made is not None)
    came = {
        k
        for part in (result.items if fresh and isinstance(result, TupleValue) else (result,))
        for k in _kinds(part, True)
    }
    if not came & {k for v in given for k in _kinds(v)}:
        return
    names = {n for n in _read(ctx, nodes) | names if n in ctx.env and came & set(_kinds(ctx.env[n].value))}
    match ctx.path.stmt:
        case ast.Assign(targets=heads) if not fresh:
            names |= _stored(heads)
        case (ast.AnnAssign(target=head) | ast.For(target=head)) if not fresh:
            names |= _stored([head])
    ctx.variables.tied.update(dict.fromkeys(names, function))
    if late := sorted(names & ctx.variables.changed):
        _refuse(ctx, late[0], function, ctx.span(nodes[0]))


def change(ctx: Lowering, name: str, span: Span) -> bool:
    """Note that the list, dict or object of a name is changed; False, with a report, where it may be another name's,
    too."""
    ctx.variables.changed.add(name)
    if name in ctx.variables.tied:
        _refuse(ctx, name, ctx.variables.tied[name], span)
        return False
    return True


def _refuse(ctx: Lowering, name: str, function: str, span: Span) -> None:
    what = f"changing `{name}`, which a call of `{function}` may give back under another name,"
    ctx.report(UnknownIdentity(span, what, "make a new one in place of changing it, or pass its parts to the function"))


def _stored(heads: list[ast.expr]) -> set[str]:
    return {n.id for h in heads for n in ast.walk(h) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _read(ctx: Lowering, nodes: list[ast.expr]) -> set[str]:
    """The names that expressions mention, and those of what was found for their parts already."""
    found: set[str] = set()
    for n in (n for node in nodes for n in ast.walk(node)):
        if isinstance(n, ast.Name):
            found.add(n.id)
        elif isinstance(n, Quoted):
            found |= {name for name, b in ctx.env.items() if b.value == n.value}
    return found


def _kinds(v: Value, unknown: bool = False) -> Iterator[str]:
    """What may be changed in a value: objects by their classes, dicts, lists. ``unknown``: without those made at a
    known place."""
    if not isinstance(v, TupleValue):
        return
    if v.record in LISTS:
        yield "list"
    elif unknown and v.made is not None:
        pass
    elif v.mapping:
        yield "dict"
    elif v.record is not None and v.record.mutable:
        yield v.record.key
    for item in v.items:
        yield from _kinds(item, unknown)
