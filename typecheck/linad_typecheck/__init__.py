"""The linear type checker. It parses Python text, never imports or runs it, and needs only the standard library.

Everything is imported at first use, so that editors and commands start fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .diagnostics import Diagnostic as Diagnostic
    from .diagnostics import LinadError as LinadError
    from .findings import check_file as check_file
    from .findings import check_source as check_source

_HOMES = {
    "Diagnostic": ".diagnostics",
    "LinadError": ".diagnostics",
    "check_file": ".findings",
    "check_source": ".findings",
}

__all__ = ["Diagnostic", "LinadError", "check_file", "check_source"]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home, __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
