"""`linad.grad(f)(x)`, `value_and_grad`, `vjp`, `jvp`, `hvp`, `linearize` and Jacobians inside checked functions.

A derivative is lowered to a call of a function that does not exist yet. It is declared here, with its parameters and
results, and generated from ``f`` when the program is prepared (`linad.expand`). The generated function is an ordinary
program, so derivatives of derivatives need no special treatment.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..ir.core import Alloc, Atom, Block, Call, Const, Copy, Derivative, Function, Names, Param, Var, base_name
from ..engine.closures import captured, closed
from ..engine.evaluation import CALLED_VALUES, CALLS, expand_starred, expression, usable
from ..engine.numbers import cast
from ..engine.places import check_same_size, force_array, fresh_array, materialise
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.rulebook import Args
from ..engine.sizes import dtype_of, is_array, rank_of, shape_of
from ..engine.spec import CallOptions, LinearityClaim, Spec
from ..engine.specialise import specialised
from ..engine.state import ONE, ZERO, Lowering, zero
from ..engine.values import (
    COMPLEX, SILENT, ArrayType, ArrayValue, Axes, ClosureType, DerivativeValue, EntityValue, FunctionValue,
    NoneValue, OtherType, Poison, ScalarType, ScalarValue, TextValue, Transform, TupleType, TupleValue, UnionType,
    Value, ValueType, ViewType, as_argument, as_flag, contains, contains_complex, describe, is_complex, leaves,
    map_arrays, rebuild, type_leaves, type_of,
)
from ..engine.snippets import call_snippet
from ..frozen import frozen
from ..linearity import departures
from ..messages.derivatives import NotLinear
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..registry import enter, has_rule
from ..names.scope import Applied, External, FunctionSource, Helper, Instance, parameters
from ..span import Span
from ..types import FLOATS, I64, Array, Scalar, Type, is_float
from . import objects
from .arguments import bound_arguments
from .jacobians import JACOBIANS, MODES, Part, Signature, batch, beside, holomorphic, jacobian, parts

# Names that only generated program texts call; no program can contain them.
PULLBACK = "linad.vjp's pullback"
PUSHFORWARDS, PULLBACKS = "linad.jvp's directions", "linad.vjp's directions"
OF_FUNCTIONS = ("grad", "value_and_grad", *JACOBIANS, "hessian")  # transforms that return a function
# for the others: argnums, has_aux
OPTIONS = {"jacobian": ("argnums", "mode", "has_aux"), "value_and_jacobian": ("argnums", "has_aux", "mode")}
BY_POSITION = {"jacobian": 2}  # options that may be positional; for the others, all
BATCHES: dict[str, Callable[[Lowering, ast.Call, DerivativeValue, str], Value]] = {}  # `vmap`, entered by `batches`
AT_ONCE = ("vjp", "jvp", "hvp", "linearize", "linear_transpose")  # transforms that also take the arguments
TRANSFORMS = (*(f"linad.{name}" for name in (*OF_FUNCTIONS, *AT_ONCE)), PULLBACK, PUSHFORWARDS, PULLBACKS)


@frozen
class _Prepared:
    """A function and the arguments at which it is differentiated."""

    spec: object
    values: dict[str, Value]  # by parameter
    atoms: list[Atom]  # all arguments of the core function, flat
    types: list[tuple[str, ValueType]]


def transform(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """A call of a transform: ``linad.grad(f, argnums=0)`` and others give a function, `vjp` and `jvp` their results."""
    span = ctx.span(node)
    kind = dotted.rpartition(".")[2]
    if dotted == PULLBACK:
        return _pull_back(ctx, node, hint)
    function = function_of(ctx, node)
    if dotted == PUSHFORWARDS:
        return _pushforwards(ctx, node, function, hint)
    if dotted == PULLBACKS:
        return _pullbacks(ctx, node, function, hint)
    if kind in AT_ONCE:
        return _at_once(ctx, node, kind, function, node.args[1:], _AT_ONCE[kind].options, hint)
    options = OPTIONS.get(kind, ("argnums", "has_aux", "holomorphic"))
    given = dict(zip(options[: BY_POSITION.get(kind)], node.args[1:])) | {k.arg: k.value for k in node.keywords}
    if len(node.args) + len(node.keywords) > 1 + len(given) or set(given) - set(options):
        if "sparsity" in given:
            raise Refused(BadCall(span, dotted, "is dense inside a checked function: leave `sparsity` out"))
        raise Refused(BadCall(span, dotted, f"takes a function, {' and '.join(f'`{o}`' for o in options)}"))
    argnums = _argnums(ctx, given["argnums"], function) if "argnums" in given else 0
    has_aux = constant(ctx, given.get("has_aux"), (False, True), "`has_aux` is True or False")
    mode = constant(ctx, given.get("mode"), MODES, f"`mode` is one of {', '.join(map(repr, MODES))}")
    by_complex = constant(ctx, given.get("holomorphic"), (False, True), "`holomorphic` is True or False")
    if argnums is None or has_aux is None or mode is None or by_complex is None:
        return Poison()
    if kind != "hessian":
        return DerivativeValue(Transform(kind, argnums, has_aux, mode, by_complex), function)
    inner = DerivativeValue(Transform("jacrev", argnums, has_aux, holomorphic=by_complex), function)
    how = Transform("jacfwd", argnums, has_aux, holomorphic=by_complex)
    return DerivativeValue(how, as_function(ctx, node, inner))


def _at_once(
    ctx: Lowering, node: ast.Call, kind: str, f: Value, args: Sequence[ast.expr], options: tuple[str, ...], hint: str
) -> Value:
    """``linad.vjp(f, *primals, has_aux=False)``, ``linad.jvp(f, primals, tangents, has_aux=False)`` and others, or the
    methods, which have no options. ``args``: the arguments after the function."""
    form = _AT_ONCE[kind]
    by_name = {k.arg: k.value for k in node.keywords}
    given = by_name if form.variadic else dict(zip((*form.takes, *options), args)) | by_name
    nodes = list(args) if form.variadic else [given.get(n) for n in form.takes]
    fits = all(nodes) and set(given) <= {*form.takes, *options}
    once = form.variadic or len(args) + len(by_name) == len(given)
    if not (fits and once) or any(isinstance(a, ast.Starred) for a in args):
        taken = ("its arguments by position",) if form.variadic else ("a tuple of arguments", "a tuple of tangents")
        words = ["a function", *taken, *(f"`{o}`" for o in options)]
        raise Refused(BadCall(ctx.span(node), kind, f"takes {', '.join(words[:-1])} and {words[-1]}"))
    has_aux = constant(ctx, given.get("has_aux"), (False, True), "`has_aux` is True or False") if options else False
    return Poison() if has_aux is None else form.run(ctx, node, f, nodes, hint, has_aux)


def constant(ctx: Lowering, node: ast.expr | None, among: tuple, told: str):
    """The value of an option, which must be known at compile time. The first of ``among`` is the default; None after
    a report."""
    if node is None:
        return among[0]
    match expression(ctx, node):
        case ScalarValue(atom=Const(value=bool() as value)) | TextValue(text=value) if value in among:
            return value
    ctx.report(WrongType(ctx.span(node), told, f"`{ast.unparse(node)}`"))
    return None


def function_of(ctx: Lowering, node: ast.Call, any_number: bool = False) -> Value:
    """The function that a transform is applied to.

    A library function gets any number of arguments with ``any_number``, otherwise one, with respect to which it is
    differentiated.
    """
    if not node.args or isinstance(node.args[0], ast.Starred):
        raise Refused(BadCall(ctx.span(node), ast.unparse(node.func), "takes a function first"))
    found = expression(ctx, node.args[0])
    match found:
        case FunctionValue() | EntityValue(entity=Helper()):
            return found
        case DerivativeValue(transform=t) if t.kind not in AT_ONCE:
            return as_function(ctx, node, found)
        case EntityValue(entity=Applied() | Instance() as entity) if objects.is_called(entity):
            return _of_applied(ctx, node, found, entity)
        case EntityValue(entity=External(dotted=dotted)) if has_rule(dotted):
            return _of_library(ctx, node, found, dotted.rpartition(".")[2], any_number)
    if isinstance(found, SILENT):
        raise Refused(None)
    raise Refused(WrongType(ctx.span(node.args[0]), "a derivative is of a function", describe(type_of(found))))


def _of_library(ctx: Lowering, node: ast.Call, called: EntityValue, name: str, any_number: bool) -> FunctionValue:
    """A lambda that calls a library function, such as ``lambda x: np.sum(x)``."""
    x: ast.expr = ast.Name("x", ast.Load())
    body = ast.Call(Quoted(node, called), [ast.Starred(x, ast.Load()) if any_number else x], [])
    own, rest = ([], ast.arg("x")) if any_number else ([ast.arg("x")], None)
    return FunctionValue(_held_function(ctx, node, name, ast.arguments([], own, rest, [], [], None, []), body), (), ())


def _of_applied(ctx: Lowering, node: ast.Call, called: EntityValue, entity: Applied | Instance) -> FunctionValue:
    """A lambda that calls a partial application, a method or a callable object."""
    given, call = objects.forwarded(Quoted(node, called), *objects.parameters_left(entity))
    return FunctionValue(_held_function(ctx, node, called.name, given, call), (), ())


def as_function(ctx: Lowering, node: ast.Call, d: DerivativeValue) -> FunctionValue:
    """A derivative as a function that can be transformed in turn: a lambda with the parameters of ``f`` that calls
    it."""
    how = d.transform
    f = ast.Name("%f", ast.Load())
    if how.argnums is None:
        taken: ast.expr = ast.Attribute(f, how.kind, ast.Load())
    else:
        options = [ast.keyword(name, ast.parse(repr(v), mode="eval").body) for name, v in how.given.items()]
        callee = Quoted(node, EntityValue(External(f"linad.{how.kind}"), how.kind))
        taken = ast.Call(callee, [f], options)
    given = source_of(d.function).node.args
    given = _unannotated(given) if how.kind in BATCHES else given
    by_position = len(how.in_axes) if how.kind in BATCHES and isinstance(how.in_axes, tuple) else None
    body = lambda *args: ast.Call(taken, *args)
    return _alike(ctx, node, d.function, how, f"{how.kind}{how.given}", given, body, by_position)


def _first(ctx: Lowering, node: ast.Call, f: Value) -> FunctionValue:
    """``lambda *args: f(*args)[0]``, of a function that returns a pair under ``has_aux``."""
    name = ast.Name("%f", ast.Load())
    body = lambda *args: ast.Subscript(ast.Call(name, *args), ast.Constant(0), ast.Load())
    return _alike(ctx, node, f, "first", "first", source_of(f).node.args, body)


def _alike(
    ctx: Lowering,
    node: ast.Call,
    f: Value,
    how: object,
    suffix: str,
    given: ast.arguments,
    body: Callable[[list[ast.expr], list[ast.keyword]], ast.expr],
    by_position: int | None = None,
) -> FunctionValue:
    """A lambda with the parameters of ``f``, which its body calls ``%f``. It is the same object for the same ``how``.

    ``by_position``: how many parameters are passed on by position, the others by name; all by default.
    """
    source = source_of(f)
    made = ctx.programs.pullbacks.get((source, how))
    if made is None:
        names = [a.arg for a in (*given.posonlyargs, *given.args)]
        count = len(names) if by_position is None or given.vararg else max(by_position, len(given.posonlyargs))
        positional = [ast.Name(n, ast.Load()) for n in names[:count]]
        positional += [ast.Starred(ast.Name(a.arg, ast.Load()), ast.Load()) for a in filter(None, (given.vararg,))]
        by_name = (*names[count:], *(a.arg for a in given.kwonlyargs))
        named = [ast.keyword(n, ast.Name(n, ast.Load())) for n in by_name]
        named += [ast.keyword(None, ast.Name(a.arg, ast.Load())) for a in filter(None, (given.kwarg,))]
        inside = ast.Lambda(given, body(positional, named))
        for n in ast.walk(inside):
            if not hasattr(n, "lineno"):
                ast.copy_location(n, source.node)
        name = f"{source.name}_{suffix.partition('{')[0]}"
        made = source.undecorated(name, inside, f"{source.key}/{suffix}")
        ctx.programs.pullbacks[source, how] = made
    return FunctionValue(made, (), (("%f", closed(ctx, f, ctx.span(node))),))


def _unannotated(given: ast.arguments) -> ast.arguments:
    """The parameters of a batched function without their annotations: the arguments have an additional axis."""
    bare = lambda params: [ast.copy_location(ast.arg(a.arg), a) for a in params]
    return ast.arguments(
        bare(given.posonlyargs), bare(given.args), given.vararg, bare(given.kwonlyargs), given.kw_defaults, given.kwarg,
        given.defaults,
    )  # fmt: skip


def _argnums(ctx: Lowering, node: ast.expr, f: Value) -> int | str | tuple[int | str, ...] | None:
    value = expression(ctx, node)
    numbers = tuple(_numbered(ctx, node, f, v) for v in (value.items if isinstance(value, TupleValue) else (value,)))
    if None in numbers:
        told = "`argnums` is a literal int, the name of a parameter, or a tuple of them"
        ctx.report(WrongType(ctx.span(node), told, describe(type_of(value))))
        return None
    return numbers if isinstance(value, TupleValue) else numbers[0]


def _numbered(ctx: Lowering, node: ast.expr, f: Value, which: Value) -> int | str | None:
    """The position of a parameter that may be given by name; the name of ``*args`` and of parameters after it."""
    if isinstance(which, ScalarValue) and isinstance(which.atom, Const) and which.dtype == "i64":
        return which.atom.value
    if not isinstance(which, TextValue):
        return None
    given = source_of(f).node.args
    names = [a.arg for a in parameters(given)]
    if which.text not in names:
        told = f"has no parameter `{which.text}`; it has {', '.join(names)}"
        raise Refused(BadCall(ctx.span(node), source_of(f).name, told))
    place = names.index(which.text)
    return which.text if given.vararg is not None and place >= len(given.posonlyargs) + len(given.args) else place


def _with_arguments_of_its_own(ctx: Lowering, node: ast.Call, d: DerivativeValue) -> tuple[ast.Call, DerivativeValue]:
    """A call of a derivative by some of ``*args``: that of a lambda in which each of them is a parameter."""
    given, how = source_of(d.function).node.args, d.transform
    own = [a.arg for a in (*given.posonlyargs, *given.args)]
    if given.vararg is None or all(isinstance(k, str) or 0 <= k < len(own) for k in how.positions or ()):
        return node, d
    nodes = expand_starred(ctx, node.args)
    rest = [f"{given.vararg.arg}_{k}" for k in range(len(nodes) - len(own))]
    names = [*own, *rest]
    for k in how.positions:
        if k == given.vararg.arg or isinstance(k, int) and not -len(nodes) <= k < len(nodes):
            by = f"by all and by some of `*{k}`" if isinstance(k, str) else f"by number {k}"
            told = f"is given {len(nodes)} arguments by position and is differentiated {by}"
            raise Refused(BadCall(ctx.span(node), source_of(d.function).name, told))
    each = lambda k: k % len(nodes) if isinstance(k, int) else k
    chosen = each(how.argnums) if how.bare else tuple(map(each, how.argnums))
    params = ast.arguments(
        [], [ast.arg(n) for n in names], None, given.kwonlyargs, given.kw_defaults, given.kwarg,
        [] if rest else given.defaults,
    )  # fmt: skip
    body = lambda positional, named: ast.Call(ast.Name("%f", ast.Load()), positional, named)
    spread = _alike(ctx, node, d.function, ("spread", len(rest)), f"with_{len(rest)}", params, body)
    made = ast.copy_location(ast.Call(node.func, nodes, node.keywords), node)
    return made, DerivativeValue(replace(how, argnums=chosen), spread)


def call_derivative(ctx: Lowering, node: ast.Call, d: DerivativeValue, hint: str) -> Value:
    """A call of the result of `grad` or a similar transform."""
    how = d.transform
    if how.kind in AT_ONCE:
        return _at_once(ctx, node, how.kind, d.function, node.args, (), hint)
    if how.kind in BATCHES:
        return BATCHES[how.kind](ctx, node, d, hint)
    node, d = _with_arguments_of_its_own(ctx, node, d)
    how = d.transform
    ready = _prepare(ctx, node, d.function)
    span = ctx.span(node)
    result = ready.spec.result
    if how.has_aux:
        if not isinstance(result, TupleType) or len(result.items) != 2:
            told = "with `has_aux` a function returns a pair"
            raise Refused(WrongType(span, told, describe(result), "return `(value, aux)`"))
        result = result.items[0]
    chosen = _chosen(ctx, how.positions, ready, span)
    if how.holomorphic:
        return _holomorphic(ctx, node, d, ready, result, chosen, hint)
    if how.kind in JACOBIANS:
        return _jacobian(ctx, node, d, ready, result, chosen, hint)
    if not (isinstance(result, ScalarType) and result.dtype in FLOATS):
        told = f"`{how.kind}` is of a function with one float as its result"
        raise Refused(WrongType(span, told, describe(result), "use `linad.jacobian` or `linad.vjp`"))
    if how.has_aux:
        assert how.argnums is not None
        return _text(ctx, node, d, ready, beside(_signature(d, ready, result, chosen), how.kind, how.argnums), hint)
    seed = Const(1.0, Scalar(result.dtype))
    primal, grads = _reverse(ctx, ready, chosen, [seed], how.kind == "value_and_grad", span, hint)
    bare = _bare(how, grads)
    gradient = grads[0] if bare else TupleValue(tuple(grads))
    return TupleValue((rebuild(result, iter(primal)), gradient)) if primal else gradient


def _holomorphic(
    ctx: Lowering, node: ast.Call, d: DerivativeValue, ready: _Prepared, result: ValueType, chosen: list[str], hint: str
) -> Value:
    """The complex derivative by complex arguments."""
    how, span = d.transform, ctx.span(node)
    for t in (t for name, t in ready.types if name in chosen and not is_complex(t)):
        told = f"`{how.kind}` with `holomorphic` is by complex numbers"
        raise Refused(WrongType(span, told, describe(t), "leave `holomorphic` out"))
    scalar = how.kind in ("grad", "value_and_grad")
    if not _only_complex(result, scalar):
        returned = "one complex number" if scalar else "complex numbers"
        told = f"`{how.kind}` with `holomorphic` is of a function with {returned} as its result"
        instead = "use `jacrev`" if scalar and _only_complex(result) else "leave `holomorphic` out"
        raise Refused(WrongType(span, told, describe(result), instead))
    return _text(ctx, node, d, ready, holomorphic(_signature(d, ready, result, chosen), how.kind, how.bare), hint)


def _only_complex(t: ValueType, scalar: bool = False) -> bool:
    """Whether a type consists of complex numbers; is one number, with ``scalar``."""
    if is_complex(t):
        return not scalar or isinstance(t.items[0], ScalarType)
    return not scalar and isinstance(t, TupleType) and bool(t.items) and all(map(_only_complex, t.items))


def _bare(how: Transform, found: Sequence) -> bool:
    """Whether the result is a single derivative rather than a tuple of them."""
    return how.bare or (how.argnums is None and len(found) == 1)


# ----------------------------------------------------------------------------------------------------- program texts

_DIRECTIONS = {
    n: EntityValue(External(dotted), n) for n, dotted in (("pushforwards", PUSHFORWARDS), ("pullbacks", PULLBACKS))
}


def _signature(d: DerivativeValue, ready: _Prepared, result: ValueType, chosen: list[str]) -> Signature:
    names = list(ready.values)
    given = source_of(d.function).node.args
    forms = {a.arg: f"{a.arg}={{}}" for a in given.kwonlyargs}
    forms |= {a.arg: stars + "{}" for a, stars in ((given.vararg, "*"), (given.kwarg, "**")) if a is not None}
    numbers = tuple(map(names.index, chosen))
    written = tuple(forms.get(n, "{}") for n in names)
    return Signature(tuple(t for _, t in ready.types), written, result, numbers, d.transform.has_aux)


def _text(ctx: Lowering, node: ast.Call, d: DerivativeValue, ready: _Prepared, text: str, hint: str) -> Value:
    """The result of a program text, applied to a function and its arguments."""
    span = ctx.span(node)
    args = Args(d.transform.kind, span, (), {}, hint, node)
    return call_snippet(ctx, args, text, closed(ctx, d.function, span), *ready.values.values(), **_DIRECTIONS)


def _jacobian(
    ctx: Lowering, node: ast.Call, d: DerivativeValue, ready: _Prepared, result: ValueType, chosen: list[str], hint: str
) -> Value:
    how = d.transform
    if not chosen:
        raise Refused(BadCall(ctx.span(node), f"linad.{how.kind}", "is by one float parameter at least"))
    by_complex = [t for name, t in ready.types if name in chosen and contains_complex(t)]
    if by_complex:
        told = f"`{how.kind}` is by real numbers: only a holomorphic function has one complex derivative"
        instead = (
            "of such a function, write `holomorphic=True`; otherwise `lambda x, y: f(x + 1j * y)`, `argnums=(0, 1)`"
        )
        raise Refused(WrongType(ctx.span(node), told, describe(by_complex[0]), instead))
    s = _signature(d, ready, result, chosen)
    if not s.outputs:
        told = f"`{how.kind}` is of a function with float results"
        raise Refused(WrongType(ctx.span(node), told, describe(result)))
    found = _text(ctx, node, d, ready, jacobian(s, how.kind, how.mode), hint)
    if isinstance(found, SILENT):
        return found
    value, cells = found.items
    cells = iter(cells.items)

    def of(t: ValueType) -> Value:
        """The Jacobian: in the structure of the result, with the structure of the arguments in each leaf."""
        if isinstance(t, TupleType) and not is_complex(t):
            return TupleValue(tuple(map(of, t.items)), t.record)
        if not parts(t):
            return NoneValue()
        own = [_each(s.params[k], cells) for k in s.chosen]
        if is_complex(t):
            own = [_complex(real, _each(s.params[k], cells)) for real, k in zip(own, s.chosen, strict=True)]
        return own[0] if _bare(how, own) else TupleValue(tuple(own))

    made = of(result)
    if not how.has_aux:
        return TupleValue((value, made)) if how.kind == "value_and_jacobian" else made
    value, aux = value.items
    return TupleValue((TupleValue((value, aux)), made)) if how.kind == "value_and_jacobian" else TupleValue((made, aux))


def _complex(real: Value, imag: Value) -> Value:
    """Complex derivatives, from those of the real and of the imaginary part."""
    if isinstance(real, TupleValue):
        return TupleValue(tuple(map(_complex, real.items, imag.items)), real.record)
    return real if isinstance(real, NoneValue) else TupleValue((real, imag), COMPLEX)


def _each(t: ValueType, cells: Iterator[Value]) -> Value:
    """The next cells in the structure of an argument; None for parts without a derivative."""
    match t:
        case TupleType(items=items, record=record):
            return TupleValue(tuple(_each(x, cells) for x in items), record)
    return next(cells) if parts(t) else NoneValue()


# --------------------------------------------------------------------------------------------------------- calls


def _prepare(ctx: Lowering, node: ast.Call, f: Value) -> _Prepared:
    """The function specialised for the types of the arguments, which it only reads, and its flat arguments."""
    span = ctx.span(node)
    source = f.entity.function if isinstance(f, EntityValue) else f.source
    captures = () if isinstance(f, EntityValue) else captured(ctx, f, span)
    args = bound_arguments(ctx, node, source)
    values = {
        n: usable(ctx, force_array(ctx, a.value, "t", span), a.name or "the argument", a.span) for n, a in args.items()
    }
    return _at_types(ctx, source, values, captures, span)


def _at_types(ctx: Lowering, source: FunctionSource, values: dict[str, Value], captures, span: Span) -> _Prepared:
    # a view is passed with its whole array: the derivative is with respect to the cells of the view only
    values = {n: map_arrays(v, lambda leaf: force_array(ctx, leaf, "t", span)) for n, v in values.items()}
    every = {**values, **dict(captures)}
    if any(contains(v, SILENT) for v in every.values()):
        ctx.programs.poisoned |= any(contains(v, Poison) for v in every.values())
        raise Refused(None)
    # as in any other call, bools and options are known at compile time
    every = {n: as_flag(v) for n, v in every.items()}
    spec, literals = specialised(ctx, source, {n: every[n] for n in values}, {n: every[n] for n, _ in captures})
    every |= literals
    types = [(n, type_of(as_argument(every[n]))) for n in values]
    given = (source, tuple(types), tuple((n, type_of(as_argument(every[n]))) for n, _ in captures))
    if spec.done and _views(spec.result):
        spec = ctx.programs.specialise(*given, CallOptions(apart=True))
    if spec.failed or not spec.done:
        ctx.programs.poisoned |= spec.failed
        inside = Unsupported(span, f"the derivative of `{source.name}` inside itself", "write the derivative out")
        raise Refused(None if spec.done else inside)
    flat = [leaf for _, t in spec.params for leaf in type_leaves(t)]
    taken = [
        k for k, (m, leaf) in enumerate(zip(spec.modes, flat, strict=True)) if m != "read" and isinstance(leaf, Array)
    ]
    if any(spec.modes[k] != "own" or spec.writes(k) for k in taken):
        what = f"the derivative of `{source.name}`, which updates an argument,"
        raise Refused(Unsupported(span, what, "let it work on a copy"))
    if taken:
        spec = _on_copies(ctx, spec, taken)
    atoms = [leaf for v in every.values() for leaf in leaves(as_argument(v))]
    atoms += [ctx.global_array(name, t, key).var for key, (name, t) in spec.hidden.items()]
    if spec.recursive:
        mine = ctx.spec.depth if ctx.spec is not None and ctx.spec.recursive else None
        atoms.append(ZERO if mine is None else ctx.let("level", "add", (mine, ONE), I64, span))
    return _Prepared(spec, values, atoms, types)


def _views(t: ValueType) -> bool:
    """Whether parts of a result are views of arguments."""
    return any(map(_views, t.items)) if isinstance(t, TupleType) else isinstance(t, (ViewType, UnionType))


def _on_copies(ctx: Lowering, spec: Spec, taken: list[int]) -> Spec:
    """A function that only reads its arguments: it calls another one with copies of the arrays that this one keeps."""
    key = (spec.name, "on copies")
    if key not in ctx.programs.specs:
        f = spec.function
        names = Names(p.var.name for p in f.params)
        copies = {k: names.var(base_name(f.params[k].var.name), f.params[k].var.type) for k in taken}
        outs = tuple(names.var("result", r.type) for r in f.body.results)
        made = tuple(Copy(v, f.params[k].var, f.span) for k, v in copies.items())
        call = Call(outs, f.name, tuple(copies.get(k, p.var) for k, p in enumerate(f.params)), f.span)
        name = ctx.programs.name(f"{spec.name}_on_copies")
        params = tuple(replace(p, mode="read") if k in copies else p for k, p in enumerate(f.params))
        modes = tuple(p.mode for p in params[: len(spec.modes)])
        kept = Spec(
            name,
            spec.source,
            spec.params,
            result=spec.result,
            modes=modes,
            hidden=spec.hidden,
            recursive=spec.recursive,
            done=True,
        )
        kept.function = Function(name, params, Block((*made, call), outs), f.span)
        ctx.programs.specs[key] = kept
    return ctx.programs.specs[key]


def _chosen(ctx: Lowering, argnums: tuple[int | str, ...] | None, ready: _Prepared, span: Span) -> list[str]:
    """The parameters to differentiate with respect to."""
    names = list(ready.values)
    if argnums is None and ready.spec.source.wrt is None:
        return [n for n, t in ready.types if any(map(is_float, type_leaves(t)))]
    if argnums is None:
        argnums = ready.spec.source.wrt
    found: list[str] = []
    for k in (names.index(w) if isinstance(w, str) else w for w in argnums):
        if not -len(names) <= k < len(names):
            told = f"has {len(names)} parameters and is differentiated by number {k}"
            raise Refused(BadCall(span, ready.spec.source.name, told))
        t = ready.types[k][1]
        if not any(map(is_float, type_leaves(t))):
            told = f"parameter `{names[k]}` is not a float"
            raise Refused(WrongType(span, told, describe(t), "differentiate by float parameters"))
        if names[k] in found:
            raise Refused(BadCall(span, ready.spec.source.name, f"is to be differentiated by `{names[k]}` twice"))
        found.append(names[k])
    return found


def _positions(ready: _Prepared, chosen: list[str]) -> tuple[int, ...]:
    """The flat positions of the parameters to differentiate with respect to."""
    out, at = [], 0
    for name, t in ready.types:
        for leaf in type_leaves(t):
            if name in chosen and is_float(leaf):
                out.append(at)
            at += 1
    return tuple(out)


def _declare(ctx: Lowering, ready: _Prepared, derivative: Derivative, given: list[Param], results: list[Type]) -> str:
    """The name of the derivative of a function. A new derivative is declared."""
    f = ready.spec.function
    key = derivative
    known = ctx.programs.specs.get(key)
    if known is None:
        told = ("" if derivative.value else "_only") + ("_directions" if derivative.directions else "")
        name = ctx.programs.name(f"{f.name}_{derivative.kind}_{'_'.join(map(str, derivative.wrt))}{told}")
        params = (*f.params, *given)
        known = Spec(name, ready.spec.source, ready.spec.params, modes=tuple(p.mode for p in params), done=True)
        made = {
            k: Alloc(Var(f"result#{k}", t), (ZERO,) * t.rank, zero(t.dtype))
            for k, t in enumerate(results)
            if isinstance(t, Array)
        }
        body = Block(
            tuple(made.values()), tuple(made[k].out if k in made else zero(t.dtype) for k, t in enumerate(results))
        )
        known.function = Function(name, params, body, f.span)
        known.derivative = derivative
        ctx.programs.specs[key] = known
    return known.name


def _reverse(
    ctx: Lowering,
    ready: _Prepared,
    chosen: list[str],
    seeds: list[Atom],
    value: bool,
    span: Span,
    hint: str,
    directions: bool = False,
) -> tuple[tuple[Atom, ...], list[Value]]:
    """The gradients with respect to the chosen parameters, in their structures, and the primal results if wanted.

    With ``directions``, seeds and gradients have one more axis.
    """
    f = ready.spec.function
    names = Names(p.var.name for p in f.params)
    wrt = _positions(ready, chosen)
    given = [Param(names.var("seed", a.type), "read" if isinstance(a.type, Array) else "own") for a in seeds]
    active = [ready.atoms[k] for k in wrt]
    buffers: dict[int, ArrayValue] = {}
    width = shape_of(ctx, ArrayValue(seeds[0]), span)[-1:] if directions else ()
    for k, a in zip(wrt, active, strict=True):
        if isinstance(a.type, Array):
            shape = (*shape_of(ctx, ArrayValue(a), span), *width)
            buffers[k] = fresh_array(
                ctx, f"{f.params[k].var.name.partition('.')[0]}_bar", shape, a.type.dtype, zero(a.type.dtype), span
            )
            given.append(Param(names.var("bar", _widened(a.type, directions)), "acc"))
    kinds = [r.type for r in f.body.results] if value else []
    scalars = [k for k in wrt if isinstance(f.params[k].var.type, Scalar)]
    kinds += [_widened(f.params[k].var.type, directions) for k in scalars]
    name = _declare(ctx, ready, Derivative(f.name, "reverse", wrt, value, directions), given, kinds)
    outs = tuple(ctx.fresh(hint, t) for t in kinds)
    ctx.emit(Call(outs, name, (*ready.atoms, *seeds, *(b.var for b in buffers.values())), span))
    count = len(f.body.results) if value else 0
    bars = dict(zip(scalars, outs[count:], strict=True))
    grads, at = [], 0
    for n, t in ready.types:
        size = len(list(type_leaves(t)))
        if n in chosen:
            grads.append(
                (chosen.index(n), _gradient(t, iter([buffers.get(k) or bars.get(k) for k in range(at, at + size)])))
            )
        at += size
    return outs[:count], [g for _, g in sorted(grads, key=lambda pair: pair[0])]


def _widened(t: Type, directions: bool) -> Type:
    """The type of a tangent or adjoint, with one more axis for ``directions``."""
    return Array(t.dtype, (t.rank if isinstance(t, Array) else 0) + 1) if directions else t


def _gradient(t: ValueType, parts: Iterator) -> Value:
    """The parts in the structure of an argument; None for parts without a gradient."""
    match t:
        case TupleType(items=items, record=record):
            return TupleValue(tuple(_gradient(x, parts) for x in items), record)
        case ClosureType() | OtherType():
            return NoneValue()
    found = next(parts)
    match found:
        case None:
            return NoneValue()
        case Var():
            return ArrayValue(found) if isinstance(found.type, Array) else ScalarValue(found, t.weak)
    return found


# --------------------------------------------------------------------------------------------------- vjp and jvp


def source_of(f: Value) -> FunctionSource:
    return f.entity.function if isinstance(f, EntityValue) else f.source


def _given(ctx: Lowering, node: ast.Call, f: Value, values: Sequence[Value]) -> _Prepared:
    """The function specialised for arguments in the order of its parameters, which are evaluated; others have their
    defaults."""
    names = _named_only(f, len(values))
    by_position = len(values) - len(names)
    args = [Quoted(node, v) for v in values[:by_position]]
    keywords = [ast.keyword(n, Quoted(node, v)) for n, v in zip(names, values[by_position:], strict=True)]
    return _prepare(ctx, ast.copy_location(ast.Call(node.func, args, keywords), node), f)


def _named_only(f: Value, count: int) -> list[str]:
    """The parameters without a position that the last of ``count`` arguments in the order of the parameters are for."""
    spec = source_of(f).node.args
    more = 0 if spec.vararg else count - len(spec.posonlyargs) - len(spec.args)
    return [a.arg for a in spec.kwonlyargs][: more if 0 < more <= len(spec.kwonlyargs) else 0]


def _by_parameter(f: Value, given: Sequence[Value]) -> dict[str, Value]:
    """The tangents of the arguments that `_given` binds, by parameter; None for an argument that is omitted."""
    spec = source_of(f).node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    found = dict(zip([*names, *_named_only(f, len(given))], given))
    if spec.vararg:
        rest = given[len(names) :]
        none = all(isinstance(v, NoneValue) for v in rest)
        found[spec.vararg.arg] = NoneValue() if none else TupleValue(tuple(rest))
    return {a.arg: found.get(a.arg, NoneValue()) for a in parameters(spec)}


def _kept(ctx: Lowering, nodes: list[ast.expr], span: Span) -> list[Value]:
    """Arguments that the result keeps: their arrays are copied."""

    def copied(leaf: Value) -> Value:
        return materialise(ctx, leaf, "primal", span) if is_array(leaf) else leaf

    return [map_arrays(usable(ctx, expression(ctx, a), "the argument", ctx.span(a)), copied) for a in nodes]


def _pair(ctx: Lowering, node: ast.Call, value: Value) -> tuple[Value, Value]:
    """The value and the auxiliary results of a function under ``has_aux``."""
    if isinstance(value, SILENT):
        raise Refused(None)
    if not isinstance(value, TupleValue) or len(value.items) != 2:
        told = "with `has_aux` a function returns a pair"
        raise Refused(WrongType(ctx.span(node), told, describe(type_of(value)), "return `(value, aux)`"))
    return value.items[0], value.items[1]


def _vjp(ctx: Lowering, node: ast.Call, f: Value, nodes: list[ast.expr], hint: str, has_aux: bool = False) -> Value:
    """``value, pullback = linad.vjp(f, *primals)``. The pullback holds copies, and runs the function again."""
    span = ctx.span(node)
    primals = _kept(ctx, nodes, span)
    if has_aux:
        _, aux = _pair(ctx, node, _called(ctx, node, f, primals, hint))
        found = _vjp(ctx, node, _first(ctx, node, f), [Quoted(node, v) for v in primals], hint)
        return TupleValue((*found.items, aux))
    ready = _given(ctx, node, f, primals)
    outs = tuple(ctx.fresh(hint, t) for t in type_leaves(ready.spec.result))
    ctx.emit(Call(outs, ready.spec.name, tuple(ready.atoms), span))
    value = rebuild(ready.spec.result, iter(outs))
    sizes = TupleValue(
        tuple(
            ScalarValue(n, True) for o in outs if isinstance(o.type, Array) for n in shape_of(ctx, ArrayValue(o), span)
        )
    )
    parts = [("f", closed(ctx, f, span)), ("sizes", sizes), *((f"primal{k}", v) for k, v in enumerate(primals))]
    return TupleValue((value, FunctionValue(_pullback_source(ctx, node, f, len(primals)), (), tuple(parts))))


def _pullback_source(ctx: Lowering, node: ast.Call, f: Value, count: int) -> FunctionSource:
    """The function ``lambda cotangent: ...`` of a pullback. It is the same object each time the call is lowered."""
    names = ["f", "cotangent", "sizes", *(f"primal{k}" for k in range(count))]
    callee = Quoted(node, EntityValue(External(PULLBACK), "pullback"))
    body = ast.Call(callee, [ast.Name(n, ast.Load()) for n in names], [])
    return _held_function(ctx, node, f"{source_of(f).name}_pullback", _named(["cotangent"]), body)


def _named(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def _held_function(ctx: Lowering, node: ast.Call, name: str, params: ast.arguments, body: ast.expr) -> FunctionSource:
    """The source of a lambda that a call returns."""
    known = ctx.programs.pullbacks.get((node, name))
    if known is None:
        made = ast.Lambda(params, body)
        for n in ast.walk(made):
            if not hasattr(n, "lineno"):
                ast.copy_location(n, node)
        key = f"{ctx.source.key}/{ctx.source.name}.{name}@{node.lineno}:{node.col_offset}"
        known = FunctionSource(name, made, ctx.source.source, ctx.source.scope, key)
        ctx.programs.pullbacks[node, name] = known
    return known


def _pull_back(ctx: Lowering, node: ast.Call, hint: str) -> Value:
    """The gradients with respect to all float parameters, one entry each, for a cotangent of the result."""
    span = ctx.span(node)
    f, cotangent, sizes, *primals = (expression(ctx, a) for a in node.args)
    ready = _given(ctx, node, f, primals)
    if isinstance(cotangent, SILENT):
        raise Refused(None)
    seeds = _seeds(ctx, ready.spec.result, cotangent, iter([s.atom for s in sizes.items]), span)
    chosen = _chosen(ctx, None, ready, span)
    if chosen is None:
        return Poison()
    _, grads = _reverse(ctx, ready, chosen, seeds, False, span, hint)
    return TupleValue(tuple(grads))


def _pullbacks(ctx: Lowering, node: ast.Call, f: Value, hint: str) -> Value:
    """The gradients with respect to all float parameters, for several cotangents at once along an additional axis."""
    span = ctx.span(node)
    primals, cotangents = (expression(ctx, a) for a in node.args[1:])
    ready = _given(ctx, node, f, primals.items)
    seeds = [force_array(ctx, v, "seed", span).var for v in _arrays(cotangents)]
    _, grads = _reverse(ctx, ready, _chosen(ctx, None, ready, span), seeds, False, span, hint, directions=True)
    return TupleValue(tuple(grads))


def _arrays(v: Value) -> Iterator[Value]:
    """The arrays in a structure."""
    if isinstance(v, TupleValue):
        for x in v.items:
            yield from _arrays(x)
    elif is_array(v):
        yield v


def _seeds(
    ctx: Lowering,
    t: ValueType,
    v: Value,
    sizes: Iterator[Atom],
    span: Span,
    words: tuple[str, str] = ("cotangent", "result"),
) -> list[Atom | None]:
    """The cotangents of the float parts of a result, checked against it. ``words``: what messages call the two.

    A tangent None is zero, and so are those of its parts.
    """
    unlike = Refused(WrongType(span, f"a {words[0]} is like the {words[1]}, {describe(t)}", describe(type_of(v))))
    match t, v:
        case _, NoneValue() if not any(True for _ in type_leaves(t)):  # known at compile time
            return []
        case TupleType(items=items), NoneValue() if words[0] == "tangent":
            return [a for x in items for a in _seeds(ctx, x, v, sizes, span, words)]
        case ScalarType(dtype=d), NoneValue() if words[0] == "tangent" and d in FLOATS:
            return [None]
        case ArrayType(dtype=d, rank=r), NoneValue() if words[0] == "tangent" and d in FLOATS:
            for _ in range(r):
                next(sizes)
            return [None]
        case TupleType(items=items, record=record), TupleValue(items=values) if len(items) == len(values):
            if v.mapping:
                if record is None or {*v.record.names} != {*record.names}:
                    raise unlike
                values = tuple(values[v.record.names.index(n)] for n in record.names)
            pairs = zip(items, values, strict=True)
            return [a for x, y in pairs for a in _seeds(ctx, x, y, sizes, span, words)]
        case ScalarType(dtype=d), ScalarValue() if d in FLOATS:
            return [cast(ctx, v.atom, d, span)]
        case (ScalarType(dtype=d), _) if d not in FLOATS:
            return []
        case ArrayType(dtype=d, rank=r), _:
            shape = [next(sizes) for _ in range(r)]
            if d not in FLOATS:
                return []
            if is_array(v) and rank_of(v) == r:
                for n, m in zip(shape_of(ctx, v, span), shape, strict=True):
                    check_same_size(
                        ctx, n, m, f"the {words[0]} has a size of {{0}} where the {words[1]} has {{1}}", (n, m), span
                    )
                v = force_array(ctx, v, "seed", span) if dtype_of(v) == d else materialise(ctx, v, "seed", span, d)
                return [v.var]
    raise unlike


def _jvp(
    ctx: Lowering, node: ast.Call, f: Value, nodes: list[ast.expr], hint: str, has_aux: bool = False, kind: str = "jvp"
) -> Value:
    """``value, tangent = linad.jvp(f, primals, tangents)``. A tangent None is zero."""
    span = ctx.span(node)
    given = [usable(ctx, expression(ctx, a, none=True), "the argument", ctx.span(a)) for a in nodes]
    if any(isinstance(v, SILENT) for v in given):
        ctx.programs.poisoned |= any(isinstance(v, Poison) for v in given)
        raise Refused(None)
    for v, what in zip(given, ("arguments", "tangents"), strict=True):
        if not isinstance(v, TupleValue):
            told = f"takes a tuple of {what}, and this is {describe(type_of(v))}"
            raise Refused(BadCall(span, kind, told, instead="write `(x,)` for one argument"))
    primals = [map_arrays(v, lambda leaf: force_array(ctx, leaf, "primal", span)) for v in given[0].items]
    ready = _given(ctx, node, f, primals)
    if len(given[1].items) != len(primals):
        raise Refused(BadCall(span, kind, f"is given {len(primals)} arguments and {len(given[1].items)} tangents"))
    tangents: list[Atom | None] = []
    of = _by_parameter(f, given[1].items)
    for name, t in ready.types:
        primal, v = ready.values[name], of[name]
        if not isinstance(v, NoneValue) and not any(map(is_float, type_leaves(t))):
            raise Refused(WrongType(span, "the tangent of an argument without floats is None", describe(type_of(v))))
        sizes = iter(
            [n for a in leaves(primal) if isinstance(a.type, Array) for n in shape_of(ctx, ArrayValue(a), span)]
        )
        tangents += _seeds(ctx, t, v, sizes, span, ("tangent", "argument"))
    value, tangent = _pushed(ctx, ready, tangents, span, hint).items
    if not has_aux:
        return TupleValue((value, tangent))
    value, aux = _pair(ctx, node, value)
    return TupleValue((value, tangent.items[0], aux))


def _pushforwards(ctx: Lowering, node: ast.Call, f: Value, hint: str) -> Value:
    """The value, and its tangents in several directions at once along an additional axis."""
    span = ctx.span(node)
    primals, tangents = (expression(ctx, a) for a in node.args[1:])
    ready = _given(ctx, node, f, primals.items)
    return _pushed(
        ctx, ready, [force_array(ctx, v, "dot", span).var for v in _arrays(tangents)], span, hint, directions=True
    )


def _pushed(
    ctx: Lowering, ready: _Prepared, tangents: list[Atom | None], span: Span, hint: str, directions: bool = False
) -> Value:
    """The value and its tangent, for given tangents of all float parameters; None for a constant."""
    every = _positions(ready, list(ready.values))
    if all(a is None for a in tangents):
        tangents = [_zero_like(ctx, ready.atoms[k], span) for k in every]
    wrt = tuple(k for k, a in zip(every, tangents, strict=True) if a is not None)
    fn = ready.spec.function
    names = Names(p.var.name for p in fn.params)
    dots = [names.var("dot", _widened(fn.params[k].var.type, directions)) for k in wrt]
    params = [Param(v, "read" if isinstance(v.type, Array) else "own") for v in dots]
    kinds = [r.type for r in fn.body.results]
    kinds += [_widened(t, directions) for t in kinds if is_float(t)]
    name = _declare(ctx, ready, Derivative(fn.name, "forward", wrt, True, directions), params, kinds)
    outs = tuple(ctx.fresh(hint, t) for t in kinds)
    ctx.emit(Call(outs, name, (*ready.atoms, *(a for a in tangents if a is not None)), span))
    n = len(fn.body.results)
    moved = iter(outs[n:])
    parts = iter([next(moved) if is_float(r.type) else None for r in fn.body.results])
    result = ready.spec.result
    return TupleValue((rebuild(result, iter(outs[:n])), _tangent(result, parts)))


def _zero_like(ctx: Lowering, a: Atom, span: Span) -> Atom:
    if not isinstance(a.type, Array):
        return zero(a.type.dtype)
    shape = shape_of(ctx, ArrayValue(a), span)
    return fresh_array(ctx, "dot", shape, a.type.dtype, zero(a.type.dtype), span).var


def _tangent(t: ValueType, parts: Iterator) -> Value:
    match t:
        case TupleType(items=items, record=record):
            return TupleValue(tuple(_tangent(x, parts) for x in items), record)
        case OtherType():
            return NoneValue()
    found = next(parts)
    if found is None:
        return NoneValue()
    return ArrayValue(found) if isinstance(found.type, Array) else ScalarValue(found, t.weak)


def _hvp(ctx: Lowering, node: ast.Call, f: Value, nodes: list[ast.expr], hint: str, has_aux: bool = False) -> Value:
    """``linad.hvp(f, primals, tangents)``: the tangent of the gradient with respect to all float parameters."""
    primals, tangents = (expression(ctx, n) for n in nodes)
    if is_array(primals):  # an array stands for a tuple with one element
        primals, tangents = TupleValue((primals,)), TupleValue((tangents,))
    if isinstance(primals, TupleValue):
        ready = _given(ctx, node, f, [force_array(ctx, v, "primal", ctx.span(node)) for v in primals.items])
        chosen = _chosen(ctx, None, ready, ctx.span(node))
        spec, names = source_of(f).node.args, list(ready.values)
        late = {a.arg for a in (spec.vararg, *spec.kwonlyargs, spec.kwarg) if a is not None}
        floats = tuple(n if spec.vararg and n in late else names.index(n) for n in chosen)
        f = as_function(ctx, node, DerivativeValue(Transform("grad", floats[0] if len(floats) == 1 else floats), f))
    found = _jvp(ctx, node, f, [Quoted(nodes[0], primals), Quoted(nodes[1], tangents)], hint, kind="hvp")
    return found.items[1] if isinstance(found, TupleValue) else found


# ------------------------------------------------------------------------------------------------ batches of directions


def in_directions(
    ctx: Lowering, node: ast.Call, f: Value, given: Sequence[tuple[Value, Axes]], count: Atom, hint: str
) -> Value | None:
    """The results of a pullback or linearized function for a batch of cotangents or tangents, stacked along a first
    axis. The primal runs once per block of them. None for any other function, or arguments that are not like those.

    ``given``: the arguments with the batch axis of each part.
    """
    span = ctx.span(node)
    match f:
        case FunctionValue(source=FunctionSource(node=ast.Lambda(body=ast.Call(func=Quoted(value=called_value))))):
            kind = "pullbacks"
        case FunctionValue(
            source=FunctionSource(node=ast.Lambda(body=ast.Subscript(value=ast.Call(func=Quoted(value=called_value)))))
        ):
            kind = "pushforwards"
        case _:
            return None
    wanted = {"pullbacks": PULLBACK, "pushforwards": "linad.jvp"}[kind]
    if called_value != EntityValue(External(wanted), called_value.name) or f.captured is None:
        return None
    held = dict(f.captured)
    primals = [held[f"primal{k}"] for k in range(sum(n.startswith("primal") for n in held))]
    ready = _given(ctx, node, held["f"], primals)
    if len(ready.types) != len(primals):  # some have their defaults
        return None
    types = [ready.spec.result] if kind == "pullbacks" else [t for _, t in ready.types]
    found = [leaf for t, (v, a) in zip(types, given, strict=True) for leaf in _in_batch(t, v, a)]
    if None in found or all(axis is None for _, _, axis in found):
        return None
    sizes = (
        [x.atom for x in held["sizes"].items] if kind == "pullbacks"
        else [n for a in ready.atoms if isinstance(a.type, Array) for n in shape_of(ctx, ArrayValue(a), span)]
    )  # fmt: skip
    words = ("cotangent", "result") if kind == "pullbacks" else ("tangent", "argument")
    _same_sizes(ctx, types, found, iter(sizes), words, span)
    chosen = tuple(map(list(ready.values).index, _chosen(ctx, None, ready, span)))
    s = Signature(tuple(t for _, t in ready.types), ("{}",) * len(primals), ready.spec.result, chosen, False)
    text = batch(s, kind, [(p, axis) for p, _, axis in found])
    args = Args("vmap", span, (), {}, hint, node)
    values = (*primals, *(v for _, v, _ in found), ScalarValue(count, True))
    made = call_snippet(ctx, args, text, closed(ctx, held["f"], span), *values, **_DIRECTIONS)
    if isinstance(made, SILENT):
        return made
    cells = iter(made.items)
    if kind == "pushforwards":
        return _each(s.result, cells)
    return TupleValue(tuple(_each(s.params[k], cells) for k in s.chosen))


def _in_batch(t: ValueType, v: Value, axes: Axes) -> Iterator[tuple[Part, Value, int | None] | None]:
    """The float parts of a type in a batch, with their axes; None for one that is not like that."""
    match t, v:
        case TupleType(items=items), TupleValue(items=values) if len(items) == len(values):
            if v.mapping and (t.record is None or v.record.names != t.record.names):
                yield None
            every = axes if isinstance(axes, tuple) else (axes,) * len(items)
            for x, y, a in zip(items, values, every, strict=True):
                yield from _in_batch(x, y, a)
        case _ if part := parts(t):
            rank = part[0].rank + (axes is not None)
            like = isinstance(v, ScalarValue) if rank == 0 else is_array(v) and rank_of(v) == rank
            fits = like and not isinstance(t, TupleType)
            dtype = None if not fits else v.dtype if rank == 0 else dtype_of(v)
            yield (part[0], v, axes) if dtype == part[0].dtype else None


def _same_sizes(
    ctx: Lowering,
    types: Sequence[ValueType],
    found: Sequence[tuple[Part, Value, int | None]],
    sizes: Iterator[Atom],
    words: tuple[str, str],
    span: Span,
) -> None:
    """Check the sizes of the parts, without the batch axis, against those of all arrays of the types."""
    leaf = iter(found)
    for t in (x for t in types for x in type_leaves(t)):
        shape = [next(sizes) for _ in range(t.rank)] if isinstance(t, Array) else []
        if not is_float(t):
            continue
        _, v, axis = next(leaf)
        own = shape_of(ctx, v, span) if shape else ()
        own = [n for k, n in enumerate(own) if k != axis]
        for n, m in zip(own, shape, strict=True):
            told = f"the {words[0]} has a size of {{0}} where the {words[1]} has {{1}}"
            check_same_size(ctx, n, m, told, (n, m), span)


def _called(ctx: Lowering, node: ast.Call, f: Value, primals: list[Value], hint: str) -> Value:
    """The value of a function at arguments that are used again, of which it may return one."""
    copied = lambda leaf: materialise(ctx, leaf, "t", ctx.span(node)) if is_array(leaf) else leaf
    call = ast.Call(Quoted(node, f), [Quoted(node, map_arrays(v, copied)) for v in primals], [])
    return expression(ctx, ast.copy_location(call, node), hint)


def _linearize(
    ctx: Lowering, node: ast.Call, f: Value, nodes: list[ast.expr], hint: str, has_aux: bool = False
) -> Value:
    """``value, f_jvp = linad.linearize(f, *primals)``."""
    span = ctx.span(node)
    primals = _kept(ctx, nodes, span)
    value = _called(ctx, node, f, primals, hint)
    if isinstance(value, SILENT):
        return value
    value, *aux = _pair(ctx, node, value) if has_aux else (value,)
    f = _first(ctx, node, f) if has_aux else f
    held = (("f", closed(ctx, f, span)), *((f"primal{k}", v) for k, v in enumerate(primals)))
    return TupleValue((value, FunctionValue(_pushforward_source(ctx, node, f, len(primals)), (), held), *aux))


def _pushforward_source(ctx: Lowering, node: ast.Call, f: Value, count: int) -> FunctionSource:
    """The function ``lambda *tangents: ...`` of `linearize`. It is the same object each time the call is lowered."""
    source = source_of(f)
    names = [a.arg for a in (*source.node.args.posonlyargs, *source.node.args.args)][:count]
    tangents = [f"{name}_dot" for name in (*names, *(f"argument{k}" for k in range(len(names), count)))]
    primals = ast.Tuple([ast.Name(f"primal{k}", ast.Load()) for k in range(count)], ast.Load())
    given = ast.Tuple([ast.Name(t, ast.Load()) for t in tangents], ast.Load())
    callee = Quoted(node, EntityValue(External("linad.jvp"), "jvp"))
    pushed = ast.Call(callee, [ast.Name("f", ast.Load()), primals, given], [])
    return _held_function(
        ctx, node, f"{source_of(f).name}_jvp", _named(tangents), ast.Subscript(pushed, ast.Constant(1), ast.Load())
    )


def _linear_transpose(
    ctx: Lowering, node: ast.Call, f: Value, nodes: list[ast.expr], hint: str, has_aux: bool = False
) -> Value:
    """``f_transposed = linad.linear_transpose(f, *primals)``: the pullback of a linear function, which does not
    depend on the point."""
    span = ctx.span(node)
    primals = _kept(ctx, nodes, span)
    ready = _given(ctx, node, f, primals)
    spec, programs = ready.spec, ctx.programs
    wrt = _positions(ready, _chosen(ctx, None, ready, span))
    claim = LinearityClaim(spec.name, tuple(wrt), f"`{spec.source.name}`", "its float arguments", span)
    programs.claims.append(claim)  # again with the rules of the functions that it calls
    for d in departures(programs.functions(), programs.derivatives(), spec.name, wrt)[:1]:
        raise Refused(NotLinear(d.span if d.span.line else span, claim.what, claim.by, d.why))
    found = _vjp(ctx, node, f, [Quoted(node, v) for v in primals], hint)
    return found.items[1] if isinstance(found, TupleValue) else found


@frozen
class _Form:
    """How a transform that also takes the arguments is called: by ``takes``, or with any number of arguments."""

    run: Callable[..., Value]
    takes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def variadic(self) -> bool:
        return not self.takes


_AT_ONCE = {
    "vjp": _Form(_vjp, options=("has_aux",)),
    "jvp": _Form(_jvp, ("primals", "tangents"), ("has_aux",)),
    "hvp": _Form(_hvp, ("primals", "tangents")),
    "linearize": _Form(_linearize, options=("has_aux",)),
    "linear_transpose": _Form(_linear_transpose),
}


CALLS.update(dict.fromkeys(TRANSFORMS, transform))
CALLED_VALUES[DerivativeValue] = call_derivative
enter("derivative", TRANSFORMS)
