"""Tests of adjoints and tangents for zero, in operations that every backend has.

**Transformation**: expansion of `zero_or`, which derivatives are made with where `rule.exact_zeros` holds.

**Before / after**::

    %t = zero_or(%bar, %product)
    %z = eq(%bar, 0.0); %t = select(%z, 0.0, %product)

**Legality**: it is what `zero_or` means. It comes after the last differentiation: the derivative of `select` by the
test would leave out that a product by zero still changes with that zero.

**Profitability**: none; it is needed.

**Needs**: nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linad_typecheck.ir.core import Block, Const, Let, Names, Program, Stmt, Var, all_names
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import BOOL


def with_zero_tests(program: Program) -> Program:
    """The program without `zero_or`."""

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
                yield rebuild(s, lambda a: a, block=inside)

        def inside(b: Block) -> Block:
            return Block(tuple(x for s in b.stmts for x in expanded(s)), b.results)

        return replace(f, body=inside(f.body))

    return replace(program, functions={name: of(f) for name, f in program.functions.items()})
