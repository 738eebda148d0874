"""Loop fusion: a loop that reads at each place what the loop before it has written there is joined with it.

**Transformation.** Loop fusion (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter 6).

**Before.** ``for i in range(n) { &t[i] = f(x[i]) }; for j in range(n) { s += t[j] }``
**After.** ``for i in range(n) { &t[i] = f(x[i]); s += t[i] }``

**Legality.** Both loops have the same start, stop and step, are not left early and carry no arrays. A loop that goes
through a range in blocks, as sums do, is taken for its innermost loop; what is joined with it is divided into the same
blocks, which leaves the order of its iterations (strip-mining). Of an array
that one of them writes every access of both has the index of the loop on the same axis, or both only add to it. At
most one of them may fail, and then the other writes nothing that a caller can see. What stands between them can run
before the first.

**Profitability.** An array that is only written in one loop and read in the next holds nothing that is not at hand:
its reads become the values (`store_forwarding.py`), and it is not made at all (`dead_code_elimination.py`). That
makes a chain of array expressions cost what one loop does. With loops that go in blocks others are only joined where
the arrays between them are not made then. A recurrence is not joined with a loop of exponentials
or sines, which vector instructions compute four or eight at a time.

**Needs.** Nothing: the results are the same to the last bit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Call, Check, Const, Dim, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names,
    blocks, free_vars, operands, outputs, walk, written,
)
from linad_typecheck.ir.rewrite import substitute
from linad_typecheck.types import I64, Array

from linad.analysis.operation_costs import is_library_call

_GATHERING = ("add", "sub", "max", "min", "maximum", "minimum", "mul", "and", "or")


def fuse_loops(f: Function) -> Function:
    """The function with producing and consuming loops made one, where no cell is read before or after its time."""
    return replace(f, body=_Fuser(f).block(f.body))


@dataclass(frozen=True)
class _Touch:
    """How a loop touches an array: with which axes of it indexed by the loop's own index alone, in every access."""

    reads: bool
    writes: bool
    adds_only: bool
    axes: frozenset[int] | None  # None where it is touched as a whole


