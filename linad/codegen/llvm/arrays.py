"""Arrays in lowered code: the members of borrowed arrays are arguments, others are variables that own a reference.

Numba's value of an array has a member for each fact about it. Most of these follow from the others if the array is
contiguous, so a variable consists of the members in `OWN` only, and the whole is put together where it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir
from numba import types

from ..numba_compat import cgutils
from .protocols import Lowered

WORD = ir.IntType(64)
OWN = ("meminfo", "parent", "data", "shape")
Given = Sequence  # the members of an array in an argument list, of which shape and strides are sequences themselves


class Borrowed:
    """An array owned by the caller, in a parameter that is never assigned, or a constant."""

    def __init__(self, home: Lowered, t: types.Array, value: ir.Value | None, given: Given = ()) -> None:
        self.home, self.type, self.value, self.given = home, t, value, given
        self.parts: dict[str, list[ir.Value]] = {}

    def whole(self) -> ir.Value:
        """The array as one value."""
        if self.value is None:
            with self.home.at_entry():
                self.value = self.home.context.data_model_manager[self.type].from_argument(
                    self.home.builder, self.given
                )
        return self.value

    def part(self, name: str) -> list[ir.Value]:
        """The values of one member: a single value, or one per axis."""
        if name not in self.parts:
            with self.home.at_entry():
                self.parts[name] = self.found(name)
        return self.parts[name]

    def found(self, name: str) -> list[ir.Value]:
        """The values of one member: of the arguments, or taken out of the whole."""
        if self.value is not None:
            return member_values(self.home, self.type, self.value, name)
        member = self.given[self.home.context.data_model_manager[self.type].get_field_position(name)]
        return list(member) if isinstance(member, list | tuple) else [member]

    def release(self) -> None:
        """Do nothing: the caller owns the array."""


class Held:
    """An array in a variable that owns a reference to it, or that is still empty."""

    def __init__(self, home: Lowered, t: types.Array) -> None:
        self.home, self.type = home, t
        members = home.context.get_value_type(t).elements
        model = home.context.data_model_manager[t]
        self.cells: dict[str, list[ir.Value]] = {}
        for name in OWN:
            kind = WORD if name == "shape" else members[model.get_field_position(name)]
            self.cells[name] = [cgutils.alloca_once(home.builder, kind) for _ in range(t.ndim if kind is WORD else 1)]
            for cell in self.cells[name]:
                home.builder.store(ir.Constant(kind, 0 if kind is WORD else None), cell)

    def whole(self) -> ir.Value:
        """The array as one value."""
        meminfo, parent, data = (self.part(name)[0] for name in OWN[:3])
        return array_value(self.home.context, self.home.builder, self.type, data, self.part("shape"), meminfo, parent)

    def part(self, name: str) -> list[ir.Value]:
        """The values of one member: a single value, or one per axis."""
        return [self.home.builder.load(cell) for cell in self.cells[name]]

    def set(self, value: ir.Value) -> None:
        """Store the first array."""
        for name, cells in self.cells.items():
            for cell, part in zip(cells, member_values(self.home, self.type, value, name), strict=True):
                self.home.builder.store(part, cell)

    def replace(self, value: ir.Value) -> None:
        """Store another array, whose reference is taken over, and release the old one."""
        (old,) = self.part("meminfo")
        self.set(value)
        self.forget(old)

    def release(self) -> None:
        """Release the reference."""
        self.forget(*self.part("meminfo"))

    def forget(self, meminfo: ir.Value) -> None:
        """Release a reference that the variable owned."""
        self.home.context.nrt.decref(self.home.builder, types.MemInfoPointer(self.type.dtype), meminfo)


def member_values(home: Lowered, t: types.Array, value: ir.Value, name: str) -> list[ir.Value]:
    """The values of one member of an array: a single value, or one per axis."""
    at = home.context.data_model_manager[t].get_field_position(name)
    if name == "shape":
        return [home.builder.extract_value(value, (at, k)) for k in range(t.ndim)]
    return [home.builder.extract_value(value, at)]


def array_value(
    context,
    builder: ir.IRBuilder,
    t: types.Array,
    data: ir.Value,
    sizes: Sequence[ir.Value],
    meminfo: ir.Value | None = None,
    parent: ir.Value | None = None,
) -> ir.Value:
    """The value of a contiguous array, by default one whose memory is not reference-counted."""
    item = cells = WORD(context.get_abi_sizeof(context.get_data_type(t.dtype)))
    strides = []
    for size in reversed(sizes):
        strides.insert(0, cells)
        cells = builder.mul(cells, size, flags=["nsw"])
    count = WORD(1)
    for size in sizes:
        count = builder.mul(count, size, flags=["nsw"])
    members = {"meminfo": meminfo, "parent": parent, "nitems": count, "itemsize": item, "data": data}
    model = context.data_model_manager[t]
    whole = ir.Constant(context.get_value_type(t), ir.Undefined)
    for name, member in members.items():
        at = model.get_field_position(name)
        kind = whole.type.elements[at]
        whole = builder.insert_value(whole, ir.Constant(kind, None) if member is None else member, at)
    for name, each in (("shape", sizes), ("strides", strides)):
        for k, member in enumerate(each):
            whole = builder.insert_value(whole, member, (model.get_field_position(name), k))
    return whole


def fresh(home: Lowered, t: types.Array, sizes: list[ir.Value]) -> tuple[ir.Value, ir.Value]:
    """Allocate an uninitialised array; return it and its size in bytes. The function raises if there is not enough
    memory."""
    builder, context = home.builder, home.context
    total = WORD(context.get_abi_sizeof(context.get_data_type(t.dtype)))
    wrong = ir.Constant(ir.IntType(1), 0)
    for size in reversed(sizes):
        product = builder.smul_with_overflow(total, size)
        total = builder.extract_value(product, 0)
        negative = builder.icmp_signed("<", size, WORD(0))
        wrong = builder.or_(builder.or_(wrong, negative), builder.extract_value(product, 1))
    home.unless(wrong, ValueError, "array is too big, or of a negative size")
    align = context.get_preferred_array_alignment(t.dtype)
    memory = context.nrt.meminfo_alloc_aligned_unchecked(builder, total, align)
    home.unless(cgutils.is_null(builder, memory), MemoryError, "Allocation failed (probably too large).")
    members = context.get_value_type(t).elements
    kind = members[context.data_model_manager[t].get_field_position("data")]
    data = builder.bitcast(context.nrt.meminfo_data(builder, memory), kind)
    return array_value(context, builder, t, data, sizes, memory), total
