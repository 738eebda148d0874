"""Attributes: of modules, and `.shape`, `.size`, `.ndim`, `.dtype` of arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..advice.did_you_mean import last_part, meant
from ..advice.library_names import exists
from ..arrays.shapes import reshaped, transposed
from ..engine.arithmetic import binary
from ..engine.elementwise import lift
from ..engine.entities import attribute_entity, constant_value, entity_value, external
from ..engine.choices import one_per_option
from ..engine.evaluation import EXPRESSIONS, pull
from ..engine.places import product, run_checks
from ..engine.refusal import Refused
from ..engine.rulebook import CONSTANTS, Args
from ..engine.sizes import dtype_of, is_array, rank_of, shape_of
from ..engine.state import Lowering, zero
from ..engine.values import (
    SILENT, DTypeValue, DerivativeValue, EntityValue, Poison, ScalarValue, TextValue, Transform, TupleValue, Value,
    describe, is_choice, is_complex, literal, type_of,
)
from ..library.arrays import METHODS, OWN
from ..library.windows import strides_of
from ..library.type_tests import attribute_of_dtype, has_attribute, type_value
from ..messages.language import NoMember, Unsupported
from ..registry import enter
from ..names.scope import EnumClass, EnumMember, External, Helper, Instance, Module, RecordClass
from ..span import Span
from ..types import BYTES
from . import complexes, enumerations, objects
from .records import attribute_of_parent, class_attribute, field

DERIVATIVES = ("grad", "value_and_grad", "vjp", "jvp", "hvp", "jacobian")  # attributes of a checked function


def _size(ctx: Lowering, v: Value, span: Span) -> ScalarValue:
    return ScalarValue(product(ctx, shape_of(ctx, v, span), span), True)


def _transpose(ctx: Lowering, v: Value, span: Span) -> Value:
    """``a.mT``"""
    order = list(range(rank_of(v)))
    return transposed(ctx, v, [*order[:-2], order[-1], order[-2]], span)


# Attributes of an array. `_CELLS`: those that hold cells of it; the others need no more than its shape and dtype.
_CELLS: dict[str, Callable[[Lowering, Value, Span], Value]] = {
    "T": lambda ctx, v, span: transposed(ctx, v, None, span),
    "mT": _transpose,
    "real": lambda ctx, v, span: v,
    "imag": lambda ctx, v, span: lift(ctx, (v,), lambda x: ScalarValue(zero(dtype_of(v))), span),
    "flat": lambda ctx, v, span: reshaped(ctx, v, literal(-1), Args("flat", span, (v,), {})),
}
_SHAPE: dict[str, Callable[[Lowering, Value, Span], Value]] = {
    "shape": lambda ctx, v, span: TupleValue(tuple(ScalarValue(n, True) for n in shape_of(ctx, v, span))),
    "ndim": lambda ctx, v, span: literal(rank_of(v)),
    "size": _size,
    "dtype": lambda ctx, v, span: DTypeValue(dtype_of(v)),
    "itemsize": lambda ctx, v, span: literal(BYTES[dtype_of(v)]),
    "nbytes": lambda ctx, v, span: binary(ctx, ast.Mult, literal(BYTES[dtype_of(v)]), _size(ctx, v, span), span),
}
# Attributes of a number of NumPy's, one with a dtype
_NUMBER: dict[str, Callable[[ScalarValue], Value]] = {
    "shape": lambda v: TupleValue(()),
    "ndim": lambda v: literal(0),
    "size": lambda v: literal(1),
    "dtype": lambda v: DTypeValue(v.dtype),
    "T": lambda v: v,
}
OF_ARRAYS = (*_SHAPE, *_CELLS)


def _called() -> tuple[str, ...]:
    return (*OWN, *METHODS)


def attribute(ctx: Lowering, node: ast.Attribute) -> Value:
    found = attribute_of_parent(ctx, node)
    return attribute_of(ctx, node, pull(ctx, node.value)) if found is None else found


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
        case EntityValue(entity=EnumClass()) if (found := enumerations.attribute(base, node.attr)) is not None:
            return found
        case EntityValue(entity=EnumMember(name=own, value=value)) if node.attr in ("name", "value"):
            return constant_value(ctx, own if node.attr == "name" else value, ast.unparse(node), span)
        case EntityValue(entity=RecordClass(name=own)) | EntityValue(entity=External(), name=own) if (
            node.attr == "__name__"
        ):
            return TextValue(own.rpartition(".")[2])
        case EntityValue(entity=RecordClass() as found):
            return class_attribute(ctx, node, found)
        case TupleValue() if is_choice(base):
            return one_per_option(ctx, base, lambda v: attribute_of(ctx, node, v), span)
        case TupleValue() if is_complex(base):
            return complexes.attribute(ctx, node, base, lambda n, v: attribute_of(ctx, n, v))
        case TupleValue():
            return field(ctx, node, base)
        case EntityValue(entity=Helper()) if node.attr in DERIVATIVES:
            return DerivativeValue(Transform(node.attr, None), base)
        case EntityValue(entity=Helper()):
            return _of_function(ctx, node, base)
        case EntityValue(entity=External(dotted=dotted), name=name):
            return external(ctx, f"{dotted}.{node.attr}", f"{name}.{node.attr}", span)
        case _ if is_array(base):
            return _of_array(ctx, node, base)
        case DTypeValue() if (known := attribute_of_dtype(base, node.attr)) is not None:
            return known
        case ScalarValue():
            return _of_number(ctx, node, base)
        case _ if not isinstance(base, SILENT):
            instead = "pass what it holds as an argument: arrays and objects of classes have attributes here"
            ctx.report(Unsupported(span, f"the attribute `.{node.attr}` of {describe(type_of(base))}", instead))
    return Poison()


def _of_function(ctx: Lowering, node: ast.Attribute, base: EntityValue) -> Value:
    source, name, span = base.entity.function, base.name, ctx.span(node)
    if node.attr in ("__name__", "__qualname__"):
        return TextValue(source.name)
    found = ctx.source.scope.lookup(f"{name}.{node.attr}")
    if found is not None:
        return entity_value(ctx, found, f"{name}.{node.attr}", span)
    instead = "read what a decorator has stored there, or call the function"
    raise Refused(Unsupported(span, f"the attribute `.{node.attr}` of the function `{name}`", instead))


def _of_array(ctx: Lowering, node: ast.Attribute, base: Value) -> Value:
    span, name = ctx.span(node), node.attr
    if name not in _CELLS:
        run_checks(base)
    if name in OF_ARRAYS and not (name == "mT" and rank_of(base) < 2):
        return (_SHAPE.get(name) or _CELLS[name])(ctx, base, span)
    if name == "strides":
        return strides_of(ctx, base, span)
    if name == "flags":
        instead = "leave the test out: an array is in C order here, and `np.ascontiguousarray(x)` changes nothing"
        raise Refused(Unsupported(span, "the flags of an array", instead))
    near = () if exists(f"numpy.ndarray.{name}") else meant(name, (*OF_ARRAYS, *_called()), 0.6)
    what = f"an array has no attribute `.{name}`"
    if name in _called():
        near, what = (f"{name}()",), f"`.{name}` of an array is a method and is called"
    ctx.report(NoMember(span, what, tuple(f".{n}" for n in near), last_part(span, ast.unparse(node))))
    return Poison()


def _of_number(ctx: Lowering, node: ast.Attribute, base: ScalarValue) -> Value:
    if node.attr == "real":
        return base
    if node.attr == "imag":
        return ScalarValue(zero(base.dtype), base.weak)
    if node.attr in _NUMBER and not base.weak:
        return _NUMBER[node.attr](base)
    instead = "numbers have `.real`, `.imag`, and NumPy's `.shape`, `.ndim`, `.size` and `.dtype`"
    ctx.report(Unsupported(ctx.span(node), f"the attribute `.{node.attr}` of a number", instead))
    return Poison()


EXPRESSIONS[ast.Attribute] = lambda ctx, node, hint: attribute(ctx, node)
enter("attribute", (f"ndarray.{name}" for name in OF_ARRAYS))