class _Facts:
    """What `_Fuser` asks of one loop, each found when it is first asked for: a loop meets all those before it in its
    block."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop  # which keeps its identity taken, too
        self.inner = _of_block(loop)
        self.innermost = loop if self.inner is None else self.inner
        self.alone = loop.exits or loop.trips is not None or loop.mark is not None
        self.alone = self.alone or any(isinstance(c.type, Array) for c in loop.carried)

    @cached_property
    def touches(self) -> dict[str, _Touch]:
        return _touches(self.innermost)

    @cached_property
    def reads(self) -> frozenset[str]:
        return frozenset(n for n, t in self.touches.items() if t.reads)

    @cached_property
    def writes(self) -> frozenset[str]:
        return frozenset(n for n, t in self.touches.items() if t.writes)

    @cached_property
    def serial(self) -> bool:
        return _serial(self.innermost)

    @cached_property
    def expensive(self) -> bool:
        return _dear(self.innermost)

    @cached_property
    def may_fail(self) -> bool:
        return any(map(_may_fail, walk(self.loop.body)))

    @cached_property
    def mentions(self) -> frozenset[str]:
        return frozenset(free_vars(self.loop.body)) | {i.name for i in self.loop.inits if isinstance(i, Var)}


class _Fuser:
    def __init__(self, f: Function) -> None:
        self.function = f
        self.known: dict[int, _Facts] = {}
        self.visible = {p.var.name for p in f.params}
        returned = {r.name for s in walk(f.body) for b in blocks(s) for r in b.results if isinstance(r, Var)}
        returned |= {r.name for r in f.body.results if isinstance(r, Var)}
        self.made = {s.out.name for s in walk(f.body) if isinstance(s, Alloc) and s.log == "no"} - returned

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for k, s in enumerate(block.stmts):
            out.append(s)
            if isinstance(s, Loop):
                self.join_last(out, block.stmts[k + 1 :])
        return replace(block, stmts=tuple(map(self.inside, out)))

    def inside(self, s: Stmt) -> Stmt:
        match s:
            case If():
                return replace(s, then=self.block(s.then), orelse=self.block(s.orelse))
            case Loop():
                return replace(s, body=self.block(s.body))
        return s

    def join_last(self, out: list[Stmt], rest: tuple[Stmt, ...]) -> None:
        """Fuse the loop at the end with an earlier one that writes what it reads, if what stands between lets it.
        ``rest`` follows in the block."""
        last = out[-1]
        for at in range(len(out) - 2, -1, -1):
            s = out[at]
            between = out[at + 1 : -1]
            if (
                isinstance(s, Loop)
                and self.fits(s, last)
                and all(self.may_pass(m, s) for m in between)
                and self.pays(s, last, (*between, *rest))
            ):
                out[at:] = [*between, self.joined(s, last)]
                return
            if isinstance(s, Call) or (isinstance(s, Loop) and s.exits):
                return

    @cached_property
    def names(self) -> Names:
        return Names(all_names(self.function))

    def joined(self, a: Loop, b: Loop) -> Loop:
        """One loop for two; the second's statements follow the first's in each iteration."""
        if self.facts(a).inner is None and self.facts(b).inner is None:
            return _joined(a, b)
        return _in_blocks(a, b, self.names)

    # -- conditions

    def pays(self, a: Loop, b: Loop, others: tuple[Stmt, ...]) -> bool:
        """Whether it pays to divide a loop into blocks: where all arrays between the two are used by loops alone that
        can be joined with them, so that they are not made. Passes after this one understand whole ranges better."""
        first, second = self.facts(a), self.facts(b)
        if (first.inner is None) == (second.inner is None):
            return True
        later = {o.name for o in (*a.outs, *b.outs)}
        later |= {v.name for t in others if not isinstance(t, Alloc) for v in outputs(t)}
        alike = [
            t
            for t in others
            if isinstance(t, Loop)
            and (t.start, t.stop) == (a.start, a.stop)
            and self.facts(t).innermost.step == first.innermost.step
            and not self.facts(t).mentions & later
        ]
        between = first.writes & second.reads & self.made
        return all(self.uses[n] == sum(_uses(t)[n] for t in (a, b, *alike)) for n in between)

    @cached_property
    def uses(self) -> Counter[str]:
        """How many statements of the function use an array, other than for its size."""
        return sum(map(_uses, self.function.body.stmts), Counter())

    def facts(self, s: Loop) -> _Facts:
        found = self.known.get(id(s))
        if found is None:
            found = self.known[id(s)] = _Facts(s)
        return found

    def fits(self, a: Loop, b: Loop) -> bool:
        if (a.start, a.stop) != (b.start, b.stop):
            return False
        first, second = self.facts(a), self.facts(b)
        if a.step != b.step and (first.inner is None) == (second.inner is None):
            return False
        if first.innermost.step != second.innermost.step:
            return False
        if first.alone or second.alone or not first.writes & second.reads & self.made:
            return False
        if first.serial != second.serial and (first if second.serial else second).expensive:
            return False  # vector instructions for the one are worth more than the cells that the other leaves behind
        if any(o.name in second.mentions for o in a.outs):
            return False
        return all(map(self.one_by_one, *_pairs(first.touches, second.touches))) and self.fail_alike(first, second)

    def one_by_one(self, x: _Touch, y: _Touch) -> bool:
        """Whether an array is touched by both loops in such a way that an iteration of the second only meets the same
        iteration of the first."""
        if not (x.writes or y.writes) or (x.adds_only and y.adds_only):
            return True
        return x.axes is not None and y.axes is not None and bool(x.axes & y.axes)

    def fail_alike(self, a: _Facts, b: _Facts) -> bool:
        """Whether an error is the same one, and finds the same cells written that a caller can see."""
        if a.may_fail and b.may_fail:
            return False
        return not (b.writes if a.may_fail else a.writes if b.may_fail else frozenset()) & self.visible

    def may_pass(self, m: Stmt, loop: Loop) -> bool:
        """Whether a statement after a loop may run before it."""
        there, a = self.facts(loop), written(m)
        own = isinstance(m, Store | AddTo) and a is not None and a.name in self.made and a.name not in there.mentions
        if isinstance(m, (Loop, If, Call)) or (a is not None and not own):
            return False
        if (isinstance(m, Check) or getattr(m, "checked", False)) and (there.may_fail or there.writes & self.visible):
            return False
        uses = {x.name for x in operands(m) if isinstance(x, Var)}
        if uses & {o.name for o in loop.outs}:
            return False
        return isinstance(m, Dim) or not uses & there.writes


def _uses(s: Stmt) -> Counter[str]:
    """How many statements in a statement use an array, other than for its size."""
    inside = (t for t in walk(Block((s,))) if not isinstance(t, Dim))
    return Counter(a.name for t in inside for a in operands(t) if isinstance(a, Var) and isinstance(a.type, Array))


def _may_fail(s: Stmt) -> bool:
    return isinstance(s, Check | Call) or getattr(s, "checked", False) or (isinstance(s, Loop) and s.stop is None)


def _serial(s: Loop) -> bool:
    """Whether an iteration uses what the one before has found, other than to add to it or to compare with it."""
    results = {r.name for r in s.body.results if isinstance(r, Var)}
    carried = {c.name for c in s.carried}
    used: set[str] = set()
    gathered: set[str] = set()
    for t in walk(s.body):
        mentioned = {x.name for x in operands(t) if isinstance(x, Var)}
        if mentioned & carried:
            if not (isinstance(t, Let) and t.op in _GATHERING and t.out.name in results):
                return True
            gathered.add(t.out.name)
        used |= mentioned
    return bool(gathered & used)


def _dear(s: Loop) -> bool:
    """Whether a loop is of plain statements, of which one is worth vector instructions by itself."""
    body = list(walk(s.body))
    return not any(map(blocks, body)) and any(map(is_library_call, body))


def _touches(s: Loop) -> dict[str, _Touch]:
    found: dict[str, _Touch] = {}

    def note(a: Var, reads: bool, writes: bool, adds: bool, axes: frozenset[int] | None) -> None:
        old = found.get(a.name)
        if old is None:
            found[a.name] = _Touch(reads, writes, adds, axes)
            return
        both = None if old.axes is None or axes is None else old.axes & axes
        found[a.name] = _Touch(old.reads or reads, old.writes or writes, old.adds_only and adds, both)

    for t in walk(s.body):
        match t:
            case Dim():
                continue
            case Load(array=a, index=index) | Store(array=a, index=index) | AddTo(array=a, index=index):
                axes = frozenset(k for k, i in enumerate(index) if i == s.index)
                note(a, isinstance(t, Load), not isinstance(t, Load), isinstance(t, AddTo), axes)
            case _:
                for x in operands(t):
                    if isinstance(x, Var) and isinstance(x.type, Array):
                        note(x, True, True, False, None)
                for b in blocks(t):
                    for r in b.results:
                        if isinstance(r, Var) and isinstance(r.type, Array):
                            note(r, True, True, False, None)
    return found


def _pairs(first: dict[str, _Touch], second: dict[str, _Touch]) -> tuple[list[_Touch], list[_Touch]]:
    both = [n for n in first if n in second]
    return [first[n] for n in both], [second[n] for n in both]


def _of_block(s: Loop) -> Loop | None:
    """The loop over a block, of a loop that goes through a range in blocks and else only computes."""
    inner = [t for t in s.body.stmts if isinstance(t, Loop)]
    if len(inner) != 1 or s.exits or not isinstance(s.step, Const) or s.step.value <= 1:
        return None
    if not all(isinstance(t, Let | Loop) for t in s.body.stmts):
        return None
    (t,) = inner
    made = {u.out: (u.op, u.ins) for u in s.body.stmts if isinstance(u, Let)}
    op, ends = made.get(t.stop, ("", ())) if isinstance(t.stop, Var) else ("", ())
    whole = t.start == s.index and t.step == Const(1, I64) and op == "min" and s.stop in ends
    if not whole or t.exits or t.trips is not None or t.mark is not None:
        return None
    (high,) = (a for a in ends if a != s.stop) if len(set(ends)) == 2 else (None,)
    return t if isinstance(high, Var) and made.get(high) == ("add", (s.index, s.step)) else None


def _in_blocks(a: Loop, b: Loop, names: Names) -> Loop:
    """One loop for two of which at least one goes through its range in blocks."""
    frame = a if _of_block(a) is not None else b
    inside = _of_block(frame)
    assert inside is not None
    before: list[Stmt] = []
    after: list[Stmt] = []
    stmts: list[Stmt] = []
    inner = _Carried()
    outer = _Carried()
    for s in (a, b):
        mine, here = _of_block(s), {s.index.name: frame.index}
        if mine is None:
            begun, ended = (tuple(map(names.like, s.carried)) for _ in range(2))
            mine = replace(s, inits=begun, outs=ended)
            outer.add(begun, s.inits, ended, s.outs)
        else:
            at = s.body.stmts.index(mine)
            rest = substitute(s.body, here)
            before += rest.stmts[:at]
            after += rest.stmts[at + 1 :]
            outer.add(s.carried, s.inits, rest.results, s.outs)
        body = substitute(mine.body, {**here, mine.index.name: inside.index})
        stmts += body.stmts
        inner.add(mine.carried, mine.inits, body.results, mine.outs)
    whole = replace(
        inside, carried=inner.carried, inits=inner.inits, outs=inner.outs, body=Block(tuple(stmts), inner.results)
    )
    body = Block((*before, whole, *after), outer.results)
    return replace(frame, carried=outer.carried, inits=outer.inits, outs=outer.outs, body=body)


@dataclass
class _Carried:
    """What a loop carries, together with what others do."""

    carried: tuple[Var, ...] = ()
    inits: tuple[Atom, ...] = ()
    results: tuple[Atom, ...] = ()
    outs: tuple[Var, ...] = ()

    def add(
        self, carried: tuple[Var, ...], inits: tuple[Atom, ...], results: tuple[Atom, ...], outs: tuple[Var, ...]
    ) -> None:
        self.carried += carried
        self.inits += inits
        self.results += results
        self.outs += outs


def _joined(a: Loop, b: Loop) -> Loop:
    """One loop for two; the second's statements follow the first's in each iteration."""
    second = substitute(b.body, {b.index.name: a.index})
    body = Block((*a.body.stmts, *second.stmts), (*a.body.results, *second.results))
    return replace(
        a, carried=(*a.carried, *b.carried), inits=(*a.inits, *b.inits), outs=(*a.outs, *b.outs), body=body
    )
