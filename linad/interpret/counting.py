"""Step counts of the interpreter, by kind of primitive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from linad_typecheck.ir.core import AddTo, Call, Check, Dim, If, Let, Load, Stmt, Store
from linad_typecheck.ops import OPS

from .outcome import WEIGHTS

_KINDS = {Load: "load", Store: "store", AddTo: "addto", Dim: "dim", If: "branch", Call: "call", Check: "check"}


def kind_of(s: Stmt) -> str | None:
    """The kind that each execution of a statement is counted as; None if it depends on the operands.

    A load or store of a log is recounted as ``pop`` or ``log`` when it executes.
    """
    return OPS[s.op].kind if isinstance(s, Let) else _KINDS.get(type(s))


@dataclass
class Tally:
    """The cost of one execution of a block, without nested blocks; how often it executed; and the words that its
    statements have written, by kind."""

    block: int
    kinds: Counter[str]
    times: int = 0
    words: Counter[str] = field(default_factory=Counter)


def totals(counts: Mapping[str, int], tallies: Iterable[Tally]) -> dict[str, int]:
    """Executed primitives by kind: those counted one by one and those implied by block executions."""
    total = Counter({k: 0 for k in WEIGHTS})
    total.update(counts)
    for tally in tallies:
        for kind, n in tally.kinds.items():
            total[kind] += n * tally.times
        for kind, n in tally.words.items():
            total["addto" if kind == "addarray" else kind] += n
    return dict(total)


def executions(tallies: Iterable[Tally]) -> dict[int, int]:
    """How often each block executed."""
    found: Counter[int] = Counter()
    for tally in tallies:
        found[tally.block] += tally.times
    return dict(found)


def words(tallies: Iterable[Tally]) -> dict[int, Counter[str]]:
    """The words that the statements of each block have written, by kind: ``alloc``, ``copy``, ``fill``, ``addarray``.
    """
    found: dict[int, Counter[str]] = {}
    for tally in tallies:
        found.setdefault(tally.block, Counter()).update(tally.words)
    return found
