"""Calling a compiled program: flat values in, flat results out, and errors as Python would raise them."""

from __future__ import annotations

import linecache
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from linad_typecheck.span import NOWHERE
from linad_typecheck.types import MAX_RANK

from ..exceptions import exception_named
from . import threads
from .errors import is_generated
from .memory import MUCH
from .stack import floor
from .workspace import NoRoom, Pool

if TYPE_CHECKING:
    from linad_typecheck.span import Span

    from linad.codegen.error_sites import Site

DONE, AGAIN, FAILED, SHORT = 0, 1, 2, 3
FLOOR = 1 + 4 * MAX_RANK  # where a kernel finds the lowest address of the stack, if it is recursive
HINTS = FLOOR + 1  # where it finds, and leaves, how long the logs become that grow, if it has any

NOT_BROADCAST = (
    "operands could not be broadcast together",
    "could not broadcast input array",
    "shape mismatch: indexing arrays",
)
RAGGED = "the arrays in a list have one shape here"
NOT_RUN = "the loop runs no iteration, and "
STRETCH = (
    " (a size that turns out to be 1 is not stretched, see 'Size-1 broadcast' in docs/reference/deviations.md: "
    "index with None, as in x[:, None], take a slice of one place, as in x[:, :1], use keepdims, or annotate the size "
    "as 1)"
)
_OF_ONE = re.compile(r"[(,]1[,)]")  # a shape with an axis of one cell


@dataclass(slots=True)
class Loaded:
    """A driver ready to be called: ``driver(*values, *workspaces, err)`` returns ``(code, *results)``.

    If it is ``parallel``, the number of threads follows the values.
    """

    driver: Callable[..., tuple[object, ...]]
    sites: Sequence[Site]
    error_words: int
    again: bool = False  # whether it may request the fully checked build after it has written something
    workspace: tuple[str, ...] = ()  # the element types of its workspaces
    parallel: bool = False
    pool: Pool | None = None

    def __post_init__(self) -> None:
        if self.workspace:
            self.pool = Pool(self.workspace, max(self.error_words - HINTS, 0))

    def errors(self) -> np.ndarray:
        """A new error buffer; it also holds the end of the stack for recursive kernels, and the lengths of logs."""
        err = np.zeros(self.error_words, np.int64)
        if self.error_words > FLOOR:
            err[FLOOR] = floor()
        if self.error_words > HINTS and self.pool is not None:
            err[HINTS:] = self.pool.hints
        return err

    def call(self, values: Sequence[object], err: np.ndarray) -> tuple[object, ...]:
        """Run the driver with as much scratch memory as it requests, and return its results."""
        if not self.parallel:
            return self._call(values, err)
        with threads.running:
            return self._call((*values, threads.threads()), err)

    def _call(self, values: Sequence[object], err: np.ndarray) -> tuple[object, ...]:
        pool = self.pool
        if pool is None:
            return self.driver(*values, err)
        held = pool.take()
        out = self.driver(*values, *held, err)
        grown = out[0] == SHORT
        if grown:
            pool.enlarge(held, err[: len(held)])
            err[0] = 0
            out = self.driver(*values, *held, err)
        pool.give(held, grown)
        if self.error_words > HINTS:
            pool.note(err[HINTS:])
        return out


