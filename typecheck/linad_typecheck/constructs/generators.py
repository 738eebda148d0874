"""Generator objects, and the loops that consume them. `engine.generated` makes the statements of such a loop.

A generator object is the nested function of its body. Its parameters are defaults, captured where it is started and
kept under pseudo-names until it is consumed. It is consumed once.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from weakref import WeakKeyDictionary

from ..engine.blocks import block
from ..engine.closures import Computed, ended
from ..engine.entities import entity, named
from ..engine.evaluation import EXPRESSIONS, expression, usable
from ..engine.exits import own_yields, returns
from ..engine.generator_objects import Impossible, Inlining
from ..engine.quoted import Do, Quoted
from ..engine.refusal import Refused
from ..engine.sequences import Generated
from ..engine.desugaring import desugar
from ..engine.state import Lowering
from ..engine.values import Binding, Bottom, EntityValue, FunctionValue, Poison, Value, contains
from ..library.definitions import Definition, definitions
from ..messages.language import Consumed, Unsupported
from ..names.scope import Entity, External, FunctionSource, Helper, parameters
from ..ownership.liveness import bound, free_names
from ..source import SourceFile
from ..span import Span
from .arguments import bound_arguments
from .records import method_of

LARGEST = 5000  # nodes in all copies of a loop body
DEEPEST = 12  # generators of the same function inside each other
_BY_FILL = "fill a list with the values, and loop over it"


def is_generator(source: FunctionSource) -> bool:
    """Whether calls of a function make generator objects."""
    found = _YIELDS.get(source.node)
    if found is None:
        body = source.node.body if isinstance(source.node, ast.FunctionDef) else []
        found = _YIELDS[source.node] = bool(own_yields(body))
    return found


_YIELDS: WeakKeyDictionary[ast.AST, bool] = WeakKeyDictionary()  # asked at every call


# ------------------------------------------------------------------------------------------------------------ objects


def start_generator(ctx: Lowering, node: ast.Call, f: FunctionValue) -> Value:
    """The generator object that a call of a generator function makes."""
    args = bound_arguments(ctx, node, f.source, f.captured or ())
    given = {n: usable(ctx, a.value, a.name or "the argument", a.span) for n, a in args.items()}
    if any(contains(v, Poison) for v in given.values()):
        ctx.programs.poisoned = True
        raise Refused(None)
    if any(isinstance(v, Bottom) for v in given.values()):
        return Bottom()
    return generator_object(ctx, f, given, ctx.span(node), node.func)


def generator_object(
    ctx: Lowering, f: FunctionValue, given: Mapping[str, Value], span: Span, at: ast.AST
) -> FunctionValue:
    """The generator object of a function with its arguments. ``at``: the node that makes it, which identifies it."""
    number = ctx.inlined.made.setdefault((at, f.source.name), len(ctx.inlined.made))
    keys = {name: f"%{name} of {span.line}:{span.column} {number}" for name in given}
    defaults = tuple((name, Computed(key)) for name, key in keys.items())
    source = replace(f.source, running=True, defaults=defaults)
    if f.captured is not None:
        return FunctionValue(source, (), (*f.captured, *((keys[n], v) for n, v in given.items())))
    made = FunctionValue(source, (*f.free, *keys.values()), None, (*f.scopes, *("" for _ in keys)))
    ended(ctx, made, span)  # one that an earlier iteration has made
    ctx.bind_all({keys[name]: Binding(value, span) for name, value in given.items()})
    return made


def of_expression(ctx: Lowering, node: ast.GeneratorExp, hint: str) -> Value:
    """``(e for v in x if c)`` as an object: of a generator function whose parameter is ``x``."""
    over = expression(ctx, node.generators[0].iter)
    function = ctx.inlined.made.setdefault(id(node), (node, _function_of(node)))[1]
    key = f"{ctx.source.key}/{ctx.source.name}.<genexpr>@{node.lineno}:{node.col_offset}"
    source = FunctionSource("<genexpr>", function, ctx.source.source, ctx.source.scope, key)
    free = tuple(sorted(free_names(function) & (ctx.local_names | ctx.env.keys())))
    return generator_object(
        ctx, FunctionValue(source, free, None, ("",) * len(free)), {"%over": over}, ctx.span(node), node
    )


def _function_of(node: ast.GeneratorExp) -> ast.FunctionDef:
    body: list[ast.stmt] = [ast.Expr(ast.Yield(node.elt))]
    for k, part in reversed([*enumerate(node.generators)]):
        for test in reversed(part.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(part.target, part.iter if k else ast.Name("%over", ast.Load()), body, [])]
    args = ast.arguments([], [ast.arg("%over")], None, [], [], None, [])
    made = ast.FunctionDef("<genexpr>", args, body, [])
    for n in ast.walk(made):
        if "lineno" in n._attributes and not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return made


# ------------------------------------------------------------------------------------------------------------ library


class _Prelude:
    """The scope of the generators of the prelude: other functions there, and builtins."""

    def lookup(self, name: str) -> Entity | None:
        if name == "pool":
            return External(POOL)
        found = definitions().get(f"%{MODULE}.{name}")
        return None if found is None else Helper(source_of(found))

    def names(self) -> tuple[str, ...]:
        return ()

    def implemented(self) -> frozenset[str]:
        return frozenset()

    def implementation(self, dotted: str) -> FunctionSource | None:
        return None


@cache
def source_of(d: Definition) -> FunctionSource:
    """A generator function of the prelude."""
    return FunctionSource(d.name, d.node, SourceFile(d.key, d.text), _Prelude(), d.key)


def by_library(ctx: Lowering, name: str, at: ast.expr, args: list[ast.expr]) -> Value:
    """The generator object of a function of the prelude."""
    f = FunctionValue(source_of(definitions()[name]), (), ())
    return start_generator(ctx, ast.copy_location(ast.Call(at, args, []), at), f)


def by_next(ctx: Lowering, v: Value, at: ast.expr) -> FunctionValue | None:
    """The generator object of what an object yields whose class has ``__next__``; None for other values."""
    found = method_of(ctx, v, "__next__")
    if found is None or not isinstance(found[0].entity, Helper):
        return None
    source = found[0].entity.function
    node = ctx.inlined.made.setdefault((source.node, "each"), _each_next(source.node))
    if node is None:
        what = f"a loop over a `{v.record.name}`, whose `__next__` leaves a loop or a `try` with its value,"
        raise Refused(Unsupported(ctx.span(at), what, "write `__iter__` as a generator: `yield v`"))
    f = FunctionValue(replace(source, node=node, key=f"{source.key}/each"), (), ())
    return start_generator(ctx, ast.copy_location(ast.Call(at, [Quoted(at, x) for x in found[1]], []), at), f)


def _each_next(node: ast.FunctionDef) -> ast.FunctionDef | None:
    """The generator that calls a function ``__next__`` until it raises StopIteration: its body, in which ``return v``
    is ``yield v`` and the next iteration. None if it returns from a place where that has another meaning."""

    def part(s: ast.stmt) -> list[ast.stmt]:
        at = lambda n: ast.copy_location(n, s)
        match s:
            case ast.Return(value=value):
                return [at(ast.Expr(at(ast.Yield(value)))), at(ast.Continue())]
            case ast.Raise(exc=ast.Name(id="StopIteration") | ast.Call(func=ast.Name(id="StopIteration"))):
                return [at(ast.Return(None))]
            case ast.If(test=test, body=body, orelse=orelse):
                return [at(ast.If(test, [x for b in body for x in part(b)], [x for b in orelse for x in part(b)]))]
            case _ if returns([s]) or any(isinstance(n, ast.Raise) for n in ast.walk(s)):
                raise Impossible(s, "")
        return [s]

    try:
        body = [x for s in node.body for x in part(s)]
    except Impossible:
        return None
    last = [] if _ends(node.body) else [ast.Expr(ast.Yield(ast.Constant(None)))]
    loop = ast.While(ast.Constant(True), [*body, *last], [])
    made = ast.FunctionDef(node.name, node.args, [loop], [], None)
    for n in ast.walk(made):
        if "lineno" in n._attributes and not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return made


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether a body ends in a `return` or a `raise` on each path."""
    last = body[-1]
    arms = (last.body, last.orelse) if isinstance(last, ast.If) and last.orelse else ()
    return isinstance(last, ast.Return | ast.Raise) or (bool(arms) and all(map(_ends, arms)))


