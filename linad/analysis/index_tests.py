"""Comparisons of a loop index with a loop-invariant int, and the iterations at which their results change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from linad_typecheck.ir.core import Atom, Block, Const, Function, If, Let, Loop, Stmt, Var, walk
from linad_typecheck.infer.affine import Affine
from linad_typecheck.types import I64, INTS

from .affine import Ranges
from .loop_facts import defined, is_counted, with_ranges

LARGE = 2**61  # more than any index
EDGE = 3  # iterations at an end of a range
ZERO = Const(0, I64)
_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
# by comparison: the offset of the first iteration with the other result, and that result
_FROM = {"lt": (0, False), "le": (1, False), "ge": (0, True), "gt": (1, True), "eq": (0, True), "ne": (0, False)}


@dataclass(frozen=True)
class Test:
    """A comparison of a loop index with a loop-invariant int.

    Its result changes at iteration ``base + at``, and back at the next iteration if it is ``single``. ``later`` is the
    result from that iteration on; before and after a single iteration the results agree.
    """

    base: Atom
    at: int
    later: bool
    single: bool

    @property
    def cuts(self) -> tuple[int, ...]:
        """The offsets from the base at which the result changes."""
        return (self.at, self.at + 1) if self.single else (self.at,)

    def answer(self, k: int) -> bool:
        """The result after ``k`` of the cuts."""
        return self.later == (k == 1)


def tests_of(s: Loop, r: Ranges) -> dict[str, Test]:
    """The comparisons of the index in a loop, by name."""
    made, index = defined(s), r.value(s.index)
    found: dict[str, Test] = {}
    if not r.proves(index + LARGE) or not r.proves(index * -1 + LARGE):
        return found
    for t in walk(s.body):
        if not isinstance(t, Let) or t.op not in _FLIPPED or any(a.type != I64 for a in t.ins):
            continue
        for op, a, b in ((t.op, *t.ins), (_FLIPPED[t.op], *reversed(t.ins))):
            single, (more, later) = op in ("eq", "ne"), _FROM[op]
            far, apart = r.value(a) - index, r.value(a) - r.value(b) - index
            if not far.terms and abs(far.const) < LARGE and not (isinstance(b, Var) and b.name in made):
                found[t.out.name] = Test(b, more - far.const, later, single)
                break
            if not apart.terms and abs(apart.const) < LARGE:  # both sides vary, and differ by the index plus a constant
                found[t.out.name] = Test(ZERO, more - apart.const, later, single)
                break
    return found


def selecting_conditions(stmts: Iterable[Stmt]) -> Iterator[Var]:
    """The conditions of branches and of selects between ints."""
    for t in stmts:
        match t:
            case If(cond=Var() as c):
                yield c
            case Let(out=out, op="select", ins=(Var() as c, *_)) if out.type.dtype in INTS:
                yield c


class Ends:
    """The tests of a counted loop that change within `EDGE` iterations of an end of its range.

    ``leading``: the number of iterations before the last change. ``trailing``: the number from the first change on.
    """

    def __init__(self, s: Loop, r: Ranges) -> None:
        self.up = s.step.value > 0  # type: ignore[union-attr]
        start, stop = r.value(s.start), r.value(s.stop)  # type: ignore[arg-type]
        low, high = (start, stop) if self.up else (stop + 1, start + 1)
        self.tests = tests_of(s, r)
        self.leading: dict[str, int] = {}
        self.trailing: dict[str, int] = {}
        for name, test in self.tests.items():
            cuts = [r.value(test.base) + c for c in test.cuts]
            if (leading := _small_count(cuts[-1] - low)) is not None:
                self.leading[name] = leading
            elif (trailing := _small_count(high - cuts[0])) is not None:
                self.trailing[name] = trailing

    def middle(self) -> dict[str, bool]:
        """The results of these tests in the iterations in between."""
        first = {n: self.tests[n].answer(len(self.tests[n].cuts)) for n in self.leading}
        return first | {n: self.tests[n].answer(0) for n in self.trailing}


def _small_count(f: Affine) -> int | None:
    """A number of iterations, if it is known and small."""
    return max(f.value, 0) if f.value is not None and f.value <= EDGE else None


def is_edge(s: Loop, r: Ranges) -> bool:
    """Whether a loop provably has at most `EDGE` iterations."""
    if s.stop is None or not is_counted(s, one_by_one=True):
        return False
    trips = (r.value(s.stop) - r.value(s.start)) * s.step.value  # type: ignore[union-attr]
    return r.proves(trips * -1 + EDGE)


def usual_arms(f: Function) -> set[int]:
    """The arms, by id, that are taken in all but a few iterations, because the branch tests for an end of an index
    range."""
    tests: dict[str, Let] = {}
    answers: dict[str, bool] = {}
    found: set[int] = set()

    def collect(s: Loop, r: Ranges) -> list[Stmt]:
        if is_counted(s, one_by_one=True):
            answers.update(Ends(s, r).middle())
        tests.update(r.tests)
        return [s]

    def answer(a: Atom) -> bool | None:
        if not isinstance(a, Var) or a.name in answers:
            return answers.get(str(a))
        match tests.get(a.name):
            case Let(op="not", ins=(x,)):
                known = answer(x)
                return None if known is None else not known
            case Let(op="and" | "or" as op, ins=ins):
                known = [answer(x) for x in ins]
                decided = op == "or"
                return decided if decided in known else None if None in known else not decided
        return None

    def mark(b: Block) -> None:
        for s in b.stmts:
            match s:
                case If(cond=cond):
                    taken = answer(cond)
                    if taken is not None:
                        arm = s.then if taken else s.orelse
                        found.add(id(arm))
                        mark(arm)
                case Loop(body=body):
                    mark(body)

    with_ranges(f, collect)
    mark(f.body)
    return found
