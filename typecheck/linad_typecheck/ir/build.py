"""A builder of core statements, for passes that write new code: derivatives, sweeps, logs and snapshots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from . import core as ir
from .printing import let_type
from ..span import NOWHERE, Span
from ..types import I64, Array, Scalar, Type

ZERO, ONE = ir.Const(0, I64), ir.Const(1, I64)
Index = Sequence[ir.Atom]


def is_const(a: ir.Atom, value: float) -> bool:
    return isinstance(a, ir.Const) and a.value == value and not isinstance(a.value, bool)


@dataclass
class Builder:
    """Emits statements into ``stmts``.

    Attributes
    ----------
    names
        The names of the function, from which new ones are made.
    hint, array_hint
        What new scalars and arrays are named after, unless a call says otherwise.
    adjoint
        Whether the results of operations are adjoints.
    """

    names: ir.Names
    stmts: list[ir.Stmt] = field(default_factory=list)
    span: Span = NOWHERE
    hint: str = "e"
    array_hint: str = "m"
    adjoint: bool = False

    # -- scalars: no operation is emitted for an identity

    def const(self, value: float, like: ir.Atom) -> ir.Const:
        """A constant of the element type of an atom."""
        dtype = like.type.dtype
        return ir.Const(float(value) if dtype in ("f64", "f32") else int(value), Scalar(dtype))

    def op(self, name: str, *ins: ir.Atom, type: Type | None = None, hint: str = "") -> ir.Atom:
        out = ir.Var(self.names.fresh(hint or self.hint), type or let_type(name, ins), self.adjoint)
        self.stmts.append(ir.Let(out, name, ins, self.span))
        return out

    def add(self, a: ir.Atom, b: ir.Atom, hint: str = "") -> ir.Atom:
        return b if is_const(a, 0.0) else a if is_const(b, 0.0) else self.op("add", a, b, hint=hint)

    def sub(self, a: ir.Atom, b: ir.Atom, hint: str = "") -> ir.Atom:
        return a if is_const(b, 0.0) else self.op("sub", a, b, hint=hint)

    def mul(self, a: ir.Atom, b: ir.Atom, hint: str = "") -> ir.Atom:
        if is_const(a, 1.0):
            return b
        if is_const(b, 1.0):
            return a
        if is_const(a, -1.0):
            return self.neg(b)
        return self.neg(a) if is_const(b, -1.0) else self.op("mul", a, b, hint=hint)

    def div(self, a: ir.Atom, b: ir.Atom) -> ir.Atom:
        return self.op("div", a, b)

    def neg(self, a: ir.Atom) -> ir.Atom:
        return ir.Const(-a.value, a.type) if isinstance(a, ir.Const) else self.op("neg", a)

    def zero_or(self, factor: ir.Atom, product: ir.Atom) -> ir.Atom:
        """A product, or 0 if one of its factors is 0."""
        if isinstance(factor, ir.Const):
            return self.const(0.0, product) if factor.value == 0 else product
        return product if factor == product else self.op("zero_or", factor, product)

    # -- arrays

    def dims(self, array: ir.Var) -> tuple[ir.Var, ...]:
        found = tuple(self.names.var("n", I64) for _ in range(array.type.rank))
        self.stmts += [ir.Dim(n, array, k, self.span) for k, n in enumerate(found)]
        return found

    def alloc(self, hint: str, dtype: str, shape: Index, fill: ir.Const | None = None) -> ir.Var:
        out = self.names.var(hint, Array(dtype, len(shape)))
        self.stmts.append(ir.Alloc(out, tuple(shape), fill, self.span))
        return out

    def snapshots(self, of: ir.Var, shape: Index, log: ir.LogKind = "slices") -> ir.Var:
        """A log for snapshots of a variable."""
        out = self.names.log(f"snap_{ir.base_name(of.name)}", Array(of.type.dtype, len(shape)), "snapshots")
        self.stmts.append(ir.Alloc(out, tuple(shape), None, self.span, log))
        return out

    def zeros(self, shape: Index, dtype: str) -> ir.Var:
        return self.alloc(self.array_hint, dtype, shape, ir.Const(0.0, Scalar(dtype)))

    def zeros_like(self, array: ir.Var) -> ir.Var:
        return self.zeros(self.dims(array), array.type.dtype)

    def empty_like(self, array: ir.Var, shape: Index) -> ir.Var:
        """A new array in the place of another one, of the given shape."""
        new = self.names.like(array)
        self.stmts.append(ir.Alloc(new, tuple(shape), None, self.span))
        return new

    def copy(self, array: ir.Var) -> ir.Var:
        out = self.names.var(self.array_hint, array.type)
        self.stmts.append(ir.Copy(out, array, self.span))
        return out

    def load(self, array: ir.Var, index: Index, hint: str = "") -> ir.Var:
        out = self.names.var(hint or self.hint, Scalar(array.type.dtype))
        self.stmts.append(ir.Load(out, array, tuple(index), False, self.span))
        return out

    def store(self, array: ir.Var, index: Index, value: ir.Atom) -> None:
        self.stmts.append(ir.Store(array, tuple(index), value, False, self.span))

    def add_to(self, array: ir.Var, index: Index, value: ir.Atom) -> None:
        self.stmts.append(ir.AddTo(array, tuple(index), value, False, self.span))

    def count(self, shape: Index) -> ir.Atom:
        """The number of cells of a shape."""
        total: ir.Atom = ONE
        for n in shape:
            total = self.mul(total, n)
        return total

    def flat(self, base: ir.Atom, index: Index, shape: Index) -> ir.Atom:
        """The position of a cell of an array that starts at ``base`` of a log, in C order."""
        place: ir.Atom = ZERO
        for i, n in zip(index, shape, strict=True):
            place = i if place == ZERO else self.add(self.mul(place, n), i)
        return self.add(base, place)

    # -- regions

    def inside(self) -> Builder:
        """A builder for the statements of a block at this point."""
        return replace(self, stmts=[])

    def block(self, body: Callable[[], Iterable[ir.Atom] | None]) -> ir.Block:
        """The block of the statements that ``body`` emits, with the results that it returns."""
        outer, self.stmts = self.stmts, []
        results = tuple(body() or ())
        inner, self.stmts = self.stmts, outer
        return ir.Block(tuple(inner), results)

    def loop(self, stop: ir.Atom, body: Callable[[ir.Var], None], start: ir.Atom = ZERO) -> None:
        index = self.names.var("i", I64)
        inner = self.block(lambda: body(index))
        self.stmts.append(ir.Loop(index, start, stop, ONE, (), (), inner, (), span=self.span))

    def each(self, shape: Index, body: Callable[..., None]) -> None:
        """Emit ``body(*index)`` for every cell of a shape."""

        def level(index: tuple[ir.Var, ...]) -> None:
            if len(index) == len(shape):
                body(*index)
            else:
                self.loop(shape[len(index)], lambda i: level((*index, i)))

        level(())

    def sum(self, n: ir.Atom, term: Callable[[ir.Atom], ir.Atom], like: ir.Var) -> ir.Var:
        """The sum of ``term(i)`` over i < n."""
        scalar = Scalar(like.type.dtype)
        index, inner, out = self.names.var("i", I64), self.names.var("s", scalar), self.names.var("s", scalar)
        body = self.block(lambda: (self.op("add", inner, term(index)),))
        self.stmts.append(
            ir.Loop(index, ZERO, n, ONE, (inner,), (ir.Const(0.0, scalar),), body, (out,), span=self.span)
        )
        return out

    def when(
        self, cond: ir.Atom, then: Callable[[], Iterable[ir.Atom] | None], other: Index = ()
    ) -> tuple[ir.Var, ...]:
        """``if cond: then()``. Returns the values of that arm, or ``other``."""
        arm = self.block(then)
        outs = tuple(self.names.like(r) if isinstance(r, ir.Var) else self.names.var("k", r.type) for r in arm.results)
        self.stmts.append(ir.If(cond, arm, ir.Block((), tuple(other)), outs, self.span))
        return outs
