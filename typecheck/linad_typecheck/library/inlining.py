"""Calls of prelude functions: their bodies are lowered at the call, specialised for what is known there. Calls of
helpers for which the same is known share one, at several places too.

The meaning, errors, cost and derivative of such a function are those of its body. All of it is positioned at the user's
call, including errors that it raises and complaints about the arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from ..arrays.operands import IGNORED, REFUSED, as_array, literal_int, refusal
from ..ir.core import Check, Const
from ..engine.blocks import assign
from ..engine.closures import closed
from ..engine.evaluation import condition, expression, pull
from ..engine.numbers import as_scalar, cast, promote
from ..engine.places import force_delayed, unwrapped
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.rulebook import CONSTANTS, RESULTS, Args, Rule, enter_rules, rule_of
from ..engine.sequences import Iteration, Unrolled, iteration, unpacked
from ..engine.signatures import defaults_of, named
from ..engine.sizes import is_array
from ..engine.state import TRUE, Lowering
from ..engine.values import (
    SILENT, DTypeValue, EntityValue, FunctionValue, NoneValue, ScalarValue, TextValue, TupleValue, Value, arrays,
    is_complex, is_optional,
)
from ..ownership.state import names_of
from ..messages.language import BadCall
from ..messages.types import WrongType
from ..names.scope import CustomRule, External, FunctionSource
from ..span import Span
from ..types import BOOL, FLOATS, I64
from .definitions import LIBRARIES, Definition, definitions

BUILTINS = frozenset(
    "abs all any bool callable enumerate float int isinstance len list max min range reversed round sum "
    "tuple zip".split()
)
_LITERAL = "%literal"  # an int that has to be known at compile time
_KNOWN = "%known"  # whether it is
# functions of the prelude's own
MARKS = {
    "literal": _LITERAL, "known": _KNOWN, "constant": "linad.stop_gradient", "slope_of": "linad.grad",
    "jacobian_of": "linad.jacfwd", "pair": "%complex", "taken": "%taken", "parameter_count": "%parameter_count",
    "code_of": "%code_of",
}  # fmt: skip
_AS_ARRAY = "%asarray"  # `np.asarray` of one argument: scalars and delayed expressions are not stored in an array


class _NotKnown(Exception):
    """Raised if the condition of a branch or the range of a loop is known only at run time."""


def rule(definition: Definition) -> Rule:
    """The rule that lowers calls of a prelude function."""
    return partial(_of_numbers if definition.elementwise else _call, definition)


def _call(definition: Definition, ctx: Lowering, args: Args) -> Value:
    """Inline the call if all its branches and loops are known at compile time; otherwise call it as a helper."""
    given = _bound(ctx, definition, args)
    if definition.updates:  # the arguments are those of the call, and no expression uses them after it
        ctx.all_landed()
    elif not definition.loops and not any(map(is_optional, given.values())):
        inside = lambda: _Body(ctx, definition, args, given).run((definition.node.body,))
        try:
            return _result(ctx, definition, ctx.take(ctx.ahead(inside)), args.span)
        except _NotKnown:
            pass
    return _result(ctx, definition, _Body(ctx, definition, args).called(given), args.span)


def _result(ctx: Lowering, definition: Definition, v: Value, span: Span) -> Value:
    """The result for the caller: a scalar in place of an array of rank 0, and NumPy's named tuple."""
    named = next((RESULTS[n] for n in definition.implements if n in RESULTS), None)
    if named is not None and isinstance(v, TupleValue) and len(v.items) == len(named.fields):
        return TupleValue(v.items, named)
    return unwrapped(ctx, v, span)


