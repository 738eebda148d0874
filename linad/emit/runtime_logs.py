"""Logs that are made or grow while a kernel runs. Where there is no memory for one they say so by its size: an exception out of a
compiled function that another one calls would lose every array of both."""

from __future__ import annotations

import _thread
import ctypes

import llvmlite.binding as llvm
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from linad.boundary.memory import MUCH, there_is

__all__ = ["grow", "grow_filled", "tried"]

MOST = 2**48  # cells; more than any machine has
ASK = "linad_memory_there_is"  # what machine code, also that from the cache, finds `_asked` by

exact = njit(error_model="numpy", nogil=True)


def _answer(n: int) -> int:
    try:
        return there_is(n)
    except KeyboardInterrupt:  # nobody is here to raise it to
        _thread.interrupt_main()
        return True


_asked = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(_answer)
llvm.add_symbol(ASK, ctypes.cast(_asked, ctypes.c_void_p).value)


@intrinsic
def _there_is(typing_context, n):
    """`there_is`, asked from machine code."""

    def generate(context, builder, signature, args):
        word = ir.IntType(64)
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(word, [word]), ASK)
        return builder.call(function, args)

    return types.int64(types.int64), generate


@intrinsic
def _cells(typing_context, like, n):
    """An array of ``n`` cells, undefined; of none where there is no memory for them."""
    array = types.Array(like.dtype, 1, "C")

    def generate(context, builder, signature, args):
        word = ir.IntType(64)
        made = make_array(array)(context, builder)
        data_type = made.data.type
        item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
        align = context.get_constant(types.uint32, 32)
        memory = context.nrt.meminfo_alloc_aligned_unchecked(builder, builder.mul(args[1], item), align)
        there = cgutils.is_not_null(builder, memory)
        data, cells = cgutils.alloca_once(builder, data_type), cgutils.alloca_once(builder, word)
        builder.store(data_type(None), data)
        builder.store(word(0), cells)
        with builder.if_then(there):
            builder.store(builder.bitcast(context.nrt.meminfo_data(builder, memory), data_type), data)
            builder.store(args[1], cells)
        shape, strides = cgutils.pack_array(builder, [builder.load(cells)]), cgutils.pack_array(builder, [item])
        populate_array(made, data=builder.load(data), shape=shape, strides=strides, itemsize=item, meminfo=memory)
        return made._getvalue()

    return array(like, types.int64), generate


@exact
def _room(like, n):
    """An array of ``n`` cells, or of none where there is no memory for them."""
    size = n * _cells(like, 0).itemsize
    if n >= MOST or size >= MUCH and _there_is(size) == 0:
        return _cells(like, 0)
    return _cells(like, n)


@exact
def grow(log, size, err, noted):
    """A log with room for ``size`` cells, at least doubled, that begins with the old one; the old one where there is no memory
    for it. How long the longest is now is ``noted`` in the error array, so that the next call can begin with as much."""
    room = max(size, 2 * log.shape[0], 16)
    new = _room(log, room)
    while new.shape[0] < room and room - size > size // 8:  # with less to spare, each word more would be a copy of all
        room = size + (room - size) // 2
        new = _room(log, room)
    if new.shape[0] < room:
        return log
    for k in range(log.shape[0]):
        new[k] = log[k]
    err[noted] = max(err[noted], new.shape[0])
    return new


@exact
def grow_filled(log, size, fill, err, noted):
    """`grow` with ``fill`` in the new cells."""
    new = grow(log, size, err, noted)
    for k in range(log.shape[0], new.shape[0]):
        new[k] = fill
    return new


@exact
def tried(like, shape):
    """An array of a shape, undefined; of a shape of zeros where there is no memory for it."""
    n = 1
    for size in shape:
        n = 0 if size == 0 or n == 0 else MOST if n > MOST // size else n * size
    new = _room(like, n)
    if new.shape[0] < n:
        for axis in range(len(shape)):
            shape = tuple_setitem(shape, axis, 0)
    return new.reshape(shape)
