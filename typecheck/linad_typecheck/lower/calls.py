"""Calls: of library functions, of methods, and of other functions, which are specialised by the types of the arguments."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..core import Atom, Call, Const
from ..diagnostics import Label
from ..frozen import frozen
from ..linear.liveness import bound, free_names
from ..linear.ownership import as_one, inherits, movable, move, names_of, others, stays_in_use, write
from ..messages.language import BadCall, Unsupported
from ..messages.ownership import OverlappingArguments
from ..messages.types import WrongType
from ..scope import External, FunctionSource, Helper, RecordClass, written
from ..span import Span
from ..types import I64, Array
from ..words import with_article
from .arrays import LITERALS, array_of, method
from .attributes import attribute_of
from .checkpoints import NAME as CHECKPOINT
from .checkpoints import in_one_step, run_again
from .combinators import COMBINATORS, combine
from .comprehensions import FOLDS, fold
from .context import ONE, ZERO, Lowering
from .derivatives import TRANSFORMS, call_derivative, transform
from .elsewhere import elsewhere
from .expressions import expression, operands, pull, settled, spread_out, usable
from .externals import DTYPES, Args, call_external
from .iterables import CALLS
from .iterables import callee as callee_of
from .nearby import meant
from .operands import rank_zero, unwrapped
from .path import Path
from .places import is_array, materialise, simplest
from .quoted import Quoted
from .records import construct, invoke, member_of, of_class, user_name
from .records import default as default_value
from .records import method as record_method
from .values import (
    LIST,
    SILENT,
    ArrayValue,
    Bottom,
    DerivativeValue,
    EntityValue,
    FunctionValue,
    Poison,
    ScalarValue,
    TupleValue,
    UnionValue,
    Value,
    ViewValue,
    as_argument,
    as_flag,
    contains,
    describe,
    leaves,
    map_arrays,
    rebuild,
    type_leaves,
    type_of,
)
from .views import map_atoms
from .whence import made_from

SCALAR_METHODS = ("item", "astype", "copy", "sum", "mean", "prod", "max", "min", "round", "clip", "conj", "any", "all")


@frozen
class Argument:
    value: Value
    span: Span
    name: str  # the user's name of it, empty for an expression


def call(ctx: Lowering, node: ast.Call, hint: str) -> Value:
    """The value of a call."""
    span = ctx.span(node)
    if any(isinstance(a, ast.Starred) for a in node.args):
        given = spread_out(ctx, node.args)
        if given is None:
            return Poison()
        node = ast.copy_location(ast.Call(node.func, given, node.keywords), node)
    if isinstance(node.func, ast.Attribute):
        base = settled(ctx, pull(ctx, node.func.value), *node.args, *(k.value for k in node.keywords))
        if is_array(base):
            args = _library_args(ctx, node, node.func.attr, hint)
            by = user_name(node.func.value)
            return Poison() if args is None else method(ctx, base, node.func.attr, args, by)
        if isinstance(base, ScalarValue) and not base.weak and node.func.attr in SCALAR_METHODS:  # of NumPy's numbers
            args = _library_args(ctx, node, node.func.attr, hint)
            return Poison() if args is None else unwrapped(ctx, method(ctx, rank_zero(base), node.func.attr, args, ""), span)
        if isinstance(base, TupleValue) and (made := record_method(ctx, node, base)) is not None:
            return made
        if isinstance(base, EntityValue) and isinstance(base.entity, RecordClass) and (made := of_class(ctx, node, base.entity)) is not None:
            return made
        callee = attribute_of(ctx, node.func, base)
    else:
        callee = expression(ctx, node.func)
    name = callee.name if isinstance(node.func, Quoted) and isinstance(callee, EntityValue) else written(node.func)
    match callee:
        case EntityValue(entity=External(dotted=dotted)) if dotted in LITERALS:
            return array_of(ctx, node, name, hint)
        case EntityValue(entity=External(dotted=dotted)) if dotted in FOLDS and not _unpacks(node):
            value = fold(ctx, node, dotted, hint)
            if value is not None:
                return value
            args = _library_args(ctx, node, name, hint, dotted)
            return Poison() if args is None else call_external(ctx, dotted, args)
        case EntityValue(entity=External(dotted=dotted)) if dotted in COMBINATORS:
            return combine(ctx, node, dotted, hint)
        case EntityValue(entity=External(dotted=dotted)) if dotted in TRANSFORMS:
            return transform(ctx, node, dotted, hint)
        case EntityValue(entity=External(dotted=dotted)) if dotted == CHECKPOINT and (made := run_again(ctx, node)) is not None:
            return made
        case DerivativeValue():
            return call_derivative(ctx, node, callee, hint)
        case EntityValue(entity=External(dotted="builtins.isinstance" | "builtins.type" | "builtins.getattr" | "builtins.hasattr" as dotted)):
            ctx.report(Unsupported(span, f"`{name}`", elsewhere(dotted) or ""))
            return Poison()
        case EntityValue(entity=External(dotted=dotted)):
            args = _library_args(ctx, node, name, hint, dotted)
            return Poison() if args is None else call_external(ctx, dotted, args)
        case EntityValue(entity=RecordClass() as record):
            return construct(ctx, node, record)
        case EntityValue(entity=Helper(function=source)):
            return _call(ctx, node, source, (), hint)
        case TupleValue(record=RecordClass() as record) if (called := member_of(ctx, record, "__call__")) is not None:
            return invoke(ctx, called, [callee], node.func, node.args, node.keywords)
        case FunctionValue(source=source):
            return _call(ctx, node, source, captured(ctx, callee, span), hint)
    with ctx.programs.apart() as found:
        for a in node.args:
            if not isinstance(a, ast.Starred) and not (isinstance(a, ast.Call) and callee_of(ctx, a.func) in CALLS):  # perhaps run over there
                expression(ctx, a)
    if isinstance(callee, Poison) and callee.foreign:
        found.diagnostics = [d for d in found.diagnostics if d.slug not in ("unsupported", "unknown-function", "impure-call")]
    ctx.programs.findings.take(found)
    if not isinstance(callee, SILENT):
        hidden = isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id)
        instead = f"give the variable another name: `{name}` is a function of Python" if hidden else ""
        whence = made_from(ctx, name, ctx.span(node.func), f"`{name}` is {with_article(describe(type_of(callee)))} from here on")
        ctx.report(WrongType(ctx.span(node.func), "only functions are called", describe(type_of(callee)), instead, whence=whence))
    return Poison()


def _unpacks(node: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)


def _library_args(ctx: Lowering, node: ast.Call, name: str, hint: str, callee: str = "") -> Args | None:
    """The arguments of a library function. A list or tuple written out holds expressions that are not evaluated yet."""
    starred = [a for a in node.args if isinstance(a, ast.Starred)] + [k.value for k in node.keywords if k.arg is None]
    if starred:
        ctx.report(Unsupported(ctx.span(starred[0]), "unpacking arguments", "write the arguments out"))
        return None
    nodes = [*node.args, *(k.value for k in node.keywords)]
    if nodes and isinstance(nodes[0], ast.ListComp) and callee.startswith("numpy."):  # NumPy makes an array of a list
        from .comprehensions import array_from

        nodes[0] = Quoted(nodes[0], array_from(ctx, nodes[0], None, hint))
    values = iter(operands(ctx, [leaf for n in nodes for leaf in _leaves(n)]))
    given = [_rebuilt(n, values) for n in nodes]
    found = [usable(ctx, v, "the argument", ctx.span(a)) for v, a in zip(given, nodes, strict=True)]
    values = tuple(found[: len(node.args)])
    keywords = dict(zip((k.arg for k in node.keywords), found[len(node.args) :], strict=True))
    if any(isinstance(v, SILENT) for v in (*values, *keywords.values())):
        ctx.programs.poisoned |= any(isinstance(v, Poison) for v in (*values, *keywords.values()))
        return None
    return Args(name, ctx.span(node), values, keywords, hint, node)


def _is_display(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and not any(isinstance(e, ast.Starred) for e in node.elts)


def _leaves(node: ast.expr) -> list[ast.expr]:
    return [leaf for e in node.elts for leaf in _leaves(e)] if _is_display(node) else [node]


def _rebuilt(node: ast.expr, values: Iterator[Value]) -> Value:
    if not _is_display(node):
        return next(values)
    return TupleValue(tuple(_rebuilt(e, values) for e in node.elts), LIST if isinstance(node, ast.List) else None)


# ------------------------------------------------------------------------------------------------ nested functions


def nested_function(ctx: Lowering, node: ast.FunctionDef | ast.Lambda, name: str) -> FunctionValue:
    """A nested function or lambda; what it captures is looked up at each call."""
    key = f"{ctx.source.key}/{ctx.source.name}.{name}@{node.lineno}:{node.col_offset}"
    source = FunctionSource(name, node, ctx.source.source, ctx.source.scope, key)
    free = tuple(sorted(free_names(node) & (ctx.local_names | ctx.env.keys())))
    return FunctionValue(source, free)


def captured(ctx: Lowering, f: FunctionValue, span: Span, outer: Sequence[FunctionSource] = ()) -> tuple[tuple[str, Value], ...]:
    """The values that a nested function captures, as they are now, with a flag ``name?`` where one may be undefined;
    ``outer`` are the functions that capture it in turn."""
    if f.captured is not None:
        return f.captured
    found: list[tuple[str, Value]] = []
    for name in f.free:
        b = ctx.env.get(name)
        if b is None or (isinstance(b.value, FunctionValue) and b.value.source == f.source):
            continue
        value = usable(ctx, b.value, name, span)
        found.append((name, closed(ctx, value, span, (*outer, f.source))))
        if b.defined is not None:
            found.append((f"{name}?", ScalarValue(b.defined, True)))
    return tuple(found)


def closed(ctx: Lowering, v: Value, span: Span, outer: Sequence[FunctionSource] = ()) -> Value:
    """A function value that takes what it captures with it."""
    if isinstance(v, DerivativeValue):
        function = closed(ctx, v.function, span, outer)
        return function if isinstance(function, Poison) else replace(v, function=function)
    if not isinstance(v, FunctionValue) or v.captured is not None:
        return v
    if v.source in outer:
        what = f"the nested function `{v.source.name}`, which calls itself through `{outer[-1].name}`"
        ctx.report(Unsupported(span, what, "define both at the level of the module"))
        return Poison()
    return FunctionValue(v.source, v.free, captured(ctx, v, span, outer))


# ---------------------------------------------------------------------------------------------------- user functions


def _call(ctx: Lowering, node: ast.Call, source: FunctionSource, captures: tuple[tuple[str, Value], ...], hint: str) -> Value:
    args = _bind(ctx, node, source)
    if args is None:
        return Poison()
    values = [usable(ctx, a.value, a.name or "the argument", a.span) for a in args.values()]
    capture_args = [Argument(v, ctx.span(node), n) for n, v in captures]
    if any(contains(v, Poison) for v in [*values, *(v for _, v in captures)]):
        ctx.programs.poisoned = True
        return Poison()
    if any(isinstance(v, Bottom) for v in values):
        return Bottom()
    given = [Argument(closed(ctx, v, a.span), a.span, a.name) for v, a in zip(values, args.values(), strict=True)]
    if ctx.programs.inside(source):  # or each level would have a view of its own
        given = [replace(a, value=map_arrays(a.value, lambda v, a=a: _at_run_time(ctx, v, a.span))) for a in given]
    else:
        given, capture_args = ([replace(a, value=as_flag(a.value)) for a in some] for some in (given, capture_args))
    params = tuple((n, type_of(as_argument(a.value))) for n, a in zip(args, given, strict=True))
    spec = ctx.programs.specialise(source, params, tuple((a.name, type_of(as_argument(a.value))) for a in capture_args))
    if spec.failed:
        ctx.programs.poisoned = True
        return Poison()
    return _emit(ctx, node, spec, [*given, *capture_args], hint)


def _at_run_time(ctx: Lowering, v: Value, span: Span) -> Value:
    """A view whose numbers are all known at run time only."""
    match v:
        case ViewValue(view=view):
            known = lambda a: ctx.let("i", "add", (a, ZERO), I64, span) if isinstance(a, Const) else a
            return replace(v, view=map_atoms(view, known))
        case UnionValue(one=one, other=other):
            return replace(v, one=_at_run_time(ctx, one, span), other=_at_run_time(ctx, other, span))
    return v


def _emit(ctx: Lowering, node: ast.Call, spec, given: list[Argument], hint: str) -> Value:
    span = ctx.span(node)
    given = [replace(a, value=as_argument(a.value)) for a in given]
    atoms: list[Atom] = [leaf for a in given for leaf in leaves(a.value)]
    of_atom = [a for a in given for _ in leaves(a.value)]
    _own(ctx, spec, atoms, of_atom, span)
    for key, (name, t) in spec.hidden.items():
        atoms.append(ctx.global_array(name, t, key).var)
    if spec.recursive:
        mine = ctx.spec.depth if ctx.spec is not None and ctx.spec.recursive else None
        atoms.append(ZERO if mine is None else ctx.let("level", "add", (mine, ONE), I64, span))
    outs = tuple(ctx.fresh(hint if hint != "t" else spec.source.name.replace("<lambda>", "t"), t) for t in type_leaves(spec.result))
    if spec.source.again:
        in_one_step(ctx, outs, spec, atoms, span)
    else:
        ctx.emit(Call(outs, spec.name, tuple(atoms), span))
    given_as = dict(zip(spec.flat, atoms, strict=False))
    for o in (o for o in outs if isinstance(o.type, Array)):
        inherits(ctx, o, *(a for a, mode in zip(atoms, spec.modes, strict=False) if mode == "own" and isinstance(a.type, Array)))
        as_one(ctx, o.name, *(atoms[k].name for k in spec.alike))
    as_one(ctx, *(outs[k].name for k in spec.together))
    value = rebuild(spec.result, iter(outs))
    return map_arrays(value, lambda v: simplest(given_as[v.var.name], v.view) if isinstance(v, ViewValue) and v.var.name in given_as else v)


def _own(ctx: Lowering, spec, atoms: list[Atom], args: list[Argument], span: Span) -> None:
    """Lend and move the array arguments as the modes of the callee say."""
    seen: dict[str, tuple[str, Argument]] = {}
    name = spec.source.name
    for atom, arg, mode in zip(atoms, args, spec.modes, strict=False):
        if not isinstance(atom.type, Array):
            continue
        user = arg.name or next(iter(names_of(ctx, atom)), atom.name.partition(".")[0])
        for same in {atom.name, *others(ctx, atom)} & seen.keys():
            if seen[same][0] != mode or mode not in ("read", "acc"):
                does = "takes over" if "own" in (mode, seen[same][0]) else "updates"
                ctx.report(OverlappingArguments(arg.span, user, name, seen[same][1].span, does))
        seen[atom.name] = (mode, arg)
    for k, (atom, arg, mode) in enumerate(zip(tuple(atoms), args, spec.modes, strict=False)):
        if not isinstance(atom.type, Array):
            continue
        held = [n for n in names_of(ctx, atom) if n[0] != "%"]
        user = arg.name if arg.name in held else (held[0] if held else "")
        if mode == "own":
            if spec.writes(k):
                if movable(ctx, atom):  # what is not is refused as a whole below
                    write(ctx, ArrayValue(atom), user, arg.span)
            elif not movable(ctx, atom) or stays_in_use(ctx, atom):
                atoms[k] = materialise(ctx, ArrayValue(atom), user or "t", arg.span).var
                as_one(ctx, atoms[k].name, atom.name)
                ctx.fact("copy", user, arg.span, f"`{name}` keeps or returns it, and it stays in use here")
                continue
            move(ctx, atom, f"the call of `{name}`", arg.span, f"passed to `{name}`, which keeps or returns it")
        elif mode in ("acc", "mut"):
            write(ctx, ArrayValue(atom), user, arg.span)
        ctx.fact("borrow" if mode != "own" else "move", user, arg.span, f"`{name}` takes it as {mode}")


def _bind(ctx: Lowering, node: ast.Call, source: FunctionSource) -> dict[str, Argument] | None:
    """The arguments by parameter, in the order of the parameters, evaluated in the order of the call."""
    spec = source.node.args
    span = ctx.span(node)
    defined = _parameters_of(source)
    if spec.kwarg:
        ctx.report(BadCall(span, source.name, "has `**kwargs`, which are not supported: name the parameters", defined))
        return None
    if any(k.arg is None for k in node.keywords):
        ctx.report(Unsupported(span, "unpacking keyword arguments", "write the arguments out"))
        return None
    nodes = spread_out(ctx, node.args)
    if nodes is None:
        return None
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    every = [*positional, *(a.arg for a in spec.kwonlyargs)]
    by_position_only = {a.arg for a in spec.posonlyargs}
    found: dict[str, Argument] = {}
    if len(nodes) > len(positional) and not spec.vararg:
        ctx.report(BadCall(span, source.name, f"takes {len(positional)} positional arguments and is given {len(nodes)}", defined))
        return None
    rest: list[Value] = []
    for name, a in [*itertools.zip_longest(positional[: len(nodes)], nodes), *((k.arg, k.value) for k in node.keywords)]:
        if name is None:  # for `*args`
            rest.append(expression(ctx, a))
            continue
        if name in found or name not in every or (name in by_position_only and a not in nodes):
            if name in found or name in every:
                why = f"is given `{name}` twice" if name in found else f"takes `{name}` by position only"
                ctx.report(BadCall(ctx.span(a), source.name, why, defined, where="given here"))
                return None
            keyword = next(k for k in node.keywords if k.arg == name)
            at = replace(start := ctx.span(keyword), end_line=start.line, end_column=start.column + len(name))
            near = meant(name, (n for n in every if n not in found), 0.6)
            ctx.report(BadCall(at, source.name, f"has no parameter `{name}`", defined, near, at if near else None, "no such parameter"))
            return None
        value = expression(ctx, a)
        found[name] = Argument(value, ctx.span(a), a.id if isinstance(a, ast.Name) else "")
    for name in every:
        if name not in found:
            default = default_of(ctx, source, name)
            if default is None:
                ctx.report(BadCall(span, source.name, f"is called without `{name}`", defined))
                return None
            found[name] = Argument(default, span, "")
    if spec.vararg:
        found[spec.vararg.arg] = Argument(TupleValue(tuple(rest)), span, "")
        every.append(spec.vararg.arg)
    return {name: found[name] for name in every}


def _parameters_of(source: FunctionSource) -> Label:
    """A label at the parameters of a function."""
    a = source.node.args
    every = [*a.posonlyargs, *a.args, *a.kwonlyargs]
    names = ", ".join(p.arg for p in every)
    if not every:
        start = source.source.span(source.node)
        place = replace(start, end_line=start.line, end_column=start.column + len("def"))
    else:
        first, last = source.source.span(every[0]), source.source.span(every[-1])
        place = replace(first, end_line=last.end_line, end_column=last.end_column)
    return Label(place, f"the parameters are {names}" if len(every) > 1 else f"the only parameter is {names}" if every else "it has no parameters")


def default_of(ctx: Lowering, source: FunctionSource, name: str) -> Value | None:
    """The value of a parameter's default: a constant."""
    for n, value in source.defaults:
        if n == name:
            return default_value(ctx, value, name, source.source.span(source.node))
    spec = source.node.args
    positional = [*spec.posonlyargs, *spec.args]
    nodes = dict(zip((a.arg for a in reversed(positional)), reversed(spec.defaults), strict=False))
    nodes |= {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}
    node = nodes.get(name)
    if node is None:
        return None
    local = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & ctx.local_names if "/" in source.key else set()
    if local or bound([node]) or not _is_constant(ctx, node):
        ctx.report(Unsupported(source.source.span(node), "this default", "use a constant"))
        return Poison()
    return expression(replace(ctx, source=source, local_names=frozenset(), path=Path()), node)


_CONSTANT = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.USub, ast.UAdd, ast.Load, ast.Name, ast.Attribute)


def _is_constant(ctx: Lowering, node: ast.expr) -> bool:
    """Whether an expression is of constants alone, which ``np.bool_(False)`` is, too."""
    converts = lambda n: isinstance(n, ast.Call) and callee_of(ctx, n.func) in DTYPES
    return all(isinstance(n, _CONSTANT) or converts(n) for n in ast.walk(node))


