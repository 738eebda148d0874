"""`try` statements, lowered to an `if` on their outcome.

The outcome is known at compile time if nothing in the body can raise what is caught, or if its first statement always
raises. A body of one statement can also be tested at run time.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..advice.impure import WARNINGS
from ..ir.core import (
    AddTo, Alloc, Atom, Block, Call, Copy, Dense, If, Let, Loop, Stmt, Store, Var,
)
from ..ir.rewrite import freshen, rebuild
from ..messages.language import Unsupported
from ..names.scope import DEQUE, HASHED, External, Scope, resolve
from .blocks import block
from .evaluation import EXPRESSIONS, expression
from .exceptions import (
    Kinds, can_be_tested, caught_by, is_known, is_within, may_raise, name_of_raised, nested, of_floats, raised_by,
    tests_of,
)  # fmt: skip
from .exits import breaks, continues, own_yields, returns, terminates
from .guards import UNCAUGHT, Guarded, Untested, in_checks
from .path import Path
from .refusal import Refused
from .state import Known, Lowering
from .values import LISTS, Poison, ScalarValue, TupleValue, Value, literal

HOW = "test the condition with an `if` before it can fail"


class Outcome(ast.expr):
    """The test whether a `try` ends in its body (0) or in a given handler."""

    _fields = ()

    def __init__(self, of: ast.Try, which: int) -> None:
        super().__init__()
        self.of, self.which = of, which

    def copied(self, each: Callable[[ast.AST], ast.AST]) -> Outcome:
        return Outcome(each(self.of), self.which)


def as_branch(s: ast.Try, scope: Scope) -> list[ast.stmt] | None:
    """A `try` as an `if` on its outcome; None if the outcome can never be known."""
    if s.finalbody:
        return _finally(s)
    handlers = [_without_its_error(h, scope) for h in s.handlers]
    if not s.handlers or None in handlers:
        return None
    return _one_by_one(ast.copy_location(ast.Try(s.body, handlers, s.orelse, []), s), s.body)


def _finally(s: ast.Try) -> list[ast.stmt] | None:
    """A `try` with a `finally` that is the end of each path: no exception that leaves the function has later paths."""
    before = [*s.body, *s.orelse, *(x for h in s.handlers for x in h.body)]
    if own_yields(before) or _leaves(s.finalbody):
        return None
    if not s.handlers:
        return ended_by(s.body, s.finalbody)
    if _leaves(before):
        return None
    return [ast.copy_location(ast.Try(s.body, s.handlers, s.orelse, []), s), *s.finalbody]


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return returns(body) or breaks(body) or continues(body)


def ended_by(body: Sequence[ast.stmt], last: Sequence[ast.stmt], own: bool = True) -> list[ast.stmt] | None:
    """A body with the statements ``last`` on each path out of it, exceptions aside; None if a path leaves another
    statement. ``own``: a `break` leaves the body."""
    made: list[ast.stmt] = []
    for s in body:
        parts = {}
        match s:
            case ast.Return(value=value):
                kept = ast.copy_location(ast.Name(f"%kept.{s.lineno}:{s.col_offset}", ast.Load()), s)
                if value is not None and not isinstance(value, ast.Constant):
                    store = ast.copy_location(ast.Name(kept.id, ast.Store()), s)
                    made.append(ast.copy_location(ast.Assign([store], value), s))
                    s = ast.copy_location(ast.Return(kept), s)
                made += copy.deepcopy(last)
            case ast.Break() | ast.Continue() if own:
                made += copy.deepcopy(last)
            case ast.If():
                parts = {"body": own, "orelse": own}
            case ast.For() | ast.While():
                parts = {"body": False, "orelse": own}
            case ast.Try() | ast.With() | ast.Match() if any(
                isinstance(n, ast.Return | ast.Break | ast.Continue) for n in ast.walk(s)
            ):
                return None
        if any(_leaves(getattr(s, name)) for name in parts):
            s = copy.copy(s)
            for name, own_ in parts.items():
                inside = ended_by(getattr(s, name), last, own_)
                if inside is None:
                    return None
                setattr(s, name, inside[: len(inside) - len(last)] if not terminates(getattr(s, name)) else inside)
        made.append(s)
    return made if terminates(body) else [*made, *copy.deepcopy(last)]


def _one_by_one(s: ast.Try, body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of the body, each of them under the condition that none before it has raised what is caught."""
    if not body:
        return list(s.orelse)
    match body[0]:
        case ast.If(test=test, body=[ast.Raise() as error], orelse=[]):
            arms = _unless_raised(s, error, []), _one_by_one(s, body[1:])
            return _unless_raised(
                s, ast.copy_location(ast.Expr(test), test), [ast.copy_location(ast.If(test, *arms), s)]
            )
        case first:
            return _unless_raised(s, first, [first, *_one_by_one(s, body[1:])])


