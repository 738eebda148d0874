"""How a block can be left: syntactic questions about `break`, `continue`, `return` and `raise`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

Body = Sequence[ast.stmt]

_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


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
    """Whether a `return` can leave the body, from inside its loops too."""
    return any(_find(s, (ast.Return,), into_loops=True) for s in body)


def breaks(body: Body) -> bool:
    """Whether a `break` of the loop that the body belongs to occurs in it."""
    return any(_find(s, (ast.Break,), into_loops=False) for s in body)


def exits(s: ast.stmt) -> bool:
    """Whether control may leave the block of ``s`` from inside ``s``."""
    return _find(s, (ast.Break, ast.Continue), into_loops=False) or _find(s, (ast.Return,), into_loops=True)


def only_raises(body: Body) -> bool:
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def _find(s: ast.stmt, kinds: tuple[type, ...], into_loops: bool) -> bool:
    if isinstance(s, kinds):
        return True
    if isinstance(s, _NESTED):
        return False
    inner: list[ast.stmt] = []
    if isinstance(s, (ast.For, ast.While)):
        inner = [*(s.body if into_loops else []), *s.orelse]
    elif isinstance(s, ast.If):
        inner = [*s.body, *s.orelse]
    return any(_find(x, kinds, into_loops) for x in inner)


def bound_if(test: ast.expr, truth: bool) -> frozenset[str]:
    """The names that ``:=`` has surely bound where a test has come out as ``truth``."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return bound_if(inner, not truth)
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) == truth:  # all of them were looked at, and came out so
                return frozenset().union(*(bound_if(v, truth) for v in values))
            ends = [frozenset().union(*(bound_if(v, not truth) for v in values[:k]), bound_if(v, truth)) for k, v in enumerate(values)]
            return frozenset.intersection(*ends)
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            return bound_if(value, truth) | {name}
        case ast.IfExp() | ast.Lambda() | ast.ListComp() | ast.GeneratorExp():
            return frozenset()
        case ast.Compare(left=left, comparators=[first, *_]):  # the others may not be looked at
            return _bound_in(left) | _bound_in(first)
    return _bound_in(test)


def _bound_in(node: ast.AST) -> frozenset[str]:
    """The names bound wherever the evaluation of an expression passes for sure."""
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
