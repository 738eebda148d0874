"""Live variables: the names that are used after each statement of a function, and the names that statements bind."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from ..names.scope import parameters

Names = frozenset[str]
NONE: Names = frozenset()

_HOLDERS = (
    ast.expr,
    ast.stmt,
    ast.comprehension,
    ast.keyword,
    ast.arguments,
    ast.excepthandler,
    ast.withitem,
    ast.match_case,
    ast.pattern,
)
_HELD = frozenset(c for c in vars(ast).values() if isinstance(c, type) and issubclass(c, _HOLDERS)) - {ast.Constant}
_NO_NODES = frozenset(
    {"id", "ctx", "op", "ops", "attr", "kind", "type_comment", "module", "level", "simple", "is_async"}
)
_FIELDS = {kind: tuple(f for f in kind._fields if f not in _NO_NODES) for kind in _HELD}
_BACKWARDS = {kind: fields[::-1] for kind, fields in _FIELDS.items()}
_PLAIN = frozenset(
    _HELD
    - {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Lambda}
    - {ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp}
    - {ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping}
)  # statements that bind nothing themselves
_COMPOUND = {
    ast.If: ("test", "body", "orelse"),
    ast.While: ("test", "body", "orelse"),
    ast.For: ("target", "iter", "body", "orelse"),
}  # fields that are queried separately
_Seen = tuple[Names, tuple[str, ...], bool]
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass
class Liveness:
    """The result of the analysis, by ast nodes.

    ``after``: the names live after a statement. ``head``: the names live at the start of an iteration or the end of a
    loop. ``always``: names that are free in nested functions.
    """

    after: dict[ast.AST, Names] = field(default_factory=dict)
    head: dict[ast.AST, Names] = field(default_factory=dict)
    always: Names = NONE
    turns: dict[ast.AST, Names] = field(default_factory=dict)
    end: dict[ast.AST, Names] = field(default_factory=dict)  # the names live after the last iteration of a loop
    _seen: dict[ast.AST, _Seen] = field(default_factory=dict)  # memoised: loops query it until a fixpoint is reached
    _below: dict[ast.AST, tuple[str, ...]] = field(default_factory=dict)  # `bound` of compound statements, memoised

    def enter(self, loop: ast.For, head: Names) -> None:
        """Record the names live at the head of a loop that an expression is lowered to."""
        self.head[loop] = head

    def add(self, body: Sequence[ast.stmt], after: Names) -> None:
        """Analyse statements that another one is lowered to. ``after``: the names live after them."""
        _block(body, after, self, after, after)
        functions = (n for s in body for n in ast.walk(s) if isinstance(n, _SCOPES))
        self.always = self.always.union(*map(free_names, functions))

    def seen(self, node: ast.AST) -> _Seen:
        """`used` and `bound` of a node, and whether it may define a function."""
        found = self._seen.get(node)
        if found is None:
            found = self._seen[node] = _both(node) or (used(node), tuple(bound([node])), True)
        return found

    def used(self, node: ast.AST) -> Names:
        """`used`, memoised."""
        return self.seen(node)[0]

    def bound(self, node: ast.AST) -> tuple[str, ...]:
        """The names of `bound`, memoised."""
        return self.seen(node)[1]

    def binds(self, nodes: Iterable[ast.AST]) -> dict[str, None]:
        """The names of `bound` of several nodes, in the order of the text. Each part is memoised."""
        return dict.fromkeys([name for n in nodes for name in self._bound_below(n)])

    def _bound_below(self, node: ast.AST) -> tuple[str, ...]:
        parts = _COMPOUND.get(type(node))
        if parts is None:
            return self.bound(node)
        found = self._below.get(node)
        if found is None:
            values = (getattr(node, part) for part in parts)
            found = tuple(self.binds([n for v in values for n in (v if isinstance(v, list) else (v,))]))
            self._below[node] = found
        return found


def liveness(body: Sequence[ast.stmt]) -> Liveness:
    """Compute the live names in a function body."""
    found = Liveness()
    _block(body, NONE, found, NONE, NONE)  # visits every node except the names of parameters
    if any(nested for _, _, nested in found._seen.values()):
        functions = [n for s in body for n in ast.walk(s) if isinstance(n, _SCOPES)]
        found.always = frozenset().union(*(free_names(n) for n in functions))
    return found


def _block(body: Sequence[ast.stmt], out: Names, found: Liveness, on_break: Names, on_continue: Names) -> Names:
    for s in reversed(body):
        after = out
        if type(s) in _LEAVING:
            for kind, names in ((ast.Break, on_break), (ast.Continue, on_continue)):
                after = after | names if _leaves(s, kind) else after
        found.after[s] = after
        out = _statement(s, out, found, on_break, on_continue)
    return out


_LEAVING = frozenset((ast.If, ast.For, ast.While, ast.Break, ast.Continue))


def _leaves(s: ast.stmt, kind: type[ast.stmt]) -> bool:
    """Whether a statement contains a `break` or `continue` of the enclosing loop. What is live at its target is then
    live after the statement, too."""
    match s:
        case ast.If(body=body, orelse=orelse):
            return any(_leaves(x, kind) for x in (*body, *orelse))
        case ast.For(orelse=orelse) | ast.While(orelse=orelse):
            return any(_leaves(x, kind) for x in orelse)
    return isinstance(s, kind)


def _statement(s: ast.stmt, out: Names, found: Liveness, on_break: Names, on_continue: Names) -> Names:
    if type(s) is ast.Assign:  # a fast path for most statements
        names, kills, _ = found.seen(s)
        return out.difference(kills) | names
    match s:
        case ast.If(test=test, body=body, orelse=orelse):
            arms = [_block(b, out, found, on_break, on_continue) for b in (body, orelse)]
            return found.used(test) | arms[0] | arms[1]
        case ast.For(target=target, iter=iter_, body=body, orelse=orelse):
            done = _block(orelse, out, found, on_break, on_continue)
            target_uses, kills = found.used(target), found.bound(target)
            return found.used(iter_) | _loop(
                s, body, done, out, found, lambda inner: target_uses | inner.difference(kills)
            )
        case ast.While(test=test, body=body, orelse=orelse):
            done = _block(orelse, out, found, on_break, on_continue)
            return _loop(s, body, done, out, found, lambda inner: found.used(test) | inner)
        case ast.Return() | ast.Raise():
            return found.used(s)
        case ast.Break():
            return on_break
        case ast.Continue():
            return on_continue
        case ast.AugAssign(target=ast.Name(id=name)):
            return out | found.used(s.value) | {name}
        case ast.AnnAssign() | ast.FunctionDef():
            return out.difference(found.bound(s)) | found.used(s)
        case _:
            return out | found.used(s)


def _loop(s: ast.stmt, body, done: Names, out: Names, found: Liveness, enter) -> Names:
    # an enclosing loop analyses this one again; the sets only grow
    head = done | enter(NONE) | found.turns.get(s, NONE)
    while True:  # what the head reads is live at every end of the body, and at a `break`
        new = head | enter(_block(body, head, found, out | head, head))
        if new == head:
            found.turns[s] = head
            found.head[s] = head | out
            found.end[s] = done | out
            return head
        head = new


def _both(node: ast.AST) -> _Seen | None:
    """`used` and `bound` in one walk; None if the node contains other constructs than names, operations and plain
    statements."""
    load: set[str] = set()
    store: dict[str, None] = {}
    stack: list[ast.AST] = [node]
    while stack:
        n = stack.pop()
        kind = type(n)
        if kind is ast.Name:
            context = type(n.ctx)
            if context is ast.Load:
                load.add(n.id)
            elif context is ast.Store:
                store[n.id] = None
            continue
        if kind not in _PLAIN:
            return None
        for part in _BACKWARDS[kind]:
            value = getattr(n, part, None)
            if type(value) in _HELD:
                stack.append(value)
            elif type(value) is list:
                stack += [v for v in reversed(value) if type(v) in _HELD]
    return frozenset(load), tuple(store), False


def used(node: ast.AST) -> Names:
    """The names that a statement or expression reads. Of nested functions, only the defaults count, where they are
    defined."""
    names: set[str] = set()
    stack: list[ast.AST] = [node]
    while stack:
        n = stack.pop()
        if type(n) in _PLAIN and type(n) is not ast.Name:  # a fast path for most nodes
            stack += _children(n)
            continue
        match n:
            case ast.Name(id=name, ctx=ast.Load()):
                names.add(name)
            case ast.FunctionDef() | ast.Lambda():
                stack += [*n.args.defaults, *(d for d in n.args.kw_defaults if d is not None)]
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                names |= assigned_inside(n).keys()  # these keep their values if no iteration runs
                stack += _children(n)
            case _:
                stack += _children(n)
    return frozenset(names)


def bound(nodes: Iterable[ast.AST]) -> dict[str, ast.AST]:
    """The names that statements bind, each with the first node that binds it. Nested functions and comprehensions
    are excluded."""
    names: dict[str, ast.AST] = {}
    stack = list(nodes)[::-1]
    while stack:
        n = stack.pop()
        if type(n) in _PLAIN and type(n) is not ast.Name:
            stack += _children(n)[::-1]
            continue
        match n:
            case ast.Name(id=name, ctx=context):
                if type(context) is ast.Store:
                    names.setdefault(name, n)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.setdefault(name, n)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names.update({a.asname or a.name.partition(".")[0]: n for a in aliases})
            case ast.Lambda():
                pass
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                for name, node in assigned_inside(n).items():
                    names.setdefault(name, node)
            case _:
                captured = getattr(n, "rest" if isinstance(n, ast.MatchMapping) else "name", None)
                if captured and isinstance(n, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)):
                    names.setdefault(captured, n)
                stack += _children(n)[::-1]
    return names


def assigned_inside(comprehension: ast.AST) -> dict[str, ast.AST]:
    """The names that ``:=`` binds in a comprehension; their scope is the enclosing function."""
    return {n.target.id: n for n in ast.walk(comprehension) if isinstance(n, ast.NamedExpr)}


def _children(node: ast.AST) -> list[ast.AST]:
    """The child nodes that may contain names, without literals, operators and contexts."""
    found: list[ast.AST] = []
    for field_name in _FIELDS.get(type(node), ()):
        value = getattr(node, field_name, None)
        if type(value) in _HELD:
            found.append(value)
        elif type(value) is list:
            found += [v for v in value if type(v) in _HELD]
    return found


def free_names(function: ast.AST) -> Names:
    """Names that a nested function reads from enclosing scopes."""
    args = getattr(function, "args", None)
    own = {a.arg for a in parameters(args)} if args else set()
    body = function.body if isinstance(function.body, list) else [function.body]
    return frozenset().union(*map(_read, body)) - own - bound(body).keys()


def _read(node: ast.AST) -> Names:
    """The names that a part of a function reads, also in functions and comprehensions inside it, except their own."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return frozenset((name,))
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
            return free_names(node) | used(node)
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
            first, own = node.generators[0].iter, bound([g.target for g in node.generators]).keys()
            parts = [n for c in (node, *node.generators) for n in _children(c) if n is not first]
            inside = frozenset().union(*(_read(n) for n in parts if not isinstance(n, ast.comprehension)))
            return (inside - own) | assigned_inside(node).keys() | _read(first)
    return frozenset().union(*map(_read, _children(node)))


