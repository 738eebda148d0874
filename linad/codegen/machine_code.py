"""Machine code between processes: Numba's compilation results in files of linad's cache. Everything works without it.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from . import cache
from .numba_compat import CompileResult, dumps


class MachineCode:
    """The machine code of one function, as a Numba dispatcher stores it.

    Numba's reduced compilation result is stored as a pickle next to the machine code, in a file that is read only if
    this user has written it (`cache.read`). Unpickling can do no more than the machine code could.
    """

    def __init__(self, folder: Path, name: str, text: str) -> None:
        self._folder, self._name, self._text = folder, name, text

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def _file(self, sig: object, codegen: Any) -> Path:
        """The file of the machine code for these types, this text and this processor."""
        return self._folder / f"{self._name}-{cache.digest(str(sig), codegen.magic_tuple(), self._text)}.code"

    def load_overload(self, sig: object, target_context: Any) -> CompileResult | None:
        """The stored code for these types, ready to run."""
        target_context.refresh()
        path = self._file(sig, target_context.codegen())
        content = cache.read(path)
        if content is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(content))
        except Exception:  # noqa: BLE001 - made by an installation that is no longer as it was
            cache.remove(path)
            return None

    def save_overload(self, sig: object, made: CompileResult) -> None:
        """Save the code compiled for these types, unless it contains addresses of this process."""
        if not (made.library.has_dynamic_globals or any(not f.can_cache for f in made.lifted)):
            cache.write(self._file(sig, made.codegen), dumps(made._reduce()))

    def enable(self) -> None:
        """It is always enabled."""

    disable = flush = enable


def keep(dispatcher: Any, folder: Path | None, name: str, text: str) -> None:
    """Let a Numba dispatcher load machine code from a folder of the cache, and save it there.

    ``text`` is, or identifies, everything that the code is generated from.
    """
    if folder is not None:
        dispatcher._cache = MachineCode(folder, name, text)
