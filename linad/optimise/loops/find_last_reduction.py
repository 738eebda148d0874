"""Find-last reduction: differentiate a value that a loop chooses only in the iteration that it was chosen in.

**Transformation.** A find-last reduction, of which the argument of a minimum is an example: the loop carries the index
of the iteration that last replaced a value, and the value is computed again from this index after the loop.

**Before.** ``for i carry (c = init) -> (o) { v = e(i); b = lt v c; n = if b { yield v } else { yield c }; yield n }``
**After.** ``for i carry (c, at = start - 1) -> (_, at') {...}; o = if ne at' (start - 1) { e(at') } else { init }``

**Legality.** The loop runs over a range to its end. It writes to no array that the value is computed from, and the
value does not depend on what the loop carries, except for ints, which are carried as well. Comparisons and conversions
to ints keep the value that the loop itself carries, so that all decisions are the same.

**Profitability.** The loop only compares what it carries: its reverse, and a logged decision for each iteration, become
the reverse of one iteration and one logged int. Or it does nothing else; a loop with other effects is reversed in any
case, and decisions that do not depend on the value need no log. A minimum over several loops becomes that of the
outermost one, after those in it. Runs only before differentiation.

**Needs.** Nothing: results are bitwise identical without contraction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Const, Dim, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names, blocks,
    free_vars, names_in, operands, outputs, walk,
)
from linad_typecheck.ir.rewrite import freshen, in_blocks, renamed
from linad_typecheck.types import BOOL, I64, Scalar, is_float

from linad.analysis.alias import alias_groups
from linad.analysis.loop_facts import is_counted, updated
from linad.analysis.trip_counts import is_short

from ..ints import Maker
from ..scalars.comparison_naming import CHOICES
from ..scalars.dead_code_elimination import eliminate_dead_code


def find_last(f: Function) -> Function:
    """Apply find-last reduction to the loops of a function."""
    made = _Finder(f).block(f.body)
    return f if made == f.body else eliminate_dead_code(replace(f, body=made))


@dataclass(frozen=True)
class _Choice:
    """A statement that either keeps a carried value or chooses another, which is its operand or result ``value``;
    ``inner``: the choice in the arm that this is a result of. ``first``: whether the first arm, operand or side is it.
    ``position``: that of the result of a branch.
    """

    stmt: Stmt
    value: Atom
    first: bool
    position: int
    inner: _Choice | None = None

    def path(self) -> Iterator[Block]:
        """The arms in which the value is chosen, from the outside."""
        if isinstance(self.stmt, If):
            yield self.stmt.then if self.first else self.stmt.orelse
        if self.inner is not None:
            yield from self.inner.path()

    @property
    def leaf(self) -> Atom:
        return self.value if self.inner is None else self.inner.leaf


def _choice(b: Block, r: Atom, kept: Var) -> _Choice | None:
    """The choice that a value of a block is the result of, if it is one between ``kept`` and one other value."""
    s, k = next((t for t in b.stmts if r in outputs(t)), None), 0
    match s:
        case If(then=then, orelse=orelse, outs=outs):
            k = outs.index(r)  # type: ignore[arg-type]
            arms, sides = (then, orelse), (then.results[k], orelse.results[k])
        case Let(op="select", ins=(_, a, b_)):
            arms, sides = (Block(), Block()), (a, b_)
        case Let(op=op, ins=(a, b_)) if op in CHOICES:
            arms, sides = (Block(), Block()), (a, b_)
        case _:
            return None
    if (sides[0] == kept) == (sides[1] == kept):
        return None
    first = sides[1] == kept
    arm, value = (arms[0], sides[0]) if first else (arms[1], sides[1])
    return _Choice(s, value, first, k, _choice(arm, value, kept))


class _Finder:
    def __init__(self, f: Function) -> None:
        self.names, self.group = Names(all_names(f)), alias_groups(f)
        self.used = {a.name for t in walk(f.body) for a in operands(t) if isinstance(a, Var)}
        self.used |= {
            a.name
            for b in (f.body, *(b for t in walk(f.body) for b in blocks(t)))
            for a in b.results
            if isinstance(a, Var)
        }
        self.found: dict[str, Atom] = {}  # by the value that a loop carries to its end, what is computed again
        self.own: dict[str, Var] = {}  # and the other way round

    def block(self, b: Block) -> Block:
        out: list[Stmt] = []
        for s in b.stmts:
            if not (isinstance(s, Let) and not is_float(s.out.type)):
                s = renamed(s, self.found)
            s = in_blocks(s, self.block)
            out += self.loop(s) if isinstance(s, Loop) else [s]
        results = tuple(self.found.get(a.name, a) if isinstance(a, Var) else a for a in b.results)
        same = results == b.results and len(out) == len(b.stmts) and all(map(_is, out, b.stmts))
        return b if same else Block(tuple(out), results)

    def loop(self, s: Loop) -> list[Stmt]:
        """A loop, and the values that it chooses computed again after it."""
        before, after = Maker(self.names), list[Stmt]()
        if not is_counted(s) or is_short(s):
            return [s]
        for k, c in enumerate(s.carried):
            if is_float(c.type) and s.outs[k].name in self.used:
                choice = _choice(s.body, s.body.results[k], c)
                slice_ = None if choice is None else _slice(s, choice, self.group)
                if choice is not None and slice_ is not None and _is_worth_it(s, k, choice):
                    s, stmts = self.tracked(s, k, choice, slice_, before)
                    after += stmts
        return [*before.out, s, *after]

    def tracked(self, s: Loop, k: int, choice: _Choice, slice_: _Slice, before: Maker) -> tuple[Loop, list[Stmt]]:
        """The loop that also carries where its ``k``-th value was chosen, and the statements that compute it there."""
        nowhere = before.let("sub", s.start, s.step)
        places: list[Var] = [s.index, *slice_.captured]
        carried, outs = ([self.names.var("at", v.type) for v in places] for _ in range(2))
        inits = [nowhere, *(Const(False if v.type == BOOL else 0, v.type) for v in places[1:])]
        body, nexts = self.choosing(s.body, choice, places, carried)
        body = replace(body, results=(*self.compared(s.body.results, k), *nexts))
        loop = replace(
            s, carried=(*s.carried, *carried), inits=(*s.inits, *inits), body=body, outs=(*s.outs, *outs)
        )
        there = dict(zip((v.name for v in places), outs, strict=True))
        again = freshen(Block(tuple(map(_unchecked, slice_.stmts)), (choice.leaf,)), self.names, there)
        chosen, value = self.names.var("chosen", BOOL), self.names.like(s.outs[k])
        self.found[s.outs[k].name], self.own[value.name] = value, s.outs[k]
        return loop, [
            Let(chosen, "ne", (outs[0], nowhere), s.span),
            If(chosen, again, Block((), (s.inits[k],)), (value,), s.span),
        ]

    def compared(self, results: tuple[Atom, ...], k: int) -> tuple[Atom, ...]:
        """The results, the ``k``-th one as a loop in the block itself carries it: computed again it may round
        differently."""
        r = results[k]
        return (*results[:k], self.own.get(r.name, r) if isinstance(r, Var) else r, *results[k + 1 :])

    def choosing(self, b: Block, choice: _Choice, places: list[Var], kept: list[Var]) -> tuple[Block, list[Var]]:
        """The block with the places where a value was chosen as further results of its choice."""
        at = next(k for k, t in enumerate(b.stmts) if t is choice.stmt)
        s, outs = choice.stmt, [self.names.like(v) for v in kept]
        made: list[Stmt]
        if isinstance(s, If):
            arm = s.then if choice.first else s.orelse
            chosen: list[Var] = places
            if choice.inner is not None:
                arm, chosen = self.choosing(arm, choice.inner, places, kept)
            arm = replace(arm, results=(*self.compared(arm.results, choice.position), *chosen))
            other = s.orelse if choice.first else s.then
            other = replace(other, results=(*other.results, *kept))
            arms = (arm, other) if choice.first else (other, arm)
            made = [replace(s, then=arms[0], orelse=arms[1], outs=(*s.outs, *outs))]
        else:
            assert isinstance(s, Let)
            cond, first = s.ins[0], choice.first
            side = next(k for k, a in enumerate(s.ins) if a == choice.value)
            s = replace(s, ins=self.compared(s.ins, side))
            made = [s]
            if s.op in CHOICES:
                cond, first = self.names.var("takes_second", BOOL), not first
                made.append(Let(cond, CHOICES[s.op], (s.ins[1], s.ins[0]), s.span))
            for out, there, before in zip(outs, places, kept, strict=True):
                sides = (there, before) if first else (before, there)
                made.append(Let(out, "select", (cond, *sides), s.span))
        return replace(b, stmts=(*b.stmts[:at], *made, *b.stmts[at + 1 :])), outs


@dataclass(frozen=True)
class _Slice:
    """The statements that compute a value from the loop index, invariants and the ``captured`` ints."""

    stmts: list[Stmt]
    captured: list[Var]


def _slice(s: Loop, choice: _Choice, group: Callable[[str], str]) -> _Slice | None:
    """What computes the chosen value of a loop, or None if it cannot be computed after the loop. ``group``: the arrays
    that may be the same one."""
    stmts = [t for b in (s.body, *choice.path()) for t in b.stmts]
    made = {v.name: t for t in stmts for v in outputs(t)}
    inside = {s.index.name, *(c.name for c in s.carried)} | names_in(s.body)
    arrays = {v.name for t in walk(s.body) for v in outputs(t) if not isinstance(v.type, Scalar)}
    changed = set(map(group, updated(s) | arrays))
    wanted: set[int] = set()
    captured: dict[str, Var] = {}
    again: dict[str, bool] = {}

    def is_pure(t: Stmt) -> bool:
        parts = (t, *(u for b in blocks(t) for u in walk(b)))
        return all(
            isinstance(u, Let | If)
            or isinstance(u, Loop) and is_counted(u)
            or isinstance(u, Load | Dim) and group(u.array.name) not in changed
            for u in parts
        )

    def repeatable(a: Atom) -> bool:
        """Whether a value can be computed again from the index and from what is known after the loop."""
        if not isinstance(a, Var) or a.name not in inside or a == s.index:
            return True
        if a.name not in again:
            t = made.get(a.name)
            again[a.name] = t is not None and is_pure(t) and all(map(repeatable, _read(t)))
        return again[a.name]

    def include(a: Atom) -> bool:
        if not isinstance(a, Var) or a.name not in inside or a == s.index or a.name in captured:
            return True
        t = made.get(a.name)
        if not is_float(a.type) and isinstance(a.type, Scalar) and not repeatable(a):
            captured[a.name] = a
            return True
        if t is None or not is_pure(t):
            return False
        if id(t) in wanted:
            return True
        wanted.add(id(t))
        return all(map(include, _read(t)))

    if not include(choice.leaf):
        return None
    return _Slice([t for t in stmts if id(t) in wanted], list(captured.values()))


def _read(t: Stmt) -> Iterable[Atom]:
    """The scalars that a statement reads, those in its blocks included."""
    free = (v for b in blocks(t) for v in free_vars(b).values())
    own = {t.index.name, *(c.name for c in t.carried)} if isinstance(t, Loop) else set()
    return [
        a
        for a in (*operands(t), *free)
        if isinstance(a, Const) or isinstance(a.type, Scalar) and a.name not in own
    ]


def _is_worth_it(s: Loop, k: int, choice: _Choice) -> bool:
    """Whether a loop uses its ``k``-th value only in comparisons, in loops that carry it on, and in its own choice; and
    whether it compares it at all, or does nothing else that has to be reversed."""
    own, held = set[int](), {s.carried[k], s.body.results[k]}
    inner: _Choice | None = choice
    while inner is not None:
        own.add(id(inner.stmt))
        held |= {inner.value} if inner.inner is not None else set()
        inner = inner.inner
    for t in walk(s.body):
        counts = isinstance(t, Store | AddTo) or isinstance(t, Let) and is_float(t.out.type)
        if counts and id(t) not in own and not held.isdisjoint(operands(t)):
            return False
    compared = any(
        getattr(t, "op", "") in CHOICES if id(t) in own else not held.isdisjoint(operands(t)) for t in walk(s.body)
    )
    others = any(is_float(c.type) for c in s.carried if c != s.carried[k])
    return compared or not others and not any(isinstance(t, Store | AddTo) for t in walk(s.body))


def _unchecked(t: Stmt) -> Stmt:
    """The statement without index checks, which it has passed in the loop."""
    t = in_blocks(t, lambda b: replace(b, stmts=tuple(map(_unchecked, b.stmts))))
    return replace(t, checked=False) if isinstance(t, Load) else t


def _is(a: object, b: object) -> bool:
    return a is b
