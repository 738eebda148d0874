"""The result of an interpreter run: results, final contents of arguments and counts, or an error of the program."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from linad_typecheck.span import NOWHERE, Span

# What one executed primitive of each kind costs. `dim` is a look at a shape, `log` and `pop` are stores and loads of
# logs; `alloc`, `copy` and `fill` are counted in words.
WEIGHTS: Mapping[str, int] = {
    **dict.fromkeys(("add", "mul", "div", "unary", "pow", "compare", "logic", "int", "cast", "choose"), 1),
    **dict.fromkeys(("load", "store", "log", "pop", "branch", "loop", "check", "call", "alloc", "copy", "fill"), 1),
    "addto": 3,
    "dense": 1,
    "dim": 0,
}


def exception_named(kind: str) -> type[Exception]:
    """The exception class of a check: a builtin one, or NumPy's LinAlgError."""
    return np.linalg.LinAlgError if kind == "LinAlgError" else getattr(builtins, kind)


class CoreError(Exception):
    """An exception that the program raises: the name of the builtin, its message, the place.

    Attributes
    ----------
    kind : str
    message : str
    span : Span
    """

    def __init__(self, kind: str, message: str, span: Span = NOWHERE) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind, self.message, self.span = kind, message, span

    def builtin(self) -> Exception:
        """The builtin exception that Python would have raised."""
        return exception_named(self.kind)(self.message)


class CoreFault(AssertionError):
    """The program violated the rules of the core: an unchecked access out of range, or a use after `drop`."""


class StepLimit(RuntimeError):
    """More steps than the caller allows."""


@dataclass(frozen=True)
class Outcome:
    """A finished run.

    Attributes
    ----------
    results : tuple
        What the function returned: NumPy scalars of exactly their type, bools, arrays.
    params : Mapping[str, object]
        Array arguments by parameter name, with their final contents.
    counts : Mapping[str, int]
        Executed primitives by kind; the keys of `WEIGHTS`.
    peak_words : int
        The largest number of words that arrays made by the program held at one time.
    log_words : int
        Words that logs hold: cells of logs that were stored to, and the slices in which arrays of single iterations are
        kept for the reverse sweep.
    blocks : Mapping[int, int]
        How often each block was executed, by its id.
    words : Mapping[int, Mapping[str, int]]
        The words that statements of each block have set, by its id and by kind.
    """

    results: tuple[object, ...]
    params: Mapping[str, object]
    counts: Mapping[str, int] = field(default_factory=dict)
    peak_words: int = 0
    log_words: int = 0
    blocks: Mapping[int, int] = field(default_factory=dict)
    words: Mapping[int, Mapping[str, int]] = field(default_factory=dict)

    @property
    def work(self) -> int:
        """The cost of the run: every scalar step is 1, ``+=`` on a cell is 3."""
        return sum(WEIGHTS[k] * n for k, n in self.counts.items())

    def __iter__(self) -> Iterator[object]:
        return iter(self.results)
