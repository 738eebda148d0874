"""Names of a module, from its text: nothing is imported and nothing is run.

A `StaticScope` answers for the statements of a module, or of a function that encloses a nested one, and delegates to
the enclosing scope. If the text does not determine what a name means (it is computed, bound twice, or bound differently
on two paths), the answer is a `GlobalArray` of unknown type, about which nothing is reported.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

from ..checking.recover import recovered
from ..registry import is_known
from .scope import (
    IMPORTED, LIBRARIES, LOST, MOST_KEYS, Annotation, Compiled, Constant, CustomRule, Entity, External,
    FunctionSource,
    GlobalArray, Helper, Member, Module, Opaque, RecordClass, RecordConstant, is_library, parameters, resolve,
)
from ..source import SourceFile, read
from .arrays import array_type
from .bindings import Bound, bindings
from .records import instance, of_call, of_class, static_default
from .values import constant, is_alias, literal

_PYTHON_ONLY = (
    "numba.njit",
    "numba.jit",
    "numba.vectorize",
    "jaxtyping.jaxtyped",
    "functools.wraps",
    "linad.implements",
)
DECORATOR = "linad.linear_grad"
IMPLEMENTS = "linad.implements"
AGAIN = "linad.checkpoint"  # when applied to a function
COMPILED = "linad.rule"
RULES = {"linad.custom_vjp": "vjp", "linad.custom_jvp": "jvp", COMPILED: "vjp"}
_BUSY = object()


@dataclass(eq=False)
class StaticModule:
    """A parsed file, and the project files that it imports, each parsed once."""

    source: SourceFile
    files: dict[str, StaticModule | None] = field(default_factory=dict)
    lost: frozenset[str] = frozenset()  # names that statements with syntax errors may have bound

    @cached_property
    def scope(self) -> StaticScope:
        return StaticScope(self, tuple(self.source.tree.body), None, "")

    @cached_property
    def path(self) -> Path:
        return Path(self.source.name).absolute()

    def imported(self, dotted: str, level: int) -> StaticModule | None:
        """The project file that an import of this file refers to; None for libraries and for modules that are not
        files here."""
        parts = [p for p in dotted.split(".") if p]
        if level:
            roots = [self.path.parents[level - 1]] if level <= len(self.path.parents) else []
        elif not parts or parts[0] in LIBRARIES:
            return None
        else:
            # next to the file, or next to one of the packages that contain it
            roots = [self.path.parent]
            while (roots[-1] / "__init__.py").is_file():
                roots.append(roots[-1].parent)
            roots += project(self.path.parent)
        for root in roots:
            found = self.beside(root.joinpath(*parts))
            if found is not None:
                return found
        return None

    def beside(self, target: Path) -> StaticModule | None:
        """The module or package at a path without extension; None if it is this module itself."""
        for file in (target.with_suffix(".py") if target.name else target / "__init__.py", target / "__init__.py"):
            if file != self.path and file.is_file():
                return self.open(file)
        return None

    def inner(self, name: str) -> StaticModule | None:
        """The module with that name in this package."""
        return self.beside(self.path.parent / name) if self.path.name == "__init__.py" else None

    @cached_property
    def implementations(self) -> dict[str, FunctionSource]:
        """The functions that `linad.implements` declares for library functions, in this file and in the project
        files that it imports."""
        found: dict[str, FunctionSource] = {}
        pending, seen = [self], {self.path}
        while pending:
            module = pending.pop(0)
            for dotted, function in reversed(module.own_implementations):
                found.setdefault(dotted, function)
            for other in module.imports():
                if other.path not in seen:
                    seen.add(other.path)
                    pending.append(other)
        return found

    @cached_property
    def own_implementations(self) -> list[tuple[str, FunctionSource]]:
        if "implements" not in self.source.text:
            return []
        found: list[tuple[str, FunctionSource]] = []
        for node in self.source.tree.body:
            for d in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
                if isinstance(d, ast.Call) and self.scope.dotted(d.func) == IMPLEMENTS and len(d.args) == 1:
                    of = d.args[0]
                    dotted = of.value if isinstance(of, ast.Constant) else self.scope.dotted(of)
                    if isinstance(dotted, str) and dotted:
                        found.append((dotted, self.scope.source(node, node.name, tuple(node.decorator_list))))
        return found

    def imports(self) -> Iterator[StaticModule]:
        """The project files that this one imports."""
        for node in self.source.tree.body:
            names: list[tuple[str, int]] = []
            if isinstance(node, ast.Import):
                names = [(alias.name, 0) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                home = node.module or ""
                names = [(home, node.level), *((f"{home}.{alias.name}".strip("."), node.level) for alias in node.names)]
            yield from filter(None, (self.imported(*name) for name in names))

    def open(self, file: Path) -> StaticModule | None:
        name = str(file)
        if name not in self.files:
            self.files[name] = None
            try:
                found = recovered(read(file))
            except (OSError, SyntaxError, LookupError, ValueError, RecursionError, MemoryError):
                return None
            self.files[name] = StaticModule(SourceFile(name, found.text), self.files, found.lost)
        return self.files[name]


@cache
def project(folder: Path) -> tuple[Path, ...]:
    """The folders from which absolute imports of a project start: the one with ``pyproject.toml``, and ``src`` in
    it."""
    root = next((f for f in (folder, *folder.parents) if (f / "pyproject.toml").is_file()), None)
    return () if root is None else (root, root / "src")


@dataclass(eq=False)
class StaticScope:
    """The names that ``body`` binds. Parameters of an enclosing function have unknown values."""

    module: StaticModule
    body: tuple[ast.stmt, ...]
    outer: StaticScope | None
    path: str  # path of the enclosing functions and classes, with a trailing dot
    unknown: frozenset[str] = frozenset()
    _known: dict[str, object] = field(default_factory=dict)

    @cached_property
    def bound(self) -> dict[str, list[Bound]]:
        found = bindings(self.body)
        if self.outer is None and "global " in self.module.source.text:
            for node in ast.walk(self.module.source.tree):
                if isinstance(node, ast.Global):  # a function may bind these at any time
                    for name in node.names:
                        found.setdefault(name, []).append(Bound(node, conditional=True))
        return found

    def names(self) -> tuple[str, ...]:
        """All visible names, innermost scope first."""
        outside = self.outer.names() if self.outer else tuple(dir(builtins))
        return tuple(dict.fromkeys((*self.bound, *self.unknown, *outside)))

    def lookup(self, name: str) -> Entity | None:
        """The entity of a free name. A dotted name is looked up in user modules."""
        if name.startswith(IMPORTED):
            return self._imported_inside(*name.removeprefix(IMPORTED).split(":", 1))
        first, _, rest = name.partition(".")
        if rest:
            return self._within(first, rest)
        found = self._known.get(name)
        if found is _BUSY:  # defined in terms of itself: x = x
            return GlobalArray(None, name)
        if found is None:
            self._known[name] = _BUSY
            found = self._known[name] = self._find(name)
        return found

    def _find(self, name: str) -> Entity | None:
        if name in self.unknown:
            return GlobalArray(None, name)
        found = self.bound.get(name)
        if found is not None:
            return self._decide(name, found)
        if "*" in self.bound:
            return self._starred(name)
        if self.outer is not None:
            return self.outer.lookup(name)
        if name in self.module.lost or name == LOST:
            return GlobalArray(None, name)
        return External(f"builtins.{name}") if hasattr(builtins, name) else None

    def _decide(self, name: str, found: list[Bound]) -> Entity:
        """The entity of the last unconditional binding. If alternatives follow it, all of them must agree."""
        last = max((k for k, b in enumerate(found) if not b.conditional), default=0)
        entities = [self._entity(name, b) for b in found[last:]]
        agreed = all(e == entities[0] for e in entities[1:])
        if agreed or isinstance(entities[0], (Module, External)):
            # `try: import a except ImportError: a = None`: the first alternative is the intended one
            return entities[0]
        return GlobalArray(None, name)

    def _entity(self, name: str, bound: Bound) -> Entity:
        match bound.node:
            case ast.Import() | ast.ImportFrom():
                return self._import(bound.node, bound.alias)
            case ast.FunctionDef() as node:
                return self._function(node)
            case ast.AsyncFunctionDef():
                return Opaque(f"the coroutine function `{name}`", "make it a plain function")
            case ast.ClassDef() as node:
                return of_class(node, self)
            case ast.expr() as value if bound.whole:
                return self._value(name, value)
        return GlobalArray(None, name)

    def _imported_inside(self, module: str, path: str) -> Entity | None:
        """The entity that an import inside a function binds: a module, or a path in it."""
        home = module.lstrip(".")
        first, _, rest = path.strip(".").partition(".")
        if not first:
            return self._module(home, self.module.imported(home, len(module) - len(home)))
        found = self._import(ast.ImportFrom(home or None, [], len(module) - len(home)), ast.alias(first))
        return self._member(found, rest, path) if rest and isinstance(found, Module) else found

    def _import(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> Entity:
        if isinstance(node, ast.Import):
            dotted = alias.name if alias.asname else alias.name.partition(".")[0]
            return self._module(dotted, self.module.imported(dotted, 0))
        home = node.module or ""
        file = self.module.imported(home, node.level)
        if file is not None:
            found = file.scope.lookup(alias.name) if {alias.name, "*"} & file.scope.bound.keys() else None
            if found is not None:
                return found
        inner = self.module.imported(f"{home}.{alias.name}", node.level)
        if inner is not None:
            return self._module(f"{home}.{alias.name}".strip("."), inner)
        if file is not None or node.level:
            return GlobalArray(None, alias.name)
        return External(f"{home}.{alias.name}") if is_library(home) else GlobalArray(None, alias.name)

    @staticmethod
    def _module(dotted: str, found: StaticModule | None) -> Module:
        return Module(dotted, "" if found is None else str(found.path))

    def _starred(self, name: str) -> Entity | None:
        """The entity of a name that ``from ... import *`` may bind; the last import that binds it counts.

        A library exports at least the names that have a meaning here. Builtins are excepted, because some versions of
        NumPy hide them and some do not.
        """
        outside = self.outer.lookup(name) if self.outer else None
        unknown = False
        for bound in reversed(self.bound["*"]):
            file = self.module.imported(bound.node.module or "", bound.node.level)
            if file is not None and name in file.scope.bound:
                return file.scope.lookup(name)
            if bound.node.module == "math" and hasattr(math, name):
                return External(f"math.{name}")
            dotted = f"{bound.node.module}.{name}"
            if not bound.node.level and (dotted == DECORATOR or is_known(dotted)):
                return GlobalArray(None, name) if hasattr(builtins, name) else External(dotted)
            unknown = unknown or name in self.module.lost or (file is None and bound.node.module != "math")
        if outside is None and hasattr(builtins, name):
            outside = External(f"builtins.{name}")
        return outside or (GlobalArray(None, name) if unknown else None)

    def _within(self, first: str, rest: str) -> Entity | None:
        """The entity of the path ``rest`` in the user module that ``first`` is bound to."""
        found = self.lookup(first)
        return self._member(found, rest, f"{first}.{rest}") if isinstance(found, Module) else None

    def _member(self, module: Module, path: str, shown: str) -> Entity | None:
        """The entity of a dotted path in a module; None in libraries, whose names are not looked up."""
        name, _, rest = path.partition(".")
        file = self.module.open(Path(module.file)) if module.file else None
        found = file.scope.lookup(name) if file is not None and {name, "*"} & file.scope.bound.keys() else None
        if found is None:
            dotted = f"{module.dotted}.{name}"
            inner = self.module.imported(dotted, 0) if file is None else file.inner(name)
            found = self._module(dotted, inner) if inner is not None else None
        if found is None and file is None and not is_library(module.dotted):
            return GlobalArray(None, shown)
        if not rest or found is None:
            return found
        return self._member(found, rest, shown) if isinstance(found, Module) else None

    def _value(self, name: str, value: ast.expr) -> Entity:
        match value:
            case ast.Name() | ast.Attribute():
                found = resolve(value, self)
                return GlobalArray(None, name) if found is None else found
            case ast.Call() if (call := self.applies(value)) is not None:
                return self.given(name, value.args[0], value.lineno, options(call, self))
            case ast.Lambda():
                return Helper(self.source(value, name, ()))
            case ast.Call(func=func) if self.dotted(func) == AGAIN and len(value.args) == 1:
                return _again(self.given(name, value.args[0], value.lineno))
            case ast.Call(func=func) if self.dotted(func) in RULES and self.dotted(func) != COMPILED and value.args:
                return self._ruled(self.given(name, value.args[0], value.lineno), name, value)
            case ast.Call() if (found := of_call(name, value, self) or instance(value, self)) is not None:
                return Constant(found) if isinstance(found, RecordConstant) else found
            case ast.Call(func=func) if self.dotted(func) == "logging.getLogger":
                return External("logging.Logger")
            case ast.Call(func=func) if (self.dotted(func) or "").startswith(("numpy.random.", "random.")):
                return Opaque("a random generator", "draw the numbers outside the function and pass them as an array")
            case ast.JoinedStr():
                return GlobalArray(None, name)
            case ast.DictComp() | ast.ListComp() | ast.Set() | ast.SetComp():
                return GlobalArray(None, name)
            case ast.Constant(value=bytes()):
                return Opaque("a bytes")
            case ast.List(elts=items) if len(items) > MOST_KEYS:
                return Opaque("a list")
        known, number = constant(value, self)
        if known:
            return Constant(number)
        if is_alias(value, self):
            return Annotation(value, self)
        known_type = array_type(value, self)
        # two modules may have an array of the same name
        return GlobalArray(known_type, name if known_type is None else f"{self.module.source.name}:{self.path}{name}")

    def applies(self, call: ast.Call) -> ast.Call | None:
        """The call with the options, if ``call`` passes a function to `linear_grad`.

        It is ``linear_grad(f, wrt="x")`` itself, or the inner call of ``linear_grad(wrt="x")(f)``.
        """
        if not call.args:
            return None
        if self.dotted(call.func) == DECORATOR:
            return call
        found = self.mark(call.func) if isinstance(call.func, (ast.Name, ast.Call)) else None
        return found if isinstance(found, ast.Call) else None

    def given(self, name: str, node: ast.expr, line: int, found: Options | None = None) -> Entity:
        """The function that an expression denotes, with other options. ``name``: the name that this line binds to
        it."""
        match node:
            case ast.Lambda():
                f = self.source(node, name, ())
                return Helper(f if found is None else replace_options(f, found))
            case ast.Name(id=inner) if inner == name:  # g = linear_grad(g): the previous g
                before = [b for b in self.bound[name] if getattr(b.node, "lineno", line) < line]
                entity = self._entity(name, before[-1]) if before else None
            case _:
                entity = resolve(node, self)
        match entity:
            case Helper(function=f):
                return entity if found is None else Helper(replace_options(f, found))
        return GlobalArray(None, name)

    def mark(self, decorator: ast.expr) -> ast.expr | None:
        """The expression that refers to `linear_grad`, with its options; None for other decorators.

        It is the decorator itself, or the call that its name is bound to.
        """
        if self.dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) == DECORATOR:
            return decorator
        match decorator:
            case ast.Name(id=name):
                bound = self._bound_to(name)
                return bound if bound is not None and self._options_of(bound) else None
            case ast.Call() if self._options_of(decorator):
                return decorator
        return None

    def _options_of(self, call: ast.Call) -> bool:
        """Whether a call is ``linear_grad(wrt=...)`` or ``functools.partial(linear_grad, wrt=...)``."""
        dotted = self.dotted(call.func)
        if dotted == "functools.partial":
            return len(call.args) == 1 and self.dotted(call.args[0]) == DECORATOR
        return dotted == DECORATOR and not call.args

    def _bound_to(self, name: str) -> ast.Call | None:
        """The call that a name of this or an outer scope is bound to, if that is its only binding."""
        if name in self.unknown:
            return None
        match self.bound.get(name), self.outer:
            case None, StaticScope() as outer:
                return outer._bound_to(name)
            case [Bound(node=ast.Call() as call, whole=True)], _:
                return call
        return None

    def _function(self, node: ast.FunctionDef) -> Entity:
        for decorator in node.decorator_list:
            dotted = self.dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
            known = (
                dotted in (*_PYTHON_ONLY, AGAIN, *RULES)
                or self._rule_call(decorator) is not None
                or self._gives_rule(decorator)
            )
            if not known and self.mark(decorator) is None:
                return Opaque(
                    f"the function `{node.name}` under `@{ast.unparse(decorator)}`",
                    "call a function without this decorator",
                )
        found = Helper(self.source(node, node.name, tuple(node.decorator_list)))
        for decorator in node.decorator_list:
            if (call := self._rule_call(decorator)) is not None:
                return self._ruled(found, node.name, call)
        return _again(found) if any(self.dotted(d) == AGAIN for d in node.decorator_list) else found

    # -- custom rules

    def _rule_call(self, decorator: ast.expr) -> ast.expr | None:
        """The decorator if it refers to `custom_vjp`, `custom_jvp` or `linad.rule`; None for other decorators."""
        if self.dotted(decorator) in RULES:
            return decorator
        match decorator:
            case ast.Call(func=func) if self.dotted(func) in RULES:
                return decorator
            case ast.Call(func=func, args=[first]) if (
                self.dotted(func) == "functools.partial" and self.dotted(first) in RULES
            ):
                return decorator
        return None

    def _gives_rule(self, decorator: ast.expr) -> bool:
        """Whether a decorator is ``f.defjvp`` of a function with a custom rule."""
        match decorator:
            case ast.Attribute(value=ast.Name(id=name), attr="defjvp"):
                found = self.lookup(name)
                return isinstance(found, Helper) and found.function.rule is not None
        return False

    def _ruled(self, found: Entity, name: str, call: ast.expr) -> Entity:
        """A function with the custom rule that this scope defines for it. Rules defined elsewhere are not determined
        by the text."""
        if not isinstance(found, Helper):
            return found
        f = found.function
        dotted = self.dotted(call) or self.dotted(call.func)  # type: ignore[attr-defined]
        kind = RULES.get(dotted) or RULES[self.dotted(call.args[0])]  # type: ignore[attr-defined]
        given = [k.value for k in getattr(call, "keywords", ()) if k.arg == "nondiff_argnums"]
        if not isinstance(call, ast.Name | ast.Attribute) and dotted != "functools.partial":
            given += call.args[1:2]  # type: ignore[attr-defined]
        names = [p.arg for p in parameters(f.node.args)]
        nondiff: list[int] = []
        if given:
            value = literal(given[0], self.module.scope.bound)
            for which in value if isinstance(value, tuple | list) else (value,):
                if which in names:
                    nondiff.append(names.index(which))
                elif type(which) is int and -len(names) <= which < len(names):
                    nondiff.append(which % len(names))
                else:
                    return GlobalArray(None, name)
        if dotted == COMPILED:
            linear = [k.value for k in getattr(call, "keywords", ()) if k.arg == "linear"]
            told = _several(literal(linear[0], self.module.scope.bound), (str,)) if linear else ()
            f = replace(f, compiled=Compiled(f.name, told or ()))
        # the functions of its rule are read with this entry, because they may call it
        self._known[name] = Helper(replace(f, rule=CustomRule(kind)))
        rules = self._rules_of(name)
        if rules is None:
            return GlobalArray(None, name)
        rule: CustomRule | None = None
        for how in sorted(rules or {kind: ()}):  # `jvp` first: next to a `vjp` it is for forward mode
            rule = CustomRule(how, (rules or {kind: ()})[how], tuple(sorted(set(nondiff))), rule)
        return Helper(replace(f, rule=rule))

    def _rules_of(self, name: str) -> dict[str, tuple[FunctionSource | None, ...]] | None:
        """The functions that define rules, by kind; None if the text does not determine them."""
        rules: dict[str, tuple[FunctionSource | None, ...]] = {}
        for s in self.body:
            match s:
                case ast.FunctionDef(decorator_list=decorators):
                    for d in decorators:
                        if (
                            isinstance(d, ast.Attribute)
                            and isinstance(d.value, ast.Name)
                            and (d.value.id, d.attr) == (name, "defjvp")
                        ):
                            rules.setdefault("jvp", (self.source(s, s.name, ()),))
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr=how), args=args, keywords=words)
                ) if of == name and how in ("defvjp", "defjvp", "defjvps"):
                    found: list[FunctionSource | None] = []
                    for a in (*args, *(k.value for k in words)):
                        if isinstance(a, ast.Constant) and a.value is None:
                            found.append(None)
                            continue
                        entity = self.given("", a, s.lineno)
                        if not isinstance(entity, Helper):
                            return None
                        found.append(entity.function)
                    rules.setdefault(how[3:], tuple(found))
        return rules

    def member(self, record: RecordClass, name: str) -> Member | None:
        """The class attribute of that name that is not a field; the last definition counts."""
        return next((m for n, m in reversed(record.members) if n == name), None)

    def implemented(self) -> frozenset[str]:
        """The library functions for which `linad.implements` declares an implementation."""
        return frozenset(self.module.implementations)

    def implementation(self, dotted: str) -> FunctionSource | None:
        """The implementation that `linad.implements` declares for a library function."""
        return self.module.implementations.get(dotted)

    def key(self, name: str) -> str:
        return f"{self.module.source.name}:{self.path}{name}"

    def source(self, node: ast.FunctionDef | ast.Lambda, name: str, decorators: tuple[ast.expr, ...]) -> FunctionSource:
        """The function ``node`` of this scope. It is the same object each time."""
        known = self._sources.get(node)
        if known is None:
            key = f"{self.module.source.name}:{first_line(node)}:{self.path}{name}"
            marks = [self.mark(d) for d in decorators]
            found = [options(call, self) for call in marks if isinstance(call, ast.Call)]
            updates, wrt = found[0] if found else ((), None)
            plain = name if isinstance(node, ast.FunctionDef) else "<lambda>"
            known = FunctionSource(
                plain,
                node,
                self.module.source,
                self,
                key,
                self._defaults(node.args),
                updates,
                wrt,
                strict=any(map(is_strict, marks)),
            )
            self._sources[node] = known
        return known

    @cached_property
    def _sources(self) -> dict[ast.AST, FunctionSource]:
        return {}

    def _defaults(self, arguments: ast.arguments) -> tuple[tuple[str, object], ...]:
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs = list(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults))
        pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults) if d is not None]
        return tuple((a.arg, self._default(a.arg, d)) for a, d in pairs)

    def _default(self, name: str, node: ast.expr) -> object:
        """The value of a default if the text determines it, otherwise an entity of unknown type."""
        return static_default(name, node, self)

    def dotted(self, node: ast.expr) -> str:
        """The dotted name of a library object; empty for other expressions."""
        found = resolve(node, self)
        return found.dotted if isinstance(found, External) else ""


def _again(found: Entity) -> Entity:
    return Helper(found.function.run_again()) if isinstance(found, Helper) else found


def first_line(node: ast.FunctionDef | ast.Lambda) -> int:
    """The line where Python says a function starts: that of its first decorator."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


