"""The registry of library names: every name that has a meaning, and the kind of table that defines it.

The tables themselves are in higher packages. The module that owns a table enters its names here when it is imported;
this module knows none of them.
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
FUNCTIONS: tuple[Kind, ...] = ("rule", "fold", "dtype", "combinator", "derivative")  # kinds that can be called anywhere
_ORDER = {kind: k for k, kind in enumerate(Kind.__args__)}
_CALLED = ("rule", "dtype", "fold")
_KINDS: dict[str, Kind] = {}
_PARTS: set[str] = set()  # all prefixes of the names, up to a dot
BUILTINS: dict[str, None] = {n.partition(".")[2]: None for n in ELSEWHERE if n.startswith("builtins.")}


def enter(kind: Kind, names: Iterable[str]) -> None:
    """Register names as having a meaning of this kind.

    If a name has several kinds, the one that is last in `Kind` counts. Methods and attributes of arrays are registered
    under ``ndarray.``.
    """
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
    """Every library name that has a meaning, with the kind of table that defines it. Other names are refused."""
    return dict(_KINDS)


def is_entered(dotted: str) -> bool:
    """Whether a name has a meaning."""
    return dotted in _KINDS


def is_known(dotted: str) -> bool:
    """Whether a name has a meaning, or a suggestion for a replacement."""
    return has_rule(dotted) or _KINDS.get(dotted) == "constant" or elsewhere(dotted) is not None


def has_rule(dotted: str) -> bool:
    """Whether a name has a meaning as a function."""
    return _KINDS.get(dotted) in FUNCTIONS


def has_parts(dotted: str) -> bool:
    """Whether a dotted name is a module or object whose attributes have meanings, such as ``scipy.special``."""
    return dotted in _PARTS


def near(dotted: str) -> tuple[str, ...]:
    """The library functions that a misspelt name may mean, as users write them.

    For other array libraries they are NumPy's functions. A name that exists in its library is not considered misspelt.
    """
    home, _, name = dotted.rpartition(".")
    if exists(dotted) or (home == "math" and hasattr(math, name)):
        return ()
    names = {d.rpartition(".")[2]: d for d, kind in _KINDS.items() if kind == "rule" and d.rpartition(".")[0] == home}
    if not names and home.partition(".")[0] in OF_ARRAYS and _KINDS.get(f"numpy.{name}") in ("rule", "dtype"):
        return (f"np.{name}",)
    return tuple(names[n].replace("builtins.", "").replace("numpy.", "np.") for n in meant(name, names))