POOL = "%pool"  # `pool(x)` in the prelude
MODULE = "iterators"
GENERATORS = tuple(n for n, d in definitions().items() if d.module == MODULE and n[0] != "%")


# -------------------------------------------------------------------------------------------------------------- loops


@dataclass
class _Made:
    """The statements of one consumer. ``names``: those of the generator, here."""

    inlining: Inlining
    stmts: list[ast.stmt]
    names: dict[str, str]
    consumer: ast.For  # kept, so that the identities of its nodes are not reused


def consume(ctx: Lowering, over: Generated, node: ast.For, key: object, live: frozenset[str]) -> None:
    """Lower a loop over a generator object. ``key`` identifies the loop; ``live``: the names used after it."""
    f, span = over.by, ctx.span(node.iter)
    if ctx.inlined.around.count(f.source.node) > DEEPEST:
        what = f"the generator `{f.source.name}`, which calls itself,"
        raise Refused(Unsupported(span, what, "collect the values in a list, with a stack of what is left to visit"))
    made = _made(ctx, f, node, key, span)
    for mine, new in zip(made.inlining.runs, _runs(node.body), strict=True):
        mine.run = new.run
    values = _values(ctx, f, made.names, span)
    ended(ctx, f, span)
    ctx.bind_all(values)
    ctx.live.add(made.stmts, live)
    ctx.inlined.around.append(f.source.node)
    try:
        block(ctx, made.stmts, live)
    finally:
        ctx.inlined.around.pop()
    ctx.unbind(*made.names.values(), *(n for n in ctx.env if n.endswith(made.inlining.flag)))


