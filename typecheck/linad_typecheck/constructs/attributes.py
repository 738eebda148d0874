"""Attributes: of modules, and `.shape`, `.size`, `.ndim`, `.dtype` of arrays."""

from __future__ import annotations

import ast

from ..advice.did_you_mean import last_part, meant
from ..advice.library_names import exists
from ..arrays.shapes import reshaped, transposed
from ..engine.arithmetic import binary
from ..engine.elementwise import lift
from ..engine.entities import attribute_entity, constant_value, entity_value, external
from ..engine.evaluation import EXPRESSIONS, pull
from ..engine.places import made_sure, product
from ..engine.refusal import Refused
from ..engine.rulebook import CONSTANTS, Args
from ..engine.sizes import dtype_of, is_array, rank_of, shape_of
from ..engine.state import Lowering, zero
from ..engine.values import (
    SILENT, DTypeValue, DerivativeValue, EntityValue, Poison, ScalarValue, TextValue, Transform, TupleValue, Value,
    describe, is_complex, literal, type_of,
)
from ..library.arrays import METHODS, OWN
from ..library.type_tests import attribute_of_dtype, has_attribute, type_value
from ..messages.language import NoMember, Unsupported
from ..registry import enter
from ..names.scope import EnumClass, EnumMember, External, Helper, Instance, Module, RecordClass
from ..types import BYTES
from . import complexes, objects
from .records import class_attribute, field

DERIVATIVES = ("grad", "value_and_grad", "vjp", "jvp", "hvp", "jacobian")  # attributes of a checked function
LATER = {
    "strides": "layout is not visible inside",
}


_CELLS = ("T", "mT", "real", "imag", "flat")
OF_ARRAYS = ("shape", "ndim", "size", "dtype", "T", "mT", "real", "imag", "flat", "itemsize", "nbytes")


def _called() -> tuple[str, ...]:
    return (*OWN, *METHODS)


def attribute(ctx: Lowering, node: ast.Attribute) -> Value:
    return attribute_of(ctx, node, pull(ctx, node.value))


def attribute_of(ctx: Lowering, node: ast.Attribute, base: Value) -> Value:
    """The attribute of a value that is already evaluated."""
    span = ctx.span(node)
    if has_attribute(base, node.attr) is False:
        ctx.raised("AttributeError")
    if node.attr == "__class__" and (cls := type_value(base)) is not None:
        return cls
    match base:
        case EntityValue(entity=Module(dotted=dotted), name=name):
            if f"{dotted}.{node.attr}" in CONSTANTS:
                return CONSTANTS[f"{dotted}.{node.attr}"]
            return entity_value(ctx, attribute_entity(ctx, base, node.attr), f"{name}.{node.attr}", span)
        case EntityValue(entity=Instance() as found, name=name):
            return objects.attribute(ctx, node, found, name)
        case EntityValue(entity=EnumClass(members=members)) if node.attr in (names := [m.name for m in members]):
            return EntityValue(members[names.index(node.attr)], ast.unparse(node))
        case EntityValue(entity=EnumMember(name=own, value=value)) if node.attr in ("name", "value"):
            return constant_value(ctx, own if node.attr == "name" else value, ast.unparse(node), span)
        case EntityValue(entity=RecordClass(name=own)) | EntityValue(entity=External(), name=own) if (
            node.attr == "__name__"
        ):
            return TextValue(own.rpartition(".")[2])
        case EntityValue(entity=RecordClass() as found):
            return class_attribute(ctx, node, found)
        case TupleValue() if is_complex(base):
            return complexes.attribute(ctx, node, base, lambda n, v: attribute_of(ctx, n, v))
        case TupleValue():
            return field(ctx, node, base)
        case EntityValue(entity=Helper()) if node.attr in DERIVATIVES:
            return DerivativeValue(Transform(node.attr, None), base)
        case EntityValue(entity=Helper(function=source), name=name):
            if node.attr in ("__name__", "__qualname__"):
                return TextValue(source.name)
            found = ctx.source.scope.lookup(f"{name}.{node.attr}")
            if found is not None:
                return entity_value(ctx, found, f"{name}.{node.attr}", span)
            instead = "read what a decorator has stored there, or call the function"
            raise Refused(Unsupported(span, f"the attribute `.{node.attr}` of the function `{name}`", instead))
        case EntityValue(entity=External(dotted=dotted), name=name):
            return external(ctx, f"{dotted}.{node.attr}", f"{name}.{node.attr}", span)
        case _ if is_array(base):
            if node.attr not in _CELLS:
                made_sure(base)
            match node.attr:
                case "shape":
                    return TupleValue(tuple(ScalarValue(n, True) for n in shape_of(ctx, base, span)))
                case "ndim":
                    return literal(rank_of(base))
                case "size":
                    return ScalarValue(product(ctx, shape_of(ctx, base, span), span), True)
                case "dtype":
                    return DTypeValue(dtype_of(base))
                case "T":
                    return transposed(ctx, base, None, span)
                case "mT" if rank_of(base) > 1:
                    order = list(range(rank_of(base)))
                    return transposed(ctx, base, [*order[:-2], order[-1], order[-2]], span)
                case "real":
                    return base
                case "imag":
                    return lift(ctx, (base,), lambda v: ScalarValue(zero(dtype_of(base))), span)
                case "flat":
                    args = Args("flat", span, (base,), {})
                    return reshaped(ctx, base, literal(-1), args)
                case "itemsize" | "nbytes":
                    size = literal(BYTES[dtype_of(base)])
                    return (
                        size
                        if node.attr == "itemsize"
                        else binary(
                            ctx, ast.Mult, size, ScalarValue(product(ctx, shape_of(ctx, base, span), span), True), span
                        )
                    )
            if node.attr in LATER:
                raise Refused(Unsupported(span, f"the attribute `.{node.attr}` of an array", LATER[node.attr]))
            near = () if exists(f"numpy.ndarray.{node.attr}") else meant(node.attr, (*OF_ARRAYS, *_called()), 0.6)
            what = f"an array has no attribute `.{node.attr}`"
            if node.attr in _called():
                near, what = (f"{node.attr}()",), f"`.{node.attr}` of an array is a method and is called"
            ctx.report(NoMember(span, what, tuple(f".{n}" for n in near), last_part(span, ast.unparse(node))))
        case DTypeValue() if (known := attribute_of_dtype(base, node.attr)) is not None:
            return known
        case ScalarValue() if node.attr == "real":
            return base
        case ScalarValue(dtype=dtype, weak=weak) if node.attr == "imag":
            return ScalarValue(zero(dtype), weak)
        case ScalarValue() if node.attr == "shape" and not base.weak:
            return TupleValue(())
        case ScalarValue() if node.attr in ("ndim", "size") and not base.weak:
            return literal(int(node.attr == "size"))
        case ScalarValue() if node.attr == "dtype" and not base.weak:
            return DTypeValue(base.dtype)
        case ScalarValue():
            instead = "numbers have `.real`, `.imag`, and NumPy's `.shape`, `.ndim`, `.size` and `.dtype`"
            ctx.report(Unsupported(span, f"the attribute `.{node.attr}` of a number", instead))
        case _ if not isinstance(base, SILENT):
            instead = "pass what it holds as an argument: arrays and objects of classes have attributes here"
            ctx.report(Unsupported(span, f"the attribute `.{node.attr}` of {describe(type_of(base))}", instead))
    return Poison()


EXPRESSIONS[ast.Attribute] = lambda ctx, node, hint: attribute(ctx, node)
enter("attribute", (f"ndarray.{name}" for name in OF_ARRAYS))
