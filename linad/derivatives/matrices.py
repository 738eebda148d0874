"""Emit core statements on whole matrices, for the derivatives of linear algebra."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from linad_typecheck.ir.core import (
    AddTo,
    Alloc,
    Atom,
    Block,
    Const,
    Copy,
    Dense,
    Dim,
    Fill,
    If,
    Let,
    Load,
    Loop,
    Names,
    Stmt,
    Store,
    Var,
)
from linad_typecheck.ops import OPS
from linad_typecheck.span import NOWHERE, Span
from linad_typecheck.types import BOOL, I64, Array, Scalar

ZERO, ONE = Const(0, I64), Const(1, I64)
Index = tuple[Atom, ...]


@dataclass
class Matrices:
    """Emits statements into ``stmts``; new arrays are named after ``hint``."""

    names: Names
    stmts: list[Stmt] = field(default_factory=list)
    span: Span = NOWHERE
    hint: str = "m"

    # -- arrays

    def dims(self, v: Var) -> Index:
        found = tuple(self.names.var("n", I64) for _ in range(v.type.rank))
        self.stmts += [Dim(n, v, k, self.span) for k, n in enumerate(found)]
        return found

    def zeros(self, shape: Index, dtype: str) -> Var:
        out = self.names.var(self.hint, Array(dtype, len(shape)))
        self.stmts.append(Alloc(out, shape, Const(0.0, Scalar(dtype)), self.span))
        return out

    def zeros_like(self, v: Var) -> Var:
        return self.zeros(self.dims(v), v.type.dtype)

    def copy(self, v: Var) -> Var:
        out = self.names.var(self.hint, v.type)
        self.stmts.append(Copy(out, v, self.span))
        return out

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
        self.loop(n, lambda i: self.store(out, (i, i), self.c(1.0, out)))
        return out

    # -- cells in an array of rank 1

    def count(self, shape: Index) -> Atom:
        """The number of cells of a shape."""
        total: Atom = ONE
        for n in shape:
            total = n if total == ONE else self.op("mul", total, n)
        return total

    def flat(self, base: Atom, index: Index, shape: Index) -> Atom:
        """The position of a cell after ``base``, in C order."""
        if not index:
            return base
        place = index[0]
        for i, n in zip(index[1:], shape[1:], strict=True):
            place = self.op("add", self.op("mul", place, n), i)
        return self.op("add", base, place)

    # -- scalars

    def c(self, value: float, like: Var) -> Const:
        return Const(value, Scalar(like.type.dtype))

    def op(self, name: str, *ins: Atom) -> Atom:
        result = OPS[name].result
        type_ = (
            BOOL if result == "bool" else I64 if result == "int" else ins[1].type if result == "second" else ins[0].type
        )
        out = self.names.var("e", type_)
        self.stmts.append(Let(out, name, ins, self.span))
        return out

    def load(self, v: Var, index: Index) -> Atom:
        out = self.names.var("e", Scalar(v.type.dtype))
        self.stmts.append(Load(out, v, index, False, self.span))
        return out

    def store(self, v: Var, index: Index, value: Atom) -> None:
        self.stmts.append(Store(v, index, value, False, self.span))

    def add(self, v: Var, index: Index, value: Atom) -> None:
        self.stmts.append(AddTo(v, index, value, False, self.span))

    # -- regions

    def loop(self, stop: Atom, body: Callable[[Atom], None], start: Atom = ZERO) -> None:
        index = self.names.var("i", I64)
        outer, self.stmts = self.stmts, []
        body(index)
        inner, self.stmts = self.stmts, outer
        self.stmts.append(Loop(index, start, stop, ONE, (), (), Block(tuple(inner)), (), span=self.span))

    def each(self, shape: Index, body: Callable[..., None]) -> None:
        """Emit ``body(*index)`` for every cell."""

        def level(index: Index) -> None:
            if len(index) == len(shape):
                body(*index)
            else:
                self.loop(shape[len(index)], lambda i: level((*index, i)))

        level(())

    def lower(self, n: Atom, below: Callable[[Atom, Atom], None], diagonal: Callable[[Atom], None]) -> None:
        """Emit ``below(i, j)`` for j < i, and ``diagonal(i)``."""

        def row(i: Atom) -> None:
            self.loop(i, lambda j: below(i, j))
            diagonal(i)

        self.loop(n, row)

    def sum(self, n: Atom, term: Callable[[Atom], Atom], like: Var) -> Atom:
        """The sum of ``term(i)`` over i < n."""
        scalar = Scalar(like.type.dtype)
        index, inner, out = self.names.var("i", I64), self.names.var("s", scalar), self.names.var("s", scalar)
        outer, self.stmts = self.stmts, []
        new = self.op("add", inner, term(index))
        body, self.stmts = Block(tuple(self.stmts), (new,)), outer
        start = Const(0.0, scalar)
        self.stmts.append(Loop(index, ZERO, n, ONE, (inner,), (start,), body, (out,), span=self.span))
        return out

    def unless_equal(self, a: Atom, b: Atom, value: Callable[[], Atom]) -> Atom:
        """``value()`` if ``a != b``, else 0, as an `If`: nothing is computed if they are equal."""
        same = self.op("eq", a, b)
        outer, self.stmts = self.stmts, []
        result = value()
        other, self.stmts = Block(tuple(self.stmts), (result,)), outer
        out = self.names.var("e", result.type)
        zero = Const(0.0, result.type)
        self.stmts.append(If(same, Block((), (zero,)), other, (out,), self.span))
        return out
