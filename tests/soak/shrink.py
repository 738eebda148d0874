"""A program that fails made smaller, as long as it fails in the same way: statements go, blocks give way to what is
in them, expressions to their parts."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator


def shrunk(text: str, fails: Callable[[str], bool], seconds: float) -> str:
    """The smallest program found in that time for which ``fails`` is true, as it is of the text itself."""
    until = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(text):
            if time.monotonic() > until:
                return text
            if len(smaller) < len(text) and fails(smaller):
                text, progress = smaller, True
                break
    return text


def _smaller(text: str) -> Iterator[str]:
    """Texts with one thing less, those that lack most first."""
    tree = ast.parse(text)
    for change in (*_fewer_statements(tree), *_flatter(tree), *_simpler(tree)):
        other = copy.deepcopy(tree)
        change(list(ast.walk(other)))
        try:
            found = ast.unparse(ast.fix_missing_locations(other)) + "\n"
            compile(found, "<smaller>", "exec")
        except (SyntaxError, ValueError, RecursionError):
            continue
        yield found


Nodes = list[ast.AST]


def _bodies(tree: ast.Module) -> Iterator[tuple[int, str, int]]:
    """Each list of statements: the number of the node that has it, under which name, its length."""
    for k, node in enumerate(ast.walk(tree)):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body:
                yield k, name, len(body)


def _fewer_statements(tree: ast.Module) -> list[Callable[[Nodes], None]]:
    found = []
    for k, name, length in _bodies(tree):
        size = length
        while size:
            found += [(size, _without(k, name, at, size)) for at in range(0, length, size)]
            size //= 2
    return [change for _, change in sorted(found, key=lambda f: -f[0])]


def _without(k: int, name: str, at: int, size: int) -> Callable[[Nodes], None]:
    def change(nodes: Nodes) -> None:
        body = getattr(nodes[k], name)
        del body[at : at + size]
        if not body and name == "body" and not isinstance(nodes[k], ast.Module):
            body.append(ast.Pass())

    return change


def _flatter(tree: ast.Module) -> Iterator[Callable[[Nodes], None]]:
    """A block in the place of the statement that it belongs to."""
    for k, name, length in _bodies(tree):
        for at in range(length):
            inner = getattr(list(ast.walk(tree))[k], name)[at]
            if isinstance(inner, (ast.For, ast.While, ast.If, ast.With, ast.Try)):
                for part in ("body", "orelse"):
                    if getattr(inner, part, None):
                        yield _spliced(k, name, at, part)


def _spliced(k: int, name: str, at: int, part: str) -> Callable[[Nodes], None]:
    def change(nodes: Nodes) -> None:
        body = getattr(nodes[k], name)
        body[at : at + 1] = getattr(body[at], part)

    return change


def _simpler(tree: ast.Module) -> Iterator[Callable[[Nodes], None]]:
    """An expression gives way to a part of it, or to a number."""
    for k, node in enumerate(ast.walk(tree)):
        for name, value in ast.iter_fields(node):
            for at, expr in enumerate(value if isinstance(value, list) else [value]):
                if (
                    isinstance(expr, ast.expr)
                    and not isinstance(expr, (ast.Constant, ast.Name))
                    and name != "annotation"
                ):
                    place = at if isinstance(value, list) else None
                    for j, part in enumerate(ast.iter_child_nodes(expr)):
                        if isinstance(part, ast.expr):
                            yield _replaced(k, name, place, j)
                    if isinstance(getattr(expr, "ctx", ast.Load()), ast.Load):
                        yield _replaced(k, name, place, None)


def _replaced(k: int, name: str, at: int | None, part: int | None) -> Callable[[Nodes], None]:
    def change(nodes: Nodes) -> None:
        holder = getattr(nodes[k], name)
        old = holder if at is None else holder[at]
        new = ast.Constant(0.5) if part is None else list(ast.iter_child_nodes(old))[part]
        if at is None:
            setattr(nodes[k], name, new)
        else:
            holder[at] = new

    return change
