"""`linad.rule`: functions compiled elsewhere, of which only the annotated header is known.

A call becomes one `core.Dense` statement on arrays; numbers are passed in arrays of one cell. Later stages only need to
know that it reads its arguments and writes its results. Annotated types are checked when a caller is checked, annotated
sizes at each call.
"""

from __future__ import annotations

import ast

from ..dense_ops import COMPILED
from ..frozen import frozen
from ..infer.affine import Affine
from ..ir.core import Atom, Check, Const, Dense, Var
from ..messages import Message
from ..messages.derivatives import BadRule
from ..names.scope import FunctionSource, parameters
from ..span import Span
from ..types import BOOL, FLOATS, I64, INTS, NUMPY_NAMES, DType, Scalar
from . import annotations as notes
from .numbers import cast
from .places import check_same_size, fresh_array, load, put
from .refusal import Refused, refused
from .state import ONE, ZERO, Lowering, zero
from .values import ArrayValue, FlagValue, ScalarValue, TupleValue, Value, describe, type_of

_EXAMPLE = 'write `float`, `int`, or as in `Float64[np.ndarray, "n"]`'
RESULT = "result"


@frozen(slots=True)
class Declared:
    """A declared parameter or result: a number, or an array with its sizes (None if unspecified)."""

    name: str
    dtype: DType
    dims: tuple[Affine | None, ...] | None = None
    weak: bool = False


@frozen(slots=True)
class Declaration:
    """The parsed header. ``several``: it returns a tuple."""

    params: tuple[Declared, ...]
    results: tuple[Declared, ...]
    several: bool


class _Bad(Exception):
    """An invalid declaration."""

    def __init__(self, message: Message) -> None:
        self.message = message


def declaration(source: FunctionSource) -> Declaration | Message:
    """The declaration in the header of a function, or the problem with it."""
    try:
        return _Header(source).read()
    except _Bad as bad:
        return bad.message


@frozen
class _Header:
    source: FunctionSource

    def bad(self, told: str, instead: str, at: ast.AST) -> _Bad:
        return _Bad(BadRule(self.source.source.span(at), f"`{self.source.name}` {told}", instead, "declared here"))

    def read(self) -> Declaration:
        node = self.source.node
        a = node.args
        if starred := a.vararg or a.kwarg:
            raise self.bad(f"takes any number of arguments as `{starred.arg}`", "declare a parameter for each", node)
        params = tuple(
            self.declared(p.arg, f"`{p.arg}`", self.type(p.annotation, f"`{p.arg}`", p), p) for p in parameters(a)
        )
        note = getattr(node, "returns", None)
        returned = self.type(note, "its result", node)
        several = isinstance(returned, notes.TupleType) and returned.record is None
        items = returned.items if several else (returned,)
        results = tuple(self.declared(RESULT, "its result", t, note or node) for t in items)
        known = {n for p in params for d in p.dims or () if d is not None and (n := _name(d))}
        known |= {p.name for p in params if p.dims is None and p.dtype == "i64"}
        for d in (*params, *results):
            for size in d.dims or ():
                unknown = (*(n for n in size.atoms if n not in known),) if size is not None else ()
                if unknown or (size is None and d.name == RESULT):
                    told = f"declares a size {f'`{unknown[0]}`' if unknown else '`_`'} that is that of no argument"
                    instead = "name it as the size of an argument, or take it as a parameter: `n: int`"
                    raise self.bad(told, instead, note or node)
        return Declaration(params, results, several)

    def type(self, note: ast.expr | None, what: str, at: ast.AST) -> notes.ParamType:
        if note is None:
            raise self.bad(f"is declared without the type of {what}", _EXAMPLE, at)
        read = notes.parse_annotation(note, self.source.scope, self.source.source)
        if isinstance(read, Message):
            raise _Bad(read)
        return read

    def declared(self, name: str, what: str, t: notes.ParamType, at: ast.AST) -> Declared:
        match t:
            case notes.ScalarType(dtype=dtype, weak=weak):
                return Declared(name, dtype, None, weak)
            case notes.ArrayType(dtypes=(dtype,), dims=dims) if dims:
                return Declared(name, dtype, tuple(d.size for d in dims))
        told = f"declares {what} as something else than a number, or an array of one dtype with its sizes"
        raise self.bad(told, _EXAMPLE, at)


def _name(size: Affine) -> str:
    """The name of a declared size; empty for sums and numbers."""
    return size.atoms[0] if size.const == 0 and [k for _, k in size.terms] == [1] else ""


# ------------------------------------------------------------------------------------------------------------ the call


def call_of_compiled(ctx: Lowering) -> Value:
    """The body of a function compiled elsewhere: the call, with its checks."""
    before = ctx.path
    try:
        return _call(ctx)
    except Refused as e:
        return refused(ctx, e, before)


def _call(ctx: Lowering) -> Value:
    source = ctx.source
    assert source.compiled is not None
    span, name = source.source.span(source.node), source.name
    found = declaration(source)
    if isinstance(found, Message):
        raise Refused(found)
    sizes: dict[str, Atom] = {}
    arrays: list[tuple[Declared, Var]] = []
    read: list[Var] = []
    for p in found.params:
        value = ctx.env[p.name].value
        if isinstance(value, FlagValue):
            value = ScalarValue(Const(value.value, Scalar(value.dtype)), value.weak)
        if not _fits(value, p):
            told = f"`{name}` takes {_words(p)} as `{p.name}`, and is given {describe(type_of(value))}"
            raise Refused(BadRule(span, told, f"convert it where `{name}` is called", "declared here"))
        if isinstance(value, ArrayValue):
            arrays.append((p, value.var))
            for axis, size in enumerate(p.dims or ()):
                if size is not None and _name(size):
                    sizes.setdefault(_name(size), ctx.dim(value.var, axis, span))
            read.append(value.var)
            continue
        atom = cast(ctx, value.atom, p.dtype, span, p.name)
        if p.dtype == "i64":
            sizes.setdefault(p.name, atom)
        read.append(_cell(ctx, p.name, atom, span))
    for p, array in arrays:
        for axis, size in enumerate(p.dims or ()):
            if size is not None:
                n, wanted = ctx.dim(array, axis, span), _size(ctx, size, sizes, span)
                told = f"`{name}` takes an array `{p.name}` of size {{1}} along axis {axis}, not {{0}}"
                check_same_size(ctx, n, wanted, told, (n, wanted), span)
    outs: list[Var] = []
    for r in found.results:
        shape = tuple(_size(ctx, d, sizes, span) for d in r.dims if d is not None) if r.dims is not None else (ONE,)
        for n in shape:
            if not ctx.is_nonneg(n):
                ok = ctx.let("ok", "ge", (n, ZERO), BOOL, span)
                ctx.emit(Check(ok, "ValueError", f"`{name}` is declared to return an array of size {{0}}", (n,), span))
        outs.append(fresh_array(ctx, RESULT, shape, r.dtype, zero(r.dtype), span).var)
    status = _cell(ctx, "status", ZERO, span)
    ctx.emit(Dense(COMPILED, source.compiled.key, (status, *outs), tuple(read), span))
    told = f"`{name}` raised an exception or returned what it does not declare: called in plain Python it says which"
    check_same_size(ctx, load(ctx, status, (ZERO,), False, span).atom, ZERO, told, (), span, "RuntimeError")
    values = tuple(
        ArrayValue(out) if r.dims is not None else ScalarValue(load(ctx, out, (ZERO,), False, span).atom, r.weak)
        for r, out in zip(found.results, outs, strict=True)
    )
    return TupleValue(values) if found.several else values[0]


def _fits(v: Value, p: Declared) -> bool:
    """Whether an argument matches its declaration. Numbers are converted if the conversion is exact."""
    if isinstance(v, ArrayValue):
        return p.dims is not None and (v.var.type.dtype, v.var.type.rank) == (p.dtype, len(p.dims))
    if p.dims is not None or not isinstance(v, ScalarValue):
        return False
    wider = {"f64": (*FLOATS, *INTS), "i64": INTS}.get(p.dtype, ())
    return v.dtype == p.dtype or v.dtype in wider


def _words(p: Declared) -> str:
    kind = NUMPY_NAMES[p.dtype]
    return f"a number of type {kind}" if p.dims is None else f"an array of {kind} of rank {len(p.dims)}"


def _cell(ctx: Lowering, hint: str, value: Atom, span: Span) -> Var:
    cell = fresh_array(ctx, hint, (ONE,), value.type.dtype, None, span)
    put(ctx, cell, (ZERO,), value, span)
    return cell.var


def _size(ctx: Lowering, size: Affine, known: dict[str, Atom], span: Span) -> Atom:
    found: Atom = Const(size.const, I64)
    for name, k in size.terms:
        part = known[name]
        part = part if k == 1 else ctx.let("n", "mul", (part, Const(k, I64)), I64, span)
        found = part if found == ZERO else ctx.let("n", "add", (found, part), I64, span)
    return found
