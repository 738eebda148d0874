"""A copy of statements that ends where one of them would raise, and says whether it did: exceptions as flags.

It is run before the statements themselves, for a `try` that a handler may end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..ir.core import Atom, Block, Check, Const, Dim, If, Let, Load, Loop, Stmt, Var, free_vars
from ..ir.rewrite import in_blocks, with_statements
from ..span import Span
from ..types import BOOL, Scalar
from .state import Lowering, zero

UNCAUGHT = "%"  # begins the name of an exception that no handler catches
_TRUE, _FALSE = Const(True, BOOL), Const(False, BOOL)
_Ended = tuple[tuple[Atom, ...], Atom]  # the results of a block, and whether it has raised nothing


def in_checks(b: Block, change: Callable[[Check], Check]) -> Block:
    """The block with each of its checks changed."""
    of = lambda s: change(s) if isinstance(s, Check) else in_blocks(s, lambda inner: in_checks(inner, change))
    return with_statements(b, map(of, b.stmts))


class Untested(Exception):
    """There is nothing to put in place of a result that is not computed."""


@dataclass
class Guarded:
    """``may_raise``: whether statements may raise what is caught; ``tests``: flags that are true if one does not."""

    ctx: Lowering
    may_raise: Callable[[Sequence[Stmt]], bool]
    tests: Callable[[Stmt], list[Atom]]
    span: Span

    def run(self, stmts: Sequence[Stmt], results: Sequence[Atom] = (), instead: Sequence[Atom] = ()) -> _Ended:
        """Emit the statements. ``instead``: the results if one raises.

        What touches memory after a test is run only where that holds.
        """
        fine: Atom = _TRUE
        for k, x in enumerate(stmts):
            replaced = isinstance(x, Check) and self.may_raise([x])
            if fine != _TRUE and not (replaced or isinstance(x, Let | Dim)):
                return self._under(fine, stmts[k:], results, instead)
            if isinstance(x, If | Loop) and self.may_raise([x]):
                oks = [self._loop(x) if isinstance(x, Loop) else self._branch(x)]
            else:
                if not replaced and not (isinstance(x, Load) and self.may_raise([x])):
                    self._emit(x)
                oks = self.tests(x)
            for ok in oks:
                fine = self._both(fine, ok)
            if isinstance(x, Load) and self.may_raise([x]) and (stmts[k + 1 :] or results):
                return self._under(fine, stmts[k + 1 :], results, instead, x)
        return tuple(results), fine

    def _emit(self, x: Stmt) -> None:
        plain = lambda c: replace(c, error=c.error.removeprefix(UNCAUGHT))
        for s in in_checks(Block((x,)), plain).stmts:
            self.ctx.emit(s)

    def _both(self, one: Atom, other: Atom) -> Atom:
        return other if one == _TRUE else self.ctx.let("ok", "and", (one, other), BOOL, self.span)

    def _under(
        self,
        fine: Atom,
        rest: Sequence[Stmt],
        results: Sequence[Atom],
        instead: Sequence[Atom],
        first: Stmt | None = None,
    ) -> _Ended:
        def inside() -> _Ended:
            if first is not None:
                self.ctx.emit(first)
            return self.run(rest, results, instead)

        then = self._block(inside)
        outs, flag = tuple(self.ctx.fresh("t", a.type) for a in results), self.ctx.fresh("ok", BOOL)
        self.ctx.emit(If(fine, then, Block((), (*instead, _FALSE)), (*outs, flag), self.span))
        return outs, flag

    def _block(self, inside: Callable[[], _Ended]) -> Block:
        """The block of what is emitted; its last result is whether it has raised nothing."""
        found = self.ctx.ahead(inside)
        results, fine = found.value
        return Block(tuple(found.stmts), (*results, fine))

    def _loop(self, x: Loop) -> Atom:
        """The loop ends after an iteration that raises."""
        going, out = self.ctx.fresh("ok", BOOL), self.ctx.fresh("ok", BOOL)
        instead = ((_FALSE,) if x.exits else ()) + x.carried

        def inside() -> _Ended:
            found, fine = self.run(x.body.stmts, x.body.results, instead)
            more, nexts = (found[0], found[1:]) if x.exits else (_TRUE, found)
            return (self._both(more, fine), *nexts), fine

        self.ctx.emit(
            replace(
                x,
                carried=(*x.carried, going),
                inits=(*x.inits, _TRUE),
                body=self._block(inside),
                outs=(*x.outs, out),
                exits=True,
                kind="sequential",
                mark=None,
            )
        )
        return out

    def _branch(self, x: If) -> Atom:
        out = self.ctx.fresh("ok", BOOL)
        arms = (
            self._block(lambda b=b: self.run(b.stmts, b.results, [_instead(a, b) for a in b.results]))
            for b in (x.then, x.orelse)
        )
        self.ctx.emit(If(x.cond, *arms, (*x.outs, out), x.span))
        return out


def _instead(result: Atom, of: Block) -> Atom:
    """What stands for a result of an arm that is not computed."""
    if isinstance(result.type, Scalar):
        return zero(result.type.dtype)
    if isinstance(result, Var) and result.name in free_vars(of):
        return result
    raise Untested