def enclosed(function: ast.AST) -> frozenset[int]:
    """The occurrences of names, by id, that Python looks up in an enclosing scope of the function.

    They are captured names, and names in a generator (before Python 3.12 also in a list comprehension), except in its
    first iterable.
    """
    found = _ENCLOSED.get(function)
    if found is None:
        free, nodes = free_names(function), list(ast.walk(function))
        ids = {id(n) for n in nodes if isinstance(n, ast.Name) and n.id in free}
        for c in (n for n in nodes if isinstance(n, _GENERATORS)):
            ids |= {id(n) for n in ast.walk(c)} - {id(n) for n in ast.walk(c.generators[0].iter)}
        found = _ENCLOSED[function] = frozenset(ids)
    return found


_GENERATORS = ast.GeneratorExp if sys.version_info >= (3, 12) else (ast.GeneratorExp, ast.ListComp)
_ENCLOSED: WeakKeyDictionary[ast.AST, frozenset[int]] = WeakKeyDictionary()


def rebound(node: ast.For | ast.While) -> set[str]:
    """The names that a loop rebinds. ``a += e`` updates an array and does not rebind its name."""
    found = _REBOUND.get(node)
    if found is None:
        nodes = list(ast.walk(node))
        updated = {n.target for n in nodes if isinstance(n, ast.AugAssign)}
        names = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n not in updated)
        found = _REBOUND[node] = {n.id for n in names}
    return found


_REBOUND: WeakKeyDictionary[ast.AST, set[str]] = WeakKeyDictionary()  # queried in every attempt
