"""An estimate of the work of a loop in core steps, which decides whether threads pay off."""

from __future__ import annotations

from linad_typecheck.ir.core import Atom, Block, Const, If, Let, Loop, Var
from linad_typecheck.types import I64

from linad.analysis.operation_costs import is_library_call
from linad.analysis.loop_facts import defined
from linad.optimise.ints import ONE, Maker

EXPENSIVE = 10  # steps of a library call
UNKNOWN = 16  # assumed trip count of an inner loop
LARGEST = Const(2**20, I64)  # limit on trip counts before multiplication


def work_of(s: Loop, trips: Var, m: Maker) -> Atom:
    """The number of steps of a loop, computed before it from known values. It may overflow for absurd sizes."""
    return m.let("mul", trips, _block(s.body, defined(s), m), hint="work")


def _block(b: Block, made: set[str], m: Maker) -> Atom:
    """The number of steps of one execution of a block, at least 1."""
    fixed, rest = 1, []
    for t in b.stmts:
        match t:
            case Let():
                fixed += EXPENSIVE if is_library_call(t) else 1
            case If(then=then, orelse=orelse):
                for arm in (_block(then, made, m), _block(orelse, made, m)):
                    if isinstance(arm, Const):
                        fixed += int(arm.value) // 2
                    else:
                        rest.append(m.let("shr", arm, ONE))
            case Loop():
                cost = _inner(t, made, m)
                if isinstance(cost, Const):
                    fixed += int(cost.value)
                else:
                    rest.append(cost)
            case _:
                fixed += 1
    total: Atom = Const(fixed, I64)
    for r in rest:
        total = m.let("add", total, r)
    return total


def _inner(s: Loop, made: set[str], m: Maker) -> Atom:
    each = _block(s.body, made, m)
    bounds = (s.start, s.stop, s.step)
    known = all(isinstance(a, Const) or isinstance(a, Var) and a.name not in made for a in bounds)
    times: Atom = Const(UNKNOWN, I64)
    if known and s.stop is not None:
        times = m.let("min", m.let("trips", s.start, s.stop, s.step), LARGEST)
    if isinstance(times, Const) and isinstance(each, Const):
        return Const(int(times.value) * int(each.value), I64)
    return m.let("mul", times, each)
