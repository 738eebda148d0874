"""One attempt to lower a loop from an assumed head. What the body contradicts is entered into the head."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..ir.core import Atom, Block, Checkpoint, Const, Loop, Var, walk
from ..linear.uses import uses
from ..frozen import frozen
from ..ownership.objects import earlier, is_single_object
from ..ownership.state import (
    array_leaves, inherits, join_aliases, lose, may_share_items, movable, record_copy, shared_use, shares_items,
)
from ..messages.language import EverDeeper
from ..messages.types import TypeChanges
from ..span import Span
from ..types import BOOL, FLOATS, I64, INTS, Array, Type
from .blocks import block, definitely_bound, exit_kind, set_exit_kind
from .entities import unknown_constant
from .evaluation import condition
from .exits import bound_if, breaks, returns
from .growing import leaves_of
from .joins import branch, coerce, made_in, own_array
from .loop_head import TOP, Head, Place, fits, lost_leaf, lost_parts, outside, renamed
from .path import Classes, Fixed
from .places import materialise
from .state import BREAK, CTL, FALSE, GIVEN_OBJECT, ONE, RETURN, RUN, TRUE, ZERO, Lowering
from .values import (
    ARRAYS, SILENT, ArrayType, ArrayValue, Binding, Bottom, Loss, LostArray, OtherType, Poison, ScalarType,
    ScalarValue, TupleType, TupleValue, Undecided, UnionType, UnionValue, Value, ValueType, ViewType, ViewValue, arrays,
    contains, describe, differing, join_settling, join_types, leaves, rebuild, type_leaves, type_of,
)

AGAIN = "%again"
_UPDATES = ("update", "accumulate")


@frozen
class Shape:
    """The parts of a loop statement in which `for` and `while` differ."""

    node: ast.For | ast.While
    start: Atom
    stop: Atom | None
    step: Atom
    nonneg: bool
    enter: Callable[[Atom], None]  # binds the target
    test: ast.expr | None = None
    mark: Checkpoint | None = None
    key: object = None  # identifies the loop in the text, however often it is lowered

    @property
    def least(self) -> int:
        """A lower bound of the index of a loop over a range, if it is non-negative."""
        match self:
            case Shape(start=Const(value=k), step=Const(value=step)) if step > 0:
                return max(k, 0)
            case Shape(stop=Const(value=k), step=Const(value=step)) if step < 0:
                return max(k + 1, 0)
        return 0

    @property
    def has_break(self) -> bool:
        return breaks(self.node.body)

    @property
    def has_return(self) -> bool:
        return returns(self.node.body)

    @property
    def runs(self) -> bool:
        """Whether the body runs at least once: a `while` whose test is evaluated first, or a `for` over a literal
        range."""
        if self.stop is None:
            return True
        bounds = self.start, self.stop, self.step
        return (
            all(isinstance(b, Const) for b in bounds) and self.step != ZERO and bool(range(*(b.value for b in bounds)))
        )


def carried_array(ctx: Lowering, v: Value, t: ValueType, name: str, span, defined: Atom | None) -> Value:
    """The array that a loop carries for a view or for a union of two arrays, also inside tuples."""
    match t, v:
        case TupleType(items=kinds), TupleValue(items=items) if len(kinds) == len(items):
            return replace(
                v,
                items=tuple(
                    carried_array(ctx, p, kind, name, span, defined) for p, kind in zip(items, kinds, strict=True)
                ),
            )
        case ArrayType(), ViewValue() | UnionValue():
            ctx.fact("copy", name, span, f"the loop gives `{name}` arrays of its own; the first one is part of another")
            made = own_array(ctx, v, name, span, defined)
            record_copy(ctx, made.var, v, span)
            return made
    return v


def objects_of(v: Value, t: ValueType, at: int = 0) -> Iterator[tuple[TupleValue, TupleType, int]]:
    """The lists, dicts and objects in a value, each with its type and the index of its first leaf."""
    if not isinstance(v, TupleValue) or not isinstance(t, TupleType):
        return
    if v.changes:
        yield v, t, at
    for x, kind in zip(v.items, t.items, strict=True) if v.record is t.record and len(v.items) == len(t.items) else ():
        yield from objects_of(x, kind, at)
        at += len(list(type_leaves(kind)))


class Attempt:
    """Lower a loop once from an assumed head. Contradictions are entered into ``grown`` for the next attempt."""

    def __init__(self, ctx: Lowering, shape: Shape, assumed: Head, live: frozenset[str], hint: str) -> None:
        self.ctx, self.shape, self.assumed, self.live, self.hint = ctx, shape, assumed, live, hint
        self.grown = assumed.copy()
        self.undecided: dict[str, Undecided] = {}
        self.settled = False  # the next attempt would lower the body alike
        self.span = ctx.span(shape.node.iter if isinstance(shape.node, ast.For) else shape.node.test)
        self.carried: list[Var] = []
        self.inits: list[Atom] = []
        # initial array of a carried one -> the name and the variable that carry it
        self.owner: dict[str, tuple[str, Var]] = {}
        self.flags: dict[str, Var] = {}
        self.bound: set[str] = set()  # flagged names that are defined at the end of every iteration
        self.unknown: set[str] = set()  # names whose value is unknown because of an error in the body
        self.widened: dict[str, tuple[str, Span] | None] = {}  # floats that are ints at the end of the body
        self.steady: dict[Place, Var] = {}
        # the names that this attempt carries; those found later are for the next one
        self.entered: frozenset[str] = frozenset()
        self.alike: Classes = Fixed()  # may-alias classes at the head
        self.objects = ctx.path.objects  # made before the iteration
        self.depth = ctx.path.looping + 1
        self.headed: list[str] = []  # names that have their values at the head
        self.twins: dict[Place, tuple[int, str, int]] = {}  # objects in values, by number, that another name carries
        self.returns = shape.has_return
        self.left_early = self.returns or shape.has_break
        self.exits = shape.stop is None or self.left_early

    def run(self) -> None:
        ctx, shape, grown = self.ctx, self.shape, self.grown
        lost = {
            n: replace(ctx.env[n], value=v) if n in ctx.env else Binding(v, self.span) for n, v in grown.lost.items()
        }
        ctx.bind_all(lost)
        self.before = before = ctx.env
        self.sought = set(ctx.live.binds([shape.node])) & self.live - before.keys() - grown.types.keys() - grown.unbound
        ctx.bind_all(dict.fromkeys(sorted(self.sought), Binding(Bottom(), self.span)))
        self.steady = grown.steady(before)
        kept = {v.name for n, b in before.items() if n not in grown.types for v in arrays(b.value)}
        kept |= {v.name for v in self.steady.values()}
        self.entered = frozenset(grown.types)
        for name, t in grown.types.items():
            self.head(name, t, before.get(name), kept)
        head = ctx.env
        for pair in grown.mixed:
            found = [p if isinstance(p, str) else getattr(self.array_at(head, p), "name", "") for p in pair]
            join_aliases(ctx, *(n for n in found if n))
        for at in grown.doubled:
            if array := at if isinstance(at, Var) else self.array_at(head, at):
                shares_items(ctx, array)
        self.alike = ctx.path.alike
        counts = (shape.start, shape.step) == (ZERO, ONE)
        few = isinstance(shape.step, Const) and abs(shape.step.value) < 2**16 and ctx.bits(shape.start) <= 50
        known = {"nonneg": True, "bits": 50 if few else 63, "least": shape.least} if shape.nonneg else {}
        index = ctx.fresh(self.hint, I64, below=shape.stop if counts else None, **known)

        def turn() -> tuple[Atom | None, Atom, list[Atom] | None]:
            self.objects = ctx.path.objects
            ctx.go(want_ctl=self.left_early, made=frozenset(), owned=ctx.path.owned | grown.owned, looping=self.depth)
            again = self.body(index)
            left, ended, dead = exit_kind(ctx), ctx.env, ctx.path.dead
            moving = self.compare(head, ended, left, dead)
            return again, left, None if moving else self.results(head, ended, left, kept, dead)

        found = ctx.ahead(turn)
        again, left, results = found.value
        end, waiting = found.path, len(ctx.path.flight)
        ctx.go(alike=end.alike, objects=end.objects, returned=end.returned, flight=end.flight[:waiting])
        if results is not None:
            self.finish(before, head, index, found.stmts, results, again, left)
            self.shown(head, end.env)

    # -- head

    def head(self, name: str, t: ValueType, b: Binding | None, kept: set[str]) -> None:
        """Bind a name to fresh carried variables."""
        ctx = self.ctx
        span = self.span if b is None else b.span
        if isinstance(t, OtherType):
            # a read before the body assigns the name is reported again
            if b is None and isinstance(t.value, Poison) and not ctx.programs.unknown:
                return
            value = t.value if b is None or isinstance(t.value, Poison) else b.value
            flag = None if isinstance(value, SILENT) or name in self.grown.lost else self.flag(name, b)
            ctx.bind(name, Binding(value, span, flag))
            return
        holders = [h[0] for (n, _), h in self.grown.shared.items() if n == name and not isinstance(h, Var)]
        gone = next((self.grown.lost[h] for h in holders if h in self.grown.lost), None)
        if gone is not None:
            self.grown.lost.setdefault(name, lost_leaf(gone))
        if name in self.grown.lost:
            return
        twins = {} if b is None else self.twins_of(name, t, b.value)
        held = None if b is None else carried_array(ctx, b.value, t, name, self.span, b.defined)
        first = list(coerce(ctx, held, t, self.span, None if b is None else b.defined))
        fresh: list[Atom] = []
        for k, (atom, kind) in enumerate(zip(first, type_leaves(t), strict=True)):
            if (name, k) in self.steady:
                fresh.append(atom)
            elif k in twins:
                fresh.append(twins[k])
            elif (name, k) in self.grown.shared:
                fresh.append(self.shared(name, k))
            elif isinstance(kind, Array):
                fresh.append(self.array(name, k, atom, kind, kept))
            else:
                counted = isinstance(t, ScalarType) and kind.dtype in INTS and name not in self.grown.negative
                few = ctx.is_nonneg(atom) and ctx.bits(atom) <= 50 and name not in self.grown.wrapping
                known: dict[str, Any] = {} if not counted else {"nonneg": True} if few else {"wraps": ctx.counts(atom)}
                if kind.dtype in FLOATS and b is not None:
                    known["widened"] = ctx.widened(name, span, b.value)
                fresh.append(self.carry(name, kind, atom, **known))
        value = rebuild(t, iter(fresh))
        if isinstance(t, ScalarType) and t.dtype in FLOATS and t.weak is not False:
            value = ScalarValue(fresh[0], self.undecided.setdefault(name, Undecided(t.weak)))
        ctx.bind(name, Binding(value, span, self.flag(name, b)))
        self.headed.append(name)

    def twins_of(self, name: str, t: ValueType, v: Value) -> dict[int, Atom]:
        """The leaves, by index, of those objects in a value that are known to be carried under another name already."""
        found: dict[int, Atom] = {}
        for k, (part, kind, at) in enumerate(objects_of(v, t)):
            if at in found or not is_single_object(part) or (name, k) in self.grown.split:
                continue
            for other in self.headed if any(isinstance(leaf, Array) for leaf in type_leaves(kind)) else ():
                if other not in self.before:
                    continue
                for j, (same, its, place) in enumerate(objects_of(self.before[other].value, self.grown.types[other])):
                    if same == part and its == kind and at not in found:
                        self.twins[name, k] = j, other, at
                        at_head = list(leaves(self.ctx.env[other].value))[place:]
                        found |= zip(range(at, at + len(list(type_leaves(kind)))), at_head, strict=False)
        return found

    def split(self, ended: Mapping[str, Binding]) -> bool:
        """Whether two names that carry the same object at the head of the loop hold different ones where an
        iteration ends."""
        apart: set[Place] = set()
        for (name, k), (j, other, _) in self.twins.items():
            both = [list(objects_of(ended[n].value, self.grown.types[n])) if n in ended else [] for n in (name, other)]
            parts = [found[m][0] if m < len(found) else None for found, m in zip(both, (k, j), strict=True)]
            if parts[0] is None or parts[0] != parts[1]:
                apart.add((name, k))
        self.grown.split |= apart
        return bool(apart)

    def flag(self, name: str, b: Binding | None) -> Var | None:
        """The carried flag of a name that may be undefined at the head."""
        if name not in self.grown.flagged:
            return None
        self.flags[name] = self.carry(f"{name}_set", BOOL, FALSE if b is None else (b.defined or TRUE))
        return self.flags[name]

    def shared(self, name: str, k: int) -> Atom:
        """The array that the name shares, as it is at the head of the loop."""
        match self.grown.shared[name, k]:
            case Var() as outer:
                return outer
            case other, place:
                return list(leaves(self.ctx.env[other].value))[place]

    def carry(self, name: str, t: Type, init: Atom, **known: Any) -> Var:
        var = self.ctx.fresh(name.strip("%"), t, **known)
        self.carried.append(var)
        self.inits.append(init)
        return var

    def array(self, name: str, k: int, first: Var, t: Array, kept: set[str]) -> Var:
        """The carried variable of an array. It takes over the initial array, or a copy of it if that stays in use."""
        ctx = self.ctx
        _, taken = self.owner.get(first.name, (name, None))
        in_order = t.rank > 1 and ctx.known(first).in_order and (name, k) not in self.grown.disordered
        ones = frozenset(fact for fact in ctx.ones(first) if ((name, k), fact) not in self.grown.longer)
        if taken is None and first.name not in kept and movable(ctx, first):
            var = self.carry(name, t, first, in_order=in_order, ones=ones)
            self.owner[first.name] = name, var
            inherits(ctx, var, first)
            return var
        ctx.fact(
            "copy", name, self.span, f"the loop gives `{name}` arrays of its own; the first one stays in use elsewhere"
        )
        copy = materialise(ctx, ArrayValue(first), name, self.span).var
        record_copy(ctx, copy, ArrayValue(first), self.span)
        var = self.carry(name, t, copy, in_order=in_order, ones=ones)
        join_aliases(ctx, var.name, (taken or first).name)
        return var

    # -- body

    def body(self, index: Var) -> Atom | None:
        """Lower the body, and the continue condition of a loop with exits."""
        ctx, shape = self.ctx, self.shape
        set_exit_kind(ctx, RUN, self.span)

        def turn() -> None:
            shape.enter(index)
            block(ctx, shape.node.body, self.live)
            if self.exits:
                ctx.bind(AGAIN, Binding(ScalarValue(self.again()), self.span))

        def stop() -> None:
            ctx.bind(AGAIN, Binding(ScalarValue(FALSE), self.span))

        if shape.test is None:
            turn()
            return ctx.unbind(AGAIN).value.atom if self.exits else None
        cond = condition(ctx, shape.test)
        unknown = cond is None and unknown_constant(ctx, shape.test)
        if cond is None:
            cond = ctx.fresh("b", BOOL)
            definitely_bound(ctx, bound_if(shape.test, True))
        goes_on = []

        def noted() -> None:
            turn()
            goes_on.append(ctx.env[AGAIN].value.atom)

        with ctx.programs.perhaps_dead(unknown):
            branch(ctx, cond, noted, stop, self.live, self.span)
        again = ctx.unbind(AGAIN).value.atom
        return again

    def again(self) -> Atom:
        left = exit_kind(self.ctx)
        if isinstance(left, Const):
            return Const(left.value < BREAK.value, BOOL)
        return self.ctx.let("again", "lt", (left, BREAK), BOOL, self.span)

    def shown(self, head: dict[str, Binding], ended: dict[str, Binding]) -> None:
        """Mark names whose array the body updates under another name: later iterations and code after the loop see the
        update."""
        ctx, shape = self.ctx, self.shape
        for name, b in ended.items():
            h = head.get(name)
            if b.shared is None or h is None or h.shared is not None or h.value != b.value:
                continue
            ctx.bind(name, replace(ctx.env[name], shared=b.shared))
            nodes = (n for part in (*shape.node.body, *filter(None, (shape.test,))) for n in ast.walk(part))
            reads = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
            if reads:
                shared_use(ctx, name, ctx.env[name], min(map(ctx.span, reads), key=lambda s: (s.line, s.column)))

    # -- end of the body

    def compare(self, head: dict[str, Binding], ended: dict[str, Binding], left: Atom, dead: bool) -> bool:
        """Enter into the head what the end of the body contradicts.

        Returns True if the attempt relied on a fact that is now refuted: an array in a tuple was assumed unchanged and
        is rebound, or a name needs an array of its own.
        """
        grown = self.grown
        moving = len(grown.moving)
        gone = dead or left == RETURN
        for name, b in ended.items():
            if name in (CTL, AGAIN) or (gone and name[0] != "%") or not (name in self.live or name[0] == "%"):
                continue
            h = head.get(name)
            if h is b and type(h.value) in (ScalarValue, ArrayValue):
                continue
            if h is not None and isinstance(h.value, Bottom):
                h = None
            # left over where an element of the iterable was reported
            if h is None and (isinstance(b.value, Bottom) or name.startswith("%over")):
                continue
            told_here = isinstance(b.value, Poison) and not (h is not None and isinstance(h.value, Poison))
            if told_here and b.value.told is not None:  # the next attempt has to report it again
                grown.lost.setdefault(name, b.value.told)
                continue
            if name in grown.lost:
                grown.lost[name] = lost_parts(grown.lost[name], b.value)
                continue
            if contains(b.value, LostArray):
                if h is None or not (name in grown.types and h.value == b.value):
                    grown.lost[name] = (
                        lost_leaf(b.value) if h is None or name in grown.types else lost_parts(h.value, b.value)
                    )
                continue
            if h is not None and contains(b.value, Poison) and not contains(h.value, SILENT):
                if contains(h.value, LostArray):
                    grown.lost[name] = lost_leaf(h.value)
                # with an unchanged head the next attempt reports it again
                grown.types.setdefault(name, type_of(h.value))
                self.unknown.add(name)
                continue
            t = earlier(type_of(b.value), self.objects, self.depth)
            whole = h is None or isinstance(h.value, ArrayValue)
            if whole and isinstance(b.value, ViewValue) and b.value.var.name in self.ctx.path.made:
                t = ArrayType(t.dtype, t.rank)  # `coerce` copies the part of an array that the iteration has made
            elif (h is None or h.value != b.value) and not self.carries(b.value if h is None else h.value, b.value):
                if contains(b.value, UnionValue) and name not in grown.owned:
                    grown.owned.add(name)
                    return True
                both = None if h is None else join_types(type_of(h.value), t)
                if both is None or self.perhaps_outer(h.value, b.value) or not self.stands(both):
                    var = next(arrays(b.value))
                    loss = Loss("carried", f"`{var.name.partition('.')[0]}`", b.span)
                    grown.lost[name] = LostArray(var.type if isinstance(t, TupleType) else Array(t.dtype, t.rank), loss)
                    continue
                t = both  # the loop carries an array of its own, to which `coerce` copies each part
            if name not in grown.types:
                if h is None or h.value != b.value or h.defined != b.defined:
                    grown.types[name] = t if h is None else self.joined(name, type_of(h.value), t, h, b)
                    if name[0] != "%" and (h is None or h.defined is not None):
                        grown.flagged.add(name)
                continue
            if isinstance(t, TupleType):
                parts = list(leaves(b.value))
                grown.moving |= {(n, k) for (n, k), v in self.steady.items() if n == name and parts[k : k + 1] != [v]}
            grown.types[name] = self.joined(name, grown.types[name], t, h, b)
            if b.defined is not None and name[0] != "%":
                grown.flagged.add(name)
            if h is not None and isinstance(b.value, ScalarValue) and isinstance(h.value, ScalarValue):
                head_atom, end = h.value.atom, b.value.atom
                if self.ctx.counts(head_atom) and not self.ctx.counts(end):
                    grown.negative.add(name)
                elif self.ctx.is_nonneg(head_atom) and not (self.ctx.is_nonneg(end) and self.ctx.bits(end) <= 50):
                    grown.wrapping.add(name)
        return len(grown.moving) != moving

    def perhaps_outer(self, before: Value, v: Value) -> bool:
        """Whether a name, which holds ``before`` at the head, holds on some path the whole of an array that another
        name holds. Such an array is more often forgotten to be copied than meant as it is."""
        inside = {x.name for x in (*self.carried, *arrays(before))}
        unions = [x for x in array_leaves(v) if isinstance(x, UnionValue)]
        stmts = walk(Block(tuple(self.ctx.out))) if unions else ()
        changed = {a.name for s in stmts for a, use in uses(s, self.ctx.programs.modes) if use in _UPDATES}
        if any(a.name in changed for u in unions for a in arrays(u)):  # a copy after the branch would come too late
            return True
        while unions:
            u = unions.pop()
            unions += (x for x in (u.one, u.other) if isinstance(x, UnionValue))
            if any(isinstance(x, ArrayValue) and x.var.name not in inside for x in (u.one, u.other)):
                return True
        return False

    def stands(self, t: ValueType) -> bool:
        """Whether the views in a type are of arrays from before the loop."""
        inside = {x.name for x in self.carried} | made_in(self.ctx.out)
        parts = list(leaves_of(t))
        views = [p.base.name for p in parts if isinstance(p, ViewType) and isinstance(p.base, Var)]
        return inside.isdisjoint(views) and not any(isinstance(p, UnionType) for p in parts)

    def carries(self, before: Value, v: Value) -> bool:
        """Whether a name that holds ``before`` at the head can hold array ``v`` in the next iteration: as an array of
        its own, or as a view of the same outer array."""
        match before, v:
            case TupleValue(items=items), TupleValue(items=others) if len(items) == len(others):
                return all(p == q or self.carries(p, q) for p, q in zip(items, others, strict=True))
            case ArrayValue(), ArrayValue():
                return True
            case ViewValue() | UnionValue(), ArrayValue():  # `carried_array` copies it to an array
                return True
            case ViewValue(var=old), ViewValue(var=new):
                inside = {x.name for x in self.carried} | made_in(self.ctx.out)
                return old == new and new.name not in inside and join_types(type_of(before), type_of(v)) is not None
            case _:
                return not (isinstance(before, ARRAYS) and isinstance(v, ARRAYS))

    def joined(self, name: str, one: ValueType, other: ValueType, h: Binding, b: Binding) -> ValueType:
        t = join_settling(one, other)
        if t is None:
            given = name.removeprefix(GIVEN_OBJECT)
            if join_types(one, other) is not None:
                self.grown.changes[name] = EverDeeper(b.span, f"`{given}`")
            else:
                part, *differ = differing(given, one, other)
                place = (h or b).span
                self.grown.changes[name] = TypeChanges(b.span, part, *map(describe, differ), place, "iterations")
            return TOP
        return t

    def results(self, head, ended, left: Atom, kept: set[str], dead: bool) -> list[Atom]:
        ctx, grown = self.ctx, self.grown
        given: dict[str, Place] = {}
        ends: list[tuple[Place, Var]] = []
        out: list[Atom] = []
        gone = left == RETURN or dead
        if not gone and self.split(ended):
            return []  # the head has changed
        carried_twice = {
            (name, at + m)
            for (name, k), (_, _, at) in self.twins.items()
            for m in range(len(list(type_leaves(list(objects_of(head[name].value, grown.types[name]))[k][1]))))
        }
        for name, t in grown.types.items():
            if name in grown.lost or name not in head or name not in self.entered:
                continue
            h, b = head[name], ended.get(name)
            if not fits(h.value, t):
                continue
            value = None if b is None or contains(b.value, (LostArray, *SILENT)) else b.value
            if gone and name[0] != "%":
                value = None
            match h.value:
                case ScalarValue(atom=Var(name=carried), dtype=dtype) if dtype in FLOATS and b is not None:
                    self.widened[carried] = ctx.widened(name, b.span, value)
            atoms = list(coerce(ctx, value, t, self.span, None if b is None else b.defined))
            for k, atom in enumerate(atoms):
                if not isinstance(atom.type, Array) or (name, k) in self.steady or (name, k) in carried_twice:
                    continue
                holder = atom if atom.name in kept else given.get(atom.name)
                if (name, k) in grown.shared:
                    if value is not None and holder != grown.shared[name, k]:
                        grown.lost.setdefault(
                            name, LostArray(atom.type, Loss("carried", f"`{self.held_by(atom, head)}`", b.span))
                        )
                    continue
                if holder is not None and value is not None and name not in self.before:
                    grown.share(name, k, holder)
                    return []  # the head has changed: this attempt is discarded
                if holder is not None or not movable(ctx, atom):
                    other = given[atom.name][0] if atom.name in given else self.held_by(atom, head)
                    loss = Loss("carried", f"`{other}`", self.span if b is None else b.span)
                    if not movable(ctx, atom):
                        loss = Loss("lent", ctx.variables.lent(atom.name).name, self.span, b.span)
                    grown.lost.setdefault(name, LostArray(atom.type, loss))
                given[atom.name] = name, k
                ends.append(((name, k), atom))
                assumed = ctx.known(list(leaves(h.value))[k])
                if assumed.in_order and not ctx.known(atom).in_order:
                    grown.disordered.add((name, k))
                if assumed.ones:
                    grown.longer |= {((name, k), fact) for fact in assumed.ones - ctx.ones(atom)}
            elsewhere = self.steady.keys() | grown.shared.keys() | carried_twice
            out += (atom for k, atom in enumerate(atoms) if (name, k) not in elsewhere)
            if name in self.flags:
                flag = TRUE if gone else FALSE if b is None else (b.defined or TRUE)
                out.append(flag)
                if flag == TRUE:
                    self.bound.add(name)
        self.mix(head, ends)
        return out

    def mix(self, head: dict[str, Binding], ends: list[tuple[Place, Var]]) -> None:
        """Enter into the head the arrays that may alias at the start of the next iteration, unless the head has them
        already."""
        alike = self.ctx.path.alike
        if not alike:
            return
        before = {v for b in self.before.values() for v in arrays(b.value)}
        outside = {v.name for v in before} | {n for n, _ in self.ctx.variables.all_lent()}
        at_head = lambda v: self.alike.get(getattr(v, "name", ""), frozenset())  # the body adds to the classes
        for place, atom in ends:
            first = self.array_at(head, place)
            known, now = at_head(first), alike.get(atom.name, frozenset())
            self.grown.mixed |= {(place, n) for n in now & outside - known}
            self.grown.mixed |= {
                (place, p)
                for p, end in ends
                if p != place and end.name in now and getattr(self.array_at(head, p), "name", "") not in known
            }
        for at, array, first in (*((p, v, self.array_at(head, p)) for p, v in ends), *((v, v, v) for v in before)):
            if may_share_items(alike.get(array.name, ())) and not may_share_items(at_head(first)):
                self.grown.doubled.add(at)

    def array_at(self, head: dict[str, Binding], place: Place) -> Var | None:
        """The array at a place, at the head of the loop; None if its name has been lost."""
        name, k = place
        parts = (
            list(leaves(head[name].value)) if name in head and fits(head[name].value, self.grown.types[name]) else []
        )
        return parts[k] if k < len(parts) else None

    def out(self, v: Var) -> Var:
        """A fresh variable for a carried one after the loop."""
        known = self.ctx.known(v)
        same = {"nonneg": known.nonneg, "wraps": known.wraps, "in_order": known.in_order, "ones": known.ones}
        return self.ctx.fresh(v.name, v.type, **same, widened=self.widened.get(v.name) or known.widened)

    def held_by(self, array: Var, head: dict[str, Binding]) -> str:
        return next((n for n, x in head.items() if array in arrays(x.value)), "another name")

    def decide(self) -> set[str]:
        """The names that end as NumPy numbers, if nothing else contradicts the head and it made no difference."""
        types, grown = self.assumed.types, self.grown
        found = {
            n: t
            for n, t in grown.types.items()
            if n in self.undecided and isinstance(t, ScalarType) and t.weak is False and t.dtype == types[n].dtype
        }
        same = bool(found) and not self.sought and replace(self.assumed, types={**types, **found}) == grown
        if not same or any(self.undecided[n].asked for n in found):
            return set()
        for n in found:
            self.undecided[n].weak = False
        return set(found)

    def after(self, name: str, b: Binding, final: dict[str, Var], bound: bool, strong: bool) -> Binding:
        """The binding of a name after the loop. ``bound``: every iteration defines it, and there is one."""
        value = renamed(b.value, final)
        if name in self.undecided:
            value = ScalarValue(value.atom, not strong and self.undecided[name].outer)
        if value is b.value and b.defined is None and b.shared is None and b.whole is None:
            return b
        return Binding(value, b.span, None if bound else outside(b.defined, final))

    def finish(self, before, head, index: Var, stmts, results, again, left: Atom) -> None:
        ctx, shape = self.ctx, self.shape
        decided = self.decide()
        self.settled = bool(decided)
        carries_ctl = self.returns or (self.left_early and bool(shape.node.orelse))
        if carries_ctl:
            self.carry("ctl", I64, RUN)
            results = [*results, left]
        outs = tuple(self.out(v) for v in self.carried)
        for v, o in zip(self.carried, outs, strict=True):
            inherits(ctx, o, v)
        body = Block(tuple(stmts), ((again,) if self.exits else ()) + tuple(results))
        if len(results) == len(self.carried):  # otherwise the head has changed and this attempt is discarded
            ctx.emit(
                Loop(index, shape.start, shape.stop, shape.step, tuple(self.carried), tuple(self.inits), body, outs,
                     self.exits, span=ctx.span(shape.node), mark=shape.mark)
            )  # fmt: skip
        final = dict(zip((v.name for v in self.carried), outs, strict=True))
        bound = self.bound if shape.runs else ()
        after = {n: self.after(n, b, final, n in bound, n in decided) for n, b in head.items()}
        for name, t in self.grown.types.items():
            if name not in after and isinstance(t, OtherType) and isinstance(t.value, Poison):
                after[name] = Binding(t.value, self.span)
        after |= {n: Binding(Poison(), self.span) for n in self.unknown}
        ctx.go(env=Fixed(after))
        for first, (name, _) in self.owner.items():
            lose(ctx, Var(first, I64), Loss("carried", f"`{name}`", self.span))
        if carries_ctl:
            set_exit_kind(ctx, outs[-1], self.span)
        else:
            set_exit_kind(ctx, RUN, self.span)
