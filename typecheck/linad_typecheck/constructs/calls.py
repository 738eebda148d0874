"""Calls of library functions, methods and user functions. User functions are specialised for the types of their
arguments."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat

from ..arrays.shapes import rank_zero, transposed
from ..ir.core import Atom, Call, Check, Const
from ..engine.closures import captured, closed, nested_function
from ..engine.entities import callee as callee_of
from ..engine.choices import one_per_option
from ..engine.evaluation import (
    CALLED_VALUES, CALLS, EXPRESSIONS, expand_starred, expression, force_before, operands, pull, usable,
)
from ..engine.elementwise import lift
from ..engine.growing import as_array, count_of, is_growing
from ..engine.hashed import is_hashed
from ..engine.places import force_array, materialise, simplify_view, unwrapped
from ..engine.provenance import origin_label, user_name
from ..engine.quoted import Quoted
from ..engine.refusal import Refused, forget
from ..engine.rulebook import Args, is_elementwise
from ..engine.signatures import inputs_of
from ..engine.snippets import snippet_value
from ..engine.sizes import is_array, rank_of
from ..engine.function import expand_shared, updated_by
from ..engine.spec import CallOptions
from ..engine.specialise import specialised
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    LIST, SEQUENCES, SEVERAL_LENGTHS, SILENT, ArrayValue, Binding, Bottom, EntityValue, FunctionValue, NoneValue,
    Poison, ScalarValue, TextValue, TupleValue, UnionValue, Value, ViewValue, arrays, as_argument, as_flag, contains,
    describe, is_choice, is_complex, is_field, leaves, literal, map_arrays, map_objects, objects as objects_in, passed,
    rebuild, type_leaves, type_of,
)
from ..engine.views import map_atoms
from ..library.arrays import method
from ..library.definitions import definitions
from ..library.externals import call_external
from ..registry import has_rule
from ..ownership.objects import allocated_at, changed_by_call, from_callee, number_objects as given_objects, expand_held
from ..ownership.state import (
    aliases, array_leaves, inherits, item_updated, join_aliases, may_overlap, movable, move, names_of, record_copy,
    shares_items, stays_in_use, write,
)
from ..messages.language import Unsupported
from ..messages.ownership import OverlappingArguments
from ..messages.types import WrongType
from ..names.scope import SPANS, Applied, EnumClass, External, FunctionSource, Helper, Instance, RecordClass, written
from ..span import Span
from ..types import BOOL, I64, Array
from ..words import with_article
from . import complexes, enumerations, frozen_distributions, hashed, lists, objects, queues
from .arguments import Argument, bound_arguments
from .attributes import attribute_of
from .checkpoints import in_one_step
from .comprehensions import array_from
from .dicts import for_each_key, unpacked
from .dicts import method as dict_method
from .generators import is_generator, start_generator
from .iterables import ITERABLES, listed
from .kept_items import keep_items_of, write_in_call
from .records import (
    FREE, PROTOCOL, by_class, construct, invoke, member_of, method as record_method, method_of_parent, object_truth,
    of_class,
)
from .static_lists import as_sequence, is_tuple_of
from .static_texts import method as text_method
from .targets import evaluated_before, held_object

SCALAR_METHODS = tuple(
    "item astype copy sum mean prod max min std var round clip conj any all flatten ravel squeeze reshape "
    "tolist".split()
)


def call(ctx: Lowering, node: ast.Call, hint: str) -> Value:
    """The value of a call."""
    node = _spread(ctx, node)
    if not isinstance(node.func, ast.Attribute):
        return _called(ctx, node, expression(ctx, node.func), hint)
    if isinstance(either := node.func.value, ast.IfExp):
        arms = (either.body, either.orelse)
        if any(held_object(ctx, arm) is not None for arm in arms):  # the call may change that one
            each = (_of_one(node, arm) for arm in arms)
            return expression(ctx, ast.copy_location(ast.IfExp(either.test, *each), node), hint, none=True)
    each = lambda of: call(ctx, _of_one(node, of), hint)
    if (found := for_each_key(ctx, node.func.value, each, ctx.span(node))) is not None:
        return found
    if (made := method_of_parent(ctx, node)) is not None:
        return made
    node = _after_arguments(ctx, node)
    base = force_before(ctx, pull(ctx, node.func.value), *node.args, *(k.value for k in node.keywords))
    if isinstance(base, TupleValue) and node.args and base.mapping:
        as_hashed = hashed.hashed_for_items if node.func.attr == "update" else hashed.hashed_for_key
        base = as_hashed(ctx, base, node.args[0]) or base
    if isinstance(base, Poison) and (root := next((n for n in ast.walk(node.func) if isinstance(n, ast.Name)), None)):
        # a method of an unknown part of it may change any other part
        forget(ctx, (ctx.env[root.id].value,) if root.id in ctx.env else ())
    return _of_value(ctx, node, base, hint)


def _after_arguments(ctx: Lowering, node: ast.Call) -> ast.Call:
    """The call of a method of a list, a deque or a dict whose arguments may change it, as in ``d.append(d.popleft())``:
    they are evaluated first, so that the method is that of what they leave."""
    given = evaluated_before(ctx, node.func.value, node.args)
    return node if given is None else ast.copy_location(ast.Call(node.func, given, node.keywords), node)


def _of_value(ctx: Lowering, node: ast.Call, base: Value, hint: str) -> Value:
    """The call of a method, or of an attribute that is a function, of a value."""
    found = _method(ctx, node, base, hint)
    return _called(ctx, node, attribute_of(ctx, node.func, base), hint) if found is None else found


def _spread(ctx: Lowering, node: ast.Call) -> ast.Call:
    """A call with its starred arguments written out."""
    if ast.Starred in map(type, node.args) and callee_of(ctx, node.func) != "builtins.zip":
        extreme = callee_of(ctx, node.func) in ("builtins.min", "builtins.max")
        written_out = expand_starred(ctx, node.args, lambda: _parameters_for_last(ctx, node), extreme)
        if any(isinstance(a, ast.Starred) for a in written_out):
            written_out = [_several(ctx, written_out, node)]
        node = ast.copy_location(ast.Call(node.func, written_out, node.keywords), node)
    if node.keywords and any(k.arg is None for k in node.keywords):
        node = ast.copy_location(ast.Call(node.func, node.args, unpacked(ctx, node)), node)
    return node


def _several(ctx: Lowering, args: list[ast.expr], node: ast.Call) -> Quoted:
    """The arguments of ``max(*xs)`` as a list; a single one is no iterable."""
    span, made = ctx.span(node), lists.display(ctx, args, node)
    if not is_growing(made):
        raise Refused(None)
    several = ctx.let("ok", "gt", (count_of(ctx, made), ONE), BOOL, span)
    ctx.emit(Check(several, "TypeError", "at least two values are compared", (), span))
    return Quoted(node, made)


def _parameters_for_last(ctx: Lowering, node: ast.Call) -> int | None:
    """How many parameters the starred last argument of ``f(a, *rest)`` gives; None if that is not known, or optional.
    """
    *first, last = node.args
    if not isinstance(last, ast.Starred) or any(isinstance(a, ast.Starred) for a in first):
        return None
    callee = ctx.attempt(lambda: expression(ctx, node.func)).value
    if isinstance(callee, EntityValue) and isinstance(callee.entity, External):  # others may take any number
        inputs = inputs_of(callee.entity.dotted) - len(first) if callee.entity.dotted.startswith("numpy.") else 0
        return inputs if inputs > 0 else None
    given = len(first), {k.arg for k in node.keywords}
    left, others = objects.parameters_of(callee, *given) or ((), True)
    return None if others else len(left)


def _of_one(node: ast.Call, base: ast.expr) -> ast.Call:
    """The call of a method with another object."""
    func = ast.copy_location(ast.Attribute(base, node.func.attr, ast.Load()), node.func)
    return ast.copy_location(ast.Call(func, node.args, node.keywords), node)


def _method(ctx: Lowering, node: ast.Call, base: Value, hint: str) -> Value | None:
    """The call of a method; None for the call of an attribute that is a function."""
    name = node.func.attr
    given = lambda: _library_args(ctx, node, name, hint)
    if is_array(base):
        return method(ctx, base, name, given(), user_name(node.func.value))
    match base:
        case ScalarValue(weak=False) if name in SCALAR_METHODS:  # a NumPy scalar
            return unwrapped(ctx, method(ctx, rank_zero(base), name, given(), ""), ctx.span(node))
        case ScalarValue() if (text := _OF_NUMBERS.get((name, base.dtype, base.weak))) and not node.args:
            if name == "bit_length" and isinstance(base.atom, Const):
                return literal(base.atom.value.bit_length())
            ctx.wants_literal(base)  # it often decides about a size
            return snippet_value(ctx, given(), text, v=base)
        case _ if lists.is_list(base):
            return lists.method(ctx, node, base, name)
        case _ if queues.is_deque(base):
            return queues.method(ctx, node, base, name)
        case _ if is_hashed(base):
            return hashed.method(ctx, node, base, name)
        case TupleValue() if base.mapping:
            return dict_method(ctx, node, base, name)
        case TextValue(text=text):
            return text_method(ctx, node, text, name)
        case TupleValue() if is_choice(base):
            return one_per_option(ctx, base, lambda v: _of_value(ctx, node, v, hint), ctx.span(node), hint)
        case _ if is_complex(base):
            return complexes.method(ctx, base, name, given())
        case TupleValue():
            return record_method(ctx, node, base)
        case EntityValue(entity=RecordClass() as record):
            return of_class(ctx, node, record)
    return None


_INTEGER = "bool(np.isfinite(v)) and bool(np.floor(v) == v)"
# Methods of numbers, by their dtype and whether they are Python's.
_OF_NUMBERS = {
    ("bit_length", "i64", True): "int(np.sum((abs(v) >> np.arange(63)) > 0))",
    **{("is_integer", dtype, weak): _INTEGER for dtype in ("f64", "f32") for weak in (True, False)},
    ("conjugate", "f64", True): "v",
    ("conjugate", "i64", True): "v",
}


def _called(ctx: Lowering, node: ast.Call, callee: Value, hint: str) -> Value:
    """The value of the call of a function that is already evaluated."""
    name = callee.name if isinstance(node.func, Quoted) and isinstance(callee, EntityValue) else written(node.func)
    match callee:
        case EntityValue(entity=External(dotted=dotted)):  # first, because most calls are of these
            if dotted == "typing.cast" and len(node.args) == 2 and not node.keywords:
                return expression(ctx, node.args[1], hint, none=True)  # the type is meant for other type checkers
            if (bound := _bound(ctx, node, dotted)) is not None:
                return call(ctx, bound, hint)
            made = CALLS[dotted](ctx, node, dotted, name, hint) if dotted in CALLS else None
            return _call_library(ctx, node, dotted, name, hint) if made is None else made
        case EntityValue(entity=Applied() as found):
            return objects.called(ctx, node, found, name, hint)
        case EntityValue(entity=Instance() as found):
            return objects.called_object(ctx, node, found, name, hint)
        case EntityValue(entity=Helper(function=source)) if source.elementwise:
            return _each(ctx, node, source, hint)
        case _ if type(callee) in CALLED_VALUES:
            return CALLED_VALUES[type(callee)](ctx, node, callee, hint)
        case EntityValue(entity=EnumClass()) if len(node.args) == 1 and not node.keywords:
            return enumerations.by_value(ctx, callee, expression(ctx, node.args[0]), ctx.span(node))
        case EntityValue(entity=RecordClass() as record) if record.mark.startswith(FREE):
            return objects.construct_again(ctx, node, record, hint)
        case EntityValue(entity=RecordClass() as record):
            return construct(ctx, node, record)
        case EntityValue(entity=Helper(function=source)):
            return _call(ctx, node, source, None, hint)
        case TupleValue() if is_choice(callee):
            return one_per_option(ctx, callee, lambda v: _called(ctx, node, v, hint), ctx.span(node), hint)
        case TupleValue(record=RecordClass() as record) if (of := member_of(ctx, record, "__call__")) is not None:
            return invoke(ctx, of, [callee], node.func, node.args, node.keywords)
        case TupleValue(record=RecordClass(key=key)) if has_rule(called := f"{key}.__call__"):
            function = Quoted(node.func, EntityValue(External(called), name))
            again = ast.Call(function, [Quoted(node.func, callee), *node.args], node.keywords)
            return expression(ctx, ast.copy_location(again, node), hint)
        case FunctionValue(source=source) if source.elementwise:
            return _each(ctx, node, source, hint, callee)
        case FunctionValue(source=source) if is_generator(source) and not source.running:
            return start_generator(ctx, node, callee)
        case FunctionValue(source=source):
            return _call(ctx, node, source, callee, hint)
    return _not_called(ctx, node, callee, name)


_CLASSES: dict[str, Callable[[Value], bool]] = {
    "numpy.ndarray": is_array,
    "builtins.list": lists.is_list,
    "builtins.str": lambda v: isinstance(v, TextValue),
    "builtins.dict": hashed.is_dict,
}


def _bound(ctx: Lowering, node: ast.Call, dotted: str) -> ast.Call | None:
    """``a.mean(0)`` for ``np.ndarray.mean(a, 0)``: the call of a method by its class; None for other calls."""
    home, _, name = dotted.rpartition(".")
    if home not in _CLASSES or dotted in CALLS or has_rule(dotted) or not node.args:
        return None
    of, *rest = node.args
    if isinstance(of, ast.Starred) or not _CLASSES[home](ctx.attempt(lambda: pull(ctx, of)).value):
        return None
    return ast.copy_location(ast.Call(ast.copy_location(ast.Attribute(of, name), node.func), rest, node.keywords), node)


def _call_library(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    args = _library_args(ctx, node, name, hint, dotted)
    if dotted in PROTOCOL and len(args.values) == 1 and not args.keywords:
        found = by_class(ctx, PROTOCOL[dotted], args.values[0], node.func)
        if found is None and dotted == "builtins.bool":
            found = object_truth(ctx, args.values[0], node.func)
        if dotted == "builtins.len" and (of := enumerations.members(args.values[0])) is not None:
            found = literal(len(of.items))
        if found is not None:
            return found
    if frozen_distributions.is_distribution(dotted):
        return frozen_distributions.of(dotted, args)
    chosen = next((k for k, v in enumerate(args.all) if is_choice(v)), None)
    if chosen is None:
        return call_external(ctx, dotted, args)
    each = lambda v: call_external(ctx, dotted, args.having(chosen, v))
    return one_per_option(ctx, args.all[chosen], each, args.span, hint)


def _not_called(ctx: Lowering, node: ast.Call, callee: Value, name: str) -> Value:
    """Report the call of something that is no function, and what is wrong in its arguments."""
    with ctx.programs.apart() as found:
        for a in node.args:
            # the unknown callee may iterate over them
            if not isinstance(a, ast.Starred) and not (isinstance(a, ast.Call) and callee_of(ctx, a.func) in ITERABLES):
                expression(ctx, a)
    if isinstance(callee, Poison) and callee.foreign:
        found.diagnostics = [
            d for d in found.diagnostics if d.slug not in ("unsupported", "unknown-function", "impure-call")
        ]
    ctx.programs.findings.take(found)
    if not isinstance(callee, SILENT):
        at, what = ctx.span(node.func), describe(type_of(callee))
        hidden = isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id)
        instead = f"give the variable another name: `{name}` is a function of Python" if hidden else ""
        whence = origin_label(ctx, name, at, f"`{name}` is {with_article(what)} from here on")
        ctx.report(WrongType(at, "only functions are called", what, instead, whence=whence))
    return Poison()


_LEFT_OUT = ("dtype", "out", "order", "like")  # None for one of these is the default


def _library_args(ctx: Lowering, node: ast.Call, name: str, hint: str, callee: str = "") -> Args:
    """The arguments of a library function. The elements of a list or tuple display are not evaluated yet."""
    starred = [a for a in node.args if isinstance(a, ast.Starred)] + [k.value for k in node.keywords if k.arg is None]
    if starred:
        raise Refused(Unsupported(ctx.span(starred[0]), "unpacking arguments", "write the arguments out"))
    nodes = [*node.args, *(k.value for k in node.keywords)]
    if callee.startswith(("numpy.", "scipy.")) and any(map(is_tuple_of, nodes)):
        nodes = [as_sequence(ctx, n) for n in nodes]
    if len(node.args) > 1 and callee in definitions() and definitions()[callee].updates:
        nodes[1 : len(node.args)] = evaluated_before(ctx, node.args[0], node.args[1:]) or node.args[1:]
    # NumPy converts a list to an array
    whole = not (callee in _JOINING and SEVERAL_LENGTHS.get())
    if nodes and isinstance(nodes[0], ast.ListComp) and callee.startswith("numpy.") and whole:
        nodes[0] = Quoted(nodes[0], array_from(ctx, nodes[0], None, hint))
    if any(map(_is_display, nodes)):
        values = iter(operands(ctx, [leaf for n in nodes for leaf in _leaves(n)]))
        given = [_rebuilt(ctx, n, values) for n in nodes]
    else:
        given = operands(ctx, nodes, none=callee.startswith("%"))  # the prelude's own functions know of None
    plain = all(type(v) is ScalarValue or type(v) is ArrayValue for v in given)
    found = given if plain else _usable_args(ctx, given, nodes, callee, hint)
    count = len(node.args)
    keywords = {k.arg: v for k, v in zip(node.keywords, found[count:], strict=True)}
    keywords = {k: v for k, v in keywords.items() if not (k in _LEFT_OUT and isinstance(v, NoneValue))}
    return Args(name, ctx.span(node), tuple(found[:count]), keywords, hint, node, callee)


_JOINING = ("numpy.concatenate", "numpy.hstack")


def _usable_args(ctx: Lowering, given: list[Value], nodes: list[ast.expr], callee: str, hint: str) -> list[Value]:
    """Evaluated arguments, without lost arrays and unknown values."""
    found = [usable(ctx, v, "the argument", ctx.span(a)) for v, a in zip(given, nodes, strict=True)]
    if callee in _JOINING and is_growing(found[0]) and getattr(found[0].items[0], "record", None) is SPANS:
        found[0] = TupleValue((lists.end_to_end(ctx, nodes[0], found[0]),), LIST)
    if callee.startswith(("numpy.", "scipy.")):
        found = [_arrays_of_lists(ctx, v, hint, ctx.span(a)) for v, a in zip(found, nodes, strict=True)]
    if any(isinstance(v, SILENT) for v in found):
        poisoned = any(isinstance(v, Poison) for v in found)
        ctx.programs.poisoned |= poisoned
        definition = definitions().get(callee)
        raise Refused(None, changes=found if poisoned and definition is not None and definition.updates else ())
    return found


def _arrays_of_lists(ctx: Lowering, v: Value, hint: str, span: Span) -> Value:
    """A value in which growing lists and deques are converted to arrays, as NumPy does."""
    v = listed(ctx, v, span)
    if is_growing(v):
        return as_array(ctx, v, hint, span)
    if isinstance(v, TupleValue) and v.record in SEQUENCES:
        items = tuple(_arrays_of_lists(ctx, x, hint, span) for x in v.items)
        return v if items == v.items else replace(v, items=items)
    return v


def _is_display(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and not any(isinstance(e, ast.Starred) for e in node.elts)


def _leaves(node: ast.expr) -> list[ast.expr]:
    return [leaf for e in node.elts for leaf in _leaves(e)] if _is_display(node) else [node]


def _rebuilt(ctx: Lowering, node: ast.expr, values: Iterator[Value]) -> Value:
    if not _is_display(node):
        return next(values)
    items = tuple(_rebuilt(ctx, e, values) for e in node.elts)
    return allocated_at(ctx, TupleValue(items, LIST if isinstance(node, ast.List) else None), ctx.span(node))


# ---------------------------------------------------------------------------------------------------- user functions


def _call(
    ctx: Lowering, node: ast.Call, source: FunctionSource, callee: FunctionValue | None, hint: str
) -> Value:
    """A call of a function of the user; ``callee`` if it is a nested one."""
    span = ctx.span(node)
    if is_generator(source):
        captures = () if callee is None else captured(ctx, callee, span)
        return start_generator(ctx, node, FunctionValue(source, (), captures))
    args, captures = _evaluated(ctx, node, source, callee)
    values = [usable(ctx, a.value, a.name or "the argument", a.span) for a in args.values()]
    capture_args = [Argument(usable(ctx, v, n, ctx.span(node)), ctx.span(node), n) for n, v in captures]
    if any(contains(v, Poison) for v in (*values, *(c.value for c in capture_args))):
        forget(ctx, [*(a.value for a in args.values()), *(ctx.env[n].value for n, _ in captures if n in ctx.env)])
        ctx.programs.poisoned = True
        return Poison()
    if any(isinstance(v, Bottom) for v in values):
        return Bottom()
    if source.rule is not None:  # its gradients are whole arrays
        values = [
            map_arrays(v, lambda x, a=a: force_array(ctx, x, a.name or "t", a.span))
            for v, a in zip(values, args.values(), strict=True)
        ]
    if ctx.programs.inside(source) > MOST_LENGTHS:
        values, capture_args = _of_any_length(ctx, values, capture_args)
    given = [Argument(closed(ctx, v, a.span), a.span, a.name) for v, a in zip(values, args.values(), strict=True)]
    if ctx.programs.inside(source):  # otherwise each recursion depth would have another view type
        given = [replace(a, value=map_arrays(a.value, lambda v, a=a: _at_run_time(ctx, v, a.span))) for a in given]
    else:
        given, capture_args = ([replace(a, value=as_flag(a.value)) for a in some] for some in (given, capture_args))
    types = {n: a.value for n, a in zip(args, given, strict=True)}, {a.name: a.value for a in capture_args}
    options, every = CallOptions(answers=True, changes=True), [a.value for a in (*given, *capture_args)]
    once = _share_fields(every)
    if not once:
        spec, literals = specialised(ctx, source, *types, options)
        once = not spec.failed and _updates_what_it_gets_twice(spec, [*given, *capture_args])
    if once:
        spec, literals = specialised(ctx, source, *types, replace(options, disjoint=_disjoint(ctx, every)), once=True)
    given = [replace(a, value=literals.get(n, a.value)) for n, a in zip(args, given, strict=True)]
    capture_args = [replace(a, value=literals.get(a.name, a.value)) for a in capture_args]
    if spec.failed:
        ctx.programs.poisoned = True
        raise Refused(None)
    everything = [*given, *capture_args]
    before = [a.value for a in everything]
    numbers = given_objects(before)
    changed = frozenset(o for o, number in numbers.items() if number in spec.changed)
    if changed:
        keep_items_of(ctx, before, changed, written(node.func), span)
    result = from_callee(ctx, _emit(ctx, node, spec, everything, hint, once), numbers, ctx.span(node))
    if spec.raises:
        ctx.go(dead=True)
        return Bottom()
    if not spec.left or not isinstance(result, TupleValue):
        return result
    result, *after = expand_shared(*result.items[:1], result.items[1:])
    called = (source.library and ctx.source.source.segment(ctx.span(node))) or source.name
    changed_by_call(ctx, before, after, changed, called, ctx.span(node))
    return expand_held(result, after)


def _evaluated(
    ctx: Lowering, node: ast.Call, source: FunctionSource, callee: FunctionValue | None
) -> tuple[dict[str, Argument], tuple[tuple[str, Value], ...]]:
    """The arguments of a call, and then what the function captures, which they may change, as in ``g(g(x))``."""
    if callee is None:
        return bound_arguments(ctx, node, source), ()
    if callee.captured is None:
        return bound_arguments(ctx, node, source), captured(ctx, callee, ctx.span(node))
    key = ctx.pseudo("callee", ctx.span(node))
    ctx.bind(key, Binding(callee, ctx.span(node)))
    args = bound_arguments(ctx, node, source, callee.captured)
    return args, ctx.unbind(key).value.captured


MOST_LENGTHS = 1  # recursive calls for which a function is compiled for the lengths of lists


def _of_any_length(
    ctx: Lowering, values: list[Value], captures: list[Argument]
) -> tuple[list[Value], list[Argument]]:
    """The arguments of a recursive call, where lists may have any length: otherwise a list that grows would have
    another type in each call."""
    for base in [part for v in (*values, *(c.value for c in captures)) for part in objects_in(v) if part.listed]:
        grown = lists.in_arrays(ctx, base)
        if grown is not None:
            put = lambda o, base=base, grown=grown: grown if o == base else o
            values = [map_objects(v, put) for v in values]
            captures = [replace(c, value=map_objects(c.value, put)) for c in captures]
    return values, captures


def _vectorized(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``np.vectorize(f)``: a function that is applied elementwise; None for any other call."""
    if len(node.args) != 1 or any(k.arg != "otypes" for k in node.keywords):
        return None
    each = lambda source: replace(source, elementwise=True, key=f"{source.key}/each")
    match expression(ctx, node.args[0]):
        case EntityValue(entity=Helper(function=source)) as f:
            return replace(f, entity=Helper(each(source)))
        case FunctionValue(source=source) as f:
            return replace(f, source=each(source))
        case EntityValue(entity=External(dotted=of)) as f if is_elementwise(of):
            return f
    return None


