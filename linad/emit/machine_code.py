"""Machine code between processes: Numba's cache of a function, in linad's folder; everything works without it too."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Any

from . import cache
from .numba_compat import CacheLocator, CompileResultCacheImpl, FunctionCache


class _Place(CacheLocator):
    """Where the machine code of a function lies, and what it was made from.

    That of a generated module is beside it. That of linad's own functions, which may be installed in a zip or where
    nothing can be written, is in a folder of the cache named by a hash of their text.
    """

    def __init__(self, path: Path, stamp: str) -> None:
        self._path, self._stamp = path, stamp

    @classmethod
    def from_function(cls, f: FunctionType, file: str) -> _Place | None:
        if f.__module__.startswith(f"{__name__.partition('.')[0]}."):
            own = cache.entry("linad", cache.own_text())
            own.touch()
            return cls(own.folder / "__pycache__", cache.own_text()) if own.folder else None
        path = Path(file)
        try:
            return cls(path.parent / "__pycache__", hashlib.sha256(path.read_bytes()).hexdigest())
        except OSError:  # it is in memory
            return None

    def get_cache_path(self) -> str:
        return os.fspath(self._path)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return "1"


class _Stored(CompileResultCacheImpl):
    _locator_classes = [_Place]


class MachineCode(FunctionCache):
    """The machine code of one function: what is damaged is made again, and what cannot be written is not."""

    _impl_class = _Stored

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - a damaged file raises whatever its bytes happen to spell
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            cache.unusable(error)


def keep(dispatcher: Any) -> None:
    """Let a dispatcher of Numba's take machine code from the folder, and leave it there, where there is one."""
    with suppress(RuntimeError):  # Numba's word for no place
        dispatcher._cache = MachineCode(dispatcher.py_func)
