"""Reciprocal sharing: derivatives divide by a number once, and multiply by its reciprocal.

**Transformation.** Strength reduction of divisions with a common, invariant or constant divisor (Muchnick, Advanced
Compiler Design and Implementation, 1997, section 12.3), as LLVM does for divisions that allow it (``arcp``).

**Before.** ``t_bar = div a_bar t; q = div a t; u = mul q t_bar``
**After.** ``r = div 1.0 t; t_bar = mul a_bar r; q = mul a r; u = mul q t_bar``

**Legality.** Only quotients that are linear in an adjoint or a tangent, and those that are only multiplied by one: a
quotient of the user's program may be an exact integer, and must stay so. The results differ in the last bits. The
reciprocal of zero or of a subnormal number is nan instead, from which every adjoint becomes nan that the quotient
matters for; such a result is computed again without this pass.

**Profitability.** A division takes as long as five to twenty products, and every quotient of a program leads to two in
its derivative. A single division pays if its divisor does not change in the loop, which LLVM then divides by before.

**Needs.** Reassociation of products (fastmath); results that contain a nan are computed again.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

from linad_typecheck.ir.core import (
    Block, Const, Function, Let, Loop, Names, Stmt, Var, all_names, blocks, operands, walk,
)
from linad_typecheck.ir.rewrite import in_blocks, with_statements
from linad_typecheck.span import Span
from linad_typecheck.types import BOOL, is_float

from linad.analysis.flows import linear_values
from linad.analysis.loop_facts import defined

LOWEST = {"f64": 2.0**-1022, "f32": 2.0**-126}  # smallest normal numbers


def share_reciprocals(f: Function) -> Function:
    """Replace divisions in the derivatives of a function by products with reciprocals."""
    linear = linear_values(f) if any(map(_is_division, walk(f.body))) else set()
    if not linear:
        return f
    names, scales = Names(all_names(f)), _only_scales(f, linear)

    def block(b: Block, changing: set[str]) -> Block:
        """A block, and the values that change in the loop around it."""
        free = [s for s in b.stmts if _is_division(s) and (_name(s.ins[0]) in linear or s.out.name in scales)]
        counts = Counter(s.ins[1] for s in free)
        paid = {id(s) for s in free if counts[s.ins[1]] > 1 or _name(s.ins[1]) not in changing}
        known: dict[Var, Var] = {}
        stmts: list[Stmt] = []
        for s in b.stmts:
            if id(s) not in paid:
                inside = defined(s) if isinstance(s, Loop) else changing
                stmts.append(in_blocks(s, lambda inner, inside=inside: block(inner, inside)))
                continue
            x, divisor = s.ins
            if isinstance(divisor, Const):
                stmts.append(replace(s, op="mul", ins=(x, replace(divisor, value=1.0 / divisor.value))))
                continue
            if divisor not in known:
                stmts += _reciprocal(divisor, names, known, s.span)
            stmts.append(replace(s, op="mul", ins=(x, known[divisor])))
        return with_statements(b, stmts)

    return replace(f, body=block(f.body, set()))


def _reciprocal(t: Var, names: Names, known: dict[Var, Var], span: Span) -> list[Stmt]:
    """The reciprocal of a number; nan where it is infinite, or would be with another rounding."""
    kind = t.type
    near, small, by = names.var("t", kind), names.var("b", BOOL), names.var("r", kind)
    known[t] = names.var("r", kind)
    return [
        Let(near, "abs", (t,), span),
        Let(small, "lt", (near, Const(LOWEST[kind.dtype], kind)), span),
        Let(by, "div", (Const(1.0, kind), t), span),
        Let(known[t], "select", (small, Const(math.nan, kind), by), span),
    ]


def _is_division(s: Stmt) -> bool:
    """Whether a statement divides floats, by a number that has a reciprocal if it is a constant."""
    if not (isinstance(s, Let) and s.op == "div" and is_float(s.out.type)):
        return False
    by = s.ins[1]
    return isinstance(by, Var) or abs(by.value) >= LOWEST[by.type.dtype]


def _name(a: object) -> str:
    return a.name if isinstance(a, Var) else ""


def _only_scales(f: Function, linear: set[str]) -> set[str]:
    """The values that adjoints and tangents are multiplied by, and that are used for nothing else."""
    others = {_name(a) for a in f.body.results}
    scales: set[str] = set()
    for s in walk(f.body):
        used = {_name(a) for a in operands(s)}.union(_name(a) for b in blocks(s) for a in b.results)
        product = isinstance(s, Let) and s.op == "mul" and s.out.name in linear
        (scales if product else others).update(used)
    return scales - others - linear
