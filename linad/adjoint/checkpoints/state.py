"""The state in a snapshot of a loop: what is needed at the start of an iteration to re-run the remaining ones.

It consists of the carried values that anything the reverse sweep needs depends on, and of the outer arrays that the
loop both reads and writes. An array that is only read is available, or is copied once if it changes after the loop. An
array that is only written, such as a recorded trajectory, is not needed to re-run steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Block, Call, Checkpoint, Const, Load, Loop, Store, Var, free_vars, operands, walk, written,
)
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.ir.sizes import known_sizes
from linad_typecheck.linear.uses import uses
from linad_typecheck.types import I64, Array

from ..facts.activity import Facts
from ..facts.dependence import tainted_by, touched

EVERY_STEP = Checkpoint("periodic", Const(2**62, I64))
SOME_STEPS = Checkpoint("revolve")  # for an unknown number of steps
# mark of the reverse loop: the logs of its steps are only live within a step
SETTLED = Checkpoint("tape", Const(0, I64))


@dataclass(frozen=True, eq=False)
class Checkpointed:
    """A checkpointed loop.

    Attributes
    ----------
    mark
        The user's mark. A loop that contains a marked loop would lose the inner snapshots in each iteration, so it is
        checkpointed too, with a slot for each step if their number is known.
    scalars
        The carried scalars of the state.
    arrays
        The outer arrays of the state, each updated under one name.
    moved
        The carried arrays: names that may be bound to another array in the next iteration.
    copied
        Outer arrays that the loop only reads and that change before its reverse runs.
    ragged
        The carried arrays whose size may change.
    """

    loop: Loop
    mark: Checkpoint
    scalars: tuple[Var, ...]
    arrays: tuple[Var, ...]
    moved: tuple[Var, ...]
    copied: tuple[Var, ...] = ()
    ragged: tuple[Var, ...] = ()

    @property
    def once(self) -> bool:
        """Whether the loop has a single step and is marked in order to be re-run."""
        s = self.loop
        bounds = (s.start, s.stop, s.step)
        return not s.exits and [a.value if isinstance(a, Const) else None for a in bounds] == [0, 1, 1]

    @property
    def own(self) -> frozenset[str]:
        """The outer arrays that a re-run step refers to by another name."""
        return frozenset(v.name for v in (*self.arrays, *self.copied))

    @property
    def even(self) -> tuple[Var, ...]:
        """The arrays of the state whose size is constant."""
        return (*self.arrays, *(v for v in self.moved if v not in self.ragged))


def unmarked(block: Block) -> Block:
    """The block without checkpoint marks, except `SETTLED`. The derivative's own logs are settled, and the derivative
    of the derivative logs what it needs."""
    stmts = (in_blocks(s, unmarked) for s in block.stmts)
    return Block(
        tuple(replace(s, mark=None) if isinstance(s, Loop) and s.mark != SETTLED else s for s in stmts), block.results
    )


def is_marked(s: Loop) -> bool:
    """Whether the user requested checkpoints for this loop."""
    return s.mark is not None and s.mark.scheme != "tape"


def around_marked(s: Loop, facts: Facts, free: frozenset[int] = frozenset()) -> bool:
    """Whether a loop contains a marked loop that is not in ``free``."""
    return any(isinstance(t, Loop) and is_marked(t) and id(t) not in free and facts.matters(t) for t in walk(s.body))


def checkpointed(s: Loop, facts: Facts, needed: set[str], stays: Callable[[Var], bool]) -> Checkpointed:
    """Determine the contents of a loop's snapshots. ``needed``: values that the reverse reads. ``stays``: whether an
    array still has its final contents when the reverse runs."""
    outer = [v for v in free_vars(s.body).values() if isinstance(v.type, Array) and v not in s.carried]
    reads, writes = touched(s, facts)
    for t in walk(s.body):
        if written(t) is None:  # a call may read the arrays that it updates
            reads |= {facts.place(a) for a, _ in uses(t, facts.modes) if isinstance(a.type, Array)}
    arrays = tuple(v for v in outer if facts.place(v) in reads & writes)
    moved = tuple(c for c in s.carried if isinstance(c.type, Array))
    copied = tuple(v for v in outer if facts.place(v) not in writes and not stays(v))
    around = SOME_STEPS if s.exits else EVERY_STEP
    mark = s.mark if s.mark is not None and is_marked(s) else around
    sized = known_sizes(facts.function)
    ragged = tuple(c for c in moved if c.name not in sized)
    return Checkpointed(s, mark, _scalars(s, facts, needed), arrays, moved, copied, ragged)


def _scalars(s: Loop, facts: Facts, needed: set[str]) -> tuple[Var, ...]:
    """The carried scalars, except pure accumulators such as a sum that is returned."""
    mine = [(c, n) for c, n in zip(s.carried, s.nexts, strict=True) if not isinstance(c.type, Array)]
    into: dict[str, set[str]] = {}
    kept: set[str] = set()
    for c, _ in mine:
        reached = tainted_by(s, facts, {c.name})
        if reached is None or reached & needed or _addresses(s, facts, reached):
            kept.add(c.name)
            continue
        into[c.name] = {d.name for d, n in mine if isinstance(n, Var) and facts.value(n).name in reached}
    while True:
        more = {c for c, others in into.items() if c not in kept and others & kept}
        if not more:
            return tuple(c for c, _ in mine if c.name in kept)
        kept |= more


def _addresses(s: Loop, facts: Facts, names: set[str]) -> bool:
    """Whether values are used in an index or passed to a function."""
    for t in walk(s.body):
        match t:
            case Load(index=i) | Store(index=i) | AddTo(index=i):
                used = i
            case Call():
                used = operands(t)
            case _:
                continue
        if any(isinstance(a, Var) and facts.value(a).name in names for a in used):
            return True
    return False
