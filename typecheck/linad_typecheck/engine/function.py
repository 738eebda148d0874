"""Lowering of one function for given argument types: its parameters, its body, and what its callers need to know."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from ..ir.core import Block, Call, Check, Const, Function, Let, Load, Param, Stmt, Var, walk
from ..linear.uses import uses
from ..messages.language import MixedReturns, Unsupported
from ..messages.ownership import ViewOnSomePaths
from ..names.scope import FunctionSource, parameters
from ..ownership.liveness import liveness
from ..ownership.modes import infer_modes, later_names
from ..ownership.objects import result_type as results_of, without_held
from ..ownership.state import aliases, may_share_items
from ..span import Span
from ..types import BOOL, I64, Array
from ..words import with_article
from .blocks import block
from .compiled import call_of_compiled
from .joins import coerce
from .loop_head import TOP
from .path import Fixed
from .places import simplify_view
from .results import check_annotation
from .returning import borrowed_result, unshared
from .desugaring import desugar, with_imports
from .programs import Programs
from .rebound_names import with_lists
from .spec import MODES, Spec
from .state import GIVEN_OBJECT, RET, Lent, Lowering
from .values import (
    GROWING, ArrayValue, Binding, Bottom, FunctionValue, LostArray, NoneValue, OtherType, Poison, ScalarType,
    ScalarValue, TupleType, TupleValue, UnionValue, Value, ValueType, ViewValue, arrays, as_literal, contains, describe,
    is_optional, join_results, join_settling, join_types, leaves, map_arrays, rebuild, slot, type_leaves, type_of,
)
from .views import whole


def initial_state(programs: Programs, source: FunctionSource, names: Iterator[str]) -> Lowering:
    """The initial state for lowering a function."""
    live = liveness(body := body_of(source))
    return Lowering(source, programs, live, frozenset(live.binds(body)) | frozenset(names))


def body_of(source: FunctionSource) -> list[ast.stmt]:
    """The statements of a function, with an explicit `return` at the end."""
    found = _BODIES.get(source.node)
    if found is None:
        node = source.node
        if isinstance(node, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            stmts = desugar(with_lists(node), with_imports(source.scope, node.body))
            body = [*stmts, ast.copy_location(ast.Return(None), node.body[-1])]
        found = _BODIES[node] = body
    return found


_BODIES: WeakKeyDictionary[ast.AST, list[ast.stmt]] = WeakKeyDictionary()  # weak keys: a language server runs for days


def lower_function(programs: Programs, spec: Spec) -> None:
    """Lower a function for the argument types of ``spec``, and record there what its callers need to know."""
    source = spec.source
    ctx = initial_state(programs, source, (n for n, _ in spec.params))
    ctx.spec = spec
    params = _parameters(ctx, spec)
    value = lower_body(ctx) if source.compiled is None else call_of_compiled(ctx)
    value = _for_callers(ctx, spec, _with_changed(ctx, spec, value))
    spec.result = results_of(type_of(value))
    if spec.recursive and contains(value, (Poison, Bottom)):
        spec.result = _of_base_cases(ctx)
        if spec.left:
            spec.result = TupleType((spec.result, *(results_of(type_of(v)) for v in _final(ctx, spec))))
    spec.failed = any(d.severity == "error" for d in programs.findings.diagnostics)
    hidden = Fixed({k: (ctx.variables.lent(v.name).name, v.type) for k, v in ctx.variables.globals.items()})
    if not contains(value, (Poison, Bottom)):
        body = Block(tuple(ctx.out), tuple(leaves(value)))
        if not spec.failed:
            _record_uses(ctx, spec, params, body)
        if not spec.recursive:
            spec.ones = tuple(ctx.ones(r) if isinstance(r.type, Array) else frozenset() for r in body.results)
        spec.function = _function(ctx, spec, params, body)
    spec.hidden = hidden  # last: the recursive calls in the body pass the hidden parameters known before it was lowered


def _parameters(ctx: Lowering, spec: Spec) -> list[Var]:
    """Bind the parameters; their core variables."""
    source, span = spec.source, ctx.span(spec.source.node)
    params: list[Var] = []
    values: dict[str, Value] = {}
    short: dict[int, list[int]] = {}
    for k, axis in spec.options.short:
        short.setdefault(k, []).append(axis)
    for name, t in spec.params:
        lent = Lent(name, "helper")
        fresh = []
        for k, leaf in enumerate(type_leaves(t), len(params)):
            axes = short.get(k, ())
            ones = frozenset((axis, False) for axis in axes)
            known = {"lent": lent, "ones": ones} if isinstance(leaf, Array) else {"single": bool(axes)}
            fresh.append(ctx.fresh(name.replace("?", "_set"), leaf, **known))
        params += fresh
        values[name] = rebuild(t, iter(fresh))
    held = {slot(k, p.type): p for k, p in enumerate(p for p in params if isinstance(p.type, Array))}
    for name, value in values.items():
        at_last = lambda v: simplify_view(held[v.var], v.view) if isinstance(v, ViewValue) and v.var in held else v
        ctx.bind(name, Binding(map_arrays(value, at_last), span))
    if isinstance(source.node, ast.FunctionDef):  # inside a nested function, its own name denotes itself
        names = tuple(n for n, _ in spec.params)
        args = {a.arg for a in parameters(source.node.args)}
        if "/" in source.key and source.name not in ctx.local_names:
            own = tuple((n, ctx.env[n].value) for n in names if n not in args)
            ctx.bind(source.name, Binding(FunctionValue(source, (), own), span))
    spec.numbers = {
        a.name: n
        for n, b in ctx.env.items()
        if isinstance(b.value, ScalarValue | FunctionValue)
        for a in leaves(b.value)
        if isinstance(a, Var)
    }
    flags = {name[:-1]: ctx.env[name].value.atom for name, _ in spec.params if name[-1] == "?"}
    bound = {n: b for n, b in ctx.env.items() if n[-1] != "?"}
    ctx.go(env=Fixed({n: replace(b, defined=flags[n]) if n in flags else b for n, b in bound.items()}))
    spec.depth = ctx.fresh("level", I64)
    for key, (name, t) in spec.hidden.items():
        ctx.global_array(name, t, key)
    ctx.asked({(params[k].name, axis): Const(n, I64) for k, axis, n in spec.options.sizes})
    spec.flat = tuple(p.name for p in params)
    ctx.bind_all({GIVEN_OBJECT + n: ctx.env[n] for n in spec.left})
    return params


def _final(ctx: Lowering, spec: Spec) -> tuple[Value, ...]:
    """The final values of the parameters that the function changes."""
    return tuple(ctx.env[GIVEN_OBJECT + n].value for n in spec.left)


def _with_changed(ctx: Lowering, spec: Spec, value: Value) -> Value:
    """The result of a function, and beside it the final values of the parameters that it changes."""
    if not spec.left or contains(value, (Poison, Bottom)):
        return value
    if any(contains(v, Poison) for v in _final(ctx, spec)):  # the caller must not go on with what it gave
        return Poison()
    span, left = ctx.span(spec.source.node), _final(ctx, spec)
    if any(contains(v, UnionValue) or (spec.recursive and _has_parts(ctx, v)) for v in left):
        what = "keeping a part of an array, or one of two arrays, in an object that is given"
        ctx.report(Unsupported(span, what, "keep a copy: `.copy()`"))
        left = tuple(Poison() for _ in left)
    value = TupleValue((value, *left) if spec.recursive else tuple(share_once(ctx, without_held(value, left), left)))
    if twice := _twice(ctx, value):
        what = f"returning the array `{twice}`, which an argument holds from here on, too,"
        ctx.report(Unsupported(span, what, f"return a copy: `{twice}.copy()`"))
        return Poison()
    return value


def _for_callers(ctx: Lowering, spec: Spec, value: Value) -> Value:
    """The result as the callers want it."""
    if spec.options.apart:
        value = unshared(ctx, value, ctx.span(spec.source.node))
    elif not spec.recursive:  # if recursive, the next iteration finds its results
        value = borrowed_result(ctx, value)
        value = with_known_results(value) if spec.options.answers else value
    if spec.recursive:  # as the recursive calls assume
        t = join_types(spec.result, type_of(value))
        spec.deeper |= t is not None and join_settling(spec.result, t) is None
        value = _widened(ctx, value, t or TOP)
    return value


def _record_uses(ctx: Lowering, spec: Spec, params: list[Var], body: Block) -> None:
    """Record how the function uses its parameters, and what its results may be in Python."""
    programs, results = ctx.programs, body.results
    modes = infer_modes(params, body, programs.modes)
    spec.modes = tuple(max(m, n, key=MODES.index) for m, n in zip(spec.modes, modes, strict=True))
    written = {v.name for s in walk(body) for v in updated_by(s, programs)}
    later = later_names(params, body, programs.returns)
    spec.written = frozenset(k for k, names in enumerate(later) if names & written)
    spec.updated = frozenset(k for k in spec.written if later[k] & ctx.variables.updated)
    spec.returned = frozenset(
        (k, j) for k, r in enumerate(results) for j, names in enumerate(later) if isinstance(r, Var) and r.name in names
    )
    held = (*params, *ctx.variables.globals.values())
    like = [(k, aliases(ctx, r)) for k, r in enumerate(results) if isinstance(r, Var)]
    spec.alike = frozenset((k, j) for k, names in like for j, p in enumerate(held) if p.name in names)
    spec.items = frozenset(k for k, names in enumerate(later) if names & ctx.variables.items_updated)
    spec.sharing = frozenset(k for k, names in like if may_share_items(names))
    spec.together = frozenset((k, j) for k, names in like for j in range(k) if getattr(results[j], "name", "") in names)


def _function(ctx: Lowering, spec: Spec, params: list[Var], body: Block) -> Function:
    """The core function. A recursive one counts its depth and checks it."""
    span, compiled = ctx.span(spec.source.node), spec.source.compiled
    linear = () if compiled is None else compiled.linear
    named = [n for n, t in spec.params for _ in type_leaves(t)]
    everything = [Param(p, m, n in linear) for p, m, n in zip(params, spec.modes, named, strict=True)]
    everything += [Param(v, "read") for v in ctx.variables.globals.values()]
    if spec.recursive:
        everything.append(Param(spec.depth, "own"))
        ok = ctx.fresh("ok", BOOL)
        limit = Const(ctx.programs.limit, I64)
        text = "maximum recursion depth exceeded"
        check = (Let(ok, "lt", (spec.depth, limit), span), Check(ok, "RecursionError", text, (), span))
        body = Block((*check, *body.stmts), body.results)
    for p, m in zip(params, spec.modes, strict=True):
        if isinstance(p.type, Array):
            ctx.fact("mode", p.name, span, m)
    return Function(spec.name, tuple(everything), body, span)


_LEFT = "#left "  # prefix of the name of an array of the result that stands for one that an argument holds


def share_once(ctx: Lowering, value: Value, left: Sequence[Value]) -> list[Value]:
    """A result, and the values that a call leaves in arguments, in which an array of the function's own has one place:
    all others, in the result too, are placeholders. A part of an array is passed with the array."""
    places: dict[str, int] = {}
    count = itertools.count()

    def placed(v: Value, new: bool) -> Value:
        k = next(count) if new else 0
        view = isinstance(v, ViewValue)
        if not isinstance(v, ArrayValue | ViewValue) or ctx.variables.lent(v.var.name) is not None:
            return v
        if v.var.name in places:
            place = replace(v.var, name=f"{_LEFT}{places[v.var.name]}")
            return ViewValue(place, v.view if view else whole(v.var.type.rank))
        if new:
            places[v.var.name] = k
        return replace(v, lent=True) if view and new else v

    after = [map_arrays(v, lambda leaf: placed(leaf, True)) for v in left]
    return [map_arrays(value, lambda leaf: placed(leaf, False)), *after]


def expand_shared(value: Value, left: Sequence[Value]) -> list[Value]:
    """The inverse of `share_once`, in the caller."""
    found: list[Value] = []
    for v in left:
        map_arrays(v, lambda leaf: found.append(leaf) or leaf)

    def given(v: Value) -> Value:
        if not isinstance(v, ViewValue) or not v.var.name.startswith(_LEFT):
            return v
        held = found[int(v.var.name.removeprefix(_LEFT))]
        return simplify_view(held.var, v.view)

    return [map_arrays(v, given) for v in (value, *left)]


def _has_parts(ctx: Lowering, v: Value) -> bool:
    """Whether a value holds a part of an array of the function's own."""
    found: list[Value] = []
    map_arrays(v, lambda leaf: found.append(leaf) or leaf)
    return any(isinstance(leaf, ViewValue) and ctx.variables.lent(leaf.var.name) is None for leaf in found)


