"""Lowering of the statements of a generated function to LLVM instructions, after `typing` has inferred all types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager

from llvmlite import ir
from numba import types

from ..inline_math import AsItStands
from ..numba_compat import cgutils, fix_returning_optional
from ..vector_math import EVEN, NAMES
from .alias_scopes import Scope, accessed, declared
from .arrays import Borrowed, Held
from .builder import Builder, drop_unused
from .expressions import FLOATS, Expressions
from .typing import Types, plain_array

I64 = ir.IntType(64)


VECTORS = 4  # interleave count of a loop with library functions
LIBRARY_CALLS = frozenset(NAMES) - frozenset(EVEN)
LANES = 4  # iterations of a loop that LLVM executes at once


def loop_metadata(module: ir.Module, body: list[ast.stmt], trips: int = 0) -> ir.MDValue:
    """Loop metadata: no unrolling for unknown trip counts. ``trips``: the trip count, if it is known.

    Vectorised loops gain nothing from unrolling, and others lose: the remainder is a separate loop, whose branch is
    mispredicted once per row of a sparse matrix. But a loop with library calls waits for each call, so it is
    interleaved. LLVM's own choice only counts registers, which the calls clobber anyway. A loop with a library call in
    a branch of a branch is not vectorised: the call would be made for all lanes, and few iterations need it. A loop of
    few iterations is unrolled before it could be vectorised; with library calls it is worth more as a loop.
    """
    whole = trips > 0 and trips % LANES == 0 and calls_of(body, LIBRARY_CALLS)
    hints = [module.add_metadata(("llvm.loop.unroll.disable" if whole else "llvm.loop.unroll.runtime.disable",))]
    if calls_in_inner_branch(body):
        hints.append(module.add_metadata(("llvm.loop.vectorize.enable", ir.Constant(ir.IntType(1), 0))))
    if calls_of(body, EVEN):
        hints.append(module.add_metadata(("llvm.loop.interleave.count", ir.Constant(ir.IntType(32), VECTORS))))
    own = ir.MDValue(module, (), str(len(module.metadata)))
    own.operands = (own, *hints)  # the loop ID is a self-referential node
    return own


def calls_of(body: list[ast.stmt], names: Container[str]) -> bool:
    """Whether one of these functions is called."""
    calls = (n for s in body for n in ast.walk(s) if isinstance(n, ast.Call))
    return any(isinstance(c.func, ast.Name) and c.func.id in names for c in calls)


def one_by_one(body: list[ast.stmt]) -> bool:
    """Whether a loop is not vectorised: it contains another loop, or may exit early. The terms of its sums are then
    added in order, by dropping the reassociation flag from the sums. With it, LLVM would fuse each product with the
    sum, and an iteration would wait for all of them."""
    return any(isinstance(n, ast.For | ast.While | ast.Return | ast.Break) for s in body for n in ast.walk(s))


def calls_in_inner_branch(body: list[ast.stmt]) -> bool:
    """Whether a library function is called under a condition in an arm of another one, which few iterations reach."""
    outer = [t for s in body for t in ast.walk(s) if isinstance(t, ast.If)]
    inner = [t for b in outer for s in (*b.body, *b.orelse) for t in ast.walk(s) if isinstance(t, ast.If)]
    return calls_of([s for b in inner for s in (*b.body, *b.orelse)], LIBRARY_CALLS)


def running_sums(body: list[ast.stmt]) -> set[str]:
    """The variables that a loop adds to and does nothing else with. The next iteration waits for nothing but the
    addition, which takes less time than a fused multiply-add."""
    added: dict[str, int] = {}
    named: dict[str, int] = {}
    for n in (n for s in body for n in ast.walk(s)):
        match n:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub()):
                added[name] = added.get(name, 0) + 1
            case ast.Name(id=name):
                named[name] = named.get(name, 0) + 1
    return {name for name, times in added.items() if named[name] == times}


USUALLY = [1999, 1]  # branch weights: numbers are usually finite, so LLVM should not compute both sides and select


class Lowering(Expressions):
    """The state of the lowering of one function.

    Every variable is a stack slot, which LLVM's first pass turns into SSA values. An array parameter that is never
    assigned is borrowed from the caller and not reference-counted; every other array variable owns a reference,
    released at each return.
    """

    def __init__(
        self,
        context,
        typing: Types,
        function: ir.Function,
        argtypes: tuple,
        params: list[str],
        result,
        noalias: bool = False,
    ) -> None:
        self.context = context
        self.typing = typing
        self.result = result
        self.function = function
        self.builder = Builder(function.append_basic_block("entry"))
        self.helper = context.call_conv.init_call_helper(self.builder)
        self.cells: dict[str, ir.Value] = {}
        self.arrays: dict[str, Borrowed | Held] = {}
        self.implementations: dict[tuple, Callable] = {}
        self.raising: dict[type, ir.Block] = {}
        self.passing: tuple[ir.Block, ir.Value, ir.Value] | None = None
        self.leaving: tuple[ir.Block, ir.PhiInstr] | None = None
        self.loops: list[tuple[ir.Block, ir.Block]] = []
        self.alone = False  # in a loop that is not vectorised
        self.sums: set[str] = set()  # the running sums of the innermost loop
        self.noalias = noalias  # written array arguments overlap no others
        self.scopes: dict[str, Scope] = {}  # by array, in an innermost loop
        self.variables(params, argtypes)
        self.entry = self.builder.block  # the last entry block, after the arguments have been decoded

    def variables(self, params: list[str], argtypes: tuple) -> None:
        given = dict(zip(params, zip(argtypes, self.arguments(argtypes), strict=True), strict=True))
        for name, t in self.typing.variables.items():
            if plain_array(t) and name in given and name not in self.typing.assigned:
                self.arrays[name] = Borrowed(self, t, None, given[name][1])
                continue
            if plain_array(t):
                array = self.arrays[name] = Held(self, t)
                if name in given:
                    value = self.decoded(*given[name])
                    self.context.nrt.incref(self.builder, t, value)
                    array.set(value)
                continue
            cell = self.cells[name] = cgutils.alloca_once(self.builder, self.context.get_value_type(t), name=name)
            if name in given:
                kind, value = given[name][0], self.decoded(*given[name])
                if isinstance(kind, types.Omitted):
                    value = self.context.get_constant(t, kind.value)
                self.builder.store(value, cell)
        for name, (t, array) in self.typing.fixed.items():
            self.arrays[name] = Borrowed(self, t, self.context.get_constant_generic(self.builder, t, array))

    def arguments(self, argtypes: tuple) -> list:
        """The arguments of the LLVM function, nested as the members of the arguments are."""
        left = iter(self.context.call_conv.get_arguments(self.function))

        def nested(t):
            return [nested(part) for part in t] if isinstance(t, list | tuple) else next(left)

        return [nested(self.context.data_model_manager[t].get_argument_type()) for t in argtypes]

    def decoded(self, t: types.Type, given) -> ir.Value:
        """The value of an argument."""
        return self.context.data_model_manager[t].from_argument(self.builder, given)

    def lower(self, body: list[ast.stmt]) -> None:
        """Lower the body. The code after the entry starts a block of its own; stack slots and sizes are created before
        it."""
        first = self.function.append_basic_block("body")
        self.builder.position_at_end(first)
        self.block(body)
        if not self.builder.block.is_terminated:
            if self.result == types.none:
                self.leave(self.context.get_dummy_value())
            else:
                self.builder.unreachable()
        self.builder.position_at_end(self.entry)
        self.builder.branch(first)
        drop_unused(self.function)

    @contextmanager
    def at_entry(self) -> Iterator[None]:
        """Emit instructions in the entry block, before all other code."""
        here = self.builder.block
        self.builder.position_at_end(self.entry)
        yield
        self.builder.position_at_end(here)

    # ------------------------------------------------------------------------------------------------ statements

    def block(self, body: list[ast.stmt]) -> None:
        for s in body:
            if self.builder.block.is_terminated:
                return
            self.stmt(s)

    def stmt(self, s: ast.stmt) -> None:
        match s:
            case ast.Assign(targets=[target], value=value):
                self.assign(target, value)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                left = self.builder.load(self.cells[name])
                out = self.operate(s, op, (self.of(s.target), left), (self.of(value), self.expr(value)), value)
                if self.alone and out[0] in FLOATS and isinstance(op, ast.Add | ast.Sub) and self.context.fastmath:
                    out[1].flags = AsItStands() if name in self.sums else ["contract"]
                self.builder.store(out[1], self.cells[name])
            case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value):
                place, dtype = self.place(target)
                left = self.unpack(dtype, place, target)
                out = self.operate(s, op, (dtype, left), (self.of(value), self.expr(value)), value)
                self.pack(dtype, self.cast(out[1], out[0], dtype), place, target)
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(test, body, orelse)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=args), body=body):
                self.count(name, args, body)
            case ast.While(test=test, body=body):
                self.repeat(test, body)
            case ast.Return(value=value):
                self.give_back(value)
            case ast.Break():
                self.builder.branch(self.loops[-1][1])
            case ast.Continue():
                self.builder.branch(self.loops[-1][0])
            case ast.Expr(value=ast.Call() as call):
                value = self.expr(call)
                self.forget(self.of(call), value)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _:
                self.bind(name, self.owned(value))
            case ast.Tuple(elts=targets), ast.Tuple(elts=values):
                made = [self.owned(v) for v in values]
                for part, v in zip(targets, made, strict=True):
                    self.bind(part.id, v)  # type: ignore[attr-defined]
            case ast.Tuple(elts=targets), _:
                whole = self.expr(value)
                for k, part in enumerate(targets):
                    self.bind(part.id, self.builder.extract_value(whole, k))  # type: ignore[attr-defined]
            case ast.Subscript(), _:
                made = self.expr(value)
                place, dtype = self.place(target)
                self.pack(dtype, self.cast(made, self.of(value), dtype), place, target)

    def bind(self, name: str, value: ir.Value) -> None:
        if name in self.arrays:
            self.arrays[name].replace(value)
        else:
            self.builder.store(value, self.cells[name])

    def owned(self, e: ast.expr) -> ir.Value:
        """The value of an expression; for an array, an owned reference."""
        value = self.expr(e)
        if plain_array(self.of(e)) and isinstance(e, ast.Name):
            self.context.nrt.incref(self.builder, self.of(e), value)
        return value

    def forget(self, t: types.Type, value: ir.Value) -> None:
        """Discard a result."""
        if (
            isinstance(t, types.Array)
            or isinstance(t, types.BaseTuple)
            and any(isinstance(p, types.Array) for p in t.types)
        ):
            self.context.nrt.decref(self.builder, t, value)

    def give_back(self, value: ast.expr | None) -> None:
        match value:
            case None:
                made = self.context.get_dummy_value()
            case ast.Tuple(elts=parts):
                made = self.context.make_tuple(self.builder, self.result, [self.owned(p) for p in parts])
            case _:
                made = self.owned(value)
        self.leave(made)

    def leave(self, value: ir.Value) -> None:
        """Jump to the common exit, where arrays are released and the function returns."""
        if self.leaving is None:
            here, block = self.builder.block, self.append("leave")
            self.builder.position_at_end(block)
            self.leaving = block, self.builder.phi(value.type)
            for array in self.arrays.values():
                array.release()
            given = self.context.get_return_value(self.builder, self.result, self.leaving[1])
            self.context.call_conv.return_value(self.builder, given)
            self.builder.position_at_end(here)
        block, out = self.leaving
        out.add_incoming(value, self.builder.block)
        self.builder.branch(block)

    def unless(self, wrong: ir.Value, error: type, message: str) -> None:
        """Raise an exception if ``wrong``; all exceptions of a type share one block."""
        on = self.append("on")
        if error not in self.raising:
            here, self.raising[error] = self.builder.block, self.append("raise")
            self.builder.position_at_end(self.raising[error])
            for array in self.arrays.values():
                array.release()
            self.context.call_conv.return_user_exc(self.builder, error, (message,))
            self.builder.position_at_end(here)
        self.builder.cbranch(wrong, self.raising[error], on)
        self.builder.position_at_end(on)

    def called(self, description: object, signature: object, args: list[ir.Value]) -> ir.Value:
        """Call a compiled function. Its errors are propagated from one block for all calls, after arrays are released.
        """
        status, out = self.context.call_internal_no_propagate(self.builder, description, signature, args)
        on = self.append("on")
        if self.passing is None:
            here, block = self.builder.block, self.append("pass")
            self.builder.position_at_end(block)
            code, info = (self.builder.phi(v.type) for v in (status.code, status.excinfoptr))
            self.passing = block, code, info
            for array in self.arrays.values():
                array.release()
            self.context.call_conv.return_status_propagate(self.builder, status._replace(code=code, excinfoptr=info))
            if not self.builder.block.is_terminated:
                self.builder.unreachable()  # Numba would continue in a `try` block, which does not exist here
            self.builder.position_at_end(here)
        block, code, info = self.passing
        code.add_incoming(status.code, self.builder.block)
        info.add_incoming(status.excinfoptr, self.builder.block)
        self.builder.cbranch(status.is_error, block, on).set_weights([1, 99])
        self.builder.position_at_end(on)
        return fix_returning_optional(self.context, self.builder, signature, status, out)

    # ---------------------------------------------------------------------------------------------------- control

    def branch(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        then, other = self.append("then"), self.append("else") if orelse else None
        after = self.append("after")
        jump = self.builder.cbranch(self.expr(test), then, other or after)
        if any(isinstance(t, ast.Attribute) and t.attr == "isfinite" for t in ast.walk(test)):
            jump.set_weights(USUALLY)
        used = other is None
        for start, arm in ((then, body), (other, orelse)):
            if start is None:
                continue
            self.builder.position_at_end(start)
            self.block(arm)
            if not self.builder.block.is_terminated:
                self.builder.branch(after)
                used = True
        self.builder.position_at_end(after)
        if not used:
            self.builder.unreachable()

    def repeat(self, test: ast.expr, body: list[ast.stmt]) -> None:
        head, inside, after = self.append("while"), self.append("inside"), self.append("after")
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(self.expr(test), inside, after)
        self.inside(body, inside, head, after)

    def inside(self, body: list[ast.stmt], start: ir.Block, again: ir.Block, after: ir.Block) -> None:
        self.loops.append((again, after))
        self.builder.position_at_end(start)
        around, self.alone, self.sums = (self.alone, self.sums), one_by_one(body), running_sums(body)
        self.block(body)
        self.alone, self.sums = around
        if not self.builder.block.is_terminated:
            self.builder.branch(again)
        self.loops.pop()
        self.builder.position_at_end(after)

    def count(self, name: str, args: list[ast.expr], body: list[ast.stmt]) -> None:
        """A loop over a range, rotated so that the test is at its end, which is the form that LLVM's loop passes
        expect."""
        b, zero = self.builder, I64(0)
        start, stop, step = zero, self.expr(args[0]), 1
        if len(args) > 1:
            start, stop = stop, self.expr(args[1])
        known = self.literal(args[2]) if len(args) == 3 else 1
        self.scopes = self.apart(body)
        cell = self.temporary(I64)
        inside, again, after = self.append("for"), self.append("next"), self.append("after")
        if known in (1, -1):
            more = "<" if known == 1 else ">"
            b.store(start, cell)
            b.cbranch(b.icmp_signed(more, start, stop), inside, after)
            b.position_at_end(again)
            following = b.add(b.load(cell), I64(known), flags=["nsw"])
            b.store(following, cell)
            latch = b.cbranch(b.icmp_signed(more, following, stop), inside, after)
            b.position_at_end(inside)
            b.store(b.load(cell), self.cells[name])
        else:  # counted by iterations, because the next value of the index may overflow
            step = self.expr(args[2])
            trips = self.trips(start, stop, step, known)
            b.store(zero, cell)
            b.cbranch(b.icmp_unsigned(">", trips, zero), inside, after)
            b.position_at_end(again)
            following = b.add(b.load(cell), I64(1), flags=["nuw"])
            b.store(following, cell)
            latch = b.cbranch(b.icmp_unsigned("<", following, trips), inside, after)
            b.position_at_end(inside)
            b.store(b.add(start, b.mul(b.load(cell), step)), self.cells[name])
        latch.set_metadata("llvm.loop", loop_metadata(b.module, body, self.trip_count(args, known)))
        self.inside(body, inside, again, after)
        self.scopes = {}

    def apart(self, body: list[ast.stmt]) -> dict[str, Scope]:
        """The alias scopes of the arrays of an innermost loop; empty if all of them are parameters, about which LLVM
        knows already."""
        found = accessed(body) if self.noalias else None
        if found is None:
            return {}
        names, written = found
        return declared(self.builder, names) if written and any(isinstance(self.arrays[n], Held) for n in names) else {}

    def trip_count(self, args: list[ast.expr], step: int) -> int:
        """The trip count of a range between literals, else 0."""
        ends = [ast.Constant(0), args[0]] if len(args) == 1 else args[:2]
        known = all(isinstance(e, ast.Constant) or self.literal(e) for e in ends)
        return len(range(*map(self.literal, ends), step)) if known and step else 0

    def literal(self, e: ast.expr) -> int:
        """The value of a literal step, else 0."""
        match e:
            case ast.Constant(value=int(k)):
                return k
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(k))):
                return -k
        return 0

    def trips(self, start: ir.Value, stop: ir.Value, step: ir.Value, known: int) -> ir.Value:
        """The number of values of a range; 0 for a step of 0."""
        b, one, zero = self.builder, I64(1), I64(0)

        def counted(low: ir.Value, high: ir.Value, by: ir.Value) -> ir.Value:
            width = b.udiv(b.sub(b.sub(high, low), one), by)
            return b.select(b.icmp_signed("<", low, high), b.add(width, one), zero)

        if known:
            return counted(start, stop, step) if known > 0 else counted(stop, start, I64(-known))
        up, still = b.icmp_signed(">", step, zero), b.icmp_signed("==", step, zero)
        size = b.select(still, one, b.select(up, step, b.neg(step)))
        return b.select(still, zero, b.select(up, counted(start, stop, size), counted(stop, start, size)))

    def append(self, name: str) -> ir.Block:
        return self.function.append_basic_block(name)

    def temporary(self, t: ir.Type) -> ir.Value:
        return cgutils.alloca_once(self.builder, t)
