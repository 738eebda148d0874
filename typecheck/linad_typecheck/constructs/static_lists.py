"""Lists and tuples of a length known at compile time: comprehensions, `map`, `list` and `tuple`."""

from __future__ import annotations

import ast
import itertools

from ..ir.core import Const
from ..engine.blocks import assign
from ..engine.entities import callee
from ..engine.evaluation import CALLS, EXPRESSIONS, condition, expand_starred, expression
from ..engine.growing import is_growing
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.state import Lowering
from ..engine.values import KNOWN_RANGE, LIST, SILENT, EntityValue, Poison, ScalarValue, TupleValue, Value
from ..types import I64
from ..messages.language import Unsupported
from ..names.scope import External
from . import lists
from .comprehensions import targets
from .dicts import constant_key, of_pairs
from .hashed import comprehension as hashed_comprehension
from .iterables import Iteration, Unrolled, iteration
from .iterators import as_object, generated

MOST = 64  # longest list made from a range
MADE = ("builtins.list", "builtins.tuple")


def comprehension(ctx: Lowering, node: ast.ListComp | ast.GeneratorExp, hint: str) -> Value:
    """``[e for x in t]`` over tuples, lists and ranges of known length."""
    found: list[Value] = []

    def run() -> bool | None:
        with targets(ctx, node):
            return _run(ctx, node, node.generators, found, hint)

    trial = ctx.attempt(run)
    if trial.value is False:
        return lists.comprehension(ctx, node, hint)
    return TupleValue(tuple(found), LIST) if ctx.take(trial) else Poison()


def _run(
    ctx: Lowering,
    node: ast.ListComp | ast.GeneratorExp,
    generators: list[ast.comprehension],
    found: list[Value],
    hint: str,
) -> bool | None:
    """Run a comprehension whose loops and tests are all known at compile time. Returns whether they are; None if a
    problem was reported."""
    if not generators:
        value = expression(ctx, node.elt, hint, none=True)
        found.append(value)
        return None if isinstance(value, SILENT) else True
    first, *rest = generators
    items = known_items(ctx, first.iter)
    if not isinstance(items, tuple):
        return items
    for item in items:
        assign(ctx, first.target, item, ctx.span(first.iter))
        for test in first.ifs:
            truth = condition(ctx, test)
            if not isinstance(truth, Const):
                return None if truth is None else False
            if not truth.value:
                break
        else:
            done = _run(ctx, node, rest, found, hint)
            if not done:
                return done
    return True


def known_items(ctx: Lowering, node: ast.expr) -> tuple[Value, ...] | bool | None:
    """The items of an iterable of known length; False if its length is not known, None if a problem was reported."""
    over = iteration(ctx, node)
    match over:
        case Unrolled(items=items):
            return items
        case Iteration(start=Const(value=start), stop=Const(value=stop), step=Const(value=step)) if (
            step and len(range(start, stop, step)) <= MOST
        ):
            ctx.bind_all(over.held)
            items = tuple(over.element(Const(i, I64)) for i in range(start, stop, step))
            for name in over.held:
                ctx.unbind(name)
            return items
    if isinstance(over, Iteration):
        for bound in (over.start, over.stop, over.step):
            ctx.wants_literal(ScalarValue(bound, True))
    return None if over is None else False


