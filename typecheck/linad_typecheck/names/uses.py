"""The functions that a module passes to `linad.linear_grad` by a call, anywhere in its text.

Examples are ``g = linear_grad(f)``, ``linear_grad(wrt="x")(f)``, ``grad(f)(x)`` inside a function, and a list of
functions.

An editor asks for them at every keystroke, so only statements that mention one of the names are searched.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .scope import Entity, FunctionSource, Helper, parameters, resolve
from ..source import SourceFile
from .modules import StaticModule, StaticScope, definitions, inner_scope, options
from .values import literal

# transforms whose second argument is `argnums`
_BY_POSITION = ("grad", "value_and_grad", "jacfwd", "jacrev", "jacobian", "value_and_jacobian", "hessian")
_AT_ONCE = ("vjp", "jvp", "hvp", "linearize")
_OF_FUNCTIONS = {f"linad.{n}": n in _BY_POSITION for n in (*_BY_POSITION, *_AT_ONCE)}
_WORD = r"[^\W\d]\w*"
_BINDS = re.compile(rf"\bas\s+({_WORD})|^\s*({_WORD})\s*(?::[^=]*)?=(?!=)")
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def applied(module: StaticModule) -> Iterator[FunctionSource]:
    """The functions that calls outside of decorated functions pass to `linear_grad`, `grad` and similar transforms."""
    lines = _lines(module)
    for s in module.source.tree.body if lines else ():
        try:
            yield from list(_of_body(module.scope, [s], lines))
        except RecursionError:  # nested too deeply to be searched; decorated functions in it are reported
            continue


def _lines(module: StaticModule) -> list[int]:
    """The lines that mention one of the names, or an alias that such a line binds."""
    words = {"linear_grad", *(d.rpartition(".")[2] for d in _OF_FUNCTIONS)}
    text, lines = module.source.text, module.source.lines
    if not any(w in text for w in words):
        return []
    found: list[int] = []
    while True:
        pattern = re.compile(rf"\b(?:{'|'.join(sorted(words))})\b")
        found = [k for k, line in enumerate(lines, 1) if pattern.search(line)]
        new = {n for k in found for m in _BINDS.finditer(lines[k - 1]) for n in m.groups() if n} - words
        if not new or len(words) > 200:
            return found
        words |= new


def _of_body(scope: StaticScope, body: Sequence[ast.stmt], lines: list[int]) -> Iterator[FunctionSource]:
    for s in body:
        at = bisect_left(lines, s.lineno)
        if at == len(lines) or lines[at] > (s.end_lineno or s.lineno):
            continue
        match s:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _of_expressions(scope, s)  # default values
                if not _marked(scope, s):  # inside a decorated function, `grad` is checked with the function
                    yield from _of_body(inner_scope(scope, s), s.body, lines)
            case ast.ClassDef():
                yield from _of_class(scope, s, lines)
            case _:
                yield from _of_expressions(scope, s)
                for inner in ("body", "orelse", "finalbody"):
                    yield from _of_body(scope, getattr(s, inner, ()), lines)
                for part in (*getattr(s, "handlers", ()), *getattr(s, "cases", ())):
                    yield from _of_body(scope, part.body, lines)


def _of_class(scope: StaticScope, node: ast.ClassDef, lines: list[int]) -> Iterator[FunctionSource]:
    """The calls in a class body. Its statements see the names of the class, but methods do not."""
    methods = [s for s in node.body if isinstance(s, _NESTED)]
    yield from _of_body(scope, methods, lines)
    own = StaticScope(scope.module, tuple(node.body), scope, f"{scope.path}{node.name}.")
    for s in node.body:
        if s not in methods:
            for f in _of_expressions(own, s):
                yield replace(f, scope=scope) if f.scope is own else f


def _of_expressions(scope: StaticScope, s: ast.stmt) -> Iterator[FunctionSource]:
    """The calls in the expressions of one statement, without nested statements."""
    pending = [n for n in ast.iter_child_nodes(s) if isinstance(n, (ast.expr, ast.withitem, ast.arguments))]
    calls: list[ast.Call] = []
    local: dict[str, list[ast.expr]] = {}  # names that the statement itself binds -> what they iterate over
    while pending:
        node = pending.pop()
        match node:
            case ast.Call():
                calls.append(node)
            case ast.comprehension(target=ast.Name(id=name), iter=ast.Tuple(elts=items) | ast.List(elts=items)):
                local[name] = items
            case ast.comprehension(target=target):
                local |= {n.id: [] for n in ast.walk(target) if isinstance(n, ast.Name)}
            case ast.Lambda(args=a):
                local |= {p.arg: [] for p in parameters(a)}
        pending += ast.iter_child_nodes(node)
    for call in reversed(calls):
        if call.args and not isinstance(call.args[0], ast.Starred):
            yield from _of_call(scope, call, local)


def _of_call(scope: StaticScope, call: ast.Call, local: dict[str, list[ast.expr]]) -> Iterator[FunctionSource]:
    given = call.args[0]
    each = local.get(given.id, [given]) if isinstance(given, ast.Name) else [given]
    named = resolve(call.func, scope)
    dotted = getattr(named, "dotted", "")
    for node in each:
        found: Entity | None = None
        if dotted in _OF_FUNCTIONS:
            found = scope.given("", node, call.lineno, ((), _argnums(scope, call) if _OF_FUNCTIONS[dotted] else None))
        elif (options_call := scope.applies(call)) is not None:
            found = scope.given("", node, call.lineno, options(options_call, scope))
        match found:
            case Helper(function=f) if not _marked(f.scope, f.node):
                yield f


def _argnums(scope: StaticScope, call: ast.Call) -> tuple[int | str, ...] | None:
    """The positions and names passed as `argnums`; None if the text does not determine them."""
    nodes = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "argnums")]
    value = literal(nodes[0], scope.module.scope.bound) if nodes else 0
    several = value if isinstance(value, (tuple, list)) else (value,)
    return tuple(several) if all(isinstance(v, str) or isinstance(v, int) and v >= 0 for v in several) else None


def _marked(scope: object, node: ast.AST) -> bool:
    return any(scope.mark(d) is not None for d in getattr(node, "decorator_list", ()))  # type: ignore[attr-defined]


def decorated_functions(source: SourceFile) -> list[FunctionSource]:
    """Every function of a file that is passed to `linad.linear_grad`, by any alias and at any nesting depth, in text
    order.

    Raises
    ------
    SyntaxError
        If the text is not valid Python.
    """
    source.tree  # noqa: B018  (the error of the whole text)
    return decorated(StaticModule(source))


def decorated(module: StaticModule) -> list[FunctionSource]:
    """Every function that a parsed file passes to `linad.linear_grad`, as a decorator or by a call.

    They are in text order, followed by functions of other files.
    """
    found: dict[object, FunctionSource] = {}
    for function in (*_walk(module.scope), *applied(module)):
        found.setdefault((function.key, function.node.col_offset, function.updates, function.wrt), function)
    return sorted(found.values(), key=lambda f: (f.source is not module.source, f.node.lineno, f.node.col_offset))


def functions_named(module: StaticModule) -> dict[str, FunctionSource]:
    """The functions of a parsed file by name, decorated or not. A nested function has a path, such as
    ``outer.inner``."""
    found: dict[str, FunctionSource] = {}
    for scope, node in definitions(module.scope):
        found[f"{scope.path}{node.name}"] = scope.source(node, node.name, tuple(node.decorator_list))
    return found | {f.name: f for f in decorated(module) if f.name not in found and f.name != "<lambda>"}


def _walk(scope: StaticScope):
    for home, node in definitions(scope):
        for decorator in node.decorator_list:
            if home.mark(decorator) is not None:
                yield home.source(node, node.name, tuple(node.decorator_list))
