"""Zero tests: expand `zero_or` into operations that every backend supports.

**Transformation.** Expansion of `zero_or`, which derivatives contain if `rule.exact_zeros` holds.

**Before.** ``t = zero_or bar product``
**After.** ``z = eq bar 0.0; t = select z 0.0 product``

**Legality.** This is the definition of `zero_or`. The pass runs after the last differentiation: the derivative of the
`select` would ignore that a product with zero still changes when that zero changes.

**Profitability.** None; the expansion is required.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import Const, Function, Let, Names, Program, Stmt, all_names
from linad_typecheck.ir.rewrite import at_statements
from linad_typecheck.types import BOOL


def with_zero_tests(program: Program) -> Program:
    """Expand every `zero_or` in a program."""
    return replace(program, functions={name: _expanded(f) for name, f in program.functions.items()})


def _expanded(f: Function) -> Function:
    names = Names(all_names(f))

    def stmt(s: Stmt) -> tuple[Stmt, ...]:
        match s:
            case Let(out=out, op="zero_or", ins=(seed, made)):
                zero = names.var("zero", BOOL)
                test = Let(zero, "eq", (seed, Const(0.0, seed.type)), s.span)
                return test, Let(out, "select", (zero, Const(0.0, made.type), made), s.span)
        return (s,)

    return at_statements(f, stmt)
