"""Machine code in the cache: Numba's compilation results as files. Everything also works without it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from . import cache
from .numba_compat import CompileResult, dumps


class MachineCode:
    """The machine code of one function, with the interface that a Numba dispatcher expects of a cache.

    Numba's reduced compilation result is stored as a pickle next to the machine code, in a file that is read only if
    this user has written it (`cache.read`). Unpickling can do no more than the machine code could.
    """

    def __init__(self, folder: Path, name: str, text: str) -> None:
        self._folder, self._name, self._text = folder, name, text

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def _file(self, sig: object, codegen: Any) -> Path:
        """The file of the machine code for these types, this source and this processor."""
        return self._folder / f"{self._name}-{cache.digest(str(sig), codegen.magic_tuple(), self._text)}.code"

    def load_overload(self, sig: object, target_context: Any) -> CompileResult | None:
        """The stored code for these types, ready to run, or None."""
        target_context.refresh()
        path = self._file(sig, target_context.codegen())
        content = cache.read(path)
        if content is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(content))
        except Exception:  # noqa: BLE001 - written by an installation that has changed since
            cache.remove(path)
            return None

    def save_overload(self, sig: object, made: CompileResult) -> None:
        """Store the code compiled for these types, unless it contains addresses of this process."""
        if not (made.library.has_dynamic_globals or any(not f.can_cache for f in made.lifted)):
            cache.write(self._file(sig, made.codegen), dumps(made._reduce()))

    def enable(self) -> None:
        """Do nothing: the cache is always enabled."""

    disable = flush = enable


def keep(dispatcher: Any, folder: Path | None, name: str, text: str) -> None:
    """Let a Numba dispatcher load and store machine code in a cache folder.

    ``text`` is, or identifies, everything that the code is generated from.
    """
    if folder is not None:
        dispatcher._cache = MachineCode(folder, name, text)
