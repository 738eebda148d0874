"""Comparison naming: which of two floats the smaller or the larger one is becomes a value of its own.

**Transformation.** `min` and `max` are written as a comparison and a `select`, so that the comparison can be
logged.

**Before.** ``r = min a b``
**After.** ``takes_second = lt b a; r = select takes_second b a``

**Legality.** The value is the same: ties, and nan, give the first.

**Profitability.** All that the derivative needs of the operands is the comparison: where they would have to be
logged, a byte is logged in place of two words. Both forms are differentiated, and the one that logs less is taken
(`linad/pipeline.py`).

**Needs.** Nothing: the results are the same to the last bit.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import Block, Function, If, Let, Loop, Names, Program, Stmt, all_names
from linad_typecheck.types import BOOL, is_float

CHOICES = {"min": "lt", "max": "gt"}  # and the comparison that gives the second operand


def compare_in_entry(program: Program) -> Program:
    """The program whose entry is changed by `compare_first`."""
    return program.with_main(compare_first(program.main))


def compare_first(f: Function) -> Function:
    """The function with the comparisons of its ``min`` and ``max`` of floats written out; the same function where it
    has none."""
    names = Names(all_names(f))
    found = 0

    def block(b: Block) -> Block:
        return replace(b, stmts=tuple(t for s in b.stmts for t in stmt(s)))

    def stmt(s: Stmt) -> tuple[Stmt, ...]:
        nonlocal found
        match s:
            case Let(out=out, op=op, ins=(a, b)) if op in CHOICES and is_float(out.type):
                found += 1
                takes_second = names.var("takes_second", BOOL)
                return Let(takes_second, CHOICES[op], (b, a), s.span), Let(out, "select", (takes_second, b, a), s.span)
            case If(then=then, orelse=orelse):
                return (replace(s, then=block(then), orelse=block(orelse)),)
            case Loop(body=body):
                return (replace(s, body=block(body)),)
        return (s,)

    changed = replace(f, body=block(f.body))
    return changed if found else f
