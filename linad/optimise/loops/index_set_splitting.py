"""Index-set splitting: a loop with a test that changes at one iteration becomes one loop before it and one from it on.

**Transformation.** Index-set splitting (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001,
chapter 5). The remainder ``(j + 1) % n`` of a number less than two whole turns away becomes a test and a sum first,
here and in other loops.

**Before.** ``for j in range(n) { c = lt j k; if c { a } else { b } }``
**After.** ``for j in range(min(n, k)) { a }; for j in range(k, n) { b }``

**Legality.** Every branch of the loop tests its index against what the loop does not change, so that no branch is
left. The iterations run in the order in which they did.

**Profitability.** Innermost loops of at most `MOST` statements: a branch keeps vector instructions away, and a
division takes as long as twenty products.

**Needs.** Sums may be taken in another order (fastmath); arrays of different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linad_typecheck.core import (
    AddTo,
    Atom,
    Block,
    Const,
    Function,
    If,
    Let,
    Load,
    Loop,
    Names,
    Stmt,
    Store,
    Var,
    all_names,
    walk,
)
from linad_typecheck.core_rewrite import freshen, rebuild, substitute
from linad_typecheck.types import BOOL, I64, INTS

from linad.analysis.affine import Ranges
from linad.analysis.loop_facts import defined, is_counted, with_ranges

from ..scalars.constant_folding import fold
from ..scalars.dead_code_elimination import drop_dead
from .loop_invariant_motion import hoist_invariants

MOST = 60  # statements of a loop
LARGE = 2**61  # more than any index
ZERO = Const(0, I64)
ROUNDS = 3  # tests of one loop
_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
# by comparison with a number: how far behind it the first iteration stands in which the answer is another one, and that answer
_FROM = {"lt": (0, False), "le": (1, False), "ge": (0, True), "gt": (1, True), "eq": (0, True), "ne": (0, False)}


def split_loops(f: Function) -> Function:
    """The function whose innermost loops do not ask where they are."""
    names = Names(all_names(f))

    def parts(s: Loop, r: Ranges) -> list[Stmt]:
        before, s = _settled_ints(s, r, names)
        return [*before, *_split(s, r, names)]

    changed = False
    for _ in range(ROUNDS):
        after = with_ranges(f, parts)
        if after == f:
            break
        f, changed = hoist_invariants(drop_dead(fold(after))), True
    return drop_dead(fold(f)) if changed else f


def _settled_ints(s: Loop, r: Ranges, names: Names) -> tuple[list[Stmt], Loop]:
    """The loop without remainders of what is less than a turn away, those that stay the same in front of it, and without the larger or
    smaller of two numbers of which it is known which that is."""
    made = defined(s)
    before: list[Stmt] = []
    stmts: list[Stmt] = []
    for t in s.body.stmts:
        match t:
            case Let(out=out, op="mod", ins=(x, n)) if out.type == I64:
                moves = any(isinstance(a, Var) and a.name in made for a in t.ins)
                found = _around(t, x, n, r, names)
                (stmts if moves or len(found) == 1 else before).extend(found)
            case Let(out=out, op="min" | "max" as op, ins=(x, y)) if out.type == I64:
                more = [a for a, b in ((x, y), (y, x)) if r.proves((r.value(a) - r.value(b)) * (1 if op == "max" else -1))]
                stmts.append(replace(t, op="add", ins=(more[0], ZERO)) if more else t)
            case _:
                stmts.append(t)
    return before, replace(s, body=replace(s.body, stmts=tuple(stmts)))


def _around(t: Let, x: Atom, n: Atom, r: Ranges, names: Names) -> list[Stmt]:
    """The remainder of a number that is within a turn of one below ``n``, by a test."""
    at, turn = r.value(x), r.value(n)
    once = r.proves(turn - 1)
    # a neighbour is the most frequent number, and the shorter proof: no more than n, or no less than -1
    over = once and r.proves(at) and (r.proves(turn - at) or r.proves(turn * 2 - at - 1))
    under = once and not over and r.proves(turn - at - 1) and (r.proves(at + 1) or r.proves(at + turn))
    if not over and not under:
        return [t]
    test, moved = names.var("round", BOOL), names.var("k", I64)
    return [
        Let(test, *(("ge", (x, n)) if over else ("lt", (x, ZERO))), t.span),
        Let(moved, "sub" if over else "add", (x, n), t.span),
        Let(t.out, "select", (test, moved, x), t.span),
    ]


def _split(s: Loop, r: Ranges, names: Names) -> list[Stmt]:
    if not is_counted(s, one_by_one=True):
        return [s]
    inner = list(walk(s.body))
    if not all(isinstance(t, Let | Load | Store | AddTo | If) for t in inner):
        return [s]
    tests = _tests(s, r)
    made = {t.out.name: t for t in inner if isinstance(t, Let)}
    todo = [a for a in _asked(inner) if isinstance(a, Var)]
    wanted: list[str] = []
    while todo:
        name = todo.pop().name
        match made.get(name):
            case _ if name in tests:
                wanted.append(name)
            case Let(op="and" | "or" | "not", ins=ins):
                todo += [a for a in ins if isinstance(a, Var)]
            case _:
                return [s]  # it asks for something else, too
    if not wanted or len(inner) > MOST:
        return [s]
    op, b, at = tests[wanted[0]]
    alike = {n: o for n, (o, *place) in tests.items() if n == wanted[0] or place == [b, at] and not {o, op} & {"eq", "ne"}}
    return _in_turn(s, alike, b, [at, at + 1] if op in ("eq", "ne") else [at], r, names)


def _asked(inner: list[Stmt]) -> Iterator[Atom]:
    """What branches ask, and choices between ints."""
    for t in inner:
        match t:
            case If(cond=c):
                yield c
            case Let(out=out, op="select", ins=(c, *_)) if out.type.dtype in INTS:
                yield c


def _tests(s: Loop, r: Ranges) -> dict[str, tuple[str, Atom, int]]:
    """The comparisons of the index with a number that stays the same: how, and that number, a value and what is to be added to it, from
    which on the answer is another one."""
    made, index = defined(s), r.value(s.index)
    found: dict[str, tuple[str, Atom, int]] = {}
    if not r.proves(index + LARGE) or not r.proves(index * -1 + LARGE):
        return found
    for t in walk(s.body):
        if not isinstance(t, Let) or t.op not in _FLIPPED or any(a.type != I64 for a in t.ins):
            continue
        for op, a, b in ((t.op, *t.ins), (_FLIPPED[t.op], *reversed(t.ins))):
            far, apart = r.value(a) - index, r.value(a) - r.value(b) - index
            if not far.terms and abs(far.const) < LARGE and not (isinstance(b, Var) and b.name in made):
                found[t.out.name] = (op, b, _FROM[op][0] - far.const)
                break
            if not apart.terms and abs(apart.const) < LARGE:  # both sides go on, one by the index more than the other
                found[t.out.name] = (op, ZERO, _FROM[op][0] - apart.const)
                break
    return found


def _in_turn(s: Loop, tests: dict[str, str], b: Atom, cuts: list[int], r: Ranges, names: Names) -> list[Stmt]:
    """A loop for each answer of tests, in the order in which the iterations run. The answers change at ``b`` and what is added to it."""
    assert isinstance(s.step, Const) and s.stop is not None
    out: list[Stmt] = []

    def let(op: str, x: Atom, y: Atom) -> Atom:
        v = names.var("k", I64)
        out.append(Let(v, op, (x, y), s.span))
        return v

    up = s.step.value > 0
    low, high = r.bounds(r.value(b))
    if low < -2 * LARGE or high > 2 * LARGE:  # the numbers beside it may not exist
        b = let("min", let("max", b, Const(-2 * LARGE, I64)), Const(2 * LARGE, I64))

    def at(cut: int) -> Atom:
        return let("add", b, Const(cut, I64)) if cut else b

    pieces: list[tuple[Atom, Atom, dict[str, Atom]]] = []
    for k, (low, high) in enumerate(zip([None, *cuts], [*cuts, None], strict=True)):
        start, stop = s.start, s.stop
        if up:
            start = start if low is None else let("max", start, at(low))
            stop = stop if high is None else let("min", stop, at(high))
        else:
            start = start if high is None else let("min", start, at(high - 1))
            stop = stop if low is None else let("max", stop, at(low - 1))
        pieces.append((start, stop, {name: Const(_FROM[op][1] == (k == 1), BOOL) for name, op in tests.items()}))
    values = s.inits
    for k, (start, stop, answers) in enumerate(pieces if up else reversed(pieces)):
        outs = s.outs if k == len(pieces) - 1 else tuple(names.like(v) for v in s.outs)
        part = replace(s, start=start, stop=stop, inits=(), outs=(), body=_settled(s.body, answers))
        [part] = freshen(Block((part,)), names, {}).stmts
        out.append(replace(part, inits=values, outs=outs))
        values = outs
    return out


def _settled(b: Block, answers: dict[str, Atom]) -> Block:
    """The block in which tests have answers."""

    def without(b: Block) -> Block:
        stmts = (t for t in b.stmts if not (isinstance(t, Let) and t.out.name in answers))
        return replace(b, stmts=tuple(rebuild(t, lambda a: a, block=without) for t in stmts))

    return substitute(without(b), answers)
