"""Bounds checks: prove accesses in bounds, check them before a loop, or check them at the access.

**Transformation.** Bounds-check elimination and hoisting (Gupta, Optimizing array bound checks using flow analysis,
1993). The result has no checked accesses; the remaining checks are `Check` statements.

**Before.** ``for i in range(n) { e = load? &v [i] }``
**After.** ``check (n <= dim v 0) retry; for i in range(n) { e = load! &v [i] }``

**Legality.** An index needs no check if `linad/analysis/affine.py` proves it in bounds. A check before a loop may fail
although the program has no error, because the access may not be reached. Its error is therefore `RETRY`: the build with
every check in place is then run and decides.

**Profitability.** Always: a loop with a check in each iteration is not vectorised. A check stays in a loop that writes
at loaded indices, which is not vectorised anyway.

**Needs.** For checks before loops: a failing check can request the other build (retry).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from linad_typecheck.ir.core import (
    RETRY, AddTo, Alloc, Atom, Block, Check, Const, Dim, Function, If, Let, Load, Loop, Names, Stmt, Store, Var,
    all_names, base_name, walk,
)
from linad_typecheck.ir.sizes import known_sizes as array_sizes
from linad_typecheck.infer.affine import Affine
from linad_typecheck.span import Span
from linad_typecheck.types import BOOL, I64, Array, is_float

from linad.analysis.accesses import updates
from linad.analysis.affine import SMALL, Snapshot, constant, unknown
from linad.analysis.alias import alias_groups
from linad.analysis.logs import logs_of
from linad.analysis.loop_facts import defined, definitions, ranges_of, scatters, steps, updated
from linad.optimise.loops.scatter_buffering import delayable
from linad.optimise.pass_manager import Remark, Remarks

from .guard_hoisting import inspect_first
from .hoisted_checks import Endpoints, Inspection, Scan, Test, place

ZERO = Const(0, I64)
LARGEST_ARGUMENT = 2**60
LINEAR = ("add", "sub", "neg", "mul")
LARGEST_FACTOR = 8  # limit on the coefficient of a loop index in an index that is checked only at its endpoints


Answer = Literal["inside", "before", "proved"]
ANSWERS: dict[Answer, str] = {
    "inside": "tested in each iteration",
    "before": "tested once, before the loop",
    "proved": "proved, not tested",
}


@dataclass(frozen=True)
class Access:
    """An index of an access in a loop, and whether it is proved in bounds, checked before the loop, or checked at the
    access."""

    span: Span
    array: str
    axis: int
    answer: Answer


@dataclass
class Frame:
    """An enclosing loop, before which its checks may move."""

    loop: Loop
    movable: bool  # every iteration runs its whole body, unless an error occurs
    inside: set[str]  # the names that the loop defines
    updated: set[str]  # the arrays that it updates
    tests: list[Test] = field(default_factory=list)
    own: set[int] = field(default_factory=set)  # checks of no known function of the loop's index, by identity
    relying: set[int] = field(default_factory=set)  # loads in bounds because of such checks, by identity
    checked: bool = False  # whether there is a check in an iteration, on which later loads may rely
    conditional: int = 0  # the number of enclosing branches that may keep indices in bounds
    entry: Snapshot | None = None  # the facts before the body


def check_accesses(f: Function, retry: bool, noalias: bool) -> tuple[Function, Remarks]:
    """Make the index checks of a function explicit; with ``retry``, before loops where possible."""
    if retry:
        f = replace(f, body=replace(f.body, stmts=(*_fitting(f), *f.body.stmts)))
    checker = Checker(f, retry, noalias)
    f = replace(f, body=checker.block(f.body))
    return f, tuple(_remarks(checker.accesses))


def _fitting(f: Function) -> Iterator[Stmt]:
    """Checks that the int arguments that indices are computed from are not so large that this arithmetic overflows:
    otherwise the bounds of ``range(k, n - k)`` would be unknown for an argument ``k``."""
    names = Names(all_names(f))
    given = {p.var for p in f.params if p.var.type == I64}
    used = {a for t in walk(f.body) if isinstance(t, Let) and t.op in LINEAR for a in t.ins if a in given}
    for p in (p.var for p in f.params if p.var in used):
        low, high, ok = (names.var(hint, BOOL) for hint in ("low", "high", "ok"))
        yield Let(low, "le", (Const(-LARGEST_ARGUMENT, I64), p))
        yield Let(high, "le", (p, Const(LARGEST_ARGUMENT, I64)))
        yield Let(ok, "and", (low, high))
        yield Check(ok, RETRY, "", ())


def _remarks(accesses: Iterable[Access]) -> Iterator[Remark]:
    """Remarks on index checks: which stay in loops, which are hoisted, which are proved."""
    found: dict[tuple[int, str], set[str]] = {}
    for a in accesses:
        found.setdefault((a.span.line, a.array), set()).add(a.answer)
    for (line, array), answers in found.items():
        for text in (text for answer, text in ANSWERS.items() if answer in answers):
            yield Remark(line, "index check", f"of {array}: {text}")


class Checker:
    """The walk over one function."""

    def __init__(self, f: Function, hoist: bool, noalias: bool) -> None:
        self.hoist, self.noalias, self.group = hoist, noalias, alias_groups(f)
        self.names = Names(all_names(f))
        self.resized = logs_of(f)
        self.ranges = ranges_of(f)
        self.frames: list[Frame] = []
        self.accesses: list[Access] = []  # accesses in loops
        self.tested: set[str] = set()  # indices covered by a check before a loop
        self.loads: dict[str, Load] = {}  # ints loaded from an array
        self.bools: dict[str, Let] = {}
        self.known = array_sizes(f)

    # ------------------------------------------------------------------------------------------------------ walk

    def block(self, b: Block) -> Block:
        out: list[Stmt] = []
        for s in b.stmts:
            self.stmt(s, out)
        return Block(tuple(out), b.results)

    def stmt(self, s: Stmt, out: list[Stmt]) -> None:
        r = self.ranges
        match s:
            case Let(op="wrap"):
                self.wrap(s, out)
            case Load() | Store() | AddTo():
                self.access(s, out)
            case Alloc():
                self.alloc(s, out)
            case Check(cond):
                if not (self.frames and r.holds(cond)):
                    out.append(s)
                    self.checked_here()
                    r.learn_test(cond, True)
            case If():
                self.branch(s, out)
            case Loop():
                self.loop(s, out)
            case _:
                if isinstance(s, Let) and s.out.type == BOOL:
                    self.bools[s.out.name] = s
                r.statement(s)
                out.append(s)

    def alloc(self, s: Alloc, out: list[Stmt]) -> None:
        """Sizes must not be negative. A successfully allocated array fits the address space."""
        r = self.ranges
        for axis, a in enumerate(s.shape):
            v = r.value(a)
            if not r.proves(v):
                ok = self.names.var("ok", BOOL)
                out.append(Let(ok, "le", (ZERO, a), s.span))
                out.append(Check(ok, "ValueError", "negative dimensions are not allowed", (), s.span))
                r.learn(v)
            if s.out.name not in self.resized:
                r.dims[s.out.name, axis] = v
        out.append(s)
        if len(s.shape) == 1:
            r.learn(constant(2**60) - r.value(s.shape[0]))

    def branch(self, s: If, out: list[Stmt]) -> None:
        frame = self.frames[-1] if self.frames and self.may_guard(s.cond) else None
        if frame:
            frame.conditional += 1
        arms = []
        for b in self.ranges.arms(s):
            arms += [self.block(b), [self.ranges.form(x) if _is_int(x) else None for x in b.results]]
        if frame:
            frame.conditional -= 1
        then, first, orelse, second = arms
        for v, x, y in zip(s.outs, first, second, strict=True):
            if x is not None and x == y:
                self.ranges.forms[v.name] = x
        for v, a, b in zip(s.outs, s.then.results, s.orelse.results, strict=True):
            self.join_sizes(v, a, b)
        out.append(replace(s, then=then, orelse=orelse))

    def may_guard(self, cond: Atom) -> bool:
        """Whether a condition may keep indices in bounds: it compares ints, other than the indices of two loops for
        equality, or it is unknown."""
        t = self.bools.get(cond.name) if isinstance(cond, Var) else None
        if t is None or t.op not in ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not"):
            return True
        if t.op in ("and", "or", "not"):
            return any(map(self.may_guard, t.ins))
        indices = {frame.loop.index for frame in self.frames}
        return not is_float(t.ins[0].type) and not (t.op in ("eq", "ne") and indices.issuperset(t.ins))

    def join_sizes(self, v: Var, a: Atom, b: Atom) -> None:
        if isinstance(v.type, Array) and isinstance(a, Var) and isinstance(b, Var) and v.name not in self.resized:
            for axis in range(v.type.rank):
                da, db = self.ranges.dim(a, axis), self.ranges.dim(b, axis)
                if da == db and not {a.name, b.name} & self.resized:
                    self.ranges.dims[v.name, axis] = da

    def loop(self, s: Loop, out: list[Stmt]) -> None:
        r = self.ranges
        self.carried_sizes(s)
        movable = self.hoist and not s.exits and s.stop is not None and r.form(s.step).value in (1, -1)
        frame = Frame(s, movable, defined(s), updated(s))
        self.frames.append(frame)
        with r.scope():
            r.enter(s)
            columns = enumerate(zip(s.carried, s.inits, s.outs, strict=True))
            moves = [(c, o, *self.induction(c, a, s, k)) for k, (c, a, o) in columns]
            for c, _, direction, init in moves:
                self.bounded(c, direction, init)
            frame.entry = r.snapshot()
            body = self.block(s.body)
        self.frames.pop()
        for _, o, direction, init in moves:
            self.bounded(o, direction, init)
        if s.trips is not None:
            r.learn(unknown(s.trips.name))
        own, relies = (lambda t: id(t) in frame.own), (lambda t: id(t) in frame.relying)
        s = replace(s, body=body)
        inspected = inspect_first(s, self.names, self.may_write(s), own, relies) if movable else None
        if inspected is not None:
            first, s = inspected
            if first:
                frame.tests.append(Inspection(Block(tuple(first))))
            else:
                s = self.without_proved(s)
        outer = self.frames[-1] if self.frames else None
        for t in frame.tests:
            t = t.around(frame.loop)
            moved = self.in_all_iterations(t, outer) if outer else None
            if moved is None:
                place(t, self.names, self.ranges.places, out)
            elif outer and moved not in outer.tests:
                outer.tests.append(moved)
        out.append(s)

    def without_proved(self, s: Loop) -> Loop:
        """An innermost loop without the checks, also for negative indices, that its other checks make unnecessary."""
        r, stmts = self.ranges, []
        with r.scope():
            r.enter(s)
            for t in s.body.stmts:
                if isinstance(t, Let) and t.op == "wrap" and r.exact(f := r.form(t.ins[0])) and r.proves(f):
                    t = _alias(t, t.ins[0])
                if not (isinstance(t, Check) and r.holds(t.cond)):
                    r.statement(t)
                    stmts.append(t)
        return replace(s, body=replace(s.body, stmts=tuple(stmts)))

    def may_write(self, s: Loop) -> Callable[[Var], bool]:
        """Whether a loop may update an array, under any of its names."""
        if not self.noalias:
            types = {a.type.dtype for t in walk(s.body) for a in updates(t)}
            return lambda a: a.type.dtype in types
        written = {self.group(name) for name in updated(s)}
        return lambda a: self.group(a.name) in written

    def carried_sizes(self, s: Loop) -> None:
        """Carried arrays that are only permuted keep their sizes, as do those reallocated with the same sizes."""
        for v in (*s.carried, *s.outs):
            if v.name not in self.resized:
                for axis, n in enumerate(self.known.get(v.name, ())):
                    self.ranges.dims[v.name, axis] = self.ranges.value(n)
        arrays = [k for k, c in enumerate(s.carried) if isinstance(c.type, Array)]
        results = s.nexts
        own = {s.carried[k].name for k in arrays}
        for k in arrays:
            c, a, o = s.carried[k], s.inits[k], s.outs[k]
            same = [j for j in arrays if s.carried[j].type == c.type]
            if not all(isinstance(results[j], Var) and results[j].name in own for j in same):
                continue
            if {v.name for j in same for v in (s.carried[j], s.inits[j], s.outs[j])} & self.resized:
                continue
            for axis in range(_rank(c)):
                sizes = {self.ranges.dim(s.inits[j], axis) for j in same}
                if len(sizes) == 1:
                    self.ranges.dims[c.name, axis] = self.ranges.dims[o.name, axis] = self.ranges.dim(a, axis)

    def induction(self, c: Var, init: Atom, s: Loop, k: int) -> tuple[int, Affine]:
        """Whether a carried int only grows (1) or only shrinks (-1), and its initial value; 0 if neither is known."""
        if not _is_int(c) or c.type.dtype != "i64":
            return 0, constant(0)
        start = self.ranges.value(init)
        low, high = self.ranges.bounds(start)
        if low < -SMALL or high > SMALL:
            return 0, start
        made = definitions(s.body)
        signs = steps(s.nexts[k], c, made)
        if signs is None:
            return 0, start
        return (1 if signs <= {0, 1} else -1 if signs <= {0, -1} else 0), start

    def bounded(self, v: Var, direction: int, init: Affine) -> None:
        if direction:
            self.ranges.learn((unknown(v.name) - init) * direction)
            limit = constant(SMALL) - unknown(v.name) * direction  # no counter gets this large in practice
            self.ranges.learn(limit)

    # -------------------------------------------------------------------------------------------------- accesses

    def wrap(self, s: Let, out: list[Stmt]) -> None:
        r = self.ranges
        i, n = s.ins
        f, size = r.form(i), r.value(n)
        if r.exact(f) and r.proves(f):
            r.forms[s.out.name] = f
            out.append(_alias(s, i))
            self.loads_like(s.out, i)
            return
        if r.exact(f) and r.proves(f * -1 - 1):
            r.forms[s.out.name] = f + size
            out.append(Let(s.out, "add", (i, n), s.span))
            return
        if self.scan(i, size) or (r.exact(f) and self.endpoints(f, None, None)):
            r.forms[s.out.name] = f
            self.tested.add(s.out.name)
            out.append(_alias(s, i))
            return
        if r.exact(f) and r.proves(f + size) and r.proves(size - 1 - f):
            r.learn(unknown(s.out.name))
            r.learn(size - 1 - unknown(s.out.name))
        out.append(s)

    def loads_like(self, out: Var, i: Atom) -> None:
        if isinstance(i, Var) and i.name in self.loads:
            self.loads[out.name] = self.loads[i.name]

    def access(self, s: Load | Store | AddTo, out: list[Stmt]) -> None:
        relies = False
        if s.checked:
            for axis, i in enumerate(s.index):
                relies |= self.in_range(s, axis, i, out)
        out.append(replace(s, checked=False))
        if relies:
            self.frames[-1].relying.add(id(out[-1]))
        if isinstance(s, Load) and s.out.type.dtype == "i64":
            self.loads[s.out.name] = s

    def in_range(self, s: Load | Store | AddTo, axis: int, i: Atom, out: list[Stmt]) -> bool:
        """Check an index, if necessary; return whether it is in bounds because of a check in the innermost loop."""
        r = self.ranges
        if s.array.name in self.resized:
            out.extend(self.explicit(s.array, axis, i, s.span))
            return bool(self.frames)
        f, size = r.form(i), self.ranges.dim(s.array, axis)
        if (s.array.name, axis, f) in r.done or (r.proves(f) and r.proves(size - 1 - f)):
            self.note(s, axis, "before" if isinstance(i, Var) and i.name in self.tested else "proved")
            return bool(self.frames and self.frames[-1].own) and not self.holds_at_entry(self.frames[-1], f, size)
        inside = not (self.scan(i, size) or self.endpoints(f, size, i))
        if not inside:
            self.note(s, axis, "before")
        else:
            self.note(s, axis, "inside")
            self.checked_here()
            made = self.explicit(s.array, axis, i, s.span)
            if (frame := self.movable()) is not None and not self.visible(f, frame, frame.loop.index):
                frame.own.add(id(made[-1]))
            out.extend(made)
        self.passed(s.array, axis, f, size)
        return inside and bool(self.frames)

    def checked_here(self) -> None:
        if self.frames:
            self.frames[-1].checked = True

    def holds_at_entry(self, frame: Frame, f: Affine, size: Affine) -> bool:
        """Whether an index is proved in bounds by what is known at the start of an iteration."""
        r = self.ranges
        assert frame.entry is not None
        with r.scope():
            r.restore(frame.entry)
            return r.proves(r.normal(f)) and r.proves(size - 1 - r.normal(f))

    def note(self, s: Load | Store | AddTo, axis: int, answer: Answer) -> None:
        if self.frames:
            self.accesses.append(Access(s.span, base_name(s.array.name), axis, answer))

    def passed(self, array: Var, axis: int, f: Affine, size: Affine) -> None:
        """Learn that an index is in bounds from here on."""
        r = self.ranges
        r.done.add((array.name, axis, f))
        if r.exact(f):
            r.learn(f)
            r.learn(size - 1 - f)

    def endpoints(self, f: Affine, size: Affine | None, i: Atom | None) -> bool:
        """Check an affine index before the loop, at its first and last iteration, if possible."""
        frame = self.movable()
        if frame is None:
            return False
        r = self.ranges
        c, ends, low, high = self.extremes(f, frame.loop)
        if abs(c) > LARGEST_FACTOR or not all(self.visible(e, frame) for e in (low, high, size or low)):
            return False
        if size is None and r.proves(low * -1 - 1):
            return False  # negative indices are intended in some iteration
        sure = r.exact(f)
        test = Endpoints(
            low=None if sure and r.proves(f) else low,
            high=None if size is None or (sure and r.proves(size - 1 - f)) else high,
            size=size,
            ordered=None if sure or not c else (low, high),
            width=None if sure or abs(c) < 2 else ends,
        )
        if test not in frame.tests:
            frame.tests.append(test)
        if size is None and sure:
            r.learn(f)
        return size is not None or sure

    def extremes(self, f: Affine, s: Loop) -> tuple[int, tuple[Affine, Affine], Affine, Affine]:
        """The coefficient of a loop's index in a form, the lowest and the highest index, and the form at these two, the
        smaller one first."""
        r = self.ranges
        c = dict(f.terms).get(s.index.name, 0)
        start, stop = r.value(s.start), r.value(s.stop)  # type: ignore[arg-type]
        ends = (start, stop - 1) if r.form(s.step).value == 1 else (stop + 1, start)
        rest = f - unknown(s.index.name) * c
        return c, ends, rest + ends[c < 0] * c, rest + ends[c >= 0] * c

    def visible(self, f: Affine, frame: Frame, index: Var | None = None) -> bool:
        """Whether the unknowns of a form, other than an index, are defined before the loop."""
        own = {self.ranges.places[a][0].name for a in f.atoms if a in self.ranges.places}
        return not ((own | set(f.atoms)) - {index and index.name}) & frame.inside

    def movable(self) -> Frame | None:
        """The innermost loop, if a check at this point may move before it."""
        frame = self.frames[-1] if self.frames else None
        return frame if frame and frame.movable and not frame.conditional else None

    def scan(self, i: Atom, size: Affine) -> bool:
        """Check before the loop all indices that it loads from an array, if the loop can then be vectorised."""
        frame = self.movable()
        load = self.loads.get(i.name) if isinstance(i, Var) else None
        if frame is None or load is None or i.name not in frame.inside:
            return False
        if scatters(frame.loop) and not delayable(frame.loop, checks=True):
            return False
        if load.array.name in frame.inside | frame.updated | self.resized or not self.visible(size, frame):
            return False
        index = tuple(self.ranges.form(x) for x in load.index)
        if not any(frame.loop.index.name in f.atoms for f in index) or not all(map(_simple, index)):
            return False
        test = Scan(load.array, index, size, frame.loop)
        if not self.readable(test, frame):
            return False
        if test not in frame.tests:
            frame.tests.append(test)
        f = unknown(i.name)
        self.ranges.learn(f)
        self.ranges.learn(size - 1 - f)
        return True

    def readable(self, t: Scan, frame: Frame) -> bool:
        """Whether the cells that a scan reads are provably in bounds before the loop."""
        r = self.ranges
        assert frame.entry is not None
        with r.scope():
            r.restore(frame.entry)
            r.enter(t.loop)
            return all(
                r.proves(r.normal(f)) and r.proves(self.ranges.dim(t.array, axis) - 1 - r.normal(f))
                for axis, f in enumerate(t.index)
            )

    def in_all_iterations(self, t: Test, outer: Frame) -> Test | None:
        """The check before a loop for all iterations of the enclosing loop, if it may move before that one too."""
        r = self.ranges
        if not outer.movable or outer.conditional:
            return None
        if isinstance(t, Scan):
            if t.array.name in outer.updated or not self.readable(t, outer):
                return None
        elif isinstance(t, Inspection):
            written = self.may_write(outer.loop)
            if outer.checked or any(isinstance(u, Load) and written(u.array) for u in walk(t.body)):
                return None
        elif not (t.ordered or t.width) and all(f is None or r.exact(f) for f in (t.low, t.high)):
            t = replace(
                t,
                low=t.low and self.extremes(t.low, outer.loop)[2],
                high=t.high and self.extremes(t.high, outer.loop)[3],
            )
        return None if t.mentions(outer.inside, r.places) else t

    def explicit(self, array: Var, axis: int, index: Atom, span: Span) -> list[Stmt]:
        """A check of one index at its use. The message shows a negative index as the user wrote it."""
        fresh = self.names.var
        size, high = fresh("size"), fresh("high", BOOL)
        out: list[Stmt] = [Dim(size, array, axis, span), Let(high, "lt", (index, size), span)]
        f = self.ranges.form(index)
        if self.ranges.exact(f) and self.ranges.proves(f):
            ok, shown = high, index
        else:
            low, negative = fresh("low", BOOL), fresh("negative", BOOL)
            ok, back, shown = fresh("ok", BOOL), fresh("back"), fresh("shown")
            out += [
                Let(low, "le", (ZERO, index), span),
                Let(ok, "and", (low, high), span),
                Let(negative, "lt", (index, ZERO), span),
                Let(back, "sub", (index, size), span),
                Let(shown, "select", (negative, back, index), span),
            ]
        message = f"index {{0}} is out of bounds for axis {axis} of {base_name(array.name)} with size {{1}}"
        return [*out, Check(ok, "IndexError", message, (shown, size), span)]


def _alias(s: Let, i: Atom) -> Stmt:
    return Let(s.out, "cast", (i,), s.span)


def _rank(v: Var) -> int:
    return v.type.rank if isinstance(v.type, Array) else 0


def _is_int(a: Atom) -> bool:
    return not isinstance(a.type, Array) and a.type.dtype in ("i64", "i32")


def _simple(f: Affine) -> bool:
    """A constant, or one unknown plus a constant."""
    return not f.terms or (len(f.terms) == 1 and f.terms[0][1] == 1)
