"""Comprehensions inside `sum`, `min`, `max`, `any`, `all` and `np.array`: loops without an intermediate list.

A comprehension is lowered as the `for` loop that it abbreviates, with a body given as a function (`Do`). Its targets
are local: outer names that they hide are kept under pseudo-names meanwhile, and remain live.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..arrays.from_parts import ROWS, array_of_values, row_of
from ..arrays.row_arrays import NO_SIZES, Element, Sizes, functions_of, of_elements, one_at_least, rows_array, store_row
from ..ir.core import Atom, Check, Const, Store
from ..engine.arithmetic import binary, truth
from ..engine.loop_attempt import Shape
from ..engine.blocks import STATEMENTS, assign, block
from ..engine.closures import ASIDE, COMPREHENSION
from ..engine.entities import callee
from ..engine.evaluation import CALLS, condition, expression, may_update, present, truth_of, usable
from ..engine.growing import as_array, is_growing
from ..engine.hashed import is_hashed
from ..engine.joins import branch
from ..engine.numbers import as_scalar, cast
from ..engine.places import force_delayed, fresh_array, materialise
from ..engine.quoted import Do, Quoted
from ..engine.refusal import Refused
from ..engine.rulebook import Args
from ..engine.short_circuit import lazily
from ..engine.sizes import is_array, is_complex_array, rank_of, shape_of
from ..engine.state import FALSE, ONE, TRUE, ZERO, Lowering
from ..engine.values import (
    ITERATORS,
    LIST,
    RANGE,
    SILENT,
    ArrayValue,
    Binding,
    Bottom,
    EntityValue,
    FunctionValue,
    Poison,
    ScalarValue,
    TextValue,
    TupleValue,
    Value,
    is_complex,
    is_optional,
    literal,
)
from ..library.externals import call_external
from ..library.operators import operator
from ..library.scalars import extreme
from ..ownership.liveness import assigned_inside, bound
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..names.scope import External
from ..registry import enter
from ..span import Span
from ..types import BOOL, I64, DType
from .generators import by_library, consume
from .iterables import RANGES, Generated, Iteration, Unrolled, from_zero, iteration, listed, of_object
from .loops import run_loop

Comprehension = ast.ListComp | ast.GeneratorExp
COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)
FOLDS = ("builtins.sum", "builtins.min", "builtins.max", "builtins.any", "builtins.all", "math.prod", "math.fsum")
_STARTS = {"sum": 0, "prod": 1, "fsum": 0.0}


EXTREMES: list[Callable[[Lowering, ast.Call, str, Value | None], Value]] = []  # `lists` enters ``min(xs, key=f)``
STATEMENTS[Do] = lambda ctx, s: s.run()


# -------------------------------------------------------------------------------------------------------- iteration


@dataclass
class _Run:
    """A loop nest for one comprehension. ``each`` receives the value of each element."""

    ctx: Lowering
    node: Comprehension
    each: Callable[[Value, Span], list[ast.stmt] | None]
    purpose: str  # distinguishes several loops over one comprehension
    none: bool = False  # whether an element may be None
    refused: bool = False  # whether the element, or what an inner loop runs over, was refused when last lowered

    def go(self) -> None:
        with targets(self.ctx, self.node):
            self.nest(self.node.generators, bound_after(self.ctx, self.node))
        if self.refused and not self.ctx.programs.unsettled():
            raise Refused(None)

    def nest(self, generators: list[ast.comprehension], live: frozenset[str]) -> None:
        ctx, node = self.ctx, self.node
        if not generators:
            self.refused = True
            value = usable(ctx, expression(ctx, node.elt, none=self.none), "the element", ctx.span(node.elt))
            self.each(value, ctx.span(node.elt))
            self.refused = False
            return
        first, *rest = generators
        inner: list[ast.stmt] = [Do(node.elt, lambda: self.nest(rest, bound_after(ctx, node)))]
        if first.ifs:
            test = first.ifs[0] if len(first.ifs) == 1 else ast.copy_location(ast.BoolOp(ast.And(), first.ifs), node)
            inner = [ast.copy_location(ast.If(test, inner, []), node)]
        try:
            run_over(ctx, first, inner, live, self.purpose)
        except Refused:
            self.refused = True
            raise


def bound_after(ctx: Lowering, node: ast.AST) -> frozenset[str]:
    """The names that remain bound after a comprehension."""
    return frozenset(ctx.env) | assigned_inside(node).keys()


def run_over(ctx: Lowering, part: ast.comprehension, body: list[ast.stmt], live: frozenset[str], purpose: str) -> None:
    """The loop of one ``for ... in ...`` of a comprehension."""
    span = ctx.span(part.iter)
    match iteration(ctx, part.iter):
        case None:
            raise Refused(None)
        case Unrolled(items=items):
            for item in items:
                assign(ctx, part.target, item, span)
                with made_for_expression(ctx):
                    block(ctx, body, live)
        case it:
            run_iteration(ctx, part, it, body, live, purpose)


def run_iteration(
    ctx: Lowering,
    part: ast.comprehension,
    it: Iteration | Generated,
    body: list[ast.stmt],
    live: frozenset[str],
    purpose: str = "",
) -> None:
    """The loop over an iteration whose length is not known."""
    node = ast.copy_location(ast.For(part.target, part.iter, body, [], None), part.iter)
    if isinstance(it, Generated):
        with made_for_expression(ctx):
            consume(ctx, it, node, (part, purpose), live)
        return
    ctx.live.enter(node, live)
    ctx.bind_all(it.held)
    enter = lambda i: assign(ctx, part.target, it.element(i), ctx.span(part.iter))
    shape = Shape(node, it.start, it.stop, it.step, it.nonneg, enter, key=(part, purpose))
    with made_for_expression(ctx):
        run_loop(ctx, shape)
    ctx.unbind(*it.held)


@contextmanager
def made_for_expression(ctx: Lowering) -> Iterator[None]:
    """Mark the statements inside as part of the current expression: the values evaluated so far are pending."""
    waiting = len(ctx.path.flight)
    with ctx.within(around=waiting, stmt=ctx.path.stmt):
        yield
        ctx.go(flight=ctx.path.flight[:waiting])


@contextmanager
def targets(ctx: Lowering, node: Comprehension) -> Iterator[None]:
    """Bind the targets of a comprehension inside only."""
    names = list(bound(g.target for g in node.generators))
    depth = sum(n.startswith(ASIDE) for n in ctx.env)
    aside = {f"{ASIDE}{depth + k} {n}": n for k, n in enumerate(names) if n in ctx.env}
    ctx.bind_all({key: ctx.env[name] for key, name in aside.items()})
    ctx.unbind(*names)
    place = TextValue(f"{node.lineno}:{node.col_offset}:{depth}")
    scopes = {f"{COMPREHENSION}{n}": Binding(place, ctx.span(node)) for n in names}
    hidden = {n: ctx.env[n] for n in scopes if n in ctx.env}
    ctx.bind_all(scopes)
    try:
        yield
    finally:
        ctx.unbind(*names, *scopes)
        ctx.bind_all(hidden)
        ctx.bind_all({name: ctx.env[key] for key, name in aside.items() if key in ctx.env})
        ctx.unbind(*aside)


def only_plain(ctx: Lowering, node: Comprehension) -> None:
    """Refuse a comprehension that cannot be lowered."""
    if any(g.is_async for g in node.generators):
        raise Refused(Unsupported(ctx.span(node), "`async for`", "use a plain `for`"))


def run_through(ctx: Lowering, node: Comprehension, each: Callable[[Value, Span], object], purpose: str) -> None:
    """Call ``each`` for the elements of a comprehension. ``purpose`` distinguishes several loops over one
    comprehension."""
    _Run(ctx, node, each, purpose, none=True).go()


# ------------------------------------------------------------------------------------------------------------ folds


def fold(ctx: Lowering, node: ast.Call, dotted: str, called: str, hint: str) -> Value | None:
    """A row of `FOLDS` of one iterable; None for other arguments."""
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return None
    name = dotted.rpartition(".")[2]
    if name in ("sum", "prod") and len(node.args) == 1 and [k.arg for k in node.keywords] == ["start"]:
        node = ast.copy_location(ast.Call(node.func, [*node.args, node.keywords[0].value], []), node)
    extremum, given = name in ("min", "max"), {k.arg: k.value for k in node.keywords}
    if extremum and len(node.args) != 1 and not given:
        return None
    if extremum and "key" in given:
        if "default" in given and len(node.args) == 1:
            return _or_default(ctx, node, _as_list(ctx, node.args[0]), expression(ctx, given["default"]))
        if len(node.args) > 1:
            node = _with(node, ast.copy_location(ast.Tuple(node.args, ast.Load()), node))
        if given.keys() != {"key"}:
            instead = "write a loop, or take the cell that `np.argmax` or `np.argmin` finds"
            raise Refused(Unsupported(ctx.span(given["key"]), f"`key=` of this `{name}`", instead))
        return EXTREMES[0](ctx, node, name, expression(ctx, given["key"]))
    most = 2 if name in ("sum", "prod") else 1
    if given.keys() - ({"default"} if extremum else set()) or not 1 <= len(node.args) <= most:
        more = " and a first value" if most == 2 else " and `default=`" if extremum else ""
        raise Refused(BadCall(ctx.span(node), name, f"takes one iterable{more}"))
    what, *first = *node.args, *given.values()
    start = expression(ctx, first[0]) if first else literal(_STARTS[name]) if name in _STARTS else None
    if isinstance(what, COMPREHENSIONS):
        only_plain(ctx, what)
        return _of_loop(ctx, node, name, what, start, hint)
    starred = any(isinstance(n, ast.Starred) for n in getattr(what, "elts", ()))
    if isinstance(what, ast.Tuple) and starred:
        what = ast.copy_location(ast.List(what.elts, ast.Load()), what)
    elif isinstance(what, (ast.List, ast.Set)) and not starred:
        what = ast.copy_location(ast.Tuple(what.elts, ast.Load()), what)
    if _is_range(ctx, what):
        return _of_loop(ctx, node, name, each_of(what), start, hint)
    value = usable(ctx, expression(ctx, what), "the argument", ctx.span(what))
    if is_hashed(value):
        value = value.items[0]
    if (made := of_object(ctx, value, what)) is not None:
        value = made
    value = listed(ctx, value, ctx.span(what))
    if isinstance(value, TupleValue) and value.record in ITERATORS:
        value = by_library(ctx, ITERATORS[value.record], node, [Quoted(what, value)])
    if is_growing(value):
        if isinstance(value.items[0], ArrayValue) and value.items[0].var.type.rank == 1:
            return _of_loop(ctx, node, name, each_of(Quoted(what, value)), start, hint)
        if extremum and isinstance(value.items[0], TupleValue):
            if start is not None:
                return _or_default(ctx, node, Quoted(what, value), start)
            return EXTREMES[0](ctx, _with(node, Quoted(what, value)), name, None)
        value = as_array(ctx, value, hint, ctx.span(what))
    if name == "sum" and is_complex_array(value) and start == literal(0):
        return call_external(ctx, "numpy.sum", Args("sum", ctx.span(node), (value, literal(0)), {}, hint, node))
    match value:
        case FunctionValue(source=source) if source.running:
            return _of_loop(ctx, node, name, of_generator(ctx, what, value), start, hint)
        case TupleValue(record=record) if record is RANGE:
            return _of_loop(ctx, node, name, each_of(Quoted(what, value)), start, hint)
        case TupleValue(items=items, closed=False):
            at = ctx.span(what)
            asks = name in ("any", "all")  # None is false
            taken = (lambda v: ScalarValue(truth_of(ctx, v, at), True)) if asks else (lambda v: present(ctx, v, at))
            items = tuple(taken(v) if is_optional(v) else v for v in items)
            return _of_items(ctx, node, name, items, start, hint)
        case _ if is_array(value) and rank_of(value) > 1 and name == "sum" and start == literal(0):
            return call_external(ctx, "numpy.sum", Args("sum", ctx.span(node), (value, literal(0)), {}, hint, node))
        case _ if is_array(value) and rank_of(value) == 1 or name in ("sum", "prod") and is_complex_array(value):
            return _of_loop(ctx, node, name, each_of(Quoted(what, value)), start, hint)
        case _ if isinstance(value, SILENT):
            return value
    if name in ("min", "max") and isinstance(value, ScalarValue):
        raise Refused(BadCall(ctx.span(node), name, "takes several values or one iterable"))
    raise Refused(
        WrongType(
            ctx.span(what),
            f"`{name}` is of a comprehension, a range, a tuple or an array of rank 1",
            "something else",
            "write a loop",
        )
    )


def _is_range(ctx: Lowering, node: ast.expr) -> bool:
    """Whether an expression is a call whose result can only be iterated over."""
    match node:
        case ast.Call(func=func):
            return callee(ctx, func) in _RUN_OVER
    return False


_RUN_OVER = (*RANGES, "builtins.map", "builtins.sorted", "builtins.reversed")


def of_generator(ctx: Lowering, node: ast.expr, value: Value) -> Comprehension:
    """``(v for v in generator)``, the same nodes each time that ``node`` is lowered."""
    made = ctx.inlined.made.setdefault((node, "each"), each_of(Quoted(node, value)))
    made.generators[0].iter.value = value
    return made


def each_of(what: ast.expr) -> Comprehension:
    """``(v for v in what)``."""
    target, element = ast.Name("element", ast.Store()), ast.Name("element", ast.Load())
    part = ast.comprehension(target, what, [], 0)
    made = ast.GeneratorExp(element, [part])
    for n in (target, element, made):
        ast.copy_location(n, what)
    return made


def _of_items(
    ctx: Lowering, node: ast.Call, name: str, items: tuple[Value, ...], start: Value | None, hint: str
) -> Value:
    span = ctx.span(node)
    if name in _STARTS:
        total = start
        for item in items:
            total = force_delayed(ctx, operator(ctx, _step(name), total, item, span, hint), hint, span)
        return total
    if name in ("min", "max"):
        if not items and start is not None:
            return start
        if not items:
            ctx.emit(Check(FALSE, "ValueError", f"{name}() arg is an empty sequence", (), span))
            ctx.go(dead=True)
            return literal(0)
        if all(isinstance(v, TupleValue) for v in items):
            whole = TupleValue(items, LIST)
            return EXTREMES[0](ctx, _with(node, Quoted(node.args[0], whole)), name, None)
        return extreme(ctx, name, name, span, items, hint)
    found: Atom = Const(name == "all", BOOL)
    for item in items:
        b = truth(ctx, item, span)
        if found == Const(name == "all", BOOL):
            found = b
        else:
            found = ctx.let("b", "and" if name == "all" else "or", (found, b), BOOL, span)
    return ScalarValue(found, True)


def carry(
    ctx: Lowering, what: Comprehension, start: Value, step: Callable[[Value, Value, Span], Value], hint: str
) -> Value:
    """Carry a value through a comprehension: ``start``, then ``step`` of the value and each element."""
    span = ctx.span(what)
    key = ctx.pseudo(hint, span)
    ctx.bind(key, Binding(start, span))

    def go_on(value: Value, at: Span) -> None:
        ctx.bind(key, Binding(step(ctx.env[key].value, value, at), at))

    _Run(ctx, what, go_on, key).go()
    return ctx.unbind(key).value


def _step(name: str) -> type[ast.operator]:
    return ast.Mult if name == "prod" else ast.Add


def _as_list(ctx: Lowering, what: ast.expr) -> Quoted:
    """The items of an iterable, evaluated once; those of a generator expression as a list."""
    if isinstance(what, ast.GeneratorExp):
        what = ast.copy_location(ast.ListComp(what.elt, what.generators), what)
    return Quoted(what, expression(ctx, what))


def _or_default(ctx: Lowering, node: ast.Call, items: Quoted, default: Value) -> Value:
    """``max(items, default=d)`` where the items are not numbers, or are compared by a key."""
    there = ast.Call(Quoted(node, EntityValue(External("builtins.len"), "len")), [items], [])
    found = ast.Call(node.func, [items], [k for k in node.keywords if k.arg != "default"])
    chosen = ast.IfExp(there, found, Quoted(node, default))
    for n in (there, found, chosen):
        ast.copy_location(n, node)
    return expression(ctx, chosen)


def _with(node: ast.Call, what: ast.expr) -> ast.Call:
    """The call of a function of one iterable with another one."""
    return ast.copy_location(ast.Call(node.func, [what], []), node)


def added(
    ctx: Lowering, what: Comprehension, start: Value, span: Span, hint: str, by: type[ast.operator] = ast.Add
) -> Value:
    """The sum, or product, of the elements. They may be arrays if ``start`` is one, or if no loop remains."""
    seen: list[Value] = []

    def step(total: Value, v: Value, at: Span) -> Value:
        seen.append(v)
        return force_delayed(ctx, operator(ctx, by, total, v, span, hint), hint, span)

    total = carry(ctx, what, start, step, hint)
    if isinstance(total, Poison) and isinstance(start, ScalarValue) and any(is_array(v) and rank_of(v) for v in seen):
        instead = "start with zeros: `sum(..., np.zeros(n))`, or `linad.fold` from `np.zeros(n)`"
        ctx.report(Unsupported(span, "a sum of arrays that starts at a number", instead))
    return total


def _of_loop(ctx: Lowering, node: ast.Call, name: str, what: Comprehension, start: Value | None, hint: str) -> Value:
    """A fold as a loop. ``start`` is the initial value of a sum, and the default of `min` and `max`."""
    span = ctx.span(node)
    if name in ("any", "all"):
        return _truth_of_loop(ctx, name, what, span)
    if name in _STARTS:
        return added(ctx, what, start, span, hint, _step(name))
    try:
        return ctx.take(ctx.ahead(lambda: _extreme(ctx, node, name, what, start, hint)))
    except _OfTuples:
        if start is None:
            return EXTREMES[0](ctx, _with(node, what), name, None)
        return _or_default(ctx, node, _as_list(ctx, what), start)


class _OfTuples(Exception):
    """Raised if `min` or `max` is of tuples."""


def _extreme(ctx: Lowering, node: ast.Call, name: str, what: Comprehension, start: Value | None, hint: str) -> Value:
    """`min` or `max` of numbers."""
    span = ctx.span(node)
    key, started = ctx.pseudo(hint, span), ctx.pseudo("some", span)
    ctx.bind(key, Binding(literal(0), span))
    ctx.bind(started, Binding(ScalarValue(FALSE, True), span))

    def choose(value: Value, at: Span) -> None:
        if isinstance(value, TupleValue) and value.items and not value.closed:
            raise _OfTuples
        v = as_scalar(ctx, value, at, f"`{name}` is of numbers")
        if v is None:
            ctx.bind(key, Binding(value if isinstance(value, Bottom) else Poison(), at))
            return
        old = ctx.env[key].value
        if isinstance(old, ScalarValue):
            best = extreme(ctx, name, name, span, (old, v), hint)
            if isinstance(best, ScalarValue):
                first = cast(ctx, v.atom, best.dtype, at)
                some = ctx.env[started].value.atom
                best = ScalarValue(ctx.let(hint, "select", (some, best.atom, first), first.type, span), v.weak)
            ctx.bind(key, Binding(best, at))
        ctx.bind(started, Binding(ScalarValue(TRUE, True), at))

    _Run(ctx, what, choose, key).go()
    some = ctx.unbind(started).value
    if isinstance(some, ScalarValue) and start is None:
        ctx.emit(Check(some.atom, "ValueError", f"{name}() arg is an empty sequence", (), span))
    elif isinstance(some, ScalarValue):
        branch(ctx, some.atom, lambda: None, lambda: ctx.bind(key, Binding(start, span)), frozenset(ctx.env), span)
    return ctx.unbind(key).value


def _truth_of_loop(ctx: Lowering, name: str, what: Comprehension, span: Span) -> Value:
    if len(what.generators) > 1:
        raise Refused(Unsupported(ctx.span(what), f"`{name}` over two loops", "write the loops with a `break`"))
    part = what.generators[0]
    key = ctx.pseudo(name, span)
    ctx.bind(key, Binding(ScalarValue(Const(name == "all", BOOL), True), span))

    def found() -> None:
        ctx.bind(key, Binding(ScalarValue(Const(name == "any", BOOL), True), span))

    with targets(ctx, what):
        live = bound_after(ctx, what)
        match iteration(ctx, part.iter):
            case None:
                ctx.programs.poisoned = True
            case Unrolled(items=items):
                value = _unrolled_truth(ctx, name, what, items, span)
                ctx.unbind(key)
                return value
            case it:
                stop = [Do(what.elt, found), ast.copy_location(ast.Break(), what.elt)]
                tests = [
                    *part.ifs,
                    what.elt if name == "any" else ast.copy_location(ast.UnaryOp(ast.Not(), what.elt), what.elt),
                ]
                test = tests[0] if len(tests) == 1 else ast.copy_location(ast.BoolOp(ast.And(), tests), what.elt)
                run_iteration(ctx, part, it, [ast.copy_location(ast.If(test, stop, []), what.elt)], live)
    return ctx.unbind(key).value


def _unrolled_truth(ctx: Lowering, name: str, what: Comprehension, items: tuple[Value, ...], span: Span) -> Value:
    part = what.generators[0]

    def of(k: int) -> Value:
        if k == len(items):
            return ScalarValue(Const(name == "all", BOOL), True)
        assign(ctx, part.target, items[k], span)
        tests = [
            *part.ifs,
            what.elt if name == "any" else ast.copy_location(ast.UnaryOp(ast.Not(), what.elt), what.elt),
        ]
        test = tests[0] if len(tests) == 1 else ast.copy_location(ast.BoolOp(ast.And(), tests), what.elt)
        hit = condition(ctx, test)
        ctx.unbind(*bound([part.target]))  # its type may differ between the joined paths
        if hit is None:
            raise Refused(None)
        here = ScalarValue(hit if name == "any" else ctx.let("b", "not", (hit,), BOOL, span), True)
        return lazily(ctx, name == "all", here, lambda: of(k + 1), span, "b")

    return of(0)


# ----------------------------------------------------------------------------------------------------------- arrays


def array_from(ctx: Lowering, node: Comprehension, dtype: DType | None, hint: str) -> Value:
    """``np.array([element for target in iterable])``."""

    span = ctx.span(node)
    only_plain(ctx, node)
    part = node.generators[0]
    if isinstance(node, ast.GeneratorExp):
        raise Refused(Unsupported(span, "an array of a generator", "write a list: `np.array([... for ...])`"))
    if isinstance(ctx.attempt(lambda: iteration(ctx, part.iter)).value, Generated):
        return _by_list(ctx, node, dtype, hint)
    if len(node.generators) > 1 or part.ifs:
        return _counted(ctx, node, dtype, hint)
    found = iteration(ctx, part.iter)
    if found is None:
        raise Refused(None)
    with targets(ctx, node):
        if isinstance(found, Unrolled):
            return _of_unrolled(ctx, node, found, dtype, hint)
        it = from_zero(ctx, found, span)
        rows = lambda element, others: _rows(ctx, node, it, element, others, dtype, hint)
        return of_elements(ctx, node, lambda: _element(ctx, node, it), rows)


def _by_list(ctx: Lowering, node: ast.ListComp, dtype: DType | None, hint: str) -> Value:
    """The array of a list that is made first: it can be made only once."""
    found, span = expression(ctx, node), ctx.span(node)
    if is_growing(found):
        found = as_array(ctx, found, hint, span)
        return materialise(ctx, found, hint, span, dtype) if is_array(found) else found
    return array_of_values(ctx, found, dtype, hint, span) if isinstance(found, TupleValue) else found


def _rows(
    ctx: Lowering,
    node: Comprehension,
    it: Iteration,
    like: Element,
    others: list[Value],
    dtype: DType | None,
    hint: str,
) -> Value:
    """The array of elements of a known type, filled by its own loop."""
    span, part, value, sizes = ctx.span(node), node.generators[0], like.value, like.sizes
    if isinstance(value, SILENT):
        ctx.programs.poisoned |= isinstance(value, Poison)
        return value
    if is_complex(value):
        return _of_complex(ctx, node, hint)
    n = _length(ctx, it.stop, span)
    start = ZERO
    if is_array(value) and not sizes.known():  # not known beforehand: take the sizes of the first row
        one_at_least(ctx, n, span)
        ctx.bind_all(it.held)
        zeroth = ctx.let("i", "add", (ZERO, ZERO), I64, span, nonneg=True)
        assign(ctx, part.target, it.element(zeroth), ctx.span(part.iter))
        first = force_delayed(ctx, usable(ctx, row_of(ctx, node.elt), "the element", ctx.span(node.elt)), "row", span)
        if not is_array(first):
            return first
        start, made = ONE, rows_array(ctx, node, first, shape_of(ctx, first, span), n, dtype, hint)
        if made is not None:
            store_row(ctx, made, ZERO, first, ctx.span(node.elt))
    elif is_array(value):
        one_at_least(ctx, n, span)
        made = rows_array(ctx, node, value, sizes.again(ctx, span), n, dtype, hint)
    else:
        v = as_scalar(ctx, value, ctx.span(node.elt), "an array is made of scalars")
        made = None if v is None else fresh_array(ctx, hint, (n,), dtype or v.dtype, None, span)
    if made is None:
        return Poison()
    key, place = ctx.pseudo("made", span), []
    ctx.bind(key, Binding(made, span))

    def element(i: Atom) -> Value:
        place[:] = [i]
        return it.element(i)

    def put() -> None:
        element = row_of(ctx, node.elt)
        if not like.like(element):
            others.append(element)
        if is_array(element):
            store_row(ctx, ctx.env[key].value, place[0], element, ctx.span(node.elt))
            return
        x = as_scalar(ctx, element, ctx.span(node.elt))
        if x is not None:
            out, at = ctx.env[key].value.var, ctx.span(node.elt)
            ctx.emit(Store(out, (place[0],), cast(ctx, x.atom, out.type.dtype, at), False, at))

    run = Iteration(start, it.stop, ONE, True, element, it.held)
    run_iteration(ctx, part, run, [Do(node.elt, put)], bound_after(ctx, node))
    return ctx.unbind(key).value


def _of_complex(ctx: Lowering, node: Comprehension, hint: str) -> Value:
    """The array of complex elements: that of the list of them."""
    found = expression(ctx, node, hint)
    return found if isinstance(found, SILENT) else as_array(ctx, found, hint, ctx.span(node))


def _counted(ctx: Lowering, node: ast.ListComp, dtype: DType | None, hint: str) -> Value:
    """The array of a comprehension with conditions or several loops: a first run counts, a second one stores."""
    if assigned_inside(node) or may_update(ctx, node):  # what two runs would do twice
        return _by_list(ctx, node, dtype, hint)
    kept = lambda element, others: _kept(ctx, node, element, others, dtype, hint)
    return of_elements(ctx, node, lambda: _seen(ctx, node), kept)


def _seen(ctx: Lowering, node: ast.ListComp) -> Element:
    """The type of the elements of a comprehension: it is lowered once, and the result is discarded."""
    seen: list[Value] = []
    trial = ctx.attempt(_Run(ctx, node, lambda value, at: seen.append(value), "").go)
    value = seen[-1] if seen else Poison()
    if isinstance(value, SILENT):  # keep the reports
        ctx.take(trial, emit=False)
    return Element(value, NO_SIZES)


def _kept(
    ctx: Lowering, node: ast.ListComp, like: Element, others: list[Value], dtype: DType | None, hint: str
) -> Value:
    """The array of the elements that a comprehension keeps, given their type."""
    span = ctx.span(node)
    if isinstance(like.value, SILENT):
        return Poison()
    if is_complex(like.value):
        return _of_complex(ctx, node, hint)
    if not isinstance(like.value, ScalarValue):
        raise Refused(
            Unsupported(
                span,
                "arrays as elements of a comprehension with conditions or several loops",
                "make `np.zeros((n, m))` and store the rows in loops",
            )
        )
    one = ast.copy_location(ast.Constant(1), node.elt)
    count = carry(
        ctx,
        ast.copy_location(ast.GeneratorExp(one, node.generators), node),
        literal(0),
        lambda n, v, at: binary(ctx, ast.Add, n, v, at),
        "n",
    )
    if not isinstance(count, ScalarValue):
        raise Refused(None)
    ctx.not_negative(count.atom)
    made = fresh_array(ctx, hint, (count.atom,), dtype or like.value.dtype, None, span)
    key = ctx.pseudo("made", span)
    ctx.bind(key, Binding(made, span))

    def put(place: Value, value: Value, at: Span) -> Value:
        x = as_scalar(ctx, value, at)
        if not like.like(value):
            others.append(value)
        if x is not None and isinstance(place, ScalarValue):
            ctx.not_negative(place.atom)
            out = ctx.env[key].value.var
            ctx.emit(Store(out, (place.atom,), cast(ctx, x.atom, out.type.dtype, at), False, at))
        return binary(ctx, ast.Add, place, literal(1), at)

    carry(ctx, node, literal(0), put, "k")
    return ctx.unbind(key).value


def _length(ctx: Lowering, stop: Atom, span: Span) -> Atom:
    return stop if ctx.is_nonneg(stop) else ctx.let("n", "max", (stop, ZERO), I64, span)


def _element(ctx: Lowering, node: Comprehension, it: Iteration) -> Element:
    """The type of an element, and its sizes if it is an array: the body is lowered once, and the result is
    discarded."""
    index = ctx.fresh("i", I64, nonneg=True, below=it.stop)

    def body() -> tuple[Value, tuple[Atom, ...]]:
        ctx.bind_all(it.held)
        assign(ctx, node.generators[0].target, it.element(index), ctx.span(node.generators[0].iter))
        value = usable(ctx, row_of(ctx, node.elt), "the element", ctx.span(node.elt))
        return value, shape_of(ctx, value, ctx.span(node.elt)) if is_array(value) else ()

    with ctx.within(looping=ctx.path.looping + 1, want_ctl=False):  # as inside the loop
        trial = ctx.attempt(body)
    value, shape = trial.value
    if isinstance(value, SILENT):  # keep the reports
        ctx.take(trial, emit=False)
    return Element(value, Sizes(shape, trial.stmts, index, functions_of(ctx)))


def _of_unrolled(ctx: Lowering, node: Comprehension, found: Unrolled, dtype: DType | None, hint: str) -> Value:
    values = []
    for item in found.items:
        assign(ctx, node.generators[0].target, item, ctx.span(node))
        values.append(usable(ctx, expression(ctx, node.elt), "the element", ctx.span(node.elt)))
    return array_of_values(ctx, TupleValue(tuple(values)), dtype, hint, ctx.span(node))


CALLS.update(dict.fromkeys(FOLDS, fold))
enter("fold", FOLDS)
ROWS[ast.ListComp] = lambda ctx, node: array_from(ctx, node, None, "row")
