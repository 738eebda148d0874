"""Attributes: of modules, and `.shape`, `.size`, `.ndim`, `.dtype` of arrays."""

from __future__ import annotations

import ast

from ..core import Const
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..scope import External, Module
from ..types import I64
from .context import Lowering
from .values import SILENT, ArrayValue, DTypeValue, EntityValue, Poison, ScalarValue, TupleValue, Value, describe, literal, type_of

LATER = {
    "T": "read the cells with the indices exchanged: `a[j, i]`",
    "flat": "write a loop over the cells",
    "real": "leave it out: arrays are real",
    "imag": "arrays are real",
    "strides": "layout is not visible inside",
}


def attribute(ctx: Lowering, node: ast.Attribute) -> Value:
    from .expressions import expression

    return attribute_of(ctx, node, expression(ctx, node.value))


def attribute_of(ctx: Lowering, node: ast.Attribute, base: Value) -> Value:
    """The attribute of a value that is already evaluated."""
    from .expressions import entity_value, external

    span = ctx.span(node)
    match base:
        case EntityValue(entity=Module(dotted=dotted), name=name):
            inside = ctx.source.scope.lookup(f"{name}.{node.attr}") if isinstance(node.value, ast.Name) else None
            if inside is not None and not isinstance(inside, (External, Module)):
                return entity_value(ctx, inside, f"{name}.{node.attr}", span)
            return external(ctx, f"{dotted}.{node.attr}", f"{name}.{node.attr}", span)
        case EntityValue(entity=External(dotted=dotted), name=name):
            return external(ctx, f"{dotted}.{node.attr}", f"{name}.{node.attr}", span)
        case ArrayValue(var=var):
            match node.attr:
                case "shape":
                    return TupleValue(tuple(ScalarValue(ctx.dim(var, k, span), True) for k in range(var.type.rank)))
                case "ndim":
                    return literal(var.type.rank)
                case "size":
                    return size(ctx, var, span)
                case "dtype":
                    return DTypeValue(var.type.dtype)
            instead = LATER.get(node.attr, "write a loop over the cells")
            ctx.report(Unsupported(span, f"the attribute `.{node.attr}` of an array", instead))
        case _ if not isinstance(base, SILENT):
            ctx.report(WrongType(span, f"`.{node.attr}` is not an attribute of this", describe(type_of(base))))
    return Poison()


def size(ctx: Lowering, var, span) -> ScalarValue:
    """The number of cells of an array."""
    atoms = [ctx.dim(var, k, span) for k in range(var.type.rank)]
    if not atoms:
        return literal(1)
    total = atoms[0]
    for atom in atoms[1:]:
        if isinstance(total, Const) and isinstance(atom, Const):
            total = Const(total.value * atom.value, I64)
        else:
            total = ctx.let("size", "mul", (total, atom), I64, span)
            ctx.nonneg.add(total.name)
    return ScalarValue(total, True)


