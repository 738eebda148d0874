"""Arrays in lowered code: borrowed arrays are unpacked once at the entry, others are variables that own a reference."""

from __future__ import annotations

from llvmlite import ir
from numba import types

from ..numba_compat import cgutils, make_array, populate_array
from .protocols import Lowered

WORD = ir.IntType(64)


class Borrowed:
    """An array owned by the caller, in a parameter that is never assigned."""

    def __init__(self, home: Lowered, t: types.Array, value: ir.Value) -> None:
        self.home, self.type, self.value = home, t, value
        self.parts: dict[str, list[ir.Value]] = {}

    def whole(self) -> ir.Value:
        """The array as one value."""
        return self.value

    def part(self, name: str) -> list[ir.Value]:
        """The values of one member: a single value, or one per axis."""
        if name not in self.parts:
            with self.home.at_entry():
                self.parts[name] = member_values(self.home, self.type, self.value, name)
        return self.parts[name]

    def release(self) -> None:
        """Do nothing: the caller owns the array."""


class Held:
    """An array in a variable that owns a reference to it, or that is still empty."""

    def __init__(self, home: Lowered, t: types.Array) -> None:
        self.home, self.type = home, t
        self.cell = cgutils.alloca_once(home.builder, home.context.get_value_type(t))
        home.builder.store(ir.Constant(self.cell.type.pointee, None), self.cell)

    def whole(self) -> ir.Value:
        """The array as one value."""
        return self.home.builder.load(self.cell)

    def part(self, name: str) -> list[ir.Value]:
        """The values of one member: a single value, or one per axis."""
        return member_values(self.home, self.type, self.whole(), name)

    def set(self, value: ir.Value) -> None:
        """Store the first array."""
        self.home.builder.store(value, self.cell)

    def replace(self, value: ir.Value) -> None:
        """Store another array, whose reference is taken over, and release the old one."""
        old = self.whole()
        self.set(value)
        self.home.context.nrt.decref(self.home.builder, self.type, old)

    def release(self) -> None:
        """Release the reference."""
        self.home.context.nrt.decref(self.home.builder, self.type, self.whole())


def member_values(home: Lowered, t: types.Array, value: ir.Value, name: str) -> list[ir.Value]:
    """The values of one member of an array, ``data`` or ``shape``."""
    model = home.context.data_model_manager[t]
    member = home.builder.extract_value(value, model.get_field_position(name))
    if name == "shape":
        return [home.builder.extract_value(member, k) for k in range(t.ndim)]
    return [member]


def fresh(home: Lowered, t: types.Array, sizes: list[ir.Value]) -> tuple[ir.Value, ir.Value]:
    """Allocate an uninitialised array; return it and its size in bytes. The function raises if there is not enough
    memory."""
    builder, context = home.builder, home.context
    item = ir.Constant(WORD, context.get_abi_sizeof(context.get_data_type(t.dtype)))
    strides, total, wrong = [], item, ir.Constant(ir.IntType(1), 0)
    for size in reversed(sizes):
        strides.insert(0, total)
        product = builder.smul_with_overflow(total, size)
        total = builder.extract_value(product, 0)
        negative = builder.icmp_signed("<", size, ir.Constant(WORD, 0))
        wrong = builder.or_(builder.or_(wrong, negative), builder.extract_value(product, 1))
    home.unless(wrong, ValueError, "array is too big, or of a negative size")
    align = context.get_preferred_array_alignment(t.dtype)
    memory = context.nrt.meminfo_alloc_aligned_unchecked(builder, total, align)
    home.unless(cgutils.is_null(builder, memory), MemoryError, "Allocation failed (probably too large).")
    made = make_array(t)(context, builder)
    data = builder.bitcast(context.nrt.meminfo_data(builder, memory), made.data.type)
    populate_array(made, data=data, shape=sizes, strides=strides, itemsize=item, meminfo=memory)
    return made._getvalue(), total
