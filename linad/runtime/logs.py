"""Allocation and growth of logs while a kernel runs.

If memory runs out, these functions report it by the size of the array they return: an exception raised in a compiled
function called from another one would leak the arrays of both.
"""

from __future__ import annotations

import _thread
import ctypes

import llvmlite.binding as llvm
from llvmlite import ir
from numba import njit, types, uint64
from numba.extending import intrinsic

from linad.boundary.memory import MUCH, there_is

from ..codegen.llvm.pipeline import DirectCompiler
from ..codegen.llvm.arrays import array_value
from ..codegen.numba_compat import cgutils

__all__ = ["grow", "grow_filled", "tried"]

MOST = 2**48  # cells; more than any machine can hold
ASK = "linad_memory_there_is"  # symbol by which machine code, cached or not, finds `_asked`

_WORD = ir.IntType(64)

exact = njit(
    error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=DirectCompiler
)


def _answer(n: int) -> int:
    try:
        return there_is(n)
    except KeyboardInterrupt:  # it cannot propagate from a callback
        _thread.interrupt_main()
        return True


_asked = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(_answer)
llvm.add_symbol(ASK, ctypes.cast(_asked, ctypes.c_void_p).value)


@intrinsic
def tried(typing_context, like, shape):
    """Allocate an uninitialised array of a shape with the element type of ``like``; all sizes are 0 if there is no
    memory."""
    array = types.Array(like.dtype, len(shape), "C")

    def generate(context, builder, signature, args):
        zero, one, most = _WORD(0), _WORD(1), _WORD(MOST)
        sizes = cgutils.unpack_tuple(builder, args[1], len(shape))
        cells = one
        for size in sizes:
            none = builder.or_(_is(builder, size, zero), _is(builder, cells, zero))
            fits = builder.icmp_signed("<=", cells, builder.sdiv(most, builder.select(none, one, size)))
            cells = builder.select(none, zero, builder.select(fits, builder.mul(cells, size), most))
        item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
        asked = builder.mul(cells, item)
        there = cgutils.alloca_once_value(builder, builder.icmp_signed("<", cells, most))
        large = builder.icmp_signed(">=", asked, _WORD(MUCH))
        with builder.if_then(builder.and_(large, builder.load(there)), likely=False):
            question = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_WORD, [_WORD]), ASK)
            builder.store(builder.icmp_signed("!=", builder.call(question, [asked]), zero), there)
        wanted = builder.select(builder.load(there), asked, zero)
        memory = context.nrt.meminfo_alloc_aligned_unchecked(builder, wanted, context.get_constant(types.uint32, 32))
        found = builder.and_(builder.load(there), cgutils.is_not_null(builder, memory))
        kind = context.get_data_type(types.CPointer(array.dtype))
        data = cgutils.alloca_once_value(builder, kind(None))
        with builder.if_then(cgutils.is_not_null(builder, memory)):
            builder.store(builder.bitcast(context.nrt.meminfo_data(builder, memory), kind), data)
        sizes = [builder.select(found, size, zero) for size in sizes]
        return array_value(context, builder, array, builder.load(data), sizes, memory)

    return array(like, shape), generate


def _is(builder, a, b):
    return builder.icmp_signed("==", a, b)


@exact
def grow(log, size, err, noted):
    """A copy of a log with room for at least ``size`` cells, doubled if possible; the log itself if there is no memory.

    The largest length so far is stored at ``noted`` in the error array, so that the next call can start with it.
    """
    room = max(max(size, 2 * log.shape[0]), 16)
    new = tried(log, (room,))
    # stop at one eighth of slack: with less, almost every further push would copy the log
    while new.shape[0] < room and room - size > size >> 3:
        room = size + (room - size >> 1)
        new = tried(log, (room,))
    if new.shape[0] < room:
        return log
    for k in range(log.shape[0]):
        new[uint64(k)] = log[uint64(k)]
    err[noted] = max(err[noted], new.shape[0])
    return new


@exact
def grow_filled(log, size, fill, err, noted):
    """`grow`, with ``fill`` in the new cells."""
    new = grow(log, size, err, noted)
    for k in range(log.shape[0], new.shape[0]):
        new[uint64(k)] = fill
    return new
