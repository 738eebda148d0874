"""Whole-array operations of generated code: in-place sums and copies, and allocation from workspaces.

They are intrinsics because compiled functions would be compiled again for each rank.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..codegen.llvm.arrays import array_value
from ..codegen.numba_compat import cgutils

__all__ = ["add_into", "assume", "carve", "cells", "copy_into", "note_nan"]

TOO_MANY = 2**48  # cells; more than any machine can hold
LINE = 8  # words per cache line
WORD = ir.IntType(64)


def _member(context, builder, t, value, name):
    return builder.extract_value(value, context.data_model_manager[t].get_field_position(name))


def _place(context, builder, t, value, index):
    return builder.gep(_member(context, builder, t, value, "data"), [index], inbounds=True)


def _elementwise(name: str, each):
    """An intrinsic that applies an operation to corresponding cells of two arrays of the same shape."""

    def operation(typing_context, a, b):
        if not all(isinstance(t, types.Array) and t.layout == "C" for t in (a, b)):
            return None

        def generate(context, builder, signature, args):
            size = _member(context, builder, a, args[0], "nitems")
            with cgutils.for_range(builder, size) as loop:
                place = _place(context, builder, a, args[0], loop.index)
                other = context.unpack_value(builder, b.dtype, _place(context, builder, b, args[1], loop.index))
                value = each(context, builder, a.dtype, place, context.cast(builder, other, b.dtype, a.dtype))
                context.pack_value(builder, a.dtype, value, place)
            return context.get_dummy_value()

        return types.none(a, b), generate

    operation.__name__ = name
    return intrinsic(operation)


def _sum(context, builder, t, place, value):
    add = builder.fadd if isinstance(t, types.Float) else builder.add
    return add(context.unpack_value(builder, t, place), value)


add_into = _elementwise("add_into", _sum)  # a += b
copy_into = _elementwise("copy_into", lambda context, builder, t, place, value: value)  # a[...] = b


@intrinsic
def note_nan(typing_context, a, err):
    """Set the first word of the error buffer to 1 if a cell of an array is nan: then the sum of its squares is."""
    if not isinstance(a, types.Array) or a.layout != "C":
        return None

    def generate(context, builder, signature, args):
        kind = context.get_value_type(a.dtype)
        total = cgutils.alloca_once_value(builder, kind(0.0))
        with cgutils.for_range(builder, _member(context, builder, a, args[0], "nitems")) as loop:
            cell = context.unpack_value(builder, a.dtype, _place(context, builder, a, args[0], loop.index))
            square = builder.fmul(cell, cell, flags=("reassoc", "contract"))
            builder.store(builder.fadd(builder.load(total), square, flags=("reassoc", "contract")), total)
        found = builder.load(total)
        place = _place(context, builder, err, args[1], WORD(0))
        is_nan = builder.zext(builder.fcmp_unordered("uno", found, found), WORD)
        builder.store(builder.or_(builder.load(place), is_nan), place)
        return context.get_dummy_value()

    return types.none(a, err), generate


@intrinsic
def assume(typing_context, holds):
    """Tell LLVM that a condition holds."""

    def generate(context, builder, signature, args):
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(1)])
        told = cgutils.get_or_insert_function(builder.module, kind, "llvm.assume")
        builder.call(told, [context.cast(builder, args[0], signature.args[0], types.boolean)])
        return context.get_dummy_value()

    return types.none(types.boolean), generate


def _is_shape(t):
    return isinstance(t, types.BaseTuple) and all(types.unliteral(size) == types.int64 for size in t.types)


def _sizes(builder, shape, value):
    return cgutils.unpack_tuple(builder, value, len(shape))


def _count(builder, sizes):
    """The number of workspace cells for an array, rounded up to whole cache lines.

    If the number is `TOO_MANY` or overflows, it is capped to that: more than any machine can hold.
    """
    most = WORD(TOO_MANY)
    if len(sizes) == 1:  # the usual case, in a third of the instructions
        huge = builder.icmp_unsigned(">", sizes[0], most)
        lines = builder.and_(builder.add(sizes[0], WORD(LINE - 1)), WORD(-LINE))
        return builder.select(huge, most, lines)
    n, huge = WORD(1), ir.IntType(1)(0)
    for size in sizes:
        product = builder.umul_with_overflow(n, size)
        n = builder.extract_value(product, 0)
        huge = builder.or_(huge, builder.extract_value(product, 1))
    none = ir.IntType(1)(0)
    for size in sizes:
        none = builder.or_(none, builder.icmp_signed("==", size, WORD(0)))
    huge = builder.or_(huge, builder.icmp_unsigned(">", n, most))
    lines = builder.and_(builder.add(n, WORD(LINE - 1)), WORD(-LINE))
    return builder.select(none, WORD(0), builder.select(huge, most, lines))


@intrinsic
def cells(typing_context, shape):
    """The number of workspace cells that an array of this shape occupies."""
    if not _is_shape(shape):
        return None

    def generate(context, builder, signature, args):
        return _count(builder, _sizes(builder, shape, args[0]))

    return types.int64(shape), generate


@intrinsic
def carve(typing_context, workspace, at, shape):
    """Make an array at a position of a workspace; returns it and the position after it. The array is not counted as a
    reference: the caller of the driver keeps the workspace."""
    if not _is_shape(shape) or types.unliteral(at) != types.int64:
        return None
    t = types.Array(workspace.dtype, len(shape), "C")
    result = types.Tuple((t, types.int64))

    def generate(context, builder, signature, args):
        sizes = _sizes(builder, shape, args[2])
        data = builder.gep(_member(context, builder, workspace, args[0], "data"), [args[1]], inbounds=True)
        value = array_value(context, builder, t, data, sizes)
        return context.make_tuple(builder, result, [value, builder.add(args[1], _count(builder, sizes))])

    return result(workspace, at, shape), generate
