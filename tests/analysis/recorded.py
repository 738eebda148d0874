"""What a run really did, to hold the verdicts of the analysis against."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from linad_typecheck.ir.core import Block, Function, Loop, Program, blocks, walk

from linad.analysis.accesses import accesses
from linad.interpret import CoreError, run
from linad.interpret.machine import Event


def events(program: Program, values: Sequence[Any]) -> list[Event]:
    """The accesses of a run, in order, up to an error."""
    found: list[Event] = []
    try:
        run(program, values, record=found.append, limit=2_000_000)
    except CoreError:
        pass
    return found


def depths(f: Function) -> dict[int, int]:
    """How many loops are around each loop, by its id."""
    found: dict[int, int] = {}

    def block(b: Block, depth: int) -> None:
        for s in b.stmts:
            if isinstance(s, Loop):
                found[id(s)] = depth
            for inner in blocks(s):
                block(inner, depth + isinstance(s, Loop))

    block(f.body, 0)
    return found


def iterations(found: Sequence[Event], loop: Loop, depth: int, array: str) -> int:
    """How many iterations used an array; 0 where none read it."""
    inside = {id(s) for s in walk(loop.body)}
    uses = [e for e in found if id(e.statement) in inside and any(a.array.name == array for a in accesses(e.statement))]
    return len({e.iteration[: depth + 1] for e in uses}) if any(e.kind != "write" for e in uses) else 0


def is_private(found: Sequence[Event], loop: Loop, depth: int, array: str) -> bool:
    """Whether, in a run, each value that an iteration of a loop read in an array was written by the same iteration, and
    none that an iteration wrote was read by anything else."""
    inside = {id(s) for s in walk(loop.body)}
    last: dict[tuple[int, tuple[int, ...]], tuple[int, ...] | int] = {}
    outside = count()
    for e in found:
        if not any(a.array.name == array for a in accesses(e.statement)):
            continue
        who = e.iteration[: depth + 1] if id(e.statement) in inside else next(outside)
        cells = [e.cell] if e.cell is not None else list(np.ndindex(e.array.shape))
        for cell in cells:
            key = id(e.array), cell
            writer = last.get(key)
            if e.kind != "write" and who != writer and (isinstance(who, tuple) or isinstance(writer, tuple)):
                return False
            if e.kind != "read":
                last[key] = who
    return True
