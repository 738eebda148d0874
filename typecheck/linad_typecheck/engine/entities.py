"""Names that the function does not bind: constants, module-level arrays, library functions."""

from __future__ import annotations

import ast
import builtins

from ..advice.did_you_mean import last_part, meant
from ..advice.impure import LIBRARY_PARTS, impure
from ..advice.unsupported_functions import ELSEWHERE, OF_THE_SYSTEM, without
from ..ir.core import Const
from ..messages.language import CapturedGlobal, ImpureCall, UnknownFunction, UnknownName, Unsupported
from ..registry import BUILTINS, has_parts, has_rule, is_entered, is_known, near
from ..names.scope import (
    GIVEN, IMPORTED, LOST, Annotation, Applied, Constant, Entity, EnumClass, EnumMember, ErrorClass, External,
    GlobalArray,
    Helper, Instance, Items, Module, Opaque, RecordClass, RecordConstant, is_library,
)
from ..ownership.objects import MODULE, from_outside
from ..span import Span
from ..types import DTYPE_CLASSES, Scalar
from ..words import with_article
from .classes import CLASSES
from .quoted import Quoted
from .refusal import Refused
from .rulebook import CONSTANTS
from .state import Lowering
from .values import Binding, EntityValue, NoneValue, Poison, ScalarValue, TextValue, TupleValue, Value, literal


def entity(ctx: Lowering, name: str, span: Span) -> Value:
    """The value of a name that the function does not bind."""
    found = ctx.source.scope.lookup(name)
    if found is None and name in BUILTINS:
        found = External(f"builtins.{name}")
    if found is None:
        own = [n for n in (*ctx.local_names, *ctx.source.scope.names()) if not hasattr(builtins, n)]
        close = meant(name, own, 0.7) or meant(name, BUILTINS, 0.8)
        raise Refused(UnknownName(span, name, close[0] if close else ""))
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
        case (
            Module()
            | Helper()
            | Annotation()
            | RecordClass()
            | EnumMember()
            | EnumClass()
            | ErrorClass()
            | Instance()
            | Applied()
        ):
            return EntityValue(found, name)
        case Items(record=record, items=items):
            # an unsupported function may still be compared with; a call of it is reported
            of = lambda e, place: (
                EntityValue(e, place)
                if isinstance(e, External) and e.dotted not in CONSTANTS
                else entity_value(ctx, e, place, span)
            )
            values = tuple(of(e, f"{name}[{k}]") for k, e in enumerate(items))
            return from_outside(TupleValue(values, record), MODULE)
        case Opaque(what=what, instead=instead):
            if instead in (None, "") and what in _HELD_BY_MODULES:
                told = CapturedGlobal(span, name, what)
                if not any(d.message == told.message() for d in ctx.programs.findings.told()):  # once for all its uses
                    ctx.report(told)
                return Poison()
            what = what if f"`{name}`" in what else f"`{name}`, which is {what},"
            raise Refused(Unsupported(span, what, instead or TAKE_APART))
    return Poison()


def named(ctx: Lowering, node: ast.expr) -> Entity | None:
    """The entity of a name or dotted name, through aliases and imports inside the function. It evaluates and reports
    nothing."""
    found = _named(ctx, node)
    return None if found is None else found.entity


def _named(ctx: Lowering, node: ast.expr) -> EntityValue | None:
    match node:
        case Quoted(value=EntityValue() as value):
            return value
        case ast.Name(id=name):
            b = ctx.path.env.get(name)
            if b is not None or name in ctx.local_names:
                return b.value if b is not None and b.defined is None and isinstance(b.value, EntityValue) else None
            found = ctx.source.scope.lookup(name) or (External(f"builtins.{name}") if hasattr(builtins, name) else None)
            return None if found is None else EntityValue(found, name)
        case ast.Attribute(value=value, attr=attr):
            base = _named(ctx, value)
            if base is not None and isinstance(base.entity, Instance):
                found = base.entity.scope.lookup(f"{base.entity.name}.{attr}")
                return None if found is None else EntityValue(found, f"{base.name}.{attr}")
            if base is not None and isinstance(base.entity, (Module, External)):
                return EntityValue(attribute_entity(ctx, base, attr), f"{base.name}.{attr}")
    return None


