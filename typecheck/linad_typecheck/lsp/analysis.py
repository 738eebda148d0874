"""Incremental analysis of a document: a function is checked again only if its text, or code that it can reach, has
changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from time import perf_counter

from ..diagnostics import Diagnostic
from ..findings import check_function, check_text
from ..frozen import frozen
from ..names.scope import FunctionSource
from ..signature import Checked
from ..source import SourceFile
from ..span import Span
from ..names.modules import StaticModule, first_line
from .positions import Lines
from .segments import Moves, Part, Segments, moves, segments

_KEPT = 4  # generations that an unused record is kept, so that undoing a change is fast


@dataclass(eq=False)
class Record:
    """The findings about one function, positioned in the text in which they were found."""

    function: FunctionSource
    checked: Checked
    stretches: tuple[tuple[int, int], ...]  # first and last line of every segment that the function can reach
    names: frozenset[str] | None = None  # names of the module, if the findings depend on them
    used: int = 0
    # results derived from this record, by the function that derives them
    kept: dict[str, object] = field(default_factory=dict)


@frozen
class Placed:
    """A record, and how far its lines have moved since."""

    record: Record
    moves: Moves = Moves()

    @property
    def checked(self) -> Checked:
        """The findings at their current lines. Program and signature are unchanged."""
        checked = self.record.checked
        return (
            replace(checked, diagnostics=tuple(self.moved(d) for d in checked.diagnostics)) if self.moves else checked
        )

    def moved(self, value):
        """A value in which every span of this file is at its current line."""
        return shifted(value, self.record.function.source.name, self.moves) if self.moves else value

    @property
    def first(self) -> int:
        """The current line of the function's first decorator or ``def``."""
        return self.moves.now(first_line(self.record.function.node))

    @property
    def last(self) -> int:
        node = self.record.function.node
        return self.moves.now(node.end_lineno or node.lineno)


@frozen
class Analysis:
    """The analysis of one text. ``complete`` is False if time ran out; the next call continues."""

    source: SourceFile
    diagnostics: tuple[Diagnostic, ...]
    functions: tuple[Placed, ...]
    complete: bool = True

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.source.text)

    def around(self, line: int) -> Iterator[Placed]:
        """The checked functions whose lines, or whose callees' lines, include a line of the text."""
        for p in self.functions:
            before = p.moves.before(line)
            spans = [f.span for f in p.record.checked.program.functions.values()] if p.record.checked.program else []
            if p.first <= line <= p.last or any(
                s.file == self.source.name and s.line <= before <= s.end_line for s in spans
            ):
                yield p


class _Later(Exception):
    """Raised when the time is up."""


class Analyser:
    """The incremental checker of one document, with its cache."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.checks = 0  # total number of functions checked; for tests
        self._records: dict[object, Record] = {}
        self._parts: dict[str, Part] = {}
        self._files: dict[str, StaticModule | None] = {}
        self._stamps: dict[str, tuple[int, int]] = {}
        self._round = 0
        self._before = 0  # value of `checks` at the start of this round
        self._last: Analysis | None = None

    def forget(self) -> None:
        """Clear the cache: a file that this one imports was created, changed or deleted."""
        self._records.clear()
        self._files.clear()
        self._last = None

    def analyse(self, text: str, deadline: float | None = None) -> Analysis:
        """Analyse a text.

        Parameters
        ----------
        text
            The current text of the document.
        deadline
            A time of `time.perf_counter` after which no further function is started. At least one is checked.
        """
        self._check_files()
        last = self._last
        if last is not None and last.complete and last.source.text == text:
            return last
        self._round += 1
        self._before = self.checks
        placed: list[Placed] = []
        late: list[FunctionSource] = []
        state: dict[str, Segments] = {}

        def each(function: FunctionSource) -> Checked:
            if function.source.name != self.name:
                return check_function(function)
            if not state:
                state["now"] = segments(function.source, self._parts)
            found = self._find(function, state["now"], deadline)
            if found is None:
                late.append(function)
                return Checked(None, None)
            placed.append(found)
            return found.checked

        report = check_text(text, self.name, each, self._files)
        self._stamp_files()
        self._records = {k: r for k, r in self._records.items() if self._round - r.used <= _KEPT}
        self._last = Analysis(SourceFile(self.name, text), report.diagnostics, tuple(placed), not late)
        return self._last

    # -- one function

    def _find(self, function: FunctionSource, now: Segments, deadline: float | None) -> Placed | None:
        home = now.at(function.node.lineno)
        if home is None:
            return Placed(Record(function, check_function(function), ()))
        reached = now.reached(home)
        key = self._key(function, now, home, reached)
        known = self._records.get(key)
        if known is not None and known.names in (None, now.names):
            known.used = self._round
            return Placed(known, moves(known.stretches, [now.all[k] for k in reached]))
        if deadline is not None and self.checks > self._before and perf_counter() > deadline:
            return None
        self.checks += 1
        checked = check_function(function)
        named = now.names if any(d.slug in _OF_NAMES for d in checked.diagnostics) else None
        stretches = tuple((now.all[k].first, now.all[k].last) for k in reached)
        record = self._records[key] = Record(function, checked, stretches, named, self._round)
        return Placed(record)

    def _key(self, function: FunctionSource, now: Segments, home: int, reached: tuple[int, ...]) -> object:
        lost = getattr(getattr(function.scope, "module", None), "lost", frozenset())
        if lost:
            lost = lost & frozenset().union(*(now.all[k].part.mentions for k in reached))
        node, texts = function.node, tuple(now.all[k].part.text for k in reached)
        place = (reached.index(home), node.lineno - now.all[home].first, node.col_offset)
        return texts, place, function.name, function.updates, function.wrt, lost

    # -- other files

    def _check_files(self) -> None:
        if any(_stamp(name) != stamp for name, stamp in self._stamps.items()):
            self._stamps.clear()
            self.forget()

    def _stamp_files(self) -> None:
        self._stamps |= {name: _stamp(name) for name in self._files if name not in self._stamps}


_OF_NAMES = ("unknown-name", "unknown-function")  # their help suggests names of the module


def _stamp(name: str) -> tuple[int, int]:
    try:
        found = os.stat(name)
    except OSError:
        return (0, 0)
    return found.st_mtime_ns, found.st_size


def shifted(value, file: str, by: Moves):
    """A value of frozen dataclasses and tuples, in which each span of a file is moved to its current line."""
    match value:
        case Span():
            if value.file != file:
                return value
            line = by.now(value.line)
            return replace(value, line=line, end_line=value.end_line + line - value.line)
        case tuple():
            return tuple(shifted(v, file, by) for v in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            changed = {f.name: shifted(getattr(value, f.name), file, by) for f in fields(value) if f.init}
            return replace(value, **changed)
        case _:
            return value
