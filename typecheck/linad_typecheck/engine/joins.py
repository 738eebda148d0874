"""Branches: both arms are lowered from the same path, and names that differ after them become results of the `If`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..ir.core import Alloc, Atom, Block, Call, Const, If, Loop, Stmt, Var, blocks, outputs, walk
from ..ownership.state import inherits, join_aliases, lose, movable, record_copy
from ..linear.uses import Modes, uses
from ..messages.types import TypeChanges
from ..span import Span
from ..names.scope import HASHED
from ..types import BOOL, FLOATS, I64, INTS, Array, Scalar
from .growing import as_growing
from .hashed import as_hashed
from .numbers import cast, fitted
from .path import Fixed, Path, join as meet
from .places import as_view, either, loaded, materialise, read
from .complexes import as_complex
from .sizes import dtype_of, rank_of
from .state import CTL, FALSE, GIVEN_OBJECT, RET, RETURN, TRUE, ZERO, Lowering, zero
from .values import (
    ARRAYS, CHOICE, COMPLEX, GROWING, OPTIONAL, ArrayType, ArrayValue, Binding, Bottom, ClosureType, Delayed,
    DerivativeType, DerivativeValue, FunctionValue, Loss, LostArray, OtherType, Poison, ScalarType, ScalarValue,
    TupleType, TupleValue, UnionType, UnionValue, Value, ValueType, ViewType, ViewValue, arrays, as_choice,
    as_optional, contains, contains_choice, describe, differing, is_field, is_number, join_results, join_types, leaves,
    rebuild, type_leaves, type_of,
)
from .views import Whole, atoms


def dummy(ctx: Lowering, t: Scalar | Array, span: Span) -> Atom:
    """A placeholder of a type, for a value that is never used: zero, or an empty array."""
    if isinstance(t, Scalar):
        return zero(t.dtype)
    shape = (ZERO,) * t.rank
    out = ctx.fresh("none", t, in_order=True, ones=ctx.ones_among(shape))
    ctx.emit(Alloc(out, shape, zero(t.dtype), span))
    return out


def own_array(ctx: Lowering, v: ViewValue | UnionValue, hint: str, span: Span, defined: Atom | None) -> ArrayValue:
    """A fresh array with the cells of a view, or of a union of two arrays.

    The view of an undefined name is meaningless: where ``defined`` is false no cell is read, and the array is empty.
    """
    if defined in (None, TRUE):
        return materialise(ctx, v, hint, span)
    t = Array(dtype_of(v), rank_of(v))
    blocks = []
    for make in (lambda: materialise(ctx, v, hint, span).var, lambda: dummy(ctx, t, span)):
        with ctx.block() as stmts:
            made = make()
        blocks.append(Block(tuple(stmts), (made,)))
    out = ctx.fresh(hint, t)
    ctx.emit(If(defined, *blocks, (out,), span))
    return ArrayValue(out)


def loaded_where(ctx: Lowering, v: ViewValue, span: Span, defined: Atom | None) -> Value:
    """A field of an object that a list holds, read where its name is defined."""
    if defined in (None, TRUE) or not is_number(v):
        return loaded(ctx, v, span)
    return either(ctx, defined, lambda: loaded(ctx, v, span), lambda: ScalarValue(zero(dtype_of(v))), span)


def coerce(ctx: Lowering, v: Value | None, t: ValueType, span: Span, defined: Atom | None = None) -> Iterator[Atom]:
    """The run-time parts of ``v`` converted to type ``t``; dummies if there is no value. ``defined``: the flag of the
    name."""
    v = None if isinstance(v, Bottom) else v
    if is_field(v) and not isinstance(t, ViewType):
        v = loaded_where(ctx, v, span, defined)
    match t:
        case ScalarType(dtype=d):
            leaf = next(leaves(v), None) if v is not None else None
            yield (
                dummy(ctx, Scalar(d), span)
                if leaf is None
                else fitted(ctx, v, d, span)
                if isinstance(v, ScalarValue)
                else cast(ctx, leaf, d, span)
            )
        case ArrayType(dtype=d, rank=r):
            assert not isinstance(v, Delayed)
            if isinstance(v, ViewValue | UnionValue):
                made = own_array(ctx, v, "t", span, defined)
                record_copy(ctx, made.var, v, span)
                v = made
            yield v.var if isinstance(v, ArrayValue) else dummy(ctx, Array(d, r), span)
        case ViewType(base=base, view=view):
            if v is None:
                yield from (dummy(ctx, leaf, span) for leaf in type_leaves(t))
                return
            if isinstance(base, Array):
                yield v.var
            for shared, own in zip(atoms(view), atoms(as_view(v).view), strict=True):
                if shared is None:
                    yield ctx.dim(v.var, own.axis, span) if isinstance(own, Whole) else own
        case UnionType():
            yield from leaves(v) if v is not None else (dummy(ctx, leaf, span) for leaf in type_leaves(t))
        case TupleType(items=items):
            if isinstance(v, TupleValue) and t.record in GROWING:
                v = as_growing(ctx, v, t, span)
            elif isinstance(v, TupleValue) and t.record in HASHED and v.mapping:
                v = as_hashed(ctx, v, t, span)
            elif t.record is OPTIONAL:
                v = as_optional(v)
            elif t.record is COMPLEX:
                v = as_complex(ctx, v, span)
            elif t.record is CHOICE:
                v = as_choice(v, t, ctx.programs.code)
            parts = v.items if isinstance(v, TupleValue) else (None,) * len(items)
            for part, item in zip(parts, items, strict=True):
                yield from coerce(ctx, part, item, span, defined)
        case ClosureType(captured=c):
            parts = dict(v.captured or ()) if v is not None and hasattr(v, "captured") else {}
            for name, item in c:
                yield from coerce(ctx, parts.get(name), item, span, defined)
        case DerivativeType(function=f):
            yield from coerce(ctx, v.function if isinstance(v, DerivativeValue) else None, f, span, defined)


@dataclass
class Arm:
    """One arm of a branch: its statements, its final path, and its results."""

    stmts: list[Stmt]
    path: Path
    results: list[Atom] = field(default_factory=list)

    @property
    def env(self) -> Mapping[str, Binding]:
        return self.path.env


def branch(
    ctx: Lowering, cond: Atom, then: Callable[[], None], orelse: Callable[[], None], live: frozenset[str], span: Span
) -> None:
    """Lower both arms and join them. Only names in ``live`` and pseudo-names are joined."""
    if isinstance(cond, Const):
        (then if cond.value else orelse)()
        return
    arms = [Arm(found.stmts, found.path) for found in map(ctx.ahead, (then, orelse))]
    join(ctx, cond, arms, live, span)


def join(ctx: Lowering, cond: Atom, arms: list[Arm], live: frozenset[str], span: Span) -> None:
    """Join two arms into one `If`, and continue from there."""
    ctx.path = meet(ctx.path, *(a.path for a in arms))
    dead, ctx.path = ctx.path.dead, ctx.path._replace(dead=False)
    joiner = _Joiner(ctx, cond, arms, span)
    joiner.names(live | ctx.live.always)
    blocks = [Block(tuple(a.stmts), tuple(a.results)) for a in arms]
    ctx.go(env=Fixed(joiner.env))
    if any(a.stmts for a in arms) or joiner.outs:
        ctx.emit(If(cond, *blocks, tuple(joiner.outs), span))
    for var, loss in joiner.moved:
        lose(ctx, var, loss, frozenset(joiner.fresh_names))
    ctx.go(dead=dead)


class _Joiner:
    def __init__(self, ctx: Lowering, cond: Atom, arms: list[Arm], span: Span) -> None:
        self.ctx, self.cond, self.arms, self.span = ctx, cond, arms, span
        self.env: dict[str, Binding] = {}
        self.outs: list[Var] = []
        self.shared: dict[tuple, Var] = {}
        self.given: list[dict[str, tuple]] = [{}, {}]  # arrays that each arm moves into a result, and which result
        # results that are an array of an arm in Python, moved or copied
        self.heirs: list[dict[str, list[str]]] = [{}, {}]
        self.kept: dict[str, str] = {}  # arrays that stay where they are, with a name that holds them
        self.widened: tuple[str, Span] | None = None  # see `Known.widened`, of the name that is being joined
        self.defined: list[Atom | None] = [None, None]  # the flags of the name that is joined
        self.moved: list[tuple[Var, Loss]] = []
        self.fresh_names: list[str] = []
        self.lists: list[tuple[Value | None, Value | None, TupleType, TupleValue]] = []  # joined lists and dicts
        self.left = [CTL in a.env and a.env[CTL].value == ScalarValue(RETURN) for a in arms]

    def names(self, live: frozenset[str]) -> None:
        a, b = (arm.env for arm in self.arms)
        dead = [arm.path.dead for arm in self.arms]
        if dead[0] != dead[1]:  # a dead arm does not contribute to types
            alive = self.arms[dead[0]]
        else:
            alive = None
        changed: list[str] = []
        for name in [*a, *(n for n in b if n not in a)]:
            if name == CTL and not self.ctx.path.want_ctl:
                continue
            if name in a and name in b and a[name] == b[name]:
                self.env[name] = b[name] if a[name].shared is None else a[name]
                if name in live or name.startswith("%"):
                    for var in _array_leaves(a[name].value):
                        self.kept.setdefault(var.name, name)
            elif name in a and name in b and (whole := _before_test(a[name], b[name])) is not None:
                self.env[name] = whole
            elif name in live or name.startswith("%"):
                changed.append(name)
                for var in _in_both(*(env[name].value if name in env else None for env in (a, b))):
                    self.kept.setdefault(var.name, name)
        for name in changed:
            joined = self.binding(name, a.get(name), b.get(name), alive)
            if joined is not None:
                shared = next((env[name].shared for env in (a, b) if name in env and env[name].shared), None)
                self.env[name] = joined if shared is None else replace(joined, shared=shared)

    def binding(self, name: str, x: Binding | None, y: Binding | None, alive: Arm | None) -> Binding | None:
        if alive is not None:
            only = alive.env.get(name)
            if only is None:
                return None
            if x is not None and y is not None and x.value == y.value:
                return only
            x, y = (only, None) if alive is self.arms[0] else (None, only)
        known = x or y
        self.defined = [None if s is None else s.defined for s in (x, y)]
        values = [None if s is None else s.value for s in (x, y)]
        if not name.startswith("%"):  # after a `return` no user name matters
            values = [None if gone else v for gone, v in zip(self.left, values, strict=True)]
            if values == [None, None]:
                return None
        for v, whole in (values, values[::-1]):  # a loop loses a tuple or a generator object as a whole
            if isinstance(v, LostArray) and isinstance(whole, TupleValue | FunctionValue):
                return Binding(v, known.span)
        types = [type_of(v) for v in values if v is not None]
        t = (
            types[0]
            if len(types) == 1
            else (join_results if name == RET and self.ctx.spec is None else join_types)(*types)
        )
        if t is None:
            given = name.removeprefix(GIVEN_OBJECT)
            if not given.startswith("%"):
                part, *differ = differing(given, *types)
                self.ctx.report(TypeChanges(y.span, part, *map(describe, differ), x.span, "branches"))
            return Binding(Poison(), known.span)
        self.ctx.programs.findings.choices |= contains_choice(t) and t not in types
        if isinstance(t, OtherType) and isinstance(t.value, (Poison, Bottom)):
            return Binding(t.value, known.span)
        places = [self.span if b is None else b.span for b in (x, y)]
        one, other = (self.ctx.widened(name, at, v) for at, v in zip(places, values, strict=True))
        self.widened = (other or one) if isinstance(t, ScalarType) and t.dtype in FLOATS else None
        value = self.value(name, values[0], values[1], t)
        if alive is not None:
            flag = known.defined
            if flag is not None and self.made_inside(flag):
                flag = self.scalar(f"{name}_set", *((flag, TRUE) if alive is self.arms[0] else (TRUE, flag)), BOOL)
            return Binding(value, known.span, flag)
        self.fresh_names.append(name)
        flag = None
        if not name.startswith("%"):
            flags = [FALSE if s is None else (s.defined or TRUE) for s in (x, y)]
            flags = [TRUE if gone else f for gone, f in zip(self.left, flags, strict=True)]
            if flags != [TRUE, TRUE]:
                flag = flags[0] if flags[0] == flags[1] else self.scalar(f"{name}_set", flags[0], flags[1], BOOL)
        return Binding(value, (y or known).span if x is None else x.span, flag)

    def value(self, name: str, x: Value | None, y: Value | None, t: ValueType) -> Value:
        if x == y:
            return x
        match t:
            case TupleType(items=items):
                if t.record in GROWING or t.record in HASHED:
                    again = next((v for a, b, u, v in self.lists if (a, b, u) == (x, y, t)), None)
                    if again is not None:  # the same list, under another name
                        return again
                    before = x, y, t
                    x, y = (self.as_list(k, v, t) for k, v in enumerate((x, y)))
                elif t.record is OPTIONAL:
                    x, y = as_optional(x), as_optional(y)
                elif t.record is COMPLEX:
                    x, y = (self.as_complex(k, v) for k, v in enumerate((x, y)))
                elif t.record is CHOICE:
                    x, y = (as_choice(v, t, self.ctx.programs.code) for v in (x, y))
                parts = [v.items if isinstance(v, TupleValue) else (None,) * len(items) for v in (x, y)]
                joined = tuple(self.value(name, p, q, i) for p, q, i in zip(*parts, items, strict=True))
                made = TupleValue(joined, t.record, t.made)
                if t.record in GROWING or t.record in HASHED:
                    self.lists.append((*before, made))
                return made
            case ScalarType(dtype=d) | ArrayType(dtype=d) if name == RET and any(_other_dtype(v, t) for v in (x, y)):
                return self.value(name, *(self.as_result(k, v, t) for k, v in enumerate((x, y))), t)
            case ScalarType(dtype=d, weak=weak):
                ins = [self.in_arm(k, v, t) for k, v in enumerate((x, y))]
                if ins[0] == ins[1]:
                    return ScalarValue(ins[0], weak)
                return ScalarValue(self.scalar(name, *ins, Scalar(d), self.widened), weak)
            case ViewType(base=base) if not self.made_inside(base) and not any(
                isinstance(v, LostArray) for v in (x, y)
            ):
                ins = [self.parts_in_arm(k, v, t) for k, v in enumerate((x, y))]
                return rebuild(t, iter([self.place(name, p, q) for p, q in zip(*ins, strict=True)]))
            case ArrayType(dtype=d, rank=r) | ViewType(dtype=d, rank=r) | UnionType(dtype=d, rank=r):
                x, y = (loaded(self.ctx, v, self.span) if is_field(v) and r else v for v in (x, y))
                return self.array(name, x, y, Array(d, r))
            case ClosureType(captured=c):
                held = [dict(v.captured or ()) if isinstance(v, FunctionValue) else {} for v in (x, y)]
                parts = tuple((n, self.value(n, *(of.get(n) for of in held), item)) for n, item in c)
                return replace(x if x is not None else y, captured=parts)
            case _:
                return x if x is not None else y

    def as_list(self, k: int, v: Value | None, t: TupleType) -> Value | None:
        """The list that arm ``k`` ends with, converted to type ``t``."""
        with self.at_end(k):
            if isinstance(v, TupleValue) and t.record in HASHED:
                return as_hashed(self.ctx, v, t, self.span) if v.mapping else v
            return as_growing(self.ctx, v, t, self.span) if isinstance(v, TupleValue) else v

    def as_complex(self, k: int, v: Value | None) -> Value | None:
        """The number that arm ``k`` ends with, as a complex one."""
        with self.at_end(k):
            return as_complex(self.ctx, v, self.span)

    def as_result(self, k: int, v: Value | None, t: ScalarType | ArrayType) -> Value | None:
        """The array that arm ``k`` returns, converted to the dtype of the other arm's result, or to a number."""
        if not _other_dtype(v, t):
            return v
        with self.at_end(k):
            if isinstance(t, ScalarType):
                return ScalarValue(cast(self.ctx, read(self.ctx, v, (), self.span).atom, t.dtype, self.span))
            return materialise(self.ctx, v, "result", self.span, t.dtype)

    def in_arm(self, k: int, v: Value | None, t: ValueType) -> Atom:
        """The one run-time part of ``v`` as type ``t``, converted in arm ``k``."""
        return self.parts_in_arm(k, v, t)[0]

    def parts_in_arm(self, k: int, v: Value | None, t: ValueType) -> list[Atom]:
        """The run-time parts of ``v`` as type ``t``, converted in arm ``k``."""
        with self.at_end(k):
            return list(coerce(self.ctx, v, t, self.span, self.defined[k]))

    @contextmanager
    def at_end(self, k: int) -> Iterator[None]:
        """Statements emitted inside go to the end of arm ``k``; facts found inside hold there."""
        ctx = self.ctx
        with ctx.block():
            ctx.out = self.arms[k].stmts
            yield

    def place(self, name: str, x: Atom, y: Atom) -> Atom:
        """The index or size of a view that both arms keep under one name."""
        return x if x == y else self.scalar(name, x, y, I64)

    def made_inside(self, var: Var) -> bool:
        """Whether a variable is defined in one of the arms."""
        return any(var.name in made_in(arm.stmts) for arm in self.arms)

    def scalar(self, name: str, x: Atom, y: Atom, t: Scalar, widened: tuple[str, Span] | None = None) -> Var:
        key = (x, y, t)
        if key not in self.shared:
            self.shared[key] = self.result(name, x, y, t, widened)
        return self.shared[key]

    def result(self, name: str, x: Atom, y: Atom, t: Scalar | Array, widened: tuple[str, Span] | None = None) -> Var:
        known = {"widened": widened} if t.dtype not in INTS else {} if isinstance(t, Array) else self.either(x, y)
        if isinstance(t, Array):
            known["in_order"] = self.ctx.known(x).in_order and self.ctx.known(y).in_order
            one, other = self.arms
            known["ones"] = self.ctx.ones(x, one.path) & self.ctx.ones(y, other.path)
        out = self.ctx.fresh(name.strip("%"), t, **known)
        self.outs.append(out)
        for arm, atom in zip(self.arms, (x, y), strict=True):
            arm.results.append(atom)
        return out

    def either(self, x: Atom, y: Atom) -> dict[str, Any]:
        """The facts that hold for both of two ints."""
        ctx = self.ctx
        if ctx.is_nonneg(x) and ctx.is_nonneg(y):
            return {"nonneg": True, "bits": max(ctx.bits(x), ctx.bits(y))}
        return {"wraps": ctx.counts(x) and ctx.counts(y)}

    def array(self, name: str, x: Value | None, y: Value | None, t: Array) -> Value:
        """One of two arrays. An array that no other name holds is moved into a new variable. Two arrays from before the
        branch, one of which stays in use, become a read-only union. Otherwise what stays in use is copied."""
        for v in (x, y):
            if isinstance(v, LostArray):
                return v
        # None for the result of a call whose type is not known yet
        ends = [v if isinstance(v, ARRAYS) else None for v in (x, y)]
        key = tuple(v.var.name if isinstance(v, ArrayValue) else "" for v in ends)
        whole = all(isinstance(v, ArrayValue | None) for v in ends)
        if whole and key in self.shared:
            return ArrayValue(self.shared[key])
        losses = [self.stays(name, k, v) for k, v in enumerate(ends)]
        if any(losses) and not (
            name in self.ctx.path.owned
            and all(loss is None or self.made_lately(v) for v, loss in zip(ends, losses, strict=True))
        ):
            found = [v for v in ends if v is not None]
            parts = [a for v in found for a in (*arrays(v), *leaves(v)) if isinstance(a, Var)]
            moved = {
                n
                for arm, given in zip(self.arms, self.given, strict=True)
                for n in (*given, *moved_in(arm.stmts, self.ctx.programs.modes))
            }
            if not any(self.made_inside(a) or a.name in moved for a in parts):
                self.kept |= {a.name: name for a in parts}
                return found[0] if len(found) == 1 else UnionValue(self.cond, *ends, next(filter(None, losses)))
        ins = [
            v.var if v is not None and not loss else self.copy(k, name, v, t)
            for k, (v, loss) in enumerate(zip(ends, losses, strict=True))
        ]
        out = self.result(name, *ins, t)
        if whole:
            self.shared[key] = out
        inherits(self.ctx, out, *ins)
        for k, (v, loss) in enumerate(zip(ends, losses, strict=True)):
            for a in arrays(v) if v is not None else ():
                heirs = self.heirs[k].setdefault(a.name, [])
                join_aliases(self.ctx, out.name, *heirs, *([a.name] if loss else []))
                heirs.append(out.name)
            if v is not None and not loss:
                self.given[k][v.var.name] = name
                self.moved.append((v.var, Loss("joined", f"`{name}`", self.span)))
        return ArrayValue(out)

    def made_lately(self, v: Value) -> bool:
        """Whether an array was allocated in the current iteration: copying it costs no more than the allocation did."""
        return isinstance(v, ArrayValue) and v.var.name in self.ctx.path.made and movable(self.ctx, v.var)

    def stays(self, name: str, k: int, v: Value | None) -> Loss | None:
        """Why the array that an arm leaves under a name cannot be moved; None if it can."""
        if v is None:
            return None
        if not isinstance(v, ArrayValue):
            return Loss("joined", "one of two arrays", self.span)
        if not movable(self.ctx, v.var):
            env = self.arms[k].env
            return Loss(
                "lent",
                self.ctx.variables.lent(v.var.name).name,
                self.span,
                env[name].span if name in env else self.span,
            )
        other = self.kept.get(v.var.name) or self.given[k].get(v.var.name)
        return None if other is None else Loss("joined", f"`{other}`", self.span)

    def copy(self, k: int, name: str, v: Value | None, t: Array) -> Var:
        """A copy, at the end of an arm, of what the arm leaves under a name; an empty array if it leaves nothing."""
        with self.at_end(k):
            if v is None:
                return dummy(self.ctx, t, self.span)
            self.ctx.fact(
                "copy", name, self.span, f"`{name}` is another array on other paths; this one stays in use elsewhere"
            )
            made = own_array(self.ctx, v, name, self.span, None if isinstance(v, ArrayValue) else self.defined[k])
            record_copy(self.ctx, made.var, v, self.span)
            return made.var


