"""Information about a name at a position: its type, the owner of its array, where it was moved, how often it is
used."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..ir.core import Drop, Dup, Program, base_name, walk
from ..diagnostics import Diagnostic
from ..facts import Fact
from ..frozen import frozen
from ..linear.linearise import linearise
from ..span import Span
from ..types import Array
from .analysis import Analysis, Placed, Record

_NAME = re.compile(r"[^\W\d]\w*")
SHARED = "another name for the same array"  # the reason of a borrow that is an alias and not an argument of a call
_MODES = {
    "read": "lent, and only read",
    "mut": "lent, and updated in place",
    "acc": "lent, and added to",
    "own": "owned by the function: it may update it and give it away",
    "out": "lent, to be filled",
}


@frozen
class Word:
    """A name in the text. ``attribute``: it follows a dot, so it is not a variable."""

    name: str
    span: Span
    attribute: bool


def word_at(analysis: Analysis, line: int, column: int) -> Word | None:
    """The name at a position, or ending there."""
    if not 1 <= line <= len(analysis.lines.lines):
        return None
    text = analysis.lines.lines[line - 1]
    for match in _NAME.finditer(text):
        if match.start() < column <= match.end() + 1:
            span = Span(analysis.source.name, line, match.start() + 1, line, match.end() + 1)
            return Word(match[0], span, text[: match.start()].rstrip().endswith("."))
    return None


def scope_of(p: Placed, line: int) -> tuple[int, int]:
    """The current first and last line of the innermost function of a record that contains the line: its own, or a
    callee."""
    program = p.record.checked.program
    spans = [f.span for f in program.functions.values()] if program else []
    file = p.record.function.source.name
    found = [(p.moves.now(s.line), p.moves.now(s.end_line)) for s in spans if s.file == file]
    return min(
        (s for s in [*found, (p.first, p.last)] if s[0] <= line <= s[1]), key=lambda s: s[1] - s[0], default=(0, -1)
    )


def facts_of(p: Placed, line: int, name: str) -> list[Fact]:
    """The facts about a name, in the function that contains the line, in text order."""
    first, last = scope_of(p, line)
    found = [f for f in p.record.checked.facts if name in _named(f)]
    found = [p.moved(f) for f in found]
    return sorted((f for f in found if first <= f.span.line <= last), key=lambda f: (f.span.line, f.span.column))


def _named(f: Fact) -> list[str]:
    return [base_name(n.strip()) for n in f.name.split(",")]


def type_at(facts: list[Fact], line: int) -> str | None:
    """The type of a name on a line: that of its last binding before the line, otherwise of its first binding."""
    types = [f for f in facts if f.kind == "type"]
    before = [f for f in types if f.span.line <= line]
    return (before[-1] if before else types[0]).reason if types else None


def states(p: Placed, word: Word) -> Iterator[str]:
    """Sentences about a name, for users."""
    line = word.span.line
    facts = facts_of(p, line, word.name)
    mode = next((f.reason for f in facts if f.kind == "mode"), None)
    if mode in _MODES:
        yield _MODES[mode]
    for f in facts:
        if f.kind in ("move", "borrow") and (f.span.line, f.span.column) <= (line, word.span.end_column):
            what = "moved" if f.kind == "move" else "shared" if f.reason == SHARED else "lent"
            yield f"{what} on line {f.span.line}" + (f": {f.reason}" if f.reason else "")
    again = uses_again(p.record).get((p.moves.before(scope_of(p, line)[0]), word.name), 0)
    if again:
        yield f"used {again + 1} times: its adjoints are added in place"


def uses_again(record: Record) -> dict[tuple[int, str], int]:
    """The number of uses of a name beyond the first, by the first line of its function in the record, and the name."""
    found = record.kept.get("uses")
    if found is None:
        counted: Counter[tuple[int, str]] = Counter()
        linear = linear_of(record)
        for f in linear.functions.values() if linear else ():
            for s in walk(f.body):
                if isinstance(s, Dup):
                    counted[f.span.line, base_name(s.x.name)] += 1
        found = record.kept["uses"] = dict(counted)
    return found  # type: ignore[return-value]


def linear_of(record: Record) -> Program | None:
    """The linear form of a record's program; None if the program has errors."""
    if "linear" not in record.kept:
        program = record.checked.program
        record.kept["linear"] = linearise(program) if program is not None else None
    return record.kept["linear"]  # type: ignore[return-value]


def inserted(record: Record) -> list[tuple[str, str, Span]]:
    """The dups of floats and the drops of arrays in the linear form that concern user names, with their positions."""
    found: dict[tuple[str, str, Span], None] = {}
    linear = linear_of(record)
    named = {n for f in record.checked.facts if f.kind == "type" for n in _named(f)}
    for f in linear.functions.values() if linear else ():
        for s in walk(f.body):
            match s:
                case Dup(x=x) if base_name(x.name) in named:
                    found["dup", base_name(x.name), s.span] = None
                case Drop(x=x) if isinstance(x.type, Array) and base_name(x.name) in named:
                    found["drop", base_name(x.name), s.span] = None
    return list(found)


def moved_places(analysis: Analysis, word: Word) -> list[Span]:
    """Where the array of a name was moved: the related places of an error at the name, otherwise earlier moves and
    sharings."""
    errors = [d for d in analysis.diagnostics if d.labels and _inside(word.span, d)]
    if errors:
        return list(dict.fromkeys(x.span for d in errors for x in d.labels))
    found: dict[Span, None] = {}
    for p in analysis.around(word.span.line):
        for f in facts_of(p, word.span.line, word.name):
            gone = f.kind == "move" or f.reason == SHARED
            if gone and (f.span.line, f.span.column) < (word.span.line, word.span.column):
                found[f.span] = None
    return list(found)


def _inside(span: Span, d: Diagnostic) -> bool:
    (a, b), (c, e) = ((x.line, x.column) for x in (d.span, span)), ((x.end_line, x.end_column) for x in (d.span, span))
    return d.span.file == span.file and a <= b and e <= c