def _of_numbers(definition: Definition, ctx: Lowering, args: Args) -> Value:
    """A function of numbers. It computes in float64, except for parameters that are ints; the result has the type of
    the floats."""
    given = _bound(ctx, definition, args)
    parameters = definition.node.args.posonlyargs
    ints = {a.arg for a in parameters if isinstance(a.annotation, ast.Name) and a.annotation.id == "int"}
    wide: dict[str, Value] = {}
    best: ScalarValue | None = None
    for name, v in given.items():
        found = as_scalar(ctx, v, args.span, f"`{args.name}` is of numbers")
        if name in ints and found.dtype in FLOATS:
            what = f"`{args.name}` is of an int `{name}` here"
            raise Refused(WrongType(args.span, what, "a float", f"convert it: `int({name})`"))
        if best is None:
            best = found
        elif name not in ints:
            dtype, weak = promote(best, found)
            best = ScalarValue(cast(ctx, best.atom, dtype, args.span), weak)
        wide[name] = ScalarValue(cast(ctx, found.atom, "i64" if name in ints else "f64", args.span))
    value = _Body(ctx, definition, args).called(wide)
    if not isinstance(value, ScalarValue) or best is None:
        return value
    return ScalarValue(cast(ctx, value.atom, best.dtype if best.dtype in FLOATS and not ints else "f64", args.span))


def _bound(ctx: Lowering, definition: Definition, args: Args) -> dict[str, Value]:
    """The arguments by parameter."""
    spec = definition.node.args
    known = {a.arg for a in (*spec.args, *spec.kwonlyargs)}
    left_out = lambda k, v: k in IGNORED or (k in REFUSED and isinstance(v, NoneValue))
    given = {k: v for k, v in args.keywords.items() if k in known or not left_out(k, v)}
    for name in given:
        if name not in known and name in REFUSED:
            raise refusal(args, name)
    found, plain = named(replace(args, keywords=given), spec), _Body(ctx, definition, args)
    found |= {n: plain.value(d) for n, d in defaults_of(spec).items() if n not in found}
    return {n: closed(ctx, v, args.span) for n, v in found.items()}


def literal_rule(ctx: Lowering, args: Args) -> Value:
    """``literal(n)`` in the prelude."""
    (v,) = args.values
    literal_int(ctx, v, 0, f"the number of `{args.name}`", args.span)
    return v


def known_rule(ctx: Lowering, args: Args) -> Value:
    """``known(n)`` in the prelude."""
    (v,) = args.values
    return ScalarValue(Const(isinstance(v, ScalarValue) and isinstance(v.atom, Const), BOOL), True)


def as_array_rule(ctx: Lowering, args: Args) -> Value:
    """``np.asarray(v)`` in the prelude."""
    return args.values[0] if is_complex(args.values[0]) else as_array(ctx, args.values[0], args)


