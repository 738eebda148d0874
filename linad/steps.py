"""How many steps of a gradient each executed statement of the primal pays for, at most: the table of the cost theorem.

The rows of scalar operations are counted from the derivative table itself, so a new rule has its constant at once. What
the constants are made of is in ``docs/explanation/cost.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from linad_typecheck.ir.core import (
    AddTo,
    Alloc,
    Block,
    Call,
    Check,
    Const,
    Copy,
    Dim,
    Function,
    If,
    Let,
    Load,
    Loop,
    Names,
    Stmt,
    Store,
    Var,
    blocks,
    free_vars,
    outputs,
    walk,
)
from linad_typecheck.ops import LITERAL_SECOND, OPS
from linad_typecheck.types import BOOL, F64, I64, Array, Scalar, is_float

from .derivatives.table import RULES, Builder, Point

LOGGED = 2  # a value that is needed and lost: a store into a log, and a load from it
GROWN = 2  # where the log's length is not known before: a word is moved at most twice while it grows
ROW = 8  # an array of an iteration that is kept: where the log ends, there and back, and one more for each axis
STACKED = 6  # in a function that calls itself: the word's address and type, there and back, besides
RESTORED = 2  # a cell that is overwritten: a load there and a store back
EXCHANGED = 2  # a word of a log that takes part in it: a store more there and a load more back

# per word, of what is counted in words: at the top of a function; what one more run of it costs is its own weight
WORDS: Mapping[str, int] = {"alloc": 2, "copy": 5, "fill": 5, "addarray": 6, "dense": 9}
WEIGHT: Mapping[str, int] = {"alloc": 1, "copy": 1, "fill": 1, "addarray": 3, "dense": 1}
JOINED = 2  # a value that a branch or a turn joins or borrows: two additions of adjoints
BRANCH = 2  # there and back
TURN = 2
CELL = 7  # a turn: the cells of an iteration in the logs, by at most three operations there and back, one to make room
LOOP = 16  # a loop that is started: numbers of turns, ranges backwards, where the logs stand
ENTERED = 20  # a block of a function that calls itself: where three stacks stand, there and back
BOUNDARY = 2  # per word of arguments and results


@dataclass(frozen=True)
class Place:
    """Where a statement stands: ``depth`` loops around it, whether the logs there have a length that is ``unknown``
    before the outermost loop starts, whether it is in a function that calls ``itself``, whether there are logs in the
    primal, and what iterations around have made (``local``)."""

    depth: int = 0
    unknown: bool = False
    itself: bool = False
    logs: bool = False
    local: frozenset[str] = frozenset()

    @property
    def kept(self) -> int:
        """What keeping a value costs."""
        return LOGGED + (GROWN if self.unknown or self.itself else 0) + (STACKED if self.itself else 0)

    def value(self, weight: int = 1) -> int:
        """What a statement of a weight costs more than its reverse: in an outermost loop it runs again beside its
        reverse or has its value kept; in an inner one it may do both."""
        match self.depth + self.itself:
            case 0:
                return 0
            case 1:
                return max(weight, self.kept)
        return weight + self.kept

    def again(self, weight: int = 1) -> int:
        """What running once more costs, without a value."""
        return weight if self.depth else 0


@cache
def of_op(name: str) -> int:
    """Steps that one scalar operation at the top of a function pays for: itself, its reverse, and an addition per
    operand."""
    return 1 + len(OPS[name].diff) + rule_steps(name)


@cache
def rule_steps(name: str) -> int:
    """The operations in the reverse of a scalar operation, of all its operands together."""
    op, rule = OPS[name], RULES.get(name)
    if rule is None:
        return 0
    ins: list[Var | Const] = [Var(f"x{k}", F64) for k in range(op.arity)]
    if name in LITERAL_SECOND:
        ins[1] = Const(3, I64)
    if name == "select":
        ins[0] = Var("x0", BOOL)
    builder = Builder(Names({a.name for a in ins if isinstance(a, Var)}))
    for k in op.diff:
        slope = rule.slopes[k]
        if slope is not None:
            slope(Point(builder, tuple(ins), Var("out", F64)), Var("bar", F64))
    casts = len(op.diff) if name == "cast" else 0
    return len(_distinct(builder.stmts)) + casts


def _distinct(stmts: Iterable[Let]) -> set[tuple]:
    """The operations that are left when each is done once."""
    known: dict[str, tuple] = {}
    for s in stmts:
        known[s.out.name] = (s.op, *(known.get(a.name, a) if isinstance(a, Var) else a for a in s.ins))
    return set(known.values())


_TOP: Mapping[type, int] = {
    Load: 1 + 3,  # and one += on a cell of the adjoint
    Store: 1 + 3 + RESTORED,  # and a load, a zero, an addition
    AddTo: 3 + 2 + RESTORED,  # and a load, an addition
    Check: 1,
    Call: 2,
}


def of_statement(s: Stmt, place: Place) -> int:
    """Steps that one execution of a statement pays for, without what is in its blocks or counted in words."""
    match s:
        case Let(op=op):
            return of_op(op) + place.value()
        case Load(array=array):
            # the cell of a row
            return _TOP[Load] + place.value() + (2 * (array.type.rank - 1) if array.name in place.local else 0)
        case Alloc(out=out) if place.depth:
            return ROW + out.type.rank
        case Store():
            return _TOP[Store] + place.value() + (EXCHANGED if place.logs else 0)
        case AddTo():
            return _TOP[AddTo] + place.value(3)
        case Dim():
            return place.value()
        case If():
            return BRANCH + place.again() + JOINED * joined(s)
        case Loop():
            return LOOP + JOINED * (len(s.outs) + 1)
        case Call(args=args, outs=outs):
            return _TOP[Call] + (JOINED + place.kept) * (len(args) + len(outs))
    return _TOP.get(type(s), 0)


def of_block(around: Stmt | None, place: Place) -> int:
    """Steps that each execution of a block pays for: a turn of a loop, and what it carries."""
    entered = ENTERED if place.itself else 0
    if not isinstance(around, Loop):
        return entered
    carried = sum(not isinstance(c.type, Array) for c in around.carried)
    return entered + TURN + place.again() + CELL + JOINED * joined(around) + place.value(0) * carried


def joined(s: Stmt) -> int:
    """The scalars that a branch joins, or a turn of a loop carries, and float ones of outer blocks that it borrows."""
    found = {n: v for b in blocks(s) for n, v in free_vars(b).items()}
    borrowed = sum(is_float(v.type) and isinstance(v.type, Scalar) for v in found.values())
    results = s.outs if isinstance(s, If) else s.carried if isinstance(s, Loop) else ()
    return borrowed + sum(not isinstance(v.type, Array) for v in results)


def words(kind: str, place: Place) -> int:
    """Steps that a word pays for."""
    return WORDS[kind] + place.again(WEIGHT[kind])


def of_states(block: Block, around: Stmt | None, place: Place) -> int:
    """Steps that each word made in a block pays for besides, where a turn of a loop makes arrays: one may be pushed on
    a log, cell by cell, and one that it makes for the next turn be copied before."""
    made = {s.out for s in block.stmts if isinstance(s, Alloc | Copy)}
    ranks = (
        [v.type.rank for v in block.results if v in made and isinstance(v.type, Array)]
        if isinstance(around, Loop)
        else []
    )
    local = [v.type.rank for v in made] if place.depth else []
    pushed = GROWN + 1 + 3 * max(local) if local else 0  # a turn for each axis, the cell of the log, a load, a store
    if not ranks:
        return pushed
    deep = replace(place, depth=place.depth + max(ranks))
    turns = max(ranks) * (LOOP + JOINED + TURN + deep.again() + CELL)
    return pushed + turns + _TOP[Load] + _TOP[Store] + 2 * deep.value() + words("alloc", deep)


def places(functions: Mapping[str, Function]) -> Iterator[tuple[Block, Stmt | None, Place]]:
    """Every block of a program with the statement it belongs to, and where it is."""
    everything = [s for f in functions.values() for s in walk(f.body)]
    called = {s.callee for s in everything if isinstance(s, Call)}
    logs = any(isinstance(s, Alloc) and s.log != "no" for s in everything)
    for name, f in functions.items():
        yield from _inside(f.body, None, Place(itself=name in called, logs=logs), set())


def _inside(
    block: Block, around: Stmt | None, place: Place, made: set[str]
) -> Iterator[tuple[Block, Stmt | None, Place]]:
    """``made``: the values that blocks around define inside the outermost loop or arm."""
    inner = made | {v.name for s in block.stmts for v in outputs(s)} if around is not None else made
    yield block, around, replace(place, local=frozenset(inner)) if place.depth else place
    for s in block.stmts:
        match s:
            case If():
                for b in (s.then, s.orelse):
                    yield from _inside(b, s, replace(place, unknown=True), inner)
            case Loop():
                bounds = {a.name for a in (s.start, s.stop, s.step) if isinstance(a, Var)}
                unknown = place.unknown or s.exits or s.stop is None or bool(bounds & inner)
                own = {s.index.name, *(c.name for c in s.carried)}
                yield from _inside(s.body, s, replace(place, depth=place.depth + 1, unknown=unknown), inner | own)


def table() -> Iterator[tuple[str, int]]:
    """The constants by kind of primitive, of one that stands outside of all loops: of a kind's operations, the dearest.
    """
    kinds: dict[str, int] = {}
    for op in OPS.values():
        kinds[op.kind] = max(kinds.get(op.kind, 0), of_op(op.name))
    yield from kinds.items()
    yield from (("load", _TOP[Load]), ("store", _TOP[Store]), ("addto", _TOP[AddTo]), *WORDS.items())
    yield from (("check", 1), ("branch", BRANCH), ("turn", TURN + CELL), ("loop", LOOP), ("joined", JOINED))