def _twice(ctx: Lowering, value: TupleValue) -> str:
    """The name of an array of the function's own that occurs twice in its result, or an empty string."""
    found = [a.name for a in arrays(value) if ctx.variables.lent(a.name) is None and not a.name.startswith(_LEFT)]
    return next((n.partition(".")[0] for k, n in enumerate(found) if n in found[:k]), "")


def with_known_results(v: Value) -> Value:
    """The result of a helper, with known bools and ints recorded in its type, so that its caller can decide tests on
    them at compile time."""
    if isinstance(v, TupleValue) and v.record not in GROWING:
        return replace(v, items=tuple(map(with_known_results, v.items)))
    return as_literal(v) if isinstance(v, ScalarValue) else v


def updated_by(s: Stmt, programs: Programs) -> list[Var]:
    """The arrays that a statement updates, or that the function updates which it calls."""
    if isinstance(s, (Let, Load)):  # a fast path for most statements
        return []
    if isinstance(s, Call):
        spec = programs.spec(s.callee)
        return [
            a for k, (a, m) in enumerate(zip(s.args, spec.modes, strict=False)) if m in ("mut", "acc") or spec.writes(k)
        ]
    return [v for v, use in uses(s, programs.modes) if use in ("update", "accumulate")]


def lower_body(ctx: Lowering) -> Value:
    """Lower the statements of a function and return its result."""
    value = _body(ctx)
    check_annotation(ctx, value)
    return value


