"""Comparison naming: make the comparison inside a float `min` or `max` a value of its own.

**Transformation.** Expand `min` and `max` into a comparison and a `select`, so that the comparison can be logged.

**Before.** ``r = min a b``
**After.** ``takes_second = lt b a; r = select takes_second b a``

**Legality.** The value is the same: for ties and nan it is the first operand.

**Profitability.** The derivative needs only the comparison: where the operands would have to be logged, one byte
replaces two words. Both forms are differentiated and the one that logs less is kept (`linad/pipeline.py`).

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations


from linad_typecheck.ir.core import Function, Let, Names, Program, Stmt, all_names
from linad_typecheck.ir.rewrite import at_statements
from linad_typecheck.types import BOOL, is_float

CHOICES = {"min": "lt", "max": "gt"}  # the comparison that selects the second operand


def compare_in_entry(program: Program) -> Program:
    """Apply `compare_first` to the entry of a program."""
    return program.with_main(compare_first(program.main))


def compare_first(f: Function) -> Function:
    """Expand the ``min`` and ``max`` of floats in a function; the same function object if there are none."""
    names = Names(all_names(f))
    found = 0

    def stmt(s: Stmt) -> tuple[Stmt, ...]:
        nonlocal found
        match s:
            case Let(out=out, op=op, ins=(a, b)) if op in CHOICES and is_float(out.type):
                found += 1
                takes_second = names.var("takes_second", BOOL)
                return Let(takes_second, CHOICES[op], (b, a), s.span), Let(out, "select", (takes_second, b, a), s.span)
        return (s,)

    changed = at_statements(f, stmt)
    return changed if found else f
