"""The storage plan as data: frames, bodies, and the source of each needed value."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from linad_typecheck.ir.core import Alloc, Atom, Block, Const, If, Let, Loop, Stmt, Store, Var, blocks, outputs
from linad_typecheck.ir.sizes import Sizes, known_sizes
from linad_typecheck.ops import OPS
from linad_typecheck.types import BYTES, Scalar

from ...derivatives.table import RULES
from ..facts.activity import Facts
from ..checkpoints.state import Checkpointed

TRIPS = 64  # assumed trip count of a loop when plans are compared
WORD = 8  # bytes

LoopMode = Literal["plain", "fused", "merged", "logged", "checkpointed"]
Source = Literal["re-read", "recomputed", "logged"]


def bytes_of(t: Scalar) -> int:
    """The bytes needed to log a value."""
    return BYTES[t.dtype]


@dataclass(eq=False)
class Frame:
    """A region of the program whose values are all in scope when its reverse runs."""

    block: Block
    depth: int  # number of enclosing fused frames: a statement is re-executed at most once
    first: int
    last: int
    outer: Frame | None = None
    # ids of the blocks of the enclosing fused iteration, if this is a re-execution: its effects on outer arrays have
    # already happened, and its checks have passed
    redone: frozenset[int] | None = None
    merged: set[int] = field(default_factory=set)  # ids of statements that run only at their reverse position
    deferred: set[int] = field(default_factory=set)  # ids of statements that run after the reverse sweep
    needed: set[str] = field(default_factory=set)
    held: frozenset[str] = frozenset()  # outer arrays that a re-run step refers to by the name of a copy
    updated: frozenset[str] = frozenset()  # those of them that it writes again
    bodies: tuple[Body, ...] = ()  # the enclosing logged bodies, whose kept arrays it can read

    def visible(self) -> set[int]:
        return {id(self.block)} | (self.outer.visible() if self.outer else set())

    def holds(self, name: str) -> bool:
        return name in self.held or (self.outer is not None and self.outer.holds(name))


@dataclass(eq=False)
class Body:
    """An iteration of a logged loop. ``path``: the enclosing logged loops within its frame, itself included."""

    loop: Loop
    frame: Frame
    path: tuple[Body, ...] = ()
    in_frame_block: bool = True  # the outermost loop of the path is in the frame's own block
    stacked: bool = False  # in a recursive function: logs are pushed on the stack of calls
    needed: set[str] = field(default_factory=set)
    requests: list[tuple[str, tuple[tuple[int, Stmt], ...]]] = field(
        default_factory=list
    )  # (name, blocks and the statements leading to it)
    source: dict[str, Source] = field(default_factory=dict)
    expanded: dict[str, Alloc] = field(default_factory=dict)  # local arrays with one slice of a log per iteration
    rows: dict[str, Alloc] = field(default_factory=dict)  # local arrays that are stored one after another in a log
    before: dict[str, str] = field(
        default_factory=dict
    )  # logged carried values, with the logged value of the next iteration: one log with an extra cell

    def keeps(self, name: str) -> bool:
        """Whether a local array is logged for the reverse of its iteration."""
        return name in self.expanded or name in self.rows

    @property
    def logs(self) -> list[str]:
        """The logged values, one word per iteration each."""
        return [n for n, how in self.source.items() if how == "logged" and n not in self.before]


@dataclass(frozen=True, eq=False)
class Outside:
    """The blocks of a loop without a derivative; the reverse sweep needs none of their values."""

    frame: Frame


Region = Frame | Body


@dataclass(eq=False)
class Plan:
    """The decisions of the storage plan, as data: `explain` prints them and `reverse` follows them."""

    facts: Facts
    modes: dict[int, LoopMode] = field(default_factory=dict)  # by id of the loop
    frames: dict[int, Frame] = field(default_factory=dict)  # by id of the block
    bodies: dict[int, Body] = field(default_factory=dict)  # by id of the loop
    snapshots: dict[int, Checkpointed] = field(default_factory=dict)  # by id of the loop
    region_of: dict[int, Region | Outside] = field(default_factory=dict)  # by id of the block
    shapes: dict[int, tuple[Atom, ...]] = field(default_factory=dict)  # by id of the drop of an array
    # by id of an operation: the matrices that its reverse re-reads
    dense: dict[int, frozenset[str]] = field(default_factory=dict)
    tape_sizes: dict[tuple[int, str], tuple[Atom, ...]] = field(
        default_factory=dict
    )  # by id and matrix: sizes that need not be saved with it
    later: dict[tuple[int, str], int] = field(
        default_factory=dict
    )  # by id and matrix: a later operation of the same block that saves the same matrix
    wants: dict[int, list[str]] = field(
        default_factory=dict
    )  # by id of a statement: values of its block to recover for it
    # values that are re-read from where the program stores them
    kept: dict[str, Store] = field(default_factory=dict)
    unchanged: dict[int, tuple[int, ...]] = field(
        default_factory=dict
    )  # by id of a call: positions of read-only arrays that are unchanged at its reverse
    log_everything: bool = False  # log every loop and every needed value: the derivative without a plan

    def region(self, name: str) -> Region | Outside:
        return self.region_of[self.facts.home[name]]

    @cached_property
    def sizes(self) -> Sizes:
        """The known array sizes."""
        return known_sizes(self.facts.function)

    def variable(self, name: str, body: Body) -> Var:
        """The variable with a given name in an iteration."""
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
        """Whether the trip counts of all loops of a path are known before the outermost one."""
        return (
            body.in_frame_block
            and not body.stacked
            and all(
                not b.loop.exits
                and b.loop.stop is not None
                and all(self.before(a, body) for a in (b.loop.start, b.loop.stop, b.loop.step))
                for b in body.path
            )
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
    """A block and its arms, without loop bodies."""
    yield block
    for s in block.stmts:
        if isinstance(s, If):
            for b in blocks(s):
                yield from own_blocks(b)