class _Body:
    """The body of a prelude function at one call. Names are replaced by their values."""

    def __init__(
        self, ctx: Lowering, definition: Definition, args: Args, given: Mapping[str, Value] = MappingProxyType({})
    ) -> None:
        self.ctx, self.definition, self.args = ctx, definition, args
        self.at = _place(args)
        self.position = {name: at for name in self.at._attributes if (at := getattr(self.at, name, None)) is not None}
        self.known: dict[str, Value] = {}
        for name, value in given.items():
            self._bind(name, value, (definition.node.body,))

    # -- in place of the call

    def run(self, rest: Sequence[Sequence[ast.stmt]]) -> Value:
        """The value that consecutive lists of statements return."""
        ctx, args = self.ctx, self.args
        while rest:
            if not rest[0]:
                rest = rest[1:]
                continue
            s, rest = rest[0][0], (rest[0][1:], *rest[1:])
            match s:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._bind(name, self.value(value, name), rest)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                    found = [self.value(v, n.id) for n, v in zip(names, values, strict=True)]
                    for n, v in zip(names, found, strict=True):
                        self._bind(n.id, v, rest)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                    for n, v in zip(names, unpacked(ctx, self.value(value), len(names), args.span), strict=True):
                        self._bind(n.id, v, rest)
                case ast.Assign(targets=[ast.Subscript() as target], value=value):
                    found = self.value(value)
                    assign(ctx, self.copy(target), found, args.span)
                case ast.If(test=test, body=then, orelse=orelse):
                    decided = self._condition(test)
                    if decided == TRUE and isinstance(then[0], ast.Raise) and self._told(then[0])[0] != "TypeError":
                        self._raise_unless(Const(False, BOOL), then[0])  # the rest is lowered for its type only
                    elif isinstance(decided, Const):
                        rest = (then if decided.value else orelse, *rest)
                    else:
                        if orelse or not isinstance(then[-1], ast.Raise):
                            raise _NotKnown
                        self._raise_unless(ctx.let("ok", "not", (decided,), BOOL, args.span), then[-1])
                case ast.For(target=target, body=body, orelse=[]):
                    turns = [[ast.Assign([target], Quoted(self.at, item)), *body] for item in self._over(s.iter)]
                    rest = (*turns, *rest)
                case ast.Raise():
                    return self._raise(s)
                case ast.Return(value=value):
                    return self.value(value, args.hint)
                case ast.Expr(value=ast.Call() as value):
                    self.value(value)
                case _:
                    raise _NotKnown
        return NoneValue()

    def value(self, node: ast.expr, hint: str = "t") -> Value:
        found = pull(self.ctx, self.copy(node), hint)
        if isinstance(found, SILENT):
            raise Refused(None, found)
        return found

    def _condition(self, test: ast.expr):
        found = condition(self.ctx, self.copy(test))
        if found is None:
            raise Refused(None)
        return found

    def _over(self, node: ast.expr) -> Sequence[Value]:
        """The items of a loop, if they are known at compile time."""
        match iteration(self.ctx, self.copy(node)):
            case Unrolled(items=items):
                return items
            case Iteration(start=Const(value=start), stop=Const(value=stop), step=Const(value=step)) as found:
                self.ctx.bind_all(found.held)
                items = [found.element(Const(k, I64)) for k in range(start, stop, step)]
                self.ctx.unbind(*found.held)
                return items
            case None:
                raise Refused(None)
        raise _NotKnown

    def _bind(self, name: str, value: Value, rest: Sequence[Sequence[ast.stmt]]) -> None:
        self.known[name] = self._held(value, self.definition.uses(rest, name), name)

    def _held(self, v: Value, uses: int, name: str) -> Value:
        if isinstance(v, TupleValue) and not v.closed:
            return replace(v, items=tuple(self._held(x, uses, name) for x in v.items))
        return force_delayed(self.ctx, v, name, self.args.span) if uses > 1 else v

    def _raise(self, s: ast.Raise) -> Value:
        """Report an exception that is raised whatever the arguments are."""
        kind, told = self._told(s)
        if kind == "TypeError":
            raise Refused(BadCall(self.args.span, self.args.name, told.removeprefix(f"{self.definition.name} ")))
        self.ctx.raised(kind)
        raise Refused(BadCall(self.args.span, self.args.name, f"raises {kind}: {told}"))

    def _raise_unless(self, ok, s: ast.Raise) -> None:
        self.ctx.emit(Check(ok, *self._told(s), (), self.args.span))

    def _told(self, s: ast.Raise) -> tuple[str, str]:
        match s.exc:
            case ast.Call(func=ast.Name(id=kind) | ast.Attribute(attr=kind), args=[ast.Constant(value=told)]):
                return kind, told
            case ast.Call(func=ast.Name(id=kind), args=[ast.JoinedStr(values=parts)]):
                return kind, "".join(map(self._shown, parts))
            case ast.Call(func=ast.Name(id=kind), args=[message]):
                return kind, self._shown(message)
        raise AssertionError(f"{self.definition.key}: {ast.unparse(s)}")

    def _shown(self, part: ast.expr) -> str:
        """A part of a message, which is known at compile time."""
        match part:
            case ast.Constant(value=text):
                return str(text)
            case ast.FormattedValue(value=value):
                return self._shown(value)
        match self.value(part):
            case TextValue(text=text):
                return text
            case ScalarValue(atom=Const(value=value)):
                return str(value)
        raise AssertionError(f"{self.definition.key}: {ast.unparse(part)}")

    # -- as a function of its own

    def called(self, values: Mapping[str, Value]) -> Value:
        """The result of a helper with the text of the function: a copy for this call, with known values substituted."""
        ctx, d, args = self.ctx, self.definition, self.args
        given = {n: v for n, v in values.items() if n in d.stored or not is_static(v)}
        self.known = {n: v for n, v in values.items() if n not in given}
        if d.transpose:  # linear functions are shared
            return self._call(self._source((d.key, None, tuple(self.known.items())), given), given)
        name = "" if d.updates else args.name  # which errors raised inside mention; those change lists and raise none
        everywhere = (d.key, name, tuple(self.known.items()))
        if d.anywhere and everywhere not in ctx.programs.placed:
            source = self._source(everywhere, given, anywhere=True)
            around = ctx.programs.inside(source)  # a function that it is given may call it again, somewhere else
            if not around or source.source.span(source.node) == args.span:
                try:
                    found = ctx.attempt(lambda: self._call(source, given))
                except Refused:
                    found = None
                if found is not None and not found.findings.diagnostics:
                    return ctx.take(found)
                if not around:  # what is said of it is said of this call
                    ctx.programs.placed.add(everywhere)
        return self._call(self._source((d.key, args.span, tuple(self.known.items())), given), given)

    def _source(self, key: tuple, given: Mapping[str, Value], anywhere: bool = False) -> FunctionSource:
        """The function as the text of a helper. Calls with the same key share it."""
        ctx, d, args = self.ctx, self.definition, self.args
        source = ctx.programs.pullbacks.get(key)
        if source is None:
            made = self.copy(d.node)
            made.args = self.copy(ast.arguments([], [ast.arg(n) for n in given], None, [], [], None, []))
            made.decorator_list, made.returns = [], None
            place = f"{d.module}/{d.name}" if anywhere else f"{ctx.source.key}/{d.name}@{args.span}"
            source = FunctionSource(
                d.name, made, ctx.source.source, ctx.source.scope, place, library=True, anywhere=anywhere
            )
            if d.transpose:
                source = replace(source, rule=self._rule(source, given))
            ctx.programs.pullbacks[key] = source
        return source

    def _call(self, source: FunctionSource, given: Mapping[str, Value]) -> Value:
        values = [Quoted(self.at, self._with_arrays(v)) for v in given.values()]
        call = ast.Call(Quoted(self.at, FunctionValue(source, (), ())), values, [])
        return expression(self.ctx, ast.copy_location(call, self.at), self.args.hint, none=True)

    def _with_arrays(self, v: Value) -> Value:
        """A tuple whose delayed expressions are stored in arrays, as a call passes it."""
        if isinstance(v, TupleValue):
            items = tuple(map(self._with_arrays, v.items))
            return v if items == v.items else replace(v, items=items)
        return force_delayed(self.ctx, v, self.definition.name, self.args.span)

    def _rule(self, source: FunctionSource, given: Mapping[str, Value]) -> CustomRule:
        """The derivatives of a function that is linear in its arrays: itself, and its transpose."""
        d = self.definition
        arrays, others = ([n for n in given if is_array(given[n]) == linear] for linear in (True, False))

        def function(parameters: Sequence[str], value: str) -> FunctionSource:
            node = ast.parse(f"lambda {', '.join(parameters)}: {value}", mode="eval").body
            return replace(source, name=f"{d.name}'s rule", node=self.copy(node), key=f"{source.key}/{value}")

        def call(name: str, of: str = "") -> str:
            at = {n: f"{of}[{k}]" for k, n in enumerate(arrays)} if of else {}
            return f"{name}({', '.join(at.get(a.arg, a.arg) for a in d.node.args.args)})"

        forward = function(list(given), f"({call(d.name)}, None)")
        backward = function([*others, "held", "cotangents"], call(d.transpose, "cotangents"))
        pushed = f"({call(d.name, 'primals')}, {call(d.name, 'tangents')})"
        tangent = function([*others, "primals", "tangents"], pushed)
        nondiff = tuple(k for k, n in enumerate(given) if n in others)
        return CustomRule("vjp", (forward, backward), nondiff, CustomRule("jvp", (tangent,), nondiff))

    # -- the text

    def copy(self, node: ast.AST) -> ast.AST:
        """A copy of a node, positioned at the user's call, with values substituted for names."""
        match node:
            case Quoted():
                return node
            case ast.Name(id=name):
                return self._name(name, node)
            case ast.Attribute() if (dotted := _dotted(node)) is not None:
                return self._library(dotted)
            case ast.Call(func=ast.Attribute() as func, args=[of], keywords=[]) if _dotted(func) == "numpy.asarray":
                converts = Quoted(self.at, EntityValue(External(_AS_ARRAY), self.args.name))
                return ast.copy_location(ast.Call(converts, [self.copy(of)], []), self.at)
            case ast.Raise():
                return ast.copy_location(ast.Raise(node.exc, None), self.at)
        position = self.position if node._attributes else {}
        return type(node)(**{f: self._part(getattr(node, f)) for f in node._fields}, **position)

    def _part(self, value: object) -> object:
        if isinstance(value, list):
            return [self._part(v) for v in value]
        return self.copy(value) if isinstance(value, ast.AST) else value

    def _name(self, name: str, node: ast.Name) -> ast.expr:
        if name in self.known and isinstance(node.ctx, ast.Load):
            value = self.known[name]
            var = next(arrays(value), None) if is_array(value) else None
            return Quoted(self.at, value, next(iter(names_of(self.ctx, var)), "") if var is not None else "")
        if name in self.definition.stored:
            return ast.Name(name, node.ctx, **self.position)
        own = definitions().get(f"%{self.definition.module}.{name}")
        if own is not None:
            return Quoted(self.at, EntityValue(External(own.key), self.args.name))
        if name in BUILTINS:
            return self._library(f"builtins.{name}")
        if name in MARKS:
            return self._library(MARKS[name])
        return ast.Name(name, node.ctx, **self.position)

    def _library(self, dotted: str) -> Quoted:
        if dotted in self.definition.implements and rule_of(f"%{dotted}") is not None:
            dotted = f"%{dotted}"
        return Quoted(self.at, CONSTANTS.get(dotted) or EntityValue(External(dotted), self.args.name))