Options = tuple[tuple[str, ...], tuple[str | int, ...] | None]


def options(call: ast.expr, scope: StaticScope) -> Options:
    """The options ``updates`` and ``wrt`` of a decorator call, as far as they are literals or named tuples."""
    found = {k.arg: literal(k.value, scope.module.scope.bound) for k in getattr(call, "keywords", ()) if k.arg}
    wrt = found.get("wrt")
    return _several(found.get("updates"), (str,)) or (), _several(wrt, (str, int)) if wrt is not None else None


def is_strict(call: ast.expr) -> bool:
    """Whether a decorator call has ``strict=True``."""
    given = (k.value for k in getattr(call, "keywords", ()) if k.arg == "strict")
    return any(isinstance(v, ast.Constant) and v.value is True for v in given)


def _several(value: object, kinds: tuple[type, ...]) -> tuple | None:
    items = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return items if items and all(isinstance(item, kinds) for item in items) else None


def replace_options(f: FunctionSource, found: Options) -> FunctionSource:
    """``f`` with other options."""
    updates, wrt = found
    return FunctionSource(f.name, f.node, f.source, f.scope, f.key, f.defaults, updates, wrt)


_PARTS = ("finalbody", "orelse", "handlers", "cases", "body")  # fields with nested statements, in reverse text order
_BLOCKS = {
    kind: tuple(part for part in _PARTS if part in kind._fields)
    for kind in vars(ast).values()
    if isinstance(kind, type)
    and issubclass(kind, (ast.stmt, ast.excepthandler, ast.match_case))
    and "body" in kind._fields
} | {ast.Match: ("cases",)}


def inner_scope(home: StaticScope, node: ast.FunctionDef | ast.AsyncFunctionDef) -> StaticScope:
    """The scope of the body of a function."""
    names = frozenset(p.arg for p in parameters(node.args))
    return StaticScope(home.module, tuple(node.body), home, f"{home.path}{node.name}.", names)


def definitions(scope: StaticScope):
    """Each function definition with its scope. Classes are searched too; their names are not in scope of their
    methods."""
    pending: list[tuple[StaticScope, ast.AST]] = [(scope, node) for node in reversed(scope.body)]
    while pending:
        home, node = pending.pop()
        inner = home
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if isinstance(node, ast.FunctionDef):
                yield home, node
            inner = inner_scope(home, node)
            pending += [(inner, child) for child in reversed(node.body)]
        else:
            for part in _BLOCKS.get(type(node), ()):
                pending += [(inner, child) for child in reversed(getattr(node, part))]
