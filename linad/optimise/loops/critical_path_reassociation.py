"""Critical-path reassociation: reorder a sum so that the loop-carried operand is added last.

**Transformation.** Height reduction by reassociation of the operations on the recurrence of a loop.

**Before.** ``t = add u1 (mul -2.0 u); s = add t u2 (u1 from the iteration before)``
**After.** ``t = add (mul -2.0 u) u2; s = add u1 t``

**Legality.** Only sums on a path from the values of the previous iteration to those passed to the next. A carried value
that is a plain reduction is left alone, because LLVM handles it. So is a sum that exists for its rounding, as in
compensated summation: one of its terms is itself a sum with other uses, or occurs twice.

**Profitability.** If the critical path gets at least a tenth shorter in cycles (`COSTS`). After a library call, a
smaller gain is not noticeable; and since the call clobbers all registers, another order may cause more spills.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Const, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names, operands, outputs,
    walk,
)
from linad_typecheck.ir.rewrite import at_loops
from linad_typecheck.types import is_float

from linad.analysis.loop_body import Body, needed
from linad.analysis.operation_costs import is_library_call
from linad.analysis.reductions import is_reduction

COSTS = {"add": 3, "sub": 3, "neg": 1, "mul": 4, "div": 13, "sqrt": 15}  # approximate cycles
EXPENSIVE, OTHER = 40, 2
SUMS = ("add", "sub")
GAIN = 0.1  # minimum gain, as a fraction of the path

Waits = Mapping[str, int]  # by name, the latency in cycles of a value that depends on the previous iteration


def reassociate_sums(f: Function) -> Function:
    """Reorder the sums of innermost loops by the latency of their terms."""
    names = Names(all_names(f))

    return at_loops(f, lambda s: [s if any(isinstance(t, Loop) for t in walk(s.body)) else _ordered(s, names)])


def _ordered(s: Loop, names: Names) -> Loop:
    late, ends = passed_on(s)
    if not late or not ends:
        return s
    waits = waits_of(s.body.stmts, late)
    way = needed_for(s.body, ends)
    uses = Counter(a.name for a in mentioned(s.body) if isinstance(a, Var))
    made = {t.out.name: t for t in s.body.stmts if isinstance(t, Let) and _is_sum(t)}
    inner = {
        a.name for t in made.values() for a in t.ins if isinstance(a, Var) and a.name in made and uses[a.name] == 1
    }
    out: list[Stmt] = []
    for t in s.body.stmts:
        name = t.out.name if isinstance(t, Let) else ""
        terms = (
            _terms(made[name], made, inner)
            if name in made and name in waits and name in way and name not in inner
            else []
        )
        atoms = [a for a, _ in terms]
        if len(set(atoms)) == len(atoms) > 2 and not any(isinstance(a, Var) and a.name in made for a in atoms):
            out += _sum(made[name], terms, waits, names)
        else:
            out.append(t)
    if len(out) == len(s.body.stmts) and all(a is b for a, b in zip(out, s.body.stmts)):
        return s
    kept = needed(out, (t for t in out if not _is_sum(t)), s.body.results)  # without dead partial sums
    return replace(s, body=replace(s.body, stmts=tuple(kept)))


def _is_sum(t: Stmt) -> bool:
    return isinstance(t, Let) and t.op in SUMS and is_float(t.out.type)


def passed_on(s: Loop) -> tuple[set[str], list[Atom]]:
    """The values that an iteration receives from the previous one, and those it computes from them for the next."""
    body, late, ends = Body(s), set(), []
    used = {v.name for t in s.body.stmts for v in inputs(t)}
    for k, (c, r) in enumerate(zip(s.carried, s.nexts, strict=True)):
        if is_float(c.type) and c.name in used and not is_reduction(s, k, SUMS):
            late.add(c.name)
            ends.append(r)
    if isinstance(s.step, Const) and abs(s.step.value) == 1:
        for t in s.body.stmts:
            if isinstance(t, Load) and is_float(t.out.type):
                written = [w for _, w in body.written.get(t.array.name, ()) if _just_written(body, w, t, s.step.value)]
                if written:
                    late.add(t.out.name)
                    ends += [w.value for w in written]
    return late, ends


def _just_written(body: Body, w: Store | AddTo, t: Load, step: int) -> bool:
    """Whether a load reads the cell that the previous iteration wrote."""
    there, here = body.cell(w.index), body.cell(t.index)
    return there is not None and here is not None and here + step == there


def waits_of(stmts: Iterable[Stmt], late: set[str]) -> dict[str, int]:
    waits = dict.fromkeys(late, 0)
    for t in stmts:
        given = [waits[v.name] for v in inputs(t) if v.name in waits]
        if given:
            cost = (EXPENSIVE if is_library_call(t) else COSTS.get(t.op, OTHER)) if isinstance(t, Let) else OTHER
            waits |= {v.name: max(given) + cost for v in outputs(t) if v.name not in waits}
    return waits


def inputs(t: Stmt) -> list[Var]:
    """The operands of a statement, including those of nested statements."""
    if isinstance(t, If):
        inside = (v for b in (t.then, t.orelse) for v in (*(v for u in b.stmts for v in inputs(u)), *b.results))
        return [v for v in (t.cond, *inside) if isinstance(v, Var)]
    return [a for a in operands(t) if isinstance(a, Var)]


def mentioned(b: Block) -> list[Atom]:
    return [*(a for t in b.stmts for a in inputs(t)), *b.results]


def needed_for(b: Block, ends: Iterable[Atom]) -> set[str]:
    """The names of all values that ``ends`` are computed from in a block."""
    ends = [a for a in ends if isinstance(a, Var)]
    return {a.name for a in (*ends, *(v for t in needed(b.stmts, (), ends) for v in inputs(t)))}


@dataclass(frozen=True)
class _Term:
    """A term of a sum, added or subtracted. ``wait``: its latency, or None if it does not depend on the previous
    iteration."""

    atom: Atom
    plus: bool
    wait: int | None


def _terms(t: Let, made: Mapping[str, Let], inner: set[str], plus: bool = True) -> list[tuple[Atom, bool]]:
    found: list[tuple[Atom, bool]] = []
    for k, a in enumerate(t.ins):
        sign = plus if t.op == "add" or k == 0 else not plus
        if isinstance(a, Var) and a.name in inner and made[a.name].out.type == t.out.type:
            found += _terms(made[a.name], made, inner, sign)
        else:
            found.append((a, sign))
    return found


def _sum(t: Let, found: list[tuple[Atom, bool]], waits: Waits, names: Names) -> list[Stmt]:
    """The statements of a sum, the last of which defines ``t.out``; just ``t`` if nothing is gained."""
    terms = [_Term(a, plus, waits.get(a.name) if isinstance(a, Var) else None) for a, plus in found]
    order = sorted(terms, key=lambda x: -1 if x.wait is None else x.wait)
    total, out = order[0], []
    for term in order[1:]:
        op, pair = (
            ("add", (total, term))
            if total.plus == term.plus
            else ("sub", (total, term) if total.plus else (term, total))
        )
        wait = max((w for w in (total.wait, term.wait) if w is not None), default=None)
        made = names.var("t", t.out.type)
        out.append(Let(made, op, (pair[0].atom, pair[1].atom), t.span))
        total = _Term(made, total.plus if op == "add" else True, None if wait is None else wait + COSTS["add"])
    if not total.plus or total.wait is None or total.wait > (1 - GAIN) * waits[t.out.name]:
        return [t]
    return [*out[:-1], replace(out[-1], out=t.out)]
