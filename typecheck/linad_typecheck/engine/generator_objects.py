"""The body of a generator around the body of the loop that consumes it: a pure function from syntax trees to syntax
trees.

Each ``yield v`` becomes the assignment of ``v`` to the target and a copy of the loop body. The rest of this module is
about the ends of both: `_Ends` says how a place in the generator is left by the three exits.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..names.scope import parameters
from ..ownership.liveness import bound
from .try_statements import Outcome
from .exits import breaks, continues, own_yields, returns
from .quoted import Do, Quoted

LEFT, ENDED = "%left", "%ended"  # flags: a `break` of the consumer, or a `return` of the generator, leaves its loops


class Impossible(Exception):
    """Raised for a `yield` in a place that has no meaning here. ``what`` names it, at ``node``."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(what)
        self.node, self.what = node, what


@dataclass
class _Ends:
    """A place in a generator. ``leave`` makes the statements that continue after the consumer's loop, ``end`` those
    that continue with its `else`. ``last``: nothing follows in the iteration of the innermost loop; ``final``: nothing
    follows in the generator."""

    leave: Callable[[], list[ast.stmt]]
    end: Callable[[], list[ast.stmt]]
    last: bool = True
    final: bool = False

    def then(self, last: bool) -> _Ends:
        """The ends of a statement at the place, which is the ``last`` one of its block or not."""
        return replace(self, last=self.last and last, final=self.final and last)