def is_static(v: Value) -> bool:
    """Whether a value is known at compile time."""
    match v:
        case ScalarValue(atom=Const()) | NoneValue() | TextValue() | DTypeValue() | EntityValue():
            return True
        case TupleValue(items=items):
            return not v.changes and all(map(is_static, items))
    return False


def _dotted(node: ast.Attribute) -> str | None:
    root: ast.expr = node.value
    path = [node.attr]
    while isinstance(root, ast.Attribute):
        root, path = root.value, [root.attr, *path]
    return ".".join((LIBRARIES[root.id], *path)) if isinstance(root, ast.Name) and root.id in LIBRARIES else None


def _place(args: Args) -> ast.expr:
    """A node at the position of the call."""
    if args.node is not None:
        return args.node
    at = ast.Constant(None)
    at.lineno, at.end_lineno = args.span.line, args.span.end_line
    at.col_offset, at.end_col_offset = args.span.column - 1, args.span.end_column - 1
    return at


enter_rules(
    {
        _AS_ARRAY: as_array_rule,
        _LITERAL: literal_rule,
        _KNOWN: known_rule,
        **{name: rule(d) for name, d in definitions().items() if not d.elementwise and not d.yields},
    }
)
enter_rules({name: rule(d) for name, d in definitions().items() if d.elementwise}, "scalars")
