"""How a block can be left: syntactic questions about `break`, `continue`, `return` and `raise`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Body = Sequence[ast.stmt]


def terminates(body: Body) -> bool:
    """Whether control never reaches the end of the body."""
    for s in body:
        match s:
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                return True
            case ast.If(body=then, orelse=orelse) if terminates(then) and terminates(orelse):
                return True
            case ast.While(test=ast.Constant(value=value), body=inner) if value and not breaks(inner):
                return True
    return False


def returns(body: Body) -> bool:
    """Whether a `return` can leave the body, also from inside its loops."""
    return _in_any(body, (ast.Return,), into_loops=True)


def breaks(body: Body) -> bool:
    """Whether the body contains a `break` of the loop that it belongs to."""
    return _in_any(body, (ast.Break,), into_loops=False)


def continues(body: Body) -> bool:
    """Whether the body contains a `continue` of the loop that it belongs to."""
    return _in_any(body, (ast.Continue,), into_loops=False)


def own_yields(body: Body) -> list[ast.AST]:
    """The `yield`s of a body, without those of nested functions."""
    found: list[ast.AST] = []
    pending: list[ast.AST] = list(body)
    while pending:
        n = pending.pop()
        if isinstance(n, (ast.Yield, ast.YieldFrom)):
            found.append(n)
        if not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending += ast.iter_child_nodes(n)
    return found


def statements(body: Body) -> Iterator[ast.AST]:
    """All nodes of a body that are not in an expression: its statements, those of nested functions included, in no
    order."""
    pending: list[ast.AST] = list(body)
    while pending:
        n = pending.pop()
        yield n
        pending += (c for c in ast.iter_child_nodes(n) if not isinstance(c, ast.expr))


def exits(s: ast.stmt) -> bool:
    """Whether control may leave the block of ``s`` from inside ``s``."""
    return leaves_iteration(s) or _find(s, (ast.Return,), into_loops=True)


def leaves_iteration(s: ast.stmt) -> bool:
    """Whether ``s`` may end the iteration of the enclosing loop by `break` or `continue`."""
    return _find(s, (ast.Break, ast.Continue), into_loops=False)


def only_raises(body: Body) -> bool:
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def _find(s: ast.stmt, kinds: tuple[type, ...], into_loops: bool) -> bool:
    kind = type(s)  # a fast path: this is called for every statement, and most have no exit
    if kind in kinds:
        return True
    if kind is ast.If:
        return _in_any(s.body, kinds, into_loops) or _in_any(s.orelse, kinds, into_loops)
    if kind is ast.For or kind is ast.While:
        return (into_loops and _in_any(s.body, kinds, into_loops)) or _in_any(s.orelse, kinds, into_loops)
    return False


def _in_any(body: Body, kinds: tuple[type, ...], into_loops: bool) -> bool:
    for s in body:
        if _find(s, kinds, into_loops):
            return True
    return False


def none_if(test: ast.expr, truth: bool) -> dict[str, bool]:
    """The names that are known to be None, or known not to be, where a test has this outcome."""
    match test:
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
        ):
            return {name: isinstance(op, ast.Is) == truth}
        case ast.Name(id=name) if truth:
            return {name: False}
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return none_if(inner, not truth)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == truth:
            return {name: none for v in values for name, none in none_if(v, truth).items()}
    return {}


def bound_if(test: ast.expr, truth: bool) -> frozenset[str]:
    """The names that ``:=`` has bound for certain where a test has the outcome ``truth``."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return bound_if(inner, not truth)
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) == truth:  # all operands were evaluated, with this outcome
                return frozenset().union(*(bound_if(v, truth) for v in values))
            ends = [
                frozenset().union(*(bound_if(v, not truth) for v in values[:k]), bound_if(v, truth))
                for k, v in enumerate(values)
            ]
            return frozenset.intersection(*ends)
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            return bound_if(value, truth) | {name}
        case ast.IfExp() | ast.Lambda() | ast.ListComp() | ast.GeneratorExp():
            return frozenset()
        case ast.Compare(left=left, comparators=[first, *_]):  # the other comparators may not be evaluated
            return _bound_in(left) | _bound_in(first)
    return _bound_in(test)


def _bound_in(node: ast.AST) -> frozenset[str]:
    """The names that every evaluation of an expression binds."""
    match node:
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            return _bound_in(value) | {name}
        case ast.BoolOp(values=[first, *_]):
            return _bound_in(first)
        case ast.Compare(left=left, comparators=[first, *_]):
            return _bound_in(left) | _bound_in(first)
        case ast.IfExp() | ast.Lambda() | ast.ListComp() | ast.GeneratorExp():
            return frozenset()
    return frozenset().union(*(_bound_in(n) for n in ast.iter_child_nodes(node)), frozenset())


def bound_at_breaks(body: Body) -> frozenset[str]:
    """The names that an iteration of a loop has bound for certain where a `break` leaves the loop."""
    found: list[frozenset[str]] = []
    _follow(body, frozenset(), found)
    return frozenset.intersection(*found) if found else frozenset()


def _follow(body: Body, bound: frozenset[str], found: list[frozenset[str]]) -> frozenset[str] | None:
    """The names that are bound after a body, in addition to ``bound``; None if control does not reach its end. The
    names at each `break` are appended to ``found``."""
    for s in body:
        match s:
            case ast.Break():
                found.append(bound)
                return None
            case ast.Return() | ast.Raise() | ast.Continue():
                return None
            case ast.If(test=test, body=then, orelse=orelse):
                arms = (
                    _follow(arm, bound | bound_if(test, truth), found) for arm, truth in ((then, True), (orelse, False))
                )
                ends = [end for end in arms if end is not None]
                if not ends:
                    return None
                bound = frozenset.intersection(*ends)
            case ast.Delete():
                bound -= {n.id for n in ast.walk(s) if isinstance(n, ast.Name)}
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                targets = s.targets if isinstance(s, ast.Assign) else [s.target] if s.value is not None else []
                bound |= {n.id for t in targets for n in ast.walk(t) if _stores(n)}
            case ast.For() | ast.While():
                _follow(s.orelse, bound, found)
            case _ if breaks([s]):
                found.append(frozenset())
    return bound


def _stores(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
