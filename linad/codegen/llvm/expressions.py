"""Lowering of the expressions of a generated function to LLVM values."""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba import types

from linad.analysis.operation_costs import halves

from ..inline_math import AsItStands
from ..numba_compat import cgutils
from ..options import GENERATED
from .alias_scopes import Scope, within
from .arrays import Borrowed, Held, fresh, member_values
from .recursion import Open
from .spread import Chunk, spread
from .typing import ARITHMETIC, BITS, EXTREMA, LINES, LONGEST_POWER, OPERATORS, Resolved, Types

I1 = ir.IntType(1)
FLOATS = (types.float64, types.float32)
FLOAT_OPS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
FAR = 2.0**100  # products of a few factors between 1/FAR and FAR neither overflow nor underflow
INT_OPS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
Typed = tuple[types.Type, ir.Value]


class Expressions:
    """The part of `lowering.Lowering` that computes values."""

    context: object
    typing: Types
    builder: ir.IRBuilder
    function: ir.Function
    cells: dict[str, ir.Value]
    arrays: dict[str, Borrowed | Held]
    scopes: dict[str, Scope]
    implementations: dict[tuple, Callable]
    alone: bool  # whether the statements are in no innermost loop

    def of(self, e: ast.expr) -> types.Type:
        return self.typing.of[e]

    def expr(self, e: ast.expr) -> ir.Value:
        if e in self.typing.constants:
            return self.context.get_constant(self.of(e), self.typing.constants[e])
        match e:
            case ast.Name(id=name) if name in self.arrays:
                return self.arrays[name].whole()
            case ast.Name(id=name) if name in self.cells:
                return self.builder.load(self.cells[name])
            case ast.Name() | ast.Attribute():  # a type as an argument
                return self.context.get_dummy_value()
            case ast.BinOp(left=left, op=op, right=right):
                a = self.expr(left)
                return self.operate(e, op, (self.of(left), a), (self.of(right), self.expr(right)), right)[1]
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return self.builder.not_(self.expr(inner))
            case ast.UnaryOp(op=op, operand=inner):
                return self.unary(e, op, inner)
            case ast.Compare():
                return self.comparison(e)
            case ast.BoolOp(op=op, values=values):
                return self.chain(isinstance(op, ast.And), [(v, lambda v=v: self.expr(v)) for v in values])
            case ast.IfExp():
                return self.choice(e)
            case ast.Tuple(elts=parts):
                return self.context.make_tuple(self.builder, self.of(e), [self.expr(p) for p in parts])
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name)), slice=ast.Constant(value=k)):
                return self.arrays[name].part("shape")[k]
            case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=k)):
                return self.one_of(call, k)
            case ast.Subscript():
                place, dtype = self.place(e)
                return self.unpack(dtype, place, e)
            case ast.Call(func=func, args=args):
                return self.call(e, func, args)
        raise AssertionError(ast.unparse(e))

    def one_of(self, call: ast.Call, k: int) -> ir.Value:
        whole, t = self.expr(call), self.of(call)
        for j, part in enumerate(t.types):
            if isinstance(part, types.Array):
                self.context.nrt.decref(self.builder, part, self.builder.extract_value(whole, j))
        return self.builder.extract_value(whole, k)

    # ------------------------------------------------------------------------------------------------- arithmetic

    def cast(self, value: ir.Value, source: types.Type, to: types.Type) -> ir.Value:
        return value if source == to else self.context.cast(self.builder, value, source, to)

    def operate(self, e: ast.AST, op: ast.operator, a: Typed, b: Typed, right: ast.expr) -> Typed:
        """Apply an operator; return the type and the value of the result."""
        kind, pair = type(op), (a[0], b[0])
        if kind is ast.Pow and a[0] == types.float64 and self.context.fastmath:
            literal = exponent(right)
            if literal is not None and (twice := halves(literal)) is not None:
                return a[0], self.root_power(a[1], twice)
        if e in self.typing.calls:
            found = self.typing.calls[e]
            return found.result, self.apply(found, OPERATORS[kind], (a[1], b[1]), pair)
        if kind is ast.Pow:
            k = self.typing.constants[right]
            assert type(k) is int and 0 <= k <= LONGEST_POWER
            return a[0], self.power(a, k)
        t = types.float64 if kind is ast.Div else ARITHMETIC[pair]
        x, y = self.cast(a[1], a[0], t), self.cast(b[1], b[0], t)
        if t in FLOATS:
            return t, self.in_order(getattr(self.builder, FLOAT_OPS[kind])(x, y))
        assert kind in LINES | BITS
        return t, getattr(self.builder, INT_OPS[kind])(x, y)

    def in_order(self, made: ir.Instruction) -> ir.Instruction:
        """Set the fastmath flags of an operation. LLVM may reassociate only sums, and only if the kernel allows it: a
        reassociated product may overflow or underflow where the result does not."""
        if self.context.fastmath and made.opname in ("fmul", "fdiv"):
            # LLVM multiplies the literals of a product that is fused with a sum, whatever the flags of the product
            far = any(isinstance(x, ir.Constant) and not 1 / FAR <= abs(x.constant) <= FAR for x in made.operands)
            made.flags = AsItStands() if far else ["contract"]
        return made

    def power(self, a: Typed, k: int) -> ir.Value:
        """Exponentiation by squaring, lowest bit of the exponent first."""
        t, square = a
        times = (lambda x, y: self.in_order(self.builder.fmul(x, y))) if t in FLOATS else self.builder.mul
        out = None
        while k:
            if k & 1:
                out = square if out is None else times(out, square)
            k >>= 1
            if k:
                square = times(square, square)
        return self.context.get_constant(t, 1) if out is None else out

    def root_power(self, x: ir.Value, twice: int) -> ir.Value:
        """``x ** (twice / 2)`` by products and a square root, which differ from it by roundings alone. A power of -0.0
        or -inf is neither negative nor nan, as their roots are."""
        k, half = divmod(abs(twice), 2)
        out = self.power((types.float64, x), k)
        if half:
            root = self.intrinsic("llvm.sqrt", x)
            out = self.intrinsic("llvm.fabs", self.in_order(self.builder.fmul(out, root)) if k else root)
            below = self.builder.fcmp_ordered("==", x, ir.Constant(x.type, "-inf"))
            out = self.builder.select(below, ir.Constant(x.type, "inf"), out)
        return self.in_order(self.builder.fdiv(ir.Constant(x.type, 1.0), out)) if twice < 0 else out

    def intrinsic(self, name: str, x: ir.Value) -> ir.Value:
        declared = self.builder.module.declare_intrinsic(name, [x.type], ir.FunctionType(x.type, [x.type]))
        return self.builder.call(declared, [x])

    def unary(self, e: ast.UnaryOp, op: ast.unaryop, inner: ast.expr) -> ir.Value:
        value, t = self.expr(inner), self.of(inner)
        if e in self.typing.calls:
            return self.apply(self.typing.calls[e], OPERATORS[type(op)], (value,), (t,))
        return self.builder.fneg(value) if t in FLOATS else self.builder.neg(value)

    def comparison(self, e: ast.Compare) -> ir.Value:
        parts = [e.left, *e.comparators]
        values: dict[int, ir.Value] = {}

        def value(k: int) -> ir.Value:
            if k not in values:
                values[k] = self.expr(parts[k])
            return values[k]

        def link(k: int) -> ir.Value:
            a, b = self.of(parts[k]), self.of(parts[k + 1])
            x, y = value(k), value(k + 1)
            sign = COMPARISONS[type(e.ops[k])]
            if a == b == types.boolean:
                return self.builder.icmp_unsigned(sign, x, y)
            t = ARITHMETIC[a, b]
            x, y = self.cast(x, a, t), self.cast(y, b, t)
            if t in FLOATS:
                return (self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered)(sign, x, y)
            return (self.builder.icmp_unsigned if t == types.uint64 else self.builder.icmp_signed)(sign, x, y)

        value(0)
        return self.chain(True, [(parts[k + 1], lambda k=k: link(k)) for k in range(len(e.ops))])

    def chain(self, both: bool, links: list[tuple[ast.expr, Callable[[], ir.Value]]]) -> ir.Value:
        """Emit ``and`` or ``or``: operands that are cheap and cannot fail are always evaluated, the others only if
        needed."""
        (_, first), *rest = links
        out = first()
        for e, make in rest:
            if cheap(e):
                out = self.builder.and_(out, make()) if both else self.builder.or_(out, make())
                continue
            here, more, after = self.builder.block, self.append("more"), self.append("decided")
            self.builder.cbranch(out, more if both else after, after if both else more)
            self.builder.position_at_end(more)
            other = make()
            there = self.builder.block
            self.builder.branch(after)
            self.builder.position_at_end(after)
            out = self.joined(I1, ((I1(not both), here), (other, there)))
        return out

    def choice(self, e: ast.IfExp) -> ir.Value:
        """A conditional expression. In generated text the core loads what both sides read, whatever is chosen;
        innermost loops stay free of branches, so that values handed on to the next iteration do not keep them from
        being vectorised."""
        test = self.expr(e.test)
        loads = not self.alone and GENERATED in self.function.name
        if cheap(e.body, loads) and cheap(e.orelse, loads):
            return self.builder.select(test, self.expr(e.body), self.expr(e.orelse))
        arms, after = [self.append("if"), self.append("else")], self.append("chosen")
        self.builder.cbranch(test, *arms)
        found = []
        for start, arm in zip(arms, (e.body, e.orelse), strict=True):
            self.builder.position_at_end(start)
            found.append((self.expr(arm), self.builder.block))
            self.builder.branch(after)
        self.builder.position_at_end(after)
        return self.joined(found[0][0].type, tuple(found))

    def joined(self, t: ir.Type, found: tuple[tuple[ir.Value, ir.Block], ...]) -> ir.Value:
        phi = self.builder.phi(t)
        for value, block in found:
            phi.add_incoming(value, block)
        return phi

    # ------------------------------------------------------------------------------------------------------ arrays

    def place(self, e: ast.Subscript) -> tuple[ir.Value, types.Type]:
        """The address and type of a cell. Indices are offsets: negative ones have already been resolved."""
        array = self.arrays[e.value.id]  # type: ignore[attr-defined]
        parts = e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]
        index = [
            self.cast(self.expr(p), t, types.int64 if t == types.int32 else t) for p in parts for t in [self.of(p)]
        ]
        at = ir.Constant(ir.IntType(64), 0)
        if index:
            shape = array.part("shape") if len(index) > 1 else []
            at = index[0]
            for k, i in enumerate(index[1:], 1):
                at = self.builder.add(self.builder.mul(at, shape[k]), i)
        return self.builder.gep(array.part("data")[0], [at], inbounds=True), array.type.dtype

    def unpack(self, dtype: types.Type, place: ir.Value, e: ast.Subscript) -> ir.Value:
        with within(self.builder, self.scopes.get(e.value.id)):  # type: ignore[attr-defined]
            return self.context.unpack_value(self.builder, dtype, place)

    def pack(self, dtype: types.Type, value: ir.Value, place: ir.Value, e: ast.Subscript | None = None) -> None:
        with within(self.builder, self.scopes.get(e.value.id) if e is not None else None):  # type: ignore[attr-defined]
            self.context.pack_value(self.builder, dtype, value, place)

    def fill(self, dtype: types.Type, sizes: list[ir.Value], data: ir.Value, value: ir.Value) -> None:
        total = ir.Constant(ir.IntType(64), 1)
        for n in sizes:
            total = self.builder.mul(total, n)
        if isinstance(value, ir.Constant) and all_zero(value):
            size = self.context.get_abi_sizeof(self.context.get_data_type(dtype))
            cgutils.memset(self.builder, data, self.builder.mul(total, ir.Constant(total.type, size)), 0)
            return
        with cgutils.for_range(self.builder, total) as loop:
            self.pack(dtype, value, self.builder.gep(data, [loop.index], inbounds=True))

    def new(self, target: object, t: types.Array, args: list[ast.expr]) -> ir.Value:
        """``np.empty`` and related functions."""
        shape = self.expr(args[0])
        sizes = [shape] if self.of(args[0]) == types.int64 else cgutils.unpack_tuple(self.builder, shape, t.ndim)
        value = self.cast(self.expr(args[1]), self.of(args[1]), t.dtype) if target is np.full else None
        made, size = fresh(self, t, list(sizes))
        data = member_values(self, t, made, "data")[0]
        if target is np.zeros:
            cgutils.memset(self.builder, data, size, 0)
        elif value is not None:
            self.fill(t.dtype, list(sizes), data, value)
        return made

    # ------------------------------------------------------------------------------------------------------- calls

    def call(self, e: ast.Call, func: ast.expr, args: list[ast.expr]) -> ir.Value:
        match func:
            case ast.Attribute(value=ast.Name(id=name), attr="fill") if name in self.arrays:
                array = self.arrays[name]
                value = self.cast(self.expr(args[0]), self.of(args[0]), array.type.dtype)
                self.fill(array.type.dtype, array.part("shape"), array.part("data")[0], value)
                return self.context.get_dummy_value()
            case ast.Attribute(value=ast.Name(id=name), attr="copy") if name in self.arrays:
                return self.copied(name)
        found = self.typing.calls[e]
        target = self.typing.object(func)
        if isinstance(found.result, types.Array) and found.function is None:
            return self.new(target, found.result, args)
        values, given = [self.expr(a) for a in args], [self.of(a) for a in args]
        if found.function is None:
            if target in EXTREMA:
                return self.extremum(EXTREMA[target], given[0], *values)
            return self.converted(values[0], given[0], found.result)
        return self.apply(found, target, tuple(values), tuple(given))

    def extremum(self, sign: str, t: types.Type, a: ir.Value, b: ir.Value) -> ir.Value:
        """The second operand if it is beyond the first, else the first."""
        compare = (
            self.builder.fcmp_ordered
            if t in FLOATS
            else self.builder.icmp_unsigned
            if t == types.uint64
            else self.builder.icmp_signed
        )
        return self.builder.select(compare(sign, b, a), b, a)

    def converted(self, value: ir.Value, source: types.Type, to: types.Type) -> ir.Value:
        if to == types.boolean and source != to:
            return self.context.is_true(self.builder, source, value)
        return self.cast(value, source, to)

    def apply(self, found: Resolved, target: object, values: tuple, given: tuple) -> ir.Value:
        """Call a function known to Numba, or already compiled."""
        signature = found.signature
        assert signature is not None
        made = [self.cast(v, t, to) for v, t, to in zip(values, given, signature.args, strict=False)]
        # omitted arguments have constant types
        made += [self.context.get_dummy_value() for _ in signature.args[len(made) :]]
        if isinstance(found.function, Chunk):
            return spread(self, found.function, made)
        if isinstance(found.function, Open):
            return self.called(found.function.fndesc, signature, made)
        if hasattr(found.function, "fndesc"):
            self.context.add_linking_libs([found.function.library])
            return self.called(found.function.fndesc, signature, made)
        key = (found.function, signature)
        if key not in self.implementations:
            self.implementations[key] = self.context.get_function(found.function, signature)
        out = self.implementations[key](self.builder, made)
        return self.cast(out, signature.return_type, found.result)

    def copied(self, name: str) -> ir.Value:
        array = self.arrays[name]
        made, size = fresh(self, array.type, array.part("shape"))
        data = member_values(self, array.type, made, "data")[0]
        cgutils.raw_memcpy(self.builder, data, array.part("data")[0], size, 1)
        return made


def exponent(e: ast.expr) -> float | None:
    """The value of a literal float."""
    match e:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=float(value))):
            return -value
        case ast.Constant(value=float(value)):
            return value
    return None


def all_zero(value: ir.Constant) -> bool:
    """Whether all bits of a constant are zero, which those of -0.0 are not."""
    return str(value.constant) in ("0", "0.0", "False")


def cheap(e: ast.expr, loads: bool = False) -> bool:
    """Whether an expression is cheap and cannot fail: it contains no access (unless ``loads``), division or call."""
    return not any(
        isinstance(x, ast.Div | ast.FloorDiv | ast.Mod | ast.Pow)
        or isinstance(x, ast.Subscript | ast.Call) and not (loads and _is_load(x))
        for x in ast.walk(e)
    )


def _is_load(e: ast.Subscript | ast.Call) -> bool:
    """Whether an expression loads a cell, or casts the index of one."""
    return isinstance(e, ast.Subscript) or isinstance(e.func, ast.Name) and e.func.id == "uint64"
