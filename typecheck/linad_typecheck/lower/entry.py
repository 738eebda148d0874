"""Lowering of entry functions: parameters from binding and annotations, dimensions, and signature."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from .. import constructs, library  # noqa: F401 - whose files enter what they know into the tables of the engine
from ..arrays.shapes import permuting
from ..constructs.checkpoints import in_recursion
from ..ir.core import Atom, Block, Check, Const, Dim, Function, Param, Program, Var, reached
from ..engine import annotations as notes
from ..engine.custom_rules import lower_rules
from ..engine.entities import entity_value
from ..engine.function import initial_state, lower_body
from ..engine.positions import positioned
from ..engine.specialise import Specialiser
from ..engine.state import Lent, Lowering
from ..engine.values import (
    SEVERAL_LENGTHS, Bottom, GivenBack, Poison, ScalarValue, TextValue, TupleValue, Value, as_argument, contains,
    is_choice, leaves, rebuild, type_leaves, type_of,
)
from ..engine.values import Binding as Bound
from ..infer.affine import Affine
from ..ownership.modes import infer_modes
from ..ownership.objects import CALLER, from_outside, new_origin
from ..messages import Message
from ..messages.derivatives import NoGradient
from ..messages.language import OptionError, Unsupported
from ..messages.types import WrongArgument
from ..repairs import option_named
from ..names.scope import CHOICE, GIVEN, FunctionSource, Opaque, parameters
from ..signature import (
    ArgStatic,
    ArgType,
    Binding,
    Checked,
    Leaf,
    ParamInfo,
    RecordStructure,
    RecordTag,
    Signature,
    Structure,
)
from ..span import Span
from ..types import BOOL, I64, INTS, Array, Type, is_float
from ..words import with_article
from .parameters import Mismatch, bound_type, known_sizes, merged, noted_dims, noted_type, paths, structure, tag


@dataclass
class _Parameters:
    infos: list[ParamInfo] = field(default_factory=list)
    variables: list[Var] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    sizes: list[tuple[str, Var, tuple[notes.Dimension, ...], Span]] = field(default_factory=list)


def lower_entry(source: FunctionSource, binding: Binding, limit: int) -> Checked:
    """Check and lower an entry function, with all functions that it reaches."""
    several = SEVERAL_LENGTHS.set(source.lengths)
    try:
        return _lowered_for(source, binding, limit)
    finally:
        SEVERAL_LENGTHS.reset(several)


def _lowered_for(source: FunctionSource, binding: Binding, limit: int) -> Checked:
    programs = Specialiser(source, limit)
    checked = _lowered(source, binding, programs)
    if programs.wanted and checked.program is None:  # a call supplies the values
        given = all(isinstance(binding.get(n), ArgType) for n in programs.wanted)
        left = {n: b for n, b in binding.items() if n not in programs.wanted}
        again = (
            Checked(None, None) if given else _lowered(source, left, Specialiser(source, limit), tuple(programs.wanted))
        )
        return replace(again, fixed=tuple(programs.wanted))
    if programs.in_order and permuting(programs):  # what was lowered first relied on the absence of permuted axes
        return _lowered(source, binding, Specialiser(source, limit, permuted=True))
    return checked


def _lowered(source: FunctionSource, binding: Binding, programs: Specialiser, unknown: tuple[str, ...] = ()) -> Checked:
    name = programs.name(source.name)
    args = parameters(source.node.args)
    ctx = initial_state(programs, source, (a.arg for a in args))
    found = _Parameters()
    for a in args:
        _parameter(ctx, found, a, binding, a.arg in unknown)
    scalars = (
        (b.value.atom.name, n)
        for n, b in ctx.env.items()
        if isinstance(b.value, ScalarValue) and isinstance(b.value.atom, Var)
    )
    programs.numbers = dict(scalars)
    known = {a.arg for a in args}
    for option in ("updates", "wrt"):
        for given in getattr(source, option) or ():
            if (isinstance(given, str) and given not in known) or (
                isinstance(given, int) and not -len(args) <= given < len(args)
            ):
                _no_parameter(ctx, option, given, tuple(known))
    _by_floats(ctx, found, args, binding)
    _dimensions(ctx, found)
    value = lower_body(ctx)
    lower_rules(programs)
    return _finish(ctx, found, name, value)


def _no_parameter(ctx: Lowering, option: str, given: str | int, known: tuple[str, ...]) -> None:
    """Report an option that names something other than a parameter. ``known``: the parameters, in any order."""
    name, node = ctx.source.name, option_named(ctx.source, option, given)
    names = tuple(a.arg for a in parameters(ctx.source.node.args) if a.arg in known)
    if isinstance(given, int):
        why = f"`{option}` asks for parameter number {given}, and `{name}` has {len(names)}"
    else:
        why = f"`{option}` names `{given}`, which is not a parameter of `{name}`"
    near = next(iter(get_close_matches(given, names, 1)), "") if isinstance(given, str) else ""
    place = ctx.span(node)
    inside = isinstance(node, ast.Constant) and near and place.end_column - place.column == len(str(given)) + 2
    at = Span(place.file, place.line, place.column + 1, place.line, place.end_column - 1) if inside else None
    ctx.report(OptionError(place, why, near, at, names))


def _by_floats(ctx: Lowering, found: _Parameters, args: list[ast.arg], binding: Binding) -> None:
    """Refuse parameters in ``wrt`` that have no float according to their annotations. Without annotations, calls
    decide."""
    wanted = {args[w].arg if isinstance(w, int) and -len(args) <= w < len(args) else w for w in ctx.source.wrt or ()}
    nodes = {a.arg: a for a in args}
    for info in found.infos:
        types = list(_types(info.structure))
        settled = info.name not in binding and info.name not in found.missing
        if info.name in wanted and settled and types and not any(map(is_float, types)):
            what = " and ".join(dict.fromkeys(_said(t) for t in types))
            ctx.report(NoGradient(ctx.span(nodes[info.name]), info.name, what))


def _said(t: Type) -> str:
    word = "int" if t.dtype in INTS else "bool"
    return f"an array of {word}s" if isinstance(t, Array) else with_article(word)


def _types(structure: Structure) -> Iterator[Type]:
    match structure:
        case Leaf(type=t):
            yield t
        case tuple() | RecordStructure():
            for item in structure if isinstance(structure, tuple) else structure.items:
                yield from _types(item)


def _option(ctx: Lowering, name: str) -> ArgStatic | None:
    """The default of a parameter for an option: None, a bool or a string, for which calls are specialised."""
    spec = ctx.source.node.args
    positional = [*spec.posonlyargs, *spec.args]
    nodes = dict(zip((a.arg for a in reversed(positional)), reversed(spec.defaults), strict=False))
    nodes |= {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}
    node = nodes.get(name)
    value = dict(ctx.source.defaults).get(name, node.value if isinstance(node, ast.Constant) else ...)
    return ArgStatic(value, type(value).__name__) if value is None or isinstance(value, bool | str) else None


def _parameter(ctx: Lowering, found: _Parameters, a: ast.arg, binding: Binding, unknown: bool) -> None:
    span = ctx.span(a)
    starred = a in (ctx.source.node.args.vararg, ctx.source.node.args.kwarg)  # its annotation is that of each item
    read = a.annotation is not None and not starred
    note = notes.parse_annotation(a.annotation, ctx.source.scope, ctx.source.source) if read else notes.UNKNOWN
    if isinstance(note, Message):
        ctx.report(note)
        note = notes.UNKNOWN
    bound, option = binding.get(a.arg), _option(ctx, a.arg)
    if bound is None and option is not None:  # calls decide; until then the annotation or the default is used
        found.missing.append(a.arg)
        t = noted_type(note) if option.value is None else bound_type(option)
    elif isinstance(bound, ArgStatic) and bound.kind == "given":
        meant = ctx.source.scope.lookup(f"{GIVEN}{a.arg}")
        t = type_of(entity_value(ctx, meant or Opaque("this argument"), f"{GIVEN}{a.arg}", span))
    else:
        t = bound_type(bound) if bound is not None else noted_type(note)
    if unknown:
        t = None
    if bound is not None and t is not None:
        try:
            t = merged(note, t, a.arg)
        except Mismatch as wrong:
            ctx.report(WrongArgument(span, wrong.path, wrong.expected, wrong.got))
            t = None
    if t is None:
        ctx.bind(a.arg, Bound(Poison(), span))
        if a.arg not in found.missing:
            found.missing.append(a.arg)
        ctx.programs.unknown = True
        return
    first = len(found.variables)
    places = list(paths(t, a.arg))
    lent = Lent(a.arg, "update" if a.arg in ctx.source.updates else "entry")
    kinds = zip(places, type_leaves(t), strict=True)
    fresh = [ctx.fresh(_hint(place), leaf, lent=lent if isinstance(leaf, Array) else None) for place, leaf in kinds]
    found.variables += fresh
    value = as_argument(rebuild(t, iter(fresh)))
    if a is ctx.source.node.args.kwarg and isinstance(value, TupleValue):  # a dict of the call's own
        value = replace(value, made=frozenset((new_origin(ctx, span),)))
    ctx.bind(a.arg, Bound(from_outside(value, CALLER), span))
    for v, sizes in zip(fresh, known_sizes(bound), strict=False):
        if sizes:
            ctx.programs.sized |= None not in sizes
            ctx.asked({(v.name, axis): Const(n, I64) for axis, n in enumerate(sizes) if n is not None})
    known = list(noted_dims(note, t))
    dims = tuple(None if d is None else tuple(x.text for x in d) for d in known)
    found.infos.append(ParamInfo(a.arg, structure(t, iter(range(first, len(found.variables)))), dims))
    held = [(v, place) for v, place in zip(fresh, places, strict=True) if isinstance(v.type, Array)]
    for (v, place), d in zip(held, known, strict=True):
        if d is not None and len(d) == v.type.rank:
            found.sizes.append((place, v, d, span))


def _hint(place: str) -> str:
    """A variable name for a leaf: ``p_x`` for ``p.x``."""
    return "_".join(re.sub(r"\W", " ", place).split())


# ----------------------------------------------------------------------------------------------------- dimensions


def _dimensions(ctx: Lowering, found: _Parameters) -> None:
    """Emit the annotated sizes, and checks that equal names have equal sizes. The first array with a name defines
    it."""
    known: dict[str, tuple[Atom, str]] = {}
    later: list[tuple[str, Var, int, notes.Dimension, Span]] = []
    for name, var, dims, span in found.sizes:
        for axis, d in enumerate(dims):
            symbol = _symbol(d.size)
            if symbol is not None and symbol not in known:
                size = ctx.fresh(symbol, I64, nonneg=True)
                ctx.emit(Dim(size, var, axis, span))
                ctx.asked({(var.name, axis): size})
                known[symbol] = (size, f"`{name}`")
            elif d.size is not None:
                later.append((name, var, axis, d, span))
    for name, var, axis, d, span in later:
        wanted = _size(ctx, d.size, known, span)
        if wanted is None:
            continue
        size = ctx.dim(var, axis, span)
        if size == wanted:
            continue
        ok = ctx.let("ok", "eq", (size, wanted), BOOL, span)
        origin = next((known[s][1] for s in d.size.atoms if s in known), "")
        of = f"`{d.text}` is {{1}}" + (f" as {origin} says" if origin else "")
        text = f"the size of `{name}` along axis {axis} is {{0}}, but {of}"
        ctx.emit(Check(ok, "ValueError", text, (size, wanted), span))
        ctx.asked({(var.name, axis): wanted})


def _symbol(size: Affine | None) -> str | None:
    if size is not None and size.const == 0 and len(size.terms) == 1 and size.terms[0][1] == 1:
        return size.terms[0][0]
    return None


def _size(ctx: Lowering, size: Affine, known: dict[str, tuple[Atom, str]], span: Span) -> Atom | None:
    """An affine size in terms of its symbols; None if one of them is not defined."""
    if any(s not in known for s in size.atoms):
        return None
    total: Atom | None = None
    for symbol, factor in size.terms:
        part = known[symbol][0]
        if factor != 1:
            part = ctx.let("n", "mul", (part, Const(factor, I64)), I64, span)
        total = part if total is None else ctx.let("n", "add", (total, part), I64, span)
    if total is None:
        return Const(size.const, I64)
    return total if size.const == 0 else ctx.let("n", "add", (total, Const(size.const, I64)), I64, span)


# ------------------------------------------------------------------------------------------------------ signature


def _finish(ctx: Lowering, found: _Parameters, name: str, value: Value) -> Checked:
    programs = ctx.programs
    in_recursion(ctx)
    known = not programs.unknown
    silent = not any(d.severity == "error" for d in programs.findings.diagnostics)
    if known and silent and (programs.poisoned or contains(value, (Poison, Bottom))):
        # a part could not be lowered and nothing was reported: refuse the function rather than omit the part
        span = programs.findings.omitted or ctx.span(ctx.source.node)
        what = "this expression, whose value is of no kind that is known here,"
        ctx.report(Unsupported(span, what, "use arrays, or lists with items of one kind; or divide the function"))
    diagnostics = tuple(programs.findings.diagnostics)
    broken = any(d.severity == "error" for d in diagnostics) or contains(value, (Poison, Bottom))
    depends, missing = tuple(programs.depends), tuple(found.missing)
    if broken or programs.unknown:
        return Checked(None, None, diagnostics, programs.all_facts(), missing, depends)
    body = Block(tuple(ctx.out), tuple(leaves(value)))
    modes = infer_modes(found.variables, body, programs.modes)
    params: list[Param] = []
    for v, mode in zip(found.variables, modes, strict=True):
        lent = ctx.variables.lent(v.name)
        if lent is not None:
            mode = "mut" if lent.kind == "update" else "read"
            ctx.fact("mode", v.name, ctx.span(ctx.source.node), mode)
        params.append(Param(v, mode))
    params += [Param(v, "read") for v in ctx.variables.globals.values()]
    function = Function(name, tuple(params), body, ctx.span(ctx.source.node))
    functions = positioned(programs, {name: function, **programs.functions()})
    if not programs.derivatives():  # without those that only discarded attempts have called
        called = reached(functions, name)
        functions = {n: f for n, f in functions.items() if n in called}
    program = Program(name, functions, programs.derivatives())
    result = _result(programs, value, iter(range(len(body.results))))
    given_back = value.name if isinstance(value, GivenBack) else ""
    signature = Signature(
        ctx.source.name,
        tuple(found.infos),
        result,
        tuple(ctx.variables.globals),
        tuple(ctx.source.updates),
        given_back,
        _copied(ctx, found),
    )
    return Checked(program, signature, diagnostics, programs.all_facts(), missing, depends)


def _copied(ctx: Lowering, found: _Parameters) -> tuple[tuple[int, int], ...]:
    """The leaves of the result that are, on every path, copies of the same array of the caller."""
    places = {v.name: k for k, v in enumerate(found.variables)}
    paths = [[ctx.known(a).copied for a in leaves(value)] for _, value in ctx.path.returned]
    return tuple((k, places[names[0]]) for k, names in enumerate(zip(*paths)) if names[0] and len(set(names)) == 1)


def _result(programs: Specialiser, v: Value, indices: Iterator[int]) -> Structure:
    match v:
        case ScalarValue(atom=a, weak=w):
            return Leaf(next(indices), a.type, bool(w))
        case TupleValue(items=(code, *options)) if is_choice(v):
            codes = tuple(str(programs.code(x)) for x in options)
            cls = RecordTag("choice", CHOICE.key, codes, False)
            return RecordStructure(cls, tuple(_result(programs, x, indices) for x in (code, *options)))
        case TupleValue(items=items, record=record):
            parts = tuple(_result(programs, x, indices) for x in items)
            return parts if record is None else RecordStructure(tag(record), parts)
        case TextValue(text=text):
            return RecordStructure(RecordTag(text, "builtins.str", (), False, str), ())
        case _ if list(leaves(v)):
            return Leaf(next(indices), next(leaves(v)).type)
    return None
