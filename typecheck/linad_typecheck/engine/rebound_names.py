"""Variables that inner functions rebind (`nonlocal`) as lists of one element, which inner functions can change.

**Before.** ``total = 0.0; def add(v): nonlocal total; total += v``
**After.** ``total = 0.0; total = [total]; def add(v): total[0] += v``
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from ..ownership.liveness import bound

Function = ast.FunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def with_lists(node: ast.FunctionDef) -> list[ast.stmt]:
    """The body of a function without `nonlocal` for its variables.

    It is unchanged for a variable that is not bound before the first function that mentions it, or that a statement
    binds later which cannot bind an element of a list, such as `def` or ``:=``.
    """
    body = node.body
    for name in dict.fromkeys(_rebound(body)):
        body = _with_list(name, body, name in _parameters(node))
    return body


def _rebound(body: list[ast.stmt]) -> Iterator[str]:
    """The names that functions inside a body declare `nonlocal` and that are not variables of functions between."""
    stack: list[ast.AST] = list(body)
    while stack:
        f = stack.pop()
        if isinstance(f, ast.FunctionDef):
            declared = _nonlocal(f)
            own = {*_parameters(f), *bound(f.body)} - declared
            yield from sorted(declared)
            yield from (n for n in _rebound(f.body) if n not in own)
        elif not isinstance(f, _FUNCTIONS):
            stack += (n for n in ast.iter_child_nodes(f) if not isinstance(n, ast.expr))


def _functions(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The functions directly inside a body."""
    stack: list[ast.AST] = list(body)
    while stack:
        n = stack.pop()
        if isinstance(n, _FUNCTIONS):
            yield n
        else:
            stack += ast.iter_child_nodes(n)


def _nonlocal(f: ast.FunctionDef) -> set[str]:
    stack, found = list(f.body), set()
    while stack:
        n = stack.pop()
        if isinstance(n, ast.Nonlocal):
            found.update(n.names)
        elif not isinstance(n, (*_FUNCTIONS, ast.expr)):
            stack += ast.iter_child_nodes(n)
    return found


def _parameters(f: Function) -> set[str]:
    a = f.args
    return {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg)))}


def _with_list(name: str, body: list[ast.stmt], given: bool) -> list[ast.stmt]:
    """The variable becomes a list before the first statement that contains a function that mentions it."""
    k = next(k for k, s in enumerate(body) if any(_mentions(f, name) for f in _functions([s])))
    start = ast.Assign([ast.Name(name, ast.Store())], ast.List([ast.Name(name, ast.Load())], ast.Load()))
    start = ast.fix_missing_locations(ast.copy_location(start, body[k]))
    rest = [_Elements(name).visit(s) for s in copy.deepcopy(body[k:])]
    return body if name in bound(rest) or not (given or name in bound(body[:k])) else [*body[:k], start, *rest]


def _mentions(f: ast.AST, name: str) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name or isinstance(n, ast.Nonlocal) and name in n.names for n in ast.walk(f)
    )


class _Elements(ast.NodeTransformer):
    """Replaces a variable by the element of its list, in the function that owns it and in inner functions."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self.name:
            return node
        element = ast.Subscript(ast.Name(node.id, ast.Load()), ast.Constant(0), node.ctx)
        return ast.fix_missing_locations(ast.copy_location(element, node))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Subscript) or node.simple == 0:
            return node
        return ast.copy_location(ast.Pass() if node.value is None else ast.Assign([node.target], node.value), node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        node.value = self.visit(node.value)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        left = [n for n in node.names if n != self.name]
        return ast.copy_location(ast.Nonlocal(left) if left else ast.Pass(), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        node.args = self.generic_visit(node.args)
        own = {*_parameters(node), *bound(node.body)} - _nonlocal(node)
        if self.name not in own:
            node.body = [self.visit(s) for s in node.body]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        node.args = self.generic_visit(node.args)
        if self.name not in _parameters(node):
            node.body = self.visit(node.body)
        return node

    def _comprehension(self, node: ast.expr) -> ast.expr:
        targets = (n for g in node.generators for n in ast.walk(g.target))
        if any(isinstance(n, ast.Name) and n.id == self.name for n in targets):
            node.generators[0].iter = self.visit(node.generators[0].iter)
            return node
        return self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension
