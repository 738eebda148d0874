"""Interfaces to other libraries, one module each."""

from __future__ import annotations

from importlib import import_module

_MODULES = ("scipy",)


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *_MODULES})
