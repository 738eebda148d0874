"""Loop coalescing: a loop over blocks of a range and the loop over each block are one loop.

**Transformation.** Loop coalescing (Polychronopoulos, Loop coalescing: a compiler transformation for parallel machines,
1987) of strip-mined loops.

**Before.** ``for low in range(0, n, 1024) { for i in range(low, min(low + 1024, n)) { &b[i] += e } }``
**After.** ``for i in range(0, n) { &b[i] += e }``

**Legality.** The outer loop does nothing else: it hands what it carries to the inner loop and receives it from there.
Sums that begin anew in each block stay in blocks, which limits their rounding errors.

**Profitability.** Always. The reverse of a long sum has this form, because a sum adds the same adjoint to all terms.
As a loop over the whole array it is fused with others, and its first additions to an array become stores.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from linad_typecheck.ir.core import Atom, Const, Function, Let, Loop, Stmt, Var, mentioned, walk
from linad_typecheck.ir.rewrite import at_loops
from linad_typecheck.types import I64

from linad.analysis.trip_counts import ints_of

from ..ints import ONE, ZERO


def coalesce_loops(f: Function) -> Function:
    """Coalesce the loops of a function over blocks."""
    if not any(isinstance(s, Loop) and _width(s) > 1 for s in walk(f.body)):
        return f
    ints = ints_of(f)
    return at_loops(f, lambda s: _coalesced(s, ints))


def _width(s: Loop) -> int:
    """The width of the blocks of a loop, if it has any."""
    return abs(int(s.step.value)) if isinstance(s.step, Const) else 0


def _coalesced(s: Loop, ints: Mapping[str, Let]) -> list[Stmt]:
    inner = [t for t in s.body.stmts if isinstance(t, Loop)]
    if _width(s) <= 1 or s.exits or s.mark is not None or len(inner) != 1:
        return [s]
    [t] = inner
    bounds = [u for u in s.body.stmts if u is not t]
    if t.exits or t.mark is not None or t.inits != s.carried or s.body.results != t.outs:
        return [s]
    own = {s.index.name, *(u.out.name for u in bounds if isinstance(u, Let))}
    pure = all(isinstance(u, Let) and u.out.type == I64 for u in bounds)
    if not pure or not own.isdisjoint(mentioned(replace(t, start=ZERO, stop=ZERO))):
        return [s]
    size = covered(s, t, ints)
    if size is None:
        return [s]
    whole = replace(t, inits=s.inits, outs=s.outs)
    if t.step == ONE:
        return [replace(whole, start=ZERO, stop=size)]
    last = Let(s.index, "sub", (size, ONE), s.span)  # the name of the outer index is free now
    return [last, replace(whole, start=last.out, stop=Const(-1, I64))]


def covered(s: Loop, t: Loop, ints: Mapping[str, Let]) -> Atom | None:
    """The length of a range from 0 of which a loop visits blocks and another one each block, in the same direction."""

    def of(a: Atom | None, op: str) -> tuple[Atom, ...]:
        made = ints.get(a.name) if isinstance(a, Var) else None
        return made.ins if made is not None and made.op == op else (ZERO, ZERO, ZERO)

    width = Const(_width(s), I64)
    if s.step == width and t.step == ONE:
        first, high, size = t.start, t.stop, s.stop
        begins = s.start == ZERO and first == s.index
    elif t.step == Const(-1, I64) and s.stop == Const(-width.value, I64) and s.step == s.stop:
        high, below = of(t.start, "sub")[:1], of(t.stop, "sub")
        trips, width_again = of(s.start, "mul")[:2]
        count, one = of(trips, "sub")[:2]
        size = of(count, "trips")[1]
        begins = below == (s.index, ONE) and of(t.start, "sub")[1:] == (ONE,) and one == ONE and width_again == width
        begins &= of(count, "trips") == (ZERO, size, width)
        high = high[0]
    else:
        return None
    end, other = of(high, "min")[:2]
    return size if begins and other == size and of(end, "add") == (s.index, width) else None
