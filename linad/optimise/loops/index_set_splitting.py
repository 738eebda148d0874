"""Index-set splitting: split a loop at the iteration where a test of its index changes.

**Transformation.** Index-set splitting (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter
5). First, here and in other loops, a remainder ``(j + 1) % n`` whose dividend lies between ``-n`` and ``2n`` is
replaced by a compare and a sum.

**Before.** ``for j in range(n) { c = lt j k; if c { a } else { b } }``
**After.** ``for j in range(min(n, k)) { a }; for j in range(k, n) { b }``

**Legality.** Every branch of the loop compares the index with a loop-invariant value, so no branch remains. The order
of iterations is unchanged.

**Profitability.** Innermost loops of at most `MOST` statements: a branch prevents vectorisation, and a division takes
as long as twenty products. Tests that change near the ends of the range are left to `loop_peeling.py`.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from itertools import pairwise

from linad_typecheck.ir.core import AddTo, Function, If, Let, Load, Loop, Names, Stmt, Store, all_names, walk

from linad.analysis.affine import Ranges
from linad.analysis.index_tests import is_edge, selecting_conditions, tests_of
from linad.analysis.loop_facts import is_counted, with_ranges

from ..scalars.constant_folding import fold_constants
from ..scalars.dead_code_elimination import eliminate_dead_code
from .loop_cutting import Cutter, Piece, may_be_cut, settled_ints
from .loop_invariant_motion import hoist_invariants

MOST = 60  # statements of a loop
ROUNDS = 3  # tests per loop


def split_loops(f: Function) -> Function:
    """Split innermost loops at the iterations where tests of their indices change."""
    names = Names(all_names(f))

    def parts(s: Loop, r: Ranges) -> list[Stmt]:
        before, s = settled_ints(s, r, names)
        return [*before, *_split(s, r, names)]

    changed = False
    for _ in range(ROUNDS):
        after = with_ranges(f, parts, may_be_cut)
        if after == f:
            break
        f, changed = hoist_invariants(eliminate_dead_code(fold_constants(after))), True
    return eliminate_dead_code(fold_constants(f)) if changed else f


def _split(s: Loop, r: Ranges, names: Names) -> list[Stmt]:
    inner = list(walk(s.body))
    plain = all(isinstance(t, Let | Load | Store | AddTo | If) for t in inner)
    todo = [a.name for a in selecting_conditions(inner)]
    if not todo or not is_counted(s, one_by_one=True) or not plain or len(inner) > MOST or is_edge(s, r):
        return [s]
    tests = tests_of(s, r)
    made = {t.out.name: t for t in inner if isinstance(t, Let)}
    wanted: list[str] = []
    while todo:
        name = todo.pop()
        match made.get(name):
            case _ if name in tests:
                wanted.append(name)
            case Let(op="and" | "or" | "not", ins=ins):
                todo += [a.name for a in ins if not hasattr(a, "value")]
            case _:
                return [s]  # the condition depends on something else, too
    if not wanted:
        return [s]
    first = tests[wanted[0]]
    alike = {
        n: t
        for n, t in tests.items()
        if n == wanted[0] or (t.base, t.at) == (first.base, first.at) and not (t.single or first.single)
    }
    cutter = Cutter(s, r, names)
    cuts = [(), *((cutter.at(first.base, c),) for c in first.cuts), ()]
    return cutter.loops([
        Piece(low, high, {n: t.answer(k) for n, t in alike.items()}) for k, (low, high) in enumerate(pairwise(cuts))
    ])  # fmt: skip
