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

from collections.abc import Iterator
from dataclasses import replace

from linad_typecheck.ir.core import Block, Const, Let, Names, Program, Stmt, Var, all_names
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.types import BOOL


def with_zero_tests(program: Program) -> Program:
    """Expand every `zero_or` in a program."""

    def of(f):
        names = Names(all_names(f))

        def expanded(s: Stmt) -> Iterator[Stmt]:
            if isinstance(s, Let) and s.op == "zero_or":
                seed, made = s.ins
                zero = Const(0.0, made.type)
                test = Var(names.fresh("zero"), BOOL)
                yield Let(test, "eq", (seed, Const(0.0, seed.type)), s.span)
                yield Let(s.out, "select", (test, zero, made), s.span)
            else:
                yield in_blocks(s, inside)

        def inside(b: Block) -> Block:
            return Block(tuple(x for s in b.stmts for x in expanded(s)), b.results)

        return replace(f, body=inside(f.body))

    return replace(program, functions={name: of(f) for name, f in program.functions.items()})
