"""A module as a sequence of statements: what each binds and mentions, and which statements a function can reach.

The findings about a function depend on its own text, on the statements whose names it mentions, on theirs in turn, and
on nothing else in the module. This closure is the key under which findings are cached. If lines are inserted or deleted
above it, the findings only move.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ..frozen import frozen
from ..source import SourceFile
from ..names.bindings import bindings
from ..names.modules import first_line

_NAME = re.compile(r"[^\W\d]\w*")


@frozen
class Part:
    """The text of statements of a module that share lines (usually one statement), independent of its position."""

    text: str
    binds: frozenset[str]

    @cached_property
    def mentions(self) -> frozenset[str]:
        """Every word in the text: names, and words in strings, which may be annotations."""
        text = self.text if self.text.isascii() else unicodedata.normalize("NFKC", self.text)
        return frozenset(_NAME.findall(text))


@frozen(slots=True)
class Segment:
    """A part at a position."""

    first: int
    last: int
    part: Part


@frozen
class Segments:
    """The statements of a module, in order."""

    all: tuple[Segment, ...]

    @cached_property
    def binders(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for k, s in enumerate(self.all):
            for name in s.part.binds:
                found.setdefault(name, []).append(k)
        return found

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self.binders)

    def at(self, line: int) -> int | None:
        """The number of the segment that contains a line."""
        return next((k for k, s in enumerate(self.all) if s.first <= line <= s.last), None)

    def reached(self, start: int) -> tuple[int, ...]:
        """The numbers of the segments that a segment can depend on, with itself, in text order."""
        seen, waiting = {start, *self.binders.get("*", ())}, [start]
        while waiting:
            for k in self._next(waiting.pop()):
                if k not in seen:
                    seen.add(k)
                    waiting.append(k)
        return tuple(sorted(seen))

    def _next(self, k: int) -> frozenset[int]:
        found = self._links.get(k)
        if found is None:
            named = self.all[k].part.mentions & self.names
            found = self._links[k] = frozenset(j for n in named for j in self.binders[n])
        return found

    @cached_property
    def _links(self) -> dict[int, frozenset[int]]:
        return {}


def segments(source: SourceFile, known: dict[str, Part]) -> Segments:
    """The segments of a parsed module.

    Parts with a ``known`` text are reused, and new ones are entered there. Each name of an import is a separate part,
    so that its users do not depend on the other names.
    """
    found: list[Segment] = []
    for first, last, group in _grouped(source.tree.body):
        if all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in group):
            found += [Segment(first, last, part) for part in _imports(group, known)]
        else:
            found.append(_segment(source, group, first, last, known))
    live = {s.part.text for s in found}
    for text in [t for t in known if t not in live]:
        del known[text]
    return Segments(tuple(found))


def _grouped(body: Iterable[ast.stmt]) -> list[tuple[int, int, list[ast.stmt]]]:
    groups: list[tuple[int, int, list[ast.stmt]]] = []
    for s in body:
        first, last = first_line(s), s.end_lineno or s.lineno
        if groups and first <= groups[-1][1]:  # two statements on a line
            start, end, inside = groups[-1]
            groups[-1] = (start, max(end, last), [*inside, s])
        else:
            groups.append((first, last, [s]))
    return groups


def _imports(group: Iterable[ast.stmt], known: dict[str, Part]) -> Iterator[Part]:
    for s in group:
        for alias in s.names:  # type: ignore[attr-defined]
            one = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
            home = f"from {'.' * s.level}{s.module or ''} " if isinstance(s, ast.ImportFrom) else ""
            text = f"{home}import {one}"
            if text not in known:
                name = alias.asname or (alias.name if home else alias.name.partition(".")[0])
                known[text] = Part(text, frozenset({name}))
            yield known[text]


def _segment(source: SourceFile, group: list[ast.stmt], first: int, last: int, known: dict[str, Part]) -> Segment:
    text = "\n".join(source.lines[first - 1 : last])
    part = known.get(text)
    if part is None:
        binds = set(bindings(tuple(group)))
        if "global " in text:  # a function may bind these at any time
            binds.update(n for s in group for g in ast.walk(s) if isinstance(g, ast.Global) for n in g.names)
        part = known[text] = Part(text, frozenset(binds))
    return Segment(first, last, part)


@frozen(slots=True)
class Moves:
    """How far lines have moved: for each range of lines, its start, its end and the offset."""

    stretches: tuple[tuple[int, int, int], ...] = ()

    def __bool__(self) -> bool:
        return any(by for _, _, by in self.stretches)

    def now(self, line: int) -> int:
        """The current position of the line that was at ``line``."""
        return line + next((by for first, last, by in self.stretches if first <= line <= last), 0)

    def before(self, line: int) -> int:
        """The previous position of the line that is at ``line`` now."""
        return line - next((by for first, last, by in self.stretches if first + by <= line <= last + by), 0)


def moves(before: Sequence[tuple[int, int]], now: Sequence[Segment]) -> Moves:
    """The moves of segments that used to be at the given lines."""
    return Moves(tuple((a, b, s.first - a) for (a, b), s in zip(before, now, strict=True)))
