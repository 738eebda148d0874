"""The current position in the machine stack; recursive functions compare it with the end of the stack."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["stack_address"]


@intrinsic
def stack_address(typing_context):
    """The address of a byte in the calling function's frame."""

    def generate(context, builder, signature, args):
        with builder.goto_entry_block():
            byte = builder.alloca(ir.IntType(8))
        return builder.ptrtoint(byte, ir.IntType(64))

    return types.int64(), generate