def _made(ctx: Lowering, f: FunctionValue, node: ast.For, key: object, span: Span) -> _Made:
    key = (key, f.source, f.captured is None)
    found = ctx.inlined.made.get(key)
    if found is None:
        found = ctx.inlined.made[key] = _inlined(ctx, f, node, span)
        ctx.local_names |= frozenset(found.names.values())
    return found


def _inlined(ctx: Lowering, f: FunctionValue, node: ast.For, span: Span) -> _Made:
    source = f.source
    _require(source, node, span)
    body = desugar(source.node.body, source.scope)
    names = [p.arg for p in parameters(source.node.args)] + list(bound(body))
    if f.captured is not None:
        names += [n.rstrip("?") for n, _ in f.captured if n[0] != "%"]
    renamed = _renamed(ctx, names, node)
    at = None if source.source == ctx.source.source else node.iter
    flag = f".{span.line}:{span.column}.{len(ctx.inlined.made)}"
    outside = (lambda n: None) if _is_own(ctx, source) else (lambda n: _outside(ctx, source, n))
    inlining = Inlining(renamed, outside, at, node.target, node.body, node.orelse, flag)
    try:
        stmts = inlining.made(body)
    except Impossible as e:
        place = source.source.span(e.node) if at is None else span
        raise Refused(Unsupported(place, e.what, _BY_FILL)) from None
    return _Made(inlining, stmts, renamed, node)


def _is_own(ctx: Lowering, source: FunctionSource) -> bool:
    """Whether a function is nested in the one being lowered, whose global names are its own."""
    return source.key.startswith(f"{ctx.source.key}/{ctx.source.name}.")


def _require(source: FunctionSource, node: ast.For, span: Span) -> None:
    """Refuse a generator with many copies of a large loop body."""
    yields = own_yields(source.node.body)
    size = sum(1 for s in node.body for _ in ast.walk(s))
    if len(yields) > 1 and size * len(yields) > LARGEST:
        what = f"a loop of this size over the generator `{source.name}` with {len(yields)} `yield`s"
        raise Refused(Unsupported(span, what, "make its body a function, or " + _BY_FILL))


def _renamed(ctx: Lowering, names: Sequence[str], node: ast.For) -> dict[str, str]:
    """Names for the variables of a generator, which differ from all names here."""
    taken = {n.id for n in ast.walk(ctx.source.node) if isinstance(n, ast.Name)} | ctx.local_names | set(ctx.env)
    taken |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        new, k = name, 1
        while new in taken:
            k += 1
            new = f"{name}_{k}"
        found[name] = new
        taken.add(new)
    return found


def _outside(ctx: Lowering, source: FunctionSource, node: ast.expr) -> ast.expr | None:
    """What a global name of another function denotes. A dotted name is one of a module of the user's."""
    there = replace(ctx, source=source, local_names=frozenset())
    first = next(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    builtin = External(f"builtins.{first}") if hasattr(builtins, first) else None
    found, here = (scope.lookup(first) or builtin for scope in (source.scope, ctx.source.scope))
    if found == here and first not in ctx.local_names | ctx.env.keys():
        return None  # it is the same here
    if found == External(POOL):
        return Quoted(node, EntityValue(found, first))
    if isinstance(node, ast.Name):
        at = source.source.span(node) if source.source == ctx.source.source else ctx.span(node)
        return Quoted(node, entity(there, node.id, at), node.id)
    found = named(replace(there, path=ctx.path._replace(env=type(ctx.env)())), node)
    return None if found is None else Quoted(node, EntityValue(found, ast.unparse(node)))


def _values(ctx: Lowering, f: FunctionValue, names: Mapping[str, str], span: Span) -> dict[str, Binding]:
    """The arguments of a generator object, and the values that it captured if it was made elsewhere."""
    found: dict[str, Binding] = {}
    captured = dict(f.captured or ())
    for name, default in f.source.defaults:
        if isinstance(default, Computed):
            held = captured.get(default.name) or (b.value if (b := ctx.env.get(default.name)) else None)
            if held is None:
                raise Refused(Consumed(span, f.source.name))
            found[names[name]] = Binding(usable(ctx, held, name, span), span)
    for name, value in captured.items():
        if name[0] != "%" and name[-1] != "?":
            defined = captured.get(f"{name}?")
            found[names[name]] = Binding(value, span, None if defined is None else defined.atom)
    return found


def _runs(body: Sequence[ast.stmt]) -> list[Do]:
    return [n for s in body for n in ast.walk(s) if isinstance(n, Do)]


EXPRESSIONS[ast.GeneratorExp] = of_expression