def _along_axis(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``np.apply_along_axis(f, axis, a, ...)`` of a matrix: ``f`` applied to its rows or columns; None for any other
    call."""
    if len(node.args) < 3:
        return None
    f, axis, array = (expression(ctx, a) for a in node.args[:3])
    if (
        not is_array(array)
        or rank_of(array) not in (1, 2)
        or not (isinstance(axis, ScalarValue) and isinstance(axis.atom, Const))
    ):
        return None
    rank = rank_of(array)
    rows = array if axis.atom.value in (-1, rank - 1) or rank == 1 else transposed(ctx, array, None, ctx.span(node))
    rest = [Quoted(a, expression(ctx, a)) for a in node.args[3:]]
    of = lambda row: ast.copy_location(ast.Call(Quoted(node.args[0], f), [row, *rest], node.keywords), node)
    if rank == 1:
        return expression(ctx, of(Quoted(node.args[2], rows)), hint)
    row = ctx.pseudo("row", ctx.span(node))
    part = ast.comprehension(ast.Name(row, ast.Store()), Quoted(node.args[2], rows), [], 0)
    made = array_from(
        ctx,
        ast.fix_missing_locations(ast.copy_location(ast.ListComp(of(ast.Name(row, ast.Load())), [part]), node)),
        None,
        hint,
    )
    turned = is_array(made) and rank_of(made) == 2 and rows is not array
    return transposed(ctx, made, None, ctx.span(node)) if turned else made


CALLS["numpy.vectorize"] = _vectorized
CALLS["numpy.apply_along_axis"] = _along_axis


def _each(
    ctx: Lowering, node: ast.Call, source: FunctionSource, hint: str, callee: FunctionValue | None = None
) -> Value:
    """A scalar function applied elementwise, as declared by `numba.vectorize` or `numpy.vectorize`."""
    nodes = [*node.args, *(k.value for k in node.keywords)]
    values = tuple(
        usable(ctx, v, "the argument", ctx.span(a)) for v, a in zip(operands(ctx, nodes), nodes, strict=True)
    )
    silent = next((v for v in values if isinstance(v, SILENT)), None)
    if silent is not None:
        return silent

    def apply(given: tuple[Value, ...]) -> Value:
        quoted = [Quoted(a, v) for a, v in zip(nodes, given, strict=True)]
        count = len(node.args)
        named = [
            ast.copy_location(ast.keyword(k.arg, q), k) for k, q in zip(node.keywords, quoted[count:], strict=True)
        ]
        call = ast.Call(node.func, quoted[:count], named)
        before, at = ctx.env, len(ctx.out)
        found = _call(ctx, ast.copy_location(call, node), source, callee, hint)
        changes = any(n in ctx.env and ctx.env[n].value is not b.value for n, b in before.items())
        if changes or any(updated_by(s, ctx.programs) for s in ctx.out[at:]):  # NumPy calls it once more, for the dtype
            what = f"`{source.name}`, which changes what it captures, for each element"
            raise Refused(Unsupported(ctx.span(node), what, "write a loop"))
        return ScalarValue(found.atom) if isinstance(found, ScalarValue) else found

    return lift(ctx, values, apply, ctx.span(node), hint)


def _at_run_time(ctx: Lowering, v: Value, span: Span) -> Value:
    """A view all of whose numbers are known only at run time."""
    match v:
        case ViewValue(view=view):
            known = lambda a: ctx.let("i", "add", (a, ZERO), I64, span) if isinstance(a, Const) else a
            return replace(v, view=map_atoms(view, known))
        case UnionValue(one=one, other=other):
            return replace(v, one=_at_run_time(ctx, one, span), other=_at_run_time(ctx, other, span))
    return v


def _share_fields(given: list[Value]) -> bool:
    """Whether two objects of one list are passed, or one and the list."""
    fields = {leaf.var.name for v in given for leaf in array_leaves(v) if is_field(leaf)}
    counts = Counter(v.name for value in given for v in arrays(value)) if fields else {}
    return any(counts[name] > 1 for name in fields)


def _updates_what_it_gets_twice(spec, given: list[Argument]) -> bool:
    """Whether an array is passed in two places, possibly in parts, and the callee more than reads or adds to one of
    them."""
    modes: dict[str, set[str]] = {}
    for atom, mode in zip((leaf for a in given for leaf in leaves(as_argument(a.value))), spec.modes, strict=False):
        if isinstance(atom.type, Array):
            modes.setdefault(atom.name, set()).add(mode)
    counts = Counter(v.name for a in given for v in arrays(a.value))
    return any(counts[name] > 1 and found not in ({"read"}, {"acc"}) for name, found in modes.items())


def _disjoint(ctx: Lowering, values: list[Value]) -> bool:
    """Whether the array parts that are passed are known to be disjoint."""
    parts = [leaf for v in values for leaf in array_leaves(v)]
    return not any(
        may_overlap(ctx, p, q) for k, p in enumerate(parts) for q in parts[:k] if not isinstance(q, UnionValue)
    )


def _emit(ctx: Lowering, node: ast.Call, spec, given: list[Argument], hint: str, once: bool) -> Value:
    span = ctx.span(node)
    given = [replace(a, value=v) for a, v in zip(given, passed([a.value for a in given], once), strict=True)]
    atoms: list[Atom] = [leaf for a in given for leaf in leaves(a.value)]
    of_atom = [a for a in given for _ in leaves(a.value)]
    _own(ctx, spec, atoms, of_atom, span)
    for key, (name, t) in spec.hidden.items():
        atoms.append(ctx.global_array(name, t, key).var)
    if spec.recursive:
        mine = ctx.spec.depth if ctx.spec is not None and ctx.spec.recursive else None
        atoms.append(ZERO if mine is None else ctx.let("level", "add", (mine, ONE), I64, span))
    name = hint if hint != "t" else spec.source.name.replace("<lambda>", "t")
    ones = spec.ones or repeat(frozenset())
    outs = tuple(ctx.fresh(name, t, ones=known) for t, known in zip(type_leaves(spec.result), ones))
    if spec.source.again:
        in_one_step(ctx, outs, spec, atoms, span)
    else:
        ctx.emit(Call(outs, spec.name, tuple(atoms), span))
    given_as = dict(zip(spec.flat, atoms, strict=False))
    for k, o in enumerate(outs):
        if not isinstance(o.type, Array):
            continue
        inherits(ctx, o, *(a for j, a in enumerate(atoms) if a.type == o.type and spec.may_return(k, j)))
    for k, j in spec.alike:  # an argument of which the result holds an item already may be its item twice now
        if not aliases(ctx, atoms[j]).isdisjoint(aliases(ctx, outs[k])):
            shares_items(ctx, outs[k])
        join_aliases(ctx, outs[k].name, atoms[j].name)
    for k in spec.sharing:
        shares_items(ctx, outs[k])
    for k, j in spec.together:
        join_aliases(ctx, outs[k].name, outs[j].name)
    value = rebuild(spec.result, iter(outs))
    return map_arrays(
        value,
        lambda v: (
            simplify_view(given_as[v.var.name], v.view) if isinstance(v, ViewValue) and v.var.name in given_as else v
        ),
    )


def _own(ctx: Lowering, spec, atoms: list[Atom], args: list[Argument], span: Span) -> None:
    """Borrow or move the array arguments, according to the modes of the callee's parameters."""
    for k in spec.items:
        if not item_updated(ctx, atoms[k], args[k].name, args[k].span):
            raise Refused(None)
    seen: dict[str, tuple[str, Argument]] = {}
    twice: set[str] = set()  # arrays that are passed twice and not updated: copies of them are taken over
    name = spec.source.name
    private = spec.source.library and name.startswith("_")
    for k, (atom, arg, mode) in enumerate(zip(atoms, args, spec.modes, strict=False)):
        if not isinstance(atom.type, Array):
            continue
        mode = "read" if mode == "own" and not spec.writes(k) else mode
        user = arg.name or next(iter(names_of(ctx, atom)), atom.name.partition(".")[0])
        for same in {atom.name, *aliases(ctx, atom)} & seen.keys():
            twice.add(same)
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
                if k in spec.updated and movable(ctx, atom):  # one that is not is refused as a whole below
                    write(ctx, ArrayValue(atom), user, arg.span)
            elif not movable(ctx, atom) or stays_in_use(ctx, atom) or atom.name in twice:
                atoms[k] = materialise(ctx, ArrayValue(atom), user or "t", arg.span).var
                record_copy(ctx, atoms[k], ArrayValue(atom), arg.span)
                ctx.fact("copy", user, arg.span, f"`{name}` keeps or returns it, and it stays in use here")
                continue
            move(
                ctx, atom, f"the call of `{name}`", arg.span, f"passed to `{name}`, which keeps or returns it", private
            )
        elif mode in ("acc", "mut"):
            write_in_call(ctx, atom, user, arg.span)
        if not private:
            ctx.fact("borrow" if mode != "own" else "move", user, arg.span, f"`{name}` takes it as {mode}")


EXPRESSIONS[ast.Call] = call
EXPRESSIONS[ast.Lambda] = lambda ctx, node, hint: nested_function(ctx, node, hint if hint != "t" else "lambda")
