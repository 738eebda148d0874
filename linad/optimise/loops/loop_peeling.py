"""Loop peeling: split off the first and last iterations of a loop if tests of its index single them out.

**Transformation.** Loop peeling (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter 5),
for several tests at once.

**Before.** ``for j in range(n) { k = min (j + 1) (n - 1); if j > 0 { a }; b }``
**After.** ``for j in range(min(n, 1)) {...}; for j in range(1, n - 1) { a; b }; for j in range(max(1, n - 1), n)
{...}``

**Legality.** The tests compare the index with loop-invariant values, and have the same result in all iterations but a
few at either end. The first and last loops keep the original body, so the trip count need not be known. The order of
iterations is unchanged.

**Profitability.** Peeling adds two copies of the body, whatever the number of tests. A loop is peeled if a test selects
between indices or arms. Loops that contain loops are peeled only for branches, and for the rows of additions: the
loops in them can then be vectorised, because the rows differ. For the loops of each depth, the function may grow by a
factor of `GROWTH` of its size before, and in any case by `MOST` statements: if outermost loops used it up, those inside
would keep their branches, which prevent vectorisation.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Container

from linad_typecheck.ir.core import AddTo, Atom, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names, walk

from linad.analysis.affine import Ranges
from linad.analysis.index_tests import Ends, is_edge, selecting_conditions
from linad.analysis.loop_facts import is_counted, with_ranges

from ..scalars.constant_folding import fold_constants
from ..scalars.dead_code_elimination import eliminate_dead_code
from .loop_cutting import Cutter, Piece, may_be_cut, settled_ints
from .loop_invariant_motion import hoist_invariants

GROWTH = 3
MOST = 1000


def peel_loops(f: Function) -> Function:
    """Peel the loops of a function that test for their first or last iterations."""
    names = Names(all_names(f))
    size = sum(1 for _ in walk(f.body))
    peeling = _Peeling(names)
    depth = max((_depth(s) for s in f.body.stmts), default=0)
    for level in range(depth, 0, -1):  # outermost loops first: the loops inside the peeled iterations are left alone
        peeling.budget = max(MOST, (GROWTH - 1) * size)
        after = with_ranges(f, lambda s, r, level=level: peeling.parts(s, r) if _depth(s) == level else [s], may_be_cut)
        if after != f:
            f = hoist_invariants(eliminate_dead_code(fold_constants(after)))
    return f


def _depth(s: Stmt) -> int:
    """The depth of nested loops."""
    match s:
        case Loop(body=body):
            return 1 + max(map(_depth, body.stmts), default=0)
        case If(then=then, orelse=orelse):
            return max(map(_depth, (*then.stmts, *orelse.stmts)), default=0)
    return 0


class _Peeling:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.budget = 0  # the number of statements by which the function may still grow
        self.edges: set[str] = set()  # indices of loops that are inside peeled iterations

    def parts(self, s: Loop, r: Ranges) -> list[Stmt]:
        """A loop, or the loops that it is split into."""
        inner = list(walk(s.body))
        if not is_counted(s, one_by_one=True) or not all(
            isinstance(t, Let | Load | Store | AddTo | If | Loop) for t in inner
        ):
            return [s]
        if 2 * len(inner) > self.budget or s.index.name in self.edges or is_edge(s, r):
            return [s]
        with r.scope():
            before, changed = settled_ints(s, r, self.names, clamps=True)
            for t in (t for t in changed.body.stmts if isinstance(t, Let)):
                r.statement(t)
            ends = Ends(changed, r)
        if not _selects_by(changed, {*ends.leading, *ends.trailing}):
            return [s]
        self.budget -= 2 * len(inner)
        loops, edges = _peeled(changed, ends, r, self.names)
        self.edges |= {t.index.name for e in edges for t in (e, *walk(e.body)) if isinstance(t, Loop)}
        return [*before, *loops]


def _selects_by(s: Loop, tests: Container[str]) -> bool:
    """Whether a branch or a select between indices depends on one of the tests."""
    inside = list(walk(s.body))
    made = {t.out.name: t for t in inside if isinstance(t, Let)}
    if any(isinstance(t, Loop) for t in inside):
        rows = {a for t in inside if isinstance(t, AddTo) for a in t.index}
        inside = [t for t in inside if isinstance(t, If) or isinstance(t, Let) and t.out in rows]
    todo, seen = [a.name for a in selecting_conditions(inside)], set()
    while todo:
        name = todo.pop()
        if name in tests:
            return True
        if name not in seen:
            seen.add(name)
            match made.get(name):
                case Let(op="and" | "or" | "not", ins=ins):
                    todo += [a.name for a in ins if isinstance(a, Var)]
    return False


def _peeled(s: Loop, ends: Ends, r: Ranges, names: Names) -> tuple[list[Stmt], list[Loop]]:
    """The peeled loops and the main loop, preceded by the computation of their bounds; and the peeled loops alone."""
    cutter = Cutter(s, r, names)
    start, stop = (s.start, s.stop) if ends.up else (s.stop, s.start)
    assert start is not None and stop is not None
    beside = 0 if ends.up else 1
    low: tuple[Atom, ...] = ()
    high: tuple[Atom, ...] = ()
    if leading := max(ends.leading.values(), default=0):
        low = (cutter.at(start, beside + leading),)
    if trailing := max(ends.trailing.values(), default=0):
        high = (cutter.at(stop, beside - trailing),)
    pieces = [Piece((), low, {})] if low else []
    pieces.append(Piece(low, high, ends.middle()))
    if high:
        pieces.append(Piece((*low, *high), (), {}))
    out = cutter.loops(pieces)
    loops = [t for t in out if isinstance(t, Loop)]
    first, last = (bool(low), bool(high)) if ends.up else (bool(high), bool(low))
    return out, [*loops[:first], *loops[len(loops) - last :]]