def _body(ctx: Lowering) -> Value:
    for name, b in ctx.env.items():
        ctx.typed(name, b.span, b.value)
    block(ctx, body_of(ctx.source), frozenset())
    ctx.go(dead=False)
    kinds: ValueType | None = None
    first: tuple[Span, ValueType] | None = None
    for span, value in ctx.path.returned:
        t = type_of(value)
        if first is None:
            first, kinds = (span, t), t
            continue
        joined = (join_results if ctx.spec is None else join_types)(kinds, t)
        none = joined is not None and ctx.spec is None and _has_optional(joined)  # None has no derivative
        if joined is None or (
            none and not (is_optional(joined) and _is_return(ctx, span) and not _has_optional(joined.items[0]))
        ):
            ctx.report(MixedReturns(span, describe(first[1]), describe(t), first[0], not _is_return(ctx, span)))
            return Poison()
        kinds = joined
    held = ctx.env.get(RET)
    if ctx.spec is not None:
        ctx.spec.raises = held is None and kinds is None
    if held is None:  # every path raises
        return NoneValue() if kinds is None else Poison()
    value = held.value
    if ctx.spec is None and is_optional(value):
        span = next(at for at, v in ctx.path.returned if isinstance(v, NoneValue) or is_optional(v))
        kinds = kinds.items[0]
        text = (
            f"`{ctx.source.name}` returns None here, and {with_article(describe(kinds))} on other paths: "
            "what is differentiated has results of one type (see 'None' in docs/reference/deviations.md)"
        )
        ctx.emit(Check(value.items[1].atom, "TypeError", text, (), span))
        value = value.items[0]
    if contains(value, (UnionValue, LostArray)) and not contains(value, (Poison, Bottom)):
        ctx.report(ViewOnSomePaths(ctx.path.returned[-1][0], ctx.source.name))
        return Poison()
    if kinds is not None and type_of(value) != kinds:
        return _widened(ctx, value, kinds)
    return value


