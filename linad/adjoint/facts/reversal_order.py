"""Whether the adjoints of a loop's iterations can run in any order.

The adjoint of a sum passes through an iteration unchanged, and additions to cells commute. Anything else imposes an
order: of two stores to one cell, the last one receives the adjoint; and a factor of a carried value multiplies its
adjoint.
"""

from __future__ import annotations

from linad_typecheck.ir.core import AddArray, AddTo, Call, Dense, Fill, Let, Loop, Stmt, Store, Var

from linad.analysis.accesses import Access
from linad.analysis.dependence import Nest, farthest
from linad.analysis.loop_facts import outer_accesses
from linad.analysis.reductions import is_reduction

from .activity import Facts


def order_free(s: Loop, facts: Facts) -> bool:
    """Whether the adjoints of iterations commute: carried values are sums, and no cell is stored to twice."""
    if id(s) not in facts.order_free:
        facts.order_free[id(s)] = _sums_only(s, facts) and _cells_apart(s, facts)
    return facts.order_free[id(s)]


def _sums_only(s: Loop, facts: Facts) -> bool:
    """Whether every carried value with an adjoint is a sum."""

    def known_as(v: Var) -> str:
        return facts.value(v).name

    def ignored(t: Stmt) -> bool:
        return not _passes_on(t, facts)

    carried = (k for k, c in enumerate(s.carried) if facts.is_active(c))
    return all(is_reduction(s, k, ("add", "sub"), known_as, ignored) for k in carried)


def _passes_on(t: Stmt, facts: Facts) -> bool:
    """Whether a statement propagates an adjoint to its operands (`Dup` and `Read` only rename a value)."""
    match t:
        case Let():
            return facts.is_active(t.out)
        case Store(array=a) | AddTo(array=a) | Fill(array=a):
            return facts.is_active(a)
    return isinstance(t, Call) and bool(t.outs)


def _cells_apart(s: Loop, facts: Facts) -> bool:
    """Whether every outer array with an adjoint is only added to, or is stored to only in cells that no other iteration
    stores to."""
    nest = Nest(s, same=facts.value)
    written: dict[str, list[tuple[Stmt, Access]]] = {}
    for t, access in outer_accesses(s):
        if access.kind != "read" and facts.is_active(access.array):
            written.setdefault(facts.place(access.array), []).append((t, access))

    def commute(t: Stmt) -> bool:
        return isinstance(t, AddTo | AddArray) or isinstance(t, Dense) and t.op == "gemm"

    return all(
        all(commute(t) for t, _ in found) or farthest(nest, (a for _, a in found)) == 0 for found in written.values()
    )
