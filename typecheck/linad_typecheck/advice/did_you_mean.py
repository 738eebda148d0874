"""Suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from ..span import Span

_SAME_START = 0.75  # minimal similarity of a word and the start of another
_MOST = 2  # maximum number of suggestions


def meant(name: str, names: Iterable[str], cutoff: float = 0.75) -> tuple[str, ...]:
    """The nearest of ``names``, best first: similar ones, and those one typing error away from ``name``."""
    rated = {
        n: 1.0 if one_slip(name, n) else max(_ratio(name, n), _SAME_START * _begins(name, n))
        for n in names
        if n != name
    }
    close = sorted((n for n, r in rated.items() if r >= cutoff), key=lambda n: (-rated[n], -_ratio(name, n), n))
    sure = [n for n in close if rated[n] == 1.0]
    return tuple((sure or close[:1])[:_MOST])


def one_slip(a: str, b: str) -> bool:
    """Whether two words that are not too short differ by one letter that is inserted, removed, replaced or
    transposed."""
    if min(len(a), len(b)) < 3 or abs(len(a) - len(b)) > 1:
        return False
    k = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    x, y = a[k:], b[k:]
    return x[1:] == y[1:] or x[1:] == y or x == y[1:] or (x[:2] == y[1::-1] and x[2:] == y[2:])


def _begins(a: str, b: str) -> bool:
    return min(len(a), len(b)) >= 3 and (a.startswith(b) or b.startswith(a))


def _ratio(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b).ratio()


def last_part(at: Span, dotted: str) -> Span | None:
    """The position of the part after the last dot of ``dotted``, if ``at`` covers all of it in one line."""
    if at.line != at.end_line or at.end_column - at.column != len(dotted):
        return None
    return Span(at.file, at.line, at.end_column - len(dotted.rpartition(".")[2]), at.line, at.end_column)