def _before_test(a: Binding, b: Binding) -> Binding | None:
    """The binding that both arms have left unchanged, if the test of the branch excluded options of its choice."""
    return next((x for x in (a, a.whole) for y in (b, b.whole) if x is y and x is not None), None)


def _other_dtype(v: Value | None, t: ScalarType | ArrayType) -> bool:
    """Whether an array does not have type ``t``."""
    return isinstance(v, ARRAYS) and (isinstance(t, ScalarType) or dtype_of(v) != t.dtype)


def moved_in(stmts: Sequence[Stmt], modes: Modes) -> set[str]:
    """The arrays that statements move into a call, a loop or a branch."""
    every = list(walk(Block(tuple(stmts))))
    handed = {r.name for s in every for b in blocks(s) for r in b.results if isinstance(r, Var)}
    return handed | {
        v.name for s in every if isinstance(s, Call | Loop) for v, use in uses(s, modes) if use == "consume"
    }


def made_in(stmts: Sequence[Stmt]) -> set[str]:
    """The variables that statements define in their block, with those of nested blocks."""
    return {v.name for s in walk(Block(tuple(stmts))) for v in outputs(s)}


def _array_leaves(v: Value) -> list[Var]:
    return list(arrays(v)) if not contains(v, (Poison, Bottom)) else []


def _in_both(x: Value | None, y: Value | None) -> Iterator[Var]:
    """The arrays that two values hold or view at the same position, so that both arms keep them under one name. A value
    may be None."""
    match x, y:
        case ArrayValue(var=var), ArrayValue(var=other) if var == other:
            yield var
        case ViewValue(var=var), ViewValue(var=other) if var == other:
            yield var
        case (ViewValue(var=var), None) | (None, ViewValue(var=var)):
            yield var
        case (TupleValue(items=items), None) | (None, TupleValue(items=items)):
            for p in items:
                yield from _in_both(p, None)
        case TupleValue(items=items), TupleValue(items=others) if len(items) == len(others):
            for p, q in zip(items, others, strict=True):
                yield from _in_both(p, q)
