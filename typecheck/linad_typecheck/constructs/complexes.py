"""Complex numbers in Python's syntax: attributes, methods, subscripts, assignment to cells, iteration, truth."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from ..arrays.indexing import indexed
from ..arrays.slices import Part
from ..engine.blocks import assign
from ..engine.complexes import as_complex, pair
from ..engine.evaluation import pull
from ..engine.places import force_delayed
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.rulebook import Args
from ..engine.sequences import Iteration
from ..engine.sizes import is_array, is_complex_array
from ..engine.state import Lowering
from ..engine.values import COMPLEX, SILENT, EntityValue, NoneValue, TupleValue, Value, describe, is_complex, type_of
from ..library.arrays import METHODS, method as array_method
from ..library.complexes import PARTS, complex_dtype
from ..library.externals import call_external
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..names.scope import External
from ..span import Span

_OF_BOTH = ("T", "mT", "flat")
_OF_SHAPE = ("shape", "ndim", "size")
_BY_PARTS = ("reshape", "transpose", "flatten", "copy", "swapaxes", "ravel", "squeeze", "take", "repeat", "diagonal")


def attribute(ctx: Lowering, node: ast.Attribute, z: TupleValue, of: Callable[[ast.Attribute, Value], Value]) -> Value:
    """``z.real``, ``z.shape``, ``z.T`` and so on; ``of`` gives attributes of the parts."""
    real, imag = z.items
    if node.attr in COMPLEX.names:
        return z.items[COMPLEX.names.index(node.attr)]
    if node.attr == "dtype" and is_array(real):
        return EntityValue(External("numpy.complex128"), "complex")
    if node.attr in _OF_SHAPE:
        return of(node, real)
    if node.attr in _OF_BOTH and is_array(real):
        return pair(ctx, of(node, real), of(node, imag), ctx.span(node))
    raise Refused(Unsupported(ctx.span(node), f"the attribute `.{node.attr}` of {describe(type_of(z))}", PARTS))


def method(ctx: Lowering, z: TupleValue, name: str, args: Args) -> Value:
    """``z.conjugate()``, ``z.sum(axis=0)``."""
    if name in ("conjugate", "conj"):
        return call_external(ctx, "numpy.conj", replace(args, values=(z,)))
    if name == "astype" and any(complex_dtype(v) for v in (*args.values, *args.keywords.values())):
        return call_external(ctx, "numpy.copy", replace(args, values=(z,), keywords={})) if is_array(z.items[0]) else z
    if name == "fill" and len(args.values) == 1 and is_array(z.items[0]):
        for array, part in zip(z.items, as_complex(ctx, args.values[0], args.span).items, strict=True):
            array_method(ctx, array, name, replace(args, values=(part,)), "")
        return NoneValue()
    if name in ("item", "squeeze") and not is_array(z.items[0]) and not args.values:
        return z
    if name in (*_BY_PARTS, "item") and is_array(z.items[0]):
        both = [array_method(ctx, part, name, args, "") for part in z.items]
        return pair(ctx, *both, args.span, args.hint)
    if name in METHODS or name in ("std", "var", "prod", "dot"):
        return call_external(ctx, METHODS.get(name, f"numpy.{name}"), replace(args, values=(z, *args.values)))
    raise Refused(Unsupported(args.span, f"the method `.{name}` of {describe(type_of(z))}", PARTS))


def item(ctx: Lowering, z: TupleValue, parts: list[Part], name: str, span: Span) -> Value:
    """``z[...]``."""
    if not is_array(z.items[0]):
        ctx.raised("TypeError")
        raise Refused(WrongType(span, "only arrays and tuples are indexed", "complex number"))
    both = [indexed(ctx, part, parts, name, span) for part in z.items]  # views of both parts where NumPy has a view
    return next((v for v in both if isinstance(v, SILENT)), None) or pair(ctx, *both, span)


def unpacked(z: TupleValue, each: Callable[[Value], tuple[Value, ...]]) -> tuple[Value, ...]:
    """The values of ``a, b = z``, from those of the parts."""
    return tuple(TupleValue(both, COMPLEX) for both in zip(*map(each, z.items), strict=True))


def part_target(ctx: Lowering, target: ast.expr) -> ast.Subscript | None:
    """All cells of ``z.real`` or ``z.imag`` as a target, if that is what is assigned to."""
    if not isinstance(target, ast.Attribute) or target.attr not in COMPLEX.names:
        return None
    z = complex_array(ctx, target.value)
    if z is None:
        return None
    everything = ast.copy_location(ast.Constant(...), target)
    part = Quoted(target, z.items[COMPLEX.names.index(target.attr)])
    return ast.copy_location(ast.Subscript(part, everything, ast.Store()), target)


def complex_array(ctx: Lowering, node: ast.expr) -> TupleValue | None:
    """The array of complex numbers that an expression denotes, if it does."""
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        return None
    if isinstance(node, ast.Name):
        value = ctx.env[node.id].value if node.id in ctx.env else None
    else:
        found = ctx.attempt(lambda: pull(ctx, node))
        value = ctx.take(found) if is_complex(found.value) else None
    return value if is_complex_array(value) else None


def store(ctx: Lowering, target: ast.Subscript, z: TupleValue, value: Value, span: Span) -> None:
    """``z[...] = value``."""
    value = as_complex(ctx, value, span)
    if not is_complex(value):
        if not isinstance(value, SILENT):
            raise Refused(WrongType(span, "cells of a complex array are complex numbers", describe(type_of(value))))
        return
    at = _evaluated(ctx, target.slice)
    parts = [force_delayed(ctx, v, "t", span) for v in value.items]
    for array, part in zip(z.items, parts, strict=True):
        cells = ast.copy_location(ast.Subscript(Quoted(target.value, array), at, ast.Store()), target)
        assign(ctx, cells, part, span)


def refill(ctx: Lowering, target: ast.expr, z: TupleValue, value: Value, span: Span) -> None:
    """``z op= value`` of a whole array, whose cells are updated in place."""
    everything = ast.Subscript(target, ast.copy_location(ast.Constant(...), target), ast.Store())
    store(ctx, ast.copy_location(everything, target), z, value, span)


def _evaluated(ctx: Lowering, node: ast.expr) -> ast.expr:
    """An index whose parts are evaluated: it can be used twice."""
    match node:
        case ast.Tuple(elts=elts):
            return ast.copy_location(ast.Tuple([_evaluated(ctx, n) for n in elts], ast.Load()), node)
        case ast.Slice():
            bounds = (n if n is None else _evaluated(ctx, n) for n in (node.lower, node.upper, node.step))
            return ast.copy_location(ast.Slice(*bounds), node)
        case ast.Constant() | Quoted():
            return node
    return Quoted(node, force_delayed(ctx, pull(ctx, node), "at", ctx.span(node)))


def iterated(z: TupleValue, over: Callable[[Value, str], Iteration]) -> Iteration:
    """The iteration over an array of complex numbers, from those over its parts."""
    real, imag = map(over, z.items, COMPLEX.names)

    def element(i) -> Value:
        both = real.element(i), imag.element(i)
        return next((v for v in both if isinstance(v, SILENT)), None) or TupleValue(both, COMPLEX)

    return replace(real, element=element, held=real.held | imag.held)