@dataclass
class Inlining:
    """One generator in one consumer."""

    names: Mapping[str, str]  # of variables of the generator, here
    outside: Callable[[ast.expr], ast.expr | None]  # what a global name of the generator denotes
    at: ast.expr | None  # where its nodes are placed; None: they keep their places
    target: ast.expr
    body: Sequence[ast.stmt]
    orelse: Sequence[ast.stmt]
    flag: str  # distinguishes the flags of this consumer
    runs: list[Do] = field(default_factory=list)  # the statements of the body that lower themselves
    once: bool = False  # whether a loop of one iteration is needed around everything
    flags: set[str] = field(default_factory=set)

    def made(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements in place of the consumer's loop."""
        self.runs += _runs(self.body)
        ends = _Ends(self._leave_once, self._end_once, final=True)
        inside = self._block(body, ends)
        after = [self._theirs(s) for s in self.orelse]
        if self.once:
            inside = [self._loop(inside, after)]
        else:
            inside += after
        return [*(self._set(f, False) for f in sorted(self.flags)), *inside]

    # -- how places are left

    def _leave_once(self) -> list[ast.stmt]:
        self.once = True
        return [self._new(ast.Break())]

    def _end_once(self) -> list[ast.stmt]:
        self.once = True
        return [self._new(ast.Continue())]

    def _in_loop(self, ends: _Ends) -> tuple[_Ends, Callable[[], list[ast.stmt]]]:
        """The ends of a place in a loop of the generator, and the statements to put after the loop."""
        if ends.final and not self.orelse:
            stop = lambda: [self._new(ast.Break())]
            return _Ends(stop, stop), list
        used: set[str] = set()

        def by(*flags: str) -> Callable[[], list[ast.stmt]]:
            def stop() -> list[ast.stmt]:
                used.update(flags)
                self.flags.update(flags)
                return [*(self._set(f, True) for f in flags), self._new(ast.Break())]

            return stop

        def after() -> list[ast.stmt]:
            how = {ENDED: ends.end, LEFT: ends.leave}
            return [self._new(ast.If(self._name(f, ast.Load()), how[f](), [])) for f in how if f in used]

        return _Ends(by(LEFT), by(ENDED)), after

    # -- statements of the generator

    def _block(self, body: Sequence[ast.stmt], ends: _Ends) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for k, s in enumerate(body):
            made += self._statement(s, ends.then(k == len(body) - 1))
        return made

    def _statement(self, s: ast.stmt, ends: _Ends) -> list[ast.stmt]:
        match s:
            case ast.Expr(value=ast.Yield(value=value)):
                value = self._ours(value) if value is not None else self._new(ast.Constant(None))
                bind = ast.copy_location(ast.Assign([self._theirs(self.target)], value), value)
                return [bind, *self._consumer(ends)]
            case ast.Expr(value=ast.YieldFrom(value=value)):
                inner, after = self._in_loop(ends)
                over = self._ours(value)
                body = self._consumer(inner)
                return [ast.copy_location(ast.For(self._theirs(self.target), over, body, []), over), *after()]
            case ast.Return(value=value):
                idle = value is None or isinstance(value, ast.Constant)
                kept = [] if idle else [self._new(ast.Expr(self._ours(value)))]
                return kept if ends.final else [*kept, *ends.end()]
            case ast.If(test=test, body=body, orelse=orelse):
                arms = self._block(body, ends), self._block(orelse, ends)
                return [ast.copy_location(ast.If(self._ours(test), *arms), self._place(s))]
            case ast.For() | ast.While() if own_yields([s]) or returns([s]):
                inner, after = self._in_loop(ends)
                body = self._block(s.body, inner)
                orelse = self._block(s.orelse, ends)
                if isinstance(s, ast.For):
                    loop: ast.stmt = ast.For(self._ours(s.target), self._ours(s.iter), body, orelse)
                else:
                    loop = ast.While(self._ours(s.test), body, orelse)
                return [ast.copy_location(loop, self._place(s)), *after()]
        if isinstance(s, ast.Try) and not (s.handlers or breaks(self.body) or returns(self.body)):
            return self._block([*s.body, *s.finalbody], ends)  # the consumer takes all values
        if own_yields([s]):
            around = isinstance(s, ast.Try | ast.With)
            raise Impossible(s, f"`yield` inside `{type(s).__name__.lower()}`" if around else "the value of a `yield`")
        return [self._ours(s)]

    def _consumer(self, ends: _Ends) -> list[ast.stmt]:
        """A copy of the loop body."""
        if ends.last or not continues(self.body):
            return self._theirs_in(self.body, ends.leave)
        flagged, after = self._in_loop(ends.then(False))
        return [self._loop(self._theirs_in(self.body, flagged.leave), []), *after()]

    # -- statements of the consumer

    def _theirs_in(self, body: Sequence[ast.stmt], leave: Callable[[], list[ast.stmt]]) -> list[ast.stmt]:
        return [new for s in body for new in self._one_of_theirs(s, leave)]

    def _one_of_theirs(self, s: ast.stmt, leave: Callable[[], list[ast.stmt]]) -> list[ast.stmt]:
        match s:
            case ast.Break():
                return leave()
            case ast.If(test=test, body=body, orelse=orelse):
                arms = self._theirs_in(body, leave), self._theirs_in(orelse, leave)
                return [ast.copy_location(ast.If(self._theirs(test), *arms), s)]
            case ast.For() | ast.While() if breaks(s.orelse):
                made = self._theirs(s)
                made.orelse = self._theirs_in(s.orelse, leave)
                return [made]
        return [self._theirs(s)]

    # -- copies

    def _theirs(self, node: ast.AST) -> ast.AST:
        """A copy of a part of the consumer."""
        if isinstance(node, Do):
            k = self.runs.index(node)
            return Do(node, lambda: self.runs[k].run())
        if isinstance(node, Quoted):
            return node
        return _copied(node, self._theirs)

    def _ours(self, node: ast.AST, names: Mapping[str, str] | None = None) -> ast.AST:
        """A copy of a part of the generator, with its names replaced."""
        names = self.names if names is None else names
        match node:
            case Quoted():
                return node
            case ast.Name(id=name) if name in names:
                return self._moved(ast.Name(names[name], node.ctx), node)
            case ast.Name() | ast.Attribute() if isinstance(node.ctx, ast.Load) and _root(node) not in (None, *names):
                found = self.outside(node)
                if found is not None:
                    return self._moved(found, node)
            case ast.FunctionDef() | ast.Lambda():
                own = {a.arg for a in parameters(node.args)}
                own |= bound(node.body).keys() if isinstance(node, ast.FunctionDef) else set()
                inside = {**names, **{n: n for n in own}}
                made = _copied(node, lambda n: self._ours(n, inside))
                made.args = _copied(node.args, lambda n: self._ours(n, names))  # defaults are evaluated outside
                if isinstance(node, ast.FunctionDef):
                    made.name = names.get(node.name, node.name)
                return self._moved(made, node)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                names = {n: n for n in bound(g.target for g in node.generators)} | dict(names)
        return self._moved(_copied(node, lambda n: self._ours(n, names)), node)

    def _moved(self, new: ast.AST, old: ast.AST) -> ast.AST:
        return ast.copy_location(new, self._place(old)) if "lineno" in new._attributes else new

    def _place(self, old: ast.AST) -> ast.AST:
        return old if self.at is None else self.at

    # -- new nodes

    def _new(self, node: ast.AST) -> ast.AST:
        return ast.copy_location(node, self.target)

    def _name(self, flag: str, ctx: ast.expr_context) -> ast.Name:
        return self._new(ast.Name(f"{flag}{self.flag}", ctx))

    def _set(self, flag: str, value: bool) -> ast.stmt:
        return self._new(ast.Assign([self._name(flag, ast.Store())], self._new(ast.Constant(value))))

    def _loop(self, body: list[ast.stmt], orelse: list[ast.stmt]) -> ast.stmt:
        """A loop of one iteration."""
        over = self._new(ast.Tuple([self._new(ast.Constant(0))], ast.Load()))
        return self._new(ast.For(self._name("%once", ast.Store()), over, body, orelse))


def _copied(node: ast.AST, each: Callable[[ast.AST], ast.AST]) -> ast.AST:
    """A copy of a node, whose children are those that ``each`` makes."""

    def part(value: object) -> object:
        if isinstance(value, list):
            return [part(v) for v in value]
        return each(value) if isinstance(value, ast.AST) else value

    if isinstance(node, Outcome):
        made = node.copied(each)
    else:
        made = type(node)(**{name: part(value) for name, value in ast.iter_fields(node)})
    return ast.copy_location(made, node) if "lineno" in made._attributes else made


def _root(node: ast.expr) -> str | None:
    """The name at the beginning of a dotted name."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _runs(body: Sequence[ast.stmt]) -> list[Do]:
    return [n for s in body for n in ast.walk(s) if isinstance(n, Do)]