def mapped(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``map(f, t, ...)`` over tuples and lists, evaluated at once; None if their length is not known."""
    if node.keywords or len(node.args) < 2:
        return None
    many = [known_items(ctx, a) for a in node.args[1:]]
    if None in many:
        raise Refused(None)
    if False in many:
        return as_object(ctx, node, dotted, name, hint)
    found = []
    for items in zip(*many):
        call = ast.Call(node.args[0], [Quoted(a, v) for a, v in zip(node.args[1:], items, strict=True)], [])
        found.append(expression(ctx, ast.copy_location(call, node), hint))
    return Poison() if any(isinstance(v, SILENT) for v in found) else TupleValue(tuple(found), LIST)


def filtered(ctx: Lowering, node: ast.expr) -> ast.expr:
    """``filter(f, x)`` as a comprehension; other expressions unchanged."""
    if not (
        isinstance(node, ast.Call)
        and callee(ctx, node.func) == "builtins.filter"
        and len(node.args) == 2
        and not node.keywords
    ):
        return node
    key = ctx.pseudo("kept", ctx.span(node))
    name = lambda context: ast.Name(key, context)
    test = ast.Call(node.args[0], [name(ast.Load())], [])
    made = ast.ListComp(name(ast.Load()), [ast.comprehension(name(ast.Store()), node.args[1], [test], 0)])
    for n in ast.walk(made):
        if not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return made


def construct(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``list(t)`` and ``tuple(t)``; None if the length is not known."""
    kind = LIST if dotted == "builtins.list" else None
    if node.keywords or len(node.args) > 1:
        return None
    if not node.args:
        return TupleValue((), kind)
    what = filtered(ctx, node.args[0])
    if isinstance(what, ast.GeneratorExp | ast.ListComp):
        value = comprehension(ctx, what, hint)
    else:
        items = known_items(ctx, what)
        if items is False:
            value = lists.of_iterable(ctx, what)
        else:
            value = Poison() if items is None else TupleValue(items)
    if is_growing(value) and dotted == "builtins.tuple":
        raise Refused(Unsupported(ctx.span(node), "a tuple of a computed number of items", "make a list, or an array"))
    return TupleValue(value.items, kind) if isinstance(value, TupleValue) and not is_growing(value) else value


def is_tuple_of(n: ast.expr) -> bool:
    """Whether an expression is written ``tuple(xs)``."""
    return type(n) is ast.Call and type(n.func) is ast.Name and n.func.id == "tuple" and len(n.args) == 1


def as_sequence(ctx: Lowering, n: ast.expr) -> ast.expr:
    """``tuple(xs)`` as an argument of NumPy, for which a list is as good if its length is computed."""
    if not is_tuple_of(n) or callee(ctx, n.func) != "builtins.tuple":
        return n
    function = Quoted(n.func, EntityValue(External("%sequence"), "tuple"))
    return ast.copy_location(ast.Call(function, n.args, n.keywords), n)


def combinatoric(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value:
    """`itertools.chain`, `product`, `combinations` and others: a list if all is known at compile time, and not much;
    otherwise a generator object."""
    found = ctx.attempt(lambda: _arranged(ctx, node, dotted))
    if isinstance(found.value, TupleValue):
        return ctx.take(found)
    return generated(ctx, node, dotted, name, hint)


def _arranged(ctx: Lowering, node: ast.Call, dotted: str) -> Value | None:
    function = getattr(itertools, dotted.partition(".")[2])
    given = expand_starred(ctx, node.args)
    options = {k.arg: known_int(ctx, k.value) for k in node.keywords}
    counts = () if dotted in _OF_ALL else tuple(known_int(ctx, a) for a in given[1:])
    if None in options.values() or None in counts:
        return None
    many = [known_items(ctx, a) for a in (given if dotted in _OF_ALL else given[:1])]
    if None in many or False in many:
        return None
    try:
        found = [*itertools.islice(function(*many, *counts, **options), MOST_ARRANGED + 1)]
    except (TypeError, ValueError):
        return None
    if len(found) > MOST_ARRANGED:
        return None
    return TupleValue(tuple(TupleValue(x) if type(x) is tuple else x for x in found), LIST)


def known_int(ctx: Lowering, node: ast.expr) -> int | None:
    v = expression(ctx, node)
    if isinstance(v, ScalarValue) and isinstance(v.atom, Const) and type(v.atom.value) is int:
        return v.atom.value
    ctx.wants_literal(v)
    return None


def known_range(ctx: Lowering, node: ast.Call, dotted: str, name: str, hint: str) -> Value | None:
    """``range(n)`` as a value: a tuple if the number of ints is known."""
    items = known_items(ctx, node)
    if isinstance(items, tuple):
        return TupleValue(items, KNOWN_RANGE)
    over = iteration(ctx, node)
    return Poison() if over is None else over.over


MOST_ARRANGED = 200  # the most items that are written out
ARRANGED = tuple(
    f"itertools.{n}" for n in "chain product combinations combinations_with_replacement permutations".split()
)
_OF_ALL = ("itertools.chain", "itertools.product")


def dict_comprehension(ctx: Lowering, node: ast.DictComp, hint: str) -> Value:
    """``{k: e for ...}`` over tuples, lists and dicts."""
    trial = ctx.attempt(lambda: _static_dict(ctx, node, hint))
    failed = isinstance(trial.value, SILENT) and any(d.severity == "error" for d in trial.findings.diagnostics)
    return hashed_comprehension(ctx, node) if trial.value is None or failed else ctx.take(trial)


def _static_dict(ctx: Lowering, node: ast.DictComp, hint: str) -> Value | None:
    """A dict with keys known at compile time; None if they are not."""
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
    made = comprehension(ctx, ast.copy_location(ast.ListComp(pair, node.generators), node), hint)
    if isinstance(made, SILENT):
        return made
    if is_growing(made) or not all(constant_key(x.items[0])[0] for x in made.items):
        return None
    return of_pairs(ctx, made.items, ctx.span(node))


EXPRESSIONS[ast.ListComp] = comprehension
EXPRESSIONS[ast.DictComp] = dict_comprehension
CALLS["builtins.map"] = as_object
CALLS["builtins.range"] = known_range
CALLS.update(dict.fromkeys(ARRANGED, combinatoric))
CALLS.update(dict.fromkeys((*MADE, "%sequence"), construct))
