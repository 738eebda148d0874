"""Affine forms of ints, inequalities between them, and proofs.

A form describes a variable modulo 2**64, because int64 arithmetic wraps. If the form of an index is proved to be in
bounds, the index is in bounds. An inequality between variables, however, may be learned from a form only if the form
cannot overflow (`Ranges.value`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, fields
from itertools import islice

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Check, Const, Copy, Dim, If, Let, Load, Loop, Stmt, Store, Var,
)
from linad_typecheck.infer.affine import Affine, multiply
from linad_typecheck.types import BOOL, BYTES, Array

LOWEST, HIGHEST = -(2**63), 2**63 - 1
SMALL = 2**62
DEPTH = 5  # maximum depth of a proof
TERMS = 3  # of facts from which numeric bounds follow
SIZES = 6  # sizes that a selected int is compared with
BUDGET = 300  # forms that a proof may visit
OPPOSITE = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
# the form that is at least 0 exactly if an inequality of two exact forms holds
INEQUALITIES: dict[str, Callable[[Affine, Affine], Affine]] = {
    "lt": lambda a, b: b - a - 1,
    "le": lambda a, b: b - a,
    "gt": lambda a, b: a - b - 1,
    "ge": lambda a, b: a - b,
}


def unknown(name: str) -> Affine:
    return Affine(0, ((name, 1),))


def constant(value: int) -> Affine:
    return Affine(int(value))


def _distinct(forms: Iterable[Affine]) -> Iterator[Affine]:
    seen: set[Affine] = set()
    for f in forms:
        if f not in seen:
            seen.add(f)
            yield f


def affine_form(s: Let, form: Callable[[Atom], Affine]) -> Affine | None:
    """The result of an operation as an affine form, modulo 2**64, or None if it is not affine in its operands."""
    if any(a.type.dtype not in ("i64", "i32") for a in s.ins):
        return None
    match s.op, tuple(map(form, s.ins)):
        case "add", (a, b):
            return a + b
        case "sub", (a, b):
            return a - b
        case "neg", (a,):
            return -a
        case "mul", (a, b):
            return multiply(a, b)
        case "cast", (a,):
            return a
    return None


Snapshot = tuple[list[Affine], dict[str, tuple[int, int]], dict[str, Affine], set[tuple[str, int, Affine]]]


@dataclass
class Ranges:
    """Facts that hold at the current statement of a walk over a function.

    ``facts``: forms that are at least 0. ``interval``: numeric bounds of unknowns. ``equal``: unknowns eliminated by
    equalities. ``dims``: the sizes of arrays, except for ``logs``, which grow.
    """

    logs: frozenset[str] = frozenset()
    forms: dict[str, Affine] = field(default_factory=dict)
    tests: dict[str, Let] = field(default_factory=dict)  # bools that compare ints
    dims: dict[tuple[str, int], Affine] = field(default_factory=dict)
    facts: list[Affine] = field(default_factory=list)
    interval: dict[str, tuple[int, int]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)  # unknowns that are sizes, with the largest possible value
    places: dict[str, tuple[Var, int]] = field(default_factory=dict)  # and the array and axis of each
    equal: dict[str, Affine] = field(default_factory=dict)
    trips: dict[str, Affine] = field(default_factory=dict)  # the value of a trip count if it is positive
    done: set[tuple[str, int, Affine]] = field(default_factory=set)  # indices that have been checked
    outside: Snapshot | None = None  # the facts before the loop that a pass looks at

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Facts learned in this context are forgotten at its end."""
        saved = self.snapshot()
        yield
        self.restore(saved)

    def snapshot(self) -> Snapshot:
        return list(self.facts), dict(self.interval), dict(self.equal), set(self.done)

    def restore(self, s: Snapshot) -> None:
        self.facts, self.interval, self.equal, self.done = list(s[0]), dict(s[1]), dict(s[2]), set(s[3])

    def fork(self) -> Ranges:
        """A copy of the facts for an independent walk."""
        return type(self)(**{f.name: copy(getattr(self, f.name)) for f in fields(self)})

    budget: int = 0  # remaining budget of the current proof

    # --------------------------------------------------------------------------------------------------- forms

    def form(self, a: Atom) -> Affine:
        """The form of an int, modulo 2**64."""
        if isinstance(a, Const):
            return constant(int(a.value))
        return self.normal(self.forms.get(a.name, unknown(a.name)))

    def value(self, a: Atom) -> Affine:
        """A form that equals the int exactly, without overflow."""
        f = self.form(a)
        return f if self.exact(f) or isinstance(a, Const) else unknown(a.name)

    def normal(self, f: Affine) -> Affine:
        equal = self.equal
        for _ in range(8):
            for name, _coeff in f.terms:
                if name in equal:
                    break
            else:
                break
            f = f.substitute(equal)
        return f

    def bounds(self, f: Affine) -> tuple[int, int]:
        low = high = f.const
        for name, c in f.terms:
            a, b = self.span(name)
            low += min(c * a, c * b)
            high += max(c * a, c * b)
        return low, high

    def span(self, name: str) -> tuple[int, int]:
        low, high = self.interval.get(name, (LOWEST, HIGHEST))
        if name in self.sizes:
            return max(low, 0), min(high, self.sizes[name])
        return low, high

    def exact(self, f: Affine) -> bool:
        """Whether int64 arithmetic computes the form without overflow."""
        low, high = self.bounds(f)
        return (LOWEST <= low and high <= HIGHEST) or (f.const == 0 and len(f.terms) == 1 and f.terms[0][1] == 1)

    def dim(self, array: Var, axis: int) -> Affine:
        key = array.name, axis
        if key not in self.dims:
            name = f"{array.name}.shape{axis}"
            self.dims[key] = unknown(name)
            assert isinstance(array.type, Array)
            self.sizes[name], self.places[name] = HIGHEST // BYTES[array.type.dtype], (array, axis)
        return self.normal(self.dims[key])

    def apart(self, first: Iterable[Atom], second: Iterable[Atom]) -> bool:
        """Whether two indices provably address different cells."""
        differences = (self.value(a) - self.value(b) for a, b in zip(first, second, strict=True) if a != b)
        return any(self.proves(d - 1) or self.proves(d * -1 - 1) for d in differences)

    # --------------------------------------------------------------------------------------------------- facts

    def learn(self, f: Affine) -> None:
        """Learn that a form, which cannot overflow, is at least 0."""
        f = self.normal(f)
        if f.terms and f not in self.facts:
            self.facts.append(f)
        for name, c in f.terms if len(f.terms) <= TERMS else ():
            if abs(c) == 1:  # at most what the other terms can be
                low, high = self.span(name)
                rest = self.bounds(f - unknown(name) * c)[1]
                if (c == 1 and -rest > low) or (c == -1 and rest < high):
                    self.interval[name] = (-rest, high) if c == 1 else (low, rest)

    def learn_equal(self, f: Affine) -> None:
        """Learn that a form, which cannot overflow, is 0."""
        f = self.normal(f)
        unit = [name for name, c in f.terms if abs(c) == 1]
        if not unit:
            return
        name = max(unit, key=lambda u: (".shape" in u, u))
        c = dict(f.terms)[name]
        rest = (f - unknown(name) * c) * -c
        low, high = self.span(name)
        self.equal[name] = rest
        self.facts = [self.normal(g) for g in self.facts]
        if low > LOWEST:
            self.learn(rest - low)
        if high < HIGHEST:
            self.learn(constant(high) - rest)

    def proves_where(self, cond: Atom, holds: bool, f: Affine) -> bool:
        """Whether a form is at least 0 whenever a condition has the given value."""
        with self.scope():
            self.learn_test(cond, holds)
            return self.proves(f)

    def arms(self, s: If) -> Iterator[Block]:
        """The arms of a branch, each in a scope in which its condition holds; to be consumed completely."""
        for holds, arm in ((True, s.then), (False, s.orelse)):
            with self.scope():
                self.learn_test(s.cond, holds)
                yield arm
        self.short_circuits(s)

    def short_circuits(self, s: If) -> None:
        """Remember the results of a branch that are ``and`` or ``or`` of its condition and a result of an arm."""
        for v, a, b in zip(s.outs, s.then.results, s.orelse.results, strict=True):
            if b in (Const(False, BOOL), s.cond):
                self.tests[v.name] = Let(v, "and", (s.cond, a), s.span)
            elif a in (Const(True, BOOL), s.cond):
                self.tests[v.name] = Let(v, "or", (s.cond, b), s.span)

    def learn_test(self, cond: Atom, holds: bool) -> None:
        """Learn that a condition has the given value."""
        test = self.tests.get(cond.name) if isinstance(cond, Var) else None
        if test is None:
            return
        match test.op, holds:
            case "not", _:
                self.learn_test(test.ins[0], not holds)
            case ("and", True) | ("or", False):
                self.learn_test(test.ins[0], holds)
                self.learn_test(test.ins[1], holds)
            case (("and" | "or"), _):
                pass
            case op, _:
                a, b = (self.value(x) for x in test.ins)
                self.learn_comparison(op if holds else OPPOSITE[op], a, b)

    def learn_comparison(self, op: str, a: Affine, b: Affine) -> None:
        match op:
            case "eq":
                self.learn_equal(a - b)
            case "ne" if self.proves(a - b):
                self.learn(a - b - 1)
            case "ne" if self.proves(b - a):
                self.learn(b - a - 1)
            case _ if op != "ne":
                self.learn(INEQUALITIES[op](a, b))

    # --------------------------------------------------------------------------------------------------- loops

    def enter(self, s: Loop) -> None:
        """Learn what holds for the index of a loop inside its body."""
        i, start, step = unknown(s.index.name), self.value(s.start), self.form(s.step).value
        if s.stop is not None and step:
            ends = self.bounds(start), self.bounds(self.value(s.stop))
            self.interval[s.index.name] = (ends[0][0], ends[1][1] - 1) if step > 0 else (ends[1][0] + 1, ends[0][1])
        if s.stop is None:
            self.learn(i - start)
            self.learn(constant(SMALL) - i)
        elif step is not None and step != 0:
            stop, sign = self.value(s.stop), 1 if step > 0 else -1
            self.learn((i - start) * sign)
            self.learn((stop - i) * sign - 1)
            self.positive((stop - start) * sign)

    def positive(self, f: Affine) -> None:
        """Inside a loop the trip count is positive, and then equals the difference of the bounds."""
        for name in f.atoms:
            if name in self.trips and self.proves(unknown(name) - 1):
                self.learn_equal(unknown(name) - self.trips[name])

    # -------------------------------------------------------------------------------------------------- proofs

    def proves(self, f: Affine, depth: int = DEPTH) -> bool:
        """Whether the form is at least 0 in every execution that reaches this point; ``depth``: the facts in a proof.
        """
        self.budget = BUDGET
        return self._proves(f, depth)

    def holds(self, cond: Atom) -> bool:
        """Whether a condition is true in every execution that reaches this point."""
        test = self.tests.get(cond.name) if isinstance(cond, Var) else None
        if test is None:
            return cond == Const(True, BOOL)
        if test.op == "and":
            return all(map(self.holds, test.ins))
        if test.op not in OPPOSITE:
            return False
        a, b = map(self.value, test.ins)
        match test.op:
            case "eq":
                return self.proves(a - b) and self.proves(b - a)
            case "ne":
                return self.proves(a - b - 1) or self.proves(b - a - 1)
        return self.proves(INEQUALITIES[test.op](a, b))

    def _proves(self, f: Affine, depth: int) -> bool:
        self.budget -= 1
        f = self.normal(f)
        if self.bounds(f)[0] >= 0:
            return True
        if depth == 0 or not f.terms or self.budget <= 0:
            return False
        for name, c in f.terms:
            for fact in self.facts:
                for other, d in fact.terms:
                    if other == name and c % d == 0 and c // d > 0 and self._proves(f.plus(fact, -(c // d)), depth - 1):
                        return True
        return False

    def wrapped(self, f: Affine, size: Affine) -> Affine | None:
        """The result of `wrap` on an index, if it is known whether the index is negative. For size 0 both cases agree.
        """
        with self.scope():
            self.learn(size - 1)
            return f if self.proves(f) else f + size if self.proves(f * -1 - 1) else None

    # ---------------------------------------------------------------------------------------------- statements

    def statement(self, s: Stmt) -> None:
        """Learn from a statement without nested blocks."""
        match s:
            case Let(op="wrap", out=v, ins=(i, n)):
                f, size = self.form(i), self.value(n)
                if self.exact(f) and (wrapped := self.wrapped(f, size)) is not None:
                    self.forms[v.name] = wrapped
            case Let():
                self.let(s)
            case Dim(out=v, array=a, axis=axis) if a.name not in self.logs:
                self.forms[v.name] = self.dim(a, axis)
            case Alloc(out=v, shape=shape) if v.name not in self.logs:
                for axis, n in enumerate(map(self.value, shape)):
                    self.learn(n)
                    self.dims[v.name, axis] = n
            case Copy(out=v, array=a) if not {v.name, a.name} & self.logs:
                for axis in range(a.type.rank):  # type: ignore[union-attr]
                    self.dims[v.name, axis] = self.dim(a, axis)
            case Check(cond=cond):
                self.learn_test(cond, True)
            case (
                Load(array=a, index=index, checked=True)
                | Store(array=a, index=index, checked=True)
                | AddTo(array=a, index=index, checked=True)
            ) if a.name not in self.logs:
                for axis, f in enumerate(map(self.form, index)):
                    if self.exact(f):
                        self.learn(f)
                        self.learn(self.dim(a, axis) - 1 - f)

    def let(self, s: Let) -> None:
        """Learn from a scalar operation about its result."""
        out, op, ins = s.out, s.op, s.ins
        if out.type.dtype == "bool":
            ints = all(i.type.dtype in ("i64", "i32") for i in ins)
            if op in ("and", "or", "not") or (op in OPPOSITE and ints):
                self.tests[out.name] = s
            return
        if out.type.dtype == "i32":
            self.interval[out.name] = (-(2**31), 2**31 - 1)
        if out.type.dtype != "i64" or any(i.type.dtype not in ("i64", "i32") for i in ins[-2:]):
            return
        f = self.affine(s)
        if f is not None:
            self.forms[out.name] = f
        else:
            self.constrain(out, op, ins)

    def affine(self, s: Let) -> Affine | None:
        match s.op, s.ins:
            case "trips", (a, b, c) if self.form(c).value == 1 and self.proves(self.value(b) - self.value(a)):
                return self.form(b) - self.form(a)
        return affine_form(s, self.form)

    def constrain(self, out: Var, op: str, ins: tuple[Atom, ...]) -> None:
        """Learn inequalities about the result of an operation that is not affine."""
        r = unknown(out.name)
        values = tuple(map(self.value, ins))
        match op, values:
            case (("min" | "minimum"), _):
                self.interval[out.name] = tuple(map(min, zip(*map(self.bounds, values))))  # type: ignore[assignment]
                for v in values:
                    self.learn(v - r)
            case (("max" | "maximum"), _):
                counted = (unknown(name) for name, way in self.trips.items() if {*values} == {way, constant(0)})
                if (trips := next(counted, None)) is not None:
                    self.forms[out.name] = trips
                    return
                self.interval[out.name] = tuple(map(max, zip(*map(self.bounds, values))))  # type: ignore[assignment]
                for v in values:
                    self.learn(r - v)
            case "floordiv", (a, b) if b.value is not None and b.value > 0:
                self.interval[out.name] = tuple(x // b.value for x in self.bounds(a))  # type: ignore[assignment]
                self.learn(a - r * b.value)
                self.learn(r * b.value + (b.value - 1) - a)
            case "mod", (_, b) if self.proves(b - 1):
                self.learn(r)
                self.learn(b - 1 - r)
            case "select", (_, a, b):
                sizes = islice(_distinct(map(self.normal, self.dims.values())), SIZES - 1)
                either = ((v, sign) for v in (a, b) for sign in (1, -1))
                for line, sign in (*either, (constant(0), 1), *((size - 1, -1) for size in sizes)):
                    if all(self.proves_where(ins[0], holds, (v - line) * sign) for holds, v in ((True, a), (False, b))):
                        self.learn((r - line) * sign)
            case "trips", (a, b, c):
                self.learn(r)
                if c.value in (1, -1) and self.exact(way := (b - a) * c.value):
                    self.trips[out.name] = way
                    self.learn(r - way)  # which is at most 0 if there are no iterations
            case "mul", (a, b) if self.proves(a) and self.proves(b):
                low, high = self.bounds(a)[1] * self.bounds(b)[1], HIGHEST
                if low <= high:
                    self.learn(r)
            case "bitand", (a, b):
                for v in (a, b):
                    if self.proves(v):
                        self.learn(r)
                        self.learn(v - r)