def _unless_raised(s: ast.Try, first: ast.stmt, then: list[ast.stmt]) -> list[ast.stmt]:
    """``then`` if a statement raises nothing that is caught; otherwise a handler."""
    of = ast.copy_location(ast.Try([first], s.handlers, [], []), s)
    rest: list[ast.stmt] = list(s.handlers[-1].body)
    for k in range(len(s.handlers) - 1, 0, -1):
        test = ast.copy_location(Outcome(of, k), s)
        rest = [ast.copy_location(ast.If(test, list(s.handlers[k - 1].body), rest), s)]
    return [ast.copy_location(ast.If(ast.copy_location(Outcome(of, 0), s), then or [first], rest), s)]


def _without_its_error(handler: ast.ExceptHandler, scope: Scope) -> ast.ExceptHandler | None:
    """A handler whose exception is read only in exceptions that it raises, and in what is shown, with dots in place of
    its text; None for any other handler."""
    if handler.name is None and not any(isinstance(n, ast.Raise) for s in handler.body for n in ast.walk(s)):
        return handler
    told = _Told(handler, scope)
    body = [told.visit(copy.deepcopy(s)) for s in handler.body]
    if any(isinstance(n, ast.Name) and n.id == handler.name for s in body for n in ast.walk(s)):
        return None
    return ast.copy_location(ast.ExceptHandler(handler.type, None, body), handler)


_GENERAL = ("BaseException", "Exception", "ArithmeticError", "LookupError", "OSError")  # what is raised is a subclass


class _Told(ast.NodeTransformer):
    """Replaces the text of an exception where it is only told, and the exception where it is raised again."""

    def __init__(self, handler: ast.ExceptHandler, scope: Scope) -> None:
        self.name, self.kind, self.scope, self.inside = handler.name, handler.type, scope, False

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        again = node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == self.name)
        if again and isinstance(self.kind, ast.Name | ast.Attribute) and ast.unparse(self.kind) not in _GENERAL:
            return ast.copy_location(ast.Raise(self.kind, None), node)
        return self._within(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        kind, self.kind = self.kind, None  # it raises its own again
        self.generic_visit(node)
        self.kind = kind
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        found = resolve(node.value.func, self.scope) if isinstance(node.value, ast.Call) else None
        shows = isinstance(found, External) and found.dotted in (*WARNINGS, "builtins.print")
        return self._within(node) if shows else self.generic_visit(node)

    def _within(self, node: ast.stmt) -> ast.stmt:
        self.inside = True
        self.generic_visit(node)
        self.inside = False
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant("..."), node) if self.inside and node.id == self.name else node