def _has_optional(t: ValueType) -> bool:
    """Whether a result, or a part of it, may be None."""
    return is_optional(t) or (isinstance(t, TupleType) and any(map(_has_optional, t.items)))


def _is_return(ctx: Lowering, span: Span) -> bool:
    """Whether a result comes from a `return` statement rather than from the end of the function."""
    if isinstance(ctx.source.node, ast.Lambda):
        return True
    returns = (n for n in ast.walk(ctx.source.node) if isinstance(n, ast.Return))
    return any(ctx.span(n.value if n.value is not None else n) == span for n in returns)


def header(source: FunctionSource) -> Span:
    """``def name``, or the whole of a lambda."""
    span = source.source.span(source.node)
    if isinstance(source.node, ast.Lambda):
        return span
    line = source.source.lines[span.line - source.source.first_line]
    at = line.find(source.node.name, span.column - 1)
    return span if at < 0 else replace(span, end_line=span.line, end_column=at + 1 + len(source.node.name))


def _of_base_cases(ctx: Lowering) -> ValueType:
    """The result of a recursive function on the paths that do not call it."""
    found: ValueType = OtherType(Bottom())
    for _, value in ctx.path.returned:
        if not contains(value, (Poison, Bottom)):
            found = join_types(found, type_of(value)) or OtherType(Poison())
    return found


def _widened(ctx: Lowering, value: Value, t: ValueType) -> Value:
    if contains(value, (Poison, Bottom)) or not isinstance(t, (ScalarType, TupleType)) or type_of(value) == t:
        return value
    return rebuild(t, coerce(ctx, value, t, ctx.span(ctx.source.node)))