_CONSTANT = (
    ast.Name,
    ast.Attribute,
    ast.Constant,
    ast.Tuple,
    ast.UnaryOp,
    ast.Compare,
    ast.unaryop,
    ast.cmpop,
    ast.expr_context,
)


def unknown_constant(ctx: Lowering, test: ast.expr) -> bool:
    """Whether a test depends only on module constants, one of which the text does not determine, such as ``DEBUG = "X"
    in os.environ``."""
    match test:
        case ast.BoolOp(values=parts):
            return any(unknown_constant(ctx, part) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return unknown_constant(ctx, part)
    nodes = list(ast.walk(test))
    if not all(isinstance(n, _CONSTANT) for n in nodes):
        return False
    names = [n for n in nodes if isinstance(n, ast.Name)]
    return not any(n.id in ctx.env or n.id in ctx.local_names for n in names) and any(_untold(ctx, n) for n in nodes)


def _untold(ctx: Lowering, node: ast.AST) -> bool:
    found = named(ctx, node) if isinstance(node, (ast.Name, ast.Attribute)) else None
    return isinstance(found, GlobalArray) and found.key != LOST


# Modules that wrap the functions of another one: on numbers and arrays they mean the same.
SAME = {f"autograd.{home}": home for home in ("numpy", "numpy.linalg", "scipy", "scipy.special", "scipy.linalg")}
# Functions of masked arrays that are those of arrays where nothing is masked, and mask nothing themselves.
_NOT_MASKING = (
    "abs absolute add subtract multiply negative maximum minimum exp sin cos tanh arctan2 hypot dot inner outer sum "
    "prod mean std var cumsum cumprod max min argmax argmin median any all concatenate hstack vstack stack transpose "
    "reshape ravel squeeze diff clip zeros ones zeros_like ones_like arange where"
)
SAME["numpy.polynomial.polynomial.Polynomial"] = "numpy.polynomial.Polynomial"
SAME |= {f"numpy.ma.{name}": f"numpy.{name}" for name in _NOT_MASKING.split()}


def attribute_entity(ctx: Lowering, base: EntityValue, attr: str) -> Entity:
    """The entity of an attribute of a module or of another library object."""
    dotted = SAME.get(base.entity.dotted, base.entity.dotted)
    found = ctx.source.scope.lookup(f"{base.name}.{attr}") if isinstance(base.entity, Module) else None
    whole = SAME.get(f"{dotted}.{attr}", f"{dotted}.{attr}")
    if isinstance(found, Module) and not has_parts(whole):
        return found  # nothing is known of the module; its constants are read at run time
    return External(whole) if found is None or (is_library(dotted) and isinstance(found, (External, Module))) else found


def imported(ctx: Lowering, s: ast.stmt) -> None:
    """An import inside the function, of a library or of another module, which the scope resolves."""
    home = "." * (getattr(s, "level", 0)) + (s.module or "") if isinstance(s, ast.ImportFrom) else ""
    for alias in s.names:
        dotted = home or alias.name
        if not is_library(dotted) or alias.name == "*":
            value: Value = _of_the_project(ctx, s, home, alias)
        elif isinstance(s, ast.Import):
            dotted = alias.name if alias.asname else alias.name.partition(".")[0]
            value = EntityValue(External(dotted), alias.asname or dotted)
        else:
            name = alias.asname or alias.name
            known = ctx.attempt(
                lambda name=name, alias=alias: external(ctx, f"{home}.{alias.name}", name, ctx.span(alias))
            )
            # an unsupported function is reported where it is used
            value = (
                EntityValue(External(f"{home}.{alias.name}"), name)
                if isinstance(known.value, Poison)
                else ctx.take(known)
            )
        ctx.bind(alias.asname or alias.name.partition(".")[0], Binding(value, ctx.span(alias)))


def _of_the_project(ctx: Lowering, s: ast.Import | ast.ImportFrom, home: str, alias: ast.alias) -> Value:
    """The result of importing a module that is not a library."""
    if isinstance(s, ast.Import) and not alias.asname and "." in alias.name:
        dotted = alias.name.partition(".")[0]
    else:
        dotted = home or alias.name
    name = f"{IMPORTED}{dotted}:{alias.name if home else ''}"
    found = None if alias.name == "*" else ctx.source.scope.lookup(name)
    if found is None:
        raise Refused(
            Unsupported(ctx.span(s), "an import of this module inside the function", "import it at the top of the file")
        )
    return entity_value(ctx, found, name if isinstance(found, Module) else alias.asname or alias.name, ctx.span(alias))


_HELD_BY_MODULES = tuple(CapturedGlobal.WAYS)
TAKE_APART = "bind the numbers and arrays that it holds to names of the module, or pass them as parameters"


def is_exception(dotted: str) -> bool:
    """Whether a name is a class of exceptions of Python, which may be passed on to be raised."""
    found = getattr(builtins, dotted.removeprefix("builtins."), None) if dotted.startswith("builtins.") else None
    return isinstance(found, type) and issubclass(found, Exception)


def external(ctx: Lowering, dotted: str, name: str, span: Span) -> Value:
    """A function or constant of a library."""
    dotted = SAME.get(dotted, dotted)
    if dotted in CONSTANTS:
        return CONSTANTS[dotted]
    if is_exception(dotted):
        return EntityValue(External(dotted), name)
    if not is_entered(dotted) and not has_parts(dotted):
        if (function := ctx.source.scope.implementation(dotted)) is not None:
            ctx.programs.depends.append((name, Helper(function)))
            return EntityValue(Helper(function), name)
        if any(d.startswith(f"{dotted}.") for d in ctx.source.scope.implemented()):
            return EntityValue(External(dotted), name)
    outside = impure(dotted)
    if outside is not None and dotted not in LIBRARY_PARTS:
        ctx.report(ImpureCall(span, name, *outside))
        return Poison(foreign=True)
    if dotted in CLASSES or (has_parts(dotted) and not has_rule(dotted)):
        return EntityValue(External(dotted), name)
    if not is_known(dotted) or (dotted not in ELSEWHERE and not has_rule(dotted) and near(dotted)):
        close = near(dotted)
        here = name.partition(".")[0] if "." in name else ""
        written = tuple(
            n if not here or not n.startswith("np.") or not dotted.startswith("numpy.") else f"{here}.{n[3:]}"
            for n in close
        )
        at = last_part(span, name) if here and dotted.startswith(("numpy.", "math.", "scipy.")) else None
        outside = dotted.partition(".")[0] in OF_THE_SYSTEM
        told = name if not name.startswith(GIVEN) else dotted  # an argument: what it is
        ctx.report(UnknownFunction(span, told, written, at, without(dotted), outside))
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
            made = TupleValue(tuple(constant_value(ctx, v, name, span) for v in items), record)
            return from_outside(made, MODULE)
    kind = DTYPE_CLASSES.get(f"numpy.{type(value).__name__}")
    if kind is not None and hasattr(value, "item"):
        return ScalarValue(Const(value.item(), Scalar(kind)))
    raise Refused(Unsupported(span, f"`{name}`, which holds {with_article(type(value).__name__)},", TAKE_APART))


def callee(ctx: Lowering, node: ast.expr) -> str:
    """The dotted name of a library function; empty for other callees."""
    found = named(ctx, node)
    return found.dotted if isinstance(found, External) else ""
