"""The storage plan as data: frames, bodies, and where each needed value comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from linad_typecheck.ir.core import (
    Alloc,
    Atom,
    Block,
    Const,
    If,
    Let,
    Loop,
    Stmt,
    Store,
    Var,
    blocks,
    outputs,
)
from linad_typecheck.ir.sizes import Sizes, known_sizes
from linad_typecheck.ops import OPS
from linad_typecheck.types import BYTES, Scalar

from ...derivatives.table import RULES
from ..facts.activity import Facts
from ..checkpoints.state import Checkpointed

TRIPS = 64  # a loop is taken to run this often when plans are compared
WORD = 8  # bytes

LoopMode = Literal["plain", "fused", "merged", "logged", "checkpointed"]
Source = Literal["re-read", "recomputed", "logged"]


def bytes_of(t: Scalar) -> int:
    """The bytes needed to log a value."""
    return BYTES[t.dtype]


@dataclass(eq=False)
class Frame:
    """A region of the program whose values are all still in scope when its reverse runs."""

    block: Block
    depth: int  # how many fused frames are around: a statement is re-executed at most once
    first: int
    last: int
    outer: Frame | None = None
    redone: frozenset[int] | None = None  # ids of the blocks of the fused iteration around, which is a re-execution:
    # effects on arrays from outside those blocks have been done, and checks have passed
    merged: set[int] = field(default_factory=set)  # ids of statements that run at their reverse position only
    deferred: set[int] = field(default_factory=set)  # ids of statements that run after the reverse sweep
    needed: set[str] = field(default_factory=set)
    held: frozenset[str] = frozenset()  # outer arrays that a step run again has copies of, by which it knows them
    updated: frozenset[str] = frozenset()  # those of them that it writes to again
    bodies: tuple[Body, ...] = ()  # the logged bodies around, whose kept arrays it can read

    def visible(self) -> set[int]:
        return {id(self.block)} | (self.outer.visible() if self.outer else set())

    def holds(self, name: str) -> bool:
        return name in self.held or (self.outer is not None and self.outer.holds(name))


@dataclass(eq=False)
class Body:
    """An iteration of a logged loop. ``path``: the logged loops around it from its frame on, itself included."""

    loop: Loop
    frame: Frame
    path: tuple[Body, ...] = ()
    in_frame_block: bool = True  # the outermost loop of the path stands in the frame's own block
    stacked: bool = False  # of a recursive function: what it logs is pushed on the stack of its calls
    needed: set[str] = field(default_factory=set)
    requests: list[tuple[str, tuple[tuple[int, Stmt], ...]]] = field(
        default_factory=list
    )  # (name, blocks and statements to it)
    source: dict[str, Source] = field(default_factory=dict)
    expanded: dict[str, Alloc] = field(
        default_factory=dict
    )  # local arrays that get one slice per iteration and are kept
    rows: dict[str, Alloc] = field(default_factory=dict)  # those that a log keeps one after another
    before: dict[str, str] = field(
        default_factory=dict
    )  # logged carried values, each with the logged value that the next iteration has of it: one log, with a cell more

    def keeps(self, name: str) -> bool:
        """Whether a local array is logged for the reverse of its iteration."""
        return name in self.expanded or name in self.rows

    @property
    def logs(self) -> list[str]:
        """The values that are logged, one word per iteration each."""
        return [n for n, how in self.source.items() if how == "logged" and n not in self.before]


@dataclass(frozen=True, eq=False)
class Outside:
    """The blocks of a loop without a derivative; the reverse sweep needs none of their values."""

    frame: Frame


Region = Frame | Body


@dataclass(eq=False)
class Plan:
    """The decisions, as data: `explain` prints them and `reverse` follows them."""

    facts: Facts
    modes: dict[int, LoopMode] = field(default_factory=dict)  # by id of the loop
    frames: dict[int, Frame] = field(default_factory=dict)  # by id of the block
    bodies: dict[int, Body] = field(default_factory=dict)  # by id of the loop
    snapshots: dict[int, Checkpointed] = field(default_factory=dict)  # by id of the loop
    region_of: dict[int, Region | Outside] = field(default_factory=dict)  # by id of the block
    shapes: dict[int, tuple[Atom, ...]] = field(default_factory=dict)  # by id of the drop of an array
    dense: dict[int, frozenset[str]] = field(default_factory=dict)  # by id: matrices that its reverse reads again
    tape_sizes: dict[tuple[int, str], tuple[Atom, ...]] = field(
        default_factory=dict
    )  # by id and matrix: sizes that need not be kept with it
    later: dict[tuple[int, str], int] = field(
        default_factory=dict
    )  # by id and matrix: the later operation of its block that keeps the same matrix
    wants: dict[int, list[str]] = field(
        default_factory=dict
    )  # by id of a statement: values of its block to bring back for it
    # values that are read again from where the program stores them
    kept: dict[str, Store] = field(default_factory=dict)
    unchanged: dict[int, tuple[int, ...]] = field(
        default_factory=dict
    )  # by id of a call: positions of the arrays it reads that are still the same at its reverse
    log_everything: bool = False  # every loop is logged, and in it every value needed: the derivative without a plan

    def region(self, name: str) -> Region | Outside:
        return self.region_of[self.facts.home[name]]

    @cached_property
    def sizes(self) -> Sizes:
        """The array sizes that are known."""
        return known_sizes(self.facts.function)

    def variable(self, name: str, body: Body) -> Var:
        """The variable of an iteration with a given name."""
        carried = {c.name: c for c in body.loop.carried}
        if name in carried:
            return carried[name]
        return next(v for v in outputs(self.facts.definition[name]) if v.name == name)

    def before(self, a: Atom, body: Body) -> bool:
        """Whether a value is in scope before the outermost logged loop of a path."""
        return self.in_frame(a, body.frame)

    def in_frame(self, a: Atom, frame: Frame) -> bool:
        """Whether a value is in scope from its definition to the end of its frame."""
        a = self.facts.value(a)
        return isinstance(a, Const) or self.facts.home[a.name] in frame.visible()

    def rectangular(self, body: Body) -> bool:
        """Whether the trip count of every loop of a path is known before the outermost one."""
        return body.in_frame_block and not body.stacked and all(
            not b.loop.exits
            and b.loop.stop is not None
            and all(self.before(a, body) for a in (b.loop.start, b.loop.stop, b.loop.step))
            for b in body.path
        )


def rule_needs(s: Let, facts: Facts) -> list[Atom]:
    """The primal values that the reverse of a scalar operation reads."""
    if not facts.is_active(s.out):
        return []
    rule, found = RULES.get(s.op), []
    for k in OPS[s.op].diff:
        if rule is not None and k < len(rule.needs) and facts.is_active(s.ins[k]):
            found += [{"x": s.ins[0], "y": s.ins[-1], "o": s.out}[letter] for letter in rule.needs[k]]
    return found


def block_ids(block: Block):
    """The ids of a block and of every block nested in it."""
    yield id(block)
    for s in block.stmts:
        for b in blocks(s):
            yield from block_ids(b)


def own_blocks(block: Block):
    """A block and the arms in it, without the bodies of loops."""
    yield block
    for s in block.stmts:
        if isinstance(s, If):
            for b in blocks(s):
                yield from own_blocks(b)