@dataclass(slots=True)
class Kernel:
    """A program in up to two builds: one with hoisted index checks, and one with a check at every access, which runs if
    a hoisted check fails."""

    load: Callable[[str], Loaded]  # by "hoisted" or "every"
    largest: Callable[[Sequence[object]], tuple[str, int, Span] | None] = lambda values: None
    # finds the largest allocation for these arguments: the message with ``{0}`` for the bytes, the bytes, the position
    builds: dict[str, Loaded] = field(default_factory=dict)

    def build(self, checked: str) -> Loaded:
        """One of the builds, compiled at its first use."""
        found = self.builds.get(checked)
        if found is None:
            found = self.builds[checked] = self.load(checked)
        return found

    def run(
        self,
        values: Sequence[object],
        written: Sequence[int] = (),
        zeros: Sequence[int] = (),
        *,
        in_place: bool = False,
    ) -> tuple[object, ...]:
        """Run the program and return the flat results.

        Parameters
        ----------
        values : sequence
            The flat arguments, as the driver takes them.
        written : sequence of int
            The positions of arrays that the program updates. They are restored before a second run.
        zeros : sequence of int
            The positions of arrays that are zero on entry.
        in_place : bool
            Whether copying the updated arrays would be too expensive. If so, the fully checked build is used.

        Raises
        ------
        Exception
            As raised by the user's line.
        """
        build = self.build("hoisted")
        saved: list[object] = []
        if build.again and written:
            if in_place:
                build = self.build("every")
            else:
                saved = [values[k].copy() for k in written]
        err = build.errors()
        code, *results = self._call(build, values, err)
        if code == AGAIN:
            for k, before in zip(written, saved):
                values[k][...] = before
            for k in zeros:
                values[k].fill(0)
            build = self.build("every")
            err = build.errors()
            code, *results = self._call(build, values, err)
        if code != DONE:
            fail(build.sites[err[0]], err[1:])
        return tuple(results)

    def _call(self, build: Loaded, values: Sequence[object], err: np.ndarray) -> tuple[object, ...]:
        try:
            return build.call(values, err)
        except MemoryError as error:
            short = error
        found = self.largest(values)
        if found is None or not isinstance(short, NoRoom) and found[1] < MUCH:  # no single array is to blame
            raise short
        text, size, span = found
        more = f"; {short}" if isinstance(short, NoRoom) and short.size > 2 * size else ""
        raise_at("MemoryError", f"{text.format(size)}{more}", span)


def fail(site: Site, words: np.ndarray) -> NoReturn:
    """Raise the error that a kernel reported.

    Raises
    ------
    Exception
        Of the class recorded for the site, with the user's expression, file and line.
    """
    arguments = [_value(dtype, word) for dtype, word in zip(site.arguments, words)]
    message = site.message.format(*arguments)
    if message.startswith(NOT_BROADCAST) and 1 in arguments:
        message += STRETCH
    raise_at(site.kind, message, site.span)


def needs_shapes(error: ValueError) -> str | None:
    """Whether the program means something else where shapes of its arguments are known: which axes have one cell
    ("ones"), which NumPy stretches, or all of them ("all"), for a loop that would give a name its type and did not
    run; or whether arrays in lists have several lengths ("lengths")."""
    text = str(error)
    if text.startswith(RAGGED):
        return "lengths"
    return "ones" if text.startswith(NOT_BROADCAST) else "all" if text.startswith(NOT_RUN) else None


def has_one(error: ValueError) -> bool:
    """Whether an axis with one cell is among those that do not broadcast."""
    return _OF_ONE.search(str(error)) is not None


def joins_rows(error: ValueError) -> bool:
    """Whether a row was stored where rows have another length, as in the list that a comprehension makes."""
    return str(error).startswith(NOT_BROADCAST[1])


def _value(dtype: str, word: np.int64) -> object:
    if dtype in ("f64", "f32"):
        return struct.unpack("<d", struct.pack("<q", int(word)))[0]
    return bool(word) if dtype == "bool" else int(word)


def raise_at(error: str, message: str, span: Span) -> NoReturn:
    """Raise an exception with the text and position of the user's expression.

    Raises
    ------
    Exception
        Of the class named ``error``.
    """
    kind = exception_named(error)
    if span == NOWHERE or is_generated(span.file):
        raise kind(message)
    text = expression(span)
    raise kind(f"{message}{f': {text}' if text else ''} at {span.file}:{span.line}")


def expression(span: Span) -> str:
    """The source text of a span; of several lines, only the first."""
    line = linecache.getline(span.file, span.line).rstrip("\n")
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    return line[span.column - 1 : end].strip()
