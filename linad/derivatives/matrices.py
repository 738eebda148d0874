"""Emit core statements on whole matrices, for the derivatives of linear algebra."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from linad_typecheck.ir.build import ONE, ZERO, Builder
from linad_typecheck.ir.core import Atom, Block, Const, Dense, Fill, If, Var
from linad_typecheck.types import Scalar

__all__ = ["ONE", "ZERO", "Matrices"]


class Matrices(Builder):
    """A builder with operations of linear algebra."""

    def clear(self, v: Var) -> None:
        self.stmts.append(Fill(v, Const(0.0, Scalar(v.type.dtype)), self.span))

    def dense(self, op: str, flags: str, updated: Iterable[Var], read: Iterable[Var]) -> None:
        self.stmts.append(Dense(op, flags, tuple(updated), tuple(read), self.span))

    def gemm(self, c: Var, a: Var, b: Var, flags: str = "nnp") -> None:
        self.dense("gemm", flags, (c,), (a, b))

    def product(self, a: Var, b: Var, flags: str = "nnp") -> Var:
        """``op(a) @ op(b)`` as a new matrix."""
        rows = self.dims(a)[flags[0] == "t"]
        columns = self.dims(b)[flags[1] == "n"]
        out = self.zeros((rows, columns), a.type.dtype)
        self.gemm(out, a, b, flags)
        return out

    def eye(self, like: Var) -> Var:
        out = self.zeros_like(like)
        n = self.dims(like)[0]
        self.loop(n, lambda i: self.store(out, (i, i), self.const(1.0, out)))
        return out

    def lower(self, n: Atom, below: Callable[[Atom, Atom], None], diagonal: Callable[[Atom], None]) -> None:
        """Emit ``below(i, j)`` for j < i, and ``diagonal(i)``."""

        def row(i: Atom) -> None:
            self.loop(i, lambda j: below(i, j))
            diagonal(i)

        self.loop(n, row)

    def unless_equal(self, a: Atom, b: Atom, value: Callable[[], Atom]) -> Atom:
        """``value()`` if ``a != b``, else 0, as an `If`: nothing is computed if they are equal."""
        same = self.op("eq", a, b)
        other = self.block(lambda: (value(),))
        (result,) = other.results
        out = self.names.var(self.hint, result.type)
        self.stmts.append(If(same, Block((), (Const(0.0, result.type),)), other, (out,), self.span))
        return out
