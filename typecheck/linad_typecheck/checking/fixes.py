"""Application of fixes to a text, in rounds that continue while the number of errors or findings decreases."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable

from ..diagnostics import Diagnostic, Edit, Fix
from ..findings import check_text
from ..frozen import frozen
from ..source import SourceFile
from .recover import recovered

_LINE = re.compile(r"\r\n|\r|\n")


@frozen
class Fixed:
    """A text after its fixes, the number of fixes applied, and the remaining findings."""

    text: str
    applied: int
    left: tuple[Diagnostic, ...]


def chosen(d: Diagnostic, unsafe: bool) -> Fix | None:
    """The fix to apply automatically: the first safe one. With ``unsafe``, otherwise the first one that has edits."""
    with_edits = [f for f in d.fixes if f.edits]
    return next((f for f in with_edits if f.safe), with_edits[0] if with_edits and unsafe else None)


def fix(text: str, filename: str, wanted: Callable[[Diagnostic], bool] = lambda d: True, unsafe: bool = False) -> Fixed:
    """Apply the fixes of ``wanted`` findings, and of findings that appear after them.

    A fix is *safe* if the program computes the same numbers in plain Python afterwards. Other fixes decide what the
    program means. They are applied only with ``unsafe``, one per statement of the module and round: the one that leaves
    the fewest findings, because several findings may have one cause that any of their fixes removes. A round that
    decreases neither the number of errors nor, with as many errors, the number of findings is undone.
    """
    applied = 0
    found = check_text(text, filename).diagnostics
    while True:
        fixes = [f for d in found if wanted(d) and (f := chosen(d, unsafe)) is not None]
        fixes = [f for f in fixes if all(e.span.file == filename for e in f.edits)]
        if any(not f.safe for f in fixes):
            fixes = [_best(some, text, filename) for some in _by_statement(fixes, text)]
        edits, count = together(fixes)
        new = edited(text, edits)
        after = check_text(new, filename).diagnostics if count else found
        if _left(after) >= _left(found) or len(recovered(new).errors) > len(recovered(text).errors):
            return Fixed(text, applied, found)
        text, found, applied = new, after, applied + count


def _by_statement(fixes: Iterable[Fix], text: str) -> list[list[Fix]]:
    """The fixes, grouped by the statement of the module that they change."""
    body = SourceFile("", recovered(text).text).tree.body
    starts = [min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", ()))]) for s in body]
    found: dict[int, list[Fix]] = {}
    for f in fixes:
        found.setdefault(bisect_right(starts, f.edits[0].span.line), []).append(f)
    return list(found.values())


def _best(fixes: list[Fix], text: str, filename: str) -> Fix:
    """The fix that leaves the fewest findings; the first of several."""
    if len(fixes) == 1:
        return fixes[0]
    return min(fixes, key=lambda f: _left(check_text(edited(text, f.edits), filename).diagnostics))


def _left(found: Iterable[Diagnostic]) -> tuple[int, int]:
    """The number of errors and of findings. A fix that replaces an error by a warning is progress."""
    severities = [d.severity for d in found]
    return severities.count("error"), len(severities)


def together(fixes: Iterable[Fix]) -> tuple[list[Edit], int]:
    """The edits of fixes that do not overlap, and the number of these fixes."""
    taken: list[Edit] = []
    count = 0
    for f in fixes:
        new = [e for e in f.edits if e not in taken]
        if new and not any(_overlap(a, b) for a in new for b in taken):
            taken += new
            count += 1
    return taken, count


def _overlap(a: Edit, b: Edit) -> bool:
    first, second = sorted([(_start(a), _end(a)), (_start(b), _end(b))])
    return second[0] < first[1] or second[0] == first[0]


def _start(e: Edit) -> tuple[int, int]:
    return e.span.line, e.span.column


def _end(e: Edit) -> tuple[int, int]:
    return e.span.end_line, e.span.end_column


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after non-overlapping edits. Its line ends are preserved."""
    starts = [0, *(m.end() for m in _LINE.finditer(text))]
    newline = next((m[0] for m in _LINE.finditer(text)), "\n")

    def offset(place: tuple[int, int]) -> int:
        line, column = place
        return starts[line - 1] + column - 1 if line <= len(starts) else len(text)

    for e in sorted(edits, key=_start, reverse=True):
        text = text[: offset(_start(e))] + e.text.replace("\n", newline) + text[offset(_end(e)) :]
    return text
