"""Every name of a library that the language has, and which kind of table says what it means.

The tables themselves are in the packages above. The module that owns a table enters its names here when it is imported;
nothing here knows of any of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from .advice.did_you_mean import meant
from .advice.library_names import exists
from .advice.unsupported_functions import ELSEWHERE, OF_ARRAYS, elsewhere

Kind = Literal[
    "subscript", "mark", "iterable", "constant", "attribute", "method", "dtype", "fold", "rule", "combinator",
    "derivative",
]  # fmt: skip
FUNCTIONS: tuple[Kind, ...] = ("rule", "fold", "dtype", "combinator", "derivative")  # kinds of what is called anywhere
_ORDER = {kind: k for k, kind in enumerate(Kind.__args__)}
_CALLED = ("rule", "dtype", "fold")
_KINDS: dict[str, Kind] = {}
_PARTS: set[str] = set()  # all that stands before a dot of them
BUILTINS: dict[str, None] = {n.partition(".")[2]: None for n in ELSEWHERE if n.startswith("builtins.")}


def enter(kind: Kind, names: Iterable[str]) -> None:
    """These names have a meaning of this kind. Of a name with meanings of several kinds the last kind counts, in the
    order in which `Kind` lists them. Methods and attributes of arrays are under ``ndarray.``."""
    for name in names:
        known = _KINDS.get(name)
        if known is None or _ORDER[known] < _ORDER[kind]:
            _KINDS[name] = kind
        home, _, last = name.rpartition(".")
        if home == "builtins" and kind in _CALLED:
            BUILTINS[last] = None
        while home and home not in _PARTS:
            _PARTS.add(home)
            home = home.rpartition(".")[0]


def registry() -> dict[str, Kind]:
    """Every library name of the language, and which kind of table says what it means; anything else is refused."""
    return dict(_KINDS)


def is_entered(dotted: str) -> bool:
    """Whether the language has a meaning for a name."""
    return dotted in _KINDS


def is_known(dotted: str) -> bool:
    """Whether the language has a meaning for a name, or a word on how to do without."""
    return has_rule(dotted) or _KINDS.get(dotted) == "constant" or elsewhere(dotted) is not None


def has_rule(dotted: str) -> bool:
    """Whether the language has it as a function, and not only a word on how to do without."""
    return _KINDS.get(dotted) in FUNCTIONS


def has_parts(dotted: str) -> bool:
    """Whether it is a module of a library, or another object, whose attributes have meanings here: ``scipy.special``.
    """
    return dotted in _PARTS


def near(dotted: str) -> tuple[str, ...]:
    """The library functions that a name may have meant, as one writes them; those of NumPy for another library of
    arrays. A name that its library has is not mistyped."""
    home, _, name = dotted.rpartition(".")
    if exists(dotted) or (home == "math" and hasattr(math, name)):
        return ()
    names = {d.rpartition(".")[2]: d for d, kind in _KINDS.items() if kind == "rule" and d.rpartition(".")[0] == home}
    if not names and home.partition(".")[0] in OF_ARRAYS and _KINDS.get(f"numpy.{name}") in ("rule", "dtype"):
        return (f"np.{name}",)
    return tuple(names[n].replace("builtins.", "").replace("numpy.", "np.") for n in meant(name, names))
