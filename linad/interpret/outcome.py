"""The outcome of an interpreter run: results, final contents of arguments and counts, or the program's error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from linad_typecheck.span import NOWHERE, Span

from linad.exceptions import exception_named

# The cost of one executed primitive of each kind. `dim` queries a shape; `log` and `pop` are stores to and loads from
# logs; `alloc`, `copy` and `fill` count words.
WEIGHTS: Mapping[str, int] = {
    **dict.fromkeys(("add", "mul", "div", "unary", "pow", "compare", "logic", "int", "cast", "choose"), 1),
    **dict.fromkeys(("load", "store", "log", "pop", "branch", "loop", "check", "call", "alloc", "copy", "fill"), 1),
    "addto": 3,
    "dense": 1,
    "dim": 0,
}


class CoreError(Exception):
    """An exception raised by the interpreted program.

    Attributes
    ----------
    kind : str
        Name of the exception class.
    message : str
    span : Span
    """

    def __init__(self, kind: str, message: str, span: Span = NOWHERE) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind, self.message, self.span = kind, message, span

    def builtin(self) -> Exception:
        """The exception that Python would have raised."""
        return exception_named(self.kind)(self.message)


class CoreFault(AssertionError):
    """A violation of the core's rules by the program: an unchecked access out of range, or a use after `drop`."""


class StepLimit(RuntimeError):
    """The run exceeded the caller's step limit."""


@dataclass(frozen=True)
class Outcome:
    """A finished run.

    Attributes
    ----------
    results : tuple
        The function's results: NumPy scalars of exactly their type, bools, arrays.
    params : Mapping[str, object]
        Array arguments by parameter name, with their final contents.
    counts : Mapping[str, int]
        Executed primitives by kind; the keys of `WEIGHTS`.
    peak_words : int
        The largest number of words that the program's own arrays held at one time.
    log_words : int
        Words held by logs: the log cells that were stored to, and the slices that keep per-iteration arrays for the
        reverse sweep.
    blocks : Mapping[int, int]
        How often each block executed, by its id.
    words : Mapping[int, Mapping[str, int]]
        The words written by the statements of each block, by its id and by kind.
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
        """The cost of the run: 1 per scalar step, 3 per ``+=`` on a cell."""
        return sum(WEIGHTS[k] * n for k, n in self.counts.items())

    def __iter__(self) -> Iterator[object]:
        return iter(self.results)
