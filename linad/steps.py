"""The table of the cost theorem: the maximum number of gradient steps per executed statement of the primal.

The rows of scalar operations are counted from the derivative table itself, so the constant of a new rule is available
immediately. The constants are explained in ``docs/explanation/cost.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from linad_typecheck.ir.build import Builder
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

from .derivatives.table import RULES, Point

LOGGED = 2  # a logged value: a store to a log, and a load from it
GROWN = 2  # if the length of the log is not known in advance: growth moves a word at most twice
ROW = 8  # a kept array of an iteration: the end of the log, in both sweeps, plus one per axis
STACKED = 6  # in a recursive function, additionally: the address and type of the word, in both sweeps
RESTORED = 2  # an overwritten cell: a load in the forward sweep and a store in the reverse sweep
EXCHANGED = 2  # an exchange with a word of a log: one more store forward and one more load in reverse

# per word of statements on whole arrays, outside loops; one more execution costs its own weight
WORDS: Mapping[str, int] = {"alloc": 2, "copy": 5, "fill": 5, "addarray": 6, "dense": 9}
WEIGHT: Mapping[str, int] = {"alloc": 1, "copy": 1, "fill": 1, "addarray": 3, "dense": 1}
JOINED = 2  # a value that a branch or an iteration joins or borrows: two additions of adjoints
BRANCH = 2  # in both sweeps
TURN = 2
CELL = 7  # an iteration: its position in the logs, by at most three operations in both sweeps, and one to grow them
LOOP = 16  # an executed loop: trip counts, reversed ranges, positions in the logs
ENTERED = 20  # a block of a recursive function: the positions in three stacks, in both sweeps
BOUNDARY = 2  # per word of arguments and results


@dataclass(frozen=True)
class Place:
    """The context of a statement: the number of enclosing loops (``depth``); whether the length of the logs there is
    ``unknown`` before the outermost loop; whether it is in a recursive function (``itself``); whether the primal has
    logs; and the values defined in enclosing iterations (``local``)."""

    depth: int = 0
    unknown: bool = False
    itself: bool = False
    logs: bool = False
    local: frozenset[str] = frozenset()

    @property
    def kept(self) -> int:
        """The cost of logging a value."""
        return LOGGED + (GROWN if self.unknown or self.itself else 0) + (STACKED if self.itself else 0)

    def value(self, weight: int = 1) -> int:
        """The cost of a statement beyond its reverse: in an outermost loop it is re-run next to its reverse or its
        value is logged; in an inner one both may happen."""
        match self.depth + self.itself:
            case 0:
                return 0
            case 1:
                return max(weight, self.kept)
        return weight + self.kept

    def again(self, weight: int = 1) -> int:
        """The cost of one more execution, without a value."""
        return weight if self.depth else 0


@cache
def of_op(name: str) -> int:
    """The steps per scalar operation outside loops: itself, its reverse, and one addition per operand."""
    return 1 + len(OPS[name].diff) + rule_steps(name)


@cache
def rule_steps(name: str) -> int:
    """The number of operations in the reverse of a scalar operation, for all operands together."""
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
    """The operations that remain if each is done once."""
    known: dict[str, tuple] = {}
    for s in stmts:
        known[s.out.name] = (s.op, *(known.get(a.name, a) if isinstance(a, Var) else a for a in s.ins))
    return set(known.values())


_TOP: Mapping[type, int] = {
    Load: 1 + 3,  # plus ``+=`` on a cell of the adjoint
    Store: 1 + 3 + RESTORED,  # plus a load, a zero, an addition
    AddTo: 3 + 2 + RESTORED,  # plus a load, an addition
    Check: 1,
    Call: 2,
}


def of_statement(s: Stmt, place: Place) -> int:
    """The steps per execution of a statement, without its nested blocks and its words."""
    match s:
        case Let(op=op):
            return of_op(op) + place.value()
        case Load(array=array):
            # the index in a row of a log
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
    """The steps per execution of a block: an iteration of a loop, and its carried values."""
    entered = ENTERED if place.itself else 0
    if not isinstance(around, Loop):
        return entered
    carried = sum(not isinstance(c.type, Array) for c in around.carried)
    return entered + TURN + place.again() + CELL + JOINED * joined(around) + place.value(0) * carried


def joined(s: Stmt) -> int:
    """The number of scalars that a branch joins or an iteration carries, and of float scalars that it borrows from
    outer blocks."""
    found = {n: v for b in blocks(s) for n, v in free_vars(b).items()}
    borrowed = sum(is_float(v.type) and isinstance(v.type, Scalar) for v in found.values())
    results = s.outs if isinstance(s, If) else s.carried if isinstance(s, Loop) else ()
    return borrowed + sum(not isinstance(v.type, Array) for v in results)


def words(kind: str, place: Place) -> int:
    """The steps per word."""
    return WORDS[kind] + place.again(WEIGHT[kind])


def of_states(block: Block, around: Stmt | None, place: Place) -> int:
    """The additional steps per word allocated in a block, if iterations allocate arrays: an array may be pushed on a
    log cell by cell, and one created for the next iteration may be copied before."""
    made = {s.out for s in block.stmts if isinstance(s, Alloc | Copy)}
    ranks = (
        [v.type.rank for v in block.results if v in made and isinstance(v.type, Array)]
        if isinstance(around, Loop)
        else []
    )
    local = [v.type.rank for v in made] if place.depth else []
    pushed = GROWN + 1 + 3 * max(local) if local else 0  # an iteration per axis, the index in the log, a load, a store
    if not ranks:
        return pushed
    deep = replace(place, depth=place.depth + max(ranks))
    turns = max(ranks) * (LOOP + JOINED + TURN + deep.again() + CELL)
    return pushed + turns + _TOP[Load] + _TOP[Store] + 2 * deep.value() + words("alloc", deep)


def places(functions: Mapping[str, Function]) -> Iterator[tuple[Block, Stmt | None, Place]]:
    """Every block of a program, with the statement that contains it and its context."""
    everything = [s for f in functions.values() for s in walk(f.body)]
    called = {s.callee for s in everything if isinstance(s, Call)}
    logs = any(isinstance(s, Alloc) and s.log != "no" for s in everything)
    for name, f in functions.items():
        yield from _inside(f.body, None, Place(itself=name in called, logs=logs), set())


def _inside(
    block: Block, around: Stmt | None, place: Place, made: set[str]
) -> Iterator[tuple[Block, Stmt | None, Place]]:
    """Yield each block with the statement that contains it and its place. ``made``: the values that enclosing blocks
    define inside the outermost loop or arm."""
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
    """The constants by kind of primitive, outside loops; for a kind of operations, that of the most expensive one."""
    kinds: dict[str, int] = {}
    for op in OPS.values():
        kinds[op.kind] = max(kinds.get(op.kind, 0), of_op(op.name))
    yield from kinds.items()
    yield from (("load", _TOP[Load]), ("store", _TOP[Store]), ("addto", _TOP[AddTo]), *WORDS.items())
    yield from (("check", 1), ("branch", BRANCH), ("turn", TURN + CELL), ("loop", LOOP), ("joined", JOINED))
