"""An instruction builder that does not emit what LLVM would only have to remove.

Numba passes arrays and tuples as values with members, which are put together in one place and taken apart in the next.
In a long function that is half of all instructions, and each takes its time to make, print, parse and remove.
"""

from __future__ import annotations

from collections import Counter

from llvmlite import ir

InsertValue, PhiInstr = ir.instructions.InsertValue, ir.instructions.PhiInstr


class Builder(ir.IRBuilder):
    """A builder that finds the members of a value that was put together by instructions."""

    def extract_value(self, agg: ir.Value, idx, name: str = "") -> ir.Value:
        """The member of a value at an index or at a sequence of them."""
        agg, path = _within(agg, tuple(idx) if isinstance(idx, list | tuple) else (idx,))
        return super().extract_value(agg, path, name) if path else agg


def _within(value: ir.Value, path: tuple[int, ...]) -> tuple[ir.Value, tuple[int, ...]]:
    """The innermost known value that has a member, and the rest of the path to it."""
    found = value, path
    while path and isinstance(value, InsertValue):
        at = tuple(value.indices)
        if at == path[: len(at)]:
            found = value, path = value.value, path[len(at) :]
        elif path == at[: len(path)]:  # part of it is inserted here
            return found
        else:
            value = value.aggregate
            found = value, path
    return found


def drop_unused(function: ir.Function) -> None:
    """Remove the insertions into values of which only known members are used."""
    uses: Counter[int] = Counter()
    inserted: list[InsertValue] = []
    for block in function.blocks:
        for i in block.instructions:
            values = (v for v, _ in i.incomings) if isinstance(i, PhiInstr) else i.operands
            uses.update(map(id, values))
            if isinstance(i, InsertValue):
                inserted.append(i)
    pending = [i for i in inserted if not uses[id(i)]]
    dropped: set[int] = set()
    while pending:
        i = pending.pop()
        dropped.add(id(i))
        for v in i.operands:
            uses[id(v)] -= 1
            if isinstance(v, InsertValue) and not uses[id(v)]:
                pending.append(v)
    for block in function.blocks:
        block.instructions = [i for i in block.instructions if id(i) not in dropped]
