"""Checks of results: against the annotation of the function, and of results and calls whose value is not used."""

from __future__ import annotations

import ast

from ..ir.core import Call, Check, Stmt, blocks, outputs, walk, written
from ..messages import Message
from ..messages.derivatives import RebindsParameter, ResultUnused
from ..messages.types import ReturnMismatch
from ..names.scope import FunctionSource, Helper, parameters
from ..span import Span
from ..types import FLOATS
from . import annotations as notes
from .state import Lowering
from .values import (
    SILENT, ArrayType, GivenBack, NoneValue, OtherType, ScalarType, TupleType, Value, ValueType, contains, describe,
    type_of,
)

_RANK = {"b": 0, "i": 1, "f": 2}  # kinds of numbers: a narrower one is accepted where a wider one is annotated


def check_annotation(ctx: Lowering, value: Value) -> None:
    """Warn if the result does not match the annotation of the function."""
    node = ctx.source.node
    note = getattr(node, "returns", None)
    if note is None or not ctx.path.returned or contains(value, (*SILENT, GivenBack)):
        return
    if any(d.severity == "error" for d in ctx.programs.findings.told()):  # an error may have removed a result
        return
    annotated, found = _annotated(ctx, note), type_of(value)
    if annotated is None or (_fits(found, annotated) and not (ctx.spec is None and _counts(found, annotated))):
        return
    at, text = ctx.path.returned[0][0], ctx.source.source.segment(ctx.span(note))
    forgotten = isinstance(value, NoneValue)
    ctx.report(
        ReturnMismatch(ctx.span(note), ctx.source.name, text, describe(found), at, forgotten, _counts(found, annotated))
    )


def _counts(found: ValueType, note: notes.ParamType) -> bool:
    """Whether a result annotated as float is an int or a bool, which has no gradient."""
    return (
        isinstance(note, notes.ScalarType)
        and note.dtype in FLOATS
        and isinstance(found, ScalarType)
        and found.dtype not in FLOATS
    )


def _annotated(ctx: Lowering, note: ast.expr) -> notes.ParamType | None:
    if isinstance(note, ast.Constant) and note.value is None:
        return notes.NoneType()
    read = notes.parse_annotation(note, ctx.source.scope, ctx.source.source)
    return None if isinstance(read, (Message, notes.UnknownType)) else read


def _fits(found: ValueType, note: notes.ParamType) -> bool:
    match note, found:
        case notes.UnknownType(), _:
            return True
        case notes.ChoiceType(members=members), _:
            return any(_fits(found, m) for m in members)
        case notes.NoneType(), OtherType(value=NoneValue()):
            return True
        case notes.ScalarType(dtype=d), ScalarType(dtype=e):
            return _RANK[e[0]] <= _RANK[d[0]]
        case notes.ScalarType(), ArrayType(rank=0):
            return True
        case notes.ArrayType(rank=0), ScalarType():
            return True
        case notes.ArrayType(dtype=d, rank=r), _ if isinstance(getattr(found, "rank", None), int):
            return d in (None, found.dtype) and r in (None, found.rank)
        case notes.TupleType(items=items), TupleType(items=parts):
            return len(items) == len(parts) and all(map(_fits, parts, items))
        case ((notes.NoneType() | notes.ScalarType() | notes.ArrayType() | notes.TupleType()), _):
            return not isinstance(found, (ScalarType, ArrayType, TupleType)) and not isinstance(
                getattr(found, "value", None), NoneValue
            )
    return True  # records and other annotations


def warn_unused(ctx: Lowering, s: ast.Expr, value: Value, emitted: list[Stmt]) -> None:
    """Warn about an expression statement whose call has a result and no effect."""
    if not isinstance(s.value, ast.Call) or ctx.path.dead or contains(value, SILENT):
        return
    everything = [x for stmt in emitted for x in (stmt, *(y for b in blocks(stmt) for y in walk(b)))]
    made = {name for x in everything for name in _made(x)}
    if any(_acts(ctx, x, made) for x in everything):
        return
    if isinstance(value, NoneValue):
        helper = ctx.source.scope.lookup(s.value.func.id) if isinstance(s.value.func, ast.Name) else None
        lost = _rebound(helper.function) if isinstance(helper, Helper) else None
        if lost is not None:
            ctx.report(RebindsParameter(ctx.span(s.value), helper.function.name, *lost))
    else:
        ctx.report(ResultUnused(ctx.span(s.value), ast.unparse(s.value.func)))


def _rebound(function: FunctionSource) -> tuple[str, Span] | None:
    """The first parameter that a function rebinds, and where."""
    names = {p.arg for p in parameters(function.node.args)}
    for node in ast.walk(function.node):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in names:
                return name, function.source.span(node)
    return None


def _made(s: Stmt) -> list[str]:
    return [v.name for v in outputs(s)]


def _acts(ctx: Lowering, s: Stmt, made: set[str]) -> bool:
    """Whether a statement may raise, or updates an array that existed before."""
    if isinstance(s, Call):
        function = ctx.programs.function(s.callee)
        if function is None or any(_acts(ctx, x, set()) for x in walk(function.body) if isinstance(x, Check)):
            return True
        modes = ctx.programs.modes(s.callee)
        return any(m not in ("read", "own") and a.name not in made for a, m in zip(s.args, modes, strict=True))
    target = written(s)
    return isinstance(s, Check) or (target is not None and target.name not in made)
