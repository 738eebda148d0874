"""`linear_grad` on objects other than plain functions: methods, coroutines, classes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ..messages.language import Unsupported
from ..names.scope import External, FunctionSource, resolve
from ..names.modules import StaticModule


def misplaced(module: StaticModule) -> Iterator[tuple[ast.AST, Unsupported]]:
    """Each decorated definition that the decorator rejects, with the message."""
    text = module.source.text
    for node in ast.walk(module.source.tree) if "class " in text or "async " in text else ():
        match node:
            case ast.AsyncFunctionDef(name=name) if _decorator(module, node):
                yield node, _message(module, node, f"the coroutine function `{name}`", "write a plain function: `def`")
            case ast.ClassDef(name=name, body=body):
                if _decorator(module, node):
                    yield (
                        node,
                        _message(
                            module, node, f"the class `{name}`", "decorate a plain function of numbers and arrays"
                        ),
                    )
                for inner in body:
                    if isinstance(inner, ast.FunctionDef) and _decorator(module, inner) and _bound(inner):
                        what = f"the method `{name}.{inner.name}`"
                        instead = "make it a plain function of the numbers and arrays it needs, or a `staticmethod`"
                        yield inner, _message(module, inner, what, instead)


def _decorator(module: StaticModule, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    for decorator in node.decorator_list:
        if module.scope.mark(decorator) is not None:
            return decorator
    return None


def stacked(module: StaticModule, functions: Iterable[FunctionSource]) -> Iterator[tuple[ast.AST, Unsupported]]:
    """Each checked function with another decorator that rejects it, or that `linear_grad` rejects."""
    for f in functions:
        if (
            isinstance(f.node, ast.FunctionDef)
            and len(f.node.decorator_list) > 1
            and (refused := _stacked(module, f.node)) is not None
        ):
            yield f.node, refused


_COMPILERS = ("numba.njit", "numba.jit", "numba.vectorize", "numba.guvectorize", "jax.jit", "torch.jit.script")
_TRANSPARENT = ("numba.njit", "numba.jit", "jaxtyping.jaxtyped", "linad.checkpoint", "functools.wraps")


def _stacked(module: StaticModule, node: ast.FunctionDef) -> Unsupported | None:
    """The message for another decorator that turns the function into something else."""
    scope, mark = module.scope, _decorator(module, node)
    if mark is None:
        return None
    at = node.decorator_list.index(mark)
    for k, decorator in enumerate(node.decorator_list):
        found = resolve(decorator.func if isinstance(decorator, ast.Call) else decorator, scope)
        dotted = found.dotted if isinstance(found, External) else ""
        text = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
        span = module.source.span(decorator)
        if k < at and dotted in _COMPILERS:
            return Unsupported(
                span, f"`@{text}` around a checked function", "leave it out: `@linear_grad` compiles the function"
            )
        if k > at and dotted.startswith("functools.") and dotted not in _TRANSPARENT:
            return Unsupported(
                span,
                f"what `@{text}` makes of the function",
                "leave it out, or write a function around the checked one",
            )
    return None


def _bound(node: ast.FunctionDef) -> bool:
    """Whether Python passes an instance or a class as the first argument."""
    names = [ast.unparse(d) for d in node.decorator_list]
    first = next((a.arg for a in (*node.args.posonlyargs, *node.args.args)), "")
    return "classmethod" in names or (first == "self" and "staticmethod" not in names)


def _message(module: StaticModule, node: ast.AST, what: str, instead: str) -> Unsupported:
    decorator = _decorator(module, node)
    assert decorator is not None
    return Unsupported(module.source.span(decorator), what, instead)