def outcome(ctx: Lowering, node: Outcome, hint: str) -> Value:
    """Whether the `try` has this outcome."""
    s = node.of
    caught = [caught_by(ctx, h) for h in s.handlers]
    if isinstance(s.body[0], ast.Raise):
        kind = s.body[0].exc.func if isinstance(s.body[0].exc, ast.Call) else s.body[0].exc
        name = "" if kind is None else name_of_raised(ctx, kind)
        if not is_known(ctx, name) or None in caught:
            raise Refused(Unsupported(ctx.span(s), "`try` that may raise an exception of one's own", HOW))
        which = next((k + 1 for k, kinds in enumerate(caught) if is_within(ctx, name, kinds)), 0)
        return literal(which == node.which)
    found = ctx.attempt(lambda: block(ctx, s.body, frozenset(ctx.local_names)))
    errors = [d for d in found.findings.diagnostics if d.severity == "error"] if found.findings is not None else []
    told, stmts = None, () if errors else _inlined(ctx, Block(tuple(found.stmts))).stmts
    if errors:
        first = ctx.attempt(lambda: block(ctx, s.body[:1], frozenset(ctx.local_names)))
        raised = first.findings.raised if first.findings is not None else None
        which = next((k for k, kinds in enumerate(caught) if raised and is_within(ctx, raised, kinds)), None)
        if which is not None and not _changed_names(ctx, first.path, s.body[0]):
            return literal(which + 1 == node.which)
        told = errors[0]
    elif found.findings is not None and found.findings.poisoned:
        return Poison()
    elif not any(may_raise(ctx, stmts, kinds) for kinds in caught):
        return literal(node.which == 0)
    elif (fine := _at_run_time(ctx, s, stmts, caught, node.which)) is not None:
        return fine
    if told is not None and all(kinds is not None for kinds in caught):
        ctx.programs.findings.take(found.findings)  # an error in the body takes precedence
        return Poison()
    what = "`try` whose block may raise what it catches" if told is None else "`try`"
    raise Refused(Unsupported(ctx.span(s), what, HOW))


def _at_run_time(
    ctx: Lowering, s: ast.Try, stmts: Sequence[Stmt], caught: Sequence[Kinds | None], which: int
) -> Value | None:
    """Whether the `try` has this outcome, tested at run time; None if tests cannot decide.

    The single statement of the body is evaluated up to its last operation that may raise, with tests in place of
    exceptions.
    """
    if len(s.body) != 1 or not isinstance(
        s.body[0], ast.Assign | ast.AugAssign | ast.Return | ast.Expr | ast.AnnAssign
    ):
        return None
    handlers = {k for k, kinds in enumerate(caught) if may_raise(ctx, stmts, kinds)}
    if len(handlers) != 1 or _changes_before(ctx, s.body[0]):
        return None
    (handler,) = handlers
    kinds, span = caught[handler], ctx.span(s)
    last = max(k for k, x in enumerate(stmts) if may_raise(ctx, [x], kinds))
    if not all(can_be_tested(ctx, x, kinds) for x in stmts[: last + 1]) or _changes_more(stmts[: last + 1]):
        return None
    if which:
        return literal(which == handler + 1)
    run = Guarded(ctx, lambda xs: may_raise(ctx, xs, kinds), lambda x: tests_of(ctx, x, kinds, span), span)
    try:
        found = ctx.ahead(lambda: run.run(stmts[: last + 1])[1])
    except Untested:
        return None
    return ScalarValue(ctx.take(found), True)


def _inlined(ctx: Lowering, body: Block, depth: int = 0, same: dict[str, Atom] | None = None) -> Block:
    """A block with the bodies of the functions that it calls, whose checks can be tested."""
    same = {} if same is None else same
    use = lambda a: same.get(a.name, a) if isinstance(a, Var) else a
    made: list[Stmt] = []
    for s in body.stmts:
        spec = ctx.programs.spec(s.callee) if isinstance(s, Call) else None
        derivative = spec is not None and spec.derivative is not None
        if derivative:  # it raises what its function raises
            spec = ctx.programs.spec(spec.derivative.callee)
        f = ctx.programs.function(spec.name) if spec is not None and (derivative or depth < _DEEPEST) else None
        if f is None:
            made.append(rebuild(s, use, block=lambda b: _inlined(ctx, b, depth, same)))
            continue
        given = dict(zip((p.var.name for p in f.params), map(use, s.args)))
        own = freshen(f.body, ctx.variables, given)
        if spec.source.library:  # such a function checks what it raises
            own = in_checks(own, lambda c: replace(c, error=UNCAUGHT + c.error) if c.error in _OF_SOLVERS else c)
        else:
            for x in nested(own.stmts):  # what was known of the operations there is not known here
                if isinstance(x, Let) and of_floats(x) and not ctx.known(x.out).raises:
                    rows = tuple((kind.__name__, "unknown", x.ins) for kind in raised_by(x))
                    ctx.variables.known[x.out.name] = Known(raises=rows)
        own = _inlined(ctx, own, depth + 1)
        made += own.stmts
        if derivative:
            made.append(rebuild(s, use))
        else:
            same |= dict(zip((out.name for out in s.outs), own.results, strict=True))
    return Block(tuple(made), tuple(map(use, body.results)))


# What iterations of a library raise where they do not converge here: the library itself may go on, and no handler may
# hide that.
_OF_SOLVERS = ("RuntimeError", "LinAlgError")


_DEEPEST = 8  # calls in calls


_CONTAINERS = (*LISTS, DEQUE)


def _changes_before(ctx: Lowering, s: ast.stmt) -> bool:
    """Whether a statement may change a list, an object or a name before it raises: the handler would see that. A method
    of a list, a dict or a deque raises before it changes that."""
    parts = [s.value]
    match s.value:
        case ast.Call(func=ast.Attribute(value=of), args=args, keywords=keywords):
            base = ctx.attempt(lambda: expression(ctx, of)).value
            if isinstance(base, TupleValue) and (
                base.mapping or base.record in _CONTAINERS or base.record in HASHED
            ):
                parts = [*args, *(k.value for k in keywords)]
    parts += [t.slice for t in getattr(s, "targets", [getattr(s, "target", None)]) if isinstance(t, ast.Subscript)]
    calls = lambda n: any(isinstance(x, ast.Call | ast.NamedExpr) for x in ast.walk(n))
    return any(
        calls(n) and _changed_names(ctx, ctx.attempt(lambda n=n: expression(ctx, n, none=True)).path) for n in parts
    )


def _changed_names(ctx: Lowering, after: Path, s: ast.stmt | None = None) -> set[str]:
    """The names that have another value on a path, but for those that the statement ``s`` gives one."""
    given = {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} if s else set()
    walrus = {n.target.id for n in ast.walk(s) if isinstance(n, ast.NamedExpr)} if s else set()
    return {n for n, b in after.env.items() if n[0] != "%" and n not in given - walrus and ctx.env.get(n) != b}


def _changes_more(stmts: Sequence[Stmt]) -> bool:
    """Whether statements change arrays that they do not make themselves."""
    made: set[str] = set()
    for x in nested(stmts):
        if isinstance(x, Alloc | Copy):
            made.add(x.out.name)
        elif isinstance(x, Loop):
            for init, *others in zip(x.inits, x.carried, x.outs, strict=True):
                if isinstance(init, Var) and init.name in made:
                    made |= {v.name for v in others}
        elif isinstance(x, If):
            arms = zip(x.then.results, x.orelse.results, x.outs, strict=True)
            made |= {out.name for *each, out in arms if all(isinstance(a, Var) and a.name in made for a in each)}
        elif any(v.name not in made for v in _changed(x)):
            return True
    return False


def _changed(s: Stmt) -> Iterable[Var]:
    match s:
        case Store(array=a) | AddTo(array=a):
            return (a,)
        case Dense(updated=updated):
            return updated
    return ()


EXPRESSIONS[Outcome] = outcome
