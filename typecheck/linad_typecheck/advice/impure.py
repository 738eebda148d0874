"""Impure library functions: they draw random numbers, read input, write output, or change something outside."""

from __future__ import annotations

from functools import cache

_DRAWS = ("draws random numbers", "draw the numbers outside the function and pass them as an array")
_CLOCK = ("reads the clock", "read the clock outside the function and pass the time")
_TELLS = ("writes something out", "print the results outside the function")
_FILES = ("reads or writes outside the program", "do it outside the function and pass what it gives")
_SYSTEM = ("asks the system", "ask outside the function and pass the answer")

_IMPURE: dict[str, tuple[str, str]] = {
    "random": _DRAWS, "numpy.random": _DRAWS, "secrets": _DRAWS, "uuid": _DRAWS,
    "time": _CLOCK, "datetime": _CLOCK, "builtins.print": _TELLS, "logging": _TELLS, "warnings.warn": _TELLS,
    "builtins.open": _FILES, "builtins.input": _FILES, "numpy.load": _FILES, "numpy.save": _FILES,
    "numpy.savez": _FILES,
    "numpy.loadtxt": _FILES, "numpy.savetxt": _FILES, "numpy.genfromtxt": _FILES, "pathlib": _FILES, "shutil": _FILES,
    "subprocess": _FILES, "socket": _FILES, "urllib": _FILES, "json.load": _FILES, "json.dump": _FILES,
    "pickle": _FILES, "os": _SYSTEM, "sys": _SYSTEM, "platform": _SYSTEM, "gc": _SYSTEM, "threading": _SYSTEM,
}  # fmt: skip
_LEVELS = ("debug", "info", "warning", "warn", "error", "critical", "exception", "log")
# Functions that only show or filter warnings, log a message, or say how arrays are printed.
WARNINGS = frozenset((
    "warnings.warn", "warnings.simplefilter", "warnings.filterwarnings", "warnings.resetwarnings", "numpy.seterr",
    "numpy.set_printoptions",
    *(f"{home}.{level}" for home in ("logging", "logging.Logger") for level in _LEVELS),
))  # fmt: skip
# library parts whose use alone has no effect
LIBRARY_PARTS = ("random", "numpy.random", "os", "os.path", "sys", "time", "datetime")


@cache
def impure(dotted: str) -> tuple[str, str] | None:
    """The side effect of a library function, and what to write instead; None for a pure function."""
    parts = dotted.split(".")
    return next((_IMPURE[d] for k in range(len(parts), 0, -1) if (d := ".".join(parts[:k])) in _IMPURE), None)
