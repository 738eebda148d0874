"""What a name means that the function does not bind itself: constants, module-level arrays, functions of libraries."""

from __future__ import annotations

import builtins

from ..core import Const
from ..messages.language import (
    CapturedGlobal,
    ImpureCall,
    UnknownFunction,
    UnknownName,
    Unsupported,
)
from ..scope import (
    Annotation,
    Constant,
    Entity,
    External,
    GlobalArray,
    Helper,
    Module,
    Opaque,
    RecordClass,
    RecordConstant,
)
from ..span import Span
from ..types import Scalar
from .context import Lowering
from .elsewhere import ELSEWHERE, without
from .externals import BUILTINS, constant_external, has_rule, is_known, near
from .impure import LIBRARY_PARTS, impure
from .nearby import last_part, meant
from .values import (
    EntityValue,
    NoneValue,
    Poison,
    ScalarValue,
    TextValue,
    TupleValue,
    Value,
    literal,
)


def entity(ctx: Lowering, name: str, span: Span) -> Value:
    """What a name means that the function does not bind itself."""
    found = ctx.source.scope.lookup(name)
    if found is None and name in BUILTINS:
        found = External(f"builtins.{name}")
    if found is None:
        own = [n for n in (*ctx.local_names, *ctx.source.scope.names()) if not hasattr(builtins, n)]
        close = meant(name, own, 0.7) or meant(name, BUILTINS, 0.8)
        ctx.report(UnknownName(span, name, close[0] if close else ""))
        return Poison()
    return entity_value(ctx, found, name, span)


def entity_value(ctx: Lowering, found: Entity, name: str, span: Span) -> Value:
    """The value of an entity of the scope."""
    ctx.programs.depends.append((name, found))
    match found:
        case Constant(value=value):
            return constant_value(ctx, value, name, span)
        case GlobalArray(type=None):
            ctx.programs.unknown = True
            return Poison(foreign=True)
        case GlobalArray(type=t, key=key):
            return ctx.global_array(name, t, key)
        case External(dotted=dotted):
            return external(ctx, dotted, name, span)
        case Module(dotted="random"):
            return EntityValue(External("random"), name)
        case Module() | Helper() | Annotation() | RecordClass():
            return EntityValue(found, name)
        case Opaque(what=what, instead=instead):
            if instead in (None, "") and what in _HELD_BY_MODULES:
                told = CapturedGlobal(span, name, what)
                if not any(d.message == told.message() for d in ctx.programs.diagnostics):  # once for all its uses
                    ctx.report(told)
                return Poison()
            what = what if f"`{name}`" in what else f"{what} `{name}`"
            ctx.report(Unsupported(span, what, instead or "pass what it holds as a parameter"))
            return Poison()
    return Poison()


_HELD_BY_MODULES = ("a list", "a dict", "a set", "a string", "a str", "a tuple", "a bytes", "a complex")


def external(ctx: Lowering, dotted: str, name: str, span: Span) -> Value:
    """A function or constant of a library."""
    constant = constant_external(dotted)
    if constant is not None:
        return constant
    outside = impure(dotted)
    if outside is not None and dotted not in LIBRARY_PARTS:
        ctx.report(ImpureCall(span, name, *outside))
        return Poison(foreign=True)
    if not is_known(dotted) or (dotted not in ELSEWHERE and not has_rule(dotted) and near(dotted)):
        close = near(dotted)
        here = name.partition(".")[0] if "." in name else ""
        written = tuple(n if not here or not n.startswith("np.") or not dotted.startswith("numpy.") else f"{here}.{n[3:]}" for n in close)
        at = last_part(span, name) if here and dotted.startswith(("numpy.", "math.", "scipy.")) else None
        ctx.report(UnknownFunction(span, name, written, at, without(dotted)))
        return Poison(foreign=dotted.partition(".")[0] not in ("numpy", "math", "builtins", "linad"))
    return EntityValue(External(dotted), name)


def constant_value(ctx: Lowering, value: object, name: str, span: Span) -> Value:
    match value:
        case bool() | int() | float() if type(value) in (bool, int, float):
            return literal(value)
        case None:
            return NoneValue()
        case str():
            return TextValue(value)
        case tuple():
            return TupleValue(tuple(constant_value(ctx, v, name, span) for v in value))
        case RecordConstant(record=record, items=items):
            return TupleValue(tuple(constant_value(ctx, v, name, span) for v in items), record)
    kind = {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32", "bool_": "bool", "bool": "bool"}.get(type(value).__name__)
    if kind is not None and hasattr(value, "item"):
        return ScalarValue(Const(value.item(), Scalar(kind)))
    ctx.report(Unsupported(span, f"the {type(value).__name__} `{name}`", "pass what it holds as a parameter"))
    return Poison()
